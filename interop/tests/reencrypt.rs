//! Reencryption of LUKS2: cryptsetup and `algkit volume` finish what the other, or a kill, left unfinished.
//!
//! cryptsetup works on plain files here, without device-mapper: `algkit run` serves its AF_ALG.

mod command;

use command::{
    algkit, interruptible, ours, outcome,
    run::{Via, told, under},
    signal,
    volume::{Place, QUICK},
};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    os::unix::{fs::FileExt, process::ExitStatusExt},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Bytes before the data.
const OFFSET: u64 = 16 << 20;

/// A file with a volume that contains `len` bytes without a pattern, and the bytes.
fn filled(place: &Place, len: usize) -> (String, Vec<u8>) {
    let image = place.image("disk", OFFSET + len as u64);
    ours(&[&["volume", "format", "-q", "--key-file", &place.at("key"), &image][..], &QUICK].concat());
    let plain: Vec<u8> = fs::read(&place.plain).expect("a file").into_iter().cycle().take(len).collect();
    fs::write(place.at("plain"), &plain).expect("a file");
    ours(&["volume", "write", "--key-file", &place.at("key"), "-i", &place.at("plain"), &image]);
    (image, plain)
}

/// What the header says: whether it is under reencryption, and whether a zone was being written.
fn state(image: &str) -> (bool, bool) {
    let text = String::from_utf8(ours(&["volume", "dump", "--json", image])).expect("UTF-8");
    (text.contains("online-reencrypt-v2"), text.contains("in-reencryption"))
}

/// Kills a program after a time. Whether it was still there.
fn killed(mut child: Child, after: Duration) -> bool {
    thread::sleep(after);
    child.kill().expect("a signal");
    // Without a status, a signal ended it.
    child.wait().expect("a program").code().is_none()
}

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a program")
}

/// Zones of 1 MiB, so that many headers are written.
fn theirs(place: &Place, options: &[&str]) -> Command {
    let mut run = under(Via::Preload, "/usr/sbin/cryptsetup");
    run.args(["-q", "reencrypt", "--force-offline-reencrypt", "--key-file", &place.at("key")]).args(options);
    run
}

fn our_command(place: &Place, options: &[&str]) -> Command {
    let mut run = interruptible();
    run.args(["volume", "reencrypt", "-q", "--key-file", &place.at("key")]).args(options);
    run
}

#[track_caller]
fn done(run: &mut Command) {
    let output = run.stdin(Stdio::null()).output().expect("a program");
    assert!(output.status.success(), "{run:?}: {}", told(&output));
}

#[test]
fn cryptsetup_finishes_what_was_begun_here() {
    for resilience in ["checksum", "journal"] {
        for sector in ["512", "4096"] {
            let place = Place::new();
            let (image, plain) = filled(&place, 6 << 20);
            done(
                our_command(&place, &["--init-only", "--sector-size", sector, "--resilience", resilience, &image])
                    .args(QUICK),
            );
            assert_eq!(state(&image), (true, false));
            assert!(place.read(&[&image]) == plain);
            done(&mut theirs(&place, &["--resume-only", &image]));
            assert_eq!(state(&image), (false, false), "{resilience} {sector}");
            assert!(place.read(&[&image]) == plain, "{resilience} {sector}");
        }
    }
}

#[test]
fn what_cryptsetup_begins_is_finished_here() {
    let place = Place::new();
    for (resilience, cipher) in [("checksum", "aes-xts-plain64"), ("journal", "aes-cbc-essiv:sha256")] {
        let (image, plain) = filled(&place, 6 << 20);
        let init = ["--init-only", "--resilience", resilience, "-c", cipher, "-s", "256", &image];
        done(theirs(&place, &init).args(QUICK));
        assert_eq!(state(&image), (true, false));
        assert!(place.read(&[&image]) == plain);
        // Both programs print the same header.
        let dumped = String::from_utf8(ours(&["volume", "dump", &image])).expect("UTF-8");
        assert_eq!(dumped, place.cryptsetup(&["luksDump", &image]));
        done(&mut our_command(&place, &["--resume-only", &image]));
        assert_eq!(state(&image), (false, false));
        assert!(place.read(&[&image]) == plain, "{resilience} {cipher}");
        let test = place.try_cryptsetup(&["open", "--test-passphrase", "--key-file", &place.at("key"), &image]);
        assert!(test.status.success(), "{}", told(&test));
    }
}

