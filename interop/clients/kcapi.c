/* libkcapi: its symmetric calls, each at least once, over published examples: one-shot, stream, by vmsplice and
 * asynchronously. (Its header has calls for akcipher and kpp, too; no stock kernel serves those, and Debian's library is
 * built without them.) */
#include "check.h"
#include "vectors.h"
#include <kcapi.h>
#include <sys/uio.h>

static void ciphers(void)
{
    uint8_t key[16], iv[16], counter[16], text[64], out[64], back[64];
    struct kcapi_handle *h, *again;
    unhex(key, SP38A_KEY);
    unhex(iv, SP38A_IV);
    unhex(counter, SP38A_COUNTER);
    unhex(text, SP38A_TEXT);

    CHECK(kcapi_cipher_init(&h, "no-such-cipher", 0) < 0);
    CHECK(kcapi_cipher_init(&h, "cbc(aes)", 0) == 0);
    CHECK(kcapi_cipher_ivsize(h) == 16 && kcapi_cipher_blocksize(h) == 16);
    CHECK(kcapi_cipher_setkey(h, key, 15) < 0);
    CHECK(kcapi_cipher_setkey(h, key, 16) == 0);
    const int ways[] = {KCAPI_ACCESS_HEURISTIC, KCAPI_ACCESS_VMSPLICE, KCAPI_ACCESS_SENDMSG};
    for (unsigned i = 0; i < 3; i++) {
        memset(out, 0, 64);
        CHECK(kcapi_cipher_encrypt(h, text, 64, iv, out, 64, ways[i]) == 64 && is(out, SP38A_CBC));
        CHECK(kcapi_cipher_decrypt(h, out, 64, iv, back, 64, ways[i]) == 64 && !memcmp(back, text, 64));
    }
    /* A stream: two pieces in, an update, the last one; out in two parts. */
    struct iovec in[2] = {{text, 16}, {text + 16, 16}};
    memset(out, 0, 64);
    CHECK(kcapi_cipher_stream_init_enc(h, iv, in, 2) == 32);
    CHECK(kcapi_cipher_stream_op(h, &(struct iovec){out, 32}, 1) == 32);
    CHECK(kcapi_cipher_stream_update(h, &(struct iovec){text + 32, 16}, 1) == 16);
    CHECK(kcapi_cipher_stream_update_last(h, &(struct iovec){text + 48, 16}, 1) == 16);
    CHECK(kcapi_cipher_stream_op(h, &(struct iovec){out + 32, 32}, 1) == 32 && is(out, SP38A_CBC));
    CHECK(kcapi_cipher_stream_init_dec(h, iv, &(struct iovec){out, 48}, 1) == 48);
    CHECK(kcapi_cipher_stream_update_last(h, &(struct iovec){out + 48, 16}, 1) == 16);
    CHECK(kcapi_cipher_stream_op(h, &(struct iovec){back, 64}, 1) == 64 && !memcmp(back, text, 64));
    /* Another operation of the same transform. */
    CHECK(kcapi_handle_reinit(&again, h, 0) == 0);
    CHECK(kcapi_cipher_encrypt(again, text, 64, iv, out, 64, KCAPI_ACCESS_HEURISTIC) == 64 && is(out, SP38A_CBC));
    uint8_t *padded;
    uint32_t padded_len;
    CHECK(kcapi_pad_iv(h, iv, 7, &padded, &padded_len) == 0 && padded_len == 16 && !memcmp(padded, iv, 7));
    free(padded);
    kcapi_cipher_destroy(again);
    kcapi_cipher_destroy(h);

    CHECK(kcapi_cipher_enc_aes_cbc(key, 16, text, 64, iv, out, 64) == 64 && is(out, SP38A_CBC));
    CHECK(kcapi_cipher_dec_aes_cbc(key, 16, out, 64, iv, back, 64) == 64 && !memcmp(back, text, 64));
    CHECK(kcapi_cipher_enc_aes_ctr(key, 16, text, 64, counter, out, 64) == 64 && is(out, SP38A_CTR));
    CHECK(kcapi_cipher_dec_aes_ctr(key, 16, out, 64, counter, back, 64) == 64 && !memcmp(back, text, 64));

    CHECK(kcapi_cipher_enc_sm4_cbc(key, 16, text, 64, iv, out, 64) == 64 && is(out, SM4_CBC));
    CHECK(kcapi_cipher_dec_sm4_cbc(key, 16, out, 64, iv, back, 64) == 64 && !memcmp(back, text, 64));
    CHECK(kcapi_cipher_enc_sm4_ctr(key, 16, text, 64, iv, out, 64) == 64 && is(out, SM4_CTR));
    CHECK(kcapi_cipher_dec_sm4_ctr(key, 16, out, 64, iv, back, 64) == 64 && !memcmp(back, text, 64));

    /* Asynchronous: four buffers of a message in one call. */
    CHECK(kcapi_cipher_init(&h, "ctr(aes)", KCAPI_INIT_AIO) == 0);
    CHECK(kcapi_cipher_setkey(h, key, 16) == 0);
    struct iovec from = {text, 64}, to = {out, 64};
    for (unsigned i = 0; i < 3; i++) {
        memset(out, 0, 64);
        CHECK(kcapi_cipher_encrypt_aio(h, &from, &to, 1, counter, ways[i]) == 64 && is(out, SP38A_CTR));
        struct iovec sealed = {out, 64}, opened = {back, 64};
        CHECK(kcapi_cipher_decrypt_aio(h, &sealed, &opened, 1, counter, ways[i]) == 64 && !memcmp(back, text, 64));
    }
    kcapi_cipher_destroy(h);
}

