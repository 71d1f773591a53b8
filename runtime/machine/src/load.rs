//! Loading: the program's memory and registers at the beginning of a run.

use super::Machine;
use crate::monitor::local_apic::PAGE_ADDRESS;
use p5_chips::VIDEO;
use p5_image::dos::EXTENDED_END;
use p5_image::{
    PROCESS_STACK_TOP, REAL_MEMORY, REAL_RETURN, RETURN_ADDRESS, RealStart, STACK_HEADROOM, STACK_SIZE, STACK_TOP,
    Start,
};
use p5_meaning::memory::{MEMORY_LIMIT, MapError, Memory};
use p5_results::Misfit;
use p5_timing::counters::Tally;
use p5_words::fpu::{Extended, STACK};
use p5_words::isa::PAGE;
use p5_words::registers::{FS, GS, Registers, SegmentRegister};

/// The registers, by number, with which DOS starts a COM program in all its versions from 4 on, beside AX and BX, which
/// are 0, DX, which is CS, and DI, which is SP: CX, BP and SI. Programs of a few hundred bytes build on them.
const OF_COM_PROGRAMS: [(usize, u16); 3] = [(1, 0x00FF), (5, 0x091C), (6, 0x0100)];

/// The state at the beginning of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunStart {
    pub(super) clock: u64,
    // At all privilege levels.
    pub(super) tally: Tally,
    pub(super) registers: [u32; 8],
    pub(super) selectors: [u16; 6],
    pub(super) flags: u32,
}

