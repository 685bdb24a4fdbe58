//! Ciphers with a mode: texts, batches, sectors, and texts that are hashed meanwhile.

use super::super::common::Random;
use super::{CALLS, Keyed, Pair, Rekeyed, about, agree, iv, layout, same, text_len};
use algkit::{
    Direction, Error, Skcipher, Text, Turns, WeakKeys,
    batch::{self, Request},
    sectors::{SectorIv, Sectors},
};

super::rekeyed!(Skcipher, |tfm| {
    let shape = &tfm.driver().shape;
    let (mut iv, mut text) = (vec![7; shape.ivsize], vec![7; shape.fit(50)]);
    tfm.encrypt(&mut iv, &mut text[..]).unwrap();
    text
});

pub fn session(pair: &Pair<Skcipher>, random: &mut Random) {
    let driver = pair.subject.driver();
    let (mut keyed, mut another) = (pair.keyed(random), pair.keyed(random));
    for _ in 0..CALLS {
        match random.below(12) {
            0 => keyed.rekey(driver, random),
            1 => another.rekey(driver, random),
            2 => sectors(&keyed, random),
            3 => hashing(&keyed, random),
            4 => batch([&keyed, &another], random),
            _ => crypt(&keyed, random),
        }
    }
}

const DIRECTIONS: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

fn crypt(Keyed { subject, peer }: &Keyed<Skcipher>, random: &mut Random) {
    let driver = subject.driver();
    let (len, iv_len) = (text_len(driver, random), about(driver.shape.ivsize, random));
    let (plain, iv) = (random.bytes(len), iv(driver, iv_len, random));
    let (direction, once) = (DIRECTIONS[random.below(2)], random.below(3) == 0);
    let what = format!("{}, {direction:?}, IV of {iv_len}, text of {len}, once: {once}", driver.driver);

    let (mut want_iv, mut want) = (iv.clone(), plain.clone());
    let mut expected = peer.crypt(direction, &mut want_iv, &mut Text::from(&mut want[..]));
    let right = iv_len == driver.shape.ivsize && driver.shape.takes(len);
    assert_eq!(matches!(expected, Ok(()) | Err(Error::Authentication)), right, "{what}");
    if once {
        expected = peer.check_once(direction).and(expected);
    }
    let mut got_iv = iv.clone();
    let done = layout::call(random, &plain, |mut text| match (once, direction) {
        (true, Direction::Encrypt) => subject.encrypt_once(&iv, text),
        (true, Direction::Decrypt) => subject.decrypt_once(&iv, text),
        (false, _) if len.is_multiple_of(3) => subject.crypt(direction, &mut got_iv, &mut text),
        (false, Direction::Encrypt) => subject.encrypt(&mut got_iv, text),
        (false, Direction::Decrypt) => subject.decrypt(&mut got_iv, text),
    });
    assert_eq!(done.result, expected, "{what}");
    match done.result {
        Ok(()) => same(&done.output, &want, &what),
        Err(Error::Authentication) => assert!(done.output.iter().all(|&byte| byte == 0), "{what}"),
        Err(_) => assert!(done.untouched && got_iv == iv, "{what}: after an error"),
    }
    same(&got_iv, if once { &iv } else { &want_iv }, &what);

    if done.result.is_ok() && direction == Direction::Encrypt {
        let wrapped = peer.check_once(direction).is_err();
        let mut back = if wrapped { want_iv } else { iv };
        let opened = layout::call(random, &want, |text| subject.decrypt(&mut back, text));
        assert_eq!(opened.result, Ok(()), "{what}: back");
        same(&opened.output, &plain, &what);
    }
}

fn batch(keyed: [&Keyed<Skcipher>; 2], random: &mut Random) {
    let driver = keyed[0].subject.driver();
    let count = [0, 1, 2, 3, 9, 20, 70][random.below(7)];
    let cases = (0..count).map(|_| {
        let iv_len = about(driver.shape.ivsize, random);
        let len = text_len(driver, random) % 400;
        (random.below(2), DIRECTIONS[random.below(2)], iv(driver, iv_len, random), random.bytes(len))
    });
    let mut got: Vec<_> = cases.collect();
    let mut want = got.clone();
    let requests = got
        .iter_mut()
        .map(|(key, direction, iv, text)| Request::crypt(&keyed[*key].subject, *direction, iv, &mut text[..]));
    let mut requests: Vec<_> = requests.collect();
    let results: Vec<_> = batch::run(&mut requests).collect();
    drop(requests);
    for ((got, (key, direction, iv, text)), result) in got.iter().zip(&mut want).zip(results) {
        let what = format!("{} in a batch of {count}, {direction:?}, text of {}", driver.driver, text.len());
        assert_eq!(keyed[*key].peer.crypt(*direction, iv, &mut Text::from(&mut text[..])), result, "{what}");
        same(&got.2, iv, &what);
        same(&got.3, text, &what);
    }
}

