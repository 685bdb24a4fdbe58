/* The cost of a 16-byte request of cbc(aes) over AF_ALG: sendmsg with operation and IV, then read.
 *
 * request_cost [REQUESTS]: prints the best of ten rounds, in nanoseconds a request. */
#include <linux/if_alg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* AES-128-CBC of SP 800-38A, F.2.1: key, IV, first block of plaintext and of ciphertext. */
static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const uint8_t iv[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t text[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
static const uint8_t expected[16] = {0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    const unsigned long requests = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
    const struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "skcipher", .salg_name = "cbc(aes)"};
    int transform = socket(AF_ALG, SOCK_SEQPACKET, 0);
    if (transform < 0)
        fail("socket");
    if (bind(transform, (const struct sockaddr *)&address, sizeof address) < 0)
        fail("bind");
    if (setsockopt(transform, SOL_ALG, ALG_SET_KEY, key, sizeof key) < 0)
        fail("ALG_SET_KEY");
    int operation = accept(transform, NULL, NULL);
    if (operation < 0)
        fail("accept");

    char control[CMSG_SPACE(4) + CMSG_SPACE(4 + sizeof iv)] __attribute__((aligned(8))) = {0};
    struct iovec piece = {(void *)text, sizeof text};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    memcpy(CMSG_DATA(c), &(uint32_t){ALG_OP_ENCRYPT}, 4);
    c = CMSG_NXTHDR(&message, c);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4 + sizeof iv), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_IV};
    memcpy(CMSG_DATA(c), &(uint32_t){sizeof iv}, 4);
    memcpy(CMSG_DATA(c) + 4, iv, sizeof iv);

    double best = 1e30;
    for (int round = 0; round < 10; round++) {
        uint8_t out[16];
        const double start = now();
        for (unsigned long i = 0; i < requests / 10; i++) {
            if (sendmsg(operation, &message, 0) != sizeof text)
                fail("sendmsg");
            if (read(operation, out, sizeof out) != sizeof out)
                fail("read");
        }
        const double each = (now() - start) / (requests / 10);
        if (each < best)
            best = each;
        if (memcmp(out, expected, sizeof out)) {
            fputs("wrong ciphertext\n", stderr);
            return 1;
        }
    }
    printf("%.0f\n", best);
    return 0;
}
