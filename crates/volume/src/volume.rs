//! An open volume: plaintext on the one side, sectors of a storage on the other.

use crate::{
    Error, ReadAt, SectorCipher, VolumeKey, WriteAt,
    crypt::UNIT,
    integrity::{Description, Sealed},
};
use algkit::{Direction, Timing};
use std::{
    fmt,
    sync::{PoisonError, RwLock},
};
use zeroize::Zeroizing;

/// The number of bytes that are encrypted at a time before they are written.
const CHUNK: usize = 1 << 20;

/// The bytes from `offset` to the end of a device of `device` bytes; an error if there are none.
pub(crate) fn rest(device: u64, offset: u64) -> Result<u64, Error> {
    device.checked_sub(offset).filter(|rest| *rest > 0).ok_or_else(|| {
        Error::damaged("device", format!("the data begins at byte {offset}, and the device has {device}"))
    })
}

/// A part of a volume that lies in one piece on the storage.
pub(crate) struct Extent {
    /// Where it begins on the storage, in bytes.
    pub offset: u64,
    /// Its length in bytes, a whole number of sectors.
    pub len: u64,
    /// The number of its first sector, which IVs are made of, in units of 512 bytes.
    pub iv_offset: u64,
    /// How its sectors are stored.
    pub form: Form,
}

/// How sectors are stored.
pub(crate) enum Form {
    /// As plaintext.
    Plain,
    Encrypted(SectorCipher),
    /// Encrypted, with tags that lie between them. A volume has one such extent and no other.
    Sealed(Box<Sealed>),
}

impl From<Option<SectorCipher>> for Form {
    fn from(cipher: Option<SectorCipher>) -> Self {
        cipher.map_or(Self::Plain, Self::Encrypted)
    }
}

impl Form {
    /// Bytes that are encrypted together.
    fn sector_size(&self) -> Option<usize> {
        match self {
            Self::Plain => None,
            Self::Encrypted(cipher) => Some(cipher.sector_size()),
            Self::Sealed(sealed) => Some(sealed.sector_size()),
        }
    }
}

/// An open volume. It is itself a storage, of the plaintext: several threads may read and write any range at once. Whoever writes a part of a sector
/// rewrites the whole sector, and no other write to that sector comes in between.
pub struct Volume<S> {
    storage: S,
    extents: Vec<Extent>,
    size: u64,
    sector_size: usize,
    /// Whether a reencryption was cut off within a zone. Then the volume can only be read, until the reencryption is resumed.
    torn: bool,
    /// Readers and writers of whole sectors share this lock. A writer of a part of a sector holds it alone, as it reads the sector before it writes it.
    parts: RwLock<()>,
}

impl<S> fmt::Debug for Volume<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Volume({} bytes)", self.size)
    }
}

impl<S: ReadAt> Volume<S> {
    /// A volume of these extents, one behind the other.
    pub(crate) fn new(storage: S, extents: Vec<Extent>) -> Result<Self, Error> {
        let have = storage.size()?;
        for Extent { offset, len, iv_offset, form } in &extents {
            if offset.checked_add(*len).is_none_or(|end| end > have) {
                let reason = format!("the data of {len} bytes at byte {offset} is cut off: the device has {have}");
                return Err(Error::damaged("device", reason));
            }
            if let Form::Encrypted(cipher) = form {
                cipher.check_range(*iv_offset, *len)?;
            }
        }
        let sector_size = extents.iter().filter_map(|e| e.form.sector_size()).max();
        let size = extents.iter().map(|e| e.len).sum();
        let sector_size = sector_size.unwrap_or(UNIT as usize);
        Ok(Self { storage, size, extents, sector_size, torn: false, parts: RwLock::new(()) })
    }

    /// The same volume, which can only be read, as what is written to it would be lost.
    pub(crate) fn only_to_be_read(self) -> Self {
        Self { torn: true, ..self }
    }

