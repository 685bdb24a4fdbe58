//! Times every driver that this CPU uses by default, with fixed and with random keys and texts.
//!
//! A sample is the time of setting a key and processing a text with it. A coin toss decides whether its inputs are
//! fixed or random; both kinds are written to the same buffers by the same instructions. If Welch's t-test finds a
//! difference between the two classes, and finds it again each time it is repeated, the time depends on the inputs. How
//! large the difference is, is a second question: with enough samples, the test detects less than a tick of the clock.
//! Now and then, straight-line code shows such a difference too, with either sign.

use algkit::{CATALOGUE, Direction, Error as LibError, Registry, driver::Timing};
use algkit_timing::{
    Error, clock, controls,
    subject::{self, Request, Subject},
    welch::{self, Difference},
};
use clap::Parser;
use std::{
    hint::black_box,
    process::ExitCode,
    sync::atomic::{Ordering::SeqCst, fence},
};

/// A |t| that chance does not explain (Reparaz, Balasch and Verbauwhede 2017: a leak is suspected from 4.5 and certain
/// from 10 on).
const SURE: f64 = 10.0;

/// A difference too small for a branch or a cache miss, as a fraction of the whole time.
const TINY: f64 = 0.005;

/// How many times a suspicion must be confirmed, each time with twice as many samples.
const ATTEMPTS: u32 = 4;

/// The length of the text in bytes: batches of every width and a tail.
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

/// Times `operation` on inputs of the length of `fixed`, whose first `public` bytes never change, and compares the two
/// classes. The first class has fixed inputs.
fn measure(rounds: usize, fixed: &[u8], public: usize, operation: &mut dyn FnMut(&mut [u8])) -> Difference {
    let mut classes = [Vec::with_capacity(rounds), Vec::with_capacity(rounds)];
    let (mut input, mut noise) = (fixed.to_vec(), fixed.to_vec());
    for round in 0..rounds + rounds / 10 {
        fastrand::fill(&mut noise[public..]);
        // The compiler must not know that there are only two masks, or it would make a branch of them.
        let mask = black_box(0u8.wrapping_sub(u8::from(fastrand::bool())));
        for ((place, &fixed), &noise) in input.iter_mut().zip(fixed).zip(&noise) {
            *place = fixed ^ (fixed ^ noise) & mask;
        }
        // Stores to the buffer must be complete before the clock starts.
        fence(SeqCst);
        let start = clock::now();
        operation(black_box(&mut input));
        let ticks = clock::now() - start;
        // The first samples are dropped: they warm up caches and branch predictors.
        if round >= rounds / 10 {
            classes[usize::from(mask & 1)].push(u32::try_from(ticks).unwrap_or(u32::MAX));
        }
    }
    welch::largest_difference([&classes[0], &classes[1]])
}

/// Repeats the measurement until the suspicion is refuted or confirmed.
fn suspect(rounds: usize, fixed: &[u8], public: usize, operation: &mut dyn FnMut(&mut [u8])) -> Vec<Difference> {
    let mut differences: Vec<Difference> = Vec::new();
    for attempt in 0..ATTEMPTS {
        differences.push(measure(rounds << attempt, fixed, public, operation));
        if !differences.iter().all(|d| d.t.abs() > SURE && d.t.signum() == differences[0].t.signum()) {
            break;
        }
    }
    differences
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Equal,
    Tiny,
    Leak,
}

fn verdict(differences: &[Difference]) -> Verdict {
    let confirmed = differences.len() == ATTEMPTS as usize && differences.iter().all(|d| d.t.abs() > SURE);
    match confirmed {
        true if differences.iter().all(|d| d.size.abs() > TINY) => Verdict::Leak,
        true => Verdict::Tiny,
        false => Verdict::Equal,
    }
}

/// Prints the verdict and returns it.
fn judge(name: &str, operation: &str, differences: &[Difference]) -> Verdict {
    let verdict = verdict(differences);
    let list: Vec<_> = differences.iter().map(|d| format!("{:.1} ({:+.2} %)", d.t, 100.0 * d.size)).collect();
    println!("{:<6} {operation:<8} {name}  t = {}", format!("{verdict:?}"), list.join(", "));
    verdict
}

fn run(args: &Args) -> Result<bool, Error> {
    let secret = subject::random(4096);
    let control = suspect(args.rounds, &secret, 0, &mut |guess| {
        black_box(controls::early_exit(guess, &secret));
    });
    let mut good = judge("control: a comparison that ends early", "compare", &control) == Verdict::Leak;
    if !good {
        println!("a deliberate leak was not found: the rest means nothing");
    }

    let registry = Registry::default();
    for name in CATALOGUE {
        let subject = match Subject::find(&registry, name) {
            Ok(Some(subject)) => subject,
            Ok(None) | Err(LibError::TableOnly { .. }) => continue,
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
            let differences = examine(&subject, direction, args.rounds)?;
            let operation = if direction == Direction::Encrypt { "encrypt" } else { "decrypt" };
            good &= judge(driver, operation, &differences) != Verdict::Leak;
        }
    }
    Ok(good)
}

fn examine(subject: &Subject, direction: Direction, rounds: usize) -> Result<Vec<Difference>, Error> {
    let (key, public) = subject.keys().pop().unwrap_or_default();
    let (iv, assoc) = (subject.iv(), subject::random(subject::ASSOC_LEN));
    let mut tag = vec![0; subject.tag_len()];
    let fixed = [&key[..], &subject::random(subject.fit(TEXT_LEN))].concat();
    let request = Request { direction, iv: &iv, assoc: &assoc, split: None };
    let mut failure = None;
    let differences = suspect(rounds, &fixed, public, &mut |input| {
        let (key, text) = input.split_at_mut(key.len());
        match subject.key(key).and_then(|keyed| keyed.run(&request, text, &mut tag)) {
            // Random texts have no valid tag; the time of the refusal is measured.
            Ok(_) | Err(LibError::Authentication) => {}
            Err(error) => failure = Some(error),
        }
    });
    match failure {
        Some(error) => Err(Error::of(&subject.driver().driver)(error)),
        None => Ok(differences),
    }
}
