//! `execl`, `execlp` and `execle`: their arguments are not a list in memory and have no number, which Rust cannot say.
//!
//! The calling conventions put the first into registers and the others on the stack. Where those of the registers are stored
//! below the others, all of them are a list.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use crate::exec::{execl_list, execle_list, execlp_list};

/// Defines a function that hands its list on.
macro_rules! listed {
    ($($name:ident by $listed:ident;)*) => {$(
        /// # Safety
        /// As for the C library's function.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                "pop rax", // where to return to, which lies in between
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "push rax", // and the stack is aligned
                "call {listed}",
                "pop rdx",
                "add rsp, 40",
                "push rdx",
                "ret",
                listed = sym $listed,
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!(
                "stp x29, x30, [sp, #-80]!",
                "str x1, [sp, #24]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "add x1, sp, #24",
                "bl {listed}",
                "ldp x29, x30, [sp], #80",
                "ret",
                listed = sym $listed,
            );
        }
    )*};
}

listed! {
    execl by execl_list;
    execlp by execlp_list;
    execle by execle_list;
}
