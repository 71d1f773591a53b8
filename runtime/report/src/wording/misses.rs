//! Why an instruction or a region misses its data or code.

use crate::phrases::counted;
use crate::printable::printable;
use p5_results::Note;

/// The words of such a note; none for others.
pub(super) fn told(note: &Note) -> String {
    match note {
        Note::SetConflict {
            file,
            number,
            step,
            lines,
            sets,
            ways,
            line,
        } => {
            let places = match sets {
                1 => format!("the same set of the data cache, which holds {ways}"),
                _ => format!("{sets} sets of the data cache, which hold {ways} each"),
            };
            let at = place(file.as_deref(), *number);
            format!(
                "{at}: the misses are conflicts: at steps of {step} bytes, {lines} cache lines share {places}, while \
                 the other sets have room; pad the rows, for example to {} bytes",
                step + line
            )
        }
        Note::ReadAgain {
            file,
            numbers,
            lines,
            most,
            sets,
            shared,
            cache,
        } => {
            let at = places(file.as_deref(), numbers);
            let (all, ways) = (cache.sets() * cache.ways, cache.ways);
            let lines = match lines > most {
                true => format!("more than {most}"),
                false => lines.to_string(),
            };
            let read = format!("{lines} cache lines are read until one of them is read again");
            match shared {
                Some(shared) => format!(
                    "{at}: the misses are conflicts: {read}, for which the {all} lines of the data cache are enough, but \
                     {shared} share a set, which holds {ways}; move their data apart, for example by {} bytes",
                    cache.line
                ),
                None => {
                    let spread = match cache.sets() - *sets {
                        0 => String::new(),
                        _ if *sets == 0 => String::new(),
                        _ => format!(", in {sets} of its {} sets", cache.sets()),
                    };
                    format!("{at}: the misses are of capacity: {read}{spread}, more than the {all} of the data cache")
                }
            }
        }
        Note::LockedAway { file, numbers, lock } => format!(
            "{}: the misses follow the locked access of {}, which writes its line back and removes it from the data \
             cache; `xchg` with memory always locks the bus: a load and a store by `mov` do not",
            places(file.as_deref(), numbers),
            place(lock.0.as_deref(), lock.1)
        ),
        Note::WritesPastCache => {
            "a write never brings a line into a cache, of the first level or the second: writes to \
                                  lines that no read has brought in go to memory one by one, and wait while the write \
                                  buffer is full; a read of a line before its writes makes them hits"
                .to_owned()
        }
        Note::CodeMissesOfMacros { misses, clocks } => {
            let clocks = counted(*clocks, "clock");
            let what = match misses {
                0 => format!("{clocks} of code misses"),
                1 => format!("1 miss of code ({clocks})"),
                _ => format!("{misses} misses of code ({clocks})"),
            };
            format!(
                "{what} in the last run: of the measuring macros, and counted for no region; a line that the program \
                 wrote to, and did not execute again before a macro, is fetched there"
            )
        }
        Note::EvictedByMacros {
            region,
            clocks,
            code,
            of,
        } => {
            let code = match code {
                0 => String::new(),
                _ if code == clocks => ", which are of code".to_owned(),
                _ => format!(", {code} of them of code"),
            };
            format!(
                "region {}: {clocks} of the {of} clocks of its last pass are misses of lines that the macros \
                 evict{code}; `p5inst audit` shows it without macros",
                printable(region)
            )
        }
        _ => String::new(),
    }
}

pub(super) fn place(file: Option<&str>, number: u32) -> String {
    places(file, &[number])
}

/// Lines of one file.
fn places(file: Option<&str>, numbers: &[u32]) -> String {
    let listed = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match (file, numbers) {
        (Some(file), _) => format!("{}:{listed}", printable(file)),
        (None, [_]) => format!("line {listed}"),
        (None, _) => format!("lines {listed}"),
    }
}
