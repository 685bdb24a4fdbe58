//! Compares each type of `algkit::rustcrypto` with the RustCrypto type that it replaces, through the same traits.

use aead::{AeadCore, AeadInOut, KeyInit, consts, inout::InOutBuf};
use algkit::rustcrypto as ours;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use digest::{Digest, FixedOutputReset, Mac, common::BlockSizeUser};

/// A reproducible source of test inputs (xorshift64).
struct Inputs(u64);

impl Inputs {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn same_aead<Ours, Theirs>()
where
    Ours: KeyInit + AeadInOut,
    Theirs:
        KeyInit<KeySize = Ours::KeySize> + AeadInOut + AeadCore<NonceSize = Ours::NonceSize, TagSize = Ours::TagSize>,
{
    let mut inputs = Inputs(1);
    assert!(Ours::new_from_slice(&[0; 5]).is_err());
    for len in (0..150).chain([255, 256, 1350, 4096, 5001]) {
        let key = inputs.bytes(Ours::key_size());
        let (a, b) = (Ours::new_from_slice(&key).unwrap(), Theirs::new_from_slice(&key).unwrap());
        let nonce = inputs.bytes(12).as_slice().try_into().unwrap();
        let assoc_len = inputs.below(40);
        let (text, assoc) = (inputs.bytes(len), inputs.bytes(assoc_len));

        let mut wanted = text.clone();
        let wanted_tag = b.encrypt_inout_detached(&nonce, &assoc, wanted.as_mut_slice().into()).unwrap();
        let (mut in_place, mut apart) = (text.clone(), vec![0; len]);
        let tag = a.encrypt_inout_detached(&nonce, &assoc, in_place.as_mut_slice().into()).unwrap();
        let tag2 = a.encrypt_inout_detached(&nonce, &assoc, InOutBuf::new(&text, &mut apart).unwrap()).unwrap();
        assert_eq!((&in_place, &tag), (&wanted, &wanted_tag), "{len} bytes");
        assert_eq!((&apart, &tag2), (&wanted, &wanted_tag), "{len} bytes");

        a.decrypt_inout_detached(&nonce, &assoc, wanted.as_mut_slice().into(), &tag).unwrap();
        assert_eq!(wanted, text, "{len} bytes");
        let mut bad = tag;
        bad[inputs.below(16)] ^= 1 << inputs.below(8);
        a.decrypt_inout_detached(&nonce, &assoc, in_place.as_mut_slice().into(), &bad).unwrap_err();
        assert!(in_place.iter().all(|&b| b == 0), "plaintext is left behind");
    }
}

#[test]
fn aeads() {
    same_aead::<ours::Aes128Gcm, aes_gcm::Aes128Gcm>();
    same_aead::<ours::Aes256Gcm, aes_gcm::Aes256Gcm>();
    same_aead::<ours::Aes128Ccm, ccm::Ccm<aes::Aes128, consts::U16, consts::U12>>();
    same_aead::<ours::Aes256Ccm, ccm::Ccm<aes::Aes256, consts::U16, consts::U12>>();
    same_aead::<ours::ChaCha20Poly1305, chacha20poly1305::ChaCha20Poly1305>();
}

fn same_stream<Ours, Theirs>(far: &[u64])
where
    Ours: KeyIvInit + StreamCipher + StreamCipherSeek + Clone,
    Theirs: KeyIvInit<KeySize = Ours::KeySize, IvSize = Ours::IvSize> + StreamCipher + StreamCipherSeek,
{
    let mut inputs = Inputs(2);
    let key = inputs.bytes(Ours::key_size());
    // A counter that starts at its maximum carries through the whole nonce.
    for nonce in [inputs.bytes(Ours::iv_size()), vec![0xff; Ours::iv_size()]] {
        let mut a = Ours::new_from_slices(&key, &nonce).unwrap();
        let mut b = Theirs::new_from_slices(&key, &nonce).unwrap();
        for round in 0..400 {
            if round % 8 == 7 {
                let pos = far[inputs.below(far.len())] + inputs.below(300) as u64;
                a.seek(pos);
                b.seek(pos);
            }
            let long = if round % 10 == 0 { 3000 } else { 90 };
            let len = inputs.below(long);
            let text = inputs.bytes(len);
            let (mut x, mut y) = (text.clone(), text.clone());
            a.clone().apply_keystream_b2b(&text, &mut x);
            b.apply_keystream(&mut y);
            assert_eq!(x, y, "round {round}, {len} bytes, out of place");
            x.copy_from_slice(&text);
            a.apply_keystream(&mut x);
            assert_eq!(x, y, "round {round}, {len} bytes");
            assert_eq!(a.current_pos::<u64>(), b.current_pos::<u64>(), "round {round}");
        }
    }
}

#[test]
fn stream_ciphers() {
    let far = [0, 1 << 20, (1 << 36) - 100, (1 << 40) - 7, 1 << 60];
    same_stream::<ours::Aes128Ctr, ctr::Ctr128BE<aes::Aes128>>(&far);
    same_stream::<ours::Aes192Ctr, ctr::Ctr128BE<aes::Aes192>>(&far);
    same_stream::<ours::Aes256Ctr, ctr::Ctr128BE<aes::Aes256>>(&far);
    same_stream::<ours::ChaCha20, chacha20::ChaCha20>(&[0, 1 << 20, (1 << 37) - 100]);
}

#[test]
fn the_keystream_of_chacha20_ends() {
    const END: u64 = 64 << 32;
    let mut cipher = ours::ChaCha20::new(&[7; 32].into(), &[9; 12].into());
    cipher.try_seek(END + 1).unwrap_err();
    cipher.seek(END - 70);
    cipher.try_apply_keystream(&mut [0; 71]).unwrap_err();
    cipher.apply_keystream(&mut [0; 69]);
    cipher.try_apply_keystream(&mut [0; 2]).unwrap_err();
    cipher.apply_keystream(&mut [0; 1]);
    cipher.try_apply_keystream(&mut [0; 1]).unwrap_err();
    assert_eq!(cipher.current_pos::<u64>(), END);
}

fn same_digest<Ours, Theirs>()
where
    Ours: Digest + FixedOutputReset + BlockSizeUser + Clone,
    Theirs: Digest<OutputSize = Ours::OutputSize> + BlockSizeUser<BlockSize = Ours::BlockSize>,
{
    let mut inputs = Inputs(3);
    let mut reused = Ours::new();
    for len in (0..300).chain([1350, 4096, 10_001]) {
        let message = inputs.bytes(len);
        let wanted = Theirs::digest(&message);
        assert_eq!(Ours::digest(&message), wanted, "{len} bytes");
        let cut = inputs.below(len + 1);
        Digest::update(&mut reused, &message[..cut]);
        let forked = reused.clone().chain_update(&message[cut..]);
        Digest::update(&mut reused, &message[cut..]);
        assert_eq!(reused.finalize_reset(), wanted, "{len} bytes, cut at {cut}");
        assert_eq!(forked.finalize(), wanted, "{len} bytes, cut at {cut}");
        Digest::update(&mut reused, b"forgotten");
        Digest::reset(&mut reused);
    }
}

#[test]
fn digests() {
    same_digest::<ours::Sha1, sha1::Sha1>();
    same_digest::<ours::Sha224, sha2::Sha224>();
    same_digest::<ours::Sha256, sha2::Sha256>();
    same_digest::<ours::Sha384, sha2::Sha384>();
    same_digest::<ours::Sha512, sha2::Sha512>();
    same_digest::<ours::Sha3_224, sha3::Sha3_224>();
    same_digest::<ours::Sha3_256, sha3::Sha3_256>();
    same_digest::<ours::Sha3_384, sha3::Sha3_384>();
    same_digest::<ours::Sha3_512, sha3::Sha3_512>();
    same_digest::<ours::Blake2b256, blake2::Blake2b256>();
    same_digest::<ours::Blake2b512, blake2::Blake2b512>();
    same_digest::<ours::Blake2s256, blake2::Blake2s256>();
}

fn same_mac<Ours, Theirs>(key_lens: &[usize])
where
    Ours: KeyInit + Mac + FixedOutputReset + Clone,
    Theirs: KeyInit<KeySize = Ours::KeySize> + Mac<OutputSize = Ours::OutputSize>,
{
    let mut inputs = Inputs(4);
    for &key_len in key_lens {
        let key = inputs.bytes(key_len);
        let mut reused = <Ours as KeyInit>::new_from_slice(&key).unwrap();
        for len in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 500] {
            let message = inputs.bytes(len);
            let mut wanted = <Theirs as KeyInit>::new_from_slice(&key).unwrap();
            Mac::update(&mut wanted, &message);
            let wanted = wanted.finalize().into_bytes();
            let (head, tail) = message.split_at(inputs.below(len + 1));
            Mac::update(&mut reused, head);
            Mac::update(&mut reused, tail);
            reused.clone().verify(&wanted).unwrap();
            let mut bad = wanted.clone();
            bad[0] ^= 1;
            reused.clone().verify(&bad).unwrap_err();
            assert_eq!(Mac::finalize_reset(&mut reused).into_bytes(), wanted, "key of {key_len}, {len} bytes");
        }
    }
    assert!(key_lens.contains(&Ours::key_size()));
}

