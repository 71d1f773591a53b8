//! What the columns of a listing mean.

use super::super::lines::CHANGED;
use super::{Columns, Listing};
use p5_results::InstructionResult;

impl Listing<'_> {
    /// The meaning of the columns that are shown, in one sentence. `copied` means that lines were executed more often
    /// than their numbers say.
    pub(super) fn legend(&self, columns: &Columns, copied: bool) -> String {
        let mut legend = String::new();
        if columns.share > 0 {
            legend += "share: of the program's clocks; ";
        }
        legend += "times: executions of the line in the last run, those of its most executed instruction";
        if copied {
            legend += " (+: at least, as the compiler may have copied the line; its reasons are without figures)";
        }
        if columns.clock > 0 {
            legend += "; at: issue clock in the pass shown of the region, relative to the region's start (+: the \
                       first of several executions)";
        }
        legend += "; clocks: clocks of the line in the last run";
        let listed = |instruction: &&InstructionResult| self.probe.is_some() || !instruction.library;
        if self.run.instructions.iter().filter(listed).any(|one| one.v > 0) {
            legend += " (those of a pair are listed with the instruction in the U pipe)";
        }
        if columns.with > 0 {
            legend += "; with: the line it paired with, or CALL/LINE in a macro or repeat";
        }
        let most = if columns.share > 0 {
            ", 3 causes at most, and execution only if it is most of them"
        } else {
            ""
        };
        legend += &format!("; reason: what it waited for, in clocks per execution{most}");
        if self.run.pipes > 1 {
            legend += ", then why the next instruction did not pair with it";
        }
        let mut all = self.run.instructions.iter().filter(listed);
        if all.any(|instruction| instruction.doubt.is_some() || instruction.changed) {
            legend += "; ?: the timing is doubted, see the notes";
        }
        let mut all = self.run.instructions.iter().filter(listed);
        if all.any(|instruction| instruction.changed) {
            legend += &format!("; {CHANGED}: it wrote other instructions over those of the source, and executed them");
        }
        legend
    }
}
