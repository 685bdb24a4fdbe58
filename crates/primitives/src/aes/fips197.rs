//! The intermediate values of FIPS 197, appendix C: every step of every round of AES-128, AES-192 and AES-256, forwards
//! and backwards.

use super::RoundKeys;
use super::sbox::{INV_SBOX, SBOX, inv_mix_columns, mix_column, sub_word};
use crate::{
    cpu::CpuFeatures,
    simd::{AesToken, AesVector, Blocks},
};

/// A round: `round[r].start`, `.s_box`, `.s_row` and `.k_sch`. (`.m_col` follows from the key and the next start.)
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

/// An example: a key, the ciphertext of [`PLAINTEXT`], and every round.
pub(super) struct Example {
    pub(super) key: &'static [u8],
    pub(super) ciphertext: [u8; 16],
    pub(super) rounds: &'static [Round],
}

impl Example {
    /// The key of `round[0].k_sch`.
    pub(super) fn first_key(&self) -> [u8; 16] {
        *self.key.first_chunk().unwrap()
    }

    /// The output of MixColumns in round `r`, from 0: the start of the next round without this round's key. The last
    /// round has none.
    pub(super) fn mixed(&self, r: usize) -> Option<[u8; 16]> {
        self.rounds.get(r + 1).map(|next| xor(next.start, self.rounds[r].key))
    }

    /// The state at the end of round `r`, from 0.
    pub(super) fn after_round(&self, r: usize) -> [u8; 16] {
        self.rounds.get(r + 1).map_or(self.ciphertext, |next| next.start)
    }
}

pub(super) const PLAINTEXT: [u8; 16] = hex(0x00112233445566778899aabbccddeeff);

