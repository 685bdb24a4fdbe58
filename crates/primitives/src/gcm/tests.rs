use super::{GcmKey, GcmToken};
use crate::cpu::CpuFeatures;
use crate::{InOut, Packet};
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use std::vec::Vec;

/// Runs `$check::<T>()` for every token; a check returns at once if the CPU lacks the features.
macro_rules! every_token {
    ($check:ident) => {
        #[cfg(target_arch = "x86_64")]
        {
            $check::<crate::cpu::AesNi>();
            $check::<crate::cpu::Vaes256>();
            $check::<crate::cpu::Vaes512>();
        }
        #[cfg(target_arch = "aarch64")]
        $check::<crate::cpu::ArmCe>();
    };
}

struct Vector {
    key: &'static str,
    iv: &'static str,
    plaintext: &'static str,
    aad: &'static str,
    ciphertext: &'static str,
    tag: &'static str,
}

const NONE: &str = "";
const KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const IV: &str = "cafebabefacedbaddecaf888";
const AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
const SEALED_128: &str = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                          21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985";
const SEALED_192: &str = "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                          7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256";
const SEALED_256: &str = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                          8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad";

/// The test cases with 96-bit IVs of McGrew and Viega, "The Galois/Counter Mode of Operation",
/// appendix B.
fn vectors() -> Vec<Vector> {
    let mut all = Vec::new();
    for (len, empty_tag, one, one_tag, sealed, tag, aad_tag) in [
        // Cases 1 to 4.
        (
            32,
            "58e2fccefa7e3061367f1d57a4e7455a",
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
            SEALED_128,
            "4d5c2af327cd64a62cf35abd2ba6fab4",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        // Cases 7 to 10.
        (
            48,
            "cd33b28ac773f74ba00ed1f312572435",
            "98e7247c07f0fe411c267e4384b0f600",
            "2ff58d80033927ab8ef4d4587514f0fb",
            SEALED_192,
            "9924a7c8587336bfb118024db8674a14",
            "2519498e80f1478f37ba55bd6d27618c",
        ),
        // Cases 13 to 16.
        (
            64,
            "530f8afbc74536b9a963b4f1c4cb738b",
            "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919",
            SEALED_256,
            "b094dac5d93471bdec1a502270e3cc6c",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ),
    ] {
        let (zeros, iv) = (&ZEROS[..len], &ZEROS[..24]);
        let block = &ZEROS[..32];
        all.push(Vector { key: zeros, iv, plaintext: NONE, aad: NONE, ciphertext: NONE, tag: empty_tag });
        all.push(Vector { key: zeros, iv, plaintext: block, aad: NONE, ciphertext: one, tag: one_tag });
        let key = &KEY[..len];
        all.push(Vector { key, iv: IV, plaintext: TEXT, aad: NONE, ciphertext: sealed, tag });
        let (plaintext, ciphertext) = (&TEXT[..120], &sealed[..120]);
        all.push(Vector { key, iv: IV, plaintext, aad: AAD, ciphertext, tag: aad_tag });
    }
    all
}

fn seal<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], assoc: &[u8], text: InOut<'_>) -> [u8; 16] {
    let mut tag = [0xee; 16];
    key.seal(iv, &mut Packet { assoc, text }, &mut tag);
    tag
}

/// Decrypts and returns the message's own tag, after checking that `open` accepts `tag` and refuses it with a bit
/// changed.
fn open<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], assoc: &[u8], mut text: InOut<'_>, tag: &[u8; 16]) -> [u8; 16] {
    let mut own = [0xee; 16];
    let mut copy = text.src().to_vec();
    let mut packet = Packet { assoc, text: InOut::from(&mut copy[..]) };
    key.unseal(iv, &mut packet, &mut own);
    for bit in [0, 63, 64, 127] {
        let mut copy = text.src().to_vec();
        let mut wrong = *tag;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(!key.open(iv, &mut Packet { assoc, text: InOut::from(&mut copy[..]) }, &wrong), "bit {bit}");
    }
    assert!(key.open(iv, &mut Packet { assoc, text: text.reborrow() }, tag));
    assert_eq!(text.written(), copy);
    own
}

