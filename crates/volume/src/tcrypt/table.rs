//! What a header may be made with. No field in clear says which it is, so all are tried. The names, the order and the numbers are
//! those of cryptsetup's lib/tcrypt/tcrypt.c; for blake2s-256, those of VeraCrypt 1.26 (src/Common/Pkcs5.c).

/// A key derivation: PBKDF2 with this hash.
pub(super) struct Pbkdf2 {
    pub hash: &'static str,
    /// Iterations without a PIM.
    iterations: u32,
    /// Iterations with a PIM: a number, and how many are added for each unit of the PIM. TrueCrypt has no PIM.
    pim: Option<(u32, u32)>,
    /// Whether this is for disks that a system starts from.
    pub boot: bool,
}

impl Pbkdf2 {
    pub fn is_veracrypt(&self) -> bool {
        self.pim.is_some()
    }

    /// The number of iterations; none if a PIM is given and the key derivation has no PIM.
    pub fn iterations(&self, pim: Option<u32>) -> Option<u64> {
        match (pim, self.pim) {
            (None, _) => Some(u64::from(self.iterations)),
            (Some(pim), Some((base, factor))) => Some(u64::from(base) + u64::from(factor) * u64::from(pim)),
            (Some(_), None) => None,
        }
    }
}

const fn truecrypt(hash: &'static str, iterations: u32) -> Pbkdf2 {
    Pbkdf2 { hash, iterations, pim: None, boot: false }
}

const fn veracrypt(hash: &'static str, iterations: u32) -> Pbkdf2 {
    Pbkdf2 { hash, iterations, pim: Some((15_000, 1000)), boot: false }
}

const fn boot(hash: &'static str, iterations: u32) -> Pbkdf2 {
    Pbkdf2 { hash, iterations, pim: Some((0, 2048)), boot: true }
}

pub(super) static PBKDF2: &[Pbkdf2] = &[
    truecrypt("ripemd160", 2000),
    truecrypt("ripemd160", 1000),
    truecrypt("sha512", 1000),
    truecrypt("whirlpool", 1000),
    truecrypt("sha1", 2000),
    veracrypt("sha512", 500_000),
    veracrypt("whirlpool", 500_000),
    veracrypt("sha256", 500_000),
    boot("sha256", 200_000),
    veracrypt("blake2s-256", 500_000),
    boot("blake2s-256", 200_000),
    veracrypt("ripemd160", 655_331),
    boot("ripemd160", 327_661),
    veracrypt("stribog512", 500_000),
    boot("stribog512", 200_000),
];

/// How sectors are encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Xts,
    Lrw,
    /// CBC in which every cipher has a chain of its own, with whitening before and behind it.
    Cbc,
    /// CBC with one chain, in which all ciphers encrypt a block one after the other, with whitening.
    OuterCbc,
}

/// Ciphers, of which the first encrypts first, and their mode.
pub(super) struct Chain {
    pub ciphers: &'static [Cipher],
    pub mode: Mode,
}

impl Chain {
    /// Its name in cryptsetup.
    pub fn name(&self) -> String {
        self.ciphers.iter().map(|cipher| cipher.name).collect::<Vec<_>>().join("-")
    }

    /// Its mode in cryptsetup. dm-crypt can do neither CBC of several ciphers nor Blowfish with little-endian words.
    pub fn mode_name(&self) -> &'static str {
        match self.mode {
            Mode::Xts => "xts-plain64",
            Mode::Lrw => "lrw-benbi",
            Mode::Cbc if self.ciphers.iter().any(|cipher| cipher.little_endian()) => "cbc-tcrypt",
            Mode::Cbc => "cbc-tcw",
            Mode::OuterCbc => "cbci-tcrypt",
        }
    }

    /// The length of the key in bytes, as cryptsetup counts it.
    pub fn key_size(&self) -> usize {
        let keys: usize = self.ciphers.iter().map(|cipher| cipher.key).sum();
        match (self.mode, self.ciphers.last()) {
            (Mode::Xts, _) => 2 * keys,
            (Mode::Lrw, _) => keys + 16 * self.ciphers.len(),
            (_, last) => keys + last.map_or(0, |cipher| cipher.block) + 16,
        }
    }
}

