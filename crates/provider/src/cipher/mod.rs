//! Ciphers.
//!
//! An algorithm is a row of the table in `table.rs`. Its shape is a type of context; each has a file and implements
//! [`Context`]. The functions that libcrypto calls are in this file, generic over row and context.

mod aead;
mod block;
mod cbc_hmac;
mod ccm;
mod cts;
mod early;
mod etm;
mod pipes;
mod record;
mod shared;
mod stream;
mod table;
mod wrap;
mod xts;

pub use table::ALGORITHMS;

use crate::{
    abi::*,
    core::{Reason, caught},
    memory, object, params,
    skey::Key,
};
use algkit::{Aead, Hash, Unkeyed};
use shared::Shared;
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr,
    sync::OnceLock,
};
use table::CIPHERS;

/// An algorithm.
pub struct Row {
    /// The name in algkit, and the names in OpenSSL.
    pub name: &'static str,
    names: &'static str,
    /// Lengths in bytes, as OpenSSL reports them.
    pub key: usize,
    iv: usize,
    pub block: usize,
    /// `EVP_CIPH_…_MODE`.
    mode: c_uint,
    /// The driver, looked up when the algorithm is first used.
    driver: shared::Driver,
    /// The driver of the CMAC over the same cipher.
    pub cmac: OnceLock<Unkeyed<Hash>>,
}

impl Row {
    /// Where the driver is kept, if the algorithm is an AEAD.
    pub fn aead(&'static self) -> Result<&'static OnceLock<Unkeyed<Aead>>, Reason> {
        <Aead as shared::Found>::place(&self.driver).ok_or(PROV_R_INVALID_MODE)
    }
}

/// The row that has this mode and this name.
pub fn named(name: &[u8], mode: c_uint) -> Option<&'static Row> {
    CIPHERS.iter().filter(|row| row.mode == mode).find(|row| params::is_among(name, row.names))
}

/// The object that libcrypto holds as a context: one message, or several in pipes.
#[derive(Clone)]
struct Object<C> {
    single: C,
    pipes: Vec<C>,
}

/// The source and the destination of a call. The destination is NULL if the source is associated data.
#[derive(Clone, Copy)]
pub struct Run {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    room: usize,
}

/// A cipher of some shape, keyed or not.
trait Context: Clone {
    /// Whether the cipher is an AEAD.
    const AEAD: bool = false;
    /// Whether `EVP_Cipher` without a source ends the message.
    const ENDS_WITHOUT_SOURCE: bool = false;
    /// Whether its IV is more than a chaining value.
    const CUSTOM_IV: bool = false;
    /// Whether it is CBC with ciphertext stealing.
    const CTS: bool = false;
    /// Whether `EVP_Cipher` does more than an update. The flags of the cipher tell that to libcrypto.
    const ONCE: bool = true;
    /// Whether it authenticates the ciphertext by a MAC with a key of its own.
    const ENCRYPT_THEN_MAC: bool = false;
    /// Whether it can encrypt several records of TLS at once.
    const MULTIBLOCK: bool = false;
    /// Whether it takes several messages at once.
    const PIPES: bool = false;
    /// The parameters that can be asked for, and those that can be set.
    const GETTABLE: &'static [Param];
    const SETTABLE: &'static [Param];

    fn new(shared: Shared) -> Self;

    fn shared(&mut self) -> &mut Shared;

    /// Sets the key and the IV, each if it is given.
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

    /// Processes a part of each of several messages.
    ///
    /// # Safety
    /// As for [`Context::update`].
    unsafe fn update_many(pipes: &mut [Self], runs: &[Run], written: &mut [usize]) -> Result<(), Reason> {
        // SAFETY: as the caller promises.
        unsafe { pipes::one_by_one(pipes, runs, written) }
    }

    /// Ends the message; returns the number of bytes written.
    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason> {
        let _ = out;
        Ok(0)
    }

    /// Answers a parameter that the caller asks for.
    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason>;

    /// Sets a parameter. Unknown parameters are ignored.
    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason>;

