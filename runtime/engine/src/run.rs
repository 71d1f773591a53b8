//! The engine: units of code, how they are entered and left, and how they are linked.

use crate::calls::{self, reals};
use crate::emit::{self, Calls, Common, Ending, Source};
use crate::frame::{self, Called, Frame, packed, set_status};
use crate::host;
use crate::links::{self, Beginning, ColdLeads, LEADS, Links};
use crate::memory::CodeMemory;
use crate::{Compiled, Exit, Ran, Refused, Way};
use iced_x86::Instruction;
use p5_meaning::exec::{self, MicroOp, Outcome, State};
use p5_timing::pipeline::{After, AfterCold, BlockTime, Pipeline, Places, Plan};
use p5_words::isa::InstructionSet;
use p5_words::registers::{CS, DS, ES, SS};
use std::collections::BTreeSet;

/// Compiled code, and what it needs.
pub struct Engine {
    memory: CodeMemory,
    common: Common,
    calls: Calls,
    places: Places,
    links: Links,
    units: Vec<Unit>,
    /// What the usual replays of the units come to, by their numbers.
    afters: Vec<After>,
    called: Box<Called>,
    epoch: u64,
    /// Whether the host's floating-point unit has 64 bits of precision, which emulators may lack.
    precise: bool,
}

/// Marks an incoming way as one after a replay whose lines were not at hand.
const COLD: u32 = u32::MAX;

/// The code of a block for a state of issue.
struct Unit {
    block: u32,
    /// Where it begins, and where it is entered from code of the same page.
    code: u64,
    within: u64,
    /// The code page, if it is in one.
    page: Option<u32>,
    entry: u64,
    exit: u64,
    ending: Ending,
    /// Where the ways begin that lead nowhere.
    outs: [u64; 2],
    beginning: Beginning,
    /// The ways that lead here.
    incoming: BTreeSet<(u32, u32)>,
}

impl Engine {
    /// Creates an engine for a pipeline.
    ///
    /// # Errors
    ///
    /// The reason why blocks cannot be compiled here.
    pub fn new(pipeline: &Pipeline) -> Result<Engine, Refused> {
        if !pipeline.can_be_compiled() {
            return Err(Refused::Chip);
        }
        if !host::has_flag_moves() {
            return Err(Refused::Host);
        }
        let mut common = Common::default();
        let memory = CodeMemory::new(|base| {
            let (code, places) = emit::common(base, &pipeline.places())?;
            common = places;
            Some(code)
        })?;
        Ok(Engine {
            memory,
            common,
            calls: calls::all(),
            places: pipeline.places(),
            links: Links::new(),
            units: Vec::new(),
            afters: vec![After::STAYS, After::STAYS, After::DELAYED, After::DELAYED],
            called: Box::new(Called {
                operations: Vec::new(),
                words: Vec::new(),
                left: None,
                after: AfterCold::default(),
                colds: Vec::new(),
            }),
            epoch: 0,
            precise: host::is_precise(),
        })
    }

    /// Whether there is room for more code.
    pub fn has_room(&self) -> bool {
        self.memory.has_room() && (self.afters.len() as u32) < frame::MOST_PASSED
    }

    /// Compiles block number `block` for the current state of issue.
    pub fn compile(
        &mut self,
        block: u32,
        operations: &[MicroOp],
        time: &mut BlockTime,
        pipeline: &mut Pipeline,
        isa: &InstructionSet,
    ) -> Compiled {
        if !pipeline.can_plan(time) {
            return Compiled::NotNow;
        }
        let Some(plan) = pipeline.plan(time) else {
            return Compiled::NotNow;
        };
        let instructions: Vec<Instruction> = pipeline
            .code_of(time)
            .map(|(address, bytes)| isa.decoder(32, bytes, address).decode())
            .collect();
        let Some(ending) = emit::ending(&instructions) else {
            pipeline.drop_plan(plan.number);
            return Compiled::Never;
        };
        let unit = self.units.len() as u32;
        let number = self.afters.len() as u32;
        let source = Source {
            unit,
            plan: &plan,
            places: &self.places,
            common: &self.common,
            calls: &self.calls,
            instructions: &instructions,
            passed: std::array::from_fn(|after| number + after as u32),
            operations,
            targets: self.links.address(),
        };
        let base = self.memory.next();
        let code = emit::block(&source, base).filter(|code| self.memory.add(&code.bytes));
        let Some(code) = code else {
            pipeline.drop_plan(plan.number);
            return Compiled::Never;
        };
        let outs = code.outs.map(|out| out as u64);
        pipeline.room(plan.number)[LEADS..][..outs.len()].copy_from_slice(&outs);
        self.afters.extend(plan.after);
        pipeline.keep_compiled(time, plan.number);
        self.called.operations.push(operations.into());
        self.called.words.push(plan.words.as_slice().into());
        self.called.colds.push(ColdLeads::default());
        self.units.push(Unit {
            block,
            code: base as u64,
            within: code.within as u64,
            page: plan.page,
            entry: plan.entry,
            exit: plan.exit,
            ending,
            outs,
            beginning: beginning(&plan),
            incoming: BTreeSet::new(),
        });
        debug_assert_eq!(plan.number, unit, "plans and units have the same numbers");
        Compiled::Unit(unit)
    }

