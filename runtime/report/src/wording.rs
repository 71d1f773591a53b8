//! The words for stops and notes, which text and JSON share.

use super::fragment;
use super::header::counted;
use super::printable::printable;
use super::refused::{PORT_READ, missing, refused_in_simulation, unhandled};
use super::unlined::{astray, called, unlined};
use super::unmapped::{concerned, owner};
use iced_x86::Mnemonic;
use p5_chips::{CHANGED_CODE, FIXED_COUNTERS, GENERAL_COUNTERS, MONITORS, Monitor};
use p5_image::SourceFile;
use p5_results::{Misfit, Note, Raised, Run, Stop, StopDetail, TrailStep, Unlisted};
use p5_words::fault::{FaultCause, HostFault, PageAccess, SelectorFault, SystemRegister, Vector};

/// The circumstances of a stop that its reason alone does not tell; without a full stop.
pub fn stop(stop: &Stop) -> Option<String> {
    let Some(detail) = stop.detail else {
        return called(stop).map(|words| format!("in {words}"));
    };
    Some(match detail {
        StopDetail::Fault {
            cause,
            address,
            unlisted,
        } => {
            let fault = lacking(cause, stop).unwrap_or_else(|| fault(cause));
            let mut words = match stop.code {
                Some(vector) => format!("{}: {fault}", vector_name(vector)),
                None => fault,
            };
            words += &concerned(address);
            words += &fragment::culprit_words(stop.culprit());
            words += owner(cause, address);
            if let (Some(call), None) = (called(stop), unlisted) {
                words += &format!("; in {call}");
            }
            match unlisted {
                Some(Unlisted::Strayed(way)) => words += &format!("; {}", astray(stop, way)),
                Some(Unlisted::Linked { .. }) => {
                    if let Some(at) = unlined(stop) {
                        words += &format!("; at {at}");
                    }
                }
                None => {}
            }
            words + &fragment::pointer_words(stop)
        }
        StopDetail::Rounds(rounds) => format!("ended after the {} assumed for this loop", counted(rounds.into(), "round")),
        StopDetail::Astray(way) => astray(stop, way),
        StopDetail::Clocks { limit, astray: way } => {
            let words = format!("still running after {limit} clocks");
            way.map_or(words.clone(), |way| format!("{words}; {}", astray(stop, way)))
        }
        StopDetail::WallTime {
            limit,
            kept,
            astray: way,
        } => {
            let mut words = format!("still running after {:?}", limit.saturating_sub(kept));
            if !kept.is_zero() {
                words += &format!(", the other {kept:?} of {limit:?} are for the report");
            }
            way.map_or(words.clone(), |way| format!("{words}; {}", astray(stop, way)))
        }
        StopDetail::NativeTime { limit, killed: false } => format!("still running after {limit:?}"),
        StopDetail::NativeTime { limit, killed: true } => {
            format!("still running after {limit:?} and did not respond; its process was killed")
        }
        StopDetail::HangingMsr(register) => {
            format!("reading model specific register {register:02X}h hangs a real Pentium")
        }
        StopDetail::Misfit(Misfit::NothingToSnoop) => {
            "the program has nothing at the place that `--monitor` names for the other bus master; name a symbol of the \
             program, or an address"
                .to_owned()
        }
        StopDetail::Misfit(why) => {
            format!("the program does not fit into memory: {}", misfit(why))
        }
    })
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

/// The names of exceptions, given as the bits of the floating-point status word.
fn floating_point(exceptions: u8) -> String {
    let names = [
        "invalid operation",
        "denormal operand",
        "division by zero",
        "overflow",
        "underflow",
        "inexact result",
    ];
    let raised = names.iter().enumerate().filter(|(bit, _)| exceptions >> bit & 1 != 0);
    raised.map(|(_, &name)| name).collect::<Vec<_>>().join(", ")
}

/// A mnemonic as sentences quote it.
fn name(mnemonic: Mnemonic) -> String {
    format!("{mnemonic:?}").to_ascii_uppercase()
}

/// The monitor whose counter RDPMC reads with this index.
fn with_perfmon(counter: u32) -> &'static str {
    const FIXED: u32 = 1 << 30;
    let known = (counter as usize) < GENERAL_COUNTERS || (FIXED..FIXED + FIXED_COUNTERS as u32).contains(&counter);
    if known { " without `--monitor perfmon`" } else { "" }
}

