#include "differential.h"

/* The length of a key in bytes; 0 for a transform without a key. */
static size_t pick_key(const uint8_t *keys, size_t most)
{
    size_t n = 0;
    while (n < most && keys[n])
        n++;
    return n ? keys[below(n)] : 0;
}

/* Sends and receives in any order, on one or two operation sockets of a transform. */
void skcipher_operation(void)
{
    const struct skcipher *a = &skciphers[below(skciphers_len)];
    int tfm = open_transform("skcipher", a->name);
    if (tfm < 0)
        return;
    if (!chance(2))
        set_random_key(tfm, chance(97) ? pick_key(a->keys, 6) : below(80));
    int op = take(tfm);
    long pending = 0;
    bool known = false;               /* the interface defines the IV at this point */
    bool started = false, more = false;
    unsigned n = 2 + below(9);
    while (op >= 0 && n--) {
        unsigned what = below(100);
        if (started && !more && pending && chance(75))
            what = 50 + below(50);    /* nothing can be sent before it is received */
        if (what < 50 || !started) {
            struct request r = {-1, -1, -1, length(), 1 + (chance(30) ? below(5) : 0), chance(50) ? MSG_MORE : 0};
            if (chance(60))
                r.len -= r.len % a->chunk;
            if (chance(more ? 15 : 85)) {
                r.op = below(2);
                if (!started || chance(80))
                    r.iv = a->iv;
            }
            long sent = put(op, &r);
            if (sent >= 0) {
                if (r.iv >= 0 || !started || !a->iv)
                    known = true;
                started = true;
                more = r.flags & MSG_MORE;
                pending += sent;
            }
        } else if (what < 88) {
            size_t len = chance(50) ? (size_t)pending : length();
            if (chance(30))
                len -= len % a->chunk;
            long got = get(op, len, 1 + (chance(30) ? below(5) : 0), 0, known);
            bool refused = got < 0 && len < a->chunk && (more || (long)len < pending);
            if (got > 0)
                pending -= got;
            if (got < 0 && !refused && len) {
                /* The text and the IV after an error depend on the driver. */
                if (more || pending == 0) {
                    if (pending >= a->chunk)
                        known = false;
                } else {
                    known = false;
                }
                if (!known)
                    break;
            }
            if (got > 0 && !a->chains)
                known = false;
        } else {
            look(op);
        }
    }
    leave(op);
    leave(tfm);
}
