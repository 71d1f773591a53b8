//! Calls: which call led where, how often, what passed until the return, and the chain of calls that is executed.
//!
//! Modelled: a stack of the calls that have not returned, by the stack pointer. A return or an indirect jump, like that
//! of `longjmp`, ends all calls whose return addresses lie below the stack pointer after it; the next call ends what
//! was left in another way. A jump from one function to another, where both have known ends, counts as a call that
//! returns with its caller or with a jump back. Not modelled: calls through gates, interrupts, several stacks.
//!
//! Each chain has blocks of its own, so the figures of its instructions are its own, too: the ledger adds them up. A
//! function that calls itself stays in its chain. What a function calls while it is active already counts for its first
//! call only, so that no call has more clocks than the run.

use self::chains::{Chains, ROOT};
use super::ledger::Ledger;
use super::{Machine, parts};
use kept::Kept;
use mistakes::Watchers;
use p5_image::Functions;
use p5_results::{Call, Calls};
use returned::Returned;
use rustc_hash::FxHashMap;
use std::ops::Range;
use written::Watched;

mod called;
mod chains;
mod counted;
mod falling;
mod indexed;
mod kept;
mod mistakes;
mod pointers;
mod removed;
mod reread;
mod returned;
pub(crate) mod rust;
mod scratched;
mod walked;
mod wrapped;
mod written;

/// The most calls that are open at once, and the most different ones. Others are not counted.
const MOST_OPEN: usize = 1 << 20;
const MOST_CALLS: usize = 1 << 18;
/// The most jumps from function to function that are open in one call: of more in a row, the last takes the place of
/// the one before. Code that is threaded by jumps would have a chain for each order of its parts.
const MOST_JUMPS: usize = 2;

/// Whether the code is `call next; next:`, which only pushes its own address: no procedure is called.
fn reads_own_address(code: &[u8]) -> bool {
    code.starts_with(&[0xE8, 0, 0, 0, 0])
}

/// A call: the chains that call and are called, the address of the call and its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    caller: u16,
    called: u16,
    from: u32,
    target: u32,
}

/// A call that has not returned.
struct Open {
    key: Key,
    // Whether it is a jump.
    jumps: bool,
    // The place of the return address.
    place: u32,
    clock: u64,
    instructions: u64,
}

/// What is known of equal calls.
#[derive(Default)]
struct Made {
    times: u64,
    clocks: u64,
    instructions: u64,
}

pub(super) struct CallStack {
    open: Vec<Open>,
    // How often each target is open.
    active: FxHashMap<u32, u32>,
    made: FxHashMap<Key, Made>,
    // The address of the last instruction, and whether that is a call whose target is not known yet.
    last: u32,
    begun: bool,
    instructions: u64,
    missed: bool,
    chains: Chains,
    chain: u16,
    functions: Functions,
    // Whether only the library has been executed so far, which calibrates its macros before the program starts.
    calibrates: bool,
    // Addresses at which no other function than that of the chain begins.
    here: Range<u32>,
    // The place in memory whose writers are watched.
    watched: Option<Watched>,
    // What a repeated run is watched for.
    watchers: Option<Box<Watchers>>,
    // The registers on the stack, if returns are looked for that take one.
    returned: Option<Box<Returned>>,
    // The registers of open calls, if those are watched that functions of C keep.
    kept: Option<Kept>,
}

impl CallStack {
    fn of(entry: u32, functions: Functions) -> CallStack {
        let function = functions.around(entry).0;
        CallStack {
            open: Vec::new(),
            active: FxHashMap::default(),
            made: FxHashMap::default(),
            last: entry,
            begun: false,
            instructions: 0,
            missed: false,
            chains: Chains::of(entry, function),
            chain: ROOT,
            functions,
            calibrates: false,
            here: 0..0,
            watched: None,
            watchers: None,
            returned: None,
            kept: None,
        }
    }

