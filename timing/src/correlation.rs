//! Bernstein's attack (2005): what the times of a server tell about the bytes of its key.
//!
//! A table driver's first lookups are at the bytes of text ⊕ key. If the time depends on such a byte, it depends in the
//! same way under every key, and the times by bytes of the text are those of another key with the values permuted by
//! xor. The known key's times are correlated with the unknown key's, permuted by each of the 256 candidates.

use crate::profile::{BYTES, Profile};

/// How many standard deviations above 0 the best correlation must be, or nothing was found. Chance exceeds it once in
/// 250,000 attacks on 16 bytes with 256 candidates each.
pub const SURE: f64 = 6.0;

/// How many standard deviations below the best correlation a candidate may be and still count as possible.
const MARGIN: f64 = 5.0;

/// What is known about one byte of a key.
pub struct Guess {
    /// The best correlation, in standard deviations.
    pub certainty: f64,
    /// All candidates: first those that are not excluded, and among these, those with the highest correlation.
    candidates: Vec<u8>,
    /// How many of them are not excluded.
    pub possible: usize,
}

impl Guess {
    /// How many candidates are better than `value`.
    pub fn rank(&self, value: u8) -> usize {
        self.candidates.iter().take_while(|&&candidate| candidate != value).count()
    }

    /// Whether `value` is excluded.
    pub fn excludes(&self, value: u8) -> bool {
        self.rank(value) >= self.possible
    }

    /// How many bits of the byte are known.
    pub fn bits(&self) -> f64 {
        8.0 - (self.possible as f64).log2()
    }
}

/// Attacks each byte of the key whose times are `unknown`, with the times of a known key.
pub fn attack(known: (&Profile, &[u8; BYTES]), unknown: &Profile) -> Vec<Guess> {
    let (profile, key) = known;
    let rows = (0..BYTES).map(|byte| (profile.row(byte), key[byte], unknown.row(byte)));
    rows.map(|(known, key, unknown)| guess(|x| known[usize::from(x ^ key)], |x| unknown[usize::from(x)])).collect()
}

