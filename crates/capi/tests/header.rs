//! `include/algkit.h` and the map of symbols say what the functions, structures and numbers in `src` are.

use std::{collections::BTreeSet, fs, path::Path};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// All of `src`.
fn rust() -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = fs::read_dir(src).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    files.collect::<Vec<_>>().join("\n")
}

/// The header without comments, attributes and lines for the preprocessor, with one space between words.
fn header() -> String {
    let text = read("include/algkit.h");
    let mut code = String::new();
    for (i, part) in text.split("/*").enumerate() {
        code += if i == 0 { part } else { part.split_once("*/").expect("a comment ends").1 };
    }
    let lines = code.lines().filter(|line| !line.starts_with('#') && *line != "ALGKIT_MUST_CHECK");
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// A declaration in C of a name with a type of Rust.
fn declared(name: &str, rust: &str) -> String {
    if let Some(to) = rust.strip_prefix("*const ") {
        return format!("const {}", declared(&format!("*{name}"), to));
    }
    if let Some(to) = rust.strip_prefix("*mut ") {
        return declared(&format!("*{name}"), to);
    }
    let c = match rust {
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "c_void" => "void",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "iovec" | "algkit_info" | "algkit_sectors" => &format!("struct {rust}"),
        request if request.ends_with("_request") => &format!("struct {rust}"),
        handle => handle,
    };
    format!("{c} {name}")
}

/// `name: type, name: type` as declarations in C.
fn all_declared(rust: &str) -> Vec<String> {
    let pairs = rust.split(',').filter_map(|pair| pair.trim().split_once(": "));
    pairs.map(|(name, rust)| declared(name.trim_start_matches("r#"), rust)).collect()
}

/// What stands between each `begin` and the next `end`.
fn between<'a>(text: &'a str, begin: &str, end: &'static str) -> impl Iterator<Item = &'a str> + use<'a> {
    let rests: Vec<_> = text.split(begin).skip(1).collect();
    rests.into_iter().map(move |rest| rest.split_once(end).expect("an end").0)
}

/// The public functions of `src`, as the header declares them.
fn functions() -> BTreeSet<String> {
    let rust = rust().replace("pub unsafe extern", "pub extern");
    let functions = between(&rust, "pub extern \"C\" fn ", "{").map(|function| {
        let (name, rest) = function.split_once('(').expect("arguments");
        let (arguments, returned) = rest.rsplit_once(')').expect("arguments");
        let arguments = match all_declared(arguments) {
            none if none.is_empty() => "void".to_owned(),
            some => some.join(", "),
        };
        let returned = returned.trim().strip_prefix("-> ").unwrap_or("c_void");
        declared(&format!("{name}({arguments})"), returned)
    });
    functions.collect()
}

#[test]
fn functions_are_declared_as_they_are() {
    let header = header();
    let declared = header.split(';').map(|part| part.rsplit(['{', '}']).next().unwrap().trim());
    let declared: BTreeSet<String> = declared.filter(|part| part.contains('(')).map(str::to_owned).collect();
    assert!(declared.len() > 30, "{declared:?}");
    assert_eq!(declared, functions());
}

#[test]
fn every_function_has_a_version() {
    let map = read("algkit.map");
    let (_, names) = map.split_once("global:").unwrap();
    let names = names.split_once("local:").unwrap().0.split(';').map(str::trim).filter(|name| !name.is_empty());
    let functions = functions();
    let name = |function: &str| function.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap().to_owned();
    assert_eq!(names.map(str::to_owned).collect::<BTreeSet<_>>(), functions.iter().map(|f| name(f)).collect());
}

#[test]
fn structures_have_the_same_members() {
    let (rust, header) = (rust(), header());
    let mut count = 0;
    for structure in between(&rust, "#[repr(C)]\npub struct ", "}") {
        let (name, members) = structure.split_once(" {").unwrap();
        let members = all_declared(members);
        let in_c = between(&header, &format!("struct {name} {{"), "}").next().expect(name);
        assert_eq!(in_c.split(';').map(str::trim).filter(|m| !m.is_empty()).collect::<Vec<_>>(), members, "{name}");
        count += 1;
    }
    let structures = header.split("struct algkit_").skip(1).filter(|rest| rest.split(' ').nth(1) == Some("{"));
    assert_eq!(count, structures.count());
}

#[test]
fn numbers_are_the_same() {
    let (rust, header) = (rust(), header());
    let values = |name: &str| -> BTreeSet<String> {
        let body = between(&header, &format!("enum {name} {{"), "}").next().unwrap();
        body.split(',').map(|value| value.trim().to_owned()).collect()
    };
    let errors = between(&rust, "\npub const E", ";").map(|error| format!("ALGKIT_E{}", error.replace(": c_int", "")));
    assert_eq!(values("algkit_error"), errors.collect());
    let ivs = rust.lines().filter_map(|line| line.trim().trim_end_matches(',').split_once(" => SectorIv::"));
    let ivs = ivs.map(|(number, iv)| format!("ALGKIT_IV_{} = {number}", iv.to_uppercase()));
    assert_eq!(values("algkit_sector_iv"), ivs.collect());
}
