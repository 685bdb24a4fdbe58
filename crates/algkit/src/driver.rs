//! What a driver is: a row of data, and the operations of a keyed instance.
//!
//! The traits here are what drivers implement, in this crate and in others; users hold transforms,
//! [`crate::Skcipher`] and the like, which check every length before they call a driver. An
//! implementation may therefore rely on the lengths its [`Driver`] declares.

use crate::{
    Error, Sizes, Text,
    templates::{cbc, ctr, xts},
};
use algkit_primitives::{
    InOut, Packet,
    cpu::{CpuFeatures, FeatureSet},
    hash::Job,
};
use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

mod jobs;

pub use algkit_primitives::hash::{Reader, Writer};
pub use jobs::{AeadJob, HashJob, MANY, SkcipherJob, StateJob, Tag};
pub(crate) use jobs::{Jobs, Known, typed};

/// What kind of operation an algorithm is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// A block cipher, one block at a time.
    Cipher,
    /// A symmetric-key cipher with a mode: any text, an IV.
    Skcipher,
    /// Authenticated encryption with associated data.
    Aead,
    /// A message digest, keyed or not.
    Hash,
    /// A random number generator.
    Rng,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cipher => "cipher",
            Self::Skcipher => "skcipher",
            Self::Aead => "aead",
            Self::Hash => "hash",
            Self::Rng => "rng",
        })
    }
}

/// Whether a driver's memory addresses depend on secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// No branch and no address depends on a secret.
    Constant,
    /// Tables are looked up at secret addresses.
    Table,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Constant => "constant",
            Self::Table => "table",
        })
    }
}

/// Which way a cipher goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What to do with keys that an algorithm accepts and that are known to be weak: DES keys with
/// equal subkeys, XTS keys with equal halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeakKeys {
    /// An error.
    Refuse,
    /// Nothing special, as AF_ALG does.
    Allow,
}

/// The lengths of text that a mode takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextRule {
    /// Any.
    Any,
    /// A multiple of the block size.
    Blocks,
    /// At least one block: ciphertext stealing.
    Stealing,
    /// At least one block and at most this many bytes: an XTS data unit.
    DataUnit(u64),
}

/// The sizes of an algorithm, in bytes. What a type has no use for is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Bytes of a block; 1 for stream ciphers. For a hash, of the compression function's input.
    pub blocksize: usize,
    /// Keys accepted.
    pub keys: Sizes,
    /// Whether a hash works without a key.
    pub optional_key: bool,
    /// Bytes of initialization vector.
    pub ivsize: usize,
    /// Texts accepted.
    pub text: TextRule,
    /// Tags accepted (AEAD).
    pub tags: Sizes,
    /// Bytes of digest (hash).
    pub digestsize: usize,
    /// Whether a digest of any other length can be had as well.
    pub extendable: bool,
}

impl Shape {
    /// All zero, any text, no key.
    pub const EMPTY: Self = Self {
        blocksize: 1,
        keys: Sizes::NONE,
        optional_key: false,
        ivsize: 0,
        text: TextRule::Any,
        tags: Sizes::NONE,
        digestsize: 0,
        extendable: false,
    };

    /// Whether a text of `len` bytes is one that the mode takes.
    #[inline(always)]
    pub(crate) fn takes(&self, len: usize) -> bool {
        match self.text {
            TextRule::Any => true,
            // Blocks of nearly all ciphers are powers of two, and a division costs as much as a block.
            TextRule::Blocks if self.blocksize.is_power_of_two() => len & (self.blocksize - 1) == 0,
            TextRule::Blocks => len.is_multiple_of(self.blocksize),
            TextRule::Stealing => len >= self.blocksize,
            TextRule::DataUnit(max) => len >= self.blocksize && len as u64 <= max,
        }
    }

    /// A block cipher.
    pub const fn cipher(blocksize: usize, keys: Sizes) -> Self {
        Self { blocksize, keys, text: TextRule::Blocks, ..Self::EMPTY }
    }

    /// A cipher with a mode.
    pub const fn skcipher(blocksize: usize, keys: Sizes, ivsize: usize, text: TextRule) -> Self {
        Self { blocksize, keys, ivsize, text, ..Self::EMPTY }
    }

