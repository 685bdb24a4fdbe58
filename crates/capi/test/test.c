/*
 * The C library against published vectors, and against wrong arguments.
 *
 * Vectors: FIPS 180-4 (the examples of SHA-256); SP 800-38A, F.2.1 (CBC); IEEE 1619-2007, annex B, vector 2 (XTS); McGrew
 * and Viega, "The Galois/Counter Mode of Operation", test case 4; NIST's CAVP, gcmEncryptExtIV128.rsp (GMAC); RFC 3394, 4.1
 * (key wrap); RFC 3610, packet vector 1 (CCM); RFC 4231, test case 2 (HMAC); RFC 4493 (CMAC); RFC 8439, 2.8.2
 * (ChaCha20-Poly1305); FIPS 197, C.1 and C.3 (AES); for keccak, the permutation of the crate keccak 0.2 (rate 1344 bits,
 * padding 0x01).
 */
#define _POSIX_C_SOURCE 200809L
#include <algkit.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define IS(call, code) is((call), (code), #call, __LINE__)
#define OK(call) IS(call, 0)

static void check(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "line %d: %s: last error: %s\n", line, what, algkit_error_text());
        exit(1);
    }
}

static void is(int got, int want, const char *what, int line)
{
    if (got != want) {
        fprintf(stderr, "line %d: %s: %d, expected %d (%s)\n", line, what, got, want, algkit_error_text());
        exit(1);
    }
    check(want == 0 || algkit_error_text()[0], "an error has a text", line);
}

/* Bytes of a text in hex, in a buffer of their own, so that valgrind sees what is behind it. */
typedef struct {
    unsigned char *at;
    size_t len;
} bytes;

static bytes hex(const char *text)
{
    bytes b;
    size_t i;
    unsigned byte;

    b.len = strlen(text) / 2;
    b.at = (unsigned char *)malloc(b.len + (b.len == 0));
    CHECK(b.at);
    for (i = 0; i < b.len; i++) {
        CHECK(sscanf(text + 2 * i, "%2x", &byte) == 1);
        b.at[i] = (unsigned char)byte;
    }
    return b;
}

static bytes copy(bytes of)
{
    bytes b;

    b.len = of.len;
    b.at = (unsigned char *)malloc(b.len + (b.len == 0));
    CHECK(b.at);
    memcpy(b.at, of.at, of.len);
    return b;
}

