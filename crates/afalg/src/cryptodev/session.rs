//! Sessions: a keyed cipher, a hash, or both.

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
    /// What it has done, if that is counted.
    pub(super) usage: Option<Usage>,
}

impl Session {
    /// What `request` asks for, keys read from `memory`.
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
            // An AEAD has its own authentication.
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

    /// Fills in the session's part of a `session_info_op`. What the session does not have stays as it is.
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
        // No driver here wants aligned data, and none is out of reach of user space.
        raw[info::ALIGN_MASK..info::ALIGN_MASK + 2].fill(0);
        raw[info::FLAGS..info::FLAGS + 4].fill(0);
    }
}

/// A keyed cipher and the IV that its next operation starts from, unless the client gives one.
#[derive(Debug)]
pub(super) struct Cipher {
    pub(super) kind: Kind,
    pub(super) mode: Mode,
    iv: [u8; EALG_MAX_BLOCK_LEN],
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Text stays as it is.
    Null,
    /// A cipher with a mode.
    Skcipher(Skcipher),
    /// An AEAD, and the bytes of tag it makes now: at most as many as the operation before.
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
            return Err(Errno::INVAL); // two keys are for suites that no kernel has
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

    /// The IV of the next operation.
    pub(super) fn iv(&mut self) -> &mut [u8] {
        let len = self.iv_size();
        &mut self.iv[..len]
    }

    /// Whether a text may be cut into pieces of whole blocks, each continuing with the chaining value.
    pub(super) fn chains(&self) -> bool {
        !matches!(&self.kind, Kind::Skcipher(tfm) if tfm.driver().name.starts_with("xts("))
    }

    /// Passes `data` through the cipher in place. AEADs need more than that.
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

/// A hash, and what it has absorbed.
#[derive(Debug)]
pub(super) struct Digester {
    hash: Hash,
    state: State,
}

/// A digest.
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

    /// Forgets what was absorbed.
    pub(super) fn reset(&mut self) {
        self.state = self.hash.start();
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The digest of what was absorbed; the next message begins.
    pub(super) fn finish(&mut self) -> Result<Digest, Errno> {
        let mut digest = Digest { bytes: Zeroizing::new([0; AALG_MAX_RESULT_LEN]), len: self.digest_size() };
        let state = std::mem::replace(&mut self.state, self.hash.start());
        let out = digest.bytes.get_mut(..digest.len).ok_or(Errno::INVAL)?;
        state.finish_into(out).map_err(|_| Errno::INVAL)?;
        Ok(digest)
    }

    /// Takes over what `other` has absorbed.
    pub(super) fn copy(&mut self, other: &Self) -> Result<(), Errno> {
        if self.hash.driver().driver != other.hash.driver().driver {
            return Err(Errno::INVAL);
        }
        self.state = other.state.clone();
        Ok(())
    }
}
