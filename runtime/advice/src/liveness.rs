//! Dead flags and registers: those that every path from an address overwrites before anything reads them. A return
//! leads to the instruction after every call of the program. Where a path cannot be followed, everything counts as
//! read. The same holds for a program that may handle faults or interrupts itself, because a handler may read anything
//! at any instruction.

use super::doubt::Doubt;
use super::effects::{Effects, FLAGS};
use super::handlers::Handlers;
use super::{RegisterParts, frames, instruction_at, target};
use iced_x86::{FlowControl, InstructionInfoFactory, Mnemonic, OpKind};
use p5_image::{Image, Start};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// The maximum number of instructions that are followed.
const MOST_STEPS: usize = 4_096;
/// The maximum depth of nested calls that are followed.
const MOST_CALLS: usize = 8;

/// A set of parts of registers and flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The parts of registers in the set.
    pub parts: RegisterParts,
    /// The flags in the set, one bit each as in [`FLAGS`].
    pub flags: u32,
}

impl Live {
    /// The set of all general and MMX registers and all flags.
    pub const ALL: Live = Live {
        parts: RegisterParts((1 << 40) - 1),
        flags: FLAGS,
    };

    /// Whether the set has neither a part nor a flag.
    pub fn is_empty(self) -> bool {
        self.parts.0 == 0 && self.flags == 0
    }

    fn meet(self, other: Live) -> Live {
        Live {
            parts: RegisterParts(self.parts.0 & other.parts.0),
            flags: self.flags & other.flags,
        }
    }

    fn join(self, other: Live) -> Live {
        Live {
            parts: RegisterParts(self.parts.0 | other.parts.0),
            flags: self.flags | other.flags,
        }
    }

    fn without(self, other: Live) -> Live {
        Live {
            parts: RegisterParts(self.parts.0 & !other.parts.0),
            flags: self.flags & !other.flags,
        }
    }
}

/// The facts about a program that are needed to follow its control flow.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    // The addresses to which returns may lead; `None` if they are not known, because of indirect calls or jumps,
    // addresses of code as numbers, code without source, or a procedure that does not keep its return address.
    returns: Option<Vec<u32>>,
    // Whether every return leads to the instruction after the latest call.
    keeps_returns: bool,
    // The first and last address of each stretch of library code, and the address at which the user's code continues.
    library: Vec<(u32, u32)>,
    // The program's own handlers for faults and interrupts, and the services that end it.
    handlers: Handlers,
    // What was doubted first; none is kept if what cannot be known counts as read.
    doubted: Option<Cell<Option<Doubt>>>,
    /// Whether flags count as read where the program ends.
    pub flags_at_end: bool,
    /// The registers that do not count as read where the program ends.
    pub unread_at_end: RegisterParts,
}

