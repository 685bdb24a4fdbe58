//! Ciphers.
//!
//! A row of the table in `table.rs` is an algorithm; its shape is a type of context, a file each, which implements
//! [`Context`]. The functions that libcrypto calls are written once, here, over both.

mod aead;
mod block;
mod ccm;
mod early;
mod record;
mod shared;
mod stream;
mod table;
mod xts;

pub use table::ALGORITHMS;

use crate::{
    abi::*,
    core::{Core, Reason, caught},
    memory, params,
};
use shared::Shared;
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};
use table::CIPHERS;

/// An algorithm.
pub struct Row {
    /// The name in algkit.
    name: &'static str,
    /// Lengths in bytes, as OpenSSL has them.
    key: usize,
    iv: usize,
    block: usize,
    /// `EVP_CIPH_…_MODE`.
    mode: c_uint,
    /// The driver, once it has been looked for.
    driver: shared::Driver,
}

/// The source and the destination of a call. The destination is NULL where the source is associated data.
pub struct Run {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    room: usize,
}

/// A cipher of some shape, keyed or not.
trait Context: Sized {
    /// Whether it authenticates.
    const AEAD: bool = false;
    /// Whether `EVP_Cipher` without a source ends the message.
    const ENDS_WITHOUT_SOURCE: bool = false;
    /// Whether its IV is more than the state of a chain.
    const CUSTOM_IV: bool = false;
    /// What can be asked for and set, besides what [`Shared`] has.
    const GETTABLE: &'static [Param];
    const SETTABLE: &'static [Param];

    fn new(shared: Shared) -> Self;

    /// A copy that goes on by itself.
    fn duplicate(&self) -> Self;

    fn shared(&self) -> &Shared;
    fn shared_mut(&mut self) -> &mut Shared;

    /// Sets the key and the IV, each if it is there.
    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason>;

    /// Processes a part; returns the number of bytes written.
    ///
    /// # Safety
    /// The buffers of `run` exist, and are the caller's.
    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason>;

    /// Processes a part by `EVP_Cipher`, which neither pads nor waits for more.
    ///
    /// # Safety
    /// As for [`Context::update`].
    unsafe fn once(&mut self, run: Run) -> Result<usize, Reason> {
        // SAFETY: as the caller promises.
        unsafe { self.update(run) }
    }

    /// Ends the message; returns the number of bytes written.
    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason>;

    /// Answers a question about a parameter.
    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason>;

    /// Takes a parameter. Unknown ones are passed over.
    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason>;
}

/// The functions of the algorithm `ROW`, whose context is `C`.
struct Functions<C, const ROW: usize>(C);

impl<C: Context, const ROW: usize> Functions<C, ROW> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_CIPHER_NEWCTX, newctx::<C, ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_FREECTX, freectx::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_DUPCTX, dupctx::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_ENCRYPT_INIT, init::<C, true> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_DECRYPT_INIT, init::<C, false> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_UPDATE, update::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_FINAL, finish::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_CIPHER, cipher::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GET_PARAMS, get_params::<C, ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params::<C> as *const ()),
        Dispatch::END,
    ];
}

unsafe extern "C" fn newctx<C: Context, const ROW: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: libcrypto gives the provider's context, which outlives all others.
    let core = unsafe { &*provider.cast::<Core>() };
    caught(|| Box::into_raw(Box::new(C::new(Shared::new(core, &CIPHERS[ROW]))))).unwrap_or(ptr::null_mut()).cast()
}

unsafe extern "C" fn freectx<C: Context>(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        caught(|| drop(unsafe { Box::from_raw(context.cast::<C>()) }));
    }
}

unsafe extern "C" fn dupctx<C: Context>(context: *mut c_void) -> *mut c_void {
    // SAFETY: `newctx` or `dupctx` made the context.
    let Some(context) = (unsafe { context.cast::<C>().as_ref() }) else { return ptr::null_mut() };
    caught(|| Box::into_raw(Box::new(context.duplicate()))).unwrap_or(ptr::null_mut()).cast()
}

/// Runs the body of a function with a context.
///
/// # Safety
/// `newctx` or `dupctx` made the context, and nobody else uses it.
#[inline(always)]
unsafe fn with<C: Context>(context: *mut c_void, body: impl FnOnce(&mut C) -> Result<(), Reason>) -> c_int {
    // SAFETY: as the caller promises.
    let Some(context) = (unsafe { context.cast::<C>().as_mut() }) else { return 0 };
    let core = context.shared().core();
    core.guard(|| body(context))
}

