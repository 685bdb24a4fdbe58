//! The command under the names of hmaccalc and fipscheck: `sha512hmac` and its siblings, `fipshmac`, `fipscheck`.
//! Image builds create `.NAME.hmac` files with them, and initramfs scripts check these files in a FIPS boot.
//!
//! Options and files are those of hmaccalc, fipscheck and libkcapi's `kcapi-hasher`. The keys are too; they are
//! public, so such a file protects against damage, not against an attacker.

use crate::{
    answer::Answer,
    args::{self, Exit},
    dgst::{self, Digester, check},
    error::Error,
    output::{Identity, Output},
    secret::{Hidden, read_key_file},
};
use clap::Parser;
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// hmaccalc's key.
const HMACCALC_KEY: &[u8] = b"FIPS-FTW-RHT2009";
/// fipscheck's key.
const FIPSCHECK_KEY: &[u8] = b"orboDeJITITejsirpADONivirpUkvarP";

/// The task of a command name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    /// Print lists of digests, or check them.
    Lists,
    /// Write `.NAME.hmac` beside each file.
    Write,
    /// Check files against their `.NAME.hmac`.
    Check,
}

struct Applet {
    name: &'static str,
    hash: &'static str,
    key: &'static [u8],
    job: Job,
}

const APPLETS: &[Applet] = &[
    Applet { name: "sha1hmac", hash: "sha1", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "sha224hmac", hash: "sha224", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "sha256hmac", hash: "sha256", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "sha384hmac", hash: "sha384", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "sha512hmac", hash: "sha512", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "sm3hmac", hash: "sm3", key: HMACCALC_KEY, job: Job::Lists },
    Applet { name: "fipshmac", hash: "sha256", key: FIPSCHECK_KEY, job: Job::Write },
    Applet { name: "fipscheck", hash: "sha256", key: FIPSCHECK_KEY, job: Job::Check },
];

/// Keyed digests of files with the well-known keys of hmaccalc (sha512hmac and its like) and
/// fipscheck (fipshmac, fipscheck), computed in user space.
#[derive(Parser, Debug)]
#[command(
    version,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    after_help = "\
sha1hmac, sha224hmac, sha256hmac, sha384hmac, sha512hmac and sm3hmac print lists of digests, or check them. \
fipshmac writes .NAME.hmac beside each file NAME; fipscheck checks files against them.

Exit status: 0 done; 1 a digest does not match; 2 bad usage or input.

Examples:
  sha512hmac /boot/vmlinuz > /boot/.vmlinuz.hmac
  sha512hmac -c /boot/.vmlinuz.hmac
  fipshmac /usr/bin/sshd && fipscheck /usr/bin/sshd"
)]
struct Args {
    /// Check the digests in the list FILE
    #[arg(short, long, value_name = "FILE", conflicts_with = "files")]
    check: Option<PathBuf>,
    /// Check this file, whatever the list names
    #[arg(short = 'T', long, value_name = "FILE", requires = "check")]
    target: Option<PathBuf>,
    /// Plain digests without a key
    #[arg(short, long, overrides_with_all = ["key", "key_file"])]
    unkeyed: bool,
    /// Another hash algorithm: sha1, sha256, sha3-512, sm3...
    #[arg(short = 'h', long, value_name = "HASH")]
    hash: Option<String>,
    /// Use the first BITS of each digest
    #[arg(short, long, value_name = "BITS")]
    truncate: Option<usize>,
    /// Print nothing while checking; only the exit status reports the result
    #[arg(short = 'q', long)]
    status: bool,
    /// Do not print OK for each file that matches
    #[arg(long)]
    quiet: bool,
    /// A file that holds the key
    #[arg(short, long, value_name = "FILE", overrides_with_all = ["key", "unkeyed"])]
    key_file: Option<PathBuf>,
    /// The key itself (other users may see it in the list of processes: prefer --key-file)
    #[arg(short = 'K', long, value_name = "KEY", overrides_with_all = ["key_file", "unkeyed"])]
    key: Option<Hidden>,
    /// Print lines in the BSD style
    #[arg(long)]
    tag: bool,
    /// End lines with a zero byte, and escape no file names
    #[arg(short = 'z', long)]
    zero: bool,
    /// The folder of fipshmac's and fipscheck's files, which are named NAME.hmac there
    #[arg(short, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the digest of this program
    #[arg(short = 'S', long, conflicts_with_all = ["check", "files"])]
    self_sum: bool,
    /// Accepted for compatibility with hmaccalc; has no effect
    #[arg(short, hide = true)]
    binary: bool,
    /// Accepted for compatibility with hmaccalc; has no effect
    #[arg(short = 'P', hide = true)]
    prelink: bool,
    /// Act as this command
    #[arg(short, long, value_name = "NAME")]
    name: Option<String>,
    /// Print this help
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
    /// Files [default: standard input, also as -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Whether the program was called by one of these names, or as kcapi-hasher.
pub fn is_called(program: &OsStr) -> bool {
    let name = base_name(program);
    name == Some(OsStr::new("kcapi-hasher")) || name.and_then(applet).is_some()
}

fn base_name(program: &OsStr) -> Option<&OsStr> {
    Path::new(program).file_name()
}

fn applet(name: &OsStr) -> Option<&'static Applet> {
    APPLETS.iter().find(|applet| name == applet.name)
}

