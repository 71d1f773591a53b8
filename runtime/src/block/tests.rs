//! The timing view of an instruction against what its execution leaves.

use super::Classifier;
use crate::exec;
use crate::model::MODELS;
use iced_x86::{Decoder, DecoderOptions};
use std::collections::BTreeSet;

#[test]
fn timing_expects_the_fact_words_that_execution_leaves() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut classifier = Classifier::new(MODELS[0]);
    let mut different = BTreeSet::new();
    let mut checked = 0;
    for _ in 0..400_000 {
        let mut bytes = [0u8; 15];
        random.fill(&mut bytes);
        match random.u8(0..6) {
            0 => bytes[0] = 0x0F,
            1 => bytes[0] = 0x66,
            2 => bytes[..2].copy_from_slice(&[0x66, 0x0F]),
            _ => {}
        }
        let mut decoder = Decoder::with_ip(32, &bytes, 0x1000, DecoderOptions::NONE);
        let instruction = decoder.decode();
        if instruction.is_invalid() || exec::compile(&instruction).is_err() {
            continue;
        }
        let offsets = decoder.get_constant_offsets(&instruction);
        let Some(op) = classifier.classify(&instruction, &offsets, &bytes[..instruction.len()]) else {
            continue;
        };
        checked += 1;
        let (expected, left) = (op.fact_words(), exec::fact_words(&instruction));
        if expected != left {
            different.insert(format!("{:?}: timing {expected}, execution {left}", instruction.code()));
        }
    }
    assert!(checked > 50_000, "only {checked} instructions; seed {seed}");
    assert!(different.is_empty(), "seed {seed}: {different:#?}");
}
