//! Texts without a program around them: lines from a manual, which name data and labels that stand elsewhere.
//!
//! A text is a fragment if it has no segment, no entry and no data of its own; it may have regions that are measured.
//! Its undefined names get what their use asks for: the end of the code, a procedure that returns, or data. A name that
//! looks like another one of the text, or like a number, stays undefined.

use super::entry::says_entry;
use super::{Definition, Program, SegmentKind, encode_values, evaluate, evaluate_operands, unknown};
use crate::diag::{Span, fault};
use crate::elsewhere::of_compilers;
use crate::expression::{Binary, ExpressionId, Location, NodeKind, Type, Unary};
use crate::names::{Made, NONE, NameId};
use crate::program::{FragmentKind, Value};
use crate::remedy::Remedy;
use crate::session::Session;
use crate::statement::{MOST_OPERANDS, Named, SegmentRole};
use p5_image::{Assumed, Fragment, NamedScratch, never_returns};

/// The size of data that is used by its name alone.
const SCALAR: u32 = 16;
/// The size of data whose address is used, before it is known how far the code goes there.
const SCRATCH: u32 = 4096;
/// The bytes for it in a segment of 64 KiB, before that is known, and the most that it gets.
const NARROW_SCRATCH: u32 = 1024;
const NARROW_ROOM: u32 = 4096;
/// The bytes between these data and the room of those before them, so that their lines of the cache differ: so many
/// lines are apart what a round of a loop uses of several.
const APART: u32 = 1056;
/// A line of the cache, near whose beginning they begin, each two banks farther than the one before it, as unrelated
/// data seldom meet in the same bank.
const LINE: u32 = 32;
const NEXT_BANKS: u32 = 8;
/// The farthest constant distance from a name that makes its data larger.
const FARTHEST: u64 = 1 << 16;
/// Data is as large as a multiple of this.
const UNIT: u32 = 16;
/// The zeros before and after all data, which indexes may reach.
const AROUND: u32 = 8192;
const NARROW_AROUND: u32 = 256;
/// The most undefined names of a fragment; a text with more is another program's part.
const MOST_MISSING: usize = 32;
/// The most instructions with names, and bytes of code, and both with those of the measuring macros.
const MOST_DEFERRED: [usize; 2] = [512, 4096];
const MOST_BYTES: [usize; 2] = [4096, 32768];
/// NOP, which is where the code ends, before the stubs of undefined procedures.
const AFTER_END: [u8; 1] = [0x90];
/// The stub of a procedure: RET, or UD2 for one that panics.
const RETURNS: [u8; 1] = [0xC3];
const PANICS: [u8; 2] = [0x0F, 0x0B];

/// How an undefined name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Jump,
    Call,
    /// Data; whether its address is used: with a register, by OFFSET or by LEA.
    Data {
        addressed: bool,
    },
}

/// An undefined name: its first place, its uses, and the instructions with it.
struct Missing {
    name: NameId,
    span: Span,
    uses: Vec<Use>,
    /// The farthest constant distances before and after the name that its uses add.
    reach: [u32; 2],
    instructions: Vec<usize>,
}

/// A fragment before addresses are final.
#[derive(Default)]
pub(crate) struct Supplied {
    fragment: Fragment,
    /// For each of its scratch memories the deferred instructions with its name.
    users: Vec<Vec<usize>>,
}

impl Supplied {
    /// The fragment, with the addresses of its instructions, which are final.
    pub(crate) fn placed(mut self, program: &Program) -> Fragment {
        for (scratch, users) in self.fragment.scratch.iter_mut().zip(self.users) {
            let locations = users.into_iter().filter_map(|at| program.deferred.get(at));
            let linear = |location: Location| {
                let segment = program.layout.segments.get(location.segment as usize);
                segment.map_or(0, |segment| segment.frame) + program.layout.address(location)
            };
            scratch.users = locations.map(|deferred| linear(deferred.location)).collect();
        }
        self.fragment
    }
}

