//! Every hash of the catalogue with the drivers of every mask gives the digest of the portable driver, however the
//! message is split, also when it is continued from a clone. A buffer of the wrong length is refused.
#![no_main]

use algkit::{Error, Hash, Type, WeakKeys};
use algkit_fuzz::{Bytes, Choice, Message, REFERENCE, UNTOUCHED};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    choice: Choice,
    key: Option<Bytes>,
    message: Message,
    out_len: u8,
}

fuzz_target!(|input: Input| {
    let (name, _, registry) = input.choice.pick(&[Type::Hash]);
    let (unkeyed, reference) = (registry.hash(name).unwrap(), REFERENCE.hash(name).unwrap());
    let keyed = match &input.key {
        None => (unkeyed.unkeyed(), reference.unkeyed()),
        Some(key) => {
            let key = key.key(unkeyed.driver());
            (unkeyed.key_with(&key, WeakKeys::Allow), reference.key_with(&key, WeakKeys::Allow))
        }
    };
    match keyed {
        (Ok(hash), Ok(reference)) => compare(&input, &hash, &reference),
        (hash, reference) => assert_eq!(hash.err(), reference.err(), "{name}"),
    }
});

fn compare(input: &Input, hash: &Hash, reference: &Hash) {
    let driver = hash.driver();
    let data = input.message.text(&driver.shape);
    let want = reference.digest(&data);
    assert_eq!(hash.digest(&data), want, "{driver:?}");

    let pieces = input.message.pieces(&data);
    let mut state = hash.start();
    let mut copy = None;
    for (i, piece) in pieces.iter().enumerate() {
        if i == pieces.len() / 2 {
            copy = Some((state.clone(), i));
        }
        state.update(piece);
    }
    assert_eq!(state.finish(), want, "{driver:?}");
    if let Some((mut copy, done)) = copy {
        pieces[done..].iter().for_each(|piece| copy.update(piece));
        assert_eq!(copy.finish(), want, "{driver:?}");
    }

    let mut out = vec![UNTOUCHED; input.out_len.into()];
    match hash.digest_into(&pieces, &mut out) {
        Ok(()) => {
            let mut want = vec![0; out.len()];
            reference.digest_into(&[&data], &mut want).unwrap();
            assert_eq!(out, want, "{driver:?}");
        }
        Err(error) => {
            assert_eq!(error, Error::OutputLength { got: out.len(), want: want.len() }, "{driver:?}");
            assert!(out.iter().all(|&b| b == UNTOUCHED), "{driver:?}");
        }
    }

    let mut tag = want;
    assert!(hash.verify(&data, &tag), "{driver:?}");
    // The digest of `digest_null` is empty.
    if let Some(place) = usize::from(input.out_len).checked_rem(tag.len()) {
        tag[place] ^= 1;
        assert!(!hash.verify(&data, &tag), "{driver:?}");
    }
}
