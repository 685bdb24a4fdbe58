//! Drivers from another crate that misbehave after their self-test, the protection against them, and a driver with
//! an alignment mask.

use algkit::{
    Aead, Cipher, Direction, Driver, Error, Extent, Hash, InOut, Policy, Registry, SelfTest, Skcipher, Text, Timing,
    Type, WeakKeys,
    batch::{self, Request},
    cpu::CpuFeatures,
    driver::{
        AeadJob, AeadOps, AeadState, BadKey, CipherOps, HashOps, HashState, Keyed, Refusal, SkcipherJob, SkcipherOps,
    },
};
use hex_literal::hex;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The start of a message that makes these drivers misbehave.
const MARK: &[u8] = b"now do what no driver may do";

fn registry() -> Registry {
    Registry::new(CpuFeatures::detect(), Policy::Constant)
}

/// A driver named `foreign` with the highest priority, over transforms that `wrap` turns into instances.
fn foreign<T: algkit::Transform + 'static>(name: &'static str, wrap: fn(T) -> Keyed) -> Driver {
    let honest = registry();
    let model = honest.find_any(name).unwrap();
    let make = move |_: CpuFeatures, key: &[u8], weak: WeakKeys| {
        honest.transform::<T>(name).unwrap().key_with(key, weak).map(wrap).map_err(|_| BadKey("refused"))
    };
    Driver::new(name, "foreign", model.kind, model.shape.clone(), make).with_priority(10_000)
}

fn marked(text: &mut Text<'_>) -> bool {
    text.sources().next().is_some_and(|source| source.starts_with(MARK))
}

/// The results of a stream of requests.
fn streamed<'a>(requests: impl IntoIterator<Item = Request<'a>>) -> Vec<Result<(), Error>> {
    let mut results = Vec::new();
    batch::each(requests, |result| {
        results.push(result);
        Ok::<(), Error>(())
    })
    .unwrap();
    results
}

/// Panics in the middle of a marked text.
struct Panics(Skcipher);

impl SkcipherOps for Panics {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        assert!(!marked(text), "as was asked for");
        self.0.crypt(direction, iv, text).unwrap();
    }

    fn lanes(&self) -> usize {
        3
    }

    fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.run(direction));
    }
}

#[test]
fn what_a_panic_interrupts_is_not_done() {
    let registry = registry();
    registry.register(foreign("ctr(aes)", |tfm| Keyed::Skcipher(Box::new(Panics(tfm))))).unwrap();
    let ctr = registry.skcipher("ctr(aes)").unwrap();
    assert_eq!(ctr.driver().driver, "foreign");
    let ctr = ctr.key(&[1; 16]).unwrap();
    let mut texts = [[7; 64], [8; 64], [9; 64]];
    texts[1][..MARK.len()].copy_from_slice(MARK);
    let plain = texts;
    let mut ivs = [[0; 16]; 3];
    let mut requests: Vec<_> =
        texts.iter_mut().zip(&mut ivs).map(|(text, iv)| Request::encrypt(&ctr, iv, &mut text[..])).collect();
    assert!(catch_unwind(AssertUnwindSafe(|| batch::run(&mut requests).check())).is_err());
    for request in &requests {
        assert_eq!(request.result(), Err(Error::Unfinished));
    }
    // A second run does not repeat requests that may be half done.
    assert!(batch::run(&mut requests).all(|result| result == Err(Error::Unfinished)));
    assert_eq!(streamed(requests), vec![Err(Error::Unfinished); 3]);
    assert_eq!(texts[1], plain[1]);

    // The next call executes the requests that were still pending, and no others.
    let cbc = registry.skcipher("cbc(aes)").unwrap().key(&[1; 16]).unwrap();
    let (mut texts, mut ivs) = ([[7; 64]; 4], [[0; 16]; 4]);
    texts[2][..MARK.len()].copy_from_slice(MARK);
    let tfms = [&ctr, &cbc, &ctr, &cbc];
    let texts_and_ivs = texts.iter_mut().zip(&mut ivs);
    let mut requests: Vec<_> =
        tfms.iter().zip(texts_and_ivs).map(|(tfm, (text, iv))| Request::encrypt(tfm, iv, &mut text[..])).collect();
    assert!(catch_unwind(AssertUnwindSafe(|| batch::run(&mut requests).check())).is_err());
    let results: Vec<_> = batch::run(&mut requests).collect();
    let unfinished = || Err(Error::Unfinished);
    assert_eq!(results, [unfinished(), Ok(()), unfinished(), Ok(())]);
}

