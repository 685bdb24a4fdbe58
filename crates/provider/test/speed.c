/* Measures the time of operations through EVP, with algkit and with OpenSSL's own code in turns. Prints the least time of each, and the
 * median of the ratios. usage: speed [ROUNDS [BYTES]]          (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_ROUNDS 1000

static unsigned char wide[1 << 19], buffer[16384 + 128], key[64], iv[16], tag[16], aad[13];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct subject { EVP_CIPHER_CTX *ctx; EVP_MAC_CTX *mac_ctx; EVP_MD_CTX *md_ctx; EVP_MD *md; int tls; };

/* A packet: sets the IV, adds associated data, encrypts the text, ends the message, gets the tag. */
static void packet(struct subject *s, int len) {
    int n;
    EVP_EncryptInit_ex(s->ctx, NULL, NULL, NULL, iv);
    EVP_EncryptUpdate(s->ctx, NULL, &n, aad, 13);
    EVP_EncryptUpdate(s->ctx, buffer, &n, buffer, len);
    EVP_EncryptFinal_ex(s->ctx, buffer, &n);
    EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

/* A message with its own key. */
static void keyed(struct subject *s, int len) {
    int n;
    EVP_EncryptInit_ex(s->ctx, NULL, NULL, key, iv);
    EVP_EncryptUpdate(s->ctx, buffer, &n, buffer, len);
    EVP_EncryptFinal_ex(s->ctx, buffer, &n);
}

/* A record of TLS 1.2. */
static void record(struct subject *s, int len) {
    int n;
    aad[11] = (unsigned char)((len + 8) >> 8);
    aad[12] = (unsigned char)(len + 8);
    EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad);
    EVP_CipherUpdate(s->ctx, buffer, &n, buffer, len + 24);
}

/* A record of TLS 1.2 in CBC mode with its MAC. */
static void mac_record(struct subject *s, int len) {
    int n, pad;
    aad[9] = aad[10] = 3;
    aad[11] = (unsigned char)((len + 16) >> 8);
    aad[12] = (unsigned char)(len + 16);
    pad = EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad);
    EVP_CipherUpdate(s->ctx, buffer, &n, buffer, len + 16 + pad);
}

/* Eight such records of one write. */
static void mac_records(struct subject *s, int len) {
    EVP_CTRL_TLS1_1_MULTIBLOCK_PARAM many = { NULL, aad, (size_t)len * 8, 8 };
    aad[9] = aad[10] = 3;
    aad[11] = aad[12] = 0;
    EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_TLS1_1_MULTIBLOCK_AAD, sizeof many, &many);
    many.out = wide;
    many.inp = wide + sizeof wide / 2;
    EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_TLS1_1_MULTIBLOCK_ENCRYPT, sizeof many, &many);
}

static void mac(struct subject *s, int len) {
    size_t n;
    EVP_MAC_init(s->mac_ctx, NULL, 0, NULL);
    EVP_MAC_update(s->mac_ctx, buffer, (size_t)len);
    EVP_MAC_final(s->mac_ctx, buffer, &n, 64);
}

static void text(struct subject *s, int len) {
    int n;
    EVP_EncryptInit_ex(s->ctx, NULL, NULL, NULL, iv);
    EVP_EncryptUpdate(s->ctx, buffer, &n, buffer, len);
}

static void digest(struct subject *s, int len) {
    EVP_DigestInit_ex(s->md_ctx, s->md, NULL);
    EVP_DigestUpdate(s->md_ctx, buffer, (size_t)len);
    EVP_DigestFinal_ex(s->md_ctx, buffer, NULL);
}

