//! Calls: which call led where, how often, and what passed until the return.
//!
//! Modelled: a stack of the calls that have not returned, by the stack pointer. A return or an indirect jump, like that
//! of `longjmp`, ends all calls whose return addresses lie below the stack pointer after it; the next call ends what
//! was left in another way. Not modelled: calls through gates, interrupts, several stacks.
//!
//! What a function calls while it is active already counts for its first call only, so that no call has more clocks
//! than the run.

use super::Machine;
use p5_results::{Call, Calls};
use rustc_hash::FxHashMap;

/// The most calls that are open at once, and the most different ones. Others are not counted.
const MOST_OPEN: usize = 1 << 20;
const MOST_CALLS: usize = 1 << 18;

/// A call that has not returned.
struct Open {
    call: (u32, u32),
    // The place of the return address.
    place: u32,
    clock: u64,
    instructions: u64,
}

/// What is known of the calls with one address and one target.
#[derive(Default)]
struct Made {
    times: u64,
    clocks: u64,
    instructions: u64,
}

#[derive(Default)]
pub(super) struct CallStack {
    open: Vec<Open>,
    // How often each target is open.
    active: FxHashMap<u32, u32>,
    made: FxHashMap<(u32, u32), Made>,
    // The address of a call whose target is not known yet.
    begun: Option<u32>,
    instructions: u64,
    missed: bool,
}

impl CallStack {
    fn begin(&mut self, call: (u32, u32), place: u32, clock: u64) {
        // What was left without a return lies at or below the new return address.
        self.end(place.wrapping_add(1), clock);
        if self.open.len() >= MOST_OPEN || self.made.len() >= MOST_CALLS && !self.made.contains_key(&call) {
            self.missed = true;
            return;
        }
        self.made.entry(call).or_default().times += 1;
        *self.active.entry(call.1).or_default() += 1;
        self.open.push(Open {
            call,
            place,
            clock,
            instructions: self.instructions,
        });
    }

    /// Ends the calls whose return addresses lie below `stack`.
    fn end(&mut self, stack: u32, clock: u64) {
        while let Some(last) = self.open.pop_if(|last| last.place < stack) {
            self.close(&last, clock);
        }
    }

    fn close(&mut self, call: &Open, clock: u64) {
        let active = self.active.entry(call.call.1).or_default();
        *active = active.saturating_sub(1);
        if *active == 0 {
            let made = self.made.entry(call.call).or_default();
            made.clocks += clock - call.clock;
            made.instructions += self.instructions - call.instructions;
        }
    }
}

impl Machine<'_> {
    /// Starts counting the calls of a run, if that is asked for.
    pub(super) fn begin_calls(&mut self) {
        self.calls = self.options.calls.then(Box::default);
    }

    /// Notes, if `CALLS`, that `executed` instructions of block `index` have been executed, and what its last one does.
    #[inline(always)]
    pub(super) fn call_or_return<const CALLS: bool>(&mut self, index: u32, executed: usize) {
        let Some(calls) = self.calls.as_mut().filter(|_| CALLS) else {
            return;
        };
        calls.instructions += executed as u64;
        let block = self.blocks.get_mut(index);
        if executed < block.micro_ops.len() {
            return;
        }
        if block.calls {
            calls.begun = block.address_of(executed - 1);
        } else if block.may_return {
            calls.end(self.state.registers.general[4], self.pipeline.end());
        }
    }

    /// Notes, if `CALLS`, that block `index` comes next: the target of a call that the block before ended with.
    #[inline(always)]
    pub(super) fn arrive_by_call<const CALLS: bool>(&mut self, index: u32) {
        let Some(calls) = self.calls.as_mut().filter(|_| CALLS) else {
            return;
        };
        if let Some(from) = calls.begun.take()
            && let Some(target) = self.blocks.get_mut(index).address_of(0)
        {
            calls.begin((from, target), self.state.registers.general[4], self.pipeline.end());
        }
    }

    /// The calls of the last run; `None` if they were not counted.
    pub(super) fn take_calls(&mut self) -> Option<Calls> {
        let clock = self.pipeline.end();
        let mut calls = self.calls.take()?;
        while let Some(last) = calls.open.pop() {
            calls.close(&last, clock);
        }
        let mut list: Vec<Call> = calls
            .made
            .iter()
            .map(|(&(from, target), made)| Call {
                from,
                target,
                times: made.times,
                clocks: made.clocks,
                instructions: made.instructions,
            })
            .collect();
        list.sort_unstable_by_key(|call| (call.from, call.target));
        Some(Calls {
            list,
            complete: !calls.missed,
        })
    }
}
