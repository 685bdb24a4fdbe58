/*
 * algkit - the Linux kernel's crypto API in user space
 * ----------------------------------------------------
 * A name of the kernel, such as gcm(aes), stands for the fastest driver that this CPU runs, that is constant-time and
 * that has passed its self-test. The name of a driver, such as gcm-aes-aesni, stands for that driver.
 *
 * algkit_skcipher encrypts without authentication, algkit_aead with it, algkit_hash computes digests and message
 * authentication codes, algkit_rng random bytes. algkit_cipher is a block cipher without a mode. Each is a handle with a
 * key, made by algkit_..._new and freed by algkit_..._free. Freeing wipes the key. Setting up a key costs as much as several
 * calls, so keep the handle.
 *
 * Lengths are in bytes. A buffer of length 0 may be NULL. Source and destination of a text are the same buffer or do not
 * overlap. No buffer that a function writes may overlap another one of the same call. A function that finds a wrong
 * argument has changed nothing and returns an error; a free function takes NULL and does nothing.
 *
 * A handle that a function takes as const may be used by any number of threads at once. A state of a message may be used
 * by one thread at a time. Handles work in the child of a fork, and a child makes its own, whatever other threads of its
 * parent did at that moment: fork waits until none of them holds a lock of the library. vfork and clone do not wait.
 *
 * Freeing a handle twice, or using it after it was freed, is undefined, as with free(3). A handle of another type is
 * refused.
 *
 * The environment variable ALGKIT_CPU hides features of the CPU (ALGKIT_CPU=-vaes,-avx512), and ALGKIT_TIMING=table lets
 * a name stand for drivers that look up tables at secret addresses. A program with more rights than its caller ignores
 * both.
 */
#ifndef ALGKIT_H
#define ALGKIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * The result of a function marked ALGKIT_MUST_CHECK is the only sign that a message is authentic. gcc and clang warn where it is
 * dropped.
 */
#ifdef __GNUC__
#define ALGKIT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ALGKIT_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, such as 0.1.0. */
const char *algkit_version(void);

/*
 * algkit_error - what functions return when they refuse or fail
 * -------------------------------------------------------------
 * Functions that return int return 0 or one of these values. They are the negated errors of Linux that the kernel's crypto
 * API returns, on x86 and Arm.
 */
enum algkit_error {
    ALGKIT_ENOENT = -2,            /* no algorithm has this name, or no driver of it can serve here */
    ALGKIT_EIO = -5,               /* a source of randomness failed; the output holds zeros */
    ALGKIT_EFAULT = -14,           /* a pointer is NULL */
    ALGKIT_EINVAL = -22,           /* a length, a key, a handle or another argument is wrong */
    ALGKIT_ENOSPC = -28,           /* the library keeps no more names, as all that it keeps are in use */
    ALGKIT_EBADMSG = -74,          /* the message is not authentic; the output holds zeros */
    ALGKIT_EOVERFLOW = -75,        /* the number of a sector does not fit into 64 bits */
    ALGKIT_ELIBBAD = -80,          /* no driver of the algorithm has passed its self-test */
    ALGKIT_EOPNOTSUPP = -95,       /* the algorithm cannot do this */
    ALGKIT_ENOKEY = -126,          /* the algorithm needs a key */
    ALGKIT_ENOTRECOVERABLE = -131  /* a defect of algkit; do not use what the call has written */
};

/*
 * The reason of the last error in the calling thread, in English, with the value that was wrong. It is valid until the next
 * error in this thread, or its end. Before the first error it is empty.
 */
const char *algkit_error_text(void);

/*
 * algkit_info - what a handle or a driver is
 * ------------------------------------------
 * Information about a driver, which the library owns. A later version may add members at the end.
 */
struct algkit_info {
    const char *name;      /* the algorithm: gcm(aes) */
    const char *driver;    /* the driver: gcm-aes-aesni */
    const char *type;      /* cipher, skcipher, aead, hash or rng */
    unsigned priority;     /* the usable driver of a name with the highest priority serves */
    int constant_time;     /* 1, or 0 if it looks up tables at secret addresses */
    int usable;            /* 1 if this CPU runs it, else 0 */
    int selftest;          /* 1 passed, 0 not run yet, -1 failed */
    size_t block_size;     /* 1 for a stream cipher */
    size_t min_key_size;
    size_t max_key_size;   /* SIZE_MAX if there is no limit */
    size_t iv_size;
    size_t max_tag_size;   /* of an AEAD */
    size_t digest_size;    /* of a hash */
};

