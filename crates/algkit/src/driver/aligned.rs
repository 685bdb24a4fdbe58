//! Alignment for drivers that ask for it: buffers that do not lie on the required boundary are copied to one that
//! does.
//!
//! The kernel does the same for `cra_alignmask`. Engines and wide loads need it. A driver without a mask does not
//! use this module.
//!
//! A method with a default body needs a forwarding method here if a driver may override it.

use super::{AeadOps, AeadState, BadKey, CipherOps, HashOps, HashState, Keyed, Reader, Refusal, SkcipherOps, Writer};
use crate::{
    Text,
    kind::{Direction, WeakKeys},
};
use algkit_primitives::{InOut, Packet};
use std::any::Any;
use zeroize::Zeroizing;

/// Calls `make` with an aligned key and wraps the resulting instance, whose driver has this alignment mask.
pub(super) fn instance(
    mask: usize,
    key: &[u8],
    make: impl FnOnce(&[u8]) -> Result<Keyed, BadKey>,
) -> Result<Keyed, BadKey> {
    let key = Copied::unless_aligned(mask, key);
    Ok(match make(key.get())? {
        Keyed::Cipher(ops) => Keyed::Cipher(Box::new(Aligned { mask, ops })),
        Keyed::Skcipher(ops) => Keyed::Skcipher(Box::new(Aligned { mask, ops })),
        Keyed::Aead(ops) => Keyed::Aead(Box::new(Aligned { mask, ops })),
        Keyed::Hash(ops) => Keyed::Hash(Box::new(Aligned { mask, ops })),
        // A generator processes no texts.
        Keyed::Rng(ops) => Keyed::Rng(ops),
    })
}

/// The operations of an instance or of a hash state, which then receive aligned buffers only.
struct Aligned<T: ?Sized> {
    mask: usize,
    ops: Box<T>,
}

fn is_aligned(mask: usize, bytes: &[u8]) -> bool {
    bytes.as_ptr() as usize & mask == 0
}

/// An aligned buffer, wiped on drop.
struct Buffer {
    bytes: Zeroizing<Vec<u8>>,
    start: usize,
    len: usize,
}

impl Buffer {
    fn new(mask: usize, len: usize) -> Self {
        let bytes = Zeroizing::new(vec![0; len + mask + 1]);
        let start = (bytes.as_ptr() as usize).wrapping_neg() & mask;
        Self { bytes, start, len }
    }

    /// The concatenation of `pieces`, which have `len` bytes in total.
    fn gather<'p>(mask: usize, len: usize, pieces: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut buffer = Self::new(mask, len);
        let mut rest = buffer.get_mut();
        for piece in pieces {
            let (front, back) = rest.split_at_mut(piece.len());
            front.copy_from_slice(piece);
            rest = back;
        }
        buffer
    }

    fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    fn get_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// The given bytes if they are aligned, else an aligned copy.
enum Copied<'a> {
    AsIs(&'a [u8]),
    Copy(Buffer),
}

impl<'a> Copied<'a> {
    fn unless_aligned(mask: usize, bytes: &'a [u8]) -> Self {
        if is_aligned(mask, bytes) { Self::AsIs(bytes) } else { Self::Copy(Buffer::gather(mask, bytes.len(), [bytes])) }
    }

    /// The concatenation of `pieces`, aligned.
    fn concat(mask: usize, pieces: &[&'a [u8]]) -> Self {
        match *pieces {
            [piece] => Self::unless_aligned(mask, piece),
            _ => Self::Copy(Buffer::gather(mask, pieces.iter().map(|p| p.len()).sum(), pieces.iter().copied())),
        }
    }

    fn get(&self) -> &[u8] {
        match self {
            Self::AsIs(bytes) => bytes,
            Self::Copy(buffer) => buffer.get(),
        }
    }
}

/// Calls `f` with `run`, or with an aligned copy of it. The copy's contents are written back if `f` returns true.
fn with_run(mask: usize, mut run: InOut<'_>, f: impl FnOnce(InOut<'_>) -> bool) -> bool {
    if is_aligned(mask, run.src()) && is_aligned(mask, run.written()) {
        return f(run);
    }
    let mut buffer = Buffer::gather(mask, run.len(), [run.src()]);
    let kept = f(InOut::from(buffer.get_mut()));
    if kept {
        run.dst().copy_from_slice(buffer.get());
    }
    kept
}

