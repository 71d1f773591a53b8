//! What wrote to memory that ended a run: what overwrote the code that faulted, or a lock that nothing frees; and what
//! pushed the address that a return took from the stack, or wrote the one that a jump took from memory, when these led
//! out of the program's code.
//!
//! The run is repeated, an instruction at a time, because a run does not record who writes where.

use super::CallStack;
use super::called::own;
use crate::{EngineChoice, Machine, Options};
use iced_x86::{Code, FlowControl, Mnemonic, OpKind, Register};
use p5_image::{Functions, Image, Start};
use p5_meaning::memory::Memory;
use p5_results::{Astray, Blamed, Called, Room, StopDetail, StopReason, Unlisted, Writer, Wrote};
use p5_words::isa::LONGEST_INSTRUCTION;
use p5_words::registers::SS;

/// The most instructions of a run that is repeated for this.
const MOST_REPEATED: u64 = 1 << 22;

/// The most calls from the program's own line to the instruction that wrote.
const MOST_CALLS: usize = 64;

/// A place in memory, and the last instruction that wrote to it.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    place: Place,
    last: Option<u32>,
    // The calls that were open then, the last one first: what they called, and where they stand. Only of a place that
    // is not on the stack.
    calls: Vec<(u32, u32)>,
    stacked: Stacked,
    // `stacked` when the program last left its code: what is executed from there on may write to the stack as well.
    when_left: Stacked,
}

/// What became of a place on the stack.
#[derive(Clone, Copy, Debug, Default)]
struct Stacked {
    /// The instruction by which the stack last grew over the place, and the top before and after it.
    grown: Option<(u32, [u32; 2])>,
    /// The last instruction that changed the contents, and whether it did so after the stack grew.
    changed: Option<(u32, bool)>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// On the stack, where a return takes an address of `length` bytes; and before the next instruction the address of
    /// the top and these bytes.
    OfStack {
        address: u32,
        length: usize,
        before: Option<(u32, [u8; 4])>,
    },
    /// Elsewhere, with its bytes before the next instruction, of which `length` count.
    Other {
        address: u32,
        before: [u8; LONGEST_INSTRUCTION],
        length: usize,
        wrote: Wrote,
    },
}

impl Watched {
    /// Notes that the instruction at `address` has been executed, and the address of the stack's top after it. `image`
    /// tells the program's own instructions from those of a library, which takes and frees locks itself; `open` are the
    /// open calls, the last one first.
    pub(super) fn executed(
        &mut self,
        address: u32,
        after: u32,
        memory: &Memory,
        image: &Image,
        open: impl Iterator<Item = (u32, u32)>,
    ) {
        match &mut self.place {
            Place::OfStack {
                address: place,
                length,
                before,
            } => {
                let mut bytes = [0; 4];
                memory.fetch(*place, &mut bytes[..*length]);
                if let Some((top, contents)) = *before {
                    let grows = (after..top).contains(place);
                    if grows {
                        self.stacked.grown = Some((address, [top, after]));
                        self.stacked.changed = self.stacked.changed.map(|(by, _)| (by, false));
                    }
                    if bytes != contents {
                        self.stacked.changed = Some((address, !grows));
                    }
                }
                *before = Some((after, bytes));
            }
            Place::Other {
                address: place,
                before,
                length,
                wrote,
            } => {
                let mut bytes = [0; LONGEST_INSTRUCTION];
                memory.fetch(*place, &mut bytes[..*length]);
                if bytes != *before {
                    *before = bytes;
                    if *wrote != Wrote::Lock || image.line_at(address).is_some() {
                        self.last = Some(address);
                        self.calls.clear();
                        self.calls.extend(open.take(MOST_CALLS));
                    }
                }
            }
        }
    }
}

