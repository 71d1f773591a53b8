//! The ways in which a program leaves its code: by a return from its entry, by a reset of the processor, or astray, to
//! an address outside its code.

use super::Machine;
use iced_x86::Mnemonic;
use p5_image::dos::{PREFIX, PREFIX_SIZE};
use p5_image::{RESET_VECTOR, STACK_HEADROOM, Start, Symbol, SymbolKind};
use p5_results::{Astray, Empty, Note, Stop, StopDetail, StopReason, Unlined};
use p5_words::flags::TF;
use p5_words::isa::PAGE;
use p5_words::mode::Operation;
use p5_words::registers::SS;

/// The bytes from the reset vector to the end of the first MiB. If all are zero, the program has no code there.
const RESET_BYTES: u32 = 16;
/// The length of the instruction that zero bytes encode, ADD of AL to memory.
const EMPTY_INSTRUCTION: u32 = 2;

/// The bits of DR7 that enable breakpoints.
const BREAKPOINTS: u32 = 0xFF;

/// The way in which execution comes to an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// Whether the address follows the previous instruction in memory.
    pub(super) sequential: bool,
    /// The address of the instruction that leads there, if one does.
    pub(super) last: Option<u32>,
    /// Whether that instruction is a return or an indirect jump.
    pub(super) may_return: bool,
}

/// The way in which a program came to code without a source line, or from there out of its code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strayed {
    /// The address of the last instruction with a source line before.
    lined: Option<u32>,
    /// The address of the instruction that led there, if it has no source line.
    from: Option<u32>,
    /// The address of the instruction that led there.
    last: u32,
    /// The first address after it.
    address: u32,
    /// The linear address of the top of the stack there.
    stack: u32,
    jumped: bool,
}

