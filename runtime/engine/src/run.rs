//! The engine: units of code, and the calls between code and the functions that the interpreter uses.

use crate::emit::{self, Calls, Common, Ending, Source};
use crate::frame::{self, Called, Frame, packed, set_status};
use crate::host;
use crate::links::{self, Beginning, LEADS, Links};
use crate::memory::CodeMemory;
use crate::{Compiled, Exit, Ran, Refused, Way};
use iced_x86::Instruction;
use p5_meaning::exec::{self, MicroOp, Outcome, State};
use p5_meaning::memory;
use p5_timing::pipeline::{After, BlockTime, Pipeline, Places, Plan};
use p5_words::fpu::Divider;
use p5_words::isa::{InstructionSet, PAGE};
use p5_words::registers::{CS, DS, ES, SS};

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

/// The code of a block for a state of issue.
struct Unit {
    block: u32,
    code: u64,
    entry: u64,
    exit: u64,
    ending: Ending,
    /// Where the ways begin that lead nowhere.
    outs: [u64; 2],
    beginning: Beginning,
    /// The ways that lead here.
    incoming: Vec<(u32, u32)>,
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
            calls: Calls {
                execute: execute as *const () as usize,
                execute_floating: execute_floating as *const () as usize,
                execute_with_flags: execute_with_flags as *const () as usize,
                refetch: refetch as *const () as usize,
                note: note as *const () as usize,
                meet: meet as *const () as usize,
                begin: begin as *const () as usize,
                issue: issue as *const () as usize,
                access: access as *const () as usize,
                access_second: access_second as *const () as usize,
                access_floating: access_floating as *const () as usize,
                leave_floating: leave_floating as *const () as usize,
                keep: keep as *const () as usize,
                replay: replay as *const () as usize,
                branch: branch as *const () as usize,
            },
            places: pipeline.places(),
            links: Links::new(),
            units: Vec::new(),
            afters: vec![After::STAYS, After::STAYS, After::DELAYED, After::DELAYED],
            called: Box::new(Called {
                operations: Vec::new(),
                left: None,
            }),
            epoch: 0,
            precise: host::is_precise(),
        })
    }

    /// Whether there is room for more code.
    pub fn has_room(&self) -> bool {
        self.memory.has_room() && (self.afters.len() as u32) < frame::MOST_PASSED
    }

    /// Compiles block number `block`, which has just been replayed from a schedule, for the current state of issue.
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
        self.units.push(Unit {
            block,
            code: base as u64,
            entry: plan.entry,
            exit: plan.exit,
            ending,
            outs,
            beginning: beginning(&plan),
            incoming: Vec::new(),
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
        let Some(to) = self.units.get_mut(unit as usize) else {
            return;
        };
        let code = to.code;
        match way.exit {
            Exit::Direct(number) => {
                to.incoming.push((way.unit, number));
                links::lead(pipeline.room(way.unit), number as usize, code, to.beginning);
            }
            Exit::Indirect(next) => self.links.set(way.unit, next, code),
        }
    }

    /// Lets no way lead to the code of these units any more.
    pub fn cut(&mut self, units: impl Iterator<Item = u32>, pipeline: &mut Pipeline) {
        for unit in units {
            let Some(Unit { code, incoming, .. }) = self.units.get_mut(unit as usize) else {
                continue;
            };
            let (code, incoming) = (*code, std::mem::take(incoming));
            self.links.forget(code);
            for (from, way) in incoming {
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
    }

    /// What code has come to.
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
            replayed: frame.kind == frame::REPLAYED,
            way: None,
        };
        let entry = if ran.replayed { unit.exit } else { unit.entry };
        pipeline.leave_compiled(frame.end, entry);
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
                let taken = match ran.replayed {
                    true => frame.argument == 0,
                    false => frame.taken != 0,
                };
                (taken, if taken { target } else { after })
            }
            Ending::Falls(after) => (false, after),
            Ending::Jumps(target) => (true, target),
            Ending::Computed => (true, frame.next),
        };
        if ran.replayed {
            let exit = match unit.ending {
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

/// The operations of the floating-point unit that code may execute.
fn reals(state: &State) -> u32 {
    match (state.computes_plainly(), state.registers.fpu.divider) {
        (false, _) => 0,
        (true, Divider::Correct) => frame::COMPUTES | frame::DIVIDES,
        (true, Divider::Flawed) => frame::COMPUTES,
    }
}

/// The state, the pipeline and what else a function needs that code calls.
///
/// # Safety
///
/// Code calls with the address of the frame that [`Engine::run`] has filled.
unsafe fn opened<'a>(frame: *mut Frame) -> (&'a mut Frame, &'a mut State, &'a mut Pipeline, &'a mut Called) {
    // SAFETY: `run` borrows all four mutably for as long as code runs, and uses none of them meanwhile. Code holds no
    // reference, only addresses, and one function at a time is called.
    unsafe {
        (
            &mut *frame,
            &mut *(*frame).state,
            &mut *(*frame).pipeline,
            &mut *(*frame).engine,
        )
    }
}

/// Executes an operation of a unit; `packed` is its number and, from bit 16, that of its first fact word. Returns
/// whether it leaves the block.
extern "sysv64" fn execute(frame: *mut Frame, unit: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    execute_one(frame, state, pipeline, called, unit, packed)
}

/// The same for an operation of the floating-point unit, which may change its control word.
extern "sysv64" fn execute_floating(frame: *mut Frame, unit: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    let left = execute_one(frame, state, pipeline, called, unit, packed);
    // The unit of the host is ready only if it was when code was entered.
    frame.reals = if frame.host_control == 0 { 0 } else { reals(state) };
    frame.control = u32::from(state.registers.fpu.control());
    left
}

/// The same for an operation that depends on flags or sets them.
extern "sysv64" fn execute_with_flags(frame: *mut Frame, unit: u32, operation: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    set_status(&mut state.registers.flags, frame.flags);
    let left = execute_one(frame, state, pipeline, called, unit, operation);
    frame.flags = packed(&state.registers.flags);
    left
}

fn execute_one(
    frame: &mut Frame,
    state: &mut State,
    pipeline: &mut Pipeline,
    called: &mut Called,
    unit: u32,
    packed: u32,
) -> u64 {
    let (index, word) = (packed & 0xFFFF, packed >> 16);
    state.facts.taken = false;
    let operation = &called.operations[unit as usize][index as usize];
    called.left = operation.execute(word as usize, state);
    frame.taken = u32::from(state.facts.taken);
    frame.next = state.facts.next;
    let frames = state.memory.places().frames;
    if frame.frames != frames {
        frame.frames = frames;
        pipeline.retain_plain(|page, mapping| state.memory.mapping(page) == mapping);
    }
    u64::from(called.left.is_some())
}

/// Bit 0 of the result: whether the lines were fetched; bit 1: whether this can be relied on in this epoch.
extern "sysv64" fn refetch(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, _, pipeline, _) = unsafe { opened(frame) };
    frame.epoch += 1;
    let fetched = pipeline.refetch_compiled(plan);
    u64::from(fetched) | u64::from(fetched && pipeline.is_settled(plan)) << 1
}

