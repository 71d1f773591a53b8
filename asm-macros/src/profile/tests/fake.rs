//! A fake kernel for tests: it answers the calls of `perf_event` on this thread according to a script.
//!
//! Everything above the system calls is real. Events are read from files in memory, into which each disabling writes
//! the answer of the kernel.

use perf_event::hooks::{Hooks, clear_thread_hooks, set_thread_hooks, sys::bindings};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_ulong};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::rc::Rc;

/// The event that is requested of the kernel: `perf_event_attr`'s type and configuration.
pub(crate) type Asked = (u32, u64);

pub(crate) const INSTRUCTIONS: Asked = (
    bindings::PERF_TYPE_HARDWARE,
    bindings::PERF_COUNT_HW_INSTRUCTIONS as u64,
);
pub(crate) const BRANCHES: Asked = (
    bindings::PERF_TYPE_HARDWARE,
    bindings::PERF_COUNT_HW_BRANCH_INSTRUCTIONS as u64,
);
pub(crate) const CORE_CLOCKS: Asked = (bindings::PERF_TYPE_HARDWARE, bindings::PERF_COUNT_HW_CPU_CYCLES as u64);
pub(crate) const REFERENCE_CLOCKS: Asked = (
    bindings::PERF_TYPE_HARDWARE,
    bindings::PERF_COUNT_HW_REF_CPU_CYCLES as u64,
);
pub(crate) const LEADER: Asked = (bindings::PERF_TYPE_SOFTWARE, bindings::PERF_COUNT_SW_DUMMY as u64);

/// The script of the kernel. The intervals are numbered from 0; the dry runs come first.
pub(crate) struct Script {
    /// The error of opening this event, as a member of a group or alone.
    pub(crate) refuse: fn(Asked, in_group: bool) -> Option<c_int>,
    /// The count of an event in an interval.
    pub(crate) count: fn(Asked, interval: usize) -> u64,
    /// The nanoseconds for which a group is enabled and counted in an interval.
    pub(crate) time: fn(interval: usize) -> (u64, u64),
    /// The nanoseconds for which a member was counted, given those of its group.
    pub(crate) of_member: fn(Asked, running: u64) -> u64,
    /// The error of enabling the group in an interval.
    pub(crate) enable: fn(interval: usize) -> Option<c_int>,
    /// Whether the group is read as empty from this interval on.
    pub(crate) empty: fn(interval: usize) -> bool,
}

