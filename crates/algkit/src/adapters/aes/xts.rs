//! XTS, fused with AES instructions.

use super::{block16, same16};
use crate::{
    Text,
    adapters::Make,
    driver::{BadKey, Direction, MAX_JOBS, SkcipherJob, SkcipherOps, WeakKeys},
    templates::xts::check_halves,
};
use algkit_primitives::{InOut, aes::XtsKey, simd::AesToken};
use std::ptr;

impl<T: AesToken> SkcipherOps for XtsKey<T> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut tweak = self.tweak(block16(iv));
        while let Some(run) = text.next(16, 32) {
            match direction {
                Direction::Encrypt => self.encrypt(&mut tweak, run),
                Direction::Decrypt => self.decrypt(&mut tweak, run),
            }
        }
    }

    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.crypt_once(direction, iv, run);
    }

    fn crypt_once(&self, direction: Direction, iv: &[u8], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.encrypt_unit(same16(iv), run),
            Direction::Decrypt => self.decrypt_unit(same16(iv), run),
        }
    }

    /// Computes the tweaks of all units with this key together.
    fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        for jobs in jobs.chunks_mut(MAX_JOBS) {
            let mut tweaks = [[0; 16]; MAX_JOBS];
            let tweaks = &mut tweaks[..jobs.len()];
            let own = |job: &SkcipherJob<'_>| ptr::addr_eq(job.ops, self);
            for (tweak, job) in tweaks.iter_mut().zip(&*jobs).filter(|(_, job)| own(job)) {
                *tweak = *same16(job.iv);
            }
            self.tweaks(tweaks);
            for (job, tweak) in jobs.iter_mut().zip(tweaks) {
                match direction {
                    _ if !own(job) => job.run(direction),
                    Direction::Encrypt => self.encrypt(tweak, job.text.reborrow()),
                    Direction::Decrypt => self.decrypt(tweak, job.text.reborrow()),
                }
            }
        }
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        check_halves(key, weak).is_ok() && self.set(key)
    }
}

impl<T: AesToken> Make for XtsKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Self::boxed(token, key, weak).map(|new| *new)
    }

    fn boxed(token: T, key: &[u8], weak: WeakKeys) -> Result<Box<Self>, BadKey> {
        check_halves(key, weak)?;
        Self::new_in(token, key, Box::new, |new| new).ok_or(BadKey("an XTS key has 32, 48 or 64 bytes"))
    }
}
