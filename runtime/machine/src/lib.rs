//! The machine: joins meaning and time, and produces a closed run.
//!
//! Modelled: blocks of decoded instructions, self-modifying code, model specific registers, the services of `services`,
//! repeated runs that keep everything except the program's memory and registers, exceptions that the program handles
//! (one that it does not handle ends the run and is its result), interrupts of monitors. Not modelled: devices.

mod attending;
mod audit;
mod blocks;
mod bounds;
mod calls;
mod close;
mod decode;
mod engine;
mod entering;
mod exceptions;
mod final_state;
pub mod functions;
pub mod instruments;
mod known;
mod leave;
mod ledger;
mod load;
mod lockstep;
mod master;
mod model_registers;
pub mod monitor;
mod monitors;
mod names;
mod options;
mod parts;
mod recording;
mod regions;
mod requests;
mod sampler;
mod sampling;
mod spellings;
mod study;
mod traces;
mod unchanging;
mod unset;
mod values;
mod watcher;

pub use audit::{Audited, audit};
pub use bounds::{Busiest, Progress, Reading};
pub use engine::{NotCompiled, not_compiled, not_compiled_for_audit};
pub use final_state::{Difference, Excused, FinalState, Layout, Piece, joined};
pub use lockstep::{Divergence, Reached, simulate_both};
pub use master::misplaced;
pub use model_registers::RegisterFault;
pub use options::{EngineChoice, Options};
pub use p5_engine::Refused as EngineRefused;
pub use p5_meaning::services::{Entry, Files, Folder, Found, Identity, Kind, NotFound};
pub use p5_record::store::MOST_SAMPLES;
pub use sampler::SampleOptions;
pub use sampling::{Sampled, sample};
pub use study::{Watched, census, mispredictions, probe};

use crate::monitor::Monitors;
use blocks::{Blocked, Blocks, UNSUITED};
use bounds::Bounds;
use calls::CallStack;
use engine::EngineState;
use leave::{Arrival, Strayed};
use ledger::Ledger;
use lockstep::Lockstep;
use p5_chips::{Model, Role};
use p5_image::{Functions, Image, Near, Start};
use p5_meaning::exec::{self, Exit, State};
use p5_meaning::memory::{MEMORY_LIMIT, Memory, Translation};
use p5_meaning::services::Process;
use p5_results::{Note, Run, RunSummary, Stop, StopDetail, StopReason};
use p5_timing::block::Classifier;
use p5_timing::counters::{Counters, Tally};
use p5_timing::pipeline::{OpStats, Pipeline};
use p5_words::isa::PAGE;
use p5_words::registers::{CR0_PG, CR0_WP, CR4_PSE, Registers};
use regions::{CANNOT_ISSUE, Regions};
use sampler::Sampler;
use watcher::Watcher;

/// A Pentium with a program in it.
pub struct Machine<'a> {
    model: &'static Model,
    image: &'a Image,
    options: Options,
    state: State,
    pipeline: Pipeline,
    classifier: Classifier,
    blocks: Blocks,
    engine: EngineState,
    // Its part in a comparison with another machine.
    lockstep: Option<Lockstep>,
    regions: Regions,
    bounds: Bounds,
    counters: Counters,
    time_stamp_offset: u64,
    // The chip's model specific registers, in the chip's order.
    model_registers: Vec<u64>,
    monitors: Monitors,
    // The sampler outside the program, if there is one.
    sampler: Option<Box<Sampler>>,
    // The watcher of a study, if there is one.
    watcher: Option<Box<Watcher>>,
    // The address of the next instruction at the last check of the monitors, and whether interrupts were enabled then;
    // `None` while the monitors need no check after each instruction.
    looked: Option<(u32, bool)>,
    // The statistics of the instructions executed in this run before all blocks were last dropped.
    ledger: Ledger,
    summaries: Vec<RunSummary>,
    run_start: load::RunStart,
    // The counts at the end of the last run, at all privilege levels.
    run_end: Tally,
    process: Process,
    // Whether the program pages by itself: it has switched paging off, or loaded a page directory.
    own_paging: bool,
    // CR3 as the units know it.
    directory: u32,
    // Whether translations have to be forgotten before the next instruction.
    retranslates: bool,
    notes: Vec<Note>,
    // The linear address of the return address of the program's caller; `None` if the program was not called.
    return_place: Option<u32>,
    // The way in which the program last left its code, or came to code without a source line.
    strayed: Option<Strayed>,
    // The calls of this run, if they are counted.
    calls: Option<Box<CallStack>>,
    // How often each branch of the image's preset has been taken in this run.
    rounds: Vec<u32>,
    unchanging: unchanging::Unchanging,
    // Whether an earlier run asked for more memory than the options allow.
    was_refused: bool,
    stop: Stop,
}

