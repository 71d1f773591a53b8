//! Paths that are not regular files, files that are too large or not text, and includes from other places.

use super::{assert_ends, bounded, source};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn what_is_no_file_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    fs::create_dir(path.join("folder.asm")).expect("a directory");
    fs::write(path.join("real.asm"), "nop\n").expect("a file");
    symlink("loop.asm", path.join("loop.asm")).expect("a link");
    let made = Command::new("mkfifo")
        .arg(path.join("pipe.asm"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    for (file, expected) in [
        ("missing.asm", "no such file"),
        ("real", "did you mean `real.asm`"),
        ("folder.asm", "is a directory"),
        ("pipe.asm", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("/dev/full", "not a regular file"),
        ("real.asm/x.asm", "no such file"),
        ("loop.asm", "cannot read"),
        ("", ""),
    ] {
        assert_ends(file, &bounded(&[file], b"", path), 2, expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_system_generates_is_not_read() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // The first file waits for kernel messages, unless the user has no right to read it.
    for file in ["/proc/kmsg", "/proc/version", "/proc/self/maps"] {
        for arguments in [&[file][..], &["check", file]] {
            let output = bounded(arguments, b"", directory.path());
            let opened = fs::File::open(file).is_ok();
            let expected = if opened {
                "the system generates its contents"
            } else {
                file
            };
            assert_ends(file, &output, 2, expected);
        }
    }
    fs::write(directory.path().join("empty.inc"), "").expect("a file");
    fs::write(directory.path().join("main.asm"), "include empty.inc\nnop\n").expect("a file");
    let output = bounded(&["main.asm"], b"", directory.path());
    assert_ends("an empty include", &output, 0, "1 instruction");
}

#[test]
fn a_listing_replaces_regular_files_only() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).expect("a directory");
    fs::write(directory.path().join("kept"), "old").expect("a file");
    fs::write(inner.join("near"), "old").expect("a file");
    fs::write(inner.join("main.asm"), "nop\n").expect("a file");
    for (target, link) in [("../kept", "far.lst"), ("near", "near.lst"), ("none", "none.lst")] {
        symlink(target, inner.join(link)).expect("a link");
    }
    let made = Command::new("mkfifo").arg(inner.join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    for (path, expected) in [
        ("far.lst", "/kept`; name that file instead"),
        ("near.lst", "/near`; name that file instead"),
        ("none.lst", "it is a link to `none`"),
        ("pipe", "not a regular file"),
        ("/dev/full", "not a regular file"),
        ("..", "is a directory"),
    ] {
        let output = bounded(&["check", "main.asm", "--listing", path], b"", &inner);
        // A long path may be folded within a name.
        let errors = String::from_utf8_lossy(&output.stderr).replace('\n', "");
        assert_eq!(output.status.code(), Some(2), "{path}: {errors}");
        assert!(errors.contains(expected), "{path}: {errors}");
    }
    let read = |path: &std::path::Path| fs::read_to_string(path).expect("a file");
    assert_eq!(
        (&*read(&directory.path().join("kept")), &*read(&inner.join("near"))),
        ("old", "old")
    );
    assert!(!inner.join("none").exists());
    assert!(inner.join("none.lst").is_symlink());
    // Standard output is a pipe here.
    let output = bounded(&["check", "main.asm", "--listing", "/dev/stdout"], b"", &inner);
    assert_ends("standard output", &output, 0, "00401000  90");
}

#[test]
fn a_file_larger_than_the_limit_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = fs::File::create(directory.path().join("large.asm")).expect("a file");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    let output = bounded(&["large.asm"], b"", directory.path());
    assert_ends("large", &output, 2, "larger than 64 MiB");
    file.set_len(64 << 20).expect("a sparse file");
    let output = bounded(&["large.asm"], b"", directory.path());
    assert_ends("zeroes", &output, 2, "binary data");
}

#[test]
fn includes_stay_within_their_directories() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).expect("a directory");
    fs::write(directory.path().join("secret.inc"), "db 'secret'\n").expect("a file");
    fs::write(inner.join("self.inc"), "include self.inc\n").expect("a file");
    fs::write(inner.join("ping.inc"), "include pong.inc\n").expect("a file");
    fs::write(inner.join("pong.inc"), "include ping.inc\n").expect("a file");
    fs::create_dir(inner.join("folder.inc")).expect("a directory");
    symlink("../secret.inc", inner.join("link.inc")).expect("a link");
    symlink("/dev/zero", inner.join("device.inc")).expect("a link");
    let made = Command::new("mkfifo")
        .arg(inner.join("pipe.inc"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    for (name, expected) in [
        ("/etc/passwd", "absolute path"),
        ("C:\\autoexec.bat", "absolute path"),
        ("../secret.inc", "outside the include directories"),
        ("./x/../../secret.inc", "outside the include directories"),
        ("link.inc", "outside the include directories"),
        ("device.inc", "outside the include directories"),
        ("pipe.inc", "not a regular file"),
        ("folder.inc", "is a directory"),
        ("missing.inc", "neither in the directory"),
        ("self.inc", "nested deeper than 64"),
        ("ping.inc", "nested deeper than 64"),
        ("", "expected a file name"),
    ] {
        fs::write(inner.join("main.asm"), format!("include {name}\nnop\n")).expect("a file");
        let output = bounded(&["main.asm"], b"", &inner);
        assert_ends(name, &output, 2, expected);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("db 'secret'"));
    }
}

#[test]
fn bytes_that_are_no_text() {
    source("empty", "", 2, "no instructions to run");
    source("comments only", "; one\n;two\n\n", 2, "no instructions to run");
    source("blank lines", "\n\r\n\r\n", 2, "no instructions to run");
    source("zero bytes", b"nop\n\0\0\0", 2, "binary data");
    source("an executable", b"MZ\x90\0\x03\0\0\0", 2, "binary data");
    let utf16: Vec<u8> = "mov eax,1\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    source("UTF-16", [&[0xFF, 0xFE][..], &utf16].concat(), 0, "1 instruction");
    source(
        "half of UTF-16",
        [&[0xFF, 0xFE, b'n'][..]].concat(),
        2,
        "no instructions to run",
    );
    source(
        "a surrogate of UTF-16",
        b"\xFF\xFE\x00\xD8\n\x00",
        2,
        "unexpected character",
    );
    let big_endian: Vec<u8> = "mov eax,1\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    source("UTF-16 without a mark", big_endian, 2, "UTF-16");
    source("a byte order mark", b"\xEF\xBB\xBFnop\n", 0, "1 instruction");
    source(
        "all bytes above 7Fh",
        (0x80..=0xFFu8).collect::<Vec<_>>(),
        2,
        "unexpected character",
    );
    source(
        "code page 437 in a comment",
        b"nop ; \xC9\xCD\xBB\n",
        0,
        "\u{2554}\u{2550}\u{2557}",
    );
    source("a lone surrogate", b"nop ; \xED\xA0\x80\n", 0, "nop");
    source(
        "a surrogate as an instruction",
        b"\xED\xA0\x80\n",
        2,
        "unexpected character",
    );
    source(
        "line ends of all kinds",
        b"nop\r\nnop\nnop\r\r\nnop\rnop\n",
        0,
        "5 instructions",
    );
    source(
        "carriage returns only",
        b"mov eax,1\rmov ebx,2\radd eax,ebx\r",
        0,
        "3 instructions",
    );
    source("an end of file mark", b"nop\n\x1Agarbage\n", 0, "1 instruction");
    source(
        "a last block padded",
        b"nop\r\n\x1A\0\0\x01\0\r\n\0",
        0,
        "1 instruction",
    );
    source("zero bytes before the mark", b"nop\n\0\n\x1A", 2, "binary data");
    source("a line of 10 MB", vec![b'a'; 10 << 20], 2, "longer than 64 KiB");
    source(
        "a comment of 10 MB",
        [b";".as_slice(), &vec![b'a'; 10 << 20], b"\nnop"].concat(),
        2,
        "longer than 64 KiB",
    );
    source(
        "escape sequences",
        "x db '\x1b[2J',0\nnop ; \x1b[31m\n\x1b]0;title\x07\n",
        2,
        "unexpected character",
    );
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Commands that write a file, each with the file; `old` exists before.
const WRITERS: [(&str, &str); 6] = [
    ("check main.asm --listing old", "old"),
    ("main.asm --format json -o old", "old"),
    ("sweep main.asm -D X=1..3 -o old --format csv", "old"),
    ("sample main.asm --op 100 -o old", "old"),
    ("query kept.samples --export lake", ""),
    ("advise --write main.asm", "main.asm"),
];

/// A folder with a program, a file of samples, and an older file of samples.
fn with_old() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(
        ".586\n.model flat\n.code\nstart: mov ecx,300\nagain:\n{}dec ecx\njnz again\nmov eax,1\nmov ebx,eax\nadd \
         ebx,ebx\nmov edx,2\nret\nend start\n",
        "mov eax,[esp]\n".repeat(40)
    );
    fs::write(folder.path().join("main.asm"), source).expect("a file");
    let output = bounded(
        &["sample", "main.asm", "--op", "100", "-o", "kept.samples"],
        b"",
        folder.path(),
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::copy(folder.path().join("kept.samples"), folder.path().join("old")).expect("a copy");
    folder
}

#[test]
fn a_limit_of_size_leaves_the_old_file_and_nothing_else() {
    for (line, written) in WRITERS {
        let folder = with_old();
        let before = names(folder.path());
        let old = |name: &str| fs::read(folder.path().join(name)).expect("a file");
        let contents = (!written.is_empty()).then(|| old(written));
        let output = Command::new("sh")
            .args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_p5inst"))
            .args(line.split(' '))
            .current_dir(folder.path())
            .output()
            .expect("the shell starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {} {errors}", output.status);
        assert!(errors.to_lowercase().contains("file too large"), "{line}: {errors}");
        assert_eq!(names(folder.path()), before, "{line}");
        assert!(contents.is_none_or(|contents| contents == old(written)), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = with_old();
    // The test uses a separate disk, if the system allows it.
    let script = "mount -t tmpfs -o size=800k none \"$PWD/disk\" 2>/dev/null || { echo no disk; exit 0; }
        cp main.asm kept.samples old disk && cd disk || exit 9
        dd if=/dev/zero of=rest bs=4k 2>/dev/null
        \"$0\" sample main.asm --op 100 --fetch 10 --truth -o old; echo status $?
        cmp old kept.samples && ls -A";
    fs::create_dir(folder.path().join("disk")).expect("a directory");
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_p5inst")])
        .current_dir(folder.path())
        .output();
    let Ok(output) = output else {
        println!("not tested: there is no `unshare`");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    if said.contains("no disk") || said.is_empty() {
        println!("not tested: this system has no disk for us");
        return;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("o space left on device"), "{errors}");
    assert_eq!(said, "status 2\nkept.samples\nmain.asm\nold\nrest\n", "{errors}");
}

#[test]
fn a_killed_command_leaves_the_old_file_or_the_new_one_and_nothing_else() {
    let folder = with_old();
    let before = names(folder.path());
    let path = folder.path().join("old");
    let line = ["sample", "main.asm", "--op", "100", "-o", "old"];
    let new = {
        let output = bounded(&line, b"", folder.path());
        assert!(output.status.success());
        fs::read(&path).expect("a file")
    };
    let old = b"SQLite format 3\0".repeat(2000);
    let mut header = old;
    // The part that the command checks looks like a file of samples.
    header[68..72].copy_from_slice(&0x7035_4953_u32.to_be_bytes());
    let (mut killed, mut kept) = (0, 0);
    for round in 0..40_u64 {
        fs::write(&path, &header).expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
            .args(line)
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the command starts");
        std::thread::sleep(std::time::Duration::from_micros(2500 * round));
        let signal = ["-TERM", "-INT", "-HUP", "-KILL"][round as usize % 4];
        let _ = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
        killed += u32::from(!child.wait().expect("it ends").success());
        let found = fs::read(&path).expect("a file");
        kept += u32::from(found == header);
        assert!(
            found == header || found == new,
            "round {round}: neither the old nor the new file"
        );
        assert_eq!(names(folder.path()), before, "round {round}");
    }
    assert!(killed > 0 && kept > 0, "{killed} killed, {kept} kept");
}
