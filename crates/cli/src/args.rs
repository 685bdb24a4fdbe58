//! The command line.

use crate::{error::Error, out, secret::Hidden, secret::KeyArgs, size::bytes, size::sector, volume::args::VolumeArgs};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum, error::ErrorKind};
use std::{ffi::OsString, path::PathBuf};

/// The Linux kernel's crypto API in user space: ask for a name, get the fastest driver that this CPU
/// has, that is constant-time and that has passed its self-test.
#[derive(Parser, Debug)]
#[command(
    name = "algkit",
    version,
    max_term_width = 100,
    after_help = "\
Exit status: 0 done; 1 the answer is no (tag or checksum mismatch, self-test failed); 2 bad usage or input. \
If the reader of the output leaves before everything was processed and verified, SIGPIPE ends the command.

ALGKIT_CPU=-vaes,-avx512 hides features of the CPU. ALGKIT_TIMING=table also allows drivers with \
secret-dependent table lookups.

ALGKIT_HOST=afalg adds the host kernel's drivers, such as those of crypto engines, under their own names; ALGKIT_HOST='afalg:NAME!' adds the driver NAME and lets it serve its algorithm's name."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommand.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List drivers: what /proc/crypto would say, plus timing and CPU needs
    List(ListArgs),
    /// Run self-tests; exit 1 if any driver fails
    Test(TestArgs),
    /// Measure speed, in the spirit of `cryptsetup benchmark`
    Bench(BenchArgs),
    /// Encrypt or decrypt a file or a pipe
    Enc(EncArgs),
    /// Digest files, or check digests, as sha256sum does
    Dgst(DgstArgs),
    /// Run a program with AF_ALG, NETLINK_CRYPTO, /proc/crypto and /dev/crypto served in user space
    Run(RunArgs),
    /// Read and write encrypted volumes (LUKS, VeraCrypt, plain dm-crypt) without root and without device-mapper
    Volume(VolumeArgs),
    /// Print a script that completes algkit's arguments in a shell
    #[command(after_help = "Example:\n  algkit completions bash > ~/.local/share/bash-completion/completions/algkit")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write man pages into a folder, for packages
    #[command(hide = true)]
    ManPages {
        /// The folder, which is created if it does not exist
        folder: PathBuf,
    },
}

/// Shells with completions.
#[derive(Clone, Copy, ValueEnum, Debug)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl From<Shell> for clap_complete::Shell {
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::Bash => Self::Bash,
            Shell::Zsh => Self::Zsh,
            Shell::Fish => Self::Fish,
        }
    }
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  algkit list              # every driver; * marks the one that a name selects
  algkit list 'xts(aes)'   # the drivers of one algorithm, one field a line
  ALGKIT_CPU=-avx512 algkit list --json
  ALGKIT_CPU=+fast512 algkit list   # prefers 512-bit vectors on every CPU")]
