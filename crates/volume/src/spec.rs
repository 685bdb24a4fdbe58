//! Cipher strings: `aes-xts-plain64`, `capi:xts(aes)-plain64`, as dm-crypt reads them
//! (Documentation/admin-guide/device-mapper/dm-crypt.rst).
//!
//! ```text
//! cipher[:keycount]-mode-iv[:options]      mode(cipher) is the algorithm
//! capi:algorithm-iv[:options]              any name of the crypto API, an algorithm's or a driver's
//! ```
//!
//! `essiv:sha256` makes the algorithm `essiv(mode(cipher),sha256)`; a mode of two ciphers is written `xchacha12,aes-adiantum-plain64`.

use crate::Error;
use algkit::{Name, sectors::SectorIv};
use std::fmt;

/// How the IV of a sector is made of its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Iv {
    /// The number itself, in one of several forms. ESSIV is a part of the algorithm, which gets the number as plain64.
    Number(SectorIv),
    /// The encryption of the sector's byte offset: `eboiv`, for BitLocker with CBC.
    Eboiv,
    /// As `eboiv`, and with a diffuser: `elephant`, for BitLocker as well. Half of the key belongs to the diffuser.
    Elephant,
    /// A hash of the sector: `lmk`, for loop-AES. There may be several keys, which sectors use in turn, and one more as a seed.
    Lmk,
    /// The IV and the whitening of TrueCrypt before it had XTS: `tcw`. Its secrets are at the end of the key.
    Tcw,
    /// Made anew for each write, and stored with the tag: `random`, for volumes with integrity alone.
    Random,
}

/// A cipher string, parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CipherSpec {
    text: String,
    algorithm: String,
    iv: Iv,
    keys: usize,
}

impl CipherSpec {
    /// Parses `text`; errors say why algkit would not use it.
    ///
    /// ```
    /// let spec = algkit_volume::CipherSpec::parse("aes-cbc-essiv:sha256")?;
    /// assert_eq!(spec.algorithm(), "essiv(cbc(aes),sha256)");
    /// # Ok::<(), algkit_volume::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::CipherSpec { spec: text.chars().take(128).collect(), reason };
        let Parts { algorithm, keys, iv, options } = match text.strip_prefix("capi:") {
            Some(rest) => capi(rest),
            None => classic(text),
        }
        .map_err(|reason| bad(reason.to_owned()))?;
        let (algorithm, iv) = match (iv, options) {
            ("essiv", None) => return Err(bad("essiv needs a hash, as in essiv:sha256".to_owned())),
            ("essiv", Some(hash)) => (format!("essiv({algorithm},{hash})"), Iv::Number(SectorIv::Plain64)),
            (iv, _) => (algorithm, named(iv).map_err(|reason| bad(reason.to_owned()))?),
        };
        if keys != 1 && iv != Iv::Lmk {
            return Err(bad("several keys in turn are loop-AES's, whose IV is lmk".to_owned()));
        }
        let name = Name::parse(&algorithm).map_err(|error| bad(error.to_string()))?;
        if let Some(reason) = refusal(&name) {
            return Err(bad(reason.to_owned()));
        }
        Ok(Self { text: text.to_owned(), algorithm, iv, keys })
    }

    /// What is known of the cipher of a volume with integrity.
    pub(crate) fn stored(text: &str, algorithm: String, random: bool) -> Self {
        let iv = if random { Iv::Random } else { Iv::Number(SectorIv::Plain64) };
        Self { text: text.to_owned(), algorithm, iv, keys: 1 }
    }

    /// The algorithm, or a driver, by the crypto API's name.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// How IVs are made.
    pub fn iv(&self) -> Iv {
        self.iv
    }

    /// The number of keys that sectors use in turn.
    pub(crate) fn keys(&self) -> usize {
        self.keys
    }

    /// Whether the IV is the low 32 bits of the sector's number, which repeat after 2 TiB.
    pub fn iv_repeats(&self) -> bool {
        self.iv == Iv::Number(SectorIv::Plain)
    }

    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::CipherSpec { spec: self.text.clone(), reason: reason.into() }
    }
}

impl fmt::Display for CipherSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

struct Parts<'a> {
    algorithm: String,
    keys: usize,
    iv: &'a str,
    options: Option<&'a str>,
}

/// Parses what follows `capi:`. Names of drivers and of hashes may have hyphens, so the text is cut at the last ones.
fn capi(rest: &str) -> Result<Parts<'_>, &'static str> {
    let (rest, options) = match rest.rsplit_once(':') {
        Some((rest, options)) => (rest, Some(options)),
        None => (rest, None),
    };
    let (algorithm, iv) = rest.rsplit_once('-').ok_or("expected capi:ALGORITHM-IV")?;
    Ok(Parts { algorithm: algorithm.to_owned(), keys: 1, iv, options })
}

fn classic(text: &str) -> Result<Parts<'_>, &'static str> {
    let mut parts = text.splitn(3, '-');
    let cipher = parts.next().unwrap_or_default();
    let (cipher, keys) = cipher.split_once(':').unwrap_or((cipher, "1"));
    if cipher.is_empty() {
        return Err("expected CIPHER-MODE-IV");
    }
    let keys = keys.parse().ok().filter(|keys: &usize| keys.is_power_of_two() && *keys <= MAX_KEYS);
    let keys = keys.ok_or("the number of keys is a power of two up to 64")?;
    // In dm-crypt, a cipher without a mode, or with `plain` in its place, means CBC with the IV plain, as in old volumes.
    let (mode, iv) = match (parts.next(), parts.next()) {
        (None, _) | (Some("plain"), None) => ("cbc", "plain"),
        _ if cipher == "cipher_null" => return Err(NULL),
        (Some("ecb"), _) => return Err(ECB),
        (Some(_), None) => return Err("an IV is missing, as in aes-xts-plain64"),
        (Some(mode), Some(iv)) => (mode, iv),
    };
    let (iv, options) = iv.split_once(':').map_or((iv, None), |(iv, options)| (iv, Some(options)));
    Ok(Parts { algorithm: format!("{mode}({cipher})"), keys, iv, options })
}

