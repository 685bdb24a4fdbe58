//! Random number generators: CTR-DRBG, HASH-DRBG and HMAC-DRBG of SP 800-90A. algkit has the mechanisms.
//!
//! libcrypto makes a tree of generators: a primary one for each library context, and below it two for each thread,
//! which serve `RAND_bytes`. A generator takes entropy from its parent. The parent of the primary generator is the
//! default provider's `SEED-SRC`. This module decides when a generator reseeds, by OpenSSL's rules: after the number of
//! requests or the time that its parameters say, after its parent was reseeded, after a fork, and whenever the caller
//! asks for prediction resistance. A generator without a parent takes entropy from the operating system for each
//! request.
//!
//! Every context has a lock, so any number of threads may use it, whether they have enabled locking or not.

use crate::{
    abi::*,
    cipher,
    core::{Core, Reason, caught},
    digest, memory, object, params,
};
use algkit::Rng;
use std::{
    ffi::{c_int, c_uint, c_void},
    mem, process, ptr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};
use zeroize::{Zeroize, Zeroizing};

/// The algorithms that libcrypto gets.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new("CTR-DRBG\0", Functions::<CTR>::TABLE),
    Algorithm::new("HASH-DRBG\0", Functions::<HASH>::TABLE),
    Algorithm::new("HMAC-DRBG\0", Functions::<HMAC>::TABLE),
    Algorithm::END,
];

const CTR: u8 = 0;
const HASH: u8 = 1;
const HMAC: u8 = 2;

/// The most bytes of a request, by SP 800-90A.
const MAX_REQUEST: usize = 1 << 16;
/// The most bytes of a personalization string or an additional input.
const MAX_INPUT: usize = 1 << 30;
/// A generator reseeds after this many requests and seconds if no parameter says otherwise. The values are OpenSSL's.
const REQUESTS: usize = 1 << 8;
const SECONDS: usize = 60 * 60;

struct Context {
    core: *const Core,
    /// The mechanism: [`CTR`], [`HASH`] or [`HMAC`].
    kind: u8,
    parent: Option<Parent>,
    state: Mutex<State>,
}

struct State {
    /// The driver in algkit, and its security strength in bytes.
    chosen: Option<(String, usize)>,
    rng: Option<Rng>,
    /// Whether the last instantiation or reseeding has failed.
    failed: bool,
    /// Of the last reseeding: the number of the next request since then, the time, the process, and the number of the
    /// parent's seed.
    request: usize,
    time: usize,
    process: u32,
    parent_seed: c_uint,
    /// The number of this generator's seed.
    seed: c_uint,
    /// After how many requests and seconds the generator reseeds; 0 is never.
    max_requests: usize,
    max_seconds: usize,
}

