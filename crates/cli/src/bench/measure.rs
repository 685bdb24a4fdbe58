//! Time measurement.
//!
//! Absolute figures mean little on a machine with other load, so everything is measured under the same conditions:
//! contenders take turns in slices of about a millisecond, for many rounds. The fastest slice of each contender is
//! the cost of the code without disturbance. The median shows the extent of the disturbance.
//!
//! Passes of a fixed volume (`--long`) are too long for this method. There a single thread stays on one CPU, and its
//! CPU time is measured, which excludes other work on that CPU. The excess of the wall clock time shows the
//! disturbance.
//!
//! Several threads are measured together by the wall clock, from the first that starts to the last that ends. Threads
//! that wait for a CPU would not count in CPU time, nor between their own starts and ends, and the speed of all
//! threads together would be more than the CPUs can do.

use crate::progress::Progress;
use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity},
    time::{ClockId, clock_gettime},
};
use std::{
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

/// One operation on the given text, or without one. It must be repeatable.
pub type Work = Box<dyn FnMut(&mut [u8]) + Send>;

/// A contender: one operation for each thread, the message size in bytes, and the size of each thread's working set
/// in bytes.
pub struct Contender {
    pub threads: Vec<Work>,
    pub size: usize,
    pub working_set: usize,
}

/// The extent of a measurement.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    /// Slices until each contender has been measured for this long.
    Time(Duration),
    /// This many passes, each with operations for this many bytes in each thread; in CPU time if there is one thread.
    Volume { passes: u32, bytes: u64 },
}

/// The times of one operation, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub fastest: f64,
    pub median: f64,
    pub mean: f64,
    pub deviation: f64,
    /// The ratio of wall clock time to CPU time; 1 if only the wall clock is used.
    pub wall: f64,
}

impl Times {
    /// Whether other work had a visible effect: threads waited for a CPU, or the passes differ.
    pub fn disturbed(&self) -> bool {
        self.wall > 1.02 || self.deviation > 0.03 * self.mean
    }
}

/// The time of one operation in a slice or a pass, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// By the selected clock.
    ns: f64,
    /// The ratio of wall clock time to CPU time; 1 if only the wall clock is used.
    stretch: f64,
}

/// What a thread measures of its operations.
struct Span {
    start: Instant,
    end: Instant,
    /// CPU time in nanoseconds, if requested.
    cpu: Option<f64>,
}

/// The duration of a slice.
const SLICE: Duration = Duration::from_millis(1);

/// The duration of a slice with several threads, which need some time to start together.
const SLICE_OF_THREADS: Duration = Duration::from_millis(10);

/// The minimum number of rounds.
const MIN_ROUNDS: u32 = 5;

/// Measures all contenders in turns.
pub fn interleaved(contenders: &mut [Contender], plan: Plan) -> Vec<Times> {
    let threads = contenders.iter().map(|c| c.threads.len()).max().unwrap_or(1);
    let largest = contenders.iter().map(|c| c.size.max(c.working_set)).max().unwrap_or(0);
    let mut texts: Vec<_> = (0..threads).map(|_| Texts::new(largest)).collect();
    let slice = if threads == 1 { SLICE } else { SLICE_OF_THREADS };
    let counts: Vec<u64> = contenders
        .iter_mut()
        .map(|c| match plan {
            Plan::Time(_) => calibrate(c, &mut texts, slice),
            Plan::Volume { bytes, .. } => bytes.div_ceil(c.size.max(1) as u64),
        })
        .collect();
    let rounds = match plan {
        Plan::Time(time) => (time.as_secs_f64() / slice.as_secs_f64()).ceil() as u32,
        Plan::Volume { passes, .. } => passes,
    };
    let rounds = rounds.max(MIN_ROUNDS);
    let by_cpu_time = matches!(plan, Plan::Volume { .. });
    let mut samples = vec![Vec::new(); contenders.len()];
    let mut progress = Progress::items(u64::from(rounds) * contenders.len() as u64);
    for _ in 0..rounds {
        for ((contender, &count), samples) in contenders.iter_mut().zip(&counts).zip(&mut samples) {
            samples.push(sample(contender, &mut texts, count, by_cpu_time));
            progress.advance(1);
        }
    }
    samples.into_iter().map(Times::of).collect()
}

