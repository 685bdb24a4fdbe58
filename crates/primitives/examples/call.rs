//! Calls a kernel of Arm, PowerPC, RISC-V or s390x once, for the scripts in `lab` that count, model and compare the
//! instructions of a call.
//!
//! Arguments: kernel, bytes of text, a number that key and text are made from, and `call`, or another word of four
//! letters, for which everything but the call is made. A kernel whose name ends in `-192` or `-256` gets a key of as
//! many bits, others one of 128. A hash whose name ends in `-batch` gets many messages, and one that ends in `-within` a
//! message whose length is secret.

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
        blake2::{Blake2b, Blake2s},
        chacha::{self, ChaCha, ChaChaToken, ChaChaVectors},
        cpu::{CpuFeatures, Portable, Token},
        ghash::{ClmulToken, GHash, Polyval},
        hash::{Hash, Job},
        keccak::Keccak,
        michael::Michael,
        nhpoly1305::{self, NhPoly1305},
        poly1305::{Poly1305, Poly1305Token},
        serpent::{Serpent, SerpentToken},
        sha1::Sha1,
        sha2::{Sha256, Sha512},
        vmac::{self, Vmac64},
    };
    #[cfg(not(target_arch = "s390x"))]
    use algkit_primitives::{
        aes::{AesKey, CbcJob, CcmJob, MacJob, XtsKey, cbc_encrypt_batch, cbc_mac_batch, ccm_batch},
        simd::AesToken,
    };

    use std::hint::black_box;

    fn token<T: Token>() -> T {
        T::detect(CpuFeatures::detect()).expect("a CPU with these features")
    }

    /// The length of what is made for a text. It does not depend on the part that is used, so that calls with texts of
    /// two lengths differ in the call alone.
    const LONGEST: usize = if cfg!(target_arch = "powerpc64") { 16384 } else { 4096 };

    /// How a hash is called.
    #[derive(Clone, Copy)]
    enum Way {
        /// With one message.
        Alone,
        /// With messages of several lengths at once.
        Batch,
        /// With a message whose length is secret.
        Within,
    }

    /// Key and text, made from a number. Their addresses do not depend on it.
    struct Call {
        /// The number that key and text are made from.
        number: u64,
        secret: [u8; 32],
        key_len: usize,
        text: [u8; LONGEST],
        len: usize,
        made: bool,
        way: Way,
    }

    impl Call {
        fn new(key_len: usize, len: usize, mut seed: u64, made: bool, way: Way) -> Self {
            let mut call = Self { number: seed, secret: [0; 32], key_len, text: [0; LONGEST], len, made, way };
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

        /// A key of a fixed length.
        fn first<const N: usize>(&self) -> &[u8; N] {
            self.secret.first_chunk().expect("at most 32 bytes")
        }

        fn text(&mut self) -> InOut<'_> {
            InOut::from(&mut self.text[..self.len])
        }

        /// Calls `f`, and keeps the compiler from leaving out what nothing reads.
        fn run(mut self, f: impl Fn(&mut [u8; 16], InOut<'_>)) {
            let mut iv = [7; 16];
            if self.made {
                f(&mut iv, self.text());
            }
            black_box((&iv, &self.text));
        }

        fn sliced<T: BitsliceToken>(self, f: impl Fn(&Bitslice<T>, &mut [u8; 16], InOut<'_>)) {
            let key = Bitslice::new(token(), self.key()).expect("a key");
            self.run(|iv, text| f(&key, iv, text));
        }

        #[cfg(not(target_arch = "s390x"))]
        fn aes<T: AesToken>(self, f: impl Fn(&AesKey<T>, &mut [u8; 16], InOut<'_>)) {
            let key = AesKey::<T>::new(token(), self.key()).expect("a key");
            self.run(|iv, text| f(&key, iv, text));
        }

        /// XTS with two keys of 128 bits.
        #[cfg(not(target_arch = "s390x"))]
        fn xts<T: AesToken>(self, f: impl Fn(&XtsKey<T>, &mut [u8; 16], InOut<'_>)) {
            let key = XtsKey::<T>::new(token(), &self.secret).expect("a key");
            self.run(|iv, text| f(&key, iv, text));
        }

        /// Calls `f` with twelve messages: eight of one length under one key, and four of other lengths under two keys.
        #[cfg(not(target_arch = "s390x"))]
        fn aes_batch<T: AesToken>(mut self, f: impl Fn(&mut dyn Iterator<Item = (&AesKey<T>, &mut [u8])>)) {
            let keys = self.secret.as_chunks::<16>().0;
            let keys: Vec<_> = keys.iter().map(|key| AesKey::new(token(), key).expect("a key")).collect();
            if self.made {
                let texts = self.text.chunks_mut(self.len).enumerate().take(12);
                f(&mut texts.map(|(i, text)| (&keys[i / 8 * (i % 2)], &mut text[..self.len - i / 8 * (i % 8) * 16])));
            }
        }

        /// Calls a mode of AES. Its name is what stands before and behind that of the instructions.
        #[cfg(not(target_arch = "s390x"))]
        fn mode<T: AesToken>(self, name: (&str, &str)) {
            match name {
                ("ecb", "") => self.aes::<T>(|key, _, text| key.ecb_encrypt(text)),
                ("ecb", "-dec") => self.aes::<T>(|key, _, text| key.ecb_decrypt(text)),
                ("cbc", "") => self.aes::<T>(|key, iv, text| key.cbc_encrypt(iv, text)),
                ("cbc", "-dec") => self.aes::<T>(|key, iv, text| key.cbc_decrypt(iv, text)),
                ("ctr", "") => self.aes::<T>(|key, iv, text| key.ctr(iv, text)),
                ("xctr", "") => self.aes::<T>(|key, iv, text| key.xctr(iv, &mut 0, text)),
                ("xts", "") => self.xts::<T>(XtsKey::encrypt),
                ("xts", "-dec") => self.xts::<T>(XtsKey::decrypt),
                ("ccm", "") => self.aes::<T>(|key, mac, text| key.ccm_encrypt(&mut [2; 16], mac, text)),
                ("ccm", "-dec") => self.aes::<T>(|key, mac, text| key.ccm_decrypt(&mut [2; 16], mac, text)),
                ("cbcmac", "") => self.aes::<T>(|key, iv, text| key.cbc_mac(iv, text.src())),
                ("cmac", "") => self.aes::<T>(|key, iv, text| *iv = key.masked_mac(&[*iv, [2; 16]], text.src())),
                ("cbc", "-batch") => self.aes_batch::<T>(|messages| {
                    let mut ivs = [[7; 16]; 12];
                    let jobs = messages.zip(&mut ivs).map(|((key, text), iv)| CbcJob { key, iv, data: text.into() });
                    cbc_encrypt_batch(&mut jobs.collect::<Vec<_>>());
                }),
                ("cbcmac", "-batch") => self.aes_batch::<T>(|messages| {
                    let last = [7; 16];
                    let jobs = messages.map(|(key, blocks)| MacJob { key, state: [2; 16], blocks, last });
                    let mut jobs: Vec<_> = jobs.collect();
                    cbc_mac_batch(&mut jobs);
                    jobs.iter().for_each(|job| _ = black_box(job.state));
                }),
                ("ccm", "-batch") => self.aes_batch::<T>(|messages| {
                    let (counter, tag) = (7, [0; 16]);
                    let jobs =
                        messages.map(|(key, text)| CcmJob { key, prefix: &[2; 16], counter, data: text.into(), tag });
                    let mut jobs: Vec<_> = jobs.collect();
                    ccm_batch::<_, true>(&mut jobs);
                    jobs.iter().for_each(|job| _ = black_box(job.tag));
                }),
                (mode, rest) => panic!("no kernel {mode}{rest}"),
            }
        }

        fn ghash<T: ClmulToken>(self) {
            let mut hash = GHash::<T>::new(token(), self.first());
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

        fn xchacha<T: ChaChaToken>(mut self) {
            let key = chacha::hchacha(token::<T>(), &self.secret, &[2; 16], 20);
            let key = ChaCha::<T>::new(token(), &key, 20);
            if self.made {
                key.xor(&mut [7; 4], self.text());
                black_box(&self.text);
            }
        }

        fn serpent<T: SerpentToken>(self, f: impl Fn(&Serpent<T>, &mut [u8; 16], InOut<'_>)) {
            let key = Serpent::new(token(), self.key()).expect("a key");
            self.run(|iv, text| f(&key, iv, text));
        }

        fn aegis<T: AegisToken, const ENC: bool>(mut self) {
            let key = Aegis128::<T>::new(token(), self.first());
            if self.made {
                let mut message = key.start(&[7; 16]);
                key.crypt::<ENC>(&mut message, self.text());
                black_box(key.finish(message));
            }
        }

        /// Makes key and text such that sums have carries that those of random ones hardly ever have: the numbers 1, 3 and 4 stand for
        /// keys with a first half of 1, 3 and ones, and a text of ones. Masks, of which the compiler knows nothing, take the place of
        /// branches, which lab/leaks would find.
        fn with_carries(mut self) -> Self {
            let number = self.number;
            let random = black_box(0u64.wrapping_sub(number >> 1 & !number & 1));
            let greatest = black_box(0u64.wrapping_sub(number >> 2));
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
            let (size, mut digests) = (hash.digest_size(), [[0; 64]; 7]);
            match self.way {
                _ if !self.made => {}
                Way::Alone => {
                    hash.update(&self.text[..self.len]);
                    hash.finish(&mut digests[0][..size]);
                }
                Way::Batch => {
                    let texts = self.text.chunks(self.len).enumerate();
                    let texts: Vec<_> = texts.map(|(i, text)| [&text[..self.len - i / 4 * 64]]).take(7).collect();
                    let jobs = texts.iter().zip(&mut digests);
                    let jobs = jobs.map(|(parts, out)| Job { state: &hash, parts, out: &mut out[..size] });
                    Hash::digest_batch_after(&mut jobs.collect::<Vec<_>>());
                }
                Way::Within => {
                    let len = self.len - usize::from(self.secret[0]);
                    assert!(hash.digest_within(&self.text[..self.len], self.len - 255, len, &mut digests[0][..size]));
                }
            }
            black_box(&digests);
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
        let (kernel, way) = match kernel.rsplit_once('-') {
            Some((hash, "batch")) if !hash.contains("aes") => (hash, Way::Batch),
            Some((hash, "within")) => (hash, Way::Within),
            _ => (kernel, Way::Alone),
        };
        let mut call = Call::new(key_len, len as usize, seed, args.next().is_some_and(|word| word == "call"), way);
        match kernel {
            "ecb-aes-u64bs" => call.sliced::<Portable>(|key, _, text| key.encrypt_blocks(text)),
            "ecb-aes-u64bs-dec" => call.sliced::<Portable>(|key, _, text| key.decrypt_blocks(text)),
            "ctr-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.ctr(iv, text)),
            "xts-aes-u64bs" => call.sliced::<Portable>(|key, iv, text| key.xts_encrypt(iv, text)),
            "xts-aes-u64bs-dec" => call.sliced::<Portable>(|key, iv, text| key.xts_decrypt(iv, text)),
            "cbc-aes-u64bs-dec" => call.sliced::<Portable>(|key, iv, text| key.cbc_decrypt(iv, text)),
            "ghash-generic" => call.ghash::<Portable>(),
            "polyval-generic" => call.hash(Polyval::<Portable>::new(token(), call.first())),
            "sha1-generic" => call.hash(Sha1::new(token::<Portable>())),
            "sha256-generic" => call.hash(Sha256::new(token::<Portable>())),
            "sha512-generic" => call.hash(Sha512::new(token::<Portable>())),
            "poly1305-generic" => call.poly1305::<Portable>(),
            "sha3-256-generic" => call.hash(Keccak::<Portable>::sha3_256(token())),
            "blake2b-512-generic" => call.hash(Blake2b::<Portable>::new(token(), 64, &call.secret).expect("a key")),
            "blake2s-256-generic" => call.hash(Blake2s::<Portable>::new(token(), 32, &call.secret).expect("a key")),
            "michael_mic-generic" => call.hash(Michael::new(call.first())),
            "chacha20-generic" => call.chacha::<Portable>(),
            "xchacha20-generic" => call.xchacha::<Portable>(),
            "ecb(serpent-generic)" => call.serpent::<Portable>(|key, _, text| key.encrypt_blocks(text)),
            "ecb(serpent-generic)-dec" => call.serpent::<Portable>(|key, _, text| key.decrypt_blocks(text)),
            "ctr(serpent-generic)" => call.serpent::<Portable>(|key, iv, text| key.ctr(iv, text)),
            "aegis128-generic" => call.aegis::<Portable, true>(),
            "aegis128-generic-dec" => call.aegis::<Portable, false>(),
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
                        black_box(nine(n, n, n, n, n, n, n, n, n));
                    }
                }
            }
            // Branches on a bit of the text, which a comparison must find.
            "branch" => {
                if call.made && black_box(&call.text)[0] & 1 == 0 {
                    black_box(&mut call.text)[1] = 0;
                }
            }
            _ => call.on_this_cpu(kernel),
        }
    }

    #[cfg(target_arch = "aarch64")]
    mod aarch64 {
        use super::{AesKey, Call, Hash, Keccak, Polyval, Sha1, Sha256, Sha512, black_box, token};
        use algkit_primitives::{
            InOut, Packet, Turns,
            chacha20poly1305::ChaCha20Poly1305,
            cpu::{ArmCe, ArmSha2, ArmSha3, Neon},
            gcm::GcmKey,
        };

        impl Call {
            fn chacha20poly1305(self, f: impl Fn(&ChaCha20Poly1305<Neon>, InOut<'_>) -> [u8; 16]) {
                let mut call = self.with_carries();
                let key = ChaCha20Poly1305::<Neon>::new(token(), &call.secret);
                if call.made {
                    black_box(f(&key, call.text()));
                }
            }

            /// CBC encryption beside a hash.
            fn beside(mut self, mut hash: impl Hash) {
                let key = AesKey::<ArmCe>::new(token(), self.key()).expect("a key");
                if self.made {
                    let count = self.len / Turns::BYTES;
                    let mut turns = Turns::new(&mut self.text, 0, Turns::BYTES, count).expect("a text is longer");
                    assert!(hash.absorb_by(count * Turns::BYTES, &mut |cpu, words| {
                        key.cbc_encrypt_beside(&mut [7; 16], &mut turns, cpu, words)
                    }));
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
                    "ecb-aes-neonbs-dec" => self.sliced::<Neon>(|key, _, text| key.decrypt_blocks(text)),
                    "ctr-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "xts-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.xts_encrypt(iv, text)),
                    "xts-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.xts_decrypt(iv, text)),
                    "cbc-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "gcm-aes-ce" => self.gcm(),
                    "gcm-aes-ce-dec" => self.gcm_decrypt(),
                    "ghash-neon" => self.ghash::<Neon>(),
                    "ghash-ce" => self.ghash::<ArmCe>(),
                    "chacha20-neon" => self.chacha::<Neon>(),
                    "polyval-neon" => self.hash(Polyval::<Neon>::new(token(), self.first())),
                    "polyval-ce" => self.hash(Polyval::<ArmCe>::new(token(), self.first())),
                    "xchacha20-neon" => self.xchacha::<Neon>(),
                    "rfc7539-chacha20-poly1305-neon" => {
                        self.chacha20poly1305(|key, text| key.seal(&[2; 12], &[], text))
                    }
                    "rfc7539-chacha20-poly1305-neon-dec" => {
                        self.chacha20poly1305(|key, text| key.open(&[2; 12], &[], text));
                    }
                    "aegis128-ce" => self.aegis::<ArmCe, true>(),
                    "aegis128-ce-dec" => self.aegis::<ArmCe, false>(),
                    "nhpoly1305-neon" => self.nhpoly1305::<Neon>(),
                    "ecb(serpent-neon)" => self.serpent::<Neon>(|key, _, text| key.encrypt_blocks(text)),
                    "ecb(serpent-neon)-dec" => self.serpent::<Neon>(|key, _, text| key.decrypt_blocks(text)),
                    "ctr(serpent-neon)" => self.serpent::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "sha1-ce" => self.hash(Sha1::new(token::<ArmSha2>())),
                    "sha256-ce" => self.hash(Sha256::new(token::<ArmSha2>())),
                    "sha512-ce" => self.hash(Sha512::new(token::<ArmSha3>())),
                    "sha3-256-ce" => self.hash(Keccak::<ArmSha3>::sha3_256(token())),
                    "authenc(hmac(sha1-ce),cbc-aes-ce)" => self.beside(Sha1::new(token::<ArmSha2>())),
                    "authenc(hmac(sha256-ce),cbc-aes-ce)" => self.beside(Sha256::new(token::<ArmSha2>())),
                    other => match (other.split_once("-aes-ce"), other.split_once("-aes-neon")) {
                        (Some(mode), _) => self.mode::<ArmCe>(mode),
                        (_, Some(mode)) => self.mode::<Neon>(mode),
                        _ => panic!("no kernel {other}"),
                    },
                }
            }
        }
    }

    #[cfg(target_arch = "powerpc64")]
    mod powerpc {
        use super::{Call, Polyval, token};
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
                    "p8_ghash" => self.ghash::<Power8>(),
                    "p8_polyval" => self.hash(Polyval::<Power8>::new(token(), self.first())),
                    "cbc(aes-generic)" => self.generic_cbc(),
                    other => match (other.strip_prefix("p8_aes_"), other.split_once("-aes-altivec")) {
                        (Some(mode), _) => self.mode::<Power8>(mode.split_at(mode.find('-').unwrap_or(mode.len()))),
                        (_, Some(mode)) => self.mode::<Altivec>(mode),
                        _ => panic!("no kernel {other}"),
                    },
                }
            }
        }
    }

    #[cfg(all(target_arch = "arm", unix))]
    mod arm {
        use super::{Call, Polyval, token};
        use algkit_primitives::cpu::{ArmCe, Neon};

        impl Call {
            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ecb-aes-neonbs" => self.sliced::<Neon>(|key, _, text| key.encrypt_blocks(text)),
                    "ecb-aes-neonbs-dec" => self.sliced::<Neon>(|key, _, text| key.decrypt_blocks(text)),
                    "ctr-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.ctr(iv, text)),
                    "xts-aes-neonbs" => self.sliced::<Neon>(|key, iv, text| key.xts_encrypt(iv, text)),
                    "xts-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.xts_decrypt(iv, text)),
                    "cbc-aes-neonbs-dec" => self.sliced::<Neon>(|key, iv, text| key.cbc_decrypt(iv, text)),
                    "ghash-neon" => self.ghash::<Neon>(),
                    "ghash-ce" => self.ghash::<ArmCe>(),
                    "poly1305-neon" => self.poly1305::<Neon>(),
                    "chacha20-neon" => self.chacha::<Neon>(),
                    "xchacha20-neon" => self.xchacha::<Neon>(),
                    "polyval-neon" => self.hash(Polyval::<Neon>::new(token(), self.first())),
                    "polyval-ce" => self.hash(Polyval::<ArmCe>::new(token(), self.first())),
                    other => match other.split_once("-aes-ce") {
                        Some(mode) => self.mode::<ArmCe>(mode),
                        None => panic!("no kernel {other}"),
                    },
                }
            }
        }
    }

    #[cfg(target_arch = "riscv64")]
    mod riscv {
        use super::{Call, Polyval, Sha256, Sha512, token};
        use algkit_primitives::cpu::{Zbkc, Zkned, Zknh};

        impl Call {
            pub(super) fn on_this_cpu(self, kernel: &str) {
                match kernel {
                    "ghash-riscv64-zbkc" => self.ghash::<Zbkc>(),
                    "sha256-riscv64-zknh" => self.hash(Sha256::new(token::<Zknh>())),
                    "sha512-riscv64-zknh" => self.hash(Sha512::new(token::<Zknh>())),
                    "polyval-riscv64-zbkc" => self.hash(Polyval::<Zbkc>::new(token(), self.first())),
                    other => match other.split_once("-aes-riscv64-zkned") {
                        Some(mode) => self.mode::<Zkned>(mode),
                        None => panic!("no kernel {other}"),
                    },
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
