#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* An operation socket of a keyed cbc(aes) or of sha256. */
static int ready(int *tfm, bool hash)
{
    *tfm = hash ? open_transform("hash", "sha256") : open_transform("skcipher", "cbc(aes)");
    if (*tfm < 0)
        return -1;
    if (!hash)
        set_random_key(*tfm, 16);
    return take(*tfm);
}

/* Every call that moves data, and those that a socket does not take. */
void calls_operation(void)
{
    bool hash = chance(50);
    int tfm, op = ready(&tfm, hash);
    unsigned n = 2 + below(7);
    if (op < 0) {
        leave(tfm);
        return;
    }
    if (!hash) {
        struct request r = {below(2), 16, -1, 16 * below(3), 1, MSG_MORE};
        put(op, &r);
    }
    while (n--) {
        size_t len = chance(80) ? 16 * below(8) : below(100);
        struct iovec v[3] = {{in_arena, len / 2}, {in_arena + 5000, 0}, {in_arena + len / 2, len - len / 2}};
        struct iovec to[3] = {{out_arena, len / 3}, {out_arena + len / 3, 0}, {out_arena + len / 3, len - len / 3}};
        int more = chance(40) ? MSG_MORE : 0;
        long got = -1;
        fill(in_arena, len);
        memset(out_arena, 0xaa, 1024);
        switch (below(20)) {
        case 0:
            say(" write(%zu)", len);
            outcome(write(op, in_arena, len));
            continue;
        case 1:
            say(" writev(%zu)", len);
            outcome(writev(op, v, 3));
            continue;
        case 2:
        case 3:
            say(" send(%zu%s)", len, more ? ",more" : "");
            outcome(send(op, in_arena, len, more | MSG_DONTWAIT));
            continue;
        case 4: {
            struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "hash"};
            say(" sendto(%zu)", len);
            outcome(sendto(op, in_arena, len, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address));
            continue;
        }
        case 5: {
            struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = v, .msg_iovlen = 3}},
                                   {.msg_hdr = {.msg_iov = v + 2, .msg_iovlen = 1}}};
            say(" sendmmsg(%zu%s)", len, more ? ",more" : "");
            if (outcome(sendmmsg(op, m, 2, more | MSG_DONTWAIT)) > 0)
                say(":%u,%u", m[0].msg_len, m[1].msg_len);
            continue;
        }
        case 6:
            say(" read(%zu)", len);
            got = outcome(read(op, out_arena, len));
            break;
        case 7:
            say(" readv(%zu)", len);
            got = outcome(readv(op, to, 3));
            break;
        case 8:
        case 9:
            say(" recv(%zu)", len);
            got = outcome(recv(op, out_arena, len, MSG_DONTWAIT));
            break;
        case 10: {
            struct sockaddr_storage from;
            socklen_t size = sizeof from;
            say(" recvfrom(%zu)", len);
            got = outcome(recvfrom(op, out_arena, len, MSG_DONTWAIT, (struct sockaddr *)&from, &size));
            if (got >= 0)
                say("[name %u]", size);
            break;
        }
        case 11: {
            struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = to, .msg_iovlen = 3}},
                                   {.msg_hdr = {.msg_iov = &(struct iovec){out_arena + 512, 32}, .msg_iovlen = 1}}};
            say(" recvmmsg(%zu)", len);
            int count = outcome(recvmmsg(op, m, 2, MSG_DONTWAIT, NULL));
            for (int i = 0; i < count; i++) {
                say(",%u", m[i].msg_len);
                digest(out_arena + 512 * i, m[i].msg_len);
            }
            continue;
        }
        case 12:
            say(" pread(%zu)", len);
            got = outcome(pread(op, out_arena, len, below(2)));
            break;
        case 13:
            say(" pwrite(%zu)", len);
            outcome(pwrite(op, in_arena, len, below(2)));
            continue;
        case 14: {
            struct stat st;
            say(" fstat");
            if (outcome(fstat(op, &st)) == 0)
                say(":%o", st.st_mode & S_IFMT);
            continue;
        }
        case 15:
            say(" lseek");
            outcome(lseek(op, 0, SEEK_CUR));
            say(" ftruncate");
            outcome(ftruncate(op, 0));
            continue;
        case 16:
            say(" mmap");
            outcome(mmap(NULL, 4096, PROT_READ, MAP_SHARED, op, 0) == MAP_FAILED ? -1 : 0);
            continue;
        case 17: {
            int value = 0;
            /* 2 is FIGETBSZ, 0x8906 SIOCGSTAMP. */
            static const unsigned long requests[] = {FIONREAD, TIOCOUTQ, FIOQSIZE, 2, 0x8906, 0x12345678};
            unsigned long which = requests[below(6)];
            say(" ioctl(%lx)", which);
            outcome(ioctl(op, which, &value));
            continue;
        }
        case 18:
            say(" fcntl");
            outcome(fcntl(op, F_GETFL) & (O_NONBLOCK | O_ACCMODE));
            outcome(fcntl(op, F_GETFD));
            continue;
        default:
            say(" bad address:");
            v[1] = (struct iovec){(void *)8, 32};
            to[1] = (struct iovec){(void *)8, 32};
            switch (below(4)) {
            case 0:
                say(" send");
                outcome(send(op, (void *)8, 32, MSG_DONTWAIT | more));
                break;
            case 1:
                say(" recv");
                outcome(recv(op, (void *)8, 32, MSG_DONTWAIT));
                break;
            case 2:
                v[0].iov_len = 16 * below(600);
                say(" writev(%zu)", v[0].iov_len);
                outcome(writev(op, v, 2));
                break;
            default:
                to[0].iov_len = below(3) * 16;
                say(" readv(%zu)", to[0].iov_len);
                outcome(readv(op, to, 2));
            }
            /* How much a faulting call has consumed is undefined. */
            n = 0;
            continue;
        }
        if (got >= 0)
            digest(out_arena, got);
        if (got < 0 && !hash)
            n = 0;
    }
    leave(op);
    leave(tfm);
}

