//! The lower bound on the clocks of given instructions, over all orders.
//!
//! Each bound counts less than really happens: caches always hit, branches are always predicted, prefixes cost nothing,
//! and instructions wait only for registers, flags and units. The status of the floating-point unit is left out,
//! because other instructions may come between. Clocks that depend on operands or on a count are those of the
//! execution.

mod held;
mod ready;

use held::Held;
use p5_chips::PackedUnit;
use p5_results::{FloatingNeeds, InstructionResult, Needs, Pipe, RegisterSet, Run, mnemonic};
use ready::Ready;

/// A lower bound on clocks, and the limit that causes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number of instructions.
    pub instructions: u64,
    /// The sum of the instructions' clocks by the timing table.
    pub work: u64,
    /// The least clocks.
    pub clocks: u64,
    /// The limit that makes these clocks necessary.
    pub limit: Limit,
}

/// The limit of a sequence of instructions. If there are several, the first one is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// There is only one pipe.
    Pipe,
    /// There are only two pipes.
    Pipes,
    /// Only U executes some of the instructions.
    U,
    /// Some instructions pair only in V, so that each needs a partner in U.
    V,
    /// There is only one floating-point unit.
    Unit,
    /// There is only one MMX multiplier.
    PackedMultiplier,
    /// There is only one MMX shifter.
    PackedShifter,
    /// Each instruction of a chain needs the result of the previous one.
    Chain,
    /// One register holds one value after another.
    Register,
    /// Instructions that never pair take half of the clocks or more.
    Alone,
    /// A pair takes as long as its longer instruction, and there is nothing to fill the rest.
    UnevenPairs,
    /// One instruction takes all of these clocks.
    Longest,
}

impl Limit {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Pipe => "pipe",
            Limit::Pipes => "pipes",
            Limit::U => "u",
            Limit::V => "v",
            Limit::Unit => "unit",
            Limit::PackedMultiplier => "mmx multiplier",
            Limit::PackedShifter => "mmx shifter",
            Limit::Chain => "chain",
            Limit::Register => "register",
            Limit::Alone => "alone",
            Limit::UnevenPairs => "uneven pairs",
            Limit::Longest => "longest",
        }
    }
}

/// An execution of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The instruction's index in [`Run::instructions`].
    pub instruction: usize,
    /// Its clocks by the timing table, if they are known apart from those of a partner.
    pub took: Option<u32>,
    /// The clocks that the precision control saved it; `None` for the most that it saved any operation of the run.
    pub saved: Option<u32>,
}

/// The bound for instructions that are executed once.
pub fn once(run: &Run, steps: &[Step]) -> Bound {
    let members = members(run, steps);
    let mut ready = Ready::default();
    let mut held = Held::default();
    for member in &members {
        ready.execute(member);
        held.execute(member);
    }
    let values = [ready.end, held.to_the_last()];
    // Whichever operation is the last, the next code need not wait until the unit is free again.
    of_chip(
        run,
        largest(&members, values, |clocks, needs| clocks.saturating_sub(needs.clocks)),
    )
}

/// The bound for one round of a loop that repeats the instructions.
pub fn repeated(run: &Run, steps: &[Step]) -> Bound {
    let members = members(run, steps);
    let mut ready = Ready::default();
    let mut rounds = |count: u32| {
        for _ in 0..count {
            members.iter().for_each(|member| ready.execute(member));
        }
        ready.latest()
    };
    // After some rounds, only chains that carry over from round to round matter.
    let floating = members.iter().any(|one| one.needs.floating.is_some());
    let settle = if floating { SETTLE_FLOATING } else { SETTLE };
    let settled = rounds(settle);
    let later = rounds(settle);
    let mut held = Held::default();
    members.iter().for_each(|member| held.execute(member));
    let first = held.clone();
    members.iter().for_each(|member| held.execute(member));
    let values = [(later - settled) / u64::from(settle), held.since(&first)];
    of_chip(run, largest(&members, values, |_, _| 0))
}

/// The sum of the instructions' clocks by the timing table.
pub fn work(run: &Run, steps: &[Step]) -> u64 {
    members(run, steps).iter().map(|one| u64::from(one.clocks)).sum()
}

/// The number of rounds after which only the chains that carry over limit a loop: more than there are registers to
/// carry them.
const SETTLE: u32 = 16;
/// The same with floating-point stack registers, which exchanges and pushes permute: a common multiple of the periods
/// of all permutations.
const SETTLE_FLOATING: u32 = 840;

/// The bound, with its limit named as on the chip of `run`.
fn of_chip(run: &Run, bound: Bound) -> Bound {
    let limit = match bound.limit {
        Limit::Pipes | Limit::Alone | Limit::UnevenPairs if run.pipes == 1 => Limit::Pipe,
        limit => limit,
    };
    Bound { limit, ..bound }
}

struct Member<'a> {
    needs: &'a Needs,
    clocks: u32,
    // The clocks by which latency and throughput are shorter than those of `needs`.
    saved: u32,
    // What may change places with others.
    joins: Option<Joins>,
}

fn members<'a>(run: &'a Run, steps: &[Step]) -> Vec<Member<'a>> {
    let found = steps.iter().filter_map(|step| {
        let executed = run.executed(step.instruction)?;
        let needs = &executed.needs;
        let took = step.took.filter(|_| needs.varies).unwrap_or(0);
        Some(Member {
            needs,
            clocks: needs.clocks.max(took),
            saved: step
                .saved
                .unwrap_or_else(|| needs.floating.map_or(0, |floating| floating.saved)),
            joins: Joins::of(executed),
        })
    });
    found.collect()
}

