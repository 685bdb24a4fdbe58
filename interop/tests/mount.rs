//! `algkit volume mount` with other programs on the file that it shows, and with fuse2fs.

mod command;

use command::{
    algkit, foreign, interruptible, ours, outcome,
    run::told,
    same, signal, text,
    volume::{Place, QUICK},
};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Read},
    os::unix::fs::{FileExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

/// A volume that is mounted on a folder.
struct Mount {
    child: Child,
    folder: PathBuf,
    /// What the command said that it shows.
    shown: PathBuf,
}

impl Mount {
    fn start(place: &Place, args: &[&str]) -> Self {
        Self::by(interruptible(), place, args)
    }

    /// `command` begins with the program.
    fn by(mut command: Command, place: &Place, args: &[&str]) -> Self {
        let folder = place.folder.path().join("mnt");
        // A folder that a killed command has left mounted can only be told by its name.
        let made = fs::create_dir(&folder);
        assert!(made.map_or_else(|error| error.kind() == ErrorKind::AlreadyExists, |()| true));
        command.args(["volume", "mount", "--key-file", &place.at("key")]).args(args).arg(&folder);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("algkit");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "{args:?}: {:?}", child.wait());
        Self { child, folder, shown: line.trim_end().into() }
    }

    fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Waits until the command has ended with success, and checks that the folder is as before.
    fn ended(mut self) {
        assert!(self.child.wait().expect("a child").success());
        assert_eq!(fs::read_dir(&self.folder).expect("a folder").count(), 0);
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // If the test has succeeded, there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = Command::new("fusermount3").args(["-u", "-z", "-q"]).arg(&self.folder).output();
    }
}

fn image(place: &Place, name: &str, mib: u64, sector: &str) -> String {
    let image = place.image(name, (16 + mib) << 20);
    ours(&[&["volume", "format", "-d", &place.at("key"), "--sector-size", sector, &image][..], &QUICK].concat());
    image
}

/// A folder with some files.
fn tree(place: &Place) -> PathBuf {
    let folder = place.folder.path().join("tree");
    fs::create_dir_all(folder.join("a folder")).expect("a folder");
    fs::copy(&place.plain, folder.join("a folder/sample")).expect("a file");
    fs::write(folder.join("hello"), "hello\n").expect("a file");
    folder
}

#[test]
fn programs_read_and_write_the_file() {
    let place = Place::new();
    let tree = tree(&place);
    for sector in ["512", "4096"] {
        let image = image(&place, &format!("disk{sector}"), 16, sector);
        let mount = Mount::start(&place, &[&image]);
        let metadata = fs::metadata(&mount.shown).expect("the file");
        assert_eq!((metadata.len(), metadata.mode() & 0o777), (16 << 20, 0o600));
        assert_eq!(mount.shown, mount.folder.join("volume"));
        let names: Vec<_> =
            fs::read_dir(&mount.folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
        assert_eq!(names, ["volume"]);
        // No space, of which none would be free; and no other name.
        assert_eq!(
            foreign("coreutils", "stat", &["-f", "-c", "%T %S %b %a", text(&mount.folder)]).trim_ascii(),
            b"fuseblk 512 0 0"
        );
        let error = fs::create_dir(mount.folder.join("new")).expect_err("another name");
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        // e2fsprogs make, check and read a file system in it.
        foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", "-d", text(&tree), text(&mount.shown)]);
        foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", text(&mount.shown)]);
        let back = place.at("back");
        let dump = format!("dump \"/a folder/sample\" {back}");
        foreign("e2fsprogs", "/usr/sbin/debugfs", &["-R", &dump, text(&mount.shown)]);
        same(Path::new(&back), &place.plain);
        mount.signal("TERM");
        mount.ended();
        // What was written is in the image.
        let raw = place.at("raw");
        ours(&["volume", "read", "-d", &place.at("key"), "-o", &raw, &image]);
        foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &raw]);

        // Past the page cache, in requests of many sizes.
        let mount = Mount::start(&place, &[&image]);
        let (input, output) = (format!("if={raw}"), format!("of={}", text(&mount.shown)));
        foreign("coreutils", "dd", &[&input, &output, "bs=3M", "oflag=direct", "conv=fsync,notrunc", "status=none"]);
        for (block, direct) in [("4k", "direct"), ("1M", "direct"), ("5M", "direct"), ("777", "nonblock")] {
            let input = format!("if={}", text(&mount.shown));
            let output = format!("of={back}");
            let block = format!("bs={block}");
            foreign("coreutils", "dd", &[&input, &output, &block, &format!("iflag={direct}"), "status=none"]);
            same(Path::new(&back), Path::new(&raw));
        }
        // A program that overwrites a file truncates it first, and a disk stays as long as it is.
        foreign("coreutils", "cp", &[&raw, text(&mount.shown)]);
        same(&mount.shown, Path::new(&raw));
        foreign("fuse3", "fusermount3", &["-u", text(&mount.folder)]);
        mount.ended();
    }
}

