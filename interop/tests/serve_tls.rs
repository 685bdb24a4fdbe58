//! `algkit volume serve --tls-certificates` with clients of other projects, which have GnuTLS. The command needs the feature `tls`.

mod command;

use command::{
    foreign, ours, outcome,
    run::told,
    same,
    server::Server,
    text,
    volume::{LEN, Place, QUICK},
};
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder with an authority and what it has signed for `server` and `client`, all under the names that clients look for.
struct Pki(PathBuf);

impl Pki {
    fn new(place: &Place, name: &str) -> Self {
        let folder = place.folder.path().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let pki = Self(folder);
        let extensions = "[req]\ndistinguished_name = name\n[name]\n[ca]\nbasicConstraints = critical,CA:TRUE\nkeyUsage = keyCertSign,cRLSign\n\
            [leaf]\nbasicConstraints = critical,CA:FALSE\nsubjectAltName = DNS:localhost,IP:127.0.0.1\n\
            [authority]\ndefault_ca = this\n[this]\ndatabase = index\ndefault_md = sha256\ndefault_crl_days = 1\ncrlnumber = number\n";
        fs::write(pki.at("openssl.cnf"), extensions).expect("a file");
        pki.certificate("ca", "ca", &[]);
        let by = [&*pki.at("ca-cert.pem"), &*pki.at("ca-key.pem")].map(str::to_owned);
        for who in ["server", "client"] {
            pki.certificate(who, "leaf", &["-CA", &by[0], "-CAkey", &by[1]]);
        }
        pki
    }

    fn at(&self, name: &str) -> String {
        text(&self.0.join(name)).to_owned()
    }

    fn certificate(&self, who: &str, extensions: &str, by: &[&str]) {
        let (key, certificate) = (self.at(&format!("{who}-key.pem")), self.at(&format!("{who}-cert.pem")));
        let made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
        let (config, subject) = (self.at("openssl.cnf"), format!("/CN={who}"));
        let what =
            ["-config", &config, "-extensions", extensions, "-subj", &subject, "-keyout", &key, "-out", &certificate];
        foreign("openssl", "openssl", &[&made[..], &what, by].concat());
    }

    /// The authority says that the client's certificate is not good any more.
    fn revoke_client(&self) {
        fs::write(self.at("index"), "").expect("a file");
        fs::write(self.at("number"), "01\n").expect("a file");
        let ca = |args: &[&str]| {
            let openssl = Command::new("openssl")
                .args([
                    "ca",
                    "-config",
                    "openssl.cnf",
                    "-name",
                    "this",
                    "-cert",
                    "ca-cert.pem",
                    "-keyfile",
                    "ca-key.pem",
                ])
                .args(args)
                .current_dir(&self.0)
                .output()
                .expect("openssl: install Debian's openssl");
            assert!(openssl.status.success(), "{}", told(&openssl));
        };
        ca(&["-revoke", "client-cert.pem"]);
        ca(&["-gencrl", "-out", "ca-crl.pem"]);
    }
}

fn image(place: &Place) -> String {
    let image = place.image("disk", 20 << 20);
    ours(&[&["volume", "format", "-d", &place.at("key"), &image][..], &QUICK].concat());
    image
}

/// libnbd's client with the certificates in a folder.
fn nbdinfo(server: &Server, pki: &str) -> Output {
    let separator = if server.uri.contains('?') { '&' } else { '?' };
    let uri = format!("{}{separator}tls-certificates={pki}", server.uri);
    Command::new("nbdinfo").args(["--size", &uri]).output().expect("nbdinfo: install Debian's libnbd-bin")
}

