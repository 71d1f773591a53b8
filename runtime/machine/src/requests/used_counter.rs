//! Loops whose counter a loop inside them uses up: the most frequent reason why a first program with two loops does not
//! end.
//!
//! Not noticed: a counter that a called function uses up.

use crate::Machine;
use crate::ledger::Ledger;
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register};
use p5_results::{Note, StopReason};
use p5_words::registers::CS;
use std::ops::RangeInclusive;

/// A loop, or a repeated instruction.
struct Counted {
    /// The linear addresses of its first and its last instruction.
    addresses: RangeInclusive<u32>,
    /// The whole register that is 0 after it.
    counter: Register,
}

impl Machine<'_> {
    /// Adds a note if the run was stopped in a loop whose counter is 0 at its end in each round.
    pub(crate) fn note_used_counter(&mut self, ledger: &Ledger) {
        if !matches!(self.stop.reason, StopReason::Limit | StopReason::Timeout) {
            return;
        }
        let Some((outer, inner, counter)) = self.used_counter(ledger) else {
            return;
        };
        let (Some((_, line)), Some((_, by))) = (self.place(outer), self.place(inner)) else {
            return;
        };
        self.note(Note::CounterUsed {
            line,
            by,
            counter: format!("{counter:?}").to_lowercase(),
        });
    }

    /// The last instructions of the smallest such loop around the end of the run, and of what uses up its counter.
    fn used_counter(&self, ledger: &Ledger) -> Option<(u32, u32, Register)> {
        let code: Vec<(u32, Instruction, u32)> = ledger
            .listed()
            .iter()
            .map(|kept| {
                let (op, mode) = (&kept.op, &kept.op.mode);
                let bits = if mode.wide_code { 32 } else { 16 };
                let offset = op.address.wrapping_sub(mode.code_base);
                let instruction = Decoder::with_ip(bits, &op.bytes, u64::from(offset), DecoderOptions::NONE).decode();
                (op.address, instruction, mode.code_base)
            })
            .collect();
        let end = self
            .state
            .registers
            .eip
            .wrapping_add(self.state.registers.segments[CS].base());
        let loops: Vec<Counted> = code
            .iter()
            .enumerate()
            .filter_map(|(index, _)| counted(&code, index))
            .collect();
        let mut factory = InstructionInfoFactory::new();
        let mut keeps = |from: u32, to: u32, counter: Register| {
            let between = code.iter().filter(|(address, ..)| (from + 1..to).contains(address));
            between.into_iter().all(|(_, instruction, _)| {
                let mut used = factory.info(instruction).used_registers().iter();
                !instruction.is_call_near()
                    && !used.any(|used| writes(used.access()) && whole(used.register()) == counter)
            })
        };
        let around = loops
            .iter()
            .filter(|outer| outer.addresses.contains(&end) && outer.addresses.start() != outer.addresses.end());
        let mut found: Vec<(&Counted, u32)> = Vec::new();
        for outer in around {
            let last = *outer.addresses.end();
            let inner = loops.iter().rfind(|inner| {
                let inside = outer.addresses.contains(inner.addresses.start()) && *inner.addresses.end() < last;
                inside && inner.counter == outer.counter
            });
            let Some(inner) = inner else { continue };
            let to = outer_test(&code, last);
            if keeps(*inner.addresses.end(), to, outer.counter) {
                found.push((outer, *inner.addresses.end()));
            }
        }
        let (outer, inner) = found
            .into_iter()
            .min_by_key(|(outer, _)| outer.addresses.end() - outer.addresses.start())?;
        Some((*outer.addresses.end(), inner, outer.counter))
    }
}

/// The loop that ends with the instruction at `index` of the executed code, if its counter is 0 after it.
fn counted(code: &[(u32, Instruction, u32)], index: usize) -> Option<Counted> {
    let (address, instruction, base) = &code[index];
    if instruction.has_rep_prefix() && instruction.is_string_instruction() && !compares(instruction.mnemonic()) {
        return Some(Counted {
            addresses: *address..=*address,
            counter: Register::ECX,
        });
    }
    let counter = match instruction.mnemonic() {
        Mnemonic::Loop => Register::ECX,
        Mnemonic::Jne => {
            let (_, before, _) = index.checked_sub(1).map(|index| &code[index])?;
            let falls = before.mnemonic() == Mnemonic::Dec && before.op0_register() != Register::None;
            falls.then(|| whole(before.op0_register()))?
        }
        _ => return None,
    };
    let target = base.wrapping_add(instruction.near_branch_target() as u32);
    (target <= *address).then_some(Counted {
        addresses: target..=*address,
        counter,
    })
}

/// Where the loop that ends at `last` begins to count down: that instruction, or the DEC before it.
fn outer_test(code: &[(u32, Instruction, u32)], last: u32) -> u32 {
    let index = code.iter().position(|(address, ..)| *address == last).unwrap_or(0);
    match code[index].1.mnemonic() {
        Mnemonic::Jne => code[index.saturating_sub(1)].0,
        _ => last,
    }
}

fn compares(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{Cmpsb, Cmpsd, Cmpsw, Scasb, Scasd, Scasw};
    matches!(mnemonic, Cmpsb | Cmpsd | Cmpsw | Scasb | Scasd | Scasw)
}

fn writes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
    )
}

/// The register of 32 bits that holds `register`.
fn whole(register: Register) -> Register {
    register.full_register32()
}
