//! XTS (IEEE 1619, SP 800-38E), for storage: block j of a data unit is encrypted with the tweak
//! T x^j, where T is the encryption of the unit's number under a second key.
//!
//! [`AesVector::mul_x`] explains the field. Within a batch no tweak depends on its neighbour: all are computed from the
//! first block's, block i of vector v by a factor of x^(i + v BLOCKS). From batch to batch each tweak is multiplied by
//! x^(8 BLOCKS), which is a shift by BLOCKS bytes and a short product, beside the rounds. The last batch skips that. A
//! sector of 512 bytes is one batch.
//!
//! # Ciphertext stealing
//!
//! A unit of m whole blocks and r more bytes, r < 16, is encrypted as if it were one block longer. The last whole block
//! is encrypted to CC. The short block is completed with the end of CC and encrypted to the last whole ciphertext
//! block. The first r bytes of CC are the short ciphertext block. Decryption meets the two in the other order, and so
//! uses the later tweak first.

use super::{
    AesKey, RoundKeys,
    ecb::ecb,
    key::expanded_in_place,
    pass::{BATCH, SHORT, load, store},
    rounds::{OneBlock, Schedule, WideKeys, beside_rounds, expand},
};
use crate::{
    InOut,
    cpu::Token,
    simd::{AesToken, AesVector, Blocks, each},
};

/// Values that stay the same from batch to batch.
struct Steady<V> {
    /// The xor of the first and the last round key, because tweaks carry the last one.
    first: V,
    /// The constant k + n(k) that is added when tweaks advance by the linear map n, because tweaks carry the last round
    /// key k.
    step: V,
}

struct Xts<'a, T: AesToken, const ENC: bool> {
    keys: Schedule<'a, T::V>,
    /// The same keys as `keys`, on one-block vectors.
    narrow: Schedule<'a, OneBlock<T>>,
    /// The tweak of the next block, in every lane.
    tweak: T::V,
}

