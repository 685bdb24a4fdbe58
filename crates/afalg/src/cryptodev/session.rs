//! Sessions of `/dev/crypto`: a keyed cipher, a hash, or both.

use super::{
    abi::{
        AALG_MAX_RESULT_LEN, CRYPTO_CIPHER_MAX_KEY_LEN, CRYPTO_HMAC_MAX_KEY_LEN, CRYPTODEV_MAX_ALG_NAME,
        EALG_MAX_BLOCK_LEN, SESSION_INFO_LEN, SessionOp, info,
    },
    algorithms::{self, Mode},
};
use crate::{Errno, Memory, alg::transform, usage::Usage};
use algkit::{Aead, Direction, Driver, Hash, Skcipher, State, Text, WeakKeys};
use zeroize::Zeroizing;

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) cipher: Option<Cipher>,
    pub(super) hash: Option<Digester>,
    /// The usage counts, if enabled.
    pub(super) usage: Option<Usage>,
}

impl Session {
    /// Creates the session for `request`. Keys are read from `memory`.
    pub(super) fn new(request: &SessionOp, memory: &dyn Memory) -> Result<Self, Errno> {
        if request.cipher == 0 && request.mac == 0 {
            return Err(Errno::INVAL);
        }
        let find = |number| algorithms::cipher(number).ok_or(Errno::INVAL);
        let cipher = (request.cipher != 0).then(|| find(request.cipher)).transpose()?;
        let find = |number| algorithms::hash(number).ok_or(Errno::INVAL);
        let hash = (request.mac != 0).then(|| find(request.mac)).transpose()?;
        let is_aead = cipher.is_some_and(|(_, mode)| mode == Mode::Aead);
        let mut session = Self {
            cipher: cipher.map(|(name, mode)| Cipher::new(name, mode, request, memory)).transpose()?,
            // An AEAD includes authentication, so the hash is ignored.
            hash: hash
                .filter(|_| !is_aead)
                .map(|(name, keyed)| Digester::new(name, keyed, request, memory))
                .transpose()?,
            usage: None,
        };
        let cipher = session.cipher.as_ref().and_then(Cipher::driver);
        session.usage = cipher.or(session.hash.as_ref().map(|hash| hash.hash.driver())).and_then(Usage::open);
        Ok(session)
    }

    /// Writes the names of the session's algorithms to a `session_info_op`. Fields of absent algorithms are not
    /// changed.
    pub(super) fn describe(&self, raw: &mut [u8; SESSION_INFO_LEN]) {
        let mut put = |at: usize, name: &str| {
            let len = name.len().min(CRYPTODEV_MAX_ALG_NAME - 1);
            raw[at..at + len].copy_from_slice(&name.as_bytes()[..len]);
            raw[at + len] = 0;
        };
        if let Some(cipher) = &self.cipher {
            let (name, driver) = cipher.names();
            put(info::CIPHER, name);
            put(info::CIPHER + CRYPTODEV_MAX_ALG_NAME, driver);
        }
        if let Some(hash) = &self.hash {
            put(info::HASH, &hash.hash.driver().name);
            put(info::HASH + CRYPTODEV_MAX_ALG_NAME, &hash.hash.driver().driver);
        }
        // The drivers need no alignment and are all available in user space.
        raw[info::ALIGN_MASK..info::ALIGN_MASK + 2].fill(0);
        raw[info::FLAGS..info::FLAGS + 4].fill(0);
    }
}

/// A keyed cipher, and the IV of its next operation if the client gives none.
#[derive(Debug)]
pub(super) struct Cipher {
    pub(super) kind: Kind,
    pub(super) mode: Mode,
    iv: [u8; EALG_MAX_BLOCK_LEN],
}

#[derive(Debug)]
pub(super) enum Kind {
    /// The null cipher.
    Null,
    /// A symmetric cipher with a mode.
    Skcipher(Skcipher),
    /// An AEAD and its current tag length in bytes, which later operations can only reduce.
    Aead(Aead, usize),
}

impl Cipher {
    fn new(name: &str, mode: Mode, request: &SessionOp, memory: &dyn Memory) -> Result<Self, Errno> {
        let mut room = Zeroizing::new([0; CRYPTO_CIPHER_MAX_KEY_LEN]);
        let key = room.get_mut(..request.key_len as usize).ok_or(Errno::INVAL)?;
        let has_mac_key = mode == Mode::Aead && request.mac_key_len > 0;
        if has_mac_key && request.mac_key_len as usize > CRYPTO_HMAC_MAX_KEY_LEN {
            return Err(Errno::INVAL);
        }
        memory.read(request.key, key)?;
        if has_mac_key {
            return Err(Errno::INVAL); // two keys are for suites that no kernel implements
        }
        let refused = |_| Errno::INVAL;
        let kind = match mode {
            Mode::Aead => {
                let aead: Aead = transform::<Aead>(name)
                    .or(Err(Errno::INVAL))
                    .and_then(|a| a.key_with(key, WeakKeys::Allow).map_err(refused))?;
                let tag_len = aead.max_tag_len();
                Kind::Aead(aead, tag_len)
            }
            _ if name == algorithms::NULL && key.is_empty() => Kind::Null,
            _ if name == algorithms::NULL => return Err(Errno::INVAL),
            _ => Kind::Skcipher(
                transform::<Skcipher>(name)
                    .or(Err(Errno::INVAL))
                    .and_then(|c| c.key_with(key, WeakKeys::Allow).map_err(refused))?,
            ),
        };
        Ok(Self { kind, mode, iv: [0; EALG_MAX_BLOCK_LEN] })
    }

