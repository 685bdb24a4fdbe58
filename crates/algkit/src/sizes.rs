//! Sets of lengths.

use std::{borrow::Cow, fmt};

/// The lengths, in bytes, that a key or a tag may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// One of these lengths, in ascending order.
    OneOf(Cow<'static, [usize]>),
    /// Any length from the first to the second, both included.
    Between(usize, usize),
    /// Any even length from the first to the second, both included: two keys of equal length.
    EvenBetween(usize, usize),
}

impl Sizes {
    /// Length 0 only.
    pub const NONE: Self = Self::Between(0, 0);

    /// The lengths in `list`, which must be in ascending order.
    pub const fn of(list: &'static [usize]) -> Self {
        Self::OneOf(Cow::Borrowed(list))
    }

    /// Whether `n` is allowed.
    #[inline]
    pub fn allows(&self, n: usize) -> bool {
        match self {
            // The last length is the most common one (the longest key, the full tag).
            Self::OneOf(list) => list.last() == Some(&n) || list.contains(&n),
            Self::Between(min, max) => (*min..=*max).contains(&n),
            Self::EvenBetween(min, max) => (*min..=*max).contains(&n) && n.is_multiple_of(2),
        }
    }

    /// The smallest length.
    pub fn min(&self) -> usize {
        match self {
            Self::OneOf(list) => list.first().copied().unwrap_or(0),
            Self::Between(min, _) | Self::EvenBetween(min, _) => *min,
        }
    }

    /// The largest length.
    pub fn max(&self) -> usize {
        match self {
            Self::OneOf(list) => list.last().copied().unwrap_or(0),
            Self::Between(_, max) | Self::EvenBetween(_, max) => *max,
        }
    }

    /// Applies `f`, which must be increasing, to every length.
    #[must_use]
    pub fn map(&self, f: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::OneOf(list) => Self::OneOf(list.iter().map(|&n| f(n)).collect()),
            Self::Between(min, max) => Self::Between(f(*min), f(*max)),
            Self::EvenBetween(min, max) => Self::EvenBetween(f(*min), f(*max)),
        }
    }

    /// Adds `more` to each length. What is no limit stays none.
    #[must_use]
    pub(crate) fn plus(&self, more: usize) -> Self {
        self.map(|n| n.saturating_add(more))
    }

    /// Doubles each length.
    #[must_use]
    pub fn twice(&self) -> Self {
        match self.map(|n| n.saturating_mul(2)) {
            Self::Between(min, max) => Self::EvenBetween(min, max),
            other => other,
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(list) => {
                for (i, n) in list.iter().enumerate() {
                    let sep = match i {
                        0 => "",
                        _ if i + 1 == list.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{sep}{n}")?;
                }
                Ok(())
            }
            Self::Between(min, max) if min == max => write!(f, "{min}"),
            Self::Between(min, usize::MAX) => write!(f, "at least {min}"),
            Self::Between(min, max) => write!(f, "{min} to {max}"),
            Self::EvenBetween(min, max) => write!(f, "{min} to {max}, an even number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_sentence() {
        assert_eq!(Sizes::of(&[16, 24, 32]).to_string(), "16, 24 or 32");
        assert_eq!(Sizes::of(&[16, 24, 32]).map(|n| 2 * n).to_string(), "32, 48 or 64");
        assert_eq!(Sizes::Between(5, 16).to_string(), "5 to 16");
        assert_eq!(Sizes::Between(5, usize::MAX).plus(4).to_string(), "at least 9");
        assert_eq!(Sizes::Between(5, 16).twice().to_string(), "10 to 32, an even number");
        assert!(Sizes::Between(0, 4).twice().allows(6) && !Sizes::Between(0, 4).twice().allows(5));
        assert_eq!(Sizes::Between(0, usize::MAX).to_string(), "at least 0");
        assert_eq!(Sizes::of(&[8]).to_string(), "8");
        assert!(Sizes::of(&[8]).allows(8) && !Sizes::of(&[8]).allows(7));
    }
}
