//! LUKS2 reencryption: the data gets another key or cipher where it lies, zone by zone, and a loss of power at any time loses no byte.
//!
//! # The order of what is written
//!
//! Every step is on the disk before the next begins. To begin:
//!
//! 1. the areas of the new key slots, in places that the header does not name;
//! 2. the header: new key slots, old and new segments, and the requirement that keeps other programs off.
//!
//! For each zone, which is called hot while it is written:
//!
//! 1. what saves the zone, in the area of the reencryption's key slot: a copy of the old bytes (journal) or a checksum of each block of
//!    them (checksum). The header says that no zone is hot, so nobody reads the area;
//! 2. the header: the zone is hot. Both of its copies;
//! 3. the zone's new bytes;
//! 4. the header: the zone is done.
//!
//! At the end, in the place of the last step 4:
//!
//! 1. the header: one segment, no requirement, no key slot of the old key or of the reencryption, and a token that lists their areas;
//! 2. these areas are overwritten;
//! 3. the header without the token.
//!
//! If that is cut off, the next reencryption begins with what is left of it ([`sweep`]).
//!
//! # After a failure
//!
//! If no zone is hot, the header says which bytes are old and which are new. If a zone is hot, any of its blocks may be old or new, and a block may be
//! torn. With a journal, all of the zone is written again, from the old bytes in the area. With checksums, a block that matches its checksum is
//! old, and one that does so when it is made old again is new. A block is as long as the larger of the old and the new sector. The disk has to write it as a
//! whole or not at all: any other block is torn, and nothing is written then ([`Error::TornBlocks`]). Recovery writes only the zone's new bytes, so it may itself be cut off and repeated.
//!
//! Without resilience, nothing shows which blocks are new. The zone is marked as hot all the same, so that the failure is noticed.
//!
//! # Trust
//!
//! Whoever can write to the disk could mark an encrypted volume as half decrypted, so that its owner decrypts the rest (CVE-2021-4122). So a digest
//! covers what the reencryption does and both keys of the volume. The digest is checked before anything is written.

mod end;
mod open;
mod run;
mod seal;
mod shift;
mod start;
mod zone;

pub use end::{is_left_over, sweep};
pub(crate) use open::{open, unlock};
pub use run::{Resume, resume};
pub use shift::{Interrupted, SHIFT, detach, is_detached, start_moving, start_shifted};
pub use start::{Change, Plan, Protection, start};

use crate::{Error, Key, Limits, Unlocked, luks2};
use luks2::Reencryption;

/// The keys of a volume under reencryption.
pub(crate) struct Keys<'a> {
    /// The key of the old data; none if the old data was plain, or if the key is not needed any more.
    old: Option<&'a Key>,
    /// The key of the new data; none if the new data is plain.
    new: Option<&'a Key>,
}

impl<'a> Keys<'a> {
    /// Finds out which of the keys is old and which is new, and checks the digest over the metadata.
    fn of(
        header: &luks2::Header,
        reencryption: &Reencryption,
        unlocked: &'a Unlocked,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let find = |digest: Option<u32>| -> Result<Option<&'a Key>, Error> {
            let Some(digest) = digest else { return Ok(None) };
            let digest = header.digest_numbered(digest)?;
            for key in std::iter::once(&unlocked.key).chain(&unlocked.other) {
                if digest.tells(key, limits)? {
                    return Ok(Some(key));
                }
            }
            Ok(None)
        };
        let keys = Self { old: find(reencryption.old.digest)?, new: find(reencryption.new.digest)? };
        let missing = |key: &Option<&Key>, digest: Option<u32>| digest.is_some() && key.is_none();
        if missing(&keys.new, reencryption.new.digest) {
            return Err(Error::WrongKey);
        }
        if missing(&keys.old, reencryption.old.digest) {
            // Where no old data is left, cryptsetup may have removed the old key slots already. Without the old key the digest cannot be checked, so that
            // is believed of encrypted data alone.
            return match (reencryption.is_done(), &keys.new) {
                (true, Some(_)) => Ok(keys),
                (true, None) => Err(Error::ForgedReencryption),
                (false, _) => Err(Error::WrongKey),
            };
        }
        match seal::holds(header, reencryption, &keys, limits)? {
            true => Ok(keys),
            false => Err(Error::ForgedReencryption),
        }
    }
}
