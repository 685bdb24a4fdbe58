//! Makes drivers of algkit from the kernel's drivers.

use crate::kernel::{Found, Piece, State, Transform};
use algkit::{
    Direction, Driver, DriverRef, InOut, Text, Timing, Type, WeakKeys,
    driver::{AeadOps, BadKey, CipherOps, HashOps, HashState, Keyed, Refusal, Shape, SkcipherOps, TextRule},
};
use std::sync::Arc;

/// Makes the driver `kernel:NAME`, with the sizes of algkit's own driver of the algorithm. Returns an error if that is not possible.
pub fn driver(found: &Found, own: DriverRef) -> Result<Driver, String> {
    same_sizes(found, &own.shape)?;
    let (kind, name, shape) = (found.kind, found.driver.clone(), own.shape.clone());
    // The kernel's Poly1305 takes its key from the beginning of the message.
    let key_first = kind == Type::Hash && found.keys.1 == 0 && shape.keys.max() > 0;
    let rules = own.clone();
    let needs_key = found.keys.0 > 0;
    let make = move |cpu, key: &[u8], weak| {
        let mut transform = Transform::new(kind, &name).map_err(|_| BadKey("the kernel makes no transform"))?;
        let keyed = kind != Type::Hash || needs_key || !key.is_empty();
        if keyed && !key_first {
            let strict = weak == WeakKeys::Refuse;
            transform.key(key, strict).map_err(|_| BadKey("the kernel does not take the key"))?;
        }
        let transform = Arc::new(transform);
        Ok(match kind {
            Type::Cipher => Keyed::Cipher(Box::new(Cipher { transform, blocksize: shape.blocksize })),
            Type::Skcipher => {
                let Keyed::Skcipher(own) = (rules.make)(cpu, key, weak)? else {
                    return Err(BadKey("no cipher of ours"));
                };
                Keyed::Skcipher(Box::new(Skcipher { transform, rule: shape.text, own }))
            }
            Type::Aead => {
                let Keyed::Aead(own) = (rules.make)(cpu, key, weak)? else { return Err(BadKey("no AEAD of ours")) };
                Keyed::Aead(Box::new(Aead { transform, own }))
            }
            _ => Keyed::Hash(Box::new(Hash {
                transform,
                prefix: if key_first { key.to_vec() } else { Vec::new() },
                digestsize: shape.digestsize,
            })),
        })
    };
    let own_name = format!("kernel:{}", found.driver);
    let mut driver = Driver::new(found.name.clone(), own_name, found.kind, own.shape.clone(), make);
    driver.timing = Timing::Table; // how the kernel's code treats secrets is not known here
    Ok(driver.with_priority(found.priority))
}

fn same_sizes(found: &Found, own: &Shape) -> Result<(), String> {
    let keyed = matches!(found.kind, Type::Cipher | Type::Skcipher);
    let size = if found.kind == Type::Hash { own.digestsize } else { own.tags.max() };
    let sizes = [
        ("IV", found.ivsize, own.ivsize),
        ("digest or tag", found.size, size),
        ("longest key", found.keys.1, if keyed { own.keys.max() } else { found.keys.1 }),
    ];
    match sizes.iter().find(|(_, theirs, ours)| theirs != ours) {
        Some((what, theirs, ours)) => Err(format!("{what} of {theirs} bytes, ours {ours}")),
        None => Ok(()),
    }
}

/// A request that the kernel refuses is a failure of the driver: algkit has checked the lengths. The self-test catches it.
fn must(result: Result<(), i32>) {
    if let Err(error) = result {
        panic!("the kernel's driver answers {error}");
    }
}

struct Cipher {
    transform: Arc<Transform>,
    blocksize: usize,
}

impl Cipher {
    fn each(&self, direction: Direction, mut data: InOut<'_>) {
        while let Some(mut block) = data.take(self.blocksize) {
            let from = block.src().as_ptr();
            // SAFETY: both are blocks, which may be the same.
            unsafe { self.transform.block(direction, block.dst().as_mut_ptr(), from) };
        }
    }
}

impl CipherOps for Cipher {
    fn block_size(&self) -> usize {
        self.blocksize
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.each(Direction::Encrypt, data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.each(Direction::Decrypt, data);
    }
}

struct Skcipher {
    transform: Arc<Transform>,
    rule: TextRule,
    own: Box<dyn SkcipherOps>,
}

impl SkcipherOps for Skcipher {
    fn crypt_run(&self, direction: Direction, iv: &mut [u8], mut run: InOut<'_>) {
        if !run.is_in_place() || run.is_empty() || self.rule == TextRule::Stealing {
            return self.crypt(direction, iv, &mut Text::from(run));
        }
        let before = matches!(self.rule, TextRule::DataUnit(_)).then(|| iv.to_vec());
        must(self.transform.crypt(direction, iv, &[run.dst().into()]));
        if let Some(before) = before {
            iv.copy_from_slice(&before);
        }
    }

