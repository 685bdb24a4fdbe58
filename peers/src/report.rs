//! What is printed.

use crate::{
    case::Case,
    contenders,
    limits::Stream,
    measure::{Cell, Score},
};
use serde_json::{Value, json};

/// A case at every size.
pub struct Table {
    /// What was measured.
    pub case: &'static Case,
    /// One for each size.
    pub cells: Vec<Cell>,
}

/// Slower than this, by the median of the ratios and by the fastest slices, is slower and not noise.
const NOISE: f64 = 0.97;

impl Table {
    /// The libraries with the algorithm, in the order of the tables; without algkit and the bound.
    fn libraries(&self) -> Vec<&'static str> {
        let has = |name: &&str| self.cells.iter().any(|cell| cell.of(name).is_some());
        contenders::LIBRARIES.iter().copied().filter(has).collect()
    }

    fn driver(&self) -> &str {
        self.cells.first().map_or("", |cell| &cell.scores[0].driver)
    }

    /// One line for each size: algkit's time and speed, and the others' ratios, or with `ns` their times.
    pub fn print(&self, ns: bool) {
        println!("{} ({})", self.case.title(), self.driver());
        print!("{:>7}  {:>9}  {:>8}", "bytes", "ns", "MiB/s");
        self.libraries().iter().for_each(|library| print!("  {library:>10}"));
        println!("  {:>6}", "limit");
        for cell in &self.cells {
            let own = &cell.scores[0];
            print!("{:>7}  {:>9.1}  {:>8.0}", cell.size, own.fastest, cell.mib_s(own));
            for library in self.libraries() {
                match cell.of(library) {
                    Some(score) if ns => print!("  {:>10.1}", score.fastest),
                    Some(score) => print!("  {:>10.2}", score.ratio),
                    None => print!("  {:>10}", ""),
                }
            }
            match cell.of("limit") {
                Some(limit) => println!("  {:>6.2}", limit.ratio),
                None => println!(),
            }
        }
        println!();
    }

    /// Where another library is faster: its name, the size and the two ratios.
    fn slower_than(&self, library: &str) -> Vec<String> {
        let line = |cell: &Cell| {
            let score = cell.of(library)?;
            let fastest = score.fastest / cell.scores[0].fastest;
            (score.ratio < NOISE && fastest < NOISE).then(|| {
                let (title, size, driver) = (self.case.title(), cell.size, self.driver());
                format!("{title}, {size} bytes ({driver}): median {:.2}, fastest {fastest:.2}", score.ratio)
            })
        };
        self.cells.iter().filter_map(line).collect()
    }
}

/// The instructions' speed, and where others are faster.
pub fn summary(tables: &[Table], streams: &[Stream]) {
    println!("Instructions");
    for stream in streams {
        println!("{:>20}  {:>7.3} ns  {:>6.1} GiB/s", stream.name, stream.ns, gib_s(stream));
    }
    for library in contenders::LIBRARIES {
        let slower: Vec<String> = tables.iter().flat_map(|table| table.slower_than(library)).collect();
        println!("\nSlower than {library}: {}", if slower.is_empty() { "nowhere" } else { "" });
        slower.iter().for_each(|line| println!("  {line}"));
    }
}

fn gib_s(stream: &Stream) -> f64 {
    stream.width as f64 / stream.ns * 1e9 / f64::from(1 << 30)
}

/// A table in Markdown: for each case algkit's speed at every size, and the others' ratios in parentheses.
pub fn markdown(tables: &[Table], streams: &[Stream]) {
    let Some(first) = tables.first() else { return };
    println!("{}: MiB/s, and how many times faster than others.\n", machine());
    print!("| algorithm | driver |");
    first.cells.iter().for_each(|cell| print!(" {} bytes |", cell.size));
    println!("\n| --- | --- |{}", " --- |".repeat(first.cells.len()));
    for table in tables {
        print!("| {} | `{}` |", table.case.title(), table.driver());
        for cell in &table.cells {
            print!(" {:.0}", cell.mib_s(&cell.scores[0]));
            let ratio = |score: &Score| match score.library {
                "limit" => format!("{:.0} % of the limit", 100.0 * score.ratio),
                library => format!("{library} {:.2}", score.ratio),
            };
            let others: Vec<String> = cell.scores[1..].iter().map(ratio).collect();
            print!("{} |", if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) });
        }
        println!();
    }
    println!("\n| instruction | ns | GiB/s |\n| --- | --- | --- |");
    streams.iter().for_each(|s| println!("| {} | {:.3} | {:.1} |", s.name, s.ns, gib_s(s)));
}

/// Everything, for other programs.
pub fn json(tables: &[Table], streams: &[Stream]) -> Value {
    let result = |table: &Table, cell: &Cell, score: &Score| {
        json!({
            "name": table.case.name, "key_bits": table.case.key_bits, "op": table.case.op.word(),
            "size": cell.size, "library": score.library, "driver": score.driver,
            "ns_op": score.fastest, "mib_s": cell.mib_s(score), "ratio": score.ratio,
        })
    };
    let results: Vec<Value> = tables
        .iter()
        .flat_map(|table| table.cells.iter().map(move |cell| (table, cell)))
        .flat_map(|(table, cell)| cell.scores.iter().map(move |score| result(table, cell, score)))
        .collect();
    let streams: Vec<Value> = streams.iter().map(|s| json!({"name": s.name, "bytes": s.width, "ns": s.ns})).collect();
    json!({ "machine": machine(), "openssl": openssl::version::version(), "instructions": streams, "results": results })
}

/// The CPU's name.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}
