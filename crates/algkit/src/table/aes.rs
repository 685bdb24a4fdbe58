//! AES: the drivers of `primitives::aes` and `primitives::gcm`, each mode by the CPUs it is fused for.
//!
//! The types here say which operation of a primitive a driver is; the rows at the end are the table.

use super::row::{Algorithm, Make, Row};
use crate::{
    Sizes, Text,
    driver::{
        AeadJob, AeadOps, BadKey, CipherOps, Direction, Fresh, HashJob, HashOps, HashState, Jobs, Known, MANY,
        PlainState, Refusal, Shape, SkcipherJob, SkcipherOps, TextRule, Type, WeakKeys,
    },
    tag,
    templates::{
        cbc, ccm,
        ecb::Ecb,
        gcm,
        mac::{self, Chain, InProgress, Last},
        xctr::Xctr,
        xts::{MAX_DATA_UNIT, Xts, check_halves},
    },
};
use algkit_primitives::{
    InOut, Packet,
    aes::{
        AesFixedTime, AesGeneric, AesKey, Bitslice, BitsliceToken, CbcJob, CcmJob, MacJob, XtsKey, cbc_encrypt_many,
        cbc_mac_many, ccm_many,
    },
    cpu::{self, Portable},
    gcm::{GcmKey, GcmToken},
    simd::{AesToken, Blocks},
};

const KEYS: Sizes = Sizes::of(&[16, 24, 32]);
const XTS_KEYS: Sizes = Sizes::of(&[32, 48, 64]);

/// For keys whose length the table has checked already.
const KEY_LENGTH: BadKey = BadKey("an AES key has 16, 24 or 32 bytes");

const fn skcipher(name: &'static str, keys: Sizes, blocksize: usize, ivsize: usize, text: TextRule) -> Algorithm {
    Algorithm { name, kind: Type::Skcipher, shape: Shape::skcipher(blocksize, keys, ivsize, text) }
}

const fn hash(name: &'static str, keys: Sizes) -> Algorithm {
    Algorithm { name, kind: Type::Hash, shape: Shape::keyed_hash(16, 16, keys) }
}

static AES: Algorithm = Algorithm { name: "aes", kind: Type::Cipher, shape: Shape::cipher(16, KEYS) };
static ECB: Algorithm = skcipher("ecb(aes)", KEYS, 16, 0, TextRule::Blocks);
static CBC: Algorithm = skcipher("cbc(aes)", KEYS, 16, 16, TextRule::Blocks);
static CTR: Algorithm = skcipher("ctr(aes)", KEYS, 1, 16, TextRule::Any);
static XCTR: Algorithm = skcipher("xctr(aes)", KEYS, 1, 16, TextRule::Any);
static XTS: Algorithm = skcipher("xts(aes)", XTS_KEYS, 16, 16, TextRule::DataUnit(MAX_DATA_UNIT));
static GCM: Algorithm = Algorithm { name: "gcm(aes)", kind: Type::Aead, shape: Shape::aead(KEYS, 12, gcm::TAGS) };
static CCM: Algorithm = Algorithm { name: "ccm(aes)", kind: Type::Aead, shape: Shape::aead(KEYS, 16, ccm::TAGS) };
static CMAC: Algorithm = hash("cmac(aes)", KEYS);
static XCBC: Algorithm = hash("xcbc(aes)", KEYS);
static CBCMAC: Algorithm = hash("cbcmac(aes)", KEYS);

#[inline(always)]
fn block16(iv: &mut [u8]) -> &mut [u8; 16] {
    match iv.try_into() {
        Ok(iv) => iv,
        Err(_) => wrong_iv(),
    }
}

#[inline(always)]
fn same16(iv: &[u8]) -> &[u8; 16] {
    match iv.try_into() {
        Ok(iv) => iv,
        Err(_) => wrong_iv(),
    }
}

/// Of a length that the transform does not let through.
#[cold]
#[inline(never)]
fn wrong_iv() -> ! {
    panic!("the IV has 16 bytes")
}

// Single blocks and batches.

