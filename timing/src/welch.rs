//! Welch's t-test between two classes of timings.
//!
//! Timings have a long tail that has nothing to do with the inputs: interrupts and other tenants. The
//! test is therefore made on all samples, and again on those below each of several quantiles of the
//! pooled samples; the largest |t| counts.

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

/// The t statistic of two lists of samples; zero where there is nothing to compare.
fn t(classes: [impl Iterator<Item = u32>; 2]) -> f64 {
    let [a, b] = classes.map(|samples| {
        let mut moments = Moments::default();
        samples.for_each(|x| moments.add(f64::from(x)));
        moments
    });
    if a.n < 2.0 || b.n < 2.0 || a.error() + b.error() == 0.0 {
        return if a.n > 1.0 && b.n > 1.0 && a.mean != b.mean { f64::INFINITY } else { 0.0 };
    }
    (a.mean - b.mean) / (a.error() + b.error()).sqrt()
}

/// The t statistic of largest magnitude over the crops.
pub fn largest_t(classes: [&[u32]; 2]) -> f64 {
    let mut pooled: Vec<u32> = classes.concat();
    pooled.sort_unstable();
    let Some(last) = pooled.len().checked_sub(1) else { return 0.0 };
    CROPS
        .iter()
        .map(|crop| {
            let limit = pooled[(last as f64 * crop) as usize];
            t(classes.map(|samples| samples.iter().copied().filter(move |&x| x <= limit)))
        })
        .fold(0.0, |max: f64, t| if t.abs() > max.abs() { t } else { max })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example by hand: means 2 and 5, variances 1 and 4, three samples each:
    /// t = -3 / sqrt(1/3 + 4/3) = -2.3238.
    #[test]
    fn by_hand() {
        let t = t([[1, 2, 3].into_iter(), [3, 5, 7].into_iter()]);
        assert!((t + 2.3238).abs() < 1e-4, "{t}");
    }

    #[test]
    fn a_shift_behind_a_long_tail_is_found() {
        let noise = |i: u32| 1000 + i * 7919 % 50;
        let tail = |i: u32| if i % 100 == 99 { 100_000 + i * 104_729 % 900_000 } else { 0 };
        let a: Vec<_> = (0..10_000).map(|i| noise(i) + tail(i)).collect();
        let b: Vec<_> = (0..10_000).map(|i| noise(i) + 3 + tail(i + 31)).collect();
        assert!(largest_t([&a, &b]) < -10.0);
        assert_eq!(largest_t([&a, &a]), 0.0);
    }

    #[test]
    fn constants() {
        assert_eq!(largest_t([&[5; 9], &[5; 9]]), 0.0);
        assert_eq!(largest_t([&[5; 9], &[6; 9]]), f64::INFINITY);
        assert_eq!(largest_t([&[], &[]]), 0.0);
    }
}
