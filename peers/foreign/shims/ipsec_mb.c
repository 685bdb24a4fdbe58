/* Intel's library for many messages. One message goes by a direct call, where there is one. Otherwise messages are jobs,
 * which are flushed after the last one. */
#include "plugin.h"
#include <intel-ipsec-mb.h>

struct state {
    struct gcm_key_data gcm;
    DECLARE_ALIGNED(uint32_t enc[4 * 15], 16);
    DECLARE_ALIGNED(uint32_t dec[4 * 15], 16);
    DECLARE_ALIGNED(uint32_t subkey1[4], 16);
    DECLARE_ALIGNED(uint32_t subkey2[4], 16);
    DECLARE_ALIGNED(uint8_t inner[64], 16);
    DECLARE_ALIGNED(uint8_t outer[64], 16);
    struct peer_case c;
    size_t iv_at; /* the offset of the library's IV in the case's IV */
    IMB_JOB job;  /* a job without its message */
    bool aead;
};

static IMB_MGR *mgr;

static bool same_tag(const uint8_t *a, const uint8_t *b)
{
    uint8_t differences = 0;
    for (int i = 0; i < 16; i++)
        differences |= a[i] ^ b[i];
    return differences == 0;
}

static void expand(struct state *s)
{
    if (s->c.key_len == 16)
        IMB_AES_KEYEXP_128(mgr, s->c.key, s->enc, s->dec);
    else
        IMB_AES_KEYEXP_256(mgr, s->c.key, s->enc, s->dec);
}

static void expand_gcm(struct state *s)
{
    if (s->c.key_len == 16)
        IMB_AES128_GCM_PRE(mgr, s->c.key, &s->gcm);
    else
        IMB_AES256_GCM_PRE(mgr, s->c.key, &s->gcm);
}

/* Direct calls take one message; a batch of them is a loop. */
#define DIRECT(name, expression)                                                                                \
    static bool name(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])                 \
    {                                                                                                           \
        struct state *s = state;                                                                                \
        struct gcm_context_data ctx;                                                                            \
        const uint64_t n = s->c.size;                                                                           \
        uint8_t tag[16];                                                                                        \
        bool ok = true;                                                                                         \
        (void)ctx, (void)ivs, (void)outs, (void)tag;                                                            \
        for (size_t i = 0; i < s->c.messages; i++, text += s->c.stride)                                         \
            ok &= (expression);                                                                                 \
        return ok;                                                                                              \
    }
#define SEAL(bits)                                                                                              \
    ((s->c.rekey ? expand_gcm(s) : (void)0),                                                                    \
     IMB_AES##bits##_GCM_ENC(mgr, &s->gcm, &ctx, text, text, n, ivs[i], s->c.assoc, s->c.assoc_len, outs[i], 16), true)
#define OPEN(bits)                                                                                              \
    (IMB_AES##bits##_GCM_DEC(mgr, &s->gcm, &ctx, text, text, n, ivs[i], s->c.assoc, s->c.assoc_len, tag, 16),   \
     same_tag(tag, text + n))

DIRECT(seal128, SEAL(128))
DIRECT(open128, OPEN(128))
DIRECT(seal256, SEAL(256))
DIRECT(open256, OPEN(256))
DIRECT(ghash, (memset(outs[i], 0, 16), IMB_GHASH(mgr, &s->gcm, text, n, outs[i], 16), true))
DIRECT(sha1, (IMB_SHA1(mgr, text, n, outs[i]), true))
DIRECT(sha224, (IMB_SHA224(mgr, text, n, outs[i]), true))
DIRECT(sha256, (IMB_SHA256(mgr, text, n, outs[i]), true))
DIRECT(sha384, (IMB_SHA384(mgr, text, n, outs[i]), true))
DIRECT(sha512, (IMB_SHA512(mgr, text, n, outs[i]), true))

static bool done(const struct state *s, const IMB_JOB *job)
{
    return job->status == IMB_STATUS_COMPLETED
        && (!s->aead || s->c.op == PEER_ENCRYPT || same_tag(job->auth_tag_output, job->dst + s->c.size));
}

static bool jobs(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64])
{
    struct state *s = state;
    size_t finished = 0;
    bool ok = true;
    IMB_JOB *job;
    if (s->c.rekey)
        expand(s);
    for (size_t i = 0; i < s->c.messages; i++, text += s->c.stride) {
        job = IMB_GET_NEXT_JOB(mgr);
        *job = s->job;
        job->src = job->dst = text;
        job->iv = ivs[i] + s->iv_at;
        job->auth_tag_output = outs[i];
        for (job = IMB_SUBMIT_JOB(mgr); job; job = IMB_GET_COMPLETED_JOB(mgr), finished++)
            ok &= done(s, job);
    }
    while ((job = IMB_FLUSH_JOB(mgr))) {
        ok &= done(s, job);
        finished++;
    }
    return ok && finished == s->c.messages;
}

