//! `algkit volume reencrypt`: another key for the data, where it lies.

use super::{
    Access, Named,
    args::{
        CIPHER, UnlockArgs,
        reencrypt::{DecryptArgs, EncryptArgs, HowArgs, ReencryptArgs, ResilienceArg},
    },
    beside::Beside,
    format,
    kdf::{self, DEFAULT_HASH},
    limits, passphrase, random, refuse_as_header,
    steady::hold,
    turn, uninterrupted,
};
use crate::{answer::Answer, error::Error, out::complain, output::Output, progress::Progress};
use algkit_volume::{
    CipherSpec, Header, Limits, NewKey, Unlocked, Version,
    format::Options,
    luks2::{self, Mode},
    reencrypt::{self, Change, Interrupted, Plan, Protection, Resume, SHIFT},
};
use rustix::fs::FlockOperation;
use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
};
use zeroize::Zeroizing;

/// Bytes of a file with a header: all key slots, and the first sector of data that a header with its data would have.
const HEADER_FILE: u64 = (16 << 20) + 4096;

pub fn run(args: &ReencryptArgs) -> Result<Answer, Error> {
    match &args.place.header {
        _ if args.encrypt => encrypt(&EncryptArgs {
            image: args.place.image.clone(),
            header: args.place.header.clone(),
            reduce_device_size: args.reduce_device_size,
            cipher: args.cipher.clone().unwrap_or_else(|| CIPHER.to_owned()),
            key_size: args.key_size,
            sector_size: args.sector_size.unwrap_or(512),
            how: args.how.clone(),
            unlock: args.unlock.clone(),
            kdf: args.kdf.clone(),
        }),
        Some(header) if args.decrypt => decrypt(&DecryptArgs {
            image: args.place.image.clone(),
            header: header.clone(),
            how: args.how.clone(),
            unlock: args.unlock.clone(),
        }),
        _ => another_key(args),
    }
}

/// Gives the data another key, or goes on with whatever is under way.
fn another_key(args: &ReencryptArgs) -> Result<Answer, Error> {
    refuse_as_header(&args.place.image, args.place.header.as_deref())?;
    let data = Named::open(&args.place.image, Access::All)?;
    let headed = args.place.header.as_deref().map(|path| Named::open(path, Access::Header)).transpose()?;
    let headed = headed.as_ref().unwrap_or(&data);
    let failed = |error| headed.error(error);
    if args.unlock.volume_key_file.is_some() {
        return Err(Error::option("--volume-key-file", "a reencryption has two keys; a passphrase opens both"));
    }
    let _alone = headed.lock_reencryption(FlockOperation::NonBlockingLockExclusive)?;
    let header = headed.header()?;
    headed.refuse_lone_header(&data, &header)?;
    let passphrase = passphrase::read(&args.unlock, &args.place.image)?;
    let limits = limits(&args.unlock);
    let unlock = |header: &Header| header.unlock(&headed.file, &passphrase, args.unlock.key_slot, &limits);
    let turn = turn::wait(&header);
    let mut unlocked = unlock(&header).map_err(failed)?;
    drop(turn);
    let under_way = header.reencryption().is_some();
    let mut header = luks2(header, Mode::Reencrypt)?;
    if under_way && args.how.init_only {
        return Err(failed(algkit_volume::Error::Reencrypting));
    }
    if !under_way && !args.how.resume_only {
        let plan = plan(args, headed, &header, &unlocked)?;
        let hash = args.kdf.hash.as_deref().unwrap_or(DEFAULT_HASH);
        let kdf = kdf::chosen(&args.kdf, Version::Luks2, hash, &Limits::default()).map_err(failed)?;
        let new = |passphrase| NewKey { passphrase, kdf: kdf.clone(), hash, slot: None };
        let (mut slots, mut others) = (vec![unlocked.slot], Vec::new());
        for file in &args.other_key_file {
            let other = passphrase::key_file(file, None, None)?;
            let opened = Header::Luks2(header.clone()).unlock(&headed.file, &other, None, &limits).map_err(failed)?;
            slots.push(opened.slot);
            others.push(other);
        }
        let in_use = header.metadata.digests.values().filter(|digest| !digest.segments.is_empty());
        let left = in_use.flat_map(|digest| &digest.keyslots).filter(|id| !slots.contains(&Some(**id)));
        let left: Vec<_> = left.map(u32::to_string).collect();
        if !left.is_empty() && !args.drop_other_keys {
            let (slots, files) = if left.len() == 1 {
                ("key slot", "a file with its passphrase")
            } else {
                ("key slots", "files with their passphrases")
            };
            let reason = format!(
                "{slots} {} would be lost; name {files} by --other-key-file, or allow that by --drop-other-keys",
                left.join(", ")
            );
            return Err(Error::option("reencrypt", reason));
        }
        let passphrases = std::iter::once(&passphrase).chain(&others).map(|passphrase| new(passphrase));
        let keys: Vec<_> = slots.iter().copied().zip(passphrases).collect();
        unlocked = reencrypt::start(&mut header, &headed.file, &data.file, unlocked, &keys, &plan, &random()?)
            .map_err(failed)?;
    }
    rewrite(&mut header, headed, &data, &unlocked, &args.how)
}