    /// Runs the code of `unit`, and the code that it leads to, until clock `due`, or until a listener wants groups.
    pub fn run(&mut self, unit: u32, state: &mut State, pipeline: &mut Pipeline, due: u64) -> Option<Ran> {
        let watched = pipeline.compiled_until().filter(|_| self.memory.is_usable())?;
        state.facts.clear();
        let code = self.units.get(unit as usize)?.code;
        pipeline.retain_plain(|page, mapping| state.memory.mapping(page) == mapping);
        let memory = state.memory.places();
        let mut frame = Frame {
            state,
            pipeline,
            units: self.places.units,
            words: state.facts.words.as_mut_ptr().expose_provenance(),
            pages: memory.pages,
            frames: memory.frames,
            due: due.min(watched),
            watched,
            epoch: self.epoch + 1,
            flags: packed(&state.registers.flags),
            unit,
            late: 1,
            engine: &raw mut *self.called,
            end: pipeline.end(),
            statistics: pipeline.statistics(),
            afters: self.afters.as_ptr().expose_provenance(),
            reals: if self.precise { reals(state) } else { 0 },
            control: u32::from(state.registers.fpu.control()),
            selectors: [CS, ES, SS, DS].map(|number| u32::from(state.registers.segments[number].selector())),
            code_base: state.registers.segments[CS].base(),
            met: frame::UNKNOWN,
            ..Frame::EMPTY
        };
        // SAFETY: `enter` is code that `emit::common` made for this signature, and `code` begins a unit in the same
        // memory, which is executable. They reach what the frame points to, which lives until the call returns and is
        // not used otherwise meanwhile: `state` and `pipeline` are borrowed mutably, the units and the replay counters
        // belong to the pipeline, the ways and targets to the engine.
        unsafe {
            let enter: extern "sysv64" fn(*mut Frame, u64) =
                std::mem::transmute::<*const (), _>(std::ptr::with_exposed_provenance(self.common.enter));
            enter(&raw mut frame, code);
        }
        self.epoch = frame.epoch;
        set_status(&mut state.registers.flags, frame.flags);
        Some(self.stopped(&frame, state, pipeline))
    }

    /// Makes `way` lead to the code of `unit`, so that the caller is not asked again.
    pub fn link(&mut self, way: Way, unit: u32, pipeline: &mut Pipeline) {
        let from = self.units.get(way.unit as usize).and_then(|from| from.page);
        let Some(to) = self.units.get_mut(unit as usize) else {
            return;
        };
        let code = match to.page {
            Some(page) if from == Some(page) => to.within,
            _ => to.code,
        };
        match way.exit {
            Exit::Direct(number) => {
                to.incoming.insert((way.unit, number));
                links::lead(pipeline.room(way.unit), number as usize, code, to.beginning);
            }
            Exit::Indirect(next) => self.links.set(way.unit, next, code),
            Exit::Cold(after) => {
                to.incoming.insert((way.unit, COLD));
                self.called.colds[way.unit as usize].set(after, code);
            }
        }
    }

    /// Lets no way lead to the code of these units any more.
    pub fn cut(&mut self, units: impl Iterator<Item = u32>, pipeline: &mut Pipeline) {
        for unit in units {
            let Some(to) = self.units.get_mut(unit as usize) else {
                continue;
            };
            let (places, incoming) = ([to.code, to.within], std::mem::take(&mut to.incoming));
            self.links.forget(places);
            for (from, way) in incoming {
                if way == COLD {
                    self.called.colds[from as usize].forget(places);
                    continue;
                }
                let out = self.units[from as usize].outs[way as usize];
                links::lead(pipeline.room(from), way as usize, out, Beginning::Unknown);
            }
        }
    }

    /// Drops all code.
    pub fn clear(&mut self) {
        self.memory.clear();
        self.links.clear();
        self.units.clear();
        self.afters.truncate(frame::FIRST_PASSED as usize);
        self.called.operations.clear();
        self.called.words.clear();
        self.called.colds.clear();
    }

    /// The result of running code that has stopped.
    fn stopped(&mut self, frame: &Frame, state: &mut State, pipeline: &mut Pipeline) -> Ran {
        let unit = &self.units[frame.unit as usize];
        let operations = &self.called.operations[frame.unit as usize];
        let mut ran = Ran {
            block: unit.block,
            outcome: Outcome {
                executed: operations.len(),
                unfinished: false,
                exit: exec::Exit::Next,
            },
            replayed: matches!(frame.kind, frame::REPLAYED | frame::PASSED_COLD),
            way: None,
        };
        let issue = match frame.kind {
            frame::REPLAYED => Some(unit.exit),
            frame::PASSED_COLD => None,
            _ => Some(unit.entry),
        };
        pipeline.leave_compiled(frame.end, issue);
        if frame.kind == frame::LEFT {
            let index = frame.argument as usize;
            if let Some(left) = self.called.left.take() {
                ran.outcome = operations[index].leave(index, left, state);
            }
            return ran;
        }
        let (taken, next) = match unit.ending {
            // The ways out are numbered: the branch's, and that to the next instruction.
            Ending::Chooses(target, after) => {
                let taken = match frame.kind {
                    frame::REPLAYED => frame.argument == 0,
                    _ => frame.taken != 0,
                };
                (taken, if taken { target } else { after })
            }
            Ending::Falls(after) => (false, after),
            Ending::Jumps(target) => (true, target),
            Ending::Computed => (true, frame.next),
        };
        if ran.replayed {
            let exit = match unit.ending {
                _ if frame.kind == frame::PASSED_COLD => Exit::Cold(self.called.after),
                Ending::Computed => Exit::Indirect(next),
                _ => Exit::Direct(frame.argument),
            };
            ran.way = Some(Way { unit: frame.unit, exit });
        }
        state.facts.taken = taken;
        state.facts.next = next;
        state.registers.eip = next;
        ran
    }
}

/// How the block of a plan begins.
fn beginning(plan: &Plan) -> Beginning {
    match plan.groups.first() {
        Some(first) if first.branch.is_some() => Beginning::Branches,
        Some(first) if first.usual && first.interlock == 0 => Beginning::Plain,
        _ => Beginning::Unknown,
    }
}
