//! The code that all blocks share: entering and leaving compiled code, and calls of the engine's functions.

use super::Assembler;
use crate::frame;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use p5_meaning::exec::State;

/// The addresses of the shared code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Common {
    /// Called with the address of a frame and that of the code to enter.
    pub(crate) enter: usize,
    /// Leaves the code, with the kind in `eax`, the unit in `ecx` and an argument in `edx`.
    pub(crate) exit: usize,
    /// Calls the function in `rax` with the frame and the arguments in `esi` and `edx`. The program's registers are in
    /// the state meanwhile.
    pub(crate) call_meaning: usize,
    /// The same for a function that does not see the program's registers.
    pub(crate) call_time: usize,
}

/// Generates the shared code for address `base`.
pub(crate) fn common(base: usize) -> Option<(Vec<u8>, Common)> {
    let mut a = Assembler::new(base);
    let mut common = Common::default();
    let here = |a: &Assembler| base + a.offset().0;
    let [ready, left] = [(); 2].map(|()| a.new_dynamic_label());
    common.enter = here(&a);
    dynasm!(a; .arch x64
        ; push rbx; push rbp; push r12; push r13; push r14; push r15; push rdi
        ; sub rsp, frame::SIZE; mov rax, rsi);
    for part in 0..frame::SIZE / 16 {
        dynasm!(a; .arch x64; movups xmm0, [rdi + part * 16]; movups [rsp + part * 16], xmm0);
    }
    // The host's unit computes as the program's does, and its flags tell what an operation raises.
    dynasm!(a; .arch x64
        ; cmp DWORD [rsp + frame::REALS], 0; je =>ready
        ; fnstcw [rsp + frame::HOST_CONTROL]; fnclex; fldcw [rsp + frame::CONTROL]
        ; =>ready
        ; mov rcx, [rsp + frame::STATE]);
    load_general(&mut a, 0..8);
    dynasm!(a; .arch x64
        ; mov rbx, [rsp + frame::END]; mov rbp, [rsp + frame::WORDS]; mov rdi, [rsp + frame::UNITS]
        ; mov rsi, [rsp + frame::PIPELINE]; jmp rax);
    common.exit = here(&a);
    dynasm!(a; .arch x64
        ; mov [rsp + frame::KIND], eax; mov [rsp + frame::UNIT], ecx; mov [rsp + frame::ARGUMENT], edx
        ; mov [rsp + frame::END], rbx
        ; cmp DWORD [rsp + frame::HOST_CONTROL], 0; je =>left; fldcw [rsp + frame::HOST_CONTROL]
        ; =>left
        ; mov rcx, [rsp + frame::STATE]);
    store_general(&mut a, 0..8);
    dynasm!(a; .arch x64; mov rdi, [rsp + frame::SIZE]);
    for part in 0..frame::SIZE / 16 {
        dynasm!(a; .arch x64; movups xmm0, [rsp + part * 16]; movups [rdi + part * 16], xmm0);
    }
    dynasm!(a; .arch x64
        ; add rsp, frame::SIZE; pop rdi; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx; ret);
    // A call has moved the stack by eight bytes; the next one is aligned.
    for (place, registers) in [(&mut common.call_meaning, 0..8), (&mut common.call_time, 0..4)] {
        *place = here(&a);
        dynasm!(a; .arch x64; mov rcx, [rsp + 8 + frame::STATE]);
        store_general(&mut a, registers.clone());
        dynasm!(a; .arch x64
            ; lea rdi, [rsp + 8]; sub rsp, 8; call rax; add rsp, 8; mov rcx, [rsp + 8 + frame::STATE]);
        load_general(&mut a, registers);
        dynasm!(a; .arch x64; mov rdi, [rsp + 8 + frame::UNITS]; mov rsi, [rsp + 8 + frame::PIPELINE]; ret);
    }
    a.commit().ok()?;
    Some((a.finalize().ok()?, common))
}

/// Stores registers in the state at `rcx`.
fn store_general(a: &mut Assembler, registers: std::ops::Range<u8>) {
    for number in registers {
        dynasm!(a; .arch x64; mov [rcx + place(number)], Rd(8 + number));
    }
}

fn load_general(a: &mut Assembler, registers: std::ops::Range<u8>) {
    for number in registers {
        dynasm!(a; .arch x64; mov Rd(8 + number), [rcx + place(number)]);
    }
}

fn place(number: u8) -> i32 {
    State::GENERAL as i32 + 4 * i32::from(number)
}
