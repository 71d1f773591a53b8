//! The native side: runs 32-bit code in the compatibility segment of an x86-64 Linux process and catches its faults.
//!
//! Everything is at fixed addresses below 4 GiB. The control page holds the input and output:
//!
//! | offset | what |
//! |---|---|
//! | 00h | the eight general registers at the start, then EFLAGS |
//! | 40h | the eight general registers at the end, then EFLAGS |
//! | 80h | the 64-bit stack pointer, restored at the return |
//! | 90h | the far pointer to the 32-bit prologue |
//! | A0h | the trap number, or all ones; A8h the address of the instruction |
//! | B0h | the address of the far jump; B8h the address to return to |
//! | C0h | the selectors of ES, SS and DS, 4 bytes apart; CCh the far pointer to the sequence |
//! | D4h | the selector of flat data |

use dynasmrt::{DynasmApi, DynasmLabelApi, ExecutableBuffer, dynasm};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const CODE: u32 = 0x0700_0000;
const CONTROL: u32 = 0x0800_0000;
pub(crate) const SLOT: u32 = CODE + 0x100;
/// The address of the 64-bit instructions that return from the compatibility segment.
const BACK: u32 = CODE + 0x800;
/// Memory for the sequences, with nothing mapped around it.
pub(crate) const ARENA: u32 = 0x1000_0000;
/// The size of the arena in bytes.
pub(crate) const ARENA_LENGTH: u32 = 0x2000;
/// Memory for 16-bit addresses, if the host lets a process map it.
pub(crate) const LOW: u32 = 0x1000;
/// The size of the low memory in bytes.
pub(crate) const LOW_LENGTH: u32 = 0x4000;
const COMPATIBILITY: u64 = 0x23;
const FLAT_DATA: u64 = 0x2B;
/// The address of the epilogue for code in segments.
const EPILOGUE: u32 = CODE + 0x700;
/// The offset of a sequence in a code segment.
pub(crate) const SLOT_OFFSET: u32 = SLOT - CODE;
const LONG_MODE: u64 = 0x33;
const SIGNALS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGBUS];
const SIGNAL_STACK: usize = 65_536;

/// Whether the address is in memory of the harness.
pub(crate) fn is_reserved(address: u32) -> bool {
    // One more page on either side is reserved, for accesses that cross into it.
    (CODE - 0x1000..CODE + 0x2000).contains(&address) || (CONTROL - 0x1000..CONTROL + 0x2000).contains(&address)
}

/// The end of a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) general: [u32; 8],
    pub(crate) eflags: u32,
    /// The vector of the fault that ended it; `None` if it reached its end.
    pub(crate) vector: Option<u8>,
    pub(crate) eip: u32,
}

/// A segment of the local descriptor table: data, data that expands down, or code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) base: u32,
    pub(crate) limit: u32,
    pub(crate) wide: bool,
    /// The kind of contents: 0 data, 1 data that expands down, 2 code.
    pub(crate) contents: u32,
}

/// The place of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The flat compatibility segment, whose segments all begin at 0.
    Flat,
    /// A code segment of this many bits, with the selectors of ES, SS and DS.
    Segments { bits: u32, code: u16, data: [u16; 3] },
}

