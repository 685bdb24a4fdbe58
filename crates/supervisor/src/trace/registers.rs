//! Changing the arguments of a call.

use crate::sys::ptrace;
use algkit_afalg::Errno;

/// The arguments that can be descriptors: the first, and the third.
pub const ARGUMENTS: [usize; 2] = [0, 2];

/// A value each, where there is one.
pub type Values = [Option<u64>; 2];

/// What is left to do when the call returns.
#[derive(Clone, Copy, Debug)]
pub enum Rest {
    /// The registers get what they had.
    Restore(Values),
    /// The call, which has not been made, is made with this as its first argument.
    #[cfg(target_arch = "aarch64")]
    Again(u64),
}

#[cfg(target_arch = "x86_64")]
fn register(registers: &mut ptrace::Registers, which: usize) -> &mut u64 {
    match which {
        0 => &mut registers.rdi,
        _ => &mut registers.rdx,
    }
}

#[cfg(target_arch = "aarch64")]
fn register(registers: &mut ptrace::Registers, which: usize) -> &mut u64 {
    match which {
        0 => &mut registers.regs[0],
        _ => &mut registers.regs[2],
    }
}

/// Sets the registers that have a value, and says what they had.
fn exchange(tid: i32, values: Values) -> Result<Values, Errno> {
    let mut registers = ptrace::registers(tid)?;
    let mut before = [None; 2];
    for (which, (value, before)) in values.into_iter().zip(&mut before).enumerate() {
        if let Some(value) = value {
            *before = Some(std::mem::replace(register(&mut registers, which), value));
        }
    }
    ptrace::set_registers(tid, registers)?;
    Ok(before)
}

/// At the entry into a call: changes its arguments.
pub fn change(tid: i32, values: Values) -> Result<Rest, Errno> {
    // The first is the register of the result, too. What it was at the entry, which a filter sees and a call that starts
    // again is given, the kernel keeps elsewhere, where a tracer cannot change it before Linux 6.16.
    #[cfg(target_arch = "aarch64")]
    if let [Some(first), _] = values {
        ptrace::cancel(tid)?;
        return Ok(Rest::Again(first));
    }
    exchange(tid, values).map(Rest::Restore)
}

/// At the return from it.
pub fn finish(tid: i32, rest: Rest) -> Result<(), Errno> {
    match rest {
        Rest::Restore(values) => exchange(tid, values).map(drop),
        // That time there is nothing to change about it, and its result replaces it.
        #[cfg(target_arch = "aarch64")]
        Rest::Again(first) => {
            let mut registers = ptrace::registers(tid)?;
            registers.regs[0] = first;
            registers.pc -= 4;
            Ok(ptrace::set_registers(tid, registers)?)
        }
    }
}
