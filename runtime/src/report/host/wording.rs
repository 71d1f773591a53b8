//! The words for notes on native runs, for missing figures and for errors, which text and JSON share.

use super::super::header;
use super::super::wording::{lost, refused};
use crate::image::SourceFile;
use crate::native::{Area, Disturbance, Error, Missing, Note, RegionNote};
use crate::run::Stop;
use std::{fmt, io};

/// A note of native runs, as one sentence without a full stop.
pub(super) fn note(note: &Note) -> String {
    const COST: &str = "reaching it costs a signal, whose ticks are measured separately and subtracted";
    match note {
        Note::OutputDropped => {
            "text the program wrote was discarded; each call costs a signal, which the run's ticks include".to_owned()
        }
        Note::Refused(service) => refused(*service),
        Note::LogFull { lost } => format!("the log had no room for {lost} passes"),
        Note::PassesDropped { lost, capacity } => {
            format!("{lost} passes were discarded: there is room for {capacity} over all runs")
        }
        Note::Untimed(reason) => format!("no run could be timed: {reason}"),
        Note::EndsBySignal => {
            "the program ends by an instruction that costs a signal natively; the signal's ticks are measured separately and \
             subtracted"
                .to_owned()
        }
        Note::FewerRuns { runs } => {
            format!("the program was run {runs} times: there is no room for the results of more runs")
        }
        Note::ResultOutside { region, address } => format!(
            "region {region}: its result at {address:08X}h is outside the program's memory, so the region cannot be read"
        ),
        Note::EndOutside { end } => {
            format!("the program's end at {end:08X}h is outside its memory, so a native run does not end there")
        }
        Note::NoRoomAtEnd { end } => {
            format!("there is no room at the program's end ({end:08X}h), so a native run does not end there")
        }
        Note::DataAtEnd { end } => {
            format!("data begins at the program's end ({end:08X}h), so its page is not executable; {COST}")
        }
        Note::BreakpointAtEnd { end, replaces: true } => {
            format!("an INT3 replaces the program's byte at its end ({end:08X}h); {COST}")
        }
        Note::BreakpointAtEnd { end, replaces: false } => {
            format!("an INT3 is at the program's end ({end:08X}h); {COST}")
        }
    }
}

/// A note of a region's figures.
pub(super) fn region_note(note: &RegionNote) -> String {
    match note {
        RegionNote::LogFull { capacity } => format!(
            "the log was full: it holds {capacity} passes a run, those of the calibration included, and later passes are missing"
        ),
        RegionNote::SlowPasses { region, passes, one_in } => format!(
            "{region}: {passes} passes took much longer than the median; they are more than one in {one_in}, too many to be \
             interruptions, so the mean includes them"
        ),
        RegionNote::OwnMacros => "measured by the program's own macros: only the last pass of each run is known, the overhead \
                                  they subtract is a constant for the Pentium, and a modern processor may read the counter \
                                  early"
            .to_owned(),
    }
}

/// What disturbed native runs.
pub(super) fn disturbance(disturbance: &Disturbance) -> String {
    match disturbance {
        Disturbance::ClockRate {
            additions,
            ticks: [low, high],
        } => format!(
            "the core's clock rate changed: {additions} additions took {low} to {high} ticks (first to last decile), and core \
             clocks are uncertain by as much"
        ),
        Disturbance::Interruptions { one_in } => {
            format!("more than one run in {one_in} was interrupted; interrupted runs are excluded")
        }
        Disturbance::Scatter => {
            "the passes of a region differ so much that its mean is uncertain; see its standard error".to_owned()
        }
    }
}

/// How a native run ended, with its place in `files`.
pub(super) fn ended(stop: &Stop, files: &[SourceFile]) -> String {
    header::ended(stop, files, "stopped at the time limit")
}

