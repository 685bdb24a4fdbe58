//! Every algorithm of the catalogue that OpenSSL or libgcrypt implements, or has the parts of, with every driver. Keys,
//! IVs, associated data, texts and tags are random; texts are in place and out of place, whole and in segments.
//!
//! `PROPTEST_CASES` sets the number of messages for each algorithm.

use algkit::{Aead, Cipher, Direction, Error, Hash, InOut, Sizes, Skcipher, Text, Type, WeakKeys, authenc_key};
use algkit_interop::{
    Counterpart, Library, compose, counterpart,
    drivers::{self, Choice},
    gcrypt::Gcrypt,
    openssl::OpenSsl,
};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};

/// Algorithms that neither library has, and what else they are tested against.
const WITHOUT: &[(&str, &str)] = &[
    ("lrw(aes)", "vectors"),
    ("lrw(serpent)", "vectors"),
    ("xctr(aes)", "lab/differential, and vectors"),
    ("xchacha12", "RustCrypto's chacha20"),
    ("hctr2(aes)", "its authors' vectors"),
    ("adiantum(xchacha12,aes)", "lab/differential, and its authors' vectors"),
    ("adiantum(xchacha20,aes)", "lab/differential, and its authors' vectors"),
    ("nhpoly1305", "lab/differential, and its definition over RustCrypto's poly1305"),
    ("aegis128", "lab/differential, and Wycheproof's vectors"),
    ("kw(aes)", "Wycheproof's vectors, and lab/differential"),
    ("vmac64(aes)", "lab/differential, and Wycheproof's vectors"),
    ("seqiv(rfc4106(gcm(aes)))", "lab/iv-generators, and vectors"),
    ("echainiv(authenc(hmac(sha1),cbc(aes)))", "lab/iv-generators, and vectors"),
    ("michael_mic", "lab/differential, and vectors"),
    ("cipher_null", "itself"),
    ("ecb(cipher_null)", "itself"),
    ("digest_null", "lab/differential"),
    ("keccak", "RustCrypto's sha3"),
    ("keccak-224", "RustCrypto's sha3"),
    ("keccak-256", "RustCrypto's sha3"),
    ("keccak-384", "RustCrypto's sha3"),
    ("keccak-512", "RustCrypto's sha3"),
    ("crc32c", "the crc32c crate"),
    ("xxhash64", "the xxhash-rust crate"),
    ("cast6", "vectors; it is RustCrypto's"),
    ("cbc(cast6)", "vectors; it is RustCrypto's"),
    ("xts(cast6)", "vectors; it is RustCrypto's"),
    ("ghash", "tests/ghash.rs"),
    ("polyval", "tests/ghash.rs"),
    ("stdrng", "NIST's vectors"),
    ("jitterentropy_rng", "nothing that could be foreseen"),
];

/// A random request.
#[derive(Clone)]
struct Case {
    key: Vec<u8>,
    iv: Vec<u8>,
    assoc: Vec<u8>,
    text: Vec<u8>,
    tag_len: usize,
    /// The places where source and destination are cut, in 1/256 of the text.
    cuts: [Vec<u8>; 2],
    /// The position of the byte and the number of the bit that are changed, so that the tag must be refused.
    flip: (u16, u8),
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { key, iv, assoc, text, tag_len, cuts, .. } = self;
        write!(f, "key {key:02x?} iv {iv:02x?} assoc {assoc:02x?} tag {tag_len} cuts {cuts:?} text {text:02x?}")
    }
}

/// `n` bytes that depend on `seed` (SplitMix64).
fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let word = |i: u64| {
        let z = seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (1..).flat_map(|i| word(i).to_le_bytes()).take(n).collect()
}

fn sizes(sizes: &Sizes) -> Vec<usize> {
    match sizes {
        Sizes::OneOf(list) => list.to_vec(),
        keys @ (Sizes::Between(min, max) | Sizes::EvenBetween(min, max)) => {
            (*min..=*max.min(&140)).filter(|n| keys.allows(*n)).collect()
        }
    }
}

/// The key lengths of `name` for which `library` has a counterpart. For `authenc`, they are those of the encryption
/// key.
fn key_lengths(library: &dyn Library, name: &str) -> Vec<usize> {
    let shape = &drivers::of(name)[0].registry.find_any(name).expect("it was found before").shape;
    let mut lengths = if name.contains("authenc") { vec![16, 24, 32, 48, 64] } else { sizes(&shape.keys) };
    if shape.optional_key && !lengths.contains(&0) {
        lengths.push(0);
    }
    lengths.retain(|&n| counterpart(library, name, n).is_some());
    lengths
}