/// Runs the command. `arguments` begins with the program's name.
pub fn run(arguments: Vec<OsString>) -> Result<Answer, Exit> {
    let program = arguments.first().and_then(|name| base_name(name)).unwrap_or_default().to_owned();
    let args = Args::try_parse_from(arguments).map_err(|error| args::usage_of(error, &program.to_string_lossy()))?;
    let name = args.name.as_ref().map_or(&*program, |name| OsStr::new(name));
    let Some(applet) = applet(name) else {
        let names = APPLETS.iter().map(|applet| applet.name).collect::<Vec<_>>().join(", ");
        return Err(Exit::Error(Error::option("--name", format!("`{}` is none of {names}", name.display()))));
    };
    answer(applet, &args).map_err(Exit::Error)
}

fn answer(applet: &Applet, args: &Args) -> Result<Answer, Error> {
    let hash = digester(applet, args)?;
    if args.self_sum {
        let digest = hash.digest(Path::new("/proc/self/exe"))?;
        return crate::out::print_all(&hex_line(&digest)).map(|()| Answer::Yes);
    }
    if let Some(list) = &args.check {
        let options = check::Options {
            quiet: args.quiet,
            status: args.status,
            target: args.target.as_deref(),
            ..check::Options::default()
        };
        return check::run(&options, &hash, vec![list]);
    }
    match applet.job {
        Job::Lists => dgst::print(&hash, dgst::or_stdin(&args.files), args.tag, args.zero),
        Job::Write => for_each(args, |file, beside| write(&hash, file, beside)),
        Job::Check => for_each(args, |file, beside| verify(&hash, file, beside, args.status || args.quiet)),
    }
}

/// The hash and key that the arguments select.
fn digester(applet: &Applet, args: &Args) -> Result<Digester, Error> {
    let name = args.hash.as_deref().unwrap_or(applet.hash);
    let key = match (&args.key, &args.key_file) {
        _ if args.unkeyed => None,
        (Some(key), _) => Some(key.text()),
        (None, Some(path)) => Some(read_key_file(path)?),
        (None, None) => Some(Zeroizing::new(applet.key.to_owned())),
    };
    let (hash, tag) = match key {
        Some(key) => (algkit::hash(&format!("hmac({name})"))?.key(&key)?, format!("HMAC({})", name.to_uppercase())),
        None => (algkit::hash(name)?.unkeyed()?, name.to_uppercase()),
    };
    let size = match args.truncate {
        None => hash.digest_size(),
        Some(bits) if bits % 8 == 0 && (8..=8 * hash.digest_size()).contains(&bits) => bits / 8,
        Some(bits) => {
            let reason = format!("`{bits}` is not a multiple of 8 from 8 to {}", 8 * hash.digest_size());
            return Err(Error::option("--truncate", reason));
        }
    };
    Ok(Digester::with_tag(hash, tag, size))
}

/// Calls `job` with each file and the path of the file with its digest.
fn for_each(args: &Args, job: impl Fn(&Path, &Path) -> Result<Answer, Error>) -> Result<Answer, Error> {
    if args.files.is_empty() {
        return Err(Error::Usage("no file is given".to_owned()));
    }
    let mut worst = Answer::Yes;
    for file in &args.files {
        match beside(file, args.dir.as_deref()).and_then(|beside| job(file, &beside)) {
            Ok(answer) => worst = worst.max(answer),
            Err(error) => {
                crate::out::complain(&error);
                worst = Answer::Bad;
            }
        }
    }
    Ok(worst)
}

/// The path of the digest file: `.NAME.hmac` beside the file, or `NAME.hmac` in `folder`.
fn beside(file: &Path, folder: Option<&Path>) -> Result<PathBuf, Error> {
    let Some(name) = file.file_name() else {
        return Err(Error::Usage(format!("`{}` does not name a file", file.display())));
    };
    let mut to = OsString::from(if folder.is_some() { "" } else { "." });
    to.push(name);
    to.push(".hmac");
    Ok(match folder {
        Some(folder) => folder.join(to),
        None => file.with_file_name(to),
    })
}

fn hex_line(digest: &[u8]) -> Vec<u8> {
    (hex::encode(digest) + "\n").into_bytes()
}

/// Writes only the digest, as libfipscheck expects.
fn write(hash: &Digester, file: &Path, beside: &Path) -> Result<Answer, Error> {
    let digest = hash.digest(file)?;
    let mut output = Output::file(beside, Identity::at(file))?;
    output.write(&hex_line(&digest))?;
    output.finish()?;
    Ok(Answer::Yes)
}

/// The number of bytes read from a digest file: enough for a 64-byte digest and a path.
const MAX_HMAC_FILE: u64 = 8 << 10;

fn verify(hash: &Digester, file: &Path, beside: &Path, quiet: bool) -> Result<Answer, Error> {
    let mut text = Vec::new();
    File::open(beside)
        .and_then(|list| list.take(MAX_HMAC_FILE).read_to_end(&mut text))
        .map_err(|source| Error::read(beside, source))?;
    // The file contains the digest, possibly followed by a name.
    let digits = text.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let Ok(want) = hex::decode(digits) else {
        return Err(Error::Usage(format!("`{}` does not begin with a digest in hex", beside.display())));
    };
    if bool::from(hash.digest(file)?.ct_eq(&want)) {
        return Ok(Answer::Yes);
    }
    if !quiet {
        crate::out::complain(&format!("`{}` does not match `{}`", file.display(), beside.display()));
    }
    Ok(Answer::No)
}
