//! Checks of a random number generator's output that need no known values.

use super::{Side, exercise::rng};
use crate::driver::Failure;

/// Output lengths: zero, and around the size of a generator's block.
const LENGTHS: [usize; 4] = [0, 1, 32, 65];

/// The length of an output in bytes. Two random outputs of this length are practically never equal.
const DRAW_LEN: usize = 32;

/// Checks that the generator fills its output and that neither requests nor instances repeat an output.
pub(super) fn check(subject: &Side<'_>) -> Result<(), String> {
    let (first, second) = (subject.key(&[])?, subject.key(&[])?);
    let draw = || {
        let (first, second) = (rng(&first)?, rng(&second)?);
        let mut draws = [[0; DRAW_LEN]; 4];
        first.generate(&[], &mut draws[0])?;
        first.generate(&[], &mut draws[1])?;
        second.generate(&[], &mut draws[2])?;
        second.reseed(b"additional input")?;
        second.generate(b"additional input", &mut draws[3])?;
        for len in LENGTHS {
            first.generate(&[], &mut vec![0; len])?;
        }
        Ok(draws)
    };
    let draws: [[u8; DRAW_LEN]; 4] = draw().map_err(|Failure(reason)| reason)?;
    for (i, draw) in draws.iter().enumerate() {
        if draws[..i].contains(draw) {
            return Err("repeats itself".to_owned());
        }
        if draw[1..].iter().all(|byte| *byte == draw[0]) {
            return Err("gives one byte over and over".to_owned());
        }
    }
    Ok(())
}
