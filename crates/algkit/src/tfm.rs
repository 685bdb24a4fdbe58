//! Transforms: keyed instances of a driver, and the checks that stand before every request.

use crate::{
    Error, Text,
    driver::{
        AeadOps, CipherOps, Direction, Driver, DriverRef, Failure, HashOps, HashState, Keyed, Refusal, RngOps,
        SkcipherOps, TextRule, Type, WeakKeys,
    },
};
use algkit_primitives::{InOut, Packet, cpu::CpuFeatures};
use std::{fmt, marker::PhantomData, ops::Deref};
use zeroize::Zeroize;

mod export;

/// A driver that has been chosen and tested, and waits for a key.
///
/// ```
/// let aead = algkit::aead("gcm(aes)")?;
/// println!("{} takes keys of {} bytes", aead.driver().driver, aead.driver().shape.keys);
/// let aead = aead.key(&[7; 32])?;
/// # Ok::<(), algkit::Error>(())
/// ```
#[derive(Debug)]
pub struct Unkeyed<T> {
    driver: DriverRef,
    cpu: CpuFeatures,
    transform: PhantomData<fn() -> T>,
}

impl<T> Clone for Unkeyed<T> {
    fn clone(&self) -> Self {
        Self { driver: self.driver.clone(), cpu: self.cpu, transform: PhantomData }
    }
}

/// A transform type: [`Cipher`], [`Skcipher`], [`Aead`], [`struct@Hash`] or [`Rng`].
pub trait Transform: Sized + sealed::FromKeyed {
    /// The type of algorithm.
    const TYPE: Type;
}

mod sealed {
    use super::{Chosen, Keyed};

    pub trait FromKeyed {
        /// The transform, if the driver made an instance of its type.
        fn from_keyed(driver: Chosen, keyed: Keyed) -> Option<Self>
        where
            Self: Sized;
    }
}

impl<T: Transform> Unkeyed<T> {
    pub(crate) fn new(driver: DriverRef, cpu: CpuFeatures) -> Self {
        Self { driver, cpu, transform: PhantomData }
    }

    /// The driver that was chosen.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The transform with this key. Known weak keys are refused.
    pub fn key(&self, key: &[u8]) -> Result<T, Error> {
        self.key_with(key, WeakKeys::Refuse)
    }

    /// The transform with this key, and a say in the matter of weak keys.
    pub fn key_with(&self, key: &[u8], weak: WeakKeys) -> Result<T, Error> {
        let keyed = self.driver.key(self.cpu, key, weak)?;
        let driver = Chosen { shared: self.driver.clone(), cpu: self.cpu, key_len: key.len() };
        T::from_keyed(driver, keyed).ok_or_else(|| another_type(&self.driver))
    }
}

#[cold]
fn another_type(driver: &Driver) -> Error {
    Error::BadKey { name: driver.driver.clone(), reason: "the driver made an instance of another type" }
}

/// The driver of a transform, and what another key needs to know.
pub struct Chosen {
    shared: DriverRef,
    cpu: CpuFeatures,
    /// Bytes of the key.
    key_len: usize,
}

impl Deref for Chosen {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.shared
    }
}

/// The lengths that a driver takes, as numbers to compare with. What they allow is right; what they do not may
/// be, and is for the slower question to the driver's [`Shape`].
#[derive(Clone, Copy)]
struct Limits {
    iv: usize,
    /// No bit of it is in a text's length.
    mask: usize,
    min: usize,
    /// Bytes of a digest, or of the longest tag, which nearly everybody uses.
    tag: usize,
    /// Shorter texts need no [`AeadOps::check`].
    free: usize,
}