#[test]
fn threads_write_parts_of_sectors() {
    let place = Place::new();
    let image = image(&place, "disk", 4, "4096");
    let mount = Mount::start(&place, &[&image]);
    let file = File::options().read(true).write(true).open(&mount.shown).expect("the file");
    thread::scope(|scope| {
        for number in 0..4u8 {
            let file = &file;
            // Each writes every fourth piece of 1000 bytes, so that all share sectors.
            scope.spawn(move || {
                for piece in (u64::from(number)..1000).step_by(4) {
                    file.write_all_at(&[number + 1; 1000], piece * 1000).expect("a write");
                }
                file.sync_all().expect("a sync");
            });
        }
    });
    // Behind the end there is no room.
    let error = file.write_at(&[1], 4 << 20).expect_err("no room");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    drop(file);
    mount.signal("INT");
    mount.ended();
    let bytes = place.read(&["--length", "1000000", &image]);
    assert!(bytes.chunks(1000).zip((1..=4).cycle()).all(|(piece, byte)| piece.iter().all(|there| *there == byte)));
}

#[test]
fn read_only_busy_and_killed() {
    let place = Place::new();
    let image = image(&place, "disk", 4, "512");
    let before = fs::read(&image).expect("a file");
    let mount = Mount::start(&place, &["-r", &image]);
    let error = File::options().write(true).open(&mount.shown).expect_err("read-only");
    assert_eq!(error.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
    // Who has the file open may go on for some seconds, and then the command ends all the same.
    let mut open = File::open(&mount.shown).expect("the file");
    mount.signal("TERM");
    mount.ended();
    assert!(open.read(&mut [0; 512]).is_err());
    drop(open);
    assert!(fs::read(&image).expect("a file") == before);

    // While it is mounted, no other program writes to the image.
    let mount = Mount::start(&place, &[&image]);
    let second = outcome(&["volume", "write", "-d", &place.at("key"), "-i", text(&place.plain), &image]);
    assert!(told(&second).contains("another program uses its data"), "{}", told(&second));
    fs::write(&mount.shown, b"kept").expect("a write");
    mount.signal("KILL");
    let mut mount = mount;
    mount.child.wait().expect("a child");
    assert!(fs::read_dir(&mount.folder).is_err());
    // Whoever starts it again need not unmount the folder before.
    let again = Mount::start(&place, &[&image]);
    assert_eq!(fs::read(&again.shown).expect("the file")[..4], *b"kept");
    again.signal("TERM");
    again.ended();
    assert!(fs::read_dir(&mount.folder).is_ok_and(|mut left| left.next().is_none()));
    assert!(place.read(&["--length", "4", &image]) == b"kept");
}

/// A volume with tags: a file system in the file, and what was synced is there after kill -9.
#[test]
fn sectors_with_tags() {
    let place = Place::new();
    let tree = tree(&place);
    let image = place.image("disk", 48 << 20);
    let format = ["volume", "format", "-d", &place.at("key"), "--integrity", "hmac-sha256", &image];
    ours(&[&format[..], &QUICK].concat());
    let mount = Mount::start(&place, &[&image]);
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", "-d", text(&tree), text(&mount.shown)]);
    foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", text(&mount.shown)]);
    mount.signal("TERM");
    mount.ended();
    let raw = place.at("raw");
    ours(&["volume", "read", "-d", &place.at("key"), "-o", &raw, &image]);
    foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &raw]);
    let back = place.at("back");
    foreign("e2fsprogs", "/usr/sbin/debugfs", &["-R", &format!("dump \"/a folder/sample\" {back}"), &raw]);
    same(Path::new(&back), &place.plain);

    let mut mount = Mount::start(&place, &[&image]);
    let file = File::options().write(true).open(&mount.shown).expect("the file");
    file.write_all_at(b"kept", 1000).and_then(|()| file.sync_all()).expect("a write");
    drop(file);
    mount.signal("KILL");
    mount.child.wait().expect("a child");
    assert!(place.read(&["--offset", "1000", "--length", "4", &image]) == b"kept");
}

