//! Calls with 16 bytes of text, as often as requested. `lab/call-cost` counts their instructions.
//!
//!     cargo run --release --example calls -- 'gcm(aes)' 1000000

use algkit::{Registry, Type};
use std::{env, hint::black_box, time::Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let (Some(name), Some(calls)) = (args.next(), args.next()) else { return Err("wanted: NAME CALLS".into()) };
    let calls: u32 = calls.parse()?;
    let registry = Registry::global()?;
    let driver = registry.find_any(&name)?;
    // The key's halves differ, as XTS requires.
    let key: Vec<u8> = (0..driver.shape.keys.min() as u8).collect();
    let (mut text, mut iv, mut tag, mut digest) = ([0x5a; 16], [0; 32], [0; 16], [0; 64]);
    let iv = &mut iv[..driver.shape.ivsize];

    let start = match driver.kind {
        Type::Skcipher => {
            let cipher = registry.skcipher(&name)?.key(&key)?;
            let start = Instant::now();
            for _ in 0..calls {
                cipher.encrypt(black_box(&mut *iv), black_box(&mut text[..]))?;
            }
            start
        }
        Type::Aead => {
            let aead = registry.aead(&name)?.key(&key)?;
            let start = Instant::now();
            for _ in 0..calls {
                aead.encrypt(black_box(&*iv), &[black_box(b"13 bytes, TLS")], black_box(&mut text[..]), &mut tag)?;
            }
            start
        }
        Type::Hash => {
            let key = if driver.shape.optional_key { &[][..] } else { &key };
            let hash = registry.hash(&name)?.key(key)?;
            let digest = &mut digest[..hash.digest_size()];
            let start = Instant::now();
            for _ in 0..calls {
                hash.digest_into(black_box(&[&text[..]]), digest)?;
            }
            start
        }
        other => return Err(format!("{name}: a {other:?} has no calls to count").into()),
    };
    let ns = start.elapsed().as_nanos() as f64 / f64::from(calls.max(1));
    println!("{}: {ns:.1} ns a call", driver.driver);
    Ok(())
}
