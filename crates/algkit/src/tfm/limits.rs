//! The length checks before every request.

use crate::{
    Error,
    driver::{Driver, TextRule, Type},
};

/// The lengths that a driver accepts, as numbers that are cheap to compare with. A request within the limits is
/// valid. One outside of them may be valid too; then the driver's [`crate::driver::Shape`] decides.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(super) iv: usize,
    /// A text's length must have no bit of this mask set.
    pub(super) mask: usize,
    pub(super) min: usize,
    /// The digest's length, or the longest tag, which is the most common one.
    pub(super) tag: usize,
    /// Texts shorter than this need no [`AeadOps::check`](crate::driver::AeadOps::check).
    pub(super) free: usize,
}

impl Limits {
    /// The limits of a driver. Texts of up to `unchecked` bytes need no further check.
    pub(super) fn of(driver: &Driver, unchecked: Option<u64>) -> Self {
        let shape = &driver.shape;
        let (iv, tag) = (shape.ivsize, if driver.kind == Type::Hash { shape.digestsize } else { shape.tags.max() });
        let free = unchecked.map_or(0, |most| usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1));
        match shape.text {
            TextRule::Any => Self { iv, mask: 0, min: 0, tag, free },
            TextRule::Blocks if shape.blocksize.is_power_of_two() => {
                Self { iv, mask: shape.blocksize - 1, min: 0, tag, free }
            }
            TextRule::Blocks => Self { iv, mask: usize::MAX, min: 0, tag, free },
            TextRule::Stealing => Self { iv, mask: 0, min: shape.blocksize, tag, free },
            // The fast check accepts lengths below the largest power of two. Longer ones take the slow check.
            TextRule::DataUnit(max) => {
                let below = |max: usize| max.checked_ilog2().map_or(usize::MAX, |bits| usize::MAX << bits);
                let mask = usize::try_from(max).map_or(0, below);
                Self { iv, mask, min: shape.blocksize, tag, free }
            }
            // The fast check accepts none, because the fast path does not check whether the text is intact.
            TextRule::Wrapped => Self { iv, mask: usize::MAX, min: usize::MAX, tag, free },
        }
    }

    #[inline(always)]
    pub(super) fn allow(&self, iv: usize, text: usize) -> bool {
        iv == self.iv && text & self.mask == 0 && text >= self.min
    }
}

#[inline]
pub(super) fn check_out(driver: &Driver, out: &[u8]) -> Result<(), Error> {
    let want = driver.shape.digestsize;
    if out.len() == want || driver.shape.extendable {
        return Ok(());
    }
    Err(Error::OutputLength { got: out.len(), want })
}

#[inline]
pub(super) fn check_iv(driver: &Driver, iv: &[u8]) -> Result<(), Error> {
    if iv.len() == driver.shape.ivsize { Ok(()) } else { bad_iv_length(driver, iv) }
}

#[cold]
#[inline(never)]
fn bad_iv_length(driver: &Driver, iv: &[u8]) -> Result<(), Error> {
    Err(Error::IvLength { name: driver.name.clone(), got: iv.len(), want: driver.shape.ivsize })
}

#[inline]
pub(super) fn check_text(driver: &Driver, len: usize) -> Result<(), Error> {
    if driver.shape.takes(len) { Ok(()) } else { bad_text_length(driver, len) }
}

#[cold]
#[inline(never)]
fn bad_text_length(driver: &Driver, len: usize) -> Result<(), Error> {
    let block = driver.shape.blocksize;
    let want = match driver.shape.text {
        TextRule::Any => unreachable!("any text fits"),
        TextRule::Blocks => format!("a multiple of {block}"),
        TextRule::Stealing => format!("at least {block}"),
        TextRule::DataUnit(max) => format!("{block} to {max}"),
        TextRule::Wrapped => format!("a multiple of {block}, at least {}", 2 * block),
    };
    Err(Error::TextLength { name: driver.name.clone(), got: len as u64, want })
}