/* Texts near and over what a socket holds. */
void size_operation(void)
{
    static const uint32_t sizes[] = {61440,  65535,  65536,  65537,  131072, 200000, 208895, 208896,
                                     208897, 212992, 212993, 262144, 400000, 4096,   8192,   100000};
    int tfm, op;
    unsigned kind = below(3), n = 2 + below(5), tag = 0;
    if (kind == 2) {
        tfm = open_transform("aead", "gcm(aes)");
        if (tfm < 0)
            return;
        set_random_key(tfm, 16);
        op = take(tfm);
        tag = 16;
    } else {
        op = ready(&tfm, kind == 1);
    }
    long pending = 0;
    bool known = true;
    while (op >= 0 && n--) {
        if (chance(55) || !pending) {
            struct request r = {-1, -1, -1, sizes[below(COUNT(sizes))], 1 + (chance(30) ? below(3) : 0),
                                chance(60) ? MSG_MORE : 0};
            if (chance(40))
                r.len -= below(20);
            if (kind != 1 && (!pending || chance(20))) {
                r.op = below(2);
                r.iv = kind ? 12 : 16;
            }
            /* Repeated bytes: making random ones would take longer than the rest. */
            memset(in_arena, any(), r.len);
            long sent = put_data(op, &r, in_arena, in_arena);
            if (sent > 0)
                pending += sent;
            if (chance(50))
                look(op);
        } else {
            size_t len = chance(50) ? (size_t)pending + tag : sizes[below(COUNT(sizes))];
            if (len > ARENA / 2)
                len = ARENA / 2;
            if (kind != 1 && chance(50))
                len -= len % 16;
            long got = get(op, len, 1 + (chance(20) ? below(3) : 0), 0, known);
            if (got > 0)
                pending = kind ? 0 : pending - got;
            if (got < 0 && kind == 0 && pending % 16)
                break;
        }
    }
    leave(op);
    leave(tfm);
}
