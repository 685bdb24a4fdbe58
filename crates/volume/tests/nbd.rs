//! The NBD server and clients that are wrong, slow or hostile. Real clients are in `interop/tests/serve.rs`.

use algkit_volume::{
    CipherSpec, Error, Key, ReadAt, Volume, WriteAt,
    nbd::{CHUNK, Client, Export, handshake},
    storage::Memory,
};
use std::{
    io::{Read, Write},
    sync::atomic::{AtomicUsize, Ordering},
};

const SIZE: usize = 4 << 20;
const OPTION: &[u8] = b"IHAVEOPT";
const REFUSED: u32 = 1 << 31;
/// Errors as replies have them: Linux's numbers.
const EPERM: u32 = 1;
const EINVAL: u32 = 22;
const ENOSPC: u32 = 28;
const EOVERFLOW: u32 = 75;

fn volume(sector: usize) -> Volume<Memory> {
    let spec = CipherSpec::parse("aes-xts-plain64").unwrap();
    Volume::plain(Memory::new(vec![0; SIZE]), &spec, &Key::new((0..64).collect()), sector).unwrap()
}

/// What the server answers to all that a client sends, and how it ends.
fn answers(export: &Export<'_>, sent: &[u8]) -> (Vec<u8>, Result<(), std::io::ErrorKind>) {
    let (mut input, mut output) = (sent, Vec::new());
    let served = match handshake(export, &mut input, &mut output) {
        Ok(Some(session)) => session.serve(export, input, &mut output, || {}, 1),
        other => other.map(drop),
    };
    (output, served.map_err(|error| error.kind()))
}

/// The flags of the client, which leaves the zeros out.
fn client() -> Vec<u8> {
    vec![0, 0, 0, 3]
}

fn option(number: u32, data: &[u8]) -> Vec<u8> {
    [OPTION, &number.to_be_bytes(), &(data.len() as u32).to_be_bytes(), data].concat()
}

fn request(flags: u16, command: u16, offset: u64, len: u32) -> Vec<u8> {
    let cookie = 0x1122_3344_5566_7788u64;
    let head =
        [0x2560_9513u32.to_be_bytes(), [flags.to_be_bytes(), command.to_be_bytes()].concat().try_into().unwrap()];
    [&head.concat()[..], &cookie.to_be_bytes(), &offset.to_be_bytes(), &len.to_be_bytes()].concat()
}

/// A client that takes the export by its name and sends requests: the server's answers behind the export's size and flags.
fn simple(export: &Export<'_>, requests: &[Vec<u8>]) -> (Vec<u8>, Result<(), std::io::ErrorKind>) {
    let (output, end) = answers(export, &[client(), option(1, b""), requests.concat()].concat());
    (output[18 + 10..].to_vec(), end)
}

/// A simple reply's error.
fn error(reply: &[u8]) -> u32 {
    assert_eq!(reply[..4], 0x6744_6698u32.to_be_bytes());
    assert_eq!(reply[8..16], 0x1122_3344_5566_7788u64.to_be_bytes());
    u32::from_be_bytes(reply[4..8].try_into().unwrap())
}

#[test]
fn requests_of_any_offset_and_length() {
    for sector in [512, 4096] {
        let volume = volume(sector);
        let export = Export::new(&volume);
        let long: Vec<u8> = (0..CHUNK * 2 + 1000).map(|i| (i * 7) as u8).collect();
        let write = [request(1, 1, 1001, long.len() as u32), long.clone()].concat();
        let (output, end) = simple(&export, &[write, request(0, 0, 1001, long.len() as u32), request(0, 2, 0, 0)]);
        assert_eq!(end, Ok(()));
        assert_eq!(error(&output), 0);
        assert_eq!(error(&output[16..]), 0);
        assert!(output[32..] == long, "{sector}");

        let (output, _) =
            simple(&export, &[request(0, 6, 5000, 100_000), request(0, 0, 4990, 100_020), request(0, 3, 0, 0)]);
        assert_eq!(error(&output), 0);
        let back = &output[32..32 + 100_020];
        assert!(back[..10] == long[3989..3999] && back[10..100_010].iter().all(|byte| *byte == 0));
        assert!(back[100_010..] == long[103_999..104_009]);
        assert_eq!((error(&output[32 + 100_020..]), output.len()), (0, 48 + 100_020));
    }
}

