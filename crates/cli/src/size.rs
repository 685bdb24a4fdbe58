//! Sizes in bytes on the command line.

/// Parses a size in bytes: `4096`, `4K`, `1M`, `1GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" | "B" => 0,
        "K" | "k" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        "T" | "TiB" => 40,
        _ => return Err("expected a number of bytes such as 4096, 16K, 1M or 1G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number of bytes such as 4096, 16K, 1M or 1G")?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("expected at least 1".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("too large".to_owned()),
    }
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
        for text in ["", "K", "-1", "0", "0K", "1.5M", "1P", "99999999999999999999", "18446744073709551615K", "4é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
