//! What was assumed of a source that is a fragment rather than a program, in words and in JSON; and the words for a
//! register of a faulting address that nothing has set.

use super::document::document;
use super::phrases::counted;
use super::printable::printable;
use p5_image::load::readable_name;
use p5_image::{Assumed, Holds, Place, SourceFile};
use p5_results::{Culprit, RegisterSet, Room, Stop, Wrote};
use std::collections::BTreeMap;

document! {
    /// What was assumed of a source that is a fragment.
    pub(crate) struct Fragment {
        /// All of it in words; null if nothing was.
        words: Option<String> = words(Some(assumed)),
        /// Each part of it.
        assumed: Vec<Assumption> = assumed.iter().map(Assumption::of).collect(),
    }
    from (assumed: &[Assumed])

    /// One assumption.
    pub(crate) struct Assumption {
        /// `pointer`, `number`, `beyond`, `data`, `contents`, `head`, `end`, `data_behind`, `region_end`, `procedure`,
        /// `code`, `floating` or `rounds`.
        kind: &'static str = kind,
        /// The register, the memory or the undefined name that it is about; absent for `code`, `floating` and `rounds`.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<String> = subject,
        /// A number, the distance beyond another pointer, the size of scratch memory or data in bytes, the registers of
        /// the floating-point stack that hold 1.0, the rounds after which a loop ends, or the bits of code that is
        /// taken as that of 16-bit segments; of the contents of memory the number that repeats there, 1 for reals of
        /// 1.0. Absent for the others.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<i64> = value,
    }
    from (one: &Assumed) {
        let (kind, subject, value) = parts(one);
    }
}

/// The kind, the subject and the value of an assumption.
fn parts(one: &Assumed) -> (&'static str, Option<String>, Option<i64>) {
    match one {
        Assumed::Pointer { place, bytes, .. } => ("pointer", Some(named(place)), Some(i64::from(*bytes))),
        Assumed::Number { place, value } => ("number", Some(named(place)), Some(i64::from(*value))),
        Assumed::Beyond { place, distance, .. } => ("beyond", Some(named(place)), Some(i64::from(*distance))),
        Assumed::Data { name, bytes } => ("data", Some(printable(name)), Some(i64::from(*bytes))),
        Assumed::Head { name } => ("head", Some(printable(name)), None),
        Assumed::End { name } => ("end", Some(printable(name)), None),
        Assumed::DataBehind { name } => ("data_behind", Some(printable(name)), None),
        Assumed::RegionEnd { name } => ("region_end", Some(printable(name)), None),
        Assumed::Procedure { name, .. } => ("procedure", Some(readable(name)), None),
        Assumed::Contents { of, holds } => ("contents", Some(named(of)), number(*holds)),
        Assumed::Narrow { .. } => ("code", None, Some(16)),
        Assumed::Floating { registers } => ("floating", None, Some(i64::from(*registers))),
        Assumed::Rounds { rounds } => ("rounds", None, Some(i64::from(*rounds))),
    }
}

