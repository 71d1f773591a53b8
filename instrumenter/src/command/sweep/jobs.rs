//! One command line for each run of a sweep, for tools that distribute jobs over machines. The output of the lines, in
//! their order, is the table as CSV: the first one prints the headings.

use super::super::args::{Amount, Encode, Timeout};
use super::super::output::print_colored;
use super::sources::fingerprint;
use super::{Progress, Subject, Work, in_share, parallel, union};
use clap::ValueEnum;
use p5_assembler::diag::Severity;
use p5_assembler::{Assembly, Library};
use runtime::model::CoreRatio;
use runtime::report::sweep::unique;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The number of rows that tell nothing of others and are assembled one by one before all are assembled.
const ATTEMPTS: usize = 16;
/// The maximum number of rows that are assembled to tell something of others.
const TELLING: usize = 256;

const USUAL_TIMEOUT: Timeout = Timeout(Some(Duration::from_secs(10)));

/// Prints the lines; an error is one line.
pub(super) fn print(work: &Work) -> Result<ExitCode, String> {
    let arguments = work.arguments;
    if arguments.file == Path::new("-") {
        return Err("a job cannot read the source from standard input; name a file".to_owned());
    }
    let regions = match &arguments.region[..] {
        [] => regions(work)?,
        named => named.to_vec(),
    };
    let mut lines: Vec<u8> = Vec::new();
    for row in 0..work.matrix.len() {
        let words = words(work, row, &regions);
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                lines.push(b' ');
            }
            quote(word, &mut lines)?;
        }
        lines.push(b'\n');
    }
    print_colored(None, Amount::default(), |_, out| out.write_all(&lines))?;
    Ok(ExitCode::SUCCESS)
}

/// The names of all regions of all runs. A job knows only its own run, so its line contains them.
///
/// Without the code of the measuring macros, which is most of a small program, names are found several times as fast.
/// They are the same unless addresses decide which lines are read, a source asks for what only one library has, or a
/// run has a region only so: then all sources are assembled as they run.
fn regions(work: &Work) -> Result<Vec<String>, String> {
    let found = match regions_with(work, Library::Unmeasured)? {
        (found, true) if !names_library(work) => found,
        _ => regions_with(work, Library::Pentium)?.0,
    };
    Ok(found)
}

/// Whether a source that was read, or a definition, names what may be of one library only: all such names contain this.
fn names_library(work: &Work) -> bool {
    let own = |text: &[u8]| text.windows(3).any(|part| part.eq_ignore_ascii_case(b"p5_"));
    let main = match work.subject {
        Subject::Source { main, .. } => own(main.text.as_bytes()),
        Subject::Program { .. } => false,
    };
    let defined = |(name, value): &(String, String)| own(name.as_bytes()) || own(value.as_bytes());
    main || work.cache.any(own) || work.matrix.point(0).program.assembly.define.iter().any(defined)
}

