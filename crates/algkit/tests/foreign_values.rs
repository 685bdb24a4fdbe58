//! Messages that `data/composed.py` made with OpenSSL and from the definitions of the modes: every driver, in all memory layouts.
#![cfg(all(feature = "aes", feature = "chacha", feature = "sha", target_endian = "little"))]

mod common;

use algkit::{Aead, Error, Skcipher, Type};
use common::{Random, drivers_of, in_random_layout};
use std::collections::BTreeMap;

/// A message: key, IV, associated data, text, and what becomes of the text.
struct Message([Vec<u8>; 5]);

/// The messages of each algorithm.
fn messages() -> BTreeMap<&'static str, Vec<Message>> {
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for line in include_str!("data/composed.txt").lines() {
        let mut fields = line.split(' ');
        let name = fields.next().expect("a name");
        let fields: Vec<_> = fields.map(unhex).collect();
        all.entry(name).or_default().push(Message(fields.try_into().expect("five fields")));
    }
    all
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn composed_modes_are_what_others_say_that_they_are() {
    let (mut random, mut count) = (Random(31), 0);
    for (name, messages) in messages() {
        for (registry, drivers) in drivers_of(name) {
            for driver in drivers {
                for (number, Message([key, iv, assoc, plain, out])) in messages.iter().enumerate() {
                    let what = format!("{}: message {number} of {} bytes", driver.driver, plain.len());
                    count += 1;
                    match driver.kind {
                        Type::Skcipher => {
                            let cipher: Skcipher = registry.skcipher(&driver.driver).unwrap().key(key).unwrap();
                            let got = in_random_layout(&mut random, plain, |text| {
                                cipher.encrypt(&mut iv.clone(), text).unwrap();
                            });
                            assert!(got == *out, "{what}");
                            let got = in_random_layout(&mut random, out, |text| {
                                cipher.decrypt(&mut iv.clone(), text).unwrap();
                            });
                            assert!(got == *plain, "decrypted: {what}");
                        }
                        _ => {
                            let aead: Aead = registry.aead(&driver.driver).unwrap().key(key).unwrap();
                            let (sealed, tag) = out.split_at(plain.len());
                            let (front, back) = assoc.split_at(random.below(assoc.len() + 1));
                            let mut got_tag = vec![0; tag.len()];
                            let got = in_random_layout(&mut random, plain, |text| {
                                aead.encrypt(iv, &[front, back], text, &mut got_tag).unwrap();
                            });
                            assert!(got == sealed && got_tag == tag, "{what}");
                            let got = in_random_layout(&mut random, sealed, |text| {
                                aead.decrypt(iv, &[front, back], text, tag).unwrap();
                            });
                            assert!(got == *plain, "decrypted: {what}");
                            got_tag[random.below(tag.len())] ^= 1 << random.below(8);
                            let got = in_random_layout(&mut random, sealed, |text| {
                                assert_eq!(aead.decrypt(iv, &[assoc], text, &got_tag), Err(Error::Authentication));
                            });
                            assert!(got.iter().all(|&byte| byte == 0), "wiped: {what}");
                        }
                    }
                }
            }
        }
    }
    assert!(count > 1000, "only {count}");
}