    fn driver(&self) -> Option<&Driver> {
        match &self.kind {
            Kind::Null => None,
            Kind::Skcipher(tfm) => Some(tfm.driver()),
            Kind::Aead(tfm, _) => Some(tfm.driver()),
        }
    }

    fn names(&self) -> (&str, &str) {
        self.driver().map_or((algorithms::NULL, algorithms::NULL_DRIVER), |driver| (&driver.name, &driver.driver))
    }

    pub(super) fn block_size(&self) -> usize {
        self.driver().map_or(1, |driver| driver.shape.blocksize)
    }

    pub(super) fn iv_size(&self) -> usize {
        self.driver().map_or(0, |driver| driver.shape.ivsize.min(EALG_MAX_BLOCK_LEN))
    }

    /// The IV of the next operation. An operation leaves the chaining value here.
    pub(super) fn iv(&mut self) -> &mut [u8] {
        let len = self.iv_size();
        &mut self.iv[..len]
    }

    /// Whether a text may be processed in pieces of whole blocks, each continuing from the chaining value.
    pub(super) fn chains(&self) -> bool {
        !matches!(&self.kind, Kind::Skcipher(tfm) if tfm.driver().name.starts_with("xts("))
    }

    /// Encrypts or decrypts `data` in place. Fails for AEADs.
    pub(super) fn crypt(&mut self, direction: Direction, data: &mut [u8]) -> Result<(), Errno> {
        let len = self.iv_size();
        match &self.kind {
            Kind::Null => Ok(()),
            Kind::Skcipher(tfm) => {
                tfm.crypt(direction, &mut self.iv[..len], &mut Text::from(data)).map_err(|_| Errno::INVAL)
            }
            Kind::Aead(..) => Err(Errno::INVAL),
        }
    }
}

/// A hash and the state of its message.
#[derive(Debug)]
pub(super) struct Digester {
    hash: Hash,
    state: State,
}

/// A digest of up to 64 bytes.
pub(super) struct Digest {
    bytes: Zeroizing<[u8; AALG_MAX_RESULT_LEN]>,
    len: usize,
}

impl Digest {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Digester {
    fn new(name: &str, keyed: bool, request: &SessionOp, memory: &dyn Memory) -> Result<Self, Errno> {
        let mut room = Zeroizing::new([0; CRYPTO_HMAC_MAX_KEY_LEN]);
        let key = room.get_mut(..request.mac_key_len as usize).ok_or(Errno::INVAL)?;
        if request.mac_key != 0 {
            memory.read(request.mac_key, key)?;
        }
        let driver = transform::<Hash>(name).or(Err(Errno::INVAL))?;
        let hash = if keyed { driver.key_with(key, WeakKeys::Allow) } else { driver.unkeyed() };
        let hash = hash.map_err(|_| Errno::INVAL)?;
        let state = hash.start();
        Ok(Self { hash, state })
    }

    pub(super) fn digest_size(&self) -> usize {
        self.hash.digest_size()
    }

    /// Starts a new message.
    pub(super) fn reset(&mut self) {
        self.state = self.hash.start();
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// Returns the digest of the message and starts a new one.
    pub(super) fn finish(&mut self) -> Result<Digest, Errno> {
        let state = std::mem::replace(&mut self.state, self.hash.start());
        self.digest(state)
    }

    /// The digest of the message so far.
    pub(super) fn so_far(&self) -> Result<Digest, Errno> {
        self.digest(self.state.clone())
    }

    fn digest(&self, state: State) -> Result<Digest, Errno> {
        let mut digest = Digest { bytes: Zeroizing::new([0; AALG_MAX_RESULT_LEN]), len: self.digest_size() };
        let out = digest.bytes.get_mut(..digest.len).ok_or(Errno::INVAL)?;
        state.finish_into(out).map_err(|_| Errno::INVAL)?;
        Ok(digest)
    }

    /// Replaces the message by a copy of `other`'s.
    pub(super) fn copy(&mut self, other: &Self) -> Result<(), Errno> {
        if self.hash.driver().driver != other.hash.driver().driver {
            return Err(Errno::INVAL);
        }
        self.state = other.state.clone();
        Ok(())
    }
}
