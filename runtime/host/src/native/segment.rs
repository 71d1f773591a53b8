//! Entering and leaving the compatibility segment: 64-bit code that reads the clock on either side of a far jump.
//!
//! Entering loads DS, ES, FS and GS with the flat data segment, so FS no longer points to the thread block: after the
//! first entry, nothing thread-local may be used. Leaving needs 64-bit code below 4 GiB, because a far jump in 32-bit
//! code has a 32-bit address. This code is the gate: two pages at the end of the address space.

use super::shared::Control;
use dynasmrt::{AssemblyOffset, DynasmApi, DynasmLabelApi, ExecutableBuffer, dynasm};
use p5_image::RETURN_ADDRESS;
use std::mem::offset_of;

/// The selector of 32-bit code at CPL 3.
pub(super) const COMPATIBILITY: u16 = 0x23;
/// The selector of 64-bit code at CPL 3.
pub(super) const LONG_MODE: u16 = 0x33;
/// The selector of data at CPL 3.
pub(super) const DATA: u16 = 0x2B;

/// The first page of the gate holds the chain, the second one the exits.
pub(super) const GATE: u32 = 0xFFFF_E000;
pub(super) const GATE_LENGTH: u32 = 0x2000;
pub(super) const CHAIN: u32 = GATE;
/// The number of additions in the chain.
pub(super) const CHAIN_LENGTH: u32 = 2_000;
/// 64-bit code: the exit after the last instruction of the program.
pub(super) const END: u32 = GATE + 0x1000;
/// 64-bit code: the exit of a program that returned.
const RETURN: u32 = GATE + 0x1040;
/// 32-bit code that ends with HLT.
pub(super) const HALT: u32 = GATE + 0x1080;
/// 32-bit code that ends with the exit call of `int 80h`.
pub(super) const EXIT: u32 = GATE + 0x10C0;
/// 32-bit code that leaves immediately.
pub(super) const LEAVE: u32 = RETURN_ADDRESS;

/// The program reached its end. This and the next two are the exits, as the gate returns them in ECX.
pub(super) const BY_END: u32 = 0;
/// The program returned to [`RETURN_ADDRESS`].
pub(super) const BY_RETURN: u32 = 1;
/// The signal handler left the segment.
pub(super) const BY_SIGNAL: u32 = 2;

/// The bytes of `lfence` and `jmp far 33h:target`. A far jump takes long and is not ordered, so without the fence the
/// last clocks of the program would overlap with it.
pub(super) fn far_jump(target: u32) -> [u8; 10] {
    let [a, b, c, d] = target.to_le_bytes();
    [0x0F, 0xAE, 0xE8, 0xEA, a, b, c, d, LONG_MODE as u8, 0]
}

/// The contents of the gate. `back` is the address in the trampoline at which execution continues.
pub(super) fn gate(back: u64) -> Vec<u8> {
    let mut given = vec![0; GATE_LENGTH as usize];
    let mut put = |address: u32, bytes: &[u8]| {
        let at = (address - GATE) as usize;
        given[at..at + bytes.len()].copy_from_slice(bytes);
    };
    // add eax,ecx: register to register, because some processors execute additions of immediates during renaming.
    let mut chain = [0x01, 0xC8].repeat(CHAIN_LENGTH as usize);
    chain.extend(far_jump(RETURN));
    put(CHAIN, &chain);
    for (address, how) in [(END, BY_END), (RETURN, BY_RETURN)] {
        let mut code = vec![0xB9]; // mov ecx,how
        code.extend(how.to_le_bytes());
        code.extend([0x48, 0xB8]); // mov rax,back
        code.extend(back.to_le_bytes());
        code.extend([0xFF, 0xE0]); // jmp rax
        put(address, &code);
    }
    put(HALT, &[0xF4]);
    put(EXIT, &[0xB8, 1, 0, 0, 0, 0xCD, 0x80]); // mov eax,1; int 80h
    put(LEAVE, &far_jump(RETURN));
    given
}

/// The 64-bit code that enters the program and returns from it.
#[derive(Debug)]
pub(super) struct Trampoline {
    code: ExecutableBuffer,
    back: AssemblyOffset,
    /// The offsets of the two RDTSCs.
    stamps: [AssemblyOffset; 2],
}