typedef struct algkit_list algkit_list;

/*
 * Lists the drivers of an algorithm, the preferred one first, or all known drivers if name is NULL. Drivers that templates
 * compose are known after they have been asked for by name. Free the list by algkit_list_free.
 */
int algkit_list_new(const char *name, algkit_list **list);
void algkit_list_free(algkit_list *list);

/* Returns the number of drivers in a list, or 0 if the pointer is not a list. */
size_t algkit_list_count(const algkit_list *list);

/* Returns the driver at an index, which is valid as long as the list, or NULL if there are fewer drivers. */
const struct algkit_info *algkit_list_get(const algkit_list *list, size_t index);

/*
 * algkit_cipher - block ciphers
 * -----------------------------
 * For aes, serpent and the like: single blocks, for protocols that define their own mode. Equal blocks have equal
 * ciphertexts, so messages need a mode: algkit_skcipher or algkit_aead.
 */
typedef struct algkit_cipher algkit_cipher;

/* Makes a handle of an algorithm's or driver's name and a key. On an error *tfm is NULL. Known weak keys are refused. */
int algkit_cipher_new(const char *name, const void *key, size_t key_len, algkit_cipher **tfm);
void algkit_cipher_free(algkit_cipher *tfm);

/* Describes the driver that serves, as long as the handle exists. Returns NULL if the pointer is not such a handle. */
const struct algkit_info *algkit_cipher_info(const algkit_cipher *tfm);

/* Replaces the key. After an error the old key stays. No other thread may use the handle meanwhile. */
int algkit_cipher_set_key(algkit_cipher *tfm, const void *key, size_t key_len);

/* Encrypts or decrypts len bytes from src to dst, each block by itself. len is a multiple of block_size. */
int algkit_cipher_encrypt(const algkit_cipher *tfm, const void *src, void *dst, size_t len);
int algkit_cipher_decrypt(const algkit_cipher *tfm, const void *src, void *dst, size_t len);

/*
 * algkit_skcipher - ciphers in a mode, without authentication
 * -----------------------------------------------------------
 * For xts(aes), cbc(aes), ctr(aes), chacha20 and the like. A changed ciphertext is not noticed: where that matters, use
 * algkit_aead.
 */
typedef struct algkit_skcipher algkit_skcipher;

/* Makes a handle of an algorithm's or driver's name and a key. On an error *tfm is NULL. Known weak keys are refused. */
int algkit_skcipher_new(const char *name, const void *key, size_t key_len, algkit_skcipher **tfm);
void algkit_skcipher_free(algkit_skcipher *tfm);

/* Describes the driver that serves, as long as the handle exists. Returns NULL if the pointer is not such a handle. */
const struct algkit_info *algkit_skcipher_info(const algkit_skcipher *tfm);

/* Replaces the key. After an error the old key stays. No other thread may use the handle meanwhile. */
int algkit_skcipher_set_key(algkit_skcipher *tfm, const void *key, size_t key_len);

/*
 * Encrypts or decrypts len bytes from src to dst. iv has the iv_size of the driver. If len is a multiple of the block size,
 * modes with a chaining value (CBC, CTR) leave there the IV for the next part of the message. Key wrapping leaves the first
 * word of the wrapped key there, and takes it from there; it returns ALGKIT_EBADMSG if the key is not intact.
 */
int algkit_skcipher_encrypt(const algkit_skcipher *tfm, void *iv, size_t iv_len, const void *src, void *dst,
        size_t len);
int algkit_skcipher_decrypt(const algkit_skcipher *tfm, void *iv, size_t iv_len, const void *src, void *dst,
        size_t len);

/*
 * The same for a text in segments. The boundaries of source and destination need not coincide, and may fall inside blocks. A
 * list with the same segments as the other works in place.
 */
int algkit_skcipher_encryptv(const algkit_skcipher *tfm, void *iv, size_t iv_len, const struct iovec *src,
        size_t src_count, const struct iovec *dst, size_t dst_count);
int algkit_skcipher_decryptv(const algkit_skcipher *tfm, void *iv, size_t iv_len, const struct iovec *src,
        size_t src_count, const struct iovec *dst, size_t dst_count);

