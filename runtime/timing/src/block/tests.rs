//! Tests that the timing view of an instruction agrees with the facts of its execution.

use super::{Classifier, ExClocks, Op};
use p5_chips::MODELS;
use p5_meaning::exec;
use p5_words::mode::{Mode, Operation};
use std::collections::BTreeSet;

fn op(bytes: &[u8]) -> Op {
    let mut decoder = MODELS[0].isa.decoder(32, bytes, 0x1000);
    let instruction = decoder.decode();
    let offsets = decoder.get_constant_offsets(&instruction);
    let op = Classifier::new(MODELS[0]).classify(&instruction, &offsets, bytes, &Mode::FLAT);
    op.unwrap_or_else(|| panic!("no row for {instruction}"))
}

#[test]
fn dependencies_are_those_of_every_kind_of_register() {
    let cases: &[(&str, &[u8], &str, &str)] = &[
        (
            "add eax,[ebx]",
            &[0x03, 0x03],
            "[general 0, general 3, segment 3]",
            "[general 0, flags 0]",
        ),
        (
            "adc cl,dl",
            &[0x10, 0xD1],
            "[general 1, general 2, flags 0]",
            "[general 1, flags 0]",
        ),
        ("mov es,ax", &[0x8E, 0xC0], "[general 0]", "[segment 0]"),
        ("mov cr3,eax", &[0x0F, 0x22, 0xD8], "[general 0]", "[flags 0, cr 3]"),
        ("mov edx,dr7", &[0x0F, 0x21, 0xFA], "[dr 7]", "[general 2, flags 0]"),
        ("fld st(1)", &[0xD9, 0xC1], "[st 1]", "[st 7]"),
        ("faddp st(1),st", &[0xDE, 0xC1], "[st 0, st 1]", "[st 1]"),
        ("fxch st(2)", &[0xD9, 0xCA], "[st 0, st 2]", "[st 0, st 2]"),
        ("fptan", &[0xD9, 0xF2], "[st 0]", "[st 0, st 7]"),
        ("fcompp", &[0xDE, 0xD9], "[st 0, st 1]", "[]"),
        ("fdecstp", &[0xD9, 0xF6], "[]", "[]"),
    ];
    for (text, bytes, reads, writes) in cases {
        let op = op(bytes);
        assert_eq!(
            (format!("{:?}", op.reads), format!("{:?}", op.writes)),
            ((*reads).into(), (*writes).into()),
            "{text}"
        );
    }
}

#[test]
fn what_microcode_writes_before_its_last_clock_interlocks_nothing() {
    let cases: &[(&str, &[u8], &str)] = &[
        ("loop", &[0xE2, 0xFE], "[]"),
        ("loope", &[0xE1, 0xFE], "[]"),
        ("jecxz", &[0xE3, 0xFE], "[]"),
        ("lodsd", &[0xAD], "[general 0]"),
        ("rep lodsd", &[0xF3, 0xAD], "[general 0]"),
        ("stosb", &[0xAA], "[]"),
        ("rep stosd", &[0xF3, 0xAB], "[]"),
        ("movsd", &[0xA5], "[]"),
        ("rep movsd", &[0xF3, 0xA5], "[]"),
        ("scasd", &[0xAF], "[flags 0]"),
        ("repe cmpsd", &[0xF3, 0xA7], "[flags 0]"),
        ("insb", &[0x6C], "[]"),
        ("rep outsd", &[0xF3, 0x6F], "[]"),
        ("pushad", &[0x60], "[]"),
        ("popad", &[0x61], "[general 0, general 1]"),
        ("leave", &[0xC9], "[general 5]"),
        ("enter 8,0", &[0xC8, 8, 0, 0], "[general 4]"),
        ("ret 4", &[0xC2, 4, 0], "[general 4]"),
        // The loaded or computed value comes last.
        ("xlatb", &[0xD7], "[general 0]"),
        ("mul ecx", &[0xF7, 0xE1], "[general 0, general 2, flags 0]"),
        ("xchg ecx,edx", &[0x87, 0xD1], "[general 1, general 2]"),
    ];
    for (text, bytes, interlocks) in cases {
        assert_eq!(format!("{:?}", op(bytes).interlocks), *interlocks, "{text}");
    }
}