/// Why a figure is missing; `uncounted` says why the host's own events are, and places are in `files`.
pub(super) fn missing(missing: &Missing, uncounted: &str, files: &[SourceFile]) -> String {
    match missing {
        Missing::NotAssembled(first) => format!(
            "the source does not assemble with the host's macros: {}",
            first.as_deref().unwrap_or("no reason was given")
        ),
        Missing::NotRun(error) => error.to_string(),
        Missing::NoRun(stop) => format!(
            "the program did not complete on the host: it was {}",
            ended(stop, files)
        ),
        Missing::Untimed(reason) => reason.to_string(),
        Missing::NotCounted => format!(
            "events are not counted natively: the Pentium's two counters are set and read with WRMSR and RDMSR, which are \
             privileged, and today's processors have different counters; the host's own events: {uncounted}"
        ),
        Missing::TooShort => {
            "the program is too short: its ticks are within the variation of entry and exit; repeat its \
                              instructions in a loop"
                .to_owned()
        }
        Missing::NoInstruction => "the program executed no instruction".to_owned(),
        Missing::EndsDiffer { simulated, native } => format!(
            "the program ended differently in the two worlds ({}; {}), so the simulated instruction count does not apply to \
             the host",
            simulated.name(),
            native.name()
        ),
        Missing::NoAdvance => "the time stamp counter did not advance over the chain of additions".to_owned(),
        Missing::NoChain => "no chain of additions was timed between the runs, so core clocks are unknown".to_owned(),
        Missing::NoEmptyProgram => "no empty program was timed, so the cost of entry and exit is unknown".to_owned(),
        Missing::LostInSignal { ticks } => format!(
            "the program ends by a signal, which takes about {ticks:.0} ticks and varies, so the program's own ticks are lost \
             in it; end the program with `ret`"
        ),
        Missing::SimulatedOnly => "the source has this region in the simulated world only".to_owned(),
        Missing::NoResult => {
            "the program's own macros define no result (`_TSC`), so there is nothing to read".to_owned()
        }
        Missing::NoEmptyPass => "the log has no pass of the empty region, so the probe overhead is unknown".to_owned(),
        Missing::PassTooLong { most } => format!("a pass took more than {most} ticks, the most the log can hold"),
        Missing::NoPass => "no pass reached its end macro on the host".to_owned(),
        Missing::SharedResult { median } => {
            let last = match median {
                Some(median) => format!(" (median {median})"),
                None => String::new(),
            };
            format!(
                "the program's own macros store every region's result in the same place, where a run leaves only the last \
                 one{last}"
            )
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Area::Stack => out.write_str("the stack"),
            Area::Gate => out.write_str("the exit code"),
            Area::Segment(name) => write!(out, "segment {name}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = |errno: &i32| io::Error::from_raw_os_error(*errno);
        match self {
            Error::OtherHost => {
                out.write_str("native runs need an x86-64 Linux host, but p5inst was built for another one")
            }
            Error::RealMode => {
                out.write_str("the program starts in real mode, which a process of the host cannot enter")
            }
            Error::NotPageAligned { area, address } => write!(
                out,
                "{area} starts at {address:08X}h, which is not a multiple of 4096, the size of a page"
            ),
            Error::AtZero { area } => write!(
                out,
                "{area} is at address 0, which the host reserves in every process (vm.mmap_min_addr)"
            ),
            Error::SharedPage { first, second, address } => {
                write!(out, "{first} and {second} share the page at {address:08X}h")
            }
            Error::PastAddressSpace { area } => {
                write!(out, "{area} extends past the end of the 4 GiB address space")
            }
            Error::TooLarge { needed, most } => {
                write!(out, "the program needs {needed} MiB of memory, more than {most} MiB")
            }
            Error::NoChildEntry => out.write_str(
                "this program runs nothing natively: its main function does not begin with \
                 runtime::native::child_entry(), through which the process that runs the image is started",
            ),
            Error::NoTask { errno } => {
                write!(
                    out,
                    "the host provides no memory file for the program (memfd_create): {}",
                    why(errno)
                )
            }
            Error::TaskRefused => out.write_str("the process that was to run the program did not accept it"),
            Error::NotStarted(how) => {
                write!(
                    out,
                    "the process that was to run the program {} before it could",
                    lost(*how)
                )
            }
            Error::NoResultMemory { size } => {
                write!(out, "the host has no {size} MiB of memory for the results")
            }
            Error::NoExecutableMemory => {
                out.write_str("the host provides no executable memory for the switch to 32-bit code")
            }
            Error::NoChild { errno } => write!(out, "the host cannot create a child process: {}", why(errno)),
            Error::Taken { area, address } => write!(
                out,
                "{area} belongs at {address:08X}h, which this process already uses; build the host program as a \
                 position-independent executable (PIE)"
            ),
            Error::BelowMinimum { area, address } => write!(
                out,
                "{area} belongs at {address:08X}h, below the addresses that the host lets a process use (vm.mmap_min_addr)"
            ),
            Error::NotMapped { area, address, errno } => {
                write!(out, "the host cannot map {area} at {address:08X}h: {}", why(errno))
            }
            Error::NotExecutable { area, address, errno } => {
                write!(
                    out,
                    "the host cannot make {area} at {address:08X}h executable: {}",
                    why(errno)
                )
            }
            Error::NoSignalHandler { errno } => {
                write!(out, "the host cannot install a signal handler: {}", why(errno))
            }
            Error::NoLimits { errno } => {
                write!(
                    out,
                    "the host cannot limit the time and memory of the child: {}",
                    why(errno)
                )
            }
            Error::DescriptorsStayOpen { errno } => write!(
                out,
                "the child cannot close its descriptors (close_range, Linux 5.9): {}",
                why(errno)
            ),
            Error::NoFilter { errno } => write!(
                out,
                "the host cannot filter system calls (seccomp), so nothing was run: {}",
                why(errno)
            ),
            Error::NoCompatibilitySegment => out.write_str("the host has no usable 32-bit compatibility segment"),
        }
    }
}

impl std::error::Error for Error {}