/// Like [`with_run`], for a text; its segments are gathered into one.
fn with_text(mask: usize, text: &mut Text<'_>, f: impl FnOnce(InOut<'_>) -> bool) -> bool {
    if let Some(run) = text.whole() {
        return with_run(mask, run, f);
    }
    let mut buffer = Buffer::gather(mask, text.len(), text.sources());
    let kept = f(InOut::from(buffer.get_mut()));
    let mut rest = buffer.get();
    while kept && let Some(mut run) = text.next(1, 0) {
        let (front, back) = rest.split_at(run.len());
        run.put(0, front);
        rest = back;
    }
    kept
}

impl<T: ?Sized> Aligned<T> {
    /// Calls `f` with `iv`, or with an aligned copy of it that is written back.
    fn with_iv(&self, iv: &mut [u8], f: impl FnOnce(&mut [u8])) {
        if is_aligned(self.mask, iv) {
            return f(iv);
        }
        let mut buffer = Buffer::gather(self.mask, iv.len(), [&*iv]);
        f(buffer.get_mut());
        iv.copy_from_slice(buffer.get());
    }
}

impl CipherOps for Aligned<dyn CipherOps> {
    fn block_size(&self) -> usize {
        self.ops.block_size()
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.ops.set_key(Copied::unless_aligned(self.mask, key).get(), weak)
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        with_run(self.mask, data, |data| {
            self.ops.encrypt_blocks(data);
            true
        });
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        with_run(self.mask, data, |data| {
            self.ops.decrypt_blocks(data);
            true
        });
    }
}

impl SkcipherOps for Aligned<dyn SkcipherOps> {
    fn is_intact(&self, iv: &[u8]) -> bool {
        self.ops.is_intact(Copied::unless_aligned(self.mask, iv).get())
    }

    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        self.with_iv(iv, |iv| {
            with_text(self.mask, text, |run| {
                self.ops.crypt_run(direction, iv, run);
                true
            });
        });
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.ops.set_key(Copied::unless_aligned(self.mask, key).get(), weak)
    }
}

impl AeadOps for Aligned<dyn AeadOps> {
    fn makes_iv(&self) -> bool {
        self.ops.makes_iv()
    }

    fn takes_iv(&self, len: usize) -> bool {
        self.ops.takes_iv(len)
    }

    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        self.ops.check(Copied::unless_aligned(self.mask, iv).get(), assoc_len, text_len)
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.ops.set_key(Copied::unless_aligned(self.mask, key).get(), weak)
    }

    fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        self.ops.encrypted_iv(Copied::unless_aligned(self.mask, iv).get())
    }

    fn unchecked(&self) -> Option<u64> {
        self.ops.unchecked()
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        let ops = self.ops.begin(Copied::unless_aligned(self.mask, iv).get())?;
        Some(Box::new(Aligned { mask: self.mask, ops }))
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let (iv, assoc) = (Copied::unless_aligned(self.mask, iv), Copied::concat(self.mask, assoc));
        with_text(self.mask, text, |text| {
            self.ops.seal_packet(iv.get(), &mut Packet { assoc: assoc.get(), text }, tag);
            true
        });
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let (iv, assoc) = (Copied::unless_aligned(self.mask, iv), Copied::concat(self.mask, assoc));
        with_text(self.mask, text, |text| self.ops.open_packet(iv.get(), &mut Packet { assoc: assoc.get(), text }, tag))
    }
}

