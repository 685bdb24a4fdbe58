//! The S-boxes and their inverses as circuits for a block alone, which waits for its own chain of rounds: the shortest
//! paths, not the fewest gates.
//!
//! What counts is when the linear transformation behind a box has all its words. It needs *a* and *c* soonest (when
//! decrypting, every word), and delivers *b* and *d* two steps before *a* and *c* (*a* and *c* one before *b* and *d*),
//! so a path from an early word may be longer. The circuits were found by simulated annealing, from those of `sbox`: a
//! gate's inputs or function change, what still makes the table's outputs stays, and the cost is the latest word of the
//! next round, then the sum over all words and the number of gates. 17.1 gates (18 for the inverses), and a round is a
//! chain of 10.9 steps instead of 14.1 (9.4 when decrypting).
//!
//! Gates are in the order of a list schedule of the rounds, four operations at a time of which two rotate or shift, and
//! `Word` keeps it. Cycles of a round in a loop on Zen 4: 11.6, where the compiler's order of the same gates takes 13.7,
//! the circuits of `sbox` scheduled like these 14.2, and ternary logic in a lane of a vector 15.6: rotations of vectors
//! take two cycles, and a ternary operation whose first input is an old value takes the room of two.

use super::sbox::{circuit, gate};
use crate::words32::Words32;

circuit! { s0(a, b, c, d) -> (t, u, s, m)
    e = a ^ d; f = b ^ c; g = c ^ a; h = c | d; i = d | e; j = e & !b; k = f ^ e; l = g ^ j; m = f ^ i;
    n = k ^ b; o = k & !j; p = l & !m; q = !n; r = l & m; s = o ^ h; t = p ^ q; u = q ^ r;
}

circuit! { s1(a, b, c, d) -> (r, s, q, t)
    e = !b; f = b & !d; g = e ^ d; h = e | a; i = a & g; j = c ^ f; k = g ^ a; l = h ^ c; m = j ^ i;
    n = j & k; o = l & !m; p = m & !l; q = l ^ d; r = o | n; s = k ^ p; t = m ^ s;
}

circuit! { s2(a, b, c, d) -> (m, u, s, t)
    e = d ^ b; f = b ^ a; g = a | d; h = c & a; i = c & !a; j = c ^ f; k = g ^ b; l = h ^ d; m = i ^ e;
    n = k & j; o = !j; p = k & l; q = l & !k; r = j | k; s = l ^ n; t = o ^ q; u = r ^ p;
}

circuit! { s3(a, b, c, d) -> (t, v, s, u)
    e = b ^ d; f = a & b; g = d | a; h = a ^ c; i = c ^ e; j = f ^ g; k = h ^ e; l = i & !f; m = f | h;
    n = e & g; o = j | e; p = l | k; q = m & j; r = j | c; s = m ^ n; t = o & p; u = i ^ q; v = r ^ l;
}

circuit! { s4(a, b, c, d) -> (m, s, r, t)
    e = !b; f = e & !d; g = b ^ d; h = c ^ f; i = a ^ g; j = g & a; k = c | d; l = d | a; m = h ^ j;
    n = k & !i; o = a & h; p = l ^ c; q = e & !m; r = n | o; s = p ^ n; t = i ^ q;
}

circuit! { s5(a, b, c, d) -> (q, t, r, s)
    e = d ^ b; f = !e; g = a & b; h = a ^ e; i = f ^ c; j = f | c; k = d & !h; l = i & !b; m = g ^ i;
    n = j & !h; o = a & j; p = m | d; q = k ^ m; r = l | n; s = m ^ o; t = h ^ p;
}

circuit! { s6(a, b, c, d) -> (t, v, u, w)
    e = d ^ c; f = a ^ d; g = !c; h = d & a; i = e & b; j = f ^ b; k = e | f; l = g & !d; m = j & !i;
    n = a | g; o = j | b; p = j & k; q = g ^ b; r = a ^ i; s = o | c; t = m ^ n; u = l ^ p; v = q ^ h;
    w = s ^ r;
}

