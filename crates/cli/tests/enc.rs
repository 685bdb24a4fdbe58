//! Tests `algkit enc`: vectors, round trips, pieces, misuse, and files left behind.

mod common;

use common::{Folder, algkit, fails, hex, ok, pipe, run, text};
use std::{
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::{CommandExt, ExitStatusExt},
    },
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Longer than the pieces in which a message is processed, and not a multiple of a block.
const LONG: usize = (2 << 20) + 4321;

fn bytes(hex_digits: &str) -> Vec<u8> {
    hex::decode(hex_digits).unwrap()
}

/// SP 800-38A, F.5.1 (CTR) and F.2.1 (CBC), which have the same plaintext.
const SP800_38A_KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const SP800_38A_PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                               30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

#[test]
fn published_vectors() {
    let ctr = ["enc", "-c", "ctr(aes)", "-k", SP800_38A_KEY, "--iv", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"];
    let want = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee";
    assert_eq!(ok(&pipe(&ctr, &bytes(SP800_38A_PLAIN))), bytes(want));

    let cbc = ["enc", "-c", "cbc(aes)", "-k", SP800_38A_KEY, "--iv", "000102030405060708090a0b0c0d0e0f"];
    let want = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
                73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7";
    assert_eq!(ok(&pipe(&cbc, &bytes(SP800_38A_PLAIN))), bytes(want));
    assert_eq!(ok(&pipe(&[&cbc[..], &["-d"]].concat(), &bytes(want))), bytes(SP800_38A_PLAIN));

    // The GCM specification (McGrew and Viega), test case 4: associated data and a partial block.
    let folder = Folder::new();
    let assoc = folder.write("assoc", bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
    let gcm = ["enc", "-c", "gcm(aes)", "-k", "feffe9928665731c6d6a8f9467308308", "--iv", "cafebabefacedbaddecaf888"];
    let gcm = [&gcm[..], &["--aad-file", &assoc]].concat();
    let plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let want = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47";
    assert_eq!(ok(&pipe(&gcm, &bytes(plain))), bytes(want));
    assert_eq!(ok(&pipe(&[&gcm[..], &["-d"]].concat(), &bytes(want))), bytes(plain));

    // IEEE 1619, XTS-AES-128 vector 2: data unit number 0x3333333333, 32 bytes.
    let key = "1111111111111111111111111111111122222222222222222222222222222222";
    let xts = ["enc", "-c", "xts(aes)", "-k", key, "--sector-size", "32", "--first-sector", "219902325555"];
    let want = "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0";
    assert_eq!(ok(&pipe(&xts, &[0x44; 32])), bytes(want));

    // RFC 8439, section 2.4.2: the counter is the first word of the IV.
    let key: String = (0..32).map(|i| format!("{i:02x}")).collect();
    let chacha = ["enc", "-c", "chacha20", "-k", &key, "--iv", "01000000000000000000004a00000000"];
    let plain = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                  sunscreen would be it.";
    let want = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b\
                f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8\
                07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736\
                5af90bbf74a35be6b40b8eedf2785e42874d";
    assert_eq!(ok(&pipe(&chacha, plain)), bytes(want));
}

/// Names with their key and IV lengths in bytes, and whether they accept texts of any length.
const MODES: &[(&str, usize, usize, bool)] = &[
    ("ecb(aes)", 16, 0, false),
    ("cbc(aes)", 32, 16, false),
    ("pcbc(aes)", 16, 16, false),
    ("lrw(aes)", 32, 16, false),
    ("ctr(aes)", 24, 16, true),
    ("rfc3686(ctr(aes))", 20, 8, true),
    ("essiv(cbc(aes),sha256)", 16, 16, false),
    ("cts(cbc(aes))", 16, 16, true),
    ("chacha20", 32, 16, true),
    ("xchacha20", 32, 32, true),
    ("xchacha12", 32, 32, true),
];

/// Encrypts the whole message with one library call.
fn whole(name: &str, key: &str, iv: &str, plain: &[u8]) -> Vec<u8> {
    let cipher = algkit::skcipher(name).unwrap().key(&bytes(key)).unwrap();
    let mut text = plain.to_vec();
    cipher.encrypt(&mut bytes(iv), &mut text[..]).unwrap();
    text
}

#[test]
fn pieces_make_the_same_text_as_the_whole() {
    for &(name, key, iv, any) in MODES {
        let (key, mut iv) = (hex(key), hex(iv));
        if name.contains("chacha") {
            // The counter wraps inside the message. In XChaCha's IV it follows the nonce.
            let at = if name == "chacha20" { 0 } else { 48 };
            iv.replace_range(at..at + 8, "f0ffffff");
        }
        let block = if any { 1 } else { 16 };
        for len in [0, 16, 160, 1 << 20, (1 << 20) + 16, (1 << 20) + 64, (1 << 20) + 80, LONG] {
            let len = len / block * block;
            if name.starts_with("cts") && len == 0 {
                continue;
            }
            let plain = text(len);
            let want = whole(name, &key, &iv, &plain);
            let mut args = vec!["enc", "-c", name, "-k", &key];
            if !iv.is_empty() {
                args.extend(["--iv", &iv]);
            }
            let sealed = pipe(&args, &plain);
            assert!(ok(&sealed) == want, "{name}, {len} bytes");
            args.push("-d");
            assert!(ok(&pipe(&args, &want)) == plain, "{name}, {len} bytes, decrypted");
        }
    }
}

#[test]
fn sector_numbers_do_not_begin_again() {
    let key = hex(64);
    let last = u64::MAX.to_string();
    let enc = ["enc", "-c", "xts(aes)", "-k", &key, "--sector-size", "512", "--first-sector", &last];
    assert_eq!(ok(&pipe(&enc, &text(512))).len(), 512);
    assert!(fails(&pipe(&enc, &text(1024)), 2).contains("--first-sector: 18446744073709551615 leaves no"));
    // The last number is that of the last sector which is encrypted at a time.
    let first = (u64::MAX - 2047).to_string();
    let enc = [&enc[..7], &["--first-sector", &first]].concat();
    assert_eq!(ok(&pipe(&enc, &text(1 << 20))).len(), 1 << 20);
    assert!(fails(&pipe(&enc, &text((1 << 20) + 512)), 2).contains("leaves no"));
}

#[test]
fn sectors_are_messages() {
    let key = hex(64);
    let plain = text(3 * 4096);
    let enc = ["enc", "-c", "xts(aes)", "-k", &key, "--sector-size", "4096", "--first-sector", "258"];
    let sealed = pipe(&enc, &plain);
    let want: Vec<u8> = (0..3u8)
        .flat_map(|i| {
            let iv = format!("{:02x}01{}", 2 + i, "00".repeat(14));
            whole("xts(aes)", &key, &iv, &plain[usize::from(i) * 4096..][..4096])
        })
        .collect();
    assert!(ok(&sealed) == want);
    assert!(ok(&pipe(&[&enc[..], &["-d"]].concat(), &want)) == plain);

    let long = text(5 << 20);
    let sealed = pipe(&["enc", "-c", "cbc(aes)", "-k", &hex(16), "--sector-size", "1536"], &long[..1536 * 2000]);
    let opened = pipe(&["enc", "-d", "-c", "cbc(aes)", "-k", &hex(16), "--sector-size", "1536"], ok(&sealed));
    assert!(ok(&opened) == &long[..1536 * 2000]);
}

#[test]
fn aead_through_files() {
    let folder = Folder::new();
    let key = folder.write("key", text(32));
    let assoc = folder.write("assoc", "header");
    for (name, iv) in [("gcm(aes)", 12), ("ccm(aes)", 16), ("rfc7539(chacha20,poly1305)", 12)] {
        for len in [0, 1, LONG] {
            let plain = text(len);
            let input = folder.write("plain", &plain);
            // The first byte of CCM's IV is the size of the length field minus 1.
            let iv = format!("03{}", hex(iv - 1));
            let common = ["-c", name, "--key-file", &key, "--iv", &iv, "--aad-file", &assoc];
            let (sealed, opened) = (folder.arg("sealed"), folder.arg("opened"));
            assert_eq!(ok(&run(&[&["enc"], &common[..], &["-i", &input, "-o", &sealed]].concat())), b"");
            assert_eq!(folder.read("sealed").len(), len + 16);
            assert_eq!(ok(&run(&[&["enc", "-d"], &common[..], &["-i", &sealed, "-o", &opened]].concat())), b"");
            assert!(folder.read("opened") == plain, "{name} {len}");
        }
    }
}

#[test]
fn authenc_keys_of_both_kinds() {
    let name = "authenc(hmac(sha256),cbc(aes))";
    let (auth, enc, iv) = (hex(32), hex(16), hex(16));
    let plain = text(64);
    let two = pipe(&["enc", "-c", name, "-k", &enc, "--auth-key", &auth, "--iv", &iv], &plain);
    let folder = Folder::new();
    let blob = folder.write("key", &algkit::authenc_key(&bytes(&auth), &bytes(&enc))[..]);
    let one = pipe(&["enc", "-d", "-c", name, "--key-file", &blob, "--iv", &iv], ok(&two));
    assert!(ok(&one) == plain);
}

/// RFC 3394, section 4.1. The first word of the wrapped key is the IV.
#[test]
fn a_wrapped_key_is_unwrapped() {
    let kw = ["enc", "-d", "-c", "kw(aes)", "-k", "000102030405060708090a0b0c0d0e0f", "--iv", "1fa68b0a8112b447"];
    let wrapped = bytes("aef34bd8fb5a7b829d3e862371d2cfe5");
    assert_eq!(ok(&pipe(&kw, &wrapped)), bytes("00112233445566778899aabbccddeeff"));
    assert_eq!(fails(&pipe(&kw, &[&wrapped[..15], &[0]].concat()), 1), "algkit: authentication failed\n");
}

#[test]
fn a_changed_bit_is_answered_by_no() {
    let folder = Folder::new();
    let plain = text(100_000);
    let enc = ["enc", "-c", "gcm(aes)", "-k", &hex(16), "--iv", &hex(12)];
    let sealed = ok(&pipe(&enc, &plain)).to_vec();
    for at in [0, 50_000, 99_999, 100_000, 100_015] {
        let mut changed = sealed.clone();
        changed[at] ^= 0x10;
        let to_pipe = pipe(&[&enc[..], &["-d"]].concat(), &changed);
        assert_eq!(fails(&to_pipe, 1), "algkit: authentication failed\n");
        assert!(to_pipe.stdout.is_empty());
        let to_file = pipe(&[&enc[..], &["-d", "-o", &folder.arg("out")]].concat(), &changed);
        fails(&to_file, 1);
        assert!(folder.names().is_empty());
    }
    // The existing file is not changed.
    let out = folder.write("out", "old");
    fails(&pipe(&[&enc[..], &["-d", "-o", &out]].concat(), &sealed[1..]), 1);
    assert_eq!(folder.read("out"), b"old");
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn shorter_tags() {
    let enc = ["enc", "-c", "gcm(aes)", "-k", &hex(16), "--iv", &hex(12), "--tag-len", "12"];
    let sealed = pipe(&enc, b"text");
    assert_eq!(ok(&sealed).len(), 4 + 12);
    assert_eq!(ok(&pipe(&[&enc[..], &["-d"]].concat(), ok(&sealed))), b"text");
    assert!(fails(&pipe(&[&enc[..], &["-d"]].concat(), b"short"), 2).contains("input of 5 bytes"));
}

#[test]
fn misuse_is_told_in_one_line() {
    let folder = Folder::new();
    let input = folder.write("in", text(100));
    let long_key = folder.write("long", vec![0; 70_000]);
    let (k16, k32, iv) = (hex(16), hex(32), hex(16));
    let (missing, unwritable) = (folder.arg("missing"), folder.arg("no/such/folder"));
    let here = folder.0.path().to_str().unwrap().to_owned();
    let before = folder.names();
    let cases: &[(&[&str], &str)] = &[
        (&["-c", "ctr(aes)", "-k", "0011", "--iv", &iv], "key of 2 bytes, expected 16, 24 or 32"),
        (&["-c", "ctr(aes)", "-k", "001", "--iv", &iv], "--key: an odd number of hex digits (3)"),
        (&["-c", "ctr(aes)", "-k", "00x1", "--iv", &iv], "--key: character 3 is not a hex digit"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", "zz"], "--iv: character 1 is not a hex digit"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", "00"], "IV of 1 byte, expected 16"),
        (&["-c", "ctr(aes)", "-k", &k16], "--iv is missing, expected 16 bytes"),
        (&["-c", "ecb(aes)", "-k", &k16, "--iv", &iv], "IV of 16 bytes, expected 0"),
        (&["-c", "ctr(aes)", "--iv", &iv], "ctr(aes) needs a key"),
        (&["-c", "ctr(aes)", "-k", &k16, "--key-file", &input, "--iv", &iv], "cannot be used with"),
        (&["-c", "ctr(aes)", "--key-file", &missing, "--iv", &iv], "missing`: No such file"),
        (&["-c", "ctr(aes)", "--key-file", &input, "--iv", &iv], "key of 100 bytes"),
        (&["-c", "ctr(aes)", "--key-file", &long_key, "--iv", &iv], "is longer than 65536 bytes"),
        (&["-c", "nosuch(aes)", "-k", &k16, "--iv", &iv], "unknown algorithm `nosuch(aes)`"),
        (&["-c", "ctr(", "-k", &k16, "--iv", &iv], "bad algorithm name `ctr(`"),
        (
            &["-c", "sha256", "-k", &k16],
            "`sha256` is of type hash; expected skcipher or aead; it digests: algkit dgst -c 'sha256'",
        ),
        (&["-c", "stdrng", "-k", &k16], "`stdrng` is of type rng; expected skcipher or aead"),
        (
            &["-c", "aes", "-k", &k16],
            "`aes` is of type cipher; expected skcipher or aead; a block cipher takes a mode, such as 'ctr(aes)'",
        ),
        (&["-c", "cbc(aes)", "-k", &k16, "--iv", &iv], "text of 100 bytes, expected a multiple of 16"),
        (&["-c", "xts(aes)", "-k", &"11".repeat(32), "--iv", &iv], "the two halves of the key are equal"),
        (&["-c", "xts(aes)", "-k", &k32, "--iv", &iv, "-i", "/dev/null"], "text of 0 bytes, expected 16 to"),
        (&["-c", "xts(aes)", "-k", &k32, "--iv", &iv, "-i", "/dev/zero"], "--sector-size N"),
        (&["-c", "xctr(aes)", "-k", &k16, "--iv", &iv, "-i", "/dev/zero"], "more than 16777216 bytes"),
        (&["-c", "cts(cbc(aes))", "-k", &k16, "--iv", &iv, "-i", "/dev/null"], "text of 0 bytes, expected at least 16"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "512"], "input of 100 bytes is not a multiple of"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "8"], "text of 8 bytes"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "0"], "--sector-size <N>': expected at least 1"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "17M"], "--sector-size: 17825792 is not a size from 1 to"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "1X"], "such as 4096, 16K, 1M or 1G"),
        (&["-c", "gcm(aes)", "-k", &k32, "--stream=2G"], "--stream: 2147483648 is not a size from 1 to 1073741824"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "-1"], "-1"),
        (&["-c", "xts(aes)", "-k", &k32, "--sector-size", "16", "--iv", &iv], "cannot be used with"),
        (&["-c", "xts(aes)", "-k", &k32, "--first-sector", "1", "--iv", &iv], "cannot be used with"),
        (&["-c", "ecb(aes)", "-k", &k16, "--first-sector", "1"], "--sector-size"),
        (&["-c", "kw(aes)", "-k", &k16, "--iv", &hex(8)], "kw(aes) returns a part of its result in the IV"),
        (&["-c", "gcm(aes)", "-k", &k16, "--sector-size", "512"], "--sector-size: `gcm(aes)` is an aead"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "--tag-len", "16"], "--tag-len: `ctr(aes)` is not an aead"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "--aad-file", &input], "--aad-file: `ctr(aes)`"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "--auth-key", &k16], "--auth-key: `ctr(aes)` has one key"),
        (&["-c", "gcm(aes)", "-k", &k16, "--iv", &hex(12), "--tag-len", "17"], "tag of 17 bytes"),
        (&["-c", "gcm(aes)", "-k", &k16, "--iv", &hex(12), "--tag-len", "18446744073709551615"], "tag of"),
        (&["-c", "gcm(aes)", "-k", &k16, "--iv", &hex(12), "--aad-file", &missing], "missing`: No such file"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-i", &missing], "missing`: No such file"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-i", &here], "s a directory"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-o", &unwritable], "folder`: No such file"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-o", &here], "s a directory"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-o", "/dev/full"], "No space left"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "-o", &input], "it is the input"),
        (&["-c", "ctr(aes)", "-k", &k16, "--iv", &iv, "--nosuch"], "'--nosuch'"),
        (&["-k", &k16], "--cipher <NAME>"),
    ];
    for (args, want) in cases {
        // Writes to a file by default, so that a file left behind is noticed.
        let mut all = [&["enc"], *args].concat();
        let out = folder.arg("out");
        if !args.contains(&"-o") {
            all.extend(["-o", &out]);
        }
        if !args.contains(&"-i") {
            all.extend(["-i", &input]);
        }
        let output = run(&all);
        assert!(!output.status.success(), "{args:?}");
        let error = fails(&output, 2);
        assert!(error.contains(want), "{args:?}: {error}");
        assert!(output.stdout.is_empty());
        assert_eq!(folder.names(), before, "{args:?}");
        assert_eq!(folder.read("in"), text(100), "{args:?}");
    }
    // Of a text in pieces, the length of the whole is told.
    let long = pipe(&["enc", "-c", "cbc(aes)", "-k", &k16, "--iv", &iv], &text((1 << 20) + 5000));
    assert!(String::from_utf8_lossy(&long.stderr).contains("text of 1053576 bytes"), "{long:?}");
    // As long as a message may be.
    let longest = pipe(&["enc", "-c", "xts(aes)", "-k", &k32, "--iv", &iv], &text(16 << 20));
    assert_eq!(ok(&longest).len(), 16 << 20);
}