pub struct ListArgs {
    /// An algorithm or a driver: list its drivers only, in detail
    pub name: Option<String>,
    /// Print a JSON array of objects
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  algkit test --long
  algkit test 'gcm(aes)' xts-aes-aesni")]
pub struct TestArgs {
    /// Algorithms or drivers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Many more random comparisons
    #[arg(long)]
    pub long: bool,
}

/// The direction to measure.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Op {
    Enc,
    Dec,
    Both,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every figure is the cost of a whole library call with its checks, on a buffer in place (AEAD \
decryption: from a sealed copy). All drivers take turns in slices of about a millisecond, and the fastest slice \
of each counts, so other load on the machine hardly matters. A hash's speed stands under Encryption.

--long measures means instead. A single thread stays on one CPU, and its CPU time is measured, so other work on that \
CPU does not count. Several threads are measured by the wall clock. If other work disturbed the measurement nevertheless, a line says so. --tcrypt prints cycles in the form of the kernel's module. \
A size that a mode does not accept is skipped, and a line says so.

With --threads 1,2,4 everything is measured with each number of threads. With --working-set each thread \
spreads its messages over that many bytes of its own. If they do not fit into a cache, the figures are those of the cipher and \
the memory together. AEAD decryption is left out then, because its sealed copy would stay in the cache.

Examples:
  algkit bench
  algkit bench -c 'xts(aes)' -s 256 -s 512 --driver all --sizes 512,4K
  algkit bench --op enc --html bench.html
  algkit bench -c 'ctr(aes)' -s 128 --threads 1,2 --working-set --html page.html
  algkit bench -c sha256 --long --volume 256M
  algkit bench -c 'cbc(aes)' -s 128 --tcrypt")]
pub struct BenchArgs {
    /// An algorithm or a driver to measure (repeatable)
    #[arg(short = 'c', long = "cipher", value_name = "NAME")]
    pub names: Vec<String>,
    /// A key size, in bits (repeatable)
    #[arg(short = 's', long = "key-size", value_name = "KEYBITS")]
    pub key_bits: Vec<u32>,
    /// A driver to measure instead of the one that is chosen, or `all` (repeatable)
    #[arg(long = "driver", value_name = "DRIVER")]
    pub drivers: Vec<String>,
    /// Message sizes in bytes, or with a unit: 4K, 1M (powers of 1024) [default: 4096, and 16 for the cost of a call]
    #[arg(long, value_delimiter = ',', value_name = "BYTES,…", value_parser = bytes)]
    pub sizes: Vec<u64>,
    /// Encryption, decryption or both
    #[arg(long, value_enum, default_value_t = Op::Both)]
    pub op: Op,
    /// Numbers of concurrent threads, each with its own buffer; a speed is the total of all threads
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N,…",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,
    /// Sizes in bytes of the memory over which each thread spreads its messages [default: one message; without a
    /// value: 16K to 256M]
    #[arg(long, value_delimiter = ',', num_args = 0..=1, value_name = "BYTES,…", value_parser = bytes,
          default_missing_values = ["16K", "64K", "256K", "1M", "4M", "16M", "64M", "256M"])]
    pub working_set: Vec<u64>,
    /// Measurement time per figure, in seconds [default: 0.15, less for many figures]
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<f64>,
    /// Ten passes of a fixed volume each; report mean and standard deviation of the CPU time
    #[arg(long, conflicts_with = "seconds")]
    pub long: bool,
    /// Volume of each pass of --long, in bytes
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes, requires = "long")]
    pub volume: u64,
    /// Print cycles for messages of 16, 64, 256, 1024 and 8192 bytes, as the kernel's module tcrypt does
    #[arg(long, conflicts_with_all = ["long", "json", "html", "threads", "working_set"])]
    pub tcrypt: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// Write an HTML page with charts of speed over message size
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
A cipher with a mode (skcipher) streams files of any size through constant memory. No padding is added: \
block modes such as cbc(aes) take whole blocks. Modes that cannot continue after a part of a message (xts, xctr) take \
their input as one message of up to 16 MiB. With --sector-size N each N bytes are a message of their own, \
whose IV is the sector's number K, K+1, … as 64 bits, little-endian, followed by zeros. This is dm-crypt's plain64 with \
the option iv_large_sectors; without that option, dm-crypt counts sectors of 512 bytes, and here sectors have N bytes.

An AEAD takes its input as one message, which is held in memory. It writes the ciphertext followed by the \
tag, and expects the same when decrypting. No plaintext is written anywhere before the tag has been verified.

A key file holds the raw bytes of the key. For authenc(…), --auth-key gives the MAC's key and -k or \
--key-file the cipher's. Without --auth-key, the key has the kernel's format, which contains both.

An output file appears when it is complete, or not at all. A new file with decrypted text can be read by its owner only. Sizes in bytes may \
have a unit: 4K, 1M.

Examples:
  (umask 077; head -c 32 /dev/urandom > key)
  algkit enc -c 'gcm(aes)' --key-file key -i letter -o letter.sealed
  algkit enc -d -c 'gcm(aes)' --key-file key -i letter.sealed -o letter.opened
  tar c dir | algkit enc -c 'gcm(aes)' --key-file key --stream > dir.sealed
  algkit enc -c 'xts(aes)' --key-file key --sector-size 512 -i disk -o sealed")]
pub struct EncArgs {
    /// The algorithm or driver, of type skcipher or aead
    #[arg(short = 'c', long = "cipher", value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub key: KeyArgs,
    /// The key of the MAC in authenc(…), in hex
    #[arg(long, value_name = "HEX")]
    pub auth_key: Option<Hidden>,
    /// The initialization vector, in hex [default for GCM and ChaCha20-Poly1305: random, stored in front of the ciphertext]
    #[arg(long, value_name = "HEX")]
    pub iv: Option<String>,
    /// A file of associated data, which is authenticated but not encrypted (AEAD)
    #[arg(long, value_name = "FILE")]
    pub aad_file: Option<PathBuf>,
    /// Tag length in bytes [default: the longest] (AEAD)
    #[arg(long, value_name = "N")]
    pub tag_len: Option<usize>,
    /// Seal or open in chunks of N bytes, each with a tag, so that the use of memory is bounded [default: 64K] (AEAD)
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        value_parser = bytes,
        default_missing_value = "64K",
        conflicts_with_all = ["iv", "tag_len", "sector_size"]
    )]
    pub stream: Option<u64>,
    /// Sector size in bytes; each sector is a message, and its number is the IV
    #[arg(long, value_name = "N", value_parser = sector, conflicts_with = "iv")]
    pub sector_size: Option<u32>,
    /// The number of the first sector [default: 0]; numbers past 2^64 − 1 are refused
    #[arg(long, value_name = "K", requires = "sector_size", conflicts_with = "iv")]
    pub first_sector: Option<u64>,
    /// Decrypt
    #[arg(short = 'd', long)]
    pub decrypt: bool,
    /// Input [default: standard input, also as -]
    #[arg(short = 'i', long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Output [default: standard output, also as -]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Lists have the format of md5sum, sha1sum, sha256sum, sha512sum and b2sum (blake2b-512): each program checks what the other has written.

