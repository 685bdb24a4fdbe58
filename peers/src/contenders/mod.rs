//! The libraries, each with what it has of the cases.

mod algkit;
#[cfg(feature = "aws-lc")]
mod aws_lc;
mod checksums;
mod graviola;
mod openssl;
mod ring;
mod rustcrypto;

use crate::{case::Case, limits};

/// Bytes behind the message, for a tag or a block.
pub const ROOM: usize = 64;

/// One call: the message, with [`ROOM`] bytes behind it, is changed in place; a tag or a digest goes to the
/// second argument.
pub type Work = Box<dyn FnMut(&mut [u8], &mut [u8; 64])>;

/// A library's way to do a case.
pub struct Contender {
    /// Whose it is.
    pub library: &'static str,
    /// The driver or the instruction.
    pub driver: String,
    /// One call.
    pub work: Work,
}

impl Contender {
    /// A contender.
    pub fn new(library: &'static str, driver: &str, work: Work) -> Self {
        Self { library, driver: driver.to_owned(), work }
    }
}

/// Makes a library's work for a case and a message size, if it has the algorithm.
type Make = fn(&Case, usize) -> Option<Work>;

/// The libraries other than algkit.
const OTHERS: &[(&str, Make)] = &[
    ("RustCrypto", rustcrypto::work),
    ("crates", checksums::work),
    ("OpenSSL", openssl::work),
    ("ring", ring::work),
    ("graviola", graviola::work),
    #[cfg(feature = "aws-lc")]
    ("AWS-LC", aws_lc::work),
];

/// The names of the others, each once, in the order of the tables.
pub const LIBRARIES: &[&str] = &["RustCrypto", "crates", "OpenSSL", "ring", "graviola", "AWS-LC"];

/// Everybody who has the algorithm: algkit first, and last the bound.
pub fn all(case: &Case, size: usize) -> Vec<Contender> {
    let others = OTHERS.iter().filter_map(|&(name, make)| Some(Contender::new(name, "", make(case, size)?)));
    [algkit::contender(case, size)].into_iter().chain(others).chain(limits::bound(case, size)).collect()
}
