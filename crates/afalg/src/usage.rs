//! What was done, by client, algorithm and driver.

use crate::service::{self, tell_of};
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
    /// What of it the totals have already.
    settled: Count,
}

/// A line of the report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    /// Who opened it; empty where all is for one process.
    client: String,
    kind: String,
    name: String,
    driver: String,
}

/// Sockets or sessions that were opened, requests, and bytes that went through them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    opened: u64,
    requests: u64,
    bytes: u64,
}

/// Lines that are kept. What comes later is counted together: a program that starts others without end gets no memory for it.
const MAX_LINES: usize = 4096;

static TOTALS: Mutex<BTreeMap<Key, Count>> = Mutex::new(BTreeMap::new());

impl Usage {
    /// That of a socket or session that is opened now, if anybody wants to know.
    pub(crate) fn open(driver: &Driver) -> Option<Self> {
        let settings = service::settings();
        if !settings.counts && settings.level < 3 {
            return None;
        }
        let key = Key {
            client: service::client(),
            kind: driver.kind.to_string(),
            name: driver.name.to_string(),
            driver: driver.driver.to_string(),
        };
        let usage = Self { key, counted: Count { opened: 1, ..Count::default() }, settled: Count::default() };
        usage.tell(format_args!("opened {} ({})", driver.name, driver.driver));
        Some(usage)
    }

    fn tell(&self, line: std::fmt::Arguments<'_>) {
        tell_of(|| self.key.client.clone(), 3, line);
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

    /// Adds to the totals of the process what was counted since it did that last.
    pub(crate) fn settle(&mut self) {
        let (now, before) = (self.counted, std::mem::replace(&mut self.settled, self.counted));
        let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
        let key = if totals.len() < MAX_LINES || totals.contains_key(&self.key) { self.key.clone() } else { others() };
        let total = totals.entry(key).or_default();
        total.opened += now.opened - before.opened;
        total.requests += now.requests - before.requests;
        total.bytes += now.bytes - before.bytes;
    }

    /// Begins anew.
    pub(crate) fn forget(&mut self) {
        self.counted = Count::default();
        self.settled = Count::default();
    }
}

/// The line of what has none of its own.
fn others() -> Key {
    Key { client: "others".into(), kind: "*".into(), name: "*".into(), driver: "*".into() }
}

impl Drop for Usage {
    fn drop(&mut self) {
        let Key { name, driver, .. } = &self.key;
        self.tell(format_args!("closed {name} ({driver}) after {} requests", self.counted.requests));
        self.settle();
    }
}

/// A line for each client, type, algorithm and driver: how many sockets or sessions were opened, how many requests they did, and the
/// bytes, in columns. Nothing if nothing was done. What is still open counts when a front end has [settled](crate::File::settle) it.
pub fn report() -> String {
    let totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = totals.iter().map(|(Key { client, kind, name, driver }, Count { opened, requests, bytes })| {
        let client = if client.is_empty() { String::new() } else { format!("{client}: ") };
        [
            client,
            kind.clone(),
            name.clone(),
            driver.clone(),
            opened.to_string(),
            requests.to_string(),
            bytes.to_string(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let [w0, w1, w2, w3, w4, w5, w6] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for [client, kind, name, driver, opened, requests, bytes] in &rows {
        let _ = writeln!(
            text,
            "{client:w0$}{kind:w1$} {name:w2$} {driver:w3$} {opened:>w4$} opened {requests:>w5$} requests {bytes:>w6$} bytes",
        );
    }
    text
}

/// Forgets what was counted: in the child of a `fork`, which counts for itself.
pub fn forget() {
    TOTALS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
