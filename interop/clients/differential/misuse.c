#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Keys of any length, tags of any length, and the order of keys, accepts and operations. */
void key_operation(void)
{
    const char *type, *name;
    int fd[3] = {-1, -1, -1};
    switch (below(3)) {
    case 0:
        type = "skcipher";
        name = skciphers[below(skciphers_len)].name;
        break;
    case 1:
        type = "aead";
        name = aeads[below(aeads_len)].name;
        break;
    default:
        type = "hash";
        name = hashes[below(hashes_len)].name;
    }
    int tfm = open_transform(type, name);
    if (tfm < 0)
        return;
    unsigned n = 3 + below(7);
    while (n--) {
        unsigned which = below(3);
        switch (below(8)) {
        case 0:
        case 1:
            set_random_key(tfm, chance(60) ? 4 * below(20) : chance(90) ? below(150) : 20470 + below(20));
            break;
        case 2:
            set_tag(tfm, below(70));
            break;
        case 3:
        case 4:
            leave(fd[which]);
            say(" %u:", which);
            fd[which] = take(tfm);
            break;
        case 5:
            if (fd[which] >= 0) {
                struct request r = {ALG_OP_ENCRYPT, -1, -1, 64, 1, 0};
                say(" %u:", which);
                put(fd[which], &r);
            }
            break;
        case 6:
            if (fd[which] >= 0) {
                say(" %u:", which);
                get(fd[which], 64, 1, 0, false);
            }
            break;
        default:
            if (fd[which] >= 0) {
                say(" close %u", which);
                leave(fd[which]);
                fd[which] = -1;
            }
        }
    }
    for (unsigned i = 0; i < COUNT(fd); i++)
        leave(fd[i]);
    leave(tfm);
}

/* Names that the kernel binds, to find out when it gets a key that the parts do not fit. */
void misfit_operation(void)
{
    int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bind_name(fd, chance(50) ? "aead" : "skcipher", misfits[below(misfits_len)]);
    if (chance(50))
        set_random_key(fd, 16);
    if (chance(50)) {
        uint8_t key[8 + 32 + 16];
        set_key(fd, key, authenc_key(key, 32, 16));
    }
    if (chance(20))
        set_tag(fd, below(40));
    int op = take(fd);
    leave(op);
    leave(fd);
}

/* Names and types that are wrong, addresses that are short, long or marked. */
void name_operation(void)
{
    static const char *const types[] = {"skcipher", "aead", "hash", "rng"};
    static const char *const odd_types[] = {"", "cipher", "SKCIPHER", "skcipher ", "skcipherskcip", "akcipher"};
    int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    unsigned what = below(10);
    bool repeats = true;              /* a generator's bytes do not repeat */
    if (what < 5) {
        const char *type = chance(95) ? types[below(4)] : odd_types[below(COUNT(odd_types))];
        bind_name(fd, type, strange_names[below(strange_names_len)]);
        repeats = strcmp(type, "rng") != 0;
        if (chance(30))
            set_random_key(fd, 16);
        if (chance(30)) {
            uint8_t key[8 + 32 + 16];
            set_key(fd, key, authenc_key(key, 32, 16));
        }
        if (chance(10))
            set_tag(fd, below(40));
    } else if (what < 6) {
        char name[128];
        unsigned len = 50 + below(70);
        memset(name, 'a', len);
        name[len] = 0;
        if (chance(60)) {
            memcpy(name, "cbc(aes)", 8);
            if (chance(70))
                name[8] = 0;
        }
        /* The address is as long as the name was to be. */
        struct {
            struct sockaddr_alg base;
            char more[128];
        } address = {.base.salg_family = AF_ALG, .base.salg_type = "skcipher"};
        memcpy((char *)address.base.salg_name, name, len);
        say(" bind(%.70s, %u)", name, len);
        outcome(bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_alg, salg_name) + len));
    } else {
        struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};
        socklen_t len = sizeof address;
        if (chance(20))
            address.salg_family = below(50);
        if (chance(40))
            len = chance(50) ? below(128) : 20 + below(16);
        if (chance(30))
            address.salg_feat = chance(50) ? 0x1000 : 1u << below(32);
        if (chance(30))
            address.salg_mask = chance(50) ? 0x1000 : 1u << below(32);
        if (chance(10))
            memset(address.salg_type, 'x', sizeof address.salg_type);
        if (chance(10))
            memcpy(address.salg_type, types[below(4)], 5);
        if (chance(10))
            memset(address.salg_name + 6, below(2) ? ' ' : 'x', 58);
        say(" bind(family %u, %u, feat %x, mask %x, %.14s, %.10s)", address.salg_family, len, address.salg_feat,
            address.salg_mask, address.salg_type, address.salg_name);
        outcome(bind(fd, (struct sockaddr *)&address, len));
    }
    if (chance(30)) {
        int op = take(fd);
        if (op >= 0)
            get(op, 32, 1, 0, repeats);
        if (chance(50))
            bind_name(fd, "hash", "sha1");
        if (op >= 0 && chance(50)) {
            leave(op);
            op = -1;
            bind_name(fd, "hash", "md5");
        }
        leave(op);
        op = take(fd);
        if (op >= 0)
            get(op, 32, 1, 0, repeats);
        leave(op);
    }
    leave(fd);
}

