//! Every driver that this CPU picks by default, timed on fixed and on random keys and texts.
//!
//! A sample is the time of setting up a key and processing a text with it. Its inputs, fixed or random by
//! the toss of a coin, are written to the same buffers by the same instructions. If the two classes
//! differ in Welch's t-test, and differ again each time that the test is repeated, time depends on the
//! inputs.

use algkit::{CATALOGUE, Direction, Error as LibError, Registry, driver::Timing};
use algkit_timing::{
    Error, controls,
    subject::{self, Request, Subject},
    welch,
};
use clap::Parser;
use std::{hint::black_box, process::ExitCode};

/// A |t| that chance does not explain (Reparaz, Balasch and Verbauwhede 2017 use 4.5 to suspect and 10 to
/// be sure).
const SURE: f64 = 10.0;

/// How often a suspicion has to be confirmed, each time with twice the samples.
const ATTEMPTS: u32 = 4;

/// Bytes of text: batches of every width, and a tail.
const TEXT_LEN: usize = 1100;

#[derive(Parser)]
#[command(about = "Times drivers on fixed and random inputs and compares the two")]
struct Args {
    /// Only algorithms or drivers whose name contains one of these
    names: Vec<String>,
    /// Samples of each operation, half of them fixed
    #[arg(long, default_value_t = 20_000)]
    rounds: usize,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("dudect: {error}");
            ExitCode::from(2)
        }
    }
}

/// A clock that counts in cycles or nanoseconds, and whose readings keep their place among instructions.
#[cfg(target_arch = "x86_64")]
fn clock() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 CPU has both instructions.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clock() -> u64 {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

/// The t statistic of `operation` on inputs of `len` bytes; the first class is fixed.
fn measure(rounds: usize, fixed: &[u8], public: usize, operation: &mut dyn FnMut(&mut [u8])) -> f64 {
    let mut classes = [Vec::with_capacity(rounds), Vec::with_capacity(rounds)];
    let mut input = fixed.to_vec();
    for round in 0..rounds + rounds / 10 {
        let mask = 0u8.wrapping_sub(u8::from(fastrand::bool()));
        for (place, &f) in input.iter_mut().zip(fixed).skip(public) {
            *place = f ^ (f ^ fastrand::u8(..)) & mask;
        }
        input[..public].copy_from_slice(&fixed[..public]);
        let start = clock();
        operation(black_box(&mut input));
        let ticks = clock() - start;
        // The first samples warm up caches and branch predictors.
        if round >= rounds / 10 {
            classes[usize::from(mask & 1)].push(u32::try_from(ticks).unwrap_or(u32::MAX));
        }
    }
    welch::largest_t([&classes[0], &classes[1]])
}

/// Measures until the suspicion is gone or sure; the statistics, the last of which decides.
fn verdict(rounds: usize, fixed: &[u8], public: usize, operation: &mut dyn FnMut(&mut [u8])) -> Vec<f64> {
    let mut statistics = Vec::new();
    for attempt in 0..ATTEMPTS {
        let t = measure(rounds << attempt, fixed, public, operation);
        statistics.push(t);
        // A leak stays and keeps its sign.
        if t.abs() <= SURE || t.signum() != statistics[0].signum() {
            break;
        }
    }
    statistics
}

fn leaks(statistics: &[f64]) -> bool {
    let first = statistics[0].signum();
    statistics.len() == ATTEMPTS as usize && statistics.iter().all(|t| t.abs() > SURE && t.signum() == first)
}

fn print(name: &str, operation: &str, statistics: &[f64], bad: &str) {
    let verdict = if leaks(statistics) { bad } else { "ok" };
    let list: Vec<_> = statistics.iter().map(|t| format!("{t:.1}")).collect();
    println!("{verdict:<8} {operation:<8} {name}  t = {}", list.join(", "));
}

fn run(args: &Args) -> Result<bool, Error> {
    let secret = subject::random(4096);
    let control = verdict(args.rounds, &secret, 0, &mut |guess| {
        black_box(controls::early_exit(guess, &secret));
    });
    print("control: a comparison that ends early", "compare", &control, "found");
    let mut good = leaks(&control);
    if !good {
        println!("a deliberate leak was not found: the rest means nothing");
    }

    let registry = Registry::default();
    for name in CATALOGUE {
        let subject = match Subject::find(&registry, name) {
            Ok(subject) => subject,
            Err(LibError::TableOnly { .. }) => continue,
            Err(error) => return Err(Error::of(name)(error)),
        };
        let driver = &*subject.driver().driver;
        let wanted = |n: &String| name.contains(n.as_str()) || driver.contains(n.as_str());
        let claimed = subject.is_secret() && subject.driver().timing == Timing::Constant;
        if !claimed || !(args.names.is_empty() || args.names.iter().any(wanted)) {
            continue;
        }
        let directions: &[_] = match subject.driver().kind {
            algkit::Type::Hash => &[Direction::Encrypt],
            _ => &[Direction::Encrypt, Direction::Decrypt],
        };
        for &direction in directions {
            let statistics = examine(&subject, direction, args.rounds)?;
            print(driver, if direction == Direction::Encrypt { "encrypt" } else { "decrypt" }, &statistics, "LEAK");
            good &= !leaks(&statistics);
        }
    }
    Ok(good)
}

fn examine(subject: &Subject, direction: Direction, rounds: usize) -> Result<Vec<f64>, Error> {
    let (key, public) = subject.keys().pop().unwrap_or_default();
    let (iv, assoc) = (subject.iv(), subject::random(subject::ASSOC_LEN));
    let mut tag = vec![0; subject.tag_len()];
    let fixed = [&key[..], &subject::random(subject.fit(TEXT_LEN))].concat();
    let request = Request { direction, iv: &iv, assoc: &assoc, split: None };
    let mut failure = None;
    let statistics = verdict(rounds, &fixed, public, &mut |input| {
        let (key, text) = input.split_at_mut(key.len());
        match subject.key(key).and_then(|keyed| keyed.run(&request, text, &mut tag)) {
            // No tag is right for random texts: what is timed is the refusal.
            Ok(()) | Err(LibError::Authentication) => {}
            Err(error) => failure = Some(error),
        }
    });
    match failure {
        Some(error) => Err(Error::of(&subject.driver().driver)(error)),
        None => Ok(statistics),
    }
}
