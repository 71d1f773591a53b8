//! Tests of calls with files, which a folder in memory holds.

mod at_once;
mod folders;
mod owner;

use super::*;
use crate::memory::Memory;
use errors::{EBADF, EFAULT, EINVAL, ENOENT};
use p5_image::Image;
use p5_words::registers::Registers;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const PATH: u32 = 0x10_0000;
const ROOM: u32 = PATH + 0x1000;
const HERE: u32 = -100i32 as u32;
const NEW: u32 = 0o300;
const FOLDER_ONLY: u32 = 0o200_000;
const EMPTY_PATH: u32 = 0x1000;

const OPEN: u32 = 5;
const READ: u32 = 3;
const WRITE: u32 = 4;
const CLOSE: u32 = 6;
const CHDIR: u32 = 12;
const LSEEK: u32 = 19;
const ACCESS: u32 = 33;
const READLINK: u32 = 85;
const PREAD64: u32 = 180;
const STAT64: u32 = 195;
const FSTAT64: u32 = 197;
const OPENAT: u32 = 295;
const MPROTECT: u32 = 125;
const MREMAP: u32 = 163;
const MMAP2: u32 = 192;
const MADVISE: u32 = 219;
const PIPE: u32 = 42;
const PRLIMIT64: u32 = 340;
const STATX: u32 = 383;

const fn error(number: i32) -> u32 {
    -number as u32
}
const EACCES: u32 = error(13);
const EEXIST: u32 = error(17);
const ENODEV: u32 = error(19);
const ENOTDIR: u32 = error(20);
const EISDIR: u32 = error(21);
const ENFILE: u32 = error(23);
const EMFILE: u32 = error(24);
const EFBIG: u32 = error(27);
const EROFS: u32 = error(30);

/// A folder with a file, a folder with a file in it, a file of the most bytes and one of more. It counts what is read.
struct InMemory(Arc<AtomicUsize>);

impl Folder for InMemory {
    fn describe(&self, path: &[u8]) -> Result<Found, NotFound> {
        let (kind, size, number) = match path {
            b"/" | b"/.." | b"/deep/.." | b"/deep/../" => (Kind::Folder, 0, 70),
            b"/deep" | b"/deep/" | b"/up/.." => (Kind::Folder, 0, 60),
            b"/hello" | b"/deep/../hello" => (Kind::File, 5, 50),
            b"/deep/inner" | b"/deep/../deep/inner" => (Kind::File, 5, 40),
            b"/large" => (Kind::File, MOST_FILE, 30),
            b"/huge" => (Kind::File, 5 << 32 | 7, 20),
            b"/grows" => (Kind::File, 5, 10),
            b"/hello/" => return Err(NotFound::NotAFolder),
            _ => return Err(NotFound::Missing),
        };
        let identity = Identity { device: 9, number };
        Ok(Found { kind, size, identity })
    }

    fn read(&self, path: &[u8], most: u64) -> Result<Vec<u8>, NotFound> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let bytes = match path {
            b"/large" => vec![0; MOST_FILE as usize],
            b"/grows" if most < MOST_FILE + 1 => return Err(NotFound::TooLarge),
            _ => b"hello".to_vec(),
        };
        assert!(bytes.len() as u64 <= most);
        Ok(bytes)
    }

    fn list(&self, path: &[u8], most: usize) -> Result<Vec<Entry>, NotFound> {
        let names: &[&str] = match path {
            b"/" => &["hello", "deep"],
            _ => &["inner"],
        };
        let entry = |name: &&str| {
            let whole = [path.strip_suffix(b"/").unwrap_or(path), b"/", name.as_bytes()].concat();
            self.describe(&whole).map(|found| Entry {
                name: name.as_bytes().to_vec(),
                kind: found.kind,
                identity: found.identity,
            })
        };
        assert!(names.len() <= most);
        names.iter().map(entry).collect()
    }
}

struct Program {
    state: State,
    process: Process,
    reads: Arc<AtomicUsize>,
}

