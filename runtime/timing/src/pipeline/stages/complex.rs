//! Instructions that need the general timing path: many accesses, counts, repeats, locks, I/O, serialising, far
//! transfers.
//!
//! Modelled: each access in order, spread over the instruction's clocks; clocks per count and iteration according to
//! the row; bus cycles of locked and I/O accesses; the drain of the write buffers by serialising instructions.
//! Not modelled: the lock of the bus while a descriptor is marked.

use crate::block::{Access, Branch, ExClocks, Op};
use crate::pipeline::core::Core;
use crate::pipeline::group::{Group, NONE, shape_of};
use asm_macros::events::Event;
use p5_chips::Extra;
use p5_results::Cause;
use p5_words::facts::{Circumstances, Facts, Route};

impl Core {
    /// Issues a group of one instruction by the general path. Returns the index of the next facts.
    pub(in crate::pipeline) fn issue_complex(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        let op = &ops[group.u as usize];
        let words = op.fact_words();
        let carried = self.carried;
        let (found, next) = if group.carried {
            (&carried[..words.min(carried.len())], at)
        } else {
            (&facts.words[at..at + words], at + words)
        };
        let (clocks, waits) = match op.repeated {
            Some(_) => self.repeat(group, op, found, facts),
            None => self.once(op, found, facts),
        };
        // The difference from the static clocks is the instruction's own work: its count or its iterations. A repeat
        // that continues takes fewer clocks than the start-up that is charged with the schedule's executions.
        self.counts.stats[group.u as usize].correct(clocks, group.u_clocks);
        if op.delivery {
            self.counts.stats[group.u as usize].delivers(clocks);
        }
        self.waits.own = clocks;
        self.time.busy = u64::from(clocks) + waits;
        self.charge_waits(group, waits.min(u64::from(u32::MAX)) as u32);
        if op.floating_point {
            self.leave_floating_point(group, ops, found);
        }
        if op.loads_segment || facts.route != Route::Usual {
            let loads = segment_loads(facts.route);
            self.counts.tally.count(Event::SEGMENT_REGISTER_LOADED, loads);
        }
        if op.counts_as_branch {
            self.counts.tally.count(Event::BRANCHES, 1);
            if op.branch == Branch::None && !op.row.serializing {
                self.counts.tally.count_extra(Extra::SegmentVerified, 1);
            }
        }
        if op.row.serializing && op.branch == Branch::None {
            self.snoop_until(self.end());
            let wait = self.units.bus.drained().saturating_sub(self.end());
            self.time.busy += wait;
            self.counts.stats[group.u as usize].charge(Cause::Serialize, wait);
            self.waits
                .slowed
                .add(Cause::Serialize, wait.min(u64::from(u32::MAX)) as u32);
            self.front.line = NONE;
        }
        if group.branch {
            self.branch(group, ops, facts);
        } else if op.branch == Branch::Far && facts.taken {
            self.counts.tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, 1);
            self.counts.tally.count(Event::TAKEN_BRANCHES, 1);
            self.front.line = NONE;
            self.prefetched.jump(facts.next);
            if op.flushes {
                self.counts.tally.count(Event::PIPELINE_FLUSHES, 1);
            }
        }
        next
    }

    /// Records the long work of a multiply or floating-point instruction, and the FXCH beside it.
    fn leave_floating_point(&mut self, group: &Group, ops: &[Op], words: &[u32]) {
        let op = &ops[group.u as usize];
        let circumstances = match words.last() {
            Some(&word) if op.counted => Circumstances(word),
            _ => Circumstances(Circumstances::PRECISION),
        };
        self.leave_under_way(op, circumstances);
        if group.v != NONE {
            self.leave_exchange(group, ops, circumstances);
        }
        let counts = if circumstances.is_special() { 0 } else { op.operations };
        self.counts.tally.count(Event::FLOPS, u64::from(counts));
    }

    /// Executes an instruction without iterations. Returns its clocks, and the clocks its accesses wait.
    fn once(&mut self, op: &Op, words: &[u32], facts: &Facts) -> (u32, u64) {
        let accesses = op.accesses.len();
        let count = if op.counted { words[accesses] } else { 0 };
        let clocks = match op.clocks {
            ExClocks::PerCount(base, thousandths) => base + (thousandths * count + 500) / 1000,
            ExClocks::ByOutcome(_, taken) if facts.taken => taken,
            ExClocks::ByStackAlignment(usual, slow) => {
                let stack_pointer = words[0].wrapping_add(if op.accesses[0].write { 2 } else { 0 });
                if stack_pointer.is_multiple_of(4) { slow } else { usual }
            }
            ExClocks::ByRoute(routes) => routes.of(facts.route),
            ExClocks::Known(..) | ExClocks::ByOutcome(..) | ExClocks::PerIteration(..) => op.static_clocks(self.user),
        };
        let mut waits = 0u64;
        if op.locked && accesses > 0 {
            return (
                clocks,
                u64::from(self.locked(words[0], u32::from(op.accesses[0].size), self.time.clock)),
            );
        }
        if op.io {
            waits += self.io_cycle(op, waits);
        }
        let writes = op.accesses.iter().filter(|access| access.write).count();
        self.share_clocks([accesses - writes, writes].map(|count| count as u64), clocks.into());
        for (index, access) in op.accesses.iter().enumerate() {
            let offset = index as u64 * u64::from(clocks) / accesses as u64;
            self.count_references(access, 1);
            // Microcode controls both pipes and alternates between their write buffers.
            let pipe = index & 1;
            let wait = self.access(shape_of(access), words[index], pipe, self.time.clock + offset + waits);
            waits += u64::from(wait);
            let floating_store = wait > 0 && access.write && op.stack_use.is_some();
            if floating_store && self.units.data_cache.misaligned(words[index], u32::from(access.size)) {
                self.counts.tally.count_extra(Extra::MisalignedFloatingStore, 1);
            }
        }
        if op.looks_up {
            waits += self.look_up(clocks, waits, facts);
        }
        (clocks, waits)
    }

    /// Makes the accesses that the state of the processor has decided on, spread over the instruction's clocks.
    /// Returns the clocks they wait; `waited` is how long the instruction has waited before.
    #[inline(never)]
    fn look_up(&mut self, clocks: u32, waited: u64, facts: &Facts) -> u64 {
        let count = facts.system.len() as u64;
        let mut waits = 0;
        for (index, access) in (0..).zip(&facts.system) {
            let when = self.time.clock + index * u64::from(clocks) / count + waited + waits;
            let shape = Access {
                write: access.write,
                size: access.size,
            };
            self.count_references(&shape, 1);
            waits += u64::from(self.access(shape_of(&shape), access.address, index as usize & 1, when));
        }
        waits
    }

    /// Executes a repeated string instruction: the accesses of each iteration in order.
    #[inline(never)]
    fn repeat(&mut self, group: &Group, op: &Op, words: &[u32], facts: &Facts) -> (u32, u64) {
        let (&[mut source, mut destination, iterations, step], ExClocks::PerIteration(base, each)) = (words, op.clocks)
        else {
            // The contract of the facts and the test of the tables rule this out.
            debug_assert!(false, "{}: a repeat without iterations", op.row.form);
            return (1, 0);
        };
        let goes_on = facts.next == op.address;
        let start_up = match (self.repeating == op.address, iterations) {
            (true, _) => 0,
            (false, 0) => base.min(self.rules.repeated_zero_times),
            (false, _) => base,
        };
        self.repeating = if goes_on { op.address } else { NONE };
        if goes_on {
            // A repeat is counted when it ends: it is one instruction even if several blocks execute parts of it.
            self.counts.tally.uncount(Event::INSTRUCTIONS_EXECUTED, 1);
            self.counts.stats[group.u as usize].continues(group.refusal);
        }
        let repeated = op.repeated.unwrap_or(crate::block::Repeated {
            source: None,
            destination: None,
        });
        for access in [repeated.source, repeated.destination].iter().flatten() {
            self.count_references(access, u64::from(iterations));
        }
        if repeated.source.is_some() && repeated.destination.is_some_and(|access| access.write) {
            // An iteration of one clock reads and writes in it.
            let shared = u64::from(2u32.saturating_sub(each)) * u64::from(iterations);
            self.counts.tally.shared(Event::DATA_READ_OR_WRITE, shared);
        }
        let mut waits = 0u64;
        for iteration in 0..iterations {
            let when = self.time.clock + u64::from(start_up) + u64::from(iteration) * u64::from(each);
            for (access, address, pipe) in [(repeated.source, source, 0), (repeated.destination, destination, 1)] {
                if let Some(access) = access {
                    waits += u64::from(self.access(shape_of(&access), address, pipe, when + waits));
                }
            }
            if op.io {
                waits += self.io_cycle(op, waits);
            }
            source = source.wrapping_add(step);
            destination = destination.wrapping_add(step);
        }
        ((start_up + each * iterations).max(1), waits)
    }

    /// Counts an access `times` times. The static counts omit the accesses of complex groups.
    fn count_references(&mut self, access: &Access, times: u64) {
        let event = if access.write {
            Event::DATA_WRITE
        } else {
            Event::DATA_READ
        };
        self.counts.tally.count(event, times);
    }

    /// Counts the accesses of microcode with more accesses than clocks, so that some clocks have two.
    #[inline(always)]
    fn share_clocks(&mut self, [reads, writes]: [u64; 2], clocks: u64) {
        let beyond = |accesses: u64| accesses.saturating_sub(clocks);
        if beyond(reads + writes) > 0 {
            let tally = &mut self.counts.tally;
            tally.shared(Event::DATA_READ, beyond(reads));
            tally.shared(Event::DATA_WRITE, beyond(writes));
            let alone = beyond(reads) + beyond(writes);
            tally.shared(Event::DATA_READ_OR_WRITE, beyond(reads + writes) - alone);
        }
    }

    fn io_cycle(&mut self, op: &Op, waited: u64) -> u64 {
        self.counts.tally.count(Event::IO_CYCLE, 1);
        if op.writes_port {
            self.counts.tally.count(Event::NONCACHEABLE_WRITES, 1);
        } else {
            self.counts.tally.count_extra(Extra::IoRead, 1);
        }
        let when = self.time.clock + waited;
        self.take_bus(when);
        let wait = self.units.bus.single(when, self.units.bus.preset().io) - when;
        self.waits.of_pipe[0].add(Cause::Io, wait as u32);
        wait
    }
}

/// The number of segment registers loaded by an instruction that takes `route`. DOUBT: whether silicon counts each
/// register that one instruction loads is not documented.
fn segment_loads(route: Route) -> u64 {
    match route {
        Route::Usual | Route::Descriptor | Route::Gate => 1,
        // CS and SS.
        Route::InnerGate { .. } | Route::Outer => 2,
        // All six.
        Route::LeavesVirtual | Route::EntersVirtual => 6,
        // All six, LDTR and TR.
        Route::Task { .. } => 8,
    }
}
