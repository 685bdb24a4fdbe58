//! Lines of `algkit dgst --check`: any line is read or refused, and what is written for any file name, in either style, is
//! read again as it was.
#![no_main]

#[allow(dead_code)]
#[path = "../../crates/cli/src/dgst/line.rs"]
mod line;

use libfuzzer_sys::fuzz_target;

/// Bytes of digest.
const SIZE: usize = 4;

fuzz_target!(|data: &[u8]| {
    if let Some((digest, name)) = line::parse(data, "SHA1", SIZE) {
        assert!(digest.len() == SIZE && !name.is_empty());
    }
    let Some((digest, name)) = data.split_first_chunk::<SIZE>() else { return };
    // No file is called that.
    if name.is_empty() || name.contains(&0) {
        return;
    }
    for written in [line::plain(name, digest, false), line::bsd("SHA1", name, digest, false)] {
        let read = line::parse(written.strip_suffix(b"\n").expect("a line"), "SHA1", SIZE);
        assert_eq!(read, Some((digest.to_vec(), name.to_vec())));
    }
});