static int same(bytes a, bytes b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static int zero(bytes b)
{
    size_t i;

    for (i = 0; i < b.len; i++)
        if (b.at[i])
            return 0;
    return 1;
}

static struct iovec part(bytes b, size_t from, size_t to)
{
    struct iovec v;

    v.iov_base = b.at + from;
    v.iov_len = to - from;
    return v;
}

/* One vector of an AEAD: at once, in place, in segments, in parts; and its forgeries. */
static void aead(const char *name, const char *key_hex, const char *iv_hex, const char *assoc_hex, const char *text_hex,
                 const char *cipher_hex, const char *tag_hex, int in_parts)
{
    bytes key = hex(key_hex), iv = hex(iv_hex), assoc = hex(assoc_hex), text = hex(text_hex), cipher = hex(cipher_hex);
    bytes tag = hex(tag_hex), out = copy(text), got = copy(tag);
    algkit_aead *tfm;
    algkit_aead_state *state;
    struct iovec src[3], dst[2], header[2];
    size_t n, i, half = text.len / 2, third = text.len / 3;

    OK(algkit_aead_new(name, key.at, key.len, &tfm));
    CHECK(!strcmp(algkit_aead_info(tfm)->name, name) && algkit_aead_info(tfm)->selftest == 1);
    memset(key.at, 0, key.len);

    memset(out.at, 0, out.len);
    OK(algkit_aead_encrypt(tfm, iv.at, iv.len, assoc.at, assoc.len, text.at, out.at, text.len, got.at, got.len));
    CHECK(same(out, cipher) && same(got, tag));
    OK(algkit_aead_decrypt(tfm, iv.at, iv.len, assoc.at, assoc.len, out.at, out.at, out.len, tag.at, tag.len));
    CHECK(same(out, text));

    src[0] = part(text, 0, third), src[1] = part(text, third, third), src[2] = part(text, third, text.len);
    dst[0] = part(out, 0, half), dst[1] = part(out, half, out.len);
    header[0] = part(assoc, 0, assoc.len / 3), header[1] = part(assoc, assoc.len / 3, assoc.len);
    memset(out.at, 0, out.len), memset(got.at, 0, got.len);
    OK(algkit_aead_encryptv(tfm, iv.at, iv.len, header, 2, src, 3, dst, 2, got.at, got.len));
    CHECK(same(out, cipher) && same(got, tag));
    OK(algkit_aead_decryptv(tfm, iv.at, iv.len, header, 2, dst, 2, dst, 2, tag.at, tag.len));
    CHECK(same(out, text));

    /* A forgery of each: what comes out is zeros. */
    tag.at[0] ^= 1;
    memcpy(out.at, cipher.at, out.len);
    IS(algkit_aead_decrypt(tfm, iv.at, iv.len, assoc.at, assoc.len, out.at, out.at, out.len, tag.at, tag.len),
       ALGKIT_EBADMSG);
    CHECK(zero(out));
    memset(out.at, 0x55, out.len);
    IS(algkit_aead_decrypt(tfm, iv.at, iv.len, assoc.at, assoc.len, cipher.at, out.at, out.len, tag.at, tag.len),
       ALGKIT_EBADMSG);
    CHECK(zero(out));
    memcpy(out.at, cipher.at, out.len);
    IS(algkit_aead_decryptv(tfm, iv.at, iv.len, header, 2, dst, 2, dst, 2, tag.at, tag.len), ALGKIT_EBADMSG);
    CHECK(zero(out));
    tag.at[0] ^= 1;

    if (!in_parts) {
        IS(algkit_aead_start(tfm, iv.at, iv.len, &state), ALGKIT_EOPNOTSUPP);
        CHECK(!state);
    }
    for (n = 1; in_parts && n <= 65; n += 4) {
        OK(algkit_aead_start(tfm, iv.at, iv.len, &state));
        for (i = 0; i < assoc.len; i += n)
            OK(algkit_aead_assoc(state, assoc.at + i, assoc.len - i < n ? assoc.len - i : n));
        memcpy(out.at, text.at, out.len), memset(got.at, 0, got.len);
        for (i = 0; i < text.len; i += n) {
            const unsigned char *from = i / n % 2 ? out.at : text.at;

            OK(algkit_aead_update(state, from + i, out.at + i, text.len - i < n ? text.len - i : n));
        }
        if (text.len) {
            IS(algkit_aead_assoc(state, "", 1), ALGKIT_EINVAL);
            IS(algkit_aead_update(state, out.at, out.at + 1, out.len - 1), ALGKIT_EINVAL);
        }
        OK(algkit_aead_finish(state, got.at, got.len));
        CHECK(same(out, cipher) && same(got, tag));
        IS(algkit_aead_finish(state, got.at, got.len), ALGKIT_EINVAL);
        IS(algkit_aead_update(state, out.at, out.at, 1), ALGKIT_EINVAL);
        algkit_aead_state_free(state);
    }
    algkit_aead_free(tfm);
    free(key.at), free(iv.at), free(assoc.at), free(text.at), free(cipher.at), free(tag.at), free(out.at), free(got.at);
}

static void aeads(void)
{
    static const char rfc8439[] =
        "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f66666572"
        "20796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e";
    static const char gcm_text[] = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b5"
                                   "25b16aedf5aa0de657ba637b39";
    static const char gcm_cipher[] = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84a"
                                     "a051ba30b396a0aac973d58e091";
    bytes key = hex("77be63708971c4e240d1cb79e8d77feb"), iv = hex("e0e00f19fed7ba0136a797f3");
    bytes assoc = hex("7a43ec1d9c0a5a78a0b16533a6213cab"), tag = hex("209fcc8d3675ed938e9c7166709dd946");
    algkit_aead *gmac;
    algkit_aead_state *state;

    aead("gcm(aes)", "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2", gcm_text, gcm_cipher, "5bc94fbc3221a5db94fae95ae7121a47", 1);
    aead("rfc7539(chacha20,poly1305)", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
         "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", rfc8439,
         "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905"
         "d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116",
         "1ae10b594f09e26a7e902ecbd0600691", 1);
    aead("ccm(aes)", "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", "0100000003020100a0a1a2a3a4a50000", "0001020304050607",
         "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e", "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384",
         "17e8d12cfdf926e0", 0);

    /* GMAC. */
    OK(algkit_aead_new("gcm(aes)", key.at, key.len, &gmac));
    OK(algkit_aead_start(gmac, iv.at, iv.len, &state));
    algkit_aead_free(gmac); /* the state goes on */
    OK(algkit_aead_assoc(state, assoc.at, 5));
    OK(algkit_aead_assoc(state, assoc.at + 5, assoc.len - 5));
    OK(algkit_aead_verify(state, tag.at, tag.len));
    algkit_aead_state_free(state);
    OK(algkit_aead_new("gcm(aes)", key.at, key.len, &gmac));
    OK(algkit_aead_start(gmac, iv.at, iv.len, &state));
    OK(algkit_aead_assoc(state, assoc.at, assoc.len - 1));
    IS(algkit_aead_verify(state, tag.at, tag.len), ALGKIT_EBADMSG);
    algkit_aead_state_free(state);
    algkit_aead_free(gmac);
    free(key.at), free(iv.at), free(assoc.at), free(tag.at);
}

static void skciphers(void)
{
    bytes key = hex("2b7e151628aed2a6abf7158809cf4f3c"), iv = hex("000102030405060708090a0b0c0d0e0f");
    bytes text = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df"
                     "4f9b17ad2b417be66c3710");
    bytes cipher = hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa168"
                       "1fac09120eca307586e1a7");
    bytes out = copy(text), chain = copy(iv);
    bytes xts_key = hex("1111111111111111111111111111111122222222222222222222222222222222");
    bytes xts_text = hex("4444444444444444444444444444444444444444444444444444444444444444");
    bytes xts_cipher = hex("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0");
    bytes kek = hex("000102030405060708090a0b0c0d0e0f"), wrapped = hex("aef34bd8fb5a7b829d3e862371d2cfe5");
    bytes first = hex("1fa68b0a8112b447"), data = hex("00112233445566778899aabbccddeeff");
    struct algkit_sectors sectors = { 0, 1, 32, ALGKIT_IV_PLAIN64 };
    struct algkit_skcipher_request request;
    struct iovec src[2], dst[3];
    unsigned char image[3 * 32], sector[32], number[16];
    algkit_skcipher *cbc, *xts, *kw;
    int rule, i, j;

    OK(algkit_skcipher_new("cbc(aes)", key.at, key.len, &cbc));
    CHECK(algkit_skcipher_info(cbc)->iv_size == 16 && algkit_skcipher_info(cbc)->block_size == 16);
    CHECK(!strcmp(algkit_skcipher_info(cbc)->type, "skcipher") && algkit_skcipher_info(cbc)->constant_time == 1);
    CHECK(algkit_skcipher_info(cbc)->min_key_size == 16 && algkit_skcipher_info(cbc)->max_key_size == 32);
    memset(out.at, 0, out.len);
    OK(algkit_skcipher_encrypt(cbc, chain.at, chain.len, text.at, out.at, 16));
    OK(algkit_skcipher_encrypt(cbc, chain.at, chain.len, text.at + 16, out.at + 16, 48)); /* the chaining value */
    CHECK(same(out, cipher));
    memcpy(chain.at, iv.at, 16);
    OK(algkit_skcipher_decrypt(cbc, chain.at, chain.len, out.at, out.at, out.len));
    CHECK(same(out, text));
    src[0] = part(text, 0, 17), src[1] = part(text, 17, 64);
    dst[0] = part(out, 0, 3), dst[1] = part(out, 3, 3), dst[2] = part(out, 3, 64);
    memcpy(chain.at, iv.at, 16), memset(out.at, 0, out.len);
    OK(algkit_skcipher_encryptv(cbc, chain.at, chain.len, src, 2, dst, 3));
    CHECK(same(out, cipher));
    memcpy(chain.at, iv.at, 16);
    OK(algkit_skcipher_decryptv(cbc, chain.at, chain.len, dst, 3, dst, 3));
    CHECK(same(out, text));

    /* XTS: the vector's number of a sector is 0x3333333333. */
    OK(algkit_skcipher_new("xts(aes)", xts_key.at, xts_key.len, &xts));
    for (i = 0; i < 3; i++)
        memcpy(image + 32 * i, xts_text.at, 32);
    sectors.first = UINT64_C(0x3333333332);
    OK(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image));
    CHECK(!memcmp(image + 32, xts_cipher.at, 32) && memcmp(image, image + 64, 32) && memcmp(image, image + 32, 32));
    OK(algkit_skcipher_decrypt_sectors(xts, &sectors, image, sizeof image));
    CHECK(!memcmp(image, xts_text.at, 32) && !memcmp(image + 64, xts_text.at, 32));
    /* Every rule, with the IVs that dm-crypt's documentation gives it. */
    for (rule = ALGKIT_IV_NULL; rule <= ALGKIT_IV_BENBI; rule++) {
        uint64_t at = UINT64_C(0x0102030405);

        sectors.first = at, sectors.step = 2, sectors.iv = rule;
        OK(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image));
        for (i = 0; i < 3; i++, at += 2) {
            uint64_t shown = rule == ALGKIT_IV_BENBI ? at * 32 + 1 : at;
            int bytes_shown = rule == ALGKIT_IV_NULL ? 0 : rule == ALGKIT_IV_PLAIN ? 4 : 8;

            memset(number, 0, sizeof number);
            for (j = 0; j < bytes_shown; j++)
                number[rule >= ALGKIT_IV_PLAIN64BE ? 15 - j : j] = (unsigned char)(shown >> 8 * j);
            OK(algkit_skcipher_encrypt(xts, number, sizeof number, xts_text.at, sector, sizeof sector));
            CHECK(!memcmp(sector, image + 32 * i, sizeof sector));
        }
        OK(algkit_skcipher_decrypt_sectors(xts, &sectors, image, sizeof image));
    }
    sectors.iv = 5;
    IS(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image), ALGKIT_EINVAL);
    sectors.iv = ALGKIT_IV_PLAIN64, sectors.step = 0;
    IS(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image), ALGKIT_EINVAL);
    sectors.step = 1, sectors.first = UINT64_MAX - 1;
    IS(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image), ALGKIT_EOVERFLOW);
    sectors.first = 0, sectors.size = 0;
    IS(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image), ALGKIT_EINVAL);
    sectors.size = SIZE_MAX;
    IS(algkit_skcipher_encrypt_sectors(xts, &sectors, image, sizeof image), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt_sectors(xts, NULL, image, sizeof image), ALGKIT_EFAULT);
    CHECK(!memcmp(image, xts_text.at, 32));

    /* Key wrap notices what was changed. */
    OK(algkit_skcipher_new("kw(aes)", kek.at, kek.len, &kw));
    memcpy(out.at, wrapped.at, wrapped.len), memcpy(chain.at, first.at, 8);
    OK(algkit_skcipher_decrypt(kw, chain.at, 8, out.at, out.at, wrapped.len));
    CHECK(!memcmp(out.at, data.at, data.len));
    memcpy(out.at, wrapped.at, wrapped.len), memcpy(chain.at, first.at, 8);
    out.at[3] ^= 4;
    IS(algkit_skcipher_decrypt(kw, chain.at, 8, out.at, out.at, wrapped.len), ALGKIT_EBADMSG);
    /* It leaves the first word in the IV. What would lose it, or would not look at it, is refused. */
    memset(chain.at, 0xa6, 8);
    OK(algkit_skcipher_encrypt(kw, chain.at, 8, data.at, out.at, data.len));
    CHECK(!memcmp(chain.at, first.at, 8) && !memcmp(out.at, wrapped.at, wrapped.len));
    memset(out.at, 7, out.len);
    request.tfm = kw, request.iv = chain.at, request.iv_len = 8, request.src = data.at, request.dst = out.at;
    request.len = data.len, request.decrypt = 0;
    IS(algkit_skcipher_batch(&request, 1), ALGKIT_EINVAL);
    sectors.size = 16;
    IS(algkit_skcipher_encrypt_sectors(kw, &sectors, out.at, 16), ALGKIT_EINVAL);
    IS(algkit_skcipher_decrypt_sectors(kw, &sectors, out.at, 16), ALGKIT_EINVAL);
    CHECK(request.result == ALGKIT_EINVAL && out.at[0] == 7 && out.at[15] == 7);

    algkit_skcipher_free(cbc), algkit_skcipher_free(xts), algkit_skcipher_free(kw);
    free(key.at), free(iv.at), free(text.at), free(cipher.at), free(out.at), free(chain.at), free(xts_key.at);
    free(xts_text.at), free(xts_cipher.at), free(kek.at), free(wrapped.at), free(first.at), free(data.at);
}

