//! Single blocks, and keys wrapped with them.

use super::super::common::Random;
use super::{CALLS, Keyed, Pair, Rekeyed, agree, same, text_len};
use algkit::{Cipher, Direction, Error, InOut, WeakKeys, key_wrap};

super::rekeyed!(Cipher, |tfm| {
    let mut block = vec![7; tfm.driver().shape.blocksize];
    tfm.encrypt(&mut block[..]).unwrap();
    block
});

pub fn session(pair: &Pair<Cipher>, random: &mut Random) {
    let mut keyed = pair.keyed(random);
    for _ in 0..CALLS {
        match random.below(8) {
            0 => keyed.rekey(pair.subject.driver(), random),
            1 => wrap(&keyed, random),
            _ => crypt(&keyed, random),
        }
    }
}

fn crypt(Keyed { subject, peer }: &Keyed<Cipher>, random: &mut Random) {
    let driver = subject.driver();
    let len = text_len(driver, random);
    let plain = random.bytes(len);
    let mut want = plain.clone();
    let before = random.bytes(len);
    let mut apart = before.clone();
    let encrypt = random.below(2) == 0;
    let crypt = |cipher: &Cipher, io: InOut<'_>| if encrypt { cipher.encrypt(io) } else { cipher.decrypt(io) };
    let expected = crypt(peer, InOut::from(&mut want[..]));
    assert_eq!(expected.is_ok(), driver.shape.takes(len), "{}", driver.driver);
    let done = match random.below(2) {
        0 => {
            apart.copy_from_slice(&plain);
            crypt(subject, InOut::from(&mut apart[..]))
        }
        _ => crypt(subject, InOut::new(&plain, &mut apart).unwrap()),
    };
    match agree(done, expected, driver) {
        Some(_) => same(&apart, &want, &driver.driver),
        None => assert!(apart == before || apart == plain, "{}: after an error", driver.driver),
    }
}

fn wrap(Keyed { subject, peer }: &Keyed<Cipher>, random: &mut Random) {
    let driver = subject.driver();
    let forward = [Direction::Encrypt, Direction::Decrypt][random.below(2)];
    let room = [8 * random.below(9), random.below(70)][random.below(2)];
    let len = [room, random.below(room + 9), room.saturating_sub(random.below(8)), usize::MAX][random.below(4)];
    let key = random.bytes(room);
    let [mut got, mut want] = [key.clone(), key.clone()];
    let padded = random.below(2) == 0;
    let wrap = |cipher: &Cipher, key: &mut [u8]| match padded {
        true => key_wrap::wrap_padded(cipher, forward, key_wrap::PADDED_IV, key, len),
        false => key_wrap::wrap(cipher, forward, key_wrap::IV, key),
    };
    let unwrap = |cipher: &Cipher, word: [u8; 8], key: &mut [u8]| match padded {
        true => key_wrap::unwrap_padded(cipher, forward, key_wrap::PADDED_IV, word, key),
        false => key_wrap::unwrap(cipher, forward, key_wrap::IV, word, key).map(|()| room),
    };
    let Some((word, its)) = agree(wrap(subject, &mut got), wrap(peer, &mut want), driver) else {
        assert!(got == key, "{}: after an error", driver.driver);
        let unwrapped = unwrap(subject, [0; 8], &mut got);
        assert!(unwrapped == Err(Error::Authentication) && got.iter().all(|&byte| byte == 0) || got == key);
        return;
    };
    assert_eq!(word, its);
    same(&got, &want, &driver.driver);
    let mut forged = got.clone();
    forged[random.below(room)] ^= 1 << random.below(8);
    assert_eq!(unwrap(subject, word, &mut forged), Err(Error::Authentication));
    assert!(forged.iter().all(|&byte| byte == 0), "a wrapped key that was changed is wiped");
    let len = unwrap(subject, word, &mut got).unwrap();
    same(&got[..len], &key[..len], &driver.driver);
}
