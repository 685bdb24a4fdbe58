//! The targets for algkit's speed.

use crate::{
    case::Case,
    measure::{Cell, Table},
};
use peers_plugin::{Level, Op};
use std::ops::RangeInclusive;

/// The target of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// The best peer's time divided by algkit's is at least this.
    Best(f64),
    /// The limit's time divided by algkit's is at least this.
    Limit(f64),
    /// The time of algkit's calls for single messages, divided by that of one call for many, is at least this.
    Alone(f64),
}

use Goal::{Alone, Best, Limit};

/// The names of algorithms, or their beginnings; operations; numbers of messages; message lengths in bytes; the target.
type Row = (&'static [&'static str], &'static [Op], RangeInclusive<usize>, RangeInclusive<usize>, Goal);

const BOTH: &[Op] = &[Op::Encrypt, Op::Decrypt];
const ANY: &[Op] = &[Op::Encrypt, Op::Decrypt, Op::Digest];
const ENCRYPT: &[Op] = &[Op::Encrypt];
const DECRYPT: &[Op] = &[Op::Decrypt];

const ONE: RangeInclusive<usize> = 1..=1;
const MANY: RangeInclusive<usize> = 2..=usize::MAX;
const ALL: RangeInclusive<usize> = 0..=usize::MAX;
const PACKETS: RangeInclusive<usize> = 0..=4095;
const SECTORS: RangeInclusive<usize> = 0..=4096;
/// Messages that are long enough for beginning and end not to count, and short enough for the first-level cache.
const LONG: RangeInclusive<usize> = 16384..=32768;

/// Targets with all of the CPU's instructions. The first row that fits is the target.
const FULL: &[Row] = &[
    (&["gcm(aes)"], BOTH, ONE, PACKETS, Best(1.10)),
    (&["gcm(aes)"], BOTH, ONE, LONG, Limit(0.95)),
    (&["gcm(aes)"], BOTH, MANY, 0..=256, Alone(1.30)),
    (&["xts(aes)"], BOTH, ONE, SECTORS, Best(1.10)),
    (&["ctr(aes)"], BOTH, ONE, PACKETS, Best(1.10)),
    (&["xts(aes)", "ctr(aes)"], BOTH, ONE, LONG, Limit(0.97)),
    (&["cbc(aes)"], DECRYPT, ONE, LONG, Limit(0.97)),
    (&["cbc(aes)"], ENCRYPT, ONE, 4096..=usize::MAX, Limit(0.97)),
    (&["ccm(aes)", "cmac(aes)"], ANY, ONE, 4096..=usize::MAX, Limit(0.97)),
    (&["chacha20", "rfc7539(chacha20"], BOTH, ONE, ALL, Best(1.15)),
    (&["ghash", "polyval"], ANY, ONE, ALL, Best(1.10)),
    (&["sha1", "sha256"], ANY, ONE, LONG, Limit(0.97)),
    (&["sha512"], ANY, ONE, ALL, Best(1.05)),
    (&["sha3-"], ANY, ONE, ALL, Best(1.10)),
    (&["blake2b-512"], ANY, ONE, ALL, Best(1.00)),
    (&["ctr(serpent)", "xts(serpent)", "ecb(serpent)"], BOTH, ONE, LONG, Best(1.80)),
    (&["cbc(serpent)"], DECRYPT, ONE, LONG, Best(1.80)),
    (&["cbc(aes)"], ENCRYPT, MANY, 1024..=2048, Best(1.10)),
    (&["cmac(aes)", "ccm(aes)", "sha1", "sha256", "sha512", "sha3-256"], ANY, MANY, 1024..=2048, Best(1.10)),
];

/// Targets at the levels of 256 and 128 bits. ECB has no target here, nor with all instructions: from 1 KiB on, algkit
/// and its best peers reach 0.96 to 0.99 of the limit, so none can be 1.05 times as fast as another. A short text is
/// processed in place, so each call waits for the rounds of the one before, and these take the same time for all.
const MASKED: &[Row] = &[
    (&["gcm(aes)", "xts(aes)", "ctr(aes)"], BOTH, ONE, LONG, Limit(0.95)),
    (&["cbc(aes)"], DECRYPT, ONE, LONG, Limit(0.95)),
    (&["cbc(aes)"], ENCRYPT, ONE, 4096..=usize::MAX, Limit(0.95)),
    (&["ccm(aes)", "cmac(aes)"], ANY, ONE, 4096..=usize::MAX, Limit(0.95)),
    (&["gcm(aes)", "xts(aes)", "ctr(aes)"], BOTH, ONE, ALL, Best(1.05)),
];

/// Targets with neither AES nor carry-less products.
const SOFT: &[Row] = &[(&["ctr(aes)", "xts(aes)", "ecb(aes)", "cbc(aes)"], BOTH, ONE, ALL, Best(1.00))];

/// The ratio to the best peer that every cell must reach, and the target of a cell that fits no row.
pub const FLOOR: f64 = 0.95;

/// The target of a cell and its value.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The target.
    pub goal: Goal,
    /// The measured value, in the unit of the target.
    pub value: f64,
}

impl Verdict {
    /// The verdict on a cell in its table; `None` if there is nothing to compare it with.
    pub fn of(level: Level, table: &Table, cell: &Cell) -> Option<Self> {
        let goal = goal(level, table.case, cell);
        let value = match goal {
            Best(_) => cell.best()?.ratio,
            Limit(_) => cell.limit()?.ratio,
            Alone(_) => {
                let alone = table.cells.iter().find(|other| other.messages == 1 && other.size == cell.size)?;
                alone.own().fastest / cell.own().fastest
            }
        };
        Some(Self { goal, value })
    }

    /// The smallest value that reaches the target.
    pub fn least(&self) -> f64 {
        let (Best(least) | Limit(least) | Alone(least)) = self.goal;
        least
    }

    /// Whether the target is reached.
    pub fn met(&self) -> bool {
        self.value >= self.least()
    }

    /// The name of what the value is a multiple of.
    pub fn unit(&self) -> &'static str {
        match self.goal {
            Best(_) => "best peer",
            Limit(_) => "limit",
            Alone(_) => "one by one",
        }
    }
}

fn goal(level: Level, case: &Case, cell: &Cell) -> Goal {
    if case.rekey {
        return Best(1.00);
    }
    let rows = match level {
        Level::Full => FULL,
        Level::Avx2 | Level::AesNi => MASKED,
        Level::Soft => SOFT,
    };
    let fits = |(names, ops, messages, sizes, _): &&Row| {
        names.iter().any(|name| case.name.starts_with(name))
            && ops.contains(&case.op)
            && messages.contains(&cell.messages)
            && sizes.contains(&cell.size)
    };
    rows.iter().find(fits).map_or(Best(FLOOR), |row| row.4)
}
