//! Open questions: a question that a run does not touch has no effect on it, for random programs and those of the
//! folder `asm`.

use crate::engines::generate::Shape;
use crate::engines::identities::difference;
use crate::engines::{random_program, simulate_on};
use iced_x86::Code;
use runtime::machine::{self, Options};
use runtime::model::{ASSUMPTIONS, Model};
use runtime::run::{Answers, Run};
use std::collections::BTreeMap;

const PROGRAMS: u64 = 64;
/// Questions that some random programs touch and some do not.
const SOMETIMES: [&str; 3] = ["shadow_reach", "imul_r32", "status_wait"];

/// The questions that were touched, and how often an answer changed a run.
#[derive(Default)]
struct Seen {
    touched: BTreeMap<&'static str, u64>,
    changed: BTreeMap<&'static str, u64>,
}

impl Seen {
    /// Whether an answer to this question changed a run.
    fn is_changed(&self, name: &str) -> bool {
        self.changed.contains_key(name)
    }
}

/// Runs `simulate` under each answer, and names those with an effect on a run that did not touch the question.
fn wrong(model: &'static Model, simulate: &dyn Fn(&'static Model) -> Run, seen: &mut Seen) -> Vec<String> {
    let run = simulate(model);
    let mut wrong = Vec::new();
    for question in ASSUMPTIONS {
        let touched = run.answers.touched.contains(&question.name);
        *seen.touched.entry(question.name).or_default() += u64::from(touched);
        for choice in question.others(&question.answers[0]) {
            let mut other = simulate(model.assuming(&[choice]));
            assert_eq!(other.assumed, [(question.name, choice.answer.value)]);
            // These two fields contain the assumption, and another path may touch other questions.
            other.assumed = run.assumed.clone();
            other.answers = Answers {
                touched: if touched {
                    run.answers.touched.clone()
                } else {
                    other.answers.touched
                },
                chosen: Vec::new(),
                ..other.answers
            };
            let Some(difference) = difference(&run, &other) else {
                continue;
            };
            *seen.changed.entry(question.name).or_default() += 1;
            if !touched {
                wrong.push(format!(
                    "{}={} on {}: {difference}",
                    question.name, choice.answer.value, model.name
                ));
            }
        }
    }
    wrong
}

#[test]
fn a_question_that_a_run_does_not_touch_changes_nothing() {
    let first = p5_seeds::seed();
    let mut seen = Seen::default();
    let mut programs = 0;
    // A seventh of the programs touches the rarest of these questions: of one round, one in 30,000 has none of them.
    while programs < PROGRAMS || programs < 8 * PROGRAMS && !SOMETIMES.iter().all(|name| seen.is_changed(name)) {
        let number = programs;
        programs += 1;
        let seed = first + number;
        let (model, options, text) = random_program(seed, number, |usual, model, options| Shape {
            privileged: options.cpl == 0 && number % 3 == 0,
            time: number % 2 == 0 && model.isa.has(Code::Rdtsc),
            ..usual
        });
        let simulate = |model: &'static Model| simulate_on(model, &text, &options, seed);
        let wrong = wrong(model, &simulate, &mut seen);
        assert!(wrong.is_empty(), "seed {seed}: {}\n{text}", wrong.join("\n"));
    }
    println!("touched {:?}, changed {:?}", seen.touched, seen.changed);
    // A question that is always touched, or whose answers never have an effect, would prove nothing.
    for name in SOMETIMES {
        let touched = seen.touched[name];
        assert!((1..programs).contains(&touched), "{name}: touched by {touched}");
        assert!(seen.is_changed(name), "{name} never changes anything");
    }
}

/// Straight code without a prefix, an instruction of several clocks, and a loop each touch only their own questions.
#[test]
fn each_question_is_touched_by_what_it_concerns_and_by_nothing_else() {
    let touched = |text: &str| {
        let options = Options::default();
        let run = simulate_on(snapshots::chip(), text, &options, 0);
        run.answers.touched
    };
    let none: [&str; 0] = [];
    assert_eq!(touched("mov eax,1\nadd eax,[esp]\nshl eax,4\n"), none);
    for (text, name) in [
        ("mov ax,bx\n", "shadow_reach"),
        ("imul ecx\n", "imul_one_operand"),
        ("mul ecx\n", "imul_r32"),
        ("imul eax,ecx,5\n", "imul_r32"),
        ("jmp next\nnext: nop\n", "btb_forwarding"),
        ("jmp next\nnext: nop\n", "mispredicted_jump"),
        ("mov ax,ds\nmov es,ax\n", "mov_sreg"),
        ("mov ecx,2\ncld\nmov esi,esp\nlodsb\n", "early_writes"),
        ("mov ecx,2\nmov edi,esp\nrepne scasb\n", "faulted_compare"),
        ("fldz\nfsin\n", "transcendental_flops"),
        ("jmp last\nalign 4096\ndb 4080 dup(90h)\nlast: nop\n", "read_ahead"),
        ("fnstsw [esp-8]\n", "status_wait"),
        ("fld1\nfld1\nfdivp st(1),st(0)\n", "fdiv"),
        ("mov ecx,10h\nrdmsr\n", "errata"),
    ] {
        let found = touched(text);
        assert!(found.contains(&name), "{text}: {found:?}");
    }
    let strings = touched("mov ecx,0\nrep stosd\n");
    assert!(
        strings.contains(&"rep_zero") && !strings.contains(&"btb_forwarding"),
        "{strings:?}"
    );
    // A multiplication of words has a prefix and separate rows.
    assert!(!touched("imul cx\n").contains(&"imul_r32"));
}

#[test]
fn no_program_of_the_folder_is_changed_by_what_it_does_not_touch() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/asm");
    let files = std::fs::read_dir(folder).expect("the folder exists");
    let mut seen = Seen::default();
    let mut all = Vec::new();
    for file in files {
        let path = file.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("a program");
        // Some programs do not end, and some need a chip or a monitor.
        let options = Options {
            runs: 2,
            limit: 50_000,
            ..Options::default()
        };
        let name = path
            .strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .unwrap_or(&path);
        let name = name.display().to_string();
        let Ok(image) = snapshots::assembled(&name, &text, options.cpl) else {
            continue;
        };
        let simulate = |model: &'static Model| machine::simulate(&image, &name, model, &options, &mut |_| {});
        let wrong = wrong(snapshots::chip(), &simulate, &mut seen);
        all.extend(wrong.into_iter().map(|words| format!("{name}: {words}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(
        seen.touched.values().all(|&programs| programs > 0),
        "{:?}",
        seen.touched
    );
}
