//! Where a generator's entropy comes from: its parent in libcrypto's tree.

use crate::{abi::*, core::Reason, memory};
use std::{
    ffi::{c_int, c_uint, c_void},
    mem, ptr,
};
use zeroize::Zeroizing;

/// The most bytes of a personalization string, an additional input, entropy or a nonce.
pub(super) const MAX_INPUT: usize = 1 << 30;

type Locking = unsafe extern "C" fn(*mut c_void) -> c_int;
type Unlock = unsafe extern "C" fn(*mut c_void);
type Nonce = unsafe extern "C" fn(*mut c_void, *mut u8, c_uint, usize, usize) -> usize;
type GetParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
type GetSeed = unsafe extern "C" fn(*mut c_void, *mut *mut u8, c_int, usize, usize, c_int, *const u8, usize) -> usize;
type ClearSeed = unsafe extern "C" fn(*mut c_void, *mut u8, usize);

/// The parent, from which entropy comes: a generator or a seed source of any provider.
pub(super) struct Parent {
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
    pub(super) unsafe fn new(context: *mut c_void, mut calls: *const Dispatch) -> Option<Self> {
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

    /// Enables the parent's locks, if it has any.
    pub(super) fn enable_locking(&self) -> Result<(), Reason> {
        match self.enable_locking {
            // SAFETY: the function is the context's, which lives as long as this one.
            Some(enable) if unsafe { enable(self.context) } == 0 => Err(PROV_R_PARENT_LOCKING_NOT_ENABLED),
            _ => Ok(()),
        }
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
    pub(super) fn entropy(
        &self,
        strength: usize,
        with_nonce: bool,
        resistant: bool,
    ) -> Result<Zeroizing<Vec<u8>>, Reason> {
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
    pub(super) fn seed_number(&self) -> c_uint {
        self.ask(OSSL_DRBG_PARAM_RESEED_COUNTER).unwrap_or(0)
    }
}
