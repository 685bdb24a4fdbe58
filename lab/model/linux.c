/* Calls a kernel of Linux for AArch64 once, as crates/primitives/examples/call.rs calls ours: kernel, bytes of text, a number that is not
 * used, and `call` or another word. The functions are those of arch/arm64/crypto in Debian's package linux-source-6.12, with which this is
 * linked. Each is called with whole batches, as its driver does; the driver processes the end of a text in another way. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

/* lib/crypto/aes.c */
struct crypto_aes_ctx { u32 key_enc[60], key_dec[60], key_length; };
int aes_expandkey(struct crypto_aes_ctx *ctx, const u8 *key, unsigned int len);
/* lib/crypto/gf128mul.c, of which ghash-generic is made */
typedef struct { u64 a, b; } be128;
struct gf128mul_4k *gf128mul_init_4k_lle(const be128 *g);
void gf128mul_4k_lle(be128 *a, const struct gf128mul_4k *t);
/* aes-neonbs-core.S */
void aesbs_convert_key(u8 out[], const u32 rk[], int rounds);
void aesbs_ecb_encrypt(u8 out[], const u8 in[], const u8 rk[], int rounds, int blocks);
void aesbs_cbc_decrypt(u8 out[], const u8 in[], const u8 rk[], int rounds, int blocks, u8 iv[]);
void aesbs_ctr_encrypt(u8 out[], const u8 in[], const u8 rk[], int rounds, int blocks, u8 iv[]);
void aesbs_xts_encrypt(u8 out[], const u8 in[], const u8 rk[], int rounds, int blocks, u8 iv[]);
void aesbs_xts_decrypt(u8 out[], const u8 in[], const u8 rk[], int rounds, int blocks, u8 iv[]);
/* aes-neon.S and aes-ce.S, both of aes-modes.S */
#define MODES(p) \
	void p##aes_ecb_encrypt(u8 out[], const u8 in[], const u32 rk[], int rounds, int blocks); \
	void p##aes_ecb_decrypt(u8 out[], const u8 in[], const u32 rk[], int rounds, int blocks); \
	void p##aes_cbc_encrypt(u8 out[], const u8 in[], const u32 rk[], int rounds, int blocks, u8 iv[]); \
	void p##aes_cbc_decrypt(u8 out[], const u8 in[], const u32 rk[], int rounds, int blocks, u8 iv[]); \
	void p##aes_ctr_encrypt(u8 out[], const u8 in[], const u32 rk[], int rounds, int bytes, u8 ctr[]); \
	void p##aes_xts_encrypt(u8 out[], const u8 in[], const u32 rk1[], int rounds, int bytes, const u32 rk2[], u8 iv[], int first); \
	int p##aes_mac_update(const u8 in[], const u32 rk[], int rounds, int blocks, u8 dg[], int enc_before, int enc_after);
MODES(neon_)
MODES(ce_)
/* aes-ce-core.S */
void __aes_ce_encrypt(u32 *rk, u8 *out, const u8 *in, int rounds);
/* ghash-ce-core.S */
void pmull_ghash_update_p64(int blocks, u64 dg[], const char *src, const u64 h[][2], const char *head);
void pmull_ghash_update_p8(int blocks, u64 dg[], const char *src, const u64 h[][2], const char *head);
void pmull_gcm_encrypt(int bytes, u8 dst[], const u8 src[], const u64 h[][2], u64 dg[], u8 ctr[], const u32 rk[], int rounds, u8 tag[]);
/* chacha-neon-core.S, which goes by up to five blocks */
void chacha_4block_xor_neon(const u32 *state, u8 *dst, const u8 *src, int nrounds, int bytes);

static u8 text[4096], iv[16], sliced[8 * 16 * 14] __attribute__((aligned(16)));
static struct crypto_aes_ctx aes;
static u64 hash[2];
/* The key, times x, of test case 2 of the GCM specification; powers of it are not made. */
static u64 h[4][2];

static struct gf128mul_4k *table;

/* Functions of the rest of the kernel that the files above call. */
void *lab_memory(size_t size, _Bool zero)
{
	return zero ? calloc(1, size) : malloc(size);
}

void kfree_sensitive(const void *memory)
{
	free((void *)memory);
}

/* As ghash_update of ghash-generic.c does with whole blocks. */
static void ghash_4k(be128 *sum, const u8 *src, int blocks)
{
	u64 block[2];

	for (; blocks; blocks--, src += 16) {
		memcpy(block, src, 16);
		sum->a ^= block[0];
		sum->b ^= block[1];
		gf128mul_4k_lle(sum, table);
	}
}

static void set_keys(void)
{
	const be128 reversed = { __builtin_bswap64(0x66e94bd4ef8a2c3b), __builtin_bswap64(0x884cfa59ca342b2e) };
	const u64 high = 0x66e94bd4ef8a2c3b, low = 0x884cfa59ca342b2e;
	u8 key[16];

	for (int i = 0; i < 16; i++)
		key[i] = i;
	aes_expandkey(&aes, key, 16);
	aesbs_convert_key(sliced, aes.key_enc, 10);
	table = gf128mul_init_4k_lle(&reversed);
	/* x^127 is the lowest bit of a block, and what becomes of its product with x is added at the other end. */
	h[0][0] = low << 1 | high >> 63;
	h[0][1] = (high << 1 | low >> 63) ^ (high >> 63 ? 0xc200000000000000 : 0);
}

