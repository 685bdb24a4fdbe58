/* Compares the provider algkit with OpenSSL's own: every algorithm that both have, with many lengths, parts, places in memory and
 * copies, and calls that both must refuse. usage: test [quick]          (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define MOST 70000
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static OSSL_LIB_CTX *library;
static const char *what = "";
static int checks, quick;

static void fail(const char *text, int line) {
    fprintf(stderr, "test.c:%d: %s: %s\n", line, what, text);
    ERR_print_errors_fp(stderr);
    exit(1);
}
#define CHECK(condition) do { checks++; if (!(condition)) fail(#condition, __LINE__); } while (0)

/* The same bytes in every run. */
static void fill(unsigned char *to, size_t len, unsigned seed) {
    unsigned long long state = seed * 2654435761u + 88172645463325252ull;
    for (size_t i = 0; i < len; i++) {
        state ^= state << 13; state ^= state >> 7; state ^= state << 17;
        to[i] = (unsigned char)(state >> 24);
    }
}

static const size_t lengths[] = { 0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000, 1350, 4096, 16384, 16397 };
/* The lengths of parts; 0 is all at once, and 1000 means varying lengths. */
static const size_t parts[] = { 0, 1, 5, 16, 17, 64, 100, 1000 };

static size_t part_len(size_t part, size_t done, size_t len) {
    size_t next = part == 0 ? len : part == 1000 ? 1 + (done * 7 + len) % 90 : part;
    return next < len - done ? next : len - done;
}

struct way { size_t part; int in_place, copy, pad, encrypt; };

/* Runs a text through a context that is keyed; returns whether all calls succeeded. The lengths that the calls return
 * are added up in `trace`. */
static int run(EVP_CIPHER_CTX **ctx, struct way way, const unsigned char *text, size_t len, unsigned char *out, size_t *out_len, unsigned *trace) {
    size_t done = 0;
    int n, ok = 1, total = 0;
    unsigned char *place = out;
    if (way.in_place) memcpy(place, text, len);
    *trace = 0;
    do {
        size_t next = part_len(way.part, done, len);
        const unsigned char *src = way.in_place ? place + done : text + done;
        if (!EVP_CipherUpdate(*ctx, out + total, &n, src, (int)next)) return 0;
        total += n;
        *trace = *trace * 31 + (unsigned)n;
        done += next;
        if (way.copy && done >= len / 2) {
            EVP_CIPHER_CTX *other = EVP_CIPHER_CTX_new();
            CHECK(EVP_CIPHER_CTX_copy(other, *ctx));
            if (way.copy == 1) {
                EVP_CIPHER_CTX_free(*ctx);
                *ctx = other;
            } else { /* using the copy does not change the original */
                unsigned char scratch[64];
                EVP_CipherUpdate(other, scratch, &n, text, 16);
                EVP_CIPHER_CTX_free(other);
            }
            way.copy = 0;
        }
    } while (done < len);
    ok = EVP_CipherFinal_ex(*ctx, out + total, &n);
    if (ok) total += n;
    *out_len = (size_t)total;
    return ok;
}

static unsigned char text[MOST], key[64], iv[128], ours[MOST + 64], theirs[MOST + 64], back[MOST + 64];

static EVP_CIPHER *theirs_of(const EVP_CIPHER *cipher) {
    EVP_CIPHER *other = EVP_CIPHER_fetch(library, EVP_CIPHER_get0_name(cipher), "provider=default");
    CHECK(other);
    return other;
}

static void same_properties(const EVP_CIPHER *a, const EVP_CIPHER *b) {
    CHECK(EVP_CIPHER_get_mode(a) == EVP_CIPHER_get_mode(b));
    CHECK(EVP_CIPHER_get_key_length(a) == EVP_CIPHER_get_key_length(b));
    CHECK(EVP_CIPHER_get_iv_length(a) == EVP_CIPHER_get_iv_length(b));
    CHECK(EVP_CIPHER_get_block_size(a) == EVP_CIPHER_get_block_size(b));
    /* For keys of DES with the right parity; EVP makes others by itself. */
    CHECK(EVP_CIPHER_get_flags(a) == (EVP_CIPHER_get_flags(b) & ~(unsigned long)EVP_CIPH_RAND_KEY));
    CHECK(EVP_CIPHER_get_nid(a) == EVP_CIPHER_get_nid(b));
}

/* Ciphers without authentication. */
static void plain(EVP_CIPHER *mine, EVP_CIPHER *other) {
    int xts = EVP_CIPHER_get_mode(mine) == EVP_CIPH_XTS_MODE;
    EVP_CIPHER_CTX *a = EVP_CIPHER_CTX_new(), *b = EVP_CIPHER_CTX_new();
    for (size_t l = 0; l < COUNT(lengths); l++)
    for (size_t p = 0; p < COUNT(parts); p++)
    for (int bits = 0; bits < 16; bits++)
    for (int copy = 0; copy < 3; copy++) {
        struct way way = { parts[p], bits & 1, copy, bits >> 1 & 1, bits >> 2 & 1 };
        size_t len = lengths[l], a_len, b_len;
        unsigned a_trace, b_trace;
        int a_ok, b_ok;
        if ((quick || strncmp(what, "AES-256", 7) != 0) && (len > 300 || p % 3 == 2)) continue;
        if (quick && (len > 70 || len % 16 > 1 || p % 3 == 2 || bits & 8)) continue;
        /* A data unit of XTS is one call. */
        if ((xts && (parts[p] || copy)) || (len > 1000 && (copy || bits & 8))) continue;
        CHECK(EVP_CipherInit_ex(a, mine, NULL, key, iv, way.encrypt) && EVP_CIPHER_CTX_set_padding(a, way.pad));
        CHECK(EVP_CipherInit_ex(b, other, NULL, key, iv, way.encrypt) && EVP_CIPHER_CTX_set_padding(b, way.pad));
        if (bits & 8) { /* the IV again, without the cipher */
            CHECK(EVP_CipherInit_ex(a, NULL, NULL, NULL, iv, -1) && EVP_CipherInit_ex(b, NULL, NULL, NULL, iv, -1));
        }
        a_ok = run(&a, way, text, len, ours, &a_len, &a_trace);
        b_ok = run(&b, way, text, len, theirs, &b_len, &b_trace);
        CHECK(a_ok == b_ok);
        if (a_ok) {
            CHECK(a_len == b_len && a_trace == b_trace && memcmp(ours, theirs, a_len) == 0);
            CHECK(EVP_CipherInit_ex(a, mine, NULL, key, iv, !way.encrypt) && EVP_CIPHER_CTX_set_padding(a, way.pad));
            if (way.encrypt) {
                way.encrypt = 0;
                CHECK(run(&a, way, ours, a_len, back, &b_len, &a_trace) && b_len == len && memcmp(back, text, len) == 0);
            }
        }
    }
    /* Blocks that end in each value are encrypted, so that decryption finds every padding, right and wrong. */
    if (EVP_CIPHER_get_block_size(mine) > 1)
        for (int last = 0; last < 256; last++)
        for (int other_byte = 0; other_byte < 2; other_byte++) {
            int n, m, a_ok, b_ok;
            memset(text, other_byte ? last : 1, 32);
            text[31] = (unsigned char)last;
            CHECK(EVP_EncryptInit_ex(a, mine, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(a, 0));
            CHECK(EVP_EncryptUpdate(a, ours, &n, text, 32));
            CHECK(EVP_DecryptInit_ex(a, mine, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(a, 1));
            CHECK(EVP_DecryptInit_ex(b, other, NULL, key, iv));
            CHECK(EVP_DecryptUpdate(a, back, &n, ours, 32) && EVP_DecryptUpdate(b, theirs, &m, ours, 32) && n == m);
            a_ok = EVP_DecryptFinal_ex(a, back + n, &n);
            b_ok = EVP_DecryptFinal_ex(b, theirs + m, &m);
            CHECK(a_ok == b_ok && (!a_ok || n == m));
        }
    fill(text, 32, 1);
    /* EVP_Cipher, as OpenSSH calls it: one block, then several, without padding and without waiting. */
    for (int encrypt = 0; encrypt < 2 && !xts; encrypt++) {
        CHECK(EVP_CipherInit_ex(a, mine, NULL, key, iv, encrypt) && EVP_CipherInit_ex(b, other, NULL, key, iv, encrypt));
        for (size_t at = 0, len = 16; at + len <= 512; at += len, len = 16 + at % 48) {
            memset(ours, 0, len), memset(theirs, 0, len);
            CHECK(EVP_Cipher(a, ours, text + at, (unsigned)len) == EVP_Cipher(b, theirs, text + at, (unsigned)len));
            CHECK(memcmp(ours, theirs, len) == 0);
        }
    }
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* A message through an AEAD; returns whether it is authentic, or encrypted. */
static int aead(EVP_CIPHER_CTX **ctx, const EVP_CIPHER *cipher, struct way way, size_t iv_len, size_t aad_len,
                const unsigned char *from, size_t len, unsigned char *out, unsigned char *tag, size_t tag_len, int late_tag) {
    int n, ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    size_t out_len;
    unsigned trace;
    CHECK(EVP_CipherInit_ex(*ctx, cipher, NULL, NULL, NULL, way.encrypt));
    CHECK(EVP_CIPHER_CTX_ctrl(*ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL) > 0);
    if (ccm || (!way.encrypt && !late_tag))
        CHECK(EVP_CIPHER_CTX_ctrl(*ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, way.encrypt ? NULL : tag) > 0);
    CHECK(EVP_CipherInit_ex(*ctx, NULL, NULL, key, iv, -1));
    if (ccm) CHECK(EVP_CipherUpdate(*ctx, NULL, &n, NULL, (int)len));
    if (ccm && aad_len) CHECK(EVP_CipherUpdate(*ctx, NULL, &n, text, (int)aad_len));
    for (size_t done = 0; !ccm && done < aad_len;) {
        size_t next = part_len(way.part, done, aad_len);
        CHECK(EVP_CipherUpdate(*ctx, NULL, &n, text + done, (int)next) && n == (int)next);
        done += next;
    }
    if (late_tag && !way.encrypt) {
        int total = 0;
        CHECK(EVP_CipherUpdate(*ctx, out, &total, from, (int)len));
        CHECK(EVP_CIPHER_CTX_ctrl(*ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag) > 0);
        return EVP_CipherFinal_ex(*ctx, out + total, &n);
    }
    if (!run(ctx, way, from, len, out, &out_len, &trace)) return 0;
    CHECK(out_len == len);
    if (way.encrypt) CHECK(EVP_CIPHER_CTX_ctrl(*ctx, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, tag) > 0);
    return 1;
}

static void authenticated(EVP_CIPHER *mine, EVP_CIPHER *other) {
    static const size_t iv_lengths[] = { 12, 12, 12, 1, 7, 8, 11, 13, 16, 31, 60, 128 };
    static const size_t aads[] = { 0, 1, 13, 16, 17, 100 };
    int mode = EVP_CIPHER_get_mode(mine), ccm = mode == EVP_CIPH_CCM_MODE;
    EVP_CIPHER_CTX *a = EVP_CIPHER_CTX_new(), *b = EVP_CIPHER_CTX_new();
    unsigned char a_tag[16], b_tag[16];
    for (size_t l = 0; l < COUNT(lengths); l++)
    for (size_t p = 0; p < COUNT(parts); p++)
    for (size_t i = 0; i < COUNT(iv_lengths); i++)
    for (int copy = 0; copy < 3; copy++) {
        size_t len = lengths[l], iv_len = iv_lengths[i], aad_len = aads[(l + p + i) % COUNT(aads)];
        size_t tag_len = ccm ? 4 + 2 * ((l + i) % 7) : 16 - (mode == EVP_CIPH_GCM_MODE ? (l + i) % 5 : 0);
        struct way way = { parts[p], (int)(l + i + (size_t)copy) & 1, copy, 1, 1 };
        if (quick && (len > 70 || i == 1 || i == 2)) continue;
        if (ccm && (parts[p] || copy || iv_len < 7 || iv_len > 13)) continue;
        if (mode == EVP_CIPH_STREAM_CIPHER && iv_len != 12) continue;
        if ((len > 1000 && copy) || (i > 2 && len > 100)) continue;
        CHECK(aead(&a, mine, way, iv_len, aad_len, text, len, ours, a_tag, tag_len, 0));
        way.copy = 0; /* theirs cannot copy ChaCha20-Poly1305 */
        CHECK(aead(&b, other, way, iv_len, aad_len, text, len, theirs, b_tag, tag_len, 0));
        CHECK(memcmp(ours, theirs, len) == 0 && memcmp(a_tag, b_tag, tag_len) == 0);
        way.encrypt = 0;
        way.copy = copy;
        CHECK(aead(&a, mine, way, iv_len, aad_len, theirs, len, back, a_tag, tag_len, 0) && memcmp(back, text, len) == 0);
        if (!ccm) CHECK(aead(&a, mine, way, iv_len, aad_len, theirs, len, back, a_tag, tag_len, 1) && memcmp(back, text, len) == 0);
        a_tag[(l + p) % tag_len] ^= (unsigned char)(1 << i % 8);
        CHECK(!aead(&a, mine, way, iv_len, aad_len, theirs, len, back, a_tag, tag_len, 0));
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* Records in the way of libssl: associated data by a control, everything in one buffer. */
static void records(EVP_CIPHER *mine, EVP_CIPHER *other) {
    EVP_CIPHER *ciphers[2];
    int mode = EVP_CIPHER_get_mode(mine), explicit_iv = mode == EVP_CIPH_STREAM_CIPHER ? 0 : 8;
    ciphers[0] = mine; ciphers[1] = other;
    for (int sender = 0; sender < 2; sender++) {
        EVP_CIPHER_CTX *ctx[2];
        for (int i = 0; i < 2; i++) { /* the sender and the receiver */
            EVP_CIPHER *cipher = ciphers[i ? !sender : sender];
            ctx[i] = EVP_CIPHER_CTX_new();
            CHECK(EVP_CipherInit_ex(ctx[i], cipher, NULL, NULL, NULL, !i));
            if (mode == EVP_CIPH_CCM_MODE) {
                CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
                CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0);
            }
            CHECK(EVP_CipherInit_ex(ctx[i], NULL, NULL, key, mode == EVP_CIPH_CCM_MODE ? iv : NULL, -1));
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_IV_FIXED, explicit_iv ? 4 : 12, iv) > 0);
        }
        for (size_t l = 0; l < COUNT(lengths); l++) {
            unsigned char aad[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 0 }, *record = ours;
            size_t len = lengths[l];
            int n;
            aad[7] = (unsigned char)l;
            aad[11] = (unsigned char)((len + (size_t)explicit_iv) >> 8);
            aad[12] = (unsigned char)(len + (size_t)explicit_iv);
            memcpy(record + explicit_iv, text, len);
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16);
            CHECK(EVP_CipherUpdate(ctx[0], record, &n, record, (int)len + explicit_iv + 16) && n == (int)len + explicit_iv + 16);
            CHECK(len < 16 || memcmp(record + explicit_iv, text, len) != 0);
            aad[11] = (unsigned char)(n >> 8);
            aad[12] = (unsigned char)n;
            memcpy(back, record, (size_t)n);
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[1], EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16);
            CHECK(EVP_CipherUpdate(ctx[1], back, &n, back, n) && n == (int)len && memcmp(back + explicit_iv, text, len) == 0);
            n = (int)len + explicit_iv + 16;
            memcpy(back, record, (size_t)n);
            back[n - 1] ^= 1;
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[1], EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16);
            CHECK(!EVP_CipherUpdate(ctx[1], back, &n, back, n));
            /* A message that is not a record does not get the IV of the record. */
            for (int i = 0; i < 2; i++) if (sender == i) CHECK(!EVP_CipherUpdate(ctx[i], back, &n, text, 16));
            ERR_clear_error();
        }
        EVP_CIPHER_CTX_free(ctx[0]);
        EVP_CIPHER_CTX_free(ctx[1]);
    }
}

