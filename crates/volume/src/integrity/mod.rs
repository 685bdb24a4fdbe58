//! Authenticated volumes: dm-crypt with a tag for every sector, on dm-integrity. Only reading is here.

mod journal;
mod layout;

use crate::{Error, ReadAt, VolumeKey, crypt::UNIT, lookup, storage};
use algkit::Aead;
use journal::Journal;
use layout::Layout;
use zeroize::Zeroizing;

/// Bytes of blocks that are read at a time.
const CHUNK: usize = 1 << 20;

/// The extent of a volume whose sectors have tags.
pub(crate) struct Sealed {
    layout: Layout,
    journal: Journal,
    aead: Aead,
    /// Bytes of a tag, behind which a random IV stands.
    tag: usize,
    iv: Iv,
    iv_offset: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Iv {
    /// The number of the sector.
    Plain64,
    /// Stored with the tag.
    Random,
}

/// What a header says of a segment with integrity.
pub(crate) struct Description<'a> {
    /// The cipher string.
    pub cipher: &'a str,
    /// `aead`, `hmac(HASH)` or `poly1305`.
    pub kind: &'a str,
    /// Where dm-integrity's superblock is, in bytes.
    pub offset: u64,
    pub iv_offset: u64,
    pub sector_size: u32,
}

impl Sealed {
    pub fn open(storage: &dyn ReadAt, segment: &Description<'_>, key: &dyn VolumeKey) -> Result<Self, Error> {
        let refused = |reason: &str| Error::CipherSpec { spec: segment.cipher.to_owned(), reason: reason.to_owned() };
        let layout = Layout::read(storage, segment.offset)?;
        if layout.block != u64::from(segment.sector_size) {
            let reason = format!("blocks of {} bytes, and the LUKS2 header has {}", layout.block, segment.sector_size);
            return Err(Error::damaged("integrity superblock", reason));
        }
        let (algorithm, iv) = segment.cipher.rsplit_once('-').ok_or_else(|| refused("expected CIPHER-MODE-IV"))?;
        let iv = match iv {
            "plain64" => Iv::Plain64,
            "random" => Iv::Random,
            _ => return Err(refused("this IV is not supported with integrity")),
        };
        let cipher = match (algorithm.strip_prefix("capi:"), algorithm.split_once('-')) {
            (Some(name), _) => name.to_owned(),
            (None, Some((cipher, mode))) => format!("{mode}({cipher})"),
            (None, None) => algorithm.to_owned(),
        };
        let bytes = key.bytes_here().ok_or_else(|| refused("the key is elsewhere"))?;
        let (name, key) = match segment.kind {
            "aead" => (cipher, Zeroizing::new(bytes.to_vec())),
            "poly1305" => (format!("rfc7539({cipher},poly1305)"), Zeroizing::new(bytes.to_vec())),
            kind if kind.starts_with("hmac(") => {
                let size = lookup::transform::<algkit::Hash>(kind)?.driver().shape.digestsize;
                let rest =
                    bytes.len().checked_sub(size).ok_or_else(|| refused("the key has no room for that of the MAC"))?;
                let (cipher_key, mac_key) = bytes.split_at(rest);
                (format!("authenc({kind},{cipher})"), algkit::authenc_key(mac_key, cipher_key))
            }
            kind if kind.starts_with("phmac") => {
                return Err(refused("phmac has keys that only the firmware of mainframes can use"));
            }
            kind => return Err(Error::Unsupported { what: format!("integrity `{kind}`") }),
        };
        let unkeyed = lookup::transform::<Aead>(&name)?;
        let shape = unkeyed.driver().shape.clone();
        let aead = unkeyed.key_with(&key, algkit::WeakKeys::Allow)?;
        let stored_iv = if iv == Iv::Random { shape.ivsize } else { 0 };
        // The superblock is not authenticated: whoever shortened tags would have to guess fewer bits.
        let tag = layout.tag.checked_sub(stored_iv).filter(|tag| *tag == aead.max_tag_len());
        let tag = tag.ok_or_else(|| refused("the tags of the integrity superblock have another length"))?;
        let journal = Journal::read(storage, &layout)?;
        Ok(Self { layout, journal, aead, tag, iv, iv_offset: segment.iv_offset })
    }

    /// Bytes of plaintext.
    pub fn size(&self) -> u64 {
        self.layout.size
    }

    pub fn sector_size(&self) -> usize {
        self.layout.block as usize
    }

    pub fn driver(&self) -> &algkit::Driver {
        self.aead.driver()
    }

    /// Whole sectors from `at` on, all of them authenticated.
    pub fn read(&self, storage: &dyn ReadAt, mut at: u64, mut sectors: &mut [u8]) -> Result<(), Error> {
        while !sectors.is_empty() {
            let sector = at / UNIT;
            let len = self.layout.contiguous(sector).min(sectors.len().min(CHUNK) as u64) as usize;
            let (here, rest) = sectors.split_at_mut(len);
            sectors = rest;
            storage.read_at(self.layout.data(sector), here)?;
            let count = len / self.sector_size();
            let mut tags = storage::read(storage, self.layout.tag(sector), count * self.layout.tag)?;
            let numbers = (sector..).step_by(self.sector_size() / UNIT as usize);
            for ((block, tag), number) in here
                .chunks_exact_mut(self.layout.block as usize)
                .zip(tags.chunks_exact_mut(self.layout.tag))
                .zip(numbers)
            {
                self.journal.block(storage, &self.layout, number, block, tag)?;
                self.open_block(number, block, tag)?;
            }
            at += len as u64;
        }
        Ok(())
    }

    /// dm-crypt authenticates the sector's number, its IV and its text.
    fn open_block(&self, number: u64, block: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let (tag, stored) = tag.split_at(self.tag);
        let mut iv = vec![0; self.aead.driver().shape.ivsize];
        match self.iv {
            Iv::Random => iv.copy_from_slice(stored),
            Iv::Plain64 => {
                let bytes = number.wrapping_add(self.iv_offset).to_le_bytes();
                iv.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            }
        }
        let opened = self.aead.decrypt(&iv, &[&number.to_le_bytes(), &iv], block, tag);
        opened.map_err(|error| match error {
            algkit::Error::Authentication => Error::Integrity { sector: number },
            error => error.into(),
        })
    }
}
