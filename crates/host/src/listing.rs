//! The host's drivers in /proc/crypto.

use algkit::Type;

/// A driver of the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) driver: String,
    pub(crate) kind: Type,
    pub(crate) priority: u32,
}

/// The drivers that AF_ALG can use.
pub(crate) fn read() -> Vec<Listed> {
    std::fs::read_to_string("/proc/crypto").map(|text| parse(&text)).unwrap_or_default()
}

/// The drivers that have passed the kernel's self-test and have a known type.
fn parse(text: &str) -> Vec<Listed> {
    text.split("\n\n").filter_map(block).collect()
}

fn block(text: &str) -> Option<Listed> {
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim())
    };
    if field("internal") == Some("yes") || field("selftest") != Some("passed") {
        return None;
    }
    let kind = match field("type")? {
        "skcipher" => Type::Skcipher,
        "aead" => Type::Aead,
        "shash" | "ahash" => Type::Hash,
        _ => return None,
    };
    let priority = field("priority")?.parse().ok()?;
    Some(Listed { name: field("name")?.to_owned(), driver: field("driver")?.to_owned(), kind, priority })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        let text = "name         : cbc(aes)\ndriver       : cbc-aes-aesni\nmodule       : aesni_intel\npriority     : 400\n\
                    refcnt       : 1\nselftest     : passed\ninternal     : no\ntype         : skcipher\n\n\
                    name         : __cbc(aes)\ndriver       : __cbc-aes-aesni\npriority     : 400\nselftest     : passed\n\
                    internal     : yes\ntype         : skcipher\n\n\
                    name         : sha256\ndriver       : broken\npriority     : 1\nselftest     : unknown\n\
                    internal     : no\ntype         : shash\n\n\
                    name         : sha1\ndriver       : sha1-engine\npriority     : 3000\nselftest     : passed\n\
                    internal     : no\ntype         : ahash\nasync        : yes\n\n\
                    name         : stdrng\ndriver       : drbg\npriority     : 1\nselftest     : passed\n\
                    internal     : no\ntype         : rng\n\n";
        let listed = |name: &str, driver: &str, kind, priority| Listed {
            name: name.to_owned(),
            driver: driver.to_owned(),
            kind,
            priority,
        };
        let want =
            [listed("cbc(aes)", "cbc-aes-aesni", Type::Skcipher, 400), listed("sha1", "sha1-engine", Type::Hash, 3000)];
        assert_eq!(parse(text), want);
        assert!(parse("").is_empty() && parse("name\n\n:\n\nname : \n").is_empty());
    }
}
