//! Analysis of an executable: how the program reaches the kernel, which decides how it can be served.
//!
//! Nothing is allocated, because a child of `vfork` runs this too.

use rustix::io::Errno;

/// How a program makes system calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Through the C library for which the injected library was built.
    Libc,
    /// By its own system calls. No loader injects a library.
    Static,
    /// By the system calls of Go's runtime. The program may use a C library too.
    Go,
    /// Through another C library, whose loader refuses a library that needs this one.
    OtherLibc,
    /// With AddressSanitizer, whose runtime refuses to start if another library is loaded before it.
    AddressSanitizer,
    /// With more privileges than its caller, so the loader ignores the injected library.
    Privileged,
    /// By system calls of another CPU architecture, which are not served.
    Foreign,
}

impl Reach {
    /// The reason why the injected library does not serve the program; `None` if it does.
    pub fn reason(self) -> Option<&'static str> {
        Some(match self {
            Self::Libc => return None,
            Self::Static => "it is statically linked",
            Self::Go => "it is a Go program, which bypasses the C library",
            Self::OtherLibc => "it uses another C library than the injected library",
            Self::AddressSanitizer => "it is built with AddressSanitizer, which requires to be loaded first",
            Self::Privileged => "it gains privileges, and the loader injects nothing then",
            Self::Foreign => "it is a program for another CPU",
        })
    }

    /// Whether the program starts normally with the library's name in its environment. A program that loads no
    /// library passes the name on to its children.
    pub fn bears_library(self) -> bool {
        matches!(self, Self::Libc | Self::Static | Self::Go)
    }
}

/// An executable file.
pub trait Image: Sized {
    /// Opens the file of this name, which is the interpreter of a script.
    fn open(name: &[u8]) -> Result<Self, Errno>;

    /// Reads bytes at offset `at`; returns their number, which is less than `into`'s length only at the end of the
    /// file.
    fn read(&self, at: u64, into: &mut [u8]) -> usize;

    /// Whether running the file changes the process's credentials.
    fn gains_privileges(&self) -> bool;
}

/// The metadata that decides whether running a file changes the process's credentials.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The file type and permissions, `st_mode`.
    pub mode: u32,
    /// The owner's user ID.
    pub uid: u32,
    /// The owner's group ID.
    pub gid: u32,
}

impl Owner {
    /// Whether a process of this user and group gains privileges by running the file.
    pub fn gives(self, uid: u32, gid: u32, has_capabilities: bool) -> bool {
        const SETUID: u32 = 0o4000;
        const SETGID: u32 = 0o2010;
        (self.mode & SETUID != 0 && self.uid != uid)
            || (self.mode & SETGID == SETGID && self.gid != gid)
            || (has_capabilities && uid != 0)
    }
}

/// The maximum number of nested interpreters that the kernel follows.
const MAX_SCRIPTS: usize = 4;
/// The number of bytes at the beginning of a file that the kernel inspects.
const HEAD: usize = 256;

/// How the program in this file reaches the kernel. For a file that is neither ELF nor a script, `exec` reports the
/// error.
pub fn reach<F: Image>(mut image: F) -> Result<Reach, Errno> {
    for _ in 0..MAX_SCRIPTS {
        let mut head = [0; HEAD];
        let len = image.read(0, &mut head);
        let head = head.get(..len).unwrap_or_default();
        if let Some(next) = interpreter(head) {
            image = F::open(next)?;
        } else if image.gains_privileges() {
            return Ok(Reach::Privileged);
        } else {
            return Ok(Elf::of(&image, head));
        }
    }
    Ok(Reach::Libc)
}

/// The interpreter in a script's first line. For `#!/usr/bin/env NAME` that is env, which is itself a program of
/// the C library.
fn interpreter(head: &[u8]) -> Option<&[u8]> {
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let name = line.trim_ascii().split(u8::is_ascii_whitespace).next()?;
    (!name.is_empty()).then_some(name)
}

/// The `e_machine` of programs for this CPU (numbers from the System V ABI and its supplements).
const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else if cfg!(target_arch = "riscv64") {
    243
} else if cfg!(target_arch = "powerpc64") {
    21
} else if cfg!(target_arch = "s390x") {
    22
} else {
    0
};

/// How the names of glibc's loaders begin; the second is that of PowerPC and s390x.
const LOADERS: [&[u8]; 2] = [b"ld-linux", b"ld64.so"];

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;

const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_SONAME: u64 = 14;

/// The maximum numbers of program headers, section headers and dynamic entries that are inspected.
const MAX_SEGMENTS: u16 = 64;
const MAX_SECTIONS: u16 = 256;
const MAX_DYNAMIC: u64 = 512;

/// A 64-bit ELF file.
struct Elf<'a, F> {
    image: &'a F,
    /// Offset and number of the program headers.
    segments: (u64, u16),
    /// Offset and number of the section headers.
    sections: (u64, u16),
    /// The index of the section with the section names.
    names: u16,
}

