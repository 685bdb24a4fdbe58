//! The library that `algkit run` injects into a program with `LD_PRELOAD`.
//!
//! It defines the functions of libc through which programs reach AF_ALG and NETLINK_CRYPTO sockets,
//! `/proc/crypto` and `/dev/crypto`, and answers from [`algkit_afalg`], in the process and without a
//! system call. Every other call goes on to the next definition of the function, at the price of a load.
//!
//! A served descriptor is a real one, of a datagram socket that carries nothing: the kernel numbers it,
//! duplicates it, closes it on `exec` and says what kind of file it is. What it stands for is an
//! `entry::Entry`, found through `table`. The socket comes to life when someone waits for it by
//! `poll` or `epoll`: then it mirrors what the file is ready for.
//!
//! After `fork` each process goes on with a copy of the state. `exec` loses it. A panic in here becomes `EIO`.

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
mod options;
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
