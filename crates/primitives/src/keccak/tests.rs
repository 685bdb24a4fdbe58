use super::*;
use crate::cpu::{self, CpuFeatures};
use crate::hash::check;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest, Keccak256, Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use shake::{Shake128, Shake256};
use std::{vec, vec::Vec};

/// FIPS 202, section 6.2: the capacity is 256 or 512 bits, and the suffix 1111.
fn shake128<T: Permute>(token: T, output_len: usize) -> Keccak<T> {
    Keccak::new(token, 168, 0x1f, output_len)
}

fn shake256<T: Permute>(token: T, output_len: usize) -> Keccak<T> {
    Keccak::new(token, 136, 0x1f, output_len)
}

/// What RustCrypto makes of a message.
fn shake<X: Default + Update + ExtendableOutput>(message: &[u8], len: usize) -> Vec<u8> {
    let mut hash = X::default();
    hash.update(message);
    let mut out = vec![0; len];
    hash.finalize_xof().read(&mut out);
    out
}

fn driver<T: Permute>() {
    let Some(t) = T::detect(CpuFeatures::detect()) else { return };

    // The Keccak team's KeccakF-1600-IntermediateValues: the permutation of zero, first and last lanes.
    let mut state = [0; 25];
    t.permute(&mut state);
    assert_eq!((state[0], state[24]), (0xf125_8f79_40e1_dde7, 0xeaf1_ff7b_5cec_a249));

    // FIPS 202 example values of NIST for the empty message and "abc"; the Keccak team's
    // ShortMsgKAT_256 (padding 0x01) for the empty message.
    let of = |hash: Keccak<T>, message: &[u8]| hex::encode(check::digest(hash, message));
    for (hash, message, digest) in [
        (Keccak::sha3_224(t), &b"abc"[..], "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        (Keccak::sha3_256(t), b"", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
        (Keccak::sha3_256(t), b"abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            Keccak::sha3_384(t),
            b"abc",
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
        ),
        (
            Keccak::sha3_512(t),
            b"abc",
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e\
             10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ),
        (shake128(t, 16), b"", "7f9c2ba4e88f827d616045507605853e"),
        (shake256(t, 32), b"", "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"),
        (Keccak::new(t, 136, 0x01, 32), b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
    ] {
        assert_eq!(of(hash, message), digest);
    }

    check::against(|| Keccak::sha3_224(t), |m| Sha3_224::digest(m).to_vec());
    check::against(|| Keccak::sha3_256(t), |m| Sha3_256::digest(m).to_vec());
    check::against(|| Keccak::sha3_384(t), |m| Sha3_384::digest(m).to_vec());
    check::against(|| Keccak::sha3_512(t), |m| Sha3_512::digest(m).to_vec());
    check::against(|| Keccak::new(t, 136, 0x01, 32), |m| Keccak256::digest(m).to_vec());
    check::against(|| shake128(t, 500), |m| shake::<Shake128>(m, 500));
    squeezing(t);
    mixed_rates(t);
    for len in 0..=420 {
        assert_eq!(check::digest(shake256(t, len), b"output"), shake::<Shake256>(b"output", len));
    }
}

/// Messages of hashes with different rates in one batch.
fn mixed_rates<T: Permute>(t: T) {
    let (states, message) = ([Keccak::sha3_256(t), Keccak::sha3_512(t)], [7; 300]);
    let mut outs: Vec<_> = states.iter().cycle().take(20).map(|state| vec![0; state.digest_size()]).collect();
    let parts: &[&[u8]] = &[&message];
    let mut jobs: Vec<_> = states.iter().cycle().zip(&mut outs).map(|(state, out)| Job { state, parts, out }).collect();
    Keccak::digest_batch_after(&mut jobs);
    for pair in outs.chunks(2) {
        assert_eq!(pair[0], Sha3_256::digest(message).to_vec());
        assert_eq!(pair[1], Sha3_512::digest(message).to_vec());
    }
}

/// Output that is read in pieces must equal output in one piece. Data that is absorbed after it must act as in a duplex
/// object, which the test builds over RustCrypto's permutation.
fn squeezing<T: Permute>(t: T) {
    let want = shake::<Shake128>(b"message", 1000);
    for step in [1, 7, 8, 100, 167, 168, 169, 500] {
        let mut hash = shake128(t, 0);
        hash.update(b"message");
        let mut out = vec![0; 1000];
        for piece in out.chunks_mut(step) {
            assert!(hash.squeeze(piece));
            hash.update(b"");
        }
        assert_eq!(out, want, "{step} bytes at a time");
    }

    // The digest of a state from which output has been read is the output that follows.
    for read in [0, 50, 168] {
        let mut hash = shake128(t, 300);
        hash.update(b"message");
        assert!(hash.squeeze(&mut vec![0; read]));
        let (mut out, follows) = (vec![0; 300], &want[read..read + 300]);
        Keccak::digest_batch_after(&mut [Job { state: &hash, parts: &[b""], out: &mut out[..168] }]);
        assert_eq!(out[..168], follows[..168], "after {read} bytes, in a batch");
        hash.finish(&mut out);
        assert_eq!(out, follows, "after {read} bytes");
    }

    let mut random = check::Random(4);
    let (mut hash, mut duplex) = (Keccak::new(t, 168, 0x01, 64), [0; 25]);
    for _ in 0..40 {
        let (input, len) = (1 + random.below(167), random.below(169));
        let mut block = random.bytes(input);
        hash.update(&block);
        let mut out = vec![0; len];
        assert!(hash.squeeze(&mut out));

        block.resize(168, 0);
        block[input] ^= 0x01;
        block[167] ^= 0x80;
        for (lane, bytes) in duplex.iter_mut().zip(block.chunks(8)) {
            *lane ^= u64::from_le_bytes(bytes.try_into().unwrap());
        }
        ::keccak::Keccak::new().with_f1600(|permute| permute(&mut duplex));
        let want: Vec<u8> = duplex.iter().flat_map(|lane| lane.to_le_bytes()).take(len).collect();
        assert_eq!(out, want, "{input} bytes in, {len} out");
    }
}

#[test]
fn every_driver() {
    driver::<cpu::Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        driver::<cpu::Avx2>();
        driver::<cpu::Avx512>();
    }
    #[cfg(target_arch = "aarch64")]
    driver::<cpu::ArmSha3>();
}

#[test]
fn a_state_that_cannot_be_is_refused() {
    let mut out = [0; 202];
    Keccak::sha3_256(cpu::Portable::new()).export(&mut Writer::new(&mut out));
    for (absorbed, squeezing, good) in [(135, 0, true), (136, 0, false), (136, 1, true), (137, 1, false)] {
        (out[200], out[201]) = (absorbed, squeezing);
        let imported = Keccak::sha3_256(cpu::Portable::new()).import(&mut Reader::new(&out));
        assert_eq!(imported.is_some(), good, "{absorbed} bytes of 136, {squeezing}");
    }
}

/// Every rate from one lane up, compared between drivers: rates of whole rows and others.
#[test]
#[cfg(target_arch = "x86_64")]
fn every_rate() {
    let Some(wide) = cpu::Avx512::detect(CpuFeatures::detect()) else { return };
    for rate in (8..=200).step_by(8) {
        check::against(
            || Keccak::new(wide, rate, 0x06, rate.min(30)),
            |m| check::digest(Keccak::new(cpu::Portable::new(), rate, 0x06, rate.min(30)), m),
        );
    }
}