/* Control messages that are cut, misplaced, unknown, doubled, or at odds with themselves. */
void control_operation(void)
{
    const struct skcipher *s = &skciphers[below(3)];
    const struct aead *a = &aeads[below(3)];
    bool aead = chance(40);
    int tfm = aead ? open_transform("aead", a->name) : open_transform("skcipher", s->name);
    if (tfm < 0)
        return;
    unsigned iv = aead ? a->iv : s->iv;
    set_random_key(tfm, aead ? 16 : s->keys[0]);
    int op = take(tfm);
    unsigned rounds = 1 + below(3);
    while (op >= 0 && rounds--) {
        char control[512] __attribute__((aligned(8))) = {0};
        size_t used = 0;
        unsigned n = chance(10) ? 0 : 1 + below(4);
        say(" control(");
        for (unsigned i = 0; i < n; i++) {
            uint8_t body[300] = {0};
            uint32_t word, len = 4;
            int level = chance(95) ? SOL_ALG : chance(50) ? SOL_SOCKET : (int)below(300);
            unsigned type = chance(95) ? 2 + below(3) : below(12);
            /* Most of the first messages are the operation, so that the kernel examines the others. */
            if (i == 0 && chance(80))
                type = ALG_SET_OP;
            if (level == SOL_SOCKET && type < 5)
                type = 77;            /* neither rights nor credentials */
            if (type == ALG_SET_IV) {
                word = chance(80) ? iv : chance(50) ? below(40) : any();
                len = 4 + (chance(85) ? (word > 200 ? 200 : word) : below(40));
                fill(body + 4, sizeof body - 4);
            } else if (type == ALG_SET_OP) {
                word = chance(85) ? below(2) : chance(50) ? below(10) : any();
            } else {
                word = chance(80) ? below(64) : chance(50) ? 0x7ffffff0 + below(32) : any();
            }
            memcpy(body, &word, 4);
            size_t cmsg_len = CMSG_LEN(len);
            if (chance(8))
                cmsg_len = chance(50) ? below(24) : cmsg_len - 1 - below(3);
            else if (chance(4))
                cmsg_len += chance(50) ? 1 + below(8) : 1000 + below(100000);
            struct cmsghdr head = {cmsg_len, level, type};
            memcpy(control + used, &head, sizeof head);
            memcpy(control + used + sizeof head, body, len);
            used += CMSG_SPACE(len);
            say("%s%d/%u/%zu/%x", i ? " " : "", level, type, cmsg_len, word);
        }
        if (chance(8))
            used = chance(50) ? below(used + 8) : used + 8 * below(4);
        struct iovec piece = {in_arena, chance(20) ? 0 : 16 * (1 + below(8))};
        int flags = chance(30) ? MSG_MORE : 0;
        struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = used};
        fill(in_arena, piece.iov_len);
        say("; %zu) send(%zu%s)", used, piece.iov_len, flags ? ",more" : "");
        outcome(sendmsg(op, &m, flags | MSG_DONTWAIT));
        look(op);
        if (chance(70))
            get(op, piece.iov_len + (aead ? 16 : 0), 1, 0, true);
    }
    leave(op);
    leave(tfm);
}

