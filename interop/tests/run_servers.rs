//! Servers with OpenSSL's engine afalg, under `algkit run`: sshd, which confines itself, nginx and Apache.

mod command;

use command::{
    run::{output, sample, stdout, told},
    same, scratch,
};
use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The number of bytes to be downloaded.
const LEN: usize = 100_000_000;

/// The configuration from the engine's documentation.
const ENGINE: &str = "openssl_conf = openssl_init\n[openssl_init]\nengines = engines\n[engines]\nafalg = afalg\n\
                      [afalg]\ndefault_algorithms = ALL\n";

/// A running server, which is ended when this is dropped.
struct Server(Child);

impl Server {
    /// Starts `algkit run --via … --stats=stats -- program …` and waits until the port answers.
    fn start(folder: &Path, via: &str, port: u16, program: &str, args: &[&str]) -> Self {
        let at = |name: &str| folder.join(name);
        fs::write(at("engine.cnf"), ENGINE).expect("a file");
        let mut command = Command::new(command::algkit());
        let mut stats = std::ffi::OsString::from("--stats=");
        stats.push(at("stats"));
        command.args(["run", "--via", via]).arg(stats).args(["--", program]).args(args);
        let log = fs::File::create(at("log")).expect("a file");
        command.env("OPENSSL_CONF", at("engine.cnf")).current_dir(folder).stdin(Stdio::null());
        // Apache ends its whole process group.
        command.process_group(0);
        let server = Self(command.stdout(Stdio::null()).stderr(log).spawn().expect("algkit"));
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let said = fs::read_to_string(at("log")).unwrap_or_default();
            assert!(start.elapsed() < Duration::from_secs(30), "{program} does not answer: {said}");
            thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).expect("a port").local_addr().expect("an address").port()
}

/// Asserts that the engine has used `cbc(aes)` for at least as many bytes as the file has.
fn assert_served(folder: &Path) {
    let bytes = |line: &str| -> u64 {
        let words: Vec<_> = line.split_whitespace().collect();
        words.windows(2).find(|pair| pair[1] == "bytes").and_then(|pair| pair[0].parse().ok()).expect("a number")
    };
    // Apache's children write this when they end: each after its connection, so that none is killed before.
    let start = Instant::now();
    let (stats, all) = loop {
        let stats = fs::read_to_string(folder.join("stats")).expect("what was served");
        let all: u64 = stats.lines().filter(|line| line.contains(" cbc(aes) ")).map(bytes).sum();
        if all >= LEN as u64 || start.elapsed() > Duration::from_secs(10) {
            break (stats, all);
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(all >= LEN as u64, "{all} bytes: {stats}");
}

fn user() -> String {
    String::from_utf8(stdout(Command::new("id").arg("-un"))).expect("a name").trim().to_owned()
}

#[test]
fn ssh_and_scp() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let data = sample(folder.path(), LEN);
    for key in ["host", "id"] {
        stdout(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]));
    }
    fs::copy(at("id.pub"), at("authorized")).expect("a file");
    let port = free_port();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\nStrictModes no\n\
         Ciphers aes128-cbc,aes256-cbc\nMACs hmac-sha2-256\nSubsystem sftp internal-sftp\n",
        at("host"),
        at("authorized"),
    );
    fs::write(at("sshd_config"), config).expect("a file");
    // Debian's service makes the folder. Without it, root's sshd does not start.
    let _ = fs::create_dir_all("/run/sshd");
    let server =
        Server::start(folder.path(), "preload", port, "/usr/sbin/sshd", &["-D", "-e", "-f", &at("sshd_config")]);
    let options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-i", &at("id")];
    let there = format!("{}@127.0.0.1", user());
    let fail = |run: &std::process::Output| {
        let log = fs::read_to_string(at("log")).unwrap_or_default();
        panic!("{}: {}{log}", run.status, String::from_utf8_lossy(&run.stderr))
    };
    let mut ssh = Command::new("ssh");
    ssh.args(options).args(["-c", "aes128-cbc", "-p", &port.to_string(), &there, "cat"]).arg(&data);
    let run = output(&mut ssh);
    if !run.status.success() {
        fail(&run);
    }
    fs::write(at("by-ssh"), run.stdout).expect("a file");
    same(Path::new(&at("by-ssh")), &data);
    let mut scp = Command::new("scp");
    scp.args(["-q"]).args(options).args(["-c", "aes256-cbc", "-P", &port.to_string()]);
    scp.arg(&data).arg(format!("{there}:{}", at("by-scp")));
    let run = output(&mut scp);
    if !run.status.success() {
        fail(&run);
    }
    same(Path::new(&at("by-scp")), &data);
    drop(server);
    assert_served(folder.path());
}

