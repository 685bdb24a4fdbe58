//! Encrypts the sectors of a disk image, as dm-crypt does with `aes-xts-plain64`: the number of the
//! sector is its IV.
//!
//! `cargo run --example sectors`

use algkit::sectors::Sectors;

const SECTOR: usize = 512;

fn main() -> Result<(), algkit::Error> {
    let key: Vec<u8> = (0..64).collect(); // two keys of 32 bytes: AES-256
    let xts = algkit::skcipher("xts(aes)")?.key(&key)?;

    let mut image = vec![0; 4 * SECTOR];
    Sectors::new(0, SECTOR).encrypt(&xts, &mut image)?;
    println!("{}: {} sectors", xts.driver().driver, image.len() / SECTOR);
    assert_ne!(image[..SECTOR], image[SECTOR..2 * SECTOR]); // equal sectors have different ciphertexts

    // Each sector can be decrypted without the others.
    let third = &mut image[2 * SECTOR..3 * SECTOR];
    Sectors::new(2, SECTOR).decrypt(&xts, third)?;
    assert_eq!(third, [0; SECTOR]);
    Ok(())
}
