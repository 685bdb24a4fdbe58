/* Tests the random number generators of algkit: compared with OpenSSL's own with the same entropy, their states and limits, after a
 * fork, and in threads. usage: rand          (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define MOST 200000

static OSSL_LIB_CTX *library;
static const char *what = "";
static int checks;

static void fail(const char *text, int line) {
    fprintf(stderr, "rand.c:%d: %s: %s\n", line, what, text);
    ERR_print_errors_fp(stderr);
    exit(1);
}
#define CHECK(condition) do { checks++; if (!(condition)) fail(#condition, __LINE__); } while (0)

static const struct { const char *name, *parameter, *value; unsigned strength; } kinds[] = {
    { "CTR-DRBG", "cipher", "AES-128-CTR", 128 }, { "CTR-DRBG", "cipher", "AES-192-CTR", 192 }, { "CTR-DRBG", "cipher", "AES-256-CTR", 256 },
    { "HASH-DRBG", "digest", "SHA1", 128 }, { "HASH-DRBG", "digest", "SHA2-256", 256 }, { "HASH-DRBG", "digest", "SHA-384", 256 },
    { "HASH-DRBG", "digest", "SHA512", 256 }, { "HMAC-DRBG", "digest", "SHA1", 128 }, { "HMAC-DRBG", "digest", "SHA256", 256 },
    { "HMAC-DRBG", "digest", "SHA2-384", 256 }, { "HMAC-DRBG", "digest", "SHA2-512", 256 },
};

static EVP_RAND_CTX *context(const char *name, const char *properties, EVP_RAND_CTX *parent) {
    EVP_RAND *rand = EVP_RAND_fetch(library, name, properties);
    EVP_RAND_CTX *ctx = EVP_RAND_CTX_new(rand, parent);
    CHECK(ctx);
    EVP_RAND_free(rand);
    return ctx;
}

/* A generator that reseeds before the request with this number, or never if it is 0. */
static EVP_RAND_CTX *generator(size_t kind, const char *properties, EVP_RAND_CTX *parent, unsigned requests) {
    EVP_RAND_CTX *ctx = context(kinds[kind].name, properties, parent);
    time_t never = 0;
    OSSL_PARAM params[5] = {
        OSSL_PARAM_construct_utf8_string(kinds[kind].parameter, (char *)kinds[kind].value, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_MAC, "HMAC", 0),
        OSSL_PARAM_construct_uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, &requests),
        OSSL_PARAM_construct_time_t(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, &never), OSSL_PARAM_construct_end()
    };
    CHECK(EVP_RAND_CTX_set_params(ctx, params));
    return ctx;
}

/* A parent that always returns the same entropy. */
static void supply(EVP_RAND_CTX *parent, unsigned char *entropy, size_t len) {
    static unsigned char nonce[24] = "a nonce of the parent";
    unsigned strength = 256;
    OSSL_PARAM params[4] = {
        OSSL_PARAM_construct_uint(OSSL_RAND_PARAM_STRENGTH, &strength), OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_ENTROPY, entropy, len),
        OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_NONCE, nonce, sizeof nonce), OSSL_PARAM_construct_end()
    };
    CHECK(EVP_RAND_CTX_set_params(parent, params) && EVP_RAND_instantiate(parent, 256, 0, NULL, 0, NULL));
}

static unsigned seeds(EVP_RAND_CTX *ctx) {
    unsigned number = 0;
    OSSL_PARAM params[2] = { OSSL_PARAM_construct_uint(OSSL_DRBG_PARAM_RESEED_COUNTER, &number), OSSL_PARAM_construct_end() };
    CHECK(EVP_RAND_CTX_get_params(ctx, params));
    return number;
}

/* With the same entropy, both providers make the same bytes for all requests, and reseed before the same requests. */
static void beside_openssl(size_t kind) {
    static unsigned char entropy[64] = "entropy of the parent, as many bytes as any of them asks for", bytes[2][MOST], more[70];
    static const size_t lens[] = { 1, 16, 100, 65535, 65536, 65537, MOST, 32, 0 };
    static const char *providers[] = { "provider=default", "provider=algkit" };
    EVP_RAND_CTX *parent[2], *ctx[2];
    for (int i = 0; i < 2; i++) {
        parent[i] = context("TEST-RAND", "provider=default", NULL);
        supply(parent[i], entropy, sizeof entropy);
        ctx[i] = generator(kind, providers[i], parent[i], 5);
        CHECK(EVP_RAND_get_strength(ctx[i]) == kinds[kind].strength);
        CHECK(EVP_RAND_instantiate(ctx[i], kinds[kind].strength, 0, (unsigned char *)"person", 6, NULL));
    }
    for (unsigned round = 0; round < 40; round++) {
        size_t len = lens[round % COUNT(lens)], extra = round % 3 ? 0 : round;
        memset(more, (int)round, sizeof more);
        entropy[0] = (unsigned char)round;
        for (int i = 0; i < 2; i++) {
            OSSL_PARAM params[2] = { OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_ENTROPY, entropy, sizeof entropy), OSSL_PARAM_construct_end() };
            CHECK(EVP_RAND_CTX_set_params(parent[i], params));
            if (round % 11 == 10) CHECK(EVP_RAND_reseed(ctx[i], 0, NULL, 0, more, extra));
            CHECK(EVP_RAND_generate(ctx[i], bytes[i], len, 0, round % 7 == 6, extra ? more : NULL, extra));
        }
        CHECK(memcmp(bytes[0], bytes[1], len) == 0);
    }
    for (int i = 0; i < 2; i++) {
        EVP_RAND_CTX_free(ctx[i]);
        EVP_RAND_CTX_free(parent[i]);
    }
}

