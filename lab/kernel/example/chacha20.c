// SPDX-License-Identifier: MIT OR GPL-2.0
/* A small driver of `chacha20` by RFC 8439, as an example of a driver that is tested in a process and then in a kernel: lab/kernel-drivers compiles the
 * same file into the workbench or, with -m, as a module. */
#include <crypto/internal/skcipher.h>
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/unaligned.h>

enum { BLOCK = 64, KEY = 32, IV = 16 };

struct example_key {
	u32 words[8];
};

static void example_quarter(u32 *x, int a, int b, int c, int d)
{
	x[a] += x[b];
	x[d] = rol32(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rol32(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rol32(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rol32(x[b] ^ x[c], 7);
}

/* The next 64 bytes of key stream. The first word of the IV counts blocks. */
static void example_block(const struct example_key *key, u32 *iv, u8 *stream)
{
	u32 from[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, x[16];
	int i, column;

	memcpy(from + 4, key->words, KEY);
	memcpy(from + 12, iv, IV);
	memcpy(x, from, sizeof(x));
	for (i = 0; i < 10; i++) {
		for (column = 0; column < 4; column++)
			example_quarter(x, column, 4 + column, 8 + column, 12 + column);
		for (column = 0; column < 4; column++)
			example_quarter(x, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4);
	}
	for (i = 0; i < 16; i++)
		put_unaligned_le32(x[i] + from[i], stream + 4 * i);
	iv[0]++;
}

static int example_crypt(struct skcipher_request *request)
{
	const struct example_key *key = crypto_skcipher_ctx(crypto_skcipher_reqtfm(request));
	struct skcipher_walk walk;
	u8 stream[BLOCK];
	u32 iv[4];
	int i, error = skcipher_walk_virt(&walk, request, false);

	for (i = 0; i < 4; i++)
		iv[i] = get_unaligned_le32(request->iv + 4 * i);
	while (walk.nbytes) {
		const u8 *from = walk.src.virt.addr;
		u8 *to = walk.dst.virt.addr;
		unsigned int left = walk.nbytes, n;

		/* Only the last piece may end inside a block. */
		if (left < walk.total)
			left -= left % BLOCK;
		for (n = left; n; n -= min_t(unsigned int, n, BLOCK), from += BLOCK, to += BLOCK) {
			example_block(key, iv, stream);
			crypto_xor_cpy(to, from, stream, min_t(unsigned int, n, BLOCK));
		}
		error = skcipher_walk_done(&walk, walk.nbytes - left);
	}
	memzero_explicit(stream, sizeof(stream));
	return error;
}

static int example_set_key(struct crypto_skcipher *tfm, const u8 *bytes, unsigned int len)
{
	struct example_key *key = crypto_skcipher_ctx(tfm);
	int i;

	if (len != KEY)
		return -EINVAL;
	for (i = 0; i < 8; i++)
		key->words[i] = get_unaligned_le32(bytes + 4 * i);
	return 0;
}

static struct skcipher_alg driver = {
	.base.cra_name = "chacha20",
	.base.cra_driver_name = "chacha20-example",
	.base.cra_priority = 50,
	.base.cra_blocksize = 1,
	.base.cra_ctxsize = sizeof(struct example_key),
	.base.cra_module = THIS_MODULE,
	.min_keysize = KEY,
	.max_keysize = KEY,
	.ivsize = IV,
	.chunksize = BLOCK,
	.setkey = example_set_key,
	.encrypt = example_crypt,
	.decrypt = example_crypt,
};

static int __init example_start(void)
{
	return crypto_register_skcipher(&driver);
}

static void __exit example_stop(void)
{
	crypto_unregister_skcipher(&driver);
}

module_init(example_start);
module_exit(example_stop);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("ChaCha20, an example");