impl Context {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Instantiates the generator with entropy and a personalization string.
    fn instantiate(&self, state: &mut State, bits: usize, resistant: bool, personal: &[u8]) -> Result<(), Reason> {
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
    fn reseed(&self, state: &mut State, resistant: bool, additional: &[u8]) -> Result<(), Reason> {
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

    fn generate(
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
    unsafe fn set(&self, state: &mut State, params: *const Param) -> Result<(), Reason> {
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
        (self.time, self.process) = (now(), process::id());
        // 0 is left for a child that has not seen a seed of its parent.
        self.seed = self.seed.checked_add(1).unwrap_or(1);
    }

    /// Whether the generator has to reseed.
    fn is_due(&self) -> bool {
        let seconds = now().checked_sub(self.time);
        self.process != process::id()
            || (self.max_requests > 0 && self.request >= self.max_requests)
            || (self.max_seconds > 0 && seconds.is_none_or(|seconds| seconds >= self.max_seconds))
    }
}

/// Seconds since 1970.
fn now() -> usize {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as usize)
}

type Locking = unsafe extern "C" fn(*mut c_void) -> c_int;
type Unlock = unsafe extern "C" fn(*mut c_void);
type Nonce = unsafe extern "C" fn(*mut c_void, *mut u8, c_uint, usize, usize) -> usize;
type GetParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
type GetSeed = unsafe extern "C" fn(*mut c_void, *mut *mut u8, c_int, usize, usize, c_int, *const u8, usize) -> usize;
type ClearSeed = unsafe extern "C" fn(*mut c_void, *mut u8, usize);

/// The parent, from which entropy comes: a generator or a seed source of any provider.
struct Parent {
    context: *mut c_void,
    enable_locking: Option<Locking>,
    lock: Option<Locking>,
    unlock: Option<Unlock>,
    nonce: Option<Nonce>,
    get_params: Option<GetParams>,
    get_seed: Option<GetSeed>,
    clear_seed: Option<ClearSeed>,
}

impl Parent {
    /// # Safety
    /// `calls` is the table of the context's functions, and NULL where there is no parent.
    unsafe fn new(context: *mut c_void, mut calls: *const Dispatch) -> Option<Self> {
        if context.is_null() || calls.is_null() {
            return None;
        }
        let mut parent = Self {
            context,
            enable_locking: None,
            lock: None,
            unlock: None,
            nonce: None,
            get_params: None,
            get_seed: None,
            clear_seed: None,
        };
        // SAFETY: the table ends with the number 0, and each number stands for a function of that type
        // (core_dispatch.h).
        unsafe {
            while (*calls).function_id != 0 {
                let function = (*calls).function;
                match (*calls).function_id {
                    OSSL_FUNC_RAND_ENABLE_LOCKING => {
                        parent.enable_locking = mem::transmute::<*const (), Option<Locking>>(function)
                    }
                    OSSL_FUNC_RAND_LOCK => parent.lock = mem::transmute::<*const (), Option<Locking>>(function),
                    OSSL_FUNC_RAND_UNLOCK => parent.unlock = mem::transmute::<*const (), Option<Unlock>>(function),
                    OSSL_FUNC_RAND_NONCE => parent.nonce = mem::transmute::<*const (), Option<Nonce>>(function),
                    OSSL_FUNC_RAND_GET_CTX_PARAMS => {
                        parent.get_params = mem::transmute::<*const (), Option<GetParams>>(function)
                    }
                    OSSL_FUNC_RAND_GET_SEED => parent.get_seed = mem::transmute::<*const (), Option<GetSeed>>(function),
                    OSSL_FUNC_RAND_CLEAR_SEED => {
                        parent.clear_seed = mem::transmute::<*const (), Option<ClearSeed>>(function)
                    }
                    _ => (),
                }
                calls = calls.add(1);
            }
        }
        Some(parent)
    }

    /// Calls `body` while the parent is locked.
    fn locked<T>(&self, body: impl FnOnce() -> T) -> Result<T, Reason> {
        // SAFETY: the functions are the context's, which lives as long as this one.
        if self.lock.is_some_and(|lock| unsafe { lock(self.context) } == 0) {
            return Err(PROV_R_UNABLE_TO_LOCK_PARENT);
        }
        let made = body();
        if let Some(unlock) = self.unlock {
            // SAFETY: as above.
            unsafe { unlock(self.context) };
        }
        Ok(made)
    }

    /// Gets entropy for a strength in bytes and, if asked for, a nonce of half as many bytes.
    fn entropy(&self, strength: usize, with_nonce: bool, resistant: bool) -> Result<Zeroizing<Vec<u8>>, Reason> {
        if self.ask(OSSL_RAND_PARAM_STRENGTH).is_some_and(|bits| (bits as usize) < strength * 8) {
            return Err(PROV_R_PARENT_STRENGTH_TOO_WEAK);
        }
        if !with_nonce {
            return self.seed(strength, resistant);
        }
        // More entropy is as good as a nonce (SP 800-90A, section 8.6.7).
        let Some(nonce) = self.nonce(strength)? else { return self.seed(strength + strength / 2, resistant) };
        let entropy = self.seed(strength, resistant)?;
        Ok(Zeroizing::new([&entropy[..], &nonce[..]].concat()))
    }

    /// Gets a nonce of half the strength or more, if the parent can make one.
    fn nonce(&self, strength: usize) -> Result<Option<Zeroizing<Vec<u8>>>, Reason> {
        let Some(nonce) = self.nonce else { return Ok(None) };
        let bits = (strength * 8) as c_uint;
        let made = self.locked(|| {
            // SAFETY: the function is the context's; it writes as many bytes as it said before.
            unsafe {
                let len = nonce(self.context, ptr::null_mut(), bits, strength / 2, MAX_INPUT);
                let mut made = Zeroizing::new(vec![0; len.min(MAX_INPUT)]);
                let again = nonce(self.context, made.as_mut_ptr(), bits, strength / 2, made.len());
                (again == made.len() && again >= strength / 2).then_some(made)
            }
        })?;
        made.map(Some).ok_or(PROV_R_ERROR_RETRIEVING_NONCE)
    }

    /// Gets this many bytes of entropy, or more.
    fn seed(&self, len: usize, resistant: bool) -> Result<Zeroizing<Vec<u8>>, Reason> {
        let get = self.get_seed.ok_or(PROV_R_PARENT_CANNOT_SUPPLY_ENTROPY_SEED)?;
        let seed = self.locked(|| {
            let mut at = ptr::null_mut();
            // SAFETY: the functions are the context's; what one has made is given to the other.
            unsafe {
                let made =
                    get(self.context, &mut at, (len * 8) as c_int, len, MAX_INPUT, resistant.into(), ptr::null(), 0);
                let seed = Zeroizing::new(memory::bytes(at, made).to_vec());
                if let Some(clear) = self.clear_seed.filter(|_| !at.is_null()) {
                    clear(self.context, at, made);
                }
                seed
            }
        })?;
        if seed.len() < len { Err(PROV_R_ERROR_RETRIEVING_ENTROPY) } else { Ok(seed) }
    }

    /// Asks the parent for a parameter that is a number.
    fn ask(&self, key: &'static [u8]) -> Option<c_uint> {
        let get = self.get_params?;
        let mut number: c_uint = 0;
        let mut asked = [Param::uint(key), Param::END];
        asked[0].data = (&raw mut number).cast();
        // SAFETY: the function is the context's, and the list of parameters has an end.
        let answered = self.locked(|| unsafe { get(self.context, asked.as_mut_ptr()) });
        (answered == Ok(1) && asked[0].return_size == size_of::<c_uint>()).then_some(number)
    }

    /// The number of the parent's own seed; 0 if it does not count them.
    fn seed_number(&self) -> c_uint {
        self.ask(OSSL_DRBG_PARAM_RESEED_COUNTER).unwrap_or(0)
    }
}

struct Functions<const KIND: u8>;

impl<const KIND: u8> Functions<KIND> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_RAND_NEWCTX, newctx::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_FREECTX, object::free::<Context> as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_INSTANTIATE, instantiate as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_UNINSTANTIATE, uninstantiate as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_GENERATE, generate as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_RESEED, reseed as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_ENABLE_LOCKING, enable_locking as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_GET_CTX_PARAMS, get_ctx_params as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, gettable_ctx_params as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_SET_CTX_PARAMS, set_ctx_params as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS, settable_ctx_params::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_VERIFY_ZEROIZATION, verify_zeroization as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_GET_SEED, get_seed as *const ()),
        Dispatch::new(OSSL_FUNC_RAND_CLEAR_SEED, clear_seed as *const ()),
        Dispatch::END,
    ];
}

