/* Runs the tests that examples/vectors.rs prints through EVP with the provider algkit. usage: vectors <LINES */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 70000

struct bytes { unsigned char at[MOST]; size_t len; };
enum { KEY, IV, ASSOC, TEXT, SEALED, TAG, FIELDS };
static struct bytes field[FIELDS];
static unsigned char out[MOST + 64], tag[64];

static void read_hex(struct bytes *to, const char *hex) {
    to->len = 0;
    if (strcmp(hex, "-") == 0) return;
    for (; hex[0] && hex[1] && to->len < MOST; hex += 2) {
        unsigned byte;
        sscanf(hex, "%2x", &byte);
        to->at[to->len++] = (unsigned char)byte;
    }
}

/* Processes a message in either direction; returns whether the result is the expected one. */
static int cipher(const char *name, int aead, int encrypt) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=algkit");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const struct bytes *from = &field[encrypt ? TEXT : SEALED], *to = &field[encrypt ? SEALED : TEXT];
    int n = 0, m = 0, ccm, ok = cipher != NULL;
    ccm = ok && EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    ok = ok && (size_t)EVP_CIPHER_get_key_length(cipher) == field[KEY].len && EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, encrypt);
    ok = ok && (aead ? EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)field[IV].len, NULL) > 0 : field[IV].len == 0 || (size_t)EVP_CIPHER_get_iv_length(cipher) == field[IV].len);
    if (aead && (ccm || !encrypt)) ok = ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)field[TAG].len, encrypt ? NULL : field[TAG].at) > 0;
    ok = ok && EVP_CipherInit_ex(ctx, NULL, NULL, field[KEY].at, field[IV].len ? field[IV].at : NULL, encrypt);
    if (ccm) ok = ok && EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)from->len);
    if (field[ASSOC].len) ok = ok && EVP_CipherUpdate(ctx, NULL, &n, field[ASSOC].at, (int)field[ASSOC].len);
    n = 0;
    if (from->len || ccm) ok = ok && EVP_CipherUpdate(ctx, out, &n, from->at, (int)from->len);
    ok = ok && EVP_CipherFinal_ex(ctx, out + n, &m);
    ok = ok && (size_t)(n + m) == to->len && memcmp(out, to->at, to->len) == 0;
    if (aead && encrypt) ok = ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)field[TAG].len, tag) > 0 && memcmp(tag, field[TAG].at, field[TAG].len) == 0;
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return ok;
}

static int mac(const char *name) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, name, "provider=algkit");
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    OSSL_PARAM params[3], *p = params;
    size_t len;
    int ok;
    field[ASSOC].at[field[ASSOC].len] = 0;
    *p++ = OSSL_PARAM_construct_utf8_string(strcmp(name, "HMAC") == 0 ? OSSL_MAC_PARAM_DIGEST : OSSL_MAC_PARAM_CIPHER, (char *)field[ASSOC].at, 0);
    if (strcmp(name, "GMAC") == 0) *p++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, field[IV].at, field[IV].len);
    *p = OSSL_PARAM_construct_end();
    ok = EVP_MAC_init(ctx, field[KEY].at, field[KEY].len, params) && EVP_MAC_update(ctx, field[TEXT].at, field[TEXT].len);
    /* A truncated tag is the beginning of the whole tag. */
    ok = ok && EVP_MAC_final(ctx, tag, &len, sizeof tag) && len >= field[TAG].len && memcmp(tag, field[TAG].at, field[TAG].len) == 0;
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return ok;
}

int main(void) {
    static char line[8 * MOST];
    int counts[128] = { 0 }, failed = 0;
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "algkit");
    if (!provider) return 1;
    while (fgets(line, sizeof line, stdin)) {
        const char *kind = strtok(line, " "), *name = strtok(NULL, " "), *result = strtok(NULL, " ");
        int ok;
        for (int i = 0; i < FIELDS; i++) read_hex(&field[i], strtok(NULL, " \n"));
        if (*kind == 'm') ok = mac(name);
        else ok = cipher(name, *kind == 'a', 0);
        if (*kind != 'm' && strcmp(result, "Valid") == 0) ok = ok && cipher(name, *kind == 'a', 1);
        if ((strcmp(result, "Valid") == 0 && !ok) || (strcmp(result, "Invalid") == 0 && ok)) {
            fprintf(stderr, "%s %s, test %d: %s, but %s\n", kind, name, counts[(int)*kind], result, ok ? "accepted" : "refused");
            failed++;
        }
        counts[(int)*kind]++;
    }
    printf("%d AEAD messages, %d texts and %d MACs of Wycheproof, %d wrong\n", counts['a'], counts['c'], counts['m'], failed);
    OSSL_PROVIDER_unload(provider);
    return failed || !counts['a'] || !counts['c'] || !counts['m'];
}