static const struct { const char *name; void (*operation)(struct subject *, int); const char *what; } rows[] = {
    { "AES-128-GCM", packet, "packet" }, { "AES-256-GCM", packet, "packet" }, { "AES-128-GCM", keyed, "new key" }, { "AES-128-GCM", record, "TLS 1.2" }, { "ChaCha20-Poly1305", packet, "packet" },
    { "AES-256-CTR", text, "text" }, { "AES-128-CBC", text, "text" },
    { "AES-256-CBC", text, "text" }, { "AES-256-XTS", text, "text" },
    { "AES-128-CBC-HMAC-SHA1", mac_record, "record" }, { "AES-128-CBC-HMAC-SHA256", mac_record, "record" },
    { "AES-256-CBC-HMAC-SHA256", mac_record, "record" }, { "AES-128-CBC-HMAC-SHA1", mac_records, "8 records" },
    { "AES-128-CBC-HMAC-SHA256", mac_records, "8 records" }, { "AES-256-CBC-HMAC-SHA256", mac_records, "8 records" },
    { "HMAC", mac, "SHA1" }, { "HMAC", mac, "SHA256" }, { "SHA2-256", digest, "digest" }, { "SHA2-512", digest, "digest" }, { "SHA3-256", digest, "digest" },
};
static const int sizes[] = { 16, 64, 256, 1024, 1350, 16384 };

static struct subject subject(int row, const char *properties) {
    struct subject s = { 0 };
    if (rows[row].operation == digest) {
        s.md = EVP_MD_fetch(NULL, rows[row].name, properties);
        s.md_ctx = EVP_MD_CTX_new();
        if (!s.md) exit(1);
        return s;
    }
    if (rows[row].operation == mac) {
        EVP_MAC *hmac = EVP_MAC_fetch(NULL, rows[row].name, properties);
        OSSL_PARAM params[2] = { OSSL_PARAM_construct_utf8_string("digest", (char *)rows[row].what, 0), OSSL_PARAM_construct_end() };
        s.mac_ctx = EVP_MAC_CTX_new(hmac);
        if (!EVP_MAC_init(s.mac_ctx, key, 32, params)) exit(1);
        EVP_MAC_free(hmac);
        return s;
    }
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, rows[row].name, properties);
    s.ctx = EVP_CIPHER_CTX_new();
    if (!cipher || !EVP_EncryptInit_ex(s.ctx, cipher, NULL, key, rows[row].operation == record ? NULL : iv)) exit(1);
    EVP_CIPHER_CTX_set_padding(s.ctx, 0);
    if (rows[row].operation == record) EVP_CIPHER_CTX_ctrl(s.ctx, EVP_CTRL_GCM_SET_IV_FIXED, 4, iv);
    if (rows[row].operation == mac_record || rows[row].operation == mac_records)
        if (EVP_CIPHER_CTX_ctrl(s.ctx, EVP_CTRL_AEAD_SET_MAC_KEY, 32, key) <= 0) exit(1);
    return s;
}

static int compare(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 50, only = argc > 2 ? atoi(argv[2]) : 0;
    static double ratios[MOST_ROUNDS];
    if (!OSSL_PROVIDER_load(NULL, "default") || !OSSL_PROVIDER_load(NULL, "algkit") || rounds < 1 || rounds > MOST_ROUNDS) return 1;
    for (int i = 0; i < 64; i++) key[i] = (unsigned char)i;
    printf("%-24s %-9s %6s %12s %12s %8s\n", "algorithm", "", "bytes", "OpenSSL ns", "algkit ns", "ratio");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        struct subject s[2];
        double best[2] = { 1e18, 1e18 };
        int count = 200000 / (sizes[z] / 4 + 60);
        if (only && sizes[z] != only) continue;
        if (rows[r].operation == mac_records && sizes[z] < 1024) continue; /* OpenSSL's refuses less than 4096 bytes */
        s[0] = subject((int)r, "provider=default");
        s[1] = subject((int)r, "provider=algkit");
        for (int round = 0; round < rounds; round++) {
            double took[2];
            for (int i = 0; i < 2; i++) {
                double start = now();
                for (int c = 0; c < count; c++) rows[r].operation(&s[i], sizes[z]);
                took[i] = (now() - start) / count;
                if (took[i] < best[i]) best[i] = took[i];
            }
            ratios[round] = took[0] / took[1];
        }
        qsort(ratios, (size_t)rounds, sizeof *ratios, compare);
        printf("%-24s %-9s %6d %12.1f %12.1f %8.2f\n", rows[r].name, rows[r].what, sizes[z], best[0], best[1], ratios[rounds / 2]);
        fflush(stdout);
        for (int i = 0; i < 2; i++) { EVP_CIPHER_CTX_free(s[i].ctx); EVP_MAC_CTX_free(s[i].mac_ctx); EVP_MD_CTX_free(s[i].md_ctx); EVP_MD_free(s[i].md); }
    }
    return 0;
}
