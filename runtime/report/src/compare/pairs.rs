//! Which lines of two runs correspond.

use super::regions;
use super::saved::SavedRun;
use super::saved_lines::SavedLine;
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// The time limit for ordering lines. Lines of reports that differ too much are paired regardless of their order.
const DIFF_TIME: Duration = Duration::from_secs(2);
/// The maximum number of pairs of lines that are looked at where lines replace others.
const PAIRS: usize = 1 << 14;
/// The likeness of equal texts, and the one that lines need in order to correspond.
const EQUAL: usize = 100;
const ALIKE: usize = 51;

/// A pair of corresponding lines, or a line that only one run has.
pub(super) type Lines<'a> = (Option<&'a SavedLine>, Option<&'a SavedLine>);

/// The file that only the older run has and the one that only the newer has, if there is one each; else the two files
/// with the beginnings of the programs, if each of them is in one run only.
fn renamed<'a>(old: &'a SavedRun, new: &'a SavedRun) -> Option<(&'a str, &'a str)> {
    let (before, after) = (old.files(), new.files());
    let (mut gone, mut added) = (before.difference(&after), after.difference(&before));
    match (gone.next(), gone.next(), added.next(), added.next()) {
        (Some(one), None, Some(other), None) => return Some((one, other)),
        (None, ..) | (_, _, None, _) => return None,
        _ => {}
    }
    let (one, other) = old.main_file().zip(new.main_file())?;
    (!after.contains(one) && !before.contains(other)).then_some((one, other))
}

/// Whether a file is the main file of one of the programs, or the one that only this program has: such correspond.
pub(super) fn is_main(old: &SavedRun, new: &SavedRun, file: &str) -> bool {
    let pairs = renamed(old, new).into_iter().chain([(&*old.program, &*new.program)]);
    pairs.into_iter().any(|(one, other)| file == one || file == other)
}

/// The files of both runs whose text at least one run lacks, so that nothing tells which of their lines
/// correspond.
pub(super) fn without_text<'a>(old: &'a SavedRun, new: &'a SavedRun) -> BTreeSet<&'a str> {
    let mut files: BTreeSet<&str> = [old, new].into_iter().flat_map(SavedRun::without_text).collect();
    let main = (&*old.program, &*new.program);
    for (one, other) in renamed(old, new).into_iter().chain([main]) {
        if files.contains(one) || files.contains(other) {
            files.extend([one, other]);
        }
    }
    files
}

