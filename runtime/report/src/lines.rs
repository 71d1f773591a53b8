//! Figures of source lines: the sums over their instructions, pairing partners, issue clocks in a region's pass, and
//! the reasons for their stalls.

mod brought;
mod callers;
mod calling;
mod chains;
mod hot_calls;
mod names;
mod reason;
mod remarks;
mod rows;
mod stacks;
mod text;
mod times;
mod waits;

pub(super) use brought::brought;
pub(super) use callers::{Functions, functions};
pub(super) use calling::write_calling;
pub(super) use chains::{Chains, by_chain};
pub(super) use hot_calls::{HOT, hot_callers};
pub(super) use names::{instruction_name, last_part};
pub(super) use remarks::{CHANGED, CHANGED_CODE, doubted_clocks, no_code, no_memory};
pub(super) use rows::{MEMORY, Row, WITHOUT_LINES, file_name, path_name, rows};
pub(super) use stacks::{Stack, stacks};
pub(super) use text::{Text, is_assembly};
pub(super) use times::least_and_most;
pub(super) use waits::waits_for_next;

use super::Detail;
use p5_chips::Doubt;
use p5_results::{Cause, CauseCycles, Flow, InstructionResult, Pipe, Refusal, Remainder, Run, Spent, StatementStart};
use std::collections::BTreeMap;

/// An index into [`Run::instructions`] or, from its length on, into [`Run::remainders`].
pub(super) type Entry = usize;

/// The indexes of all instructions, with or without rows of their own.
pub(super) fn entries(run: &Run) -> std::ops::Range<Entry> {
    0..run.instructions.len() + run.remainders.len()
}

/// The remainder that `entry` refers to, if it does.
pub(super) fn remainder(run: &Run, entry: Entry) -> Option<&Remainder> {
    run.remainders.get(entry.checked_sub(run.instructions.len())?)
}

pub(super) fn place(run: &Run, entry: Entry) -> Option<(u32, u32)> {
    match run.instructions.get(entry) {
        Some(instruction) => instruction.place,
        None => remainder(run, entry)?.place,
    }
}

/// The function of an entry, as an index into those of the run.
pub(super) fn function(run: &Run, entry: Entry) -> Option<u32> {
    match run.instructions.get(entry) {
        Some(instruction) => instruction.function,
        None => remainder(run, entry)?.function,
    }
}

/// The innermost inlined call of an entry, as an index into those of the run.
pub(super) fn inlined(run: &Run, entry: Entry) -> Option<u32> {
    match run.instructions.get(entry) {
        Some(instruction) => instruction.inlined,
        None => remainder(run, entry)?.inlined,
    }
}

/// The file and line of the outermost macro call that led to an entry.
pub(super) fn outermost(run: &Run, entry: Entry) -> Option<(u32, u32)> {
    match run.instructions.get(entry) {
        Some(instruction) => instruction.outermost,
        None => remainder(run, entry)?.outermost,
    }
}

pub(super) fn in_library(run: &Run, entry: Entry) -> bool {
    match run.instructions.get(entry) {
        Some(instruction) => instruction.library,
        None => remainder(run, entry).is_some_and(|remainder| remainder.library),
    }
}

/// The entries that reports of this detail show: those of the bundled library only at [`Detail::All`]. The omitted ones
/// are exactly those whose clocks are not in the run's own part.
pub(super) fn shown_entries(run: &Run, detail: Detail) -> impl Iterator<Item = Entry> + '_ {
    entries(run).filter(move |&entry| detail == Detail::All || !in_library(run, entry))
}

