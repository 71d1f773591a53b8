//! The process that runs a program gets no environment, no memory and no descriptor of the parent's, and little time
//! and memory.

use crate::native::images::{CODE, cannot, image};
use runtime::native::{Error, Options, run};
use runtime::run::StopReason;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

/// This variable is set in the process under test, which does nothing else.
const AGAIN: &str = "P5INST_TEST_ISOLATION";

/// Runs the test `name` alone in a process called `called`, with this value of [`AGAIN`].
fn alone(name: &str, called: &str, value: &str) {
    let this = std::env::current_exe().expect("a test has a file");
    let output = Command::new(this)
        .arg0(called)
        .args(["--exact", name, "--nocapture"])
        .env(AGAIN, value)
        .output()
        .expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// The limit of the child that is examined, and ended then: enough to read its memory on a slow and busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The child of this process, after it has mapped the program.
fn child() -> Option<u32> {
    let parent = std::process::id().to_string();
    // A busy machine may take long to start it, but no longer than its limit.
    let deadline = Instant::now() + LIMIT;
    while Instant::now() < deadline {
        for entry in fs::read_dir("/proc").expect("Linux").flatten() {
            let Ok(number) = entry.file_name().to_string_lossy().parse::<u32>() else {
                continue;
            };
            let of = |what: &str| fs::read_to_string(format!("/proc/{number}/{what}")).unwrap_or_default();
            // The parent's number is the second word after the name, which is in parentheses.
            let stat = of("stat");
            let words = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            let is_child = words.split_whitespace().nth(1) == Some(&parent);
            // The filter of system calls is installed last.
            let mapped = || of("maps").lines().any(|line| line.starts_with(&format!("{CODE:08x}-")));
            if is_child && mapped() && of("status").contains("Seccomp:\t2") {
                return Some(number);
            }
        }
    }
    None
}

/// Whether the readable memory of process `number` contains `marker`, and the number of bytes that were read.
fn holds(number: u32, marker: &[u8]) -> (bool, u64) {
    let memory = File::open(format!("/proc/{number}/mem")).expect("a parent may read the memory of its child");
    let maps = fs::read_to_string(format!("/proc/{number}/maps")).expect("a parent may read the mappings of its child");
    let mut found = false;
    let mut total = 0;
    let mut chunk = vec![0; 1 << 20];
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, permissions) = (words.next().expect("addresses"), words.next().expect("permissions"));
        let (start, end) = range.split_once('-').expect("two addresses");
        let [start, end] = [start, end].map(|address| u64::from_str_radix(address, 16).expect("hexadecimal"));
        if !permissions.starts_with('r') || line.ends_with("[vvar]") || line.ends_with("[vsyscall]") {
            continue;
        }
        let mut at = start;
        while at < end {
            let wanted = chunk.len().min((end - at) as usize);
            let Ok(got @ 1..) = memory.read_at(&mut chunk[..wanted], at) else {
                break;
            };
            total += got as u64;
            found |= chunk[..got].windows(marker.len()).any(|bytes| bytes == marker);
            // The marker may span two chunks.
            at += if got > marker.len() && at + (got as u64) < end {
                (got - marker.len()) as u64
            } else {
                got as u64
            };
        }
    }
    (found, total)
}

/// A limit of process `number`, soft and hard.
fn limit(number: u32, name: &str) -> [String; 2] {
    let limits =
        fs::read_to_string(format!("/proc/{number}/limits")).expect("a parent may read the limits of its child");
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .expect("this limit");
    let mut words = line.split_whitespace().map(str::to_owned);
    std::array::from_fn(|_| words.next().expect("two values"))
}

#[test]
fn the_child_has_nothing_of_the_parents_and_its_limits_are_set() {
    if cannot() {
        return;
    }
    let Ok(marker) = std::env::var(AGAIN) else {
        let value = format!("marker-{:032x}", fastrand::u128(..));
        let name = "native::isolation::the_child_has_nothing_of_the_parents_and_its_limits_are_set";
        return alone(name, "this test", &value);
    };
    // The marker is in the heap as well as in the environment.
    let heap = std::hint::black_box(marker.into_bytes());
    let options = Options {
        limit: LIMIT,
        ..Options::default()
    };
    // The program is endless: jmp $
    let running = std::thread::spawn(move || run(&image(&[0xEB, 0xFE]), &options));
    let child = child().expect("the child starts");
    let of = |what: &str| fs::read(format!("/proc/{child}/{what}")).expect("a parent may read this of its child");
    assert!(
        of("environ").is_empty(),
        "{:?}",
        String::from_utf8_lossy(&of("environ"))
    );
    assert_eq!(of("cmdline"), b"p5inst-native-run\0");
    let descriptors = fs::read_dir(format!("/proc/{child}/fd")).expect("a parent may read this of its child");
    assert_eq!(descriptors.count(), 0);

    let (found, read) = holds(std::process::id(), &heap);
    assert!(found, "the parent has the marker");
    assert!(read > 1 << 20, "only {read} bytes were read of the parent");
    let (found, read) = holds(child, &heap);
    assert!(!found, "the child has the marker");
    assert!(read > 1 << 20, "only {read} bytes were read of the child");

    let seconds = (LIMIT.as_secs() + 2).to_string();
    assert_eq!(limit(child, "Max cpu time"), [seconds.as_str(), seconds.as_str()]);
    assert_eq!(limit(child, "Max stack size"), ["1048576", "1048576"]);
    assert_eq!(limit(child, "Max core file size"), ["0", "0"]);
    assert_eq!(limit(child, "Max file size"), ["0", "0"]);
    let [soft, hard] = limit(child, "Max address space").map(|bytes| bytes.parse::<u64>().expect("a limit"));
    let sizes = String::from_utf8(of("statm")).expect("numbers");
    let pages: u64 = sizes.split(' ').next().expect("a size").parse().expect("a size");
    assert_eq!(soft, hard);
    assert!(
        (pages * 4096..=pages * 4096 + (1 << 20)).contains(&soft),
        "{soft} of {pages} pages"
    );

    // SAFETY: ends the child of this process, which has not been waited for.
    unsafe { libc::kill(child as libc::pid_t, libc::SIGALRM) };
    let native = running.join().expect("no panic").expect("runs");
    assert_eq!(native.stop.reason, StopReason::Limit, "{:?}", native.stop);
}

#[test]
fn a_process_that_should_have_become_a_child_starts_none() {
    if std::env::var_os(AGAIN).is_none() {
        let name = "native::isolation::a_process_that_should_have_become_a_child_starts_none";
        return alone(name, "p5inst-native-run", "1");
    }
    let why = run(&image(&[0x90]), &Options::default()).expect_err("it would be endless");
    assert_eq!(why, Error::NoChildEntry);
    assert!(why.to_string().contains("child_entry()"), "{why}");
}
