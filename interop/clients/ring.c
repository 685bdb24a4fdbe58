/* Uses served descriptors in ways that the preloaded library does not see: by io_uring and by a stream of the C library. Each first
 * request must fail, with ENOTCONN and after epoll with EPIPE, and no text may come back. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void check(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static void *map(int ring, size_t length, off_t at)
{
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, at);
    check(memory != MAP_FAILED, "mmap");
    return memory;
}

/* The result of one request by io_uring. */
static int by_ring(int operation, int fd, void *buffer, unsigned length)
{
    struct io_uring_params with = {0};
    int ring = syscall(SYS_io_uring_setup, 1, &with);
    check(ring >= 0, "io_uring_setup: this test needs a kernel with io_uring (kernel.io_uring_disabled=0)");
    char *submitted = map(ring, with.sq_off.array + with.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
    char *completed = map(ring, with.cq_off.cqes + with.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
    struct io_uring_sqe *entries = map(ring, with.sq_entries * sizeof *entries, IORING_OFF_SQES);
    entries[0] = (struct io_uring_sqe){.opcode = operation, .fd = fd, .addr = (uintptr_t)buffer, .len = length};
    if (operation == IORING_OP_RECV)
        entries[0].msg_flags = MSG_DONTWAIT;
    *(uint32_t *)(submitted + with.sq_off.array) = 0;
    __atomic_store_n((uint32_t *)(submitted + with.sq_off.tail), 1, __ATOMIC_RELEASE);
    check(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1, "io_uring_enter");
    int result = ((struct io_uring_cqe *)(completed + with.cq_off.cqes))->res;
    close(ring);
    return result;
}

int main(void)
{
    const struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "skcipher", .salg_name = "cbc(aes)"};
    char text[16] = "fifteen letters", back[64];
    int transform = socket(AF_ALG, SOCK_SEQPACKET, 0), waiting = epoll_create1(0);
    check(transform >= 0, "socket");
    check(bind(transform, (const struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(setsockopt(transform, SOL_ALG, ALG_SET_KEY, text, 16) == 0, "ALG_SET_KEY");
    for (int polled = 0; polled < 2; polled++) {
        int operation = accept(transform, NULL, NULL);
        check(operation >= 0, "accept");
        struct epoll_event event = {EPOLLIN | EPOLLOUT, {0}};
        int refusal = polled ? EPIPE : ENOTCONN;
        check(!polled || epoll_ctl(waiting, EPOLL_CTL_ADD, operation, &event) == 0, "epoll_ctl");
        check(by_ring(IORING_OP_SEND, operation, text, sizeof text) == -refusal, "a send by io_uring");
        check(by_ring(IORING_OP_WRITE, operation, text, sizeof text) == -refusal, "a write by io_uring");
        FILE *stream = fdopen(operation, "w");
        check(stream && fwrite(text, 1, sizeof text, stream) == sizeof text, "fwrite");
        check(fflush(stream) == EOF && errno == refusal, "fflush");
        check(by_ring(IORING_OP_RECV, operation, back, sizeof back) < (int)sizeof text, "a receive by io_uring");
    }
    return 0;
}
