//! Errors. Each names the value that was wrong.

use std::io;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The storage cannot be read.
    #[error("cannot read {len} bytes at byte {offset}: {source}")]
    Read {
        /// The first byte of the range.
        offset: u64,
        /// The length of the range in bytes.
        len: usize,
        /// The storage's reason.
        source: io::Error,
    },
    /// The storage cannot be written.
    #[error("cannot write {len} bytes at byte {offset}: {source}")]
    Write {
        /// The first byte of the range.
        offset: u64,
        /// The length of the range in bytes.
        len: usize,
        /// The storage's reason.
        source: io::Error,
    },
    /// The storage fails otherwise: its size cannot be read, or it cannot be synced.
    #[error("{what}: {source}")]
    Storage {
        /// What failed.
        what: &'static str,
        /// The storage's reason.
        source: io::Error,
    },
    /// The crate `algkit` refuses a cipher, a hash or a key.
    #[error(transparent)]
    Algkit(#[from] algkit::Error),
    /// A cipher string that is malformed, or that algkit refuses to use.
    #[error("cipher `{spec}`: {reason}")]
    CipherSpec {
        /// The cipher string.
        spec: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The storage does not begin with a header that algkit knows.
    #[error("no LUKS header")]
    NoHeader,
    /// The storage is a volume of another kind.
    #[error("a {0} volume, which is not supported")]
    OtherKind(&'static str),
    /// A header, or a part of it, breaks a rule of its format.
    #[error("{part}: {reason}")]
    Damaged {
        /// The part.
        part: String,
        /// How the rule is broken.
        reason: String,
    },
    /// Something else has taken the place of the volume, of which the second copy of the header is left. Whoever made it need not know that.
    #[error(
        "{0} has taken the place of the LUKS2 volume, of which the second copy of the header is left; nothing is written. `volume read` reads \
         that volume, and `volume repair` puts its header back over what is there now"
    )]
    Replaced(&'static str),
    /// The header on the storage is not the one that was read: another program has changed it since, or writing it has failed.
    #[error("the header was changed after it was read; read it again")]
    Changed,
    /// The volume needs something that algkit does not support.
    #[error("{what} is not supported")]
    Unsupported {
        /// What it needs.
        what: String,
    },
    /// The header asks for more memory or time than the caller's [`Limits`](crate::Limits) allow.
    #[error("key slot asks for {asked} {what}; the limit is {limit}")]
    Limit {
        /// What is limited, with its unit.
        what: &'static str,
        /// What the header asks for.
        asked: u64,
        /// The limit.
        limit: u64,
    },
    /// The volume is under reencryption, which has to be finished first.
    #[error("the volume is under reencryption; finish it with `reencrypt --resume-only` first")]
    Reencrypting,
    /// The volume is not under reencryption.
    #[error("the volume is not under reencryption")]
    NotReencrypting,
    /// A reencryption without resilience was cut off while it wrote a zone.
    #[error(
        "the {len} bytes from byte {offset} on were being rewritten without resilience, and which of them are new is not known; \
         `reencrypt --resume-only --resilience none` goes on and takes all of them as new"
    )]
    Torn {
        /// Where the zone begins in the plaintext.
        offset: u64,
        /// The length of the zone in bytes.
        len: u64,
    },
    /// A reencryption with checksums was cut off while it wrote a zone, and blocks of that zone are neither old nor new.
    #[error(
        "{blocks} blocks in the {len} bytes from byte {offset} on are neither old nor new: the disk tore them, or somebody wrote there while they were \
         being rewritten; `reencrypt --resume-only --resilience none` goes on and loses them"
    )]
    TornBlocks {
        /// Where the first of them begins in the plaintext.
        offset: u64,
        /// The number of bytes from there to the end of the last one.
        len: u64,
        /// The number of blocks.
        blocks: u64,
    },
    /// The metadata of a reencryption was changed by somebody who does not know the keys.
    #[error("the metadata of the reencryption is not what was written when it began: it was damaged or forged")]
    ForgedReencryption,
    /// No key slot opens with the passphrase.
    #[error("no key slot opens with this passphrase")]
    WrongPassphrase,
    /// No combination of a hash and ciphers decrypts the header with the passphrase.
    #[error("no TrueCrypt or VeraCrypt volume opens with this passphrase{}", but_for(.untried))]
    NoCombination {
        /// Ciphers that TrueCrypt has and algkit does not.
        untried: String,
    },
    /// A passphrase opens one of the two keys of a volume under reencryption.
    #[error(
        "the volume is under reencryption, and this passphrase opens one of its two keys only; take one that opens both"
    )]
    OneKey,
    /// The key is not the volume's.
    #[error("this is not the key of the volume")]
    WrongKey,
    /// The key slot is not in use.
    #[error("key slot {0} is not in use")]
    NoSlot(u32),
    /// The key slot that was asked for is in use; or, if none was asked for, all of them are.
    #[error("{}", no_free_slot(*.asked, *.slots))]
    NoFreeSlot {
        /// The key slot that was asked for.
        asked: Option<u32>,
        /// The number of key slots.
        slots: usize,
    },
    /// No gap between the areas of key slots is large enough for another area.
    #[error("no room for a key slot of {size} bytes; remove one first")]
    NoRoom {
        /// The length of the area in bytes.
        size: u64,
    },
    /// The key slot is the only one that opens the volume.
    #[error("key slot {0} is the last one; without it nothing opens the volume")]
    LastSlot(u32),
    /// The tag of a sector is wrong: the sector is damaged, or was changed.
    #[error("sector {sector}: its tag is wrong, so it is damaged or was changed")]
    Integrity {
        /// The number of the sector, in units of 512 bytes.
        sector: u64,
    },
    /// A request reaches beyond the end of the volume.
    #[error("{len} bytes from byte {offset} on: the volume has {size}")]
    Range {
        /// Where the request begins.
        offset: u64,
        /// The length of the request in bytes.
        len: usize,
        /// The length of the volume in bytes.
        size: u64,
    },
}

fn but_for(names: &str) -> String {
    if names.is_empty() { String::new() } else { format!("; not supported, so not tried: {names}") }
}

/// Why no key slot is free, and what the user can do.
fn no_free_slot(asked: Option<u32>, slots: usize) -> String {
    match asked {
        Some(asked) if asked as usize >= slots => {
            format!("there is no key slot {asked}; the last one is {}", slots - 1)
        }
        Some(asked) => format!("key slot {asked} is in use; remove it first, or take another"),
        None => format!("all {slots} key slots are in use; remove one first"),
    }
}

impl Error {
    /// The error that `part` breaks a rule.
    pub(crate) fn damaged(part: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Damaged { part: part.into(), reason: reason.into() }
    }

    /// Whether something could not be written because the storage has no room left, which clients are told by an error
    /// number of its own (ENOSPC).
    pub fn is_storage_full(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }
}
