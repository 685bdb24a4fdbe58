//! What is done to a transform that processes have in common.

use super::{algorithm::Algorithm, parent::MAX_OPTION};
use crate::{
    Errno,
    abi::{Address, MAX_ADDRESS},
    snapshot::{Reader, Writer},
};
use zeroize::Zeroizing;

/// What a journal takes at most: an address, two options, flags and lengths.
pub(super) const MAX_LEN: usize = MAX_ADDRESS + 2 * MAX_OPTION + 64;

/// What has been done since processes have the transform in common.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Journal {
    /// The rest was done after this.
    pub(super) address: Option<Vec<u8>>,
    pub(super) tag_len: Option<usize>,
    pub(super) entropy: Option<Zeroizing<Vec<u8>>>,
    pub(super) key: Option<Zeroizing<Vec<u8>>>,
}

impl Journal {
    pub(super) fn save(&self, to: &mut Writer<'_>) -> Option<()> {
        to.option(self.address.as_ref(), |to, address| to.bytes(address))?;
        to.option(self.tag_len, Writer::len)?;
        to.option(self.entropy.as_ref(), |to, entropy| to.bytes(entropy))?;
        to.option(self.key.as_ref(), |to, key| to.bytes(key))
    }

    pub(super) fn load(from: &mut Reader<'_>) -> Result<Self, Errno> {
        Ok(Self {
            address: from.option(|from| from.bytes(MAX_ADDRESS).map(<[u8]>::to_vec))?,
            tag_len: from.option(|from| from.len(u32::MAX as usize))?,
            entropy: from.option(|from| from.bytes(MAX_OPTION).map(|bytes| bytes.to_vec().into()))?,
            key: from.option(|from| from.bytes(MAX_OPTION).map(|bytes| bytes.to_vec().into()))?,
        })
    }

    /// Does what others have done. What they were refused, or lost by it, so is this process.
    pub(super) fn repeat(&self, former: &Self, algorithm: &mut Option<Algorithm>) {
        let nothing = Self::default();
        let mut done = former;
        if let Some(address) = self.address.as_deref().filter(|_| self != former) {
            if let Ok(fresh) = Address::parse(address).and_then(|address| Algorithm::find(&address)) {
                *algorithm = Some(fresh);
            }
            done = &nothing;
        }
        let Some(algorithm) = algorithm else { return };
        if let Some(len) = self.tag_len.filter(|_| self.tag_len != done.tag_len) {
            let _ = algorithm.set_tag_len(len);
        }
        if let Some(entropy) = self.entropy.as_ref().filter(|_| self.entropy != done.entropy) {
            let _ = algorithm.set_entropy(entropy);
        }
        if let Some(key) = self.key.as_ref().filter(|_| self.key != done.key) {
            let _ = algorithm.set_key(key);
        }
    }
}
