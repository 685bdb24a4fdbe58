//! Programs in a container of Debian's runc, whose seccomp profile denies AF_ALG. The library is brought in from
//! outside.

mod command;

use command::{
    algkit, foreign,
    run::{install, output, stdout, told},
    scratch,
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A command of a user of AF_ALG, which fails without the library.
const DIGEST: &[&str] = &["kcapi-dgst", "-c", "sha256", "--hex", "-i", "/etc/hostname"];

/// A container with the host's programs and libraries, read-only, and an `/etc` of its own.
struct Container(tempfile::TempDir);

impl Container {
    fn new() -> Self {
        let container = Self(scratch());
        let root = container.root();
        for folder in ["proc", "dev", "etc", "usr/bin", "usr/lib/x86_64-linux-gnu", "usr/lib64"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        for name in ["bin", "lib", "lib64"] {
            symlink(format!("usr/{name}"), root.join(name)).expect("a link");
        }
        fs::write(root.join("etc/hostname"), "container\n").expect("a file");
        container
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    /// The config.json for the runtime. Its seccomp rule is the one by which default profiles deny the address family
    /// 38, AF_ALG.
    fn config(&self, args: &[&str]) -> String {
        let id =
            |flag: &str| String::from_utf8(foreign("coreutils", "id", &[flag])).expect("a number").trim().to_owned();
        let bind = |at: &str| {
            format!(r#"{{"destination": "{at}", "type": "bind", "source": "{at}", "options": ["rbind", "ro"]}}"#)
        };
        let mounts = ["/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"].map(bind).join(", ");
        let (args, root) = (args.iter().map(|arg| format!("{arg:?}")).collect::<Vec<_>>().join(", "), self.root());
        format!(
            r#"{{"ociVersion": "1.0.0", "root": {{"path": "{}", "readonly": true}}, "process": {{"args": [{args}],
            "cwd": "/", "user": {{"uid": 0, "gid": 0}}, "env": ["PATH=/usr/bin", "LC_ALL=C"], "noNewPrivileges": true}},
            "mounts": [{{"destination": "/proc", "type": "proc", "source": "proc"}}, {mounts}],
            "linux": {{"namespaces": [{{"type": "user"}}, {{"type": "pid"}}, {{"type": "mount"}}, {{"type": "network"}}],
            "uidMappings": [{{"containerID": 0, "hostID": {}, "size": 1}}],
            "gidMappings": [{{"containerID": 0, "hostID": {}, "size": 1}}],
            "seccomp": {{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{{"names": ["socket"],
            "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "args": [{{"index": 0, "value": 38, "op": "SCMP_CMP_EQ"}}]}}]}}}}}}"#,
            root.display(),
            id("-u"),
            id("-g")
        )
    }

    fn run(&self, config: &str) -> Output {
        let folder = self.0.path();
        fs::write(folder.join("config.json"), config).expect("a file");
        let id = format!("algkit-{}", folder.file_name().and_then(|name| name.to_str()).expect("a name"));
        let mut runc = Command::new("runc"); // of Debian's package runc
        runc.arg("--root").arg(folder.join("state")).args(["run", "--bundle"]).arg(folder).arg(id);
        output(&mut runc)
    }
}

/// The path of `algkit`'s library.
fn library() -> PathBuf {
    let folder = algkit().parent().expect("a folder");
    [folder.join("libalgkit_preload.so"), folder.join("deps/libalgkit_preload.so")]
        .into_iter()
        .find(|path| path.is_file())
        .expect("the library")
}

/// The configuration after packaging/oci-hook has changed it.
fn hooked(container: &Container, config: &str) -> String {
    let installed = container.0.path().join("installed");
    fs::create_dir_all(&installed).expect("a folder");
    let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging");
    install(&packaging.join("oci-hook"), &installed.join("oci-hook"));
    fs::copy(library(), installed.join("libalgkit_preload.so")).expect("a file");
    let plain = container.0.path().join("plain.json");
    fs::write(&plain, config).expect("a file");
    let mut hook = Command::new(installed.join("oci-hook"));
    let hook = hook.stdin(fs::File::open(plain).expect("a file")).stderr(Stdio::inherit()).output().expect("the hook");
    assert!(hook.status.success(), "packaging/oci-hook, which needs Debian's jq");
    String::from_utf8(hook.stdout).expect("text")
}

/// The digest of the file that [`DIGEST`] reads.
fn digest() -> String {
    let folder = scratch();
    let file = folder.path().join("hostname");
    fs::write(&file, "container\n").expect("a file");
    let printed = String::from_utf8(stdout(Command::new("sha256sum").arg(file))).expect("text");
    printed.split_whitespace().next().expect("a digest").to_owned()
}

#[test]
fn the_hook_serves_a_container_that_denies_the_socket() {
    let container = Container::new();
    let config = container.config(DIGEST);
    let denied = container.run(&config);
    assert!(!denied.status.success() && told(&denied).contains("AF_ALG"), "{}", told(&denied));
    let served = container.run(&hooked(&container, &config));
    assert!(served.status.success() && told(&served).contains(&digest()), "{}", told(&served));
    // A library that LD_PRELOAD names already stays there, after ours.
    let both = hooked(&container, &config.replace("LC_ALL=C", "LD_PRELOAD=/lib/other.so"));
    assert!(both.contains("\"LD_PRELOAD=/usr/lib/algkit/libalgkit_preload.so /lib/other.so\""), "{both}");
    assert_eq!(both.matches("LD_PRELOAD=").count(), 1, "{both}");
}

#[test]
fn a_profile_that_denies_the_socket_outranks_the_supervisor() {
    let container = Container::new();
    install(algkit(), &container.root().join("algkit"));
    let config = container.config(&[&["/algkit", "run", "--via", "seccomp", "--"], DIGEST].concat());
    let denied = container.run(&config);
    assert!(!denied.status.success() && told(&denied).contains("AF_ALG"), "{}", told(&denied));
    let served = container.run(&config.replace(r#""value": 38"#, r#""value": 40"#));
    assert!(served.status.success() && told(&served).contains(&digest()), "{}", told(&served));
}

#[test]
fn a_line_in_ld_so_preload() {
    let container = Container::new();
    let root = container.root();
    fs::copy(library(), root.join("library.so")).expect("a file");
    fs::write(root.join("etc/ld.so.preload"), "/library.so\n").expect("a file");
    let said = container.run(&container.config(DIGEST));
    assert!(said.status.success() && told(&said).contains(&digest()), "{}", told(&said));
    // The program has an empty environment, and its child is served.
    let said =
        container.run(&container.config(&[&["env", "-i", "/usr/bin/sh", "-c", "exec \"$@\"", "sh"], DIGEST].concat()));
    assert!(said.status.success() && told(&said).contains(&digest()), "{}", told(&said));
    // A static program does not read LD_PRELOAD.
    let source = container.0.path().join("static.c");
    fs::write(&source, "#include <unistd.h>\nint main(void) { return write(1, \"static\\n\", 7) != 7; }\n")
        .expect("a file");
    stdout(Command::new("gcc").args(["-static", "-o"]).arg(root.join("static")).arg(source));
    let said = container.run(&container.config(&["/static"]));
    assert_eq!((said.status.code(), told(&said).as_str()), (Some(0), "static\n"));
    // If the library's file is missing, each program says so and continues.
    fs::remove_file(root.join("library.so")).expect("a file");
    let said = container.run(&container.config(&["uname"]));
    assert!(said.status.success() && told(&said).contains("Linux\n"), "{}", told(&said));
    assert!(told(&said).contains("cannot be preloaded"), "{}", told(&said));
}
