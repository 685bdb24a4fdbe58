//! LUKS2 headers: any bytes in place of the JSON, and any change of the binary headers, are refused or are a header
//! that stays within bounds when it is opened. Passphrases and key derivation are not part of it. The checksums are
//! corrected, because an attacker can do so too.
#![no_main]

use algkit_fuzz::Sparse;
use algkit_volume::{
    Header, Key, Limits, ReadAt,
    luks2::Resilience,
    reencrypt::{Resume, resume},
    storage::Memory,
};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Whether the second copy of the header is written. The other copy has no magic number.
    second: bool,
    /// The size of the device in KiB.
    size: u16,
    /// Offsets in the binary header, and the bytes that are xored there.
    changes: Vec<(u16, u8)>,
    /// The JSON. As the last field, it takes the rest of the input.
    json: &'a str,
}

const SIZE: usize = 16 << 10;

static SHA256: LazyLock<algkit::Hash> =
    LazyLock::new(|| algkit::hash("sha256").and_then(|hash| hash.key(&[])).expect("sha256"));

static RANDOM: LazyLock<algkit::Rng> =
    LazyLock::new(|| algkit::rng("stdrng").and_then(|rng| rng.key(&[])).expect("stdrng"));

fuzz_target!(|input: Input<'_>| {
    let mut copy = vec![0; SIZE];
    let offset = if input.second { SIZE } else { 0 };
    copy[..6].copy_from_slice(if input.second { b"SKUL\xba\xbe" } else { b"LUKS\xba\xbe" });
    copy[7] = 2;
    copy[8..16].copy_from_slice(&(SIZE as u64).to_be_bytes());
    copy[72..78].copy_from_slice(b"sha256");
    copy[256..264].copy_from_slice(&(offset as u64).to_be_bytes());
    for (at, byte) in &input.changes {
        copy[usize::from(*at) % 448] = *byte;
    }
    let json = input.json.as_bytes();
    let len = json.len().min(SIZE - 4096);
    copy[4096..4096 + len].copy_from_slice(&json[..len]);
    let sum = SHA256.digest(&copy);
    copy[448..480].copy_from_slice(&sum);

    let mut start = vec![0; offset];
    start.extend(copy);
    let device = Sparse { start, size: u64::from(input.size) << 10 };
    let Ok(header) = Header::read(&device) else { return };
    header.warnings();
    let size = device.size;
    half_finished(&header, &device);
    for bytes in [16, 32, 64] {
        let Ok(volume) = header.open(&device, &Key::new((0..bytes).collect())) else { continue };
        let len = volume.size().expect("a volume");
        // Segments other than backups may overlap each other, but each is within the device.
        assert!(len <= 32 * size);
        let mut last = vec![0; len.min(1000) as usize];
        volume.read_at(len - last.len() as u64, &mut last).expect("inside");
    }
});

/// A volume under reencryption with keys that the seeds have: it is read, or refused, and a zone that was left is recovered.
fn half_finished(header: &Header, device: &Sparse) {
    let Header::Luks2(luks2) = header else { return };
    let costs = luks2.metadata.digests.values().map(|digest| digest.iterations.unwrap_or(0));
    let apart = luks2.metadata.segments.values().all(|segment| segment.is_backup() || segment.offset >= luks2.size());
    match header.reencryption() {
        // Data over the header, or data that is moved over other data, is destroyed by recovery.
        Some((_, it))
            if apart && !matches!(it.resilience, Resilience::Datashift { .. }) && costs.max() <= Some(1000) => {}
        _ => return,
    }
    let key = |first: u8| Key::new((first..first + 64).collect());
    let Some(mut unlocked) = [0, 64].into_iter().find_map(|first| header.verify(key(first), &Limits::default()).ok())
    else {
        return;
    };
    unlocked.other = Some(key(64));
    let before = header.open_with(device, None, &unlocked).map(|volume| {
        let mut bytes = vec![0; volume.size().expect("a volume").min(1 << 21) as usize];
        volume.read_at(0, &mut bytes).map(|()| bytes)
    });
    let disk = Memory::new({
        let mut bytes = vec![0; device.size as usize];
        device.read_at(0, &mut bytes).expect("a device");
        bytes
    });
    let options = Resume { hotzone: Some(64 << 10), lose_torn_zone: true };
    let resumed = resume(&mut luks2.clone(), &disk, &disk, &unlocked, &options, &RANDOM, &mut |_, _| false);
    // What was recovered reads as it did before.
    if let (Ok(Ok(before)), Ok(false)) = (before, resumed) {
        let header = Header::read(&disk).expect("a header that was written");
        let volume = header.open_with(&disk, None, &unlocked).expect("a volume");
        let mut after = vec![0; before.len()];
        volume.read_at(0, &mut after).expect("its bytes");
        assert!(before == after, "recovery changed the plaintext");
    }
}
