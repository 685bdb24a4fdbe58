//! Runs every driver under valgrind, with secrets marked.
//!
//! `ctgrind` runs itself under valgrind (`--inside`). That process reports each driver with the number of objections by
//! memcheck. Drivers with objections are run again, with those objections suppressed that the one documented exception
//! explains: lookups in the S-box of `aes-fixed-time`.
//!
//! Meanwhile, the allocator looks for secrets in blocks that are freed.

use algkit::{CATALOGUE, Policy, Registry, cpu::CpuFeatures, driver::Timing, mask_cpu};
use algkit_timing::{
    Error, controls,
    exercise::{Hidden, Secrets, exercise},
    heap::{self, Watched},
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

/// Masks of CPU features, in the language of ALGKIT_CPU, with which the default policy is asked for drivers: from all
/// features that valgrind can execute to fewer and fewer.
const MASKS: &[&str] = &["", "-avx2", "-aes", "-aes,-avx2", "-pclmul", "-ssse3", "-sse2"];

/// Drivers that contain `aes-fixed-time`, by name or by construction. Bit-sliced CBC encrypts with it, bit-sliced XTS
/// encrypts its first tweak with it, and HCTR2 over bit-sliced XCTR its one block. See docs/security.md.
const CACHE_HARDENED: &[(&str, &str)] =
    &[("aes-fixed-time", ""), ("cbc-aes-", "bs"), ("xts-aes-", "bs"), ("hctr2_base", "")];

const DECISION: &str = include_str!("../decision.supp");
const FIXED_TIME: &str = include_str!("../fixed_time.supp");

/// A control that leaks on purpose.
const CONTROL_BRANCH: &str = "control: a branch on a secret";
/// A control that leaks on purpose.
const CONTROL_LOOKUP: &str = "control: an address from a secret";
/// A control that leaves a key in freed memory.
const CONTROL_HEAP: &str = "control: a key that is not wiped";
/// A control that does not leak.
const CONTROL_CONSTANT: &str = "control: constant-time comparison";

#[global_allocator]
static ALLOCATOR: Watched = Watched;

#[derive(Parser)]
#[command(about = "Runs every driver under valgrind with keys and data marked as secret")]
struct Args {
    /// Only drivers whose name contains one of these
    names: Vec<String>,
    /// Show valgrind's log: where the objections are
    #[arg(long)]
    log: bool,
    /// Show in valgrind's log as well who frees memory that is not wiped
    #[arg(long)]
    blame: bool,
    /// What runs inside valgrind
    #[arg(long, hide = true)]
    inside: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = if args.inside { inside(&args).map(|()| true) } else { outside(&args) };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("ctgrind: {error}");
            ExitCode::from(2)
        }
    }
}

