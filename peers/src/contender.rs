//! What takes part in a measurement.

use peers_plugin::Work;

/// A library's implementation of a case.
pub struct Contender {
    /// The library's name.
    pub library: &'static str,
    /// The name of algkit's driver, or of a bound's instruction.
    pub driver: String,
    /// The call that is measured.
    pub work: Work,
    /// The factor of its time: 1, except for bounds.
    pub scale: f64,
}
