//! dm-integrity, written: on any journal, any sequence of writes, syncs, reopenings and losses of power. What was written is read, what was synced
//! stays, and nothing is read or written outside of the journal, the tags and the data.
#![no_main]

use algkit_volume::{Error, Key, ReadAt, Volume, WriteAt};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::{
    ops::Range,
    sync::{Mutex, MutexGuard},
};

/// Cipher, integrity, bytes of the key and of what is stored for a block.
const FORMS: [(&str, &str, u8, usize); 3] = [
    ("aes-xts-plain64", "hmac(sha512)", 128, 64),
    ("aes-gcm-random", "aead", 32, 28),
    ("aes-xts-random", "hmac(sha1)", 52, 36),
];

/// Where the superblock is, and its length.
const START: usize = 4096;
const SUPERBLOCK: usize = 4096;

/// How many steps of an input are done: enough to fill the journal and to replay it.
const STEPS: usize = 16;

#[derive(Arbitrary, Debug)]
struct Input {
    form: u8,
    block: u8,
    interleave: u8,
    sections: u8,
    sectors: u8,
    journaled: bool,
    /// The round of each section of the journal.
    rounds: [u8; 4],
    /// Sectors of the journal that are of another round: the section, the sector, the round.
    torn: Vec<(u8, u8, u8)>,
    /// Entries of the journal that are in use: the section, the entry, and the sector that it is about.
    entries: Vec<(u8, u8, u8)>,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Write {
        at: u16,
        len: u16,
        byte: u8,
    },
    Read {
        at: u16,
        len: u16,
    },
    Sync,
    /// The process ends, without a sync.
    Reopen {
        journaled: bool,
    },
    /// The power fails. The bits say of each write since the last sync whether it lasts.
    Cut {
        lasts: u64,
        torn: bool,
        journaled: bool,
    },
}

/// A device that panics if it is asked for bytes that it does not have.
struct Device(Mutex<Bytes>);

struct Bytes {
    now: Vec<u8>,
    /// What was written since the last sync, and what was there before.
    pending: Vec<(usize, Vec<u8>, Vec<u8>)>,
}

impl Device {
    fn new(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(Bytes { now: bytes, pending: Vec::new() }))
    }

    fn bytes(&self) -> MutexGuard<'_, Bytes> {
        self.0.lock().expect("no panic")
    }

    fn cut(&self, lasts: u64, torn: bool) {
        let mut bytes = self.bytes();
        let Bytes { now, pending } = &mut *bytes;
        for (at, old, _) in pending.iter().rev() {
            now[*at..at + old.len()].copy_from_slice(old);
        }
        for (number, (at, _, data)) in pending.drain(..).enumerate() {
            let len = match lasts >> (number % 64) & 1 {
                1 => data.len(),
                _ if torn => data.len().min(512),
                _ => 0,
            };
            now[at..at + len].copy_from_slice(&data[..len]);
        }
    }
}

impl ReadAt for Device {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.bytes().now.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        buf.copy_from_slice(&self.bytes().now[offset as usize..][..buf.len()]);
        Ok(())
    }
}

impl WriteAt for Device {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let mut bytes = self.bytes();
        let Bytes { now, pending } = &mut *bytes;
        let place = &mut now[offset as usize..][..data.len()];
        pending.push((offset as usize, place.to_vec(), data.to_vec()));
        place.copy_from_slice(data);
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        self.bytes().pending.clear();
        Ok(())
    }
}

/// Bytes, with 255 in the mask where they are known and 0 elsewhere. Nothing here branches for a byte, as the instrumentation makes a branch slow.
#[derive(Clone)]
struct Masked {
    bytes: Vec<u8>,
    mask: Vec<u8>,
}

impl Masked {
    fn fill(&mut self, range: Range<usize>, byte: Option<u8>) {
        self.bytes[range.clone()].fill(byte.unwrap_or(0));
        self.mask[range].fill(if byte.is_some() { 255 } else { 0 });
    }
}

/// What is known of the plaintext. A sector of which a byte is known has a right tag.
struct Known {
    block: usize,
    /// What is read.
    now: Masked,
    /// What is read after a loss of power as well.
    lasting: Masked,
}

impl Known {
    /// Whether these bytes, which were read at `at`, are as they are known.
    fn allows(&self, at: usize, found: &[u8]) -> bool {
        let known = self.now.bytes[at..].iter().zip(&self.now.mask[at..]);
        known.zip(found).fold(0, |differ, ((byte, mask), found)| differ | (byte ^ found) & mask) == 0
    }

    fn whole(&self, range: &Range<usize>) -> Range<usize> {
        range.start / self.block * self.block..range.end.next_multiple_of(self.block).min(self.now.mask.len())
    }

    /// Whether each of these sectors has a right tag.
    fn has_tags(&self, range: &Range<usize>) -> bool {
        self.now.mask[self.whole(range)]
            .chunks(self.block)
            .all(|block| block.iter().fold(0, |any, mask| any | mask) > 0)
    }
}

