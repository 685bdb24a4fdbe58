//! `execl`, `execlp` and `execle`. Rust cannot define functions that take any number of arguments, so these are written
//! in assembly.
//!
//! The calling conventions put the first arguments into registers and the others on the stack. Storing the registers
//! right below the others makes a list of all arguments.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use crate::exec::{execl_list, execle_list, execlp_list};

/// Defines a function that makes a list of its arguments and calls the Rust function named after `by`.
macro_rules! listed {
    ($($name:ident by $listed:ident;)*) => {$(
        /// # Safety
        /// The same as for the C library's function.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                "pop rax", // the return address, which lies between the two parts of the list
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "push rax", // puts it back below the list, and aligns the stack
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
