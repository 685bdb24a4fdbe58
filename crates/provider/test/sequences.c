/* Random sequences of calls on a cipher of the provider algkit and on the same cipher of OpenSSL's own: initializations with and without key, IV
 * and cipher, parts of any length, in place and not, ends, copies, tags, IVs. Both must accept the same calls and return the same results.
 * usage: sequences [COUNT [FIRST]]              (OPENSSL_MODULES says where algkit.so is)
 *
 * The sequences leave out calls that make OpenSSL 3.0 crash or return random results: all but initializations while there is no key; associated
 * data for AES-CBC-HMAC; the other direction without a new key (the round keys stay those of the first direction); GCM without an IV (both make
 * a random one); EVP_Cipher with incomplete blocks; CCM whose lengths change after its key. With OpenSSL 4, they leave out a second key to wrap
 * without an initialization, which OpenSSL 3 accepts and OpenSSL 4 refuses. They also leave out the calls that docs/openssl.md says are refused. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static OSSL_LIB_CTX *library;
static EVP_CIPHER *ours[200], *theirs[200];
static unsigned count;
static int ccm_ends; /* whether OpenSSL's CCM has messages without a text, since 3.0.22 */
static unsigned long long state;
static char calls[4000];
static size_t told;

static unsigned below(unsigned n) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return (unsigned)((state * 0x2545F4914F6CDD1Dull >> 33) % n);
}

static void tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    told += (size_t)vsnprintf(calls + told, sizeof calls - told, format, arguments);
    va_end(arguments);
}

static void each(EVP_CIPHER *cipher, void *unused) {
    const char *name = EVP_CIPHER_get0_name(cipher);
    (void)unused;
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "algkit") != 0 || strstr(name, "ETM")) return;
    EVP_CIPHER_up_ref(cipher);
    ours[count] = cipher;
    theirs[count] = EVP_CIPHER_fetch(library, name, "provider=default");
    if (theirs[count++] == NULL) { fprintf(stderr, "the default provider has no %s\n", name); exit(1); }
}

static unsigned char key[80], ivs[4][128], text[3000], out[2][3100];

