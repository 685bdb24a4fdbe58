//! `algkit volume format`: writes a new header with one key slot.

use super::{
    Access, Named,
    args::{FormatArgs, Kind, NewVolumeArgs, keys::KdfArgs},
    kdf::{self, DEFAULT_HASH},
    passphrase, random, uninterrupted,
};
use crate::{answer::Answer, error::Error};
use algkit_volume::{CipherSpec, Header, Version, format::Options};
use std::path::Path;
use zeroize::Zeroizing;

pub fn run(args: &FormatArgs) -> Result<Answer, Error> {
    let image = Named::open(&args.image, Access::All)?;
    let failed = |error| image.error(error);
    if !args.batch_mode && Header::read(&image.file).is_ok() {
        let reason =
            format!("`{}` is a LUKS volume; its data would be lost (-q formats it all the same)", args.image.display());
        return Err(Error::Option { option: "format", reason });
    }
    let (version, options, passphrase) = chosen(&args.new, args.new_key_file.as_deref(), &args.image)?;
    let random = random()?;
    uninterrupted(|| Header::format(version, &image.file, &options, &passphrase, &random)).map_err(failed)?;
    Ok(Answer::Yes)
}

/// What a new volume is to be, and its passphrase. `image` is the name to ask with.
pub fn chosen(
    args: &NewVolumeArgs,
    key_file: Option<&Path>,
    image: &Path,
) -> Result<(Version, Options, Zeroizing<Vec<u8>>), Error> {
    let failed = |source| Error::Volume { path: image.to_owned(), source };
    let cipher = CipherSpec::parse(&args.cipher).map_err(failed)?;
    let passphrase = match args.key_file.as_deref().or(key_file) {
        Some(file) => passphrase::key_file(file, None, None)?,
        None => passphrase::new(image)?,
    };
    let version = match args.kind {
        Kind::Luks1 => Version::Luks1,
        Kind::Luks2 => Version::Luks2,
    };
    let options = options(image, version, cipher, args.key_size, args.sector_size.unwrap_or(512), &args.kdf)?;
    let options = Options {
        uuid: args.uuid.clone(),
        label: args.label.clone().unwrap_or_default(),
        subsystem: args.subsystem.clone().unwrap_or_default(),
        ..options
    };
    Ok((version, options, passphrase))
}

/// What a new volume without a name is to be.
pub fn options(
    image: &Path,
    version: Version,
    cipher: CipherSpec,
    key_bits: Option<u32>,
    sector_size: u32,
    kdf: &KdfArgs,
) -> Result<Options, Error> {
    let key_size = key_size(key_bits, &cipher)?;
    let hash = kdf.hash.as_deref().unwrap_or(DEFAULT_HASH);
    let failed = |source| Error::Volume { path: image.to_owned(), source };
    Ok(Options {
        key_size,
        sector_size,
        kdf: kdf::chosen(kdf, version, hash).map_err(failed)?,
        hash: hash.to_owned(),
        uuid: None,
        label: String::new(),
        subsystem: String::new(),
        cipher,
    })
}

/// Bytes of the key of a new volume.
pub fn key_size(bits: Option<u32>, cipher: &CipherSpec) -> Result<usize, Error> {
    let bits = bits.unwrap_or(if cipher.algorithm().starts_with("xts") { 512 } else { 256 });
    if !bits.is_multiple_of(8) {
        return Err(Error::Option { option: "--key-size", reason: format!("{bits} is not a multiple of 8") });
    }
    Ok(bits as usize / 8)
}
