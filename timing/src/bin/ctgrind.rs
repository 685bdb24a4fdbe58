//! Every driver under valgrind, with secrets marked.
//!
//! `ctgrind` starts valgrind with itself in it (`--inside`), which reports each driver with the number of
//! times that memcheck objected. Drivers with objections go through it a second time, with those
//! suppressed that the one documented exception explains: lookups in the S-box of `aes-fixed-time`.

use algkit::{CATALOGUE, Policy, Registry, cpu::CpuFeatures, driver::Timing, mask_cpu};
use algkit_timing::{
    Error, controls, exercise,
    subject::{self, Subject},
    valgrind,
};
use clap::Parser;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    process::{Command, ExitCode, Stdio},
};
use subtle::ConstantTimeEq;

/// CPUs on which the default policy is asked for drivers, in the language of ALGKIT_CPU: all that valgrind
/// executes, and less and less of it.
const MASKS: &[&str] = &["", "-avx2", "-aes", "-aes,-avx2", "-pclmul", "-ssse3", "-sse2"];

/// Drivers that contain `aes-fixed-time`, by name or by construction: bit-sliced CBC encrypts with it,
/// and bit-sliced XTS encrypts its first tweak with it. See docs/security.md.
const CACHE_HARDENED: &[(&str, &str)] = &[("aes-fixed-time", ""), ("cbc-aes-", "bs"), ("xts-aes-", "bs")];

const DECISION: &str = include_str!("../decision.supp");
const FIXED_TIME: &str = include_str!("../fixed_time.supp");

/// Leaks on purpose.
const CONTROL_BRANCH: &str = "control: a branch on a secret";
/// Leaks on purpose.
const CONTROL_LOOKUP: &str = "control: an address from a secret";
/// Does not leak.
const CONTROL_CONSTANT: &str = "control: constant-time comparison";

#[derive(Parser)]
#[command(about = "Runs every driver under valgrind with keys and data marked as secret")]
struct Args {
    /// Only drivers whose name contains one of these
    names: Vec<String>,
    /// Show valgrind's log: where the objections are
    #[arg(long)]
    log: bool,
    /// What runs inside valgrind
    #[arg(long, hide = true)]
    inside: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = if args.inside { inside(&args.names).map(|()| true) } else { outside(&args) };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("ctgrind: {error}");
            ExitCode::from(2)
        }
    }
}