static void ciphers(void)
{
    bytes key = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    bytes block = hex("00112233445566778899aabbccddeeff"), two = hex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    bytes c1 = hex("69c4e0d86a7b0430d8cdb78070b4c55a"), c3 = hex("8ea2b7ca516745bfeafc49904b496089"), out = copy(two);
    algkit_cipher *aes, *none;

    OK(algkit_cipher_new("aes", key.at, 16, &aes));
    CHECK(!strcmp(algkit_cipher_info(aes)->type, "cipher") && algkit_cipher_info(aes)->block_size == 16);
    OK(algkit_cipher_encrypt(aes, two.at, out.at, two.len));
    CHECK(!memcmp(out.at, c1.at, 16) && !memcmp(out.at + 16, c1.at, 16));
    OK(algkit_cipher_decrypt(aes, out.at, out.at, 16));
    CHECK(!memcmp(out.at, block.at, 16) && !memcmp(out.at + 16, c1.at, 16));
    IS(algkit_cipher_encrypt(aes, two.at, out.at, 17), ALGKIT_EINVAL);
    IS(algkit_cipher_encrypt(aes, out.at, out.at + 8, 16), ALGKIT_EINVAL);
    OK(algkit_cipher_set_key(aes, key.at, 32));
    OK(algkit_cipher_encrypt(aes, block.at, out.at, 16));
    CHECK(!memcmp(out.at, c3.at, 16));
    IS(algkit_cipher_set_key(aes, key.at, 31), ALGKIT_EINVAL);
    OK(algkit_cipher_decrypt(aes, c3.at, out.at, 16));
    CHECK(!memcmp(out.at, block.at, 16));
    IS(algkit_cipher_new("cbc(aes)", key.at, 16, &none), ALGKIT_ENOENT);
    CHECK(!none);
    algkit_cipher_free(aes), algkit_cipher_free(NULL);
    free(key.at), free(block.at), free(two.at), free(c1.at), free(c3.at), free(out.at);
}