/// Plain data with the header before it, for which cryptsetup shifts it; and with the header elsewhere, both ways.
#[test]
fn encryption_and_decryption() {
    let place = Place::new();
    let (key, header) = (place.at("key"), place.at("header"));
    let plain: Vec<u8> = fs::read(&place.plain).expect("a file").into_iter().cycle().take(40 << 20).collect();
    let disk = place.at("plain disk");
    // The last 32 MiB are free for the header.
    fs::write(&disk, [&plain[..], &vec![0; 32 << 20]].concat()).expect("a file");
    let shifted = ["--encrypt", "--type", "luks2", "--reduce-device-size", "32M", "--init-only", &disk];
    done(theirs(&place, &shifted).args(QUICK));
    let same = |args: &[&str]| place.read(args)[..plain.len()] == plain;
    assert!(same(&[&disk]));
    done(&mut our_command(&place, &["--resume-only", &disk]));
    assert!(same(&[&disk]));
    assert_eq!(state(&disk), (false, false));

    fs::write(&disk, [&plain[..], &vec![0; 32 << 20]].concat()).expect("a file");
    let shifted =
        ["volume", "reencrypt", "--encrypt", "--reduce-device-size", "32M", "--init-only", "--key-file", &key, &disk];
    ours(&[&shifted[..], &QUICK].concat());
    assert!(same(&[&disk]));
    done(&mut theirs(&place, &["--resume-only", &disk]));
    assert!(same(&[&disk]));
    assert_eq!(state(&disk), (false, false));

    fs::write(&disk, &plain).expect("a file");
    done(theirs(&place, &["--encrypt", "--type", "luks2", "--header", &header, "--init-only", &disk]).args(QUICK));
    assert!(same(&["--header", &header, &disk]));
    ours(&["volume", "encrypt", "--key-file", &key, "--header", &header, &disk]);
    assert!(fs::read(&disk).expect("a file") != plain && same(&["--header", &header, &disk]));
    done(&mut theirs(&place, &["--decrypt", "--header", &header, &disk]));
    assert!(fs::read(&disk).expect("a file") == plain);

    fs::remove_file(&header).expect("a header");
    ours(&[&["volume", "encrypt", "--init-only", "--key-file", &key, "--header", &header, &disk][..], &QUICK].concat());
    assert!(same(&["--header", &header, &disk]));
    done(&mut theirs(&place, &["--resume-only", "--header", &header, &disk]));
    assert!(fs::read(&disk).expect("a file") != plain && same(&["--header", &header, &disk]));
    ours(&["volume", "reencrypt", "--decrypt", "-q", "--init-only", "--key-file", &key, "--header", &header, &disk]);
    assert!(same(&["--header", &header, &disk]));
    let decrypt = ["volume", "decrypt", "-q", "--key-file", &key, "--header", &header, &disk];
    ours(&decrypt);
    assert!(fs::read(&disk).expect("a file") == plain);
    // As after a loss of power behind the last zone. No passphrase opens the header any more.
    ours(&decrypt);
    assert!(fs::read(&disk).expect("a file") == plain);
}

/// The header goes to a file of its own, and the data to where it was: here alone, begun here and finished by cryptsetup, and the other way round.
#[test]
fn a_decryption_that_moves_the_data() {
    let place = Place::new();
    let (key, header) = (place.at("key"), place.at("header"));
    let decrypt = |options: &[&str], image: &str| {
        let args = ["volume", "reencrypt", "--decrypt", "-q", "--key-file", &key, "--header", &header];
        ours(&[&args[..], options, &[image]].concat());
    };
    let image = || {
        let _ = fs::remove_file(&header);
        filled(&place, 40 << 20)
    };
    let is_plain = |image: &str, plain: &[u8]| fs::read(image).expect("a file")[..plain.len()] == *plain;
    for resilience in ["checksum", "journal"] {
        let (image, plain) = image();
        decrypt(&["--resilience", resilience], &image);
        assert!(is_plain(&image, &plain), "{resilience}");
    }
    let (begun, plain) = image();
    decrypt(&["--init-only"], &begun);
    assert!(place.read(&["--header", &header, &begun]) == plain);
    done(&mut theirs(&place, &["--resume-only", "--header", &header, &begun]));
    assert!(is_plain(&begun, &plain));
    let (begun, plain) = image();
    done(&mut theirs(&place, &["--decrypt", "--init-only", "--header", &header, &begun]));
    assert!(place.read(&["--header", &header, &begun]) == plain);
    decrypt(&[], &begun);
    assert!(is_plain(&begun, &plain));
}

