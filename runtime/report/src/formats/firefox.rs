//! Clocks by stack as a profile for the Firefox Profiler: a sample for each stack and cause, whose weight is the clocks
//! and whose category is the cause.
//!
//! The samples are sums over the run, so their times mean nothing: each begins at the end of the previous one, with a
//! microsecond per clock.

use super::collapsed::frames;
use crate::Style;
use crate::json_text::write_compact;
use crate::lines;
use fxprof_processed_profile::{
    CategoryColor, CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, ReferenceTimestamp,
    SamplingInterval, Timestamp, WeightType,
};
use p5_results::{Cause, Run};
use std::io::{self, Write};

/// The nanoseconds that represent a clock.
const CLOCK: u64 = 1_000;

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let stopped = super::why_stopped(run).map_or_else(String::new, |stopped| format!(", {stopped}"));
    let product = format!("p5inst: {}, clocks of the last run{stopped}", run.cpu_title);
    let start = ReferenceTimestamp::from_millis_since_unix_epoch(0.0);
    let mut profile = Profile::new(&product, start, SamplingInterval::from_nanos(CLOCK));
    let zero = Timestamp::from_nanos_since_reference(0);
    let process = profile.add_process(&crate::escaped(&run.program), 1, zero);
    let thread = profile.add_thread(process, 1, zero, true);
    profile.set_thread_name(thread, "clocks");
    profile.set_thread_samples_weight_type(thread, WeightType::Samples);
    let categories: Vec<CategoryHandle> = Cause::ALL
        .iter()
        .map(|&cause| profile.add_category(cause.name(), color(cause)))
        .collect();
    let mut clock = 0_u64;
    for stack in lines::stacks(run, style.detail) {
        let frames = frames(run, &stack);
        for (&cause, &category) in Cause::ALL.iter().zip(&categories) {
            let mut left = stack.sum.spent(cause);
            if left == 0 {
                continue;
            }
            let infos: Vec<FrameInfo> = frames
                .iter()
                .map(|frame| FrameInfo {
                    frame: Frame::Label(profile.intern_string(frame)),
                    category_pair: category.into(),
                    flags: FrameFlags::empty(),
                })
                .collect();
            let handle = profile.intern_stack_frames(thread, infos.into_iter());
            while left > 0 {
                let weight = i32::try_from(left).unwrap_or(i32::MAX);
                let at = Timestamp::from_nanos_since_reference(clock.saturating_mul(CLOCK));
                profile.add_sample(thread, at, handle, CpuDelta::ZERO, weight);
                left -= u64::from(weight.unsigned_abs());
                clock += u64::from(weight.unsigned_abs());
            }
        }
    }
    let end = Timestamp::from_nanos_since_reference(clock.saturating_mul(CLOCK));
    profile.set_thread_end_time(thread, end);
    profile.set_process_end_time(process, end);
    write_compact(&profile, out)
}

/// The colours of clocks: work is green and blue, memory red, code orange, the rest yellow.
fn color(cause: Cause) -> CategoryColor {
    match cause {
        Cause::Issue => CategoryColor::Green,
        Cause::Execution => CategoryColor::LightGreen,
        Cause::FloatingPoint => CategoryColor::Blue,
        Cause::Lockstep | Cause::Agi | Cause::Prefix => CategoryColor::Yellow,
        Cause::BankConflict | Cause::Misaligned | Cause::DataReadMiss | Cause::DataTlbMiss => CategoryColor::Red,
        Cause::WriteBufferFull | Cause::WriteOrder => CategoryColor::LightRed,
        Cause::CodeMiss | Cause::PrefetchQueue | Cause::CodeTlbMiss => CategoryColor::Orange,
        Cause::Misprediction => CategoryColor::Magenta,
        Cause::LockedBus | Cause::Io | Cause::Serialize | Cause::Interrupt | Cause::Halted => CategoryColor::Brown,
    }
}
