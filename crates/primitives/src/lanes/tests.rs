use super::*;
use crate::cpu::{self, CpuFeatures};
use std::vec::Vec;

/// In every lane, every operation gives what the same operation on words gives.
fn arithmetic<V: Lanes>(word: impl Fn(u64) -> V::Word)
where
    V::Word: Word + PartialEq + core::fmt::Debug,
{
    let Some(token) = V::Token::detect(CpuFeatures::detect()) else { return };
    let words = |seed: u64| -> Vec<V::Word> {
        (0..V::COUNT as u64).map(|i| word((seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
    };
    let (x, y, z, t) = (words(1), words(100), words(1000), words(10_000));
    let vector = |words: &[V::Word]| {
        let mut v = V::splat(token, words[0]);
        words.iter().enumerate().for_each(|(i, word)| v.set_lane(i, *word));
        v
    };
    let (vx, vy, vz, vt) = (vector(&x), vector(&y), vector(&z), vector(&t));
    for (i, (((&x, &y), &z), &t)) in x.iter().zip(&y).zip(&z).zip(&t).enumerate() {
        assert_eq!(vx.lane(i), x);
        assert_eq!(vx.add(vy).lane(i), x.add(y));
        assert_eq!(vx.xor(vy).lane(i), x.xor(y));
        assert_eq!(vx.xor3(vy, vz).lane(i), x.xor3(y, z));
        assert_eq!(vx.add_choice(vy, vz, vt).lane(i), x.add_choice(y, z, t));
        assert_eq!(vx.majority(vy, vz).lane(i), x.majority(y, z));
        assert_eq!(vx.rotr::<1>().lane(i), x.rotr::<1>());
        assert_eq!(vx.rotr::<30>().lane(i), x.rotr::<30>());
        assert_eq!(vx.shr::<7>().lane(i), x.shr::<7>());
    }
}

/// After reading, lane `i` of word `w` is word `w` of run `i`.
fn reading<V: Lanes>(of: impl Fn(&[u8], bool) -> V::Word)
where
    V::Word: PartialEq + core::fmt::Debug,
{
    let Some(token) = V::Token::detect(CpuFeatures::detect()) else { return };
    let pool: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
    let texts: [&[u8]; MOST] = core::array::from_fn(|i| &pool[31 * i..][..64 + i]);
    let runs = Runs::new(&texts);
    let bytes = (V::BITS / 8) as usize;
    for at in (0..64).step_by(16) {
        let (little, big) = (V::read::<true>(token, &runs, at), V::read::<false>(token, &runs, at));
        for (lane, text) in texts[..V::COUNT].iter().enumerate() {
            for (w, word) in text[at..at + 16].chunks(bytes).enumerate() {
                assert_eq!(little.as_ref()[w].lane(lane), of(word, true));
                assert_eq!(big.as_ref()[w].lane(lane), of(word, false));
            }
            assert_eq!(runs.run(lane), &text[..64]);
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn vectors() {
    let of_32 = |bytes: &[u8], little| {
        let bytes = bytes.try_into().expect("four bytes");
        if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    };
    let of_64 = |bytes: &[u8], little| {
        let bytes = bytes.try_into().expect("eight bytes");
        if little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    };
    arithmetic::<U32x8>(|w| (w >> 32) as u32);
    arithmetic::<U32x16>(|w| (w >> 32) as u32);
    arithmetic::<U64x4>(|w| w);
    arithmetic::<U64x8>(|w| w);
    reading::<U32x8>(of_32);
    reading::<U32x16>(of_32);
    reading::<U64x4>(of_64);
    reading::<U64x8>(of_64);
}

#[test]
fn runs_are_as_long_as_the_shortest() {
    for short in 0..MOST {
        let texts: [&[u8]; MOST] = core::array::from_fn(|i| &[0; 64][..if i == short { 48 } else { 64 }]);
        assert_eq!(Runs::new(&texts).len(), 48);
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
#[should_panic = "a run has 16 bytes there"]
fn nothing_is_read_behind_a_run() {
    let token = cpu::Avx2::detect(CpuFeatures::detect()).expect("a run has 16 bytes there: it takes AVX2 to test it");
    let _ = U32x8::read::<true>(token, &Runs::new(&[&[0; 40]; MOST]), 32);
}

/// The operations on single words follow their definitions.
#[test]
fn scalars() {
    let (a, b, c) = (0b1111_0000u32, 0b1100_1100, 0b1010_1010);
    assert_eq!(a.majority(b, c), 0b1110_1000);
    assert_eq!(7u32.add_choice(a, b, c), 7 + 0b1100_1010);
    assert_eq!(a.xor3(b, c), 0b1001_0110);
    assert_eq!((1u64.rotr::<1>(), 8u64.shr::<3>()), (1 << 63, 1));
    let _ = cpu::Portable::new();
}
