//! Headers that break a rule: each is refused with a line that says which, and nothing is read outside of the device.

mod new;

use algkit_volume::{Error, Header, Limits, Version, luks2::Copies, storage::Memory};
use new::{options, random};
use serde_json::{Value, json};

const SIZE: usize = 16 << 10;

/// Metadata as cryptsetup 2.6.1 writes it, with one key slot, of which nobody knows the passphrase.
fn metadata() -> Value {
    let salt = "cm1HrtELv4mVOgXnO5JZUrcW39vi9FKgpQNCGHPEtt4=";
    json!({
        "keyslots": {"0": {
            "type": "luks2",
            "key_size": 64,
            "af": {"type": "luks1", "stripes": 4000, "hash": "sha256"},
            "area": {
                "type": "raw", "offset": "32768", "size": "258048", "encryption": "aes-xts-plain64", "key_size": 64
            },
            "kdf": {"type": "argon2id", "time": 4, "memory": 64, "cpus": 1, "salt": salt},
        }},
        "tokens": {},
        "segments": {"0": {
            "type": "crypt", "offset": "1048576", "size": "dynamic", "iv_tweak": "0", "encryption": "aes-xts-plain64",
            "sector_size": 512
        }},
        "digests": {"0": {
            "type": "pbkdf2", "keyslots": ["0"], "segments": ["0"], "hash": "sha256", "iterations": 1000, "salt": salt,
            "digest": "KQ6g1fJx2R+IQBY7g4X6a9i+TmlXOmpNmITkW/7fP8E=",
        }},
        "config": {"json_size": "12288", "keyslots_size": "524288"},
    })
}

/// One copy of a header; `second` is where it lies.
fn copy(text: &[u8], sequence: u64, second: bool) -> Vec<u8> {
    let mut copy = vec![0; SIZE];
    copy[..6].copy_from_slice(if second { b"SKUL\xba\xbe" } else { b"LUKS\xba\xbe" });
    copy[7] = 2;
    copy[8..16].copy_from_slice(&(SIZE as u64).to_be_bytes());
    copy[16..24].copy_from_slice(&sequence.to_be_bytes());
    copy[72..78].copy_from_slice(b"sha256");
    copy[256..264].copy_from_slice(&(if second { SIZE as u64 } else { 0 }).to_be_bytes());
    copy[4096..4096 + text.len()].copy_from_slice(text);
    with_checksum(copy)
}

/// The same copy with the right checksum.
fn with_checksum(mut copy: Vec<u8>) -> Vec<u8> {
    copy[448..512].fill(0);
    let sum = algkit::hash("sha256").unwrap().digest(&copy).unwrap();
    copy[448..480].copy_from_slice(&sum);
    copy
}

/// A device of 2 MiB with two copies.
fn device(first: Vec<u8>, second: Vec<u8>) -> Memory {
    let mut device = [first, second].concat();
    device.resize(2 << 20, 0);
    Memory::new(device)
}

fn read(metadata: &Value) -> Result<Header, Error> {
    let text = metadata.to_string();
    Header::read(&device(copy(text.as_bytes(), 1, false), copy(text.as_bytes(), 1, true)))
}

#[test]
fn the_header_itself_is_good() {
    let header = read(&metadata()).unwrap();
    assert!(header.warnings().is_empty());
    let text = metadata().to_string();
    let device = device(copy(text.as_bytes(), 1, false), copy(text.as_bytes(), 1, true));
    let answer = header.unlock(&device, b"a guess", None, &Limits::default());
    assert!(matches!(answer, Err(Error::WrongPassphrase)), "{answer:?}");
}

/// What its fields mean is known of no digest but `pbkdf2`.
#[test]
fn a_digest_of_an_unknown_type_confirms_no_key() {
    let mut metadata = metadata();
    metadata["digests"]["0"]["type"] = json!("other");
    let text = metadata.to_string();
    let device = device(copy(text.as_bytes(), 1, false), copy(text.as_bytes(), 1, true));
    let answer = Header::read(&device).unwrap().unlock(&device, b"a guess", None, &Limits::default());
    assert_eq!(answer.unwrap_err().to_string(), "a digest of the type `other` is not supported");
}

