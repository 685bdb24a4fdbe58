//! HMAC, CMAC and Poly1305, which are keyed hashes in algkit.

use super::Context;
use crate::{abi::*, cipher, core::Reason, digest, drivers, memory};
use algkit::{Hash, State, Unkeyed};
use std::{
    ptr,
    sync::{Arc, OnceLock},
};
use zeroize::Zeroize;

/// The digest or cipher that a MAC is built on.
pub trait Over: Copy + 'static {
    /// The parameter that names it.
    const PARAM: &'static [u8];
    /// The length of the MAC, if it is always the same.
    const SIZE: Option<usize> = None;
    const SETTABLE: &'static [Param];
    /// Why there is none: no name, or one that is unknown.
    const MISSING: Reason;
    const UNKNOWN: Reason;
    /// Whether a key serves one message.
    const ONE_TIME: bool = false;
    /// Whether it authenticates records of TLS.
    const RECORDS: bool = false;

    /// The choice if the caller has made none.
    fn default() -> Option<Self> {
        None
    }

    fn named(name: &[u8]) -> Option<Self>;

    /// Where its driver is kept, and its name in algkit.
    fn driver(self) -> (&'static OnceLock<Unkeyed<Hash>>, String);

    fn takes_key(self, len: usize) -> bool;

    /// The length of the MAC and of a block.
    fn sizes(self) -> (usize, usize);
}

#[derive(Clone, Copy)]
pub struct Hmac(&'static digest::Row);

impl Over for Hmac {
    const PARAM: &'static [u8] = OSSL_MAC_PARAM_DIGEST;
    const MISSING: Reason = PROV_R_MISSING_MESSAGE_DIGEST;
    const UNKNOWN: Reason = PROV_R_INVALID_DIGEST;
    const RECORDS: bool = true;
    const SETTABLE: &'static [Param] = &[
        Param::utf8(OSSL_MAC_PARAM_DIGEST),
        Param::utf8(OSSL_MAC_PARAM_PROPERTIES),
        Param::octets(OSSL_MAC_PARAM_KEY),
        Param::int(OSSL_MAC_PARAM_DIGEST_NOINIT),
        Param::int(OSSL_MAC_PARAM_DIGEST_ONESHOT),
        Param::size(OSSL_MAC_PARAM_TLS_DATA_SIZE),
        Param::END,
    ];

    fn named(name: &[u8]) -> Option<Self> {
        digest::named(name).map(Self)
    }

    fn driver(self) -> (&'static OnceLock<Unkeyed<Hash>>, String) {
        (&self.0.hmac, format!("hmac({})", self.0.name))
    }

    fn takes_key(self, _: usize) -> bool {
        true
    }

    fn sizes(self) -> (usize, usize) {
        (self.0.size, self.0.block)
    }
}

#[derive(Clone, Copy)]
pub struct Cmac(&'static cipher::Row);

impl Over for Cmac {
    const PARAM: &'static [u8] = OSSL_MAC_PARAM_CIPHER;
    const MISSING: Reason = PROV_R_MISSING_CIPHER;
    const UNKNOWN: Reason = PROV_R_INVALID_MODE;
    const SETTABLE: &'static [Param] = &[
        Param::utf8(OSSL_MAC_PARAM_CIPHER),
        Param::utf8(OSSL_MAC_PARAM_PROPERTIES),
        Param::octets(OSSL_MAC_PARAM_KEY),
        Param::END,
    ];

    fn named(name: &[u8]) -> Option<Self> {
        cipher::named(name, EVP_CIPH_CBC_MODE).map(Self)
    }

    fn driver(self) -> (&'static OnceLock<Unkeyed<Hash>>, String) {
        (&self.0.cmac, self.0.name.replace("cbc", "cmac"))
    }

    fn takes_key(self, len: usize) -> bool {
        len == self.0.key
    }

    fn sizes(self) -> (usize, usize) {
        (self.0.block, self.0.block)
    }
}

#[derive(Clone, Copy)]
pub struct Poly1305;

impl Over for Poly1305 {
    const PARAM: &'static [u8] = b"";
    const MISSING: Reason = PROV_R_INVALID_STATE;
    const UNKNOWN: Reason = PROV_R_INVALID_STATE;
    const SIZE: Option<usize> = Some(16);
    const SETTABLE: &'static [Param] = &[Param::octets(OSSL_MAC_PARAM_KEY), Param::END];
    const ONE_TIME: bool = true;

    fn default() -> Option<Self> {
        Some(Self)
    }

    fn named(_: &[u8]) -> Option<Self> {
        None
    }

    fn driver(self) -> (&'static OnceLock<Unkeyed<Hash>>, String) {
        static DRIVER: OnceLock<Unkeyed<Hash>> = OnceLock::new();
        (&DRIVER, "poly1305".into())
    }

    fn takes_key(self, len: usize) -> bool {
        len == 32
    }

    fn sizes(self) -> (usize, usize) {
        (16, 16)
    }
}

/// The longest MAC in bytes.
const MAX_MAC: usize = 64;

