//! The library that `algkit run` injects into a program.