/* GCM in the way of OpenSSH: the whole IV is set, and is incremented with each packet. */
static void counted_iv(EVP_CIPHER *mine, EVP_CIPHER *other) {
    EVP_CIPHER_CTX *ctx[2];
    unsigned char out[2][64], tag[2][16], last[2];
    int n;
    for (int i = 0; i < 2; i++) {
        ctx[i] = EVP_CIPHER_CTX_new();
        CHECK(EVP_CipherInit_ex(ctx[i], i ? other : mine, NULL, key, NULL, 1));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0);
    }
    for (int packet = 0; packet < 600; packet++) {
        for (int i = 0; i < 2; i++) {
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_GCM_IV_GEN, 1, &last[i]) > 0);
            CHECK(EVP_Cipher(ctx[i], NULL, text, 4) >= 0);
            CHECK(EVP_Cipher(ctx[i], out[i], text, 48) >= 0);
            CHECK(EVP_Cipher(ctx[i], NULL, NULL, 0) >= 0);
            CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_GCM_GET_TAG, 16, tag[i]) > 0);
        }
        CHECK(last[0] == last[1] && memcmp(out[0], out[1], 48) == 0 && memcmp(tag[0], tag[1], 16) == 0);
    }
    /* The end of the IV that is asked for; 0, -1 and a length that is too large mean all of it. */
    for (int len = -1; len <= 20; len++) {
        unsigned char end[2][20];
        memset(end, 0x77, sizeof end);
        for (int i = 0; i < 2; i++) CHECK(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_GCM_IV_GEN, len, end[i]) > 0);
        CHECK(memcmp(end[0], end[1], 20) == 0 && end[0][0] != 0x77 && end[0][19] == 0x77);
    }
    /* A counter of 8 bytes has no room in a shorter IV. */
    for (int len = 1; len <= 8; len++) {
        CHECK(EVP_EncryptInit_ex(ctx[0], mine, NULL, NULL, NULL) && EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_SET_IVLEN, len, NULL) > 0);
        CHECK(EVP_EncryptInit_ex(ctx[0], NULL, NULL, key, NULL));
        CHECK((EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0) == (len == 8));
        CHECK((EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_GCM_IV_GEN, len, out[0]) > 0) == (len == 8));
        CHECK(EVP_EncryptUpdate(ctx[0], out[0], &n, text, 32) == (len == 8));
    }
    ERR_clear_error();
    /* Without an IV, a message gets a random one, which can be asked for. */
    CHECK(EVP_CIPHER_CTX_reset(ctx[0]) && EVP_CIPHER_CTX_reset(ctx[1]));
    CHECK(EVP_EncryptInit_ex(ctx[0], mine, NULL, key, NULL) && EVP_EncryptUpdate(ctx[0], out[0], &n, text, 32));
    CHECK(EVP_EncryptFinal_ex(ctx[0], back, &n) && EVP_CIPHER_CTX_get_updated_iv(ctx[0], back, 12));
    CHECK(EVP_EncryptInit_ex(ctx[1], other, NULL, key, back) && EVP_EncryptUpdate(ctx[1], out[1], &n, text, 32));
    CHECK(memcmp(out[0], out[1], 32) == 0);
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
}

/* Records in CBC mode, MAC-then-encrypt and encrypt-then-MAC: each side opens what the other has made, with every padding. */
static void cbc_records(EVP_CIPHER *mine, EVP_CIPHER *other) {
    static const unsigned versions[] = { 0x0301, 0x0302, 0x0303, 0xfefd };
    static const size_t macs[] = { 0, 16, 20, 32, 48 };
    static const size_t record_lengths[] = { 16, 32, 48, 64, 272, 288, 304, 320, 336, 640, 16384 };
    EVP_CIPHER_CTX *a = EVP_CIPHER_CTX_new(), *b = EVP_CIPHER_CTX_new(), *raw = EVP_CIPHER_CTX_new();
    for (size_t v = 0; v < COUNT(versions); v++)
    for (size_t m = 0; m < COUNT(macs); m++) {
        unsigned version = versions[v];
        size_t mac_size = macs[m];
        OSSL_PARAM params[3];
        int n, k, block = EVP_CIPHER_get_block_size(mine);
        params[0] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version);
        params[1] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_size);
        params[2] = OSSL_PARAM_construct_end();
        for (size_t len = 0; len < 600; len += 1 + len / 40) {
            CHECK(EVP_EncryptInit_ex(a, mine, NULL, key, iv) && EVP_CIPHER_CTX_set_params(a, params));
            CHECK(EVP_EncryptInit_ex(b, other, NULL, key, iv) && EVP_CIPHER_CTX_set_params(b, params));
            memcpy(ours, text, len);
            memcpy(theirs, text, len);
            CHECK(EVP_EncryptUpdate(a, ours, &n, ours, (int)len) && EVP_EncryptUpdate(b, theirs, &k, theirs, (int)len));
            CHECK(n == k && memcmp(ours, theirs, (size_t)n) == 0);
        }
        for (size_t r = 0; r < COUNT(record_lengths); r++)
        for (int padding = 0; padding < 256; padding++)
        for (int wrong = -1; wrong < 2; wrong++) {
            size_t len = record_lengths[r], at = wrong == 0 ? len - 2 : len - 1 - (size_t)padding;
            int a_ok, b_ok;
            unsigned char *a_mac = NULL, *b_mac = NULL;
            OSSL_PARAM get[2];
            if ((len > 400 && padding % 16) || len % (size_t)block || (quick && (r != 2 || padding % 64))) continue;
            memcpy(back, text, len);
            if ((size_t)padding < len) memset(back + len - 1 - padding, padding, (size_t)padding + 1);
            back[len - 1] = (unsigned char)padding;
            if (wrong >= 0 && padding > 0 && at < len) back[at] ^= 0x40;
            CHECK(EVP_EncryptInit_ex(raw, other, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(raw, 0));
            CHECK(EVP_EncryptUpdate(raw, ours, &n, back, (int)len) && n == (int)len);
            memcpy(theirs, ours, len);
            CHECK(EVP_DecryptInit_ex(a, mine, NULL, key, iv) && EVP_CIPHER_CTX_set_params(a, params));
            CHECK(EVP_DecryptInit_ex(b, other, NULL, key, iv) && EVP_CIPHER_CTX_set_params(b, params));
            a_ok = EVP_DecryptUpdate(a, ours, &n, ours, (int)len);
            b_ok = EVP_DecryptUpdate(b, theirs, &k, theirs, (int)len);
            if (a_ok != b_ok || (a_ok && n != k)) fprintf(stderr, "version %x, MAC %zu, length %zu, padding %d, wrong %d: %d %d, %d %d\n", version, mac_size, len, padding, wrong, a_ok, b_ok, n, k);
            CHECK(a_ok == b_ok && (!a_ok || n == k));
            if (!a_ok || mac_size == 0) { ERR_clear_error(); continue; }
            get[1] = OSSL_PARAM_construct_end();
            get[0] = OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&a_mac, mac_size);
            CHECK(EVP_CIPHER_CTX_get_params(a, get));
            get[0] = OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&b_mac, mac_size);
            CHECK(EVP_CIPHER_CTX_get_params(b, get));
            /* With wrong padding both MACs are random; the text follows the explicit IV. */
            {
                size_t from = version == 0x0301 ? 0 : (size_t)block;
                int good = memcmp(b_mac, back + from + (size_t)n, mac_size) == 0;
                CHECK((memcmp(a_mac, back + from + (size_t)n, mac_size) == 0) == good);
                CHECK(memcmp(ours + from, back + from, (size_t)n) == 0);
            }
        }
    }
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
    EVP_CIPHER_CTX_free(raw);
}

/* CBC with ciphertext stealing: a message is processed in one call. */
static void stolen(EVP_CIPHER *mine, EVP_CIPHER *other) {
    static const char *const modes[] = { NULL, "CS1", "CS2", "CS3", "cs3" };
    EVP_CIPHER_CTX *ctx[2] = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };
    for (size_t m = 0; m < COUNT(modes); m++)
    for (int len = 0; len < 130; len++)
    for (int bits = 0; bits < 4; bits++) {
        unsigned char *out[2] = { ours, theirs }, ivs[2][16];
        char mode[2][10] = { "", "" };
        int ok[2], n[2] = { 0, 0 };
        OSSL_PARAM set[2], get[2];
        set[1] = get[1] = OSSL_PARAM_construct_end();
        set[0] = modes[m] ? OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, (char *)modes[m], 0) : set[1];
        for (int i = 0; i < 2; i++) {
            CHECK(EVP_CipherInit_ex2(ctx[i], i ? other : mine, key, iv, bits & 1, set));
            get[0] = OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, mode[i], sizeof mode[i]);
            CHECK(EVP_CIPHER_CTX_get_params(ctx[i], get));
            memcpy(out[i], text, (size_t)len);
            ok[i] = EVP_CipherUpdate(ctx[i], out[i], &n[i], bits & 2 ? text : out[i], len);
            if (ok[i]) CHECK(!EVP_CipherUpdate(ctx[i], back, &n[i], text, 16));
            CHECK(EVP_CIPHER_CTX_get_updated_iv(ctx[i], ivs[i], 16));
        }
        CHECK(ok[0] == ok[1] && strcmp(mode[0], mode[1]) == 0);
        if (ok[0]) CHECK(memcmp(ours, theirs, (size_t)len) == 0 && memcmp(ivs[0], ivs[1], 16) == 0);
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
}

