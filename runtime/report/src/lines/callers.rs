//! The functions of a run with their lines and calls: each function has all that was executed in it, whatever labels
//! lie there, and each call what was spent until the return.
//!
//! What a function calls while it is active already counts for its first call only. So the costs of the calls of a
//! function add up to what was spent in it, and those of the calls from the program, with its own, to the whole run.
//! Where chains of calls are cut, the costs of calls are what passed between call and return.

use super::chains::{Chains, by_chain};
use super::rows::{MEMORY, file_name};
use super::stacks::Stack;
use super::{Entry, Sum};
use crate::Detail;
use p5_results::{Call, Calls, Run};
use std::collections::{BTreeMap, HashMap};

/// The functions, and whether calls are cut, or left out because there are too many.
#[derive(Default)]
pub(crate) struct Functions<'a> {
    pub(crate) list: Vec<Function<'a>>,
    pub(crate) cut: bool,
    pub(crate) incomplete: bool,
}

pub(crate) struct Function<'a> {
    pub(crate) name: String,
    /// The file in which it begins.
    pub(crate) file: &'a str,
    /// The lines by file and number; those of the file in which it begins are the first.
    pub(crate) lines: BTreeMap<(bool, &'a str, u32), Line>,
}

#[derive(Default)]
pub(crate) struct Line {
    pub(crate) sum: Sum,
    /// The calls by the index of the function that is called, and the line in which that begins.
    pub(crate) calls: BTreeMap<(usize, u32), Made>,
}

/// Equal calls, and what was spent until they returned.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) times: u64,
    pub(crate) sum: Sum,
}

/// A file and a line.
type Place<'a> = (&'a str, u32);

const NOWHERE: Place<'static> = (MEMORY, 0);

/// The functions in the stacks of a run: the called ones if calls are known, otherwise the labels.
pub(crate) fn functions<'a>(run: &'a Run, stacks: &[Stack<'a>], detail: Detail) -> Functions<'a> {
    let Some(calls) = run.calls.as_ref().filter(|calls| !calls.chains.is_empty()) else {
        return of_labels(stacks);
    };
    let chains = Chains::of(run);
    let places: HashMap<Entry, Place<'a>> = stacks
        .iter()
        .flat_map(|stack| {
            stack
                .entries
                .iter()
                .map(move |&entry| (entry, (stack.file, stack.line)))
        })
        .collect();
    let place = |entry: Option<u32>| entry.and_then(|entry| places.get(&(entry as usize)).copied());
    let mut functions = Functions {
        cut: calls.cut,
        incomplete: !calls.complete,
        ..Functions::default()
    };
    let declared = run.functions.iter().filter_map(|function| {
        let (file, line) = function.declared?;
        Some((function.address, (file_name(run, file)?, line)))
    });
    let mut begins: HashMap<u32, Place<'a>> = declared.collect();
    for call in &calls.list {
        let first = place(call.entries[1]).unwrap_or(NOWHERE);
        begins.entry(call.target).or_insert(first);
    }
    let numbers = numbered(run, &chains, &places, &begins, &mut functions);
    let of_chain = |chain: u32| numbers.get(chain as usize).copied().unwrap_or(0);
    let mut own = vec![Sum::default(); chains.all.len()];
    for ((number, chain), sum) in by_chain(&calls.spent, stacks, detail) {
        if let Some(own) = own.get_mut(chain as usize) {
            own.merge(&sum);
        }
        if let Some(stack) = stacks.get(number) {
            functions
                .line(of_chain(chain), (stack.file, stack.line))
                .sum
                .merge(&sum);
        }
    }
    for ((number, chain), sum) in by_chain(&calls.by_function, stacks, detail) {
        let place = stacks.get(number).map_or(NOWHERE, |stack| (stack.file, stack.line));
        functions.line(of_chain(chain), place).sum.merge(&sum);
    }
    for (call, sum) in calls.list.iter().zip(costs(calls, &chains, &numbers, own)) {
        let from = place(call.entries[0]);
        let (caller, called) = (of_chain(call.caller), of_chain(call.called));
        let hidden = call
            .entries
            .iter()
            .any(|&entry| entry.is_some() && place(entry).is_none());
        // Calls of the library are shown with its code only.
        if hidden && sum.executions == 0 && sum.cycles == 0 {
            continue;
        }
        let line = begins.get(&call.target).map_or(0, |&(_, line)| line);
        let calls = &mut functions.line(caller, from.unwrap_or(NOWHERE)).calls;
        let made = calls.entry((called, line)).or_default();
        made.times += call.times;
        made.sum.merge(&sum);
    }
    functions
}

impl<'a> Functions<'a> {
    fn line(&mut self, function: usize, (file, line): Place<'a>) -> &mut Line {
        let function = &mut self.list[function];
        function.lines.entry((function.file != file, file, line)).or_default()
    }
}

/// Without calls, the lines after each label are a function.
fn of_labels<'a>(stacks: &[Stack<'a>]) -> Functions<'a> {
    let mut functions = Functions::default();
    for same in stacks.chunk_by(|one, next| (one.file, one.function) == (next.file, next.function)) {
        let Some(first) = same.first() else { continue };
        functions.list.push(Function {
            name: first.function.to_owned(),
            file: first.file,
            lines: BTreeMap::new(),
        });
        for stack in same {
            let number = functions.list.len() - 1;
            functions.line(number, (stack.file, stack.line)).sum.merge(&stack.sum);
        }
    }
    functions
}

