/*
 * A provider that wraps algkit.so (INNER) and counts the bytes that go through it: of texts through ciphers, and of messages through digests
 * and MACs. The two numbers are the first sixteen bytes of the file COUNTS, which all processes of a program share. With FREE it computes
 * nothing for texts of 4096 bytes and more. So a handshake succeeds, and the records after it cost everything but cryptography; nobody can
 * decrypt them.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS 100 /* algorithms */
#define ENTRIES 32 /* functions of one */

#ifndef FREE
#define FREE 0
#endif

static uint64_t *counts;
static OSSL_ALGORITHM algorithms[3][SLOTS + 1]; /* ciphers, digests, MACs */
static OSSL_FUNC_provider_query_operation_fn *query_inner;
static OSSL_FUNC_cipher_update_fn *update[SLOTS];
static OSSL_FUNC_cipher_cipher_fn *cipher[SLOTS];
static OSSL_FUNC_cipher_set_ctx_params_fn *set[SLOTS];
static OSSL_FUNC_cipher_get_ctx_params_fn *get[SLOTS];
static OSSL_FUNC_digest_update_fn *digest[SLOTS];
static OSSL_FUNC_mac_update_fn *mac[SLOTS];

static void count(int kind, size_t bytes)
{
    __atomic_fetch_add(&counts[kind], bytes, __ATOMIC_RELAXED);
}

/* The output of CBC is longer by the padding of a record; for AES-CBC-HMAC, the source has room for it. */
static int skip(int n, size_t *len, size_t size)
{
    const char *names = algorithms[0][n].algorithm_names;
    int free = FREE && size >= 4096;

    if (free && len)
        *len = strstr(names, "CBC") && !strstr(names, "CBC-HMAC") ? (size / 16 + 1) * 16 : size;
    return free;
}

/* Several records of AES-CBC-HMAC at once are requested by a parameter. Returns whether they are skipped. */
static int records(const OSSL_PARAM params[])
{
    for (; params && params->key; params++)
        if (strcmp(params->key, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN) == 0) {
            count(0, params->data_size);
            return FREE;
        }
    return 0;
}

/* The length of skipped records is the one that was reported before. */
static void announced(OSSL_PARAM params[])
{
    for (; FREE && params->key; params++)
        if (strcmp(params->key, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN) == 0)
            params->key = OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN;
}

/* Associated data has no output. */
#define COUNTING(n)                                                                                                    \
    static int update_##n(void *c, unsigned char *out, size_t *len, size_t room, const unsigned char *in, size_t size) \
    {                                                                                                                  \
        if (out)                                                                                                       \
            count(0, size);                                                                                            \
        if (out && skip(n, len, size))                                                                                 \
            return 1;                                                                                                  \
        return update[n](c, out, len, room, in, size);                                                                 \
    }                                                                                                                  \
    static int cipher_##n(void *c, unsigned char *out, size_t *len, size_t room, const unsigned char *in, size_t size) \
    {                                                                                                                  \
        if (out)                                                                                                       \
            count(0, size);                                                                                            \
        if (out && skip(n, len, size))                                                                                 \
            return 1;                                                                                                  \
        return cipher[n](c, out, len, room, in, size);                                                                 \
    }                                                                                                                  \
    static int digest_##n(void *c, const unsigned char *in, size_t size)                                               \
    {                                                                                                                  \
        count(1, size);                                                                                                \
        if (skip(0, NULL, size))                                                                                       \
            return 1;                                                                                                  \
        return digest[n](c, in, size);                                                                                 \
    }                                                                                                                  \
    static int mac_##n(void *c, const unsigned char *in, size_t size)                                                  \
    {                                                                                                                  \
        count(1, size);                                                                                                \
        return skip(0, NULL, size) || mac[n](c, in, size);                                                             \
    }                                                                                                                  \
    static int set_##n(void *c, const OSSL_PARAM params[])                                                             \
    {                                                                                                                  \
        return records(params) || set[n](c, params);                                                                   \
    }                                                                                                                  \
    static int get_##n(void *c, OSSL_PARAM params[])                                                                   \
    {                                                                                                                  \
        announced(params);                                                                                             \
        return get[n](c, params);                                                                                      \
    }
#define TEN(m, t) m(t##0) m(t##1) m(t##2) m(t##3) m(t##4) m(t##5) m(t##6) m(t##7) m(t##8) m(t##9)
#define ALL(m) TEN(m, ) TEN(m, 1) TEN(m, 2) TEN(m, 3) TEN(m, 4) TEN(m, 5) TEN(m, 6) TEN(m, 7) TEN(m, 8) TEN(m, 9)
ALL(COUNTING)

