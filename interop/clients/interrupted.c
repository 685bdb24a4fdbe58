/* Counts how often a signal ends a call on an AF_ALG socket. A timer sends SIGALRM every 200 microseconds while the
 * program makes requests of cbc(aes) by sendmsg and read.
 *
 * interrupted [SECONDS [restart]]: prints the numbers of signals, of sends and of receives that failed with EINTR, and
 * of requests. With the second argument, the handler has SA_RESTART. The program fails if the length of what it receives
 * shows that a request was sent twice or lost. */
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
    if (setsockopt(transform, SOL_ALG, ALG_SET_KEY, "0123456789abcdef", 16) < 0)
        fail("ALG_SET_KEY");
    int operation = accept(transform, NULL, NULL);
    if (operation < 0)
        fail("accept");

    uint8_t text[16] = {0}, result[64];
    ssize_t received;
    char control[CMSG_SPACE(4)] __attribute__((aligned(8))) = {0};
    struct iovec piece = {text, sizeof text};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *CMSG_FIRSTHDR(&message) = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &(uint32_t){ALG_OP_ENCRYPT}, 4);

    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = argc > 2 ? SA_RESTART : 0};
    struct itimerval timer = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    const time_t end = time(NULL) + seconds;
    unsigned long sends = 0, receives = 0, requests = 0;
    for (; time(NULL) < end; requests++) {
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
        if (received != sizeof text)
            fail("another length than was sent");
    }
    setitimer(ITIMER_REAL, &off, NULL);
    printf("%d %lu %lu %lu\n", signals, sends, receives, requests);
    return 0;
}