fn published<T: GcmToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let hex = |s: &str| hex::decode(s).unwrap();
    for v in vectors() {
        let key = GcmKey::new(token, &hex(v.key)).unwrap();
        let iv = hex(v.iv).try_into().unwrap();
        let (mut text, aad) = (hex(v.plaintext), hex(v.aad));
        let tag = seal(&key, &iv, &aad, InOut::from(&mut text[..]));
        assert_eq!((text.clone(), tag.to_vec()), (hex(v.ciphertext), hex(v.tag)));
        let tag = open(&key, &iv, &aad, InOut::from(&mut text[..]), &tag);
        assert_eq!((text.clone(), tag.to_vec()), (hex(v.plaintext), hex(v.tag)));
        let mut state = key.start(&iv);
        key.aad(&mut state, &aad);
        key.encrypt(&mut state, InOut::from(&mut text[..]));
        let tag = key.finish(state);
        assert_eq!((text, tag.to_vec()), (hex(v.ciphertext), hex(v.tag)));
    }
    for len in (0..40).filter(|len| ![16, 24, 32].contains(len)) {
        assert!(GcmKey::new(token, &[0; 40][..len]).is_none());
    }
}

#[test]
fn published_vectors() {
    every_token!(published);
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    /// A random number of at most `n`.
    fn up_to(&mut self, n: usize) -> usize {
        self.next() as usize % (n + 1)
    }
}

/// Ciphertext and tag by RustCrypto.
fn peer(key: &[u8], iv: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let mut text = plaintext.to_vec();
    let buffer = text.as_mut_slice().into();
    let tag = match key.len() {
        16 => Aes128Gcm::new_from_slice(key).unwrap().encrypt_inout_detached(iv.into(), aad, buffer),
        24 => {
            AesGcm::<aes::Aes192, U12, U16>::new_from_slice(key).unwrap().encrypt_inout_detached(iv.into(), aad, buffer)
        }
        _ => Aes256Gcm::new_from_slice(key).unwrap().encrypt_inout_detached(iv.into(), aad, buffer),
    };
    (text, tag.unwrap().into())
}

fn out_of_place<'a>(src: &'a [u8], dst: &'a mut [u8]) -> InOut<'a> {
    InOut::new(src, dst).unwrap()
}

fn one_message<T: GcmToken>(token: T, random: &mut Random, len: usize, aad_len: usize) {
    let key_len = [16, 24, 32][random.up_to(2)];
    let key_bytes = random.bytes(key_len);
    let iv: [u8; 12] = random.bytes(12).try_into().unwrap();
    let (aad, plaintext) = (random.bytes(aad_len), random.bytes(len));
    let (ciphertext, want) = peer(&key_bytes, &iv, &aad, &plaintext);
    let key = GcmKey::new(token, &key_bytes).unwrap();
    let what = std::format!("{len} bytes, {aad_len} associated, AES-{}", 8 * key_bytes.len());

    // One call, from one buffer to another. The bytes around the destination must not change.
    let mut out = std::vec![0xee; len + 2];
    assert_eq!(seal(&key, &iv, &aad, out_of_place(&plaintext, &mut out[1..=len])), want, "{what}");
    assert_eq!(out[1..=len], ciphertext, "{what}");
    assert_eq!(open(&key, &iv, &aad, out_of_place(&ciphertext, &mut out[1..=len]), &want), want, "{what}");
    assert_eq!(out[1..=len], plaintext, "{what}");
    assert_eq!((out[0], out[len + 1]), (0xee, 0xee));

    // One call, in place.
    let mut text = plaintext.clone();
    assert_eq!(seal(&key, &iv, &aad, InOut::from(&mut text[..])), want, "{what}");
    assert_eq!(text, ciphertext, "{what}");
    assert_eq!(open(&key, &iv, &aad, InOut::from(&mut text[..]), &want), want, "{what}");
    assert_eq!(text, plaintext, "{what}");

    // In parts, in place and out of place.
    for encrypt in [true, false] {
        let (src, expected) = if encrypt { (&plaintext, &ciphertext) } else { (&ciphertext, &plaintext) };
        let mut state = key.start(&iv);
        let mut rest = &aad[..];
        while !rest.is_empty() {
            let n = random.up_to(rest.len().min(70));
            key.aad(&mut state, &rest[..n]);
            rest = &rest[n..];
        }
        let in_place = random.up_to(1) == 0;
        let mut text = src.clone();
        let mut io = if in_place { InOut::from(&mut text[..]) } else { out_of_place(src, &mut out[1..=len]) };
        while io.len() >= 16 {
            let n = 16 * random.up_to(io.len() / 16);
            let part = io.take(n).unwrap();
            if encrypt { key.encrypt(&mut state, part) } else { key.decrypt(&mut state, part) }
        }
        let part = io.take_all();
        if encrypt {
            key.encrypt(&mut state, part)
        } else {
            key.decrypt(&mut state, part)
        }
        assert_eq!(key.finish(state), want, "{what} in parts");
        assert_eq!(if in_place { &text[..] } else { &out[1..=len] }, expected, "{what} in parts");
    }
}