impl Default for Script {
    fn default() -> Script {
        Script {
            refuse: |_, _| None,
            count: |_, _| 0,
            time: |_| (1000, 1000),
            of_member: |_, running| running,
            enable: |_| None,
            empty: |_| false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Open {
        asked: Asked,
        leader: Option<c_int>,
        kernel_too: bool,
        hypervisor_too: bool,
        counting: bool,
        thread: c_int,
        processor: c_int,
    },
    Enable {
        group: bool,
    },
    Disable {
        group: bool,
    },
}

struct Member {
    /// The kernel's answer to a read. It shares its contents with the file that `perf_event` reads.
    answer: File,
    asked: Asked,
    leader: c_int,
    id: u64,
    value: u64,
}

struct Kernel {
    script: Script,
    calls: Rc<RefCell<Vec<Call>>>,
    members: BTreeMap<c_int, Member>,
    times: (u64, u64),
    interval: usize,
    ids: u64,
}

impl Member {
    fn put(&mut self, words: &[u64]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.answer.set_len(0).expect("the file is writable");
        self.answer.rewind().expect("it has a beginning");
        self.answer.write_all(&bytes).expect("it holds an answer");
        self.answer.rewind().expect("it has a beginning");
    }
}

fn file_in_memory() -> File {
    // SAFETY: the name is a string with its end, and the call touches nothing else.
    let file = unsafe { libc::memfd_create(c"answer".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(file >= 0, "the kernel makes files in memory");
    // SAFETY: the descriptor was just made, and nothing else owns it.
    unsafe { File::from_raw_fd(file) }
}

fn fail(errno: c_int) -> c_int {
    // SAFETY: the pointer is that of this thread's own errno, valid while the thread lives.
    unsafe { *libc::__errno_location() = errno };
    -1
}

impl Hooks for Kernel {
    unsafe fn perf_event_open(
        &mut self,
        attributes: *mut bindings::perf_event_attr,
        thread: libc::pid_t,
        processor: c_int,
        group: c_int,
        _flags: c_ulong,
    ) -> c_int {
        // SAFETY: `perf_event` hands over a reference to its own attributes, as the system call requires.
        let attributes = unsafe { &*attributes };
        let asked = (attributes.type_, attributes.config);
        self.calls.borrow_mut().push(Call::Open {
            asked,
            leader: (group >= 0).then_some(group),
            kernel_too: attributes.exclude_kernel() == 0,
            hypervisor_too: attributes.exclude_hv() == 0,
            counting: attributes.disabled() == 0,
            thread,
            processor,
        });
        if let Some(errno) = (self.script.refuse)(asked, group >= 0) {
            return fail(errno);
        }
        let answer = file_in_memory();
        let file = answer.try_clone().expect("a file has two numbers").into_raw_fd();
        self.ids += 1;
        let member = Member {
            answer,
            asked,
            leader: if group >= 0 { group } else { file },
            id: self.ids,
            value: 0,
        };
        // The descriptor may have belonged to a file that is closed by now.
        self.members.insert(file, member);
        file
    }

    unsafe fn ID(&mut self, file: c_int, id: *mut u64) -> c_int {
        // SAFETY: `perf_event` hands over a pointer to a variable of its own, as the system call requires.
        unsafe { *id = self.members[&file].id };
        0
    }

    unsafe fn ENABLE(&mut self, _file: c_int, flags: c_uint) -> c_int {
        self.calls.borrow_mut().push(Call::Enable {
            group: flags == bindings::PERF_IOC_FLAG_GROUP,
        });
        (self.script.enable)(self.interval).map_or(0, fail)
    }

    unsafe fn DISABLE(&mut self, file: c_int, flags: c_uint) -> c_int {
        self.calls.borrow_mut().push(Call::Disable {
            group: flags == bindings::PERF_IOC_FLAG_GROUP,
        });
        let (enabled, running) = (self.script.time)(self.interval);
        self.times.0 += enabled;
        self.times.1 += running;
        let empty = (self.script.empty)(self.interval);
        let mut record = vec![0, self.times.0, self.times.1];
        let mut of_group: Vec<&mut Member> = self
            .members
            .values_mut()
            .filter(|member| member.leader == file)
            .collect();
        // The leader was opened first.
        of_group.sort_by_key(|member| member.id);
        for member in &mut of_group {
            if running > 0 {
                member.value += (self.script.count)(member.asked, self.interval);
            }
            record[0] += 1;
            record.extend([member.value, member.id]);
            let own = (self.script.of_member)(member.asked, self.times.1);
            member.put(&[member.value, self.times.0, own]);
        }
        if let Some(leader) = of_group.first_mut() {
            leader.put(if empty { &[] } else { &record });
        }
        self.interval += 1;
        0
    }
}

/// Runs `test` with the fake kernel on this thread; returns its result and the calls to the kernel.
pub(crate) fn with_kernel<T>(script: Script, test: impl FnOnce() -> T) -> (T, Vec<Call>) {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: the files of the test are closed by now, unless it failed, and then nothing counts any more.
            unsafe { clear_thread_hooks() };
        }
    }
    let calls = Rc::new(RefCell::new(Vec::new()));
    let kernel = Kernel {
        script,
        calls: calls.clone(),
        members: BTreeMap::new(),
        times: (0, 0),
        interval: 0,
        ids: 0,
    };
    // SAFETY: a test opens its counters after this, and no other code of this thread has any.
    unsafe { set_thread_hooks(Box::new(kernel)) };
    let restore = Restore;
    let made = test();
    drop(restore);
    let calls = calls.take();
    (made, calls)
}
