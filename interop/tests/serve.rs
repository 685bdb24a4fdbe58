//! `algkit volume serve` with NBD clients of other projects: libnbd, qemu, nbdkit, fio.

mod command;

use command::{
    foreign, ours, outcome,
    run::{output, told},
    same,
    server::Server,
    text,
    volume::{LEN, Place, QUICK},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    net::TcpStream,
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

fn image(place: &Place, name: &str, mib: u64, sector: &str) -> String {
    let image = place.image(name, (16 + mib) << 20);
    ours(&[&["volume", "format", "-d", &place.at("key"), "--sector-size", sector, &image][..], &QUICK].concat());
    image
}

/// A volume whose sectors have tags, on a device of `len` bytes.
fn tagged(place: &Place, len: u64) -> String {
    let image = place.image("tagged", len);
    let format = ["volume", "format", "-d", &place.at("key"), "--integrity", "hmac-sha256", &image];
    ours(&[&format[..], &QUICK].concat());
    image
}

#[test]
fn clients_read_what_they_have_written() {
    let place = Place::new();
    let at = |name: &str| place.at(name);
    for sector in ["512", "4096"] {
        let image = image(&place, &format!("disk{sector}"), 4, sector);
        let server = Server::start(&place, &[&image]);
        let info = String::from_utf8(foreign("libnbd-bin", "nbdinfo", &["--json", &server.uri])).expect("UTF-8");
        for said in [
            "\"structured\": true",
            "\"export-size\": 4194304",
            "\"is_read_only\": false",
            "\"can_multi_conn\": true",
            "\"can_flush\": true",
            "\"can_fua\": true",
            "\"can_zero\": true",
            "\"can_trim\": false",
            "base:allocation",
        ] {
            assert!(info.contains(said), "{said}: {info}");
        }
        let map = foreign("libnbd-bin", "nbdinfo", &["--map", &server.uri]);
        assert!(String::from_utf8_lossy(&map).contains("4194304    0  data"), "{map:?}");

        // libnbd's client writes over several connections; qemu's, which uses one, reads.
        foreign("libnbd-bin", "nbdcopy", &[text(&place.plain), &server.uri]);
        let raw = at("raw");
        foreign("qemu-utils", "qemu-img", &["convert", "-f", "raw", "-O", "raw", &server.uri, &raw]);
        let plain = fs::read(&place.plain).expect("a file");
        assert!(fs::read(&raw).expect("a file")[..LEN] == plain);
        // nbdkit reads as a client without structured replies, and serves the data to nbdcopy.
        let path = server.uri.split_once("socket=").expect("a path").1.to_owned();
        let copy = format!("nbdcopy \"$uri\" {}", at("through"));
        foreign("nbdkit", "nbdkit", &["-U", "-", "nbd", &format!("socket={path}"), "--run", &copy]);
        same(Path::new(&raw), Path::new(&at("through")));
        // qemu writes ranges that begin and end inside sectors.
        let io = ["-f", "raw", "-c", "write -P 7 1000 5000", "-c", "write -z 70001 9000", "-c", "flush", &server.uri];
        foreign("qemu-utils", "qemu-io", &io);
        server.end("TERM");
        assert!(!Path::new(&path).exists());
        let mut want = fs::read(&raw).expect("a file");
        want[1000..6000].fill(7);
        want[70001..79001].fill(0);
        assert!(ours(&["volume", "read", "-d", &at("key"), &image]) == want, "{sector}");
    }
}

#[test]
fn fio_verifies() {
    let place = Place::new();
    for image in [image(&place, "disk", 16, "4096"), tagged(&place, 40 << 20)] {
        verified(&place, &image);
    }
}

fn verified(place: &Place, image: &str) {
    let server = Server::start(place, &[image]);
    let uri = format!("--uri={}", server.uri);
    let job = ["--name=verify", "--ioengine=nbd", "--rw=randwrite", "--bs=512-64k", "--iodepth=16", "--size=16m"];
    let verify = [
        "--verify=crc32c",
        "--verify_fatal=1",
        "--do_verify=1",
        "--bs_unaligned=1",
        "--verify_state_save=0",
        "--output=/dev/null",
    ];
    foreign("fio", "fio", &[&job[..], &verify, &[&uri]].concat());
    server.end("INT");
}

#[test]
fn a_file_system() {
    let place = Place::new();
    let folder = place.folder.path().join("tree");
    fs::create_dir_all(folder.join("a folder")).expect("a folder");
    fs::copy(&place.plain, folder.join("a folder/sample")).expect("a file");
    fs::write(folder.join("hello"), "hello\n").expect("a file");
    let (image, raw) = (image(&place, "disk", 16, "512"), place.image("raw", 16 << 20));
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", "-d", text(&folder), &raw]);
    let server = Server::start(&place, &[&image]);
    foreign("qemu-utils", "qemu-img", &["convert", "-n", "-f", "raw", "-O", "raw", &raw, &server.uri]);
    server.end("TERM");
    let server = Server::start(&place, &["--read-only", &image]);
    let back = place.at("back");
    foreign("libnbd-bin", "nbdcopy", &[&server.uri, &back]);
    server.end("TERM");
    foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &back]);
    let file = place.at("file");
    foreign("e2fsprogs", "/usr/sbin/debugfs", &["-R", &format!("dump \"/a folder/sample\" {file}"), &back]);
    same(Path::new(&file), &place.plain);
}