Examples:
  algkit dgst -c sha256 *.iso > SHA256SUMS
  algkit dgst -c sha256 --check SHA256SUMS
  algkit dgst -c 'hmac(sha256)' --key-file key message")]
pub struct DgstArgs {
    /// The algorithm or driver, of type hash
    #[arg(short = 'c', long = "hash", value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub key: KeyArgs,
    /// Digest length in bytes, for hashes whose output may have any length (keccak)
    #[arg(long, value_name = "N", value_parser = bytes)]
    pub length: Option<u64>,
    /// Read digests from the files and check them
    #[arg(long)]
    pub check: bool,
    /// Print lines in the BSD style
    #[arg(long, conflicts_with = "check")]
    pub tag: bool,
    /// End lines with a zero byte, and do not escape file names
    #[arg(short = 'z', long, conflicts_with = "check")]
    pub zero: bool,
    /// Do not print OK for each file that matches
    #[arg(long, requires = "check")]
    pub quiet: bool,
    /// Print nothing; only the exit status reports the result
    #[arg(long, requires = "check")]
    pub status: bool,
    /// Skip files that do not exist
    #[arg(long, requires = "check")]
    pub ignore_missing: bool,
    /// Exit 1 for improperly formatted lines too
    #[arg(long, requires = "check")]
    pub strict: bool,
    /// Warn about each improperly formatted line
    #[arg(short = 'w', long, requires = "check")]
    pub warn: bool,
    /// Files [default: standard input, also as -]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// How the program's requests reach algkit.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Via {
    /// A library that is loaded before the C library: the fastest way
    Preload,
    /// A supervisor that answers system calls: works for programs of any kind
    Seccomp,
}

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "algkit run [OPTIONS] [--] PROGRAM [ARG]...",
    after_help = "\
The program becomes this process: its exit status, its signals and its terminal are its own. Without --via, \
preload is chosen unless the program is statically linked, written in Go, linked with another C library, built \
with AddressSanitizer, or gains privileges: a library cannot serve these.

Programs that it starts are served too, even with an empty environment, unless they are started with an empty LD_PRELOAD. Those that \
preload cannot serve (static, Go, musl, AddressSanitizer, with privileges of their own) run without the library, and \
a line on standard error names each once. --via seccomp serves all of them; under it no program gains privileges.

Exit status: the program's; 127 if it is not found, 126 if it cannot be run, 2 for bad usage or if it cannot be \
served; with --via seccomp, 128 plus the number of the signal that killed it.

The library is looked for in $ALGKIT_PRELOAD (a file or a folder), in deps/ beside the executable, beside it, \
and in ../lib/algkit/ and ../lib/. If it is in none of them, the program is served by seccomp, and a line says so.

An algorithm that is denied or not allowed does not exist for the program: bind fails with ENOENT.

Examples:
  algkit run -- cryptsetup benchmark
  algkit run --stats -- cryptsetup benchmark
  algkit run --as-linux 7.3 --log 1 -- iwd
  algkit run -- openssl speed -engine afalg -evp aes-128-cbc
  algkit run cat /proc/crypto
  algkit run --via seccomp ./static-client"
)]
pub struct RunArgs {
    /// How the program's requests reach algkit [default: preload where the program allows it]
    #[arg(long, value_enum)]
    pub via: Option<Via>,
    /// Serve only algorithms whose name matches, such as 'xts(*)'; may be given several times
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub allow: Vec<String>,
    /// Do not serve algorithms whose name matches; may be given several times
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub deny: Vec<String>,
    /// Serve only the algorithms that this version of Linux still offers to unprivileged programs
    #[arg(long, value_name = "VERSION", value_parser = ["7.3"])]
    pub as_linux: Option<String>,
    /// Write usage statistics at the end, and with seccomp on SIGUSR1 too; without a FILE, to standard error
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option, reason = "absent, without a file, with a file")]
    pub stats: Option<Option<PathBuf>>,
    /// Log to standard error: 1 refusals by the policy or a limit, 2 all refusals, 3 sockets and sessions too
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub log: Option<u8>,
    /// With seccomp: maximum number of files that a program and its children have open [default: 1024]
    #[arg(long, value_name = "N", requires = "via")]
    pub files: Option<usize>,
    /// With seccomp: maximum number of bytes that a program's files keep [default: 64M]
    #[arg(long, value_name = "BYTES", requires = "via", value_parser = bytes)]
    pub memory: Option<u64>,
    /// With seccomp: maximum number of threads that work for a program [default: number of CPUs, from 4 to 16]
    #[arg(long, value_name = "N", requires = "via")]
    pub threads: Option<usize>,
    /// The program, searched in PATH if it contains no slash, and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, value_hint = clap::ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