/// Runs `image` on `model` according to `options`. `progress` is called from time to time.
pub fn simulate(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Run {
    let mut machine = Machine::new(model, image, options.clone());
    machine.run_all(progress);
    machine.into_run(program)
}

/// Like [`simulate`]; `None` if the program asked for more memory than the options allow it, though less than
/// [`MEMORY_LIMIT`]: what it does then is not what it does with that much.
pub fn simulate_within(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Option<Run> {
    let mut machine = Machine::new(model, image, options.clone());
    machine.run_all(progress);
    let refused = machine.was_refused || machine.state.memory.was_refused();
    (!refused || options.mapped >= MEMORY_LIMIT).then(|| machine.into_run(program))
}

/// The functions by the symbols of a program that has code without source lines, or of one that another tool built.
fn functions_of(image: &Image) -> Functions {
    match image.linked.is_empty() && image.process_stack().is_none() {
        true => Functions::default(),
        false => Functions::of(image, &[]),
    }
}

fn has_time_stamp_counter(model: &Model) -> bool {
    let mut registers = model.registers.iter();
    registers.any(|register| register.role == Role::TimeStampCounter)
}

impl<'a> Machine<'a> {
    /// Creates a machine at reset with `image` in its memory.
    pub fn new(model: &'static Model, image: &'a Image, options: Options) -> Machine<'a> {
        let mut pipeline = Pipeline::new(model, options.memory);
        pipeline.set_user(options.cpl > 0);
        if image.start != Start::Flat {
            pipeline.add_video();
        }
        if let Some(master) = model.bus_master() {
            master::attach(master, image, &mut pipeline);
        }
        let engine = EngineState::new(&options, &pipeline);
        let mut blocks = Blocks::new(image, options.one_op_blocks);
        blocks.heat = engine.heat();
        Machine {
            model,
            image,
            state: State::new(Registers::flat(options.cpl), Memory::new()),
            pipeline,
            classifier: Classifier::new(model),
            blocks,
            engine,
            lockstep: None,
            regions: Regions::new(image, has_time_stamp_counter(model)),
            bounds: Bounds::new(options.left()),
            counters: Counters::new(&model.events, model.rules.miscounts),
            time_stamp_offset: 0,
            model_registers: model.registers.iter().map(|register| register.reset).collect(),
            monitors: Monitors::new(model, options.core_ratio),
            sampler: None,
            watcher: None,
            looked: None,
            ledger: Ledger::of(functions_of(image)),
            summaries: Vec::new(),
            run_start: load::RunStart::default(),
            run_end: Tally::default(),
            process: options.process(image),
            own_paging: false,
            directory: 0,
            retranslates: false,
            notes: Vec::new(),
            return_place: None,
            strayed: None,
            calls: None,
            rounds: Vec::new(),
            unchanging: unchanging::Unchanging::default(),
            was_refused: false,
            stop: Stop::plain(StopReason::End),
            options,
        }
    }

    /// Runs the program as often as its options request, unless a run reaches a limit.
    fn run_all(&mut self, progress: &mut dyn FnMut(Progress)) {
        for _ in 0..self.options.runs.max(1) {
            self.run(progress);
            if self.ends_all_runs() {
                break;
            }
        }
    }

    /// Runs the program once, from its entry to its end. Units, clock and counters keep their state between runs.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> &Stop {
        self.run_prepared(|_| (), progress)
    }

    /// Runs the program once. `prepare` is called after the program is loaded, and may access the model specific
    /// registers.
    pub fn run_prepared(
        &mut self,
        prepare: impl FnOnce(&mut Machine<'a>),
        progress: &mut dyn FnMut(Progress),
    ) -> &Stop {
        let loaded = self.load_with_master();
        let began = loaded.is_ok();
        match loaded {
            Ok(()) => {
                prepare(self);
                self.stop = match (self.engine.is_on(), self.options.calls) {
                    (_, true) => self.execute::<false, true>(progress),
                    (true, _) => self.execute::<true, false>(progress),
                    _ => self.execute::<false, false>(progress),
                };
                self.pipeline.end_run(&self.state.facts);
                self.take_records();
                self.regions.settle(&mut self.pipeline, &self.counters);
            }
            Err(misfit) => {
                self.stop = Stop {
                    detail: Some(StopDetail::Misfit(misfit)),
                    ..Stop::plain(StopReason::Unsupported)
                };
            }
        }
        let (system, user) = self.pipeline.tallies();
        let tally = Tally::sum(system, user);
        self.regions.end_run(&tally, &mut self.pipeline);
        let mut summary = self.ledger.summary();
        let (image, mut near) = (self.image, Near::default());
        let questions = &mut self.ledger.questions;
        self.pipeline.read_stats(|op, stats| {
            if !stats.is_empty() {
                questions.add(op.questions_here());
            }
            let library = parts::in_library_near(image, op.address, &mut near);
            OpStats::from(stats).add_to(&mut summary, library);
        });
        summary.whole.cycles = match began {
            true => self.pipeline.end() - self.run_start.clock,
            false => 0,
        };
        self.run_end = tally;
        self.summaries.push(summary);
        &self.stop
    }

    /// Applies a write to a control register of paging, or the invalidation of a translation. It takes effect with the
    /// next instruction.
    fn paging_changed(&mut self) {
        let registers = &self.state.registers;
        self.directory = registers.cr3;
        // A flat program starts with paging, but without tables: each page is mapped to itself.
        self.own_paging |= registers.cr0 & CR0_PG == 0 || registers.cr3 != 0;
        if self.own_paging {
            self.retranslates = true;
            self.state.facts.mode_changed = true;
        }
    }

    /// Discards the kinds of all pages, because the program's page tables may have changed.
    fn forget_pages(&mut self) {
        self.state.facts.pages.clear();
        self.pipeline.core.forget_pages();
    }

    /// Sets the translation that the control registers request.
    fn update_translation(&mut self) {
        let registers = &self.state.registers;
        let translation = Translation {
            directory: registers.cr3 & !(PAGE - 1),
            user: registers.cpl == 3,
            write_protect: registers.cr0 & CR0_WP != 0,
            large_pages: registers.cr4 & CR4_PSE != 0,
        };
        let pages = self.own_paging && registers.cr0 & CR0_PG != 0;
        self.state.memory.set_translation(pages.then_some(translation));
    }

    /// Continues in the mode that the registers select. Returns whether the blocks have been kept.
    #[cold]
    fn change_mode(&mut self) -> bool {
        let mode = self.state.registers.mode();
        if mode.user != self.pipeline.is_user() {
            // The recorded issues of regions are in the tally of the privilege group before the change.
            self.regions.settle(&mut self.pipeline, &self.counters);
            self.pipeline.set_user(mode.user);
        }
        if self.state.registers.cr3 != self.directory {
            // A task switch has loaded CR3.
            self.pipeline.core.page_directory_loaded();
            self.paging_changed();
        }
        if self.own_paging {
            self.update_translation();
        }
        if std::mem::take(&mut self.retranslates) {
            self.state.memory.discard_view();
            self.state.memory.forget_code();
            self.forget_pages();
            self.find_apic();
            self.drop_blocks();
            self.blocks.enter_mode(&mode);
            return false;
        }
        if self.blocks.enter_mode(&mode) {
            return true;
        }
        self.drop_blocks();
        self.blocks.enter_mode(&mode)
    }

    /// Executes from EIP to the end of the run. `COMPILES` if blocks may be compiled, `CALLS` if calls are counted.
    fn execute<const COMPILES: bool, const CALLS: bool>(&mut self, progress: &mut dyn FnMut(Progress)) -> Stop {
        let every = self.options.reading_every;
        self.bounds.begin_run(&mut self.pipeline, self.options.limit, every);
        self.ledger.watch_lines(every.is_some());
        if let Some(stop) = self.attend(progress) {
            return stop;
        }
        let mut sequential;
        let mut index = match self.arrive(None, Arrival::default(), progress) {
            Ok(index) => index,
            Err(stop) => return stop,
        };
        loop {
            let ran = match COMPILES && self.blocks.get_mut(index).heat == 0 {
                true => self.run_compiled(index),
                false => None,
            };
            index = ran.as_ref().map_or(index, |ran| ran.block);
            let replayed = ran.as_ref().is_some_and(|ran| ran.replayed);
            let block = self.blocks.get_mut(index);
            let outcome = match ran {
                Some(ran) => ran.outcome,
                None => exec::run(&block.micro_ops, &mut self.state),
            };
            // A repeat that needs another visit has produced its facts, although it is not complete.
            let executed = outcome.executed + usize::from(outcome.unfinished);
            if let (Some(time), 1.., false) = (&mut block.time, executed, replayed) {
                self.pipeline.replay(time, &self.state.facts, executed);
                if COMPILES && block.heat != UNSUITED {
                    block.heat = block.heat.saturating_sub(1);
                }
            }
            self.call_or_return::<CALLS>(index, outcome.executed);
            if self.state.facts.code_written {
                self.code_stored(executed, self.last_of(index, executed));
            }
            let mut linkable = true;
            match outcome.exit {
                Exit::Next => sequential = !self.state.facts.taken,
                Exit::Fault(fault) => {
                    // A trap comes after a jump that may have led out of the program.
                    if let Some(last) = self.last_of(index, outcome.executed) {
                        let arrival = Arrival {
                            sequential: !self.state.facts.taken,
                            last: Some(last),
                            may_return: false,
                        };
                        self.strays(self.state.registers.eip, arrival);
                    }
                    let unissued = (executed == 0).then(|| self.blocks.get_mut(index).first());
                    if let Err(stop) = self.take_exception(&fault, unissued) {
                        return stop;
                    }
                    (sequential, linkable) = (false, false);
                }
                Exit::Request(request) => {
                    match self.carry_out(index, request) {
                        // The handler of a signal does not follow the call.
                        Ok(()) => sequential = !self.state.facts.taken,
                        Err(Blocked::Stop(stop)) => return stop,
                        Err(Blocked::Fault(fault)) => {
                            let unissued = Some(self.blocks.get_mut(index).first());
                            if let Err(stop) = self.take_exception(&fault, unissued) {
                                return stop;
                            }
                            (sequential, linkable) = (false, false);
                        }
                    }
                }
            }
            if self.bounds.call_for_attention(self.pipeline.end()) || self.pipeline.has_resumed() {
                match self.attend_to_all(progress) {
                    Ok(false) => {}
                    Ok(true) => (sequential, linkable) = (false, false),
                    Err(stop) => return stop,
                }
            }
            let mut arrival = None;
            if self.state.facts.mode_changed {
                // The call may drop the block.
                arrival = Some(self.leaves(index, sequential));
                linkable &= self.change_mode();
            }
            let next = self.state.registers.eip;
            self.follow::<CALLS>(next);
            let from = Some(index).filter(|_| linkable);
            index = match from.and_then(|index| self.blocks.linked(index, next)) {
                Some(linked) => {
                    if COMPILES {
                        self.engine.led_to(linked);
                    }
                    linked
                }
                None => {
                    self.engine.lost();
                    let arrival = arrival.unwrap_or_else(|| self.leaves(index, sequential));
                    match self.arrive(from, arrival, progress) {
                        Ok(index) => index,
                        Err(stop) => return stop,
                    }
                }
            };
        }
    }

    /// Enters the block at EIP after block `from`, or the handler of the fault that prevents it.
    #[cold]
    fn arrive(&mut self, from: Option<u32>, arrival: Arrival, progress: &mut dyn FnMut(Progress)) -> Result<u32, Stop> {
        let (mut from, mut arrival) = (from, arrival);
        loop {
            let next = self.state.registers.eip;
            if let Some(place) = self.never_leaves(next, arrival) {
                return Err(Stop {
                    place: Some(place),
                    ..Stop::plain(StopReason::Endless)
                });
            }
            let strays = self.strays(next, arrival);
            let entered = match from {
                Some(from) => self.enter_from(from, next, arrival, strays),
                None => self.enter(next, arrival),
            };
            match entered {
                Ok(index) => return Ok(index),
                Err(Blocked::Stop(stop)) => return Err(stop),
                Err(Blocked::Fault(fault)) => self.take_exception(&fault, Some(CANNOT_ISSUE))?,
            }
            (from, arrival) = (None, Arrival::default());
            self.change_mode();
            if self.bounds.call_for_attention(self.pipeline.end())
                && let Some(stop) = self.attend(progress)
            {
                return Err(stop);
            }
        }
    }
}

#[cfg(test)]
mod tests;
