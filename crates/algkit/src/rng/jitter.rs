//! Entropy from the jitter of the CPU, by the design of Stephan Müller's Jitterentropy: the time that a fixed piece of
//! work takes varies with the state of caches, pipelines, clocks and interrupts, which no observer knows in full.
//!
//! Each sample is the time of one hash and of some steps through memory. Samples go into a hash (vetted
//! conditioning, SP 800-90B section 3.1.5.1.1), which after enough of them gives 32 bytes. How much entropy a
//! sample holds depends on the machine and cannot be proved by looking at it; a third of a bit is assumed, as
//! Jitterentropy does. The health tests of SP 800-90B section 4.4 run on every sample, and a generator that fails one
//! gives nothing ever after.
//!
//! There is no state that two processes could share: each 32 bytes come from samples of their own. Who has the
//! operating system's generator has no need of this one.

use crate::driver::{Failure, HashOps, RngOps};
use std::{
    hint::black_box,
    sync::{Mutex, PoisonError},
    time::Instant,
};
use zeroize::Zeroizing;

/// The hash that conditions.
pub(super) const CONDITIONER: &str = "sha3-256";

/// Bytes that it gives.
const DIGEST: usize = 32;

/// Samples that hold a bit of entropy.
const SAMPLES_PER_BIT: usize = 3;

/// Samples for a digest: for all of its bits and 64 more, so that its entropy is full (SP 800-90C section 3.3.1).
const SAMPLES: usize = SAMPLES_PER_BIT * (8 * DIGEST + 64);

/// Samples that are tested and forgotten before the first use (SP 800-90B section 4.3).
const STARTUP: usize = 1024;

/// Samples are drawn at most this many times as often as needed, for those that are stuck do not count.
const PATIENCE: usize = 8;

/// Bytes to step through: more than the smallest caches hold.
const MEMORY: usize = 1 << 16;

/// Steps for a sample.
const STEPS: usize = 64;

/// Bytes from one to the next: always another cache line, and in the end every byte.
const STRIDE: usize = 4095;

/// A generator.
pub(super) struct Jitter {
    hash: Box<dyn HashOps>,
    collector: Mutex<Collector>,
}

impl Jitter {
    /// One that has passed the test at the start.
    pub(super) fn new(hash: Box<dyn HashOps>) -> Result<Self, Failure> {
        let start = Instant::now();
        Self::with_clock(hash, Box::new(move || start.elapsed().as_nanos() as i64))
    }

    /// One by a clock in nanoseconds.
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

    /// The digest of enough samples.
    fn block(&self, collector: &mut Collector) -> Result<Zeroizing<[u8; DIGEST]>, Failure> {
        let mut pool = self.hash.start();
        let mut wanted = SAMPLES;
        for _ in 0..PATIENCE * SAMPLES {
            let sample = collector.sample(&*self.hash);
            pool.update(&sample.time.to_ne_bytes());
            wanted -= usize::from(!sample.stuck);
            if wanted == 0 {
                collector.health.verdict()?;
                let mut digest = Zeroizing::new([0; DIGEST]);
                pool.finish(&mut digest[..]);
                return Ok(digest);
            }
        }
        collector.health.failed = true;
        collector.health.verdict().and(Ok(Zeroizing::default()))
    }
}

impl RngOps for Jitter {
    /// There is nothing to start.
    fn instantiate(&self, _seed: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    /// There is no state to add to.
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

/// What draws samples.
struct Collector {
    clock: Box<dyn FnMut() -> i64 + Send>,
    memory: Vec<u8>,
    at: usize,
    work: [u8; DIGEST],
    /// The last time, its difference from the one before, and the difference of the last two differences.
    last: [i64; 3],
    health: Health,
}

struct Sample {
    /// Nanoseconds of work.
    time: i64,
    /// Whether the time is nothing new: it, or its change, or the change of that is zero.
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

/// The health tests of SP 800-90B section 4.4, for a false alarm in 2^30 samples.
#[derive(Default)]
struct Health {
    /// Samples that were stuck, one after the other.
    repetitions: usize,
    /// The first sample of the window, how often it occurred, and samples so far.
    first: i64,
    occurrences: usize,
    seen: usize,
    failed: bool,
}

impl Health {
    /// Repetition count test: `1 + 30 / H`, with `H` a third of a bit.
    const MAX_REPETITIONS: usize = 1 + 30 * SAMPLES_PER_BIT;

    /// Samples in a window of the adaptive proportion test.
    const WINDOW: usize = 512;

    /// Its cutoff: `1 + critbinom(512, 2^-H, 1 - 2^-30)`.
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

    /// A clock on which each piece of work takes what `time` says, by number.
    fn clock(time: impl Fn(usize) -> i64 + Send + 'static) -> Box<dyn FnMut() -> i64 + Send> {
        let (mut now, mut n) = (0, 0);
        Box::new(move || {
            now += time(n);
            n += 1;
            now
        })
    }

    /// Numbers from 0 to 15 that look random.
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
        // Not stuck, for every other sample is noise; but nine of ten times are the same.
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