/* States of messages that begin again, that are read on the way, and that go elsewhere; and keys that are replaced. */
static void states(void)
{
    bytes abc = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), got = copy(abc);
    bytes empty = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    bytes mac = hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    bytes sponge = hex("ed992674a628509bb2dce176b7c03672ee73b2de6d7fcea0b1bc94729d4e75f95dde5b2e0f92a378d2d5cf9ccc9d6ae4ad1bd7a3"
                       "5ea29c0ae7e869a23ab59573"), long_got = copy(sponge);
    unsigned char exported[264], nonce[13] = { 0 }, iv[16], keys[28], authenc[36];
    algkit_hash *sha, *hmac, *keccak;
    algkit_hash_state *fresh, *state, *other;
    algkit_skcipher *ctr;
    algkit_aead *gcm;
    size_t len, i;

    OK(algkit_hash_new("sha256", NULL, 0, &sha));
    OK(algkit_hash_start(sha, &fresh));
    OK(algkit_hash_clone(fresh, &state));
    for (i = 0; i < 3; i++) {
        OK(algkit_hash_peek(state, got.at, got.len));
        CHECK(same(got, empty));
        OK(algkit_hash_update(state, "abc", 3));
        OK(algkit_hash_peek(state, got.at, got.len));
        CHECK(same(got, abc));
        OK(algkit_hash_copy(state, state));
        if (i == 1)
            OK(algkit_hash_finish(state, got.at, got.len));
        OK(algkit_hash_copy(fresh, state));
    }
    IS(algkit_hash_peek(state, got.at, got.len - 1), ALGKIT_EINVAL);
    IS(algkit_hash_squeeze(state, got.at, got.len), ALGKIT_EOPNOTSUPP);
    OK(algkit_hash_finish(state, got.at, got.len));
    IS(algkit_hash_copy(state, fresh), ALGKIT_EINVAL);
    IS(algkit_hash_copy(state, state), ALGKIT_EINVAL);
    IS(algkit_hash_copy(NULL, NULL), ALGKIT_EFAULT);
    IS(algkit_hash_peek(state, got.at, got.len), ALGKIT_EINVAL);
    IS(algkit_hash_export(state, exported, sizeof exported, &len), ALGKIT_EINVAL);
    algkit_hash_state_free(fresh), algkit_hash_state_free(state);

    IS(algkit_hash_new("hmac(sha256)", NULL, 0, &hmac), ALGKIT_ENOKEY); /* anybody could compute it */
    CHECK(!hmac);
    OK(algkit_hash_new("hmac(sha256)", "", 0, &hmac));
    algkit_hash_free(hmac);
    OK(algkit_hash_new("hmac(sha256)", "another key", 11, &hmac));
    IS(algkit_hash_set_key(hmac, NULL, 0), ALGKIT_ENOKEY);
    OK(algkit_hash_set_key(hmac, "Jefe", 4));
    OK(algkit_hash_start(hmac, &state));
    OK(algkit_hash_update(state, "what do ya want ", 16));
    OK(algkit_hash_export(state, exported, sizeof exported, &len));
    IS(algkit_hash_export(state, exported, sizeof exported, NULL), ALGKIT_EFAULT);
    CHECK(len > 0 && len <= sizeof exported);
    OK(algkit_hash_import(hmac, exported, len, &other));
    OK(algkit_hash_update(other, "for nothing?", 12));
    OK(algkit_hash_finish(other, got.at, got.len));
    CHECK(same(got, mac));
    algkit_hash_state_free(other);
    IS(algkit_hash_import(hmac, exported, len - 1, &other), ALGKIT_EINVAL);
    CHECK(!other);
    i = len;
    memset(exported, 1, sizeof exported);
    IS(algkit_hash_export(state, exported, i - 1, &len), ALGKIT_EINVAL);
    CHECK(len == i && exported[0] == 0 && exported[i - 2] == 0 && exported[i - 1] == 1);
    algkit_hash_state_free(state), algkit_hash_free(sha), algkit_hash_free(hmac);

    OK(algkit_hash_new("keccak", NULL, 0, &keccak));
    OK(algkit_hash_start(keccak, &state));
    OK(algkit_hash_update(state, "abc", 3));
    OK(algkit_hash_squeeze(state, long_got.at, 7));
    OK(algkit_hash_squeeze(state, long_got.at + 7, long_got.len - 7));
    CHECK(same(long_got, sponge));
    algkit_hash_state_free(state), algkit_hash_free(keccak);

    /* SP 800-38A, F.5.1: the first block of CTR-AES128. */
    {
        bytes key = hex("2b7e151628aed2a6abf7158809cf4f3c"), counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        bytes text = hex("6bc1bee22e409f96e93d7e117393172a"), want = hex("874d6191b620e3261bef6864990db6ce");

        OK(algkit_skcipher_new("ctr(aes)", counter.at, 16, &ctr));
        IS(algkit_skcipher_set_key(ctr, key.at, 15), ALGKIT_EINVAL);
        OK(algkit_skcipher_set_key(ctr, key.at, 16));
        OK(algkit_skcipher_encrypt(ctr, counter.at, 16, text.at, text.at, 16));
        CHECK(same(text, want));
        algkit_skcipher_free(ctr);
        free(key.at), free(counter.at), free(text.at), free(want.at);
    }
    /* McGrew and Viega, test case 1: the tag of nothing under a key of zeros. */
    {
        bytes key = hex("00000000000000000000000000000000"), want = hex("58e2fccefa7e3061367f1d57a4e7455a"), tag = copy(want);

        OK(algkit_aead_new("gcm(aes)", want.at, 16, &gcm));
        OK(algkit_aead_set_key(gcm, key.at, 16));
        OK(algkit_aead_encrypt(gcm, key.at, 12, NULL, 0, NULL, NULL, 0, tag.at, 16));
        CHECK(same(tag, want));
        IS(algkit_skcipher_set_key((algkit_skcipher *)(void *)gcm, key.at, 16), ALGKIT_EINVAL);
        algkit_aead_free(gcm);
        free(key.at), free(want.at), free(tag.at);
    }

    /* RFC 3610, 2.3; the kernel's include/crypto/authenc.h. */
    for (i = 0; i < sizeof nonce; i++)
        nonce[i] = (unsigned char)(i + 1);
    for (i = 7; i <= sizeof nonce; i++) {
        OK(algkit_ccm_iv(nonce, i, iv, sizeof iv));
        CHECK(iv[0] == 14 - i && !memcmp(iv + 1, nonce, i) && iv[i + 1] == 0 && iv[15] == 0);
    }
    IS(algkit_ccm_iv(nonce, 6, iv, sizeof iv), ALGKIT_EINVAL);
    IS(algkit_ccm_iv(nonce, 12, iv, 15), ALGKIT_EINVAL);
    for (i = 0; i < sizeof keys; i++)
        keys[i] = (unsigned char)i;
    OK(algkit_authenc_key(keys, 12, keys + 12, 16, authenc, sizeof authenc));
    CHECK(!memcmp(authenc + 4, "\0\0\0\20", 4) && !memcmp(authenc + 8, keys, sizeof keys));
    IS(algkit_authenc_key(keys, 12, keys + 12, 16, authenc, sizeof authenc - 1), ALGKIT_EINVAL);
    OK(algkit_aead_new("authenc(hmac(sha256),cbc(aes))", authenc, sizeof authenc, &gcm));
    algkit_aead_free(gcm);
    free(abc.at), free(got.at), free(empty.at), free(mac.at), free(sponge.at), free(long_got.at);
}