pub(super) struct Cipher {
    /// The name in cryptsetup.
    pub name: &'static str,
    /// The length of the key in bytes.
    pub key: usize,
    /// The length of a block in bytes.
    pub block: usize,
}

impl Cipher {
    const fn new(name: &'static str, key: usize, block: usize) -> Self {
        Self { name, key, block }
    }

    /// Whether the two words of a block are little-endian, against the standard.
    pub fn little_endian(&self) -> bool {
        self.name == "blowfish_le"
    }

    /// The name in the crypto API.
    pub fn algorithm(&self) -> &'static str {
        self.name.strip_suffix("_le").unwrap_or(self.name)
    }
}

const AES: Cipher = Cipher::new("aes", 32, 16);
const SERPENT: Cipher = Cipher::new("serpent", 32, 16);
const TWOFISH: Cipher = Cipher::new("twofish", 32, 16);
const CAMELLIA: Cipher = Cipher::new("camellia", 32, 16);
const KUZNYECHIK: Cipher = Cipher::new("kuznyechik", 32, 16);
const CAST5: Cipher = Cipher::new("cast5", 16, 8);
const DES3: Cipher = Cipher::new("des3_ede", 24, 8);
const BLOWFISH: Cipher = Cipher::new("blowfish_le", 56, 8);

const fn chain(mode: Mode, ciphers: &'static [Cipher]) -> Chain {
    Chain { ciphers, mode }
}

pub(super) static CHAINS: &[Chain] = &[
    chain(Mode::Xts, &[AES]),
    chain(Mode::Xts, &[SERPENT]),
    chain(Mode::Xts, &[TWOFISH]),
    chain(Mode::Xts, &[TWOFISH, AES]),
    chain(Mode::Xts, &[SERPENT, TWOFISH, AES]),
    chain(Mode::Xts, &[AES, SERPENT]),
    chain(Mode::Xts, &[AES, TWOFISH, SERPENT]),
    chain(Mode::Xts, &[SERPENT, TWOFISH]),
    chain(Mode::Xts, &[CAMELLIA]),
    chain(Mode::Xts, &[KUZNYECHIK]),
    chain(Mode::Xts, &[KUZNYECHIK, CAMELLIA]),
    chain(Mode::Xts, &[TWOFISH, KUZNYECHIK]),
    chain(Mode::Xts, &[SERPENT, CAMELLIA]),
    chain(Mode::Xts, &[AES, KUZNYECHIK]),
    chain(Mode::Xts, &[CAMELLIA, SERPENT, KUZNYECHIK]),
    chain(Mode::Lrw, &[AES]),
    chain(Mode::Lrw, &[SERPENT]),
    chain(Mode::Lrw, &[TWOFISH]),
    chain(Mode::Lrw, &[TWOFISH, AES]),
    chain(Mode::Lrw, &[SERPENT, TWOFISH, AES]),
    chain(Mode::Lrw, &[AES, SERPENT]),
    chain(Mode::Lrw, &[AES, TWOFISH, SERPENT]),
    chain(Mode::Lrw, &[SERPENT, TWOFISH]),
    chain(Mode::Cbc, &[AES]),
    chain(Mode::Cbc, &[SERPENT]),
    chain(Mode::Cbc, &[TWOFISH]),
    chain(Mode::OuterCbc, &[TWOFISH, AES]),
    chain(Mode::OuterCbc, &[SERPENT, TWOFISH, AES]),
    chain(Mode::OuterCbc, &[AES, SERPENT]),
    chain(Mode::OuterCbc, &[AES, TWOFISH, SERPENT]),
    chain(Mode::OuterCbc, &[SERPENT, TWOFISH]),
    chain(Mode::Cbc, &[CAST5]),
    chain(Mode::Cbc, &[DES3]),
    chain(Mode::Cbc, &[BLOWFISH]),
    chain(Mode::Cbc, &[BLOWFISH, AES]),
    chain(Mode::Cbc, &[SERPENT, BLOWFISH, AES]),
];
