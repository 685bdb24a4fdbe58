//! Known answers, typed in from the standards. Each names its source. Where nothing is published, the answer comes
//! from another implementation, which the source names too.

mod aead;
mod hash;
#[cfg(feature = "legacy")]
mod legacy;
#[cfg(feature = "rng")]
mod rng;
mod skcipher;
mod wide;

/// A known answer of the algorithm `name`.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// The algorithm: `xts(aes)`. For a random number generator the driver, as each driver is a different
    /// algorithm.
    pub name: &'static str,
    /// The standard and section, or the document and vector number.
    pub source: &'static str,
    /// The inputs and the output.
    pub known: Known,
}

/// Inputs and output of a known answer, by type.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the fields are named as the operations name them
#[non_exhaustive]
pub enum Known {
    /// A block cipher: whole blocks.
    Cipher { key: &'static [u8], plain: &'static [u8], cipher: &'static [u8] },
    /// A mode: a text with its IV.
    Skcipher { key: &'static [u8], iv: &'static [u8], plain: &'static [u8], cipher: &'static [u8] },
    /// An AEAD: a text with its IV and associated data. `sealed` is the ciphertext followed by the tag.
    Aead { key: &'static [u8], iv: &'static [u8], assoc: &'static [u8], plain: &'static [u8], sealed: &'static [u8] },
    /// A hash: a message and its digest. An empty key means none.
    Hash { key: &'static [u8], message: &'static [u8], digest: &'static [u8] },
    /// A generator that is instantiated with this entropy (including the nonce) and this seed. It gets two requests
    /// of equal length; `out` is the output of the second one. Each request has additional input, and `fresh`
    /// entropy for generators that reseed before each request.
    Rng {
        entropy: &'static [u8],
        seed: &'static [u8],
        fresh: [&'static [u8]; 2],
        additional: [&'static [u8]; 2],
        out: &'static [u8],
    },
}

/// The vectors of all families.
pub(crate) static VECTORS: &[&[Vector]] = &[
    aead::VECTORS,
    hash::VECTORS,
    #[cfg(feature = "legacy")]
    legacy::VECTORS,
    #[cfg(feature = "rng")]
    rng::VECTORS,
    skcipher::VECTORS,
    wide::VECTORS,
];

/// `start` followed by zeros, `N` bytes in total.
const fn padded<const N: usize>(start: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.split_at_mut(start.len()).0.copy_from_slice(start);
    bytes
}

/// `part`, repeated to `N` bytes.
const fn repeated<const N: usize>(part: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = part[i % part.len()];
        i += 1;
    }
    bytes
}

/// `N` bytes that count up from `first`, modulo 256.
const fn ascending<const N: usize>(first: u8) -> [u8; N] {
    let mut bytes = [first; N];
    let mut i = 1;
    while i < N {
        bytes[i] = bytes[i - 1].wrapping_add(1);
        i += 1;
    }
    bytes
}

/// The key of `authenc` for these two keys (see [`crate::authenc_key`]). `N` is 8 more than the sum of their
/// lengths.
const fn authenc_key<const N: usize>(auth_key: &[u8], enc_key: &[u8]) -> [u8; N] {
    let mut key = [0; N];
    let ([l0, l1], [t0, t1]) = (8u16.to_ne_bytes(), 1u16.to_ne_bytes());
    let [n0, n1, n2, n3] = (enc_key.len() as u32).to_be_bytes();
    let (header, keys) = key.split_at_mut(8);
    header.copy_from_slice(&[l0, l1, t0, t1, n0, n1, n2, n3]);
    let (auth, enc) = keys.split_at_mut(auth_key.len());
    auth.copy_from_slice(auth_key);
    enc.copy_from_slice(enc_key);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(feature = "legacy", feature = "rng"))] // the catalogue lists them all
    #[test]
    fn every_algorithm_has_known_answers() {
        let known = |name: &str| VECTORS.iter().copied().flatten().any(|vector| vector.name == name);
        let registry = crate::Registry::default();
        let without: Vec<_> = crate::CATALOGUE.iter().filter(|name| !known(name)).collect();
        assert_eq!(without, [&"stdrng", &"jitterentropy_rng"]);
        let generators: Vec<_> = registry.drivers().into_iter().filter(|driver| driver.name == "stdrng").collect();
        assert!(generators.len() == 22 && generators.iter().all(|driver| known(&driver.driver)));
    }

    #[cfg(feature = "legacy")]
    #[test]
    fn every_vector_is_of_an_algorithm() {
        let registry = crate::Registry::new(algkit_primitives::cpu::CpuFeatures::detect(), crate::Policy::Table);
        for vector in VECTORS.iter().copied().flatten() {
            let driver = registry.find_any(vector.name).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
            let of = if driver.kind == crate::Type::Rng { &driver.driver } else { &driver.name };
            assert_eq!(of, vector.name);
        }
    }

    #[test]
    fn const_keys_are_those_of_the_template() {
        assert_eq!(authenc_key::<13>(&[1, 2, 3], &[4, 5]), **crate::authenc_key(&[1, 2, 3], &[4, 5]));
    }
}