static void hashes(void)
{
    bytes want = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), got = copy(want);
    bytes two = hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"); /* of two blocks */
    bytes mac = hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", jefe[] = "what do ya want for nothing?";
    algkit_hash *sha, *hmac;
    algkit_hash_state *state, *other;
    struct iovec v[2];

    OK(algkit_hash_new("sha256", NULL, 0, &sha));
    CHECK(algkit_hash_info(sha)->digest_size == 32 && algkit_hash_info(sha)->min_key_size == 0);
    OK(algkit_hash_digest(sha, "abc", 3, got.at, got.len));
    CHECK(same(got, want));
    v[0].iov_base = (void *)"a", v[0].iov_len = 1, v[1].iov_base = (void *)"bc", v[1].iov_len = 2;
    memset(got.at, 0, got.len);
    OK(algkit_hash_digestv(sha, v, 2, got.at, got.len));
    CHECK(same(got, want));
    OK(algkit_hash_start(sha, &state));
    OK(algkit_hash_update(state, "ab", 2));
    OK(algkit_hash_update(state, NULL, 0));
    OK(algkit_hash_clone(state, &other));
    OK(algkit_hash_update(state, "c", 1));
    OK(algkit_hash_finish(state, got.at, got.len));
    CHECK(same(got, want));
    OK(algkit_hash_update(other, long_text + 2, sizeof long_text - 3));
    OK(algkit_hash_finish(other, got.at, got.len));
    CHECK(same(got, two));
    IS(algkit_hash_finish(state, got.at, got.len), ALGKIT_EINVAL);
    IS(algkit_hash_update(state, "c", 1), ALGKIT_EINVAL);
    algkit_hash_state_free(other);
    IS(algkit_hash_clone(state, &other), ALGKIT_EINVAL);
    CHECK(!other);
    algkit_hash_state_free(state);

    OK(algkit_hash_new("hmac(sha256)", "Jefe", 4, &hmac));
    OK(algkit_hash_verify(hmac, jefe, sizeof jefe - 1, mac.at, mac.len));
    IS(algkit_hash_verify(hmac, jefe, sizeof jefe - 2, mac.at, mac.len), ALGKIT_EBADMSG);
    IS(algkit_hash_verify(hmac, jefe, sizeof jefe - 1, mac.at, mac.len - 1), ALGKIT_EINVAL);
    IS(algkit_hash_digest(hmac, jefe, sizeof jefe - 1, got.at, got.len - 1), ALGKIT_EINVAL);
    algkit_hash_free(sha), algkit_hash_free(hmac);
    free(want.at), free(got.at), free(two.at), free(mac.at);
}

/* Batches: each request has the result that it has by itself, the wrong ones too. */
static void batches(void)
{
    enum { COUNT = 150 };
    static struct algkit_hash_request hash[COUNT];
    static struct algkit_skcipher_request cbc[COUNT];
    static struct algkit_aead_request ccm[COUNT];
    bytes key = hex("2b7e151628aed2a6abf7158809cf4f3c"), block = hex("6bc1bee22e409f96e93d7e117393172a");
    bytes mac = hex("070a16b46b4d4144f79bdd9dd04a287c"), none = hex("bb1d6929e95937287fa37d129b756746");
    bytes iv = hex("000102030405060708090a0b0c0d0e0f"), cipher = hex("7649abac8119b246cee98e9b12e9197d");
    bytes ccm_key = hex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"), ccm_iv = hex("0100000003020100a0a1a2a3a4a50000");
    bytes assoc = hex("0001020304050607"), text = hex("08090a0b0c0d0e0f101112131415161718191a1b1c1d1e");
    bytes ccm_cipher = hex("588c979a61c663d2f066d0c2c0f989806d5f6b61dac384"), tag = hex("17e8d12cfdf926e0");
    unsigned char out[COUNT][32], tags[COUNT][16];
    algkit_hash *cmac;
    algkit_skcipher *aes;
    algkit_aead *aead_tfm;
    int i;

    OK(algkit_hash_new("cmac(aes)", key.at, key.len, &cmac));
    OK(algkit_skcipher_new("cbc(aes)", key.at, key.len, &aes));
    OK(algkit_aead_new("ccm(aes)", ccm_key.at, ccm_key.len, &aead_tfm));
    for (i = 0; i < COUNT; i++) {
        hash[i].tfm = cmac, hash[i].src = block.at, hash[i].len = i % 2 ? 16 : 0;
        hash[i].digest = out[i], hash[i].digest_len = 16, hash[i].result = 1;
    }
    OK(algkit_hash_batch(hash, COUNT));
    for (i = 0; i < COUNT; i++)
        CHECK(hash[i].result == 0 && !memcmp(out[i], i % 2 ? mac.at : none.at, 16));
    hash[70].digest_len = 15, hash[71].tfm = NULL, hash[72].src = NULL, hash[72].len = 1;
    IS(algkit_hash_batch(hash, COUNT), ALGKIT_EFAULT); /* 71 */
    CHECK(hash[70].result == ALGKIT_EINVAL && hash[71].result == ALGKIT_EFAULT && hash[72].result == ALGKIT_EFAULT);
    CHECK(hash[69].result == 0 && hash[73].result == 0);

    for (i = 0; i < COUNT; i++) {
        cbc[i].tfm = aes, cbc[i].decrypt = i % 3 == 0, cbc[i].iv = iv.at, cbc[i].iv_len = 16;
        cbc[i].src = i % 2 ? out[i] : cbc[i].decrypt ? cipher.at : block.at, cbc[i].dst = out[i], cbc[i].len = 16;
        memcpy(out[i], cbc[i].decrypt ? cipher.at : block.at, 16);
    }
    OK(algkit_skcipher_batch(cbc, COUNT));
    for (i = 0; i < COUNT; i++)
        CHECK(cbc[i].result == 0 && !memcmp(out[i], cbc[i].decrypt ? block.at : cipher.at, 16));
    CHECK(iv.at[15] == 0x0f);
    cbc[1].iv_len = 15, cbc[2].len = 15, cbc[3].dst = out[3] + 1, cbc[3].src = out[3], cbc[4].iv = out, cbc[4].iv_len = 33;
    IS(algkit_skcipher_batch(cbc, 6), ALGKIT_EINVAL);
    for (i = 0; i < 6; i++)
        CHECK(cbc[i].result == (i == 0 || i == 5 ? 0 : ALGKIT_EINVAL));

    for (i = 0; i < COUNT; i++) {
        ccm[i].tfm = aead_tfm, ccm[i].decrypt = i % 2, ccm[i].iv = ccm_iv.at, ccm[i].iv_len = 16;
        ccm[i].assoc = assoc.at, ccm[i].assoc_len = 8, ccm[i].dst = out[i], ccm[i].len = 23;
        ccm[i].src = i % 2 ? ccm_cipher.at : text.at, ccm[i].tag = tags[i], ccm[i].tag_len = 8;
        memcpy(tags[i], tag.at, 8);
    }
    tags[31][0] ^= 1;
    IS(algkit_aead_batch(ccm, COUNT), ALGKIT_EBADMSG);
    for (i = 0; i < COUNT; i++) {
        if (i == 31)
            CHECK(ccm[i].result == ALGKIT_EBADMSG && out[i][0] == 0 && out[i][22] == 0);
        else
            CHECK(ccm[i].result == 0 && !memcmp(out[i], i % 2 ? text.at : ccm_cipher.at, 23) && !memcmp(tags[i], tag.at, 8));
    }
    OK(algkit_aead_batch(NULL, 0));
    IS(algkit_aead_batch(NULL, 1), ALGKIT_EFAULT);
    IS(algkit_hash_batch(hash, SIZE_MAX), ALGKIT_EINVAL);
    algkit_hash_free(cmac), algkit_skcipher_free(aes), algkit_aead_free(aead_tfm);
    free(key.at), free(block.at), free(mac.at), free(none.at), free(iv.at), free(cipher.at), free(ccm_key.at);
    free(ccm_iv.at), free(assoc.at), free(text.at), free(ccm_cipher.at), free(tag.at);
}

