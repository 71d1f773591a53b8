//! Sampling on simulated hosts.

use super::raw::BadRecord;
use super::recording::Collector;
use super::*;
use p5_chips::ibs::{IBS_BR_TARGET, IBS_OP_DATA, IBS_OP_RIP, OP_EN, OP_MAX_CNT, OP_VAL, RIP_INVALID};
use p5_image::{LineRow, Segment, Symbol, SymbolKind};
use p5_record::{CountMode, Randomization, SampleKind};
use std::collections::{BTreeMap, VecDeque};

const EINVAL: i32 = 22;

/// A host: its files, the requests that its kernel refuses, and the records of each unit.
#[derive(Default)]
struct Fake {
    files: BTreeMap<String, String>,
    hypervisor: bool,
    refusal: Option<Refusal>,
    /// The highest precision of an address that the kernel accepts.
    precise: u8,
    records: BTreeMap<&'static str, VecDeque<Record>>,
    opened: Vec<(Event, u32, usize)>,
}

struct Queue(VecDeque<Record>);

impl Ring for Queue {
    fn next(&mut self) -> Option<Record> {
        self.0.pop_front()
    }
}

impl Host for Fake {
    fn read(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn hypervisor(&self) -> bool {
        self.hypervisor
    }

    fn now(&self) -> u64 {
        1_000
    }

    fn open(&mut self, event: &Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        if event.precise > self.precise {
            return Err(Refusal::Event(EINVAL));
        }
        self.opened.push((event.clone(), process, bytes));
        let records = self.records.remove(event.unit.name()).unwrap_or_default();
        Ok(Box::new(Queue(records)))
    }
}

impl Fake {
    fn with(files: &[(&str, &str)]) -> Fake {
        let path = |name: &str| match name.strip_prefix('/') {
            Some(_) => name.to_owned(),
            None => format!("{}/{name}", sysfs::DEVICES),
        };
        Fake {
            files: files
                .iter()
                .map(|&(name, text)| (path(name), text.to_owned()))
                .collect(),
            ..Fake::default()
        }
    }

