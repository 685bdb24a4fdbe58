//! Messages that are longer than memory, because one piece is in them many times.
#![cfg(all(unix, feature = "aes"))]

use algkit::{
    Error,
    batch::{self, Request},
};
use std::{ptr, slice};

/// The number of pieces. Together they have as many bytes as there are addresses, so the sum of their lengths can be 0.
const PIECES: usize = 1 << 19;

/// One piece of readable memory that holds zeros and takes none.
fn piece() -> &'static [u8] {
    let len = (usize::MAX / PIECES) + 1;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a mapping at an address of the system's choice overlaps nothing.
    let start = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    // SAFETY: the mapping is readable, holds zeros, and stays until the program ends.
    unsafe { slice::from_raw_parts(start.cast(), len) }
}

#[test]
fn a_sum_of_lengths_does_not_begin_again() {
    let piece = piece();
    let all = vec![piece; PIECES];
    let half = PIECES / 2;
    let rest = [&all[..], &[&piece[..20]]].concat();
    let (mut text, mut tag) = ([7; 64], [5; 16]);
    let key: Vec<u8> = (0..36).collect();
    let sixteen = algkit::authenc_key(&[1; 32], &[2; 16]);
    for (name, key, iv) in [
        ("rfc4106(gcm(aes))", &key[..20], 8),
        ("rfc4543(gcm(aes))", &key[..20], 8),
        ("seqiv(rfc4106(gcm(aes)))", &key[..20], 8),
        ("gcm(aes)", &key[..16], 12),
        ("rfc7539esp(chacha20,poly1305)", &key[..36], 8),
        ("essiv(authenc(hmac(sha256),cbc(aes)),sha256)", &sixteen[..], 16),
        ("authencesn(hmac(sha256),cbc(aes))", &sixteen[..], 16),
    ] {
        let Ok(aead) = algkit::aead(name) else { continue };
        let (aead, iv) = (aead.key(key).unwrap(), vec![0; iv]);
        for pieces in [&rest[..], &all[..], &all[..half]] {
            let len = if pieces.len() > half { usize::MAX } else { isize::MAX as usize + 1 };
            let refused = |done: Result<(), Error>| match done {
                Err(Error::AssocLength { got, .. }) => assert_eq!(got, len, "{name}, {} pieces", pieces.len()),
                other => panic!("{name}, {} pieces: {other:?}", pieces.len()),
            };
            refused(aead.encrypt(&iv, pieces, &mut text[..], &mut tag));
            refused(aead.decrypt(&iv, pieces, &mut text[..], &tag));
            let in_batch = |request: Request<'_>| batch::run(&mut [request]).check();
            refused(in_batch(Request::seal(&aead, &iv, pieces, &mut text[..], &mut tag)));
            refused(in_batch(Request::open(&aead, &iv, pieces, &mut text[..], &tag)));
            assert_eq!((text, tag), ([7; 64], [5; 16]), "{name}");
        }
    }
}