    /// What the volume lies on.
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// A volume on dm-integrity, whose superblock is at byte `offset`: `cipher` and `integrity` are those of a segment of LUKS2. With a journal,
    /// a sector that is being written is old or new if the power fails, and without one its tag may be wrong.
    pub fn with_tags(
        storage: S,
        cipher: &str,
        integrity: &str,
        offset: u64,
        sector_size: u32,
        key: &dyn VolumeKey,
        journaled: bool,
    ) -> Result<Self, Error> {
        let description =
            Description { cipher, kind: integrity, mac_key: None, offset, iv_offset: 0, sector_size, journaled };
        let sealed = Sealed::open(&storage, &description, key)?;
        Self::sealed(storage, sealed)
    }

    /// A volume whose sectors have tags.
    pub(crate) fn sealed(storage: S, sealed: Sealed) -> Result<Self, Error> {
        let extent = Extent { offset: 0, len: sealed.size(), iv_offset: 0, form: Form::Sealed(Box::new(sealed)) };
        Self::new(storage, vec![extent])
    }

    /// An error if it can only be read: a reencryption was cut off that has to be resumed first, or the journal of sectors with tags is damaged.
    pub fn writable(&self) -> Result<(), Error> {
        if self.torn {
            return Err(Error::Reencrypting);
        }
        self.tags().map_or(Ok(()), |sealed| sealed.writable())
    }

    /// What the volume is if its sectors have tags.
    fn tags(&self) -> Option<&Sealed> {
        self.extents.iter().find_map(|extent| match &extent.form {
            Form::Sealed(sealed) => Some(&**sealed),
            _ => None,
        })
    }

    /// Bytes of a sector, which are encrypted together.
    pub fn sector_size(&self) -> usize {
        self.sector_size
    }

    /// The driver that decrypts, if anything is encrypted.
    pub fn driver(&self) -> Option<&str> {
        self.extents.iter().find_map(|extent| match &extent.form {
            Form::Plain => None,
            Form::Encrypted(cipher) => Some(cipher.driver()),
            Form::Sealed(sealed) => Some(&*sealed.driver().driver),
        })
    }

    /// Whether that driver looks up tables at secret addresses, so that its timing depends on the key.
    pub fn uses_tables(&self) -> bool {
        let first = self.extents.iter().find_map(|extent| match &extent.form {
            Form::Plain => None,
            Form::Encrypted(cipher) => Some(cipher.uses_tables()),
            Form::Sealed(sealed) => Some(sealed.driver().timing == Timing::Table),
        });
        first.unwrap_or(false)
    }

    /// Whether the IVs are `plain`, the low 32 bits of the sectors' numbers, which repeat after 2 TiB.
    pub fn iv_repeats(&self) -> bool {
        self.extents.iter().any(|extent| matches!(&extent.form, Form::Encrypted(cipher) if cipher.iv_repeats()))
    }

    /// Cuts a request into pieces, each with its extent, the offset in the extent, and the length.
    fn pieces(&self, offset: u64, len: usize) -> Result<Vec<(&Extent, u64, usize)>, Error> {
        if offset.checked_add(len as u64).is_none_or(|end| end > self.size) {
            return Err(Error::Range { offset, len, size: self.size });
        }
        let (mut pieces, mut at, mut left) = (Vec::new(), offset, len);
        for extent in &self.extents {
            if at < extent.len && left > 0 {
                let here = left.min(usize::try_from(extent.len - at).unwrap_or(usize::MAX));
                pieces.push((extent, at, here));
                (at, left) = (0, left - here);
            } else {
                at = at.saturating_sub(extent.len);
            }
        }
        Ok(pieces)
    }
}

impl Extent {
    /// Whole sectors from `at` on, read and decrypted.
    fn read(&self, storage: &impl ReadAt, at: u64, sectors: &mut [u8]) -> Result<(), Error> {
        if let Form::Sealed(sealed) = &self.form {
            return sealed.read(storage, at, sectors);
        }
        storage.read_at(self.offset + at, sectors)?;
        self.crypt(Direction::Decrypt, at, sectors)
    }

