//! Secret keys as objects (`EVP_SKEY`, OpenSSL 3.5). A key is a string of bytes, with which ciphers and MACs can be
//! initialized. An older libcrypto does not use them.

use crate::{
    abi::*,
    core::{Reason, caught},
    object, params,
};
use std::{
    ffi::{c_int, c_void},
    ptr,
};
use zeroize::Zeroizing;

/// The types of keys that libcrypto gets.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new("AES\0", Functions::<true>::TABLE),
    Algorithm::new("GENERIC-SECRET\0", Functions::<false>::TABLE),
    Algorithm::END,
];

/// A key. A key of type `AES` has a length of AES keys.
pub struct Key {
    bytes: Zeroizing<Vec<u8>>,
}

impl Key {
    /// The bytes of the key of a cipher or MAC; `None` if there is none.
    ///
    /// # Safety
    /// `key` is NULL or what `import` made.
    pub unsafe fn bytes<'a>(key: *const c_void) -> Option<&'a [u8]> {
        // SAFETY: as the caller promises.
        unsafe { object::get::<Self>(key) }.map(|key| &key.bytes[..])
    }
}

struct Functions<const AES: bool>;

impl<const AES: bool> Functions<AES> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_SKEYMGMT_FREE, object::free::<Key> as *const ()),
        Dispatch::new(OSSL_FUNC_SKEYMGMT_IMPORT, import::<AES> as *const ()),
        Dispatch::new(OSSL_FUNC_SKEYMGMT_EXPORT, export as *const ()),
        Dispatch::new(OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS, settable as *const ()),
        Dispatch::END,
    ];
}

unsafe extern "C" fn import<const AES: bool>(
    provider: *mut c_void,
    selection: c_int,
    params: *const Param,
) -> *mut c_void {
    let imported = caught(|| {
        let mut bytes = None;
        // SAFETY: libcrypto passes a list of parameters.
        let taken: Result<(), Reason> = unsafe {
            params::each(params, |key, param| {
                if key == OSSL_SKEY_PARAM_RAW_BYTES {
                    bytes = Some(Zeroizing::new(param.required()?.to_vec()));
                }
                Ok(())
            })
        };
        let bytes = bytes.filter(|_| taken.is_ok() && selection & OSSL_SKEYMGMT_SELECT_SECRET_KEY != 0)?;
        (!AES || matches!(bytes.len(), 16 | 24 | 32)).then_some(Key { bytes })
    });
    imported.flatten().map_or(ptr::null_mut(), |key| object::new(provider, || key))
}

type Callback = unsafe extern "C" fn(*const Param, *mut c_void) -> c_int;

unsafe extern "C" fn export(key: *mut c_void, selection: c_int, callback: Callback, argument: *mut c_void) -> c_int {
    // SAFETY: `import` made the key, and the callback is libcrypto's, which does not change it.
    unsafe {
        let Some(bytes) = Key::bytes(key).filter(|_| selection & OSSL_SKEYMGMT_SELECT_SECRET_KEY != 0) else {
            return 0;
        };
        let mut param = Param::octets(OSSL_SKEY_PARAM_RAW_BYTES);
        (param.data, param.data_size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
        callback([param, Param::END].as_ptr(), argument)
    }
}

static SETTABLE: &[Param] = &[Param::octets(OSSL_SKEY_PARAM_RAW_BYTES), Param::END];

unsafe extern "C" fn settable(_: *mut c_void) -> *const Param {
    SETTABLE.as_ptr()
}