impl Program {
    fn new() -> Program {
        let reads = Arc::new(AtomicUsize::new(0));
        let files: &'static Files = Box::leak(Box::new(Files::new(InMemory(reads.clone()))));
        let mut memory = Memory::new();
        memory.map(PATH, 0x2000, true).expect("maps");
        Program {
            state: State::new(Registers::flat(3), memory),
            process: Process::new(&Image::default(), [Vec::new, Vec::new], Some(files)),
            reads,
        }
    }

    /// The answer to a call with EBX, ECX, EDX, ESI and EDI, and what was refused.
    fn asks(&mut self, call: u32, [b, c, d, si, di]: [u32; 5]) -> (u32, Option<RefusedService>) {
        let general = &mut self.state.registers.general;
        (general[0], general[1], general[2], general[3]) = (call, c, d, b);
        (general[6], general[7]) = (si, di);
        let refused = match super::call(0x80, &mut self.state, &mut self.process) {
            Service::Done => None,
            Service::Refused(refused) => Some(refused),
            other => panic!("{other:?}"),
        };
        (self.state.registers.general[0], refused)
    }

    fn call(&mut self, call: u32, arguments: [u32; 5]) -> u32 {
        self.asks(call, arguments).0
    }

    /// The address of a path.
    fn path(&mut self, path: &str) -> u32 {
        for (place, byte) in (PATH..).zip(path.bytes().chain([0])) {
            self.state.memory.write_u8(place, byte).expect("is mapped");
        }
        PATH
    }

    fn open(&mut self, path: &str, flags: u32) -> (u32, Option<RefusedService>) {
        let path = self.path(path);
        self.asks(OPEN, [path, flags, 0, 0, 0])
    }

    fn word(&self, index: u32) -> u32 {
        self.state.memory.read_u32(ROOM + 4 * index).expect("is mapped")
    }

    fn text(&self, length: u32) -> Vec<u8> {
        self.state.memory.read_bytes(ROOM, length).expect("is mapped").to_vec()
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }
}

#[test]
fn a_file_is_read_from_where_the_last_read_ended() {
    let mut program = Program::new();
    assert_eq!(program.open("hello", 0), (3, None));
    assert_eq!(program.call(READ, [3, ROOM, 2, 0, 0]), 2);
    assert_eq!(program.text(2), b"he");
    assert_eq!(program.call(PREAD64, [3, ROOM, 9, 1, 0]), 4);
    assert_eq!(program.text(4), b"ello");
    assert_eq!(program.call(PREAD64, [3, ROOM, 9, 0, 1]), 0);
    assert_eq!(program.call(PREAD64, [3, ROOM, 9, 0, 0x8000_0000]), EINVAL);
    assert_eq!(program.call(READ, [3, ROOM, 9, 0, 0]), 3);
    assert_eq!(program.text(3), b"llo");
    assert_eq!(program.call(READ, [3, ROOM, 9, 0, 0]), 0);
    assert_eq!(program.call(LSEEK, [3, error(1), 2, 0, 0]), 4);
    assert_eq!(program.call(READ, [3, 0, 1, 0, 0]), EFAULT);
    assert_eq!(program.call(READ, [3, ROOM, 9, 0, 0]), 1);
    assert_eq!(program.call(LSEEK, [3, error(1), 0, 0, 0]), EINVAL);
    assert_eq!(program.call(MMAP2, [0, 4096, 1, 2, 9]), EBADF);
    assert_eq!(program.call(CLOSE, [3, 0, 0, 0, 0]), 0);
    assert_eq!(program.call(READ, [3, ROOM, 9, 0, 0]), EBADF);
}