/* Key wrapping: lengths, IVs, calls that ask for the length, buffers that overlap, and wrapped keys with a changed byte. */
static void wrapped(EVP_CIPHER *mine, EVP_CIPHER *other) {
    EVP_CIPHER_CTX *ctx[2] = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };
    EVP_CIPHER *ciphers[2];
    int padded = strstr(what, "PAD") != NULL, ok[2], n[2] = { 0, 0 }, m;
    ciphers[0] = mine; ciphers[1] = other;
    for (int i = 0; i < 2; i++) EVP_CIPHER_CTX_set_flags(ctx[i], EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    CHECK(EVP_CipherInit_ex(ctx[0], mine, NULL, NULL, NULL, 1) && !EVP_CipherUpdate(ctx[0], ours, &m, text, 16));
    for (int len = 0; len < 200; len += quick && len > 40 ? 24 : 1)
    for (int bits = 0; bits < 8; bits++) {
        const unsigned char *with = bits & 1 ? iv : NULL;
        unsigned char *out[2] = { ours, theirs };
        int apart = bits >> 1 == 0 ? 1000 : bits >> 1 == 1 ? 0 : bits >> 1 == 2 ? 8 : 3;
        for (int encrypt = 1; encrypt >= 0; encrypt--) {
            int size = encrypt ? len : n[1];
            if (!encrypt) memcpy(back, theirs, (size_t)size);
            for (int i = 0; i < 2; i++) {
                memset(out[i], 0x77, 1300);
                memcpy(out[i] + apart, encrypt ? text : back, (size_t)size);
                CHECK(EVP_CipherInit_ex(ctx[i], ciphers[i], NULL, key, with, encrypt));
                ok[i] = EVP_CipherUpdate(ctx[i], NULL, &n[i], out[i] + apart, size);
            }
            CHECK(ok[0] == ok[1] && (!ok[0] || n[0] == n[1]));
            for (int i = 0; i < 2; i++) ok[i] = EVP_CipherUpdate(ctx[i], out[i], &n[i], out[i] + apart, size);
            CHECK(ok[0] == ok[1] && n[0] == n[1]);
            if (!ok[0]) break;
            CHECK(memcmp(ours, theirs, (size_t)n[0]) == 0 && EVP_CipherFinal_ex(ctx[0], ours + n[0], &m) && m == 0);
            if (!encrypt) CHECK(n[0] == len && memcmp(ours, text, (size_t)len) == 0);
            else if (apart == 1000) CHECK(ours[n[0]] == 0x77); /* not more than that */
            if (encrypt && len > 0) CHECK(EVP_CipherUpdate(ctx[0], ours + 500, &m, text, 16) && m == 24); /* another key */
        }
        ERR_clear_error();
        if (len == 0 || !ok[0] || bits > 1 || len > 40) continue;
        for (int at = 0; at < ((len + 7) & ~7) + 8; at++) {
            CHECK(EVP_CipherInit_ex(ctx[0], mine, NULL, key, with, 1) && EVP_CipherUpdate(ctx[0], back, &m, text, len));
            back[at] ^= (unsigned char)(1 << at % 8);
            CHECK(EVP_CipherInit_ex(ctx[0], mine, NULL, key, with, 0) && !EVP_CipherUpdate(ctx[0], ours, &n[0], back, m));
            for (int i = 0; i < m - 8; i++) CHECK(ours[i] == 0); /* wiped */
            ERR_clear_error();
        }
    }
    /* Key wrapping without padding can make messages that padding would not: wrong lengths, and other bytes instead of zeros. */
    for (unsigned len = 0; padded && len < 40; len++)
    for (int last = 0; last < 9; last++) {
        char name[40];
        unsigned char first[8] = { 0xa6, 0x59, 0x59, 0xa6, 0, 0, 0, 0 };
        EVP_CIPHER *bare;
        snprintf(name, sizeof name, "%.12s%s", what, strstr(what, "INV") ? "-INV" : "");
        CHECK((bare = EVP_CIPHER_fetch(library, name, "provider=default")) != NULL);
        first[7] = (unsigned char)len;
        memset(back, 0, 24);
        if (last) back[24 - last] = 1;
        CHECK(EVP_CipherInit_ex(ctx[1], bare, NULL, key, first, 1) && EVP_CipherUpdate(ctx[1], theirs, &m, back, 24));
        for (int i = 0; i < 2; i++) {
            EVP_CIPHER_CTX_reset(ctx[i]);
            EVP_CIPHER_CTX_set_flags(ctx[i], EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
            CHECK(EVP_CipherInit_ex(ctx[i], ciphers[i], NULL, key, NULL, 0));
            ok[i] = EVP_CipherUpdate(ctx[i], ours, &n[i], theirs, m);
        }
        CHECK(ok[0] == ok[1] && ok[0] == (len > 16 && len <= 24 && (!last || 24 - last < (int)len)) && (!ok[0] || n[0] == n[1]));
        EVP_CIPHER_free(bare);
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
}

static const unsigned char mac_key[32] = "the key of the MAC";

static EVP_CIPHER_CTX *mac_context(EVP_CIPHER *cipher, int encrypt, unsigned version) {
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    OSSL_PARAM params[2];
    params[0] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version);
    params[1] = OSSL_PARAM_construct_end();
    CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, encrypt));
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_MAC_KEY, sizeof mac_key, (void *)mac_key) > 0);
    CHECK(EVP_CIPHER_CTX_set_params(ctx, params));
    return ctx;
}

static int header_of(EVP_CIPHER_CTX *ctx, unsigned version, unsigned number, size_t len) {
    unsigned char header[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 0 };
    header[7] = (unsigned char)number;
    header[9] = (unsigned char)(version >> 8); header[10] = (unsigned char)version;
    header[11] = (unsigned char)(len >> 8); header[12] = (unsigned char)len;
    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header);
}

/* MAC, then padding, then encryption. */
static void mac_records(EVP_CIPHER *mine, EVP_CIPHER *other) {
    static const unsigned versions[] = { 0x0301, 0x0302, 0x0303 };
    static const int texts[] = { 0, 1, 11, 12, 43, 44, 45, 100, 300, 1350 };
    EVP_CIPHER *raw = EVP_CIPHER_fetch(library, EVP_CIPHER_get_key_length(mine) == 16 ? "AES-128-CBC" : "AES-256-CBC", "provider=default");
    EVP_MAC *hmac = EVP_MAC_fetch(library, "HMAC", "provider=default");
    EVP_CIPHER_CTX *bare = EVP_CIPHER_CTX_new();
    const char *digest = strstr(what, "SHA256") ? "SHA256" : "SHA1";
    int n = 0, k = 0;
    for (size_t v = 0; v < COUNT(versions); v++) {
        unsigned version = versions[v];
        int explicit_iv = version >= 0x0302 ? 16 : 0;
        EVP_CIPHER_CTX *a = mac_context(mine, 1, version), *b = mac_context(other, 1, version);
        EVP_CIPHER_CTX *in_a = mac_context(mine, 0, version), *in_b = mac_context(other, 0, version), *copy = EVP_CIPHER_CTX_new();
        for (size_t l = 0; l < COUNT(lengths); l++) {
            int len = (int)lengths[l], total, pad;
            if (len > 16384) continue;
            pad = header_of(a, version, (unsigned)l, (size_t)(len + explicit_iv));
            CHECK(pad > 0 && pad == header_of(b, version, (unsigned)l, (size_t)(len + explicit_iv)));
            total = explicit_iv + len + pad;
            memcpy(ours, text, (size_t)(explicit_iv + len));
            memcpy(theirs, text, (size_t)(explicit_iv + len));
            CHECK(EVP_CipherUpdate(a, ours, &n, ours, total) && EVP_CipherUpdate(b, theirs, &k, theirs, total));
            CHECK(n == total && k == total && memcmp(ours, theirs, (size_t)total) == 0);
            CHECK(EVP_CIPHER_CTX_copy(copy, in_a));
            for (int i = 0; i < 2; i++) {
                EVP_CIPHER_CTX *in = i ? in_b : in_a;
                memcpy(back, theirs, (size_t)total);
                CHECK(header_of(in, version, (unsigned)l, (size_t)total) == header_of(in_b, version, (unsigned)l, (size_t)total));
                CHECK(EVP_CipherUpdate(in, back, &n, back, total) && n == len && memcmp(back + explicit_iv, text + explicit_iv, (size_t)len) == 0);
            }
            /* changed at some place, or with another header */
            for (int at = 0; at <= total && l % 4 == 0; at += at < 60 ? 1 : total - at > 300 ? 200 : 7) {
                EVP_CIPHER_CTX *again = EVP_CIPHER_CTX_new();
                CHECK(EVP_CIPHER_CTX_copy(again, copy));
                memcpy(back, theirs, (size_t)total);
                back[at] ^= 0x10;
                header_of(again, version, (unsigned)l + (at == total), (size_t)total);
                CHECK(!EVP_CipherUpdate(again, back, &n, back, total));
                EVP_CIPHER_CTX_free(again);
                ERR_clear_error();
                if (quick && at > 60) break;
            }
        }
        /* every padding, right and wrong */
        for (size_t t = 0; t < COUNT(texts); t++)
        for (int padding = 0; padding < 256; padding++)
        for (int wrong = 0; wrong < 4; wrong++) {
            int len = texts[t], mac_len = strcmp(digest, "SHA1") == 0 ? 20 : 32, total = explicit_iv + len + mac_len + 1 + padding, ok[2], got[2] = { 0, 0 };
            unsigned char header[13] = { 0, 0, 0, 0, 0, 0, 0, 7, 23, 0, 0, 0, 0 };
            size_t size;
            OSSL_PARAM params[2];
            EVP_MAC_CTX *mac = NULL;
            if (total % 16 || (quick && (t % 3 || padding > 40))) continue;
            header[9] = (unsigned char)(version >> 8); header[10] = (unsigned char)version;
            header[11] = (unsigned char)(len >> 8); header[12] = (unsigned char)len;
            memcpy(back, text, (size_t)(explicit_iv + len));
            params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0);
            params[1] = OSSL_PARAM_construct_end();
            mac = EVP_MAC_CTX_new(hmac);
            CHECK(EVP_MAC_init(mac, mac_key, sizeof mac_key, params) && EVP_MAC_update(mac, header, 13));
            CHECK(EVP_MAC_update(mac, text + explicit_iv, (size_t)len) && EVP_MAC_final(mac, back + explicit_iv + len, &size, 64));
            EVP_MAC_CTX_free(mac);
            memset(back + total - 1 - padding, padding, (size_t)padding + 1);
            if (wrong == 1) back[total - 1 - padding] ^= 1;
            if (wrong == 2) back[total - 2 - padding] ^= 1;
            if (wrong == 3) back[total - 1] = (unsigned char)(padding + 16 * (1 + padding % 3));
            CHECK(EVP_EncryptInit_ex(bare, raw, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(bare, 0) && EVP_EncryptUpdate(bare, ours, &n, back, total));
            memcpy(theirs, ours, (size_t)total);
            for (int i = 0; i < 2; i++) {
                EVP_CIPHER_CTX *in = i ? in_b : in_a;
                CHECK(EVP_CipherInit_ex(in, NULL, NULL, NULL, iv, 0));
                header_of(in, version, 7, (size_t)total);
                ok[i] = EVP_CipherUpdate(in, i ? theirs : ours, &got[i], i ? theirs : ours, total);
            }
            CHECK(ok[0] == (wrong == 0) && ok[0] == ok[1] && (!ok[0] || (got[0] == got[1] && got[0] == len)));
            ERR_clear_error();
        }
        EVP_CIPHER_CTX_free(a); EVP_CIPHER_CTX_free(b); EVP_CIPHER_CTX_free(copy);
        EVP_CIPHER_CTX_free(in_a); EVP_CIPHER_CTX_free(in_b);
    }
    /* without a header it is CBC */
    {
        EVP_CIPHER_CTX *a = EVP_CIPHER_CTX_new();
        CHECK(EVP_EncryptInit_ex(a, mine, NULL, key, iv) && EVP_EncryptInit_ex(bare, raw, NULL, key, iv) && EVP_CIPHER_CTX_set_padding(bare, 0));
        for (int i = 0; i < 2; i++)
            CHECK(EVP_EncryptUpdate(a, ours, &n, text, 96) && EVP_EncryptUpdate(bare, theirs, &k, text, 96) && n == k && memcmp(ours, theirs, 96) == 0);
        CHECK(!EVP_EncryptUpdate(a, ours, &n, text, 95));
        k = header_of(a, 0x0303, 0, 100);
        CHECK(k > 0 && !EVP_EncryptUpdate(a, ours, &n, ours, 100 + k)); /* no key of the MAC */
        CHECK(header_of(a, 0x0303, 0, 15) <= 0);
        EVP_CIPHER_CTX_free(a);
        /* a record of a version that does not exist is not decrypted */
        a = mac_context(mine, 0, 0x0303);
        memcpy(ours, theirs, 96);
        CHECK(EVP_DecryptInit_ex(a, NULL, NULL, key, iv) && header_of(a, 0x0304, 0, 96) > 0);
        CHECK(!EVP_DecryptUpdate(a, ours, &n, ours, 96) && memcmp(ours, theirs, 96) == 0);
        EVP_CIPHER_CTX_free(a);
    }
    /* several records at once: the default provider opens them */
    for (unsigned count = 4; count <= 8; count += 4)
    for (unsigned each = 1; each < 9000; each += each * 7 / 2) {
        EVP_CIPHER_CTX *a = mac_context(mine, 1, 0x0303), *in = mac_context(other, 0, 0x0303);
        unsigned char header[13] = { 0, 0, 0, 0, 0, 0, 0, 254, 23, 3, 3, 0, 0 };
        EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM many = { NULL, header, each * count, count };
        int most = EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_MAX_BUFSIZE, (int)each, NULL), all;
        unsigned char *at = ours;
        CHECK((EVP_CIPHER_get_flags(mine) & EVP_CIPH_FLAG_TLS1_1_MULTIBLOCK) && most > (int)each);
        all = EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof many, &many);
        CHECK(all > 0 && all <= most * (int)count && many.interleave == count);
        many.out = ours;
        many.inp = text;
        ours[all] = 0x77;
        if (each > 1000) CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof many, &many) == all);
        else CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof many, &many) > 0);
        CHECK(ours[all] == 0x77 && EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof many, &many) <= 0);
        for (unsigned i = 0; i < count; i++) {
            int len = at[3] << 8 | at[4];
            unsigned char second[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 0 };
            second[6] = i > 1; second[7] = (unsigned char)(254 + i);
            CHECK(at[0] == 23 && at[1] == 3 && at[2] == 3);
            CHECK(EVP_CIPHER_CTX_ctrl(in, EVP_CTRL_AEAD_TLS1_AAD, 13, second) > 0);
            memcpy(back, at + 5, (size_t)len);
            CHECK(EVP_CipherUpdate(in, back, &n, back, len) && n == (int)each && memcmp(back + 16, text + i * each, each) == 0);
            at += 5 + len;
        }
        CHECK(at == ours + all);
        /* buffers of a list of parameters that was refused are forgotten */
        OSSL_PARAM list[3];
        many.inp = header;
        CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof many, &many) == all);
        list[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN, text, each * count);
        list[1] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, text, 12);
        list[2] = OSSL_PARAM_construct_end();
        CHECK(!EVP_CIPHER_CTX_set_params(a, list));
        list[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC, ours, (size_t)all);
        list[1] = OSSL_PARAM_construct_end();
        memset(ours, 0x77, (size_t)all);
        EVP_CIPHER_CTX_set_params(a, list);
        for (int i = 0; i < all; i++) CHECK(ours[i] == 0x77);
        many.interleave = 5;
        many.inp = header;
        CHECK(EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof many, &many) <= 0);
        EVP_CIPHER_CTX_free(a); EVP_CIPHER_CTX_free(in);
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(bare);
    EVP_CIPHER_free(raw);
    EVP_MAC_free(hmac);
}