/// Associated data of a message that makes [`Hides`] panic.
const PANIC: &[u8] = b"panic";

/// Decrypts a marked message, replaces its view of the text by an empty one, and reports a wrong tag.
struct Hides {
    tfm: Aead,
    lanes: usize,
}

impl Hides {
    fn decrypt(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        assert!(assoc.concat() != PANIC, "as was asked for");
        let (marked, mut bytes) = (assoc.concat().starts_with(MARK), text.sources().collect::<Vec<_>>().concat());
        let authentic = self.tfm.decrypt(iv, assoc, &mut bytes[..], tag).is_ok();
        let mut rest = &bytes[..];
        while let Some(mut run) = text.next(1, 0) {
            let (front, back) = rest.split_at(run.len());
            run.put(0, if marked { &[b'!'; 4096][..front.len()] } else { front });
            rest = back;
        }
        if marked {
            *text = Text::from(&mut [][..]);
        }
        authentic && !marked
    }
}

impl AeadOps for Hides {
    fn check(&self, _iv: &[u8], _assoc_len: usize, _text_len: u64) -> Result<(), Refusal> {
        Ok(())
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let mut bytes = text.sources().collect::<Vec<_>>().concat();
        self.tfm.encrypt(iv, assoc, &mut bytes[..], tag).unwrap();
        let mut rest = &bytes[..];
        while let Some(mut run) = text.next(1, 0) {
            let (front, back) = rest.split_at(run.len());
            run.put(0, front);
            rest = back;
        }
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        self.decrypt(iv, assoc, text, tag)
    }

