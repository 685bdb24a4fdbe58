//! The text of `/proc/crypto`.

use crate::{
    Errno,
    catalogue::{self, Entry, MODULE},
};
use algkit::Type;
use rustix::{
    fs::{MemfdFlags, Mode, OFlags, SealFlags, SeekFrom},
    process::{Resource, getrlimit},
};
use std::{
    fmt::Write,
    os::fd::{AsRawFd, OwnedFd},
};

/// The name of the file with the text, which only links in `/proc/PID/fd` show.
const NAME: &str = "/proc/crypto";

/// Whether the link of a descriptor in `/proc/PID/fd` leads to what [`file()`] makes.
pub fn is_file(link: &[u8]) -> bool {
    link.strip_prefix(b"/memfd:").and_then(|name| name.strip_suffix(b" (deleted)")) == Some(NAME.as_bytes())
}

/// A file with the current text, which can only be read, and whose descriptor is closed on `exec`.
pub fn file() -> Result<OwnedFd, Errno> {
    let memory = rustix::fs::memfd_create(NAME, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let text = text();
    // The limit of a process on the length of files holds here as well, and a write beyond it would end the process.
    if getrlimit(Resource::Fsize).current.is_some_and(|most| most < text.len() as u64) {
        return Err(Errno::FBIG);
    }
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        rest = &rest[rustix::io::write(&memory, rest)?..];
    }
    rustix::fs::fcntl_add_seals(&memory, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    let path = format!("/proc/self/fd/{}", memory.as_raw_fd());
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).or_else(|_| {
        // Without /proc, the descriptor remains open for writing too, and only the seals prevent that.
        rustix::fs::seek(&memory, SeekFrom::Start(0))?;
        Ok(memory)
    })
}

/// The current text of `/proc/crypto`: all drivers of the table, and the instances of templates that are common or that
/// a client has asked for, newest first.
pub fn text() -> String {
    render(&catalogue::entries())
}

fn render(entries: &[Entry]) -> String {
    let mut text = String::with_capacity(entries.len() * 320);
    for entry in entries {
        describe(entry, &mut text);
        text.push('\n');
    }
    text
}