/// An operation that may change places with others of its kind on the same register: additions, and each of the logical
/// ones.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Joins {
    kind: &'static str,
    register: RegisterSet,
}

impl Joins {
    fn of(one: &InstructionResult) -> Option<Joins> {
        let text = one.text.to_ascii_lowercase();
        let (name, needs) = (mnemonic(&text), &one.needs);
        let (kind, read) = match name {
            "add" | "sub" | "inc" | "dec" => ("add", needs.reads),
            "lea" => ("add", needs.addresses),
            "and" => ("and", needs.reads),
            "or" => ("or", needs.reads),
            "xor" => ("xor", needs.reads),
            _ => return None,
        };
        let register = read.intersection(needs.writes).intersection(RegisterSet::GENERAL);
        // `lea eax,[ecx+eax*4]` is no addition to EAX.
        let scaled = register.general_names().any(|name| text.contains(&format!("{name}*")));
        (register.numbers().count() == 1 && !scaled).then_some(Joins { kind, register })
    }

    /// The register that such an operation changes; none for other instructions.
    fn register_of(joins: Option<Joins>) -> RegisterSet {
        joins.map_or(RegisterSet::EMPTY, |joins| joins.register)
    }
}

/// The least clocks of the instructions that may pair, each pair as long as its longer half. No pairs take less than
/// those of neighbours in the order of their clocks.
fn paired(members: &[Member<'_>]) -> u64 {
    let pairs = |one: &&Member<'_>| one.needs.takes.len() < Pipe::ALL.len() && !one.needs.exchanges();
    let mut clocks: Vec<u32> = members.iter().filter(pairs).map(|one| one.clocks).collect();
    clocks.sort_unstable_by(|one, other| other.cmp(one));
    clocks.iter().step_by(Pipe::ALL.len()).map(|&one| u64::from(one)).sum()
}

/// The largest of all bounds, with those of chains and of the values of one register. `beyond` returns how many of the
/// clocks in which an operation occupies the floating-point unit may follow the last instruction.
fn largest(members: &[Member<'_>], [chain, register]: [u64; 2], beyond: impl Fn(u32, &Needs) -> u32) -> Bound {
    // An exchange takes no clock beside an operation that it pairs with.
    let count = |which: &dyn Fn(&Needs) -> bool| members.iter().filter(|one| which(one.needs)).count() as u64;
    let partners = count(&|needs| needs.floating.is_some_and(|floating| floating.beside_exchange));
    let exchanges = count(&Needs::exchanges).saturating_sub(partners);
    let clocks = |wanted: &dyn Fn(&[Pipe]) -> bool| -> u64 {
        let found = members
            .iter()
            .filter(|one| !one.needs.exchanges() && wanted(one.needs.takes));
        found.map(|one| u64::from(one.clocks)).sum()
    };
    let unit = |of: fn(&FloatingNeeds, u32) -> u32| -> u64 {
        let occupied = members.iter().filter(|one| !one.needs.exchanges()).filter_map(|one| {
            let clocks = of(one.needs.floating.as_ref()?, one.saved);
            Some((clocks, beyond(clocks, one.needs)))
        });
        let (sum, most) = occupied.fold((0, 0), |(sum, most), (clocks, beyond)| {
            (sum + u64::from(clocks), most.max(u64::from(beyond)))
        });
        sum - most
    };
    let packed = |unit: PackedUnit| -> u64 {
        let using = members
            .iter()
            .filter(|one| one.needs.packed.is_some_and(|packed| packed.unit == Some(unit)));
        using.map(|one| u64::from(one.clocks)).sum()
    };
    let pipes = Pipe::ALL.len();
    let alone = clocks(&|takes| takes.len() == pipes) + exchanges;
    let beside = clocks(&|takes| takes.len() < pipes);
    let paired = paired(members);
    let limits = [
        (Limit::Pipes, alone + paired),
        (Limit::U, clocks(&|takes| takes.contains(&Pipe::U)) + exchanges),
        (Limit::V, clocks(&|takes| takes.contains(&Pipe::V)) + exchanges),
        (
            Limit::Unit,
            unit(|floating, saved| floating.throughput.saturating_sub(saved))
                .max(unit(|floating, _| floating.multiplier)),
        ),
        (Limit::PackedMultiplier, packed(PackedUnit::Multiplier)),
        (Limit::PackedShifter, packed(PackedUnit::Shifter)),
        (Limit::Chain, chain),
        (Limit::Register, register),
    ];
    // `max_by_key` returns the last of equal limits, hence `rev`.
    let (mut limit, clocks) = limits
        .into_iter()
        .rev()
        .max_by_key(|&(_, clocks)| clocks)
        .unwrap_or((Limit::Pipes, 0));
    let longest = members.iter().map(|one| u64::from(one.clocks)).max().unwrap_or(0);
    if members.len() > 1 && longest > 1 && longest == clocks {
        limit = Limit::Longest;
    } else if limit == Limit::Pipes && (alone + beside).div_ceil(pipes as u64) < clocks {
        // The pipes alone would allow fewer clocks.
        let halves = beside.div_ceil(pipes as u64);
        limit = if paired - halves > alone {
            Limit::UnevenPairs
        } else {
            Limit::Alone
        };
    }
    Bound {
        instructions: members.len() as u64,
        work: members.iter().map(|one| u64::from(one.clocks)).sum(),
        clocks,
        limit,
    }
}