/// An instruction that no chip has, with its function and a remedy for who compiled it.
fn lacking(cause: FaultCause, stop: &Stop) -> Option<String> {
    let function = stop.lacks_in().map(printable)?;
    Some(match cause {
        FaultCause::UndefinedOnPurpose => format!(
            "`ud2` in {function}: compilers put it where what the source does is undefined, such as a division by zero \
             or a null pointer, and for __builtin_trap(); a build with -O1 or -fsanitize=undefined shows which"
        ),
        FaultCause::NeverHere { mnemonic, extension } => format!(
            "invalid opcode: {} ({extension:?}) in {function} is of later processors, and p5inst does not have it; \
             compile with -march=pentium, without -msse, -mfpmath=sse or -march=native",
            name(mnemonic)
        ),
        _ => return None,
    })
}

fn fault(cause: FaultCause) -> String {
    match cause {
        FaultCause::DivisionByZero => "division by zero",
        FaultCause::AamByZero => "AAM with an immediate of 0 divides by zero",
        FaultCause::QuotientTooLarge => "the quotient does not fit its register",
        FaultCause::Division => "division by zero, or the quotient does not fit its register",
        FaultCause::Overflow => "INTO with the overflow flag set",
        FaultCause::OutOfBounds => "the index is outside the bounds of BOUND",
        FaultCause::BreakpointInstruction => "breakpoint instruction",
        FaultCause::DebugInstruction => "debug interrupt instruction ICEBP (F1h)",
        FaultCause::TrapFlag => "single step: the trap flag is set",
        FaultCause::DebugInstructionOrTrapFlag => "debug interrupt instruction, or single step with the trap flag set",
        FaultCause::InvalidBytes { bytes, count } => {
            let shown = bytes.iter().take(usize::from(count));
            let shown: Vec<String> = shown.map(|byte| format!("{byte:02X}")).collect();
            return format!("the bytes {} are not a valid instruction", shown.join(" "));
        }
        FaultCause::InstructionTooLong => "the instruction is longer than 15 bytes",
        FaultCause::Undefined => "invalid opcode: the chip does not have this instruction",
        FaultCause::UndefinedOnPurpose => "`ud2`, which no processor executes",
        FaultCause::NeverHere { mnemonic, extension } => {
            return format!(
                "invalid opcode: {} ({extension:?}) is of later processors, and p5inst does not have it",
                name(mnemonic)
            );
        }
        FaultCause::OnlyOnLaterChip {
            mnemonic,
            chip,
            monitor,
        } => {
            let monitor = monitor.map_or_else(String::new, |monitor| format!("`--monitor {monitor}` or "));
            let mnemonic = name(mnemonic);
            return format!("invalid opcode: this chip has no {mnemonic}; {monitor}`--cpu {chip}` has it");
        }
        FaultCause::OfLaterProcessors { mnemonic, also, with } => {
            let with = with.map_or_else(String::new, |with| format!("{with},"));
            return format!(
                "invalid opcode: {} is of later processors; `p5inst --also {with}{also} PROGRAM` executes it; your \
                 own code can be compiled for a Pentium",
                name(mnemonic)
            );
        }
        FaultCause::OnlyWithMonitor { monitor } => return format!("invalid opcode: needs `--monitor {monitor}`"),
        FaultCause::WaitAfterTaskSwitch => "WAIT with CR0.MP and CR0.TS set",
        FaultCause::MmxEmulated => "MMX instruction with CR0.EM set",
        FaultCause::FloatingPointEmulated => "floating-point instruction with CR0.EM set",
        FaultCause::FloatingPointAfterTaskSwitch => "floating-point instruction with CR0.TS set",
        FaultCause::FloatingPoint { exceptions } => {
            return format!("unmasked floating-point exception: {}", floating_point(exceptions));
        }
        FaultCause::FloatingPointErrorPin { exceptions } => {
            return format!(
                "unmasked floating-point exception ({}) with CR0.NE clear: the processor waits for an external \
                 interrupt, and no interrupt controller is simulated",
                floating_point(exceptions)
            );
        }
        FaultCause::Privileged { mnemonic, cpl } => {
            return format!(
                "{} needs privilege level 0, but the program runs at level {cpl}",
                name(mnemonic)
            );
        }
        FaultCause::PrivilegedMove { register, cpl } => {
            let register = match register {
                SystemRegister::Control => "control",
                SystemRegister::Debug => "debug",
            };
            return format!(
                "access to a {register} register needs privilege level 0, but the program runs at level {cpl}"
            );
        }
        FaultCause::TimeStampDisabled => "RDTSC needs privilege level 0 while CR4.TSD is set",
        FaultCause::CountersDisabled => "RDPMC needs privilege level 0 while CR4.PCE is clear",
        FaultCause::IoPrivilege { mnemonic, cpl, iopl } => {
            return format!(
                "{} needs CPL <= IOPL, but CPL is {cpl} and IOPL is {iopl}",
                name(mnemonic)
            );
        }
        FaultCause::PagingWithoutProtection => "CR0.PG cannot be set without CR0.PE",
        FaultCause::NotWriteThroughWithoutCacheDisable => "CR0.NW cannot be set without CR0.CD",
        FaultCause::UndefinedCr4Bit => "the chip does not define this bit of CR4",
        FaultCause::UndefinedDebugRegister => "DR4 and DR5 do not exist while CR4.DE is set",
        FaultCause::NoSuchMsr(register) => {
            let missing = format!("model specific register {register:02X}h does not exist");
            let has = |monitor: &&&Monitor| monitor.registers.iter().any(|one| one.number == register);
            return match MONITORS.iter().find(has) {
                Some(monitor) => format!("{missing} without `--monitor {}`", monitor.name),
                None => missing,
            };
        }
        FaultCause::ReservedMsrBits(register) => {
            return format!(
                "bits of model specific register {register:02X}h are written that are reserved or read-only"
            );
        }
        FaultCause::NoSuchCounter(counter) => {
            return format!(
                "RDPMC reads no counter {counter:X}h on this chip{}",
                with_perfmon(counter)
            );
        }
        FaultCause::UnhandledInterrupt(vector) => {
            return unhandled(vector);
        }
        FaultCause::Selector(fault) => selector(fault),
        FaultCause::NullSegment => "the segment register holds a null selector",
        FaultCause::ReadOnlySegment => "the segment is not writable",
        FaultCause::ExecuteOnlySegment => "the segment cannot be read",
        FaultCause::InnerStackFull => "the inner stack has no room",
        FaultCause::NoInnerStack { level } => {
            return format!("no task state segment is loaded that has a stack for privilege level {level}");
        }
        FaultCause::NoGate { vector } => {
            return format!("the interrupt table has no gate for vector {vector:02X}h");
        }
        FaultCause::GateNotPresent { vector } => {
            return format!("the gate for vector {vector:02X}h is not present");
        }
        FaultCause::GatePrivilege { vector } => {
            return format!("the gate for vector {vector:02X}h is more privileged than the program");
        }
        FaultCause::DoubleFault => "a second fault while the first was being delivered",
        FaultCause::BreakpointRegister { number } => {
            return format!("breakpoint of debug register {number}");
        }
        FaultCause::DebugRegisterGuarded => "debug registers cannot be accessed while DR7.GD is set",
        FaultCause::VirtualPrivilege { mnemonic, iopl } => {
            return format!(
                "{} needs IOPL 3 in virtual 8086 mode, but IOPL is {iopl}",
                name(mnemonic)
            );
        }
        FaultCause::PastLimit => "the offset is past the segment limit",
        FaultCause::PastAddressSpace => "the access extends past the end of the address space",
        FaultCause::Misaligned => "misaligned access with CR0.AM and EFLAGS.AC set",
        FaultCause::Page(access) => match access {
            PageAccess::Fetch => "instruction fetch from unmapped memory",
            PageAccess::Read => "read from unmapped memory",
            PageAccess::Write => "write to unmapped memory",
            PageAccess::Forbidden => "access to memory that the program has protected",
            PageAccess::WriteToReadOnly => "write to read-only memory",
            PageAccess::SupervisorPage => "access to a page of the system",
        },
        FaultCause::NoTaskToSave => "the task register holds no task whose state the switch could save",
        FaultCause::TaskTooSmall => "the task state segment is too small for the state of a task",
        FaultCause::TaskTrap => "switch to a task with the trap bit set in its task state segment",
        FaultCause::NestedTask => "IRET with the nested task flag set, but there is no task to return to",
        FaultCause::Host(fault) => return host_fault(fault),
    }
    .to_owned()
}

