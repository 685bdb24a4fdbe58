#include "differential.h"
#include <arpa/inet.h>
#include <string.h>

#define AES 16, 24, 32
const struct skcipher skciphers[] = {
    {"cbc(aes)", {AES}, 16, 16, true},
    {"ecb(aes)", {AES}, 0, 16, true},
    {"ctr(aes)", {AES}, 16, 16, true},
    {"xts(aes)", {32, 64}, 16, 16, false},
    {"cbc(aes)", {AES}, 16, 16, true},
    {"ctr(aes)", {AES}, 16, 16, true},
    {"lrw(aes)", {32, 40, 48}, 16, 16, false},
    {"pcbc(aes)", {AES}, 16, 16, true},
    {"cts(cbc(aes))", {AES}, 16, 16, false},
    {"essiv(cbc(aes),sha256)", {AES}, 16, 16, false},
    {"rfc3686(ctr(aes))", {20, 28, 36}, 8, 16, false},
    {"chacha20", {32}, 16, 64, false},
    {"xchacha20", {32}, 32, 64, false},
    {"xchacha12", {32}, 32, 64, false},
    {"adiantum(xchacha12,aes)", {32}, 32, 16, false},
    {"adiantum(xchacha20,aes)", {32}, 32, 16, false},
    {"cfb(aes)", {AES}, 16, 16, true},
    {"ofb(aes)", {AES}, 16, 16, true},
    {"cbc(serpent)", {AES, 1, 7}, 16, 16, true},
    {"ecb(serpent)", {AES}, 0, 16, true},
    {"ctr(serpent)", {AES}, 16, 16, true},
    {"xts(serpent)", {32, 64}, 16, 16, false},
    {"lrw(serpent)", {32, 48}, 16, 16, false},
    {"cbc(twofish)", {AES}, 16, 16, true},
    {"ctr(twofish)", {AES}, 16, 16, true},
    {"ecb(twofish)", {AES}, 0, 16, true},
    {"xts(twofish)", {32, 48, 64}, 16, 16, false},
    {"cbc(camellia)", {AES}, 16, 16, true},
    {"ctr(camellia)", {AES}, 16, 16, true},
    {"xts(camellia)", {32, 64}, 16, 16, false},
    {"cbc(cast6)", {AES, 20, 28}, 16, 16, true},
    {"xts(cast6)", {32, 64}, 16, 16, false},
    {"cbc(cast5)", {5, 10, 16}, 8, 8, true},
    {"ctr(cast5)", {5, 10, 16}, 8, 8, true},
    {"cbc(blowfish)", {4, 16, 56}, 8, 8, true},
    {"ecb(blowfish)", {4, 16, 56}, 0, 8, true},
    {"ctr(blowfish)", {4, 16, 56}, 8, 8, true},
    {"cbc(des3_ede)", {24}, 8, 8, true},
    {"ecb(des3_ede)", {24}, 0, 8, true},
    {"ctr(des3_ede)", {24}, 8, 8, true},
};
const size_t skciphers_len = COUNT(skciphers);

const struct aead aeads[] = {
    {"gcm(aes)", {AES}, 12, 16, {0}, 1, 0},
    {"gcm(aes)", {AES}, 12, 16, {0}, 1, 0},
    {"ccm(aes)", {AES}, 16, 16, {0}, 1, 0},
    {"rfc7539(chacha20,poly1305)", {32}, 12, 16, {0}, 1, 0},
    {"rfc7539esp(chacha20,poly1305)", {36}, 8, 16, {8, 12}, 1, 0},
    {"rfc4106(gcm(aes))", {20, 28, 36}, 8, 16, {16, 20}, 1, 0},
    {"rfc4543(gcm(aes))", {20, 28, 36}, 8, 16, {16, 20}, 1, 0},
    {"rfc4309(ccm(aes))", {19, 27, 35}, 8, 16, {16, 20}, 1, 0},
    {"authenc(hmac(sha1),cbc(aes))", {AES}, 16, 20, {0}, 16, 20},
    {"authenc(hmac(sha256),cbc(aes))", {AES}, 16, 32, {0}, 16, 32},
    {"authenc(hmac(sha512),cbc(aes))", {AES}, 16, 64, {0}, 16, 64},
    {"authenc(hmac(sha256),ctr(aes))", {AES}, 16, 32, {0}, 1, 7},
    {"authencesn(hmac(sha256),cbc(aes))", {AES}, 16, 32, {8, 12}, 16, 32},
    {"authenc(xcbc(aes),cbc(aes))", {AES}, 16, 16, {0}, 16, 16},
    {"authenc(cmac(aes),cbc(aes))", {AES}, 16, 16, {0}, 16, 16},
    {"aegis128", {16}, 16, 16, {0}, 1, 0},
    {"essiv(authenc(hmac(sha256),cbc(aes)),sha256)", {AES}, 16, 32, {0}, 16, 32},
};
const size_t aeads_len = COUNT(aeads);