impl<T: AesToken, const ENC: bool> Xts<'_, T, ENC> {
    /// Transforms the whole blocks of `data`, which are less than a batch.
    #[inline(always)]
    fn tail(&mut self, mut data: InOut<'_>) {
        self.vectors::<4>(&mut data);
        self.vectors::<2>(&mut data);
        self.vectors::<1>(&mut data);
        if T::V::BLOCKS > 1 && !data.is_empty() {
            let tweaks = self.tweaks::<1>();
            self.tweak = self.tweak.mul_x(data.len() / 16);
            self.batch::<1, false>(data, tweaks);
        }
    }

    /// Whether tweaks carry the last round key from batch to batch, so that the last round adds both to its result. The
    /// next tweaks are a linear function n of these, so n(t + last) and a constant give n(t) + last. On Zen 4, a round
    /// of 512 bits leaves one slot a vector to other operations; there, this and [`WideKeys`] took AES-128 from 0.90 to
    /// 0.97 of the speed of AES alone. With 256 bits it saves 2 to 5 %. With one block to a vector it costs 4 % under
    /// AES-128.
    const CARRY: bool = T::V::BLOCKS > 1;

    /// Transforms all batches but the last, beginning with the given tweaks. Leaves the tweaks of the last batch.
    #[inline(always)]
    fn all_but_one(&mut self, data: &mut InOut<'_>, tweaks: &mut [T::V; BATCH]) {
        let token = self.keys.token;
        let mut wide = WideKeys::new(&self.keys);
        let mut steady = Steady { first: self.keys.first, step: T::V::zero(token) };
        if Self::CARRY {
            let last = self.keys.last;
            steady =
                Steady { first: steady.first.xor(last), step: last.xor(T::V::next_tweaks(&[last; BATCH], last, 0)) };
            *tweaks = each(*tweaks, |t| t.xor(last));
        }
        while data.len() >= 2 * BATCH * T::V::BYTES
            && let Some(batch) = data.take(BATCH * T::V::BYTES)
        {
            *tweaks = self.steady(self.keys_anew(&wide), &steady, batch, *tweaks);
        }
        if Self::CARRY {
            *tweaks = each(*tweaks, |t| t.xor(self.keys.last));
        }
        if T::V::BLOCKS > 1 {
            wide.wipe(token);
        }
    }

    /// The schedule for one batch, whose keys are read from memory again: no width has registers for them beside eight
    /// blocks and their tweaks.
    ///
    /// With 256 bits, too, they are read at full width: whole vectors on the stack make the compiler align it, and with
    /// it the tweaks that it keeps there. Half of all stacks would otherwise be misaligned, and a spilled vector would
    /// straddle two cache lines: 16 KiB took 1161 ns there instead of 891.
    #[inline(always)]
    fn keys_anew<'b>(&'b self, wide: &'b WideKeys<T::V>) -> Schedule<'b, T::V> {
        if T::V::BLOCKS > 1 {
            return self.keys.widened(wide);
        }
        let mut keys = self.keys;
        keys.reread();
        keys
    }

    /// Transforms a batch and computes the tweaks of the next. See [`Xts::CARRY`].
    #[inline(always)]
    fn steady(
        &self,
        keys: Schedule<'_, T::V>,
        steady: &Steady<T::V>,
        mut data: InOut<'_>,
        tweaks: [T::V; BATCH],
    ) -> [T::V; BATCH] {
        let mut blocks = tweaks;
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = b.xor(load::<T::V, true>(keys.token, &data, i));
        }
        let mut next = tweaks;
        beside_rounds!(
            keys,
            ENC,
            BATCH,
            steady.first,
            blocks,
            next[i] = {
                let before = if i == 0 { tweaks[BATCH - 1] } else { next[i - 1] };
                let after = T::V::next_tweaks(&tweaks, before, i);
                if Self::CARRY { after.xor(steady.step) } else { after }
            }
        );
        for i in 0..BATCH {
            let out = match Self::CARRY {
                true => keys.finish::<ENC>(blocks[i], tweaks[i]),
                false => keys.finish::<ENC>(blocks[i], keys.last).xor(tweaks[i]),
            };
            store::<T::V, true>(out, &mut data, i);
        }
        next
    }

    /// Transforms `N` vectors, if `data` has that many.
    #[inline(always)]
    fn vectors<const N: usize>(&mut self, data: &mut InOut<'_>) {
        if let Some(batch) = data.take(N * T::V::BYTES) {
            let tweaks = self.tweaks::<N>();
            self.tweak = self.tweak.mul_x(N * T::V::BLOCKS);
            self.batch::<N, true>(batch, tweaks);
        }
    }

    /// The tweaks of the next `N` vectors. Those below x^8 are computed from the first block's tweak, and the others
    /// from these by whole bytes, which takes fewer shifts. The whole unit waits for them at its beginning.
    #[inline(always)]
    fn tweaks<const N: usize>(&self) -> [T::V; N] {
        let mut tweaks = [self.tweak; N];
        for i in 0..N {
            let n = i * T::V::BLOCKS;
            tweaks[i] = if n < 8 { self.tweak.mul_x_ramp(n) } else { tweaks[n % 8 / T::V::BLOCKS].mul_x_bytes(n / 8) };
        }
        tweaks
    }

    /// Transforms `N` whole vectors (`WHOLE`), or one that is partly filled.
    #[inline(always)]
    fn batch<const N: usize, const WHOLE: bool>(&self, mut data: InOut<'_>, tweaks: [T::V; N]) {
        let mut blocks = tweaks;
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = b.xor(load::<T::V, WHOLE>(self.keys.token, &data, i));
        }
        self.keys.rounds::<ENC, N>(&mut blocks, self.keys.first);
        for i in 0..N {
            let last = self.keys.last.xor(tweaks[i]);
            store::<T::V, WHOLE>(self.keys.finish::<ENC>(blocks[i], last), &mut data, i);
        }
    }

    /// Transforms a unit: whole blocks, and a rest by ciphertext stealing.
    ///
    /// The two blocks at the end of a unit depend on each other. Of the instructions that are ready, the CPU begins
    /// those first that come first in the program. So the first of the two blocks goes before the last batch, whose
    /// rounds would otherwise leave no AES unit free. The second goes last, beside the chain that computes the next
    /// unit's tweak. 1350 bytes take 95 ns; with both blocks after the last batch they took 125.
    #[inline(always)]
    fn unit(&mut self, mut data: InOut<'_>) {
        let extra = data.len() % 16;
        let stolen = if extra == 0 { 0 } else { 16 + extra };
        assert!(data.len() >= stolen, "XTS needs a whole block to steal from");
        let Some(mut whole) = data.take(data.len() - stolen) else { return };
        let mut tweaks = [self.tweak; BATCH];
        let batch = whole.len() >= BATCH * T::V::BYTES;
        if batch {
            tweaks = self.tweaks::<BATCH>();
            if whole.len() >= 2 * BATCH * T::V::BYTES {
                self.all_but_one(&mut whole, &mut tweaks);
            }
            self.tweak = tweaks[0].splat_first().mul_x(BATCH * T::V::BLOCKS);
        }
        let last = if batch { whole.take(BATCH * T::V::BYTES) } else { None };
        let cc = if stolen > 0 { Some(self.first_stolen(&data, self.tweak.mul_x(whole.len() / 16))) } else { None };
        if let Some(last) = last {
            self.batch::<BATCH, true>(last, tweaks);
        }
        self.tail(whole);
        if let Some(cc) = cc {
            self.steal(data, cc);
        }
    }

    /// The first result CC of ciphertext stealing, from the last whole block and its tweak, and the tweak of the other
    /// block.
    #[inline(always)]
    fn first_stolen(&self, data: &InOut<'_>, tweak: T::V) -> (T::V, OneBlock<T>) {
        let tweaks = each([tweak, tweak.mul_x(1)], |tweak| OneBlock::<T>::splat(self.narrow.token, &tweak.first()));
        let [tweak, next] = if ENC { tweaks } else { [tweaks[1], tweaks[0]] };
        let cc = self.block(OneBlock::<T>::load(self.narrow.token, data.src()), tweak);
        (T::V::splat(self.keys.token, &cc.first()), next)
    }

    /// Finishes a unit, of which one whole block and a shorter one are left, with `cc` and the other tweak from
    /// [`Self::first_stolen`].
    #[inline(always)]
    fn steal(&self, mut data: InOut<'_>, (cc, tweak): (T::V, OneBlock<T>)) {
        let joined = cc.overlaid(self.keys.token, &data.src()[16..]);
        let joined = OneBlock::<T>::splat(self.narrow.token, &joined.first());
        self.block(joined, tweak).store(data.dst());
        cc.store_partial(&mut data.dst()[16..]);
    }

    #[inline(always)]
    fn block(&self, block: OneBlock<T>, tweak: OneBlock<T>) -> OneBlock<T> {
        let mut blocks = [tweak.xor(block)];
        self.narrow.crypt::<ENC, 1>(&mut blocks);
        blocks[0].xor(tweak)
    }
}

