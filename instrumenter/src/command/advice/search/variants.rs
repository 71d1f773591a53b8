//! The variants of a block that save clocks by the model alone: its other orders, and those of each substitution.

use super::super::blocks::{self, Slot};
use super::super::rewrite::{reordered, substituted};
use super::super::substitutions::{Constants, Strings, Substitution, substitutions};
use super::super::text::Lines;
use super::Search;
use crate::command::substitution_rules::Rule;
use iced_x86::FlowControl;
use runtime::advice::{ControlFlow, Dependences, Doubt, Found, Live, Steady, best_orders, dead_after, target};
use runtime::image::Image;
use std::ops::Range;

/// The maximum number of orders of a block that are tried on the model alone, without and with a substitution.
pub(super) const MOST_ORDERS: u64 = 4_000;
const MOST_WITH_SUBSTITUTION: u64 = 500;
/// The maximum number of orders of each variant that are run.
const ORDERS_RUN: usize = 8;
/// The maximum number of substitution variants of a block considered for one improvement.
const MOST_VARIANTS: usize = 48;

/// The maximum number of doubtful substitutions of a block that are run.
const MOST_DOUBTED: usize = 2;

/// A text of a block that may save clocks.
pub(super) struct Variant {
    pub(super) block: Vec<String>,
    /// The clocks by the model alone.
    pub(super) clocks: u64,
    pub(super) substitution: Option<(String, String)>,
}

/// A block with the cost of one of its orders.
pub(super) struct Ordered {
    slots: Vec<Slot>,
    pub(super) found: Found,
}

/// Whether the flags at the end of the program count as read. If not, the run shows whether they change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    Unread,
    Read,
}

impl Flags {
    pub(super) fn control_flow(self, image: &Image) -> ControlFlow {
        let mut flow = ControlFlow::of(image);
        flow.flags_at_end = self == Flags::Read;
        flow
    }
}

