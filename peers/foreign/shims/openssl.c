/* OpenSSL 3 or 4. Algorithms are fetched once and contexts are kept, as its manual advises for speed. */
#include "plugin.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

struct state {
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    struct peer_case c;
    bool one_time_key;
};

/* The key, if it is set again with each IV. */
static const uint8_t *new_key(const struct state *s)
{
    return s->c.rekey ? s->c.key : NULL;
}

static bool skcipher(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    int n;
    (void)outs;
    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, new_key(s), ivs[0], -1, NULL)
        && EVP_CipherUpdate(s->cipher_ctx, text, &n, text, (int)s->c.size) && (size_t)n == s->c.size;
}

static bool seal(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    EVP_CIPHER_CTX *ctx = s->cipher_ctx;
    uint8_t rest[16];
    int n;
    return EVP_CipherInit_ex2(ctx, NULL, new_key(s), ivs[0], -1, NULL)
        && EVP_CipherUpdate(ctx, NULL, &n, s->c.assoc, (int)s->c.assoc_len)
        && EVP_CipherUpdate(ctx, text, &n, text, (int)s->c.size) && EVP_CipherFinal_ex(ctx, rest, &n)
        && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, outs[0]);
}

static bool open(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    EVP_CIPHER_CTX *ctx = s->cipher_ctx;
    uint8_t rest[16];
    int n;
    (void)outs;
    return EVP_CipherInit_ex2(ctx, NULL, NULL, ivs[0], -1, NULL)
        && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, text + s->c.size)
        && EVP_CipherUpdate(ctx, NULL, &n, s->c.assoc, (int)s->c.assoc_len)
        && EVP_CipherUpdate(ctx, text, &n, text, (int)s->c.size) && EVP_CipherFinal_ex(ctx, rest, &n);
}

/* CCM takes the length before the associated data, and checks the tag in the call that decrypts. */
static bool ccm(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    EVP_CIPHER_CTX *ctx = s->cipher_ctx;
    bool sealing = s->c.op == PEER_ENCRYPT;
    int n;
    if (!sealing && !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, text + s->c.size))
        return false;
    return EVP_CipherInit_ex2(ctx, NULL, NULL, ivs[0] + PEER_CCM_NONCE, -1, NULL)
        && EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)s->c.size)
        && EVP_CipherUpdate(ctx, NULL, &n, s->c.assoc, (int)s->c.assoc_len)
        && EVP_CipherUpdate(ctx, text, &n, text, (int)s->c.size) > 0
        && (!sealing || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, outs[0]));
}

static bool digest(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    (void)ivs;
    return EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) && EVP_DigestUpdate(s->md_ctx, text, s->c.size)
        && EVP_DigestFinal_ex(s->md_ctx, outs[0], NULL);
}

static bool mac(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    const uint8_t *key = s->one_time_key ? s->c.key : NULL;
    size_t n;
    (void)ivs;
    return EVP_MAC_init(s->mac_ctx, key, key ? s->c.key_len : 0, NULL) && EVP_MAC_update(s->mac_ctx, text, s->c.size)
        && EVP_MAC_final(s->mac_ctx, outs[0], &n, 64);
}

static void release(void *state)
{
    struct state *s = state;
    EVP_CIPHER_CTX_free(s->cipher_ctx);
    EVP_CIPHER_free(s->cipher);
    EVP_MD_CTX_free(s->md_ctx);
    EVP_MD_free(s->md);
    EVP_MAC_CTX_free(s->mac_ctx);
    EVP_MAC_free(s->mac);
    free(s);
}

static const char *digest_name(const char *name)
{
    static const char *const names[][2] = {
        {"sha1", "SHA1"}, {"sha224", "SHA2-224"}, {"sha256", "SHA2-256"}, {"sha384", "SHA2-384"},
        {"sha512", "SHA2-512"}, {"sha3-256", "SHA3-256"}, {"sha3-512", "SHA3-512"}, {"blake2b-512", "BLAKE2B-512"},
        {"blake2s-256", "BLAKE2S-256"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (peer_is(name, names[i][0]))
            return names[i][1];
    return NULL;
}

static peer_run *make_cipher(struct state *s, const char *name, size_t iv_len)
{
    bool encrypt = s->c.op == PEER_ENCRYPT;
    s->cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    if (!s->cipher)
        return NULL;
    PEER_MUST(s->cipher_ctx = EVP_CIPHER_CTX_new());
    PEER_MUST(EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, NULL, NULL, encrypt, NULL));
    if (iv_len) {
        PEER_MUST(EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL));
        if (peer_is(s->c.mode, "ccm"))
            PEER_MUST(EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL));
    }
    PEER_MUST(EVP_CipherInit_ex2(s->cipher_ctx, NULL, s->c.key, NULL, encrypt, NULL));
    EVP_CIPHER_CTX_set_padding(s->cipher_ctx, 0);
    return peer_is(s->c.mode, "ccm") ? ccm : !iv_len ? skcipher : encrypt ? seal : open;
}

static peer_run *make_mac(struct state *s, const char *name, const char *key, const char *inner)
{
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    if (key)
        params[0] = OSSL_PARAM_construct_utf8_string(key, (char *)inner, 0);
    s->mac = EVP_MAC_fetch(NULL, name, NULL);
    if (!s->mac)
        return NULL;
    PEER_MUST(s->mac_ctx = EVP_MAC_CTX_new(s->mac));
    PEER_MUST(EVP_MAC_init(s->mac_ctx, s->c.key, s->c.key_len, params));
    return mac;
}

static peer_run *make(struct state *s)
{
    const char *mode = s->c.mode, *cipher = s->c.cipher;
    char name[32];
    if (peer_is(cipher, "aes")) {
        size_t bits = 8 * s->c.key_len / (peer_is(mode, "xts") ? 2 : 1);
        if (peer_is(mode, "cmac")) {
            snprintf(name, sizeof name, "AES-%zu-CBC", bits);
            return make_mac(s, "CMAC", OSSL_MAC_PARAM_CIPHER, name);
        }
        snprintf(name, sizeof name, "AES-%zu-%s", bits, mode);
        return make_cipher(s, name, peer_is(mode, "gcm") ? 12 : peer_is(mode, "ccm") ? 13 : 0);
    }
    if (peer_is(mode, "rfc7539"))
        return make_cipher(s, "ChaCha20-Poly1305", 12);
    if (peer_is(mode, "hmac") && digest_name(cipher))
        return make_mac(s, "HMAC", OSSL_MAC_PARAM_DIGEST, digest_name(cipher));
    if (!peer_is(mode, ""))
        return NULL;
    if (peer_is(cipher, "chacha20"))
        return make_cipher(s, "ChaCha20", 0);
    if (peer_is(cipher, "poly1305")) {
        s->one_time_key = true;
        return make_mac(s, "POLY1305", NULL, NULL);
    }
    if (!digest_name(cipher))
        return NULL;
    PEER_MUST(s->md = EVP_MD_fetch(NULL, digest_name(cipher), NULL));
    PEER_MUST(s->md_ctx = EVP_MD_CTX_new());
    return digest;
}

bool peer_make(const struct peer_case *c, struct peer_work *work)
{
    struct state *s = calloc(1, sizeof *s);
    PEER_MUST(s);
    s->c = *c;
    peer_run *run = make(s);
    *work = (struct peer_work){run, release, s, 1};
    if (!run)
        release(s);
    return run != NULL;
}

const char *peer_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}
