//! Digests.

use crate::{
    abi::*,
    core::{Core, Reason, caught},
    drivers, fork, memory,
    object::{self, with},
    params,
};
use algkit::{Error, Hash, State, Unkeyed};
use std::{
    ffi::{c_int, c_void},
    sync::OnceLock,
};

pub struct Row {
    /// The name in algkit, and the names in OpenSSL.
    pub name: &'static str,
    names: &'static str,
    /// Lengths in bytes.
    pub size: usize,
    pub block: usize,
    /// A state that has absorbed nothing, made when the algorithm is first used.
    fresh: OnceLock<State>,
    /// The driver of the HMAC over this digest, looked up when it is first used.
    pub hmac: OnceLock<Unkeyed<Hash>>,
}

/// The row that has this name.
pub fn named(name: &[u8]) -> Option<&'static Row> {
    DIGESTS.iter().find(|row| params::is_among(name, row.names))
}

impl Row {
    /// The HMAC over this digest, with a key.
    pub fn keyed(&'static self, key: &[u8]) -> Result<Hash, Reason> {
        drivers::keyed(&self.hmac, || format!("hmac({})", self.name), key)
    }

    /// A state that has absorbed nothing.
    pub fn fresh(&self) -> Result<&State, Error> {
        if let Some(fresh) = self.fresh.get() {
            return Ok(fresh);
        }
        let _guard = fork::kept_away();
        let fresh = algkit::hash(self.name)?.unkeyed()?.start();
        Ok(self.fresh.get_or_init(|| fresh))
    }
}

macro_rules! digests {
    ($($id:ident $size:literal $block:literal $name:literal $names:literal;)*) => {
        #[allow(non_camel_case_types, reason = "the names of the algorithms")]
        enum Id { $($id),* }

        /// The rows, in the order of [`ALGORITHMS`].
        static DIGESTS: [Row; [$(stringify!($id)),*].len()] =
            [$(Row {
                name: $name,
                names: $names,
                size: $size,
                block: $block,
                fresh: OnceLock::new(),
                hmac: OnceLock::new(),
            }),*];

        /// The algorithms that libcrypto gets.
        pub static ALGORITHMS: &[Algorithm] =
            &[$(Algorithm::new(concat!($names, "\0"), Functions::<{ Id::$id as usize }>::TABLE),)* Algorithm::END];
    };
}

digests! {
    // id, and in bytes: digest, block; the names in algkit and in OpenSSL
    SHA1 20 64 "sha1" "SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26";
    SHA2_224 28 64 "sha224" "SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4";
    SHA2_256 32 64 "sha256" "SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1";
    SHA2_384 48 128 "sha384" "SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2";
    SHA2_512_224 28 128 "sha512-224" "SHA2-512/224:SHA-512/224:SHA512-224:2.16.840.1.101.3.4.2.5";
    SHA2_512_256 32 128 "sha512-256" "SHA2-512/256:SHA-512/256:SHA512-256:2.16.840.1.101.3.4.2.6";
    SHA2_512 64 128 "sha512" "SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3";
    SHA3_224 28 144 "sha3-224" "SHA3-224:2.16.840.1.101.3.4.2.7";
    SHA3_256 32 136 "sha3-256" "SHA3-256:2.16.840.1.101.3.4.2.8";
    SHA3_384 48 104 "sha3-384" "SHA3-384:2.16.840.1.101.3.4.2.9";
    SHA3_512 64 72 "sha3-512" "SHA3-512:2.16.840.1.101.3.4.2.10";
    BLAKE2S_256 32 64 "blake2s-256" "BLAKE2S-256:BLAKE2s256:1.3.6.1.4.1.1722.12.2.2.8";
    BLAKE2B_512 64 128 "blake2b-512" "BLAKE2B-512:BLAKE2b512:1.3.6.1.4.1.1722.12.2.1.16";
    SM3 32 64 "sm3" "SM3:1.2.156.10197.1.401";
    MD5 16 64 "md5" "MD5:SSL3-MD5:1.2.840.113549.2.5";
    RIPEMD_160 20 64 "rmd160" "RIPEMD-160:RIPEMD160:RIPEMD:RMD160:1.3.36.3.2.1";
}

/// A message in progress. The first initialization makes the state; later ones reset it.
#[derive(Clone)]
struct Context {
    row: &'static Row,
    state: Option<State>,
    running: bool,
}

struct Functions<const ROW: usize>;