/// The lengths of associated data that the algorithm accepts: some need the IV at the end, or a minimum.
fn assoc_lengths(name: &str) -> BoxedStrategy<usize> {
    match name {
        _ if ["rfc4106", "rfc4309", "rfc4543"].iter().any(|n| name.starts_with(n)) => select(&[16, 20][..]).boxed(),
        _ if name.starts_with("rfc7539esp") || name.starts_with("authencesn") => (8..=40usize).boxed(),
        _ if name.starts_with("essiv(authenc") => (16..=60usize).boxed(),
        _ => prop_oneof![20 => 0..=100usize, 1 => select(&[65279, 65280, 70000][..])].boxed(),
    }
}

fn cases(name: &'static str, lengths: Vec<usize>) -> impl Strategy<Value = Case> {
    let driver = drivers::of(name)[0].registry.find_any(name).expect("it was found before");
    let shape = driver.shape.clone();
    let text = prop_oneof![0..=300usize, 0..=4200usize, (0..=262usize).prop_map(|n| 16 * n)];
    let tags = if driver.kind == Type::Aead { sizes(&shape.tags) } else { vec![0] };
    let cuts = || proptest::collection::vec(any::<u8>(), 0..8);
    let inputs = (select(lengths), any::<u64>(), text, assoc_lengths(name), select(tags));
    (inputs, [cuts(), cuts()], any::<(u16, u8)>()).prop_map(
        move |((key_len, seed, text, assoc, tag_len), cuts, flip)| {
            let text_len = shape.fit(text);
            let key = bytes(seed ^ 1, key_len);
            let key = if name.contains("authenc") {
                authenc_key(&bytes(seed ^ 2, compose::AUTH_KEY), &key).to_vec()
            } else {
                key
            };
            let mut iv = bytes(seed ^ 3, shape.ivsize);
            if name.starts_with("ccm(") {
                iv[0] = iv[0] % 7 + 1;
            }
            if name.starts_with("ctr(") && seed % 2 == 0 {
                // The counter carries over all or some of its bytes.
                let from = seed as usize / 2 % iv.len();
                iv[from..].fill(0xff);
            }
            let mut assoc = bytes(seed ^ 4, assoc);
            if matches!(name.split_once('('), Some(("rfc4106" | "rfc4309" | "rfc4543" | "rfc7539esp" | "essiv", _)))
                && driver.kind == Type::Aead
            {
                let at = assoc.len() - iv.len();
                assoc[at..].copy_from_slice(&iv);
            }
            Case { key, iv, assoc, text: bytes(seed, text_len), tag_len, cuts, flip }
        },
    )
}

/// `data` cut into pieces.
fn pieces<'a>(mut data: &'a mut [u8], cuts: &[u8]) -> Vec<&'a mut [u8]> {
    let len = data.len();
    let mut ends: Vec<usize> = cuts.iter().map(|&cut| len * usize::from(cut) / 256).collect();
    ends.sort_unstable();
    ends.push(len);
    let mut start = 0;
    let mut list = Vec::new();
    for end in ends {
        let (piece, rest) = std::mem::take(&mut data).split_at_mut(end - start);
        (start, data) = (end, rest);
        list.push(piece);
    }
    list
}

/// The results of `f` on `text` in each of the layouts.
fn in_every_layout(case: &Case, text: &[u8], mut f: impl FnMut(Text<'_>)) -> [(&'static str, Vec<u8>); 4] {
    let (mut in_place, mut segmented, mut source) = (text.to_vec(), text.to_vec(), text.to_vec());
    let (mut apart, mut scattered) = (vec![0xa5; text.len()], vec![0xa5; text.len()]);
    let [src_cuts, dst_cuts] = &case.cuts;
    f(Text::from(&mut in_place[..]));
    f(Text::new(text, &mut apart).expect("equal lengths"));
    f(Text::segments_in_place(pieces(&mut segmented, src_cuts)));
    let sources: Vec<&[u8]> = pieces(&mut source, src_cuts).into_iter().map(|s| &*s).collect();
    f(Text::lists(sources, pieces(&mut scattered, dst_cuts)).expect("equal lengths"));
    [("in place", in_place), ("apart", apart), ("segments", segmented), ("lists", scattered)]
}