    /// Executes a request that parameters make, after the whole list was set. `set` says whether that succeeded; if not,
    /// the buffers that the parameters named are forgotten.
    ///
    /// # Safety
    /// The buffers that the parameters named exist, and are the caller's.
    unsafe fn after_set(&mut self, set: Result<(), Reason>) -> Result<(), Reason> {
        set
    }
}

/// The functions of the algorithm `ROW`, whose context is `C`.
struct Functions<C, const ROW: usize>(C);

impl<C: Context, const ROW: usize> Functions<C, ROW> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_CIPHER_NEWCTX, newctx::<C, ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_FREECTX, object::free::<Object<C>> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_DUPCTX, object::duplicate::<Object<C>> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_ENCRYPT_INIT, init::<C, true> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_DECRYPT_INIT, init::<C, false> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_ENCRYPT_SKEY_INIT, init_skey::<C, true> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_DECRYPT_SKEY_INIT, init_skey::<C, false> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_UPDATE, update::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_FINAL, finish::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GET_PARAMS, get_params::<C, ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params::<C> as *const ()),
        if C::ONCE { Dispatch::new(OSSL_FUNC_CIPHER_CIPHER, cipher::<C> as *const ()) } else { Dispatch::END },
        pipes::functions::<C>()[0],
        pipes::functions::<C>()[1],
        pipes::functions::<C>()[2],
        pipes::functions::<C>()[3],
        Dispatch::END,
    ];
}

unsafe extern "C" fn newctx<C: Context, const ROW: usize>(provider: *mut c_void) -> *mut c_void {
    object::new(provider, || Object { single: C::new(Shared::new(&CIPHERS[ROW])), pipes: Vec::new() })
}

/// Runs the body of a function with a context.
///
/// # Safety
/// `newctx` or `dupctx` made the context, and nobody else uses it.
#[inline(always)]
unsafe fn with<C: Context>(context: *mut c_void, body: impl FnOnce(&mut C) -> Result<(), Reason>) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { object::with(context, |object: &mut Object<C>| body(&mut object.single)) }
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
            context.shared().encrypt = ENCRYPT;
            let key = (!key.is_null()).then(|| memory::bytes(key, key_len));
            let iv = (!iv.is_null()).then(|| memory::bytes(iv, iv_len));
            context.init(key, iv)?;
            let set = params::each(params, |key, param| context.set(key, param));
            context.after_set(set)
        })
    }
}

/// As [`init`], with a key that is an object.
unsafe extern "C" fn init_skey<C: Context, const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const c_void,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what `init` takes, and a key of this provider or NULL.
    unsafe {
        let (key, len) = Key::bytes(key).map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        init::<C, ENCRYPT>(context, key, len, iv, iv_len, params)
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
    Param::int(OSSL_CIPHER_PARAM_ENCRYPT_THEN_MAC),
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
                OSSL_CIPHER_PARAM_CTS => param.put(usize::from(C::CTS)),
                OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK => param.put(usize::from(C::MULTIBLOCK)),
                OSSL_CIPHER_PARAM_ENCRYPT_THEN_MAC => param.put(usize::from(C::ENCRYPT_THEN_MAC)),
                OSSL_CIPHER_PARAM_HAS_RAND_KEY => param.put(0),
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
        object::with(context, |Object::<C> { single, pipes }| {
            let set = params::each(params, |key, param| match key {
                OSSL_CIPHER_PARAM_KEYLEN if param.get()? != single.shared().row().key => Err(PROV_R_INVALID_KEY_LENGTH),
                OSSL_CIPHER_PARAM_KEYLEN => Ok(()),
                OSSL_CIPHER_PARAM_PADDING => {
                    single.set(key, param)?;
                    pipes.iter_mut().try_for_each(|pipe| pipe.set(key, param))
                }
                _ => single.set(key, param),
            });
            single.after_set(set)
        })
    }
}

unsafe extern "C" fn gettable_ctx_params<C: Context>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::GETTABLE.as_ptr()
}

unsafe extern "C" fn settable_ctx_params<C: Context>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::SETTABLE.as_ptr()
}