#[test]
fn rules() {
    let second_slot = |offset: &str| {
        let mut slot = metadata()["keyslots"]["0"].clone();
        slot["area"]["offset"] = json!(offset);
        slot
    };
    let mut long = metadata()["segments"]["0"].clone();
    long["size"] = json!((1u64 << 63).to_string());
    let long_segments = json!({"0": long, "1": long});
    for (path, value, reason) in [
        ("/keyslots/0/area/offset", json!("32767"), "not inside 32768 to 557056"),
        ("/keyslots/0/area/offset", json!("18446744073709551615"), "not inside"),
        ("/keyslots/0/area/offset", json!("18446744073709551616"), "not a number of 64 bits"),
        ("/keyslots/0/area/offset", json!("+32768"), "not a number of 64 bits"),
        ("/keyslots/0/area/offset", json!(32768), "invalid type"),
        ("/keyslots/0/area/size", json!("524289"), "not inside"),
        ("/keyslots/0/area/size", json!("4096"), "its key needs 256000"),
        ("/keyslots/0/key_size", json!(0), "a key of 0 bytes"),
        ("/keyslots/0/key_size", json!(u32::MAX), "a key of 4294967295 bytes"),
        ("/keyslots/0/key_size", json!(-1), "invalid number"),
        ("/keyslots/0/area/key_size", json!(100_000), "an area's key of 100000 bytes"),
        ("/keyslots/0/af/stripes", json!(u32::MAX), "4294967295 stripes"),
        ("/keyslots/0/af", json!(null), "its kdf, its af"),
        ("/keyslots/0/priority", json!(3), "priority"),
        ("/keyslots/0/kdf/salt", json!("!"), "JSON"),
        ("/keyslots/1", second_slot("40960"), "the areas of key slots 0 and 1 overlap"),
        ("/keyslots/x", second_slot("290816"), "JSON"),
        ("/segments/0/offset", json!("4096"), "inside the header"),
        ("/segments/0/offset", json!("1048577"), "not a multiple of 512"),
        ("/segments/0/size", json!("18446744073709551104"), "a length of"),
        ("/segments/0/size", json!("0"), "a length of 0"),
        ("/segments/0/size", json!("all"), "neither"),
        ("/segments/0/sector_size", json!(8192), "sectors of 8192 bytes"),
        ("/segments/0/sector_size", json!(0), "sectors of 0 bytes"),
        ("/segments/0/encryption", json!(null), "encryption"),
        ("/digests/0/keyslots", json!(["7"]), "key slot 7 is not there"),
        ("/digests/0/segments", json!(["7"]), "segment 7 is not there"),
        ("/digests/0/keyslots", json!(["00"]), "`00` is no object's number"),
        ("/keyslots/00", second_slot("290816"), "JSON"),
        ("/segments", long_segments, "longer together"),
        ("/digests/0/digest", json!("AA=="), "1 bytes long"),
        ("/digests/0/iterations", json!(null), "iterations is missing"),
        ("/digests/1", metadata()["digests"]["0"].clone(), "key slot 0 has several digests"),
        ("/config/json_size", json!("12289"), "json_size"),
        ("/config/keyslots_size", json!("134221824"), "keyslots_size"),
        ("/config/keyslots_size", json!("1000"), "keyslots_size"),
        ("/config", json!({}), "JSON"),
    ] {
        is_refused(metadata(), path, value, reason);
    }
}

