//! `algkit list`: what /proc/crypto would say, plus timing and CPU needs.

use crate::{
    answer::Answer,
    args::ListArgs,
    error::Error,
    names::Survey,
    out::{Out, to_stdout},
};
use algkit::{
    DriverRef, Registry, SelfTest, Sizes, Type,
    cpu::{Feature, FeatureSet},
};
use serde::Serialize;
use std::io::{self, Write};

/// A row of `--json`. Fields that are meaningless for the type are absent. Sizes are in bytes.
#[derive(Serialize)]
struct Row {
    name: String,
    driver: String,
    r#type: String,
    priority: u32,
    timing: String,
    cpu: Vec<&'static str>,
    /// Features without which the driver runs, but with the lowest priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefers: Option<Vec<&'static str>>,
    usable: bool,
    /// Whether the algorithm's name selects this driver.
    chosen: bool,
    selftest: String,
    /// 1, plus one for each transform in this process and for each template instance that is built on it; 0 for an
    /// instance that has not been made.
    refcnt: usize,
    /// Whether requests run elsewhere while the caller waits.
    r#async: bool,
    /// The addresses that the driver accepts have no bit of this mask set.
    alignmask: usize,
    /// The size of a keyed instance, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctxsize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocksize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_keysize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_keysize: Option<usize>,
    /// A short list of all key sizes. For ranges it is absent, and `keysize_step` is the distance from one size to
    /// the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    keysizes: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keysize_step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ivsize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maxauthsize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digestsize: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seedsize: Option<usize>,
}

impl Row {
    fn new(registry: &Registry, survey: &Survey, driver: &DriverRef) -> Self {
        let (kind, shape) = (driver.kind, &driver.shape);
        // The key of a random number generator is its seed.
        let seeded = kind == Type::Rng;
        let keyed = shape.keys.max() > 0 && !seeded;
        let mode = matches!(kind, Type::Skcipher | Type::Aead);
        Self {
            name: driver.name.clone(),
            driver: driver.driver.clone(),
            r#type: kind.to_string(),
            priority: driver.priority(),
            timing: driver.timing.to_string(),
            cpu: names(driver.needs),
            prefers: Some(names(driver.prefers)).filter(|names| !names.is_empty()),
            usable: registry.is_usable(driver),
            chosen: survey.is_chosen(driver),
            selftest: driver.selftest().to_string(),
            refcnt: registry.reference_count(driver),
            r#async: driver.asynchronous,
            alignmask: driver.alignmask,
            ctxsize: Some(driver.context_size).filter(|&size| size > 0),
            blocksize: (!seeded).then_some(shape.blocksize),
            min_keysize: keyed.then(|| shape.keys.min()),
            // If any length is accepted, there is no maximum.
            max_keysize: (keyed && shape.keys.max() < usize::MAX).then(|| shape.keys.max()),
            keysizes: keyed.then(|| listed(&shape.keys)).flatten(),
            keysize_step: keyed.then(|| step(&shape.keys)).flatten(),
            ivsize: mode.then_some(shape.ivsize),
            maxauthsize: (kind == Type::Aead).then(|| shape.tags.max()),
            digestsize: (kind == Type::Hash).then_some(shape.digestsize),
            seedsize: seeded.then(|| shape.keys.min()),
        }
    }
}

/// The sizes, if they are a short list.
fn listed(sizes: &Sizes) -> Option<Vec<usize>> {
    match sizes {
        Sizes::OneOf(list) => Some(list.to_vec()),
        Sizes::Between(min, max) => (min == max).then(|| vec![*min]),
        Sizes::EvenBetween(..) => None,
    }
}

/// The distance between sizes of a range.
fn step(sizes: &Sizes) -> Option<usize> {
    match sizes {
        Sizes::OneOf(_) => None,
        Sizes::Between(min, max) => (min != max).then_some(1),
        Sizes::EvenBetween(..) => Some(2),
    }
}

