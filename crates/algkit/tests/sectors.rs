//! Compares one call for many sectors with one call per sector, with IVs as dm-crypt's documentation defines them.
#![cfg(feature = "aes")]

use algkit::{
    Direction, Error, Skcipher,
    sectors::{SectorIv, Sectors},
};

fn cipher(name: &str, key: usize) -> Skcipher {
    algkit::skcipher(name).unwrap().key(&(0..key as u8).collect::<Vec<_>>()).unwrap()
}

/// The 16-byte IV of each kind, computed independently.
fn iv(kind: SectorIv, n: u64) -> [u8; 16] {
    match kind {
        SectorIv::Null => [0; 16],
        SectorIv::Plain => u128::from(n as u32).to_le_bytes(),
        SectorIv::Plain64 => u128::from(n).to_le_bytes(),
        SectorIv::Plain64be => u128::from(n).to_be_bytes(),
        // A sector of 512 bytes has 32 blocks of 16 bytes.
        SectorIv::Benbi => u128::from(n * 32 + 1).to_be_bytes(),
        other => panic!("{other:?}"),
    }
}

const KINDS: [SectorIv; 5] = [SectorIv::Null, SectorIv::Plain, SectorIv::Plain64, SectorIv::Plain64be, SectorIv::Benbi];

#[test]
fn each_sector_is_what_it_is_by_itself() {
    for (name, key) in
        [("xts(aes)", 64), ("cbc(aes)", 32), ("essiv(cbc(aes),sha256)", 32), ("lrw(aes)", 32), ("ctr(aes)", 16)]
    {
        let cipher = cipher(name, key);
        // Sector counts below, at and above a full list, and numbers beyond 32 bits.
        for (first, size, count, step) in
            [(0, 512, 1, 1), (7, 512, 64, 1), (1 << 32, 512, 130, 1), (0xffff_fffe, 4096, 67, 8), (3, 16, 65, 1)]
        {
            // With the others, sectors of a stream cipher would share their key stream.
            let kinds = KINDS.into_iter().filter(|kind| name != "ctr(aes)" || *kind == SectorIv::Plain64);
            for kind in kinds {
                let plain: Vec<u8> = (0..size * count).map(|i| (i * 7 + i / 251) as u8).collect();
                let mut want = plain.clone();
                for (i, sector) in want.chunks_mut(size).enumerate() {
                    cipher.encrypt(&mut iv(kind, first + i as u64 * step), sector).unwrap();
                }
                let sectors = Sectors::new(first, size).iv(kind).step(step);
                let mut got = plain.clone();
                sectors.encrypt(&cipher, &mut got).unwrap();
                assert!(got == want, "{name}, {count} sectors of {size} from {first}, {kind:?}");
                sectors.decrypt(&cipher, &mut got).unwrap();
                assert!(got == plain, "{name}, {kind:?}, decrypted");
                let own = |n: u64, to: &mut [u8]| to.copy_from_slice(&iv(kind, n));
                sectors.crypt_with(&cipher, Direction::Encrypt, &mut got, own).unwrap();
                assert!(got == want, "{name}, {kind:?}, with an IV of its own");
            }
        }
    }
}

#[test]
fn numbers_do_not_begin_again() {
    let cipher = cipher("xts(aes)", 64);
    let mut two = vec![1; 1024];
    Sectors::new(u64::MAX - 1, 512).encrypt(&cipher, &mut two).unwrap();
    let before = two.clone();
    let refused = |sectors: Sectors, buffer: &mut [u8]| match sectors.encrypt(&cipher, buffer) {
        Err(Error::SectorNumber { first, sectors }) => (first, sectors),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Sectors::new(u64::MAX, 512), &mut two), (u64::MAX, 2));
    assert_eq!(refused(Sectors::new(1, 512).step(u64::MAX), &mut two), (1, 2));
    // A sector has 32 blocks of 16 bytes, so block numbers are 5 bits longer.
    assert_eq!(refused(Sectors::new(u64::MAX / 32, 512).iv(SectorIv::Benbi), &mut two), (u64::MAX / 32, 2));
    assert_eq!(two, before, "nothing was written");
}

