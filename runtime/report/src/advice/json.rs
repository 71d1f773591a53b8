//! The JSON report of advice.

use super::diff::{Change, hunk};
use super::{Advice, Alone, Elsewhere, InVain, LeftAlone, Refused, Slight, Suggestion, Unread, WhyUnread};
use crate::document::{P5INST, document};
use crate::fragment::Fragment;
use crate::json::Stop;
use crate::setting::Setting;
use crate::wording;

document! {
    /// The gains of a program by other orders and other instructions.
    #[cfg_attr(test, schemars(title = "p5inst advise"))]
    pub(crate) struct AdviceReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program and its machine.
        #[serde(flatten)]
        setting: Setting<'a> = Setting::from(&advice.subject),
        /// How the program ended before any change.
        stop: Stop<'a> = Stop::of(&subject.stop, &subject.files),
        /// What was assumed of a source that is a fragment; null for a program.
        fragment: Option<Fragment> = advice.fragment.as_deref().map(Fragment::of),
        /// Whether no instruction was executed twice in a run, as of code without a loop.
        once: bool = advice.once,
        /// The number of runs each time; the clocks are those of the last one.
        runs: u32 = advice.runs,
        /// Clocks of the user's program before any change.
        clocks_before: u64 = advice.clocks[0],
        /// The clocks of the user's program with all suggestions.
        clocks_after: u64 = advice.clocks[1],
        /// The changes, each on top of those before it.
        suggestions: Vec<SuggestionReport<'a>> = advice.suggestions.iter().map(SuggestionReport::of).collect(),
        /// The number of blocks that were examined.
        blocks_examined: u64 = advice.blocks,
        /// The number of blocks that were not, for want of time or because there were too many.
        blocks_not_examined: u64 = advice.not_examined,
        /// Executed instructions that no suggestion may touch.
        left_alone: Vec<LeftAloneReport<'a>> = (advice.left_alone.iter())
            .map(|(why, alone)| LeftAloneReport::of(*why, alone))
            .collect(),
        /// Clocks of one more run before any change, if other than those of the last run; null if the runs have
        /// settled.
        next_run_before: Option<u64> = advice.unsettled[0],
        /// The same with all suggestions.
        next_run_after: Option<u64> = advice.unsettled[1],
        /// Trials that saved clocks but changed the final state.
        refused: u64 = advice.refused.iter().map(|one| one.trials).sum(),
        /// The refused trials by block and by first difference.
        refusals: Vec<RefusedReport<'a>> = advice.refused.iter().map(RefusedReport::of).collect(),
        /// Changes that save less than one clock in 2000, which are not suggested.
        slight: Vec<SlightReport> = advice.slight.iter().map(SlightReport::of).collect(),
        /// The blocks that wait for write buffers, with the reason why no line is read there before it is written.
        unread: Vec<UnreadReport> = advice.unread.iter().map(UnreadReport::of).collect(),
        /// The examined blocks with at least a tenth of the clocks of which nothing that was tried saves any.
        in_vain: Vec<InVainReport> = advice.in_vain.iter().map(InVainReport::of).collect(),
        /// What else costs clocks again and again, which no order of instructions changes, in words.
        not_tried: Vec<String> = advice.notes.iter().map(wording::note).collect(),
        /// Whether the time limit was reached before all was tried.
        out_of_time: bool = advice.out_of_time,
        /// The registers that nothing in the program used, and that the suggestions change.
        taken: &'a [String] = &*advice.taken,
        /// Why it is about another chip than the usual one; null if it is not, or if the chip was asked for.
        later_chip: Option<String> = advice.later_chip.as_ref().map(wording::note),
        /// The file that was written; null if none was.
        written: Option<&'a str> = advice.written.as_deref(),
    }
    from (advice: &'a Advice) {
        let subject = &advice.subject;
    }

    /// A change of one block that saves too little.
    pub(crate) struct SlightReport {
        /// The first and the last line of the block, from 1, in the original text.
        lines: [u32; 2] = one.lines,
        /// Clocks of the user's program that it saves.
        saved: u64 = one.saved,
    }
    from (one: &Slight)

    /// An examined block of which nothing saves a clock.
    pub(crate) struct InVainReport {
        /// The first and the last line of the block, from 1, in the original text.
        lines: [u32; 2] = one.lines,
        /// The clocks charged to its instructions.
        clocks: u64 = one.clocks,
        /// The number of its executions.
        passes: u64 = one.passes,
        /// The other orders that were tried: on the model, and those that it favours in a run.
        orders: u64 = one.orders,
        /// Whether these are all that keep the meaning of the block.
        all_orders: bool = one.all_orders,
        /// The replacements that were tried in the same way.
        replacements: u64 = one.replacements,
        /// The replacements that the rules offer for the block.
        all_replacements: u64 = one.all_replacements,
        /// The lower bound on the clocks of one pass, over all orders and operands.
        least_clocks: u64 = one.least,
    }
    from (one: &InVain)

    /// A block that waits for write buffers.
    pub(crate) struct UnreadReport {
        /// The first and the last line of the block, from 1, in the original text.
        lines: [u32; 2] = one.lines,
        /// The clocks that it waits, with all suggestions.
        waits: u64 = one.waits,
        /// Why no line is read before it is written: `no store` (no instruction of it is a MOV, FST or FIST to memory),
        /// `nothing dead` (the read takes a register or the flags, and all may be read later), `costs` (it saves
        /// nothing) or `video` (it writes to video memory, which is never cached).
        why: &'static str = one.why.name(),
        /// The clocks that the best of the reads that were tried costs; null if none was.
        costs: Option<u64> = match one.why {
            WhyUnread::Costs(clocks) => Some(clocks),
            WhyUnread::NoStore | WhyUnread::NothingDead | WhyUnread::Video { .. } => None,
        },
        /// The lines of its writes to video memory, in the original text; absent for other reasons.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        video_writes: Vec<u32> = match &one.why {
            WhyUnread::Video { writes, .. } => writes.iter().map(|(line, _)| *line).collect(),
            _ => Vec::new(),
        },
    }
    from (one: &Unread)

    /// Trials of one block that left another state.
    pub(crate) struct RefusedReport<'a> {
        /// The first and the last line of the block, from 1, in the original text.
        lines: [u32; 2] = one.lines,
        /// The instructions that were replaced; null if they were only reordered.
        tried: Option<Replaced<'a>> = one.tried.as_ref().map(|(before, after)| Replaced::of(before, after)),
        /// The first difference.
        changed: String = one.changed.words(),
        /// Whether that depends only on where the things lie that longer or shorter code moves.
        moves: bool = one.moves,
        /// The number of trials.
        trials: u64 = one.trials,
        /// The most clocks that one of them saved.
        saved: u64 = one.saved,
    }
    from (one: &'a Refused)

    /// A line outside of a block that takes other clocks.
    pub(crate) struct ElsewhereReport<'a> {
        /// Its file; null if it is the program's own.
        file: Option<&'a str> = one.file.as_deref(),
        /// Its number, from 1, in the text with the earlier suggestions.
        line: u32 = one.line,
        /// Clocks that it saves; negative if it takes more.
        saved: i64 = one.clocks,
        /// The cause of most of these clocks.
        cause: &'static str = one.cause.name(),
    }
    from (one: &'a Elsewhere)

    /// A change of one block.
    pub(crate) struct SuggestionReport<'a> {
        /// The first line of the block, from 1, in the text with the earlier suggestions.
        first_line: u32 = one.first_line,
        /// The number of lines of the block before the change.
        lines: usize = one.block[0].len(),
        /// The instructions that are replaced.
        replaced: Vec<Replaced<'a>> = one.replaced.iter().map(|(before, after)| Replaced::of(before, after)).collect(),
        /// Whether instructions change places.
        reordered: bool = one.reordered,
        /// The number of executions of the block; null if it was not counted.
        passes: Option<u64> = one.passes,
        /// Clocks of the user's program that it saves.
        saved: u64 = one.clocks[0] - one.clocks[1],
        /// Clocks charged to the block's instructions before and after.
        block_clocks: [u64; 2] = one.block_clocks,
        /// The other lines that take other clocks, those that change most first.
        elsewhere: Vec<ElsewhereReport<'a>> = one.elsewhere.iter().map(ElsewhereReport::of).collect(),
        /// Bytes of the block's code before and after.
        bytes: [u32; 2] = one.bytes,
        /// The number of legal orders of the final instructions that were tried; null if no time was left for it.
        orders_tried: Option<u64> = one.tried,
        /// Whether all legal orders were tried.
        all_orders_tried: bool = one.all_tried,
        /// The lower bound on the clocks of one pass of the final instructions, over all orders and operands. The
        /// `bound` of a path in the report of a run is that of the instructions as they were, for operands as they
        /// were.
        least_clocks: u64 = one.least,
        /// The change as a unified difference, without the names of the files.
        diff: String = format!("{head}\n{}", lines.collect::<String>()),
    }
    from (one: &'a Suggestion) {
        let (head, changes) = hunk(one);
        let lines = changes.into_iter().map(|change| match change {
            Change::Kept(text) => format!(" {text}\n"),
            Change::Removed(text) => format!("-{text}\n"),
            Change::Added(text) => format!("+{text}\n"),
        });
    }

    /// Instructions and their replacements.
    pub(crate) struct Replaced<'a> {
        /// The instructions before the change, separated by ` / `.
        before: &'a str = before,
        /// The instructions after the change, separated by ` / `.
        after: &'a str = after,
    }
    from (before: &'a str, after: &'a str)

    /// Executed instructions that no suggestion may touch.
    pub(crate) struct LeftAloneReport<'a> {
        /// The reason.
        reason: &'static str = why.words(alone.instructions),
        /// The number of instructions.
        instructions: u64 = alone.instructions,
        /// The clocks that they take in the last run.
        clocks: u64 = alone.clocks,
        /// The macro calls, repeats and other statements of the program's own file that make them.
        made_by: Vec<MadeBy<'a>> = made_by.map(|((line, name), &clocks)| MadeBy::of(*line, name, clocks)).collect(),
    }
    from (why: LeftAlone, alone: &'a Alone) {
        let made_by = alone.made_by.iter();
    }

    /// A macro call, a repeat, or another statement that makes instructions.
    pub(crate) struct MadeBy<'a> {
        /// Its line, from 1.
        line: u32 = line,
        /// The name of the macro, or the directive; of another statement its text.
        name: &'a str = name,
        /// The clocks of its instructions in the last run.
        clocks: u64 = clocks,
    }
    from (line: u32, name: &'a str, clocks: u64)
}