/// A volume on a disk that another server has, which nbdfuse shows as a file.
#[test]
fn a_volume_in_a_volume() {
    let place = Place::new();
    let outer = image(&place, "outer", 32, "512");
    let server = Server::start(&place, &[&outer]);
    let folder = place.at("mnt");
    fs::create_dir(&folder).expect("a folder");
    let inner = format!("{folder}/nbd");
    let mut shown = Command::new("nbdfuse").args([&folder, &server.uri]).spawn().expect("nbdfuse");
    while !Path::new(&inner).exists() {
        assert!(shown.try_wait().expect("a process").is_none(), "nbdfuse");
        thread::sleep(Duration::from_millis(20));
    }
    ours(&[&["volume", "format", "-q", "-d", &place.at("key"), &inner][..], &QUICK].concat());
    let second = Server::start(&place, &["--socket", &place.at("second"), &inner]);
    foreign("libnbd-bin", "nbdcopy", &[text(&place.plain), &second.uri]);
    second.end("TERM");
    foreign("fuse3", "fusermount3", &["-u", &folder]);
    assert!(shown.wait().expect("a process").success());
    server.end("TERM");
    // Each layer on its own.
    let raw = place.at("raw");
    ours(&["volume", "read", "-d", &place.at("key"), "-o", &raw, &outer]);
    assert!(place.read(&["--length", &LEN.to_string(), &raw]) == fs::read(&place.plain).expect("a file"));
}

/// The client of a stock kernel: it mounts the file system in a volume and writes to it.
#[test]
fn the_kernels_own_client() {
    let place = Place::new();
    let (image, raw) = (image(&place, "disk", 16, "4096"), place.image("raw", 16 << 20));
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", &raw]);
    ours(&["volume", "write", "-d", &place.at("key"), "-i", &raw, &image]);
    let server = Server::start(&place, &["--tcp", "0", &image]);
    let (_, port) = server.uri.rsplit_once(':').expect("a port");
    fs::copy(&place.plain, place.at("plain")).expect("a file");
    let script = format!(
        "set -e; modprobe -a nbd ext4; nbd-client 10.0.2.2 {port} /dev/nbd0 >&2; mount -t ext4 /dev/nbd0 /tmp
         cp /host/plain /tmp/sample; umount /tmp; mount -t ext4 -r /dev/nbd0 /tmp; cmp /tmp/sample /host/plain
         umount /tmp; nbd-client -d /dev/nbd0 >&2; echo done"
    );
    let mut boot = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/kernel-lab"));
    boot.env("LAB_MODS", "ext4").args(["-n", "-t", "300", "-s", text(place.folder.path()), "--", &script]);
    let run = output(&mut boot);
    assert!(run.status.success() && told(&run).contains("done"), "{}", told(&run));
    server.end("TERM");
    let back = place.at("back");
    ours(&["volume", "read", "-d", &place.at("key"), "-o", &back, &image]);
    foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &back]);
    let file = place.at("file");
    foreign("e2fsprogs", "/usr/sbin/debugfs", &["-R", &format!("dump sample {file}"), &back]);
    same(Path::new(&file), &place.plain);
}

