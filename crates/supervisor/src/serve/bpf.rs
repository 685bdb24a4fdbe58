//! The seccomp filter, which decides what system calls of the target stop and wait for the supervisor.
//!
//! Descriptors that the supervisor serves have numbers in [`Ranges`] of their own. So the filter tells a call on one of
//! them from any other by comparing numbers, and all other calls run at full speed.

use algkit_afalg::abi::NETLINK_CRYPTO;
use libc::sock_filter;

/// The `AUDIT_ARCH_*` of this CPU.
#[cfg(target_arch = "x86_64")]
pub const ARCH: u32 = 0xc000_003e;
/// The `AUDIT_ARCH_*` of this CPU.
#[cfg(target_arch = "aarch64")]
pub const ARCH: u32 = 0xc000_00b7;

/// The bit that marks the numbers of x32 calls.
#[cfg(target_arch = "x86_64")]
pub const X32_BIT: u32 = 0x4000_0000;

/// The `AUDIT_ARCH_*` of the 32-bit programs that this CPU also runs (i386), and their number of `socket`.
#[cfg(target_arch = "x86_64")]
const NARROW: (u32, u32) = (0x4000_0003, 359);
/// The `AUDIT_ARCH_*` of the 32-bit programs that this CPU also runs (Arm EABI), and their number of `socket`.
#[cfg(target_arch = "aarch64")]
const NARROW: (u32, u32) = (0x4000_0028, 281);

/// The number of i386's `socketcall`, which makes all calls on sockets, and its first argument for `socket`. Its second
/// is the address of the arguments of that call.
#[cfg(target_arch = "x86_64")]
pub const SOCKETCALL: u32 = 102;
#[cfg(target_arch = "x86_64")]
const SYS_SOCKET: u32 = 1;

/// Whether `nr` is a number of the native 64-bit system calls, neither of a 32-bit program nor of x32.
pub fn is_native(arch: u32, nr: i32) -> bool {
    #[cfg(target_arch = "x86_64")]
    if nr as u32 & X32_BIT != 0 {
        return false;
    }
    let _ = nr;
    arch == ARCH
}

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;

// Offsets in `struct seccomp_data`; `argument` is that of the low half of an argument.
const NR: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index + if cfg!(target_endian = "big") { 4 } else { 0 }
}

/// Descriptor numbers from `start` up to `end`, without `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first number.
    pub start: u32,
    /// The number after the last.
    pub end: u32,
}

impl Range {
    /// The largest number of served descriptors that one process can have in the range.
    const SIZE: u32 = 256;

    fn contains(self, fd: u32) -> bool {
        (self.start..self.end).contains(&fd)
    }
}

/// The numbers of served descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranges {
    /// The first range ends at the highest number that `select` admits, or at the limit of open files.
    first: Range,
    /// A range for programs that have used up the first. It is above all numbers that they are likely to use.
    second: Option<Range>,
}

impl Ranges {
    /// The upper bound of both ranges. In every process, the kernel keeps a table as long as the highest number in use,
    /// with eight bytes per number.
    const HIGHEST: u64 = 1 << 16;
    /// The end of the second range if the program must raise its limit before it can use the range.
    const RAISED: u64 = 4096;

    /// The ranges for a target that may open `soft` descriptors and may raise that limit to `hard` (`RLIMIT_NOFILE`).
    pub fn below(soft: u64, hard: u64) -> Self {
        let end = u32::try_from(soft).unwrap_or(u32::MAX).min(libc::FD_SETSIZE as u32);
        let first = Range { start: end - Range::SIZE.min(end / 4), end };
        let room = u64::from(end + Range::SIZE);
        let end = if soft >= room { soft.min(Self::HIGHEST) } else { hard.min(Self::RAISED) };
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        let second = (u64::from(end) >= room).then(|| Range { start: end - Range::SIZE, end });
        Self { first, second }
    }

    /// Whether `fd` lies in one of the ranges.
    pub fn contains(self, fd: i32) -> bool {
        u32::try_from(fd).is_ok_and(|fd| self.all().any(|range| range.contains(fd)))
    }

    /// The ranges, in the order in which they are used.
    pub fn all(self) -> impl Iterator<Item = Range> {
        std::iter::once(self.first).chain(self.second)
    }

    /// The number after the last range.
    pub fn end(self) -> u32 {
        self.second.unwrap_or(self.first).end
    }
}

