//! The library that `algkit run` injects into a program with `LD_PRELOAD`.
//!
//! It defines the functions of libc through which programs reach AF_ALG and NETLINK_CRYPTO sockets, `/proc/crypto` and
//! `/dev/crypto`. It answers from [`algkit_afalg`], inside the process and without a system call. Every other call goes
//! on to the next definition of the function; that costs one load.
//!
//! A served descriptor is a real one, of a datagram socket that carries no data. So the kernel numbers it, duplicates
//! it, closes it on `exec` and knows what kind of file it is. What it stands for is an `entry::Entry`, which `table`
//! finds. When a program waits for the descriptor by `poll` or `epoll`, the socket begins to mirror the readiness of
//! the file.
//!
//! After `fork`, each process continues with a copy of the state. After `exec`, it is gone. A panic in this library is
//! reported as `EIO`.

mod aio;
mod clock;
mod confine;
mod descriptor;
mod entry;
mod environment;
mod errno;
mod exec;
mod exec_list;
mod fork;
mod interpose;
mod ioctl;
mod iov;
mod kernel;
mod keyring;
mod lock;
mod memory;
mod message;
mod mirror;
mod open;
mod openssl;
mod poll;
mod process;
mod program;
mod report;
mod reserve;
mod select;
mod slots;
mod socket;
mod splice;
mod syscall;
mod table;
mod template;
mod told;
mod transfer;
mod vfork;
