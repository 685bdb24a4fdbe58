//! Calls a kernel of AArch64 or RISC-V once, for the scripts in `lab` that count, model and compare the instructions of a
//! call.
//!
//! Arguments: kernel, bytes of text, a number that key and text are made from, and `call`, or another word of four
//! letters, for which everything but the call is made.

#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
fn main() {}

#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
fn main() {
    use algkit_primitives::{
        InOut,
        aes::{AesFixedTime, AesGeneric, AesKey, Bitslice, BitsliceToken, XtsKey},
        cpu::{CpuFeatures, Portable, Token},
        ghash::{ClmulToken, GHash},
        hash::Hash,
        sha2::{Sha256, Sha512},
        simd::AesToken,
    };

    fn token<T: Token>() -> T {
        T::detect(CpuFeatures::detect()).expect("a CPU with these features")
    }

    /// The length of what is made for a text. It does not depend on the part that is used, so that calls with texts of
    /// two lengths differ in the call alone.
    const LONGEST: usize = 4096;

    /// Key and text, from a number (SplitMix64). Their addresses do not depend on it.
    struct Call {
        secret: [u8; 32],
        text: [u8; LONGEST],
        len: usize,
        made: bool,
    }

    impl Call {
        fn new(len: usize, mut seed: u64, made: bool) -> Self {
            let mut call = Self { secret: [0; 32], text: [0; LONGEST], len, made };
            let bytes = call.secret.as_chunks_mut().0.iter_mut().chain(call.text.as_chunks_mut().0);
            for eight in bytes {
                seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                *eight = (z ^ (z >> 31)).to_le_bytes();
            }
            call
        }

        fn key(&self) -> &[u8; 16] {
            self.secret.first_chunk().expect("16 of 32 bytes")
        }

        fn text(&mut self) -> InOut<'_> {
            InOut::from(&mut self.text[..self.len])
        }

        fn sliced<T: BitsliceToken>(mut self, f: impl Fn(&Bitslice<T>, &mut [u8; 16], InOut<'_>)) {
            let key = Bitslice::new(token(), self.key()).expect("a key");
            if self.made {
                f(&key, &mut [7; 16], self.text());
            }
        }

        fn aes<T: AesToken>(mut self, f: impl Fn(&AesKey<T>, &mut [u8; 16], InOut<'_>)) {
            let key = AesKey::<T>::new(token(), self.key()).expect("a key");
            if self.made {
                f(&key, &mut [7; 16], self.text());
            }
        }

        fn xts<T: AesToken>(mut self) {
            let key = XtsKey::<T>::new(token(), &self.secret).expect("a key");
            if self.made {
                key.encrypt(&mut [7; 16], self.text());
            }
        }

        /// AES-GCM with a key of `bytes` bytes.
        #[cfg(target_arch = "aarch64")]
        fn gcm(mut self, bytes: usize) {
            use algkit_primitives::{Packet, cpu::ArmCe, gcm::GcmKey};
            let key = GcmKey::<ArmCe>::new(token(), &self.secret[..bytes]).expect("a key");
            if self.made {
                key.seal(&[2; 12], &mut Packet { assoc: &[], text: self.text() }, &mut [0; 16]);
            }
        }

        fn ghash<T: ClmulToken>(self) {
            let mut hash = GHash::<T>::new(token(), self.key());
            if self.made {
                hash.update(&self.text[..self.len]);
            }
        }

        fn hash(self, mut hash: impl Hash) {
            if self.made {
                hash.update(&self.text[..self.len]);
            }
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn native(kernel: &str, mut call: Call) {
        use algkit_primitives::{
            chacha::ChaCha,
            cpu::{ArmCe, Neon},
        };
        match kernel {
            "ecb-aes-neonbs" => call.sliced::<Neon>(|key, _, text| key.encrypt_blocks(text)),
            "ctr-aes-neonbs" => call.sliced::<Neon>(|key, iv, text| key.ctr(iv, text)),
            "xts-aes-neonbs" => call.sliced::<Neon>(|key, iv, text| key.xts_encrypt(iv, text)),
            "xts-aes-neonbs-dec" => call.sliced::<Neon>(|key, iv, text| key.xts_decrypt(iv, text)),
            "cbc-aes-neonbs-dec" => call.sliced::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
            "ecb-aes-neon" => call.aes::<Neon>(|key, _, text| key.ecb_encrypt(text)),
            "ecb-aes-neon-dec" => call.aes::<Neon>(|key, _, text| key.ecb_decrypt(text)),
            "ctr-aes-neon" => call.aes::<Neon>(|key, iv, text| key.ctr(iv, text)),
            "cbc-aes-neon" => call.aes::<Neon>(|key, iv, text| key.cbc_encrypt(iv, text)),
            "cbcmac-aes-neon" => call.aes::<Neon>(|key, iv, text| key.cbc_mac(iv, text.src())),
            "ctr-aes-ce" => call.aes::<ArmCe>(|key, iv, text| key.ctr(iv, text)),
            "cbc-aes-ce-dec" => call.aes::<ArmCe>(|key, iv, text| key.cbc_decrypt(iv, text)),
            "cbcmac-aes-ce" => call.aes::<ArmCe>(|key, iv, text| key.cbc_mac(iv, text.src())),
            "xts-aes-ce" => call.xts::<ArmCe>(),
            "gcm-aes-ce" => call.gcm(16),
            "gcm-aes-ce-192" => call.gcm(24),
            "gcm-aes-ce-256" => call.gcm(32),
            "ghash-neon" => call.ghash::<Neon>(),
            "ghash-ce" => call.ghash::<ArmCe>(),
            "chacha20-neon" => {
                let key = ChaCha::<Neon>::new(token(), &call.secret, 20);
                if call.made {
                    key.xor(&mut [7; 4], call.text());
                }
            }
            other => panic!("no kernel {other}"),
        }
    }

    #[cfg(target_arch = "riscv64")]
    fn native(kernel: &str, call: Call) {
        use algkit_primitives::cpu::{Zbkc, Zkned, Zknh};
        match kernel {
            "ecb-aes-riscv64-zkned" => call.aes::<Zkned>(|key, _, text| key.ecb_encrypt(text)),
            "ecb-aes-riscv64-zkned-dec" => call.aes::<Zkned>(|key, _, text| key.ecb_decrypt(text)),
            "ctr-aes-riscv64-zkned" => call.aes::<Zkned>(|key, iv, text| key.ctr(iv, text)),
            "cbc-aes-riscv64-zkned" => call.aes::<Zkned>(|key, iv, text| key.cbc_encrypt(iv, text)),
            "cbc-aes-riscv64-zkned-dec" => call.aes::<Zkned>(|key, iv, text| key.cbc_decrypt(iv, text)),
            "xts-aes-riscv64-zkned" => call.xts::<Zkned>(),
            "ghash-riscv64-zbkc" => call.ghash::<Zbkc>(),
            "sha256-riscv64-zknh" => call.hash(Sha256::<Zknh>::new(token())),
            "sha512-riscv64-zknh" => call.hash(Sha512::<Zknh>::new(token())),
            other => panic!("no kernel {other}"),
        }
    }

    let mut args = std::env::args().skip(1);
    let kernel = args.next().expect("a kernel");
    let mut number = || args.next().and_then(|n| n.parse().ok()).expect("a number");
    let (len, seed) = (number(), number());
    let mut call = Call::new(len as usize, seed, args.next().is_some_and(|word| word == "call"));
    match &*kernel {
        "ecb-aes-u64bs" => call.sliced::<Portable>(|key, _, text| key.encrypt_blocks(text)),
        "ctr-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.ctr(iv, text)),
        "xts-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.xts_encrypt(iv, text)),
        "cbc-aes-u64bs-dec" => call.sliced::<Portable>(|key, iv, text| key.cbc_decrypt(iv, text)),
        "ghash-generic" => call.ghash::<Portable>(),
        "sha256-generic" => call.hash(Sha256::<Portable>::new(token())),
        "sha512-generic" => call.hash(Sha512::<Portable>::new(token())),
        "aes-fixed-time" => {
            let key = AesFixedTime::new(call.key()).expect("a key");
            if call.made {
                key.encrypt_blocks(call.text());
            }
        }
        // Looks up bytes in a table at addresses that depend on key and text: what a comparison must find.
        "aes-generic" => {
            let key = AesGeneric::new(call.key()).expect("a key");
            if call.made {
                key.encrypt_blocks(call.text());
            }
        }
        // Branches on a bit of the text.
        "branch" => {
            if call.made && std::hint::black_box(&call.text)[0] & 1 == 0 {
                std::hint::black_box(&mut call.text)[1] = 0;
            }
        }
        other => native(other, call),
    }
}
