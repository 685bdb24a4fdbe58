//! `algkit enc` with AEADs on large files, compared with OpenSSL's EVP, in both directions.
//!
//! With `ALGKIT_BIG=1`, the files have 1 GiB instead of 64 MiB.

mod command;

use command::{chunks, large_files, ours, outcome, same, scratch, text, unhex};
use openssl::{cipher::Cipher, cipher_ctx::CipherCtx};
use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::fs::FileExt,
    path::Path,
};

const KEY: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";

/// OpenSSL's ciphertext and tag of the file. The file is processed in pieces, except by CCM, which needs its length and
/// takes it in one call.
fn evp_seal(evp: &str, nonce: &[u8], assoc: &[u8], file: &Path, out: &Path) {
    let cipher = Cipher::fetch(None, evp, None).expect("a cipher of OpenSSL 3.0");
    let ccm = evp.ends_with("CCM");
    let len = usize::try_from(fs::metadata(file).expect("a file").len()).expect("a length");
    let mut ctx = CipherCtx::new().expect("a context");
    ctx.encrypt_init(Some(&cipher), None, None).expect("the cipher");
    ctx.set_iv_length(nonce.len()).expect("the nonce's length");
    if ccm {
        ctx.set_tag_length(16).expect("the tag's length");
    }
    ctx.encrypt_init(None, Some(&unhex(KEY)), Some(nonce)).expect("key and nonce");
    if ccm {
        ctx.set_data_len(len).expect("the length");
    }
    ctx.cipher_update(assoc, None).expect("associated data");
    let mut out = File::create(out).expect("a file");
    chunks(file, if ccm { len } else { 1 << 20 }, |plain| {
        let mut buf = vec![0; plain.len() + 32];
        let n = ctx.cipher_update(plain, Some(&mut buf)).expect("the text");
        out.write_all(&buf[..n]).expect("a file");
    });
    let mut tag = [0; 16];
    assert_eq!(ctx.cipher_final(&mut [0; 32]).expect("the end"), 0);
    ctx.tag(&mut tag).expect("the tag");
    out.write_all(&tag).expect("a file");
}

/// algkit opens what OpenSSL has sealed, and seals to the same bytes. A flipped bit is reported in one line.
fn as_evp(name: &str, evp: &str, iv: &str, nonce: &str) {
    let folder = scratch();
    let [theirs, sealed, opened, assoc_file] =
        ["theirs", "sealed", "opened", "assoc"].map(|name| folder.path().join(name));
    let file = &large_files()[0];
    let assoc = b"what goes before";
    fs::write(&assoc_file, assoc).expect("a file");
    evp_seal(evp, &unhex(nonce), assoc, file, &theirs);

    let common = ["enc", "-c", name, "-k", KEY, "--iv", iv, "--aad-file", text(&assoc_file)];
    ours(&[&common[..], &["-i", text(file), "-o", text(&sealed)]].concat());
    same(&theirs, &sealed);
    let open = [&common[..], &["-d", "-i", text(&theirs), "-o", text(&opened)]].concat();
    ours(&open);
    same(file, &opened);
    fs::remove_file(&opened).expect("a file");

    let len = fs::metadata(&theirs).expect("a file").len();
    let theirs = OpenOptions::new().read(true).write(true).open(&theirs).expect("a file");
    for at in [0, len / 2, len - 17, len - 1] {
        let mut byte = [0];
        theirs.read_exact_at(&mut byte, at).expect("a byte");
        theirs.write_all_at(&[byte[0] ^ 0x10], at).expect("a byte");
        let refused = outcome(&open);
        assert_eq!(refused.status.code(), Some(1), "{name}, byte {at}");
        assert_eq!(String::from_utf8_lossy(&refused.stderr).lines().count(), 1, "{name}, byte {at}");
        assert!(refused.stdout.is_empty() && !opened.exists(), "{name}, byte {at}: there is an output");
        theirs.write_all_at(&byte, at).expect("a byte");
    }
    let names: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 3, "something is left over: {names:?}");
}

#[test]
fn gcm_equals_evp() {
    as_evp("gcm(aes)", "AES-256-GCM", "cafebabefacedbaddecaf888", "cafebabefacedbaddecaf888");
}

#[test]
fn ccm_equals_evp() {
    // The kernel's IV: the size of the length field minus 1, the nonce, and room for the length.
    as_evp("ccm(aes)", "AES-256-CCM", "03cafebabefacedbaddecaf800000000", "cafebabefacedbaddecaf8");
}

#[test]
fn chacha20_poly1305_equals_evp() {
    let nonce = "070000004041424344454647";
    as_evp("rfc7539(chacha20,poly1305)", "ChaCha20-Poly1305", nonce, nonce);
}
