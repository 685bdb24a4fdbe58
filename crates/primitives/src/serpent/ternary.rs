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
    e = 0x96(a, c, d); f = 0x8e(a, b, d); g = 0xb8(a, b, d); h = 0xc6(e, f, g); i = 0x96(c, f, g);
    j = 0x1b(e, g, i); k = 0x27(e, g, i);
}

circuit! { s1(a, b, c, d) -> (h, k, j, i)
    e = 0x4e(a, b, d); f = 0x96(a, b, d); g = 0xa6(a, b, c); h = 0x53(e, f, g); i = 0x27(e, f, g);
    j = 0xc3(d, g, g); k = 0xb1(e, f, g);
}

circuit! { s2(a, b, c, d) -> (h, i, k, j)
    e = 0x36(a, b, d); f = 0x6a(a, c, d); g = 0x96(a, b, c); h = 0x96(b, c, f); i = 0x3a(e, f, g);
    j = 0x59(e, f, g); k = 0x6c(e, f, g);
}

circuit! { s3(a, b, c, d) -> (l, i, j, k)
    e = 0x62(a, c, d); f = 0x1c(a, b, d); g = 0x1a(a, b, c); h = 0xb0(b, c, d); i = 0x96(d, e, f);
    j = 0x9a(d, f, g); k = 0x16(b, e, g); l = 0x56(a, e, h);
}

circuit! { s4(a, b, c, d) -> (h, k, j, i)
    e = 0x36(a, c, d); f = 0x96(a, b, d); g = 0xb8(a, b, d); h = 0x69(b, e, g); i = 0xc9(b, f, h);
    j = 0x8d(f, g, h); k = 0xd2(e, f, j);
}

circuit! { s5(a, b, c, d) -> (h, i, j, k)
    e = 0x6a(a, b, c); f = 0x96(a, b, d); g = 0xe4(a, b, d); h = 0x69(d, e, g); i = 0x36(d, f, h);
    j = 0x27(f, g, h); k = 0xd2(e, f, j);
}

circuit! { s6(a, b, c, d) -> (i, f, j, k)
    e = 0x96(a, b, c); f = 0x65(a, d, e); g = 0x4e(a, d, e); h = 0xd2(c, d, e); i = 0x59(b, g, h);
    j = 0x87(e, g, h); k = 0xb4(g, i, j);
}

circuit! { s7(a, b, c, d) -> (h, k, l, i)
    e = 0x74(b, c, d); f = 0x96(a, b, c); g = 0xa6(b, c, d); h = 0x47(e, f, g); i = 0xe4(e, f, g);
    j = 0x4a(a, f, g); k = 0x96(c, i, j); l = 0x69(e, h, j);
}

circuit! { inverse_s0(a, b, c, d) -> (i, k, h, j)
    e = 0x56(a, b, c); f = 0x4e(a, b, d); g = 0x96(a, b, d); h = 0xc3(d, e, e); i = 0xa9(e, f, g);
    j = 0x95(e, f, g); k = 0xb2(e, f, g);
}

circuit! { inverse_s1(a, b, c, d) -> (j, k, h, i)
    e = 0x5c(a, b, d); f = 0x96(b, c, d); g = 0x8e(a, b, d); h = 0x65(e, f, g); i = 0x96(c, e, g);
    j = 0x1b(e, f, i); k = 0xd8(e, f, i);
}

circuit! { inverse_s2(a, b, c, d) -> (h, i, j, k)
    e = 0x72(b, c, d); f = 0x5c(b, c, d); g = 0xb4(b, c, d); h = 0x3c(a, f, f); i = 0x6a(a, e, g);
    j = 0xa9(a, e, g); k = 0x87(e, h, j);
}

circuit! { inverse_s3(a, b, c, d) -> (h, k, i, l)
    e = 0x16(b, c, d); f = 0x7c(b, c, d); g = 0x4e(a, b, d); h = 0x96(a, f, g); i = 0xe2(a, e, g);
    j = 0x9e(a, c, e); k = 0xe8(b, e, j); l = 0x86(e, f, j);
}

circuit! { inverse_s4(a, b, c, d) -> (i, g, k, j)
    e = 0x76(a, c, d); f = 0x56(a, b, c); g = 0x9a(a, b, e); h = 0x78(a, d, g); i = 0x93(g, f, h);
    j = 0x96(d, f, h); k = 0x2d(h, i, j);
}

circuit! { inverse_s5(a, b, c, d) -> (i, j, k, g)
    e = 0x26(a, b, c); f = 0xc6(a, c, d); g = 0x95(a, d, e); h = 0x2d(a, b, g); i = 0x96(b, h, f);
    j = 0x65(g, h, f); k = 0xd2(h, i, j);
}

circuit! { inverse_s6(a, b, c, d) -> (h, j, k, i)
    e = 0x4e(a, c, d); f = 0xd4(a, c, d); g = 0xa6(a, c, d); h = 0x39(b, e, f); i = 0x63(b, e, f);
    j = 0xc3(b, g, g); k = 0x6a(h, i, g);
}

circuit! { inverse_s7(a, b, c, d) -> (h, j, k, l)
    e = 0x54(a, c, d); f = 0x4e(a, c, d); g = 0x78(a, c, d); h = 0x65(b, f, g); i = 0x4a(b, d, f);
    j = 0xa9(a, g, i); k = 0x69(e, h, i); l = 0xd2(f, j, k);
}
