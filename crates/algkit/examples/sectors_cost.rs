//! Compares the cost per sector of one call for all sectors with one call per sector: minimum times of many
//! alternating rounds. With MEBIBYTES the sectors are that many, and the rounds are 5.
//!
//!     cargo run --release --example sectors_cost -- 'xts(aes)' 512 [MEBIBYTES]

use algkit::{Registry, Skcipher, sectors::Sectors};
use std::{env, hint::black_box, time::Instant};

/// The number of sectors in a buffer unless told: 32 KiB with 512 bytes each, which stay in the cache.
const SECTORS: usize = 64;
const ROUNDS: usize = 2000;

fn in_one_call(cipher: &Skcipher, size: usize, buffer: &mut [u8]) -> Result<(), algkit::Error> {
    Sectors::new(7, size).encrypt(cipher, buffer)
}

fn in_a_call_each(cipher: &Skcipher, size: usize, buffer: &mut [u8]) -> Result<(), algkit::Error> {
    let mut iv = [0; 32];
    let iv = &mut iv[..cipher.driver().shape.ivsize];
    for (number, sector) in (7u64..).zip(buffer.chunks_exact_mut(size)) {
        iv.fill(0);
        iv[..8].copy_from_slice(&number.to_le_bytes());
        cipher.encrypt(iv, sector)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let (Some(name), Some(size)) = (args.next(), args.next()) else {
        return Err("wanted: NAME BYTES [MEBIBYTES]".into());
    };
    let size: usize = size.parse()?;
    let (sectors, rounds) = match args.next() {
        Some(mebibytes) => ((mebibytes.parse::<usize>()? << 20) / size, 5),
        None => (SECTORS, ROUNDS),
    };
    let cipher = Registry::global()?.skcipher(&name)?;
    // The key's halves differ, as XTS requires.
    let key: Vec<u8> = (0..cipher.driver().shape.keys.max().min(64) as u8).collect();
    let cipher = cipher.key(&key)?;
    let (mut one, mut each) = (vec![1; sectors * size], vec![1; sectors * size]);
    let mut best = [f64::INFINITY; 2];
    for _ in 0..rounds {
        let start = Instant::now();
        in_one_call(&cipher, size, black_box(&mut one))?;
        best[0] = best[0].min(start.elapsed().as_nanos() as f64);
        let start = Instant::now();
        in_a_call_each(&cipher, size, black_box(&mut each))?;
        best[1] = best[1].min(start.elapsed().as_nanos() as f64);
    }
    if one != each {
        return Err("the two differ".into());
    }
    let [one, each] = best.map(|ns| ns / sectors as f64);
    println!(
        "{}, sectors of {size} bytes: {one:.1} ns ({:.0} MB/s) in one call, {each:.1} ns in a call each: {:.2} times as many a second",
        cipher.driver().driver,
        size as f64 * 1e3 / one,
        each / one
    );
    Ok(())
}
