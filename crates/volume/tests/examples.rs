//! The examples do what they say.

#[path = "../examples/http.rs"]
mod http;
#[path = "../examples/tar.rs"]
mod tar;

use algkit_volume::{CipherSpec, Key, ReadAt, Volume, WriteAt, storage::Memory};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
};

/// A volume, and its plaintext.
fn volume() -> (Volume<Memory>, Vec<u8>) {
    let spec = CipherSpec::parse("aes-xts-plain64").unwrap();
    let volume = Volume::plain(Memory::new(vec![0; 100 << 10]), &spec, &Key::new((0..64).collect()), 4096).unwrap();
    let plain: Vec<u8> = (0..100u32 << 10).map(|number| (number % 251) as u8).collect();
    volume.write_at(0, &plain).unwrap();
    (volume, plain)
}

#[test]
fn tar_unpacks_it() {
    let (volume, plain) = volume();
    let folder = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar").args(["-x", "-C"]).arg(folder.path()).stdin(Stdio::piped()).spawn().unwrap();
    tar::archive(&volume, "plain.img", &mut tar.stdin.take().unwrap()).unwrap();
    assert!(tar.wait().unwrap().success());
    assert!(std::fs::read(folder.path().join("plain.img")).unwrap() == plain);
    assert!(tar::archive(&volume, &"x".repeat(101), &mut Vec::new()).is_err());
}

#[test]
fn ranges_by_http() {
    let (volume, plain) = volume();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let size = volume.size().unwrap();
    thread::spawn(move || http::serve(&volume, &listener));
    let get = |request: &str| {
        let mut client = TcpStream::connect(address).unwrap();
        write!(client, "{request}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    };
    for (range, status, part) in [
        ("bytes=1000-4999", "206", &plain[1000..5000]),
        ("bytes=5000-", "206", &plain[5000..]),
        ("bytes=-7", "206", &plain[plain.len() - 7..]),
        ("bytes=99999-999999", "206", &plain[99999..]),
        ("bytes=0-0", "206", &plain[..1]),
        ("bytes=5-4", "200", &plain[..]),
        ("lines=1-2", "200", &plain[..]),
        ("bytes=102400-", "416", &[]),
    ] {
        let (head, body) = get(&format!("GET / HTTP/1.1\r\nHost: here\r\nRange: {range}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{range}: {head}");
        assert!(head.contains(&format!("Content-Length: {}", part.len())), "{range}: {head}");
        assert!(body == part, "{range}");
    }
    assert!(get("GET / HTTP/1.1").1 == plain);
    let (head, body) = get("HEAD / HTTP/1.1");
    assert!(head.contains(&format!("Content-Length: {size}")) && body.is_empty(), "{head}");
    assert!(get("POST / HTTP/1.1").0.contains(" 405 "));
}