impl Limits {
    /// Those of a driver. Texts of up to `unchecked` bytes need no other check.
    fn of(driver: &Driver, unchecked: Option<u64>) -> Self {
        let shape = &driver.shape;
        let (iv, tag) = (shape.ivsize, if driver.kind == Type::Hash { shape.digestsize } else { shape.tags.max() });
        let free = unchecked.map_or(0, |most| usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1));
        match shape.text {
            TextRule::Any => Self { iv, mask: 0, min: 0, tag, free },
            TextRule::Blocks if shape.blocksize.is_power_of_two() => {
                Self { iv, mask: shape.blocksize - 1, min: 0, tag, free }
            }
            TextRule::Blocks => Self { iv, mask: usize::MAX, min: 0, tag, free },
            TextRule::Stealing => Self { iv, mask: 0, min: shape.blocksize, tag, free },
            // What is below a power of two. Longer ones take the slower way.
            TextRule::DataUnit(max) => {
                let below = |max: usize| max.checked_ilog2().map_or(usize::MAX, |bits| usize::MAX << bits);
                let mask = usize::try_from(max).map_or(0, below);
                Self { iv, mask, min: shape.blocksize, tag, free }
            }
        }
    }

    #[inline(always)]
    fn allow(&self, iv: usize, text: usize) -> bool {
        iv == self.iv && text & self.mask == 0 && text >= self.min
    }
}

