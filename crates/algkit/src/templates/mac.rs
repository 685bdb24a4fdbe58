//! Message authentication codes of a block cipher: CMAC (SP 800-38B), XCBC (RFC 3566) and CBC-MAC
//! as the kernel defines it (a partial last block is padded with zeros).

use super::{Lookup, MAX_BLOCK, args, bad, cipher, cipher128, wrap};
use crate::{
    Error, Name,
    blockwise::xor,
    driver::{BadKey, CipherOps, Driver, Fresh, Jobs, Keyed, MAX_JOBS, Reader, Shape, Type, Writer, put},
    wiped::Wiped,
};
use algkit_primitives::{
    InOut,
    aes::MacJob,
    hash::{Hash, Job},
};
use std::sync::Arc;
use zeroize::{Zeroizing, optimization_barrier};

/// How a MAC treats the last block.
pub(crate) enum Last {
    /// Pads a partial block with zeros.
    ZeroPad,
    /// XORs a whole block with the first subkey. Pads a partial block with a single 1 bit and XORs it with the
    /// second subkey.
    Masked(Zeroizing<[[u8; MAX_BLOCK]; 2]>),
}

impl Last {
    /// The last block, from the remaining `rest` of a message (at most `bs` bytes). `None` if CBC-MAC has nothing
    /// to pad.
    fn block(&self, rest: &[u8], bs: usize) -> Option<Wiped<MAX_BLOCK>> {
        let mut block = Wiped::<MAX_BLOCK>::default();
        block[..rest.len()].copy_from_slice(rest);
        match self {
            Self::ZeroPad if rest.is_empty() => return None,
            Self::ZeroPad => {}
            Self::Masked(masks) if rest.len() == bs => xor(&mut block[..bs], &masks[0]),
            Self::Masked(masks) => {
                block[rest.len()] = 0x80;
                xor(&mut block[..bs], &masks[1]);
            }
        }
        Some(block)
    }
}

/// Absorbs whole blocks into a CBC-MAC state. Implemented by keyed ciphers, and by drivers with faster code.
pub(crate) trait Chain: Send + Sync + 'static {
    /// The block size in bytes.
    fn block(&self) -> usize;

    /// For each block: `state = E(state ^ block)`.
    fn absorb(&self, state: &mut [u8], blocks: &[u8]);

    /// The MAC of a whole message whose last block is XORed with one of `masks`, if the driver has special code for
    /// that.
    fn masked_mac(&self, masks: &[[u8; MAX_BLOCK]; 2], message: &[u8]) -> Option<[u8; MAX_BLOCK]> {
        let _ = (masks, message);
        None
    }

    /// The number of messages that [`Chain::absorb_batch`] processes side by side.
    const LANES: usize = 1;

    /// Absorbs blocks into at most [`MAX_JOBS`] states. Called only if [`Chain::LANES`] is more than one.
    fn absorb_batch(jobs: &mut [MacJob<'_, Self>])
    where
        Self: Sized,
    {
        for MacJob { key, state, blocks, last } in jobs {
            let bs = key.block();
            key.absorb(&mut state[..bs], blocks);
            key.absorb(&mut state[..bs], &last[..bs]);
        }
    }
}

impl Chain for Box<dyn CipherOps> {
    fn block(&self) -> usize {
        self.block_size()
    }

    fn absorb(&self, state: &mut [u8], blocks: &[u8]) {
        for block in blocks.chunks_exact(state.len()) {
            xor(state, block);
            self.encrypt_blocks(InOut::from(&mut *state));
        }
    }
}

/// The state of a MAC computation.
pub(crate) struct InProgress<C> {
    key: Arc<(C, Last)>,
    state: Wiped<MAX_BLOCK>,
    /// The last bytes of the input so far, up to one whole block, because the last block is treated differently.
    held: Wiped<MAX_BLOCK>,
    filled: usize,
}

impl<C: Chain> InProgress<C> {
    /// A MAC at its initial state.
    pub(crate) fn new(chain: C, last: Last) -> Self {
        Self { key: Arc::new((chain, last)), state: Wiped::default(), held: Wiped::default(), filled: 0 }
    }

    /// Not inlined, so that the copy takes no stack space in the calls for short messages that need no copy.
    #[inline(never)]
    fn digest_by_copy(&self, message: &[u8], out: &mut [u8]) {
        let mut copy = self.clone();
        Hash::update(&mut copy, message);
        Hash::finish(&mut copy, out);
    }

    /// The chaining cipher, unless a copy shares it.
    pub(crate) fn chain_mut(&mut self) -> Option<&mut C> {
        Arc::get_mut(&mut self.key).map(|(chain, _)| chain)
    }

    /// The chaining cipher and the treatment of the last block.
    pub(crate) fn keyed(&self) -> &(C, Last) {
        &self.key
    }
}

impl<C> Clone for InProgress<C> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), state: self.state.clone(), held: self.held.clone(), filled: self.filled }
    }
}