/// The clocks of each call until its return, in the order of the calls: those that all formats give it.
pub(super) fn clocks_of_calls(calls: &Calls, chains: &Chains) -> Vec<u64> {
    let mut own = vec![Sum::default(); chains.all.len()];
    for spent in &calls.spent {
        if let Some(own) = own.get_mut(spent.chain as usize) {
            own.add_spent(spent);
        }
    }
    let mut first: HashMap<&str, usize> = HashMap::new();
    let names = (0..chains.all.len()).map(|chain| (chain, chains.name(chain as u32)));
    let functions: Vec<usize> = names.map(|(chain, name)| *first.entry(name).or_insert(chain)).collect();
    costs(calls, chains, &functions, own)
        .iter()
        .map(|sum| sum.cycles)
        .collect()
}

/// Adds the functions by address, each name of a file once, and returns the index of that of each chain.
fn numbered<'a>(
    run: &Run,
    chains: &Chains,
    places: &HashMap<Entry, Place<'a>>,
    begins: &HashMap<u32, Place<'a>>,
    functions: &mut Functions<'a>,
) -> Vec<usize> {
    let file = |target: u32| match begins.get(&target) {
        Some(&(file, _)) => file,
        None => {
            let entry = run.instructions.binary_search_by_key(&target, |one| one.address).ok();
            entry
                .and_then(|entry| places.get(&entry))
                .map_or(MEMORY, |&(file, _)| file)
        }
    };
    // What has no target comes last.
    let order = |chain: u32| chains.target(chain).map_or(u64::MAX, u64::from);
    let mut ordered: Vec<u32> = (0..chains.all.len() as u32).collect();
    ordered.sort_by_key(|&chain| order(chain));
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    let mut numbers = vec![0; ordered.len()];
    for chain in ordered {
        let file = chains.target(chain).map_or(MEMORY, file);
        let next = functions.list.len();
        let number = *known.entry((file, chains.name(chain))).or_insert(next);
        if number == next {
            functions.list.push(Function {
                name: chains.name(chain).to_owned(),
                file,
                lines: BTreeMap::new(),
            });
        }
        numbers[chain as usize] = number;
    }
    numbers
}

/// The costs of each call, in the order of the calls. `whole` has the figures of each chain without those of what it
/// calls, `functions` its function.
fn costs(calls: &Calls, chains: &Chains, functions: &[usize], mut whole: Vec<Sum>) -> Vec<Sum> {
    for (chain, one) in chains.all.iter().enumerate().rev() {
        // Each chain comes after its caller.
        let (before, from) = whole.split_at_mut(chain);
        let caller = one.caller.and_then(|caller| before.get_mut(caller as usize));
        if let (Some(caller), Some(called)) = (caller, from.first()) {
            caller.merge(called);
        }
    }
    let function = |chain: u32| functions.get(chain as usize);
    let is_cut = |chain: u32| chains.up(chain).any(|chain| chains.target(chain).is_none());
    let is_first = |chain: u32| {
        chains
            .up(chain)
            .skip(1)
            .all(|caller| function(caller) != function(chain))
    };
    let mut by_chain: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, call) in calls.list.iter().enumerate() {
        if call.caller != call.called {
            by_chain.entry(call.called).or_default().push(number);
        }
    }
    let mut costs = vec![Sum::default(); calls.list.len()];
    for (chain, numbers) in by_chain {
        let made: Vec<&Call> = numbers.iter().map(|&number| &calls.list[number]).collect();
        let sums = match whole.get(chain as usize) {
            _ if is_cut(chain) => made.iter().map(|call| measured(call)).collect(),
            Some(whole) if is_first(chain) => shares(whole, &made),
            _ => continue,
        };
        for (number, sum) in numbers.into_iter().zip(sums) {
            costs[number] = sum;
        }
    }
    costs
}

/// The clocks and instructions between call and return.
fn measured(call: &Call) -> Sum {
    Sum {
        cycles: call.clocks,
        executions: call.instructions,
        ..Sum::default()
    }
}

/// The figures of a chain by the calls that lead to it, in proportion to the clocks between call and return; of the
/// instructions, to those between.
fn shares(whole: &Sum, calls: &[&Call]) -> Vec<Sum> {
    let by_clocks = Weights::of(calls, |call| call.clocks);
    let by_instructions = Weights::of(calls, |call| call.instructions);
    let share = |number: usize| Sum {
        executions: by_instructions.share(whole.executions, number),
        ..whole.map(|figure| by_clocks.share(figure, number))
    };
    (0..calls.len()).map(share).collect()
}