/// The end is cut off between the last header and what is overwritten then: no write goes beyond 4 MiB, as far as data and key slots reach.
#[test]
fn cryptsetup_opens_a_volume_before_the_end_is_done() {
    let place = Place::new();
    let (key, header, disk) = (place.at("key"), place.at("header"), place.at("a disk"));
    let plain = fs::read(&place.plain).expect("a file");
    fs::write(&disk, &plain).expect("a file");
    ours(&[&["volume", "encrypt", "--key-file", &key, "--header", &header, &disk][..], &QUICK].concat());
    for options in [&[][..], &["--decrypt"]] {
        let place_of = ["--header", &header, &disk];
        let mut cut = Command::new("prlimit");
        cut.args(["--fsize=4194304", "--core=0"]).arg(algkit());
        cut.args(["volume", "reencrypt", "-q", "--key-file", &key]).args(options);
        let status = quiet(cut.args(place_of).args(QUICK)).wait().expect("a program");
        assert_eq!(status.signal(), Some(libc::SIGXFSZ), "{options:?}");
        let dumped = place.cryptsetup(&["luksDump", &header]);
        assert!(dumped.contains("algkit-overwrite") && !dumped.contains("reencrypt"), "{dumped}");
        if options.is_empty() {
            place.cryptsetup(&["open", "--test-passphrase", "--key-file", &key, &header]);
            assert!(place.read(&place_of) == plain);
            ours(&[&["volume", "reencrypt", "--resume-only", "--key-file", &key][..], &place_of].concat());
            assert!(!place.cryptsetup(&["luksDump", &header]).contains("algkit-overwrite"));
        }
    }
    assert!(fs::read(&disk).expect("a file") == plain);
    ours(&["volume", "decrypt", "--key-file", &key, "--header", &header, &disk]);
    assert!(!place.cryptsetup(&["luksDump", &header]).contains("algkit-overwrite"));
}

/// One program is killed until it left a zone half written; then the volume is read, and the other one finishes.
fn rescued(resilience: &str, they_begin: bool) {
    let place = Place::new();
    // Long zones, so that a third of the kills come while one is hot.
    let options = ["--hotzone-size", "8M", "--resilience", resilience];
    let start = Instant::now();
    let mut number = 0u64;
    while start.elapsed() < Duration::from_secs(240) {
        let (image, plain) = filled(&place, 48 << 20);
        number += 1;
        let time = Duration::from_millis(20 + number.wrapping_mul(0x9e37_79b9) % 700);
        let mut begin = match they_begin {
            true => theirs(&place, &options),
            false => our_command(&place, &options),
        };
        killed(quiet(begin.arg(&image).args(QUICK)), time);
        let (under_way, hot) = state(&image);
        assert!(place.read(&[&image]) == plain, "{resilience}: killed after {time:?}");
        if !under_way || !hot {
            continue;
        }
        match they_begin {
            true => done(&mut our_command(&place, &["--resume-only", &image])),
            false => {
                // cryptsetup recovers a zone in `repair`.
                let repair = place.try_cryptsetup(&["repair", "--key-file", &place.at("key"), &image]);
                assert!(repair.status.success(), "{}", told(&repair));
                // After the last zone nothing is left to do.
                if state(&image).0 {
                    done(&mut theirs(&place, &["--resume-only", &image]));
                }
            }
        }
        assert_eq!(state(&image), (false, false));
        assert!(place.read(&[&image]) == plain, "{resilience}");
        return;
    }
    panic!("{resilience}: no kill hit a hot zone in four minutes");
}

#[test]
fn a_zone_that_cryptsetup_left_is_recovered_here() {
    rescued("checksum", true);
    rescued("journal", true);
}

#[test]
fn cryptsetup_recovers_a_zone_that_was_left_here() {
    rescued("checksum", false);
    rescued("journal", false);
}