fn sectors(Keyed { subject, peer }: &Keyed<Skcipher>, random: &mut Random) {
    let driver = subject.driver();
    let few = random.below(5) as u64;
    let first = [few, u64::MAX - few, u64::from(u32::MAX) - few, 1 << 40, random.next()][random.below(5)];
    let step = [1, 1, 1, 8, 0, u64::MAX, 1 << 60, random.next()][random.below(8)];
    let size = [0, 1, 8, 16, 64, 512, 520, random.below(600), usize::MAX][random.below(9)];
    let kinds = [SectorIv::Null, SectorIv::Plain, SectorIv::Plain64, SectorIv::Plain64be, SectorIv::Benbi];
    let len = random.below(70).min(4096 / size.clamp(1, 4096)) * size.min(4096) + usize::from(random.below(8) == 0);
    let direction = DIRECTIONS[random.below(2)];
    let sectors = Sectors::new(first, size).iv(kinds[random.below(5)]).step(step);
    let what = format!("{}, {direction:?}, {sectors:?}, {len} bytes", driver.driver);

    let before = random.bytes(len);
    let [mut got, mut want] = [before.clone(), before.clone()];
    let done = sectors.crypt(subject, direction, &mut got);
    let other = sectors.crypt(peer, direction, &mut want);
    same(&got, &want, &what);
    if agree(done, other, driver).is_none() {
        return assert!(got == before, "{what}: after an error");
    }
    let back = if direction == Direction::Encrypt { Direction::Decrypt } else { Direction::Encrypt };
    sectors.crypt(subject, back, &mut got).unwrap();
    same(&got, &before, &what);
    let own = |number: u64, iv: &mut [u8]| iv.fill(number as u8);
    sectors.crypt_with(subject, direction, &mut got, own).unwrap();
    want.copy_from_slice(&before);
    sectors.crypt_with(peer, direction, &mut want, own).unwrap();
    same(&got, &want, &what);
}

fn hashing(Keyed { subject, peer }: &Keyed<Skcipher>, random: &mut Random) {
    let driver = subject.driver();
    let name = ["sha1", "sha256", "sha512", "hmac(sha256)", "blake2b-512"][random.below(5)];
    let Ok(hash) = algkit::hash(name) else { return };
    let hash = hash.key(if hash.driver().shape.optional_key { &[] } else { b"key" }).unwrap();
    let len = random.below(900);
    let most = [len, len / 2, 64, 10, usize::MAX][random.below(5)];
    let mut place = || [random.below(most.min(1000) + 1), usize::MAX, len][[0, 0, 0, 0, 0, 1, 2][random.below(7)]];
    let (encrypted, hashed) = (place(), place());
    let count = [0, 1, 2, 5, usize::MAX / 64, usize::MAX][random.below(6)];
    let iv_len = about(driver.shape.ivsize, random);
    let (mut got_iv, before) = (iv(driver, iv_len, random), random.bytes(len));
    let what = format!("{} and {name}, {len} bytes, {count} turns from {encrypted} and {hashed}", driver.driver);

    let (mut want_iv, [mut got, mut want]) = (got_iv.clone(), [before.clone(), before.clone()]);
    let mut state = hash.start();
    state.update(&before[..if random.below(2) == 0 { 0 } else { len % 64 }]);
    let mut other = state.clone();
    let end = |from: usize| from as u128 + 64 * count as u128;
    let turns = Turns::new(&mut got, encrypted, hashed, count);
    assert_eq!(turns.is_some(), end(encrypted).max(end(hashed)) <= len as u128, "{what}");
    let Some(mut turns) = turns else { return };
    let done = subject.encrypt_hashing(&mut got_iv, &mut turns, &mut state);
    let allowed = ["ecb(", "cbc(", "pcbc(", "ctr(", "cfb(", "ofb("].iter().any(|mode| driver.name.starts_with(mode));
    assert_eq!(done.is_ok(), allowed && iv_len == driver.shape.ivsize && driver.shape.takes(64), "{what}");
    for i in 0..if done.is_ok() { count } else { 0 } {
        other.update(&want[hashed + 64 * i..][..64]);
        peer.encrypt(&mut want_iv, &mut want[encrypted + 64 * i..][..64]).unwrap();
    }
    same(&got, &want, &what);
    same(&got_iv, &want_iv, &what);
    same(&state.finish(), &other.finish(), &what);
}
