//! The rounds, over vectors of any width, and how many blocks go where.

use super::{BLOCK, SerpentToken, sbox};
use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::words32::{Pair, Words32};

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

/// Encrypts as many blocks as a vector has lanes.
#[inline(always)]
fn encrypt<V: Words32>(token: V::Token, keys: &[[u32; 4]; 33], mut words: [V; 4]) -> [V; 4] {
    let (eights, last) = keys.split_at(32);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate() {
        words = stir(sbox::s0(mix(token, words, &eight[0])));
        words = stir(sbox::s1(mix(token, words, &eight[1])));
        words = stir(sbox::s2(mix(token, words, &eight[2])));
        words = stir(sbox::s3(mix(token, words, &eight[3])));
        words = stir(sbox::s4(mix(token, words, &eight[4])));
        words = stir(sbox::s5(mix(token, words, &eight[5])));
        words = stir(sbox::s6(mix(token, words, &eight[6])));
        words = sbox::s7(mix(token, words, &eight[7]));
        if i < 3 {
            words = stir(words);
        }
    }
    mix(token, words, &last[0])
}

/// Decrypts as many blocks as a vector has lanes.
#[inline(always)]
fn decrypt<V: Words32>(token: V::Token, keys: &[[u32; 4]; 33], words: [V; 4]) -> [V; 4] {
    let (eights, last) = keys.split_at(32);
    let mut words = mix(token, words, &last[0]);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate().rev() {
        if i < 3 {
            words = settle(words);
        }
        words = mix(token, sbox::inverse_s7(words), &eight[7]);
        words = mix(token, sbox::inverse_s6(settle(words)), &eight[6]);
        words = mix(token, sbox::inverse_s5(settle(words)), &eight[5]);
        words = mix(token, sbox::inverse_s4(settle(words)), &eight[4]);
        words = mix(token, sbox::inverse_s3(settle(words)), &eight[3]);
        words = mix(token, sbox::inverse_s2(settle(words)), &eight[2]);
        words = mix(token, sbox::inverse_s1(settle(words)), &eight[1]);
        words = mix(token, sbox::inverse_s0(settle(words)), &eight[0]);
    }
    words
}

/// Works on batches of as many blocks as a vector has lanes, while there are that many; a function
/// of its own, compiled for its token.
fn run<V: Words32, const ENCRYPT: bool>(token: V::Token, keys: &[[u32; 4]; 33], data: &mut InOut<'_>) {
    token.vectorize(
        #[inline(always)]
        || {
            while let Some(mut batch) = data.take(BLOCK * V::LANES) {
                let words = V::load_blocks(token, batch.src());
                let words = if ENCRYPT { encrypt(token, keys, words) } else { decrypt(token, keys, words) };
                V::store_blocks(words, batch.dst());
            }
        },
    );
}

/// Works on fewer blocks than a vector has lanes, by way of a buffer that has them all.
fn run_padded<V: Words32, const ENCRYPT: bool>(token: V::Token, keys: &[[u32; 4]; 33], mut data: InOut<'_>) {
    let mut blocks = [0; 16 * BLOCK];
    let len = data.len();
    blocks[..len].copy_from_slice(data.src());
    run::<V, ENCRYPT>(token, keys, &mut InOut::from(&mut blocks[..BLOCK * V::LANES]));
    data.dst().copy_from_slice(&blocks[..len]);
}

/// The whole blocks of `data`: long runs in pairs of wide vectors, then one, and the rest in
/// whichever vectors hold it. A block alone is fastest in plain words.
pub(super) fn blocks<T: SerpentToken, const ENCRYPT: bool>(token: T, keys: &[[u32; 4]; 33], data: InOut<'_>) {
    let whole = data.len() - data.len() % BLOCK;
    let (mut data, _) = data.split_at(whole);
    if T::PAIRS && data.len() >= 2 * BLOCK * T::Wide::LANES {
        run::<Pair<T::Wide>, ENCRYPT>(token, keys, &mut data);
    }
    if data.len() >= BLOCK * T::Wide::LANES {
        run::<T::Wide, ENCRYPT>(token, keys, &mut data);
    }
    if data.len() > BLOCK * T::Narrow::LANES {
        run_padded::<T::Wide, ENCRYPT>(token, keys, data);
    } else if data.len() == BLOCK * T::Narrow::LANES {
        run::<T::Narrow, ENCRYPT>(token, keys, &mut data);
    } else if data.len() > BLOCK {
        run_padded::<T::Narrow, ENCRYPT>(token, keys, data);
    } else if !data.is_empty() {
        run::<u32, ENCRYPT>(Portable::new(), keys, &mut data);
    }
}