impl<T: AesToken> CipherOps for AesKey<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.ecb_encrypt(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.ecb_decrypt(data);
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.set(key)
    }
}

impl<T: AesToken> Make for AesKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }
}

impl<T: BitsliceToken> CipherOps for Bitslice<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.xts_encrypt(tweak, run),
            Direction::Decrypt => self.xts_decrypt(tweak, run),
        }
    }
}

impl<T: BitsliceToken> Make for Bitslice<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }
}

macro_rules! by_table {
    ($name:ident) => {
        impl CipherOps for $name {
            fn block_size(&self) -> usize {
                16
            }

            fn encrypt_blocks(&self, data: InOut<'_>) {
                self.encrypt_blocks(data);
            }

            fn decrypt_blocks(&self, data: InOut<'_>) {
                self.decrypt_blocks(data);
            }
        }

        impl Make for $name {
            type Token = Portable;

            fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
                Self::new(key).ok_or(KEY_LENGTH)
            }
        }
    };
}

by_table!(AesGeneric);
by_table!(AesFixedTime);

// Modes over batches: the text of the templates, without a virtual call in between.

impl<C: CipherOps + Make> Make for Ecb<C> {
    type Token = C::Token;

    fn make(token: C::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        C::make(token, key, weak).map(Self)
    }
}

impl<C: CipherOps + Make> Make for Xctr<C> {
    type Token = C::Token;

    fn make(token: C::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        C::make(token, key, weak).map(Self)
    }
}

// Modes fused with bit-slicing.

/// CTR.
struct SlicedCtr<T: BitsliceToken>(Bitslice<T>);

impl<T: BitsliceToken> SkcipherOps for SlicedCtr<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let counter = block16(iv);
        while let Some(run) = text.next(16, 0) {
            self.0.ctr(counter, run);
        }
    }
}

impl<T: BitsliceToken> Make for SlicedCtr<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Bitslice::make(token, key, weak).map(Self)
    }
}

/// CBC: encryption, where each block waits for the one before, by a cipher for single blocks.
struct SlicedCbc<T: BitsliceToken> {
    parallel: Bitslice<T>,
    serial: AesFixedTime,
}

impl<T: BitsliceToken> SkcipherOps for SlicedCbc<T> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => cbc::encrypt(&self.serial, iv, run),
                Direction::Decrypt => self.parallel.cbc_decrypt(block16(iv), run),
            }
        }
    }
}

impl<T: BitsliceToken> Make for SlicedCbc<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let serial = AesFixedTime::make(Portable::new(), key, weak)?;
        Ok(Self { parallel: Bitslice::make(token, key, weak)?, serial })
    }
}

impl<T: BitsliceToken> Make for Xts<Bitslice<T>, AesFixedTime> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let (data, tweak) = check_halves(key, weak)?;
        let tweak = AesFixedTime::make(Portable::new(), tweak, weak)?;
        Ok(Self { data: Bitslice::make(token, data, weak)?, tweak })
    }
}

// Fused modes.

/// The modes of which a text's runs are texts of their own, chained by the IV: a run is what there is to write.
macro_rules! by_runs {
    ($($(#[$doc:meta])* $name:ident: |$key:ident, $direction:ident, $iv:ident, $run:ident| $crypt:expr $(, { $($more:tt)* })?;)*) => {$(
        $(#[$doc])*
        struct $name<T>(AesKey<T>);

        impl<T: AesToken> SkcipherOps for $name<T> {
            fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
                while let Some(run) = text.next(16, 0) {
                    self.crypt_run(direction, iv, run);
                }
            }

            #[allow(unused_mut, reason = "CBC passes on where the run is, and no copy of it")]
            fn crypt_run(&self, $direction: Direction, $iv: &mut [u8], mut $run: InOut<'_>) {
                let $key = &self.0;
                $crypt
            }

            fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
                self.0.set(key)
            }

            $($($more)*)?
        }
    )*};
}

