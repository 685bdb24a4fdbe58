//! Compares every driver with RustCrypto's implementation of its algorithm, over lengths, splits and alignments.
//! The long self-test compares algorithms that RustCrypto lacks with the portable driver.

mod common;

use aes::{
    Aes128, Aes192, Aes256,
    cipher::{
        Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeEncrypt, BlockSizeUser, KeyInit, KeyIvInit,
        StreamCipher, StreamCipherSeek,
        array::Array,
        consts::{U1, U7, U8, U12, U13, U16, U20, U28, U32, U48},
    },
};
use algkit::{Aead, Error, Hash, Skcipher, WeakKeys};
use ccm::aead::AeadInOut;
use common::{Random, drivers_of, in_random_layout, lengths};
use hmac::Mac;
use serpent::Serpent;
use sha2::Digest;

/// Calls `$f::<C>($arg…)` for the AES with a key of `$len` bytes.
macro_rules! aes {
    ($len:expr, $f:ident, $($arg:expr),*) => {
        match $len {
            16 => $f::<Aes128>($($arg),*),
            24 => $f::<Aes192>($($arg),*),
            32 => $f::<Aes256>($($arg),*),
            n => panic!("AES keys do not have {n} bytes"),
        }
    };
}

trait Encrypts: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U16> + Clone {}
impl<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U16> + Clone> Encrypts for C {}

fn new<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("the key fits")
}

fn ecb<C: Encrypts>(key: &[u8], _iv: &[u8], text: &mut [u8]) {
    new::<C>(key).encrypt_blocks(Block::<C>::slice_as_chunks_mut(text).0);
}

fn cbc<C: Encrypts>(key: &[u8], iv: &[u8], text: &mut [u8]) {
    let mut cbc = cbc::Encryptor::<C>::new_from_slices(key, iv).expect("key and IV fit");
    cbc.encrypt_blocks(Block::<C>::slice_as_chunks_mut(text).0);
}

fn ctr<C: Encrypts>(key: &[u8], iv: &[u8], text: &mut [u8]) {
    let iv: [u8; 16] = iv.try_into().unwrap();
    ctr::Ctr128BE::<C>::inner_iv(key, &iv).apply_keystream(text);
}

/// A mode over a cipher with any key length.
trait InnerIv<C> {
    fn inner_iv(key: &[u8], iv: &[u8; 16]) -> Self;
}

impl<C: Encrypts> InnerIv<C> for ctr::Ctr128BE<C> {
    fn inner_iv(key: &[u8], iv: &[u8; 16]) -> Self {
        use aes::cipher::InnerIvInit;
        Self::from_core(ctr::CtrCore::inner_iv_init(new::<C>(key), &Array(*iv)))
    }
}

fn xts<C: Encrypts>(key: &[u8], iv: &[u8], text: &mut [u8]) {
    let (data, tweak) = key.split_at(key.len() / 2);
    let iv: [u8; 16] = iv.try_into().unwrap();
    xts_mode::Xts128::new(new::<C>(data), new::<C>(tweak)).encrypt_sector(text, Array(iv));
}

/// `crypt(key, IV, text)` encrypts in place. The IVs are random.
fn check_skcipher(name: &str, key_lengths: &[usize], crypt: impl Fn(&[u8], &[u8], &mut [u8])) {
    let iv_size = drivers_of(name)[0].1[0].shape.ivsize;
    check_skcipher_at(name, key_lengths, |random| random.bytes(iv_size), crypt);
}

