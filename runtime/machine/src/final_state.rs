//! The state that a run leaves: registers, flags, memory and output, for a comparison with another run.
//!
//! Not compared: the instruction pointer, the pointers of the floating-point unit to its last instruction, model
//! specific registers, the contents of caches, TLBs and predictions, and the differences that the caller excuses.

mod layout;

pub use layout::{Layout, Piece};

use super::Machine;
use p5_results::{Display, StopReason};
use p5_words::fpu::{Fpu, LastInstruction};
use p5_words::isa::PAGE;
use p5_words::registers::Registers;
use std::borrow::Cow;
use std::ops::Range;

/// The state at the end of a run.
#[derive(Clone, Debug)]
pub struct FinalState {
    reason: StopReason,
    code: Option<u32>,
    general: [u32; 8],
    flags: u32,
    floating_point: Fpu,
    // All other registers. The registers above and the instruction pointer are cleared in it.
    system: Registers,
    output: Vec<u8>,
    display: Display,
    // The number of each mapped page, in ascending order.
    pages: Vec<u32>,
    // The bytes of these pages, page after page.
    bytes: Vec<u8>,
}

/// The first difference between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The way the run ended, or its exit code.
    Stop,
    /// A general register, by its number from 0 (EAX) to 7 (EDI).
    Register(usize),
    /// The flags in EFLAGS.
    Flags,
    /// The state of the floating-point unit.
    FloatingPoint,
    /// A segment, control, debug, test or table register, or the mode or the colours of a video card.
    System,
    /// Memory at this linear address.
    Memory(u32),
    /// The page at this linear address is mapped after only one of the runs.
    Page(u32),
    /// The bytes written by the program.
    Output,
}

/// The differences that a comparison ignores.
pub struct Excused<'a> {
    /// Ranges of memory, in ascending order and without overlap.
    pub memory: &'a [Range<u32>],
    /// Final states of the same program on machines that take other clocks: a difference between them shows a stored
    /// time. Each flag, each register of any kind, each word of the output and each aligned dword of memory has an
    /// excuse of its own.
    pub timed: &'a [FinalState],
    /// Maps the address of code to its address in the other program.
    pub moved: &'a dyn Fn(u32) -> Option<u32>,
    /// Whether nothing can read the flags after the end.
    pub flags: bool,
}

impl Machine<'_> {
    /// Ends the machine with the state after its last run.
    pub fn into_final_state(self) -> FinalState {
        let state = self.final_state();
        self.state.memory.retire();
        state
    }

    /// The selectors in the segment registers: ES, CS, SS, DS, FS and GS.
    pub(super) fn selectors(&self) -> [u16; 6] {
        std::array::from_fn(|number| self.state.registers.segments[number].selector())
    }

    /// The state after the last run, for a comparison with another run.
    pub fn final_state(&self) -> FinalState {
        let registers = &self.state.registers;
        let mut floating_point = registers.fpu.clone();
        floating_point.last = LastInstruction::default();
        let mut system = Registers {
            general: [0; 8],
            eip: 0,
            fpu: Fpu::default(),
            ..registers.clone()
        };
        system.set_eflags(0);
        let mapped = self.state.memory.mapped() as usize;
        let (mut pages, mut bytes) = (Vec::with_capacity(mapped / PAGE as usize), Vec::with_capacity(mapped));
        let mut mapped: Vec<(u32, &[u8])> = self.state.memory.pages().collect();
        mapped.sort_unstable_by_key(|&(address, _)| address);
        for (address, page) in mapped {
            pages.push(address / PAGE);
            bytes.extend_from_slice(page);
        }
        FinalState {
            reason: self.stop.reason,
            code: self.stop.code,
            general: registers.general,
            flags: registers.eflags(),
            floating_point,
            system,
            output: self.process.output.clone(),
            display: self.process.display().clone(),
            pages,
            bytes,
        }
    }
}

impl FinalState {
    /// Whether the program ended the run itself.
    pub fn ended_by_program(&self) -> bool {
        self.reason.by_program()
    }

    /// The value of a general register, by its number.
    pub fn general(&self, number: usize) -> Option<u32> {
        self.general.get(number).copied()
    }

