//! The measurement, in which contenders take turns in random orders.

use crate::{
    case::Case,
    contender::Contender,
    contenders::{self, Library},
    limits,
    streams::{self, Stream},
    texts::Texts,
};
use peers_plugin::{Iv, Level, Op, Out, Request, Work};
use std::{
    slice::from_ref,
    time::{Duration, Instant},
};

/// The result of one contender for a cell.
#[derive(Clone, Debug)]
pub struct Score {
    /// The library's name.
    pub library: &'static str,
    /// The driver's name for algkit, or the instruction of a bound.
    pub driver: String,
    /// The time per message in its fastest slice, in nanoseconds.
    pub fastest: f64,
    /// Its time divided by that of the first contender: the median over rounds.
    pub ratio: f64,
}

/// The results for one message size and number of messages; algkit is the first.
#[derive(Debug)]
pub struct Cell {
    /// The length of a message in bytes.
    pub size: usize,
    /// The number of messages in a call.
    pub messages: usize,
    /// One result for each contender.
    pub scores: Vec<Score>,
}

impl Cell {
    /// The score of algkit.
    pub fn own(&self) -> &Score {
        &self.scores[0]
    }

    /// The scores of the libraries other than algkit.
    pub fn peers(&self) -> impl Iterator<Item = &Score> {
        self.scores[1..].iter().filter(|score| score.library != limits::NAME)
    }

    /// The score of a library, if it has the algorithm.
    pub fn of(&self, library: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.library == library)
    }

    /// The fastest library other than algkit.
    pub fn best(&self) -> Option<&Score> {
        self.peers().min_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }

    /// The slowest bound, which is the limit.
    pub fn limit(&self) -> Option<&Score> {
        self.scores.iter().filter(|s| s.library == limits::NAME).max_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }

    /// The speed in gigabytes (10⁹ bytes) per second.
    pub fn gb_s(&self, score: &Score) -> f64 {
        self.size as f64 / score.fastest
    }
}

/// The results of a case at every size.
pub struct Table {
    /// The case.
    pub case: &'static Case,
    /// One cell for each size and each number of messages.
    pub cells: Vec<Cell>,
}

impl Table {
    /// The driver that algkit chose.
    pub fn driver(&self) -> &str {
        self.cells.first().map_or("", |cell| &cell.own().driver)
    }

    /// The libraries that implement the case, in the order of the columns.
    pub fn libraries(&self) -> Vec<&'static str> {
        self.cells.first().map_or(vec![], |cell| cell.peers().map(|score| score.library).collect())
    }
}

/// The time that measurements may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The number of rounds for each cell.
    pub rounds: usize,
    /// The duration of a slice.
    pub slice: Duration,
    /// The time for a cell. When it has passed, five rounds are enough.
    pub most: Option<Duration>,
}

/// The smallest number of rounds of a cell whose time is limited.
const FEWEST: usize = 5;

/// Measures a case at one size.
pub fn cell(case: &Case, request: &Request, libraries: &[Library], effort: Effort) -> Cell {
    let mut contenders = contenders::all(case, request, libraries);
    let sealed = (case.is_aead() && case.op == Op::Decrypt).then(|| sealed(case, request));
    same_answers(case, request, &mut contenders, sealed.as_deref());
    let mut bench = Bench::new(case, request, sealed);
    let scores = take_turns(&mut contenders, &mut bench, effort);
    Cell { size: request.size, messages: request.messages, scores }
}

/// The number of different IVs. They are used in turn, so that no call profits from the one before.
const IVS: usize = 64;

/// Messages to be opened are restored outside of the measured time: as many at once as fit into so many bytes, or one.
const TOGETHER: usize = 32 << 10;

/// The number of runs that are timed together; their IVs are all different.
fn together(case: &Case, request: &Request) -> usize {
    let opened = case.is_aead() && case.op == Op::Decrypt;
    let most = IVS / request.messages;
    if opened { (TOGETHER / (request.messages * request.stride())).clamp(1, most) } else { most }
}