/// The drivers that valgrind can execute: every row of the table, and what the default policy composes of the
/// catalogue's templates with each of the masks.
fn subjects() -> Result<Vec<Subject>, algkit::Error> {
    let mut seen = BTreeSet::new();
    let mut subjects = Vec::new();
    for mask in MASKS {
        let registry = Registry::new(mask_cpu(CpuFeatures::detect(), mask)?, Policy::Constant);
        let rows = if mask.is_empty() { registry.drivers() } else { Vec::new() };
        let rows = rows.iter().filter(|row| registry.is_usable(row)).map(|row| row.driver.clone());
        for name in rows.chain(CATALOGUE.iter().map(|&name| name.to_owned())) {
            match Subject::find(&registry, &name) {
                Ok(Some(subject)) if seen.insert(subject.driver().driver.clone()) => subjects.push(subject),
                Ok(_) | Err(algkit::Error::TableOnly { .. } | algkit::Error::NotUsable(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(subjects)
}

/// Examines drivers and prints a line for each: number of errors, number of bytes not wiped, timing, name.
fn inside(Args { names, blame, .. }: &Args) -> Result<(), Error> {
    if !valgrind::is_running() {
        return Err(Error::NoValgrind);
    }
    if *blame {
        heap::blame();
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| name.contains(n.as_str()));
    let report = |name: &str, timing: Timing, examine: &dyn Fn(Secrets) -> Result<(), Error>| {
        if !wanted(name) {
            return Ok(());
        }
        let unwiped = |secrets| {
            let before = heap::unwiped();
            examine(secrets)?;
            Ok(heap::unwiped() - before)
        };
        let padding = unwiped(Secrets::Known)?;
        let errors = valgrind::errors();
        let unwiped = unwiped(Secrets::Hidden)?.saturating_sub(padding);
        println!("{}\t{unwiped}\t{timing}\t{name}", valgrind::errors() - errors);
        Ok(())
    };
    report(CONTROL_BRANCH, Timing::Table, &|secrets| {
        let (a, b) = (Hidden::new(subject::random(32), 0, secrets), subject::random(32));
        std::hint::black_box(controls::early_exit(&a.0, &b));
        Ok(())
    })?;
    report(CONTROL_LOOKUP, Timing::Table, &|secrets| {
        let table = std::array::from_fn(|i| i as u8 ^ 0x55);
        let mut data = Hidden::new(subject::random(32), 0, secrets);
        controls::lookup(&table, &mut data.0);
        Ok(())
    })?;
    report(CONTROL_CONSTANT, Timing::Constant, &|secrets| {
        let (a, b) = (Hidden::new(subject::random(32), 0, secrets), subject::random(32));
        std::hint::black_box(a.0.ct_eq(&b).unwrap_u8());
        Ok(())
    })?;
    report(CONTROL_HEAP, Timing::Constant, &|secrets| {
        let key = Hidden::new(subject::random(32), 0, secrets);
        drop(std::hint::black_box(key.0.clone()));
        Ok(())
    })?;
    for subject in subjects().map_err(Error::of("catalogue"))?.iter().filter(|s| s.is_secret()) {
        let driver = subject.driver();
        report(&driver.driver, driver.timing, &|secrets| exercise(subject, secrets))?;
    }
    Ok(())
}

/// The findings about a driver.
struct Finding {
    constant: bool,
    errors: u64,
    unwiped: u64,
}

/// Runs this program under valgrind. Returns the findings by driver, and valgrind's log.
fn run(names: &[String], blame: bool, suppressions: &str) -> Result<(BTreeMap<String, Finding>, String), Error> {
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
        .args(blame.then_some("--blame"))
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
        let mut fields = line.splitn(4, '\t');
        let errors = fields.next()?.parse().ok()?;
        let unwiped = fields.next()?.parse().ok()?;
        let constant = fields.next()? == "constant";
        Some((fields.next()?.to_owned(), Finding { constant, errors, unwiped }))
    };
    let findings = lines.lines().map(|line| finding(line).ok_or_else(|| Error::Report(line.to_owned())));
    Ok((findings.collect::<Result<_, _>>()?, text))
}

/// The verdict on a driver. `again` are the findings with the exception's lookups suppressed.
fn verdict(name: &str, finding: &Finding, again: Option<&Finding>) -> &'static str {
    let must_leak = [CONTROL_BRANCH, CONTROL_LOOKUP, "aes-generic"].contains(&name);
    match finding {
        Finding { unwiped: 0, .. } if name == CONTROL_HEAP => "BLIND",
        Finding { unwiped: 1.., .. } if name != CONTROL_HEAP => "UNWIPED",
        Finding { constant: true, errors: 0, .. } => "constant",
        Finding { constant: true, .. } if may_look_up(name) && again.is_some_and(|f| f.errors == 0) => "hardened",
        Finding { constant: true, .. } => "LEAK",
        Finding { errors: 0, .. } if must_leak => "BLIND",
        Finding { errors: 0, .. } => "unseen",
        Finding { .. } => "table",
    }
}

/// Prints the verdicts; returns whether each is as it should be.
fn outside(args: &Args) -> Result<bool, Error> {
    let (findings, log) = run(&args.names, args.blame, DECISION)?;
    if findings.is_empty() {
        return Err(Error::NoDriver(args.names.join(" ")));
    }
    let suspects: Vec<_> =
        findings.iter().filter(|(_, f)| f.constant && f.errors > 0).map(|(n, _)| n.clone()).collect();
    // Names select by substring, so other drivers may be run again too. That does no harm.
    let again = if suspects.is_empty() {
        BTreeMap::new()
    } else {
        run(&suspects, false, &format!("{DECISION}{FIXED_TIME}"))?.0
    };

    let mut counts = BTreeMap::new();
    let mut text = format!("{:<10} {:<10} {:>10} {:>8}  driver\n", "verdict", "timing", "objections", "unwiped");
    for (name, finding) in &findings {
        let verdict = verdict(name, finding, again.get(name));
        *counts.entry(verdict).or_insert(0u32) += 1;
        let Finding { constant, errors, unwiped } = finding;
        let timing = if *constant { Timing::Constant } else { Timing::Table };
        text += &format!("{verdict:<10} {timing:<10} {errors:>10} {unwiped:>8}  {name}\n");
    }
    let summary: Vec<_> = counts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
    text += &format!("{}\n", summary.join(", "));
    text += "hardened: lookups in the S-box of aes-fixed-time, which is kept in the cache, and nothing else\n";
    let good = !counts.keys().any(|verdict| ["LEAK", "UNWIPED", "BLIND"].contains(verdict));
    if args.log || args.blame {
        text += &log;
    } else if !good {
        text += "`ctgrind --log NAME` shows the branches and addresses, `ctgrind --blame NAME` who does not wipe\n";
    }
    std::io::stdout().write_all(text.as_bytes()).map_err(Error::io("standard output"))?;
    Ok(good)
}

/// Whether the driver is one of the exceptions.
fn may_look_up(name: &str) -> bool {
    CACHE_HARDENED
        .iter()
        .any(|(part, end)| name.split(['(', ')', ',']).any(|word| word.starts_with(part) && word.ends_with(end)))
}