    /// The same state, except for these general registers, one bit each, whose values are those of `other`.
    pub fn but_for(&self, registers: u8, other: &FinalState) -> Cow<'_, FinalState> {
        let mut state = Cow::Borrowed(self);
        if registers == 0 {
            return state;
        }
        let general = &mut state.to_mut().general;
        for (number, value) in general.iter_mut().enumerate() {
            if registers >> number & 1 != 0 {
                *value = other.general[number];
            }
        }
        state
    }

    /// The first difference from `other` that is not excused.
    pub fn difference(&self, other: &FinalState, excused: &Excused<'_>) -> Option<Difference> {
        let moved = |own, new| (excused.moved)(own) == Some(new);
        self.difference_of_registers(other, excused, &moved)
            .or_else(|| self.difference_of_memory(other, excused))
    }

    /// The first difference outside of memory that is not excused; `same` decides whether two values are addresses of
    /// the same thing.
    fn difference_of_registers(
        &self,
        other: &FinalState,
        excused: &Excused<'_>,
        same: &dyn Fn(u32, u32) -> bool,
    ) -> Option<Difference> {
        let timed = |differs: &dyn Fn(&FinalState) -> bool| excused.timed.iter().any(differs);
        let code_differs = self.code != other.code && !timed(&|timed| timed.code != self.code);
        if self.reason != other.reason || code_differs {
            return Some(Difference::Stop);
        }
        for (number, (&own, &new)) in self.general.iter().zip(&other.general).enumerate() {
            if own != new && !same(own, new) && !timed(&|timed| timed.general[number] != own) {
                return Some(Difference::Register(number));
            }
        }
        // A bit for each part that differs, which only the same part of a slower run excuses.
        let remains = |differing: &dyn Fn(&FinalState) -> u64| {
            let timed = excused.timed.iter().fold(0, |parts, timed| parts | differing(timed));
            differing(other) & !timed != 0
        };
        if !excused.flags && remains(&|other| u64::from(self.flags ^ other.flags)) {
            return Some(Difference::Flags);
        }
        if remains(&|other| self.floating_point.differing_parts(&other.floating_point)) {
            return Some(Difference::FloatingPoint);
        }
        if remains(&|other| differing_system_registers(&self.system, &other.system)) {
            return Some(Difference::System);
        }
        if self.display != other.display && !timed(&|timed| timed.display != self.display) {
            return Some(Difference::System);
        }
        if self.output != other.output && !timed(&|timed| differs_in_times(&self.output, &other.output, &timed.output))
        {
            return Some(Difference::Output);
        }
        first_of_one_side(&self.pages, &other.pages).map(|page| Difference::Page(page * PAGE))
    }

    /// The bytes of a page, by the number of the page.
    fn page(&self, number: u32) -> Option<&[u8]> {
        let index = self.pages.binary_search(&number).ok()?;
        self.bytes.chunks_exact(PAGE as usize).nth(index)
    }

    fn difference_of_memory(&self, other: &FinalState, excused: &Excused<'_>) -> Option<Difference> {
        let page = PAGE as usize;
        for (index, number) in self.pages.iter().enumerate() {
            let range = index * page..(index + 1) * page;
            let (own, new) = (&self.bytes[range.clone()], &other.bytes[range.clone()]);
            if own == new {
                continue;
            }
            let others: Vec<&[u8]> = excused.timed.iter().filter_map(|timed| timed.page(*number)).collect();
            for (at, (before, after)) in own.chunks_exact(4).zip(new.chunks_exact(4)).enumerate() {
                let address = number * PAGE + 4 * at as u32;
                let timed = || others.iter().any(|other| other[4 * at..4 * at + 4] != *before);
                if before != after
                    && !is_moved(before, after, excused.moved)
                    && !timed()
                    && let Some(byte) = (0..4)
                        .find(|&byte| before[byte] != after[byte] && !is_within(address + byte as u32, excused.memory))
                {
                    return Some(Difference::Memory(address + byte as u32));
                }
            }
        }
        None
    }
}

/// The first page that only one of two ascending lists contains.
fn first_of_one_side(own: &[u32], new: &[u32]) -> Option<u32> {
    let same = own.iter().zip(new).take_while(|(own, new)| own == new).count();
    let (own, new) = (own.get(same), new.get(same));
    own.into_iter().chain(new).min().copied()
}

/// A bit for each register that differs, except the general registers, the flags and the floating-point unit.
fn differing_system_registers(own: &Registers, new: &Registers) -> u64 {
    let of_one = [
        own.cpl != new.cpl,
        own.cr0 != new.cr0,
        own.cr2 != new.cr2,
        own.cr3 != new.cr3,
        own.cr4 != new.cr4,
        own.gdtr != new.gdtr,
        own.idtr != new.idtr,
        own.thread != new.thread,
        own.ldtr != new.ldtr,
        own.task != new.task,
    ];
    let segments = (0..own.segments.len()).map(|number| own.segments[number] != new.segments[number]);
    let debug = (0..own.dr.len()).map(|number| own.dr[number] != new.dr[number]);
    let test = (0..own.tr.len()).map(|number| own.tr[number] != new.tr[number]);
    let differ = of_one.into_iter().chain(segments).chain(debug).chain(test);
    differ
        .enumerate()
        .fold(0, |parts, (place, differs)| parts | u64::from(differs) << place)
}

/// Whether two outputs differ only in words that depend on time, because they also differ in `timed`.
fn differs_in_times(own: &[u8], new: &[u8], timed: &[u8]) -> bool {
    let [own, new, timed] = [own, new, timed].map(|output| {
        let words = output.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>()
    });
    let same_number = own.len() == new.len() && own.len() == timed.len();
    same_number && (0..own.len()).all(|at| own[at] == new[at] || own[at] != timed[at])
}

/// Whether both values are the address of the same code.
fn is_moved(before: &[u8], after: &[u8], moved: &dyn Fn(u32) -> Option<u32>) -> bool {
    let word = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    word(before).and_then(moved).is_some_and(|new| word(after) == Some(new))
}

fn is_within(address: u32, ranges: &[Range<u32>]) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    after > 0 && ranges[after - 1].contains(&address)
}

/// The same ranges in ascending order, with adjacent ones joined.
pub fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_depend_on_time_may_differ() {
        let differs =
            |own: &str, new: &str, timed: &str| differs_in_times(own.as_bytes(), new.as_bytes(), timed.as_bytes());
        assert!(differs("took 120 sum 7", "took 98 sum 7", "took 300 sum 7"));
        assert!(
            !differs("took 120 sum 7", "took 98 sum 8", "took 300 sum 7"),
            "the sum does not depend on time"
        );
        assert!(
            !differs("took 120 sum 7", "took 98 sum 7 0", "took 300 sum 7"),
            "a word more"
        );
        assert!(!differs("abc", "abd", "abc"), "letters are no digits");
    }
}
