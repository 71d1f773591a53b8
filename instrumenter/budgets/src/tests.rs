//! The meaning of budgets, and the errors in invalid ones.

use super::*;

fn files(text: &str) -> Vec<SourceFile> {
    vec![SourceFile::new("a.asm", text)]
}

fn budgets(text: &str, regions: &[(u32, u32)]) -> Vec<Budget> {
    let files = files(text);
    read(&files, None, Some(regions)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn scope(text: &str) -> Scope {
    let found = budgets(text, &[(0, 4)]);
    assert_eq!(found.len(), 1, "{text}");
    found[0].scope.clone()
}

fn label(name: &str, first: u32, last: u32) -> Scope {
    Scope::Label {
        name: name.to_owned(),
        lines: (first, last),
    }
}

#[test]
fn a_budget_is_a_quantity_a_comparison_and_a_limit() {
    let text = "nop ; P5: cycles <= 1_6, pairs>=90% ,pairs > 2, v == 33.25%\n\
        nop ;;p5: CPI < 0.5, bank  conflict == 0\n; p5:cold cycles <= 7\nStartTSC x\n\
        db '; p5: no' ; or p5: this\n";
    let found = budgets(text, &[(0, 4)]);
    let told: Vec<(u32, Quantity, bool, &str, u64)> = found
        .iter()
        .map(|one| (one.line, one.quantity, one.cold, one.relation.sign(), one.limit))
        .collect();
    assert_eq!(
        told,
        [
            (1, Quantity::Cycles, false, "<=", 16_000_000),
            (1, Quantity::PairedShare, false, ">=", 90_000_000),
            (1, Quantity::Pairs, false, ">", 2_000_000),
            (1, Quantity::VShare, false, "==", 33_250_000),
            (2, Quantity::ClocksPerInstruction, false, "<", 500_000),
            (2, Quantity::Spent(Cause::BankConflict), false, "==", 0),
            (3, Quantity::Cycles, true, "<=", 7_000_000),
        ]
    );
    assert_eq!(found[6].scope, Scope::Region(4));
    let (start, end) = found[1].written;
    assert_eq!(text.get(start as usize..end as usize), Some("pairs>=90%"));
}

#[test]
fn a_label_stands_for_its_loop_or_for_what_is_before_the_next_label() {
    assert_eq!(scope("next: dec ecx ; p5: agi == 0\njnz next\n"), Scope::Line(1));
    assert_eq!(
        scope("next: ; p5: agi == 0\ndec ecx\nin: inc eax\njz in\njnz short NEXT\nret\nend next\n"),
        label("next", 1, 5)
    );
    assert_eq!(scope("a: ; p5: agi == 0\nnop\nb: nop\njmp b\n"), label("a", 1, 2));
    assert_eq!(scope("a: ; p5: agi == 0\nnop\nret\n"), label("a", 1, 3));
    assert_eq!(
        scope("@@:; p5: agi == 0\nnop\nloop @b\nnop\n@@: nop\njmp @b\n"),
        label("@@", 1, 3)
    );
    assert_eq!(
        scope("f proc near ; p5: agi == 0\na: nop\ng endp\nf endp\nnop\n"),
        label("f", 1, 4)
    );
    assert_eq!(scope("; p5: agi == 0\n\n; more\nStartTSC\n"), Scope::Region(4));
}

#[test]
fn what_comment_skips_is_no_budget_and_no_code() {
    let text = "comment ~\nnop ; p5: cycles <= 1\n~ ; p5: cycles <= 2\nnop ; p5: cycles <= 3\n\
        COMMENT + ; p5: cycles <= 4 +\n; p5: cycles <= 5\ncomment ! nop\nnop\n!\nnop\n";
    let found = budgets(text, &[]);
    let told: Vec<(u32, &Scope)> = found.iter().map(|one| (one.line, &one.scope)).collect();
    assert_eq!(told, [(4, &Scope::Line(4)), (6, &Scope::Line(10))]);
}

#[test]
fn comments_of_c_and_gnu_have_budgets_where_these_languages_have_comments() {
    let found = |name: &str, text: &str| {
        let code = Code::of(text, Notation::of(name));
        let found: Vec<(u32, String)> = code.budgets().map(|(line, _, text)| (line, text.to_owned())).collect();
        (found, code.concerned(1).map(|(line, _)| line))
    };
    let one = |line, text: &str| vec![(line, text.to_owned())];
    let c = "// p5: cycles <= 3\n#define X\n\n  x = '\"' + '\\''; // no p5: agi == 0\ny = 1;";
    assert_eq!(found("a.c", c), (one(1, "cycles <= 3"), Some(4)));
    let long = "/* a function\n * p5: agi == 0, cpi < 1 */ int f(void)\nputs(\"// p5: v > 9%\");";
    assert_eq!(found("b.hpp", long), (one(2, "agi == 0, cpi < 1"), Some(2)));
    assert_eq!(found("a.c", "x = 1; /* p5: agi == 0 */ y = 2;").0, one(1, "agi == 0"));
    assert_eq!(found("a.rs", "fn f<'a>() { // p5: agi == 0").0, one(1, "agi == 0"));
    let gnu = "# p5: agi == 0\n  .text\n.loop: # here\n nop; nop # P5: cycles <= 2\n nop ;; p5: cpi < 2\n";
    let (budgets, first) = found("a.s", gnu);
    assert_eq!(budgets[1..], [(4, "cycles <= 2".to_owned()), (5, "cpi < 2".to_owned())]);
    assert_eq!((budgets.len(), first), (3, Some(3)));
    assert_eq!(found("a.asm", "mov eax,1 // p5: agi == 0").0, []);
    let many = format!("nop {}\n", ";".repeat(1 << 20));
    assert_eq!(found("a.S", &many).0, []);
}

#[test]
fn a_label_of_gnu_may_be_a_number() {
    let code = Code::of("1: # p5: agi == 0\ndec %ecx\njnz 1b\nret\n1: jmp 1b\n", Notation::Gnu);
    assert_eq!(code.scope(1, |_| false), Some(label("1", 1, 3)));
}

#[test]
fn local_labels_of_other_assemblers_belong_to_the_label_before_them() {
    let gnu = "addmul_1: # p5: cycles <= 9\nmov %ecx,%eax\n.L1: dec %ecx\njnz .L1\n2: ret\nnext: ret\n";
    let code = Code::of(gnu, Notation::Gnu);
    assert_eq!(code.scope(1, |_| false), Some(label("addmul_1", 1, 5)));
    let nasm = "addmul_1: ; p5: cycles <= 9\nmov eax,ecx\n.again: dec ecx\njnz .again\nret\nnext: ret\n";
    assert_eq!(scope(nasm), label("addmul_1", 1, 5));
    // A local label ends at the next one of any kind.
    assert_eq!(scope("f:\n.a: ; p5: cycles <= 9\nnop\n.b: nop\n"), label(".a", 2, 3));
}

#[test]
fn there_are_not_too_many_budgets_and_the_library_has_none() {
    let line = "nop ; p5: agi == 0\n";
    assert_eq!(budgets(&line.repeat(MOST), &[]).len(), MOST);
    let problems = read(&files(&line.repeat(MOST + 1)), None, Some(&[])).expect_err("too many");
    assert_eq!(problems[0].message, "more than 1000 budgets in a program");
    assert_eq!(read(&files(line), Some(0), Some(&[])), Ok(Vec::new()));
}

#[test]
fn no_source_has_more_than_a_thousand_budgets_or_searches_far_for_their_ends() {
    let problems = |text: &str| match read(&files(text), None, Some(&[])) {
        Ok(budgets) => panic!("{} budgets", budgets.len()),
        Err(problems) => problems,
    };
    let wrong = problems(&format!("nop ; p5: {}\n", "x,".repeat(100_000)));
    assert_eq!(wrong.len(), MOST + 2, "the last one says so");
    let good = problems(&"nop ; p5: cycles <= 1\n".repeat(100_000));
    assert_eq!(good.len(), 1);
    let without_code = problems(&"; p5: cycles <= 1\n".repeat(100_000));
    assert_eq!(without_code.len(), 1);
    let far = format!("l: ; p5: cycles <= 1\n{}jnz l\n", "nop\n".repeat(100_000));
    assert_eq!(scope(&far), label("l", 1, 10_001));
}
