//! The words of an audit: for causes, for unknown figures, and for results that should not be believed.

use super::super::super::ending;
use super::super::super::phrases::counted;
use super::super::super::printable::signed;
use super::super::LIMIT;
use p5_machine::instruments::{Doubt, Incomparable, LARGE, Subject, Uncopied};
use p5_results::{Cause, StopReason};

/// The words for a cause of an error with this many clocks at the `edges`, directly before and after the region, and
/// with this many clocks `more` in all with the macros than without. Unless the macros have been `calibrated`, those at
/// the edges are all of their clocks.
pub(super) fn words(cause: Cause, edges: i64, more: i64, calibrated: bool) -> String {
    let only = |what: &str| match more < 0 {
        true => format!("{what} only without the macros"),
        false => format!("{what} only with the macros"),
    };
    let less = edges < 0;
    let words = match cause {
        Cause::Issue | Cause::Execution if edges != 0 && !calibrated => "the macros' own clocks",
        Cause::DataReadMiss
        | Cause::DataTlbMiss
        | Cause::WriteBufferFull
        | Cause::WriteOrder
        | Cause::CodeMiss
        | Cause::CodeTlbMiss
        | Cause::PrefetchQueue
            if less =>
        {
            "less than when calibrated"
        }
        Cause::DataReadMiss | Cause::WriteBufferFull | Cause::WriteOrder if edges > 0 => {
            "macros' data or stack evicted"
        }
        Cause::DataTlbMiss | Cause::CodeTlbMiss if edges > 0 => "macros' pages out of the TLB",
        Cause::CodeMiss if edges > 0 => "macros' code evicted",
        Cause::Issue => "pairs lost (+) or gained (-)",
        Cause::DataReadMiss => "lines the macros cache or evict",
        Cause::DataTlbMiss => "pages the macros look up or evict",
        Cause::WriteBufferFull => "evicted lines, or other writes",
        Cause::WriteOrder => "other writes are under way",
        Cause::CodeMiss => "code lines lie elsewhere",
        Cause::CodeTlbMiss => "code pages lie elsewhere",
        Cause::BankConflict => "other accesses pair",
        Cause::Misprediction => "predictions of the edge",
        Cause::Execution | Cause::FloatingPoint | Cause::Lockstep => "work under way at the edge",
        Cause::Interrupt => "an interrupt comes at the edge",
        Cause::Halted => "HLT sleeps longer or shorter",
        Cause::Prefix => return only("a prefix cost a clock"),
        Cause::PrefetchQueue => return only("a fetch waited for data"),
        Cause::Agi => return only("an address waited"),
        Cause::Misaligned => return only("an access was misaligned"),
        Cause::LockedBus | Cause::Io => return only("the bus was busy"),
        Cause::Serialize => return only("a write was waited for"),
    };
    words.to_owned()
}

pub(super) fn incomparable(why: Incomparable) -> String {
    match why {
        Incomparable::NoSource => "not available: there is no source to leave them out of".to_owned(),
        Incomparable::NoSuchRegion => "not comparable: without them there is no such region".to_owned(),
        Incomparable::Passes(passes) => {
            format!("not comparable: the number of passes is then {passes}")
        }
        Incomparable::Unended => {
            "not comparable: without them nothing is executed after the region, where it would end; write an \
             instruction there, as `nop`"
                .to_owned()
        }
        Incomparable::Stopped(reason, passes) => {
            let by = match reason {
                StopReason::Limit => " by `--limit`",
                StopReason::Timeout => " by the time limit, `--timeout`,",
                _ => "",
            };
            let passes = counted(passes, "pass");
            format!("not comparable: without them the run was stopped{by} after {passes}")
        }
        Incomparable::NoSuchPass => "not comparable: a run has fewer passes then".to_owned(),
        Incomparable::Events => "not available: nothing is counted then".to_owned(),
    }
}

