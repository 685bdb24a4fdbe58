//! `algkit bench`.

mod html;
mod machine;
mod measure;
mod suite;
mod table;
mod work;

use crate::{
    Answer,
    args::BenchArgs,
    error::Error,
    out::{Out, to_stdout},
    output::Output,
};
use algkit::Registry;
use machine::Machine;
use measure::{Contender, Plan, Times, interleaved};
use serde::Serialize;
use std::{
    io::{self, Write},
    time::Duration,
};
use suite::{Candidate, candidates};
use work::Op;

/// The message that speeds are given for, in bytes.
const MESSAGE: usize = 4096;

/// The message whose price is given in nanoseconds, in bytes.
const SMALL: usize = 16;

/// The sizes of a chart, in bytes; 1344 is a packet of whole blocks.
const CHART: [usize; 9] = [16, 64, 256, 512, 1344, 4096, 16 << 10, 64 << 10, 256 << 10];

/// The largest message, in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// The most memory for texts, in bytes.
const MAX_TEXTS: u64 = 16 << 30;

/// Passes of `--long`.
const PASSES: u32 = 10;

/// Seconds for each figure, and for all of them, unless told otherwise.
const SECONDS_EACH: f64 = 0.15;
const SECONDS_ALL: f64 = 10.0;

/// One figure, as `--json` gives it.
#[derive(Serialize, Clone, Debug)]
struct Figure {
    name: String,
    driver: String,
    key_bits: u32,
    op: Op,
    /// Bytes in a message.
    size: usize,
    threads: usize,
    /// Bytes that the messages of a thread are spread over.
    #[serde(skip_serializing_if = "Option::is_none")]
    working_set: Option<usize>,
    /// 2^20 bytes a second, all threads together.
    mib_s: f64,
    /// Nanoseconds for a call.
    ns_op: f64,
    #[serde(skip)]
    times: Times,
    #[serde(skip)]
    kind: algkit::Type,
    /// What to say of the driver's timing.
    #[serde(skip)]
    mark: &'static str,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    results: &'a [Figure],
}

pub fn run(args: &BenchArgs) -> Result<Answer, Error> {
    if let Some(seconds) = args.seconds.filter(|s| !(*s > 0.0 && *s <= 3600.0)) {
        let reason = format!("{seconds} is not a number from 0 to 3600");
        return Err(Error::Option { option: "--seconds", reason });
    }
    if let Some(size) = args.sizes.iter().find(|size| **size > MAX_SIZE) {
        return Err(Error::Option { option: "--sizes", reason: format!("{size} is more than {MAX_SIZE} bytes") });
    }
    check_working_sets(args)?;
    // A page that cannot be written is better known of now than after the measurement.
    let page = args.html.as_deref().map(|path| Output::file(path, None)).transpose()?;
    let registry = Registry::global()?;
    let candidates = candidates(args, registry)?;
    let figures = measure_all(args, &candidates)?;
    let machine = Machine::describe(registry);

    if let Some(mut page) = page {
        page.write(html::page(&machine, &figures, args.long).as_bytes())?;
        page.finish()?;
    }
    let mut out = Out::new();
    let written = if args.json {
        let report = Report { machine: &machine, results: &figures };
        serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from).and_then(|()| writeln!(out))
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

fn check_working_sets(args: &BenchArgs) -> Result<(), Error> {
    let threads = args.threads.iter().copied().max().map_or(1, u64::from);
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
    reason.map_or(Ok(()), |reason| Err(Error::Option { option: "--working-set", reason }))
}

/// Numbers of threads, each with all working sets, if any.
fn variants(args: &BenchArgs) -> Vec<(usize, Option<usize>)> {
    let sets: Vec<_> = match &args.working_set[..] {
        [] => vec![None],
        sets => sets.iter().map(|&bytes| Some(bytes as usize)).collect(),
    };
    args.threads.iter().flat_map(|&threads| sets.iter().map(move |&set| (threads.into(), set))).collect()
}

/// What is measured of a candidate: the operation, bytes in a message, threads, and their working set.
type Wanted<'a> = (&'a Candidate, Op, usize, usize, Option<usize>);

fn wanted<'a>(args: &BenchArgs, candidates: &'a [Candidate]) -> Result<Vec<Wanted<'a>>, Error> {
    let mut wanted = Vec::new();
    for candidate in candidates {
        for op in candidate.ops(args.op) {
            // Its source is one sealed message, which stays in the cache.
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
        let reason = "AEAD decryption is not measured over a working set".to_owned();
        return Err(Error::Option { option: "--working-set", reason });
    }
    Ok(wanted)
}

fn measure_all(args: &BenchArgs, candidates: &[Candidate]) -> Result<Vec<Figure>, Error> {
    let wanted = wanted(args, candidates)?;
    let mut contenders = Vec::new();
    for &(candidate, op, size, threads, set) in &wanted {
        let threads = (0..threads).map(|_| candidate.subject.work(op, size)).collect::<Result<_, _>>()?;
        contenders.push(Contender { threads, size, working_set: set.unwrap_or(size) });
    }
    let plan = if args.long {
        Plan::Volume { passes: PASSES, bytes: args.volume }
    } else {
        let each = args.seconds.unwrap_or((SECONDS_ALL / contenders.len() as f64).min(SECONDS_EACH));
        Plan::Time(Duration::from_secs_f64(each))
    };
    let times = interleaved(&mut contenders, plan);
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
            times,
            kind: driver.kind,
            mark: suite::mark(driver),
        }
    };
    Ok(wanted.iter().zip(times).map(figure).collect())
}

/// The sizes to measure an operation at.
fn sizes(args: &BenchArgs, op: Op) -> Vec<usize> {
    if !args.sizes.is_empty() {
        return args.sizes.iter().map(|size| *size as usize).collect();
    }
    match op {
        _ if !args.working_set.is_empty() => vec![MESSAGE],
        _ if args.html.is_some() => CHART.to_vec(),
        _ if args.long => vec![MESSAGE],
        // The summary gives the price of a small call for one way only.
        Op::Dec if args.op != crate::args::Op::Dec => vec![MESSAGE],
        _ => vec![MESSAGE, SMALL],
    }
}

/// 2^20 bytes a second, of `bytes` in `ns` nanoseconds.
fn mib_s(bytes: usize, ns: f64) -> f64 {
    bytes as f64 / ns * 1e9 / f64::from(1 << 20)
}
