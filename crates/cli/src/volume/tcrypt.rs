//! TrueCrypt and VeraCrypt: a passphrase and key files open a header that says nothing before.

use super::{
    Named,
    args::{
        DumpArgs, UnlockArgs,
        kind::{Format, KindArgs},
    },
    limits, passphrase,
};
use crate::{answer::Answer, error::Error, out::print_all, words::visible};
use algkit_volume::tcrypt::{Header, KEYFILE, Options, Place};
use serde_json::json;
use std::fmt::Write as _;

/// Reads passphrase and key files, and opens the header.
pub fn unlock(image: &Named, args: &UnlockArgs, kind: &KindArgs) -> Result<Header, Error> {
    for (option, given) in [("--volume-key-file", args.volume_key_file.is_some()), ("-S", args.key_slot.is_some())] {
        if given {
            return Err(Error::option(option, "TrueCrypt and VeraCrypt have no key slots and no digest of the key"));
        }
    }
    let read = |path: &std::path::PathBuf| passphrase::beginning(path, KEYFILE as u64);
    let keyfiles = args.key_file.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let passphrase = passphrase::typed(&image.path)?;
    let tcrypt = &kind.tcrypt;
    let options = Options {
        passphrase: &passphrase,
        keyfiles: &keyfiles,
        place: match (tcrypt.tcrypt_system, tcrypt.tcrypt_hidden, tcrypt.tcrypt_backup) {
            (true, ..) => Place::System,
            (_, true, true) => Place::HiddenBackup,
            (_, true, false) => Place::Hidden,
            (_, false, true) => Place::Backup,
            (_, false, false) => Place::Standard,
        },
        veracrypt: !tcrypt.disable_veracrypt,
        // VeraCrypt's users give 0 for none.
        pim: tcrypt.veracrypt_pim.filter(|pim| *pim != 0),
        hash: kind.hash.as_deref(),
        cipher: kind.cipher.as_deref(),
    };
    Header::unlock(&image.file, &options, &limits(args)).map_err(|error| image.error(error))
}

/// An error if an option is there that another format has.
pub fn refuse_options(kind: &KindArgs) -> Result<(), Error> {
    let tcrypt = &kind.tcrypt;
    for (option, given) in [
        ("--tcrypt-hidden", tcrypt.tcrypt_hidden),
        ("--tcrypt-system", tcrypt.tcrypt_system),
        ("--tcrypt-backup", tcrypt.tcrypt_backup),
        ("--veracrypt-pim", tcrypt.veracrypt_pim.is_some()),
        ("--disable-veracrypt", tcrypt.disable_veracrypt),
        ("--veracrypt", tcrypt.veracrypt),
    ] {
        if given && kind.format != Format::Tcrypt {
            return Err(Error::option(option, "only with --type tcrypt"));
        }
    }
    for (option, given) in
        [("--cipher", kind.cipher.is_some()), ("--hash", kind.hash.is_some()), ("--key-size", kind.key_size.is_some())]
    {
        if given && (kind.format == Format::Luks || kind.format == Format::Tcrypt && option == "--key-size") {
            return Err(Error::option(option, "a LUKS header says what it is, and TrueCrypt's too"));
        }
    }
    Ok(())
}

/// Prints the header in the format of cryptsetup tcryptDump, or as JSON.
pub fn dump(args: &DumpArgs, image: &Named) -> Result<Answer, Error> {
    let header = unlock(image, &args.unlock, &args.kind)?;
    let kind = if header.veracrypt { "VERACRYPT" } else { "TCRYPT" };
    let mut text = String::new();
    if args.json {
        let json = json!({
            "type": kind.to_lowercase(),
            "version": header.version,
            "required_version": format!("{:x}.{:x}", header.required >> 8, header.required & 0xff),
            "sector_size": header.sector_size,
            "data_offset": header.data_offset,
            "volume_size": header.volume_size,
            "hidden_size": header.hidden_size,
            "encrypted_size": header.encrypted_size,
            "hash": header.hash,
            "cipher": header.cipher(),
            "mode": header.mode(),
            "key_bits": 8 * header.key_size(),
        });
        text = format!("{json:#}\n");
    } else {
        let _ = writeln!(text, "{kind} header information for {}", visible(&image.path.display().to_string()));
        for (name, value) in [
            ("Version:       ", header.version.to_string()),
            ("Driver req.:", format!("{:x}.{:x}", header.required >> 8, header.required & 0xff)),
            ("Sector size:", header.sector_size.to_string()),
            ("MK offset:", header.data_offset.to_string()),
            ("PBKDF2 hash:", header.hash.to_owned()),
            ("Cipher chain:", header.cipher()),
            ("Cipher mode:", header.mode().to_owned()),
            ("MK bits:       ", (8 * header.key_size()).to_string()),
        ] {
            let _ = writeln!(text, "{name}\t{value}");
        }
    }
    print_all(text.as_bytes())?;
    Ok(Answer::Yes)
}
