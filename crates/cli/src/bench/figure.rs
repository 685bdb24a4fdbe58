//! A measured figure and the formatting of its parts.

use super::{measure::Times, work::Op};
use algkit::Type;
use serde::Serialize;

/// The message size in bytes for which speeds are given.
pub const MESSAGE: usize = 4096;

/// The message size in bytes for which the time of a call is given.
pub const SMALL: usize = 16;

/// A measured figure, as in `--json`.
#[derive(Serialize, Clone, Debug)]
pub struct Figure {
    pub name: String,
    pub driver: String,
    pub key_bits: u32,
    pub op: Op,
    /// The message size in bytes.
    pub size: usize,
    pub threads: usize,
    /// The size of each thread's working set in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<usize>,
    /// The speed of all threads together, in MiB/s.
    pub mib_s: f64,
    /// The time of a call in nanoseconds: of the fastest slice, or with `--long` the mean of the passes.
    pub ns_op: f64,
    /// The median of the slices or passes, in nanoseconds per call.
    pub ns_median: f64,
    /// With `--long`, whether other work disturbed the passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<bool>,
    #[serde(skip)]
    pub times: Times,
    #[serde(skip)]
    pub kind: Type,
    /// A remark about the driver's timing.
    #[serde(skip)]
    pub mark: &'static str,
}

impl Figure {
    /// The value on the axis of a chart in bytes: the working set if there is one, else the message size.
    pub fn along(&self) -> usize {
        self.working_set.unwrap_or(self.size)
    }
}

/// The speed in MiB/s for `bytes` in `ns` nanoseconds.
pub fn mib_s(bytes: usize, ns: f64) -> f64 {
    bytes as f64 / ns * 1e9 / f64::from(1 << 20)
}

/// The key length; a dash for a hash without a key.
pub fn bits(key_bits: u32) -> String {
    if key_bits == 0 { "–".to_owned() } else { format!("{key_bits}b") }
}

/// A short form of a size: 16, 1350, 4K, 1M.
pub fn human(size: usize) -> String {
    match size {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{}M", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{}K", n >> 10),
        n => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!([16, 1350, 4096, 1 << 20].map(human), ["16", "1350", "4K", "1M"]);
    }
}
