#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int open_kind(unsigned kind, int *tfm)
{
    *tfm = kind == 0   ? open_transform("skcipher", chance(50) ? "cbc(aes)" : "ctr(aes)")
           : kind == 1 ? open_transform("hash", "sha256")
                       : open_transform("aead", "gcm(aes)");
    if (*tfm < 0)
        return -1;
    if (kind != 1)
        set_random_key(*tfm, 16);
    return take(*tfm);
}

/* Asynchronous requests: raw system calls, one context for all operations. */
void aio_operation(void)
{
    static aio_context_t context;
    static int event_fd = -1;
    struct iocb blocks[4], *list[4];
    struct io_event done[4];
    struct timespec soon = {5, 0}, now = {0, 0};
    unsigned kind = below(3), n = 1 + below(3);
    int tfm, op = open_kind(kind, &tfm);
    if (op < 0) {
        leave(tfm);
        return;
    }
    if (!context) {
        if (syscall(SYS_io_setup, 16, &context) < 0) {
            say(" io_setup");
            outcome(-1);
            return;
        }
        event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }
    struct request r = {kind == 1 ? -1 : ALG_OP_ENCRYPT, kind == 1 ? -1 : kind == 2 ? 12 : 16, -1, 16 * below(20), 1,
                        chance(20) ? MSG_MORE : 0};
    if (!chance(10))
        put(op, &r);
    memset(blocks, 0, sizeof blocks);
    memset(out_arena, 0xaa, 1 << 14);
    uint8_t *at = out_arena, *into[4];
    struct iovec pieces[4][2];
    for (unsigned i = 0; i < n; i++) {
        struct iocb *b = list[i] = &blocks[i];
        size_t len = i + 1 == n && chance(70) ? r.len + (kind == 2 ? 16 : kind == 1 ? 32 : 0) : 16 * below(12);
        b->aio_fildes = op;
        b->aio_data = 1000 + i;
        b->aio_buf = (uintptr_t)at;
        into[i] = at;
        b->aio_nbytes = len;
        b->aio_lio_opcode = IOCB_CMD_PREAD;
        if (chance(30)) {
            pieces[i][0] = (struct iovec){at, len / 2};
            pieces[i][1] = (struct iovec){at + len / 2, len - len / 2};
            b->aio_lio_opcode = IOCB_CMD_PREADV;
            b->aio_buf = (uintptr_t)pieces[i];
            b->aio_nbytes = 2;
        }
        if (kind == 1 && chance(30)) {
            fill(at, len);
            b->aio_buf = (uintptr_t)at;
            b->aio_nbytes = len;
            b->aio_lio_opcode = IOCB_CMD_PWRITE;
        }
        if (chance(60)) {
            b->aio_flags = IOCB_FLAG_RESFD;
            b->aio_resfd = event_fd;
        }
        switch (below(30)) {
        case 0:
            b->aio_lio_opcode = 40 + below(10);
            break;
        case 1:
            b->aio_fildes = 999999;
            break;
        case 2:
            b->aio_offset = 16;
            break;
        case 3:
            b->aio_reserved2 = 1;
            break;
        case 4:
            b->aio_flags |= 1 << below(6);
            break;
        case 5:
            b->aio_nbytes = -1;
            break;
        case 6:
            b->aio_flags = IOCB_FLAG_RESFD;
            b->aio_resfd = op;
            break;
        case 7:
            b->aio_rw_flags = 1 << below(12);
            break;
        }
        if (b->aio_nbytes < 4096 && b->aio_lio_opcode == IOCB_CMD_PREAD)
            at += b->aio_nbytes;
        else
            at += 1024;
        say(" iocb(%u,%lld,%lld,%x", b->aio_lio_opcode, (long long)b->aio_offset, (long long)b->aio_nbytes,
            b->aio_flags);
        if (b->aio_rw_flags || b->aio_reserved2)
            say(",rw%x,reserved%llu", b->aio_rw_flags, (unsigned long long)b->aio_reserved2);
        if (b->aio_flags & IOCB_FLAG_RESFD && b->aio_resfd != (unsigned)event_fd)
            say(",no eventfd");
        if (b->aio_fildes != (unsigned)op)
            say(",no file");
        say(")");
    }
    say(" io_submit(%u)", n);
    long submitted = outcome(syscall(SYS_io_submit, context, n, list));
    if (submitted < 0)
        submitted = 0;
    say(" io_getevents");
    long events = outcome(syscall(SYS_io_getevents, context, submitted, 4, done, submitted ? &soon : &now));
    for (unsigned tag = 1000; tag < 1004; tag++) /* completions come in any order */
        for (long i = 0; i < events; i++)
            if (done[i].data == tag) {
                say(" [%u %lld %lld]", tag, (long long)done[i].res, (long long)done[i].res2);
                if (done[i].obj != (uintptr_t)&blocks[tag - 1000])
                    say("wrong object");
                if (done[i].res > 0 && blocks[tag - 1000].aio_lio_opcode != IOCB_CMD_PWRITE)
                    digest(into[tag - 1000], done[i].res);
            }
    uint64_t signalled = 0;
    say(" eventfd");
    if (read(event_fd, &signalled, 8) == 8)
        say("=%llu", (unsigned long long)signalled);
    else
        outcome(-1);
    if (chance(5)) {
        struct io_event unused;
        say(" io_cancel");
        outcome(syscall(SYS_io_cancel, context, &blocks[0], &unused));
    }
    leave(op);
    leave(tfm);
}

