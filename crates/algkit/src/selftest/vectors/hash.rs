//! Hashes, message authentication codes and checksums.

use super::{Known, Vector, ascending, padded, repeated};
use hex_literal::hex;

pub(super) static VECTORS: &[Vector] = &[
    Vector {
        name: "sha1",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("a9993e364706816aba3e25717850c26c9cd0d89d"),
        },
    },
    Vector {
        name: "sha1",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            digest: &hex!("84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        },
    },
    Vector {
        name: "sha1",
        source: "computed with OpenSSL 3.0: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        },
    },
    Vector {
        name: "sha224",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        },
    },
    Vector {
        name: "sha224",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            digest: &hex!("75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
        },
    },
    Vector {
        name: "sha224",
        source: "computed with OpenSSL 3.0: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
        },
    },
    Vector {
        name: "sha256",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        },
    },
    Vector {
        name: "sha256",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            digest: &hex!("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        },
    },
    Vector {
        name: "sha256",
        source: "computed with OpenSSL 3.0: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        },
    },
    Vector {
        name: "sha384",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc23"
                "58baeca134c825a7"
            ),
        },
    },
    Vector {
        name: "sha384",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!(
                "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db9"
                "66c3e9fa91746039"
            ),
        },
    },
    Vector {
        name: "sha384",
        source: "computed with OpenSSL 3.0: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fb"
                "d51ad2f14898b95b"
            ),
        },
    },
    Vector {
        name: "sha512-224",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
        },
    },
    Vector {
        name: "sha512-224",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!("23fec5bb94d60b23308192640b0c453335d664734fe40e7268674af9"),
        },
    },
    Vector {
        name: "sha512-224",
        source: "NIST CAVP, SHA512_224ShortMsg.rsp: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("6ed0dd02806fa89e25de060c19d3ac86cabb87d6a0ddd05c333b84f4"),
        },
    },
    Vector {
        name: "sha512-256",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        },
    },
    Vector {
        name: "sha512-256",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!("3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"),
        },
    },
    Vector {
        name: "sha512-256",
        source: "NIST CAVP, SHA512_256ShortMsg.rsp: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        },
    },
    Vector {
        name: "sha512",
        source: "NIST examples for FIPS 180-4, one block",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a8"
                "36ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        },
    },
    Vector {
        name: "sha512",
        source: "NIST examples for FIPS 180-4, two blocks",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!(
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4"
                "331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        },
    },
    Vector {
        name: "sha512",
        source: "computed with OpenSSL 3.0: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0"
                "ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
        },
    },
    Vector {
        name: "sha3-224",
        source: "NIST examples for FIPS 202, the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"),
        },
    },
    Vector {
        name: "sha3-224",
        source: "FIPS 180-4 messages under FIPS 202, abc",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        },
    },
    Vector {
        name: "sha3-224",
        source: "FIPS 180-4 messages under FIPS 202, 896 bits",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!("543e6868e1666c1a643630df77367ae5a62a85070a51c14cbf665cbc"),
        },
    },
    Vector {
        name: "sha3-256",
        source: "NIST examples for FIPS 202, the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
        },
    },
    Vector {
        name: "sha3-256",
        source: "FIPS 180-4 messages under FIPS 202, abc",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        },
    },
    Vector {
        name: "sha3-256",
        source: "FIPS 180-4 messages under FIPS 202, 896 bits",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!("916f6061fe879741ca6469b43971dfdb28b1a32dc36cb3254e812be27aad1d18"),
        },
    },
    Vector {
        name: "sha3-384",
        source: "NIST examples for FIPS 202, the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47"
                "fb6bd1e058d5f004"
            ),
        },
    },
    Vector {
        name: "sha3-384",
        source: "FIPS 180-4 messages under FIPS 202, abc",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f5"
                "39f1edf228376d25"
            ),
        },
    },
    Vector {
        name: "sha3-384",
        source: "FIPS 180-4 messages under FIPS 202, 896 bits",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!(
                "79407d3b5916b59c3e30b09822974791c313fb9ecc849e406f23592d04f625dc8c709b98b43b3852"
                "b337216179aa7fc7"
            ),
        },
    },
    Vector {
        name: "sha3-512",
        source: "NIST examples for FIPS 202, the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c"
                "11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"
            ),
        },
    },
    Vector {
        name: "sha3-512",
        source: "FIPS 180-4 messages under FIPS 202, abc",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c9"
                "1a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"
            ),
        },
    },
    Vector {
        name: "sha3-512",
        source: "FIPS 180-4 messages under FIPS 202, 896 bits",
        known: Known::Hash {
            key: &[],
            message: b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            digest: &hex!(
                "afebb2ef542e6579c50cad06d2e578f9f8dd6881d7dc824d26360feebf18a4fa73e3261122948efc"
                "fd492e74e82e2189ed0fb440d187f382270cb455f21dd185"
            ),
        },
    },
    Vector {
        name: "keccak",
        source: "the permutation of the keccak crate 0.2, rate 1344 bits, padding 0x01",
        known: Known::Hash {
            key: &[],
            message: b"abc",
            digest: &hex!(
                "ed992674a628509bb2dce176b7c03672ee73b2de6d7fcea0b1bc94729d4e75f95dde5b2e0f92a378"
                "d2d5cf9ccc9d6ae4ad1bd7a35ea29c0ae7e869a23ab59573"
            ),
        },
    },
    Vector {
        name: "keccak-224",
        source: "the Keccak team's ShortMsgKAT_224, length 0",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("f71837502ba8e10837bdd8d365adb85591895602fc552b48b7390abd"),
        },
    },
    Vector {
        name: "keccak-256",
        source: "the Keccak team's ShortMsgKAT_256, length 0",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
        },
    },
    Vector {
        name: "keccak-384",
        source: "the Keccak team's ShortMsgKAT_384, length 0",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "2c23146a63a29acf99e73b88f8c24eaa7dc60aa771780ccc006afbfa8fe2479b2dd2b21362337441"
                "ac12b515911957ff"
            ),
        },
    },
    Vector {
        name: "keccak-512",
        source: "the Keccak team's ShortMsgKAT_512, length 0",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!(
                "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304c00fa9caf9d87976"
                "ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"
            ),
        },
    },
    Vector {
        name: "keccak",
        source: "computed with a Keccak of its own that agrees with hashlib (SHAKE128) and PyCryptodome 3 (padding)",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("bcf56ac882ad981cd0fa74f0f397572c28801c1eb31c1bac4ca703d6f19e9419"),
        },
    },
    Vector {
        name: "keccak",
        source: "computed with a Keccak of its own that agrees with hashlib (SHAKE128) and PyCryptodome 3 (padding)",
        known: Known::Hash {
            key: &[],
            message: &ascending::<256>(0),
            digest: &hex!(
                "5048780a391ae23f84fbe686f84b47366ac33c1733cca6c783d700e4bcb62b496917d2258a5b2242"
                "8dc094338a714cb0ce27273e9c507507f8564e8e4cb43ee45fa82be309c8c4e44774ebab1b75cf55"
                "a86cf8c76fd1d69d37d8c020a461553e0d495909f5b678180fb651d03f20b2662a4f3d87973220a9"
                "6c6d8ef679db6f9ffa8110b334d6e14cbf6f642d0bb6a4d0375369e9036fdbfe4dc00c52b6618792"
                "f1b239ed812f933b1ab8ea6b1cd0f910ee9d649bc304b8d069475f2ccf92fe0ad3e25237dde7d8c1"
            ),
        },
    },
    Vector {
        name: "blake2b-160",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("384264f676f39536840523f284921cdc68b6846b"),
        },
    },
    Vector {
        name: "blake2b-160",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<64>(0),
            message: &ascending::<255>(0),
            digest: &hex!("22009cee4a8b604f44f1bfc2bbfcb3a6723f07bf"),
        },
    },
    Vector {
        name: "blake2b-256",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
        },
    },
    Vector {
        name: "blake2b-256",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<64>(0),
            message: &ascending::<255>(0),
            digest: &hex!("fe7b76a61787c089141f9e10fca1e5092488d89c62ea793fb2c5b1f849b4f2cb"),
        },
    },
    Vector {
        name: "blake2b-384",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "6f56a82c8e7ef526dfe182eb5212f7db9df1317e57815dbda46083fc30f54ee6c66ba83be64b302d"
                "7cba6ce15bb556f4"
            ),
        },
    },
    Vector {
        name: "blake2b-384",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<64>(0),
            message: &ascending::<255>(0),
            digest: &hex!(
                "1cef462fb264e36d8f0cad3530956ced408795e8abe8a922869c12e853049fdf621f9f870077108a"
                "ffe72b184879b1b8"
            ),
        },
    },
    Vector {
        name: "blake2b-512",
        source: "RFC 7693, appendix A",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!(
                "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792d"
                "c252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
            ),
        },
    },
    Vector {
        name: "blake2b-512",
        source: "BLAKE2 reference vectors, keyed, 255 bytes",
        known: Known::Hash {
            key: &ascending::<64>(0),
            message: &ascending::<255>(0),
            digest: &hex!(
                "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e92484be1c1e73ba10906"
                "d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"
            ),
        },
    },
    Vector {
        name: "blake2s-128",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("aa4938119b1dc7b87cbad0ffd200d0ae"),
        },
    },
    Vector {
        name: "blake2s-128",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<32>(0),
            message: &ascending::<255>(0),
            digest: &hex!("cd075928ab7e6883e697fe7fd3ac43ee"),
        },
    },
    Vector {
        name: "blake2s-160",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("5ae3b99be29b01834c3b508521ede60438f8de17"),
        },
    },
    Vector {
        name: "blake2s-160",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<32>(0),
            message: &ascending::<255>(0),
            digest: &hex!("9ba27b121849bb7d2a436e71d081b07ae8a95356"),
        },
    },
    Vector {
        name: "blake2s-224",
        source: "computed with hashlib",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("0b033fc226df7abde29f67a05d3dc62cf271ef3dfea4d387407fbd55"),
        },
    },
    Vector {
        name: "blake2s-224",
        source: "computed with hashlib: keyed",
        known: Known::Hash {
            key: &ascending::<32>(0),
            message: &ascending::<255>(0),
            digest: &hex!("fe53bd9c939ee387500aadd002fcfe0056e86ae9d0728cf670dc2470"),
        },
    },
    Vector {
        name: "blake2s-256",
        source: "RFC 7693, appendix B",
        known: Known::Hash {
            key: &[],
            message: &hex!("616263"),
            digest: &hex!("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
        },
    },
    Vector {
        name: "blake2s-256",
        source: "BLAKE2 reference vectors, keyed, 255 bytes",
        known: Known::Hash {
            key: &ascending::<32>(0),
            message: &ascending::<255>(0),
            digest: &hex!("3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd"),
        },
    },
    Vector {
        name: "hmac(sha1)",
        source: "RFC 2202, test case 1",
        known: Known::Hash {
            key: &[0x0b; 20],
            message: &hex!("4869205468657265"),
            digest: &hex!("b617318655057264e28bc0b6fb378c8ef146be00"),
        },
    },
    Vector {
        name: "hmac(sha1)",
        source: "RFC 2202, test case 2",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        },
    },
    Vector {
        name: "hmac(sha1)",
        source: "RFC 2202, test case 6",
        known: Known::Hash {
            key: &[0xaa; 80],
            message: b"Test Using Larger Than Block-Size Key - Hash Key First",
            digest: &hex!("aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        },
    },
    Vector {
        name: "hmac(sha224)",
        source: "RFC 4231, test case 1",
        known: Known::Hash {
            key: &[0x0b; 20],
            message: &hex!("4869205468657265"),
            digest: &hex!("896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
        },
    },
    Vector {
        name: "hmac(sha224)",
        source: "RFC 4231, test case 2",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!("a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
        },
    },
    Vector {
        name: "hmac(sha224)",
        source: "RFC 4231, test case 6",
        known: Known::Hash {
            key: &[0xaa; 131],
            message: b"Test Using Larger Than Block-Size Key - Hash Key First",
            digest: &hex!("95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"),
        },
    },
    Vector {
        name: "hmac(sha256)",
        source: "RFC 4231, test case 1",
        known: Known::Hash {
            key: &[0x0b; 20],
            message: &hex!("4869205468657265"),
            digest: &hex!("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        },
    },
    Vector {
        name: "hmac(sha256)",
        source: "RFC 4231, test case 2",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        },
    },
    Vector {
        name: "hmac(sha256)",
        source: "RFC 4231, test case 6",
        known: Known::Hash {
            key: &[0xaa; 131],
            message: b"Test Using Larger Than Block-Size Key - Hash Key First",
            digest: &hex!("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        },
    },
    Vector {
        name: "hmac(sha384)",
        source: "RFC 4231, test case 1",
        known: Known::Hash {
            key: &[0x0b; 20],
            message: &hex!("4869205468657265"),
            digest: &hex!(
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f"
                "4af152e8b2fa9cb6"
            ),
        },
    },
    Vector {
        name: "hmac(sha384)",
        source: "RFC 4231, test case 2",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!(
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c7"
                "8b3239ecfab21649"
            ),
        },
    },
    Vector {
        name: "hmac(sha384)",
        source: "RFC 4231, test case 6",
        known: Known::Hash {
            key: &[0xaa; 131],
            message: b"Test Using Larger Than Block-Size Key - Hash Key First",
            digest: &hex!(
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe82"
                "96248df163f44952"
            ),
        },
    },
    Vector {
        name: "hmac(sha512)",
        source: "RFC 4231, test case 1",
        known: Known::Hash {
            key: &[0x0b; 20],
            message: &hex!("4869205468657265"),
            digest: &hex!(
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702"
                "038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
            ),
        },
    },
    Vector {
        name: "hmac(sha512)",
        source: "RFC 4231, test case 2",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!(
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a"
                "6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
            ),
        },
    },
    Vector {
        name: "hmac(sha512)",
        source: "RFC 4231, test case 6",
        known: Known::Hash {
            key: &[0xaa; 131],
            message: b"Test Using Larger Than Block-Size Key - Hash Key First",
            digest: &hex!(
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598"
                "bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
            ),
        },
    },
    Vector {
        name: "hmac(sha3-224)",
        source: "computed with OpenSSL 3.0: a short key",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!("7fdb8dd88bd2f60d1b798634ad386811c2cfc85bfaf5d52bbace5e66"),
        },
    },
    Vector {
        name: "hmac(sha3-224)",
        source: "computed with OpenSSL 3.0: a key longer than the block",
        known: Known::Hash {
            key: &[0xaa; 147],
            message: &hex!("4869205468657265"),
            digest: &hex!("a59e1ca30191efd566b33294f4c306c8290225bfdd24220948bf14b6"),
        },
    },
    Vector {
        name: "hmac(sha3-256)",
        source: "computed with OpenSSL 3.0: a short key",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!("c7d4072e788877ae3596bbb0da73b887c9171f93095b294ae857fbe2645e1ba5"),
        },
    },
    Vector {
        name: "hmac(sha3-256)",
        source: "computed with OpenSSL 3.0: a key longer than the block",
        known: Known::Hash {
            key: &[0xaa; 147],
            message: &hex!("4869205468657265"),
            digest: &hex!("6da1e897c40d60f8e20625d6ce6fac2168fcea0c3af65bd132f5c0d508f1a579"),
        },
    },
    Vector {
        name: "hmac(sha3-384)",
        source: "computed with OpenSSL 3.0: a short key",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!(
                "f1101f8cbf9766fd6764d2ed61903f21ca9b18f57cf3e1a23ca13508a93243ce48c045dc007f26a2"
                "1b3f5e0e9df4c20a"
            ),
        },
    },
    Vector {
        name: "hmac(sha3-384)",
        source: "computed with OpenSSL 3.0: a key longer than the block",
        known: Known::Hash {
            key: &[0xaa; 147],
            message: &hex!("4869205468657265"),
            digest: &hex!(
                "2f662ed8e1cd3415b2e14215423fe82a1a61ad385adf7c19d8dd3f16119249d731022a683d75923c"
                "46de0a78cd29f089"
            ),
        },
    },
    Vector {
        name: "hmac(sha3-512)",
        source: "computed with OpenSSL 3.0: a short key",
        known: Known::Hash {
            key: &hex!("4a656665"),
            message: b"what do ya want for nothing?",
            digest: &hex!(
                "5a4bfeab6166427c7a3647b747292b8384537cdb89afb3bf5665e4c5e709350b287baec921fd7ca0"
                "ee7a0c31d022a95e1fc92ba9d77df883960275beb4e62024"
            ),
        },
    },
    Vector {
        name: "hmac(sha3-512)",
        source: "computed with OpenSSL 3.0: a key longer than the block",
        known: Known::Hash {
            key: &[0xaa; 147],
            message: &hex!("4869205468657265"),
            digest: &hex!(
                "b1e1e6b4e32a7192e85ac70f031ee4ffd8b1ad415dc33cc64eb97ef1977cc00c03c4627c1ecd74e3"
                "ee4fb666c03ced0f62703e9551dad93c71cc8454befbd205"
            ),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "RFC 4493, section 4, 0 bytes",
        known: Known::Hash {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            message: &[],
            digest: &hex!("bb1d6929e95937287fa37d129b756746"),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "RFC 4493, section 4, 16 bytes",
        known: Known::Hash {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            message: &hex!("6bc1bee22e409f96e93d7e117393172a"),
            digest: &hex!("070a16b46b4d4144f79bdd9dd04a287c"),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "RFC 4493, section 4, 40 bytes",
        known: Known::Hash {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            message: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"),
            digest: &hex!("dfa66747de9ae63030ca32611497c827"),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "RFC 4493, section 4, 64 bytes",
        known: Known::Hash {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            message: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            digest: &hex!("51f0bebf7e3b9d92fc49741779363cfe"),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "SP 800-38B, appendix D.2, example 5",
        known: Known::Hash {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            message: &[],
            digest: &hex!("d17ddf46adaacde531cac483de7a9367"),
        },
    },
    Vector {
        name: "cmac(aes)",
        source: "SP 800-38B, appendix D.3, example 11",
        known: Known::Hash {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            message: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"),
            digest: &hex!("aaf3d8f1de5640c232f5b169b9c911e6"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 1",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &[],
            digest: &hex!("75f0251d528ac01c4573dfd584d79f29"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 2",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &hex!("000102"),
            digest: &hex!("5b376580ae2f19afe7219ceef172756f"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 3",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &hex!("000102030405060708090a0b0c0d0e0f"),
            digest: &hex!("d2a246fa349b68a79998a4394ff7a263"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 4",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &ascending::<20>(0),
            digest: &hex!("47f51b4564966215b8985c63055ed308"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 5",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &ascending::<32>(0),
            digest: &hex!("f54f0ec8d2b9f3d36807734bd5283fd4"),
        },
    },
    Vector {
        name: "xcbc(aes)",
        source: "RFC 3566, section 4.6, test case 6",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &ascending::<34>(0),
            digest: &hex!("becbb3bccdb518a30677d5481fb6b4d8"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "draft-krovetz-vmac-01, appendix, the empty message",
        known: Known::Hash {
            key: &hex!("000000000000000062636465666768696162636465666768696a6b6c6d6e6f70"),
            message: &[],
            digest: &hex!("2576be1c56d8b81b"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "draft-krovetz-vmac-01, appendix, `abc`",
        known: Known::Hash {
            key: &hex!("000000000000000062636465666768696162636465666768696a6b6c6d6e6f70"),
            message: b"abc",
            digest: &hex!("2d376cf5b1813ce5"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "draft-krovetz-vmac-01, appendix, `abc` 16 times",
        known: Known::Hash {
            key: &hex!("000000000000000062636465666768696162636465666768696a6b6c6d6e6f70"),
            message: b"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc",
            digest: &hex!("e8421f61d573d298"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "draft-krovetz-vmac-01, appendix, `abc` 100 times",
        known: Known::Hash {
            key: &hex!("000000000000000062636465666768696162636465666768696a6b6c6d6e6f70"),
            message: &repeated::<300>(b"abc"),
            digest: &hex!("4492df6c5cac1bbe"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 5",
        known: Known::Hash {
            key: &hex!("00000000000000000000000000000000000102030405060708090a0b0c0d0e0f"),
            message: &[],
            digest: &hex!("547ba47735805807"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 6",
        known: Known::Hash {
            key: &hex!("00000000000000000000000000000000000102030405060708090a0b0c0d0e0f"),
            message: &padded::<128>(&hex!("01010101020302020204010704010403")),
            digest: &hex!("a18c68aed33cf5ce"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 7",
        known: Known::Hash {
            key: &hex!("00000000000000000000000000000000000102030405060708090a0b0c0d0e0f"),
            message: &padded::<128>(b"abc"),
            digest: &hex!("2d14bd8173b027c9"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 8",
        known: Known::Hash {
            key: &hex!("00000000000000000000000000000000000102030405060708090a0b0c0d0e0f"),
            message: &padded::<128>(b"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"),
            digest: &hex!("190b47988c951a8d"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 10",
        known: Known::Hash {
            key: &hex!("000000000000000000000000000000006162636465666768696a6b6c6d6e6f70"),
            message: &padded::<128>(&hex!("01010101020302020204010704010403")),
            digest: &hex!("c2748df6b0ab5eab"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 13",
        known: Known::Hash {
            key: &hex!("000000000000000000000000000000006130396235636421662330374b000000"),
            message: b"bcefijlmoprstuwxz",
            digest: &hex!("5fa14e42ea0fa5ab"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 14",
        known: Known::Hash {
            key: &hex!("000000000000000000000000000000006130396235636421662330374b000000"),
            message: &padded::<127>(b"rmbtcolk]%927!A"),
            digest: &hex!("6067e81dbc983125"),
        },
    },
    Vector {
        name: "vmac64(aes)",
        source: "Linux crypto/testmgr.h up to 6.13, vmac64_aes_tv_template, number 15",
        known: Known::Hash {
            key: &hex!("000000000000000000000000000000006130396235636421662330374b000000"),
            message: &padded::<129>(b"pt*7li!#w0z/4An"),
            digest: &hex!("41eb6595479baec4"),
        },
    },
    Vector {
        name: "cbcmac(aes)",
        source: "computed with OpenSSL 3.0: the last block of CBC with a zero IV",
        known: Known::Hash {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c"),
            message: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1"
            ),
            digest: &hex!("7eda70b95075549eef5a71c61272f5fa"),
        },
    },
    Vector {
        name: "cbcmac(aes)",
        source: "computed with OpenSSL 3.0: the last block of CBC with a zero IV",
        known: Known::Hash {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            message: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            digest: &hex!("e3d75546dd970316733e6f1a7f0f6cf7"),
        },
    },
    Vector {
        name: "cbcmac(aes)",
        source: "computed with OpenSSL 3.0: the last block of CBC with a zero IV",
        known: Known::Hash {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            message: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            digest: &hex!("7e149874d994f5550bcbd66d917315d6"),
        },
    },
    Vector {
        name: "cbcmac(aes)",
        source: "FIPS 197, appendix C.1: one block is the cipher",
        known: Known::Hash {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            message: &hex!("00112233445566778899aabbccddeeff"),
            digest: &hex!("69c4e0d86a7b0430d8cdb78070b4c55a"),
        },
    },
    Vector {
        name: "ghash",
        source: "McGrew, Viega, GCM specification, test case 2",
        known: Known::Hash {
            key: &hex!("66e94bd4ef8a2c3b884cfa59ca342b2e"),
            message: &hex!("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080"),
            digest: &hex!("f38cbb1ad69223dcc3457ae5b6b0f885"),
        },
    },
    Vector {
        name: "ghash",
        source: "McGrew, Viega, GCM specification, test case 4",
        known: Known::Hash {
            key: &hex!("b83b533708bf535d0aa6e52980d53b78"),
            message: &hex!(
                "feedfacedeadbeeffeedfacedeadbeefabaddad200000000000000000000000042831ec221777424"
                "4b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
                "1ba30b396a0aac973d58e0910000000000000000000000a000000000000001e0"
            ),
            digest: &hex!("698e57f70e6ecc7fd9463b7260a9ae5f"),
        },
    },
    Vector {
        name: "polyval",
        source: "RFC 8452, appendix A",
        known: Known::Hash {
            key: &hex!("25629347589242761d31f826ba4b757b"),
            message: &hex!("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362"),
            digest: &hex!("f7a3b47b846119fae5b7866cf5e5b77e"),
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, section 2.5.2",
        known: Known::Hash {
            key: &hex!("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"),
            message: b"Cryptographic Forum Research Group",
            digest: &hex!("a8061dc1305136c6c22b8baf0c0127a9"),
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, appendix A.3, vector 7",
        known: Known::Hash {
            key: &hex!("0200000000000000000000000000000000000000000000000000000000000000"),
            message: &[0xff; 16],
            digest: &hex!("03000000000000000000000000000000"),
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, appendix A.3, vector 8",
        known: Known::Hash {
            key: &hex!("02000000000000000000000000000000ffffffffffffffffffffffffffffffff"),
            message: &hex!("02000000000000000000000000000000"),
            digest: &hex!("03000000000000000000000000000000"),
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, appendix A.3, vector 9",
        known: Known::Hash {
            key: &hex!("0100000000000000000000000000000000000000000000000000000000000000"),
            message: &hex!(
                "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff1100000000000000"
                "0000000000000000"
            ),
            digest: &hex!("05000000000000000000000000000000"),
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, appendix A.3, vector 10",
        known: Known::Hash {
            key: &hex!("0100000000000000000000000000000000000000000000000000000000000000"),
            message: &hex!(
                "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe0101010101010101"
                "0101010101010101"
            ),
            digest: &[0; 16],
        },
    },
    Vector {
        name: "poly1305",
        source: "RFC 8439, appendix A.3, vector 11",
        known: Known::Hash {
            key: &hex!("0200000000000000000000000000000000000000000000000000000000000000"),
            message: &hex!("fdffffffffffffffffffffffffffffff"),
            digest: &hex!("faffffffffffffffffffffffffffffff"),
        },
    },
    Vector {
        name: "crc32",
        source: "CRC catalogue of reveng, CRC-32/JAMCRC, check value",
        known: Known::Hash {
            key: &hex!("ffffffff"),
            message: &hex!("313233343536373839"),
            digest: &hex!("d9c60b34"),
        },
    },
    Vector {
        name: "crc32",
        source: "computed bit by bit, checked against zlib 1: seed 0",
        known: Known::Hash {
            key: &[],
            message: &hex!("313233343536373839"),
            digest: &hex!("882dfd2d"),
        },
    },
    Vector {
        name: "crc32c",
        source: "CRC catalogue of reveng, CRC-32/ISCSI, check value",
        known: Known::Hash {
            key: &[],
            message: &hex!("313233343536373839"),
            digest: &hex!("839206e3"),
        },
    },
    Vector {
        name: "crc32c",
        source: "RFC 3720, appendix B.4, 32 zeros",
        known: Known::Hash {
            key: &[],
            message: &[0; 32],
            digest: &hex!("aa36918a"),
        },
    },
    Vector {
        name: "crc32c",
        source: "RFC 3720, appendix B.4, 32 ones",
        known: Known::Hash {
            key: &[],
            message: &[0xff; 32],
            digest: &hex!("43aba862"),
        },
    },
    Vector {
        name: "crc32c",
        source: "RFC 3720, appendix B.4, incrementing",
        known: Known::Hash {
            key: &[],
            message: &ascending::<32>(0),
            digest: &hex!("4e79dd46"),
        },
    },
    Vector {
        name: "xxhash64",
        source: "xxHash reference implementation: the empty message",
        known: Known::Hash {
            key: &[],
            message: &[],
            digest: &hex!("99e9d85137db46ef"),
        },
    },
    Vector {
        name: "xxhash64",
        source: "computed with the xxHash library 0.8",
        known: Known::Hash {
            key: &[],
            message: &ascending::<101>(0),
            digest: &hex!("1e38855f493890e9"),
        },
    },
    Vector {
        name: "xxhash64",
        source: "computed with the xxHash library 0.8: seeded",
        known: Known::Hash {
            key: &hex!("8dcaeb85b179379e"),
            message: &ascending::<222>(0),
            digest: &hex!("6735689ba4bee543"),
        },
    },
    Vector {
        name: "michael_mic",
        source: "IEEE 802.11-2020, table J-17",
        known: Known::Hash {
            key: &hex!("0000000000000000"),
            message: &[],
            digest: &hex!("82925c1ca1d130b8"),
        },
    },
    Vector {
        name: "michael_mic",
        source: "IEEE 802.11-2020, table J-17",
        known: Known::Hash {
            key: &hex!("82925c1ca1d130b8"),
            message: &hex!("4d"),
            digest: &hex!("434721ca40639b3f"),
        },
    },
    Vector {
        name: "michael_mic",
        source: "IEEE 802.11-2020, table J-17",
        known: Known::Hash {
            key: &hex!("90038fc6cf13c1db"),
            message: &hex!("4d696368"),
            digest: &hex!("d55e100510128986"),
        },
    },
    Vector {
        name: "michael_mic",
        source: "IEEE 802.11-2020, table J-17",
        known: Known::Hash {
            key: &hex!("d55e100510128986"),
            message: &hex!("4d69636861656c"),
            digest: &hex!("0a942b124ecaa546"),
        },
    },
    Vector {
        name: "digest_null",
        source: "there are no bytes that it could have",
        known: Known::Hash { key: &[], message: b"abc", digest: &[] },
    },
];