/// Where /dev/fuse is everybody's, as udev makes it, an ordinary user mounts through fusermount3. If an ordinary user runs these tests, all of them show
/// that.
#[test]
fn an_ordinary_user() {
    if fs::metadata("/proc/self").expect("proc").uid() != 0 {
        return;
    }
    let place = Place::new();
    let image = image(&place, "disk", 4, "512");
    let device = place.at("fuse");
    let folder = place.folder.path().join("mnt");
    fs::create_dir_all(&folder).expect("a folder");
    let name = fs::canonicalize(algkit()).expect("algkit");
    let copy = place.folder.path().join("algkit");
    fs::copy(name, &copy).expect("a copy");
    for path in [place.folder.path(), &folder, Path::new(&image), &copy, Path::new(&place.at("key"))] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("permissions");
    }
    foreign("coreutils", "chown", &["65534:65534", text(&folder)]);
    let script = format!(
        "set -e; mknod -m 666 {device} c 10 229; mount --bind {device} /dev/fuse
         setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '
            {copy} volume mount -d {key} {image} {mnt} > {line} & child=$!
            while [ ! -s {line} ]; do kill -0 $child; sleep 0.05; done
            printf hello | dd of={mnt}/volume conv=notrunc status=none
            head -c 5 {mnt}/volume > {read}
            kill $child; wait $child'",
        copy = text(&copy),
        key = place.at("key"),
        mnt = text(&folder),
        line = place.at("line"),
        read = place.at("read"),
    );
    foreign("util-linux", "unshare", &["-m", "sh", "-c", &script]);
    assert_eq!(fs::read(place.at("read")).expect("a file"), b"hello");
    assert!(place.read(&["--length", "5", &image]) == b"hello");
}

#[test]
fn files_through_fuse2fs() {
    let place = Place::new();
    let tree = tree(&place);
    let image = image(&place, "disk", 16, "4096");
    let raw = place.image("raw", 16 << 20);
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", "-d", text(&tree), &raw]);
    ours(&["volume", "write", "-d", &place.at("key"), "-i", &raw, &image]);
    let mount = Mount::start(&place, &["--fs", &image]);
    assert_eq!(mount.shown, mount.folder);
    same(&mount.folder.join("a folder/sample"), &place.plain);
    fs::write(mount.folder.join("new"), "new\n").expect("a file");
    mount.signal("TERM");
    mount.ended();
    let mount = Mount::start(&place, &["--fs", "-r", &image]);
    assert_eq!(fs::read(mount.folder.join("new")).expect("a file"), b"new\n");
    assert!(fs::write(mount.folder.join("newer"), "").is_err());
    foreign("fuse3", "fusermount3", &["-u", text(&mount.folder)]);
    mount.ended();
    ours(&["volume", "read", "-d", &place.at("key"), "-o", &raw, &image]);
    foreign("e2fsprogs", "/usr/sbin/e2fsck", &["-fn", &raw]);
}

/// Runs a script that mounts something, in a mount namespace of its own; `None` for ordinary users, who may not.
fn as_root(script: &str, args: &[&str]) -> Option<Output> {
    if fs::metadata("/proc/self").expect("proc").uid() != 0 {
        return None;
    }
    let mut run = Command::new("unshare");
    run.args(["-m", "sh", "-c", script, "sh"]).args(args);
    Some(run.stdin(Stdio::null()).output().expect("util-linux"))
}

/// The image lies on a disk that has no room for all of it. What was written to files is lost, which no program is told that does not sync.
#[test]
fn a_full_disk_is_no_success() {
    let place = Place::new();
    let folder = place.at("disk");
    let mnt = place.at("mnt");
    fs::create_dir(&folder).and_then(|()| fs::create_dir(&mnt)).expect("folders");
    let script = r#"
        set -e; algkit=$1 key=$2 disk=$3 mnt=$4 plain=$5
        mount -t tmpfs -o size=26M disk $disk
        truncate -s 80M $disk/image
        $algkit volume format -d $key --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $disk/image
        $algkit volume mount -d $key $disk/image $mnt > $disk/line & child=$!
        until [ -s $disk/line ]; do kill -0 $child; sleep 0.05; done
        mke2fs -q -F -t ext4 $mnt/volume 60M
        kill $child; wait $child; : > $disk/line
        $algkit volume mount --fs -d $key $disk/image $mnt > $disk/line & child=$!
        until [ -s $disk/line ]; do kill -0 $child; sleep 0.05; done
        for i in 1 2 3 4 5 6 7 8 9 10; do cp $plain $mnt/$i || true; done 2> /dev/null
        kill $child
        if wait $child; then echo no error; else echo status $?; fi
        ls -A $mnt"#;
    let args = [text(algkit()), &place.at("key"), &folder, &mnt, text(&place.plain)];
    let Some(run) = as_root(script, &args) else { return };
    assert!(run.status.success() && told(&run).contains("status 2"), "{}", told(&run));
    assert!(told(&run).contains("files may have lost what was written"), "{}", told(&run));
}

