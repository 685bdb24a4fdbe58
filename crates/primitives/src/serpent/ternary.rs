//! The S-boxes and their inverses as circuits of ternary logic, for vectors with an instruction for any function of
//! three bits.
//!
//! With such gates negation is free, and a function that is there is as good as its complement. So a box is a set of
//! truth tables of its four inputs, 2^15 of them up to complement, each a function of three others, that contains the
//! four outputs. The sets were found by exhaustive search: a function that is no output is added, then every output
//! that has become a function of three; for the last function before the outputs, only those come into question that
//! leave some output a function of it and two more. No box has a set of six, the twelve of seven gates are minimal, and
//! the four of eight (3, 7 and their inverses) have none of seven. Of the smallest sets, these have
//! the shortest paths, from *a* and *c* above all, which come last out of the linear transformation. 7.25 gates on
//! average, where joining the gates of `sbox` leaves 10.6.
//!
//! The first input of a gate is the one that is there last, and gates are in the order in which they can start. The
//! instruction overwrites its first input, and on Zen 4 waits up to a cycle longer when that is an older one.

use crate::words32::Words32;

/// A gate is the table of its function and its inputs, as [`Words32::ternary`] has them.
macro_rules! circuit {
    (
        $name:ident($($input:ident),*) -> ($($output:ident),*)
        $($gate:ident = $table:literal($x:ident, $y:ident, $z:ident);)*
    ) => {
        #[inline(always)]
        pub(super) fn $name<V: Words32>([$($input),*]: [V; 4]) -> [V; 4] {
            $(let $gate = $x.ternary::<$table>($y, $z);)*
            [$($output),*]
        }
    };
}

circuit! { s0(a, b, c, d) -> (j, k, h, i)
    f = 0x8e(a, b, d); g = 0xb8(a, b, d); e = 0x96(a, c, d); i = 0x96(f, c, g); h = 0xd2(f, e, g);
    j = 0x35(i, e, g); k = 0x53(i, e, g);
}

circuit! { s1(a, b, c, d) -> (h, k, j, i)
    e = 0x4e(a, b, d); f = 0x96(a, b, d); g = 0xa6(a, b, c); h = 0x53(e, f, g); i = 0x27(e, f, g);
    j = 0xc3(g, d, g); k = 0xb1(e, f, g);
}

circuit! { s2(a, b, c, d) -> (h, i, k, j)
    e = 0x36(a, b, d); f = 0x6a(a, c, d); g = 0x96(a, b, c); h = 0x96(f, b, c); i = 0x3a(e, f, g);
    j = 0x59(e, f, g); k = 0x6c(e, f, g);
}

circuit! { s3(a, b, c, d) -> (l, i, j, k)
    e = 0x62(a, c, d); f = 0x1c(a, b, d); g = 0x1a(a, b, c); h = 0x8c(c, b, d); i = 0x96(e, d, f);
    j = 0xa6(f, d, g); k = 0x16(g, b, e); l = 0x56(e, a, h);
}

circuit! { s4(a, b, c, d) -> (h, k, j, i)
    e = 0x1e(c, a, d); g = 0xb8(a, b, d); f = 0x96(a, b, d); h = 0x69(e, b, g); j = 0xa3(h, f, g);
    i = 0xa9(h, b, f); k = 0x9c(j, e, f);
}

circuit! { s5(a, b, c, d) -> (h, i, j, k)
    e = 0x78(c, a, b); g = 0xe4(a, b, d); f = 0x96(a, b, d); h = 0x69(e, d, g); j = 0x53(h, f, g);
    i = 0x56(h, d, f); k = 0x9c(j, e, f);
}

circuit! { s6(a, b, c, d) -> (i, f, j, k)
    e = 0x96(a, b, c); g = 0x3a(e, a, d); h = 0x9c(e, c, d); f = 0x4b(e, a, d); i = 0x65(g, b, h);
    j = 0x93(h, e, g); k = 0x9c(i, g, j);
}

circuit! { s7(a, b, c, d) -> (h, k, l, i)
    e = 0x5c(c, b, d); f = 0x96(a, b, c); g = 0x9a(c, b, d); h = 0x47(e, f, g); i = 0xe4(e, f, g);
    j = 0x62(f, a, g); k = 0x96(i, c, j); l = 0x69(j, e, h);
}

circuit! { inverse_s0(a, b, c, d) -> (i, k, h, j)
    e = 0x1e(c, a, b); f = 0x4e(a, b, d); g = 0x96(a, b, d); h = 0xc3(e, d, e); i = 0xa9(e, f, g);
    j = 0x95(e, f, g); k = 0xb2(e, f, g);
}

circuit! { inverse_s1(a, b, c, d) -> (j, k, h, i)
    e = 0x5c(a, b, d); g = 0x8e(a, b, d); f = 0x96(d, b, c); i = 0x96(e, c, g); h = 0x4b(g, e, f);
    j = 0x35(i, e, f); k = 0xac(i, e, f);
}

circuit! { inverse_s2(a, b, c, d) -> (h, i, j, k)
    e = 0x4e(c, b, d); f = 0x74(c, b, d); g = 0x9c(c, b, d); h = 0x3c(f, a, f); j = 0xa9(e, a, g);
    i = 0x78(g, a, e); k = 0x93(h, e, j);
}

circuit! { inverse_s3(a, b, c, d) -> (h, k, i, l)
    e = 0x16(c, b, d); f = 0x7c(c, b, d); g = 0x3a(d, a, b); j = 0xb6(e, a, c); h = 0x96(f, a, g);
    i = 0xd8(g, a, e); k = 0xe8(j, b, e); l = 0x92(j, e, f);
}

circuit! { inverse_s4(a, b, c, d) -> (i, g, k, j)
    e = 0x76(a, c, d); f = 0x1e(c, a, b); g = 0xb4(e, a, b); h = 0x6c(g, a, d); i = 0x95(h, g, f);
    j = 0x96(h, d, f); k = 0x39(i, h, j);
}

circuit! { inverse_s5(a, b, c, d) -> (i, j, k, g)
    e = 0x26(a, b, c); f = 0xd2(c, a, d); g = 0x87(e, a, d); h = 0x63(g, a, b); i = 0x96(h, b, f);
    j = 0x59(h, g, f); k = 0xc6(i, h, j);
}

circuit! { inverse_s6(a, b, c, d) -> (h, j, k, i)
    e = 0x4e(a, c, d); f = 0xd4(a, c, d); g = 0xa6(a, c, d); h = 0x2d(e, b, f); i = 0x4b(e, b, f);
    j = 0xc3(g, b, g); k = 0x6a(h, i, g);
}

circuit! { inverse_s7(a, b, c, d) -> (h, j, k, l)
    f = 0x4e(a, c, d); g = 0x78(a, c, d); e = 0x54(c, a, d); h = 0x59(f, b, g); i = 0x38(f, b, d);
    j = 0xe1(i, a, g); k = 0x69(i, e, h); l = 0xc6(j, f, k);
}
