//! Legacy ciphers and hashes, and national standards.
//!
//! Where no published vector of a mode is known, the answer was computed with two independent implementations (with
//! one, if no second implements the mode) on counting bytes.

use super::{Known, Vector};
use hex_literal::hex;

#[rustfmt::skip::macros(hex)]
pub(super) static VECTORS: &[Vector] = &[
    Vector {
        name: "des",
        source: "FIPS 81 table B1",
        known: Known::Cipher {
            key: &hex!("0123456789abcdef"),
            plain: b"Now is the time for all ",
            cipher: &hex!("3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53"),
        },
    },
    Vector {
        name: "des3_ede",
        source: "SP 800-67 revision 1 appendix B.1",
        known: Known::Cipher {
            key: &hex!("0123456789abcdef23456789abcdef01456789abcdef0123"),
            plain: b"The qufck brown fox jump",
            cipher: &hex!("a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900"),
        },
    },
    Vector {
        name: "ecb(des3_ede)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef23456789abcdef01456789abcdef0123"),
            iv: &[],
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"),
            cipher: &hex!("714772f339841d34267fcc4bd2949cc3ee11c22a576a303876183f99c0b6de87"),
        },
    },
    Vector {
        name: "cbc(des3_ede)",
        source: "NIST examples with intermediate values, TDES CBC",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef23456789abcdef01456789abcdef0123"),
            iv: &hex!("f69f2445df4f9b17"),
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"),
            cipher: &hex!("2079c3d53aa763e193b79e2569ab5262516570481f25b50f73c0bda85c8e0da7"),
        },
    },
    Vector {
        name: "ctr(des3_ede)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4"),
            iv: &hex!("fffffffffffffffe"),
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            cipher: &hex!("83ca0679b1836e6c892d4b545f119e4ec81235fec7461f540431cb8bc767d15032fa83d0d1"),
        },
    },
    Vector {
        name: "cmac(des3_ede)",
        source: "SP 800-38B appendix D.4, 0 bytes",
        known: Known::Hash {
            key: &hex!("8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5"),
            message: &[],
            digest: &hex!("b7a688e122ffaf95"),
        },
    },
    Vector {
        name: "cmac(des3_ede)",
        source: "SP 800-38B appendix D.4, 8 bytes",
        known: Known::Hash {
            key: &hex!("8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5"),
            message: &hex!("6bc1bee22e409f96"),
            digest: &hex!("8e8f293136283797"),
        },
    },
    Vector {
        name: "cmac(des3_ede)",
        source: "SP 800-38B appendix D.4, 20 bytes",
        known: Known::Hash {
            key: &hex!("8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5"),
            message: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a57"),
            digest: &hex!("743ddbe0ce2dc2ed"),
        },
    },
    Vector {
        name: "cmac(des3_ede)",
        source: "SP 800-38B appendix D.4, 32 bytes",
        known: Known::Hash {
            key: &hex!("8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5"),
            message: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"),
            digest: &hex!("33e6b1092400eae5"),
        },
    },
    Vector {
        name: "twofish",
        source: "Twofish, a 128-bit block cipher, appendix A.2, 128-bit key",
        known: Known::Cipher { key: &[0; 16], plain: &[0; 16], cipher: &hex!("9f589f5cf6122c32b6bfec2f2ae8c35a") },
    },
    Vector {
        name: "twofish",
        source: "Twofish, a 128-bit block cipher, appendix A.2, 192-bit key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba98765432100011223344556677"),
            plain: &[0; 16],
            cipher: &hex!("cfd1d2e5a9be9cdf501f13b892bd2248"),
        },
    },
    Vector {
        name: "twofish",
        source: "Twofish, a 128-bit block cipher, appendix A.2, 256-bit key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff"),
            plain: &[0; 16],
            cipher: &hex!("37527be0052334b89f0cfccae87cfa20"),
        },
    },
    Vector {
        name: "camellia",
        source: "RFC 3713 appendix A, 128-bit key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            plain: &hex!("0123456789abcdeffedcba9876543210"),
            cipher: &hex!("67673138549669730857065648eabe43"),
        },
    },
    Vector {
        name: "camellia",
        source: "RFC 3713 appendix A, 192-bit key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba98765432100011223344556677"),
            plain: &hex!("0123456789abcdeffedcba9876543210"),
            cipher: &hex!("b4993401b3e996f84ee5cee7d79b09b9"),
        },
    },
    Vector {
        name: "camellia",
        source: "RFC 3713 appendix A, 256-bit key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff"),
            plain: &hex!("0123456789abcdeffedcba9876543210"),
            cipher: &hex!("9acc237dff16d76c20ef7c919e3a7509"),
        },
    },
    Vector {
        name: "ctr(camellia)",
        source: "RFC 5528 section 4, test vector 1",
        known: Known::Skcipher {
            key: &hex!("ae6852f8121067cc4bf7a5765577f39e"),
            iv: &hex!("00000030000000000000000000000001"),
            plain: b"Single block msg",
            cipher: &hex!("d09dc29a8214619a20877c76db1f0b3f"),
        },
    },
    Vector {
        name: "ecb(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &[],
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"90883d32930ed1d8d960ada0e18a58d5df9518c64b236e0e9a5a00ef794a0a5a"
"b688269dec5134668fd1a2d86935dbc3"
),
        },
    },
    Vector {
        name: "cbc(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"1174d8342cb100465e1b05fb2838e158471eb55df1e4f1b9794c8ecef74eac18"
"b1c850d652b33d69a4808a8b8357879c"
),
        },
    },
    Vector {
        name: "cbc(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"04366fefbe17bb6d2302d4faa19d3588da16f1c9f86214719b014c8dc9609e46"
"0a46ce6ea515cc975d635ee231e4aa05"
),
        },
    },
    Vector {
        name: "ctr(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("fffffffffffffffffffffffffffffffe"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"5bc0f581aea310895cea1cdbfa20124f1774f241e718b08c502ed0cf442ae043"
"0d4a51ebce3cb7a9d310eaff55fa633568815d85f1fc3e82174130b2d1"
),
        },
    },
    Vector {
        name: "xts(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"ed05e806381cec7ae81ca797a02b6484daccb61366e67d58c1c168862806c7ce"
"a6d4092af1e83a5e73c1d8785604afb5"
),
        },
    },
    Vector {
        name: "xts(twofish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d848b9299a0a7aeb5bc"
),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"6c35250c08b20dc6268d75371e60dc0835e661a2dbb587c250d39d5d248dcbcc"
"a7b2867c846aa1919fa82ab3ff7e427ae18bb573dfa7193fc2643dd448"
),
        },
    },
    Vector {
        name: "ecb(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &[],
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"7570316a046ffcc594bc19c37339c02b43dfe34f49be36d70ef37779c5481661"
"f57e4e9d72962987011ea7bcf76afe72"
),
        },
    },
    Vector {
        name: "cbc(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"cf86564254007b0ecb68adbdb86c8ec6dede4c686ed2504b25949418d3887cf8"
"2c07b2f2b1ae03fc7564e32c056191d7"
),
        },
    },
    Vector {
        name: "cbc(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"a9fc50a8ce2d8a8d53719e2065c58d662a8ce21cfef646b56c06935486d1528f"
"e0a8eb71f28afae5bcddb3e1960d1e76"
),
        },
    },
    Vector {
        name: "ctr(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("fffffffffffffffffffffffffffffffe"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"27623244774e105096bccf52fc32f870d1b7721db00af3e14d44ccf874d7476d"
"04362b8b088c30568e782420c1f8b1467c8535a510c438dddbfb1595fd"
),
        },
    },
    Vector {
        name: "xts(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"7a3dffab43b34e359f1b8ec2e4e67d1aed027ee873429ddc8c33bdbbdb105528"
"7bd5babddd5bb45b2a23e5469fb596f2"
),
        },
    },
    Vector {
        name: "xts(camellia)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d848b9299a0a7aeb5bc"
),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"36cda873f4f20c8beaadde7b3fe05fd4f3bf0eeb7f770f8b2be54b6101a53fe6"
"3e4ac454f0741b13d9a591bae117bd60880519b3a3f42a44475bcdc65d"
),
        },
    },
    Vector {
        name: "cast5",
        source: "RFC 2144 appendix B.1, 128-bit key",
        known: Known::Cipher {
            key: &hex!("0123456712345678234567893456789a"),
            plain: &hex!("0123456789abcdef"),
            cipher: &hex!("238b4fe5847e44b2"),
        },
    },
    Vector {
        name: "cast5",
        source: "RFC 2144 appendix B.1, 80-bit key",
        known: Known::Cipher {
            key: &hex!("01234567123456782345"),
            plain: &hex!("0123456789abcdef"),
            cipher: &hex!("eb6a711a2c02271b"),
        },
    },
    Vector {
        name: "cast5",
        source: "RFC 2144 appendix B.1, 40-bit key",
        known: Known::Cipher {
            key: &hex!("0123456712"),
            plain: &hex!("0123456789abcdef"),
            cipher: &hex!("7ac816d16e9b302e"),
        },
    },
    Vector {
        name: "cbc(cast5)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c"),
            iv: &hex!("011e3b587592afcc"),
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9e6f300"),
            cipher: &hex!("801235e780197bf31745bcd7c9f98af44bc8efed8250ce41e349479fc46ed29e8415f72a798a22c9"),
        },
    },
    Vector {
        name: "ctr(cast5)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c"),
            iv: &hex!("fffffffffffffffe"),
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            cipher: &hex!("18a152b13f2dda5147f6a6e23e093d840b51e76dff40c19534d0bc574b9eb7f38ebf43c006"),
        },
    },
    Vector {
        name: "cast6",
        source: "RFC 2612 appendix A, 128-bit key",
        known: Known::Cipher {
            key: &hex!("2342bb9efa38542c0af75647f29f615d"),
            plain: &[0; 16],
            cipher: &hex!("c842a08972b43d20836c91d1b7530f6b"),
        },
    },
    Vector {
        name: "cast6",
        source: "RFC 2612 appendix A, 192-bit key",
        known: Known::Cipher {
            key: &hex!("2342bb9efa38542cbed0ac83940ac298bac77a7717942863"),
            plain: &[0; 16],
            cipher: &hex!("1b386c0210dcadcbdd0e41aa08a7a7e8"),
        },
    },
    Vector {
        name: "cast6",
        source: "RFC 2612 appendix A, 256-bit key",
        known: Known::Cipher {
            key: &hex!("2342bb9efa38542cbed0ac83940ac2988d7c47ce264908461cc1b5137ae6b604"),
            plain: &[0; 16],
            cipher: &hex!("4f6a2038286897b9c9870136553317fa"),
        },
    },
    Vector {
        name: "cbc(cast6)",
        source: "computed with Crypto++ 8.7",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"f75c554191816081fd70644ec226988277ffa0305e4469f935764d5c29ad37c3"
"8d2992341bbdb9b3fb7bbd4f3fac30bb"
),
        },
    },
    Vector {
        name: "xts(cast6)",
        source: "computed with Crypto++ 8.7",
        known: Known::Skcipher {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d848b9299a0a7aeb5bc"
),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"50ae2786d0b273e54160797db463258d60ea9a323eb3adaa20f3624c51e4c94b"
"9b2bb04896d5e00ff7160435f2ceb3c389cdfafc68bfc87f30bff7b99d"
),
        },
    },
    Vector {
        name: "blowfish",
        source: "Blowfish test vectors (E. Young), 8-byte key",
        known: Known::Cipher {
            key: &hex!("0000000000000000"),
            plain: &hex!("0000000000000000"),
            cipher: &hex!("4ef997456198dd78"),
        },
    },
    Vector {
        name: "blowfish",
        source: "Blowfish test vectors (E. Young), 8-byte key",
        known: Known::Cipher {
            key: &hex!("0123456789abcdef"),
            plain: &hex!("1111111111111111"),
            cipher: &hex!("61f9c3802281b096"),
        },
    },
    Vector {
        name: "blowfish",
        source: "Blowfish test vectors (E. Young), 4-byte key",
        known: Known::Cipher {
            key: &hex!("f0e1d2c3"),
            plain: &hex!("fedcba9876543210"),
            cipher: &hex!("be1e639408640f05"),
        },
    },
    Vector {
        name: "blowfish",
        source: "Blowfish test vectors (E. Young), 24-byte key",
        known: Known::Cipher {
            key: &hex!("f0e1d2c3b4a5968778695a4b3c2d1e0f0011223344556677"),
            plain: &hex!("fedcba9876543210"),
            cipher: &hex!("05044b62fa52d080"),
        },
    },
    Vector {
        name: "blowfish",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Cipher {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d84"
),
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8"),
            cipher: &hex!("1893b6ed7fe76d36ef76c77c3fef859d"),
        },
    },
    Vector {
        name: "ecb(blowfish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdeff0e1d2c3b4a59687"),
            iv: &[],
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"),
            cipher: &hex!("1616770c1453dc504fdcf66ffdceb23fe33177a8b391cd95bc727f97b15c33ec"),
        },
    },
    Vector {
        name: "cbc(blowfish)",
        source: "Blowfish test vectors (E. Young), chaining mode",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdeff0e1d2c3b4a59687"),
            iv: &hex!("fedcba9876543210"),
            plain: &hex!("37363534333231204e6f77206973207468652074696d6520666f722000000000"),
            cipher: &hex!("6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc"),
        },
    },
    Vector {
        name: "ctr(blowfish)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d84"
),
            iv: &hex!("fffffffffffffffe"),
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            cipher: &hex!("d52a39002076fc3fb725f1b63038ffb6a25189c9c99e6928ae8a844d776bf59bd863206af7"),
        },
    },
    Vector {
        name: "sm4",
        source: "GB/T 32907-2016 appendix A.1",
        known: Known::Cipher {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            plain: &hex!("0123456789abcdeffedcba9876543210"),
            cipher: &hex!("681edf34d206965e86b3e94f536e4246"),
        },
    },
    Vector {
        name: "ecb(sm4)",
        source: "draft-ribose-cfrg-sm4-10 appendix A.2.1.1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            iv: &[],
            plain: &hex!("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
            cipher: &hex!("5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304"),
        },
    },
    Vector {
        name: "cbc(sm4)",
        source: "draft-ribose-cfrg-sm4-10 appendix A.2.2.1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
            cipher: &hex!("78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"),
        },
    },
    Vector {
        name: "ctr(sm4)",
        source: "draft-ribose-cfrg-sm4-10 appendix A.2.5.1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
"eeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"
),
            cipher: &hex!(
"ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7"
"f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514"
),
        },
    },
    Vector {
        name: "xts(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"38604c6732a3b69c6a32be5e4571f437853d86d42c3e55208663d0a9ff35a3a6"
"d862cdea8534796ec4452635ceba7e12"
),
        },
    },
    Vector {
        name: "xts(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"38604c6732a3b69c6a32be5e4571f437853d86d42c3e55208663d0a9ff35a3a6"
"b9b210daf7f9b63cffed76a9366645a3d862cdea8534796ec4452635ce"
),
        },
    },
    Vector {
        name: "gcm(sm4)",
        source: "RFC 8998 appendix A.1",
        known: Known::Aead {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            iv: &hex!("00001234567800000000abcd"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &hex!(
"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
"eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"
),
            sealed: &hex!(
"17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735"
"d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d"
"83de3541e4c2b58177e065a9bf7b62ec"
),
        },
    },
    Vector {
        name: "ccm(sm4)",
        source: "RFC 8998 appendix A.2",
        known: Known::Aead {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            iv: &hex!("0200001234567800000000abcd000000"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &hex!(
"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
"eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"
),
            sealed: &hex!(
"48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094"
"fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b"
"16842d4fa186f56ab33256971fa110f4"
),
        },
    },
    Vector {
        name: "cmac(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c"),
            message: &[],
            digest: &hex!("12305f1fb96161af83451897b9ff8447"),
        },
    },
    Vector {
        name: "cmac(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8"),
            digest: &hex!("a10006dbddcc0172c7ee5db737c98fa0"),
        },
    },
    Vector {
        name: "cmac(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            digest: &hex!("10128dc17e8df2cb3f2011d9afe9441e"),
        },
    },
    Vector {
        name: "aria",
        source: "RFC 5794 appendix A.1",
        known: Known::Cipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("d718fbd6ab644c739da95f3be6451778"),
        },
    },
    Vector {
        name: "aria",
        source: "RFC 5794 appendix A.2",
        known: Known::Cipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f1011121314151617"),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("26449c1805dbe7aa25a468ce263a9e79"),
        },
    },
    Vector {
        name: "aria",
        source: "RFC 5794 appendix A.3",
        known: Known::Cipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("f92bd7c79fb72e2f2b8f80c1972d24fc"),
        },
    },
    Vector {
        name: "ecb(aria)",
        source: "computed with Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &[],
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"8e019d7ec133f9699967aa29482a692534e423dc6743d1c6911d04ec750c099f"
"b6ed7be51a295d5c73993283f5def637"
),
        },
    },
    Vector {
        name: "cbc(aria)",
        source: "computed with Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4"),
            iv: &hex!("011e3b587592afcce90623405d7a97b4"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"214ba30a13077e0c1933ab6be6b3e85138dac7b0a2d3069f132f675fd462d1e0"
"a40d81d0e8d510dbeb59cfe657b9b8d3"
),
        },
    },
    Vector {
        name: "ctr(aria)",
        source: "computed with Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("fffffffffffffffffffffffffffffffe"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"f6b3e9bd7bdf89cfe55b4218a1e47e56a315d2879603cbd817a4b0c90369d901"
"c171929584800b431d3ea8291b1a4d9b2bced6e73c39abd85fe3ae7c50"
),
        },
    },
    Vector {
        name: "gcm(aria)",
        source: "computed with Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Aead {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("011e3b587592afcce9062340"),
            assoc: &hex!("090c0f1215181b1e2124272a2d303336393c3f4245"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            sealed: &hex!(
"ca23f04b3f14dc326fd8cd539abea752eb5c0d73086e8e7b12fc96f9e8e65de1"
"76f187e83274b784f4e340f5b111b90648794870fad7bf969ddb97e96e8401c0"
"02e5c37d5195b43b4911f1b6b8"
),
        },
    },
    Vector {
        name: "md5",
        source: "RFC 1321 appendix A.5",
        known: Known::Hash { key: &[], message: &[], digest: &hex!("d41d8cd98f00b204e9800998ecf8427e") },
    },
    Vector {
        name: "md5",
        source: "RFC 1321 appendix A.5",
        known: Known::Hash { key: &[], message: b"abc", digest: &hex!("900150983cd24fb0d6963f7d28e17f72") },
    },
    Vector {
        name: "md5",
        source: "RFC 1321 appendix A.5",
        known: Known::Hash { key: &[], message: b"message digest", digest: &hex!("f96b697d7cb7938d525a2f31aaf161d0") },
    },
    Vector {
        name: "md5",
        source: "RFC 1321 appendix A.5",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3132333435363738393031323334353637383930313233343536373839303132"
"3334353637383930313233343536373839303132333435363738393031323334"
"35363738393031323334353637383930"
),
            digest: &hex!("57edf4a22be3c955ac49da2e2107b67a"),
        },
    },
    Vector {
        name: "hmac(md5)",
        source: "RFC 2202 section 2, test case 2",
        known: Known::Hash {
            key: b"Jefe",
            message: b"what do ya want for nothing?",
            digest: &hex!("750c783e6ab0b503eaa86e310a5db738"),
        },
    },
    Vector {
        name: "hmac(md5)",
        source: "RFC 2202 section 2, test case 7",
        known: Known::Hash {
            key: &[0xaa; 80],
            message: b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
            digest: &hex!("6f630fad67cda0ee1fb1f562db3aa53e"),
        },
    },
    Vector {
        name: "rmd160",
        source: "RIPEMD-160: a strengthened version of RIPEMD, appendix B",
        known: Known::Hash { key: &[], message: &[], digest: &hex!("9c1185a5c5e9fc54612808977ee8f548b2258d31") },
    },
    Vector {
        name: "rmd160",
        source: "RIPEMD-160: a strengthened version of RIPEMD, appendix B",
        known: Known::Hash { key: &[], message: b"abc", digest: &hex!("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc") },
    },
    Vector {
        name: "rmd160",
        source: "RIPEMD-160: a strengthened version of RIPEMD, appendix B",
        known: Known::Hash {
            key: &[],
            message: b"message digest",
            digest: &hex!("5d0689ef49d2fae572b881b123a85ffa21595f36"),
        },
    },
    Vector {
        name: "rmd160",
        source: "RIPEMD-160: a strengthened version of RIPEMD, appendix B",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3132333435363738393031323334353637383930313233343536373839303132"
"3334353637383930313233343536373839303132333435363738393031323334"
"35363738393031323334353637383930"
),
            digest: &hex!("9b752e45573d4b39f4dbd3323cab82bf63326bfb"),
        },
    },
    Vector {
        name: "hmac(rmd160)",
        source: "RFC 2286 section 2, test case 2",
        known: Known::Hash {
            key: b"Jefe",
            message: b"what do ya want for nothing?",
            digest: &hex!("dda6c0213a485a9e24f4742064a7f033b43c4069"),
        },
    },
    Vector {
        name: "hmac(rmd160)",
        source: "RFC 2286 section 2, test case 7",
        known: Known::Hash {
            key: &[0xaa; 80],
            message: b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
            digest: &hex!("69ea60798d71616cce5fd0871e23754cd75d5a0a"),
        },
    },
    Vector {
        name: "sm3",
        source: "GB/T 32905-2016 appendix A.1",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!("66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        },
    },
    Vector {
        name: "sm3",
        source: "GB/T 32905-2016 appendix A.2",
        known: Known::Hash {
            key: &[],
            message: b"abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd",
            digest: &hex!("debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"),
        },
    },
    Vector {
        name: "hmac(sm3)",
        source: "computed with libgcrypt 1.10.1, Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c737a8188"),
            message: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf704111e2b38"
"45525f6c798693a0adbac7d4e1eefb0815222f3c495663707d8a97a4b1becbd8"
"e5f2ff0c"
),
            digest: &hex!("423d2d0697f1d06903ba4ad1bd0a5387a10e66f012ca1820ae07a20bdbfb7bbe"),
        },
    },
    Vector {
        name: "hmac(sm3)",
        source: "computed with libgcrypt 1.10.1, Crypto++ 8.7, OpenSSL 3.0",
        known: Known::Hash {
            key: &hex!(
"030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"
"e3eaf1f8ff060d141b222930373e454c535a61686f767d848b9299a0a7aeb5bc"
"c3cad1d8dfe6edf4fb020910171e252c"
),
            message: &hex!("05121f2c394653606d7a"),
            digest: &hex!("e141ae2d8f59dd935bf133b810eee39527feb94c3381e681f7aa3f50a2d12757"),
        },
    },
    Vector {
        name: "wp512",
        source: "ISO/IEC 10118-3 Whirlpool test vectors",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
"19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a7"
"3e83be698b288febcf88e3e03c4f0757ea8964e59b63d93708b138cc42a66eb3"
),
        },
    },
    Vector {
        name: "wp512",
        source: "ISO/IEC 10118-3 Whirlpool test vectors",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!(
"4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c"
"7181eebdb6c57e277d0e34957114cbd6c797fc9d95d8b582d225292076d4eef5"
),
        },
    },
    Vector {
        name: "wp512",
        source: "ISO/IEC 10118-3 Whirlpool test vectors",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3132333435363738393031323334353637383930313233343536373839303132"
"3334353637383930313233343536373839303132333435363738393031323334"
"35363738393031323334353637383930"
),
            digest: &hex!(
"466ef18babb0154d25b9d38a6414f5c08784372bccb204d6549c4afadb601429"
"4d5bd8df2a6c44e538cd047b2681a51a2c60481e88c5a20b2c2a80cf3a9a083b"
),
        },
    },
    Vector {
        name: "wp384",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 48 bytes",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
"19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a7"
"3e83be698b288febcf88e3e03c4f0757"
),
        },
    },
    Vector {
        name: "wp384",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 48 bytes",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!(
"4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c"
"7181eebdb6c57e277d0e34957114cbd6"
),
        },
    },
    Vector {
        name: "wp384",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 48 bytes",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3132333435363738393031323334353637383930313233343536373839303132"
"3334353637383930313233343536373839303132333435363738393031323334"
"35363738393031323334353637383930"
),
            digest: &hex!(
"466ef18babb0154d25b9d38a6414f5c08784372bccb204d6549c4afadb601429"
"4d5bd8df2a6c44e538cd047b2681a51a"
),
        },
    },
    Vector {
        name: "wp256",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 32 bytes",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a7"),
        },
    },
    Vector {
        name: "wp256",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 32 bytes",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!("4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c"),
        },
    },
    Vector {
        name: "wp256",
        source: "ISO/IEC 10118-3 Whirlpool test vectors, first 32 bytes",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3132333435363738393031323334353637383930313233343536373839303132"
"3334353637383930313233343536373839303132333435363738393031323334"
"35363738393031323334353637383930"
),
            digest: &hex!("466ef18babb0154d25b9d38a6414f5c08784372bccb204d6549c4afadb601429"),
        },
    },
    Vector {
        name: "streebog512",
        source: "RFC 6986 section 10.1",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3031323334353637383930313233343536373839303132333435363738393031"
"32333435363738393031323334353637383930313233343536373839303132"
),
            digest: &hex!(
"1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa"
"00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48"
),
        },
    },
    Vector {
        name: "streebog256",
        source: "RFC 6986 section 10.1",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"3031323334353637383930313233343536373839303132333435363738393031"
"32333435363738393031323334353637383930313233343536373839303132"
),
            digest: &hex!("9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500"),
        },
    },
    Vector {
        name: "streebog512",
        source: "RFC 6986 section 10.2",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"d1e520e2e5f2f0e82c20d1f2f0e8e1eee6e820e2edf3f6e82c20e2e5fef2fa20"
"f120eceef0ff20f1f2f0e5ebe0ece820ede020f5f0e0e1f0fbff20efebfaeafb"
"20c8e3eef0e5e2fb"
),
            digest: &hex!(
"1e88e62226bfca6f9994f1f2d51569e0daf8475a3b0fe61a5300eee46d961376"
"035fe83549ada2b8620fcd7c496ce5b33f0cb9dddc2b6460143b03dabac9fb28"
),
        },
    },
    Vector {
        name: "streebog256",
        source: "RFC 6986 section 10.2",
        known: Known::Hash {
            key: &[],
            message: &hex!(
"d1e520e2e5f2f0e82c20d1f2f0e8e1eee6e820e2edf3f6e82c20e2e5fef2fa20"
"f120eceef0ff20f1f2f0e5ebe0ece820ede020f5f0e0e1f0fbff20efebfaeafb"
"20c8e3eef0e5e2fb"
),
            digest: &hex!("9dd2fe4e90409e5da87f53976d7405b0c0cac628fc669a741d50063c557e8f50"),
        },
    },
    Vector {
        name: "hmac(streebog256)",
        source: "RFC 7836 appendix B (HMAC_GOSTR3411_2012_256)",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            message: &hex!("0126bdb87800af214341456563780100"),
            digest: &hex!("a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9"),
        },
    },
    Vector {
        name: "hmac(streebog512)",
        source: "RFC 7836 appendix B (HMAC_GOSTR3411_2012_512)",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            message: &hex!("0126bdb87800af214341456563780100"),
            digest: &hex!(
"a59bab22ecae19c65fbde6e5f4e9f5d8549d31f037f9df9b905500e171923a77"
"3d5f1530f2ed7e964cb2eedc29e9ad2f3afe93b2814f79f5000ffc0366c251e6"
),
        },
    },
    Vector {
        name: "ecb(des)",
        source: "FIPS 81 table B1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef"),
            iv: &[],
            plain: b"Now is the time for all ",
            cipher: &hex!("3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53"),
        },
    },
    Vector {
        name: "cbc(des)",
        source: "FIPS 81 table C1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef"),
            iv: &hex!("1234567890abcdef"),
            plain: b"Now is the time for all ",
            cipher: &hex!("e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"),
        },
    },
    Vector {
        name: "ecb(cast5)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c"),
            iv: &[],
            plain: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9e6f300"),
            cipher: &hex!("8feb271443d21578d857610fba8dc004e2b69ad7561361f7b30ee81498ad45281c761b3f0ab60070"),
        },
    },
    Vector {
        name: "ecb(cast6)",
        source: "computed with Crypto++ 8.7",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &[],
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b68"
),
            cipher: &hex!(
"4ffab3f8139e637dc374cd3f1155948c00d7fdd9599649f1b826412bd6c3dfe6"
"41337d14cfa3f08c3fc034d15e4a82c6"
),
        },
    },
    Vector {
        name: "ctr(cast6)",
        source: "computed with Crypto++ 8.7",
        known: Known::Skcipher {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("fffffffffffffffffffffffffffffffe"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            cipher: &hex!(
"30cbde3fb5d8d68e36b2bd15ebb51ea945539164771c29bb683c585920ebec02"
"4591420f5fc412e2dda5b254b4b3b85c84cbbda426e44aa7709e93cd74"
),
        },
    },
    Vector {
        name: "cmac(camellia)",
        source: "computed with Crypto++ 8.7",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            digest: &hex!("86e833b110f177aa002c50577abf2267"),
        },
    },
    Vector {
        name: "cbcmac(sm4)",
        source: "computed with Crypto++ 8.7, libgcrypt 1.10.1, OpenSSL 3.0, as the last block of CBC",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            digest: &hex!("2a35fa68362ce288fac438dd492138f1"),
        },
    },
    Vector {
        name: "cbcmac(aria)",
        source: "computed with Crypto++ 8.7, OpenSSL 3.0, as the last block of CBC",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            digest: &hex!("33d4a89d923eab01ee467f13aae2cffd"),
        },
    },
    Vector {
        name: "ccm(aria)",
        source: "computed with Crypto++ 8.7",
        known: Known::Aead {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            iv: &hex!("02011e3b587592afcce9062340000000"),
            assoc: &hex!("090c0f1215181b1e2124272a2d303336393c3f4245"),
            plain: &hex!(
"05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98"
"a5b2bfccd9e6f3000d1a2734414e5b6875828f9ca9b6c3d0ddeaf70411"
),
            sealed: &hex!(
"7765d31510edb1754e5b40fdec98218094e3159d90f5e7d1ee43d9cd2f4dd519"
"9182a48c5d0785efdc78b145d4e0b088fbf963aa14806c272e4002c771c4c7a0"
"7047fc949f0e3adc60a5ef3d42"
),
        },
    },
    Vector {
        name: "cmac(aria)",
        source: "computed with Crypto++ 8.7",
        known: Known::Hash {
            key: &hex!("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
            message: &hex!("05121f2c394653606d7a8794a1aebbc8d5e2effc091623303d4a5764717e8b98a5b2bfccd9"),
            digest: &hex!("f9a2b60804f7867fef25c239791d0a6d"),
        },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash { key: &[], message: &[], digest: &hex!("31d6cfe0d16ae931b73c59d7e0c089c0") },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash { key: &[], message: &hex!("61"), digest: &hex!("bde52cb31de33e46245e05fbdbd6fb24") },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash { key: &[], message: &hex!("616263"), digest: &hex!("a448017aaf21d8525fc10ae87aa6729d") },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash {
            key: &[],
            message: &hex!("6d65737361676520646967657374"),
            digest: &hex!("d9130a8164549fe818874806e1c7014b"),
        },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash {
            key: &[],
            message: &hex!("6162636465666768696a6b6c6d6e6f707172737475767778797a"),
            digest: &hex!("d79e1c308aa5bbcdeea8ed63df412da9"),
        },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash {
            key: &[],
            message: &hex!(
                "4142434445464748494a4b4c4d4e4f505152535455565758595a6162636465666768696a6b6c6d6e"
                "6f707172737475767778797a30313233343536373839"
            ),
            digest: &hex!("043f8582f241db351ce627e153e7f0e4"),
        },
    },
    Vector {
        name: "md4",
        source: "RFC 1320, appendix A.5",
        known: Known::Hash {
            key: &[],
            message: &hex!(
                "31323334353637383930313233343536373839303132333435363738393031323334353637383930"
                "31323334353637383930313233343536373839303132333435363738393031323334353637383930"
            ),
            digest: &hex!("e33b4ddc9c38f2199c3e7b164fcc0536"),
        },
    },
    Vector {
        name: "ecb(arc4)",
        source: "Linux crypto/testmgr.h, number 1",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef"),
            iv: &[],
            plain: &hex!("0123456789abcdef"),
            cipher: &hex!("75b7878099e0c596"),
        },
    },
    Vector {
        name: "ecb(arc4)",
        source: "Linux crypto/testmgr.h, number 4",
        known: Known::Skcipher {
            key: &hex!("ef012345"),
            iv: &[],
            plain: &hex!("0000000000000000000000000000000000000000"),
            cipher: &hex!("d6a141a7ec3c38dfbd615a1162e1c7ba36b67858"),
        },
    },
    Vector {
        name: "ecb(arc4)",
        source: "Linux crypto/testmgr.h, number 5",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef"),
            iv: &[],
            plain: &hex!("123456789abcdef0123456789abcdef0123456789abcdef012345678"),
            cipher: &hex!("66a0949f8af7d6891f7f832ba833c00c892ebe30143ce28740011ecf"),
        },
    },
    Vector {
        name: "ecb(arc4)",
        source: "Linux crypto/testmgr.h, number 7",
        known: Known::Skcipher {
            key: &hex!("0123456789abcdef0000000000000000"),
            iv: &[],
            plain: &hex!("0123456789abcdef"),
            cipher: &hex!("697236591b5242b1"),
        },
    },
];
