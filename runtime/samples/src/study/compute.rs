//! Computes a study from the samples of its samplers.

use super::{BiasRow, Census, ChiSquare, Counted, ErrorRow, Part, Plan, Study, Taken, WaitRow, Why, chi_square};
use crate::Analysis;
use p5_record::{Grouping, Randomization, TrueInstruction};
use p5_results::Cause;
use rustc_hash::FxHashMap;

impl Study {
    /// The study of a program, from a `census` of it and the samples of each of [`Plan::probes`], in that order. The
    /// `recording` needs no samples; its truth has the causes of lost clocks.
    pub fn new(plan: Plan, recording: &Analysis, census: &Census, taken: &[Taken]) -> Study {
        let instructions = recording.truth.as_ref().map_or(&[][..], |truth| &truth.instructions);
        let groups = Groups::of(recording, census, plan.by);
        let exact = groups.shares(census, |row| row.ops);
        let parts: Vec<(Part, &Taken)> = plan.parts().into_iter().map(|(part, _)| part).zip(taken).collect();
        let of = |wanted: Part| {
            let found = parts.iter().filter(move |(part, _)| *part == wanted);
            found.map(|(_, taken)| *taken).collect::<Vec<&Taken>>()
        };
        let errors = plan.periods.iter().enumerate();
        let errors = errors.map(|(row, &period)| error(period, &groups, &exact, &of(Part::Curve(row))));
        let errors: Vec<ErrorRow> = errors.collect();
        let mut biases = Vec::new();
        for (row, &period) in plan.compared.iter().enumerate() {
            for randomization in Randomization::ALL {
                let taken = of(Part::Compared(row, randomization));
                biases.extend(
                    most_taken(census, &taken).map(|(samples, most, share, exact, test)| BiasRow {
                        period,
                        left: plan.round.map(|round| period % round),
                        randomization,
                        samples,
                        most,
                        share,
                        exact,
                        test,
                    }),
                );
            }
        }
        let taken = of(Part::Clocks);
        let by_clocks = (
            taken.iter().map(|taken| taken.samples).sum(),
            taken.iter().map(|taken| taken.dropped).sum(),
        );
        Study {
            ops: census.ops,
            waits: waits(&groups, &exact, census, instructions, &taken),
            groups: groups.first,
            errors,
            biases,
            by_clocks,
            plan,
        }
    }
}

/// The key of code without a procedure or line, which no file has.
const NAMELESS: (u32, u32) = (u32::MAX, 0);

struct Groups {
    /// The first executed instruction of each group.
    first: Vec<u32>,
    by_address: FxHashMap<u32, usize>,
}

impl Groups {
    fn of(recording: &Analysis, census: &Census, by: Grouping) -> Groups {
        let mut known: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut groups = Groups {
            first: Vec::new(),
            by_address: FxHashMap::default(),
        };
        for row in &census.rows {
            let key = match by {
                Grouping::Instruction => (0, row.address),
                Grouping::Procedure => recording
                    .routine(row.address)
                    .map_or(NAMELESS, |routine| (0, routine.begin())),
                Grouping::Line => recording
                    .line(row.address)
                    .map_or(NAMELESS, |line| (line.file, line.line)),
            };
            let group = *known.entry(key).or_insert_with(|| {
                groups.first.push(row.address);
                groups.first.len() - 1
            });
            groups.by_address.insert(row.address, group);
        }
        groups
    }

    fn shares(&self, census: &Census, of: impl Fn(&Counted) -> u64) -> Vec<f64> {
        let mut sums = vec![0_u64; self.first.len()];
        for row in &census.rows {
            sums[self.by_address[&row.address]] += of(row);
        }
        normalized(&sums)
    }

    fn sampled<'a>(&self, taken: impl Iterator<Item = &'a Taken>) -> Vec<u64> {
        let mut sums = vec![0_u64; self.first.len()];
        for (address, count) in taken.flat_map(|taken| &taken.instructions) {
            if let Some(&group) = self.by_address.get(address) {
                sums[group] += count;
            }
        }
        sums
    }
}

fn normalized(sums: &[u64]) -> Vec<f64> {
    let whole = sums.iter().sum::<u64>().max(1) as f64;
    sums.iter().map(|&sum| sum as f64 / whole).collect()
}

fn error(period: u64, groups: &Groups, exact: &[f64], taken: &[&Taken]) -> ErrorRow {
    let (mut squares, mut count, mut samples, mut largest) = (0.0, 0_u64, 0_u64, 0.0_f64);
    for taken in taken {
        samples += taken.samples;
        // A seed without samples gives no share and has no error.
        if taken.samples == 0 {
            continue;
        }
        let shares = normalized(&groups.sampled(std::iter::once(*taken)));
        for (share, exact) in shares.iter().zip(exact) {
            squares += (share - exact).powi(2);
            largest = largest.max((share - exact).abs());
            count += 1;
        }
    }
    let samples = samples as f64 / (taken.len() as f64).max(1.0);
    let variances: f64 = exact.iter().map(|share| share * (1.0 - share)).sum();
    ErrorRow {
        period,
        samples,
        root_mean_square: (squares / (count as f64).max(1.0)).sqrt(),
        expected: (variances / exact.len().max(1) as f64 / samples.max(1.0)).sqrt(),
        largest,
    }
}

