//! `--tcrypt`: the listing that the kernel module `tcrypt` writes to its log.
//!
//! It counts cycles. The kernel reads the time stamp counter. Here they are cycles of the core clock, whose
//! frequency is measured with a chain of dependent instructions: an addition and a rotation, which take one cycle
//! each on the x86 and Arm cores that we know of. The chain takes turns with the ciphers, so it runs at the same
//! frequency.

use super::{
    figure::Figure,
    measure::{Contender, Work},
    work::Op,
};
use crate::out::Out;
use std::{
    hint::black_box,
    io::{self, Write},
};

/// The message sizes of the listing, in bytes.
pub const SIZES: [usize; 5] = [16, 64, 256, 1024, 8192];

/// The number of steps in a call of the chain. A step is an addition and a rotation.
const STEPS: u64 = 1000;

/// The number of cycles per step.
const CYCLES: u64 = 2;

/// The chain, as a contender that is measured beside the ciphers.
pub fn clock() -> Contender {
    let mut x = 1_u64;
    let chain: Work = Box::new(move |_| {
        // The sum keeps the compiler from merging rotations, and the unknown addend keeps it from computing the
        // result in advance.
        let addend = black_box(0x9e37_79b9_7f4a_7c15);
        for _ in 0..STEPS {
            x = x.wrapping_add(addend).rotate_left(7);
        }
        black_box(x);
    });
    Contender { threads: vec![chain], size: 0, working_set: 0 }
}

/// The clock frequency in GHz, given the time of a call of the chain.
pub fn gigahertz(ns: f64) -> f64 {
    (STEPS * CYCLES) as f64 / ns
}

/// Prints the figures, with all keys of an algorithm, driver and direction under one title.
pub fn print(out: &mut Out, figures: &[Figure], gigahertz: f64) -> io::Result<()> {
    writeln!(
        out,
        "# Cycles of the core's clock, {gigahertz:.2} GHz by a chain of additions and rotations; the fastest slices."
    )?;
    let listing = |f: &Figure| (f.name.clone(), f.driver.clone(), f.op);
    let mut titles: Vec<_> = Vec::new();
    for first in figures {
        if titles.contains(&listing(first)) {
            continue;
        }
        titles.push(listing(first));
        let these = figures.iter().filter(|f| listing(f) == listing(first));
        let op = match first.op {
            Op::Enc => " encryption",
            Op::Dec => " decryption",
            Op::Digest | Op::Generate => "",
        };
        writeln!(out, "\ntesting speed of {} ({}){op}", first.name, first.driver)?;
        for (number, figure) in these.enumerate() {
            let (size, cycles) = (figure.size, figure.ns_op * gigahertz);
            let cycles_per_byte = cycles / size as f64;
            match figure.op {
                Op::Enc | Op::Dec => writeln!(
                    out,
                    "test {number} ({} bit key, {size} byte blocks): 1 operation in {cycles:.0} cycles ({size} bytes)",
                    figure.key_bits
                ),
                Op::Digest | Op::Generate => writeln!(
                    out,
                    "test{number:3} ({size:5} byte blocks,{size:5} bytes per update,   1 updates): \
                     {cycles:6.0} cycles/operation, {cycles_per_byte:4.0} cycles/byte"
                ),
            }?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// The time of the chain matches its number of steps, so the compiler has kept all of them.
    #[test]
    fn the_clock_is_that_of_a_cpu() {
        let mut clock = clock();
        let fastest = (0..200).map(|_| {
            let start = Instant::now();
            clock.threads[0](&mut []);
            start.elapsed().as_nanos() as f64
        });
        let gigahertz = gigahertz(fastest.fold(f64::MAX, f64::min));
        // An emulator is slower; no CPU is faster than this.
        assert!(gigahertz < 10.0, "{gigahertz}");
        // A thousand times two instructions of a cycle each, in a microsecond.
        assert_eq!(super::gigahertz(1000.0), 2.0);
    }
}
