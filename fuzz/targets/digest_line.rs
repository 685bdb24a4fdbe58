//! Lines for `algkit dgst --check`: any line is parsed or refused. A line that is written for any file name, in either
//! style, is parsed to the same name and digest.
#![no_main]

#[allow(dead_code)]
#[path = "../../crates/cli/src/dgst/line.rs"]
mod line;

use libfuzzer_sys::fuzz_target;

/// The length of a digest in bytes.
const SIZE: usize = 4;

fuzz_target!(|data: &[u8]| {
    if let Some((digest, name)) = line::parse(data, "SHA1", SIZE) {
        assert!(digest.len() == SIZE && !name.is_empty());
    }
    let Some((digest, name)) = data.split_first_chunk::<SIZE>() else { return };
    // No file has such a name.
    if name.is_empty() || name.contains(&0) {
        return;
    }
    for written in [line::plain(name, digest, false), line::bsd("SHA1", name, digest, false)] {
        let read = line::parse(written.strip_suffix(b"\n").expect("a line"), "SHA1", SIZE);
        assert_eq!(read, Some((digest.to_vec(), name.to_vec())));
    }
});