impl Machine<'_> {
    /// The stop of a program that cannot or must not continue at `address`.
    pub(super) fn stopped(&self, reason: StopReason, detail: StopDetail, address: u32) -> Stop {
        Stop {
            detail: Some(detail),
            place: self.place(address),
            ..Stop::plain(reason)
        }
    }

    /// The outermost source line of an address.
    pub(super) fn place(&self, address: u32) -> Option<(u32, u32)> {
        self.image.line_at(address).map(|row| self.image.outermost(&row))
    }

    /// The arrival at the next address from block `index`, if that block still exists.
    pub(super) fn leaves(&self, index: u32, sequential: bool) -> Arrival {
        let block = self.blocks.get(index);
        Arrival {
            sequential,
            last: block.and_then(|block| block.address_of(block.micro_ops.len() - 1)),
            may_return: block.is_some_and(|block| block.may_return),
        }
    }

    /// The file index and line of a jump that has led to itself, if nothing ever interrupts it. The loop of a fragment
    /// has an end all the same.
    pub(super) fn never_leaves(&mut self, address: u32, arrival: Arrival) -> Option<(u32, u32)> {
        if arrival.sequential || arrival.last != Some(address) {
            return None;
        }
        let registers = &self.state.registers;
        let debugged = registers.flags.rest & TF != 0 || registers.dr[7] & BREAKPOINTS != 0;
        let interrupted = debugged || self.monitors.apic.is_some();
        if interrupted || self.image.fragment.is_some() {
            return None;
        }
        let (instruction, _) = self.instruction_at(address);
        let jumps = instruction.mnemonic() == Mnemonic::Jmp && instruction.is_jmp_short_or_near();
        self.place(address).filter(|_| jumps)
    }

    /// The address of the last of the `executed` instructions of block `index`.
    pub(super) fn last_of(&self, index: u32, executed: usize) -> Option<u32> {
        let block = self.blocks.get(index)?;
        block.address_of(executed.checked_sub(1)?)
    }

    /// Whether execution that comes to `address` has reached the end of the source. A short program makes code there,
    /// and calls it.
    pub(super) fn is_end(&self, address: u32, arrival: Arrival) -> bool {
        if self.image.end != Some(address) {
            return false;
        }
        let mut byte = [0];
        let is_there = self.state.memory.fetch(address, &mut byte) > 0;
        let given = self.image.bytes_at(address).first().copied().unwrap_or(0);
        arrival.sequential || !is_there || byte[0] == given
    }

    /// Records whether execution comes from a source line to bytes without one, or from code without source lines to
    /// bytes that no tool has made: a stop there is reported with what led there. Every such way passes here, because
    /// the two blocks are never linked. Returns whether it does.
    pub(super) fn strays(&mut self, address: u32, arrival: Arrival) -> bool {
        let outside = self.is_end(address, arrival) || self.goes_out(address, arrival) == Some(StopReason::Return);
        if outside || self.image.line_near(address, &mut self.blocks.near).is_some() {
            return false;
        }
        let Some(last) = arrival.last else {
            return false;
        };
        let own = self.place(last);
        if own.is_none() && (!self.image.is_linked(last) || self.image.is_linked(address)) {
            return false;
        }
        self.strayed = Some(Strayed {
            // What has no line itself may have been called by a line.
            lined: own.map(|_| last).or(self.strayed.and_then(|before| before.lined)),
            from: own.is_none().then_some(last),
            last,
            address,
            stack: self.stack_top(),
            jumped: !arrival.sequential,
        });
        self.note_straying();
        true
    }

    /// The line that last led to code without source lines.
    pub(super) fn line_before(&self) -> Option<(u32, u32)> {
        let last = self.strayed?.lined?;
        let own = self.image.own_place(last).map(|(own, _)| own);
        own.or_else(|| self.place(last))
    }

    /// The way out of the program's code, in the form of a stop at `address`, which has no source line; `None` if it is
    /// in the program's code.
    pub(super) fn way_astray(&self, address: u32) -> Option<Astray> {
        let Strayed {
            address: first, jumped, ..
        } = self.strayed.filter(|_| !self.image.is_linked(address))?;
        let length = address.checked_sub(first).filter(|&length| length > 0);
        // Zeros never jump, so if there is nothing else, all of them were executed, and only they.
        let empty = length.filter(|&length| length % EMPTY_INSTRUCTION == 0 && self.is_empty(first, length));
        let empty = empty.map(|length| Empty {
            from: first,
            instructions: length / EMPTY_INSTRUCTION,
        });
        let stack = self.image.start == Start::Flat && self.image.flat_stack().contains(&first);
        Some(Astray {
            jumped,
            into_stack: stack,
            empty,
        })
    }

    /// The stop of a program at the next instruction, wherever that is. `detail` gets the way out of its code.
    pub(super) fn stopped_anywhere(
        &self,
        reason: StopReason,
        detail: impl FnOnce(Option<Astray>) -> StopDetail,
    ) -> Stop {
        let address = self.state.registers.eip;
        let own = self.place(address);
        let astray = self.way_astray(address).filter(|_| own.is_none());
        Stop {
            detail: Some(detail(astray)),
            place: own.or_else(|| astray.and(self.line_before())),
            unlined: astray.and_then(|_| self.left_from()),
            ..Stop::plain(reason)
        }
    }

    /// Whether the program last left its code to the beginning of the prefix that DOS puts before a program, where
    /// INT 20h ends it.
    pub(super) fn ended_by_prefix(&self) -> bool {
        self.strayed.is_some_and(|way| way.jumped && way.address == PREFIX)
    }

    /// The address of the instruction from which the program last left its code.
    pub(super) fn left_by(&self) -> Option<u32> {
        Some(self.strayed?.last)
    }

    /// The linear address of the top of the stack when the program last left its code.
    pub(super) fn stack_when_left(&self) -> Option<u32> {
        Some(self.strayed?.stack)
    }

    /// The instruction from which the program left its code, if it has no source line.
    pub(super) fn left_from(&self) -> Option<Box<Unlined>> {
        Some(self.unlined(self.strayed?.from?))
    }

    /// The instruction at `address`, which has no source line.
    pub(super) fn unlined(&self, address: u32) -> Box<Unlined> {
        let within = self.within(address);
        Box::new(Unlined {
            address,
            within,
            called: None,
        })
    }

    /// The last symbol of code at or before `address` in its segment, and the distance from it.
    fn within(&self, address: u32) -> Option<(String, u32)> {
        let start = self.image.segment_at(address)?.address;
        let names = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Code && (start..=address).contains(&symbol.value) && !symbol.name.is_empty()
        };
        // Of several names of an address, the first one defined is used.
        let symbols = self.image.symbols.iter().filter(names).rev();
        let symbol = symbols.max_by_key(|symbol| symbol.value)?;
        let offset = address - symbol.value;
        (symbol.size == 0 || offset < symbol.size).then(|| (symbol.name.clone(), offset))
    }

    /// Whether `length` bytes from `address` on are zero.
    fn is_empty(&self, address: u32, length: u32) -> bool {
        let mut parts = (0..length).step_by(PAGE as usize);
        parts.all(|at| {
            let bytes = self.state.memory.read_bytes(address + at, PAGE.min(length - at));
            bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
        })
    }

    /// Whether the return address of the program's caller leads to `address` in the current mode.
    pub(super) fn returns_to(&self, address: u32) -> bool {
        let real = self.blocks.mode().operation == Operation::Real;
        self.return_place.is_some() && self.image.is_return(address, real)
    }

    /// Whether the program has returned from its entry by coming to `address`.
    ///
    /// A return counts if it has taken the return address from the place where the loader put it: the stack pointer is
    /// then above that place. An indirect jump with the stack pointer there counts, too, because some routines pop
    /// their return address and jump to it. Any other way to that address executes the bytes in memory there.
    fn has_returned(&self, address: u32, arrival: Arrival) -> bool {
        let Some(place) = self
            .return_place
            .filter(|_| arrival.may_return && self.returns_to(address))
        else {
            return false;
        };
        let registers = &self.state.registers;
        let stack = &registers.segments[SS];
        let mask = if stack.wide() { u32::MAX } else { 0xFFFF };
        let top = registers.general[4] & mask;
        let dropped = stack.base().wrapping_add(top).wrapping_sub(place) & mask;
        // A near return in real mode drops the offset alone; a routine may also drop its arguments.
        let least = if self.image.start == Start::Flat { 4 } else { 2 };
        (least..=STACK_HEADROOM).contains(&dropped)
    }

    /// The number among the loops that end the run of the one whose branch is the instruction at `last`.
    pub(super) fn rounds_of(&self, last: Option<u32>) -> Option<usize> {
        let mut rounds = self.image.preset.rounds.iter();
        rounds.position(|one| Some(one.branch) == last)
    }

    /// Counts a round of a loop that ends the run; the stop after its last one.
    pub(super) fn count_round(&mut self, arrival: Arrival) -> Option<Stop> {
        let number = self.rounds_of(arrival.last).filter(|_| !arrival.sequential)?;
        let limit = self.image.preset.rounds.get(number)?;
        let had = self.rounds.get_mut(number)?;
        *had += 1;
        (*had >= limit.most).then(|| Stop {
            detail: Some(StopDetail::Rounds(limit.most)),
            place: self.place(limit.branch),
            ..Stop::plain(StopReason::Rounds)
        })
    }

    /// Whether the program leaves its code at `address`: by a return from its entry, or by a reset of the processor.
    pub(super) fn goes_out(&self, address: u32, arrival: Arrival) -> Option<StopReason> {
        if self.has_returned(address, arrival) {
            return Some(StopReason::Return);
        }
        let real = self.blocks.mode().operation == Operation::Real;
        let reset =
            real && address == RESET_VECTOR && !self.image.holds(address) && self.is_empty(address, RESET_BYTES);
        let nothing = real && !arrival.sequential && self.is_in_prefix(address);
        if nothing {
            return Some(StopReason::Strayed);
        }
        // A program that runs into the address has not meant to reset the processor.
        reset.then_some(match arrival.sequential {
            true => StopReason::Strayed,
            false => StopReason::Reset,
        })
    }

    /// Whether a program of DOS has jumped into its prefix, other than to one of the calls of DOS in it.
    fn is_in_prefix(&self, address: u32) -> bool {
        /// The offsets in the prefix of INT 20h, of the call of DOS as in CP/M, and of INT 21h.
        const CALLS: [u32; 3] = [0, 5, 0x50];
        let offset = address.wrapping_sub(PREFIX);
        self.image.start != Start::Flat
            && offset < PREFIX_SIZE
            && !CALLS.contains(&offset)
            && self.image.holds(PREFIX)
            && self.image.line_at(address).is_none()
    }

    /// Whether the source is a program of Linux, which links it by the name `_start`: it begins there, and nothing has
    /// called it.
    fn is_linux_source(&self) -> bool {
        let begins = |symbol: &Symbol| {
            symbol.name == "_start" && symbol.value == self.image.entry && symbol.kind == SymbolKind::Code
        };
        self.image.start == Start::Flat && self.image.fragment.is_none() && self.image.symbols.iter().any(begins)
    }

    /// Adds a note if a program has no end: DOS, and Linux, execute whatever lies after its last instruction.
    pub(super) fn note_running_on(&mut self) {
        let is_program = self.image.start != Start::Flat && self.image.fragment.is_none();
        if is_program && self.stop.reason == StopReason::End && self.stop.place.is_none() {
            self.note(Note::RunsOn);
        }
        if self.is_linux_source() && self.stop.reason == StopReason::End && self.stop.place.is_none() {
            self.note(Note::NoExit);
        }
    }

    /// The stop of a program that has left its code at `address`.
    pub(super) fn gone_out(&self, reason: StopReason, address: u32) -> Stop {
        let stop = Stop::plain(reason);
        match self.way_astray(address).filter(|_| reason == StopReason::Strayed) {
            Some(way) => Stop {
                detail: Some(StopDetail::Astray(way)),
                place: self.line_before(),
                unlined: self.left_from(),
                ..stop
            },
            None => stop,
        }
    }
}
