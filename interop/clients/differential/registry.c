#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/cryptouser.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void report_attributes(const uint8_t *at, size_t len)
{
    while (len >= sizeof(struct nlattr)) {
        struct nlattr a;
        memcpy(&a, at, sizeof a);
        if (a.nla_len < sizeof a || a.nla_len > len)
            break;
        const uint8_t *body = at + sizeof a;
        uint32_t word[8] = {0};
        size_t size = a.nla_len - sizeof a;
        if (size >= 64 && size <= 64 + 64 + sizeof word) {
            say(" %d:%s", a.nla_type, strcmp((const char *)body, "ahash") ? (const char *)body : "shash");
            size_t skip = 64;
            if (a.nla_type == CRYPTOCFGA_REPORT_BLKCIPHER || a.nla_type == CRYPTOCFGA_REPORT_AEAD) {
                say("/%s", body + 64);
                skip += 64;
            }
            memcpy(word, body + skip, size - skip < sizeof word ? size - skip : sizeof word);
            for (unsigned i = 0; i < (size - skip) / 4; i++)
                say(",%u", word[i]);
        } else {
            say(" %d(%zu)", a.nla_type, size); /* priorities differ between systems */
        }
        size_t step = (a.nla_len + 3u) & ~3u;
        if (step > len)
            break;
        at += step;
        len -= step;
    }
}

