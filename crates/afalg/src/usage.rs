//! Usage statistics by client, algorithm and driver.

use crate::service::{self, log_of};
use algkit::Driver;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

/// The counts of a socket or session.
#[derive(Debug)]
pub(crate) struct Usage {
    key: Key,
    counted: Count,
    /// The part of `counted` that is already in the totals.
    settled: Count,
}

/// The key of a line in the report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    /// The client that opened it; empty if the front end serves one process only.
    client: String,
    kind: String,
    name: String,
    driver: String,
}

/// The number of sockets or sessions opened, of requests, and of bytes processed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    opened: u64,
    requests: u64,
    bytes: u64,
}

/// The maximum number of lines. Later keys share one line, so that a program that starts others without end does
/// not use memory without bound.
const MAX_LINES: usize = 4096;

static TOTALS: Mutex<BTreeMap<Key, Count>> = Mutex::new(BTreeMap::new());

impl Usage {
    /// Starts counting for a socket or session that is being opened; `None` if nobody asked for statistics or
    /// messages.
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
        log_of(|| self.key.client.clone(), 3, line);
    }

    /// Counts one request.
    #[inline]
    pub(crate) fn request(&mut self) {
        self.counted.requests += 1;
    }

    /// Counts `n` bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, n: usize) {
        self.counted.bytes += n as u64;
    }

    /// Adds the counts since the last call to the totals of the process.
    pub(crate) fn settle(&mut self) {
        let (now, before) = (self.counted, std::mem::replace(&mut self.settled, self.counted));
        if now == before {
            return;
        }
        let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
        let key = if totals.len() < MAX_LINES || totals.contains_key(&self.key) { self.key.clone() } else { others() };
        let total = totals.entry(key).or_default();
        total.opened += now.opened - before.opened;
        total.requests += now.requests - before.requests;
        total.bytes += now.bytes - before.bytes;
    }

    /// Resets the counts.
    pub(crate) fn forget(&mut self) {
        self.counted = Count::default();
        self.settled = Count::default();
    }
}

/// The key of the shared line.
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

/// The report: a line per client, type, algorithm and driver, with the number of sockets or sessions opened, of
/// requests and of bytes, in columns. Empty if nothing was used. Open files are included after a front end has
/// [settled](crate::File::settle) them.
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

/// Resets the totals. For the child of a `fork`, which counts separately.
pub fn forget() {
    TOTALS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_uses_nothing_has_no_line() {
        let usage = |name: &str| {
            let [client, kind, driver] = ["program[1]", "hash", "sha256-generic"].map(str::to_owned);
            let counted = Count { opened: 1, ..Count::default() };
            Usage { key: Key { client, kind, name: name.to_owned(), driver }, counted, settled: Count::default() }
        };
        drop(usage("of-parent"));
        let mut inherited = usage("of-child");
        inherited.forget();
        drop(inherited);
        let report = report();
        assert!(report.contains("of-parent") && !report.contains("of-child"), "{report}");
    }
}
