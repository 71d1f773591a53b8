//! The words for stops and notes, which text and JSON share.

mod avoided;
mod code_line;
mod faults;
mod misses;
mod spoiled;
mod unread;

use super::fragment;
use super::phrases::counted;
use super::printable::printable;
use super::refused::{PORT_READ, missing, not_written, refused_in_simulation};
use super::unlined::{IN_DATA, astray, called, panicked, unlined};
use super::unmapped::{concerned, owner};
use faults::{fault, lacking, too_large};
use p5_chips::CHANGED_CODE;
use p5_image::SourceFile;
use p5_results::{Astray, Misfit, Note, Raised, Run, Stop, StopDetail, TrailStep, Unlisted};
use p5_words::fault::Vector;
use unread::unread;

/// The circumstances of a stop that its reason alone does not tell; without a full stop.
pub fn stop(stop: &Stop) -> Option<String> {
    let Some(detail) = stop.detail else {
        return panicked(stop).or_else(|| called(stop).map(|words| format!("in {words}")));
    };
    let running = |words: String, way: Option<Astray>| match (panicked(stop), way) {
        (Some(panic), _) => format!("{words}, in {panic}"),
        (None, Some(way)) => format!("{words}; {}", astray(stop, way)),
        (None, None) => words,
    };
    if let Some(call) = called(stop).filter(|_| is_of_values(stop)) {
        return Some(format!("a Rust panic (`--set` gives other lengths and values): {call}"));
    }
    Some(match detail {
        StopDetail::Fault {
            cause,
            address,
            unlisted,
        } => {
            let (divided, remedy) = too_large(cause, stop).unzip();
            let fault = lacking(cause, stop).or(divided).unwrap_or_else(|| fault(cause));
            let mut words = match stop.code {
                Some(vector) => format!("{}: {fault}", vector_name(vector)),
                None => fault,
            };
            words += &concerned(address);
            words += &fragment::culprit_words(stop.culprit());
            words += &remedy.unwrap_or_default();
            words += owner(cause, address);
            if let Some(panic) = panicked(stop) {
                words += &format!(", after {panic}");
            } else if let (Some(call), None) = (called(stop), unlisted) {
                words += &format!("; in {call}");
            }
            match unlisted {
                _ if stop.panicked().is_some() => {}
                Some(Unlisted::Strayed(way)) => words += &format!("; {}", astray(stop, way)),
                Some(Unlisted::Linked { .. }) => {
                    if let Some(at) = unlined(stop) {
                        words += &format!("; at {at}");
                    }
                }
                None if stop.is_in_data() => words += &format!("; {IN_DATA}"),
                None => {}
            }
            words + &fragment::pointer_words(stop)
        }
        StopDetail::Rounds(rounds) => format!(
            "ended after the {} assumed for this loop",
            counted(rounds.into(), "round")
        ),
        StopDetail::Astray(way) => astray(stop, way),
        StopDetail::Clocks { limit, astray: way } => running(format!("still running after {limit} clocks"), way),
        StopDetail::WallTime {
            limit,
            kept,
            input,
            astray: way,
        } => {
            let mut words = match input {
                true => "still waiting for the end of standard input",
                false => "still running",
            }
            .to_owned();
            words += &format!(" after {:?}", limit.saturating_sub(kept));
            if !kept.is_zero() {
                words += &format!(", the other {kept:?} of {limit:?} are for the report");
            }
            running(words, way)
        }
        StopDetail::NativeTime { limit, killed: false } => format!("still running after {limit:?}"),
        StopDetail::NativeTime { limit, killed: true } => {
            format!("still running after {limit:?} and did not respond; its process was killed")
        }
        StopDetail::HangingMsr(register) => {
            format!("reading model specific register {register:02X}h hangs a real Pentium")
        }
        StopDetail::Stuck(address) => {
            let call = called(stop).map_or(String::new(), |call| format!(" in {call}"));
            format!(
                "the program waits for ever for a change of {address:08X}h{call}; as it has one thread, it holds this \
                 lock itself, waits for what only another thread would do, or something overwrote it"
            )
        }
        StopDetail::Unchanging => {
            "its rounds leave registers and memory as they were, and nothing interrupts it".to_owned()
        }
        StopDetail::Misfit(Misfit::NothingToSnoop) => {
            "the program has nothing at the place that `--monitor` names for the other bus master; name a symbol of \
             the program, or an address"
                .to_owned()
        }
        StopDetail::Misfit(why) => {
            format!("the program does not fit into memory: {}", misfit(why))
        }
    })
}

/// Whether a fragment panicked: what was assumed of its values led to a function that it lacks.
pub(super) fn is_of_values(stop: &Stop) -> bool {
    stop.panicked().is_some_and(|called| called.missing)
}

