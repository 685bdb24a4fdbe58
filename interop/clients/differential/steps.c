#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <unistd.h>

uint8_t *in_arena, *out_arena;
static uint8_t iv_bytes[256];

int bind_name(int fd, const char *type, const char *name)
{
    struct {
        struct sockaddr_alg base;
        char more[128];
    } address = {.base.salg_family = AF_ALG};
    size_t len = strlen(name);
    strncpy((char *)address.base.salg_type, type, sizeof address.base.salg_type - 1);
    memcpy((char *)address.base.salg_name, name, len);
    say(" bind(%s,%s)", type, name);
    socklen_t size = sizeof address.base;
    if (len >= sizeof address.base.salg_name)
        size = offsetof(struct sockaddr_alg, salg_name) + len + 1;
    return outcome(bind(fd, (struct sockaddr *)&address, size));
}

int open_transform(const char *type, const char *name)
{
    int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        say(" socket");
        return outcome(fd);
    }
    if (bind_name(fd, type, name) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

long set_key(int fd, const uint8_t *key, size_t len)
{
    say(" key(%zu)", len);
    return outcome(setsockopt(fd, SOL_ALG, ALG_SET_KEY, key, len));
}

long set_random_key(int fd, size_t len)
{
    static uint8_t key[1 << 16];
    fill(key, len);
    return set_key(fd, key, len);
}

long set_tag(int fd, unsigned len)
{
    say(" tag(%u)", len);
    return outcome(setsockopt(fd, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, len));
}

int take(int fd)
{
    int op = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    say(" accept");
    outcome(op < 0 ? -1 : 0);
    return op;
}

/* Splits len bytes at base into pieces, some of them empty, not always without gaps. */
static unsigned split(struct iovec *to, uint8_t *base, size_t len, unsigned pieces, bool gaps)
{
    unsigned n = 0;
    while (n + 1 < pieces) {
        size_t part = chance(15) ? 0 : below(len + 1);
        if (gaps && chance(30))
            base += below(100);
        to[n++] = (struct iovec){base, part};
        base += part;
        len -= part;
    }
    to[n++] = (struct iovec){base, len};
    return n;
}

long put_data(int fd, const struct request *r, const uint8_t *data, const uint8_t *iv)
{
    char control[512] __attribute__((aligned(8)));
    struct iovec pieces[32];
    struct msghdr m = {.msg_iov = pieces};
    m.msg_iovlen = split(pieces, (uint8_t *)data, r->len, r->pieces ? r->pieces : 1, false);
    memset(control, 0, sizeof control);
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    size_t used = 0;
    say(" send(");
    if (r->op >= 0) {
        say("op%d,", r->op);
        *c = (struct cmsghdr){CMSG_LEN(4), SOL_ALG, ALG_SET_OP};
        memcpy(CMSG_DATA(c), &r->op, 4);
        used += CMSG_SPACE(4);
        c = CMSG_NXTHDR(&m, c);
    }
    if (r->iv >= 0) {
        uint32_t len = r->iv;
        say("iv%d,", r->iv);
        *c = (struct cmsghdr){CMSG_LEN(4 + len), SOL_ALG, ALG_SET_IV};
        memcpy(CMSG_DATA(c), &len, 4);
        memcpy(CMSG_DATA(c) + 4, iv, len);
        used += CMSG_SPACE(4 + len);
        c = CMSG_NXTHDR(&m, c);
    }
    if (r->assoc >= 0) {
        say("aad%d,", r->assoc);
        *c = (struct cmsghdr){CMSG_LEN(4), SOL_ALG, ALG_SET_AEAD_ASSOCLEN};
        memcpy(CMSG_DATA(c), &r->assoc, 4);
        used += CMSG_SPACE(4);
    }
    m.msg_controllen = used;
    if (!used)
        m.msg_control = NULL;
    say("%zu", r->len);
    if (m.msg_iovlen > 1)
        say("/%zu", (size_t)m.msg_iovlen);
    say("%s)", r->flags & MSG_MORE ? ",more" : "");
    return outcome(sendmsg(fd, &m, r->flags | MSG_DONTWAIT | MSG_NOSIGNAL));
}

long put(int fd, const struct request *r)
{
    uint8_t *data = in_arena + (chance(30) ? below(200) : 0);
    fill(data, r->len);
    if (r->iv > 0)
        fill(iv_bytes, r->iv);
    return put_data(fd, r, data, iv_bytes);
}

const uint8_t *last_iv(void)
{
    return iv_bytes;
}

long get(int fd, size_t len, unsigned pieces, int flags, bool show)
{
    struct iovec parts[32];
    struct sockaddr_storage from;
    struct msghdr m = {.msg_iov = parts};
    uint8_t *base = out_arena + (chance(30) ? below(200) : 0);
    memset(base, 0xaa, len + 4096);
    m.msg_iovlen = split(parts, base, len, pieces ? pieces : 1, true);
    if (chance(10)) {
        m.msg_name = &from;
        m.msg_namelen = sizeof from;
    }
    say(" recv(%zu", len);
    if (m.msg_iovlen > 1)
        say("/%zu", (size_t)m.msg_iovlen);
    say("%s)", flags & MSG_TRUNC ? ",trunc" : "");
    long n = outcome(recvmsg(fd, &m, flags | MSG_DONTWAIT));
    if (n < 0)
        return n;
    if (m.msg_flags)
        say("[flags %x]", m.msg_flags);
    if (m.msg_name)
        say("[name %u]", (unsigned)m.msg_namelen);
    if (m.msg_controllen)
        say("[control %zu]", (size_t)m.msg_controllen);
    /* The bytes that arrived, in one piece. */
    size_t have = 0;
    for (unsigned i = 0; i < m.msg_iovlen && have < (size_t)n; i++) {
        size_t part = parts[i].iov_len;
        if (part > (size_t)n - have)
            part = n - have;
        memmove(out_arena + have, parts[i].iov_base, part);
        have += part;
    }
    if (show)
        digest(out_arena, have);
    else if (n)
        say(":-");
    return n;
}

static void events(unsigned in, unsigned out, unsigned other)
{
    say("%s%s%s%s", in ? "i" : "", out ? "o" : "", other ? "x" : "", in || out || other ? "" : "-");
    steps++;
}

void look(int fd)
{
    switch (below(8)) {
    case 0: {
        fd_set in, out, other;
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_ZERO(&other);
        FD_SET(fd, &in);
        FD_SET(fd, &out);
        FD_SET(fd, &other);
        struct timeval now = {0};
        say(" select=");
        if (select(fd + 1, &in, &out, &other, &now) < 0)
            say("%s", strerrorname_np(errno));
        events(FD_ISSET(fd, &in), FD_ISSET(fd, &out), FD_ISSET(fd, &other));
        break;
    }
    case 1: {
        /* The number must not be one that a close has just freed. */
        int low = epoll_create1(EPOLL_CLOEXEC), set = fcntl(low, F_DUPFD_CLOEXEC, 300);
        close(low);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLPRI};
        say(" epoll_ctl");
        outcome(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
        event.events = 0;
        epoll_wait(set, &event, 1, 0);
        say(" epoll=");
        events(event.events & EPOLLIN, event.events & EPOLLOUT, event.events & ~(EPOLLIN | EPOLLOUT));
        close(set);
        break;
    }
    default: {
        struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT | POLLPRI | POLLRDNORM | POLLWRNORM};
        if (poll(&p, 1, 0) < 0)
            say(" %s", strerrorname_np(errno));
        say(" poll=");
        steps++;
        if (p.revents)
            say("%x", p.revents);
        else
            say("-");
    }
    }
}

void leave(int fd)
{
    if (fd >= 0)
        close(fd);
}
