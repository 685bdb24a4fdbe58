//! Algorithm names: `xts(aes)`, `essiv(cbc(aes),sha256)`, `authenc(hmac(sha256),cbc(aes))`.
//!
//! ```text
//! name = word [ "(" name { "," name } ")" ]
//! word = [ letters ":" ] letters
//! letters = one or more of A–Z a–z 0–9 _ - . /
//! ```
//!
//! The word before a colon says where a driver comes from: `afalg:cbc-aes-ce`. An algorithm's name has no colon.
//!
//! As in the kernel there are no spaces, and a name with its terminating zero has at most 128 bytes
//! (`CRYPTO_MAX_ALG_NAME`).

use crate::Error;
use std::fmt;

/// The longest name, in bytes (the kernel's `CRYPTO_MAX_ALG_NAME`, less the terminating zero).
pub const MAX_LEN: usize = 127;

/// The maximum nesting depth. The deepest name in use, `essiv(authenc(hmac(sha256),cbc(aes)),sha256)`, has 4
/// levels.
pub const MAX_DEPTH: usize = 8;

/// A parsed name: a word and its parameters in parentheses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The word before the parentheses: an algorithm, driver or template.
    pub base: String,
    /// The parameters of a template; empty for other names.
    pub args: Vec<Name>,
}

impl Name {
    /// Parses `text`; errors say what is wrong and where.
    ///
    /// ```
    /// let name = algkit::Name::parse("essiv(cbc(aes),sha256)")?;
    /// assert_eq!(name.base, "essiv");
    /// assert_eq!(name.args[0].to_string(), "cbc(aes)");
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::BadName { name: text.chars().take(MAX_LEN).collect(), reason };
        if text.len() > MAX_LEN {
            return Err(bad(format!("{} bytes, at most {MAX_LEN} are allowed", text.len())));
        }
        let mut parser = Parser { text: text.as_bytes(), at: 0 };
        let name = parser.name(0).map_err(bad)?;
        if parser.at < text.len() {
            return Err(bad(parser.unexpected("the end")));
        }
        Ok(name)
    }

    /// The last parameter of the last parameter, and so on: in a mode's name, the cipher.
    ///
    /// ```
    /// let name = algkit::Name::parse("authenc(hmac(sha256),cbc(aes))")?;
    /// assert_eq!(name.innermost().base, "aes");
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn innermost(&self) -> &Self {
        self.args.last().map_or(self, Self::innermost)
    }

    /// Whether the template is `authenc` or `authencesn`.
    pub(crate) fn is_authenc(&self) -> bool {
        matches!(&*self.base, "authenc" | "authencesn")
    }

    /// A name without parameters.
    pub fn word(base: &str) -> Self {
        Self { base: base.to_owned(), args: Vec::new() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)?;
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "{}{arg}", if i == 0 { '(' } else { ',' })?;
        }
        if !self.args.is_empty() {
            f.write_str(")")?;
        }
        Ok(())
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn name(&mut self, depth: usize) -> Result<Name, String> {
        if depth == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels"));
        }
        let mut word = self.letters()?;
        if self.eat(b':') {
            word = word + ":" + &self.letters()?;
        }
        let mut args = Vec::new();
        if self.eat(b'(') {
            loop {
                args.push(self.name(depth + 1)?);
                if self.eat(b')') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(self.unexpected("`,` or `)`"));
                }
            }
        }
        Ok(Name { base: word, args })
    }

    fn letters(&mut self) -> Result<String, String> {
        let rest = &self.text[self.at..];
        let letters: String = rest
            .iter()
            .take_while(|c| c.is_ascii_alphanumeric() || b"_-./".contains(c))
            .map(|&c| char::from(c))
            .collect();
        if letters.is_empty() {
            return Err(self.unexpected("a name"));
        }
        self.at += letters.len();
        Ok(letters)
    }

    fn eat(&mut self, c: u8) -> bool {
        let hit = self.text.get(self.at) == Some(&c);
        self.at += usize::from(hit);
        hit
    }

    fn unexpected(&self, wanted: &str) -> String {
        match self.text.get(self.at) {
            Some(c) if c.is_ascii_graphic() => format!("`{}` at byte {}, expected {wanted}", char::from(*c), self.at),
            Some(c) => format!("byte {c:#04x} at byte {}, expected {wanted}", self.at),
            None => format!("ends where {wanted} is expected"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_survives() {
        for text in [
            "aes",
            "xts(aes)",
            "cts(cbc(aes))",
            "essiv(cbc(aes),sha256)",
            "authenc(hmac(sha256),cbc(aes))",
            "ccm_base(ctr-aes-neonbs,cbcmac(aes-fixed-time))",
            "sha512-224/x.y",
            "afalg:cbc(aes-generic)",
            "hmac(afalg:sha1-engine)",
        ] {
            assert_eq!(Name::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let deep = format!("{}aes{}", "x(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
        for (text, reason) in [
            ("", "ends where a name is expected"),
            ("xts(", "ends where a name is expected"),
            ("xts(aes", "ends where `,` or `)` is expected"),
            ("xts(aes))", "`)` at byte 8, expected the end"),
            ("xts()", "`)` at byte 4, expected a name"),
            ("xts(aes)x", "`x` at byte 8, expected the end"),
            (":aes", "`:` at byte 0, expected a name"),
            ("afalg:", "ends where a name is expected"),
            ("a:b:c", "`:` at byte 3, expected the end"),
            ("x ts", "byte 0x20 at byte 1, expected the end"),
            ("é", "byte 0xc3 at byte 0, expected a name"),
            (&deep, "more than 8 levels"),
            (&"a".repeat(128), "128 bytes, at most 127 are allowed"),
        ] {
            match Name::parse(text) {
                Err(Error::BadName { reason: r, .. }) => assert_eq!(r, reason, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
