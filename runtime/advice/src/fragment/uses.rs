//! What the values of a fragment are used for: as addresses of memory, as indexes, as divisors and as counts of string
//! instructions.

use super::flow::Flow;
use super::loops::{Loop, register_delta, string_step};
use super::round::advance;
use super::value::Value;
use super::width::Width;
use iced_x86::{MemorySize, Mnemonic, OpAccess, OpKind, Register};
use p5_image::{Image, SymbolKind};

/// The uses of an origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) pointer: bool,
    pub(super) index: bool,
    pub(super) divisor: bool,
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The number of the instruction.
    pub(super) at: usize,
    /// The origin whose memory it is, if that is not known.
    pub(super) pointer: Option<u8>,
    /// What is added to that origin without an index.
    pub(super) distance: i32,
    pub(super) index: Value,
    pub(super) scale: i32,
    pub(super) size: u32,
    /// The bytes by which it moves in a round of its innermost loop; `None` if it does not move evenly.
    pub(super) stride: Option<i32>,
    /// Whether it moves at all.
    pub(super) moves: bool,
    /// The size of the real number that it reads or writes.
    pub(super) real: Option<MemorySize>,
}

/// The uses of all values.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) roles: Vec<Role>,
    pub(super) accesses: Vec<Access>,
    /// The origins that count repeats of string instructions, with the bytes of each.
    pub(super) repeats: Vec<(u8, u32)>,
    /// The number of named data that are indexed.
    pub(super) tables: usize,
}

/// An access before it is known which of its registers is the address.
struct Operand {
    at: usize,
    parts: Vec<(Register, Value, i32)>,
    displacement: i32,
    size: MemorySize,
}

impl Uses {
    pub(super) fn of(flow: &mut Flow, loops: &[Loop], image: &Image) -> Uses {
        let mut uses = Uses {
            roles: vec![Role::default(); flow.origins.len()],
            ..Uses::default()
        };
        let mut operands = Vec::new();
        for at in 0..flow.code.len() {
            let instruction = flow.code[at];
            let Some(state) = flow.states[at].clone() else {
                continue;
            };
            let memory = flow.info(&instruction).used_memory().to_vec();
            for used in memory {
                let parts = [(used.base(), 1), (used.index(), used.scale() as i32)];
                let parts = parts.into_iter().filter(|part| part.0.is_gpr());
                let parts = parts.map(|(register, scale)| match register.size() {
                    // XLAT adds AL.
                    1 => (register, state.value(register).computed(), scale),
                    _ => (register, state.value(register), scale),
                });
                if used.access() != OpAccess::NoMemAccess && used.access() != OpAccess::None {
                    operands.push(Operand {
                        at,
                        parts: parts.collect(),
                        displacement: flow.width.displacement_of(&used),
                        // Of what is repeated, the sizes are those of all elements, which are not known.
                        size: match used.memory_size() {
                            MemorySize::Unknown => instruction.memory_size(),
                            size => size,
                        },
                    });
                }
            }
            let value = |register| state.value(register);
            if matches!(instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
                let divisor = match instruction.op0_kind() {
                    OpKind::Register => value(instruction.op0_register()),
                    _ => flow.loaded(&instruction, &state),
                };
                uses.mark(divisor.sum | divisor.other, |role| role.divisor = true);
            }
            let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
            if instruction.is_string_instruction() && repeats {
                let count = value(Register::ECX);
                if let Some(origin) = count.origin_in(Register::ECX).or_else(|| first_of(count.other)) {
                    uses.repeats.push((origin, string_step(&instruction).unsigned_abs()));
                }
            }
        }
        // What is certainly an address is known before the doubtful ones are decided.
        operands.sort_by_key(|operand| operand.parts.iter().filter(|part| part.2 == 1).count() > 1);
        for operand in &mut operands {
            let access = uses.access(operand, image, flow.width);
            uses.accesses.push(moving(access, operand, flow, loops));
        }
        uses
    }

    fn mark(&mut self, origins: u64, set: impl Fn(&mut Role)) {
        let marked = self
            .roles
            .iter_mut()
            .enumerate()
            .filter(|(at, _)| origins >> at & 1 != 0);
        marked.for_each(|(_, role)| set(role));
    }