/// The condition under which a call is trapped.
#[derive(Clone, Copy)]
enum Rule {
    /// The call is always trapped.
    Always,
    /// Its first argument is a number in the ranges.
    First,
    /// Its first or second argument is a number in the ranges.
    FirstOrSecond,
    /// Its first or third argument is a number in the ranges.
    FirstOrThird,
    /// Its first argument is a number in the ranges, and it asks for a duplicate.
    Duplicate,
    /// It makes a socket of AF_ALG or NETLINK_CRYPTO.
    Socket,
    /// Its flags, in this argument, do not exclude the files that are served.
    Open(u32),
}

/// The number of `io_pgetevents`, which the `libc` crate does not have for every CPU.
pub const SYS_IO_PGETEVENTS: libc::c_long = if cfg!(target_arch = "x86_64") { 333 } else { 292 };

/// The calls that may be trapped, each with its condition.
const CALLS: &[(libc::c_long, Rule)] = &[
    (libc::SYS_read, Rule::First),
    (libc::SYS_write, Rule::First),
    (libc::SYS_readv, Rule::First),
    (libc::SYS_writev, Rule::First),
    (libc::SYS_preadv2, Rule::First),
    (libc::SYS_pwritev2, Rule::First),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Rule::Open(1)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, Rule::Always),
    (libc::SYS_openat, Rule::Open(2)),
    (libc::SYS_openat2, Rule::Always),
    (libc::SYS_socket, Rule::Socket),
    (libc::SYS_socketpair, Rule::Socket),
    (libc::SYS_bind, Rule::First),
    (libc::SYS_connect, Rule::First),
    (libc::SYS_listen, Rule::First),
    (libc::SYS_shutdown, Rule::First),
    (libc::SYS_accept, Rule::First),
    (libc::SYS_accept4, Rule::First),
    (libc::SYS_getsockname, Rule::First),
    (libc::SYS_getpeername, Rule::First),
    (libc::SYS_getsockopt, Rule::First),
    (libc::SYS_setsockopt, Rule::First),
    (libc::SYS_sendto, Rule::First),
    (libc::SYS_sendmsg, Rule::First),
    (libc::SYS_sendmmsg, Rule::First),
    (libc::SYS_recvfrom, Rule::First),
    (libc::SYS_recvmsg, Rule::First),
    (libc::SYS_recvmmsg, Rule::First),
    (libc::SYS_sendfile, Rule::FirstOrSecond),
    (libc::SYS_splice, Rule::FirstOrThird),
    (libc::SYS_epoll_ctl, Rule::FirstOrThird),
    (libc::SYS_ioctl, Rule::First),
    (libc::SYS_fcntl, Rule::Duplicate),
    (libc::SYS_dup, Rule::First),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_dup2, Rule::First),
    (libc::SYS_dup3, Rule::First),
    (libc::SYS_io_submit, Rule::Always),
    (libc::SYS_io_getevents, Rule::Always),
    (SYS_IO_PGETEVENTS, Rule::Always),
    (libc::SYS_io_cancel, Rule::Always),
    (libc::SYS_io_destroy, Rule::Always),
];

/// A place in the program, which is known after [`Assembler::place`] has been called.
#[derive(Clone, Copy)]
struct Label(usize);

/// The target of a conditional jump.
#[derive(Clone, Copy)]
enum To {
    Next,
    Label(Label),
}

/// An assembler of the program, from front to back. All jumps go forward.
#[derive(Default)]
struct Assembler {
    code: Vec<sock_filter>,
    places: Vec<usize>,
    jumps: Vec<(usize, To, To)>,
}

impl Assembler {
    fn label(&mut self) -> Label {
        self.places.push(usize::MAX);
        Label(self.places.len() - 1)
    }

    fn place(&mut self, label: Label) {
        self.places[label.0] = self.code.len();
    }

    fn emit(&mut self, code: u32, k: u32) {
        self.code.push(sock_filter { code: code as u16, jt: 0, jf: 0, k });
    }

    fn load(&mut self, offset: u32) {
        self.emit(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset);
    }

    fn answer(&mut self, action: u32) {
        self.emit(libc::BPF_RET | libc::BPF_K, action);
    }

    fn jump(&mut self, test: u32, k: u32, yes: To, no: To) {
        self.jumps.push((self.code.len(), yes, no));
        self.emit(libc::BPF_JMP | test | libc::BPF_K, k);
    }