static void states(size_t kind) {
    unsigned char bytes[2][64], entropy[64] = "entropy";
    EVP_RAND_CTX *parent = context("TEST-RAND", "provider=default", NULL), *ctx;
    size_t most = 0;
    OSSL_PARAM asked[2] = { OSSL_PARAM_construct_size_t(OSSL_RAND_PARAM_MAX_REQUEST, &most), OSSL_PARAM_construct_end() };
    unsigned first;
    supply(parent, entropy, 0); /* gives nothing */
    ctx = generator(kind, "provider=algkit", parent, 0);
    CHECK(EVP_RAND_CTX_get_params(ctx, asked) && most == 65536);
    CHECK(EVP_RAND_get_state(ctx) == EVP_RAND_STATE_UNINITIALISED && !EVP_RAND_generate(ctx, bytes[0], 1, 0, 0, NULL, 0));
    CHECK(!EVP_RAND_instantiate(ctx, 0, 0, NULL, 0, NULL) && EVP_RAND_get_state(ctx) == EVP_RAND_STATE_ERROR);
    memset(bytes, 0, sizeof bytes);
    CHECK(!EVP_RAND_generate(ctx, bytes[0], 64, 0, 0, NULL, 0) && !memcmp(bytes[0], bytes[1], 64));
    supply(parent, entropy, sizeof entropy); /* there is entropy again */
    CHECK(EVP_RAND_generate(ctx, bytes[0], 64, 0, 0, NULL, 0) && EVP_RAND_get_state(ctx) == EVP_RAND_STATE_READY);
    CHECK(!EVP_RAND_instantiate(ctx, 0, 0, NULL, 0, NULL)); /* it is already */
    CHECK(!EVP_RAND_generate(ctx, bytes[0], 1, 512, 0, NULL, 0)); /* of more strength than there is */
    CHECK(EVP_RAND_uninstantiate(ctx) && EVP_RAND_verify_zeroization(ctx) && !EVP_RAND_generate(ctx, bytes[0], 1, 0, 0, NULL, 0));
    CHECK(!EVP_RAND_instantiate(ctx, 512, 0, NULL, 0, NULL) && EVP_RAND_instantiate(ctx, kinds[kind].strength, 1, NULL, 0, NULL));
    first = seeds(ctx);
    CHECK(EVP_RAND_generate(ctx, bytes[0], 64, 0, 0, NULL, 0) && seeds(ctx) == first);
    CHECK(EVP_RAND_generate(ctx, bytes[0], 64, 0, 1, NULL, 0) && seeds(ctx) == first + 1);
    CHECK(EVP_RAND_reseed(ctx, 0, entropy, sizeof entropy, NULL, 0) && seeds(ctx) == first + 2);
    EVP_RAND_CTX_free(ctx);
    EVP_RAND_CTX_free(parent);
    ERR_clear_error();
}

/* Mechanisms that algkit does not have are refused. */
static void refused(void) {
    EVP_RAND_CTX *ctx = context("CTR-DRBG", "provider=algkit", NULL);
    int no = 0;
    OSSL_PARAM params[2] = { OSSL_PARAM_construct_int(OSSL_DRBG_PARAM_USE_DF, &no), OSSL_PARAM_construct_end() };
    CHECK(!EVP_RAND_instantiate(ctx, 0, 0, NULL, 0, NULL)); /* no cipher */
    CHECK(!EVP_RAND_CTX_set_params(ctx, params));
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_CIPHER, "CAMELLIA-128-CTR", 0);
    CHECK(!EVP_RAND_CTX_set_params(ctx, params));
    EVP_RAND_CTX_free(ctx);
    ctx = context("HMAC-DRBG", "provider=algkit", NULL);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_DIGEST, "SHA2-224", 0);
    CHECK(!EVP_RAND_CTX_set_params(ctx, params));
    EVP_RAND_CTX_free(ctx);
    for (int i = 0; i < 2; i++) { /* 256 bits of a parent that has 128 */
        EVP_RAND_CTX *weak = generator(0, i ? "provider=algkit" : "provider=default", NULL, 0);
        CHECK(EVP_RAND_instantiate(weak, 128, 0, NULL, 0, NULL));
        ctx = generator(2, "provider=algkit", weak, 0);
        CHECK(!EVP_RAND_instantiate(ctx, 0, 0, NULL, 0, NULL));
        EVP_RAND_CTX_free(ctx);
        EVP_RAND_CTX_free(weak);
    }
    ERR_clear_error();
}