    fn open_packet(&self, iv: &[u8], packet: &mut algkit::Packet<'_>, tag: &[u8]) -> bool {
        let authentic = self.decrypt(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag);
        if packet.assoc.starts_with(MARK) {
            packet.text = algkit::InOut::from(&mut [][..]);
        }
        authentic
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn crypt_batch(&self, _: Direction, jobs: &mut [AeadJob<'_>]) {
        jobs.iter_mut().for_each(AeadJob::run);
    }
}

#[test]
fn what_is_not_authentic_is_wiped_whatever_the_driver_does_to_its_view() {
    let wraps: [fn(Aead) -> Keyed; 2] =
        [|tfm| Keyed::Aead(Box::new(Hides { tfm, lanes: 1 })), |tfm| Keyed::Aead(Box::new(Hides { tfm, lanes: 8 }))];
    for wrap in wraps {
        let registry = registry();
        registry.register(foreign("gcm(aes)", wrap)).unwrap();
        let gcm = registry.aead("gcm(aes)").unwrap();
        assert_eq!(gcm.driver().driver, "foreign");
        let gcm = gcm.key(&[1; 16]).unwrap();
        let refused = Err(Error::Authentication);
        let (iv, tag) = ([0; 12], [0; 16]);

        let mut text = [1; 100];
        assert_eq!(gcm.decrypt(&iv, &[MARK], &mut text[..], &tag), refused);
        assert_eq!(text, [0; 100], "in one piece");

        let mut text = [1; 100];
        let pieces = Text::segments_in_place(text.chunks_mut(33));
        assert_eq!(gcm.decrypt(&iv, &[MARK, b"more"], pieces, &tag), refused);
        assert_eq!(text, [0; 100], "in pieces");

        let mut texts = [[1; 100]; 3];
        let [a, b, c] = &mut texts;
        let mut requests = [
            Request::open(&gcm, &iv, MARK, &mut a[..], &tag),
            Request::open(&gcm, &iv, MARK, Text::segments_in_place(b.chunks_mut(33)), &tag),
            Request::open(&gcm, &iv, MARK, &mut c[..], &tag),
        ];
        assert!(batch::run(&mut requests).all(|result| result == refused));
        drop(requests);
        assert_eq!(texts, [[0; 100]; 3], "in a batch");

        let mut texts = [[1; 100]; 3];
        let requests = texts.iter_mut().map(|text| Request::open(&gcm, &iv, MARK, text, &tag));
        assert_eq!(streamed(requests), vec![refused; 3]);
        assert_eq!(texts, [[0; 100]; 3], "in a stream");

        // A panic may leave text before whose tags anybody has looked at.
        let ([mut a, mut b], [mut c, mut d]) = ([[1; 100]; 2], [[1; 100]; 2]);
        let mut requests =
            [Request::open(&gcm, &iv, MARK, &mut a, &tag), Request::open(&gcm, &iv, PANIC, &mut b, &tag)];
        assert!(catch_unwind(AssertUnwindSafe(|| batch::run(&mut requests).check())).is_err());
        drop(requests);
        let requests = [Request::open(&gcm, &iv, MARK, &mut c, &tag), Request::open(&gcm, &iv, PANIC, &mut d, &tag)];
        assert!(catch_unwind(AssertUnwindSafe(|| streamed(requests))).is_err());
        assert_eq!([a, b, c], [[0; 100]; 3], "before a panic");
    }
}

/// Checks the promise to a driver with an alignment mask.
struct OnBoundaries<T>(T);

const MASK: usize = 127;

fn on_boundary(bytes: &[u8]) -> &[u8] {
    check_boundary(&bytes);
    bytes
}

fn check_boundary(bytes: &&[u8]) {
    assert_eq!(bytes.as_ptr() as usize & MASK, 0, "{} bytes off the boundary", bytes.len());
}

/// The text of one request, after a check of its alignment.
fn run_on_boundary(text: &mut Text<'_>) -> Vec<u8> {
    text.sources().for_each(|source| check_boundary(&source));
    text.destinations().for_each(|destination| check_boundary(&destination));
    text.sources().collect::<Vec<_>>().concat()
}

fn write(text: &mut Text<'_>, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(mut run) = text.next(1, 0) {
        let (front, back) = rest.split_at(run.len());
        run.put(0, front);
        rest = back;
    }
}

impl CipherOps for OnBoundaries<Cipher> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, mut data: InOut<'_>) {
        [data.src(), data.written()].iter().for_each(check_boundary);
        self.0.encrypt(data.reborrow()).unwrap();
    }

    fn decrypt_blocks(&self, mut data: InOut<'_>) {
        [data.src(), data.written()].iter().for_each(check_boundary);
        self.0.decrypt(data.reborrow()).unwrap();
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.0.set_key_with(on_boundary(key), weak).is_ok()
    }
}

impl SkcipherOps for OnBoundaries<Skcipher> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        on_boundary(iv);
        let mut bytes = run_on_boundary(text);
        let done = self.0.crypt(direction, iv, &mut Text::from(&mut bytes[..]));
        match done {
            Ok(()) | Err(Error::Authentication) => write(text, &bytes),
            Err(error) => panic!("{error}"),
        }
    }

    /// The check value of RFC 3394, for `kw`.
    fn is_intact(&self, iv: &[u8]) -> bool {
        on_boundary(iv) == [0xa6; 8]
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        self.0.set_key_with(on_boundary(key), weak).is_ok()
    }
}

impl AeadOps for OnBoundaries<Aead> {
    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        assoc.iter().for_each(check_boundary);
        let mut bytes = run_on_boundary(text);
        self.0.encrypt(on_boundary(iv), assoc, &mut bytes[..], tag).unwrap();
        write(text, &bytes);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        assoc.iter().for_each(check_boundary);
        let mut bytes = run_on_boundary(text);
        let authentic = self.0.decrypt(on_boundary(iv), assoc, &mut bytes[..], tag).is_ok();
        write(text, &bytes);
        authentic
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        self.0.start(on_boundary(iv)).ok().map(|message| Box::new(PartsOnBoundaries(message)) as Box<dyn AeadState>)
    }
}

/// A message in parts, of which only encryption is tested.
struct PartsOnBoundaries(algkit::Sealing);

impl AeadState for PartsOnBoundaries {
    fn max_text(&self) -> u64 {
        u64::MAX
    }

    fn assoc(&mut self, assoc: &[u8]) {
        self.0.assoc(on_boundary(assoc)).unwrap();
    }

    fn crypt(&mut self, direction: Direction, mut text: InOut<'_>) {
        assert_eq!(direction, Direction::Encrypt);
        [text.src(), text.written()].iter().for_each(check_boundary);
        self.0.encrypt(text.reborrow()).unwrap();
    }

