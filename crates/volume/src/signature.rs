//! What is on a disk of which something is about to be overwritten.

use crate::{Error, ReadAt};
use zeroize::Zeroizing;

/// As many bytes as the largest new header covers.
const COVERED: u64 = 16 << 20;

const CHUNK: usize = 1 << 20;

/// What the second copy of a LUKS2 header begins with.
const SECOND_HEADER: &[u8] = b"SKUL\xba\xbe";

/// Where what begins how. The first that is there names it, so that what also has a boot sector comes before that.
const KNOWN: &[(usize, &[u8], &str)] = &[
    (512, b"EFI PART", "a partition table (GPT)"),
    (4096, b"EFI PART", "a partition table (GPT)"),
    (512, b"LABELONE", "a physical volume of LVM"),
    (0, b"\xfc\x4e\x2b\xa9", "a part of a RAID"),
    (4096, b"\xfc\x4e\x2b\xa9", "a part of a RAID"),
    (1080, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (0, b"XFSB", "an XFS file system"),
    (0x10040, b"_BHRfS_M", "a Btrfs file system"),
    (1024, b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (1024, b"\xe2\xe1\xf5\xe0", "an EROFS file system"),
    (0, b"hsqs", "a SquashFS file system"),
    (3, b"NTFS    ", "an NTFS file system"),
    (3, b"EXFAT   ", "an exFAT file system"),
    (3, b"-FVE-FS-", "a BitLocker volume"),
    (54, b"FAT1", "a FAT file system"),
    (82, b"FAT32   ", "a FAT file system"),
    (32769, b"CD001", "an ISO 9660 file system"),
    (4086, b"SWAPSPACE2", "swap space"),
    (16374, b"SWAPSPACE2", "swap space"),
    (65526, b"SWAPSPACE2", "swap space"),
    (0, b"QFI\xfb", "a qcow2 image"),
    (0, b"vhdxfile", "a VHDX image"),
    (0, b"KDMV", "a VMDK image"),
    // The second copy of a header whose first one is gone lies at one of these places.
    (16 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (32 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (64 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (128 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (256 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (512 << 10, SECOND_HEADER, "what is left of a LUKS2 volume"),
    (510, b"\x55\xaa", "a partition table or a boot sector"),
];

/// What a new header would overwrite; `None` if all of that is zeros.
pub fn there(disk: &dyn ReadAt) -> Result<Option<String>, Error> {
    let end = disk.size()?.min(COVERED);
    let mut chunk = Zeroizing::new(vec![0; CHUNK]);
    for at in (0..end).step_by(CHUNK) {
        let chunk = &mut chunk[..(end - at).min(CHUNK as u64) as usize];
        disk.read_at(at, chunk)?;
        let Some(first) = chunk.iter().position(|byte| *byte != 0) else { continue };
        return Ok(Some(match KNOWN.iter().find(|known| at == 0 && begins(chunk, known)) {
            Some((_, _, name)) => (*name).to_owned(),
            None => format!("data at byte {}", at + first as u64),
        }));
    }
    Ok(None)
}

/// What has taken the place of a LUKS2 header whose second copy is still there.
pub(crate) fn instead(disk: &dyn ReadAt) -> Result<Option<&'static str>, Error> {
    let mut start = Zeroizing::new(vec![0; disk.size()?.min(CHUNK as u64) as usize]);
    disk.read_at(0, &mut start)?;
    let found = KNOWN.iter().find(|known| known.1 != SECOND_HEADER && begins(&start, known));
    Ok(found.map(|(_, _, name)| *name))
}

fn begins(start: &[u8], (place, magic, _): &(usize, &[u8], &str)) -> bool {
    start.get(*place..).is_some_and(|rest| rest.starts_with(magic))
}
