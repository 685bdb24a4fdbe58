//! Welch's t-test between two classes of timings.
//!
//! Timings have a long tail that does not depend on the inputs: interrupts and other tenants. So the test is made on
//! all samples, and again on those below each of several quantiles of the pooled samples. The largest |t| counts.

/// Quantiles below which samples are kept.
const CROPS: &[f64] = &[1.0, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25];

/// Running mean and variance (Welford 1962).
#[derive(Clone, Copy, Default, Debug)]
struct Moments {
    n: f64,
    mean: f64,
    m2: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.n += 1.0;
        let delta = x - self.mean;
        self.mean += delta / self.n;
        self.m2 += delta * (x - self.mean);
    }

    /// The variance of the mean.
    fn error(&self) -> f64 {
        self.m2 / (self.n - 1.0) / self.n
    }
}

/// The difference between two classes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Difference {
    /// Welch's t, a measure of certainty.
    pub t: f64,
    /// The difference of the means, as a fraction of the second mean.
    pub size: f64,
}

/// The difference between two lists of samples; 0 if there is nothing to compare.
fn difference(classes: [impl Iterator<Item = u32>; 2]) -> Difference {
    let [a, b] = classes.map(|samples| {
        let mut moments = Moments::default();
        samples.for_each(|x| moments.add(f64::from(x)));
        moments
    });
    if a.n < 2.0 || b.n < 2.0 || a.mean == b.mean {
        return Difference::default();
    }
    // If both variances are 0, t is infinite, and the difference is certain.
    Difference { t: (a.mean - b.mean) / (a.error() + b.error()).sqrt(), size: (a.mean - b.mean) / b.mean }
}

/// The difference with the largest |t| over all quantiles.
pub fn largest_difference(classes: [&[u32]; 2]) -> Difference {
    let mut pooled: Vec<u32> = classes.concat();
    pooled.sort_unstable();
    let Some(last) = pooled.len().checked_sub(1) else { return Difference::default() };
    CROPS
        .iter()
        .map(|crop| {
            let limit = pooled[(last as f64 * crop) as usize];
            difference(classes.map(|samples| samples.iter().copied().filter(move |&x| x <= limit)))
        })
        .fold(Difference::default(), |max, d| if d.t.abs() > max.t.abs() { d } else { max })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The means are 2 and 5, the variances 1 and 4, with three samples each: t = -3 / sqrt(1/3 + 4/3) = -2.3238.
    #[test]
    fn by_hand() {
        let d = difference([[1, 2, 3].into_iter(), [3, 5, 7].into_iter()]);
        assert!((d.t + 2.3238).abs() < 1e-4 && (d.size + 0.6).abs() < 1e-9, "{d:?}");
    }

    #[test]
    fn a_shift_behind_a_long_tail_is_found() {
        let noise = |i: u32| 1000 + i * 7919 % 50;
        let tail = |i: u32| if i % 100 == 99 { 100_000 + i * 104_729 % 900_000 } else { 0 };
        let a: Vec<_> = (0..10_000).map(|i| noise(i) + tail(i)).collect();
        let b: Vec<_> = (0..10_000).map(|i| noise(i) + 3 + tail(i + 31)).collect();
        assert!(largest_difference([&a, &b]).t < -10.0);
        assert_eq!(largest_difference([&a, &a]), Difference::default());
    }

    #[test]
    fn constants() {
        assert_eq!(largest_difference([&[5; 9], &[5; 9]]), Difference::default());
        assert_eq!(largest_difference([&[6; 9], &[5; 9]]).t, f64::INFINITY);
        assert_eq!(largest_difference([&[], &[]]), Difference::default());
    }
}
