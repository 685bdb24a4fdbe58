//! `algkit bench`: measures speed.

mod figure;
mod html;
mod machine;
mod measure;
mod suite;
mod table;
mod tcrypt;
mod work;

use crate::{
    answer::Answer,
    args::BenchArgs,
    error::Error,
    out::{Out, complain, to_stdout},
    output::Output,
};
use algkit::Registry;
use figure::{Figure, MESSAGE, SMALL, mib_s};
use machine::Machine;
use measure::{Contender, Plan, Times, interleaved};
use serde::Serialize;
use std::{
    io::{self, Write},
    time::Duration,
};
use suite::{Candidate, candidates};
use work::Op;

/// The message sizes of a chart in bytes. 1344 is a packet of whole blocks.
const CHART: [usize; 9] = [16, 64, 256, 512, 1344, 4096, 16 << 10, 64 << 10, 256 << 10];

/// The maximum message size in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// The maximum memory for the texts of all threads, in bytes.
const MAX_TEXTS: u64 = 16 << 30;

/// The number of passes of `--long`.
const PASSES: u32 = 10;

/// The default measurement times in seconds: for each figure, and at most for all of them.
const SECONDS_EACH: f64 = 0.15;
const SECONDS_ALL: f64 = 10.0;

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    results: &'a [Figure],
}

pub fn run(args: &BenchArgs) -> Result<Answer, Error> {
    if let Some(seconds) = args.seconds.filter(|s| !(*s > 0.0 && *s <= 3600.0)) {
        return Err(Error::option("--seconds", format!("{seconds} is not more than 0 and at most 3600")));
    }
    let most = MAX_SIZE.min(MAX_TEXTS / threads(args));
    if let Some(size) = args.sizes.iter().find(|size| **size > most) {
        return Err(Error::option("--sizes", format!("{size} is more than {most} bytes")));
    }
    check_working_sets(args)?;
    // An output file that cannot be written is reported before the measurement.
    let page = args.html.as_deref().map(|path| Output::file(path, None)).transpose()?;
    let registry = Registry::global()?;
    let candidates = candidates(args, registry)?;
    let (figures, gigahertz) = measure_all(args, &candidates)?;
    let machine = Machine::describe(registry);

    if let Some(mut page) = page {
        page.write(html::page(&machine, &figures, args.long).as_bytes())?;
        page.finish()?;
    }
    let mut out = Out::new();
    let written = if args.json {
        let report = Report { machine: &machine, results: &figures };
        serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else if let Some(gigahertz) = gigahertz {
        tcrypt::print(&mut out, &figures, gigahertz)
    } else if args.long
        || !args.sizes.is_empty()
        || args.html.is_some()
        || !args.working_set.is_empty()
        || args.threads.len() > 1
    {
        table::full(&mut out, &machine, &figures, args.long)
    } else {
        table::summary(&mut out, &machine, &figures)
    };
    written.map_err(to_stdout)?;
    out.done()?;
    Ok(Answer::Yes)
}

/// The largest number of threads.
fn threads(args: &BenchArgs) -> u64 {
    args.threads.iter().copied().max().map_or(1, u64::from)
}

fn check_working_sets(args: &BenchArgs) -> Result<(), Error> {
    let threads = threads(args);
    let message = args.sizes.iter().copied().max().unwrap_or(MESSAGE as u64);
    let reason = args.working_set.iter().find_map(|&bytes| {
        if bytes < message {
            Some(format!("{bytes} bytes do not hold a message of {message}"))
        } else if bytes > MAX_TEXTS / threads {
            Some(format!("{bytes} bytes for each thread are more than {MAX_TEXTS} in all"))
        } else {
            None
        }
    });
    reason.map_or(Ok(()), |reason| Err(Error::option("--working-set", reason)))
}

/// The combinations of thread numbers and working sets.
fn variants(args: &BenchArgs) -> Vec<(usize, Option<usize>)> {
    let sets: Vec<_> = match &args.working_set[..] {
        [] => vec![None],
        sets => sets.iter().map(|&bytes| Some(bytes as usize)).collect(),
    };
    args.threads.iter().flat_map(|&threads| sets.iter().map(move |&set| (threads.into(), set))).collect()
}

/// A measurement: the candidate, the operation, the message size, the number of threads, and their working set.
type Wanted<'a> = (&'a Candidate, Op, usize, usize, Option<usize>);

