//! Mean times of an operation by the value of each byte of its input.

/// The bytes of an input.
pub const BYTES: usize = 16;

/// A timed operation.
#[derive(Clone, Copy)]
pub struct Sample {
    /// The input.
    pub text: [u8; BYTES],
    /// The time that the operation took.
    pub ticks: u32,
}

/// Mean times by byte and value, as differences from the mean of all.
#[derive(Clone)]
pub struct Profile {
    cells: Vec<[Cell; 256]>,
    taken: usize,
    samples: u64,
    squares: f64,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    samples: u64,
    sum: f64,
}

impl Default for Profile {
    fn default() -> Self {
        Self { cells: vec![[Cell::default(); 256]; BYTES], taken: 0, samples: 0, squares: 0.0 }
    }
}

impl Profile {
    /// Adds samples that were taken one after the other. `shift` says whose time belongs to an input: 0 is its own, 1
    /// that of the sample before.
    ///
    /// Samples slower than `kept` of all, a fraction, are left out: they were interrupted. The others count as
    /// differences from their mean, so that slow changes of the machine's speed do not count.
    pub fn add(&mut self, samples: &[Sample], shift: usize, kept: f64) {
        self.taken += samples.len();
        let mut sorted: Vec<_> = samples.iter().map(|sample| sample.ticks).collect();
        sorted.sort_unstable();
        let Some(last) = sorted.len().checked_sub(1) else { return };
        let limit = sorted[(last as f64 * kept) as usize];
        let below = sorted.partition_point(|&ticks| ticks <= limit);
        let mean = sorted[..below].iter().map(|&ticks| f64::from(ticks)).sum::<f64>() / below as f64;
        for (timed, labelled) in samples.iter().zip(&samples[shift..]) {
            if timed.ticks > limit {
                continue;
            }
            let difference = f64::from(timed.ticks) - mean;
            self.samples += 1;
            self.squares += difference * difference;
            for (row, &value) in self.cells.iter_mut().zip(&labelled.text) {
                let cell = &mut row[usize::from(value)];
                cell.samples += 1;
                cell.sum += difference;
            }
        }
    }

    /// How many samples were added.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// How many of them count.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The standard deviation of a sample.
    pub fn deviation(&self) -> f64 {
        (self.squares / self.samples as f64).sqrt()
    }

    /// For each value of a byte, the mean difference and the variance of that mean.
    pub fn row(&self, byte: usize) -> [(f64, f64); 256] {
        let variance = self.squares / self.samples as f64;
        self.cells[byte].map(|Cell { samples, sum }| match samples {
            0 => (0.0, 0.0),
            n => (sum / n as f64, variance / n as f64),
        })
    }
}