fuzz_target!(|input: Input| {
    let (cipher, integrity, key, tag) = FORMS[usize::from(input.form) % FORMS.len()];
    let units = 1usize << (input.block % 4);
    let (block, sections) = (512 * units, 1 + usize::from(input.sections) % 4);
    let (interleave, sectors) = (3 + input.interleave % 4, 8 + usize::from(input.sectors) % 56);
    // The layout of drivers/md/dm-integrity.c.
    let entry = (8 + 8 * units + tag).next_multiple_of(8);
    let entries = 504 / entry * 8;
    let section = 8 + entries * units;
    let data = START + SUPERBLOCK + 512 * section * sections;
    let area = 1usize << interleave;
    let run = (tag * area / units).next_multiple_of(4096);
    let mut device = vec![0; data + sectors.div_ceil(area) * (run + 512 * area)];
    device[..START].fill(0x5a);
    device[START..START + 12].copy_from_slice(&[&b"integrt\0\x04"[..], &[interleave, tag as u8, 0]].concat());
    device[START + 12] = sections as u8;
    device[START + 16] = sectors as u8;
    device[START + 24] = 8;
    device[START + 28] = units.ilog2() as u8;
    let journal = |number: usize, place: usize| START + SUPERBLOCK + 512 * (number * section + place);
    let round = |device: &mut [u8], number: usize, place: usize, round: u8| {
        let id = (0x1111_1111_1111_1111 * (1 + u64::from(round % 4))) ^ (number << 32 ^ place) as u64;
        device[journal(number, place) + 504..][..8].copy_from_slice(&id.to_le_bytes());
    };
    for number in 0..sections {
        (0..section).for_each(|place| round(&mut device, number, place, input.rounds[number]));
        (0..entries).for_each(|at| device[journal(number, at % 8) + at / 8 * entry + 4..][..4].fill(0xff));
    }
    for (number, place, other) in &input.torn {
        round(&mut device, usize::from(*number) % sections, usize::from(*place) % section, *other);
    }
    for (number, at, about) in &input.entries {
        let at = usize::from(*at) % entries;
        let place = journal(usize::from(*number) % sections, at % 8) + at / 8 * entry;
        device[place..place + 8].copy_from_slice(&u64::from(*about).to_le_bytes());
    }

    let before = device[..START + SUPERBLOCK].to_vec();
    let device = Device::new(device);
    let key = Key::new((0..key).collect());
    let open = |journaled| Volume::with_tags(&device, cipher, integrity, START as u64, block as u32, &key, journaled);
    let Ok(mut volume) = open(input.journaled) else { return };
    let (mut journaled, size) = (input.journaled, sectors / units * block);
    assert_eq!(volume.size().expect("a volume"), size as u64);
    let nothing = Masked { bytes: vec![0; size], mask: vec![0; size] };
    let mut known = Known { block, now: nothing.clone(), lasting: nothing };
    let range = |at: u16, len: u16| {
        let at = usize::from(at) % size;
        at..at + usize::from(len) % (size - at + 1)
    };
    for step in input.steps.iter().take(STEPS) {
        match step {
            Step::Write { at, len, byte } => {
                let range = range(*at, *len);
                let written = volume.write_at(range.start as u64, &vec![*byte; range.len()]);
                let head = range.start..range.start.next_multiple_of(block).min(range.end);
                let tail = (range.end / block * block).max(head.end)..range.end;
                let is_possible = volume.writable().is_ok()
                    && [head, tail].iter().all(|part| part.is_empty() || known.has_tags(part));
                assert!(written.is_ok() || !is_possible, "{range:?}: {written:?}");
                // Without a journal, a sector that is written may be lost as a whole.
                let lost = if journaled { range.clone() } else { known.whole(&range) };
                known.lasting.fill(lost, None);
                known.now.fill(range, written.is_ok().then_some(*byte));
            }
            Step::Read { at, len } => check(&volume, &known, range(*at, *len)),
            Step::Sync => {
                volume.sync().expect("a sync");
                known.lasting.clone_from(&known.now);
            }
            Step::Reopen { journaled: now } | Step::Cut { journaled: now, .. } => {
                drop(volume);
                if let Step::Cut { lasts, torn, .. } = step {
                    device.cut(*lasts, *torn);
                }
                volume = open(*now).expect("a volume that was open");
                journaled = *now;
                known.now.clone_from(&known.lasting);
            }
        }
    }
    check(&volume, &known, 0..size);
    drop(volume);
    let after = device.0.into_inner().expect("no panic").now;
    assert!(after[..START + SUPERBLOCK] == before, "the superblock or what is before it");
    let last = sectors / units * units - 1;
    let end = data + last / area * (run + 512 * area) + run + 512 * (last % area + 1);
    assert!(after[end..].iter().fold(0, |any, byte| any | byte) == 0, "what is behind the data");
});

/// Reads all sectors at once, and one by one where one of them has no tag. They are as they are known.
fn check(volume: &Volume<&Device>, known: &Known, range: Range<usize>) {
    let mut all = vec![0; range.len()];
    if let Err(error) = volume.read_at(range.start as u64, &mut all) {
        assert!(!known.has_tags(&range), "{range:?}: {error:?}");
        for at in known.whole(&range).step_by(known.block).filter(|at| known.has_tags(&(*at..at + 1))) {
            let mut sector = vec![0; known.block];
            volume.read_at(at as u64, &mut sector).expect("a sector with a tag");
            assert!(known.allows(at, &sector), "sector at {at}");
        }
    } else {
        assert!(known.allows(range.start, &all), "{range:?}");
    }
}
