//! Lanes are compared with the same modes for one message.

use super::*;
use crate::{
    InOut,
    aes::{
        AesKey,
        testing::{block, bytes, each_token},
    },
    cpu::CpuFeatures,
};
use std::{vec, vec::Vec};

/// Lists of message lengths in blocks. Miri takes a millisecond for a block, so it gets a few lists, in which messages
/// end in lanes, begin behind others, and are repeated.
fn mixes() -> Vec<Vec<usize>> {
    if cfg!(miri) {
        return vec![vec![], vec![9; 8], vec![5, 0, 7], (0..20).map(|i| i * 7 % 12).collect()];
    }
    let mut mixes: Vec<Vec<usize>> = (0..70).map(|n| vec![4 * (n % 5); n]).collect();
    for seed in 0..40 {
        let random = bytes(seed, 70);
        let n = usize::from(random[0]) % 70;
        mixes.push(random[..n].iter().map(|b| usize::from(*b) % [3, 10, 100][seed as usize % 3]).collect());
    }
    mixes
}

/// Keys of all lengths, several of one length, or only one, depending on `mix`.
fn keys<T: AesToken>(token: T, mix: usize) -> Vec<AesKey<T>> {
    let (count, sizes) = [(9, &[16, 24, 32][..]), (9, &[16]), (1, &[32]), (40, &[32])][mix % 4];
    (0..count).map(|i| AesKey::new(token, &bytes(i as u64, sizes[i % sizes.len()])).unwrap()).collect()
}

fn check_cbc<T: AesToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    for (mix, lengths) in mixes().into_iter().enumerate() {
        let keys = keys(token, mix);
        let key = |i: usize| &keys[i % keys.len()];
        let plain: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, n)| bytes(i as u64, 16 * n)).collect();
        let (mut want, mut got) = (plain.clone(), plain.clone());
        let mut want_ivs: Vec<[u8; 16]> = (0..lengths.len()).map(|i| block(i as u64)).collect();
        let mut ivs = want_ivs.clone();
        let mut other: Vec<Vec<u8>> = plain.iter().map(|text| vec![0xa5; text.len()]).collect();
        for (i, (text, iv)) in want.iter_mut().zip(&mut want_ivs).enumerate() {
            key(i).cbc_encrypt(iv, InOut::from(&mut text[..]));
        }
        let texts = got.iter_mut().zip(&plain).zip(&mut other).enumerate().map(|(i, ((text, plain), other))| {
            if i % 2 == 0 { InOut::from(&mut text[..]) } else { InOut::new(plain, other).unwrap() }
        });
        let mut jobs: Vec<_> =
            texts.zip(&mut ivs).enumerate().map(|(i, (data, iv))| CbcJob { key: key(i), iv, data }).collect();
        cbc_encrypt_batch(&mut jobs);
        drop(jobs);
        for i in 0..lengths.len() {
            assert!([&got[i], &other[i]][i % 2] == &want[i], "mix {mix}, message {i}");
            assert_eq!(ivs[i], want_ivs[i], "mix {mix}, message {i}");
        }
    }
}

fn check_mac<T: AesToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    for (mix, lengths) in mixes().into_iter().enumerate() {
        let keys = keys(token, mix);
        let key = |i: usize| &keys[i % keys.len()];
        let texts: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, n)| bytes(i as u64, 16 * n)).collect();
        let job = |(i, text): (usize, _)| MacJob {
            key: key(i),
            state: block(i as u64),
            blocks: text,
            last: block(1000 + i as u64),
        };
        let mut jobs: Vec<_> = texts.iter().map(|text| &text[..]).enumerate().map(job).collect();
        cbc_mac_batch(&mut jobs);
        for (i, job) in jobs.iter().enumerate() {
            let mut want = block(i as u64);
            key(i).cbc_mac(&mut want, &texts[i]);
            key(i).cbc_mac(&mut want, &block(1000 + i as u64));
            assert_eq!(job.state, want, "mix {mix}, message {i}");
        }
    }
}

fn check_ccm<T: AesToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    for (mix, lengths) in mixes().into_iter().enumerate() {
        let keys = keys(token, mix);
        let key = |i: usize| &keys[i % keys.len()];
        let length = |(i, n): (usize, &usize)| (16 * n).saturating_sub(7 * i % 16);
        let plain: Vec<Vec<u8>> = lengths.iter().enumerate().map(|m| bytes(m.0 as u64, length(m))).collect();
        let prefix = |i: usize| bytes(99, 16 * (1 + i % 3));
        let prefixes: Vec<Vec<u8>> = (0..plain.len()).map(prefix).collect();
        let (mut sealed, mut tags) = (plain.clone(), Vec::new());
        for (i, text) in sealed.iter_mut().enumerate() {
            let (mut counter, mut mac, mut mask) = (block(i as u64), [0; 16], [0; 16]);
            key(i).ctr(&mut counter, InOut::from(&mut mask[..]));
            key(i).cbc_mac(&mut mac, &prefixes[i]);
            key(i).ccm_encrypt(&mut counter, &mut mac, InOut::from(&mut text[..]));
            tags.push(u128::from_ne_bytes(mac) ^ u128::from_ne_bytes(mask));
        }
        let mut texts = plain.clone();
        let mut other: Vec<Vec<u8>> = plain.iter().map(|text| vec![0xa5; text.len()]).collect();
        {
            let mut jobs = ccm_jobs(&keys, &prefixes, texts.iter_mut().map(|text| InOut::from(&mut text[..])));
            ccm_batch::<T, true>(&mut jobs);
            assert!(jobs.iter().zip(&tags).all(|(job, tag)| job.tag == tag.to_ne_bytes()), "mix {mix}");
        }
        assert!(texts == sealed, "mix {mix}");
        {
            let io = sealed.iter().zip(&mut other).map(|(src, dst)| InOut::new(src, dst).unwrap());
            let mut jobs = ccm_jobs(&keys, &prefixes, io);
            ccm_batch::<T, false>(&mut jobs);
            assert!(jobs.iter().zip(&tags).all(|(job, tag)| job.tag == tag.to_ne_bytes()), "mix {mix}");
        }
        assert!(other == plain, "mix {mix}");
        let mut jobs = ccm_jobs(&keys, &prefixes, texts.iter_mut().map(|text| InOut::from(&mut text[..])));
        ccm_batch::<T, false>(&mut jobs);
        assert!(jobs.iter().zip(&tags).all(|(job, tag)| job.tag == tag.to_ne_bytes()), "mix {mix}");
        drop(jobs);
        assert!(texts == plain, "mix {mix}");
    }
}

fn ccm_jobs<'a, T: AesToken>(
    keys: &'a [AesKey<T>],
    prefixes: &'a [Vec<u8>],
    texts: impl Iterator<Item = InOut<'a>>,
) -> Vec<CcmJob<'a, T>> {
    let job = |(i, data): (usize, _)| CcmJob {
        key: &keys[i % keys.len()],
        prefix: &prefixes[i],
        counter: u128::from_be_bytes(block(i as u64)),
        data,
        tag: [0; 16],
    };
    texts.enumerate().map(job).collect()
}

#[test]
fn cbc_is_that_of_one_message() {
    each_token!(check_cbc);
}

#[test]
fn cbc_mac_is_that_of_one_message() {
    each_token!(check_mac);
}

#[test]
fn ccm_is_that_of_one_message() {
    each_token!(check_ccm);
}
