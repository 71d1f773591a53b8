//! What a note is about, as data: its kind, its place, and whether it tells of a mistake of the program.

use super::Note;
use p5_image::SourceFile;
use p5_words::fpu::Spoiled;

impl Note {
    /// What it tells, in a few words that stay the same.
    pub fn kind(&self) -> &'static str {
        match self {
            Note::Bundled => "bundled procedures",
            Note::PortRead => "port read",
            Note::PortWritten => "port written",
            Note::TestRegisterWritten => "test register written",
            Note::Refused(_) => "service refused",
            Note::NoFile { .. } => "no file",
            Note::NotWritten { .. } => "file not written",
            Note::UnreadSources { .. } => "sources not read",
            Note::MoreRefused { .. } => "more services refused",
            Note::EstimatedPageWalk { .. } => "page walk estimated",
            Note::ChangedCode => "code changed",
            Note::LaterChip { .. } => "later chip",
            Note::NoTimeStampCounter => "no time stamp counter",
            Note::NotCompared { .. } => "data not compared",
            Note::OverlappingMisalignment { .. } => "overlapping misalignment",
            Note::CutChains => "calls cut",
            Note::NoRounds => "no loop executed",
            Note::DoubtedVideo => "video doubted",
            Note::DataSegmentNotLoaded => "data segment not loaded",
            Note::ExtraSegmentNotLoaded { .. } => "extra segment not loaded",
            Note::RunsOn => "runs on",
            Note::NoExit => "no exit",
            Note::NoReturnAddress => "no return address",
            Note::NeverSet { .. } => "register never set",
            Note::RunsInto { .. } => "runs into procedure",
            Note::NeverInterrupted { .. } => "never interrupted",
            Note::TicksStandStill { .. } => "ticks stand still",
            Note::CounterUsed { .. } => "counter used",
            Note::AddressCounts { .. } => "address counts",
            Note::NeverLeft { .. } => "never left",
            Note::CounterWraps { .. } => "counter wraps",
            Note::DataInCodeLine { .. } => "data in code line",
            Note::AskedProcessor { .. } => "asks processor",
            Note::WrongReturn { .. } => "wrong return",
            Note::RemovesTooMuch { .. } => "return removes too much",
            Note::ReturnsAbove { .. } => "returns above",
            Note::StackOverrun { .. } => "stack overrun",
            Note::StackWrapped { .. } => "stack wrapped",
            Note::SetConflict { .. } => "set conflict",
            Note::MisalignedData { .. } => "misaligned data",
            Note::HurriedBranch { .. } => "hurried branch",
            Note::LinesNotRun { .. } => "lines not run",
            Note::ReadAgain { .. } => "read again",
            Note::WritesPastCache => "writes past cache",
            Note::WatchedFirst { .. } => "watched first",
            Note::LockedAway { .. } => "removed by lock",
            Note::PastScratch { .. } => "past scratch memory",
            Note::EvictedByMacros { .. } => "evicted by macros",
            Note::CodeMissesOfMacros { .. } => "code misses of macros",
            Note::PastVariable { .. } => "past variable",
            Note::SpoiledReal { .. } => "spoiled real",
            Note::DoubtedTiming { .. } => "timing doubted",
        }
    }

    /// Whether it tells of a mistake of the program, which may do something else on another machine or in another run,
    /// rather than of what is simulated, or of what costs clocks.
    pub fn is_mistake(&self) -> bool {
        matches!(
            self,
            Note::DataSegmentNotLoaded
                | Note::ExtraSegmentNotLoaded { .. }
                | Note::RunsOn
                | Note::NoExit
                | Note::NoReturnAddress
                | Note::NeverSet { .. }
                | Note::RunsInto { .. }
                | Note::CounterUsed { .. }
                | Note::AddressCounts { .. }
                | Note::NeverLeft { .. }
                | Note::CounterWraps { .. }
                | Note::WrongReturn { .. }
                | Note::RemovesTooMuch { .. }
                | Note::ReturnsAbove { .. }
                | Note::StackOverrun { .. }
                | Note::StackWrapped { .. }
                | Note::PastVariable { .. }
                // Whether an infinity is meant, only its author knows.
                | Note::SpoiledReal {
                    kind: Spoiled::StackOverflow { .. } | Spoiled::StackUnderflow,
                    ..
                }
        )
    }

    /// The line of the instruction that it is about, from 1, and its file among `files`, if these are known.
    pub fn place<'a>(&'a self, files: &'a [SourceFile]) -> (Option<&'a str>, Option<u32>) {
        let named = |number: u32| files.get(number as usize).map(|file| file.name.as_str());
        let own = |line: Option<u32>| (line.and_then(|_| named(0)), line);
        match self {
            Note::TicksStandStill { place }
            | Note::WrongReturn { place, .. }
            | Note::RemovesTooMuch { place, .. }
            | Note::ReturnsAbove { place, .. }
            | Note::StackOverrun { place, .. }
            | Note::StackWrapped { place } => match place {
                Some((file, line)) => (named(*file), Some(*line)),
                None => (None, None),
            },
            Note::SetConflict { file, number, .. }
            | Note::HurriedBranch { file, number, .. }
            | Note::PastVariable { file, line: number, .. } => (file.as_deref().or(named(0)), Some(*number)),
            Note::ReadAgain { file, numbers, .. } | Note::LockedAway { file, numbers, .. } => {
                (file.as_deref().or(named(0)), numbers.first().copied())
            }
            Note::SpoiledReal {
                place: (file, line), ..
            } => (named(*file), Some(*line)),
            Note::NeverSet { line, .. }
            | Note::CounterUsed { line, .. }
            | Note::CounterWraps { line, .. }
            | Note::AddressCounts { line, .. }
            | Note::NeverLeft { line, .. }
            | Note::PastScratch { line, .. } => own(Some(*line)),
            Note::RunsInto { line, .. } => own(*line),
            Note::LinesNotRun { spans, .. } => own(spans.first().map(|span| span[0])),
            // The function may be in any file.
            Note::AskedProcessor { line, .. } => (None, *line),
            _ => (None, None),
        }
    }
}