    /// A processor of family 1Ah under a kernel of version 6.15, with the contents of its sysfs.
    fn with_ibs() -> Fake {
        Fake::with(&[
            ("ibs_op/type", "10\n"),
            ("ibs_op/format/cnt_ctl", "config:19\n"),
            ("ibs_op/format/l3missonly", "config:16\n"),
            ("ibs_op/format/ldlat", "config1:0-11\n"),
            ("ibs_op/format/swfilt", "config2:0\n"),
            ("ibs_op/caps/zen4_ibs_extensions", "1\n"),
            ("ibs_fetch/type", "9\n"),
            ("ibs_fetch/format/rand_en", "config:57\n"),
            ("ibs_fetch/format/l3missonly", "config:59\n"),
            ("ibs_fetch/format/swfilt", "config2:0\n"),
            ("cpu/type", "4\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "128\n"),
        ])
    }

    /// The first processors of family 10h: only one kind of count, and a kernel without a filter.
    fn with_old_ibs() -> Fake {
        Fake::with(&[("ibs_op/type", "8\n"), ("cpu/type", "4\n")])
    }
}

const OPS: Wanted = Wanted {
    fetch: None,
    op: Some(10_000),
    mode: None,
    load_latency: None,
    last_level_misses_only: false,
};

#[test]
fn the_bits_of_options_are_those_of_sysfs() {
    let all = Wanted {
        fetch: Some(160),
        load_latency: Some(200),
        last_level_misses_only: true,
        ..OPS
    };
    let fetch = Event {
        unit: Unit::IbsFetch,
        number: 9,
        config: 1 << 57 | 1 << 59,
        config2: 1,
        period: 160,
        user_only: true,
        randomization: Randomization::Hardware,
        ..Event::default()
    };
    let op = Event {
        unit: Unit::IbsOp,
        number: 10,
        config: 1 << 19 | 1 << 16,
        config1: 200,
        config2: 1,
        period: 10_000,
        user_only: true,
        mode: CountMode::Dispatch,
        randomization: Randomization::Hardware,
        ..Event::default()
    };
    let mut machine = Fake::with_ibs();
    assert_eq!(requests(&machine, &all), Ok(vec![fetch, op.clone()]));
    // Another kernel may put the bits elsewhere.
    let place = |name: &str| format!("{}/ibs_op/format/{name}", sysfs::DEVICES);
    machine.files.insert(place("cnt_ctl"), "config1:40".to_owned());
    machine.files.insert(place("ldlat"), "config2:8-11,20-27".to_owned());
    let moved = Event {
        config: 1 << 16,
        config1: 1 << 40,
        config2: 1 | 0x8 << 8 | 0xC << 20,
        ..op
    };
    assert_eq!(requests(&machine, &all).map(|events| events[1].clone()), Ok(moved));
    let cycles = Wanted {
        mode: Some(CountMode::Cycles),
        ..OPS
    };
    let events = requests(&Fake::with_ibs(), &cycles).expect("events");
    assert_eq!((events[0].config, events[0].mode), (0, CountMode::Cycles));
}

#[test]
fn what_a_unit_lacks_is_told_or_done_without() {
    let old = Fake::with_old_ibs();
    let events = requests(&old, &OPS).expect("an event");
    assert_eq!((events[0].mode, events[0].user_only), (CountMode::Cycles, false));
    let no_format = |option, format| {
        Err(Unsampled::NoFormat {
            option,
            unit: Unit::IbsOp,
            format,
        })
    };
    let dispatch = Wanted {
        mode: Some(CountMode::Dispatch),
        ..OPS
    };
    let slow = Wanted {
        load_latency: Some(128),
        ..OPS
    };
    let misses = Wanted {
        last_level_misses_only: true,
        ..OPS
    };
    assert_eq!(requests(&old, &dispatch), no_format("--mode", "cnt_ctl"));
    assert_eq!(requests(&old, &slow), no_format("--ldlat", "ldlat"));
    assert_eq!(requests(&old, &misses), no_format("--l3missonly", "l3missonly"));
    for latency in [0, 127, 2_049, u32::MAX] {
        let wanted = Wanted {
            load_latency: Some(latency),
            ..OPS
        };
        let refused = Unsampled::Latency {
            latency,
            least: 128,
            most: 2_048,
        };
        assert_eq!(requests(&Fake::with_ibs(), &wanted), Err(refused));
    }
    for period in [0, 1, 15, 10_001] {
        let wanted = Wanted {
            op: Some(period),
            ..OPS
        };
        let refused = Unsampled::NotSixteens { option: "--op", period };
        assert_eq!(requests(&Fake::with_ibs(), &wanted), Err(refused));
    }
    let strange = Fake::with(&[("ibs_op/type", "8"), ("ibs_op/format/cnt_ctl", "elsewhere")]);
    assert_eq!(
        requests(&strange, &OPS),
        Err(Unsampled::StrangeFormat {
            unit: Unit::IbsOp,
            format: "cnt_ctl",
            text: "elsewhere".to_owned()
        })
    );
}

#[test]
fn without_instruction_based_sampling_clocks_are_sampled_or_what_is_missing_is_told() {
    let ordinary = Fake::with(&[("cpu_core/type", "4\n")]);
    let odd = Wanted { op: Some(1_001), ..OPS };
    let events = requests(&ordinary, &odd).expect("an event");
    let expected = Event {
        unit: Unit::Processor,
        period: 1_001,
        precise: 3,
        user_only: true,
        mode: CountMode::Cycles,
        ..Event::default()
    };
    assert_eq!(events, [expected]);
    let bare = Fake {
        hypervisor: true,
        ..Fake::default()
    };
    assert_eq!(requests(&bare, &OPS), Err(Unsampled::NoUnit { hypervisor: true }));
    let needs = |option, unit, ordinary| {
        Err(Unsampled::NeedsIbs {
            option,
            unit,
            ordinary,
            hypervisor: !ordinary,
        })
    };
    let fetch = Wanted {
        fetch: Some(160),
        ..Wanted::default()
    };
    assert_eq!(requests(&bare, &fetch), needs("--fetch", Unit::IbsFetch, false));
    assert_eq!(requests(&ordinary, &fetch), needs("--fetch", Unit::IbsFetch, true));
    let dispatch = Wanted {
        mode: Some(CountMode::Dispatch),
        ..OPS
    };
    assert_eq!(requests(&ordinary, &dispatch), needs("--mode", Unit::IbsOp, true));
}

/// A program of one page.
fn program() -> Image {
    let code = Segment {
        name: "_TEXT".to_owned(),
        address: 0x40_1000,
        bytes: vec![0xC3; 8],
        zeroes: 4,
        writable: false,
    };
    let symbol = |name: &str, value, kind| Symbol {
        name: name.to_owned(),
        value,
        size: 0,
        kind,
        library: false,
        typed: true,
    };
    Image {
        entry: 0x40_1000,
        segments: vec![code],
        symbols: vec![
            symbol("later", 0x40_1004, SymbolKind::Code),
            symbol("start", 0x40_1000, SymbolKind::Code),
        ],
        lines: [LineRow {
            address: 0x40_1000,
            length: 1,
            file: 0,
            line: 3,
            written: (0, 0),
            origin: None,
            ..LineRow::default()
        }]
        .into_iter()
        .collect(),
        ..Image::default()
    }
}

/// A record of `ibs_op` with IbsBrTarget.
fn op(address: u64, data: u64) -> Vec<u8> {
    let control = OP_EN.mask() | OP_VAL.mask() | OP_MAX_CNT.put(0, 625);
    let images = [control, address, data, 0, 0, 0, 0, 0x40_1005];
    let mut bytes = (1u32 << 5).to_le_bytes().to_vec();
    bytes.extend(images.iter().flat_map(|image| image.to_le_bytes()));
    bytes
}

fn record(address: u64, time: u64, raw: Option<Vec<u8>>) -> Record {
    Record::Sample { address, time, raw }
}

/// The recording that the collector makes of a host's records.
fn collected(machine: &mut Fake, wanted: &Wanted) -> Result<(Recording, Vec<Sampler>), Unsampled> {
    use crate::native::Attendant;
    let image = program();
    let events = requests(machine, wanted)?;
    let mut collector = Collector::new(&image, events, machine);
    if !collector.start(77) {
        return Err(collector.refused.take().expect("why"));
    }
    collector.look();
    Ok(collector.finish(&image, "a.asm", "A Processor", wanted))
}

#[test]
fn samples_of_ops_are_those_in_the_program_in_the_order_of_time() {
    let mut machine = Fake::with_ibs();
    let [first, last] = [0x40_1000, 0x40_100B];
    let invalid = RIP_INVALID.mask();
    machine.records.insert(
        "ibs_op",
        [
            record(last, 9_000, Some(op(last, 0))),
            record(first, 2_500, Some(op(first, 7))),
            // The register is not valid: the kernel's address decides, and the register stays as it is.
            record(0x40_1002, 3_000, Some(op(0xFFFF_FFFF_8000_0000, invalid))),
            record(0xFFFF_FFFF_8000_0000, 3_100, Some(op(first, invalid))),
            record(last + 1, 4_000, Some(op(last + 1, 0))),
            record(first, 5_000, Some(op(first, 0)[..40].to_vec())),
            record(first, 5_000, None),
            record(first, 5_500, Some([op(first, 0), vec![0; 16]].concat())),
            Record::Lost(30),
            Record::Throttled,
            Record::Other,
        ]
        .into(),
    );
    let (recording, told) = collected(&mut machine, &OPS).expect("a recording");
    let clocks: Vec<_> = recording
        .samples
        .iter()
        .map(|sample| (sample.number, sample.run, sample.clock))
        .collect();
    assert_eq!(clocks, [(1, 1, 1_500), (2, 1, 2_000), (3, 1, 4_500), (4, 1, 8_000)]);
    let images = &recording.samples[0].images;
    assert_eq!(
        (images.get(IBS_OP_RIP), images.get(IBS_OP_DATA)),
        (Some(first), Some(7))
    );
    assert_eq!(images.get(IBS_BR_TARGET), Some(0x40_1005));
    let raw = recording.samples[1].images.get(IBS_OP_RIP);
    assert_eq!(raw, Some(0xFFFF_FFFF_8000_0000), "images are raw");
    let expected = Sampler {
        unit: Unit::IbsOp,
        precise: 0,
        kept: 4,
        outside: 2,
        lost: 30,
        bad: 2,
        first_bad: Some(BadRecord::Short { needed: 68, found: 40 }),
        with_unknown: 1,
        throttled: 1,
        cut: 0,
    };
    assert_eq!(told, [expected]);
    let attempts = recording.sampling.op.expect("ops");
    assert_eq!((attempts.period, attempts.made, attempts.filtered), (10_000, 38, 4));
    assert_eq!((recording.sampling.fetch, recording.sampling.cut), (None, 30));
    assert_eq!(recording.sampling.choice.mode, CountMode::Dispatch);
    assert_eq!(recording.sampling.choice.randomization, Randomization::Hardware);
    assert_eq!(
        (recording.machine.line_bytes, recording.machine.chip_title.as_str()),
        (128, "A Processor")
    );
    let names: Vec<_> = recording.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!((names, recording.lines.len()), (vec!["start", "later"], 1));
    let (_, process, bytes) = &machine.opened[0];
    assert_eq!((*process, *bytes), (77, 512 << 10));
}

#[test]
fn two_samplers_share_the_memory_and_the_numbers() {
    let mut machine = Fake::with_ibs();
    let mut fetch = 0u32.to_le_bytes().to_vec();
    for image in [3u64 << 48, 0x40_1000, 0] {
        fetch.extend(image.to_le_bytes());
    }
    machine
        .records
        .insert("ibs_op", [record(0, 2_000, Some(op(0x40_1001, 0)))].into());
    machine
        .records
        .insert("ibs_fetch", [record(0, 1_999, Some(fetch))].into());
    let wanted = Wanted {
        fetch: Some(160),
        ..OPS
    };
    let (recording, told) = collected(&mut machine, &wanted).expect("a recording");
    let kinds: Vec<_> = recording
        .samples
        .iter()
        .map(|sample| (sample.number, sample.kind))
        .collect();
    assert_eq!(kinds, [(1, SampleKind::Fetch), (2, SampleKind::Op)]);
    assert_eq!((told[0].kept, told[1].kept), (1, 1));
    assert!(machine.opened.iter().all(|(_, _, bytes)| *bytes == 256 << 10));
}

#[test]
fn the_ordinary_unit_gives_addresses_and_nothing_else() {
    let mut machine = Fake::with(&[("cpu/type", "4\n")]);
    machine.precise = 1;
    machine.records.insert(
        "cpu",
        [record(0x40_1003, 2_000, None), record(0x50_0000, 2_001, None)].into(),
    );
    let (recording, told) = collected(&mut machine, &OPS).expect("a recording");
    let registers: Vec<_> = recording.samples[0].images.iter().collect();
    assert_eq!(registers, [(IBS_OP_RIP, 0x40_1003)], "absent, never 0");
    assert_eq!((told[0].precise, told[0].kept, told[0].outside), (1, 1, 1));
    assert_eq!(recording.sampling.choice.mode, CountMode::Cycles);
    assert_eq!(recording.sampling.choice.randomization, Randomization::None);
    assert_eq!(recording.machine.line_bytes, 64, "sysfs does not say");
}

#[test]
fn what_the_kernel_refuses_has_its_reason() {
    let refused = |machine: Fake, refusal| {
        let mut machine = Fake {
            refusal: Some(refusal),
            ..machine
        };
        collected(&mut machine, &OPS).expect_err("refused")
    };
    let paranoid = |level: &str| {
        let mut machine = Fake::with_ibs();
        let path = "/proc/sys/kernel/perf_event_paranoid";
        machine.files.insert(path.to_owned(), level.to_owned());
        machine
    };
    let because = |reason| Unsampled::Refused {
        unit: Unit::IbsOp,
        reason,
    };
    let denied = |level: &str| refused(paranoid(level), Refusal::Event(13));
    assert_eq!(denied("4\n"), because(Reason::Paranoid { level: Some(4) }));
    assert_eq!(
        denied("2\n"),
        because(Reason::Paranoid { level: None }),
        "2 allows what is asked"
    );
    let mut old = Fake::with_old_ibs();
    old.files
        .insert("/proc/sys/kernel/perf_event_paranoid".to_owned(), "2\n".to_owned());
    assert_eq!(
        refused(old, Refusal::Event(13)),
        because(Reason::Paranoid { level: Some(2) }),
        "without a filter, the kernel is sampled as well"
    );
    for (errno, reason) in [
        (2, Reason::NoPmu { hypervisor: false }),
        (24, Reason::TooManyFiles),
        (38, Reason::NoPerfEvents),
        (16, Reason::System { errno: 16 }),
    ] {
        assert_eq!(refused(Fake::with_ibs(), Refusal::Event(errno)), because(reason));
    }
    let invalid = Unsampled::Invalid { unit: Unit::IbsOp };
    assert_eq!(refused(Fake::with_ibs(), Refusal::Event(EINVAL)), invalid);
    let memory = Unsampled::NoMemory { kib: 512, errno: 1 };
    assert_eq!(refused(Fake::with_ibs(), Refusal::Memory(1)), memory);
    let ordinary = Fake::with(&[("cpu/type", "4\n")]);
    let unit = Unit::Processor;
    assert_eq!(refused(ordinary, Refusal::Event(EINVAL)), Unsampled::Invalid { unit });
}
