//! The tests of the macros, in one program: each of these modules is a subject.

#[cfg(all(target_os = "linux", target_arch = "x86_64", feature = "std"))]
mod disabled;
#[cfg(target_arch = "x86_64")]
mod emitted;
#[cfg(all(feature = "perf", target_os = "linux"))]
mod host_events;
mod no_allocation;
#[cfg(not(all(feature = "perf", target_os = "linux")))]
mod without_events;