/// Checks that a header with `value` at `path` is refused for a reason that has these words.
fn is_refused(mut changed: Value, path: &str, value: Value, reason: &str) {
    let (parent, name) = path.rsplit_once('/').unwrap();
    changed.pointer_mut(parent).unwrap()[name] = value;
    let error = read(&changed).expect_err(path).to_string();
    assert!(error.starts_with("first LUKS2 header: ") && error.contains(reason), "{path}: {error}");
    assert!(!error.contains('\n'), "{error}");
}

/// A reencryption with a hot zone behind 64 KiB that are done.
fn half_finished() -> Value {
    let crypt = |offset: u64, size: &str, tweak: u64, sector: u32, flag: Option<&str>| {
        let mut segment = json!({
            "type": "crypt", "offset": offset.to_string(), "size": size, "iv_tweak": tweak.to_string(),
            "encryption": "aes-xts-plain64", "sector_size": sector,
        });
        if let Some(flag) = flag {
            segment["flags"] = json!([flag]);
        }
        segment
    };
    let mut json = metadata();
    json["keyslots"]["1"] = json!({
        "type": "reencrypt", "key_size": 1, "mode": "reencrypt", "direction": "forward",
        "area": {"type": "checksum", "offset": "290816", "size": "4096", "hash": "sha256", "sector_size": 4096},
    });
    let start = 1 << 20;
    json["segments"] = json!({
        "0": crypt(start, "65536", 0, 4096, None),
        "1": crypt(start + 65536, "32768", 128, 4096, Some("in-reencryption")),
        "2": crypt(start + 98304, "dynamic", 192, 512, None),
        "3": crypt(start, "dynamic", 0, 512, Some("backup-previous")),
        "4": crypt(start, "dynamic", 0, 4096, Some("backup-final")),
    });
    let mut new = json["digests"]["0"].clone();
    (new["keyslots"], new["segments"]) = (json!([]), json!(["0", "1", "4"]));
    let mut seal = json["digests"]["0"].clone();
    (seal["keyslots"], seal["segments"]) = (json!(["1"]), json!([]));
    json["digests"]["0"]["segments"] = json!(["1", "2", "3"]);
    (json["digests"]["1"], json["digests"]["2"]) = (new, seal);
    json["config"]["requirements"] = json!({"mandatory": ["online-reencrypt-v2"]});
    json
}

#[test]
fn rules_of_reencryption() {
    assert!(read(&half_finished()).unwrap().reencryption().unwrap().1.is_hot());
    let place = "not those of any place";
    for (path, value, reason) in [
        ("/segments/0/size", json!("61440"), place),
        ("/segments/1/size", json!("28672"), place),
        ("/segments/1/size", json!("dynamic"), "the hot zone has no end"),
        ("/segments/1/offset", json!("1048576"), place),
        ("/segments/1/flags", json!([]), place),
        ("/segments/2/iv_tweak", json!("0"), place),
        ("/segments/2/sector_size", json!(4096), place),
        ("/segments/2/encryption", json!("aes-cbc-plain64"), place),
        ("/segments/5", half_finished()["segments"]["2"].clone(), place),
        ("/segments/2/flags", json!(["in-reencryption"]), "another one has the flag in-reencryption"),
        ("/segments/4/flags", json!(["backup-previous"]), "another one has the flag backup-previous"),
        ("/segments/4/flags", json!(["backup-moved-segment"]), "backup-final is missing"),
        ("/segments/4/offset", json!("1052672"), "data is moved"),
        ("/segments/4/integrity", json!({}), "tags"),
        ("/digests/1/segments", json!(["0", "1"]), "neither plain nor encrypted with one key"),
        ("/digests/1/segments", json!(["0", "4"]), place),
        ("/digests/0/segments", json!(["0", "1", "2", "3"]), place),
        ("/keyslots/1/mode", json!("decrypt"), "not those of the mode"),
        ("/keyslots/1/mode", json!("recrypt"), "its mode is `recrypt`"),
        ("/keyslots/1/direction", json!("backward"), place),
        ("/keyslots/1/direction", json!(null), "its direction"),
        ("/keyslots/1/area/type", json!("shift"), "`shift` is not supported"),
        ("/keyslots/1/area/type", json!("datashift-checksum"), "shifted by 0 bytes"),
        ("/keyslots/1/area/type", json!("datashift"), "shifted by 0 bytes"),
        ("/keyslots/1/area/hash", json!(null), "hash or sector_size is missing"),
        ("/keyslots/1/area/sector_size", json!(8192), "checksums of 8192 bytes"),
        ("/keyslots/1/area/sector_size", json!(512), "checksums of 512 bytes, and sectors have 4096"),
        ("/keyslots/1/area/size", json!("1048576"), "not inside"),
        ("/keyslots/1/type", json!("luks2"), "its kdf, its af"),
        ("/config/requirements", json!({}), "the requirement is missing"),
    ] {
        is_refused(half_finished(), path, value, reason);
    }
}

