//! The report as one page without other files. For each case it has a chart of speed over message size, with a line for
//! each library and one for the limit, and a table.

use crate::{
    limits, machine,
    measure::{Cell, Score, Table},
    report::Report,
};
use serde_json::json;
use std::fmt::Write;

/// The size and the margins of a chart, in SVG units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 34.0;

/// The whole page.
pub fn page(report: &Report<'_>) -> String {
    let mut page = String::new();
    let names: Vec<_> = report.libraries.iter().map(|l| format!("{} {}", l.name, l.version)).collect();
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>algkit and its peers</title>\n<style>\n{css}</style>\n\
         <h1>algkit and its peers</h1>\n<p>{cpu}, level {level}. {names}.</p>\n\
         <p>Whole calls on keyed instances with their checks, one thread, text in place; each figure is the fastest of \
         many short slices, taken in turns. The dashed line is the limit: the instructions that the algorithm cannot do \
         without.</p>\n<button type=\"button\">Tables: show nanoseconds for a message</button>\n",
        css = include_str!("../../crates/cli/src/bench/page.css"),
        cpu = escape(&machine::cpu()),
        level = crate::level::name(report.level),
        names = escape(&names.join(", ")),
    );
    for messages in [1, 32] {
        let drawn = |table: &&Table| table.cells.iter().any(|cell| (cell.messages > 1) == (messages > 1));
        let tables: Vec<_> = report.tables.iter().filter(drawn).collect();
        if tables.is_empty() {
            continue;
        }
        let heading = if messages == 1 { "One message at a time" } else { "Many messages at a time" };
        let _ = write!(page, "<h2>{heading}</h2>\n<div class=\"charts\">\n");
        for table in &tables {
            let cells: Vec<_> = table.cells.iter().filter(|cell| (cell.messages > 1) == (messages > 1)).collect();
            chart(&mut page, table, &cells);
        }
        page += "</div>\n";
        for table in &tables {
            let cells: Vec<_> = table.cells.iter().filter(|cell| (cell.messages > 1) == (messages > 1)).collect();
            figures(&mut page, table, &cells);
        }
    }
    // The script of `algkit bench --html`, in this page's units.
    let script = include_str!("../../crates/cli/src/bench/page.js");
    let script = script.replace(".mib", ".gb").replace("MiB/s", "GB/s").replace("for a call", "for a message");
    let _ = write!(page, "<script>\n{script}</script>\n</html>\n");
    page
}

/// The names that have a line: algkit first, the limit last.
fn names(table: &Table) -> Vec<&'static str> {
    let mut names = vec!["algkit"];
    names.extend(table.libraries());
    names.push(limits::NAME);
    names
}

fn score<'a>(cell: &'a Cell, name: &str) -> Option<&'a Score> {
    if name == limits::NAME { cell.limit() } else { cell.of(name) }
}

/// The color of a line. algkit's is more saturated; steps of the golden angle keep the hues of the others apart.
fn color(i: usize) -> String {
    match i {
        0 => "oklch(var(--lightness) 0.2 29)".to_owned(),
        i => format!("oklch(var(--lightness) 0.1 {:.0})", (120.0 + 137.508 * i as f64) % 360.0),
    }
}

fn style(i: usize, name: &str) -> String {
    match name {
        limits::NAME => "stroke:var(--soft);stroke-dasharray:7 4".to_owned(),
        _ => format!("stroke:{}{}", color(i), if i == 0 { ";stroke-width:3.2" } else { "" }),
    }
}

