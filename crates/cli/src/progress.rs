//! Progress bars, on terminals and for long work only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// A bar on standard error, which appears after a delay.
pub struct Progress {
    bar: ProgressBar,
    style: ProgressStyle,
    hidden_until: Option<Instant>,
}

impl Progress {
    /// Counts items, such as drivers.
    pub fn items(total: u64) -> Self {
        Self::new(Some(total), "{wide_bar} {pos}/{len} {msg}")
    }

    /// Counts bytes, and says how long the rest takes; `total` is `None` if unknown.
    pub fn bytes(total: Option<u64>) -> Self {
        let known = "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec}, {eta} left";
        Self::new(total, if total.is_some() { known } else { "{binary_bytes} {binary_bytes_per_sec}" })
    }

    /// Counts bytes of data that is rewritten, of which `done` were done before.
    pub fn rewritten(total: u64, done: u64) -> Self {
        let progress = Self::bytes(Some(total));
        progress.bar.set_position(done);
        progress.bar.reset_eta();
        progress
    }

    fn new(total: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let hidden_until = io::stderr().is_terminal().then(|| Instant::now() + PATIENCE);
        Self { bar, style, hidden_until }
    }

    pub fn advance(&mut self, by: u64) {
        self.bar.inc(by);
        if self.hidden_until.is_some_and(|time| Instant::now() >= time) {
            self.hidden_until = None;
            self.bar.set_style(self.style.clone());
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    pub fn message(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Runs `print` while the bar is hidden.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
