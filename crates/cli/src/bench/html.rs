//! Formats figures as one self-contained page: charts of speed over message size, and tables.

use super::{
    figure::{Figure, bits, human},
    machine::Machine,
    work::{FORWARD, Op},
};
use algkit::Type;
use serde_json::json;
use std::fmt::Write;

/// The dimensions of a chart, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 34.0;

/// What distinguishes lines besides driver and key: the number of threads, and the message size unless it is the
/// axis.
fn line(figure: &Figure) -> (usize, Option<usize>) {
    (figure.threads, figure.working_set.map(|_| figure.size))
}

/// A line of a chart: an algorithm, key size and driver in one direction, with a figure for each size.
struct Series<'a> {
    name: String,
    /// The hue in degrees, which all key sizes of a driver share.
    hue: f64,
    /// The index of the key size among the driver's, which selects the dash pattern.
    key: usize,
    figures: Vec<&'a Figure>,
}

/// The page. With `long`, figures are means of passes.
pub fn page(machine: &Machine, figures: &[Figure], long: bool) -> String {
    let mut page = String::new();
    let what = if long { "the mean of ten passes" } else { "the fastest of many short slices, taken in turns" };
    let one = figures.first().map_or(1, |f| f.threads);
    let threads = match one {
        _ if figures.iter().any(|f| f.threads != one) => "all threads together".to_owned(),
        1 => "one thread".to_owned(),
        n => format!("{n} threads together"),
    };
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>algkit bench: {cpu}</title>\n<style>\n{css}</style>\n\
         <h1>algkit bench</h1>\n<p>{cpu} ({arch}: {features}), {os}, algkit {version}.</p>\n\
         <p>Whole calls of the library with their checks, {threads}, text in place; each figure is {what}.</p>\n\
         <button type=\"button\">Tables: show nanoseconds for a call</button>\n",
        cpu = escape(&machine.cpu),
        css = include_str!("page.css"),
        arch = machine.arch,
        features = machine.features.join(" "),
        os = escape(&machine.os),
        version = machine.version,
    );
    let by_driver = several_drivers(figures);
    let mut families: Vec<String> = Vec::new();
    for figure in figures {
        let family = family(figure, by_driver);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    for title in families {
        let of_family: Vec<_> = figures.iter().filter(|f| family(f, by_driver) == title).collect();
        let _ = write!(page, "<h2>{}</h2>\n<div class=\"charts\">\n", escape(&title));
        for (ops, heading) in [(FORWARD, "Encryption"), (&[Op::Dec][..], "Decryption")] {
            let drawn: Vec<_> = of_family.iter().copied().filter(|f| ops.contains(&f.op)).collect();
            if let Some(first) = drawn.first() {
                chart(
                    &mut page,
                    match first.op {
                        Op::Digest => "Digest",
                        Op::Generate => "Random bytes",
                        _ => heading,
                    },
                    &series(&drawn, by_driver),
                );
            }
        }
        page += "</div>\n";
        table(&mut page, &of_family);
    }
    let _ = write!(page, "<script>\n{}</script>\n</html>\n", include_str!("page.js"));
    page
}

/// Whether several drivers of an algorithm are compared. Then each algorithm has its own chart.
fn several_drivers(figures: &[Figure]) -> bool {
    figures.iter().any(|a| figures.iter().any(|b| a.name == b.name && a.driver != b.driver))
}

fn family(figure: &Figure, by_driver: bool) -> String {
    if by_driver {
        return figure.name.clone();
    }
    let family = match figure.kind {
        Type::Cipher => "Block ciphers",
        Type::Skcipher if figure.name.contains("aes") => "AES with a mode",
        Type::Skcipher => "Other ciphers with a mode",
        Type::Aead => "Authenticated encryption",
        Type::Hash if figure.key_bits > 0 => "Message authentication",
        Type::Hash => "Hashes",
        Type::Rng => "Random number generators",
        _ => "Others",
    };
    family.to_owned()
}

