//! Hashes files piece by piece, like `sha256sum`.
//!
//! `cargo run --example file_hash -- sha256 Cargo.toml`

use std::{env, error::Error, fs::File, io::Read};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "sha256".to_owned());
    let hash = algkit::hash(&name)?.unkeyed()?;

    let mut buffer = vec![0; 1 << 16];
    for path in args {
        let mut file = File::open(&path).map_err(|e| format!("{path}: {e}"))?;
        let mut state = hash.start();
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                n => state.update(&buffer[..n]),
            }
        }
        let digest: String = state.finish().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{digest}  {path}");
    }
    Ok(())
}