/// The mapped pages, the trampoline and the signal handlers, released when dropped.
pub(crate) struct Native {
    trampoline: ExecutableBuffer,
    enter: dynasmrt::AssemblyOffset,
    epilogue: Vec<u8>,
    pages: Vec<(u32, usize)>,
    regions: Vec<(u32, u32)>,
    signal_stack: *mut libc::c_void,
    old_stack: libc::stack_t,
    old_actions: Vec<(libc::c_int, libc::sigaction)>,
    /// The addresses and the handlers belong to one value at a time.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

fn control<T>(offset: u32) -> *mut T {
    ptr::with_exposed_provenance_mut((CONTROL + offset) as usize)
}

fn read<T: Copy>(offset: u32) -> T {
    // SAFETY: the control page is mapped while a `Native` lives, and every offset used is within it and aligned.
    unsafe { control::<T>(offset).read_volatile() }
}

fn write<T>(offset: u32, value: T) {
    // SAFETY: as in `read`; no Rust reference points to the control page.
    unsafe { control::<T>(offset).write_volatile(value) }
}

/// Records a fault of the 32-bit code and continues at the exit.
extern "C" fn handler(signal: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a pointer to the interrupted context to an SA_SIGINFO handler; nothing else refers to
    // it until the handler returns.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let selectors = registers[libc::REG_CSGSFS as usize] as u64;
    let rip = registers[libc::REG_RIP as usize] as u64;
    let in_segment = selectors & 4 != 0;
    let ours = selectors & 0xFFFF == COMPATIBILITY || in_segment;
    if !ours && rip != read::<u64>(0xB0) {
        // A fault of other code: it is raised again and handled as if this handler were not installed.
        // SAFETY: resetting a signal's action is allowed in a handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    let order = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_EFL,
    ];
    for (index, register) in order.into_iter().enumerate() {
        write(0x40 + 4 * index as u32, registers[register as usize] as u32);
    }
    write(0xA0, registers[libc::REG_TRAPNO as usize] as u64);
    write(0xA8, rip);
    let others = selectors & 0x0000_FFFF_FFFF_0000;
    registers[libc::REG_CSGSFS as usize] = (others | FLAT_DATA << 48 | LONG_MODE) as i64;
    registers[libc::REG_RIP as usize] = read::<u64>(0xB8) as i64;
    registers[libc::REG_EFL as usize] &= !0x400;
}

fn copy(address: u32, bytes: &[u8]) {
    // SAFETY: callers stay within the pages that `Native::new` mapped, which no Rust reference points to.
    unsafe {
        ptr::copy_nonoverlapping(
            bytes.as_ptr(),
            ptr::with_exposed_provenance_mut(address as usize),
            bytes.len(),
        );
    }
}

fn prologue() -> Vec<u8> {
    let mut code = vec![0xBC]; // mov esp, EFLAGS image
    code.extend((CONTROL + 0x20).to_le_bytes());
    code.push(0x9D); // popfd
    for number in [4u8, 0, 1, 2, 3, 5, 6, 7] {
        code.extend([0x8B, (number << 3) | 5]); // mov register,[image]
        code.extend((CONTROL + 4 * u32::from(number)).to_le_bytes());
    }
    // mov es,[selector]; mov ss,[selector]; mov ds,[selector]; jmp far [pointer] through CS, because DS is set
    for (bytes, place) in [
        (&[0x8E, 0x05][..], 0xC0),
        (&[0x8E, 0x15], 0xC4),
        (&[0x8E, 0x1D], 0xC8),
        (&[0x2E, 0xFF, 0x2D], 0xCC),
    ] {
        code.extend(bytes);
        code.extend((CONTROL + place).to_le_bytes());
    }
    code
}

/// The code after a sequence in a segment, which continues at [`EPILOGUE`] in flat code.
fn leave_segment(bits: u32) -> Vec<u8> {
    let mut code = if bits == 16 { vec![0x66, 0xEA] } else { vec![0xEA] };
    code.extend(EPILOGUE.to_le_bytes());
    code.extend((COMPATIBILITY as u16).to_le_bytes());
    code
}

fn epilogue() -> Vec<u8> {
    // mov ds,cs:[flat data]; mov ss,cs:[flat data]
    let mut code = Vec::new();
    for number in [0x1D, 0x15] {
        code.extend([0x2E, 0x8E, number]);
        code.extend((CONTROL + 0xD4).to_le_bytes());
    }
    for number in 0..8u8 {
        code.extend([0x89, (number << 3) | 5]); // mov [image],register
        code.extend((CONTROL + 0x40 + 4 * u32::from(number)).to_le_bytes());
    }
    code.push(0xBC); // mov esp, behind the EFLAGS image
    code.extend((CONTROL + 0x64).to_le_bytes());
    code.extend([0x9C, 0xFC, 0xEA]); // pushfd; cld; jmp far back
    code.extend(BACK.to_le_bytes());
    code.extend((LONG_MODE as u16).to_le_bytes());
    code
}

impl Native {
    /// Maps the pages, assembles the trampoline, installs the handlers, and tests them once.
    pub(crate) fn new() -> Result<Native, String> {
        let mut assembler = dynasmrt::x64::Assembler::new().map_err(|error| error.to_string())?;
        let enter = assembler.offset();
        let control = i64::from(CONTROL);
        dynasm!(assembler
            ; .arch x64
            ; push rbx
            ; push rbp
            ; push r12
            ; push r13
            ; push r14
            ; push r15
            ; mov rax, QWORD control
            ; mov [rax + 0x80], rsp
            ; lea rcx, [>back]
            ; mov [rax + 0xB8], rcx
            ; lea rcx, [>far]
            ; mov [rax + 0xB0], rcx
            ; mov ecx, 0x2B
            ; .bytes [0x8Eu8, 0xD9, 0x8E, 0xC1] // mov ds, ecx; mov es, ecx
            ; add rax, 0x90
            ; far:
            ; .bytes [0xFFu8, 0x28] // jmp far [rax]
            ; back:
            ; mov rax, QWORD control
            ; mov rsp, [rax + 0x80]
            ; cld
            ; pop r15
            ; pop r14
            ; pop r13
            ; pop r12
            ; pop rbp
            ; pop rbx
            ; ret
        );
        let trampoline = assembler
            .finalize()
            .map_err(|_| String::from("the trampoline could not be made executable"))?;
        let mut native = Native {
            trampoline,
            enter,
            epilogue: epilogue(),
            pages: Vec::new(),
            regions: vec![(ARENA, ARENA_LENGTH)],
            signal_stack: ptr::null_mut(),
            // SAFETY: all zeros is a valid value of this C structure.
            old_stack: unsafe { std::mem::zeroed() },
            old_actions: Vec::new(),
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let code = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let data = libc::PROT_READ | libc::PROT_WRITE;
        native.map(CODE, 0x1000, code)?;
        native.map(CONTROL, 0x1000, data)?;
        native.map(ARENA, ARENA_LENGTH as usize, data)?;
        if native.map(LOW, LOW_LENGTH as usize, data).is_ok() {
            native.regions.push((LOW, LOW_LENGTH));
        }
        native.install()?;
        copy(CODE, &prologue());
        copy(EPILOGUE, &native.epilogue);
        // mov rax,[control + B8h]; jmp rax
        let mut back = vec![0x48, 0xA1];
        back.extend(u64::from(CONTROL + 0xB8).to_le_bytes());
        back.extend([0xFF, 0xE0]);
        copy(BACK, &back);
        write(0x90, CODE);
        write(0x94, COMPATIBILITY as u16);
        write(0xD4, FLAT_DATA as u32);
        let tried = native.run(&Place::Flat, &[0x40], &[41, 0, 0, 0, ARENA + 64, 0, 0, 0], 0);
        if tried.vector.is_some() || tried.general[0] != 42 {
            return Err(format!(
                "the host has no usable 32-bit compatibility segment ({tried:x?})"
            ));
        }
        Ok(native)
    }

    fn map(&mut self, address: u32, length: usize, protection: libc::c_int) -> Result<(), String> {
        let wanted = ptr::with_exposed_provenance_mut(address as usize);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: MAP_FIXED_NOREPLACE does not replace an existing mapping.
        let got = unsafe { libc::mmap(wanted, length, protection, flags, -1, 0) };
        if got == libc::MAP_FAILED {
            return Err(format!("the host does not map {length} bytes at {address:#x}"));
        }
        if got != wanted {
            // SAFETY: the mapping was just made by an old kernel that does not know the flag.
            unsafe { libc::munmap(got, length) };
            return Err(format!("the host maps {address:#x} elsewhere"));
        }
        self.pages.push((address, length));
        Ok(())
    }

    fn install(&mut self) -> Result<(), String> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping.
        let stack = unsafe { libc::mmap(ptr::null_mut(), SIGNAL_STACK, protection, flags, -1, 0) };
        if stack == libc::MAP_FAILED {
            return Err(String::from("the host gives no memory for a signal stack"));
        }
        self.signal_stack = stack;
        let wanted = libc::stack_t {
            ss_sp: stack,
            ss_flags: 0,
            ss_size: SIGNAL_STACK,
        };
        // SAFETY: the stack stays mapped until `drop` has restored the old one.
        unsafe { libc::sigaltstack(&wanted, &mut self.old_stack) };
        for signal in SIGNALS {
            // SAFETY: all zeroes is a value of this C structure, and `handler` has the signature SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let mut old: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                if libc::sigaction(signal, &action, &mut old) == 0 {
                    self.old_actions.push((signal, old));
                }
            }
        }
        Ok(())
    }

    /// Makes `segment` the entry `number` of the local descriptor table, and returns its selector.
    pub(crate) fn define(&mut self, number: u32, segment: &Segment) -> Result<u16, String> {
        let flags = u32::from(segment.wide) | segment.contents << 1 | 1 << 6;
        let entry = [number, segment.base, segment.limit, flags];
        // SAFETY: the call reads the 16 bytes of the entry.
        let result = unsafe { libc::syscall(libc::SYS_modify_ldt, 1, entry.as_ptr(), size_of_val(&entry)) };
        if result != 0 {
            return Err(String::from("the host has no local descriptor table"));
        }
        Ok((number << 3 | 7) as u16)
    }

    /// Runs `code` at `place` with these registers.
    pub(crate) fn run(&mut self, place: &Place, code: &[u8], general: &[u32; 8], eflags: u32) -> Ended {
        copy(SLOT, code);
        let flat = FLAT_DATA as u16;
        let (selectors, start, selector) = match place {
            Place::Flat => {
                copy(SLOT + code.len() as u32, &self.epilogue);
                ([flat; 3], SLOT, COMPATIBILITY as u16)
            }
            Place::Segments {
                bits,
                code: selector,
                data,
            } => {
                copy(SLOT + code.len() as u32, &leave_segment(*bits));
                (*data, SLOT_OFFSET, *selector)
            }
        };
        for (index, selector) in (0..).zip(selectors) {
            write(0xC0 + 4 * index, u32::from(selector));
        }
        write(0xCC, start);
        write(0xD0, u32::from(selector));
        for (index, &value) in general.iter().enumerate() {
            write(4 * index as u32, value);
        }
        write(0x20, eflags | 0x202);
        write(0xA0, u64::MAX);
        // SAFETY: the trampoline preserves the callee-saved registers and the stack pointer, and returns wherever the
        // sequence ends: at its end, or with a fault, which `handler` redirects. A sequence has no system call and
        // cannot access Rust objects, which are all above 4 GiB.
        let enter: extern "sysv64" fn() = unsafe { std::mem::transmute(self.trampoline.ptr(self.enter)) };
        enter();
        let mut ended = Ended {
            general: [0; 8],
            eflags: read(0x60),
            vector: None,
            eip: start + code.len() as u32,
        };
        for (index, value) in ended.general.iter_mut().enumerate() {
            *value = read(0x40 + 4 * index as u32);
        }
        let trap: u64 = read(0xA0);
        if trap != u64::MAX {
            ended.vector = Some(trap as u8);
            ended.eip = read::<u64>(0xA8) as u32;
        }
        ended
    }

    /// The memory regions for sequences: addresses and lengths.
    pub(crate) fn regions(&self) -> &[(u32, u32)] {
        &self.regions
    }

    pub(crate) fn load(&mut self, address: u32, bytes: &[u8]) {
        let length = bytes.len() as u32;
        assert!(
            self.regions
                .iter()
                .any(|&(start, extent)| address >= start && address + length <= start + extent)
        );
        copy(address, bytes);
    }

    pub(crate) fn bytes(&self, region: usize) -> &[u8] {
        let (address, length) = self.regions[region];
        let start = ptr::with_exposed_provenance(address as usize);
        // SAFETY: regions are mapped while `self` lives, and change only in `run` and `load`, which borrow it mutably.
        unsafe { std::slice::from_raw_parts(start, length as usize) }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: restores what `install` replaced, then unmaps what this value mapped and nothing uses any more.
        unsafe {
            for (signal, old) in &self.old_actions {
                libc::sigaction(*signal, old, ptr::null_mut());
            }
            if !self.signal_stack.is_null() {
                libc::sigaltstack(&self.old_stack, ptr::null_mut());
                libc::munmap(self.signal_stack, SIGNAL_STACK);
            }
            for &(address, length) in &self.pages {
                libc::munmap(ptr::with_exposed_provenance_mut(address as usize), length);
            }
        }
    }
}