unsafe extern "C" fn newctx<const KIND: u8>(
    provider: *mut c_void,
    parent: *mut c_void,
    calls: *const Dispatch,
) -> *mut c_void {
    object::new(|| Context {
        core: provider.cast(),
        kind: KIND,
        // SAFETY: libcrypto passes a context with its functions, which lives as long as this one.
        parent: unsafe { Parent::new(parent, calls) },
        state: Mutex::new(State {
            chosen: None,
            rng: None,
            failed: false,
            request: 0,
            time: 0,
            process: 0,
            parent_seed: 0,
            seed: 0,
            max_requests: REQUESTS,
            max_seconds: SECONDS,
        }),
    })
}

/// Runs the body of a function with a context and its state.
///
/// # Safety
/// `newctx` made the context. Other threads may use it too.
unsafe fn with(context: *mut c_void, body: impl FnOnce(&Context, &mut State) -> Result<(), Reason>) -> c_int {
    // SAFETY: as the caller promises; libcrypto frees a provider after all contexts.
    unsafe {
        let Some(context) = context.cast::<Context>().as_ref() else { return 0 };
        (*context.core).guard(|| body(context, &mut context.lock()))
    }
}

unsafe extern "C" fn instantiate(
    context: *mut c_void,
    strength: c_uint,
    resistant: c_int,
    personal: *const u8,
    personal_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a context, as many bytes as it says, and a list of parameters.
    unsafe {
        with(context, |context, state| {
            context.set(state, params)?;
            context.instantiate(state, strength as usize, resistant != 0, memory::bytes(personal, personal_len))
        })
    }
}

