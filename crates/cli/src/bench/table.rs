//! Formats figures as text.

use super::{
    figure::{Figure, MESSAGE, SMALL, bits, human},
    machine::Machine,
    work::{FORWARD, Op},
};
use crate::{out::Out, words::count};
use std::io::{self, Write};

/// Prints a row for each cipher and key, in the style of `cryptsetup benchmark`.
pub fn summary(out: &mut Out, machine: &Machine, figures: &[Figure]) -> io::Result<()> {
    heading(out, machine, figures)?;
    writeln!(out, "# Messages of {MESSAGE} bytes in place, and single calls of {SMALL} bytes; the fastest slices.")?;
    let row = |f: &Figure| (f.name.clone(), f.driver.clone(), f.key_bits);
    let mut rows: Vec<_> = figures.iter().map(row).collect();
    rows.dedup();
    let titles = ["Algorithm", "Key", "Driver", "Encryption", "Decryption", "16 B call"];
    let mut cells = vec![titles.map(str::to_owned).to_vec()];
    for key in &rows {
        let of = |ops: &[Op], size| figures.iter().find(|f| row(f) == *key && ops.contains(&f.op) && f.size == size);
        let speed = |figure: Option<&Figure>| figure.map_or("–".to_owned(), |f| format!("{:.1} MiB/s", f.mib_s));
        let small = of(FORWARD, SMALL).or_else(|| of(&[Op::Dec], SMALL));
        let mark = figures.iter().find(|f| row(f) == *key).map_or("", |f| f.mark);
        cells.push(vec![
            key.0.clone(),
            bits(key.2),
            format!("{}{mark}", key.1),
            speed(of(FORWARD, MESSAGE)),
            speed(of(&[Op::Dec], MESSAGE)),
            small.map_or("–".to_owned(), |f| format!("{:.1} ns", f.ns_op)),
        ]);
    }
    columns(out, &cells, 3)?;
    notes(out, figures)
}

/// Prints a row for each figure.
pub fn full(out: &mut Out, machine: &Machine, figures: &[Figure], long: bool) -> io::Result<()> {
    heading(out, machine, figures)?;
    let times = if long { ["ns, mean", "std dev"] } else { ["ns, fastest", "ns, median"] };
    let titles = ["Algorithm", "Key", "Driver", "Op", "Bytes", "Set", "Threads", "MiB/s", times[0], times[1]];
    let mut cells = vec![titles.map(str::to_owned)];
    cells.extend(figures.iter().map(|f| {
        let [first, second] = if long { [f.times.mean, f.times.deviation] } else { [f.times.fastest, f.times.median] };
        [
            f.name.clone(),
            bits(f.key_bits),
            format!("{}{}", f.driver, f.mark),
            f.op.name().to_owned(),
            f.size.to_string(),
            human(f.working_set.unwrap_or(f.size)),
            f.threads.to_string(),
            format!("{:.1}", f.mib_s),
            format!("{first:.1}"),
            format!("{second:.1}"),
        ]
    }));
    // Columns that are constant and were not requested are left out.
    let [sets, threads] = [figures.iter().any(|f| f.working_set.is_some()), figures.iter().any(|f| f.threads > 1)];
    let shown = |column: usize| (column != 5 || sets) && (column != 6 || threads);
    let cells: Vec<Vec<String>> = cells
        .into_iter()
        .map(|row| row.into_iter().enumerate().filter(|(i, _)| shown(*i)).map(|(_, cell)| cell).collect())
        .collect();
    columns(out, &cells, 4)?;
    notes(out, figures)
}

fn heading(out: &mut Out, machine: &Machine, figures: &[Figure]) -> io::Result<()> {
    writeln!(out, "# {}, {}, algkit {}", machine.cpu, machine.os, machine.version)?;
    if figures.iter().any(|f| f.threads > 1) {
        writeln!(out, "# MiB/s of all threads together, ns of a call in one.")?;
    }
    if figures.iter().any(|f| f.working_set.is_some()) {
        writeln!(out, "# Set: bytes that the messages of a thread are spread over.")?;
    }
    Ok(())
}

/// Prints columns. The second one and those from `numbers` on are right-aligned.
fn columns(out: &mut Out, rows: &[Vec<String>], numbers: usize) -> io::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(widths.iter().copied()).enumerate().map(|(i, (cell, width))| match i {
            1 => format!("{cell:>width$}"),
            i if i >= numbers => format!("{cell:>width$}"),
            _ => format!("{cell:width$}"),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn notes(out: &mut Out, figures: &[Figure]) -> io::Result<()> {
    if figures.iter().any(|f| !f.mark.is_empty()) {
        writeln!(out, "# (table): looks up tables at secret addresses; not chosen unless asked for by name.")?;
    }
    let disturbed = figures.iter().filter(|f| f.disturbed == Some(true)).count();
    if disturbed > 0 {
        let wall = figures.iter().map(|f| f.times.wall).fold(1.0, f64::max);
        let deviation = figures.iter().map(|f| f.times.deviation / f.times.mean).fold(0.0, f64::max);
        writeln!(
            out,
            "# Disturbed: {disturbed} of {}. The wall clock took up to {wall:.2} times the CPU time, and passes deviate by \
             up to {:.0} %.",
            count(figures.len() as u64, "figure"),
            100.0 * deviation
        )?;
    }
    Ok(())
}