/// The number of operations that fill a slice.
fn calibrate(contender: &mut Contender, texts: &mut [Texts], slice: Duration) -> u64 {
    let slice = slice.as_nanos() as f64;
    let mut count = 1;
    loop {
        let one = sample(contender, texts, count, false).ns;
        if one * count as f64 >= slice / 4.0 {
            return (slice / one).ceil().max(1.0) as u64;
        }
        count *= 2;
    }
}

/// The time of an operation when `count` of them run in sequence in each thread.
fn sample(contender: &mut Contender, texts: &mut [Texts], count: u64, by_cpu_time: bool) -> Sample {
    let (size, working_set) = (contender.size, contender.working_set);
    let run = |work: &mut Work, texts: &mut Texts| {
        let mut texts = texts.within(working_set);
        let (cpu, start) = (by_cpu_time.then(cpu_time), Instant::now());
        for _ in 0..count {
            work(black_box(texts.next(size)));
        }
        Span { start, end: Instant::now(), cpu: cpu.map(|cpu| cpu_time() - cpu) }
    };
    let cpus = if by_cpu_time { cpus(contender.threads.len()) } else { Vec::new() };
    if let [work] = &mut contender.threads[..] {
        stay_on(cpus.first());
        return Sample::of(&[run(work, &mut texts[0])], count);
    }
    let barrier = Barrier::new(contender.threads.len());
    let (run, barrier, cpus) = (&run, &barrier, &cpus);
    let spans = thread::scope(|scope| {
        let one = |(i, (work, text))| {
            scope.spawn(move || {
                stay_on(cpus.get(i));
                barrier.wait();
                run(work, text)
            })
        };
        let threads: Vec<_> = contender.threads.iter_mut().zip(texts).enumerate().map(one).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<Span>>()
    });
    Sample::of(&spans, count)
}

impl Sample {
    /// The time of one of `count` operations in each of the threads.
    fn of(spans: &[Span], count: u64) -> Self {
        let start = spans.iter().map(|span| span.start).min();
        let end = spans.iter().map(|span| span.end).max();
        let wall = start.zip(end).map_or(0.0, |(start, end)| end.duration_since(start).as_nanos() as f64);
        let cpu = spans.iter().map(|span| span.cpu).sum::<Option<f64>>().map(|cpu| cpu / spans.len() as f64);
        let ns = cpu.filter(|_| spans.len() == 1).unwrap_or(wall);
        Self { ns: ns / count as f64, stretch: cpu.map_or(1.0, |cpu| wall / cpu) }
    }
}

/// The CPU time of this thread, in nanoseconds.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// A CPU for each of `threads`: the current one for a single thread, else the first ones that may be used. Empty if
/// there are too few or the system does not report them.
fn cpus(threads: usize) -> Vec<usize> {
    if threads == 1 {
        return vec![sched_getcpu()];
    }
    let allowed = sched_getaffinity(None)
        .map_or_else(|_| Vec::new(), |set| (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).take(threads).collect());
    if allowed.len() == threads { allowed } else { Vec::new() }
}

/// Pins this thread to a CPU, if one is given.
fn stay_on(cpu: Option<&usize>) {
    if let Some(&cpu) = cpu {
        let mut set = CpuSet::new();
        set.set(cpu);
        // If pinning is not allowed, the thread may move and is still measured.
        let _ = sched_setaffinity(None, &set);
    }
}

impl Times {
    fn of(samples: Vec<Sample>) -> Self {
        let wall = samples.iter().map(|s| s.stretch).sum::<f64>() / samples.len() as f64;
        let mut samples: Vec<f64> = samples.iter().map(|s| s.ns).collect();
        samples.sort_by(f64::total_cmp);
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let variance = samples.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { fastest: samples[0], median: samples[samples.len() / 2], mean, deviation: variance.sqrt(), wall }
    }
}

/// The memory for the texts of a thread.
struct Texts {
    bytes: Vec<u8>,
    /// For each working set size, the position of the next text. It is kept between slices, so that data which does
    /// not fit a cache has been evicted from it.
    next: Vec<(usize, usize)>,
}

/// Texts that start at cache lines, one after the other in a working set.
struct Within<'a> {
    bytes: &'a mut [u8],
    at: &'a mut usize,
}

const LINE: usize = 64;

impl Texts {
    /// The contents are not zero, because the system might map all zero pages to one physical page.
    fn new(size: usize) -> Self {
        Self { bytes: vec![0xa5; size + LINE], next: Vec::new() }
    }

