//! Tests `algkit list`, `test`, `bench`, `completions`, and what all commands share.

mod common;

use common::{Folder, algkit, fails, ok, run};
use serde_json::Value;
use std::{collections::BTreeSet, io::Read, process::Stdio};

fn json(args: &[&str]) -> Value {
    serde_json::from_slice(ok(&run(args))).unwrap()
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

const COMMON: [&str; 12] = [
    "name",
    "driver",
    "type",
    "priority",
    "timing",
    "cpu",
    "usable",
    "chosen",
    "selftest",
    "refcnt",
    "async",
    "alignmask",
];

#[test]
fn a_listed_driver_has_the_fields_of_its_type() {
    let rows = json(&["list", "--json"]);
    let rows = rows.as_array().unwrap();
    let fields = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"));
        let mut fields = keys(row);
        COMMON.iter().for_each(|field| assert!(fields.remove(field), "{name} has no {field}"));
        // Only drivers with 512-bit vectors have this field, and the first row of a name may be one.
        fields.remove("prefers");
        fields.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields("aes"), "blocksize ctxsize keysizes max_keysize min_keysize");
    assert_eq!(fields("xts(aes)"), "blocksize ctxsize ivsize keysizes max_keysize min_keysize");
    assert_eq!(fields("gcm(aes)"), "blocksize ctxsize ivsize keysizes max_keysize maxauthsize min_keysize");
    assert_eq!(fields("sha256"), "blocksize ctxsize digestsize");
    assert_eq!(fields("hmac(sha256)"), "blocksize ctxsize digestsize keysize_step min_keysize");
    assert_eq!(fields("cmac(aes)"), "blocksize ctxsize digestsize keysizes max_keysize min_keysize");
    assert_eq!(fields("stdrng"), "seedsize");

    let xts = rows.iter().find(|row| row["driver"] == "xts-aes-aesni" || row["driver"] == "xts-aes-u64bs").unwrap();
    assert_eq!((xts["min_keysize"].as_u64(), xts["max_keysize"].as_u64()), (Some(32), Some(64)));
    assert_eq!((xts["ivsize"].as_u64(), xts["blocksize"].as_u64()), (Some(16), Some(16)));
    assert_eq!(xts["keysizes"], serde_json::json!([32, 48, 64]));
    let chosen: Vec<_> = rows.iter().filter(|row| row["name"] == "xts(aes)" && row["chosen"] == true).collect();
    assert!(chosen.len() == 1 && chosen[0]["usable"] == true, "{chosen:?}");
    for row in rows {
        assert!(["cipher", "skcipher", "aead", "hash", "rng"].contains(&row["type"].as_str().unwrap()), "{row}");
        assert!(["constant", "table"].contains(&row["timing"].as_str().unwrap()), "{row}");
        assert!(["passed", "failed", "untested"].contains(&row["selftest"].as_str().unwrap()), "{row}");
        assert!(row["refcnt"].as_u64() >= Some(1) && row["async"].is_boolean() && row["alignmask"] == 0, "{row}");
        assert!(row["keysizes"].is_null() || row["keysize_step"].is_null(), "{row}");
        assert!(row["usable"].is_boolean() && row["priority"].is_u64() && row["cpu"].is_array(), "{row}");
    }
    let order: Vec<_> = rows
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), std::cmp::Reverse(row["priority"].as_u64().unwrap())))
        .collect();
    assert!(order.is_sorted(), "by name, then the highest priority first");
    let drivers: BTreeSet<_> = rows.iter().map(|row| row["driver"].as_str().unwrap()).collect();
    assert_eq!(drivers.len(), rows.len(), "driver names are unique");
}

/// Joins rows that were continued on the next line after a long name or driver.
fn join_broken(lines: Vec<Vec<&str>>) -> Vec<Vec<&str>> {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        match rows.last_mut().filter(|row| !["passed", "failed", "untested", "unusable"].contains(row.last().unwrap()))
        {
            Some(row) => row.extend(line),
            None => rows.push(line),
        }
    }
    rows
}

