#include "differential.h"
#include <string.h>

static void key_and_tag(int tfm, const struct aead *a, unsigned *tag)
{
    static uint8_t key[256];
    unsigned n = 0;
    while (n < 4 && a->keys[n])
        n++;
    size_t len = n ? a->keys[below(n)] : 0;
    if (chance(3))
        len = below(70);
    *tag = a->tag;
    bool tag_first = chance(50), with_tag = chance(60);
    unsigned wanted = chance(70) ? 4 * (1 + below(a->tag / 4)) : below(a->tag + 4);
    if (with_tag && tag_first && set_tag(tfm, wanted) == 0)
        *tag = wanted;
    if (!chance(2)) {
        if (a->auth_key && !chance(3)) {
            len = authenc_key(key, a->auth_key, len);
            set_key(tfm, key, len);
        } else {
            set_random_key(tfm, len);
        }
    }
    if (with_tag && !tag_first && set_tag(tfm, wanted) == 0)
        *tag = wanted;
}

static size_t assoc_len(const struct aead *a)
{
    if (a->aad[0] && !chance(5))
        return a->aad[below(2)];
    return chance(20) ? 0 : chance(80) ? below(40) : length();
}

static void valid_iv(const struct aead *a, uint8_t *iv)
{
    fill(iv, a->iv);
    if (!strcmp(a->name, "ccm(aes)")) {
        if (!chance(4))
            iv[0] = chance(70) ? 3 : 1 + below(7);
        /* The counter's field, which callers have to leave at zero. */
        for (unsigned i = 0; iv[0] < 8 && i <= iv[0]; i++)
            iv[15 - i] = 0;
    }
}

/* Sends len bytes in one to three parts. */
static void put_parts(int op, struct request r, const uint8_t *data, const uint8_t *iv)
{
    size_t whole = r.len, at = 0;
    unsigned parts = chance(60) ? 1 : 2 + below(2);
    while (parts--) {
        r.len = parts ? below(whole - at + 1) : whole - at;
        r.flags = parts ? MSG_MORE : 0;
        r.pieces = chance(30) ? 1 + below(4) : 1;
        put_data(op, &r, data + at, iv);
        if (parts && chance(10))
            look(op);
        at += r.len;
        r.op = r.iv = r.assoc = -1;
        if (parts && chance(10))
            get(op, 16 + below(64), 1, 0, true);
    }
}

/* Receives; the associated data and what follows it are printed apart. */
static long get_parts(int op, size_t aad, size_t room)
{
    long got = get(op, room, chance(30) ? 1 + below(5) : 1, 0, false);
    if (got > 0) {
        size_t first = (size_t)got < aad ? (size_t)got : aad;
        say(" aad");
        digest(out_arena, first);
        digest(out_arena + first, got - first);
    }
    return got;
}

/* Seals, then opens what came out, as it is or changed. */
void aead_operation(void)
{
    static uint8_t iv[64], *sealed;
    const struct aead *a = &aeads[below(aeads_len)];
    unsigned tag;
    int tfm = open_transform("aead", a->name);
    if (tfm < 0)
        return;
    key_and_tag(tfm, a, &tag);
    int op = take(tfm);
    if (op < 0) {
        leave(tfm);
        return;
    }
    size_t aad = assoc_len(a), text = length();
    if (a->align > 1 && !chance(4))
        text -= text % a->align;
    valid_iv(a, iv);
    struct request r = {ALG_OP_ENCRYPT, a->iv, aad, aad + text, 1, 0};
    if (!aad && chance(50))
        r.assoc = -1;
    fill(in_arena, r.len);
    put_parts(op, r, in_arena, iv);
    if (chance(20))
        look(op);
    size_t room = aad + text + tag;
    long got = get_parts(op, aad, room + (chance(10) ? below(40) : 0));
    if (got <= 0) {
        leave(op);
        leave(tfm);
        return;
    }
    if (!sealed)
        sealed = in_arena + ARENA / 2;
    memcpy(sealed, out_arena, got);
    if (chance(30)) {                 /* another operation socket of the same transform */
        leave(op);
        op = take(tfm);
    } else if (chance(20)) {
        look(op);
    }
    switch (below(8)) {
    case 0:
        say(" changed");
        sealed[below(got)] ^= 1 << below(8);
        break;
    case 1:
        say(" cut");
        got -= 1 + below(got);
        break;
    case 2:
        say(" iv");
        iv[a->iv ? a->iv - 1 : 0] ^= 0x40;
        break;
    }
    r = (struct request){ALG_OP_DECRYPT, a->iv, r.assoc, got, 1, 0};
    put_parts(op, r, sealed, iv);
    room = aad + text + (chance(10) ? below(40) : 0);
    get_parts(op, aad, room);
    if (chance(20))
        look(op);
    leave(op);
    leave(tfm);
}

/* Sends and receives of lengths that need not fit, in any order. */
void aead_walk_operation(void)
{
    static uint8_t iv[64];
    const struct aead *a = &aeads[below(aeads_len)];
    unsigned tag, n = 2 + below(8);
    int tfm = open_transform("aead", a->name);
    if (tfm < 0)
        return;
    key_and_tag(tfm, a, &tag);
    int op = take(tfm);
    long pending = 0;
    bool more = false;
    while (op >= 0 && n--) {
        unsigned what = below(100);
        if (!more && pending && chance(75))
            what = 55 + below(45);    /* nothing can be sent before it is received */
        if (what < 55 || !pending) {
            struct request r = {-1, -1, -1, chance(80) ? 16 * below(12) + below(3) : length(), 1 + below(3),
                                chance(35) ? MSG_MORE : 0};
            if (chance(more ? 20 : 90)) {
                r.op = below(2);
                r.iv = chance(90) ? a->iv : -1;
                r.assoc = chance(75) ? (int)assoc_len(a) : -1;
            }
            valid_iv(a, iv);
            fill(in_arena, r.len);
            long sent = put_data(op, &r, in_arena, iv);
            if (sent >= 0) {
                pending += sent;
                more = r.flags & MSG_MORE;
            }
        } else if (what < 90) {
            size_t room = chance(50) ? (size_t)pending + tag : chance(50) ? (size_t)pending : length();
            long got = get(op, room, 1 + below(3), 0, true);
            if (got >= 0)
                pending = 0;
        } else {
            look(op);
        }
    }
    leave(op);
    leave(tfm);
}