impl ControlFlow {
    /// The control flow of a program. The macros of the bundled library change nothing, so they are skipped.
    pub fn of(image: &Image) -> ControlFlow {
        let mut returns = Some(Vec::new());
        let linked = image
            .linked
            .iter()
            .any(|linked| loads_handlers(bytes_of(image, linked)));
        let code = |address: u32| {
            let row = image.line_at(address).filter(|row| row.address == address);
            row.is_some_and(|row| !row.data)
        };
        let mut library: Vec<(u32, u32)> = Vec::new();
        // A return from a COM file leads to the end of the program in its prefix; what an EXE file returns to is far.
        let com = matches!(image.start, Start::Real(start) if start.code == start.stack && image.stack == [0, 0]);
        if !image.linked.is_empty() || image.start != Start::Flat && !com {
            returns = None;
        }
        // 100h, where a COM file begins, is many other numbers as well.
        let narrow = |number: u16| match image.start {
            Start::Real(start) => Some(start.in_code(number)).is_some_and(|at| at != image.entry && code(at)),
            Start::Flat => false,
        };
        for row in &image.lines {
            if Some(row.file) == image.library {
                match library.last_mut().filter(|last| last.1 == row.address) {
                    Some(last) => last.1 = row.address.wrapping_add(row.length),
                    None => library.push((row.address, row.address.wrapping_add(row.length))),
                }
                continue;
            }
            let Some(instruction) = instruction_at(image, row.address).filter(|_| !row.data) else {
                continue;
            };
            let number = (0..instruction.op_count()).any(|at| match instruction.op_kind(at) {
                OpKind::Immediate32 => code(instruction.immediate32()),
                OpKind::Immediate16 => narrow(instruction.immediate16()),
                _ => false,
            });
            if number {
                returns = None;
            }
            match instruction.flow_control() {
                FlowControl::Call if instruction.is_call_near() => {
                    returns = returns.map(|mut returns: Vec<u32>| {
                        returns.push(instruction.next_ip32());
                        returns
                    });
                }
                FlowControl::IndirectCall | FlowControl::IndirectBranch | FlowControl::Call => returns = None,
                _ => {}
            }
        }
        let mut flow = ControlFlow {
            returns,
            keeps_returns: false,
            library,
            handlers: Handlers::default(),
            doubted: None,
            flags_at_end: true,
            unread_at_end: RegisterParts::default(),
        };
        flow.keeps_returns = frames::returns_are_kept(image, |address| flow.after_library(address));
        flow.handlers = Handlers::of(image, flow.keeps_returns, &|address| flow.after_library(address));
        if linked {
            flow.handlers.doubt = Some(Doubt::LinkedHandler);
        }
        flow.returns = flow.returns.filter(|_| flow.keeps_returns);
        flow
    }

    /// The same, but what cannot be known counts as not read: [`ControlFlow::doubted`] has what was doubted first.
    #[must_use]
    pub fn without_doubts(self) -> ControlFlow {
        ControlFlow {
            doubted: Some(Cell::default()),
            ..self
        }
    }

    /// What was doubted first since the last call, if doubts count as not read.
    pub fn doubted(&self) -> Option<Doubt> {
        self.doubted.as_ref()?.take()
    }

    /// What counts as read of `open` where something cannot be known.
    fn unknown(&self, open: Live, doubt: Doubt) -> Live {
        match &self.doubted {
            Some(_) if open.is_empty() => open,
            Some(doubted) => {
                doubted.set(doubted.get().or(Some(doubt)));
                Live::default()
            }
            None => open,
        }
    }

    /// The address at which the user's code continues, if `address` is in the library.
    fn after_library(&self, address: u32) -> Option<u32> {
        let after = self.library.partition_point(|range| range.0 <= address);
        let (_, end) = self.library.get(after.checked_sub(1)?)?;
        (address < *end).then_some(*end)
    }

    /// The set that counts as read where the program ends.
    fn at_end(&self) -> Live {
        Live {
            flags: if self.flags_at_end { FLAGS } else { 0 },
            parts: RegisterParts(Live::ALL.parts.0 & !self.unread_at_end.0),
        }
    }
}

/// Whether these bytes contain LIDT at any position.
fn loads_handlers(bytes: &[u8]) -> bool {
    let mut triples = bytes.windows(3);
    triples.any(|three| three[..2] == [0x0F, 0x01] && three[2] >> 3 & 7 == 3 && three[2] < 0xC0)
}

fn bytes_of<'i>(image: &'i Image, range: &Range<u32>) -> &'i [u8] {
    let bytes = image.bytes_at(range.start);
    &bytes[..bytes.len().min(range.len())]
}

/// A path that is being followed: its position, its callers, and the set that it has not overwritten.
struct Way {
    address: u32,
    callers: Vec<u32>,
    open: Live,
}