/// An XTS key: one AES key for the data, another of the same length for the tweaks. The caller checks whether they
/// differ, if SP 800-38E or FIPS 140 demand it.
#[derive(Clone)]
pub struct XtsKey<T> {
    data: AesKey<T>,
    tweak: RoundKeys,
}

impl<T: AesToken> XtsKey<T> {
    expanded_in_place!("32, 48 or 64");

    /// A place for a key. It would encrypt with round keys of zeros, so the function is not public.
    #[inline(always)]
    pub(crate) fn unset(token: T) -> Self {
        Self { data: AesKey::unset(token), tweak: RoundKeys::unset() }
    }

    /// Expands a key in place of the previous one, as [`XtsKey::new`]; returns whether `key` has a valid length.
    #[must_use]
    pub fn set(&mut self, key: &[u8]) -> bool {
        let (data, tweak) = key.split_at(key.len() / 2);
        data.len() == tweak.len() && self.data.set(data) && expand(self.data.token, &mut self.tweak, tweak)
    }

    /// The first tweak of the data unit `iv`.
    #[must_use]
    pub fn tweak(&self, iv: &[u8; 16]) -> [u8; 16] {
        let token = self.data.token.narrow();
        token.vectorize(
            #[inline(always)]
            || Schedule::<OneBlock<T>>::new(token, &self.tweak).crypt_one::<true>(iv),
        )
    }

    /// Replaces the numbers of data units by their first tweaks, side by side. One by itself is a chain of rounds, which takes as long as a batch of the
    /// text.
    pub fn tweaks(&self, ivs: &mut [[u8; 16]]) {
        ecb::<T, true>(self.data.token, &self.tweak, InOut::from(ivs.as_flattened_mut()));
    }