    /// From a scatterlist with the boundaries of the text's segments to another buffer.
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut source: Vec<Vec<u8>> = text.sources().filter(|s| !s.is_empty()).map(<[u8]>::to_vec).collect();
        if source.is_empty() {
            // With ESSIV, the kernel's template changes the IV of an empty text, and Arm's drivers do not.
            return self.own.crypt(direction, iv, text);
        }
        let pieces: Vec<Piece> = source.iter_mut().map(|piece| Piece::from(&mut piece[..])).collect();
        let (before, mut out) = (iv.to_vec(), vec![0; text.len()]);
        must(self.transform.crypt_apart(direction, iv, &pieces, &mut out));
        // After a whole message the kernel's drivers leave different values in the IV, and no caller may rely on them. algkit's drivers leave these.
        match self.rule {
            TextRule::DataUnit(_) => iv.copy_from_slice(&before),
            TextRule::Stealing => {
                let last = (out.len() - 1) / iv.len() * iv.len();
                let ciphertext = if direction == Direction::Encrypt { &out } else { &source.concat() };
                iv.copy_from_slice(&ciphertext[last.saturating_sub(iv.len())..][..iv.len()]);
            }
            _ => {}
        }
        write(text, &out);
    }
}

/// Writes `bytes` to the destination of `text`, which has the same length.
fn write(text: &mut Text<'_>, mut bytes: &[u8]) {
    text.rewind();
    while let Some(mut run) = text.next(1, 0) {
        let (now, later) = bytes.split_at(run.len());
        run.put(0, now);
        bytes = later;
    }
}

struct Aead {
    transform: Arc<Transform>,
    /// The lengths of text that the algorithm takes.
    own: Box<dyn AeadOps>,
}

impl Aead {
    fn pass(
        &self,
        direction: Direction,
        iv: &[u8],
        assoc: &[&[u8]],
        text: &mut Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), i32> {
        let mut iv = iv.to_vec();
        let tag_len = tag.len();
        let mut assoc: Vec<Vec<u8>> = assoc.iter().filter(|a| !a.is_empty()).map(|a| a.to_vec()).collect();
        let assoc_len = assoc.iter().map(Vec::len).sum();
        let mut pieces: Vec<Piece> = assoc.iter_mut().map(|copy| Piece::from(&mut copy[..])).collect();
        if let Some(mut whole) = text.whole() {
            if !whole.is_in_place() {
                whole.copy();
            }
            pieces.push(whole.dst().into());
            pieces.push(tag.into());
            return self.transform.aead(direction, &mut iv, &pieces, assoc_len, tag_len);
        }
        let mut copies: Vec<Vec<u8>> = text.sources().map(<[u8]>::to_vec).collect();
        pieces.extend(copies.iter_mut().map(|copy| Piece::from(&mut copy[..])));
        pieces.push(tag.into());
        let result = self.transform.aead(direction, &mut iv, &pieces, assoc_len, tag_len);
        write(text, &copies.concat());
        result
    }
}

const BAD_MESSAGE: i32 = -74;

impl AeadOps for Aead {
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        self.own.check(iv, assoc_len, text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        must(self.pass(Direction::Encrypt, iv, assoc, text, tag));
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        match self.pass(Direction::Decrypt, iv, assoc, text, &mut tag.to_vec()) {
            Err(BAD_MESSAGE) => false,
            other => {
                must(other);
                true
            }
        }
    }
}

struct Hash {
    transform: Arc<Transform>,
    /// The state with which every message begins.
    prefix: Vec<u8>,
    digestsize: usize,
}

impl Hash {
    fn fresh(&self) -> Message {
        // SAFETY: the message keeps its transform.
        let state = unsafe { State::new(&self.transform) };
        let mut message = Message { state, _transform: self.transform.clone(), digestsize: self.digestsize };
        message.absorb(&[&self.prefix]);
        message
    }
}

impl HashOps for Hash {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(self.fresh())
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut message = self.fresh();
        message.absorb(parts);
        message.finish(out);
    }
}

/// A message in progress.
#[derive(Clone)]
struct Message {
    /// Dropped before its transform.
    state: State,
    _transform: Arc<Transform>,
    digestsize: usize,
}

impl Message {
    fn absorb(&mut self, parts: &[&[u8]]) {
        parts.iter().filter(|part| !part.is_empty()).for_each(|part| must(self.state.update(part)));
    }
}

impl HashState for Message {
    fn update(&mut self, data: &[u8]) {
        self.absorb(&[data]);
    }

    fn finish(&mut self, out: &mut [u8]) {
        assert_eq!(out.len(), self.digestsize);
        // SAFETY: the length was compared.
        must(unsafe { self.state.finish(out) });
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut copy = self.clone();
        copy.absorb(parts);
        copy.finish(out);
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(self.clone())
    }
}
