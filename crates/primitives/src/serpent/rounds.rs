//! The rounds, over vectors of any width.

use super::{sbox, ternary};
use crate::cpu::Token;
use crate::words32::Words32;

/// The keys of the 32 rounds, and the one after them.
pub(super) type Keys = [[u32; 4]; 33];

/// An S-box, by the circuit for the vector's instructions.
macro_rules! substitute {
    ($name:ident, $words:expr) => {
        if V::TERNARY { ternary::$name($words) } else { sbox::$name($words) }
    };
}

/// The linear transformation (section 3 of the proposal).
#[inline(always)]
fn stir<V: Words32>([mut a, mut b, mut c, mut d]: [V; 4]) -> [V; 4] {
    a = a.rotl::<13, 19>();
    c = c.rotl::<3, 29>();
    b = b.xor(a).xor(c).rotl::<1, 31>();
    d = d.xor(c).xor(a.shl::<3>()).rotl::<7, 25>();
    a = a.xor(b).xor(d).rotl::<5, 27>();
    c = c.xor(d).xor(b.shl::<7>()).rotl::<22, 10>();
    [a, b, c, d]
}

/// [`stir`], then [`mix`], for a block or a few, which wait for themselves while most units are idle. Rotations of sums are
/// sums of rotations, so that what comes first is rotated twice, not what is waited for, and keys are mixed in beside. The
/// last rotations are two shifts and a sum: on Zen 4 `vprold` takes two cycles, a shift one. A round takes MEASURED cycles
/// in place of 16.6.
#[inline(always)]
fn stir_soon<V: Words32>(token: V::Token, [a, b, c, d]: [V; 4], key: &[u32; 4]) -> [V; 4] {
    let [ka, kb, kc, kd] =
        [V::splat(token, key[0]), V::splat(token, key[1]), V::splat(token, key[2]), V::splat(token, key[3])];
    let b1 = sum(b.rotl::<1, 31>(), a.rotl::<14, 18>(), c.rotl::<4, 28>());
    // (a <<< 13) << 3, rotated by 7, is a rotated by 23 without the three bits that were shifted out.
    let kept = V::splat(token, !(7 << 7));
    let d1 = d.rotl::<7, 25>().xor(c.rotl::<10, 22>());
    let a23 = a.rotl::<23, 9>();
    let d1 = if V::TERNARY { d1.ternary::<0x78>(a23, kept) } else { d1.xor(a23.and(kept)) };
    let (to_a, to_c) = (b1.xor(d1), d1.xor(b1.shl::<7>()));
    let (a, c) = (a.rotl::<18, 14>().xor(ka), c.rotl::<25, 7>().xor(kc));
    let (a, c) = if V::TERNARY {
        (sum(a, to_a.shl::<5>(), to_a.shr::<27>()), sum(c, to_c.shl::<22>(), to_c.shr::<10>()))
    } else {
        (a.xor(to_a.rotl::<5, 27>()), c.xor(to_c.rotl::<22, 10>()))
    };
    [a, b1.xor(kb), c, d1.xor(kd)]
}

/// Undoes [`stir`].
#[inline(always)]
fn settle<V: Words32>([mut a, mut b, mut c, mut d]: [V; 4]) -> [V; 4] {
    c = c.rotl::<10, 22>().xor(d).xor(b.shl::<7>());
    a = a.rotl::<27, 5>().xor(b).xor(d);
    d = d.rotl::<25, 7>().xor(c).xor(a.shl::<3>());
    b = b.rotl::<31, 1>().xor(a).xor(c);
    c = c.rotl::<29, 3>();
    a = a.rotl::<19, 13>();
    [a, b, c, d]
}

/// Mixes in a round key.
#[inline(always)]
fn mix<V: Words32>(token: V::Token, [a, b, c, d]: [V; 4], key: &[u32; 4]) -> [V; 4] {
    let key = |i: usize| V::splat(token, key[i]);
    [a.xor(key(0)), b.xor(key(1)), c.xor(key(2)), d.xor(key(3))]
}

/// `x ^ y ^ z`.
#[inline(always)]
fn sum<V: Words32>(x: V, y: V, z: V) -> V {
    if V::TERNARY { x.ternary::<0x96>(y, z) } else { x.xor(y).xor(z) }
}

/// The linear transformation and the next key.
#[inline(always)]
fn stir_and_mix<V: Words32>(token: V::Token, words: [V; 4], key: &[u32; 4]) -> [V; 4] {
    if V::LANES == 1 || V::TERNARY && V::LANES <= 8 {
        stir_soon(token, words, key)
    } else {
        mix(token, stir(words), key)
    }
}

/// Encrypts as many blocks as a vector has lanes.
#[inline(always)]
fn encrypt<V: Words32>(token: V::Token, keys: &Keys, words: [V; 4]) -> [V; 4] {
    let (first, keys) = keys.split_at(1);
    let mut words = mix(token, words, &first[0]);
    for (i, eight) in keys.as_chunks::<8>().0.iter().enumerate() {
        words = stir_and_mix(token, substitute!(s0, words), &eight[0]);
        words = stir_and_mix(token, substitute!(s1, words), &eight[1]);
        words = stir_and_mix(token, substitute!(s2, words), &eight[2]);
        words = stir_and_mix(token, substitute!(s3, words), &eight[3]);
        words = stir_and_mix(token, substitute!(s4, words), &eight[4]);
        words = stir_and_mix(token, substitute!(s5, words), &eight[5]);
        words = stir_and_mix(token, substitute!(s6, words), &eight[6]);
        words = substitute!(s7, words);
        words = if i < 3 { stir_and_mix(token, words, &eight[7]) } else { mix(token, words, &eight[7]) };
    }
    words
}

/// Decrypts as many blocks as a vector has lanes.
#[inline(always)]
fn decrypt<V: Words32>(token: V::Token, keys: &Keys, words: [V; 4]) -> [V; 4] {
    let (eights, last) = keys.split_at(32);
    let mut words = mix(token, words, &last[0]);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate().rev() {
        if i < 3 {
            words = settle(words);
        }
        words = mix(token, substitute!(inverse_s7, words), &eight[7]);
        words = mix(token, substitute!(inverse_s6, settle(words)), &eight[6]);
        words = mix(token, substitute!(inverse_s5, settle(words)), &eight[5]);
        words = mix(token, substitute!(inverse_s4, settle(words)), &eight[4]);
        words = mix(token, substitute!(inverse_s3, settle(words)), &eight[3]);
        words = mix(token, substitute!(inverse_s2, settle(words)), &eight[2]);
        words = mix(token, substitute!(inverse_s1, settle(words)), &eight[1]);
        words = mix(token, substitute!(inverse_s0, settle(words)), &eight[0]);
    }
    words
}

/// Encrypts or decrypts as many blocks as a vector has lanes, for every mode: a function of its own, which is there
/// once for each width. The words pass through memory, a few cycles of some hundreds.
#[inline(never)]
pub(super) fn crypt<V: Words32, const ENCRYPT: bool>(token: V::Token, keys: &Keys, words: &mut [V; 4]) {
    token.vectorize_with(
        token,
        keys,
        words,
        #[inline(always)]
        |token, keys, words| {
            *words = if ENCRYPT { encrypt(token, keys, *words) } else { decrypt(token, keys, *words) };
        },
    );
}