macro_rules! key {
    ($choice:ident, $type:ty, $case:ident) => {
        $choice
            .registry
            .transform::<$type>(&$choice.driver)
            .and_then(|tfm| tfm.key_with(&$case.key, WeakKeys::Allow))
            .map_err(|e| TestCaseError::fail(format!("{}: {e}", $choice.label)))?
    };
}

fn check_cipher(choice: &Choice, case: &Case, want: &[u8]) -> Result<(), TestCaseError> {
    let cipher = key!(choice, Cipher, case);
    let mut apart = vec![0; want.len()];
    cipher.encrypt(InOut::new(&case.text, &mut apart).expect("equal lengths")).expect("whole blocks");
    prop_assert_eq!(&apart, want, "{}: encryption", choice.label);
    cipher.decrypt(&mut apart[..]).expect("whole blocks");
    prop_assert_eq!(&apart, &case.text, "{}: decryption", choice.label);
    Ok(())
}

fn check_skcipher(name: &str, choice: &Choice, case: &Case, want: &[u8]) -> Result<(), TestCaseError> {
    let skcipher = key!(choice, Skcipher, case);
    for (direction, from, to) in [(Direction::Encrypt, &case.text[..], want), (Direction::Decrypt, want, &case.text)] {
        let crypt = |mut text: Text<'_>| {
            skcipher.crypt(direction, &mut case.iv.clone(), &mut text).expect("lengths that the mode takes");
        };
        for (layout, got) in in_every_layout(case, from, crypt) {
            prop_assert_eq!(&got, to, "{}: {:?} {}", choice.label, direction, layout);
        }
        // Two requests, of which the second gets the IV that the first has left. ARC4 is left out, because each request
        // begins its keystream anew.
        if name != "ecb(arc4)" && ["ecb(", "cbc(", "ctr(", "pcbc("].iter().any(|mode| name.starts_with(mode)) {
            let (mut got, mut iv) = (from.to_vec(), case.iv.clone());
            let (first, second) = got.split_at_mut(from.len() / 2 / 16 * 16);
            for part in [first, second] {
                skcipher.crypt(direction, &mut iv, &mut Text::from(part)).expect("lengths that the mode takes");
            }
            prop_assert_eq!(&got, to, "{}: {:?} in two requests", choice.label, direction);
        }
    }
    Ok(())
}

fn check_aead(choice: &Choice, case: &Case, sealed: &[u8]) -> Result<(), TestCaseError> {
    let aead = key!(choice, Aead, case);
    let (ciphertext, tag) = sealed.split_at(case.text.len());
    let middle = case.assoc.len() / 3;
    for assoc in [&[&case.assoc[..]][..], &[&case.assoc[..middle], &case.assoc[middle..]]] {
        let mut tags = Vec::new();
        let seal = |text: Text<'_>| {
            let mut tag = vec![0; case.tag_len];
            aead.encrypt(&case.iv, assoc, text, &mut tag).expect("lengths that the mode takes");
            tags.push(tag);
        };
        for (layout, got) in in_every_layout(case, &case.text, seal) {
            prop_assert_eq!(&got, ciphertext, "{}: sealing {}", choice.label, layout);
        }
        prop_assert!(tags.iter().all(|t| t == tag), "{}: tags {:02x?}, not {:02x?}", choice.label, tags, tag);

        let mut answers = Vec::new();
        let open = |text: Text<'_>| answers.push(aead.decrypt(&case.iv, assoc, text, tag));
        for (layout, got) in in_every_layout(case, ciphertext, open) {
            prop_assert_eq!(&got, &case.text, "{}: opening {}", choice.label, layout);
        }
        prop_assert!(answers.iter().all(Result::is_ok), "{}: {:?}", choice.label, answers);
    }
    if case.tag_len > 0 {
        let mut forged = sealed.to_vec();
        // After a change of the text, a short tag matches by chance (once in 256 for one byte). A changed tag never
        // matches.
        let first = if case.tag_len < 8 { case.text.len() } else { 0 };
        let (byte, bit) = (first + usize::from(case.flip.0) % (sealed.len() - first), case.flip.1 % 8);
        forged[byte] ^= 1 << bit;
        let (ciphertext, tag) = forged.split_at(case.text.len());
        let refused = |text: Text<'_>| {
            assert_eq!(
                aead.decrypt(&case.iv, &[&case.assoc], text, tag),
                Err(Error::Authentication),
                "{}",
                choice.label
            );
        };
        for (layout, got) in in_every_layout(case, ciphertext, refused) {
            prop_assert!(got.iter().all(|&b| b == 0), "{}: a forgery leaves text {}", choice.label, layout);
        }
    }
    Ok(())
}

