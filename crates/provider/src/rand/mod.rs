//! Random number generators: CTR-DRBG, HASH-DRBG and HMAC-DRBG of SP 800-90A. algkit has the mechanisms.
//!
//! libcrypto makes a tree of generators: a primary one for each library context, and below it two for each thread,
//! which serve `RAND_bytes`. A generator takes entropy from its parent. The parent of the primary generator is the
//! default provider's `SEED-SRC`. `generator` decides when a generator reseeds, by OpenSSL's rules: after the number of
//! requests or the time that its parameters say, after its parent was reseeded, after a fork, and whenever the caller
//! asks for prediction resistance. A generator without a parent takes entropy from the operating system for each
//! request.
//!
//! Every context has a lock, so any number of threads may use it, whether they have enabled locking or not.

mod generator;
mod parent;

use crate::{
    abi::*,
    core::{Reason, caught},
    fork, memory, object, params,
};
use generator::{CTR, Context, HASH, HMAC, MAX_REQUEST, State};
use parent::{MAX_INPUT, Parent};
use std::{
    ffi::{c_int, c_uint, c_void},
    mem, ptr,
};
use zeroize::{Zeroize, Zeroizing};

/// The algorithms that libcrypto gets.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new("CTR-DRBG\0", Functions::<CTR>::TABLE),
    Algorithm::new("HASH-DRBG\0", Functions::<HASH>::TABLE),
    Algorithm::new("HMAC-DRBG\0", Functions::<HMAC>::TABLE),
    Algorithm::END,
];

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
    // SAFETY: libcrypto passes a context with its functions, which lives as long as this one.
    object::new(provider, || Context::new(KIND, unsafe { Parent::new(parent, calls) }))
}

/// Runs the body of a function with a context and its state.
///
/// # Safety
/// `newctx` made the context. Other threads may use it too.
unsafe fn with(context: *mut c_void, body: impl FnOnce(&Context, &mut State) -> Result<(), Reason>) -> c_int {
    let _guard = fork::kept_away();
    // SAFETY: as the caller promises.
    unsafe { object::with_shared(context, |context: &Context| body(context, &mut context.lock())) }
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
    // SAFETY: libcrypto passes a context.
    unsafe { with(context, |context, _| context.parent.as_ref().map_or(Ok(()), Parent::enable_locking)) }
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
