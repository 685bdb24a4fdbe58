//! The instructions of 64-bit RISC-V that stable Rust has in assembly alone.

/// Methods of a token, each of which is one instruction on general registers.
///
/// The assembler is told of the extension beside each instruction, since a function that is not inlined is compiled
/// without it.
macro_rules! instructions {
    ($Token:ident, $extension:literal; $($(#[$doc:meta])* $name:ident($($operand:ident),*) = $instruction:literal;)*) => {
        impl crate::cpu::$Token {
            $(
                $(#[$doc])*
                #[inline(always)]
                fn $name(self, $($operand: u64),*) -> u64 {
                    let result;
                    // SAFETY: the token exists, so the CPU has the instruction. It reads and writes the registers that
                    // are listed, and nothing else.
                    unsafe {
                        core::arch::asm!(
                            ".option push",
                            concat!(".option arch, +", $extension),
                            $instruction,
                            ".option pop",
                            result = lateout(reg) result,
                            $($operand = in(reg) $operand,)*
                            options(pure, nomem, nostack, preserves_flags),
                        );
                    }
                    result
                }
            )*
        }
    };
}
pub(crate) use instructions;