/// One word in the wrong place would destroy the key, and with it all that was ever encrypted under it.
#[test]
fn the_key_is_not_overwritten() {
    let folder = Folder::new();
    let (input, key, assoc) =
        (folder.write("in", text(100)), folder.write("key", text(32)), folder.write("aad", "header"));
    fs::hard_link(&key, folder.path("another name")).unwrap();
    let before = folder.names();
    let args = ["enc", "-c", "gcm(aes)", "--key-file", &key, "--aad-file", &assoc, "-i", &input];
    for (name, what) in [("key", "the key file"), ("another name", "the key file"), ("aad", "the associated data")] {
        for stream in [&[][..], &["--stream"]] {
            let error = fails(&run(&[&args[..], stream, &["-o", &folder.arg(name)]].concat()), 2);
            assert!(error.starts_with("algkit: --output: `") && error.contains(what), "{error}");
        }
        let appended = fs::File::options().append(true).open(folder.path(name)).unwrap();
        assert!(fails(&algkit().args(args).stdout(appended).output().unwrap(), 2).contains(what));
    }
    assert_eq!((folder.read("key"), folder.read("aad"), folder.names()), (text(32), b"header".to_vec(), before));
}

#[test]
fn keys_are_not_repeated_in_messages() {
    for key in ["00112233445566778899aabbccddeeffx", "00112233445566778899aabbccddeeff0", "00112233445566778899aabb"] {
        let error = fails(&run(&["enc", "-c", "ctr(aes)", "-k", key, "--iv", &hex(16)]), 2);
        assert!(!error.contains("00112233"), "{error}");
    }
}