macro_rules! transform {
    ($(#[$doc:meta])* $name:ident, $ops:ident $(, $limits:ident = $most:expr)?) => {
        $(#[$doc])*
        pub struct $name {
            driver: Chosen,
            $($limits: Limits,)?
            pub(crate) ops: Box<dyn $ops>,
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({}, Key(..))"), self.driver.driver)
            }
        }

        impl Transform for $name {
            const TYPE: Type = Type::$name;
        }

        impl sealed::FromKeyed for $name {
            fn from_keyed(driver: Chosen, keyed: Keyed) -> Option<Self> {
                match keyed {
                    Keyed::$name(ops) => Some(Self { $($limits: Limits::of(&driver, $most(&*ops)),)? driver, ops }),
                    _ => None,
                }
            }
        }

        impl $name {
            /// The driver that does the work.
            pub fn driver(&self) -> &Driver {
                &self.driver
            }
        }
    };
}

macro_rules! rekeyed {
    ($($name:ident),*) => {$(
        impl $name {
            /// Takes another key in place of the one it has, and wipes that. The driver stays, and so does the memory
            /// where the driver can use it again: a new key costs its schedule. Known weak keys are refused. After an
            /// error the transform has the key that it had.
            ///
            /// ```
            /// let mut ctr = algkit::skcipher("ctr(aes)")?.key(&[1; 16])?;
            /// let (mut one, mut other) = ([0; 16], [0; 16]);
            /// ctr.encrypt(&mut [0; 16], &mut one[..])?;
            /// ctr.set_key(&[2; 32])?;
            /// ctr.encrypt(&mut [0; 16], &mut other[..])?;
            /// assert_ne!(one, other);
            /// assert!(ctr.set_key(&[3; 5]).is_err());
            /// # Ok::<(), algkit::Error>(())
            /// ```
            #[inline]
            pub fn set_key(&mut self, key: &[u8]) -> Result<(), Error> {
                self.set_key_with(key, WeakKeys::Refuse)
            }

            /// [`Self::set_key`], with a say in the matter of weak keys.
            #[inline]
            pub fn set_key_with(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
                // As long as the last key: as long as the driver allows.
                if (key.len() == self.driver.key_len || self.driver.takes_key(key)) && self.ops.set_key(key, weak) {
                    self.driver.key_len = key.len();
                    return Ok(());
                }
                self.replace(key, weak)
            }

            /// A new instance in place of the one there is, or what is wrong with the key.
            #[inline(never)]
            fn replace(&mut self, key: &[u8], weak: WeakKeys) -> Result<(), Error> {
                let keyed = self.driver.key(self.driver.cpu, key, weak)?;
                let driver = Chosen { shared: self.driver.shared.clone(), cpu: self.driver.cpu, key_len: key.len() };
                *self = sealed::FromKeyed::from_keyed(driver, keyed).ok_or_else(|| another_type(&self.driver))?;
                Ok(())
            }
        }
    )*};
}

rekeyed!(Cipher, Skcipher, Aead, Hash);

transform!(
    /// A keyed block cipher.
    Cipher, CipherOps, limits = |_| None);
transform!(
    /// A keyed cipher with a mode.
    ///
    /// ```
    /// let cbc = algkit::skcipher("cbc(aes)")?.key(&[1; 16])?;
    /// let (mut iv, mut block) = ([2; 16], [3; 16]);
    /// cbc.encrypt(&mut iv, &mut block[..])?;
    /// assert_eq!(iv, block); // the chaining value
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Skcipher, SkcipherOps, limits = |_| None);
transform!(
    /// A keyed AEAD.
    ///
    /// ```
    /// let gcm = algkit::aead("gcm(aes)")?.key(&[1; 16])?;
    /// let sealed = gcm.seal(&[0; 12], b"header", b"text")?;
    /// assert_eq!(gcm.open(&[0; 12], b"header", &sealed)?, b"text");
    /// assert_eq!(gcm.open(&[0; 12], b"another", &sealed), Err(algkit::Error::Authentication));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Aead, AeadOps, limits = AeadOps::unchecked);
transform!(
    /// A hash, with its key if it has one.
    ///
    /// ```
    /// let mac = algkit::hash("hmac(sha256)")?.key(b"key")?;
    /// let mut state = mac.start();
    /// state.update(b"mess");
    /// state.update(b"age");
    /// assert_eq!(state.finish(), mac.digest(b"message"));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Hash, HashOps, limits = |_| None);
transform!(
    /// A random number generator that has been seeded. All who share it share its state; any number of threads
    /// may ask it at once.
    ///
    /// ```
    /// let rng = algkit::rng("stdrng")?.key(b"a seed of any length, or none")?;
    /// let mut session_key = [0; 32];
    /// rng.generate(&[], &mut session_key)?;
    /// # assert_ne!(session_key, [0; 32]);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    ///
    /// For a DRBG the seed is the personalization string of SP 800-90A, and the entropy is the operating
    /// system's. A process that forks, and a virtual machine that is copied, need do nothing: every request
    /// draws on fresh entropy.
    Rng, RngOps);

impl Cipher {
    /// Encrypts whole blocks, each by itself.
    pub fn encrypt<'a>(&self, blocks: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.checked(blocks.into()).map(|blocks| self.ops.encrypt_blocks(blocks))
    }

    /// Decrypts whole blocks, each by itself.
    pub fn decrypt<'a>(&self, blocks: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.checked(blocks.into()).map(|blocks| self.ops.decrypt_blocks(blocks))
    }

    fn checked<'a>(&self, blocks: InOut<'a>) -> Result<InOut<'a>, Error> {
        if !self.limits.allow(0, blocks.len()) {
            check_text(&self.driver, blocks.len())?;
        }
        Ok(blocks)
    }
}