unsafe extern "C" fn init<C: Context, const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a context, the lengths of what is there, and a list of parameters.
    unsafe {
        with::<C>(context, |context| {
            context.shared_mut().encrypt = ENCRYPT;
            let key = (!key.is_null()).then(|| memory::bytes(key, key_len));
            let iv = (!iv.is_null()).then(|| memory::bytes(iv, iv_len));
            context.init(key, iv)?;
            params::each(params, |key, param| context.set(key, param))
        })
    }
}

unsafe extern "C" fn update<C: Context>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
    src: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, a number to write, and buffers of the lengths that it says.
    unsafe {
        with::<C>(context, |context| {
            *out_len = 0;
            *out_len = context.update(Run { src, dst: out, len, room: out_size })?;
            Ok(())
        })
    }
}

unsafe extern "C" fn finish<C: Context>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, a number to write, and a buffer of the length that it says.
    unsafe {
        with::<C>(context, |context| {
            *out_len = 0;
            *out_len = context.finish(memory::room(out, out_size))?;
            Ok(())
        })
    }
}

/// `EVP_Cipher`.
unsafe extern "C" fn cipher<C: Context>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
    src: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, a number to write, and buffers of the lengths that it says.
    unsafe {
        if src.is_null() && C::ENDS_WITHOUT_SOURCE {
            return finish::<C>(context, out, out_len, out_size);
        }
        with::<C>(context, |context| {
            *out_len = 0;
            *out_len = context.once(Run { src, dst: out, len, room: out_size })?;
            Ok(())
        })
    }
}

static GETTABLE: &[Param] = &[
    Param::uint(OSSL_CIPHER_PARAM_MODE),
    Param::size(OSSL_CIPHER_PARAM_KEYLEN),
    Param::size(OSSL_CIPHER_PARAM_IVLEN),
    Param::size(OSSL_CIPHER_PARAM_BLOCK_SIZE),
    Param::int(OSSL_CIPHER_PARAM_AEAD),
    Param::int(OSSL_CIPHER_PARAM_CUSTOM_IV),
    Param::int(OSSL_CIPHER_PARAM_CTS),
    Param::int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
    Param::int(OSSL_CIPHER_PARAM_HAS_RAND_KEY),
    Param::END,
];

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params<C: Context, const ROW: usize>(params: *mut Param) -> c_int {
    let row = &CIPHERS[ROW];
    let answered = caught(|| {
        // SAFETY: libcrypto passes a list of parameters.
        unsafe {
            params::each_mut(params, |key, param| match key {
                OSSL_CIPHER_PARAM_MODE => param.put(row.mode as usize),
                OSSL_CIPHER_PARAM_KEYLEN => param.put(row.key),
                OSSL_CIPHER_PARAM_IVLEN => param.put(row.iv),
                OSSL_CIPHER_PARAM_BLOCK_SIZE => param.put(row.block),
                OSSL_CIPHER_PARAM_AEAD => param.put(usize::from(C::AEAD)),
                OSSL_CIPHER_PARAM_CUSTOM_IV => param.put(usize::from(C::CUSTOM_IV)),
                OSSL_CIPHER_PARAM_CTS | OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK | OSSL_CIPHER_PARAM_HAS_RAND_KEY => {
                    param.put(0)
                }
                _ => Ok(()),
            })
        }
    });
    c_int::from(matches!(answered, Some(Ok(()))))
}

unsafe extern "C" fn get_ctx_params<C: Context>(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with::<C>(context, |context| {
            params::each_mut(params, |key, param| match key {
                OSSL_CIPHER_PARAM_KEYLEN => param.put(context.shared().row().key),
                _ => context.get(key, param),
            })
        })
    }
}

unsafe extern "C" fn set_ctx_params<C: Context>(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with::<C>(context, |context| {
            params::each(params, |key, param| match key {
                OSSL_CIPHER_PARAM_KEYLEN if param.get()? != context.shared().row().key => {
                    Err(PROV_R_INVALID_KEY_LENGTH)
                }
                OSSL_CIPHER_PARAM_KEYLEN => Ok(()),
                _ => context.set(key, param),
            })
        })
    }
}

unsafe extern "C" fn gettable_ctx_params<C: Context>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::GETTABLE.as_ptr()
}

unsafe extern "C" fn settable_ctx_params<C: Context>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::SETTABLE.as_ptr()
}