impl<F: Image> Elf<'_, F> {
    fn of(image: &F, head: &[u8]) -> Reach {
        match head {
            [0x7f, b'E', b'L', b'F', 2, ..] => Self::parse(image, head).unwrap_or(Reach::Libc),
            [0x7f, b'E', b'L', b'F', 1, ..] => Reach::Foreign,
            _ => Reach::Libc,
        }
    }

    /// Parses the headers; `None` for a truncated file.
    fn parse(image: &F, head: &[u8]) -> Option<Reach> {
        const NATIVE: u8 = if cfg!(target_endian = "little") { 1 } else { 2 };
        if *head.get(5)? != NATIVE || u16_at(head, 18)? != MACHINE {
            return Some(Reach::Foreign);
        }
        let elf = Elf {
            image,
            segments: (u64_at(head, 32)?, u16_at(head, 56)?.min(MAX_SEGMENTS)),
            sections: (u64_at(head, 40)?, u16_at(head, 60)?.min(MAX_SECTIONS)),
            names: u16_at(head, 62)?,
        };
        // Go's runtime makes its own system calls, even where it uses the C library for names and threads.
        if elf.has_section(&[b".go.buildinfo\0", b".note.go.buildid\0"]) {
            return Some(Reach::Go);
        }
        if elf.needs(DT_NEEDED, b"libasan.so") {
            return Some(Reach::AddressSanitizer);
        }
        Some(match elf.segment(PT_INTERP) {
            Some(segment) => {
                let mut path = [0; HEAD];
                let len = image.read(segment.offset, &mut path).min(usize::try_from(segment.len).ok()?);
                of_loader(path.get(..len)?)
            }
            // This is the loader itself, which takes a program's name as an argument.
            None if LOADERS.iter().any(|name| elf.needs(DT_SONAME, name)) => Reach::Libc,
            None => Reach::Static,
        })
    }

    fn segments(&self) -> impl Iterator<Item = Segment> {
        let (start, count) = self.segments;
        (0..u64::from(count)).map_while(move |at| {
            let header: [u8; 56] = self.array(start.checked_add(at * 56)?)?;
            Some(Segment {
                kind: u32_at(&header, 0)?,
                offset: u64_at(&header, 8)?,
                address: u64_at(&header, 16)?,
                len: u64_at(&header, 32)?,
            })
        })
    }

    fn segment(&self, kind: u32) -> Option<Segment> {
        self.segments().find(|segment| segment.kind == kind)
    }

    /// Whether a dynamic entry with this tag is a string that begins with `name`.
    fn needs(&self, tag: u64, name: &[u8]) -> bool {
        let entries = || {
            let section = self.segment(PT_DYNAMIC);
            let entry = move |at: u64| {
                let entry: [u8; 16] = self.array(section.as_ref()?.offset.checked_add(at * 16)?)?;
                Some((u64_at(&entry, 0)?, u64_at(&entry, 8)?)).filter(|(tag, _)| *tag != DT_NULL)
            };
            (0..MAX_DYNAMIC).map_while(entry)
        };
        let Some((_, strings)) = entries().find(|(tag, _)| *tag == DT_STRTAB) else { return false };
        let Some(strings) = self.offset(strings) else { return false };
        entries().filter(|(found, _)| *found == tag).any(|(_, at)| self.begins(strings.checked_add(at), name))
    }

    /// The file offset of the byte that is loaded at `address`.
    fn offset(&self, address: u64) -> Option<u64> {
        let is_in = |segment: &Segment| {
            segment.kind == PT_LOAD && address.checked_sub(segment.address).is_some_and(|at| at < segment.len)
        };
        let segment = self.segments().find(is_in)?;
        (address - segment.address).checked_add(segment.offset)
    }

    /// Whether a section has one of these names, each given with its NUL.
    fn has_section(&self, names: &[&[u8]]) -> bool {
        let (start, count) = self.sections;
        let header = |at: u16| -> Option<[u8; 64]> { self.array(start.checked_add(u64::from(at) * 64)?) };
        let Some(strings) = header(self.names).and_then(|header| u64_at(&header, 24)) else { return false };
        (0..count).map_while(header).any(|header| {
            let at = u32_at(&header, 0).and_then(|at| strings.checked_add(at.into()));
            names.iter().any(|name| self.begins(at, name))
        })
    }

    /// Whether the file has `bytes` at offset `at`.
    fn begins(&self, at: Option<u64>, bytes: &[u8]) -> bool {
        let mut found = [0; 32];
        let Some((at, found)) = at.zip(found.get_mut(..bytes.len())) else { return false };
        self.image.read(at, found) == bytes.len() && found == bytes
    }

    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        (self.image.read(at, &mut bytes) == N).then_some(bytes)
    }
}

/// A program header.
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    len: u64,
}