impl Skcipher {
    /// Encrypts `text`. `iv` has the declared length; it holds the chaining value afterwards, for
    /// the modes in which the kernel returns one.
    #[inline]
    pub fn encrypt<'a>(&self, iv: &mut [u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text(Direction::Encrypt, iv, text.into())
    }

    /// Decrypts `text`; `iv` as in [`Skcipher::encrypt`].
    #[inline]
    pub fn decrypt<'a>(&self, iv: &mut [u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text(Direction::Decrypt, iv, text.into())
    }

    /// [`Skcipher::encrypt`] of a message by itself: `iv` stays as it is, and nothing tells how to go on.
    ///
    /// ```
    /// let cbc = algkit::skcipher("cbc(aes)")?.key(&[1; 16])?;
    /// let mut block = [3; 16];
    /// cbc.encrypt_once(&[2; 16], &mut block[..])?;
    /// cbc.decrypt_once(&[2; 16], &mut block[..])?;
    /// assert_eq!(block, [3; 16]);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    #[inline]
    pub fn encrypt_once<'a>(&self, iv: &[u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text_once(Direction::Encrypt, iv, text.into())
    }

    /// [`Skcipher::decrypt`] of a message by itself.
    #[inline]
    pub fn decrypt_once<'a>(&self, iv: &[u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text_once(Direction::Decrypt, iv, text.into())
    }

    /// Either way.
    pub fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) -> Result<(), Error> {
        self.check(iv, text.len())?;
        crypt(&*self.ops, direction, iv, text);
        Ok(())
    }

    /// A text in one piece, of a length that needs no second look, is one indirect call. Everything else is a call in place of that
    /// one, so that nothing need be kept for it.
    #[inline(always)]
    fn crypt_text(&self, direction: Direction, iv: &mut [u8], text: Text<'_>) -> Result<(), Error> {
        match text.into_whole() {
            Ok(run) if self.limits.allow(iv.len(), run.len()) => {
                self.ops.crypt_run(direction, iv, run);
                Ok(())
            }
            Ok(run) => self.crypt_with_care(direction, iv, Text::from(run)),
            Err(text) => self.crypt_with_care(direction, iv, text),
        }
    }

    #[inline(always)]
    fn crypt_text_once(&self, direction: Direction, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        match text.into_whole() {
            Ok(run) if self.limits.allow(iv.len(), run.len()) => {
                self.ops.crypt_once(direction, iv, run);
                Ok(())
            }
            Ok(run) => self.crypt_copy(direction, iv, Text::from(run)),
            Err(text) => self.crypt_copy(direction, iv, text),
        }
    }

    #[inline(never)]
    fn crypt_copy(&self, direction: Direction, iv: &[u8], mut text: Text<'_>) -> Result<(), Error> {
        self.crypt(direction, &mut iv.to_vec(), &mut text)
    }

    #[inline(never)]
    fn crypt_with_care(&self, direction: Direction, iv: &mut [u8], mut text: Text<'_>) -> Result<(), Error> {
        self.crypt(direction, iv, &mut text)
    }

    /// Checks a request.
    #[inline(always)]
    pub(crate) fn check(&self, iv: &[u8], len: usize) -> Result<(), Error> {
        if self.limits.allow(iv.len(), len) {
            return Ok(());
        }
        self.objection(iv, len)
    }

    #[cold]
    #[inline(never)]
    fn objection(&self, iv: &[u8], len: usize) -> Result<(), Error> {
        check_iv(&self.driver, iv)?;
        check_text(&self.driver, len)
    }
}

/// Passes `text` through `ops`, a text in one piece without its bookkeeping.
pub(crate) fn crypt(ops: &dyn SkcipherOps, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
    match text.whole() {
        Some(run) => ops.crypt_run(direction, iv, run),
        None => ops.crypt(direction, iv, text),
    }
}