/// Pairs the corresponding lines of two runs, none of different regions nor of the files `but`, those that are only
/// `alike` if this is wanted, and returns the others alone; also whether ordering ran out of time.
pub(super) fn paired<'a>(
    old: &'a SavedRun,
    new: &'a SavedRun,
    but: &BTreeSet<&str>,
    alike: bool,
) -> (Vec<Lines<'a>>, bool) {
    let lines = |run: &'a SavedRun| {
        let lines = run.own_lines();
        let compared = lines.filter(|line| line.line == 0 || !but.contains(&*line.file));
        compared.partition(|line| !line.is_sum())
    };
    let [(before, old_sums), (after, new_sums)]: [(Vec<&SavedLine>, Vec<&SavedLine>); 2] = [lines(old), lines(new)];
    let sums = [&old_sums, &new_sums].into_iter().flatten();
    let part: HashSet<Option<&str>> = sums.map(|line| line.own_function()).collect();
    let renamed = renamed(old, new);
    let mut keys = [(old, &before), (new, &after)].map(|(run, lines)| {
        let corresponds =
            |name: &str| name == run.program || renamed.is_some_and(|(one, other)| [one, other].contains(&name));
        let place = |line: &'a SavedLine| match line.own_function() {
            Some(function) => function,
            None if corresponds(&line.file) => "",
            None => &line.file,
        };
        let regions = regions::around(run, lines, if std::ptr::eq(run, old) { new } else { old });
        let keys = lines.iter().zip(regions).map(|(&line, region)| Key {
            place: (place(line), region),
            number: None,
            instruction: line.instruction(),
        });
        keys.collect::<Vec<_>>()
    });
    number_unchanged(&mut keys, [&before, &after]);
    number_functions(&mut keys, [&before, &after]);
    let [old_keys, new_keys] = &keys;
    let started = Instant::now();
    let deadline = started.checked_add(DIFF_TIME);
    let operations = capture_diff_slices_deadline(Algorithm::Patience, old_keys, new_keys, deadline);
    let anywhere = started.elapsed() >= DIFF_TIME;
    // The partner of each newer line, and for each older line whether it has a partner.
    let mut partners: Vec<Option<usize>> = vec![None; after.len()];
    let mut taken = vec![false; before.len()];
    let equal = operations.iter().filter(|one| one.tag() == DiffTag::Equal);
    for (place, partner) in equal.flat_map(|one| one.new_range().zip(one.old_range())) {
        partners[place] = Some(partner);
        taken[partner] = true;
    }
    // Of a function of which a report does not list all, the partner of an instruction may be among the others.
    let whole = |line: &SavedLine| line.line > 0 || !part.contains(&line.own_function());
    let mut moved: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (place, key) in old_keys
        .iter()
        .enumerate()
        .filter(|&(place, _)| !taken[place] && whole(before[place]))
    {
        moved.entry(key).or_default().push_back(place);
    }
    for (partner, key) in partners
        .iter_mut()
        .zip(new_keys)
        .filter(|(partner, _)| partner.is_none())
    {
        *partner = moved.get_mut(key).and_then(VecDeque::pop_front);
        partner.iter().for_each(|&partner| taken[partner] = true);
    }
    for operation in operations.iter().filter(|one| alike && one.tag() == DiffTag::Replace) {
        let gone: Vec<usize> = operation.old_range().filter(|&place| !taken[place]).collect();
        let new: Vec<usize> = operation
            .new_range()
            .filter(|&place| partners[place].is_none())
            .collect();
        let likeness = |one: usize, other: usize| {
            let (one_key, other_key) = (&old_keys[gone[one]], &new_keys[new[other]]);
            let alone = one_key.number.or(other_key.number).is_none() && whole(before[gone[one]]);
            match one_key.place == other_key.place && alone {
                true => likeness(before[gone[one]], after[new[other]]),
                false => 0,
            }
        };
        for (partner, place) in most_alike(gone.len(), new.len(), &likeness) {
            partners[new[place]] = Some(gone[partner]);
            taken[gone[partner]] = true;
        }
    }
    let known = after.iter().zip(&partners);
    let known = known.map(|(&line, partner)| (partner.map(|partner| before[partner]), Some(line)));
    let gone = before.iter().zip(&taken).filter(|&(_, &taken)| !taken);
    let gone = gone.map(|(&line, _)| line).chain(old_sums);
    let known = known.chain(new_sums.into_iter().map(|line| (None, Some(line))));
    (known.chain(gone.map(|line| (Some(line), None))).collect(), anywhere)
}

/// The key that two lines share if they correspond.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key<'a> {
    /// The function of code without lines, or the file if its name matters, and the region.
    place: (&'a str, &'a str),
    /// The number, in a file that both runs have unchanged; of code without lines the distance in its function.
    number: Option<u32>,
    instruction: String,
}