#[test]
fn parts_of_sectors_and_sectors_that_the_mode_does_not_take_are_refused() {
    let xts = cipher("xts(aes)", 64);
    let mut buffer = vec![1; 1000];
    for sectors in [Sectors::new(0, 512), Sectors::new(0, 0), Sectors::new(0, 8)] {
        assert!(matches!(sectors.encrypt(&xts, &mut buffer), Err(Error::TextLength { .. })), "{sectors:?}");
    }
    assert!(buffer.iter().all(|&byte| byte == 1));
    Sectors::new(0, 512).encrypt(&xts, &mut []).unwrap();
}

/// Two sectors whose numbers are near the places where a count or a number carries or begins again: either they are refused,
/// or no block of their key streams is there twice.
#[test]
fn counts_that_begin_again_meet_no_other_sector() {
    let near = [0u128, 1 << 24, 1 << 32, 1 << 48, 1 << 56, 1 << 58, 1 << 63, 1 << 64];
    let off = [0, 1, 2, 4, 7, 8, 9, 31, 32, 60, 63, 64, 65];
    let mut numbers: Vec<u64> = near
        .iter()
        .flat_map(|n| off.iter().flat_map(move |d| [n.checked_sub(*d), n.checked_add(*d)]))
        .flatten()
        .filter_map(|n| u64::try_from(n).ok())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut names = vec![
        ("ctr(aes)", 16, 16),
        ("xctr(aes)", 16, 16),
        ("rfc3686(ctr(aes))", 20, 16),
        ("chacha20", 32, 64),
        ("xchacha20", 32, 64),
        ("xchacha12", 32, 64),
    ];
    if cfg!(feature = "legacy") {
        names.push(("ctr(des3_ede-generic)", 24, 8));
    }
    for (name, key, block) in names {
        let cipher = cipher(name, key);
        let (mut taken, mut refused) = (0, 0);
        for kind in KINDS {
            for (i, &first) in numbers.iter().enumerate() {
                for &second in &numbers[i + 1..] {
                    let mut streams = vec![0; 2 * 512];
                    let sectors = Sectors::new(first, 512).iv(kind).step(second - first);
                    match sectors.encrypt(&cipher, &mut streams) {
                        Ok(()) => {
                            taken += 1;
                            let distinct: std::collections::HashSet<_> = streams.chunks(block).collect();
                            assert_eq!(distinct.len(), 1024 / block, "{name}, {kind:?}: sectors {first} and {second}");
                        }
                        Err(Error::NotForSectors { .. } | Error::SectorNumber { .. }) => {
                            refused += 1;
                            assert!(streams.iter().all(|&byte| byte == 0));
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
        assert!(taken > 100 && refused > 100, "{name}: {taken} and {refused}");
    }
}

#[test]
fn a_sector_whose_count_begins_again_is_refused() {
    let (chacha20, xchacha20) = (cipher("chacha20", 32), cipher("xchacha20", 32));
    let crypt = |cipher: &Skcipher, first, size, step, kind| {
        Sectors::new(first, size).step(step).iv(kind).encrypt(cipher, &mut vec![0; size])
    };
    // The count of ChaCha20 has 32 bits, and a sector has 8 blocks.
    for kind in [SectorIv::Plain, SectorIv::Plain64] {
        assert_eq!(crypt(&chacha20, (1 << 32) - 8, 512, 8, kind), Ok(()));
        assert!(matches!(crypt(&chacha20, (1 << 32) - 7, 512, 8, kind), Err(Error::NotForSectors { .. })));
    }
    // That of XChaCha20 begins with the high half of the number, whose lowest byte is its last.
    assert_eq!(crypt(&xchacha20, (1 << 56) - 1, 256 * 64, 1, SectorIv::Plain64be), Ok(()));
    let met = crypt(&xchacha20, (1 << 56) - 1, 257 * 64, 1, SectorIv::Plain64be);
    assert!(matches!(met, Err(Error::NotForSectors { .. })));
    assert_eq!(crypt(&xchacha20, u32::MAX.into(), 1 << 20, 1, SectorIv::Plain64be), Ok(()));
    if cfg!(feature = "legacy") {
        // A sector has 64 blocks of 8 bytes.
        let des = cipher("ctr(des3_ede-generic)", 24);
        assert_eq!(crypt(&des, u64::MAX - 63, 512, 64, SectorIv::Plain64be), Ok(()));
        let met = crypt(&des, u64::MAX - 62, 512, 64, SectorIv::Plain64be);
        assert!(matches!(met, Err(Error::NotForSectors { .. })));
    }
    // Of one block each there is no other.
    assert_eq!(crypt(&xchacha20, u64::MAX, 64, 1, SectorIv::Plain64be), Ok(()));
}

#[test]
fn ciphers_that_are_unsafe_for_sectors_are_refused() {
    let refused = |name, rule| {
        let mut buffer = [1; 1024];
        let outcome = Sectors::new(0, 512).iv(rule).encrypt(&cipher(name, 32), &mut buffer);
        assert!(matches!(outcome, Err(Error::NotForSectors { .. })), "{name}: {outcome:?}");
        assert_eq!(buffer, [1; 1024]);
    };
    for rule in [SectorIv::Plain, SectorIv::Plain64] {
        refused("chacha20", rule);
        refused("xctr(aes)", rule);
    }
    refused("ctr(aes)", SectorIv::Null);
    refused("ctr(aes)", SectorIv::Plain64be);
    let far = Sectors::new(u32::MAX.into(), 512).iv(SectorIv::Plain);
    assert_eq!(far.encrypt(&cipher("ctr(aes)", 32), &mut [1; 512]), Ok(()));
    let far = far.encrypt(&cipher("ctr(aes)", 32), &mut [1; 1024]);
    assert!(matches!(far, Err(Error::NotForSectors { .. })), "the second number has more than 32 bits");
    let long = Sectors::new(0, 4096).iv(SectorIv::Benbi).encrypt(&cipher("ctr(aes)", 32), &mut vec![1; 8192]);
    assert!(matches!(long, Err(Error::NotForSectors { .. })));
    refused("xchacha20", SectorIv::Null);
    refused("kw(aes)", SectorIv::Null);
    let standing = Sectors::new(0, 512).step(0).encrypt(&cipher("xts(aes)", 64), &mut [1; 1024]);
    assert!(matches!(standing, Err(Error::NotForSectors { .. })));
    let mut forged = [1; 512];
    assert!(
        Sectors::new(0, 512).crypt_with(&cipher("kw(aes)", 32), Direction::Decrypt, &mut forged, |_, _| ()).is_err()
    );

    // With all others, no two blocks of the key stream of neighbours are equal.
    let rules = [
        ("ctr(aes)", 32, SectorIv::Plain64),
        ("rfc3686(ctr(aes))", 36, SectorIv::Plain64),
        ("xchacha20", 32, SectorIv::Plain64),
        ("xchacha12", 32, SectorIv::Plain64),
        ("chacha20", 32, SectorIv::Plain64be),
        ("xctr(aes)", 32, SectorIv::Plain64be),
        // Numbers that are so far apart that the counts of a sector do not reach the next one.
        ("ctr(aes)", 32, SectorIv::Benbi),
        ("ctr(aes)", 32, SectorIv::Plain64be),
        ("chacha20", 32, SectorIv::Plain64),
    ];
    for (name, key, rule) in rules {
        let mut stream = vec![0; 8 * 512];
        let step = match (name, rule) {
            ("ctr(aes)", SectorIv::Plain64be) => 32,
            ("chacha20", SectorIv::Plain64) => 8,
            _ => 1,
        };
        Sectors::new(0, 512).step(step).iv(rule).encrypt(&cipher(name, key), &mut stream).unwrap();
        let blocks: std::collections::HashSet<_> = stream.chunks(16).collect();
        assert_eq!(blocks.len(), stream.len() / 16, "{name}");
    }
}