/* splice, vmsplice and sendfile, into a socket and out of it. */
void splice_operation(void)
{
    unsigned kind = below(3), n = 2 + below(5), tag = kind == 2 ? 16 : 0;
    int tfm, op = open_kind(kind, &tfm), ends[2];
    if (op < 0) {
        leave(tfm);
        return;
    }
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
        say(" pipe2 failed");
    if (kind != 1) {
        struct request r = {below(2), kind == 2 ? 12 : 16, kind == 2 ? 0 : -1, chance(70) ? 0 : 32, 1, MSG_MORE};
        put(op, &r);
    }
    size_t piped = 0;
    while (n--) {
        size_t len = chance(60) ? 16 * (1 + below(10)) : chance(50) ? length() : 16 * below(1200);
        unsigned more = chance(40) ? SPLICE_F_MORE : 0;
        switch (below(8)) {
        case 0:
        case 1: {
            struct iovec v = {in_arena + 16384 * n, len > 16384 ? 16384 : len};
            if (!v.iov_len)
                continue;
            fill(v.iov_base, v.iov_len);
            say(" vmsplice(%zu)", v.iov_len);
            long put = outcome(vmsplice(ends[1], &v, 1, SPLICE_F_NONBLOCK));
            if (put > 0)
                piped += put;
            break;
        }
        case 2:
        case 3:
            if (chance(70))
                len = piped;
            say(" splice(%zu%s)", len, more ? ",more" : "");
            long moved = outcome(splice(ends[0], NULL, op, NULL, len, more | SPLICE_F_NONBLOCK));
            if (moved > 0)
                piped -= moved;
            break;
        case 4: {
            int file = memfd_create("text", MFD_CLOEXEC);
            if (len > 60000)
                len = 60000;
            fill(in_arena, len);
            if (write(file, in_arena, len) != (ssize_t)len)
                say(" memfd");
            off_t offset = chance(50) ? 0 : below(len + 1);
            size_t count = chance(70) ? len - offset : length();
            say(" sendfile(%lld,%zu of %zu)", (long long)offset, count, len);
            outcome(sendfile(op, file, &offset, count));
            say(":%lld", (long long)offset);
            close(file);
            break;
        }
        case 5:
            get(op, chance(50) ? len : piped + tag, 1, 0, true);
            break;
        case 6: {
            /* Out of the socket. */
            int out[2];
            if (pipe2(out, O_NONBLOCK | O_CLOEXEC) < 0)
                say(" pipe2 failed");
            if (len > 40000)
                len = 40000;
            say(" splice out(%zu)", len);
            long got = outcome(splice(op, NULL, out[1], NULL, len, SPLICE_F_NONBLOCK));
            if (got > 0) {
                long have = read(out[0], out_arena, got);
                if (have != got)
                    say("[%ld]", have);
                digest(out_arena, have > 0 ? have : 0);
            }
            close(out[0]);
            close(out[1]);
            if (got < 0)
                n = 0;
            break;
        }
        default:
            look(op);
        }
    }
    close(ends[0]);
    close(ends[1]);
    leave(op);
    leave(tfm);
}
