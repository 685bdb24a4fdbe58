//! Texts that come in parts, beside a copy, against the same in one call.

mod common;

use algkit::{Direction, Error, InOut, Parts, Policy, Skcipher};
use common::{Random, drivers_of, masked};

const IV: [u8; 16] = [7; 16];

fn nothing<'a>() -> InOut<'a> {
    InOut::from(&mut [][..])
}

/// `text` with cuts after so many bytes, each part out of place and beside a share of `copied`; `None` if the driver takes
/// whole texts only.
fn in_parts(
    tfm: &Skcipher,
    direction: Direction,
    text: &[u8],
    cuts: [usize; 2],
    copied: &mut Vec<u8>,
) -> Option<Vec<u8>> {
    let source = copied.clone();
    copied.fill(0);
    let mut out = vec![0; text.len()];
    let mut parts = Parts::new(direction, &IV, text.len());
    let [one, two] = cuts;
    for (k, range) in [0..one, one..two, two..text.len()].into_iter().enumerate() {
        let share = source.len() * k / 3..source.len() * (k + 1) / 3;
        let beside = InOut::new(&source[share.clone()], &mut copied[share]).unwrap();
        if !tfm.part(&mut parts, InOut::new(&text[range.clone()], &mut out[range]).unwrap(), beside).unwrap() {
            assert!(k == 0 && out.iter().chain(&*copied).all(|&byte| byte == 0), "nothing is done");
            return None;
        }
    }
    Some(out)
}

#[test]
fn parts_are_the_whole() {
    let mut random = Random(3);
    let mut taken = Vec::new();
    for (registry, drivers) in drivers_of("xts(aes)") {
        for driver in drivers {
            let tfm = registry.transform::<Skcipher>(&driver.driver).unwrap().key(&random.bytes(64)).unwrap();
            for len in [16, 17, 31, 48, 500, 4096, 4103, 20_000] {
                let plain = random.bytes(len);
                let mut sealed = plain.clone();
                tfm.encrypt_once(&IV, &mut sealed[..]).unwrap();
                for share in [0, len / 2, len, 3 * len] {
                    // Whole blocks, and a block at least for the end.
                    let blocks = len / 16;
                    let one = random.below(blocks) * 16;
                    let cuts = [one, one + random.below(blocks - one / 16) * 16];
                    for (direction, from, want) in
                        [(Direction::Encrypt, &plain, &sealed), (Direction::Decrypt, &sealed, &plain)]
                    {
                        let (source, mut copied) = (random.bytes(share), Vec::new());
                        copied.extend_from_slice(&source);
                        let what = || format!("{}: {len} bytes cut at {cuts:?} beside {share}", driver.driver);
                        match in_parts(&tfm, direction, from, cuts, &mut copied) {
                            Some(out) => {
                                assert!(out == *want && copied == source, "{}", what());
                                taken.push(driver.driver.clone());
                            }
                            None => assert!(!driver.driver.contains("vaes"), "{}", what()),
                        }
                    }
                }
            }
        }
    }
    assert!(!taken.is_empty() || !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")));
}

#[test]
fn a_part_is_whole_blocks_and_leaves_one_for_the_end() {
    let xts =
        masked("", Policy::Table).transform::<Skcipher>("xts(aes)").unwrap().key(&[&[1; 16][..], &[2; 16]].concat());
    let xts = xts.unwrap();
    let mut buffer = [0; 64];
    let refused = xts.part(&mut Parts::new(Direction::Encrypt, &IV, 15), InOut::from(&mut buffer[..15]), nothing());
    assert!(matches!(refused, Err(Error::TextLength { .. })));
    let mut parts = Parts::new(Direction::Encrypt, &IV, 40);
    for wrong in [15, 17, 32, 39, 41] {
        let refused = xts.part(&mut parts, InOut::from(&mut buffer[..wrong]), nothing());
        assert!(matches!(refused, Err(Error::TextLength { .. })), "{wrong}");
    }
    assert_eq!(buffer, [0; 64]);
}

#[test]
fn other_modes_take_whole_texts() {
    let registry = masked("", Policy::Table);
    for name in ["ctr(aes)", "cbc(aes)", "chacha20"] {
        let tfm = registry.transform::<Skcipher>(name).unwrap().key(&[3; 32]).unwrap();
        let mut buffer = [9; 64];
        let mut parts = Parts::new(Direction::Encrypt, &IV, 64);
        assert_eq!(tfm.part(&mut parts, InOut::from(&mut buffer[..]), nothing()), Ok(false), "{name}");
        assert_eq!(buffer, [9; 64], "{name}");
    }
}