/* More than a pipe holds, so that a splice comes in parts. */
static void large(void)
{
    static uint8_t text[300000], by_sendmsg[300000], by_vmsplice[300000];
    uint8_t key[16] = {1}, iv[16] = {2};
    struct kcapi_handle *h;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i * 7 + (i >> 9);
    CHECK(kcapi_cipher_init(&h, "cbc(aes)", 0) == 0 && kcapi_cipher_setkey(h, key, 16) == 0);
    CHECK(kcapi_set_maxsplicesize(h, 65536) == 0);
    CHECK(kcapi_get_maxsplicesize(h) > 0 && kcapi_get_maxsplicesize(h) <= 65536);
    size_t len = 65536;
    CHECK(kcapi_cipher_encrypt(h, text, len, iv, by_sendmsg, len, KCAPI_ACCESS_SENDMSG) == (ssize_t)len);
    CHECK(kcapi_cipher_encrypt(h, text, len, iv, by_vmsplice, len, KCAPI_ACCESS_VMSPLICE) == (ssize_t)len);
    CHECK(!memcmp(by_sendmsg, by_vmsplice, len));
    CHECK(kcapi_cipher_decrypt(h, by_sendmsg, len, iv, by_vmsplice, len, KCAPI_ACCESS_HEURISTIC) == (ssize_t)len);
    CHECK(!memcmp(by_vmsplice, text, len));
    kcapi_cipher_destroy(h);
}

