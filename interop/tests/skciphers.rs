//! `algkit enc` with ciphers and modes on large files, compared with `openssl enc` and with OpenSSL's EVP, in both
//! directions; and the memory that it takes.
//!
//! A program's peak memory is counted from before it is executed, so it includes the memory of this process. So the
//! tests here keep no file in memory; those that do are in tests/aeads.rs.
//!
//! With `ALGKIT_BIG=1`, the files have 1 GiB instead of 64 MiB.

mod command;

use command::{chunks, foreign, large_files, ours, peak_memory, same, scratch, text, unhex};
use openssl::{cipher::Cipher, cipher_ctx::CipherCtx};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

const KEY: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const XTS_KEY: &str = "2718281828459045235360287471352662497757247093699959574966967627\
                       3141592653589793238462643383279502884197169399375105820974944592";
const IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/// The largest peak memory of a cipher with a mode in bytes, for any size of the file.
const MEMORY: u64 = 64 << 20;

/// algkit's ciphertext equals that of `openssl enc`, and decrypts to the file, in little memory.
fn as_openssl_enc(name: &str, openssl_name: &str, file: &Path) {
    let folder = scratch();
    let [theirs, sealed, opened] = ["theirs", "sealed", "opened"].map(|name| folder.path().join(name));
    let key = ["-K", KEY, "-iv", IV, "-nopad"];
    foreign(
        "openssl",
        "openssl",
        &[&["enc", openssl_name, "-in", text(file), "-out", text(&theirs)], &key[..]].concat(),
    );
    let common = ["enc", "-c", name, "-k", KEY, "--iv", IV];
    let peak = peak_memory(&[&common[..], &["-i", text(file), "-o", text(&sealed)]].concat());
    assert!(peak < MEMORY, "{name}: {peak} bytes of memory");
    same(&theirs, &sealed);
    let peak = peak_memory(&[&common[..], &["-d", "-i", text(&theirs), "-o", text(&opened)]].concat());
    assert!(peak < MEMORY, "{name}: {peak} bytes of memory");
    same(file, &opened);
}

#[test]
fn ctr_equals_openssl_enc() {
    as_openssl_enc("ctr(aes)", "-aes-256-ctr", &large_files()[0]);
}

#[test]
fn cbc_equals_openssl_enc() {
    as_openssl_enc("cbc(aes)", "-aes-256-cbc", &large_files()[1]);
}

#[test]
fn ctr_of_camellia_equals_openssl_enc() {
    // Camellia works by table lookups, so only its driver's name, or the other policy, selects it.
    as_openssl_enc("ctr(camellia-generic)", "-camellia-256-ctr", &large_files()[0]);
}

#[test]
fn chacha20_equals_openssl_enc() {
    as_openssl_enc("chacha20", "-chacha20", &large_files()[0]);
}

/// Sectors as in dm-crypt: XTS with the sector's number as a 64-bit little-endian tweak.
fn xts_by_sectors(sector_size: usize, first_sector: u64) {
    let folder = scratch();
    let [theirs, sealed, opened] = ["theirs", "sealed", "opened"].map(|name| folder.path().join(name));
    let file = &large_files()[1];
    let cipher = Cipher::fetch(None, "AES-256-XTS", None).expect("AES-256-XTS in OpenSSL 3.0");
    let key = unhex(XTS_KEY);
    let mut out = BufWriter::new(File::create(&theirs).expect("a file"));
    let mut ctx = CipherCtx::new().expect("a context");
    ctx.encrypt_init(Some(&cipher), Some(&key), None).expect("the key");
    let (mut sector, mut buf) = (first_sector, vec![0; sector_size + 32]);
    chunks(file, sector_size, |plain| {
        let mut iv = [0; 16];
        iv[..8].copy_from_slice(&sector.to_le_bytes());
        ctx.encrypt_init(None, None, Some(&iv)).expect("the IV");
        let n = ctx.cipher_update(plain, Some(&mut buf)).expect("the sector");
        out.write_all(&buf[..n]).expect("a file");
        sector += 1;
    });
    out.flush().expect("a file");
    drop(out);

    let (size, first) = (sector_size.to_string(), first_sector.to_string());
    let common = ["enc", "-c", "xts(aes)", "-k", XTS_KEY, "--sector-size", &size, "--first-sector", &first];
    let peak = peak_memory(&[&common[..], &["-i", text(file), "-o", text(&sealed)]].concat());
    assert!(peak < MEMORY, "{peak} bytes of memory");
    same(&theirs, &sealed);
    ours(&[&common[..], &["-d", "-i", text(&theirs), "-o", text(&opened)]].concat());
    same(file, &opened);
}

#[test]
fn xts_by_sectors_of_512_equals_openssl() {
    xts_by_sectors(512, 0);
}

#[test]
fn xts_by_sectors_of_4096_equals_openssl() {
    xts_by_sectors(4096, (1 << 32) - 5);
}
