//! STREAM: compared with the crate `aead-stream`, and tested against changed ciphertexts.
#![cfg(all(feature = "aes", feature = "chacha"))]

use aead_stream::{DecryptorBE32, EncryptorBE32};
use aes_gcm::{Aes128Gcm, KeyInit, aead::Payload};
use algkit::{
    Error,
    stream::{Opener, PREFIX, Sealer},
};

const KEY: [u8; 16] = [0x42; 16];
const PREFIX_BYTES: [u8; PREFIX] = [1, 2, 3, 4, 5, 6, 7];

fn gcm() -> algkit::Aead {
    algkit::aead("gcm(aes)").unwrap().key(&KEY).unwrap()
}

/// The chunks of a text, each followed by its tag.
fn sealed(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut sealer = Sealer::new(gcm(), &PREFIX_BYTES).unwrap();
    let (last, others) = chunks.split_last().unwrap();
    let mut sealed = Vec::new();
    for chunk in others {
        let (mut text, mut tag) = (chunk.to_vec(), [0; 16]);
        sealer.seal(b"assoc", &mut text[..], &mut tag).unwrap();
        sealed.push([&text[..], &tag].concat());
    }
    let (mut text, mut tag) = (last.to_vec(), [0; 16]);
    sealer.seal_last(b"assoc", &mut text[..], &mut tag).unwrap();
    sealed.push([&text[..], &tag].concat());
    sealed
}

fn opened(chunks: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let mut opener = Opener::new(gcm(), &PREFIX_BYTES).unwrap();
    let (last, others) = chunks.split_last().unwrap();
    let mut all = Vec::new();
    let cut = |chunk: &[u8]| (chunk[..chunk.len() - 16].to_vec(), chunk[chunk.len() - 16..].to_vec());
    for chunk in others {
        let (mut text, tag) = cut(chunk);
        opener.open(b"assoc", &mut text[..], &tag)?;
        all.extend(text);
    }
    let (mut text, tag) = cut(last);
    opener.open_last(b"assoc", &mut text[..], &tag)?;
    all.extend(text);
    Ok(all)
}

const TEXT: [&[u8]; 4] = [b"first of four chunks", b"second", b"", b"and the last"];

#[test]
fn another_implementation_seals_and_opens_the_same() {
    let nonce = &PREFIX_BYTES.into();
    let mut other = EncryptorBE32::from_aead(Aes128Gcm::new(&KEY.into()), nonce);
    let (last, others) = TEXT.split_last().unwrap();
    let mut theirs: Vec<_> =
        others.iter().map(|msg| other.encrypt_next(Payload { msg, aad: b"assoc" }).unwrap()).collect();
    theirs.push(other.encrypt_last(Payload { msg: last, aad: b"assoc" }).unwrap());
    let ours = sealed(&TEXT);
    assert_eq!(ours, theirs);

    let mut other = DecryptorBE32::from_aead(Aes128Gcm::new(&KEY.into()), nonce);
    let (last, others) = ours.split_last().unwrap();
    let mut text: Vec<u8> =
        others.iter().flat_map(|msg| other.decrypt_next(Payload { msg, aad: b"assoc" }).unwrap()).collect();
    text.extend(other.decrypt_last(Payload { msg: last, aad: b"assoc" }).unwrap());
    assert_eq!(text, TEXT.concat());
    assert_eq!(opened(&theirs).unwrap(), TEXT.concat());
}

#[test]
fn another_implementation_seals_three_hundred_chunks_the_same() {
    let mut other = EncryptorBE32::from_aead(Aes128Gcm::new(&KEY.into()), &PREFIX_BYTES.into());
    let mut theirs: Vec<_> =
        (0..299).map(|_| other.encrypt_next(Payload { msg: b"chunk", aad: b"assoc" }).unwrap()).collect();
    theirs.push(other.encrypt_last(Payload { msg: b"chunk", aad: b"assoc" }).unwrap());
    assert_eq!(sealed(&[&b"chunk"[..]; 300]), theirs);
}

#[test]
fn chunks_keep_their_places() {
    let all = sealed(&TEXT);
    let [a, b, c, d] = <[_; 4]>::try_from(all.clone()).unwrap();
    for changed in [
        vec![a.clone(), b.clone(), c.clone()],            // cut short
        vec![a.clone(), b.clone(), d.clone()],            // one left out
        vec![b.clone(), a.clone(), c.clone(), d.clone()], // another order
        vec![a.clone(), a.clone(), c.clone(), d.clone()], // one twice
        vec![a, b, c, d.clone(), d],                      // a chunk after the last one
    ] {
        assert_eq!(opened(&changed), Err(Error::Authentication));
    }
    for chunk in 0..4 {
        for byte in 0..all[chunk].len() {
            let mut changed = all.clone();
            changed[chunk][byte] ^= 1;
            assert_eq!(opened(&changed), Err(Error::Authentication), "byte {byte} of chunk {chunk}");
        }
    }
}

#[test]
fn a_refused_chunk_ends_the_stream_and_leaves_nothing() {
    let all = sealed(&TEXT);
    let mut opener = Opener::new(gcm(), &PREFIX_BYTES).unwrap();
    let (text, tag) = all[0].split_at(all[0].len() - 16);
    let mut wrong = text.to_vec();
    wrong[0] ^= 1;
    assert_eq!(opener.open(b"assoc", &mut wrong[..], tag), Err(Error::Authentication));
    assert!(wrong.iter().all(|&byte| byte == 0));
    let mut right = text.to_vec();
    assert!(matches!(opener.open(b"assoc", &mut right[..], tag), Err(Error::StreamEnded(_))));
    assert_eq!(right, text, "untouched");

    let mut opener = Opener::new(gcm(), &PREFIX_BYTES).unwrap();
    assert!(matches!(opener.open(b"assoc", &mut right[..], &tag[..5]), Err(Error::TagLength { got: 5, .. })));
    assert!(matches!(opener.open(b"assoc", &mut right[..], tag), Err(Error::StreamEnded(_))));
    assert_eq!(right, text, "untouched");
}

#[test]
fn only_aeads_with_nonces_of_twelve_bytes() {
    let chacha = algkit::aead("rfc7539(chacha20,poly1305)").unwrap().key(&[0; 32]).unwrap();
    assert!(Sealer::new(chacha, &PREFIX_BYTES).is_ok());
    let ccm = algkit::aead("ccm(aes)").unwrap().key(&KEY).unwrap();
    assert!(matches!(Sealer::new(ccm, &PREFIX_BYTES), Err(Error::NotForStream { ivsize: 16, .. })));
}
