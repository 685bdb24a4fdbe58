/* A client of AF_ALG that carries out a list of operations, made from a seed, and prints the result of each. If the
 * outputs of two systems differ, the systems differ.
 *
 * Nothing depends on the implementation under test: seed and number alone decide what an operation is. It begins
 * with new sockets and prints one line. */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include <linux/if_alg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifndef SOL_ALG
#define SOL_ALG 279
#endif
#ifndef AF_ALG
#define AF_ALG 38
#endif
#ifndef ALG_SET_DRBG_ENTROPY
#define ALG_SET_DRBG_ENTROPY 6
#endif
#define ALG_SET_KEY_BY_KEY_SERIAL_ 7

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The choices (random.c): a sequence per operation. */
void seed(uint64_t seed, uint64_t operation);
uint64_t any(void);
unsigned below(unsigned n);           /* 0 … n-1 */
bool chance(unsigned percent);
size_t length(void);                  /* a length worth trying, mostly short */
void fill(uint8_t *to, size_t len);

/* The line of the operation (line.c). */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
long outcome(long result);            /* "=5" or "=EINVAL", from errno; returns its argument */
void digest(const uint8_t *data, size_t len);
void end_line(void);
size_t said(void);                    /* bytes of the line so far */
const char *since(size_t before);     /* the line from there on */
extern unsigned long steps;           /* outcomes printed so far */

/* Algorithms (names.c). */
struct skcipher {
    const char *name;
    uint8_t keys[6];                  /* key lengths, ended by 0 */
    uint8_t iv;                       /* bytes of IV */
    uint8_t chunk;                    /* the unit that partial requests are rounded down to */
    bool chains;                      /* with every driver, the IV is passed from one request to the next */
};
struct aead {
    const char *name;
    uint8_t keys[4];
    uint8_t iv;
    uint8_t tag;                      /* the longest */
    uint8_t aad[3];                   /* lengths of associated data, if not any are accepted */
    uint8_t align;                    /* lengths of texts are multiples of this */
    uint8_t auth_key;                 /* authenc: bytes of the hash's key */
};
struct hash {
    const char *name;
    uint16_t keys[4];                  /* lengths that every driver accepts; none: unkeyed */
    uint8_t size;
};
extern const struct skcipher skciphers[];
extern const struct aead aeads[];
extern const struct hash hashes[];
extern const char *const rngs[];
extern const char *const strange_names[];
extern const char *const misfits[];   /* names of templates whose parts do not fit */
extern const size_t skciphers_len, aeads_len, hashes_len, rngs_len, strange_names_len, misfits_len;
size_t authenc_key(uint8_t *key, size_t auth, size_t enc); /* a key of authenc */

/* Steps that print themselves (steps.c). */
#define ARENA (1u << 20)
extern uint8_t *in_arena, *out_arena; /* buffers for sending and receiving, page-aligned */

struct request {
    int op;                           /* -1: none */
    int iv;                           /* bytes of IV, -1: none */
    int assoc;                        /* -1: none */
    size_t len;
    unsigned pieces;
    int flags;
};
int open_transform(const char *type, const char *name); /* socket and bind; -1 */
int bind_name(int fd, const char *type, const char *name);
long set_key(int fd, const uint8_t *key, size_t len);
long set_random_key(int fd, size_t len);
long set_tag(int fd, unsigned len);
int take(int fd);                     /* accept4, not blocking */
long put(int fd, const struct request *request); /* sends from in_arena; fresh bytes unless keep_data */
long put_data(int fd, const struct request *request, const uint8_t *data, const uint8_t *iv);
long get(int fd, size_t len, unsigned pieces, int flags, bool show); /* receives into out_arena */
void look(int fd);                    /* poll, select or epoll */
void leave(int fd);
const uint8_t *last_iv(void);

/* Kinds of operations. */
void skcipher_operation(void);
void aead_operation(void);
void aead_walk_operation(void);
void hash_operation(void);
void rng_operation(void);
void key_operation(void);
void name_operation(void);
void misfit_operation(void);
void control_operation(void);
void parent_operation(void);
void size_operation(void);
void socket_operation(void);
void calls_operation(void);
void aio_operation(void);
void splice_operation(void);
void share_operation(void);
void number_operation(void);
void fork_operation(void);
void wait_operation(void);
void registry_operation(void);

#endif
