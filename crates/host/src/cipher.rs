//! Ciphers with a mode.

use crate::MAX_TEXT;
use algkit::{Direction, InOut, Text, driver::SkcipherOps};
use std::io;
use zeroize::Zeroizing;

/// A keyed cipher in the host's kernel.
pub(crate) trait HostCipher: Send + Sync {
    /// Passes `src`, which is not empty, to `dst`, which is as long, as one request.
    fn crypt(&self, direction: Direction, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()>;
}

/// How a request goes on where another has ended; the kernel does not tell its chaining value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chaining {
    /// Without an IV.
    Ecb,
    /// From the last block of ciphertext.
    Cbc,
    /// From a big-endian counter of blocks.
    Ctr,
    /// Not at all: one request is one message, and the IV stays.
    Whole,
}

impl Chaining {
    /// That of an algorithm, if it is known.
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

/// A cipher of the host, with one of our own to fall back on.
pub(crate) struct Cipher {
    pub(crate) host: Box<dyn HostCipher>,
    pub(crate) own: Box<dyn SkcipherOps>,
    pub(crate) chaining: Chaining,
}

impl Cipher {
    /// Whether the host gives our own driver's answer both ways.
    pub(crate) fn is_sound(&self, ivsize: usize) -> bool {
        let iv = vec![1; ivsize];
        [Direction::Encrypt, Direction::Decrypt].into_iter().all(|direction| {
            let (text, mut want, mut got) = ([0x5a; 64], [0x5a; 64], [0; 64]);
            self.own.crypt(direction, &mut iv.clone(), &mut Text::from(&mut want[..]));
            self.host.crypt(direction, &iv, &text, &mut got).is_ok() && got == want
        })
    }

    /// One request to the host; false if it was refused, and nothing has changed.
    fn request(&self, direction: Direction, iv: &mut [u8], run: &mut InOut<'_>) -> bool {
        let mut out = Zeroizing::new(vec![0; run.len()]);
        if self.host.crypt(direction, iv, run.src(), &mut out).is_err() {
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

    /// A text of at most [`MAX_TEXT`] bytes as one message.
    fn whole(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) -> bool {
        let src = Zeroizing::new(text.sources().collect::<Vec<_>>().concat());
        let mut out = Zeroizing::new(vec![0; src.len()]);
        let done = self.host.crypt(direction, iv, &src, &mut out).is_ok();
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
        // ECB of any cipher has blocks of at most 16 bytes.
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

    fn check_iv(&self, iv: &[u8]) -> Result<(), &'static str> {
        self.own.check_iv(iv)
    }
}

/// Fills the destination of `text` with `out`, which is as long.
pub(crate) fn write(text: &mut Text<'_>, mut out: &[u8]) {
    text.rewind();
    while let Some(mut run) = text.next(1, 0) {
        let (now, later) = out.split_at(run.len());
        run.put(0, now);
        out = later;
    }
}

/// Adds `n` to a big-endian counter that fills the slice, wrapping.
fn add(counter: &mut [u8], n: u64) {
    let mut carry = n;
    for byte in counter.iter_mut().rev() {
        carry += u64::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
}