/// The words for what was assumed of a fragment; `None` for a program, and if nothing was.
pub(super) fn words(assumed: Option<&[Assumed]>) -> Option<String> {
    let assumed = assumed.filter(|assumed| !assumed.is_empty())?;
    let mut said: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut zeroes: Vec<String> = Vec::new();
    let mut contents: Vec<(Holds, Vec<String>)> = Vec::new();
    let narrow = assumed.iter().find_map(|one| match one {
        Assumed::Narrow { seen } => Some(*seen),
        _ => None,
    });
    let named = |place: &Place| match place {
        Place::Register(number) if narrow.is_some() => register(*number)[1..].to_owned(),
        place => named(place),
    };
    let mut at = 0;
    while let Some(one) = assumed.get(at) {
        at += 1;
        match one {
            Assumed::Pointer { place, bytes, itself } => {
                // Pointers to equal sizes are told together.
                let mut places = vec![named(place)];
                while let Some(Assumed::Pointer {
                    place,
                    bytes: same,
                    itself: also,
                }) = assumed.get(at)
                    && (same, also) == (bytes, itself)
                {
                    places.push(named(place));
                    at += 1;
                }
                let each = if places.len() > 1 { " each" } else { "" };
                let places = places.join(", ");
                values.push(format!(
                    "{places} -> scratch memory of {} bytes{each}{}",
                    grouped((*bytes).into()),
                    if *itself { " that points to itself" } else { "" }
                ));
            }
            Assumed::Number { place, value: 0 } if matches!(place, Place::Register(_)) => zeroes.push(named(place)),
            Assumed::Number { place, value } => {
                values.push(format!("{} = {}", named(place), grouped((*value).into())));
            }
            Assumed::Beyond { place, from, distance } => {
                let sign = if *distance < 0 { "" } else { "+" };
                values.push(format!(
                    "{} = {}{sign}{}",
                    named(place),
                    named(from),
                    grouped((*distance).into())
                ));
            }
            Assumed::Data { name, bytes } => {
                names.push(format!(
                    "{}: {} bytes of data",
                    printable(name),
                    grouped((*bytes).into())
                ));
            }
            Assumed::Head { name } => names.push(format!("label {}: before the first line", printable(name))),
            Assumed::End { name } => names.push(format!("label {}: after the last line", printable(name))),
            Assumed::DataBehind { name } => {
                said.push(format!("the code ends at `{}`, which is data", printable(name)));
            }
            Assumed::RegionEnd { name } => {
                names.push(format!("label {}: at the end of its region", printable(name)));
            }
            Assumed::Procedure { name, panics } => {
                let does = if *panics { "panics" } else { "returns at once" };
                names.push(format!("procedure {}: {does}", readable(name)));
            }
            // Memory that points to itself has said so.
            Assumed::Contents { of, holds } => match contents.iter_mut().find(|(also, _)| also == holds) {
                Some((_, places)) => places.push(named(of)),
                None => contents.push((*holds, vec![named(of)])),
            },
            Assumed::Narrow { .. } => {}
            Assumed::Floating { registers: 1 } => values.push("st(0) = 1.0".to_owned()),
            Assumed::Floating { registers } => values.push(format!("st(0) to st({}) = 1.0", registers - 1)),
            Assumed::Rounds { rounds } => {
                said.push(format!("the loop ends after {} rounds", grouped((*rounds).into())));
            }
        }
    }
    match &*zeroes {
        [] => {}
        [one] => values.push(format!("{one} = 0")),
        [some @ .., last] => values.push(format!("{} and {last} = 0", some.join(", "))),
    }
    let values = Some(values.join(", ")).filter(|values| !values.is_empty());
    let code = narrow.map(|seen| match seen {
        true => "taken as 16-bit code: its addresses, segments or registers are".to_owned(),
        false => "taken as 16-bit code".to_owned(),
    });
    let all: Vec<String> = code.into_iter().chain(values).chain(said).chain(names).collect();
    let register = |one: &Assumed| match one {
        Assumed::Pointer { place, .. } | Assumed::Number { place, .. } | Assumed::Beyond { place, .. } => {
            matches!(place, Place::Register(_))
        }
        _ => false,
    };
    let argument = assumed.iter().find_map(|one| match one {
        Assumed::Number {
            place: Place::Memory(address),
            ..
        } => Some(address).filter(|address| address.starts_with("[esp+")),
        _ => None,
    });
    let remedy = match (assumed.iter().any(register), argument) {
        (true, _) => "; `--set REG=VALUE` changes it".to_owned(),
        (false, Some(address)) => format!("; `--set {address}=VALUE` changes it"),
        (false, None) => String::new(),
    };
    Some(all.join("; ") + &remedy + &told_contents(&contents))
}

