//! What a chip lacks, so that pages about it say so first, and then how a chip is that has it.
//!
//! Modelled: the texts. Not modelled: what chips have, which is in their tables.

use super::filled;
use iced_x86::Code;
use p5_chips::{MODELS, Model, Prediction};

/// Something that not every chip has.
struct Feature {
    has: fn(&Model) -> bool,
    lacks: &'static str,
    /// The pages that are about it alone.
    pages: &'static [&'static str],
}

const FEATURES: [Feature; 5] = [
    Feature {
        has: |model| model.rules.pipes > 1,
        lacks: "This chip has one pipe, so no two instructions pair.",
        pages: &["pairing", "lockstep", "pipes", "write after read", "single pipe mode"],
    },
    Feature {
        has: |model| model.rules.prediction != Prediction::None,
        lacks: "This chip has no branch target buffer and predicts nothing: a taken branch takes the clocks of its row \
                in `p5inst timings`, time after time.",
        pages: &[
            "btb",
            "misprediction",
            "misprediction right after another",
            "entry of two branches",
            "branch to the next address",
        ],
    },
    Feature {
        has: |model| model.rules.prediction == Prediction::History,
        lacks: "This chip keeps no history of outcomes, so no loop is too short for one.",
        pages: &["tight"],
    },
    Feature {
        has: |model| model.isa.has(Code::Emms),
        lacks: "This chip has no MMX.",
        pages: &["mmx"],
    },
    Feature {
        has: |model| model.isa.has(Code::Rdtsc),
        lacks: "This chip has no time stamp counter, so nothing is measured: all clocks are the simulator's own.",
        pages: &["measured", "rdtsc and pairing"],
    },
];

/// The feature that the page `name` is about, if `model` lacks it; `of_pairs` if it is a refusal to pair.
fn absent(name: &str, of_pairs: bool, model: &Model) -> Option<&'static Feature> {
    let [pairs, ..] = &FEATURES;
    let about = match of_pairs {
        true => Some(pairs),
        false => FEATURES.iter().find(|feature| feature.pages.contains(&name)),
    };
    about.filter(|feature| !(feature.has)(model))
}

/// Whether the chip has nothing of what the page `name` is about.
pub(in super::super) fn is_absent(name: &str, model: &Model) -> bool {
    absent(name, false, model).is_some()
}

/// The text of the page `name` for a chip; `of_pairs` if it is a refusal to pair.
pub(in super::super) fn told(name: &str, of_pairs: bool, text: &str, model: &Model) -> String {
    let having = |feature: &Feature| MODELS.iter().find(|other| (feature.has)(other));
    match absent(name, of_pairs, model).and_then(|feature| Some((feature, having(feature)?))) {
        Some((feature, other)) => format!("{} On the {}: {}", feature.lacks, other.name, filled(text, other)),
        None => filled(text, model),
    }
}
