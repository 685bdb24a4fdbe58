//! Compares batches with the same requests one by one.

mod common;

use algkit::{
    Aead, Direction, Error, Hash, InOut, Policy, Registry, Skcipher, Text, Type, WeakKeys,
    batch::{self, Request},
    driver::{AeadJob, Driver, Keyed, MAX_JOBS, SkcipherJob},
};
use common::{MASKS, Random, masked};

/// The algorithms in the mix: modes with and without lanes, templates, hashes with and without a key.
const NAMES: &[&str] = &[
    "cbc(aes)",
    "ctr(aes)",
    "xts(aes)",
    "ecb(aes)",
    "cts(cbc(aes))",
    "kw(aes)",
    "cbc(serpent)",
    "gcm(aes)",
    "ccm(aes)",
    "rfc4309(ccm(aes))",
    "rfc7539(chacha20,poly1305)",
    "authenc(hmac(sha256),cbc(aes))",
    "cmac(aes)",
    "xcbc(aes)",
    "cbcmac(aes)",
    "cmac(serpent)",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha3-256",
    "keccak",
    "blake2b-512",
    "hmac(sha1)",
    "hmac(sha256)",
    "hmac(sha3-512)",
    "poly1305",
];

enum Tfm {
    Skcipher(Skcipher),
    Aead(Aead),
    Hash(Hash),
}

impl Tfm {
    fn driver(&self) -> &Driver {
        match self {
            Self::Skcipher(tfm) => tfm.driver(),
            Self::Aead(tfm) => tfm.driver(),
            Self::Hash(tfm) => tfm.driver(),
        }
    }
}

/// A transform of `name` with a random key.
fn tfm(registry: &Registry, name: &str, random: &mut Random) -> Tfm {
    let shape = registry.find_any(name).unwrap().shape.clone();
    let sizes: Vec<usize> = (0..100).filter(|&n| shape.keys.allows(n)).collect();
    let size = if sizes.is_empty() { 0 } else { sizes[random.below(sizes.len())] };
    let key = if name.starts_with("authenc") {
        let size = [16, 24, 32][random.below(3)];
        algkit::authenc_key(&random.bytes(20), &random.bytes(size)).to_vec()
    } else {
        random.bytes(size)
    };
    match registry.find_any(name).unwrap().kind {
        Type::Skcipher => Tfm::Skcipher(registry.skcipher(name).unwrap().key_with(&key, WeakKeys::Allow).unwrap()),
        Type::Aead => Tfm::Aead(registry.aead(name).unwrap().key(&key).unwrap()),
        _ => Tfm::Hash(registry.hash(name).unwrap().key(&key).unwrap()),
    }
}

/// A request as plain data. Outputs go to copies of it.
#[derive(Clone)]
struct Case {
    direction: Direction,
    iv: Vec<u8>,
    assoc: Vec<Vec<u8>>,
    text: Vec<u8>,
    /// The destination, for a text out of place.
    apart: Option<Vec<u8>>,
    /// The length of the first segment, for a text in two segments.
    cut: Option<usize>,
    /// Whether the caller of a batch has taken the text, in one piece, as a run.
    taken: bool,
    /// The tag of an AEAD, or the digest of a hash.
    tag: Vec<u8>,
}

