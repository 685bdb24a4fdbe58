//! Key derivation functions over HMAC: HKDF, the functions of TLS, PBKDF2. [`algkit::kdf`] computes them; this module
//! handles their parameters.

use crate::{
    abi::*,
    core::Reason,
    digest::{self, Row},
    memory,
    object::{self, with},
    params,
};
use algkit::kdf;
use std::ffi::{c_int, c_void};
use zeroize::Zeroizing;

/// The algorithms that libcrypto gets.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new("HKDF\0", Functions::<HKDF>::TABLE),
    Algorithm::new("TLS13-KDF\0", Functions::<TLS13>::TABLE),
    Algorithm::new("TLS1-PRF\0", Functions::<TLS1>::TABLE),
    Algorithm::new("PBKDF2:1.2.840.113549.1.5.12\0", Functions::<PBKDF2>::TABLE),
    Algorithm::END,
];

const HKDF: u8 = 0;
const TLS13: u8 = 1;
const TLS1: u8 = 2;
const PBKDF2: u8 = 3;

/// The longest seed of TLS 1.2's PRF and the longest `info` of HKDF. Both limits are OpenSSL's.
const MAX_SEED: usize = 1024;
const MAX_INFO: usize = 32768;

/// The least bytes of salt and of key for PBKDF2, by SP 800-132 and OpenSSL. They hold if the caller has asked for the
/// checks.
const MIN_SALT: usize = 16;
const MIN_KEY: usize = 14;
const MIN_ITERATIONS: u64 = 1000;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Both,
    Extract,
    Expand,
}

#[derive(Clone, Copy)]
enum Digest {
    One(&'static Row),
    Md5Sha1,
}

type Bytes = Zeroizing<Vec<u8>>;

#[derive(Clone)]
struct Context<const KIND: u8> {
    digest: Option<Digest>,
    mode: Mode,
    /// The input keying material: a key, a secret, or a passphrase.
    key: Option<Bytes>,
    salt: Option<Bytes>,
    /// The `info` of HKDF, or the seed of the PRF of TLS.
    info: Bytes,
    prefix: Bytes,
    label: Bytes,
    data: Bytes,
    iterations: u64,
    checks: bool,
}

fn take(param: &Param) -> Result<Bytes, Reason> {
    Ok(Zeroizing::new(param.required()?.to_vec()))
}

impl<const KIND: u8> Context<KIND> {
    fn new() -> Self {
        let empty = || Zeroizing::new(Vec::new());
        Self {
            digest: if KIND == PBKDF2 { digest::named(b"SHA1").map(Digest::One) } else { None },
            mode: Mode::Both,
            key: None,
            salt: None,
            info: empty(),
            prefix: empty(),
            label: empty(),
            data: empty(),
            iterations: 2048,
            checks: false,
        }
    }

