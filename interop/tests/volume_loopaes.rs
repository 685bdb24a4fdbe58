//! loop-AES volumes, compared with cryptsetup loopaesOpen in a stock kernel.

mod command;

use command::{images::run, ours, outcome, run::told, scratch, text};
use std::{fs, path::Path, process::Command};

/// Lines of the key file, size of a key in bits, cipher.
const VOLUMES: [(usize, &str, &str); 5] =
    [(1, "256", "aes"), (64, "128", "aes"), (64, "256", "serpent"), (65, "128", "aes"), (65, "256", "aes")];

const SIZE: usize = 96 << 10;

#[test]
fn volumes_of_the_kernel() {
    let folder = scratch();
    let at = |name: String| text(&folder.path().join(name)).to_owned();
    let plain: Vec<u8> = (0..SIZE as u32 / 4).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    fs::write(at("plain".to_owned()), &plain).expect("a file");
    let mut script = "set -e; modprobe -a dm-crypt md5\n".to_owned();
    let mut disks = Vec::new();
    for (number, (lines, bits, cipher)) in VOLUMES.into_iter().enumerate() {
        let keys: String = (0..lines).map(|n| format!("a secret of forty-four characters, number {n:03}\n")).collect();
        let key_file = at(format!("keys{number}"));
        fs::write(&key_file, keys).expect("a file");
        let (theirs, written) = (at(format!("theirs{number}")), at(format!("ours{number}")));
        fs::write(&theirs, vec![0; SIZE]).expect("a file");
        fs::write(&written, vec![0; SIZE]).expect("a file");
        let kind = ["--type", "loopaes", "-s", bits, "-c", cipher, "--key-file", &key_file];
        ours(&[&["volume", "write", "-i", &at("plain".to_owned()), &written][..], &kind].concat());
        let tested = outcome(&[&["volume", "open-test", &written][..], &kind].concat());
        assert!(tested.status.code() == Some(2) && told(&tested).contains("nothing"), "{}", told(&tested));
        let open = format!("cryptsetup open --type loopaes -c {cipher} -s {bits} --key-file /host/keys{number}");
        let device = |n: usize| format!("/dev/vd{}", char::from(b'a' + 2 * number as u8 + n as u8));
        script += &format!(
            "{open} {} v; dd if=/host/plain of=/dev/mapper/v bs=32k 2>/dev/null; sync; cryptsetup close v
             {open} {} w; cmp -n {SIZE} /host/plain /dev/mapper/w; cryptsetup close w\n",
            device(0),
            device(1)
        );
        disks.push((theirs, written, kind.map(str::to_owned)));
    }
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab");
    let mut boot = Command::new(lab);
    boot.args(["-t", "500", "-s", text(folder.path())]);
    boot.args(disks.iter().flat_map(|(theirs, written, _)| ["-d", theirs, "-d", written]));
    run(boot.arg("--").arg(script));
    for (theirs, _, kind) in &disks {
        let kind: Vec<_> = kind.iter().map(String::as_str).collect();
        let read = ours(&[&["volume", "read", theirs][..], &kind].concat());
        assert!(read == plain, "{kind:?}");
    }
}
