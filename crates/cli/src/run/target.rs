//! What a program is, as far as it decides how it can be served.

use object::{
    Endianness, FileKind, Object, ReadCache, ReadRef,
    elf::{DT_NEEDED, EM_AARCH64, EM_RISCV, EM_X86_64, FileHeader64},
    read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader},
};
use rustix::fs::getxattr;
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

/// Through what a program reaches the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Through the C library that the injected library was built for.
    Libc,
    /// In a way that no injected library sees, for this reason.
    Kernel(&'static str),
    /// By the system calls of another CPU, which nobody here answers.
    Foreign,
}

/// Interpreters of interpreters that the kernel follows.
const MAX_SCRIPTS: usize = 4;
/// Bytes of a script's first line that the kernel looks at.
const MAX_LINE: usize = 256;

const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    EM_X86_64
} else if cfg!(target_arch = "aarch64") {
    EM_AARCH64
} else {
    EM_RISCV
};

/// How the program in this file reaches the kernel. What is neither ELF nor a script is left to `exec` to
/// complain of.
pub fn reach(path: &Path) -> io::Result<Reach> {
    let mut path = path.to_owned();
    for _ in 0..MAX_SCRIPTS {
        let file = File::open(&path);
        let file = match file {
            // A program that may be run but not read: the loader ignores LD_PRELOAD for none of those.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(Reach::Libc),
            file => file?,
        };
        match interpreter(&file)? {
            Some(next) => path = next,
            None if has_privileges(&path, &file)? => {
                return Ok(Reach::Kernel("it gains privileges, and the loader injects nothing then"));
            }
            None => return Ok(of_elf(file)),
        }
    }
    Ok(Reach::Libc)
}

/// The interpreter that a script's first line names.
fn interpreter(mut file: &File) -> io::Result<Option<PathBuf>> {
    let mut head = Vec::with_capacity(MAX_LINE);
    file.by_ref().take(MAX_LINE as u64).read_to_end(&mut head)?;
    let Some(line) = head.strip_prefix(b"#!").and_then(|rest| rest.split(|&byte| byte == b'\n').next()) else {
        return Ok(None);
    };
    let name = line.trim_ascii().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    // `#!/usr/bin/env NAME` runs what env finds; env is itself a program of the C library.
    Ok((!name.is_empty()).then(|| OsStr::from_bytes(name).into()))
}

/// Whether running the file changes who the process is.
fn has_privileges(path: &Path, file: &File) -> io::Result<bool> {
    const SETUID: u32 = 0o4000;
    const SETGID: u32 = 0o2010;
    let metadata = file.metadata()?;
    let mode = metadata.mode();
    let changes_user = mode & SETUID != 0 && metadata.uid() != rustix::process::getuid().as_raw();
    let changes_group = mode & SETGID == SETGID && metadata.gid() != rustix::process::getgid().as_raw();
    let has_capabilities = getxattr(path, "security.capability", &mut [0_u8; 64]).is_ok_and(|len| len > 0);
    Ok(changes_user || changes_group || (has_capabilities && !rustix::process::getuid().is_root()))
}

fn of_elf(file: File) -> Reach {
    let cache = ReadCache::new(file);
    match FileKind::parse(&cache) {
        Ok(FileKind::Elf64) => elf_reach(&cache).unwrap_or(Reach::Libc),
        Ok(FileKind::Elf32) => Reach::Foreign,
        _ => Reach::Libc,
    }
}

fn elf_reach<'data>(data: impl ReadRef<'data>) -> object::Result<Reach> {
    let elf = ElfFile64::<Endianness, _>::parse(data)?;
    let (header, endian): (&FileHeader64<_>, _) = (elf.elf_header(), elf.endian());
    if header.e_machine(endian) != MACHINE {
        return Ok(Reach::Foreign);
    }
    // Go's runtime makes system calls of its own, also where it uses the C library for names and threads.
    if elf.section_by_name(".go.buildinfo").is_some() || elf.section_by_name(".note.go.buildid").is_some() {
        return Ok(Reach::Kernel("it is a Go program, which bypasses the C library"));
    }
    if needs(&elf, data, b"libasan.so")? {
        return Ok(Reach::Kernel("it is built with AddressSanitizer, which lets no library be in front of its own"));
    }
    for segment in elf.elf_program_headers() {
        if let Some(loader) = segment.interpreter(endian, data)? {
            return Ok(of_loader(loader));
        }
    }
    Ok(Reach::Kernel("it is statically linked"))
}

