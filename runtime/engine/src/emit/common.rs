//! The code that all blocks share: entering and leaving compiled code, and calls of the engine's functions.

use super::Assembler;
use super::hits::{self, Hits};
use super::late;
use super::misses::{self, Misses};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_meaning::exec::State;
use p5_timing::pipeline::{After, Places};
use std::mem::offset_of;

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
    /// The same for a function that does not see the program's registers, and with the state of the pipeline in memory.
    pub(crate) call_time: usize,
    /// Brings the state of the pipeline in memory up to date, and loads `rsi` with its address.
    pub(crate) settle: usize,
    /// Lets a block be replayed in the usual way although the front end may not be ahead of it. See `late`.
    pub(crate) catch_up: usize,
    /// The routines for accesses that miss or wait; `None` if functions make all of them.
    pub(crate) misses: Option<Misses>,
    /// The routines for accesses that hit; `None` if no line is ever plain.
    pub(crate) hits: Option<Hits>,
}

/// Generates the shared code for address `base`.
pub(crate) fn common(base: usize, places: &Places) -> Option<(Vec<u8>, Common)> {
    let mut a = Assembler::new(base);
    let mut common = Common::default();
    let here = |a: &Assembler| base + a.offset().0;
    let [ready, left, settle] = [(); 3].map(|()| a.new_dynamic_label());
    common.enter = here(&a);
    dynasm!(a; .arch x64
        ; push rbx; push rbp; push r12; push r13; push r14; push r15; push rdi
        ; sub rsp, frame::SIZE; mov rax, rsi);
    for part in 0..frame::SIZE / 16 {
        dynasm!(a; .arch x64; movups xmm0, [rdi + part * 16]; movups [rsp + part * 16], xmm0);
    }
    // The host's unit computes as the program's does, and its flags tell what an operation raises.
    dynasm!(a; .arch x64
        ; cmp DWORD [BYTE rsp + near::REALS], 0; je =>ready
        ; fnstcw [rsp + frame::HOST_CONTROL]; fnclex; fldcw [rsp + frame::CONTROL]
        ; =>ready
        ; mov rcx, [BYTE rsp + near::STATE]);
    load_general(&mut a, 0..8);
    dynasm!(a; .arch x64
        ; mov rbx, [rsp + frame::END]; mov rbp, [rsp + frame::WORDS]; mov rdi, [rsp + frame::UNITS]
        ; xor esi, esi; jmp rax);
    common.exit = here(&a);
    dynasm!(a; .arch x64
        ; mov [rsp + frame::KIND], eax; mov [rsp + frame::UNIT], ecx; mov [rsp + frame::ARGUMENT], edx
        ; call =>settle; mov [rsp + frame::END], rbx
        ; cmp DWORD [rsp + frame::HOST_CONTROL], 0; je =>left; fldcw [rsp + frame::HOST_CONTROL]
        ; =>left
        ; mov rcx, [BYTE rsp + near::STATE]);
    store_general(&mut a, 0..8);
    dynasm!(a; .arch x64; mov rdi, [rsp + frame::SIZE]);
    for part in 0..frame::SIZE / 16 {
        dynasm!(a; .arch x64; movups xmm0, [rsp + part * 16]; movups [rdi + part * 16], xmm0);
    }
    dynasm!(a; .arch x64
        ; add rsp, frame::SIZE; pop rdi; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx; ret);
    // A call has moved the stack by eight bytes; the next one is aligned.
    common.call_meaning = here(&a);
    call_function(&mut a, 8, frame::PASSED);
    common.call_time = here(&a);
    call_function(&mut a, 4, frame::PIPELINE);
    common.settle = here(&a);
    settle_state(&mut a, settle, places);
    common.catch_up = here(&a);
    late::catch_up(&mut a, places);
    common.hits = hits::routines(&mut a, base, places);
    common.misses = misses::routines(&mut a, base, places);
    a.commit().ok()?;
    Some((a.finalize().ok()?, common))
}