type MostTaken = (u64, u32, f64, f64, Option<ChiSquare>);

/// All samples; the most sampled instruction with its shares of samples and of ops; and the test.
fn most_taken(census: &Census, taken: &[&Taken]) -> Option<MostTaken> {
    let observed = |address: &u32| {
        taken
            .iter()
            .filter_map(|taken| taken.instructions.get(address))
            .sum::<u64>()
    };
    let share = |ops: u64| ops as f64 / census.ops as f64;
    let listed = census.rows.iter().map(|row| (observed(&row.address), share(row.ops)));
    let mut cells: Vec<(u64, f64)> = listed.collect();
    let most = (0..cells.len()).rev().max_by_key(|&at| cells[at].0)?;
    let samples: u64 = taken.iter().map(|taken| taken.samples).sum();
    // The instructions for which there is no row are one cell.
    let unlisted = census.ops - census.rows.iter().map(|row| row.ops).sum::<u64>();
    if unlisted > 0 {
        let others = samples - cells.iter().map(|&(observed, _)| observed).sum::<u64>();
        cells.push((others, share(unlisted)));
    }
    (samples > 0).then(|| {
        let share = cells[most].0 as f64 / samples as f64;
        (
            samples,
            census.rows[most].address,
            share,
            cells[most].1,
            chi_square(&cells),
        )
    })
}

fn waits(
    groups: &Groups,
    exact: &[f64],
    census: &Census,
    instructions: &[TrueInstruction],
    taken: &[&Taken],
) -> Vec<WaitRow> {
    let sampled = normalized(&groups.sampled(taken.iter().copied()));
    let clocks = groups.shares(census, |row| row.dispatch_halves);
    let count = groups.first.len();
    let (mut ops, mut waited) = (vec![0_u64; count], vec![0_u64; count]);
    let mut longest: Vec<Option<&Counted>> = vec![None; count];
    for row in &census.rows {
        let group = groups.by_address[&row.address];
        ops[group] += row.ops;
        waited[group] += row.waited;
        let known = &mut longest[group];
        if row.waited > known.map_or(0, |known| known.waited) {
            *known = Some(row);
        }
    }
    let mut rows: Vec<WaitRow> = (0..count)
        .map(|group| WaitRow {
            group: groups.first[group],
            executed: exact[group],
            sampled: sampled[group],
            clocks: clocks[group],
            waited: waited[group] as f64 / ops[group].max(1) as f64,
            why: longest[group]
                .filter(|row| clocks[group] > exact[group] || row.waited > row.ops)
                .and_then(|row| why(row, instructions)),
        })
        .collect();
    let excess = |row: &WaitRow| row.clocks - row.executed;
    rows.sort_by(|one, other| excess(other).total_cmp(&excess(one)).then(one.group.cmp(&other.group)));
    rows
}

/// Whether a cause delays the instruction itself rather than those after it.
fn delays_itself(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Agi | Cause::Prefix | Cause::CodeMiss | Cause::PrefetchQueue | Cause::CodeTlbMiss
    )
}

/// The probable cause of a wait: of the instruction's own delays and the work of the groups before it, the one with the
/// clocks per execution nearest to the wait. If all are far shorter, it is a misprediction of the instruction before
/// it, after which only what is executed next waits: it takes the clocks of the wait. None without one.
fn why(row: &Counted, instructions: &[TrueInstruction]) -> Option<Why> {
    let waited = row.waited as f64 / row.ops.max(1) as f64;
    let at = |address: u32| instructions.binary_search_by_key(&address, |one| one.address).ok();
    // In the V pipe, the instruction after the leader.
    let partner = |leader: u32| {
        let after = instructions[at(leader)?].length.wrapping_add(leader);
        at(after).filter(|&at| instructions[at].paired > 0 && after != row.address)
    };
    let groups = || row.behind.into_iter().flatten();
    let before = groups().flat_map(|leader| [at(leader), partner(leader)]).flatten();
    let candidates = before.map(|at| (at, false));
    let mut found: Option<Why> = None;
    for (at, own) in candidates.chain(at(row.address).map(|at| (at, true))) {
        let address = instructions[at].address;
        let executions = instructions[at].executions.max(1) as f64;
        let causes = instructions[at].causes.iter();
        for &(cause, clocks) in causes.filter(|(cause, _)| *cause != Cause::Issue && delays_itself(*cause) == own) {
            let clocks = clocks as f64 / executions;
            let off = |clocks: f64| (clocks - waited).abs();
            if clocks * 4.0 >= waited && found.is_none_or(|found| off(clocks) < off(found.clocks)) {
                found = Some(Why { address, cause, clocks });
            }
        }
    }
    let last = groups().next().map(|leader| [partner(leader), at(leader)]);
    let mispredicted = |at: &usize| {
        instructions[*at]
            .causes
            .iter()
            .any(|(cause, _)| *cause == Cause::Misprediction)
    };
    found.or_else(|| {
        let branch = last?
            .into_iter()
            .flatten()
            .find(mispredicted)
            .filter(|_| row.waited > 0)?;
        Some(Why {
            address: instructions[branch].address,
            cause: Cause::Misprediction,
            clocks: waited,
        })
    })
}
