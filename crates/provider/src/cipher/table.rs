//! The ciphers: a row each. The names are OpenSSL's (providers/implementations/include/prov/names.h).

use super::{
    Functions, Row,
    aead::Authenticated,
    block::Block,
    cbc_hmac::CbcHmac,
    ccm::Ccm,
    cts::Cts,
    etm::Etm,
    shared::Driver,
    stream::{CFB, CHACHA, CTR, OFB, Stream},
    wrap::Wrap,
    xts::Xts,
};
use crate::abi::*;
use std::sync::OnceLock;

type Ecb = Block;
type Cbc = Block;
type Ctr = Stream<CTR>;
type ChaCha = Stream<CHACHA>;
type Ofb = Stream<OFB>;
type Cfb = Stream<CFB>;
type EtmSha1 = Etm<20>;
type EtmSha256 = Etm<32>;
type EtmSha512 = Etm<64>;
type Gcm = Authenticated<true>;
type ChaChaPoly = Authenticated<false>;
type CbcSha1 = CbcHmac<false>;
type CbcSha256 = CbcHmac<true>;
type Kw = Wrap<false, false>;
type Kwp = Wrap<true, false>;
type KwInverse = Wrap<false, true>;
type KwpInverse = Wrap<true, true>;

macro_rules! ciphers {
    ($($id:ident $shape:ident $driver:ident $mode:ident $key:literal $iv:literal $block:literal $name:literal $names:literal;)*) => {
        #[allow(non_camel_case_types, reason = "the names of the algorithms")]
        enum Id { $($id),* }

        /// The rows, in the order of [`ALGORITHMS`].
        pub static CIPHERS: [Row; [$(stringify!($id)),*].len()] = [$(Row {
            name: $name,
            names: $names,
            key: $key,
            iv: $iv,
            block: $block,
            mode: $mode,
            driver: Driver::$driver(OnceLock::new()),
            cmac: OnceLock::new(),
        }),*];

        /// The algorithms that libcrypto gets.
        pub static ALGORITHMS: &[Algorithm] = &[
            $(Algorithm::new(concat!($names, "\0"), Functions::<$shape, { Id::$id as usize }>::TABLE),)*
            Algorithm::END,
        ];
    };
}

