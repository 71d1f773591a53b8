//! Operations of the floating-point unit: by the unit of the host, which rounds as the program's control word says.
//!
//! Code executes loads, stores, exchanges and the arithmetic of numbers whose exponents are far from the limits. All
//! exceptions are masked meanwhile.
//!
//! Within a run of such operations, the host's unit holds the registers of the program that they use: `unit` knows
//! which, `held` moves them, `arithmetic` computes with them. Whether registers are full or empty as the run needs it
//! is checked where it begins. The state in memory is brought up to date where the run ends, and before an operation
//! that is not as code expects it: with a number far from 1.0, or with an exception other than that of precision. The
//! handlers then execute the rest of the block.

mod arithmetic;
mod held;
mod unit;

pub(super) use unit::Unit;

use super::Emitter;
use super::planned::{Format, How, Own, Planned, Real, Use};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Instruction, Mnemonic};
use p5_meaning::exec::State;
use p5_words::fpu::{C1, CONTROL_DEFINED, CONTROL_FIXED, EXCEPTIONS, Fpu, PRECISION, TOP_SHIFT};
use unit::{Held, Run, Unreported};

/// The exceptions that leave an operation to its handler: all but precision.
const UNUSUAL: i8 = 0x1F;
/// What an operation that is executed here may add to the status word.
const REPORTED: i32 = (PRECISION | C1) as i32;

const UNIT: i32 = State::FPU as i32;
const REGISTERS: i32 = UNIT + Fpu::PLACES.registers as i32;
const SIGN_EXPONENT: i32 = REGISTERS + Fpu::PLACES.sign_exponent as i32;
const TOP: i32 = UNIT + Fpu::PLACES.top as i32;
const EMPTY: i32 = UNIT + Fpu::PLACES.empty as i32;
const REAL: i32 = UNIT + Fpu::PLACES.real as i32;
const CONTROL: i32 = UNIT + Fpu::PLACES.control as i32;
const STATUS: i32 = UNIT + Fpu::PLACES.status as i32;
const LAST: i32 = UNIT + Fpu::PLACES.last as i32;

/// The operations of the unit in a block that code executes, as runs.
pub(super) struct Runs {
    /// The first and the last operation of each, and what it needs.
    runs: Vec<(usize, usize, Run)>,
}

impl Runs {
    /// Divides the operations of a block. One that would find a register empty or full that must not be is left to its
    /// handler.
    pub(super) fn of(planned: &mut [Planned]) -> Runs {
        let mut runs: Vec<(usize, usize, Run)> = Vec::new();
        let mut goes_on = false;
        for (index, Planned { how, .. }) in planned.iter_mut().enumerate() {
            match *how {
                How::Own(Own::Real(real)) => {
                    if !goes_on {
                        runs.push((index, index, Run::default()));
                        goes_on = true;
                    }
                    let added = runs.last_mut().is_some_and(|(_, last, run)| {
                        let added = run.add(real);
                        if added {
                            *last = index;
                        }
                        added
                    });
                    if !added {
                        *how = How::Handler;
                        goes_on = false;
                        runs.pop_if(|(first, ..)| *first == index);
                    }
                }
                How::Handler => goes_on = false,
                How::Host(..) | How::Own(_) => {}
            }
        }
        Runs { runs }
    }

    /// The run that begins with operation `index`.
    pub(super) fn beginning(&self, index: usize) -> Option<Run> {
        self.runs
            .iter()
            .find(|(first, ..)| *first == index)
            .map(|(.., run)| *run)
    }

    /// Whether a run ends with operation `index`.
    pub(super) fn ends(&self, index: usize) -> bool {
        self.runs.iter().any(|(_, last, _)| *last == index)
    }
}