/// The messages sealed by algkit, each with its tag behind it.
fn sealed(case: &Case, request: &Request) -> Texts {
    let mut sealing = contenders::algkit(case, &Request { op: Op::Encrypt, messages: 1, ..*request });
    let n = together(case, request) * request.messages;
    let (mut text, size) = (Texts::new(request, n), request.size);
    for (iv, slot) in case.ivs(n).iter().zip(text.chunks_exact_mut(request.stride())) {
        let mut tag = [[0; 64]];
        assert!(sealing.work.run(from_ref(iv), slot, &mut tag, request.stride()), "{}: a message", case.title());
        slot[size..size + 16].copy_from_slice(&tag[0][..16]);
    }
    text
}

/// Asserts that all contenders give the same results, and that none opens a message that was changed.
fn same_answers(case: &Case, request: &Request, contenders: &mut [Contender], sealed: Option<&[u8]>) {
    let (n, stride, size) = (request.messages, request.stride(), request.size);
    let texts = Texts::new(request, n);
    let input = sealed.map_or(&texts[..], |sealed| &sealed[..n * stride]);
    let ivs = case.ivs(n);
    let mut want = None;
    for contender in contenders.iter_mut().filter(|c| c.library != limits::NAME) {
        let who = format!("{} of {}, {n} messages of {size} bytes", case.title(), contender.library);
        let (mut text, mut outs) = (Texts::of(input), vec![[0; 64]; n]);
        assert!(contender.work.run(&ivs, &mut text, &mut outs, stride), "{who}: refused");
        if sealed.is_some() {
            outs.fill([0; 64]); // some libraries write the tag that they have computed
        }
        text.chunks_exact_mut(stride).for_each(|slot| slot[size..].fill(0));
        match &want {
            None => want = Some((text, outs)),
            Some(want) => assert!(want.0[..] == text[..] && want.1 == outs, "{who}: another answer"),
        }
        if sealed.is_some() {
            let (mut text, mut outs) = (Texts::of(input), vec![[0; 64]; n]);
            text[(n - 1) * stride + size + 3] ^= 1;
            assert!(!contender.work.run(&ivs, &mut text, &mut outs, stride), "{who}: a wrong tag was accepted");
        }
    }
    if let (Some(_), Some((opened, _))) = (sealed, &want) {
        for (opened, text) in opened.chunks_exact(stride).zip(texts.chunks_exact(stride)) {
            assert!(opened[..size] == text[..size], "{}: not what was sealed", case.title());
        }
    }
}

/// The data that contenders work on.
pub struct Bench {
    ivs: Vec<Iv>,
    text: Texts,
    outs: Vec<Out>,
    sealed: Option<Texts>,
    messages: usize,
    stride: usize,
    together: usize,
    /// The time that reading the clock twice takes, in nanoseconds.
    clock: f64,
}

impl Bench {
    fn new(case: &Case, request: &Request, sealed: Option<Texts>) -> Self {
        let together = together(case, request);
        let n = if sealed.is_some() { together } else { 1 } * request.messages;
        Self {
            ivs: case.ivs(together * request.messages),
            text: Texts::new(request, n),
            outs: vec![[0; 64]; request.messages],
            sealed,
            messages: request.messages,
            stride: request.stride(),
            together,
            clock: (0..1000).map(|_| nanos(Instant::now())).fold(f64::INFINITY, f64::min),
        }
    }

    /// An empty bench, for bounds, which have no message.
    fn empty() -> Self {
        Self {
            ivs: vec![Iv([0; 32])],
            text: Texts::of(&[0; 64]),
            outs: vec![[0; 64]],
            sealed: None,
            messages: 1,
            stride: 64,
            together: 1,
            clock: 0.0,
        }
    }

