//! Assumptions: questions about the chips that the sources leave open, with the answers that can be chosen.
//!
//! Modelled: each answer as other rules, another divider, other flags after a fault, or timing rows that override those
//! of the chip. Not modelled: doubts that concern one figure only, which are in its row.

mod rows;

use super::change::{Change, Executed};
use super::{Model, Row};
use p5_words::flags::FaultedComparison;
use p5_words::fpu::Divider;
use rows::{IMUL, IMUL_10, IMUL_ALONE_10, SEGMENT, SEGMENT_3, STATUS, STATUS_3};
use std::sync::Mutex;

/// A question that the sources leave open, with its possible answers.
#[derive(Debug)]
pub struct Assumption {
    /// The name that `--assume` accepts.
    pub name: &'static str,
    /// The question in a few words, as the subject that it decides.
    pub decides: &'static str,
    /// The sources, and the arguments for each answer.
    pub sources: &'static str,
    /// The answers, the usual one first.
    pub answers: &'static [Answer],
}

/// An answer to an open question.
#[derive(Debug)]
pub struct Answer {
    /// The value that `--assume` accepts.
    pub value: &'static str,
    /// The meaning of the answer.
    pub meaning: &'static str,
    // The changes of the chip; empty for the usual answer.
    changes: &'static [Change],
}

/// An answer that a run assumes.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The question that is answered.
    pub assumption: &'static Assumption,
    /// The chosen answer, which is one of the question's answers.
    pub answer: &'static Answer,
}

impl PartialEq for Choice {
    fn eq(&self, other: &Choice) -> bool {
        std::ptr::eq(self.assumption, other.assumption) && std::ptr::eq(self.answer, other.answer)
    }
}

impl Choice {
    /// Whether it is the usual answer.
    pub fn is_usual(&self) -> bool {
        std::ptr::eq(&self.assumption.answers[0], self.answer)
    }
}

impl Assumption {
    /// The option that chooses its last answer, as an example.
    pub fn example(&self) -> String {
        let value = self.answers.last().map_or("", |answer| answer.value);
        format!("--assume {}={value}", self.name)
    }

    /// The choices other than `answer`, which is one of its answers.
    pub fn others(&'static self, answer: &'static Answer) -> impl Iterator<Item = Choice> {
        let others = self.answers.iter().filter(move |other| !std::ptr::eq(*other, answer));
        others.map(move |answer| Choice {
            assumption: self,
            answer,
        })
    }

    /// The changes by any of its answers.
    pub(super) fn changes(&self) -> impl Iterator<Item = &'static Change> {
        self.answers.iter().flat_map(|answer| answer.changes)
    }

    /// Whether its answers give an instruction other clocks than `row` does. The clocks of a path through descriptors
    /// and gates do not count.
    fn gives_other_clocks(&self, executed: &Executed, row: &Row) -> bool {
        let mut rows = self.changes().filter_map(|change| match change {
            Change::Rows(rows) => executed.row_of(rows),
            _ => None,
        });
        rows.any(|answer| answer.fpu != row.fpu || !answer.clocks.usually_equal(row.clocks))
    }
}

/// The question whose answers give an instruction other clocks than its `row`.
pub fn deciding(executed: &Executed, row: &Row) -> Option<&'static str> {
    let mut all = ASSUMPTIONS.iter();
    let found = all.find(|assumption| assumption.gives_other_clocks(executed, row));
    found.map(|assumption| assumption.name)
}