/// Like [`check_skcipher`], with IVs from `iv`.
fn check_skcipher_at(
    name: &str,
    key_lengths: &[usize],
    iv: impl Fn(&mut Random) -> Vec<u8>,
    crypt: impl Fn(&[u8], &[u8], &mut [u8]),
) {
    let mut random = Random(1);
    for (registry, drivers) in drivers_of(name) {
        for driver in &drivers {
            let unkeyed = registry.transform::<Skcipher>(&driver.driver).unwrap();
            for &key_len in key_lengths {
                let key = random.bytes(key_len);
                let cipher = unkeyed.key_with(&key, WeakKeys::Allow).unwrap();
                for len in lengths(&mut random) {
                    let iv = iv(&mut random);
                    let text = random.bytes(driver.shape.fit(len));
                    let what = || format!("{}, key of {key_len} bytes, text of {}", driver.driver, text.len());
                    let mut want = text.clone();
                    crypt(&key, &iv, &mut want);
                    let got =
                        in_random_layout(&mut random, &text, |text| cipher.encrypt(&mut iv.clone(), text).unwrap());
                    assert!(got == want, "encrypting: {}", what());
                    let got =
                        in_random_layout(&mut random, &want, |text| cipher.decrypt(&mut iv.clone(), text).unwrap());
                    assert!(got == text, "decrypting: {}", what());
                }
            }
        }
    }
}

#[test]
fn ecb_is_ecb() {
    check_skcipher("ecb(aes)", &[16, 24, 32], |key, iv, text| aes!(key.len(), ecb, key, iv, text));
    check_skcipher("ecb(serpent)", &[16, 24, 32], ecb::<Serpent>);
}

#[test]
fn cbc_is_cbc() {
    check_skcipher("cbc(aes)", &[16, 24, 32], |key, iv, text| aes!(key.len(), cbc, key, iv, text));
}

#[test]
fn hctr2_is_hctr2() {
    check_skcipher("hctr2(aes)", &[16, 32], |key, tweak, text| {
        let plain = text.to_vec();
        match key.len() {
            16 => hctr2_rs::Hctr2_128::new(key).encrypt(&plain, tweak, text).unwrap(),
            _ => hctr2_rs::Hctr2_256::new(key).encrypt(&plain, tweak, text).unwrap(),
        }
    });
}

/// Wrapped keys of up to 512 bytes. The first word of the wrapped key is the IV.
#[test]
fn kw_is_kw() {
    fn wrap<C: Encrypts>(key: &[u8], text: &[u8]) -> Vec<u8> {
        let mut wrapped = vec![0; text.len() + 8];
        aes_kw::AesKw::<C>::new_from_slice(key).unwrap().wrap_key(text, &mut wrapped).unwrap();
        wrapped
    }
    let mut random = Random(5);
    for (registry, drivers) in drivers_of("kw(aes)") {
        for driver in &drivers {
            let unkeyed = registry.transform::<Skcipher>(&driver.driver).unwrap();
            for (key_len, words) in [16, 24, 32].into_iter().flat_map(|n| (2..=64).map(move |words| (n, words))) {
                let (key, text) = (random.bytes(key_len), random.bytes(8 * words));
                let want = aes!(key_len, wrap, &key, &text);
                let (kw, mut iv) = (unkeyed.key(&key).unwrap(), [0; 8]);
                let mut kept = text.clone();
                assert!(matches!(kw.encrypt_once(&iv, &mut kept[..]), Err(Error::ReturnsIv(_))) && kept == text);
                let got = in_random_layout(&mut random, &text, |text| kw.encrypt(&mut iv, text).unwrap());
                assert!([&iv[..], &got].concat() == want, "{}: key of {key_len} bytes, {words} words", driver.driver);
                let got = in_random_layout(&mut random, &want[8..], |text| kw.decrypt(&mut iv.clone(), text).unwrap());
                assert!(got == text, "{}: key of {key_len} bytes, {words} words, unwrapped", driver.driver);
            }
        }
    }
}

#[test]
fn ctr_is_ctr() {
    check_skcipher("ctr(aes)", &[16, 24, 32], |key, iv, text| aes!(key.len(), ctr, key, iv, text));
    check_skcipher("ctr(serpent)", &[16, 32], ctr::<Serpent>);
}

#[test]
fn xts_is_xts() {
    check_skcipher("xts(aes)", &[32, 48, 64], |key, iv, text| aes!(key.len() / 2, xts, key, iv, text));
    check_skcipher("xts(serpent)", &[32, 64], xts::<Serpent>);
}

