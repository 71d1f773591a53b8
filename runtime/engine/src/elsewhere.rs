//! The engine on hosts for which it generates no code: it says so.

use crate::{Compiled, Ran, Refused, Way};
use p5_meaning::exec::{MicroOp, State};
use p5_timing::pipeline::{BlockTime, Pipeline};
use p5_words::isa::InstructionSet;

/// An engine that cannot exist.
pub enum Engine {}

impl Engine {
    /// Says that the host is not suited.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn new(_: &Pipeline) -> Result<Engine, Refused> {
        Err(Refused::Host)
    }

    /// Whether there is room for more code.
    pub fn has_room(&self) -> bool {
        match *self {}
    }

    /// Compiles a block.
    pub fn compile(
        &mut self,
        _: u32,
        _: &[MicroOp],
        _: &mut BlockTime,
        _: &mut Pipeline,
        _: &InstructionSet,
    ) -> Compiled {
        match *self {}
    }

    /// Runs code.
    pub fn run(&mut self, _: u32, _: &mut State, _: &mut Pipeline, _: u64) -> Option<Ran> {
        match *self {}
    }

    /// Links a way.
    pub fn link(&mut self, _: Way, _: u32, _: &mut Pipeline) {
        match *self {}
    }

    /// Cuts the ways to units.
    pub fn cut(&mut self, _: impl Iterator<Item = u32>, _: &mut Pipeline) {
        match *self {}
    }

    /// Drops all code.
    pub fn clear(&mut self) {
        match *self {}
    }
}
