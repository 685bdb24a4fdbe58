//! Authenticated volumes: dm-crypt with a tag for every sector, on dm-integrity.

mod blocks;
mod journal;
mod layout;
mod section;
mod writer;

use crate::{Error, ReadAt, VolumeKey, WriteAt, crypt::UNIT, storage};
use algkit::Direction;
use blocks::Blocks;
use journal::{Journal, Ring};
use section::Section;
use std::sync::{PoisonError, RwLock};
use writer::Writer;

pub(crate) use blocks::Scheme;
pub(crate) use layout::{INLINE, Layout};

/// Bytes of blocks that are read at a time.
const CHUNK: usize = 1 << 20;

/// The extent of a volume whose sectors have tags.
pub(crate) struct Sealed {
    layout: Layout,
    blocks: Blocks,
    /// The order of the journal's sections when it was read.
    ring: Option<Ring>,
    /// Whether what is written goes to the journal first.
    journaled: bool,
    state: RwLock<State>,
}

/// What changes.
struct State {
    journal: Journal,
    /// There from the first write on.
    writer: Option<Writer>,
    /// Whether the storage has failed in the middle of a change. What it has is known when it is read again.
    failed: bool,
}

/// What a header says of a segment with integrity.
pub(crate) struct Description<'a> {
    /// The cipher string.
    pub cipher: &'a str,
    /// `aead`, `hmac(HASH)` or `poly1305`.
    pub kind: &'a str,
    /// Bytes of the MAC's key, if they are not as many as it makes.
    pub mac_key: Option<usize>,
    /// Where dm-integrity's superblock is, in bytes.
    pub offset: u64,
    pub iv_offset: u64,
    pub sector_size: u32,
    /// Whether what is written goes to the journal first.
    pub journaled: bool,
}

/// A superblock and an empty journal, to be written. The blocks have no tags yet.
pub(crate) struct Empty {
    offset: u64,
    layout: Layout,
    superblock: Vec<u8>,
}

impl Empty {
    /// On a device of `size` bytes, from byte `offset` on.
    pub fn new(size: u64, offset: u64, scheme: &Scheme, sector_size: u32) -> Result<Self, Error> {
        let (layout, superblock) = Layout::new(size, offset, scheme.stored(), sector_size.into())?;
        Ok(Self { offset, layout, superblock })
    }

    /// Bytes of the smallest device on which the volume has `len` bytes of plaintext, or as many as the next multiple of 4096 is.
    pub fn device(len: u64, offset: u64, scheme: &Scheme, sector_size: u32) -> Result<u64, Error> {
        Layout::device(len, offset, scheme.stored(), sector_size.into())
    }

    pub fn write(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        for number in 0..self.layout.journal.sections {
            Section::unused(&self.layout, number, 0).write(storage)?;
        }
        storage.write_at(self.offset, &self.superblock)?;
        storage.sync()
    }
}

impl Description<'_> {
    /// What is there before the key is known. An error if no key opens it.
    pub fn read(&self, storage: &dyn ReadAt) -> Result<(Scheme, Layout), Error> {
        // What cannot be opened whatever the device has is told first.
        let scheme = Scheme::new(self.cipher, self.kind)?.with_mac_key(self.mac_key);
        let layout = Layout::read(storage, self.offset)?;
        let damaged = |reason: String| Error::damaged("integrity superblock", reason);
        if layout.block != u64::from(self.sector_size) {
            let reason = format!("blocks of {} bytes, and the LUKS2 header has {}", layout.block, self.sector_size);
            return Err(damaged(reason));
        }
        // The superblock is not authenticated: whoever shortened tags would have to guess fewer bits.
        if layout.tag != scheme.stored() {
            return Err(damaged(format!("tags of {} bytes, and the cipher has {}", layout.tag, scheme.stored())));
        }
        Ok((scheme, layout))
    }
}