#[test]
fn costs_are_capped_before_any_work() {
    for (path, value) in [
        ("/keyslots/0/kdf/memory", json!(u32::MAX)),
        ("/keyslots/0/kdf/time", json!(u32::MAX)),
        ("/digests/0/iterations", json!(u32::MAX)),
    ] {
        let mut changed = metadata();
        *changed.pointer_mut(path).unwrap() = value;
        let header = read(&changed).unwrap();
        let device = Memory::new(vec![0; 2 << 20]);
        let answer = header.unlock(&device, b"a guess", None, &Limits::default());
        assert!(matches!(answer, Err(Error::Limit { .. })), "{path}: {answer:?}");
    }
}

#[test]
fn segments_outside_of_the_device_do_not_open() {
    use algkit_volume::Key;
    for (path, value) in [("/segments/0/offset", json!("2097152")), ("/segments/0/size", json!("1049088"))] {
        let mut changed = metadata();
        *changed.pointer_mut(path).unwrap() = value;
        let error =
            read(&changed).unwrap().open(Memory::new(vec![0; 2 << 20]), &Key::new((0..64).collect())).unwrap_err();
        assert!(error.to_string().starts_with("device: "), "{path}: {error}");
    }
    // Nobody is asked for a passphrase then.
    let error = read(&metadata()).unwrap().openable(&Memory::new(vec![0; 1 << 20])).unwrap_err();
    assert_eq!(error.to_string(), "device: the data begins at byte 1048576, and the device has 1048576");
}

#[test]
fn a_header_without_segments_is_not_that_of_plain_data() {
    let mut bare = metadata();
    (bare["segments"], bare["digests"]["0"]["segments"]) = (json!({}), json!([]));
    let Header::Luks2(header) = read(&bare).unwrap() else { panic!("version 2") };
    assert!(!header.metadata.is_plain());
}

#[test]
fn requirements_and_integrity_are_named() {
    use algkit_volume::Key;
    let mut required = metadata();
    required["config"]["requirements"] = json!({"mandatory": ["inline-hw-tags"]});
    let mut old = metadata();
    old["config"]["requirements"] = json!({"mandatory": ["online-reencrypt"]});
    let mut integrity = metadata();
    integrity["segments"]["0"]["integrity"] =
        json!({"type": "hmac(sha256)", "journal_encryption": "ctr(aes)", "journal_integrity": "none"});
    for (metadata, named) in
        [(required, "inline-hw-tags"), (old, "cryptsetup repair"), (integrity, "journal_encryption `ctr(aes)`")]
    {
        let header = read(&metadata).unwrap();
        let disk = Memory::new(vec![0; 2 << 20]);
        let error = header.open(&disk, &Key::new((0..64).collect())).unwrap_err();
        assert_eq!(header.openable(&disk).unwrap_err().to_string(), error.to_string());
        assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains(named), "{error}");
    }
}

