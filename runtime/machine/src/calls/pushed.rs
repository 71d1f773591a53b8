//! What pushed the address that a return took from the stack, when the return led out of the program's code.
//!
//! The run is repeated, an instruction at a time, because a run does not record who writes to the stack.

use crate::{EngineChoice, Machine, Options};
use iced_x86::{FlowControl, OpKind};
use p5_image::Start;
use p5_results::{Astray, Blamed, Pushed, StopDetail, Unlisted};

/// The most instructions of a run that is repeated for this.
const MOST_REPEATED: u64 = 1 << 22;

/// The last instruction that pushed to a place on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushes {
    /// The address of the place.
    place: u32,
    /// The stack pointer before the next instruction.
    before: u32,
    last: Option<u32>,
}

impl Pushes {
    /// Notes that the instruction at `address` has been executed, and the stack pointer after it.
    pub(super) fn executed(&mut self, address: Option<u32>, after: u32) {
        if (after..self.before).contains(&self.place) {
            self.last = address;
        }
        self.before = after;
    }
}

impl Machine<'_> {
    /// Adds to the end of a program that a return led out of its code the instruction that pushed what it popped.
    pub(crate) fn blame_push(&mut self) {
        let Some(StopDetail::Fault {
            unlisted: Some(Unlisted::Strayed(Astray { jumped: true, .. })),
            ..
        }) = self.stop.detail
        else {
            return;
        };
        let instructions = self.summaries.last().map_or(u64::MAX, |run| run.whole.instructions);
        let place = self.left_by().and_then(|at| self.popped_by(at));
        let Some(place) = place.filter(|_| instructions <= MOST_REPEATED && self.image.start == Start::Flat) else {
            return;
        };
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
        let pushes = Pushes {
            place,
            before: self.run_start.registers[4],
            last: None,
        };
        let watch = |machine: &mut Machine| {
            if let Some(calls) = &mut machine.calls {
                calls.pushes = Some(pushes);
            }
        };
        again.run_prepared(watch, &mut |_| ());
        // A program that reads a clock or its input may go another way.
        let end = |machine: &Machine| {
            let registers = &machine.state.registers;
            (machine.left_by(), registers.eip, registers.general[4])
        };
        let same = end(&again) == end(self);
        let pushes = again.calls.as_ref().and_then(|calls| calls.pushes);
        let pushed = pushes.filter(|_| same).and_then(|pushes| pushes.last);
        let Some(address) = pushed else { return };
        let (instruction, _) = self.instruction_at(address);
        let mut text = String::new();
        iced_x86::Formatter::format(&mut self.formatter(), &instruction, &mut text);
        self.stop.blamed = Some(Box::new(Blamed::Push(Pushed {
            text,
            place: self.place(address),
            address,
            calls: instruction.flow_control() == FlowControl::Call,
        })));
    }

    /// The address of the place on the stack from which the near return at `address`, the last instruction that was
    /// executed, took its target.
    fn popped_by(&self, address: u32) -> Option<u32> {
        let (instruction, _) = self.instruction_at(address);
        let near =
            instruction.flow_control() == FlowControl::Return && instruction.mnemonic() == iced_x86::Mnemonic::Ret;
        let released = match instruction.op0_kind() {
            OpKind::Immediate16 => u32::from(instruction.immediate16()),
            _ => 0,
        };
        let after = self.state.registers.general[4];
        near.then(|| after.wrapping_sub(4 + released))
    }
}
