//! Generating code. What is made here is data until `memory` holds it.
//!
//! `planned` decides by what each operation of a block is executed, and `operations` translates it, with `operands`,
//! `hits`, `flags`, `again` and `reals`. `usual` translates what the block's plan says while nothing is unusual, with
//! `waits` and `late`; `schedule` all that it says, with `lines`, `accesses`, `misses`, `pairs`, `prefixes`,
//! `floating` and `branches`; `rounds` operations and plan again, for a block that branches to itself. `replayed` is
//! what they keep of a replay; `common` is the code that all blocks share.

#![allow(
    clippy::useless_conversion,
    reason = "the macro converts the numbers of registers, whatever their type"
)]

mod accesses;
mod again;
mod branches;
mod common;
mod flags;
mod floating;
mod hits;
mod late;
mod lines;
mod misses;
mod operands;
mod operations;
mod pairs;
mod planned;
mod prefixes;
mod reals;
mod replayed;
mod rounds;
mod schedule;
mod stack;
mod transfers;
mod usual;
mod waits;

pub(crate) use common::{Common, common};
pub(crate) use operations::ending;

use crate::frame::{self, EXECUTED, LEFT, near};
use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use iced_x86::Instruction;
use p5_meaning::exec::MicroOp;
use p5_timing::pipeline::{AFTERS, Places, Plan};
use planned::Repeat;
use reals::Unit;
use rounds::{Points, Rounds};

pub(crate) type Assembler = VecAssembler<X64Relocation>;

/// The addresses of the functions that code calls.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    pub(crate) execute: usize,
    pub(crate) execute_floating: usize,
    pub(crate) execute_with_flags: usize,
    pub(crate) execute_rest: usize,
    pub(crate) refetch: usize,
    pub(crate) pass_cold: usize,
    pub(crate) note: usize,
    pub(crate) meet: usize,
    pub(crate) begin: usize,
    pub(crate) issue: usize,
    pub(crate) access: usize,
    pub(crate) access_second: usize,
    pub(crate) access_floating: usize,
    pub(crate) leave_floating: usize,
    pub(crate) keep: usize,
    pub(crate) replay: usize,
    pub(crate) branch: usize,
}

/// What the code of a block is made from.
pub(crate) struct Source<'a> {
    /// The number of the code.
    pub(crate) unit: u32,
    pub(crate) plan: &'a Plan,
    pub(crate) places: &'a Places,
    pub(crate) common: &'a Common,
    pub(crate) calls: &'a Calls,
    /// The instructions of the block, and their operations.
    pub(crate) instructions: &'a [Instruction],
    pub(crate) operations: &'a [MicroOp],
    /// A number for each kind of usual replay, in the order of the plan's states after it.
    pub(crate) passed: [u32; AFTERS],
    /// The address of the table of targets of indirect branches.
    pub(crate) targets: usize,
}

/// Code for a block.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// The addresses at which the ways out begin that lead nowhere yet.
    pub(crate) outs: [usize; 2],
    /// The address at which the code is entered from code of the same page. From elsewhere, it is entered at its
    /// beginning.
    pub(crate) within: usize,
}

/// The way that a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At the next instruction, whose address it has.
    Falls(u32),
    /// At a target that is always the same.
    Jumps(u32),
    /// At the first target if it is taken, otherwise at the second.
    Chooses(u32, u32),
    /// At a target that is computed.
    Computed,
}

/// A part of the code that is seldom executed. It stands after the rest.
type Aside<'a> = Box<dyn FnOnce(&mut Emitter<'a>) + 'a>;

pub(crate) struct Emitter<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) a: Assembler,
    asides: Vec<Aside<'a>>,
    /// Whether the flags of the host are those of the program.
    flags_held: bool,
    /// The operations that have left their flags since the frame had them all, and the same before the operation whose
    /// code is being generated.
    left_flags: Vec<Repeat>,
    flags_before: Vec<Repeat>,
    /// The fact words of accesses that are known to be of plain lines unless the frame says otherwise.
    known_words: Vec<usize>,
    /// Whether the accesses of all operations so far can be made at once if they hit.
    all_made: bool,
    ending: Ending,
    /// Where the block leaves without having been replayed.
    unreplayed: DynamicLabel,
    outs: [DynamicLabel; 2],
    /// Where a branch of the block to itself enters it.
    own_place: usize,
    rounds: Option<Rounds>,
    /// The routine that makes the accesses of a usual replay that may wait, if there is one yet.
    accesses_made: Option<DynamicLabel>,
    points: Points,
    /// Where the code of a branch goes that is taken, if it goes there by itself.
    taken: Option<DynamicLabel>,
    /// What the host's floating-point unit holds.
    unit: Unit,
    /// Where code goes on after handlers have executed the rest of the block, if they may.
    resumed: Option<DynamicLabel>,
}