static void cipher_job(struct state *s, IMB_CIPHER_MODE mode, size_t iv_len)
{
    s->job.cipher_mode = mode;
    s->job.iv_len_in_bytes = iv_len;
    s->job.key_len_in_bytes = s->c.key_len;
    s->job.msg_len_to_cipher_in_bytes = s->c.size;
    s->job.enc_keys = s->enc;
    s->job.dec_keys = s->dec;
    expand(s);
}

static void hash_job(struct state *s, IMB_HASH_ALG hash, size_t tag_len)
{
    s->job.hash_alg = hash;
    s->job.msg_len_to_hash_in_bytes = s->c.size;
    s->job.auth_tag_output_len_in_bytes = tag_len;
}

static peer_run *aes(struct state *s)
{
    const char *mode = s->c.mode;
    bool sealing = s->c.op == PEER_ENCRYPT, wide = s->c.key_len == 32;
    if (peer_is(mode, "gcm")) {
        expand_gcm(s);
        return wide ? (sealing ? seal256 : open256) : (sealing ? seal128 : open128);
    }
    if (peer_is(mode, "cmac")) {
        IMB_AES_KEYEXP_128(mgr, s->c.key, s->enc, s->dec);
        IMB_AES_CMAC_SUBKEY_GEN_128(mgr, s->enc, s->subkey1, s->subkey2);
        hash_job(s, IMB_AUTH_AES_CMAC, 16);
        s->job.u.CMAC._key_expanded = s->enc;
        s->job.u.CMAC._skey1 = s->subkey1;
        s->job.u.CMAC._skey2 = s->subkey2;
        return jobs;
    }
    if (peer_is(mode, "ccm")) {
        cipher_job(s, IMB_CIPHER_CCM, 13);
        s->iv_at = PEER_CCM_NONCE;
        hash_job(s, IMB_AUTH_AES_CCM, 16);
        s->job.u.CCM.aad = s->c.assoc;
        s->job.u.CCM.aad_len_in_bytes = s->c.assoc_len;
        s->job.chain_order = sealing ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        s->aead = true;
        return jobs;
    }
    if (peer_is(mode, "cbc") || peer_is(mode, "ctr") || peer_is(mode, "ecb")) {
        cipher_job(s, peer_is(mode, "cbc")   ? IMB_CIPHER_CBC
                      : peer_is(mode, "ctr") ? IMB_CIPHER_CNTR
                                             : IMB_CIPHER_ECB,
                   peer_is(mode, "ecb") ? 0 : 16);
        return jobs;
    }
    return NULL;
}

static peer_run *hmac(struct state *s)
{
    static const struct {
        const char *name;
        IMB_HASH_ALG hash;
        size_t block, tag;
    } hashes[] = {{"sha1", IMB_AUTH_HMAC_SHA_1, 64, 20}, {"sha256", IMB_AUTH_HMAC_SHA_256, 64, 32},
                  {"sha512", IMB_AUTH_HMAC_SHA_512, 128, 64}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        if (!peer_is(s->c.cipher, hashes[i].name))
            continue;
        for (int outer = 0; outer < 2; outer++) {
            uint8_t block[128];
            uint8_t *hashed = outer ? s->outer : s->inner;
            for (size_t j = 0; j < hashes[i].block; j++)
                block[j] = (j < s->c.key_len ? s->c.key[j] : 0) ^ (outer ? 0x5c : 0x36);
            if (i == 0)
                IMB_SHA1_ONE_BLOCK(mgr, block, hashed);
            else if (i == 1)
                IMB_SHA256_ONE_BLOCK(mgr, block, hashed);
            else
                IMB_SHA512_ONE_BLOCK(mgr, block, hashed);
        }
        hash_job(s, hashes[i].hash, hashes[i].tag);
        s->job.u.HMAC._hashed_auth_key_xor_ipad = s->inner;
        s->job.u.HMAC._hashed_auth_key_xor_opad = s->outer;
        return jobs;
    }
    return NULL;
}

