//! AES.

use super::row::Row;

pub(super) static ROWS: &[Row] = &[];