pub fn encrypt(args: &EncryptArgs) -> Result<Answer, Error> {
    refuse_as_header(&args.image, args.header.as_deref())?;
    let data = Named::open(&args.image, Access::All)?;
    if let Some(header) = args.header.as_deref().filter(|header| header.exists() || args.how.resume_only) {
        let headed = Named::open(header, Access::Header)?;
        return go_on(&headed, &data, &args.unlock, &args.how, Mode::Encrypt);
    }
    match Header::read(&data.file) {
        // If all but the end is done, the end is left.
        Ok(header) if args.header.is_none() && (header.reencryption().is_some() || is_left_over(&header)) => {
            return go_on(&data, &data, &args.unlock, &args.how, Mode::Encrypt);
        }
        Ok(_) => {
            return Err(Error::option("encrypt", format!("`{}` is a LUKS volume already", args.image.display())));
        }
        Err(algkit_volume::Error::NoHeader) => {}
        // The end of a beginning that was cut off may look damaged; it is finished below. Anything else is data that somebody may want back.
        Err(error) if args.header.is_some() || Interrupted::find(&data.file).is_ok_and(|found| found.is_none()) => {
            return Err(data.error(error));
        }
        Err(_) => {}
    }
    match &args.header {
        Some(header) => encrypt_elsewhere(args, header, &data),
        None => encrypt_shifted(args, &data),
    }
}

/// Whether the end of a reencryption was cut off.
fn is_left_over(header: &Header) -> bool {
    matches!(header, Header::Luks2(header) if reencrypt::is_left_over(header))
}

/// Begins an encryption with the header before the data, or goes on where its beginning was cut off.
fn encrypt_shifted(args: &EncryptArgs, data: &Named) -> Result<Answer, Error> {
    let failed = |error| data.error(error);
    let interrupted = Interrupted::find(&data.file).map_err(failed)?;
    let refused = |reason: String| Err(Error::option("--reduce-device-size", reason));
    if interrupted.is_none() && args.how.resume_only {
        return Err(failed(algkit_volume::Error::NotReencrypting));
    }
    if let Some(found) = interrupted {
        let passphrase = passphrase::read(&args.unlock, &args.image)?;
        let limits = limits(&args.unlock);
        uninterrupted(|| found.go_on(&data.file, &passphrase, &limits)).map_err(failed)?;
        let header = data.header()?;
        let unlocked = header.unlock(&data.file, &passphrase, None, &limits).map_err(failed)?;
        return rewrite(&mut *luks2(header, Mode::Encrypt)?, data, data, &unlocked, &args.how);
    }
    match args.reduce_device_size {
        None => return refused("--header FILE, or 32M here if the last 32 MiB of the image are free".to_owned()),
        Some(size) if size != 2 * SHIFT => return refused(format!("{size} bytes; a header takes 32M")),
        Some(_) => {}
    }
    let (options, passphrase) = new_volume(args, data)?;
    let random = random()?;
    let begun = uninterrupted(|| reencrypt::start_shifted(&data.file, &options, &passphrase, &random));
    let (mut header, unlocked) = begun.map_err(failed)?;
    rewrite(&mut header, data, data, &unlocked, &args.how)
}

/// What the volume is to be, and its passphrase.
fn new_volume(args: &EncryptArgs, data: &Named) -> Result<(Options, Zeroizing<Vec<u8>>), Error> {
    let cipher = CipherSpec::parse(&args.cipher).map_err(|error| data.error(error))?;
    let passphrase = match args.unlock.one_key_file()? {
        Some(file) => passphrase::key_file(file, args.unlock.keyfile_offset, args.unlock.keyfile_size)?,
        None => passphrase::new(&args.image)?,
    };
    let options = format::options(&data.path, Version::Luks2, cipher, args.key_size, args.sector_size, &args.kdf)?;
    Ok((options, passphrase))
}

