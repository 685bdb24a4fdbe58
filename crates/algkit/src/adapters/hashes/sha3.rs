//! SHA-3 and Keccak.

use super::{Variant, variants};
use crate::driver::{Jobs, MAX_JOBS};
use algkit_primitives::{
    cpu::Token,
    hash::{Hash, Job, Reader, Writer},
    keccak::{Keccak, Permute},
};

variants! {
    VSha3224<Permute>: Keccak<T>, |token, _| Keccak::sha3_224(token);
    VSha3256<Permute>: Keccak<T>, |token, _| Keccak::sha3_256(token);
    VSha3384<Permute>: Keccak<T>, |token, _| Keccak::sha3_384(token);
    VSha3512<Permute>: Keccak<T>, |token, _| Keccak::sha3_512(token);
    VKeccak<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 168, 0x01, 64));
    VKeccak224<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 144, 0x01, 28));
    VKeccak256<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 136, 0x01, 32));
    VKeccak384<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 104, 0x01, 48));
    VKeccak512<Permute>: Extendable<T>, |token, _| Extendable(Keccak::new(token, 72, 0x01, 64));
}

/// A sponge that fills the caller's output buffer, whatever its length.
#[derive(Clone)]
pub(crate) struct Extendable<T: Permute>(Keccak<T>);

impl<T: Permute> Hash for Extendable<T> {
    const LANES: usize = Keccak::<T>::LANES;

    fn digest_size(&self) -> usize {
        self.0.digest_size()
    }

    fn update(&mut self, data: &[u8]) {
        Hash::update(&mut self.0, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.0.set_output_len(out.len());
        Hash::finish(&mut self.0, out);
    }

    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        Hash::squeeze(&mut self.0, out)
    }

    fn digest_batch_after(jobs: &mut [Job<'_, Self>]) {
        for jobs in jobs.chunks_mut(MAX_JOBS) {
            let mut sponges = Jobs::new();
            sponges.extend(jobs.iter_mut().map(|Job { state, parts, out }| Job { state: &state.0, parts, out }));
            Keccak::digest_batch_after(&mut sponges);
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.0.export(to);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.0.import(from)
    }
}
