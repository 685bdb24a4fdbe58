/* libgcrypt; handles are made once and kept. */
#include "plugin.h"
#include <gcrypt.h>

struct state {
    gcry_cipher_hd_t cipher;
    gcry_mac_hd_t mac;
    int md;
    size_t iv_len;
    bool ccm;
    struct peer_case c;
};

static bool plain(struct state *s, const uint8_t *iv, uint8_t *text)
{
    (void)iv;
    return (s->c.op == PEER_ENCRYPT ? gcry_cipher_encrypt(s->cipher, text, s->c.size, NULL, 0)
                                    : gcry_cipher_decrypt(s->cipher, text, s->c.size, NULL, 0)) == 0;
}

/* Sets the key again, if each message has a key of its own. */
static bool keyed(struct state *s)
{
    return !s->c.rekey || gcry_cipher_setkey(s->cipher, s->c.key, s->c.key_len) == 0;
}

static bool ecb(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    (void)outs;
    return plain(state, ivs[0], text);
}

static bool with_iv(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    (void)outs;
    return keyed(s) && gcry_cipher_setiv(s->cipher, ivs[0], s->iv_len) == 0 && plain(s, ivs[0], text);
}

static bool ctr(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    (void)outs;
    return keyed(s) && gcry_cipher_setctr(s->cipher, ivs[0], 16) == 0 && plain(s, ivs[0], text);
}

static bool aead(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    if (!keyed(s) || gcry_cipher_setiv(s->cipher, ivs[0] + (s->ccm ? PEER_CCM_NONCE : 0), s->iv_len) != 0)
        return false;
    if (s->ccm) {
        uint64_t lengths[3] = {s->c.size, s->c.assoc_len, 16};
        if (gcry_cipher_ctl(s->cipher, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths) != 0)
            return false;
    }
    if (gcry_cipher_authenticate(s->cipher, s->c.assoc, s->c.assoc_len) != 0)
        return false;
    gcry_cipher_final(s->cipher);
    return plain(s, ivs[0], text)
        && (s->c.op == PEER_ENCRYPT ? gcry_cipher_gettag(s->cipher, outs[0], 16)
                                    : gcry_cipher_checktag(s->cipher, text + s->c.size, 16)) == 0;
}

static bool digest(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    (void)ivs;
    gcry_md_hash_buffer(s->md, outs[0], text, s->c.size);
    return true;
}

static bool mac(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    size_t n = 64;
    (void)ivs;
    return gcry_mac_reset(s->mac) == 0 && gcry_mac_write(s->mac, text, s->c.size) == 0
        && gcry_mac_read(s->mac, outs[0], &n) == 0;
}

/* A one-time key is set for each message. */
static bool poly1305(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    return gcry_mac_setkey(s->mac, s->c.key, s->c.key_len) == 0 && mac(state, ivs, text, outs);
}

static void release(void *state)
{
    struct state *s = state;
    gcry_cipher_close(s->cipher);
    gcry_mac_close(s->mac);
    free(s);
}

static peer_run *make_cipher(struct state *s, int algorithm, int mode, size_t iv_len, peer_run *run)
{
    if (gcry_cipher_open(&s->cipher, algorithm, mode, 0) != 0)
        return NULL;
    s->iv_len = iv_len;
    s->ccm = mode == GCRY_CIPHER_MODE_CCM;
    PEER_MUST(gcry_cipher_setkey(s->cipher, s->c.key, s->c.key_len) == 0);
    return run;
}

static peer_run *make_mac(struct state *s, int algorithm, peer_run *run)
{
    if (gcry_mac_open(&s->mac, algorithm, 0, NULL) != 0)
        return NULL;
    PEER_MUST(gcry_mac_setkey(s->mac, s->c.key, s->c.key_len) == 0);
    return run;
}