/// Whether the loader is to load a library whose name begins so.
fn needs<'data, R: ReadRef<'data>>(
    elf: &ElfFile64<'data, Endianness, R>,
    data: R,
    library: &[u8],
) -> object::Result<bool> {
    let (endian, sections) = (elf.endian(), elf.elf_section_table());
    let Some((entries, strings)) = sections.dynamic(endian, data)? else { return Ok(false) };
    let strings = sections.strings(endian, data, strings)?;
    Ok(entries.iter().any(|entry| {
        let is_library = entry.tag32(endian) == Some(DT_NEEDED);
        let name = strings.get(entry.val32(endian).unwrap_or_default());
        is_library && name.is_ok_and(|name| name.starts_with(library))
    }))
}

fn of_loader(loader: &[u8]) -> Reach {
    let name = Path::new(OsStr::from_bytes(loader)).file_name().unwrap_or_default().as_bytes();
    let is_musl = name.starts_with(b"ld-musl");
    match is_musl == cfg!(target_env = "musl") && name.starts_with(b"ld") {
        true => Reach::Libc,
        false => Reach::Kernel("its C library is another than that of the injected library"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write};

    fn of_bytes(bytes: &[u8]) -> Reach {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("it is written");
        reach(file.path()).expect("it can be read")
    }

    /// This test itself, which the C library serves.
    fn own_bytes() -> Vec<u8> {
        fs::read(std::env::current_exe().expect("a path")).expect("it can be read")
    }

    #[test]
    fn a_dynamic_program_is_within_reach() {
        assert_eq!(of_bytes(&own_bytes()), Reach::Libc);
    }

    #[test]
    fn a_script_is_as_its_interpreter() {
        let own = std::env::current_exe().expect("a path");
        assert_eq!(of_bytes(format!("#! {} -x\n", own.display()).as_bytes()), Reach::Libc);
        let mut foreign = tempfile::NamedTempFile::new().expect("a file");
        foreign.write_all(&for_another_cpu()).expect("it is written");
        let script = of_bytes(format!("#!{}\n", foreign.path().display()).as_bytes());
        assert_eq!(script, Reach::Foreign);
    }

    /// With another `e_machine`: SPARC.
    fn for_another_cpu() -> Vec<u8> {
        let mut bytes = own_bytes();
        bytes[18..20].copy_from_slice(&2_u16.to_ne_bytes());
        bytes
    }

    #[test]
    fn no_loader_means_static() {
        let mut bytes = own_bytes();
        let text = |bytes: &[u8], at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("8"));
        let (headers, count) = (text(&bytes, 32) as usize, usize::from(bytes[56]));
        for header in (0..count).map(|header| headers + header * 56) {
            // PT_INTERP becomes PT_NULL.
            if bytes[header..header + 4] == 3_u32.to_ne_bytes() {
                bytes[header..header + 4].fill(0);
            }
        }
        assert_eq!(of_bytes(&bytes), Reach::Kernel("it is statically linked"));
    }

    #[test]
    fn loaders_tell_c_libraries_apart() {
        let glibc = of_loader(b"/lib64/ld-linux-x86-64.so.2");
        let musl = of_loader(b"/lib/ld-musl-x86_64.so.1");
        assert_ne!(glibc, musl);
        assert_eq!(if cfg!(target_env = "musl") { musl } else { glibc }, Reach::Libc);
        assert_ne!(of_loader(b"/system/bin/linker64"), Reach::Libc);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let bytes = own_bytes();
        for len in [0, 1, 4, 17, 63, 64, 100, 1000] {
            of_bytes(&bytes[..len]);
        }
        for at in 0..64 {
            let mut bytes = bytes[..4096].to_vec();
            bytes[at] ^= 0xff;
            of_bytes(&bytes);
        }
        of_bytes(b"#!");
        of_bytes(b"#! \n");
    }
}
