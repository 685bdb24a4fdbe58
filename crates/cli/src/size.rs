//! Sizes on the command line. All options take the same units.

/// Parses a size in bytes: `4096`, `4K`, `1M`, `1GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    match place(text)? {
        0 => Err("expected at least 1".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Parses a size in bytes that may be 0.
pub fn place(text: &str) -> Result<u64, String> {
    parse(text, 1, "a number of bytes such as 4096, 16K, 1M or 1G")
}

/// Parses the size of a sector in bytes.
pub fn sector(text: &str) -> Result<u32, String> {
    u32::try_from(bytes(text)?).map_err(|_| TOO_LARGE.to_owned())
}

/// Parses a number of sectors of 512 bytes, or with a unit a number of bytes: `2048` and `1M` are the same. The result is in sectors.
pub fn sectors(text: &str) -> Result<u64, String> {
    in_units(text, 512, "a number of sectors such as 2048, or with a unit the bytes of whole sectors such as 64K or 1M")
}

/// Parses a number of KiB, or with a unit a number of bytes: `65536` and `64M` are the same. The result is in KiB.
pub fn kib(text: &str) -> Result<u32, String> {
    let kib =
        in_units(text, 1024, "a number of KiB such as 65536, or with a unit a whole number of KiB such as 64M or 1G")?;
    u32::try_from(kib).map_err(|_| TOO_LARGE.to_owned())
}

const TOO_LARGE: &str = "too large";

/// Parses a number of units of `unit` bytes.
fn in_units(text: &str, unit: u64, what: &str) -> Result<u64, String> {
    let bytes = parse(text, unit, what)?;
    if bytes.is_multiple_of(unit) { Ok(bytes / unit) } else { Err(format!("expected {what}")) }
}

/// Parses a number of bytes, or without a unit one of `unit` bytes.
fn parse(text: &str, unit: u64, what: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let expected = || format!("expected {what}");
    let unit = match &text[digits.len()..] {
        "" => unit,
        "B" => 1,
        "K" | "k" | "KiB" => 1 << 10,
        "M" | "m" | "MiB" => 1 << 20,
        "G" | "g" | "GiB" => 1 << 30,
        "T" | "t" | "TiB" => 1 << 40,
        _ => return Err(expected()),
    };
    // The standard library also takes a sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(expected());
    }
    let number: Option<u64> = digits.parse().ok();
    number.and_then(|number| number.checked_mul(unit)).ok_or_else(|| TOO_LARGE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_units() {
        for (text, value) in
            [("16", Some(16)), ("4K", Some(4096)), ("1GiB", Some(1 << 30)), ("64k", Some(65536)), ("3T", Some(3 << 40))]
        {
            assert_eq!(bytes(text).ok(), value, "{text}");
        }
        for text in
            ["", "K", "-1", "+1", "0", "0K", "1.5M", "1P", "99999999999999999999", "18446744073709551615K", "4é"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
        for (text, value) in [("0", Some(0)), ("0K", Some(0)), ("1m", Some(1 << 20)), ("", None), ("K", None)] {
            assert_eq!(place(text).ok(), value, "{text}");
        }
    }

    #[test]
    fn other_units_where_a_number_has_none() {
        for (text, value) in
            [("2048", Some(2048)), ("1M", Some(2048)), ("512B", Some(1)), ("0", Some(0)), ("100B", None), ("1s", None)]
        {
            assert_eq!(sectors(text).ok(), value, "{text}");
        }
        assert!(sectors("18446744073709551615").is_err(), "more bytes than there are numbers for");
        for (text, value) in [("65536", Some(65536)), ("64M", Some(65536)), ("4096T", None), ("100B", None)] {
            assert_eq!(kib(text).ok(), value, "{text}");
        }
        for (text, value) in [("512", Some(512)), ("4K", Some(4096)), ("4KiB", Some(4096)), ("4G", None), ("0", None)] {
            assert_eq!(sector(text).ok(), value, "{text}");
        }
    }
}