/// The bytes before a record: its number, type, version and length.
const TLS_HEADER: usize = 13;

#[derive(Clone)]
pub struct Hashed<O> {
    over: Option<O>,
    /// A state that has absorbed nothing.
    key: Option<Arc<State>>,
    state: Option<State>,
    running: bool,
    /// Whether the message has begun.
    updated: bool,
    /// The length of a decrypted record of TLS with its MAC and padding, or 0 for other messages.
    tls_size: usize,
    tls_mac: [u8; MAX_MAC],
    tls_done: bool,
}

impl<O: Over> Hashed<O> {
    /// Computes the MAC of a record. The first call has the header. The second has the text, whose length is secret,
    /// followed by the MAC of the record and the padding.
    ///
    /// # Safety
    /// The data has the length of the header in the first call, and of the record in the second.
    unsafe fn record(&mut self, data: *const u8, len: usize) -> Result<(), Reason> {
        let size = self.over.map_or(0, |over| over.sizes().0);
        let state = self.state.as_mut().ok_or(PROV_R_NO_KEY_SET)?;
        if !self.updated {
            if len != TLS_HEADER {
                return Err(PROV_R_INVALID_INPUT_LENGTH);
            }
            // SAFETY: as the caller promises.
            state.update(unsafe { memory::source(data, len)? });
            self.updated = true;
            return Ok(());
        }
        // SAFETY: as the caller promises.
        let record = unsafe { memory::source(data, self.tls_size)? };
        let least = self.tls_size.saturating_sub(size + 256);
        state.digest_within(record, least, len, &mut self.tls_mac[..size]).map_err(|_| PROV_R_INVALID_STATE)?;
        self.tls_done = true;
        Ok(())
    }
}

impl<O: Over> Context for Hashed<O> {
    const SIZE: Option<usize> = O::SIZE;
    const SETTABLE: &'static [Param] = O::SETTABLE;

    fn new() -> Self {
        Self {
            over: O::default(),
            key: None,
            state: None,
            running: false,
            updated: false,
            tls_size: 0,
            tls_mac: [0; MAX_MAC],
            tls_done: false,
        }
    }

    fn choose(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        if key == O::PARAM {
            let over = O::named(param.string()?).ok_or(O::UNKNOWN)?;
            // The same choice again keeps the key.
            if !self.over.is_some_and(|old| ptr::eq(old.driver().0, over.driver().0)) {
                (self.over, self.key, self.running) = (Some(over), None, false);
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        if O::RECORDS && key == OSSL_MAC_PARAM_TLS_DATA_SIZE {
            self.tls_size = param.get()?;
        }
        Ok(())
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), Reason> {
        let over = self.over.ok_or(O::MISSING)?;
        (self.key, self.running) = (None, false);
        if !over.takes_key(key.len()) {
            return Err(PROV_R_INVALID_KEY_LENGTH);
        }
        let (driver, name) = over.driver();
        self.key = Some(Arc::new(drivers::keyed::<Hash>(driver, || name, key)?.start()));
        Ok(())
    }

    fn begin(&mut self, rekeyed: bool) -> Result<(), Reason> {
        let key = self.key.as_ref().ok_or(PROV_R_NO_KEY_SET)?;
        if O::ONE_TIME && self.updated && !rekeyed {
            return Err(PROV_R_NO_KEY_SET);
        }
        match &mut self.state {
            Some(state) => state.clone_from(key),
            place => *place = Some(State::clone(key)),
        }
        (self.running, self.updated, self.tls_done) = (true, false, false);
        Ok(())
    }

    unsafe fn update(&mut self, data: *const u8, len: usize) -> Result<(), Reason> {
        if !self.running {
            return Err(PROV_R_NO_KEY_SET);
        }
        if O::RECORDS && self.tls_size > 0 {
            // SAFETY: as the caller promises.
            return unsafe { self.record(data, len) };
        }
        // SAFETY: as the caller promises.
        let data = unsafe { memory::source(data, len)? };
        self.state.as_mut().ok_or(PROV_R_NO_KEY_SET)?.update(data);
        self.updated = true;
        Ok(())
    }

    fn finish(&mut self, out: &mut [u8]) -> Result<usize, Reason> {
        let (size, _) = self.sizes();
        let out = out.get_mut(..size).ok_or(PROV_R_OUTPUT_BUFFER_TOO_SMALL)?;
        let state = self.state.as_ref().filter(|_| self.running).ok_or(PROV_R_NO_KEY_SET)?;
        if O::RECORDS && self.tls_size > 0 {
            if !self.tls_done {
                return Err(PROV_R_INVALID_STATE);
            }
            out.copy_from_slice(&self.tls_mac[..size]);
            self.tls_mac.zeroize();
        } else {
            state.digest_into(&[], out).map_err(|_| PROV_R_INVALID_STATE)?;
        }
        (self.running, self.updated) = (false, true);
        Ok(size)
    }

    fn sizes(&self) -> (usize, usize) {
        self.over.map_or((0, 0), Over::sizes)
    }
}
