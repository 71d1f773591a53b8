//! What a report tells its reader of a run, beside the figures.

use super::RefusedService;
use p5_chips::CacheGeometry;
use p5_words::fpu::Spoiled;

/// A source of a program that another tool has built, which was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadSource {
    /// Its name in the debugging information.
    pub name: String,
    /// What the reader of sources found at its path on this machine.
    pub found: SourceFound,
}

/// What there is at the path of a source that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceFound {
    /// No file that can be read, or the path is not known.
    Nothing,
    /// The source, in or below this folder, in which it was not looked for.
    InFolder(String),
    /// A file of more bytes than this limit.
    TooLarge(u64),
}

/// A note for the reader of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The program executed procedures that p5inst brings, such as those of a course's library.
    Bundled,
    /// The program read a port, but there is no device.
    PortRead,
    /// The program wrote a port, but there is no device.
    PortWritten,
    /// The program wrote a test register; the unit that it tests is not affected.
    TestRegisterWritten,
    /// The program called a service that was refused.
    Refused(RefusedService),
    /// A program of Linux or DOS opened a file that it is not shown.
    NoFile {
        /// The path as it gave it.
        path: String,
        /// Whether that is a path of DOS.
        dos: bool,
        /// Whether it is shown the files of a folder, which is its root.
        folder: bool,
    },
    /// A program of Linux or DOS opened a file to write or create it, all of which can only be read.
    NotWritten {
        /// The path as it gave it.
        path: String,
    },
    /// Sources of a program that another tool has built were not read, so that reports lack their lines, and budgets in
    /// them are not known.
    UnreadSources {
        /// Those with the most clocks, in descending order of these.
        sources: Vec<UnreadSource>,
        /// The number of others, which a program with very many sources has.
        more: usize,
    },
    /// The program called further refused services, which have no notes of their own.
    MoreRefused {
        /// The number of refused services with a note.
        most: usize,
    },
    /// Page walks were charged with clocks that no document gives.
    EstimatedPageWalk {
        /// The clocks of one walk.
        clocks: u32,
        /// Whether only instructions of the bundled library were charged.
        library: bool,
    },
    /// The program executed code that it had changed, whose clocks are not checked.
    ChangedCode,
    /// The program ran on a later chip than is usual, because it has an instruction that the usual one lacks.
    LaterChip {
        /// The instruction.
        instruction: String,
        /// The short name of the usual chip.
        usual: &'static str,
    },
    /// The chip has no time stamp counter, so regions measure nothing.
    NoTimeStampCounter,
    /// The program has too much data to compare all of it with its loaded state; changes in the rest are not known.
    NotCompared {
        /// The number of symbols that were compared in part or not at all.
        symbols: u64,
        /// The number of their bytes that were not compared.
        bytes: u64,
        /// The number of bytes that were compared, in the order of definition.
        compared: u32,
    },
    /// Misaligned accesses of both instructions of a pair waited at the same time, which is an assumption.
    OverlappingMisalignment {
        /// The clocks of one such wait.
        clocks: u32,
        /// Whether only instructions of the bundled library were charged.
        library: bool,
    },
    /// Some chains of calls, or their instructions, are not told in full:
    /// [`Calls::leave_out`](super::Calls::leave_out).
    CutChains,
    /// The code of a fragment has loops, and none of them came to the end of its first round.
    NoRounds,
    /// The program accessed the memory of a video card, whose clocks are in doubt, because cards differ.
    DoubtedVideo,
    /// The program accessed memory by DS, or had INT 21h do so, which is still the segment at which DOS starts an EXE
    /// program.
    DataSegmentNotLoaded,
    /// The program wrote to memory by ES, which is still the segment at which DOS starts an EXE program.
    ExtraSegmentNotLoaded {
        /// The first such instruction by address, with the names of the program.
        instruction: String,
    },
    /// The program of DOS ended after its last instruction, where DOS would go on.
    RunsOn,
    /// The program of Linux ended after its last instruction, without the call of Linux that ends it.
    NoExit,
    /// The program of DOS, which is no COM file, ended by a return, for which DOS leaves no address.
    NoReturnAddress,
    /// The program reads a general register that nothing in it has set.
    NeverSet {
        /// The register's name, of all bits that its code has by default.
        register: &'static str,
        /// The line of the first such instruction, from 1.
        line: u32,
    },
    /// The procedure in which the program begins went on into the next one.
    RunsInto {
        /// The name of the procedure.
        from: String,
        /// The name of the next one.
        into: String,
        /// The line of its last instruction, from 1.
        line: Option<u32>,
    },
    /// The program set a handler for an interrupt of the timer or of the keyboard, which nothing has called.
    NeverInterrupted {
        /// The interrupt, 08h, 09h or 1Ch.
        vector: u8,
    },
    /// The program was stopped in a loop that reads the BIOS's count of ticks, which does not change.
    TicksStandStill {
        /// The file index and line, from 1, of the instruction that reads it.
        place: Option<(u32, u32)>,
    },
    /// The program was stopped in a loop whose counter is 0 whenever it is counted down, because a loop inside uses it.
    CounterUsed {
        /// The line of the loop's last instruction, from 1.
        line: u32,
        /// The line of the last instruction inside that leaves the counter 0, from 1.
        by: u32,
        /// The register, in lower case.
        counter: String,
    },
    /// The address of a variable counts the rounds of a loop.
    AddressCounts {
        /// The line that loads it, from 1.
        line: u32,
        /// The register, in lower case.
        register: String,
        /// The variable.
        name: String,
    },
    /// Nothing in the loop in which the run was stopped changes what its end depends on.
    NeverLeft {
        /// The line of the comparison, from 1.
        line: u32,
        /// The comparison, with the names of the program.
        instruction: String,
    },
    /// The counter of a loop is 0 when it is first counted down, so that it wraps.
    CounterWraps {
        /// The line of what counts it, from 1.
        line: u32,
        /// The register, in lower case.
        register: String,
        /// Whether LOOP or one of its kin counts it, rather than DEC.
        loops: bool,
        /// The rounds of the loop, unless something else ends it.
        rounds: u64,
    },
    /// Data lie in a line of executed code: each write to them removes the line from the code cache.
    DataInCodeLine {
        /// The file index and line, from 1, of the instruction that wrote last, if that is known.
        writer: Option<(u32, u32)>,
        /// The same of the executed instruction over which it wrote, if it did.
        code: Option<(u32, u32)>,
        /// The variable last written; `None` if it has no name.
        variable: Option<String>,
        /// The number of writes that removed a line, in all runs.
        times: u64,
        /// The size of a line in bytes.
        line: u32,
        /// Whether executed code of that line lies before them.
        after_code: bool,
        /// Whether executed code of that line lies after them.
        before_code: bool,
    },
    /// A program of Linux executed CPUID.
    AskedProcessor {
        /// The name of the function, if it is known.
        function: Option<String>,
        /// The line, from 1, if it is known.
        line: Option<u32>,
    },
    /// A return took for its address what a push of a register or number had left on the stack.
    WrongReturn {
        /// The file index and line, from 1, of the return.
        place: Option<(u32, u32)>,
        /// The push, with the names of the program.
        push: String,
        /// The file index and line, from 1, of the push.
        pushed: Option<(u32, u32)>,
        /// The address that the return took, and its size in bits.
        offset: (u32, u32),
        /// The file index and line, from 1, of what is there.
        led: Option<(u32, u32)>,
    },
    /// A return removed more from the stack than its caller had there.
    RemovesTooMuch {
        /// The file index and line, from 1, of the return.
        place: Option<(u32, u32)>,
        /// The bytes that it removed after its address.
        removes: u32,
        /// The file index and line, from 1, of the call.
        call: Option<(u32, u32)>,
        /// The bytes that the caller had there.
        had: u32,
    },
    /// A return took its address above that of its call, after another return removed bytes.
    ReturnsAbove {
        /// The file index and line, from 1, of the return.
        place: Option<(u32, u32)>,
        /// The bytes from that of its call to the address that it took.
        off: u32,
        /// The file index and line, from 1, of its call.
        call: Option<(u32, u32)>,
        /// The file index and line, from 1, of the other return.
        removal: Option<(u32, u32)>,
        /// The bytes that the other return removed after its address.
        removes: u32,
    },
    /// A push moved the stack pointer below the stack segment of the program.
    StackOverrun {
        /// The file index and line, from 1, of the first such push.
        place: Option<(u32, u32)>,
        /// The size of the stack segment in bytes.
        bytes: u32,
    },
    /// A push moved a stack pointer of 16 bits below 0.
    StackWrapped {
        /// The file index and line, from 1, of the first such push.
        place: Option<(u32, u32)>,
    },
    /// An instruction missed data again and again because lines at its steps share few sets of the data cache, which
    /// would have had room for them in others.
    SetConflict {
        /// The name of its file, unless that is the program's own.
        file: Option<String>,
        /// Its line, from 1.
        number: u32,
        /// The bytes from one access to the next.
        step: u32,
        /// The number of cache lines that it needs.
        lines: u32,
        /// The number of sets that have to hold them.
        sets: u32,
        /// The number of lines in a set.
        ways: u32,
        /// The bytes of a line.
        line: u32,
    },
    /// Variables lie where accesses to their elements are misaligned.
    MisalignedData {
        /// Those with the most clocks, in descending order of these.
        variables: Vec<String>,
        /// The number of others.
        more: usize,
        /// The first of all of them in memory.
        first: String,
        /// The alignment that the first one lacks, in bytes.
        alignment: u32,
        /// The clocks of these accesses in the last run that instructions take which have no others.
        clocks: u64,
    },
    /// A branch was mispredicted again and again because it came before its last outcomes counted.
    HurriedBranch {
        /// The name of its file, unless that is the program's own.
        file: Option<String>,
        /// Its line, from 1.
        number: u32,
        /// The number of these mispredictions in what is traced.
        wrong: usize,
        /// The number of its executions there.
        of: usize,
        /// The number of instructions after which an outcome counts.
        instructions: u64,
    },
    /// Lines of a fragment were not executed: what is assumed of its data leads elsewhere.
    LinesNotRun {
        /// Their number.
        number: usize,
        /// The first and the last line of each group of them that no executed line parts.
        spans: Vec<[u32; 2]>,
    },
    /// Instructions missed data again and again that they had read before.
    ReadAgain {
        /// The name of their file, unless that is the program's own.
        file: Option<String>,
        /// Their lines, from 1, in ascending order.
        numbers: Vec<u32>,
        /// The number of cache lines from one read of a line to the next read of it; if it is greater than `most`,
        /// that number or more.
        lines: u32,
        /// The most lines that are counted.
        most: u32,
        /// The most sets of the data cache that these have; 0 if it is not known.
        sets: u32,
        /// The most of these lines that share a set; `None` if the cache cannot hold all of them.
        shared: Option<u32>,
        /// The data cache.
        cache: CacheGeometry,
    },
    /// Instructions missed data again and again because a locked access had removed their line from the data cache.
    LockedAway {
        /// The name of their file, unless that is the program's own.
        file: Option<String>,
        /// Their lines, from 1, in ascending order.
        numbers: Vec<u32>,
        /// The same of the locked access.
        lock: (Option<String>, u32),
    },
    /// Many clocks are waits of writes to lines that are not in the data cache, into which no write brings a line.
    WritesPastCache,
    /// The notes on accesses to data and their misses are of the first clocks of the run.
    WatchedFirst {
        /// The number of these.
        clocks: u64,
    },
    /// A pointer of a fragment went on from the scratch memory of its register into that of another one.
    PastScratch {
        /// The line of the first such instruction, from 1.
        line: u32,
        /// The number of the register.
        register: u8,
        /// The bytes that were assumed for it.
        bytes: u32,
        /// How many bytes after their end it was.
        beyond: u32,
        /// The number of the other register.
        into: u8,
    },
    /// A region has misses that it lacks without its measuring macros, whose lines take the place of its own.
    EvictedByMacros {
        /// The name of the region.
        region: String,
        /// The clocks of these misses in its last pass.
        clocks: u64,
        /// Those of them that are misses of code.
        code: u64,
        /// The clocks of that pass.
        of: u64,
    },
    /// The program wrote to code, and its measuring macros waited for lines of code that were removed by that or
    /// otherwise. The misses are theirs, and not those of a region.
    CodeMissesOfMacros {
        /// Their number in the last run; 0 if the chip counts none.
        misses: u64,
        /// Their clocks.
        clocks: u64,
    },
    /// An instruction of the program accessed what is past the end of a variable, or before it. It names the variable,
    /// or went over the whole of it by a pointer.
    PastVariable {
        /// The file of the line, if it is not the first one.
        file: Option<String>,
        /// Its line, from 1.
        line: u32,
        /// Whether it writes there.
        writes: bool,
        /// The name of the variable.
        variable: String,
        /// The element that it would be, the first time.
        index: i64,
        /// The number of elements.
        elements: u32,
        /// The name of the data there; `None` if there are none.
        other: Option<String>,
    },
    /// An instruction of the floating-point unit is the first one with a result that a masked exception has spoiled.
    SpoiledReal {
        /// The kind of exception.
        kind: Spoiled,
        /// The instruction, with the names of the program.
        instruction: String,
        /// Its file index and line, from 1.
        place: (u32, u32),
    },
    /// The timing table's figure for an executed instruction is in doubt.
    DoubtedTiming {
        /// The rows of the timing table that have it, by their names.
        forms: Vec<&'static str>,
        /// The reason for the doubt.
        doubt: &'static str,
        /// Whether only the bundled library executed such instructions.
        library: bool,
    },
}

impl Note {
    /// Whether the note concerns only the bundled library.
    pub fn library(&self) -> bool {
        match self {
            Note::EstimatedPageWalk { library, .. }
            | Note::OverlappingMisalignment { library, .. }
            | Note::DoubtedTiming { library, .. } => *library,
            _ => false,
        }
    }

    /// The places of the instructions whose misses it explains: the name of their file, unless that is the program's
    /// own, and their lines; nothing if it explains none.
    pub fn explains_misses_of(&self) -> Option<(Option<&str>, &[u32])> {
        match self {
            Note::SetConflict { file, number, .. } => Some((file.as_deref(), std::slice::from_ref(number))),
            Note::ReadAgain { file, numbers, .. } | Note::LockedAway { file, numbers, .. } => {
                Some((file.as_deref(), numbers))
            }
            _ => None,
        }
    }
}