impl Emitter<'_> {
    /// Prepares the host's floating-point unit again after a handler has executed operation `index`.
    pub(super) fn make_unit_ready(&mut self, index: usize) {
        use Mnemonic::{Fclex, Finit, Fldcw, Fldenv, Fnclex, Fninit, Fnsave, Fnstenv, Frstor, Fsave, Fstenv};
        let changes = matches!(
            self.source.instructions[index].mnemonic(),
            Fclex | Fnclex | Finit | Fninit | Fldcw | Fldenv | Frstor | Fsave | Fnsave | Fstenv | Fnstenv
        );
        if changes {
            self.take_control();
        }
    }

    /// Gives the host's unit the control word of the program's, and no exceptions, if code uses it.
    fn take_control(&mut self) {
        let unused = self.label();
        dynasm!(self.a; .arch x64
            ; cmp DWORD [rsp + frame::HOST_CONTROL], 0; je =>unused; fnclex; fldcw [rsp + frame::CONTROL]; =>unused);
    }

    /// Begins a run of operations with operation `index`.
    pub(super) fn begin_run(&mut self, index: usize, run: Run) {
        let otherwise = self.rest_from(index);
        self.flags_held = false;
        dynasm!(self.a; .arch x64; test BYTE [BYTE rsp + near::REALS], frame::COMPUTES as i8; jz =>otherwise);
        let known = run.full | run.empty;
        if known != 0 {
            dynasm!(self.a; .arch x64
                ; mov rdx, [BYTE rsp + near::STATE]; movzx ecx, BYTE [rdx + TOP]; movzx eax, BYTE [rdx + EMPTY]
                ; ror al, cl);
            if known != u8::MAX {
                dynasm!(self.a; .arch x64; and al, known as i8);
            }
            dynasm!(self.a; .arch x64; cmp al, run.empty as i8; jne =>otherwise);
        }
        self.unit = Unit::of(run);
    }

    /// Ends the run: the state in memory is that of the program.
    pub(super) fn end_run(&mut self) {
        let unit = std::mem::take(&mut self.unit);
        self.store_unit(&unit);
        self.flags_held = false;
    }

    /// A place where the handlers execute the block from operation `index` on, with what the host holds now.
    fn rest_from(&mut self, index: usize) -> DynamicLabel {
        let label = self.label();
        self.rest_at(label, index);
        label
    }

    /// The same at `label`.
    fn rest_at(&mut self, label: DynamicLabel, index: usize) {
        self.rest_after(label, index, 0);
    }

    /// The same if the host holds `more` values that are not needed.
    fn rest_after(&mut self, label: DynamicLabel, index: usize, more: usize) {
        let unit = self.unit.clone();
        let resumed = *self.resumed.get_or_insert_with(|| self.a.new_dynamic_label());
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>label);
            for _ in 0..more {
                dynasm!(emitter.a; .arch x64; fstp st0);
            }
            emitter.store_unit(&unit);
            emitter.call_handlers(index);
            emitter.take_control();
            dynasm!(emitter.a; .arch x64; jmp =>resumed);
        });
    }

    /// Executes operation `index`.
    pub(super) fn real(&mut self, index: usize, instruction: &Instruction, real: Real) {
        let word = self.source.plan.words[index];
        let access = match real {
            Real::Load(format) | Real::WithMemory(_, format) | Real::CompareMemory(format, _) => {
                Some((format, Use::Reads))
            }
            Real::Store(format, _) | Real::StoreInteger(format, _) => Some((format, Use::Writes)),
            Real::LoadControl => Some((Format::Word, Use::Reads)),
            Real::StoreControl => Some((Format::Word, Use::Writes)),
            _ => None,
        };
        self.flags_held = false;
        if real == Real::LoadControl {
            // The operations so far had the precision of the old one.
            let words = std::mem::take(&mut self.unit.words);
            self.note_circumstances(&words);
        }
        if let Some((format, used)) = access {
            // First of all: if the access fails, nothing has changed.
            self.address(instruction);
            let odd = self.access_before(word, format.size(), used, true);
            self.rest_at(odd, index);
            dynasm!(self.a; .arch x64; lea rdx, [rcx + rax]);
        }
        match real {
            Real::Load(format) => self.load_real(index, format),
            Real::LoadRegister(number) => self.load_register(index, number),
            Real::Constant(opcode) => self.load_constant(opcode),
            Real::Store(format, pops) => self.store_real(index, format, true, pops),
            Real::StoreInteger(format, pops) => self.store_real(index, format, false, pops),
            Real::StoreRegister(number, pops) => self.store_register(number, pops),
            Real::Exchange(number) => self.exchange(index, number),
            Real::Sign(opcode) => self.change_sign(opcode),
            Real::WithMemory(operation, format) => {
                self.with_memory(index, operation, format);
                self.unit.words.push(word + 1);
            }
            Real::Operate(operation, registers, pops) => {
                self.operate(index, operation, registers, pops);
                self.unit.words.push(word);
            }
            Real::CompareMemory(format, pops) => self.compare(index, None, Some(format), pops),
            Real::Compare(number, pops) => self.compare(index, Some(number), None, pops),
            Real::StoreStatus => return self.store_status(),
            Real::LoadControl => return self.load_control(index),
            Real::StoreControl => {
                return dynasm!(self.a; .arch x64; mov eax, [rsp + frame::CONTROL]; mov [rdx], ax);
            }
        }
        self.unit.last = Some(index);
        if access.is_some() {
            self.unit.operand = Some((instruction.memory_segment(), word));
        }
    }

    /// Goes to `otherwise` unless the number at `rdx` is 0 or normal. All normal numbers of these formats have safe
    /// exponents.
    fn is_normal(&mut self, format: Format, otherwise: DynamicLabel) {
        let [unusual, on] = [(); 2].map(|()| self.label());
        let single = format == Format::Single;
        match single {
            true => dynasm!(self.a; .arch x64
                ; mov eax, [rdx]; shr eax, 23; dec al; cmp al, BYTE 0xFD_u8 as i8; ja =>unusual; =>on),
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
    }

    fn load_real(&mut self, index: usize, format: Format) {
        if format.is_real() {
            let otherwise = self.rest_from(index);
            self.is_normal(format, otherwise);
        }
        self.push_place(&[]);
        match format {
            Format::Single => dynasm!(self.a; .arch x64; fld DWORD [rdx]),
            Format::Double => dynasm!(self.a; .arch x64; fld QWORD [rdx]),
            Format::Word => dynasm!(self.a; .arch x64; fild WORD [rdx]),
            Format::Dword => dynasm!(self.a; .arch x64; fild DWORD [rdx]),
            Format::Qword => dynasm!(self.a; .arch x64; fild QWORD [rdx]),
        }
        self.pushed(format.distance());
    }

    fn load_register(&mut self, index: usize, number: u8) {
        let from = self.unit.number(number);
        self.bring(index, from, true, &[from]);
        self.push_place(&[from]);
        let place = self.unit.place(from).unwrap_or_default();
        self.a.extend(&[0xD9, 0xC0 | place as u8]);
        let distance = self.unit.held[place].distance;
        self.pushed(distance);
    }

    /// FLDZ and FLD1, whose second opcode byte is `opcode`.
    fn load_constant(&mut self, opcode: u8) {
        self.push_place(&[]);
        self.a.extend(&[0xD9, opcode]);
        self.pushed(0);
    }

    /// Notes that the host's ST(0) is what a push of the program has filled.
    fn pushed(&mut self, distance: u32) {
        self.unit.pushes();
        let number = self.unit.top;
        self.unit.held.insert(
            0,
            Held {
                number,
                distance,
                stored: false,
            },
        );
        self.unit.clears();
    }

    /// If the unit of the host raises an exception, the handler stores the same once more.
    fn store_real(&mut self, index: usize, format: Format, real: bool, pops: bool) {
        let top = self.unit.top;
        self.bring(index, top, false, &[top]);
        if format == Format::Qword {
            self.make_room(1, &[top]);
        }
        self.bring_front(top);
        match (format, real) {
            (Format::Single, _) => dynasm!(self.a; .arch x64; fst DWORD [rdx]),
            (Format::Double, _) => dynasm!(self.a; .arch x64; fst QWORD [rdx]),
            (Format::Word, _) => dynasm!(self.a; .arch x64; fist WORD [rdx]),
            (Format::Dword, _) => dynasm!(self.a; .arch x64; fist DWORD [rdx]),
            // The host has this with a pop only.
            (Format::Qword, _) => dynasm!(self.a; .arch x64; fld st0; fistp QWORD [rdx]),
        }
        self.raised(index, 0);
        self.report();
        if pops {
            self.unit.pops();
        }
    }

    fn store_register(&mut self, number: u8, pops: bool) {
        let (top, to) = (self.unit.top, self.unit.number(number));
        if number > 0 {
            self.copy(top, to);
        }
        self.unit.fills(to);
        self.unit.clears();
        if pops {
            self.unit.pops();
        }
    }

    fn exchange(&mut self, index: usize, number: u8) {
        let (top, other) = (self.unit.top, self.unit.number(number));
        self.bring(index, top, true, &[top, other]);
        self.bring(index, other, true, &[top, other]);
        for held in &mut self.unit.held {
            if top != other && (held.number == top || held.number == other) {
                held.number ^= top ^ other;
                held.stored = false;
            }
        }
        self.unit.fills(top);
        self.unit.fills(other);
        self.unit.clears();
    }

    /// FCHS and FABS, whose second opcode byte is `opcode`.
    fn change_sign(&mut self, opcode: u8) {
        let top = self.unit.top;
        self.bring_any(top);
        self.bring_front(top);
        self.a.extend(&[0xD9, opcode]);
        self.unit.held[0].stored = false;
        self.unit.fills(top);
        self.unit.clears();
    }

    /// Loads the control word at `rdx`.
    fn load_control(&mut self, index: usize) {
        let otherwise = self.rest_from(index);
        let (masked, defined, fixed) = (EXCEPTIONS, CONTROL_DEFINED, CONTROL_FIXED);
        dynasm!(self.a; .arch x64
            ; movzx eax, WORD [rdx]; mov ecx, eax; not ecx; test ecx, i32::from(masked); jnz =>otherwise
            ; and eax, i32::from(defined); or eax, i32::from(fixed)
            ; mov rdx, [BYTE rsp + near::STATE]; mov [rdx + CONTROL], ax; mov [rsp + frame::CONTROL], eax
            ; fldcw [rsp + frame::CONTROL]);
    }

    /// Stores the status word, with the top, in AX.
    fn store_status(&mut self) {
        let unit = self.unit.clone();
        self.report_unreported(&unit);
        self.unit.unreported = Unreported::Nothing;
        dynasm!(self.a; .arch x64
            ; mov rdx, [BYTE rsp + near::STATE]
            ; movzx eax, WORD [rdx + STATUS]; movzx ecx, BYTE [rdx + TOP]);
        if unit.top > 0 {
            dynasm!(self.a; .arch x64; add ecx, i32::from(unit.top); and ecx, 7);
        }
        dynasm!(self.a; .arch x64; shl ecx, TOP_SHIFT as i8; or eax, ecx; mov r8w, ax);
    }
}
