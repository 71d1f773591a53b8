//! The second engine at work: which blocks are compiled, and when their code runs.
//!
//! Modelled: nothing. A block is compiled when it has been executed often enough, and its code runs while nobody looks
//! at single instructions: no listener, no monitor, no limit that is near. Not modelled: what code does, which is in
//! `p5_engine`.

use super::blocks::UNSUITED;
use super::{EngineChoice, Machine, Options};
use p5_chips::Model;
use p5_engine::{Compiled, Engine, Ran, Refused, Way};
use p5_timing::pipeline::Pipeline;

/// The executions of a block before it is compiled.
const OFTEN: u32 = 200;

pub(super) struct EngineState {
    // None until the first block is to be compiled.
    pub(super) compiler: Option<Box<Engine>>,
    heat: u32,
    // The way by which code was left, and the block to which it leads.
    way: Option<Way>,
    leads_to: Option<u32>,
}

impl EngineState {
    pub(super) fn new(options: &Options, pipeline: &Pipeline) -> EngineState {
        let heat = match options.engine {
            EngineChoice::Auto => OFTEN,
            EngineChoice::Interpreter => UNSUITED,
            EngineChoice::Jit => 1,
        };
        let suited = !options.one_op_blocks && !options.calls && pipeline.can_be_compiled();
        EngineState {
            compiler: None,
            heat: if suited { heat } else { UNSUITED },
            way: None,
            leads_to: None,
        }
    }

    /// The engine, which is made when it is first needed; `None` if the host refuses.
    fn engine(&mut self, pipeline: &Pipeline) -> Option<&mut Engine> {
        if self.compiler.is_none() {
            self.compiler = Engine::new(pipeline).ok().map(Box::new);
        }
        self.compiler.as_deref_mut()
    }

    /// Whether blocks may be compiled.
    pub(super) fn is_on(&self) -> bool {
        self.heat != UNSUITED
    }

    /// The executions after which a new block is compiled.
    pub(super) fn heat(&self) -> u32 {
        self.heat
    }

    /// Notes that block `index` follows. If code was left before, its way leads there.
    #[inline(always)]
    pub(super) fn led_to(&mut self, index: u32) {
        if self.way.is_some() && self.leads_to.replace(index).is_some() {
            self.way = None;
        }
    }

    /// Notes that it leads to no known block.
    pub(super) fn lost(&mut self) {
        self.way = None;
    }

    /// Drops all code.
    pub(super) fn clear(&mut self) {
        self.way = None;
        if let Some(engine) = &mut self.compiler {
            engine.clear();
        }
    }
}

/// The reason why no block of a run is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCompiled {
    /// The host or the chip allows none.
    Refused(Refused),
    /// A local APIC, which comes with some monitors, makes each access one that may be to its page.
    LocalApic,
    /// Each access may meet another master of the bus.
    SharedBus,
    /// The calls are counted, or each instruction is a block of its own.
    StepByStep,
    /// Each group of instructions is audited.
    Audited,
}

/// The reason why nothing is compiled when programs run on a chip with these options. What only some blocks meet, such
/// as tables of pages or a trace, is none.
pub fn not_compiled(model: &'static Model, options: &Options) -> Option<NotCompiled> {
    if let Err(why) = Engine::new(&Pipeline::new(model, options.memory)) {
        return Some(NotCompiled::Refused(why));
    }
    if model.has_local_apic() {
        return Some(NotCompiled::LocalApic);
    }
    if model.bus_master().is_some() {
        return Some(NotCompiled::SharedBus);
    }
    (options.calls || options.one_op_blocks).then_some(NotCompiled::StepByStep)
}

/// The reason why nothing is compiled in the runs of [`audit`](super::audit()) with these options.
pub fn not_compiled_for_audit(model: &'static Model, options: &Options) -> NotCompiled {
    not_compiled(model, options).unwrap_or(NotCompiled::Audited)
}

impl Machine<'_> {
    /// Runs the code of block `index`, if it has any for the state of issue and may run.
    #[inline(never)]
    pub(super) fn run_compiled(&mut self, index: u32) -> Option<Ran> {
        if self.pipeline.compiled_until().is_none() || !self.state.is_plain() || self.blocks.is_single() {
            return None;
        }
        let due = self.bounds.due_for_code()?;
        let time = self.blocks.get(index)?.time.as_ref()?;
        let unit = match self.pipeline.compiled(time) {
            Some(unit) => unit,
            None if self.pipeline.can_plan(time) => self.compile(index)?,
            None => return None,
        };
        let way = self.engine.way.take();
        let engine = self.engine.compiler.as_mut()?;
        if let Some(way) = way.filter(|_| self.engine.leads_to == Some(index)) {
            engine.link(way, unit, &mut self.pipeline);
        }
        self.state.forget_checks();
        let ran = engine.run(unit, &mut self.state, &mut self.pipeline, due)?;
        (self.engine.way, self.engine.leads_to) = (ran.way, None);
        Some(ran)
    }

    /// Compiles block `index` for the current state of issue. Returns the number of its code.
    #[cold]
    fn compile(&mut self, index: u32) -> Option<u32> {
        let Some(engine) = self.engine.engine(&self.pipeline) else {
            self.blocks.heat = UNSUITED;
            self.blocks.get_mut(index).heat = UNSUITED;
            return None;
        };
        if !engine.has_room() {
            self.blocks.forget_compiled();
            self.pipeline.forget_compiled();
            engine.clear();
            self.engine.way = None;
        }
        let engine = self.engine.compiler.as_mut()?;
        let block = self.blocks.get_mut(index);
        let time = block.time.as_mut()?;
        match engine.compile(index, &block.micro_ops, time, &mut self.pipeline, self.model.isa) {
            Compiled::Unit(unit) => return Some(unit),
            Compiled::NotNow => {}
            Compiled::Never => block.heat = UNSUITED,
        }
        None
    }
}
