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
        self.ops.digest_whole(Copied::concat(self.mask, parts).get(), out);
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

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.ops.digest_after(&[Copied::concat(self.mask, parts).get()], out);
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(Aligned { mask: self.mask, ops: self.ops.boxed_clone() })
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        self.ops.export(to)
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.ops.import(from)
    }
}