fn named(iv: &str) -> Result<Iv, &'static str> {
    Ok(Iv::Number(match iv {
        "plain" => SectorIv::Plain,
        "plain64" => SectorIv::Plain64,
        "plain64be" => SectorIv::Plain64be,
        "benbi" => SectorIv::Benbi,
        "null" => SectorIv::Null,
        "eboiv" => return Ok(Iv::Eboiv),
        "elephant" => return Ok(Iv::Elephant),
        "lmk" => return Ok(Iv::Lmk),
        "tcw" => return Ok(Iv::Tcw),
        "random" => return Err(RANDOM),
        _ => {
            return Err(
                "no such IV; expected plain, plain64, plain64be, essiv:HASH, benbi, null, eboiv, elephant, lmk or tcw",
            );
        }
    }))
}

/// The largest number of keys that sectors use in turn.
const MAX_KEYS: usize = 64;

/// Why such a volume is refused, which was made to be encrypted later: what is written to it would not be.
const NULL: &str = "it encrypts nothing: from its offset on, the device has the data as it is";

const ECB: &str = "ECB shows which blocks are equal";

/// Why an algorithm is refused for sectors, if its name shows that. Others are refused later, by the sizes of their drivers.
fn refusal(name: &Name) -> Option<&'static str> {
    match name.base.as_str() {
        "ecb" => Some(ECB),
        "ctr" | "rfc3686" | "xctr" | "ofb" | "cfb" | "chacha20" | "xchacha20" | "xchacha12" | "arc4" => Some(STREAM),
        "gcm" | "ccm" | "authenc" | "rfc7539" | "rfc4106" | "aegis128" => {
            Some("authenticated encryption needs a place for tags, which only a volume with integrity has")
        }
        _ => None,
    }
}

/// Why only a [`CipherSpec`] with tags has such IVs.
pub(crate) const RANDOM: &str = "random IVs have to be stored, which only a volume with integrity can";

/// The reason to refuse stream ciphers: two versions of a sector have the same key stream, which gives their difference away.
pub(crate) const STREAM: &str = "a stream cipher encrypts every version of a sector with the same key stream";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_dm_crypt() {
        use SectorIv::{Benbi, Null, Plain, Plain64, Plain64be};
        for (text, algorithm, iv) in [
            ("aes-xts-plain64", "xts(aes)", Iv::Number(Plain64)),
            ("aes:1-xts-plain64", "xts(aes)", Iv::Number(Plain64)),
            ("aes-cbc-essiv:sha256", "essiv(cbc(aes),sha256)", Iv::Number(Plain64)),
            ("aes-cbc-plain", "cbc(aes)", Iv::Number(Plain)),
            ("aes", "cbc(aes)", Iv::Number(Plain)),
            ("aes-plain", "cbc(aes)", Iv::Number(Plain)),
            ("aes-cbc-plain64be", "cbc(aes)", Iv::Number(Plain64be)),
            ("aes-lrw-benbi", "lrw(aes)", Iv::Number(Benbi)),
            ("aes-cbc-null", "cbc(aes)", Iv::Number(Null)),
            ("aes-cbc-eboiv", "cbc(aes)", Iv::Eboiv),
            ("aes-cbc-elephant", "cbc(aes)", Iv::Elephant),
            ("aes:64-cbc-lmk", "cbc(aes)", Iv::Lmk),
            ("aes-cbc-tcw", "cbc(aes)", Iv::Tcw),
            ("xchacha12,aes-adiantum-plain64", "adiantum(xchacha12,aes)", Iv::Number(Plain64)),
            ("capi:xts(aes)-plain64", "xts(aes)", Iv::Number(Plain64)),
            ("capi:xts-aes-vaes-avx2-plain64", "xts-aes-vaes-avx2", Iv::Number(Plain64)),
            ("capi:essiv(cbc(aes),sha256)-plain64", "essiv(cbc(aes),sha256)", Iv::Number(Plain64)),
            ("capi:cbc(aes)-essiv:sha256", "essiv(cbc(aes),sha256)", Iv::Number(Plain64)),
        ] {
            let spec = CipherSpec::parse(text).unwrap();
            assert_eq!((spec.algorithm(), spec.iv(), spec.to_string().as_str()), (algorithm, iv, text));
        }
    }

    #[test]
    fn what_is_refused_is_told_why() {
        for (text, reason) in [
            ("aes-ctr-plain64", "stream"),
            ("capi:chacha20-plain64", "stream"),
            ("aes-gcm-random", "random"),
            ("capi:gcm(aes)-plain64", "authenticated"),
            ("aes-ecb", "equal"),
            ("cipher_null-ecb", "encrypts nothing"),
            ("capi:ecb(aes)-plain64", "equal"),
            ("aes-xts", "IV is missing"),
            ("aes:64-xts-plain64", "loop-AES"),
            ("aes:65-cbc-lmk", "power of two"),
            ("aes:128-cbc-lmk", "power of two"),
            ("aes-xts-plain32", "no such IV"),
            ("aes-cbc-essiv", "hash"),
            ("", "expected CIPHER"),
            ("capi:", "expected capi"),
            ("aes((-xts-plain64", "bad algorithm name"),
        ] {
            let error = CipherSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