unsafe extern "C" fn uninstantiate(context: *mut c_void) -> c_int {
    // SAFETY: libcrypto passes a context.
    unsafe {
        with(context, |_, state| {
            (state.rng, state.failed) = (None, false);
            Ok(())
        })
    }
}

unsafe extern "C" fn generate(
    context: *mut c_void,
    out: *mut u8,
    out_len: usize,
    strength: c_uint,
    resistant: c_int,
    additional: *const u8,
    additional_len: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, and as many bytes as it says.
    unsafe {
        with(context, |context, state| {
            let (out, additional) = (memory::room(out, out_len), memory::bytes(additional, additional_len));
            context.generate(state, out, strength as usize, resistant != 0, additional)
        })
    }
}

/// The caller's entropy is used as an additional input, beside the entropy of the parent.
unsafe extern "C" fn reseed(
    context: *mut c_void,
    resistant: c_int,
    entropy: *const u8,
    entropy_len: usize,
    additional: *const u8,
    additional_len: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, and as many bytes as it says.
    unsafe {
        with(context, |context, state| {
            let inputs = [memory::bytes(entropy, entropy_len), memory::bytes(additional, additional_len)];
            if inputs.iter().any(|input| input.len() > MAX_INPUT / 2) {
                return Err(PROV_R_ADDITIONAL_INPUT_TOO_LONG);
            }
            context.reseed(state, resistant != 0, &Zeroizing::new(inputs.concat()))
        })
    }
}

/// This context always has a lock. Its ancestors may have to enable theirs.
unsafe extern "C" fn enable_locking(context: *mut c_void) -> c_int {
    // SAFETY: libcrypto passes a context, and the function is the parent's.
    unsafe {
        with(context, |context, _| match &context.parent {
            Some(Parent { context, enable_locking: Some(enable), .. }) if enable(*context) == 0 => {
                Err(PROV_R_PARENT_LOCKING_NOT_ENABLED)
            }
            _ => Ok(()),
        })
    }
}

unsafe extern "C" fn get_ctx_params(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with(context, |_, state| {
            let strength = state.chosen.as_ref().map_or(0, |(_, strength)| *strength);
            let condition = match (&state.rng, state.failed) {
                (_, true) => EVP_RAND_STATE_ERROR,
                (Some(_), _) => EVP_RAND_STATE_READY,
                _ => EVP_RAND_STATE_UNINITIALISED,
            };
            params::each_mut(params, |key, param| match key {
                OSSL_RAND_PARAM_STATE => param.put(condition as usize),
                OSSL_RAND_PARAM_STRENGTH => param.put(strength * 8),
                OSSL_RAND_PARAM_MAX_REQUEST => param.put(MAX_REQUEST),
                OSSL_DRBG_PARAM_MIN_ENTROPYLEN => param.put(strength),
                OSSL_DRBG_PARAM_MIN_NONCELEN => param.put(strength / 2),
                OSSL_DRBG_PARAM_MAX_ENTROPYLEN
                | OSSL_DRBG_PARAM_MAX_NONCELEN
                | OSSL_DRBG_PARAM_MAX_PERSLEN
                | OSSL_DRBG_PARAM_MAX_ADINLEN => param.put(MAX_INPUT),
                OSSL_DRBG_PARAM_RESEED_COUNTER => param.put(state.seed as usize),
                OSSL_DRBG_PARAM_RESEED_TIME => param.put(state.time),
                OSSL_DRBG_PARAM_RESEED_REQUESTS => param.put(state.max_requests),
                OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL => param.put(state.max_seconds),
                _ => Ok(()),
            })
        })
    }
}

