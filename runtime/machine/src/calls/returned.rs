//! Returns that take from the stack what a push of a register or of a number has left there, and no call: a POP is
//! missing before them, or there is one too many. In 16-bit code such a return often leads to other code of the
//! program, which goes on from there.
//!
//! Not told, because programs do it on purpose: an address that was pushed from memory, one that was pushed as a label
//! or that a register had of a label or of a call, and anything after the stack pointer was set.

use super::CallStack;
use super::removed::{Removed, Return};
use crate::Machine;
use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};
use p5_image::{Start, SymbolKind};
use p5_results::{Flow, Note, Run};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes that an instruction pushes.
const MOST_PUSHED: u32 = 64;
/// The most instructions from a push to a return that is meant to go where the register points.
const NEAR: u64 = 4;

/// What an instruction does to the stack.
#[derive(Clone, Copy)]
enum Does {
    /// It pushes a general register, or a `number`, of this many bytes.
    Pushes {
        bytes: u32,
        number: bool,
    },
    /// It pushes the address of the next instruction, `length` bytes on, and jumps within the segment.
    Calls {
        length: u32,
    },
    /// It takes an address of `bytes` bytes from the stack, and then removes `removes` more.
    Returns {
        bytes: u32,
        removes: u32,
    },
    /// It gives the stack pointer another value than that of a frame.
    Moves,
    Other,
}

/// A register or a number on the stack.
#[derive(Clone, Copy)]
struct Pushed {
    by: u32,
    bytes: u32,
    value: u32,
    is_number: bool,
    // The number of the instruction in the run.
    number: u64,
}

/// A return that took what was pushed.
#[derive(Clone, Copy)]
struct Found {
    returned: u32,
    pushed: Pushed,
    led: u32,
    bytes: u32,
}

/// The registers on the stack, and the first return that took one.
#[derive(Clone, Default)]
pub(super) struct Returned {
    pushed: FxHashMap<u32, Pushed>,
    known: FxHashMap<u32, Does>,
    // Where the calls end that have been executed, and the labels of code once they are asked for.
    after_calls: FxHashSet<u32>,
    labels: Option<FxHashSet<u32>>,
    // The address of the stack's top before the next instruction.
    before: Option<u32>,
    executed: u64,
    // When the stack pointer was last moved.
    moved: u64,
    found: Option<Found>,
    removed: Removed,
}

impl Returned {
    /// Whether a run has what this looks for: a near return, and a register or number that is pushed, or bytes that the
    /// return removes.
    pub(super) fn is_needed(run: &Run) -> bool {
        let rows = || run.instructions.iter().filter(|row| !row.library);
        let pushes = |text: &str| text.strip_prefix("push ").is_some_and(|operand| !operand.contains('['));
        let mut returns = rows().filter(|row| row.needs.flow == Flow::Return);
        // Of another than the plain form, an operand says how many bytes it removes.
        let removes = returns.clone().any(|row| row.text.contains(' '));
        removes || returns.next().is_some() && rows().any(|row| pushes(&row.text))
    }

    /// What is said of the first such return of the run of `machine`. What it popped is left out if the `end` of the
    /// run says that already.
    pub(super) fn told(&self, machine: &Machine<'_>, end: bool) -> Option<Note> {
        if let Some(removed) = self.removed.told(machine) {
            return Some(removed);
        }
        let Found {
            returned,
            pushed,
            led,
            bytes,
        } = self.found.filter(|_| !end)?;
        let mut push = String::new();
        iced_x86::Formatter::format(
            &mut machine.formatter(),
            &machine.instruction_at(pushed.by).0,
            &mut push,
        );
        Some(Note::WrongReturn {
            place: machine.place(returned),
            push,
            pushed: machine.place(pushed.by),
            offset: (pushed.value, 8 * bytes),
            led: machine.place(led),
        })
    }

    /// Notes that the instruction at `last` has been executed.
    fn executed(&mut self, last: u32, machine: &Machine<'_>) {
        let after = machine.stack_top();
        self.executed += 1;
        let does = *self.known.entry(last).or_insert_with(|| {
            let does = Does::of(&machine.instruction_at(last).0);
            if let Does::Calls { length } = does {
                self.after_calls.insert(last.wrapping_add(length));
            }
            does
        });
        let before = self.before.replace(after);
        if before.is_none() {
            self.removed.begin(machine.stack_begin());
        }
        match does {
            Does::Pushes { bytes, number } => {
                let pushed = word(machine, after, bytes).map(|value| Pushed {
                    by: last,
                    bytes,
                    value,
                    is_number: number,
                    number: self.executed,
                });
                match pushed {
                    Some(pushed) => self.pushed.insert(after, pushed),
                    None => self.pushed.remove(&after),
                };
            }
            Does::Calls { length } => {
                self.forget(before, after);
                self.removed.called(last, after, last.wrapping_add(length));
            }
            Does::Returns { bytes, removes } => {
                if let Some(place) = before {
                    self.removed.returned(Return {
                        at: last,
                        place,
                        bytes,
                        led: machine.state.registers.eip,
                        removes,
                    });
                }
                if let Some(pushed) = before.and_then(|place| self.taken(place, bytes, machine)) {
                    let led = machine.state.registers.eip;
                    if self.found.is_none() && !self.is_meant(&pushed, led, machine) {
                        self.found = Some(Found {
                            returned: last,
                            pushed,
                            led,
                            bytes,
                        });
                    }
                }
            }
            Does::Moves => {
                self.moved = self.executed;
                self.removed.moved(after);
            }
            Does::Other => self.forget(before, after),
        }
    }