#[test]
fn chacha_is_chacha() {
    // RustCrypto's counters have 32 bits and may not wrap; the self-test covers wrapping.
    let low_counter = |random: &mut Random| [&random.bytes(3)[..], &[0], &random.bytes(12)].concat();
    check_skcipher_at("chacha20", &[32], low_counter, |key, iv, text| {
        let (counter, nonce) = iv.split_first_chunk().unwrap();
        let mut chacha = chacha20::ChaCha20::new_from_slices(key, nonce).unwrap();
        chacha.seek(u64::from(u32::from_le_bytes(*counter)) * 64);
        chacha.apply_keystream(text);
    });
    let low_counter = |random: &mut Random| [&random.bytes(27)[..], &[0; 5]].concat();
    check_skcipher_at("xchacha20", &[32], low_counter, |key, iv, text| {
        let (nonce, counter) = iv.split_first_chunk::<24>().unwrap();
        let mut chacha = chacha20::XChaCha20::new_from_slices(key, nonce).unwrap();
        chacha.seek(u64::from_le_bytes(counter.try_into().unwrap()) * 64);
        chacha.apply_keystream(text);
    });
}

/// `seal(key, IV, associated data, text)` encrypts in place and returns the full tag.
fn check_aead(
    name: &str,
    key_lengths: &[usize],
    iv: impl Fn(&mut Random) -> Vec<u8>,
    seal: impl Fn(&[u8], &[u8], &[u8], &mut [u8]) -> Vec<u8>,
) {
    let mut random = Random(2);
    for (registry, drivers) in drivers_of(name) {
        for driver in &drivers {
            let unkeyed = registry.transform::<Aead>(&driver.driver).unwrap();
            for &key_len in key_lengths {
                let key = random.bytes(key_len);
                let aead = unkeyed.key(&key).unwrap();
                for len in lengths(&mut random) {
                    let assoc_len = [0, 1, 15, 16, 17, 100, 300][random.below(7)];
                    let (iv, assoc, text) = (iv(&mut random), random.bytes(assoc_len), random.bytes(len));
                    let what = || format!("{}, key of {key_len}, text of {len}, assoc of {assoc_len}", driver.driver);
                    let mut want = text.clone();
                    let want_tag = seal(&key, &iv, &assoc, &mut want);
                    let mid = random.below(assoc_len + 1);
                    let assoc = [&assoc[..mid], &assoc[mid..]];
                    let mut tag = vec![0; want_tag.len()];
                    let got =
                        in_random_layout(&mut random, &text, |text| aead.encrypt(&iv, &assoc, text, &mut tag).unwrap());
                    assert!(got == want && tag == want_tag, "encrypting: {}", what());
                    let got =
                        in_random_layout(&mut random, &want, |text| aead.decrypt(&iv, &assoc, text, &tag).unwrap());
                    assert!(got == text, "decrypting: {}", what());
                    tag[random.below(want_tag.len())] ^= 1 << random.below(8);
                    let got = in_random_layout(&mut random, &want, |text| {
                        assert_eq!(aead.decrypt(&iv, &assoc, text, &tag), Err(Error::Authentication), "{}", what());
                    });
                    assert!(got.iter().all(|&b| b == 0), "text is left: {}", what());
                }
            }
        }
    }
}

fn detached<A: AeadInOut + KeyInit>(key: &[u8], nonce: &[u8], assoc: &[u8], text: &mut [u8]) -> Vec<u8> {
    let nonce = nonce.try_into().expect("the nonce fits");
    new::<A>(key).encrypt_inout_detached(nonce, assoc, text.into()).expect("the lengths are allowed").to_vec()
}

#[test]
fn gcm_is_gcm() {
    check_aead(
        "gcm(aes)",
        &[16, 24, 32],
        |random| random.bytes(12),
        |key, iv, assoc, text| match key.len() {
            16 => detached::<aes_gcm::Aes128Gcm>(key, iv, assoc, text),
            24 => detached::<aes_gcm::AesGcm<Aes192, U12>>(key, iv, assoc, text),
            _ => detached::<aes_gcm::Aes256Gcm>(key, iv, assoc, text),
        },
    );
}