impl Aead {
    /// The IV as the associated data ends in it when it is authenticated, for a mode that encrypts it first (ESSIV); none for
    /// other modes, and for an IV of another length than theirs. The kernel writes it to the copy of the associated data.
    pub fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        self.ops.encrypted_iv(iv)
    }

    /// The longest tag, in bytes.
    pub fn max_tag_len(&self) -> usize {
        self.driver.shape.tags.max()
    }

    /// Ciphertext followed by the longest tag.
    pub fn seal(&self, iv: &[u8], assoc: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = vec![0; text.len() + self.max_tag_len()];
        let (ciphertext, tag) = out.split_at_mut(text.len());
        self.encrypt(iv, &[assoc], Text::new(text, ciphertext)?, tag)?;
        Ok(out)
    }

    /// The plaintext of what [`Aead::seal`] made.
    pub fn open(&self, iv: &[u8], assoc: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let Some(len) = sealed.len().checked_sub(self.max_tag_len()) else {
            return Err(Error::TextLength {
                name: self.driver.name.clone(),
                got: sealed.len() as u64,
                want: format!("at least the tag's {}", self.max_tag_len()),
            });
        };
        let (ciphertext, tag) = sealed.split_at(len);
        let mut text = vec![0; len];
        self.decrypt(iv, &[assoc], Text::new(ciphertext, &mut text)?, tag)?;
        Ok(text)
    }

    /// Encrypts `text` and writes a tag of `tag.len()` bytes; `assoc` is the associated data in pieces.
    #[inline]
    pub fn encrypt<'a>(
        &self,
        iv: &[u8],
        assoc: &[&[u8]],
        text: impl Into<Text<'a>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        match Message::of(assoc, text.into()) {
            Message::Packet(mut packet) => {
                self.check_lengths(iv, packet.assoc.len(), packet.text.len(), tag.len())?;
                self.ops.seal_packet(iv, &mut packet, tag);
                Ok(())
            }
            Message::Pieces(mut text) => self.seal_pieces(iv, assoc, &mut text, tag),
        }
    }

    /// Decrypts `text` if `tag` matches; if it does not, the destination is zeroed and the answer
    /// is [`Error::Authentication`].
    #[inline]
    pub fn decrypt<'a>(&self, iv: &[u8], assoc: &[&[u8]], text: impl Into<Text<'a>>, tag: &[u8]) -> Result<(), Error> {
        match Message::of(assoc, text.into()) {
            Message::Packet(mut packet) => {
                self.check_lengths(iv, packet.assoc.len(), packet.text.len(), tag.len())?;
                if self.ops.open_packet(iv, &mut packet, tag) { Ok(()) } else { refuse(&mut packet) }
            }
            Message::Pieces(mut text) => self.open_pieces(iv, assoc, &mut text, tag),
        }
    }

    /// The packet that a request is, if all is in one piece, and of lengths that need no second look.
    #[inline(always)]
    pub(crate) fn packet<'a>(
        &self,
        iv: &[u8],
        assoc: &[&'a [u8]],
        text: &'a mut Text<'_>,
        tag_len: usize,
    ) -> Option<Packet<'a>> {
        let assoc = one_piece(assoc)?;
        if !self.allows(iv, assoc.len(), text.len(), tag_len) {
            return None;
        }
        text.whole().map(|text| Packet { assoc, text })
    }

    /// [`Aead::encrypt`] of what is in any number of pieces.
    #[inline(never)]
    pub(crate) fn seal_pieces(
        &self,
        iv: &[u8],
        assoc: &[&[u8]],
        text: &mut Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check(iv, assoc, text, tag.len())?;
        self.ops.seal(iv, assoc, text, tag);
        Ok(())
    }

    /// [`Aead::decrypt`] of what is in any number of pieces.
    #[inline(never)]
    pub(crate) fn open_pieces(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.check(iv, assoc, text, tag.len())?;
        if self.ops.open(iv, assoc, text, tag) {
            return Ok(());
        }
        text.wipe();
        Err(Error::Authentication)
    }

    /// Checks a request.
    #[inline]
    pub(crate) fn check(&self, iv: &[u8], assoc: &[&[u8]], text: &Text<'_>, tag_len: usize) -> Result<(), Error> {
        self.check_lengths(iv, assoc.iter().map(|a| a.len()).sum(), text.len(), tag_len)
    }

    /// What is well costs a few comparisons; an error is made out of line.
    #[inline(always)]
    fn check_lengths(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> Result<(), Error> {
        if self.allows(iv, assoc_len, text_len, tag_len) {
            return Ok(());
        }
        self.objection(iv, assoc_len, text_len, tag_len)
    }

    #[inline(always)]
    fn allows(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> bool {
        self.limits.allow(iv.len(), text_len)
            && tag_len == self.limits.tag
            && (text_len < self.limits.free || self.ops.check(iv, assoc_len, text_len as u64).is_ok())
    }

    #[cold]
    #[inline(never)]
    fn objection(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> Result<(), Error> {
        let name = || self.driver.name.clone();
        check_iv(&self.driver, iv)?;
        let tags = &self.driver.shape.tags;
        if !tags.allows(tag_len) {
            return Err(Error::TagLength { name: name(), got: tag_len, want: tags.clone() });
        }
        check_text(&self.driver, text_len)?;
        self.ops.check(iv, assoc_len, text_len as u64).map_err(|refusal| match refusal {
            Refusal::Iv(reason) => Error::BadIv { name: name(), reason },
            Refusal::Assoc(want) => Error::AssocLength { name: name(), got: assoc_len, want },
            Refusal::Text(want) => Error::TextLength { name: name(), got: text_len as u64, want: want.to_owned() },
        })
    }
}

/// Associated data that is in one piece.
#[inline(always)]
fn one_piece<'a>(assoc: &[&'a [u8]]) -> Option<&'a [u8]> {
    match assoc {
        [] => Some(&[]),
        [one] => Some(one),
        _ => None,
    }
}