/* CBC, then an HMAC of the ciphertext: the result is compared with the default provider's CBC and HMAC. */
static void encrypt_then_mac(EVP_CIPHER *mine) {
    const char *digest = strstr(what, "SHA512") ? "SHA512" : strstr(what, "SHA256") ? "SHA256" : "SHA1";
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new(), *bare = EVP_CIPHER_CTX_new();
    EVP_MAC *hmac = EVP_MAC_fetch(library, "HMAC", "provider=default");
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(hmac);
    EVP_CIPHER *cbc;
    unsigned char tag[64], expected[64];
    char name[12];
    size_t size = 0;
    int n, m;
    OSSL_PARAM params[2];
    snprintf(name, sizeof name, "%.11s", what);
    CHECK((cbc = EVP_CIPHER_fetch(library, name, "provider=default")) != NULL);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0);
    params[1] = OSSL_PARAM_construct_end();
    CHECK(EVP_CIPHER_get_mode(mine) == EVP_CIPH_CBC_MODE && EVP_CIPHER_get_block_size(mine) == 16 && EVP_CIPHER_get_iv_length(mine) == 16);
    CHECK(EVP_CIPHER_get_key_length(mine) == EVP_CIPHER_get_key_length(cbc));
#ifdef EVP_CIPH_FLAG_ENC_THEN_MAC
    CHECK(EVP_CIPHER_get_flags(mine) & EVP_CIPH_FLAG_ENC_THEN_MAC);
#endif
    CHECK(EVP_CipherInit_ex(ctx, mine, NULL, key, iv, 1) && !EVP_CipherUpdate(ctx, ours, &n, text, 32)); /* no key of the MAC */
    for (int len = 16; len < 4200; len += len < 300 ? 16 : 960)
    for (int bits = 0; bits < 2; bits++) { /* in place and not; two messages, whose chain goes on */
        CHECK(EVP_CipherInit_ex(ctx, mine, NULL, key, iv, 1) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_MAC_KEY, 32, (void *)mac_key) > 0);
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)size, tag) <= 0); /* too early */
        CHECK(EVP_CipherInit_ex(bare, cbc, NULL, key, iv, 1) && EVP_CIPHER_CTX_set_padding(bare, 0));
        for (int message = 0; message < 2; message++) {
            memcpy(ours, text, (size_t)len);
            CHECK(EVP_CipherUpdate(ctx, ours, &n, bits ? ours : text, len) && n == len);
            CHECK(EVP_CipherUpdate(bare, theirs, &n, text, len) && n == len && memcmp(ours, theirs, (size_t)len) == 0);
            CHECK(EVP_MAC_init(mac, mac_key, 32, params) && EVP_MAC_update(mac, theirs, (size_t)len) && EVP_MAC_final(mac, expected, &size, 64));
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)size, tag) > 0 && memcmp(tag, expected, size) == 0);
            if (message) continue;
            CHECK(EVP_CipherInit_ex(copy, mine, NULL, key, iv, 0) && EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_MAC_KEY, 32, (void *)mac_key) > 0);
            CHECK(!EVP_CipherUpdate(copy, back, &n, theirs, len)); /* no tag */
            CHECK(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_TAG, (int)size, tag) > 0);
            memset(back, 0x77, (size_t)len);
            if (bits) memcpy(back, theirs, (size_t)len);
            CHECK(EVP_CipherUpdate(copy, back, &n, bits ? back : theirs, len) && n == len && memcmp(back, text, (size_t)len) == 0);
            CHECK(!EVP_CipherUpdate(copy, back, &n, theirs, len)); /* a tag is for one message */
            CHECK(EVP_CipherInit_ex(copy, NULL, NULL, NULL, iv, 0));
            tag[(size_t)len / 16 % size] ^= 1;
            CHECK(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_TAG, (int)size, tag) > 0);
            memset(back, 0x77, (size_t)len);
            CHECK(!EVP_CipherUpdate(copy, back, &n, theirs, len));
            for (int i = 0; i < len; i++) CHECK(back[i] == 0x77); /* nothing was decrypted */
        }
    }
    /* a message without a text: its tag is compared at the end, which also fails after a message that was not authentic */
    CHECK(EVP_MAC_init(mac, mac_key, 32, params) && EVP_MAC_final(mac, expected, &size, 64));
    for (int wrong = 0; wrong < 2; wrong++) {
        expected[0] ^= (unsigned char)wrong;
        CHECK(EVP_CipherInit_ex(copy, NULL, NULL, NULL, iv, 0) && EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_TAG, (int)size, expected) > 0);
        CHECK(EVP_CipherFinal_ex(copy, back, &n) == !wrong && EVP_CipherInit_ex(copy, NULL, NULL, NULL, iv, 0));
        CHECK(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_TAG, (int)size, expected) > 0);
        CHECK(!EVP_CipherUpdate(copy, back, &n, theirs, 32) && !EVP_CipherFinal_ex(copy, back, &n));
    }
    CHECK(!EVP_CipherUpdate(ctx, ours, &m, text, 31) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)size + 1, back) <= 0);
    CHECK(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_SET_TAG, (int)size + 1, back) <= 0);
    CHECK(!EVP_CipherUpdate(ctx, ours + 1, &m, ours, 64));
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx); EVP_CIPHER_CTX_free(copy); EVP_CIPHER_CTX_free(bare);
    EVP_MAC_CTX_free(mac); EVP_MAC_free(hmac); EVP_CIPHER_free(cbc);
}