const struct hash hashes[] = {
    {"sha256", {0}, 32},
    {"sha1", {0}, 20},
    {"md5", {0}, 16},
    {"sha224", {0}, 28},
    {"sha384", {0}, 48},
    {"sha512", {0}, 64},
    {"sha3-224", {0}, 28},
    {"sha3-256", {0}, 32},
    {"sha3-384", {0}, 48},
    {"sha3-512", {0}, 64},
    {"md4", {0}, 16},
    {"michael_mic", {8}, 8},
    {"rmd160", {0}, 20},
    {"wp256", {0}, 32},
    {"wp384", {0}, 48},
    {"wp512", {0}, 64},
    {"streebog256", {0}, 32},
    {"streebog512", {0}, 64},
    {"crc32", {4}, 4},
    {"crc32c", {4}, 4},
    {"xxhash64", {8}, 8},
    {"blake2b-160", {1, 32, 64}, 20},
    {"blake2b-512", {1, 32, 64}, 64},
    {"ghash", {16}, 16},
    {"poly1305", {0}, 16},
    {"hmac(sha256)", {1, 32, 100}, 32},
    {"hmac(sha1)", {1, 20, 64}, 20},
    {"hmac(md5)", {1, 16, 65}, 16},
    {"hmac(sha512)", {1, 64, 129}, 64},
    {"hmac(sha3-256)", {1, 32, 200}, 32},
    {"hmac(rmd160)", {1, 20, 65}, 20},
    {"hmac(streebog256)", {1, 32, 65}, 32},
    {"cmac(aes)", {AES}, 16},
    {"cmac(des3_ede)", {24}, 8},
    {"xcbc(aes)", {16}, 16},
    {"cbcmac(aes)", {AES}, 16},
};
const size_t hashes_len = COUNT(hashes);

const char *const rngs[] = {
    "stdrng",         "drbg_nopr_hmac_sha256", "drbg_nopr_hmac_sha512", "drbg_pr_hmac_sha256", "drbg_nopr_ctr_aes128",
    "drbg_nopr_ctr_aes256", "drbg_pr_ctr_aes192", "drbg_nopr_sha256",   "drbg_pr_sha1",        "jitterentropy_rng",
};
const size_t rngs_len = COUNT(rngs);

/* Names that are spelt wrong, of another type, or of parts that do not fit. */
const char *const strange_names[] = {
    "",
    "aes",
    "sha256",
    "cbc(aes)",
    "gcm(aes)",
    "stdrng",
    "CBC(AES)",
    "cbc(aes",
    "cbc(aes))",
    "cbc( aes)",
    " cbc(aes)",
    "cbc(aes) ",
    "cbc(aes),",
    "cbc()",
    "cbc",
    "(aes)",
    "no-such-name",
    "cbc(no-such-name)",
    "cbc(cbc(aes))",
    "cbc(ecb(aes))",
    "ecb(ctr(aes))",
    "cbc(sha256)",
    "ctr(ctr(aes))",
    "xts(des3_ede)",
    "xts(sha256)",
    "lrw(des3_ede)",
    "cts(aes)",
    "cts(ctr(aes))",
    "cts(ecb(aes))",
    "rfc3686(cbc(aes))",
    "rfc3686(aes)",
    "gcm(des3_ede)",
    "gcm(sha256)",
    "ccm(des3_ede)",
    "rfc4106(ccm(aes))",
    "rfc4106(aes)",
    "rfc4309(gcm(aes))",
    "rfc7539(chacha20,sha256)",
    "rfc7539(chacha20)",
    "rfc7539(aes,poly1305)",
    "authenc(hmac(sha256))",
    "authenc(hmac(sha256),aes)",
    "essiv(cbc(aes))",
    "essiv(cbc(aes),aes)",
    "hmac(crc32c)",
    "hmac(hmac(sha256))",
    "hmac(aes)",
    "hmac(blake2b-512)",
    "hmac()",
    "cmac(sha256)",
    "cmac(ecb(aes))",
    "xcbc(des3_ede)",
    "cbcmac(des3_ede)",
    "michael",
    "cbc(aes)(aes)",
    "cbc(aes,aes)",
    "cbc(\t)",
    "cbc(\xff)",
};
const size_t strange_names_len = COUNT(strange_names);

const char *const misfits[] = {
    "authenc(sha256,cbc(aes))",
    "authenc(crc32c,ctr(aes))",
    "essiv(cbc(aes),sha1)",
    "essiv(authenc(hmac(sha256),cbc(aes)),sha1)",
};
const size_t misfits_len = COUNT(misfits);

size_t authenc_key(uint8_t *key, size_t auth, size_t enc)
{
    const uint16_t header[2] = {8, 1}; /* an rtattr: its length, CRYPTO_AUTHENC_KEYA_PARAM */
    const uint32_t enc_len = htonl(enc);
    memcpy(key, header, 4);
    memcpy(key + 4, &enc_len, 4);
    fill(key + 8, auth + enc);
    return 8 + auth + enc;
}
