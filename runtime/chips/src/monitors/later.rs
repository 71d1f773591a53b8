//! Instructions of later processors that compilers and C libraries put into programs: CMOVcc with FCMOVcc and FCOMI,
//! and ENDBR32 with RDSSPD and NOPs of several bytes.
//!
//! Modelled: their meaning, and clocks that are assumed from the instructions of the chip that do most of the same
//! work. Not modelled: the bits of CPUID, so that a program that asks still takes its code for the chip.

use super::Monitor;
use crate::{Class, Clocks, FloatingPoint, Row, Text, When};
use iced_x86::CpuidFeature;
use iced_x86::Mnemonic::{self, *};

const CONDITIONAL_MOVES: &[Mnemonic] = &[
    Cmovo, Cmovno, Cmovb, Cmovae, Cmove, Cmovne, Cmovbe, Cmova, Cmovs, Cmovns, Cmovp, Cmovnp, Cmovl, Cmovge, Cmovle,
    Cmovg,
];
const CONDITIONAL_MOVES_OF_REALS: &[Mnemonic] = &[Fcmovb, Fcmove, Fcmovbe, Fcmovu, Fcmovnb, Fcmovne, Fcmovnbe, Fcmovnu];
const COMPARISONS_TO_FLAGS: &[Mnemonic] = &[Fcomi, Fcomip, Fucomi, Fucomip];

/// A row that every form here begins with.
const ASSUMED: Row = Row {
    form: "",
    mnemonics: &[],
    when: &[],
    class: Class::Np,
    clocks: Clocks::Fixed(1),
    serializing: false,
    source: "assumed: no chip here has it; meaning: Intel Software Developer's Manual, volume 2",
    doubt: None,
    early: None,
    fpu: None,
};

pub(super) static CMOV: Monitor = Monitor {
    name: "cmov",
    title: "CMOVcc, FCMOVcc and FCOMI, which came after the Pentium",
    text: Text {
        rule: "No Pentium has CMOVcc, FCMOVcc, FCOMI, FCOMIP, FUCOMI and FUCOMIP: they came with the Pentium Pro, and \
               C libraries that are compiled for it contain them. With `--also cmov` the chip executes them. CMOVcc \
               takes the clocks of ADC, which needs the flags, too: 1, or 2 with memory, which it reads whatever the \
               flags are, and as SETcc one to decode 0Fh, unless that is hidden; nor does it pair. FCMOVcc takes 1 \
               clock, as FST with a register. FCOMI takes 5: a comparison, and as long as FICOM needs until its \
               result is known. All of this is assumed. CPUID still says that the chip has none of them.",
        source: "Intel Software Developer's Manual, volume 2, CMOVcc, FCMOVcc and FCOMI, for their meaning; nothing \
                 for their clocks",
        not_modelled: "What a Pentium Pro makes of them: it has other pipes, and splits them into smaller operations.",
        tests: &[
            (
                "runtime/machine/src/tests/later.rs",
                "a_move_happens_if_its_condition_holds",
            ),
            ("runtime/machine/src/tests/later.rs", "a_comparison_of_reals_sets_flags"),
            (
                "runtime/machine/src/tests/later.rs",
                "they_take_the_clocks_of_their_rows",
            ),
        ],
        said: &["--also cmov", "no pentium has it", "cmovcc", "fcmovcc", "fcomi"],
    },
    features: &[CpuidFeature::CMOV],
    rows: &[
        Row {
            form: "CMOVcc r,r",
            mnemonics: CONDITIONAL_MOVES,
            when: &[When::Register],
            doubt: Some("no Pentium has it: the clocks of ADC, without pairing, as SETcc"),
            ..ASSUMED
        },
        Row {
            form: "CMOVcc r,m",
            mnemonics: CONDITIONAL_MOVES,
            when: &[When::Read],
            clocks: Clocks::Fixed(2),
            doubt: Some("no Pentium has it: the clocks of ADC, without pairing, as SETcc"),
            ..ASSUMED
        },
        Row {
            form: "FCMOVcc",
            mnemonics: CONDITIONAL_MOVES_OF_REALS,
            doubt: Some("no Pentium has it: the clocks of FST with a register"),
            fpu: Some(FloatingPoint::plain(1, 1)),
            ..ASSUMED
        },
        Row {
            form: "FCOMI FUCOMI",
            mnemonics: COMPARISONS_TO_FLAGS,
            clocks: Clocks::Fixed(5),
            doubt: Some("no Pentium has it: a clock to compare, and the 4 of FICOM until the result is known"),
            fpu: Some(FloatingPoint::plain(5, 5)),
            ..ASSUMED
        },
    ],
    ..Monitor::ADDS_INSTRUCTIONS
};

pub(super) static ENDBR: Monitor = Monitor {
    name: "endbr",
    title: "ENDBR32 and NOP with an operand, which do nothing on later processors",
    text: Text {
        rule: "ENDBR32 marks where an indirect jump may go. Compilers put it at the beginning of functions, because it \
               does nothing on processors with the reserved NOPs of the Pentium Pro; on a Pentium it is an invalid \
               opcode. `-fcf-protection=none` keeps it out of code that you compile. NOP with an operand (0F 1Fh), of \
               which compilers make NOPs of three bytes and more, came with the Pentium Pro, too: libraries that are \
               compiled for it contain them, as `core` of Rust does. RDSSPD asks for a shadow stack, and changes \
               nothing on the same processors, which have none: what C++ calls to throw an exception contains it. \
               With `--also endbr` the chip executes all three as NOPs of one clock that do not pair, beside the \
               clocks of their prefixes, of which 0Fh is one. That is assumed.",
        source: "Intel Software Developer's Manual, volume 1, 17.3, and volume 2, ENDBR32, RDSSPD and NOP; nothing \
                 for clocks",
        not_modelled: "The check of jumps that ENDBR32 is for, and shadow stacks.",
        tests: &[("runtime/machine/src/tests/later.rs", "a_mark_of_a_target_does_nothing")],
        said: &[
            "--also endbr",
            "endbr32",
            "rdsspd",
            "multi-byte nop",
            "multibytenop",
            "long nop",
        ],
    },
    features: &[CpuidFeature::CET_IBT, CpuidFeature::CET_SS, CpuidFeature::MULTIBYTENOP],
    rows: &[
        Row {
            form: "ENDBR32",
            mnemonics: &[Endbr32],
            doubt: Some("no Pentium has it: a NOP that does not pair"),
            ..ASSUMED
        },
        Row {
            form: "RDSSPD",
            mnemonics: &[Rdsspd],
            doubt: Some("no Pentium has it: a NOP that does not pair"),
            ..ASSUMED
        },
        Row {
            form: "NOP r/m",
            mnemonics: &[Nop],
            when: &[When::OneOperand],
            doubt: Some("no Pentium has it: a NOP that does not pair"),
            ..ASSUMED
        },
    ],
    ..Monitor::ADDS_INSTRUCTIONS
};