/// Every assumption, in the order in which reports name them.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "shadow_reach",
        decides: "how many groups after an instruction of several clocks have their prefixes hidden",
        sources: "Agner Fog, Microarchitecture 2020, 4.4: two, sometimes three; Abrash's checksum with ADC EAX takes 4 \
                  clocks a round, which needs three; GMP's SHLD with two XORs takes 5, which allows two",
        answers: &[
            Answer {
                value: "3",
                meaning: "three, but two after microcode, which holds D2 until its last clock",
                changes: &[],
            },
            Answer {
                value: "2",
                meaning: "two",
                changes: &[Change::PrefixesDecodedAhead(false)],
            },
        ],
    },
    Assumption {
        name: "imul_r32",
        decides: "the clocks of MUL of 32 bits, and of IMUL with two or three operands",
        sources: IMUL,
        answers: &[
            Answer {
                value: "9",
                meaning: "9, and microcode that uses the result next waits for the tenth",
                changes: &[],
            },
            Answer {
                value: "10",
                meaning: "10",
                changes: &[Change::Rows(IMUL_10)],
            },
        ],
    },
    Assumption {
        name: "imul_one_operand",
        decides: "the clocks of IMUL of 32 bits with one operand",
        sources: "Intel instruction set reference: 10; Agner Fog, Instruction tables 2021: 9. Of one published routine \
                  there are two measured versions that differ in this instruction alone, and the one with IMUL takes a \
                  clock more, while other routines fix MUL and the other forms of IMUL at 9. That proves nothing yet: \
                  in the same loop SETcc has its prefix, or SBB stands beside INC",
        answers: &[
            Answer {
                value: "9",
                meaning: "9, and microcode that uses the result next waits for the tenth, as with MUL",
                changes: &[],
            },
            Answer {
                value: "10",
                meaning: "10",
                changes: &[Change::Rows(IMUL_ALONE_10)],
            },
        ],
    },
    Assumption {
        name: "early_writes",
        decides: "which microcode writes registers before its last clock, so that no address right after it waits",
        sources: "Two published and measured loops of 17 groups and LOOP, whose next load is indexed by ECX, show no \
                  interlock: LOOP writes ECX before its last clock. Of others nothing was measured on purpose. That \
                  tables give LODS 2 clocks, STOS 3, MOVS 4, SCAS 4 and CMPS 5, if measured of many in a row, fits: \
                  each addresses by what the one before it steps. LEAVE takes as long as MOV ESP,EBP, an interlock and \
                  POP EBP; POPA takes two registers a clock. RET with a count is known to cause an interlock, and does \
                  so with either answer",
        answers: &[
            Answer {
                value: "stepped",
                meaning: "all that steps a counter or a pointer: LOOPE, LOOPNE and REP write ECX early, string \
                          instructions ESI and EDI, POPA all but ECX and EAX, LEAVE ESP, ENTER EBP. What microcode \
                          loads or computes as its result, as XLAT, MUL, XADD or the EAX of LODS, it writes last",
                changes: &[],
            },
            Answer {
                value: "loop",
                meaning: "LOOP alone, of which it was measured",
                changes: &[Change::OnlyMeasuredEarly],
            },
        ],
    },
    Assumption {
        name: "read_ahead",
        decides: "whether the fetch reads the next code line ahead if a page ends between the two",
        sources: "Intel, Pentium Processor Family Developer's Manual 1997, 2.2: prefetches are requested one line \
                  after the other until a branch is fetched, without a word of pages. It shows in code as large as \
                  the code cache: the line read ahead after the end of a loop evicts its first one, and each line \
                  that the cache lacks is read, and decoded anew, two or three times a round. No published count \
                  decides it",
        answers: &[
            Answer {
                value: "page",
                meaning: "it does not, as that might need a walk of the page tables",
                changes: &[],
            },
            Answer {
                value: "translated",
                meaning: "it does if the translation of the next page is in the code TLB",
                changes: &[Change::ReadsIntoNextPage(true)],
            },
        ],
    },
    Assumption {
        name: "mov_sreg",
        decides: "the clocks of MOV of a general register to a segment register, but for SS outside real mode",
        sources: SEGMENT,
        answers: &[
            Answer {
                value: "2",
                meaning: "2, and 10 with another descriptor from a table of the program's own",
                changes: &[],
            },
            Answer {
                value: "3",
                meaning: "3, and 11 with another descriptor from a table of the program's own",
                changes: &[Change::Rows(SEGMENT_3)],
            },
        ],
    },
    Assumption {
        name: "mispredicted_jump",
        decides: "the clocks of a direct JMP or CALL that is mispredicted, with its own",
        sources: "Intel, Pentium Processor Family Developer's Manual 1997, 2.2: three clocks more than the one of its \
                  own, in either pipe; Abrash, Graphics Programming Black Book, 19 to 21: three in all",
        answers: &[
            Answer {
                value: "4",
                meaning: "4 (5 on the P55C), as any branch that EX resolves",
                changes: &[],
            },
            Answer {
                value: "3",
                meaning: "3 (4 on the P55C), as if it were resolved a stage before EX",
                changes: &[Change::DirectBeforeEx],
            },
        ],
    },
    Assumption {
        name: "transcendental_flops",
        decides: "how often FLOPS (22h) counts a transcendental function",
        sources: "Intel, Pentium Processor Family Developer's Manual 1997, 16.4: they consist of several additions and \
                  multiplications and raise the event several times. How many there are is not documented; a chain of \
                  them, each of which needs the one before, has one for every 3 clocks of the latency",
        answers: &[
            Answer {
                value: "several",
                meaning: "a third of its least latency: FSIN and FCOS 21, FSINCOS 29, F2XM1 17, FYL2X 34, FPTAN 40, \
                          FPATAN 37",
                changes: &[],
            },
            Answer {
                value: "1",
                meaning: "once, as a division",
                changes: &[Change::MostOperations(1)],
            },
        ],
    },
    Assumption {
        name: "btb_forwarding",
        decides: "whether a branch that recurs within four groups sees the counter that is still being written",
        sources: "Agner Fog, Microarchitecture 2020, 3.2; no published count depends on it",
        answers: &[
            Answer {
                value: "4",
                meaning: "it does: the lowest state then changes by one when the branch is taken",
                changes: &[],
            },
            Answer {
                value: "0",
                meaning: "it never does: the lowest state always changes to the highest",
                changes: &[Change::BtbUpdateGroups(0)],
            },
        ],
    },
    Assumption {
        name: "status_wait",
        decides: "how long FNSTSW waits for the status of a comparison right before it",
        sources: STATUS,
        answers: &[
            Answer {
                value: "4",
                meaning: "4 clocks, so that FCOM, FNSTSW AX, SAHF and a jump take 10",
                changes: &[],
            },
            Answer {
                value: "3",
                meaning: "3 clocks, so that they take 9",
                changes: &[Change::Rows(STATUS_3)],
            },
        ],
    },
    Assumption {
        name: "fdiv",
        decides: "the quotients of FDIV and its relatives",
        sources: "Intel corrected the divider in 1994; until then five entries of its table of quotient digits were \
                  missing. The quotients are those of Coe and Tang's model, which gives every published one",
        answers: &[
            Answer {
                value: "right",
                meaning: "correctly rounded",
                changes: &[],
            },
            Answer {
                value: "flawed",
                meaning: "wrong in the fifth digit for some operands: 4195835 / 3145727 is 1.33373906...",
                changes: &[Change::Divider(Divider::Flawed)],
            },
        ],
    },
    Assumption {
        name: "faulted_compare",
        decides: "the flags that REPE CMPS and its relatives leave when an iteration faults",
        sources: "Intel SDM, volume 2, REP: they are restored to the state before the instruction. Of today's \
                  processors some leave those of the last comparison that was done, as AMD's do; how a Pentium does is \
                  not measured",
        answers: &[
            Answer {
                value: "before",
                meaning: "those from before the instruction, as if it had not begun",
                changes: &[],
            },
            Answer {
                value: "last",
                meaning: "those of the last comparison that was done",
                changes: &[Change::FaultedComparison(FaultedComparison::LastDone)],
            },
        ],
    },
    Assumption {
        name: "errata",
        decides: "whether the counters of the P54C miscount as documented when a program reads them; `--errata` is \
                  short for `--assume errata=on`",
        sources: "Intel, Pentium Processor Specification Update 1997, erratum 44. Left out is what it says of pages \
                  that fault (02h, 0Dh), exceptions in V (16h, 17h), breakpoints and interrupts (23h to 27h) and \
                  pins, and what depends on clocks it does not give (0Ah, 1Ah)",
        answers: &[
            Answer {
                value: "off",
                meaning: "they count what the manual says",
                changes: &[],
            },
            Answer {
                value: "on",
                meaning: "misses of misaligned accesses count twice (03h, 04h, 29h), as do misaligned FST and FSTP \
                          (0Bh); VERR and VERW are flushes (15h); waits of writes to M or E lines are not counted \
                          (1Bh); reads of ports are noncacheable reads (1Eh). Regions count as the counters do; the \
                          events of the whole run stay right",
                changes: &[Change::Miscounts(true)],
            },
        ],
    },
    Assumption {
        name: "rep_zero",
        decides: "the clocks of a repeated string instruction with ECX = 0",
        sources: "remembered from Intel's tables, which give 6 or 7; not measured",
        answers: &[
            Answer {
                value: "6",
                meaning: "6, or the start-up if that is less",
                changes: &[],
            },
            Answer {
                value: "startup",
                meaning: "the whole start-up, as with iterations",
                changes: &[Change::RepeatedZeroTimes(u32::MAX)],
            },
        ],
    },
];

