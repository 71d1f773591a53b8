//! Source lines, instructions and traces in the JSON report of a run.

use super::Ordered;
use super::sure::Bar;
use crate::document::document;
use crate::functions::Part;
use crate::lines::{self, Row, Sum, file_name};
use crate::{sure, wording};
use p5_results::{InstructionResult, Refusal, Run};

document! {
    /// One executed source line.
    pub(crate) struct Line<'a> {
        /// The file's name, or `<memory>`.
        file: &'a str = row.file,
        /// The line, from 1; 0 in `<memory>`.
        line: u32 = row.line,
        /// The function of code without a source line, with the distance from its beginning, or the address; absent
        /// with a source line.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<String> = row.name.clone(),
        /// The source line as it is in the file.
        text: &'a str = row.text,
        /// The number of its instructions without a row in `instructions`; the figures include them.
        unlisted: u64 = row.sum.unlisted,
        /// Executions of the line's instructions: `u` + `v`.
        executions: u64 = row.sum.executions,
        /// How often the line was executed: executions of the most executed of its instructions, added up over the
        /// copies that macros, repeats and inlining make of it; null if some of several instructions are only summed.
        times: Option<u64> = row.sum.times,
        /// How often it was executed at most, if the compiler may have copied it, as where it unrolls a loop; absent if
        /// not.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        most_times: Option<u64> = row.sum.most_times,
        /// Clocks charged to them.
        cycles: u64 = row.sum.cycles,
        /// Executions in the U pipe.
        u: u64 = row.sum.u,
        /// Executions in the V pipe.
        v: u64 = row.sum.v,
        /// The clocks by cause; they add up to `cycles`.
        reasons: Ordered<u64> = Ordered(row.sum.causes()),
        /// How many executions mispredicted, or met the entry of a branch; absent if none did, and if that was not
        /// counted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        mispredictions: Option<u64> = row.sum.mispredicted().map(|(wrong, _)| wrong),
        /// Executions that issued alone in the U pipe, by reason.
        not_paired: Ordered<u64> = Ordered(row.sum.refusals()),
        /// Clock of its first issue in the pass shown of the innermost region that contains it, or in the diagram
        /// of a program without regions, if that begins with the program; null elsewhere.
        clock: Option<u64> = row.first_clock(),
        /// Index into `regions` of that region.
        region: Option<usize> = row.clock.map(|clock| clock.region),
        /// Whether it belongs to the bundled library.
        library: bool = row.library,
        /// Whether the program had changed bytes of its instructions before it executed them, so that `text` is not
        /// what was executed; absent if not.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        changed: bool = row.sum.changed,
        /// How sure `cycles` is; absent if all answers that were tried give it, and no doubted row of the timing table
        /// has a part in it.
        #[serde(skip_serializing_if = "Option::is_none")]
        bar: Option<Bar> = Some(sure::line(run, row))
            .filter(|bar| !bar.is_sure())
            .map(|bar| Bar::of(run, &bar)),
    }
    from (run: &Run, row: &Row<'a>)

    /// One executed function.
    pub(crate) struct Function<'a> {
        /// Its name; null for code that belongs to no function.
        name: Option<&'a str> = part.name,
        /// The function into which the compiler inlined it; absent for a function that is called. The figures of a
        /// function do not include those of the functions inlined into it.
        #[serde(skip_serializing_if = "Option::is_none")]
        inlined_into: Option<&'a str> = part.inlined_into,
        /// The linear address of its first byte; absent for inlined code.
        #[serde(skip_serializing_if = "Option::is_none")]
        address: Option<u32> = part.address,
        /// The file that declares it or, if that is not known, that of its first executed instruction; absent for code
        /// without source lines.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str> = part.place.and_then(|(file, _)| file_name(run, file)),
        /// The line there, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32> = part.place.map(|(_, line)| line),
        /// How often its first instruction was executed: its calls, unless something jumps there; null for inlined
        /// code, and if that instruction is one of too many to tell.
        times: Option<u64> = part.times,
        /// Executions of its instructions: `u` + `v`.
        executions: u64 = part.sum.executions,
        /// Clocks charged to them.
        cycles: u64 = part.sum.cycles,
        /// The clocks of the program while it was active: `cycles` and those of what it called, of inlined code also
        /// those of what was inlined into it; absent if the calls are not known, as of a long run or of one that was
        /// stopped.
        #[serde(skip_serializing_if = "Option::is_none")]
        cycles_with_callees: Option<u64> = part.with_callees.map(|whole| whole.clocks),
        /// How often it was called, once more for the function with which the program begins; absent with the field
        /// before, and for inlined code.
        #[serde(skip_serializing_if = "Option::is_none")]
        calls: Option<u64> = part.with_callees.filter(|_| !part.inlined).map(|whole| whole.calls),
        /// Executions in the U pipe.
        u: u64 = part.sum.u,
        /// Executions in the V pipe.
        v: u64 = part.sum.v,
        /// The clocks by cause; they add up to `cycles`.
        reasons: Ordered<u64> = Ordered(part.sum.causes()),
    }
    from (run: &'a Run, part: &Part<'a>)

    /// One executed instruction.
    pub(crate) struct Instruction<'a> {
        /// Its linear address.
        address: u32 = instruction.address,
        /// Its length in bytes.
        length: u8 = instruction.length,
        /// The instruction in MASM syntax; `(unmapped)` where there is no memory, and an exception was handled,
        /// `(partly-unmapped)` where it begins in memory and ends outside.
        text: &'a str = &instruction.text,
        /// The file of its source text; inside a macro, the file of the macro's body.
        file: Option<&'a str> = instruction.place.and_then(|(file, _)| file_name(run, file)),
        /// The line there.
        line: Option<u32> = instruction.place.map(|(_, line)| line),
        /// The macro calls and repeats that generated it, innermost first.
        trail: Vec<String> = instruction.trail.iter().map(|step| wording::trail_step(run, step)).collect(),
        /// Its function with the distance from its beginning, such as `memcpy+1Ah`; absent if it belongs to none.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<String> = instruction.function.map(|_| lines::instruction_name(run, instruction)),
        /// The number of executions.
        executions: u64 = instruction.executions,
        /// Clocks charged to it.
        cycles: u64 = instruction.cycles,
        /// Executions in the U pipe.
        u: u64 = instruction.u,
        /// Executions in the V pipe.
        v: u64 = instruction.v,
        /// The clocks by cause; they add up to `cycles`.
        reasons: Ordered<u64> = Ordered(sum.causes()),
        /// How many executions mispredicted, or met the entry of a branch; absent if none did, and if that was not
        /// counted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        mispredictions: Option<u64> = instruction.mispredicted.filter(|&wrong| wrong > 0),
        /// Executions that issued alone in the U pipe, by reason.
        not_paired: Ordered<u64> = Ordered(sum.refusals()),
        /// Index into `instructions` of the instruction it paired with most often.
        partner: Option<usize> = partner,
        /// Whether its clocks of `agi` are the wait of the next instruction, beside it in V: its own address, if it has
        /// one, does not wait. Absent if not.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        agi_of_next: bool = agi_of_next,
        /// Whether it belongs to the bundled library.
        library: bool = instruction.library,
        /// Whether the program had changed its bytes before some of its executions: `text` is the first instruction
        /// that was executed there. Absent if not.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        changed: bool = instruction.changed,
        /// Why its clocks are doubted, if they are.
        #[serde(skip_serializing_if = "Option::is_none")]
        doubt: Option<&'a str> = instruction.doubt.map(|doubt| doubt.why),
    }
    from (run: &'a Run, instruction: &'a InstructionResult, partner: Option<usize>, agi_of_next: bool) {
        let sum = Sum::of([instruction]);
    }

    /// One instruction issued in a traced pass.
    pub(crate) struct Issued<'a> {
        /// Index into `instructions`.
        instruction: u32 = issued.instruction,
        /// What was executed, if the program changes its code and executed different instructions at this address.
        /// Absent if not.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str> = issued
            .variant
            .and_then(|variant| run.variants.get(variant as usize))
            .map(|executed| &*executed.text),
        /// Clocks from the issue of the region's first instruction.
        clock: u64 = issued.clock,
        /// `u` or `v`.
        pipe: &'static str = lines::pipe_name(issued.pipe),
        /// Clocks until the next group issued; 0 for the V pipe's half of a pair.
        cycles: u32 = issued.cycles,
        /// Clocks between the end of the previous group's execution and its issue.
        late: u32 = issued.late,
        /// Clocks that its group executed beyond those of the timing table.
        longer: u32 = issued.longer,
        /// The main reason for `late`; null if it is 0.
        waited: Option<&'static str> = issued.waited.main().map(|main| main.cause.name()),
        /// The main reason for `longer`; null if it is 0.
        slowed: Option<&'static str> = issued.slowed.main().map(|main| main.cause.name()),
        /// Why it did not pair with the next instruction; null if it did or is the V half.
        not_paired: Option<&'static str> = issued.refusal.map(Refusal::name),
        /// Whether it is the delivery of an interrupt or exception in place of the instruction.
        delivery: bool = issued.delivery,
    }
    from (run: &'a Run, issued: &p5_results::Issued)
}

/// One row for each line, by file and number; then one for each instruction without a source line.
pub(super) fn source_lines(run: &Run) -> Vec<Line<'_>> {
    lines::rows(run).iter().map(|row| Line::of(run, row)).collect()
}

pub(super) fn instructions(run: &Run) -> Vec<Instruction<'_>> {
    let each = run
        .instructions
        .iter()
        .zip(lines::partners(run))
        .zip(lines::waits_for_next(run));
    each.map(|((instruction, partner), agi)| Instruction::of(run, instruction, partner, agi))
        .collect()
}
