//! Message authentication codes: HMAC, CMAC, GMAC and Poly1305.
//!
//! Each shape of context has a file and implements [`Context`]: MACs that are keyed hashes in algkit, and GMAC, which
//! is an AEAD without a text. The functions that libcrypto calls are in this file.

mod gmac;
mod hashed;

use crate::{
    abi::*,
    core::{Reason, caught},
    memory,
    object::{self, with},
    params,
    skey::Key,
};
use gmac::Gmac;
use hashed::{Cmac, Hashed, Hmac, Poly1305};
use std::{
    ffi::{c_int, c_void},
    ptr,
};

/// The algorithms that libcrypto gets.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new("HMAC\0", Functions::<Hashed<Hmac>>::TABLE),
    Algorithm::new("CMAC\0", Functions::<Hashed<Cmac>>::TABLE),
    Algorithm::new("GMAC:1.0.9797.3.4\0", Functions::<Gmac>::TABLE),
    Algorithm::new("POLY1305\0", Functions::<Hashed<Poly1305>>::TABLE),
    Algorithm::END,
];

/// A MAC of some shape, keyed or not.
trait Context: Clone {
    /// The length of the MAC, if it is always the same.
    const SIZE: Option<usize>;
    /// The parameters that can be set, besides the key.
    const SETTABLE: &'static [Param];

    fn new() -> Self;

    /// Sets the digest or cipher that the MAC is built on. Other parameters are ignored.
    fn choose(&mut self, key: &[u8], param: &Param) -> Result<(), Reason>;

    /// Sets another parameter, after the digest or cipher was chosen.
    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason>;

    fn set_key(&mut self, key: &[u8]) -> Result<(), Reason>;

    /// Begins a message; `rekeyed` says whether there is a new key.
    fn begin(&mut self, rekeyed: bool) -> Result<(), Reason>;

    /// Absorbs a part of the message.
    ///
    /// # Safety
    /// There are `len` bytes, or as many as the protocol said before.
    unsafe fn update(&mut self, data: *const u8, len: usize) -> Result<(), Reason>;

    /// Writes the MAC; returns its length.
    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason>;

    /// The length of the MAC, and of a block of its digest or cipher. Both are 0 until one is chosen.
    fn sizes(&self) -> (usize, usize);
}

struct Functions<C>(C);

impl<C: Context> Functions<C> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_MAC_NEWCTX, newctx::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_DUPCTX, object::duplicate::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_FREECTX, object::free::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_INIT, init::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_INIT_SKEY, init_skey::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_UPDATE, update::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_FINAL, finish::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_GET_PARAMS, get_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_GETTABLE_PARAMS, gettable_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_GET_CTX_PARAMS, get_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, gettable_ctx_params as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_SET_CTX_PARAMS, set_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, settable_ctx_params::<C> as *const ()),
        Dispatch::END,
    ];
}

unsafe extern "C" fn newctx<C: Context>(provider: *mut c_void) -> *mut c_void {
    object::new(provider, C::new)
}

/// # Safety
/// `params` is NULL or a list of parameters.
unsafe fn set<C: Context>(context: &mut C, params: *const Param) -> Result<(), Reason> {
    // SAFETY: as the caller promises.
    unsafe {
        params::each(params, |key, param| context.choose(key, param))?;
        params::each(params, |key, param| match key {
            OSSL_MAC_PARAM_KEY => {
                context.set_key(param.secret()?)?;
                context.begin(true)
            }
            _ => context.set(key, param),
        })
    }
}

unsafe extern "C" fn init<C: Context>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a context, the length of the key that is there, and a list of parameters.
    unsafe {
        with::<C>(context, |context| {
            set(context, params)?;
            if !key.is_null() {
                context.set_key(memory::bytes(key, key_len))?;
            }
            context.begin(!key.is_null())
        })
    }
}

/// As [`init`], with a key that is an object.
unsafe extern "C" fn init_skey<C: Context>(context: *mut c_void, key: *const c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes what `init` takes, and a key of this provider or NULL.
    unsafe {
        let (key, len) = Key::bytes(key).map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        init::<C>(context, key, len, params)
    }
}

unsafe extern "C" fn update<C: Context>(context: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: libcrypto passes a context and as many bytes as it says.
    unsafe { with::<C>(context, |context| context.update(data, len)) }
}

unsafe extern "C" fn finish<C: Context>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, room for as many bytes as it says, and a number to write.
    unsafe {
        with::<C>(context, |context| {
            let len = context.finish(memory::room(out, out_size))?;
            if let Some(out_len) = out_len.as_mut() {
                *out_len = len;
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn get_params<C: Context>(params: *mut Param) -> c_int {
    let answered = caught(|| {
        // SAFETY: libcrypto passes a list of parameters.
        unsafe {
            params::each_mut(params, |key, param| match (key, C::SIZE) {
                (OSSL_MAC_PARAM_SIZE, Some(size)) => param.put(size),
                _ => Ok(()),
            })
        }
    });
    c_int::from(matches!(answered, Some(Ok(()))))
}

static GETTABLE: &[Param] = &[Param::size(OSSL_MAC_PARAM_SIZE), Param::END];

unsafe extern "C" fn gettable_params<C: Context>(_: *mut c_void) -> *const Param {
    if C::SIZE.is_some() { GETTABLE.as_ptr() } else { ptr::from_ref(&Param::END) }
}

unsafe extern "C" fn get_ctx_params<C: Context>(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with::<C>(context, |context| {
            let (size, block) = context.sizes();
            params::each_mut(params, |key, param| match key {
                OSSL_MAC_PARAM_SIZE => param.put(size),
                OSSL_MAC_PARAM_BLOCK_SIZE => param.put(block),
                _ => Ok(()),
            })
        })
    }
}

static GETTABLE_OF_CONTEXT: &[Param] =
    &[Param::size(OSSL_MAC_PARAM_SIZE), Param::size(OSSL_MAC_PARAM_BLOCK_SIZE), Param::END];

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    GETTABLE_OF_CONTEXT.as_ptr()
}

unsafe extern "C" fn set_ctx_params<C: Context>(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe { with::<C>(context, |context| set(context, params)) }
}

unsafe extern "C" fn settable_ctx_params<C: Context>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::SETTABLE.as_ptr()
}
