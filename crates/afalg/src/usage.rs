//! What was done, by algorithm and driver.

use crate::service::{self, tell};
use algkit::Driver;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

/// What a socket or session has done.
#[derive(Debug)]
pub(crate) struct Usage {
    key: Key,
    counted: Count,
}

/// Type, algorithm and driver.
type Key = (String, String, String);

/// Sockets or sessions that were opened, requests, and bytes that went through them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    opened: u64,
    requests: u64,
    bytes: u64,
}

static TOTALS: Mutex<BTreeMap<Key, Count>> = Mutex::new(BTreeMap::new());

impl Usage {
    /// That of a socket or session that is opened now, if anybody wants to know.
    pub(crate) fn open(driver: &Driver) -> Option<Self> {
        let settings = service::settings();
        if !settings.counts && settings.level < 3 {
            return None;
        }
        tell(3, format_args!("opened {} ({})", driver.name, driver.driver));
        let key = (driver.kind.to_string(), driver.name.to_string(), driver.driver.to_string());
        Some(Self { key, counted: Count { opened: 1, ..Count::default() } })
    }

    /// A request is done.
    #[inline]
    pub(crate) fn request(&mut self) {
        self.counted.requests += 1;
    }

    /// Bytes went through.
    #[inline]
    pub(crate) fn bytes(&mut self, n: usize) {
        self.counted.bytes += n as u64;
    }

    /// Adds what was counted to the totals of the process, and begins anew.
    pub(crate) fn settle(&mut self) {
        let Count { opened, requests, bytes } = std::mem::take(&mut self.counted);
        let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.entry(self.key.clone()).or_default();
        total.opened += opened;
        total.requests += requests;
        total.bytes += bytes;
    }

    /// Begins anew.
    pub(crate) fn forget(&mut self) {
        self.counted = Count::default();
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        let (_, name, driver) = &self.key;
        tell(3, format_args!("closed {name} ({driver}) after {} requests", self.counted.requests));
        self.settle();
    }
}

/// A line for each type, algorithm and driver: how many sockets or sessions were opened, how many requests they did, and the bytes.
/// Nothing if nothing was done. What is still open counts when a front end has [settled](crate::File::settle) it.
pub fn report() -> String {
    let totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = String::new();
    for ((kind, name, driver), Count { opened, requests, bytes }) in &*totals {
        let _ =
            writeln!(text, "{kind:8} {name:24} {driver:32} {opened:8} opened {requests:10} requests {bytes:14} bytes");
    }
    text
}

/// Forgets what was counted: in the child of a `fork`, which counts for itself.
pub fn forget() {
    TOTALS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