#define UPDATE(n) update_##n,
#define CIPHER(n) cipher_##n,
#define DIGEST(n) digest_##n,
#define MAC(n) mac_##n,
#define SET(n) set_##n,
#define GET(n) get_##n,
static OSSL_FUNC_cipher_update_fn *const update_of[] = { ALL(UPDATE) };
static OSSL_FUNC_cipher_cipher_fn *const cipher_of[] = { ALL(CIPHER) };
static OSSL_FUNC_digest_update_fn *const digest_of[] = { ALL(DIGEST) };
static OSSL_FUNC_mac_update_fn *const mac_of[] = { ALL(MAC) };
static OSSL_FUNC_cipher_set_ctx_params_fn *const set_of[] = { ALL(SET) };
static OSSL_FUNC_cipher_get_ctx_params_fn *const get_of[] = { ALL(GET) };

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache)
{
    const OSSL_ALGORITHM *inner = query_inner(provider, operation, no_cache);

    if (!inner)
        return NULL;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return algorithms[0];
    case OSSL_OP_DIGEST:
        return algorithms[1];
    case OSSL_OP_MAC:
        return algorithms[2];
    default:
        return inner;
    }
}

/* Copies algorithms, and replaces some functions by ones that count. */
static void copy(int kind, const OSSL_ALGORITHM *inner)
{
    static OSSL_DISPATCH functions[3][SLOTS][ENTRIES];
    int n, i;

    for (n = 0; n < SLOTS && inner->algorithm_names; n++, inner++) {
        OSSL_DISPATCH *to = functions[kind][n];

        algorithms[kind][n] = *inner;
        algorithms[kind][n].implementation = to;
        for (i = 0; i < ENTRIES - 1 && inner->implementation[i].function_id; i++) {
            to[i] = inner->implementation[i];
            if (kind == 0 && to[i].function_id == OSSL_FUNC_CIPHER_UPDATE) {
                update[n] = OSSL_FUNC_cipher_update(&to[i]);
                to[i].function = (void (*)(void))update_of[n];
            } else if (kind == 0 && to[i].function_id == OSSL_FUNC_CIPHER_CIPHER) {
                cipher[n] = OSSL_FUNC_cipher_cipher(&to[i]);
                to[i].function = (void (*)(void))cipher_of[n];
            } else if (kind == 0 && to[i].function_id == OSSL_FUNC_CIPHER_SET_CTX_PARAMS) {
                set[n] = OSSL_FUNC_cipher_set_ctx_params(&to[i]);
                to[i].function = (void (*)(void))set_of[n];
            } else if (kind == 0 && to[i].function_id == OSSL_FUNC_CIPHER_GET_CTX_PARAMS) {
                get[n] = OSSL_FUNC_cipher_get_ctx_params(&to[i]);
                to[i].function = (void (*)(void))get_of[n];
            } else if (kind == 2 && to[i].function_id == OSSL_FUNC_MAC_UPDATE) {
                mac[n] = OSSL_FUNC_mac_update(&to[i]);
                to[i].function = (void (*)(void))mac_of[n];
            } else if (kind == 1 && to[i].function_id == OSSL_FUNC_DIGEST_UPDATE) {
                digest[n] = OSSL_FUNC_digest_update(&to[i]);
                to[i].function = (void (*)(void))digest_of[n];
            }
        }
    }
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **provider)
{
    static OSSL_DISPATCH own[ENTRIES];
    const OSSL_DISPATCH *inner;
    OSSL_provider_init_fn *init;
    int file = open(COUNTS, O_RDWR), no_cache, i;
    void *library = dlopen(INNER, RTLD_NOW | RTLD_LOCAL), *memory;

    if (file < 0 || !library)
        return 0;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    *(void **)&init = dlsym(library, "OSSL_provider_init");
    if (memory == MAP_FAILED || !init || !init(handle, in, &inner, provider))
        return 0;
    counts = memory;
    for (i = 0; i < ENTRIES - 1 && inner[i].function_id; i++) {
        own[i] = inner[i];
        if (own[i].function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION) {
            query_inner = OSSL_FUNC_provider_query_operation(&own[i]);
            own[i].function = (void (*)(void))query;
        }
    }
    copy(0, query_inner(*provider, OSSL_OP_CIPHER, &no_cache));
    copy(1, query_inner(*provider, OSSL_OP_DIGEST, &no_cache));
    copy(2, query_inner(*provider, OSSL_OP_MAC, &no_cache));
    *out = own;
    return 1;
}
