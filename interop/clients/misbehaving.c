/* Threads that misuse AF_ALG, beside threads that use it correctly: misuse gives errors and does not disturb the others. */
#define _GNU_SOURCE
#include "check.h"
#include "vectors.h"
#include <fcntl.h>
#include <linux/if_alg.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile int stop;

static int transform(const char *type, const char *name)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG};
    strcpy((char *)address.salg_type, type);
    strcpy((char *)address.salg_name, name);
    int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void *bad(void *start)
{
    uint64_t x = (uintptr_t)start * 0x9e3779b97f4a7c15 + 1;
    uint8_t junk[4096];
    while (!stop) {
        for (size_t i = 0; i < sizeof junk; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            junk[i] = x;
        }
        struct sockaddr_storage address;
        memcpy(&address, junk, sizeof address);
        address.ss_family = AF_ALG;
        int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
        bind(fd, (struct sockaddr *)&address, x % 140);
        close(fd);
        fd = transform(x & 1 ? "skcipher" : "aead", x & 1 ? "cbc(aes)" : "gcm(aes)");
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_ALG, x % 8, junk, x % 64);
        setsockopt(fd, SOL_ALG, ALG_SET_KEY, junk, 16);
        int op = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
        struct iovec piece = {junk, x % 4096};
        struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = junk + 128, .msg_controllen = x % 512};
        for (int i = 0; i < 8; i++) {
            /* Sometimes, a header that is almost right. */
            if (i & 1)
                *(struct cmsghdr *)(junk + 128) = (struct cmsghdr){CMSG_LEN(4) + x % 3, SOL_ALG, x % 6};
            sendmsg(op, &m, x & MSG_MORE);
            recv(op, junk + 2048, x % 2048, 0);
            x = x * 6364136223846793005 + 1;
        }
        close(op);
        close(fd);
        fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO);
        send(fd, junk, x % 1024, MSG_DONTWAIT);
        recv(fd, junk, sizeof junk, MSG_DONTWAIT);
        close(fd);
        fd = open("/dev/crypto", O_RDWR);
        for (int i = 0; i < 16; i++)
            ioctl(fd, 0xc0006300 | (x >> i & 0x7f) | (x >> 8 & 0x3f) << 16, NULL);
        close(fd);
    }
    return NULL;
}

static void *good(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        uint8_t out[32];
        int tfm = transform("hash", "sha256");
        CHECK(tfm >= 0);
        int op = accept(tfm, NULL, NULL);
        CHECK(op >= 0);
        CHECK(send(op, "abc", 3, 0) == 3);
        CHECK(recv(op, out, 32, 0) == 32 && is(out, SHA256_ABC));
        close(op);
        close(tfm);
    }
    return NULL;
}

int main(void)
{
    pthread_t wrong[3], right[3];
    for (uintptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&wrong[i], NULL, bad, (void *)(i + 1)) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&right[i], NULL, good, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(right[i], NULL) == 0);
    stop = 1;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(wrong[i], NULL) == 0);
    return done();
}