/// What was being handled or delivered at a fault, the last one first, each with its place in `files`.
pub(super) fn raised(stop: &Stop, files: &[SourceFile]) -> Vec<String> {
    let words = |raised: &Raised| {
        let what = match raised.cause {
            Some(cause) => format!(
                "{}: {}{}",
                vector_name(u32::from(raised.vector)),
                fault(cause),
                concerned(raised.concerns) + owner(cause, raised.concerns)
            ),
            None => format!("int {:02X}h", raised.vector),
        };
        let file = raised
            .place
            .and_then(|(file, line)| Some((files.get(file as usize)?, line)));
        match file {
            Some((file, line)) => format!("{what} ({}:{line})", printable(&file.name)),
            None => format!("{what} (at {:08X}h)", raised.address),
        }
    };
    stop.raised.iter().rev().map(words).collect()
}

/// A step of a macro trail: `name (file:line)`, with the pass of a repeat.
pub(super) fn trail_step(run: &Run, step: &TrailStep) -> String {
    let (file, line) = step.place;
    let file = run.files.get(file as usize).map_or("", |file| file.name.as_str());
    let pass = step.pass.map_or(String::new(), |pass| format!(" pass {pass}"));
    format!("{}{pass} ({file}:{line})", step.name)
}

/// The names of Linux's signals, from 1 on.
pub(super) const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
];

/// The words for an end by a signal that the program raised, with the exit code as a shell shows it.
pub(super) fn raised_signal(number: u32) -> String {
    let name = (number as usize).checked_sub(1).and_then(|index| SIGNALS.get(index));
    let name = name.map_or_else(|| format!("signal {number}"), |name| format!("SIG{name}"));
    format!("ended by raising {name}, exit code {} in a shell", 128 + number)
}

/// The name of an exception's vector, such as `#GP`.
pub(super) fn vector_name(number: u32) -> String {
    match Vector::from_number(number) {
        Some(vector) => vector.short_name().to_owned(),
        None => format!("exception {number}"),
    }
}

fn misfit(misfit: Misfit) -> String {
    match misfit {
        Misfit::TooLarge { most } => format!("it needs more than {most} MiB"),
        Misfit::PastAddressSpace => "a segment extends past the end of the 4 GiB address space".to_owned(),
        Misfit::NotMapped => "a segment has more bytes than are mapped".to_owned(),
        Misfit::NothingToSnoop => "it has nothing for another bus master".to_owned(),
    }
}

/// Notes of a short report: doubts are only named, because other reports explain them.
pub(super) fn brief_notes(notes: &[&Note]) -> Vec<String> {
    let mut forms: Vec<&str> = Vec::new();
    let mut said = Vec::new();
    for &one in notes {
        match one {
            Note::DoubtedTiming { forms: doubtful, .. } => {
                let new: Vec<&str> = doubtful.iter().copied().filter(|form| !forms.contains(form)).collect();
                forms.extend(new);
            }
            Note::EstimatedPageWalk { clocks, .. } => {
                said.push(format!(
                    "the {clocks} clocks of a TLB miss beside its reads are an estimate"
                ));
            }
            Note::OverlappingMisalignment { clocks, .. } => {
                said.push(format!(
                    "a pair of two misaligned accesses waits {clocks} clocks once: an assumption"
                ));
            }
            _ => said.push(note(one)),
        }
    }
    let more = forms.len().saturating_sub(BRIEF_FORMS);
    forms.truncate(BRIEF_FORMS);
    let more = (more > 0).then(|| format!("{more} more"));
    let named: Vec<String> = forms.into_iter().map(str::to_owned).chain(more).collect();
    if !named.is_empty() {
        let words = format!("doubted timing: {}; `--long` says why", named.join(", "));
        said.insert(0, words);
    }
    said
}

/// The most rows with doubted timing that a short report names.
const BRIEF_FORMS: usize = 4;

