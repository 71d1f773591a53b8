//! A program that samples itself gets samples of ops that it has executed, register by register.

use super::{everything, sampled};
use runtime::machine::{Options, Sampled};
use runtime::model::ibs::{
    IBS_BR_TARGET, IBS_DC_LIN_AD, IBS_DC_PHYS_AD, IBS_OP_DATA, IBS_OP_DATA2, IBS_OP_DATA3, IBS_OP_RIP,
};
use runtime::model::{MEMORY_PRESETS, monitor};
use std::collections::HashSet;

/// The registers of a sample, with their names in the program.
const REGISTERS: [(&str, u32); 7] = [
    ("rip", IBS_OP_RIP),
    ("data", IBS_OP_DATA),
    ("data2", IBS_OP_DATA2),
    ("data3", IBS_OP_DATA3),
    ("linear", IBS_DC_LIN_AD),
    ("physical", IBS_DC_PHYS_AD),
    ("target", IBS_BR_TARGET),
];

#[test]
fn a_program_that_samples_itself_finds_what_is_found_from_outside() {
    let text = include_str!("../../asm/sampled_into_tables.asm");
    let image = snapshots::assembled("sampled_into_tables.asm", text, 0).expect("assembles");
    let chip = snapshots::chip()
        .with_monitors(&[monitor("ibs").expect("known")])
        .expect("has it");
    let dram = MEMORY_PRESETS.iter().find(|preset| preset.name == "dram");
    let options = Options {
        runs: 1,
        memory: dram.expect("known"),
        ..Options::default()
    };
    let Sampled { run, recording, .. } = sampled(&image, chip, &options, &everything());
    assert_eq!(recording.sampling.cut, 0, "every op is there");
    let outside: Vec<[Option<u64>; 7]> = recording
        .samples
        .iter()
        .map(|sample| REGISTERS.map(|(_, register)| sample.images.get(register)))
        .collect();
    for kind in ["ops", "clocks"] {
        let mut ahead = outside.iter();
        let mut different = [(); 7].map(|()| HashSet::new());
        for number in 0..64 {
            let inside = REGISTERS.map(|(name, _)| snapshots::value(&run, &format!("{name}_{kind}{number}")));
            // The samples are in the order of retirement.
            assert!(
                ahead.any(|op| *op == inside),
                "sample {number} by {kind} is of no op: {inside:#X?}"
            );
            for (values, value) in different.iter_mut().zip(inside) {
                values.insert(value);
            }
        }
        for ((name, _), values) in REGISTERS.iter().zip(different) {
            assert!(values.len() > 1, "{name} by {kind} is always the same");
        }
    }
}
