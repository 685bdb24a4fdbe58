//! The common part of the three mechanisms of SP 800-90A Rev. 1 (sections 8 and 9): seeding, limits and prediction
//! resistance.
//!
//! **Forks.** Two processes with the same state would produce the same bytes. Comparing process IDs does not detect
//! every way to copy a process (PID namespaces, snapshots of virtual machines). So a DRBG that uses the operating
//! system's entropy reseeds before each request, and copies diverge with the next request. All of these DRBGs are
//! therefore prediction-resistant, `drbg_nopr_*` too; the two kinds differ only in known-answer tests. The reseed
//! interval (2^48 requests) is never reached.

use super::source::Source;
use crate::driver::{Failure, RngOps};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of bytes per call of a mechanism (SP 800-90A tables 2 and 3: 2^19 bits).
const MAX_REQUEST: usize = 1 << 16;

/// The state of a mechanism and its functions. Inputs come in pieces, which are concatenated.
pub(super) trait Mechanism: Send {
    /// Instantiates the state from `seed`: entropy input, nonce and personalization string.
    fn instantiate(&mut self, seed: &[&[u8]]) -> Result<(), Failure>;

    /// Reseeds the state from `seed`: entropy input and additional input.
    fn reseed(&mut self, seed: &[&[u8]]) -> Result<(), Failure>;

    /// Fills `out`. `request` is the number of this request since the last seed, starting at 1.
    fn generate(&mut self, request: u64, additional: &[&[u8]], out: &mut [u8]) -> Result<(), Failure>;
}

/// A DRBG over any mechanism.
pub(super) struct Drbg<M> {
    /// Whether it reseeds before each request even with given entropy.
    resistant: bool,
    /// The security strength in bytes.
    strength: usize,
    state: Mutex<State<M>>,
}

struct State<M> {
    mechanism: M,
    source: Source,
    /// The number of the next request since the last seed.
    request: u64,
}

impl<M: Mechanism> Drbg<M> {
    /// A DRBG that has not been instantiated yet.
    pub(super) fn new(mechanism: M, resistant: bool, strength: usize) -> Self {
        let state = State { mechanism, source: Source::System, request: 1 };
        Self { resistant, strength, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Mechanism> State<M> {
    fn reseed(&mut self, strength: usize, additional: &[u8]) -> Result<(), Failure> {
        let entropy = self.source.draw(strength)?;
        self.mechanism.reseed(&[&entropy, additional])?;
        self.request = 1;
        Ok(())
    }

    fn generate(&mut self, drbg: &Drbg<M>, mut additional: &[u8], out: &mut [u8]) -> Result<(), Failure> {
        if drbg.resistant || matches!(self.source, Source::System) {
            self.reseed(drbg.strength, additional)?;
            additional = &[];
        }
        self.mechanism.generate(self.request, &[additional], out)?;
        self.request += 1;
        Ok(())
    }
}

impl<M: Mechanism> RngOps for Drbg<M> {
    fn instantiate(&self, seed: &[u8]) -> Result<(), Failure> {
        let mut state = self.lock();
        // The entropy input, and a nonce of half its length.
        let entropy = state.source.draw(self.strength / 2 * 3)?;
        state.mechanism.instantiate(&[&entropy, seed])?;
        state.request = 1;
        Ok(())
    }

    fn reseed(&self, additional: &[u8]) -> Result<(), Failure> {
        self.lock().reseed(self.strength, additional)
    }

    fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Failure> {
        let mut state = self.lock();
        out.chunks_mut(MAX_REQUEST).try_for_each(|chunk| state.generate(self, additional, chunk))
    }

    fn set_entropy(&self, entropy: &[u8]) -> Result<(), Failure> {
        self.lock().source = Source::Given(entropy.to_vec().into());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A mechanism that records its calls.
    struct Log(Arc<Mutex<Vec<String>>>);

    impl Log {
        fn push(&self, what: &str, pieces: &[&[u8]], more: &str) -> Result<(), Failure> {
            let pieces = pieces.concat();
            self.0.lock().unwrap().push(format!("{what} {}{more}", String::from_utf8_lossy(&pieces)));
            Ok(())
        }
    }

    impl Mechanism for Log {
        fn instantiate(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
            self.push("instantiate", seed, "")
        }

        fn reseed(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
            self.push("reseed", seed, "")
        }

        fn generate(&mut self, request: u64, additional: &[&[u8]], out: &mut [u8]) -> Result<(), Failure> {
            self.push("generate", additional, &format!(" #{request} {}", out.len()))
        }
    }

    fn logged(resistant: bool) -> (Drbg<Log>, impl Fn() -> Vec<String>) {
        let log = Arc::new(Mutex::new(Vec::new()));
        let drbg = Drbg::new(Log(log.clone()), resistant, 32);
        drbg.set_entropy(b"entropy:").unwrap();
        (drbg, move || std::mem::take(&mut *log.lock().unwrap()))
    }

    #[test]
    fn long_requests_are_cut() {
        let (drbg, log) = logged(false);
        drbg.instantiate(b"seed").unwrap();
        drbg.generate(b"more", &mut vec![0; 2 * MAX_REQUEST + 1]).unwrap();
        drbg.generate(b"", &mut []).unwrap();
        let want =
            ["instantiate entropy:seed", "generate more #1 65536", "generate more #2 65536", "generate more #3 1"];
        assert_eq!(log(), want);
    }

    #[test]
    fn a_resistant_one_reseeds_before_each_request() {
        let (drbg, log) = logged(true);
        drbg.generate(b"more", &mut [0; 9]).unwrap();
        drbg.generate(b"", &mut [0; 9]).unwrap();
        assert_eq!(log(), ["reseed entropy:more", "generate  #1 9", "reseed entropy:", "generate  #1 9"]);
    }

    #[test]
    fn requests_count_from_the_last_seed() {
        let (drbg, log) = logged(false);
        drbg.instantiate(b"").unwrap();
        drbg.generate(b"a", &mut [0; 9]).unwrap();
        drbg.generate(b"b", &mut [0; 9]).unwrap();
        drbg.reseed(b"c").unwrap();
        drbg.generate(b"", &mut [0; 9]).unwrap();
        let want = ["instantiate entropy:", "generate a #1 9", "generate b #2 9", "reseed entropy:c", "generate  #1 9"];
        assert_eq!(log(), want);
    }

    #[test]
    fn every_request_draws_on_the_system() {
        let (drbg, log) = logged(false);
        drbg.lock().source = Source::System;
        drbg.generate(b"a", &mut [0; 9]).unwrap();
        drbg.generate(b"a", &mut [0; 9]).unwrap();
        let log = log();
        assert!(log.iter().step_by(2).all(|line| line.starts_with("reseed ") && line.ends_with('a')), "{log:?}");
        assert_ne!(log[0], log[2]);
        assert_eq!([&log[1], &log[3]], ["generate  #1 9"; 2]);
    }
}
