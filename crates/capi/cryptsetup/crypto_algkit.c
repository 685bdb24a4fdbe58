/* SPDX-License-Identifier: MIT OR Apache-2.0 OR LGPL-2.1-or-later */
/*
 * algkit crypto backend implementation
 *
 * Hashes, HMAC and all ciphers come from libalgkit, also those that other
 * backends get from the kernel: no AF_ALG socket is opened.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algkit.h>
#include "crypto_backend_internal.h"

static char version[64];

struct hash_alg {
	const char *name;
	const char *algkit_name;
	int length;
};

static const struct hash_alg hash_algs[] = {
	{ "sha1",        "sha1",        20 },
	{ "sha224",      "sha224",      28 },
	{ "sha256",      "sha256",      32 },
	{ "sha384",      "sha384",      48 },
	{ "sha512",      "sha512",      64 },
	{ "ripemd160",   "rmd160",      20 },
	{ "whirlpool",   "wp512",       64 },
	{ "wp256",       "wp256",       32 },
	{ "wp384",       "wp384",       48 },
	{ "sha3-224",    "sha3-224",    28 },
	{ "sha3-256",    "sha3-256",    32 },
	{ "sha3-384",    "sha3-384",    48 },
	{ "sha3-512",    "sha3-512",    64 },
	{ "stribog256",  "streebog256", 32 },
	{ "stribog512",  "streebog512", 64 },
	{ "sm3",         "sm3",         32 },
	{ "blake2b-160", "blake2b-160", 20 },
	{ "blake2b-256", "blake2b-256", 32 },
	{ "blake2b-384", "blake2b-384", 48 },
	{ "blake2b-512", "blake2b-512", 64 },
	{ "blake2s-128", "blake2s-128", 16 },
	{ "blake2s-160", "blake2s-160", 20 },
	{ "blake2s-224", "blake2s-224", 28 },
	{ "blake2s-256", "blake2s-256", 32 },
};

/* A hash and an HMAC differ in their key only. */
struct digest {
	algkit_hash *tfm;
	algkit_hash_state *empty;	/* the beginning of each message */
	algkit_hash_state *state;
	size_t length;
};

struct crypt_hash {
	struct digest d;
};

struct crypt_hmac {
	struct digest d;
};

struct crypt_cipher {
	struct crypt_cipher_kernel ck;
};

int crypt_backend_init(bool fips)
{
	if (fips)
		return -ENOTSUP;

	snprintf(version, sizeof(version), "algkit %s", algkit_version());
	return 0;
}

void crypt_backend_destroy(void)
{
}

uint32_t crypt_backend_flags(void)
{
	return 0;
}

const char *crypt_backend_version(void)
{
	return version;
}

static const struct hash_alg *_get_alg(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(hash_algs) / sizeof(hash_algs[0]); i++)
		if (!strcmp(name, hash_algs[i].name))
			return &hash_algs[i];

	return NULL;
}

/*
 * The name of an algorithm stands for constant-time drivers only. Twofish,
 * Camellia and HMAC of Whirlpool have none. A volume names its algorithms and
 * has to be opened, so the table driver is asked for by the driver's name.
 */
static int table_driver(const char *name, char *driver, size_t size)
{
	const struct algkit_info *info;
	algkit_list *list;
	size_t i;
	int r;

	r = algkit_list_new(name, &list);
	if (r)
		return r;

	for (i = 0; (info = algkit_list_get(list, i)); i++)
		if (info->usable)
			break;

	if (!info || (size_t)snprintf(driver, size, "%s", info->driver) >= size)
		r = -ENOENT;

	algkit_list_free(list);
	return r;
}

static void digest_destroy(struct digest *d)
{
	algkit_hash_state_free(d->state);
	algkit_hash_state_free(d->empty);
	algkit_hash_free(d->tfm);
	free(d);
}