#[test]
fn the_best_usable_driver_of_a_name_is_marked_and_tested() {
    let output = run(&["list"]);
    let table = String::from_utf8(ok(&output).to_vec()).unwrap();
    let rows: Vec<Vec<&str>> =
        table.lines().skip(1).take_while(|line| !line.is_empty()).map(|l| l.split_whitespace().collect()).collect();
    let rows = join_broken(rows);
    let chosen: Vec<_> = rows.iter().filter(|row| row[0] == "*").collect();
    for name in ["aes", "ctr(aes)", "gcm(aes)", "sha256", "hmac(sha256)"] {
        assert_eq!(chosen.iter().filter(|row| row[1] == name).count(), 1, "{name}");
    }
    assert!(chosen.iter().all(|row| row.last() == Some(&"passed")), "{table}");
    assert_eq!(table.lines().find(|line| line.chars().count() > 100), None);
}

#[test]
fn hidden_features_make_drivers_unusable() {
    let list = |mask: &str| {
        let output = algkit().args(["list", "--json", "ctr(aes)"]).env("ALGKIT_CPU", mask).output().unwrap();
        serde_json::from_slice::<Value>(ok(&output)).unwrap().as_array().unwrap().clone()
    };
    let needs_aes = |row: &Value| row["cpu"].as_array().unwrap().contains(&Value::from("aes"));
    let masked = list("-aes");
    assert!(masked.iter().filter(|row| needs_aes(row)).all(|row| row["usable"] == false));
    assert!(masked.iter().any(|row| row["usable"] == true && row["selftest"] == "passed"));

    let unknown = algkit().arg("list").env("ALGKIT_CPU", "-nosuch").output().unwrap();
    assert!(fails(&unknown, 2).contains("unknown feature `nosuch`"));
    let unsigned = algkit().arg("list").env("ALGKIT_CPU", "vaes").output().unwrap();
    assert!(fails(&unsigned, 2).contains("`vaes` does not start with `-`"));
}

#[test]
fn one_name_is_listed_in_detail() {
    let output = run(&["list", "ecb(aes)"]);
    let text = String::from_utf8(ok(&output).to_vec()).unwrap();
    assert!(text.starts_with("name         : ecb(aes)\ndriver       : "), "{text}");
    assert_eq!(text.matches("chosen       : yes").count(), 1, "{text}");
    // An instance that is not in the catalogue is made.
    let output = run(&["list", "cbc(aes-fixed-time)"]);
    assert!(String::from_utf8_lossy(ok(&output)).contains("driver       : cbc(aes-fixed-time)\n"));
    assert!(fails(&run(&["list", "nosuch"]), 2).contains("unknown algorithm `nosuch`"));
    // These names are spelled differently from the driver's name, and are found.
    for name in ["xts(twofish-generic)", "xts(ecb(twofish-generic))"] {
        let rows = json(&["list", name, "--json"]);
        let drivers: Vec<_> = rows.as_array().unwrap().iter().map(|row| &row["driver"]).collect();
        assert_eq!(drivers, ["xts(ecb(twofish-generic))"]);
        assert_eq!((&rows[0]["selftest"], &rows[0]["name"]), (&"passed".into(), &"xts(twofish)".into()));
    }
}

#[test]
fn all_drivers_of_a_name_are_listed_composed_ones_too() {
    let rows = json(&["list", "cbc(aes)", "--json"]);
    let field = |name: &str| rows.as_array().unwrap().iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    let drivers = field("driver");
    for driver in ["cbc(aes-generic)", "cbc(aes-fixed-time)"] {
        assert!(drivers.contains(&driver.into()), "{drivers:?}");
    }
    assert!(field("name").iter().all(|name| name == "cbc(aes)"), "{rows}");
    assert_eq!(field("chosen").iter().filter(|chosen| **chosen == true).count(), 1, "{rows}");
    // The first row is the driver that serves.
    assert_eq!((&rows[0]["chosen"], &rows[0]["selftest"]), (&true.into(), &"passed".into()), "{rows}");
}

