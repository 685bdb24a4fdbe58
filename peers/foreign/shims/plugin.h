/* The functions that a shim exports. The crate peers-plugin declares the same for Rust. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define PEER_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PEER_EXPORT __attribute__((visibility("default")))
#endif

enum peer_op { PEER_ENCRYPT, PEER_DECRYPT, PEER_DIGEST };

/* The instructions that a library may use. */
enum peer_level { PEER_FULL, PEER_AVX2, PEER_AESNI, PEER_SOFT };

struct peer_case {
    const char *mode;   /* "gcm"; "" for a hash */
    const char *cipher; /* "aes", "sha256" */
    const uint8_t *key;
    size_t key_len;
    const uint8_t *assoc;
    size_t assoc_len;
    size_t size;     /* bytes in a message */
    size_t messages; /* the number of messages */
    size_t stride;   /* bytes from one message to the next, at least 64 more than `size` */
    uint32_t op;
    uint32_t level;
    bool rekey; /* the key is set anew before each message */
};

/* IVs are laid out as the kernel does: CCM's begins with a byte that says how long lengths are, ChaCha20's with the
 * block counter in 4 bytes, which is 1. */
#define PEER_CCM_NONCE 1
#define PEER_CHACHA20_NONCE 4

/* Processes messages in place, each with its IV; tags and digests go to `outs`. A message to be opened has its tag of
 * 16 bytes behind it. Returns false if a message is refused. */
typedef bool peer_run(void *state, const uint8_t (*ivs)[32], uint8_t *text, uint8_t (*outs)[64]);

struct peer_work {
    peer_run *run;
    void (*free)(void *state);
    void *state;
    size_t messages; /* the number of messages in a run: 1, or all */
};

/* Returns false if the library does not implement the case. */
PEER_EXPORT bool peer_make(const struct peer_case *c, struct peer_work *work);
/* The library's version. */
PEER_EXPORT const char *peer_version(void);

static inline bool peer_is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Ends the process if a step of the setup fails. */
#define PEER_MUST(ok)                                                                \
    do {                                                                             \
        if (!(ok)) {                                                                 \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #ok);         \
            abort();                                                                 \
        }                                                                            \
    } while (0)