static peer_run *make(struct state *s)
{
    const char *mode = s->c.mode, *cipher = s->c.cipher;
    if (peer_is(cipher, "aes") || peer_is(cipher, "serpent")) {
        size_t len = s->c.key_len / (peer_is(mode, "xts") ? 2 : 1);
        bool aes = peer_is(cipher, "aes");
        int algorithm = len == 16 ? (aes ? GCRY_CIPHER_AES128 : GCRY_CIPHER_SERPENT128)
                                  : (aes ? GCRY_CIPHER_AES256 : GCRY_CIPHER_SERPENT256);
        if (peer_is(mode, "cmac"))
            return make_mac(s, GCRY_MAC_CMAC_AES, mac);
        if (peer_is(mode, "ecb"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_ECB, 0, ecb);
        if (peer_is(mode, "cbc"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_CBC, 16, with_iv);
        if (peer_is(mode, "ctr"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_CTR, 16, ctr);
        if (peer_is(mode, "xts"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_XTS, 16, with_iv);
        if (peer_is(mode, "gcm"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_GCM, 12, aead);
        if (peer_is(mode, "ccm"))
            return make_cipher(s, algorithm, GCRY_CIPHER_MODE_CCM, 13, aead);
        return NULL;
    }
    if (peer_is(mode, "rfc7539"))
        return make_cipher(s, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 12, aead);
    if (peer_is(mode, "hmac"))
        return peer_is(cipher, "sha1")     ? make_mac(s, GCRY_MAC_HMAC_SHA1, mac)
             : peer_is(cipher, "sha256")   ? make_mac(s, GCRY_MAC_HMAC_SHA256, mac)
             : peer_is(cipher, "sha512")   ? make_mac(s, GCRY_MAC_HMAC_SHA512, mac)
                                           : NULL;
    if (!peer_is(mode, ""))
        return NULL;
    if (peer_is(cipher, "chacha20"))
        return make_cipher(s, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_STREAM, 16, with_iv);
    if (peer_is(cipher, "poly1305"))
        return make_mac(s, GCRY_MAC_POLY1305, poly1305);
    static const struct {
        const char *name;
        int md;
    } digests[] = {
        {"sha1", GCRY_MD_SHA1}, {"sha224", GCRY_MD_SHA224}, {"sha256", GCRY_MD_SHA256}, {"sha384", GCRY_MD_SHA384},
        {"sha512", GCRY_MD_SHA512}, {"sha3-256", GCRY_MD_SHA3_256}, {"sha3-512", GCRY_MD_SHA3_512},
        {"blake2b-512", GCRY_MD_BLAKE2B_512}, {"blake2s-256", GCRY_MD_BLAKE2S_256},
    };
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (peer_is(cipher, digests[i].name)) {
            s->md = digests[i].md;
            return digest;
        }
    return NULL;
}

/* CPU features can be switched off before the library is initialized. Older versions do not know all of the names. */
static void start(uint32_t level)
{
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
        return;
    if (level >= PEER_AVX2)
        gcry_control(GCRYCTL_DISABLE_HWF, "intel-avx512", NULL);
    if (level >= PEER_AESNI)
        gcry_control(GCRYCTL_DISABLE_HWF, "intel-vaes-vpclmul", NULL);
    if (level >= PEER_SOFT) {
        gcry_control(GCRYCTL_DISABLE_HWF, "intel-aesni", NULL);
        gcry_control(GCRYCTL_DISABLE_HWF, "intel-pclmul", NULL);
    }
    PEER_MUST(gcry_check_version(GCRYPT_VERSION));
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

bool peer_make(const struct peer_case *c, struct peer_work *work)
{
    start(c->level);
    struct state *s = calloc(1, sizeof *s);
    PEER_MUST(s);
    s->c = *c;
    peer_run *run = make(s);
    *work = (struct peer_work){run, release, s, 1};
    if (!run)
        release(s);
    return run != NULL;
}

/* The header's version, because asking the library would initialize it. */
const char *peer_version(void)
{
    return GCRYPT_VERSION;
}
