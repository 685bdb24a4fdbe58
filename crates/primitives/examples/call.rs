//! Calls a kernel of Arm, PowerPC, RISC-V or s390x once, for the scripts in `lab` that count, model and compare the
//! instructions of a call.
//!
//! Arguments: kernel, bytes of text, a number that key and text are made from, and `call`, or another word of four
//! letters, for which everything but the call is made. A kernel whose name ends in `-192` or `-256` gets a key of as
//! many bits, others one of 128.

#[cfg(not(any(
    target_arch = "aarch64",
    all(target_arch = "arm", unix),
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "s390x"
)))]
fn main() {}

#[cfg(any(
    target_arch = "aarch64",
    all(target_arch = "arm", unix),
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "s390x"
))]
fn main() {
    call::main()
}

#[cfg(any(
    target_arch = "aarch64",
    all(target_arch = "arm", unix),
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "s390x"
))]
mod call {
    use algkit_primitives::{
        InOut,
        aegis::{Aegis128, AegisToken},
        aes::{AesFixedTime, AesGeneric, Bitslice, BitsliceToken},
        chacha::{ChaCha, ChaChaToken, ChaChaVectors},
        cpu::{CpuFeatures, Portable, Token},
        ghash::{ClmulToken, GHash},
        hash::Hash,
        nhpoly1305::{self, NhPoly1305},
        poly1305::{Poly1305, Poly1305Token},
        sha2::{Sha256, Sha512},
        vmac::{self, Vmac64},
    };
    #[cfg(not(target_arch = "s390x"))]
    use algkit_primitives::{
        aes::{AesKey, XtsKey},
        simd::AesToken,
    };

    fn token<T: Token>() -> T {
        T::detect(CpuFeatures::detect()).expect("a CPU with these features")
    }

    /// The length of what is made for a text. It does not depend on the part that is used, so that calls with texts of
    /// two lengths differ in the call alone.
    const LONGEST: usize = if cfg!(target_arch = "powerpc64") { 16384 } else { 4096 };

    /// Key and text, made from a number. Their addresses do not depend on it.
    struct Call {
        /// The number that key and text are made from.
        number: u64,
        secret: [u8; 32],
        key_len: usize,
        text: [u8; LONGEST],
        len: usize,
        made: bool,
    }

    impl Call {
        fn new(key_len: usize, len: usize, mut seed: u64, made: bool) -> Self {
            let mut call = Self { number: seed, secret: [0; 32], key_len, text: [0; LONGEST], len, made };
            // Marsaglia's xorshift. It has no multiplication, which lab/leaks would find. From seeds that differ in few bits, it takes some steps until
            // all bits differ.
            let mut next = || {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                seed
            };
            (0..40).for_each(|_| _ = next());
            let bytes = call.secret.as_chunks_mut().0.iter_mut().chain(call.text.as_chunks_mut().0);
            bytes.for_each(|eight| *eight = next().to_le_bytes());
            call
        }