impl RunArgs {
    /// The program, which clap requires.
    pub fn program(&self) -> &OsString {
        &self.command[0]
    }
}

/// Parses a pattern of names. Patterns are passed on in a list separated by spaces.
fn pattern(text: &str) -> Result<String, String> {
    match text.is_empty() || text.contains(|c: char| c.is_ascii_whitespace() || c == '\0') {
        true => Err("expected the name of an algorithm, in which * stands for any characters".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// Why the command ends before it has an answer.
pub enum Exit {
    /// Help or the version was requested and has been printed.
    Printed,
    /// An error, to be reported in one line.
    Error(Error),
}

/// Converts clap's error to one line. Help goes to standard output.
pub fn usage(error: clap::Error) -> Exit {
    usage_of(error, &asked_for(std::env::args_os().skip(1)))
}

/// The command that the arguments begin with: `algkit`, `algkit enc`, `algkit volume read`.
fn asked_for(arguments: impl Iterator<Item = OsString>) -> String {
    let mut command = &Args::command();
    let mut names = command.get_name().to_owned();
    for argument in arguments {
        let Some(found) = command.find_subcommand(argument) else { break };
        command = found;
        names += &format!(" {}", command.get_name());
    }
    names
}

/// Like [`usage`], for any command. The message ends with the `command` whose help says more.
pub fn usage_of(error: clap::Error, command: &str) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match out::print_all(error.render().to_string().as_bytes()) {
                Ok(()) => Exit::Printed,
                Err(error) => Exit::Error(error),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Exit::Error(Error::Usage(one_line("a command is missing", command)))
        }
        _ => Exit::Error(Error::Usage(one_line(&error.render().to_string(), command))),
    }
}

/// The first paragraph of clap's message, its tips, and the hint where to read more.
fn one_line(message: &str, command: &str) -> String {
    let mut paragraphs = message.strip_prefix("error: ").unwrap_or(message).split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let mut line = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    for tip in paragraphs.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("tip: ")) {
        line += &format!("; {tip}");
    }
    format!("{line} (see `{command} --help`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    /// clap wraps each line of a paragraph for itself, so a line that was broken by hand is broken twice.
    #[test]
    fn paragraphs_of_help_are_one_line_each() {
        fn check(command: &clap::Command) {
            let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for paragraph in notes.split("\n\n").filter(|paragraph| !paragraph.starts_with("Example")) {
                assert!(!paragraph.contains('\n'), "{}: {paragraph}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Args::command());
    }

    /// clap wraps lines at the terminal's width. A wrapped command could not be pasted.
    #[test]
    fn examples_of_help_fit_into_80_columns() {
        fn check(command: &clap::Command) {
            let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples = notes.split_once("Example").map_or("", |(_, examples)| examples);
            for line in examples.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Args::command());
    }

    #[test]
    fn the_hint_names_the_command_that_was_asked_for() {
        for (given, names) in [
            ("", "algkit"),
            ("nonsense --x", "algkit"),
            ("enc -d --x", "algkit enc"),
            ("volume luksAddKey --x", "algkit volume add-key"),
            ("volume nonsense", "algkit volume"),
        ] {
            assert_eq!(asked_for(given.split_whitespace().map(OsString::from)), names);
        }
    }

    #[test]
    fn usage_errors_are_one_line() {
        let message = "error: the following required arguments were not provided:\n  -c <NAME>\n\nUsage: algkit enc\n";
        let line = one_line(message, "algkit enc");
        assert!(
            line.starts_with("the following required arguments were not provided: -c <NAME> (see `algkit"),
            "{line}"
        );
        let message =
            "error: unexpected argument '--chekc' found\n\n  tip: a similar argument exists: '--check'\n\nUsage: x\n";
        let line = one_line(message, "x");
        assert_eq!(line, "unexpected argument '--chekc' found; a similar argument exists: '--check' (see `x --help`)");
    }
}
