//! Limiting all libraries to the same instructions.
//!
//! Most libraries read the permitted instructions from environment variables, when they are loaded. So a process that
//! is to be limited sets these variables and executes itself again. A library that cannot be limited takes no part.

use clap::ValueEnum;
use peers_plugin::Level;
use std::{env, ffi::OsString, io, os::unix::process::CommandExt, process::Command};

/// The levels as an argument of the command line; see [`Level`].
#[derive(Clone, Copy, ValueEnum, Debug)]
pub enum Limit {
    /// All that the CPU has
    Full,
    /// No AVX-512: vectors of 256 bits, VAES among them
    Avx2,
    /// Neither AVX-512 nor VAES: AES and carry-less products of 128 bits
    Aesni,
    /// Neither AES nor carry-less products: bit-sliced and permuted
    Soft,
}

impl From<Limit> for Level {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Full => Self::Full,
            Limit::Avx2 => Self::Avx2,
            Limit::Aesni => Self::AesNi,
            Limit::Soft => Self::Soft,
        }
    }
}

/// The name of a level on the command line.
pub fn name(level: Level) -> &'static str {
    ["full", "avx2", "aesni", "soft"][level as usize]
}

/// The variables of algkit, OpenSSL with AWS-LC, and Botan, at each level below the first. The first word of OpenSSL's
/// is CPUID's leaf 1, edx and ecx, and the second is leaf 7, ebx and ecx. In the second, AVX-512's F, DQ, IFMA, CD, BW
/// and VL are bits 16, 17, 21, 28, 30 and 31; VBMI is 33, VBMI2 38, VAES 41, VPCLMULQDQ 42, VNNI 43, BITALG 44 and
/// VPOPCNTDQ 46. In the first, AES is bit 57 and PCLMULQDQ bit 33.
const VARIABLES: [(Level, [(&str, &str); 3]); 3] = [
    (
        Level::Avx2,
        [
            ("ALGKIT_CPU", "-avx512"),
            ("OPENSSL_ia32cap", ":~0x5842d0230000"),
            ("BOTAN_CLEAR_CPUID", "avx512,avx512_aes,avx512_clmul"),
        ],
    ),
    (
        Level::AesNi,
        [
            ("ALGKIT_CPU", "-avx512,-vaes,-vpclmul"),
            ("OPENSSL_ia32cap", ":~0x5e42d0230000"),
            ("BOTAN_CLEAR_CPUID", "avx512,avx512_aes,avx512_clmul,avx2_vaes,avx2_clmul"),
        ],
    ),
    (
        Level::Soft,
        [
            ("ALGKIT_CPU", "-aes,-pclmul,-vaes,-vpclmul"),
            ("OPENSSL_ia32cap", "~0x200000200000000:~0x60000000000"),
            ("BOTAN_CLEAR_CPUID", "avx512_aes,avx512_clmul,avx2_vaes,avx2_clmul,aesni,clmul,gfni"),
        ],
    ),
];

/// Executes the process again with the variables of a level, unless they are set.
pub fn enter(level: Level) -> io::Result<()> {
    let Some((_, variables)) = VARIABLES.iter().find(|(of, _)| *of == level) else { return Ok(()) };
    if variables.iter().all(|(name, value)| env::var_os(name) == Some(OsString::from(value))) {
        return Ok(());
    }
    Err(Command::new(env::current_exe()?).args(env::args_os().skip(1)).envs(variables.iter().copied()).exec())
}