#[test]
fn unknown_names_get_a_hint() {
    for (name, meant) in [("aes-gcm", "`gcm(aes)`"), ("aes-256-xts", "`xts(aes)`"), ("SHA256", "`sha256`")] {
        for args in [&["list", name][..], &["bench", "-c", name], &["test", name], &["dgst", "-c", name]] {
            let error = fails(&run(args), 2);
            assert!(error.contains(&format!("did you mean {meant}? (see `algkit list`)")), "{args:?}: {error}");
        }
    }
    assert!(fails(&run(&["list", "nosuch"]), 2).ends_with("`nosuch` (see `algkit list`)\n"));
    assert!(fails(&run(&["list", "--jsom"]), 2).contains("a similar argument exists: '--json'"));
    let error = fails(&run(&["list", "\u{1b}[31m\u{7}"]), 2);
    assert!(error.contains("\\u{1b}[31m\\u{7}"), "{error}");
}

#[test]
fn what_the_timing_policy_refuses_is_listed_and_not_chosen() {
    for name in ["twofish", "cbc(twofish)"] {
        let rows = json(&["list", name, "--json"]);
        assert!(rows.as_array().unwrap().iter().all(|row| row["timing"] == "table"), "{rows}");
        let output = run(&["list", name]);
        assert!(String::from_utf8_lossy(ok(&output)).contains("chosen       : no\n"), "{name}");
        assert!(
            fails(&run(&["enc", "-c", "cbc(twofish)", "-k", &common::hex(16)]), 2)
                .contains("table timing (ALGKIT_TIMING=table)")
        );
        let bench = json(&["bench", "-c", name, "-s", "128", "--sizes", "16", "--seconds", "0.001", "--json"]);
        assert_eq!(bench["results"][0]["name"], name);
    }
    let allowed = algkit().args(["list", "cbc(twofish)"]).env("ALGKIT_TIMING", "table").output().unwrap();
    assert!(String::from_utf8_lossy(ok(&allowed)).contains("chosen       : yes\n"));
}

#[test]
fn self_tests_of_some_names() {
    let output = run(&["test", "ctr(aes)", "sha256", "sha256"]);
    let text = String::from_utf8(ok(&output).to_vec()).unwrap();
    assert!(text.contains(" drivers tested: ") && text.contains(" 0 failed"), "{text}");
    assert!(fails(&run(&["test", "nosuch"]), 2).contains("unknown algorithm `nosuch`"));
}

#[test]
fn measurements_as_json() {
    let driver = "ctr(aes-fixed-time)";
    let report = json(&[
        "bench",
        "-c",
        "ctr(aes)",
        "-s",
        "256",
        "--driver",
        driver,
        "--sizes",
        "64,4K",
        "--threads",
        "2",
        "--seconds",
        "0.01",
        "--json",
    ]);
    assert_eq!(keys(&report), BTreeSet::from(["machine", "results"]));
    let machine = ["arch", "cpu", "cpus", "features", "os", "version"];
    assert_eq!(keys(&report["machine"]), BTreeSet::from(machine));
    let results = report["results"].as_array().unwrap();
    let fields = ["driver", "key_bits", "mib_s", "name", "ns_median", "ns_op", "op", "size", "threads"];
    let mut seen = BTreeSet::new();
    for result in results {
        assert_eq!(keys(result), BTreeSet::from(fields));
        assert_eq!((&result["name"], &result["driver"]), (&Value::from("ctr(aes)"), &Value::from(driver)));
        assert_eq!((&result["key_bits"], &result["threads"]), (&Value::from(256), &Value::from(2)));
        let (size, ns) = (result["size"].as_f64().unwrap(), result["ns_op"].as_f64().unwrap());
        assert!(result["ns_median"].as_f64().unwrap() >= ns);
        let mib_s = 2.0 * size / ns * 1e9 / 1048576.0;
        assert!((result["mib_s"].as_f64().unwrap() - mib_s).abs() < 1e-6 * mib_s, "{result}");
        seen.insert(format!("{} {size}", result["op"].as_str().unwrap()));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["dec 4096", "dec 64", "enc 4096", "enc 64"]);
    assert_eq!(results.len(), 4);
    let hash = json(&["bench", "-c", "sha256", "--op", "dec", "--seconds", "0.01", "--json"]);
    assert_eq!(hash["results"][0]["op"], "digest");
    assert_eq!(hash["results"][0]["key_bits"], 0);
    let rng = json(&["bench", "-c", "stdrng", "--seconds", "0.01", "--json"]);
    assert_eq!((&rng["results"][0]["op"], &rng["results"][0]["key_bits"]), (&"generate".into(), &0.into()));
}