/* One request over NETLINK_CRYPTO; prints the answer without drivers' names and priorities. */
static void ask(int fd, const char *name, uint16_t type, uint16_t flags, size_t size)
{
    struct {
        struct nlmsghdr head;
        struct crypto_user_alg alg;
    } q = {{.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = 77}, {.cru_type = 0}};
    static uint8_t answer[1 << 16] __attribute__((aligned(8)));
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    q.head.nlmsg_len = NLMSG_LENGTH(size);
    if (name)
        memcpy(q.alg.cru_name, name, strlen(name));
    else
        memset(q.alg.cru_name, 'x', sizeof q.alg.cru_name);
    say(" ask(%s,%x,%x,%zu)", name ? name : "unended", type, flags, size);
    if (outcome(sendto(fd, &q, NLMSG_LENGTH(size), MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel)) < 0)
        return;
    for (unsigned more = 0; more < 2; more++) {
        struct sockaddr_nl from = {0};
        socklen_t from_len = sizeof from;
        long got = recvfrom(fd, answer, sizeof answer, MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
        say(more ? " again" : " answer");
        if (got < 0) {
            outcome(got);
            break;
        }
        steps++;
        say("[from %u/%u/%u]", from.nl_family, from.nl_pid, from_len);
        for (struct nlmsghdr *h = (void *)answer; NLMSG_OK(h, got); h = NLMSG_NEXT(h, got)) {
            say(" {%x,%x,%u", h->nlmsg_type, h->nlmsg_flags, h->nlmsg_seq);
            if (h->nlmsg_type == NLMSG_ERROR) {
                struct nlmsgerr *e = NLMSG_DATA(h);
                say(" error %d len %u of %x", e->error, h->nlmsg_len, e->msg.nlmsg_type);
            } else if (h->nlmsg_type == CRYPTO_MSG_GETALG) {
                struct crypto_user_alg *alg = NLMSG_DATA(h);
                say(" %s", alg->cru_name);
                report_attributes((uint8_t *)(alg + 1), h->nlmsg_len - NLMSG_LENGTH(sizeof *alg));
            }
            say("}");
        }
    }
}

/* Whether a dump contains a name, is well-formed, and ends. */
static void dump(int fd, const char *name)
{
    struct {
        struct nlmsghdr head;
        struct crypto_user_alg alg;
    } q = {{.nlmsg_len = sizeof q,
            .nlmsg_type = CRYPTO_MSG_GETALG,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
            .nlmsg_seq = 5},
           {.cru_type = 0}};
    static uint8_t answer[1 << 17] __attribute__((aligned(8)));
    unsigned found = 0, bad = 0;
    bool done = false;
    say(" dump(%s)", name);
    outcome(send(fd, &q, sizeof q, MSG_DONTWAIT));
    while (!done) {
        long got = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
        if (got <= 0) {
            outcome(got);
            break;
        }
        for (struct nlmsghdr *h = (void *)answer; NLMSG_OK(h, got); h = NLMSG_NEXT(h, got)) {
            if (h->nlmsg_type == NLMSG_DONE) {
                say(" done %x len %u", h->nlmsg_flags, h->nlmsg_len);
                done = true;
            } else if (h->nlmsg_type == CRYPTO_MSG_GETALG) {
                struct crypto_user_alg *alg = NLMSG_DATA(h);
                found += !strcmp(alg->cru_name, name);
                bad += h->nlmsg_flags != NLM_F_MULTI || h->nlmsg_seq != 5;
            }
        }
    }
    say(" found %s bad %u", found ? "yes" : "no", bad);
}

/* The entries of a name in /proc/crypto, without the lines that differ between systems. */
static void listed(const char *name)
{
    FILE *f = fopen("/proc/crypto", "r");
    char line[256], entry[2048] = "", best[2048] = "";
    int priority = -1, top = -1;
    bool wanted = false;
    say(" /proc/crypto");
    if (!f) {
        outcome(-1);
        return;
    }
    for (;;) {
        bool more = fgets(line, sizeof line, f);
        char *colon = more ? strchr(line, ':') : NULL;
        if (!colon) {
            if (wanted && priority > top) {
                top = priority;
                strcpy(best, entry);
            }
            wanted = false;
            entry[0] = 0;
            if (!more)
                break;
            continue;
        }
        char *value = colon + 2;
        value[strcspn(value, "\n")] = 0;
        line[strcspn(line, " :")] = 0;
        if (!strcmp(line, "name"))
            wanted = !strcmp(value, name);
        else if (!strcmp(line, "priority"))
            priority = atoi(value);
        else if (strcmp(line, "driver") && strcmp(line, "module") && strcmp(line, "refcnt") && strcmp(line, "async") &&
                 strcmp(line, "walksize") && strlen(entry) + strlen(line) + strlen(value) + 4 < sizeof entry) {
            strcat(entry, " ");
            strcat(entry, line);
            strcat(entry, "=");
            strcat(entry, strcmp(value, "ahash") ? value : "shash"); /* whether a driver is asynchronous */
        }
    }
    fclose(f);
    say("{%s}", best);
    steps++;
}

/* The registry: by netlink and as text. */
void registry_operation(void)
{
    const char *type, *name;
    unsigned kind = below(4);
    if (kind == 0) {
        type = "skcipher";
        name = skciphers[below(skciphers_len)].name;
    } else if (kind == 1) {
        type = "aead";
        name = aeads[below(aeads_len)].name;
    } else if (kind == 2) {
        type = "hash";
        name = hashes[below(hashes_len)].name;
    } else {
        type = "rng";
        name = rngs[1 + below(rngs_len - 2)]; /* several generators are a stdrng, and the first in a list is not the best */
    }
    /* An instance of a template is listed after it has been used. */
    int tfm = open_transform(type, name);
    int raw = chance(50) ? SOCK_RAW : SOCK_DGRAM;
    int fd = socket(AF_NETLINK, raw | SOCK_CLOEXEC, NETLINK_CRYPTO);
    if (chance(50)) {
        struct sockaddr_nl own = {.nl_family = AF_NETLINK};
        say(" bind");
        outcome(bind(fd, (struct sockaddr *)&own, chance(80) ? sizeof own : below(12)));
    }
    switch (below(8)) {
    case 0:
        ask(fd, "no-such-name", CRYPTO_MSG_GETALG, NLM_F_REQUEST, sizeof(struct crypto_user_alg));
        break;
    case 1:
        ask(fd, chance(50) ? name : NULL, CRYPTO_MSG_GETALG, NLM_F_REQUEST | (chance(50) ? NLM_F_ACK : 0),
            chance(50) ? below(230) : sizeof(struct crypto_user_alg));
        break;
    case 2:
        ask(fd, name, chance(80) ? 0x10 + below(7) : below(300), NLM_F_REQUEST, sizeof(struct crypto_user_alg));
        break;
    case 3:
        ask(fd, name, CRYPTO_MSG_GETALG, chance(50) ? 0 : NLM_F_REQUEST | NLM_F_ACK, sizeof(struct crypto_user_alg));
        break;
    case 4:
        dump(fd, chance(80) ? name : "no-such-name");
        break;
    case 5:
        listed(name);
        break;
    default:
        ask(fd, name, CRYPTO_MSG_GETALG, NLM_F_REQUEST, sizeof(struct crypto_user_alg));
    }
    leave(fd);
    leave(tfm);
}