#[test]
fn the_newer_of_two_good_copies_serves() {
    let text = metadata().to_string();
    let text = text.as_bytes();
    let chosen = |first: Vec<u8>, second: Vec<u8>| match Header::read(&device(first, second)).unwrap() {
        Header::Luks2(header) => (header.binary.sequence, header.copies),
        Header::Luks1(_) => unreachable!("version 2"),
    };
    assert_eq!(chosen(copy(text, 3, false), copy(text, 3, true)), (3, Copies::Both));
    assert!(matches!(chosen(copy(text, 4, false), copy(text, 3, true)), (4, Copies::First(_))));
    assert!(matches!(chosen(copy(text, 3, false), copy(text, 4, true)), (4, Copies::Second(_))));
    assert!(matches!(chosen(vec![0; SIZE], copy(text, 4, true)), (4, Copies::Second(_))));
    assert!(matches!(chosen(copy(text, 4, false), vec![7; SIZE]), (4, Copies::First(_))));
    let mut broken = copy(text, 9, false);
    broken[100] ^= 1;
    let (sequence, copies) = chosen(broken.clone(), copy(text, 4, true));
    assert_eq!((sequence, copies), (4, Copies::Second("its checksum is wrong".to_owned())));
    let error = Header::read(&device(broken, vec![0; SIZE])).unwrap_err();
    assert_eq!(error.to_string(), "first LUKS2 header: its checksum is wrong");
    // A copy that is in another's place.
    let error = Header::read(&device(copy(text, 1, true), copy(text, 1, false))).unwrap_err();
    assert!(matches!(error, Error::NoHeader), "{error}");
    // One that says another place, and one that is longer than the first.
    let mut elsewhere = copy(text, 9, true);
    elsewhere[256..264].copy_from_slice(&(2 * SIZE as u64).to_be_bytes());
    let mut metadata = metadata();
    metadata["config"]["json_size"] = json!((2 * SIZE - 4096).to_string());
    metadata["keyslots"]["0"]["area"]["offset"] = json!((4 * SIZE).to_string());
    let mut longer = copy(metadata.to_string().as_bytes(), 9, true);
    longer.resize(2 * SIZE, 0);
    longer[8..16].copy_from_slice(&(2 * SIZE as u64).to_be_bytes());
    for second in [elsewhere, longer] {
        assert!(matches!(chosen(copy(text, 4, false), with_checksum(second)), (4, Copies::First(_))));
    }
    // Something behind the text.
    let error = read_text(&[text, b"\0x"].concat()).unwrap_err();
    assert!(error.to_string().contains("behind its JSON"), "{error}");
}

fn read_text(text: &[u8]) -> Result<Header, Error> {
    Header::read(&device(copy(text, 1, false), copy(text, 1, true)))
}

