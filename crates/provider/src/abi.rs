//! The interface between libcrypto and a provider, as openssl/core.h, core_dispatch.h, core_names.h, evp.h, err.h and
//! proverr.h of OpenSSL 3.0 define it. `tests/abi.rs` compares every constant and structure with the installed headers.
//!
//! Names of parameters end with a zero byte, as C strings do.

use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

/// `OSSL_DISPATCH`: a function and its number.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dispatch {
    pub function_id: c_int,
    pub function: *const (),
}

impl Dispatch {
    pub const END: Self = Self { function_id: 0, function: ptr::null() };

    pub const fn new(function_id: c_int, function: *const ()) -> Self {
        Self { function_id, function }
    }
}

// SAFETY: what is shared are tables that nobody changes.
unsafe impl Sync for Dispatch {}

/// `OSSL_ALGORITHM`: names, properties and functions.
#[repr(C)]
pub struct Algorithm {
    pub algorithm_names: *const c_char,
    pub property_definition: *const c_char,
    pub implementation: *const Dispatch,
    pub algorithm_description: *const c_char,
}

impl Algorithm {
    pub const END: Self = Self {
        algorithm_names: ptr::null(),
        property_definition: ptr::null(),
        implementation: ptr::null(),
        algorithm_description: ptr::null(),
    };

    /// `names` ends with a zero; `implementation` ends with [`Dispatch::END`].
    pub const fn new(names: &'static str, implementation: &'static [Dispatch]) -> Self {
        Self {
            algorithm_names: names.as_ptr().cast(),
            property_definition: c"provider=algkit".as_ptr(),
            implementation: implementation.as_ptr(),
            algorithm_description: ptr::null(),
        }
    }
}

// SAFETY: what is shared are tables that nobody changes.
unsafe impl Sync for Algorithm {}

/// `OSSL_PARAM`: a named value that the caller passes, or that it asks for.
#[repr(C)]
pub struct Param {
    pub key: *const c_char,
    pub data_type: c_uint,
    pub data: *mut c_void,
    pub data_size: usize,
    pub return_size: usize,
}

// SAFETY: what is shared are descriptions that nobody changes.
unsafe impl Sync for Param {}

pub const OSSL_PARAM_INTEGER: c_uint = 1;
pub const OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
pub const OSSL_PARAM_UTF8_STRING: c_uint = 4;
pub const OSSL_PARAM_OCTET_STRING: c_uint = 5;
pub const OSSL_PARAM_UTF8_PTR: c_uint = 6;
pub const OSSL_PARAM_OCTET_PTR: c_uint = 7;

pub const OSSL_FUNC_CORE_NEW_ERROR: c_int = 5;
pub const OSSL_FUNC_CORE_SET_ERROR_DEBUG: c_int = 6;
pub const OSSL_FUNC_CORE_VSET_ERROR: c_int = 7;

pub const OSSL_FUNC_PROVIDER_TEARDOWN: c_int = 1024;
pub const OSSL_FUNC_PROVIDER_GETTABLE_PARAMS: c_int = 1025;
pub const OSSL_FUNC_PROVIDER_GET_PARAMS: c_int = 1026;
pub const OSSL_FUNC_PROVIDER_QUERY_OPERATION: c_int = 1027;

pub const OSSL_OP_DIGEST: c_int = 1;
pub const OSSL_OP_CIPHER: c_int = 2;
pub const OSSL_OP_MAC: c_int = 3;
pub const OSSL_OP_KDF: c_int = 4;
pub const OSSL_OP_RAND: c_int = 5;