    /// # Safety
    /// `params` is NULL or a list of parameters.
    unsafe fn set(&mut self, params: *const Param) -> Result<(), Reason> {
        if params.is_null() {
            return Ok(());
        }
        let mut info: Option<Bytes> = None;
        let (mut salt, mut iterations): (Option<Bytes>, Option<u64>) = (None, None);
        if KIND == TLS13 {
            self.data.clear();
        }
        // SAFETY: as the caller promises.
        unsafe {
            params::each(params, |key, param| {
                match (KIND, key) {
                    (_, OSSL_KDF_PARAM_DIGEST) => self.digest = Some(Self::digest(param.string()?)?),
                    (HKDF | TLS13, OSSL_KDF_PARAM_MODE) => self.mode = mode(param)?,
                    (HKDF | TLS13, OSSL_KDF_PARAM_KEY) | (TLS1, OSSL_KDF_PARAM_SECRET) => {
                        self.key = Some(Zeroizing::new(param.secret()?.to_vec()));
                    }
                    (PBKDF2, OSSL_KDF_PARAM_PASSWORD) => self.key = Some(take(param)?),
                    (HKDF | TLS13 | PBKDF2, OSSL_KDF_PARAM_SALT) => salt = Some(take(param)?),
                    (HKDF, OSSL_KDF_PARAM_INFO) => {
                        // As in OpenSSL, NULL is no information, whatever length it has.
                        info.get_or_insert_default().extend_from_slice(param.bytes()?.unwrap_or_default());
                    }
                    // Each call adds to the seed.
                    (TLS1, OSSL_KDF_PARAM_SEED) => self.info.extend_from_slice(&take(param)?),
                    (TLS13, OSSL_KDF_PARAM_PREFIX) => self.prefix = take(param)?,
                    (TLS13, OSSL_KDF_PARAM_LABEL) => self.label = take(param)?,
                    (TLS13, OSSL_KDF_PARAM_DATA) => self.data = take(param)?,
                    (PBKDF2, OSSL_KDF_PARAM_PKCS5) => self.checks = param.get()? == 0,
                    (PBKDF2, OSSL_KDF_PARAM_ITER) => iterations = Some(param.get()? as u64),
                    _ => (),
                }
                Ok(())
            })?;
        }
        if let Some(info) = info {
            self.info = info;
        }
        if let Some(salt) = salt {
            self.check_salt(&salt)?;
            self.salt = Some(salt);
        }
        if let Some(iterations) = iterations {
            self.check_iterations(iterations)?;
            self.iterations = iterations;
        }
        if self.info.len() > if KIND == TLS1 { MAX_SEED } else { MAX_INFO } {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        if KIND == TLS13 && self.mode == Mode::Both {
            return Err(PROV_R_INVALID_MODE);
        }
        Ok(())
    }

    fn check_salt(&self, salt: &[u8]) -> Result<(), Reason> {
        if self.checks && salt.len() < MIN_SALT { Err(PROV_R_INVALID_SALT_LENGTH) } else { Ok(()) }
    }

    fn check_iterations(&self, iterations: u64) -> Result<(), Reason> {
        let least = if self.checks { MIN_ITERATIONS } else { 1 };
        if iterations < least { Err(PROV_R_INVALID_ITERATION_COUNT) } else { Ok(()) }
    }

    fn digest(name: &[u8]) -> Result<Digest, Reason> {
        if KIND == TLS1 && name.eq_ignore_ascii_case(b"MD5-SHA1") {
            return Ok(Digest::Md5Sha1);
        }
        digest::named(name).map(Digest::One).ok_or(PROV_R_INVALID_DIGEST)
    }

    fn row(&self) -> Result<&'static Row, Reason> {
        match self.digest {
            Some(Digest::One(row)) => Ok(row),
            _ => Err(PROV_R_MISSING_MESSAGE_DIGEST),
        }
    }

    /// HKDF-Expand-Label (RFC 8446, section 7.1).
    fn expand_label(&self, row: &'static Row, secret: &[u8], data: &[u8], out: &mut [u8]) -> Result<(), Reason> {
        let len = u16::try_from(out.len()).map_err(|_| PROV_R_INVALID_KEY_LENGTH)?.to_be_bytes();
        let label_len = u8::try_from(self.prefix.len() + self.label.len()).map_err(|_| PROV_R_INVALID_INPUT_LENGTH)?;
        let data_len = u8::try_from(data.len()).map_err(|_| PROV_R_INVALID_INPUT_LENGTH)?;
        let info: [&[u8]; 6] = [&len, &[label_len], &self.prefix, &self.label, &[data_len], data];
        kdf::hkdf_expand(&row.keyed(secret)?, &info, out).map_err(|_| PROV_R_INVALID_KEY_LENGTH)
    }

    fn derive(&self, out: &mut [u8]) -> Result<(), Reason> {
        if out.is_empty() {
            return Err(PROV_R_INVALID_KEY_LENGTH);
        }
        match KIND {
            HKDF => self.hkdf(out),
            TLS13 => self.tls13(out),
            TLS1 => self.tls1(out),
            _ => self.pbkdf2(out),
        }
    }

    fn hkdf(&self, out: &mut [u8]) -> Result<(), Reason> {
        let row = self.row()?;
        let key = self.key.as_ref().ok_or(PROV_R_MISSING_KEY)?;
        let mut secret = Zeroizing::new([0; 64]);
        let secret = &mut secret[..row.size];
        let expand = |secret: &[u8], out: &mut [u8]| {
            kdf::hkdf_expand(&row.keyed(secret)?, &[&self.info], out).map_err(|_| PROV_R_INVALID_KEY_LENGTH)
        };
        if self.mode == Mode::Expand {
            return expand(key, out);
        }
        let salt = self.salt.as_ref().map_or(&[][..], |salt| salt);
        row.keyed(salt)?.digest_into(&[key], secret).map_err(|_| PROV_R_INVALID_STATE)?;
        if self.mode == Mode::Both {
            return expand(secret, out);
        }
        if out.len() != row.size {
            return Err(PROV_R_WRONG_OUTPUT_BUFFER_SIZE);
        }
        out.copy_from_slice(secret);
        Ok(())
    }

