//! `algkit volume header-backup`, `header-restore`, `repair`: whole headers.

use super::{
    Access, Named,
    args::{
        Kind,
        headers::{ConvertArgs, HeaderBackupArgs, HeaderRestoreArgs, RepairArgs},
    },
    passphrase::{confirmed, may_be_lost},
    random, uninterrupted,
};
use crate::{
    answer::Answer,
    error::Error,
    out::{complain, print_all},
    output::Output,
};
use algkit_volume::{Header, ReadAt, Version};
use rustix::fs::FlockOperation;

pub fn backup(args: &HeaderBackupArgs) -> Result<Answer, Error> {
    let mut image = Named::open(&args.image, Access::Inspect)?;
    // A header that is being changed has key slots of two times.
    image.lock_header(FlockOperation::NonBlockingLockShared)?;
    let header = image.header()?;
    let path = &args.header_backup_file;
    if path.symlink_metadata().is_ok() {
        return Err(Error::option("--header-backup-file", format!("`{}` is there already", path.display())));
    }
    // It opens with the passphrases of today.
    let mut output = Output::private(path, None)?;
    let mut at = 0;
    while at < header.size() {
        let mut chunk = vec![0; (header.size() - at).min(1 << 20) as usize];
        image.file.read_at(at, &mut chunk).map_err(|error| image.error(error))?;
        output.write(&chunk)?;
        at += chunk.len() as u64;
    }
    output.finish_durably()?;
    Ok(Answer::Yes)
}

pub fn restore(args: &HeaderRestoreArgs) -> Result<Answer, Error> {
    let backup = Named::open(&args.header_backup_file, Access::Inspect)?;
    let mut header = backup.header()?;
    let have = backup.file.size().map_err(|error| backup.error(error))?;
    let refused = |reason| Err(Error::option("--header-backup-file", reason));
    if have < header.size() {
        return refused(format!("`{}` has {have} bytes, and its header has {}", backup.path.display(), header.size()));
    }
    let image = Named::open(&args.image, Access::All)?;
    let name = image.path.display();
    let there = Header::read(&image.file);
    let new_keys = keys(&header);
    let question = match &there {
        Ok(there) if there.requires() => {
            let reason = format!(
                "the header on `{name}` says that its data is being reencrypted, or needs what is unknown here; no other header has the keys of that"
            );
            return refused(reason);
        }
        Ok(there) if layout(there) != layout(&header) => {
            return refused(format!("the data of the header on `{name}` has another place or another key size"));
        }
        Ok(there) if there.uuid() != header.uuid() => {
            format!("The header on {name} has another UUID. Its key slots will be lost.")
        }
        Ok(there) if !keys(there).iter().any(|key| new_keys.contains(key)) => format!(
            "The header on {name} has another key than the backup, as after reencrypt. What is encrypted with it will be lost."
        ),
        Ok(_) => format!("The key slots on {name} will be replaced by those of the backup."),
        Err(_) => format!("There is no good header on {name}. What is there will be overwritten."),
    };
    if !args.batch_mode {
        agreed("header-restore", &image, there, &question)?;
    }
    let random = random()?;
    uninterrupted(|| header.restore(&backup.file, &image.file, &random)).map_err(|error| image.error(error))?;
    Ok(Answer::Yes)
}

/// What a header must have in common with the one that it replaces: else the data is decrypted from another place.
fn layout(header: &Header) -> (u64, u32) {
    let key_size = match header {
        Header::Luks1(header) => header.key_size,
        Header::Luks2(header) => header.metadata.keyslots.values().map(|slot| slot.key_size).max().unwrap_or(0),
    };
    (header.data_offset(), key_size)
}

/// The digests of the data's keys.
fn keys(header: &Header) -> Vec<&[u8]> {
    match header {
        Header::Luks1(header) => vec![&header.digest[..]],
        Header::Luks2(header) => {
            let digests = header.metadata.digests.values().filter(|digest| !digest.segments.is_empty());
            digests.map(|digest| &digest.digest[..]).collect()
        }
    }
}

/// Asks the question, or says what has taken the place of a volume of which the second copy of the header is left. `there` is the image's header.
fn agreed(
    command: &'static str,
    image: &Named,
    there: Result<Header, algkit_volume::Error>,
    question: &str,
) -> Result<(), Error> {
    // Of a bad header, more is said by whoever needs a good one.
    match there.ok().and_then(|header| header.replaced()) {
        Some(what) => may_be_lost(command, what, &image.path),
        None => confirmed(question),
    }
}

pub fn repair(args: &RepairArgs) -> Result<Answer, Error> {
    let image = Named::open(&args.image, Access::Header)?;
    if !args.batch_mode {
        let question = format!("What is damaged of the header on {} will be written again.", image.path.display());
        agreed("repair", &image, Header::read(&image.file), &question)?;
    }
    let random = random()?;
    let mended = uninterrupted(|| Header::repair(&image.file, true, &random)).map_err(|error| image.error(error))?;
    for what in &mended {
        complain(&format_args!("`{}`: mended: {what}", image.path.display()));
    }
    if mended.is_empty() {
        print_all(b"Nothing is damaged.\n")?;
    }
    Ok(Answer::Yes)
}

pub fn convert(args: &ConvertArgs) -> Result<Answer, Error> {
    let path = args.place.header.as_deref().unwrap_or(&args.place.image);
    // Data is not written, but nobody may use the volume either.
    let image = Named::open(path, Access::All)?;
    let header = image.header()?;
    let (version, name) = match args.kind {
        Kind::Luks1 => (Version::Luks1, "LUKS1"),
        Kind::Luks2 => (Version::Luks2, "LUKS2"),
    };
    if !args.batch_mode {
        confirmed(&format!("The header on {} will be one of {name}.", image.path.display()))?;
    }
    let random = random()?;
    uninterrupted(|| header.convert(version, &image.file, &random)).map_err(|error| image.error(error))?;
    Ok(Answer::Yes)
}
