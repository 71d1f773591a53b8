//! The option that selects samples in OProfile's notation: `--event IBS_OP_ALL:50000:1`.

use super::sampling::{LONGEST, LONGEST_FETCH, SampleMode, distance};
use clap::Args;
use p5_assembler::spelling::nearest;
use runtime::model::ibs::{IBS_BR_TARGET, IBS_DC_LIN_AD, IBS_DC_PHYS_AD};
use runtime::record::SampleKind;
use runtime::record::derived::{DERIVED, Derived};
use runtime::report::escaped;
use runtime::samples::{Figure, MOST_COLUMNS};
use std::collections::BTreeSet;

/// Bits of the mask of an op event. This one: dispatched ops are counted instead of clocks.
const DISPATCH: u8 = 1;
/// The linear and physical addresses of data are logged.
const MEMORY_LOG: u8 = 2;
/// The targets of branches are logged.
const TARGET_LOG: u8 = 4;

/// Derived events that are sampled.
#[derive(Args, Debug)]
pub(crate) struct EventArguments {
    /// Sample what this derived event is of, as OProfile does it; repeat it for more events
    ///
    /// An event of fetches stands for `--fetch COUNT`, one of ops for `--op COUNT`, with --mode dispatch if MASK is odd
    /// or not given, else --mode cycles. A MASK with 2 in it keeps addresses of data, one with 4 targets of branches,
    /// whatever --keep says. All events of ops need the same count and mask, and all of fetches the same count. The
    /// file has whole samples, so that other events may be asked for later.
    #[arg(long = "event", value_name = "NAME:COUNT[:MASK]", conflicts_with_all = ["op", "fetch", "mode"],
          value_parser = SampledEvent::parse)]
    events: Vec<SampledEvent>,
}

/// A derived event, and how its fetches or ops are found.
#[derive(Clone, Debug)]
pub(crate) struct SampledEvent {
    /// As it was given.
    text: String,
    event: &'static Derived,
    /// The mean distance between two samples.
    count: u64,
    mask: u8,
}

impl SampledEvent {
    fn parse(text: &str) -> Result<SampledEvent, String> {
        let mut parts = text.trim().split(':');
        let name = parts.next().unwrap_or_default().trim();
        let event = event(name)?;
        let usual = match event.kind {
            SampleKind::Op => "1000:1",
            SampleKind::Fetch => "1000",
        };
        let Some(count) = parts.next() else {
            return Err(format!("the count is missing, as in {}:{usual}", escaped(name)));
        };
        let (longest, masks) = match event.kind {
            SampleKind::Op => (LONGEST, DISPATCH | MEMORY_LOG | TARGET_LOG),
            SampleKind::Fetch => (LONGEST_FETCH, 0),
        };
        let count = distance(count, longest).map_err(|_| format!("the count is a whole number from 1 to {longest}"))?;
        let mask = match parts.next() {
            None if event.kind == SampleKind::Op => DISPATCH,
            None => 0,
            Some(mask) => number(mask).filter(|mask| mask & !masks == 0).ok_or(match event.kind {
                SampleKind::Op => {
                    "the mask of an event of ops is 0 to 7: 1 counts ops instead of clocks, 2 keeps addresses of data, \
                     4 targets of branches"
                }
                SampleKind::Fetch => "the mask of an event of fetches is 0",
            })?,
        };
        let levels: Vec<&str> = parts.map(str::trim).collect();
        if !matches!(levels.as_slice(), [] | ["1"] | ["1", "1"]) {
            return Err(
                "after the mask can only be :1:1, kernel and user: a sampler takes what runs at every privilege level"
                    .to_owned(),
            );
        }
        Ok(SampledEvent {
            text: text.trim().to_owned(),
            event,
            count,
            mask,
        })
    }
}

fn event(name: &str) -> Result<&'static Derived, String> {
    match Figure::by_name(name) {
        Some(Figure::Derived(event)) => Ok(event),
        Some(Figure::Field(field, _)) => Err(format!(
            "{} is a field of a sample, not an event; `p5inst query FILE hist {0}` shows it",
            field.name
        )),
        None => {
            let help = match nearest(&plain(name), DERIVED.iter().map(|event| event.name)) {
                Some(near) => format!("did you mean IBS_{}?", near.to_ascii_uppercase()),
                None => "`p5inst query FILE names` lists all".to_owned(),
            };
            Err(format!("there is no derived event `{}`; {help}", escaped(name)))
        }
    }
}

fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    lower.strip_prefix("ibs_").unwrap_or(&lower).to_owned()
}

/// A number, decimal or hexadecimal after `0x`.
fn number(text: &str) -> Option<u8> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// One sampler as the events of its kind want it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler<'a> {
    /// The event that was given first, as it was given.
    pub(crate) text: &'a str,
    /// The mean distance between two samples.
    pub(crate) mean: u64,
    /// What is counted.
    pub(crate) mode: SampleMode,
}

impl EventArguments {
    /// Whether no event was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// What the sampler of this kind is to do, if it has events.
    ///
    /// # Errors
    /// One line, if two events want different things of it.
    pub(crate) fn sampler(&self, kind: SampleKind) -> Result<Option<Sampler<'_>>, String> {
        let mut of_kind = self.events.iter().filter(|event| event.event.kind == kind);
        let Some(first) = of_kind.next() else {
            return Ok(None);
        };
        let differs = |event: &&SampledEvent| (event.count, event.mask) != (first.count, first.mask);
        if let Some(other) = of_kind.find(differs) {
            let what = match other.count == first.count {
                true => "mask",
                false => "count",
            };
            return Err(format!(
                "--event {} and {} differ in the {what}: one sampler takes all {}, so it has to be the same",
                escaped(&first.text),
                escaped(&other.text),
                kind.plural(),
            ));
        }
        Ok(Some(Sampler {
            text: &first.text,
            mean: first.count,
            mode: match first.mask & DISPATCH {
                0 => SampleMode::Cycles,
                _ => SampleMode::Dispatch,
            },
        }))
    }

    /// The registers that the events and their logs need.
    pub(crate) fn registers(&self) -> BTreeSet<u32> {
        let mut registers: BTreeSet<u32> = self.events.iter().flat_map(|event| event.event.registers()).collect();
        for event in &self.events {
            if event.mask & MEMORY_LOG != 0 {
                registers.extend([IBS_DC_LIN_AD, IBS_DC_PHYS_AD]);
            }
            if event.mask & TARGET_LOG != 0 {
                registers.insert(IBS_BR_TARGET);
            }
        }
        registers
    }

    /// The question that shows the events by line.
    pub(crate) fn question(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for event in &self.events {
            if !names.contains(&event.event.name) {
                names.push(event.event.name);
            }
        }
        names.truncate(MOST_COLUMNS);
        (!names.is_empty()).then(|| format!("top --pm {} --by line", names.join(",")))
    }
}