#[test]
fn what_is_refused_leaves_the_next_request_alone() {
    let volume = volume(512);
    let export = Export::new(&volume);
    let all = SIZE as u64;
    let write = |offset, len: u32| [request(0, 1, offset, len), vec![7; len as usize]].concat();
    for (bad, want) in [
        (request(0, 0, all, 1), EINVAL),
        (request(0, 0, u64::MAX, 2), EINVAL),
        (request(0, 0, 0, u32::MAX), EINVAL),
        (request(0, 0, 0, (32 << 20) + 1), EINVAL),
        (request(4, 0, 0, CHUNK as u32 + 1), EOVERFLOW),
        (request(0x80, 0, 0, 512), EINVAL),
        (write(all - 1, 2), ENOSPC),
        (write(u64::MAX, 3 << 20), ENOSPC),
        (request(0, 4, 0, 512), EINVAL),
        (request(0, 5, 0, 512), EINVAL),
        (request(0, 6, all, 512), ENOSPC),
        (request(16, 6, 0, 512), EINVAL),
        (request(0, 7, 0, 512), EINVAL),
        (request(0, 99, 0, 512), EINVAL),
        (request(0, 3, 1, 0), EINVAL),
    ] {
        let (output, end) = simple(&export, &[bad.clone(), request(0, 0, 0, 512)]);
        assert_eq!((error(&output), end), (want, Ok(())), "{:x?}", &bad[..28]);
        assert_eq!((error(&output[16..]), output.len()), (0, 32 + 512), "{:x?}", &bad[..28]);
    }
    let read_only = Export { read_only: true, ..Export::new(&volume) };
    let mut before = vec![0; SIZE];
    volume.read_at(0, &mut before).unwrap();
    for bad in [write(0, 512), request(0, 6, 0, 512), request(0, 4, 0, 512)] {
        let (output, _) = simple(&read_only, &[bad]);
        assert_eq!(error(&output), EPERM);
    }
    let mut after = vec![0; SIZE];
    volume.read_at(0, &mut after).unwrap();
    assert!(before == after);
}

#[test]
fn a_client_that_breaks_the_protocol_is_left() {
    use std::io::ErrorKind::{InvalidData, UnexpectedEof};
    let volume = volume(512);
    let export = Export::new(&volume);
    let go = option(7, &[0; 6]);
    for (sent, end) in [
        (vec![], UnexpectedEof),
        (vec![0xff; 4], InvalidData),
        (client(), UnexpectedEof),
        ([client(), vec![9; 16]].concat(), InvalidData),
        // An option of 4 GiB, and more options than anybody has use for.
        ([client(), OPTION.to_vec(), vec![0, 0, 0, 3, 255, 255, 255, 255], vec![0; 1 << 20]].concat(), InvalidData),
        ([client(), option(3, b"").repeat(1000)].concat(), InvalidData),
        ([client(), option(1, b"another")].concat(), InvalidData),
        ([client(), go.clone(), vec![1; 28]].concat(), InvalidData),
        ([client(), go.clone(), vec![1; 27]].concat(), UnexpectedEof),
        ([client(), go.clone(), request(0, 1, 0, 100)].concat(), UnexpectedEof),
        ([client(), go.clone(), request(0, 1, 0, u32::MAX)].concat(), InvalidData),
        // Old clients know one option.
        ([vec![0; 4], option(3, b"")].concat(), InvalidData),
    ] {
        assert_eq!(answers(&export, &sent).1, Err(end), "{:x?}", &sent[..sent.len().min(64)]);
    }
    // Leaving between requests is none of these.
    assert_eq!(answers(&export, &[client(), go].concat()).1, Ok(()));
    assert_eq!(answers(&export, &[client(), option(2, b"")].concat()).1, Ok(()));
}

/// The kinds of the replies to one option.
fn kinds(mut output: &[u8]) -> Vec<u32> {
    let mut kinds = Vec::new();
    while output.len() >= 20 {
        assert_eq!(output[..8], 0x0003_e889_0455_65a9u64.to_be_bytes());
        kinds.push(u32::from_be_bytes(output[12..16].try_into().unwrap()));
        output = &output[20 + u32::from_be_bytes(output[16..20].try_into().unwrap()) as usize..];
    }
    assert!(output.is_empty());
    kinds
}

