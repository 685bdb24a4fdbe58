//! Block ciphers and modes.

use super::{Known, Vector, ascending};
use hex_literal::hex;

pub(super) static VECTORS: &[Vector] = &[
    Vector {
        name: "aes",
        source: "FIPS 197, appendix C.1",
        known: Known::Cipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("69c4e0d86a7b0430d8cdb78070b4c55a"),
        },
    },
    Vector {
        name: "aes",
        source: "FIPS 197, appendix C.2",
        known: Known::Cipher {
            key: &ascending::<24>(0),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("dda97ca4864cdfe06eaf70a0ec0d7191"),
        },
    },
    Vector {
        name: "aes",
        source: "FIPS 197, appendix C.3",
        known: Known::Cipher {
            key: &ascending::<32>(0),
            plain: &hex!("00112233445566778899aabbccddeeff"),
            cipher: &hex!("8ea2b7ca516745bfeafc49904b496089"),
        },
    },
    Vector {
        name: "ecb(aes)",
        source: "SP 800-38A, F.1.1",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &[],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23"
                "881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
            ),
        },
    },
    Vector {
        name: "ecb(aes)",
        source: "SP 800-38A, F.1.3",
        known: Known::Skcipher {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            iv: &[],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60a"
                "dce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
            ),
        },
    },
    Vector {
        name: "ecb(aes)",
        source: "SP 800-38A, F.1.5",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &[],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9"
                "f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
            ),
        },
    },
    Vector {
        name: "cbc(aes)",
        source: "SP 800-38A, F.2.1",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b"
                "7116e69e222295163ff1caa1681fac09120eca307586e1a7"
            ),
        },
    },
    Vector {
        name: "cbc(aes)",
        source: "SP 800-38A, F.2.3",
        known: Known::Skcipher {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae0"
                "7fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
            ),
        },
    },
    Vector {
        name: "cbc(aes)",
        source: "SP 800-38A, F.2.5",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacf"
                "a530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
            ),
        },
    },
    Vector {
        name: "ctr(aes)",
        source: "SP 800-38A, F.5.1",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e"
                "5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
            ),
        },
    },
    Vector {
        name: "ctr(aes)",
        source: "SP 800-38A, F.5.3",
        known: Known::Skcipher {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670"
                "d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
            ),
        },
    },
    Vector {
        name: "ctr(aes)",
        source: "SP 800-38A, F.5.5",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94c"
                "e87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
            ),
        },
    },
    Vector {
        name: "ctr(aes)",
        source: "computed with OpenSSL 3.0: the counter overflows",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("fffffffffffffffffffffffffffffffd"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df"
            ),
            cipher: &hex!(
                "953b86f8c8073dbe7e23a5132ffd65c87f9a9ee1e5f6536db62d818609e163f2ba3a9a47e1ab62e5"
                "eccbbd032574f8438b684f49c5"
            ),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 17 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the ",
            cipher: &hex!("c6353568f2bf8cb4d8a580362da7ff7f97"),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 31 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the General Gau's ",
            cipher: &hex!("fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5"),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 32 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the General Gau's C",
            cipher: &hex!("39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584"),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 47 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the General Gau's Chicken, please,",
            cipher: &hex!(
                "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5"
                "be7fcbcc98ebf5"
            ),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 48 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the General Gau's Chicken, please, ",
            cipher: &hex!(
                "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5"
                "be7fcbcc98ebf5a8"
            ),
        },
    },
    Vector {
        name: "cts(cbc(aes))",
        source: "RFC 3962, appendix B, 64 bytes",
        known: Known::Skcipher {
            key: b"chicken teriyaki",
            iv: &[0; 16],
            plain: b"I would like the General Gau's Chicken, please, and wonton soup.",
            cipher: &hex!(
                "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a5"
                "26730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8"
            ),
        },
    },
    Vector {
        name: "rfc3686(ctr(aes))",
        source: "RFC 3686, section 6, vector 1",
        known: Known::Skcipher {
            key: &hex!("ae6852f8121067cc4bf7a5765577f39e00000030"),
            iv: &[0; 8],
            plain: b"Single block msg",
            cipher: &hex!("e4095d4fb7a7b3792d6175a3261311b8"),
        },
    },
    Vector {
        name: "rfc3686(ctr(aes))",
        source: "RFC 3686, section 6, vector 3",
        known: Known::Skcipher {
            key: &hex!("7691be035e5020a8ac6e618529f9a0dc00e0017b"),
            iv: &hex!("27777f3f4a1786f0"),
            plain: &ascending::<36>(0),
            cipher: &hex!("c1cf48a89f2ffdd9cf4652e9efdb72d74540a42bde6d7836d59a5ceaaef3105325b2072f"),
        },
    },
    Vector {
        name: "rfc3686(ctr(aes))",
        source: "RFC 3686, section 6, vector 4",
        known: Known::Skcipher {
            key: &hex!("16af5b145fc9f579c175f93e3bfb0eed863d06ccfdb7851500000048"),
            iv: &hex!("36733c147d6d93cb"),
            plain: b"Single block msg",
            cipher: &hex!("4b55384fe259c9c84e7935a003cbe928"),
        },
    },
    Vector {
        name: "rfc3686(ctr(aes))",
        source: "RFC 3686, section 6, vector 7",
        known: Known::Skcipher {
            key: &hex!("776beff2851db06f4c8a0542c8696f6c6a81af1eec96b4d37fc1d689e6c1c10400000060"),
            iv: &hex!("db5672c97aa8f0b2"),
            plain: b"Single block msg",
            cipher: &hex!("145ad01dbf824ec7560863dc71e3e0c0"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 1",
        known: Known::Skcipher {
            key: &[0; 32],
            iv: &[0; 16],
            plain: &[0; 32],
            cipher: &hex!("917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 2",
        known: Known::Skcipher {
            key: &hex!("1111111111111111111111111111111122222222222222222222222222222222"),
            iv: &hex!("33333333330000000000000000000000"),
            plain: &[0x44; 32],
            cipher: &hex!("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 3",
        known: Known::Skcipher {
            key: &hex!("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222"),
            iv: &hex!("33333333330000000000000000000000"),
            plain: &[0x44; 32],
            cipher: &hex!("af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 10",
        known: Known::Skcipher {
            key: &hex!(
                "27182818284590452353602874713526624977572470936999595749669676273141592653589793"
                "238462643383279502884197169399375105820974944592"
            ),
            iv: &hex!("ff000000000000000000000000000000"),
            plain: &ascending::<512>(0),
            cipher: &hex!(
                "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b5d31e276f8fe4a8d"
                "66b317f9ac683f44680a86ac35adfc3345befecb4bb188fd5776926c49a3095eb108fd1098baec70"
                "aaa66999a72a82f27d848b21d4a741b0c5cd4d5fff9dac89aeba122961d03a757123e9870f8acf10"
                "00020887891429ca2a3e7a7d7df7b10355165c8b9a6d0a7de8b062c4500dc4cd120c0f7418dae3d0"
                "b5781c34803fa75421c790dfe1de1834f280d7667b327f6c8cd7557e12ac3a0f93ec05c52e0493ef"
                "31a12d3d9260f79a289d6a379bc70c50841473d1a8cc81ec583e9645e07b8d9670655ba5bbcfecc6"
                "dc3966380ad8fecb17b6ba02469a020a84e18e8f84252070c13e9f1f289be54fbc481457778f6160"
                "15e1327a02b140f1505eb309326d68378f8374595c849d84f4c333ec4423885143cb47bd71c5edae"
                "9be69a2ffeceb1bec9de244fbe15992b11b77c040f12bd8f6a975a44a0f90c29a9abc3d4d8939272"
                "84c58754cce294529f8614dcd2aba991925fedc4ae74ffac6e333b93eb4aff0479da9a410e4450e0"
                "dd7ae4c6e2910900575da401fc07059f645e8b7e9bfdef33943054ff84011493c27b3429eaedb4ed"
                "5376441a77ed43851ad77f16f541dfd269d50d6a5f14fb0aab1cbb4c1550be97f7ab4066193c4caa"
                "773dad38014bd2092fa755c824bb5e54c4f36ffda9fcea70b9c6e693e148c151"
            ),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 15",
        known: Known::Skcipher {
            key: &hex!("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"),
            iv: &hex!("9a785634120000000000000000000000"),
            plain: &ascending::<17>(0),
            cipher: &hex!("6c1625db4671522d3d7599601de7ca09ed"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 16",
        known: Known::Skcipher {
            key: &hex!("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"),
            iv: &hex!("9a785634120000000000000000000000"),
            plain: &ascending::<18>(0),
            cipher: &hex!("d069444b7a7e0cab09e24447d24deb1fedbf"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 17",
        known: Known::Skcipher {
            key: &hex!("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"),
            iv: &hex!("9a785634120000000000000000000000"),
            plain: &ascending::<19>(0),
            cipher: &hex!("e5df1351c0544ba1350b3363cd8ef4beedbf9d"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "IEEE 1619-2007, annex B, vector 18",
        known: Known::Skcipher {
            key: &hex!("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"),
            iv: &hex!("9a785634120000000000000000000000"),
            plain: &ascending::<20>(0),
            cipher: &hex!("9d84c813f719aa2c7be3f66171c7c5c2edbf9dac"),
        },
    },
    Vector {
        name: "xts(aes)",
        source: "computed from OpenSSL 3.0 AES-192",
        known: Known::Skcipher {
            key: &ascending::<48>(0x01),
            iv: &hex!("0708090a0b0c0d0e0f10111213141516"),
            plain: &ascending::<47>(0),
            cipher: &hex!(
                "be914f609c34e01f9f461c33c2783909c6ed597a49c2b51afea0d5e97a829ea9a6a0d65a87733519"
                "55e69fee48128f"
            ),
        },
    },
    Vector {
        name: "lrw(aes)",
        source: "IEEE P1619 draft of 2004, LRW-32-AES, vector 1",
        known: Known::Skcipher {
            key: &hex!("4562ac25f828176d4c268414b5680185258e2a05e73e9d03ee5a830ccc094c87"),
            iv: &hex!("00000000000000000000000000000001"),
            plain: b"0123456789ABCDEF",
            cipher: &hex!("f1b273cd65a3df5fe95d489254634eb8"),
        },
    },
    Vector {
        name: "lrw(aes)",
        source: "computed from OpenSSL 3.0 AES and a product in GF(2^128) of its own: the index carries past 64 bits",
        known: Known::Skcipher {
            key: &ascending::<48>(0x40),
            iv: &hex!("0000000000000000fffffffffffffffe"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "0916e890f482c161a522545bcaee967b1defc60b9ec15895360f5770f86e6ba344a198b2924130c8"
                "abf21f817df8bb078b3cc188720ca6f9e125b0e1e9e6b04e"
            ),
        },
    },
    Vector {
        name: "pcbc(aes)",
        source: "computed from OpenSSL 3.0 AES",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "7649abac8119b246cee98e9b12e9197d9e8baff12ad5270a0d1eef93d70379945700b39803779fa3"
                "5a3c600a49a163c033ae199f27379f21be6dd57d295cc87d"
            ),
        },
    },
    Vector {
        name: "pcbc(aes)",
        source: "computed from OpenSSL 3.0 AES",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "f58c4c04d6e5f1ba779eabfb5f7bfbd6e9b49d86e04ec7b4c4e3ddd45dec395a189ce8209083344c"
                "ce2e02f3b6d8edaeb135724f867f99dc38420d4621f59b2d"
            ),
        },
    },
    Vector {
        name: "xctr(aes)",
        source: "computed from OpenSSL 3.0 AES",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "85781124e7f77c43dc4b8c8e92726f2f50bd44e1bcd0da2f246015d34c2e41c8f6ad7243cd7451f5"
                "0e671a1e46f76e5d9d8393eea0023d53eb6f677406"
            ),
        },
    },
    Vector {
        name: "xctr(aes)",
        source: "computed from OpenSSL 3.0 AES",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "e2a3ebf758cd3df5bfea714f09bbb4ae32c38525fea2f98ba30f875cc3ebccbf675a347a1a1632b7"
                "69dd2c8f2b8adb0b4b17a5cd190a3fb5d8fcc22840"
            ),
        },
    },
    Vector {
        name: "essiv(cbc(aes),sha256)",
        source: "computed with OpenSSL 3.0: CBC under the encrypted sector number",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("05000000000000000000000000000000"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "70a9ee85fb34501605712b3b37150d17cc450c725f8ed759ceaa67a8e59bde0ea1d3ee619e416df1"
                "263a3d84a9a0e7105d826680885a2f1b1b8c626fffeab539"
            ),
        },
    },
    Vector {
        name: "essiv(cbc(aes),sha256)",
        source: "computed with OpenSSL 3.0: CBC under the encrypted sector number",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("05000000000000000000000000000000"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "6095c59357e7aeec06b516bf4a54d1631fbec87e42a05521c14821b96646c83786ac093e17717651"
                "11281a3792872f63fd76b958ee1e8b3b0a9efd2d0290b2b5"
            ),
        },
    },
    Vector {
        name: "chacha20",
        source: "RFC 8439, section 2.4.2",
        known: Known::Skcipher {
            key: &ascending::<32>(0),
            iv: &hex!("01000000000000000000004a00000000"),
            plain: b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
            cipher: &hex!(
                "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab"
                "8f593dabcd62b3571639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e"
                "52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d"
            ),
        },
    },
    Vector {
        name: "chacha20",
        source: "RFC 8439, appendix A.1, vector 1",
        known: Known::Skcipher {
            key: &[0; 32],
            iv: &[0; 16],
            plain: &[0; 64],
            cipher: &hex!(
                "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d"
                "7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
            ),
        },
    },
    Vector {
        name: "xchacha20",
        source: "draft-irtf-cfrg-xchacha-03, appendix A.3.2",
        known: Known::Skcipher {
            key: &ascending::<32>(0x80),
            iv: &hex!("404142434445464748494a4b4c4d4e4f50515253545556580000000000000000"),
            plain: &hex!(
                "5468652064686f6c65202870726f6e6f756e6365642022646f6c65222920697320616c736f206b6e"
                "6f776e2061732074686520417369617469632077696c6420646f672c2072656420646f672c20616e"
                "642077686973746c696e6720646f672e2049742069732061626f7574207468652073697a65206f66"
                "2061204765726d616e20736865706865726420627574206c6f6f6b73206d6f7265206c696b652061"
                "206c6f6e672d6c656767656420666f782e205468697320686967686c7920656c757369766520616e"
                "6420736b696c6c6564206a756d70657220697320636c6173736966696564207769746820776f6c76"
                "65732c20636f796f7465732c206a61636b616c732c20616e6420666f78657320696e207468652074"
                "61786f6e6f6d69632066616d696c792043616e696461652e"
            ),
            cipher: &hex!(
                "4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6"
                "375b26d80dace4fab52384c731acbf16a5923c0c48d3575d4d0d2c673b666faa731061277701093a"
                "6bf7a158a8864292a41c48e3a9b4c0daece0f8d98d0d7e05b37a307bbb66333164ec9e1b24ea0d6c"
                "3ffddcec4f68e7443056193a03c810e11344ca06d8ed8a2bfb1e8d48cfa6bc0eb4e2464b74814240"
                "7c9f431aee769960e15ba8b96890466ef2457599852385c661f752ce20f9da0c09ab6b19df74e76a"
                "95967446f8d0fd415e7bee2a12a114c20eb5292ae7a349ae577820d5520a1f3fb62a17ce6a7e68fa"
                "7c79111d8860920bc048ef43fe84486ccb87c25f0ae045f0cce1e7989a9aa220a28bdd4827e751a2"
                "4a6d5c62d790a66393b93111c1a55dd7421a10184974c7c5"
            ),
        },
    },
    Vector {
        name: "xchacha12",
        source: "computed with a ChaCha of its own that agrees with PyCryptodome 3 at 20 rounds",
        known: Known::Skcipher {
            key: &ascending::<32>(0x80),
            iv: &hex!("404142434445464748494a4b4c4d4e4f50515253545556580100000000000000"),
            plain: &hex!(
                "5468652064686f6c65202870726f6e6f756e6365642022646f6c65222920697320616c736f206b6e"
                "6f776e2061732074686520417369617469632077696c6420646f672c2072656420646f672c20616e"
                "642077686973746c696e6720646f672e20497420"
            ),
            cipher: &hex!(
                "3263414582a8535107a3da945e2f9fd3a8838363cac627b425335a05fefba256874c4eb6e5bf28ae"
                "7c94131c72276190a2176c1bd593e8fc2301f6584138a9d0940bac85858d576b92cdf021071427d0"
                "496ba9a488f5097e5af0baefcb05bb0669bad748"
            ),
        },
    },
    Vector {
        name: "serpent",
        source: "NESSIE, Serpent-128-128, set 1, vector 0",
        known: Known::Cipher {
            key: &hex!("80000000000000000000000000000000"),
            plain: &[0; 16],
            cipher: &hex!("264e5481eff42a4606abda06c0bfda3d"),
        },
    },
    Vector {
        name: "serpent",
        source: "NESSIE, Serpent-192-128, set 1, vector 0",
        known: Known::Cipher {
            key: &hex!("800000000000000000000000000000000000000000000000"),
            plain: &[0; 16],
            cipher: &hex!("9e274ead9b737bb21efcfca548602689"),
        },
    },
    Vector {
        name: "serpent",
        source: "NESSIE, Serpent-256-128, set 1, vector 0",
        known: Known::Cipher {
            key: &hex!("8000000000000000000000000000000000000000000000000000000000000000"),
            plain: &[0; 16],
            cipher: &hex!("a223aa1288463c0e2be38ebd825616c0"),
        },
    },
    Vector {
        name: "serpent",
        source: "computed with libgcrypt 1.10",
        known: Known::Cipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("000102030405060708090a0b0c0d0e0f"),
            cipher: &hex!("4c7d8a328072a22c823e4a1f3acda16d"),
        },
    },
    Vector {
        name: "ecb(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &[],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "f7a721e6c756b655cbdf533fc3b31ac44bc604293a81a6a6e4cba78d1a32a29ecfc28e5097dd6b49"
                "a938b1515ebc5aacfed2c49592f91c0c9f17cd86386529eb"
            ),
        },
    },
    Vector {
        name: "cbc(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "dd73691ab566b638e3b96236c8c8a1dda9b5d9db20fb8b825140bfe64df21ca85f48bc29ff6227da"
                "097caa22756f43ff31d83e834d9248eb491cf826804eb902"
            ),
        },
    },
    Vector {
        name: "ctr(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &[0xff; 16],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "9f85c692fd1b943750c301650ba16d440e65aa0c589c7ddf2918ac9636fed7352f3193dea583c80b"
                "581fd0df1ebe2491fefd60675c11118c9bfab3c23f"
            ),
        },
    },
    Vector {
        name: "xts(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &ascending::<32>(0x01),
            iv: &hex!("0708090a0b0c0d0e0f10111213141516"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "a4d9644d8e3932a1c3662bafe3a01542b9c4702ea1a545ce732083824c6ea9abba828e8da2763c1c"
                "b223ce4e9a5255a80b745c10b7de136bcaa938f52c"
            ),
        },
    },
    Vector {
        name: "lrw(serpent)",
        source: "computed from libgcrypt 1.10 Serpent and a product in GF(2^128) of its own",
        known: Known::Skcipher {
            key: &ascending::<32>(0x40),
            iv: &hex!("000000000000000000000000000000fe"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "e4926549abde6d06bd608eb4ccee85f5fb0a45318cfc7b5a62a7ea2c365b83cf822a3dab083c8825"
                "480937b715210b719121dd6fa3c7c536c4442442d9532c54"
            ),
        },
    },
    Vector {
        name: "serpent",
        source: "computed with libgcrypt 1.10",
        known: Known::Cipher {
            key: &ascending::<32>(0),
            plain: &hex!("000102030405060708090a0b0c0d0e0f"),
            cipher: &hex!("de269ff833e432b85b2e88d2701ce75c"),
        },
    },
    Vector {
        name: "ecb(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &[],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "78e5848ed9d5de2d4db02f53616afdf2505df16892408ef69c3b9ea667d9ddb8b95fc82076521dce"
                "60e4fcace3d39151092262de626dc57b4c870c65e71fc713"
            ),
        },
    },
    Vector {
        name: "cbc(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "b893c8dec5c85f0301ac3274dfc6719d3761c5f8344de91091d3878042cc70954095a32cdb38e26f"
                "0391f5d3517e52b08a1c2d7f0459139331a982c94ed9110c"
            ),
        },
    },
    Vector {
        name: "ctr(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &[0xff; 16],
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "7d0c5d97032218e336e8725a514a045f2db74f059de9e2c782e8fa11daaf9afd619247a278002b59"
                "5eed539086145c4dd7594f94f9991f2ae243d3b385"
            ),
        },
    },
    Vector {
        name: "xts(serpent)",
        source: "computed with libgcrypt 1.10",
        known: Known::Skcipher {
            key: &ascending::<64>(0x01),
            iv: &hex!("0708090a0b0c0d0e0f10111213141516"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be6"
            ),
            cipher: &hex!(
                "89d2f1a53a0c9cf4212097baa3a1c550814de8cf0ee3dd8799844f56700997be5560cd456d26f238"
                "4c9e1174be9b252d4b0809589c88b86b4b2e6231ac"
            ),
        },
    },
    Vector {
        name: "lrw(serpent)",
        source: "computed from libgcrypt 1.10 Serpent and a product in GF(2^128) of its own",
        known: Known::Skcipher {
            key: &ascending::<48>(0x40),
            iv: &hex!("000000000000000000000000000000fe"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "f1c6cc53a6a5d25c80171b6586b513c1aac3d2fd0c8fb8c90c2d23bb7c0a4202c6ee344ac42d92e3"
                "faaa6f6fcac6224518138189db4c0a762d0d6ed43237afef"
            ),
        },
    },
    Vector {
        name: "cfb(aes)",
        source: "SP 800-38A, F.3.13",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140"
                "b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"
            ),
        },
    },
    Vector {
        name: "cfb(aes)",
        source: "SP 800-38A, F.3.15",
        known: Known::Skcipher {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a2e1e8a1dd59b88b1"
                "c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff"
            ),
        },
    },
    Vector {
        name: "cfb(aes)",
        source: "SP 800-38A, F.3.17",
        known: Known::Skcipher {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407bdf10132415e54b92"
                "a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471"
            ),
        },
    },
    Vector {
        name: "cfb(aes)",
        source: "SP 800-38A, F.3.13, its first 17 bytes",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae"),
            cipher: &hex!("3b3fd92eb72dad20333449f8e83cfb4ac8"),
        },
    },
    Vector {
        name: "cfb(aes)",
        source: "SP 800-38A, F.3.13, its first 7 bytes",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("6bc1bee22e409f"),
            cipher: &hex!("3b3fd92eb72dad"),
        },
    },
    Vector {
        name: "ofb(aes)",
        source: "SP 800-38A, F.4.1",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            cipher: &hex!(
                "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf6"
                "4344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"
            ),
        },
    },
    Vector {
        name: "ofb(aes)",
        source: "SP 800-38A, F.4.1, its first 17 bytes",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae"),
            cipher: &hex!("3b3fd92eb72dad20333449f8e83cfb4a77"),
        },
    },
    Vector {
        name: "ofb(aes)",
        source: "SP 800-38A, F.4.1, its first 7 bytes",
        known: Known::Skcipher {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("6bc1bee22e409f"),
            cipher: &hex!("3b3fd92eb72dad"),
        },
    },
    Vector {
        name: "cipher_null",
        source: "RFC 2410, section 2: the identity",
        known: Known::Cipher { key: &[], plain: b"text", cipher: b"text" },
    },
    Vector {
        name: "ecb(cipher_null)",
        source: "RFC 2410, section 2: the identity",
        known: Known::Skcipher { key: &[], iv: &[], plain: b"text", cipher: b"text" },
    },
    Vector {
        name: "kw(aes)",
        source: "NIST CAVP, KW_AE_128 (in Linux crypto/testmgr.h)",
        known: Known::Skcipher {
            key: &hex!("7575da3a93607cc2bfd8cec7aadfd9a6"),
            iv: &hex!("031f6bd7e61e643d"),
            plain: &hex!("42136d3c384a3eeac95a066fd28fed3f"),
            cipher: &hex!("f68594816f64caa3f56fabea2548f5fb"),
        },
    },
    Vector {
        name: "kw(aes)",
        source: "NIST CAVP, KW_AD_256 (in Linux crypto/testmgr.h)",
        known: Known::Skcipher {
            key: &hex!("80aa997327a4806b6a7a41a52b86c3710386f932786ef79676fafb90b8263c5f"),
            iv: &hex!("423c960d8a2ac4c1"),
            plain: &hex!("0a256ba75cfa03aaa02ba94203f15baa"),
            cipher: &hex!("d33d3d977bf0a91559f99c8acd293d43"),
        },
    },
    Vector {
        name: "kw(aes)",
        source: "RFC 3394, section 4.6: 256 bits of key data with a 256-bit key",
        known: Known::Skcipher {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            iv: &hex!("28c9f404c4b810f4"),
            plain: &hex!("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f"),
            cipher: &hex!("cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
        },
    },
];
