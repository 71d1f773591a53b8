//! The task as the parent hands it to the child: a sealed memory file, which is the child's standard input.
//!
//! The file starts with [`MAGIC`] and the length of the task, which follows as JSON; the initial bytes of all pages
//! follow the task. The child trusts none of it: it runs a task only if every number is within its bounds.

use super::memory_file::{self, Mapping, READ_ONLY};
use super::plan::{Log, MAPPED_MOST, PAGE, PIECE, Plan, WayOut};
use super::segment::{GATE, GATE_LENGTH};
use super::shared::RUNS_MOST;
use p5_image as image;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// The first bytes of the file.
const MAGIC: [u8; 16] = *b"p5inst-native-1\n";
/// The offset of the task: after the magic and the task's length.
const TASK_AT: usize = 24;

/// An area of the child below 4 GiB.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pages {
    /// The first page's linear address.
    pub(super) address: u32,
    /// The length in bytes, a multiple of the page size.
    pub(super) length: u64,
    /// The offset of the initial bytes, a multiple of [`PIECE`].
    pub(super) given_at: usize,
    /// The initial bytes that may be nonzero: their offset from the end of the task, and their number, a multiple of
    /// [`PIECE`]. All other bytes are zero.
    given: [usize; 2],
    /// Whether the program may write it.
    pub(super) writable: bool,
    pub(super) executable: bool,
}

impl Pages {
    fn end(&self) -> u64 {
        u64::from(self.address) + self.length
    }

    /// Whether all `length` bytes from `address` lie in this area.
    pub(super) fn holds(&self, address: u32, length: u64) -> bool {
        address >= self.address && u64::from(address) + length <= self.end()
    }
}

/// The program to run and the conditions of the runs.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    /// The parent's process number; the child ends when the parent does.
    pub(super) parent: libc::pid_t,
    /// The limit of processor time in seconds, in case the parent cannot stop the child.
    pub(super) seconds: u64,
    /// Whether RDTSC is enabled in the child.
    pub(super) timed: bool,
    /// The exclusive maximum of the iterations of the empty loop after the first read of the counter.
    pub(super) turns: u32,
    /// The seed of the random pauses; not 0.
    pub(super) seed: u64,
    /// The number of runs whose results fit into the shared memory.
    pub(super) runs: u32,
    /// The areas in ascending order, without overlap, including the gate.
    pub(super) pages: Vec<Pages>,
    pub(super) entry: u32,
    /// The initial ESP.
    pub(super) stack: u32,
    pub(super) end: Option<u32>,
    pub(super) way_out: WayOut,
    pub(super) log: Option<Log>,
    /// The addresses of all result dwords, region by region; `None` where nothing is mapped.
    pub(super) measured: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    /// The fields have the meaning of those of [`Task`].
    pub(super) seconds: u64,
    pub(super) timed: bool,
    pub(super) turns: u32,
    pub(super) seed: u64,
    pub(super) runs: u32,
}

/// Writes the task of running `plan` into a sealed memory file.
pub(super) fn write(plan: &Plan, conditions: Conditions) -> io::Result<File> {
    let mut next = 0;
    let pages = plan.areas.iter().map(|area| {
        let given = [next, area.given.len()];
        next += area.given.len();
        Pages {
            address: area.address,
            length: area.length,
            given_at: area.given_at,
            given,
            writable: area.writable,
            executable: area.executable,
        }
    });
    let task = Task {
        parent: std::process::id() as libc::pid_t,
        seconds: conditions.seconds,
        timed: conditions.timed,
        turns: conditions.turns,
        seed: conditions.seed,
        runs: conditions.runs,
        pages: pages.collect(),
        entry: plan.entry,
        stack: plan.stack,
        end: plan.end,
        way_out: plan.way_out,
        log: plan.log,
        measured: plan.measured.clone(),
    };
    let text = serde_json::to_vec(&task)?;
    let mut file = memory_file::create(c"p5inst-task")?;
    file.write_all(&MAGIC)?;
    file.write_all(&(text.len() as u64).to_le_bytes())?;
    file.write_all(&text)?;
    for area in &plan.areas {
        file.write_all(&area.given)?;
    }
    memory_file::seal(&file, READ_ONLY)?;
    Ok(file)
}

