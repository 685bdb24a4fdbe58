//! Lines of digests in the formats of coreutils.
//!
//! ```text
//! hex, two spaces (or a space and an asterisk), name        plain
//! NAME (name) = hex                                         BSD style
//! ```
//!
//! Backslashes, newlines and carriage returns in a name are written as `\\`, `\n` and `\r`, and such a line starts
//! with a backslash.

use std::borrow::Cow;

/// A plain line with its end. With `zero`, the end is a zero byte and nothing is escaped.
pub fn plain(name: &[u8], digest: &[u8], zero: bool) -> Vec<u8> {
    with_name(name, zero, |line, name| {
        line.extend(hex::encode(digest).as_bytes());
        line.extend(b"  ");
        line.extend(name);
    })
}

/// A BSD style line. `tag` is the [algorithm's name](tag) in it.
pub fn bsd(tag: &str, name: &[u8], digest: &[u8], zero: bool) -> Vec<u8> {
    with_name(name, zero, |line, name| {
        line.extend(tag.as_bytes());
        line.extend(b" (");
        line.extend(name);
        line.extend(b") = ");
        line.extend(hex::encode(digest).as_bytes());
    })
}

fn with_name(name: &[u8], zero: bool, rest: impl FnOnce(&mut Vec<u8>, &[u8])) -> Vec<u8> {
    let name = if zero { Cow::Borrowed(name) } else { escape(name) };
    let mut line = Vec::new();
    if matches!(name, Cow::Owned(_)) {
        line.push(b'\\');
    }
    rest(&mut line, &name);
    line.push(if zero { 0 } else { b'\n' });
    line
}

/// The escaped name with the leading backslash of its line.
pub fn escaped(name: &[u8]) -> Vec<u8> {
    [b"\\", &*escape(name)].concat()
}

fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().any(|c| b"\\\n\r".contains(c)) {
        return Cow::Borrowed(name);
    }
    let escaped = name.iter().flat_map(|c| match c {
        b'\\' => &b"\\\\"[..],
        b'\n' => b"\\n",
        b'\r' => b"\\r",
        c => std::slice::from_ref(c),
    });
    Cow::Owned(escaped.copied().collect())
}

/// The original of an escaped name; `None` if the escaping is invalid.
fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut plain = Vec::with_capacity(name.len());
    while let Some(&c) = bytes.next() {
        plain.push(match c {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            0 => return None,
            c => c,
        });
    }
    Some(plain)
}

/// The algorithm's name in BSD style lines.
pub fn tag(algorithm: &str) -> String {
    match algorithm {
        "blake2b-512" => "BLAKE2b".to_owned(),
        "blake2b-160" | "blake2b-256" | "blake2b-384" => algorithm.replace("blake2b", "BLAKE2b"),
        "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sm3" => algorithm.to_ascii_uppercase(),
        other => other.to_owned(),
    }
}

/// The digest and the name in a line; `None` unless it has `size` bytes of digest and, in BSD style, the name
/// `tag`.
pub fn parse(line: &[u8], tag: &str, size: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let line = line.trim_ascii_start();
    let (escaped, line) = match line.strip_prefix(b"\\") {
        Some(line) => (true, line),
        None => (false, line),
    };
    let (digest, name) = parse_bsd(line, tag).or_else(|| parse_plain(line, 2 * size))?;
    let digest = hex::decode(digest).ok().filter(|digest| digest.len() == size)?;
    let name = if escaped { unescape(name)? } else { name.to_owned() };
    (!name.is_empty()).then_some((digest, name))
}

fn parse_bsd<'a>(line: &'a [u8], tag: &str) -> Option<(&'a [u8], &'a [u8])> {
    let rest = line.strip_prefix(tag.as_bytes())?;
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let close = rest.iter().rposition(|&c| c == b')')?;
    let digest = rest[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    Some((digest, &rest[..close]))
}

fn parse_plain(line: &[u8], digits: usize) -> Option<(&[u8], &[u8])> {
    let (digest, rest) = line.split_at_checked(digits)?;
    match rest {
        [b' ' | b'\t', b' ' | b'*', name @ ..] => Some((digest, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_escape() {
        for name in [&b"a"[..], b"a b", b"a\nb", b"\\", b"a\\nb\r", b"(x) = 00", b"*star", b" space", b"\xff"] {
            let want = Some((vec![1, 0xab], name.to_owned()));
            assert_eq!(parse(plain(name, &[1, 0xab], false).strip_suffix(b"\n").unwrap(), "x", 2), want);
            assert_eq!(parse(bsd("x", name, &[1, 0xab], false).strip_suffix(b"\n").unwrap(), "x", 2), want);
        }
        assert_eq!(plain(b"a\nb", &[1], false), b"\\01  a\\nb\n");
        assert_eq!(plain(b"a\nb", &[1], true), b"01  a\nb\0");
    }

    #[test]
    fn other_lines_are_refused() {
        for line in
            ["", "00", "0000 ", "0000  ", "0000x  a", "00zz  a", "0000 a", "\\0000  a\\q", "y (a) = 0000", "x (a) 0000"]
        {
            assert_eq!(parse(line.as_bytes(), "x", 2), None, "{line}");
        }
        assert_eq!(parse(b"  00FF *a", "x", 2), Some((vec![0, 255], b"a".to_vec())));
        assert_eq!(parse(b"SHA256(a)= 00ff", &tag("sha256"), 2), Some((vec![0, 255], b"a".to_vec())));
    }
}
