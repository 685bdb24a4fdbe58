//! LUKS1 headers: any 592 bytes are refused, or are a header that stays within bounds when it is opened.
#![no_main]

use algkit_fuzz::Sparse;
use algkit_volume::{Header, Key, ReadAt};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut start = b"LUKS\xba\xbe\x00\x01".to_vec();
    start.extend(bytes.iter().take(4096));
    let device = Sparse { start, size: 3 << 20 };
    let Ok(header) = Header::read(&device) else { return };
    for bytes in [16, 32, 64] {
        let Ok(volume) = header.open(&device, &Key::new((0..bytes).collect())) else { continue };
        let mut last = vec![0; volume.size().expect("a volume").min(1000) as usize];
        let at = volume.size().expect("a volume") - last.len() as u64;
        volume.read_at(at, &mut last).expect("inside");
    }
});