#[test]
fn gcm_takes_ivs_of_other_lengths() {
    fn check<N: aes::cipher::array::ArraySize>() {
        check_aead(
            "gcm(aes)",
            &[16, 32],
            |random| random.bytes(N::USIZE),
            |key, iv, assoc, text| match key.len() {
                16 => detached::<aes_gcm::AesGcm<Aes128, N>>(key, iv, assoc, text),
                _ => detached::<aes_gcm::AesGcm<Aes256, N>>(key, iv, assoc, text),
            },
        );
    }
    check::<U1>();
    check::<U8>();
    check::<U13>();
    check::<U16>();
    check::<U48>();
}

#[test]
fn ccm_is_ccm() {
    fn iv<const NONCE: usize>(random: &mut Random) -> Vec<u8> {
        let mut iv = vec![14 - NONCE as u8];
        iv.extend(random.bytes(15)); // the counter bytes are ignored
        iv
    }
    check_aead("ccm(aes)", &[16, 24, 32], iv::<13>, |key, iv, assoc, text| match key.len() {
        16 => detached::<ccm::Ccm<Aes128, U16, U13>>(key, &iv[1..14], assoc, text),
        24 => detached::<ccm::Ccm<Aes192, U16, U13>>(key, &iv[1..14], assoc, text),
        _ => detached::<ccm::Ccm<Aes256, U16, U13>>(key, &iv[1..14], assoc, text),
    });
    check_aead("ccm(aes)", &[16], iv::<7>, |key, iv, assoc, text| {
        detached::<ccm::Ccm<Aes128, U8, U7>>(key, &iv[1..8], assoc, text)
    });
}

#[test]
fn chacha_poly_is_chacha_poly() {
    check_aead(
        "rfc7539(chacha20,poly1305)",
        &[32],
        |random| random.bytes(12),
        detached::<chacha20poly1305::ChaCha20Poly1305>,
    );
}

/// Encrypts a text under a key, an IV and associated data, and returns the tag.
type Seal = fn(&[u8], &[u8], &[u8], &mut [u8]) -> Vec<u8>;

/// Messages in parts, with more blocks than a byte counts.
#[test]
fn a_long_message_in_parts_is_the_message_in_one() {
    let mut random = Random(9);
    let (key, iv, text) = (random.bytes(32), random.bytes(12), random.bytes(40_000));
    let seals: [(&str, Seal); 2] = [
        ("gcm(aes)", detached::<aes_gcm::Aes256Gcm>),
        ("rfc7539(chacha20,poly1305)", detached::<chacha20poly1305::ChaCha20Poly1305>),
    ];
    for (name, seal) in seals {
        let mut want = text.clone();
        let want_tag = seal(&key, &iv, b"assoc", &mut want);
        for (registry, drivers) in drivers_of(name) {
            for driver in &drivers {
                let aead = registry.transform::<Aead>(&driver.driver).unwrap().key(&key).unwrap();
                let (mut message, mut got, mut tag) = (aead.start(&iv).unwrap(), text.clone(), [0; 16]);
                message.assoc(b"assoc").unwrap();
                got.chunks_mut(5000).for_each(|part| message.encrypt(part).unwrap());
                message.finish(&mut tag).unwrap();
                assert!(got == want && tag[..] == want_tag, "{}", driver.driver);
            }
        }
    }
}

/// `digest(key, message)` computes the expected digest.
fn check_hash(name: &str, key_lengths: &[usize], digest: impl Fn(&[u8], &[u8]) -> Vec<u8>) {
    let mut random = Random(3);
    for (registry, drivers) in drivers_of(name) {
        for driver in &drivers {
            let unkeyed = registry.transform::<Hash>(&driver.driver).unwrap();
            for &key_len in key_lengths {
                let key = random.bytes(key_len);
                let hash = unkeyed.key(&key).unwrap();
                for len in lengths(&mut random) {
                    let message = random.bytes(len);
                    let want = digest(&key, &message);
                    assert!(hash.digest(&message) == want, "{}, {len} bytes", driver.driver);
                    let mut state = hash.start();
                    let (mut rest, mut clone) = (&message[..], None);
                    for piece in random.pieces(len) {
                        let (front, back) = rest.split_at(piece);
                        state.update(front);
                        rest = back;
                        clone.get_or_insert_with(|| (state.clone(), rest));
                    }
                    assert!(state.finish() == want, "{}, {len} bytes in pieces", driver.driver);
                    if let Some((mut state, rest)) = clone {
                        state.update(rest);
                        assert!(state.finish() == want, "{}, {len} bytes, a clone", driver.driver);
                    }
                }
            }
        }
    }
}

