//! The eight S-boxes and their inverses as circuits.
//!
//! A box takes four bits to four bits, and is applied to the 32 columns of four words at once: bit
//! *i* of the box is word *i*, in every lane. The circuits have the gates of Dag Arne Osvik's
//! instruction sequences ("Speeding up Serpent", Third AES Candidate Conference, 2000), written
//! with a name for every gate instead of five registers; which registers to use is the compiler's
//! business, and where a vector instruction has three inputs, so is joining gates.

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

pub(super) use {circuit, gate};

circuit! { s0(a, b, c, d) -> (t, u, n, j)
    e = d ^ a; f = b & e; g = b ^ c; h = f ^ a; i = a | e; j = i ^ g; k = g ^ e; l = e ^ c; m = c | h;
    n = m ^ k; o = !k; p = o | h; q = h ^ l; r = q ^ p; s = l | j; t = r ^ s; u = p ^ s;
}

circuit! { s1(a, b, c, d) -> (p, u, j, s)
    e = !a; f = !c; g = e & b; h = f ^ g; i = g | d; j = d ^ h; k = b ^ i; l = i ^ e; m = e | k; n = k ^ j;
    o = h | l; p = o & m; q = l ^ n; r = n & p; s = r ^ q; t = q & p; u = m ^ t;
}

circuit! { s2(a, b, c, d) -> (h, m, q, r)
    e = a & c; f = e ^ d; g = c ^ b; h = g ^ f; i = d | a; j = i ^ b; k = a ^ h; l = j | k; m = l ^ f;
    n = f & j; o = k ^ n; p = j ^ m; q = p ^ o; r = !o;
}

circuit! { s3(a, b, c, d) -> (u, r, l, p)
    e = a | d; f = d ^ b; g = b & a; h = a ^ c; i = c ^ f; j = f & e; k = h | g; l = j ^ k; m = e ^ g;
    n = k & m; o = g ^ l; p = n ^ i; q = o | m; r = q ^ i; s = m ^ l; t = r | l; u = s ^ t;
}

circuit! { s4(a, b, c, d) -> (j, w, v, p)
    e = b ^ d; f = !d; g = c ^ f; h = f ^ a; i = e & h; j = i ^ g; k = e ^ h; l = a ^ k; m = g & k; n = m ^ l;
    o = l & j; p = h ^ o; q = k | j; r = q ^ o; s = o | p; t = s ^ n; u = n & p; v = !t; w = r ^ u;
}

circuit! { s5(a, b, c, d) -> (j, n, t, v)
    e = a ^ b; f = b ^ d; g = !d; h = f & e; i = c ^ g; j = h ^ i; k = i | f; l = f ^ g; m = g & j; n = m ^ e;
    o = l ^ j; p = o ^ k; q = k ^ e; r = e & n; s = !q; t = r ^ p; u = p | n; v = u ^ s;
}

circuit! { s6(a, b, c, d) -> (p, j, r, u)
    e = !c; f = d & a; g = a ^ d; h = f ^ e; i = e | d; j = b ^ h; k = i ^ g; l = g | j; m = k ^ j; n = d ^ l;
    o = l | h; p = o ^ m; q = n ^ h; r = q ^ p; s = !h; t = m & r; u = s ^ t;
}

circuit! { s7(a, b, c, d) -> (w, l, t, p)
    e = b | c; f = e ^ d; g = b ^ c; h = c ^ f; i = d | g; j = i & a; k = g ^ h; l = j ^ f; m = f | k;
    n = m ^ a; o = a | k; p = o ^ h; q = n ^ k; r = h ^ q; s = q & p; t = s ^ k; u = !r; v = u | p; w = k ^ v;
}

circuit! { inverse_s0(a, b, c, d) -> (p, v, j, t)
    e = !c; f = b | a; g = !b; h = f ^ e; i = e | g; j = h ^ d; k = a ^ g; l = i ^ k; m = k & d; n = g ^ m;
    o = m | j; p = o ^ l; q = d ^ n; r = l ^ j; s = q ^ p; t = s ^ j; u = r & t; v = n ^ u;
}