        fn key(&self) -> &[u8] {
            &self.secret[..self.key_len]
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

        #[cfg(not(target_arch = "s390x"))]
        fn aes<T: AesToken>(mut self, f: impl Fn(&AesKey<T>, &mut [u8; 16], InOut<'_>)) {
            let key = AesKey::<T>::new(token(), self.key()).expect("a key");
            if self.made {
                f(&key, &mut [7; 16], self.text());
            }
        }

        /// XTS with two keys of 128 bits.
        #[cfg(not(target_arch = "s390x"))]
        fn xts<T: AesToken>(mut self) {
            let key = XtsKey::<T>::new(token(), &self.secret).expect("a key");
            if self.made {
                key.encrypt(&mut [7; 16], self.text());
            }
        }

        #[cfg(any(target_arch = "aarch64", target_arch = "powerpc64"))]
        fn xts_decrypt<T: AesToken>(mut self) {
            let key = XtsKey::<T>::new(token(), &self.secret).expect("a key");
            if self.made {
                key.decrypt(&mut [7; 16], self.text());
            }
        }

        fn ghash<T: ClmulToken>(self) {
            let mut hash = GHash::<T>::new(token(), self.secret.first_chunk().expect("16 of 32 bytes"));
            if self.made {
                hash.update(&self.text[..self.len]);
            }
        }

        fn chacha<T: ChaChaToken>(mut self) {
            let key = ChaCha::<T>::new(token(), &self.secret, 20);
            if self.made {
                key.xor(&mut [7; 4], self.text());
            }
        }

        fn aegis<T: AegisToken>(mut self) {
            let key = Aegis128::<T>::new(token(), self.secret.first_chunk().expect("16 of 32 bytes"));
            if self.made {
                let mut message = key.start(&[7; 16]);
                key.crypt::<true>(&mut message, self.text());
                std::hint::black_box(key.finish(message));
            }
        }

        /// Makes key and text such that sums have carries that those of random ones hardly ever have: the numbers 1, 3 and 4 stand for
        /// keys with a first half of 1, 3 and ones, and a text of ones. Masks, of which the compiler knows nothing, take the place of
        /// branches, which lab/leaks would find.
        fn with_carries(mut self) -> Self {
            let number = self.number;
            let random = std::hint::black_box(0u64.wrapping_sub(number >> 1 & !number & 1));
            let greatest = std::hint::black_box(0u64.wrapping_sub(number >> 2));
            for (word, crafted) in self.secret.as_chunks_mut::<8>().0.iter_mut().zip([number | greatest, greatest]) {
                *word = (u64::from_le_bytes(*word) & random | crafted & !random).to_le_bytes();
            }
            self.text.iter_mut().for_each(|byte| *byte |= !random as u8);
            self
        }

        fn poly1305<T: Poly1305Token>(self) {
            let call = self.with_carries();
            call.hash(Poly1305::<T>::new(token(), &call.secret));
        }

        /// NHPoly1305. The key of NH is the end of what is made for a text.
        fn nhpoly1305<T: ChaChaVectors>(self) {
            let call = self.with_carries();
            let mut key = *call.text.last_chunk::<{ nhpoly1305::KEY }>().expect("a text is longer");
            key[..16].copy_from_slice(&call.secret[..16]);
            call.hash(NhPoly1305::<T>::new(token(), &key));
        }

        /// VMAC. The key of NH is the end of what is made for a text.
        fn vmac(self) {
            let call = self.with_carries();
            let [point, last] = *call.secret.as_chunks().0 else { unreachable!("a secret has 32 bytes") };
            let nh = call.text.as_chunks().0.last_chunk().expect("a text is longer");
            call.hash(Vmac64::new(vmac::Key::new(nh, &point, &[last, point]), call.number));
        }

        fn hash(&self, mut hash: impl Hash) {
            if self.made {
                hash.update(&self.text[..self.len]);
                hash.finish(&mut [0; 64][..hash.digest_size()]);
            }
        }

        /// The cipher with one table, which looks up bytes at addresses that depend on key and text.
        fn generic(mut self, f: impl Fn(&AesGeneric, InOut<'_>)) {
            let key = AesGeneric::new(self.key()).expect("a key");
            if self.made {
                f(&key, self.text());
            }
        }
    }

    /// More numbers than there are registers for: the last one is on the stack.
    #[inline(never)]
    extern "C" fn nine(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64) -> u64 {
        a ^ b.rotate_left(1) ^ c.rotate_left(2) ^ d.wrapping_add(e) ^ f.wrapping_sub(g) ^ h.wrapping_mul(i)
    }

    pub fn main() {
        let mut args = std::env::args().skip(1);
        let name = args.next().expect("a kernel");
        let (kernel, key_len) = match name.rsplit_once('-') {
            Some((kernel, "192")) => (kernel, 24),
            Some((kernel, "256")) => (kernel, 32),
            _ => (&*name, 16),
        };
        let mut number = || args.next().and_then(|n| n.parse().ok()).expect("a number");
        let (len, seed) = (number(), number());
        let mut call = Call::new(key_len, len as usize, seed, args.next().is_some_and(|word| word == "call"));
        match kernel {
            "ecb-aes-u64bs" => call.sliced::<Portable>(|key, _, text| key.encrypt_blocks(text)),
            "ctr-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.ctr(iv, text)),
            "xts-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.xts_encrypt(iv, text)),
            "xts-aes-u64bs-dec" => call.sliced::<Portable>(|key, iv, text| key.xts_decrypt(iv, text)),
            "cbc-aes-u64bs-dec" => call.sliced::<Portable>(|key, iv, text| key.cbc_decrypt(iv, text)),
            "ghash-generic" => call.ghash::<Portable>(),
            "sha256-generic" => call.hash(Sha256::<Portable>::new(token())),
            "sha512-generic" => call.hash(Sha512::<Portable>::new(token())),
            "poly1305-generic" => call.poly1305::<Portable>(),
            "chacha20-generic" => call.chacha::<Portable>(),
            "aegis128-generic" => call.aegis::<Portable>(),
            "nhpoly1305-generic" => call.nhpoly1305::<Portable>(),
            "vmac64-generic" => call.vmac(),
            "aes-fixed-time" => {
                let key = AesFixedTime::new(call.key()).expect("a key");
                if call.made {
                    key.encrypt_blocks(call.text());
                }
            }
            "aes-generic" => call.generic(|key, text| key.encrypt_blocks(text)),
            "aes-generic-dec" => call.generic(|key, text| key.decrypt_blocks(text)),
            // Uses the stack in a loop, which a look at its instructions must find.
            "spill" => {
                if call.made {
                    for &word in call.text[..call.len].as_chunks().0 {
                        let n = u64::from_ne_bytes(word);
                        std::hint::black_box(nine(n, n, n, n, n, n, n, n, n));
                    }
                }
            }
            // Branches on a bit of the text, which a comparison must find.
            "branch" => {
                if call.made && std::hint::black_box(&call.text)[0] & 1 == 0 {
                    std::hint::black_box(&mut call.text)[1] = 0;
                }
            }
            _ => call.on_this_cpu(kernel),
        }
    }

    #[cfg(target_arch = "aarch64")]
    mod aarch64 {
        use super::{Call, token};
        use algkit_primitives::{
            Packet,
            chacha20poly1305::ChaCha20Poly1305,
            cpu::{ArmCe, Neon},
            gcm::GcmKey,
        };

        impl Call {
            fn chacha20poly1305(self) {
                let mut call = self.with_carries();
                let key = ChaCha20Poly1305::<Neon>::new(token(), &call.secret);
                if call.made {
                    std::hint::black_box(key.seal(&[2; 12], &[], call.text()));
                }
            }

            fn gcm(mut self) {
                let key = GcmKey::<ArmCe>::new(token(), self.key()).expect("a key");
                if self.made {
                    key.seal(&[2; 12], &mut Packet { assoc: &[], text: self.text() }, &mut [0; 16]);
                }
            }

            fn gcm_decrypt(mut self) {
                let key = GcmKey::<ArmCe>::new(token(), self.key()).expect("a key");
                if self.made {
                    key.unseal(&[2; 12], &mut Packet { assoc: &[], text: self.text() }, &mut [0; 16]);
                }
            }

            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ecb-aes-neonbs" => self.sliced::<Neon>(|key, _, text| key.encrypt_blocks(text)),
                    "ctr-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "xts-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.xts_encrypt(iv, text)),
                    "xts-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.xts_decrypt(iv, text)),
                    "cbc-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "ecb-aes-neon" => self.aes::<Neon>(|key, _, text| key.ecb_encrypt(text)),
                    "ecb-aes-neon-dec" => self.aes::<Neon>(|key, _, text| key.ecb_decrypt(text)),
                    "ctr-aes-neon" => self.aes::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "cbc-aes-neon" => self.aes::<Neon>(|key, iv, text| key.cbc_encrypt(iv, text)),
                    "cbc-aes-neon-dec" => self.aes::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "xts-aes-neon" => self.xts::<Neon>(),
                    "xts-aes-neon-dec" => self.xts_decrypt::<Neon>(),
                    "cbcmac-aes-neon" => self.aes::<Neon>(|key, iv, text| key.cbc_mac(iv, text.src())),
                    "ecb-aes-ce" => self.aes::<ArmCe>(|key, _, text| key.ecb_encrypt(text)),
                    "ctr-aes-ce" => self.aes::<ArmCe>(|key, iv, text| key.ctr(iv, text)),
                    "cbc-aes-ce-dec" => self.aes::<ArmCe>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "cbcmac-aes-ce" => self.aes::<ArmCe>(|key, iv, text| key.cbc_mac(iv, text.src())),
                    "xts-aes-ce" => self.xts::<ArmCe>(),
                    "gcm-aes-ce" => self.gcm(),
                    "gcm-aes-ce-dec" => self.gcm_decrypt(),
                    "ghash-neon" => self.ghash::<Neon>(),
                    "ghash-ce" => self.ghash::<ArmCe>(),
                    "chacha20-neon" => self.chacha::<Neon>(),
                    "rfc7539-chacha20-poly1305-neon" => self.chacha20poly1305(),
                    "aegis128-ce" => self.aegis::<ArmCe>(),
                    "nhpoly1305-neon" => self.nhpoly1305::<Neon>(),
                    other => panic!("no kernel {other}"),
                }
            }
        }
    }

