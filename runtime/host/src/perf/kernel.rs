//! Access to this machine: sysfs, and the kernel's events through `perf_event_open`.

use super::{Event, Host, Record, Refusal, Ring, Unit};
use asm_macros::tsc::Features;
use perf_event::data::Record as Told;
use perf_event::events::Raw;
use perf_event::{Builder, Clock, SampleFlag, SampleSkid, Sampler};
use std::io;

/// The maximum size of a file, in bytes: a file of sysfs has one page.
const MOST_BYTES: u64 = 4_096;

pub(super) struct Here;

impl Host for Here {
    fn read(&self, path: &str) -> Option<String> {
        use std::io::Read;
        let mut text = String::new();
        let file = std::fs::File::open(path).ok()?;
        file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn hypervisor(&self) -> bool {
        Features::of_this_processor().hypervisor().is_some()
    }

    fn now(&self) -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` outlives the call, and this clock always exists.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &raw mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    fn open(&mut self, event: &Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Refusal> {
        let mut builder = Builder::new(Raw::new(event.config));
        let attributes = builder.attrs_mut();
        attributes.type_ = event.number;
        attributes.config1 = event.config1;
        attributes.config2 = event.config2;
        let mut flags = SampleFlag::IP | SampleFlag::TIME;
        if event.unit != Unit::Processor {
            flags |= SampleFlag::RAW;
        }
        builder
            .observe_pid(process as libc::pid_t)
            .any_cpu()
            .enabled(true)
            .sample(flags)
            .sample_period(event.period)
            .clockid(Clock::MONOTONIC_RAW)
            .exclude_kernel(event.user_only)
            .exclude_hv(event.user_only)
            .precise_ip(match event.precise {
                0 => SampleSkid::Arbitrary,
                1 => SampleSkid::Constant,
                2 => SampleSkid::RequestZero,
                _ => SampleSkid::RequireZero,
            });
        let counter = builder.build().map_err(|error| Refusal::Event(number(&error)))?;
        let sampler = counter
            .sampled(bytes)
            .map_err(|error| Refusal::Memory(number(&error)))?;
        Ok(Box::new(Mapped(sampler)))
    }
}

/// The error number. `perf_event` reports one error without a number: options that are too new for the kernel.
fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::E2BIG)
}

struct Mapped(Sampler);

impl Ring for Mapped {
    fn next(&mut self) -> Option<Record> {
        let record = self.0.next_record()?;
        Some(match record.parse_record() {
            Ok(Told::Sample(sample)) => Record::Sample {
                address: sample.ip().unwrap_or(0),
                time: sample.time().unwrap_or(0),
                raw: sample.raw().map(<[u8]>::to_vec),
            },
            Ok(Told::Lost(lost)) => Record::Lost(lost.lost),
            Ok(Told::LostSamples(lost)) => Record::Lost(lost.lost),
            Ok(Told::Throttle(_)) => Record::Throttled,
            _ => Record::Other,
        })
    }
}