by_runs! {
    /// ECB.
    FusedEcb: |key, direction, _iv, run| match direction {
        Direction::Encrypt => key.ecb_encrypt(run),
        Direction::Decrypt => key.ecb_decrypt(run),
    };
    /// CBC. The arguments go on to the kernel in the registers in which they come: the pair of key and direction is the first two.
    FusedCbc: |key, direction, iv, run| key.token().vectorize_with(
        (key, direction),
        iv,
        &mut run,
        #[inline(always)]
        |(key, direction), iv, run| match direction {
            Direction::Encrypt => key.cbc_encrypt_here(block16(iv), run),
            Direction::Decrypt => key.cbc_decrypt_here(block16(iv), run),
        },
    ), {
        fn crypt_once(&self, direction: Direction, iv: &[u8], mut run: InOut<'_>) {
            self.0.token().vectorize_with(
                (&self.0, direction),
                iv,
                &mut run,
                #[inline(always)]
                |(key, direction), iv, run| match direction {
                    Direction::Encrypt => key.cbc_encrypt_once_here(same16(iv), run),
                    Direction::Decrypt => key.cbc_decrypt_here(&mut { *same16(iv) }, run),
                },
            );
        }

        /// Encryption in lanes.
        fn crypt_many(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
            for jobs in jobs.chunks_mut(MANY) {
                let (mut lanes, mut known) = (Jobs::new(), Known::<Self>::new());
                for job in jobs {
                    match known.find(job.ops) {
                        Some(Self(key)) if direction == Direction::Encrypt => {
                            lanes.push(CbcJob { key, iv: block16(job.iv), data: job.text.reborrow() });
                        }
                        _ => job.run(direction),
                    }
                }
                cbc_encrypt_many(&mut lanes);
            }
        }
    };
    /// CTR.
    FusedCtr: |key, _direction, iv, run| key.ctr(block16(iv), run);
}

/// XCTR.
struct FusedXctr<T>(AesKey<T>);

impl<T: AesToken> SkcipherOps for FusedXctr<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let (iv, mut index) = (block16(iv), 0);
        while let Some(run) = text.next(16, 0) {
            self.0.xctr(iv, &mut index, run);
        }
    }

    fn crypt_run(&self, _direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.0.xctr(block16(iv), &mut 0, run);
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.0.set(key)
    }
}

macro_rules! make_of_aes_key {
    ($($name:ident),*) => {$(
        impl<T: AesToken> Make for $name<T> {
            type Token = T;

            fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
                AesKey::make(token, key, weak).map(Self)
            }

            fn boxed(token: T, key: &[u8], _: WeakKeys) -> Result<Box<Self>, BadKey> {
                let mut new = Box::new(Self(AesKey::unset(token)));
                if new.0.set(key) { Ok(new) } else { Err(KEY_LENGTH) }
            }
        }
    )*};
}

make_of_aes_key!(FusedEcb, FusedCbc, FusedCtr, FusedXctr);

impl<T: AesToken> SkcipherOps for XtsKey<T> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut tweak = self.tweak(block16(iv));
        while let Some(run) = text.next(16, 32) {
            match direction {
                Direction::Encrypt => self.encrypt(&mut tweak, run),
                Direction::Decrypt => self.decrypt(&mut tweak, run),
            }
        }
    }

    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.crypt_once(direction, iv, run);
    }

    fn crypt_once(&self, direction: Direction, iv: &[u8], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.encrypt_unit(same16(iv), run),
            Direction::Decrypt => self.decrypt_unit(same16(iv), run),
        }
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        check_halves(key, weak).is_ok() && self.set(key)
    }

    fn crypt_part(
        &self,
        direction: Direction,
        first: bool,
        state: &mut [u8; 16],
        text: InOut<'_>,
        beside: InOut<'_>,
    ) -> bool {
        match direction {
            Direction::Encrypt => self.encrypt_part(first, state, text, beside),
            Direction::Decrypt => self.decrypt_part(first, state, text, beside),
        }
        true
    }
}