    fn finish(&mut self) -> [u8; 16] {
        let mut tag = [0; 16];
        self.0.finish(&mut tag).unwrap();
        tag
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        self.0.restart(on_boundary(iv)).is_ok()
    }

    fn boxed_clone(&self) -> Box<dyn AeadState> {
        Box::new(Self(self.0.clone()))
    }
}

struct StateOnBoundaries(algkit::State, std::sync::Arc<Hash>);

impl HashOps for OnBoundaries<std::sync::Arc<Hash>> {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(StateOnBoundaries(self.0.start(), self.0.clone()))
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        parts.iter().for_each(check_boundary);
        self.0.digest_into(parts, out).unwrap();
    }
}

impl HashState for StateOnBoundaries {
    fn update(&mut self, data: &[u8]) {
        self.0.update(on_boundary(data));
    }

    fn finish(&mut self, out: &mut [u8]) {
        std::mem::replace(&mut self.0, self.1.start()).finish_into(out).unwrap();
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut state = self.0.clone();
        parts.iter().for_each(|part| state.update(on_boundary(part)));
        state.finish_into(out).unwrap();
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(Self(self.0.clone(), self.1.clone()))
    }
}

#[test]
fn a_driver_gets_the_alignment_that_it_asks_for() {
    let drivers = [
        foreign("cbc(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm)))),
        foreign("xts(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm)))),
        // A mode with 32-byte IVs.
        foreign("adiantum(xchacha12,aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm)))),
        foreign("kw(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm)))),
        foreign("aes", |tfm| Keyed::Cipher(Box::new(OnBoundaries::<Cipher>(tfm)))),
        foreign("gcm(aes)", |tfm| Keyed::Aead(Box::new(OnBoundaries::<Aead>(tfm)))),
        foreign("sha256", |tfm: Hash| Keyed::Hash(Box::new(OnBoundaries(std::sync::Arc::new(tfm))))),
        foreign("hmac(sha256)", |tfm: Hash| Keyed::Hash(Box::new(OnBoundaries(std::sync::Arc::new(tfm))))),
    ];
    for mut driver in drivers {
        let registry = registry();
        let (name, kind) = (driver.name.clone(), driver.kind);
        let make = std::mem::replace(&mut driver.make, Box::new(|_, _, _| Err(BadKey("taken"))));
        driver.make = Box::new(move |cpu, key, weak| make(cpu, on_boundary(key), weak));
        driver.alignmask = MASK;
        registry.register(driver).unwrap();
        let found = registry.find(kind, &name).unwrap();
        assert_eq!(found.driver, "foreign", "{name}");
        assert_eq!(registry.test_extent(&found, Extent::Long), SelfTest::Passed, "{name}");
    }
    // A template's own buffers are passed on aligned too.
    let registry = registry();
    let mut driver = foreign("cbc(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm))));
    driver.alignmask = MASK;
    registry.register(driver).unwrap();
    let authenc = registry.find(Type::Aead, "authenc(hmac(sha256),cbc(aes))").unwrap();
    assert!(authenc.driver.contains("foreign"), "{}", authenc.driver);
    // Messages in parts, at every offset.
    let registry = crate::registry();
    let mut driver = foreign("gcm(aes)", |tfm| Keyed::Aead(Box::new(OnBoundaries::<Aead>(tfm))));
    driver.alignmask = MASK;
    registry.register(driver).unwrap();
    let gcm = registry.aead("gcm(aes)").unwrap().key(&[1; 16]).unwrap();
    assert_eq!(gcm.driver().driver, "foreign");
    let (bytes, mut tag) = ([7; MASK + 50], [0; 16]);
    let mut message = gcm.start(&[0; 12]).unwrap();
    for offset in 0..=MASK {
        let mut text = bytes;
        let ivs = [&[0; MASK][..], &[2; 12]].concat();
        let iv = &ivs[MASK - offset..][..12];
        message.restart(iv).unwrap();
        message.assoc(&bytes[offset..][..20]).unwrap();
        let mut again = message.clone();
        for part in text[offset..][..50].chunks_mut(19) {
            message.encrypt(part).unwrap();
        }
        message.finish(&mut tag).unwrap();
        let want = algkit::aead("gcm(aes)").unwrap().key(&[1; 16]).unwrap().seal(iv, &[7; 20], &[7; 50]).unwrap();
        assert_eq!([&text[offset..][..50], &tag].concat(), want);
        let mut text = bytes;
        again.encrypt(&mut text[offset..][..50]).unwrap();
        again.finish(&mut tag).unwrap();
        assert_eq!(tag, want[50..]);
    }
    // Without the mask, the same driver fails its self-test.
    let registry = crate::registry();
    registry.register(foreign("cbc(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm))))).unwrap();
    assert_ne!(registry.find_any("cbc(aes)").unwrap().driver, "foreign");
}

#[test]
fn a_wrapping_tells_a_forgery_whatever_lies_where() {
    let registry = registry();
    let mut driver = foreign("kw(aes)", |tfm| Keyed::Skcipher(Box::new(OnBoundaries::<Skcipher>(tfm))));
    driver.alignmask = MASK;
    registry.register(driver).unwrap();
    let kw = registry.skcipher("kw(aes)").unwrap();
    assert_eq!(kw.driver().driver, "foreign");
    // RFC 3394, section 4.1.
    let kw = kw.key(&hex!("000102030405060708090a0b0c0d0e0f")).unwrap();
    let plain = hex!("00112233445566778899aabbccddeeff");
    let (mut iv, mut text) = ([0; 9], [0; 17]);
    for offset in [0, 1] {
        let (iv, text) = (&mut iv[offset..][..8], &mut text[offset..][..16]);
        text.copy_from_slice(&plain);
        kw.encrypt(iv, &mut *text).unwrap();
        let wrapped = [&*iv, &*text].concat();
        assert_eq!(wrapped, hex!("1fa68b0a8112b447 aef34bd8fb5a7b82 9d3e862371d2cfe5"));
        kw.decrypt(iv, &mut *text).unwrap();
        assert_eq!(text, plain);

        iv.copy_from_slice(&wrapped[..8]);
        text.copy_from_slice(&wrapped[8..]);
        text[15] ^= 1;
        assert_eq!(kw.decrypt(iv, &mut *text), Err(Error::Authentication));
        assert_eq!(text, [0; 16], "wiped");
    }
}

/// Distinct valid names, as a client would use that wants to fill the registry.
fn names(count: usize) -> impl Iterator<Item = String> {
    let hashes = ["sha1", "sha224", "sha256", "sha384", "sha512", "sha3-224", "sha3-256", "sha3-384", "sha3-512"];
    let hashes = hashes.into_iter().chain(["blake2b-256", "blake2b-512", "blake2s-256"]);
    let ciphers = ["aes", "aes-fixed-time", "serpent", "serpent-generic"];
    let modes = ["cbc", "ctr", "xts", "ecb", "cts(cbc", "lrw", "pcbc"];
    hashes
        .flat_map(move |hash| {
            ciphers.into_iter().flat_map(move |cipher| {
                modes.into_iter().map(move |mode| {
                    let close = ")".repeat(1 + mode.matches('(').count());
                    format!("authenc(hmac({hash}),{mode}({cipher}{close})")
                })
            })
        })
        .take(count)
}

#[test]
fn names_without_end_fill_nothing() {
    let registry = registry().with_limit(400);
    let kept = registry.skcipher("cbc(aes)").unwrap().key(&[1; 16]).unwrap();
    let held = registry
        .aead("authenc(hmac(sha256),cbc(serpent))")
        .unwrap()
        .key(&algkit::authenc_key(&[1; 16], &[2; 16]))
        .unwrap();
    let (mut most, mut asked) = (0, 0);
    for name in names(330) {
        registry.aead(&name).map(drop).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A name that is used all the time is kept.
        assert_eq!(registry.skcipher("cbc(aes)").unwrap().driver().driver, kept.driver().driver);
        most = most.max(registry.drivers().len());
        asked += 1;
    }
    assert_eq!(asked, 330);
    assert!(most <= 400, "{most} drivers");
    // An instance that somebody holds is still there, and is the same.
    let found = registry.find(Type::Aead, "authenc(hmac(sha256),cbc(serpent))").unwrap();
    assert!(std::ptr::eq(&*found, held.driver()));
}

#[test]
fn drivers_come_and_go_and_change_their_rank() {
    let registry = registry();
    let best = registry.find_any("ctr(aes)").unwrap().driver.clone();
    let before = registry.skcipher("ctr(aes)").unwrap().key(&[1; 16]).unwrap();
    let built = registry.find_any("rfc3686(ctr(aes))").unwrap();
    assert_eq!(built.driver, format!("rfc3686({best})"));
    assert_eq!(registry.set_priority("no-such-driver", 1), Err(Error::Unknown("no-such-driver".into())));

    registry.set_priority("ctr-aes-u64bs", 9999).unwrap();
    assert_eq!(registry.find_any("ctr(aes)").unwrap().driver, "ctr-aes-u64bs");
    assert_eq!(registry.find_any("rfc3686(ctr(aes))").unwrap().driver, "rfc3686(ctr-aes-u64bs)");
    assert_eq!(registry.find_any("rfc3686(ctr(aes))").unwrap().priority(), 9999);
    registry.set_priority("ctr-aes-u64bs", 1).unwrap();
    assert_eq!(registry.find_any("ctr(aes)").unwrap().driver, best);
    // A template instance takes the current priority of its parts.
    registry.find_any("rfc3686(ctr-aes-u64bs)").unwrap();
    let instance = registry.drivers().into_iter().find(|d| d.driver == "rfc3686(ctr-aes-u64bs)").unwrap();
    assert_eq!(instance.priority(), 1);

    registry.unregister(&best).unwrap();
    assert_eq!(registry.unregister(&best), Err(Error::Unknown(best.clone())));
    let next = registry.find_any("ctr(aes)").unwrap().driver.clone();
    assert_ne!(next, best);
    assert!(registry.drivers().iter().all(|d| !d.driver.contains(&format!("({best})"))));
    let (mut one, mut other) = ([0; 16], [0; 16]);
    before.encrypt(&mut [0; 16], &mut one[..]).unwrap();
    registry.skcipher("ctr(aes)").unwrap().key(&[1; 16]).unwrap().encrypt(&mut [0; 16], &mut other[..]).unwrap();
    assert_eq!(one, other, "a transform of a driver that is gone goes on");
}

#[test]
fn a_driver_that_was_chosen_stands_for_its_algorithm_whatever_its_timing() {
    let registry = registry();
    let best = registry.find_any("ctr(aes)").unwrap().driver.clone();
    let mut engine = foreign::<Skcipher>("ctr(aes)", |tfm| Keyed::Skcipher(Box::new(Panics(tfm))));
    engine.timing = Timing::Table;
    registry.register(engine).unwrap();
    // Its priority is the highest, but its timing keeps it from serving.
    assert_eq!(registry.find_any("ctr(aes)").unwrap().driver, best);
    assert_eq!(registry.find_any("rfc3686(ctr(aes))").unwrap().driver, format!("rfc3686({best})"));
    registry.set_priority("foreign", 0).unwrap();
    assert_eq!(registry.prefer("no-such-driver"), Err(Error::Unknown("no-such-driver".into())));
    registry.prefer("foreign").unwrap();
    let chosen = registry.find_any("ctr(aes)").unwrap();
    assert_eq!((chosen.driver.as_str(), chosen.timing), ("foreign", Timing::Table));
    let built = registry.find_any("rfc3686(ctr(aes))").unwrap();
    assert_eq!((built.driver.as_str(), built.timing), ("rfc3686(foreign)", Timing::Table));
}

#[test]
fn holders_are_counted() {
    let registry = registry();
    let driver = registry.find_any("cmac(aes)").unwrap();
    assert_eq!(registry.reference_count(&driver), 1);
    let tfm = registry.hash("cmac(aes)").unwrap().key(&[1; 16]).unwrap();
    assert_eq!(registry.reference_count(&driver), 2);
    let state = tfm.start();
    drop((tfm, state));
    assert_eq!(registry.reference_count(&driver), 1);
    let ctr = registry.find_any("ctr(aes)").unwrap();
    let alone = registry.reference_count(&ctr);
    registry.find_any("rfc3686(ctr(aes))").unwrap();
    assert_eq!(registry.reference_count(&ctr), alone + 1, "an instance holds what it is built on");
}