/// Where the code of the program ends, whose segment of code ends at `end`: that of a fragment ends before the first
/// data with a name behind it, if both are in one segment.
pub(crate) fn code_end(program: &mut Program, end: Location) -> Location {
    let Program { layout, is_closed, .. } = &*program;
    let is_plain = program.may_be_fragment && layout.snippet && !layout.segmented && !is_closed && !says_entry(program);
    let behind = layout
        .data_behind
        .filter(|(data, _)| is_plain && data.segment == end.segment);
    program.layout.data_behind = behind;
    behind.map_or(end, |(data, _)| data)
}

/// Defines the undefined names of a fragment, whose code ends at `end`; `None` if the text is no fragment.
pub(crate) fn supply(session: &mut Session, program: &mut Program, end: Location) -> Option<Supplied> {
    let started = says_entry(program);
    let layout = &program.layout;
    let code = layout.segments.get(end.segment as usize);
    let measured = usize::from(session.library.is_some());
    let short = code.is_some_and(|code| code.bytes.len() <= MOST_BYTES[measured]);
    let narrow = session.narrow.taken;
    let plain = layout.snippet && layout.segmented == narrow && !program.is_closed && !started;
    if program.may_be_fragment && short && !started && !layout.snippet && is_part(program) {
        return Some(Supplied::default());
    }
    let is_fragment = program.may_be_fragment && plain && short;
    let own_data = program.symbols.table.iter().any(|symbol| {
        let data = matches!(symbol.kind, Type::Bytes(_) | Type::Structure(_));
        data && !symbol.library && matches!(symbol.definition, Definition::Address(_))
    });
    if !is_fragment {
        if own_data || !session.narrow.com || session.narrow.said.is_some_and(|(_, narrow)| !narrow) {
            refuse_size(session);
        }
        return None;
    }
    let mut supplied = Supplied::default();
    let Supplied { fragment, users } = &mut supplied;
    fragment.room = if narrow { NARROW_ROOM } else { Fragment::ROOM };
    if let Some((_, name)) = program.layout.data_behind {
        let name = session.names.spelling(name).to_owned();
        fragment.supplied.push(Assumed::DataBehind { name });
    }
    if narrow {
        let seen = session.narrow.is_seen();
        fragment.supplied.push(Assumed::Narrow { seen });
        // So that nothing follows the code directly, and arriving there is its end.
        let back = program.layout.current;
        procedure(program, end, &RETURNS);
        program.layout.current = back;
    }
    // The functions of a compiler have their data with them.
    let own_data = own_data && !program.layout.sections;
    if own_data {
        refuse_size(session);
    }
    let long = program.deferred.len() > MOST_DEFERRED[measured];
    if session.errors > 0 || own_data || long || program.deferred.is_empty() {
        return Some(supplied);
    }
    let missing = missing(session, program)?;
    let is_plain = |one: &Missing| {
        let of_library = program.layout.sections && of_compilers(session.names.spelling(one.name)).is_some();
        session.names.info(one.name).made == Made::No
            && (of_library || unknown(session, program, one.name, one.span).help.is_none())
    };
    if missing.is_empty() || !missing.iter().all(is_plain) {
        return Some(supplied);
    }
    let (code, data): (Vec<Missing>, Vec<Missing>) = missing
        .into_iter()
        .partition(|one| !matches!(one.uses[..], [Use::Data { .. }, ..]));
    if !data.is_empty() {
        refuse_size(session);
    }
    let back = program.layout.current;
    for one in code {
        let spelled = session.names.spelling(one.name).to_owned();
        let called = one.uses.iter().all(|used| *used == Use::Call);
        let (location, assumed) = match (called, region_end(program, &one)) {
            (true, _) => {
                let panics = never_returns(&spelled);
                let stub = procedure(program, end, if panics { &PANICS } else { &RETURNS });
                (stub, Assumed::Procedure { name: spelled, panics })
            }
            (false, Some(after)) => (after, Assumed::RegionEnd { name: spelled }),
            (false, None) => match head(session, program, &one, end) {
                Some(first) => (first, Assumed::Head { name: spelled }),
                None => (end, Assumed::End { name: spelled }),
            },
        };
        define(session, program, &one, location, Type::Near, 0);
        fragment.supplied.push(assumed);
    }
    program.layout.current = program.layout.usual(SegmentRole::Data);
    let (around, scratch) = match narrow {
        true => (NARROW_AROUND, NARROW_SCRATCH),
        false => (AROUND, SCRATCH),
    };
    if !data.is_empty() {
        zeros(program, around);
    }
    let addressed = |one: &Missing| one.uses.contains(&Use::Data { addressed: true });
    let mut used = 0;
    for one in &data {
        let [mut before, after] = one.reach.map(|reach| reach.next_multiple_of(UNIT));
        let bytes = after + if addressed(one) { scratch } else { SCALAR };
        let mut room = bytes;
        if addressed(one) {
            let shift = NEXT_BANKS * (fragment.scratch.len() as u32 % (LINE / NEXT_BANKS));
            let begin = (used + before).next_multiple_of(LINE) + shift;
            before = begin - used + if fragment.scratch.is_empty() { 0 } else { APART };
            room = after + fragment.room;
        } else {
            room += NEXT_BANKS;
        }
        let begin = zeros(program, before + room);
        used += before + room;
        let location = Location {
            offset: begin.offset + before,
            ..begin
        };
        define(session, program, one, location, Type::Bytes(4), bytes);
        choose_type(session, program, one);
        let name = session.names.spelling(one.name).to_owned();
        if addressed(one) {
            fragment.scratch.push(NamedScratch {
                name: name.clone(),
                users: Vec::new(),
            });
            users.push(one.instructions.clone());
        }
        fragment.supplied.push(Assumed::Data { name, bytes });
    }
    if !data.is_empty() {
        zeros(program, around);
    }
    program.layout.current = back;
    Some(supplied)
}