/* What no cipher may accept, and what does not harm one. */
static void attacks(EVP_CIPHER *mine) {
    int n = 77, mode = EVP_CIPHER_get_mode(mine), aead_mode = (EVP_CIPHER_get_flags(mine) & EVP_CIPH_FLAG_AEAD_CIPHER) && mode != EVP_CIPH_CBC_MODE;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    size_t number = 5;
    OSSL_PARAM params[2];
    params[1] = OSSL_PARAM_construct_end();
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        /* no key, no IV, and copies of such contexts */
        CHECK(EVP_CipherInit_ex(ctx, mine, NULL, NULL, NULL, encrypt));
        CHECK(EVP_CIPHER_CTX_copy(copy, ctx));
        CHECK(!EVP_CipherUpdate(ctx, ours, &n, text, 64) && !EVP_CipherUpdate(copy, ours, &n, text, 64));
        if (aead_mode) CHECK(!EVP_CipherFinal_ex(ctx, ours, &n));
        if (EVP_CIPHER_get_iv_length(mine) > 0) CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, encrypt) || mode == EVP_CIPH_CCM_MODE);
        CHECK(!EVP_CipherUpdate(ctx, ours, &n, text, 64));
        CHECK(EVP_CipherInit_ex(copy, NULL, NULL, key, NULL, encrypt));
        if (mode == EVP_CIPH_XTS_MODE || (aead_mode && !(encrypt && mode == EVP_CIPH_GCM_MODE))) CHECK(!EVP_CipherUpdate(copy, ours, &n, text, 64));
        /* lengths that do not fit */
        params[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &number);
        CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        number = 1000;
        params[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &number);
        if (aead_mode) CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        number = 5;
        /* integers of any width, as libcrypto itself reads them */
        for (size_t width = 1; width <= 16; width++) {
            int little = *(unsigned char *)&(int){1}, key_len = EVP_CIPHER_get_key_length(mine);
            unsigned char wide[16] = {0}, got[16] = {0};
            wide[little ? 0 : width - 1] = (unsigned char)key_len;
            params[0] = OSSL_PARAM_construct_BN(OSSL_CIPHER_PARAM_KEYLEN, wide, width);
            CHECK(OSSL_PARAM_get_size_t(params, &number) && number == (size_t)key_len);
            CHECK(EVP_CIPHER_CTX_set_params(ctx, params));
            params[0] = OSSL_PARAM_construct_BN(OSSL_CIPHER_PARAM_KEYLEN, got, width);
            CHECK(EVP_CIPHER_CTX_get_params(ctx, params) && memcmp(got, wide, width) == 0 && params[0].return_size == width);
            if (width <= sizeof number) continue;
            wide[little ? width - 1 : 0] = 1;
            params[0] = OSSL_PARAM_construct_BN(OSSL_CIPHER_PARAM_KEYLEN, wide, width);
            CHECK(!EVP_CIPHER_CTX_set_params(ctx, params) && !OSSL_PARAM_get_size_t(params, &number));
        }
        number = 5;
        /* parameters of other types, without data, and unknown ones */
        params[0] = OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_KEYLEN, (char *)text, 4);
        CHECK(!EVP_CIPHER_CTX_set_params(ctx, params) && !EVP_CIPHER_CTX_get_params(ctx, params));
        params[0] = OSSL_PARAM_construct_octet_string("no-such-parameter", text, 4);
        CHECK(EVP_CIPHER_CTX_set_params(ctx, params) && EVP_CIPHER_CTX_get_params(ctx, params) && !OSSL_PARAM_modified(params));
        params[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL);
        CHECK(EVP_CIPHER_CTX_get_params(ctx, params) && params[0].return_size == sizeof(size_t));
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, text, 12);
        if (aead_mode) CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 13);
        if (aead_mode) CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, text, 17);
        if (aead_mode) CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, text, 0);
        if (aead_mode) CHECK(!EVP_CIPHER_CTX_set_params(ctx, params));
        /* buffers that overlap in part */
        EVP_CIPHER_CTX_reset(ctx);
        CHECK(EVP_CipherInit_ex(ctx, mine, NULL, key, mode == EVP_CIPH_CCM_MODE ? NULL : iv, encrypt));
        memcpy(ours, text, 256);
        if (mode != EVP_CIPH_CCM_MODE) {
            CHECK(!EVP_CipherUpdate(ctx, ours + 1, &n, ours, 128) && n == 0);
            CHECK(memcmp(ours, text, 256) == 0);
        }
        if (!aead_mode) continue;
        if (mode == EVP_CIPH_CCM_MODE) {
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
            if (!encrypt) CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 12, key) > 0);
            CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, encrypt));
            CHECK(EVP_CipherUpdate(ctx, NULL, &n, NULL, 32) && !EVP_CipherUpdate(ctx, ours, &n, text, 33));
            CHECK(EVP_CipherUpdate(ctx, ours, &n, text, 32) == encrypt);
            CHECK(!EVP_CipherUpdate(ctx, ours, &n, text, 32)); /* the IV again */
            continue;
        }
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, encrypt));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, back) <= 0); /* too early */
        if (mode == EVP_CIPH_GCM_MODE) {
            /* an IV of another length: the message that has begun does not go on, and the next one has nothing of it */
            unsigned char tags[2][16];
            CHECK(EVP_CipherUpdate(ctx, NULL, &n, text, 20) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL) > 0);
            CHECK(!EVP_CipherUpdate(ctx, ours, &n, text, 20) && !EVP_CipherFinal_ex(ctx, ours, &n));
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, back) <= 0); /* no message has ended */
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
            for (int round = 0; round < 2; round++) { /* associated data, then a fixed IV */
                CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, key, iv, 1) && (round || EVP_CipherUpdate(ctx, NULL, &n, text, 20)));
                CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0 && EVP_CipherUpdate(ctx, ours, &n, text, 20));
                CHECK(EVP_CipherFinal_ex(ctx, ours, &n) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tags[round]) > 0);
            }
            CHECK(memcmp(tags[0], tags[1], 16) == 0);
            CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, encrypt));
        }
        CHECK(EVP_CipherUpdate(ctx, ours, &n, text, 20) && n == 20 && EVP_CipherUpdate(ctx, ours, &n, text, 0) && n == 0);
        CHECK(!EVP_CipherUpdate(ctx, NULL, &n, text, 20)); /* associated data after the text */
        if (!encrypt) {
            CHECK(!EVP_CipherFinal_ex(ctx, ours, &n)); /* without a tag */
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, back) > 0 && !EVP_CipherFinal_ex(ctx, ours, &n));
        } else {
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, back) <= 0);
            CHECK(EVP_CipherFinal_ex(ctx, ours, &n) && n == 0);
            CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 17, back) <= 0);
        }
        /* after the end nothing goes on, and the IV is not used again */
        CHECK(!EVP_CipherUpdate(ctx, ours, &n, text, 20) && !EVP_CipherFinal_ex(ctx, ours, &n));
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, NULL, encrypt) && !EVP_CipherUpdate(ctx, ours, &n, text, 20));
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, encrypt) && EVP_CipherUpdate(ctx, ours, &n, text, 20));
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, NULL, encrypt) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, back) <= 0);
        /* records that are too short, and not in place */
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, key, NULL, encrypt));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, mode ? 4 : 12, iv) > 0);
        if (mode) CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 5, iv) <= 0);
        memset(back, 0, 13);
        if (!encrypt || mode) CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, back) <= 0);
        back[12] = 64;
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, back) == 16);
        CHECK(!EVP_CipherUpdate(ctx, ours, &n, ours, 15));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, back) == 16);
        CHECK(!EVP_CipherUpdate(ctx, ours, &n, theirs, 100));
    }
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(copy);
}

static void each_cipher(EVP_CIPHER *mine, void *count) {
    EVP_CIPHER *other;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(mine)), "algkit") != 0) return;
    what = EVP_CIPHER_get0_name(mine);
    ++*(int *)count;
    if (strstr(what, "ETM")) { /* the default provider has them on other CPUs */
        encrypt_then_mac(mine);
        return;
    }
    other = theirs_of(mine);
    same_properties(mine, other);
    if (EVP_CIPHER_get_flags(mine) & EVP_CIPH_FLAG_CTS) {
        stolen(mine, other);
    } else if (EVP_CIPHER_get_mode(mine) == EVP_CIPH_WRAP_MODE) {
        wrapped(mine, other);
    } else if (strstr(what, "HMAC")) {
        mac_records(mine, other);
    } else if (EVP_CIPHER_get_flags(mine) & EVP_CIPH_FLAG_AEAD_CIPHER) {
        authenticated(mine, other);
        if (strncmp(what, "ARIA", 4) != 0) records(mine, other);
        if (EVP_CIPHER_get_mode(mine) == EVP_CIPH_GCM_MODE && strncmp(what, "ARIA", 4) != 0) counted_iv(mine, other);
    } else {
        plain(mine, other);
    }
    if (strcmp(what, "AES-128-CBC") == 0 || strcmp(what, "DES-EDE3-CBC") == 0) cbc_records(mine, other);
    if (EVP_CIPHER_get_mode(mine) != EVP_CIPH_WRAP_MODE) attacks(mine);
    EVP_CIPHER_free(other);
}

static void each_digest(EVP_MD *mine, void *count) {
    EVP_MD *other;
    EVP_MD_CTX *a, *copy;
    unsigned char mine_out[64], other_out[64];
    unsigned n;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_MD_get0_provider(mine)), "algkit") != 0) return;
    what = EVP_MD_get0_name(mine);
    other = EVP_MD_fetch(library, what, "provider=default");
    CHECK(other && EVP_MD_get_size(mine) == EVP_MD_get_size(other) && EVP_MD_get_block_size(mine) == EVP_MD_get_block_size(other));
    CHECK(EVP_MD_get_flags(mine) == EVP_MD_get_flags(other) && EVP_MD_get_type(mine) == EVP_MD_get_type(other));
    a = EVP_MD_CTX_new();
    copy = EVP_MD_CTX_new();
    for (size_t len = 0; len < (quick ? 200u : 2000u); len += 1 + len / 50)
    for (size_t p = 0; p < COUNT(parts); p++) {
        CHECK(EVP_Digest(text, len, other_out, NULL, other, NULL));
        CHECK(EVP_DigestInit_ex(a, mine, NULL));
        for (size_t done = 0; done < len;) {
            size_t next = part_len(parts[p], done, len);
            CHECK(EVP_DigestUpdate(a, text + done, next));
            if (done < len / 2 && done + next >= len / 2) {
                CHECK(EVP_MD_CTX_copy_ex(copy, a) && EVP_DigestUpdate(a, text, 9) && EVP_MD_CTX_copy_ex(a, copy));
            }
            done += next;
        }
        CHECK(EVP_DigestFinal_ex(a, mine_out, &n) && n == (unsigned)EVP_MD_get_size(mine) && memcmp(mine_out, other_out, n) == 0);
        CHECK(!EVP_DigestUpdate(a, text, 1) && !EVP_DigestFinal_ex(a, mine_out, &n));
        CHECK(EVP_Digest(text, len, mine_out, &n, mine, NULL) && memcmp(mine_out, other_out, n) == 0);
    }
    ERR_clear_error();
    EVP_MD_CTX_free(a);
    EVP_MD_CTX_free(copy);
    EVP_MD_free(other);
    ++*(int *)count;
}

/* The parameters of a MAC: what it is built on, and an IV. */
static void mac_params(OSSL_PARAM params[4], const char *param, const char *on, size_t iv_len) {
    if (on) *params++ = OSSL_PARAM_construct_utf8_string(param, (char *)on, 0);
    if (iv_len) *params++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, iv_len);
    *params = OSSL_PARAM_construct_end();
}

static void one_mac(EVP_MAC *mine, const char *param, const char *on, size_t key_len) {
    EVP_MAC *other = EVP_MAC_fetch(library, EVP_MAC_get0_name(mine), "provider=default");
    EVP_MAC_CTX *a = EVP_MAC_CTX_new(mine), *b = EVP_MAC_CTX_new(other), *copy;
    unsigned char out[2][64];
    int gmac = EVP_MAC_is_a(mine, "GMAC"), once = gmac || EVP_MAC_is_a(mine, "POLY1305");
    size_t size[2];
    OSSL_PARAM params[4];
    what = on ? on : EVP_MAC_get0_name(mine);
    CHECK(!EVP_MAC_update(a, text, 5) && !EVP_MAC_init(a, NULL, 0, NULL));
    for (size_t l = 0; l < COUNT(lengths); l++)
    for (size_t p = 0; p < COUNT(parts); p++) {
        size_t len = lengths[l];
        if (len > 300 && (quick || (p && strcmp(what, "SHA2-256") != 0))) continue;
        mac_params(params, param, on, gmac ? 1 + (l + p) % 40 : 0);
        CHECK(EVP_MAC_init(a, text + 9, key_len, params) && EVP_MAC_init(b, text + 9, key_len, params));
        CHECK(EVP_MAC_CTX_get_mac_size(a) == EVP_MAC_CTX_get_mac_size(b));
        if (!once) CHECK(EVP_MAC_CTX_get_block_size(a) == EVP_MAC_CTX_get_block_size(b));
        CHECK(EVP_MAC_update(b, text, len) && EVP_MAC_final(b, out[1], &size[1], 64));
        /* valgrind takes OpenSSL's GMAC of whole blocks for undefined; ours it looks at. */
        VALGRIND_MAKE_MEM_DEFINED(out[1], size[1]);
        for (int again = 0; again < (once ? 1 : 2); again++) {
            if (again) CHECK(EVP_MAC_init(a, NULL, 0, l % 2 ? params : NULL));
            for (size_t done = 0; done < len;) {
                size_t next = part_len(parts[p], done, len);
                CHECK(EVP_MAC_update(a, text + done, next));
                if (done < len / 2 && done + next >= len / 2) {
                    CHECK((copy = EVP_MAC_CTX_dup(a)) && EVP_MAC_update(a, text, 3));
                    EVP_MAC_CTX_free(a);
                    a = copy;
                }
                done += next;
            }
            memset(out[0], 0, 64);
            CHECK(EVP_MAC_final(a, out[0], &size[0], 64) && size[0] == size[1] && memcmp(out[0], out[1], size[0]) == 0);
            CHECK(!EVP_MAC_update(a, text, 1) && !EVP_MAC_final(a, out[0], &size[0], 64));
        }
    }
    if (once) CHECK((EVP_MAC_init(a, NULL, 0, NULL) && EVP_MAC_update(a, text, 1)) == 0); /* a key or an IV again */
    if (strcmp(EVP_MAC_get0_name(mine), "HMAC") != 0) CHECK(!EVP_MAC_init(a, text + 9, key_len + 1, params) && !EVP_MAC_update(a, text, 1));
    if (on) {
        mac_params(params, param, "no-such-thing", 0);
        CHECK(!EVP_MAC_init(a, text + 9, key_len, params));
        mac_params(params, param, gmac ? "AES-128-CBC" : "AES-128-GCM", 0);
        CHECK(!EVP_MAC_init(a, text + 9, 16, params));
    }
    ERR_clear_error();
    EVP_MAC_CTX_free(a);
    EVP_MAC_CTX_free(b);
    EVP_MAC_free(other);
}

