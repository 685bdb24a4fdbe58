//! Cipher strings: any text is refused, or is a cipher string that prints as the same text and restores sectors.
#![no_main]

use algkit::Direction;
use algkit_volume::{CipherSpec, Key, SectorCipher};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(spec) = CipherSpec::parse(text) else { return };
    assert_eq!(spec.to_string(), text);
    for bytes in [16, 32, 48, 64] {
        let Ok(cipher) = SectorCipher::new(&spec, &Key::new((0..bytes).collect()), 512) else { continue };
        let mut sectors = [7; 1024];
        cipher.crypt(Direction::Encrypt, 9, &mut sectors).expect("whole sectors");
        cipher.crypt(Direction::Decrypt, 9, &mut sectors).expect("whole sectors");
        assert_eq!(sectors, [7; 1024]);
    }
});