#[rustfmt::skip]
pub(super) static EXAMPLES: [Example; 3] = [
    Example {
        key: &hex(0x000102030405060708090a0b0c0d0e0f),
        ciphertext: hex(0x69c4e0d86a7b0430d8cdb78070b4c55a),
        rounds: &[
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
        ],
    },
    Example {
        key: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
        ciphertext: hex(0xdda97ca4864cdfe06eaf70a0ec0d7191),
        rounds: &[
            round(0x00102030405060708090a0b0c0d0e0f0, 0x63cab7040953d051cd60e0e7ba70e18c, 0x6353e08c0960e104cd70b751bacad0e7, 0x10111213141516175846f2f95c43f4fe),
            round(0x4f63760643e0aa85aff8c9d041fa0de4, 0x84fb386f1ae1ac977941dd70832dd769, 0x84e1dd691a41d76f792d389783fbac70, 0x544afef55847f0fa4856e2e95c43f4fe),
            round(0xcb02818c17d2af9c62aa64428bb25fd7, 0x1f770c64f0b579deaaac432c3d37cf0e, 0x1fb5430ef0accf64aa370cde3d77792c, 0x40f949b31cbabd4d48f043b810b7b342),
            round(0xf75c7778a327c8ed8cfebfc1a6c37f53, 0x684af5bc0acce85564bb0878242ed2ed, 0x68cc08ed0abbd2bc642ef555244ae878, 0x58e151ab04a2a5557effb5416245080c),
            round(0x22ffc916a81474416496f19c64ae2532, 0x9316dd47c2fa92834390a1de43e43f23, 0x93faa123c2903f4743e4dd83431692de, 0x2ab54bb43a02f8f662e3a95d66410c08),
            round(0x80121e0776fd1d8a8d8c31bc965d1fee, 0xcdc972c53854a47e5d64c765904cc028, 0xcd54c7283864c0c55d4c727e90c9a465, 0xf501857297448d7ebdf1c6ca87f33e3c),
            round(0x671ef1fd4e2a1e03dfdcb1ef3d789b30, 0x8572a1542fe5727b9e86c8df27bc1404, 0x85e5c8042f8614549ebca17b277272df, 0xe510976183519b6934157c9ea351f1e0),
            round(0x0c0370d00c01e622166b8accd6db3a2c, 0xfe7b5170fe7c8e93477f7e4bf6b98071, 0xfe7c7e71fe7f807047b95193f67b8e4b, 0x1ea0372a995309167c439e77ff12051e),
            round(0x7255dad30fb80310e00d6c6b40d0527c, 0x40fc5766766c7bcae1d7507f09700010, 0x406c501076d70066e17057ca09fc7b7f, 0xdd7e0e887e2fff68608fc842f9dcc154),
            round(0xa906b254968af4e9b4bdb2d2f0c44336, 0xd36f3720907ebf1e8d7a37b58c1c1a05, 0xd37e3705907a1a208d1c371e8c6fbfb5, 0x859f5f237a8d5a3dc0c02952beefd63a),
            round(0x88ec930ef5e7e4b6cc32f4c906d29414, 0xc4cedcabe694694e4b23bfdd6fb522fa, 0xc494bffae62322ab4bb5dc4e6fce69dd, 0xde601e7827bcdf2ca223800fd8aeda32),
            round(0xafb73eeb1cd1b85162280f27fb20d585, 0x79a9b2e99c3e6cd1aa3476cc0fb70397, 0x793e76979c3403e9aab7b2d10fa96ccc, 0xa4970a331a78dc09c418c271e3a41d5d),
        ],
    },
    Example {
        key: &[
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        ],
        ciphertext: hex(0x8ea2b7ca516745bfeafc49904b496089),
        rounds: &[
            round(0x00102030405060708090a0b0c0d0e0f0, 0x63cab7040953d051cd60e0e7ba70e18c, 0x6353e08c0960e104cd70b751bacad0e7, 0x101112131415161718191a1b1c1d1e1f),
            round(0x4f63760643e0aa85efa7213201a4e705, 0x84fb386f1ae1ac97df5cfd237c49946b, 0x84e1fd6b1a5c946fdf4938977cfbac23, 0xa573c29fa176c498a97fce93a572c09c),
            round(0x1859fbc28a1c00a078ed8aadc42f6109, 0xadcb0f257e9c63e0bc557e951c15ef01, 0xad9c7e017e55ef25bc150fe01ccb6395, 0x1651a8cd0244beda1a5da4c10640bade),
            round(0x975c66c1cb9f3fa8a93a28df8ee10f63, 0x884a33781fdb75c2d380349e19f876fb, 0x88db34fb1f807678d3f833c2194a759e, 0xae87dff00ff11b68a68ed5fb03fc1567),
            round(0x1c05f271a417e04ff921c5c104701554, 0x9c6b89a349f0e18499fda678f2515920, 0x9cf0a62049fd59a399518984f26be178, 0x6de1f1486fa54f9275f8eb5373b8518d),
            round(0xc357aae11b45b7b0a2c7bd28a8dc99fa, 0x2e5bacf8af6ea9e73ac67a34c286ee2d, 0x2e6e7a2dafc6eef83a86ace7c25ba934, 0xc656827fc9a799176f294cec6cd5598b),
            round(0x7f074143cb4e243ec10c815d8375d54c, 0xd2c5831a1f2f36b278fe0c4cec9d0329, 0xd22f0c291ffe031a789d83b2ecc5364c, 0x3de23a75524775e727bf9eb45407cf39),
            round(0xd653a4696ca0bc0f5acaab5db96c5e7d, 0xf6ed49f950e06576be74624c565058ff, 0xf6e062ff507458f9be50497656ed654c, 0x0bdc905fc27b0948ad5245a4c1871c2f),
            round(0x5aa858395fd28d7d05e1a38868f3b9c5, 0xbec26a12cfb55dff6bf80ac4450d56a6, 0xbeb50aa6cff856126b0d6aff45c25dc4, 0x45f5a66017b2d387300d4d33640a820a),
            round(0x4a824851c57e7e47643de50c2af3e8c9, 0xd61352d1a6f3f3a04327d9fee50d9bdd, 0xd6f3d9dda6279bd1430d52a0e513f3fe, 0x7ccff71cbeb4fe5413e6bbf0d261a7df),
            round(0xc14907f6ca3b3aa070e9aa313b52b5ec, 0x783bc54274e280e0511eacc7e200d5ce, 0x78e2acce741ed5425100c5e0e23b80c7, 0xf01afafee7a82979d7a5644ab3afe640),
            round(0x5f9c6abfbac634aa50409fa766677653, 0xcfde0208f4b418ac5309db5c338538ed, 0xcfb4dbedf4093808538502ac33de185c, 0x2541fe719bf500258813bbd55a721c0a),
            round(0x516604954353950314fb86e401922521, 0xd133f22a1aed2a7bfa0f44697c4f3ffd, 0xd1ed44fd1a0f3f2afa4ff27b7c332a69, 0x4e5a6699a9f24fe07e572baacdf8cdea),
            round(0x627bceb9999d5aaac945ecf423f56da5, 0xaa218b56ee5ebeacdd6ecebf26e63c06, 0xaa5ece06ee6e3c56dde68bac2621bebf, 0x24fc79ccbf0979e9371ac23c6d68de36),
        ],
    },
];