    /// Begins a call of `target` from the last instruction, whose return address is at `place`.
    fn begin(&mut self, target: u32, place: u32, clock: u64, jumps: bool) {
        let function = self.functions.around(target).0;
        if self.open.len() >= MOST_OPEN {
            self.missed = true;
            let chain = self.chains.left_out(self.chain, target, function);
            self.enter(chain);
            return;
        }
        let key = Key {
            caller: self.chain,
            called: self.chains.called(self.chain, target, function),
            from: self.last,
            target,
        };
        if self.made.len() < MOST_CALLS || self.made.contains_key(&key) {
            self.made.entry(key).or_default().times += 1;
        } else {
            self.missed = true;
        }
        *self.active.entry(target).or_default() += 1;
        self.open.push(Open {
            key,
            jumps,
            place,
            clock,
            instructions: self.instructions,
        });
        self.enter(key.called);
    }

    fn enter(&mut self, chain: u16) {
        self.chain = chain;
        self.here = 0..0;
    }

    /// Ends the calls whose return addresses lie below `stack`.
    fn end(&mut self, stack: u32, clock: u64) {
        while let Some(last) = self.open.pop_if(|last| last.place < stack) {
            self.close(&last, clock);
        }
    }

    fn close(&mut self, call: &Open, clock: u64) {
        self.enter(call.key.caller);
        let active = self.active.entry(call.key.target).or_default();
        *active = active.saturating_sub(1);
        if *active == 0
            && let Some(made) = self.made.get_mut(&call.key)
        {
            made.clocks += clock - call.clock;
            made.instructions += self.instructions - call.instructions;
        }
    }

    /// Notes an instruction at `next` that no call led to: the function of the chain, or another one that it jumps to.
    fn arrive(&mut self, next: u32, stack: u32, clock: u64) {
        // What has its return address below the stack was left, whichever way.
        self.end(stack, clock);
        let (number, around) = self.functions.around(next);
        self.here = around;
        let within = self.chains.function(self.chain);
        if number == within {
            return;
        }
        // The jumps that are open in this call, the last one first.
        let jumps = self.open.iter().rev().take_while(|open| open.jumps);
        let callers: Vec<u16> = jumps.map(|open| open.key.caller).collect();
        let back = callers
            .iter()
            .position(|&caller| self.chains.function(caller) == number);
        let ended = match back {
            Some(back) => back + 1,
            None => usize::from(callers.len() >= MOST_JUMPS),
        };
        for _ in 0..ended {
            if let Some(last) = self.open.pop() {
                self.close(&last, clock);
            }
        }
        if let Some(number) = number.filter(|_| back.is_none()) {
            let place = self.open.last().map_or(u32::MAX, |open| open.place);
            let target = self.functions.0.get(number).map_or(next, |function| function.address);
            self.begin(target, place, clock, true);
        }
    }
}