/// Generates the code of a block. `None` if one of its instructions is not suited.
pub(crate) fn block(source: &Source<'_>, base: usize) -> Option<Code> {
    let ending = ending(source.instructions)?;
    // The frame has a byte for the number of an access, and an instruction has two at most.
    if 2 * source.instructions.len() >= usize::from(u8::MAX) {
        return None;
    }
    let mut a = Assembler::new(base);
    let [unreplayed, taken, fallen] = [(); 3].map(|()| a.new_dynamic_label());
    let mut emitter = Emitter {
        source,
        a,
        asides: Vec::new(),
        flags_held: false,
        left_flags: Vec::new(),
        flags_before: Vec::new(),
        known_words: Vec::new(),
        all_made: true,
        ending,
        unreplayed,
        outs: [taken, fallen],
        own_place: base,
        rounds: None,
        accesses_made: None,
        points: Points::default(),
        taken: None,
        unit: Unit::default(),
        resumed: None,
    };
    emitter.look_at_page();
    let within = base + emitter.a.offset().0;
    emitter.own_place = if source.plan.page.is_some() { within } else { base };
    emitter.operations()?;
    emitter.course();
    emitter.rounds()?;
    while let Some(aside) = emitter.asides.pop() {
        aside(&mut emitter);
    }
    dynasm!(emitter.a; .arch x64; =>unreplayed; xor esi, esi);
    emitter.leave(EXECUTED, 0);
    for way in 0..2 {
        let out = emitter.outs[way as usize];
        dynasm!(emitter.a; .arch x64; =>out);
        emitter.leave(frame::REPLAYED, way);
    }
    let Emitter { mut a, outs, .. } = emitter;
    a.commit().ok()?;
    let offsets = outs.map(|label| a.labels().resolve_dynamic(label).ok());
    let bytes = a.finalize().ok()?;
    let [Some(taken), Some(fallen)] = offsets else {
        return None;
    };
    Some(Code {
        bytes,
        outs: [base + taken.0, base + fallen.0],
        within,
    })
}

impl<'a> Emitter<'a> {
    /// Adds code that is seldom executed.
    fn aside(&mut self, code: impl FnOnce(&mut Emitter<'a>) + 'a) {
        self.asides.push(Box::new(code));
    }

    fn label(&mut self) -> DynamicLabel {
        self.a.new_dynamic_label()
    }

    /// The end of the code: it stops for the reason `kind`.
    fn leave(&mut self, kind: u32, argument: u32) {
        let (unit, exit) = (self.source.unit, self.source.common.exit);
        dynasm!(self.a; .arch x64; mov eax, kind as i32; mov ecx, unit as i32; mov edx, argument as i32
            ; jmp extern exit);
    }

    /// Calls a function of time with a number. It keeps the program's registers, and `rax` has its result.
    fn call_time(&mut self, function: usize, argument: u32) {
        let (unit, call) = (self.source.plan.number, self.source.common.call_time);
        dynasm!(self.a; .arch x64; mov esi, unit as i32; mov edx, argument as i32
            ; mov rax, QWORD function as i64; call extern call);
    }

    /// Executes operation `index` by its handler, and leaves the block if it says so, with what the host holds of the
    /// `unit` stored.
    fn call_handler(&mut self, index: usize, with_flags: bool, unit: Unit) {
        let calls = self.source.calls;
        let floating = planned::is_of_unit(&self.source.instructions[index]);
        let function = match (with_flags, floating) {
            (true, _) => calls.execute_with_flags,
            (false, true) => calls.execute_floating,
            (false, false) => calls.execute,
        };
        let (number, call) = (self.source.unit, self.source.common.call_meaning);
        let left = self.label();
        let word = self.source.plan.words[index] as u32;
        dynasm!(self.a; .arch x64; mov [BYTE rsp + near::PASSED], rsi
            ; mov esi, number as i32; mov edx, (index as u32 | word << 16) as i32
            ; mov rax, QWORD function as i64; call extern call; test eax, eax; jnz =>left);
        if floating {
            self.make_unit_ready(index);
        }
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>left);
            emitter.store_unit(&unit);
            emitter.leave(LEFT, index as u32);
        });
    }

    /// Executes the block from operation `index` on by the handlers, and leaves it if one of them says so.
    fn call_handlers(&mut self, index: usize) {
        let (number, common) = (self.source.unit, self.source.common);
        let (function, call, exit) = (self.source.calls.execute_rest, common.call_meaning, common.exit);
        let all = self.label();
        let word = self.source.plan.words[index] as u32;
        dynasm!(self.a; .arch x64; mov [BYTE rsp + near::PASSED], rsi
            ; mov BYTE [BYTE rsp + near::UNPLAIN], 1; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0
            ; mov esi, number as i32; mov edx, (index as u32 | word << 16) as i32
            ; mov rax, QWORD function as i64; call extern call; test eax, eax; jz =>all
            ; lea edx, [rax - 1]; mov eax, LEFT as i32; mov ecx, number as i32; jmp extern exit; =>all);
    }
}