#[test]
fn a_path_begins_in_the_root_or_in_an_open_folder() {
    let mut program = Program::new();
    assert_eq!(program.open("/deep", FOLDER_ONLY), (3, None));
    let inner = program.path("./inner");
    assert_eq!(program.call(OPENAT, [3, inner, 0, 0, 0]), 4);
    assert_eq!(program.call(OPENAT, [4, inner, 0, 0, 0]), ENOTDIR);
    assert_eq!(program.call(OPENAT, [9, inner, 0, 0, 0]), EBADF);
    assert_eq!(program.call(OPENAT, [HERE, inner, 0, 0, 0]), ENOENT);
    let outer = program.path("..//hello");
    assert_eq!(program.call(OPENAT, [3, outer, 0, 0, 0]), 5);
    let absolute = program.path("//hello");
    assert_eq!(program.call(OPENAT, [3, absolute, FOLDER_ONLY, 0, 0]), ENOTDIR);
    assert_eq!(program.call(OPENAT, [9, absolute, 0, 0, 0]), 6);
    assert_eq!(program.open("hello/.", 0).0, ENOTDIR);
    assert_eq!(program.open("", 0).0, ENOENT);
    assert_eq!(program.call(READ, [3, ROOM, 9, 0, 0]), EISDIR);
    assert_eq!(program.call(OPEN, [0, 0, 0, 0, 0]), EFAULT);
    for (path, answer) in [("/", 0), ("./..", 0), ("", ENOENT), ("hello", ENOTDIR)] {
        let place = program.path(path);
        assert_eq!(program.call(CHDIR, [place, 0, 0, 0, 0]), answer, "{path}");
    }
}

#[test]
fn what_is_told_of_a_file_takes_no_bytes_of_it() {
    let mut program = Program::new();
    let huge = program.path("huge");
    assert_eq!(program.call(STAT64, [huge, ROOM, 0, 0, 0]), 0);
    // The device, the number in 32 bits, the kind, and the size.
    let told = [0, 3, 4, 11, 12, 22].map(|index| program.word(index));
    assert_eq!(told, [1, 1, 0o100_444, 7, 5, 1]);
    let times = [16, 17, 18, 19, 20, 21].map(|index| program.word(index));
    assert_eq!(times, [852_076_800, 0, 852_076_800, 0, 852_076_800, 0]);
    let deep = program.path("deep");
    assert_eq!(program.call(STAT64, [deep, ROOM, 0, 0, 0]), 0);
    assert_eq!([3, 4].map(|index| program.word(index)), [2, 0o040_555]);
    let huge = program.path("huge");
    assert_eq!(program.call(STATX, [HERE, huge, 0, 0x7FF, ROOM]), 0);
    // The number, and the size.
    assert_eq!([0, 8, 10, 11, 35].map(|index| program.word(index)), [0x7FF, 1, 7, 5, 1]);
    // All times are that at which the run began.
    let times = [16, 17, 20, 24, 28].map(|index| program.word(index));
    assert_eq!(times, [852_076_800, 0, 0, 852_076_800, 852_076_800]);
    assert_eq!(program.reads(), 0);
    assert_eq!(program.open("hello", 0), (3, None));
    assert_eq!(program.call(PIPE, [ROOM, 0, 0, 0, 0]), 0);
    let mut numbers = Vec::new();
    for descriptor in [3, 4, 5, 0, 1, 2] {
        assert_eq!(program.call(FSTAT64, [descriptor, ROOM, 0, 0, 0]), 0);
        numbers.push(program.word(3));
    }
    // The ends of a pipe are one file, and so are standard output and error.
    assert_eq!(numbers, [3, 4, 4, 5, 6, 6]);
    let empty = program.path("");
    assert_eq!(program.call(STATX, [3, empty, EMPTY_PATH, 0x7FF, ROOM]), 0);
    assert_eq!([8, 10].map(|index| program.word(index)), [3, 5]);
    assert_eq!(program.call(FSTAT64, [9, ROOM, 0, 0, 0]), EBADF);
    assert_eq!(program.call(STATX, [HERE, huge, 0, 0x7FF, 0]), ENOENT);
}

