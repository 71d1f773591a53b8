//! The text of a block in another order or with other instructions. Labels, indentation and comments are kept.

use super::blocks::Slot;
use super::substitutions::{Substitution, split};
use super::text::Lines;
use iced_x86::FlowControl;
use std::ops::Range;

/// The lines of the block at `range` in another order. Labels and indentation stay in place; comments move with their
/// instructions.
pub(super) fn reordered(lines: &Lines, range: &Range<usize>, slots: &[Slot], order: &[usize]) -> Vec<String> {
    let mut block = lines.all[range.clone()].to_vec();
    for (slot, &from) in slots.iter().zip(order) {
        let from = &slots[from];
        let moved = &lines.plain(from.line)[from.written.start..];
        let kept = &lines.plain(slot.line)[..slot.written.start];
        block[slot.line - range.start] = format!("{kept}{moved}{}", lines.end(slot.line));
    }
    block
}

/// The lines with a substitution, and the range of the block in them. The comment of the first replaced line stays with
/// the first instruction, or with the branch if the line holds one: reordering would separate it from the others.
pub(super) fn substituted(
    lines: &Lines,
    range: &Range<usize>,
    slots: &[Slot],
    one: &Substitution,
) -> (Lines, Range<usize>) {
    let replaced = &slots[one.slots.clone()];
    if !one.from.is_empty() {
        return (permuted(lines, replaced, one), range.clone());
    }
    let first = &replaced[0];
    let indent = lines.plain(first.line);
    let (kept, comment) = (&indent[..first.written.start], &indent[first.written.end..]);
    let begins = &indentation(kept);
    let mark = lines.spelling.comment();
    let mut new = lines.clone();
    let mut texts: Vec<String> = Vec::with_capacity(one.texts.len());
    let spelled = first.text(lines);
    let commented = match first.instruction.flow_control() {
        FlowControl::Next => 0,
        _ => one.texts.len() - 1,
    };
    // An instruction that stays as it is keeps its comment.
    let stays = one.texts.iter().position(|text| text == spelled);
    for (at, text) in one.texts.iter().enumerate() {
        let text = match text == spelled {
            true => text.clone(),
            false => spaced_as(spelled, text),
        };
        let begins = if at == 0 { kept } else { begins };
        let ends = match &one.told {
            _ if stays == Some(at) => comment.to_owned(),
            Some(told) if stays.is_some() && at == commented => format!(" {mark} {told}"),
            None if stays.is_some() => String::new(),
            _ if at != commented => String::new(),
            Some(told) if comment.trim().is_empty() => format!(" {mark} {told}"),
            Some(told) => format!("{}, {told}", comment.trim_end()),
            None => comment.to_owned(),
        };
        texts.push(format!("{begins}{text}{ends}{}", lines.end(first.line)));
    }
    let removed = replaced[1..].iter().map(|slot| slot.line);
    for line in removed.rev() {
        // The rest of the line is its comment.
        let text = lines.plain(line);
        let rest = text[replaced
            .iter()
            .find(|slot| slot.line == line)
            .map_or(0, |slot| slot.written.end)..]
            .trim();
        if rest.is_empty() {
            new.all.remove(line);
        } else {
            let end = lines.end(line).to_owned();
            new.all[line] = format!("{begins}{rest}{end}");
        }
    }
    new.all.splice(first.line..=first.line, texts);
    let longer = new.all.len() as isize - lines.all.len() as isize;
    (new, range.start..range.end.saturating_add_signed(longer))
}

/// The longest label after which other lines begin in the same column.
const LONGEST_LABEL: usize = 16;

/// The blanks that bring an instruction to the column where it begins after `kept`, which may be a label.
fn indentation(kept: &str) -> String {
    let label = kept.trim_end().len();
    match kept[label..].contains('\t') {
        // A label is shorter than a tab, or the tab after it is another one.
        true if label < 8 => kept[label..].to_owned(),
        _ if label > LONGEST_LABEL => " ".repeat(8),
        _ => kept.chars().map(|one| if one == '\t' { '\t' } else { ' ' }).collect(),
    }
}

/// The lines with a substitution by as many instructions, which change places with their comments. Labels and
/// indentation stay in place.
fn permuted(lines: &Lines, replaced: &[Slot], one: &Substitution) -> Lines {
    let mut new = lines.clone();
    for ((slot, text), &from) in replaced.iter().zip(&one.texts).zip(&one.from) {
        let kept = &lines.plain(slot.line)[..slot.written.start];
        let from = &replaced[from];
        let comment = &lines.plain(from.line)[from.written.end..];
        new.all[slot.line] = format!("{kept}{text}{comment}{}", lines.end(slot.line));
    }
    new
}

/// The lines that replace that of an instruction: NOPs, the first of which has its label, and the instruction.
pub(super) fn filled(lines: &Lines, slot: &Slot, nops: usize) -> Vec<String> {
    let (kept, end) = (&lines.plain(slot.line)[..slot.written.start], lines.end(slot.line));
    let begins = &indentation(kept);
    let rest = &lines.plain(slot.line)[slot.written.start..];
    let labelled = (0..nops).map(|at| format!("{}nop{end}", if at == 0 { kept } else { begins }));
    let begins = if nops == 0 { kept } else { begins };
    labelled.chain([format!("{begins}{rest}{end}")]).collect()
}

/// An instruction with the same blanks after its mnemonic and its commas as another one.
fn spaced_as(model: &str, text: &str) -> String {
    let gap = |character: char| character == ' ' || character == '\t';
    let (Some(begin), Some((mnemonic, operands))) = (model.find(gap), text.split_once(' ')) else {
        return text.to_owned();
    };
    let operands = split(operands).join(if model.contains(", ") { ", " } else { "," });
    let rest = &model[begin..];
    let blanks = &rest[..rest.len() - rest.trim_start_matches(gap).len()];
    // The operands stay in their column.
    let longer = mnemonic.len() as isize - begin as isize;
    let spaces = blanks.len().saturating_add_signed(-longer).max(1);
    match blanks.bytes().all(|byte| byte == b' ') && blanks.len() > 1 {
        true => format!("{mnemonic}{}{operands}", " ".repeat(spaces)),
        false => format!("{mnemonic}{blanks}{operands}"),
    }
}