/// Where the compiler begins the statements of a line, if it begins one of them several times.
fn statements(run: &Run, place: (u32, u32)) -> &[StatementStart] {
    let first = run.statements.partition_point(|one| one.place < place);
    let rest = &run.statements[first..];
    &rest[..rest.partition_point(|one| one.place == place)]
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) executions: u64,
    /// How often the code as a whole was executed, if that is known; see [`times`].
    pub(super) times: Option<u64>,
    /// How often it was executed at most, if that is more: a compiler may have copied it; see [`times::most_times`].
    pub(super) most_times: Option<u64>,
    /// How often a statement of it may have begun, if that is more; see [`times::by_statements`].
    pub(super) begun_times: Option<u64>,
    pub(super) cycles: u64,
    pub(super) u: u64,
    pub(super) v: u64,
    /// The number of included instructions that have no row of their own.
    pub(super) unlisted: u64,
    causes: BTreeMap<Cause, u64>,
    /// The clocks that instructions of MMX waited for the unit that they share with floating point.
    packed: u64,
    refusals: BTreeMap<Refusal, u64>,
    /// The mispredictions, and the executions of the instructions that mispredicted; `None` if some were not counted.
    mispredicted: Option<(u64, u64)>,
    // The refusals because of the next instruction's constants, among all refusals because of constants.
    next_constants: u64,
    // The clocks that come from doubted rows of the timing table, by doubt.
    pub(super) doubts: Vec<(Doubt, u64)>,
    // Whether any of the instructions is a branch, or has no row that would tell.
    branches: bool,
    pub(super) changed: bool,
    // How often changed code was changed, if that is known.
    removals: u64,
    // The remark on missing memory.
    no_code: Option<&'static str>,
}

impl Sum {
    pub(super) fn of<'a, T>(instructions: T) -> Sum
    where
        T: IntoIterator<Item = &'a InstructionResult, IntoIter: Clone>,
    {
        let instructions = instructions.into_iter();
        let mut sum = Sum {
            times: Some(times::times(instructions.clone())),
            mispredicted: Some((0, 0)),
            ..Sum::default()
        };
        instructions.for_each(|instruction| sum.add(instruction));
        sum
    }

    pub(super) fn of_entries(run: &Run, entries: &[Entry]) -> Sum {
        let instructions = || entries.iter().filter_map(|&entry| run.instructions.get(entry));
        let mut sum = Sum::of(instructions());
        let compiled = |one: &InstructionResult| one.outermost.is_some_and(|(file, _)| !is_assembly(run, file));
        if instructions().all(compiled) {
            let place = instructions().next().and_then(|one| one.place);
            let place = place.filter(|_| instructions().all(|one| one.place == place));
            let starts = place.map_or(&[][..], |place| statements(run, place));
            let most = times::most_times(instructions(), starts);
            sum.most_times = sum.times.filter(|&times| times < most).map(|_| most);
            let begun = times::by_statements(instructions(), starts);
            sum.begun_times = sum.times.filter(|&times| times < begun).map(|_| begun);
        }
        for remainder in entries.iter().filter_map(|&entry| remainder(run, entry)) {
            let alone = sum.executions == 0 && remainder.instructions == 1;
            sum.times = alone.then_some(remainder.executions);
            (sum.most_times, sum.begun_times) = (None, None);
            sum.executions += remainder.executions;
            sum.cycles += remainder.cycles;
            sum.u += remainder.u;
            sum.v += remainder.v;
            sum.unlisted += remainder.instructions;
            sum.mispredicted = None;
            sum.explain(&remainder.causes, &remainder.refusals);
            let doubts = match remainder.changed {
                true => &[(CHANGED_CODE, remainder.cycles)],
                false => &*remainder.doubts,
            };
            doubts.iter().for_each(|&(doubt, clocks)| sum.doubt(doubt, clocks));
            sum.branches = true;
            sum.changed |= remainder.changed;
        }
        sum
    }

