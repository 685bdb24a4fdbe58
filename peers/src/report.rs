//! Printing the results.

use crate::{
    contenders::Library,
    level, machine,
    measure::{Cell, Score, Table, Timed},
    targets::{FLOOR, Verdict},
};
use peers_plugin::Level;
use serde_json::{Map, Value, json};
use std::{cmp::Reverse, fmt::Write};

/// All results.
pub struct Report<'a> {
    /// The level of instructions that was allowed.
    pub level: Level,
    /// The libraries that took part.
    pub libraries: &'a [Library],
    /// The tables with the results.
    pub tables: &'a [Table],
    /// The times of single instructions.
    pub streams: &'a [Timed],
}

impl Table {
    /// Prints one line for each size: algkit's time and speed, the best peer, the limit, a target that is missed, and
    /// the ratio to each library.
    pub fn print(&self, level: Level) {
        println!("{} ({})", self.case.title(), self.driver());
        print!(
            "{:>8}  {:>4}  {:>10}  {:>7}  {:>17}  {:>5}  {:>5}  {:>15}",
            "bytes", "msgs", "ns", "GB/s", "best", "ratio", "limit", "missed"
        );
        self.libraries().iter().for_each(|library| print!("  {library:>9}"));
        println!();
        for cell in &self.cells {
            let own = cell.own();
            print!("{:>8}  {:>4}  {:>10.1}  {:>7.3}", cell.size, cell.messages, own.fastest, cell.gb_s(own));
            print!("  {:>17}  {:>5}", cell.best().map_or("", |b| b.library), ratio(cell.best()));
            print!("  {:>5}  {:>15}", ratio(cell.limit()), self.missed(level, cell));
            for library in self.libraries() {
                print!("  {:>1$}", ratio(cell.of(library)), library.len().max(9));
            }
            println!();
        }
        println!();
    }

    /// The target of a cell that is not reached; otherwise empty.
    fn missed(&self, level: Level, cell: &Cell) -> String {
        let missed = Verdict::of(level, self, cell).filter(|verdict| !verdict.met());
        missed.map_or(String::new(), |verdict| format!("{:.2} {}", verdict.least(), verdict.unit()))
    }

    /// A cell in words: algorithm, number and length of messages, driver.
    fn what(&self, cell: &Cell) -> String {
        format!("{}, {} × {} bytes ({})", self.case.title(), cell.messages, cell.size, self.driver())
    }
}

/// A ratio; empty if there is no score.
fn ratio(score: Option<&Score>) -> String {
    score.map_or(String::new(), |score| format!("{:.2}", score.ratio))
}

