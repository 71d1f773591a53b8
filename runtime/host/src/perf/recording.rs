//! The kernel's records become a recording: each event's ring is emptied while the child runs.

use super::raw::{self, RawSample};
use super::request::{Event, Unit, Wanted};
use super::{Host, Record, Refusal, Ring, Sampler, Unsampled};
use crate::native::Attendant;
use asm_macros::Reason;
use p5_chips::ibs::{FETCH_LIN_AD, IBS_OP_RIP, OP_RIP, RIP_INVALID};
use p5_image::Image;
use p5_record::program::of_program;
use p5_record::store::Kept;
use p5_record::{Attempts, Choice, Images, Randomization, Recording, SampleKind, SampledMachine, Sampling};
use p5_words::isa::PAGE;
use std::ops::Range;

/// The memory of all rings, in bytes: the amount that `perf_event_mlock_kb` grants to every user, less the first page
/// of each ring.
const RINGS: usize = 512 << 10;
/// The maximum number of records taken from one ring at a time, so that the child's time limit is kept.
const MOST_AT_A_TIME: usize = 1 << 16;
/// The line size of the data cache in bytes if sysfs does not give it: that of every 64-bit processor so far.
const LINE: u32 = 64;

pub(super) struct Collector<'a> {
    host: &'a mut dyn Host,
    open: Vec<Open>,
    /// The addresses of the program's code and data; samples elsewhere are outside.
    inside: Vec<Range<u64>>,
    samples: Kept,
    began: u64,
    /// The reason why the first event could not be opened.
    pub(super) refused: Option<Unsampled>,
}

struct Open {
    event: Event,
    ring: Option<Box<dyn Ring>>,
    told: Sampler,
}

impl Attendant for Collector<'_> {
    fn start(&mut self, process: u32) -> bool {
        self.began = self.host.now();
        let bytes = RINGS >> (self.open.len().max(1) - 1);
        for one in &mut self.open {
            match open(&mut *self.host, &mut one.event, process, bytes) {
                Ok(ring) => one.ring = Some(ring),
                Err(why) => {
                    self.refused = Some(why);
                    return false;
                }
            }
            one.told.precise = one.event.precise;
        }
        true
    }

    fn look(&mut self) {
        self.take(MOST_AT_A_TIME);
    }
}

