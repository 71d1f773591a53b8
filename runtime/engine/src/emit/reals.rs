//! Operations of the floating-point unit: by the unit of the host, which rounds as the program's control word says.
//!
//! Code executes loads, stores, exchanges and the arithmetic of numbers whose exponents are far from the limits. All
//! exceptions are masked meanwhile. If the host's unit raises one other than that of precision, or if a register is
//! empty that must not be, or the other way round, the operation is left to its handler.

use super::Emitter;
use super::planned::{Format, Real, Use};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Instruction, Mnemonic, Register};
use p5_meaning::exec::State;
use p5_words::facts::Circumstances;
use p5_words::fpu::{BIAS, C0, C1, C2, C3, Extended, Fpu, LastInstruction, PRECISION, TOP_SHIFT};
use std::mem::offset_of;

/// Divisions, by the reg field of their opcodes.
const DIVISIONS: [u8; 2] = [6, 7];
/// The exceptions that leave an operation to its handler: all but precision.
const UNUSUAL: i8 = 0x1F;
/// What an operation that is executed here may add to the status word.
const REPORTED: i32 = (PRECISION | C1) as i32;
/// The exponents of operands: those at which no result comes near a limit, and all are safe on every chip.
const LEAST: i32 = BIAS - 0xFFF;
const SPAN: i32 = 2 * 0xFFF;

const UNIT: i32 = State::FPU as i32;
const REGISTERS: i32 = UNIT + Fpu::PLACES.registers as i32;
const SIGN_EXPONENT: i32 = REGISTERS + Fpu::PLACES.sign_exponent as i32;
const TOP: i32 = UNIT + Fpu::PLACES.top as i32;
const EMPTY: i32 = UNIT + Fpu::PLACES.empty as i32;
const REAL: i32 = UNIT + Fpu::PLACES.real as i32;
const STATUS: i32 = UNIT + Fpu::PLACES.status as i32;
const LAST: i32 = UNIT + Fpu::PLACES.last as i32;

const _: () = assert!(
    size_of::<Extended>() == 16,
    "the number of a register is shifted by four bits"
);

