/* Published examples. */
#ifndef VECTORS_H
#define VECTORS_H

/* SP 800-38A: F.2.1 (CBC-AES128) and F.5.1 (CTR-AES128). */
#define SP38A_KEY "2b7e151628aed2a6abf7158809cf4f3c"
#define SP38A_IV "000102030405060708090a0b0c0d0e0f"
#define SP38A_COUNTER "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define SP38A_TEXT                                                                                  \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"                              \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define SP38A_CBC                                                                                   \
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"                              \
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
#define SP38A_CTR                                                                                   \
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"                              \
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"

/* SM4 with that key, IV and text, and HMAC-SM3 of RFC 4231's second example: by OpenSSL 3.0 (`openssl enc`, `openssl mac`). */
#define SM4_CBC                                                                                     \
    "ac529af989a62fce9cddc5ffb84125cab168dd69db3c0eea1ab16de6aea43c59"                              \
    "2c15567bff8f707486c202c7be59101f74a629b350cd7e11be99998af5206d6c"
#define SM4_CTR                                                                                     \
    "bc710d762d070b26361da82b54565e46b02b3dbddd50d5b458aeccb25da105e1"                              \
    "6ad70bc01175ad43b0806a2e7b9ca545602459a06b7d130dde42a3e0476818d2"
#define JEFE_SM3 "2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882"

/* CAVP, HMAC_DRBG with SHA-256, no prediction resistance, no reseeding: the first, entropy and nonce, and the second
 * 128 bytes. */
#define CAVP_ENTROPY                                                                                \
    "ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488"                              \
    "659ba96c601dc69fc902940805ec0ca8"
#define CAVP_RETURNED                                                                               \
    "e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89"                              \
    "d54fbb978a15b5c443c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc1"                              \
    "07694bb7547bb0995f70de25d6b29e2d3011bb19d27676c07162c8b5ccde0668"                              \
    "961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bdaba806f48be9dcb8"

/* The GCM specification (McGrew, Viega): test case 4. */
#define GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define GCM_IV "cafebabefacedbaddecaf888"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define GCM_TEXT                                                                                    \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                              \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define GCM_SEALED                                                                                  \
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"                              \
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
#define GCM_TAG "5bc94fbc3221a5db94fae95ae7121a47"

/* SP 800-38C, example 1: a tag of 4 bytes, a nonce of 7. */
#define CCM_KEY "404142434445464748494a4b4c4d4e4f"
#define CCM_NONCE "10111213141516"
#define CCM_AAD "0001020304050607"
#define CCM_TEXT "20212223"
#define CCM_SEALED "7162015b"
#define CCM_TAG "4dac255d"

/* FIPS 180: "abc". */
#define SHA1_ABC "a9993e364706816aba3e25717850c26c9cd0d89d"
#define SHA224_ABC "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
#define SHA256_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA384_ABC                                                                                  \
    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
#define SHA512_ABC                                                                                  \
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"                              \
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
#define MD5_ABC "900150983cd24fb0d6963f7d28e17f72"

/* RFC 2202 and RFC 4231: key "Jefe", "what do ya want for nothing?". */
#define JEFE "Jefe"
#define JEFE_TEXT "what do ya want for nothing?"
#define JEFE_SHA1 "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
#define JEFE_SHA224 "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
#define JEFE_SHA256 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
#define JEFE_SHA384                                                                                 \
    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
#define JEFE_SHA512                                                                                 \
    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"                              \
    "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
#define JEFE_MD5 "750c783e6ab0b503eaa86e310a5db738"

/* RFC 4493: AES-CMAC of the first 16 bytes of SP38A_TEXT, and of the first 40. */
#define CMAC_16 "070a16b46b4d4144f79bdd9dd04a287c"
#define CMAC_40 "dfa66747de9ae63030ca32611497c827"

/* RFC 7914, section 11: PBKDF2-HMAC-SHA-256 of "passwd", "salt", one iteration. */
#define PBKDF2_SHA256 "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
/* RFC 5869, test case 1. */
#define HKDF_IKM "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
#define HKDF_SALT "000102030405060708090a0b0c"
#define HKDF_INFO "f0f1f2f3f4f5f6f7f8f9"
#define HKDF_OKM                                                                                    \
    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"

#endif