impl Case {
    fn new(tfm: &Tfm, random: &mut Random) -> Self {
        let Driver { name, shape, .. } = tfm.driver();
        let mut iv = random.bytes(shape.ivsize);
        if name.starts_with("ccm(") {
            iv[0] = 1 + random.below(7) as u8;
        }
        let len = [0, 16 * random.below(9), random.below(300), random.below(2000)][random.below(4)];
        let text = random.bytes(shape.fit(len));
        let assoc_len = if name.starts_with("rfc4309") { 16 } else { [0, 13, random.below(100)][random.below(3)] };
        let mut assoc = vec![random.bytes(assoc_len)];
        if random.below(4) == 0 {
            let back = assoc[0].split_off(random.below(assoc_len + 1));
            assoc.push(back);
        }
        let apart = (random.below(2) == 0).then(|| vec![0xee; text.len()]);
        let cut = (random.below(8) == 0).then(|| random.below(text.len() + 1));
        let taken = cut.is_none() && random.below(8) == 0;
        let tags: Vec<usize> = (1..=32).filter(|&n| shape.tags.allows(n)).collect();
        let tag_len = if tags.is_empty() { shape.digestsize } else { tags[random.below(tags.len())] };
        let direction = [Direction::Encrypt, Direction::Decrypt][random.below(2)];
        let mut case = Self { direction, iv, assoc, text, apart, cut, taken, tag: vec![0; tag_len] };
        match (tfm, direction) {
            (Tfm::Aead(aead), Direction::Decrypt) => {
                aead.encrypt(&case.iv, &pieces(&case.assoc), &mut case.text[..], &mut case.tag).unwrap();
            }
            (Tfm::Skcipher(kw), Direction::Decrypt) if name.starts_with("kw(") => {
                kw.encrypt(&mut case.iv, &mut case.text[..]).unwrap();
            }
            _ => {}
        }
        if random.below(6) == 0 {
            case.spoil(random);
        }
        case
    }

    /// Changes the case so that it is refused or not authentic.
    fn spoil(&mut self, random: &mut Random) {
        match random.below(4) {
            0 if !self.tag.is_empty() => {
                let bit = random.below(8 * self.tag.len());
                self.tag[bit / 8] ^= 1 << (bit % 8);
            }
            1 => self.iv.push(0),
            2 => self.tag.push(0),
            _ => self.text.truncate(self.text.len().saturating_sub(1)),
        }
        if let Some(apart) = &mut self.apart {
            apart.truncate(self.text.len());
        }
        self.cut = self.cut.map(|cut| cut.min(self.text.len()));
    }
}

fn pieces(assoc: &[Vec<u8>]) -> Vec<&[u8]> {
    assoc.iter().map(|piece| &piece[..]).collect()
}

/// The text of a case, with its destination and segments.
fn text<'a>(text: &'a mut [u8], apart: Option<&'a mut [u8]>, cut: Option<usize>) -> Text<'a> {
    let io = match apart {
        Some(dst) => InOut::new(text, dst).unwrap(),
        None => InOut::from(text),
    };
    match cut {
        Some(cut) => {
            let (front, back) = io.split_at(cut);
            Text::segments(vec![front, back])
        }
        None => Text::from(io),
    }
}

/// Runs the case as a single request.
fn alone(tfm: &Tfm, case: &mut Case) -> Result<(), Error> {
    let Case { direction, iv, assoc, text: bytes, apart, cut, tag, .. } = case;
    let list = pieces(assoc);
    match tfm {
        Tfm::Skcipher(tfm) => tfm.crypt(*direction, iv, &mut text(bytes, apart.as_deref_mut(), *cut)),
        Tfm::Aead(tfm) if *direction == Direction::Encrypt => {
            tfm.encrypt(iv, &list, text(bytes, apart.as_deref_mut(), *cut), tag)
        }
        Tfm::Aead(tfm) => tfm.decrypt(iv, &list, text(bytes, apart.as_deref_mut(), *cut), tag),
        Tfm::Hash(tfm) => tfm.digest_into(&list, tag),
    }
}