/// The subset of `wanted` that is dead at `address`: every path overwrites it before it is read.
pub fn dead_after(image: &Image, flow: &ControlFlow, address: u32, wanted: Live) -> Live {
    if let Some(doubt) = flow.handlers.doubt {
        let live = flow.unknown(wanted, doubt);
        if live == wanted {
            return Live::default();
        }
    }
    let mut factory = InstructionInfoFactory::new();
    // The set already followed after all calls.
    let mut returned = Live::default();
    let mut seen: HashMap<(u32, Vec<u32>), Live> = HashMap::new();
    let mut ways = vec![Way {
        address,
        callers: Vec::new(),
        open: wanted,
    }];
    let mut live = Live::default();
    let mut steps = 0;
    while let Some(mut way) = ways.pop() {
        loop {
            way.open = way.open.without(live);
            let known = seen.entry((way.address, way.callers.clone())).or_default();
            if way.open.without(*known).is_empty() {
                break;
            }
            *known = known.join(way.open);
            steps += 1;
            if steps > MOST_STEPS {
                let live = flow.unknown(wanted, Doubt::Long);
                return wanted.without(live);
            }
            if let Some(next) = flow.after_library(way.address) {
                way.address = next;
                continue;
            }
            if image.end == Some(way.address) {
                live = live.join(way.open.meet(flow.at_end()));
                break;
            }
            let Some(instruction) = instruction_at(image, way.address) else {
                live = live.join(flow.unknown(way.open, Doubt::NoCode(way.address)));
                break;
            };
            let unknown = |open: Live| flow.unknown(open, Doubt::Way(instruction.ip32()));
            let effects = Effects::of(&instruction, &mut factory);
            let read = Live {
                parts: effects.reads,
                flags: effects.flags_read,
            };
            live = live.join(way.open.meet(read));
            if instruction.mnemonic() == Mnemonic::Hlt || flow.handlers.ends.contains(&way.address) {
                live = live.join(way.open.meet(flow.at_end()));
                break;
            }
            way.open = way.open.without(Live {
                parts: effects.overwrites,
                flags: effects.flags_overwritten,
            });
            let next = way.address.wrapping_add(instruction.len() as u32);
            match (instruction.flow_control(), target(&instruction)) {
                (FlowControl::Next, _) => way.address = next,
                (FlowControl::UnconditionalBranch, Some(target)) => way.address = target,
                (FlowControl::ConditionalBranch, Some(target)) => {
                    ways.push(Way {
                        address: target,
                        callers: way.callers.clone(),
                        open: way.open,
                    });
                    way.address = next;
                }
                (FlowControl::Call, Some(target)) if instruction.is_call_near() && way.callers.len() < MOST_CALLS => {
                    if flow.keeps_returns {
                        way.callers.push(next);
                    }
                    way.address = target;
                }
                (FlowControl::Return, _) if instruction.mnemonic() == Mnemonic::Ret && !way.callers.is_empty() => {
                    way.address = way.callers.pop().unwrap_or_default();
                }
                (FlowControl::Return, _) if instruction.mnemonic() == Mnemonic::Ret => {
                    // A return of the first procedure ends the program.
                    let Some(returns) = &flow.returns else {
                        live = live.join(unknown(way.open));
                        break;
                    };
                    live = live.join(way.open.meet(flow.at_end()));
                    // Each bit is followed there once, whatever the number of returns.
                    if returns.len() > MOST_STEPS {
                        return wanted.without(flow.unknown(wanted, Doubt::Long));
                    }
                    if way.open.without(returned).is_empty() {
                        break;
                    }
                    returned = returned.join(way.open);
                    ways.extend(returns.iter().map(|&address| Way {
                        address,
                        callers: Vec::new(),
                        open: way.open,
                    }));
                    break;
                }
                // A service reads registers; it reads flags only if the program may end there.
                (FlowControl::Interrupt, _)
                    if !flow.flags_at_end
                        && instruction.mnemonic() == Mnemonic::Int
                        && !flow.handlers.own.contains(&instruction.immediate8()) =>
                {
                    live = live.join(way.open.meet(flow.at_end()));
                    way.open = way.open.without(live);
                    way.address = next;
                }
                // The next instruction is not known, or an exception handler may read anything.
                _ => {
                    live = live.join(unknown(way.open));
                    break;
                }
            }
        }
    }
    wanted.without(live)
}
