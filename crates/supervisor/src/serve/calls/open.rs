//! The served files that are opened by name: `/proc/crypto` and `/dev/crypto`.

use crate::serve::target::Target;
use algkit_afalg::Place;
use rustix::fs::OFlags;

/// The served file that an `open`, `openat`, `openat2` or `creat` names, and the flags. `None` for any other file.
pub fn named(target: &Target<'_>) -> Option<(Place, OFlags)> {
    let args = target.request.args;
    let (folder, name, flags) = match target.request.nr {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (libc::AT_FDCWD, args[0], args[1]),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => (libc::AT_FDCWD, args[0], (libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC) as u64),
        _ => (target.request.int(0), args[1], args[2]),
    };
    // The length includes the NUL at the end.
    let name = target.string(name, Place::LONGEST + 1)?;
    let folder = || match folder {
        libc::AT_FDCWD => target.link(format_args!("cwd")).ok(),
        fd => target.link(format_args!("fd/{fd}")).ok(),
    };
    let place = Place::of(&name, folder)?;
    let flags = match target.request.nr {
        libc::SYS_openat2 => u64::from_ne_bytes(target.array(args[2]).ok()?),
        _ => flags,
    };
    Some((place, OFlags::from_bits_retain(flags as u32)))
}