/// Opens an event; lowers the precision of its address until the kernel accepts it.
fn open(host: &mut dyn Host, event: &mut Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Unsampled> {
    loop {
        let errno = match host.open(event, process, bytes) {
            Ok(ring) => return Ok(ring),
            Err(Refusal::Memory(errno)) => {
                return Err(Unsampled::NoMemory {
                    kib: bytes >> 10,
                    errno,
                });
            }
            Err(Refusal::Event(errno)) => errno,
        };
        if matches!(errno, EINVAL | EOPNOTSUPP) && event.precise > 0 {
            event.precise -= 1;
        } else {
            return Err(refused(host, event, errno));
        }
    }
}

const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const ENXIO: i32 = 6;
const EACCES: i32 = 13;
const ENODEV: i32 = 19;
const EINVAL: i32 = 22;
const EMFILE: i32 = 24;
const ENOSYS: i32 = 38;
const EOPNOTSUPP: i32 = 95;
/// The setting that explains why the kernel denies events.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

fn refused(host: &dyn Host, event: &Event, errno: i32) -> Unsampled {
    let unit = event.unit;
    let reason = match errno {
        ENOENT | ENXIO | ENODEV | EOPNOTSUPP => Reason::NoPmu {
            hypervisor: host.hypervisor(),
        },
        EACCES | EPERM => {
            // Level 2 denies the kernel's code, and 3, which some distributions add, denies everything. A lower level
            // denies nothing, so there is another cause.
            let allowed = if event.user_only { 2 } else { 1 };
            let level = host.read(PARANOID).and_then(|level| level.trim().parse().ok());
            Reason::Paranoid {
                level: level.filter(|level| *level > allowed),
            }
        }
        EMFILE => Reason::TooManyFiles,
        ENOSYS => Reason::NoPerfEvents,
        EINVAL => return Unsampled::Invalid { unit },
        errno => Reason::System { errno },
    };
    Unsampled::Refused { unit, reason }
}

impl<'a> Collector<'a> {
    pub(super) fn new(image: &Image, events: Vec<Event>, host: &'a mut dyn Host) -> Collector<'a> {
        let range = |segment: &p5_image::Segment| {
            let first = u64::from(segment.address);
            first..first + segment.bytes.len() as u64 + u64::from(segment.zeroes)
        };
        let open = |event: Event| Open {
            told: Sampler {
                unit: event.unit,
                ..Sampler::default()
            },
            event,
            ring: None,
        };
        Collector {
            host,
            open: events.into_iter().map(open).collect(),
            inside: image.segments.iter().map(range).collect(),
            samples: Kept::new(1, 0),
            began: 0,
            refused: None,
        }
    }

    /// Takes the records that have arrived, at most `most` of each event.
    fn take(&mut self, most: usize) {
        for one in &mut self.open {
            let Some(ring) = &mut one.ring else { continue };
            for _ in 0..most {
                let Some(record) = ring.next() else { break };
                match record {
                    Record::Sample { address, time, raw } => {
                        let Some((images, at)) = images(one.event.unit, address, raw.as_deref(), &mut one.told) else {
                            continue;
                        };
                        if !self.inside.iter().any(|range| range.contains(&at)) {
                            one.told.outside += 1;
                        } else {
                            // If there are too many samples, chance decides which ones are kept, among earlier ones as
                            // well.
                            one.told.kept += 1;
                            let clock = time.saturating_sub(self.began);
                            self.samples.keep(one.event.unit.kind(), clock, images);
                        }
                    }
                    Record::Lost(count) => one.told.lost = one.told.lost.saturating_add(count),
                    Record::Throttled => one.told.throttled += 1,
                    Record::Other => {}
                }
            }
        }
    }

    /// Returns the recording, and for each event the numbers of its samples that were kept and left out.
    pub(super) fn finish(
        mut self,
        image: &Image,
        program: &str,
        processor: &str,
        wanted: &Wanted,
    ) -> (Recording, Vec<Sampler>) {
        // The size of the rings limits the records that they still hold.
        self.take(usize::MAX);
        let (mut samples, _) = self.samples.finish();
        for one in &mut self.open {
            let kind = one.event.unit.kind();
            let kept = samples.iter().filter(|sample| sample.kind == kind).count() as u64;
            (one.told.kept, one.told.cut) = (kept, one.told.kept - kept);
        }
        samples.sort_by_key(|sample| sample.clock);
        for (sample, number) in samples.iter_mut().zip(1..) {
            sample.number = number;
        }
        let told: Vec<Sampler> = self.open.iter().map(|one| one.told).collect();
        let attempts = |kind: SampleKind| {
            let one = self.open.iter().find(|one| one.event.unit.kind() == kind)?;
            let told = one.told;
            Some(Attempts {
                period: one.event.period,
                made: told.kept + told.outside + told.cut + told.bad + told.lost,
                filtered: told.outside + told.bad,
                ..Attempts::default()
            })
        };
        let op = self.open.iter().find(|one| one.event.unit.kind() == SampleKind::Op);
        let random = self
            .open
            .iter()
            .any(|one| one.event.randomization == Randomization::Hardware);
        let recording = Recording {
            program: program.to_owned(),
            machine: machine(&*self.host, processor),
            sampling: Sampling {
                runs: (1, 1),
                fetch: attempts(SampleKind::Fetch),
                op: attempts(SampleKind::Op),
                choice: Choice {
                    mode: op.map_or_else(Default::default, |one| one.event.mode),
                    randomization: if random {
                        Randomization::Hardware
                    } else {
                        Randomization::None
                    },
                    load_latency: wanted.load_latency,
                    last_level_misses_only: wanted.last_level_misses_only,
                    ..Choice::default()
                },
                cut: told.iter().map(|told| told.cut + told.lost).sum(),
                lost: told.iter().map(|told| told.lost).sum(),
            },
            samples,
            truth: None,
            // The kernel chooses where they lie.
            stack: None,
            heap: None,
            ..of_program(image, &[], &[], image.code_bits())
        };
        (recording, told)
    }
}

/// The images of a sample, and the address of its instruction; `None` if the sample cannot be decoded, which is noted
/// in `told`.
fn images(unit: Unit, address: u64, raw: Option<&[u8]>, told: &mut Sampler) -> Option<(Images, u64)> {
    if unit == Unit::Processor {
        let mut images = Images::default();
        images.set(IBS_OP_RIP, address);
        return Some((images, address));
    }
    match raw::decode(unit.kind(), raw.unwrap_or_default()) {
        Ok(RawSample { images, rest, .. }) => {
            told.with_unknown += u64::from(!rest.is_empty());
            // The register stays as it is; if its flag says that it is not valid, the kernel's address is better.
            let at = match unit.kind() {
                SampleKind::Fetch => images.field(&FETCH_LIN_AD),
                SampleKind::Op if images.flag(&RIP_INVALID) => None,
                SampleKind::Op => images.field(&OP_RIP),
            };
            Some((images, at.unwrap_or(address)))
        }
        Err(why) => {
            told.bad += 1;
            told.first_bad.get_or_insert(why);
            None
        }
    }
}

/// The description of the machine, as far as it is known. The number of instructions that it issues per clock is not.
fn machine(host: &dyn Host, processor: &str) -> SampledMachine {
    let line = (0..4).find_map(|index| {
        let file = |name: &str| host.read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        (file("type")?.trim() == "Data").then_some(())?;
        file("coherency_line_size")?.trim().parse::<u32>().ok()
    });
    SampledMachine {
        chip: "host".to_owned(),
        chip_title: processor.to_owned(),
        memory: "host".to_owned(),
        assumed: Vec::new(),
        monitors: Vec::new(),
        also: Vec::new(),
        core_ratio: None,
        cpl: 3,
        width: None,
        line_bytes: line
            .filter(|line| line.is_power_of_two() && *line <= PAGE)
            .unwrap_or(LINE),
        page_bytes: PAGE,
    }
}