pub(super) fn uncopied(why: &Uncopied, subject: &Subject) -> String {
    match why {
        Uncopied::NoSource => {
            "not available: the region is not made of consecutive lines of the program's own source".to_owned()
        }
        Uncopied::Empty => "not available: there is no line between the macros".to_owned(),
        Uncopied::NotWanted => "not wanted: `--copies` is 0".to_owned(),
        Uncopied::Events => "not available for events".to_owned(),
        Uncopied::NotAssembled(message) => format!("not available, they do not assemble: {message}"),
        Uncopied::NotEnded(number) => {
            format!("not available: the program with {number} copies does not end by itself in time")
        }
        Uncopied::NeverEnds => {
            let ended = ending::ended(&subject.stop, &subject.files, LIMIT);
            format!("not available: the program itself does not end by itself, it is {ended}")
        }
        Uncopied::Stopped(number, stop) => {
            let ended = ending::ended(stop, &subject.files, LIMIT);
            format!(
                "not available: the program with {number} copies is {ended}; set pointers and counts between the \
                 macros, so that each copy does the same, or leave copies out with `--copies 0`"
            )
        }
        Uncopied::Unmeasured => "not available: the copies have no measured pass".to_owned(),
        Uncopied::TooMany(most) => format!("not available: only the first {most} regions are copied"),
        Uncopied::OutOfTime => "not available: the time limit, `--timeout`, was reached before".to_owned(),
    }
}

/// The difference between a region's first pass and its last one, in words.
pub(super) fn first_pass(more: i64, counter: Option<usize>) -> String {
    let than = if more > 0 { "more" } else { "fewer" };
    match counter {
        None => format!(
            "the first pass reported {} {than} than the last one",
            counted(more.unsigned_abs(), "clock")
        ),
        Some(counter) => format!(
            "counter {counter} counted {} {than} in the first pass than in the last one",
            counted(more.unsigned_abs(), "event")
        ),
    }
}

pub(super) fn doubt(doubt: Doubt) -> (&'static str, String) {
    let clocks = |number: i64| counted(number.unsigned_abs(), "clock");
    let more = |number: i64| if number > 0 { "more" } else { "fewer" };
    match doubt {
        Doubt::Unfinished(1) => (
            "unfinished",
            "the end macro did not finish in one pass, which has no result".to_owned(),
        ),
        Doubt::Unfinished(passes) => (
            "unfinished",
            format!("the end macro did not finish in {passes} passes, which have no result"),
        ),
        Doubt::OnlyPass => (
            "only-pass",
            "the only pass is the first one, with cold caches; `--runs` makes more".to_owned(),
        ),
        Doubt::First(number, counter) => (
            "first-pass",
            format!(
                "{}: its caches and predictions were not those of the calibration",
                first_pass(number, counter)
            ),
        ),
        Doubt::NotCalibrated(0) => (
            "not-calibrated",
            "no empty region was measured, and nothing is subtracted for the macros".to_owned(),
        ),
        Doubt::NotCalibrated(number) => (
            "not-calibrated",
            format!(
                "no empty region was measured; the program subtracts {}, wherever it runs",
                clocks(number)
            ),
        ),
        Doubt::DataEvicted(number, calibrated) => {
            let unknown = match calibrated {
                true => "that they did not wait for when they were calibrated",
                false => "that no calibration allows for",
            };
            (
                "data-evicted",
                format!(
                    "the macros wait {} for memory {unknown}: the region evicts a line of their stack, variables or \
                     result, or leaves writes under way",
                    clocks(number)
                ),
            )
        }
        Doubt::CodeEvicted(number) => (
            "code-evicted",
            format!(
                "the macros wait {} for their own code, which the region evicts",
                clocks(number)
            ),
        ),
        Doubt::Changed(inside, by) => {
            let parts = by
                .parts()
                .map(|(cause, clocks)| format!("{} {}", cause.name(), signed(clocks)));
            (
                "changed",
                format!(
                    "with macros around it, the region takes {} {} than without: {inside}, not {} ({})",
                    clocks(by.total()),
                    more(by.total()),
                    inside - by.total(),
                    parts.collect::<Vec<_>>().join(", ")
                ),
            )
        }
        Doubt::Large(error, right, counter) => {
            let of = match counter {
                None => "clocks".to_owned(),
                Some(counter) => format!("events on counter {counter}"),
            };
            let share = match right {
                0 => String::new(),
                _ => format!(", {:.0}%", error.abs() as f64 * 100.0 / right.abs() as f64),
            };
            (
                "large",
                format!(
                    "the error is {} where {right} {of} are right{share}; {LARGE}% of what is right is much",
                    signed(error)
                ),
            )
        }
        Doubt::Disagree(empty, copies) => (
            "disagree",
            format!(
                "the two calibrations differ: {empty} by what the macros subtract, {} by copies",
                (copies * 100.0).round() / 100.0
            ),
        ),
    }
}
