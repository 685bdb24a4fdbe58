use super::*;
use crate::cpu::{self, CpuFeatures};
use crate::hash::check;
use sha2::Digest;
use std::{vec, vec::Vec};

const TWO_BLOCKS: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const TWO_LONG_BLOCKS: &[u8] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
    hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

// Digests from the example values that NIST publishes with FIPS 180-4 (SHA224.pdf to SHA512_256.pdf);
// of a million times "a", from the RFC 6234 test driver and the SHAVS examples.

fn driver256<T: Compress256>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    let a_million: Vec<u8> = vec![b'a'; 1_000_000];
    for (message, digest224, digest256) in [
        (
            &b"abc"[..],
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            TWO_BLOCKS,
            "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            &a_million,
            "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ),
    ] {
        assert_eq!(hex::encode(check::digest(Sha256::new_224(token), message)), digest224);
        assert_eq!(hex::encode(check::digest(Sha256::new(token), message)), digest256);
    }
    check::against(|| Sha256::new_224(token), |m| sha2::Sha224::digest(m).to_vec());
    check::against(|| Sha256::new(token), |m| sha2::Sha256::digest(m).to_vec());
    check::beyond_32_bits(
        Sha256::new(token),
        "8f6da9bafc5807e3f7282e2744fa37585563235b1f4652e39ff3adb0dac712c980ffffff0000000000",
        "412d6f8bec7de54af3c5bc46e1ea797ace9043a9de374ce684bdb7bfbfa6b2b4",
    );
}

fn driver512<T: Compress512>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    for (message, cut224, cut256, digest384, digest512) in [
        (
            &b"abc"[..],
            "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa",
            "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (
            TWO_LONG_BLOCKS,
            "23fec5bb94d60b23308192640b0c453335d664734fe40e7268674af9",
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a",
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
             501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
        ),
    ] {
        assert_eq!(hex::encode(check::digest(Sha512::new_512_224(token), message)), cut224);
        assert_eq!(hex::encode(check::digest(Sha512::new_512_256(token), message)), cut256);
        assert_eq!(hex::encode(check::digest(Sha512::new_384(token), message)), digest384);
        assert_eq!(hex::encode(check::digest(Sha512::new(token), message)), digest512);
    }
    check::against(|| Sha512::new_512_224(token), |m| sha2::Sha512_224::digest(m).to_vec());
    check::against(|| Sha512::new_512_256(token), |m| sha2::Sha512_256::digest(m).to_vec());
    check::against(|| Sha512::new_384(token), |m| sha2::Sha384::digest(m).to_vec());
    check::against(|| Sha512::new(token), |m| sha2::Sha512::digest(m).to_vec());
    check::beyond_32_bits(
        Sha512::new(token),
        "7594afaffe2de5190c6ec373f91f7092b9ebb25cc70bb2ae90b2132bcfcab08433c2420d9e6b5d63ad5c825312405bf85e55\
         976bc91bd251f1f929a50646313e80ffffff0000000000",
        "12b3f124631355f4ac6690c2bc8a0e1f0923936a3edc32045b9ff4b069e50ae8c078b6b37b23a9a9dc961c2ec507f07c4643\
         a3702d826d535dfdac433aeb3673",
    );
}

#[test]
fn every_driver() {
    driver256::<cpu::Portable>();
    driver512::<cpu::Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        driver256::<cpu::Avx2>();
        driver256::<cpu::Avx512>();
        driver256::<cpu::ShaNi>();
        driver256::<cpu::ShaNiAvx512>();
        driver512::<cpu::Avx2>();
        driver512::<cpu::Avx512>();
    }
    #[cfg(target_arch = "aarch64")]
    {
        driver256::<cpu::ArmSha2>();
        driver512::<cpu::ArmSha3>();
    }
    #[cfg(target_arch = "riscv64")]
    {
        driver256::<cpu::Zknh>();
        driver512::<cpu::Zknh>();
    }
}