static void aeads(void)
{
    uint8_t key[16], iv[16], aad[32], text[64], in[128], out[128];
    struct kcapi_handle *h;
    unhex(key, GCM_KEY);
    unhex(iv, GCM_IV);
    size_t a = unhex(aad, GCM_AAD), n = unhex(text, GCM_TEXT);
    uint8_t *aad_at, *data_at, *tag_at;
    size_t aad_len, data_len, tag_len;

    for (unsigned aio = 0; aio < 2; aio++) {
        CHECK(kcapi_aead_init(&h, "gcm(aes)", aio ? KCAPI_INIT_AIO : 0) == 0);
        CHECK(kcapi_aead_ivsize(h) == 12 && kcapi_aead_authsize(h) == 16 && kcapi_aead_blocksize(h) == 1);
        CHECK(kcapi_aead_settaglen(h, 17) < 0);
        CHECK(kcapi_aead_settaglen(h, 16) == 0 && kcapi_aead_setkey(h, key, 16) == 0);
        kcapi_aead_setassoclen(h, a);
        size_t in_len = kcapi_aead_inbuflen_enc(h, n, a, 16), out_len = kcapi_aead_outbuflen_enc(h, n, a, 16);
        CHECK(in_len <= 128 && out_len <= 128);
        memcpy(in, aad, a);
        memcpy(in + a, text, n);
        if (aio) {
            struct iovec from = {in, in_len}, to = {out, out_len};
            CHECK(kcapi_aead_encrypt_aio(h, &from, &to, 1, iv, KCAPI_ACCESS_HEURISTIC) > 0);
        } else {
            CHECK(kcapi_aead_encrypt(h, in, in_len, iv, out, out_len, KCAPI_ACCESS_HEURISTIC) > 0);
        }
        kcapi_aead_getdata_output(h, out, out_len, 1, &aad_at, &aad_len, &data_at, &data_len, &tag_at, &tag_len);
        CHECK(aad_len == a && data_len == n && tag_len == 16 && is(data_at, GCM_SEALED) && is(tag_at, GCM_TAG));

        in_len = kcapi_aead_inbuflen_dec(h, n, a, 16);
        kcapi_aead_getdata_input(h, in, in_len, 0, &aad_at, &aad_len, &data_at, &data_len, &tag_at, &tag_len);
        memcpy(aad_at, aad, a);
        unhex(data_at, GCM_SEALED);
        unhex(tag_at, GCM_TAG);
        out_len = kcapi_aead_outbuflen_dec(h, n, a, 16);
        for (unsigned bad = 0; bad < 2; bad++) {
            tag_at[3] ^= bad;
            ssize_t got;
            if (aio) {
                struct iovec from = {in, in_len}, to = {out, out_len};
                got = kcapi_aead_decrypt_aio(h, &from, &to, 1, iv, KCAPI_ACCESS_HEURISTIC);
            } else {
                got = kcapi_aead_decrypt(h, in, in_len, iv, out, out_len, KCAPI_ACCESS_VMSPLICE);
            }
            CHECK(bad ? got == -EBADMSG : got > 0);
            if (!bad) {
                uint8_t *d;
                size_t l;
                kcapi_aead_getdata_output(h, out, out_len, 0, NULL, NULL, &d, &l, NULL, NULL);
                CHECK(l == n && !memcmp(d, text, n));
            }
        }
        kcapi_aead_destroy(h);
    }

    /* A stream. */
    CHECK(kcapi_aead_init(&h, "gcm(aes)", 0) == 0);
    CHECK(kcapi_aead_settaglen(h, 16) == 0 && kcapi_aead_setkey(h, key, 16) == 0);
    kcapi_aead_setassoclen(h, a);
    CHECK(kcapi_aead_stream_init_enc(h, iv, &(struct iovec){aad, a}, 1) >= 0);
    CHECK(kcapi_aead_stream_update(h, &(struct iovec){text, 20}, 1) == 20);
    CHECK(kcapi_aead_stream_update_last(h, &(struct iovec){text + 20, n - 20}, 1) == (ssize_t)n - 20);
    CHECK(kcapi_aead_stream_op(h, (struct iovec[]){{in, a}, {out, n + 16}}, 2) > 0);
    CHECK(is(out, GCM_SEALED) && is(out + n, GCM_TAG) && is(in, GCM_AAD));
    CHECK(kcapi_aead_stream_init_dec(h, iv, &(struct iovec){aad, a}, 1) >= 0);
    CHECK(kcapi_aead_stream_update(h, &(struct iovec){out, n}, 1) == (ssize_t)n);
    CHECK(kcapi_aead_stream_update_last(h, &(struct iovec){out + n, 16}, 1) == 16);
    uint8_t opened[64];
    CHECK(kcapi_aead_stream_op(h, (struct iovec[]){{in, a}, {opened, n}}, 2) > 0 && !memcmp(opened, text, n));
    kcapi_aead_destroy(h);

    uint8_t nonce[8], *ccm_iv;
    uint32_t ccm_iv_len;
    size_t nonce_len = unhex(nonce, CCM_NONCE);
    CHECK(kcapi_aead_ccm_nonce_to_iv(nonce, nonce_len, &ccm_iv, &ccm_iv_len) == 0 && ccm_iv_len == 16);
    CHECK(kcapi_aead_init(&h, "ccm(aes)", 0) == 0 && kcapi_aead_settaglen(h, 4) == 0);
    unhex(key, CCM_KEY);
    CHECK(kcapi_aead_setkey(h, key, 16) == 0);
    kcapi_aead_setassoclen(h, 8);
    unhex(in, CCM_AAD CCM_TEXT);
    CHECK(kcapi_aead_encrypt(h, in, 12, ccm_iv, out, 16, KCAPI_ACCESS_HEURISTIC) > 0);
    CHECK(is(out + 8, CCM_SEALED CCM_TAG));
    free(ccm_iv);
    kcapi_aead_destroy(h);
}

