//! The signal handler of the child: it serves the supported calls and ends the run on every other signal.
//!
//! It runs while FS holds the segment of the program, so nothing here is thread-local, allocates, locks or calls a
//! library.

use super::filter::ARCHITECTURE_32;
use super::handover::Task;
use super::plan::WayOut;
use super::segment::{BY_SIGNAL, COMPATIBILITY, DATA, LONG_MODE, Trampoline};
use super::shared::{Control, REFUSED_MOST, kind};
use p5_meaning::services::signals::LAST;
use p5_meaning::services::{Asked, OUTPUT_CAPACITY, Written, dos, linux};
use p5_words::signals::{ByDefault, by_default};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

pub(super) const SIGNALS: [libc::c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGALRM,
];
/// The flags after a run: only the interrupt flag is set.
const CLEAN_FLAGS: i64 = 0x202;
const CARRY: i64 = 1;
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub(super) task: &'a Task,
    pub(super) control: &'a Control,
    pub(super) trampoline: &'a Trampoline,
}

/// The data of the handler in this process; set only in a child.
static SCENE: AtomicPtr<Scene<'static>> = AtomicPtr::new(ptr::null_mut());

/// Sets the data of the handler.
///
/// # Safety
/// The process must have one thread, and `scene` must live at the same address until the process ends.
pub(super) unsafe fn set_scene(scene: &Scene<'_>) {
    SCENE.store(ptr::from_ref(scene).cast_mut().cast(), Relaxed);
}

/// The kernel's information about a system call that the filter caught: the layout of `siginfo_t` for SIGSYS.
#[repr(C)]
struct CaughtCall {
    head: [i32; 4],
    instruction: u64,
    number: i32,
    architecture: u32,
}

enum Next {
    /// The program continues with the current registers.
    GoOn,
    /// The segment is left, through this exit.
    Leave(u32),
}

/// The state of a program interrupted by a signal.
struct Stopped<'a> {
    scene: &'a Scene<'a>,
    registers: &'a mut [libc::greg_t; 23],
}

pub(super) extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let scene = SCENE.load(Relaxed);
    if scene.is_null() {
        return;
    }
    // SAFETY: the scene given to `set_scene` remains valid; the kernel passes the interrupted context, which nothing
    // else refers to until the handler returns.
    let (scene, registers) = unsafe { (&*scene, &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs) };
    let mut stopped = Stopped { scene, registers };
    let control = scene.control;
    let at = stopped.get(libc::REG_RIP) as u64;
    if scene.trampoline.stamps().contains(&at) && signal == libc::SIGSEGV {
        // RDTSC is disabled for this process. The program runs nevertheless, to see whether it reads the time stamp
        // counter.
        stopped.set(libc::REG_RAX, 0);
        stopped.set(libc::REG_RDX, 0);
        stopped.set(libc::REG_RIP, at as i64 + 2);
        return;
    }
    let running = control.running.load(Relaxed) != 0;
    if signal == libc::SIGALRM && (!running || !stopped.in_program()) {
        control.enough.store(1, Relaxed);
        return;
    }
    if !running || (signal != libc::SIGALRM && !stopped.in_program() && scene.trampoline.is_way_out(at)) {
        end_process(HARNESS_BROKEN);
    }
    let next = match signal {
        libc::SIGALRM => {
            control.enough.store(1, Relaxed);
            Next::Leave(kind::LIMIT)
        }
        // SAFETY: for SIGSYS of a filter the structure has these fields.
        libc::SIGSYS => stopped.call(unsafe { &*info.cast::<CaughtCall>() }),
        _ => stopped.trap(),
    };
    if let Next::Leave(kind) = next {
        stopped.leave(kind);
    }
}

/// The exit status of a child whose own code raised a signal.
pub(super) const HARNESS_BROKEN: i32 = 70;

pub(super) fn end_process(status: i32) -> ! {
    // SAFETY: the call does not return and accesses no memory.
    unsafe {
        std::arch::asm!("syscall", in("rax") libc::SYS_exit_group, in("rdi") status, options(noreturn, nostack));
    }
}

