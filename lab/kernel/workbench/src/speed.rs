//! The speed of two drivers on messages of 16 KiB.

use algkit::{Registry, Type, driver::Shape};
use std::time::{Duration, Instant};

const LEN: usize = 16384;

/// MB/s of both drivers, one run of each after the other; the best runs count, as others are disturbed.
pub fn compare(registry: &Registry, one: &str, other: &str, kind: Type) -> Option<[f64; 2]> {
    let mut work = [one, other].map(|name| work(registry, name, kind));
    let mut best = [f64::INFINITY; 2];
    for _ in 0..7 {
        for (work, best) in work.iter_mut().zip(&mut best) {
            *best = best.min(seconds(work.as_mut()?));
        }
    }
    Some(best.map(|seconds| LEN as f64 / seconds / 1e6))
}

/// The seconds of a call: the mean over calls of a millisecond.
fn seconds(work: &mut Box<dyn FnMut()>) -> f64 {
    let (start, mut calls) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(1) {
        work();
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

fn key(shape: &Shape) -> Vec<u8> {
    let len = [32, 16].into_iter().find(|&len| shape.keys.allows(len)).unwrap_or(shape.keys.max());
    (0..len).map(|i| i as u8).collect()
}

fn work(registry: &Registry, name: &str, kind: Type) -> Option<Box<dyn FnMut()>> {
    let mut text = vec![0; LEN];
    Some(match kind {
        Type::Cipher => {
            let unkeyed = registry.cipher(name).ok()?;
            let cipher = unkeyed.key(&key(&unkeyed.driver().shape)).ok()?;
            Box::new(move || cipher.encrypt(&mut text[..]).expect("whole blocks"))
        }
        Type::Skcipher => {
            let unkeyed = registry.skcipher(name).ok()?;
            let shape = unkeyed.driver().shape.clone();
            let cipher = unkeyed.key(&key(&shape)).ok()?;
            let mut iv = vec![0; shape.ivsize];
            Box::new(move || cipher.encrypt(&mut iv, &mut text[..]).expect("whole blocks"))
        }
        Type::Aead => {
            let unkeyed = registry.aead(name).ok()?;
            let shape = unkeyed.driver().shape.clone();
            let aead = unkeyed.key(&key(&shape)).ok()?;
            let (iv, mut tag) = (vec![0; shape.ivsize], vec![0; shape.tags.max()]);
            Box::new(move || aead.encrypt(&iv, &[&[0; 16]], &mut text[..], &mut tag).expect("good lengths"))
        }
        _ => {
            let unkeyed = registry.hash(name).ok()?;
            let shape = unkeyed.driver().shape.clone();
            let hash = if shape.optional_key { unkeyed.unkeyed() } else { unkeyed.key(&key(&shape)) }.ok()?;
            let mut out = vec![0; shape.digestsize];
            Box::new(move || hash.digest_into(&[&text], &mut out).expect("a digest's length"))
        }
    })
}