    #[cfg(target_arch = "powerpc64")]
    mod powerpc {
        use super::Call;
        use algkit_primitives::cpu::{Altivec, Power8};

        impl Call {
            /// CBC of one block after the other, as the template makes it of a cipher.
            fn generic_cbc(self) {
                self.generic(|key, mut text| {
                    let mut chain = [7; 16];
                    while let Some(mut block) = text.take(16) {
                        chain.iter_mut().zip(block.src()).for_each(|(a, b)| *a ^= b);
                        key.encrypt_blocks((&mut chain[..]).into());
                        block.dst().copy_from_slice(&chain);
                    }
                });
            }

            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ecb-aes-altivec" => self.aes::<Altivec>(|key, _, text| key.ecb_encrypt(text)),
                    "ecb-aes-altivec-dec" => self.aes::<Altivec>(|key, _, text| key.ecb_decrypt(text)),
                    "cbc-aes-altivec" => self.aes::<Altivec>(|key, iv, text| key.cbc_encrypt(iv, text)),
                    "cbc-aes-altivec-dec" => self.aes::<Altivec>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "ctr-aes-altivec" => self.aes::<Altivec>(|key, iv, text| key.ctr(iv, text)),
                    "xts-aes-altivec" => self.xts::<Altivec>(),
                    "xts-aes-altivec-dec" => self.xts_decrypt::<Altivec>(),
                    "cbcmac-aes-altivec" => self.aes::<Altivec>(|key, iv, text| key.cbc_mac(iv, text.src())),
                    "p8_aes_ecb" => self.aes::<Power8>(|key, _, text| key.ecb_encrypt(text)),
                    "p8_aes_cbc" => self.aes::<Power8>(|key, iv, text| key.cbc_encrypt(iv, text)),
                    "p8_aes_ctr" => self.aes::<Power8>(|key, iv, text| key.ctr(iv, text)),
                    "p8_aes_xts" => self.xts::<Power8>(),
                    "p8_ghash" => self.ghash::<Power8>(),
                    "cbc(aes-generic)" => self.generic_cbc(),
                    other => panic!("no kernel {other}"),
                }
            }
        }
    }

    #[cfg(all(target_arch = "arm", unix))]
    mod arm {
        use super::Call;
        use algkit_primitives::cpu::{ArmCe, Neon};

        impl Call {
            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ecb-aes-neonbs" => self.sliced::<Neon>(|key, _, text| key.encrypt_blocks(text)),
                    "ctr-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "xts-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.xts_encrypt(iv, text)),
                    "xts-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.xts_decrypt(iv, text)),
                    "cbc-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "ctr-aes-ce" => self.aes::<ArmCe>(|key, iv, text| key.ctr(iv, text)),
                    "cbc-aes-ce-dec" => self.aes::<ArmCe>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "cbcmac-aes-ce" => self.aes::<ArmCe>(|key, iv, text| key.cbc_mac(iv, text.src())),
                    "xts-aes-ce" => self.xts::<ArmCe>(),
                    "ghash-neon" => self.ghash::<Neon>(),
                    "ghash-ce" => self.ghash::<ArmCe>(),
                    "poly1305-neon" => self.poly1305::<Neon>(),
                    "chacha20-neon" => self.chacha::<Neon>(),
                    other => panic!("no kernel {other}"),
                }
            }
        }
    }

    #[cfg(target_arch = "riscv64")]
    mod riscv {
        use super::{Call, token};
        use algkit_primitives::{
            cpu::{Zbkc, Zkned, Zknh},
            sha2::{Sha256, Sha512},
        };

        impl Call {
            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ecb-aes-riscv64-zkned" => self.aes::<Zkned>(|key, _, text| key.ecb_encrypt(text)),
                    "ecb-aes-riscv64-zkned-dec" => self.aes::<Zkned>(|key, _, text| key.ecb_decrypt(text)),
                    "ctr-aes-riscv64-zkned" => self.aes::<Zkned>(|key, iv, text| key.ctr(iv, text)),
                    "cbc-aes-riscv64-zkned" => self.aes::<Zkned>(|key, iv, text| key.cbc_encrypt(iv, text)),
                    "cbc-aes-riscv64-zkned-dec" => self.aes::<Zkned>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "xts-aes-riscv64-zkned" => self.xts::<Zkned>(),
                    "ghash-riscv64-zbkc" => self.ghash::<Zbkc>(),
                    "sha256-riscv64-zknh" => self.hash(Sha256::<Zknh>::new(token())),
                    "sha512-riscv64-zknh" => self.hash(Sha512::<Zknh>::new(token())),
                    other => panic!("no kernel {other}"),
                }
            }
        }
    }

    #[cfg(target_arch = "s390x")]
    impl Call {
        fn on_this_cpu(self, kernel: &str) {
            panic!("no kernel {kernel}");
        }
    }
}