impl Machine<'_> {
    /// Notes for the writers that are watched that the program has just left its code.
    pub(crate) fn note_straying(&mut self) {
        let calls = self.calls.as_deref_mut();
        if let Some(watched) = calls.and_then(|calls| calls.watched.as_mut()) {
            watched.when_left = watched.stacked;
        }
    }

    /// Adds to the end of a program the instruction that wrote what ended it: that overwrote the code which faulted or
    /// a lock, or that pushed what a return popped which led out of the program's code.
    pub(crate) fn blame_writer(&mut self) {
        if !self.may_repeat() {
            return;
        }
        let places = [self.locked(), self.overwritten(), self.pushed(), self.pointed()];
        let Some(place) = places.into_iter().flatten().next() else {
            return;
        };
        let again = self.repeated(|calls| {
            calls.watched = Some(Watched {
                place,
                last: None,
                calls: Vec::new(),
                stacked: Stacked::default(),
                when_left: Stacked::default(),
            });
        });
        let watched = again.and_then(|again| again.calls.as_ref()?.watched.clone());
        let wrote = watched.as_ref().and_then(|watched| match place {
            Place::OfStack { address, length, .. } => self.stacked(watched.when_left, address, length == 4),
            Place::Other { wrote, .. } => Some((watched.last?, wrote)),
        });
        let library = |address: &u32| {
            self.image
                .line_at(*address)
                .is_some_and(|row| Some(row.file) == self.image.library)
        };
        let Some((address, wrote)) = wrote.filter(|(address, _)| !library(address)) else {
            return;
        };
        let (instruction, _) = self.instruction_at(address);
        let mut text = String::new();
        iced_x86::Formatter::format(&mut self.formatter(), &instruction, &mut text);
        let open = watched.map_or_else(Vec::new, |watched| watched.calls);
        let (place_of_call, called) = self.called_by(address, &open).unzip();
        let writer = Writer {
            text,
            place: self.place(address).or(place_of_call),
            address,
            called,
            wrote,
        };
        let blamed: &mut Blamed = self.stop.blamed.get_or_insert_default();
        blamed.writer = Some(writer);
    }

    /// The instruction by which a place on the stack holds what it holds. A stack that grows without a push keeps what
    /// was there before.
    fn stacked(&self, stacked: Stacked, place: u32, wide: bool) -> Option<(u32, Wrote)> {
        let Some((grown, [before, after])) = stacked.grown else {
            return stacked.changed.map(|(by, _)| (by, Wrote::Stored(None)));
        };
        let (instruction, _) = self.instruction_at(grown);
        let own = || before.wrapping_sub(place) <= if wide { 4 } else { 2 };
        let room = match instruction.mnemonic() {
            Mnemonic::Sub | Mnemonic::Add | Mnemonic::Lea | Mnemonic::And | Mnemonic::Dec => true,
            // It pushes the pointer of the caller's frame first.
            Mnemonic::Enter => !own(),
            _ => false,
        };
        let room = room.then_some(Room {
            bytes: before.wrapping_sub(after),
            wide,
        });
        match (stacked.changed, room) {
            (Some((by, _)), Some(room)) => Some((by, Wrote::Stored(Some(room)))),
            (None, Some(room)) => Some((grown, Wrote::Made(room))),
            (_, None) if instruction.flow_control() == FlowControl::Call => Some((grown, Wrote::ReturnAddress)),
            (Some((by, true)), None) => Some((by, Wrote::Stored(None))),
            _ => Some((grown, Wrote::Pushed)),
        }
    }

    /// Which of the `open` calls, the last one first, is the program's own, if the code at `address` has no lines of
    /// the program: its place and what it called. The stubs of a linkage table are none of that.
    fn called_by(&self, address: u32, open: &[(u32, u32)]) -> Option<((u32, u32), Called)> {
        let image = self.image;
        if image.process_stack().is_none() || self.place(address).is_some() {
            return None;
        }
        let functions = Functions::of(image, &[]);
        let mut callee = address;
        for &(target, from) in open {
            if image.stubs.iter().all(|stub| !stub.contains(&target)) {
                callee = target;
            }
            if let Some((place, called)) = own(image, &functions, from, Some(callee)) {
                return Some((place, called?));
            }
        }
        None
    }

    /// Whether the last run was short enough to be repeated an instruction at a time.
    pub(super) fn may_repeat(&self) -> bool {
        let instructions = self.summaries.last().map_or(u64::MAX, |run| run.whole.instructions);
        instructions <= MOST_REPEATED
    }

    /// The machine after a repeated run in which calls are followed as `watch` says; `None` if it ended elsewhere.
    pub(super) fn repeated(&self, watch: impl Fn(&mut CallStack)) -> Option<Machine<'_>> {
        let options = Options {
            runs: 1,
            calls: true,
            engine: EngineChoice::Interpreter,
            one_op_blocks: true,
            reading_every: None,
            // What was read already is not there any more.
            input: Vec::new,
            ..self.options.clone()
        };
        let mut again = Machine::new(self.model, self.image, options);
        let prepare = |machine: &mut Machine| {
            if let Some(calls) = &mut machine.calls {
                watch(calls);
            }
        };
        again.run_prepared(prepare, &mut |_| ());
        // A program that reads a clock or its input may go another way.
        let end = |machine: &Machine| {
            let registers = &machine.state.registers;
            (machine.left_by(), registers.eip, registers.general[4])
        };
        (end(&again) == end(self)).then_some(again)
    }

    /// The lock for which the program waits for ever.
    fn locked(&self) -> Option<Place> {
        match self.stop.detail {
            Some(StopDetail::Stuck(address)) => Some(self.watched(address, 4, Wrote::Lock)),
            _ => None,
        }
    }

    /// The code of the program that faulted, or from which the program left its code, if it is not as it was given.
    fn overwritten(&self) -> Option<Place> {
        if self.stop.reason != StopReason::Fault {
            return None;
        }
        let address = self.left_by().unwrap_or(self.state.registers.eip);
        let (instruction, bytes) = self.instruction_at(address);
        let given = self.image.bytes_at(address).iter().zip(bytes);
        let mut given = given.take(instruction.len().max(1));
        let of_program = self.image.line_at(address).is_some() || self.image.is_linked(address);
        if !of_program || !given.any(|(&given, own)| given != own) {
            return None;
        }
        Some(self.watched(address, instruction.len().max(1), Wrote::Code))
    }

    /// The place of `length` bytes at `address`, as they are when the program starts.
    fn watched(&self, address: u32, length: usize, wrote: Wrote) -> Place {
        let mut before = [0; LONGEST_INSTRUCTION];
        for (to, &byte) in before.iter_mut().zip(self.image.bytes_at(address)).take(length) {
            *to = byte;
        }
        Place::Other {
            address,
            before,
            length,
            wrote,
        }
    }

    /// Whether the last instruction jumped out of the program's code, or to the end of a program of DOS, which a return
    /// from the program does as well.
    fn jumped_out(&self) -> bool {
        match self.stop.detail {
            Some(StopDetail::Fault {
                unlisted: Some(Unlisted::Strayed(Astray { jumped, .. })),
                ..
            })
            | Some(StopDetail::Astray(Astray { jumped, .. })) => jumped,
            _ => self.stop.reason == StopReason::Exit && self.image.start != Start::Flat && self.ended_by_prefix(),
        }
    }

    /// Where a jump that led out of the program's code took its target from memory.
    fn pointed(&self) -> Option<Place> {
        let by = self
            .left_by()
            .filter(|_| self.jumped_out() && self.image.start == Start::Flat)?;
        let (instruction, _) = self.instruction_at(by);
        let indirect = matches!(
            instruction.flow_control(),
            FlowControl::IndirectBranch | FlowControl::IndirectCall
        );
        if !indirect || instruction.op0_kind() != OpKind::Memory || instruction.memory_size().size() != 4 {
            return None;
        }
        let general = |register: Register| match register {
            Register::None => Some(0),
            _ if register.is_gpr32() && register != Register::ESP => {
                Some(self.state.registers.general[register.number()])
            }
            _ => None,
        };
        let index = general(instruction.memory_index())?.wrapping_mul(instruction.memory_index_scale());
        let address = general(instruction.memory_base())?
            .wrapping_add(index)
            .wrapping_add(instruction.memory_displacement32());
        Some(self.watched(address, 4, Wrote::Target))
    }

    /// The place on the stack of what a return popped that led out of the program's code.
    fn pushed(&self) -> Option<Place> {
        let (address, length) = self.popped_by(self.left_by().filter(|_| self.jumped_out())?)?;
        Some(Place::OfStack {
            address,
            length,
            before: None,
        })
    }

    /// The address of the place on the stack from which the near return at `address`, with which the program left its
    /// code, took its target, and the bytes of this.
    fn popped_by(&self, address: u32) -> Option<(u32, usize)> {
        let (instruction, _) = self.instruction_at(address);
        let near = instruction.flow_control() == FlowControl::Return && instruction.mnemonic() == Mnemonic::Ret;
        let released = match instruction.op0_kind() {
            OpKind::Immediate16 => u32::from(instruction.immediate16()),
            _ => 0,
        };
        let size = if instruction.code() == Code::Retnw || instruction.code() == Code::Retnw_imm16 {
            2
        } else {
            4
        };
        let top = self.stack_when_left().filter(|_| near)?;
        Some((top.wrapping_sub(size + released), size as usize))
    }

    /// The linear address of the top of the stack.
    pub(crate) fn stack_top(&self) -> u32 {
        self.on_stack(self.state.registers.general[4])
    }

    /// The linear address of the top of the stack when the run began, if the segment is still the same.
    pub(crate) fn stack_begin(&self) -> u32 {
        self.on_stack(self.run_start.registers[4])
    }

    fn on_stack(&self, pointer: u32) -> u32 {
        let stack = &self.state.registers.segments[SS];
        let mask = if stack.wide() { u32::MAX } else { 0xFFFF };
        stack.base().wrapping_add(pointer & mask)
    }
}