static struct digest *digest_init(const char *format, const char *name,
				  const void *key, size_t key_length)
{
	const struct hash_alg *alg = _get_alg(name);
	struct digest *d;
	char full_name[64];
	int r;

	if (!alg)
		return NULL;

	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;

	d->length = alg->length;
	snprintf(full_name, sizeof(full_name), format, alg->algkit_name);

	r = algkit_hash_new(full_name, key, key_length, &d->tfm);
	if (r == ALGKIT_ENOENT && !table_driver(full_name, full_name, sizeof(full_name)))
		r = algkit_hash_new(full_name, key, key_length, &d->tfm);

	if (r || algkit_hash_start(d->tfm, &d->empty) || algkit_hash_clone(d->empty, &d->state)) {
		digest_destroy(d);
		return NULL;
	}

	return d;
}

static int digest_final(struct digest *d, char *buffer, size_t length)
{
	char all[64];
	int r;

	if (length > d->length)
		return -EINVAL;

	r = algkit_hash_peek(d->state, all, d->length);
	if (!r)
		r = algkit_hash_copy(d->empty, d->state);
	if (!r)
		memcpy(buffer, all, length);
	crypt_backend_memzero(all, sizeof(all));

	return r ? -EINVAL : 0;
}

/* HASH */
int crypt_hash_size(const char *name)
{
	const struct hash_alg *alg = _get_alg(name);

	return alg ? alg->length : -EINVAL;
}

int crypt_hash_init(struct crypt_hash **ctx, const char *name)
{
	*ctx = (struct crypt_hash *)digest_init("%s", name, NULL, 0);
	return *ctx ? 0 : -EINVAL;
}

int crypt_hash_write(struct crypt_hash *ctx, const char *buffer, size_t length)
{
	return algkit_hash_update(ctx->d.state, buffer, length) ? -EINVAL : 0;
}

int crypt_hash_final(struct crypt_hash *ctx, char *buffer, size_t length)
{
	return digest_final(&ctx->d, buffer, length);
}

void crypt_hash_destroy(struct crypt_hash *ctx)
{
	digest_destroy(&ctx->d);
}

/* HMAC */
int crypt_hmac_size(const char *name)
{
	return crypt_hash_size(name);
}

int crypt_hmac_init(struct crypt_hmac **ctx, const char *name,
		    const void *key, size_t key_length)
{
	*ctx = (struct crypt_hmac *)digest_init("hmac(%s)", name, key ? key : "", key_length);
	return *ctx ? 0 : -EINVAL;
}

int crypt_hmac_write(struct crypt_hmac *ctx, const char *buffer, size_t length)
{
	return algkit_hash_update(ctx->d.state, buffer, length) ? -EINVAL : 0;
}

int crypt_hmac_final(struct crypt_hmac *ctx, char *buffer, size_t length)
{
	return digest_final(&ctx->d, buffer, length);
}

void crypt_hmac_destroy(struct crypt_hmac *ctx)
{
	digest_destroy(&ctx->d);
}

/* RNG - N/A, as libcryptsetup asks for it in FIPS mode only */
int crypt_backend_rng(char *buffer __attribute__((unused)),
		      size_t length __attribute__((unused)),
		      int quality __attribute__((unused)),
		      int fips __attribute__((unused)))
{
	return -EINVAL;
}

/* PBKDF */
int crypt_pbkdf(const char *kdf, const char *hash,
		const char *password, size_t password_length,
		const char *salt, size_t salt_length,
		char *key, size_t key_length,
		uint32_t iterations, uint32_t memory, uint32_t parallel)
{
	if (!kdf)
		return -EINVAL;

	if (!strcmp(kdf, "pbkdf2"))
		return pkcs5_pbkdf2(hash, password, password_length, salt, salt_length,
				    iterations, key_length, key, 0);

	if (!strncmp(kdf, "argon2", 6))
		return argon2(kdf, password, password_length, salt, salt_length,
			      key, key_length, iterations, memory, parallel);

	return -EINVAL;
}

/* Block ciphers */

int crypt_cipher_init_kernel(struct crypt_cipher_kernel *ctx, const char *name,
			     const char *mode, const void *key, size_t key_length)
{
	char full_name[128];
	int r;

	ctx->tfm = NULL;

	if (!strcmp(name, "cipher_null"))
		key_length = 0;

	r = snprintf(full_name, sizeof(full_name), "%s(%s)", mode, name);
	if (r < 0 || (size_t)r >= sizeof(full_name))
		return -EINVAL;

	r = algkit_skcipher_new(full_name, key, key_length, &ctx->tfm);
	if (r == ALGKIT_ENOENT && !table_driver(full_name, full_name, sizeof(full_name)))
		r = algkit_skcipher_new(full_name, key, key_length, &ctx->tfm);

	return r;
}

