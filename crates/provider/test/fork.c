/* The child of a fork can use the provider, whatever other threads of its parent did at that moment: while they use algorithms for the first
 * time, and so look up drivers, or generate random bytes, a thread forks again and again. usage: fork
 * (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 20, MOST = 100, CHILDREN = 200 };

static EVP_CIPHER *ciphers[MOST];
static int count, forks;
static atomic_int running = THREADS;
static const unsigned char key[64] = "a key whose halves are not the same";

static void collect(EVP_CIPHER *cipher, void *unused) {
    (void)unused;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "algkit") == 0 && count < MOST && EVP_CIPHER_up_ref(cipher)) ciphers[count++] = cipher;
}

static int uses(const EVP_CIPHER *cipher, const unsigned char *with) {
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int done;
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    done = EVP_EncryptInit_ex(ctx, cipher, NULL, with, NULL);
    EVP_CIPHER_CTX_free(ctx);
    return done;
}

static void *thread(void *unused) {
    for (int i = 0; i < count; i++) uses(ciphers[i], key);
    running--;
    return unused;
}

/* A process in which nothing was used yet. Returns whether a child of it has failed. */
static int process(void) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    pthread_t ids[THREADS];
    EVP_CIPHER *gcm;
    int failed = 0;
    if (!OSSL_PROVIDER_load(library, "algkit") || !(gcm = EVP_CIPHER_fetch(library, "AES-256-GCM", NULL))) return 1;
    /* What libcrypto itself initializes under its locks, before the threads. */
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    if (!uses(gcm, NULL)) return 1;
    EVP_CIPHER_do_all_provided(library, collect, NULL);
    for (int i = 0; i < THREADS; i++) if (pthread_create(&ids[i], NULL, thread, NULL) != 0) return 1;
    while (running > 0 && !failed) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(!uses(gcm, key));
        }
        failed = child < 0 || waitpid(child, &status, 0) != child || status != 0;
        forks++;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
    printf("%d ciphers, %d children\n", count, forks);
    return failed || count < 99 || forks == 0;
}

/* RAND_bytes takes locks of libcrypto, which a fork does not wait for. So threads and children call the generators themselves. */
static EVP_RAND_CTX *primary, *public;

static int generates(EVP_RAND_CTX *generator, unsigned char out[32]) { return EVP_RAND_generate(generator, out, 32, 256, 0, NULL, 0); }

static void *reseeds(void *unused) {
    unsigned char out[32];
    while (running > 0 && EVP_RAND_reseed(primary, 0, NULL, 0, NULL, 0) && generates(primary, out));
    return running > 0 ? primary : unused;
}

/* For the provider, each child has its parent's process number, as the first processes of PID namespaces have. */
pid_t getpid(void) { return 1; }

/* Whether a child that continues its parent's generator repeats its parent's bytes, or cannot continue. */
static int repeats(void) {
    unsigned char ours[32], theirs[32];
    int ends[2], status;
    if (pipe(ends) != 0) return 1;
    pid_t child = fork();
    int made = generates(public, ours);
    if (child == 0) _exit(!made || write(ends[1], ours, sizeof ours) != sizeof ours);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !made) return 1;
    return read(ends[0], theirs, sizeof theirs) != sizeof theirs || memcmp(ours, theirs, sizeof ours) == 0;
}

/* A process whose threads reseed the generator from which all others take entropy. Returns whether a child has failed. */
static int generators(void) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    pthread_t ids[THREADS];
    unsigned char out[32];
    void *failure;
    int failed = 0;
    if (!OSSL_PROVIDER_load(library, "algkit") || !OSSL_PROVIDER_load(library, "default")) return 1;
    if (!RAND_set_DRBG_type(library, "CTR-DRBG", "provider=algkit", "AES-256-CTR", NULL)) return 1;
    if (!(primary = RAND_get0_primary(library)) || !(public = RAND_get0_public(library)) || !generates(public, out)) return 1;
    if (repeats()) return 1;
    for (int i = 0; i < THREADS; i++) if (pthread_create(&ids[i], NULL, reseeds, NULL) != 0) return 1;
    for (forks = 0; forks < CHILDREN && !failed; forks++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(!generates(public, out));
        }
        failed = child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    running = 0;
    for (int i = 0; i < THREADS; i++) failed |= pthread_join(ids[i], &failure) != 0 || failure != NULL;
    return failed;
}

int main(void) {
    for (int round = 0; round <= ROUNDS; round++) {
        int status;
        pid_t child = fork();
        if (child == 0) return round < ROUNDS ? process() : generators();
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "fork: a child does not end, cannot use the provider, or repeats random bytes\n");
            return 1;
        }
    }
    return 0;
}
