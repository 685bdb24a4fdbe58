//! algkit, with the driver that a name stands for.

use super::Contender;
use algkit::{Registry, Type};
use peers_plugin::{Op, Request, Work};

/// algkit's way.
pub fn contender(name: &str, request: &Request) -> Contender {
    let registry = Registry::global().expect("ALGKIT_CPU and ALGKIT_TIMING as algkit takes them");
    let driver = registry.find_any(name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let &Request { key, assoc, op, size, .. } = request;
    let (name, ivsize) = (&driver.driver[..], driver.shape.ivsize);
    let work = match driver.kind {
        Type::Skcipher if request.rekey => {
            let unkeyed = registry.skcipher(name).expect("a driver");
            Work::one(move |iv, buf, _| {
                let mut iv = iv.0;
                let skcipher = unkeyed.key(key).expect("a key");
                skcipher.encrypt(&mut iv[..ivsize], &mut buf[..size]).is_ok()
            })
        }
        Type::Aead if request.rekey => {
            let unkeyed = registry.aead(name).expect("a driver");
            Work::one(move |iv, buf, out| {
                let aead = unkeyed.key(key).expect("a key");
                aead.encrypt(&iv[..ivsize], &[assoc], &mut buf[..size], &mut out[..16]).is_ok()
            })
        }
        Type::Skcipher => {
            let skcipher = registry.skcipher(name).and_then(|t| t.key(key)).expect("a key");
            match op {
                Op::Encrypt => Work::one(move |iv, buf, _| {
                    let mut iv = iv.0;
                    skcipher.encrypt(&mut iv[..ivsize], &mut buf[..size]).is_ok()
                }),
                _ => Work::one(move |iv, buf, _| {
                    let mut iv = iv.0;
                    skcipher.decrypt(&mut iv[..ivsize], &mut buf[..size]).is_ok()
                }),
            }
        }
        Type::Aead => {
            let aead = registry.aead(name).and_then(|t| t.key(key)).expect("a key");
            match op {
                Op::Encrypt => Work::one(move |iv, buf, out| {
                    aead.encrypt(&iv[..ivsize], &[assoc], &mut buf[..size], &mut out[..16]).is_ok()
                }),
                _ => Work::one(move |iv, buf, _| {
                    let (text, rest) = buf.split_at_mut(size);
                    aead.decrypt(&iv[..ivsize], &[assoc], text, &rest[..16]).is_ok()
                }),
            }
        }
        Type::Hash => {
            // The kernel's crc32 is the complement of everybody else's with this seed.
            let key = if key.len() == 4 { &[0xff; 4] } else { key };
            let hash = registry.hash(name).and_then(|t| t.key(key)).expect("a key");
            let len = hash.digest_size();
            Work::one(move |_, buf, out| hash.digest_into(&[&buf[..size]], &mut out[..len]).is_ok())
        }
        Type::Rng | Type::Cipher => panic!("{name}: neither generators nor bare block ciphers are measured"),
    };
    Contender { library: "algkit", driver: name.to_owned(), work, scale: 1.0 }
}
