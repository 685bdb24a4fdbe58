use super::Vector;

pub(super) static VECTORS: &[Vector] = &[];