    /// A step of TLS 1.3's key schedule (RFC 8446, section 7.1): a secret derived from the one before, or extracted
    /// from it and a new one.
    fn tls13(&self, out: &mut [u8]) -> Result<(), Reason> {
        let row = self.row()?;
        if self.mode == Mode::Expand {
            let secret = self.key.as_ref().ok_or(PROV_R_MISSING_KEY)?;
            return self.expand_label(row, secret, &self.data, out);
        }
        if out.len() != row.size {
            return Err(PROV_R_WRONG_OUTPUT_BUFFER_SIZE);
        }
        let zeros = [0; 64];
        let mut before = Zeroizing::new([0; 64]);
        let before = &mut before[..row.size];
        let salt = match &self.salt {
            Some(secret) => {
                let mut empty = [0; 64];
                let empty = &mut empty[..row.size];
                row.fresh().and_then(|fresh| fresh.digest_into(&[], empty)).map_err(|_| PROV_R_INVALID_STATE)?;
                self.expand_label(row, secret, empty, before)?;
                before
            }
            None => &[][..],
        };
        let key = self.key.as_ref().map_or(&zeros[..row.size], |key| key);
        row.keyed(salt)?.digest_into(&[key], out).map_err(|_| PROV_R_INVALID_STATE)
    }

    fn tls1(&self, out: &mut [u8]) -> Result<(), Reason> {
        let digest = self.digest.ok_or(PROV_R_MISSING_MESSAGE_DIGEST)?;
        let secret = self.key.as_ref().ok_or(PROV_R_MISSING_SECRET)?;
        if self.info.is_empty() {
            return Err(PROV_R_MISSING_SEED);
        }
        let seed: &[&[u8]] = &[&self.info];
        let done = match digest {
            Digest::One(row) => kdf::tls12_prf(&row.keyed(secret)?, seed, out),
            Digest::Md5Sha1 => kdf::tls10_prf(secret, seed, out),
        };
        done.map_err(|_| PROV_R_INVALID_STATE)
    }

    fn pbkdf2(&self, out: &mut [u8]) -> Result<(), Reason> {
        let row = self.row()?;
        let pass = self.key.as_ref().ok_or(PROV_R_MISSING_PASS)?;
        let salt = self.salt.as_ref().ok_or(PROV_R_MISSING_SALT)?;
        // They may have been set before the checks were asked for.
        self.check_salt(salt)?;
        self.check_iterations(self.iterations)?;
        if self.checks && out.len() < MIN_KEY {
            return Err(PROV_R_KEY_SIZE_TOO_SMALL);
        }
        if out.len() / row.size >= u32::MAX as usize {
            return Err(PROV_R_INVALID_KEY_LENGTH);
        }
        kdf::pbkdf2(&row.keyed(pass)?, salt, self.iterations, out).map_err(|_| PROV_R_INVALID_STATE)
    }