/// What memory holds, as a further part of a sentence; empty if nothing is known of it.
fn told_contents(contents: &[(Holds, Vec<String>)]) -> String {
    let told = |(holds, places): &(Holds, Vec<String>)| format!("{} ({})", repeated(*holds), places.join(", "));
    match contents {
        [] => String::new(),
        [(holds, _)] => format!("; memory holds {}", repeated(*holds)),
        several => format!(
            "; memory holds {}",
            several.iter().map(told).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// What repeats in memory.
fn repeated(holds: Holds) -> String {
    match holds {
        Holds::Zeros => "zeros".to_owned(),
        Holds::Numbers(number, 1) => format!("bytes of {number}"),
        Holds::Numbers(number, 2) => format!("words of {number}"),
        Holds::Numbers(number, _) => format!("dwords of {number}"),
        Holds::Reals(bytes) => format!("reals of 1.0, {bytes} bytes each"),
        Holds::Addresses(2 | 4) => "its own address".to_owned(),
        Holds::Addresses(_) => "its own address with a selector".to_owned(),
        Holds::Pointers(_) => "pointers to scratch memory".to_owned(),
    }
}

/// The number that repeats in memory, if it is one; 1 also for reals.
fn number(holds: Holds) -> Option<i64> {
    match holds {
        Holds::Zeros => Some(0),
        Holds::Numbers(number, _) => Some(i64::from(number)),
        Holds::Reals(_) => Some(1),
        Holds::Addresses(_) | Holds::Pointers(_) => None,
    }
}

/// The most groups of lines that are named.
const NAMED: usize = 6;

/// The words for lines that were not executed.
pub(super) fn not_run(number: usize, spans: &[[u32; 2]]) -> String {
    let span = |&[first, last]: &[u32; 2]| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let mut named: Vec<String> = spans.iter().take(NAMED).map(span).collect();
    if spans.len() > NAMED {
        named.push("others".to_owned());
    }
    format!(
        "{} did not run with the assumed data ({}): their clocks are not counted, and other data may take them",
        counted(number as u64, "line"),
        named.join(", ")
    )
}

/// A name as the source of C++ or Rust has it.
pub(super) fn readable(name: &str) -> String {
    printable(&readable_name(name).unwrap_or_else(|| name.to_owned()))
}

fn named(place: &Place) -> String {
    match place {
        Place::Register(number) => register(*number).to_owned(),
        Place::Memory(address) => printable(address),
    }
}

fn register(number: u8) -> &'static str {
    RegisterSet::GENERAL_NAMES
        .get(usize::from(number))
        .copied()
        .unwrap_or("?")
}

/// A number with a comma between groups of three digits.
pub(super) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What wrote the code that faulted, the lock that nothing frees, or the address that led out of the program's code;
/// empty if that is not known.
pub(super) fn written(stop: &Stop, files: &[SourceFile]) -> String {
    let Some(writer) = stop.writer() else {
        return String::new();
    };
    let file = writer
        .place
        .and_then(|(file, line)| Some((files.get(file as usize)?, line)));
    let at = match (file, &writer.called) {
        (Some((file, line)), Some(called)) => {
            let line = format!("{}:{line}", printable(&file.name));
            let from = called
                .caller
                .as_ref()
                .map_or_else(String::new, |caller| format!(" from {}", printable(caller)));
            let function = printable(&called.function);
            format!("{:08X}h, in {function}, called{from} at {line}", writer.address)
        }
        (Some((file, line)), None) => format!("{}:{line}", printable(&file.name)),
        (None, _) => format!("{:08X}h", writer.address),
    };
    let text = printable(&writer.text);
    match writer.wrote {
        Wrote::Pushed => format!("; its return popped what `{text}` pushed ({at})"),
        Wrote::Stored(room) => {
            let room = room.map_or_else(String::new, |room| {
                format!(" into {} on the stack; {}", room_words(room), remedy(room))
            });
            format!("; its return popped what `{text}` wrote ({at}){room}")
        }
        Wrote::Made(room) => format!(
            "; its return popped from {} on the stack that `{text}` made ({at}); {}",
            room_words(room),
            remedy(room)
        ),
        Wrote::ReturnAddress => {
            format!("; its return popped the address that `{text}` pushed ({at}), which was changed since")
        }
        Wrote::Target => format!("; `{text}` ({at}) had written the address that it took from memory"),
        Wrote::Code => format!("; `{text}` ({at}) had overwritten this code"),
        Wrote::Lock => format!("; `{text}` ({at}) was the last of the program's own instructions that wrote there"),
    }
}

fn room_words(room: Room) -> String {
    format!("the {} of room", counted(u64::from(room.bytes), "byte"))
}

/// How a function takes room from the stack before it returns.
fn remedy(room: Room) -> String {
    let (stack, frame) = if room.wide { ("esp", "ebp") } else { ("sp", "bp") };
    format!(
        "take them off before: `leave`, `mov {stack},{frame}`, or `add {stack},{}`",
        room.bytes
    )
}

/// The function that returned with another register than it was called with, before a fault; empty if none is known.
pub(super) fn unkept(stop: &Stop, files: &[SourceFile]) -> String {
    let Some(unkept) = stop.unkept() else {
        return String::new();
    };
    let file = unkept
        .place
        .and_then(|(file, line)| Some((files.get(file as usize)?, line)));
    let at = file.map_or_else(String::new, |(file, line)| {
        format!(" ({}:{line})", printable(&file.name))
    });
    format!(
        "; {}{at} returned with another {} than it was called with; C functions keep ebx, esi, edi and ebp",
        printable(&unkept.function),
        register(unkept.register)
    )
}

/// The words for the instruction whose operands caused a fault, and for its registers.
pub(super) fn culprit_words(culprit: Option<&Culprit>) -> String {
    let Some(culprit) = culprit else {
        return String::new();
    };
    let mut words = format!(" in `{}`", printable(&culprit.text));
    match (&culprit.function, &culprit.inlined) {
        (Some(function), Some(inlined)) => {
            words += &format!(" of {} (inlined into {})", printable(inlined), printable(function));
        }
        (Some(function), None) => words += &format!(" of {}", printable(function)),
        (None, _) => {}
    }
    let values = culprit.registers.iter();
    let values: Vec<String> = values
        .map(|&(number, value)| format!("{} {value:08X}h", register(number)))
        .collect();
    if !values.is_empty() {
        words += &format!(" with {}", values.join(", "));
    }
    words
}

/// The general registers that the instruction of a fault depends on, by name, with their values.
pub(super) fn culprit_registers(stop: &Stop) -> BTreeMap<&'static str, u32> {
    let culprit = stop.culprit().into_iter();
    let all = culprit.flat_map(|culprit| &culprit.registers);
    all.map(|&(number, value)| (register(number), value)).collect()
}

/// The words that follow those of a fault if a register of its address was never set, or was read from a variable.
pub(super) fn pointer_words(stop: &Stop) -> String {
    if let Some(named) = stop.named_memory() {
        let name = printable(&named.name);
        return match named.jumped {
            true => format!(
                "; the fragment does not define `{name}`, whose {} bytes hold no address of code: define it with the \
                 targets, such as `{name} dd LABEL`",
                grouped(named.bytes.into())
            ),
            false => format!(
                "; the fragment's memory for `{name}`, {} bytes, ends before that: define it, `{name} dd COUNT dup \
                 (?)`, and so each other name of data",
                grouped(named.bytes.into())
            ),
        };
    }
    let culprit = stop.culprit();
    if let Some(culprit) = culprit.filter(|culprit| culprit.narrow) {
        let names = culprit.registers.iter().map(|one| register(one.0));
        let (wide, narrow): (Vec<&str>, Vec<&str>) = names.map(|name| (name, &name[1..])).unzip();
        return format!(
            "; this is 32-bit code, in which 16-bit addresses reach only the first 64 KiB, where nothing is: write {} \
             for {} in the address, or make the code 16-bit code with `.model tiny` and `.code` before it",
            wide.join(", "),
            narrow.join(", ")
        );
    }
    if let Some(scratch) = stop.scratch_memory() {
        let name = register(scratch.register);
        return format!(
            "; {name} began in scratch memory of {} bytes, and this is outside of it: define as many bytes as the code \
             needs, `data db COUNT dup (1)`, and run with `--set {name}=data`",
            grouped(scratch.bytes.into())
        );
    }
    if let Some(read) = culprit.and_then(|culprit| culprit.read.as_ref()) {
        let (name, variable) = (register(read.register), printable(&read.variable));
        let same = |(file, line)| (stop.place?.0 == file).then(|| format!(" in line {line}"));
        let line = read.place.and_then(same).unwrap_or_default();
        return format!(
            "; {name} was read from `{variable}`{line}: if its address was meant, write `mov {name},offset {variable}`"
        );
    }
    let Some(number) = culprit.and_then(|culprit| culprit.unset) else {
        return String::new();
    };
    let name = register(number);
    format!("; nothing has set {name}, which is 0: point it at data, or run with `--set {name}=ADDRESS`")
}

/// The words for an access in a line `beyond` the bytes that were assumed for a register, and to those of another one.
pub(super) fn overrun(line: u32, (number, bytes): (u8, u32), beyond: u32, into: u8) -> String {
    let name = register(number);
    format!(
        "line {line} accesses up to {} bytes behind the {} bytes assumed for {name}, and with them those assumed for {}: \
         the clocks are not those of separate memory; define `data db COUNT dup (1)`, and run with `--set {name}=data`",
        grouped(beyond.into()),
        grouped(bytes.into()),
        register(into)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    #[test]
    fn assumptions_are_told_in_one_sentence() {
        let register = |number| Place::Register(number);
        let mut run = specimen::run();
        assert_eq!(words(run.fragment.as_deref()), None);
        run.fragment = Some(Vec::new());
        assert_eq!(words(run.fragment.as_deref()), None);
        run.fragment = Some(vec![
            Assumed::Pointer {
                place: register(6),
                bytes: 2048,
                itself: false,
            },
            Assumed::Pointer {
                place: register(7),
                bytes: 2048,
                itself: false,
            },
            Assumed::Number {
                place: register(1),
                value: 1000,
            },
            Assumed::Number {
                place: Place::Memory("[ebp+8]".to_owned()),
                value: -1_234_567,
            },
            Assumed::Beyond {
                place: register(3),
                from: register(6),
                distance: 2000,
            },
            Assumed::Floating { registers: 2 },
            Assumed::End {
                name: "done".to_owned(),
            },
            Assumed::RegionEnd {
                name: "next".to_owned(),
            },
            Assumed::Data {
                name: "n".to_owned(),
                bytes: 8,
            },
            Assumed::Procedure {
                name: "f".to_owned(),
                panics: false,
            },
            Assumed::Rounds { rounds: 100 },
        ]);
        assert_eq!(
            words(run.fragment.as_deref()).as_deref(),
            Some(
                "esi, edi -> scratch memory of 2,048 bytes each, ecx = 1,000, [ebp+8] = -1,234,567, ebx = esi+2,000, \
                 st(0) to st(1) = 1.0; the loop ends after 100 rounds; label done: after the last line; label next: \
                 at the end of its region; n: 8 bytes of data; procedure f: returns at once; `--set REG=VALUE` changes it"
            )
        );
    }
}