#[test]
fn clients_with_certificates() {
    let place = Place::new();
    let (pki, image) = (Pki::new(&place, "pki"), image(&place));
    let folder = text(&pki.0);
    for place_of_server in [&["--tcp", "127.0.0.1:0"][..], &[]] {
        let args = [place_of_server, &["--tls-certificates", folder, "--tls-verify-peer", &image]].concat();
        let server = Server::start(&place, &args);
        let separator = if server.uri.contains('?') { '&' } else { '?' };
        let uri = format!("{}{separator}tls-certificates={folder}", server.uri);
        // Over several connections, each with many requests in flight.
        foreign("libnbd-bin", "nbdcopy", &["--requests=16", "--request-size=1048576", text(&place.plain), &uri]);
        let back = place.at("back");
        foreign("libnbd-bin", "nbdcopy", &["--requests=16", "--request-size=1048576", &uri, &back]);
        let plain = fs::read(&place.plain).expect("a file");
        assert!(fs::read(&back).expect("a file")[..LEN] == plain);
        let raw = place.at("raw");
        let address = match server.uri.strip_prefix("nbds://127.0.0.1:") {
            Some(port) => format!("server.type=inet,server.host=127.0.0.1,server.port={port}"),
            None => format!("server.type=unix,server.path={},tls-hostname=localhost", place.at("disk.sock")),
        };
        let credentials = format!("tls-creds-x509,id=t,endpoint=client,dir={folder}");
        let disk = format!("driver=nbd,{address},tls-creds=t");
        let convert = ["convert", "--object", &credentials, "--image-opts", &disk, "-O", "raw", &raw];
        foreign("qemu-utils", "qemu-img", &convert);
        same(Path::new(&raw), Path::new(&back));
        server.end("TERM");
        assert!(place.read(&[&image])[..LEN] == plain);
    }
}

/// nbdkit as a client with a certificate, and nbdkit as the server of clients with a pre-shared key.
#[test]
fn nbdkit_between() {
    let place = Place::new();
    let (pki, image) = (Pki::new(&place, "pki"), image(&place));
    let folder = text(&pki.0);
    let tls =
        Server::start(&place, &["--tcp", "127.0.0.1:0", "--tls-certificates", folder, "--tls-verify-peer", &image]);
    let port = format!("port={}", tls.uri.rsplit(':').next().expect("a port"));
    let certificates = format!("tls-certificates={folder}");
    let write = format!("nbdcopy {} \"$uri\"", text(&place.plain));
    let client = ["nbd", "hostname=127.0.0.1", &port, "tls=require", &certificates];
    foreign("nbdkit", "nbdkit", &[&["-U", "-"], &client[..], &["--run", &write]].concat());
    tls.end("TERM");

    fs::write(place.at("psk"), "alice:00112233445566778899aabbccddeeff\n").expect("a file");
    fs::write(place.at("other"), "alice:00112233445566778899aabbccddeefe\n").expect("a file");
    let bare = Server::start(&place, &[&image]);
    let (keys, socket) = (format!("--tls-psk={}", place.at("psk")), format!("socket={}", place.at("disk.sock")));
    let through = |read: &str| {
        let server = ["-U", "-", "--tls=require", &keys, "nbd", &socket, "--run", read];
        Command::new("nbdkit").args(server).output().expect("nbdkit: install Debian's nbdkit")
    };
    let with = |keys: &str| {
        let uri = format!("nbds+unix://alice@/?socket=$unixsocket&tls-psk-file={}", place.at(keys));
        through(&format!("nbdcopy \"{uri}\" {}", place.at("back")))
    };
    for refused in [with("other"), through("nbdinfo --size \"nbd+unix:///?socket=$unixsocket\"")] {
        assert!(!refused.status.success(), "{}", told(&refused));
    }
    let read = with("psk");
    assert!(read.status.success(), "{}", told(&read));
    assert!(fs::read(place.at("back")).expect("a file")[..LEN] == fs::read(&place.plain).expect("a file"));
    bare.end("TERM");
}

