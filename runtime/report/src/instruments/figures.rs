//! Figures derived from counts: shares, rates, and the ratios of two programs.

use asm_macros::events::Event;
use p5_machine::instruments::{Line, Stat};

/// The quantities that relate counts to bytes and seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    /// The number of bytes that one execution processes.
    pub bytes: Option<u64>,
    /// The clock rate in MHz.
    pub megahertz: Option<f64>,
}

pub(super) struct Figures {
    /// The clocks of the first execution, which is cold; `None` if it was not completed.
    pub(super) cold: Option<u64>,
    /// The minimum and maximum clocks of the executions that count; `None` if none was completed.
    pub(super) warm: Option<[u64; 2]>,
    /// The clocks of the last execution that counts.
    pub(super) clocks: Option<u64>,
    pub(super) instructions: Option<u64>,
    pub(super) in_v: Option<u64>,
    /// The share of the instructions that executed in V, from 0 to 1.
    pub(super) v_share: Option<f64>,
    pub(super) clocks_per_byte: Option<f64>,
    pub(super) seconds: Option<f64>,
    pub(super) megabytes_per_second: Option<f64>,
}

impl Figures {
    pub(super) fn of(stat: &Stat, scale: Scale) -> Figures {
        let (cold, warm) = stat
            .clocks
            .split_first()
            .map_or((None, &[][..]), |(cold, warm)| (Some(*cold), warm));
        let clocks = warm.last().copied();
        let [instructions, in_v] =
            [Event::INSTRUCTIONS_EXECUTED, Event::INSTRUCTIONS_EXECUTED_V_PIPE].map(|event| counted(stat, event));
        let seconds = clocks
            .zip(scale.megahertz)
            .map(|(clocks, megahertz)| clocks as f64 / (megahertz * 1e6));
        Figures {
            cold,
            warm: warm
                .iter()
                .min()
                .copied()
                .zip(warm.iter().max().copied())
                .map(<[u64; 2]>::from),
            clocks,
            instructions,
            in_v,
            v_share: in_v
                .zip(instructions)
                .and_then(|(part, whole)| ratio(part as f64, whole as f64)),
            clocks_per_byte: clocks
                .zip(scale.bytes)
                .and_then(|(clocks, bytes)| ratio(clocks as f64, bytes as f64)),
            seconds,
            megabytes_per_second: scale
                .bytes
                .zip(seconds)
                .and_then(|(bytes, seconds)| ratio(bytes as f64 / 1e6, seconds)),
        }
    }
}

fn counted(stat: &Stat, event: Event) -> Option<u64> {
    let line = stat.lines.iter().find(|line| line.selection.event == event)?;
    line.count.ok()
}

/// The quotient of `part` and `whole`; `None` if `whole` is 0.
pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole != 0.0).then(|| part / whole)
}

/// Pairs the lines of two programs by event: first those of the first program, then those that only the second has.
pub(super) fn side_by_side<'a>(first: &'a Stat, second: &'a Stat) -> Vec<[Option<&'a Line>; 2]> {
    let of = |stat: &'a Stat, line: &Line| {
        let mut lines = stat.lines.iter();
        lines.find(|other| other.selection == line.selection)
    };
    let both = first.lines.iter().map(|line| [Some(line), of(second, line)]);
    let only = second.lines.iter().filter(|line| of(first, line).is_none());
    both.chain(only.map(|line| [None, Some(line)])).collect()
}

/// The count of the second of two lines as a multiple of that of the first.
pub(super) fn multiple([first, second]: [Option<&Line>; 2]) -> Option<f64> {
    let count = |line: Option<&Line>| line.and_then(|line| line.count.ok());
    count(first)
        .zip(count(second))
        .and_then(|(first, second)| ratio(second as f64, first as f64))
}