/* How the IV of a sector is made of its number, with the names of dm-crypt. */
enum algkit_sector_iv {
    ALGKIT_IV_NULL = 0,       /* zeros: equal sectors have equal ciphertexts */
    ALGKIT_IV_PLAIN = 1,      /* 32 bits, little-endian */
    ALGKIT_IV_PLAIN64 = 2,    /* 64 bits, little-endian */
    ALGKIT_IV_PLAIN64BE = 3,  /* 64 bits, big-endian, at the end of the IV */
    ALGKIT_IV_BENBI = 4       /* the number of the first cipher block, from 1, big-endian, at the end of the IV: for LRW */
};

/* Consecutive sectors. dm-crypt counts in 512 bytes: a sector of 4096 bytes has a step of 8 there. */
struct algkit_sectors {
    uint64_t first;  /* the number of the first sector */
    uint64_t step;   /* from one sector's number to the next: 1, or more */
    size_t size;     /* of a sector */
    int iv;          /* one of enum algkit_sector_iv; 0 is ALGKIT_IV_NULL, the same IV for all sectors */
};

/*
 * Encrypts or decrypts whole sectors in place, len bytes in all. Each has the IV of its number. ALGKIT_EINVAL for key wrapping,
 * and for stream ciphers if sectors would share their key stream, as chacha20 with ALGKIT_IV_PLAIN64 and a step of 1.
 */
int algkit_skcipher_encrypt_sectors(const algkit_skcipher *tfm, const struct algkit_sectors *sectors, void *data,
        size_t len);
int algkit_skcipher_decrypt_sectors(const algkit_skcipher *tfm, const struct algkit_sectors *sectors, void *data,
        size_t len);

/* A request of a batch. Its IV is not changed, so key wrapping cannot encrypt here. */
struct algkit_skcipher_request {
    const algkit_skcipher *tfm;
    int decrypt;       /* 0 encrypts */
    const void *iv;
    size_t iv_len;
    const void *src;
    void *dst;         /* src, or apart from it */
    size_t len;
    int result;        /* is set to 0 or an error */
};

/*
 * Executes requests side by side, each with its own handle. CBC encryption gains most; CTR and XTS gain nothing. Sets each
 * result, and returns 0 or one of the errors. What one request writes, no other one may read or write.
 */
int algkit_skcipher_batch(struct algkit_skcipher_request *requests, size_t count);

/*
 * algkit_aead - authenticated encryption with associated data
 * -----------------------------------------------------------
 * For gcm(aes), rfc7539(chacha20,poly1305), ccm(aes) and the like. The IV of the first two has 12 bytes, and must be
 * different for each message under one key. The IV of ccm(aes) has 16 bytes; algkit_ccm_iv makes it from a nonce.
 */
typedef struct algkit_aead algkit_aead;

/* Makes a handle of an algorithm's or driver's name and a key. On an error *tfm is NULL. */
int algkit_aead_new(const char *name, const void *key, size_t key_len, algkit_aead **tfm);
void algkit_aead_free(algkit_aead *tfm);

/* Describes the driver that serves, as long as the handle exists. Returns NULL if the pointer is not such a handle. */
const struct algkit_info *algkit_aead_info(const algkit_aead *tfm);

/* Replaces the key. After an error the old key stays. No other thread may use the handle meanwhile. */
int algkit_aead_set_key(algkit_aead *tfm, const void *key, size_t key_len);

/* Makes the IV of ccm(...), which has 16 bytes (iv_len), from a nonce of 7 to 13 bytes. */
int algkit_ccm_iv(const void *nonce, size_t nonce_len, void *iv, size_t iv_len);

/* Makes the key of authenc(...), which has 8 + auth_key_len + enc_key_len bytes (key_len), from the keys of its parts. */
int algkit_authenc_key(const void *auth_key, size_t auth_key_len, const void *enc_key, size_t enc_key_len, void *key,
        size_t key_len);

/* Encrypts len bytes from src to dst and writes a tag of tag_len bytes. assoc is authenticated and not encrypted. */
int algkit_aead_encrypt(const algkit_aead *tfm, const void *iv, size_t iv_len, const void *assoc, size_t assoc_len,
        const void *src, void *dst, size_t len, void *tag, size_t tag_len);