#[test]
fn nothing_can_be_changed_or_executed() {
    let mut program = Program::new();
    for (path, how, answer) in [
        ("hello", 0, 0),
        ("hello", 4, 0),
        ("hello", 1, EACCES),
        ("hello", 2, EROFS),
        ("deep", 1, 0),
        ("none", 0, ENOENT),
        ("none", 8, EINVAL),
    ] {
        let place = program.path(path);
        assert_eq!(program.call(ACCESS, [place, how, 0, 0, 0]), answer, "{path} {how}");
    }
    let changed = (EROFS, Some(RefusedService::FileChanged));
    for flags in [1, 2, 0o100, 0o1000] {
        assert_eq!(program.open("hello", flags), changed, "{flags}");
    }
    let path = program.path("hello");
    // unlink, lchown, utime, rename, utimes, futimesat, utimensat
    for call in [10, 16, 30, 38, 271] {
        assert_eq!(program.asks(call, [path, 0, 0, 0, 0]), changed, "{call}");
    }
    for call in [299, 320, 412] {
        assert_eq!(program.asks(call, [HERE, path, 0, 0, 0]), changed, "{call}");
        // The times of what is open are those of the program's own copy.
        assert_eq!(program.asks(call, [1, 0, 0, 0, 0]), (0, None), "{call}");
        assert_eq!(program.asks(call, [9, 0, 0, 0, 0]), (EBADF, None), "{call}");
        assert_eq!(program.asks(call, [9, 0, 16, 0, 0]), (EFAULT, None), "{call}");
        // Parts of a second, now, and as it is; the second of the two times.
        for (part, answer) in [
            (999_999, 0),
            (1_000_000, if call == 299 { EINVAL } else { 0 }),
            (1_000_000_000, EINVAL),
            (0x3FFF_FFFF, if call == 299 { EINVAL } else { 0 }),
            (0x3FFF_FFFE, if call == 299 { EINVAL } else { 0 }),
            (u32::MAX, EINVAL),
        ] {
            let place = if call == 412 { 6 } else { 3 };
            for word in 0..8 {
                let value = if word == place { part } else { 0 };
                program
                    .state
                    .memory
                    .write_u32(ROOM + 4 * word, value)
                    .expect("is mapped");
            }
            assert_eq!(program.asks(call, [1, 0, ROOM, 0, 0]), (answer, None), "{call} {part}");
        }
    }
    assert_eq!(program.call(READLINK, [path, ROOM, 9, 0, 0]), EINVAL);
    let own = program.path("/proc/self/exe");
    assert_eq!(program.call(READLINK, [own, ROOM, 9, 0, 0]), 1);
    assert_eq!(program.text(1), b"/");
}

#[test]
fn what_is_open_is_bounded_before_it_is_read() {
    let mut program = Program::new();
    let too_large = (EFBIG, Some(RefusedService::FileTooLarge { most: MOST_FILE }));
    assert_eq!(program.open("huge", 0), too_large);
    assert_eq!(program.reads(), 0);
    // A file may grow after it was described.
    assert_eq!(program.open("grows", 0), too_large);
    for descriptor in 3..7 {
        assert_eq!(program.open("large", 0), (descriptor, None));
    }
    assert_eq!(program.reads(), 5);
    for path in ["large", "hello"] {
        assert_eq!(program.open(path, 0), (ENFILE, None));
    }
    assert_eq!(program.reads(), 5);
    assert_eq!(program.call(CLOSE, [4, 0, 0, 0, 0]), 0);
    assert_eq!(program.open("hello", 0), (4, None));
    // There is room for less than the most bytes of a file.
    assert_eq!(program.open("grows", 0), (ENFILE, None));
    // Seven descriptors at most.
    for (place, word) in (0..).zip([7, 0, 4096, 0]) {
        program
            .state
            .memory
            .write_u32(ROOM + 4 * place, word)
            .expect("is mapped");
    }
    assert_eq!(program.call(PRLIMIT64, [THREAD, 7, ROOM, 0, 0]), 0);
    assert_eq!(program.open("hello", 0), (EMFILE, None));
    assert_eq!(program.reads(), 7);
}

