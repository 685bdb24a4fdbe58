//! Every cipher of the catalogue, with a mode and without, with the drivers of every mask, with valid and invalid
//! lengths. A driver returns errors and does not panic, and it does so before it writes anything. Text and chaining
//! value are those of the portable driver, in every layout of the text. Decryption inverts encryption. A wrapped key
//! that was never wrapped is refused and leaves no bytes.
#![no_main]

use algkit::{Cipher, Direction, Error, InOut, Skcipher, Type, WeakKeys, driver::TextRule};
use algkit_fuzz::{Bytes, Choice, Message, REFERENCE, same};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    choice: Choice,
    key: Bytes,
    weak: bool,
    iv: Bytes,
    message: Message,
}

fuzz_target!(|input: Input| {
    let (name, kind, registry) = input.choice.pick(&[Type::Cipher, Type::Skcipher]);
    let weak = if input.weak { WeakKeys::Allow } else { WeakKeys::Refuse };
    if kind == Type::Cipher {
        let (unkeyed, reference) = (registry.cipher(name).unwrap(), REFERENCE.cipher(name).unwrap());
        let key = input.key.key(unkeyed.driver());
        match (unkeyed.key_with(&key, weak), reference.key_with(&key, weak)) {
            (Ok(cipher), Ok(reference)) => compare_blocks(&input, &cipher, &reference),
            (cipher, reference) => assert_eq!(cipher.err(), reference.err(), "{name}"),
        }
    } else {
        let (unkeyed, reference) = (registry.skcipher(name).unwrap(), REFERENCE.skcipher(name).unwrap());
        let key = input.key.key(unkeyed.driver());
        match (unkeyed.key_with(&key, weak), reference.key_with(&key, weak)) {
            (Ok(cipher), Ok(reference)) => compare(&input, &cipher, &reference),
            (cipher, reference) => assert_eq!(cipher.err(), reference.err(), "{name}"),
        }
    }
});

fn compare(input: &Input, cipher: &Skcipher, reference: &Skcipher) {
    let driver = cipher.driver();
    let (iv, message) = (input.iv.iv(driver), &input.message);
    let plain = message.text(&driver.shape);
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let (mut chain, mut want_chain, mut want) = (iv.clone(), iv.clone(), plain.clone());
        let expected = reference.crypt(direction, &mut want_chain, &mut want.as_mut_slice().into());
        let (out, outcome) = message.run(&plain, |mut text| cipher.crypt(direction, &mut chain, &mut text));
        assert_eq!(outcome, expected, "{driver:?}");
        match outcome {
            Ok(()) => same("output", driver, &out, &want),
            Err(Error::Authentication) => assert!(out.iter().all(|&b| b == 0), "{driver:?} left something behind"),
            Err(_) => assert!(message.is_untouched(&plain, &out) && chain == iv, "{driver:?}"),
        }
        if outcome.is_err() {
            continue;
        }
        same("chaining value", driver, &chain, &want_chain);

        let back = if direction == Direction::Encrypt { Direction::Decrypt } else { Direction::Encrypt };
        // A wrapped key begins in the IV.
        let mut iv = if driver.shape.text == TextRule::Wrapped { chain } else { iv.clone() };
        let (there_and_back, outcome) = message.run(&out, |mut text| cipher.crypt(back, &mut iv, &mut text));
        assert_eq!(outcome, Ok(()), "{driver:?} {direction:?}");
        same("text, there and back", driver, &there_and_back, &plain);
    }
}

fn compare_blocks(input: &Input, cipher: &Cipher, reference: &Cipher) {
    let driver = cipher.driver();
    let plain = input.message.text(&driver.shape);
    let (mut out, mut want) = (plain.clone(), plain.clone());
    assert_eq!(cipher.encrypt(out.as_mut_slice()), reference.encrypt(want.as_mut_slice()), "{driver:?}");
    same("blocks", driver, &out, &want);
    let mut apart = vec![0; plain.len()];
    if cipher.decrypt(InOut::new(&out, &mut apart).expect("equal lengths")).is_ok() {
        same("blocks, there and back", driver, &apart, &plain);
    } else {
        same("blocks after an error", driver, &out, &plain);
    }
}