circuit! { s7(a, b, c, d) -> (t, v, s, u)
    e = !b; f = a ^ b; g = c & !b; h = d & !c; i = f & !c; j = f ^ c; k = g ^ d; l = e ^ h; m = a & !j;
    n = j & a; o = k | i; p = l | j; q = a & k; r = k | n; s = o & !m; t = k ^ p; u = q ^ j; v = r ^ f;
}

circuit! { inverse_s0(a, b, c, d) -> (r, v, s, u)
    e = !c; f = a ^ b; g = a | b; h = a & !b; i = e ^ g; j = d & !f; k = f ^ d; l = b & c; m = h ^ c;
    n = k ^ l; o = i & !j; p = i ^ k; q = j ^ m; r = o ^ n; s = i ^ d; t = q | p; u = q ^ r; v = i ^ t;
}

circuit! { inverse_s1(a, b, c, d) -> (t, s, r, l)
    e = d & !b; f = b | a; g = c ^ b; h = d & a; i = a ^ e; j = g ^ d; k = f ^ h; l = i ^ c; m = k ^ j;
    n = !i; o = k & j; p = m & l; q = !j; r = o ^ n; s = p ^ k; t = q ^ p;
}

circuit! { inverse_s2(a, b, c, d) -> (v, t, w, u)
    e = !c; f = a & c; g = c ^ b; h = d | a; i = a ^ d; j = e & !a; k = h & g; l = d ^ g; m = e ^ d;
    n = i & !f; o = l & !k; p = g | j; q = i & !m; r = l | b; s = m & !i; t = q ^ o; u = n ^ p; v = r ^ i;
    w = k ^ s;
}

circuit! { inverse_s3(a, b, c, d) -> (w, v, x, t)
    e = b & a; f = a ^ c; g = b & !c; h = g ^ a; i = c ^ d; j = f ^ e; k = b ^ f; l = d | a; m = a ^ b;
    n = d | h; o = b ^ c; p = j & i; q = k & l; r = b | i; s = h ^ i; t = p ^ m; u = o | n; v = r & !q;
    w = o ^ n; x = s ^ u;
}

circuit! { inverse_s4(a, b, c, d) -> (w, t, v, s)
    e = !a; f = a & b; g = d | c; h = d ^ c; i = d | b; j = d ^ a; k = g ^ b; l = c & !f; m = h ^ f;
    n = i ^ h; o = g & a; p = j & i; q = l ^ i; r = n | e; s = k ^ p; t = o ^ m; u = k & !a; v = r ^ q;
    w = r ^ u;
}

circuit! { inverse_s5(a, b, c, d) -> (u, s, t, r)
    e = !c; f = a & d; g = a ^ b; h = d | a; i = b | e; j = e ^ b; k = g & h; l = i ^ f; m = c & !f;
    n = j | a; o = j ^ h; p = l | k; q = l & !b; r = n & l; s = o ^ p; t = m ^ k; u = q ^ o;
}

circuit! { inverse_s6(a, b, c, d) -> (u, o, v, t)
    e = a ^ c; f = c & !a; g = a & c; h = d ^ a; i = e & !d; j = d ^ f; k = !b; l = b ^ g; m = i ^ g;
    n = h ^ i; o = j ^ k; p = i ^ c; q = m | k; r = n | o; s = h ^ l; t = q ^ n; u = q ^ s; v = r ^ p;
}

circuit! { inverse_s7(a, b, c, d) -> (t, q, p, u)
    e = c ^ a; f = d | c; g = a & d; h = b ^ d; i = !e; j = g | b; k = h & f; l = f & !g; m = f & i;
    n = g | i; o = i ^ j; p = m ^ j; q = n ^ k; r = o ^ l; s = p & !q; t = k ^ r; u = l ^ s;
}
