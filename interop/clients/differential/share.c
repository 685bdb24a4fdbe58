#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Duplicates a descriptor to a chosen number: that of standard input, or one that is free or taken, low or high. */
static int copy_to_number(int op, int tfm)
{
    static const int numbers[] = {0, 7, 42, 200, 700, 1001};
    int number = numbers[below(COUNT(numbers))], ends[2] = {-1, -1}, copy, other;
    bool plain = number != 0 && chance(40), served = chance(20), again = chance(20);
    if (plain) {
        if (pipe2(ends, O_CLOEXEC) < 0)
            say(" pipe2 failed");
        dup2(ends[1], number);
        close(ends[1]);
    }
    if (served) {
        other = accept(tfm, NULL, NULL);
        say(" other");
        outcome(dup2(other, number) == number ? 0 : -1);
        close(other);
    }
    copy = chance(70) ? dup2(op, number) : dup3(op, number, O_CLOEXEC);
    say(" number %d", copy);
    if (plain) {
        /* The file that had the number is closed, unless the call is refused. */
        if (copy < 0)
            close(number);
        say(" end");
        outcome(read(ends[0], out_arena, 1));
        close(ends[0]);
    }
    if (again) {
        say(" again");
        outcome(dup2(copy, number) == number ? 0 : -1);
        outcome(dup3(copy, number, 0));
    }
    return copy;
}

/* Duplicates of descriptors, with a number that the program or the kernel chooses, and a child's use of sockets that it
 * inherits. */
static void share(bool numbered)
{
    bool hash = chance(50);
    int tfm = hash ? open_transform("hash", "sha256") : open_transform("skcipher", "cbc(aes)");
    if (tfm < 0)
        return;
    if (!hash)
        set_random_key(tfm, 16);
    int op = take(tfm);
    struct request start = {hash ? -1 : ALG_OP_ENCRYPT, hash ? -1 : 16, -1, 32, 1, chance(50) ? MSG_MORE : 0};
    put(op, &start);
    int copy = -1, input = fcntl(0, F_DUPFD_CLOEXEC, 100);
    bool copied = true;
    switch (numbered ? 1 : below(6)) {
    case 0:
        copy = dup(op);
        break;
    case 1:
        copy = numbered ? copy_to_number(op, tfm) : dup(op);
        break;
    case 2:
        copy = fcntl(op, F_DUPFD_CLOEXEC, 150);
        break;
    case 3:
        copied = false;
        say(" serial");
        outcome(setsockopt(tfm, SOL_ALG, ALG_SET_KEY_BY_KEY_SERIAL_, &(int){12345}, 4));
        break;
    case 4: {
        copied = false;
        /* A child's own operations on sockets that it inherits. */
        int ends[2], status;
        if (pipe2(ends, O_CLOEXEC) < 0)
            say(" pipe2 failed");
        pid_t child = fork();
        if (child == 0) {
            int own = accept4(tfm, NULL, NULL, SOCK_NONBLOCK);
            uint8_t answer[40] = {0};
            char control[64] __attribute__((aligned(8))) = {0};
            struct cmsghdr *c = (struct cmsghdr *)control;
            struct iovec piece = {in_arena, 32};
            struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1};
            *c = (struct cmsghdr){CMSG_LEN(4), SOL_ALG, ALG_SET_OP};
            *(int *)CMSG_DATA(c) = ALG_OP_ENCRYPT;
            if (!hash) {
                m.msg_control = control;
                m.msg_controllen = CMSG_SPACE(4);
            }
            answer[32] = sendmsg(own, &m, 0);
            answer[33] = recv(own, answer, 32, MSG_DONTWAIT);
            if (write(ends[1], answer, sizeof answer) < 0)
                _exit(2);
            _exit(0);
        }
        close(ends[1]);
        long have = read(ends[0], out_arena, 40);
        waitpid(child, &status, 0);
        close(ends[0]);
        say(" child(%d)=%ld", status, have);
        digest(out_arena, have > 0 ? have : 0);
        break;
    }
    default:
        copy = dup(op);
        leave(op);
        op = -1;
    }
    if (copied) {
        say(" dup");
        outcome(copy < 0 ? -1 : 0);
    }
    if (copy >= 0) {
        if (op >= 0 && chance(30)) {
            fcntl(copy, F_SETFL, 0);
            say(" flags %x", fcntl(op, F_GETFL) & O_NONBLOCK);
        }
        if (op >= 0 && chance(50)) {
            struct request r = {-1, -1, -1, 16, 1, 0};
            put(copy, &r);
        }
        if (op >= 0 && chance(50)) {
            get(op, hash ? 32 : 16, 1, 0, true);
        }
        get(copy, 32, 1, 0, true);
        look(copy);
        leave(copy);
        if (chance(30)) {
            struct request r = {-1, -1, -1, 16, 1, 0};
            put(copy, &r);
        }
    }
    if (op >= 0) {
        get(op, 32, 1, 0, true);
        if (chance(30)) {
            leave(tfm);
            tfm = -1;
            put(op, &start);
            get(op, 32, 1, 0, true);
        }
    }
    leave(op);
    leave(tfm);
    dup2(input, 0);
    close(input);
}

void share_operation(void)
{
    share(false);
}

void number_operation(void)
{
    share(true);
}

static void on_alarm(int signal)
{
    (void)signal;
}

/* Calls that wait, ended by a signal. */
void wait_operation(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval timer = {.it_value = {0, 60000}}, off = {0};
    bool aead = chance(30);
    int tfm = aead ? open_transform("aead", "gcm(aes)") : open_transform("skcipher", "cbc(aes)");
    if (tfm < 0)
        return;
    set_random_key(tfm, 16);
    int op = accept(tfm, NULL, NULL);
    long got;
    sigaction(SIGALRM, &action, NULL);
    switch (below(4)) {
    case 0:
        say(" waits for a send");
        setitimer(ITIMER_REAL, &timer, NULL);
        got = outcome(read(op, out_arena, 32));
        break;
    case 1: {
        struct request r = {ALG_OP_ENCRYPT, aead ? 12 : 16, -1, 40, 1, MSG_MORE};
        put(op, &r);
        say(" waits for the rest");
        setitimer(ITIMER_REAL, &timer, NULL);
        got = outcome(read(op, out_arena, 64));
        if (got > 0)
            digest(out_arena, got);
        break;
    }
    case 2: {
        struct request r = {ALG_OP_ENCRYPT, aead ? 12 : 16, -1, 32, 1, 0};
        put(op, &r);
        say(" asks for more than there is");
        setitimer(ITIMER_REAL, &timer, NULL);
        got = outcome(read(op, out_arena, 64));
        if (got > 0)
            digest(out_arena, got);
        break;
    }
    default: {
        struct request r = {ALG_OP_ENCRYPT, aead ? 12 : 16, -1, 0, 1, MSG_MORE};
        put(op, &r);
        memset(in_arena, 7, 400000);
        say(" sends more than there is room for");
        setitimer(ITIMER_REAL, &timer, NULL);
        outcome(send(op, in_arena, 400000, MSG_MORE));
        look(op);
    }
    }
    setitimer(ITIMER_REAL, &off, NULL);
    leave(op);
    leave(tfm);
}
