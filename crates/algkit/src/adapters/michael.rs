//! Michael, the message integrity code of TKIP (IEEE 802.11).

use super::Make;
use crate::driver::{BadKey, Fresh, WeakKeys};
use algkit_primitives::{cpu::Portable, michael::Michael};

/// A keyed Michael, which has one driver only.
pub(crate) type MichaelMic = Fresh<Michael>;

impl Make for MichaelMic {
    type Token = Portable;

    fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        let key = key.try_into().map_err(|_| BadKey("a key of Michael has 8 bytes"))?;
        Ok(Self(Michael::new(key)))
    }
}