impl Stopped<'_> {
    fn get(&self, register: i32) -> i64 {
        self.registers.get(register as usize).copied().unwrap_or(0)
    }

    fn set(&mut self, register: i32, value: i64) {
        if let Some(place) = self.registers.get_mut(register as usize) {
            *place = value;
        }
    }

    /// Whether the signal interrupted 32-bit code.
    fn in_program(&self) -> bool {
        self.get(libc::REG_CSGSFS) as u16 == COMPATIBILITY
    }

    /// The byte of the program at `address`, if there is one.
    fn byte(&self, address: u32) -> Option<u8> {
        self.scene.task.pages.iter().find(|pages| pages.holds(address, 1))?;
        // SAFETY: the pages are mapped and readable, and hold no Rust objects.
        Some(unsafe { ptr::with_exposed_provenance::<u8>(address as usize).read_volatile() })
    }

    /// Whether the program could read all `length` bytes from `address`.
    fn readable(&self, address: u32, length: u32) -> bool {
        let end = u64::from(address) + u64::from(length);
        let mut at = u64::from(address);
        // Pages are in ascending order and may be adjacent.
        for pages in &self.scene.task.pages {
            if at < end && at <= u64::from(u32::MAX) && pages.holds(at as u32, 1) {
                at = u64::from(pages.address) + pages.length;
            }
        }
        at >= end
    }

    /// Ends the run with this kind of ending: execution continues in the 64-bit code.
    fn leave(&mut self, kind: u32) {
        let control = self.scene.control;
        let at = self.get(libc::REG_RIP) as u64;
        control.kind.store(kind, Relaxed);
        control.instruction.store(at, Relaxed);
        control
            .selector
            .store(u32::from(self.get(libc::REG_CSGSFS) as u16), Relaxed);
        let mut count = 0;
        let mut words = [0u8; 16];
        if self.in_program() {
            while count < 15
                && let Some(byte) = self.byte((at as u32).wrapping_add(count as u32))
                && let Some(place) = words.get_mut(count)
            {
                *place = byte;
                count += 1;
            }
        }
        for (word, bytes) in control.bytes.iter().zip(words.as_chunks::<4>().0) {
            word.store(u32::from_le_bytes(*bytes), Relaxed);
        }
        control.byte_count.store(count as u32, Relaxed);
        // CS is the lowest of four words, SS the highest.
        let selectors = u64::from(DATA) << 48 | u64::from(LONG_MODE);
        self.set(libc::REG_CSGSFS, selectors as i64);
        self.set(libc::REG_RIP, self.scene.trampoline.back() as i64);
        self.set(libc::REG_RCX, i64::from(BY_SIGNAL));
        self.set(libc::REG_EFL, CLEAN_FLAGS);
    }

    /// Handles a fault or trap of the processor.
    fn trap(&mut self) -> Next {
        let control = self.scene.control;
        let vector = self.get(libc::REG_TRAPNO) as u32;
        let at = self.get(libc::REG_RIP) as u32;
        control.vector.store(vector, Relaxed);
        control.error.store(self.get(libc::REG_ERR) as u32, Relaxed);
        control.address.store(self.get(libc::REG_CR2) as u64, Relaxed);
        if !self.in_program() {
            return Next::Leave(kind::FAULT);
        }
        let end = self.scene.task.end;
        match (vector, self.scene.task.way_out) {
            (3, WayOut::Breakpoint) if end == Some(at.wrapping_sub(1)) => return Next::Leave(kind::END),
            (14, WayOut::NotExecutable) if end == Some(at) => return Next::Leave(kind::END),
            (13, _) => {}
            _ => return Next::Leave(kind::FAULT),
        }
        match (self.byte(at), self.byte(at.wrapping_add(1))) {
            (Some(0xF4), _) => Next::Leave(kind::HALT),
            (Some(0xCD), Some(0x20)) => self.exit(0),
            (Some(0xCD), Some(0x21)) => {
                self.set(libc::REG_RIP, i64::from(at.wrapping_add(2)));
                self.dos()
            }
            // This kernel has no 32-bit system calls.
            (Some(0xCD), Some(0x80)) => {
                self.set(libc::REG_RIP, i64::from(at.wrapping_add(2)));
                self.linux()
            }
            _ => Next::Leave(kind::FAULT),
        }
    }

    /// Handles a system call that the filter caught.
    fn call(&mut self, caught: &CaughtCall) -> Next {
        let at = self.get(libc::REG_RIP) as u32;
        let interrupt = [at.wrapping_sub(2), at.wrapping_sub(1)].map(|address| self.byte(address));
        if self.in_program() && caught.architecture == ARCHITECTURE_32 && interrupt == [Some(0xCD), Some(0x80)] {
            return self.linux();
        }
        self.scene.control.code.store(caught.number as u32, Relaxed);
        Next::Leave(kind::CALL)
    }

    fn exit(&mut self, code: u32) -> Next {
        self.scene.control.code.store(code, Relaxed);
        Next::Leave(kind::EXIT)
    }

    fn general(&self) -> [u32; 4] {
        [libc::REG_RAX, libc::REG_RCX, libc::REG_RDX, libc::REG_RBX].map(|register| self.get(register) as u32)
    }

    /// Discards text, if the program can read all of it and the run is allowed to write that much.
    fn write(&mut self, address: u32, length: u32) -> Written {
        let control = self.scene.control;
        let written = control.written.load(Relaxed).saturating_add(u64::from(length));
        if written > OUTPUT_CAPACITY as u64 {
            control.output_refused.store(1, Relaxed);
            return Written::Full;
        }
        if !self.readable(address, length) {
            return Written::Unreadable;
        }
        control.written.store(written, Relaxed);
        control.wrote.store(1, Relaxed);
        Written::All
    }

    fn answer(&mut self, value: u32) -> Next {
        self.set(libc::REG_RAX, i64::from(value));
        Next::GoOn
    }

    fn set_carry(&mut self, carry: bool) {
        let flags = self.get(libc::REG_EFL);
        self.set(libc::REG_EFL, if carry { flags | CARRY } else { flags & !CARRY });
    }

    /// Serves `int 21h` as the simulated machine does.
    fn dos(&mut self) -> Next {
        let registers = self.general();
        let (eax, carry) = match dos::asked(registers) {
            Asked::Exit(code) => return self.exit(code),
            Asked::Character(byte) => {
                self.scene.control.wrote.store(1, Relaxed);
                return self.answer(dos::after_character(registers[0], byte));
            }
            Asked::Text { .. } => {
                self.scene.control.wrote.store(1, Relaxed);
                return self.answer(dos::after_text(registers[0]));
            }
            Asked::Bytes { address, length } => dos::written(self.write(address, length), length),
            Asked::BadFile
            | Asked::Open
            | Asked::OwnNumber
            | Asked::Raise { .. }
            | Asked::RaiseElsewhere
            | Asked::RaiseNowhere => dos::not_served(registers[0]),
            Asked::Other(function) => {
                if let Some(word) = self.scene.control.refused_dos.get(function as usize / 32) {
                    word.fetch_or(1 << (function % 32), Relaxed);
                }
                dos::not_served(registers[0])
            }
        };
        self.set_carry(carry);
        self.answer(eax)
    }

    /// Serves `int 80h` as the simulated machine does.
    fn linux(&mut self) -> Next {
        let answer = match linux::asked(self.general()) {
            Asked::Exit(code) => return self.exit(code),
            Asked::BadFile => linux::EBADF,
            Asked::Bytes { address, length } => linux::written(self.write(address, length), length),
            Asked::Open => {
                self.refused(self.general()[0]);
                linux::ENOENT
            }
            Asked::OwnNumber => linux::own_number(),
            Asked::RaiseElsewhere => linux::ESRCH,
            Asked::RaiseNowhere => linux::EINVAL,
            Asked::Raise { signal, .. } if signal > LAST => linux::EINVAL,
            Asked::Raise { signal: 0, .. } => 0,
            // A native run handles and blocks no signal: the calls that would arrange it are refused.
            Asked::Raise { signal, .. } => match by_default(signal) {
                ByDefault::Ignores => 0,
                ByDefault::Ends => {
                    self.scene.control.code.store(signal, Relaxed);
                    return Next::Leave(kind::SIGNAL);
                }
                ByDefault::Stops => {
                    self.refused(self.general()[0]);
                    linux::ENOSYS
                }
            },
            Asked::Character(_) | Asked::Text { .. } => linux::ENOSYS,
            Asked::Other(number) => {
                self.refused(number);
                linux::ENOSYS
            }
        };
        self.answer(answer)
    }

    /// Records an unsupported call, each number once.
    fn refused(&self, number: u32) {
        let control = self.scene.control;
        let count = (control.refused_linux_count.load(Relaxed) as usize).min(REFUSED_MOST);
        let known = control.refused_linux.iter().take(count);
        if !known.map(|word| word.load(Relaxed)).any(|other| other == number)
            && let Some(word) = control.refused_linux.get(count)
        {
            word.store(number, Relaxed);
            control.refused_linux_count.store(count as u32 + 1, Relaxed);
        }
    }
}