typedef int (*crypt_func)(const algkit_skcipher *tfm, void *iv, size_t iv_len,
			  const void *src, void *dst, size_t len);

static int _crypt(crypt_func func, struct crypt_cipher_kernel *ctx,
		  const char *in, char *out, size_t length,
		  const char *iv, size_t iv_length)
{
	char chain[32];
	int r;

	if (iv_length > sizeof(chain))
		return -EINVAL;

	if (iv_length)
		memcpy(chain, iv, iv_length);

	r = func(ctx->tfm, chain, iv_length, in, out, length);
	crypt_backend_memzero(chain, sizeof(chain));

	return r ? -EINVAL : 0;
}

int crypt_cipher_encrypt_kernel(struct crypt_cipher_kernel *ctx,
				const char *in, char *out, size_t length,
				const char *iv, size_t iv_length)
{
	return _crypt(algkit_skcipher_encrypt, ctx, in, out, length, iv, iv_length);
}

int crypt_cipher_decrypt_kernel(struct crypt_cipher_kernel *ctx,
				const char *in, char *out, size_t length,
				const char *iv, size_t iv_length)
{
	return _crypt(algkit_skcipher_decrypt, ctx, in, out, length, iv, iv_length);
}

void crypt_cipher_destroy_kernel(struct crypt_cipher_kernel *ctx)
{
	algkit_skcipher_free(ctx->tfm);
	ctx->tfm = NULL;
}

/* Without AF_ALG, the ciphers of dm-crypt are not known: expect success. */
int crypt_cipher_check_kernel(const char *name __attribute__((unused)),
			      const char *mode __attribute__((unused)),
			      const char *integrity __attribute__((unused)),
			      size_t key_length __attribute__((unused)))
{
	return 0;
}

int crypt_cipher_init(struct crypt_cipher **ctx, const char *name,
		      const char *mode, const void *key, size_t key_length)
{
	struct crypt_cipher *h;
	int r;

	h = malloc(sizeof(*h));
	if (!h)
		return -ENOMEM;

	r = crypt_cipher_init_kernel(&h->ck, name, mode, key, key_length);
	if (r < 0) {
		free(h);
		return r;
	}

	*ctx = h;
	return 0;
}

void crypt_cipher_destroy(struct crypt_cipher *ctx)
{
	crypt_cipher_destroy_kernel(&ctx->ck);
	free(ctx);
}

int crypt_cipher_encrypt(struct crypt_cipher *ctx,
			 const char *in, char *out, size_t length,
			 const char *iv, size_t iv_length)
{
	return crypt_cipher_encrypt_kernel(&ctx->ck, in, out, length, iv, iv_length);
}

int crypt_cipher_decrypt(struct crypt_cipher *ctx,
			 const char *in, char *out, size_t length,
			 const char *iv, size_t iv_length)
{
	return crypt_cipher_decrypt_kernel(&ctx->ck, in, out, length, iv, iv_length);
}

bool crypt_cipher_kernel_only(struct crypt_cipher *ctx __attribute__((unused)))
{
	return false;
}

int crypt_bitlk_decrypt_key(const void *key, size_t key_length,
			    const char *in, char *out, size_t length,
			    const char *iv, size_t iv_length,
			    const char *tag, size_t tag_length)
{
	algkit_aead *tfm;
	char ccm_iv[16];
	int r;

	r = algkit_ccm_iv(iv, iv_length, ccm_iv, sizeof(ccm_iv));
	if (r)
		return -EINVAL;

	r = algkit_aead_new("ccm(aes)", key, key_length, &tfm);
	if (r)
		return r;

	r = algkit_aead_decrypt(tfm, ccm_iv, sizeof(ccm_iv), NULL, 0, in, out, length,
				tag, tag_length);
	algkit_aead_free(tfm);

	return r ? -EINVAL : 0;
}

int crypt_backend_memeq(const void *m1, const void *m2, size_t n)
{
	return crypt_internal_memeq(m1, m2, n);
}

bool crypt_fips_mode(void)
{
	return false;
}
