//! `algkit volume format`: writes a new header with one key slot.

use super::{
    Access, Named,
    args::{FormatArgs, Kind, NewVolumeArgs, keys::KdfArgs},
    kdf::{self, DEFAULT_HASH},
    passphrase::{self, may_be_lost},
    random,
    steady::Steady,
};
use crate::{answer::Answer, error::Error, out::complain, progress::Progress};
use algkit_volume::{CipherSpec, Header, Key, Limits, ReadAt, Version, WriteAt, format::Options, signature};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};
use zeroize::Zeroizing;

pub fn run(args: &FormatArgs) -> Result<Answer, Error> {
    let image = Named::open(&args.image, Access::All)?;
    let failed = |error| image.error(error);
    if !args.batch_mode {
        let lost = match Header::read(&image.file) {
            Ok(_) => Some("a LUKS volume".to_owned()),
            Err(algkit_volume::Error::NoHeader) => signature::there(&image.file).map_err(failed)?,
            Err(error) => Some(format!("a volume ({error})")),
        };
        lost.map_or(Ok(()), |what| may_be_lost("format", &what, &args.image))?;
    }
    let (version, options, passphrase) = chosen(&args.new, args.new_key_file.as_deref(), &args.image)?;
    let random = random()?;
    let steady = Steady::new(&image.file);
    let made = Header::format(version, &steady, &options, &passphrase, &random);
    let (header, unlocked) = made.map_err(failed)?;
    if options.integrity.is_none() || args.integrity_no_wipe {
        return Ok(Answer::Yes);
    }
    give_tags(&image, &header, &unlocked.key, &steady.asked)
}

/// Encrypts zeros from the beginning to the end, so that each sector has a tag.
fn give_tags(image: &Named, header: &Header, key: &Key, stop: &AtomicBool) -> Result<Answer, Error> {
    const CHUNK: u64 = 1 << 20;
    let failed = |error| image.error(error);
    let volume = header.open_without_journal(&image.file, key).map_err(failed)?;
    let size = volume.size().map_err(failed)?;
    let mut progress = Progress::bytes(Some(size));
    let mut chunk = vec![0; CHUNK as usize];
    for at in (0..size).step_by(CHUNK as usize) {
        let chunk = &mut chunk[..(size - at).min(CHUNK) as usize];
        if stop.load(Ordering::Relaxed) {
            volume.sync().map_err(failed)?;
            drop(progress);
            complain(&format_args!(
                "`{}`: stopped; the volume opens, but its sectors from byte {at} on have no tags, so they cannot be read before they are written",
                image.path.display()
            ));
            return Ok(Answer::No);
        }
        chunk.fill(0);
        volume.write_from(at, chunk).map_err(failed)?;
        progress.advance(chunk.len() as u64);
    }
    volume.sync().map_err(failed)?;
    Ok(Answer::Yes)
}

/// The LUKS2 header's word for cryptsetup's.
fn kind_of_tags(name: &str) -> String {
    match name {
        "hmac-sha1" | "hmac-sha256" | "hmac-sha512" => format!("hmac({})", &name["hmac-".len()..]),
        other => other.to_owned(),
    }
}

/// What a new volume is to be, and its passphrase. `image` is the name to ask with.
pub fn chosen(
    args: &NewVolumeArgs,
    key_file: Option<&Path>,
    image: &Path,
) -> Result<(Version, Options, Zeroizing<Vec<u8>>), Error> {
    let failed = |source| Error::Volume { path: image.to_owned(), source };
    let integrity = args.integrity.as_deref().filter(|name| *name != "none").map(kind_of_tags);
    let cipher = match &integrity {
        None => CipherSpec::parse(&args.cipher),
        Some(integrity) => CipherSpec::with_tags(&args.cipher, integrity),
    };
    let cipher = cipher.map_err(failed)?;
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
        integrity,
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
        integrity: None,
        key_size,
        sector_size,
        kdf: kdf::chosen(kdf, version, hash, &Limits::default()).map_err(failed)?,
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
        return Err(Error::option("--key-size", format!("{bits} is not a multiple of 8")));
    }
    Ok(bits as usize / 8)
}
