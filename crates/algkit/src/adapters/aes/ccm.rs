//! CCM, CBC-MAC and CTR in one pass.

use crate::{
    Text,
    adapters::Make,
    driver::{AeadJob, AeadOps, BadKey, Direction, Instances, Jobs, MAX_JOBS, Refusal, WeakKeys, put},
    tag,
    templates::{
        ccm,
        mac::{InProgress, Last},
    },
};
use algkit_primitives::{
    InOut,
    aes::{AesKey, CcmJob, ccm_batch},
    hash::Hash,
    simd::{AesToken, Blocks},
};
use zeroize::optimization_barrier;

/// CCM with CBC-MAC and CTR in one pass.
pub(crate) struct FusedCcm<T: AesToken>(InProgress<AesKey<T>>);

impl<T: AesToken> FusedCcm<T> {
    fn pass(&self, direction: Direction, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag_len: usize) -> [u8; 16] {
        let key = &self.0.keyed().0;
        let assoc_len = assoc.iter().map(|a| a.len()).sum();
        let prefix = ccm::Prefix::new(iv, assoc_len, text.len(), tag_len);
        let mut mac = [0; 16];
        if let Some(blocks) = prefix.gather(assoc, &mut [0; ccm::START]) {
            key.cbc_mac(&mut mac, blocks);
        } else {
            let mut start = self.0.clone();
            prefix.pieces(assoc).for_each(|piece| Hash::update(&mut start, piece));
            Hash::finish(&mut start, &mut mac);
        }
        let (mut counter, mut mask) = (prefix.counter, [0; 16]);
        key.ctr(&mut counter, InOut::from(&mut mask[..]));
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => key.ccm_encrypt(&mut counter, &mut mac, run),
                Direction::Decrypt => key.ccm_decrypt(&mut counter, &mut mac, run),
            }
        }
        let full = std::array::from_fn(|i| mac[i] ^ mask[i]);
        // One 16-byte store each, unlike `Zeroize`, as in `tag::matches`.
        (mac, mask) = ([0; 16], [0; 16]);
        optimization_barrier(&mac);
        optimization_barrier(&mask);
        full
    }
}

impl<T: AesToken> Make for FusedCcm<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(InProgress::new(AesKey::make(token, key, weak)?, Last::ZeroPad)))
    }
}

impl<T: AesToken> AeadOps for FusedCcm<T> {
    fn check(&self, iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        ccm::check(iv, text_len)
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.0.chain_mut().is_some_and(|aes| aes.set(key))
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = self.pass(Direction::Encrypt, iv, assoc, text, tag.len());
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = self.pass(Direction::Decrypt, iv, assoc, text, tag.len());
        tag::matches(&mut full, tag)
    }

    fn lanes(&self) -> usize {
        8 * T::V::BLOCKS
    }

    /// Uses lanes, except for messages with long associated data.
    fn crypt_batch(&self, direction: Direction, jobs: &mut [AeadJob<'_>]) {
        for jobs in jobs.chunks_mut(MAX_JOBS) {
            let (mut starts, mut lanes, mut tags) = (Jobs::new(), Jobs::new(), Jobs::new());
            starts.extend(jobs.iter().map(|_| [0; ccm::START]));
            let mut instances = Instances::<Self>::new();
            for (job, start) in jobs.iter_mut().zip(&mut starts) {
                // What the IV of another driver's message means is not known.
                let own = instances.find(job.ops);
                let start = own.and_then(|_| ccm::start(start, job));
                let (Some(ccm), Some((prefix, counter))) = (own, start) else {
                    job.run();
                    continue;
                };
                let (data, tag) = job.split();
                put(&mut lanes, CcmJob { key: &ccm.0.keyed().0, prefix, counter, data, tag: [0; 16] });
                put(&mut tags, tag);
            }
            match direction {
                Direction::Encrypt => ccm_batch::<T, true>(&mut lanes),
                Direction::Decrypt => ccm_batch::<T, false>(&mut lanes),
            }
            lanes.iter_mut().zip(&mut tags).for_each(|(lane, tag)| tag.finish(&mut lane.tag));
        }
    }
}
