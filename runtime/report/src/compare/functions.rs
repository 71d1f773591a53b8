//! Which functions of two runs correspond, and the difference in their clocks.

use super::causes::{Spent, changed_causes};
use super::long::LongInstructions;
use super::saved::SavedRun;
use super::waits::Shared;
use super::{Function, Pair};
use p5_image::without_variant;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

/// Pairs what has the same name, the first with the first: what the newer run has, in its order, then what is gone.
pub(super) fn by_name<'a, T>(
    old: impl Iterator<Item = (&'a str, Option<T>)>,
    new: impl Iterator<Item = (&'a str, Option<T>)>,
) -> Vec<(&'a str, Option<T>, Option<T>)> {
    let mut rest: HashMap<&str, VecDeque<Option<T>>> = HashMap::new();
    let mut names = Vec::new();
    for (name, clocks) in old {
        rest.entry(name).or_default().push_back(clocks);
        names.push(name);
    }
    let mut next = |name| rest.get_mut(name).and_then(VecDeque::pop_front);
    let mut found: Vec<_> = new.map(|(name, clocks)| (name, next(name).flatten(), clocks)).collect();
    let gone = names.into_iter().filter_map(|name| Some((name, next(name)?, None)));
    found.extend(gone);
    found
}

/// The name of a function of Rust without the crate `own`, wherever a path in it begins with that: also in the types of
/// `<one::Point as one::Shape>::area`.
fn without_crate(name: &str, own: &str) -> String {
    let mut rest = name;
    let mut plain = String::new();
    let begins = |before: &str| !before.ends_with(|last: char| last.is_alphanumeric() || "_:".contains(last));
    while let Some(at) = rest.find(own).filter(|_| !own.is_empty()) {
        let (before, found) = rest.split_at(at);
        let (crate_name, after) = found.split_at(own.len());
        plain += before;
        match after
            .strip_prefix("::")
            .filter(|path| begins(&plain) && !path.is_empty())
        {
            Some(path) => rest = path,
            None => {
                plain += crate_name;
                rest = after;
            }
        }
    }
    plain + rest
}

/// The names of the functions of a run, and of the run with which it is compared.
struct Names<'a> {
    own: HashSet<&'a str>,
    other: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(own: &'a SavedRun, other: &'a SavedRun) -> Names<'a> {
        let names = |run: &'a SavedRun| run.functions.iter().filter_map(|one| one.name.as_deref()).collect();
        Names {
            own: names(own),
            other: names(other),
        }
    }

    /// The function for which a variant stands that a compiler made: one that the other run has itself, without this
    /// variant of it, and this run has only in variants.
    fn stands_for(&self, name: &'a str) -> Option<&'a str> {
        let plain = without_variant(name);
        let stands = !self.other.contains(name) && self.other.contains(plain) && !self.own.contains(plain);
        stands.then_some(plain)
    }

    /// The functions of the run with their clocks. Variants that stand for one function are added up, and so are the
    /// copies of one function that a compiler inlined: they have the name and the file of the function itself.
    fn functions(&self, run: &'a SavedRun) -> Vec<(&'a str, Option<Spent>)> {
        let sources = run.sources();
        let long = LongInstructions::of(run);
        let mut functions: Vec<(&str, Option<Spent>)> = Vec::new();
        let mut places: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for one in &run.functions {
            let name = one.name.as_deref().unwrap_or_default();
            let spent = Spent {
                clocks: one.cycles,
                causes: one.reasons.clone(),
                long: long.of_function(name, &one.reasons),
                shared: Shared::default(),
                of_library: one.file.as_deref().is_none_or(|file| !sources.contains(file)),
            };
            let (plain, file) = match (self.stands_for(name), one.file.as_deref()) {
                (Some(plain), _) => (plain, None),
                (None, Some(file)) => (name, Some(file)),
                (None, None) => {
                    functions.push((name, Some(spent)));
                    continue;
                }
            };
            let place = *places.entry((plain, file)).or_insert(functions.len());
            match functions.get_mut(place) {
                Some((_, sum)) => *sum = sum.take().map(|sum| sum.with(&spent)),
                None => functions.push((plain, Some(spent))),
            }
        }
        functions
    }
}

/// The functions that differ: those of one name correspond, then those that have one name without their crates.
pub(super) fn functions(old: &SavedRun, new: &SavedRun) -> Vec<Function> {
    // The two may be crates of one program under different names.
    let [own, other] = [old, new].map(SavedRun::own_crate);
    let differ = own != other;
    let [old, new] = [(old, new), (new, old)].map(|(own, other)| Names::of(own, other).functions(own));
    let all = by_name(old.into_iter(), new.into_iter()).into_iter();
    let (mut pairs, single): (Vec<_>, Vec<_>) = all
        .map(|(name, before, after)| (name.to_owned(), before, after))
        .partition(|(_, before, after)| !differ || before.is_some() && after.is_some());
    let (gone, appeared): (Vec<_>, Vec<_>) = single.into_iter().partition(|(_, before, _)| before.is_some());
    let mut rest: HashMap<String, VecDeque<(String, Option<Spent>)>> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    for (name, before, _) in gone {
        let plain = without_crate(&name, &own);
        rest.entry(plain.clone()).or_default().push_back((name, before));
        order.push(plain);
    }
    for (name, _, after) in appeared {
        let plain = without_crate(&name, &other);
        match rest.get_mut(&plain).and_then(VecDeque::pop_front) {
            Some((_, before)) => pairs.push((plain, before, after)),
            None => pairs.push((name, None, after)),
        }
    }
    let gone = order.iter().filter_map(|plain| rest.get_mut(plain)?.pop_front());
    pairs.extend(gone.map(|(name, before)| (name, before, None)));
    let changed = pairs.into_iter().map(|(name, before, after)| {
        let clocks = |spent: &Option<Spent>| spent.as_ref().map(|spent| spent.clocks);
        Function {
            name,
            clocks: Pair::of(clocks(&before), clocks(&after), None),
            causes: changed_causes(before.as_ref(), after.as_ref()),
            of_library: after.or(before).is_some_and(|spent| spent.of_library),
        }
    });
    let mut changed: Vec<Function> = changed
        .filter(|function| function.clocks.difference != Some(0))
        .collect();
    changed.sort_by_key(|function| (function.of_library, Reverse(function.clocks.weight())));
    changed
}