#[test]
fn others_get_nothing() {
    let place = Place::new();
    let (pki, stranger, image) = (Pki::new(&place, "pki"), Pki::new(&place, "stranger"), image(&place));
    let nobody = place.folder.path().join("nobody");
    fs::create_dir(&nobody).expect("a folder");
    fs::copy(pki.at("ca-cert.pem"), nobody.join("ca-cert.pem")).expect("a file");
    // A stranger's client that takes the server for what it is.
    fs::copy(pki.at("ca-cert.pem"), stranger.at("ca-cert.pem")).expect("a file");
    let start = |verify: &[&str]| {
        let args = ["--tcp", "0", "--tls-certificates", text(&pki.0), &image];
        Server::start(&place, &[&args[..], verify].concat())
    };
    let opens = |server: &Server, folder: &Path| nbdinfo(server, text(folder)).status.success();

    let server = start(&["--tls-verify-peer"]);
    assert!(opens(&server, &pki.0));
    assert!(!opens(&server, &nobody));
    assert!(!opens(&server, &stranger.0));
    let plain = server.uri.replace("nbds:", "nbd:");
    let without = Command::new("nbdinfo").args(["--size", &plain]).output().expect("nbdinfo");
    assert!(!without.status.success());
    assert!(told(&without).contains("TLS"), "{}", told(&without));
    // What follows the option in the clear is no option.
    let mut client = TcpStream::connect(plain.strip_prefix("nbd://").expect("an address")).expect("a server");
    let option = |number: u8| [&b"IHAVEOPT\0\0\0"[..], &[number], &[0; 4]].concat();
    client.write_all(&[&[0, 0, 0, 3][..], &option(5), &option(3)].concat()).expect("a server");
    let mut answers = Vec::new();
    let _ = client.read_to_end(&mut answers);
    let acknowledged = [&0x0003_e889_0455_65a9u64.to_be_bytes()[..], &[0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0]].concat();
    assert_eq!(answers[18..38], acknowledged);
    // The rest is an alert of TLS: a record of type 21.
    assert_eq!(answers.get(38), Some(&21), "{answers:?}");
    server.end("TERM");

    // Without --tls-verify-peer, whoever trusts the server gets in, and nobody without TLS.
    let server = start(&[]);
    assert!(opens(&server, &nobody));
    assert!(
        !Command::new("nbdinfo").arg(server.uri.replace("nbds:", "nbd:")).output().expect("nbdinfo").status.success()
    );
    server.end("TERM");

    pki.revoke_client();
    let server = start(&["--tls-verify-peer"]);
    assert!(!opens(&server, &pki.0));
    server.end("TERM");
}

#[test]
fn what_is_refused_at_the_start() {
    let place = Place::new();
    let (pki, image) = (Pki::new(&place, "pki"), image(&place));
    let refused = |args: &[&str], why: &str| {
        let serve = ["volume", "serve", "-d", &place.at("key"), &image];
        let ended = outcome(&[&serve[..], args].concat());
        assert_eq!(ended.status.code(), Some(2));
        assert!(told(&ended).contains(why) && told(&ended).lines().count() == 1, "{args:?}: {}", told(&ended));
    };
    refused(&["--tcp", "0.0.0.0:0"], "--tls-verify-peer");
    refused(&["--tcp", "[::]:0", "--tls-certificates", text(&pki.0)], "--tls-verify-peer");
    refused(&["--tcp", "localhost"], "expected a port");
    refused(&["--tls-verify-peer"], "--tls-certificates");
    refused(&["--tls-certificates", &place.at("nowhere")], "server-key.pem");
    fs::copy(pki.at("client-key.pem"), pki.at("server-key.pem")).expect("a file");
    refused(&["--tls-certificates", text(&pki.0)], "server-key.pem is not the key of server-cert.pem");
    let of_521_bits = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521", "-out"];
    foreign("openssl", "openssl", &[&of_521_bits[..], &[&*pki.at("server-key.pem")]].concat());
    refused(&["--tls-certificates", text(&pki.0)], "server-key.pem`: it is no RSA key");
    fs::write(pki.at("server-cert.pem"), "-----BEGIN CERTIFICATE-----\nMIIB\n").expect("a file");
    refused(&["--tls-certificates", text(&pki.0)], "server-cert.pem`: it is cut off");
    fs::write(pki.at("server-key.pem"), "no key").expect("a file");
    refused(&["--tls-certificates", text(&pki.0)], "server-key.pem");
    fs::remove_file(pki.at("ca-cert.pem")).expect("a file");
    refused(&["--tls-certificates", text(&pki.0), "--tls-verify-peer"], "ca-cert.pem");
}
