//! Symmetric ciphers with a mode.

use crate::{MAX_TEXT, answer};
use algkit::{Direction, InOut, Text, driver::SkcipherOps};
use std::io;
use zeroize::Zeroizing;

/// A keyed cipher in the host's kernel.
pub(crate) trait HostCipher: Send + Sync {
    /// Encrypts or decrypts `src`, which is not empty, to `dst`, which has the same length, in one request.
    fn crypt(&self, direction: Direction, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()>;
}

/// How the IV of the next request follows from this one. The kernel does not return a chaining value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chaining {
    /// There is no IV.
    Ecb,
    /// The IV is the last ciphertext block.
    Cbc,
    /// The IV is a big-endian counter of blocks.
    Ctr,
    /// A request is a complete message, and the IV is not changed.
    Whole,
}

impl Chaining {
    /// The chaining of an algorithm, if it is known.
    pub(crate) fn of(algorithm: &str) -> Option<Self> {
        let (mode, inner) = algorithm.split_once('(').unwrap_or((algorithm, ""));
        match mode {
            "ecb" => Some(Self::Ecb),
            "cbc" => Some(Self::Cbc),
            "ctr" => Some(Self::Ctr),
            "xts" | "rfc3686" => Some(Self::Whole),
            "chacha20" | "xchacha20" | "xchacha12" if inner.is_empty() => Some(Self::Whole),
            _ => None,
        }
    }
}

/// A cipher of the host with an own instance as the fallback.
pub(crate) struct Cipher {
    pub(crate) host: Box<dyn HostCipher>,
    pub(crate) own: Box<dyn SkcipherOps>,
    pub(crate) chaining: Chaining,
}

impl Cipher {
    /// Whether the host gives the same results as the own driver in both directions.
    pub(crate) fn is_sound(&self, ivsize: usize) -> bool {
        let iv = vec![1; ivsize];
        [Direction::Encrypt, Direction::Decrypt].into_iter().all(|direction| {
            let (text, mut want, mut got) = ([0x5a; 64], [0x5a; 64], [0; 64]);
            self.own.crypt(direction, &mut iv.clone(), &mut Text::from(&mut want[..]));
            self.host.crypt(direction, &iv, &text, &mut got).is_ok() && got == want
        })
    }

    /// Sends one request to the host. Returns false, with nothing changed, if it was refused.
    fn request(&self, direction: Direction, iv: &mut [u8], run: &mut InOut<'_>) -> bool {
        let mut out = Zeroizing::new(vec![0; run.len()]);
        if answer(self.host.crypt(direction, iv, run.src(), &mut out)).is_none() {
            return false;
        }
        match self.chaining {
            Chaining::Cbc => {
                let ciphertext = if direction == Direction::Encrypt { &out } else { run.src() };
                iv.copy_from_slice(&ciphertext[ciphertext.len() - iv.len()..]);
            }
            Chaining::Ctr => add(iv, run.len().div_ceil(iv.len()) as u64),
            Chaining::Ecb | Chaining::Whole => {}
        }
        run.put(0, &out);
        true
    }

    /// Sends a text of at most [`MAX_TEXT`] bytes as one message. Returns false if it was refused.
    fn whole(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) -> bool {
        let src = Zeroizing::new(text.sources().collect::<Vec<_>>().concat());
        let mut out = Zeroizing::new(vec![0; src.len()]);
        let done = answer(self.host.crypt(direction, iv, &src, &mut out)).is_some();
        if done {
            write(text, &out);
        }
        done
    }
}

impl SkcipherOps for Cipher {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        if self.chaining == Chaining::Whole {
            if !(1..=MAX_TEXT).contains(&text.len()) || !self.whole(direction, iv, text) {
                self.own.crypt(direction, iv, text);
            }
            return;
        }
        // Every cipher in ECB has blocks of at most 16 bytes.
        let granule = if self.chaining == Chaining::Ecb { 16 } else { iv.len() };
        while let Some(mut rest) = text.next(granule, 0) {
            while !rest.is_empty() {
                let mut run = rest.take(MAX_TEXT).unwrap_or_else(|| rest.take_all());
                if !self.request(direction, iv, &mut run) {
                    self.own.crypt(direction, iv, &mut Text::from(run));
                }
            }
        }
    }
}