#[test]
fn the_listing_of_tcrypt() {
    let output = run(&["bench", "--tcrypt", "-c", "cbc(aes)", "-c", "sha256", "--seconds", "0.005"]);
    let text = String::from_utf8(ok(&output).to_vec()).unwrap();
    // The listings under each title, without the numbers of cycles.
    let mut listings: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        match (line.strip_prefix("testing speed of "), listings.last_mut()) {
            (Some(title), _) => listings.push((title, Vec::new())),
            (None, Some((_, lines))) => lines.push(line.split(": ").next().unwrap()),
            (None, None) => panic!("{text}"),
        }
    }
    let sizes = [16, 64, 256, 1024, 8192];
    for (listing, op) in listings.iter().zip(["encryption", "decryption"]) {
        assert!(listing.0.starts_with("cbc(aes) (") && listing.0.ends_with(op), "{text}");
        let bits = [128, 256].into_iter();
        let tests = bits.flat_map(|bits| sizes.map(|size| format!("({bits} bit key, {size} byte blocks)")));
        let want: Vec<_> = tests.enumerate().map(|(i, test)| format!("test {i} {test}")).collect();
        assert_eq!(listing.1, want);
    }
    let want: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(i, n)| format!("test{i:3} ({n:5} byte blocks,{n:5} bytes per update,   1 updates)"))
        .collect();
    assert!(listings[2].0.starts_with("sha256 (") && listings[2].1 == want, "{text}");
    let cycles = text.lines().filter_map(|line| line.split_once("1 operation in ")?.1.split(' ').next()?.parse().ok());
    let cycles: Vec<u64> = cycles.collect();
    assert!(cycles.len() == 20 && cycles.iter().all(|cycles| *cycles > 0), "{cycles:?}");
}

#[test]
fn a_size_that_one_mode_cannot_take_is_skipped() {
    let args = ["bench", "-c", "cbc(aes)", "-c", "ctr(aes)", "--sizes", "16,17", "-s", "128", "--seconds", "0.002"];
    let output = run(&[&args[..], &["--json"]].concat());
    assert_eq!(fails(&output, 0), "algkit: skipped: cbc(aes): text of 17 bytes, expected a multiple of 16\n");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sizes = |name: &str| {
        let of_name = report["results"].as_array().unwrap().iter().filter(|r| r["name"] == name && r["op"] == "enc");
        of_name.map(|r| r["size"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((sizes("cbc(aes)"), sizes("ctr(aes)")), (vec![16], vec![16, 17]));
}

/// What needs more than a key and a text: a text that was wrapped, associated data of a certain length, two keys.
#[test]
fn modes_with_demands_are_measured() {
    for name in [
        "kw(aes)",
        "seqiv(rfc4106(gcm(aes)))",
        "echainiv(authenc(hmac(sha1),cbc(aes)))",
        "seqiv(rfc7539esp(chacha20,poly1305))",
        "rfc4543(gcm(aes))",
        "authencesn(hmac(sha256),cbc(aes))",
        "essiv(authenc(hmac(sha256),cbc(aes)),sha256)",
        "vmac64(aes)",
        "nhpoly1305",
    ] {
        let report = json(&["bench", "-c", name, "--sizes", "512", "--seconds", "0.001", "--json"]);
        let results = report["results"].as_array().unwrap();
        assert!(!results.is_empty() && results.iter().all(|figure| figure["name"] == name), "{name}");
    }
}

#[test]
fn long_passes_tell_whether_they_were_disturbed() {
    let report = json(&["bench", "-c", "sha256", "--long", "--volume", "64K", "--json"]);
    let result = &report["results"][0];
    assert!(result["disturbed"].is_boolean(), "{result}");
    let table = run(&["bench", "-c", "sha256", "--long", "--volume", "64K"]);
    assert!(String::from_utf8_lossy(ok(&table)).contains("ns, mean"));
}

#[test]
fn working_sets_and_numbers_of_threads() {
    let args = ["bench", "-c", "ctr(aes)", "-c", "gcm(aes)", "-s", "128", "--threads", "1,2", "--seconds", "0.001"];
    let report = json(&[&args[..], &["--working-set", "8K,64K", "--json"]].concat());
    let results = report["results"].as_array().unwrap();
    let of = |name: &str, op: &str| {
        let chosen = results.iter().filter(|result| result["name"] == name && result["op"] == op);
        chosen.map(|result| format!("{} × {}", result["threads"], result["working_set"])).collect::<Vec<_>>()
    };
    let all = ["1 × 8192", "1 × 65536", "2 × 8192", "2 × 65536"];
    assert_eq!(
        (of("ctr(aes)", "enc"), of("ctr(aes)", "dec")),
        (all.map(str::to_owned).into(), all.map(str::to_owned).into())
    );
    assert_eq!(of("gcm(aes)", "enc"), all);
    assert!(of("gcm(aes)", "dec").is_empty());
    assert!(results.iter().all(|result| result["size"] == 4096));

    let folder = Folder::new();
    let path = folder.arg("page.html");
    let table = run(&[&args[..], &["--working-set", "8K,64K", "--html", &path]].concat());
    let table = String::from_utf8(ok(&table).to_vec()).unwrap();
    assert!(table.lines().any(|line| line.contains("  64K        2  ")), "{table}");
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert_eq!(page.matches("MiB/s over bytes in each thread's working set").count(), 3);
    assert_eq!(page.matches("<polyline").count(), 6, "a line for each number of threads");
}

#[test]
fn a_page_needs_nothing_else() {
    let folder = Folder::new();
    let path = folder.arg("page.html");
    ok(&run(&["bench", "-c", "sha256", "-c", "gcm(aes)", "--sizes", "16,1K", "--seconds", "0.005", "--html", &path]));
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert_eq!(page.matches("<figure ").count(), 3, "digest, encryption and decryption");
    for external in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(external), "{external}");
    }
}

#[test]
fn scripts_for_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        assert!(String::from_utf8_lossy(ok(&script)).contains("sector-size"), "{shell}");
    }
    assert!(fails(&run(&["completions", "tcsh"]), 2).contains("'tcsh'"));
}