/// Begins an encryption with the header in a file of its own.
fn encrypt_elsewhere(args: &EncryptArgs, path: &Path, data: &Named) -> Result<Answer, Error> {
    let (options, passphrase) = new_volume(args, data)?;
    // The file gets its name when it says that the data is plain yet.
    let new = new_header(path, HEADER_FILE)?;
    let beside = Beside::new(new.handle(), path);
    let failed = |error| beside.error(error, data);
    let random = random()?;
    let begun = Header::format(Version::Luks2, &beside, &options, &passphrase, &random);
    let (header, unlocked) = begun.map_err(failed)?;
    let mut header = luks2(header, Mode::Encrypt)?;
    let protection = protection(&args.how, args.sector_size);
    let plan = Plan { change: Change::Encrypt, protection, hash: args.how.resilience_hash.clone(), hotzone: None };
    let started = reencrypt::start(&mut header, &beside, &data.file, unlocked, &[], &plan, &random);
    let unlocked = started.map_err(failed)?;
    let headed = named(new, path)?;
    rewrite(&mut header, &headed, data, &unlocked, &args.how)
}

/// A file for a header, which gets its name by [`named`]. It is its owner's alone.
fn new_header(path: &Path, len: u64) -> Result<Output, Error> {
    let new = Output::private(path, None)?;
    let cannot = |source| Error::write(path, source);
    new.handle().set_len(len).map_err(cannot)?;
    Ok(new)
}

/// The same file when it has its name.
fn named(new: Output, path: &Path) -> Result<Named, Error> {
    new.finish_durably()?;
    Named::open(path, Access::Header)
}

pub fn decrypt(args: &DecryptArgs) -> Result<Answer, Error> {
    refuse_as_header(&args.image, Some(&args.header))?;
    let data = Named::open(&args.image, Access::All)?;
    if args.header.exists() || args.how.resume_only {
        let headed = Named::open(&args.header, Access::Header)?;
        return go_on(&headed, &data, &args.unlock, &args.how, Mode::Decrypt);
    }
    // The header is on the image. It moves into the file, and the data to where it was.
    let _alone = data.lock_reencryption(FlockOperation::NonBlockingLockExclusive)?;
    let (header, unlocked) = data.unlock(&args.unlock)?;
    data.refuse_lone_header(&data, &header)?;
    let mut header = luks2(header, Mode::Decrypt)?;
    may_be_plain(&args.how, &data)?;
    let new = new_header(&args.header, header.size())?;
    let beside = Beside::new(new.handle(), &args.header);
    let plan = decryption(&args.how, &header);
    let detached = reencrypt::detach(&header, &data.file, &beside, &unlocked, &plan, &random()?);
    detached.map_err(|error| beside.error(error, &data))?;
    let headed = named(new, &args.header)?;
    *header = *luks2(headed.header()?, Mode::Decrypt)?;
    start_decryption(&mut header, &headed, &data, unlocked, &args.how)
}

fn may_be_plain(how: &HowArgs, data: &Named) -> Result<(), Error> {
    if how.batch_mode {
        return Ok(());
    }
    passphrase::confirmed(&format!("The data of {} will be plain.", data.path.display()))
}

/// The plan of a decryption.
fn decryption(how: &HowArgs, header: &luks2::Header) -> Plan {
    let sector = header.metadata.segments.values().next().map_or(512, luks2::Segment::sector_size);
    let protection = protection(how, sector);
    Plan { change: Change::Decrypt, protection, hash: how.resilience_hash.clone(), hotzone: None }
}

fn start_decryption(
    header: &mut luks2::Header,
    headed: &Named,
    data: &Named,
    unlocked: Unlocked,
    how: &HowArgs,
) -> Result<Answer, Error> {
    let beside = Beside::new(&headed.file, &headed.path);
    let plan = decryption(how, header);
    let random = random()?;
    let unlocked = if reencrypt::is_detached(header) {
        let begun = uninterrupted(|| reencrypt::start_moving(header, &beside, &data.file, &unlocked, &plan, &random));
        begun.map(|()| unlocked)
    } else {
        reencrypt::start(header, &beside, &data.file, unlocked, &[], &plan, &random)
    };
    rewrite(header, headed, data, &unlocked.map_err(|error| beside.error(error, data))?, how)
}

/// Goes on with an encryption or a decryption, which is begun if it is the latter.
fn go_on(headed: &Named, data: &Named, unlock: &UnlockArgs, how: &HowArgs, mode: Mode) -> Result<Answer, Error> {
    let failed = |error| headed.error(error);
    let _alone = headed.lock_reencryption(FlockOperation::NonBlockingLockExclusive)?;
    let header = headed.header()?;
    headed.refuse_lone_header(data, &header)?;
    if let (Mode::Decrypt, Header::Luks2(header)) = (mode, &header)
        && header.metadata.is_plain()
    {
        return already_plain((**header).clone(), headed, data);
    }
    let unlocked = headed.unlocked(&header, unlock)?;
    let under_way = header.reencryption().map(|(_, reencryption)| reencryption.mode);
    let mut header = luks2(header, mode)?;
    match under_way {
        Some(other) if other != mode => {
            return Err(Error::option(mode.name(), format!("another change is under way: {}", other.name())));
        }
        Some(_) if how.init_only => return Err(failed(algkit_volume::Error::Reencrypting)),
        None if mode == Mode::Decrypt && !how.resume_only => {
            may_be_plain(how, data)?;
            return start_decryption(&mut header, headed, data, unlocked, how);
        }
        Some(_) | None => {}
    }
    rewrite(&mut header, headed, data, &unlocked, how)
}

