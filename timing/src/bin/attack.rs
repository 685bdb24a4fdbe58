//! The attack that constant time answers (Bernstein, "Cache-timing attacks on AES", 2005): a client finds out bits of a
//! server's AES key from the times of its answers.
//!
//! For each driver there are two servers on the loopback interface: one whose key the client knows, its copy of the
//! machine under attack, and one with the key that it wants. It has both encrypt random blocks, and correlates how the
//! times depend on the bytes ([`correlation`]). Servers say how long they took, as Bernstein's did: that is the
//! response time without the network, which an attacker on another machine averages out with more samples. With
//! `--window 1`, the times on the client's own clock are used as well.
//!
//! Three controls keep chance and mistakes apart from leaks:
//! - A service that leaks on purpose must be found.
//! - The same times, each counted for the text of the request after its own, must show nothing.
//! - Of the right key with its bytes exchanged, no more must be left than chance leaves.

use algkit::{Policy, Registry, cpu::CpuFeatures, driver::Timing};
use algkit_timing::{
    Error, clock,
    correlation::{self, Guess, SURE},
    profile::{BYTES, Profile, Sample},
    server::{self, CONTROL, PATIENCE, Service},
};
use clap::Parser;
use std::{
    io::{BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::ExitCode,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The table driver, the hardened one and a bit-sliced one.
const DRIVERS: &[&str] = &["aes-generic", "aes-fixed-time", "ecb-aes-u64bs"];

/// How many samples are taken from a server before it is the next one's turn.
const TURN: usize = 1 << 14;

/// How many samples are enough for the service that leaks on purpose.
const CONTROL_SAMPLES: usize = 1 << 18;

/// The fraction of samples that count, from the fastest.
const KEPT: f64 = 0.9;

#[derive(Parser)]
#[command(about = "Attacks AES keys by the times of a server on the loopback interface")]
struct Args {
    /// Drivers of AES that take one block [default: aes-generic aes-fixed-time ecb-aes-u64bs]
    drivers: Vec<String>,
    /// How many blocks each server encrypts, rounded up to a multiple of 16384
    #[arg(long, default_value_t = 1 << 18)]
    samples: usize,
    /// KiB of memory on which a server works before each request
    #[arg(long, default_value_t = 512)]
    work: usize,
    /// How many requests are sent before the client waits for answers
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=1024))]
    window: u16,
    /// Stop after as many seconds, with fewer samples
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("attack: {error}");
            ExitCode::from(2)
        }
    }
}

/// What the client sees of a server, and the server's key.
struct Connection {
    key: [u8; BYTES],
    stream: TcpStream,
    server: JoinHandle<Result<(), Error>>,
    /// Times on the server's clock.
    times: Profile,
    /// The same times, counted for the next request's text.
    displaced: Profile,
    /// Times on the client's clock.
    responses: Profile,
}

impl Connection {
    /// Starts a server with a random key.
    fn open(name: &str, memory: usize) -> Result<Self, Error> {
        let mut key = [0; BYTES];
        fastrand::fill(&mut key);
        let service = Service::new(name, key)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Error::io("listening"))?;
        let address = listener.local_addr().map_err(Error::io("listening"))?;
        let stream = TcpStream::connect(address).map_err(Error::io("connecting"))?;
        let (accepted, _) = listener.accept().map_err(Error::io("accepting"))?;
        for end in [&stream, &accepted] {
            end.set_nodelay(true).map_err(Error::io("connecting"))?;
            end.set_read_timeout(Some(PATIENCE)).map_err(Error::io("connecting"))?;
        }
        let name = name.to_owned();
        let server = thread::spawn(move || server::serve(&accepted, &name, &service, memory));
        let [times, displaced, responses] = std::array::from_fn(|_| Profile::default());
        Ok(Self { key, stream, server, times, displaced, responses })
    }

    /// Takes samples.
    fn sample(&mut self, window: usize) -> Result<(), Error> {
        let (mut samples, mut responses) = (Vec::with_capacity(TURN), Vec::new());
        let mut requests = vec![0; window * BYTES];
        let mut answers = BufReader::new(&self.stream);
        while samples.len() < TURN {
            fastrand::fill(&mut requests);
            let start = clock::now();
            (&self.stream).write_all(&requests).map_err(Error::io("asking"))?;
            for _ in 0..window {
                samples.push(server::answer(&mut answers).map_err(Error::io("waiting for an answer"))?);
            }
            let ticks = u32::try_from(clock::now() - start).unwrap_or(u32::MAX);
            if let (1, Some(last)) = (window, samples.last()) {
                responses.push(Sample { ticks, ..*last });
            }
        }
        self.times.add(&samples, 0, KEPT);
        self.displaced.add(&samples, 1, KEPT);
        self.responses.add(&responses, 0, KEPT);
        Ok(())
    }

    /// Ends the connection and its server.
    fn close(self) -> Result<(), Error> {
        drop(self.stream);
        self.server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// A service under attack.
struct Target<'a> {
    name: &'a str,
    known: Connection,
    unknown: Connection,
    spent: Duration,
}

