//! Drivers of every type, written as another crate writes them: with constructors and fields only. Such code still
//! compiles when `Driver`, `Shape`, `Type`, `TextRule` and `Keyed` gain fields or variants. (The documentation's
//! tests show that other ways do not compile.)

use algkit::{
    Driver, Error, InOut, Known, Policy, Registry, Sizes, Timing, Type, Vector,
    cpu::{CpuFeatures, FeatureSet},
    driver::{BadKey, CipherOps, Keyed, Shape, TextRule},
};

/// A driver that refuses every key, with all public fields set.
fn driver(name: &str, kind: Type, shape: Shape) -> Driver {
    let mut driver = Driver::new(name, format!("{name}-outside"), kind, shape, |_, _, _| Err(BadKey("none will do")))
        .with_priority(900);
    driver.timing = Timing::Table;
    driver.needs = FeatureSet::NONE;
    driver.prefers = FeatureSet::NONE;
    driver.alignmask = 15;
    driver.context_size = 64;
    driver.asynchronous = true;
    driver
}

#[test]
fn drivers_of_every_type_and_rule() {
    let keys = || Sizes::of(&[16, 32]);
    let rules = [
        ("any", TextRule::Any),
        ("blocks", TextRule::Blocks),
        ("stealing", TextRule::Stealing),
        ("unit", TextRule::DataUnit(512)),
        ("wrapped", TextRule::Wrapped),
    ];
    let mut drivers = vec![
        driver("cipher", Type::Cipher, Shape::cipher(8, keys())),
        driver("aead", Type::Aead, Shape::aead(keys(), 12, Sizes::Between(4, 16)).with_text(16, TextRule::Stealing)),
        driver("hash", Type::Hash, Shape::hash(64, 32)),
        driver("mac", Type::Hash, Shape::keyed_hash(64, 32, keys())),
        driver("keyable", Type::Hash, Shape::keyed_hash(64, 32, keys()).with_optional_key()),
        driver("xof", Type::Hash, Shape::hash(136, 64).extendable()),
        driver("rng", Type::Rng, Shape::rng()),
    ];
    drivers.extend(rules.map(|(name, rule)| driver(name, Type::Skcipher, Shape::skcipher(16, keys(), 8, rule))));
    let registry = Registry::empty(CpuFeatures::detect(), Policy::Table);
    for driver in drivers {
        let (name, shape) = (driver.name.clone(), driver.shape.clone());
        registry.register(driver).unwrap();
        let [listed] = &registry.drivers_of(&name).unwrap()[..] else { panic!("{name}") };
        assert_eq!((&listed.shape, listed.priority(), listed.alignmask), (&shape, 900, 15));
        let digests = match listed.kind {
            Type::Hash => shape.digestsize > 0,
            _ => shape.digestsize == 0,
        };
        assert!(digests, "{name}");
        let room = match shape.text {
            TextRule::DataUnit(most) => most as usize,
            _ => usize::MAX,
        };
        assert!(shape.takes(shape.fit(100)) && room >= shape.fit(1000), "{name}");
    }
}

/// A cipher that adds a number made of the key to each byte.
struct Sum {
    block: usize,
    number: u8,
}

impl CipherOps for Sum {
    fn block_size(&self) -> usize {
        self.block
    }

    fn encrypt_blocks(&self, mut data: InOut<'_>) {
        data.copy();
        data.dst().iter_mut().for_each(|byte| *byte = byte.wrapping_add(self.number));
    }

    fn decrypt_blocks(&self, mut data: InOut<'_>) {
        data.copy();
        data.dst().iter_mut().for_each(|byte| *byte = byte.wrapping_sub(self.number));
    }
}

#[test]
fn modes_refuse_blocks_that_they_have_no_room_for() {
    for (block, good) in [(0, false), (8, true), (12, false), (16, true), (24, false), (32, false)] {
        let registry = Registry::default();
        let shape = Shape::cipher(block, Sizes::of(&[1]));
        let make = move |_, key: &[u8], _| Ok(Keyed::Cipher(Box::new(Sum { block, number: key[0] })));
        registry.register(Driver::new("sum", "sum-outside", Type::Cipher, shape, make)).unwrap();
        let (plain, cipher) = (vec![1; block].leak(), vec![3; block].leak());
        let known = Known::Cipher { key: &[2], plain, cipher };
        registry.register_answers(vec![Vector { name: "sum", source: "", known }].leak());
        for mode in ["cbc", "cfb", "ctr", "ecb", "ofb", "pcbc"] {
            match registry.skcipher(&format!("{mode}(sum)")) {
                Ok(_) => assert!(good, "{mode}, {block} bytes"),
                Err(Error::BadParameters { .. }) => assert!(!good && block > 0, "{mode}, {block} bytes"),
                Err(Error::SelfTest { reason, .. }) => assert!(block == 0 && reason.contains("0 bytes"), "{reason}"),
                Err(error) => panic!("{mode}, {block} bytes: {error}"),
            }
        }
    }
}
