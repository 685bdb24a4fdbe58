//! Serpent's rounds, over vectors of any width.

use super::sbox;
use crate::cpu::Token;
use crate::words32::Words32;
use zeroize::Zeroizing;

/// The keys of the 32 rounds and the last key, in the order of encryption.
type Schedule = [[u32; 4]; 33];

/// The round keys, in a form of their own for each direction. The linear transformation lies between S-boxes, and a key
/// can be xored anywhere in it: it is xored to words that are not on the critical path. Where more is added to such a sum, it
/// is pinned, or the compiler would add the key last.
#[derive(Clone)]
pub(super) struct Keys {
    encrypt: Zeroizing<Schedule>,
    decrypt: Zeroizing<Schedule>,
}

impl Keys {
    /// A schedule of zeros.
    pub(super) fn zero() -> Self {
        Self { encrypt: [[0; 4]; 33].into(), decrypt: [[0; 4]; 33].into() }
    }

    /// Sets key `i` of the proposal.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, key: [u32; 4]) {
        (self.encrypt[i], self.decrypt[i]) = (key, key);
        // The first and the last key are not next to a linear transformation.
        if (1..32).contains(&i) {
            let [a, b, c, d] = [key[0].rotate_right(5), key[1], key[2].rotate_right(22), key[3]];
            // In encryption, the key is xored to a and c before their last rotation.
            self.encrypt[i] = [a, b, c, d];
            // In decryption, the key is xored to what each word gets from its old value and from b and d.
            self.decrypt[i] = [a ^ b ^ d, b.rotate_right(1), c ^ b << 7 ^ d, d.rotate_right(7)];
        }
    }
}

/// `late ^ x ^ y` for two words, where `late` is ready last.
#[inline(always)]
fn sums<V: Words32>(late: [V; 2], x: [V; 2], y: [V; 2]) -> [V; 2] {
    let early = [x[0].xor(y[0]), x[1].xor(y[1])];
    [late[0].xor(early[0]), late[1].xor(early[1])]
}

/// The linear transformation (section 3 of the proposal), followed by the next key.
#[inline(always)]
fn stir<V: Words32>(token: V::Token, [a, b, c, d]: [V; 4], key: &[u32; 4]) -> [V; 4] {
    let key = |i: usize| V::splat(token, key[i]);
    let (a, c) = (a.rotl::<13, 19>(), c.rotl::<3, 29>());
    let [b, d] = sums([c, a.shl::<3>()], [a, c], [b, d]);
    let (b, d) = (b.rotl::<1, 31>(), d.rotl::<7, 25>());
    let [a, c] = sums([d, b.shl::<7>()], [b, d], [a.xor(key(0)).pin(), c.xor(key(2)).pin()]);
    let (a, c) = (a.rotl::<5, 27>(), c.rotl::<22, 10>());
    [a, b.xor(key(1)), c, d.xor(key(3))]
}

/// Adds a key and inverts the linear transformation.
#[inline(always)]
fn settle<V: Words32>(token: V::Token, [a, b, c, d]: [V; 4], key: &[u32; 4]) -> [V; 4] {
    let key = |i: usize| V::splat(token, key[i]);
    let rotated = [a.rotl::<27, 5>(), c.rotl::<10, 22>()];
    let [a, c] = sums(rotated, [b, b.shl::<7>()], [d.xor(key(0)).pin(), d.xor(key(2)).pin()]);
    let (b, d) = (b.rotl::<31, 1>().xor(key(1)), d.rotl::<25, 7>().xor(key(3)));
    let (shifted, rotated) = (a.shl::<3>(), [a.rotl::<19, 13>(), c.rotl::<29, 3>()]);
    let [b, d] = sums([a, shifted], [c, c], [b, d]);
    [rotated[0], b, rotated[1], d]
}

/// Adds a round key.
#[inline(always)]
fn mix<V: Words32>(token: V::Token, [a, b, c, d]: [V; 4], key: &[u32; 4]) -> [V; 4] {
    let key = |i: usize| V::splat(token, key[i]);
    [a.xor(key(0)), b.xor(key(1)), c.xor(key(2)), d.xor(key(3))]
}

/// Encrypts as many blocks as a vector has lanes.
#[inline(always)]
fn encrypt<V: Words32>(token: V::Token, keys: &Schedule, words: [V; 4]) -> [V; 4] {
    let [first, keys @ ..] = keys;
    let mut words = mix(token, words, first);
    for (i, eight) in keys.as_chunks::<8>().0.iter().enumerate() {
        words = stir(token, sbox::s0(words), &eight[0]);
        words = stir(token, sbox::s1(words), &eight[1]);
        words = stir(token, sbox::s2(words), &eight[2]);
        words = stir(token, sbox::s3(words), &eight[3]);
        words = stir(token, sbox::s4(words), &eight[4]);
        words = stir(token, sbox::s5(words), &eight[5]);
        words = stir(token, sbox::s6(words), &eight[6]);
        words = sbox::s7(words);
        words = if i < 3 { stir(token, words, &eight[7]) } else { mix(token, words, &eight[7]) };
    }
    words
}

/// Decrypts as many blocks as a vector has lanes.
#[inline(always)]
fn decrypt<V: Words32>(token: V::Token, keys: &Schedule, words: [V; 4]) -> [V; 4] {
    let [keys @ .., last] = keys;
    let mut words = mix(token, words, last);
    for (i, eight) in keys.as_chunks::<8>().0.iter().enumerate().rev() {
        words = settle(token, sbox::inverse_s7(words), &eight[7]);
        words = settle(token, sbox::inverse_s6(words), &eight[6]);
        words = settle(token, sbox::inverse_s5(words), &eight[5]);
        words = settle(token, sbox::inverse_s4(words), &eight[4]);
        words = settle(token, sbox::inverse_s3(words), &eight[3]);
        words = settle(token, sbox::inverse_s2(words), &eight[2]);
        words = settle(token, sbox::inverse_s1(words), &eight[1]);
        words = sbox::inverse_s0(words);
        words = if i > 0 { settle(token, words, &eight[0]) } else { mix(token, words, &eight[0]) };
    }
    words
}

/// Encrypts or decrypts as many blocks as a vector has lanes. All modes share this function, which exists once for each
/// width. The words pass through memory, which costs a few of several hundred cycles.
#[inline(never)]
pub(super) fn crypt<V: Words32, const ENCRYPT: bool>(token: V::Token, keys: &Keys, words: &mut [V; 4]) {
    token.vectorize_with(
        token,
        keys,
        words,
        #[inline(always)]
        |token, keys, words| {
            *words =
                if ENCRYPT { encrypt(token, &keys.encrypt, *words) } else { decrypt(token, &keys.decrypt, *words) };
        },
    );
}
