//! Default CBC, CTR and XTS for a block cipher, in batches, built on a function that encrypts or decrypts whole
//! blocks.
//!
//! The function is called through a pointer, so these modes are compiled once and not once per cipher. For a batch
//! of 512 bytes the indirect call costs nothing.

use algkit_primitives::InOut;
use zeroize::optimization_barrier;

/// The size of a batch, in bytes.
const BATCH: usize = 512;

/// Encrypts in CBC mode, block by block: each block depends on the one before.
pub(crate) fn cbc_encrypt(iv: &mut [u8], mut run: InOut<'_>, encrypt: &dyn Fn(InOut<'_>)) {
    while let Some(mut block) = run.take(iv.len()) {
        xor(iv, block.src());
        encrypt(InOut::from(&mut *iv));
        block.put(0, iv);
    }
}

/// Decrypts in CBC mode, in batches: each block is XORed with the ciphertext block before it.
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

/// Counter mode: encrypts a batch of counters and XORs it onto the text.
pub(crate) fn ctr(counter: &mut [u8], run: InOut<'_>, encrypt: &dyn Fn(InOut<'_>)) {
    each_batch_and_scratch(run, counter.len(), &mut |mut batch, keystream| {
        count_be(counter, keystream);
        encrypt(InOut::from(&mut *keystream));
        batch.xor(keystream);
    });
}

/// Multiplies an XTS tweak by x: a shift by one bit, reduced by x^128 = x^7 + x^2 + x + 1.
pub(crate) fn mul_x(tweak: &[u8; 16]) -> [u8; 16] {
    let tweak = u128::from_le_bytes(*tweak);
    ((tweak << 1) ^ ((tweak >> 127) * 0x87)).to_le_bytes()
}

/// The whole blocks of XTS: each batch is XORed with its tweaks before and after `crypt`, which encrypts or
/// decrypts.
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

/// Calls `f` with batches of whole blocks. Each comes with a scratch buffer of the batch's length, rounded up to
/// blocks of `block` bytes. The scratch is wiped at the end.
pub(crate) fn each_batch_and_scratch(data: InOut<'_>, block: usize, f: &mut dyn FnMut(InOut<'_>, &mut [u8])) {
    /// A request of up to this many bytes gets a small scratch, since clearing a large one twice would cost more
    /// than the cipher.
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

/// `dst ^= src`, up to the shorter length.
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

/// Fills `blocks` with successive values of a big-endian counter of one block, and advances the counter.
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
