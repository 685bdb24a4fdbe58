/* AF_ALG, NETLINK_CRYPTO's text and nothing else: published examples of a hash, a cipher and an AEAD. Built with and
 * without -static. On AArch64, with the argument `tagged`, addresses that go to the kernel have a tag in their highest
 * byte, which the CPU ignores (Documentation/arm64/tagged-address-abi.rst). */
#include "check.h"
#include "vectors.h"
#include <linux/if_alg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static uintptr_t tag;

static void *at(const void *address)
{
    return (void *)((uintptr_t)address | tag);
}

static int operation(const char *type, const char *name, const char *key_digits, unsigned tag_len)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG};
    uint8_t key[64];
    strcpy((char *)address.salg_type, type);
    strcpy((char *)address.salg_name, name);
    int transform = socket(AF_ALG, SOCK_SEQPACKET, 0);
    CHECK(transform >= 0);
    CHECK(bind(transform, at(&address), sizeof address) == 0);
    if (key_digits)
        CHECK(setsockopt(transform, SOL_ALG, ALG_SET_KEY, at(key), unhex(key, key_digits)) == 0);
    if (tag_len)
        CHECK(setsockopt(transform, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, tag_len) == 0);
    int op = accept(transform, NULL, NULL);
    CHECK(op >= 0);
    CHECK(close(transform) == 0);
    return op;
}

static void put(int op, uint32_t direction, const char *iv_digits, uint32_t aad, const uint8_t *text, size_t len)
{
    struct {
        struct cmsghdr head;
        uint32_t op, pad;
        struct cmsghdr iv_head;
        uint32_t iv_len;
        uint8_t iv[20];
        struct cmsghdr aad_head;
        uint32_t aad, pad2;
    } c = {.head = {CMSG_LEN(4), SOL_ALG, ALG_SET_OP},
           .op = direction,
           .iv_head = {CMSG_LEN(4 + 16), SOL_ALG, ALG_SET_IV},
           .aad_head = {CMSG_LEN(4), SOL_ALG, ALG_SET_AEAD_ASSOCLEN},
           .aad = aad};
    c.iv_len = unhex(c.iv, iv_digits);
    struct iovec piece = {at(text), len};
    struct msghdr m = {.msg_iov = at(&piece), .msg_iovlen = 1, .msg_control = at(&c), .msg_controllen = sizeof c};
    CHECK(sendmsg(op, at(&m), 0) == (ssize_t)len);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "tagged")) {
        CHECK(prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) == 0);
        tag = (uintptr_t)0x5a << 56;
    }
    uint8_t texts[3][128], *text = at(texts[0]), *out = at(texts[1]), *back = at(texts[2]);
    int op = operation("hash", "sha256", NULL, 0);
    CHECK(send(op, "a", 1, MSG_MORE) == 1 && write(op, "bc", 2) == 2);
    CHECK(read(op, out, 32) == 32 && is(out, SHA256_ABC));
    close(op);

    op = operation("skcipher", "cbc(aes)", SP38A_KEY, 0);
    unhex(text, SP38A_TEXT);
    put(op, ALG_OP_ENCRYPT, SP38A_IV, 0, text, 64);
    CHECK(read(op, out, 64) == 64 && is(out, SP38A_CBC));
    put(op, ALG_OP_DECRYPT, SP38A_IV, 0, out, 64);
    CHECK(read(op, back, 64) == 64 && !memcmp(back, text, 64));
    close(op);

    op = operation("aead", "gcm(aes)", GCM_KEY, 16);
    size_t aad = unhex(text, GCM_AAD), len = aad + unhex(text + aad, GCM_TEXT);
    put(op, ALG_OP_ENCRYPT, GCM_IV, aad, text, len);
    CHECK(read(op, out, len + 16) == (ssize_t)len + 16 && is(out + aad, GCM_SEALED GCM_TAG));
    put(op, ALG_OP_DECRYPT, GCM_IV, aad, out, len + 16);
    CHECK(read(op, back, len) == (ssize_t)len && !memcmp(back, text, len));
    out[len] ^= 1;
    put(op, ALG_OP_DECRYPT, GCM_IV, aad, out, len + 16);
    errno = 0;
    CHECK(read(op, back, len) == -1 && errno == EBADMSG);
    close(op);

    FILE *list = fopen("/proc/crypto", "r");
    CHECK(list);
    char line[256];
    unsigned names = 0;
    while (fgets(line, sizeof line, list))
        names += !strncmp(line, "name ", 5);
    CHECK(names > 20);
    fclose(list);
    return done();
}