/// The routine that brings the state of the pipeline up to date.
fn settle_state(a: &mut Assembler, label: DynamicLabel, places: &Places) {
    let [on, stays, wrong, apply, done, delayed, met, again] = [(); 8].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; =>label
        ; mov rax, rsi; mov rsi, [rsp + 8 + frame::PIPELINE]
        ; mov rcx, [rsp + 8 + frame::DUE]; mov [rsp + 8 + frame::USUAL_UNTIL], rcx
        ; mov [rsp + 8 + frame::WAITING_UNTIL], rcx; mov DWORD [rsp + 8 + frame::MET_SLOT], 0
        ; mov ecx, eax; and ecx, frame::MOST_PASSED as i32; cmp ecx, frame::DELAYED as i32; je =>delayed
        ; cmp ecx, frame::MET as i32; je =>met
        ; =>again
        ; test rax, rax; jz =>done; cmp rax, frame::STAYS as i32; je =>stays
        ; mov rcx, [rsp + 8 + frame::GROUPS]; add [rsi + places.groups], rcx; mov QWORD [rsp + 8 + frame::GROUPS], 0
        // A wait for the group before is that of the front end, too.
        ; cmp BYTE [rsp + 8 + frame::INTERLOCKED], 0; je =>on
        ; mov QWORD [rsi + places.refill], 0; mov QWORD [rsi + places.code_walk], 0
        ; mov BYTE [rsp + 8 + frame::INTERLOCKED], 0
        ; =>on; mov rdx, [rsp + 8 + frame::AFTERS]; call =>apply
        ; movzx eax, BYTE [rcx + after(offset_of!(After, stays))]; add [rsi + places.code_reads], rax
        ; mov eax, [rcx + after(offset_of!(After, penalty))]; test eax, eax; jnz =>wrong
        ; =>done; cmp DWORD [rsp + 8 + frame::MET_SLOT], 0; jne >after_met; ret
        ; =>stays; inc QWORD [rsi + places.code_reads]; jmp =>done
        // The next group has not been issued, so that nobody has waited for it.
        ; =>wrong
        ; sub rbx, rax; mov [rsi + places.refill], rax
        ; lea rax, [rbx + rax - (places.stages as i32)]; mov [rsi + places.ready], rax
        ; mov QWORD [rsi + places.code_walk], 0; mov BYTE [rsp + 8 + frame::LATE], 1
        ; mov rax, [rsi + places.groups]; mov [rsi + places.mispredicted], rax
        ; mov eax, [rcx + after(offset_of!(After, op))]; mov [rsi + places.refill_op], eax
        ; imul rax, rax, places.statistics as i32; add rax, [rsp + 8 + frame::STATISTICS]
        ; mov ecx, [rcx + after(offset_of!(After, penalty))]; sub [rax + places.mispredictions as i32], ecx
        ; ret
        // The state in memory is that after the misprediction.
        ; =>delayed
        ; mov rcx, [rsi + places.refill]; sub rbx, rcx
        ; mov BYTE [rsp + 8 + frame::LATE], 1; mov BYTE [rsp + 8 + frame::INTERLOCKED], 0
        ; mov edx, [rsi + places.refill_op]; imul rdx, rdx, places.statistics as i32
        ; add rdx, [rsp + 8 + frame::STATISTICS]; sub [rdx + places.mispredictions as i32], ecx
        ; shr rax, frame::PASSED_BITS as i8; jmp =>again
        // That of the replays before the group that has met an entry follows first.
        ; =>met; mov DWORD [rsp + 8 + frame::MET_SLOT], 1; shr rax, frame::PASSED_BITS as i8; jmp =>again
        ; after_met:
        ; mov DWORD [rsp + 8 + frame::MET_SLOT], 0
        ; sub rbx, places.met as i32; mov QWORD [rsi + places.refill], places.met as i32
        ; lea rax, [rbx + places.met as i32 - places.stages as i32]; mov [rsi + places.ready], rax
        ; mov BYTE [rsp + 8 + frame::LATE], 1
        ; mov rax, [rsi + places.groups]; inc rax; mov [rsi + places.mispredicted], rax
        ; mov eax, [rsp + 8 + frame::MET_OP]; mov [rsi + places.refill_op], eax
        ; imul rax, rax, places.statistics as i32; add rax, [rsp + 8 + frame::STATISTICS]
        ; sub DWORD [rax + places.mispredictions as i32], places.met as i32
        // It has met the entry already.
        ; mov BYTE [rsi + places.last_branched], 0
        ; ret);
    apply_afters(a, apply, places);
}

fn after(place: usize) -> i32 {
    place as i32
}

