//! Whether the system gave the processor to others during a run. The lengths of series do not tell: of series longer
//! than a time slice, all lose the processor, and all take the same multiple of their own time.

/// How often the thread has lost the processor so far; `None` where the system does not say.
#[cfg(all(feature = "std", target_os = "linux"))]
pub(crate) fn switches() -> Option<u64> {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call writes a whole `rusage` if it succeeds.
    let done = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) } == 0;
    // SAFETY: it has succeeded.
    let usage = done.then(|| unsafe { usage.assume_init() })?;
    // Code that waits gives the processor away by itself, which is a part of what it takes.
    u64::try_from(usage.ru_nivcsw).ok()
}

#[cfg(not(all(feature = "std", target_os = "linux")))]
pub(crate) fn switches() -> Option<u64> {
    None
}

/// The time for which the thread has had a processor so far; `None` where the system does not say.
#[cfg(all(feature = "criterion", target_os = "linux"))]
pub(crate) fn on_processor() -> Option<core::time::Duration> {
    let mut time = core::mem::MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the call writes a whole `timespec` if it succeeds.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()) } == 0;
    // SAFETY: it has succeeded.
    let time = done.then(|| unsafe { time.assume_init() })?;
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(core::time::Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(all(feature = "criterion", not(target_os = "linux")))]
pub(crate) fn on_processor() -> Option<core::time::Duration> {
    None
}