pub(super) fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// A block with `f` applied to each column as a little-endian word.
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

/// Calls `check` with every round of every example and its number from 0.
pub(super) fn each_round(mut check: impl FnMut(&Example, usize, &Round)) {
    for example in &EXAMPLES {
        example.rounds.iter().enumerate().for_each(|(r, round)| check(example, r, round));
    }
}

#[test]
fn sub_bytes_and_mix_columns_of_every_round() {
    each_round(|example, r, round| {
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
        match example.mixed(r) {
            Some(mixed) => {
                assert_eq!(by_column(round.shift_rows, mix_column), mixed, "MixColumns in round {}", r + 1);
                assert_eq!(inv_mix_columns(mixed), round.shift_rows, "InvMixColumns in round {}", r + 1);
            }
            None => assert_eq!(xor(round.shift_rows, round.key), example.ciphertext),
        }
    });
}

#[test]
fn the_key_schedule() {
    for example in &EXAMPLES {
        let keys = RoundKeys::expand(example.key, sub_word).unwrap();
        let (first, rest) = keys.keys().split_first().unwrap();
        assert_eq!(*first, example.first_key());
        assert_eq!(rest.len(), example.rounds.len());
        for (key, round) in rest.iter().zip(example.rounds) {
            assert_eq!(*key, round.key);
        }
    }
}

/// The CPU's instructions, in every block of a vector: the state after each round, and backwards by the equivalent
/// inverse cipher.
fn instructions<T: AesToken>() {
    let Some(token) = T::detect(CpuFeatures::detect()) else { return };
    each_round(|example, r, round| {
        token.vectorize(
            #[inline(always)]
            || {
                let splat = |block: &[u8; 16]| T::V::splat(token, block);
                let (state, key) = (splat(&round.start), splat(&round.key));
                let got = if example.mixed(r).is_some() { state.enc(key) } else { state.enc_last(key) };
                let want = example.after_round(r);
                assert_eq!((got.first(), got.last()), (want, want), "round {}", r + 1);
                // From the state after ShiftRows to the start of the round, and through InvMixColumns of the round
                // before.
                let state = splat(&round.shift_rows);
                let (got, want) = match r.checked_sub(1).map(|before| &example.rounds[before]) {
                    Some(before) => (state.dec(splat(&before.key).inv_mix_columns()), before.shift_rows),
                    None => (state.dec_last(splat(&example.first_key())), PLAINTEXT),
                };
                assert_eq!((got.first(), got.last()), (want, want), "backwards from round {}", r + 1);
            },
        );
    });
}

#[test]
fn instructions_after_every_round() {
    super::testing::each_token!(instructions);
}