    /// Authenticated encryption.
    pub const fn aead(keys: Sizes, ivsize: usize, tags: Sizes) -> Self {
        Self { keys, ivsize, tags, ..Self::EMPTY }
    }

    /// A hash without a key.
    pub const fn hash(blocksize: usize, digestsize: usize) -> Self {
        Self { blocksize, digestsize, optional_key: true, ..Self::EMPTY }
    }

    /// A hash that needs a key.
    pub const fn keyed_hash(blocksize: usize, digestsize: usize, keys: Sizes) -> Self {
        Self { blocksize, digestsize, keys, ..Self::EMPTY }
    }

    /// A random number generator. Its key is a seed of any length, none included.
    pub const fn rng() -> Self {
        Self { keys: Sizes::Between(0, usize::MAX), optional_key: true, ..Self::EMPTY }
    }
}

/// A keyed block cipher.
pub trait CipherOps: Send + Sync + 'static {
    /// Bytes in a block.
    fn block_size(&self) -> usize;

    /// Takes another key, of a length that the driver declares, in place of the one it has, which it wipes. If it does
    /// not, nothing changes, and the caller makes a new instance or learns what is wrong with the key.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Encrypts whole blocks, each by itself; the more at a time, the faster.
    fn encrypt_blocks(&self, data: InOut<'_>);

    /// Decrypts whole blocks, each by itself.
    fn decrypt_blocks(&self, data: InOut<'_>);

    /// Encrypts whole blocks in CBC mode. `iv` is a block, and becomes the last of the ciphertext.
    ///
    /// This and the modes below are made of the operations above, unless the cipher has something faster.
    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        cbc::encrypt(self, iv, run);
    }

    /// Decrypts whole blocks in CBC mode. `iv` is a block, and becomes the last of the ciphertext.
    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        cbc::decrypt(self, iv, run);
    }

    /// Encrypts or decrypts in CTR mode. `counter` is a block, big-endian, and becomes the next one; a part of a block uses
    /// one up.
    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        ctr::by_batch(self, counter, run);
    }

    /// Encrypts or decrypts whole blocks of 16 bytes, masked as XTS does; `tweak` moves on to that of the block after.
    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        xts::by_batch(self, direction, tweak, run);
    }
}

impl CipherOps for Box<dyn CipherOps> {
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        (**self).set_key(key, weak)
    }

    fn block_size(&self) -> usize {
        (**self).block_size()
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        (**self).encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        (**self).decrypt_blocks(data);
    }

    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        (**self).cbc_encrypt(iv, run);
    }

    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        (**self).cbc_decrypt(iv, run);
    }

    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        (**self).ctr(counter, run);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        (**self).xts(direction, tweak, run);
    }
}

/// A keyed cipher with a mode.
pub trait SkcipherOps: Send + Sync + Any {
    /// Passes `text` through the cipher. `iv` has the declared length and holds the chaining value
    /// afterwards, where the kernel's does.
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>);

    /// Does at most [`MANY`] requests at once; called on the instance of the first. All instances are of one
    /// driver, which tells them from others, of another crate's making, with [`Any`].
    ///
    /// A mode that leaves a CPU idle takes them side by side. The default takes each by itself.
    fn crypt_many(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.run(direction));
    }

    /// [`SkcipherOps::crypt`] of a whole text in one piece, as nearly all are: what a driver does for them
    /// without a [`Text`] in between is what a short request does not pay.
    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.crypt(direction, iv, &mut Text::from(run));
    }

    /// [`SkcipherOps::crypt_run`] for those who do not go on: `iv` stays as it is.
    fn crypt_once(&self, direction: Direction, iv: &[u8], run: InOut<'_>) {
        if let Ok(mut iv) = <[u8; 16]>::try_from(iv) {
            return self.crypt_run(direction, &mut iv, run);
        }
        let mut copy = [0; 32];
        let copy = &mut copy[..iv.len()];
        copy.copy_from_slice(iv);
        self.crypt_run(direction, copy, run);
    }

    /// Takes another key, of a length that the driver declares, in place of the one it has, which it wipes. If it does
    /// not, nothing changes, and the caller makes a new instance or learns what is wrong with the key.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Passes a part of a text, whole blocks of 16 bytes or its end, and copies `beside` meanwhile: rounds leave the
    /// units for loads and stores nearly idle. `state` is the IV before the first part, and then what the driver makes
    /// of it. False, and nothing done, if the driver takes whole texts only.
    #[must_use]
    fn crypt_part(
        &self,
        direction: Direction,
        first: bool,
        state: &mut [u8; 16],
        text: InOut<'_>,
        beside: InOut<'_>,
    ) -> bool {
        let _ = (direction, first, state, text, beside);
        false
    }
}