/* A sequence; returns whether both have agreed. */
static int sequence(void) {
    static const int iv_lens[] = { 0, 1, 7, 8, 11, 12, 13, 16, 60, 128, 129 };
    unsigned which = below(count), steps = 3 + below(12);
    EVP_CIPHER *ciphers[2];
    EVP_CIPHER_CTX *ctx[2] = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };
    const EVP_CIPHER *cipher = ours[which];
    int mode = EVP_CIPHER_get_mode(cipher), block = EVP_CIPHER_get_block_size(cipher), encrypt = 1, agreed = 1, goes_on = 1;
    int authenticates = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) && mode != EVP_CIPH_CBC_MODE, gcm = mode == EVP_CIPH_GCM_MODE;
    int ccm = mode == EVP_CIPH_CCM_MODE, one_key = OPENSSL_version_major() >= 4, wraps = mode == EVP_CIPH_WRAP_MODE, whole = !!(EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS);
    int keyed = 0, with_iv = 0, begun = 0, texted = 0, ended = 0, tagged = 0, told_len = 0, tag_len = 12, pending = 0, padded = 1, iv_len = EVP_CIPHER_get_iv_length(cipher);
    ciphers[0] = ours[which]; ciphers[1] = theirs[which];
    tell("%s\n", EVP_CIPHER_get0_name(cipher));
    for (unsigned step = 0; step < steps && goes_on; step++) {
        unsigned what = step ? below(12) : 0, a = below(4), b = below(3), c = below(3), d = below(8), at = below(4);
        int len = b == 0 ? (int)below(4) : b == 1 ? 16 * (int)below(7) : (int)below(a ? 100 : 2900), ok[2], n[2] = { 0, 0 }, bytes = 0;
        if (what <= 2) {
            int anew = what == 0, direction = (int)c - 1, changes = direction == !encrypt;
            const unsigned char *with = NULL, *iv = b > 0 ? ivs[at] : NULL;
            if (anew && direction < 0) direction = 1;
            if (anew || changes || d < 4) with = key + at;
            /* Between messages only, and with another IV for each of them. */
            if (!anew && authenticates && (begun || ended || gcm)) iv = ivs[at];
            if (anew && (authenticates || mode == EVP_CIPH_XTS_MODE)) iv = ivs[at];
            if (ccm && (ended || told_len) && !anew) continue; /* OpenSSL wants its tag to be read first */
            if (ccm) with = key + at, iv = ivs[at];
            if (!anew && !with && !iv && strcmp(EVP_CIPHER_get0_name(cipher), "ChaCha20") != 0 && texted) continue;
            if (!anew && with && !iv && block == 1 && texted) continue; /* ChaCha20: what of a block was used is not asked for */
            for (int i = 0; i < 2; i++) {
                if (anew) { EVP_CIPHER_CTX_reset(ctx[i]); EVP_CIPHER_CTX_set_flags(ctx[i], EVP_CIPHER_CTX_FLAG_WRAP_ALLOW); }
                ok[i] = EVP_CipherInit_ex(ctx[i], anew ? ciphers[i] : NULL, NULL, with, iv, direction);
            }
            if (anew) padded = 1, iv_len = EVP_CIPHER_get_iv_length(cipher), tag_len = 12, tagged = with_iv = 0;
            if (direction >= 0) encrypt = direction;
            keyed |= with != NULL;
            with_iv |= iv != NULL;
            begun = ended = told_len = pending = 0;
            if (with || iv) texted = 0;
            if (changes || anew) tagged = 0;
            tell("  init: cipher %d, key %d, IV %d, encrypt %d", anew, with ? (int)at : -1, iv ? (int)at : -1, direction);
        } else if (what == 3) { /* a copy, which goes on in the place of the first */
            for (int i = 0; i < 2; i++) {
                EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
                ok[i] = EVP_CIPHER_CTX_copy(copy, ctx[i]);
                if (ok[i]) { EVP_CIPHER_CTX_free(ctx[i]); ctx[i] = copy; } else EVP_CIPHER_CTX_free(copy);
            }
            if (ok[0] && !ok[1]) ok[0] = goes_on = 0; /* OpenSSL has no copies of it */
            tell("  copy");
        } else if (what == 4) {
            for (int i = 0; i < 2; i++) ok[i] = EVP_CIPHER_CTX_set_padding(ctx[i], (int)(a & 1));
            if (!pending && !texted) padded = (int)(a & 1); else goes_on = 0;
            tell("  padding %u", a & 1);
        } else if (what == 5 && authenticates && !begun) {
            int wanted = iv_lens[below(sizeof iv_lens / sizeof iv_lens[0])];
            for (int i = 0; i < 2; i++) ok[i] = EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_IVLEN, wanted, NULL) > 0;
            if (ok[0] && (ccm || wanted != iv_len)) iv_len = wanted, with_iv = 0;
            tell("  length of the IV %d", wanted);
        } else if (what == 6 && authenticates && !begun) {
            int wanted = (int)below(19);
            for (int i = 0; i < 2; i++) ok[i] = EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_TAG, wanted, a ? text : NULL) > 0;
            tagged |= ok[0] && a;
            if (ok[0] && ccm) tag_len = wanted, with_iv = 0;
            tell("  tag of %d, %s", wanted, a ? "given" : "its length");
        } else if (what == 7 && authenticates && encrypt && ended) {
            bytes = ccm ? tag_len : 1 + (int)below(16);
            for (int i = 0; i < 2; i++) ok[i] = EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_GET_TAG, bytes, out[i]) > 0;
            tell("  get a tag of %d", bytes);
        } else if (what == 7 && ccm && keyed && with_iv && !begun && !told_len) {
            told_len = 1 + (int)below(90);
            for (int i = 0; i < 2; i++) ok[i] = EVP_CipherUpdate(ctx[i], NULL, &n[i], NULL, told_len);
            tell("  length %d", told_len);
        } else if (what == 8 && authenticates && keyed && with_iv && !texted && !ended && (!ccm || (told_len && !begun))) {
            for (int i = 0; i < 2; i++) ok[i] = EVP_CipherUpdate(ctx[i], NULL, &n[i], text + 5, len);
            begun |= len > 0;
            tell("  associated data of %d", len);
        } else if (what == 9 && !authenticates && iv_len > 0 && strcmp(EVP_CIPHER_get0_name(cipher), "ChaCha20") != 0) {
            for (int i = 0; i < 2; i++) {
                memset(out[i], 0, 16);
                ok[i] = a & 1 ? EVP_CIPHER_CTX_get_updated_iv(ctx[i], out[i], (size_t)iv_len) : EVP_CIPHER_CTX_get_original_iv(ctx[i], out[i], (size_t)iv_len);
            }
            bytes = iv_len;
            tell("  get the %s IV", a & 1 ? "updated" : "first");
        } else if (what == 10 && keyed && !ended && (!authenticates || (with_iv && (!ccm || ccm_ends) && (encrypt || tagged)))) {
            for (int i = 0; i < 2; i++) ok[i] = EVP_CipherFinal_ex(ctx[i], out[i], &n[i]);
            goes_on = ok[0];
            ended = begun = 1;
            bytes = n[0];
            tell("  end");
        } else if (keyed && !ended && (!authenticates || (with_iv && (encrypt || tagged || !ccm))) && (!(ccm || (wraps && one_key)) || !texted)) {
            int in_place = (int)(a & 1), once = d == 0 && block > 1 && !pending && !wraps && !whole && !authenticates && !strstr(EVP_CIPHER_get0_name(cipher), "HMAC");
            if (ccm && told_len && d) len = told_len;
            if (ccm && !told_len && len == 0) continue;
            if (once) len -= len % block;
            if (in_place && pending) in_place = 0; /* what is kept lies in between */
            if (wraps && len > 90) len = 80;
            for (int i = 0; i < 2; i++) {
                memset(out[i], 0x77, (size_t)len + 64);
                if (in_place) memcpy(out[i], text, (size_t)len);
                if (once) { n[i] = EVP_Cipher(ctx[i], out[i], in_place ? out[i] : text, (unsigned)len); ok[i] = n[i] >= 0; }
                else ok[i] = EVP_CipherUpdate(ctx[i], out[i], &n[i], in_place ? out[i] : text, len);
            }
            bytes = n[0];
            goes_on = ok[0] && !(whole && texted);
            if (len > 0) begun = texted = 1;
            if (ccm) ended = 1;
            if (block > 1 && !once && !wraps && !whole) {
                int all = pending + len;
                pending = all % block ? all % block : padded && !encrypt && all > 0 ? block : 0;
            }
            tell("  %s of %d%s", once ? "EVP_Cipher" : "update", len, in_place ? ", in place" : "");
        } else continue;
        tell(": %d %d, %d %d\n", ok[0], ok[1], n[0], n[1]);
        agreed = !!ok[0] == !!ok[1] && (!ok[0] || (n[0] == n[1] && (bytes <= 0 || memcmp(out[0], out[1], (size_t)bytes) == 0)));
        if (!agreed) break;
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
    return agreed;
}