static void random_bytes(void)
{
    unsigned char a[48], b[48];
    algkit_rng *rng;

    OK(algkit_rng_new("stdrng", "seed", 4, &rng));
    OK(algkit_rng_generate(rng, NULL, 0, a, sizeof a));
    OK(algkit_rng_reseed(rng, "more", 4));
    OK(algkit_rng_generate(rng, "more", 4, b, sizeof b));
    CHECK(memcmp(a, b, sizeof a));
    CHECK(!strcmp(algkit_rng_info(rng)->type, "rng"));
    IS(algkit_rng_generate(rng, b, 4, b + 2, 4), ALGKIT_EINVAL);
    algkit_rng_free(rng);
}

static void lists(void)
{
    algkit_list *list;
    const struct algkit_info *driver;
    size_t i, found = 0;

    OK(algkit_list_new("gcm(aes)", &list));
    CHECK(algkit_list_count(list) > 1);
    for (i = 0; i < algkit_list_count(list); i++)
        CHECK(!strcmp(algkit_list_get(list, i)->name, "gcm(aes)") && !strcmp(algkit_list_get(list, i)->type, "aead"));
    CHECK(!algkit_list_get(list, i) && !algkit_list_get(list, SIZE_MAX));
    algkit_list_free(list);
    OK(algkit_list_new(NULL, &list));
    for (i = 0; (driver = algkit_list_get(list, i)); i++)
        found += !strcmp(driver->driver, "sha256-generic");
    CHECK(found == 1);
    algkit_list_free(list);
    IS(algkit_list_new("no-such-name", &list), ALGKIT_ENOENT);
    CHECK(!list && algkit_list_count(NULL) == 0 && !algkit_list_get(NULL, 0));
}

