//! The rounds, over vectors of any width, and how many blocks go where.

use super::{BLOCK, SerpentToken, sbox};
use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::words32::Words32;

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

/// Mixes a round key into each of `N` groups of blocks.
#[inline(always)]
fn mix<V: Words32, const N: usize>(token: V::Token, groups: &mut [[V; 4]; N], key: &[u32; 4]) {
    for (i, &word) in key.iter().enumerate() {
        let word = V::splat(token, word);
        for group in groups.iter_mut() {
            group[i] = group[i].xor(word);
        }
    }
}

/// Encrypts `N` groups of as many blocks as a vector has lanes.
#[inline(always)]
fn encrypt<V: Words32, const N: usize>(token: V::Token, keys: &[[u32; 4]; 33], groups: &mut [[V; 4]; N]) {
    macro_rules! round {
        ($key:expr, $sbox:ident) => {
            mix(token, groups, $key);
            for group in groups.iter_mut() {
                *group = stir(sbox::$sbox(*group));
            }
        };
    }
    let (eights, last) = keys.split_at(32);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate() {
        round!(&eight[0], s0);
        round!(&eight[1], s1);
        round!(&eight[2], s2);
        round!(&eight[3], s3);
        round!(&eight[4], s4);
        round!(&eight[5], s5);
        round!(&eight[6], s6);
        mix(token, groups, &eight[7]);
        for group in groups.iter_mut() {
            *group = sbox::s7(*group);
            if i < 3 {
                *group = stir(*group);
            }
        }
    }
    mix(token, groups, &last[0]);
}

/// Decrypts `N` groups of as many blocks as a vector has lanes.
#[inline(always)]
fn decrypt<V: Words32, const N: usize>(token: V::Token, keys: &[[u32; 4]; 33], groups: &mut [[V; 4]; N]) {
    macro_rules! round {
        ($sbox:ident, $key:expr) => {
            for group in groups.iter_mut() {
                *group = sbox::$sbox(settle(*group));
            }
            mix(token, groups, $key);
        };
    }
    let (eights, last) = keys.split_at(32);
    mix(token, groups, &last[0]);
    for (i, eight) in eights.as_chunks::<8>().0.iter().enumerate().rev() {
        for group in groups.iter_mut() {
            if i < 3 {
                *group = settle(*group);
            }
            *group = sbox::inverse_s7(*group);
        }
        mix(token, groups, &eight[7]);
        round!(inverse_s6, &eight[6]);
        round!(inverse_s5, &eight[5]);
        round!(inverse_s4, &eight[4]);
        round!(inverse_s3, &eight[3]);
        round!(inverse_s2, &eight[2]);
        round!(inverse_s1, &eight[1]);
        round!(inverse_s0, &eight[0]);
    }
}

/// Works on batches of `N` groups while there are that many blocks.
#[inline(always)]
fn batches<V: Words32, const N: usize, const ENCRYPT: bool>(
    token: V::Token,
    keys: &[[u32; 4]; 33],
    data: &mut InOut<'_>,
) {
    let group = BLOCK * V::LANES;
    while let Some(mut batch) = data.take(group * N) {
        let mut groups = [[V::splat(token, 0); 4]; N];
        for (words, src) in groups.iter_mut().zip(batch.src().chunks_exact(group)) {
            *words = V::load_blocks(token, src);
        }
        if ENCRYPT {
            encrypt(token, keys, &mut groups);
        } else {
            decrypt(token, keys, &mut groups);
        }
        for (words, dst) in groups.into_iter().zip(batch.dst().chunks_exact_mut(group)) {
            V::store_blocks(words, dst);
        }
    }
}

/// A function for [`batches`], compiled for its token.
fn run<V: Words32, const N: usize, const ENCRYPT: bool>(token: V::Token, keys: &[[u32; 4]; 33], data: &mut InOut<'_>) {
    token.vectorize(
        #[inline(always)]
        || batches::<V, N, ENCRYPT>(token, keys, data),
    );
}

/// Works on fewer blocks than a vector has lanes, by way of a buffer that has them all.
fn run_padded<V: Words32, const ENCRYPT: bool>(token: V::Token, keys: &[[u32; 4]; 33], mut data: InOut<'_>) {
    let mut blocks = [0; 16 * BLOCK];
    let len = data.len();
    blocks[..len].copy_from_slice(data.src());
    run::<V, 1, ENCRYPT>(token, keys, &mut InOut::from(&mut blocks[..BLOCK * V::LANES]));
    data.dst().copy_from_slice(&blocks[..len]);
}

/// The whole blocks of `data`: long runs in pairs of wide vectors, then one, and the rest in
/// whichever vectors hold it. A block alone is fastest in plain words.
pub(super) fn blocks<T: SerpentToken, const ENCRYPT: bool>(token: T, keys: &[[u32; 4]; 33], data: InOut<'_>) {
    let whole = data.len() - data.len() % BLOCK;
    let (mut data, _) = data.split_at(whole);
    if T::PAIRS && data.len() >= 2 * BLOCK * T::Wide::LANES {
        run::<T::Wide, 2, ENCRYPT>(token, keys, &mut data);
    }
    if data.len() >= BLOCK * T::Wide::LANES {
        run::<T::Wide, 1, ENCRYPT>(token, keys, &mut data);
    }
    if data.len() > BLOCK * T::Narrow::LANES {
        run_padded::<T::Wide, ENCRYPT>(token, keys, data);
    } else if data.len() == BLOCK * T::Narrow::LANES {
        run::<T::Narrow, 1, ENCRYPT>(token, keys, &mut data);
    } else if data.len() > BLOCK {
        run_padded::<T::Narrow, ENCRYPT>(token, keys, data);
    } else if !data.is_empty() {
        run::<u32, 1, ENCRYPT>(Portable::new(), keys, &mut data);
    }
}