    fn within(&mut self, working_set: usize) -> Within<'_> {
        let known = self.next.iter().position(|(set, _)| *set == working_set);
        let i = known.unwrap_or_else(|| {
            self.next.push((working_set, 0));
            self.next.len() - 1
        });
        let start = self.bytes.as_ptr().align_offset(LINE).min(LINE);
        Within { bytes: &mut self.bytes[start..start + working_set], at: &mut self.next[i].1 }
    }
}

impl Within<'_> {
    fn next(&mut self, size: usize) -> &mut [u8] {
        if *self.at + size > self.bytes.len() {
            *self.at = 0;
        }
        let start = *self.at;
        *self.at += size.next_multiple_of(LINE);
        &mut self.bytes[start..start + size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_few_samples() {
        let sample = |ns| Sample { ns, stretch: 1.1 };
        let times = Times::of([4.0, 2.0, 9.0].map(sample).to_vec());
        assert_eq!((times.fastest, times.median, times.mean), (2.0, 4.0, 5.0));
        assert!((times.deviation - 13f64.sqrt()).abs() < 1e-12 && (times.wall - 1.1).abs() < 1e-12);
        assert!(times.disturbed());
        let quiet = |ns| Sample { ns, stretch: 1.0 };
        assert!(!Times::of([4.0, 4.01, 4.02].map(quiet).to_vec()).disturbed());
    }

    /// Sleeping takes hardly any CPU time, and the wall clock shows it as a disturbance.
    #[test]
    fn waiting_is_a_disturbance_and_no_time() {
        let sleep: Work = Box::new(|_| thread::sleep(Duration::from_millis(2)));
        let mut contenders = [Contender { threads: vec![sleep], size: 1, working_set: 1 }];
        let [times] = interleaved(&mut contenders, Plan::Volume { passes: 5, bytes: 5 })[..] else { panic!() };
        assert!(times.mean < 1e6 && times.wall > 2.0 && times.disturbed(), "{times:?}");
    }

    /// Threads that share a CPU cannot compute more than the CPU, however the clocks are read.
    #[test]
    fn more_threads_than_cpus_are_no_faster() {
        const THREADS: usize = 4;
        const NS: f64 = 1e6;
        // The threads that this one starts stay on its CPU. Tests have a thread each.
        stay_on(Some(&sched_getcpu()));
        let spin = || -> Work {
            Box::new(|_| {
                let start = cpu_time();
                while cpu_time() - start < NS {}
            })
        };
        for plan in [Plan::Volume { passes: 5, bytes: 10 }, Plan::Time(Duration::from_millis(50))] {
            let threads = (0..THREADS).map(|_| spin()).collect();
            let mut contenders = [Contender { threads, size: 1, working_set: 1 }];
            let [times] = interleaved(&mut contenders, plan)[..] else { panic!() };
            // The two clocks may run at rates that differ a little.
            assert!(times.fastest >= 0.99 * NS * THREADS as f64, "{plan:?}: {times:?}");
        }
    }

    #[test]
    fn texts_follow_each_other_within_the_working_set() {
        let mut texts = Texts::new(1024);
        let mut offsets = |set, sizes: &[usize]| {
            let mut within = texts.within(set);
            let first = within.bytes.as_ptr().addr();
            assert_eq!(first % LINE, 0);
            let offset = |size: &usize| {
                let text = within.next(*size);
                assert_eq!(text.len(), *size);
                text.as_ptr().addr() - first
            };
            sizes.iter().map(offset).collect::<Vec<_>>()
        };
        assert_eq!(offsets(356, &[100; 4]), [0, 128, 256, 0]);
        assert_eq!(offsets(100, &[100; 3]), [0; 3]);
        assert_eq!(offsets(356, &[100; 2]), [128, 256], "it goes on where it was");
        assert_eq!(offsets(1024, &[1024; 2]), [0; 2]);
        assert_eq!(offsets(0, &[0; 2]), [0; 2]);
    }

    #[test]
    fn every_thread_works_on_text_of_the_right_size() {
        use std::sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        };
        let bytes = Arc::new(AtomicU64::new(0));
        let work = || -> Work {
            let bytes = bytes.clone();
            Box::new(move |text| {
                bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
            })
        };
        let mut contenders = [Contender { threads: vec![work(), work(), work()], size: 100, working_set: 100 }];
        interleaved(&mut contenders, Plan::Volume { passes: 10, bytes: 1000 });
        assert_eq!(bytes.load(Ordering::Relaxed), 10 * 3 * 1000);
    }
}