impl Sealed {
    pub fn open(storage: &dyn ReadAt, segment: &Description<'_>, key: &dyn VolumeKey) -> Result<Self, Error> {
        let (scheme, layout) = segment.read(storage)?;
        let blocks = scheme.key(key, layout.block as usize, segment.iv_offset)?;
        let (journal, ring) = Journal::read(storage, layout.clone())?;
        let state = RwLock::new(State { journal, writer: None, failed: false });
        Ok(Self { layout, blocks, ring, journaled: segment.journaled, state })
    }

    /// Bytes of plaintext.
    pub fn size(&self) -> u64 {
        self.layout.size
    }

    pub fn sector_size(&self) -> usize {
        self.layout.block as usize
    }

    pub fn driver(&self) -> &algkit::Driver {
        self.blocks.driver()
    }

    /// Whole sectors from `at` on, all of them authenticated.
    pub fn read(&self, storage: &dyn ReadAt, mut at: u64, mut sectors: &mut [u8]) -> Result<(), Error> {
        while !sectors.is_empty() {
            let first = at / UNIT;
            let len = self.layout.contiguous(first).min(sectors.len().min(CHUNK) as u64) as usize;
            let (here, rest) = sectors.split_at_mut(len);
            sectors = rest;
            let mut tags = self.stored(storage, first, here)?;
            self.blocks.crypt(Direction::Decrypt, first, here, &mut tags)?;
            at += len as u64;
        }
        Ok(())
    }

    /// Blocks that lie together as they are stored, and their tags.
    fn stored(&self, storage: &dyn ReadAt, first: u64, blocks: &mut [u8]) -> Result<Vec<u8>, Error> {
        let Layout { block, tag, .. } = self.layout;
        // Nothing is put into its place meanwhile.
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        storage.read_at(self.layout.data(first), blocks)?;
        let mut tags = storage::read(storage, self.layout.tag(first), blocks.len() / block as usize * tag)?;
        let sectors = (first..).step_by((block / UNIT) as usize);
        for ((block, tag), sector) in
            blocks.chunks_exact_mut(block as usize).zip(tags.chunks_exact_mut(tag)).zip(sectors)
        {
            state.journal.block(storage, sector, block, tag)?;
        }
        Ok(tags)
    }

    /// An error if it can only be read.
    pub fn writable(&self) -> Result<(), Error> {
        self.ring().map(drop)
    }

    fn ring(&self) -> Result<Ring, Error> {
        self.ring.ok_or_else(|| {
            Error::damaged("integrity journal", "somebody has overwritten it, so the volume can only be read")
        })
    }

    /// Whole sectors from `at` on, which are encrypted in place.
    pub fn write(&self, storage: &dyn WriteAt, at: u64, sectors: &mut [u8]) -> Result<(), Error> {
        let first = at / UNIT;
        let mut tags = vec![0; sectors.len() / self.sector_size() * self.layout.tag];
        self.blocks.crypt(Direction::Encrypt, first, sectors, &mut tags)?;
        self.change(storage, |journal, writer| match self.journaled {
            true => writer.append(journal, storage, first, sectors, &tags),
            false => self.layout.write(storage, first, sectors, &tags),
        })
    }

    /// Returns when everything that was written lasts.
    pub fn sync(&self, storage: &dyn WriteAt) -> Result<(), Error> {
        let is_written = self.state.read().unwrap_or_else(PoisonError::into_inner).writer.is_some();
        if !is_written {
            return storage.sync();
        }
        self.change(storage, |journal, writer| writer.sync(journal, storage))
    }

    /// Changes the journal, or what it is about, alone.
    fn change(
        &self,
        storage: &dyn WriteAt,
        work: impl FnOnce(&mut Journal, &mut Writer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ring = self.ring()?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { journal, writer, failed } = &mut *state;
        if *failed {
            let reason = "it failed while the journal was written; open the volume again, which reads what there is";
            return Err(Error::damaged("device", reason));
        }
        *failed = true;
        let writer = match writer {
            Some(writer) => writer,
            None => writer.insert(Writer::begin(journal, storage, ring, self.journaled)?),
        };
        work(journal, writer)?;
        *failed = false;
        Ok(())
    }
}