#[test]
fn what_is_no_volume() {
    let mut bitlocker = vec![0; 8192];
    bitlocker[3..11].copy_from_slice(b"-FVE-FS-");
    let mut third = vec![0; 8192];
    third[..8].copy_from_slice(b"LUKS\xba\xbe\0\x03");
    for (bytes, said) in [
        (vec![], "no LUKS header"),
        (vec![0; 100], "no LUKS header"),
        (vec![0; 1 << 20], "no LUKS header"),
        (bitlocker, "a BitLocker volume, which is not supported"),
        (third, "LUKS version 3 is not supported"),
        (b"LUKS\xba\xbe\0\x02".to_vec(), "LUKS2 header: it is cut off: the device has 8 bytes"),
        (b"LUKS\xba\xbe\0\x01".to_vec(), "LUKS1 header: it is cut off"),
        ([b"LUKS\xba\xbe\0\x01".to_vec(), vec![0; 1000]].concat(), "LUKS1 header: "),
    ] {
        let error = Header::read(&Memory::new(bytes)).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
}

/// What is written to a plain segment would be on the disk as it is.
#[test]
fn plain_segments_are_those_of_a_reencryption_alone() {
    use algkit_volume::Key;
    let linear = |offset: &str| json!({"type": "linear", "offset": offset, "size": "4096"});
    let (mut beside, mut alone) = (metadata(), metadata());
    beside["segments"]["0"]["size"] = json!("4096");
    beside["segments"]["1"] = linear("1052672");
    (alone["segments"]["0"], alone["digests"]["0"]["segments"]) = (linear("1048576"), json!([]));
    for (metadata, segment) in [(beside, 1), (alone, 0)] {
        let header = read(&metadata).unwrap();
        let disk = Memory::new(vec![0; 2 << 20]);
        for error in
            [header.open(&disk, &Key::new((0..64).collect())).unwrap_err(), header.openable(&disk).unwrap_err()]
        {
            assert!(error.to_string().starts_with(&format!("segment {segment}: it is plain")), "{error}");
        }
    }
}

/// A header has up to 32 key slots, and a passphrase is tried on each of them.
#[test]
fn all_key_slots_together_are_capped() {
    let mut many = metadata();
    many["keyslots"]["0"]["kdf"] =
        json!({"type": "pbkdf2", "hash": "sha256", "iterations": 400, "salt": metadata()["digests"]["0"]["salt"]});
    many["config"]["keyslots_size"] = json!("10485760");
    many["segments"]["0"]["offset"] = json!("16777216");
    for number in 1..32 {
        many["keyslots"][number.to_string()] = many["keyslots"]["0"].clone();
        many["keyslots"][number.to_string()]["area"]["offset"] = json!((32768 + 258_048 * number).to_string());
    }
    many["digests"]["0"]["keyslots"] = (0..32).map(|number| number.to_string()).collect();
    let header = read(&many).unwrap();
    let device = Memory::new(vec![0; 20 << 20]);
    // Each slot takes two blocks for its area's key, and 1000 iterations for the digest.
    let answer = |tries| {
        let limits = Limits { iterations: 1000, tries, ..Limits::default() };
        (header.unlock(&device, b"a guess", None, &limits), header.unlock(&device, b"a guess", Some(31), &limits))
    };
    for (tries, all) in [(57, false), (58, true)] {
        let (every, one) = answer(tries);
        assert_eq!(matches!(every, Err(Error::WrongPassphrase)), all, "{every:?}");
        assert!(all || matches!(every, Err(Error::Limit { .. })), "{every:?}");
        assert!(matches!(one, Err(Error::WrongPassphrase)), "{one:?}");
    }
}

/// LUKS1 has no checksum. A key slot that is written where a header says would overwrite the header, another slot, or data.
#[test]
fn rules_of_luks1() {
    let disk = Memory::new(vec![0; (2 << 20) + 512]);
    Header::format(Version::Luks1, &disk, &options("aes-xts-plain64", 64, 512), b"one", &random()).unwrap();
    let good = disk.into_inner();
    assert!(Header::read(&&good[..]).is_ok());
    let slot = |number: usize, field: usize| 208 + 48 * number + field;
    // The data begins at sector 4096, and slot 0 at sector 8, which has 500 sectors.
    for (changes, reason) in [
        (&[(slot(7, 40), 1)][..], "inside the header"),
        (&[(slot(7, 40), 3597)], "inside the data"),
        (&[(slot(7, 40), 507)], "key slots 0 and 7 overlap"),
        (&[(104, 0), (slot(0, 40), 3600)], "the device has"),
        (&[(slot(7, 44), 3999)], "3999 stripes"),
        (&[(108, 0)], "a key of 0 bytes"),
        (&[(108, 513)], "a key of 513 bytes"),
        (&[(164, 0)], "0 iterations"),
    ] {
        let mut bytes = good.clone();
        for (at, number) in changes {
            bytes[*at..at + 4].copy_from_slice(&u32::to_be_bytes(*number));
        }
        let error = Header::read(&&bytes[..]).expect_err(reason).to_string();
        assert!(error.starts_with("LUKS1 header: ") && error.contains(reason), "{error}");
    }
}