    /// Encrypts whole blocks, beginning with `tweak`, and advances `tweak` by them, so that a unit can be processed in
    /// parts. A last part of at least one whole block and some bytes ends the unit by ciphertext stealing; `tweak` is
    /// of no further use then.
    ///
    /// # Panics
    /// If `data` has between 1 and 15 bytes.
    pub fn encrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        *tweak = self.crypt_from::<true>(&self.data.enc, None, tweak, data);
    }

    /// Decrypts; `tweak` and `data` as for [`XtsKey::encrypt`].
    ///
    /// # Panics
    /// If `data` has between 1 and 15 bytes.
    pub fn decrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        match self.data.dec.made() {
            Some(dec) => *tweak = self.crypt_from::<false>(dec, None, tweak, data),
            None => self.inverted(|key| key.decrypt(tweak, data)),
        }
    }

    /// Encrypts the whole data unit `iv`: [`XtsKey::tweak`] and [`XtsKey::encrypt`] in one.
    ///
    /// # Panics
    /// If `data` has between 1 and 15 bytes.
    pub fn encrypt_unit(&self, iv: &[u8; 16], data: InOut<'_>) {
        self.crypt_from::<true>(&self.data.enc, Some(&self.tweak), iv, data);
    }

    /// Decrypts the whole data unit `iv`.
    ///
    /// # Panics
    /// If `data` has between 1 and 15 bytes.
    pub fn decrypt_unit(&self, iv: &[u8; 16], data: InOut<'_>) {
        match self.data.dec.made() {
            Some(dec) => _ = self.crypt_from::<false>(dec, Some(&self.tweak), iv, data),
            None => self.inverted(|key| key.decrypt_unit(iv, data)),
        }
    }

    /// Calls `body` with a key that can decrypt: this one, or a copy if another thread is at work on its inverse
    /// schedule.
    #[cold]
    #[inline(never)]
    fn inverted(&self, body: impl FnOnce(&Self)) {
        if self.data.invert() { body(self) } else { body(&self.clone()) }
    }

    /// Encrypts or decrypts. `start` is the tweak, or with `tweak_keys` the IV that these encrypt to the tweak. Both
    /// cases share one kernel, as two would take twice the code.
    #[inline(always)]
    fn crypt_from<const ENC: bool>(
        &self,
        keys: &RoundKeys,
        tweak_keys: Option<&RoundKeys>,
        start: &[u8; 16],
        data: InOut<'_>,
    ) -> [u8; 16] {
        let token = self.data.token;
        if data.len() <= SHORT {
            run::<T::Narrow, ENC>(token.narrow(), keys, tweak_keys, start, data)
        } else {
            run::<T, ENC>(token, keys, tweak_keys, start, data)
        }
    }
}