circuit! { inverse_s1(a, b, c, d) -> (r, n, v, j)
    e = b ^ d; f = d & e; g = b ^ c; h = f ^ a; i = a | e; j = c ^ h; k = i ^ g; l = k | j; m = e ^ h;
    n = l ^ m; o = m | h; p = o ^ n; q = !g; r = q ^ p; s = p | n; t = s ^ n; u = t | r; v = h ^ u;
}

circuit! { inverse_s2(a, b, c, d) -> (j, n, r, v)
    e = c ^ d; f = d ^ a; g = f & e; h = g ^ b; i = b | e; j = i ^ f; k = f & h; l = e ^ h; m = k & a;
    n = m ^ l; o = l & j; p = o | a; q = !h; r = p ^ q; s = a ^ q; t = s & j; u = q ^ n; v = u ^ t;
}

circuit! { inverse_s3(a, b, c, d) -> (l, t, p, u)
    e = c ^ b; f = a ^ e; g = c & e; h = g ^ f; i = f & b; j = b ^ d; k = d | h; l = e ^ k; m = i ^ k;
    n = j ^ h; o = k & l; p = o ^ n; q = n ^ m; r = q | l; s = m ^ p; t = r ^ h; u = s ^ t;
}

circuit! { inverse_s4(a, b, c, d) -> (q, v, w, j)
    e = c & d; f = e ^ b; g = b | d; h = g & a; i = c ^ f; j = i ^ h; k = h & f; l = !a; m = d ^ j; n = k ^ m;
    o = m & l; p = o ^ f; q = l ^ n; r = f & q; s = p ^ q; t = r ^ j; u = t | s; v = s ^ q; w = u ^ n;
}

circuit! { inverse_s5(a, b, c, d) -> (p, u, v, l)
    e = !b; f = c ^ e; g = d | a; h = g ^ f; i = f | e; j = i & a; k = d ^ h; l = j ^ k; m = k | a; n = m ^ e;
    o = e & l; p = o ^ h; q = n ^ l; r = h & q; s = q ^ p; t = r ^ s; u = !s; v = t ^ a;
}

circuit! { inverse_s6(a, b, c, d) -> (p, j, t, s)
    e = a ^ c; f = c & e; g = c ^ d; h = !f; i = d ^ b; j = h ^ i; k = g | e; l = e ^ j; m = i ^ k; n = k ^ b;
    o = b & m; p = o ^ l; q = l ^ m; r = q | j; s = m ^ p; t = n ^ r;
}

circuit! { inverse_s7(a, b, c, d) -> (u, r, n, v)
    e = c ^ a; f = a & d; g = c | d; h = !e; i = d ^ b; j = b | f; k = f ^ h; l = h & g; m = i & g; n = j ^ l;
    o = l ^ k; p = k | o; q = g ^ n; r = p ^ m; s = m ^ q; t = q | r; u = s ^ o; v = t ^ o;
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

    /// What a circuit makes of each of the 16 inputs: input `x` in bit `x` of the words.
    fn outputs(circuit: Circuit) -> [u8; 16] {
        let inputs = core::array::from_fn(|bit| (0..16).map(|x: u32| (x >> bit & 1) << x).sum());
        let words = circuit(inputs.map(|word| Word::splat(Portable::new(), word))).map(Word::get);
        core::array::from_fn(|x| (0..4).map(|bit| ((words[bit] >> x & 1) as u8) << bit).sum())
    }

    #[test]
    fn every_box_on_every_input() {
        macro_rules! boxes {
            ($($path:ident)::*) => {{
                use $($path)::*::*;
                let circuits: [Circuit; 8] = [s0, s1, s2, s3, s4, s5, s6, s7];
                let inverses: [Circuit; 8] =
                    [inverse_s0, inverse_s1, inverse_s2, inverse_s3, inverse_s4, inverse_s5, inverse_s6, inverse_s7];
                for ((table, circuit), inverse) in TABLE.into_iter().zip(circuits).zip(inverses) {
                    assert_eq!(outputs(circuit), table);
                    let inverted: [u8; 16] =
                        core::array::from_fn(|y| table.iter().position(|&t| usize::from(t) == y).unwrap() as u8);
                    assert_eq!(outputs(inverse), inverted);
                }
            }};
        }
        boxes!(crate::serpent::sbox);
        boxes!(crate::serpent::ternary);
        boxes!(crate::serpent::alone);
    }
}
