//! Random number generators. Two with the same entropy and the same calls have the same output.

use super::super::common::Random;
use super::{CALLS, Pair, agree, same};
use algkit::{Error, Rng};

pub fn session(pair: &Pair<Rng>, random: &mut Random) {
    let driver = pair.subject.driver();
    let mut bytes = |most: usize| {
        let len = random.below(most);
        random.bytes(len)
    };
    let (entropy, seed) = (bytes(100), bytes(300));
    let fixed = || pair.subject.with_entropy(&entropy, &seed);
    let Some((one, other)) = agree(fixed(), fixed(), driver) else {
        // It has no other source than the CPU's timing.
        let jitter = pair.subject.key(&seed).unwrap();
        assert!(matches!(jitter.set_entropy(&entropy), Err(Error::Rng { .. })));
        let mut out = [0; 33];
        jitter.generate(&seed, &mut out).unwrap();
        jitter.generate(&seed, &mut []).unwrap();
        jitter.reseed(&seed).and(jitter.instantiate(&seed)).unwrap();
        return assert_ne!(out, [0; 33]);
    };
    let system = pair.subject.key(&seed).unwrap();
    for i in 0..CALLS {
        let (input, len) = (bytes(200), bytes(700).len());
        let call = |rng: &Rng| {
            let mut out = vec![0; len];
            match i % 5 {
                0 => rng.reseed(&input),
                1 => rng.instantiate(&input),
                2 => rng.set_entropy(&input),
                _ => rng.generate(&input, &mut out),
            }
            .unwrap();
            out
        };
        let got = call(&one);
        same(&got, &call(&other), &driver.driver);
        if i % 5 > 2 && len > 15 {
            assert_ne!(call(&system), got, "{}: of the system's entropy", driver.driver);
        }
    }
}