pub const OSSL_FUNC_DIGEST_NEWCTX: c_int = 1;
pub const OSSL_FUNC_DIGEST_INIT: c_int = 2;
pub const OSSL_FUNC_DIGEST_UPDATE: c_int = 3;
pub const OSSL_FUNC_DIGEST_FINAL: c_int = 4;
pub const OSSL_FUNC_DIGEST_DIGEST: c_int = 5;
pub const OSSL_FUNC_DIGEST_FREECTX: c_int = 6;
pub const OSSL_FUNC_DIGEST_DUPCTX: c_int = 7;
pub const OSSL_FUNC_DIGEST_GET_PARAMS: c_int = 8;
pub const OSSL_FUNC_DIGEST_GETTABLE_PARAMS: c_int = 11;

pub const OSSL_FUNC_CIPHER_NEWCTX: c_int = 1;
pub const OSSL_FUNC_CIPHER_ENCRYPT_INIT: c_int = 2;
pub const OSSL_FUNC_CIPHER_DECRYPT_INIT: c_int = 3;
pub const OSSL_FUNC_CIPHER_UPDATE: c_int = 4;
pub const OSSL_FUNC_CIPHER_FINAL: c_int = 5;
pub const OSSL_FUNC_CIPHER_CIPHER: c_int = 6;
pub const OSSL_FUNC_CIPHER_FREECTX: c_int = 7;
pub const OSSL_FUNC_CIPHER_DUPCTX: c_int = 8;
pub const OSSL_FUNC_CIPHER_GET_PARAMS: c_int = 9;
pub const OSSL_FUNC_CIPHER_GET_CTX_PARAMS: c_int = 10;
pub const OSSL_FUNC_CIPHER_SET_CTX_PARAMS: c_int = 11;
pub const OSSL_FUNC_CIPHER_GETTABLE_PARAMS: c_int = 12;
pub const OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS: c_int = 13;
pub const OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS: c_int = 14;

pub const OSSL_FUNC_MAC_NEWCTX: c_int = 1;
pub const OSSL_FUNC_MAC_DUPCTX: c_int = 2;
pub const OSSL_FUNC_MAC_FREECTX: c_int = 3;
pub const OSSL_FUNC_MAC_INIT: c_int = 4;
pub const OSSL_FUNC_MAC_UPDATE: c_int = 5;
pub const OSSL_FUNC_MAC_FINAL: c_int = 6;
pub const OSSL_FUNC_MAC_GET_PARAMS: c_int = 7;
pub const OSSL_FUNC_MAC_GET_CTX_PARAMS: c_int = 8;
pub const OSSL_FUNC_MAC_SET_CTX_PARAMS: c_int = 9;
pub const OSSL_FUNC_MAC_GETTABLE_PARAMS: c_int = 10;
pub const OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS: c_int = 11;
pub const OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS: c_int = 12;

pub const OSSL_FUNC_KDF_NEWCTX: c_int = 1;
pub const OSSL_FUNC_KDF_DUPCTX: c_int = 2;
pub const OSSL_FUNC_KDF_FREECTX: c_int = 3;
pub const OSSL_FUNC_KDF_RESET: c_int = 4;
pub const OSSL_FUNC_KDF_DERIVE: c_int = 5;
pub const OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS: c_int = 7;
pub const OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS: c_int = 8;
pub const OSSL_FUNC_KDF_GET_CTX_PARAMS: c_int = 10;
pub const OSSL_FUNC_KDF_SET_CTX_PARAMS: c_int = 11;

pub const OSSL_FUNC_RAND_NEWCTX: c_int = 1;
pub const OSSL_FUNC_RAND_FREECTX: c_int = 2;
pub const OSSL_FUNC_RAND_INSTANTIATE: c_int = 3;
pub const OSSL_FUNC_RAND_UNINSTANTIATE: c_int = 4;
pub const OSSL_FUNC_RAND_GENERATE: c_int = 5;
pub const OSSL_FUNC_RAND_RESEED: c_int = 6;
pub const OSSL_FUNC_RAND_NONCE: c_int = 7;
pub const OSSL_FUNC_RAND_ENABLE_LOCKING: c_int = 8;
pub const OSSL_FUNC_RAND_LOCK: c_int = 9;
pub const OSSL_FUNC_RAND_UNLOCK: c_int = 10;
pub const OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS: c_int = 12;
pub const OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS: c_int = 13;
pub const OSSL_FUNC_RAND_GET_CTX_PARAMS: c_int = 15;
pub const OSSL_FUNC_RAND_SET_CTX_PARAMS: c_int = 16;
pub const OSSL_FUNC_RAND_VERIFY_ZEROIZATION: c_int = 17;
pub const OSSL_FUNC_RAND_GET_SEED: c_int = 18;
pub const OSSL_FUNC_RAND_CLEAR_SEED: c_int = 19;

