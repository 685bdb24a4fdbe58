//! Drivers that use a host's kernel. `algkit run --via seccomp` plays the kernel for another `algkit`.

mod command;

use command::{
    algkit, foreign, ours,
    run::{Via, sample, stdout, under},
    same, scratch, text,
};
use std::{fs, path::Path, process::Command};

/// `algkit run --via seccomp --stats=STATS -- env ALGKIT_HOST=… algkit`, to which arguments can be added.
fn with_host(host: &str, stats: &Path) -> Command {
    let mut command = Command::new(algkit());
    command.args(["run", "--via", "seccomp", &format!("--stats={}", stats.display()), "--", "env"]);
    command.arg(format!("ALGKIT_HOST={host}")).arg(algkit());
    command
}

/// The number of requests for `algorithm` that the side of the kernel has answered.
fn requests(stats: &Path, algorithm: &str) -> u64 {
    let stats = fs::read_to_string(stats).expect("what was served");
    // algkit: PROGRAM[PID]: TYPE ALGORITHM DRIVER …
    let of_it = stats.lines().filter(|line| line.split_whitespace().nth(3) == Some(algorithm));
    let number = |line: &str| -> u64 {
        let words: Vec<_> = line.split_whitespace().collect();
        words.windows(2).find(|pair| pair[1] == "requests").and_then(|pair| pair[0].parse().ok()).expect("a number")
    };
    of_it.map(number).sum()
}

#[test]
fn cryptodev_drivers_pass_the_long_self_test() {
    let folder = scratch();
    let stats = folder.path().join("stats");
    let list = stdout(with_host("cryptodev", &stats).arg("list"));
    let list = String::from_utf8(list).expect("text");
    let drivers: Vec<_> = list.split_whitespace().filter(|word| word.starts_with("cryptodev:")).collect();
    assert!(drivers.len() >= 18, "{drivers:?}");
    let said = stdout(with_host("cryptodev", &stats).args(["test", "--long"]).args(&drivers));
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains(&format!("{0} passed, 0 failed", drivers.len())), "{said}");
    // If the kernel refuses a request, the driver's fallback serves it, which would prove nothing.
    for algorithm in ["cbc(aes)", "ctr(aes)", "ecb(aes)", "xts(aes)", "sha256", "sha512", "md5", "hmac(sha1)"] {
        assert!(requests(&stats, algorithm) >= 500, "{algorithm}: {}", requests(&stats, algorithm));
    }
}

#[test]
fn a_driver_that_was_chosen_serves_the_plain_name() {
    let folder = scratch();
    let stats = folder.path().join("stats");
    let at = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let data = sample(folder.path(), 3_000_000);
    let key = "000102030405060708090a0b0c0d0e0f";
    let encrypt = |host: &str| {
        let mut enc = with_host(host, &stats);
        enc.args(["enc", "-c", "cbc(aes)", "-k", key, "--iv", key, "-i", text(&data), "-o", &at("ours")]);
        stdout(&mut enc);
        same(Path::new(&at("ours")), Path::new(&at("openssl")));
        requests(&stats, "cbc(aes)")
    };
    let args = ["enc", "-aes-128-cbc", "-nopad", "-K", key, "-iv", key, "-in", text(&data), "-out", &at("openssl")];
    foreign("openssl", "openssl", &args);
    // By its own name only. In the second case there is one request for every 64 KiB, and some before the first text.
    assert_eq!(encrypt("afalg:cbc(aes)"), 0);
    assert!(encrypt("afalg:cbc(aes)!") >= 46);
    // By the name of a driver, with other drivers registered as well.
    let engine = String::from_utf8(ours(&["list", "cbc(aes)", "--json"])).expect("text");
    let engine = engine.split("\"driver\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a driver");
    assert!(encrypt(&format!("afalg:{engine}!,afalg")) >= 46);
    let list = stdout(with_host(&format!("afalg:{engine}!,afalg,cryptodev"), &stats).args(["list", "cbc(aes)"]));
    let list = String::from_utf8(list).expect("text");
    let chosen = list.split("\n\n").find(|block| block.contains("chosen") && block.contains(": yes")).expect("one");
    assert!(chosen.contains(&format!("afalg:{engine}")) && chosen.contains("table"), "{chosen}");
    let nothing = with_host("afalg:xctr(aes-nosuch)!", &stats).arg("list").output().expect("algkit");
    assert_eq!(nothing.status.code(), Some(2));
    // Without ALGKIT_HOST, the host's drivers are not listed.
    assert!(!stdout(under(Via::Seccomp, algkit()).args(["list", "cbc(aes)"])).windows(6).any(|w| w == b"afalg:"));
}