    /// Whole sectors, encrypted in place and written.
    fn write(&self, storage: &impl WriteAt, at: u64, sectors: &mut [u8]) -> Result<(), Error> {
        if let Form::Sealed(sealed) = &self.form {
            return sealed.write(storage, at, sectors);
        }
        self.crypt(Direction::Encrypt, at, sectors)?;
        storage.write_at(self.offset + at, sectors)
    }

    fn crypt(&self, direction: Direction, at: u64, sectors: &mut [u8]) -> Result<(), Error> {
        let number = self.iv_offset.wrapping_add(at / UNIT);
        match &self.form {
            Form::Encrypted(cipher) => cipher.crypt(direction, number, sectors),
            Form::Plain | Form::Sealed(_) => Ok(()),
        }
    }

    fn granule(&self) -> usize {
        self.form.sector_size().unwrap_or(1)
    }
}

/// How a request in an extent is cut: a part of a sector, whole sectors, and another part of a sector. Any of them may be empty.
struct Cut {
    /// Bytes before the first whole sector.
    head: usize,
    /// Bytes of whole sectors.
    whole: usize,
}

impl Cut {
    fn new(at: u64, len: usize, granule: usize) -> Self {
        let into = (at % granule as u64) as usize;
        let head = if into == 0 { 0 } else { (granule - into).min(len) };
        Self { head, whole: (len - head) / granule * granule }
    }
}

impl<S: ReadAt> ReadAt for Volume<S> {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, mut buf: &mut [u8]) -> Result<(), Error> {
        // While a part of a sector is written, the storage may have half of the old sector and half of the new one. In most modes that decrypts to neither,
        // also where nothing was written.
        let _shared = self.parts.read().unwrap_or_else(PoisonError::into_inner);
        for (extent, at, len) in self.pieces(offset, buf.len())? {
            let (here, rest) = buf.split_at_mut(len);
            buf = rest;
            let granule = extent.granule();
            let cut = Cut::new(at, len, granule);
            let (head, here) = here.split_at_mut(cut.head);
            let (whole, tail) = here.split_at_mut(cut.whole);
            let after_head = at + head.len() as u64;
            if !whole.is_empty() {
                extent.read(&self.storage, after_head, whole)?;
            }
            for (at, part) in [(at, head), (after_head + cut.whole as u64, tail)] {
                if !part.is_empty() {
                    let into = (at % granule as u64) as usize;
                    let mut sector = Zeroizing::new(vec![0; granule]);
                    extent.read(&self.storage, at - into as u64, &mut sector)?;
                    part.copy_from_slice(&sector[into..into + part.len()]);
                }
            }
        }
        Ok(())
    }
}

impl<S: WriteAt> Volume<S> {
    /// Writes a part of a sector: reads the sector, changes the part, and writes the sector. No other write comes between.
    fn write_part(&self, extent: &Extent, at: u64, part: &[u8]) -> Result<(), Error> {
        if part.is_empty() {
            return Ok(());
        }
        let _alone = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        let into = at as usize % extent.granule();
        let mut sector = Zeroizing::new(vec![0; extent.granule()]);
        extent.read(&self.storage, at - into as u64, &mut sector)?;
        sector[into..into + part.len()].copy_from_slice(part);
        extent.write(&self.storage, at - into as u64, &mut sector)
    }
}