/// The file of a new header has no name until it is complete.
#[test]
fn a_kill_before_the_header_is_complete_leaves_no_file() {
    let place = Place::new();
    let folder = place.folder.path().join("folder");
    fs::create_dir(&folder).expect("a folder");
    let (header, image) = (folder.join("header"), folder.join("image"));
    fs::copy(&place.plain, &image).expect("a file");
    // A key derivation that takes as long as a header may ask for.
    let slow = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "134217728"];
    let mut encrypt = Command::new(algkit());
    encrypt.args(["volume", "encrypt", "--key-file", &place.at("key"), "--header"]).arg(&header).arg(&image).args(slow);
    let mut child = quiet(&mut encrypt);
    let folder_of_its_files = format!("/proc/{}/fd", child.id());
    let has_begun = || {
        let mut open = fs::read_dir(&folder_of_its_files).expect("proc").flatten();
        open.any(|entry| fs::metadata(entry.path()).is_ok_and(|file| file.is_file() && file.len() == (16 << 20) + 4096))
    };
    while !has_begun() {
        assert!(child.try_wait().expect("a program").is_none(), "it has ended before its header has begun");
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("a signal");
    assert!(child.wait().expect("a program").code().is_none());
    let names: Vec<_> = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(names, std::slice::from_ref(&image));
    assert!(fs::read(image).expect("a file") == fs::read(&place.plain).expect("a file"));
}

/// `ALGKIT_KILLS` sets how many kills there are.
#[test]
fn kills_at_random_lose_nothing() {
    let kills = std::env::var("ALGKIT_KILLS").map_or(200, |text| text.parse().expect("a number"));
    let place = Place::new();
    let (image, plain) = filled(&place, 24 << 20);
    let (mut hits, mut hot, mut number) = (0, 0, 0u64);
    // Kills come within this time, in microseconds. It grows until one of them hits a hot zone, which on a slow machine comes late.
    let mut span = 60_000;
    while hits < kills {
        number += 1;
        let resilience = ["checksum", "journal"][number as usize / 7 % 2];
        let mut options = vec!["--hotzone-size", "512K", &image];
        let (under_way, _) = state(&image);
        if under_way {
            options.push("--resume-only");
        } else {
            options.extend(["--resilience", resilience, "--sector-size", ["512", "4096"][number as usize / 3 % 2]]);
            options.extend(QUICK);
        }
        // Times that have nothing to do with the steps.
        let after = Duration::from_micros(number.wrapping_mul(0x9e37_79b9) % span);
        let mut child = quiet(&mut our_command(&place, &options));
        thread::sleep(after);
        child.kill().expect("a signal");
        let status = child.wait().expect("a program");
        // Whatever a kill has left, the command does not fail by itself.
        assert!(status.code().is_none_or(|code| code == 0), "{options:?} after {hits} kills: {status}");
        hits += usize::from(status.code().is_none());
        hot += usize::from(state(&image).1);
        if hot == 0 {
            span += span / 16;
        }
        if number % 8 == 0 {
            assert!(place.read(&[&image]) == plain, "after {hits} kills");
        }
    }
    if state(&image).0 {
        done(&mut our_command(&place, &["--resume-only", &image]));
    }
    assert!(place.read(&[&image]) == plain);
    assert!(hot > 0, "no kill hit a hot zone");
    println!("{hits} kills, {hot} of them in a hot zone");
}

/// Between two of cryptsetup's zones nothing of the image is locked. Who went on with its reencryption then would write the same zones, and who read the
/// data would read keys and places of another time.
#[test]
fn both_programs_do_not_work_at_a_time() {
    let place = Place::new();
    let (image, plain) = filled(&place, 96 << 20);
    let mut child = quiet(theirs(&place, &["--hotzone-size", "1M", &image]).args(QUICK));
    let (mut begun, mut refused) = (false, [0, 0]);
    while refused.contains(&0) && child.try_wait().expect("a program").is_none() {
        // It is stopped meanwhile: else, on a busy machine, it ends before anything of this has run.
        signal(&child, "STOP");
        // cryptsetup writes that it has begun, and takes its lock then. Whoever comes in between keeps it off.
        begun |= state(&image).1;
        if begun {
            let resumed = our_command(&place, &["--resume-only", &image]).output().expect("a program");
            let read = outcome(&["volume", "read", "--key-file", &place.at("key"), "--length", "1M", &image]);
            for (refused, run) in refused.iter_mut().zip([resumed, read]) {
                assert_eq!(run.status.code(), Some(2));
                *refused += usize::from(told(&run).contains("is being reencrypted"));
            }
        }
        signal(&child, "CONT");
    }
    assert!(child.wait().expect("a program").success() && refused.iter().all(|count| *count > 0), "{refused:?}");
    assert_eq!(state(&image), (false, false));
    assert!(place.read(&[&image]) == plain);

    // The other way round, cryptsetup writes that it has begun, and leaves the data of a volume that is open here.
    let mut server = interruptible();
    let options = ["--key-file", &place.at("key"), "--socket", &place.at("socket"), &image];
    server.args(["volume", "serve"]).args(options).stdout(Stdio::piped());
    let mut server = server.spawn().expect("algkit");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let theirs = theirs(&place, &[&image]).args(QUICK).output().expect("a program");
    server.kill().expect("a signal");
    server.wait().expect("a program");
    assert!(!theirs.status.success() && told(&theirs).contains("already running"), "{}", told(&theirs));
    assert_eq!(state(&image), (true, false));
    assert!(place.read(&[&image]) == plain);
}