/* Wrong arguments change nothing, and nothing crashes. */
static void misuse(void)
{
    unsigned char key[64], iv[16], text[64], before[64], tag[16];
    struct iovec v[2];
    algkit_skcipher *cbc, *none;
    algkit_aead *gcm, *no_aead;
    algkit_hash *hash;
    algkit_aead_state *state;
    algkit_hash_state *message;
    size_t i;

    for (i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)i, text[i] = (unsigned char)(3 * i);
    memset(iv, 1, sizeof iv), memset(tag, 2, sizeof tag), memcpy(before, text, sizeof text);

    CHECK(ALGKIT_ENOENT == -ENOENT && ALGKIT_EIO == -EIO && ALGKIT_EFAULT == -EFAULT && ALGKIT_EINVAL == -EINVAL);
    CHECK(ALGKIT_ENOSPC == -ENOSPC && ALGKIT_EBADMSG == -EBADMSG && ALGKIT_EOVERFLOW == -EOVERFLOW);
    CHECK(ALGKIT_ELIBBAD == -ELIBBAD && ALGKIT_EOPNOTSUPP == -EOPNOTSUPP && ALGKIT_ENOKEY == -ENOKEY);
    CHECK(ALGKIT_ENOTRECOVERABLE == -ENOTRECOVERABLE);

    IS(algkit_skcipher_new(NULL, key, 16, &none), ALGKIT_EFAULT);
    IS(algkit_skcipher_new("cbc(aes)", key, 16, NULL), ALGKIT_EFAULT);
    IS(algkit_skcipher_new("cbc(aes)", NULL, 16, &none), ALGKIT_EFAULT);
    IS(algkit_skcipher_new("cbc(aes)", key, 17, &none), ALGKIT_EINVAL);
    CHECK(!none && strstr(algkit_error_text(), "17"));
    IS(algkit_skcipher_new("cbc(aes)", key, SIZE_MAX, &none), ALGKIT_EINVAL);
    IS(algkit_skcipher_new("cbc(aes)", key, SIZE_MAX / 2 + 1, &none), ALGKIT_EINVAL);
    IS(algkit_skcipher_new("cbc(aes", key, 16, &none), ALGKIT_EINVAL);
    IS(algkit_skcipher_new("\xff\xfe", key, 16, &none), ALGKIT_EINVAL);
    IS(algkit_skcipher_new("no-such(aes)", key, 16, &none), ALGKIT_ENOENT);
    IS(algkit_skcipher_new("aes-256-cbc", key, 16, &none), ALGKIT_ENOENT);
    CHECK(strstr(algkit_error_text(), "did you mean `cbc(aes)`"));
    IS(algkit_skcipher_new("gcm(aes)", key, 16, &none), ALGKIT_ENOENT);
    IS(algkit_skcipher_new("twofish", key, 16, &none), ALGKIT_ENOENT);
    memset(key, 7, 32);
    IS(algkit_skcipher_new("xts(aes)", key, 32, &none), ALGKIT_EINVAL); /* two equal halves */
    IS(algkit_hash_new("cmac(aes)", NULL, 0, &hash), ALGKIT_ENOKEY);
    IS(algkit_hash_new("sha256", key, 5, &hash), ALGKIT_EINVAL);
    CHECK(!none && !hash);

    OK(algkit_skcipher_new("cbc(aes)", key, 16, &cbc));
    OK(algkit_aead_new("gcm(aes)", key, 16, &gcm));
    OK(algkit_hash_new("sha256", NULL, 0, &hash));

    /* Lengths, NULL, overlaps. */
    IS(algkit_skcipher_encrypt(cbc, iv, 15, text, text, 16), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, text, text, 17), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, NULL, 16, text, text, 16), ALGKIT_EFAULT);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, NULL, text, 16), ALGKIT_EFAULT);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, text, NULL, 16), ALGKIT_EFAULT);
    IS(algkit_skcipher_encrypt(NULL, iv, 16, text, text, 16), ALGKIT_EFAULT);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, text, text, SIZE_MAX - 15), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, text, text + 1, 16), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, iv, 16, text + 1, text, 16), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, text + 8, 16, text, text, 16), ALGKIT_EINVAL);
    IS(algkit_skcipher_encrypt(cbc, text + 8, 16, text, text + 32, 16), ALGKIT_EINVAL);
    OK(algkit_skcipher_encrypt(cbc, iv, 16, NULL, NULL, 0));
    IS(algkit_aead_encrypt(gcm, iv, 12, text, 16, text, text, 16, tag, 16), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt(gcm, iv, 12, NULL, 0, text, text, 32, text + 31, 16), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt(gcm, text, 12, NULL, 0, text + 11, text + 11, 32, tag, 16), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt(gcm, iv, 12, NULL, 4, text, text, 32, tag, 16), ALGKIT_EFAULT);
    IS(algkit_aead_encrypt(gcm, iv, 12, NULL, 0, text, text, 32, tag, 17), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt(gcm, iv, 12, NULL, 0, text, text, 32, tag, 3), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt(gcm, iv, 0, NULL, 0, text, text, 32, tag, 16), ALGKIT_EINVAL);
    IS(algkit_aead_start(gcm, iv, 0, &state), ALGKIT_EINVAL);
    CHECK(!state);
    /* Without a place for the tag or the digest a message is ended, too. */
    for (i = 0; i < 2; i++) {
        OK(algkit_aead_start(gcm, iv, 12, &state));
        IS(i ? algkit_aead_verify(state, NULL, 16) : algkit_aead_finish(state, NULL, 16), ALGKIT_EFAULT);
        IS(algkit_aead_finish(state, tag, 16), ALGKIT_EINVAL);
        algkit_aead_state_free(state);
    }
    OK(algkit_hash_start(hash, &message));
    IS(algkit_hash_finish(message, NULL, 32), ALGKIT_EFAULT);
    IS(algkit_hash_finish(message, text, 32), ALGKIT_EINVAL);
    algkit_hash_state_free(message);
    IS(algkit_hash_digest(hash, text, 64, text + 32, 32), ALGKIT_EINVAL);
    IS(algkit_hash_digest(hash, text, SIZE_MAX / 2 + 1, tag, 16), ALGKIT_EINVAL);

    /* Segments. */
    v[0].iov_base = text, v[0].iov_len = 16, v[1].iov_base = text + 8, v[1].iov_len = 16;
    IS(algkit_skcipher_encryptv(cbc, iv, 16, v, 2, v, 2), ALGKIT_EINVAL);
    IS(algkit_skcipher_encryptv(cbc, iv, 16, v, 2, v, 1), ALGKIT_EINVAL);
    v[1].iov_base = text + 16;
    IS(algkit_skcipher_encryptv(cbc, iv, 16, v, 1, v + 1, 0), ALGKIT_EINVAL);
    IS(algkit_skcipher_encryptv(cbc, iv, 16, NULL, 2, v, 2), ALGKIT_EFAULT);
    IS(algkit_skcipher_encryptv(cbc, iv, 16, v, SIZE_MAX, v, SIZE_MAX), ALGKIT_EINVAL);
    v[1].iov_base = NULL;
    IS(algkit_skcipher_encryptv(cbc, iv, 16, v, 2, v, 2), ALGKIT_EFAULT);
    v[1].iov_base = text, v[0].iov_len = v[1].iov_len = SIZE_MAX / 2 - 100000;
    IS(algkit_hash_digestv(hash, v, 2, tag, 16), ALGKIT_EINVAL);
    OK(algkit_skcipher_encryptv(cbc, iv, 16, NULL, 0, NULL, 0));

    /* Handles of another type. */
    IS(algkit_skcipher_encrypt((const algkit_skcipher *)(const void *)gcm, iv, 16, text, text, 16), ALGKIT_EINVAL);
    IS(algkit_aead_encrypt((const algkit_aead *)(const void *)hash, iv, 12, "", 0, text, text, 16, tag, 16), ALGKIT_EINVAL);
    IS(algkit_hash_update((algkit_hash_state *)(void *)hash, text, 16), ALGKIT_EINVAL);
    CHECK(!algkit_hash_info((const algkit_hash *)(const void *)gcm) && !algkit_hash_info(NULL));
    CHECK(algkit_list_count((const algkit_list *)(const void *)cbc) == 0);
    algkit_hash_free((algkit_hash *)(void *)gcm); /* does nothing */
    IS(algkit_aead_new("gcm(aes)", "", 0, &no_aead), ALGKIT_EINVAL);
    algkit_aead_free(no_aead), algkit_skcipher_free(NULL), algkit_hash_free(NULL), algkit_rng_free(NULL);
    algkit_list_free(NULL), algkit_hash_state_free(NULL), algkit_aead_state_free(NULL);
    CHECK(!memcmp(text, before, sizeof text));
    algkit_skcipher_free(cbc), algkit_aead_free(gcm), algkit_hash_free(hash);
}

