/* Checks that an operation through EVP allocates nothing after the first of its kind, and leaves nothing to be freed when a thread ends.
 * usage: frugal          (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>

static size_t allocations, destructors;

/* These functions replace those of the C library. */
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
void *malloc(size_t len) { allocations++; return __libc_malloc(len); }
void *calloc(size_t count, size_t len) { allocations++; return __libc_calloc(count, len); }
void *realloc(void *old, size_t len) { allocations++; return __libc_realloc(old, len); }
int posix_memalign(void **out, size_t align, size_t len) { allocations++; return !(*out = __libc_memalign(align, len)); }
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) {
    (void)destroy; (void)object; (void)library;
    destructors++;
    return 0;
}

static unsigned char buffer[20000], key[64], iv[16], tag[16];
static EVP_CIPHER_CTX *ctx;
static EVP_MD_CTX *md_ctx;
static EVP_MAC_CTX *mac_ctx;
static EVP_MD *md;

static int message(const unsigned char *new_key, int len, int part) {
    int n;
    if (!EVP_EncryptInit_ex(ctx, NULL, NULL, new_key, iv)) return 0;
    for (int done = 0; done < len; done += part)
        if (!EVP_EncryptUpdate(ctx, buffer + done, &n, buffer + done, part < len - done ? part : len - done)) return 0;
    return EVP_EncryptFinal_ex(ctx, buffer, &n);
}

static int packet(void) {
    int n, ok = EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, iv) && EVP_EncryptUpdate(ctx, NULL, &n, key, 13);
    ok = ok && EVP_EncryptUpdate(ctx, buffer, &n, buffer, 100) && EVP_EncryptFinal_ex(ctx, tag, &n);
    return ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0;
}
static int whole(void) { return message(NULL, 16000, 16000); }
static int in_parts(void) { return message(NULL, 16000, 1600); }
static int another_key(void) { return message(key, 16, 16); }
static int digest(void) { return EVP_DigestInit_ex2(md_ctx, NULL, NULL) && EVP_DigestUpdate(md_ctx, buffer, 1000) && EVP_DigestFinal_ex(md_ctx, buffer, NULL); }
static int mac(void) {
    size_t n;
    return EVP_MAC_init(mac_ctx, NULL, 0, NULL) && EVP_MAC_update(mac_ctx, buffer, 1000) && EVP_MAC_final(mac_ctx, buffer, &n, 64);
}

static void check(const char *name, const char *what, int (*operation)(void)) {
    size_t before;
    for (int i = 0; i < 2; i++) if (!operation()) { fprintf(stderr, "frugal: %s, %s: it fails\n", name, what); exit(1); }
    before = allocations;
    for (int i = 0; i < 10; i++) operation();
    if (allocations == before) return;
    fprintf(stderr, "frugal: %s, %s: %zu allocations in 10 operations\n", name, what, allocations - before);
    exit(1);
}

int main(void) {
    static const char *const ciphers[] = { "AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305", "AES-256-CTR", "AES-128-CBC", "AES-256-XTS" };
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "algkit");
    OSSL_PARAM params[2] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end() };
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", "provider=algkit");
    for (int i = 0; i < 64; i++) key[i] = (unsigned char)i;
    if (!provider || !hmac || allocations == 0) return 1; /* libcrypto has allocated, which shows that we count */
    for (size_t i = 0; i < sizeof ciphers / sizeof *ciphers; i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, ciphers[i], "provider=algkit");
        ctx = EVP_CIPHER_CTX_new();
        if (!cipher || !EVP_EncryptInit_ex(ctx, cipher, NULL, key, iv)) return 1;
        EVP_CIPHER_CTX_set_padding(ctx, 0);
        check(ciphers[i], "whole", whole);
        if (EVP_CIPHER_get_mode(cipher) != EVP_CIPH_XTS_MODE) check(ciphers[i], "in parts", in_parts);
        check(ciphers[i], "another key", another_key);
        if (i < 3) check(ciphers[i], "packet", packet);
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_free(cipher);
    }
    md = EVP_MD_fetch(NULL, "SHA256", "provider=algkit");
    md_ctx = EVP_MD_CTX_new();
    mac_ctx = EVP_MAC_CTX_new(hmac);
    if (!md || !EVP_DigestInit_ex2(md_ctx, md, NULL) || !EVP_MAC_init(mac_ctx, key, 32, params)) return 1;
#if OPENSSL_VERSION_PREREQ(3, 5) /* before, libcrypto makes a context for each message */
    check("SHA256", "digest", digest);
#else
    if (!digest()) return 1;
#endif
    check("HMAC", "message", mac);
    EVP_MD_CTX_free(md_ctx);
    EVP_MAC_CTX_free(mac_ctx);
    EVP_MD_free(md);
    EVP_MAC_free(hmac);
    OSSL_PROVIDER_unload(provider);
    if (destructors > 0) { fprintf(stderr, "frugal: %zu destructors of a thread's data\n", destructors); return 1; }
    puts("an operation allocates nothing");
    return 0;
}