    /// Notes that the stack has grown by something else from `before` to `after`.
    fn forget(&mut self, before: Option<u32>, after: u32) {
        let above = before.filter(|&before| before.wrapping_sub(after) <= MOST_PUSHED);
        for place in (after..above.unwrap_or(after)).step_by(2) {
            self.pushed.remove(&place);
        }
    }

    /// The register that a return of this many bytes took from this place.
    fn taken(&self, place: u32, bytes: u32, machine: &Machine<'_>) -> Option<Pushed> {
        let pushed = self.pushed.get(&place).filter(|pushed| pushed.number > self.moved)?;
        let there = word(machine, place, bytes)?;
        (pushed.bytes == bytes && pushed.value == there).then_some(*pushed)
    }

    /// Whether the program may mean to return to `led`: it returns right after the push of a register, and to code; or
    /// it pushed a label or the return address of a call. A value of 0 is no such address.
    fn is_meant(&mut self, pushed: &Pushed, led: u32, machine: &Machine<'_>) -> bool {
        let image = machine.image;
        let begins = |row: p5_image::LineRow| row.address == led && !row.data;
        if !image.line_at(led).is_some_and(begins) {
            return false;
        }
        let near = self.executed - pushed.number <= NEAR && !pushed.is_number;
        // A number is seldom an address of flat code by chance.
        let flat = image.start == Start::Flat;
        near || flat || pushed.value != 0 && (self.after_calls.contains(&led) || self.is_label(led, machine))
    }

    /// Whether code has a label at `led`.
    fn is_label(&mut self, led: u32, machine: &Machine<'_>) -> bool {
        let labels = self.labels.get_or_insert_with(|| {
            let code = machine
                .image
                .symbols
                .iter()
                .filter(|symbol| symbol.kind == SymbolKind::Code);
            code.map(|symbol| symbol.value).collect()
        });
        labels.contains(&led)
    }
}

impl Does {
    fn of(instruction: &Instruction) -> Does {
        let first = instruction.op0_register();
        let register = instruction.op0_kind() == OpKind::Register;
        let pointer = |register: Register| matches!(register, Register::SP | Register::ESP | Register::SS);
        match instruction.mnemonic() {
            Mnemonic::Push if register && first.is_gpr() => Does::Pushes {
                bytes: first.size() as u32,
                number: false,
            },
            Mnemonic::Push if !register && instruction.op0_kind() != OpKind::Memory => Does::Pushes {
                bytes: instruction.stack_pointer_increment().unsigned_abs(),
                number: true,
            },
            Mnemonic::Call if instruction.is_call_near() || instruction.is_call_near_indirect() => Does::Calls {
                length: instruction.len() as u32,
            },
            Mnemonic::Ret => Does::Returns {
                bytes: match instruction.code() {
                    Code::Retnw | Code::Retnw_imm16 => 2,
                    _ => 4,
                },
                removes: match instruction.op_count() {
                    0 => 0,
                    _ => instruction.immediate(0) as u32,
                },
            },
            // That of the frame.
            Mnemonic::Mov if matches!(instruction.op1_register(), Register::BP | Register::EBP) => Does::Other,
            Mnemonic::Mov | Mnemonic::Lea | Mnemonic::Pop | Mnemonic::Lss if register && pointer(first) => Does::Moves,
            Mnemonic::Xchg if pointer(first) || pointer(instruction.op1_register()) => Does::Moves,
            _ => Does::Other,
        }
    }
}

/// The word of 2 or 4 bytes at an address.
fn word(machine: &Machine<'_>, address: u32, bytes: u32) -> Option<u32> {
    let mut word = [0; 4];
    let there = machine.state.memory.read_bytes(address, bytes)?;
    word.get_mut(..there.len())?.copy_from_slice(&there);
    Some(u32::from_le_bytes(word))
}

impl Machine<'_> {
    /// Notes for the returns that are watched that `executed` instructions of block `index` have been executed.
    pub(super) fn executed_for_returns(&mut self, index: u32, executed: usize) {
        let taken = |calls: &mut Box<CallStack>| calls.returned.take();
        let Some(mut returned) = self.calls.as_mut().and_then(taken) else {
            return;
        };
        if let Some(last) = self.last_of(index, executed) {
            returned.executed(last, self);
        }
        if let Some(calls) = &mut self.calls {
            calls.returned = Some(returned);
        }
    }
}
