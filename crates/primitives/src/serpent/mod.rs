//! serpent