/* The MAC of a record whose length is a secret: header, text, and behind it what was the MAC and the padding. */
static void hidden_macs(EVP_MAC *mine) {
    static const char *const digests[] = { "SHA1", "SHA2-224", "SHA2-256", "SHA2-384", "SHA2-512" };
    EVP_MAC *other = EVP_MAC_fetch(library, "HMAC", "provider=default");
    EVP_MAC_CTX *ctx[2];
    ctx[0] = EVP_MAC_CTX_new(mine);
    ctx[1] = EVP_MAC_CTX_new(other);
    for (size_t d = 0; d < COUNT(digests); d++)
    for (size_t all = 48; all < 700; all += quick ? 96 : 16)
    for (size_t more = 1; more < 257; more += quick ? 15 : 1) {
        unsigned char out[2][64], header[13] = "header of 13";
        size_t size[2] = { 0, 0 }, mac_size = 0;
        OSSL_PARAM params[3];
        what = digests[d];
        params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digests[d], 0);
        params[1] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &all);
        params[2] = OSSL_PARAM_construct_end();
        for (int i = 0; i < 2; i++) {
            CHECK(EVP_MAC_init(ctx[i], key, 32, params));
            mac_size = EVP_MAC_CTX_get_mac_size(ctx[i]);
            if (mac_size + more > all) break;
            if (i == 0) CHECK(!EVP_MAC_final(ctx[i], out[i], &size[i], 64) && !EVP_MAC_update(ctx[i], header, 12));
            CHECK(EVP_MAC_update(ctx[i], header, 13) && EVP_MAC_update(ctx[i], text, all - mac_size - more));
            CHECK(EVP_MAC_final(ctx[i], out[i], &size[i], 64) && size[i] == mac_size);
        }
        if (mac_size + more <= all) CHECK(memcmp(out[0], out[1], mac_size) == 0);
        ERR_clear_error();
    }
    EVP_MAC_CTX_free(ctx[0]);
    EVP_MAC_CTX_free(ctx[1]);
    EVP_MAC_free(other);
}

static void each_mac(EVP_MAC *mine, void *count) {
    static const char *const digests[] = { "SHA1", "SHA2-224", "SHA2-256", "sha384", "SHA512", "SHA512-224", "SHA2-512/256", "SHA3-224", "SHA3-256", "SHA3-384",
        "SHA3-512", "BLAKE2s256", "BLAKE2B-512", "SM3", "MD5", "RIPEMD160" };
    static const char *const ciphers[] = { "AES-128", "AES-192", "AES-256", "CAMELLIA-128", "CAMELLIA-256", "ARIA-128", "ARIA-256", "SM4", "DES-EDE3" };
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_MAC_get0_provider(mine)), "algkit") != 0) return;
    if (EVP_MAC_is_a(mine, "HMAC")) {
        for (size_t i = 0; i < COUNT(digests); i++) one_mac(mine, OSSL_MAC_PARAM_DIGEST, digests[i], i * 11);
        one_mac(mine, OSSL_MAC_PARAM_DIGEST, "SHA2-512", 300);
        hidden_macs(mine);
    } else if (EVP_MAC_is_a(mine, "POLY1305")) {
        one_mac(mine, NULL, NULL, 32);
    } else for (size_t i = 0; i < COUNT(ciphers); i++) {
        char name[40];
        EVP_CIPHER *cipher;
        snprintf(name, sizeof name, "%s-%s", ciphers[i], EVP_MAC_is_a(mine, "GMAC") ? "GCM" : "CBC");
        cipher = EVP_CIPHER_fetch(library, name, "provider=algkit");
        if (cipher) one_mac(mine, OSSL_MAC_PARAM_CIPHER, name, (size_t)EVP_CIPHER_get_key_length(cipher));
        EVP_CIPHER_free(cipher);
        ERR_clear_error();
    }
    ++*(int *)count;
}

/* A key derivation with these parameters: of texts, or of bytes. */
static void one_kdf(EVP_KDF *mine, const char *const texts[6], const char *const bytes[10], unsigned iterations) {
    EVP_KDF *other = EVP_KDF_fetch(library, EVP_KDF_get0_name(mine), "provider=default");
    EVP_KDF_CTX *ctx[2] = { EVP_KDF_CTX_new(mine), EVP_KDF_CTX_new(other) };
    OSSL_PARAM params[12], *p = params;
    what = EVP_KDF_get0_name(mine);
    for (int i = 0; i < 6 && texts[i]; i += 2) *p++ = OSSL_PARAM_construct_utf8_string(texts[i], (char *)texts[i + 1], 0);
    for (int i = 0; i < 10 && bytes[i]; i += 2) *p++ = OSSL_PARAM_construct_octet_string(bytes[i], (char *)bytes[i + 1], strlen(bytes[i + 1]));
    if (iterations) *p++ = OSSL_PARAM_construct_uint(OSSL_KDF_PARAM_ITER, &iterations);
    *p = OSSL_PARAM_construct_end();
    for (size_t len = 0; len < 200; len += 1 + len / 7) {
        EVP_KDF_CTX *copy;
        int a_ok, b_ok;
        EVP_KDF_CTX_reset(ctx[0]);
        EVP_KDF_CTX_reset(ctx[1]);
        a_ok = EVP_KDF_derive(ctx[0], ours, len, params);
        b_ok = EVP_KDF_derive(ctx[1], theirs, len, params);
        CHECK(len == 0 || a_ok == b_ok);
        if (!a_ok || !b_ok) continue;
        CHECK(memcmp(ours, theirs, len) == 0 && EVP_KDF_CTX_get_kdf_size(ctx[0]) == EVP_KDF_CTX_get_kdf_size(ctx[1]));
        CHECK((copy = EVP_KDF_CTX_dup(ctx[0])) && EVP_KDF_derive(copy, ours, len, NULL) && memcmp(ours, theirs, len) == 0);
        EVP_KDF_CTX_free(copy);
    }
    /* without what the key is made of, and with an unknown digest */
    EVP_KDF_CTX_reset(ctx[0]);
    CHECK(!EVP_KDF_derive(ctx[0], ours, 16, NULL));
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"AES-128-GCM", 0);
    CHECK(!EVP_KDF_CTX_set_params(ctx[0], params));
    ERR_clear_error();
    EVP_KDF_CTX_free(ctx[0]);
    EVP_KDF_CTX_free(ctx[1]);
    EVP_KDF_free(other);
}

static void each_kdf(EVP_KDF *mine, void *count) {
    static const char *const digests[] = { "SHA256", "SHA1", "sha2-512", "SHA3-256", "MD5", "MD5-SHA1" };
    static const char *const modes[] = { "EXTRACT_AND_EXPAND", "EXTRACT_ONLY", "expand_only", "nonsense" };
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_KDF_get0_provider(mine)), "algkit") != 0) return;
    for (size_t d = 0; d < COUNT(digests); d++)
    for (size_t m = 0; m < COUNT(modes); m++) {
        const char *texts[6] = { OSSL_KDF_PARAM_DIGEST, digests[d], OSSL_KDF_PARAM_MODE, modes[m], NULL, NULL }, *none[6] = { NULL };
        const char *hkdf[10] = { OSSL_KDF_PARAM_KEY, "the key", OSSL_KDF_PARAM_SALT, "a salt", OSSL_KDF_PARAM_INFO, "first", OSSL_KDF_PARAM_INFO, "second" };
        const char *tls13[10] = { OSSL_KDF_PARAM_KEY, "the key", OSSL_KDF_PARAM_SALT, "a secret", OSSL_KDF_PARAM_PREFIX, "tls13 ", OSSL_KDF_PARAM_LABEL, "derived", OSSL_KDF_PARAM_DATA, "data" };
        const char *tls1[10] = { OSSL_KDF_PARAM_SECRET, "the secret of odd length.", OSSL_KDF_PARAM_SEED, "label", OSSL_KDF_PARAM_SEED, "seed" };
        const char *pbkdf2[10] = { OSSL_KDF_PARAM_PASSWORD, "the passphrase", OSSL_KDF_PARAM_SALT, "the salt of the passphrase" };
        if (d == 5 && !EVP_KDF_is_a(mine, "TLS1-PRF")) break;
        if (EVP_KDF_is_a(mine, "HKDF") || EVP_KDF_is_a(mine, "TLS13-KDF")) {
            const char **bytes = EVP_KDF_is_a(mine, "HKDF") ? hkdf : tls13;
            one_kdf(mine, texts, bytes, 0);
            bytes[3] = "";
            one_kdf(mine, texts, bytes, 0);
            bytes[2] = NULL; /* the key alone */
            one_kdf(mine, texts, bytes, 0);
            continue;
        }
        if (m) break;
        texts[2] = NULL;
        if (EVP_KDF_is_a(mine, "TLS1-PRF")) one_kdf(mine, texts, tls1, 0);
        else for (unsigned iterations = d || quick; iterations < 5; iterations++) one_kdf(mine, d == 3 ? none : texts, pbkdf2, iterations);
    }
    ++*(int *)count;
}

#if OPENSSL_VERSION_PREREQ(3, 5)
#define PIPES 32

/* Several messages at once, in one part or two, beside the default provider's contexts. */
static void pipelines(const char *name) {
    static const size_t counts[] = { 1, 2, 5, 16, 17, 32 };
    EVP_CIPHER *mine = EVP_CIPHER_fetch(library, name, "provider=algkit"), *other = EVP_CIPHER_fetch(library, name, "provider=default");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *single = EVP_CIPHER_CTX_new();
    size_t key_len = (size_t)EVP_CIPHER_get_key_length(mine), iv_len = (size_t)EVP_CIPHER_get_iv_length(mine);
    static unsigned char ivs[PIPES][16], all[2][PIPES][2200];
    const unsigned char *iv_at[PIPES], *src[PIPES];
    unsigned char *dst[PIPES];
    size_t len[PIPES], got[PIPES], more[PIPES], room[PIPES], part[PIPES], sealed[PIPES];
    what = name;
    CHECK(EVP_CIPHER_can_pipeline(mine, 1) && EVP_CIPHER_can_pipeline(mine, 0));
    for (size_t c = 0; c < COUNT(counts); c++)
    for (int bits = 0; bits < 8; bits++) { /* two parts; lengths that are far apart */
        size_t count = counts[c];
        int n, m;
        for (size_t i = 0; i < count; i++) {
            fill(ivs[i], 16, (unsigned)(i + 100));
            iv_at[i] = ivs[i];
            len[i] = bits & 2 ? (i * 37) % 300 : bits & 4 ? 1900 + i * 9 : 100 + i;
            part[i] = bits & 1 ? len[i] / 3 : len[i];
            sealed[i] = 0;
        }
        /* Given the cipher once more, OpenSSL 4.0.3 forgets the number of pipes. */
        CHECK(EVP_CipherPipelineEncryptInit(ctx, c || bits ? NULL : mine, key, key_len, count, iv_at, iv_len));
        for (int p = 0; p < 1 + (bits & 1); p++) {
            for (size_t i = 0; i < count; i++) {
                src[i] = text + 100 * i + (p ? part[i] : 0);
                more[i] = p ? len[i] - part[i] : part[i];
                dst[i] = all[0][i] + sealed[i];
                room[i] = more[i] + 16;
            }
            CHECK(EVP_CipherPipelineUpdate(ctx, dst, got, room, src, more));
            for (size_t i = 0; i < count; i++) sealed[i] += got[i];
        }
        for (size_t i = 0; i < count; i++) { dst[i] = all[0][i] + sealed[i]; room[i] = 16; }
        CHECK(EVP_CipherPipelineFinal(ctx, dst, got, room));
        for (size_t i = 0; i < count; i++) sealed[i] += got[i];
        for (size_t i = 0; i < count; i++) {
            CHECK(EVP_EncryptInit_ex2(single, other, key, ivs[i], NULL));
            CHECK(EVP_EncryptUpdate(single, theirs, &n, text + 100 * i, (int)len[i]) && EVP_EncryptFinal_ex(single, theirs + n, &m));
            CHECK(sealed[i] == (size_t)(n + m) && memcmp(all[0][i], theirs, sealed[i]) == 0);
        }
        CHECK(EVP_CipherPipelineDecryptInit(ctx, NULL, key, key_len, count, iv_at, iv_len));
        for (size_t i = 0; i < count; i++) { src[i] = all[0][i]; dst[i] = all[1][i]; room[i] = sealed[i] + 16; }
        CHECK(EVP_CipherPipelineUpdate(ctx, dst, got, room, src, sealed));
        for (size_t i = 0; i < count; i++) { dst[i] = all[1][i] + got[i]; room[i] = 16; }
        CHECK(EVP_CipherPipelineFinal(ctx, dst, more, room));
        for (size_t i = 0; i < count; i++) CHECK(got[i] + more[i] == len[i] && memcmp(all[1][i], text + 100 * i, len[i]) == 0);
    }
    /* without padding, too many, and without IVs */
    CHECK(EVP_CipherPipelineEncryptInit(ctx, NULL, key, key_len, 2, iv_at, iv_len) && EVP_CIPHER_CTX_set_padding(ctx, 0));
    for (size_t i = 0; i < 2; i++) { src[i] = text; dst[i] = all[0][i]; more[i] = 48; room[i] = 48; }
    CHECK(EVP_CipherPipelineUpdate(ctx, dst, got, room, src, more) && got[0] == 48 && got[1] == 48);
    CHECK(EVP_CipherPipelineFinal(ctx, dst, got, room) && got[0] == 0 && got[1] == 0);
    CHECK(!EVP_CipherPipelineEncryptInit(ctx, NULL, key, key_len, PIPES + 1, iv_at, iv_len));
    if (iv_len) CHECK(EVP_CipherPipelineEncryptInit(ctx, NULL, key, key_len, 2, NULL, 0) && !EVP_CipherPipelineUpdate(ctx, dst, got, room, src, len));
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx); EVP_CIPHER_CTX_free(single);
    EVP_CIPHER_free(mine); EVP_CIPHER_free(other);
}