#[test]
fn what_time_asks_of_an_instruction_is_settled_when_it_is_decoded() {
    // enter 8,0; enter 8,1; enter 8,4
    let levels = [0, 1, 4].map(|level| op(&[0xC8, 8, 0, level]).clocks);
    assert_eq!(levels, [11, 15, 21].map(|clocks| ExClocks::Known(clocks, clocks)));
    let cases: &[(&str, &[u8], bool, bool)] = &[
        ("verr ax", &[0x0F, 0x00, 0xE0], true, false),
        ("cpuid", &[0x0F, 0xA2], true, false),
        ("int 3", &[0xCC], true, false),
        ("iretd", &[0xCF], true, false),
        ("retf", &[0xCB], true, true),
        ("ret", &[0xC3], false, false),
        ("arpl ax,cx", &[0x63, 0xC8], false, false),
    ];
    for &(text, bytes, counts_as_branch, flushes) in cases {
        let op = op(bytes);
        assert_eq!((op.counts_as_branch, op.flushes), (counts_as_branch, flushes), "{text}");
        assert_eq!(&op.bytes[..usize::from(op.length)], bytes, "{text}");
    }
}

#[test]
fn timing_expects_the_fact_words_that_execution_leaves() {
    let seed = p5_seeds::seed();
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
        let mut decoder = MODELS[0].isa.decoder(32, &bytes, 0x1000);
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            continue;
        }
        let offsets = decoder.get_constant_offsets(&instruction);
        let Some(op) = classifier.classify(&instruction, &offsets, &bytes[..instruction.len()], &Mode::FLAT) else {
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

/// Every combination of prefix, one or two opcode bytes and ModR/M byte.
fn encodings() -> impl Iterator<Item = [u8; 15]> {
    let prefixes: &[&[u8]] = &[&[], &[0x66], &[0x67], &[0xF3]];
    let opcodes = (0..=0xFF).map(|byte| vec![byte]);
    let opcodes = opcodes.chain((0..=0xFF).map(|byte| vec![0x0F, byte]));
    opcodes.flat_map(|opcode| {
        prefixes.iter().flat_map(move |prefix| {
            let opcode = opcode.clone();
            (0..=0xFF).map(move |operands| {
                let mut bytes = [0; 15];
                let parts = prefix.iter().chain(&opcode).chain([&operands]);
                bytes.iter_mut().zip(parts).for_each(|(to, &from)| *to = from);
                bytes
            })
        })
    })
}

#[test]
fn every_row_times_an_instruction_that_the_chip_has() {
    for model in MODELS {
        let mut classifier = Classifier::new(model);
        let mut used = BTreeSet::new();
        for operation in [Operation::Protected, Operation::Virtual, Operation::Real] {
            let mode = Mode {
                operation,
                ..Mode::FLAT
            };
            for bytes in encodings() {
                let mut decoder = model.isa.decoder(32, &bytes, 0x1000);
                let instruction = decoder.decode();
                if !model.isa.has(instruction.code()) || instruction.is_invalid() {
                    continue;
                }
                let offsets = decoder.get_constant_offsets(&instruction);
                let bytes = &bytes[..instruction.len()];
                let classified = classifier.classify(&instruction, &offsets, bytes, &mode);
                used.extend(classified.map(|op| std::ptr::from_ref(op.row)));
                let delivery = classifier.delivery(&instruction, 0x1000, bytes, &mode);
                used.extend(delivery.map(|op| std::ptr::from_ref(op.row)));
            }
        }
        for row in model.all_rows() {
            // A row of the chip may stand for the same form of its base.
            let replaced = model.rows.iter().any(|own| own.form == row.form);
            assert!(
                used.contains(&std::ptr::from_ref(row)) || replaced,
                "{}: nothing is timed by `{}`",
                model.name,
                row.form
            );
        }
    }
}
