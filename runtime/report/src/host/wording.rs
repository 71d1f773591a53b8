//! The words for notes on native runs, for missing figures and for errors, which text and JSON share.

use super::super::ending;
use super::super::refused::refused;
use p5_host::native::{Disturbance, Missing, Note, RegionNote};
use p5_image::SourceFile;
use p5_results::Stop;

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
            "the program ends by an instruction that costs a signal natively; the signal's ticks are measured \
             separately and subtracted"
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

pub(super) fn region_note(note: &RegionNote) -> String {
    match note {
        RegionNote::LogFull { capacity } => format!(
            "the log was full: it holds {capacity} passes a run, those of the calibration included, and later passes are missing"
        ),
        RegionNote::SlowPasses { region, passes, one_in } => format!(
            "{region}: {passes} passes took much longer than the median; they are more than one in {one_in}, too many \
             to be interruptions, so the mean includes them"
        ),
        RegionNote::OwnMacros => "measured by the program's own macros: only the last pass of each run is known, the \
                                  overhead they subtract is a constant for the Pentium, and a modern processor may \
                                  read the counter early"
            .to_owned(),
    }
}

pub(super) fn disturbance(disturbance: &Disturbance) -> String {
    match disturbance {
        Disturbance::ClockRate {
            additions,
            ticks: [low, high],
        } => format!(
            "the core's clock rate changed: {additions} additions took {low} to {high} ticks (first to last decile), \
             and core clocks are uncertain by as much"
        ),
        Disturbance::Interruptions { one_in } => {
            format!("more than one run in {one_in} was interrupted; interrupted runs are excluded")
        }
        Disturbance::Scatter => {
            "the passes of a region differ so much that its mean is uncertain; see its standard error".to_owned()
        }
    }
}

/// The words for the end of a native run, with its place in `files`.
pub(super) fn ended(stop: &Stop, files: &[SourceFile]) -> String {
    ending::ended(stop, files, "stopped at the time limit")
}

/// The words for a missing figure. `uncounted` is the reason for the host's own events; places are in `files`.
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
            "events are not counted natively: the Pentium's two counters are set and read with WRMSR and RDMSR, which \
             are privileged, and today's processors have different counters; the host's own events: {uncounted}"
        ),
        Missing::TooShort => {
            "the program is too short: its ticks are within the variation of entry and exit; repeat its \
                              instructions in a loop"
                .to_owned()
        }
        Missing::NoInstruction => "the program executed no instruction".to_owned(),
        Missing::EndsDiffer { simulated, native } => format!(
            "the program ended differently in the two worlds ({}; {}), so the simulated instruction count does not \
             apply to the host",
            simulated.name(),
            native.name()
        ),
        Missing::NoAdvance => "the time stamp counter did not advance over the chain of additions".to_owned(),
        Missing::NoChain => "no chain of additions was timed between the runs, so core clocks are unknown".to_owned(),
        Missing::NoEmptyProgram => "no empty program was timed, so the cost of entry and exit is unknown".to_owned(),
        Missing::LostInSignal { ticks } => format!(
            "the program ends by a signal, which takes about {ticks:.0} ticks and varies, so the program's own ticks \
             are lost in it; end the program with `ret`"
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
                "the program's own macros store every region's result in the same place, where a run leaves only the \
                 last one{last}"
            )
        }
    }
}