    /// Decides which of the registers of an operand is the address.
    fn access(&mut self, operand: &mut Operand, image: &Image, width: Width) -> Access {
        let named = |address: i32| {
            let address = address as u32;
            if width.is_narrow() {
                return names_data(image, address.wrapping_add(width.base));
            }
            let segment = image.segment_at(address);
            segment.is_some_and(|one| u64::from(address - one.address) < one.bytes.len() as u64 + u64::from(one.zeroes))
        };
        // What is added to the address of a table is an index, whichever register has the sum.
        for (_, value, _) in operand.parts.iter_mut().filter(|part| part.2 == 1) {
            if let Some(constant) = value.constant.filter(|constant| named(*constant)) {
                operand.displacement = operand.displacement.wrapping_add(constant);
                *value = Value {
                    constant: None,
                    ..value.plus(constant.wrapping_neg())
                };
                break;
            }
        }
        let operand = &*operand;
        let table = named(operand.displacement);
        let is_pointer = |uses: &Uses, value: Value| {
            let mut known = uses.roles.iter().enumerate();
            known.any(|(at, role)| role.pointer && value.sum >> at & 1 != 0)
        };
        let constant = |value: Value| matches!(value.exact, Some((None, number)) if named(number));
        let whole = |part: &(Register, Value, i32)| part.2 == 1 && part.0.size() > 1;
        let candidates = operand.parts.iter().enumerate().filter(|(_, part)| whole(part));
        let mut candidates: Vec<(usize, Value)> = candidates.map(|(place, part)| (place, part.1)).collect();
        if width.is_narrow() {
            // BX and BP come first as they are written, and SI and DI count from there.
            candidates.reverse();
        }
        let chosen = match table {
            true => None,
            false => candidates
                .iter()
                .find(|(_, value)| constant(*value) || is_pointer(self, *value))
                .or_else(|| addresses(&mut candidates.iter().rev(), operand))
                .map(|&(place, _)| place),
        };
        if table && !operand.parts.is_empty() {
            self.tables += 1;
        }
        let base = chosen
            .and_then(|place| operand.parts.get(place))
            .map(|part| (part.0, part.1));
        let pointer = base.and_then(|(register, value)| {
            let known = || {
                let pointers = self.roles.iter().enumerate().filter(|(_, role)| role.pointer);
                let mut known = pointers.map(|(at, _)| at as u8).filter(|&at| value.sum >> at & 1 != 0);
                known.next().filter(|_| value.exact.is_none())
            };
            let own = value.origin_in(register);
            own.filter(|&own| usize::from(own) == register.full_register32().number())
                .or_else(known)
                .or(own)
        });
        let base = base.map(|(_, value)| value);
        if let Some(origin) = pointer {
            self.mark(1 << origin | base.map_or(0, |value| value.either), |role| {
                role.pointer = true;
            });
        }
        let beside = base.map_or(0, |value| value.sum | value.other) & !pointer.map_or(0, |origin| 1 << origin);
        let mut indexes = beside;
        let mut index = (Value::number(0), 1);
        let others = operand
            .parts
            .iter()
            .enumerate()
            .filter(|(place, _)| Some(*place) != chosen);
        for (_, part) in others {
            indexes |= part.1.sum | part.1.other;
            index = (part.1, part.2);
        }
        let pointers = self.roles.iter().enumerate().filter(|(_, role)| role.pointer);
        let pointers = pointers.fold(0, |all, (at, _)| all | 1 << at);
        self.mark(indexes & !pointers, |role| role.index = true);
        let real = matches!(
            operand.size,
            MemorySize::Float32 | MemorySize::Float64 | MemorySize::Float80
        );
        Access {
            at: operand.at,
            pointer,
            distance: operand.displacement.wrapping_add(base.map_or(0, Value::distance)),
            index: index.0,
            scale: index.1,
            size: operand.size.size() as u32,
            stride: Some(0),
            moves: base.is_some_and(|value| value.exact.is_none()),
            real: real.then_some(operand.size),
        }
    }
}

/// The candidate that is most probably the address: people write it before the index, which an assembler makes the base
/// then, and count in ECX.
fn addresses<'a>(
    candidates: &mut dyn Iterator<Item = &'a (usize, Value)>,
    operand: &Operand,
) -> Option<&'a (usize, Value)> {
    let unknown = candidates.filter(|(_, value)| value.sum != 0);
    unknown.min_by_key(|(place, _)| operand.parts.get(*place).is_some_and(|part| part.0 == Register::ECX))
}

/// The access with its movement in the innermost loop around it.
fn moving(access: Access, operand: &Operand, flow: &mut Flow, loops: &[Loop]) -> Access {
    let around = loops.iter().filter(|of| of.holds(operand.at));
    let Some(inner) = around.min_by_key(|of| of.branch - of.head) else {
        return access;
    };
    let deltas = operand.parts.iter().map(|(register, _, scale)| {
        let whole = register.full_register32();
        register_delta(flow, whole, inner.head, inner.branch)
            .or_else(|| advance(flow, whole, operand.at, inner.head, inner.branch))
            .map(|delta| delta.wrapping_mul(*scale))
    });
    let stride = deltas.sum::<Option<i32>>();
    Access {
        stride,
        moves: access.moves || stride != Some(0),
        ..access
    }
}

/// Whether an address is that of data with a name.
fn names_data(image: &Image, address: u32) -> bool {
    let mut symbols = image.symbols.iter();
    symbols.any(|symbol| {
        let data = matches!(symbol.kind, SymbolKind::Data { .. }) && !symbol.library;
        data && address.wrapping_sub(symbol.value) < symbol.size.max(1)
    })
}

fn first_of(origins: u64) -> Option<u8> {
    (origins != 0).then(|| origins.trailing_zeros() as u8)
}
