//! The child while it is attended, and samples of it: from a fake machine, and from a kernel timer that every Linux
//! has.

use crate::native::images::{cannot, image};
use runtime::image::Image;
use runtime::model::ibs::IBS_OP_RIP;
use runtime::native::{Attendant, Options, run_attended};
use runtime::perf::{self, Event, Host, Refusal, Ring, Unit, Unsampled, Wanted};
use std::time::Duration;

/// mov ecx,100000; again: dec ecx; jnz again; ret
fn looping() -> Image {
    image(&[0xB9, 0xA0, 0x86, 1, 0, 0x49, 0x75, 0xFD, 0xC3])
}

#[derive(Default)]
struct Counting {
    lets_begin: bool,
    process: u32,
    looks: u32,
}

impl Attendant for Counting {
    fn start(&mut self, process: u32) -> bool {
        self.process = process;
        // The time is long enough for a child that does not wait to run the program thousands of times.
        std::thread::sleep(Duration::from_millis(50));
        self.lets_begin
    }

    fn look(&mut self) {
        assert_ne!(self.process, 0, "it has been started");
        self.looks += 1;
    }
}

#[test]
fn a_child_waits_until_its_attendant_lets_it_begin() {
    if cannot() {
        return;
    }
    // On a busy machine, the attendant looks less often, and the child may not reach its first run.
    let mut seen = Vec::new();
    for patience in [60, 600, 6_000].map(Duration::from_millis) {
        let options = Options {
            patience,
            limit: 10 * patience,
            ..Options::default()
        };
        let mut attendant = Counting {
            lets_begin: true,
            ..Counting::default()
        };
        let native = run_attended(&looping(), &options, &mut attendant).expect("it runs");
        seen.push((attendant.looks, native.runs.len()));
        if attendant.looks >= 3 && !native.runs.is_empty() {
            break;
        }
    }
    let enough = seen.last().is_some_and(|&(looks, runs)| looks >= 3 && runs > 0);
    assert!(enough, "looks and runs in 60 ms, 0.6 s and 6 s: {seen:?}");
    // A child that is not allowed to begin runs nothing, whatever the result says of its end.
    let mut attendant = Counting::default();
    if let Ok(native) = run_attended(&looping(), &Options::default(), &mut attendant) {
        assert!(native.runs.is_empty());
    }
}

/// This machine with a kernel timer in place of the ordinary unit's clocks.
struct Timer(Box<dyn Host>);

/// The type number of the kernel's software events; event 0 is the time that a process uses.
const SOFTWARE: u32 = 1;

impl Host for Timer {
    fn read(&self, path: &str) -> Option<String> {
        match path.strip_prefix(perf::sysfs::DEVICES) {
            Some("/cpu/type") => Some("4\n".to_owned()),
            Some(_) => None,
            None => self.0.read(path),
        }
    }

    fn hypervisor(&self) -> bool {
        self.0.hypervisor()
    }

    fn now(&self) -> u64 {
        self.0.now()
    }

    fn open(&mut self, event: &Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Refusal> {
        let timer = Event {
            number: SOFTWARE,
            ..event.clone()
        };
        self.0.open(&timer, process, bytes)
    }
}

#[test]
fn a_timer_of_the_kernel_samples_the_loop_of_a_program() {
    if cannot() {
        return;
    }
    let mut host = Timer(perf::here().expect("x86-64 Linux"));
    let wanted = Wanted {
        op: Some(200_000),
        ..Wanted::default()
    };
    let image = looping();
    let sampled = match perf::sample(&image, "loop", "processor", &wanted, &Options::default(), &mut host) {
        Ok(sampled) => sampled,
        Err(why @ Unsampled::Refused { .. }) => {
            println!("SKIPPED: this kernel denies its own timer: {why}");
            return;
        }
        Err(why) => panic!("{why}"),
    };
    let sampler = sampled.samplers[0];
    let samples = &sampled.recording.samples;
    assert_eq!((sampler.unit, sampler.kept), (Unit::Processor, samples.len() as u64));
    assert!(samples.len() > 50, "{sampler:?}");
    let last = samples.last().expect("a sample").clock;
    assert!((1..5_000_000_000).contains(&last), "{last} ns");
    for (sample, number) in samples.iter().zip(1..) {
        assert_eq!((sample.number, sample.run), (number, 1));
        let registers: Vec<(u32, u64)> = sample.images.iter().collect();
        let [(IBS_OP_RIP, address)] = registers[..] else {
            panic!("{registers:?}")
        };
        let start = u64::from(image.entry);
        assert!((start..start + 9).contains(&address), "{address:X}");
    }
    // Nearly all time is spent in the two instructions of the loop.
    let in_loop = samples
        .iter()
        .filter(|sample| sample.images.get(IBS_OP_RIP) >= Some(u64::from(image.entry) + 5));
    assert!(in_loop.count() * 10 >= samples.len() * 9);
}
