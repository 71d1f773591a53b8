//! Reasons for unavailable events, from an error of the kernel and its surroundings.

use super::kernel;
use crate::events::{Countable, Event, Generic, HostEvent, Mode};
use crate::reason::{Reason, Unavailable};
use libc::{EACCES, EBADMSG, EBUSY, EINVAL, EMFILE, ENODEV, ENOENT, ENOSPC, ENOSYS, ENXIO, EOPNOTSUPP, EPERM};
use std::io;

/// The surroundings that explain an error. Examined only after an error, because CPUID may be slow.
#[derive(Clone, Copy)]
pub(super) struct Surroundings {
    /// Whether CPUID says that a hypervisor runs this machine.
    pub(super) hypervisor: bool,
    /// The value of `perf_event_paranoid`, if it can be read.
    pub(super) paranoid: Option<i32>,
}

impl Surroundings {
    pub(super) fn here() -> Surroundings {
        Surroundings {
            hypervisor: hypervisor(),
            paranoid: std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid")
                .ok()
                .and_then(|level| level.trim().parse().ok()),
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn hypervisor() -> bool {
    raw_cpuid::CpuId::new()
        .get_feature_info()
        .is_some_and(|features| features.has_hypervisor())
}

// Other processors have no instruction that tells, so their reasons do not mention a hypervisor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
fn hypervisor() -> bool {
    false
}

/// The reason why `event` could not be opened.
pub(super) fn not_opened(error: &io::Error, event: Countable, surroundings: fn() -> Surroundings) -> Unavailable {
    let name = event.name();
    let of_processor = !matches!(event.generic(), Ok(Generic::Software(_)));
    Unavailable(match number(error) {
        // The kernel checks permissions before it returns these.
        ENOENT | EOPNOTSUPP | ENODEV | ENXIO if of_processor => {
            if opens(Countable::Event(Event::INSTRUCTIONS_EXECUTED))
                || opens(Countable::HostEvent(HostEvent::CORE_CLOCKS))
            {
                Reason::NotCounted { event: name }
            } else {
                Reason::NoPmu {
                    hypervisor: surroundings().hypervisor,
                }
            }
        }
        EACCES | EPERM => {
            // Level 2 denies counting in the kernel; higher levels, which some distributions add, deny everything. A
            // lower level denies nothing, so there is another cause.
            let highest_allowed = match event.mode() {
                Mode::User => 2,
                Mode::Any => 1,
            };
            Reason::Paranoid {
                level: surroundings().paranoid.filter(|level| *level > highest_allowed),
            }
        }
        EINVAL | ENOSPC if opens(event) => Reason::NotTogether { event: name },
        EBUSY => Reason::NeverRan,
        EMFILE => Reason::TooManyFiles,
        ENOSYS => Reason::NoPerfEvents,
        errno => Reason::System { errno },
    })
}

/// The reason why an open group could not be enabled, disabled or read.
pub(super) fn not_read(error: &io::Error) -> Unavailable {
    Unavailable(match error.kind() {
        // The kernel returns nothing for a group that it could not schedule.
        io::ErrorKind::UnexpectedEof => Reason::NeverRan,
        _ => Reason::System { errno: number(error) },
    })
}

fn opens(event: Countable) -> bool {
    kernel::builder(event).is_some_and(|builder| builder.build().is_ok())
}

/// The error number. `perf_event` reports two errors without a number: options that the kernel is too old for, and an
/// answer that it cannot parse.
fn number(error: &io::Error) -> i32 {
    match (error.raw_os_error(), error.kind()) {
        (Some(errno), _) => errno,
        (None, io::ErrorKind::Unsupported) => libc::E2BIG,
        (None, _) => EBADMSG,
    }
}
