//! Loops whose counter a loop inside them uses up: the most frequent reason why a first program with two loops does not
//! end.
//!
//! Not noticed: a counter that a called function uses up.

use crate::Machine;
use crate::ledger::Ledger;
use iced_x86::{CodeSize, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register};
use p5_results::{Note, StopReason};
use std::ops::RangeInclusive;

/// The loops around the end of a run that are examined, the smallest first.
const MOST_AROUND: usize = 64;

/// An executed instruction.
struct Executed {
    address: u32,
    instruction: Instruction,
    /// The linear address of offset 0 of its code segment.
    base: u32,
}

/// A loop, or a repeated instruction.
struct Counted {
    /// The linear addresses of its first and its last instruction.
    addresses: RangeInclusive<u32>,
    /// Where it counts down: its last instruction, or the one before that.
    counts_at: u32,
    /// The register that is 0 after it.
    counter: Register,
}

impl Counted {
    fn bytes(&self) -> u32 {
        self.addresses.end() - self.addresses.start()
    }

    /// Whether a branch in it leads elsewhere, so that its counter may not be 0 after it.
    fn is_left(&self, code: &[Executed]) -> bool {
        let within = |address: u32| self.addresses.contains(&address);
        let first = code.partition_point(|one| one.address < *self.addresses.start());
        let mut body = code[first..].iter().take_while(|one| within(one.address));
        body.any(|one| {
            let instruction = &one.instruction;
            let leaves = instruction.is_jcc_short_or_near() || instruction.is_jmp_short_or_near();
            leaves && !within(one.base.wrapping_add(instruction.near_branch_target() as u32))
        })
    }

    fn is_inside(&self, outer: &Counted) -> bool {
        outer.addresses.contains(self.addresses.start()) && self.addresses.end() < outer.addresses.end()
    }
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
        let decoded = ledger.listed().into_iter().map(|kept| {
            let (op, mode) = (&kept.op, &kept.op.mode);
            let offset = u64::from(op.address.wrapping_sub(mode.code_base));
            Executed {
                address: op.address,
                instruction: Decoder::with_ip(mode.bits(), &op.bytes, offset, DecoderOptions::NONE).decode(),
                base: mode.code_base,
            }
        });
        let code: Vec<Executed> = decoded.collect();
        let end = self.state.registers.eip;
        let loops: Vec<Counted> = (0..code.len()).filter_map(|index| counted(&code, index)).collect();
        let around = loops
            .iter()
            .filter(|outer| outer.addresses.contains(&end) && outer.bytes() > 0);
        let mut around: Vec<&Counted> = around.collect();
        around.sort_by_key(|outer| outer.bytes());
        let mut factory = InstructionInfoFactory::new();
        around.into_iter().take(MOST_AROUND).find_map(|outer| {
            let of_counter = |inner: &&Counted| {
                inner.is_inside(outer) && same(inner.counter, outer.counter) && !inner.is_left(&code)
            };
            let inner = *loops.iter().rfind(of_counter)?.addresses.end();
            let between = code
                .iter()
                .filter(|one| one.address > inner && one.address < outer.counts_at);
            let mut sets = between.filter(|one| {
                let used = factory.info(&one.instruction).used_registers();
                let mut written = used.iter().filter(|used| writes(used.access()));
                one.instruction.is_call_near() || written.any(|used| same(used.register(), outer.counter))
            });
            (sets.next().is_none()).then_some((*outer.addresses.end(), inner, outer.counter))
        })
    }
}

/// The loop that ends with the instruction at `index` of the executed code, if its counter is 0 after it.
fn counted(code: &[Executed], index: usize) -> Option<Counted> {
    let Executed {
        address,
        instruction,
        base,
    } = &code[index];
    let wide = |width: CodeSize| {
        if width == CodeSize::Code16 {
            Register::CX
        } else {
            Register::ECX
        }
    };
    if instruction.has_rep_prefix() && instruction.is_string_instruction() && !compares(instruction.mnemonic()) {
        return Some(Counted {
            addresses: *address..=*address,
            counts_at: *address,
            counter: wide(instruction.code_size()),
        });
    }
    let (counts_at, counter) = match instruction.mnemonic() {
        Mnemonic::Loop => (*address, wide(instruction.code_size())),
        Mnemonic::Jne => {
            let before = &code[index.checked_sub(1)?];
            let counter = before.instruction.op0_register();
            let counts = before.instruction.mnemonic() == Mnemonic::Dec && counter.is_gpr();
            counts.then_some((before.address, counter))?
        }
        _ => return None,
    };
    let target = base.wrapping_add(instruction.near_branch_target() as u32);
    (target <= *address).then_some(Counted {
        addresses: target..=*address,
        counts_at,
        counter,
    })
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

/// Whether two registers have a part in common.
fn same(one: Register, other: Register) -> bool {
    let halves = |register: Register| matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    let apart = one.size() == 1 && other.size() == 1 && halves(one) != halves(other);
    one.full_register32() == other.full_register32() && !apart
}