/// Gives numbers to the keys of the lines of files with one text in both runs: of lines that both executed, at least
/// half of those of the run with fewer, none has another text.
fn number_unchanged(keys: &mut [Vec<Key<'_>>; 2], lines: [&[&SavedLine]; 2]) {
    let mut files: HashMap<&str, [HashMap<u32, &str>; 2]> = HashMap::new();
    for (side, (keys, lines)) in keys.iter().zip(lines).enumerate() {
        for (key, line) in keys.iter().zip(lines).filter(|(_, line)| line.line > 0) {
            files.entry(key.place.0).or_default()[side].insert(line.line, line.text.trim());
        }
    }
    let unchanged = |[old, new]: &[HashMap<u32, &str>; 2]| {
        let both: Vec<bool> = old
            .iter()
            .filter_map(|(line, text)| Some(new.get(line)? == text))
            .collect();
        both.iter().all(|&same| same) && !both.is_empty() && 2 * both.len() >= old.len().min(new.len())
    };
    files.retain(|_, texts| unchanged(texts));
    let files: HashSet<String> = files.into_keys().map(str::to_owned).collect();
    for (key, line) in keys
        .iter_mut()
        .zip(lines)
        .flat_map(|(keys, lines)| keys.iter_mut().zip(lines))
    {
        if line.line > 0 && files.contains(key.place.0) {
            key.number = Some(line.line);
        }
    }
}

/// Gives the instructions of functions without source lines their distances from the beginning, if the function has
/// the same code in both runs: of the distances that both list, at least half of those of the run with fewer, none has
/// another instruction. Numbers that a linker chooses may differ.
fn number_functions(keys: &mut [Vec<Key<'_>>; 2], lines: [&[&SavedLine]; 2]) {
    let mut functions: HashMap<&str, [HashMap<u32, Option<String>>; 2]> = HashMap::new();
    for (side, lines) in lines.iter().enumerate() {
        for line in *lines {
            let Some((name, distance)) = line.own_function().zip(line.distance()) else {
                continue;
            };
            // Two functions of one name are not told apart.
            let found = functions.entry(name).or_default()[side].entry(distance);
            found
                .and_modify(|one| *one = None)
                .or_insert_with(|| Some(line.unplaced()));
        }
    }
    let unchanged = |[old, new]: &[HashMap<u32, Option<String>>; 2]| {
        let known = [old, new].iter().all(|one| one.values().all(Option::is_some));
        let both: Vec<bool> = old
            .iter()
            .filter_map(|(distance, one)| Some(new.get(distance)? == one))
            .collect();
        known && both.iter().all(|&same| same) && !both.is_empty() && 2 * both.len() >= old.len().min(new.len())
    };
    functions.retain(|_, sides| unchanged(sides));
    let names: HashSet<String> = functions.into_keys().map(str::to_owned).collect();
    for (key, line) in keys
        .iter_mut()
        .zip(lines)
        .flat_map(|(keys, lines)| keys.iter_mut().zip(lines))
    {
        if line.own_function().is_some_and(|name| names.contains(name)) {
            key.number = line.distance();
            key.instruction = line.unplaced();
        }
    }
}

/// How alike two lines are, up to [`EQUAL`]: those with one label are the same place; otherwise the words and numbers
/// that both contain count.
fn likeness(old: &SavedLine, new: &SavedLine) -> usize {
    if old.label().is_some() && old.label() == new.label() {
        return EQUAL;
    }
    // Each counts once: registers alone make no two instructions alike.
    let words = |line: &SavedLine| -> BTreeSet<String> {
        let text = line.instruction().to_lowercase();
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (words(old), words(new));
    let common = old.intersection(&new).count();
    (2 * common * EQUAL).checked_div(old.len() + new.len()).unwrap_or(0)
}

/// The pairs of lines that correspond, in the order of both, so that together they are as alike as possible. Of too
/// many lines none do.
fn most_alike(old: usize, new: usize, likeness: &dyn Fn(usize, usize) -> usize) -> Vec<(usize, usize)> {
    if old.saturating_mul(new) > PAIRS {
        return Vec::new();
    }
    let alike = |one, other| Some(likeness(one, other)).filter(|&alike| alike >= ALIKE);
    let mut likenesses = vec![vec![None; new]; old];
    // For each two lines, the best sum from there on.
    let mut best = vec![vec![0; new + 1]; old + 1];
    for one in (0..old).rev() {
        for other in (0..new).rev() {
            likenesses[one][other] = alike(one, other);
            let both = likenesses[one][other].map_or(0, |alike| alike + best[one + 1][other + 1]);
            best[one][other] = both.max(best[one + 1][other]).max(best[one][other + 1]);
        }
    }
    let (mut one, mut other, mut pairs) = (0, 0, Vec::new());
    while one < old && other < new {
        let both = likenesses[one][other].map(|alike| alike + best[one + 1][other + 1]);
        if both == Some(best[one][other]) {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if best[one][other] == best[one + 1][other] {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}