/// A note of a run, as one sentence without a full stop.
pub fn note(note: &Note) -> String {
    match note {
        Note::Bundled => "the procedures of Irvine32 and Windows are p5inst's own: those take other clocks".to_owned(),
        Note::PortRead => PORT_READ.to_owned(),
        Note::PortWritten => {
            "a port was written: no device but the colours of a video card is simulated, and the value is discarded"
                .to_owned()
        }
        Note::TestRegisterWritten => {
            "a test register was written: its value is kept, but the unit it tests is not affected".to_owned()
        }
        Note::Refused(service) => refused_in_simulation(*service),
        Note::NoFile { path, dos, folder } => missing("the program", path, *dos, *folder),
        Note::NotWritten { path } => not_written("the program", path),
        Note::UnreadSources { sources, more } => unread(sources, *more),
        Note::MoreRefused { most } => format!("more services than these {most} are not supported"),
        Note::EstimatedPageWalk { clocks, .. } => {
            format!("the {clocks} clocks of a TLB miss beside its reads are an estimate: no document gives the number")
        }
        Note::ChangedCode => {
            let [plain, with_mmx] = CHANGED_CODE;
            format!(
                "clocks of code that the program changes are not held against silicon; published: about {plain} a \
                 change, {with_mmx} with MMX; `p5inst explain \"changed code\"` says more"
            )
        }
        Note::NoRounds => {
            "no loop was executed to the end of its first round: `--set` gives other lengths and values".to_owned()
        }
        Note::CutChains => {
            "calls are nested too deeply, or in too many ways, to show all: flame graphs have `(deeper)` for callers, \
             and `(not listed)` for lines"
                .to_owned()
        }
        Note::LaterChip { instruction, usual } => {
            format!("this chip was taken because `{usual}`, the usual one, has no {instruction}; `--cpu` chooses one")
        }
        Note::NoTimeStampCounter => {
            "this chip has no time stamp counter, so nothing is measured; all clocks are the simulation's own"
                .to_owned()
        }
        Note::DoubtedVideo => {
            "the clocks of a video card are doubted, because cards differ, and 8 bytes are one transfer here as 1 byte \
             is; `p5inst explain vga` has them"
                .to_owned()
        }
        Note::DataSegmentNotLoaded => {
            "the program uses DS, but has not loaded it: it is still that of the prefix (PSP); begin with \
             `mov ax,@data` and `mov ds,ax`"
                .to_owned()
        }
        Note::ExtraSegmentNotLoaded { instruction } => {
            format!(
                "the program writes by ES (`{}`), but has not loaded it: it is still that of the prefix (PSP); add \
                 `mov es,ax` after `mov ds,ax`",
                printable(instruction)
            )
        }
        Note::RunsOn => "the program does not end: DOS would execute what follows its last instruction; end it with \
                         `mov ax,4C00h` and `int 21h`"
            .to_owned(),
        Note::NoExit => "the program does not exit: Linux would execute what follows its last instruction, and most \
                         often stop it with a fault; end it with `mov eax,1` and `int 80h`"
            .to_owned(),
        Note::NoReturnAddress => {
            "the program ends by a return, for which DOS leaves no address on the stack of an .exe: \
                                  end it with `mov ax,4C00h` and `int 21h`"
                .to_owned()
        }
        Note::NeverSet { register, line } => format!(
            "{register} is read in line {line}, and nothing has set it: it starts as 0 here, and may be anything elsewhere"
        ),
        Note::RunsInto { from, into, line } => {
            let line = line.map_or(String::new(), |line| format!(" after line {line}"));
            format!(
                "`{}` runs on into `{}`{line}: `endp` ends no code; write `ret`, or what ends the program, before it",
                printable(from),
                printable(into)
            )
        }
        Note::NeverInterrupted { vector } => {
            let device = if *vector == 0x09 { "keyboard" } else { "timer" };
            format!(
                "no {device} interrupts the program: the handler that it set for interrupt {vector:02X}h is never called"
            )
        }
        Note::TicksStandStill { place } => {
            let line = place.map_or("a loop".to_owned(), |(_, line)| format!("the loop at line {line}"));
            format!("the BIOS's count of ticks at 0040:006Ch does not advance: {line} waits for it")
        }
        Note::CounterUsed { line, by, counter } => format!(
            "the loop that ends in line {line} counts {counter}, which line {by} leaves 0 in each round, so that it \
             does not end: save {counter} around the inner loop, or count one of them in another register"
        ),
        Note::AddressCounts { line, register, name } => {
            let name = printable(name);
            format!("{register} is the address of {name}, used as a count (line {line}): `[{name}]` is what it holds")
        }
        Note::NeverLeft { line, instruction } => {
            let comparison = printable(instruction);
            format!("nothing in the loop changes what `{comparison}` reads (line {line}): it goes on for ever")
        }
        Note::CounterWraps {
            line,
            register,
            loops,
            rounds,
        } => {
            let counts = if *loops {
                "loop".to_owned()
            } else {
                format!("dec {register}")
            };
            format!(
                "line {line}: `{counts}` counts {register} down from 0, so that the loop has up to {} rounds; \
                 {register} was not set before the loop, or the code inside leaves it 0",
                fragment::grouped(*rounds as i64)
            )
        }
        Note::DataInCodeLine { .. } => code_line::told(note),
        Note::AskedProcessor { function, line } => {
            let function = function
                .as_ref()
                .map_or(String::new(), |name| format!(" in {}", printable(name)));
            let line = line.map_or(String::new(), |line| format!(" (line {line})"));
            format!(
                "the program asks which processor this is, by `cpuid`{function}{line}: on a newer one it may execute other \
                 code"
            )
        }
        Note::WrongReturn {
            place,
            push,
            pushed,
            offset: (offset, bits),
            led,
        } => {
            let digits = *bits as usize / 4;
            let at = |place: &Option<(u32, u32)>| place.map_or(String::new(), |(_, line)| format!(" in line {line}"));
            let led = led.map_or("out of the program's lines".to_owned(), |(_, line)| {
                format!("to line {line}")
            });
            format!(
                "the `ret`{} takes for its address what `{}`{} pushed, {offset:0digits$X}h, and leads {led}: a `pop` \
                 before it is missing, or there is one too many",
                at(place),
                printable(push),
                at(pushed)
            )
        }
        Note::RemovesTooMuch {
            place,
            removes,
            call,
            had,
        } => {
            let line = |place: &Option<(u32, u32)>| place.map_or(String::new(), |(_, line)| format!(" in line {line}"));
            let off = counted(u64::from(removes - had), "byte");
            let had = match had {
                0 => "no bytes".to_owned(),
                had => format!("only {}", counted(u64::from(*had), "byte")),
            };
            format!(
                "`ret {removes}`{} removes {} behind its return address, but the caller had {had} on the stack before \
                 the call{}: the stack pointer is {off} too high from there on",
                line(place),
                counted(u64::from(*removes), "byte"),
                line(call),
            )
        }
        Note::ReturnsAbove {
            place,
            off,
            call,
            removal,
            removes,
        } => {
            let line = |place: &Option<(u32, u32)>| place.map_or(String::new(), |(_, line)| format!(" in line {line}"));
            format!(
                "the `ret`{} takes its address {} above the one that the call{} left: more was removed from the stack \
                 than pushed; see whether `ret {removes}`{} removes too much",
                line(place),
                counted(u64::from(*off), "byte"),
                line(call),
                line(removal),
            )
        }
        Note::StackOverrun { place, bytes } => {
            let line = place.map_or(String::new(), |(_, line)| format!(" in line {line}"));
            format!(
                "the stack is full{line}: the push there is the first one below its {}; make `.stack` larger, or look \
                 for calls that do not end, or for what pushes more than it pops",
                counted(u64::from(*bytes), "byte")
            )
        }
        Note::StackWrapped { place } => {
            let line = place.map_or(String::new(), |(_, line)| format!(" in line {line}"));
            format!(
                "the stack is full{line}: the push there moves SP below 0, to the end of the segment; set SP higher, \
                 or look for what pushes more than it pops"
            )
        }
        Note::SetConflict { .. }
        | Note::ReadAgain { .. }
        | Note::LockedAway { .. }
        | Note::WritesPastCache
        | Note::CodeMissesOfMacros { .. }
        | Note::EvictedByMacros { .. } => misses::told(note),
        Note::WatchedFirst { clocks } => format!(
            "the notes on accesses to data and on their misses cover the first {} clocks of the run",
            fragment::grouped(*clocks as i64)
        ),
        Note::MisalignedData { .. } | Note::HurriedBranch { .. } => avoided::told(note),
        Note::LinesNotRun { number, spans } => fragment::not_run(*number, spans),
        Note::SpoiledReal {
            kind,
            instruction,
            place: (_, line),
        } => spoiled::told(*kind, instruction, *line),
        Note::PastVariable {
            file,
            line,
            writes,
            variable,
            index,
            elements,
            other,
        } => {
            let does = if *writes { "writes" } else { "reads" };
            let variable = printable(variable);
            let other = other
                .as_ref()
                .map_or_else(String::new, |other| format!(", which is {}", printable(other)));
            let line = misses::place(file.as_deref(), *line);
            format!("{line} {does} {variable}[{index}]{other}: {variable} has {elements} elements")
        }
        Note::PastScratch {
            line,
            register,
            bytes,
            beyond,
            into,
        } => fragment::overrun(*line, (*register, *bytes), *beyond, *into),
        Note::NotCompared {
            symbols,
            bytes,
            compared,
        } => {
            let symbols = counted(*symbols, "data symbol");
            let bytes = counted(*bytes, "byte");
            format!("{bytes} of {symbols} beyond the first {compared} were not checked for changes")
        }
        Note::OverlappingMisalignment { clocks, .. } => {
            format!(
                "a pair of two misaligned accesses waits {clocks} clocks once: an assumption, as no document says it"
            )
        }
        Note::DoubtedTiming { forms, doubt, .. } => format!("timing of {} is doubted: {doubt}", forms.join(", ")),
    }
}

/// The names of the sources of a run that were not read, and what is to be said of them.
pub(super) fn unread_sources(run: &Run) -> Option<(Vec<&str>, String)> {
    run.notes.iter().find_map(|one| match one {
        Note::UnreadSources { sources, .. } => Some((sources.iter().map(|one| &*one.name).collect(), note(one))),
        _ => None,
    })
}
