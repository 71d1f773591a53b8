//! Loops whose counter is 0 when it is first counted down, so that it wraps: `loop` with CX = 0 has 65,536 rounds.
//!
//! Looked at are LOOP, and DEC of a whole register right before a branch back that depends on its result, if they were
//! executed as often as a counter of 16 bits has values, or if the run did not succeed. A counter whose sign the loop
//! tests, or that it compares with a number below zero, is meant to get there. Not noticed: counters in memory, and in
//! registers that SUB counts down.

use iced_x86::{ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register};
use p5_results::{InstructionResult, Note, Run};
use p5_words::registers::Registers;
use rustc_hash::FxHashMap;

/// The fewest executions of what counts, unless the run did not succeed.
const FEWEST: u64 = 1 << 16;

/// The loops that are looked at, by the address of what counts down, and the first one that wraps.
#[derive(Clone)]
pub(super) struct Wrapped {
    counters: FxHashMap<u32, Counter>,
    next: Option<u32>,
    found: Option<Counter>,
}

#[derive(Clone, Copy)]
struct Counter {
    register: Register,
    line: u32,
    loops: bool,
}

impl Wrapped {
    /// Looks at those instructions of a run that count down; `None` if none does.
    pub(super) fn of(run: &Run, decoded: impl Fn(&InstructionResult) -> Instruction) -> Option<Wrapped> {
        let often = |row: &InstructionResult| row.executions >= FEWEST || !run.stop.reason.succeeds();
        let own = run.instructions.iter().filter(|row| !row.library && !row.changed);
        let own: Vec<&InstructionResult> = own.collect();
        if !own.iter().any(|row| often(row)) {
            return None;
        }
        let rows = own
            .iter()
            .filter_map(|row| Some((row.address, (decoded(row), row.outermost?.1, often(row)))));
        let rows: FxHashMap<u32, (Instruction, u32, bool)> = rows.collect();
        let mut factory = InstructionInfoFactory::new();
        let counter = |(address, (instruction, line, often)): (&u32, &(Instruction, u32, bool))| {
            if !often {
                return None;
            }
            let register = match instruction.mnemonic() {
                Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne => {
                    let used = factory.info(instruction).used_registers();
                    let mut used = used.iter().map(|used| used.register());
                    used.find(|register| matches!(register, Register::CX | Register::ECX))?
                }
                Mnemonic::Dec if instruction.op0_kind() == OpKind::Register => {
                    let (next, ..) = rows.get(&instruction.next_ip32())?;
                    let back = next.is_jcc_short_or_near() && next.near_branch32() < next.ip32();
                    let by_zero = matches!(next.condition_code(), ConditionCode::ne);
                    let register = instruction.op0_register();
                    let body = next.near_branch32()..*address;
                    let mut others = rows.iter().filter(|(at, _)| body.contains(at));
                    let meant = others.any(|(_, (one, ..))| {
                        let next = rows.get(&one.next_ip32()).map(|(next, ..)| next);
                        asks_below_zero(one, next, register)
                    });
                    (back && by_zero && !meant && register.size() > 1).then_some(register)?
                }
                _ => return None,
            };
            let loops = instruction.mnemonic() != Mnemonic::Dec;
            let line = *line;
            Some((*address, Counter { register, line, loops }))
        };
        let counters: FxHashMap<u32, Counter> = rows.iter().filter_map(counter).collect();
        (!counters.is_empty()).then_some(Wrapped {
            counters,
            next: None,
            found: None,
        })
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        let zero = |counter: &&Counter| {
            let value = registers.general[counter.register.full_register32().number()];
            value & mask(counter.register) == 0
        };
        let counter = self.counters.get(&address).filter(zero);
        self.next = counter.map(|_| address);
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        if self.next.take_if(|next| *next == address).is_some() && self.found.is_none() {
            self.found = self.counters.get(&address).copied();
        }
    }

    /// The note on the first loop whose counter wraps.
    pub(super) fn told(self) -> Option<Note> {
        self.found.map(|counter| Note::CounterWraps {
            line: counter.line,
            register: format!("{:?}", counter.register).to_lowercase(),
            loops: counter.loops,
            rounds: u64::from(mask(counter.register)) + 1,
        })
    }
}

/// Whether an instruction asks if a register is below zero: it compares it with such a number, or sets the flags by it
/// for a branch on the sign.
fn asks_below_zero(instruction: &Instruction, next: Option<&Instruction>, register: Register) -> bool {
    if instruction.op0_kind() != OpKind::Register || instruction.op0_register() != register {
        return false;
    }
    let number = || match instruction.op1_kind() {
        OpKind::Register => None,
        _ => instruction.try_immediate(1).ok().map(|number| number as i32),
    };
    let same = instruction.op1_kind() == OpKind::Register && instruction.op1_register() == register;
    let of_sign = |next: &Instruction| {
        use ConditionCode::{ge, l, ns, s};
        matches!(next.condition_code(), s | ns | l | ge)
    };
    match instruction.mnemonic() {
        Mnemonic::Cmp if number().is_some_and(|number| number < 0) => true,
        Mnemonic::Cmp => number() == Some(0) && next.is_some_and(of_sign),
        Mnemonic::Test | Mnemonic::Or | Mnemonic::And => same && next.is_some_and(of_sign),
        _ => false,
    }
}

fn mask(register: Register) -> u32 {
    if register.size() == 2 { 0xFFFF } else { u32::MAX }
}
