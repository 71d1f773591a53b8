//! Budgets that a program in Rust judges, without the command.

use instrumenter::command::diagnostics::render;
use instrumenter::source::Sources;
use instrumenter::{Assembly, Options, assemble, budgets};
use runtime::image::SourceFile;
use runtime::run::Run;
use runtime::{machine, model};
use std::sync::Arc;

/// A loop of four instructions with budgets, of which one is in a comment of a line that a condition leaves out.
const SOURCE: &str = "if 0\nnop ; p5: cycles <= 0\nendif\nmov ecx,16\nnext: ; p5: cycles <= 5\nshr eax,1\nsbb edx,edx\n\
                      and edx,0EDB88320h\ndec ecx\njnz next\nmov ebx,1 ; p5: ecx == 0\n";

fn assembled_and_run(source: &str) -> (Assembly, Run) {
    let assembly = assemble(&Sources::single("a.asm", source), &Options::default());
    let image = assembly.image.as_ref().expect("it assembles");
    let options = machine::Options::default();
    let run = machine::simulate(image, "a.asm", model::MODELS[0], &options, &mut |_| {});
    (assembly, run)
}

/// The words about the budgets of a source, and how many are judged.
fn judged(source: &str) -> (String, usize) {
    let (assembly, mut run) = assembled_and_run(source);
    assert_eq!(run.budgets, [], "a run itself reads no comments");
    let failed = budgets::judge(&assembly, &mut run);
    (render(&failed, &run.files, false, 80), run.budgets.len())
}

#[test]
fn one_call_reads_the_budgets_of_a_source_and_judges_them() {
    assert_eq!(judged(SOURCE), (String::new(), 2));
    let (words, count) = judged(&SOURCE.replace("cycles <= 5", "cycles <= 4"));
    assert_eq!(count, 2);
    assert!(
        words.starts_with("error: 4.19 clocks, but the budget is at most 4\n") && words.contains("a.asm:5:"),
        "{words}"
    );
    assert!(!words.contains("a.asm:2:"), "{words}");
    let (words, count) = judged(&SOURCE.replace("ecx == 0", "ecx == 1"));
    assert!(count == 2 && words.contains("a.asm:11:"), "{words}");
}

#[test]
fn an_invalid_budget_is_said_and_none_is_judged() {
    let (words, count) = judged(&SOURCE.replace("cycles <= 5", "cycels <= 5"));
    assert_eq!(count, 0);
    assert!(
        words.contains("did you mean `cycles`?") && words.contains("a.asm:5:"),
        "{words}"
    );
    assert_eq!(judged("nop ; no budget\n"), (String::new(), 0));
}

#[test]
fn the_budgets_of_another_tools_program_are_judged_by_its_lines() {
    let (assembly, mut run) = assembled_and_run(&SOURCE.replace("cycles <= 5", "cycles <= 4"));
    let mut image = assembly.image.expect("it assembles");
    // Nothing is known of conditions.
    let text = image.files[0].text.replace("nop ;", ";");
    image.files[0].text = Arc::from(text);
    let failed = budgets::judge_program(&image, &mut run);
    assert_eq!((failed.len(), run.budgets.len()), (2, 3), "{failed:?}");
}

#[test]
fn what_means_nothing_is_said_with_what_is_known() {
    let text = "\tnop\t; p5: cycels <= 16\nnop ; p5: speed <= 1\nnop ; p5: cycles = 1\nnop ; p5: cycles\n\
        nop ; p5:\nnop ; p5: cycles <= 9%\nnop ; p5: v >= 1\nnop ; p5: cold agi == 0\nnop ; p5: agi <=\n\
        nop ; p5: agi == 0x1, <= 3, agi == 0.1234567\n; p5: agi == 0\n";
    let files = [SourceFile::new("a.asm", text)];
    let problems = budgets::read(&files, None, Some(&[])).expect_err("nothing of it means anything");
    insta::assert_snapshot!(render(&problems, &files, false, 80));
}