#[test]
fn permissions_stay_and_links_are_followed() {
    let folder = Folder::new();
    let out = folder.write("out", "old");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&out, folder.path("link")).unwrap();
    let link = folder.arg("link");
    ok(&pipe(&["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-o", &link], b"new"));
    assert_eq!(folder.read("out").len(), 3);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(folder.names(), ["link", "out"]);
}

/// Only root can make a file of a group that an ordinary user is not in.
#[test]
fn another_group_may_do_no_more_than_everybody() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = Folder::new();
    let (program, out) = (folder.arg("program"), folder.write("out", "old"));
    assert!(Command::new("cp").args([env!("CARGO_BIN_EXE_algkit"), &program]).status().unwrap().success());
    std::os::unix::fs::chown(&out, Some(NOBODY), Some(0)).unwrap();
    std::os::unix::fs::chown(folder.0.path(), Some(NOBODY), None).unwrap();
    for (before, after) in [(0o660, 0o600), (0o664, 0o644)] {
        std::os::unix::fs::chown(&out, None, Some(0)).unwrap();
        fs::set_permissions(&out, fs::Permissions::from_mode(before)).unwrap();
        let mut command = Command::new(&program);
        command.args(["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-i", "/dev/null", "-o", &out]);
        ok(&command.uid(NOBODY).gid(NOBODY).output().unwrap());
        let there = fs::metadata(&out).unwrap();
        assert_eq!((there.gid(), there.mode() & 0o777), (NOBODY, after));
    }
}

