//! Modes over whole blocks, by batches: what a cipher has by default, given a function that passes whole blocks through it.
//!
//! That function is called through a pointer: for a batch of 512 bytes this costs nothing, and these texts are compiled once, not
//! once a cipher.

use algkit_primitives::InOut;
use zeroize::optimization_barrier;

/// Bytes that pass through a cipher at a time.
const BATCH: usize = 512;

/// Encrypts in CBC mode: block after block, each waiting for the one before.
pub(crate) fn cbc_encrypt(iv: &mut [u8], mut run: InOut<'_>, encrypt: &dyn Fn(InOut<'_>)) {
    while let Some(mut block) = run.take(iv.len()) {
        xor(iv, block.src());
        encrypt(InOut::from(&mut *iv));
        block.put(0, iv);
    }
}

/// Decrypts in CBC mode: whole batches, each block masked with the ciphertext block before it.
pub(crate) fn cbc_decrypt(iv: &mut [u8], run: InOut<'_>, decrypt: &dyn Fn(InOut<'_>)) {
    each_batch_and_scratch(run, iv.len(), &mut |mut batch, ciphertext| {
        ciphertext.copy_from_slice(batch.src());
        decrypt(batch.reborrow());
        let (first, rest) = batch.dst().split_at_mut(iv.len());
        xor(first, iv);
        xor(rest, ciphertext);
        iv.copy_from_slice(&ciphertext[ciphertext.len() - iv.len()..]);
    });
}

/// Counter mode: batches of encrypted counters.
pub(crate) fn ctr(counter: &mut [u8], run: InOut<'_>, encrypt: &dyn Fn(InOut<'_>)) {
    each_batch_and_scratch(run, counter.len(), &mut |mut batch, keystream| {
        count_be(counter, keystream);
        encrypt(InOut::from(&mut *keystream));
        batch.xor(keystream);
    });
}

/// An XTS tweak times x: a shift by one bit, and x^128 = x^7 + x^2 + x + 1.
pub(crate) fn mul_x(tweak: &[u8; 16]) -> [u8; 16] {
    let tweak = u128::from_le_bytes(*tweak);
    ((tweak << 1) ^ ((tweak >> 127) * 0x87)).to_le_bytes()
}

/// The whole blocks of XTS: batches masked with their tweaks before and after `crypt`, which encrypts or decrypts.
pub(crate) fn xts(tweak: &mut [u8; 16], run: InOut<'_>, crypt: &dyn Fn(InOut<'_>)) {
    each_batch_and_scratch(run, 16, &mut |mut batch, tweaks| {
        for block in tweaks.chunks_exact_mut(16) {
            block.copy_from_slice(tweak);
            *tweak = mul_x(tweak);
        }
        batch.xor(tweaks);
        let mut masked = InOut::from(batch.dst());
        crypt(masked.reborrow());
        masked.xor(tweaks);
    });
}

/// Passes `data` to `f` in batches of whole blocks, each with its scratch, which has room for the
/// batch in blocks of `block` bytes. The scratch is wiped.
pub(crate) fn each_batch_and_scratch(data: InOut<'_>, block: usize, f: &mut dyn FnMut(InOut<'_>, &mut [u8])) {
    /// A request of up to this many bytes has a small scratch, since clearing a large one twice would cost it more than the
    /// cipher.
    const SHORT: usize = 64;

    if data.len() <= SHORT { with_scratch::<SHORT>(data, block, f) } else { with_scratch::<BATCH>(data, block, f) }
}

fn with_scratch<const N: usize>(mut data: InOut<'_>, block: usize, f: &mut dyn FnMut(InOut<'_>, &mut [u8])) {
    let mut scratch = [0; N];
    while !data.is_empty() {
        let len = data.len().min(BATCH);
        let (batch, rest) = data.split_at(len);
        f(batch, &mut scratch[..len.next_multiple_of(block)]);
        data = rest;
    }
    scratch = [0; N];
    optimization_barrier(&scratch);
}

/// `dst ^= src`, as long as the shorter.
pub(crate) fn xor(dst: &mut [u8], src: &[u8]) {
    dst.iter_mut().zip(src).for_each(|(d, s)| *d ^= s);
}

/// Adds `n` to a big-endian counter that fills the slice, wrapping.
pub(crate) fn add_be(counter: &mut [u8], n: usize) {
    let mut carry = n as u64;
    for byte in counter.iter_mut().rev() {
        carry += u64::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
}

/// Fills `blocks` with a big-endian counter that is as long as a block and moves on.
#[inline]
pub(crate) fn count_be(counter: &mut [u8], blocks: &mut [u8]) {
    if let Ok(counter) = <&mut [u8; 16]>::try_from(&mut *counter) {
        let mut value = u128::from_be_bytes(*counter);
        for block in blocks.as_chunks_mut::<16>().0 {
            *block = value.to_be_bytes();
            value = value.wrapping_add(1);
        }
        *counter = value.to_be_bytes();
        return;
    }
    for block in blocks.chunks_exact_mut(counter.len()) {
        block.copy_from_slice(counter);
        add_be(counter, 1);
    }
}