impl Machine<'_> {
    /// Loads the program, unless the chip has another bus master without a line in it.
    pub(super) fn load_with_master(&mut self) -> Result<(), Misfit> {
        if self.model.bus_master().is_some() && !self.pipeline.core.shares_bus() {
            return Err(Misfit::NothingToSnoop);
        }
        self.load().map_err(misfit)
    }

    /// Loads the program and resets the registers; units, clock and counters keep their state.
    fn load(&mut self) -> Result<(), MapError> {
        let remapped = self.process.begin_run();
        self.own_paging = self.image.start != Start::Flat;
        self.directory = 0;
        if self.state.memory.is_translated() {
            self.state.memory.set_translation(None);
            self.forget_pages();
            self.drop_blocks();
        }
        // What is asked for is awaited when it is decoded, in each run.
        if remapped || self.options.asked.is_some() || !self.blocks.can_be_kept() {
            self.drop_blocks();
        }
        self.blocks.begin_run();
        self.strayed = None;
        self.ledger.begin_run();
        self.pipeline.take_stats(|_, _| ());
        if self.summaries.is_empty() || remapped {
            self.map()?;
        } else {
            self.state.memory.clear();
        }
        self.process.bound_stack(&mut self.state);
        let memory = &mut self.state.memory;
        for segment in &self.image.segments {
            memory.load(segment.address, &segment.bytes)?;
        }
        let mut registers = match &self.image.start {
            Start::Flat => self.load_flat_stack()?,
            Start::Real(start) => self.load_real_stack(*start)?,
        };
        for (address, bytes) in &self.image.preset.memory {
            self.state.memory.load(*address, bytes)?;
        }
        for (register, value) in registers.general.iter_mut().zip(self.image.preset.registers) {
            *register = value.unwrap_or(*register);
        }
        let in_use = self.image.preset.floating.min(STACK as u8);
        (0..in_use).for_each(|number| registers.fpu.set(number, Extended::ONE));
        self.rounds = vec![0; self.image.preset.rounds.len()];
        registers.fpu.divider = self.model.divider;
        registers.fpu.safe = self.model.safe_exponents;
        self.state.faulted_comparison = self.model.faulted_comparison;
        self.blocks.mark_code(&mut self.state.memory);
        self.state.restart(registers);
        self.begin_monitors();
        self.change_mode();
        self.pipeline.core.restart();
        if self.options.cache_sets {
            self.pipeline.count_line_fills();
        }
        self.begin_calls();
        let (system, user) = self.pipeline.tallies();
        let tally = Tally::sum(system, user);
        self.run_start = RunStart {
            clock: self.pipeline.end(),
            tally,
            registers: self.state.registers.general,
            selectors: self.selectors(),
            flags: self.state.registers.eflags(),
        };
        self.regions.begin_run(self.summaries.len() as u32, self.options.runs);
        // Any run may be the last one, because a limit may stop it.
        self.pipeline.begin_trace(None);
        // A trace of a region begins with its pass; what is asked for may come later.
        if self.image.regions.is_empty() || self.options.asked.is_some() {
            self.pipeline.sample_traces(self.image.process_stack().is_some());
            if let Some(asked) = &self.options.asked {
                self.pipeline.want_traces(&asked.code);
            }
        }
        Ok(())
    }

    /// Fills the stack of a flat program. Returns its initial registers.
    fn load_flat_stack(&mut self) -> Result<Registers, MapError> {
        let memory = &mut self.state.memory;
        let stack = match self.image.stack.len() as u32 {
            0 => STACK_TOP - STACK_HEADROOM,
            length => PROCESS_STACK_TOP.saturating_sub(length),
        };
        match &*self.image.stack {
            [] => {
                memory.load(stack, &RETURN_ADDRESS.to_le_bytes())?;
                self.return_place = Some(stack);
            }
            process => memory.load(stack, process)?,
        }
        let mut registers = Registers::flat(self.options.cpl);
        registers.eip = self.image.entry;
        registers.general[4] = stack;
        if self.image.process_stack().is_some() {
            // Linux gives them to threads.
            for number in [FS, GS] {
                registers.segments[number] = SegmentRegister::null(0);
            }
        }
        Ok(registers)
    }

    /// Fills the stack of a program in real mode. Returns its initial registers.
    fn load_real_stack(&mut self, start: RealStart) -> Result<Registers, MapError> {
        let (segment, offset) = REAL_RETURN;
        let address = (u32::from(segment) << 16 | u32::from(offset)).to_le_bytes();
        let contents = match &*self.image.stack {
            [] => &address,
            contents => contents,
        };
        let top = start.top.wrapping_sub(contents.len() as u16);
        let place = (u32::from(start.stack) << 4) + u32::from(top);
        self.state.memory.load(place, contents)?;
        // Lines without a program have a near return address there.
        let called = self.image.stack.is_empty() || self.image.fragment.is_some();
        self.return_place = called.then_some(place);
        let entry = self.image.entry.wrapping_sub(u32::from(start.code) << 4) as u16;
        let mut registers = Registers::real(start.code, entry, start.stack, top, start.data);
        if !called && start.data == start.code {
            for (register, value) in OF_COM_PROGRAMS {
                registers.general[register] = u32::from(value);
            }
            (registers.general[2], registers.general[7]) = (u32::from(start.code), u32::from(top));
        }
        Ok(registers)
    }

    fn map(&mut self) -> Result<(), MapError> {
        let lengths = self
            .image
            .segments
            .iter()
            .map(|segment| segment.bytes.len() as u64 + u64::from(segment.zeroes));
        let room = lengths.map(|length| length + u64::from(PAGE)).sum::<u64>() + u64::from(STACK_SIZE.max(REAL_MEMORY));
        self.was_refused |= self.state.memory.was_refused();
        let most = self.options.mapped;
        let memory = Memory::with_capacity(room.min(u64::from(most)) as usize).of_at_most(most);
        std::mem::replace(&mut self.state.memory, memory).retire();
        let memory = &mut self.state.memory;
        match self.image.start {
            Start::Flat if self.image.process_stack().is_some() => {}
            Start::Flat => memory.map(STACK_TOP - STACK_SIZE, STACK_SIZE, true)?,
            Start::Real(_) => {
                memory.map(0, REAL_MEMORY, true)?;
                memory.grow_between(REAL_MEMORY, EXTENDED_END);
            }
        }
        if self.monitors.apic.is_some() {
            memory.map(PAGE_ADDRESS, PAGE, true)?;
        }
        if self.options.memory.video {
            memory.map(VIDEO.first, VIDEO.last - VIDEO.first + 1, true)?;
        }
        for segment in &self.image.segments {
            let length = (segment.bytes.len() as u64 + u64::from(segment.zeroes)).max(1);
            let length = u32::try_from(length).map_err(|_| MapError::TooMuch)?;
            memory.map(segment.address, length, segment.writable)?;
        }
        Ok(())
    }
}

/// The reason why a program could not be loaded.
fn misfit(error: MapError) -> Misfit {
    match error {
        MapError::TooMuch => Misfit::TooLarge {
            most: MEMORY_LIMIT >> 20,
        },
        MapError::PastEnd => Misfit::PastAddressSpace,
        MapError::NotMapped => Misfit::NotMapped,
    }
}
