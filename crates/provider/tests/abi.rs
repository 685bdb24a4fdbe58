//! The constants and structures of `src/abi.rs` are those of the installed headers, as a C compiler reads them.

use std::{fs, process::Command};

/// The names and values of `abi.rs`.
fn constants(source: &str) -> Vec<(String, String)> {
    source
        .lines()
        .filter_map(|line| line.strip_prefix("pub const "))
        .filter_map(|line| line.trim_end_matches(';').split_once(" = "))
        .map(|(name, value)| {
            let (name, kind) = name.split_once(": ").unwrap();
            let value = match kind {
                "&[u8]" => value.strip_prefix("b\"").unwrap().strip_suffix("\\0\"").unwrap().to_owned(),
                _ => match value.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16).unwrap().to_string(),
                    None => value.to_owned(),
                },
            };
            (name.to_owned(), value)
        })
        .collect()
}

#[test]
fn constants_and_structures_are_those_of_the_headers() {
    // The first section is that of OpenSSL 3.0. Each of the others names its version at its beginning.
    let sections: Vec<_> = include_str!("../src/abi.rs")
        .split("// Since OpenSSL ")
        .enumerate()
        .map(|(i, section)| (if i == 0 { "3.0" } else { &section[..3] }, constants(section)))
        .collect();
    let ours = &sections[0].1;
    assert!(ours.len() > 80, "{} constants were found", ours.len());
    let mut source = String::from(
        "#include <openssl/core.h>\n#include <openssl/core_dispatch.h>\n#include <openssl/core_names.h>\n\
         #include <openssl/err.h>\n#include <openssl/evp.h>\n#include <openssl/proverr.h>\n\
         #include <stddef.h>\n#include <stdio.h>\nint main(void) {\n",
    );
    for (version, section) in &sections {
        source += &format!("#if OPENSSL_VERSION_PREREQ({})\n", version.replace('.', ", "));
        for (name, _) in section {
            let format = if name.contains("_PARAM_") && !name.starts_with("OSSL_PARAM_") { "%s" } else { "%d" };
            source += &format!("printf(\"{name} {format}\\n\", {name});\n");
        }
        source += "#endif\n";
    }
    let structures = [
        ("OSSL_DISPATCH", "function_id function"),
        ("OSSL_ALGORITHM", "algorithm_names property_definition implementation algorithm_description"),
        ("OSSL_PARAM", "key data_type data data_size return_size"),
    ];
    // Pointers and sizes have 8 bytes, `int` has 4, and what follows it is aligned.
    let mut want = Vec::new();
    for (name, fields) in structures {
        let mut offset = 0;
        for field in fields.split(' ') {
            source += &format!("printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));\n");
            want.push(format!("{name}.{field} {offset}"));
            offset += 8;
        }
        source += &format!("printf(\"{name} %zu\\n\", sizeof({name}));\n");
        want.push(format!("{name} {offset}"));
    }
    source += "printf(\"tag %d\\n\", ERR_PACK(ERR_LIB_PROV, 0, 5) == (57 << 23 | 5)); return 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("abi.c"), folder.path().join("abi"));
    fs::write(&file, source).unwrap();
    let compiled = Command::new("cc").args(["-Wall", "-Werror", "-o"]).arg(&program).arg(&file).status().unwrap();
    assert!(compiled.success(), "the headers of OpenSSL are missing (libssl-dev) or name something else");
    let output = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    let want: Vec<_> = sections
        .iter()
        .filter(|(_, section)| output.contains(&section[0].0))
        .flat_map(|(_, section)| section)
        .map(|(name, value)| format!("{name} {value}"))
        .chain(want)
        .chain(["tag 1".into()])
        .collect();
    assert_eq!(output.lines().collect::<Vec<_>>(), want);
}