impl<const ROW: usize> Functions<ROW> {
    const TABLE: &'static [Dispatch] = &[
        Dispatch::new(OSSL_FUNC_DIGEST_NEWCTX, newctx::<ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_FREECTX, object::free::<Context> as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_DUPCTX, object::duplicate::<Context> as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_INIT, init as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_UPDATE, update as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_FINAL, finish as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_DIGEST, digest::<ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_GET_PARAMS, get_params::<ROW> as *const ()),
        Dispatch::new(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, gettable_params as *const ()),
        Dispatch::END,
    ];
}

unsafe extern "C" fn newctx<const ROW: usize>(provider: *mut c_void) -> *mut c_void {
    object::new(provider, || Context { row: &DIGESTS[ROW], state: None, running: false })
}

unsafe extern "C" fn init(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: libcrypto passes a context and a list of parameters.
    unsafe {
        with::<Context>(context, |context| {
            // The caller has room for the length that it asks for, which OpenSSL's own BLAKE2B-512 has since 3.2.
            params::each(params, |key, param| match key {
                OSSL_DIGEST_PARAM_SIZE if param.get()? != context.row.size => Err(PROV_R_INVALID_DIGEST_SIZE),
                _ => Ok(()),
            })?;
            let fresh = context.row.fresh().map_err(|_| PROV_R_INVALID_STATE)?;
            match &mut context.state {
                Some(state) => state.clone_from(fresh),
                place => *place = Some(fresh.clone()),
            }
            context.running = true;
            Ok(())
        })
    }
}

unsafe extern "C" fn update(context: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: libcrypto passes a context and as many bytes as it says.
    unsafe {
        with::<Context>(context, |context| {
            let state = context.state.as_mut().filter(|_| context.running).ok_or(PROV_R_INVALID_STATE)?;
            state.update(memory::source(data, len)?);
            Ok(())
        })
    }
}

unsafe extern "C" fn finish(context: *mut c_void, out: *mut u8, out_len: *mut usize, out_size: usize) -> c_int {
    // SAFETY: libcrypto passes a context, room for as many bytes as it says, and a number to write.
    unsafe {
        with::<Context>(context, |context| {
            let (size, out) = (context.row.size, memory::room(out, out_size));
            let out = out.get_mut(..size).ok_or(PROV_R_OUTPUT_BUFFER_TOO_SMALL)?;
            let state = context.state.as_mut().filter(|_| context.running).ok_or(PROV_R_INVALID_STATE)?;
            context.running = false;
            state.digest_into(&[], out).map_err(|_| PROV_R_INVALID_STATE)?;
            *out_len = size;
            Ok(())
        })
    }
}

unsafe extern "C" fn digest<const ROW: usize>(
    provider: *mut c_void,
    data: *const u8,
    len: usize,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    // SAFETY: libcrypto passes the provider, as many bytes and room for as many as it says, and a number to write.
    unsafe {
        (*provider.cast::<Core>()).guard(|| {
            let row = &DIGESTS[ROW];
            let out = memory::room(out, out_size).get_mut(..row.size).ok_or(PROV_R_OUTPUT_BUFFER_TOO_SMALL)?;
            let fresh = row.fresh().map_err(|_| PROV_R_INVALID_STATE)?;
            fresh.digest_into(&[memory::source(data, len)?], out).map_err(|_| PROV_R_INVALID_STATE)?;
            *out_len = row.size;
            Ok(())
        })
    }
}

static GETTABLE: &[Param] = &[
    Param::size(OSSL_DIGEST_PARAM_BLOCK_SIZE),
    Param::size(OSSL_DIGEST_PARAM_SIZE),
    Param::int(OSSL_DIGEST_PARAM_XOF),
    Param::int(OSSL_DIGEST_PARAM_ALGID_ABSENT),
    Param::END,
];

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params<const ROW: usize>(params: *mut Param) -> c_int {
    let row = &DIGESTS[ROW];
    // SHA digests have no parameters in an AlgorithmIdentifier (RFC 5754, section 2).
    let absent = row.name.starts_with("sha");
    let answered = caught(|| {
        // SAFETY: libcrypto passes a list of parameters.
        unsafe {
            params::each_mut(params, |key, param| match key {
                OSSL_DIGEST_PARAM_BLOCK_SIZE => param.put(row.block),
                OSSL_DIGEST_PARAM_SIZE => param.put(row.size),
                OSSL_DIGEST_PARAM_XOF => param.put(0),
                OSSL_DIGEST_PARAM_ALGID_ABSENT => param.put(usize::from(absent)),
                _ => Ok(()),
            })
        }
    });
    c_int::from(matches!(answered, Some(Ok(()))))
}