    /// The program; `None` if a jump is too far for its eight bits.
    fn finish(mut self) -> Option<Vec<sock_filter>> {
        for (at, yes, no) in self.jumps {
            let distance = |to| match to {
                To::Next => Some(0),
                To::Label(Label(n)) => u8::try_from(self.places[n].checked_sub(at + 1)?).ok(),
            };
            (self.code[at].jt, self.code[at].jf) = (distance(yes)?, distance(no)?);
        }
        Some(self.code)
    }
}

/// The filter for a target whose served descriptors have numbers in `ranges`.
pub fn filter(ranges: Ranges) -> Vec<sock_filter> {
    use To::{Label as L, Next};
    let mut a = Assembler::default();
    let (allow, notify) = (a.label(), a.label());
    let [first, second, third, duplicate, socket, open1, open2] = std::array::from_fn(|_| a.label());

    // Calls of another architecture pass, because their numbers have other meanings. Only those that make a socket are
    // trapped, so that the supervisor can tell the user that the program is not served.
    let (native, narrow) = (a.label(), a.label());
    a.load(ARCHITECTURE);
    a.jump(libc::BPF_JEQ, ARCH, L(native), Next);
    a.jump(libc::BPF_JEQ, NARROW.0, L(narrow), L(allow));
    a.place(narrow);
    a.load(NR);
    a.jump(libc::BPF_JEQ, NARROW.1, L(socket), Next);
    #[cfg(target_arch = "x86_64")]
    {
        let call = a.label();
        a.jump(libc::BPF_JEQ, SOCKETCALL, L(call), L(allow));
        a.place(call);
        a.load(argument(0));
        a.jump(libc::BPF_JEQ, SYS_SOCKET, L(notify), Next);
    }
    a.answer(ALLOW);
    a.place(native);
    a.load(NR);
    #[cfg(target_arch = "x86_64")]
    {
        let usual = a.label();
        a.jump(libc::BPF_JGE, X32_BIT, Next, L(usual));
        a.jump(libc::BPF_JEQ, X32_BIT | libc::SYS_socket as u32, L(socket), L(allow));
        a.place(usual);
    }
    for &(nr, rule) in CALLS {
        let to = match rule {
            Rule::Always => notify,
            Rule::First => first,
            Rule::FirstOrSecond => second,
            Rule::FirstOrThird => third,
            Rule::Duplicate => duplicate,
            Rule::Socket => socket,
            Rule::Open(1) => open1,
            Rule::Open(_) => open2,
        };
        a.jump(libc::BPF_JEQ, nr as u32, L(to), Next);
    }
    a.answer(ALLOW);

    a.place(socket);
    let netlink = a.label();
    a.load(argument(0));
    a.jump(libc::BPF_JEQ, libc::AF_ALG as u32, L(notify), Next);
    a.jump(libc::BPF_JEQ, libc::AF_NETLINK as u32, L(netlink), L(allow));
    a.place(netlink);
    a.load(argument(2));
    a.jump(libc::BPF_JEQ, NETLINK_CRYPTO as u32, L(notify), L(allow));

    // Neither /proc/crypto nor /dev/crypto is a folder, and a descriptor by O_PATH is of no use. A call with O_CREAT is
    // trapped, because the kernel would create the file.
    let excluded = (libc::O_DIRECTORY | libc::O_PATH) as u32;
    for (label, index) in [(open1, 1), (open2, 2)] {
        a.place(label);
        a.load(argument(index));
        a.jump(libc::BPF_JSET, excluded, L(allow), L(notify));
    }

    a.place(duplicate);
    a.load(argument(1));
    a.jump(libc::BPF_JEQ, libc::F_DUPFD as u32, L(first), Next);
    a.jump(libc::BPF_JEQ, libc::F_DUPFD_CLOEXEC as u32, L(first), L(allow));

    for (label, index, otherwise) in [(third, 2, first), (second, 1, first), (first, 0, allow)] {
        a.place(label);
        a.load(argument(index));
        for range in ranges.all() {
            let above = a.label();
            a.jump(libc::BPF_JGE, range.start, Next, L(otherwise));
            a.jump(libc::BPF_JGE, range.end, L(above), L(notify));
            a.place(above);
        }
        a.jump(libc::BPF_JGE, 0, L(otherwise), L(otherwise));
    }

    a.place(allow);
    a.answer(ALLOW);
    a.place(notify);
    a.answer(NOTIFY);
    // For all ranges the program differs only in their number and in constants. Tests assemble it for one range and for
    // two.
    a.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Range = Range { start: 768, end: 1024 };
    const RANGES: Ranges = Ranges { first: FIRST, second: Some(Range { start: 4000, end: 4256 }) };

    /// Runs classic BPF, as far as the filter uses it; `None` where the kernel would refuse the program.
    fn run(program: &[sock_filter], data: &[u8; 64]) -> Option<u32> {
        let (mut pc, mut a) = (0, 0u32);
        loop {
            let i = program.get(pc)?;
            pc += 1;
            match u32::from(i.code) {
                // BPF_LD | BPF_W | BPF_ABS, BPF_RET | BPF_K
                0x20 => a = u32::from_ne_bytes(data.get(i.k as usize..i.k as usize + 4)?.try_into().ok()?),
                0x06 => return Some(i.k),
                jump => {
                    let taken = match jump {
                        0x15 => a == i.k,
                        0x35 => a >= i.k,
                        0x45 => a & i.k != 0,
                        _ => return None,
                    };
                    pc += usize::from(if taken { i.jt } else { i.jf });
                }
            }
        }
    }

    fn ask(arch: u32, nr: i64, args: [u64; 3]) -> u32 {
        let mut data = [0; 64];
        data[..4].copy_from_slice(&(nr as u32).to_ne_bytes());
        data[4..8].copy_from_slice(&arch.to_ne_bytes());
        for (at, value) in data[16..].chunks_exact_mut(8).zip(args) {
            at.copy_from_slice(&value.to_ne_bytes());
        }
        run(&filter(RANGES), &data).expect("a valid program")
    }

    fn trapped(nr: i64, args: [u64; 3]) -> bool {
        match ask(ARCH, nr, args) {
            NOTIFY => true,
            ALLOW => false,
            other => panic!("{other:#x}"),
        }
    }

    #[test]
    fn sockets_by_family_and_protocol() {
        assert!(trapped(libc::SYS_socket, [38, 5, 0]));
        assert!(trapped(libc::SYS_socketpair, [38, 5, 0]));
        assert!(trapped(libc::SYS_socket, [16, 3, 21]));
        assert!(!trapped(libc::SYS_socket, [16, 3, 0]));
        assert!(!trapped(libc::SYS_socket, [2, 1, 21]));
    }

    #[test]
    fn calls_on_descriptors_by_their_number() {
        for nr in [libc::SYS_read, libc::SYS_bind, libc::SYS_ioctl, libc::SYS_dup, libc::SYS_dup3, libc::SYS_sendmmsg] {
            for (fd, expected) in [
                (0, false),
                (767, false),
                (768, true),
                (1023, true),
                (1024, false),
                (3999, false),
                (4000, true),
                (4255, true),
                (4256, false),
            ] {
                assert_eq!(trapped(nr, [fd, 0, 0]), expected, "call {nr} on {fd}");
            }
            assert!(!trapped(nr, [u64::MAX, 0, 0]));
            // A descriptor is an unsigned int, so the upper half of the register is ignored.
            assert!(trapped(nr, [0xdead_beef_0000_0300, 0, 0]));
        }
        for nr in [libc::SYS_close, libc::SYS_fstat, libc::SYS_mmap, libc::SYS_vmsplice] {
            assert!(!trapped(nr, [800, 800, 800]));
        }
    }

    #[test]
    fn either_end_of_a_splice() {
        assert!(trapped(libc::SYS_splice, [800, 0, 4]));
        assert!(trapped(libc::SYS_splice, [4, 0, 800]));
        assert!(trapped(libc::SYS_splice, [800, 0, 5000]));
        assert!(!trapped(libc::SYS_splice, [4, 0, 5]));
        assert!(!trapped(libc::SYS_splice, [5000, 0, 5]));
    }

    #[test]
    fn either_end_of_a_sendfile() {
        assert!(trapped(libc::SYS_sendfile, [800, 4, 0]));
        assert!(trapped(libc::SYS_sendfile, [4, 800, 0]));
        assert!(trapped(libc::SYS_sendfile, [4, 4000, 0]));
        assert!(!trapped(libc::SYS_sendfile, [4, 5, 800]));
    }

    #[test]
    fn of_fcntl_only_duplicates() {
        assert!(trapped(libc::SYS_fcntl, [800, libc::F_DUPFD as u64, 0]));
        assert!(trapped(libc::SYS_fcntl, [800, libc::F_DUPFD_CLOEXEC as u64, 0]));
        assert!(!trapped(libc::SYS_fcntl, [8, libc::F_DUPFD as u64, 0]));
        assert!(!trapped(libc::SYS_fcntl, [800, libc::F_GETFL as u64, 0]));
    }

    #[test]
    fn opens_that_could_name_a_served_file() {
        assert!(trapped(libc::SYS_openat, [0, 0, libc::O_RDWR as u64]));
        assert!(trapped(libc::SYS_openat, [0, 0, (libc::O_WRONLY | libc::O_CREAT) as u64]));
        assert!(!trapped(libc::SYS_openat, [0, 0, libc::O_DIRECTORY as u64]));
        assert!(trapped(libc::SYS_openat2, [0, 0, 0]));
        #[cfg(target_arch = "x86_64")]
        assert!(trapped(libc::SYS_open, [0, libc::O_CLOEXEC as u64, libc::O_CREAT as u64]));
        #[cfg(target_arch = "x86_64")]
        assert!(trapped(libc::SYS_creat, [0, 0, 0]));
    }

    #[test]
    fn other_architectures_pass_unless_they_ask_for_what_would_be_served() {
        let (arch, socket) = (NARROW.0, i64::from(NARROW.1));
        assert_eq!(ask(arch, 3, [800, 0, 0]), ALLOW);
        assert_eq!(ask(arch, libc::SYS_read, [800, 0, 0]), ALLOW);
        assert_eq!(ask(0x8000_0016, socket, [38, 5, 0]), ALLOW);
        assert_eq!(ask(arch, socket, [38, 5, 0]), NOTIFY);
        assert_eq!(ask(arch, socket, [16, 3, 21]), NOTIFY);
        assert_eq!(ask(arch, socket, [2, 1, 0]), ALLOW);
        #[cfg(target_arch = "x86_64")]
        {
            assert_eq!(ask(arch, i64::from(SOCKETCALL), [1, 0, 0]), NOTIFY);
            assert_eq!(ask(arch, i64::from(SOCKETCALL), [2, 0, 0]), ALLOW);
            let x32 = |nr: i64| nr | i64::from(X32_BIT);
            assert_eq!(ask(ARCH, x32(libc::SYS_socket), [38, 5, 0]), NOTIFY);
            assert_eq!(ask(ARCH, x32(libc::SYS_socket), [2, 1, 0]), ALLOW);
            assert_eq!(ask(ARCH, x32(libc::SYS_read), [800, 0, 0]), ALLOW);
        }
    }

    #[test]
    fn one_range_is_enough() {
        let program = filter(Ranges { second: None, ..RANGES });
        for (fd, expected) in [(767, ALLOW), (768, NOTIFY), (1023, NOTIFY), (1024, ALLOW), (4000, ALLOW)] {
            let mut data = [0; 64];
            data[..4].copy_from_slice(&(libc::SYS_read as u32).to_ne_bytes());
            data[4..8].copy_from_slice(&ARCH.to_ne_bytes());
            data[16..24].copy_from_slice(&u64::to_ne_bytes(fd));
            assert_eq!(run(&program, &data), Some(expected), "{fd}");
        }
    }

    #[test]
    fn the_ranges_fit_below_the_limit() {
        let second = |soft, hard| Ranges::below(soft, hard).second.map(|range| (range.start, range.end));
        assert_eq!(Ranges::below(1 << 20, 1 << 20).first, FIRST);
        assert_eq!(second(1 << 20, 1 << 20), Some((65_280, 65_536)));
        assert_eq!(second(u64::MAX, u64::MAX), Some((65_280, 65_536)));
        assert_eq!(second(2048, 4096), Some((1792, 2048)));
        assert_eq!(second(1024, 1 << 20), Some((3840, 4096)));
        assert_eq!(second(1024, 1024), None);
        assert_eq!(Ranges::below(256, 256), Ranges { first: Range { start: 192, end: 256 }, second: None });
        let none = Ranges::below(0, 0);
        assert!(!none.contains(0) && !none.contains(-1));
    }
}