fn wanted<'a>(args: &BenchArgs, candidates: &'a [Candidate]) -> Result<Vec<Wanted<'a>>, Error> {
    let mut wanted = Vec::new();
    for candidate in candidates {
        for op in candidate.ops(args.op) {
            // Its source is a single sealed message, which stays in the cache.
            if op == Op::Dec && candidate.driver.kind == algkit::Type::Aead && !args.working_set.is_empty() {
                continue;
            }
            for size in sizes(args, op) {
                let variants = variants(args).into_iter();
                wanted.extend(variants.map(|(threads, set)| (candidate, op, size, threads, set)));
            }
        }
    }
    if wanted.is_empty() {
        return Err(Error::option("--working-set", "AEAD decryption is not measured over a working set"));
    }
    Ok(wanted)
}

/// The contenders for the wanted measurements. Sizes that a mode does not accept are left out and reported.
fn contenders<'a>(all: Vec<Wanted<'a>>) -> Result<(Vec<Wanted<'a>>, Vec<Contender>), Error> {
    let (mut wanted, mut contenders, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for one in all {
        let (candidate, op, size, threads, set) = one;
        match (0..threads).map(|_| candidate.subject.work(op, size)).collect() {
            Ok(threads) => {
                wanted.push(one);
                contenders.push(Contender { threads, size, working_set: set.unwrap_or(size) });
            }
            Err(error @ algkit::Error::TextLength { .. }) if !refused.contains(&error) => refused.push(error),
            Err(algkit::Error::TextLength { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if wanted.is_empty() {
        return Err(refused.swap_remove(0).into());
    }
    refused.iter().for_each(|error| complain(&format!("skipped: {error}")));
    Ok((wanted, contenders))
}

/// Measures everything; with `--tcrypt` also returns the clock frequency in GHz.
fn measure_all(args: &BenchArgs, candidates: &[Candidate]) -> Result<(Vec<Figure>, Option<f64>), Error> {
    let (wanted, mut contenders) = contenders(wanted(args, candidates)?)?;
    if args.tcrypt {
        contenders.push(tcrypt::clock());
    }
    let plan = if args.long {
        Plan::Volume { passes: PASSES, bytes: args.volume }
    } else {
        let each = args.seconds.unwrap_or((SECONDS_ALL / contenders.len() as f64).min(SECONDS_EACH));
        Plan::Time(Duration::from_secs_f64(each))
    };
    let times = interleaved(&mut contenders, plan);
    let gigahertz = times.get(wanted.len()).map(|clock| tcrypt::gigahertz(clock.fastest));
    let figure = |(&(candidate, op, size, threads, working_set), times): (&Wanted<'_>, Times)| {
        let ns_op = if args.long { times.mean } else { times.fastest };
        let driver = &candidate.driver;
        Figure {
            name: driver.name.clone(),
            driver: driver.driver.clone(),
            key_bits: candidate.key_bits,
            op,
            size,
            threads,
            working_set,
            mib_s: mib_s(threads * size, ns_op),
            ns_op,
            ns_median: times.median,
            disturbed: args.long.then(|| times.disturbed()),
            times,
            kind: driver.kind,
            mark: suite::mark(driver),
        }
    };
    Ok((wanted.iter().zip(times).map(figure).collect(), gigahertz))
}

/// The message sizes for an operation.
fn sizes(args: &BenchArgs, op: Op) -> Vec<usize> {
    if !args.sizes.is_empty() {
        return args.sizes.iter().map(|size| *size as usize).collect();
    }
    match op {
        _ if !args.working_set.is_empty() => vec![MESSAGE],
        _ if args.tcrypt => tcrypt::SIZES.to_vec(),
        _ if args.html.is_some() => CHART.to_vec(),
        _ if args.long => vec![MESSAGE],
        // The summary shows the time of a small call for one direction only.
        Op::Dec if args.op != crate::args::Op::Dec => vec![MESSAGE],
        _ => vec![MESSAGE, SMALL],
    }
}
