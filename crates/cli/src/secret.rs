//! Keys from the command line and from files.

use crate::error::Error;
use clap::Args;
use std::{
    convert::Infallible,
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    str::FromStr,
};
use zeroize::Zeroizing;

/// The maximum size of a key file in bytes. No algorithm uses more.
const MAX_KEY_FILE: u64 = 64 << 10;

/// Text that is never displayed. Parsing cannot fail, so no parser error can contain it.
#[derive(Clone)]
pub struct Hidden(Zeroizing<String>);

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(Zeroizing::new(text.to_owned())))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}

impl Hidden {
    /// The bytes of the text.
    pub fn text(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.0.as_bytes().to_owned())
    }

    /// Decodes the text as hex digits.
    pub fn bytes(&self, option: &'static str) -> Result<Zeroizing<Vec<u8>>, Error> {
        decode_hex(option, &self.0).map(Zeroizing::new)
    }
}

/// The source of a key.
#[derive(Args, Debug)]
pub struct KeyArgs {
    /// The key, in hex (other users may see it in the list of processes: prefer --key-file)
    #[arg(short = 'k', long = "key", value_name = "HEX", conflicts_with = "key_file")]
    key: Option<Hidden>,
    /// A file that holds the key: its raw bytes and nothing else
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The file that holds the key, if one was given.
    pub fn file(&self) -> Option<&PathBuf> {
        self.key_file.as_ref()
    }

    /// Reads the key, if one was given.
    pub fn read(&self) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        match (&self.key, &self.key_file) {
            (Some(hex), _) => hex.bytes("--key").map(Some),
            (None, Some(path)) => read_key_file(path).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// Reads a key file.
pub fn read_key_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    // The buffer never grows, so no unwiped copy of a part is left behind.
    let mut key = Zeroizing::new(Vec::with_capacity(MAX_KEY_FILE as usize + 1));
    File::open(path)
        .and_then(|file| file.take(MAX_KEY_FILE + 1).read_to_end(&mut key))
        .map_err(|source| Error::Read { name: format!("key file `{}`", path.display()), source })?;
    if key.len() as u64 > MAX_KEY_FILE {
        return Err(Error::option("--key-file", format!("`{}` is longer than {MAX_KEY_FILE} bytes", path.display())));
    }
    Ok(key)
}

/// Decodes hex digits. Errors give the position but not the digits, which may be part of a key.
pub fn decode_hex(option: &'static str, text: &str) -> Result<Vec<u8>, Error> {
    hex::decode(text).map_err(|error| {
        let reason = match error {
            hex::FromHexError::InvalidHexCharacter { index, .. } => {
                format!("character {} is not a hex digit", index + 1)
            }
            _ => format!("an odd number of hex digits ({})", text.len()),
        };
        Error::option(option, reason)
    })
}
