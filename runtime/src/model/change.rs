//! Changes of a chip: what the answer to an open question alters in it, and what a supposition does.
//!
//! Modelled: other rules, another geometry, another divider, other flags after a fault, timing rows that come before
//! those of the chip. Not modelled: other changes of what instructions do.

use super::{Model, Prediction, Row};
use crate::flags::FaultedComparison;
use crate::fpu::Divider;

/// The boundary that no access crosses, but for those in the middle of the address space.
const FARTHEST: u32 = 1 << 31;

/// A change of a chip.
#[derive(Debug)]
pub(super) enum Change {
    PrefixesDecodedAhead(bool),
    BtbUpdateGroups(u64),
    RepeatedZeroTimes(u32),
    /// No form writes registers early of which that was not measured.
    OnlyMeasuredEarly,
    /// Direct jumps and calls are resolved a stage before EX.
    DirectBeforeEx,
    MostOperations(u32),
    ReadsIntoNextPage(bool),
    Divider(Divider),
    FaultedComparison(FaultedComparison),
    Miscounts(bool),
    /// They come before those of the chip.
    Rows(&'static [Row]),
    AddressInterlock(u32),
    /// On a chip that predicts.
    PerfectPrediction,
    /// No access crosses a boundary that costs clocks.
    Aligned,
    /// Every line that is fetched has been decoded before.
    LengthsKnown,
    Pipes(u32),
}

impl Change {
    /// Changes `model`, whose own rows come before those of its base.
    pub(super) fn apply(&self, model: &mut Model) {
        let rules = &mut model.rules;
        match self {
            Change::PrefixesDecodedAhead(ahead) => rules.prefixes_decoded_ahead = *ahead,
            Change::BtbUpdateGroups(groups) => rules.btb_update_groups = *groups,
            Change::RepeatedZeroTimes(clocks) => rules.repeated_zero_times = *clocks,
            Change::OnlyMeasuredEarly => {
                let rows = model.base.into_iter().flat_map(Model::all_rows);
                let concluded = rows.filter(|row| row.early.is_some_and(|early| !early.measured));
                let late = concluded.map(|row| Row { early: None, ..*row });
                model.rows = Vec::leak(model.rows.iter().copied().chain(late).collect());
            }
            Change::DirectBeforeEx => rules.mispredicted_direct = rules.mispredicted_in_ex.saturating_sub(1),
            Change::ReadsIntoNextPage(reads) => rules.reads_into_next_page = *reads,
            Change::MostOperations(number) => rules.most_operations = *number,
            Change::Divider(other) => model.divider = *other,
            Change::FaultedComparison(other) => model.faulted_comparison = *other,
            Change::Miscounts(miscounts) => rules.miscounts = *miscounts,
            Change::Rows(changed) => model.rows = Vec::leak([model.rows, changed].concat()),
            Change::AddressInterlock(clocks) => rules.address_interlock = *clocks,
            Change::PerfectPrediction => {
                if rules.prediction != Prediction::None {
                    rules.prediction = Prediction::Perfect;
                }
            }
            Change::Aligned => {
                rules.misaligned = 0;
                model.geometry.alignment = FARTHEST;
                model.geometry.wide_alignment = FARTHEST;
            }
            Change::LengthsKnown => rules.pairs_after_first_execution = false,
            Change::Pipes(pipes) => rules.pipes = *pipes,
        }
    }
}
