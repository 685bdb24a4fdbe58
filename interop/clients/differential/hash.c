#include "differential.h"

static size_t pick_key(const struct hash *a)
{
    unsigned n = 0;
    while (n < 4 && a->keys[n])
        n++;
    return n && !chance(5) ? a->keys[below(n)] : below(140);
}

static bool is_optional(const struct hash *a)
{
    return (a->name[0] == 'c' && a->name[1] == 'r') || (a->name[0] == 'x' && a->name[1] == 'x') || a->name[0] == 'b';
}

/* Sends, receives, clones and keys in any order. */
void hash_operation(void)
{
    const struct hash *a = &hashes[below(hashes_len)];
    int ops[4] = {-1, -1, -1, -1};
    unsigned live = 1, n = 2 + below(10);
    int tfm = open_transform("hash", a->name);
    if (tfm < 0)
        return;
    if (a->keys[0] ? !chance(is_optional(a) ? 50 : 5) : chance(3))
        set_random_key(tfm, pick_key(a));
    ops[0] = take(tfm);
    while (ops[0] >= 0 && n--) {
        unsigned which = below(live), what = below(100);
        if (live > 1)
            say(" %u:", which);
        if (what < 50) {
            struct request r = {-1, -1, -1, length(), 1 + (chance(30) ? below(5) : 0), chance(55) ? MSG_MORE : 0};
            if (chance(2))
                r.op = 0;
            put(ops[which], &r);
        } else if (what < 80) {
            size_t room = chance(70) ? a->size : below(a->size + 30);
            get(ops[which], room, 1 + (chance(20) ? below(3) : 0), chance(5) ? MSG_TRUNC : 0, true);
        } else if (what < 90 && live < COUNT(ops)) {
            ops[live] = take(ops[which]);
            if (ops[live] >= 0)
                live++;
        } else if (what < 94) {
            set_random_key(tfm, pick_key(a));
        } else {
            look(ops[which]);
        }
    }
    for (unsigned i = 0; i < live; i++)
        leave(ops[i]);
    leave(tfm);
}
