//! Seals one message with a key and opens it again.
//!
//! `cargo run --example seal`

fn main() -> Result<(), algkit::Error> {
    let (key, nonce) = ([7; 32], [0; 12]); // a real program draws both at random, the nonce anew each time
    let aead = algkit::aead("gcm(aes)")?.key(&key)?;

    let sealed = aead.seal(&nonce, b"header", b"attack at dawn")?;
    println!("{}: {} bytes", aead.driver().driver, sealed.len());

    let text = aead.open(&nonce, b"header", &sealed)?;
    assert_eq!(text, b"attack at dawn");
    assert_eq!(aead.open(&nonce, b"another header", &sealed), Err(algkit::Error::Authentication));
    Ok(())
}