/// Whether `file` is sealed and begins like a task.
pub(super) fn is_task(file: &File) -> bool {
    let mut magic = [0; MAGIC.len()];
    memory_file::is_sealed(file, READ_ONLY) && file.read_exact_at(&mut magic, 0).is_ok() && magic == MAGIC
}

#[derive(Debug)]
pub(super) struct Handover {
    pub(super) task: Task,
    bytes: &'static [u8],
}

impl Handover {
    /// Reads and checks the task in `file`, for which [`is_task`] holds; `None` if something in it is out of bounds.
    pub(super) fn read(file: &File) -> Option<Handover> {
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        Handover::of(Mapping::new(file, length, false).ok()?.leak())
    }

    fn of(bytes: &'static [u8]) -> Option<Handover> {
        let length = bytes.get(MAGIC.len()..TASK_AT)?.try_into().ok()?;
        let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
        let (text, bytes) = bytes.get(TASK_AT..)?.split_at_checked(length)?;
        let task: Task = serde_json::from_slice(text).ok()?;
        is_sound(&task, bytes.len()).then_some(Handover { task, bytes })
    }

    /// The initial bytes of an area that may be nonzero.
    pub(super) fn given(&self, pages: &Pages) -> &'static [u8] {
        let [first, length] = pages.given;
        self.bytes
            .get(first..)
            .and_then(|rest| rest.get(..length))
            .unwrap_or_default()
    }
}