/// Returns the choice that `text` describes, as `NAME=VALUE`.
///
/// # Errors
/// The problem, with the names or values that exist.
pub fn choice(text: &str) -> Result<Choice, String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let listed = |words: &mut dyn Iterator<Item = &'static str>| words.collect::<Vec<_>>().join(", ");
    let Some(assumption) = ASSUMPTIONS.iter().find(|assumption| assumption.name == name) else {
        let names = listed(&mut ASSUMPTIONS.iter().map(|assumption| assumption.name));
        let example = ASSUMPTIONS[0].example();
        return Err(format!(
            "no such assumption; there are {names}; write it as in `{example}`"
        ));
    };
    let Some(answer) = assumption.answers.iter().find(|answer| answer.value == value) else {
        let values = listed(&mut assumption.answers.iter().map(|answer| answer.value));
        let example = assumption.example();
        return Err(format!("{name} is one of {values}; write it as in `{example}`"));
    };
    Ok(Choice { assumption, answer })
}

/// The chips made so far: one for each combination that was requested, each made once.
static MADE: Mutex<Vec<&'static Model>> = Mutex::new(Vec::new());

impl Model {
    /// This chip under `choices`. Of two answers to one question the later one applies, even if the earlier one belongs
    /// to this chip.
    pub fn assuming(&'static self, choices: &[Choice]) -> &'static Model {
        if let (Some(base), false) = (self.base, self.assumed.is_empty()) {
            return base.assuming(&[self.assumed, choices].concat());
        }
        let mut last: Vec<Choice> = Vec::new();
        for choice in choices {
            last.retain(|other| !std::ptr::eq(other.assumption, choice.assumption));
            last.push(*choice);
        }
        last.retain(|choice| !choice.is_usual());
        last.sort_by_key(|choice| choice.assumption.name);
        if last.is_empty() {
            return self;
        }
        let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = made
            .iter()
            .find(|model| model.base.is_some_and(|base| std::ptr::eq(base, self)) && model.assumed == last);
        if let Some(model) = known {
            return model;
        }
        let mut changed = Model {
            base: Some(self),
            rows: &[],
            assumed: &[],
            ..*self
        };
        for change in last.iter().flat_map(|choice| choice.answer.changes) {
            change.apply(&mut changed);
        }
        changed.assumed = Vec::leak(last);
        let model = Box::leak(Box::new(changed));
        made.push(model);
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MODELS;

    fn chosen(text: &str) -> Choice {
        choice(text).expect("exists")
    }

    #[test]
    fn a_choice_names_an_answer_or_says_what_exists() {
        assert_eq!(chosen("imul_r32=10").answer.meaning, "10");
        assert_eq!(
            choice("imul_r32=8").expect_err("no such answer"),
            "imul_r32 is one of 9, 10; write it as in `--assume imul_r32=10`"
        );
        assert!(
            choice("imul")
                .expect_err("no such question")
                .contains("shadow_reach, imul_r32")
        );
    }

    #[test]
    fn a_chip_with_a_table_of_its_own_keeps_its_figures() {
        let chip = crate::by_name("i486").expect("exists");
        let other = chip.assuming(&[chosen("imul_r32=10"), chosen("rep_zero=startup"), chosen("mov_sreg=3")]);
        assert!(other.rows.is_empty());
        assert_eq!(other.rules.repeated_zero_times, chip.rules.repeated_zero_times);
    }

    #[test]
    fn the_usual_answers_are_the_chip_itself_and_others_are_made_once() {
        let chip = MODELS[0];
        assert!(std::ptr::eq(chip.assuming(&[chosen("imul_r32=9")]), chip));
        let other = chip.assuming(&[chosen("imul_r32=9"), chosen("imul_r32=10"), chosen("shadow_reach=2")]);
        assert_eq!(other.assumed.len(), 2);
        assert!(!other.rules.prefixes_decoded_ahead);
        let again = chip.assuming(&[chosen("shadow_reach=2"), chosen("imul_r32=10")]);
        assert!(std::ptr::eq(other, again));
        assert!(std::ptr::eq(
            other.assuming(&[chosen("imul_r32=9"), chosen("shadow_reach=3")]),
            chip
        ));
        assert!(std::ptr::eq(
            chip.assuming(&[chosen("imul_r32=10"), chosen("imul_r32=9")]),
            chip
        ));
    }

    #[test]
    fn each_answer_but_the_usual_one_changes_the_chip() {
        let chip = MODELS[0];
        for assumption in ASSUMPTIONS {
            assert!(assumption.answers.len() > 1, "{}", assumption.name);
            for (index, answer) in assumption.answers.iter().enumerate() {
                let model = chip.assuming(&[Choice { assumption, answer }]);
                let same_rules = format!("{:?}", model.rules) == format!("{:?}", chip.rules);
                let same_meaning = model.divider == chip.divider && model.faulted_comparison == chip.faulted_comparison;
                let same = same_rules && same_meaning && (std::ptr::eq(model, chip) || model.rows.is_empty());
                assert_eq!(same, index == 0, "{}={}", assumption.name, answer.value);
            }
        }
    }
}
