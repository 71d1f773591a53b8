//! The host column of the event lists as requests to the kernel.

use crate::events::{Countable, Event, HostEvent, Mode};
use crate::{for_each_event, for_each_host_event};
use perf_event::Builder;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};

macro_rules! builder {
    (none $neighbour:tt) => {
        None
    };
    (near $neighbour:tt) => {
        None
    };
    (hardware($name:ident)) => {
        Some(Builder::new(Hardware::$name))
    };
    (software($name:ident)) => {
        Some(Builder::new(Software::$name))
    };
    (cache($which:ident $operation:ident $result:ident)) => {
        Some(Builder::new(Cache {
            which: CacheId::$which,
            operation: CacheOp::$operation,
            result: CacheResult::$result,
        }))
    };
}

macro_rules! define_of_event {
    ($(
        $selector:literal $(on $counter:literal)?, $name:ident, $unit:ident, $standing:ident, $kind:ident $host:tt,
        $title:literal;
    )*) => {
        fn of_event(event: Event) -> Option<Builder<'static>> {
            match event { $(Event::$name => builder!($kind $host),)* }
        }
    };
}
for_each_event!(define_of_event);

macro_rules! define_of_host_event {
    ($($name:ident, $quantity:ident, $mode:ident, $kind:ident $host:tt, $title:literal;)*) => {
        fn of_host_event(event: HostEvent) -> Option<Builder<'static>> {
            match event { $(HostEvent::$name => builder!($kind $host),)* }
        }
    };
}
for_each_host_event!(define_of_host_event);

/// The request for an event: of this thread on any processor, counting whenever its group does, in user mode unless the
/// event occurs in the kernel, and excluding the hypervisor. `None` if Linux has no such event.
pub(super) fn builder(event: Countable) -> Option<Builder<'static>> {
    let mut builder = match event {
        Countable::Event(event) => of_event(event),
        Countable::HostEvent(event) => of_host_event(event),
    }?;
    builder
        .observe_self()
        .any_cpu()
        .enabled(true)
        .exclude_hv(true)
        .exclude_kernel(event.mode() == Mode::User);
    Some(builder)
}