static void digests(void)
{
    const uint8_t *abc = (const uint8_t *)"abc", *jefe = (const uint8_t *)JEFE, *text = (const uint8_t *)JEFE_TEXT;
    const size_t n = strlen(JEFE_TEXT);
    uint8_t out[64];
    struct kcapi_handle *h;
    CHECK(kcapi_md_init(&h, "sha256", 0) == 0);
    CHECK(kcapi_md_digestsize(h) == 32 && kcapi_md_blocksize(h) == 64);
    CHECK(kcapi_md_digest(h, abc, 3, out, 32) == 32 && is(out, SHA256_ABC));
    CHECK(kcapi_md_update(h, abc, 1) == 0 && kcapi_md_update(h, abc + 1, 2) == 0);
    CHECK(kcapi_md_final(h, out, 32) == 32 && is(out, SHA256_ABC));
    kcapi_md_destroy(h);
    CHECK(kcapi_md_init(&h, "hmac(sha256)", 0) == 0 && kcapi_md_setkey(h, jefe, 4) == 0);
    CHECK(kcapi_md_digest(h, text, n, out, 32) == 32 && is(out, JEFE_SHA256));
    kcapi_md_destroy(h);
    CHECK(kcapi_md_sha1(abc, 3, out, 20) == 20 && is(out, SHA1_ABC));
    CHECK(kcapi_md_sha224(abc, 3, out, 28) == 28 && is(out, SHA224_ABC));
    CHECK(kcapi_md_sha256(abc, 3, out, 32) == 32 && is(out, SHA256_ABC));
    CHECK(kcapi_md_sha384(abc, 3, out, 48) == 48 && is(out, SHA384_ABC));
    CHECK(kcapi_md_sha512(abc, 3, out, 64) == 64 && is(out, SHA512_ABC));
    CHECK(kcapi_md_hmac_sha1(jefe, 4, text, n, out, 20) == 20 && is(out, JEFE_SHA1));
    CHECK(kcapi_md_hmac_sha224(jefe, 4, text, n, out, 28) == 28 && is(out, JEFE_SHA224));
    CHECK(kcapi_md_hmac_sha256(jefe, 4, text, n, out, 32) == 32 && is(out, JEFE_SHA256));
    CHECK(kcapi_md_hmac_sha384(jefe, 4, text, n, out, 48) == 48 && is(out, JEFE_SHA384));
    CHECK(kcapi_md_hmac_sha512(jefe, 4, text, n, out, 64) == 64 && is(out, JEFE_SHA512));
    CHECK(kcapi_md_hmac_sm3(jefe, 4, text, n, out, 32) == 32 && is(out, JEFE_SM3));
    /* GB/T 32905-2016, example 1. */
    CHECK(kcapi_md_sm3(abc, 3, out, 32) == 32 &&
          is(out, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"));
}

static void derivations(void)
{
    uint8_t out[64], ikm[22], salt[13], info[10];
    CHECK(kcapi_pbkdf("hmac(sha256)", (const uint8_t *)"passwd", 6, (const uint8_t *)"salt", 4, 1, out, 32) == 0 &&
          is(out, PBKDF2_SHA256));
    CHECK(kcapi_pbkdf_iteration_count("hmac(sha256)", 1000000) > 0);
    unhex(ikm, HKDF_IKM);
    unhex(salt, HKDF_SALT);
    unhex(info, HKDF_INFO);
    CHECK(kcapi_hkdf("hmac(sha256)", ikm, 22, salt, 13, info, 10, out, 42) == 0 && is(out, HKDF_OKM));
    struct kcapi_handle *h;
    CHECK(kcapi_md_init(&h, "hmac(sha256)", 0) == 0 && kcapi_md_setkey(h, ikm, 22) == 0);
    uint8_t a[32], b[32];
    CHECK(kcapi_kdf_ctr(h, salt, 13, a, 32) == 0 && kcapi_kdf_ctr(h, salt, 13, b, 32) == 0 && !memcmp(a, b, 32));
    CHECK(kcapi_kdf_dpi(h, salt, 13, b, 32) == 0 && memcmp(a, b, 32));
    uint8_t seed[45] = {0};
    CHECK(kcapi_kdf_fb(h, seed, 45, b, 32) == 0 && memcmp(a, b, 32));
    kcapi_md_destroy(h);
}

static void random_numbers(void)
{
    uint8_t a[300] = {0}, b[300] = {0}, seed[48] = {1};
    struct kcapi_handle *h;
    CHECK(kcapi_rng_init(&h, "drbg_nopr_hmac_sha256", 0) == 0);
    kcapi_rng_seedsize(h);
    CHECK(kcapi_rng_seed(h, seed, 48) == 0);
    CHECK(kcapi_rng_generate(h, a, 300) == 300 && kcapi_rng_generate(h, b, 300) == 300 && memcmp(a, b, 300));
    kcapi_rng_destroy(h);

    uint8_t entropy[48];
    unhex(entropy, CAVP_ENTROPY);
    CHECK(kcapi_rng_init(&h, "drbg_nopr_hmac_sha256", 0) == 0);
    CHECK(kcapi_rng_setentropy(h, entropy, 48) == 0 && kcapi_rng_setentropy(h, entropy, 48) < 0);
    CHECK(kcapi_rng_seed(h, seed, 0) == 0);
    CHECK(kcapi_rng_generate(h, a, 128) == 128 && kcapi_rng_generate(h, a, 128) == 128 && is(a, CAVP_RETURNED));
    CHECK(kcapi_rng_setaddtl(h, seed, 48) >= 0 && kcapi_rng_generate(h, b, 128) == 128 && memcmp(a, b, 128));
    kcapi_rng_destroy(h);
    CHECK(kcapi_rng_get_bytes(a, 300) == 300 && memcmp(a, b, 300));
}

int main(void)
{
    char version[100];
    kcapi_set_verbosity(KCAPI_LOG_WARN);
    kcapi_versionstring(version, sizeof version);
    CHECK(kcapi_version() >= 1000000 && strstr(version, "libkcapi"));
    ciphers();
    large();
    aeads();
    digests();
    derivations();
    random_numbers();
    uint8_t secret[4] = {1, 2, 3, 4};
    kcapi_memset_secure(secret, 0, 4);
    CHECK(!secret[0] && !secret[3]);
    return done();
}
