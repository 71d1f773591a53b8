//! The text of each reason why two instructions do not pair.
//!
//! Modelled: one text for each refusal. Not modelled: the test for it, which is in `pipeline/group/pair.rs`.

use super::{FOG, OPTIMIZATION, TABLE};
use p5_chips::Text;
use p5_words::causes::Refusal;

const fn rule(
    rule: &'static str,
    said: &'static [&'static str],
    tests: &'static [(&'static str, &'static str)],
) -> Text {
    Text {
        rule,
        source: "Intel, Architecture Optimization Manual 1997, 3 and appendix A; Agner Fog, Microarchitecture 2020, 4",
        not_modelled: "",
        tests,
        said,
    }
}

/// What a refusal means.
pub(crate) fn of_refusal(refusal: Refusal) -> Text {
    match refusal {
        Refusal::FirstNotPairable => rule(
            "The instruction issues alone whatever follows: microcode, NOT and NEG, shifts by CL, MOVZX, rotates by an \
             immediate and others. `p5inst timings` has the class of each form, NP.",
            &["never pairs", "np"],
            &[
                (TABLE, "pair, ROL by 3"),
                ("snapshots/tests/tables.rs", "every_row_has_a_source_and_is_reached"),
            ],
        ),
        Refusal::FirstOnlyV => rule(
            "A near jump, call or conditional branch pairs only as the second instruction, as what follows a branch \
             in U is not known yet.",
            &["pairs only in v", "pv"],
            &[(TABLE, "pair, branch in U")],
        ),
        Refusal::FirstOnlyWithExchange => rule(
            "FADD, FMUL, FLD and their kind pair in U, with nothing but FXCH in V.",
            &["pairs only with fxch", "fx"],
            &[(TABLE, "FXCH before an integer")],
        ),
        Refusal::SecondExchange => rule(
            "FXCH pairs in V after FADD, FMUL, FLD and their kind, and with nothing else.",
            &["pairs only after floating point"],
            &[(TABLE, "FXCH before an integer")],
        ),
        Refusal::SecondNotPairable => rule(
            "The next instruction issues alone whatever comes before it.",
            &["next * never pairs"],
            &[(TABLE, "prefix, then pairs")],
        ),
        Refusal::SecondOnlyU => rule(
            "Only U has a shifter, a carry input and a path to the floating-point unit. So ADC, SBB, shifts and \
             rotates by one or an immediate issue to U alone, and so do all floating-point instructions but FXCH. MMX \
             instructions issue to U alone if an operand is in memory or in a general register.",
            &["next * pairs only in u", "pairs only in u", "pu"],
            &[(TABLE, "pair, ADC in V"), (TABLE, "pair, SHL in V")],
        ),
        Refusal::ReadAfterWrite => rule(
            "The second instruction reads a register that the first one writes. A part of a register counts as the \
             whole; flags do not count. Stack instructions that only move ESP are excepted. The short form of MOV that \
             stores the accumulator (`mov x,eax`, opcodes A2 and A3) counts as writing it.",
            &[
                "next * needs",
                "raw",
                "dependency",
                "counts as writing it",
                "counts as written",
                "short form",
                "its short form",
            ],
            &[(TABLE, "S0-b"), (TABLE, "ABR-21d"), (TABLE, "pair, PUSH CALL")],
        ),
        Refusal::WriteAfterWrite => rule(
            "Both instructions write one register, or parts of it: AL, AH and AX count as EAX. Nothing else waits for \
             parts of registers, as it does on later processors. The short form of MOV that stores the accumulator \
             counts as writing it.",
            &[
                "next * writes",
                "waw",
                "counts as written",
                "partial register",
                "partial registers",
            ],
            &[(TABLE, "pair, part of it"), (TABLE, "pair, A3h form")],
        ),
        Refusal::DisplacementAndImmediate => Text {
            rule: "An instruction with both a displacement and an immediate {both_constants} on this chip.",
            source: FOG,
            not_modelled: "",
            tests: &[(TABLE, "pair, disp and imm"), (TABLE, "pair, imm alone")],
            said: &["has displacement and immediate"],
        },
        Refusal::SecondPrefix => Text {
            rule: "On this chip an instruction with such a prefix issues only in U: {prefixed}. The 0Fh of Jcc does \
                   not count.",
            source: FOG,
            not_modelled: "",
            tests: &[(TABLE, "prefix, not in V")],
            said: &["next * has a prefix"],
        },
        Refusal::FirstExecution => Text {
            rule: "The code cache marks where instructions end once they have been decoded. Until then an instruction \
                   of more than one byte does not pair in U; {first_execution}.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2.1.1 and 16; Agner Fog, \
                     Microarchitecture 2020, 4; Abrash, 20",
            not_modelled: "",
            tests: &[
                (
                    "runtime/timing/src/units/code_cache.rs",
                    "ends_are_forgotten_with_the_line",
                ),
                ("snapshots/src/figures/claims.rs", "S0-f"),
            ],
            said: &["first time"],
        },
        Refusal::SecondNotFetched => rule(
            "The bytes of the second instruction were not in the code cache when the first one issued.",
            &["is not fetched yet", "not fetched yet", "not fetched"],
            &[(
                "snapshots/tests/geometry.rs",
                "the_code_cache_is_as_large_as_the_chip_says",
            )],
        ),
        Refusal::TooLong => Text {
            rule: "Without prefixes, an instruction in U has at most {longest_u} bytes and one in V at most \
                   {longest_v}, if they pair.",
            source: OPTIMIZATION,
            not_modelled: "",
            tests: &[(TABLE, "eight bytes with prefix")],
            said: &["too long to pair"],
        },
        Refusal::SinglePipe => Text {
            rule: "Bit 2 of test register 12 switches the V pipe off.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 16.2",
            not_modelled: "What other test registers give access to.",
            tests: &[
                ("snapshots/tests/engines.rs", "one_pipe_has_no_pairs"),
                ("snapshots/src/figures/claims.rs", "S1-a one pipe"),
            ],
            said: &["v is switched off", "tr12"],
        },
        Refusal::SameUnit => Text {
            rule: "There is one MMX multiplier and one MMX shifter, and one path of MMX to memory: two instructions \
                   that need the same one do not pair.",
            source: "Intel, Architecture Optimization Manual 1997, table 2-2",
            not_modelled: "",
            tests: &[("snapshots/asm/packed_pairs.asm", "expect")],
            said: &["needs the same unit"],
        },
        Refusal::FirstOnlyWithPacked => Text {
            rule: "An MMX instruction with an operand in memory or in a general register pairs only with another MMX \
                   instruction.",
            source: "Intel, Architecture Optimization Manual 1997, table 2-2",
            not_modelled: "",
            tests: &[("snapshots/asm/packed_pairs.asm", "expect")],
            said: &["here pairs only with mmx"],
        },
        Refusal::TakenBranch => rule(
            "Execution went on elsewhere, so the next instruction in memory is not the next one executed.",
            &["taken"],
            &[(TABLE, "JMP in V")],
        ),
        Refusal::LastInstruction => rule(
            "Nothing was executed after it: the region or the run ends.",
            &["the run stops", "the region ends", "the program ends"],
            &[(
                "runtime/machine/src/tests/regions.rs",
                "a_region_is_cut_between_the_instructions_of_a_pair",
            )],
        ),
        Refusal::StackPointer => rule(
            "The first instruction changes ESP, and the second one uses it. PUSH with PUSH, PUSH with CALL and POP with POP \
             pair all the same.",
            &["uses the esp that", "esp"],
            &[(TABLE, "pair, PUSH POP"), (TABLE, "pair, PUSH PUSH")],
        ),
    }
}