/// Whether a source with segments is functions of 32-bit code that nothing calls: a part of a program, which `end`
/// closes without a label, or which is entered by a name that was asked for.
fn is_part(program: &Program) -> bool {
    let layout = &program.layout;
    let code = layout
        .segments
        .iter()
        .filter(|segment| segment.kind == SegmentKind::Code && !segment.bytes.is_empty());
    if layout.segmented || code.count() != 1 || !(program.is_closed || program.begins.is_some()) {
        return false;
    }
    program.symbols.table.iter().any(|symbol| {
        let code = matches!(symbol.kind, Type::Near | Type::Far) && !symbol.library;
        let first = layout.first_code.map(Definition::Address) == Some(symbol.definition);
        code && first && symbol.size > 0
    })
}

/// Reports a line that only says the size of the code. Where data has names, such a text is for another assembler, in
/// which a name alone is an address.
fn refuse_size(session: &mut Session) {
    if let Some((span, _)) = session.narrow.said {
        let problem = fault(span, "the size of code cannot be said here");
        session.report(problem.with_help(Remedy::SizeOfCode));
    }
}

fn define(session: &mut Session, program: &mut Program, one: &Missing, location: Location, kind: Type, bytes: u32) {
    let spelled = session.names.spelling(one.name).to_owned();
    let named = Named {
        name: one.name,
        spelled: &spelled,
        span: one.span,
    };
    // The name is undefined, so that nothing contradicts.
    if let Ok(Some(index)) = program
        .symbols
        .define(session, named, Definition::Address(location), kind)
    {
        let symbol = &mut program.symbols.table[index as usize];
        symbol.size = bytes;
        symbol.extent = bytes;
        symbol.count = (bytes / u32::from(kind.element().max(1))).max(1);
        symbol.first = symbol.count;
    }
}