/// Removes what a decryption that was cut off after its last zone has left in the header. No passphrase opens that any more.
fn already_plain(mut header: luks2::Header, headed: &Named, data: &Named) -> Result<Answer, Error> {
    match reencrypt::sweep(&mut header, &headed.file, &random()?) {
        Ok(()) | Err(algkit_volume::Error::NotReencrypting) => {}
        Err(error) => return Err(headed.error(error)),
    }
    let [data, header] = [&data.path, &headed.path].map(|path| path.display());
    complain(&format_args!("`{data}` is plain already; nothing needs `{header}` any more"));
    Ok(Answer::Yes)
}

/// The header, which has to be one of LUKS2.
fn luks2(header: Header, mode: Mode) -> Result<Box<luks2::Header>, Error> {
    match header {
        Header::Luks2(header) => Ok(header),
        Header::Luks1(_) => {
            Err(Error::option(mode.name(), "LUKS1 has no place for a reencryption; `convert` makes it LUKS2"))
        }
    }
}

/// What the arguments ask for.
fn plan(args: &ReencryptArgs, headed: &Named, header: &luks2::Header, unlocked: &Unlocked) -> Result<Plan, Error> {
    let segment = header.metadata.segments.values().next();
    let old_cipher = segment.and_then(|segment| segment.encryption.as_deref()).unwrap_or_default();
    let old_sector = segment.map_or(512, luks2::Segment::sector_size);
    let cipher = CipherSpec::parse(args.cipher.as_deref().unwrap_or(old_cipher));
    let cipher = cipher.map_err(|error| headed.error(error))?;
    let key_size = match (args.key_size, &args.cipher) {
        (None, None) => unlocked.key.bytes().len(),
        (bits, _) => format::key_size(bits, &cipher)?,
    };
    let sector_size = args.sector_size.unwrap_or(old_sector);
    let protection = protection(&args.how, old_sector.max(sector_size));
    let change = Change::Reencrypt { cipher, key_size, sector_size };
    Ok(Plan { change, protection, hash: args.how.resilience_hash.clone(), hotzone: None })
}

/// What saves a zone. A checksum does not help if a sector is torn, which only small ones never are.
fn protection(how: &HowArgs, sector: u32) -> Protection {
    match how.resilience {
        Some(ResilienceArg::None) => Protection::None,
        Some(ResilienceArg::Journal) => Protection::Journal,
        Some(ResilienceArg::Checksum) => Protection::Checksum,
        None if sector > 512 => Protection::Journal,
        None => Protection::Checksum,
    }
}

/// Rewrites the data until the end or a signal, unless only the header was asked for.
fn rewrite(
    header: &mut luks2::Header,
    headed: &Named,
    data: &Named,
    unlocked: &Unlocked,
    how: &HowArgs,
) -> Result<Answer, Error> {
    if how.init_only {
        return Ok(Answer::Yes);
    }
    let stop = Arc::default();
    hold(&stop);
    // The command that began it, given again, has not agreed to lose anything.
    let lose_torn_zone = how.resume_only && how.resilience == Some(ResilienceArg::None);
    let options = Resume { hotzone: how.hotzone_size, lose_torn_zone };
    let mut progress: Option<(Progress, u64)> = None;
    let mut go_on = |done: u64, all: u64| {
        let (progress, before) = progress.get_or_insert_with(|| (Progress::rewritten(all, done), done));
        progress.advance(done.saturating_sub(*before));
        *before = done;
        !stop.load(Ordering::Relaxed)
    };
    let beside = Beside::new(&headed.file, &headed.path);
    let done = reencrypt::resume(header, &beside, &data.file, unlocked, &options, &random()?, &mut go_on);
    drop(progress);
    match done.map_err(|error| beside.error(error, data))? {
        true => Ok(Answer::Yes),
        false => {
            complain(&format_args!(
                "`{}`: stopped between two zones, no byte is lost; `reencrypt --resume-only` goes on",
                data.path.display()
            ));
            Ok(Answer::No)
        }
    }
}