/*
 * Decrypts len bytes from src to dst. If the tag does not match, returns ALGKIT_EBADMSG, and dst holds zeros. Any tag_len
 * that the algorithm allows is accepted, such as 4 with gcm(aes), and a short tag is quickly forged: compare the length with
 * that of the protocol before the call.
 */
ALGKIT_MUST_CHECK
int algkit_aead_decrypt(const algkit_aead *tfm, const void *iv, size_t iv_len, const void *assoc, size_t assoc_len,
        const void *src, void *dst, size_t len, const void *tag, size_t tag_len);

/*
 * The same for associated data and texts in segments. The boundaries of source and destination need not coincide. A list
 * with the same segments as the other works in place.
 */
int algkit_aead_encryptv(const algkit_aead *tfm, const void *iv, size_t iv_len, const struct iovec *assoc,
        size_t assoc_count, const struct iovec *src, size_t src_count, const struct iovec *dst, size_t dst_count,
        void *tag, size_t tag_len);
ALGKIT_MUST_CHECK
int algkit_aead_decryptv(const algkit_aead *tfm, const void *iv, size_t iv_len, const struct iovec *assoc,
        size_t assoc_count, const struct iovec *src, size_t src_count, const struct iovec *dst, size_t dst_count,
        const void *tag, size_t tag_len);

/* A request of a batch. */
struct algkit_aead_request {
    const algkit_aead *tfm;
    int decrypt;       /* 0 encrypts */
    const void *iv;
    size_t iv_len;
    const void *assoc;
    size_t assoc_len;
    const void *src;
    void *dst;         /* src, or apart from it */
    size_t len;
    void *tag;         /* decryption only reads it */
    size_t tag_len;
    int result;        /* is set to 0 or an error */
};

/*
 * Executes requests side by side, each with its own handle. CCM gains most; GCM gains nothing. Sets each result, and returns
 * 0 or one of the errors. What one request writes, no other one may read or write.
 */
int algkit_aead_batch(struct algkit_aead_request *requests, size_t count);

typedef struct algkit_aead_state algkit_aead_state;

/*
 * Begins to encrypt a message whose parts come one after the other, to be freed by algkit_aead_state_free. gcm(...) and
 * rfc7539(chacha20,poly1305) can do that; other modes return ALGKIT_EOPNOTSUPP. The state does not need the handle any
 * longer. Decryption has no such function, as it would release text before the tag is checked.
 *
 * With associated data and no text, gcm(aes) is GMAC.
 */
int algkit_aead_start(const algkit_aead *tfm, const void *iv, size_t iv_len, algkit_aead_state **state);
void algkit_aead_state_free(algkit_aead_state *state);

/* Authenticates a part of the associated data, of any length. All of it comes before the text. */
int algkit_aead_assoc(algkit_aead_state *state, const void *assoc, size_t assoc_len);

/* Encrypts the next part of the text, of any length. */
int algkit_aead_update(algkit_aead_state *state, const void *src, void *dst, size_t len);

/* Writes the tag. Whatever this returns, the message is ended, and the state takes nothing but algkit_aead_state_free. */
int algkit_aead_finish(algkit_aead_state *state, void *tag, size_t tag_len);

/* Ends the message and compares its tag, to verify a GMAC. Returns ALGKIT_EBADMSG if the tag does not match. */
ALGKIT_MUST_CHECK
int algkit_aead_verify(algkit_aead_state *state, const void *tag, size_t tag_len);

/*
 * algkit_hash - hashes and message authentication codes
 * -----------------------------------------------------
 * For sha256, sha3-256, blake2b-512, and with a key hmac(sha256), cmac(aes) and the like.
 */
typedef struct algkit_hash algkit_hash;

/*
 * Makes a handle of an algorithm's or driver's name and a key, which a plain hash does not have (NULL, 0). A message
 * authentication code without one returns ALGKIT_ENOKEY; for an empty key, pass a pointer that is not NULL. On an error
 * *tfm is NULL.
 */
int algkit_hash_new(const char *name, const void *key, size_t key_len, algkit_hash **tfm);
void algkit_hash_free(algkit_hash *tfm);

/* Describes the driver that serves, as long as the handle exists. Returns NULL if the pointer is not such a handle. */
const struct algkit_info *algkit_hash_info(const algkit_hash *tfm);

/* Replaces the key. After an error the old key stays. No other thread may use the handle meanwhile. */
int algkit_hash_set_key(algkit_hash *tfm, const void *key, size_t key_len);

