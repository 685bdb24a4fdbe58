/* Counts how often a signal ends a call on an AF_ALG socket. A timer sends SIGALRM every 200 microseconds while the
 * program makes requests of cbc(aes) by sendmsg and read.
 *
 * interrupted [SECONDS [restart]]: prints the numbers of signals, of sends and of receives that failed with EINTR, and
 * of requests. With the second argument, the handler has SA_RESTART. Each request has another text than the one before.
 * The program fails if it receives anything but the ciphertext of the text that it has sent, so if a request was sent
 * twice or lost. */
#include <errno.h>
#include <linux/if_alg.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void on_alarm(int signal)
{
    (void)signal;
    signals++;
}

/* SP 800-38A, F.2.1 (CBC-AES128), in four requests: the IV of each but the first is the ciphertext before it. */
static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const uint8_t texts[4][16] = {
    {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a},
    {0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51},
    {0x30, 0xc8, 0x1c, 0x46, 0xa3, 0x5c, 0xe4, 0x11, 0xe5, 0xfb, 0xc1, 0x19, 0x1a, 0x0a, 0x52, 0xef},
    {0xf6, 0x9f, 0x24, 0x45, 0xdf, 0x4f, 0x9b, 0x17, 0xad, 0x2b, 0x41, 0x7b, 0xe6, 0x6c, 0x37, 0x10}};
/* The IV, then the ciphertexts. */
static const uint8_t chain[5][16] = {
    {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    {0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d},
    {0x50, 0x86, 0xcb, 0x9b, 0x50, 0x72, 0x19, 0xee, 0x95, 0xdb, 0x11, 0x3a, 0x91, 0x76, 0x78, 0xb2},
    {0x73, 0xbe, 0xd6, 0xb8, 0xe3, 0xc1, 0x74, 0x3b, 0x71, 0x16, 0xe6, 0x9e, 0x22, 0x22, 0x95, 0x16},
    {0x3f, 0xf1, 0xca, 0xa1, 0x68, 0x1f, 0xac, 0x09, 0x12, 0x0e, 0xca, 0x30, 0x75, 0x86, 0xe1, 0xa7}};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    const time_t seconds = argc > 1 ? atoi(argv[1]) : 3;
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

    uint8_t result[64];
    ssize_t received;
    char control[CMSG_SPACE(4) + CMSG_SPACE(20)] __attribute__((aligned(8))) = {0};
    struct iovec piece = {.iov_len = 16};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    memcpy(CMSG_DATA(head), &(uint32_t){ALG_OP_ENCRYPT}, 4);
    head = CMSG_NXTHDR(&message, head);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(20), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_IV};
    memcpy(CMSG_DATA(head), &(uint32_t){16}, 4);

    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = argc > 2 ? SA_RESTART : 0};
    struct itimerval timer = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    const time_t end = time(NULL) + seconds;
    unsigned long sends = 0, receives = 0, requests = 0;
    for (; time(NULL) < end; requests++) {
        const int block = requests % 4;
        piece.iov_base = (void *)texts[block];
        memcpy(CMSG_DATA(head) + 4, chain[block], 16);
        while (sendmsg(operation, &message, 0) < 0) {
            if (errno != EINTR)
                fail("sendmsg");
            sends++;
        }
        while ((received = read(operation, result, sizeof result)) < 0) {
            if (errno != EINTR)
                fail("read");
            receives++;
        }
        if (received != 16 || memcmp(result, chain[block + 1], 16)) {
            fprintf(stderr, "request %lu: not the ciphertext of the text that was sent\n", requests);
            return 1;
        }
    }
    setitimer(ITIMER_REAL, &off, NULL);
    printf("%d %lu %lu %lu\n", signals, sends, receives, requests);
    return 0;
}
