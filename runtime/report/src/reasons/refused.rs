//! Why an instruction issued alone, in words.

use super::{mnemonic, names, part_of, told};
use crate::diagram::End;
use p5_results::{InstructionResult, Needs, Refusal, RegisterSet};

/// The reason why `u` issued alone before `next`; `None` if nothing was lost.
pub(crate) fn refused(
    refusal: Refusal,
    u: &InstructionResult,
    next: Option<&InstructionResult>,
    ends: Option<End>,
) -> Option<String> {
    if next.is_none()
        && !matches!(
            refusal,
            Refusal::FirstNotPairable | Refusal::FirstOnlyV | Refusal::SinglePipe
        )
    {
        let end = match ends? {
            End::Region => "the region ends",
            End::Program => "the program ends",
            End::Run => "the run stops",
        };
        return Some(end.to_owned());
    }
    let first = mnemonic(u);
    let named = |name: fn(&InstructionResult) -> String| {
        let second = next.map_or_else(|| "instruction".to_owned(), name);
        format!("next {second}")
    };
    let second = named(mnemonic);
    let shared = |of: fn(&Needs) -> RegisterSet| {
        let contested = next.map(|next| u.needs.contested(&next.needs, of(&next.needs)));
        let spelled: Vec<_> = next.into_iter().chain([u]).collect();
        let shared = names(contested.unwrap_or(RegisterSet::EMPTY), &spelled);
        match shared.is_empty() {
            true => "a result".to_owned(),
            false => shared,
        }
    };
    let short = |register: &str| format!("the short mov [m],{register} counts as writing it");
    Some(match refusal {
        Refusal::FirstNotPairable => format!("{} never pairs", unpaired(u)),
        Refusal::FirstOnlyV => format!("{first} pairs only in V"),
        Refusal::FirstOnlyWithExchange => format!("{first} pairs only with fxch"),
        Refusal::SameUnit => format!("{second} needs the same unit"),
        Refusal::FirstOnlyWithPacked => format!("{first} here pairs only with mmx"),
        Refusal::SecondExchange => format!("{second} pairs only after floating point"),
        Refusal::SecondNotPairable => format!("{} never pairs", named(unpaired)),
        Refusal::SecondOnlyU => format!("{second} pairs only in U"),
        Refusal::ReadAfterWrite => {
            let needed = shared(|next| next.reads);
            if u.needs.short_store {
                return Some(format!("{second} needs {needed}; {}", short(&needed)));
            }
            match next.and_then(|next| half_beside(u, next, &needed)) {
                Some(whole) => format!("{second} needs {needed}, which is of the same {whole}"),
                None => format!("{second} needs {needed}"),
            }
        }
        Refusal::WriteAfterWrite => {
            let written = shared(|next| next.writes);
            if u.needs.short_store {
                return Some(format!("{second} writes {written}; {}", short(&written)));
            }
            match next.and_then(|next| other_half(u, next)) {
                Some(whole) => format!("{second} writes {written}, which is of the same {whole}"),
                None => format!("{second} writes {written} too"),
            }
        }
        Refusal::DisplacementAndImmediate => {
            // Such an instruction never pairs, whatever the other one is.
            let own = u.needs.never_pairs();
            format!("{} has displacement and immediate", if own { &first } else { &second })
        }
        Refusal::SecondPrefix => format!("{second} has a prefix"),
        Refusal::FirstExecution => "first execution".to_owned(),
        Refusal::SecondNotFetched => format!("{second} is not fetched yet"),
        Refusal::TooLong => "too long to pair".to_owned(),
        Refusal::SinglePipe => "V is switched off".to_owned(),
        Refusal::StackPointer => format!("{second} uses the esp that {first} changes"),
        Refusal::TakenBranch | Refusal::LastInstruction => return None,
    })
}

/// An instruction that never pairs: its mnemonic, with the operands of its form where other forms of it pair.
pub(crate) fn unpaired(one: &InstructionResult) -> String {
    let operands = one.needs.unpaired_form.map(|form| {
        // A form begins with the mnemonics that have it.
        let words = form.split_whitespace();
        let is_mnemonic = |word: &&str| word.len() > 1 && word.bytes().all(|letter| letter.is_ascii_uppercase());
        let operands: Vec<&str> = words.skip_while(is_mnemonic).collect();
        operands.join(" ").to_ascii_lowercase()
    });
    match operands.filter(|operands| !operands.is_empty()) {
        Some(operands) => format!("`{} {operands}`", mnemonic(one).trim_matches('`')),
        None => mnemonic(one),
    }
}

/// The register whose halves two instructions write, one each, such as BL and BH.
fn other_half(first: &InstructionResult, second: &InstructionResult) -> Option<&'static str> {
    let both = first.needs.contested(&second.needs, second.needs.writes);
    let mut whole = both.general_names();
    let (Some(whole), None) = (whole.next(), whole.next()) else {
        return None;
    };
    let [one, other] = [first, second].map(|one| {
        let text = told(one).to_ascii_lowercase();
        // What is written comes first.
        part_of(whole, text.split(',').next().unwrap_or_default())
    });
    let half = |part: &Option<String>| part.as_ref().is_some_and(|part| part.ends_with(['l', 'h']));
    (half(&one) && half(&other) && one != other).then_some(whole)
}

/// The register that the first instruction writes one half of, where the second instruction needs the other half.
fn half_beside(first: &InstructionResult, second: &InstructionResult, needed: &str) -> Option<&'static str> {
    let both = first.needs.contested(&second.needs, second.needs.reads);
    let mut whole = both.general_names();
    let (Some(whole), None) = (whole.next(), whole.next()) else {
        return None;
    };
    let [written, read] = [first, second].map(|one| told(one).to_ascii_lowercase());
    let written = part_of(whole, written.split(',').next().unwrap_or_default())?;
    let is_half = |part: &str| part.len() == 2 && part.ends_with(['l', 'h']);
    let mut words = read.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
    let apart = is_half(&written) && is_half(needed) && written != needed && words.all(|word| word != written);
    apart.then_some(whole)
}