pub fn run(args: &ListArgs) -> Result<Answer, Error> {
    let registry = Registry::global()?;
    let survey = match &args.name {
        Some(name) => Survey::named(registry, name)?,
        None => Survey::of(registry),
    };
    let mut out = Out::new();
    let written = if args.json {
        let rows: Vec<_> = survey.drivers.iter().map(|d| Row::new(registry, &survey, d)).collect();
        serde_json::to_writer_pretty(&mut out, &rows).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else if args.name.is_some() {
        details(&mut out, registry, &survey)
    } else {
        table(&mut out, registry, &survey)
    };
    written.map_err(to_stdout)?;
    out.done()?;
    Ok(Answer::Yes)
}

const HEADINGS: [&str; 7] = ["name", "driver", "type", "prio", "timing", "cpu", "state"];

/// The maximum column widths of names and drivers. A longer entry ends its line, and the row continues on the next
/// line, so lines have at most 100 columns.
const WIDEST: [usize; 2] = [17, 24];

fn table(out: &mut Out, registry: &Registry, survey: &Survey) -> io::Result<()> {
    let cells = survey.drivers.iter().map(|driver| {
        let row = Row::new(registry, survey, driver);
        let cpu = cpu(&essential(driver.needs));
        let state = if row.usable { row.selftest } else { "unusable".to_owned() };
        (driver, [row.name, row.driver, row.r#type, row.priority.to_string(), row.timing, cpu, state])
    });
    let cells: Vec<_> = cells.collect();
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let limit = WIDEST.get(column).copied().unwrap_or(usize::MAX);
        let lens = cells.iter().map(|(_, row)| row[column].len()).filter(|len| *len <= limit);
        lens.chain([HEADINGS[column].len()]).max().unwrap_or(0)
    });
    line(out, ' ', &HEADINGS.map(str::to_owned), &widths)?;
    for (driver, row) in &cells {
        line(out, if survey.is_chosen(driver) { '*' } else { ' ' }, row, &widths)?;
        if let SelfTest::Failed(reason) = driver.selftest() {
            writeln!(out, "      failed: {reason}")?;
        }
    }
    writeln!(out, "\n* is what the name stands for on this CPU.")?;
    let features = registry.cpu().features();
    if features.has(Feature::Avx2) && !features.has(Feature::FastSimd) {
        writeln!(out, "Drivers that are one chain of vector operations have priority 1: each takes two cycles here.")?;
    }
    if features.has(Feature::Avx512) && !features.has(Feature::Fast512) {
        writeln!(
            out,
            "Drivers of 512 bits have priority 1: they lower this CPU's frequency. ALGKIT_CPU=+fast512 prefers them."
        )?;
    }
    Ok(())
}

fn line(out: &mut Out, mark: char, cells: &[String; 7], widths: &[usize; 7]) -> io::Result<()> {
    let mut text = String::from(mark);
    let mut column_end = 1;
    for ((column, cell), &width) in cells.iter().enumerate().zip(widths) {
        text += &if HEADINGS[column] == "prio" { format!(" {cell:>width$}") } else { format!(" {cell:width$}") };
        column_end += 1 + width;
        if cell.len() > width {
            writeln!(out, "{text}")?;
            text = " ".repeat(column_end);
        }
    }
    writeln!(out, "{}", text.trim_end())
}

/// Prints one field per line, as in /proc/crypto.
fn details(out: &mut Out, registry: &Registry, survey: &Survey) -> io::Result<()> {
    for (i, driver) in survey.drivers.iter().enumerate() {
        let row = Row::new(registry, survey, driver);
        if i > 0 {
            writeln!(out)?;
        }
        let selftest = match driver.selftest() {
            SelfTest::Failed(reason) => format!("failed: {reason}"),
            other => other.to_string(),
        };
        let number = |n: Option<usize>| n.map(|n| n.to_string());
        let keyed = row.min_keysize.is_some();
        for (field, value) in [
            ("name", Some(row.name)),
            ("driver", Some(row.driver)),
            ("type", Some(row.r#type)),
            ("priority", Some(row.priority.to_string())),
            ("timing", Some(row.timing)),
            ("cpu", Some(cpu(&row.cpu))),
            ("prefers", row.prefers.as_deref().map(cpu)),
            ("usable", Some(yes(row.usable))),
            ("chosen", Some(yes(survey.is_chosen(driver)))),
            ("selftest", Some(selftest)),
            ("blocksize", number(row.blocksize)),
            ("keysize", keyed.then(|| driver.shape.keys.to_string())),
            ("ivsize", number(row.ivsize)),
            ("maxauthsize", number(row.maxauthsize)),
            ("digestsize", number(row.digestsize)),
            ("seedsize", number(row.seedsize)),
        ] {
            if let Some(value) = value {
                writeln!(out, "{field:12} : {value}")?;
            }
        }
    }
    Ok(())
}

/// The features of a set that are not implied by another one in it: no `aes` where there is `vaes`.
fn essential(set: FeatureSet) -> Vec<&'static str> {
    let brings = |other: Feature, feature| other != feature && FeatureSet::of(&[other]).with_required().has(feature);
    let essential = |feature: &Feature| !set.iter().any(|other| brings(other, *feature));
    set.iter().filter(essential).map(Feature::name).collect()
}

fn names(set: FeatureSet) -> Vec<&'static str> {
    set.iter().map(Feature::name).collect()
}

fn cpu(features: &[&str]) -> String {
    if features.is_empty() { "any".to_owned() } else { features.join(",") }
}

fn yes(yes: bool) -> String {
    (if yes { "yes" } else { "no" }).to_owned()
}