ciphers! {
    // id, shape, type, mode, and in bytes: key, IV, block; the names in algkit and in OpenSSL
    AES_256_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 32 0 16 "ecb(aes)" "AES-256-ECB:2.16.840.1.101.3.4.1.41";
    AES_192_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 24 0 16 "ecb(aes)" "AES-192-ECB:2.16.840.1.101.3.4.1.21";
    AES_128_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 16 0 16 "ecb(aes)" "AES-128-ECB:2.16.840.1.101.3.4.1.1";
    AES_256_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42";
    AES_192_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(aes)" "AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22";
    AES_128_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2";
    AES_256_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cts(cbc(aes))" "AES-256-CBC-CTS";
    AES_192_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cts(cbc(aes))" "AES-192-CBC-CTS";
    AES_128_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cts(cbc(aes))" "AES-128-CBC-CTS";
    AES_256_CBC_HMAC_SHA1 CbcSha1 Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC-HMAC-SHA1";
    AES_256_CBC_HMAC_SHA256 CbcSha256 Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC-HMAC-SHA256";
    AES_128_CBC_HMAC_SHA1 CbcSha1 Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC-HMAC-SHA1";
    AES_128_CBC_HMAC_SHA256 CbcSha256 Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC-HMAC-SHA256";
    AES_256_CBC_HMAC_SHA1_ETM EtmSha1 Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC-HMAC-SHA1-ETM";
    AES_192_CBC_HMAC_SHA1_ETM EtmSha1 Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(aes)" "AES-192-CBC-HMAC-SHA1-ETM";
    AES_128_CBC_HMAC_SHA1_ETM EtmSha1 Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC-HMAC-SHA1-ETM";
    AES_256_CBC_HMAC_SHA256_ETM EtmSha256 Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC-HMAC-SHA256-ETM";
    AES_192_CBC_HMAC_SHA256_ETM EtmSha256 Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(aes)" "AES-192-CBC-HMAC-SHA256-ETM";
    AES_128_CBC_HMAC_SHA256_ETM EtmSha256 Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC-HMAC-SHA256-ETM";
    AES_256_CBC_HMAC_SHA512_ETM EtmSha512 Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aes)" "AES-256-CBC-HMAC-SHA512-ETM";
    AES_192_CBC_HMAC_SHA512_ETM EtmSha512 Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(aes)" "AES-192-CBC-HMAC-SHA512-ETM";
    AES_128_CBC_HMAC_SHA512_ETM EtmSha512 Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aes)" "AES-128-CBC-HMAC-SHA512-ETM";
    AES_256_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 32 16 1 "ctr(aes)" "AES-256-CTR";
    AES_192_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 24 16 1 "ctr(aes)" "AES-192-CTR";
    AES_128_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 16 16 1 "ctr(aes)" "AES-128-CTR";
    AES_256_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 32 16 1 "cfb(aes)" "AES-256-CFB:2.16.840.1.101.3.4.1.44";
    AES_192_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 24 16 1 "cfb(aes)" "AES-192-CFB:2.16.840.1.101.3.4.1.24";
    AES_128_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 16 16 1 "cfb(aes)" "AES-128-CFB:2.16.840.1.101.3.4.1.4";
    AES_256_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 32 16 1 "ofb(aes)" "AES-256-OFB:2.16.840.1.101.3.4.1.43";
    AES_192_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 24 16 1 "ofb(aes)" "AES-192-OFB:2.16.840.1.101.3.4.1.23";
    AES_128_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 16 16 1 "ofb(aes)" "AES-128-OFB:2.16.840.1.101.3.4.1.3";
    AES_256_XTS Xts Skcipher EVP_CIPH_XTS_MODE 64 16 1 "xts(aes)" "AES-256-XTS:1.3.111.2.1619.0.1.2";
    AES_128_XTS Xts Skcipher EVP_CIPH_XTS_MODE 32 16 1 "xts(aes)" "AES-128-XTS:1.3.111.2.1619.0.1.1";
    AES_256_GCM Gcm Aead EVP_CIPH_GCM_MODE 32 12 1 "gcm(aes)" "AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46";
    AES_192_GCM Gcm Aead EVP_CIPH_GCM_MODE 24 12 1 "gcm(aes)" "AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26";
    AES_128_GCM Gcm Aead EVP_CIPH_GCM_MODE 16 12 1 "gcm(aes)" "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6";
    AES_256_CCM Ccm Aead EVP_CIPH_CCM_MODE 32 12 1 "ccm(aes)" "AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47";
    AES_192_CCM Ccm Aead EVP_CIPH_CCM_MODE 24 12 1 "ccm(aes)" "AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27";
    AES_128_CCM Ccm Aead EVP_CIPH_CCM_MODE 16 12 1 "ccm(aes)" "AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7";
    AES_256_WRAP Kw Cipher EVP_CIPH_WRAP_MODE 32 8 8 "aes" "AES-256-WRAP:id-aes256-wrap:AES256-WRAP:2.16.840.1.101.3.4.1.45";
    AES_192_WRAP Kw Cipher EVP_CIPH_WRAP_MODE 24 8 8 "aes" "AES-192-WRAP:id-aes192-wrap:AES192-WRAP:2.16.840.1.101.3.4.1.25";
    AES_128_WRAP Kw Cipher EVP_CIPH_WRAP_MODE 16 8 8 "aes" "AES-128-WRAP:id-aes128-wrap:AES128-WRAP:2.16.840.1.101.3.4.1.5";
    AES_256_WRAP_PAD Kwp Cipher EVP_CIPH_WRAP_MODE 32 4 8 "aes" "AES-256-WRAP-PAD:id-aes256-wrap-pad:AES256-WRAP-PAD:2.16.840.1.101.3.4.1.48";
    AES_192_WRAP_PAD Kwp Cipher EVP_CIPH_WRAP_MODE 24 4 8 "aes" "AES-192-WRAP-PAD:id-aes192-wrap-pad:AES192-WRAP-PAD:2.16.840.1.101.3.4.1.28";
    AES_128_WRAP_PAD Kwp Cipher EVP_CIPH_WRAP_MODE 16 4 8 "aes" "AES-128-WRAP-PAD:id-aes128-wrap-pad:AES128-WRAP-PAD:2.16.840.1.101.3.4.1.8";
    AES_256_WRAP_INV KwInverse Cipher EVP_CIPH_WRAP_MODE 32 8 8 "aes" "AES-256-WRAP-INV:AES256-WRAP-INV";
    AES_192_WRAP_INV KwInverse Cipher EVP_CIPH_WRAP_MODE 24 8 8 "aes" "AES-192-WRAP-INV:AES192-WRAP-INV";
    AES_128_WRAP_INV KwInverse Cipher EVP_CIPH_WRAP_MODE 16 8 8 "aes" "AES-128-WRAP-INV:AES128-WRAP-INV";
    AES_256_WRAP_PAD_INV KwpInverse Cipher EVP_CIPH_WRAP_MODE 32 4 8 "aes" "AES-256-WRAP-PAD-INV:AES256-WRAP-PAD-INV";
    AES_192_WRAP_PAD_INV KwpInverse Cipher EVP_CIPH_WRAP_MODE 24 4 8 "aes" "AES-192-WRAP-PAD-INV:AES192-WRAP-PAD-INV";
    AES_128_WRAP_PAD_INV KwpInverse Cipher EVP_CIPH_WRAP_MODE 16 4 8 "aes" "AES-128-WRAP-PAD-INV:AES128-WRAP-PAD-INV";
    CHACHA20 ChaCha Skcipher EVP_CIPH_STREAM_CIPHER 32 16 1 "chacha20" "ChaCha20";
    CHACHA20_POLY1305 ChaChaPoly Aead EVP_CIPH_STREAM_CIPHER 32 12 1 "rfc7539(chacha20,poly1305)" "ChaCha20-Poly1305";
    CAMELLIA_256_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 32 0 16 "ecb(camellia)" "CAMELLIA-256-ECB:0.3.4401.5.3.1.9.41";
    CAMELLIA_192_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 24 0 16 "ecb(camellia)" "CAMELLIA-192-ECB:0.3.4401.5.3.1.9.21";
    CAMELLIA_128_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 16 0 16 "ecb(camellia)" "CAMELLIA-128-ECB:0.3.4401.5.3.1.9.1";
    CAMELLIA_256_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(camellia)" "CAMELLIA-256-CBC:CAMELLIA256:1.2.392.200011.61.1.1.1.4";
    CAMELLIA_192_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(camellia)" "CAMELLIA-192-CBC:CAMELLIA192:1.2.392.200011.61.1.1.1.3";
    CAMELLIA_128_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(camellia)" "CAMELLIA-128-CBC:CAMELLIA128:1.2.392.200011.61.1.1.1.2";
    CAMELLIA_256_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cts(cbc(camellia))" "CAMELLIA-256-CBC-CTS";
    CAMELLIA_192_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cts(cbc(camellia))" "CAMELLIA-192-CBC-CTS";
    CAMELLIA_128_CBC_CTS Cts Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cts(cbc(camellia))" "CAMELLIA-128-CBC-CTS";
    CAMELLIA_256_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 32 16 1 "ctr(camellia)" "CAMELLIA-256-CTR:0.3.4401.5.3.1.9.49";
    CAMELLIA_192_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 24 16 1 "ctr(camellia)" "CAMELLIA-192-CTR:0.3.4401.5.3.1.9.29";
    CAMELLIA_128_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 16 16 1 "ctr(camellia)" "CAMELLIA-128-CTR:0.3.4401.5.3.1.9.9";
    CAMELLIA_256_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 32 16 1 "cfb(camellia)" "CAMELLIA-256-CFB:0.3.4401.5.3.1.9.44";
    CAMELLIA_192_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 24 16 1 "cfb(camellia)" "CAMELLIA-192-CFB:0.3.4401.5.3.1.9.24";
    CAMELLIA_128_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 16 16 1 "cfb(camellia)" "CAMELLIA-128-CFB:0.3.4401.5.3.1.9.4";
    CAMELLIA_256_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 32 16 1 "ofb(camellia)" "CAMELLIA-256-OFB:0.3.4401.5.3.1.9.43";
    CAMELLIA_192_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 24 16 1 "ofb(camellia)" "CAMELLIA-192-OFB:0.3.4401.5.3.1.9.23";
    CAMELLIA_128_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 16 16 1 "ofb(camellia)" "CAMELLIA-128-OFB:0.3.4401.5.3.1.9.3";
    ARIA_256_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 32 0 16 "ecb(aria)" "ARIA-256-ECB:1.2.410.200046.1.1.11";
    ARIA_192_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 24 0 16 "ecb(aria)" "ARIA-192-ECB:1.2.410.200046.1.1.6";
    ARIA_128_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 16 0 16 "ecb(aria)" "ARIA-128-ECB:1.2.410.200046.1.1.1";
    ARIA_256_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 32 16 16 "cbc(aria)" "ARIA-256-CBC:ARIA256:1.2.410.200046.1.1.12";
    ARIA_192_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 24 16 16 "cbc(aria)" "ARIA-192-CBC:ARIA192:1.2.410.200046.1.1.7";
    ARIA_128_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(aria)" "ARIA-128-CBC:ARIA128:1.2.410.200046.1.1.2";
    ARIA_256_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 32 16 1 "ctr(aria)" "ARIA-256-CTR:1.2.410.200046.1.1.15";
    ARIA_192_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 24 16 1 "ctr(aria)" "ARIA-192-CTR:1.2.410.200046.1.1.10";
    ARIA_128_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 16 16 1 "ctr(aria)" "ARIA-128-CTR:1.2.410.200046.1.1.5";
    ARIA_256_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 32 16 1 "cfb(aria)" "ARIA-256-CFB:1.2.410.200046.1.1.13";
    ARIA_192_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 24 16 1 "cfb(aria)" "ARIA-192-CFB:1.2.410.200046.1.1.8";
    ARIA_128_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 16 16 1 "cfb(aria)" "ARIA-128-CFB:1.2.410.200046.1.1.3";
    ARIA_256_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 32 16 1 "ofb(aria)" "ARIA-256-OFB:1.2.410.200046.1.1.14";
    ARIA_192_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 24 16 1 "ofb(aria)" "ARIA-192-OFB:1.2.410.200046.1.1.9";
    ARIA_128_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 16 16 1 "ofb(aria)" "ARIA-128-OFB:1.2.410.200046.1.1.4";
    ARIA_256_GCM Gcm Aead EVP_CIPH_GCM_MODE 32 12 1 "gcm(aria)" "ARIA-256-GCM:1.2.410.200046.1.1.36";
    ARIA_192_GCM Gcm Aead EVP_CIPH_GCM_MODE 24 12 1 "gcm(aria)" "ARIA-192-GCM:1.2.410.200046.1.1.35";
    ARIA_128_GCM Gcm Aead EVP_CIPH_GCM_MODE 16 12 1 "gcm(aria)" "ARIA-128-GCM:1.2.410.200046.1.1.34";
    ARIA_256_CCM Ccm Aead EVP_CIPH_CCM_MODE 32 12 1 "ccm(aria)" "ARIA-256-CCM:1.2.410.200046.1.1.39";
    ARIA_192_CCM Ccm Aead EVP_CIPH_CCM_MODE 24 12 1 "ccm(aria)" "ARIA-192-CCM:1.2.410.200046.1.1.38";
    ARIA_128_CCM Ccm Aead EVP_CIPH_CCM_MODE 16 12 1 "ccm(aria)" "ARIA-128-CCM:1.2.410.200046.1.1.37";
    DES_EDE3_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 24 0 8 "ecb(des3_ede)" "DES-EDE3-ECB:DES-EDE3";
    DES_EDE3_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 24 8 8 "cbc(des3_ede)" "DES-EDE3-CBC:DES3:1.2.840.113549.3.7";
    SM4_ECB Ecb Skcipher EVP_CIPH_ECB_MODE 16 0 16 "ecb(sm4)" "SM4-ECB:1.2.156.10197.1.104.1";
    SM4_CBC Cbc Skcipher EVP_CIPH_CBC_MODE 16 16 16 "cbc(sm4)" "SM4-CBC:SM4:1.2.156.10197.1.104.2";
    SM4_CTR Ctr Skcipher EVP_CIPH_CTR_MODE 16 16 1 "ctr(sm4)" "SM4-CTR:1.2.156.10197.1.104.7";
    SM4_CFB Cfb Skcipher EVP_CIPH_CFB_MODE 16 16 1 "cfb(sm4)" "SM4-CFB:SM4-CFB128:1.2.156.10197.1.104.4";
    SM4_OFB Ofb Skcipher EVP_CIPH_OFB_MODE 16 16 1 "ofb(sm4)" "SM4-OFB:SM4-OFB128:1.2.156.10197.1.104.3";
}
