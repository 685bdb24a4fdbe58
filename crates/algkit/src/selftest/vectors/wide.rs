//! Wide-block modes for sectors, and the hash that one of them uses.

use super::{Known, Vector};
use hex_literal::hex;

pub(super) static VECTORS: &[Vector] = &[
    Vector {
        name: "adiantum(xchacha12,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 1",
        known: Known::Skcipher {
            key: &hex!("9eebb2493c1cf5f46a99c2c4dfb1f4dd752057ea2c4fcdb2a53d7b491eabfd0f"),
            iv: &hex!("df63d4abd249f3d8338137607dfa7308d8496d80e82f6254eb0ea9395b457f8a"),
            plain: &hex!("67c9f23084418e43fbf3b33e79367fe8"),
            cipher: &hex!("6d32861867860f3f967c9d280d53ec9f"),
        },
    },
    Vector {
        name: "adiantum(xchacha12,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 2",
        known: Known::Skcipher {
            key: &hex!("362b5797f85dcd995f1a5a441d920f27cc16d72b856399d3ba96a1dbd26068da"),
            iv: &hex!("ef5869b12c5e9a4724c1b169e112938f433d6d00db5ed8d9129afed9ff2daac4"),
            plain: &hex!("5ea8681985981223260accdb0a04b9df4db3487bb0e3c819435a4606942df2"),
            cipher: &hex!("c7c6f1738fc4ff4a39be78be8d28c8894663e70c7d87e84ec9187bbe186050"),
        },
    },
    Vector {
        name: "adiantum(xchacha12,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 3",
        known: Known::Skcipher {
            key: &hex!("a52824341a3cd8f705918fee851f357f803dfc9b94f6fc9e190900a904314f11"),
            iv: &hex!("a1ba4995ff346db8cd875d5efdea85db8a7b5eb25d57dd62aca98c41429475b7"),
            plain: &hex!(
                "69b4e88c37e86782f1ec5d04e5149113dff2871b69811d71709e9c3bde497011a0a3db0d544f6669"
                "d7db80a7709268ce81042cc6abaee56015e96fefaa8fa7a7638ff2f077f1a8eae1b71f9eab9e4b3f"
                "07875b6fcda8afb9fa700b52b8a8a79e075fa60eb39b791379c33e8d1c2c68c8511d3c7b7d79772a"
                "5665c5542328b003"
            ),
            cipher: &hex!(
                "9e16abed4ba7425ac6fb4e76ffbe03a00fe3adbae4982b0e2148a0b865482748845454b29a947be6"
                "4b29e9cf0591801a3af34196851d9f74515663fa7c288549f72ff9f21846f53380a33cceb25793f5"
                "aebda9f57b30c49366e0307716e4a031ba70bc6813f5b09ac1fc7efe55805c4874a6aaa3acdcc2f5"
                "8dde34867860758d"
            ),
        },
    },
    Vector {
        name: "adiantum(xchacha12,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 4",
        known: Known::Skcipher {
            key: &hex!("d381721823ff6f4a2574290d518a0e13c1535d308dee750d14d669c915a90c60"),
            iv: &hex!("659bd4a87d291df4c4d69b6a28ab64e2628197c581aaf944c1725982af16c82c"),
            plain: &hex!(
                "c76b526a10f0cc09c1121d6d21a678f505a3696091369857ba0c14ccf32d7303c6b25fc81627375d"
                "d00b87b250947b5804f4e07f6e578ec94184c1b17e4b91123a8b5d50827bcbd99ad94e1806239ed4"
                "a52098efb5dae5c08a6a837715841eae78949ddfb7d1ea67aab01415fa672184d3412aceba4b4ae8"
                "9562a955f080adbdabafdd4fa57c1336ed5e4f72ad4bf1d0884eec2c88105eea12c0160129a3a055"
                "aa68f3e99d3b0d3b6decf8a02df0908d1ce288d42471f9b3c19fc5d67670c52e9cacdb90bd8372ba"
                "6eb5a55383a9a5bf7d060e3c2ad204b51e19380916d2821f751856b8960ba6f9cf62d9325da9d71d"
                "ece4df1bbef136eee37bb52feef8533d6ab770a9fc9c5725f28910d3b8a88c30ae234f0e13664fe1"
                "b6c0e4f8ef93bd6e15856be360811d68d731878909abd5961df36d6780ca07315da7e4fb3ef29b33"
                "5218c830fe2dca1e79927a605cb65887a436a267928ba4b7f186dfdcc07e8f63d2a2dc78eb4fd896"
                "47cab891f9f794215f9a9f5bb840414b66696a72d0cb70b793b5379605374fe58ca75a4e8bb784ea"
                "c7fc196e1f5aa1ac187d523bb3346299e49e31043fc08d84177c25485267112767bb5a85ca56b25c"
                "e6ecd5963d15fcfb2225f413e5934b9a77f15218fa165e490345a808fab34192795033cad0d74255"
                "c39a0c4ed9a43c86809f53d1a42ed1bcf1546e93a465998edf29c0646307bbea"
            ),
            cipher: &hex!(
                "1597d08618039c51c51136621392e6732979dea1003e0864171abcd5fe330e0c7c94a7c63cbeaca2"
                "89e6bcdf0c33274246732fba4ea6468fe4ee39634265a3887aad3323a9a7207f0be66ac360da9eb4"
                "d6078a7726d1ab449955035eed8d7bbdc821b721303fc0b5c8ec6c23a6a36df1300ad0a6a92869ae"
                "2ae654ac829d6a956f0644c55a776eecf8f863b2e6aabd8e0e8a620003c884dd474ac355bab7e7df"
                "08bf62f5e8bcb611e4cbd0667432cfd4f8518039140512db8793e226309c3a21e5d038578015e408"
                "5805497de6927770fb1e2d6a8400c868f71addf07b381ed82c787861cfe3de691fd503d51ab4cf03"
                "c87a706835b4f6be9062b2289986f54499eb31cfcadfd021d660f70f40b480b7abe19b45ba66daee"
                "dd04124098e169e52b9c5980e77bcc63a6c03aa9fe8af9621134619435fef299fdee19ea95b612bf"
                "1bdf021acc3e7e6578741050296328ea6babd4064d152431c70ac916b648f0bf49db6871318f87e2"
                "130564d6220cf83684243e695eb89e16736c831ee09f9ebae55921331ba926c2c7d93073b6a67382"
                "19fa444d408b69049474ea6eb30947012ab978344311edd68c95651b8567a540ac9c054b574aa996"
                "0fdd4fa1e0cf6ec71beda2b4568c096ea665d75581b7ed119b4075a86b56af168b3df4cbfed51d3d"
                "85c2c0de43394a96ba8897c0d6000e2721b02152baa737aaccbf95a8f4d091f6"
            ),
        },
    },
    Vector {
        name: "adiantum(xchacha12,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 5",
        known: Known::Skcipher {
            key: &hex!("ebe5113a72eb10be70cfe3eac274a448290f8f3fcf4c282a4e1e3cc3279f1613"),
            iv: &hex!("843ea27c0672b2ad887665b41a29271245b68d0e4b8704fcb5cd1c4de806f1cb"),
            plain: &hex!(
                "8eb6079b7ce4a4a2416c241dc0774ed94aa42cb6e455027fc4ecabc25c634092382462db6582107f"
                "21a5393a3f387ead6c7bc93f898fa808bd31573c7a456730a9275834bee3a4c3ffc29f43f004ba1e"
                "b6f3c4ce097a2e427dad97c9779a3a786caf7c2a46b441861a20f25b1a60c9c4475d10a4d2156a19"
                "4fd55137d506701a3e78f02eaab52abd83097ccb29acd79cbf80fd9dd4cf64caf8c9f1772ebb3926"
                "acd9bece247fbba282baeb5f65c5f1568a52024d45236debb0607bd86eb298d2af76f2339bf3bb95"
                "c050aac747f6b3f37716cb1495bf1d32450c75522ce8d731c087b0973030c55e50706eb04b4e3819"
                "46ca386aca7dfe05c8807c146c24b54228044cff9820081090310378d8a1e6f952c2fc3ea768ceeb"
                "595debd8644ef88b2462cf173684c072604f3e47da723b0ece0ba99c51dca5b97173084e2231fd88"
                "29fc8d173a7ae5b90b9c6ddbcedbde81735a169d3c7288511016f3116e325f4c87ce882cd2aff5b7"
                "d822edc9ae687fc53062bec9e027a1b557743660b86b8cec14aded69c9d8a55b38075bf33e744890"
                "611723dd44bc9d120a3a63b2ab86b86785d6b25dde4ac1732a7c538ed67d0ee43babc53d327918b7"
                "d6504df08a37bbd38dd808d77daa2452f790e3aad6497a47ec37ad748bc1b7fe4f701462228c63c2"
                "1c4e38c363b7bf53bd1faca694c581fae0eb81e9d91d323c8512ca6165d166d8e20ec3a3ff0dd3ee"
                "dfcc3e01f59b455c33b5b08d361adff8a381bedb3d4bf6c6df7fb089bd393250bbb2e35cbb4b1898"
                "086651e74dfbfc4e22426f61db7f2788293f02a9c68330cc8bd5647b7c7616beb68b26b88316f26b"
                "d1dc206b425aef7aa960b81ad30d4ecb756bc58043387fad9c56d9c4f10174f016538d69bef25d92"
                "3438c884f91afc2616cbae7d382167744c40aa6b97e0b02ff53ef6e224c822a4a888278644755b29"
                "34084ba1fe0c26e5ac26f6210cfbde14fed7beee4893d699569ccf22ada25341fd58a168dcc4ef20"
                "a1eecf2b43b657d8fe018025dfd235440d1515c3fc49bfd0bf2f958109a6b6d72103fe52b7a8324d"
                "751e4644bc2b61041b1ceb39868fe949ce78a55e67c5e9ef43f8f135224361c127b509b2b8e15e26"
                "ccf36fb2b755309887fce7a8c89486a1d9a03c7416b32598bac6844a27a658fee1680430c8db4452"
                "4eb2a46ff763f2d663361704f806dbeb9917a51b6190a39f05ae3ee4dbc81c8e772788dfd3225ac5"
                "9cd622f8c4d8929d16cc54253b6fdbc078d8e3b30369d75df8080463619d76f9ad1dc4309f75896b"
                "fb62baaecb1b6ce57eea586baece9b484b80d45e7153a72473caf53ebb5ed31c33e3ec5ba0329d25"
                "0e0c28293951c570ec608f77fc067a3319d57a6e94eaa3eb13a42e09d881658303638bb5c9899873"
                "69538eabf1d22f67bda6166ed08bc12593d2507c1fe111d0580d2f72e75edba2559ae00921ac6185"
                "4b2095736326e3834b5b400314b04416bde00eb76656d730b3fd8ad3da6aa73d980911b70006245a"
                "f74294a60eb16d4874b1a7e6920a159af5fa551a6cdd7108d0f78d0e7c674dc6e6de7888883c5e23"
                "46d225a4fba3263f2bfd9c20da72e1818fe6ae081d6715de86691dc61e6db75cdd43725a7da7d8d7"
                "1e66c590f6517691b3e339817508fac50670691b2c2074e053b00c9ddaa95bdd1c386c9e3bc47a82"
                "939ebb75fb194a55657a3cdacb665c131797e8bdae24d976fb8c73debdb41be0b92ce8e01d3fa82c"
                "1e815b77e7df6d067c9af02b5dfc86d5b1adbca873486167d6bac8e8e2b8ee4036223e61f6c816e4"
                "0e88ad715358e16c8f4f894b3e9c7fe9adc228c23a29f3eca92839bac286e106f38be3950c87b81b"
                "72358e8f6d18c81ca55d579d738abb9e210512d7e0211c163a9585bcb0710b366c448def3bec3f8e"
                "24a9e3a76323ca096296790c810541f2072026e58e105403057bfe0ccc8c50e5ca334d487a03d564"
                "4909f25c5dfe2b30bf2914298b9b7c964707864d4e4df147d1102aa8d3158cf22ff43adfd0a7cb5a"
                "ad99394adf60bef9914ef594efc55632338678a3d64c297ce8ac06b5f5015c9f02c8e8bf5c1a7f4d"
                "28a5b9daa95ee74bf43de91d28aa1a8a76c86c19613c9e29cdbeffe01cb867b5a446f8b98aa2f67c"
                "ef23730ce9720a0d9b40d8fb0c9caba8"
            ),
            cipher: &hex!(
                "cb78879cc713c130dd2c7db297ab066947878a122b5d86d72ee67a0d585de701780effc7c5d294d6"
                "dd6b381fa4e33de7c58ab5be65112be12b8e84e8e0007fdd1515abbd2294f7ce996ffd0e9b16ebeb"
                "24c7bbc6e16c57ba84ab16f257d6429d56925b4418d4a21b1ea9dc7a1688c44f6d779a2e82a9c3ee"
                "a4ca051b0edc4896d050211f46c7c77053cd1e4e5f2d4bb286e53ae61dec7b9d8fd641c6bb004fe6"
                "02470773506bcfb29e1c01c909ccc35227e663e05b55604d72d0da4beccb725d374af5b8d9e20810"
                "f3b9dc07c00210149fe68fc4c4e1397b47eaae7cdd27a84c6b0f4cf8ff164ecbec88330d15108266"
                "a73d2cb6bc2ee4ce4c2f4b460f6778a5ff6a7d0d5e6dabfb5999d81f30d433e87d11aee3bad03fa7"
                "a55e43daf30f3a5fbab047b20860f4ed35230ce94f81c4c5a835dc99523319d400018d5a10823978"
                "fc7224634a38c56ffeec2f260c3c1cf64d997a7759fe10a5a135bf2f15fa4e52e6d51c889075d5cc"
                "db2ab1f0705489c7eb1d6e6145a35048cddb32ba7f6bafef50cb0d36f7293a100273ca8f3f5d8217"
                "919ad81515e3e14143ef85a6b0c73b0ff0a5aa6677705e70ce17846845392c25c6c15f7ee8fae43a"
                "47517b9d548498045ff75f3c34e7a31deab76d05ab28e42cb17f08a85d07bffe3972448751c573e4"
                "9a5fdd46bc4eb139e478b8bfdc5b889bc13fd9d0b35adfaa536a916d2a09f00b5ee8b2a0b473071d"
                "c83384e6dae6add6ad91014e1442342ce5f99921561f6c2b4ce3d59e04dc9a16d154e9c2f7c0d506"
                "2fa1382a558823f8b0db8732c94eb00cc5057858a12e757568dceadd0c33165ee7dcfd4274beae60"
                "3c374b27f52c5f554a0b64fda201659c279f5e87d5958866098442ab00e258c39745f193e234373d"
                "fe938c17b9796506f758e51b3b4eda3617e356ec260f2efad1b92b3e7f1de34b67df435310baa3fb"
                "5d5ad8c4ab197e12aa83f1c0a1e0bf725fe86839ef1abeee6f477919edf2a14ae5fcb558ae6382cb"
                "160b94bb3e0249c43c33f1ec1b11719b5b80f16f881c0536a8d8ee44b518c31462ba98b9c02a7093"
                "b3d81169951d437b39c19105c4e31ec21e5de7debefdae994b8f831ef49bb02b666e62248de01b22"
                "59ebbd2a6b2e37179e1f66cb66b4fb2c36225d7356c1b027e0f01be4478bc6dc7c0c3d29cb3310fe"
                "c3c31eff4c9b2786e2b0afb789ce6169e7003e92ea5f9ec1fa6b20e2412382eb07764c4c2a9633be"
                "89a9a8b99a7d271848237046f387a79158b874baedc6b2a14db6439ae1a241a535d3908ac74db788"
                "0be3749f84fcd973f2860cadeb5d70ac6507148e57f6dcb4c2027cd689e28a3e8e083c1237afe1a8"
                "04115cae5a2b60a0033c7aa23892bece09a25e0fc2b2b506c297979b092f04fe2ce7a3c442e9a340"
                "a552072c3b891aa528b19305980c2f3dc6f583ac241d289f32664d70b7e0abb875c5f3d27b263eec"
                "64e6f770e7f8108e67d2b3876940069a2f6a1afd620cee312ebe589777d109081f8d422934d5d8b5"
                "1fd72118e3e72e4a42fcdb19e9eeb922ad5c07e9c807e5e995a20d3046e2655101a57485e2526e07"
                "c9f53309de7862a9302ad386e5462e60ff74b05fec76b7d15e4d61973c9c99c341652147f9b106ec"
                "18f83fc738fa7b1462796a0b0cf52cb7abcf63496d1f46a8bc7d4253756bca38ac8be7a1a192196b"
                "0d75805b7d358670126be53ee585a0a4d6775e4d245784a9e5a4bf25fb36653b813961ec5e4a7e10"
                "5819135c0f79eccfbb5f6921c3a75aff3bc7859b47bc3eadbf5460b65b3ffc5068837624b0c33f93"
                "0dce360a589dcce952bbd00b65e50f628216aad2ba5a4cd067b54e841c026ea3aa225496c8d99c58"
                "1563f4981aa1d911642556b5038e29857588d1d2e4e62748139c2baafbd36e2ce6d4e48bd9f70116"
                "46f95c887a939e2da6eb012a72e47fb4780c5018d38e65a71bf9285d8970962fa1c29b34fc7c2763"
                "93e6e3a49d17977e13799c4b2c23912c4fb11d4bb4616ee83235c3417a5060c83ed83f38fcc2a2e0"
                "3a21258fc222ed0431b87269af6c6dab2516958792c7463f47056cada0a61df0662e011ac3bee4f6"
                "51eca39581e1ccabc171650ae653fbb85369ad8bab8ba7cd8f150125b11f9c3b9b47ad3838896b1c"
                "8a33dd8a0623060b7f70be7ea180bc7a"
            ),
        },
    },
    Vector {
        name: "adiantum(xchacha20,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 1",
        known: Known::Skcipher {
            key: &hex!("9eebb2493c1cf5f46a99c2c4dfb1f4dd752057ea2c4fcdb2a53d7b491eabfd0f"),
            iv: &hex!("df63d4abd249f3d8338137607dfa7308d8496d80e82f6254eb0ea9395b457f8a"),
            plain: &hex!("67c9f23084418e43fbf3b33e79367fe8"),
            cipher: &hex!("f67897d6aa9401272e4d83e06e649adf"),
        },
    },
    Vector {
        name: "adiantum(xchacha20,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 2",
        known: Known::Skcipher {
            key: &hex!("362b5797f85dcd995f1a5a441d920f27cc16d72b856399d3ba96a1dbd26068da"),
            iv: &hex!("ef5869b12c5e9a4724c1b169e112938f433d6d00db5ed8d9129afed9ff2daac4"),
            plain: &hex!("5ea8681985981223260accdb0a04b9df4db3487bb0e3c819435a4606942df2"),
            cipher: &hex!("4bb89010df7f64080e14425f007409365772b5fdb55db8280c04911491e937"),
        },
    },
    Vector {
        name: "adiantum(xchacha20,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 3",
        known: Known::Skcipher {
            key: &hex!("a52824341a3cd8f705918fee851f357f803dfc9b94f6fc9e190900a904314f11"),
            iv: &hex!("a1ba4995ff346db8cd875d5efdea85db8a7b5eb25d57dd62aca98c41429475b7"),
            plain: &hex!(
                "69b4e88c37e86782f1ec5d04e5149113dff2871b69811d71709e9c3bde497011a0a3db0d544f6669"
                "d7db80a7709268ce81042cc6abaee56015e96fefaa8fa7a7638ff2f077f1a8eae1b71f9eab9e4b3f"
                "07875b6fcda8afb9fa700b52b8a8a79e075fa60eb39b791379c33e8d1c2c68c8511d3c7b7d79772a"
                "5665c5542328b003"
            ),
            cipher: &hex!(
                "b18ba00577a84d591b8e21fc3a49fad4eb36f3c4dfdcae67073f700ee966f50c304d66c9a42f739c"
                "13c84944cc0a909d7cdd193fea728d58abe7092cecb544d2caa62d7a5c9c2b15ec2aa66991f9f313"
                "f772c1c140d5e194f429a13e2502a83e94c19114a114cbbe674cb938fea7aa3229620db2f63c5857"
                "c1d55abbd6a62ae5"
            ),
        },
    },
    Vector {
        name: "adiantum(xchacha20,aes)",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 4",
        known: Known::Skcipher {
            key: &hex!("d381721823ff6f4a2574290d518a0e13c1535d308dee750d14d669c915a90c60"),
            iv: &hex!("659bd4a87d291df4c4d69b6a28ab64e2628197c581aaf944c1725982af16c82c"),
            plain: &hex!(
                "c76b526a10f0cc09c1121d6d21a678f505a3696091369857ba0c14ccf32d7303c6b25fc81627375d"
                "d00b87b250947b5804f4e07f6e578ec94184c1b17e4b91123a8b5d50827bcbd99ad94e1806239ed4"
                "a52098efb5dae5c08a6a837715841eae78949ddfb7d1ea67aab01415fa672184d3412aceba4b4ae8"
                "9562a955f080adbdabafdd4fa57c1336ed5e4f72ad4bf1d0884eec2c88105eea12c0160129a3a055"
                "aa68f3e99d3b0d3b6decf8a02df0908d1ce288d42471f9b3c19fc5d67670c52e9cacdb90bd8372ba"
                "6eb5a55383a9a5bf7d060e3c2ad204b51e19380916d2821f751856b8960ba6f9cf62d9325da9d71d"
                "ece4df1bbef136eee37bb52feef8533d6ab770a9fc9c5725f28910d3b8a88c30ae234f0e13664fe1"
                "b6c0e4f8ef93bd6e15856be360811d68d731878909abd5961df36d6780ca07315da7e4fb3ef29b33"
                "5218c830fe2dca1e79927a605cb65887a436a267928ba4b7f186dfdcc07e8f63d2a2dc78eb4fd896"
                "47cab891f9f794215f9a9f5bb840414b66696a72d0cb70b793b5379605374fe58ca75a4e8bb784ea"
                "c7fc196e1f5aa1ac187d523bb3346299e49e31043fc08d84177c25485267112767bb5a85ca56b25c"
                "e6ecd5963d15fcfb2225f413e5934b9a77f15218fa165e490345a808fab34192795033cad0d74255"
                "c39a0c4ed9a43c86809f53d1a42ed1bcf1546e93a465998edf29c0646307bbea"
            ),
            cipher: &hex!(
                "e033f6e0b4a5dd2bddcefc121efc2df28bc7ebc1c42ae8440f3d97192e6da2389da6aae196b908e8"
                "0b70485cedb59bcb8b40887e6973f71671bb5bfca3475da6ae3a64c4e7b8a8e7b13219dbe301b8f0"
                "a486b44cc2de5cd26c77d2e818b70ac93d53b5c45cf08c06dc90e074471b0bf6d2716bc4f197002d"
                "6357441f8cf4e69be07addec327342327f3567600dcf10526122538d8ebb337659d910cedfefc041"
                "d533296ada46a451f0993d9631ddb5cb3e2a1fc75c79d3c520a1b1391bc60a7026399507ad7ac969"
                "fe81c7880838afad9e8dfbe8240d22b80eedbe37537ca6c67862eca359d9c69db80e6977842d6a4c"
                "c5d9b2a02ba880cce91e9c5ac4a1b237069b303267f7e7d242c7df4ed4cba01294a1348593504b0a"
                "3c7d492501416b96a912bb0bc0d7d0931f7038b821eef6a7eeebe781a413b487fac1b0b5378b74a2"
                "4ec7c2ad3d623ff83442e5ae451363fefc2a174661a9d31c4caff0096226661e74cfd6683d7dd8b7"
                "e7e6f8f00820f7471c52aa0f3e21a3f2bf2f9516a8c8c88c990f5dfbfa2b588a7ed6740260f0d05b"
                "65a8acea8d684634269d4fb19a8ec01af1edc67a83fd8a57f2e6e4bafcc63cad5b19502f3acc0646"
                "04513f9197f0d207e793897eb5320f03e5589e7472ebc238000c917269ed7d6dc871f0ecff80d91c"
                "9ed2fa15fc6c4ebcb1a6bdbd7040ca20b878d2a3c6f3799cc727e16a29ada403"
            ),
        },
    },
    Vector {
        name: "nhpoly1305",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 2",
        known: Known::Hash {
            key: &hex!(
                "292143cbcb1307debf48df8a7fa284de72239df5f007f24c203a93b9cd5dfecb992c2b58c6505f94"
                "56c37c0d023fb85e7bc06c513476c00ec622c89e92a021c9855c7cf8e26447c9e4a25793f8a269cd"
                "629899f4d77b14b1d805ff0415c9e16e9be6506b0b3f221f08de0c5b087ec62f6cedd6b215a4b3f9"
                "a746382aea69a5de02c396894d553bed3d3a8577bf97455c9e0269e21b68be96fb646f0ff6064067"
                "fa04e355fabea460ef216697e69d5c1f6237aa31dee49c2895e02286f44df307fd5f3a542c518071"
                "ba78695b65ab1f81ed3bff34a3fbbc73667d137fdf6ee2e2eb4f6cda7d3357d0d37c954f335821c7"
                "c0e56f4226c61f5e851b989aa21e557723df815e795505fcfbdaeeba5abaf7777f0ed3e137fe8d2b"
                "d53ffbd0c03c0b3fcf3c14cffb46724c1f39e2da03716d23ef93cd39d937804d6561d12c03a94772"
                "4d1e0e16330f2117ec92ea6f3722a4d803339ed803699ae8b257af78990512ab489080f0129b2064"
                "7a1d475fba3cf9c30a0d8da1f91b82133e0dec0a83c065e1e995ff97d6f2e4d586c01f292763d7de"
                "b70a0799042da389a243cff3e143ac4a0697d0054f87faf99bbf5270bdbc6cf3031360412809eccc"
                "b11aecd6fb6f2a895d0b539c59c1842133514719319cd40a4d04ec509061bdbc7ec8d96c981d4541"
                "175e971cc5a8e8ea465853f717d5ad11c854f57a3390f519ba36b4fc52a5723d14bb55a7e9e312f7"
                "1c30a28203bf53912e60419f5b6939f64dc8f8467a7fa49836ff06cbcae733f2c04af43c14445f6b"
                "75ef0236750814fd108ea558d0304649af3af8403d35db84112e976ab7877fadf1faa56360d85ebf"
                "417849cf77bb56bb7d01670522c88f41ba81d2ca2c38ac7606c11ac2ceac9067573e20125bd99758"
                "6505b704617ed83abf553b13e9345a3736cb9445c532b3a00c3e49c5d3eda7f01c69cceacc83c916"
                "95724bf489d5b910f62d6015ea3c06669f82ad17ced2a4487c65d9f8024d9b4c89063a3485488986"
                "f924a95472db4495c7441c19114c04dc13b967c8c33a6a50fad1fbe188b6f1a3c53bdc3845162602"
                "3bb88f8b587d2304506b819fae66ac6fcf2a9df1fd1d5707be58eb770ce3c21914741b511c4f41f3"
                "3289b3e7de62f65fc76a4a2a5b0f5f879c08b90288c829b79452fa52feaa5010ba48755e111be639"
                "d7822c87f11ea438723e51e7d83e5b7b311689bad6ad185ebaf812b3f46c4730c03858b3108d585d"
                "b4fb197e41c366b8d67284e11ac2714c0d4a217aaba2c03615c5e946d72917765e47367f7205a7cc"
                "3663f9477de6073c8b791d96618d90657cf5eb4e6e09596d62501b0fe0dc78f25b831aa11175fd18"
                "d7e28d651421cebeb587e30ada240a64a99f038d465d241a8a0c4201cab15f7ca5ac324ab8079118"
                "6fb0713cc9b1a8f85f69a5a1ca9e7aaaace9c747417525c373e20bdd6d5271bec5dcb4e701265377"
                "869085686b7b0353da52525168c8f3ec6cd5037aa30eb4025f1aabeeca67297bbd9659b38b327a92"
                "9fd8252bdfc04cda"
            ),
            message: &hex!("bcda81a878791cbf7753ba4c305bb833"),
            digest: &hex!("04bf7f6ace72ea6a79dbb0c960f612cc"),
        },
    },
    Vector {
        name: "nhpoly1305",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 3",
        known: Known::Hash {
            key: &hex!(
                "2e771e2c6376343f71084f5ae33d7456c7984652e58aba0d724111151472508ad5ec6009dd71ccb9"
                "5981652d9e5018f332f3f1e701821cad88a0210c4b805e62fc81ec52aae4a586c2e60311dc660986"
                "3c3bf0590fb3f74424b788c5fcc8779f8c44c41155ce7aa3e0a2b8bfb53d072c32b66cfcb4429595"
                "983281c4e7e2d96a87f4f41e747cb5cd5145683851db307411e0aaae198f1555dd474a35b90cb44e"
                "a9ce2ffa8fc18a5e5beca5813bb343062481f424e221facb49a8f8bd314a5b2d640a07f080c90d81"
                "1458542bba2231baef66c9496969830df2f9809d3036fbe3c0722bcc5a812c5d3b5ef82bd3142873"
                "f91c70e6d8bbac30f9d9a0e2337c3334a56a776dd5aff4f3c7b30e833dcb01cc81c0f94aae3692f7"
                "697b6501c3c8b8ae16d830bbba6d786e0df07d84b787da287a18100b29ec29f3b07ba128bfbc2b2c"
                "922c16fb0239f9a6a21505a67210bc624a6eb8b55d59ae3c32d368d78e5acd1beff6a75e1051154b"
                "2ce3ba704f2ca01c7b97d7b2a50517ccf73a296fd54bb824f4659512c086d16481df46550d220677"
                "d8ca8dc887c3fab9e19894e67bed65660ec72515ee4ae67eea1b58ee96a0759aa3009e42c226208c"
                "3d221f943e744372e91da6a16ca7b803dfb97aafe9e93bfedf91c101a8ba5d29a5e0989b13e51311"
                "7c043ae8447e78fcd696a8bc7dc1893d7564a90e8633fb73f715bc2c9a3f29ce1c9d104e85e17741"
                "01e2bc88ec81efc26aed4ff7dfac107194ed71a401d4d6befe3ec3926af22bb5ab1596b7882cc2e1"
                "b00422e73da9c97d2c7c21ff97866b0c2b5be0b648748f24ef8edd0f2a5fff33f48ec5eb9cd72a45"
                "f350f1c0918fc7f997c13c9cf4ed8a23615b401a09ee23a87c7a96e131553d12041f217872f00fa5"
                "80587c2f37b567242fcef9f6869fb3340cfe0aaf27e65e0a214468e15d8425ae2c5a94669a3f0e5a"
                "d0602ad53a4e2f4087e9273eee92e107224352ed674913dd68d754c276727e75af24985ce822aa35"
                "0f9a1c4c0b43689945ddbf82a56f0aef449085e7572322412eda2428657f96859f4b0d43b9a8bd84"
                "ad0b09cc2c4a0cec7158baf1fc494cca5c5db2770c99ae1cce70055b736b7c283beb213fa371e16a"
                "f487d0bf73aa0b0bed70b3d4a3ca763adbfad80895ecac59d07990c2337bcc2865b65f92c4ac2340"
                "d120441fd729ab467932c68f79e5aa2ca676703a9e463f8c1a893228615ccf931ede9e98be063023"
                "c48bda1cd16746939d41a28c0322bd557e915113dccf5c1ecb5dfb14161a44562777fded7dbdd149"
                "7f0dc359486b3c026bb5d083d58129e7e0c936238d413377ff5f54de4d3fd24eb64ddd85f89b207d"
                "39276863d38e6139fae1c30474275a347fec592dc56e5423f57b4bbe582bf2819363cc13d990bb6a"
                "41038d95ebbb5d06384c0ed6a95b84973e6472e996070f736ec63b32beac1314d00a175fb99c3e34"
                "d9ecd68f89bf1ed3da80b229ff2896b346505b158097ee1f6cd8e8e0bd09e7208c238ed9bb92fa82"
                "aa0fb5f8786011f0"
            ),
            message: &hex!("0bb2312dadfecef9ec5d3d645f3f7543055b97"),
            digest: &hex!("5f02ae656c132167779ec4435868de8f"),
        },
    },
    Vector {
        name: "nhpoly1305",
        source: "github.com/google/adiantum, in Linux crypto/testmgr.h as number 5",
        known: Known::Hash {
            key: &hex!(
                "1b822e1b1723b96ddc9cda9907e35fd8d2f843808d867d801ad0cc13b911053f7ecf7e800ed82548"
                "8baa638392d072f54f677e501825a4d1e07e1ebad8a76edb1acc0dfe9f6d2235e1e6e0a87b9cb166"
                "a3f8ff4d908428bcdc19c79149fcf633c96e657f286f682edf1a75e9c20c96b93122c407c60a2ffd"
                "36065f5cc5b13af45e48a4452b88a7eea98b52cc99d92fb8a4580a13eb715afae55ebef264ad75bc"
                "0b5b34133b23139a69301e9ab803b88b3e46186d38d9b3d8bff1d028e65157805e99fbd0ce1e83f7"
                "e9075a63a9efcea5fb3f3717fc0b370ebb4b2162b7830ea99eb0c4ad47be35e751b2f2ac2b657b48"
                "e33f5fb609040c58ce99a9152f4ec1f22448c0d86cd37617835de6e3fd018ef742a5042930dff900"
                "4adc71221a3315b6d772fb9ab8eb2b38eaa861a890119d732e6cce81545a9fcdcfd5bd265d66dbfb"
                "dc1e7c10fe588210162401ce675551d1dd6b44a3208ea9a606a829776e00385bde4d58d81f34dff9"
                "2cac3eadfb920d7239a4ac4410c043c4a4773bfcc40d37d30584da5371f880d33444db09b42b8ee3"
                "0075509e4322000b7c70abd441f193cd252d8474b5f292cd0a28ea9a490296cb859e2f3303861ddc"
                "1d31d5fc9daac5e99ac457f535edf44b3d34c229138636425dbf90861377e5c362b4fe0b70393565"
                "02eaf6ce570cbb7429e3fd6090fd1038d54e86bd3770f097a6ab3b836452ca662ff9a4ca3a556bb0"
                "e83a34db9e48502f3beffd082d5fc1375dbe73e4d8e9acca8aaa487c5cf4a6965ffa70a6b78b50cb"
                "a6f5a9bd7b754c220b19402ec93939328303a8a498e68e16b9de08c5fcbfad39a8c7936c6f23afc1"
                "abe1dfbb39ae93290e7d808d3e65f3fd96066590a128644b69f9a8842750fc87f7bf558e5613587b"
                "85b46a720f40f14f83811f76de15647a7a80e4c75e630191d76bea0b9ba2993b6c88d8fd593c8d22"
                "8656beaba137080150856929ee9fdf213e2020f5b0bb6bd09c4138ec546f2dbd0fe1bdf12b6e6056"
                "29e57a701ce2fc97826867d93d1ffbd8079fbf9674ba6a0e104820d8131eb544f2ccb18bfbbbecd7"
                "37701f7c55d24bb9fd705ea39173635213475a06fb0167a5c0d0491956669a7764af8c259152870e"
                "18f35f97fd7113f805a539cc65d3cc635bdb5f7e5f6eadc4f4a0c5c22b4d97384fbcfa3317b447b9"
                "4324158dd2ed806884db0480ca5e6a352c2ce7c5035f54b05e4f1d40543d789aacda80274d154c1a"
                "6e80c9c43b840ed92e93018cc3c8914bb3aa0704685b93a5e7c49de707eef53b4089cc60349db406"
                "1bef92e6c12a7d0f81aa56e3d7eda7d4a73a49c4ad815c83558e9154b77d65a50616d59a16c1b0a2"
                "06d89847737e73a0b823b152bf68745d0bcbfa8c46e324e6abd4698d8cf28a59be4846508c9ae8e3"
                "31550a06ed4ff8b74fe3851730bdd520e75bb232cf6b1644d2f57ed7d12fee643e9d10ef27354364"
                "67fb7a7be062319a4ddfa5abc020bb01e97b54f1deb279506c4b91db7fbb50c15544389ae09fe829"
                "6f15f84ea6eca060"
            ),
            message: &hex!(
                "15689e2fad1552dff04262242a2deabfc7f3b41af5edb20815601c0077bf0b0eb72ccf323ac70177"
                "efa675d029c76820b29225bf1234e9a4fd327b3f7cbda5023841dec9c109d9fc6e78228318f7508d"
                "8f9c2d02a530acffea632e803783b058da2fef2155ba7bb1b6edf5d24daa8ca9dddb0fb4cec19ab1"
                "c1dcbdab86c2df0be12cf9bef6d8da6272dd980952c0c4b67b175cf5d84b88d66bbf844a3ff54dd2"
                "94e29cffc73cd9c83738bc8cf3e7b7d01d78c43907c85e79b65a905b6e97c9d4829cf3837ae797fc"
                "1dbbefdbcee082adca076c54626f81e67a5a966e803aa2376fc6a429c39e19949fb03e38fb3c2b7d"
                "aab874da542351124b96368f914f193783c9ddc71a322dabc789e207476ce8a6706b8e0cda5c6a59"
                "27330ee1e120e8c8aedcd0e36da8a60641b4d4d4cf913e06b09af7f1aaa623921086f094d17c2e07"
                "30fbc5d8f312a9e8221c971aad96b0a1726a6bb4fdf7e8fae274d8658d35174b00235c8c70ad71a2"
                "cac56c59bfb4c06d86983e195a9092b166576a91687cbcf3f1db94f848f136d878ac1ca9ccd627ba"
                "915422f5e6053fccc28f2c3b2bc32b2b3bb8b629b72f94b67bfc943ed07a41597b1f9a09a6ed4a82"
                "9d341cbd4e1c3a6680740e9a4f55544716ba2a0a033599a35c638da2728b1715683973ebecf2e8f5"
                "953227d6c4feb051d50c50c5cd6d16b3a31e9569ad789506b946f26d245a9976736a91a6ac12e128"
                "79bc084e97009863071c4ed168f3b381a8a65ff101c9c1af3a96f99db55a5f8f7ec17e770a40c88e"
                "fc0eede10db0e55e5e6ff57fab337dcdf0094bb21137dc65973262713a2954b9c7a4bf750ff940a9"
                "8dd78ba7e09abe15c6dad80014691aaf5f79c3f5bb6c2a9ddd3c5f9721e13a03846ae976111fd3d5"
                "f054204dc291c3a43625be1b2a06b7f3d1d05529814c83a3a6841e5cd1d06c90a411f0d7636a4805"
                "bc481853cdb08ddbdcfe55115c51b3abab633e315a8b936334a9ba2b691ac0e3cb41bcd7f57f823e"
                "01a33c72f4fedfbeb167172b37600dca6fc3942cd2926d9d751877aa293896ed0e207092d5d0b400"
                "c031f2c9430e751d4b64f21ff2296c7b7fec597d8c0dd4d3ac534ca3de4292956da34fd0e63de7ec"
                "7a4d68f1fe6766098322b198438cabb845e66ddf5e5071cef54e40932bfa860ee830bd82cc1c9c5f"
                "adfd0831be52e7e6f206016225159974335152573f578761b97f293dcd925ea65c3bf1ed5feb82ed"
                "567b61e7fd02470e2a15a4ce43869be12b4c2ad94297f79ae5474648d3556f4dd9eb4bdd7b212fb3"
                "a83628dfcaf1f6d910f61cfd2e0c27e001b3ff6d47084dd40025ee554ae9e85bd8f75612d450b2e5"
                "516f346369d24e964ebc79bf18aec613809277b0b40f29946f4cbb531136c39f428e968a91c8e9fc"
                "febf7c2d6ff9b844891b09530a2a92c3547a3af9e2e47587a05e4b037a0d8af45559942b63960ef5"
            ),
            digest: &hex!("b5b908b3243e03f0d60b57bc0a6d8959"),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 1",
        known: Known::Skcipher {
            key: &hex!("e115663c8dc63affef41d747a2cc8aba"),
            iv: &hex!("c3be2acbb53986f191ad6cf4de7445635c7ad5cc8b76ef0ecf2c606937fd0796"),
            plain: &hex!("6575aed3e2bc435cb31ad805c3d05629"),
            cipher: &hex!("1191ea7458ccd5a2d0559e3dfe7fc8fe"),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 2",
        known: Known::Skcipher {
            key: &hex!("e7d17748760bcd342a2de774ca119cae"),
            iv: &hex!("711c4962d95b505e6887bcf689ffed30e4e5bdb6104f9f6628065af42735cde5"),
            plain: &hex!("87038f06a86154da0145d401ef4a22cf78159fbd64bd2cb9401d72ae5363a5"),
            cipher: &hex!("4ea10527b845e4a1bb30b4a6127463d617c9cc2f1864e0060aa0ff72107b22"),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 4",
        known: Known::Skcipher {
            key: &hex!("3e085d646c98ecec700e0da141209982"),
            iv: &hex!("11b777910d99d98d353af7146b0937e5ad51f6c3964b6456a8bd81ccbe94afe4"),
            plain: &hex!(
                "ff8db9c0e369b3b28b1126b311ecfbb99cc171d6e3260ee0684060b93a63568a9ec1f010b1643270"
                "f8cdc6c4494ce1cef3e103f835aee05eef5fbc41752613cc3785dfc05da64798f197525804e6b501"
                "c0b8176d74bd9adfa4379486b0138328c9a2073fb5b272400e60df5707b72c66103f8ddd300a47d5"
                "e89dfba1af53d705c7d2bae72ca0bfb8d193e74182a3413aaf12d6f834da9246ada22ff67e4696d8"
                "03f34964ded8068ba0bc633538b66bda5b503f13a5841b1b668995b7c2163ce924b08c6f49eff728"
                "6a24fdbe25e2b490774408b8dad2de2ca057455729476b894af6a72ac39e7bc8fd9f89abee6da3b4"
                "23907ae989a0c7b317418791fc9742"
            ),
            cipher: &hex!(
                "fc9b9666c4822a4ab124bac7785f79c1572e47294d7bd29abdc6c1267b8e3f5dd4b49f6a02244aad"
                "0c001bdf92c58ae17779ccd520bf83f44bad11bfdb47657043f365dfb7dcb2b9aa3fb3df79690da0"
                "861cba480b01c188df03b1063c1d56a18e98c1a695a25b727659d22625cdef7cc960ea43d1128a8a"
                "631278cb2f881e887859deba4d2c7861753754fd80c75e98cf14628efb72ee4d9faf8b09e5210a91"
                "8f8887d5b184ab180857ed7235a60ec6ffcbfe2c48391444ba59323a2dc45fcbbe688e7bee21a432"
                "11a099fd90de5943ebedd5876846c6de0b0717596aabca15650201b6718c3baa183b30ae385b2c74"
                "d4ee4afcf71b09d4da8b1d5d6f216c"
            ),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 6",
        known: Known::Skcipher {
            key: &hex!("bfafd7678c47cf218aa5dd322547be4ff13a0ba6aa2dcf09"),
            iv: &hex!("d9e8f0924efc1df281377c8ff1590920f44651864f548b3258d1998b8c03eb5d"),
            plain: &hex!(
                "cd6490f97ce50e5a75e78e3986ec20438a49091547f43c8921ebcf4ecf91b540cde54d5c6ff2d280"
                "faabb3769f7f840a"
            ),
            cipher: &hex!(
                "44986415b70b80a3b9ca23ff3b0b6874bb3e20199f28712a483c7ce2efb510ac829fcd088f6b166f"
                "c3bb07fb3cb01b27"
            ),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 9",
        known: Known::Skcipher {
            key: &hex!("93fa7ee20e67c439e7ca4795689d5e5a7c2619abc6ca6a4c45a69642ae6cffe7"),
            iv: &hex!("ea8247953b22a13a6aca244c507e23cd0e50e541b66529d8302300d254a7d656"),
            plain: &hex!("db1f1fecad836e5d19a5f63bb4935a576f"),
            cipher: &hex!("f1466e9db301f06bc2ac5788486d407268"),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 13",
        known: Known::Skcipher {
            key: &hex!("364511a2985f967cc6b494310a6709326c6f6f00f017cbaca5a9479e2e852ffa"),
            iv: &hex!("2888aa9b593b1e9782e55c9e6d1411196e388fd5402bcaf97b4ce4a3d0d28a13"),
            plain: &hex!(
                "95d2f7711bcaa586d94801932f7955297113150ee612bc4d8a31e3402ac65e0d68bb4a628dc74577"
                "d2b8c71df1d25d97cfac52e53277b6da3085cf2b98e9aa3462b5239eb7a6d4e0b458188c4dde4d01"
                "838924cafb11d482307a8135a0b4d4b684ea47918c198625a6068d78e6ed87ebdaea737cbf66b872"
                "e30ab80ccb1a73f1a7ca0ade572bbd2beb8b243822d30e1f17a084983177fd346a4e3d844c0efbed"
                "c82a51fad873218adbb5fe1feec4e8655484dd966dfdd3317736526b804f9eb4a255bf6641494e87"
                "a70ccae7a5c5f66f2756e24822dd5f593cf19f83e52dfb71add1ae1b205c47b73bd314ce8142b10a"
                "f049fac2e786bfcdb0959f8f794154"
            ),
            cipher: &hex!(
                "f65751c425612dfad6d93f9a8151dd8e3de7aa2db1dac8a69daa3cab62f280c32ce758721d44c528"
                "7fb4f9bc9cb2ab8efad14d72d979f5a0243e90253114384559c8f6e2c6f6c1a7b2f8a7a92b6f123a"
                "b081a4085759b1564c8f1855335fd66ac6a04bd66b643e9efd6616e2dbeb5fb350503ede8d727601"
                "beccc952092d8de7d6c366db3608d177c87346262429bf682d2a99435655e493afae4de7554ac045"
                "26eb3b12907cdcd1d56f0ad0a9d74b890b07d886ada1c4691f5e8bc49e914125569869783a9eae91"
                "d8d9fafbff812509fced2d87bc04629735e126c2461ccfd714ed0209a5b2b6aa274e61b3716b4716"
                "b7e8d4af52eb6a6bdb4c65219e1c36"
            ),
        },
    },
    Vector {
        name: "hctr2(aes)",
        source: "github.com/google/hctr2, in Linux crypto/testmgr.h as number 14",
        known: Known::Skcipher {
            key: &hex!("d381721823ff6f4a2574290d518a0e13c1535d308dee750d14d669c915a90c60"),
            iv: &hex!("659bd4a87d291df4c4d69b6a28ab64e2628197c581aaf944c1725982af16c82c"),
            plain: &hex!(
                "c76b526a10f0cc09c1121d6d21a678f505a3696091369857ba0c14ccf32d7303c6b25fc81627375d"
                "d00b87b250947b5804f4e07f6e578ec94184c1b17e4b91123a8b5d50827bcbd99ad94e1806239ed4"
                "a52098efb5dae5c08a6a837715841eae78949ddfb7d1ea67aab01415fa672184d3412aceba4b4ae8"
                "9562a955f080adbdabafdd4fa57c1336ed5e4f72ad4bf1d0884eec2c88105eea12c0160129a3a055"
                "aa68f3e99d3b0d3b6decf8a02df0908d1ce288d42471f9b3c19fc5d67670c52e9cacdb90bd8372ba"
                "6eb5a55383a9a5bf7d060e3c2ad204b51e19380916d2821f751856b8960ba6f9cf62d9325da9d71d"
                "ece4df1bbef136eee37bb52feef8533d6ab770a9fc9c5725f28910d3b8a88c30ae234f0e13664fe1"
                "b6c0e4f8ef93bd6e15856be360811d68d731878909abd5961df36d6780ca07315da7e4fb3ef29b33"
                "5218c830fe2dca1e79927a605cb65887a436a267928ba4b7f186dfdcc07e8f63d2a2dc78eb4fd896"
                "47cab891f9f794215f9a9f5bb840414b66696a72d0cb70b793b5379605374fe58ca75a4e8bb784ea"
                "c7fc196e1f5aa1ac187d523bb3346299e49e31043fc08d84177c25485267112767bb5a85ca56b25c"
                "e6ecd5963d15fcfb2225f413e5934b9a77f15218fa165e490345a808fab34192795033cad0d74255"
                "c39a0c4ed9a43c86809f53d1a42ed1bcf1546e93a465998edf29c0646307bbea"
            ),
            cipher: &hex!(
                "9f7287c717fb201565b355a81c8e5232b1828dbfb59f100ae80c7062ef89b61f73cce4cc7a3a754a"
                "26e7f5d77b17392dd2276ef92f9ee2f6fa16c2f24926a75be7ca250e45a034c29a37797e7c581894"
                "10a87c48a9d763899e614d2634d9f0b12d172c6f7c350ebe77717c175bab70db2f540fa9c8f4f5ab"
                "52043ab803a7fd57455ebc77e1ee798c587b1ff775de681798858a185cd239787a6f266ee11391dd"
                "df0e6e67cc5153d8175ecea7e4affaf34f9f019b04e7fcf96adc1d0c9aaa3a7a7303dfbf3b82beb0"
                "b4a4cf07d7de7125c510ee0a15968b4ffeb828bd4acdeb9f5d00c1eee81644ece97bd6851729cf58"
                "20abf7ce6be7717d4fa8b0e97d70d60b2e20b11a6337aa2c94eed5f6582af47a4cbaf5e93c6f9513"
                "5f96815bb562f2d78dbea13151e6fec9077d0f003a668c4b94aae556decd74a748676fedc96aefaf"
                "9ab7ae60fac03739a525e522ea8255683e30c35ab629737ab6fb34ee517c54e5014d7225324aa368"
                "809a89c511664c8c4450bed7a0eea6bb920ce6d78351b1696340f3f49284c43829fbb484a0197516"
                "60bf0a9c89eeadb443f97139457c248330bbee28b0867bec93c1bfb9971b96efee5835611219da25"
                "77e5801a31279be4da8b7e514dcb01194fdc921a17d56bf450e306e4769f6500bd7ae26426f2e47e"
                "40f280ab62d5ef238bfb6f246e9b660ef41c241e1d269509943cb2b602a7d99a"
            ),
        },
    },
];