impl<S: WriteAt> WriteAt for Volume<S> {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.pieces(offset, data.len())?;
        let mut buffer = Vec::new();
        // Chunks end where sectors end, so that no sector is written twice.
        let to_boundary = CHUNK - (offset % CHUNK as u64) as usize;
        let (first, rest) = data.split_at(to_boundary.min(data.len()));
        let mut at = offset;
        for chunk in std::iter::once(first).chain(rest.chunks(CHUNK)) {
            buffer.clear();
            buffer.extend_from_slice(chunk);
            self.write_from(at, &mut buffer)?;
            at += chunk.len() as u64;
        }
        Ok(())
    }

    fn write_from(&self, offset: u64, mut data: &mut [u8]) -> Result<(), Error> {
        self.writable()?;
        for (extent, at, len) in self.pieces(offset, data.len())? {
            let (here, rest) = data.split_at_mut(len);
            data = rest;
            let cut = Cut::new(at, len, extent.granule());
            let (head, here) = here.split_at_mut(cut.head);
            let (whole, tail) = here.split_at_mut(cut.whole);
            let after_head = at + head.len() as u64;
            self.write_part(extent, at, head)?;
            if !whole.is_empty() {
                let _shared = self.parts.read().unwrap_or_else(PoisonError::into_inner);
                extent.write(&self.storage, after_head, whole)?;
            }
            self.write_part(extent, after_head + cut.whole as u64, tail)?;
        }
        Ok(())
    }

    /// Discards whole sectors. Sectors of which a part is asked for stay as they are, and so do sectors with tags, as their tags would become wrong.
    fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
        self.writable()?;
        if self.tags().is_some() {
            return Ok(());
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        for (extent, at, len) in self.pieces(offset, len)? {
            let cut = Cut::new(at, len, extent.granule());
            if cut.whole > 0 {
                let _shared = self.parts.read().unwrap_or_else(PoisonError::into_inner);
                self.storage.discard(extent.offset + at + cut.head as u64, cut.whole as u64)?;
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        match self.tags() {
            Some(sealed) => sealed.sync(&self.storage),
            None => self.storage.sync(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CipherSpec, Key, storage::Memory};
    use std::{
        sync::{
            Mutex,
            mpsc::{Receiver, Sender, channel},
        },
        thread,
        time::Duration,
    };

    fn volume(sector: usize) -> Volume<Memory> {
        let spec = CipherSpec::parse("aes-xts-plain64").unwrap();
        Volume::plain(Memory::new(vec![3; 64 << 10]), &spec, &Key::new((0..64).collect()), sector).unwrap()
    }

    /// Every write is compared with the same write to plain bytes, and the storage is decrypted by sectors at the end.
    #[test]
    fn any_offset_and_any_length() {
        for sector in [512, 4096] {
            let volume = volume(sector);
            let mut plain = vec![0; 64 << 10];
            volume.read_at(0, &mut plain).unwrap();
            let mut state = 1u64;
            let mut random = |below: usize| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % below
            };
            for round in 0..200 {
                let offset = random(plain.len());
                let len = random((plain.len() - offset).min(3 * sector) + 1);
                let data = vec![round as u8; len];
                volume.write_at(offset as u64, &data).unwrap();
                plain[offset..offset + len].copy_from_slice(&data);
                let offset = random(plain.len());
                let mut back = vec![0; random(plain.len() - offset + 1)];
                volume.read_at(offset as u64, &mut back).unwrap();
                assert!(back == plain[offset..offset + back.len()], "{sector} {round}");
            }
            let mut stored = volume.storage.into_inner();
            let xts = algkit::skcipher("xts(aes)").unwrap().key(&(0..64).collect::<Vec<u8>>()).unwrap();
            for (number, text) in stored.chunks_mut(sector).enumerate() {
                xts.decrypt(&mut ((number * sector / 512) as u128).to_le_bytes(), text).unwrap();
            }
            assert!(stored == plain);
        }
    }

    #[test]
    fn bytes_outside_are_refused() {
        let volume = volume(512);
        for (offset, len) in [(64 << 10, 1), ((64 << 10) - 1, 2), (u64::MAX, 1), (u64::MAX - 1, 512)] {
            assert!(matches!(volume.read_at(offset, &mut vec![0; len]), Err(Error::Range { .. })));
            assert!(matches!(volume.write_at(offset, &vec![0; len]), Err(Error::Range { .. })));
        }
        volume.read_at(64 << 10, &mut []).unwrap();
    }

    #[test]
    fn extents_follow_each_other() {
        let spec = CipherSpec::parse("aes-xts-plain64").unwrap();
        let key = Key::new((0..64).collect());
        let extent = |offset, iv_offset, encrypted: bool| Extent {
            offset,
            len: 1024,
            iv_offset,
            form: encrypted.then(|| SectorCipher::new(&spec, &key, 512).unwrap()).into(),
        };
        let extents = vec![extent(4096, 0, true), extent(0, 2, false), extent(2048, 4, true)];
        let volume = Volume::new(Memory::new(vec![0; 8192]), extents).unwrap();
        assert_eq!(volume.size().unwrap(), 3072);
        let text: Vec<u8> = (0..3000).map(|i| i as u8).collect();
        volume.write_at(10, &text).unwrap();
        let mut back = vec![0; 3000];
        volume.read_at(10, &mut back).unwrap();
        assert!(back == text);
        let stored = volume.storage.into_inner();
        assert_eq!(stored[..1024], text[1014..2038]);
        let mut last = stored[2048..3072].to_vec();
        SectorCipher::new(&spec, &key, 512).unwrap().crypt(Direction::Decrypt, 4, &mut last).unwrap();
        assert_eq!(last[..962], text[2038..]);
    }

    /// A storage that records what it may drop.
    struct Dropping(Memory, Mutex<Vec<(u64, u64)>>);

    impl ReadAt for Dropping {
        fn size(&self) -> Result<u64, Error> {
            self.0.size()
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
            self.0.read_at(offset, buf)
        }
    }

    impl WriteAt for Dropping {
        fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
            self.0.write_at(offset, data)
        }

        fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
            self.1.lock().unwrap().push((offset, len));
            Ok(())
        }

        fn sync(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    #[test]
    fn sectors_are_discarded_that_are_asked_for_as_a_whole() {
        let cipher =
            |size| SectorCipher::new(&CipherSpec::parse("aes-xts-plain64").unwrap(), &Key::new(vec![1; 32]), size);
        let extent = |offset, size| Extent { offset, len: 8192, iv_offset: 0, form: cipher(size).ok().into() };
        let storage = Dropping(Memory::new(vec![0; 32 << 10]), Mutex::default());
        let volume = Volume::new(storage, vec![extent(16 << 10, 4096), extent(4096, 512)]).unwrap();
        for (offset, len, dropped) in [
            (0, 16 << 10, vec![(16 << 10, 8192), (4096, 8192)]),
            (1, 8190, vec![]),
            (1, 8191, vec![(20 << 10, 4096)]),
            (4095, 4609, vec![(20 << 10, 4096), (4096, 512)]),
            (8193, 8191, vec![(4608, 7680)]),
        ] {
            volume.discard(offset, len).unwrap();
            assert_eq!(std::mem::take(&mut *volume.storage.1.lock().unwrap()), dropped, "{offset} {len}");
        }
    }

    /// A storage that stops in the middle of a write, until a reader is done or some time has passed.
    struct Torn {
        memory: Memory,
        written: Sender<()>,
        read: Mutex<Receiver<()>>,
    }

    impl ReadAt for Torn {
        fn size(&self) -> Result<u64, Error> {
            self.memory.size()
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
            self.memory.read_at(offset, buf)
        }
    }

    impl WriteAt for Torn {
        fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
            let (front, back) = data.split_at(data.len() / 2);
            self.memory.write_at(offset, front)?;
            self.written.send(()).unwrap();
            let _ = self.read.lock().unwrap().recv_timeout(Duration::from_millis(200));
            self.memory.write_at(offset + front.len() as u64, back)
        }

        fn sync(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    #[test]
    fn what_is_beside_a_write_is_read_as_it_is() {
        let ((written, begun), (done, read)) = (channel(), channel());
        let storage = Torn { memory: Memory::new(vec![3; 4096]), written, read: Mutex::new(read) };
        let spec = CipherSpec::parse("aes-cbc-essiv:sha256").unwrap();
        let volume = Volume::plain(storage, &spec, &Key::new(vec![5; 32]), 4096).unwrap();
        let (mut before, mut beside) = ([0; 1024], [0; 1024]);
        volume.read_at(2048, &mut before).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| volume.write_at(10, b"text").unwrap());
            begun.recv().unwrap();
            volume.read_at(2048, &mut beside).unwrap();
            // The writer may have gone on.
            let _ = done.send(());
        });
        assert!(before == beside);
    }
}
