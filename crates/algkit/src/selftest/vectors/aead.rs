//! Authenticated encryption.

use super::{Known, Vector, ascending, authenc_key};
use hex_literal::hex;

pub(super) static VECTORS: &[Vector] = &[
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 1",
        known: Known::Aead {
            key: &[0; 16],
            iv: &[0; 12],
            assoc: &[],
            plain: &[],
            sealed: &hex!("58e2fccefa7e3061367f1d57a4e7455a"),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 2",
        known: Known::Aead {
            key: &[0; 16],
            iv: &[0; 12],
            assoc: &[],
            plain: &[0; 16],
            sealed: &hex!("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 3",
        known: Known::Aead {
            key: &hex!("feffe9928665731c6d6a8f9467308308"),
            iv: &hex!("cafebabefacedbaddecaf888"),
            assoc: &[],
            plain: &hex!(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953"
                "2fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
            ),
            sealed: &hex!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
                "7d8f6a5aac84aa051ba30b396a0aac973d58e091473f59854d5c2af327cd64a62cf35abd2ba6fab4"
            ),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 4",
        known: Known::Aead {
            key: &hex!("feffe9928665731c6d6a8f9467308308"),
            iv: &hex!("cafebabefacedbaddecaf888"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &hex!(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953"
                "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            ),
            sealed: &hex!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
                "7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
            ),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 10",
        known: Known::Aead {
            key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c"),
            iv: &hex!("cafebabefacedbaddecaf888"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &hex!(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953"
                "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            ),
            sealed: &hex!(
                "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525"
                "ac619d18c84a3f4718e2448b2fe324d9ccda27102519498e80f1478f37ba55bd6d27618c"
            ),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 14",
        known: Known::Aead {
            key: &[0; 32],
            iv: &[0; 12],
            assoc: &[],
            plain: &[0; 16],
            sealed: &hex!("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
        },
    },
    Vector {
        name: "gcm(aes)",
        source: "McGrew, Viega, GCM specification, test case 16",
        known: Known::Aead {
            key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
            iv: &hex!("cafebabefacedbaddecaf888"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &hex!(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953"
                "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            ),
            sealed: &hex!(
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
                "a7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
            ),
        },
    },
    Vector {
        name: "rfc4106(gcm(aes))",
        source: "draft-mcgrew-gcm-test-01, section 4, SPI 00004321",
        known: Known::Aead {
            key: &hex!("4c80cdefbb5d10da906ac73c3613a6342e443b68"),
            iv: &hex!("4956ed7e3b244cfe"),
            assoc: &hex!("0000432187654321000000004956ed7e3b244cfe"),
            plain: &hex!(
                "45000048699a000080114db7c0a80102c0a801010a9bf15638d301000001000000000000045f7369"
                "70045f756470037369700963796265726369747902646b000021000101020201"
            ),
            sealed: &hex!(
                "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34cfa2436f14a3f3cf"
                "65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732459018148f6cbe72"
                "2fd04796562dfdb4"
            ),
        },
    },
    Vector {
        name: "rfc4106(gcm(aes))",
        source: "draft-mcgrew-gcm-test-01, section 4, SPI 0000a5f8, a key of 192 bits",
        known: Known::Aead {
            key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731ccafebabe"),
            iv: &hex!("facedbaddecaf888"),
            assoc: &hex!("0000a5f80000000afacedbaddecaf888"),
            plain: &hex!("45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e501016d075680001"),
            sealed: &hex!(
                "a5b1f8066029aea40e598b8122de02420938b3ab33f828e687b8858b5bfbdbd0315b27452144cc77"
                "95457b9652037f5318027b5b4cd7a636"
            ),
        },
    },
    Vector {
        name: "rfc4106(gcm(aes))",
        source: "draft-mcgrew-gcm-test-01, section 4, SPI 4a2cbfe3",
        known: Known::Aead {
            key: &hex!("abbccddef00112233445566778899aababbccddef00112233445566778899aab11223344"),
            iv: &hex!("0102030405060708"),
            assoc: &hex!("4a2cbfe3000000020102030405060708"),
            plain: &hex!(
                "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee0000000007002400020bf0000"
                "020405b40101040201020201"
            ),
            sealed: &hex!(
                "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763748a637985771d34"
                "7f0545659f14e99def842d8eb335f4eecfdbf831824b4c4915956c96"
            ),
        },
    },
    Vector {
        name: "rfc4543(gcm(aes))",
        source: "draft-mcgrew-gcm-test-01, section 5, SPI 00004321",
        known: Known::Aead {
            key: &hex!("4c80cdefbb5d10da906ac73c3613a63422433c64"),
            iv: &[0; 8],
            assoc: &hex!("00004321000000070000000000000000"),
            plain: &hex!(
                "45000030da3a00008001df3bc0a80005c0a800010800c6cd020007006162636465666768696a6b6c"
                "6d6e6f707172737401020201"
            ),
            sealed: &hex!(
                "45000030da3a00008001df3bc0a80005c0a800010800c6cd020007006162636465666768696a6b6c"
                "6d6e6f707172737401020201f2a9a836e155106aa8dcd618e4099aaa"
            ),
        },
    },
    Vector {
        name: "rfc4543(gcm(aes))",
        source: "computed with OpenSSL 3.0: GCM with everything as associated data",
        known: Known::Aead {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff422433c64"),
            iv: &[0; 8],
            assoc: &hex!("00004321000000070000000000000000"),
            plain: &hex!("45000030da3a00008001df3bc0a80005c0a8000108"),
            sealed: &hex!("45000030da3a00008001df3bc0a80005c0a80001085c87ebaf597b2a9c27f339129c0b9d60"),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "SP 800-38C, example 1",
        known: Known::Aead {
            key: b"@ABCDEFGHIJKLMNO",
            iv: &hex!("07101112131415160000000000000000"),
            assoc: &hex!("0001020304050607"),
            plain: &hex!("20212223"),
            sealed: &hex!("7162015b4dac255d"),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "SP 800-38C, example 2",
        known: Known::Aead {
            key: b"@ABCDEFGHIJKLMNO",
            iv: &hex!("06101112131415161700000000000000"),
            assoc: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: &hex!("202122232425262728292a2b2c2d2e2f"),
            sealed: &hex!("d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "SP 800-38C, example 3",
        known: Known::Aead {
            key: b"@ABCDEFGHIJKLMNO",
            iv: &hex!("02101112131415161718191a1b000000"),
            assoc: &ascending::<20>(0),
            plain: &ascending::<24>(0x20),
            sealed: &hex!("e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "RFC 3610, section 8, packet vector 1",
        known: Known::Aead {
            key: &hex!("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"),
            iv: &hex!("0100000003020100a0a1a2a3a4a50000"),
            assoc: &hex!("0001020304050607"),
            plain: &ascending::<23>(0x08),
            sealed: &hex!("588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0"),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
            iv: &hex!("01101112131415161718191a1b1c0000"),
            assoc: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a"
            ),
            sealed: &hex!(
                "a6aaf327e21049e2897b913bbeef79966f40d4ad93a0bff9c44481c0ac88108db4f5f237cab87685"
                "eaa1181bf82767c80dca816f4b9ebbbb4fcd1a7d5e"
            ),
        },
    },
    Vector {
        name: "ccm(aes)",
        source: "computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
            iv: &hex!("01101112131415161718191a1b1c0000"),
            assoc: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a"
            ),
            sealed: &hex!(
                "5b441913cd9bfac9df2930650010b493ee1a1f8259ca1b1ff23c37005fbda23753b79fe4c101ff31"
                "1ebc62d758e1cface14d8b3718fb13784e91ed6478"
            ),
        },
    },
    Vector {
        name: "rfc4309(ccm(aes))",
        source: "computed with OpenSSL 3.0: CCM under salt and IV",
        known: Known::Aead {
            key: &hex!("2b7e151628aed2a6abf7158809cf4f3c0001fc"),
            iv: &[0; 8],
            assoc: &hex!("00004321000000070000000000000000"),
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a3"),
            sealed: &hex!(
                "1309d83174ffaaf75d3170524f876050171ae79c68b6eb8047064f4b8502807dd094a038ed8a464e"
                "ed2441194edc83fa7f8563d7b5"
            ),
        },
    },
    Vector {
        name: "rfc4309(ccm(aes))",
        source: "computed with OpenSSL 3.0: CCM under salt and IV",
        known: Known::Aead {
            key: &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff40001fc"),
            iv: &[0; 8],
            assoc: &hex!("00004321000000070000000000000000"),
            plain: &hex!("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a3"),
            sealed: &hex!(
                "e8f9e55d17829e0c4ef9a3acf00720fe25a4d492484767d5d96c0e301dbfe7b996a46a6ae9f85321"
                "47ade9b8e83175ca09a9b62e11"
            ),
        },
    },
    Vector {
        name: "rfc7539(chacha20,poly1305)",
        source: "RFC 8439, section 2.8.2",
        known: Known::Aead {
            key: &ascending::<32>(0x80),
            iv: &hex!("070000004041424344454647"),
            assoc: &hex!("50515253c0c1c2c3c4c5c6c7"),
            plain: b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
            sealed: &hex!(
                "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca96712"
                "82fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58"
                "fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09"
                "e26a7e902ecbd0600691"
            ),
        },
    },
    Vector {
        name: "rfc7539(chacha20,poly1305)",
        source: "RFC 8439, appendix A.5",
        known: Known::Aead {
            key: &hex!("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"),
            iv: &hex!("000000000102030405060708"),
            assoc: &hex!("f33388860000000000004e91"),
            plain: &hex!(
                "496e7465726e65742d4472616674732061726520647261667420646f63756d656e74732076616c69"
                "6420666f722061206d6178696d756d206f6620736978206d6f6e74687320616e64206d6179206265"
                "20757064617465642c207265706c616365642c206f72206f62736f6c65746564206279206f746865"
                "7220646f63756d656e747320617420616e792074696d652e20497420697320696e617070726f7072"
                "6961746520746f2075736520496e7465726e65742d447261667473206173207265666572656e6365"
                "206d6174657269616c206f7220746f2063697465207468656d206f74686572207468616e20617320"
                "2fe2809c776f726b20696e2070726f67726573732e2fe2809d"
            ),
            sealed: &hex!(
                "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43ee"
                "a09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b9481"
                "14ad176e008d33bd60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0"
                "f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
                "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2316053fa7699"
                "1955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130"
                "305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709beead9d67890cbb22392336fea1851f"
                "38"
            ),
        },
    },
    Vector {
        name: "rfc7539esp(chacha20,poly1305)",
        source: "RFC 7634, appendix A",
        known: Known::Aead {
            key: &ascending::<36>(0x80),
            iv: &hex!("1011121314151617"),
            assoc: &hex!("01020304000000051011121314151617"),
            plain: &hex!(
                "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b"
                "0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30313233"
                "3435363701020204"
            ),
            sealed: &hex!(
                "24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614ee8099d52844eb"
                "61aa95dfab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da"
                "9165b82829f641e076aaa8266b7fb0f7b11b369907e1ad43"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha256),cbc(aes))",
        source: "RFC 3602, section 4, case 1; tag computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &authenc_key::<56>(&ascending::<32>(0x20), &hex!("06a9214036b8a15b512e03d534120006")),
            iv: &hex!("3dafba429d9eb430b422da802c9fac41"),
            assoc: &hex!("3dafba429d9eb430b422da802c9fac41"),
            plain: b"Single block msg",
            sealed: &hex!(
                "e353779c1079aeb82708942dbe77181aa6deb7fd1ba369db157951cc565d65281713d0dd6b6b28b7"
                "077e5d60e3effe8f"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha256),cbc(aes))",
        source: "computed with OpenSSL 3.0: the mode, then HMAC",
        known: Known::Aead {
            key: &authenc_key::<72>(&ascending::<32>(0x20), &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            assoc: &ascending::<24>(0),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            sealed: &hex!(
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacf"
                "a530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b8b4edf981f28bcfca63eb93a64666991"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha1),cbc(aes))",
        source: "RFC 3602, section 4, case 1; tag computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &authenc_key::<44>(&ascending::<20>(0x20), &hex!("06a9214036b8a15b512e03d534120006")),
            iv: &hex!("3dafba429d9eb430b422da802c9fac41"),
            assoc: &hex!("3dafba429d9eb430b422da802c9fac41"),
            plain: b"Single block msg",
            sealed: &hex!("e353779c1079aeb82708942dbe77181a7a57901d6191f38f385477751201507638a0e93c"),
        },
    },
    Vector {
        name: "authenc(hmac(sha1),cbc(aes))",
        source: "computed with OpenSSL 3.0: the mode, then HMAC",
        known: Known::Aead {
            key: &authenc_key::<52>(&ascending::<20>(0x20), &hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b")),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            assoc: &ascending::<24>(0),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            sealed: &hex!(
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae0"
                "7fa9baac3df102e008b0e27988598881d920a9e64f5615cdf77349d7777bddbb3b27ef92"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha512),cbc(aes))",
        source: "RFC 3602, section 4, case 1; tag computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &authenc_key::<88>(&ascending::<64>(0x20), &hex!("06a9214036b8a15b512e03d534120006")),
            iv: &hex!("3dafba429d9eb430b422da802c9fac41"),
            assoc: &hex!("3dafba429d9eb430b422da802c9fac41"),
            plain: b"Single block msg",
            sealed: &hex!(
                "e353779c1079aeb82708942dbe77181a0371dfecc3f52d1e2b972b173f799996fb8f6487be2b5ff4"
                "86a407be62077d4f372c51b52270508fff375a935298c04fd3de54d1080b3e790d10a07021d601d5"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha512),cbc(aes))",
        source: "computed with OpenSSL 3.0: the mode, then HMAC",
        known: Known::Aead {
            key: &authenc_key::<104>(&ascending::<64>(0x20), &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            assoc: &ascending::<24>(0),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            sealed: &hex!(
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacf"
                "a530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b1036afa857219bb5fd34febe45da887c"
                "b46733513de77dca1ee2839a33fdfb13"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha256),ctr(aes))",
        source: "computed with OpenSSL 3.0: the mode, then HMAC",
        known: Known::Aead {
            key: &authenc_key::<56>(&ascending::<32>(0x20), &hex!("2b7e151628aed2a6abf7158809cf4f3c")),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            assoc: &ascending::<24>(0),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a"
            ),
            sealed: &hex!(
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e"
                "5b4f09020d0f3347c43db4213b767ec7f5254165f8"
            ),
        },
    },
    Vector {
        name: "authenc(hmac(sha256),xts(aes))",
        source: "computed with OpenSSL 3.0: the mode, then HMAC",
        known: Known::Aead {
            key: &authenc_key::<72>(&ascending::<32>(0x20), &ascending::<32>(0)),
            iv: &hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            assoc: &ascending::<24>(0),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a"
            ),
            sealed: &hex!(
                "0248548cfd051c8ab2c734b7106c0dfe443f53f7b904a6197a624215948462636f62b16b294d46cb"
                "2119af175f899cc00a55fd958f615fccc55bbb07a7a336e2620436de93491b9930e1cfeb6a"
            ),
        },
    },
    Vector {
        name: "authencesn(hmac(sha256),cbc(aes))",
        source: "computed with OpenSSL 3.0: CBC, then HMAC with the high half of the sequence number last (RFC 4303, section 2.2.1)",
        known: Known::Aead {
            key: &authenc_key::<56>(&ascending::<32>(0x20), &hex!("2b7e151628aed2a6abf7158809cf4f3c")),
            iv: &hex!("000102030405060708090a0b0c0d0e0f"),
            assoc: &hex!("808182838485868788898a8b"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            sealed: &hex!(
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b"
                "7116e69e222295163ff1caa1681fac09120eca307586e1a75982345ad9965f45f0e25b44df39b933"
            ),
        },
    },
    Vector {
        name: "essiv(authenc(hmac(sha256),cbc(aes)),sha256)",
        source: "computed with OpenSSL 3.0: as the kernel lays it out (crypto/essiv.c)",
        known: Known::Aead {
            key: &authenc_key::<72>(&ascending::<32>(0x20), &hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")),
            iv: &hex!("05000000000000000000000000000000"),
            assoc: &hex!("000102030405060705000000000000000000000000000000"),
            plain: &hex!(
                "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"
                "e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            ),
            sealed: &hex!(
                "01a3d377bc31469cff51b91b89ea054211c9493c3f03e41d72c9430e651d256b37aa5231c3b415ac"
                "31f7d4f883c79a9ffb2533c48db6cb175f85de7bbcc4555d10316e5e0d8f445b709dfbd292036674"
                "52a49f0c1b0e3425cabef3a61a26cec8"
            ),
        },
    },
    Vector {
        name: "seqiv(rfc4106(gcm(aes)))",
        source: "draft-mcgrew-gcm-test-01, section 4, SPI 00004321, the IV before the text as on the wire",
        known: Known::Aead {
            key: &hex!("4c80cdefbb5d10da906ac73c3613a6342e443b68"),
            iv: &hex!("0000000000000000"),
            assoc: &hex!("000043218765432100000000"),
            plain: &hex!(
                "000000000000000045000048699a000080114db7c0a80102c0a801010a9bf15638d3010000010000"
                "00000000045f736970045f756470037369700963796265726369747902646b000021000101020201"
            ),
            sealed: &hex!(
                "4956ed7e3b244cfefecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34"
                "cfa2436f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732"
                "459018148f6cbe722fd04796562dfdb4"
            ),
        },
    },
    Vector {
        name: "echainiv(authenc(hmac(sha1),cbc(aes)))",
        source: "RFC 3602, section 4, case 1, the IV before the text as on the wire; tag computed with OpenSSL 3.0",
        known: Known::Aead {
            key: &authenc_key::<44>(&ascending::<20>(0x20), &hex!("06a9214036b8a15b512e03d534120006")),
            iv: &hex!("00000000000000000000000000000000"),
            assoc: &[],
            plain: &hex!("0000000000000000000000000000000053696e676c6520626c6f636b206d7367"),
            sealed: &hex!(
                "3dafba429d9eb430b422da802c9fac41e353779c1079aeb82708942dbe77181a7a57901d6191f38f"
                "385477751201507638a0e93c"
            ),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 1",
        known: Known::Aead {
            key: &hex!("0fc98e67449eaa8620362c24fec93081"),
            iv: &hex!("1e921ccf883d540d406d5948fc926103"),
            assoc: &[],
            plain: &[],
            sealed: &hex!("07a511f29d40b86ddab812344c53d972"),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 2",
        known: Known::Aead {
            key: &hex!("4bedc807541a52a2a110deb5f8edf387"),
            iv: &hex!("5ab7566e98b9fd29c1470bdaf6b62309"),
            assoc: &[],
            plain: &hex!("79"),
            sealed: &hex!("9e7852aecb9ee4d39ad75dd7aa9ae95acc"),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 5",
        known: Known::Aead {
            key: &hex!("015c75e5848d4df6239ff46ae65a3b9a"),
            iv: &hex!("1025034cc82cf77d44d5218ee4236b1c"),
            assoc: &[],
            plain: &hex!("2eb7201c506a4b8b84427ad7e1b5cd1fd3"),
            sealed: &hex!("2a8d5691c6f356a51ff0892e13ade6f64680b10e1830409703df643cbe939ec93b"),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 7",
        known: Known::Aead {
            key: &hex!("7aa5e823a4849e2d2553588cdaa3c0a6"),
            iv: &hex!("896e778be82349b4458a85b1d86cf128"),
            assoc: &[],
            plain: &hex!("a700935b70619dc286f7defad5fe522b2850519d24608db3493e17eaf6995add"),
            sealed: &hex!(
                "a49ab7fda0d4d64795f45838148327014ced322cf7d631f7381b2cc9b631ceaaa53c1a185cceb9df"
                "515277f25e858041"
            ),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 11",
        known: Known::Aead {
            key: &hex!("6c38cfa1e573419d29bc21d2c235cbbf"),
            iv: &hex!("7b015d082912ec2449f34df7c0fefb41"),
            assoc: &hex!("8acaec706db196ab69297a1bbfc72cc207"),
            plain: &[],
            sealed: &hex!("02c63b4665b2ef9131f045488a2aede4"),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 20",
        known: Known::Aead {
            key: &hex!("8d82d63b76cc3097b16863ef8c7ca3f7"),
            iv: &hex!("9c4b65a2ba6bdb1ed19e90138a45d379"),
            assoc: &hex!("ab14f30afe0a85a5f2d5bc38890e04fb847d653425d847faeb8331f15454890d9d"),
            plain: &hex!(
                "bade827242a92f2c120be95c87d7357c4f2ee855668027001b8f68e70a6c71c32178559d9c657bcd"
                "0a3497ff4737b02a800d199833a97ae32e4cc6f38c884201bd"
            ),
            sealed: &hex!(
                "84c521abe1ebbb6daa2aafeb3b3b69e72c47ef9db75336b7b6f5e5a8c99e02d78388c2bd2ff910c0"
                "f5a16ed3976482a3fbda2cb194a15832e8d439fc9e26f9f161e6ae07f2e0a74496283bee6bc61631"
                "3f"
            ),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 21",
        known: Known::Aead {
            key: &hex!("c9a710da8648d9b33242158085a165fe"),
            iv: &hex!("d8709f42cae6833a527942a5846a967f"),
            assoc: &hex!(
                "e8392daa0e852dc172af6ec98233c701af4070b82a78c914acb110ca2eb328e4acfa587fe573098c"
                "1d40878cd975c055a2da07d1c2a9d1bb094f7762882df26854"
            ),
            plain: &hex!("f702bb115224d84893e69bee81fcf78279f0f3d96c20a91adcbc47c0e4cb10992f"),
            sealed: &hex!(
                "8f2347fbf2ac23837709ac74efd256ae207b7bca458ec8c250bdc7441c5498d81fd09a79aaf9e1b3"
                "b4985a9be44dbf4e39"
            ),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 22",
        known: Known::Aead {
            key: &hex!("06cc4a7996c382cfb31cc7127fc52804"),
            iv: &hex!("1595d8e1da622c56d353f4367e8e5985"),
            assoc: &hex!("245e67491e01d6ddf389205b7c578907"),
            plain: &hex!("3327f5b162a0806314c04d7f7b20ba89"),
            sealed: &hex!("42c358fb29e24a56f1f5e151554b0a4546b58dacb634d88bde205977c17490"),
        },
    },
    Vector {
        name: "aegis128",
        source: "Linux crypto/testmgr.h, number 24",
        known: Known::Aead {
            key: &hex!("7f15bdb8b6bad306b5d12b35730ead10"),
            iv: &hex!("8ede4c20fa597e8dd507585972d7de92"),
            assoc: &hex!("9da7da883ef82814f53e857d70a00f13"),
            plain: &hex!("ac7069ef8297d29b1574b1a26f693f95"),
            sealed: &hex!("47da54425172c48bf5570f2f490e113b7893ecfcf4ffe12d"),
        },
    },
];