/// Makes a certificate, and downloads a file with three cipher suites.
fn download(program: &str, config: impl FnOnce(&str, u16) -> String, args: &[&str]) {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let data = sample(folder.path(), LEN);
    fs::rename(data, at("data")).expect("a file");
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
    stdout(openssl.args(["-keyout", &at("key.pem"), "-out", &at("cert.pem")]));
    let port = free_port();
    fs::write(at("config"), config(&at(""), port)).expect("a file");
    let config = at("config");
    let args: Vec<_> = args.iter().map(|&arg| if arg == "CONFIG" { config.as_str() } else { arg }).collect();
    for via in ["preload", "seccomp"] {
        let server = Server::start(folder.path(), via, port, program, &args);
        for suite in ["AES128-SHA", "AES128-SHA256", "AES256-SHA256"] {
            let mut curl = Command::new("curl");
            curl.args(["-sSk", "--tls-max", "1.2", "--ciphers", suite, "-o", &at("got")]);
            let run = output(curl.arg(format!("https://127.0.0.1:{port}/data")));
            assert!(run.status.success(), "{via} {suite}: {}", told(&run));
            same(Path::new(&at("got")), Path::new(&at("data")));
        }
        drop(server);
        assert_served(folder.path());
    }
}

#[test]
fn nginx() {
    let config = |folder: &str, port| {
        format!(
            "daemon off; worker_processes 1; pid {folder}pid; error_log stderr; user {}; ssl_engine afalg; events {{}}\n\
             http {{ access_log off; server {{ listen 127.0.0.1:{port} ssl; root {folder};\n\
             ssl_certificate {folder}cert.pem; ssl_certificate_key {folder}key.pem; ssl_protocols TLSv1.2;\n\
             ssl_ciphers AES128-SHA:AES128-SHA256:AES256-SHA256; }} }}\n",
            user(),
        )
    };
    download("/usr/sbin/nginx", config, &["-p", ".", "-c", "CONFIG"]);
}

#[test]
fn apache() {
    let config = |folder: &str, port| {
        let modules = ["mpm_prefork", "authz_core", "socache_shmcb", "ssl"];
        let load = modules.map(|m| format!("LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n")).concat();
        format!(
            "ServerRoot {folder}\nServerName localhost\nPidFile {folder}pid\nListen 127.0.0.1:{port}\n{load}\
             ErrorLog /dev/stderr\nSSLCryptoDevice afalg\nSSLEngine on\nSSLProtocol TLSv1.2\n\
             SSLCipherSuite AES128-SHA:AES128-SHA256:AES256-SHA256\nSSLCertificateFile {folder}cert.pem\n\
             SSLCertificateKeyFile {folder}key.pem\nDocumentRoot {folder}\nStartServers 1\nMinSpareServers 1\n\
             MaxSpareServers 2\nMaxConnectionsPerChild 1\n<Directory {folder}>\nRequire all granted\n</Directory>\n"
        )
    };
    download("/usr/sbin/apache2", config, &["-f", "CONFIG", "-DFOREGROUND"]);
}