fn series<'a>(figures: &[&'a Figure], by_driver: bool) -> Vec<Series<'a>> {
    let mut series: Vec<Series<'a>> = Vec::new();
    let same = |a: &Figure, b: &Figure| a.driver == b.driver && a.name == b.name && line(a) == line(b);
    let several = |of: &dyn Fn(&Figure) -> usize| figures.iter().any(|f| of(f) != of(figures[0]));
    let (several_threads, several_sizes) = (several(&|f| f.threads), several(&|f| f.size));
    for &figure in figures {
        let known = series.iter_mut().find(|s| same(s.figures[0], figure) && s.figures[0].key_bits == figure.key_bits);
        if let Some(series) = known {
            series.figures.push(figure);
            continue;
        }
        let of_driver: Vec<_> = series.iter().filter(|s| same(s.figures[0], figure)).collect();
        let key = of_driver.len();
        let drivers = series.iter().filter(|s| s.key == 0).count();
        // Steps of the golden angle keep any number of hues distinct.
        let hue = of_driver.first().map_or_else(|| (250.0 + 137.508 * drivers as f64) % 360.0, |s| s.hue);
        let shown = if by_driver { &figure.driver } else { &figure.name };
        let mut name = if figure.key_bits == 0 { shown.clone() } else { format!("{shown} {}", bits(figure.key_bits)) };
        if figure.working_set.is_some() && several_sizes {
            name += &format!(", {} bytes", figure.size);
        }
        if several_threads {
            name += &format!(" × {}", figure.threads);
        }
        series.push(Series { name, hue, key, figures: vec![figure] });
    }
    series
}

impl Series<'_> {
    fn color(&self) -> String {
        format!("oklch(var(--lightness) 0.15 {:.0})", self.hue)
    }

    fn style(&self) -> String {
        let dash = ["", ";stroke-dasharray:7 4", ";stroke-dasharray:2 4"][self.key.min(2)];
        format!("stroke:{}{dash}", self.color())
    }

    fn at(&self, size: usize) -> Option<&Figure> {
        self.figures.iter().copied().find(|f| f.along() == size)
    }
}