impl Report<'_> {
    /// Prints the level, the libraries, the instructions' times and the conclusion.
    pub fn summary(&self) {
        println!("Level {}. {}", level::name(self.level), machine::cpu());
        self.libraries.iter().for_each(|library| println!("  {} {}", library.name, library.version));
        println!("\nInstructions");
        for Timed { stream, ns } in self.streams {
            println!("{:>34}  {ns:>7.3} ns", stream.name);
        }
        println!();
        print!("{}", self.conclusion());
    }

    /// How many cells reach their target, which cells do not, and which are below the floor.
    fn conclusion(&self) -> String {
        let mut text = String::new();
        let all = || self.tables.iter().flat_map(|table| table.cells.iter().map(move |cell| (table, cell)));
        let judged = |(table, cell)| Some((table, cell, Verdict::of(self.level, table, cell)?));
        let judged: Vec<(&Table, &Cell, Verdict)> = all().filter_map(judged).collect();
        let mut missed: Vec<_> = judged.iter().filter(|(.., verdict)| !verdict.met()).collect();
        missed.sort_by(|(.., a), (.., b)| (a.value / a.least()).total_cmp(&(b.value / b.least())));
        let (met, of) = (judged.len() - missed.len(), judged.len());
        // Writing to a string does not fail.
        let _ = writeln!(text, "Targets reached: {met} of {of}, {:.0} %", 100.0 * met as f64 / of.max(1) as f64);
        for (table, cell, verdict) in missed {
            let (value, least, unit) = (verdict.value, verdict.least(), verdict.unit());
            let _ = writeln!(text, "  {value:.2} of {least:.2} × {unit}: {}", table.what(cell));
        }
        let below = |(table, cell): (&Table, &Cell)| {
            let best = cell.best().filter(|best| best.ratio < FLOOR)?;
            let fastest = best.fastest / cell.own().fastest;
            let line = format!("{:.2} {}: {}; fastest {fastest:.2}", best.ratio, best.library, table.what(cell));
            Some((best.ratio, line))
        };
        let mut below: Vec<_> = all().filter_map(below).collect();
        below.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (n, cells) = (below.len(), all().count());
        let _ = writeln!(text, "\nBelow {FLOOR:.2} times the best peer: {n} of {cells} cells");
        for (_, line) in below {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    /// Tables in Markdown for one message at a time and for many. For each case they have algkit's speed at every size,
    /// the ratio to the best peer and the share of the limit. The conclusion and the instructions follow.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "{}, level {}: GB/s, times the best peer, share of the limit. A dagger marks what is below its target.\n",
            machine::cpu(),
            level::name(self.level)
        );
        let mut counts: Vec<_> = self.tables.iter().flat_map(|table| &table.cells).map(|cell| cell.messages).collect();
        counts.sort_unstable();
        counts.dedup();
        for messages in counts {
            self.markdown_table(&mut text, messages);
        }
        let _ = write!(text, "\n```\n{}```\n\n| instructions | ns |\n| --- | --- |\n", self.conclusion());
        for Timed { stream, ns } in self.streams {
            let _ = writeln!(text, "| {} | {ns:.3} |", stream.name);
        }
        text
    }

    fn markdown_table(&self, text: &mut String, messages: usize) {
        let of = |table: &Table| -> Vec<usize> {
            table.cells.iter().filter(|cell| cell.messages == messages).map(|cell| cell.size).collect()
        };
        // Modes of whole blocks have rounded sizes. The columns are the sizes of the others.
        let lists = self.tables.iter().map(of).filter(|sizes| !sizes.is_empty());
        let Some(sizes) = lists.max_by_key(|sizes| (sizes.len(), Reverse(sizes.iter().sum::<usize>()))) else { return };
        let _ = write!(text, "\n| {messages} × bytes | driver |");
        sizes.iter().for_each(|size| {
            let _ = write!(text, " {size} |");
        });
        let _ = writeln!(text, "\n| --- | --- |{}", " --- |".repeat(sizes.len()));
        for table in self.tables.iter().filter(|table| !of(table).is_empty()) {
            let _ = write!(text, "| {} | `{}` |", table.case.title(), table.driver());
            for &size in &sizes {
                let here = |cell: &&Cell| {
                    cell.messages == messages && (cell.size == size || cell.size == table.case.round_size(size))
                };
                let _ = match table.cells.iter().find(here) {
                    Some(cell) => write!(text, " {} |", self.figures(table, cell)),
                    None => write!(text, " |"),
                };
            }
            text.push('\n');
        }
    }

    /// Speed, ratio and share of the limit of a cell.
    fn figures(&self, table: &Table, cell: &Cell) -> String {
        let mut text = format!("{:.2}", cell.gb_s(cell.own()));
        if let Some(best) = cell.best() {
            let _ = write!(text, ", {:.2} × {}", best.ratio, best.library);
        }
        if let Some(limit) = cell.limit() {
            let _ = write!(text, ", {:.0} %", 100.0 * limit.ratio);
        }
        if !table.missed(self.level, cell).is_empty() {
            text.push_str(" †");
        }
        text
    }

    /// All results as JSON.
    pub fn json(&self) -> Value {
        let results =
            self.tables.iter().flat_map(|table| table.cells.iter().map(|cell| result(self.level, table, cell)));
        let streams = self.streams.iter().map(|s| json!({"name": s.stream.name, "bytes": s.stream.width, "ns": s.ns}));
        let libraries = self.libraries.iter().map(|l| json!({"name": l.name, "version": l.version}));
        json!({
            "machine": machine::cpu(), "level": level::name(self.level), "libraries": libraries.collect::<Vec<_>>(),
            "instructions": streams.collect::<Vec<_>>(), "results": results.collect::<Vec<_>>(),
        })
    }
}

/// A cell as JSON. Times are per message; ratios are the other library's time divided by algkit's.
fn result(level: Level, table: &Table, cell: &Cell) -> Value {
    let case = table.case;
    let target = Verdict::of(level, table, cell).map(
        |verdict| json!({"of": verdict.unit(), "least": verdict.least(), "value": verdict.value, "met": verdict.met()}),
    );
    let peer = |score: &Score| {
        let figures = json!({"ns": score.fastest, "gb_s": cell.gb_s(score), "ratio": score.ratio});
        (score.library.to_owned(), figures)
    };
    json!({
        "algorithm": case.name, "key_bits": case.key_bits, "op": case.word(), "driver": cell.own().driver,
        "size": cell.size, "messages": cell.messages, "ns": cell.own().fastest, "gb_s": cell.gb_s(cell.own()),
        "best_peer": cell.best().map(|best| best.library), "ratio_to_best": cell.best().map(|best| best.ratio),
        "share_of_limit": cell.limit().map(|limit| limit.ratio), "limit": cell.limit().map(|limit| &limit.driver),
        "target": target, "peers": cell.peers().map(peer).collect::<Map<_, _>>(),
    })
}
