//! Taking turns.

use crate::{
    case::Case,
    contenders::{self, Contender, ROOM},
};
use std::time::{Duration, Instant};

/// The result of one contender.
#[derive(Clone, Debug)]
pub struct Score {
    /// Whose it is.
    pub library: &'static str,
    /// The driver, for algkit.
    pub driver: String,
    /// Nanoseconds a call in its fastest slice.
    pub fastest: f64,
    /// Its time divided by the first contender's: the median over rounds.
    pub ratio: f64,
}

/// The results for one message size; algkit is first.
#[derive(Debug)]
pub struct Cell {
    /// Bytes.
    pub size: usize,
    /// One for each contender.
    pub scores: Vec<Score>,
}

impl Cell {
    /// The score of a library, if it has the algorithm.
    pub fn of(&self, library: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.library == library)
    }

    /// MiB a second of the first contender.
    pub fn mib_s(&self, score: &Score) -> f64 {
        self.size as f64 / score.fastest * 1e9 / f64::from(1 << 20)
    }
}

/// Measures a case at one size.
pub fn cell(case: &Case, size: usize, rounds: usize, slice: Duration) -> Cell {
    let mut contenders = contenders::all(case, size);
    same_answers(case, size, &mut contenders);
    Cell { size, scores: take_turns(&mut contenders, size, rounds, slice) }
}

/// A message, and room behind it for a tag.
fn message(size: usize) -> Vec<u8> {
    (0..size + ROOM).map(|i| (i * i / 7) as u8).collect()
}

/// All contenders make the same of a message; instruction streams make nothing.
fn same_answers(case: &Case, size: usize, contenders: &mut [Contender]) {
    let mut want = None;
    for contender in contenders.iter_mut().filter(|c| c.library != "limit") {
        let (mut buf, mut out) = (message(size), [0; 64]);
        (contender.work)(&mut buf, &mut out);
        buf.truncate(size);
        match &want {
            None => want = Some((buf, out)),
            Some(want) => {
                assert!(*want == (buf, out), "{} of {}, {size} bytes: another answer", case.title(), contender.library)
            }
        }
    }
}

/// Times the contenders round-robin.
pub fn take_turns(contenders: &mut [Contender], size: usize, rounds: usize, slice: Duration) -> Vec<Score> {
    let (mut buf, mut out) = (message(size), [0; 64]);
    let mut time = |contender: &mut Contender, calls: u32| {
        let start = Instant::now();
        for _ in 0..calls {
            (contender.work)(&mut buf, &mut out);
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    let calls: Vec<u32> = contenders
        .iter_mut()
        .map(|contender| {
            let quick = (0..4).map(|i| time(contender, 1 << (2 * i))).fold(f64::INFINITY, f64::min);
            (slice.as_secs_f64() * 1e9 / quick).clamp(1.0, 1e6) as u32
        })
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            let i = (round + turn) % contenders.len();
            times[i].push(time(&mut contenders[i], calls[i]));
        }
    }
    let score = |(contender, own): (&Contender, &Vec<f64>)| Score {
        library: contender.library,
        driver: contender.driver.clone(),
        fastest: own.iter().copied().fold(f64::INFINITY, f64::min),
        ratio: median(own.iter().zip(&times[0]).map(|(own, first)| own / first).collect()),
    };
    contenders.iter().zip(&times).map(score).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