/// The kernel. It returns the tweak of the block after `data`, even where the caller drops it: otherwise the compiler
/// would make a second kernel.
#[inline(always)]
fn run<T: AesToken, const ENC: bool>(
    token: T,
    keys: &RoundKeys,
    tweak_keys: Option<&RoundKeys>,
    start: &[u8; 16],
    data: InOut<'_>,
) -> [u8; 16] {
    token.vectorize_with(
        (keys, tweak_keys),
        start,
        data,
        #[inline(always)]
        move |(keys, tweak_keys), start, data| {
            let mut tweak = [Blocks::splat(token, start)];
            if let Some(tweak_keys) = tweak_keys {
                Schedule::<T::V>::new(token, tweak_keys).crypt::<true, 1>(&mut tweak);
            }
            let (keys, narrow) = (Schedule::new(token, keys), Schedule::new(token.narrow(), keys));
            let mut xts = Xts::<T, ENC> { keys, narrow, tweak: tweak[0] };
            xts.unit(data);
            xts.tweak.first()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, block, bytes, each_token, hex, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::KeyInit;
    use std::vec::Vec;

    /// IEEE 1619 annex B, vectors 1, 2 and 15.
    const IEEE: [(&str, &str, &str, &str); 3] = [
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            "00000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e",
        ),
        (
            "1111111111111111111111111111111122222222222222222222222222222222",
            "33333333330000000000000000000000",
            "4444444444444444444444444444444444444444444444444444444444444444",
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
        (
            "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
            "9a785634120000000000000000000000",
            "000102030405060708090a0b0c0d0e0f10",
            "6c1625db4671522d3d7599601de7ca09ed",
        ),
    ];

    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        for (key, iv, plain, want) in IEEE {
            let key = XtsKey::new(token, &hex::<32>(key)).unwrap();
            let (plain, want, iv) = (hex::decode(plain).unwrap(), hex::decode(want).unwrap(), hex(iv));
            assert_eq!(apply(&plain, |io| key.encrypt_unit(&iv, io)), want);
            assert_eq!(apply(&want, |io| key.decrypt_unit(&iv, io)), plain);
        }
        assert!([0, 16, 31, 33, 63, 96].iter().all(|&n| XtsKey::new(token, &bytes(0, n)).is_none()));

        for size in [16, 24, 32] {
            let raw = bytes(10, 2 * size);
            let mut key = XtsKey::new(token, &raw).unwrap();
            assert!(!key.set(&bytes(11, 2 * size + 1)), "and the key stays as it is");
            for n in lengths().filter(|n| !(1..16).contains(n)) {
                let (plain, iv) = (bytes(n as u64, n), block(n as u64 + 1));
                let mut want = plain.clone();
                if n > 0 {
                    with_aes!(size, C => {
                        let cipher = |half: &[u8]| C::new_from_slice(half).unwrap();
                        let peer = xts_mode::Xts128::new(cipher(&raw[..size]), cipher(&raw[size..]));
                        peer.encrypt_sector(&mut want, iv.into());
                    });
                }
                assert!(apply(&plain, |io| key.encrypt_unit(&iv, io)) == want, "{n} bytes");
                assert!(apply(&want, |io| key.decrypt_unit(&iv, io)) == plain, "{n} bytes");
                let cut = n / 16 / 3 * 16;
                let parts = |decrypt: bool, from: &[u8]| -> Vec<u8> {
                    apply(from, |io| {
                        let mut tweak = key.tweak(&iv);
                        let (head, tail) = io.split_at(cut);
                        if decrypt {
                            key.decrypt(&mut tweak, head)
                        } else {
                            key.encrypt(&mut tweak, head)
                        }
                        if decrypt { key.decrypt(&mut tweak, tail) } else { key.encrypt(&mut tweak, tail) }
                    })
                };
                assert!(parts(false, &plain) == want, "{n} bytes in parts");
                assert!(parts(true, &want) == plain, "{n} bytes in parts");
            }
        }
    }

    #[test]
    fn ieee_vectors_and_rustcrypto() {
        each_token!(check);
    }

    /// Multiplication by x^n, compared with the definition: n doublings of IEEE 1619 section 5.2. The product is linear
    /// in the block, so agreement on each single bit is a proof.
    fn check_field<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        for bit in 0..128 {
            let mut want = [0u128; 61];
            want[0] = 1 << bit;
            for n in 1..want.len() {
                want[n] = (want[n - 1] << 1) ^ ((want[n - 1] >> 127) * 0x87);
            }
            for i in 0..BATCH {
                let next = token.vectorize(|| {
                    let tweak = |n: usize| T::V::splat(token, &want[n * T::V::BLOCKS].to_le_bytes());
                    T::V::next_tweaks(&[0, 1, 2, 3, 4, 5, 6, 7].map(tweak), tweak(BATCH + i - 1), i).last()
                });
                assert_eq!(u128::from_le_bytes(next), want[(BATCH + i) * T::V::BLOCKS]);
            }
            for n in 1..T::V::BLOCKS {
                let by_bytes = token.vectorize(|| T::V::splat(token, &want[0].to_le_bytes()).mul_x_bytes(n).last());
                assert_eq!(u128::from_le_bytes(by_bytes), want[8 * n]);
            }
            for n in 0..=53 {
                let (one, mut ramp) = token.vectorize(|| {
                    let v = T::V::splat(token, &want[0].to_le_bytes());
                    let mut ramp = [0; 64];
                    v.mul_x_ramp(n).store(&mut ramp);
                    (v.mul_x(n).last(), ramp)
                });
                assert_eq!(u128::from_le_bytes(one), want[n]);
                for (i, b) in ramp[..T::V::BYTES].as_chunks_mut::<16>().0.iter().enumerate() {
                    assert_eq!(u128::from_le_bytes(*b), want[n + i]);
                }
            }
        }
    }

    #[test]
    fn powers_of_x() {
        each_token!(check_field);
    }
}