fn selector(fault: SelectorFault) -> &'static str {
    match fault {
        SelectorFault::NullForSs => "SS cannot hold a null selector",
        SelectorFault::NullForCs => "CS cannot hold a null selector",
        SelectorFault::NoSegment => "no segment has this selector",
        SelectorFault::NotForSs => "SS needs a writable data segment of the current privilege level",
        SelectorFault::NotForCs => "CS needs a code segment of the privilege level to run at",
        SelectorFault::MorePrivileged => "the segment is more privileged than the program",
        SelectorFault::LessPrivilegedRpl => "the selector's RPL is less privileged than the program",
        SelectorFault::ReturnInward => "a return cannot go to a more privileged level",
        SelectorFault::NoLocalTable => "no local descriptor table has this selector",
        SelectorFault::NoTask => "no task state segment has this selector",
        SelectorFault::TaskBusy => "the task is busy",
        SelectorFault::TaskNotBusy => "the task to return to is not busy",
        SelectorFault::NotPresent => "the descriptor of this selector is not present",
        SelectorFault::PastTable => "the selector is past the end of its descriptor table",
        SelectorFault::WrongKind => "the descriptor of this selector is not of a kind that can be used here",
        SelectorFault::NotReadable => "the segment cannot be read",
        SelectorFault::BadGateTarget => "the gate does not lead to code of the same or an inner privilege level",
        SelectorFault::BadInnerStack => "the inner stack needs a writable data segment of its privilege level",
        SelectorFault::VirtualNotToLevel0 => "virtual 8086 mode can only be left for privilege level 0",
    }
}