/// The beginning of the code, if its last instruction alone names `one`, on a condition, and not as a way out: people
/// copy the body of a loop without the line of its label.
fn head(session: &Session, program: &Program, one: &Missing, end: Location) -> Option<Location> {
    /// Usual names of labels after a loop.
    const OUT: [&str; 8] = ["done", "exit", "end", "out", "skip", "fail", "over", "quit"];
    let [jump] = one.instructions[..] else { return None };
    let jump = program.deferred.get(jump)?;
    let layout = &program.layout;
    let first = Location {
        segment: end.segment,
        fragment: 0,
        offset: 0,
    };
    // An origin may stand before it.
    let first = layout.first_code.filter(|_| session.narrow.taken).unwrap_or(first);
    let spelled = |name: NameId| session.names.spelling(name).to_ascii_lowercase();
    let (mnemonic, label) = (spelled(jump.instruction.mnemonic), spelled(one.name));
    let last = layout.address(jump.location).wrapping_add(jump.length) == layout.address(end);
    let alone = jump.location.segment == end.segment && program.regions.finished.is_empty();
    let loops = last && alone && mnemonic != "jmp" && !OUT.iter().any(|word| label.contains(word));
    (loops && layout.address(jump.location) > layout.address(first)).then_some(first)
}

/// The end of the innermost region with all instructions that name `one`: a jump beyond it would never end the region.
fn region_end(program: &Program, one: &Missing) -> Option<Location> {
    let place = |location: Location| (location.segment, location.fragment, location.offset);
    let finished = program.regions.finished.iter().filter(|region| {
        let code = place(region.first)..place(region.after);
        let mut jumps = one
            .instructions
            .iter()
            .map(|&at| place(program.deferred[at].site().location));
        jumps.all(|jump| code.contains(&jump))
    });
    finished.map(|region| region.after).min_by_key(|&after| place(after))
}

/// Appends the stub of a procedure to the code, which `end` ends, and returns its location.
fn procedure(program: &mut Program, end: Location, stub: &[u8]) -> Location {
    let layout = &mut program.layout;
    layout.current = end.segment;
    if layout.location() == end {
        layout.append(&AFTER_END);
    }
    let known = layout.location();
    layout.append(stub);
    known
}

/// Appends zeros to the current segment.
fn zeros(program: &mut Program, bytes: u32) -> Location {
    program.layout.emit_fragment(FragmentKind::Zeroes, bytes)
}

/// Gives data the first type with which all instructions can be encoded. Most take the size from their other operand.
fn choose_type(session: &Session, program: &mut Program, one: &Missing) {
    let index = session.names.info(one.name).symbol;
    let fits = |program: &Program| {
        one.instructions.iter().all(|&at| {
            let deferred = &program.deferred[at];
            let mut values = [Value::number(0); MOST_OPERANDS];
            evaluate_operands(session, program, &deferred.instruction, &mut values)
                .and_then(|()| {
                    let site = deferred.site();
                    encode_values(session, program, &deferred.instruction, &values, site, None, true)
                })
                .is_ok()
        })
    };
    let sizes = match session.narrow.taken {
        true => [2, 4, 8, 1, 10],
        false => [4, 8, 2, 1, 10],
    };
    for size in sizes {
        if let Some(symbol) = program.symbols.table.get_mut(index as usize) {
            symbol.kind = Type::Bytes(size);
        }
        if fits(program) {
            return;
        }
    }
    // Operands of several sizes: each instruction says its own, or is reported.
    if let Some(symbol) = program.symbols.table.get_mut(index as usize) {
        symbol.kind = Type::None;
    }
}

