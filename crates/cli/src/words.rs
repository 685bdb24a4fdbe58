//! Text helpers for messages.

use std::io;

/// Escapes control characters, including those that change the direction of text.
pub fn visible(text: &str) -> String {
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = text.chars().map(|c| match c.is_control() || turns(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    shown.collect()
}

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
