//! Tests of what folders hold, of the current folder, and of the files that are there without a folder.

use super::*;

const GETDENTS: u32 = 141;
const GETDENTS64: u32 = 220;
const FCHDIR: u32 = 133;
const GETCWD: u32 = 183;
const GETRANDOM: u32 = 355;
const ERANGE: u32 = error(34);

/// The entries that `getdents64` stored: number, next place, kind and name.
fn entries(program: &Program, length: u32) -> Vec<(u32, u32, u8, String)> {
    let bytes = program.text(length);
    let mut rest = bytes.as_slice();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let word = |place: usize| u32::from_le_bytes(rest[place..place + 4].try_into().expect("a word"));
        let length = usize::from(u16::from_le_bytes([rest[16], rest[17]]));
        assert_eq!([word(4), word(12), length as u32 % 8], [0; 3]);
        let name = rest[19..].split(|&byte| byte == 0).next().expect("a name");
        entries.push((word(0), word(8), rest[18], String::from_utf8_lossy(name).into_owned()));
        rest = &rest[length..];
    }
    entries
}

#[test]
fn a_folder_lists_its_files_by_name() {
    let mut program = Program::new();
    let hello = program.path("hello");
    assert_eq!(program.call(STAT64, [hello, ROOM, 0, 0, 0]), 0);
    assert_eq!(program.open("/", FOLDER_ONLY), (3, None));
    let all = [(2, ".", 4), (2, "..", 4), (3, "deep", 4), (1, "hello", 8)];
    let expected: Vec<_> = all
        .into_iter()
        .zip(1..)
        .map(|((number, name, kind), next)| (number, next, kind, name.to_owned()))
        .collect();
    assert_eq!(program.call(GETDENTS64, [3, ROOM, 4096, 0, 0]), 24 * 2 + 24 + 32);
    assert_eq!(entries(&program, 104), expected);
    assert_eq!(program.call(GETDENTS64, [3, ROOM, 4096, 0, 0]), 0);
    // From the beginning, in parts.
    assert_eq!(program.call(LSEEK, [3, 0, 0, 0, 0]), 0);
    assert_eq!(program.call(GETDENTS64, [3, ROOM, 23, 0, 0]), EINVAL);
    for (first, length) in [(0, 48), (2, 24), (3, 32)] {
        assert_eq!(program.call(GETDENTS64, [3, ROOM, 55, 0, 0]), length);
        let told = entries(&program, length);
        assert_eq!(told, expected[first..first + told.len()]);
    }
    assert_eq!(program.call(LSEEK, [3, 3, 0, 0, 0]), 3);
    assert_eq!(program.call(GETDENTS, [3, ROOM, 4096, 0, 0]), 20);
    assert_eq!([0, 1].map(|index| program.word(index)), [1, 4]);
    assert_eq!(program.text(20)[8..], *b"\x14\0hello\0\0\0\0\x08");
    assert_eq!(program.call(LSEEK, [3, 0, 0, 0, 0]), 0);
    assert_eq!(program.call(GETDENTS64, [3, 0, 4096, 0, 0]), EFAULT);
    assert_eq!(program.open("hello", 0), (4, None));
    assert_eq!(program.call(GETDENTS64, [4, ROOM, 4096, 0, 0]), ENOTDIR);
    assert_eq!(program.call(GETDENTS64, [9, ROOM, 4096, 0, 0]), EBADF);
}

#[test]
fn relative_paths_begin_in_the_current_folder() {
    let mut program = Program::new();
    let current = |program: &mut Program| {
        let length = program.call(GETCWD, [ROOM, 100, 0, 0, 0]);
        String::from_utf8(program.text(length)).expect("text")
    };
    assert_eq!(current(&mut program), "/\0");
    let deep = program.path("deep/");
    assert_eq!(program.asks(CHDIR, [deep, 0, 0, 0, 0]), (0, None));
    assert_eq!(current(&mut program), "/deep\0");
    assert_eq!(program.call(GETCWD, [ROOM, 5, 0, 0, 0]), ERANGE);
    assert_eq!(program.call(GETCWD, [0, 100, 0, 0, 0]), EFAULT);
    assert_eq!(program.open("inner", 0), (3, None));
    assert_eq!(program.open("../hello", 0), (4, None));
    assert_eq!(program.open("hello", 0).0, ENOENT);
    assert_eq!(program.open("..", 0), (5, None));
    assert_eq!(program.asks(FCHDIR, [5, 0, 0, 0, 0]), (0, None));
    assert_eq!(current(&mut program), "/\0");
    assert_eq!(program.call(FCHDIR, [4, 0, 0, 0, 0]), ENOTDIR);
    assert_eq!(program.call(FCHDIR, [9, 0, 0, 0, 0]), EBADF);
    // A link out of which `..` leads elsewhere.
    let up = program.path("up/..");
    let refused = RefusedService::Linux { call: CHDIR };
    assert_eq!(program.asks(CHDIR, [up, 0, 0, 0, 0]), (errors::ENOSYS, Some(refused)));
    let deep = program.path("deep");
    assert_eq!(program.asks(CHDIR, [deep, 0, 0, 0, 0]), (0, None));
    program.process.begin_run();
    assert_eq!(current(&mut program), "/\0");
}

#[test]
fn users_and_groups_are_named_without_a_folder() {
    let mut program = Program::new();
    for files in [program.process.files, None] {
        program.process = Process::new(&Image::default(), [Vec::new, Vec::new], files);
        assert_eq!(program.open("/etc/passwd", 0).0, ENOENT, "not a process of Linux");
        program.process.stack_top = Some(0xC000_0000);
        assert_eq!(program.open("/etc//passwd", 0), (3, None));
        let length = program.call(READ, [3, ROOM, 100, 0, 0]);
        assert_eq!(
            program.text(length),
            b"root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n"
        );
        assert_eq!(program.open("etc/group", 0), (4, None));
        let length = program.call(READ, [4, ROOM, 100, 0, 0]);
        assert_eq!(program.text(length), b"root:x:0:\nuser:x:1000:\n");
        let group = program.path("/etc/group");
        assert_eq!(program.call(STAT64, [group, ROOM, 0, 0, 0]), 0);
        assert_eq!([4, 11].map(|index| program.word(index)), [0o100_444, length]);
        assert_eq!(program.open("/etc/passwd", 1).0, EROFS);
        assert_eq!(program.open("/etc/shadow", 0).0, ENOENT);
    }
}

#[test]
fn random_bytes_are_those_of_getrandom() {
    let mut program = Program::new();
    assert_eq!(program.call(GETRANDOM, [ROOM, 8, 0, 0, 0]), 8);
    let first = program.text(8);
    assert_eq!(program.call(GETRANDOM, [ROOM, 8, 0, 0, 0]), 8);
    let second = program.text(8);
    program.process.begin_run();
    assert_eq!(program.open("/dev/urandom", 0), (3, None));
    assert_eq!(program.open("/dev/random", 0), (4, None));
    for (descriptor, bytes) in [(3, first), (4, second)] {
        assert_eq!(program.call(READ, [descriptor, ROOM, 8, 0, 0]), 8);
        assert_eq!(program.text(8), bytes);
    }
    assert_eq!(program.call(READ, [3, 0, 8, 0, 0]), EFAULT);
    assert_eq!(program.call(FSTAT64, [3, ROOM, 0, 0, 0]), 0);
    assert_eq!((program.word(4), program.word(8)), (0o020_666, 0x109));
}
