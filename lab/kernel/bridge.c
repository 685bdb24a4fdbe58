/* The functions by which the workbench calls the kernel's crypto API. Those that return `int` return 0 or a negative errno. */
#include <environment/kernel.h>
#include <crypto/aead.h>
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include <crypto/skcipher.h>
#include "internal.h"

extern const struct lab_module __start_lab_modules[], __stop_lab_modules[];
extern const struct lab_parameter __start_lab_parameters[], __stop_lab_parameters[];

/* Sets a module's parameter, a number or a truth value. */
static int set(const char *name, unsigned int value) {
    for (const struct lab_parameter *p = __start_lab_parameters; p < __stop_lab_parameters; p++) {
        if (strcmp(p->name, name)) continue;
        if (!strcmp(p->type, "bool")) *(bool *)p->at = value;
        else *(unsigned int *)p->at = value;
        return 0;
    }
    return -ENOENT;
}

/* `tcrypt.c` does its work when the module starts, and returns -EAGAIN if all went well. */
static bool is_tcrypt(const struct lab_module *m) { return strstr(m->file, "crypto/tcrypt.c"); }

int bridge_tcrypt(unsigned int mode, unsigned int seconds) {
    const struct lab_module *m = __start_lab_modules;
    while (m < __stop_lab_modules && !is_tcrypt(m)) m++;
    if (m == __stop_lab_modules || set("mode", mode) || set("sec", seconds)) return -ENOENT;
    int error = m->start();
    return error == -EAGAIN ? 0 : error;
}

/* Starts the modules. Modules that do not find their hardware return -ENODEV. The kernel's own tests run only on request. */
int bridge_start(void) {
    int failed = 0;
    set("notests", 1);
    for (const struct lab_module *m = __start_lab_modules; m < __stop_lab_modules; m++) {
        int error = is_tcrypt(m) ? 0 : m->start();
        if (error && error != -ENODEV) {
            printk("%s: its module does not start: %d\n", m->file, error);
            failed++;
        }
    }
    set("notests", 0);
    return failed;
}

enum { CIPHER, SKCIPHER, AEAD, HASH };
struct bridge_driver { const char *name, *driver; u32 kind, priority, min_key, max_key, ivsize, size; };

/* Describes the driver with this index. Returns -EAGAIN for a driver that the workbench cannot call, and -ENOENT after the last one. */
int bridge_driver(size_t index, struct bridge_driver *d) {
    struct crypto_alg *alg;
    list_for_each_entry_reverse(alg, &crypto_alg_list, cra_list) {
        if (index--) continue;
        *d = (struct bridge_driver){ alg->cra_name, alg->cra_driver_name, 0, alg->cra_priority };
        if (alg->cra_flags & (CRYPTO_ALG_INTERNAL | CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD)) return -EAGAIN;
        switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
        case CRYPTO_ALG_TYPE_CIPHER:
            d->kind = CIPHER;
            d->min_key = alg->cra_cipher.cia_min_keysize;
            d->max_key = alg->cra_cipher.cia_max_keysize;
            return 0;
        case CRYPTO_ALG_TYPE_SKCIPHER: {
            struct skcipher_alg *sk = container_of(alg, struct skcipher_alg, base);
            d->kind = SKCIPHER;
            d->min_key = sk->min_keysize;
            d->max_key = sk->max_keysize;
            d->ivsize = sk->ivsize;
            return 0;
        }
        case CRYPTO_ALG_TYPE_AEAD: {
            struct aead_alg *aead = container_of(alg, struct aead_alg, base);
            d->kind = AEAD;
            d->ivsize = aead->ivsize;
            d->size = aead->maxauthsize;
            return 0;
        }
        case CRYPTO_ALG_TYPE_SHASH:
        case CRYPTO_ALG_TYPE_AHASH: {
            struct hash_alg_common *hash = container_of(alg, struct hash_alg_common, base);
            d->kind = HASH;
            d->size = hash->digestsize;
            d->max_key = (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) == CRYPTO_ALG_TYPE_AHASH ||
                         crypto_shash_alg_has_setkey(container_of(alg, struct shash_alg, base));
            d->min_key = d->max_key && !(alg->cra_flags & CRYPTO_ALG_OPTIONAL_KEY);
            return 0;
        }
        }
        return -EAGAIN;
    }
    return -ENOENT;
}

/* Runs the kernel's own test of a driver. */
int bridge_test(const char *name, const char *driver) {
    struct crypto_alg *alg = crypto_alg_mod_lookup(driver, 0, 0);
    if (IS_ERR(alg)) return PTR_ERR(alg);
    int error = alg_test(driver, name, alg->cra_flags, CRYPTO_ALG_TESTED);
    crypto_mod_put(alg);
    return error;
}

/* A keyed transform with one request. */
struct bridge {
    union { struct crypto_cipher *cipher; struct crypto_skcipher *skcipher; struct crypto_aead *aead; struct crypto_ahash *hash; };
    union { struct skcipher_request *skcipher; struct aead_request *aead; } request;
    u32 kind;
};

void bridge_free(struct bridge *t) {
    switch (t->kind) {
    case CIPHER: crypto_free_cipher(t->cipher); break;
    case SKCIPHER: skcipher_request_free(t->request.skcipher); crypto_free_skcipher(t->skcipher); break;
    case AEAD: aead_request_free(t->request.aead); crypto_free_aead(t->aead); break;
    case HASH: crypto_free_ahash(t->hash);
    }
    kfree(t);
}