/// The names of all regions of all runs with this library, and whether they are those with the usual one.
///
/// Rows that are assembled with the same options have the same regions. If no value that differs decides which lines
/// are read, all rows of a chip and a privilege level that assemble have the same regions. If some do, this holds of
/// the rows in which these are the same, or are in the same order with the numbers with which conditions compare them.
fn regions_with(work: &Work, library: Library) -> Result<(Vec<String>, bool), String> {
    let mut alike: BTreeMap<(&str, u8), Vec<usize>> = BTreeMap::new();
    let mut known = HashSet::new();
    for row in 0..work.matrix.len() {
        let assembly = work.matrix.point(row).program.assembly;
        let group = (assembly.cpu.name, assembly.level());
        if known.insert((group, assembly.define)) {
            alike.entry(group).or_default().push(row);
        }
    }
    let mut found: Vec<Mutex<Vec<String>>> = Vec::new();
    found.resize_with(work.matrix.len(), Mutex::default);
    // The first row with each list of errors.
    let refused: Mutex<BTreeMap<u64, usize>> = Mutex::default();
    let by_address = AtomicBool::new(false);
    // Whether the row assembles, whether values decide except for those of `settled` names, and their bounds.
    let assemble = |row: usize, settled: &[String]| {
        let assembled = in_share(|share| {
            let assembly = work.assembled(&work.matrix.point(row), share, library, settled)?;
            *found[row].lock().unwrap_or_else(PoisonError::into_inner) = names(&assembly);
            by_address.fetch_or(assembly.addresses_decide, Ordering::Relaxed);
            if assembly.image.is_none() {
                let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
                let first = refused.entry(errors(&assembly)).or_insert(row);
                *first = row.min(*first);
            }
            Some((assembly.image.is_some(), assembly.values_decide, assembly.bounds))
        });
        assembled.unwrap_or_default()
    };
    // The rows that are left of such among which no value decides except for those of `settled` names.
    let rest = |rows: Vec<usize>, settled: &[String]| {
        let mut rows = rows.into_iter();
        for row in rows.by_ref().take(ATTEMPTS) {
            match assemble(row, settled) {
                (_, true, _) => break,
                (true, false, _) => return Vec::new(),
                (false, false, _) => {}
            }
        }
        rows.collect()
    };
    let mut groups: Vec<(Vec<usize>, Arc<[String]>)> = Vec::new();
    for rows in alike.into_values() {
        let (varied, single) = varied(work, &rows);
        let first = rows[0];
        let rows = untold(work, rows, &varied, |row| assemble(row, &single));
        if rows.is_empty() {
            continue;
        }
        // Names whose values decide nothing alone vary within a group; all others are the same in it.
        let decides = |name: &&String| {
            let others = varied.iter().filter(|other| other != name).chain(&single);
            assemble(first, &others.cloned().collect::<Vec<_>>()).1
        };
        let deciding: Vec<String> = varied.iter().filter(decides).cloned().collect();
        let mut parts: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for row in rows {
            let define = work.matrix.point(row).program.assembly.define;
            let values = define.into_iter().filter(|(name, _)| deciding.contains(name));
            parts
                .entry(values.map(|(_, value)| value).collect())
                .or_default()
                .push(row);
        }
        let settled: Arc<[String]> = deciding.into_iter().chain(single).collect();
        groups.extend(parts.into_values().map(|rows| (rows, Arc::clone(&settled))));
    }
    let count = groups.iter().map(|(rows, _)| rows.len()).sum();
    let progress = Mutex::new(Progress::new("assembling", count, 0));
    let passed = |rows: usize| {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        (0..rows).for_each(|_| progress.step());
    };
    let left: Mutex<Vec<usize>> = Mutex::default();
    let all: Vec<usize> = (0..groups.len()).collect();
    parallel(&all, |group| {
        let (rows, settled) = &groups[group];
        let rest = rest(rows.clone(), settled);
        passed(rows.len() - rest.len());
        left.lock().unwrap_or_else(PoisonError::into_inner).extend(rest);
        Ok(())
    })?;
    parallel(&left.into_inner().unwrap_or_else(PoisonError::into_inner), |row| {
        assemble(row, &[]);
        passed(1);
        Ok(())
    })?;
    let found = found
        .into_iter()
        .map(|names| names.into_inner().unwrap_or_else(PoisonError::into_inner));
    let found: Vec<Vec<String>> = found.collect();
    let refused = refused.into_inner().unwrap_or_else(PoisonError::into_inner);
    let refused: Vec<usize> = refused.into_values().collect();
    let is_sure = library == Library::Pentium || !by_address.into_inner() && are_measured(work, &found, &refused)?;
    Ok((union(found.into_iter()), is_sure))
}

/// Whether a row assembles; whether values of options decide which lines are read; and [`Assembly::bounds`].
type Decided = (bool, bool, Option<Vec<(String, Option<i64>)>>);