fn random_messages<T: GcmToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let mut random = Random(1);
    for len in 0..=1200 {
        let aad_len = random.up_to(if len % 4 == 0 { 700 } else { 40 });
        one_message(token, &mut random, len, aad_len);
    }
    for aad_len in 0..=100 {
        one_message(token, &mut random, aad_len % 3 * 16, aad_len);
    }
    for i in 0..100 {
        let (len, aad_len) = (random.up_to(if i < 80 { 4200 } else { 20_000 }), random.up_to(4200));
        one_message(token, &mut random, len, aad_len);
    }
}

#[test]
fn rustcrypto() {
    every_token!(random_messages);
}

/// The last four bytes of a counter block wrap by themselves (inc32). The counter begins near its end, as after 64 GiB;
/// the expected keystream is AES of counter blocks that are written out.
fn wrap<T: GcmToken>() {
    use aes::cipher::BlockCipherEncrypt;
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let (key, iv) = ([7; 16], [0xff; 12]);
    let gcm = GcmKey::new(token, &key).unwrap();
    let peer = <aes::Aes128 as aes::cipher::KeyInit>::new(&key.into());
    for left in 0..40u32 {
        let first = 0u32.wrapping_sub(left);
        let mut want = Vec::new();
        for i in 0..60 {
            let mut block = [0xff; 16];
            block[12..].copy_from_slice(&first.wrapping_add(i).to_be_bytes());
            let mut block = block.into();
            peer.encrypt_block(&mut block);
            want.extend_from_slice(&block);
        }
        for split in [0, 16, 160, 512, 960] {
            let mut state = gcm.start(&iv);
            state.running.counter = first;
            let mut text = [0; 960];
            let (a, b) = text.split_at_mut(split);
            gcm.encrypt(&mut state, InOut::from(a));
            gcm.decrypt(&mut state, InOut::from(b));
            assert_eq!(text[..], want, "{left} blocks before the wrap, split at {split}");
        }
    }
}

#[test]
fn the_counter_wraps_in_32_bits() {
    every_token!(wrap);
}

/// The block of lengths of a message that is too long for a test: the limits of SP 800-38D. The expected tag is
/// computed by RustCrypto's AES and GHASH.
fn long_lengths<T: GcmToken>() {
    use aes::cipher::BlockCipherEncrypt;
    use ghash::{GHash, universal_hash::UniversalHash};
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let gcm = GcmKey::new(token, &[7; 16]).unwrap();
    let peer = <aes::Aes128 as aes::cipher::KeyInit>::new(&[7; 16].into());
    let mut key = [0; 16].into();
    let mut want: aes::Block = [0; 16].into();
    peer.encrypt_block(&mut key);
    want[15] = 1; // J0 of an IV of zeros
    peer.encrypt_block(&mut want);
    let mut hash = GHash::new(&key);
    hash.update(&[hex::decode("fffffffffffffff80000007fffffff00").unwrap().as_slice().try_into().unwrap()]);
    want.iter_mut().zip(hash.finalize()).for_each(|(want, hash)| *want ^= hash);

    let mut state = gcm.start(&[0; 12]);
    (state.aad_len, state.text_len) = ((1 << 61) - 1, (1 << 36) - 32);
    assert_eq!(gcm.finish(state), want[..]);
}

#[test]
fn lengths_have_64_bits() {
    every_token!(long_lengths);
}

fn what_the_hash_key_made_of_an_iv_is_wiped_of<T: GcmToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key = GcmKey::new(token, &[1; 16]).unwrap();
    let mut state = core::mem::ManuallyDrop::new(key.start_any(&[2; 16]));
    key.encrypt(&mut state, InOut::from(&mut [3; 16][..]));
    assert!(state.zeroth.iv != [0; 12] && state.running.acc != [0; 16]);
    // SAFETY: the state is not used as one again.
    unsafe { core::mem::ManuallyDrop::drop(&mut state) };
    // These fields are numbers, which remain initialized when they are dropped.
    assert_eq!((state.zeroth.iv, state.zeroth.counter), ([0; 12], 0));
    assert_eq!((state.running.acc, state.running.counter), ([0; 16], 0));
}

#[test]
fn what_the_hash_key_made_of_an_iv_is_wiped() {
    every_token!(what_the_hash_key_made_of_an_iv_is_wiped_of);
}