/* Keys that are objects. */
static void opaque_keys(void) {
    EVP_CIPHER *gcm = EVP_CIPHER_fetch(library, "AES-256-GCM", "provider=algkit");
    EVP_MAC *hmac = EVP_MAC_fetch(library, "HMAC", "provider=algkit");
    EVP_SKEY *aes = EVP_SKEY_import_raw_key(library, "AES", key, 32, "provider=algkit"), *foreign;
    EVP_SKEY *generic = EVP_SKEY_import_raw_key(library, "GENERIC-SECRET", key, 50, "provider=algkit");
    EVP_CIPHER_CTX *a = EVP_CIPHER_CTX_new(), *b = EVP_CIPHER_CTX_new();
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(hmac);
    const unsigned char *raw;
    size_t len;
    int n;
    OSSL_PARAM params[4];
    what = "opaque keys";
    CHECK(gcm && hmac && aes && generic && !EVP_SKEY_import_raw_key(library, "AES", key, 31, "provider=algkit"));
    CHECK(EVP_SKEY_get0_raw_key(aes, &raw, &len) && len == 32 && memcmp(raw, key, 32) == 0);
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        CHECK(EVP_CipherInit_SKEY(a, gcm, aes, iv, 12, encrypt, NULL) && EVP_CipherInit_ex2(b, gcm, key, iv, encrypt, NULL));
        CHECK(EVP_CipherUpdate(a, ours, &n, text, 100) && EVP_CipherUpdate(b, theirs, &n, text, 100) && memcmp(ours, theirs, 100) == 0);
    }
    CHECK(!EVP_CipherInit_SKEY(a, gcm, generic, iv, 12, 1, NULL));
    foreign = EVP_SKEY_import_raw_key(library, "AES", key, 32, "provider=default");
    CHECK(foreign && !EVP_CipherInit_SKEY(a, gcm, foreign, iv, 12, 1, NULL));
    mac_params(params, OSSL_MAC_PARAM_DIGEST, "SHA256", 0);
    CHECK(EVP_MAC_init_SKEY(mac, generic, params) && EVP_MAC_update(mac, text, 77) && EVP_MAC_final(mac, ours, &len, 64) && len == 32);
    CHECK(EVP_MAC_init(mac, key, 50, params) && EVP_MAC_update(mac, text, 77) && EVP_MAC_final(mac, theirs, &len, 64) && memcmp(ours, theirs, 32) == 0);
    ERR_clear_error();
    EVP_SKEY_free(aes); EVP_SKEY_free(generic); EVP_SKEY_free(foreign);
    EVP_CIPHER_CTX_free(a); EVP_CIPHER_CTX_free(b); EVP_MAC_CTX_free(mac);
    EVP_CIPHER_free(gcm); EVP_MAC_free(hmac);
}
#endif

/* Why a call failed: the first error that it left. */
static void because(int reason, int line) {
    unsigned long error = ERR_get_error();
    if (ERR_GET_LIB(error) != ERR_LIB_PROV || ERR_GET_REASON(error) != reason || !ERR_reason_error_string(error)) {
        fprintf(stderr, "%s instead of %s\n", ERR_reason_error_string(error), ERR_reason_error_string(ERR_PACK(ERR_LIB_PROV, 0, reason)));
        fail("the reason", line);
    }
    checks++;
    ERR_clear_error();
}
#define FAILS(call, reason) do { ERR_clear_error(); CHECK((call) <= 0); because(reason, __LINE__); } while (0)

/* Each failure names its reason. */
static void reasons(void) {
    static const char *const aeads[] = { "AES-256-GCM", "AES-256-CCM", "ChaCha20-Poly1305" };
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    OSSL_PARAM params[2];
    unsigned char tag[16], sealed[2048];
    int n, m;
    for (size_t i = 0; i < COUNT(aeads); i++)
    for (int len = 48; len < 2048; len += 1000) /* in one piece, and in parts */
    for (int parts = 0; parts < (i == 1 ? 1 : 2); parts++) {
        int whole = parts ? 16 : len;
        what = aeads[i];
        CHECK((cipher = EVP_CIPHER_fetch(library, what, "provider=algkit")) != NULL);
        FAILS(EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, 0) && EVP_CipherUpdate(ctx, ours, &n, text, 48), PROV_R_NO_KEY_SET);
        CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, 1));
        if (i == 1) CHECK(EVP_CipherUpdate(ctx, NULL, &n, NULL, len));
        CHECK(EVP_CipherUpdate(ctx, sealed, &n, text, len) && EVP_CipherFinal_ex(ctx, sealed, &m));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, i == 1 ? 12 : 16, tag) > 0);
        EVP_CIPHER_CTX_reset(ctx);
        tag[3] ^= 1;
        CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, 0) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, i == 1 ? 12 : 16, tag) > 0);
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, key, NULL, 0));
        FAILS(EVP_CipherUpdate(ctx, ours, &n, sealed, whole), PROV_R_INVALID_IV_LENGTH);
        CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, 0));
        if (i == 1) {
            FAILS(EVP_CipherUpdate(ctx, ours, &n, sealed, len), PROV_R_INVALID_TAG);
        } else {
            for (int done = 0; done < len; done += whole) CHECK(EVP_CipherUpdate(ctx, ours, &n, sealed + done, whole < len - done ? whole : len - done));
            FAILS(EVP_CipherFinal_ex(ctx, ours, &n), PROV_R_INVALID_TAG);
            FAILS(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, i == 0 ? 5000 : 13, NULL), PROV_R_INVALID_IV_LENGTH);
        }
        EVP_CIPHER_CTX_reset(ctx);
        EVP_CIPHER_free(cipher);
    }

    what = "AES-128-XTS";
    CHECK((cipher = EVP_CIPHER_fetch(library, what, "provider=algkit")) != NULL);
    CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, 1));
    FAILS(EVP_CipherUpdate(ctx, ours, &n, text, 15), PROV_R_INVALID_INPUT_LENGTH);
    FAILS(EVP_CIPHER_CTX_set_key_length(ctx, 31), PROV_R_INVALID_KEY_LENGTH);
    memset(ours, 7, 32);
    FAILS(EVP_CipherInit_ex(ctx, cipher, NULL, ours, iv, 1), PROV_R_XTS_DUPLICATED_KEYS);
    EVP_CIPHER_CTX_reset(ctx);
    EVP_CIPHER_free(cipher);

    what = "AES-128-WRAP";
    CHECK((cipher = EVP_CIPHER_fetch(library, what, "provider=algkit")) != NULL);
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, NULL, 0));
    FAILS(EVP_CipherUpdate(ctx, ours, &n, text, 24), PROV_R_BAD_DECRYPT);
    EVP_CIPHER_free(cipher);

    params[1] = OSSL_PARAM_construct_end();
    what = "HMAC";
    CHECK((mac = EVP_MAC_fetch(library, what, "provider=algkit")) && (mac_ctx = EVP_MAC_CTX_new(mac)));
    FAILS(EVP_MAC_init(mac_ctx, key, 16, NULL), PROV_R_MISSING_MESSAGE_DIGEST);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"no digest", 0);
    FAILS(EVP_MAC_init(mac_ctx, key, 16, params), PROV_R_INVALID_DIGEST);
    EVP_MAC_CTX_free(mac_ctx); EVP_MAC_free(mac);
    what = "CMAC";
    CHECK((mac = EVP_MAC_fetch(library, what, "provider=algkit")) && (mac_ctx = EVP_MAC_CTX_new(mac)));
    FAILS(EVP_MAC_init(mac_ctx, key, 16, NULL), PROV_R_MISSING_CIPHER);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, (char *)"AES-128-CTR", 0);
    FAILS(EVP_MAC_init(mac_ctx, key, 16, params), PROV_R_INVALID_MODE);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, (char *)"AES-128-CBC", 0);
    FAILS(EVP_MAC_init(mac_ctx, key, 15, params), PROV_R_INVALID_KEY_LENGTH);
    EVP_MAC_CTX_free(mac_ctx); EVP_MAC_free(mac);
    EVP_CIPHER_CTX_free(ctx);
}

/* A context of an AEAD with an IV of 12 bytes, and to decrypt with a tag of 16. */
static void tagged(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, unsigned char *tag) {
    int encrypt = tag == NULL, ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    CHECK(EVP_CIPHER_CTX_reset(ctx) && EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, encrypt));
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
    if (ccm || !encrypt) CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) > 0);
    CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, key, iv, encrypt));
}

/* Messages with associated data and no text: the end compares the tag, whatever came before it. The expected tags are OpenSSL's. */
static void without_text(void) {
    static const char *const aeads[] = { "AES-128-GCM", "AES-128-CCM", "ARIA-256-CCM", "ChaCha20-Poly1305" };
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char tag[16], made[16], out[64];
    int n;
    for (size_t i = 0; i < COUNT(aeads); i++) {
        int ccm = strstr(aeads[i], "CCM") != NULL;
        EVP_CIPHER *other = EVP_CIPHER_fetch(library, aeads[i], "provider=default"), *mine = EVP_CIPHER_fetch(library, aeads[i], "provider=algkit");
        what = aeads[i];
        tagged(ctx, other, NULL);
        if (ccm) CHECK(EVP_CipherUpdate(ctx, NULL, &n, NULL, 0));
        CHECK(EVP_CipherUpdate(ctx, NULL, &n, text, 20) && EVP_CipherUpdate(ctx, out, &n, text, 0) && EVP_CipherFinal_ex(ctx, out, &n));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
        tagged(ctx, mine, NULL);
        CHECK(EVP_CipherUpdate(ctx, NULL, &n, text, 20) && EVP_CipherFinal_ex(ctx, out, &n));
        CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, made) > 0 && memcmp(made, tag, 16) == 0);
        for (int wrong = 0; wrong < 2; wrong++)
        for (int way = 0; way < 5; way++) {
            int ended;
            tag[15] ^= (unsigned char)wrong;
            tagged(ctx, mine, tag);
            tag[15] ^= (unsigned char)wrong;
            if (ccm && way == 1) CHECK(EVP_CipherUpdate(ctx, NULL, &n, NULL, 0));
            CHECK(EVP_CipherUpdate(ctx, NULL, &n, text, 20));
            if (way == 2) ended = EVP_Cipher(ctx, out, NULL, 0) == 0;
            else if (way == 3) ended = EVP_Cipher(ctx, NULL, NULL, 0) == 0;
            else if (way == 4 && ccm) ended = EVP_CipherUpdate(ctx, out, &n, text, 0); /* the empty text */
            else ended = EVP_CipherFinal_ex(ctx, out, &n);
            CHECK(ended == !wrong);
            if (wrong) CHECK(!EVP_CipherFinal_ex(ctx, out, &n));
        }
        if (ccm) {
            /* the end of a message that was not authentic, of none, and of one whose text is missing */
            tagged(ctx, mine, tag);
            CHECK(!EVP_CipherUpdate(ctx, out, &n, text, 20) && !EVP_CipherFinal_ex(ctx, out, &n));
            tagged(ctx, mine, tag);
            CHECK(EVP_CipherUpdate(ctx, NULL, &n, text, 20) && EVP_CipherFinal_ex(ctx, out, &n) && EVP_CipherFinal_ex(ctx, out, &n));
            CHECK(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, 0) && !EVP_CipherFinal_ex(ctx, out, &n));
            for (int encrypt = 0; encrypt < 2; encrypt++) {
                tagged(ctx, mine, encrypt ? NULL : tag);
                CHECK(EVP_CipherUpdate(ctx, NULL, &n, NULL, 16) && EVP_CipherUpdate(ctx, NULL, &n, text, 20) && !EVP_CipherFinal_ex(ctx, out, &n));
            }
        }
        EVP_CIPHER_free(other); EVP_CIPHER_free(mine);
    }
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