#[test]
fn macs() {
    let any = [0, 1, 20, 63, 64, 65, 127, 128, 129, 200];
    same_mac::<ours::HmacSha1, hmac::Hmac<sha1::Sha1>>(&any);
    same_mac::<ours::HmacSha224, hmac::Hmac<sha2::Sha224>>(&any);
    same_mac::<ours::HmacSha256, hmac::Hmac<sha2::Sha256>>(&any);
    same_mac::<ours::HmacSha384, hmac::Hmac<sha2::Sha384>>(&any);
    same_mac::<ours::HmacSha512, hmac::Hmac<sha2::Sha512>>(&any);
    same_mac::<ours::CmacAes128, cmac::Cmac<aes::Aes128>>(&[16]);
    same_mac::<ours::CmacAes256, cmac::Cmac<aes::Aes256>>(&[32]);
    assert!(ours::CmacAes128::new_from_slice(&[0; 32]).is_err());
}

/// The hashes that come from the same crates as the other side are here for their sizes and wiring.
#[cfg(feature = "legacy")]
#[test]
fn legacy() {
    same_digest::<ours::Md5, md5::Md5>();
    same_digest::<ours::Ripemd160, ripemd::Ripemd160>();
    same_digest::<ours::Sm3, sm3::Sm3>();
    same_mac::<ours::HmacSm3, hmac::Hmac<sm3::Sm3>>(&[0, 1, 20, 63, 64, 65, 127, 128, 129, 200]);
}