impl<C: Chain> Hash for InProgress<C> {
    const LANES: usize = C::LANES;

    fn digest_size(&self) -> usize {
        self.key.0.block()
    }

    fn update(&mut self, mut data: &[u8]) {
        let chain = &self.key.0;
        let bs = chain.block();
        let state = &mut self.state[..bs];
        if self.filled + data.len() > bs && self.filled > 0 {
            let (head, rest) = data.split_at(bs - self.filled);
            self.held[self.filled..bs].copy_from_slice(head);
            chain.absorb(state, &self.held[..bs]);
            (self.filled, data) = (0, rest);
        }
        if data.len() > bs {
            let (whole, rest) = data.split_at((data.len() - 1) / bs * bs);
            chain.absorb(state, whole);
            data = rest;
        }
        self.held[self.filled..self.filled + data.len()].copy_from_slice(data);
        self.filled += data.len();
    }

    fn finish(&mut self, out: &mut [u8]) {
        let (chain, last) = &*self.key;
        let bs = chain.block();
        if let Some(block) = last.block(&self.held[..self.filled], bs) {
            chain.absorb(&mut self.state[..bs], &block[..bs]);
        }
        out.copy_from_slice(&self.state[..bs]);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        let (chain, last) = &*self.key;
        // A block is held from the first byte on, so if nothing is held, nothing was absorbed.
        if self.filled == 0
            && let Last::Masked(masks) = last
            && let Some(mac) = chain.masked_mac(masks, message)
        {
            return out.copy_from_slice(&mac);
        }
        self.digest_by_copy(message, out);
    }

