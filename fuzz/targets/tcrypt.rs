//! Decrypted headers of TrueCrypt and VeraCrypt: any fields are refused or are a volume that stays within the device. The checksums are
//! corrected, because whoever makes a header can do so too.
#![no_main]

use algkit_volume::{
    ReadAt,
    storage::Memory,
    tcrypt::{Header, Place},
};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
struct Input {
    place: u8,
    chain: u8,
    /// Whether the header is VeraCrypt's.
    veracrypt: bool,
    /// The size of the device in bytes.
    size: u16,
    /// What stands before the keys.
    fields: [u8; 72],
    /// The beginning of the keys.
    keys: [u8; 32],
}

static CRC32: LazyLock<algkit::Hash> =
    LazyLock::new(|| algkit::hash("crc32").and_then(|hash| hash.key(&[0xff; 4])).expect("crc32"));

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let sum = CRC32.digest(bytes);
    std::array::from_fn(|i| !sum[3 - i])
}

fuzz_target!(|input: Input| {
    let mut text = [0; 448];
    text[..72].copy_from_slice(&input.fields);
    text[..4].copy_from_slice(if input.veracrypt { b"VERA" } else { b"TRUE" });
    text[192..224].copy_from_slice(&input.keys);
    let sum = crc32(&text[192..]);
    text[8..12].copy_from_slice(&sum);
    let sum = crc32(&text[..188]);
    text[188..192].copy_from_slice(&sum);
    let places = [Place::Standard, Place::Hidden, Place::System, Place::Backup, Place::HiddenBackup];
    let place = places[usize::from(input.place) % places.len()];
    let Some(header) = Header::decrypted(&text, place, usize::from(input.chain)) else { return };
    let device = Memory::new(vec![0; input.size.into()]);
    let Ok(volume) = header.open(&device) else { return };
    let len = volume.size().expect("a volume");
    assert!(len <= u64::from(input.size));
    let mut last = vec![0; len.min(1000) as usize];
    volume.read_at(len - last.len() as u64, &mut last).expect("inside");
});