impl Machine<'_> {
    /// Starts counting the calls of a run, if that is asked for.
    pub(super) fn begin_calls(&mut self) {
        let counted = self.options.calls;
        self.ledger.tell_chains(counted);
        let entry = self.image.entry;
        self.calls = counted.then(|| {
            Box::new(CallStack {
                calibrates: parts::in_library(self.image, entry),
                ..CallStack::of(entry, Functions::bounded(self.image))
            })
        });
    }

    /// Notes, if `CALLS`, that `executed` instructions of block `index` have been executed, and what its last one does.
    #[inline(always)]
    pub(super) fn call_or_return<const CALLS: bool>(&mut self, index: u32, executed: usize) {
        if !CALLS {
            return;
        }
        let top = self.stack_top();
        if self.calls.as_ref().is_some_and(|calls| calls.returned.is_some()) {
            self.executed_for_returns(index, executed);
        }
        let Some(calls) = self.calls.as_mut() else {
            return;
        };
        calls.instructions += executed as u64;
        let block = self.blocks.get_mut(index);
        let Some(last) = executed.checked_sub(1).and_then(|last| block.address_of(last)) else {
            return;
        };
        if let Some(watched) = &mut calls.watched {
            let open = calls.open.iter().rev().map(|open| (open.key.target, open.key.from));
            watched.executed(last, top, &self.state.memory, self.image, open);
        }
        if let Some(watchers) = &mut calls.watchers {
            watchers.executed(last);
        }
        // What a stub leads to is called by what leads to the stub.
        if !calls.begun {
            calls.last = last;
        }
        if executed < block.micro_ops.len() {
            return;
        }
        if block.calls && !reads_own_address(self.image.bytes_at(last)) {
            (calls.last, calls.begun) = (last, true);
        } else if block.may_return && !calls.begun {
            calls.end(self.state.registers.general[4], self.pipeline.end());
            self.end_kept(last);
        }
    }

    /// Notes what the instruction at `last` ended, if the registers that functions of C keep are watched.
    fn end_kept(&mut self, last: u32) {
        let Some(mut kept) = self.calls.as_mut().and_then(|calls| calls.kept.take()) else {
            return;
        };
        let is_own = |target: u32| self.image.line_at(target).is_some();
        kept.end(last, self.is_return(last), &self.state.registers.general, is_own);
        if let Some(calls) = &mut self.calls {
            calls.kept = Some(kept);
        }
    }

    /// Notes, if `CALLS`, that the instruction at `next` comes next, and uses the blocks of its chain.
    #[inline(always)]
    pub(super) fn follow<const CALLS: bool>(&mut self, next: u32) {
        let Some(calls) = self.calls.as_mut().filter(|_| CALLS) else {
            return;
        };
        if let Some(watchers) = &mut calls.watchers {
            watchers.come_to(next, &self.state.registers);
        }
        if calls.calibrates && !parts::in_library(self.image, next) {
            calls.calibrates = false;
            calls.chains.start(next, calls.functions.around(next).0);
        }
        if (calls.begun || !calls.here.contains(&next)) && !self.image.is_stub(next) {
            let clock = self.pipeline.end();
            if std::mem::take(&mut calls.begun) {
                let place = self.state.registers.general[4];
                // What was left without a return lies at or below the new return address.
                calls.end(place.wrapping_add(1), clock);
                calls.begin(next, place, clock, false);
                if let Some(kept) = &mut calls.kept {
                    kept.begin(next, place, &self.state.registers.general);
                }
            } else {
                calls.arrive(next, self.state.registers.general[4], clock);
            }
        }
        self.blocks.enter_chain(calls.chain);
    }

    /// Tells the ledger the function at the end of each chain, before it takes the statistics of the chains.
    pub(super) fn tell_targets(&mut self) {
        if let Some(calls) = &self.calls {
            self.ledger.tell_targets(calls.chains.targets());
        }
    }

    /// The calls of the last run with the figures by chain from its `ledger`; `None` if they were not counted.
    pub(super) fn take_calls(&mut self, ledger: &Ledger) -> Option<Calls> {
        let clock = self.pipeline.end();
        let mut calls = self.calls.take()?;
        while let Some(last) = calls.open.pop() {
            calls.close(&last, clock);
        }
        let told = ledger.by_chain()?;
        let call = |(key, made): (&Key, &Made)| Call {
            from: key.from,
            target: key.target,
            entries: [key.from, key.target].map(|address| told.entries.get(&address).copied()),
            caller: key.caller.into(),
            called: key.called.into(),
            times: made.times,
            clocks: made.clocks,
            instructions: made.instructions,
        };
        let mut list: Vec<Call> = calls.made.iter().map(call).collect();
        list.sort_unstable_by_key(|call| (call.from, call.target, call.caller, call.called));
        let (chains, cut) = calls.chains.told();
        Some(Calls {
            list,
            complete: !calls.missed,
            chains,
            cut,
            spent: told.spent,
            by_function: told.by_function,
        })
    }
}
