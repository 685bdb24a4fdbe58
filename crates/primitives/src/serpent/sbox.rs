//! The eight S-boxes and their inverses as circuits.
//!
//! An S-box maps four bits to four bits, and is applied to the 32 columns of four words at once: bit *i* of the S-box
//! is word *i*, in every lane.
//!
//! The circuits have short paths rather than few gates, because a single block waits for its own chain of rounds. What
//! counts is when the linear transformation after an S-box has all its words. It needs *a* and *c* first (in
//! decryption, every word), and delivers *b* and *d* two steps before *a* and *c* (in decryption, *a* and *c* one step
//! before *b* and *d*). So a path from an early word may be longer.
//!
//! The circuits were found by simulated annealing, starting from those of Dag Arne Osvik ("Speeding up Serpent", Third
//! AES Candidate Conference, 2000). A move changes an input or the function of a gate, and must keep the outputs of the
//! S-box. The cost is the latest word of the next round, then the sum over all words and the number of gates. An S-box
//! has 17.1 gates on average (an inverse has 18; Osvik's have 17.25). A round is a chain of 10.9 steps, where Osvik's
//! circuits make 14.1 (9.4 in decryption). Where a vector instruction has three inputs, the compiler joins gates.
//!
//! Gates are in the order of a list schedule of the rounds: four operations at a time, at most two of which rotate or
//! shift. [`Word`](crate::words32::Word), for a single block, keeps that order.

use crate::words32::Words32;

macro_rules! gate {
    (! $x:ident) => {
        $x.not()
    };
    ($x:ident ^ $y:ident) => {
        $x.xor($y)
    };
    ($x:ident & $y:ident) => {
        $x.and($y)
    };
    ($x:ident & ! $y:ident) => {
        $x.and_not($y)
    };
    ($x:ident | $y:ident) => {
        $x.or($y)
    };
}

macro_rules! circuit {
    (
        $name:ident($($input:ident),*) -> ($($output:ident),*)
        $($gate:ident = $x:tt $y:tt $($z:ident)? $(! $inverted:ident)?;)*
    ) => {
        #[inline(always)]
        pub(super) fn $name<V: Words32>([$($input),*]: [V; 4]) -> [V; 4] {
            $(let $gate = gate!($x $y $($z)? $(! $inverted)?);)*
            [$($output),*]
        }
    };
}

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

#[cfg(test)]
mod tests {
    use crate::cpu::Portable;
    use crate::words32::{Word, Words32};

    /// The table of the submission (Anderson, Biham, Knudsen, "Serpent: A Proposal for the Advanced
    /// Encryption Standard", appendix A.5).
    const TABLE: [[u8; 16]; 8] = [
        [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
        [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
        [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
        [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
        [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
        [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
        [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
        [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
    ];

    type Circuit = fn([Word<Portable>; 4]) -> [Word<Portable>; 4];

    /// The outputs of a circuit for each of the 16 inputs: input `x` is bit `x` of the words.
    fn outputs(circuit: Circuit) -> [u8; 16] {
        let inputs = core::array::from_fn(|bit| (0..16).map(|x: u32| (x >> bit & 1) << x).sum());
        let words = circuit(inputs.map(|word| Word::splat(Portable::new(), word))).map(Word::get);
        core::array::from_fn(|x| (0..4).map(|bit| ((words[bit] >> x & 1) as u8) << bit).sum())
    }

    #[test]
    fn every_box_on_every_input() {
        use super::*;
        let circuits: [Circuit; 8] = [s0, s1, s2, s3, s4, s5, s6, s7];
        let inverses: [Circuit; 8] =
            [inverse_s0, inverse_s1, inverse_s2, inverse_s3, inverse_s4, inverse_s5, inverse_s6, inverse_s7];
        for ((table, circuit), inverse) in TABLE.into_iter().zip(circuits).zip(inverses) {
            assert_eq!(outputs(circuit), table);
            let inverted: [u8; 16] =
                core::array::from_fn(|y| table.iter().position(|&t| usize::from(t) == y).unwrap() as u8);
            assert_eq!(outputs(inverse), inverted);
        }
    }
}