fn describe(entry: &Entry, text: &mut String) {
    let mut line = |label: &str, value: &dyn std::fmt::Display| {
        let _ = writeln!(text, "{label:<13}: {value}"); // writing to a string does not fail
    };
    line("name", &entry.0.name);
    line("driver", &entry.0.driver);
    line("module", &MODULE);
    line("priority", &entry.priority());
    line("refcnt", &entry.reference_count());
    line("selftest", &if entry.is_tested() { "passed" } else { "unknown" });
    line("internal", &"no");
    line("type", &entry.type_name());
    if matches!(entry.0.kind, Type::Skcipher | Type::Aead) {
        line("async", &if entry.is_async() { "yes" } else { "no" });
    }
    if entry.0.kind != Type::Rng {
        line("blocksize", &entry.block_size());
    }
    match entry.0.kind {
        Type::Cipher => {
            line("min keysize", &entry.min_key_size());
            line("max keysize", &entry.max_key_size());
        }
        Type::Skcipher => {
            line("min keysize", &entry.min_key_size());
            line("max keysize", &entry.max_key_size());
            line("ivsize", &entry.iv_size());
            line("chunksize", &entry.chunk_size());
            line("walksize", &entry.chunk_size());
        }
        Type::Aead => {
            line("ivsize", &entry.iv_size());
            line("maxauthsize", &entry.max_auth_size());
            line("geniv", &"<none>");
        }
        Type::Hash => line("digestsize", &entry.digest_size()),
        Type::Rng => line("seedsize", &0),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paragraph of a driver, without its priority, which algkit chooses, and without its reference count,
    /// which other tests change.
    fn paragraph(text: &str, driver: &str) -> String {
        let line = format!("\ndriver       : {driver}\n");
        let found = text.split("\n\n").find(|p| p.contains(&line)).unwrap_or_else(|| panic!("no {driver}"));
        let told = |line: &&str| !line.starts_with("priority") && !line.starts_with("refcnt");
        found.lines().filter(told).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn as_linux_6_1_prints_it() {
        let text = text();
        assert_eq!(
            paragraph(&text, "aes-generic"),
            "name         : aes\ndriver       : aes-generic\nmodule       : algkit\n\
             selftest     : passed\ninternal     : no\ntype         : cipher\nblocksize    : 16\n\
             min keysize  : 16\nmax keysize  : 32\n"
        );
        assert_eq!(
            paragraph(&text, "chacha20-generic"),
            "name         : chacha20\ndriver       : chacha20-generic\nmodule       : algkit\n\
             selftest     : passed\ninternal     : no\ntype         : skcipher\nasync        : no\n\
             blocksize    : 1\nmin keysize  : 32\nmax keysize  : 32\nivsize       : 16\nchunksize    : 64\n\
             walksize     : 64\n"
        );
        assert_eq!(
            paragraph(&text, "sha256-generic"),
            "name         : sha256\ndriver       : sha256-generic\nmodule       : algkit\n\
             selftest     : passed\ninternal     : no\ntype         : shash\nblocksize    : 64\n\
             digestsize   : 32\n"
        );
        assert_eq!(
            paragraph(&text, "drbg_nopr_hmac_sha512"),
            "name         : stdrng\ndriver       : drbg_nopr_hmac_sha512\nmodule       : algkit\n\
             selftest     : passed\ninternal     : no\ntype         : rng\nseedsize     : 0\n"
        );
        assert!(text.ends_with("\n\n") && !text.contains("\n\n\n"));
    }

    /// Compares the sizes that depend only on the algorithm with a stock kernel's.
    #[test]
    fn sizes_are_the_kernels() {
        let text = text();
        let sizes = |name: &str| -> Vec<String> {
            let line = format!("name         : {name}\n");
            let paragraph = text.split("\n\n").find(|p| p.starts_with(&line)).unwrap_or_else(|| panic!("no {name}"));
            let (_, sizes) = paragraph.split_once("type ").unwrap();
            sizes.lines().filter_map(|l| l.split_once(": ")).map(|(_, value)| value.to_owned()).collect()
        };
        for (name, want) in [
            ("cbc(aes)", "skcipher no 16 16 32 16 16 16"),
            ("ecb(aes)", "skcipher no 16 16 32 0 16 16"),
            ("ctr(aes)", "skcipher no 1 16 32 16 16 16"),
            ("xts(aes)", "skcipher no 16 32 64 16 16 16"),
            ("lrw(aes)", "skcipher no 16 32 48 16 16 16"),
            ("cts(cbc(aes))", "skcipher no 16 16 32 16 16 16"),
            ("essiv(cbc(aes),sha256)", "skcipher no 16 16 32 16 16 16"),
            ("gcm(aes)", "aead no 1 12 16 <none>"),
            ("rfc4106(gcm(aes))", "aead no 1 8 16 <none>"),
            ("rfc4543(gcm(aes))", "aead no 1 8 16 <none>"),
            ("ccm(aes)", "aead no 1 16 16 <none>"),
            ("rfc7539(chacha20,poly1305)", "aead no 1 12 16 <none>"),
            ("authenc(hmac(sha256),cbc(aes))", "aead no 16 16 32 <none>"),
            ("authencesn(hmac(sha256),cbc(aes))", "aead no 16 16 32 <none>"),
            ("essiv(authenc(hmac(sha256),cbc(aes)),sha256)", "aead no 16 16 32 <none>"),
            ("cmac(aes)", "shash 16 16"),
            ("cbcmac(aes)", "shash 1 16"),
            ("ghash", "shash 16 16"),
            ("xxhash64", "shash 32 8"),
            ("crc32c", "shash 1 4"),
            ("poly1305", "shash 16 16"),
            ("blake2b-256", "shash 128 32"),
            ("hmac(sha512)", "shash 128 64"),
            ("md5", "shash 64 16"),
            ("des3_ede", "cipher 8 24 24"),
            ("cbc(twofish)", "skcipher no 16 16 32 16 16 16"),
        ] {
            assert_eq!(sizes(name).join(" "), want, "{name}");
        }
    }
}