fn run(args: &Args) -> Result<bool, Error> {
    let drivers = args.drivers.iter().map(String::as_str);
    let drivers: Vec<_> = if args.drivers.is_empty() { DRIVERS.to_vec() } else { drivers.collect() };
    let memory = args.work * 1024;
    let mut targets = [CONTROL].into_iter().chain(drivers).map(|name| {
        Ok(Target {
            name,
            known: Connection::open(name, memory)?,
            unknown: Connection::open(name, memory)?,
            spent: Duration::ZERO,
        })
    });
    let mut targets = targets.by_ref().collect::<Result<Vec<_>, Error>>()?;
    match args.work {
        0 => println!("servers do nothing between requests"),
        work => println!("before each request, a server reads the beginnings of the records in a list of {work} KiB"),
    }
    let start = Instant::now();
    // All take turns, so a time in which the machine is busy is the same for all.
    for _ in 0..args.samples.div_ceil(TURN) {
        for target in targets.iter_mut().filter(|t| t.name != CONTROL || t.known.times.taken() < CONTROL_SAMPLES) {
            let start = Instant::now();
            target.known.sample(args.window.into())?;
            target.unknown.sample(args.window.into())?;
            target.spent += start.elapsed();
        }
        if start.elapsed().as_secs() >= args.seconds {
            println!("stopped after {} seconds", args.seconds);
            break;
        }
    }
    let mut good = true;
    for target in targets {
        good &= report(&target)?;
        target.known.close()?;
        target.unknown.close()?;
    }
    Ok(good)
}

/// Attacks the key, prints what was found, and returns whether it is as it should be.
fn report(Target { name, known, unknown, spent }: &Target<'_>) -> Result<bool, Error> {
    let claimed = match *name {
        CONTROL => Timing::Table,
        name => {
            let registry = Registry::new(CpuFeatures::detect(), Policy::Table);
            registry.find_any(name).map_err(Error::of(name))?.timing
        }
    };
    println!(
        "\n{name} (timing={claimed}): twice {} samples of {} count; {:.1} s; standard deviation {:.1} ticks",
        unknown.times.samples(),
        unknown.times.taken(),
        spent.as_secs_f64(),
        unknown.times.deviation(),
    );
    let found = correlation::attack((&known.times, &known.key), &unknown.times);
    let mut leaks = print("server's clock", &found, &unknown.key);
    candidates(&found, &unknown.key);
    if unknown.responses.taken() > 0 {
        let found = correlation::attack((&known.responses, &known.key), &unknown.responses);
        leaks |= print("client's clock", &found, &unknown.key);
        candidates(&found, &unknown.key);
    }
    let displaced = correlation::attack((&known.times, &known.key), &unknown.displaced);
    let noise = print("control: times of other texts", &displaced, &unknown.key);
    let mut exchanged = unknown.key;
    exchanged.rotate_left(5);
    print("control: bytes of the key exchanged", &found, &exchanged);

    let wrong = found.iter().zip(&unknown.key).filter(|(guess, byte)| guess.excludes(**byte)).count();
    let verdict = match (leaks, claimed) {
        _ if noise => "BROKEN: a control shows a leak",
        (true, _) if wrong > 0 => "WRONG: the right value of a byte was excluded",
        (true, Timing::Constant) => "LEAK",
        (true, _) => "leaks",
        (false, _) if *name == CONTROL => "BLIND: a leak that is there was not found",
        (false, _) => "nothing found",
    };
    println!("  {verdict}");
    Ok(matches!(verdict, "leaks" | "nothing found"))
}

/// Prints a line on what was found, and returns whether anything was.
fn print(what: &str, guesses: &[Guess], key: &[u8; BYTES]) -> bool {
    let certainty = guesses.iter().map(|guess| guess.certainty).fold(0.0, f64::max);
    let bits: f64 = guesses.iter().map(Guess::bits).sum();
    let left = guesses.iter().zip(key).filter(|(guess, byte)| !guess.excludes(**byte)).count();
    let chance = guesses.iter().map(|guess| guess.possible as f64 / 256.0).sum::<f64>();
    println!(
        "  {what}: correlation of {certainty:.1} standard deviations ({SURE} is sure); {bits:.1} bits found; \
         right value left for {left} of 16 bytes (by chance {chance:.1})"
    );
    certainty >= SURE
}

/// Prints what is left of each byte.
fn candidates(guesses: &[Guess], key: &[u8; BYTES]) {
    let list = |what, value: &dyn Fn(&Guess, u8) -> usize| {
        let values: String =
            guesses.iter().zip(key).map(|(guess, &byte)| format!(" {:3}", value(guess, byte))).collect();
        println!("    {what:<30}{values}");
    };
    list("candidates left for each byte", &|guess, _| guess.possible);
    list("place of the right value", &|guess, byte| guess.rank(byte) + 1);
}
