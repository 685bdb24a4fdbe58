//! Entropy from the CPU's timing jitter, following the design of Stephan Müller's Jitterentropy: the time of a
//! fixed piece of work varies with the state of caches, pipelines, clocks and interrupts, which no observer knows
//! completely.
//!
//! Each sample is the time of one hash computation and some memory accesses. Samples are hashed (vetted
//! conditioning, SP 800-90B section 3.1.5.1.1), and after enough samples the hash yields 32 bytes. The entropy of a
//! sample depends on the machine and cannot be proved from the samples. A third of a bit is assumed, as in
//! Jitterentropy. The health tests of SP 800-90B section 4.4 run on every sample. A generator that fails one
//! produces no more output.
//!
//! There is no state that two processes could share: each 32 bytes come from new samples. Programs that have the
//! operating system's generator do not need this one.

use crate::{
    driver::{Failure, HashOps, RngOps},
    wiped::Wiped,
};
use std::{
    hint::black_box,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// The conditioning hash.
pub(super) const CONDITIONER: &str = "sha3-256";

/// The length of the conditioned output, in bytes.
const DIGEST: usize = 32;

/// The number of samples that are assumed to hold one bit of entropy.
const SAMPLES_PER_BIT: usize = 3;

/// The number of samples for a digest: for its 256 bits and 64 more, which gives full entropy (SP 800-90C section
/// 3.3.1).
const SAMPLES: usize = SAMPLES_PER_BIT * (8 * DIGEST + 64);

/// The number of samples that are tested and discarded before the first use (SP 800-90B section 4.3).
const STARTUP: usize = 1024;

/// The limit of samples for a digest, as a multiple of [`SAMPLES`]. Stuck samples do not count as entropy.
const PATIENCE: usize = 8;

/// The size of the memory that is accessed, in bytes: more than the smallest caches.
const MEMORY: usize = 1 << 16;

/// The number of memory accesses per sample.
const STEPS: usize = 64;

/// The distance of accesses in bytes: each is in another cache line, and over time every byte is reached.
const STRIDE: usize = 4095;

/// A jitter entropy generator.
pub(super) struct Jitter {
    hash: Box<dyn HashOps>,
    collector: Mutex<Collector>,
}

impl Jitter {
    /// A generator that has passed the startup test.
    pub(super) fn new(hash: Box<dyn HashOps>) -> Result<Self, Failure> {
        let start = Instant::now();
        Self::with_clock(hash, Box::new(move || start.elapsed().as_nanos() as i64))
    }

    /// A generator with a given clock, in nanoseconds.
    fn with_clock(hash: Box<dyn HashOps>, clock: Box<dyn FnMut() -> i64 + Send>) -> Result<Self, Failure> {
        let mut collector = Collector {
            clock,
            memory: vec![0; MEMORY],
            at: 0,
            work: [0; DIGEST],
            last: [0; 3],
            health: Health::default(),
        };
        for _ in 0..STARTUP {
            collector.sample(&*hash);
        }
        collector.health.verdict()?;
        Ok(Self { hash, collector: Mutex::new(collector) })
    }

    /// The digest of enough samples for full entropy.
    fn block(&self, collector: &mut Collector) -> Result<Wiped<DIGEST>, Failure> {
        let mut pool = self.hash.start();
        let mut wanted = SAMPLES;
        for _ in 0..PATIENCE * SAMPLES {
            let sample = collector.sample(&*self.hash);
            pool.update(&sample.time.to_ne_bytes());
            wanted -= usize::from(!sample.stuck);
            if wanted == 0 {
                collector.health.verdict()?;
                let mut digest = Wiped::<DIGEST>::default();
                pool.finish(&mut digest[..]);
                return Ok(digest);
            }
        }
        collector.health.failed = true;
        collector.health.verdict().and(Ok(Wiped::default()))
    }
}

impl RngOps for Jitter {
    /// Does nothing: there is no state.
    fn instantiate(&self, _seed: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    /// Does nothing: there is no state.
    fn reseed(&self, _additional: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn generate(&self, _additional: &[u8], out: &mut [u8]) -> Result<(), Failure> {
        let mut collector = self.collector.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in out.chunks_mut(DIGEST) {
            chunk.copy_from_slice(&self.block(&mut collector)?[..chunk.len()]);
        }
        Ok(())
    }
}

/// The sampler.
struct Collector {
    clock: Box<dyn FnMut() -> i64 + Send>,
    memory: Vec<u8>,
    at: usize,
    work: [u8; DIGEST],
    /// The last clock value, its difference to the one before, and the difference of the last two differences.
    last: [i64; 3],
    health: Health,
}

struct Sample {
    /// The elapsed time in nanoseconds.
    time: i64,
    /// Whether the time, its first or its second difference is zero.
    stuck: bool,
}

impl Collector {
    fn sample(&mut self, hash: &dyn HashOps) -> Sample {
        for _ in 0..STEPS {
            self.at = (self.at + STRIDE) % MEMORY;
            self.memory[self.at] = black_box(self.memory[self.at].wrapping_add(1));
        }
        let before = self.work;
        hash.digest(&[&before], &mut self.work);

        let mut value = (self.clock)();
        let [time, change, change_of_change] = self.last.each_mut().map(|last| {
            let difference = value.wrapping_sub(*last);
            *last = value;
            value = difference;
            difference
        });
        let stuck = time == 0 || change == 0 || change_of_change == 0;
        self.health.observe(time, stuck);
        Sample { time, stuck }
    }
}

/// The health tests of SP 800-90B section 4.4, with a false-positive rate of 2^-30.
#[derive(Default)]
struct Health {
    /// The number of consecutive stuck samples.
    repetitions: usize,
    /// The first sample of the window, its number of occurrences, and the number of samples in the window so far.
    first: i64,
    occurrences: usize,
    seen: usize,
    failed: bool,
}

impl Health {
    /// Cutoff of the repetition count test: `1 + 30 / H`, where `H` is a third of a bit.
    const MAX_REPETITIONS: usize = 1 + 30 * SAMPLES_PER_BIT;

    /// The window of the adaptive proportion test, in samples.
    const WINDOW: usize = 512;

    /// Cutoff of the adaptive proportion test: `1 + critbinom(512, 2^-H, 1 - 2^-30)`.
    const MAX_OCCURRENCES: usize = 458;

    fn observe(&mut self, time: i64, stuck: bool) {
        self.repetitions = if stuck { self.repetitions + 1 } else { 0 };
        if self.seen.is_multiple_of(Self::WINDOW) {
            (self.first, self.occurrences, self.seen) = (time, 0, 0);
        }
        self.seen += 1;
        self.occurrences += usize::from(time == self.first);
        self.failed |= self.repetitions >= Self::MAX_REPETITIONS || self.occurrences >= Self::MAX_OCCURRENCES;
    }

    fn verdict(&self) -> Result<(), Failure> {
        if self.failed { Err(Failure("the timing of this CPU has failed a health test")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    fn hash() -> Box<dyn HashOps> {
        let driver = Registry::global().unwrap().find(crate::Type::Hash, CONDITIONER).unwrap();
        crate::templates::hash(&driver, Registry::global().unwrap().cpu(), &[], crate::WeakKeys::Allow).unwrap()
    }

    /// A clock on which work number `n` takes `time(n)`.
    fn clock(time: impl Fn(usize) -> i64 + Send + 'static) -> Box<dyn FnMut() -> i64 + Send> {
        let (mut now, mut n) = (0, 0);
        Box::new(move || {
            now += time(n);
            n += 1;
            now
        })
    }

    /// Pseudorandom numbers from 0 to 15.
    fn noise(n: usize) -> i64 {
        (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as i64
            >> 60
    }

    #[test]
    fn a_clock_without_jitter_does_not_start() {
        for clock in
            [clock(|_| 0), clock(|_| 1000), clock(|n| 1000 + n as i64), clock(|n| 1000 + (n % 700 == 0) as i64)]
        {
            assert!(Jitter::with_clock(hash(), clock).is_err());
        }
    }

    #[test]
    fn one_time_too_often_is_noticed() {
        // The samples are not stuck, but nine of ten have the same time.
        let mut health = Health::default();
        for n in 0..Health::WINDOW {
            health.observe(if n % 10 == 9 { noise(n) } else { 1000 }, false);
        }
        assert!(health.verdict().is_err());
    }

    #[test]
    fn what_has_failed_gives_nothing_more() {
        let jitter = Jitter::with_clock(hash(), clock(|n| if n < 2400 { 1000 + noise(n) } else { 1000 })).unwrap();
        jitter.generate(&[], &mut [0; DIGEST]).unwrap();
        assert!(jitter.generate(&[], &mut [0; DIGEST]).is_err());
        assert!(jitter.generate(&[], &mut [0; 1]).is_err());
    }

    #[test]
    fn noise_serves() {
        let jitter = Jitter::with_clock(hash(), clock(|n| 1000 + noise(n))).unwrap();
        let mut out = [[0; 40]; 2];
        jitter.generate(&[], &mut out[0]).unwrap();
        jitter.generate(&[], &mut out[1]).unwrap();
        assert_ne!(out[0], out[1]);
        assert_ne!(out[0][..8], out[0][32..]);
    }
}