impl Emitter<'_> {
    /// Prepares the host's floating-point unit again after a handler has executed operation `index`.
    pub(super) fn make_unit_ready(&mut self, index: usize) {
        use Mnemonic::{Fclex, Finit, Fldcw, Fldenv, Fnclex, Fninit, Fnsave, Fnstenv, Frstor, Fsave, Fstenv};
        let changes = matches!(
            self.source.instructions[index].mnemonic(),
            Fclex | Fnclex | Finit | Fninit | Fldcw | Fldenv | Frstor | Fsave | Fnsave | Fstenv | Fnstenv
        );
        if changes {
            let unused = self.label();
            dynasm!(self.a; .arch x64
                ; cmp DWORD [rsp + frame::HOST_CONTROL], 0; je =>unused
                ; fnclex; fldcw [rsp + frame::CONTROL]; =>unused);
        }
    }

    /// Executes operation `index`.
    pub(super) fn real(&mut self, index: usize, instruction: &Instruction, real: Real) {
        let word = self.source.plan.words[index];
        let access = match real {
            Real::Load(format) | Real::WithMemory(_, format) | Real::CompareMemory(format, _) => {
                Some((format, Use::Reads))
            }
            Real::Store(format, _) => Some((format, Use::Writes)),
            _ => None,
        };
        let needed = match real {
            Real::WithMemory(operation, _) | Real::Operate(operation, ..) if DIVISIONS.contains(&operation) => {
                frame::DIVIDES
            }
            _ => frame::COMPUTES,
        };
        let otherwise = self.label();
        dynasm!(self.a; .arch x64; mov [BYTE rsp + near::PASSED], rsi
            ; test BYTE [BYTE rsp + near::REALS], needed as i8; jz =>otherwise);
        let odd = access.map(|(format, used)| {
            self.address(instruction);
            let odd = self.access_before(word, format.size(), used, true);
            dynasm!(self.a; .arch x64; lea rdx, [rcx + rax]);
            odd
        });
        self.flags_held = false;
        dynasm!(self.a; .arch x64; mov rsi, [BYTE rsp + near::STATE]);
        match real {
            Real::Load(format) => self.load_real(format, otherwise),
            Real::LoadRegister(number) => self.load_register(number, otherwise),
            Real::Store(format, pops) => self.store_real(format, pops, otherwise),
            Real::StoreRegister(number, pops) => self.store_register(number, pops, otherwise),
            Real::Exchange(number) => self.exchange(number, otherwise),
            Real::WithMemory(operation, format) => {
                self.with_memory(operation, format, otherwise);
                self.note_circumstances(word + 1);
            }
            Real::Operate(operation, registers, pops) => {
                self.operate(operation, registers, pops, otherwise);
                self.note_circumstances(word);
            }
            Real::CompareMemory(format, pops) => self.compare(None, Some(format), pops, otherwise),
            Real::Compare(number, pops) => self.compare(Some(number), None, pops, otherwise),
            Real::StoreStatus => self.store_status(),
        }
        if real != Real::StoreStatus {
            self.note_instruction(index, access.is_some().then_some((instruction.memory_segment(), word)));
        }
        let done = self.label();
        dynasm!(self.a; .arch x64; mov rsi, [BYTE rsp + near::PASSED]; =>done);
        let by_handler = self.label();
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>otherwise; mov rsi, [BYTE rsp + near::PASSED]; jmp =>by_handler);
        });
        for label in odd.into_iter().chain([by_handler]) {
            self.otherwise(index, label, done);
        }
    }

    /// Computes in `ecx` the number in the unit of ST(`number`), and goes to `otherwise` if it is empty.
    fn held(&mut self, number: u8, otherwise: DynamicLabel) {
        self.numbered(number);
        dynasm!(self.a; .arch x64; movzx eax, BYTE [rsi + EMPTY]; bt eax, ecx; jc =>otherwise);
    }

    fn numbered(&mut self, number: u8) {
        dynasm!(self.a; .arch x64; movzx ecx, BYTE [rsi + TOP]);
        if number > 0 {
            dynasm!(self.a; .arch x64; add ecx, i32::from(number); and ecx, 7);
        }
    }

    /// Goes to `otherwise` if the exponent of register `rcx / 16` is far from that of 1.0, and it is not 0. Uses `eax`.
    fn near(&mut self, otherwise: DynamicLabel) {
        let [far, on] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64
            ; movzx eax, WORD [rsi + rcx + SIGN_EXPONENT]; and eax, 0x7FFF; sub eax, LEAST; cmp eax, SPAN
            ; ja =>far; =>on);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>far; cmp eax, -LEAST; jne =>otherwise; cmp QWORD [rsi + rcx + REGISTERS], 0; jne =>otherwise
                ; jmp =>on);
        });
    }

    /// Goes to `otherwise` if the host's unit, in which `held` values are left, has raised an exception. `eax` is its
    /// status.
    fn raised(&mut self, held: usize, otherwise: DynamicLabel) {
        let raised = self.label();
        dynasm!(self.a; .arch x64; fnstsw ax; test al, UNUSUAL; jnz =>raised);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>raised);
            for _ in 0..held {
                dynasm!(emitter.a; .arch x64; fstp st0);
            }
            dynasm!(emitter.a; .arch x64; fnclex; jmp =>otherwise);
        });
    }

    /// Reports in the program's status word what the host's one in `eax` says of precision. Uses `edx`.
    fn report(&mut self) {
        dynasm!(self.a; .arch x64
            ; movzx edx, WORD [rsi + STATUS]; and eax, REPORTED; and edx, !i32::from(C1); or eax, edx
            ; mov [rsi + STATUS], ax);
    }

    fn report_nothing(&mut self) {
        dynasm!(self.a; .arch x64; and WORD [rsi + STATUS], !C1 as i16);
    }

    /// Marks register `ecx` as one with a real. Uses `eax`.
    fn mark(&mut self) {
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [rsi + EMPTY]; btr eax, ecx; mov [rsi + EMPTY], al
            ; movzx eax, BYTE [rsi + REAL]; bts eax, ecx; mov [rsi + REAL], al);
    }

    /// Pops. Uses `eax` and `ecx`.
    fn pop_real(&mut self) {
        dynasm!(self.a; .arch x64
            ; movzx ecx, BYTE [rsi + TOP]; movzx eax, BYTE [rsi + EMPTY]; bts eax, ecx; mov [rsi + EMPTY], al
            ; inc ecx; and ecx, 7; mov [rsi + TOP], cl);
    }

    /// The number in `ecx` of the register that a push fills, which must be empty.
    fn pushed(&mut self, otherwise: DynamicLabel) {
        dynasm!(self.a; .arch x64
            ; movzx ecx, BYTE [rsi + TOP]; dec ecx; and ecx, 7; movzx eax, BYTE [rsi + EMPTY]; bt eax, ecx
            ; jnc =>otherwise);
    }

    fn load_real(&mut self, format: Format, otherwise: DynamicLabel) {
        self.pushed(otherwise);
        match format {
            Format::Single => dynasm!(self.a; .arch x64; fld DWORD [rdx]),
            Format::Double => dynasm!(self.a; .arch x64; fld QWORD [rdx]),
            Format::Word => dynasm!(self.a; .arch x64; fild WORD [rdx]),
            Format::Dword => dynasm!(self.a; .arch x64; fild DWORD [rdx]),
            Format::Qword => dynasm!(self.a; .arch x64; fild QWORD [rdx]),
        }
        if format.is_real() {
            self.raised(1, otherwise);
        }
        dynasm!(self.a; .arch x64
            ; shl ecx, 4; fstp TWORD [rsi + rcx + REGISTERS]; shr ecx, 4; mov [rsi + TOP], cl);
        self.mark();
        self.report_nothing();
    }

    fn load_register(&mut self, number: u8, otherwise: DynamicLabel) {
        self.pushed(otherwise);
        dynasm!(self.a; .arch x64; mov edx, ecx);
        self.held(number, otherwise);
        dynasm!(self.a; .arch x64
            ; shl ecx, 4; movups xmm0, [rsi + rcx + REGISTERS]; mov ecx, edx; mov [rsi + TOP], cl
            ; shl edx, 4; movups [rsi + rdx + REGISTERS], xmm0);
        self.mark();
        self.report_nothing();
    }

    /// If the unit of the host raises an exception, its handler stores the same once more.
    fn store_real(&mut self, format: Format, pops: bool, otherwise: DynamicLabel) {
        self.held(0, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4; fld TWORD [rsi + rcx + REGISTERS]);
        match format {
            Format::Single => dynasm!(self.a; .arch x64; fst DWORD [rdx]),
            _ => dynasm!(self.a; .arch x64; fst QWORD [rdx]),
        }
        self.raised(1, otherwise);
        dynasm!(self.a; .arch x64; fstp st0);
        self.report();
        if pops {
            self.pop_real();
        }
    }

    fn store_register(&mut self, number: u8, pops: bool, otherwise: DynamicLabel) {
        self.held(0, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4; movups xmm0, [rsi + rcx + REGISTERS]);
        self.numbered(number);
        dynasm!(self.a; .arch x64; mov edx, ecx; shl edx, 4; movups [rsi + rdx + REGISTERS], xmm0);
        self.mark();
        self.report_nothing();
        if pops {
            self.pop_real();
        }
    }

    fn exchange(&mut self, number: u8, otherwise: DynamicLabel) {
        self.held(number, otherwise);
        dynasm!(self.a; .arch x64; mov edx, ecx);
        self.held(0, otherwise);
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [rsi + REAL]; bts eax, ecx; bts eax, edx; mov [rsi + REAL], al
            ; shl ecx, 4; shl edx, 4; movups xmm0, [rsi + rcx + REGISTERS]; movups xmm1, [rsi + rdx + REGISTERS]
            ; movups [rsi + rcx + REGISTERS], xmm1; movups [rsi + rdx + REGISTERS], xmm0);
        self.report_nothing();
    }

    fn with_memory(&mut self, operation: u8, format: Format, otherwise: DynamicLabel) {
        // All numbers of these formats but denormal ones have safe exponents, and 0 is safe.
        let [unusual, on] = [(); 2].map(|()| self.label());
        let single = format == Format::Single;
        match single {
            true => dynasm!(self.a; .arch x64
                ; mov eax, [rdx]; shr eax, 23; and eax, 0xFF; dec eax; cmp eax, 0xFD; ja =>unusual; =>on),
            false => dynasm!(self.a; .arch x64
                ; mov eax, [rdx + 4]; shr eax, 20; and eax, 0x7FF; dec eax; cmp eax, 0x7FD; ja =>unusual; =>on),
        }
        self.aside(move |emitter| {
            match single {
                true => dynasm!(emitter.a; .arch x64; =>unusual; mov eax, [rdx]; add eax, eax; jnz =>otherwise),
                false => dynasm!(emitter.a; .arch x64
                    ; =>unusual; mov eax, [rdx + 4]; add eax, eax; or eax, [rdx]; jnz =>otherwise),
            }
            dynasm!(emitter.a; .arch x64; jmp =>on);
        });
        self.held(0, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4);
        self.near(otherwise);
        dynasm!(self.a; .arch x64; fld TWORD [rsi + rcx + REGISTERS]);
        // The operand is at RDX.
        let opcode = if format == Format::Single { 0xD8 } else { 0xDC };
        self.a.extend(&[opcode, operation << 3 | 2]);
        self.raised(1, otherwise);
        dynasm!(self.a; .arch x64; fstp TWORD [rsi + rcx + REGISTERS]);
        self.report();
        dynasm!(self.a; .arch x64
            ; shr ecx, 4; movzx eax, BYTE [rsi + REAL]; bts eax, ecx; mov [rsi + REAL], al);
    }

    fn operate(&mut self, operation: u8, [destination, source]: [u8; 2], pops: bool, otherwise: DynamicLabel) {
        self.held(source, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4);
        self.near(otherwise);
        dynasm!(self.a; .arch x64; mov edx, ecx);
        self.held(destination, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4);
        self.near(otherwise);
        dynasm!(self.a; .arch x64; fld TWORD [rsi + rdx + REGISTERS]; fld TWORD [rsi + rcx + REGISTERS]);
        // The destination is ST(0), the source ST(1).
        self.a.extend(&[0xD8, 0xC0 | operation << 3 | 1]);
        self.raised(2, otherwise);
        dynasm!(self.a; .arch x64; fstp TWORD [rsi + rcx + REGISTERS]; fstp st0);
        self.report();
        dynasm!(self.a; .arch x64
            ; shr ecx, 4; movzx eax, BYTE [rsi + REAL]; bts eax, ecx; mov [rsi + REAL], al);
        if pops {
            self.pop_real();
        }
    }

    /// Compares ST(0) with register `number` or with what is at `rdx`.
    fn compare(&mut self, number: Option<u8>, format: Option<Format>, pops: u8, otherwise: DynamicLabel) {
        if let Some(number) = number {
            self.held(number, otherwise);
            dynasm!(self.a; .arch x64; mov edx, ecx; shl edx, 4);
        }
        self.held(0, otherwise);
        dynasm!(self.a; .arch x64; shl ecx, 4);
        if number.is_some() {
            dynasm!(self.a; .arch x64; fld TWORD [rsi + rdx + REGISTERS]; fld TWORD [rsi + rcx + REGISTERS]; fcompp);
        } else {
            dynasm!(self.a; .arch x64; fld TWORD [rsi + rcx + REGISTERS]);
            match format {
                Some(Format::Single) => dynasm!(self.a; .arch x64; fcomp DWORD [rdx]),
                _ => dynasm!(self.a; .arch x64; fcomp QWORD [rdx]),
            }
        }
        self.raised(0, otherwise);
        dynasm!(self.a; .arch x64
            ; movzx edx, WORD [rsi + STATUS]; and eax, i32::from(C0 | C2 | C3); and edx, !i32::from(C0 | C1 | C2 | C3)
            ; or eax, edx; mov [rsi + STATUS], ax);
        for _ in 0..pops {
            self.pop_real();
        }
    }

    /// Stores the status word, with the top, in AX.
    fn store_status(&mut self) {
        dynasm!(self.a; .arch x64
            ; movzx eax, WORD [rsi + STATUS]; movzx ecx, BYTE [rsi + TOP]; shl ecx, TOP_SHIFT as i8; or eax, ecx
            ; mov r8w, ax);
    }

    /// The circumstances of an operation on numbers with safe exponents: the precision.
    fn note_circumstances(&mut self, word: usize) {
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [rsp + frame::CONTROL + 1]; and eax, Circumstances::PRECISION as i32
            ; mov [rbp + 4 * word as i32], eax);
    }

    /// Notes operation `index` as the last one of the unit, and its operand, whose segment and fact word are given.
    fn note_instruction(&mut self, index: usize, operand: Option<(Register, usize)>) {
        let address = self.source.instructions[index].ip32() as i32;
        let opcode = self.source.operations[index].noted_opcode() as i16;
        let last = |offset: usize| LAST + offset as i32;
        dynasm!(self.a; .arch x64
            ; mov eax, [rsp + frame::SELECTORS]
            ; mov [rsi + last(offset_of!(LastInstruction, code_selector))], ax
            ; mov eax, address; sub eax, [rsp + frame::CODE_BASE]
            ; mov [rsi + last(offset_of!(LastInstruction, code_offset))], eax
            ; mov WORD [rsi + last(offset_of!(LastInstruction, opcode))], opcode);
        if let Some((segment, word)) = operand {
            let selector = match segment {
                Register::ES => 1,
                Register::SS => 2,
                _ => 3,
            };
            dynasm!(self.a; .arch x64
                ; mov eax, [rsp + frame::SELECTORS + 4 * selector]
                ; mov [rsi + last(offset_of!(LastInstruction, data_selector))], ax
                ; mov eax, [rbp + 4 * word as i32]
                ; mov [rsi + last(offset_of!(LastInstruction, data_offset))], eax);
        }
    }
}