fn digest<D: Digest>(_key: &[u8], message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

fn mac<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    new::<M>(key).chain_update(message).finalize().into_bytes().to_vec()
}

#[test]
fn hashes_are_hashes() {
    check_hash("sha1", &[0], digest::<sha1::Sha1>);
    check_hash("sha224", &[0], digest::<sha2::Sha224>);
    check_hash("sha256", &[0], digest::<sha2::Sha256>);
    check_hash("sha384", &[0], digest::<sha2::Sha384>);
    check_hash("sha512", &[0], digest::<sha2::Sha512>);
    check_hash("sha512-224", &[0], digest::<sha2::Sha512_224>);
    check_hash("sha512-256", &[0], digest::<sha2::Sha512_256>);
    check_hash("sha3-224", &[0], digest::<sha3::Sha3_224>);
    check_hash("sha3-256", &[0], digest::<sha3::Sha3_256>);
    check_hash("sha3-384", &[0], digest::<sha3::Sha3_384>);
    check_hash("sha3-512", &[0], digest::<sha3::Sha3_512>);
    check_hash("keccak-224", &[0], digest::<sha3::Keccak224>);
    check_hash("keccak-256", &[0], digest::<sha3::Keccak256>);
    check_hash("keccak-384", &[0], digest::<sha3::Keccak384>);
    check_hash("keccak-512", &[0], digest::<sha3::Keccak512>);
    check_hash("blake2b-160", &[0], digest::<blake2::Blake2b<U20>>);
    check_hash("blake2b-256", &[0], digest::<blake2::Blake2b<U32>>);
    check_hash("blake2b-384", &[0], digest::<blake2::Blake2b<U48>>);
    check_hash("blake2b-512", &[0], digest::<blake2::Blake2b512>);
    check_hash("blake2s-128", &[0], digest::<blake2::Blake2s<U16>>);
    check_hash("blake2s-160", &[0], digest::<blake2::Blake2s<U20>>);
    check_hash("blake2s-224", &[0], digest::<blake2::Blake2s<U28>>);
    check_hash("blake2s-256", &[0], digest::<blake2::Blake2s256>);
}

#[test]
fn macs_are_macs() {
    check_hash("cmac(aes)", &[16], mac::<cmac::Cmac<Aes128>>);
    check_hash("cmac(aes)", &[24], mac::<cmac::Cmac<Aes192>>);
    check_hash("cmac(aes)", &[32], mac::<cmac::Cmac<Aes256>>);
    check_hash("hmac(sha1)", &[0, 20, 64, 65], mac::<hmac::Hmac<sha1::Sha1>>);
    check_hash("hmac(sha224)", &[28, 200], mac::<hmac::Hmac<sha2::Sha224>>);
    check_hash("hmac(sha256)", &[1, 32, 64, 65], mac::<hmac::Hmac<sha2::Sha256>>);
    check_hash("hmac(sha384)", &[48, 200], mac::<hmac::Hmac<sha2::Sha384>>);
    check_hash("hmac(sha512)", &[64, 128, 129], mac::<hmac::Hmac<sha2::Sha512>>);
    check_hash("hmac(sha3-256)", &[32, 136, 137], mac::<hmac::SimpleHmac<sha3::Sha3_256>>);
    check_hash("blake2b-512", &[1, 32, 64], mac::<blake2::Blake2bMac512>);
    check_hash("blake2s-256", &[1, 16, 32], mac::<blake2::Blake2sMac256>);
}