/// The routine that applies the usual replays in `rax` to the state of the pipeline, with the table that says what they
/// do at `rdx`. The last one is at `rcx` afterwards. It calls itself for those before a replay of few groups.
fn apply_afters(a: &mut Assembler, label: DynamicLabel, places: &Places) {
    let [full, alone, plainly, one, held, common, longer] = [(); 7].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; =>label; mov ecx, eax; and ecx, frame::MOST_PASSED as i32
        ; shl ecx, size_of::<After>().trailing_zeros() as i8; add rcx, rdx
        ; cmp BYTE [rcx + after(offset_of!(After, groups))], After::ALL as i8; jae =>full
        ; shr rax, frame::PASSED_BITS as i8; jz =>alone; push rcx; call =>label
        ; cmp DWORD [rcx + after(offset_of!(After, penalty))], 0; je =>plainly
        // The first group after a misprediction has entered D1 and D2 as early as it could.
        ; mov QWORD [rsi + places.busy], 1; mov QWORD [rsi + places.lead], 1; mov BYTE [rsi + places.holds], 0
        ; =>plainly; pop rcx
        ; =>alone; cmp BYTE [rcx + after(offset_of!(After, groups))], 1; je =>one; jb =>held
        ; mov rax, [rsi + places.busy]; cmp BYTE [rsi + places.holds], 0; push rdx; mov edx, 1; cmovne rax, rdx; pop rdx
        ; push rdx; mov edx, [rcx + after(offset_of!(After, ahead))]; add rax, rdx; mov [rsi + places.ahead], rax
        ; mov edx, [rcx + after(offset_of!(After, lead))]; mov [rsi + places.lead], rdx; pop rdx
        ; mov eax, [rcx + after(offset_of!(After, previous_u))]; mov [rsi + places.previous_u], eax; jmp =>common
        ; =>one
        ; push rdx; mov rax, [rsi + places.busy]; mov edx, [rcx + after(offset_of!(After, lead))]; push rax
        ; add rax, [rsi + places.lead]; add rax, rdx; mov [rsi + places.ahead], rax; pop rax
        ; push rdx; mov edx, 1; cmp BYTE [rsi + places.holds], 0; cmovne rax, rdx; pop rdx
        ; add rax, rdx; mov [rsi + places.lead], rax; pop rdx
        ; mov eax, [rsi + places.last_u]; mov [rsi + places.previous_u], eax; jmp =>common
        ; =>full
        ; mov eax, [rcx + after(offset_of!(After, lead))]; mov [rsi + places.lead], rax
        ; mov eax, [rcx + after(offset_of!(After, ahead))]; mov [rsi + places.ahead], rax
        ; mov eax, [rcx + after(offset_of!(After, previous_u))]; mov [rsi + places.previous_u], eax
        ; =>common
        ; mov eax, [rcx + after(offset_of!(After, busy))]; mov [rsi + places.busy], rax
        ; mov eax, [rcx + after(offset_of!(After, last_u))]; mov [rsi + places.last_u], eax
        ; mov eax, [rcx + after(offset_of!(After, line))]; mov [rsi + places.line], eax
        ; mov al, [rcx + after(offset_of!(After, holds))]; mov [rsi + places.holds], al
        ; mov al, [rcx + after(offset_of!(After, branched))]; mov [rsi + places.last_branched], al
        ; mov rax, [rcx + after(offset_of!(After, longer))]; test rax, rax; jnz =>longer
        ; =>held; ret
        // Accesses have waited.
        ; =>longer
        ; push rdx; mov edx, [rax]; add [rsi + places.busy], rdx; mov edx, [rax + 4]; add [rsi + places.lead], rdx
        ; mov edx, [rax + 8]; add [rsi + places.ahead], rdx; pop rdx; ret);
}

/// The routine that calls the function at `rax` with the frame: the first `registers` are those of the state meanwhile,
/// and `rsi` is what the frame holds at `then` after it.
fn call_function(a: &mut Assembler, registers: u8, then: i32) {
    dynasm!(a; .arch x64; mov rcx, [rsp + 8 + frame::STATE]);
    store_general(a, 0..registers);
    dynasm!(a; .arch x64
        ; lea rdi, [rsp + 8]; sub rsp, 8; call rax; add rsp, 8; mov rcx, [rsp + 8 + frame::STATE]);
    load_general(a, 0..registers);
    dynasm!(a; .arch x64; mov rdi, [rsp + 8 + frame::UNITS]; mov rsi, [rsp + 8 + then]; ret);
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