static void must(const char *what, const void *got, const void *want, size_t len)
{
	if (memcmp(got, want, len)) {
		fprintf(stderr, "linux: %s is wrong\n", what);
		exit(1);
	}
}

/* Checks that the functions are called correctly: FIPS 197, appendix C.1, and test case 2 of the GCM specification. */
static void check(void)
{
	static const u8 cipher[16] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };
	static const u8 blocks[2][16] = {
		{ 0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78 }, { [15] = 0x80 } };
	static const u64 ghash[2] = { 0xc3457ae5b6b0f885, 0xf38cbb1ad69223dc };
	u8 plain[128], out[128];
	u64 sum[2];

	for (int i = 0; i < 128; i++)
		plain[i] = 0x11 * (i % 16);
	aesbs_ecb_encrypt(out, plain, sliced, 10, 8);
	must("aes-neonbs-core", out + 112, cipher, 16);
	neon_aes_ecb_encrypt(out, plain, aes.key_enc, 10, 8);
	must("aes-neon", out + 112, cipher, 16);
	ce_aes_ecb_encrypt(out, plain, aes.key_enc, 10, 8);
	must("aes-ce", out + 112, cipher, 16);
	__aes_ce_encrypt(aes.key_enc, out, plain, 10);
	must("aes-ce-core", out, cipher, 16);
	memset(sum, 0, sizeof(sum));
	pmull_ghash_update_p8(2, sum, (const char *)blocks, (const u64(*)[2])h, NULL);
	must("ghash-ce-core, p8", sum, ghash, 16);
	memset(sum, 0, sizeof(sum));
	ghash_4k((be128 *)sum, blocks[0], 2);
	must("gf128mul", (const u64[]){ __builtin_bswap64(sum[1]), __builtin_bswap64(sum[0]) }, ghash, 16);
	/* Two blocks are fewer than those that need powers of the key. */
	memset(sum, 0, sizeof(sum));
	pmull_ghash_update_p64(2, sum, (const char *)blocks, (const u64(*)[2])h, NULL);
	must("ghash-ce-core, p64", sum, ghash, 16);
}

int main(int argc, char **argv)
{
	static const u32 state[16];
	const char *name = argv[1];
	int len = argc == 5 ? atoi(argv[2]) : 0, n = len / 16, made = len && !strcmp(argv[4], "call");

	set_keys();
	check();
#define KERNEL(kernel, ...) \
	if (!strcmp(name, kernel)) { \
		if (made) \
			__VA_ARGS__; \
		return 0; \
	}
	KERNEL("ecb-aes-neonbs", aesbs_ecb_encrypt(text, text, sliced, 10, n))
	KERNEL("ctr-aes-neonbs", aesbs_ctr_encrypt(text, text, sliced, 10, n, iv))
	KERNEL("xts-aes-neonbs", aesbs_xts_encrypt(text, text, sliced, 10, n, iv))
	KERNEL("xts-aes-neonbs-dec", aesbs_xts_decrypt(text, text, sliced, 10, n, iv))
	KERNEL("cbc-aes-neonbs-dec", aesbs_cbc_decrypt(text, text, sliced, 10, n, iv))
	KERNEL("ecb-aes-neon", neon_aes_ecb_encrypt(text, text, aes.key_enc, 10, n))
	KERNEL("ecb-aes-neon-dec", neon_aes_ecb_decrypt(text, text, aes.key_dec, 10, n))
	KERNEL("ctr-aes-neon", neon_aes_ctr_encrypt(text, text, aes.key_enc, 10, len, iv))
	KERNEL("cbc-aes-neon", neon_aes_cbc_encrypt(text, text, aes.key_enc, 10, n, iv))
	KERNEL("cbcmac-aes-neon", neon_aes_mac_update(text, aes.key_enc, 10, n, iv, 0, 1))
	KERNEL("ecb-aes-ce", ce_aes_ecb_encrypt(text, text, aes.key_enc, 10, n))
	KERNEL("ctr-aes-ce", ce_aes_ctr_encrypt(text, text, aes.key_enc, 10, len, iv))
	KERNEL("cbc-aes-ce-dec", ce_aes_cbc_decrypt(text, text, aes.key_dec, 10, n, iv))
	KERNEL("cbcmac-aes-ce", ce_aes_mac_update(text, aes.key_enc, 10, n, iv, 0, 1))
	KERNEL("xts-aes-ce", ce_aes_xts_encrypt(text, text, aes.key_enc, 10, len, aes.key_enc, iv, 0))
	KERNEL("gcm-aes-ce", pmull_gcm_encrypt(len, text, text, (const u64(*)[2])h, hash, iv, aes.key_enc, 10, NULL))
	KERNEL("ghash-neon", pmull_ghash_update_p8(n, hash, (const char *)text, (const u64(*)[2])h, NULL))
	KERNEL("ghash-ce", pmull_ghash_update_p64(n, hash, (const char *)text, (const u64(*)[2])h, NULL))
	KERNEL("ghash-generic", ghash_4k((be128 *)hash, text, n))
	KERNEL("aes-ce", for (int i = 0; i < n; i++) __aes_ce_encrypt(aes.key_enc, text + 16 * i, text + 16 * i, 10))
	KERNEL("chacha20-neon", for (int i = 0; i < len; i += 320)
		chacha_4block_xor_neon(state, text + i, text + i, 20, len - i < 320 ? len - i : 320))
	fprintf(stderr, "linux: no kernel %s\n", name);
	return 2;
}