pub const OSSL_PROV_PARAM_NAME: &[u8] = b"name\0";
pub const OSSL_PROV_PARAM_VERSION: &[u8] = b"version\0";
pub const OSSL_PROV_PARAM_BUILDINFO: &[u8] = b"buildinfo\0";
pub const OSSL_PROV_PARAM_STATUS: &[u8] = b"status\0";

pub const OSSL_DIGEST_PARAM_BLOCK_SIZE: &[u8] = b"blocksize\0";
pub const OSSL_DIGEST_PARAM_SIZE: &[u8] = b"size\0";
pub const OSSL_DIGEST_PARAM_XOF: &[u8] = b"xof\0";
pub const OSSL_DIGEST_PARAM_ALGID_ABSENT: &[u8] = b"algid-absent\0";

pub const OSSL_CIPHER_PARAM_PADDING: &[u8] = b"padding\0";
pub const OSSL_CIPHER_PARAM_TLS_VERSION: &[u8] = b"tls-version\0";
pub const OSSL_CIPHER_PARAM_TLS_MAC: &[u8] = b"tls-mac\0";
pub const OSSL_CIPHER_PARAM_TLS_MAC_SIZE: &[u8] = b"tls-mac-size\0";
pub const OSSL_CIPHER_PARAM_MODE: &[u8] = b"mode\0";
pub const OSSL_CIPHER_PARAM_BLOCK_SIZE: &[u8] = b"blocksize\0";
pub const OSSL_CIPHER_PARAM_AEAD: &[u8] = b"aead\0";
pub const OSSL_CIPHER_PARAM_CUSTOM_IV: &[u8] = b"custom-iv\0";
pub const OSSL_CIPHER_PARAM_CTS: &[u8] = b"cts\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK: &[u8] = b"tls-multi\0";
pub const OSSL_CIPHER_PARAM_AEAD_MAC_KEY: &[u8] = b"mackey\0";
pub const OSSL_CIPHER_PARAM_CTS_MODE: &[u8] = b"cts_mode\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_SEND_FRAGMENT: &[u8] = b"tls1multi_maxsndfrag\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_BUFSIZE: &[u8] = b"tls1multi_maxbufsz\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE: &[u8] = b"tls1multi_interleave\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD: &[u8] = b"tls1multi_aad\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN: &[u8] = b"tls1multi_aadpacklen\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC: &[u8] = b"tls1multi_enc\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN: &[u8] = b"tls1multi_encin\0";
pub const OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN: &[u8] = b"tls1multi_enclen\0";
pub const OSSL_CIPHER_PARAM_HAS_RAND_KEY: &[u8] = b"has-randkey\0";
pub const OSSL_CIPHER_PARAM_KEYLEN: &[u8] = b"keylen\0";
pub const OSSL_CIPHER_PARAM_IVLEN: &[u8] = b"ivlen\0";
pub const OSSL_CIPHER_PARAM_IV: &[u8] = b"iv\0";
pub const OSSL_CIPHER_PARAM_UPDATED_IV: &[u8] = b"updated-iv\0";
pub const OSSL_CIPHER_PARAM_NUM: &[u8] = b"num\0";
pub const OSSL_CIPHER_PARAM_AEAD_TAG: &[u8] = b"tag\0";
pub const OSSL_CIPHER_PARAM_AEAD_TLS1_AAD: &[u8] = b"tlsaad\0";
pub const OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD: &[u8] = b"tlsaadpad\0";
pub const OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED: &[u8] = b"tlsivfixed\0";
pub const OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN: &[u8] = b"tlsivgen\0";
pub const OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV: &[u8] = b"tlsivinv\0";
pub const OSSL_CIPHER_PARAM_AEAD_TAGLEN: &[u8] = b"taglen\0";

