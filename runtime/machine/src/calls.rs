//! Calls: which call led where, how often, and what passed until the return.
//!
//! Modelled: a stack of the calls that have not returned, by the stack pointer. A return or an indirect jump, like that
//! of `longjmp`, ends all calls whose return addresses lie below the stack pointer after it; the next call ends what
//! was left in another way. Not modelled: calls through gates, interrupts, several stacks.
//!
//! What a function calls while it is active already counts for its first call only, so that no call has more clocks
//! than the run. Chains of calls have each clock once. A function that calls itself stays in its chain, and so does
//! what is called when there are too many chains.

use super::Machine;
use p5_results::{Call, Calls, Chain};
use rustc_hash::FxHashMap;

/// The most calls that are open at once, and the most different ones. Others are not counted.
const MOST_OPEN: usize = 1 << 20;
const MOST_CALLS: usize = 1 << 18;
/// The most chains of calls, and open calls beyond which no chain begins.
const MOST_CHAINS: usize = 1 << 14;
const DEEPEST: usize = 256;

/// A call that has not returned.
struct Open {
    call: (u32, u32),
    // The place of the return address.
    place: u32,
    clock: u64,
    instructions: u64,
    // The chain of the caller.
    caller: u32,
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
    chains: Vec<Chain>,
    // The chains by caller and target, the present one, and the clock up to which clocks are charged to chains.
    known: FxHashMap<(u32, u32), u32>,
    chain: u32,
    charged: u64,
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
        self.charge(clock);
        self.open.push(Open {
            call,
            place,
            clock,
            instructions: self.instructions,
            caller: self.chain,
        });
        self.chain = self.called(call.1);
    }

    /// Ends the calls whose return addresses lie below `stack`.
    fn end(&mut self, stack: u32, clock: u64) {
        while let Some(last) = self.open.pop_if(|last| last.place < stack) {
            self.close(&last, clock);
        }
    }

    /// Charges the clocks since the last time to the present chain.
    fn charge(&mut self, clock: u64) {
        if let Some(chain) = self.chains.get_mut(self.chain as usize) {
            chain.clocks += clock.saturating_sub(self.charged);
        }
        self.charged = clock;
    }

    /// The chain of a function that the present one calls.
    fn called(&mut self, target: u32) -> u32 {
        let caller = self.chain;
        if self
            .chains
            .get(caller as usize)
            .is_some_and(|chain| chain.target == target)
        {
            return caller;
        }
        if let Some(&chain) = self.known.get(&(caller, target)) {
            return chain;
        }
        if self.chains.len() >= MOST_CHAINS || self.open.len() > DEEPEST {
            return caller;
        }
        let number = self.chains.len() as u32;
        self.chains.push(Chain {
            caller: Some(caller),
            target,
            clocks: 0,
        });
        self.known.insert((caller, target), number);
        number
    }

    fn close(&mut self, call: &Open, clock: u64) {
        self.charge(clock);
        self.chain = call.caller;
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
        let (target, charged) = (self.image.entry, self.pipeline.end());
        self.calls = self.options.calls.then(|| {
            Box::new(CallStack {
                chains: vec![Chain {
                    caller: None,
                    target,
                    clocks: 0,
                }],
                charged,
                ..CallStack::default()
            })
        });
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
        if self.blocks.get_mut(index).stub {
            // What a call of a stub leads to is called.
            return;
        }
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
        calls.charge(clock);
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
            chains: calls.chains,
        })
    }
}