#[test]
fn options() {
    let volume = volume(512);
    let export = Export::new(&volume);
    let query = |name: &[u8], query: &[u8]| {
        let len = |text: &[u8]| (text.len() as u32).to_be_bytes().to_vec();
        [len(name), name.to_vec(), vec![0, 0, 0, 1], len(query), query.to_vec()].concat()
    };
    let structured = option(8, b"");
    for (sent, want) in [
        (option(3, b""), vec![2, 1]),
        (option(3, b"x"), vec![REFUSED + 3]),
        (option(5, b""), vec![REFUSED + 1]),
        (option(11, b""), vec![REFUSED + 1]),
        (option(6, &[0; 6]), vec![3, 3, 1]),
        (option(6, &[0, 0, 0, 1, b'x', 0, 0]), vec![REFUSED + 6]),
        (option(6, &[255; 6]), vec![REFUSED + 3]),
        (option(6, &[0, 0, 0, 0, 255, 255]), vec![REFUSED + 3]),
        (option(6, &[0; 7]), vec![REFUSED + 3]),
        (option(99, &[0; 20_000]), vec![REFUSED + 9]),
        (option(10, &query(b"", b"base:allocation")), vec![REFUSED + 3]),
        ([structured.clone(), option(10, &query(b"", b"base:allocation"))].concat(), vec![1, 4, 1]),
        ([structured.clone(), option(10, &query(b"", b"qemu:x"))].concat(), vec![1, 1]),
        ([structured.clone(), option(9, &query(b"", b"base:"))].concat(), vec![1, 4, 1]),
        ([structured.clone(), option(9, &query(b"x", b"base:"))].concat(), vec![1, REFUSED + 6]),
        ([structured.clone(), option(9, &[0, 0, 0, 0, 255, 255, 255, 255])].concat(), vec![1, REFUSED + 3]),
    ] {
        let (output, _) = answers(&export, &[client(), sent.clone(), option(2, b"")].concat());
        let mut got = kinds(&output[18..]);
        assert_eq!(got.pop(), Some(1));
        assert_eq!(got, want, "{sent:x?}");
    }
}

/// A server that needs TLS answers no other option before, and reads no byte behind the one that begins it.
#[test]
fn before_tls() {
    use std::io::ErrorKind::{InvalidData, UnexpectedEof};
    let wait = |sent: &[u8]| {
        let (mut input, mut output) = (sent, Vec::new());
        let begun = Client::greet(&mut input, &mut output)
            .and_then(|mut client| client.wait_for_tls(&mut input, &mut output).map(|begun| begun.then_some(client)));
        (kinds(output.get(18..).unwrap_or(&[])), begun.map_err(|error| error.kind()), input.len())
    };
    let start = option(5, b"");
    for number in [3, 6, 7, 8, 9, 10, 11, 99] {
        for data in [&[][..], &[0; 6], &[0; 20_000]] {
            let (answers, begun, _) = wait(&[client(), option(number, data), start.clone()].concat());
            assert_eq!((answers, begun.is_ok_and(|begun| begun.is_some())), (vec![REFUSED + 5, 1], true), "{number}");
        }
    }
    let (answers, begun, rest) = wait(&[client(), start.clone(), option(3, b"")].concat());
    assert_eq!((answers, rest), (vec![1], 16));
    // The options after that are as without TLS, but it cannot be begun again.
    let volume = volume(512);
    let export = Export::new(&volume);
    let (sent, mut output) = ([start.clone(), option(6, &[0; 6]), option(2, b"")].concat(), Vec::new());
    let left = begun.unwrap().unwrap().choose(&export, &mut &sent[..], &mut output, || true).unwrap();
    assert_eq!((kinds(&output), left.is_none()), (vec![REFUSED + 3, 3, 3, 1, 1], true));

    for (sent, want) in [
        ([client(), option(5, b"x"), option(2, b"")].concat(), Ok(vec![REFUSED + 3, 1])),
        ([client(), option(1, b"")].concat(), Err(InvalidData)),
        ([vec![0; 4], start.clone()].concat(), Err(InvalidData)),
        ([client(), option(3, b"").repeat(1000)].concat(), Err(InvalidData)),
        ([client(), vec![9; 16]].concat(), Err(InvalidData)),
        ([client(), start[..15].to_vec()].concat(), Err(UnexpectedEof)),
    ] {
        let (answers, begun, _) = wait(&sent);
        let got = begun.map(|begun| {
            assert!(begun.is_none());
            answers
        });
        assert_eq!(got, want, "{:x?}", &sent[..sent.len().min(64)]);
    }
}