    /// The length of the key, if there is only one.
    fn size(&self) -> Result<usize, Reason> {
        Ok(if matches!(KIND, HKDF | TLS13) && self.mode == Mode::Extract { self.row()?.size } else { usize::MAX })
    }
}

fn mode(param: &Param) -> Result<Mode, Reason> {
    let number = if param.data_type == OSSL_PARAM_UTF8_STRING {
        let name = param.string()?;
        let names = ["EXTRACT_AND_EXPAND", "EXTRACT_ONLY", "EXPAND_ONLY"];
        names.iter().position(|other| other.as_bytes().eq_ignore_ascii_case(name))
    } else {
        param.get().ok()
    };
    match number {
        Some(0) => Ok(Mode::Both),
        Some(1) => Ok(Mode::Extract),
        Some(2) => Ok(Mode::Expand),
        _ => Err(PROV_R_INVALID_MODE),
    }
}

struct Functions<const KIND: u8>;

impl<const KIND: u8> Functions<KIND> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_KDF_NEWCTX, newctx::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_DUPCTX, object::duplicate::<Context<KIND>> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_FREECTX, object::free::<Context<KIND>> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_RESET, reset::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_DERIVE, derive::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_SET_CTX_PARAMS, set_ctx_params::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, settable_ctx_params::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_GET_CTX_PARAMS, get_ctx_params::<KIND> as *const ()),
        Dispatch::new(OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS, gettable_ctx_params as *const ()),
        Dispatch::END,
    ];

    const SETTABLE: &'static [Param] = match KIND {
        HKDF => &[
            Param::utf8(OSSL_KDF_PARAM_MODE),
            Param::int(OSSL_KDF_PARAM_MODE),
            Param::utf8(OSSL_KDF_PARAM_PROPERTIES),
            Param::utf8(OSSL_KDF_PARAM_DIGEST),
            Param::octets(OSSL_KDF_PARAM_KEY),
            Param::octets(OSSL_KDF_PARAM_SALT),
            Param::octets(OSSL_KDF_PARAM_INFO),
            Param::END,
        ],
        TLS13 => &[
            Param::utf8(OSSL_KDF_PARAM_MODE),
            Param::int(OSSL_KDF_PARAM_MODE),
            Param::utf8(OSSL_KDF_PARAM_PROPERTIES),
            Param::utf8(OSSL_KDF_PARAM_DIGEST),
            Param::octets(OSSL_KDF_PARAM_KEY),
            Param::octets(OSSL_KDF_PARAM_SALT),
            Param::octets(OSSL_KDF_PARAM_PREFIX),
            Param::octets(OSSL_KDF_PARAM_LABEL),
            Param::octets(OSSL_KDF_PARAM_DATA),
            Param::END,
        ],
        TLS1 => &[
            Param::utf8(OSSL_KDF_PARAM_PROPERTIES),
            Param::utf8(OSSL_KDF_PARAM_DIGEST),
            Param::octets(OSSL_KDF_PARAM_SECRET),
            Param::octets(OSSL_KDF_PARAM_SEED),
            Param::END,
        ],
        _ => &[
            Param::utf8(OSSL_KDF_PARAM_PROPERTIES),
            Param::utf8(OSSL_KDF_PARAM_DIGEST),
            Param::octets(OSSL_KDF_PARAM_PASSWORD),
            Param::octets(OSSL_KDF_PARAM_SALT),
            Param::size(OSSL_KDF_PARAM_ITER),
            Param::int(OSSL_KDF_PARAM_PKCS5),
            Param::END,
        ],
    };
}

unsafe extern "C" fn newctx<const KIND: u8>(provider: *mut c_void) -> *mut c_void {
    object::new(provider, Context::<KIND>::new)
}

unsafe extern "C" fn reset<const KIND: u8>(context: *mut c_void) {
    // SAFETY: libcrypto passes a context.
    unsafe {
        with::<Context<KIND>>(context, |context| {
            *context = Context::new();
            Ok(())
        });
    }
}

unsafe extern "C" fn derive<const KIND: u8>(
    context: *mut c_void,
    out: *mut u8,
    len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a context, room for as many bytes as it says, and a list of parameters.
    unsafe {
        with::<Context<KIND>>(context, |context| {
            context.set(params)?;
            context.derive(memory::room(out, len))
        })
    }
}

unsafe extern "C" fn set_ctx_params<const KIND: u8>(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe { with::<Context<KIND>>(context, |context| context.set(params)) }
}

unsafe extern "C" fn settable_ctx_params<const KIND: u8>(_: *mut c_void, _: *mut c_void) -> *const Param {
    Functions::<KIND>::SETTABLE.as_ptr()
}

unsafe extern "C" fn get_ctx_params<const KIND: u8>(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with::<Context<KIND>>(context, |context| {
            params::each_mut(params, |key, param| match key {
                OSSL_KDF_PARAM_SIZE => param.put(context.size()?),
                _ => Ok(()),
            })
        })
    }
}

static GETTABLE: &[Param] = &[Param::size(OSSL_KDF_PARAM_SIZE), Param::END];

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}