/// A link to nothing is told of before anything is encrypted.
#[test]
fn a_link_to_what_is_not_there_is_refused_at_once() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("nothing", folder.path("link")).unwrap();
    let enc = ["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-o", &folder.arg("link")];
    let line = fails(&pipe(&enc, b"text"), 2);
    assert!(line.contains("a link to what is not there"), "{line}");
    assert_eq!(folder.names(), ["link"]);
}

#[test]
fn decrypted_text_is_its_owners_alone() {
    let folder = Folder::new();
    let (key, input, out) = (hex(16), folder.write("in", "text"), folder.arg("out"));
    let ctr = ["enc", "-c", "ctr(aes)", "-k", &key, "--iv", &key, "-i", &input, "-o", &out];
    let mode = || fs::metadata(&out).unwrap().permissions().mode() & 0o777;
    ok(&run(&[&ctr[..], &["-d"]].concat()));
    assert_eq!(mode(), 0o600);
    // Whoever has let others read the file goes on doing so.
    fs::set_permissions(&out, fs::Permissions::from_mode(0o644)).unwrap();
    ok(&run(&[&ctr[..], &["-d"]].concat()));
    assert_eq!(mode(), 0o644);
}

#[test]
fn dashes_are_the_standard_streams() {
    let ctr = ["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-i", "-", "-o", "-"];
    assert_eq!(ok(&pipe(&ctr, b"text")).len(), 4);
}