/* Writes the digest of len bytes to digest, which has the digest_size of the driver. */
int algkit_hash_digest(const algkit_hash *tfm, const void *src, size_t len, void *digest, size_t digest_len);

/* The same for a message in segments. */
int algkit_hash_digestv(const algkit_hash *tfm, const struct iovec *src, size_t src_count, void *digest,
        size_t digest_len);

/* Compares a digest in constant time. Returns ALGKIT_EBADMSG if it does not match. */
ALGKIT_MUST_CHECK
int algkit_hash_verify(const algkit_hash *tfm, const void *src, size_t len, const void *digest, size_t digest_len);

/* A request of a batch. */
struct algkit_hash_request {
    const algkit_hash *tfm;
    const void *src;
    size_t len;
    void *digest;
    size_t digest_len;
    int result;        /* is set to 0 or an error */
};

/*
 * Executes requests side by side, each with its own handle. Sets each result, and returns 0 or one of the errors. What one
 * request writes, no other one may read or write.
 */
int algkit_hash_batch(struct algkit_hash_request *requests, size_t count);

typedef struct algkit_hash_state algkit_hash_state;

/* Begins a message in parts, to be freed by algkit_hash_state_free. The state does not need the handle any longer. */
int algkit_hash_start(const algkit_hash *tfm, algkit_hash_state **state);
void algkit_hash_state_free(algkit_hash_state *state);

/* Makes a second state of a message in progress, which goes on independently. */
int algkit_hash_clone(const algkit_hash_state *state, algkit_hash_state **copy);

/*
 * Copies *from to *to. It allocates nothing if both states are of one handle and the message of *to has not been ended. So a
 * program can keep a state that has absorbed nothing, and copy it to begin each message.
 */
int algkit_hash_copy(const algkit_hash_state *from, algkit_hash_state *to);

/* Absorbs the next part of the message. */
int algkit_hash_update(algkit_hash_state *state, const void *src, size_t len);

/* Writes the digest. Whatever this returns, the message is ended, and the state takes nothing but algkit_hash_state_free. */
int algkit_hash_finish(algkit_hash_state *state, void *digest, size_t digest_len);

/* Writes the digest of the parts absorbed so far. More parts may follow. */
int algkit_hash_peek(const algkit_hash_state *state, void *digest, size_t digest_len);

/*
 * Writes the next len bytes of an unlimited output, such as keccak's. Other algorithms return ALGKIT_EOPNOTSUPP. Afterwards
 * more may be absorbed, and more written.
 */
int algkit_hash_squeeze(algkit_hash_state *state, void *dst, size_t len);

/*
 * Writes the state as *len bytes to dst; 264 bytes of room are enough. Keep the state as secret as the message and the key:
 * for some algorithms, such as michael_mic, it reveals the key. If room is less than *len, returns ALGKIT_EINVAL, and dst
 * holds zeros.
 */
int algkit_hash_export(const algkit_hash_state *state, void *dst, size_t room, size_t *len);

/* Continues an exported message, also in another process, with the same driver, key and version of the library. */
int algkit_hash_import(const algkit_hash *tfm, const void *src, size_t len, algkit_hash_state **state);

/*
 * algkit_rng - random bytes
 * -------------------------
 * For stdrng, a generator of NIST SP 800-90A. The operating system provides the entropy, anew for each request, so nothing
 * has to be done after a fork. All threads may use one handle.
 */
typedef struct algkit_rng algkit_rng;

/* Makes a generator. seed personalizes it, and may be empty (NULL, 0). On an error *rng is NULL. */
int algkit_rng_new(const char *name, const void *seed, size_t seed_len, algkit_rng **rng);
void algkit_rng_free(algkit_rng *rng);

/* Describes the driver that serves, as long as the handle exists. Returns NULL if the pointer is not such a handle. */
const struct algkit_info *algkit_rng_info(const algkit_rng *rng);

/* Fills dst with random bytes. additional is mixed into the state, and may be empty (NULL, 0). */
int algkit_rng_generate(const algkit_rng *rng, const void *additional, size_t additional_len, void *dst, size_t len);

/* Adds fresh entropy and additional, which may be empty (NULL, 0), to the state. */
int algkit_rng_reseed(const algkit_rng *rng, const void *additional, size_t additional_len);

#ifdef __cplusplus
}
#endif

#endif