int bridge_key(struct bridge *t, const u8 *key, unsigned int len, bool strict) {
    struct crypto_tfm *base = t->kind == CIPHER     ? crypto_cipher_tfm(t->cipher)
                              : t->kind == SKCIPHER ? crypto_skcipher_tfm(t->skcipher)
                              : t->kind == AEAD     ? crypto_aead_tfm(t->aead)
                                                    : crypto_ahash_tfm(t->hash);
    if (strict) crypto_tfm_set_flags(base, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
    switch (t->kind) {
    case CIPHER: return crypto_cipher_setkey(t->cipher, key, len);
    case SKCIPHER: return crypto_skcipher_setkey(t->skcipher, key, len);
    case AEAD: return crypto_aead_setkey(t->aead, key, len);
    default: return crypto_ahash_setkey(t->hash, key, len);
    }
}

int bridge_new(u32 kind, const char *driver, struct bridge **out) {
    struct bridge *t = kzalloc(sizeof *t, GFP_KERNEL);
    void *tfm = kind == CIPHER     ? (void *)crypto_alloc_cipher(driver, 0, 0)
                : kind == SKCIPHER ? (void *)crypto_alloc_skcipher(driver, 0, 0)
                : kind == AEAD     ? (void *)crypto_alloc_aead(driver, 0, 0)
                                   : (void *)crypto_alloc_ahash(driver, 0, 0);
    if (IS_ERR(tfm)) {
        kfree(t);
        return PTR_ERR(tfm);
    }
    *t = (struct bridge){ { tfm }, .kind = kind };
    if (kind == SKCIPHER) t->request.skcipher = skcipher_request_alloc(tfm, GFP_KERNEL);
    if (kind == AEAD) t->request.aead = aead_request_alloc(tfm, GFP_KERNEL);
    *out = t;
    return 0;
}

void bridge_block(struct bridge *t, bool decrypt, u8 *to, const u8 *from) {
    if (decrypt) crypto_cipher_decrypt_one(t->cipher, to, from);
    else crypto_cipher_encrypt_one(t->cipher, to, from);
}

struct piece { u8 *at; size_t len; };

/* A scatterlist of the pieces. */
static struct scatterlist *list_of(const struct piece *pieces, size_t n, struct scatterlist *few, size_t room) {
    struct scatterlist *list = n <= room ? few : kmalloc_array(n, sizeof *list, GFP_KERNEL);
    sg_init_table(list, n);
    for (size_t i = 0; i < n; i++) sg_set_buf(&list[i], pieces[i].at, pieces[i].len);
    return list;
}

int bridge_skcipher(struct bridge *t, bool decrypt, u8 *iv, const struct piece *from, size_t n, u8 *to, size_t len) {
    struct scatterlist few[4], one, *src = list_of(from, n, few, ARRAY_SIZE(few)), *dst = src;
    struct skcipher_request *request = t->request.skcipher;
    DECLARE_CRYPTO_WAIT(wait);
    if (to) sg_init_one(dst = &one, to, len);
    skcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
    skcipher_request_set_crypt(request, src, dst, len, iv);
    int error = crypto_wait_req(decrypt ? crypto_skcipher_decrypt(request) : crypto_skcipher_encrypt(request), &wait);
    if (src != few) kfree(src);
    return error;
}

/* In place: the pieces are the associated data, the text and the tag. */
int bridge_aead(struct bridge *t, bool decrypt, u8 *iv, const struct piece *pieces, size_t n, size_t assoc, size_t text, size_t tag) {
    struct scatterlist few[4], *list = list_of(pieces, n, few, ARRAY_SIZE(few));
    struct aead_request *request = t->request.aead;
    DECLARE_CRYPTO_WAIT(wait);
    int error = tag == crypto_aead_authsize(t->aead) ? 0 : crypto_aead_setauthsize(t->aead, tag);
    if (!error) {
        aead_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
        aead_request_set_ad(request, assoc);
        aead_request_set_crypt(request, list, list, decrypt ? text + tag : text, iv);
        error = crypto_wait_req(decrypt ? crypto_aead_decrypt(request) : crypto_aead_encrypt(request), &wait);
    }
    if (list != few) kfree(list);
    return error;
}

/* A hash in progress; NULL if the driver refuses. */
struct ahash_request *bridge_hash(struct bridge *t) {
    struct ahash_request *state = ahash_request_alloc(t->hash, GFP_KERNEL);
    DECLARE_CRYPTO_WAIT(wait);
    ahash_request_set_callback(state, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
    if (!crypto_wait_req(crypto_ahash_init(state), &wait)) return state;
    ahash_request_free(state);
    return NULL;
}

int bridge_update(struct ahash_request *state, const u8 *data, size_t len) {
    struct scatterlist list;
    DECLARE_CRYPTO_WAIT(wait);
    ahash_request_set_callback(state, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
    sg_init_one(&list, data, len);
    ahash_request_set_crypt(state, &list, NULL, len);
    return crypto_wait_req(crypto_ahash_update(state), &wait);
}

int bridge_finish(struct ahash_request *state, u8 *out) {
    DECLARE_CRYPTO_WAIT(wait);
    ahash_request_set_callback(state, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
    ahash_request_set_crypt(state, NULL, out, 0);
    return crypto_wait_req(crypto_ahash_final(state), &wait);
}

struct ahash_request *bridge_copy(struct ahash_request *from) {
    struct crypto_ahash *hash = crypto_ahash_reqtfm(from);
    struct ahash_request *to = ahash_request_alloc(hash, GFP_KERNEL);
    void *bytes = kmalloc(crypto_ahash_statesize(hash), GFP_KERNEL);
    int error = crypto_ahash_export(from, bytes) ?: crypto_ahash_import(to, bytes);
    kfree(bytes);
    if (!error) return to;
    ahash_request_free(to);
    return NULL;
}

void bridge_forget(struct ahash_request *state) { ahash_request_free(state); }
