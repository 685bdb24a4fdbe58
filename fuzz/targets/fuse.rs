//! Arbitrary messages in the place of the kernel's FUSE requests: the file system must not panic, reach outside of its storage, or write to one that is
//! read-only, and what it answers must be what the kernel takes for a reply to the request.
#![no_main]

use algkit_fuzz::Disk;
use algkit_volume::fuse::{Options, answers};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

/// The largest number of bytes that a request reads or writes.
const MAX_REQUEST: u32 = 4096;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    read_only: bool,
    /// The size of the storage in bytes.
    size: u16,
    /// Messages with a head that says their length.
    requests: Vec<Request<'a>>,
    /// This must be the last field, because it takes the rest of the input.
    rest: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct Request<'a> {
    opcode: u8,
    unique: u64,
    node: u8,
    /// Reads and writes have these fields right, and as much data as they say.
    offset: i32,
    len: u16,
    body: &'a [u8],
}

impl Request<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut body = self.body.to_vec();
        if matches!(self.opcode, 15 | 16) {
            let range =
                [&[0; 8][..], &i64::from(self.offset).to_ne_bytes(), &u32::from(self.len).to_ne_bytes(), &[0; 20]];
            body = range.concat();
        }
        if self.opcode == 16 {
            body.resize(body.len() + usize::from(self.len), 1);
        }
        let (len, opcode) = ((40 + body.len()) as u32, u32::from(self.opcode));
        let (unique, node) = (self.unique, u64::from(self.node));
        let head =
            [&len.to_ne_bytes()[..], &opcode.to_ne_bytes(), &unique.to_ne_bytes(), &node.to_ne_bytes(), &[0; 16]];
        [&head.concat(), &body[..]].concat()
    }
}

fuzz_target!(|input: Input<'_>| {
    let disk = Disk { size: input.size.into(), read_only: input.read_only, discard: false };
    let options = Options { read_only: input.read_only, threads: 1, failed: Box::new(|error| panic!("{error}")) };
    let mut messages: Vec<_> = input.requests.iter().map(Request::bytes).collect();
    messages.push(input.rest.to_vec());
    let messages = messages.iter().map(|message| &message[..]);
    let check = |message: &[u8], reply: Option<&[u8]>| {
        let number = |bytes: &[u8], at: usize| i32::from_ne_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let opcode = number(message, 4);
        let Some(reply) = reply else {
            assert!(matches!(opcode, 2 | 41 | 42), "no reply to {opcode}");
            return;
        };
        assert_eq!(number(reply, 0) as usize, reply.len());
        assert_eq!(reply[8..16], message[8..16]);
        let error = number(reply, 4);
        assert!(error == 0 || (-511..0).contains(&error) && reply.len() == 16, "error {error}");
        // No more is sent than was asked for.
        if matches!(opcode, 15 | 28) && error == 0 {
            assert!(reply.len() - 16 <= number(message, 56) as u32 as usize);
        }
    };
    answers(disk, options, MAX_REQUEST, messages, check).expect("a size");
});
