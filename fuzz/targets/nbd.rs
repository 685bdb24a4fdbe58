//! Arbitrary bytes from an NBD client: the server must not panic, reach outside of the export, or change one that is read-only.
#![no_main]

use algkit_fuzz::Disk;
use algkit_volume::nbd::{Client, Export};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::io;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    read_only: bool,
    discard: bool,
    /// Whether the server needs TLS. Then what is sent behind that option stands for what a client sends through TLS.
    tls: bool,
    /// The size of the export in sectors of 512 bytes; from 240 on in pages of 4096, so that a request may have several pieces.
    size: u8,
    /// Options and requests with correct magic numbers; options with correct lengths.
    options: Vec<(u8, &'a [u8])>,
    requests: Vec<Request>,
    /// This must be the last field, because it takes the rest of the input.
    rest: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct Request {
    flags: u16,
    command: u8,
    offset: i32,
    len: u32,
}

fuzz_target!(|input: Input<'_>| {
    let Input { read_only, discard, .. } = input;
    let size = u64::from(input.size) * if input.size < 240 { 512 } else { 4096 };
    let disk = Disk { size, read_only, discard };
    let export = Export { read_only, discard, ..Export::new(&disk) };
    let mut sent = vec![0, 0, 0, 3];
    for (option, data) in &input.options {
        sent.extend(b"IHAVEOPT");
        sent.extend(u32::from(*option).to_be_bytes());
        sent.extend((data.len() as u32).to_be_bytes());
        sent.extend(*data);
    }
    for Request { flags, command, offset, len } in &input.requests {
        sent.extend(0x2560_9513u32.to_be_bytes());
        sent.extend(flags.to_be_bytes());
        sent.extend(u16::from(*command % 9).to_be_bytes());
        sent.extend([0; 8]);
        sent.extend(i64::from(*offset).to_be_bytes());
        let len = len % 0x10_0000;
        sent.extend(len.to_be_bytes());
        if *command % 9 == 1 {
            sent.resize(sent.len() + len as usize % 8192, 1);
        }
    }
    sent.extend(input.rest);
    let (mut from, mut to) = (&sent[..], io::sink());
    let session = Client::greet(&mut from, &mut to).and_then(|mut client| {
        if input.tls && !client.wait_for_tls(&mut from, &mut to)? {
            return Ok(None);
        }
        client.choose(&export, &mut from, &mut to, || true)
    });
    if let Ok(Some(session)) = session {
        let _ = session.serve(&export, from, to, || {}, 1);
    }
});