/// SIGINT and SIGTERM stop between two zones, and the message says how to go on.
#[test]
fn signals_stop_between_zones() {
    let place = Place::new();
    for name in ["INT", "TERM"] {
        let mut stopped = false;
        for millis in [60, 30, 100, 15, 200, 40, 80, 120] {
            let (image, plain) = filled(&place, 96 << 20);
            let mut run = our_command(&place, &["--hotzone-size", "1M", &image]);
            let child = run.args(QUICK).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let child = child.expect("a program");
            thread::sleep(Duration::from_millis(millis));
            signal(&child, name);
            let output = child.wait_with_output().expect("a program");
            assert!(!state(&image).1);
            assert!(place.read(&[&image]) == plain);
            if output.status.code() == Some(1) {
                let said = told(&output);
                assert!(said.contains("--resume-only") && said.lines().count() == 1, "{said}");
                stopped = true;
                break;
            }
        }
        assert!(stopped, "SIG{name} never came while data was rewritten");
    }
}

#[test]
fn what_is_refused() {
    let place = Place::new();
    let (image, plain) = filled(&place, 1 << 20);
    let key = place.at("key");
    fs::write(place.at("second"), "another one").expect("a file");
    ours(&[&["volume", "add-key", "--key-file", &key, &image, &place.at("second")][..], &QUICK].concat());
    let again = |options: &[&str]| {
        let run =
            outcome(&[&["volume", "reencrypt", "-q", "--key-file", &key][..], options, &[&image], &QUICK].concat());
        (run.status.code(), told(&run))
    };
    for (options, reason) in [
        (&[][..], "--other-key-file"),
        (&["--resume-only"], "not under reencryption"),
        (&["--drop-other-keys", "-c", "aes-ctr-plain64"], "stream"),
        (&["--volume-key-file", &key], "--volume-key-file"),
    ] {
        let (status, said) = again(options);
        assert!(status == Some(2) && said.contains(reason) && said.lines().count() == 1, "{options:?}: {said}");
    }
    assert!(place.read(&[&image]) == plain);
    // Both passphrases stay.
    let (status, said) = again(&["--other-key-file", &place.at("second")]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!((place.open_test("key", &[&image]).0, place.open_test("second", &[&image]).0), (Some(0), Some(0)));
    assert!(place.read(&[&image]) == plain);
    // The old requirement, by another length of its name.
    done(our_command(&place, &["--init-only", "--drop-other-keys", &image]).args(QUICK));
    let file = File::options().read(true).write(true).open(&image).expect("a file");
    let mut copy = vec![0; 16 << 10];
    for at in [0, 16 << 10] {
        file.read_exact_at(&mut copy, at).expect("a header");
        let json = String::from_utf8(copy[4096..].to_vec()).expect("UTF-8");
        let json = json.replacen("\"online-reencrypt-v2\"", "\"online-reencrypt\"   ", 1);
        copy[4096..].copy_from_slice(json.as_bytes());
        copy[448..512].fill(0);
        fs::write(place.at("copy"), &copy).expect("a file");
        let sum = command::foreign("coreutils", "sha256sum", &[&place.at("copy")]);
        copy[448..480].copy_from_slice(&command::unhex(std::str::from_utf8(&sum[..64]).expect("digits")));
        file.write_all_at(&copy, at).expect("a header");
    }
    let (status, said) = place.open_test("key", &[&image]);
    assert!(status == Some(2) && said.contains("cryptsetup repair"), "{said}");
}
