//! DRBGs: NIST's vectors of the Cryptographic Algorithm Validation Program (drbgtestvectors.zip), from the groups
//! with personalization string and additional input, COUNT = 0. tests/data/drbg.txt has more of them.

use super::{Known, Vector};
use hex_literal::hex;

pub(super) const VECTORS: &[Vector] = &[
    Vector {
        name: "drbg_nopr_ctr_aes128",
        source: "CAVP drbgvectors_no_reseed, CTR_DRBG.rsp, [AES-128 use df]",
        known: Known::Rng {
            entropy: &hex!("cae48dd80d298103ef1ec0bf1bb96270d827f91613e0b47f"),
            seed: &hex!("cc928f3d2df31a29f4e444f3df08be21"),
            fresh: [&[]; 2],
            additional: [&hex!("7eaa1bbec79393a7f4a8227b691ecb68"), &hex!("6869c6c7b9e6653b3977f0789e94478a")],
            out: &hex!(
                "920132cd284695b868b5bc4b703afea4d996624a8f57e9fbf5e793b509cb15b4beaf702dac28712d249ae75090a91fd3"
                "5775294bf24ddebfd24e45d13f4a1748"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_ctr_aes192",
        source: "CAVP drbgvectors_no_reseed, CTR_DRBG.rsp, [AES-192 use df]",
        known: Known::Rng {
            entropy: &hex!("d5973b5c9105cbf67e978f419924790d83023e86a8b5dd6b358af1ae9a842c6e03f88dfa2a311161"),
            seed: &hex!("294d7d35f53a5d7ddef5ca4100f3547112c93e41251257dc0a19b6dfaa4a60a4"),
            fresh: [&[]; 2],
            additional: [
                &hex!("0805f31446c51d5d9d27b7cbb16e840b9e8b0dfe6fb4b69792bc8de9e3bd6d92"),
                &hex!("934d7fd5e716376342607123ea113d6b20170ccda53fc86541407a156cd94904"),
            ],
            out: &hex!(
                "cb95459d1735cb9bce8a75bf097a099c9f7c70bad43e3e431f2d3829d7ca9d0617b9a99337af5248d4741cb5a60dff6f"
                "8c5221e23f3cb524a94ffdd2190bfb3b"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_ctr_aes256",
        source: "CAVP drbgvectors_no_reseed, CTR_DRBG.rsp, [AES-256 use df]",
        known: Known::Rng {
            entropy: &hex!(
                "87b56e964eba227154724bb9484b812d3e2c0c43b3d17f6098d9526e16e6d0ef9bea6a7ff2358df142e6c23e2157fb83"
            ),
            seed: &hex!("9860b432edd58d1ccbfeecbce99ffaee7d935a614860d4e965bd67041403096b"),
            fresh: [&[]; 2],
            additional: [
                &hex!("99a5cc87924e8ea65a596f81fd17d63f5b4542fe6e8e1511b5d35c835dfadb0b"),
                &hex!("9a8dec54734a34582a2332f3452e82313524c3e0dfb485faeac6ca5fc0ff504d"),
            ],
            out: &hex!(
                "dbc6a2330b19b5cddd8cd6392ec1fb508678c805e87d1aca07ac265007632503044a00610c79d98375afa7ab4cca1a90"
                "989cbfe7c674af5d823ced11c47e9af6"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_sha1",
        source: "CAVP drbgvectors_no_reseed, Hash_DRBG.rsp, [SHA-1]",
        known: Known::Rng {
            entropy: &hex!("6466e1799a68012379631b3aae41f59b6b0c61269f67c576"),
            seed: &hex!("cc936b87c8c8c1ab85dde0ad2e9242b4"),
            fresh: [&[]; 2],
            additional: [&hex!("d1033ac553ef08f22fd38f12b49b45bc"), &hex!("f004ba01f51455430d84362e376eb775")],
            out: &hex!(
                "5d675d1e92490952703c194194e1b061b6ec4e219dc2e1edaa891ef2d1b7ed050a06342d3c095011eb339f198519779b"
                "01ab1a580bd2e34d6cf4e47c1befe0c7dc37b4aafb31128fa396267f3732095a"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_sha256",
        source: "CAVP drbgvectors_no_reseed, Hash_DRBG.rsp, [SHA-256]",
        known: Known::Rng {
            entropy: &hex!(
                "68c43a008fe46a823d260a9d7fa388fb9e401f0197e7e758a744b4babb3f4651eb6825777856331884aaf3751b3e4006"
            ),
            seed: &hex!("23ce0d32cbf2d26467f0d62acff1a3acbaa6d2746dc3ee7aa9d32c880788afc8"),
            fresh: [&[]; 2],
            additional: [
                &hex!("a31b9f13b58d4fa2f8d8ac42b62a207ff647339a146bd8b268b33d4aff57adbd"),
                &hex!("d34fc6504eca4b568193c75357b0d3821a48c77ff80d6dbd21c6cf045ff489cf"),
            ],
            out: &hex!(
                "abb4ecbacd4e8fa943c7221aed433861c3b203232657ec4c417d021f905d911db1058ff1e11e272232482ec96bae7cb4"
                "efc135502dbe41724077077f6de79b713670c385d04644e1281c3e582e0016255abbe5f8c06d0de57160559f0c08f7fb"
                "5be3563c649966190f8d3261364447537de2c7371c6e8c308933d27145bf90ab"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_sha384",
        source: "CAVP drbgvectors_no_reseed, Hash_DRBG.rsp, [SHA-384]",
        known: Known::Rng {
            entropy: &hex!(
                "2e154070573312bc5ea0fa00e589b85dd559797a47c7e5ac731fea50531771a18443504d05af55a2c5091f077b1edf22"
            ),
            seed: &hex!("35679c78e75c78bd6eff67b7d62a9fef1fad39a049debd1efb09be9acc62260d"),
            fresh: [&[]; 2],
            additional: [
                &hex!("f4bf0561b3e91f0eab5a801388b04b43eee57887d43516a1f332c7c503ab53d6"),
                &hex!("77371fdee3485a12e55d5029d70b9536aabbb28ac1ef9ca761633bec9058bc04"),
            ],
            out: &hex!(
                "c6a7ee27596c28ed32d6d0a3dc5b7255448c873b2246d2bd5dbecb1a3d32de95ecd780e3e61974a84b374a1c0b32258e"
                "f8dd41371c5af762aaec6555fd1359efa5051f24bfdbadf9be8c101198fbf6fa97ef58c1ab2865a913f1b1e08019bb25"
                "f0e17ff5f7543cc1fd35e7baa042916d12d29ac6a52202082f4224a45932772dec149a34da4b3912c30903b7681e89e1"
                "530c7d8569eef281d165ea99da653df0728c74c809dc4a0ec8b754193ccfef2ab725db8890f84b1aa19bed96ed1c6927"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_sha512",
        source: "CAVP drbgvectors_no_reseed, Hash_DRBG.rsp, [SHA-512]",
        known: Known::Rng {
            entropy: &hex!(
                "31e8d6fbdc9026b0708405c20b558fcc0a107f3fdc836fe056f020df30d9dc572b8bbab9b486abb659c4ae8ff5978e22"
            ),
            seed: &hex!("949eb753762869aa5ea0ce725523595f9bc9b219735113e71feab228d0872c38"),
            fresh: [&[]; 2],
            additional: [
                &hex!("88f1180d4ef564315280a9692f107ed9c0639d79bb7040dfc3b7d58bf24ef8f5"),
                &hex!("f4fc8a26e0ad181838f1399fe5b8a4b86670e92ab92b2c4daf3913470724d3f2"),
            ],
            out: &hex!(
                "10509641332a4d72a3c5936512c37cb9ab9874693902ee4c76e963675627ef86aa2e7d7029a152b800072fc53eeb6b41"
                "d12f481cde99b467dac3486836f6e146e9a79d3fb90d9b26f213ddbfac590ca083ed83fde4924395d25b645b96a6983e"
                "65fd662cae66112ebfa990f09b86b01270b7f0ef35f183eb01ffcbd7d5ec6adc4839cf3814dac858e013c6d79528ef27"
                "3dd83724ccdc82b73dc63698fcf8ef0924f27b6a49d6d38f0ce261aa5a0a88779e47a413c29e1d7d20e4ab914bbabd5e"
                "6e0241cf53263a8efa321b4a632eb062b255c0ce5a0833114161dd073dd037967a1f03daf2dd7e927b801b40e62f26c0"
                "872ea100132807650232126aa8f29d70"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_hmac_sha1",
        source: "CAVP drbgvectors_no_reseed, HMAC_DRBG.rsp, [SHA-1]",
        known: Known::Rng {
            entropy: &hex!("c27f80b1d085dd15cb163f0336d077457ecb3f32a90242f7"),
            seed: &hex!("4deb622a31b4c530348b5f08008fb7ee"),
            fresh: [&[]; 2],
            additional: [&hex!("5a84f94804e2d04ead773d2a324b34d6"), &hex!("226d9f4d720f580c2be44d4eaf2ec8db")],
            out: &hex!(
                "6db76a0a003a64dec6801dd3271fae8a43aa8ce2e0d205e3830e267072abe28d2a6f707494d15638559fa4282843760d"
                "aa90eec5d2865ea11e836e60345160d5112445ab1754b578b55471a1d9caf275"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_hmac_sha256",
        source: "CAVP drbgvectors_no_reseed, HMAC_DRBG.rsp, [SHA-256]",
        known: Known::Rng {
            entropy: &hex!(
                "5d3286bc53a258a53ba781e2c4dcd79a790e43bbe0e89fb3eed39086be34174bc5422294b7318952ace7055ab7570abf"
            ),
            seed: &hex!("2dba094d008e150d51c4135bb2f03dcde9cbf3468a12908a1b025c120c985b9d"),
            fresh: [&[]; 2],
            additional: [
                &hex!("793a7ef8f6f0482beac542bb785c10f8b7b406a4de92667ab168ecc2cf7573c6"),
                &hex!("2238cdb4e23d629fe0c2a83dd8d5144ce1a6229ef41dabe2a99ff722e510b530"),
            ],
            out: &hex!(
                "d04678198ae7e1aeb435b45291458ffde0891560748b43330eaf866b5a6385e74c6fa5a5a44bdb284d436e98d244018d"
                "6acedcdfa2e9f499d8089e4db86ae89a6ab2d19cb705e2f048f97fb597f04106a1fa6a1416ad3d859118e079a0c319eb"
                "95686f4cbcce3b5101c7a0b010ef029c4ef6d06cdfac97efb9773891688c37cf"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_hmac_sha384",
        source: "CAVP drbgvectors_no_reseed, HMAC_DRBG.rsp, [SHA-384]",
        known: Known::Rng {
            entropy: &hex!(
                "c2feb900032f2cca98d3f60536f563d8ac9af5fb2e90dba36c371c0a1c58cf5e4a60f2be0fa13b8266b715be8aad128c"
            ),
            seed: &hex!("8e6f9be0c692648072d19c750804b10e2ec313c8013abd363de7a467787859f2"),
            fresh: [&[]; 2],
            additional: [
                &hex!("72f54ba3f8e71ad69a040bb8493283acfc8815f17dbcea220ecd68372a2dffae"),
                &hex!("adce8157ef60482841dd2ac5ac512bf7649120c1dba81ea75f2a70b7512bb6f3"),
            ],
            out: &hex!(
                "e76e4326ac69ddbc6b2408c529b05a96425c65cc65671601191238e9434d2a0147f3a25ce9b6818774f5263c92459bca"
                "421d2b492f9a9c2971359baaa1426d6e2c36d8924f39d02ee2fb5502c4e0b206dbe9aeeacd508abe6c055d547b5f9f35"
                "de4fdc9c05a2c63ad699a3a7e265598b8f40a8a295d7376b88c49af9edc790b8a5ee221e19877616678e2a5135d7b375"
                "6109200439d9ec8bfe0cc5f3c334ca9c022ab9192d5d554dc7ae76af1dc06d814427f46a7cfa2dcc62f4777d07ebde7d"
            ),
        },
    },
    Vector {
        name: "drbg_nopr_hmac_sha512",
        source: "CAVP drbgvectors_no_reseed, HMAC_DRBG.rsp, [SHA-512]",
        known: Known::Rng {
            entropy: &hex!(
                "e97a4631d0a08d549cde8af9a1aae058e3e9585575a726c76a27bc62bed18a4b227221d5fe5a5db9810f9afe56a3ee78"
            ),
            seed: &hex!("94084b11d55e0f9c2ef577741753af66ad7a25b28524b50ea970105c3545e97d"),
            fresh: [&[]; 2],
            additional: [
                &hex!("24c81d4773938371b906cf4801957ac22f87432b9c8a84bc5ac04ad5b1cc3f57"),
                &hex!("c8c878451e2b76577c36393ca253888c1038885bbfdacd8539615a611e2ac00b"),
            ],
            out: &hex!(
                "761422dea283262998c0ffffefc77de2d395c818b9cf1ac2bcd1153235e0d8b63199c51e195135a75f1f87b454484ecc"
                "560c532c7ba5923c9490a423c177453459d81efc38ce2939226043cb733062eae303a009b48ee0cf3c7e40abe2b57a70"
                "a6062c669a9fbff20b4c94b4ecbc5f744a80d7be8134359581d441da921737b1329470b214f3e679fb7ad48baf046bac"
                "59a36b5770806cdef28cc4a8fd0e049b924c3c9216e00ba63c2ff771d66b7520dd33a85382a84b622717e594e447c919"
                "926a5b2e94d490ee626da9df587fed674067917963fd51d383e55730c17a124555e2e46e1395c9920d07dae4d67ffee5"
                "c759b6a326eec6d7b3ba6dee012e4807"
            ),
        },
    },
    Vector {
        name: "drbg_pr_ctr_aes128",
        source: "CAVP drbgvectors_pr_true, CTR_DRBG.rsp, [AES-128 use df]",
        known: Known::Rng {
            entropy: &hex!("92898f31fa1cff6d182f260643dff818c2a4d972c3b9b697"),
            seed: &hex!("ea65ee60264e7eb60e8268c4373c5c0b"),
            fresh: [&hex!("20728a06f86f8dd441e272b7c42ce810"), &hex!("3db0f094f305503317863e2208f7a501")],
            additional: [&hex!("1a40fae3cc6c7ca0f8daba59236dad1d"), &hex!("9f72766cc746e5ed2e532012bc59318c")],
            out: &hex!(
                "5a3539870f4d22a40924ee71c96fac720ad6f08882d0832873ec3f93d8ab4523f07eac45145e939fb1d676433db6e808"
                "88f6da89087742fe1af43fc423c51f68"
            ),
        },
    },
    Vector {
        name: "drbg_pr_ctr_aes192",
        source: "CAVP drbgvectors_pr_true, CTR_DRBG.rsp, [AES-192 use df]",
        known: Known::Rng {
            entropy: &hex!("7938975762fd99ad038ba9e38f3eee4df239d897ce96ea01e1fe2bdebaa81a175d92e6ffaeb5991c"),
            seed: &hex!("8272d8106d76d0ebcc22dd0adc7f4b7ec93268d01a1619fef033071c414a1b4a"),
            fresh: [
                &hex!("adfbf7b516ad09f19c6a00c14f0f1afffca2b72487048657"),
                &hex!("3679442d0fc46a1a48250a99ecc113c872a8583298cda4b5"),
            ],
            additional: [
                &hex!("0f8006443beaeba5de4a02b4d8ebca115073328b88de74ec4d0060509f5c4305"),
                &hex!("2bafaa038d8eadf0181256d6e0baba7564307a196c00e8938f9b1cea9600dec9"),
            ],
            out: &hex!(
                "1f5760e9de0f892877522f896341a15445ffeb8d5d5873c6d5a00541779d9f4e4f2706afee4e00f0f68cde67a022b38f"
                "7b63fa27123c0ca730eab02b7b056d18"
            ),
        },
    },
    Vector {
        name: "drbg_pr_ctr_aes256",
        source: "CAVP drbgvectors_pr_true, CTR_DRBG.rsp, [AES-256 use df]",
        known: Known::Rng {
            entropy: &hex!(
                "534346a3e0baa65d7a51871b6d633a6f1efa9ff55dfde3212c95029adf2387d90cbe99821509975d824fd826c47d2abc"
            ),
            seed: &hex!("020d7340569e68d992e6e8ddfbead9f993c74d971e4339fe91074f87e9d7d777"),
            fresh: [
                &hex!("286091709d2e91bfef6654b8449d5e5564b6c2fe1f3e4e6e59fe776461bfb0dc"),
                &hex!("e68e127b2e5b9d6539c26f7e78bec13314e37febdb7105d1d65f0bde23c87d38"),
            ],
            additional: [
                &hex!("f41040eff2a7010287c2a76d7867a66e61299be1e1247a6b22a64b829ada8624"),
                &hex!("94efe68e2185646a17bb8a83268142a7b7a02786c1ee90ab8f7399ccf543de26"),
            ],
            out: &hex!(
                "da6389d151e3b2b332fbcc02b2cc5af4f69835e9fbbe19130f91cbf30a3c24580ebfb4311b3487e9d6a61de9dc2842c1"
                "07152158b0e75a932c38e5b8ddff10e6"
            ),
        },
    },
    Vector {
        name: "drbg_pr_sha1",
        source: "CAVP drbgvectors_pr_true, Hash_DRBG.rsp, [SHA-1]",
        known: Known::Rng {
            entropy: &hex!("8b769915917bbf4e4b48f2663930615217ea14e8ad5446aa"),
            seed: &hex!("9994ed56b1355a6d603e366a8f9c04a9"),
            fresh: [&hex!("36391d0d897510aa844c9920488d49f2"), &hex!("74c7b54e9fdc824fc8e0463673ef92bc")],
            additional: [&hex!("1b8c8b88d7ce96eb7abd03b5551ce99d"), &hex!("fab6fc0acb22983865c3836253718f31")],
            out: &hex!(
                "1f07772a46662b3750e39b3191fa74c8354f9d7eaea56ba0d29272d071ef6da2411cd05b64762e27a736b088d92dad4f"
                "222efa3e3ca2bee0d5f1401d7ef53e3842132181511a5159bc8ea3a6db1215ab"
            ),
        },
    },
    Vector {
        name: "drbg_pr_sha256",
        source: "CAVP drbgvectors_pr_true, Hash_DRBG.rsp, [SHA-256]",
        known: Known::Rng {
            entropy: &hex!(
                "29e1a42709b7e84dbe50788fbad8cb609c127eec3262636a513fd9059fb8bae4f3a521f28dffbd97574c405b69b636ad"
            ),
            seed: &hex!("c99a1147d8db401f4fcf763867296758e26404a30a4a9fa496a717f21f5d749b"),
            fresh: [
                &hex!("d5266c01e10d72dd7e8a3bf717cccb8f643ca233314e3e74f106f46b090e5c73"),
                &hex!("c7e5f03d26bdf9553338e64ba64ce5b5751b04f9c69992221495f2227b9799d0"),
            ],
            additional: [
                &hex!("17254ea392aead0dc94992d867813497d3fd6dc7669667150afe6c28a2b89946"),
                &hex!("157dde59ceb2c662c8665fbe623ec75873fd0c5ccce79a9f5b7098ec8ed77b67"),
            ],
            out: &hex!(
                "e304de9ffd885cf917ead78f05939b8cf54709fc2d0c799a98b543486337204477b1060bceae2a22f7ff42b6cb4b4bc0"
                "610ae2b67558a7c54b65e45bb9f1a86981b74705b48cdbf7d8decf87868267bd948e9394aa4357f8dbbf30612a0eb5b1"
                "31884c220e442d36778e8d74091d8a27c070fe690469e07f3aabeef7c629bfab"
            ),
        },
    },
    Vector {
        name: "drbg_pr_sha384",
        source: "CAVP drbgvectors_pr_true, Hash_DRBG.rsp, [SHA-384]",
        known: Known::Rng {
            entropy: &hex!(
                "a815bbc88d6b648b1ddeee942128ea18ffc38352264cdfdb37faa49270574076ed51cfdc770d5d087a5ddade3da7d7ea"
            ),
            seed: &hex!("50d90f28a1990153a7d6f6a6e2d73e92e39f52334cce0f263de930bed2ed5eff"),
            fresh: [
                &hex!("5ba23c9b62921bbd3126ac8a93a76af7d825f2084606fc824d0297cc35a2f6c1"),
                &hex!("88156a8048c6c0abe2f5bb8ad04480ac8a51b1653de656f8d71a3f02f0361561"),
            ],
            additional: [
                &hex!("0cb512d86eb264e4fa41443c39f45a8559a6f00660d803c5fce829f37c32876c"),
                &hex!("7f8db62b3ea5c975ef384b1561b14cbe107e7a1f241219b332b8069b8b670956"),
            ],
            out: &hex!(
                "2fe435bbe43330b941ca0c1158fa85b5613461409202f100123825bdb135ea1fbd8615783d8f2736d344d519a7a71df7"
                "deb1c561245347858d624fdfac014cf09a8dccba52fb8c0bc04a5952d8839749e5420b072cce9f83fd5cfb256171e753"
                "cd46b3b17d66860cb45e3426e8f573b4a18fbf3ab816092cae265ed9d8f46f49650987786bbbbd29cecce0f9520e05d2"
                "ff98becdbb759f8be96047d7c46b6886f609c9a55f99637032e489e3c1e1748101023be7d0b51f2b7d6c1d7b47dfdf97"
            ),
        },
    },
    Vector {
        name: "drbg_pr_sha512",
        source: "CAVP drbgvectors_pr_true, Hash_DRBG.rsp, [SHA-512]",
        known: Known::Rng {
            entropy: &hex!(
                "0cfbae94684321e071e66da09e0410128b7a14ff1692014c98fac7f384e8362f3a217aec700c191b05e4a11803d5f651"
            ),
            seed: &hex!("e638d92f217337982258337ae63c3b07b30fc5668e8c123ee0e530fc0187f251"),
            fresh: [
                &hex!("fa65a1561e9699272c147531b29015053ea0e504c1978cc791fd75eaff51c005"),
                &hex!("7cb7d7de34f568cd8e5808226db8f414f1da556cf00796dc12ecdd8ad049b1c3"),
            ],
            additional: [
                &hex!("30580498cac41c4a514dd913131dd0ef932dfc246710ffb09b33c952fe5e7e69"),
                &hex!("ce49a8abe2d1b66582eb54c66022fc856324cfd8c9504077b063f3d58e832fa3"),
            ],
            out: &hex!(
                "174df659adf93390e0543d04a55d1c23ef5faf8b1a49d36b6010a0ebdd2f77b35b5a8cf942236619a4304b5c0eaad098"
                "ca977a219f2c327f49b5ee4d2a29f48ec91623ce288930b8fe9092ff8ce4aee8e90f6ae9cbf8514d1636f8bda841b49a"
                "a3043605e49581c42f2e54a3b9f1dbe51e78996314df8e3cb43687721d1c660b37f118331dcf8b0acec110489741df45"
                "f2cd5c2aa2a989cd3635fb52ec156b855307e30e34092eff182886470ee9ce0df25c54ddcfe1ca1ae713a2063dc16274"
                "fb36dd957a3a3fcc80d2a0e908e0e43cd0d55e4241afc3ebf6f36248528f0dcfa780aa417f3dabdb7be6622c0c8c8df5"
                "973392c913c777454c393587e050afdf"
            ),
        },
    },
    Vector {
        name: "drbg_pr_hmac_sha1",
        source: "CAVP drbgvectors_pr_true, HMAC_DRBG.rsp, [SHA-1]",
        known: Known::Rng {
            entropy: &hex!("680face90d7bca21d4a0edb7799ee5d8b7be9eeddd0e3b4b"),
            seed: &hex!("f58c40ae70f7a55648a931a0a9313dd7"),
            fresh: [&hex!("7cafe231630aa95a742c4e5f5f22c6a4"), &hex!("1c0d7792898827948a589f822d1af7a6")],
            additional: [&hex!("dc3663f062789cd15cbb20c3c18cd9d7"), &hex!("fe85b0ab14c696e69c24e7b5a137120c")],
            out: &hex!(
                "68004b3a28f7f01cf9e9b5712079ef80871b08b9a91bcd2b9f094da48480b34cafd5596b0c0a48e148dabc6f77b8ffaf"
                "187028e104137a4feb1c72b0c44fe8b1afaba5bcfd8667f2f55b4606632e3cbc"
            ),
        },
    },
    Vector {
        name: "drbg_pr_hmac_sha256",
        source: "CAVP drbgvectors_pr_true, HMAC_DRBG.rsp, [SHA-256]",
        known: Known::Rng {
            entropy: &hex!(
                "4294671d493dc085b5184607d7de2ff2b6aceb734a1b026f6cfee7c5a90f03dad071544e599235d5eb38b64b551d2a6e"
            ),
            seed: &hex!("63bc769ae1d95a98bde870e4db7776297041d37c8a5c688d4e024b78d83f4d78"),
            fresh: [
                &hex!("db9b4790b62336fbb9a684b82947065393eeef8f57bd2477141ad17e776dac34"),
                &hex!("4a9abe80f6f522f29878bedf8245b27940a76471006fb4a4110beb4decb6c341"),
            ],
            additional: [
                &hex!("28848becd3f47696f124f4b14853a456156f69be583a7d4682cff8d44b39e1d3"),
                &hex!("8bfce0b7132661c3cd78175d83926f643e36f7608eec2c5dac3ddcbacc8c2182"),
            ],
            out: &hex!(
                "e580dc969194b2b18a97478aef9d1a72390aff14562747bf080d741527a6655ce7fc135325b457483a9f9c70f91165a8"
                "11cf4524b50d51199a0df3bd60d12abac27d0bf6618e6b114e05420352e23f3603dfe8a225dc19b3d1fff1dc245dc6b1"
                "df24c741744bec3f9437dbbf222df84881a457a589e7815ef132f686b760f012"
            ),
        },
    },
    Vector {
        name: "drbg_pr_hmac_sha384",
        source: "CAVP drbgvectors_pr_true, HMAC_DRBG.rsp, [SHA-384]",
        known: Known::Rng {
            entropy: &hex!(
                "8b285ce6b4da70c83fd72aab1b4be62101bf9b29e168726ea2f670aab0deaefc5da3404c494c6019ea33679e37cec308"
            ),
            seed: &hex!("723c0f287db4af285c195cebb1104a106f22e8b243fdcd0566228ab5f227a9e3"),
            fresh: [
                &hex!("dab13e0cb060f66c1c83fc6fba46477d1a3c802edd7594db0b297dedb9ccbc80"),
                &hex!("0c817f05658fb9b4c99938ae2140160c4a16d548634a353bc285cb38d0e93243"),
            ],
            additional: [
                &hex!("881a1874c800db068b5913d195058d0726458de3782ff530af1a761f9628547f"),
                &hex!("0c27cf271bd7931d187ec6f56038519674468fa2e7e6f994904c9f1afa346939"),
            ],
            out: &hex!(
                "51e042dd56a193908c9018c25f1c1a8b5e2734b055c3b7fde6a8ba9ec2b959349df29295abb0a24b4715f98d31de0a36"
                "9e6262c2b2cd49c5462b7ae284e921f5ad2ec013edc1611343c228683f4170f34a75854b1b656d226e294172d488c10a"
                "415f09dee70984b9c49e8d36863192301d1762145e0d9e94e99bd30ce8490438ed050f418cf4ba0b07fe90a82d1ccf38"
                "578d99edf0518c4a758a199db4d3533c4dbc55b1da19840b8f365a574aa01647819032dc0ad641388c2093ebd4ab5d99"
            ),
        },
    },
    Vector {
        name: "drbg_pr_hmac_sha512",
        source: "CAVP drbgvectors_pr_true, HMAC_DRBG.rsp, [SHA-512]",
        known: Known::Rng {
            entropy: &hex!(
                "3aca6b55561521007c9ece085e9a6635e346fa804335d6ad42ebd6814c017fa8aa7fd3c3dd5d03d9b8efc7f70574581f"
            ),
            seed: &hex!("4bc9a485ec840d377ae4504aa1df41e444c4231687f3d7851c26c275bc687463"),
            fresh: [
                &hex!("4cc19fae5a456f8a53a656d23a0b665d6ddf7f43020a5febbb552714e447565d"),
                &hex!("637386b3ab33f78fd9751c7b7e67e1e15f6e50ddc548a1eb5813f6d0d48381bf"),
            ],
            additional: [
                &hex!("b39c43539fdc24343085cbb65b8d36c54732476d781104c355c391a951313a30"),
                &hex!("b6850edd4622675ef5a507eab911e249d63fcf62f330cc8a16bb2ccc5858de5d"),
            ],
            out: &hex!(
                "546664042bef33064da28a5718f2c2e5f72d7725e3fbe87ad2ee90fbfe6c114ed36440fbbccf29698b4360bc4ad74650"
                "de13825838106adc53002bc389ee900691649b972f3187b84d05cecc8fd034497dd99c6c997d1914b4ef838d84abf23f"
                "ae7f3ac9efdcdc04c003ac642c5126b00f9f24bf1431a4f19ef0b5f3d230aab3fdf091ba31b7ddcacdf2566f2cfab30f"
                "55b3123e733829b697b7c8b248420ab98ba6f11b017175256368e8d8361102c9e6d57386becbeabda092dd57aec65bc2"
                "0ebee78eea7294571e168c454066d256b81bb8b7bb469207a18ebedbb4348fbe97a4d86d2bd095c41f6de59aa0800e13"
                "1e98181886a2633cdcc550914d83b327"
            ),
        },
    },
];
