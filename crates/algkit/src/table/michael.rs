//! Michael.

use super::row::{Algorithm, Row, keyed_hash};
use crate::{Sizes, adapters::michael::MichaelMic};

static MICHAEL_MIC: Algorithm = keyed_hash("michael_mic", 8, 8, Sizes::of(&[8]));

pub(super) static ROWS: &[&[Row]] =
    &[&[Row::hash::<MichaelMic>(&MICHAEL_MIC, "michael_mic-generic", 100, "michael.rs")]];
