//! The machine: joins meaning and time, and produces a closed run.
//!
//! Modelled: blocks of decoded instructions, self-modifying code, model specific registers, the services of `services`,
//! repeated runs that keep everything except the program's memory and registers. Not modelled: interrupts
//! and exceptions through the program's own descriptor tables (a fault ends the run and is its result), devices.

mod blocks;
mod bounds;
mod close;
mod known;
mod ledger;
mod parts;
mod regions;
mod requests;
mod traces;

use crate::block::Classifier;
use crate::counters::{Counters, Tally};
use crate::exec::{self, Exit, State};
use crate::fault::{Fault, FaultCause};
use crate::image::{Image, RETURN_ADDRESS, STACK_HEADROOM, STACK_SIZE, STACK_TOP};
use crate::isa::{LONGEST_INSTRUCTION, PAGE};
use crate::memory::{MEMORY_LIMIT, MapError, Memory};
use crate::model::{INSTRUCTION_SETS, MemoryPreset, Model};
use crate::pipeline::Pipeline;
use crate::registers::Registers;
use crate::run::{Misfit, Note, Refusal, Run, RunSummary, Stop, StopDetail, StopReason, Unlisted};
use crate::services::Process;
use blocks::Blocks;
use bounds::Bounds;
use ledger::Ledger;
use regions::Regions;
use std::time::Duration;

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The privilege level: 0 or 3.
    pub cpl: u8,
    /// How often the program is run; caches and predictions are kept between runs. At least 1.
    pub runs: u32,
    /// Clocks after which a run is stopped: with the first instruction after which the clock has reached them. A
    /// repeated string instruction may be stopped after every 65,536 of its iterations.
    pub limit: u64,
    /// The wall time after which the simulation is stopped; `None` for no bound. Where it stops depends on the host.
    pub timeout: Option<Duration>,
    /// How much of that time is not available when the machine is created.
    pub spent: Duration,
    /// What stands behind the first level caches.
    pub memory: &'static MemoryPreset,
    /// Reads the program's whole standard input; called at most once, when a program first asks for it.
    pub input: fn() -> Vec<u8>,
    /// Decode every instruction into its own block: slower, but by contract the same [`Run`].
    pub one_op_blocks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cpl: 0,
            runs: 5,
            limit: 1_000_000_000,
            timeout: None,
            spent: Duration::ZERO,
            memory: &crate::model::MEMORY_PRESETS[0],
            input: Vec::new,
            one_op_blocks: false,
        }
    }
}

/// A Pentium with a program in it.
pub struct Machine<'a> {
    model: &'static Model,
    image: &'a Image,
    options: Options,
    state: State,
    pipeline: Pipeline,
    classifier: Classifier,
    blocks: Blocks,
    regions: Regions,
    bounds: Bounds,
    counters: Counters,
    // The offset between the time stamp counter and the clock, set by WRMSR.
    time_stamp_offset: u64,
    // The chip's model specific registers, in the chip's order.
    model_registers: Vec<u64>,
    // Statistics of what was decoded and executed in this run before all blocks were last dropped.
    ledger: Ledger,
    summaries: Vec<RunSummary>,
    run_start: RunStart,
    // The counts at the end of the last run, at all privilege levels.
    run_end: Tally,
    process: Process,
    notes: Vec<Note>,
    // The source line that last led to newly decoded bytes without a source line.
    strayed_from: Option<(u32, u32)>,
    stop: Stop,
}

/// Where a run began.
#[derive(Clone, Debug, Default)]
struct RunStart {
    clock: u64,
    // At all privilege levels.
    tally: Tally,
    registers: [u32; 8],
}

/// Runs `image` according to `options`. `progress` is called from time to time with the clocks simulated so far.
pub fn simulate(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(u64),
) -> Run {
    let mut machine = Machine::new(model, image, options.clone());
    for _ in 0..options.runs.max(1) {
        machine.run(progress);
        if matches!(machine.stop.reason, StopReason::Limit | StopReason::Timeout) {
            break;
        }
    }
    machine.into_run(program)
}