fn chart(page: &mut String, table: &Table, cells: &[&Cell]) {
    let title = escape(&table.case.title());
    let names = names(table);
    let log = |size: usize| (size as f64).log2();
    let ends = cells.iter().map(|cell| log(cell.size)).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    let span = if ends.1 > ends.0 { ends.1 - ends.0 } else { 1.0 };
    let x = |cell: &Cell| LEFT + (log(cell.size) - ends.0) / span * (WIDTH - LEFT - RIGHT);
    let speeds = |name: &str| cells.iter().filter_map(|cell| Some(cell.gb_s(score(cell, name)?))).fold(0.0, f64::max);
    let fastest = names.iter().map(|name| speeds(name)).fold(0.0, f64::max);
    let step = step(fastest);
    let top = (fastest / step).ceil().max(1.0) * step;
    let y = |gb_s: f64| HEIGHT - BOTTOM - gb_s / top * (HEIGHT - TOP - BOTTOM);

    let of = |name: &str, figure: &dyn Fn(&Cell, &Score) -> f64| {
        cells.iter().map(|cell| score(cell, name).map(|score| figure(cell, score))).collect::<Vec<_>>()
    };
    let series = names.iter().enumerate().map(|(i, name)| {
        json!({
            "name": name,
            "color": if *name == limits::NAME { "var(--soft)".to_owned() } else { color(i) },
            "gb": of(name, &|cell, score| (cell.gb_s(score) * 1e3).round() / 1e3),
            "ns": of(name, &|_, score| (score.fastest * 10.0).round() / 10.0),
        })
    });
    let data = json!({
        "sizes": cells.iter().map(|cell| cell.size).collect::<Vec<_>>(),
        "xs": cells.iter().map(|cell| x(cell).round()).collect::<Vec<_>>(),
        "width": WIDTH,
        "series": series.collect::<Vec<_>>(),
    });
    let _ = write!(
        page,
        "<figure data-chart=\"{}\">\n<h3>{title}, GB/s over bytes in a message</h3>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}: speed over message size\">\n",
        escape(&data.to_string())
    );
    let marks = (top / step).round() as usize;
    for mark in (0..=marks).map(|i| i as f64 * step) {
        let at = y(mark);
        let _ = writeln!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            (mark * 1e3).round() / 1e3,
        );
    }
    for cell in cells {
        let (at, text) = (x(cell), human(cell.size));
        let _ = writeln!(page, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{text}</text>", HEIGHT - 12.0);
    }
    let _ = writeln!(page, "<line class=\"cross\" y1=\"{TOP}\" y2=\"{}\"/>", HEIGHT - BOTTOM);
    for (i, name) in names.iter().enumerate() {
        let at = |cell: &&Cell| Some((x(cell), y(cell.gb_s(score(cell, name)?))));
        let points: Vec<_> = cells.iter().filter_map(at).collect();
        let line: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (line, style) = (line.join(" "), style(i, name));
        let _ = write!(page, "<g data-series=\"{i}\"><polyline class=\"line\" style=\"{style}\" points=\"{line}\"/>");
        if *name != limits::NAME {
            for (x, y) in points {
                let fill = color(i);
                let _ =
                    write!(page, "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" style=\"fill:{fill}\"/>");
            }
        }
        page.push_str("</g>\n");
    }
    page.push_str("</svg>\n<ul class=\"legend\">\n");
    for (i, name) in names.iter().enumerate() {
        let style = style(i, name);
        let _ = writeln!(
            page,
            "<li data-series=\"{i}\"><svg viewBox=\"0 0 24 8\"><line class=\"line\" style=\"{style}\" x2=\"24\" y1=\"4\" \
             y2=\"4\"/></svg>{name}</li>",
        );
    }
    page.push_str("</ul>\n<div class=\"tip\"></div>\n</figure>\n");
}

fn figures(page: &mut String, table: &Table, cells: &[&Cell]) {
    let names = names(table);
    let (title, driver) = (escape(&table.case.title()), escape(table.driver()));
    let _ = write!(page, "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>{title}<th>Driver<th>Bytes");
    page.push_str("<th>Messages<th>Best peer<th>Ratio<th>Share of limit");
    names.iter().for_each(|name| {
        let _ = write!(page, "<th>{name}");
    });
    page.push_str("</thead><tbody>\n");
    for cell in cells {
        let ratio = |score: Option<&Score>| score.map_or(String::new(), |score| format!("{:.2}", score.ratio));
        let (best, size, messages) = (cell.best().map_or("", |best| best.library), cell.size, cell.messages);
        let (times, share) = (ratio(cell.best()), ratio(cell.limit()));
        let _ = write!(page, "<tr><td><td>{driver}<td>{size}<td>{messages}<td>{best}<td>{times}<td>{share}");
        for name in &names {
            let _ = match score(cell, name) {
                Some(score) => write!(
                    page,
                    "<td><span class=\"mib\">{:.2}</span><span class=\"ns\">{:.1}</span>",
                    cell.gb_s(score),
                    score.fastest
                ),
                None => write!(page, "<td>"),
            };
        }
        page.push('\n');
    }
    page.push_str("</tbody></table></div>\n");
}

/// The distance between the marks of an axis up to `max`: 1, 2 or 5 times a power of ten, with at most six marks.
fn step(max: f64) -> f64 {
    let power = 10f64.powf((max.max(1e-3) / 6.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| max / step <= 6.0).unwrap_or(10.0 * power)
}

/// A size in bytes for people: 16, 1350, 4K, 1M.
fn human(size: usize) -> String {
    match size {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{}M", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{}K", n >> 10),
        n => n.to_string(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