/// A keyed AEAD.
///
/// `assoc` is the associated data in pieces.
pub trait AeadOps: Send + Sync + Any {
    /// Objects to a combination of lengths, or to an IV by its contents.
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        let _ = (iv, assoc_len, text_len);
        Ok(())
    }

    /// Takes another key, of a length that the driver declares, in place of the one it has, which it wipes. If it does
    /// not, nothing changes, and the caller makes a new instance or learns what is wrong with the key.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// The IV as the associated data ends in it when it is authenticated, where a mode has its IV there and encrypts it
    /// first: ESSIV.
    fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        let _ = iv;
        None
    }

    /// Encrypts `text` and writes the tag, of an allowed length.
    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]);

    /// Decrypts `text`; whether the tag matches. If not, the caller wipes the text.
    #[must_use]
    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool;

    /// Texts of up to so many bytes need no [`AeadOps::check`], whatever the IV and the associated data; the same for all
    /// instances of a driver. `None` if every request is to be checked.
    fn unchecked(&self) -> Option<u64> {
        None
    }

    /// [`AeadOps::seal`] of what is in one piece, as nearly all messages are: what a driver does for them without lists and
    /// a [`Text`] in between is what a short request does not pay.
    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        self.seal(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag);
    }

    /// [`AeadOps::open`] of what is in one piece.
    #[must_use]
    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        self.open(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag)
    }

    /// How many messages [`AeadOps::crypt_many`] takes side by side. If it is one, each is done by itself as it comes, and no
    /// list is made.
    fn lanes(&self) -> usize {
        1
    }

    /// Does at most [`MANY`] requests of one direction at once, as [`SkcipherOps::crypt_many`] does.
    fn crypt_many(&self, direction: Direction, jobs: &mut [AeadJob<'_>]) {
        let _ = direction;
        jobs.iter_mut().for_each(AeadJob::run);
    }
}

/// Why [`AeadOps::check`] refuses a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The IV's contents.
    Iv(&'static str),
    /// The length of the associated data; what would be right.
    Assoc(&'static str),
    /// The length of the text; what would be right.
    Text(&'static str),
}

/// A hash, keyed if it takes a key.
pub trait HashOps: Send + Sync + Any {
    /// Takes another key, of a length that the driver declares, in place of the one it has, which it wipes. If it does
    /// not, nothing changes, and the caller makes a new instance or learns what is wrong with the key.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// A fresh state.
    fn start(&self) -> Box<dyn HashState>;

    /// Digest of the concatenation of `parts`. Allocates nothing.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]);

    /// [`HashOps::digest`] of a message in one piece, as nearly all are: what a driver does for them without a list is what
    /// a short message does not pay.
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest(&[message], out);
    }

    /// Makes at most [`MANY`] digests at once, as [`SkcipherOps::crypt_many`] does.
    fn digest_many(&self, jobs: &mut [HashJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest(job.parts, job.out));
    }
}

/// The state of a hash in progress.
pub trait HashState: Send + Sync + Any {
    /// Absorbs `data`.
    fn update(&mut self, data: &[u8]);

    /// Writes the digest; the state must not be used afterwards.
    fn finish(&mut self, out: &mut [u8]);

    /// Finishes a copy that has also absorbed `parts`. Allocates nothing.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]);

    /// [`HashState::digest_after`] for at most [`MANY`] states at once, as [`SkcipherOps::crypt_many`] does.
    fn digest_after_many(&self, jobs: &mut [StateJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }

    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn HashState>;

    /// Writes what a message in progress has made of the state; whether the driver can. The key, and what else is the same
    /// in every state of an instance, is not part of it.
    #[must_use]
    fn export(&self, to: &mut Writer<'_>) -> bool {
        let _ = to;
        false
    }

    /// Makes a fresh state of the same driver and key the one that was exported. `None` if the bytes, which may be
    /// anything, are not of such a state; this one must then not be used.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let _ = from;
        None
    }
}

/// A state that can be copied where it is, from which the rest follows.
pub trait PlainState: Clone + Send + Sync + 'static {
    /// How many messages [`PlainState::digest_after_many`] takes side by side.
    const LANES: usize = 1;

    /// Absorbs `data`.
    fn update(&mut self, data: &[u8]);

    /// Writes the digest; the state must not be used afterwards.
    fn finish(&mut self, out: &mut [u8]);

    /// Finishes a copy that has also absorbed `parts`. Allocates nothing.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut state = self.clone();
        parts.iter().for_each(|part| state.update(part));
        state.finish(out);
    }

    /// [`PlainState::digest_after`] of a message in one piece.
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest_after(&[message], out);
    }

    /// [`PlainState::digest_after`] for at most [`MANY`] states at once. Not called unless
    /// [`PlainState::LANES`] is more than one.
    fn digest_after_many(jobs: &mut [Job<'_, Self>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }

    /// See [`HashState::export`].
    #[must_use]
    fn export(&self, to: &mut Writer<'_>) -> bool {
        let _ = to;
        false
    }

    /// See [`HashState::import`].
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let _ = from;
        None
    }
}

