//! The reasons why a number is missing, in words that the reader can act on.

use core::fmt;

/// A number that is not available, with the reason. It is never shown as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Reason);

/// The reasons why a number can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The program was not built for x86-64.
    NotX86,
    /// The processor has no time stamp counter: CPUID.1:EDX bit 4 is clear.
    NoTsc,
    /// RDTSC is disabled: CR4.TSD is set for this process, as `prctl(PR_SET_TSC, PR_TSC_SIGSEGV)` does.
    TscDisabled,
    /// The processor has no RDTSCP: CPUID.80000001h:EDX bit 27 is clear.
    NoRdtscp,
    /// Neither CPUID nor the kernel states the frequency, and there is no clock to calibrate against.
    NoClock,
    /// The time stamp counter did not advance, or went backwards, during the measurement.
    Unsteady,
    /// The crate was built without this feature.
    WithoutFeature(&'static str),
    /// The system is not Linux and has no `perf_event_open`.
    NotLinux,
    /// Current processors have no such event.
    NoCounterpart {
        /// The identifier of the requested event.
        event: &'static str,
        /// The identifier of the closest event, if there is one.
        nearest: Option<&'static str>,
    },
    /// The processor has no performance monitoring unit that the kernel can use.
    NoPmu {
        /// Whether CPUID says that a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// The kernel has a performance monitoring unit, but it does not count this event.
    NotCounted {
        /// The identifier of the requested event.
        event: &'static str,
    },
    /// The kernel denies events to this user.
    Paranoid {
        /// `/proc/sys/kernel/perf_event_paranoid`, if it can be read and is high enough to be the cause.
        level: Option<i32>,
    },
    /// The kernel has no performance events, or a sandbox hides them.
    NoPerfEvents,
    /// The processor counts the event, but not together with the other requested events.
    NotTogether {
        /// The identifier of the event that did not fit.
        event: &'static str,
    },
    /// The process has reached its limit of open files.
    TooManyFiles,
    /// The divisor of a ratio is 0, because its event did not occur.
    NothingCounted {
        /// The identifier of the event that did not occur.
        event: &'static str,
    },
    /// The kernel never scheduled the group: the counters are in use, or it needs more counters than there are.
    NeverRan,
    /// The group counted only part of the time, because the counters were shared or because the thread ran on cores of
    /// more than one kind.
    Shared {
        /// The share of the time in which the group counted, in percent.
        percent: u8,
    },
    /// The kernel returned an error that has no reason of its own here.
    System {
        /// The error number from `errno`.
        errno: i32,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reason::NotX86 => out.write_str("this program was not built for a processor with the x86 time stamp counter"),
            Reason::NoTsc => out.write_str("the processor has no time stamp counter (CPUID.1:EDX bit 4 is clear)"),
            Reason::TscDisabled => out.write_str(
                "RDTSC is disabled for this process (CR4.TSD, set by prctl(PR_SET_TSC)); start it from a process with RDTSC enabled",
            ),
            Reason::NoRdtscp => out.write_str("the processor has no RDTSCP (CPUID.80000001h:EDX bit 27 is clear)"),
            Reason::NoClock => {
                out.write_str("no CPUID leaf states the frequency, and calibrating against a clock needs the feature `std`")
            }
            Reason::Unsteady => {
                out.write_str("the time stamp counter did not advance evenly; pin the thread to one processor and try again")
            }
            Reason::WithoutFeature(feature) => write!(out, "asm-macros was built without the feature `{feature}`"),
            Reason::NotLinux => out.write_str("events are counted through Linux perf_event_open, and this is not Linux"),
            Reason::NoCounterpart { event, nearest: None } => {
                write!(out, "current processors have no counterpart to {event}")
            }
            Reason::NoCounterpart { event, nearest: Some(nearest) } => {
                write!(out, "current processors have no counterpart to {event}; the closest event is {nearest}")
            }
            Reason::NoPmu { hypervisor: true } => out.write_str(
                "this virtual machine has no performance monitoring unit; enable a virtual one (vPMU) or measure on bare metal",
            ),
            Reason::NoPmu { hypervisor: false } => {
                out.write_str("the kernel found no usable performance monitoring unit in this processor")
            }
            Reason::NotCounted { event } => write!(out, "the performance monitoring unit of this processor does not count {event}"),
            Reason::Paranoid { level: Some(level) } => write!(
                out,
                "the kernel denies events to this user: perf_event_paranoid is {level}; grant CAP_PERFMON or run `sysctl kernel.perf_event_paranoid=1`",
            ),
            Reason::Paranoid { level: None } => out.write_str(
                "the kernel denies events to this process, possibly because of a container's system call filter; grant CAP_PERFMON",
            ),
            Reason::NoPerfEvents => out.write_str(
                "this kernel was built without performance events (CONFIG_PERF_EVENTS), or a sandbox hides them",
            ),
            Reason::NotTogether { event } => write!(
                out,
                "the processor cannot count {event} together with the other events; measure it in a separate region",
            ),
            Reason::TooManyFiles => out.write_str(
                "the process has no file descriptor left for an event; close some or raise the limit (`ulimit -n`)",
            ),
            Reason::NothingCounted { event } => {
                write!(out, "{event} did not occur in the region, so the ratio is undefined")
            }
            Reason::NeverRan => out.write_str(
                "the events were never counted: the counters are in use (the NMI watchdog uses one), or there are too few",
            ),
            Reason::Shared { percent } => write!(
                out,
                "the events were counted only {percent} % of the time, because the counters were shared or the thread ran on cores of different kinds",
            ),
            Reason::System { errno } => write!(out, "a performance event call to the kernel failed with error {errno}"),
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unavailable: {}", self.0)
    }
}

impl core::error::Error for Unavailable {}
