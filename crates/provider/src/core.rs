//! The functions of libcrypto that the provider calls, and how it reports errors to libcrypto.

use crate::abi::{
    Dispatch, ERR_LIB_PROV, OSSL_FUNC_CORE_NEW_ERROR, OSSL_FUNC_CORE_SET_ERROR_DEBUG, OSSL_FUNC_CORE_VSET_ERROR,
    PROV_R_CIPHER_OPERATION_FAILED, PROV_R_INVALID_AAD, PROV_R_INVALID_INPUT_LENGTH, PROV_R_INVALID_IV_LENGTH,
    PROV_R_INVALID_KEY, PROV_R_INVALID_KEY_LENGTH, PROV_R_INVALID_STATE, PROV_R_INVALID_TAG, PROV_R_INVALID_TAG_LENGTH,
    PROV_R_NO_KEY_SET, PROV_R_NOT_SUPPORTED, PROV_R_SELF_TEST_KAT_FAILURE, PROV_R_WRONG_OUTPUT_BUFFER_SIZE,
};
use algkit::Error;
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

/// Why a function fails: one of `PROV_R_…`. libcrypto has the texts.
pub type Reason = c_uint;

/// The reason that says what algkit's error says.
#[cold]
pub fn reason(error: Error) -> Reason {
    match error {
        Error::Authentication => PROV_R_INVALID_TAG,
        Error::KeyMissing(_) => PROV_R_NO_KEY_SET,
        Error::KeyLength { .. } => PROV_R_INVALID_KEY_LENGTH,
        Error::BadKey { .. } => PROV_R_INVALID_KEY,
        Error::IvLength { .. } => PROV_R_INVALID_IV_LENGTH,
        Error::TagLength { .. } => PROV_R_INVALID_TAG_LENGTH,
        Error::TextLength { .. } => PROV_R_INVALID_INPUT_LENGTH,
        Error::AssocLength { .. } | Error::LateAssoc(_) => PROV_R_INVALID_AAD,
        Error::OutputLength { .. } => PROV_R_WRONG_OUTPUT_BUFFER_SIZE,
        Error::Ended(_) => PROV_R_INVALID_STATE,
        Error::SelfTest { .. } => PROV_R_SELF_TEST_KAT_FAILURE,
        Error::Unknown(_) | Error::NotUsable(_) | Error::TableOnly { .. } => PROV_R_NOT_SUPPORTED,
        _ => PROV_R_CIPHER_OPERATION_FAILED,
    }
}

type NewError = unsafe extern "C" fn(*const c_void);
type SetDebug = unsafe extern "C" fn(*const c_void, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`. In the calling conventions of all targets it is passed as a pointer, and it is not
/// read if the format is NULL.
type SetError = unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void);

/// A provider's context: the functions of libcrypto that it calls.
pub struct Core {
    handle: *const c_void,
    new_error: Option<NewError>,
    set_debug: Option<SetDebug>,
    set_error: Option<SetError>,
}

impl Core {
    /// # Safety
    /// `functions` is what libcrypto gave with `handle`.
    pub unsafe fn new(handle: *const c_void, mut functions: *const Dispatch) -> Self {
        let mut core = Self { handle, new_error: None, set_debug: None, set_error: None };
        // SAFETY: the table ends with the number 0, and each number stands for a function of that type
        // (core_dispatch.h).
        unsafe {
            while !functions.is_null() && (*functions).function_id != 0 {
                let function = (*functions).function;
                match (*functions).function_id {
                    OSSL_FUNC_CORE_NEW_ERROR => {
                        core.new_error = mem::transmute::<*const (), Option<NewError>>(function)
                    }
                    OSSL_FUNC_CORE_SET_ERROR_DEBUG => {
                        core.set_debug = mem::transmute::<*const (), Option<SetDebug>>(function);
                    }
                    OSSL_FUNC_CORE_VSET_ERROR => {
                        core.set_error = mem::transmute::<*const (), Option<SetError>>(function)
                    }
                    _ => (),
                }
                functions = functions.add(1);
            }
        }
        core
    }

    /// Puts an error into the thread's error queue.
    #[cold]
    fn raise(&self, reason: Reason) {
        let (Some(new_error), Some(set_error)) = (self.new_error, self.set_error) else { return };
        // SAFETY: the functions are libcrypto's, and the strings are constants.
        unsafe {
            new_error(self.handle);
            if let Some(set_debug) = self.set_debug {
                set_debug(self.handle, c"algkit".as_ptr(), 0, c"".as_ptr());
            }
            set_error(self.handle, ERR_LIB_PROV << 23 | reason, ptr::null(), ptr::null_mut());
        }
    }

    /// Runs the body of a function that libcrypto calls. Returns 1 if it succeeds, and 0 after an error or a panic.
    #[inline(always)]
    pub fn guard(&self, body: impl FnOnce() -> Result<(), Reason>) -> c_int {
        match caught(body) {
            Some(Ok(())) => 1,
            Some(Err(reason)) => {
                self.raise(reason);
                0
            }
            None => {
                self.raise(PROV_R_INVALID_STATE);
                0
            }
        }
    }
}

/// Returns the result of `body`, or `None` if it panics.
#[inline(always)]
pub fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    // The payload of a panic may panic when it is dropped, so it is not dropped.
    catch_unwind(AssertUnwindSafe(body)).map_err(mem::forget).ok()
}