/// A client whose place was taken before it chose the export is not told that it has the export. To ask about it takes no place.
#[test]
fn no_place_for_a_client() {
    let volume = volume(512);
    let export = Export::new(&volume);
    for (options, answers) in [
        (option(1, b""), vec![]),
        (option(7, &[0; 6]), vec![3, 3]),
        ([option(6, &[0; 6]), option(3, b""), option(7, &[0; 6])].concat(), vec![3, 3, 1, 2, 1, 3, 3]),
    ] {
        let (sent, mut output) = ([client(), options].concat(), Vec::new());
        let mut input = &sent[..];
        let client = Client::greet(&mut input, &mut output).unwrap();
        assert!(client.choose(&export, &mut input, &mut output, || false).unwrap().is_none());
        assert_eq!(kinds(&output[18..]), answers);
    }
}

/// Several connections, each with several threads, write parts of the same sectors: every byte that was written is there.
#[test]
fn parts_of_a_sector_by_many_clients() {
    use std::{net::Shutdown, os::unix::net::UnixStream, thread};
    const CLIENTS: usize = 4;
    let volume = volume(4096);
    let export = Export::new(&volume);
    thread::scope(|scope| {
        for client_number in 0..CLIENTS {
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            let export = &export;
            scope.spawn(move || {
                let session = handshake(export, &mut &theirs, &mut &theirs).unwrap().unwrap();
                session.serve(export, &theirs, &theirs, || {}, 3).unwrap();
                theirs.shutdown(Shutdown::Both).unwrap();
            });
            scope.spawn(move || {
                let mut sent = [client(), option(1, b"")].concat();
                // Every client has every fourth byte of two sectors, one request each.
                let mine = (client_number..8192).step_by(CLIENTS);
                let count = mine.clone().count();
                for at in mine {
                    sent.extend(request(0, 1, at as u64, 1));
                    sent.push(client_number as u8 + 1);
                }
                sent.extend(request(0, 2, 0, 0));
                let mut reader = ours.try_clone().unwrap();
                scope.spawn(move || {
                    let mut replies = Vec::new();
                    reader.read_to_end(&mut replies).unwrap();
                    assert_eq!(replies.len(), 28 + 16 * count);
                    assert!(replies[28..].chunks(16).all(|reply| error(reply) == 0));
                });
                ours.write_all(&sent).unwrap();
            });
        }
    });
    let mut bytes = vec![0; 8192];
    volume.read_at(0, &mut bytes).unwrap();
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte as usize == at % CLIENTS + 1));
    volume.sync().unwrap();
}

/// A volume whose storage fails: the client gets an error and the server the reason.
#[test]
fn a_disk_that_fails() {
    struct Broken;
    impl ReadAt for Broken {
        fn size(&self) -> Result<u64, algkit_volume::Error> {
            Ok(1 << 20)
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), algkit_volume::Error> {
            let source = std::io::Error::other("a bad sector");
            Err(algkit_volume::Error::Read { offset, len: buf.len(), source })
        }
    }
    impl WriteAt for Broken {
        fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), algkit_volume::Error> {
            let source = std::io::ErrorKind::StorageFull.into();
            Err(algkit_volume::Error::Write { offset, len: data.len(), source })
        }
        fn sync(&self) -> Result<(), algkit_volume::Error> {
            Ok(())
        }
    }
    let told = std::sync::Mutex::new(Vec::new());
    let failed = |error: &algkit_volume::Error| told.lock().unwrap().push(error.to_string());
    let export = Export { failed: &failed, ..Export::new(&Broken) };
    let write = [request(0, 1, 512, 512), vec![7; 512]].concat();
    let (output, end) = simple(&export, &[request(0, 0, 0, 512), write]);
    assert_eq!((error(&output), error(&output[16..]), output.len(), end), (5, ENOSPC, 32, Ok(())));
    assert!(told.lock().unwrap()[0].contains("a bad sector"));
}

