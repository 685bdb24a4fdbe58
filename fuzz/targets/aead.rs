//! Every AEAD of the catalogue with the drivers of every mask, with valid and invalid lengths. A driver returns errors
//! and does not panic, and it does so before it writes anything. Its ciphertext is that of the portable driver, in
//! every layout of the text. Decryption restores the text, and a message that was tampered with gives nothing. A driver
//! that makes the IV has another ciphertext than the portable driver; then each opens what the other has sealed.
#![no_main]

use algkit::{Aead, Error, Text, Type, WeakKeys};
use algkit_fuzz::{Bytes, Choice, Message, REFERENCE, UNTOUCHED, same};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    choice: Choice,
    key: Bytes,
    iv: Bytes,
    assoc: Bytes,
    tag: Bytes,
    message: Message,
    tamper: Option<(u16, u8)>,
}

fuzz_target!(|input: Input| {
    let (name, _, registry) = input.choice.pick(&[Type::Aead]);
    let unkeyed = registry.aead(name).unwrap();
    let key = input.key.key(unkeyed.driver());
    let reference = REFERENCE.aead(name).unwrap().key_with(&key, WeakKeys::Allow);
    match (unkeyed.key_with(&key, WeakKeys::Allow), reference) {
        (Ok(aead), Ok(reference)) => compare(&input, &aead, &reference),
        (aead, reference) => assert_eq!(aead.err(), reference.err(), "{name}"),
    }
});

fn compare(input: &Input, aead: &Aead, reference: &Aead) {
    let Input { iv, assoc, tag, message, tamper, .. } = input;
    let driver = aead.driver();
    let (iv, assoc, plain) = (iv.iv(driver), assoc.assoc(), message.text(&driver.shape));
    let mut tag = vec![UNTOUCHED; tag.tag_len(&driver.shape.tags)];
    let mut want_tag = tag.clone();
    let mut want = plain.clone();
    let expected = reference.encrypt(&iv, &[&assoc], want.as_mut_slice(), &mut want_tag);

    let pieces = message.pieces(&assoc);
    let (sealed, outcome) = message.run(&plain, |text| aead.encrypt(&iv, &pieces, text, &mut tag));
    assert_eq!(outcome, expected, "{driver:?}");
    if outcome.is_err() {
        assert!(message.is_untouched(&plain, &sealed) && tag.iter().all(|&b| b == UNTOUCHED), "{driver:?}");
        return;
    }
    // A driver that makes the IV puts it before the text, and no two messages are equal. So each driver opens the
    // message of the other.
    let makes_iv = ["seqiv(", "echainiv("].iter().any(|template| driver.name.starts_with(template));
    let room = if makes_iv { iv.len() } else { 0 };
    if room > 0 {
        let (opened, outcome) = message.run(&want, |text| aead.decrypt(&iv, &pieces, text, &want_tag));
        assert_eq!(outcome, Ok(()), "{driver:?}");
        same("text that the portable driver sealed", driver, &opened[room..], &plain[room..]);
        want.copy_from_slice(&sealed);
        assert_eq!(reference.decrypt(&iv, &[&assoc], want.as_mut_slice(), &tag), Ok(()), "{driver:?}");
        same("text that the portable driver opens", driver, &want[room..], &plain[room..]);
    } else {
        same("ciphertext", driver, &sealed, &want);
        same("tag", driver, &tag, &want_tag);
    }

    let (opened, outcome) = message.run(&sealed, |text| aead.decrypt(&iv, &pieces, text, &tag));
    assert_eq!(outcome, Ok(()), "{driver:?}");
    same("IV in front", driver, &opened[..room], &sealed[..room]);
    same("text", driver, &opened[room..], &plain[room..]);

    if let Some((at, change)) = *tamper {
        tampered(aead, message, &iv, (assoc, sealed, tag), at.into(), change.max(1));
    }
}

/// Changes a byte and expects an error, with zeros in the destination.
fn tampered(
    aead: &Aead,
    message: &Message,
    iv: &[u8],
    (mut assoc, mut sealed, mut tag): (Vec<u8>, Vec<u8>, Vec<u8>),
    at: usize,
    change: u8,
) {
    let driver = aead.driver();
    // These do not authenticate the copy of the IV at the end of the associated data.
    let ignores_end = ["rfc4106", "rfc4309", "rfc7539esp", "essiv"].iter().any(|t| driver.name.starts_with(t));
    let covered = assoc.len() - if ignores_end { iv.len() } else { 0 };
    // A short tag may match by chance after a change elsewhere, so the tag itself is changed.
    let mut places: Vec<&mut u8> = match tag.len() {
        8.. => assoc[..covered].iter_mut().chain(&mut sealed).chain(&mut tag).collect(),
        _ => tag.iter_mut().collect(),
    };
    let n = places.len();
    *places[at % n] ^= change;
    let (opened, outcome) =
        message.run(&sealed, |text: Text<'_>| aead.decrypt(iv, &message.pieces(&assoc), text, &tag));
    assert_eq!(outcome, Err(Error::Authentication), "{driver:?}");
    assert!(opened.iter().all(|&b| b == 0), "{driver:?} left plaintext behind");
}