/// Drivers that valgrind can execute: every row of the table, and what the default policy makes of the
/// catalogue's templates on each of the CPUs.
fn subjects() -> Result<Vec<Subject>, algkit::Error> {
    let mut seen = BTreeSet::new();
    let mut subjects = Vec::new();
    for mask in MASKS {
        let registry = Registry::new(mask_cpu(CpuFeatures::detect(), mask)?, Policy::Constant);
        let rows = if mask.is_empty() { registry.drivers() } else { Vec::new() };
        let rows = rows.iter().filter(|row| registry.is_usable(row)).map(|row| row.driver.clone());
        for name in rows.chain(CATALOGUE.iter().map(|&name| name.to_owned())) {
            match Subject::find(&registry, &name) {
                Ok(subject) if seen.insert(subject.driver().driver.clone()) => subjects.push(subject),
                Ok(_) | Err(algkit::Error::TableOnly { .. } | algkit::Error::NotUsable(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(subjects)
}

/// Examines drivers and reports a line each: errors, timing, name.
fn inside(names: &[String]) -> Result<(), Error> {
    if !valgrind::is_running() {
        return Err(Error::NoValgrind);
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| name.contains(n.as_str()));
    let report = |name: &str, timing: Timing, examine: &dyn Fn() -> Result<(), Error>| {
        if !wanted(name) {
            return Ok(());
        }
        let before = valgrind::errors();
        examine()?;
        println!("{}\t{timing}\t{name}", valgrind::errors() - before);
        Ok(())
    };
    report(CONTROL_BRANCH, Timing::Table, &|| {
        let (mut a, b) = (subject::random(32), subject::random(32));
        valgrind::hide(&mut a);
        std::hint::black_box(controls::early_exit(&a, &b));
        Ok(())
    })?;
    report(CONTROL_LOOKUP, Timing::Table, &|| {
        let table = std::array::from_fn(|i| i as u8 ^ 0x55);
        let mut data = subject::random(32);
        valgrind::hide(&mut data);
        controls::lookup(&table, &mut data);
        Ok(())
    })?;
    report(CONTROL_CONSTANT, Timing::Constant, &|| {
        let (mut a, b) = (subject::random(32), subject::random(32));
        valgrind::hide(&mut a);
        std::hint::black_box(a.ct_eq(&b).unwrap_u8());
        Ok(())
    })?;
    for subject in subjects().map_err(Error::of("catalogue"))?.iter().filter(|s| s.is_secret()) {
        let driver = subject.driver();
        report(&driver.driver, driver.timing, &|| exercise::exercise(subject))?;
    }
    Ok(())
}

/// What was found out about a driver.
struct Finding {
    constant: bool,
    errors: u64,
}

/// Runs this program under valgrind; findings by driver, and valgrind's log.
fn run(names: &[String], suppressions: &str) -> Result<(BTreeMap<String, Finding>, String), Error> {
    let dir = tempfile::tempdir().map_err(Error::io("temporary directory"))?;
    let (log, rules) = (dir.path().join("log"), dir.path().join("supp"));
    std::fs::write(&rules, suppressions).map_err(Error::io("suppressions"))?;
    let myself = std::env::current_exe().map_err(Error::io("own path"))?;
    let output = Command::new("valgrind")
        .args(["-q", "--error-limit=no", "--num-callers=6", "--read-inline-info=yes"])
        .arg(format!("--log-file={}", log.display()))
        .arg(format!("--suppressions={}", rules.display()))
        .arg(myself)
        .arg("--inside")
        .args(names)
        .stderr(Stdio::inherit())
        .output()
        .map_err(Error::io("valgrind"))?;
    let text = std::fs::read_to_string(&log).map_err(Error::io("valgrind's log"))?;
    if !output.status.success() {
        return Err(Error::Valgrind(format!("{}\n{text}", output.status)));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let finding = |line: &str| {
        let mut fields = line.splitn(3, '\t');
        let errors = fields.next()?.parse().ok()?;
        let constant = fields.next()? == "constant";
        Some((fields.next()?.to_owned(), Finding { constant, errors }))
    };
    let findings = lines.lines().map(|line| finding(line).ok_or_else(|| Error::Report(line.to_owned())));
    Ok((findings.collect::<Result<_, _>>()?, text))
}

/// Prints the verdicts; whether all is as it should be.
fn outside(args: &Args) -> Result<bool, Error> {
    let (findings, log) = run(&args.names, DECISION)?;
    if findings.is_empty() {
        return Err(Error::NoDriver(args.names.join(" ")));
    }
    let suspects: Vec<_> =
        findings.iter().filter(|(_, f)| f.constant && f.errors > 0).map(|(n, _)| n.clone()).collect();
    // Names select by substring, so more than the suspects may come back; that does no harm.
    let again =
        if suspects.is_empty() { BTreeMap::new() } else { run(&suspects, &format!("{DECISION}{FIXED_TIME}"))?.0 };

    let mut good = true;
    let mut out = std::io::stdout().lock();
    let mut counts = BTreeMap::new();
    let mut print = |line: std::fmt::Arguments<'_>| writeln!(out, "{line}").map_err(Error::io("standard output"));
    print(format_args!("{:<12} {:<10} {:>10}  driver", "verdict", "timing", "objections"))?;
    for (name, Finding { constant, errors }) in &findings {
        let is_control = [CONTROL_BRANCH, CONTROL_LOOKUP, "aes-generic"].contains(&&**name);
        let verdict = match (constant, errors) {
            (true, 0) => "constant",
            (true, _) if may_look_up(name) && again.get(name).is_some_and(|f| f.errors == 0) => "hardened",
            (true, _) => "LEAK",
            (false, 0) if is_control => "BLIND",
            (false, 0) => "unseen",
            (false, _) => "table",
        };
        good &= !matches!(verdict, "LEAK" | "BLIND");
        *counts.entry(verdict).or_insert(0u32) += 1;
        print(format_args!("{verdict:<12} {:<10} {errors:>10}  {name}", if *constant { "constant" } else { "table" }))?;
    }
    let summary: Vec<_> = counts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
    print(format_args!("{}", summary.join(", ")))?;
    print(format_args!(
        "hardened: lookups in the S-box of aes-fixed-time, which is kept in the cache, and nothing else"
    ))?;
    if args.log || !good {
        print(format_args!("{log}"))?;
    }
    Ok(good)
}

/// Whether the driver is on the list of exceptions.
fn may_look_up(name: &str) -> bool {
    CACHE_HARDENED
        .iter()
        .any(|(part, end)| name.split(['(', ')', ',']).any(|word| word.starts_with(part) && word.ends_with(end)))
}