/// A simple reply whose end cannot be read: the connection ends there. The client gets neither another reply in its place nor has to wait.
#[test]
fn a_disk_that_fails_within_a_simple_reply() {
    use std::{net::Shutdown, os::unix::net::UnixStream, thread, time::Duration};
    /// It can be read up to the end of the first piece, and beyond that fails when the next request waits for the output.
    struct Half;
    impl ReadAt for Half {
        fn size(&self) -> Result<u64, algkit_volume::Error> {
            Ok(4 << 20)
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), algkit_volume::Error> {
            if offset < CHUNK as u64 {
                buf.fill(7);
                return Ok(());
            }
            thread::sleep(Duration::from_millis(200));
            Err(algkit_volume::Error::Read { offset, len: buf.len(), source: std::io::Error::other("a bad sector") })
        }
    }
    impl WriteAt for Half {
        fn write_at(&self, _: u64, _: &[u8]) -> Result<(), algkit_volume::Error> {
            Ok(())
        }
        fn sync(&self) -> Result<(), algkit_volume::Error> {
            Ok(())
        }
    }
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let server = thread::spawn(move || {
        let export = Export::new(&Half);
        let session = handshake(&export, &mut &theirs, &mut &theirs).unwrap().unwrap();
        let hang_up = || theirs.shutdown(Shutdown::Both).unwrap();
        session.serve(&export, &theirs, &theirs, hang_up, 3)
    });
    let requests = [request(0, 0, 0, 2 * CHUNK as u32), request(0, 0, 0, 4096)].concat();
    ours.write_all(&[client(), option(1, b""), requests].concat()).unwrap();
    let mut output = Vec::new();
    ours.read_to_end(&mut output).unwrap();
    // The second request may have been answered before the first one took the output.
    let replies = &output[28..];
    let first = if replies.len() > CHUNK + 16 { &replies[16 + 4096..] } else { replies };
    assert_eq!((error(first), first.len()), (0, 16 + CHUNK));
    assert!(server.join().unwrap().is_err());
}

/// A storage that counts its syncs, which may fail.
struct Synced {
    memory: Memory,
    syncs: AtomicUsize,
    fails: bool,
}

impl ReadAt for Synced {
    fn size(&self) -> Result<u64, Error> {
        self.memory.size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.memory.read_at(offset, buf)
    }
}

impl WriteAt for Synced {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.memory.write_at(offset, data)
    }

    fn sync(&self) -> Result<(), Error> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        let source = std::io::ErrorKind::Other.into();
        if self.fails { Err(Error::Storage { what: "cannot sync", source }) } else { Ok(()) }
    }
}

/// A client that asks for it is told when what it has written would survive a loss of power.
#[test]
fn what_is_flushed_is_synced_before_the_answer() {
    const FUA: u16 = 1;
    for fails in [false, true] {
        for (flags, command, len, syncs) in
            [(0, 1, 512, 0), (FUA, 1, 512, 1), (0, 3, 0, 1), (0, 6, 512, 0), (FUA, 6, 512, 1)]
        {
            let disk = Synced { memory: Memory::new(vec![0; SIZE]), syncs: AtomicUsize::new(0), fails };
            let data = vec![1; if command == 1 { 512 } else { 0 }];
            let (reply, end) = simple(&Export::new(&disk), &[request(flags, command, 0, len), data]);
            end.unwrap();
            assert_eq!(error(&reply), if fails && syncs > 0 { 5 } else { 0 }, "{flags} {command}");
            assert_eq!(disk.syncs.into_inner(), syncs, "{flags} {command}");
        }
    }
}

/// The connection of a client ends, or the server stops, while the data of a write is on its way. The requests before it have arrived, and are answered.
#[test]
fn what_has_arrived_before_a_cut_write_is_answered() {
    use std::{net::Shutdown, os::unix::net::UnixStream, thread, time::Duration};
    /// A disk that is still syncing when the connection is cut.
    struct Slow(Memory);
    impl ReadAt for Slow {
        fn size(&self) -> Result<u64, Error> {
            self.0.size()
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
            self.0.read_at(offset, buf)
        }
    }
    impl WriteAt for Slow {
        fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
            self.0.write_at(offset, data)
        }
        fn sync(&self) -> Result<(), Error> {
            thread::sleep(Duration::from_millis(200));
            Ok(())
        }
    }
    let disk = Slow(Memory::new(vec![0; SIZE]));
    let export = Export::new(&disk);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let cut = [client(), option(1, b""), request(0, 3, 0, 0), request(0, 1, 0, 1 << 20), vec![1; 1000]].concat();
    ours.write_all(&cut).unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    let hang_up = || theirs.shutdown(Shutdown::Both).unwrap();
    let session = handshake(&export, &mut &theirs, &mut &theirs).unwrap().unwrap();
    let ended = session.serve(&export, &theirs, &theirs, hang_up, 2);
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    hang_up();
    let mut replies = Vec::new();
    ours.read_to_end(&mut replies).unwrap();
    assert_eq!(replies.len(), 28 + 16);
    assert_eq!(error(&replies[28..]), 0);
}
