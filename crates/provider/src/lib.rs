//! The OpenSSL provider algkit. This crate converts the arguments that libcrypto passes, and [`algkit`] does the
//! cryptography.
//!
//! | module | what it has |
//! | --- | --- |
//! | `abi` | the numbers, names and structures of the interface |
//! | `core` | libcrypto's functions for errors, and the catching of panics |
//! | `object` | contexts and keys, which libcrypto holds as pointers |
//! | `params`, `memory` | the parameters and buffers that libcrypto passes |
//! | `cipher` | ciphers: a table of algorithms, and a file for each shape of context |
//! | `digest` | digests |
//! | `mac` | message authentication codes |
//! | `kdf` | key derivation functions |
//! | `rand` | random number generators |
//! | `skey` | keys as objects, for ciphers and MACs |
//! | `drivers` | the look-up of drivers by name |
//! | `fork` | makes a fork wait for the locks of that look-up and of the generators; the C library has the same file |
mod abi;
mod cipher;
mod core;
mod digest;
mod drivers;
mod fork;
mod kdf;
mod mac;
mod memory;
mod object;
mod params;
mod rand;
mod skey;

use abi::{
    Algorithm, Dispatch, OSSL_FUNC_PROVIDER_GET_PARAMS, OSSL_FUNC_PROVIDER_GETTABLE_PARAMS,
    OSSL_FUNC_PROVIDER_QUERY_OPERATION, OSSL_FUNC_PROVIDER_TEARDOWN, OSSL_OP_CIPHER, OSSL_OP_DIGEST, OSSL_OP_KDF,
    OSSL_OP_MAC, OSSL_OP_RAND, OSSL_OP_SKEYMGMT, OSSL_PROV_PARAM_BUILDINFO, OSSL_PROV_PARAM_NAME,
    OSSL_PROV_PARAM_STATUS, OSSL_PROV_PARAM_VERSION, Param,
};
use core::Core;
use std::{
    ffi::{CStr, c_int, c_void},
    ptr,
};

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zeros"),
};

static FUNCTIONS: &[Dispatch] = &[
    Dispatch::new(OSSL_FUNC_PROVIDER_TEARDOWN, teardown as *const ()),
    Dispatch::new(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params as *const ()),
    Dispatch::new(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params as *const ()),
    Dispatch::new(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation as *const ()),
    Dispatch::END,
];

/// The entry point, which libcrypto calls after it has loaded the library.
///
/// # Safety
/// The arguments have to be as provider-base(7) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    functions: *const Dispatch,
    out: *mut *const Dispatch,
    provider: *mut *mut c_void,
) -> c_int {
    // SAFETY: libcrypto gives a table of its functions, and room for two pointers.
    unsafe {
        let core = Box::new(Core::new(handle, functions));
        *out = FUNCTIONS.as_ptr();
        *provider = Box::into_raw(core).cast();
    }
    1
}

unsafe extern "C" fn teardown(provider: *mut c_void) {
    // SAFETY: the context was made by `OSSL_provider_init`, and libcrypto has freed all that refers to it.
    drop(unsafe { Box::from_raw(provider.cast::<Core>()) });
}

static GETTABLE: &[Param] = &[
    Param::text(OSSL_PROV_PARAM_NAME),
    Param::text(OSSL_PROV_PARAM_VERSION),
    Param::text(OSSL_PROV_PARAM_BUILDINFO),
    Param::int(OSSL_PROV_PARAM_STATUS),
    Param::END,
];

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params(provider: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the context and the parameters are libcrypto's.
    unsafe {
        (*provider.cast::<Core>()).guard(|| {
            params::each_mut(params, |key, param| match key {
                OSSL_PROV_PARAM_NAME => param.put_text(c"algkit"),
                OSSL_PROV_PARAM_VERSION | OSSL_PROV_PARAM_BUILDINFO => param.put_text(VERSION),
                OSSL_PROV_PARAM_STATUS => param.put(1),
                _ => Ok(()),
            })
        })
    }
}

unsafe extern "C" fn query_operation(_: *mut c_void, operation: c_int, no_store: *mut c_int) -> *const Algorithm {
    if !no_store.is_null() {
        // SAFETY: it is a variable of libcrypto.
        unsafe { *no_store = 0 };
    }
    match operation {
        OSSL_OP_DIGEST => digest::ALGORITHMS.as_ptr(),
        OSSL_OP_CIPHER => cipher::ALGORITHMS.as_ptr(),
        OSSL_OP_MAC => mac::ALGORITHMS.as_ptr(),
        OSSL_OP_KDF => kdf::ALGORITHMS.as_ptr(),
        OSSL_OP_RAND => rand::ALGORITHMS.as_ptr(),
        OSSL_OP_SKEYMGMT => skey::ALGORITHMS.as_ptr(),
        _ => ptr::null(),
    }
}
