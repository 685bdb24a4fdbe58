//! The next step after an error: for unknown names the nearest one, for names of another type the command that takes them.

use crate::error::Error;
use algkit::Type;

/// The error message, with the next step if there is one.
pub fn with_suggestion(error: &Error) -> String {
    match error {
        Error::Algkit(error @ (algkit::Error::Unknown(_) | algkit::Error::BadName { .. })) => {
            format!("{} (see `algkit list`)", error.with_suggestion())
        }
        Error::Algkit(algkit::Error::TableOnly { .. }) => format!("{error} (ALGKIT_TIMING=table)"),
        Error::Algkit(algkit::Error::KeyMissing(_)) => format!("{error}: -k HEX or --key-file FILE"),
        Error::Algkit(algkit::Error::WrongType { name, found, .. }) | Error::WrongType { name, found, .. } => {
            error.to_string() + &that_takes(*found, name)
        }
        _ => error.to_string(),
    }
}

/// How an algorithm of this type is used, to follow a message.
fn that_takes(kind: Type, name: &str) -> String {
    match kind {
        Type::Skcipher | Type::Aead => format!("; it encrypts: algkit enc -c '{name}'"),
        Type::Hash => format!("; it digests: algkit dgst -c '{name}'"),
        Type::Cipher => format!("; a block cipher takes a mode, such as 'ctr({name})'"),
        _ => String::new(),
    }
}
