//! A volume's plaintext as a tar archive with one file, on standard output:
//!
//! ```console
//! $ cargo run --example tar -- disk.img key-file | tar -x
//! ```

use algkit_volume::{Header, Limits, ReadAt};
use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, Write},
};

/// Bytes of a block of an archive.
const BLOCK: usize = 512;

/// Writes an archive with the storage as a file called `name`, of at most 100 bytes (POSIX.1, pax, "ustar Interchange Format").
pub fn archive(storage: &dyn ReadAt, name: &str, to: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let size = storage.size()?;
    let mut header = [0; BLOCK];
    header
        .get_mut(..name.len().min(101))
        .filter(|place| place.len() <= 100)
        .ok_or("the name is too long")?
        .copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000600\0");
    header[108..124].copy_from_slice(b"0000000\x000000000\0");
    // 11 octal digits; beyond 8 GiB, GNU tar's binary number.
    if size < 1 << 33 {
        header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    } else {
        header[124] = 0x80;
        header[128..136].copy_from_slice(&size.to_be_bytes());
    }
    header[136..148].copy_from_slice(b"00000000000\0");
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    // The checksum counts itself as spaces.
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    to.write_all(&header)?;
    let mut buffer = vec![0; 1 << 20];
    let mut at = 0;
    while at < size {
        let chunk = &mut buffer[..(size - at).min(1 << 20) as usize];
        storage.read_at(at, chunk)?;
        to.write_all(chunk)?;
        at += chunk.len() as u64;
    }
    // The file ends with a block, the archive with two of zeros.
    let rest = (size as usize).next_multiple_of(BLOCK) - size as usize;
    to.write_all(&vec![0; rest + 2 * BLOCK])?;
    Ok(())
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    let [image, key] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "usage: tar IMAGE KEY-FILE")?;
    let file = File::open(&image)?;
    let header = Header::read(&file)?;
    let unlocked = header.unlock(&file, &fs::read(key)?, None, &Limits::default())?;
    archive(&header.open(file, &unlocked.key)?, "plain.img", &mut io::stdout().lock())
}