/* What the socket that names a transform refuses, and options on any socket. */
void parent_operation(void)
{
    static const char *const types[] = {"skcipher", "aead", "hash", "rng"};
    static const char *const names[] = {"cbc(aes)", "gcm(aes)", "sha256", "stdrng"};
    unsigned kind = below(4), n = 2 + below(6);
    int tfm = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool bound = chance(80);
    if (bound)
        bind_name(tfm, types[kind], names[kind]);
    int op = -1;
    while (n--) {
        int fd = op >= 0 && chance(60) ? op : tfm;
        say(fd == op ? " op:" : " tfm:");
        switch (below(13)) {
        case 0: {
            struct request r = {-1, -1, -1, 16, 1, 0};
            put(fd, &r);
            break;
        }
        case 1:
            get(fd, 16, 1, 0, kind != 3);
            break;
        case 2:
            look(fd);
            break;
        case 3: {
            int level = chance(70) ? SOL_ALG : (int)below(300), option = 1 + below(12);
            if (level == SOL_SOCKET)
                level = 6;
            /* Keys by serial number came with Linux 6.2; share_operation has them. */
            if (level == SOL_ALG && option == ALG_SET_KEY_BY_KEY_SERIAL_)
                option = 99;
            say(" setsockopt(%d,%d)", level, option);
            outcome(setsockopt(fd, level, option, in_arena, 16));
            break;
        }
        case 4: {
            int value = 0, option = 1 + below(6);
            socklen_t len = sizeof value;
            say(" getsockopt(alg,%d)", option);
            outcome(getsockopt(fd, SOL_ALG, option, &value, &len));
            break;
        }
        case 5: {
            static const int options[] = {SO_TYPE,   SO_DOMAIN,    SO_PROTOCOL,   SO_ERROR,
                                          SO_SNDBUF, SO_RCVBUF,    SO_ACCEPTCONN, SO_KEEPALIVE};
            int value = 0, option = options[below(COUNT(options))];
            socklen_t len = sizeof value;
            say(" getsockopt(socket,%d)", option);
            if (outcome(getsockopt(fd, SOL_SOCKET, option, &value, &len)) == 0)
                say(":%d/%u", value, len);
            break;
        }
        case 6:
            say(" listen");
            outcome(listen(fd, 5));
            break;
        case 7:
            say(" shutdown");
            outcome(shutdown(fd, below(4)));
            break;
        case 8: {
            struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};
            say(" connect");
            outcome(connect(fd, (struct sockaddr *)&address, sizeof address));
            break;
        }
        case 9: {
            struct sockaddr_storage address;
            socklen_t len = sizeof address;
            say(" getsockname");
            outcome(getsockname(fd, (struct sockaddr *)&address, &len));
            len = sizeof address;
            say(" getpeername");
            outcome(getpeername(fd, (struct sockaddr *)&address, &len));
            break;
        }
        case 10: {
            struct sockaddr_storage address;
            socklen_t len = sizeof address;
            say(" accept(address)");
            int got = accept(fd, (struct sockaddr *)&address, &len);
            outcome(got < 0 ? -1 : 0);
            leave(got);
            break;
        }
        case 11:
            bind_name(fd, types[kind], names[kind]);
            break;
        default:
            leave(op);
            op = take(tfm);
        }
    }
    leave(op);
    leave(tfm);
}

/* socket itself. */
void socket_operation(void)
{
    static const int kinds[] = {SOCK_SEQPACKET, SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, 0, 10};
    int kind = kinds[below(COUNT(kinds))], protocol = chance(60) ? 0 : (int)below(300);
    int flags = (chance(30) ? SOCK_NONBLOCK : 0) | (chance(30) ? SOCK_CLOEXEC : 0);
    if (kind == 10)
        flags = 0;
    say(" socket(%d,%x,%d)", kind, flags, protocol);
    int fd = socket(AF_ALG, kind | flags, protocol);
    outcome(fd < 0 ? -1 : 0);
    int pair[2];
    if (chance(30)) {
        say(" socketpair");
        outcome(socketpair(AF_ALG, SOCK_SEQPACKET, 0, pair));
    }
    if (fd >= 0) {
        say(" accept4");
        int op = accept4(fd, NULL, NULL, chance(50) ? 0 : 1 << below(20));
        outcome(op < 0 ? -1 : 0);
        leave(op);
    }
    leave(fd);
}
