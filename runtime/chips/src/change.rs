//! Changes of a chip, by an answer to an open question or by a supposition.
//!
//! Modelled: other rules, another geometry, another divider, other flags after a fault, timing rows that override those
//! of the chip. Not modelled: other changes to the meaning of instructions.

use super::{MODELS, Model, Prediction, Row};
use iced_x86::Mnemonic::{
    self, Call, Cmpsb, Cmpsd, Cmpsw, Fdiv, Fdivp, Fdivr, Fdivrp, Fidiv, Fidivr, Jmp, Rdmsr, Rdpmc, Scasb, Scasd, Scasw,
    Wrmsr,
};
use p5_words::flags::FaultedComparison;
use p5_words::fpu::Divider;
use p5_words::isa::PAGE;

/// The largest boundary: only accesses in the middle of the address space cross it.
const FARTHEST: u32 = 1 << 31;

/// Whether the next page may be read ahead while an instruction of `length` bytes at `address` executes: its last byte
/// is in the last two of the longest code lines in the page.
pub(super) fn is_near_page_end(address: u32, length: u32) -> bool {
    const LINES: u32 = 2 * 32;
    address.wrapping_add(length.saturating_sub(1)) % PAGE >= PAGE - LINES
}

/// Whether a chip has the timing table of the first chip, whose figures are in question: both have the same base. A
/// chip with a table of its own has its own sources.
fn is_of_the_table_in_question(model: &'static Model) -> bool {
    let table = |mut model: &'static Model| {
        while let Some(base) = model.base {
            model = base;
        }
        model
    };
    std::ptr::eq(table(model), table(MODELS[0]))
}

#[derive(Debug)]
pub(super) enum Change {
    PrefixesDecodedAhead(bool),
    BtbUpdateGroups(u64),
    RepeatedZeroTimes(u32),
    /// No form writes registers early unless this was measured.
    OnlyMeasuredEarly,
    /// Direct jumps and calls are resolved one stage before EX.
    DirectBeforeEx,
    MostOperations(u32),
    ReadsIntoNextPage(bool),
    Divider(Divider),
    FaultedComparison(FaultedComparison),
    Miscounts(bool),
    /// These rows override those of the chip.
    Rows(&'static [Row]),
    AddressInterlock(u32),
    BankConflict(u32),
    /// All branches are predicted, on a chip that has prediction.
    PerfectPrediction,
    /// No access crosses a boundary that costs clocks.
    Aligned,
    /// Every fetched line counts as decoded before.
    LengthsKnown,
    Pipes(u32),
}

/// The properties of an instruction that decide whether a change of the chip can concern it.
#[derive(Clone, Copy)]
pub struct Executed<'a> {
    /// The mnemonic of the instruction.
    pub mnemonic: Mnemonic,
    /// Whether it has a prefix that takes a decoder clocks.
    pub prefixed: bool,
    /// Whether it never pairs, as microcode does.
    pub microcode: bool,
    /// Whether it is a near branch.
    pub branch: bool,
    /// Whether it is a repeated string instruction.
    pub repeated: bool,
    /// Whether the conditions of a row for its mnemonic hold.
    pub fits: &'a dyn Fn(&Row) -> bool,
}

impl Executed<'_> {
    /// The first of `rows` that applies to the instruction.
    pub(super) fn row_of<'r>(&self, rows: &'r [Row]) -> Option<&'r Row> {
        let mut rows = rows.iter().filter(|row| row.mnemonics.contains(&self.mnemonic));
        rows.find(|row| (self.fits)(row))
    }
}

impl Change {
    /// Whether the change can concern an instruction of a chip, wherever it is located. If it concerns no instruction
    /// that a program executes, nor the place of one, the program's clocks and results are the same with it and without
    /// it.
    pub(super) fn concerns(&self, executed: &Executed, model: &'static Model) -> bool {
        let rules = &model.rules;
        match self {
            // With a queue before D1, anything that holds D2 delays the queue too; after prefetched bytes nothing is
            // ahead.
            Change::PrefixesDecodedAhead(_) if rules.queued_instructions > 0 => true,
            Change::PrefixesDecodedAhead(_) if rules.prefetched_bytes > 0 => false,
            // After microcode that holds D2, code is needed later, and its miss may coincide with other accesses.
            Change::PrefixesDecodedAhead(_) => executed.prefixed || executed.microcode,
            Change::BtbUpdateGroups(_) => executed.branch && rules.prediction == Prediction::Counter,
            Change::RepeatedZeroTimes(_) => executed.repeated && is_of_the_table_in_question(model),
            Change::Divider(_) => matches!(executed.mnemonic, Fdiv | Fdivp | Fdivr | Fdivrp | Fidiv | Fidivr),
            Change::OnlyMeasuredEarly => {
                let mut rows = model
                    .all_rows()
                    .filter(|row| row.mnemonics.contains(&executed.mnemonic));
                rows.any(|row| row.early.is_some_and(|early| !early.measured) && (executed.fits)(row))
            }
            Change::DirectBeforeEx => {
                matches!(executed.mnemonic, Jmp | Call) && executed.branch && rules.prediction != Prediction::None
            }
            // `concerns_page_ends` decides this one.
            Change::ReadsIntoNextPage(_) => false,
            Change::FaultedComparison(_) => {
                executed.repeated && matches!(executed.mnemonic, Cmpsb | Cmpsw | Cmpsd | Scasb | Scasw | Scasd)
            }
            Change::MostOperations(number) => {
                let mut rows = model
                    .all_rows()
                    .filter(|row| row.mnemonics.contains(&executed.mnemonic));
                rows.any(|row| row.fpu.is_some_and(|fpu| fpu.operations > *number) && (executed.fits)(row))
            }
            // WRMSR selects the events that are counted, and the others read the counts.
            Change::Miscounts(_) => matches!(executed.mnemonic, Rdmsr | Rdpmc | Wrmsr),
            Change::Rows(rows) => is_of_the_table_in_question(model) && executed.row_of(rows).is_some(),
            // Any instruction may depend on the remaining changes.
            _ => true,
        }
    }

    /// Whether the change can concern an instruction because it is near the end of a page.
    pub(super) fn concerns_page_ends(&self) -> bool {
        matches!(self, Change::ReadsIntoNextPage(_))
    }

    /// Applies the change to `model`, whose own rows override those of its base.
    pub(super) fn apply(&self, model: &mut Model) {
        let rules = &mut model.rules;
        match self {
            Change::PrefixesDecodedAhead(ahead) => rules.prefixes_decoded_ahead = *ahead,
            Change::BtbUpdateGroups(groups) => rules.btb_update_groups = *groups,
            Change::RepeatedZeroTimes(_) | Change::Rows(_) if !model.base.is_some_and(is_of_the_table_in_question) => {}
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
            // One pipe makes no two accesses in a clock.
            Change::BankConflict(_) if rules.pipes == 1 => {}
            Change::BankConflict(clocks) => rules.bank_conflict = *clocks,
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
