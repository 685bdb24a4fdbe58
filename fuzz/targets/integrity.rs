//! dm-integrity: any superblock and any journal are refused, or reads stay within the device. The commit IDs of the journal are corrected,
//! because whoever makes an image can do so too. Tags are wrong, so that no sector is decrypted.
#![no_main]

use algkit_volume::{Error, Key, ReadAt, Volume, storage::Memory};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    interleave: u8,
    tag: u8,
    sections: u8,
    sectors: u16,
    flags: u8,
    block: u8,
    /// The round in which each section was written.
    rounds: [u8; 8],
    /// The size of the device in KiB.
    size: u8,
    /// Bytes of the journal.
    journal: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let mut device = vec![0; usize::from(input.size) << 11];
    if device.len() < 8192 {
        return;
    }
    device[..8].copy_from_slice(b"integrt\0");
    device[8] = 4;
    device[9] = input.interleave % 34;
    device[10] = input.tag;
    device[12] = input.sections;
    device[16..18].copy_from_slice(&input.sectors.to_le_bytes());
    device[24] = input.flags;
    device[28] = input.block % 5;
    let len = input.journal.len().min(device.len() - 4096);
    device[4096..4096 + len].copy_from_slice(&input.journal[..len]);
    let block = u32::from(input.block % 5);
    let entry = (8 + (8 << block) + usize::from(input.tag)).next_multiple_of(8);
    let section = (((504 / entry) << 3) << block) + 8;
    for (at, sector) in device[4096..].chunks_exact_mut(512).enumerate().take(usize::from(input.sections) * section) {
        let (number, place) = (at / section, at % section);
        let round = 0x1111_1111_1111_1111u64 * u64::from(1 + input.rounds[number % 8] % 4);
        sector[504..].copy_from_slice(&(round ^ ((number as u64) << 32 ^ place as u64)).to_le_bytes());
    }
    let size = device.len() as u64;
    let key = Key::new((0..96).collect());
    let sector_size = 512 << block;
    let opened = Volume::with_tags(
        Memory::new(device),
        "aes-xts-plain64",
        "hmac(sha256)",
        0,
        sector_size,
        &key,
        input.flags < 128,
    );
    let Ok(volume) = opened else { return };
    let len = volume.size().expect("a volume");
    assert!(len <= size);
    for at in [0, len / 2, len - 1] {
        let read = volume.read_at(at, &mut [0]);
        assert!(matches!(read, Err(Error::Integrity { .. })), "{read:?}");
    }
});