/* Decrypts a message without a text, whose tag is wrong. */
static int ends_unchecked(void) {
    EVP_CIPHER *ccm = EVP_CIPHER_fetch(library, "AES-128-CCM", "provider=default");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, ended;
    ended = EVP_DecryptInit_ex(ctx, ccm, NULL, NULL, NULL) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 12, key) > 0
        && EVP_DecryptInit_ex(ctx, NULL, NULL, key, ivs[0]) && EVP_DecryptFinal_ex(ctx, text, &n);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(ccm);
    return ended;
}

int main(int argc, char **argv) {
    unsigned long number = argc > 1 ? strtoul(argv[1], NULL, 0) : 20000, first = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, differ = 0;
    library = OSSL_LIB_CTX_new();
    if (!OSSL_PROVIDER_load(library, "default") || !OSSL_PROVIDER_load(library, "algkit")) { ERR_print_errors_fp(stderr); return 1; }
    state = 88172645463325252ull;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)below(256);
    for (size_t i = 0; i < sizeof key; i++) key[i] = (unsigned char)below(256);
    for (size_t i = 0; i < sizeof ivs; i++) ivs[i / 128][i % 128] = (unsigned char)below(256);
    EVP_CIPHER_do_all_provided(library, each, NULL);
    ccm_ends = !ends_unchecked();
    ERR_clear_error();
    for (unsigned long i = first; i < first + number; i++) {
        state = i * 0x9E3779B97F4A7C15ull + 88172645463325252ull;
        told = 0;
        for (int j = 0; j < 8; j++) below(2);
        if (!sequence()) { differ++; if (differ < 20) fprintf(stderr, "sequence %lu: %s\n", i, calls); }
    }
    printf("%lu sequences of calls over %u ciphers: %lu differ\n", number, count, differ);
    return differ > 0 || count < 80;
}
