//! Runs the commands of the README's section "Use" as they stand there, in an empty folder.

mod common;

use common::Folder;
use std::{fs, path::Path, process::Command};

/// The lines that start with `$ ` in the first console block below a heading.
fn commands(page: &str, heading: &str) -> Vec<String> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let (_, block) = section.split_once("```console\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_readme_run_in_an_empty_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let commands = commands(&fs::read_to_string(root.join("README.md")).unwrap(), "Use");
    assert!(commands.len() > 10, "{commands:?}");
    for word in ["list", "test", "bench", "enc", "dgst", "run", "volume"] {
        assert!(commands.iter().any(|line| line.contains(&format!("algkit {word} "))), "{word}");
    }
    let folder = Folder::new();
    let bin = Path::new(env!("CARGO_BIN_EXE_algkit")).parent().unwrap();
    // noclobber: no command may overwrite a file that another one has made.
    let script =
        ["set -euo pipefail -o noclobber".to_owned()].into_iter().chain(commands).collect::<Vec<_>>().join("\n");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path)
        .env_remove("ALGKIT_CPU")
        .env_remove("ALGKIT_TIMING")
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(folder.read("message.opened"), b"attack at dawn\n");
    assert_eq!(folder.read("disk.img"), vec![0; 1 << 20], "an input is left as it was");
    assert_eq!(folder.read("disk.sealed").len(), 1 << 20);
}
