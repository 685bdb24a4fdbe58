//! The intermediate values of FIPS 197, appendix C.1: AES-128, each step of each round, forwards and backwards.

use super::RoundKeys;
use super::sbox::{INV_SBOX, SBOX, inv_mix_columns, mix_column, sub_word};
use crate::{
    cpu::CpuFeatures,
    simd::{AesToken, AesVector, Blocks},
};

pub(super) const KEY: [u8; 16] = hex(0x000102030405060708090a0b0c0d0e0f);
const CIPHERTEXT: [u8; 16] = hex(0x69c4e0d86a7b0430d8cdb78070b4c55a);

/// A round: `round[r].start`, `.s_box`, `.s_row` and `.k_sch`. (`.m_col` is what the key turns into the next start.)
pub(super) struct Round {
    pub(super) start: [u8; 16],
    pub(super) sub_bytes: [u8; 16],
    pub(super) shift_rows: [u8; 16],
    pub(super) key: [u8; 16],
}

const fn hex(digits: u128) -> [u8; 16] {
    digits.to_be_bytes()
}

const fn round(start: u128, sub_bytes: u128, shift_rows: u128, key: u128) -> Round {
    Round { start: hex(start), sub_bytes: hex(sub_bytes), shift_rows: hex(shift_rows), key: hex(key) }
}

#[rustfmt::skip]
pub(super) const ROUNDS: [Round; 10] = [
    round(0x00102030405060708090a0b0c0d0e0f0, 0x63cab7040953d051cd60e0e7ba70e18c, 0x6353e08c0960e104cd70b751bacad0e7, 0xd6aa74fdd2af72fadaa678f1d6ab76fe),
    round(0x89d810e8855ace682d1843d8cb128fe4, 0xa761ca9b97be8b45d8ad1a611fc97369, 0xa7be1a6997ad739bd8c9ca451f618b61, 0xb692cf0b643dbdf1be9bc5006830b3fe),
    round(0x4915598f55e5d7a0daca94fa1f0a63f7, 0x3b59cb73fcd90ee05774222dc067fb68, 0x3bd92268fc74fb735767cbe0c0590e2d, 0xb6ff744ed2c2c9bf6c590cbf0469bf41),
    round(0xfa636a2825b339c940668a3157244d17, 0x2dfb02343f6d12dd09337ec75b36e3f0, 0x2d6d7ef03f33e334093602dd5bfb12c7, 0x47f7f7bc95353e03f96c32bcfd058dfd),
    round(0x247240236966b3fa6ed2753288425b6c, 0x36400926f9336d2d9fb59d23c42c3950, 0x36339d50f9b539269f2c092dc4406d23, 0x3caaa3e8a99f9deb50f3af57adf622aa),
    round(0xc81677bc9b7ac93b25027992b0261996, 0xe847f56514dadde23f77b64fe7f7d490, 0xe8dab6901477d4653ff7f5e2e747dd4f, 0x5e390f7df7a69296a7553dc10aa31f6b),
    round(0xc62fe109f75eedc3cc79395d84f9cf5d, 0xb415f8016858552e4bb6124c5f998a4c, 0xb458124c68b68a014b99f82e5f15554c, 0x14f9701ae35fe28c440adf4d4ea9c026),
    round(0xd1876c0f79c4300ab45594add66ff41f, 0x3e175076b61c04678dfc2295f6a8bfc0, 0x3e1c22c0b6fcbf768da85067f6170495, 0x47438735a41c65b9e016baf4aebf7ad2),
    round(0xfde3bad205e5d0d73547964ef1fe37f1, 0x5411f4b56bd9700e96a0902fa1bb9aa1, 0x54d990a16ba09ab596bbf40ea111702f, 0x549932d1f08557681093ed9cbe2c974e),
    round(0xbd6e7c3df2b5779e0b61216e8b10b689, 0x7a9f102789d5f50b2beffd9f3dca4ea7, 0x7ad5fda789ef4e272bca100b3d9ff59f, 0x13111d7fe3944a17f307a78b4d2b30c5),
];

pub(super) fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// What MixColumns makes of round `r`, from 0: the start of the next without its key. The last round has none.
pub(super) fn mixed(r: usize) -> [u8; 16] {
    xor(ROUNDS[r + 1].start, ROUNDS[r].key)
}

/// A function of words on the columns of a block.
pub(super) fn by_column(block: [u8; 16], f: impl Fn(u32) -> u32) -> [u8; 16] {
    let mut out = block;
    for column in out.as_chunks_mut::<4>().0 {
        *column = f(u32::from_le_bytes(*column)).to_le_bytes();
    }
    out
}

/// ShiftRows, as the standard's figure 8 shows it.
pub(super) fn shift_rows(block: [u8; 16]) -> [u8; 16] {
    core::array::from_fn(|i| block[(i + 4 * (i % 4)) % 16])
}

#[test]
fn sub_bytes_and_mix_columns_of_every_round() {
    for (r, round) in ROUNDS.iter().enumerate() {
        let circuit = by_column(round.start, |word| u32::from_le_bytes(sub_word(word.to_le_bytes())));
        assert_eq!(circuit, round.sub_bytes, "the circuit in round {}", r + 1);
        assert_eq!(round.start.map(|byte| SBOX[usize::from(byte)]), round.sub_bytes, "the table in round {}", r + 1);
        assert_eq!(
            round.sub_bytes.map(|byte| INV_SBOX[usize::from(byte)]),
            round.start,
            "backwards in round {}",
            r + 1
        );
        assert_eq!(shift_rows(round.sub_bytes), round.shift_rows);
        if r < 9 {
            assert_eq!(by_column(round.shift_rows, mix_column), mixed(r), "MixColumns in round {}", r + 1);
            assert_eq!(inv_mix_columns(mixed(r)), round.shift_rows, "InvMixColumns in round {}", r + 1);
        }
    }
    assert_eq!(xor(ROUNDS[9].shift_rows, ROUNDS[9].key), CIPHERTEXT);
}

#[test]
fn the_key_schedule() {
    let keys = RoundKeys::expand(&KEY, sub_word).unwrap();
    let (first, rest) = keys.keys().split_first().unwrap();
    assert_eq!(*first, KEY);
    for (key, round) in rest.iter().zip(&ROUNDS) {
        assert_eq!(*key, round.key);
    }
}

/// The instructions, in every block of a vector: after each round, and backwards by the equivalent inverse cipher.
fn instructions<T: AesToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    token.vectorize(
        #[inline(always)]
        || {
            let splat = |block: &[u8; 16]| T::V::splat(token, block);
            for (r, round) in ROUNDS.iter().enumerate() {
                let (state, key) = (splat(&round.start), splat(&round.key));
                let (got, want) =
                    if r < 9 { (state.enc(key), ROUNDS[r + 1].start) } else { (state.enc_last(key), CIPHERTEXT) };
                assert_eq!((got.first(), got.last()), (want, want), "round {}", r + 1);
                // From behind ShiftRows to the start, and on through InvMixColumns of the round before.
                let state = splat(&round.shift_rows);
                let key = if r > 0 { ROUNDS[r - 1].key } else { KEY };
                let (got, want) = match r.checked_sub(1) {
                    Some(before) => (state.dec(splat(&key).inv_mix_columns()), ROUNDS[before].shift_rows),
                    None => (state.dec_last(splat(&key)), xor(ROUNDS[0].start, KEY)),
                };
                assert_eq!((got.first(), got.last()), (want, want), "backwards from round {}", r + 1);
            }
        },
    );
}

#[test]
fn instructions_after_every_round() {
    super::testing::each_token!(instructions);
}
