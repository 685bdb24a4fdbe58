//! algkit and other libraries, side by side, by the method of docs/architecture.md: in one process the
//! contenders take turns in slices of about a millisecond, many rounds. What counts is the median of
//! the ratios within a round, which a busy machine disturbs little, and the fastest slice of each.
//!
//! Every figure is the price of a whole call on a keyed instance, with an IV that it has not seen: IV setup,
//! checks, tag. Before a measurement all contenders have to give the same answer to the same message.

mod case;
mod contenders;
mod html;
mod level;
mod limits;
mod machine;
mod measure;
mod report;
mod streams;
mod texts;

use case::{CASES, Case};
use clap::Parser;
use level::Limit;
use measure::Effort;
use peers_plugin::Level;
use report::{Report, Table};
use std::{path::PathBuf, process::ExitCode, time::Duration};

/// algkit and other libraries, side by side.
#[derive(Parser, Debug)]
#[command(after_help = "\
The ratio is the other's time divided by algkit's: 2.00 means that algkit is twice as fast. The share of the limit is
the time that the instructions take which the algorithm cannot do without, with nothing beside them, divided by
algkit's time: 1.00 cannot be exceeded.")]
struct Args {
    /// Algorithms to measure: `-c aes` takes every name with `aes` in it (repeatable) [default: all]
    #[arg(short = 'c', long = "cipher", value_name = "NAME")]
    names: Vec<String>,
    /// Bytes in a message
    #[arg(long, value_delimiter = ',', default_value = "16,64,256,1350,4096,16384,1048576")]
    sizes: Vec<usize>,
    /// Messages at a time; more than 1 for small messages only, and where a library may gain by it
    #[arg(long, value_delimiter = ',', default_value = "1,32", value_parser = clap::value_parser!(u8).range(1..=64))]
    messages: Vec<u8>,
    /// Instructions that may be used; libraries that cannot be limited to them take no part
    #[arg(long, value_enum, default_value = "full")]
    level: Limit,
    /// Rounds for each figure
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Microseconds in a slice
    #[arg(long, default_value_t = 1000)]
    slice: u64,
    /// Only see whether everything runs and agrees: two sizes, hardly measured
    #[arg(long, conflicts_with_all = ["sizes", "rounds", "slice"])]
    quick: bool,
    /// Print a JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a table in Markdown
    #[arg(long)]
    markdown: bool,
    /// Write a page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("peers: {e}");
            ExitCode::from(2)
        }
    }
}

fn run(args: Args) -> Result<(), String> {
    let level = Level::from(args.level);
    level::enter(level).map_err(|e| format!("starting anew: {e}"))?;
    let effort = Effort { rounds: args.rounds.into(), slice: Duration::from_micros(args.slice) };
    let (sizes, effort) = match args.quick {
        true => (vec![16, 1350], Effort { rounds: 1, slice: Duration::from_micros(20) }),
        false => (args.sizes, effort),
    };
    let messages: Vec<usize> = args.messages.iter().map(|&n| n.into()).collect();
    let libraries = contenders::libraries(level)?;
    let wanted = |case: &&Case| {
        case.at(level) && (args.names.is_empty() || args.names.iter().any(|n| case.name.contains(n.as_str())))
    };
    let table = |case: &'static Case| {
        let cells = measure::cells(case, &sizes, &messages, level);
        let cells = cells.iter().map(|request| measure::cell(case, request, &libraries, effort)).collect();
        let table = Table { case, cells };
        if !args.json && !args.markdown {
            table.print();
        }
        table
    };
    let tables: Vec<Table> = CASES.iter().filter(wanted).map(table).filter(|t| !t.cells.is_empty()).collect();
    if tables.is_empty() {
        return Err(format!("no algorithm of {} is measured at this level", args.names.join(", ")));
    }
    let report = Report { level, libraries: &libraries, tables: &tables, streams: &limits::streams(effort) };
    if args.json {
        println!("{:#}", report.json());
    } else if args.markdown {
        report.markdown();
    } else {
        report.summary();
    }
    match &args.html {
        Some(file) => std::fs::write(file, html::page(&report)).map_err(|e| format!("{}: {e}", file.display())),
        None => Ok(()),
    }
}