/// The rows that may read other lines than the rows which `assemble` is called with: those in which the values of
/// `varied` are in another order with the numbers that they are compared with, differ where the value itself counts, or
/// decide in another way.
fn untold(work: &Work, rows: Vec<usize>, varied: &[String], assemble: impl Fn(usize) -> Decided) -> Vec<usize> {
    let mut rows: Vec<(usize, Vec<Option<i64>>)> = rows
        .into_iter()
        .map(|row| {
            let define = work.matrix.point(row).program.assembly.define.into_iter();
            let define = define.filter(|(name, _)| varied.contains(name));
            (row, define.map(|(_, value)| plain_number(&value)).collect())
        })
        .collect();
    let mut attempts = ATTEMPTS;
    for _ in 0..TELLING {
        if rows.is_empty() || attempts == 0 {
            break;
        }
        let (row, own) = rows.remove(0);
        let before = rows.len();
        match assemble(row) {
            (true, false, _) => return Vec::new(),
            (true, true, Some(bounds)) => {
                let same = |values: &[Option<i64>]| {
                    bounds.iter().all(|(name, bound)| {
                        let at = varied.iter().position(|one| one.eq_ignore_ascii_case(name));
                        let value = |values: &[Option<i64>]| *values.get(at?)?;
                        let both = value(&own).zip(value(values));
                        both.is_some_and(|(own, other)| match bound {
                            Some(bound) => own.cmp(bound) == other.cmp(bound),
                            None => own == other,
                        })
                    })
                };
                rows.retain(|(_, values)| !same(values));
            }
            _ => {}
        }
        attempts -= usize::from(rows.len() == before);
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

/// The number that all dialects read in the value of a definition.
fn plain_number(value: &str) -> Option<i64> {
    let is_plain = value.len() < 10 && value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|_| is_plain)
}

/// The defined names whose values differ among `rows`, and the others.
fn varied(work: &Work, rows: &[usize]) -> (Vec<String>, Vec<String>) {
    let first = work.matrix.point(rows[0]).program.assembly.define;
    let mut differs = vec![false; first.len()];
    for &row in rows {
        let define = work.matrix.point(row).program.assembly.define;
        for (differs, (one, other)) in differs.iter_mut().zip(first.iter().zip(&define)) {
            *differs |= one != other;
        }
    }
    let names = first.into_iter().map(|(name, _)| name).zip(differs);
    let (varied, single): (Vec<_>, Vec<_>) = names.partition(|&(_, differs)| differs);
    let names = |all: Vec<(String, bool)>| all.into_iter().map(|(name, _)| name).collect();
    (names(varied), names(single))
}

/// Whether the rows that are the first with a region have it, and no other regions, with the measuring macros, too, and
/// those of `refused` none.
fn are_measured(work: &Work, found: &[Vec<String>], refused: &[usize]) -> Result<bool, String> {
    let mut known: HashSet<&String> = HashSet::new();
    let firsts = found.iter().enumerate().filter(|(row, expected)| {
        let new = expected.iter().filter(|name| known.insert(name)).count();
        // The first row tells whether the source asks for what only one of the libraries has.
        new > 0 || *row == 0
    });
    let firsts: BTreeSet<usize> = firsts.map(|(row, _)| row).chain(refused.iter().copied()).collect();
    let firsts: Vec<usize> = firsts.into_iter().collect();
    let all_same = AtomicBool::new(true);
    parallel(&firsts, |row| {
        if all_same.load(Ordering::Relaxed) {
            let assembly = in_share(|share| work.assembled(&work.matrix.point(row), share, Library::Pentium, &[]));
            let same = assembly.is_some_and(|assembly| names(&assembly) == found[row]);
            all_same.fetch_and(same, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(all_same.into_inner())
}

/// The names of the regions of a program as columns have them; none if it has errors.
fn names(assembly: &Assembly) -> Vec<String> {
    let regions = assembly.image.as_ref().map(|image| &image.regions);
    let names = regions.map(|regions| unique(regions.iter().map(|region| &*region.name)));
    names.unwrap_or_default()
}

/// A fingerprint of the errors of a program, with their places.
fn errors(assembly: &Assembly) -> u64 {
    let all = assembly.diagnostics.iter();
    let errors = all.filter(|one| one.severity == Severity::Error);
    fingerprint(
        &errors
            .map(|error| format!("{:?} {}", error.span, error.message))
            .collect::<Vec<_>>(),
    )
}

fn words(work: &Work, row: usize, regions: &[String]) -> Vec<OsString> {
    let arguments = work.arguments;
    let point = work.matrix.point(row);
    let mut options: Vec<OsString> = Vec::new();
    let mut option = |name: &str, value: &OsStr| {
        options.push(name.into());
        options.push(value.to_owned());
    };
    option("--cpu", point.program.assembly.cpu.name.as_ref());
    option("--memory", point.program.memory.name.as_ref());
    if !arguments.cpl.is_empty() {
        option("--cpl", point.program.assembly.level().to_string().as_ref());
    }
    if !arguments.runs.is_empty() {
        option("--runs", point.runs.to_string().as_ref());
    }
    for choice in &point.program.assume {
        let text = format!("{}={}", choice.assumption.name, choice.answer.value);
        option("--assume", text.as_ref());
    }
    let monitors = &arguments.monitors;
    if !monitors.monitor.is_empty() {
        let names: Vec<_> = monitors.monitor.iter().map(|monitor| monitor.name).collect();
        option("--monitor", names.join(",").as_ref());
        if monitors.core_ratio != CoreRatio::default() {
            option("--core-ratio", monitors.core_ratio.to_string().as_ref());
        }
    }
    let names: Vec<_> = monitors.also().map(|later| later.name).collect();
    if !names.is_empty() {
        option("--also", names.join(",").as_ref());
    }
    let encode = arguments.encoding.encode;
    if encode != Encode::default()
        && let Some(value) = encode.to_possible_value()
    {
        option("--encode", value.get_name().as_ref());
    }
    for (name, value) in &point.program.assembly.define {
        option("-D", format!("{name}={value}").as_ref());
    }
    if let Some(text) = &arguments.args {
        option("--args", text.as_ref());
    }
    for event in work.events {
        option("--event", event.name().as_ref());
    }
    for region in regions {
        option("--region", region.as_ref());
    }
    for folder in &arguments.include {
        option("-I", folder.as_ref());
    }
    if let Some(limit) = arguments.limit {
        option("--limit", limit.to_string().as_ref());
    }
    if arguments.timeout != USUAL_TIMEOUT {
        let seconds = arguments.timeout.0.unwrap_or(Duration::ZERO).as_secs_f64();
        option("--timeout", seconds.to_string().as_ref());
    }
    option("--format", "csv".as_ref());
    if row > 0 {
        options.push("--no-header".into());
    }
    let files = std::iter::once(&arguments.file).chain(&arguments.more);
    let files: Vec<OsString> = files.map(|file| file.as_os_str().to_owned()).collect();
    let mut words: Vec<OsString> = vec!["p5inst".into(), "sweep".into()];
    // A name that begins like an option must follow `--`, after all options; what follows a Linux program without it is
    // for that program.
    let is_program = matches!(work.subject, Subject::Program { .. });
    if is_program || files.iter().any(|file| file.as_encoded_bytes().starts_with(b"-")) {
        words.extend(options);
        words.push("--".into());
        words.extend(files);
    } else {
        words.extend(files);
        words.extend(options);
    }
    words
}

/// Writes a word so that a POSIX shell reads it unchanged.
fn quote(word: &OsStr, line: &mut Vec<u8>) -> Result<(), String> {
    let bytes = word.as_encoded_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(byte);
    let text = word.to_string_lossy();
    let shown = runtime::report::escaped(&text);
    if bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return Err(format!("`{shown}` has a line break, and a job is one line"));
    }
    // A terminal would execute control characters, and a POSIX shell has no other spelling for them. Bytes that are not
    // text are escaped, and a tab is harmless.
    if runtime::report::escaped(&text.replace('\t', "")) != text.replace('\t', "") {
        return Err(format!(
            "`{shown}` has characters that a terminal obeys or does not show, which a line of a job cannot spell; \
             rename it"
        ));
    }
    if !bytes.is_empty() && bytes.iter().all(plain) {
        line.extend(bytes);
        return Ok(());
    }
    line.push(b'\'');
    for &byte in bytes {
        match byte {
            // The quote ends the quoted text, is written by itself, and the quoted text begins again.
            b'\'' => line.extend(b"'\\''"),
            byte => line.push(byte),
        }
    }
    line.push(b'\'');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_word_as_it_is() {
        let words = [
            "a.asm", "", "a b", "it's", "$HOME", "`x`", "a\\b", "N=<1,2>", "*", "~", "\t", "é", "-x", "!",
        ];
        let mut line = Vec::new();
        for word in words {
            line.push(b' ');
            quote(word.as_ref(), &mut line).expect("a word");
        }
        let script = format!("printf '%s\\n' {}", String::from_utf8(line).expect("UTF-8"));
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .expect("a shell");
        let read = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(read.lines().collect::<Vec<_>>(), words);
        for word in ["a\nb", "a\u{1b}[31m", "a\u{202e}b", "\u{7f}", "\u{9b}"] {
            let problem = quote(word.as_ref(), &mut Vec::new()).expect_err(word);
            assert!(problem.contains("\\u{") || problem.contains("\\n"), "{problem}");
        }
    }
}
