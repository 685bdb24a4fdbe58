//! A key slot's area: the stripes of a key, encrypted with what came of a passphrase. Both versions of LUKS have the same.

use crate::{CipherSpec, Error, Key, ReadAt, SectorCipher, WriteAt, af, crypt::UNIT, storage};
use algkit::{Direction, Rng};
use zeroize::Zeroizing;

/// Where a key's stripes are, and how they are made.
pub(crate) struct Area<'a> {
    /// The cipher of the area.
    pub spec: &'a CipherSpec,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How many stripes.
    pub stripes: u32,
    /// The hash of the splitter.
    pub hash: &'a str,
}

impl Area<'_> {
    /// The key of `size` bytes in it, if `derived` is the right key of the area; else other bytes.
    pub fn open(
        &self,
        storage: &(impl ReadAt + ?Sized),
        derived: &Key,
        size: usize,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut sectors = Zeroizing::new(storage::read(storage, self.offset, self.len(size))?);
        self.crypt(Direction::Decrypt, derived, &mut sectors)?;
        af::merge(&sectors, size, self.stripes as usize, self.hash)
    }

    /// Writes the key's stripes.
    pub fn seal(&self, storage: &(impl WriteAt + ?Sized), derived: &Key, key: &Key, random: &Rng) -> Result<(), Error> {
        let stripes = af::split(key.bytes(), self.stripes as usize, self.hash, random)?;
        let mut sectors = Zeroizing::new(vec![0; self.len(key.bytes().len())]);
        sectors[..stripes.len()].copy_from_slice(&stripes);
        self.crypt(Direction::Encrypt, derived, &mut sectors)?;
        storage.write_at(self.offset, &sectors)
    }

    /// Whole sectors.
    fn len(&self, key_size: usize) -> usize {
        (key_size * self.stripes as usize).next_multiple_of(UNIT as usize)
    }

    fn crypt(&self, direction: Direction, derived: &Key, sectors: &mut [u8]) -> Result<(), Error> {
        SectorCipher::new(self.spec, derived, UNIT as usize)?.crypt(direction, 0, sectors)
    }
}