#[test]
fn a_file_is_mapped_with_its_bytes() {
    let mut program = Program::new();
    assert_eq!(program.open("hello", 0), (3, None));
    let read = |program: &Program, address: u32| program.state.memory.read_u8(address).ok();
    // Private and writable, of two pages: after the end of the file nothing can be accessed.
    let place = program.call(MMAP2, [0, 8192, 3, 2, 3]);
    assert_eq!(
        program.state.memory.read_bytes(place, 6).as_deref(),
        Some(&b"hello\0"[..])
    );
    program.state.memory.write_u8(place, b'H').expect("is writable");
    assert_eq!(read(&program, place + 4095), Some(0));
    assert_eq!(read(&program, place + 4096), None);
    assert_eq!(program.call(MPROTECT, [place, 8192, 3, 0, 0]), 0);
    assert_eq!(read(&program, place + 4096), None);
    // A part of a page is the whole page, and no more pages of it are mapped later.
    let part = program.call(MMAP2, [0, 2, 1, 2, 3]);
    assert_eq!(read(&program, part + 4), Some(b'o'));
    assert_eq!(program.call(MREMAP, [part, 4096, 8192, 1, 0]), error(12));
    // Another mapping has bytes of its own, read only.
    let again = program.call(MMAP2, [0, 5, 1, 1, 3]);
    assert!(again >= place + 8192, "{again:X}");
    assert_eq!(read(&program, again), Some(b'h'));
    assert!(program.state.memory.write_u8(again, 0).is_err());
    assert_eq!(program.call(MMAP2, [0, 5, 3, 1, 3]), EACCES);
    program.state.registers.general[5] = 1;
    let behind = program.call(MMAP2, [0, 5, 1, 2, 3]);
    assert_eq!(read(&program, behind), None);
    program.state.registers.general[5] = 0;
    // What is mapped stays when the file is closed.
    assert_eq!(program.call(CLOSE, [3, 0, 0, 0, 0]), 0);
    assert_eq!(read(&program, again), Some(b'h'));
    assert_eq!(program.open("deep", 0), (3, None));
    for descriptor in [0, 1, 3] {
        assert_eq!(program.asks(MMAP2, [0, 5, 1, 2, descriptor]), (ENODEV, None));
    }
}

#[test]
fn what_a_program_gives_up_of_a_file_is_read_again() {
    const NOT_NEEDED: u32 = 4;
    let mut program = Program::new();
    assert_eq!(program.open("hello", 0), (3, None));
    let text = |program: &Program, place: u32| program.state.memory.read_bytes(place, 6).map(|bytes| bytes.to_vec());
    let hello = Some(b"hello\0".to_vec());
    let place = program.call(MMAP2, [0, 4096, 3, 2, 3]);
    // Also when the file is closed, the page cannot be accessed meanwhile, or is moved.
    assert_eq!(program.call(CLOSE, [3, 0, 0, 0, 0]), 0);
    program.state.memory.load(place, b"HELLO, world").expect("is mapped");
    assert_eq!(program.call(MADVISE, [place, 4096, NOT_NEEDED, 0, 0]), 0);
    assert_eq!(text(&program, place), hello);
    assert_eq!(program.state.memory.read_u32(place + 8), Ok(0));
    program.state.memory.load(place, b"HELLO").expect("is mapped");
    assert_eq!(program.call(MPROTECT, [place, 4096, 0, 0, 0]), 0);
    assert_eq!(program.call(MADVISE, [place, 4096, NOT_NEEDED, 0, 0]), 0);
    assert_eq!(program.call(MPROTECT, [place, 4096, 3, 0, 0]), 0);
    assert_eq!(text(&program, place), hello);
    let moved = place + 0x10_0000;
    assert_eq!(program.call(MREMAP, [place, 4096, 4096, 3, moved]), moved);
    program.state.memory.load(moved, b"HELLO").expect("is mapped");
    assert_eq!(program.call(MADVISE, [moved, 4096, NOT_NEEDED, 0, 0]), 0);
    assert_eq!(text(&program, moved), hello);
    // Other memory at its place is none of the file's.
    for place in [place, moved] {
        assert_eq!(program.call(MMAP2, [place, 4096, 3, 0x32, 0]), place);
        program.state.memory.load(place, b"HELLO").expect("is mapped");
        assert_eq!(program.call(MADVISE, [place, 4096, NOT_NEEDED, 0, 0]), 0);
        assert_eq!(text(&program, place), Some(vec![0; 6]));
    }
    // Stores to shared pages would change the file, which is open to be read only.
    assert_eq!(program.open("hello", 0), (3, None));
    let shared = program.call(MMAP2, [0, 5, 1, 1, 3]);
    assert_eq!(program.call(MPROTECT, [shared, 4096, 3, 0, 0]), EACCES);
    assert!(program.state.memory.write_u8(shared, 0).is_err());
    assert_eq!(program.call(MPROTECT, [shared, 4096, 1, 0, 0]), 0);
}