/// A message of an AEAD.
enum Message<'a> {
    /// All of it is in one piece.
    Packet(Packet<'a>),
    /// The text, in pieces, or that whose associated data is.
    Pieces(Text<'a>),
}

impl<'a> Message<'a> {
    #[inline(always)]
    fn of(assoc: &[&'a [u8]], text: Text<'a>) -> Self {
        match (one_piece(assoc), text.into_whole()) {
            (Some(assoc), Ok(text)) => Self::Packet(Packet { assoc, text }),
            (None, Ok(text)) => Self::Pieces(Text::from(text)),
            (_, Err(text)) => Self::Pieces(text),
        }
    }
}

/// What is left of a packet that is not authentic.
#[cold]
#[inline(never)]
fn refuse(packet: &mut Packet<'_>) -> Result<(), Error> {
    packet.text.dst().zeroize();
    Err(Error::Authentication)
}

impl Unkeyed<Hash> {
    /// The hash, without a key.
    pub fn unkeyed(&self) -> Result<Hash, Error> {
        if self.driver.shape.optional_key { self.key(&[]) } else { Err(Error::KeyMissing(self.driver.name.clone())) }
    }

    /// The digest of `data`, without a key.
    pub fn digest(&self, data: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.unkeyed()?.digest(data))
    }
}

impl Hash {
    /// Bytes of digest.
    pub fn digest_size(&self) -> usize {
        self.driver.shape.digestsize
    }

    /// The digest of `data`.
    pub fn digest(&self, data: &[u8]) -> Vec<u8> {
        let mut out = vec![0; self.digest_size()];
        self.ops.digest_whole(data, &mut out);
        out
    }

    /// The digest of the concatenation of `parts`, written to `out`, which has the digest's length or,
    /// for `keccak`, any.
    #[inline]
    pub fn digest_into(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        match parts {
            [message] if out.len() == self.limits.tag => {
                self.ops.digest_whole(message, out);
                Ok(())
            }
            _ => self.digest_pieces(parts, out),
        }
    }

    /// The same in pieces, or of an unusual length. It does not go back to the path above, for which a caller would save
    /// registers.
    #[inline(never)]
    fn digest_pieces(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.check(out)?;
        self.ops.digest(parts, out);
        Ok(())
    }

    /// Checks a request.
    #[inline]
    pub(crate) fn check(&self, out: &[u8]) -> Result<(), Error> {
        check_out(&self.driver, out)
    }

    /// A fresh state, to be fed piece by piece.
    pub fn start(&self) -> State {
        State { state: self.ops.start(), driver: self.driver.shared.clone() }
    }

    /// Whether `tag` is the digest of `data`, in a time that does not depend on where they differ.
    pub fn verify(&self, data: &[u8], tag: &[u8]) -> bool {
        use subtle::ConstantTimeEq;
        let mut digest = self.digest(data);
        let equal = digest.ct_eq(tag).into();
        digest.zeroize();
        equal
    }
}

impl Unkeyed<Rng> {
    /// The generator, seeded with `entropy` instead of the operating system's, and `seed`. Its output can be
    /// foreseen: for tests with known answers alone.
    ///
    /// For a DRBG `entropy` is the entropy input followed by the nonce.
    pub fn with_entropy(&self, entropy: &[u8], seed: &[u8]) -> Result<Rng, Error> {
        let rng = self.key(&[])?;
        rng.set_entropy(entropy)?;
        rng.instantiate(seed)?;
        Ok(rng)
    }
}

impl Rng {
    /// Fills `out` with random bytes, as many as there is room for; `additional` adds to the state, and may be empty.
    pub fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.ops.generate(additional, out).map_err(|failure| {
            out.fill(0);
            self.error(failure)
        })
    }

    /// Starts anew, with fresh entropy and `seed`.
    pub fn instantiate(&self, seed: &[u8]) -> Result<(), Error> {
        self.ops.instantiate(seed).map_err(|failure| self.error(failure))
    }

    /// Adds fresh entropy and `additional` to the state.
    pub fn reseed(&self, additional: &[u8]) -> Result<(), Error> {
        self.ops.reseed(additional).map_err(|failure| self.error(failure))
    }

    /// From now on, takes `entropy` wherever fresh entropy is needed: for tests with known answers alone.
    pub fn set_entropy(&self, entropy: &[u8]) -> Result<(), Error> {
        self.ops.set_entropy(entropy).map_err(|failure| self.error(failure))
    }

    fn error(&self, Failure(reason): Failure) -> Error {
        Error::Rng { name: self.driver.driver.clone(), reason }
    }
}

