/* libsodium, its one-shot functions; AES-GCM with the key expanded beforehand. */
#include "plugin.h"
#include <sodium.h>

struct state {
    struct peer_case c;
    crypto_aead_aes256gcm_state gcm;
    crypto_auth_hmacsha256_state hmac256;
    crypto_auth_hmacsha512_state hmac512;
};

#define RUN(name, expression)                                                                          \
    static bool name(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])        \
    {                                                                                                  \
        struct state *s = state;                                                                       \
        const uint8_t *iv = ivs[0];                                                                    \
        uint8_t *out = outs[0];                                                                        \
        size_t n = s->c.size;                                                                          \
        (void)iv, (void)out, (void)n;                                                                  \
        return (expression) == 0;                                                                      \
    }

RUN(gcm_seal, crypto_aead_aes256gcm_encrypt_detached_afternm(text, out, NULL, text, n, s->c.assoc, s->c.assoc_len, NULL,
                                                              iv, &s->gcm))
RUN(gcm_open, crypto_aead_aes256gcm_decrypt_detached_afternm(text, NULL, text, n, text + n, s->c.assoc, s->c.assoc_len,
                                                              iv, &s->gcm))
RUN(chapoly_seal, crypto_aead_chacha20poly1305_ietf_encrypt_detached(text, out, NULL, text, n, s->c.assoc,
                                                                     s->c.assoc_len, NULL, iv, s->c.key))
RUN(chapoly_open, crypto_aead_chacha20poly1305_ietf_decrypt_detached(text, NULL, text, n, text + n, s->c.assoc,
                                                                     s->c.assoc_len, iv, s->c.key))
RUN(xchacha20, crypto_stream_xchacha20_xor(text, text, n, iv, s->c.key))
RUN(sha256, crypto_hash_sha256(out, text, n))
RUN(sha512, crypto_hash_sha512(out, text, n))
RUN(blake2b, crypto_generichash(out, 64, text, n, NULL, 0))
RUN(poly1305, crypto_onetimeauth(out, text, n, s->c.key))

RUN(chacha20, crypto_stream_chacha20_ietf_xor_ic(text, text, n, iv + PEER_CHACHA20_NONCE, 1, s->c.key))

static bool hmac_sha256(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    crypto_auth_hmacsha256_state copy = s->hmac256;
    (void)ivs;
    return crypto_auth_hmacsha256_update(&copy, text, s->c.size) == 0
        && crypto_auth_hmacsha256_final(&copy, outs[0]) == 0;
}

static bool hmac_sha512(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    crypto_auth_hmacsha512_state copy = s->hmac512;
    (void)ivs;
    return crypto_auth_hmacsha512_update(&copy, text, s->c.size) == 0
        && crypto_auth_hmacsha512_final(&copy, outs[0]) == 0;
}

static peer_run *choose(const struct peer_case *c)
{
    static const struct {
        const char *mode, *cipher;
        size_t key_len;
        peer_run *encrypt, *decrypt;
    } cases[] = {
        {"gcm", "aes", 32, gcm_seal, gcm_open},
        {"rfc7539", "chacha20,poly1305", 32, chapoly_seal, chapoly_open},
        {"", "chacha20", 32, chacha20, chacha20},
        {"", "xchacha20", 32, xchacha20, xchacha20},
        {"", "sha256", 0, sha256, NULL},
        {"", "sha512", 0, sha512, NULL},
        {"", "blake2b-512", 0, blake2b, NULL},
        {"", "poly1305", 32, poly1305, NULL},
        {"hmac", "sha256", 32, hmac_sha256, NULL},
        {"hmac", "sha512", 32, hmac_sha512, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (peer_is(c->mode, cases[i].mode) && peer_is(c->cipher, cases[i].cipher) && c->key_len == cases[i].key_len)
            return c->op == PEER_DECRYPT ? cases[i].decrypt : cases[i].encrypt;
    return NULL;
}

bool peer_make(const struct peer_case *c, struct peer_work *work)
{
    PEER_MUST(sodium_init() >= 0);
    peer_run *run = choose(c);
    if (!run || (peer_is(c->mode, "gcm") && !crypto_aead_aes256gcm_is_available()))
        return false;
    struct state *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    PEER_MUST(s);
    s->c = *c;
    if (peer_is(c->mode, "gcm"))
        PEER_MUST(crypto_aead_aes256gcm_beforenm(&s->gcm, c->key) == 0);
    if (peer_is(c->mode, "hmac")) {
        crypto_auth_hmacsha256_init(&s->hmac256, c->key, c->key_len);
        crypto_auth_hmacsha512_init(&s->hmac512, c->key, c->key_len);
    }
    *work = (struct peer_work){run, free, s, 1};
    return true;
}

const char *peer_version(void)
{
    return sodium_version_string();
}