impl Trampoline {
    /// Assembles the code without running it. `control` is the address of the block shared with the parent. `None` if
    /// the host provides no executable memory.
    pub(super) fn new(control: u64) -> Option<Trampoline> {
        let mut code = dynasmrt::x64::Assembler::new().ok()?;
        let (saved, stack) = (offset_of!(Control, saved_rsp) as i32, offset_of!(Control, stack) as i32);
        let (start, stop) = (offset_of!(Control, start) as i32, offset_of!(Control, stop) as i32);
        let (state, how) = (offset_of!(Control, mxcsr) as i32, offset_of!(Control, how) as i32);
        // There are two waits. The one before the first read varies its phase within a step of the counter. Some
        // processors complete RDTSC only when the counter steps, so that the program would always start at the same
        // phase and its ticks would always be rounded up in the same way. Therefore a second wait, of up to one step,
        // follows the read; it changes no flag. R8 points to the control block, whose first field is the far pointer;
        // it is loaded again on the way back.
        dynasm!(code
            ; .arch x64
            ; push rbx
            ; push rbp
            ; push r12
            ; push r13
            ; push r14
            ; push r15
            ; mov r8, rdi
            ; lea r9, [rdx + 1]
            ; mov [r8 + saved], rsp
            ; fninit
            ; ldmxcsr [r8 + state]
            ; mov ecx, DATA as i32
            // mov ds,ecx; mov es,ecx; mov fs,ecx; mov gs,ecx
            ; .bytes [0x8Eu8, 0xD9, 0x8E, 0xC1, 0x8E, 0xE1, 0x8E, 0xE9]
            ; pause:
            ; dec rsi
            ; jns <pause
            // The initial flags, which no later instruction here changes.
            ; push DWORD 0x202
            ; popfq
            ; lfence
        );
        let first = code.offset();
        dynasm!(code
            ; .arch x64
            ; rdtsc
            ; lfence
            ; mov [r8 + start], eax
            ; mov [r8 + start + 4], edx
            ; mov esp, [r8 + stack]
            ; mov eax, 0
            ; mov ecx, r9d
            ; mov edx, 0
            ; mov ebx, 0
            ; mov ebp, 0
            ; mov esi, 0
            ; mov edi, 0
            ; again:
            ; lea ecx, [rcx - 1]
            ; jecxz >there
            ; jmp <again
            ; there:
            ; .bytes [0x41u8, 0xFF, 0x28] // jmp far [r8]
        );
        let back = code.offset();
        dynasm!(code
            ; .arch x64
            ; lfence
        );
        let second = code.offset();
        dynasm!(code
            ; .arch x64
            ; rdtsc
            ; lfence
            ; mov r8, QWORD control as i64
            ; mov [r8 + stop], eax
            ; mov [r8 + stop + 4], edx
            ; mov [r8 + how], ecx
            ; mov rsp, [r8 + saved]
            // Resets what the program may have left in the floating-point environment and the flags: unmasked
            // exceptions, direction, trap, alignment check.
            ; fninit
            ; ldmxcsr [r8 + state]
            ; push DWORD 0x202
            ; popfq
            ; pop r15
            ; pop r14
            ; pop r13
            ; pop r12
            ; pop rbp
            ; pop rbx
            ; ret
        );
        Some(Trampoline {
            code: code.finalize().ok()?,
            back,
            stamps: [first, second],
        })
    }

    fn address(&self, offset: AssemblyOffset) -> u64 {
        self.code.ptr(offset).expose_provenance() as u64
    }

    /// The address at which execution continues after a run; of the registers only ECX matters.
    pub(super) fn back(&self) -> u64 {
        self.address(self.back)
    }

    /// Whether an address belongs to the exit code. That code faults only if the program has overwritten its data.
    pub(super) fn is_way_out(&self, address: u64) -> bool {
        let end = self.address(AssemblyOffset(0)) + self.code.len() as u64;
        (self.back()..end).contains(&address)
    }

    /// The addresses of the two RDTSCs.
    pub(super) fn stamps(&self) -> [u64; 2] {
        self.stamps.map(|offset| self.address(offset))
    }

    /// Enters the segment at the far pointer of `control` and returns. An empty loop makes `pause` iterations before
    /// the first read of the counter and `wait` iterations after it.
    ///
    /// # Safety
    /// The gate must be mapped, and the handler installed for everything that the code may do. The caller and all code
    /// that runs later must use nothing thread-local.
    pub(super) unsafe fn enter(&self, control: &Control, pause: u32, wait: u32) {
        // SAFETY: the code follows the System V calling convention: it preserves the callee-saved registers and the
        // stack pointer, and leaves the floating-point environment in its default state.
        let enter: extern "sysv64" fn(*const Control, u64, u64) =
            unsafe { std::mem::transmute(self.code.ptr(AssemblyOffset(0))) };
        enter(control, u64::from(pause), u64::from(wait));
    }
}