/// It would be written over while it is read. If it were opened to append, it would not end.
#[test]
fn standard_output_is_not_the_input() {
    let folder = Folder::new();
    let file = folder.write("file", text(LONG));
    let output = fs::File::options().write(true).open(&file).unwrap();
    let ctr = ["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-i", &file];
    let refused = algkit().args(ctr).stdout(output).output().unwrap();
    assert!(fails(&refused, 2).contains("standard output`: it is the input"));
    assert!(folder.read("file") == text(LONG));
}

/// Reads the first bytes of the output and leaves, which ends the command quietly.
fn first_bytes(args: &[&str]) -> [u8; 1000] {
    let mut child = algkit().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 1000];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.signal(), &output.stderr[..]), (Some(signals::PIPE), &b""[..]));
    start
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    first_bytes(&["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-i", "/dev/zero"]);
}

/// The forged chunk is not the reader's any more. But the status must not say that all chunks are authentic.
#[test]
fn a_reader_that_leaves_a_forged_stream_gets_no_success() {
    let folder = Folder::new();
    let enc = ["enc", "-c", "gcm(aes)", "-k", &hex(16), "--stream=4096"];
    // Longer than a pipe holds, so that the forged chunk is not reached before the reader has left.
    let mut sealed = ok(&pipe(&enc, &text(1 << 20))).to_vec();
    *sealed.last_mut().unwrap() ^= 1;
    let forged = folder.write("forged", sealed);
    let start = first_bytes(&[&enc[..], &["-d", "-i", &forged]].concat());
    assert_eq!(start[..], text(1 << 20)[..1000]);
}