impl Search<'_> {
    /// The variants of a block that save clocks by the model alone: its orders, and those of each substitution.
    pub(super) fn variants(&self, range: &Range<usize>) -> Option<Vec<Variant>> {
        let image = &self.current.image;
        let live = live_flags(image, &blocks::slots(image, &self.lines, range)?, Flags::Unread);
        let least = self.ordered(image, &self.lines, range, live, 1)?.found.original;
        let mut variants = Vec::new();
        self.add(image, &self.lines, range, least, None, &mut variants);
        let slots = blocks::slots(image, &self.lines, range)?;
        for one in self
            .substitutions(&slots, &self.control_flow())
            .into_iter()
            .take(MOST_VARIANTS)
        {
            if !self.has_time() {
                break;
            }
            let (lines, changed) = substituted(&self.lines, range, &slots, &one);
            let Some(image) = self.harness.image(&lines) else {
                continue;
            };
            let text = |slot: &Slot| slot.text(&self.lines).to_owned();
            let before: Vec<String> = slots[one.slots.clone()].iter().map(text).collect();
            let names = (before.join(" / "), one.texts.join(" / "));
            self.add(&image, &lines, &changed, least, Some(&names), &mut variants);
        }
        Some(variants)
    }

    /// The control flow of the program as it is now, at whose end nothing reads the flags, or the registers that may be
    /// taken.
    pub(super) fn control_flow(&self) -> ControlFlow {
        let mut flow = Flags::Unread.control_flow(&self.current.image);
        if self.takes {
            flow.unread_at_end = self.original.unnamed;
        }
        flow
    }

    /// How many other orders of a block are tried, and whether these are all that keep its meaning.
    pub(super) fn orders_tried(&self, range: &Range<usize>, slots: &[Slot]) -> (u64, bool) {
        let image = &self.current.image;
        let live = live_flags(image, slots, Flags::Unread);
        let ordered = self.ordered(image, &self.lines, range, live, MOST_ORDERS);
        ordered.map_or((0, false), |ordered| {
            (ordered.found.tried.saturating_sub(1), ordered.found.all)
        })
    }

    /// How many replacements of a block are tried, and how many its rules offer.
    pub(super) fn replacements(&self, slots: &[Slot]) -> [u64; 2] {
        let offered = self.substitutions(slots, &self.control_flow()).len();
        [offered.min(MOST_VARIANTS) as u64, offered as u64]
    }

    /// The substitutions of a block that may save clocks if all accesses hit.
    fn substitutions(&self, slots: &[Slot], flow: &ControlFlow) -> Vec<Substitution> {
        let mut found = self.all_substitutions(slots, flow);
        found.retain(|one| one.rule != Rule::ReadFirst);
        found
    }

    pub(super) fn all_substitutions(&self, slots: &[Slot], flow: &ControlFlow) -> Vec<Substitution> {
        let image = &self.current.image;
        let dead = |at: usize, wanted: Live| dead_behind(image, flow, &slots[at], wanted);
        substitutions(slots, &self.lines, &dead, Strings::of(image), &Constants::of(image))
    }

    /// The substitutions that save clocks by the model alone, but change flags or registers that other code may read,
    /// with the first reason for that doubt; the best ones first.
    pub(super) fn doubted(&self, range: &Range<usize>) -> Option<Vec<(Variant, Doubt)>> {
        let image = &self.current.image;
        let slots = blocks::slots(image, &self.lines, range)?;
        let live = live_flags(image, &slots, Flags::Unread);
        let least = self.ordered(image, &self.lines, range, live, 1)?.found.original;
        let flow = self.control_flow();
        let sure = self.substitutions(&slots, &flow);
        let flow = flow.without_doubts();
        let mut found = self.substitutions(&slots, &flow);
        found.retain(|one| !sure.contains(one));
        let mut doubted = Vec::new();
        for one in found.into_iter().take(MOST_VARIANTS) {
            if !self.has_time() {
                break;
            }
            flow.doubted();
            let last = &slots[one.slots.end - 1];
            dead_behind(image, &flow, last, Live::ALL);
            let (lines, changed) = substituted(&self.lines, range, &slots, &one);
            let (Some(doubt), Some(image)) = (flow.doubted(), self.harness.image(&lines)) else {
                continue;
            };
            let Some(Ordered { found, .. }) = self.ordered(&image, &lines, &changed, Live::ALL.flags, 1) else {
                continue;
            };
            if found.original >= least {
                continue;
            }
            let text = |slot: &Slot| slot.text(&self.lines).to_owned();
            let before: Vec<String> = slots[one.slots.clone()].iter().map(text).collect();
            let variant = Variant {
                block: lines.all[changed].to_vec(),
                clocks: found.original,
                substitution: Some((before.join(" / "), one.texts.join(" / "))),
            };
            doubted.push((variant, doubt));
        }
        doubted.sort_by_key(|(variant, _)| variant.clocks);
        doubted.truncate(MOST_DOUBTED);
        Some(doubted)
    }

    /// Adds the orders of a block that take fewer clocks than `least`.
    fn add(
        &self,
        image: &Image,
        lines: &Lines,
        range: &Range<usize>,
        least: u64,
        substitution: Option<&(String, String)>,
        variants: &mut Vec<Variant>,
    ) {
        let Some(slots) = blocks::slots(image, lines, range) else {
            return;
        };
        let limit = if substitution.is_some() {
            MOST_WITH_SUBSTITUTION
        } else {
            MOST_ORDERS
        };
        let mut live = [Flags::Unread, Flags::Read]
            .map(|flags| live_flags(image, &slots, flags))
            .to_vec();
        live.dedup();
        for live in live {
            let Some(Ordered { slots, found }) = self.ordered(image, lines, range, live, limit) else {
                return;
            };
            let as_it_is = substitution.map(|_| (found.original, (0..slots.len()).collect()));
            for (clocks, order) in as_it_is.into_iter().chain(found.orders) {
                if clocks >= least {
                    continue;
                }
                let block = reordered(lines, range, &slots, &order);
                if !variants.iter().any(|other| other.block == block) {
                    variants.push(Variant {
                        block,
                        clocks,
                        substitution: substitution.cloned(),
                    });
                }
            }
        }
    }

    /// The best orders of a block by the model alone. At most `limit` are tried, and `flags` decides which flags are
    /// read after it.
    pub(super) fn ordered(
        &self,
        image: &Image,
        lines: &Lines,
        range: &Range<usize>,
        live: u32,
        limit: u64,
    ) -> Option<Ordered> {
        let slots = blocks::slots(image, lines, range)?;
        let instructions: Vec<_> = slots.iter().map(|slot| slot.instruction).collect();
        let dependences = Dependences::of(&instructions, live);
        let code: Vec<_> = slots
            .iter()
            .map(|slot| (slot.instruction, slot.bytes.as_slice()))
            .collect();
        let memory = self.harness.arguments.memory;
        let bits = image.code_bits_at(slots.first()?.instruction.ip32());
        let mut steady = Steady::new(self.harness.model(), memory, &code, &dependences, (bits, self.banks))?;
        let found = best_orders(&dependences, limit, ORDERS_RUN, &mut |order| {
            self.has_time().then(|| steady.clocks(order))
        })?;
        Some(Ordered { slots, found })
    }
}

/// The flags that are read after a block.
pub(super) fn live_flags(image: &Image, slots: &[Slot], flags: Flags) -> u32 {
    let all = Live {
        flags: Live::ALL.flags,
        ..Live::default()
    };
    let dead = slots
        .last()
        .map(|last| dead_behind(image, &flags.control_flow(image), last, all));
    all.flags & !dead.unwrap_or_default().flags
}

/// The part of `wanted` that is dead after an instruction on every path.
fn dead_behind(image: &Image, flow: &ControlFlow, slot: &Slot, wanted: Live) -> Live {
    let dead = |address, wanted| dead_after(image, flow, address, wanted);
    let next = slot.instruction.next_ip32();
    match (slot.instruction.flow_control(), target(&slot.instruction)) {
        (FlowControl::Next, _) => dead(next, wanted),
        (FlowControl::ConditionalBranch, Some(target)) => dead(target, dead(next, wanted)),
        (FlowControl::UnconditionalBranch, Some(target)) => dead(target, wanted),
        _ => Live::default(),
    }
}