/// `known` and `unknown` give the mean time and the variance of that mean, by the byte of text ⊕ key and by the byte of
/// the text.
fn guess(known: impl Fn(u8) -> (f64, f64), unknown: impl Fn(u8) -> (f64, f64)) -> Guess {
    let values = || 0..=255u8;
    let correlation = |k: u8| -> f64 { values().map(|x| known(x).0 * unknown(x ^ k).0).sum() };
    let mut list: Vec<_> = values().map(|k| (k, correlation(k))).collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, highest) = list[0];
    // The variance of a sum of products of independent means.
    let noise: f64 = values()
        .map(|x| {
            let (a, b) = (known(x), unknown(x ^ best));
            a.0.powi(2) * b.1 + b.0.powi(2) * a.1 - a.1 * b.1
        })
        .sum();
    let certainty = if noise > 0.0 { highest / noise.sqrt() } else { 0.0 };
    // Compares with the standard deviation of the difference between the best correlation and the candidate's. Values
    // that share a line of the cache have the same mean; so have the candidates that differ by such values.
    let is_possible = |k: u8, correlation: f64| {
        let variance: f64 = values()
            .map(|x| {
                let (a, a_other) = (known(x), known(x ^ k ^ best));
                let (b, b_other) = (unknown(x ^ best), unknown(x ^ k));
                (a.0 - a_other.0).powi(2) * b.1 + (b.0 - b_other.0).powi(2) * a.1
            })
            .sum();
        highest - correlation <= MARGIN * variance.sqrt()
    };
    let (mut candidates, excluded): (Vec<_>, Vec<_>) =
        list.into_iter().partition(|&(k, correlation)| certainty < SURE || is_possible(k, correlation));
    let possible = candidates.len();
    candidates.extend(excluded);
    Guess { certainty, candidates: candidates.into_iter().map(|c| c.0).collect(), possible }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Sample;

    const SAMPLES: usize = 1 << 16;

    /// Times that are noise, and more for some texts. Each profile needs a seed of its own.
    fn profile(seed: u64, shift: usize, more: impl Fn(&[u8; BYTES]) -> u32) -> Profile {
        let mut random = fastrand::Rng::with_seed(seed);
        let samples: Vec<_> = (0..SAMPLES)
            .map(|_| {
                let mut text = [0; BYTES];
                random.fill(&mut text);
                Sample { text, ticks: 200 + random.u32(..8) + more(&text) }
            })
            .collect();
        let mut profile = Profile::default();
        profile.add(&samples, shift, 1.0);
        profile
    }

    fn keys() -> [[u8; BYTES]; 2] {
        [std::array::from_fn(|i| 17 * i as u8 + 3), std::array::from_fn(|i| 101 * i as u8 + 59)]
    }

    /// Lines of 16 values. Three of them take other times, all different, so no difference but 0 maps the lines to
    /// lines of the same time; the lowest four bits cannot be told.
    fn lines(key: [u8; BYTES]) -> impl Fn(&[u8; BYTES]) -> u32 {
        move |text| {
            let time = |(text, key): (&u8, &u8)| [4, 8, 0, 2][usize::from((text ^ key) >> 4).min(3)];
            text.iter().zip(&key).map(time).sum()
        }
    }

    #[test]
    fn a_leak_by_lines_of_the_cache() {
        let [known, unknown] = keys();
        let guesses = attack((&profile(1, 0, lines(known)), &known), &profile(2, 0, lines(unknown)));
        for (guess, byte) in guesses.iter().zip(unknown) {
            assert!(guess.certainty > 2.0 * SURE && !guess.excludes(byte), "{}", guess.certainty);
            let mut possible = guess.candidates[..guess.possible].to_vec();
            possible.sort_unstable();
            assert_eq!(possible, (byte & 0xf0..=byte | 0xf).collect::<Vec<_>>());
            assert!(guess.rank(byte) < 16 && (guess.bits() - 4.0).abs() < 1e-9);
        }
    }

    #[test]
    fn no_leak_and_a_leak_of_other_requests() {
        let [known, unknown] = keys();
        let leak = profile(3, 0, lines(known));
        for other in [profile(4, 0, |_| 0), profile(5, 1, lines(unknown))] {
            for (first, second) in [(&leak, &other), (&other, &leak)] {
                for guess in attack((first, &known), second) {
                    assert!(guess.certainty < SURE && guess.possible == 256, "{}", guess.certainty);
                    assert!((0..=255).all(|k| !guess.excludes(k)) && guess.bits() == 0.0);
                }
            }
        }
    }

    /// Time that depends on the text alone leads to the known key, and so to wrong values.
    #[test]
    fn a_time_that_does_not_depend_on_the_key() {
        let [known, unknown] = keys();
        let [first, second] = [6, 7].map(|seed| profile(seed, 0, lines([0; BYTES])));
        for (guess, (right, known)) in attack((&first, &known), &second).iter().zip(unknown.iter().zip(known)) {
            assert!(!guess.excludes(known));
            assert_eq!(guess.excludes(*right), (right ^ known) >> 4 != 0);
        }
    }

    /// Slow samples are left out, and a slow turn does not count as a difference.
    #[test]
    fn means_by_hand() {
        let sample = |byte, ticks| Sample { text: [byte; BYTES], ticks };
        let mut profile = Profile::default();
        profile.add(&[sample(1, 10), sample(2, 20), sample(1, 12), sample(3, 900)], 0, 0.75);
        profile.add(&[sample(1, 100), sample(2, 106)], 0, 1.0);
        let row = profile.row(15);
        // The means are 14 and 103; value 1 differs by -4, -2 and -3, value 2 by 6 and 3.
        assert_eq!((row[1].0, row[2].0, row[3]), (-3.0, 4.5, (0.0, 0.0)));
        assert_eq!((profile.samples(), profile.taken()), (5, 6));
        // The squares are 16, 36, 4, 9 and 9.
        assert!((row[1].1 - 74.0 / 5.0 / 3.0).abs() < 1e-9 && (profile.deviation().powi(2) - 14.8).abs() < 1e-9);
    }
}
