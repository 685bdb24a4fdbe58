//! Text helpers for messages.

pub use algkit_afalg::service::visible;
use std::io;

/// Formats a count: `1 byte`, `2 bytes`.
pub fn count(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// The operating system's words for an error, without Rust's `(os error N)`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[31m\n\u{7}\u{9b}é\u{202e}"), "a\\u{1b}[31m\\n\\u{7}\\u{9b}é\\u{202e}");
    }

    #[test]
    fn one_thing_and_several() {
        assert_eq!([0, 1, 2].map(|n| count(n, "byte")), ["0 bytes", "1 byte", "2 bytes"]);
    }
}
