//! Why a number is missing: the words a person can act on.

use core::fmt;

/// A number that could not be had, with the reason. It is never shown as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Reason);

/// The reasons for which a number can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The program was built for another processor than x86-64.
    NotX86,
    /// CPUID.1:EDX bit 4 is clear.
    NoTsc,
    /// CR4.TSD is set for this process, as `prctl(PR_SET_TSC, PR_TSC_SIGSEGV)` does.
    TscDisabled,
    /// CPUID.80000001h:EDX bit 27 is clear.
    NoRdtscp,
    /// No leaf and no kernel states the frequency, and there is no clock to calibrate against.
    NoClock,
    /// The time stamp counter did not advance, or went backwards, while it was looked at.
    Unsteady,
    /// The crate was built without the named feature.
    WithoutFeature(&'static str),
    /// Not Linux: there is no `perf_event_open`.
    NotLinux,
    /// Today's processors count nothing of the sort.
    NoCounterpart {
        /// The event asked for.
        event: &'static str,
        /// The event that comes nearest, if one does.
        nearest: Option<&'static str>,
    },
    /// The processor has no performance monitoring unit that the kernel can use.
    NoPmu {
        /// Whether CPUID says that a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// The kernel has a performance monitoring unit, but it does not count this event.
    NotCounted {
        /// The event asked for.
        event: &'static str,
    },
    /// The kernel denies events to this user.
    Paranoid {
        /// `/proc/sys/kernel/perf_event_paranoid`, if it can be read and is high enough to be the cause.
        level: Option<i32>,
    },
    /// The kernel has no performance events at all, or a sandbox answers as if it had none.
    NoPerfEvents,
    /// The processor counts the event, but not together with the others that were asked for.
    NotTogether {
        /// The event that found no place.
        event: &'static str,
    },
    /// The process has as many open files as it may have.
    TooManyFiles,
    /// Nothing was counted of what another number was to be divided by.
    NothingCounted {
        /// The event that was not counted once.
        event: &'static str,
    },
    /// The group was never scheduled: others hold the counters, or it asks for more than there are.
    NeverRan,
    /// The group counted only a part of the time, because others used the counters too, or because the thread ran on cores of
    /// more than one kind.
    Shared {
        /// How much of the time it counted, in percent.
        percent: u8,
    },
    /// The kernel answered with an error that has no reading of ours.
    System {
        /// The error's number, as `errno` has it.
        errno: i32,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reason::NotX86 => out.write_str("this program was built for a processor without a time stamp counter of the x86 kind"),
            Reason::NoTsc => out.write_str("the processor has no time stamp counter (CPUID.1:EDX bit 4 is clear)"),
            Reason::TscDisabled => out.write_str(
                "RDTSC is disabled for this process (CR4.TSD, set by prctl(PR_SET_TSC)); start it from one that has it enabled",
            ),
            Reason::NoRdtscp => out.write_str("the processor has no RDTSCP (CPUID.80000001h:EDX bit 27 is clear)"),
            Reason::NoClock => {
                out.write_str("no CPUID leaf states the frequency, and without the feature `std` there is no clock to calibrate against")
            }
            Reason::Unsteady => {
                out.write_str("the time stamp counter did not advance evenly; pin the thread to one processor and try again")
            }
            Reason::WithoutFeature(feature) => write!(out, "asm-macros was built without the feature `{feature}`"),
            Reason::NotLinux => out.write_str("events are counted through Linux perf_event_open, and this is not Linux"),
            Reason::NoCounterpart { event, nearest: None } => {
                write!(out, "today's processors have no counterpart to {event}")
            }
            Reason::NoCounterpart { event, nearest: Some(nearest) } => {
                write!(out, "today's processors have no counterpart to {event}; {nearest} comes nearest")
            }
            Reason::NoPmu { hypervisor: true } => out.write_str(
                "this virtual machine has no performance monitoring unit; ask the hypervisor for a virtual one (vPMU) or measure on the metal",
            ),
            Reason::NoPmu { hypervisor: false } => {
                out.write_str("the kernel found no performance monitoring unit it can use in this processor")
            }
            Reason::NotCounted { event } => write!(out, "this processor's performance monitoring unit does not count {event}"),
            Reason::Paranoid { level: Some(level) } => write!(
                out,
                "the kernel denies events to this user: perf_event_paranoid is {level}; give the program CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=1`",
            ),
            Reason::Paranoid { level: None } => out.write_str(
                "the kernel denies events to this process (a container's or sandbox's system call filter may do so); give it CAP_PERFMON",
            ),
            Reason::NoPerfEvents => out.write_str(
                "this kernel was built without performance events (CONFIG_PERF_EVENTS), or a sandbox hides them",
            ),
            Reason::NotTogether { event } => write!(
                out,
                "the processor counts {event}, but has no place for it beside the other events; measure it in a region of its own",
            ),
            Reason::TooManyFiles => out.write_str(
                "the process has no file descriptor left for an event; close some, or raise the limit (`ulimit -n`)",
            ),
            Reason::NothingCounted { event } => {
                write!(out, "{event} was not counted once in the region, so nothing can be divided by it")
            }
            Reason::NeverRan => out.write_str(
                "the events were never counted: others hold the counters (the NMI watchdog holds one), or these are more than there are",
            ),
            Reason::Shared { percent } => write!(
                out,
                "the events were counted in only {percent} % of the region's time, because others used the counters too, or the thread ran on a core of another kind",
            ),
            Reason::System { errno } => write!(out, "a call of the kernel's performance events failed with error {errno}"),
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unavailable: {}", self.0)
    }
}

impl core::error::Error for Unavailable {}
