//! `algkit volume resize`: the length of the plaintext, and of the image.

use super::{Access, Named, args::resize::ResizeArgs, passphrase::confirmed, random, refuse_as_header, uninterrupted};
use crate::{answer::Answer, error::Error};
use algkit_volume::ReadAt;

pub fn run(args: &ResizeArgs) -> Result<Answer, Error> {
    refuse_as_header(&args.place.image, args.place.header.as_deref())?;
    let data = Named::open(&args.place.image, Access::All)?;
    let detached = args.place.header.as_deref().map(|path| Named::open(path, Access::Header)).transpose()?;
    let headed = detached.as_ref().unwrap_or(&data);
    let mut header = headed.header()?;
    headed.refuse_lone_header(&data, &header)?;
    let refused = |reason| Err(Error::option("--size", reason));
    let sector = u64::from(header.sector_size());
    if !args.size.is_multiple_of(sector) {
        return refused(format!("{} is not a multiple of {sector}, the size of a sector", args.size));
    }
    let failed = |error| data.error(error);
    let start = header.data_offset();
    let device = data.file.size().map_err(failed)?;
    let fixed = header.fixed_size().map_err(|error| headed.error(error))?;
    let now = fixed.unwrap_or(device.saturating_sub(start));
    let Some(end) = start.checked_add(args.size).filter(|end| i64::try_from(*end).is_ok()) else {
        return refused(format!("{} is too long", args.size));
    };
    let is_file = data.file.metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file && (fixed.is_none() || end > device) {
        return refused(format!("`{}` is a device of {device} bytes, which stays as long", data.path.display()));
    }
    if args.size < now && !args.batch_mode {
        let lost = now - args.size;
        confirmed(&format!("The last {lost} bytes of the plaintext in {} will be lost.", data.path.display()))?;
    }
    let resize_file = || match is_file {
        true => {
            let resized = data.file.set_len(end).and_then(|()| data.file.sync_all());
            resized.map_err(|source| Error::write(&data.path, source))
        }
        false => Ok(()),
    };
    let random = random()?;
    // What the file has behind the volume stays.
    let ends_with_file = start + now == device;
    // The header never says more than the file has.
    uninterrupted(|| {
        if end > device {
            resize_file()?;
        }
        header.set_size(&headed.file, args.size, &random).map_err(|error| headed.error(error))?;
        if end < device && ends_with_file { resize_file() } else { Ok(()) }
    })?;
    Ok(Answer::Yes)
}