/// The sums of weights up to each call.
struct Weights(Vec<u128>);

impl Weights {
    /// The weights of calls or, if they have none, how often they were made.
    fn of(calls: &[&Call], weight: fn(&Call) -> u64) -> Weights {
        let any = calls.iter().any(|call| weight(call) > 0);
        let mut sum = 0;
        let sums = calls.iter().map(|call| {
            sum += u128::from(if any { weight(call) } else { call.times });
            sum
        });
        Weights(sums.collect())
    }

    /// The share of a figure of the call with this number. All shares add up to the figure.
    fn share(&self, figure: u64, number: usize) -> u64 {
        let all = self.0.last().copied().unwrap_or_default().max(1);
        let until = |weights: u128| (u128::from(figure) * weights / all) as u64;
        let before = number.checked_sub(1).map_or(0, |last| self.0[last]);
        until(self.0[number]) - until(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::{Cause, CauseCycles, Chain, Spent};

    fn call(caller: u32, called: u32, target: u32, times: u64, clocks: u64) -> Call {
        Call {
            from: caller,
            target,
            entries: [None; 2],
            caller,
            called,
            times,
            clocks,
            instructions: clocks,
        }
    }

    /// The program, `a` that calls `b`, which calls `a` again, and a chain that is cut.
    fn nested() -> Run {
        let chain = |caller, target| Chain { caller, target };
        let spent = |chain, cycles| Spent {
            chain,
            entry: None,
            library: false,
            u: cycles,
            v: 0,
            causes: vec![CauseCycles {
                cause: Cause::Issue,
                cycles,
            }],
            refusals: Vec::new(),
        };
        let mut run = crate::specimen::run();
        run.labels = Vec::new();
        run.calls = Some(Calls {
            list: vec![
                call(0, 1, 64, 2, 30),
                call(0, 1, 64, 1, 10),
                call(1, 2, 128, 3, 25),
                call(1, 1, 64, 9, 0),
                call(2, 3, 64, 3, 0),
                call(3, 5, 192, 1, 4),
            ],
            complete: true,
            chains: vec![
                chain(None, Some(0)),
                chain(Some(0), Some(64)),
                chain(Some(1), Some(128)),
                chain(Some(2), Some(64)),
                chain(Some(3), None),
                chain(Some(4), Some(192)),
            ],
            cut: true,
            spent: vec![spent(0, 1), spent(1, 10), spent(2, 20), spent(3, 7), spent(5, 4)],
            by_function: vec![spent(0, 1), spent(1, 17), spent(2, 20), spent(5, 4)],
        });
        run
    }

    #[test]
    fn costs_of_calls_add_up_to_the_run() {
        let run = nested();
        let functions = functions(&run, &[], Detail::Short);
        let names: Vec<&str> = functions.list.iter().map(|one| &*one.name).collect();
        let [program, a, b, c] =
            [0, 64, 128, 192].map(|address| format!("{MEMORY} {}", crate::printable::number(address)));
        assert_eq!(names, [&*program, &a, &b, &c, "(deeper)"]);
        let told = |number: usize| {
            let lines: Vec<&Line> = functions.list[number].lines.values().collect();
            let [line] = lines[..] else { panic!("one line") };
            let calls = line.calls.iter();
            let calls: Vec<_> = calls.map(|(to, made)| (to.0, made.times, made.sum.cycles)).collect();
            (line.sum.cycles, calls)
        };
        // 41 of the 42 clocks in `a`, once for all its chains.
        assert_eq!(told(0), (1, vec![(1, 3, 41)]));
        // `b` and what it calls; `a` within `a` counts already.
        assert_eq!(told(1), (17, vec![(1, 9, 0), (2, 3, 31), (3, 1, 4)]));
        assert_eq!(told(2), (20, vec![(1, 3, 0)]));
        assert_eq!((told(3), functions.cut), ((4, vec![]), true));
    }

    #[test]
    fn shares_of_calls_add_up() {
        let whole = Sum {
            cycles: 100,
            executions: 7,
            ..Sum::default()
        };
        let shared = |calls: &[Call]| -> Vec<(u64, u64)> {
            let sums = shares(&whole, &calls.iter().collect::<Vec<_>>());
            sums.iter().map(|sum| (sum.cycles, sum.executions)).collect()
        };
        let (once, twice) = (call(0, 1, 64, 1, 10), call(0, 1, 64, 1, 20));
        assert_eq!(shared(&[once, twice]), [(33, 2), (67, 5)]);
        let untimed = [1, 3].map(|times| call(0, 1, 64, times, 0));
        assert_eq!(shared(&untimed), [(25, 1), (75, 6)]);
        assert_eq!(shared(&[once]), [(100, 7)]);
    }
}
