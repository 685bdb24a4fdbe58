//! algkit, with the driver that a name stands for.

use super::{Contender, Work};
use crate::case::{ASSOC, Case, IV, Op};
use algkit::{Registry, Type};

/// algkit's way.
pub fn contender(case: &Case, size: usize) -> Contender {
    let registry = Registry::global().expect("ALGKIT_CPU and ALGKIT_TIMING as algkit takes them");
    let driver = registry.find_any(case.name).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let name = &driver.driver[..];
    let work: Work = match driver.kind {
        Type::Skcipher => {
            let skcipher = registry.skcipher(name).and_then(|t| t.key(case.key())).expect("a key");
            let iv = iv(case, driver.shape.ivsize);
            let ivsize = driver.shape.ivsize;
            match case.op {
                Op::Encrypt => Box::new(move |buf, _| {
                    let mut iv = iv;
                    skcipher.encrypt(&mut iv[..ivsize], &mut buf[..size]).expect("a message");
                }),
                _ => Box::new(move |buf, _| {
                    let mut iv = iv;
                    skcipher.decrypt(&mut iv[..ivsize], &mut buf[..size]).expect("a message");
                }),
            }
        }
        Type::Aead => {
            let aead = registry.aead(name).and_then(|t| t.key(case.key())).expect("a key");
            let iv = iv(case, driver.shape.ivsize);
            let ivsize = driver.shape.ivsize;
            match case.op {
                Op::Encrypt => Box::new(move |buf, out| {
                    aead.encrypt(&iv[..ivsize], &[&ASSOC], &mut buf[..size], &mut out[..16]).expect("a message");
                }),
                _ => {
                    let sealed = aead.seal(&iv[..ivsize], &ASSOC, &vec![7; size]).expect("a message");
                    Box::new(move |buf, _| {
                        buf[..size + 16].copy_from_slice(&sealed);
                        let (text, rest) = buf.split_at_mut(size);
                        aead.decrypt(&iv[..ivsize], &[&ASSOC], text, &rest[..16]).expect("a sealed message");
                    })
                }
            }
        }
        Type::Hash => {
            // The kernel's crc32 is the complement of everybody else's with this seed.
            let key = if case.key_bits == 32 { &[0xff; 4] } else { case.key() };
            let hash = registry.hash(name).and_then(|t| t.key(key)).expect("a key");
            let len = hash.digest_size();
            Box::new(move |buf, out| hash.digest_into(&[&buf[..size]], &mut out[..len]).expect("the digest's length"))
        }
        Type::Rng => panic!("{}: nobody else has it", case.name),
        Type::Cipher => panic!("{}: measure its ecb", case.name),
    };
    Contender::new("algkit", name, work)
}

/// The IV as the kernel lays it out: for CCM, the size of the length field less 1, the nonce, zeros; for
/// XChaCha20, the nonce, the block counter, which is zero.
fn iv(case: &Case, ivsize: usize) -> [u8; 32] {
    let mut iv = IV;
    if case.parts().0 == "ccm" {
        iv[0] = 1;
        iv[1..14].copy_from_slice(&IV[..13]);
        iv[14..ivsize].fill(0);
    }
    if case.name == "xchacha20" {
        iv[24..].fill(0);
    }
    iv
}