/// Writes `out` to the destination of `text`, which has the same length.
pub(crate) fn write(text: &mut Text<'_>, mut out: &[u8]) {
    text.rewind();
    while let Some(mut run) = text.next(1, 0) {
        let (now, later) = out.split_at(run.len());
        run.put(0, now);
        out = later;
    }
}

/// Adds `n` to a big-endian counter that fills the slice, wrapping around.
fn add(counter: &mut [u8], n: u64) {
    let mut carry = n;
    for byte in counter.iter_mut().rev() {
        carry += u64::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use algkit::{Registry, Skcipher, driver::Keyed};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A host that works like algkit for `patience` requests and then fails.
    struct Host {
        cipher: Skcipher,
        patience: AtomicUsize,
        /// The value added to every output byte.
        wrong: u8,
    }

    impl HostCipher for Host {
        fn crypt(&self, direction: Direction, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()> {
            assert!(!src.is_empty() && src.len() <= MAX_TEXT);
            let patience = &self.patience;
            if patience.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let text = Text::new(src, dst).unwrap();
            self.cipher.crypt(direction, &mut iv.to_vec(), &mut { text }).unwrap();
            dst.iter_mut().for_each(|byte| *byte = byte.wrapping_add(self.wrong));
            Ok(())
        }
    }

    fn cipher(name: &str, patience: usize, wrong: u8) -> (Cipher, Skcipher) {
        let key: Vec<u8> = (0..32).collect();
        let registry = Registry::global().unwrap();
        let unkeyed = registry.skcipher(name).unwrap();
        let make = || unkeyed.key(&key).unwrap();
        let host = Host { cipher: make(), patience: patience.into(), wrong };
        let weak = algkit::WeakKeys::Refuse;
        let Ok(Keyed::Skcipher(own)) = (unkeyed.driver().make)(registry.cpu(), &key, weak) else { panic!("{name}") };
        (Cipher { host: Box::new(host), own, chaining: Chaining::of(name).unwrap() }, make())
    }

    #[test]
    fn whatever_the_host_does_the_answer_is_right() {
        for name in ["ecb(aes)", "cbc(aes)", "ctr(aes)", "xts(aes)", "chacha20"] {
            for patience in [usize::MAX, 0, 1, 2] {
                for len in [16, 48, 1000 * 16, MAX_TEXT, MAX_TEXT + 16, 3 * MAX_TEXT + 32] {
                    let (cipher, reference) = cipher(name, patience, 0);
                    for direction in [Direction::Encrypt, Direction::Decrypt] {
                        let text: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
                        let mut iv = vec![0xff; reference.driver().shape.ivsize];
                        let (mut want, mut want_iv) = (text.clone(), iv.clone());
                        reference.crypt(direction, &mut want_iv, &mut Text::from(&mut want[..])).unwrap();
                        let mut got = text.clone();
                        let pieces = got.chunks_mut(if patience == 2 { 1003 } else { len });
                        cipher.crypt(direction, &mut iv, &mut Text::segments_in_place(pieces));
                        assert!(got == want, "{name}, {len} bytes, {patience}");
                        assert_eq!(iv, want_iv, "{name}, {len} bytes, {patience}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_partial_block_uses_up_a_counter() {
        let (cipher, reference) = cipher("ctr(aes)", usize::MAX, 0);
        for len in [0, 1, 15, 17, MAX_TEXT + 5] {
            let (mut iv, mut want_iv) = ([0xff; 16], [0xff; 16]);
            let (mut got, mut want) = (vec![3; len], vec![3; len]);
            cipher.crypt(Direction::Encrypt, &mut iv, &mut Text::from(&mut got[..]));
            reference.encrypt(&mut want_iv, &mut want[..]).unwrap();
            assert!(got == want && iv == want_iv, "{len}");
        }
    }

    #[test]
    fn a_host_that_is_wrong_or_dead_is_unsound() {
        assert!(cipher("cbc(aes)", usize::MAX, 0).0.is_sound(16));
        assert!(!cipher("cbc(aes)", usize::MAX, 1).0.is_sound(16));
        assert!(!cipher("cbc(aes)", 1, 0).0.is_sound(16));
    }

    #[test]
    fn unknown_modes_are_not_served() {
        for name in
            ["cts(cbc(aes))", "lrw(aes)", "pcbc(aes)", "essiv(cbc(aes),sha256)", "xctr(aes)", "chacha20(aes)", ""]
        {
            assert_eq!(Chaining::of(name), None, "{name}");
        }
    }
}
