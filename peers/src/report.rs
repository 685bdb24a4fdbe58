//! What is printed.

use crate::{
    case::Case,
    contenders::Library,
    level,
    limits::Timed,
    machine,
    measure::{Cell, Score},
};
use peers_plugin::Level;
use serde_json::{Map, Value, json};

/// A case at every size.
pub struct Table {
    /// What was measured.
    pub case: &'static Case,
    /// One for each size, and each number of messages.
    pub cells: Vec<Cell>,
}

/// Everything.
pub struct Report<'a> {
    /// What was allowed.
    pub level: Level,
    /// Who took part.
    pub libraries: &'a [Library],
    /// The figures.
    pub tables: &'a [Table],
    /// The instructions by themselves.
    pub streams: &'a [Timed],
}

/// Slower than this, by the median of the ratios and by the fastest slices, is slower and not noise.
const NOISE: f64 = 0.97;

impl Table {
    /// algkit's driver.
    pub fn driver(&self) -> &str {
        self.cells.first().map_or("", |cell| &cell.own().driver)
    }

    /// The libraries with the algorithm, in the order of the tables.
    pub fn libraries(&self) -> Vec<&'static str> {
        self.cells.first().map_or(vec![], |cell| cell.peers().map(|score| score.library).collect())
    }

    /// One line for each size: algkit's time and speed, the best peer, the limit, and the ratio to each library.
    pub fn print(&self) {
        println!("{} ({})", self.case.title(), self.driver());
        print!(
            "{:>8}  {:>4}  {:>10}  {:>7}  {:>17}  {:>5}  {:>5}",
            "bytes", "msgs", "ns", "GB/s", "best", "ratio", "limit"
        );
        self.libraries().iter().for_each(|library| print!("  {library:>9}"));
        println!();
        for cell in &self.cells {
            let own = cell.own();
            print!("{:>8}  {:>4}  {:>10.1}  {:>7.3}", cell.size, cell.messages, own.fastest, cell.gb_s(own));
            print!("  {:>17}  {:>5}", cell.best().map_or("", |b| b.library), ratio(cell.best()));
            print!("  {:>5}", ratio(cell.limit()));
            for library in self.libraries() {
                print!("  {:>1$}", ratio(cell.of(library)), library.len().max(9));
            }
            println!();
        }
        println!();
    }

    /// Where another library is faster, with the ratio.
    fn slower(&self) -> impl Iterator<Item = (f64, String)> {
        self.cells.iter().filter_map(|cell| {
            let best = cell.best()?;
            let fastest = best.fastest / cell.own().fastest;
            (best.ratio < NOISE && fastest < NOISE).then(|| {
                let (title, driver, library) = (self.case.title(), self.driver(), best.library);
                let what = format!("{} × {} bytes ({driver})", cell.messages, cell.size);
                (best.ratio, format!("{:.2} {library}: {title}, {what}; fastest {fastest:.2}", best.ratio))
            })
        })
    }
}

/// A ratio, or nothing.
fn ratio(score: Option<&Score>) -> String {
    score.map_or(String::new(), |score| format!("{:.2}", score.ratio))
}

impl Report<'_> {
    /// The instructions' speed, and where others are faster.
    pub fn summary(&self) {
        println!("Level {}. {}", level::name(self.level), machine::cpu());
        self.libraries.iter().for_each(|library| println!("  {} {}", library.name, library.version));
        println!("\nInstructions");
        for Timed { stream, ns } in self.streams {
            println!("{:>30}  {ns:>7.3} ns  {:>6.1} GB/s", stream.name, stream.width as f64 / ns);
        }
        let mut slower: Vec<_> = self.tables.iter().flat_map(Table::slower).collect();
        slower.sort_by(|a, b| a.0.total_cmp(&b.0));
        let cells: usize = self.tables.iter().map(|table| table.cells.len()).sum();
        println!("\nSlower than the best peer in {} of {cells} cells", slower.len());
        slower.iter().for_each(|(_, line)| println!("  {line}"));
    }

    /// A table in Markdown: for each case algkit's speed at every size, the ratio to the best peer, and the share
    /// of the limit.
    pub fn markdown(&self) {
        let Some(first) = self.tables.first() else { return };
        println!("{}: GB/s, times the best peer, share of the limit.\n", machine::cpu());
        let sizes: Vec<_> = first.cells.iter().filter(|cell| cell.messages == 1).map(|cell| cell.size).collect();
        print!("| algorithm | driver |");
        sizes.iter().for_each(|size| print!(" {size} bytes |"));
        println!("\n| --- | --- |{}", " --- |".repeat(sizes.len()));
        for table in self.tables {
            print!("| {} | `{}` |", table.case.title(), table.driver());
            for cell in table.cells.iter().filter(|cell| cell.messages == 1) {
                print!(" {:.2}", cell.gb_s(cell.own()));
                cell.best().inspect(|best| print!(", {:.2} × {}", best.ratio, best.library));
                cell.limit().inspect(|limit| print!(", {:.0} %", 100.0 * limit.ratio));
                print!(" |");
            }
            println!();
        }
        println!("\n| instruction | ns | GB/s |\n| --- | --- | --- |");
        for Timed { stream, ns } in self.streams {
            println!("| {} | {ns:.3} | {:.1} |", stream.name, stream.width as f64 / ns);
        }
    }

    /// Everything, for other programs.
    pub fn json(&self) -> Value {
        let results = self.tables.iter().flat_map(|table| table.cells.iter().map(|cell| result(table.case, cell)));
        let streams = self.streams.iter().map(|s| json!({"name": s.stream.name, "bytes": s.stream.width, "ns": s.ns}));
        let libraries = self.libraries.iter().map(|l| json!({"name": l.name, "version": l.version}));
        json!({
            "machine": machine::cpu(), "level": level::name(self.level), "libraries": libraries.collect::<Vec<_>>(),
            "instructions": streams.collect::<Vec<_>>(), "results": results.collect::<Vec<_>>(),
        })
    }
}

/// A cell: times are for a message, ratios are the other's time divided by algkit's.
fn result(case: &Case, cell: &Cell) -> Value {
    let peer = |score: &Score| {
        let figures = json!({"ns": score.fastest, "gb_s": cell.gb_s(score), "ratio": score.ratio});
        (score.library.to_owned(), figures)
    };
    json!({
        "algorithm": case.name, "key_bits": case.key_bits, "op": case.word(), "driver": cell.own().driver,
        "size": cell.size, "messages": cell.messages, "ns": cell.own().fastest, "gb_s": cell.gb_s(cell.own()),
        "best_peer": cell.best().map(|best| best.library), "ratio_to_best": cell.best().map(|best| best.ratio),
        "share_of_limit": cell.limit().map(|limit| limit.ratio), "limit": cell.limit().map(|limit| &limit.driver),
        "peers": cell.peers().map(peer).collect::<Map<_, _>>(),
    })
}