/* When a parent reseeds, its child reseeds too, whichever provider each of them is of. */
static void trees(const char *above, const char *below) {
    unsigned char bytes[2][32];
    EVP_RAND_CTX *primary = generator(2, above, NULL, 0), *ctx;
    unsigned first;
    CHECK(EVP_RAND_instantiate(primary, 256, 0, NULL, 0, NULL) && EVP_RAND_enable_locking(primary));
    ctx = generator(4, below, primary, 0);
    CHECK(EVP_RAND_enable_locking(ctx) && EVP_RAND_instantiate(ctx, 256, 0, NULL, 0, NULL));
    CHECK(EVP_RAND_generate(ctx, bytes[0], 32, 0, 0, NULL, 0)); /* OpenSSL's takes a new seed here */
    first = seeds(ctx);
    CHECK(EVP_RAND_generate(ctx, bytes[1], 32, 0, 0, NULL, 0) && seeds(ctx) == first && memcmp(bytes[0], bytes[1], 32));
    CHECK(EVP_RAND_reseed(primary, 0, NULL, 0, NULL, 0));
    CHECK(EVP_RAND_generate(ctx, bytes[1], 32, 0, 0, NULL, 0) && seeds(ctx) != first && memcmp(bytes[0], bytes[1], 32));
    EVP_RAND_CTX_free(ctx);
    EVP_RAND_CTX_free(primary);
}

/* After a fork, both processes reseed, with and without a parent. */
static void forks(EVP_RAND_CTX *ctx, int has_parent) {
    unsigned char here[32], there[32];
    int ends[2], status;
    unsigned first = seeds(ctx);
    pid_t child;
    CHECK(EVP_RAND_generate(ctx, here, 32, 0, 0, NULL, 0) && pipe(ends) == 0);
    CHECK((child = fork()) >= 0);
    if (!child) {
        int ok = EVP_RAND_generate(ctx, there, 32, 0, 0, NULL, 0) && write(ends[1], there, 32) == 32;
        _exit(ok && (!has_parent || seeds(ctx) > first) ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(read(ends[0], there, 32) == 32 && EVP_RAND_generate(ctx, here, 32, 0, 0, NULL, 0) && memcmp(here, there, 32));
    close(ends[0]);
    close(ends[1]);
}

#define THREADS 4
#define BLOCKS 500
static unsigned char drawn[2 * THREADS * BLOCKS][16];
static EVP_RAND_CTX *common;

/* Draws from a generator that all threads share, and from the thread's own. */
static void *thread(void *number) {
    size_t first = (size_t)number * 2 * BLOCKS;
    for (size_t i = first; i < first + BLOCKS; i++)
        if (!EVP_RAND_generate(common, drawn[i], 16, 0, i % 10 == 0, NULL, 0) || RAND_bytes_ex(library, drawn[BLOCKS + i], 16, 0) != 1) return NULL;
    OPENSSL_thread_stop_ex(library);
    return drawn;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, 16); }

static void threads(void) {
    pthread_t ids[THREADS];
    what = "threads";
    common = RAND_get0_primary(library);
    CHECK(common && strcmp(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(common))), "algkit") == 0);
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&ids[i], NULL, thread, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *answer;
        CHECK(pthread_join(ids[i], &answer) == 0 && answer == drawn);
    }
    qsort(drawn, COUNT(drawn), 16, compare);
    for (size_t i = 1; i < COUNT(drawn); i++) CHECK(memcmp(drawn[i - 1], drawn[i], 16) != 0);
}

int main(void) {
    OSSL_PROVIDER *other, *mine;
    EVP_RAND_CTX *alone;
    library = OSSL_LIB_CTX_new();
    other = OSSL_PROVIDER_load(library, "default");
    mine = OSSL_PROVIDER_load(library, "algkit");
    CHECK(other && mine);
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        what = kinds[kind].value;
        beside_openssl(kind);
        states(kind);
    }
    what = "refused";
    refused();
    what = "trees";
    trees("provider=algkit", "provider=algkit");
    trees("provider=algkit", "provider=default");
    trees("provider=default", "provider=algkit");
    what = "fork";
    alone = generator(2, "provider=algkit", NULL, 0);
    CHECK(EVP_RAND_instantiate(alone, 256, 0, NULL, 0, NULL));
    forks(alone, 0);
    EVP_RAND_CTX_free(alone);
    CHECK(EVP_set_default_properties(library, "?provider=algkit"));
    forks(RAND_get0_public(library), 1);
    threads();
    OPENSSL_thread_stop_ex(library);
    CHECK(OSSL_PROVIDER_unload(mine) && OSSL_PROVIDER_unload(other));
    OSSL_LIB_CTX_free(library);
    printf("random number generators: %d checks\n", checks);
    return 0;
}