impl<T: AesToken> Make for XtsKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Self::boxed(token, key, weak).map(|new| *new)
    }

    fn boxed(token: T, key: &[u8], weak: WeakKeys) -> Result<Box<Self>, BadKey> {
        check_halves(key, weak)?;
        let mut new = Box::new(Self::unset(token));
        if new.set(key) { Ok(new) } else { Err(BadKey("an XTS key has 32, 48 or 64 bytes")) }
    }
}

impl<T: GcmToken> AeadOps for GcmKey<T> {
    fn check(&self, _iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        gcm::check_text(text_len)
    }

    fn set_key(&mut self, key: &[u8], _: WeakKeys) -> bool {
        self.set(key)
    }

    fn unchecked(&self) -> Option<u64> {
        Some(gcm::MAX_TEXT)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = gcm_pieces(self, Direction::Encrypt, iv12(iv), assoc, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = gcm_pieces(self, Direction::Decrypt, iv12(iv), assoc, text);
        tag::matches(&mut full, tag)
    }

    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        match tag.try_into() {
            Ok(tag) => GcmKey::seal(self, iv12(iv), packet, tag),
            Err(_) => gcm_seal_short(self, iv12(iv), packet, tag),
        }
    }

    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        match tag.try_into() {
            Ok(tag) => GcmKey::open(self, iv12(iv), packet, tag),
            Err(_) => gcm_open_short(self, iv12(iv), packet, tag),
        }
    }
}

/// A tag of less than 16 bytes. Apart, as what is above is otherwise a jump.
#[cold]
#[inline(never)]
fn gcm_seal_short<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &mut [u8]) {
    let mut full = [0; 16];
    key.seal(iv, packet, &mut full);
    tag::write(&full, tag);
}

#[cold]
#[inline(never)]
fn gcm_open_short<T: GcmToken>(key: &GcmKey<T>, iv: &[u8; 12], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
    let mut full = [0; 16];
    key.unseal(iv, packet, &mut full);
    tag::matches(&mut full, tag)
}

fn iv12(iv: &[u8]) -> &[u8; 12] {
    iv.try_into().expect("the IV has 12 bytes")
}

#[inline(never)]
fn gcm_pieces<T: GcmToken>(
    key: &GcmKey<T>,
    direction: Direction,
    iv: &[u8; 12],
    assoc: &[&[u8]],
    text: &mut Text<'_>,
) -> [u8; 16] {
    let mut state = key.start(iv);
    assoc.iter().for_each(|part| key.aad(&mut state, part));
    while let Some(run) = text.next(16, 0) {
        match direction {
            Direction::Encrypt => key.encrypt(&mut state, run),
            Direction::Decrypt => key.decrypt(&mut state, run),
        }
    }
    key.finish(state)
}

impl<T: GcmToken> Make for GcmKey<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(KEY_LENGTH)
    }

    fn boxed(token: T, key: &[u8], _: WeakKeys) -> Result<Box<Self>, BadKey> {
        let mut new = Box::new(Self::unset(token));
        if new.set(key) { Ok(new) } else { Err(KEY_LENGTH) }
    }
}

/// CCM: CBC-MAC and CTR in one pass.
struct FusedCcm<T: AesToken>(InProgress<AesKey<T>>);

impl<T: AesToken> FusedCcm<T> {
    fn pass(&self, direction: Direction, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag_len: usize) -> [u8; 16] {
        let key = &self.0.keyed().0;
        let assoc_len = assoc.iter().map(|a| a.len()).sum();
        let prefix = ccm::Prefix::new(iv, assoc_len, text.len(), tag_len);
        let mut mac = [0; 16];
        let mut short = [0; 64];
        if let Some(blocks) = prefix.gather(assoc, &mut short) {
            key.cbc_mac(&mut mac, blocks);
        } else {
            let mut start = self.0.clone();
            prefix.pieces(assoc).for_each(|piece| PlainState::update(&mut start, piece));
            PlainState::finish(&mut start, &mut mac);
        }
        let (mut counter, mut mask) = (prefix.counter, [0; 16]);
        key.ctr(&mut counter, InOut::from(&mut mask[..]));
        while let Some(run) = text.next(16, 0) {
            match direction {
                Direction::Encrypt => key.ccm_encrypt(&mut counter, &mut mac, run),
                Direction::Decrypt => key.ccm_decrypt(&mut counter, &mut mac, run),
            }
        }
        std::array::from_fn(|i| mac[i] ^ mask[i])
    }
}