extern "sysv64" fn note(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, _, pipeline, _) = unsafe { opened(frame) };
    pipeline.note_replay(plan);
    0
}

extern "sysv64" fn meet(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, _, pipeline, _) = unsafe { opened(frame) };
    frame.is_late();
    pipeline.meet_entry_compiled(plan);
    0
}

extern "sysv64" fn begin(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.begin_compiled(plan, &state.facts);
    0
}

extern "sysv64" fn issue(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    (state.facts.taken, state.facts.next) = (frame.taken != 0, frame.next);
    frame.is_late();
    pipeline.issue_compiled(plan, group, &state.facts);
    0
}

extern "sysv64" fn access(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.access_compiled(plan, group, &state.facts)
}

/// `packed` is the number of the group and, in bit 16, whether its accesses are of one bank.
extern "sysv64" fn access_second(frame: *mut Frame, plan: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    let first = (frame.waited, frame.cause, packed >> 16 != 0);
    pipeline.access_second_compiled(plan, packed & 0xFFFF, first, &state.facts)
}

extern "sysv64" fn access_floating(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.access_floating_compiled(plan, group, &state.facts)
}

extern "sysv64" fn leave_floating(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.leave_floating_compiled(plan, group, &state.facts);
    0
}

/// Tells the units that the line of an access, which has just hit, may be looked up by code. `packed` is its fact word,
/// and bit 31 whether it writes.
extern "sysv64" fn keep(frame: *mut Frame, _: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    let (word, writes) = (packed << 1 >> 1, packed >> 31 != 0);
    let address = state.facts.words[word as usize];
    let mapping = state.memory.mapping(address / PAGE);
    let simple = match writes {
        true => mapping as u32 & memory::Places::WRITING == memory::Places::PLAINLY_WRITABLE,
        false => mapping as u32 & memory::Places::READABLE != 0,
    };
    if simple {
        let bytes = mapping >> memory::Places::FLAGS.trailing_ones();
        let base = bytes.wrapping_sub(u64::from(address & !(PAGE - 1)));
        pipeline.keep_plain(address, writes, mapping, base);
    }
    0
}

extern "sysv64" fn replay(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    (state.facts.taken, state.facts.next) = (frame.taken != 0, frame.next);
    frame.is_late();
    pipeline.replay_compiled(plan, &state.facts);
    0
}

extern "sysv64" fn branch(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    (state.facts.taken, state.facts.next) = (frame.taken != 0, frame.next);
    frame.is_late();
    pipeline.branch_compiled(plan, &state.facts);
    0
}