/// Programs whose command line has `word`.
fn programs_with(word: &str) -> usize {
    let processes =
        fs::read_dir("/proc").expect("proc").filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    processes.filter(|line| line.windows(word.len()).any(|part| part == word.as_bytes())).count()
}

/// However algkit ends, fuse2fs ends too, and nothing stays mounted.
#[test]
fn killed_with_files_through_fuse2fs() {
    let place = Place::new();
    let image = image(&place, "disk", 16, "4096");
    let mount = Mount::start(&place, &[&image]);
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", text(&mount.shown)]);
    mount.signal("TERM");
    mount.ended();
    let mut command = Command::new(algkit());
    command.env("TMPDIR", place.folder.path());
    let mut mount = Mount::by(command, &place, &["--fs", &image]);
    let folder = text(&mount.folder).to_owned();
    // Nobody sees the file that the file system lies in.
    let mounts = || {
        let all = fs::read_to_string("/proc/self/mounts").expect("proc");
        all.lines().filter(|line| line.contains(text(place.folder.path()))).count()
    };
    assert!(mounts() == 1 && programs_with(&folder) >= 2);
    fs::write(mount.folder.join("new"), "new\n")
        .and_then(|()| File::open(mount.folder.join("new"))?.sync_all())
        .expect("a file");
    mount.signal("KILL");
    mount.child.wait().expect("a child");
    for _ in 0..200 {
        if programs_with(&folder) == 0 && mounts() == 0 {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!((programs_with(&folder), mounts()), (0, 0));
    let rest = fs::read_dir(place.folder.path()).expect("a folder").flatten();
    assert!(!rest.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with("algkit-")));
    drop(mount);
    // The image is free again, and has what was synced.
    let mount = Mount::start(&place, &["--fs", &image]);
    assert_eq!(fs::read(mount.folder.join("new")).expect("a file"), b"new\n");
    // When fuse2fs is killed, the folder is cleared, and the exit status says that something was amiss.
    let child = mount.child.id();
    let children = fs::read_to_string(format!("/proc/{child}/task/{child}/children")).expect("proc");
    foreign("procps", "kill", &["-s", "KILL", children.trim()]);
    let mut mount = mount;
    assert_eq!(mount.child.wait().expect("a child").code(), Some(2));
    assert_eq!(fs::read_dir(&mount.folder).expect("a folder").count(), 0);
}

#[test]
fn a_file_system_that_does_not_fit_is_not_mounted() {
    let place = Place::new();
    let image = image(&place, "disk", 16, "512");
    let mount = Mount::start(&place, &[&image]);
    foreign("e2fsprogs", "/usr/sbin/mke2fs", &["-q", "-t", "ext4", text(&mount.shown)]);
    mount.signal("TERM");
    mount.ended();
    ours(&["volume", "resize", "-q", "--size", "12M", &image]);
    let run = outcome(&["volume", "mount", "--fs", "-d", &place.at("key"), &image, &place.at("mnt")]);
    assert!(run.status.code() == Some(2) && told(&run).contains("more than the volume"), "{}", told(&run));
}

#[test]
fn what_cannot_be_mounted() {
    let place = Place::new();
    let image = image(&place, "disk", 4, "512");
    let (key, folder) = (place.at("key"), place.at("mnt"));
    fs::create_dir(&folder).expect("a folder");
    for (args, said) in [
        (&["--fs", &image, &folder][..], "no ext2, ext3 or ext4 file system"),
        (&[&image, &key], "cannot mount on"),
        (&[&image, &place.at("nowhere")], "cannot mount on"),
    ] {
        let run = outcome(&[&["volume", "mount", "-d", &key][..], args].concat());
        assert_eq!(run.status.code(), Some(2), "{}", told(&run));
        assert!(told(&run).contains(said) && told(&run).lines().count() == 1, "{}", told(&run));
    }
    let mut without = Command::new(algkit());
    without.args(["volume", "mount", "--fs", "-d", &key, &image, &folder]).env("PATH", "/nonexistent");
    let run = without.output().expect("algkit");
    assert!(told(&run).contains("apt-get install fuse2fs"), "{}", told(&run));
}