/// The undefined names in the order of their first use; `None` if there are too many.
fn missing(session: &Session, program: &Program) -> Option<Vec<Missing>> {
    let mut all: Vec<Missing> = Vec::new();
    for (at, deferred) in program.deferred.iter().enumerate() {
        let instruction = &deferred.instruction;
        let info = session.names.info(instruction.mnemonic);
        let takes_address = session.names.spelling(instruction.mnemonic).eq_ignore_ascii_case("lea");
        for &operand in instruction.operands.iter().take(usize::from(instruction.operand_count)) {
            let mut found = Vec::new();
            let addressed = walk(session, program, operand, &mut found) || takes_address;
            let target = match info.branch && is_target(session, operand) {
                true if info.jump => Use::Jump,
                true => Use::Call,
                false => Use::Data { addressed },
            };
            let distance = match target {
                Use::Data { .. } => distance(session, program, operand),
                Use::Jump | Use::Call => 0,
            };
            let near = distance.unsigned_abs() as u32;
            let reach = match distance {
                _ if distance.unsigned_abs() > FARTHEST => [0, 0],
                ..0 => [near, 0],
                _ => [0, near],
            };
            for (name, span) in found {
                let full = all.len() == MOST_MISSING;
                match all.iter_mut().find(|one| one.name == name) {
                    Some(known) => {
                        known.instructions.push(at);
                        known.reach = [0, 1].map(|side| known.reach[side].max(reach[side]));
                        if !known.uses.contains(&target) {
                            known.uses.push(target);
                            // Code is code even if its address is also taken.
                            known.uses.sort_by_key(|used| matches!(used, Use::Data { .. }));
                        }
                    }
                    None if full => return None,
                    None => all.push(Missing {
                        name,
                        span,
                        uses: vec![target],
                        reach,
                        instructions: vec![at],
                    }),
                }
            }
        }
    }
    Some(all)
}

/// The constant that an operand adds to its name and its registers.
fn distance(session: &Session, program: &Program, id: ExpressionId) -> i64 {
    let of = |id| distance(session, program, id);
    match session.expressions.node(id).kind {
        NodeKind::Number(number) => number,
        NodeKind::Symbol(..) | NodeKind::Variable(_) => match evaluate(session, program, id) {
            Ok(value) if value.is_number() && !value.relocatable && !value.unresolved => value.number,
            _ => 0,
        },
        NodeKind::Unary(Unary::Minus, operand) => of(operand).saturating_neg(),
        NodeKind::Unary(Unary::Bracket | Unary::Subscript, operand) => of(operand),
        NodeKind::Binary(Binary::Add | Binary::Index, left, right) => of(left).saturating_add(of(right)),
        NodeKind::Binary(Binary::Subtract, left, right) => of(left).saturating_sub(of(right)),
        NodeKind::Binary(Binary::Ptr | Binary::Override, _, operand) => of(operand),
        _ => 0,
    }
}

/// Whether an operand of a branch is a target rather than memory with the target.
fn is_target(session: &Session, id: ExpressionId) -> bool {
    match session.expressions.node(id).kind {
        NodeKind::Symbol(..) => true,
        NodeKind::Unary(Unary::Short | Unary::Offset, operand) => is_target(session, operand),
        // `jmp dword ptr table` takes its target from memory.
        NodeKind::Binary(Binary::Ptr, kind, operand) => {
            let of_data = matches!(session.expressions.node(kind).kind, NodeKind::TypeName(Type::Bytes(_)));
            !of_data && is_target(session, operand)
        }
        _ => false,
    }
}

/// Adds the undefined names of an expression to `found`; whether it has a register or an OFFSET.
fn walk(session: &Session, program: &Program, id: ExpressionId, found: &mut Vec<(NameId, Span)>) -> bool {
    let node = session.expressions.node(id);
    match node.kind {
        NodeKind::Symbol(name, procedure) => {
            let symbol = program
                .symbols
                .get(program.symbols.index(&session.names, name, procedure));
            let undefined = symbol.is_none_or(|symbol| symbol.definition == Definition::Undefined);
            let info = session.names.info(name);
            if undefined && info.body == NONE && info.text == NONE && info.structure == NONE {
                found.push((name, node.span));
            }
            false
        }
        NodeKind::Register(_) => true,
        NodeKind::Unary(Unary::Offset, operand) => {
            walk(session, program, operand, found);
            true
        }
        NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => walk(session, program, operand, found),
        NodeKind::Binary(_, left, right) => {
            let left = walk(session, program, left, found);
            walk(session, program, right, found) || left
        }
        _ => false,
    }
}