    fn add(&mut self, instruction: &InstructionResult) {
        self.executions += instruction.executions;
        self.cycles += instruction.cycles;
        self.u += instruction.u;
        self.v += instruction.v;
        self.explain(&instruction.causes, &instruction.refusals);
        self.packed += packed(instruction);
        self.mispredicted = match (self.mispredicted, instruction.mispredicted) {
            (known, Some(0)) => known,
            (Some((wrong, of)), Some(more)) => Some((wrong + more, of + instruction.executions)),
            (_, _) => None,
        };
        // An instruction with both never pairs, whatever the other one is.
        if !instruction.needs.never_pairs() {
            let constants = instruction
                .refusals
                .iter()
                .find(|(refusal, _)| *refusal == Refusal::DisplacementAndImmediate);
            self.next_constants += constants.map_or(0, |&(_, count)| count);
        }
        if instruction.changed {
            self.doubt(CHANGED_CODE, doubted_clocks(instruction));
            self.removals = self.removals.max(instruction.removals);
        } else if let Some(doubt) = instruction.doubt {
            let of_row = instruction.causes.iter().filter(|part| part.cause.is_of_row());
            self.doubt(doubt, of_row.map(|part| part.cycles).sum());
        }
        self.branches |= instruction.needs.flow != Flow::Next;
        self.changed |= instruction.changed;
        self.no_code = self.no_code.or(no_code(instruction));
    }

    /// The figures of one chain of calls.
    fn add_spent(&mut self, spent: &Spent) {
        self.executions += spent.u + spent.v;
        self.cycles += spent.causes.iter().map(|part| part.cycles).sum::<u64>();
        self.u += spent.u;
        self.v += spent.v;
        self.explain(&spent.causes, &spent.refusals);
    }

    /// Adds the figures of other instructions, without remarks.
    pub(super) fn merge(&mut self, other: &Sum) {
        self.executions += other.executions;
        self.cycles += other.cycles;
        self.u += other.u;
        self.v += other.v;
        for (&cause, &clocks) in &other.causes {
            *self.causes.entry(cause).or_default() += clocks;
        }
        for (&refusal, &count) in &other.refusals {
            *self.refusals.entry(refusal).or_default() += count;
        }
    }

    pub(super) fn doubt(&mut self, doubt: Doubt, clocks: u64) {
        match self.doubts.iter_mut().find(|(known, _)| *known == doubt) {
            Some((_, sum)) => *sum += clocks,
            None => self.doubts.push((doubt, clocks)),
        }
    }

    fn explain(&mut self, causes: &[CauseCycles], refusals: &[(Refusal, u64)]) {
        for part in causes {
            *self.causes.entry(part.cause).or_default() += part.cycles;
        }
        for &(refusal, count) in refusals {
            *self.refusals.entry(refusal).or_default() += count;
        }
    }

    pub(super) fn spent(&self, cause: Cause) -> u64 {
        self.causes.get(&cause).copied().unwrap_or(0)
    }

    /// The clocks in which none of the instructions began or continued.
    pub(super) fn lost(&self) -> u64 {
        let used = self.spent(Cause::Issue) + self.spent(Cause::Execution);
        self.cycles.saturating_sub(used)
    }

    /// The number of executions that issued alone for this reason.
    pub(super) fn refused(&self, refusal: Refusal) -> u64 {
        self.refusals.get(&refusal).copied().unwrap_or(0)
    }

    /// The name of a refusal to pair, which tells if the next instruction is its cause.
    fn refusal_name(&self, refusal: Refusal) -> &'static str {
        let constants = self.refusals.get(&refusal).copied().unwrap_or(0);
        if refusal == Refusal::DisplacementAndImmediate && 2 * self.next_constants > constants {
            return "next has displacement and immediate";
        }
        // Reports write pipes in capitals; the names are also field names.
        match refusal {
            Refusal::FirstOnlyV => "pairs only in V",
            Refusal::SecondOnlyU => "next pairs only in U",
            _ => refusal.name(),
        }
    }

    /// The name of a cause: what instructions of MMX wait for is no floating point.
    fn cause_name(&self, cause: Cause) -> &'static str {
        match cause {
            Cause::FloatingPoint if 2 * self.packed > self.spent(cause) => "mmx",
            _ => cause.name(),
        }
    }

    /// The clocks by cause, in the order of causes.
    pub(super) fn causes(&self) -> Vec<(String, u64)> {
        named(&self.causes, Cause::name)
    }

    /// The executions that issued alone by reason, in the order of refusals.
    pub(super) fn refusals(&self) -> Vec<(String, u64)> {
        named(&self.refusals, Refusal::name)
    }

    /// `U`, `V`, or both with their shares of the executions.
    pub(super) fn pipe(&self) -> String {
        match (self.u, self.v) {
            (0, 0) => "-".to_owned(),
            (_, 0) => "U".to_owned(),
            (0, _) => "V".to_owned(),
            (u, v) => {
                let all = u as f64 + v as f64;
                format!("U {} V {}", share(u as f64 / all), share(v as f64 / all))
            }
        }
    }
}

