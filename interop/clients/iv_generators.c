/* AEADs that make their IVs, over AF_ALG: one implementation must open what another has sealed.
 *
 * iv_generators seal: prints a line for each message: its number, the associated data, and what was sealed.
 * iv_generators open FILE: opens the messages of FILE and compares the text. */
#include "check.h"
#include <linux/if_alg.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_TEXT 300

static const struct generator {
    const char *name, *key;
    unsigned iv, assoc, tag, block;
} generators[] = {
    /* A key of 16 bytes and a salt of 4. */
    {"seqiv(rfc4106(gcm(aes)))", "000102030405060708090a0b0c0d0e0fa0a1a2a3", 8, 8, 16, 1},
    {"seqiv(rfc4543(gcm(aes)))", "101112131415161718191a1b1c1d1e1fb0b1b2b3", 8, 12, 16, 1},
    /* rtattr of 8 bytes with the length of the cipher's key, a key for HMAC, and one for AES. */
    {"echainiv(authenc(hmac(sha1),cbc(aes)))",
     "0800010000000010202122232425262728292a2b2c2d2e2f30313233404142434445464748494a4b4c4d4e4f", 16, 8, 12, 16},
    {"echainiv(authenc(hmac(sha256),cbc(aes)))",
     "0800010000000010505152535455565758595a5b5c5d5e5f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f",
     16, 12, 16, 16},
};
#define GENERATORS (sizeof generators / sizeof *generators)

static const unsigned lengths[] = {0, 1, 16, 31, 64, 100, 256, 300};
#define LENGTHS (sizeof lengths / sizeof *lengths)

static int operation(const struct generator *g)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "aead"};
    uint8_t key[128];
    snprintf((char *)address.salg_name, sizeof address.salg_name, "%s", g->name);
    int transform = socket(AF_ALG, SOCK_SEQPACKET, 0);
    CHECK(transform >= 0);
    CHECK(bind(transform, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(setsockopt(transform, SOL_ALG, ALG_SET_KEY, key, unhex(key, g->key)) == 0);
    CHECK(setsockopt(transform, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, g->tag) == 0);
    int op = accept(transform, NULL, NULL);
    CHECK(op >= 0);
    close(transform);
    return op;
}

/* One request; `in` is associated data and text, the result has the associated data too. */
static void process(int op, uint32_t direction, const struct generator *g, unsigned number, const uint8_t *in, size_t len,
                    uint8_t *out, size_t room)
{
    char control[CMSG_SPACE(4) + CMSG_SPACE(4 + 16) + CMSG_SPACE(4)] __attribute__((aligned(8))) = {0};
    struct iovec piece = {(void *)in, len};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = CMSG_SPACE(4) + CMSG_SPACE(4 + g->iv) + CMSG_SPACE(4)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    memcpy(CMSG_DATA(c), &direction, 4);
    c = CMSG_NXTHDR(&message, c);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4 + g->iv), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_IV};
    memcpy(CMSG_DATA(c), &(uint32_t){g->iv}, 4);
    /* The packet's number, at the end. */
    CMSG_DATA(c)[4 + g->iv - 1] = number;
    c = CMSG_NXTHDR(&message, c);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_AEAD_ASSOCLEN};
    memcpy(CMSG_DATA(c), &(uint32_t){g->assoc}, 4);
    CHECK(sendmsg(op, &message, 0) == (ssize_t)len);
    CHECK(read(op, out, room) == (ssize_t)room);
}

/* Associated data, room for the IV, and the text of message `number`, which is the same everywhere. */
static size_t message(const struct generator *g, unsigned number, uint8_t *to)
{
    size_t text = lengths[number % LENGTHS] / g->block * g->block, len = g->assoc + g->iv + text;
    for (size_t i = 0; i < len; i++)
        to[i] = i < g->assoc || i >= g->assoc + g->iv ? 7 * i + 31 * number : 0;
    return len;
}

static void seal(void)
{
    for (size_t i = 0; i < GENERATORS; i++) {
        int op = operation(&generators[i]);
        for (unsigned number = 1; number <= 2 * LENGTHS; number++) {
            uint8_t plain[MAX_TEXT + 64], sealed[MAX_TEXT + 64];
            size_t len = message(&generators[i], number, plain), whole = len + generators[i].tag;
            process(op, ALG_OP_ENCRYPT, &generators[i], number, plain, len, sealed, whole);
            printf("%zu %u ", i, number);
            for (size_t at = 0; at < whole; at++)
                printf("%02x", sealed[at]);
            putchar('\n');
        }
        close(op);
    }
}

static void open_all(const char *file)
{
    FILE *from = fopen(file, "r");
    CHECK(from);
    int ops[GENERATORS];
    for (size_t i = 0; i < GENERATORS; i++)
        ops[i] = operation(&generators[i]);
    size_t i, lines = 0;
    unsigned number;
    for (char digits[2 * (MAX_TEXT + 64) + 1]; fscanf(from, "%zu %u %728s", &i, &number, digits) == 3; lines++) {
        CHECK(i < GENERATORS);
        const struct generator *g = &generators[i];
        uint8_t sealed[MAX_TEXT + 64], plain[MAX_TEXT + 64], opened[MAX_TEXT + 64];
        size_t whole = unhex(sealed, digits), len = message(g, number, plain);
        CHECK(whole == len + g->tag);
        /* The IV is part of the sealed message, so the request's number is not used. */
        process(ops[i], ALG_OP_DECRYPT, g, 0, sealed, whole, opened, len);
        CHECK(!memcmp(opened, plain, g->assoc));
        CHECK(!memcmp(opened + g->assoc + g->iv, plain + g->assoc + g->iv, len - g->assoc - g->iv));
    }
    CHECK(lines == 2 * LENGTHS * GENERATORS);
    printf("%zu messages opened\n", lines);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "seal"))
        seal();
    else if (argc == 3 && !strcmp(argv[1], "open"))
        open_all(argv[2]);
    else
        return 2;
    return 0;
}