/* One handle, several threads. */
static const unsigned char GCM_KEY[16] = { 1 };

static void *thread(void *tfm)
{
    unsigned char text[100], tag[16], iv[12] = { 0 };
    algkit_aead *none;
    int i;

    CHECK(!algkit_error_text()[0]); /* another thread's error is not seen here */
    for (i = 0; i < 200; i++) {
        memset(text, i, sizeof text);
        OK(algkit_aead_encrypt((const algkit_aead *)tfm, iv, 12, "", 0, text, text, sizeof text, tag, 16));
        OK(algkit_aead_decrypt((const algkit_aead *)tfm, iv, 12, "", 0, text, text, sizeof text, tag, 16));
        CHECK(text[0] == (unsigned char)i && text[99] == (unsigned char)i);
    }
    IS(algkit_aead_new("no-such-name", "", 0, &none), ALGKIT_ENOENT);
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    algkit_aead *tfm;
    int i;

    OK(algkit_aead_new("gcm(aes)", GCM_KEY, sizeof GCM_KEY, &tfm));
    for (i = 0; i < 4; i++)
        CHECK(!pthread_create(all + i, NULL, thread, tfm));
    for (i = 0; i < 4; i++)
        CHECK(!pthread_join(all[i], NULL));
    algkit_aead_free(tfm);
}

/*
 * The program's handlers of a fork may use the library, whether they were registered before or after the library's own. In a program with
 * the static library, a constructor of this priority runs before the library's.
 */
static algkit_rng *handlers_rng;
static int handled;

static void handler(void)
{
    unsigned char a[16];

    alarm(60); /* what waits for ever is ended, the child too */
    if (handlers_rng)
        OK(algkit_rng_generate(handlers_rng, NULL, 0, a, sizeof a)), handled++;
}

static void __attribute__((constructor(101))) early(void)
{
    CHECK(!pthread_atfork(handler, handler, handler));
}

static void forked_with_handlers(void)
{
    int status;
    pid_t child;

    OK(algkit_rng_new("stdrng", NULL, 0, &handlers_rng));
    CHECK(!pthread_atfork(handler, handler, handler));
    child = fork();
    CHECK(child >= 0 && handled == 4);
    if (!child)
        raise(SIGKILL);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    alarm(0);
    algkit_rng_free(handlers_rng), handlers_rng = NULL;
}

/* A child uses the handle of its parent, and makes its own. */
static void forked(void)
{
    unsigned char text[40] = { 0 }, again[40] = { 0 }, a[32], b[32], iv[12] = { 0 }, tag[16];
    int status, tube[2];
    algkit_aead *tfm, *own;
    algkit_rng *rng;
    pid_t child;

    OK(algkit_aead_new("gcm(aes)", GCM_KEY, sizeof GCM_KEY, &tfm));
    OK(algkit_rng_new("stdrng", NULL, 0, &rng));
    CHECK(!pipe(tube));
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        OK(algkit_aead_encrypt(tfm, iv, 12, "", 0, text, text, sizeof text, tag, 16));
        OK(algkit_aead_new("gcm_base(ctr(aes),ghash)", GCM_KEY, sizeof GCM_KEY, &own));
        OK(algkit_aead_encrypt(own, iv, 12, "", 0, again, again, sizeof again, tag, 16));
        CHECK(!memcmp(text, again, sizeof text));
        OK(algkit_rng_generate(rng, NULL, 0, a, sizeof a));
        CHECK(write(tube[1], a, sizeof a) == (ssize_t)sizeof a);
        algkit_aead_free(own), algkit_aead_free(tfm), algkit_rng_free(rng);
        exit(0);
    }
    OK(algkit_rng_generate(rng, NULL, 0, b, sizeof b));
    CHECK(read(tube[0], a, sizeof a) == (ssize_t)sizeof a && memcmp(a, b, sizeof a));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(tube[0]), close(tube[1]);
    algkit_aead_free(tfm), algkit_rng_free(rng);
}

/* Threads make handles and random bytes while the program forks again and again, and each child does the same. What a thread holds at
 * that moment, no child has to wait for. */
static volatile int busy;

static void *maker(void *rng)
{
    static const char *const names[] = { "ctr(aes)", "hmac(sha256)", "cbc(serpent)", "xts(aes)" };
    unsigned char a[64];
    algkit_list *list;
    int i;

    for (i = 0; busy; i++) {
        OK(algkit_list_new(names[i % 4], &list));
        algkit_list_free(list);
        OK(algkit_rng_generate((const algkit_rng *)rng, NULL, 0, a, sizeof a));
    }
    return NULL;
}

static void forked_among_threads(void)
{
    static const char *const names[] = { "cbc(aes)", "essiv(cbc(aes),sha256)", "cts(cbc(serpent))", "ctr(serpent)", "lrw(aes)" };
    pthread_t all[2];
    algkit_rng *rng;
    int i, status;

    OK(algkit_rng_new("stdrng", NULL, 0, &rng));
    busy = 1;
    for (i = 0; i < 2; i++)
        CHECK(!pthread_create(all + i, NULL, maker, rng));
    for (i = 0; i < 20; i++) {
        pid_t child = fork();

        CHECK(child >= 0);
        if (!child) {
            unsigned char key[32] = { 0, 1 }, a[64];
            algkit_skcipher *tfm;

            alarm(60); /* a child that waits for ever is ended */
            OK(algkit_skcipher_new(names[i % 5], key, sizeof key, &tfm));
            OK(algkit_rng_generate(rng, NULL, 0, a, sizeof a));
            algkit_skcipher_free(tfm);
            raise(SIGKILL); /* without a search for leaks: the other threads' memory is lost here */
        }
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    busy = 0;
    for (i = 0; i < 2; i++)
        CHECK(!pthread_join(all[i], NULL));
    algkit_rng_free(rng);
}

int main(void)
{
    CHECK(!algkit_error_text()[0]);
    CHECK(!strcmp(algkit_version(), VERSION));
    aeads();
    ciphers();
    skciphers();
    hashes();
    states();
    batches();
    random_bytes();
    lists();
    misuse();
    threads();
    forked();
    forked_among_threads();
    forked_with_handlers();
    printf("libalgkit %s: the C interface works\n", algkit_version());
    return 0;
}
