//! Differences between chips: instructions, counters, registers.

use super::{expecting, run_on};
use asm_macros::events::Event;
use iced_x86::{Code, CpuidFeature, Mnemonic};
use p5_chips::{Class, Clocks, INSTRUCTION_SETS, MODELS, Model, ModelRegister, Role, Row};
use p5_results::StopReason;
use p5_words::isa::InstructionSet;

#[test]
fn what_an_instruction_set_lacks_is_an_invalid_opcode() {
    static WITHOUT: InstructionSet = InstructionSet {
        base: None,
        features: &[
            CpuidFeature::INTEL8086,
            CpuidFeature::INTEL186,
            CpuidFeature::INTEL286,
            CpuidFeature::INTEL386,
            CpuidFeature::INTEL486,
        ],
        without: &[Code::Bswap_r32],
        ..*MODELS[0].isa
    };
    let instructions: &[(&str, &[u8])] = &[
        ("cpuid", &[0x0F, 0xA2]),
        ("rdtsc", &[0x0F, 0x31]),
        ("rdmsr", &[0x31, 0xC9, 0x0F, 0x32]),
        ("cmpxchg8b [esp]", &[0x0F, 0xC7, 0x0C, 0x24]),
        ("bswap eax", &[0x0F, 0xC8]),
    ];
    for (name, bytes) in instructions {
        let known = run_on(*MODELS[0], bytes);
        assert_eq!(known.stop.reason, StopReason::End, "{name}");
        let lacking = Model {
            isa: &WITHOUT,
            ..*MODELS[0]
        };
        let stop = run_on(lacking, bytes).stop;
        assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(6)), "{name}");
    }
    // An instruction of both sets runs with both, and one of neither set faults with both.
    let xadd = [0x0F, 0xC1, 0xC8];
    let cmov = [0x0F, 0x44, 0xC1];
    for isa in [MODELS[0].isa, &WITHOUT] {
        let model = Model { isa, ..*MODELS[0] };
        assert_eq!(run_on(model, &xadd).stop.reason, StopReason::End);
        assert_eq!(run_on(model, &cmov).stop.code, Some(6));
    }
}

#[test]
fn a_chip_with_rdpmc_reads_its_counters_by_number() {
    static ROWS: &[Row] = &[Row {
        form: "RDPMC",
        mnemonics: &[Mnemonic::Rdpmc],
        when: &[],
        class: Class::Np,
        clocks: Clocks::Fixed(20),
        serializing: false,
        source: "a test",
        doubt: None,
        early: None,
        fpu: None,
    }];
    let mut events = MODELS[0].events;
    events.selected[1][0x2A] = Some(Event::INSTRUCTIONS_EXECUTED);
    let with_mmx = INSTRUCTION_SETS.iter().find(|set| set.has(Code::Rdpmc));
    let model = Model {
        base: Some(MODELS[0]),
        isa: with_mmx.expect("a chip has it"),
        rows: ROWS,
        events,
        ..*MODELS[0]
    };
    // mov ecx,11h; xor edx,edx; mov eax,006A006Ah; wrmsr; mov ecx,n; nop; nop; rdpmc
    let program = |counter: u8| {
        let mut bytes = vec![0xB9, 0x11, 0, 0, 0, 0x31, 0xD2, 0xB8, 0x6A, 0, 0x6A, 0, 0x0F, 0x30];
        bytes.extend([0xB9, counter, 0, 0, 0, 0x90, 0x90, 0x0F, 0x33]);
        bytes
    };
    // Counter 0 has no event under that selector; counter 1 sees MOV, both NOPs and RDPMC itself.
    for (counter, expected) in [(0, 0), (1, 4)] {
        let run = run_on(model, &expecting(&program(counter), 0, expected));
        assert_eq!(run.stop.reason, StopReason::End, "counter {counter}");
    }
    let stop = run_on(model, &program(2)).stop;
    assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(13)));
    let stop = run_on(*MODELS[0], &program(0)).stop;
    assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(6)));
}

#[test]
fn cpuid_and_model_specific_registers_are_those_of_the_chip() {
    let model = Model {
        cpuid: &[[2, 0, 0, 0], [0x0543, 0, 0, 0], [7, 0, 0, 0]],
        registers: &[
            ModelRegister {
                number: 0x99,
                role: Role::Kept,
                reset: 0x1234,
            },
            ModelRegister {
                number: 0x9A,
                role: Role::HangsWhenRead,
                reset: 0,
            },
        ],
        ..*MODELS[0]
    };
    // mov eax,leaf; cpuid
    for (leaf, expected) in [(0, 2), (1, 0x0543), (2, 7), (0x40, 7)] {
        let run = run_on(model, &expecting(&[0xB8, leaf, 0, 0, 0, 0x0F, 0xA2], 0, expected));
        assert_eq!(run.stop.reason, StopReason::End, "leaf {leaf}");
    }
    // mov ecx,number; rdmsr
    let read = |number: u8| vec![0xB9, number, 0, 0, 0, 0x0F, 0x32];
    let run = run_on(model, &expecting(&read(0x99), 0, 0x1234));
    assert_eq!(run.stop.reason, StopReason::End);
    assert_eq!(run_on(model, &read(0x9A)).stop.reason, StopReason::Unsupported);
    for (model, number) in [(model, 0x10), (*MODELS[0], 0x99), (*MODELS[0], 0x03)] {
        assert_eq!(run_on(model, &read(number)).stop.code, Some(13), "{number:02X}h");
    }
}