/// A hash in progress. A clone continues independently.
pub struct State {
    state: Box<dyn HashState>,
    driver: DriverRef,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { state: self.state.boxed_clone(), driver: self.driver.clone() }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State(..)")
    }
}

impl State {
    /// Absorbs `data`; any split of a message gives the same digest.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The digest of what was absorbed.
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = vec![0; self.driver.shape.digestsize];
        self.state.finish(&mut out);
        out
    }

    /// The digest of what was absorbed, written to `out`.
    pub fn finish_into(mut self, out: &mut [u8]) -> Result<(), Error> {
        check_out(&self.driver, out)?;
        self.state.finish(out);
        Ok(())
    }
}

#[inline]
fn check_out(driver: &Driver, out: &[u8]) -> Result<(), Error> {
    let want = driver.shape.digestsize;
    if out.len() == want || driver.shape.extendable {
        return Ok(());
    }
    Err(Error::OutputLength { got: out.len(), want })
}

#[inline]
fn check_iv(driver: &Driver, iv: &[u8]) -> Result<(), Error> {
    if iv.len() == driver.shape.ivsize { Ok(()) } else { bad_iv_length(driver, iv) }
}

#[cold]
#[inline(never)]
fn bad_iv_length(driver: &Driver, iv: &[u8]) -> Result<(), Error> {
    Err(Error::IvLength { name: driver.name.clone(), got: iv.len(), want: driver.shape.ivsize })
}

#[inline]
fn check_text(driver: &Driver, len: usize) -> Result<(), Error> {
    if driver.shape.takes(len) { Ok(()) } else { bad_text_length(driver, len) }
}

#[cold]
#[inline(never)]
fn bad_text_length(driver: &Driver, len: usize) -> Result<(), Error> {
    let block = driver.shape.blocksize;
    let want = match driver.shape.text {
        TextRule::Any => unreachable!("any text fits"),
        TextRule::Blocks => format!("a multiple of {block}"),
        TextRule::Stealing => format!("at least {block}"),
        TextRule::DataUnit(max) => format!("{block} to {max}"),
    };
    Err(Error::TextLength { name: driver.name.clone(), got: len as u64, want })
}