fn of_loader(path: &[u8]) -> Reach {
    let path = path.split(|&byte| byte == 0).next().unwrap_or_default();
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let is_musl = name.starts_with(b"ld-musl");
    match is_musl == cfg!(target_env = "musl") && name.starts_with(b"ld") {
        true => Reach::Libc,
        false => Reach::OtherLibc,
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

    /// A file in memory.
    struct Bytes(Vec<u8>);

    impl Image for Bytes {
        fn open(name: &[u8]) -> Result<Self, Errno> {
            fs::read(OsStr::from_bytes(name)).map(Self).map_err(|_| Errno::NOENT)
        }

        fn read(&self, at: u64, into: &mut [u8]) -> usize {
            let rest = usize::try_from(at).ok().and_then(|at| self.0.get(at..)).unwrap_or_default();
            let len = rest.len().min(into.len());
            into[..len].copy_from_slice(&rest[..len]);
            len
        }

        fn gains_privileges(&self) -> bool {
            false
        }
    }

    fn of_bytes(bytes: &[u8]) -> Reach {
        reach(Bytes(bytes.to_vec())).expect("the interpreter is there")
    }

    fn own_bytes() -> Vec<u8> {
        fs::read(std::env::current_exe().expect("a path")).expect("the test's own program")
    }

    /// The test's own program with the `e_machine` of SPARC.
    fn for_another_cpu() -> Vec<u8> {
        let mut bytes = own_bytes();
        bytes[18..20].copy_from_slice(&2_u16.to_ne_bytes());
        bytes
    }

    #[test]
    #[cfg_attr(not(target_pointer_width = "64"), ignore = "the injected library is for 64 bits")]
    fn a_program_of_this_c_library() {
        assert_eq!(of_bytes(&own_bytes()), Reach::Libc);
        assert_eq!(of_bytes(&for_another_cpu()), Reach::Foreign);
        let mut narrow = own_bytes();
        narrow[4] = 1;
        assert_eq!(of_bytes(&narrow), Reach::Foreign);
    }

    #[test]
    #[cfg_attr(not(target_pointer_width = "64"), ignore = "the injected library is for 64 bits")]
    fn a_script_is_its_interpreter() {
        let own = std::env::current_exe().expect("a path");
        assert_eq!(of_bytes(format!("#! {} -x\n", own.display()).as_bytes()), Reach::Libc);
        let mut foreign = own.into_os_string();
        foreign.push(".for-another-cpu");
        fs::write(&foreign, for_another_cpu()).expect("it is written");
        let script = of_bytes([b"#!", foreign.as_bytes(), b"\n"].concat().as_slice());
        fs::remove_file(&foreign).expect("it is there");
        assert_eq!(script, Reach::Foreign);
        assert_eq!(reach(Bytes(b"#!/no/such/interpreter".to_vec())), Err(Errno::NOENT));
    }

    #[test]
    #[cfg_attr(not(target_pointer_width = "64"), ignore = "the injected library is for 64 bits")]
    fn no_loader_means_static() {
        let mut bytes = own_bytes();
        let (headers, count) = (u64_at(&bytes, 32).expect("there") as usize, u16_at(&bytes, 56).expect("there"));
        for header in (0..usize::from(count)).map(|header| headers + header * 56) {
            // PT_INTERP becomes PT_NULL.
            if bytes[header..header + 4] == PT_INTERP.to_ne_bytes() {
                bytes[header..header + 4].fill(0);
            }
        }
        assert_eq!(of_bytes(&bytes), Reach::Static);
    }

    #[test]
    #[cfg_attr(not(target_pointer_width = "64"), ignore = "the injected library is for 64 bits")]
    fn a_library_of_another_name_is_needed() {
        let mut bytes = own_bytes();
        assert_eq!(of_bytes(&bytes), Reach::Libc);
        let at = bytes.windows(10).position(|name| name == b"libc.so.6\0").expect("the C library's name");
        // The dynamic entry for the C library now points to this name.
        bytes[at..at + 10].copy_from_slice(b"libasan.so");
        assert_eq!(of_bytes(&bytes), Reach::AddressSanitizer);
    }

    #[test]
    fn loaders_tell_c_libraries_apart() {
        let glibc = of_loader(b"/lib64/ld-linux-x86-64.so.2\0");
        let musl = of_loader(b"/lib/ld-musl-x86_64.so.1\0");
        assert_ne!(glibc, musl);
        assert_eq!(if cfg!(target_env = "musl") { musl } else { glibc }, Reach::Libc);
        assert_eq!(of_loader(b"/system/bin/linker64\0"), Reach::OtherLibc);
    }

    #[test]
    fn who_gains_privileges() {
        let file = |mode| Owner { mode, uid: 0, gid: 0 };
        assert!(file(0o4755).gives(1000, 1000, false), "set-user-ID");
        assert!(file(0o2755).gives(1000, 1000, false), "set-group-ID");
        assert!(file(0o755).gives(1000, 1000, true), "capabilities");
        assert!(!file(0o755).gives(1000, 1000, false));
        assert!(!file(0o2745).gives(1000, 1000, false), "mandatory locking, once");
        assert!(!file(0o6755).gives(0, 0, true), "who has everything gains nothing");
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let bytes = own_bytes();
        for len in [0, 1, 4, 17, 63, 64, 100, 1000] {
            of_bytes(&bytes[..len]);
        }
        for at in 0..64 {
            for value in [0, 0x7f, 0xff] {
                let mut bytes = bytes[..4096].to_vec();
                bytes[at] = value;
                of_bytes(&bytes);
            }
        }
        of_bytes(b"#!");
        of_bytes(b"#! \n");
    }
}