fn host_fault(fault: HostFault) -> String {
    match fault {
        HostFault::KernelEntry => {
            "this instruction enters the host's kernel and does not exist on a Pentium; it was refused".to_owned()
        }
        HostFault::LongModeCall { number } => {
            format!("the program switched to 64-bit code and made system call {number}, which was refused")
        }
        HostFault::LongMode => "the program switched to 64-bit code and faulted there".to_owned(),
        HostFault::FloatingPoint => "unmasked floating point exception".to_owned(),
        HostFault::TimeStampDisabled => {
            "RDTSC needs privilege level 0 while CR4.TSD is set, as it is for this process (prctl PR_SET_TSC)"
                .to_owned()
        }
        HostFault::NoSegment { selector } => format!("the host has no segment for selector {selector:04X}h"),
        HostFault::Protection => {
            "the access extends past the end of the address space or uses a null selector, or the host \
                                  reserves the instruction for itself"
                .to_owned()
        }
        HostFault::Other => "raised by the host's processor".to_owned(),
        HostFault::Lost(how) => {
            format!(
                "the process that ran the program {}; the program may have overwritten its surroundings",
                how
            )
        }
    }
}

/// Notes of a short report: doubts are only named, because other reports explain them.
pub(super) fn brief_notes(notes: &[&Note]) -> Vec<String> {
    let mut mnemonics: Vec<String> = Vec::new();
    let mut said = Vec::new();
    for &one in notes {
        match one {
            Note::DoubtedTiming {
                mnemonics: doubtful, ..
            } => {
                for mnemonic in doubtful.iter().map(|mnemonic| format!("`{mnemonic}`")) {
                    // An instruction may have several doubted forms.
                    if !mnemonics.contains(&mnemonic) {
                        mnemonics.push(mnemonic);
                    }
                }
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
    let more = mnemonics.len().saturating_sub(BRIEF_MNEMONICS);
    if more > 0 {
        mnemonics.truncate(BRIEF_MNEMONICS);
        mnemonics.push(format!("{more} more"));
    }
    if !mnemonics.is_empty() {
        let words = format!("doubted timing: {}; `--long` says why", mnemonics.join(", "));
        said.insert(0, words);
    }
    said
}

/// The maximum number of mnemonics with doubted timing in a short report.
const BRIEF_MNEMONICS: usize = 4;

/// A note of a run, as one sentence without a full stop.
pub fn note(note: &Note) -> String {
    match note {
        Note::PortRead => PORT_READ.to_owned(),
        Note::PortWritten => "a port was written: no device is simulated, and the value is discarded".to_owned(),
        Note::TestRegisterWritten => {
            "a test register was written: its value is kept, but the unit it tests is not affected".to_owned()
        }
        Note::Refused(service) => refused_in_simulation(*service),
        Note::NoFile { path, folder } => missing("the program", path, *folder),
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
        Note::CutChains => {
            "calls are nested too deeply, or in too many ways, to show all: flame graphs have `(deeper)` for callers, \
             and `(not listed)` for lines"
                .to_owned()
        }
        Note::NoTimeStampCounter => {
            "this chip has no time stamp counter, so nothing is measured; all clocks are the simulation's own"
                .to_owned()
        }
        Note::DoubtedVideo => {
            "the clocks of a video card are doubted, because cards differ; `p5inst explain vga` has them".to_owned()
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
        Note::NoTimer { vector } => {
            format!(
                "no timer interrupts the program: the handler that it set for interrupt {vector:02X}h is never called"
            )
        }
        Note::TicksStandStill { place } => {
            let line = place.map_or("a loop".to_owned(), |(_, line)| format!("the loop at line {line}"));
            format!("the BIOS's count of ticks at 0040:006Ch does not advance: {line} waits for it")
        }
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
        Note::DoubtedTiming { mnemonics, doubt, .. } => {
            let mnemonics: Vec<String> = mnemonics.iter().map(|mnemonic| format!("`{mnemonic}`")).collect();
            format!("timing of {} is doubted: {doubt}", mnemonics.join(", "))
        }
    }
}
