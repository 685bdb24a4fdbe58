//! algkit and other libraries, side by side, by the method of docs/architecture.md: in one process the
//! contenders take turns in slices of about a millisecond, many rounds. What counts is the median of
//! the ratios within a round, which a busy machine disturbs little, and the fastest slice of each.
//!
//! Every figure is the price of a whole call on a keyed instance: IV setup, checks, tag. Before a
//! measurement all contenders have to give the same answer to the same message.

mod case;
mod contenders;
mod limits;
mod measure;
mod report;

use case::{CASES, Case};
use clap::Parser;
use std::time::Duration;

/// algkit and other libraries, side by side.
#[derive(Parser, Debug)]
#[command(after_help = "\
Ratios are the other's time divided by algkit's: 2.00 means that algkit is twice as fast. `limit` is the time
that the AES instructions alone would take, each on the widest vectors that the CPU has, divided by algkit's
time: 1.00 cannot be exceeded.

ALGKIT_CPU=-vaes,-avx512 hides CPU features from algkit, and from algkit only. To compare code without AES
instructions:
  ALGKIT_CPU=-aes,-pclmul RUSTFLAGS='--cfg aes_backend=\"soft\" --cfg polyval_backend=\"soft\"' \\
    OPENSSL_ia32cap=~0x200000200000000:~0x60000000000 cargo run --release --target-dir target/soft")]
struct Args {
    /// Algorithms to measure: `-c aes` takes every name with `aes` in it (repeatable) [default: all]
    #[arg(short = 'c', long = "cipher", value_name = "NAME")]
    names: Vec<String>,
    /// Bytes in a message
    #[arg(long, value_delimiter = ',', default_value = "16,64,256,1350,4096,16384")]
    sizes: Vec<usize>,
    /// 16, 64 and 256 bytes only, in nanoseconds a call
    #[arg(long, conflicts_with = "sizes")]
    small: bool,
    /// Rounds for each figure
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// Microseconds in a slice
    #[arg(long, default_value_t = 1000)]
    slice: u64,
    /// Print a JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a table in Markdown
    #[arg(long)]
    markdown: bool,
}

fn main() {
    let args = Args::parse();
    let sizes = if args.small { vec![16, 64, 256] } else { args.sizes };
    let slice = Duration::from_micros(args.slice);
    let wanted = |case: &&Case| args.names.is_empty() || args.names.iter().any(|n| case.name.contains(n.as_str()));
    let tables = CASES.iter().filter(wanted).map(|case| {
        let cells = sizes.iter().map(|&size| measure::cell(case, case.round_size(size), args.rounds, slice));
        let table = report::Table { case, cells: cells.collect() };
        if !args.json && !args.markdown {
            table.print(args.small);
        }
        table
    });
    let tables: Vec<_> = tables.collect();
    let streams = limits::streams(args.rounds, slice);
    if args.json {
        println!("{:#}", report::json(&tables, &streams));
    } else if args.markdown {
        report::markdown(&tables, &streams);
    } else {
        report::summary(&tables, &streams);
    }
}
