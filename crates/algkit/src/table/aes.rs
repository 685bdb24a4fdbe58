//! AES.

use super::row::{Algorithm, Row};
use crate::{
    Sizes,
    adapters::aes::{Cbcmac, Cmac, FusedCbc, FusedCcm, FusedCtr, FusedEcb, FusedXctr, SlicedCbc, SlicedCtr, Xcbc},
    driver::{Shape, TextRule, Type},
    templates::{
        ccm,
        ecb::Ecb,
        gcm,
        xctr::Xctr,
        xts::{MAX_DATA_UNIT, Xts},
    },
};
use algkit_primitives::{
    aes::{AesFixedTime, AesGeneric, AesKey, Bitslice, XtsKey},
    cpu::{self, Portable},
    gcm::GcmKey,
};

const KEYS: Sizes = Sizes::of(&[16, 24, 32]);
const XTS_KEYS: Sizes = Sizes::of(&[32, 48, 64]);

const fn skcipher(name: &'static str, keys: Sizes, blocksize: usize, ivsize: usize, text: TextRule) -> Algorithm {
    Algorithm { name, kind: Type::Skcipher, shape: Shape::skcipher(blocksize, keys, ivsize, text) }
}

const fn hash(name: &'static str, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::keyed_hash(16, 16, keys) }
}