#[test]
fn who_may_and_who_may_not() {
    let place = Place::new();
    let image = image(&place, "disk", 4, "512");
    let server = Server::start(&place, &[&image]);
    // By default, the socket is in the current directory, and only its owner has access.
    let socket = place.folder.path().join("disk.sock");
    assert_eq!(fs::metadata(&socket).expect("the socket").permissions().mode() & 0o077, 0);
    // While the server runs, neither algkit nor qemu can write to the image.
    let key = place.at("key");
    let second = outcome(&["volume", "serve", "-d", &key, "--socket", &place.at("other"), &image]);
    assert_eq!(second.status.code(), Some(2));
    assert!(told(&second).contains("another program uses its data"), "{}", told(&second));
    let qemu = Command::new("qemu-io").args(["-f", "raw", "-c", "write 0 512", &image]).output().expect("qemu-io");
    assert!(told(&qemu).contains("lock"), "{}", told(&qemu));
    // The header can be changed while the disk is served, for example to add a passphrase.
    fs::write(place.at("new"), "new").expect("a file");
    ours(&[&["volume", "add-key", "-d", &key, &image, &place.at("new")][..], &QUICK].concat());
    // A second server cannot take a socket on which another one listens.
    let taken = outcome(&["volume", "serve", "-r", "-d", &key, "--socket", text(&socket), &image]);
    assert!(told(&taken).contains("cannot listen"), "{}", told(&taken));
    // A server that is killed leaves its socket, and the next server replaces it.
    server.signal("KILL");
    drop(server);
    assert!(socket.exists());
    Server::start(&place, &[&image]).end("TERM");

    let server = Server::start(&place, &["--read-only", "--tcp", "0", &image]);
    let copy = Command::new("nbdcopy").args([text(&place.plain), &server.uri]).output().expect("nbdcopy");
    assert!(!copy.status.success());
    let address = server.uri.strip_prefix("nbd://").expect("an address");
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut greeting = [0; 18];
    TcpStream::connect(address).and_then(|mut client| client.read_exact(&mut greeting)).expect("a greeting");
    assert_eq!(greeting[..8], *b"NBDMAGIC");
    server.end("TERM");
}

/// Clients that send nothing, or do not read replies, neither delay others nor keep the server from ending.
#[test]
fn clients_that_hang() {
    let place = Place::new();
    for image in [image(&place, "disk", 32, "512"), tagged(&place, 60 << 20)] {
        used_by_clients_that_hang(&place, &image);
    }
}

fn used_by_clients_that_hang(place: &Place, image: &str) {
    let server = Server::start(place, &[image]);
    let socket = Path::new(image).with_extension("sock");
    let silent: Vec<_> = (0..4).map(|_| UnixStream::connect(&socket).expect("a socket")).collect();
    let greedy: Vec<_> = (0..4)
        .map(|_| {
            let mut client = UnixStream::connect(&socket).expect("a socket");
            let mut sent = [&[0, 0, 0, 3][..], b"IHAVEOPT", &[0, 0, 0, 1, 0, 0, 0, 0]].concat();
            for _ in 0..50 {
                let read = [&0x2560_9513u32.to_be_bytes()[..], &[0; 20], &(32u32 << 20).to_be_bytes()];
                sent.extend(read.concat());
            }
            client.write_all(&sent).expect("a socket");
            client
        })
        .collect();
    foreign("libnbd-bin", "nbdcopy", &["--requests=16", "--request-size=1048576", &server.uri, &place.at("back")]);
    foreign("libnbd-bin", "nbdcopy", &["--requests=16", "--request-size=1048576", &place.at("back"), &server.uri]);
    let peak = server.peak();
    assert!(peak < 100 << 10, "{peak} KiB");
    server.end("TERM");
    drop((silent, greedy));
}

/// Data that was flushed before the server was killed is on the disk.
#[test]
fn flushed_is_kept() {
    let place = Place::new();
    let image = image(&place, "disk", 8, "4096");
    let server = Server::start(&place, &[&image]);
    let write = ["-f", "raw", "-c", "write -P 9 3 4000000", "-c", "flush", &server.uri];
    foreign("qemu-utils", "qemu-io", &write);
    server.signal("KILL");
    drop(server);
    let bytes = place.read(&[&image]);
    assert!(bytes[3..4_000_003].iter().all(|byte| *byte == 9));
    File::open(&image).expect("a file").sync_all().expect("a file");
}
