//! The steps by which the child prepares a run, and the end of the child if one fails.

use super::shared::Control;
use super::signals;
use std::sync::atomic::Ordering::Relaxed;

/// The steps of the preparation that can fail; their numbers are the values of [`Control::failed_step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Step {
    Code = 1,
    Map,
    Taken,
    Protect,
    SignalStack,
    Handler,
    Limits,
    Descriptors,
    Filter,
    Segment,
}

impl Step {
    pub(super) const ALL: [Step; 10] = [
        Step::Code,
        Step::Map,
        Step::Taken,
        Step::Protect,
        Step::SignalStack,
        Step::Handler,
        Step::Limits,
        Step::Descriptors,
        Step::Filter,
        Step::Segment,
    ];
}

/// Ends the process because `step` failed for the area with the number `pages`.
pub(super) fn give_up(control: &Control, step: Step, pages: u32) -> ! {
    control.failed_area.store(pages, Relaxed);
    control.failed_step.store(step as u32, Relaxed);
    signals::end_process(0)
}