impl<'a> Machine<'a> {
    /// A machine at reset with `image` in its memory.
    pub fn new(model: &'static Model, image: &'a Image, options: Options) -> Machine<'a> {
        let mut pipeline = Pipeline::new(model, options.memory);
        pipeline.set_user(options.cpl > 0);
        Machine {
            model,
            image,
            state: State::new(Registers::flat(options.cpl), Memory::new()),
            pipeline,
            classifier: Classifier::new(model),
            blocks: Blocks::new(image, options.one_op_blocks),
            regions: Regions::new(image),
            bounds: Bounds::new(options.timeout.map(|timeout| timeout.saturating_sub(options.spent))),
            counters: Counters::new(&model.events),
            time_stamp_offset: 0,
            model_registers: model.registers.iter().map(|register| register.reset).collect(),
            ledger: Ledger::default(),
            summaries: Vec::new(),
            run_start: RunStart::default(),
            run_end: Tally::default(),
            process: Process::new(image, options.input),
            notes: Vec::new(),
            strayed_from: None,
            stop: Stop::plain(StopReason::End),
            options,
        }
    }

    /// Runs the program once, from its entry to its end.
    pub fn run(&mut self, progress: &mut dyn FnMut(u64)) -> &Stop {
        match self.load() {
            Ok(()) => {
                self.stop = self.execute(progress);
                self.pipeline.close_open(Refusal::LastInstruction, &self.state.facts);
                self.regions.settle(&mut self.pipeline, &self.counters);
            }
            Err(error) => {
                self.stop = Stop {
                    detail: Some(StopDetail::Misfit(misfit(error))),
                    ..Stop::plain(StopReason::Unsupported)
                };
            }
        }
        let (system, user) = self.pipeline.tallies();
        let tally = Tally::sum(system, user);
        self.regions.end_run(&tally, &mut self.pipeline);
        let mut summary = self.ledger.summary();
        let (image, mut near) = (self.image, 0);
        self.pipeline.read_stats(|op, stats| {
            let library = parts::in_library_near(image, op.address, &mut near);
            summary.add(&stats.totals(), library);
        });
        summary.whole.cycles = self.pipeline.end() - self.run_start.clock;
        self.run_end = tally;
        self.summaries.push(summary);
        &self.stop
    }

    /// Loads the program and resets the registers; units, clock and counters keep their state.
    fn load(&mut self) -> Result<(), MapError> {
        let remapped = self.process.begin_run();
        if remapped || !self.blocks.can_be_kept() {
            self.drop_blocks();
        }
        self.blocks.begin_run();
        self.ledger.begin_run();
        self.pipeline.take_stats(|_, _| ());
        if self.summaries.is_empty() || remapped {
            self.map()?;
        } else {
            self.state.memory.clear();
        }
        let memory = &mut self.state.memory;
        for segment in &self.image.segments {
            memory.load(segment.address, &segment.bytes)?;
        }
        let stack = match self.image.stack.len() as u32 {
            0 => STACK_TOP - STACK_HEADROOM,
            length => STACK_TOP.saturating_sub(length),
        };
        match &*self.image.stack {
            [] => memory.load(stack, &RETURN_ADDRESS.to_le_bytes())?,
            process => memory.load(stack, process)?,
        }
        self.blocks.mark_code(memory);
        let mut registers = Registers::flat(self.options.cpl);
        registers.fpu.divider = self.model.divider;
        registers.eip = self.image.entry;
        registers.general[4] = stack;
        self.set_privilege(self.options.cpl);
        self.state.restart(registers);
        self.pipeline.core.restart();
        let (system, user) = self.pipeline.tallies();
        let tally = Tally::sum(system, user);
        self.run_start = RunStart {
            clock: self.pipeline.end(),
            tally,
            registers: self.state.registers.general,
        };
        self.regions.begin_run(self.summaries.len() as u32, self.options.runs);
        if self.regions.traces_everything() {
            self.pipeline.traces.begin(None);
        }
        Ok(())
    }

    /// Maps the program and its stack.
    fn map(&mut self) -> Result<(), MapError> {
        let lengths = self
            .image
            .segments
            .iter()
            .map(|segment| segment.bytes.len() as u64 + u64::from(segment.zeroes));
        let room = lengths.map(|length| length + u64::from(PAGE)).sum::<u64>() + u64::from(STACK_SIZE);
        self.state.memory = Memory::with_capacity(room.min(u64::from(MEMORY_LIMIT)) as usize);
        let memory = &mut self.state.memory;
        memory.map(STACK_TOP - STACK_SIZE, STACK_SIZE, true)?;
        for segment in &self.image.segments {
            let length = (segment.bytes.len() as u64 + u64::from(segment.zeroes)).max(1);
            let length = u32::try_from(length).map_err(|_| MapError::TooMuch)?;
            memory.map(segment.address, length, segment.writable)?;
        }
        Ok(())
    }

    /// Selects the privilege group that events are counted for.
    fn set_privilege(&mut self, cpl: u8) {
        let user = cpl > 0;
        if user != self.pipeline.user() {
            // Schedules hold clocks that depend on the privilege level.
            self.drop_blocks();
            self.pipeline.set_user(user);
        }
    }

    /// Executes from EIP to the run's end.
    fn execute(&mut self, progress: &mut dyn FnMut(u64)) -> Stop {
        self.bounds.begin_run(self.pipeline.end(), self.options.limit);
        if let Some(stop) = self.attend(progress) {
            return stop;
        }
        let mut sequential = false;
        let mut index = match self.enter(self.state.registers.eip, sequential) {
            Ok(index) => index,
            Err(stop) => return stop,
        };
        loop {
            let block = self.blocks.get_mut(index);
            let outcome = exec::run(&block.micro_ops, &mut self.state);
            // A repeat that needs another visit has left its facts, although it is not complete.
            let executed = outcome.executed + usize::from(outcome.unfinished);
            if let (Some(time), 1..) = (&mut block.time, executed) {
                self.pipeline.replay(time, &self.state.facts, executed);
            }
            if self.state.facts.code_written {
                self.code_stored(executed);
            }
            match outcome.exit {
                Exit::Next => sequential = !self.state.facts.taken,
                Exit::Fault(fault) => return self.fault(&fault),
                Exit::Request(request) => {
                    sequential = true;
                    if let Some(stop) = self.carry_out(index, request) {
                        return stop;
                    }
                }
            }
            if self.bounds.call_for_attention(self.pipeline.clock())
                && let Some(stop) = self.attend(progress)
            {
                return stop;
            }
            let next = self.state.registers.eip;
            let cpl = self.state.registers.cpl;
            let linked = if (cpl > 0) == self.pipeline.user() {
                self.blocks.linked(index, next)
            } else {
                self.set_privilege(cpl);
                None
            };
            index = match linked {
                Some(linked) => linked,
                None => match self.enter_from(index, next, sequential) {
                    Ok(index) => index,
                    Err(stop) => return stop,
                },
            };
        }
    }

    /// The stop by `fault`, which the instruction at EIP raised.
    fn fault(&self, fault: &Fault) -> Stop {
        let address = self.state.registers.eip;
        match self
            .first_chip_with(address)
            .filter(|_| fault.cause == FaultCause::Undefined)
        {
            Some(chip) => {
                let cause = FaultCause::OnlyOnLaterChip { chip };
                self.faulted(&Fault { cause, ..fault.clone() }, address)
            }
            None => self.faulted(fault, address),
        }
    }

    /// The first chip that has the instruction at `address`, if this one does not.
    fn first_chip_with(&self, address: u32) -> Option<&'static str> {
        let mut bytes = [0; LONGEST_INSTRUCTION];
        let available = self.state.memory.fetch(address, &mut bytes);
        let code = self.model.isa.decoder(&bytes[..available], address).decode().code();
        let mut sets = INSTRUCTION_SETS.iter().filter(|_| !self.model.isa.has(code));
        sets.find(|set| set.has(code)).map(|set| set.chip)
    }

    /// The stop by `fault` at `address`. If no source line stands there, the place is the line that led there.
    fn faulted(&self, fault: &Fault, address: u32) -> Stop {
        let own = self.place(address);
        let led = self.strayed_from.filter(|_| own.is_none());
        Stop {
            reason: StopReason::Fault,
            code: Some(u32::from(fault.vector.number())),
            detail: Some(StopDetail::Fault {
                cause: fault.cause,
                address: fault.address,
                unlisted: match own {
                    Some(_) => None,
                    None if self.image.linked.iter().any(|code| code.contains(&address)) => {
                        Some(Unlisted::Linked { at: address })
                    }
                    None => led.map(|_| Unlisted::Strayed),
                },
            }),
            place: own.or(led),
        }
    }

    /// The stop of a program that cannot or may not go on at `address`.
    fn stopped(&self, reason: StopReason, detail: StopDetail, address: u32) -> Stop {
        Stop {
            detail: Some(detail),
            place: self.place(address),
            ..Stop::plain(reason)
        }
    }

    /// The outermost source line of an address.
    fn place(&self, address: u32) -> Option<(u32, u32)> {
        self.image.line_at(address).map(|row| self.image.outermost(row))
    }
}

fn misfit(error: MapError) -> Misfit {
    match error {
        MapError::TooMuch => Misfit::TooLarge {
            most: MEMORY_LIMIT >> 20,
        },
        MapError::PastEnd => Misfit::PastAddressSpace,
        MapError::NotMapped => Misfit::NotMapped,
    }
}

#[cfg(test)]
mod tests;