/* NULL with a length is no empty message, and NULL is no empty key. */
static void nulls(void) {
    static const char *const ciphers[] = { "AES-128-GCM", "ChaCha20-Poly1305", "AES-128-CCM", "AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "AES-128-CBC-HMAC-SHA1" };
    static const struct { const char *name, *param; } keys[] = {
        { "HKDF", "key" }, { "HKDF", "salt" }, { "PBKDF2", "pass" }, { "PBKDF2", "salt" }, { "TLS1-PRF", "secret" }, { "TLS13-KDF", "key" }, { "TLS13-KDF", "salt" },
    };
    int n, expand = EVP_KDF_HKDF_MODE_EXTRACT_ONLY;
    unsigned char out[64];
    OSSL_PARAM params[9];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_MD_CTX *md_ctx = EVP_MD_CTX_new();
    EVP_MD *md = EVP_MD_fetch(library, "SHA256", "provider=algkit");
    EVP_MAC *mac = EVP_MAC_fetch(library, "HMAC", "provider=algkit");
    EVP_MAC_CTX *mac_ctx = EVP_MAC_CTX_new(mac);
    for (size_t i = 0; i < COUNT(ciphers); i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, ciphers[i], "provider=algkit");
        what = ciphers[i];
        CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, 1));
        FAILS(EVP_CipherUpdate(ctx, out, &n, NULL, 16), ERR_R_PASSED_NULL_PARAMETER);
        if (i != 2) FAILS(EVP_CipherUpdate(ctx, NULL, &n, NULL, 16), ERR_R_PASSED_NULL_PARAMETER); /* CCM: a length */
        EVP_CIPHER_CTX_reset(ctx);
        EVP_CIPHER_free(cipher);
    }
    what = "NULL";
    CHECK(EVP_DigestInit_ex(md_ctx, md, NULL) && EVP_DigestUpdate(md_ctx, NULL, 0));
    FAILS(EVP_DigestUpdate(md_ctx, NULL, 16), ERR_R_PASSED_NULL_PARAMETER);
    params[0] = OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA256", 0);
    params[1] = OSSL_PARAM_construct_end();
    CHECK(EVP_MAC_init(mac_ctx, key, 16, params) && EVP_MAC_update(mac_ctx, NULL, 0));
    FAILS(EVP_MAC_update(mac_ctx, NULL, 16), ERR_R_PASSED_NULL_PARAMETER);
    params[1] = OSSL_PARAM_construct_octet_string("key", NULL, 16);
    params[2] = OSSL_PARAM_construct_end();
    FAILS(EVP_MAC_init(mac_ctx, NULL, 0, params), ERR_R_PASSED_NULL_PARAMETER);
    params[1].data_size = 0;
    FAILS(EVP_MAC_init(mac_ctx, NULL, 0, params), ERR_R_PASSED_NULL_PARAMETER);
    for (size_t i = 0; i < COUNT(keys); i++) {
        EVP_KDF *kdf = EVP_KDF_fetch(library, what = keys[i].name, "provider=algkit");
        size_t used = 1;
        params[used++] = strcmp(what, "TLS13-KDF") == 0 ? OSSL_PARAM_construct_int("mode", &expand) : OSSL_PARAM_construct_octet_string("seed", text, 8);
        for (size_t j = 0; j < COUNT(keys); j++)
            if (strcmp(keys[j].name, what) == 0) params[used++] = OSSL_PARAM_construct_octet_string(keys[j].param, j == i ? NULL : text, 32);
        params[used] = OSSL_PARAM_construct_end();
        for (int given = 0; given < 3; given++) { /* NULL with a length, NULL without one, and bytes */
            EVP_KDF_CTX *kdf_ctx = EVP_KDF_CTX_new(kdf);
            for (size_t j = 0; j < used; j++) if (strcmp(params[j].key, keys[i].param) == 0) params[j].data_size = given == 1 ? 0 : 32;
            for (size_t j = 0; given == 2 && j < used; j++) if (!params[j].data) params[j].data = text;
            if (given == 2 || (given == 1 && (strcmp(what, "PBKDF2") == 0 || strcmp(keys[i].param, "salt") == 0))) CHECK(EVP_KDF_derive(kdf_ctx, out, 32, params) > 0);
            else FAILS(EVP_KDF_derive(kdf_ctx, out, 32, params), ERR_R_PASSED_NULL_PARAMETER);
            EVP_KDF_CTX_free(kdf_ctx);
        }
        EVP_KDF_free(kdf);
    }
    EVP_CIPHER_CTX_free(ctx); EVP_MD_CTX_free(md_ctx); EVP_MD_free(md); EVP_MAC_CTX_free(mac_ctx); EVP_MAC_free(mac);
}

/* The lower bounds of PBKDF2 hold for what is set after them, and for what is derived. */
static void bounds(void) {
    static const unsigned char passphrase[] = "a passphrase", salt[] = "a salt of 16 byte";
    int least = 0, none = 1;
    unsigned one = 1, many = 1000;
    OSSL_PARAM pass = OSSL_PARAM_construct_octet_string("pass", (char *)passphrase, 12), end = OSSL_PARAM_construct_end();
    OSSL_PARAM checks_on[] = { OSSL_PARAM_construct_int("pkcs5", &least), end }, checks_off[] = { OSSL_PARAM_construct_int("pkcs5", &none), end };
    OSSL_PARAM few[] = { OSSL_PARAM_construct_uint("iter", &one), end }, enough[] = { OSSL_PARAM_construct_uint("iter", &many), end };
    OSSL_PARAM short_salt[] = { OSSL_PARAM_construct_octet_string("salt", (char *)salt, 8), pass, end };
    OSSL_PARAM long_salt[] = { OSSL_PARAM_construct_octet_string("salt", (char *)salt, 16), pass, end };
    OSSL_PARAM *const sets[] = { checks_on, checks_off, few, enough, short_salt, long_salt };
    unsigned seed = 1;
    what = "PBKDF2";
    for (int round = 0; round < (quick ? 50 : 2000); round++) {
        int answers[2][9];
        for (int own = 0; own < 2; own++) {
            EVP_KDF *kdf = EVP_KDF_fetch(library, what, own ? "provider=algkit" : "provider=default");
            EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
            for (unsigned i = 0, random = seed; i < 8; i++, random = random * 1103515245 + 12345) answers[own][i] = EVP_KDF_CTX_set_params(ctx, sets[random / 65536 % COUNT(sets)]) > 0;
            answers[own][8] = EVP_KDF_derive(ctx, own ? ours : theirs, 8 + round % 16, NULL) > 0;
            EVP_KDF_CTX_free(ctx); EVP_KDF_free(kdf);
        }
        CHECK(memcmp(answers[0], answers[1], sizeof answers[0]) == 0);
        CHECK(!answers[0][8] || memcmp(ours, theirs, 8 + round % 16) == 0);
        seed += 7919;
    }
    ERR_clear_error();
}

/* What is set and not supported is refused, not ignored: a place in a block of keystream, and the length of a digest. */
static void ignored(void) {
    static const char *const streams[] = { "AES-128-CTR", "AES-128-CFB", "AES-128-OFB" };
    size_t size = 16;
    OSSL_PARAM params[2] = { OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end() };
    EVP_MD *md = EVP_MD_fetch(library, "BLAKE2B-512", "provider=algkit");
    EVP_MD_CTX *md_ctx = EVP_MD_CTX_new();
    for (size_t i = 0; i < COUNT(streams); i++) {
        for (int own = 0; own < 2; own++) {
            EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, what = streams[i], own ? "provider=algkit" : "provider=default");
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            int n;
            CHECK(EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, 1) && EVP_CipherUpdate(ctx, own ? ours : theirs, &n, text, 5));
            if (own) CHECK(!EVP_CIPHER_CTX_set_num(ctx, 3) && EVP_CIPHER_CTX_get_num(ctx) == 5);
            CHECK(EVP_CIPHER_CTX_set_num(ctx, 0) && EVP_CIPHER_CTX_get_num(ctx) == 0);
            CHECK(EVP_CipherUpdate(ctx, (own ? ours : theirs) + 5, &n, text, 40));
            EVP_CIPHER_CTX_free(ctx); EVP_CIPHER_free(cipher);
        }
        CHECK(memcmp(ours, theirs, 45) == 0);
    }
    what = "BLAKE2B-512";
    FAILS(EVP_DigestInit_ex2(md_ctx, md, params), PROV_R_INVALID_DIGEST_SIZE);
    size = 64;
    CHECK(EVP_DigestInit_ex2(md_ctx, md, params));
    EVP_MD_CTX_free(md_ctx); EVP_MD_free(md);
}

/* Contexts of several threads, and copies of one context. */
static EVP_CIPHER_CTX *common;

static void *thread(void *number) {
    EVP_CIPHER *gcm = EVP_CIPHER_fetch(library, "AES-256-GCM", "provider=algkit");
    unsigned char out[100], tag[16], own_iv[12], *expected = number;
    int n;
    memcpy(own_iv, iv, 12);
    for (int i = 0; i < 200; i++) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        if (i % 2) EVP_CIPHER_CTX_copy(ctx, common);
        else EVP_EncryptInit_ex(ctx, gcm, NULL, key, NULL);
        EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, own_iv);
        EVP_EncryptUpdate(ctx, out, &n, text, 100);
        EVP_EncryptFinal_ex(ctx, out, &n);
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
        EVP_CIPHER_CTX_free(ctx);
        if (memcmp(tag, expected, 16) != 0) break;
        if (i == 199) { EVP_CIPHER_free(gcm); return number; }
    }
    return NULL;
}

static void threads(void) {
    EVP_CIPHER *gcm = EVP_CIPHER_fetch(library, "AES-256-GCM", "provider=default");
    unsigned char expected[16];
    pthread_t ids[4];
    int n;
    what = "threads";
    common = EVP_CIPHER_CTX_new();
    CHECK(EVP_EncryptInit_ex(common, gcm, NULL, key, iv) && EVP_EncryptUpdate(common, ours, &n, text, 100));
    CHECK(EVP_EncryptFinal_ex(common, ours, &n) && EVP_CIPHER_CTX_ctrl(common, EVP_CTRL_AEAD_GET_TAG, 16, expected) > 0);
    EVP_CIPHER_free(gcm);
    gcm = EVP_CIPHER_fetch(library, "AES-256-GCM", "provider=algkit");
    CHECK(EVP_EncryptInit_ex(common, gcm, NULL, key, NULL));
    for (size_t i = 0; i < COUNT(ids); i++) CHECK(pthread_create(&ids[i], NULL, thread, expected) == 0);
    for (size_t i = 0; i < COUNT(ids); i++) {
        void *answer;
        CHECK(pthread_join(ids[i], &answer) == 0 && answer == expected);
    }
    EVP_CIPHER_CTX_free(common);
    EVP_CIPHER_free(gcm);
}

int main(int argc, char **argv) {
    quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    fill(text, MOST, 1);
    fill(key, sizeof key, 2);
    fill(iv, sizeof iv, 3);
    for (int round = 0; round < 2; round++) { /* loaded, unloaded, and loaded again */
        OSSL_PROVIDER *other, *mine;
        int ciphers = 0, digests = 0, macs = 0, kdfs = 0;
        library = OSSL_LIB_CTX_new();
        other = OSSL_PROVIDER_load(library, "default");
        mine = OSSL_PROVIDER_load(library, "algkit");
        CHECK(other && mine && OSSL_PROVIDER_self_test(mine));
        if (round == 0) {
            EVP_CIPHER_do_all_provided(library, each_cipher, &ciphers);
            EVP_MD_do_all_provided(library, each_digest, &digests);
            EVP_MAC_do_all_provided(library, each_mac, &macs);
#if OPENSSL_VERSION_PREREQ(3, 5)
            opaque_keys();
            pipelines("AES-128-CBC");
            pipelines("AES-256-ECB");
            pipelines("DES-EDE3-CBC");
            pipelines("CAMELLIA-256-CBC");
#endif
            EVP_KDF_do_all_provided(library, each_kdf, &kdfs);
            reasons();
            without_text();
            nulls();
            bounds();
            ignored();
            printf("%d ciphers, %d digests, %d MACs and %d KDFs as OpenSSL's own, ", ciphers, digests, macs, kdfs);
            what = "the tables";
            CHECK(ciphers >= 99 && digests >= 16 && macs == 4 && kdfs == 4);
        }
        threads();
        CHECK(OSSL_PROVIDER_unload(mine) && OSSL_PROVIDER_unload(other));
        OSSL_LIB_CTX_free(library);
    }
    printf("%d checks\n", checks);
    return 0;
}