/// The commands in the help of `command`.
fn commands(command: &[&str]) -> Vec<String> {
    let help = run(&[command, &["--help"]].concat());
    let help = String::from_utf8(ok(&help).to_vec()).unwrap();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|command| *command != "help");
    let names: Vec<_> = names.map(str::to_owned).collect();
    assert!(!names.is_empty(), "{help}");
    names
}

#[test]
fn a_man_page_for_each_command() {
    let folder = Folder::new();
    assert!(ok(&run(&["man-pages", &folder.arg("man")])).is_empty());
    let mut want: Vec<_> = commands(&[]).iter().map(|command| format!("algkit-{command}.1")).collect();
    want.extend(commands(&["volume"]).iter().map(|command| format!("algkit-volume-{command}.1")));
    want.push("algkit.1".to_owned());
    want.sort();
    let mut pages: Vec<_> =
        std::fs::read_dir(folder.path("man")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    pages.sort();
    assert_eq!(pages, want);
    let page = String::from_utf8(folder.read("man/algkit-enc.1")).unwrap();
    assert!(page.contains("sector\\-size") && page.contains(".SH EXAMPLES\n.nf\n"), "{page}");
}

#[test]
fn help_goes_to_standard_output() {
    for command in ["list", "test", "bench", "enc", "dgst", "completions"] {
        let help = run(&[command, "--help"]);
        let help = String::from_utf8_lossy(ok(&help));
        assert!(help.contains("Usage: algkit "), "{command}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 110),
            "{command}: lines of more than 100 columns\n{help}"
        );
    }
    assert!(String::from_utf8_lossy(ok(&run(&["--version"]))).starts_with("algkit "));
}

#[test]
fn misuse_is_told_in_one_line() {
    for (args, want) in [
        (&[][..], "a command is missing (see `algkit --help`)"),
        (&["volume"], "a command is missing (see `algkit volume --help`)"),
        (&["nosuch"], "'nosuch'"),
        (&["list", "a", "b"], "'b'"),
        (&["bench", "-c", "nosuch"], "unknown algorithm `nosuch`"),
        (&["bench", "--driver", "nosuch"], "unknown algorithm `nosuch`"),
        (&["bench", "-c", "cbc(aes)", "--sizes", "17"], "text of 17 bytes"),
        (&["bench", "-c", "cbc(aes)", "--sizes", "0"], "at least 1"),
        (&["bench", "-c", "cbc(aes)", "--sizes", "9G"], "more than"),
        (&["bench", "-c", "sha256", "--sizes", "256M", "--threads", "128"], "268435456 is more than 134217728 bytes"),
        (&["bench", "-c", "cbc(aes)", "-s", "64"], "key of 8 bytes"),
        (&["bench", "-s", "7"], "7 bits"),
        (&["bench", "-s", "72"], "72 bits"),
        (&["bench", "-c", "sha256", "-s", "128"], "key of 16 bytes"),
        (&["bench", "-c", "cbc(aes)", "--driver", "sha256-generic"], "of `sha256`, not of `cbc(aes)`"),
        (&["bench", "--threads", "0"], "'0'"),
        (&["bench", "--threads", "1,x"], "'x'"),
        (&["bench", "-c", "sha256", "--working-set", "1K"], "1024 bytes do not hold a message of 4096"),
        (&["bench", "-c", "sha256", "--working-set", "9G", "--threads", "2"], "more than"),
        (&["bench", "-c", "gcm(aes)", "--op", "dec", "--working-set", "1M"], "AEAD decryption"),
        (&["bench", "--seconds", "-1"], "-1"),
        (&["bench", "--seconds", "0"], "--seconds: 0 is not more than 0"),
        (&["bench", "--seconds", "nan"], "NaN"),
        (&["bench", "-c", "sha256", "--html", "/nonexistent/page"], "No such file"),
    ] {
        let error = fails(&run(args), 2);
        assert!(error.contains(want), "{args:?}: {error}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    for args in [&["list", "--json"][..], &["list"], &["completions", "bash"], &["enc", "--help"]] {
        let mut child = algkit().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 1]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    let bench = ["bench", "-c", "sha256", "--sizes", "16", "--seconds", "0.001"];
    let (key, file) = (common::hex(16), env!("CARGO_BIN_EXE_algkit"));
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["list", "sha256"],
        &["test", "sha256"],
        &bench,
        &[&bench[..], &["--json"]].concat(),
        &["bench", "-c", "sha256", "--tcrypt", "--seconds", "0.001"],
        &["completions", "zsh"],
        &["--help"],
        &["--version"],
        &["dgst", "-c", "sha256"],
        &["enc", "-c", "ctr(aes)", "-k", &key, "--iv", &key, "-i", file],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = algkit().args(args).stdout(full).output().unwrap();
        assert!(fails(&output, 2).contains("cannot write standard output: No space left"), "{args:?}");
    }
    let html = run(&[&bench[..], &["--html", "/dev/full"]].concat());
    assert!(fails(&html, 2).contains("cannot write `/dev/full`: No space left"));
}

#[test]
fn the_hosts_drivers_are_listed_only_when_asked_for() {
    let list = |host: &str| algkit().args(["list"]).env("ALGKIT_HOST", host).output().unwrap();
    let drivers = |host: &str| {
        let output = list(host);
        String::from_utf8(ok(&output).to_vec()).unwrap().lines().filter(|line| line.contains(" afalg:")).count()
    };
    assert_eq!(drivers(""), 0);
    // A host without AF_ALG offers nothing, which is an error only if a driver was named: another would serve, and nobody would know.
    drivers("afalg,cryptodev");
    for name in ["afalg:no-such-engine", "afalg:no-such-engine!"] {
        assert!(fails(&list(name), 2).contains("`no-such-engine`"));
    }
    assert!(fails(&list("afalg,engine"), 2).contains("ALGKIT_HOST: `engine` is none of"));
    let output = algkit().args(["bench", "--driver", "afalg:none"]).env("ALGKIT_HOST", "afalg").output().unwrap();
    assert!(fails(&output, 2).contains("unknown algorithm `afalg:none`"));
}
