//! A generator, and when it reseeds.

use super::parent::{MAX_INPUT, Parent};
use crate::{abi::*, cipher, core::Reason, digest, params};
use algkit::Rng;
use std::{
    ffi::c_uint,
    mem, process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

/// The mechanisms.
pub(super) const CTR: u8 = 0;
pub(super) const HASH: u8 = 1;
pub(super) const HMAC: u8 = 2;

/// The most bytes of a request, by SP 800-90A.
pub(super) const MAX_REQUEST: usize = 1 << 16;

/// A generator reseeds after this many requests and seconds if no parameter says otherwise. The values are OpenSSL's.
const REQUESTS: usize = 1 << 8;
const SECONDS: usize = 60 * 60;

/// The number of forks from the process that loaded the provider to this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The loader calls this function when the provider is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = count_forks;

extern "C" fn count_forks() {
    // SAFETY: the function takes no arguments, and glibc forgets it when the library is unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
}

unsafe extern "C" fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Tells a process from the one that it was forked from. The number of the process is not enough: both have 1 if the child is the first process
/// of a PID namespace, as its parent is. The number of forks is not enough: libc does not see those that a program makes by a system call.
fn this_process() -> (u32, u32) {
    (process::id(), FORKS.load(Ordering::Relaxed))
}

/// A generator with its lock.
pub(super) struct Context {
    /// The mechanism: [`CTR`], [`HASH`] or [`HMAC`].
    kind: u8,
    pub(super) parent: Option<Parent>,
    state: Mutex<State>,
}

/// What changes of a generator.
pub(super) struct State {
    /// The driver in algkit, and its security strength in bytes.
    pub(super) chosen: Option<(String, usize)>,
    pub(super) rng: Option<Rng>,
    /// Whether the last instantiation or reseeding has failed.
    pub(super) failed: bool,
    /// Of the last reseeding: the number of the next request since then, the time, the process, and the number of the
    /// parent's seed.
    request: usize,
    pub(super) time: usize,
    process: (u32, u32),
    parent_seed: c_uint,
    /// The number of this generator's seed.
    pub(super) seed: c_uint,
    /// After how many requests and seconds the generator reseeds; 0 is never.
    pub(super) max_requests: usize,
    pub(super) max_seconds: usize,
}

impl Context {
    /// A generator without a seed.
    pub(super) fn new(kind: u8, parent: Option<Parent>) -> Self {
        let state = State {
            chosen: None,
            rng: None,
            failed: false,
            request: 0,
            time: 0,
            process: (0, 0),
            parent_seed: 0,
            seed: 0,
            max_requests: REQUESTS,
            max_seconds: SECONDS,
        };
        Self { kind, parent, state: Mutex::new(state) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Instantiates the generator with entropy and a personalization string.
    pub(super) fn instantiate(
        &self,
        state: &mut State,
        bits: usize,
        resistant: bool,
        personal: &[u8],
    ) -> Result<(), Reason> {
        let missing = if self.kind == CTR { PROV_R_MISSING_CIPHER } else { PROV_R_MISSING_MESSAGE_DIGEST };
        let (driver, strength) = state.chosen.clone().ok_or(missing)?;
        if bits > strength * 8 {
            return Err(PROV_R_INSUFFICIENT_DRBG_STRENGTH);
        }
        if state.rng.is_some() || state.failed {
            return Err(if state.failed { PROV_R_IN_ERROR_STATE } else { PROV_R_ALREADY_INSTANTIATED });
        }
        if personal.len() > MAX_INPUT {
            return Err(PROV_R_PERSONALISATION_STRING_TOO_LONG);
        }
        state.failed = true;
        let parent_seed = self.parent_seed();
        let refused = |_| PROV_R_ERROR_INSTANTIATING_DRBG;
        let found = algkit::rng(&driver).map_err(refused)?;
        let rng = match &self.parent {
            None => found.key(personal).map_err(refused)?,
            Some(parent) => {
                let entropy = parent.entropy(strength, true, resistant)?;
                let rng = found.with_entropy(&entropy, personal).map_err(refused)?;
                rng.set_entropy(&[]).map_err(refused)?;
                rng
            }
        };
        state.rng = Some(rng);
        state.seeded(parent_seed);
        Ok(())
    }

    /// Reseeds with new entropy and an additional input.
    pub(super) fn reseed(&self, state: &mut State, resistant: bool, additional: &[u8]) -> Result<(), Reason> {
        let State { rng: Some(rng), chosen: Some((_, strength)), failed, .. } = state else {
            return Err(PROV_R_NOT_INSTANTIATED);
        };
        if mem::replace(failed, true) {
            return Err(PROV_R_IN_ERROR_STATE);
        }
        let parent_seed = self.parent_seed();
        if let Some(parent) = &self.parent {
            let entropy = parent.entropy(*strength, false, resistant)?;
            rng.set_entropy(&entropy).map_err(|_| PROV_R_UNABLE_TO_RESEED)?;
        }
        rng.reseed(additional).map_err(|_| PROV_R_UNABLE_TO_RESEED)?;
        if self.parent.is_some() {
            rng.set_entropy(&[]).map_err(|_| PROV_R_UNABLE_TO_RESEED)?;
        }
        state.seeded(parent_seed);
        Ok(())
    }

    pub(super) fn generate(
        &self,
        state: &mut State,
        out: &mut [u8],
        bits: usize,
        resistant: bool,
        mut additional: &[u8],
    ) -> Result<(), Reason> {
        if state.failed {
            // Entropy may be there again.
            (state.rng, state.failed) = (None, false);
            self.instantiate(state, 0, false, &[])?;
        }
        if bits > state.chosen.as_ref().map_or(0, |(_, strength)| strength * 8) {
            return Err(PROV_R_INSUFFICIENT_DRBG_STRENGTH);
        }
        if out.len() > MAX_REQUEST {
            return Err(PROV_R_REQUEST_TOO_LARGE_FOR_DRBG);
        }
        if additional.len() > MAX_INPUT {
            return Err(PROV_R_ADDITIONAL_INPUT_TOO_LONG);
        }
        if state.rng.is_none() {
            return Err(PROV_R_NOT_INSTANTIATED);
        }
        if resistant || state.is_due() || self.parent_seed() != state.parent_seed {
            self.reseed(state, resistant, additional)?;
            additional = &[];
        }
        let rng = state.rng.as_ref().ok_or(PROV_R_NOT_INSTANTIATED)?;
        if rng.generate(additional, out).is_err() {
            state.failed = true;
            return Err(PROV_R_GENERATE_ERROR);
        }
        state.request += 1;
        Ok(())
    }

    /// The number of the parent's seed; 0 if it has none.
    fn parent_seed(&self) -> c_uint {
        self.parent.as_ref().map_or(0, Parent::seed_number)
    }

    /// Sets parameters. Another cipher or digest uninstantiates the generator.
    ///
    /// # Safety
    /// `params` is NULL or a list of parameters.
    pub(super) unsafe fn set(&self, state: &mut State, params: *const Param) -> Result<(), Reason> {
        // SAFETY: as the caller promises.
        unsafe {
            params::each(params, |key, param| match (key, self.kind) {
                (OSSL_DRBG_PARAM_CIPHER, CTR) => {
                    let row = cipher::named(param.string()?, EVP_CIPH_CTR_MODE).filter(|row| row.name == "ctr(aes)");
                    let key = row.ok_or(PROV_R_MISSING_CIPHER)?.key;
                    state.choose(format!("drbg_nopr_ctr_aes{}", key * 8), key);
                    Ok(())
                }
                (OSSL_DRBG_PARAM_DIGEST, HASH | HMAC) => {
                    let row = digest::named(param.string()?).ok_or(PROV_R_INVALID_DIGEST)?;
                    let strength = match row.name {
                        "sha1" => 16,
                        "sha256" | "sha384" | "sha512" => 32,
                        _ => return Err(PROV_R_INVALID_DIGEST),
                    };
                    let mechanism = if self.kind == HMAC { "hmac_" } else { "" };
                    state.choose(format!("drbg_nopr_{mechanism}{}", row.name), strength);
                    Ok(())
                }
                (OSSL_DRBG_PARAM_MAC, HMAC) if !param.string()?.eq_ignore_ascii_case(b"HMAC") => {
                    Err(PROV_R_INVALID_MAC)
                }
                // algkit has no CTR_DRBG without a derivation function.
                (OSSL_DRBG_PARAM_USE_DF, CTR) if param.get()? == 0 => Err(PROV_R_INVALID_MODE),
                (OSSL_DRBG_PARAM_RESEED_REQUESTS, _) => {
                    state.max_requests = param.get()?;
                    Ok(())
                }
                (OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL, _) => {
                    state.max_seconds = param.get()?;
                    Ok(())
                }
                _ => Ok(()),
            })
        }
    }
}

impl State {
    fn choose(&mut self, driver: String, strength: usize) {
        if self.chosen.as_ref().is_none_or(|(old, _)| *old != driver) {
            (self.chosen, self.rng, self.failed) = (Some((driver, strength)), None, false);
        }
    }

    /// Records that the generator was seeded.
    fn seeded(&mut self, parent_seed: c_uint) {
        (self.failed, self.request, self.parent_seed) = (false, 1, parent_seed);
        (self.time, self.process) = (now(), this_process());
        // 0 is left for a child that has not seen a seed of its parent.
        self.seed = self.seed.checked_add(1).unwrap_or(1);
    }

    /// Whether the generator has to reseed.
    fn is_due(&self) -> bool {
        let seconds = now().checked_sub(self.time);
        self.process != this_process()
            || (self.max_requests > 0 && self.request >= self.max_requests)
            || (self.max_seconds > 0 && seconds.is_none_or(|seconds| seconds >= self.max_seconds))
    }
}

/// Seconds since 1970.
fn now() -> usize {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as usize)
}
