//! Encrypts the sectors of a disk image, as dm-crypt does with `aes-xts-plain64`: the number of the
//! sector is its IV.
//!
//! `cargo run --example sectors`

const SECTOR: usize = 512;

fn main() -> Result<(), algkit::Error> {
    let key: Vec<u8> = (0..64).collect(); // two keys of 32 bytes: AES-256
    let xts = algkit::skcipher("xts(aes)")?.key(&key)?;

    let mut image = vec![0; 4 * SECTOR];
    for (number, sector) in image.chunks_exact_mut(SECTOR).enumerate() {
        xts.encrypt(&mut plain64(number as u64), sector)?;
    }
    println!("{}: {} sectors", xts.driver().driver, image.len() / SECTOR);
    assert_ne!(image[..SECTOR], image[SECTOR..2 * SECTOR]); // equal sectors do not show

    // Any sector can be read without the others.
    let third = &mut image[2 * SECTOR..3 * SECTOR];
    xts.decrypt(&mut plain64(2), &mut *third)?;
    assert_eq!(third, [0; SECTOR]);
    Ok(())
}

/// The sector's number, little-endian, filled up with zeros.
fn plain64(sector: u64) -> [u8; 16] {
    u128::from(sector).to_le_bytes()
}
