use super::*;
use crate::cpu::CpuFeatures;
use ::serpent::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;
use std::vec::Vec;

/// Runs `$check::<T>(args)` for every token that this CPU has.
macro_rules! every_token {
    ($check:ident($($arg:expr),*)) => {{
        $check::<Portable>($($arg),*);
        #[cfg(target_arch = "x86_64")]
        {
            $check::<crate::cpu::Sse2>($($arg),*);
            $check::<crate::cpu::Avx2>($($arg),*);
            $check::<crate::cpu::Avx512>($($arg),*);
        }
        #[cfg(target_arch = "aarch64")]
        $check::<crate::cpu::Neon>($($arg),*);
    }};
}

/// The Linux kernel's vectors (`crypto/testmgr.h`, `serpent_tv_template`), one with an empty key, and
/// NESSIE's (set 1, vector 0, for each size of key).
fn published<T: SerpentToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let counting: [u8; 32] = core::array::from_fn(|i| i as u8);
    let top_bit: [u8; 32] = core::array::from_fn(|i| if i == 0 { 0x80 } else { 0 });
    let counted: [u8; 16] = core::array::from_fn(|i| i as u8);
    let cases: [(&[u8], [u8; 16], u128); 6] = [
        (&[], counted, 0x1207fcce9bd0d6476ae98fbed143a0e2),
        (&counting[..16], counted, 0x4c7d8a328072a22c823e4a1f3acda16d),
        (&counting, counted, 0xde269ff833e432b85b2e88d2701ce75c),
        (&top_bit[..16], [0; 16], 0x264e5481eff42a4606abda06c0bfda3d),
        (&top_bit[..24], [0; 16], 0x9e274ead9b737bb21efcfca548602689),
        (&top_bit, [0; 16], 0xa223aa1288463c0e2be38ebd825616c0),
    ];
    for (key, plain, want) in cases {
        let serpent = Serpent::new(token, key).unwrap();
        let mut block = plain;
        serpent.encrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(hex::encode(block), hex::encode(want.to_be_bytes()), "key of {} bytes", key.len());
        serpent.decrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(block, plain);
    }
    assert!(Serpent::new(token, &[0; 33]).is_none());
}

#[test]
fn published_vectors() {
    every_token!(published());
}

/// The whole blocks of `src`, encrypted or decrypted by RustCrypto.
fn peer(key: &[u8], src: &[u8], encrypt: bool) -> Vec<u8> {
    let serpent = ::serpent::Serpent::new_from_slice(key).unwrap();
    let mut out = src.to_vec();
    for block in out.chunks_exact_mut(16) {
        let block = block.try_into().unwrap();
        if encrypt { serpent.encrypt_block(block) } else { serpent.decrypt_block(block) }
    }
    out
}

/// Checks both directions, in place and out of place.
fn agrees<T: SerpentToken>(serpent: &Serpent<T>, src: &[u8], encrypted: &[u8], decrypted: &[u8]) {
    for (encrypt, want) in [(true, encrypted), (false, decrypted)] {
        let run = |data: InOut<'_>| if encrypt { serpent.encrypt_blocks(data) } else { serpent.decrypt_blocks(data) };
        let mut out = src.to_vec();
        run(InOut::from(&mut out[..]));
        assert!(out == want, "{} bytes in place", src.len());

        let mut out = std::vec![0xee; src.len()];
        run(InOut::new(src, &mut out).unwrap());
        let whole = src.len() - src.len() % 16;
        assert!(out[..whole] == want[..whole], "{} bytes out of place", src.len());
        assert!(out[whole..].iter().all(|&b| b == 0xee), "{} bytes, and no more", src.len());
    }
}

fn every_length<T: SerpentToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| 200 - 5 * i as u8);
    let src: Vec<u8> = (0..4208).map(|i| (i * i + 3 * i + 5) as u8).collect();
    let (encrypted, decrypted) = (peer(&key, &src, true), peer(&key, &src, false));
    let serpent = Serpent::new(token, &key).unwrap();
    for blocks in (0..=70).chain([128, 255, 256, 257, 263]) {
        let n = 16 * blocks;
        agrees(&serpent, &src[..n], &encrypted[..n], &decrypted[..n]);
    }
}

#[test]
fn agrees_with_rustcrypto_at_every_length() {
    every_token!(every_length());
}

/// `x` times an element of GF(2^128) in the convention of XTS.
fn times_x(block: u128) -> u128 {
    (block << 1) ^ if block >> 127 == 1 { 0x87 } else { 0 }
}

