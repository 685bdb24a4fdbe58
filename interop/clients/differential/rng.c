#include "differential.h"
#include <string.h>

/* Random bytes differ between systems; lengths and errors must not. */
void rng_operation(void)
{
    const char *name = rngs[below(rngs_len)];
    bool slow = !strcmp(name, "jitterentropy_rng");
    if (slow && !chance(20))
        name = rngs[0];
    int tfm = open_transform("rng", name);
    if (tfm < 0)
        return;
    if (chance(30))
        set_random_key(tfm, chance(30) ? 0 : below(120));
    if (chance(10))
        set_tag(tfm, 16);
    if (chance(10)) {
        say(" entropy");
        outcome(setsockopt(tfm, SOL_ALG, ALG_SET_DRBG_ENTROPY, in_arena, 48));
    }
    int op = take(tfm);
    unsigned n = 1 + below(5);
    while (op >= 0 && n--) {
        unsigned what = below(10);
        if (what < 6) {
            get(op, slow ? below(40) : below(300), 1 + below(3), 0, false);
        } else if (what < 7) {
            struct request r = {-1, -1, -1, below(40), 1, 0};
            put(op, &r);
        } else if (what < 8) {
            look(op);
        } else if (what < 9) {
            leave(take(op));
        } else {
            set_random_key(tfm, below(60));
        }
    }
    leave(op);
    leave(tfm);
}