impl AeadState for Aligned<dyn AeadState> {
    fn max_text(&self) -> u64 {
        self.ops.max_text()
    }

    fn assoc(&mut self, assoc: &[u8]) {
        self.ops.assoc(Copied::unless_aligned(self.mask, assoc).get());
    }

    fn crypt(&mut self, direction: Direction, text: InOut<'_>) {
        with_run(self.mask, text, |text| {
            self.ops.crypt(direction, text);
            true
        });
    }

    fn finish(&mut self) -> [u8; 16] {
        self.ops.finish()
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        self.ops.restart(Copied::unless_aligned(self.mask, iv).get())
    }

    fn boxed_clone(&self) -> Box<dyn AeadState> {
        Box::new(Aligned { mask: self.mask, ops: self.ops.boxed_clone() })
    }
}

impl HashOps for Aligned<dyn HashOps> {
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.ops.set_key(Copied::unless_aligned(self.mask, key).get(), weak)
    }

    fn start(&self) -> Box<dyn HashState> {
        Box::new(Aligned { mask: self.mask, ops: self.ops.start() })
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [message] => self.ops.digest_whole(Copied::unless_aligned(self.mask, message).get(), out),
            _ => self.start().digest_after(parts, out),
        }
    }
}

impl HashState for Aligned<dyn HashState> {
    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        self.ops.squeeze(out)
    }

    fn update(&mut self, data: &[u8]) {
        self.ops.update(Copied::unless_aligned(self.mask, data).get());
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.ops.finish(out);
    }

    /// The pieces are not gathered: they can be longer than memory, as one may be there more than once.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [message] => self.ops.digest_after(&[Copied::unless_aligned(self.mask, message).get()], out),
            _ => {
                let mut copy = self.boxed_clone();
                parts.iter().for_each(|part| copy.update(part));
                copy.finish(out);
            }
        }
    }

    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        self.ops.digest_within(Copied::unless_aligned(self.mask, data).get(), least, len, out)
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(Aligned { mask: self.mask, ops: self.ops.boxed_clone() })
    }

    fn copy_from(&mut self, other: &dyn HashState) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Self>();
        other.is_some_and(|other| self.mask == other.mask && self.ops.copy_from(&*other.ops))
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        self.ops.export(to)
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.ops.import(from)
    }
}

#[cfg(all(test, feature = "sha"))]
mod tests {
    use super::*;

    /// A hash whose driver asks for alignment, and its peer without that.
    fn hashes() -> [Box<dyn HashOps>; 2] {
        let driver = crate::hash("hmac(sha256)").unwrap();
        let make = |key: &[u8]| (driver.driver().make)(crate::cpu::CpuFeatures::detect(), key, WeakKeys::Refuse);
        let hash = |keyed| if let Keyed::Hash(ops) = keyed { ops } else { panic!("another type") };
        [hash(instance(63, b"key", make).unwrap()), hash(make(b"key").unwrap())]
    }

    #[test]
    fn what_a_state_can_do_it_can_do_aligned() {
        let [aligned, plain] = hashes();
        let text: Vec<u8> = (0..=255).collect();
        let mut states = [aligned.start(), plain.start()];
        states.iter_mut().for_each(|state| state.update(&text[..77]));
        let (mut out, mut want) = ([0; 32], [0; 32]);
        for start in 0..3 {
            assert!(states[0].digest_within(&text[start..], 10, 100, &mut out));
            states[1].digest_after(&[&text[start..start + 100]], &mut want);
            assert_eq!(out, want);
        }

        let mut fresh = aligned.start();
        assert!(fresh.copy_from(&*states[0]), "in the same memory");
        assert!(!fresh.copy_from(&*states[1]) && !states[1].copy_from(&*fresh), "of another driver");
        fresh.finish(&mut out);
        states[1].finish(&mut want);
        assert_eq!(out, want);
    }
}