static GETTABLE: &[Param] = &[
    Param::int(OSSL_RAND_PARAM_STATE),
    Param::uint(OSSL_RAND_PARAM_STRENGTH),
    Param::size(OSSL_RAND_PARAM_MAX_REQUEST),
    Param::size(OSSL_DRBG_PARAM_MIN_ENTROPYLEN),
    Param::size(OSSL_DRBG_PARAM_MAX_ENTROPYLEN),
    Param::size(OSSL_DRBG_PARAM_MIN_NONCELEN),
    Param::size(OSSL_DRBG_PARAM_MAX_NONCELEN),
    Param::size(OSSL_DRBG_PARAM_MAX_PERSLEN),
    Param::size(OSSL_DRBG_PARAM_MAX_ADINLEN),
    Param::uint(OSSL_DRBG_PARAM_RESEED_COUNTER),
    Param::size(OSSL_DRBG_PARAM_RESEED_TIME),
    Param::uint(OSSL_DRBG_PARAM_RESEED_REQUESTS),
    Param::size(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL),
    Param::END,
];

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn set_ctx_params(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe { with(context, |context, state| context.set(state, params)) }
}

unsafe extern "C" fn settable_ctx_params<const KIND: u8>(_: *mut c_void, _: *mut c_void) -> *const Param {
    const REQUESTS: Param = Param::uint(OSSL_DRBG_PARAM_RESEED_REQUESTS);
    const SECONDS: Param = Param::size(OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL);
    static CTR_DRBG: &[Param] =
        &[Param::utf8(OSSL_DRBG_PARAM_CIPHER), Param::int(OSSL_DRBG_PARAM_USE_DF), REQUESTS, SECONDS, Param::END];
    static HASH_DRBG: &[Param] = &[Param::utf8(OSSL_DRBG_PARAM_DIGEST), REQUESTS, SECONDS, Param::END];
    static HMAC_DRBG: &[Param] =
        &[Param::utf8(OSSL_DRBG_PARAM_DIGEST), Param::utf8(OSSL_DRBG_PARAM_MAC), REQUESTS, SECONDS, Param::END];
    match KIND {
        CTR => CTR_DRBG.as_ptr(),
        HASH => HASH_DRBG.as_ptr(),
        _ => HMAC_DRBG.as_ptr(),
    }
}

/// The state of a generator is wiped when it is dropped.
unsafe extern "C" fn verify_zeroization(context: *mut c_void) -> c_int {
    // SAFETY: libcrypto passes a context.
    unsafe { with(context, |_, state| state.rng.as_ref().map_or(Ok(()), |_| Err(PROV_R_ALREADY_INSTANTIATED))) }
}

/// Makes entropy for a child, which returns the buffer to [`clear_seed`].
unsafe extern "C" fn get_seed(
    context: *mut c_void,
    out: *mut *mut u8,
    bits: c_int,
    min_len: usize,
    max_len: usize,
    resistant: c_int,
    additional: *const u8,
    additional_len: usize,
) -> usize {
    let len = usize::try_from(bits).unwrap_or(0).div_ceil(8).max(min_len).min(max_len);
    if len == 0 || len > MAX_REQUEST {
        return 0;
    }
    let mut seed = Zeroizing::new(vec![0; len]);
    // SAFETY: libcrypto passes a context, as many bytes as it says, and a pointer to write.
    unsafe {
        let made = with(context, |context, state| {
            context.generate(state, &mut seed, 0, resistant != 0, memory::bytes(additional, additional_len))
        });
        if made == 0 {
            return 0;
        }
        *out = Box::into_raw(mem::take(&mut *seed).into_boxed_slice()).cast();
    }
    len
}

unsafe extern "C" fn clear_seed(_: *mut c_void, seed: *mut u8, len: usize) {
    if !seed.is_null() {
        // SAFETY: `get_seed` made it, with this length.
        caught(|| unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(seed, len)) }.zeroize());
    }
}