    /// Uses lanes for messages in one piece that have a last block.
    fn digest_batch_after(jobs: &mut [Job<'_, Self>]) {
        for jobs in jobs.chunks_mut(MAX_JOBS) {
            let (mut lanes, mut outs) = (Jobs::new(), Jobs::new());
            for Job { state, parts, out } in jobs {
                let (chain, last) = &*state.key;
                let bs = chain.block();
                let lane = match *parts {
                    [message] if state.filled == 0 => {
                        let (blocks, rest) = message.split_at(message.len().saturating_sub(1) / bs * bs);
                        let last = last.block(rest, bs);
                        last.map(|last| MacJob { key: chain, state: *state.state, blocks, last: *last })
                    }
                    _ => None,
                };
                match lane {
                    Some(lane) => {
                        put(&mut lanes, lane);
                        put(&mut outs, (&mut **out, bs));
                    }
                    None => state.digest_after(parts, out),
                }
            }
            C::absorb_batch(&mut lanes);
            for (lane, (out, bs)) in lanes.iter_mut().zip(&mut outs) {
                out.copy_from_slice(&lane.state[..*bs]);
                lane.last = [0; MAX_BLOCK];
            }
            optimization_barrier(&lanes);
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.bytes(&self.state[..self.key.0.block()]);
        to.buffered(&self.held[..self.filled]);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let bs = self.key.0.block();
        from.numbers(&mut self.state[..bs])?;
        self.filled = from.buffered(&mut self.held[..bs])?;
        // A block is held from the first byte on, so if nothing is held, nothing was absorbed.
        (self.filled > 0 || *self.state == [0; MAX_BLOCK]).then_some(())
    }
}

/// The subkeys of CMAC (SP 800-38B section 6.1): the encrypted zero block multiplied by x and by x^2.
pub(crate) fn cmac_last(cipher: &impl CipherOps) -> Last {
    let mut encrypted_zero = Wiped::<MAX_BLOCK>::default();
    let encrypted_zero = &mut encrypted_zero[..CipherOps::block_size(cipher)];
    cipher.encrypt_blocks(InOut::from(&mut *encrypted_zero));
    let bits = 8 * encrypted_zero.len();
    let reduction: u128 = if bits == 64 { 0x1b } else { 0x87 };
    let double = |v: u128| {
        let carry = v >> (bits - 1);
        let shifted = (v << 1) ^ (carry * reduction);
        if bits == 64 { shifted & u128::from(u64::MAX) } else { shifted }
    };
    let value = encrypted_zero.iter().fold(0, |v, &b| v << 8 | u128::from(b));
    let bytes = |v: u128| {
        let mut block = [0; MAX_BLOCK];
        block[..encrypted_zero.len()].copy_from_slice(&v.to_be_bytes()[16 - encrypted_zero.len()..]);
        block
    };
    let k1 = double(value);
    Last::Masked([bytes(k1), bytes(double(k1))].into())
}

/// The subkeys of XCBC (RFC 3566 section 4): the encryptions of three constant blocks.
pub(crate) fn xcbc<C>(
    cipher: &impl CipherOps,
    keyed: impl Fn(&[u8]) -> Result<C, BadKey>,
) -> Result<(C, Last), BadKey> {
    let [k1, k2, k3] = [1, 2, 3].map(|byte| {
        let mut block = Wiped([byte; 16]);
        cipher.encrypt_blocks(InOut::from(&mut block[..]));
        block
    });
    Ok((keyed(&*k1)?, Last::Masked([*k2, *k3].into())))
}

/// Returns the chaining cipher and the treatment of the last block, given the keyed cipher and a function that keys
/// another instance.
type Setup = fn(Box<dyn CipherOps>, &dyn Fn(&[u8]) -> CipherResult) -> Result<(Box<dyn CipherOps>, Last), BadKey>;
type CipherResult = Result<Box<dyn CipherOps>, BadKey>;

fn build(lookup: &dyn Lookup, name: &Name, setup: Setup) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Cipher, arg)?;
    let block = inner.shape.blocksize;
    if !matches!(block, 8 | 16) {
        return Err(bad(name, "the MAC takes a cipher of 8- or 16-byte blocks"));
    }
    let shape = Shape::keyed_hash(block, block, inner.shape.keys.clone());
    Ok(wrap(name, Type::Hash, shape, [inner], move |[inner], cpu, key, weak| {
        let keyed = |key: &[u8]| cipher(inner, cpu, key, weak);
        let (chain, last) = setup(keyed(key)?, &keyed)?;
        Ok(Keyed::Hash(Box::new(Fresh(InProgress::new(chain, last)))))
    }))
}

/// Builds `cmac(cipher)`.
pub(super) fn build_cmac(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, |cipher, _| {
        let last = cmac_last(&cipher);
        Ok((cipher, last))
    })
}

/// Builds `xcbc(cipher)`, with three subkeys that are encryptions of constant blocks. RFC 3566 defines it for
/// 16-byte keys. As in the kernel, any key of the cipher is accepted; the first subkey has 16 bytes.
pub(super) fn build_xcbc(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    if !cipher128(lookup, name)?.shape.keys.allows(16) {
        return Err(bad(name, "the MAC takes a cipher with keys of 16 bytes"));
    }
    build(lookup, name, |cipher, keyed| xcbc(&cipher, keyed))
}

/// Builds `cbcmac(cipher)`.
pub(super) fn build_cbcmac(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, |cipher, _| Ok((cipher, Last::ZeroPad)))
}