fn modes<T: SerpentToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let key: [u8; 32] = core::array::from_fn(|i| 7 + 3 * i as u8);
    let serpent = Serpent::new(token, &key).unwrap();
    let src: Vec<u8> = (0..2832).map(|i| (i * i + 5 * i + 1) as u8).collect();
    let blocks =
        |bytes: &[u8]| -> Vec<u128> { bytes.as_chunks().0.iter().map(|block| u128::from_le_bytes(*block)).collect() };
    let bytes = |blocks: &[u128]| -> Vec<u8> { blocks.iter().flat_map(|block| block.to_le_bytes()).collect() };
    let one = |block: u128, encrypt| blocks(&peer(&key, &block.to_le_bytes(), encrypt))[0];
    let iv: [u8; 16] = core::array::from_fn(|i| 0x93 ^ (17 * i as u8));
    let text = blocks(&src);

    // Each mode by its definition, block by block, over RustCrypto's cipher.
    let mut chain = u128::from_le_bytes(iv);
    let cbc_encrypted: Vec<u128> = (text.iter())
        .map(|block| {
            chain = one(block ^ chain, true);
            chain
        })
        .collect();
    let before = [u128::from_le_bytes(iv)].into_iter().chain(text.iter().copied());
    let cbc_decrypted: Vec<u128> = text.iter().zip(before).map(|(block, before)| one(*block, false) ^ before).collect();
    let tweaks: Vec<u128> =
        std::iter::successors(Some(u128::from_le_bytes(iv)), |t| Some(times_x(*t))).take(text.len() + 1).collect();
    let xts = |encrypt| -> Vec<u128> {
        text.iter().zip(&tweaks).map(|(block, tweak)| one(block ^ tweak, encrypt) ^ tweak).collect()
    };
    let (xts_encrypted, xts_decrypted) = (xts(true), xts(false));

    for n in (0..=70).chain([80, 96, 112, 127, 128, 144, 177]) {
        let part = &src[..16 * n];
        type Run<'a> = &'a dyn Fn(&mut [u8; 16], InOut<'_>);
        let check = |what: &str, want: &[u128], after: u128, run: Run<'_>| {
            let (mut state, mut out) = (iv, std::vec![0; 16 * n]);
            run(&mut state, InOut::new(part, &mut out).unwrap());
            assert!(out == bytes(&want[..n]), "{what}, {n} blocks");
            assert_eq!(u128::from_le_bytes(state), after, "{what}, after {n} blocks");
            let (mut state, mut out) = (iv, part.to_vec());
            run(&mut state, InOut::from(&mut out[..]));
            assert!(out == bytes(&want[..n]), "{what}, {n} blocks in place");
        };
        let last = |chain: &[u128]| if n == 0 { u128::from_le_bytes(iv) } else { chain[n - 1] };
        check("cbc", &cbc_encrypted, last(&cbc_encrypted), &|iv, data| serpent.cbc_encrypt(iv, data));
        check("cbc, back", &cbc_decrypted, last(&text), &|iv, data| serpent.cbc_decrypt(iv, data));
        check("xts", &xts_encrypted, tweaks[n], &|iv, data| serpent.xts_encrypt(iv, data));
        check("xts, back", &xts_decrypted, tweaks[n], &|iv, data| serpent.xts_decrypt(iv, data));
    }

    // Counters that carry at every place of a group and into every byte, and partial blocks.
    for first in [0, 0xff - 20, u128::MAX - 30, u128::from(u64::MAX) - 5, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdc3] {
        for len in (0..=530usize).step_by(7).chain([16, 64, 256, 512, 1023, 1024, 1040, 1279, 2048, 2832]) {
            let count = len.div_ceil(16);
            let counters: Vec<u8> = (0..count).flat_map(|i| first.wrapping_add(i as u128).to_be_bytes()).collect();
            let mut out = src[..len].to_vec();
            let mut counter = first.to_be_bytes();
            serpent.ctr(&mut counter, InOut::from(&mut out[..]));
            let keystream = peer(&key, &counters, true);
            assert!(out.iter().zip(&src).zip(keystream).all(|((out, src), key)| *out == src ^ key), "{first:x}, {len}");
            assert_eq!(u128::from_be_bytes(counter), first.wrapping_add(count as u128), "{first:x}, after {len}");
        }
    }
}

#[test]
fn modes_by_their_definition() {
    every_token!(modes());
}

fn one_case<T: SerpentToken>(key: &[u8], src: &[u8]) {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    // RustCrypto refuses keys of less than 16 bytes, but takes the padded key.
    let mut padded = key.to_vec();
    if padded.len() < 32 {
        padded.push(1);
        padded.resize(32, 0);
    }
    let serpent = Serpent::new(token, key).unwrap();
    agrees(&serpent, src, &peer(&padded, src, true), &peer(&padded, src, false));
}

proptest! {
    #[test]
    fn agrees_with_rustcrypto(
        key in prop::collection::vec(any::<u8>(), 0..=32),
        src in prop::collection::vec(any::<u8>(), 0..1100),
    ) {
        every_token!(one_case(&key, &src));
    }
}
