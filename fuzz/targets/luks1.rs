//! LUKS1 headers: any 592 bytes are refused, or are a header that stays within bounds when it is opened.
#![no_main]

use algkit_volume::{Header, Key, ReadAt, storage::Memory};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut device = b"LUKS\xba\xbe\x00\x01".to_vec();
    device.extend(bytes.iter().take(4096));
    device.resize(3 << 20, 0);
    let Ok(header) = Header::read(&Memory::new(device.clone())) else { return };
    for bytes in [16, 32, 64] {
        let Ok(volume) = header.open(&device[..], &Key::new((0..bytes).collect())) else { continue };
        let mut last = vec![0; volume.size().expect("a volume").min(1000) as usize];
        let at = volume.size().expect("a volume") - last.len() as u64;
        volume.read_at(at, &mut last).expect("inside");
    }
});