static peer_run *digest(struct state *s)
{
    static const struct {
        const char *name;
        IMB_HASH_ALG hash;
        size_t size;
        peer_run *one;
    } hashes[] = {{"sha1", IMB_AUTH_SHA_1, 20, sha1}, {"sha224", IMB_AUTH_SHA_224, 28, sha224},
                  {"sha256", IMB_AUTH_SHA_256, 32, sha256}, {"sha384", IMB_AUTH_SHA_384, 48, sha384},
                  {"sha512", IMB_AUTH_SHA_512, 64, sha512}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (peer_is(s->c.cipher, hashes[i].name)) {
            hash_job(s, hashes[i].hash, hashes[i].size);
            return s->c.messages == 1 ? hashes[i].one : jobs;
        }
    return NULL;
}

static peer_run *chacha20(struct state *s, IMB_CIPHER_MODE mode)
{
    cipher_job(s, mode, 12);
    s->job.enc_keys = s->job.dec_keys = s->c.key;
    if (mode == IMB_CIPHER_CHACHA20) {
        s->iv_at = PEER_CHACHA20_NONCE;
        return jobs;
    }
    hash_job(s, IMB_AUTH_CHACHA20_POLY1305, 16);
    s->job.u.CHACHA20_POLY1305.aad = s->c.assoc;
    s->job.u.CHACHA20_POLY1305.aad_len_in_bytes = s->c.assoc_len;
    s->job.chain_order = s->c.op == PEER_ENCRYPT ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    s->aead = true;
    return jobs;
}

static peer_run *make(struct state *s)
{
    const char *mode = s->c.mode, *cipher = s->c.cipher;
    s->job.cipher_mode = IMB_CIPHER_NULL;
    s->job.hash_alg = IMB_AUTH_NULL;
    s->job.cipher_direction = s->c.op == PEER_DECRYPT ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    s->job.chain_order = s->c.op == PEER_ENCRYPT ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    if (peer_is(cipher, "aes"))
        return aes(s);
    if (peer_is(mode, "hmac"))
        return hmac(s);
    if (peer_is(mode, "rfc7539"))
        return chacha20(s, IMB_CIPHER_CHACHA20_POLY1305);
    if (!peer_is(mode, ""))
        return NULL;
    if (peer_is(cipher, "chacha20"))
        return chacha20(s, IMB_CIPHER_CHACHA20);
    if (peer_is(cipher, "ghash")) {
        IMB_GHASH_PRE(mgr, s->c.key, &s->gcm);
        return ghash;
    }
    if (peer_is(cipher, "poly1305")) {
        hash_job(s, IMB_AUTH_POLY1305, 16);
        s->job.u.POLY1305._key = s->c.key;
        return jobs;
    }
    return digest(s);
}

/* The lanes' lengths have 16 bits. */
static bool fits(const struct state *s, peer_run *run)
{
    IMB_CIPHER_MODE mode = s->job.cipher_mode;
    bool stream = mode == IMB_CIPHER_CNTR || mode == IMB_CIPHER_CHACHA20 || mode == IMB_CIPHER_CHACHA20_POLY1305;
    return run != jobs || stream || s->job.hash_alg == IMB_AUTH_POLY1305 || s->c.size < 0xffff;
}

static void start(uint32_t level)
{
    if (mgr)
        return;
    PEER_MUST(mgr = alloc_mb_mgr(0));
    switch (level) {
    case PEER_FULL: init_mb_mgr_auto(mgr, NULL); break;
    case PEER_AVX2: init_mb_mgr_avx2(mgr); break;
    default: init_mb_mgr_avx(mgr);
    }
    PEER_MUST(imb_get_errno(mgr) == 0);
}

bool peer_make(const struct peer_case *c, struct peer_work *work)
{
    start(c->level);
    struct state *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    PEER_MUST(s);
    memset(s, 0, sizeof *s);
    s->c = *c;
    peer_run *run = make(s);
    *work = (struct peer_work){run, free, s, c->messages};
    if (run && fits(s, run))
        return true;
    free(s);
    return false;
}

const char *peer_version(void)
{
    return imb_get_version_str();
}