fn chart(page: &mut String, heading: &str, series: &[Series<'_>]) {
    let sizes = sizes(series.iter().flat_map(|s| s.figures.iter().copied()));
    let log = |size: usize| (size as f64).log2();
    let (first, last) = (log(sizes[0]), log(sizes[sizes.len() - 1]));
    let span = if last > first { last - first } else { 1.0 };
    let x = |size: usize| LEFT + (log(size) - first) / span * (WIDTH - LEFT - RIGHT);
    let fastest = series.iter().flat_map(|s| &s.figures).map(|f| f.mib_s).fold(0.0, f64::max);
    let step = step(fastest);
    let top = (fastest / step).ceil().max(1.0) * step;
    let y = |mib_s: f64| HEIGHT - BOTTOM - mib_s / top * (HEIGHT - TOP - BOTTOM);

    let data = json!({
        "sizes": sizes,
        "xs": sizes.iter().map(|&size| x(size).round()).collect::<Vec<_>>(),
        "width": WIDTH,
        "series": series.iter().map(|s| json!({
            "name": s.name,
            "color": s.color(),
            "mib": sizes.iter().map(|&size| s.at(size).map(|f| f.mib_s.round())).collect::<Vec<_>>(),
            "ns": sizes.iter().map(|&size| s.at(size).map(|f| (f.ns_op * 10.0).round() / 10.0)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    });
    let over_sets = series.iter().flat_map(|s| &s.figures).any(|f| f.working_set.is_some());
    let axis = if over_sets { "each thread's working set" } else { "a message" };
    let _ = write!(
        page,
        "<figure data-chart=\"{}\">\n<h3>{heading}, MiB/s over bytes in {axis}</h3>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{heading}: speed over bytes in {axis}\">\n",
        escape(&data.to_string())
    );
    let mut mark = 0.0;
    while mark <= top + step / 2.0 {
        let at = y(mark);
        let _ = writeln!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{mark:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
        mark += step;
    }
    for (i, &size) in sizes.iter().enumerate() {
        // On a narrow screen, every other label is shown, including the last.
        let class = if (sizes.len() - 1 - i).is_multiple_of(2) { "" } else { " class=\"other\"" };
        let _ = writeln!(
            page,
            "<text{class} x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(size),
            HEIGHT - 12.0,
            human(size)
        );
    }
    let _ = writeln!(page, "<line class=\"cross\" y1=\"{TOP}\" y2=\"{}\"/>", HEIGHT - BOTTOM);
    for (i, one) in series.iter().enumerate() {
        let points: Vec<_> = sizes.iter().filter_map(|&size| Some((x(size), y(one.at(size)?.mib_s)))).collect();
        let line: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(
            page,
            "<g data-series=\"{i}\"><polyline class=\"line\" style=\"{}\" points=\"{}\"/>",
            one.style(),
            line.join(" ")
        );
        for (x, y) in points {
            let _ = write!(
                page,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" style=\"fill:{}\"/>",
                one.color()
            );
        }
        page.push_str("</g>\n");
    }
    page.push_str("</svg>\n<ul class=\"legend\">\n");
    for (i, one) in series.iter().enumerate() {
        let _ = writeln!(
            page,
            "<li data-series=\"{i}\"><svg viewBox=\"0 0 24 8\"><line class=\"line\" style=\"{}\" x2=\"24\" y1=\"4\" \
             y2=\"4\"/></svg>{}</li>",
            one.style(),
            escape(&one.name)
        );
    }
    page.push_str("</ul>\n<div class=\"tip\"></div>\n</figure>\n");
}

fn table(page: &mut String, figures: &[&Figure]) {
    let sizes = sizes(figures.iter().copied());
    let [sets, threads] = [figures.iter().any(|f| f.working_set.is_some()), figures.iter().any(|f| f.threads > 1)];
    page.push_str("<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>Algorithm<th>Key<th>Driver<th>Op");
    for (title, shown) in [("Threads", threads), ("Message", sets)] {
        if shown {
            let _ = write!(page, "<th class=\"n\">{title}");
        }
    }
    sizes.iter().for_each(|&size| {
        let _ = write!(page, "<th class=\"n\">{} B", human(size));
    });
    page.push_str("</thead><tbody>\n");
    let row = |f: &Figure| (f.name.clone(), f.key_bits, f.driver.clone(), f.op, line(f));
    let mut rows: Vec<_> = figures.iter().map(|f| row(f)).collect();
    rows.dedup();
    for key in rows {
        let mut of_row = figures.iter().filter(|f| row(f) == key).peekable();
        let mark = of_row.peek().map_or("", |f| f.mark);
        let of_row: Vec<_> = of_row.collect();
        let (name, key_bits, driver, op, (in_threads, message)) = &key;
        let _ = write!(
            page,
            "<tr><td class=\"name\">{}<td>{}<td class=\"name\">{}{mark}<td>{}",
            escape(name),
            bits(*key_bits),
            escape(driver),
            op.name()
        );
        if threads {
            let _ = write!(page, "<td class=\"n\" data-of=\"threads\">{in_threads}");
        }
        if let Some(message) = message {
            let _ = write!(page, "<td class=\"n\" data-of=\"message\">{message}");
        }
        for &size in &sizes {
            // A narrow screen shows the column's title beside each number instead of a heading.
            let _ = write!(page, "<td class=\"n\" data-of=\"{} B\">", human(size));
            if let Some(f) = of_row.iter().find(|f| f.along() == size) {
                let _ =
                    write!(page, "<span class=\"mib\">{:.0}</span><span class=\"ns\">{:.1}</span>", f.mib_s, f.ns_op);
            }
        }
        page.push('\n');
    }
    page.push_str("</tbody></table></div>\n");
}

/// All sizes on the axis, in ascending order.
fn sizes<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<usize> {
    let mut sizes: Vec<_> = figures.map(Figure::along).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The distance of grid lines on an axis up to `max`: 1, 2 or 5 times a power of ten, with at most six lines.
fn step(max: f64) -> f64 {
    let power = 10f64.powf((max.max(1e-3) / 6.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| max / step <= 6.0).unwrap_or(10.0 * power)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_on_an_axis() {
        for (max, want) in [(19000.0, 5000.0), (100.0, 20.0), (1.0, 0.2), (6.0, 1.0), (61.0, 20.0)] {
            assert!((step(max) - want).abs() < 1e-9 * want, "{max}: {}", step(max));
        }
    }

    #[test]
    fn text_in_markup() {
        assert_eq!(escape("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
    }
}