pub const OSSL_MAC_PARAM_BLOCK_SIZE: &[u8] = b"block-size\0";
pub const OSSL_MAC_PARAM_CIPHER: &[u8] = b"cipher\0";
pub const OSSL_MAC_PARAM_DIGEST: &[u8] = b"digest\0";
pub const OSSL_MAC_PARAM_DIGEST_NOINIT: &[u8] = b"digest-noinit\0";
pub const OSSL_MAC_PARAM_DIGEST_ONESHOT: &[u8] = b"digest-oneshot\0";
pub const OSSL_MAC_PARAM_IV: &[u8] = b"iv\0";
pub const OSSL_MAC_PARAM_KEY: &[u8] = b"key\0";
pub const OSSL_MAC_PARAM_PROPERTIES: &[u8] = b"properties\0";
pub const OSSL_MAC_PARAM_SIZE: &[u8] = b"size\0";
pub const OSSL_MAC_PARAM_TLS_DATA_SIZE: &[u8] = b"tls-data-size\0";

pub const OSSL_KDF_PARAM_SECRET: &[u8] = b"secret\0";
pub const OSSL_KDF_PARAM_KEY: &[u8] = b"key\0";
pub const OSSL_KDF_PARAM_SALT: &[u8] = b"salt\0";
pub const OSSL_KDF_PARAM_PASSWORD: &[u8] = b"pass\0";
pub const OSSL_KDF_PARAM_PREFIX: &[u8] = b"prefix\0";
pub const OSSL_KDF_PARAM_LABEL: &[u8] = b"label\0";
pub const OSSL_KDF_PARAM_DATA: &[u8] = b"data\0";
pub const OSSL_KDF_PARAM_DIGEST: &[u8] = b"digest\0";
pub const OSSL_KDF_PARAM_PROPERTIES: &[u8] = b"properties\0";
pub const OSSL_KDF_PARAM_ITER: &[u8] = b"iter\0";
pub const OSSL_KDF_PARAM_MODE: &[u8] = b"mode\0";
pub const OSSL_KDF_PARAM_PKCS5: &[u8] = b"pkcs5\0";
pub const OSSL_KDF_PARAM_INFO: &[u8] = b"info\0";
pub const OSSL_KDF_PARAM_SEED: &[u8] = b"seed\0";
pub const OSSL_KDF_PARAM_SIZE: &[u8] = b"size\0";

pub const OSSL_RAND_PARAM_STATE: &[u8] = b"state\0";
pub const OSSL_RAND_PARAM_STRENGTH: &[u8] = b"strength\0";
pub const OSSL_RAND_PARAM_MAX_REQUEST: &[u8] = b"max_request\0";
pub const OSSL_DRBG_PARAM_RESEED_REQUESTS: &[u8] = b"reseed_requests\0";
pub const OSSL_DRBG_PARAM_RESEED_TIME_INTERVAL: &[u8] = b"reseed_time_interval\0";
pub const OSSL_DRBG_PARAM_MIN_ENTROPYLEN: &[u8] = b"min_entropylen\0";
pub const OSSL_DRBG_PARAM_MAX_ENTROPYLEN: &[u8] = b"max_entropylen\0";
pub const OSSL_DRBG_PARAM_MIN_NONCELEN: &[u8] = b"min_noncelen\0";
pub const OSSL_DRBG_PARAM_MAX_NONCELEN: &[u8] = b"max_noncelen\0";
pub const OSSL_DRBG_PARAM_MAX_PERSLEN: &[u8] = b"max_perslen\0";
pub const OSSL_DRBG_PARAM_MAX_ADINLEN: &[u8] = b"max_adinlen\0";
pub const OSSL_DRBG_PARAM_RESEED_COUNTER: &[u8] = b"reseed_counter\0";
pub const OSSL_DRBG_PARAM_RESEED_TIME: &[u8] = b"reseed_time\0";
pub const OSSL_DRBG_PARAM_DIGEST: &[u8] = b"digest\0";
pub const OSSL_DRBG_PARAM_CIPHER: &[u8] = b"cipher\0";
pub const OSSL_DRBG_PARAM_MAC: &[u8] = b"mac\0";
pub const OSSL_DRBG_PARAM_USE_DF: &[u8] = b"use_derivation_function\0";