/// Whether every number in `task` is within its bounds; `given` is the number of initial bytes in the file.
fn is_sound(task: &Task, given: usize) -> bool {
    let whole = |pages: &Pages| {
        let [first, length] = pages.given;
        let inside = first.checked_add(length).is_some_and(|end| end <= given);
        let fits = (pages.given_at as u64)
            .checked_add(length as u64)
            .is_some_and(|end| end <= pages.length);
        let even = u64::from(pages.address).is_multiple_of(PAGE) && pages.length.is_multiple_of(PAGE);
        let pieces = pages.given_at.is_multiple_of(PIECE) && length.is_multiple_of(PIECE);
        let bounded = pages.address != 0 && pages.length > 0 && pages.length <= MAPPED_MOST && pages.end() <= 1 << 32;
        inside && fits && even && pieces && bounded
    };
    let apart = |pair: &[Pages]| matches!(pair, [first, second] if first.end() <= u64::from(second.address));
    let is_gate = |pages: &Pages| pages.address == GATE && pages.length == u64::from(GATE_LENGTH) && !pages.writable;
    let held = |address: u32, length: u64| task.pages.iter().any(|pages| pages.holds(address, length));
    let logs = |log: &Log| {
        let room = u64::from(image::Log::ENTRY) * u64::from(log.room);
        held(log.address, u64::from(image::Log::HEADER) + room)
    };
    task.pages.iter().all(whole)
        && task.pages.windows(2).all(apart)
        && task.pages.iter().map(|pages| pages.length).sum::<u64>() <= MAPPED_MOST
        && task.pages.iter().any(is_gate)
        && task.measured.iter().flatten().all(|&address| held(address, 4))
        && task.log.iter().all(logs)
        && (1..=RUNS_MOST).contains(&task.runs)
        && task.turns > 0
        && task.seed != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_image::{Image, Segment};

    const CONDITIONS: Conditions = Conditions {
        seconds: 3,
        timed: true,
        turns: 26,
        seed: 7,
        runs: 10,
    };

    fn plan() -> Plan {
        let segment = |name: &str, address, bytes: &[u8]| Segment {
            name: name.to_owned(),
            address,
            bytes: bytes.to_vec(),
            zeroes: 0x1000,
            writable: true,
        };
        let image = Image {
            entry: 0x40_1000,
            end: Some(0x40_1001),
            segments: vec![
                segment("_TEXT", 0x40_1000, &[0x90]),
                segment("_DATA", 0x50_0000, &[7; 100]),
            ],
            ..Image::default()
        };
        Plan::new(&image).expect("it fits")
    }

    fn bytes(file: &File) -> Vec<u8> {
        let mut bytes = vec![0; file.metadata().expect("a length").len() as usize];
        file.read_exact_at(&mut bytes, 0).expect("all of it");
        bytes
    }

    #[test]
    fn the_child_reads_what_the_parent_wrote() {
        let plan = plan();
        let mut file = write(&plan, CONDITIONS).expect("a memory file");
        assert!(is_task(&file));
        assert!(
            file.write_all(b"more").is_err() && file.set_len(0).is_err(),
            "it is sealed"
        );
        let handover = Handover::read(&file).expect("a sound task");
        assert_eq!((handover.task.runs, handover.task.seed), (10, 7));
        assert_eq!((handover.task.entry, handover.task.end), (plan.entry, plan.end));
        assert_eq!(handover.task.parent as u32, std::process::id());
        for (area, pages) in plan.areas.iter().zip(&handover.task.pages) {
            assert_eq!((area.address, area.length), (pages.address, pages.length));
            assert_eq!(handover.given(pages), area.given);
        }
    }

    #[test]
    fn another_file_is_no_task() {
        let plain = memory_file::create(c"plain").expect("a memory file");
        assert!(!is_task(&plain));
        memory_file::seal(&plain, READ_ONLY).expect("it can be sealed");
        assert!(!is_task(&plain), "it does not begin as a task does");
        let null = File::open("/dev/null").expect("it exists");
        assert!(!is_task(&null));
    }

    #[test]
    fn a_task_that_is_cut_off_or_changed_is_refused() {
        let whole = bytes(&write(&plan(), CONDITIONS).expect("a memory file"));
        let read = |bytes: Vec<u8>| Handover::of(bytes.leak());
        assert!(read(whole.clone()).is_some());
        for length in [0, 8, 23, 24, 100, whole.len() - 1] {
            assert!(read(whole[..length].to_vec()).is_none(), "{length} bytes");
        }
        let mut long = whole;
        long[16..24].fill(0xFF);
        assert!(read(long).is_none());
    }

    #[test]
    fn every_number_out_of_bounds_is_refused() {
        let file = write(&plan(), CONDITIONS).expect("a memory file");
        let refused = |change: fn(&mut Task)| {
            let Handover { mut task, bytes } = Handover::read(&file).expect("a sound task");
            assert!(is_sound(&task, bytes.len()));
            change(&mut task);
            !is_sound(&task, bytes.len())
        };
        type Change = fn(&mut Task);
        let changes: &[(&str, Change)] = &[
            ("no runs", |task| task.runs = 0),
            ("too many runs", |task| task.runs = RUNS_MOST + 1),
            ("no turns", |task| task.turns = 0),
            ("a seed of 0", |task| task.seed = 0),
            ("no gate", |task| task.pages.retain(|pages| pages.address != GATE)),
            ("a writable gate", |task| {
                task.pages.last_mut().expect("pages").writable = true;
            }),
            ("pages in disorder", |task| task.pages.reverse()),
            ("an address within a page", |task| task.pages[1].address += 1),
            ("a length within a page", |task| task.pages[1].length -= 1),
            ("pages without length", |task| task.pages[1].length = 0),
            ("pages past the address space", |task| {
                task.pages.last_mut().expect("pages").length += PAGE;
            }),
            ("too much memory", |task| task.pages[2].length = MAPPED_MOST),
            ("a length that overflows", |task| {
                task.pages[1].length = u64::MAX - PAGE + 1;
            }),
            ("bytes outside of the file", |task| task.pages[1].given[0] = 1 << 20),
            ("bytes whose end overflows", |task| task.pages[1].given[0] = usize::MAX),
            ("bytes outside of their pages", |task| task.pages[1].given_at = 1 << 20),
            ("a piece that is not whole", |task| task.pages[1].given[1] -= 1),
            ("a result where nothing is", |task| task.measured.push(Some(0x1000))),
            ("a log where nothing is", |task| {
                task.log = Some(Log {
                    address: 0x1000,
                    room: 1,
                });
            }),
            ("a log past its pages", |task| {
                task.log = Some(Log {
                    address: 0x50_0000,
                    room: u32::MAX,
                });
            }),
        ];
        for &(what, change) in changes {
            assert!(refused(change), "{what}");
        }
    }
}
