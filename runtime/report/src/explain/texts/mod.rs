//! The rules of the model in words: a text for each cause of clocks and each refusal to pair, and for concepts that
//! several of them share.
//!
//! Modelled: the texts, with the chip's own figures where they quote one. Not modelled: the rules themselves, which are
//! applied in `pipeline` and `units`; events and assumptions, whose lists have their words.

mod absent;
mod by_chip;
mod causes;
mod changed;
mod concepts;
mod ending;
mod figures;
mod headings;
mod macros;
mod notes;
mod refusals;
mod rust;
mod sources;
mod terms;

pub(super) use absent::{is_absent, told};
pub(super) use by_chip::flushes_of_one_group;
pub(super) use causes::of_cause;
pub(super) use refusals::of_refusal;

use concepts::CONCEPTS;
use figures::FIGURES;
use p5_chips::{BothConstants, CacheGeometry, Model, Prediction, Text, WriteBuffers};
use rust::RUST;
use sources::SOURCES;

const IDENTITIES: (&str, &str) = (
    "snapshots/tests/engines.rs",
    "clocks_causes_and_events_agree_and_blocks_of_one_tell_the_same",
);
const TABLE: &str = "snapshots/src/figures/table.rs";
const FOG: &str = "Agner Fog, Microarchitecture 2020, 3 and 4";
const INTEL: &str = "Intel, Pentium Processor Family Developer's Manual 1997, 2";
const OPTIMIZATION: &str = "Intel, Architecture Optimization Manual 1997, 3";

/// A topic that explains a concept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Concept {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: Text,
}

/// The topics that are neither a cause nor a refusal, an event or an assumption.
pub(super) fn concepts() -> impl Iterator<Item = &'static Concept> {
    let all = [
        CONCEPTS,
        FIGURES,
        terms::TERMS,
        macros::MACROS,
        headings::HEADINGS,
        notes::NOTES,
        RUST,
        SOURCES,
    ];
    all.into_iter().flatten()
}

/// The text with the figures of `model` in place of their names.
pub(super) fn filled(text: &str, model: &Model) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        whole.push_str(before);
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        whole.push_str(&figure(name, model));
        rest = after;
    }
    whole + rest
}

/// The figure of a chip with this name; the name itself if there is none.
fn figure(name: &str, model: &Model) -> String {
    let (rules, geometry) = (&model.rules, &model.geometry);
    let clocks = |number: u32| match number {
        1 => "1 clock".to_owned(),
        number => format!("{number} clocks"),
    };
    match name {
        "interlock" => clocks(rules.address_interlock),
        "in_ex" => clocks(rules.mispredicted_in_ex),
        "in_wb" => clocks(rules.mispredicted_in_wb),
        "misaligned" => clocks(rules.misaligned),
        "bank_conflict" => clocks(rules.bank_conflict),
        "unsafe_operands" => clocks(rules.unsafe_operands),
        "exchange" => clocks(rules.exchange_before_integer),
        "to_packed" => clocks(rules.to_packed),
        "from_packed" => clocks(rules.from_packed),
        "prefix_size" => clocks(rules.prefix_decode.size.into()),
        "prefix_escape" => clocks(rules.prefix_decode.escape.into()),
        "prefix_other" => clocks(rules.prefix_decode.other.into()),
        "banks" => geometry.banks.to_string(),
        "bank_width" => geometry.bank_width.to_string(),
        "alignment" => geometry.alignment.to_string(),
        "wide_alignment" => geometry.wide_alignment.to_string(),
        "longest_u" => rules.longest_paired[0].to_string(),
        "longest_v" => rules.longest_paired[1].to_string(),
        "code_cache" => cache(geometry.code_cache),
        "data_cache" => cache(geometry.data_cache),
        "code_tlb" => geometry.code_tlb.entries.to_string(),
        "data_tlb" => geometry.data_tlb.entries.to_string(),
        "large_tlb" => geometry.large_tlb.map_or(0, |tlb| tlb.entries).to_string(),
        "btb" => {
            let buffer = geometry.branch_target_buffer;
            format!("{} entries in {} ways", buffer.entries, buffer.ways)
        }
        "write_buffers" => match geometry.write_buffers {
            WriteBuffers::OfEachPipe(1) => "each pipe has one write buffer".to_owned(),
            WriteBuffers::OfEachPipe(number) => format!("each pipe has {number} write buffers"),
            WriteBuffers::Shared(number) if rules.pipes == 1 => format!("there are {number} write buffers"),
            WriteBuffers::Shared(number) => format!("the pipes share {number} write buffers"),
        },
        "both_constants" => match rules.displacement_with_immediate {
            BothConstants::Unpaired => "never pairs".to_owned(),
            BothConstants::OnlyInU => "pairs only in U".to_owned(),
        },
        "first_execution" => match rules.pairs_after_first_execution {
            _ if rules.pipes == 1 => "this chip pairs nothing".to_owned(),
            true => "this chip has the rule".to_owned(),
            false => "this chip finds lengths in a stage of their own, so the rule does not apply".to_owned(),
        },
        "tlb_sizes" => match geometry.unified {
            true => format!("one TLB of {} entries", geometry.data_tlb.entries),
            false => format!(
                "TLBs of {} entries for code and {} for data",
                geometry.code_tlb.entries, geometry.data_tlb.entries
            ),
        },
        "cache_sizes" => match geometry.unified {
            true => format!("one cache of {}", cache(geometry.data_cache)),
            false => format!(
                "a code cache of {} and a data cache of {}",
                cache(geometry.code_cache),
                cache(geometry.data_cache)
            ),
        },
        "prediction" => match rules.prediction {
            Prediction::None => "nothing".to_owned(),
            Prediction::Counter => "a counter of four states in each entry, found by the group before the branch: 3 \
                                    and 2 predict that it is taken, 1 and 0 that it is not. A taken branch adds 1, \
                                    but takes the counter from 0 to 3 at once, one that is not taken subtracts 1, and \
                                    a new entry begins with 3. A branch makes none when it executes for the \
                                    first time since its line was filled, so that one in a line that the program \
                                    changes in each round is mispredicted in each. Of a branch that recurs within four groups, the change of its \
                                    counter is an open question (`p5inst explain btb_forwarding`). A RET is \
                                    predicted to go where it went the last time: one that is called from several \
                                    places in turn is mispredicted"
                .to_owned(),
            Prediction::Perfect => "nothing that has to be learned: every near branch is foreseen".to_owned(),
            Prediction::History => "the last four outcomes of the branch, and a stack of four return addresses, \
                                    so that of calls within each other the innermost four return as predicted; two \
                                    branches whose last bytes are in one aligned dword share an entry, and each \
                                    spoils what the other has taught it; a short loop comes too early for the last \
                                    outcomes (`p5inst explain tight`)"
                .to_owned(),
        },
        name => match by_chip::TEXTS.iter().find(|(text, _)| *text == name) {
            Some((_, text)) => filled(&text(model), model),
            None => format!("{{{name}}}"),
        },
    }
}

fn cache(geometry: CacheGeometry) -> String {
    let CacheGeometry { size, ways, line } = geometry;
    format!("{} KB in {ways} ways of {line}-byte lines", size >> 10)
}
