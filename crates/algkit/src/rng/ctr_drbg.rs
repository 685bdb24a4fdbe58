//! CTR_DRBG with a derivation function, over a cipher of 16-byte blocks (SP 800-90A Rev. 1 sections 10.2.1 and
//! 10.3.2). The state is a key and a counter V of one block.

use super::drbg::Mechanism;
use crate::{
    blockwise::xor,
    driver::{BadKey, CipherOps, Failure},
    wiped::Wiped,
};
use algkit_primitives::InOut;
use zeroize::Zeroize;

/// The block size in bytes.
const BLOCK: usize = 16;

/// The longest key plus one block, in bytes.
const MAX_SEED: usize = 32 + BLOCK;

/// The number of keystream bytes per call of the cipher.
const BATCH: usize = 512;

/// Makes a cipher instance with a key.
type Keyed = Box<dyn Fn(&[u8]) -> Result<Box<dyn CipherOps>, BadKey> + Send + Sync>;

/// The state of a CTR_DRBG.
pub(super) struct CtrDrbg {
    keyed: Keyed,
    key_len: usize,
    /// The cipher under the constant key of the derivation function.
    derivation: Box<dyn CipherOps>,
    /// The cipher under the key of the state.
    cipher: Box<dyn CipherOps>,
    v: Wiped<BLOCK>,
}

impl CtrDrbg {
    /// A CTR_DRBG that has not been instantiated yet.
    pub(super) fn new(keyed: Keyed, key_len: usize) -> Result<Self, Failure> {
        let ascending: [u8; 32] = std::array::from_fn(|i| i as u8);
        let derivation = keyed(&ascending[..key_len])?;
        if derivation.block_size() != BLOCK {
            return Err(Failure("the cipher has no blocks of 16 bytes"));
        }
        Ok(Self { cipher: keyed(&[0; 32][..key_len])?, keyed, key_len, derivation, v: Wiped::default() })
    }

    /// Fills `out` with the encryptions of the counter's next values, and advances the counter.
    fn keystream(&mut self, out: &mut [u8]) {
        let mut counter = u128::from_be_bytes(*self.v);
        let mut batch = Wiped::<BATCH>::default();
        for chunk in out.chunks_mut(BATCH) {
            let batch = &mut batch[..chunk.len().next_multiple_of(BLOCK)];
            for block in batch.as_chunks_mut::<BLOCK>().0 {
                counter = counter.wrapping_add(1);
                *block = counter.to_be_bytes();
            }
            self.cipher.encrypt_blocks(InOut::from(&mut *batch));
            chunk.copy_from_slice(&batch[..chunk.len()]);
        }
        *self.v = counter.to_be_bytes();
        counter.zeroize();
    }

    /// CTR_DRBG_Update (section 10.2.1.2). `provided` is as long as a key plus a block.
    fn update(&mut self, provided: &[u8]) -> Result<(), Failure> {
        let mut next = Wiped::<MAX_SEED>::default();
        let next = &mut next[..self.key_len + BLOCK];
        self.keystream(next);
        xor(next, provided);
        let (key, v) = next.split_at(self.key_len);
        self.cipher = (self.keyed)(key)?;
        self.v.copy_from_slice(v);
        Ok(())
    }

    /// Block_Cipher_df (section 10.3.2): derives a key and a block from `input`, of less than 2^32 bytes.
    fn derive(&self, input: &[&[u8]]) -> Result<Wiped<MAX_SEED>, Failure> {
        let seed_len = self.key_len + BLOCK;
        let input_len = input.iter().map(|piece| piece.len()).sum::<usize>() as u32;
        let lengths = [input_len, seed_len as u32].map(u32::to_be_bytes);

        let mut chained = Wiped::<MAX_SEED>::default();
        for (block, i) in chained[..seed_len.next_multiple_of(BLOCK)].chunks_mut(BLOCK).zip(0u32..) {
            let mut chain = Chain { cipher: &*self.derivation, value: Wiped::default(), filled: 0 };
            let mut start = [0; BLOCK];
            start[..4].copy_from_slice(&i.to_be_bytes());
            chain.absorb(&start);
            chain.absorb(lengths.as_flattened());
            input.iter().for_each(|piece| chain.absorb(piece));
            chain.absorb(&[0x80]);
            block.copy_from_slice(&*chain.finish());
        }
        let cipher = (self.keyed)(&chained[..self.key_len])?;
        let mut x = Wiped::<BLOCK>::default();
        x.copy_from_slice(&chained[self.key_len..seed_len]);
        let mut seed = Wiped::<MAX_SEED>::default();
        for block in seed[..seed_len].chunks_mut(BLOCK) {
            cipher.encrypt_blocks(InOut::from(&mut x[..]));
            block.copy_from_slice(&x[..block.len()]);
        }
        Ok(seed)
    }
}

/// BCC (section 10.3.3): a CBC-MAC whose last block is padded with zeros.
struct Chain<'a> {
    cipher: &'a dyn CipherOps,
    value: Wiped<BLOCK>,
    filled: usize,
}

impl Chain<'_> {
    fn absorb(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let (now, later) = data.split_at(data.len().min(BLOCK - self.filled));
            xor(&mut self.value[self.filled..], now);
            self.filled += now.len();
            if self.filled == BLOCK {
                self.encrypt();
            }
            data = later;
        }
    }

    fn encrypt(&mut self) {
        self.cipher.encrypt_blocks(InOut::from(&mut self.value[..]));
        self.filled = 0;
    }

    fn finish(mut self) -> Wiped<BLOCK> {
        if self.filled > 0 {
            self.encrypt();
        }
        self.value
    }
}

impl Mechanism for CtrDrbg {
    fn instantiate(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        let seed = self.derive(seed)?;
        self.cipher = (self.keyed)(&[0; 32][..self.key_len])?;
        self.v.fill(0);
        self.update(&*seed)
    }

    fn reseed(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        let seed = self.derive(seed)?;
        self.update(&*seed)
    }

    fn generate(&mut self, _request: u64, additional: &[&[u8]], out: &mut [u8]) -> Result<(), Failure> {
        let mut derived = Wiped::<MAX_SEED>::default();
        if additional.iter().any(|piece| !piece.is_empty()) {
            derived = self.derive(additional)?;
            self.update(&*derived)?;
        }
        self.keystream(out);
        self.update(&*derived)
    }
}

#[cfg(all(test, feature = "aes"))]
mod tests {
    use super::*;
    use hex_literal::hex;

    /// The expected blocks are AES-128 by OpenSSL.
    #[test]
    fn v_counts_with_128_bits() {
        let aes = |key: &[u8]| Ok(crate::cipher("aes").unwrap().key(key).unwrap().ops);
        let mut drbg = CtrDrbg::new(Box::new(aes), 16).unwrap();
        drbg.v.fill(0xff);
        drbg.v[15] = 0xfe;
        let mut out = [0; 40];
        drbg.keystream(&mut out);
        assert_eq!(out, hex!("3f5b8cc9ea855a0afa7347d23e8d664e66e94bd4ef8a2c3b884cfa59ca342b2e58e2fccefa7e3061"));
        assert_eq!(u128::from_be_bytes(*drbg.v), 1);
    }
}