impl<H: algkit_primitives::hash::Hash + 'static> PlainState for H {
    const LANES: usize = H::LANES;

    fn update(&mut self, data: &[u8]) {
        algkit_primitives::hash::Hash::update(self, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        algkit_primitives::hash::Hash::finish(self, out);
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        algkit_primitives::hash::Hash::digest_after(self, parts, out);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        algkit_primitives::hash::Hash::digest_whole(self, message, out);
    }

    fn digest_after_many(jobs: &mut [Job<'_, Self>]) {
        H::digest_after_many(jobs);
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        algkit_primitives::hash::Hash::export(self, to);
        true
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        algkit_primitives::hash::Hash::import(self, from)
    }
}

impl<S: PlainState> HashState for S {
    fn update(&mut self, data: &[u8]) {
        PlainState::update(self, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        PlainState::finish(self, out);
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        PlainState::digest_after(self, parts, out);
    }

    fn digest_after_many(&self, jobs: &mut [StateJob<'_>]) {
        if S::LANES == 1 {
            return jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
        }
        let one = |state: &dyn HashState, parts: &[&[u8]], out: &mut [u8]| state.digest_after(parts, out);
        let mut known = Known::new();
        typed(jobs, |state| known.find(state), one, S::digest_after_many);
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(self.clone())
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        PlainState::export(self, to)
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        PlainState::import(self, from)
    }
}

/// A keyed hash that is its own fresh state.
pub struct Fresh<S>(pub S);

impl<S: PlainState> Fresh<S> {
    /// [`HashOps::digest_many`] of `W`, which wraps such a hash.
    pub(crate) fn digest_many<W: 'static>(jobs: &mut [HashJob<'_>], inside: impl Fn(&W) -> &Self) {
        if S::LANES == 1 {
            return jobs.iter_mut().for_each(|job| job.state.digest(job.parts, job.out));
        }
        let one = |hash: &dyn HashOps, parts: &[&[u8]], out: &mut [u8]| hash.digest(parts, out);
        let mut known = Known::new();
        typed(jobs, |hash| known.find(hash).map(|wrap| &inside(wrap).0), one, S::digest_after_many);
    }
}

impl<S: PlainState> HashOps for Fresh<S> {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(self.0.clone())
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        PlainState::digest_after(&self.0, parts, out);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        PlainState::digest_whole(&self.0, message, out);
    }

    fn digest_many(&self, jobs: &mut [HashJob<'_>]) {
        Self::digest_many(jobs, |this: &Self| this);
    }
}

/// A random number generator that has been seeded. Its state is shared by all who hold it.
pub trait RngOps: Send + Sync {
    /// Starts anew, with fresh entropy and `seed`.
    fn instantiate(&self, seed: &[u8]) -> Result<(), Failure>;

    /// Adds fresh entropy and `additional` to the state.
    fn reseed(&self, additional: &[u8]) -> Result<(), Failure>;

    /// Fills `out`. What it held on failure is no random number; the caller wipes it.
    fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Failure>;

    /// From now on, takes `entropy` wherever fresh entropy is needed, so that outputs can be foreseen: for
    /// tests with known answers alone.
    fn set_entropy(&self, entropy: &[u8]) -> Result<(), Failure> {
        let _ = entropy;
        Err(Failure("takes its entropy from nobody"))
    }
}

/// Why a random number generator gives nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure(pub &'static str);

impl From<BadKey> for Failure {
    fn from(BadKey(reason): BadKey) -> Self {
        Self(reason)
    }
}

impl From<Failure> for BadKey {
    fn from(Failure(reason): Failure) -> Self {
        Self(reason)
    }
}

/// A keyed instance of a driver.
pub enum Keyed {
    /// Of type cipher.
    Cipher(Box<dyn CipherOps>),
    /// Of type skcipher.
    Skcipher(Box<dyn SkcipherOps>),
    /// Of type aead.
    Aead(Box<dyn AeadOps>),
    /// Of type hash.
    Hash(Box<dyn HashOps>),
    /// Of type rng.
    Rng(Box<dyn RngOps>),
}

impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyed(..)")
    }
}

