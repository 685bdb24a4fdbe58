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
//! Where a vector instruction has three inputs, the compiler joins a gate with the only one that uses its output.
//!
//! The circuits were found by simulated annealing, starting from those of Dag Arne Osvik ("Speeding up Serpent", Third
//! AES Candidate Conference, 2000). A move changes an input or the function of a gate, and must keep the outputs of the
//! S-box. The cost is the latest word of the next round, then the number of joined gates and of all gates. From the
//! cheapest circuits, those were taken for which the compiler needs the fewest instructions. An S-box has 16.5 gates on
//! average (an inverse has 17; Osvik's have 17.25), which become 9.75 joined ones (10.4). A round is a chain of 10.9
//! steps, where Osvik's circuits make 14.1 (9.4 in decryption).
//!
//! Gates are in the order of a list schedule of the rounds: four operations at a time. [`Word`](crate::words32::Word),
//! for a single block, keeps that order.

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

circuit! { s0(a, b, c, d) -> (p, r, q, l)
    e = d ^ a; f = d | a; g = c ^ a; h = f ^ b; i = e & !b; j = i ^ g; k = i ^ d; l = h ^ c; m = k & !j;
    n = l & j; o = !k; p = o ^ n; q = m ^ h; r = p ^ j;
}

circuit! { s1(a, b, c, d) -> (r, s, q, t)
    e = !b; f = b & !d; g = e ^ d; h = e | a; i = a & g; j = c ^ f; k = g ^ a; l = h ^ c; m = j ^ i;
    n = j & k; o = l & !m; p = m & !l; q = l ^ d; r = o | n; s = k ^ p; t = m ^ s;
}

circuit! { s2(a, b, c, d) -> (n, s, q, r)
    e = b ^ a; f = d | a; g = c & a; h = e ^ c; i = g ^ d; j = f ^ b; k = i ^ h; l = j & h; m = j & i;
    n = k ^ a; o = !k; p = k | j; q = l ^ i; r = o ^ m; s = p ^ i;
}

circuit! { s3(a, b, c, d) -> (s, u, r, t)
    e = d ^ b; f = b & !d; g = a & !b; h = d & !a; i = c ^ a; j = h | g; k = i ^ e; l = a & !g; m = k | g;
    n = i & !j; o = l | k; p = k ^ c; q = n ^ h; r = o ^ f; s = m & !n; t = n ^ p; u = q ^ o;
}

circuit! { s4(a, b, c, d) -> (s, u, r, t)
    e = d | b; f = d ^ b; g = !e; h = d & !a; i = d | c; j = f ^ a; k = g ^ c; l = h ^ c; m = i & !j;
    n = a & !j; o = k & a; p = l ^ a; q = l & !b; r = o | m; s = n ^ k; t = q ^ j; u = m ^ p;
}

circuit! { s5(a, b, c, d) -> (p, s, q, t)
    e = d ^ b; f = !e; g = b & a; h = e ^ a; i = f ^ c; j = f | c; k = i & !b; l = d & !h; m = i ^ g;
    n = j & !h; o = m | d; p = m ^ l; q = n | k; r = n ^ f; s = o ^ h; t = r ^ m;
}

circuit! { s6(a, b, c, d) -> (r, v, u, w)
    e = b & !d; f = !d; g = d ^ a; h = e ^ c; i = !c; j = f & !c; k = b & !h; l = g ^ b; m = h & b; n = i | a;
    o = l & !k; p = l & !m; q = d & !l; r = n ^ o; s = !q; t = o | h; u = j ^ p; v = s ^ h; w = t ^ a;
}

circuit! { s7(a, b, c, d) -> (t, v, r, u)
    e = b ^ a; f = c & !b; g = d & !c; h = g ^ b; i = e ^ c; j = f ^ d; k = e & !c; l = !j; m = k | j;
    n = i | h; o = i & a; p = h & !i; q = j & a; r = n & m; s = o | j; t = p ^ l; u = q ^ i; v = s ^ e;
}

circuit! { inverse_s0(a, b, c, d) -> (s, q, p, r)
    e = !a; f = b & !a; g = a ^ b; h = g | d; i = f ^ c; j = g ^ d; k = i ^ e; l = h ^ i; m = l & !k;
    n = j & !l; o = l | k; p = k ^ d; q = n ^ m; r = o ^ j; s = r ^ l;
}

circuit! { inverse_s1(a, b, c, d) -> (s, q, r, k)
    e = d & !b; f = d ^ b; g = d ^ c; h = a & !f; i = e ^ a; j = h ^ b; k = i ^ c; l = g ^ h; m = !j;
    n = l & k; o = !l; p = m | l; q = n ^ j; r = p ^ i; s = q ^ o;
}

circuit! { inverse_s2(a, b, c, d) -> (v, u, w, t)
    e = c ^ a; f = c | a; g = !c; h = c ^ b; i = d | a; j = d ^ a; k = !f; l = h ^ d; m = j & !e; n = h & i;
    o = k | l; p = l & !n; q = m ^ a; r = l | b; s = q ^ n; t = q ^ o; u = p ^ m; v = r ^ j; w = s ^ g;
}

circuit! { inverse_s3(a, b, c, d) -> (u, r, t, s)
    e = b | a; f = c ^ b; g = d ^ c; h = b & !c; i = h ^ a; j = g | b; k = e ^ f; l = f | d; m = k ^ l;
    n = l & !d; o = j & !i; p = l & !i; q = i | d; r = n | o; s = o ^ m; t = p ^ g; u = q ^ f;
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

circuit! { inverse_s6(a, b, c, d) -> (t, q, u, s)
    e = c ^ a; f = !c; g = c | a; h = e & d; i = !b; j = d ^ c; k = f | a; l = g ^ h; m = k ^ d; n = h ^ j;
    o = l ^ b; p = l | i; q = m ^ b; r = n | o; s = n ^ p; t = s ^ o; u = r ^ m;
}

circuit! { inverse_s7(a, b, c, d) -> (u, o, s, t)
    e = !c; f = d & a; g = d | c; h = d ^ b; i = e ^ a; j = f | b; k = i | f; l = h & g; m = g ^ f; n = j ^ i;
    o = l ^ k; p = i & !g; q = n ^ m; r = o & n; s = p ^ n; t = r ^ q; u = l ^ q;
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