pub const EVP_RAND_STATE_UNINITIALISED: c_int = 0;
pub const EVP_RAND_STATE_READY: c_int = 1;
pub const EVP_RAND_STATE_ERROR: c_int = 2;

pub const EVP_CIPH_STREAM_CIPHER: c_uint = 0;
pub const EVP_CIPH_ECB_MODE: c_uint = 1;
pub const EVP_CIPH_CBC_MODE: c_uint = 2;
pub const EVP_CIPH_CFB_MODE: c_uint = 3;
pub const EVP_CIPH_OFB_MODE: c_uint = 4;
pub const EVP_CIPH_CTR_MODE: c_uint = 5;
pub const EVP_CIPH_GCM_MODE: c_uint = 6;
pub const EVP_CIPH_CCM_MODE: c_uint = 7;
pub const EVP_CIPH_XTS_MODE: c_uint = 0x10001;
pub const EVP_CIPH_WRAP_MODE: c_uint = 0x10002;

pub const ERR_LIB_PROV: c_uint = 57;
/// A reason of any library.
pub const ERR_R_PASSED_NULL_PARAMETER: c_uint = 0xc0102;
pub const PROV_R_BAD_DECRYPT: c_uint = 100;
pub const PROV_R_CIPHER_OPERATION_FAILED: c_uint = 102;
pub const PROV_R_FAILED_TO_GET_PARAMETER: c_uint = 103;
pub const PROV_R_FAILED_TO_SET_PARAMETER: c_uint = 104;
pub const PROV_R_INVALID_KEY_LENGTH: c_uint = 105;
pub const PROV_R_OUTPUT_BUFFER_TOO_SMALL: c_uint = 106;
pub const PROV_R_WRONG_FINAL_BLOCK_LENGTH: c_uint = 107;
pub const PROV_R_INVALID_AAD: c_uint = 108;
pub const PROV_R_INVALID_IV_LENGTH: c_uint = 109;
pub const PROV_R_INVALID_TAG: c_uint = 110;
pub const PROV_R_INVALID_SALT_LENGTH: c_uint = 112;
pub const PROV_R_NO_KEY_SET: c_uint = 114;
pub const PROV_R_INVALID_TAG_LENGTH: c_uint = 118;
pub const PROV_R_TAG_NOT_SET: c_uint = 119;
pub const PROV_R_TAG_NOT_NEEDED: c_uint = 120;
pub const PROV_R_INVALID_DIGEST: c_uint = 122;
pub const PROV_R_INVALID_ITERATION_COUNT: c_uint = 123;
pub const PROV_R_INVALID_MODE: c_uint = 125;
pub const PROV_R_TOO_MANY_RECORDS: c_uint = 126;
pub const PROV_R_MISSING_KEY: c_uint = 128;
pub const PROV_R_MISSING_MESSAGE_DIGEST: c_uint = 129;
pub const PROV_R_MISSING_PASS: c_uint = 130;
pub const PROV_R_MISSING_SALT: c_uint = 131;
pub const PROV_R_MISSING_SECRET: c_uint = 132;
pub const PROV_R_NOT_SUPPORTED: c_uint = 136;
pub const PROV_R_WRONG_OUTPUT_BUFFER_SIZE: c_uint = 139;
pub const PROV_R_MISSING_SEED: c_uint = 140;
pub const PROV_R_XTS_DUPLICATED_KEYS: c_uint = 149;
pub const PROV_R_INVALID_MAC: c_uint = 151;
pub const PROV_R_MISSING_CIPHER: c_uint = 155;
pub const PROV_R_INVALID_KEY: c_uint = 158;
pub const PROV_R_KEY_SIZE_TOO_SMALL: c_uint = 171;
pub const PROV_R_INSUFFICIENT_DRBG_STRENGTH: c_uint = 181;
pub const PROV_R_PARENT_LOCKING_NOT_ENABLED: c_uint = 182;
pub const PROV_R_ADDITIONAL_INPUT_TOO_LONG: c_uint = 184;
pub const PROV_R_ALREADY_INSTANTIATED: c_uint = 185;
pub const PROV_R_PARENT_CANNOT_SUPPLY_ENTROPY_SEED: c_uint = 187;
pub const PROV_R_ERROR_INSTANTIATING_DRBG: c_uint = 188;
pub const PROV_R_ERROR_RETRIEVING_ENTROPY: c_uint = 189;
pub const PROV_R_ERROR_RETRIEVING_NONCE: c_uint = 190;
pub const PROV_R_GENERATE_ERROR: c_uint = 191;
pub const PROV_R_IN_ERROR_STATE: c_uint = 192;
pub const PROV_R_NOT_INSTANTIATED: c_uint = 193;
pub const PROV_R_PARENT_STRENGTH_TOO_WEAK: c_uint = 194;
pub const PROV_R_PERSONALISATION_STRING_TOO_LONG: c_uint = 195;
pub const PROV_R_REQUEST_TOO_LARGE_FOR_DRBG: c_uint = 196;
pub const PROV_R_UNABLE_TO_LOCK_PARENT: c_uint = 201;
pub const PROV_R_UNABLE_TO_RESEED: c_uint = 204;
pub const PROV_R_INVALID_STATE: c_uint = 212;
pub const PROV_R_SELF_TEST_KAT_FAILURE: c_uint = 215;
pub const PROV_R_INVALID_DIGEST_SIZE: c_uint = 218;
pub const PROV_R_INVALID_INPUT_LENGTH: c_uint = 230;

