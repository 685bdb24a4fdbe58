#define _GNU_SOURCE
#include "differential.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two processes that use the same sockets in turn. */

struct kind {
    const char *type, *name;
    uint8_t key, iv, block;           /* bytes; no key: unkeyed */
    bool ops;                         /* messages begin with an operation and an IV */
};

static const struct kind kinds[] = {
    {"skcipher", "cbc(aes)", 16, 16, 16, true}, {"skcipher", "ctr(aes)", 32, 16, 16, true},
    {"aead", "gcm(aes)", 16, 12, 16, true},     {"hash", "sha256", 0, 0, 32, false},
    {"hash", "hmac(sha512)", 20, 0, 64, false}, {"hash", "cmac(aes)", 16, 0, 16, false},
};

static const struct kind *kind;
static int tfm, op;

static void send_some(int fd)
{
    bool starts = kind->ops && chance(60);
    struct request r = {-1, -1, -1, chance(70) ? 16 * below(5) : length(), 1, chance(50) ? MSG_MORE : 0};
    if (starts) {
        r.op = below(2);
        r.iv = kind->iv;
        r.assoc = !strcmp(kind->type, "aead") && chance(50) ? (int)below(20) : -1;
    }
    put(fd, &r);
}

static void receive_some(int fd)
{
    get(fd, chance(80) ? kind->block : length(), 1, 0, true);
}

/* One turn, in either process. */
static void turn(void)
{
    switch (below(12)) {
    case 0:
        set_random_key(tfm, kind->key && chance(80) ? kind->key : below(40));
        break;
    case 1:
        look(op);
        break;
    case 2: {
        int own = take(tfm);
        if (own >= 0) {
            send_some(own);
            receive_some(own);
        }
        leave(own);
        break;
    }
    case 3:
        if (chance(25)) {
            say(" close");
            outcome(close(op));
        } else if (chance(30)) {
            say(" close of transform");
            outcome(close(tfm));
        }
        break;
    case 4:
        say(" flags");
        if (chance(50))
            outcome(fcntl(op, F_SETFL, chance(50) ? O_NONBLOCK : 0));
        outcome(fcntl(op, F_GETFL) & O_NONBLOCK);
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        send_some(op);
        break;
    default:
        receive_some(op);
    }
}

/* Takes a turn for every byte that arrives, and sends its line back. */
static void serve(int from, int to)
{
    char byte;
    while (read(from, &byte, 1) == 1) {
        size_t before = said();
        turn();
        size_t len = said() - before;
        if (write(to, &len, sizeof len) != sizeof len || write(to, since(before), len) != (long)len)
            _exit(2);
    }
    _exit(0);
}

static bool read_all(int fd, void *to, size_t len)
{
    for (size_t have = 0; have < len;) {
        long got = read(fd, (char *)to + have, len - have);
        if (got <= 0)
            return false;
        have += got;
    }
    return true;
}

static void have_turn(int to, int from)
{
    static char words[1 << 14];
    size_t len = 0;
    say(" child:");
    if (write(to, "", 1) != 1 || !read_all(from, &len, sizeof len) || len >= sizeof words || !read_all(from, words, len)) {
        say(" lost");
        return;
    }
    words[len] = 0;
    say("%s;", words);
}

void fork_operation(void)
{
    kind = &kinds[below(COUNT(kinds))];
    tfm = open_transform(kind->type, kind->name);
    if (tfm < 0)
        return;
    if (kind->key && chance(70))
        set_random_key(tfm, kind->key);
    op = take(tfm);
    for (unsigned n = below(3); n; n--)
        chance(60) ? send_some(op) : receive_some(op);
    int orders[2], answers[2], status;
    if (pipe2(orders, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0) {
        say(" pipe2 failed");
        return;
    }
    uint64_t own = any();
    pid_t child = fork();
    if (child == 0) {
        seed(own, 1);
        close(orders[1]);
        close(answers[0]);
        serve(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    for (unsigned n = 4 + below(12); n; n--) {
        if (chance(50))
            have_turn(orders[1], answers[0]);
        else
            turn();
    }
    /* The child ends, and has closed nothing. */
    close(orders[1]);
    close(answers[0]);
    waitpid(child, &status, 0);
    say(" ended=%d", status);
    for (unsigned n = below(4); n; n--)
        turn();
    leave(op);
    leave(tfm);
}