    /// The time per message in nanoseconds, on average over `runs` runs.
    fn time(&mut self, work: &mut Work, runs: usize) -> f64 {
        let (mut ok, mut total) = (true, 0.0);
        let Some(sealed) = &self.sealed else {
            let ivs = self.ivs.chunks_exact(self.messages).cycle();
            let start = Instant::now();
            for ivs in ivs.take(runs) {
                ok &= work.run(ivs, &mut self.text, &mut self.outs, self.stride);
            }
            total += nanos(start);
            assert!(ok, "refused");
            return total / (runs * self.messages) as f64;
        };
        let groups = runs.div_ceil(self.together);
        for _ in 0..groups {
            self.text.copy_from_slice(sealed);
            let runs =
                self.ivs.chunks_exact(self.messages).zip(self.text.chunks_exact_mut(self.messages * self.stride));
            let start = Instant::now();
            for (ivs, text) in runs {
                ok &= work.run(ivs, text, &mut self.outs, self.stride);
            }
            total += nanos(start) - self.clock;
        }
        assert!(ok, "refused");
        total / (groups * self.together * self.messages) as f64
    }
}

fn nanos(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9
}

/// An instruction and its time.
#[derive(Debug)]
pub struct Timed {
    /// The instruction, or group of instructions.
    pub stream: Stream,
    /// The time of one, in nanoseconds.
    pub ns: f64,
}

/// Times every stream that this CPU has.
pub fn streams(effort: Effort) -> Vec<Timed> {
    let list = streams::all();
    let mut contenders: Vec<Contender> = list.iter().map(|&stream| limits::bound(stream, 1.0)).collect();
    let scores = take_turns(&mut contenders, &mut Bench::empty(), effort);
    list.into_iter().zip(scores).map(|(stream, score)| Timed { stream, ns: score.fastest }).collect()
}

/// Times the contenders in turn, for all rounds.
fn take_turns(contenders: &mut [Contender], bench: &mut Bench, effort: Effort) -> Vec<Score> {
    let start = Instant::now();
    let slice = effort.slice.as_secs_f64() * 1e9 / bench.messages as f64;
    let runs: Vec<usize> = contenders
        .iter_mut()
        .map(|contender| {
            let mut quick = f64::INFINITY;
            for runs in [1, 4, 16, 64] {
                quick = quick.min(bench.time(&mut contender.work, runs));
                if quick * runs as f64 > slice {
                    break;
                }
            }
            (slice / quick).clamp(1.0, 1e6) as usize
        })
        .collect();
    let mut times = vec![Vec::with_capacity(effort.rounds); contenders.len()];
    let mut order: Vec<usize> = (0..contenders.len()).collect();
    // In a fixed order, each contender would always follow the same one. What follows one that uses no wide vectors is slower,
    // probably because the CPU has to power them up.
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..effort.rounds {
        if round >= FEWEST && effort.most.is_some_and(|most| start.elapsed() >= most) {
            break;
        }
        random.shuffle(&mut order);
        for &i in &order {
            let time = bench.time(&mut contenders[i].work, runs[i]);
            times[i].push(time * contenders[i].scale);
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

/// The message sizes for which many messages at a time are measured: packets and small sectors.
pub fn batch_sizes(sizes: &[usize]) -> impl Iterator<Item = usize> + '_ {
    sizes.iter().copied().filter(|size| (64..=4096).contains(size))
}

/// The cells of a case: all combinations of sizes and numbers of messages that are measured.
pub fn cells(case: &Case, sizes: &[usize], messages: &[usize], level: Level) -> Vec<Request> {
    if case.rekey {
        let smallest = sizes.iter().min().filter(|_| messages.contains(&1));
        return smallest.map(|&size| case.request(case.round_size(size), 1, level)).into_iter().collect();
    }
    let mut cells = Vec::new();
    for &n in messages {
        if n == 1 {
            let sizes = sizes.iter().map(|&size| case.round_size(size)).filter(|&size| case.takes(size));
            cells.extend(sizes.map(|size| case.request(size, 1, level)));
        } else if case.batch {
            cells.extend(batch_sizes(sizes).map(|size| case.request(case.round_size(size), n, level)));
        }
    }
    cells
}