// Since OpenSSL 3.5. An older libcrypto ignores functions whose numbers it does not know.
pub const OSSL_OP_SKEYMGMT: c_int = 15;
pub const OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT: c_int = 15;
pub const OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT: c_int = 16;
pub const OSSL_FUNC_CIPHER_PIPELINE_UPDATE: c_int = 17;
pub const OSSL_FUNC_CIPHER_PIPELINE_FINAL: c_int = 18;
pub const OSSL_FUNC_CIPHER_ENCRYPT_SKEY_INIT: c_int = 19;
pub const OSSL_FUNC_CIPHER_DECRYPT_SKEY_INIT: c_int = 20;
pub const OSSL_FUNC_MAC_INIT_SKEY: c_int = 13;
pub const OSSL_FUNC_SKEYMGMT_FREE: c_int = 1;
pub const OSSL_FUNC_SKEYMGMT_IMPORT: c_int = 2;
pub const OSSL_FUNC_SKEYMGMT_EXPORT: c_int = 3;
pub const OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS: c_int = 6;
pub const OSSL_SKEYMGMT_SELECT_SECRET_KEY: c_int = 2;
pub const OSSL_SKEY_PARAM_RAW_BYTES: &[u8] = b"raw-bytes\0";

// Since OpenSSL 4.0.
pub const OSSL_CIPHER_PARAM_ENCRYPT_THEN_MAC: &[u8] = b"encrypt-then-mac\0";
