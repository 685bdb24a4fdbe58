//! Changes of the registry over netlink, by a client that is written after linux/cryptouser.h: root of the namespace that
//! `algkit run` was started in may make and delete instances of templates, as the Linux Test Project's crypto_user02
//! and pcrypt_aead01 do in a kernel.

mod command;

use command::run::{output, stdout, told};
use std::process::Command;

/// The client. `newalg`, `delalg` return the error number of the acknowledgement.
const CLIENT: &str = "
import errno, os, socket, struct, sys
NEWALG, DELALG, GETALG = 0x10, 0x11, 0x13
REQUEST_ACK = 5
def ask(kind, name='', driver='', priority=None):
    body = struct.pack('=64s64s64sIIII', name.encode(), driver.encode(), b'', 0, 0, 0, 0)
    if priority is not None:
        body += struct.pack('=HHI', 8, 1, priority)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 21) as s:
        s.bind((0, 0))
        s.send(struct.pack('=IHHII', 16 + len(body), kind, REQUEST_ACK, 1, 0) + body)
        answer = s.recv(4096)
        kind = struct.unpack_from('=H', answer, 4)[0]
        return 0 if kind == GETALG else -struct.unpack_from('=i', answer, 16)[0]
def newalg(driver, priority=None): return ask(NEWALG, '', driver, priority)
def delalg(driver): return ask(DELALG, '', driver)
def bound(name):
    s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
    s.bind(('hash', name))
    return s
";

/// What crypto_user02 and pcrypt_aead01 ask for. There is no pcrypt here, as in a kernel without that module.
const ROOT: &str = "
driver = 'hmac(sha1-generic)'
assert ask(GETALG, 'sha1') == 0
print([newalg(driver, 5), newalg(driver), delalg(driver), delalg(driver)])
newalg(driver)
user = bound(driver)
print(delalg(driver))
user.close()
print(delalg(driver))
print([newalg('pcrypt(authenc(hmac(sha256-generic),cbc(aes-generic)))'), delalg('sha1-generic')])
# Several processes make, use and delete the same instance.
children = []
for n in range(4):
    child = os.fork()
    if child == 0:
        for _ in range(300):
            assert newalg(driver) in (0, errno.EEXIST)
            bound(driver).close()
            assert delalg(driver) in (0, errno.EBUSY, errno.ENOENT)
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
";

/// A program without privileges, and one that is root of a namespace that it has made itself.
const OTHERS: &str = "print([newalg('hmac(sha1-generic)'), delalg('hmac(sha1-generic)'), ask(GETALG, 'sha1')])";

/// `algkit run` as root of a namespace of its own.
fn as_root_of_a_namespace(via: &str, program: &[&str], script: &str) -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user"]).arg(command::algkit()).args(["run", "--via", via, "--"]);
    unshare.args(program).args(["python3", "-c"]).arg(format!("{CLIENT}{script}"));
    unshare
}

#[test]
fn root_makes_and_deletes_instances() {
    for via in ["preload", "seccomp"] {
        let said = stdout(&mut as_root_of_a_namespace(via, &[], ROOT));
        // 0, EEXIST, 0, ENOENT; EBUSY while it is in use; ENOENT, and EINVAL for what is no instance of a template.
        let expected = "[0, 17, 0, 2]\n16\n0\n[2, 22]\n[0, 0, 0, 0]\n";
        assert_eq!(String::from_utf8_lossy(&said), expected, "{via}");
    }
}

#[test]
fn others_may_only_ask() {
    for via in ["preload", "seccomp"] {
        let drop = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"];
        let said = output(&mut as_root_of_a_namespace(via, &drop, OTHERS));
        assert_eq!(told(&said), "[1, 1, 0]\n", "{via}: without the capability");
    }
    // By seccomp, the change would be seen by programs of the namespace outside. By preload, each process has its own.
    let inner = ["unshare", "--user", "--map-root-user"];
    let said = output(&mut as_root_of_a_namespace("seccomp", &inner, OTHERS));
    assert_eq!(told(&said), "[1, 1, 0]\n");
    let said = output(&mut as_root_of_a_namespace("preload", &inner, OTHERS));
    assert_eq!(told(&said), "[0, 0, 0]\n");
}