fn check_hash(choice: &Choice, case: &Case, want: &[u8]) -> Result<(), TestCaseError> {
    let hash = key!(choice, Hash, case);
    prop_assert_eq!(&hash.digest(&case.text), want, "{}: whole", choice.label);
    prop_assert!(hash.verify(&case.text, want), "{}: verify", choice.label);
    let mut text = case.text.clone();
    let parts: Vec<&[u8]> = pieces(&mut text, &case.cuts[0]).into_iter().map(|p| &*p).collect();
    let mut digest = vec![0; want.len()];
    hash.digest_into(&parts, &mut digest).expect("the digest's length");
    prop_assert_eq!(&digest, want, "{}: in parts", choice.label);
    let mut state = hash.start();
    for part in &parts {
        state.update(part);
        state = state.clone();
    }
    prop_assert_eq!(&state.finish(), want, "{}: by updates", choice.label);
    Ok(())
}

fn compare(library: &dyn Library, name: &'static str) {
    let lengths = key_lengths(library, name);
    let choices = drivers::of(name);
    let cases_wanted = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 48 };
    let config = Config { cases: cases_wanted, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&cases(name, lengths), |case| {
        let key_len = match case.key.split_first_chunk::<8>() {
            Some((header, _)) if name.contains("authenc") => header[7].into(),
            _ => case.key.len(),
        };
        let foreign = counterpart(library, name, key_len).expect("the length was picked for it");
        let want = match &foreign {
            Counterpart::Skcipher(f) => f(Direction::Encrypt, &case.key, &case.iv, &case.text),
            Counterpart::Aead(f) => f(&case.key, &case.iv, &case.assoc, &case.text, case.tag_len),
            Counterpart::Hash(f) => f(&case.key, &case.text),
        };
        choices.iter().try_for_each(|choice| match (&foreign, drivers::kind(name)) {
            (Counterpart::Skcipher(_), Type::Cipher) => check_cipher(choice, &case, &want),
            (Counterpart::Skcipher(_), Type::Skcipher) => check_skcipher(name, choice, &case, &want),
            (Counterpart::Aead(_), Type::Aead) => check_aead(choice, &case, &want),
            (Counterpart::Hash(_), Type::Hash) => check_hash(choice, &case, &want),
            (_, kind) => Err(TestCaseError::fail(format!("{name} is of type {kind}"))),
        })
    });
    if let Err(error) = result {
        panic!("{name} differs from {}: {error}", library.name());
    }
}

/// Compares the algorithms of type `kind` that `library` has.
fn compare_all(library: &dyn Library, kind: Type) {
    let mut compared = Vec::new();
    for name in drivers::algorithms().filter(|name| drivers::kind(name) == kind) {
        if !key_lengths(library, name).is_empty() {
            compare(library, name);
            compared.push(format!("{name} ({} drivers)", drivers::of(name).len()));
        }
    }
    println!("{}: {} {kind} algorithms: {}", library.name(), compared.len(), compared.join(", "));
    assert!(!compared.is_empty(), "{} has nothing of type {kind}", library.name());
}

macro_rules! comparisons {
    ($($test:ident: $library:ty, $kind:ident;)*) => {$(
        #[test]
        fn $test() {
            compare_all(&<$library>::new(), Type::$kind);
        }
    )*};
}

comparisons! {
    ciphers_of_openssl: OpenSsl, Cipher;
    modes_of_openssl: OpenSsl, Skcipher;
    aeads_of_openssl: OpenSsl, Aead;
    hashes_of_openssl: OpenSsl, Hash;
    ciphers_of_libgcrypt: Gcrypt, Cipher;
    modes_of_libgcrypt: Gcrypt, Skcipher;
    aeads_of_libgcrypt: Gcrypt, Aead;
    hashes_of_libgcrypt: Gcrypt, Hash;
}

/// No algorithm may be left out of the comparison without a reason.
#[test]
fn every_algorithm_has_a_counterpart_or_a_reason() {
    let libraries: [&dyn Library; 2] = [&OpenSsl::new(), &Gcrypt::new()];
    for name in drivers::algorithms() {
        let compared = libraries.iter().any(|&library| !key_lengths(library, name).is_empty());
        let listed = WITHOUT.iter().any(|(without, _)| *without == name);
        assert!(compared != listed, "{name}: compared {compared}, listed as without a counterpart {listed}");
    }
}