static AES: Algorithm = Algorithm { name: "aes", kind: Type::Cipher, shape: Shape::cipher(16, KEYS) };
static ECB: Algorithm = skcipher("ecb(aes)", KEYS, 16, 0, TextRule::Blocks);
static CBC: Algorithm = skcipher("cbc(aes)", KEYS, 16, 16, TextRule::Blocks);
static CTR: Algorithm = skcipher("ctr(aes)", KEYS, 1, 16, TextRule::Any);
static XCTR: Algorithm = skcipher("xctr(aes)", KEYS, 1, 16, TextRule::Any);
static XTS: Algorithm = skcipher("xts(aes)", XTS_KEYS, 16, 16, TextRule::DataUnit(MAX_DATA_UNIT));
static GCM: Algorithm = Algorithm { name: "gcm(aes)", kind: Type::Aead, shape: Shape::aead(KEYS, 12, gcm::TAGS) };
static CCM: Algorithm = Algorithm { name: "ccm(aes)", kind: Type::Aead, shape: Shape::aead(KEYS, 16, ccm::TAGS) };
static CMAC: Algorithm = hash("cmac(aes)", KEYS);
static XCBC: Algorithm = hash("xcbc(aes)", KEYS);
static CBCMAC: Algorithm = hash("cbcmac(aes)", KEYS);

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::cipher::<AesGeneric>(&AES, "aes-generic", 100, "aes/generic.rs").table(),
        Row::cipher::<AesFixedTime>(&AES, "aes-fixed-time", 101, "aes/fixed_time.rs"),
    ],
    &[
        Row::skcipher::<Ecb<Bitslice<Portable>>>(&ECB, "ecb-aes-u64bs", 150, "aes/bitslice/mod.rs"),
        Row::skcipher::<SlicedCbc<Portable>>(&CBC, "cbc-aes-u64bs", 150, "aes/bitslice/modes.rs"),
        Row::skcipher::<SlicedCtr<Portable>>(&CTR, "ctr-aes-u64bs", 150, "aes/bitslice/modes.rs"),
        Row::skcipher::<Xctr<Bitslice<Portable>>>(&XCTR, "xctr-aes-u64bs", 150, "aes/bitslice/mod.rs"),
        Row::skcipher::<Xts<Bitslice<Portable>, AesFixedTime>>(&XTS, "xts-aes-u64bs", 150, "aes/bitslice/modes.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<Ecb<Bitslice<cpu::Ssse3>>>(&ECB, "ecb-aes-ssse3bs", 200, "aes/bitslice/mod.rs"),
        Row::skcipher::<SlicedCbc<cpu::Ssse3>>(&CBC, "cbc-aes-ssse3bs", 200, "aes/bitslice/modes.rs"),
        Row::skcipher::<SlicedCtr<cpu::Ssse3>>(&CTR, "ctr-aes-ssse3bs", 200, "aes/bitslice/modes.rs"),
        Row::skcipher::<Xctr<Bitslice<cpu::Ssse3>>>(&XCTR, "xctr-aes-ssse3bs", 200, "aes/bitslice/mod.rs"),
        Row::skcipher::<Xts<Bitslice<cpu::Ssse3>, AesFixedTime>>(&XTS, "xts-aes-ssse3bs", 200, "aes/bitslice/modes.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<Ecb<Bitslice<cpu::Avx2>>>(&ECB, "ecb-aes-avx2bs", 250, "aes/bitslice/mod.rs"),
        Row::skcipher::<SlicedCbc<cpu::Avx2>>(&CBC, "cbc-aes-avx2bs", 250, "aes/bitslice/modes.rs"),
        Row::skcipher::<SlicedCtr<cpu::Avx2>>(&CTR, "ctr-aes-avx2bs", 250, "aes/bitslice/modes.rs"),
        Row::skcipher::<Xctr<Bitslice<cpu::Avx2>>>(&XCTR, "xctr-aes-avx2bs", 250, "aes/bitslice/mod.rs"),
        Row::skcipher::<Xts<Bitslice<cpu::Avx2>, AesFixedTime>>(&XTS, "xts-aes-avx2bs", 250, "aes/bitslice/modes.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<Ecb<Bitslice<cpu::Avx512>>>(&ECB, "ecb-aes-avx512bs", 290, "aes/bitslice/mod.rs"),
        Row::skcipher::<SlicedCbc<cpu::Avx512>>(&CBC, "cbc-aes-avx512bs", 290, "aes/bitslice/modes.rs"),
        Row::skcipher::<SlicedCtr<cpu::Avx512>>(&CTR, "ctr-aes-avx512bs", 290, "aes/bitslice/modes.rs"),
        Row::skcipher::<Xctr<Bitslice<cpu::Avx512>>>(&XCTR, "xctr-aes-avx512bs", 290, "aes/bitslice/mod.rs"),
        Row::skcipher::<Xts<Bitslice<cpu::Avx512>, AesFixedTime>>(
            &XTS,
            "xts-aes-avx512bs",
            290,
            "aes/bitslice/modes.rs",
        ),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::skcipher::<Ecb<Bitslice<cpu::Neon>>>(&ECB, "ecb-aes-neonbs", 250, "aes/bitslice/mod.rs"),
        Row::skcipher::<SlicedCbc<cpu::Neon, AesKey<cpu::Neon>>>(&CBC, "cbc-aes-neonbs", 250, "aes/bitslice/modes.rs"),
        Row::skcipher::<SlicedCtr<cpu::Neon>>(&CTR, "ctr-aes-neonbs", 250, "aes/bitslice/modes.rs"),
        Row::skcipher::<Xctr<Bitslice<cpu::Neon>>>(&XCTR, "xctr-aes-neonbs", 250, "aes/bitslice/mod.rs"),
        Row::skcipher::<Xts<Bitslice<cpu::Neon>, AesKey<cpu::Neon>>>(
            &XTS,
            "xts-aes-neonbs",
            250,
            "aes/bitslice/modes.rs",
        ),
    ],
    #[cfg(all(target_arch = "arm", unix))]
    &[
        Row::skcipher::<Ecb<Bitslice<cpu::Neon>>>(&ECB, "ecb-aes-neonbs", 250, "aes/bitslice/arm.rs"),
        Row::skcipher::<SlicedCbc<cpu::Neon>>(&CBC, "cbc-aes-neonbs", 250, "aes/bitslice/arm.rs"),
        Row::skcipher::<SlicedCtr<cpu::Neon>>(&CTR, "ctr-aes-neonbs", 250, "aes/bitslice/arm.rs"),
        Row::skcipher::<Xctr<Bitslice<cpu::Neon>>>(&XCTR, "xctr-aes-neonbs", 250, "aes/bitslice/arm.rs"),
        Row::skcipher::<Xts<Bitslice<cpu::Neon>, AesFixedTime>>(&XTS, "xts-aes-neonbs", 250, "aes/bitslice/arm.rs"),
    ],
    #[cfg(target_arch = "aarch64")]
    &[
        Row::cipher::<AesKey<cpu::Neon>>(&AES, "aes-neon", 200, "aes/neon.rs"),
        Row::skcipher::<FusedEcb<cpu::Neon>>(&ECB, "ecb-aes-neon", 200, "aes/neon.rs"),
        Row::skcipher::<FusedCbc<cpu::Neon>>(&CBC, "cbc-aes-neon", 200, "aes/neon.rs"),
        Row::skcipher::<FusedCtr<cpu::Neon>>(&CTR, "ctr-aes-neon", 200, "aes/neon.rs"),
        Row::skcipher::<XtsKey<cpu::Neon>>(&XTS, "xts-aes-neon", 200, "aes/neon.rs"),
        Row::hash::<Cmac<cpu::Neon>>(&CMAC, "cmac-aes-neon", 200, "aes/neon.rs"),
        Row::hash::<Xcbc<cpu::Neon>>(&XCBC, "xcbc-aes-neon", 200, "aes/neon.rs"),
        Row::hash::<Cbcmac<cpu::Neon>>(&CBCMAC, "cbcmac-aes-neon", 200, "aes/neon.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::cipher::<AesKey<cpu::AesNi>>(&AES, "aes-aesni", 300, "aes/rounds.rs"),
        Row::skcipher::<FusedEcb<cpu::AesNi>>(&ECB, "ecb-aes-aesni", 400, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::AesNi>>(&CBC, "cbc-aes-aesni", 400, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::AesNi>>(&CTR, "ctr-aes-aesni", 400, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::AesNi>>(&XCTR, "xctr-aes-aesni", 400, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::AesNi>>(&XTS, "xts-aes-aesni", 400, "aes/xts.rs"),
        Row::aead::<GcmKey<cpu::AesNi>>(&GCM, "gcm-aes-aesni", 400, "gcm/kernel/mod.rs"),
        Row::aead::<FusedCcm<cpu::AesNi>>(&CCM, "ccm-aes-aesni", 400, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::AesNi>>(&CMAC, "cmac-aes-aesni", 400, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::AesNi>>(&XCBC, "xcbc-aes-aesni", 400, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::AesNi>>(&CBCMAC, "cbcmac-aes-aesni", 400, "aes/cbcmac.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<FusedEcb<cpu::Vaes256>>(&ECB, "ecb-aes-vaes-avx2", 600, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::Vaes256>>(&CBC, "cbc-aes-vaes-avx2", 600, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::Vaes256>>(&CTR, "ctr-aes-vaes-avx2", 600, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::Vaes256>>(&XCTR, "xctr-aes-vaes-avx2", 600, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::Vaes256>>(&XTS, "xts-aes-vaes-avx2", 600, "aes/xts.rs"),
        Row::aead::<GcmKey<cpu::Vaes256>>(&GCM, "gcm-aes-vaes-avx2", 600, "gcm/kernel/mod.rs"),
        Row::aead::<FusedCcm<cpu::Vaes256>>(&CCM, "ccm-aes-vaes-avx2", 600, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::Vaes256>>(&CMAC, "cmac-aes-vaes-avx2", 600, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::Vaes256>>(&XCBC, "xcbc-aes-vaes-avx2", 600, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::Vaes256>>(&CBCMAC, "cbcmac-aes-vaes-avx2", 600, "aes/cbcmac.rs"),
    ],
    #[cfg(target_arch = "x86_64")]
    &[
        Row::skcipher::<FusedEcb<cpu::Vaes512>>(&ECB, "ecb-aes-vaes-avx512", 800, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::Vaes512>>(&CBC, "cbc-aes-vaes-avx512", 800, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::Vaes512>>(&CTR, "ctr-aes-vaes-avx512", 800, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::Vaes512>>(&XCTR, "xctr-aes-vaes-avx512", 800, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::Vaes512>>(&XTS, "xts-aes-vaes-avx512", 800, "aes/xts.rs"),
        Row::aead::<GcmKey<cpu::Vaes512>>(&GCM, "gcm-aes-vaes-avx512", 800, "gcm/kernel/mod.rs"),
        Row::aead::<FusedCcm<cpu::Vaes512>>(&CCM, "ccm-aes-vaes-avx512", 800, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::Vaes512>>(&CMAC, "cmac-aes-vaes-avx512", 800, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::Vaes512>>(&XCBC, "xcbc-aes-vaes-avx512", 800, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::Vaes512>>(&CBCMAC, "cbcmac-aes-vaes-avx512", 800, "aes/cbcmac.rs"),
    ],
    #[cfg(any(target_arch = "aarch64", all(target_arch = "arm", unix)))]
    &[
        Row::cipher::<AesKey<cpu::ArmCe>>(&AES, "aes-ce", 300, "aes/rounds.rs"),
        Row::skcipher::<FusedEcb<cpu::ArmCe>>(&ECB, "ecb-aes-ce", 400, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::ArmCe>>(&CBC, "cbc-aes-ce", 400, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::ArmCe>>(&CTR, "ctr-aes-ce", 400, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::ArmCe>>(&XCTR, "xctr-aes-ce", 400, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::ArmCe>>(&XTS, "xts-aes-ce", 400, "aes/xts.rs"),
        #[cfg(target_arch = "aarch64")]
        Row::aead::<GcmKey<cpu::ArmCe>>(&GCM, "gcm-aes-ce", 400, "gcm/kernel/mod.rs"),
        Row::aead::<FusedCcm<cpu::ArmCe>>(&CCM, "ccm-aes-ce", 400, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::ArmCe>>(&CMAC, "cmac-aes-ce", 400, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::ArmCe>>(&XCBC, "xcbc-aes-ce", 400, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::ArmCe>>(&CBCMAC, "cbcmac-aes-ce", 400, "aes/cbcmac.rs"),
    ],
    #[cfg(target_arch = "powerpc64")]
    &[
        Row::cipher::<AesKey<cpu::Altivec>>(&AES, "aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::skcipher::<FusedEcb<cpu::Altivec>>(&ECB, "ecb-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::skcipher::<FusedCbc<cpu::Altivec>>(&CBC, "cbc-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::skcipher::<FusedCtr<cpu::Altivec>>(&CTR, "ctr-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::skcipher::<FusedXctr<cpu::Altivec>>(&XCTR, "xctr-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::skcipher::<XtsKey<cpu::Altivec>>(&XTS, "xts-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::hash::<Cmac<cpu::Altivec>>(&CMAC, "cmac-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::hash::<Xcbc<cpu::Altivec>>(&XCBC, "xcbc-aes-altivec", 200, "aes/powerpc/altivec.rs"),
        Row::hash::<Cbcmac<cpu::Altivec>>(&CBCMAC, "cbcmac-aes-altivec", 200, "aes/powerpc/altivec.rs"),
    ],
    #[cfg(target_arch = "powerpc64")]
    &[
        Row::cipher::<AesKey<cpu::Power8>>(&AES, "p8_aes", 300, "aes/powerpc/power8.rs"),
        Row::skcipher::<FusedEcb<cpu::Power8>>(&ECB, "p8_aes_ecb", 400, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::Power8>>(&CBC, "p8_aes_cbc", 400, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::Power8>>(&CTR, "p8_aes_ctr", 400, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::Power8>>(&XCTR, "p8_aes_xctr", 400, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::Power8>>(&XTS, "p8_aes_xts", 400, "aes/xts.rs"),
        Row::aead::<FusedCcm<cpu::Power8>>(&CCM, "p8_aes_ccm", 400, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::Power8>>(&CMAC, "p8_aes_cmac", 400, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::Power8>>(&XCBC, "p8_aes_xcbc", 400, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::Power8>>(&CBCMAC, "p8_aes_cbcmac", 400, "aes/cbcmac.rs"),
    ],
    #[cfg(target_arch = "riscv64")]
    &[
        Row::cipher::<AesKey<cpu::Zkned>>(&AES, "aes-riscv64-zkned", 300, "aes/riscv.rs"),
        Row::skcipher::<FusedEcb<cpu::Zkned>>(&ECB, "ecb-aes-riscv64-zkned", 400, "aes/ecb.rs"),
        Row::skcipher::<FusedCbc<cpu::Zkned>>(&CBC, "cbc-aes-riscv64-zkned", 400, "aes/cbc.rs"),
        Row::skcipher::<FusedCtr<cpu::Zkned>>(&CTR, "ctr-aes-riscv64-zkned", 400, "aes/ctr.rs"),
        Row::skcipher::<FusedXctr<cpu::Zkned>>(&XCTR, "xctr-aes-riscv64-zkned", 400, "aes/xctr.rs"),
        Row::skcipher::<XtsKey<cpu::Zkned>>(&XTS, "xts-aes-riscv64-zkned", 400, "aes/xts.rs"),
        Row::aead::<FusedCcm<cpu::Zkned>>(&CCM, "ccm-aes-riscv64-zkned", 400, "aes/ccm.rs"),
        Row::hash::<Cmac<cpu::Zkned>>(&CMAC, "cmac-aes-riscv64-zkned", 400, "aes/cbcmac.rs"),
        Row::hash::<Xcbc<cpu::Zkned>>(&XCBC, "xcbc-aes-riscv64-zkned", 400, "aes/cbcmac.rs"),
        Row::hash::<Cbcmac<cpu::Zkned>>(&CBCMAC, "cbcmac-aes-riscv64-zkned", 400, "aes/cbcmac.rs"),
    ],
];
