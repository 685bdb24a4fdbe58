/* libell: checksums, ciphers and AEADs over published examples. */
#include "check.h"
#include "vectors.h"
#include <ell/ell.h>

static void checksum(enum l_checksum_type type, const char *abc, const char *jefe)
{
    uint8_t out[64];
    ssize_t len = l_checksum_digest_length(type);
    CHECK(l_checksum_is_supported(type, false));
    struct l_checksum *c = l_checksum_new(type);
    CHECK(c);
    CHECK(l_checksum_update(c, "a", 1));
    CHECK(l_checksum_updatev(c, (struct iovec[]){{"b", 1}, {"c", 1}}, 2));
    CHECK(l_checksum_get_digest(c, out, len) == len && is(out, abc));
    l_checksum_reset(c);
    CHECK(l_checksum_update(c, "ab", 2));
    struct l_checksum *clone = l_checksum_clone(c);
    CHECK(clone);
    CHECK(l_checksum_update(c, "x", 1) && l_checksum_update(clone, "c", 1));
    CHECK(l_checksum_get_digest(clone, out, len) == len && is(out, abc));
    CHECK(l_checksum_get_digest(c, out, len) == len && !is(out, abc));
    l_checksum_free(clone);
    l_checksum_free(c);
    if (!jefe)
        return;
    CHECK(l_checksum_is_supported(type, true));
    c = l_checksum_new_hmac(type, JEFE, 4);
    CHECK(c && l_checksum_update(c, JEFE_TEXT, strlen(JEFE_TEXT)));
    CHECK(l_checksum_get_digest(c, out, len) == len && is(out, jefe));
    l_checksum_free(c);
}

static void cmac(void)
{
    uint8_t key[16], text[64], out[16];
    unhex(key, SP38A_KEY);
    unhex(text, SP38A_TEXT);
    CHECK(l_checksum_cmac_aes_supported());
    struct l_checksum *c = l_checksum_new_cmac_aes(key, 16);
    CHECK(c && l_checksum_update(c, text, 40));
    CHECK(l_checksum_get_digest(c, out, 16) == 16 && is(out, CMAC_40));
    l_checksum_free(c);
}

static void cipher(enum l_cipher_type type, const char *iv_digits, const char *expected)
{
    uint8_t key[16], iv[16], text[64], out[64], back[64];
    unhex(key, SP38A_KEY);
    unhex(iv, iv_digits);
    unhex(text, SP38A_TEXT);
    CHECK(l_cipher_is_supported(type));
    struct l_cipher *c = l_cipher_new(type, key, 16);
    CHECK(c && l_cipher_set_iv(c, iv, 16));
    CHECK(l_cipher_encrypt(c, text, out, 64) && is(out, expected));
    CHECK(l_cipher_set_iv(c, iv, 16));
    CHECK(l_cipher_decryptv(c, (struct iovec[]){{out, 24}, {out + 24, 40}}, 2,
                            (struct iovec[]){{back, 48}, {back + 48, 16}}, 2));
    CHECK(!memcmp(back, text, 64));
    l_cipher_free(c);
}

static void ecb(void)
{
    uint8_t key[16], text[16], out[16];
    unhex(key, SP38A_KEY);
    unhex(text, SP38A_TEXT);
    struct l_cipher *c = l_cipher_new(L_CIPHER_AES, key, 16);
    CHECK(c && l_cipher_encrypt(c, text, out, 16) && is(out, "3ad77bb40d7a3660a89ecaf32466ef97"));
    l_cipher_free(c);
}

static void aead(enum l_aead_cipher_type type, const char *k, const char *n, const char *a, const char *t,
                 const char *sealed, const char *tag)
{
    uint8_t key[16], nonce[16], aad[32], text[64], out[96], back[64];
    unhex(key, k);
    size_t nonce_len = unhex(nonce, n), aad_len = unhex(aad, a), len = unhex(text, t), tag_len = strlen(tag) / 2;
    CHECK(l_aead_cipher_is_supported(type));
    struct l_aead_cipher *c = l_aead_cipher_new(type, key, 16, tag_len);
    CHECK(c && l_aead_cipher_encrypt(c, text, len, aad, aad_len, nonce, nonce_len, out, len + tag_len));
    CHECK(is(out, sealed) && is(out + len, tag));
    CHECK(l_aead_cipher_decrypt(c, out, len + tag_len, aad, aad_len, nonce, nonce_len, back, len));
    CHECK(!memcmp(back, text, len));
    out[0] ^= 1;
    CHECK(!l_aead_cipher_decrypt(c, out, len + tag_len, aad, aad_len, nonce, nonce_len, back, len));
    l_aead_cipher_free(c);
}

int main(void)
{
    checksum(L_CHECKSUM_MD5, MD5_ABC, JEFE_MD5);
    checksum(L_CHECKSUM_SHA1, SHA1_ABC, JEFE_SHA1);
    checksum(L_CHECKSUM_SHA256, SHA256_ABC, JEFE_SHA256);
    checksum(L_CHECKSUM_SHA384, SHA384_ABC, JEFE_SHA384);
    checksum(L_CHECKSUM_SHA512, SHA512_ABC, JEFE_SHA512);
    cmac();
    ecb();
    cipher(L_CIPHER_AES_CBC, SP38A_IV, SP38A_CBC);
    cipher(L_CIPHER_AES_CTR, SP38A_COUNTER, SP38A_CTR);
    aead(L_AEAD_CIPHER_AES_GCM, GCM_KEY, GCM_IV, GCM_AAD, GCM_TEXT, GCM_SEALED, GCM_TAG);
    aead(L_AEAD_CIPHER_AES_CCM, CCM_KEY, CCM_NONCE, CCM_AAD, CCM_TEXT, CCM_SEALED, CCM_TAG);
    return done();
}