impl<T: AesToken> Make for FusedCcm<T> {
    type Token = T;

    fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(InProgress::new(AesKey::make(token, key, weak)?, Last::ZeroPad)))
    }
}

impl<T: AesToken> AeadOps for FusedCcm<T> {
    fn check(&self, iv: &[u8], _assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        ccm::check(iv, text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = self.pass(Direction::Encrypt, iv, assoc, text, tag.len());
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = self.pass(Direction::Decrypt, iv, assoc, text, tag.len());
        tag::matches(&mut full, tag)
    }

    fn lanes(&self) -> usize {
        8 * T::V::BLOCKS
    }

    /// In lanes, but for messages with much associated data.
    fn crypt_many(&self, direction: Direction, jobs: &mut [AeadJob<'_>]) {
        for jobs in jobs.chunks_mut(MANY) {
            let mut starts = [[0; ccm::START]; MANY];
            let (mut lanes, mut tags, mut known) = (Jobs::new(), Jobs::new(), Known::<Self>::new());
            for (job, start) in jobs.iter_mut().zip(&mut starts) {
                let start = ccm::start(start, job.iv, job.assoc, job.text_len(), job.tag_len());
                let (Some(ccm), Some((prefix, counter))) = (known.find(job.ops), start) else {
                    job.run();
                    continue;
                };
                let (data, tag) = job.split();
                lanes.push(CcmJob { key: &ccm.0.keyed().0, prefix, counter, data, tag: [0; 16] });
                tags.push(tag);
            }
            match direction {
                Direction::Encrypt => ccm_many::<T, true>(&mut lanes),
                Direction::Decrypt => ccm_many::<T, false>(&mut lanes),
            }
            lanes.iter_mut().zip(tags).for_each(|(lane, tag)| tag.finish(&mut lane.tag));
        }
    }
}

impl<T: AesToken> Chain for AesKey<T> {
    const LANES: usize = 8 * T::V::BLOCKS;

    fn block(&self) -> usize {
        16
    }

    fn absorb(&self, state: &mut [u8], blocks: &[u8]) {
        self.cbc_mac(block16(state), blocks);
    }

    fn absorb_many(jobs: &mut [MacJob<'_, Self>]) {
        cbc_mac_many(jobs);
    }
}

macro_rules! macs {
    ($($(#[$doc:meta])* $name:ident: |$key:ident| $keyed:expr;)*) => {$(
        $(#[$doc])*
        struct $name<T: AesToken>(Fresh<InProgress<AesKey<T>>>);

        impl<T: AesToken> HashOps for $name<T> {
            fn start(&self) -> Box<dyn HashState> {
                self.0.start()
            }

            fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
                match parts {
                    [message] => self.digest_whole(message, out),
                    _ => self.0.digest(parts, out),
                }
            }

            fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
                let (key, last) = self.0.0.keyed();
                match last {
                    Last::Masked(masks) => out.copy_from_slice(&key.masked_mac(masks, message)),
                    _ => self.0.digest_whole(message, out),
                }
            }

            fn digest_many(&self, jobs: &mut [HashJob<'_>]) {
                Fresh::digest_many(jobs, |mac: &Self| &mac.0);
            }
        }

        impl<T: AesToken> Make for $name<T> {
            type Token = T;

            fn make(token: T, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
                let $key = AesKey::make(token, key, weak)?;
                let (chain, last) = $keyed;
                Ok(Self(Fresh(InProgress::new(chain, last))))
            }
        }
    )*};
}

macs! {
    /// CMAC.
    Cmac: |key| {
        let last = mac::cmac_last(&key);
        (key, last)
    };
    /// XCBC.
    Xcbc: |key| mac::xcbc(&key, |k1| AesKey::new(key.token(), k1).ok_or(KEY_LENGTH))?;
    /// CBC-MAC.
    Cbcmac: |key| (key, Last::ZeroPad);
}

/// The drivers for CPUs with AES instructions: one line a kind of CPU.
macro_rules! fused {
    ($token:ty, $cpu:literal, $priority:literal) => {
        &[
            Row::skcipher::<FusedEcb<$token>>(&ECB, concat!("ecb-aes-", $cpu), $priority),
            Row::skcipher::<FusedCbc<$token>>(&CBC, concat!("cbc-aes-", $cpu), $priority),
            Row::skcipher::<FusedCtr<$token>>(&CTR, concat!("ctr-aes-", $cpu), $priority),
            Row::skcipher::<FusedXctr<$token>>(&XCTR, concat!("xctr-aes-", $cpu), $priority),
            Row::skcipher::<XtsKey<$token>>(&XTS, concat!("xts-aes-", $cpu), $priority),
            Row::aead::<GcmKey<$token>>(&GCM, concat!("gcm-aes-", $cpu), $priority),
            Row::aead::<FusedCcm<$token>>(&CCM, concat!("ccm-aes-", $cpu), $priority),
            Row::hash::<Cmac<$token>>(&CMAC, concat!("cmac-aes-", $cpu), $priority),
            Row::hash::<Xcbc<$token>>(&XCBC, concat!("xcbc-aes-", $cpu), $priority),
            Row::hash::<Cbcmac<$token>>(&CBCMAC, concat!("cbcmac-aes-", $cpu), $priority),
        ]
    };
}

/// The drivers for CPUs without: bit-sliced where a mode has batches of blocks.
macro_rules! bitsliced {
    ($token:ty, $cpu:literal, $priority:literal) => {
        &[
            Row::skcipher::<Ecb<Bitslice<$token>>>(&ECB, concat!("ecb-aes-", $cpu), $priority),
            Row::skcipher::<SlicedCbc<$token>>(&CBC, concat!("cbc-aes-", $cpu), $priority),
            Row::skcipher::<SlicedCtr<$token>>(&CTR, concat!("ctr-aes-", $cpu), $priority),
            Row::skcipher::<Xctr<Bitslice<$token>>>(&XCTR, concat!("xctr-aes-", $cpu), $priority),
            Row::skcipher::<Xts<Bitslice<$token>, AesFixedTime>>(&XTS, concat!("xts-aes-", $cpu), $priority),
        ]
    };
}

pub(super) static ROWS: &[&[Row]] = &[
    &[
        Row::cipher::<AesGeneric>(&AES, "aes-generic", 100).table(),
        Row::cipher::<AesFixedTime>(&AES, "aes-fixed-time", 101),
    ],
    bitsliced!(Portable, "u64bs", 150),
    #[cfg(target_arch = "x86_64")]
    bitsliced!(cpu::Ssse3, "ssse3bs", 200),
    #[cfg(target_arch = "x86_64")]
    bitsliced!(cpu::Avx2, "avx2bs", 250),
    #[cfg(target_arch = "x86_64")]
    bitsliced!(cpu::Avx512, "avx512bs", 290),
    #[cfg(target_arch = "aarch64")]
    bitsliced!(cpu::Neon, "neonbs", 250),
    #[cfg(target_arch = "x86_64")]
    &[Row::cipher::<AesKey<cpu::AesNi>>(&AES, "aes-aesni", 300)],
    #[cfg(target_arch = "x86_64")]
    fused!(cpu::AesNi, "aesni", 400),
    #[cfg(target_arch = "x86_64")]
    fused!(cpu::Vaes256, "vaes-avx2", 600),
    #[cfg(target_arch = "x86_64")]
    fused!(cpu::Vaes512, "vaes-avx512", 800),
    #[cfg(target_arch = "aarch64")]
    &[Row::cipher::<AesKey<cpu::ArmCe>>(&AES, "aes-ce", 300)],
    #[cfg(target_arch = "aarch64")]
    fused!(cpu::ArmCe, "ce", 400),
];
