//! One figure, and how its parts are written.

use super::{measure::Times, work::Op};
use algkit::Type;
use serde::Serialize;

/// The message that speeds are given for, in bytes.
pub const MESSAGE: usize = 4096;

/// The message whose price is given in nanoseconds, in bytes.
pub const SMALL: usize = 16;

/// One figure, as `--json` gives it.
#[derive(Serialize, Clone, Debug)]
pub struct Figure {
    pub name: String,
    pub driver: String,
    pub key_bits: u32,
    pub op: Op,
    /// Bytes in a message.
    pub size: usize,
    pub threads: usize,
    /// Bytes that the messages of a thread are spread over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<usize>,
    /// 2^20 bytes a second, all threads together.
    pub mib_s: f64,
    /// Nanoseconds for a call: in the fastest slice, or with `--long` the mean over the passes.
    pub ns_op: f64,
    /// The median over the slices or passes.
    pub ns_median: f64,
    /// With `--long`, whether other work disturbed the passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<bool>,
    #[serde(skip)]
    pub times: Times,
    #[serde(skip)]
    pub kind: Type,
    /// What to say of the driver's timing.
    #[serde(skip)]
    pub mark: &'static str,
}

impl Figure {
    /// Bytes along the axis of a chart: of the working set if there are any, or else of a message.
    pub fn along(&self) -> usize {
        self.working_set.unwrap_or(self.size)
    }
}

/// 2^20 bytes a second, of `bytes` in `ns` nanoseconds.
pub fn mib_s(bytes: usize, ns: f64) -> f64 {
    bytes as f64 / ns * 1e9 / f64::from(1 << 20)
}

/// A key's length; a plain hash has none.
pub fn bits(key_bits: u32) -> String {
    if key_bits == 0 { "–".to_owned() } else { format!("{key_bits}b") }
}

/// 16, 1350, 4K, 1M.
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
