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

/// `late ^ x ^ y`, where `late` is what is there last (see `ternary`).
#[inline(always)]
fn sum<V: Words32>(late: V, x: V, y: V) -> V {
    if V::TERNARY { late.ternary::<0x96>(x, y) } else { late.xor(x).xor(y) }
}

/// The linear transformation (section 3 of the proposal).
#[inline(always)]
fn stir<V: Words32>([mut a, mut b, mut c, mut d]: [V; 4]) -> [V; 4] {
    a = a.rotl::<13, 19>();
    c = c.rotl::<3, 29>();
    b = sum(c, a, b).rotl::<1, 31>();
    d = sum(a.shl::<3>(), c, d).rotl::<7, 25>();
    a = sum(d, b, a).rotl::<5, 27>();
    c = sum(b.shl::<7>(), d, c).rotl::<22, 10>();
    [a, b, c, d]
}

/// Undoes [`stir`].
#[inline(always)]
fn settle<V: Words32>([mut a, mut b, mut c, mut d]: [V; 4]) -> [V; 4] {
    c = sum(c.rotl::<10, 22>(), b.shl::<7>(), d);
    a = sum(a.rotl::<27, 5>(), b, d);
    d = sum(a.shl::<3>(), c, d.rotl::<25, 7>());
    b = sum(a, c, b.rotl::<31, 1>());
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

/// Encrypts as many blocks as a vector has lanes.
#[inline(always)]
fn encrypt<V: Words32>(token: V::Token, keys: &Keys, mut words: [V; 4]) -> [V; 4] {
    let (eights, last) = keys.split_at(32);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate() {
        words = stir(substitute!(s0, mix(token, words, &eight[0])));
        words = stir(substitute!(s1, mix(token, words, &eight[1])));
        words = stir(substitute!(s2, mix(token, words, &eight[2])));
        words = stir(substitute!(s3, mix(token, words, &eight[3])));
        words = stir(substitute!(s4, mix(token, words, &eight[4])));
        words = stir(substitute!(s5, mix(token, words, &eight[5])));
        words = stir(substitute!(s6, mix(token, words, &eight[6])));
        words = substitute!(s7, mix(token, words, &eight[7]));
        if i < 3 {
            words = stir(words);
        }
    }
    mix(token, words, &last[0])
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