#[test]
fn a_signal_leaves_nothing_behind() {
    for signal in [signals::INT, signals::TERM] {
        let folder = Folder::new();
        // The tests may run with signals ignored, as shells do for background processes, and child processes
        // inherit that.
        let mut child = std::process::Command::new("env")
            .args(["--default-signal", env!("CARGO_BIN_EXE_algkit")])
            .args(["enc", "-c", "ctr(aes)", "-k", &hex(16), "--iv", &hex(16), "-o", &folder.arg("out")])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // After this much input, some output has been written.
        stdin.write_all(&text(4 << 20)).unwrap();
        thread::sleep(Duration::from_millis(50));
        signals::send(child.id(), signal);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal), "{status}");
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

/// Sends signals with kill(1), which needs no unsafe code.
mod signals {
    pub const INT: i32 = 2;
    pub const PIPE: i32 = 13;
    pub const TERM: i32 = 15;

    pub fn send(pid: u32, signal: i32) {
        let sent = std::process::Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

#[test]
fn memory_stays_small() {
    let mut child = algkit()
        .args(["enc", "-c", "cbc(aes)", "-k", &hex(16), "--iv", &hex(16), "-o", "/dev/null"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let piece = text(1 << 20);
    for _ in 0..200 {
        stdin.write_all(&piece).unwrap();
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(peak < 32 << 10, "{peak} kB");
}

/// Checks for this exit status and a message that contains `why`.
#[track_caller]
fn refused(output: &std::process::Output, status: i32, why: &str) {
    let message = fails(output, status);
    assert!(message.contains(why), "{message}");
}

/// Without `--iv`, the output begins with a nonce, which differs from run to run.
#[test]
fn an_aead_without_an_iv_makes_its_own() {
    let folder = Folder::new();
    let text = b"attack at dawn";
    for (name, key) in [("gcm(aes)", hex(16)), ("rfc7539(chacha20,poly1305)", hex(32))] {
        let enc = ["enc", "-c", name, "-k", &key];
        let (one, other) = (ok(&pipe(&enc, text)).to_vec(), ok(&pipe(&enc, text)).to_vec());
        assert_eq!(one.len(), 12 + text.len() + 16);
        assert_ne!(one[..12], other[..12], "{name}: the nonce is another one");
        assert_eq!(ok(&pipe(&[&enc[..], &["-d"]].concat(), &one)), text);
        // The same ciphertext decrypts with the nonce given explicitly.
        let nonce: String = one[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(ok(&pipe(&[&enc[..], &["-d", "--iv", &nonce]].concat(), &one[12..])), text);
        let mut wrong = one.clone();
        wrong[3] ^= 1;
        refused(&pipe(&[&enc[..], &["-d"]].concat(), &wrong), 1, "authentic");
        refused(&pipe(&[&enc[..], &["-d"]].concat(), &one[..27]), 2, "27 bytes");
    }
    let ccm = ["enc", "-c", "ccm(aes)", "-k", &hex(16), "-o", &folder.arg("out")];
    refused(&pipe(&ccm, text), 2, "--iv is missing, expected 16 bytes");
}

/// GCM accepts IVs of any length: the GCM specification (McGrew and Viega), test case 5, has 8 bytes.
#[test]
fn gcm_with_an_iv_of_another_length() {
    let folder = Folder::new();
    let assoc = folder.write("assoc", bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
    let gcm = ["enc", "-c", "gcm(aes)", "-k", "feffe9928665731c6d6a8f9467308308", "--iv", "cafebabefacedbad"];
    let gcm = [&gcm[..], &["--aad-file", &assoc]].concat();
    let plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let want = "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
                73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f45983612d2e79e3b0785561be14aaca2fccb";
    assert_eq!(ok(&pipe(&gcm, &bytes(plain))), bytes(want));
}

#[test]
fn a_stream_is_sealed_and_opened_in_chunks() {
    let folder = Folder::new();
    let enc = ["enc", "-c", "gcm(aes)", "-k", &hex(16)];
    // Texts that end before, at and after chunk boundaries; chunks of one byte, of 4096 and of the default size.
    for (option, size) in [("--stream=1", 1usize), ("--stream=4K", 4096), ("--stream", 65536)] {
        for len in [0, 1, size - 1, size, size + 1, 2 * size, 2 * size + 5] {
            let text: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let sealed = ok(&pipe(&[&enc[..], &[option]].concat(), &text)).to_vec();
            assert_eq!(sealed.len(), 7 + len + 16 * len.div_ceil(size).max(1), "{option}, {len} bytes");
            assert_eq!(ok(&pipe(&[&enc[..], &["-d", option]].concat(), &sealed)), text, "{option}, {len} bytes");
        }
    }
    // A text cut at a chunk boundary or in a tag, swapped chunks, a changed byte, and another chunk size: no output file
    // appears.
    let text = vec![7; 3 * 4096];
    let sealed = ok(&pipe(&[&enc[..], &["--stream=4096"]].concat(), &text)).to_vec();
    let (frame, whole) = (4096 + 16, sealed.len());
    let mut exchanged = sealed.clone();
    exchanged[7..7 + 2 * frame].rotate_left(frame);
    let mut changed = sealed.clone();
    changed[whole - 1] ^= 1;
    let (cut, cut_in_a_tag) = (&sealed[..7 + 2 * frame], &sealed[..7 + 2 * frame + 3]);
    for (what, broken) in
        [("cut short", cut), ("cut in a tag", cut_in_a_tag), ("exchanged", &exchanged), ("changed", &changed)]
    {
        let out = folder.arg(what);
        refused(&pipe(&[&enc[..], &["-d", "--stream=4096", "-o", &out]].concat(), broken), 1, "authentic");
        assert!(!fs::exists(&out).unwrap(), "{what}: a file is there");
    }
    refused(&pipe(&[&enc[..], &["-d", "--stream=8192"]].concat(), &sealed), 1, "authentic");
    refused(&pipe(&[&enc[..], &["-d", "--stream"]].concat(), &sealed[..20]), 2, "20 bytes");
    refused(&pipe(&["enc", "-c", "ccm(aes)", "-k", &hex(16), "--stream"], b""), 2, "STREAM");
    refused(&pipe(&["enc", "-c", "ctr(aes)", "-k", &hex(16), "--stream"], b""), 2, "--stream");
}