/// The clocks that an instruction of MMX waited for that unit.
pub(super) fn packed(instruction: &InstructionResult) -> u64 {
    let waits = instruction
        .causes
        .iter()
        .filter(|part| part.cause == Cause::FloatingPoint);
    waits
        .filter(|_| instruction.needs.packed.is_some())
        .map(|part| part.cycles)
        .sum()
}

/// A share from 0 to 1 in percent; a share other than 0 or 1 is never rounded to either.
fn share(of_all: f64) -> String {
    match of_all * 100.0 {
        little if little > 0.0 && little < 1.0 => "<1%".to_owned(),
        much if much > 99.0 && much < 100.0 => ">99%".to_owned(),
        percent => format!("{percent:.0}%"),
    }
}

fn named<T: Copy>(counts: &BTreeMap<T, u64>, name: fn(T) -> &'static str) -> Vec<(String, u64)> {
    counts
        .iter()
        .filter(|&(_, &count)| count > 0)
        .map(|(&key, &count)| (name(key).to_owned(), count))
        .collect()
}

/// For each instruction, the index of its most frequent partner. Only neighbours pair: U and the next one in V.
pub(super) fn partners(run: &Run) -> Vec<Option<usize>> {
    let mut partners: Vec<Option<usize>> = vec![None; run.instructions.len()];
    let mut pairs_before = vec![0; run.instructions.len()];
    for (index, instruction) in run.instructions.iter().enumerate() {
        let alone: u64 = instruction.refusals.iter().map(|&(_, count)| count).sum();
        let behind = instruction.address.wrapping_add(u32::from(instruction.length));
        let next = run.instructions.get(index + 1).filter(|next| next.address == behind);
        let pairs = instruction.u.saturating_sub(alone).min(next.map_or(0, |next| next.v));
        if pairs == 0 {
            continue;
        }
        pairs_before[index + 1] = pairs;
        partners[index + 1] = Some(index);
        if pairs >= pairs_before[index] {
            partners[index] = Some(index + 1);
        }
    }
    partners
}

/// The clock at which an instruction issues in a region's traced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassClock {
    /// The index of the region: the shortest one whose pass contains the instruction.
    pub(super) region: usize,
    /// The clocks since the region's first instruction.
    pub(super) clock: u64,
    /// Whether it issued several times in the pass; `clock` is that of the first issue.
    pub(super) again: bool,
}

/// For each instruction, its clock in the innermost region whose traced pass contains it.
pub(super) fn pass_clocks(run: &Run) -> Vec<Option<PassClock>> {
    let mut clocks: Vec<Option<PassClock>> = vec![None; run.instructions.len()];
    let mut regions: Vec<usize> = (0..run.regions.len()).collect();
    regions.sort_by_key(|&index| {
        run.regions[index]
            .end_line
            .saturating_sub(run.regions[index].start_line)
    });
    for region in regions {
        for issued in &run.regions[region].trace.issued {
            match clocks.get_mut(issued.instruction as usize) {
                Some(Some(known)) if known.region == region => known.again = true,
                Some(slot @ None) => {
                    *slot = Some(PassClock {
                        region,
                        clock: issued.clock,
                        again: false,
                    });
                }
                _ => {}
            }
        }
    }
    clocks
}

/// The earliest clock of these instructions, marked as repeated if several of them issued.
pub(super) fn earliest(clocks: &[Option<PassClock>], indexes: &[usize]) -> Option<PassClock> {
    let known = || indexes.iter().filter_map(|&index| clocks.get(index).copied().flatten());
    let first = known().min_by_key(|clock| clock.clock)?;
    Some(PassClock {
        again: first.again || known().count() > 1,
        ..first
    })
}

