//! algkit and other libraries, side by side, by the method of docs/architecture.md. In one process the contenders take
//! turns in slices of about a millisecond, for many rounds. The results are the median of the ratios within a round,
//! which a busy machine disturbs little, and the fastest slice of each contender.
//!
//! Every figure is the time of a whole call on a keyed instance with an IV that it has not seen: IV setup, checks and
//! tag included. Before a measurement, all contenders must give the same answer to the same message.

mod case;
mod contender;
mod contenders;
mod html;
mod level;
mod limits;
mod machine;
mod measure;
mod report;
mod streams;
mod targets;
mod texts;

use case::{CASES, Case};
use clap::Parser;
use level::Limit;
use measure::{Effort, Table};
use peers_plugin::Level;
use report::Report;
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

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
    /// Minutes for everything: stop rounds early, after five at least, so that it is done in about this time
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u16).range(1..))]
    minutes: Option<u16>,
    /// Microseconds in a slice
    #[arg(long, default_value_t = 1000)]
    slice: u64,
    /// Only see whether everything runs and agrees: two sizes, hardly measured
    #[arg(long, conflicts_with_all = ["sizes", "rounds", "slice", "minutes"])]
    quick: bool,
    /// Write a JSON object, to standard output unless a file is named
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write tables in Markdown, to standard output unless a file is named
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    markdown: Option<PathBuf>,
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
    let to_stdout = |file: &Option<PathBuf>| file.as_deref().is_some_and(|file| file.as_os_str() == "-");
    let (json, markdown) = (to_stdout(&args.json), to_stdout(&args.markdown));
    if json && markdown {
        return Err("--json and --markdown cannot both go to standard output".to_owned());
    }
    let effort = Effort { rounds: args.rounds.into(), slice: Duration::from_micros(args.slice), most: None };
    let (sizes, effort) = match args.quick {
        true => (vec![16, 1350], Effort { rounds: 1, slice: Duration::from_micros(20), most: None }),
        false => (args.sizes, effort),
    };
    let messages: Vec<usize> = args.messages.iter().map(|&n| n.into()).collect();
    let libraries = contenders::libraries(level)?;
    let wanted = |case: &&Case| {
        case.at(level) && (args.names.is_empty() || args.names.iter().any(|n| case.name.contains(n.as_str())))
    };
    let cells = |case: &'static Case| (case, measure::cells(case, &sizes, &messages, level));
    let cases: Vec<_> = CASES.iter().filter(wanted).map(cells).filter(|(_, cells)| !cells.is_empty()).collect();
    if cases.is_empty() {
        return Err(format!("no algorithm of {} is measured at this level", args.names.join(", ")));
    }
    let mut progress = Progress::new(cases.iter().map(|(_, cells)| cells.len()).sum(), args.minutes);
    let mut tables = Vec::new();
    for (case, requests) in &cases {
        let mut cells = Vec::new();
        for request in requests {
            let effort = Effort { most: progress.share(), ..effort };
            cells.push(measure::cell(case, request, &libraries, effort));
            progress.advance();
        }
        let table = Table { case, cells };
        if !json && !markdown {
            table.print(level);
        }
        if !args.quick {
            progress.tell(&case.title());
        }
        tables.push(table);
    }
    let report = Report { level, libraries: &libraries, tables: &tables, streams: &measure::streams(effort) };
    if !json && !markdown {
        report.summary();
    }
    let write = |file: Option<&PathBuf>, text: String| match file {
        None => Ok(()),
        Some(file) if file.as_os_str() == "-" => {
            print!("{text}");
            Ok(())
        }
        Some(file) => std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display())),
    };
    if args.json.is_some() {
        write(args.json.as_ref(), format!("{:#}\n", report.json()))?;
    }
    write(args.markdown.as_ref(), report.markdown())?;
    write(args.html.as_ref(), html::page(&report))
}

/// The progress over all cells, and the time that the next one may take.
struct Progress {
    start: Instant,
    cells: usize,
    done: usize,
    all: Option<Duration>,
}

impl Progress {
    fn new(cells: usize, minutes: Option<u16>) -> Self {
        let all = minutes.map(|n| Duration::from_secs(60 * u64::from(n)));
        Self { start: Instant::now(), cells, done: 0, all }
    }

    /// An equal share of the time that is left for each cell.
    fn share(&self) -> Option<Duration> {
        let left = self.all?.saturating_sub(self.start.elapsed());
        Some(left / (self.cells - self.done).max(1) as u32)
    }

    fn advance(&mut self) {
        self.done += 1;
    }

    /// Writes one line to standard error, so that it is not part of a table on standard output.
    fn tell(&self, title: &str) {
        let passed = self.start.elapsed().as_secs_f64();
        let left = passed / self.done as f64 * (self.cells - self.done) as f64;
        eprintln!("peers: {} of {} cells, {passed:.0} s, about {left:.0} s to go: {title}", self.done, self.cells);
    }
}