/// Makes a keyed instance. The key's length has been checked; the CPU is the registry's.
pub type Make = dyn Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync;

/// Why a key of the right length is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadKey(pub &'static str);

/// One implementation of an algorithm.
pub struct Driver {
    /// The algorithm, as the kernel spells it: `xts(aes)`.
    pub name: String,
    /// The driver's own, unique name: `xts-aes-vaes-avx512`.
    pub driver: String,
    /// Its type.
    pub kind: Type,
    /// The highest usable one wins.
    pub priority: u32,
    /// Whether addresses depend on secrets.
    pub timing: Timing,
    /// The CPU features it needs.
    pub needs: FeatureSet,
    /// Its sizes.
    pub shape: Shape,
    /// Where the arithmetic is: a file under `crates/primitives/src`, or under `crates/algkit/src` for a random number
    /// generator, or `crate NAME` for what is wrapped. Empty for what a template or another crate made.
    pub source: &'static str,
    /// Makes keyed instances.
    pub make: Box<Make>,
    /// Whether a template of this crate made it, of drivers that have been tested.
    pub(crate) composed: bool,
    /// The outcome of the test before first use.
    pub(crate) selftest: OnceLock<Result<(), String>>,
    /// What a later, longer test failed at.
    pub(crate) retired: OnceLock<String>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {}, priority {})", self.driver, self.kind, self.name, self.priority)
    }
}

/// What is known of a driver's self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelfTest {
    /// It has not been used yet.
    Untested,
    /// It serves.
    Passed,
    /// It does not serve.
    Failed(String),
}

impl fmt::Display for SelfTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Untested => "untested",
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
        })
    }
}

impl Driver {
    /// A driver of priority 100, constant-time, for any CPU; change the fields for anything else.
    pub fn new(
        name: impl Into<String>,
        driver: impl Into<String>,
        kind: Type,
        shape: Shape,
        make: impl Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            driver: driver.into(),
            kind,
            priority: 100,
            timing: Timing::Constant,
            needs: FeatureSet::NONE,
            shape,
            source: "",
            make: Box::new(make),
            composed: false,
            selftest: OnceLock::new(),
            retired: OnceLock::new(),
        }
    }

    /// What is known of its self-test.
    pub fn selftest(&self) -> SelfTest {
        match (self.retired.get(), self.selftest.get()) {
            (Some(reason), _) | (None, Some(Err(reason))) => SelfTest::Failed(reason.clone()),
            (None, Some(Ok(()))) => SelfTest::Passed,
            (None, None) => SelfTest::Untested,
        }
    }

    /// Whether a key may have this length.
    #[inline]
    pub(crate) fn takes_key(&self, key: &[u8]) -> bool {
        self.shape.keys.allows(key.len()) || key.is_empty() && self.shape.optional_key
    }

    /// Makes a keyed instance after checking the key's length.
    pub(crate) fn key(&self, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Keyed, Error> {
        if !self.takes_key(key) {
            return Err(Error::KeyLength { name: self.name.clone(), got: key.len(), want: self.shape.keys.clone() });
        }
        (self.make)(cpu, key, weak).map_err(|BadKey(reason)| Error::BadKey { name: self.name.clone(), reason })
    }
}

/// A shared driver.
pub type DriverRef = Arc<Driver>;
