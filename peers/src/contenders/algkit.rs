//! algkit, with the driver that it chooses for a name: one call per message, or one per batch.

use crate::contender::Contender;
use algkit::{
    Aead, Direction, Hash, Registry, Skcipher, Type,
    batch::{self, Request as Job},
};
use peers_plugin::{Iv, Op, Out, Request, Work};

/// algkit's implementation of a request.
pub fn contender(name: &str, request: &Request) -> Contender {
    let registry = Registry::global().expect("ALGKIT_CPU and ALGKIT_TIMING as algkit takes them");
    let driver = registry.find_any(name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let &Request { key, assoc, size, .. } = request;
    let (name, ivsize) = (&driver.driver[..], driver.shape.ivsize);
    let work = match driver.kind {
        Type::Skcipher if request.rekey => {
            let mut skcipher = registry.skcipher(name).and_then(|t| t.key(key)).expect("a key");
            Work::one(move |iv, buf, _| {
                skcipher.set_key(key).is_ok() && skcipher.encrypt_once(&iv[..ivsize], &mut buf[..size]).is_ok()
            })
        }
        Type::Aead if request.rekey => {
            let mut aead = registry.aead(name).and_then(|t| t.key(key)).expect("a key");
            Work::one(move |iv, buf, out| {
                aead.set_key(key).is_ok()
                    && aead.encrypt(&iv[..ivsize], &[assoc], &mut buf[..size], &mut out[..16]).is_ok()
            })
        }
        Type::Skcipher => skcipher(registry.skcipher(name).and_then(|t| t.key(key)).expect("a key"), request, ivsize),
        Type::Aead => aead(registry.aead(name).and_then(|t| t.key(key)).expect("a key"), request, ivsize),
        Type::Hash => {
            // With this seed, the kernel's crc32 is the complement of all others'.
            let key = if key.len() == 4 { &[0xff; 4] } else { key };
            hash(registry.hash(name).and_then(|t| t.key(key)).expect("a key"), request)
        }
        other => panic!("{name}: none of type {other} is measured"),
    };
    Contender { library: "algkit", driver: name.to_owned(), work, scale: 1.0 }
}

fn skcipher(tfm: Skcipher, request: &Request, ivsize: usize) -> Work {
    let Request { op, size, .. } = *request;
    let direction = if op == Op::Encrypt { Direction::Encrypt } else { Direction::Decrypt };
    if request.messages > 1 {
        let stride = request.stride();
        return Work::All(Box::new(move |ivs, texts, _| {
            let mut ivs = ivs.to_vec();
            let each = ivs.iter_mut().zip(texts.chunks_exact_mut(stride));
            run(each.map(|(iv, text)| Job::crypt(&tfm, direction, &mut iv.0[..ivsize], &mut text[..size])))
        }));
    }
    match direction {
        Direction::Encrypt => Work::one(move |iv, buf, _| tfm.encrypt_once(&iv[..ivsize], &mut buf[..size]).is_ok()),
        Direction::Decrypt => Work::one(move |iv, buf, _| tfm.decrypt_once(&iv[..ivsize], &mut buf[..size]).is_ok()),
    }
}

fn aead(tfm: Aead, request: &Request, ivsize: usize) -> Work {
    let Request { assoc, op, size, .. } = *request;
    let stride = request.stride();
    match (op, request.messages > 1) {
        (Op::Encrypt, true) => Work::All(Box::new(move |ivs, texts, outs| {
            let each = ivs.iter().zip(texts.chunks_exact_mut(stride)).zip(outs);
            let job = |((iv, text), out): ((_, _), _)| seal(&tfm, ivsize, assoc, iv, text, size, out);
            run(each.map(job))
        })),
        (_, true) => Work::All(Box::new(move |ivs, texts, _| {
            let each = ivs.iter().zip(texts.chunks_exact_mut(stride));
            run(each.map(|(iv, text)| open(&tfm, ivsize, assoc, iv, text, size)))
        })),
        (Op::Encrypt, false) => Work::one(move |iv, buf, out| {
            tfm.encrypt(&iv[..ivsize], &[assoc], &mut buf[..size], &mut out[..16]).is_ok()
        }),
        (_, false) => Work::one(move |iv, buf, _| {
            let (text, rest) = buf.split_at_mut(size);
            tfm.decrypt(&iv[..ivsize], &[assoc], text, &rest[..16]).is_ok()
        }),
    }
}

fn seal<'a>(
    tfm: &'a Aead,
    ivsize: usize,
    assoc: &'a [u8],
    iv: &'a Iv,
    text: &'a mut [u8],
    size: usize,
    out: &'a mut Out,
) -> Job<'a> {
    Job::seal(tfm, &iv[..ivsize], assoc, &mut text[..size], &mut out[..16])
}

fn open<'a>(tfm: &'a Aead, ivsize: usize, assoc: &'a [u8], iv: &'a Iv, text: &'a mut [u8], size: usize) -> Job<'a> {
    let (text, rest) = text.split_at_mut(size);
    Job::open(tfm, &iv[..ivsize], assoc, text, &rest[..16])
}

fn hash(tfm: Hash, request: &Request) -> Work {
    let (size, stride, len) = (request.size, request.stride(), tfm.digest_size());
    if request.messages > 1 {
        return Work::All(Box::new(move |_, texts, outs| {
            let each = texts.chunks_exact(stride).zip(outs);
            run(each.map(|(text, out)| Job::digest(&tfm, &text[..size], &mut out[..len])))
        }));
    }
    Work::one(move |_, buf, out| tfm.digest_into(&[&buf[..size]], &mut out[..len]).is_ok())
}

/// Runs the batch; returns whether all requests succeeded.
#[inline]
fn run<'a>(jobs: impl Iterator<Item = Job<'a>>) -> bool {
    batch::each(jobs, |result| result).is_ok()
}