#[test]
fn the_devices_are_there_without_a_folder() {
    let mut program = Program::new();
    program.process = Process::new(&Image::default(), [Vec::new, Vec::new], None);
    assert_eq!(program.open("/dev/null", 0o1101), (3, None));
    assert_eq!(program.open("/dev/zero", 2), (4, None));
    assert_eq!(program.open("/dev/null", 0), (5, None));
    assert_eq!(program.open("/dev/null", FOLDER_ONLY), (ENOTDIR, None));
    assert_eq!(program.open("/dev/null", NEW | FOLDER_ONLY), (EEXIST, None));
    for path in ["//dev/null", "/dev/./null", "/./dev//null"] {
        assert_eq!(program.open(path, NEW), (EEXIST, None), "{path}");
    }
    for path in ["/dev/null/", "/dev/null/.", "/dev/null/null", "/dev", "dev/null"] {
        assert_eq!(program.open(path, 0).0, ENOENT, "{path}");
    }
    for (call, descriptor, answer) in [
        (WRITE, 3, 9),
        (READ, 3, EBADF),
        (WRITE, 4, 9),
        (READ, 5, 0),
        (WRITE, 5, EBADF),
        (LSEEK, 5, 0),
        (READ, 4, 9),
    ] {
        program.state.memory.write_u32(ROOM, 77).expect("is mapped");
        assert_eq!(
            program.call(call, [descriptor, ROOM, 9, 0, 0]),
            answer,
            "{call} {descriptor}"
        );
    }
    assert_eq!(program.word(0), 0);
    assert_eq!(program.call(FSTAT64, [4, ROOM, 0, 0, 0]), 0);
    assert_eq!((program.word(4), program.word(8)), (0o020_666, 0x105));
    let path = program.path("/dev/null");
    assert_eq!(program.call(STAT64, [path, ROOM, 0, 0, 0]), 0);
    assert_eq!((program.word(4), program.word(8)), (0o020_666, 0x103));
    assert_eq!(program.call(STATX, [HERE, path, 0, 0, ROOM]), 0);
    assert_eq!([program.word(32), program.word(33)], [1, 3]);
    let path = program.path("/dev/zero");
    assert_eq!(program.call(ACCESS, [path, 6, 0, 0, 0]), 0);
    assert_eq!(program.call(ACCESS, [path, 1, 0, 0, 0]), EACCES);
    assert_eq!(program.call(STAT64, [path, ROOM, 0, 0, 0]), 0);
    let zeros = program.call(MMAP2, [0, 4096, 3, 2, 4]);
    assert_eq!(program.state.memory.read_u32(zeros), Ok(0));
    assert_eq!(program.asks(MMAP2, [0, 4096, 3, 2, 3]), (ENODEV, None));
}

/// What is mapped leaves room for the stack, however much is asked for.
#[test]
fn a_stack_grows_when_nothing_more_can_be_mapped() {
    let mut program = Program::new();
    let end = 0xC000_0000;
    program.state.memory.grow_between(end - (8 << 20), end);
    let mut mapped = 0;
    while program.call(MMAP2, [0, 1 << 20, 3, 0x22, 0]) != error(12) {
        mapped += 1;
    }
    assert_eq!(mapped, 247);
    // What is refused leaves what is there.
    let place = program.call(MMAP2, [0, 4096, 3, 0x22, 0]);
    program.state.memory.write_u32(place, 77).expect("is mapped");
    assert_eq!(program.call(MMAP2, [place, 4 << 20, 3, 0x32, 0]), error(12));
    assert_eq!(program.state.memory.read_u32(place), Ok(77));
    for page in 1..=2048 {
        assert_eq!(program.state.memory.write_u32(end - page * 4096, 1), Ok(()), "{page}");
    }
}