pub(super) fn pipe_name(pipe: Pipe) -> &'static str {
    match pipe {
        Pipe::U => "u",
        Pipe::V => "v",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;
    use p5_results::CauseCycles;

    #[test]
    fn neighbours_that_paired_are_partners_and_others_are_not() {
        let mut run = specimen::run();
        let none = None;
        // rdtsc | mov+add | add | add+dec | jnz | rdtsc | ret | nop from elsewhere
        let expected = [none, Some(2), Some(1), none, Some(5), Some(4), none, none, none, none];
        assert_eq!(partners(&run), expected);
        run.instructions[2].address += 1;
        assert_eq!(partners(&run)[1..3], [none, none], "not neighbours any more");
    }

    #[test]
    fn the_innermost_region_gives_the_clock() {
        let mut run = specimen::run();
        let clock =
            |run: &Run, index: usize| pass_clocks(run)[index].map(|clock| (clock.region, clock.clock, clock.again));
        assert_eq!(clock(&run, 1), Some((0, 0, true)));
        assert_eq!(clock(&run, 6), Some((0, 3, false)));
        assert_eq!(clock(&run, 8), None);
        let mut issued = run.regions[0].trace.issued[2];
        (issued.instruction, issued.clock) = (6, 77);
        run.regions[1].trace.issued.push(issued);
        assert_eq!(clock(&run, 6), Some((1, 77, false)), "region 1 has fewer lines");
        issued.instruction = u32::MAX;
        run.regions[1].trace.issued.push(issued);
        assert_eq!(pass_clocks(&run).len(), run.instructions.len());
    }

    #[test]
    fn a_reason_names_the_stall_and_the_lost_pair_by_weight() {
        let mut instruction = specimen::run().instructions.swap_remove(3);
        let cause = |cause, cycles| CauseCycles { cause, cycles };
        let mut told = |causes: Vec<CauseCycles>, refusals: Vec<(Refusal, u64)>| {
            (instruction.causes, instruction.refusals) = (causes, refusals);
            Sum::of([&instruction]).reason(usize::MAX)
        };
        assert_eq!(told(vec![cause(Cause::Issue, 20)], vec![]), "");
        assert_eq!(told(vec![], vec![(Refusal::TooLong, 20)]), "too long");
        assert_eq!(
            told(vec![], vec![(Refusal::TooLong, 1), (Refusal::ReadAfterWrite, 5)]),
            "read after write 25%"
        );
        assert_eq!(
            told(vec![cause(Cause::Agi, 20), cause(Cause::Prefix, 20)], vec![]),
            "agi 1.0; prefix 1.0"
        );
        let with_own = vec![
            cause(Cause::Execution, 60),
            cause(Cause::Prefix, 10),
            cause(Cause::Agi, 20),
        ];
        assert_eq!(told(with_own, vec![]), "agi 1.0; prefix 0.5; execution 3.0");
        let with_less = vec![cause(Cause::Execution, 15), cause(Cause::Agi, 20)];
        assert_eq!(told(with_less, vec![]), "agi 1.0");
        // Beside ten times the clocks of a cause, this cause says nothing.
        let with_tiny = vec![
            cause(Cause::Execution, 300),
            cause(Cause::Agi, 20),
            cause(Cause::WriteBufferFull, 900),
        ];
        assert_eq!(told(with_tiny, vec![]), "write buffer full 45.0; execution 15.0");
        let both = told(vec![cause(Cause::CodeMiss, 30)], vec![(Refusal::TooLong, 20)]);
        assert_eq!(both, "code miss 1.5; too long");
        let rare = told(vec![cause(Cause::CodeMiss, 1)], vec![(Refusal::TooLong, 20)]);
        assert_eq!(rare, "code miss 0.050; too long");
        let harmless = told(vec![cause(Cause::Misprediction, 4)], vec![(Refusal::TakenBranch, 20)]);
        // This instruction is no branch.
        assert_eq!(
            harmless,
            "misprediction 0.2 (the predictor took it for a branch); taken branch"
        );
    }
}