/// The case as a request of a batch. `list` is its associated data, or a hash's message.
fn request<'a>(tfm: &'a Tfm, case: &'a mut Case, list: &'a [&'a [u8]]) -> Request<'a> {
    let Case { direction, iv, text: bytes, apart, cut, taken, tag, .. } = case;
    let mut text = text(bytes, apart.as_deref_mut(), *cut);
    if *taken {
        text.next(16, 0);
    }
    match (tfm, direction) {
        (Tfm::Skcipher(tfm), Direction::Encrypt) => Request::encrypt(tfm, iv, text),
        (Tfm::Skcipher(tfm), Direction::Decrypt) => Request::decrypt(tfm, iv, text),
        (Tfm::Aead(tfm), Direction::Encrypt) => Request::seal(tfm, iv, list, text, tag),
        (Tfm::Aead(tfm), Direction::Decrypt) => Request::open(tfm, iv, list, text, tag),
        (Tfm::Hash(tfm), _) => Request::digest(tfm, list, tag),
    }
}

/// Runs `cases`, each on the transform with its number, in one batch, as a stream of requests, and one by one. Returns the
/// number of errors.
fn check(tfms: &[Tfm], cases: Vec<(usize, Case)>) -> usize {
    let assocs: Vec<Vec<Vec<u8>>> = cases.iter().map(|(_, case)| case.assoc.clone()).collect();
    let lists: Vec<Vec<&[u8]>> = assocs.iter().map(|assoc| pieces(assoc)).collect();
    let (mut want, mut streamed, mut got) = (cases.clone(), cases.clone(), cases);
    let answers: Vec<_> = want.iter_mut().map(|(i, case)| alone(&tfms[*i], case)).collect();
    let mut requests: Vec<_> =
        got.iter_mut().zip(&lists).map(|((i, case), list)| request(&tfms[*i], case, list)).collect();
    assert!(requests.iter().all(|request| request.result() == Err(Error::NotRun)));
    let first = batch::run(&mut requests).check();
    let results = batch::run(&mut requests); // nothing is pending any more
    assert_eq!(results.len(), answers.len());
    let results: Vec<_> = results.collect();
    assert!(requests.iter().map(Request::result).eq(results.iter().cloned()));
    assert_eq!(first, results.iter().find(|result| result.is_err()).cloned().unwrap_or(Ok(())));
    drop(requests);
    let mut each_results = Vec::new();
    let requests = streamed.iter_mut().zip(&lists).map(|((i, case), list)| request(&tfms[*i], case, list));
    let done = batch::each(requests, |result| {
        each_results.push(result);
        Ok::<_, Error>(())
    });
    assert_eq!((done, &each_results), (Ok(()), &answers));
    same(tfms, &want, &streamed);
    assert_eq!(results, answers);
    same(tfms, &want, &got);
    answers.iter().filter(|answer| answer.is_err()).count()
}

/// Checks that two lists of cases have the same outputs.
fn same(tfms: &[Tfm], want: &[(usize, Case)], got: &[(usize, Case)]) {
    for ((i, want), (_, got)) in want.iter().zip(got) {
        let what = format!("{}, {} bytes, {:?}", tfms[*i].driver().driver, want.text.len(), want.direction);
        assert!(got.iv == want.iv, "chaining value, {what}");
        assert!(got.text == want.text && got.apart == want.apart, "text, {what}");
        assert!(got.tag == want.tag, "tag, {what}");
    }
}

/// The first error that the caller returns ends a stream of requests: none is taken from the iterator after it, but for those
/// that were collected to be processed together.
#[test]
fn a_stream_of_requests_ends_at_an_error() {
    let iv = *b"\x01nonce of 13\0\0\0\0";
    for (name, iv, most) in [("gcm(aes)", &iv[..12], 4), ("ccm(aes)", &iv[..], MAX_JOBS)] {
        let aead = algkit::aead(name).unwrap().key(&[1; 16]).unwrap();
        let (mut texts, mut tags) = ([[7; 20]; 3 * MAX_JOBS], [[0; 16]; 3 * MAX_JOBS]);
        let (mut taken, mut seen) = (0, 0);
        let requests = texts.iter_mut().zip(&mut tags).map(|(text, tag)| {
            taken += 1;
            Request::seal(&aead, if taken == 4 { &[] } else { iv }, b"", text, tag)
        });
        let done = batch::each(requests, |result| {
            seen += 1;
            result
        });
        assert!(matches!(done, Err(Error::IvLength { got: 0, .. })), "{name}: {done:?}");
        assert_eq!((taken, seen), (most, 4), "{name}");
        assert_eq!(texts[3], [7; 20], "{name}: a refused text");
        assert!(texts[..3].iter().all(|text| *text != [7; 20]) && texts[most..] == [[7; 20]; 3 * MAX_JOBS][most..]);
    }
}

/// A request that was executed before is not executed again.
#[test]
fn a_stream_does_not_repeat_a_request() {
    let ctr = algkit::skcipher("ctr(aes)").unwrap().key(&[1; 16]).unwrap();
    let (mut ivs, mut texts) = ([[0; 16]; 2], [[7; 20]; 2]);
    let [iv, once_iv] = &mut ivs;
    let [text, once] = &mut texts;
    let mut requests = [Request::encrypt(&ctr, iv, text)];
    batch::run(&mut requests).check().unwrap();
    batch::each(requests, |result| result).unwrap();
    batch::each([Request::encrypt(&ctr, once_iv, once)], |result| result).unwrap();
    assert_eq!((ivs[0], texts[0]), (ivs[1], texts[1]));
}

#[test]
fn random_mixes_are_what_they_are_one_by_one() {
    for (seed, mask) in MASKS.iter().enumerate() {
        let mut random = Random(seed as u64);
        let registry = masked(mask, Policy::Table);
        let names: Vec<&str> = NAMES.iter().copied().filter(|name| registry.find_any(name).is_ok()).collect();
        let tfms: Vec<Tfm> = (0..60).map(|i| tfm(&registry, names[i % names.len()], &mut random)).collect();
        let mut refused = 0;
        for count in [0, 1, 2, 30, 300, 300] {
            let cases = (0..count).map(|_| {
                let i = random.below(tfms.len());
                (i, Case::new(&tfms[i], &mut random))
            });
            refused += check(&tfms, cases.collect());
        }
        assert!(refused > 20, "{refused} requests were refused");
    }
}

/// Many requests of one driver, under one key or several: lanes are full, are refilled, and run out.
#[test]
fn many_of_a_kind() {
    for mask in MASKS {
        let registry = masked(mask, Policy::Table);
        for name in NAMES.iter().filter(|name| registry.find_any(name).is_ok()) {
            let mut random = Random(7);
            for keys in [1, 5] {
                let tfms: Vec<Tfm> = (0..keys).map(|_| tfm(&registry, name, &mut random)).collect();
                for count in [2, 5, 16, 17, 33, 65, 130] {
                    let cases = (0..count).map(|i| (i % keys, Case::new(&tfms[i % keys], &mut random)));
                    check(&tfms, cases.collect());
                }
            }
        }
    }
}

/// In lanes, one after the other, and as single requests in one piece or two.
#[test]
fn an_unauthentic_text_is_wiped() {
    for (name, iv) in [("ccm(aes)", &b"\x01nonce of 13\x00\x00\x00\x00"[..]), ("gcm(aes)", b"nonce of 12.")] {
        let key = algkit::aead(name).unwrap().key(&[1; 16]).unwrap();
        for len in [16, 50, 300] {
            let sealed = key.seal(iv, b"", &vec![7; len]).unwrap();
            let (text, tag) = sealed.split_at(len);
            let mut forged = tag.to_vec();
            forged[3] ^= 0x10;
            let (mut good, mut bad) = (text.to_vec(), text.to_vec());
            let mut requests =
                [Request::open(&key, iv, b"", &mut good[..], tag), Request::open(&key, iv, b"", &mut bad[..], &forged)];
            assert!(batch::run(&mut requests).eq([Ok(()), Err(Error::Authentication)]));
            let what = format!("Request(open, {}, Err(Authentication))", key.driver().driver);
            assert_eq!(format!("{:?}", requests[1]), what);
            drop(requests);
            assert_eq!((good, bad), (vec![7; len], vec![0; len]), "{name}");

            let (mut whole, mut cut) = (text.to_vec(), text.to_vec());
            assert_eq!(key.decrypt(iv, &[], &mut whole[..], &forged), Err(Error::Authentication));
            let (front, back) = cut.split_at_mut(9);
            let segments = Text::segments_in_place([front, back]);
            assert_eq!(key.decrypt(iv, &[], segments, &forged), Err(Error::Authentication));
            assert_eq!((whole, cut), (vec![0; len], vec![0; len]), "{name}");
        }
    }
}

/// The best drivers of `names`, each with its IV length and a key of `key_len` bytes.
fn instances(registry: &Registry, names: [&str; 4], key_len: usize) -> Vec<(usize, Keyed)> {
    let key: Vec<u8> = (0..key_len as u8).collect();
    let keyed = |name| {
        let driver = registry.find_any(name).unwrap();
        (driver.shape.ivsize, (driver.make)(registry.cpu(), &key, WeakKeys::Refuse).unwrap())
    };
    names.map(keyed).into()
}

/// A driver's list may hold messages of other drivers, whose IVs and tags have other lengths.
#[test]
fn what_is_another_drivers_is_left_to_that_driver() {
    for mask in MASKS {
        let registry = masked(mask, Policy::Table);
        let ciphers = instances(&registry, ["xts(aes)", "cbc(aes)", "ecb(aes)", "hctr2(aes)"], 32);
        let ops = |i: usize| match &ciphers[i % 4].1 {
            Keyed::Skcipher(ops) => &**ops,
            other => panic!("{other:?}"),
        };
        let texts: Vec<Vec<u8>> = (0..12).map(|i| vec![i; 16 * (1 + usize::from(i))]).collect();
        let ivs: Vec<Vec<u8>> = (0..12).map(|i| vec![7; ciphers[i % 4].0]).collect();
        let (mut want, mut want_ivs) = (texts.clone(), ivs.clone());
        for (i, (text, iv)) in want.iter_mut().zip(&mut want_ivs).enumerate() {
            ops(i).crypt_run(Direction::Encrypt, iv, InOut::from(&mut text[..]));
        }
        for first in 0..4 {
            let (mut got, mut got_ivs) = (texts.clone(), ivs.clone());
            let jobs = got.iter_mut().zip(&mut got_ivs).enumerate();
            let mut jobs: Vec<_> =
                jobs.map(|(i, (text, iv))| SkcipherJob { ops: ops(i), iv, text: InOut::from(&mut text[..]) }).collect();
            ops(first).crypt_batch(Direction::Encrypt, &mut jobs);
            assert!((got, got_ivs) == (want.clone(), want_ivs.clone()), "{mask}, {first}");
        }

        let names = ["ccm(aes)", "gcm(aes)", "rfc7539(chacha20,poly1305)", "authenc(digest_null,ecb(aes))"];
        let mut aeads = instances(&registry, [names[0], names[1], names[2], names[0]], 32);
        let null = registry.find_any(names[3]).unwrap();
        aeads[3] = (0, (null.make)(registry.cpu(), &algkit::authenc_key(&[], &[1; 16]), WeakKeys::Refuse).unwrap());
        let ops = |i: usize| match &aeads[i % 4].1 {
            Keyed::Aead(ops) => &**ops,
            other => panic!("{other:?}"),
        };
        let ivs: Vec<Vec<u8>> = (0..12).map(|i| vec![1; aeads[i % 4].0]).collect();
        let tags: Vec<Vec<u8>> = (0..12).map(|i| vec![0; if i % 4 == 3 { 0 } else { 16 }]).collect();
        let assoc: &[&[u8]] = &[b"header"];
        let (mut want, mut want_tags) = (texts.clone(), tags.clone());
        for (i, (text, tag)) in want.iter_mut().zip(&mut want_tags).enumerate() {
            ops(i).seal(&ivs[i], assoc, &mut Text::from(text), tag);
        }
        for first in 0..4 {
            let (mut got, mut got_tags) = (texts.clone(), tags.clone());
            let jobs = got.iter_mut().zip(&mut got_tags).enumerate();
            let mut jobs: Vec<_> = jobs
                .map(|(i, (text, tag))| AeadJob::seal(ops(i), &ivs[i], assoc, InOut::from(&mut text[..]), tag))
                .collect();
            ops(first).crypt_batch(Direction::Encrypt, &mut jobs);
            assert!((got, got_tags) == (want.clone(), want_tags.clone()), "{mask}, {first}");
        }
    }
}
