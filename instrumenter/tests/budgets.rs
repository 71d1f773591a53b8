//! Budgets in comments of the source: budgets that hold, budgets that do not with the reason, and invalid ones.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;
use std::process::Output;

/// A loop of 64 rounds with a stall, in a region; its budgets hold.
const HOLDS: &str = "        .586
        .model flat
        .data
table   dd 64 dup (1)
        .code
start:  mov esi,offset table
        mov ecx,64
        StartTSC sums           ; p5: cycles <= 259, cold cycles <= 1_000
next:   ; p5: cycles < 4.1, pairs >= 2, agi < 1
        add eax,[esi]           ; p5: cycles <= 3, instructions == 1, v == 0%
        dec ecx                 ; p5: v > 99%
        lea esi,[esi+4]
        jnz next
        EndTSC
        ret                     ; p5: cpi > 0
        end start
";

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), text).expect("a file is written");
    folder
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn what_a_conditional_leaves_out_has_no_budgets() {
    let source = "WIDE equ 0\nif WIDE\nmov eax,1 ; p5: cycles > 99\nmov eax,1 ; p5: nonsense\nelse\n\
                  mov eax,2 ; p5: cycles <= 1\nendif\nret\n";
    let output = finished(folder(source).path(), "a.asm");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("The budget holds"),
        "{}",
        text(&output.stdout)
    );
    let output = finished(folder(source).path(), "check a.asm");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = finished(folder(source).path(), "a.asm -D WIDE=1");
    assert_eq!(
        output.status.code(),
        Some(2),
        "the definition of the source is another one"
    );
    let output = finished(folder(&source.replace("WIDE equ 0", "")).path(), "a.asm -D WIDE=1");
    assert!(text(&output.stderr).contains("nonsense"), "{}", text(&output.stderr));
}

#[test]
fn budgets_that_hold_change_nothing_but_a_line() {
    let folder = folder(HOLDS);
    let output = finished(folder.path(), "a.asm");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stdout).contains("\nAll 10 budgets hold\n"),
        "{}",
        text(&output.stdout)
    );
    let report = json(&finished(folder.path(), "a.asm --format json"));
    let budgets = report["budgets"].as_array().expect("budgets");
    assert!(budgets.len() == 10 && budgets.iter().all(|budget| budget["ok"] == true));
    // The figures equal those of the report.
    assert_eq!(budgets[0]["amount"], report["regions"][0]["warm"]["cycles"]["median"]);
    assert_eq!(budgets[1]["amount"], report["regions"][0]["cold"]["cycles"]);
    let lines = report["lines"].as_array().expect("lines");
    let line = |number: u64| {
        lines
            .iter()
            .find(|line| line["line"] == number && line["library"] == false)
    };
    let add = line(10).expect("executed");
    assert_eq!(budgets[5]["amount"], add["cycles"]);
    assert_eq!(budgets[5]["per"], add["executions"]);
    assert_eq!(budgets[4]["name"], "agi < 1");
    assert_eq!(budgets[4]["amount"], add["reasons"]["agi"]);
    let of_loop: u64 = (10..=13)
        .map(|number| line(number).expect("executed")["cycles"].as_u64().expect("a number"))
        .sum();
    assert_eq!(
        (&budgets[2]["amount"], &budgets[2]["per"]),
        (&of_loop.into(), &64.into())
    );
    let plain = folder.path().join("plain.asm");
    fs::write(plain, HOLDS.replace("p5:", "")).expect("a file is written");
    let plain = json(&finished(folder.path(), "plain.asm --format json"));
    assert!(plain.get("budgets").is_none());
    assert_eq!(plain["regions"], {
        let mut regions = report["regions"].clone();
        regions[0]["file"] = "plain.asm".into();
        regions
    });
}

#[test]
fn budgets_that_do_not_hold_say_where_and_why() {
    let folder = folder(
        &HOLDS
            .replace("cycles <= 259, cold cycles <= 1_000", "cycles < 259, cold cycles == 1")
            .replace(
                "cycles < 4.1, pairs >= 2, agi < 1",
                "cycles <= 4, pairs >= 90.5%, pairs > 2, agi == 0",
            )
            .replace(
                "cycles <= 3, instructions == 1, v == 0%",
                "cpi < 3, v > 20%, instructions < 1",
            )
            .replace("        end start", "        nop  ; p5: cycles <= 1\n        end start"),
    );
    let output = finished(folder.path(), "a.asm");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("failed_budgets", text(&output.stderr));
    assert!(text(&output.stderr).lines().all(|line| line.chars().count() <= 80));
    // The failure is reported once, before the further runs of `--sure`.
    let sure = finished(folder.path(), "a.asm --sure");
    assert_eq!((sure.status.code(), &sure.stderr), (Some(1), &output.stderr));
    let told = text(&output.stdout);
    assert!(
        told.contains(" budgets of 12 fail, 1 of them because it is not judged\n"),
        "{told}"
    );
    // Both outputs say the same.
    let long = finished(folder.path(), "a.asm --long");
    assert!(text(&long.stdout).contains("`cycles <= 1` is not judged: the last run never got here"));
    assert!(text(&output.stderr).contains("the budget `cycles <= 1` is not judged"));
    let report = json(&finished(folder.path(), "a.asm --format json"));
    let budgets = report["budgets"].as_array().expect("budgets");
    let failed = budgets.iter().filter(|budget| budget["ok"] == false);
    for budget in failed.clone() {
        let message = budget["message"].as_str().expect("a message");
        assert!(text(&output.stderr).contains(&format!("error: {message}")), "{message}");
    }
    assert_eq!(failed.count(), text(&output.stderr).matches("error: ").count());
    assert_eq!(budgets.last().expect("one")["amount"], Value::Null);
}

#[test]
fn a_failed_budget_of_a_region_names_the_causes_of_its_own_clocks_cold_or_warm() {
    // The prefix of the first instruction takes its clock before the region, but on the instruction's line.
    let source = HOLDS
        .replace("cycles <= 259, cold cycles <= 1_000", "cycles < 9, cold cycles < 9")
        .replace("next:   ;", "        mov ax,word ptr table\nnext:   ;");
    let folder = folder(&source);
    let output = finished(folder.path(), "a.asm");
    assert_eq!(output.status.code(), Some(1));
    let report = json(&finished(folder.path(), "a.asm --format json"));
    let region = &report["regions"][0];
    let (warm, cold) = (&region["warm"]["cycles"]["median"], &region["cold"]["cycles"]);
    let lines = report["lines"].as_array().expect("lines").iter();
    let inside =
        lines.filter(|line| line["library"] == false && (9..=14).contains(&line["line"].as_u64().unwrap_or(0)));
    let of_lines: u64 = inside.map(|line| line["cycles"].as_u64().expect("a number")).sum();
    assert_eq!(
        Some(of_lines),
        warm.as_u64().map(|warm| warm + 1),
        "a clock at the edge"
    );
    let errors = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        errors.contains(&format!("{warm} clocks, but the budget is less than 9")),
        "{errors}"
    );
    assert!(errors.contains(&format!("of {warm}, execution: ")), "{errors}");
    assert!(errors.contains(", lost to agi: 63"), "{errors}");
    assert!(errors.contains(&format!("{cold} clocks, cold, but")), "{errors}");
    assert!(
        errors.contains(&format!("of {cold} lost to data read miss: ")),
        "{errors}"
    );
    assert!(errors.contains("data tlb miss: "), "{errors}");
    assert!(!errors.contains(&format!("of {of_lines}")), "{errors}");
}

#[test]
fn a_budget_that_means_nothing_is_an_error_of_check_too() {
    let folder =
        folder("        .586\n        .code\nstart:  nop     ; p5: cycels <= 10\n        ret\n        end start\n");
    for line in ["a.asm", "check a.asm"] {
        let output = finished(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(
            text(&output.stderr).contains("did you mean `cycles`?"),
            "{}",
            text(&output.stderr)
        );
    }
    // Data may be a result, though a file that is only checked is no program.
    fs::write(folder.path().join("c.asm"), RESULTS).expect("a file is written");
    let output = finished(folder.path(), "check c.asm");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let misspelled = RESULTS.replace("sum == 150", "summ == 150");
    fs::write(folder.path().join("c.asm"), misspelled).expect("a file is written");
    let output = finished(folder.path(), "check c.asm");
    assert!(
        text(&output.stderr).contains("unknown quantity `summ`"),
        "{}",
        text(&output.stderr)
    );
    // In a file that is not a program, the lines that begin regions are not known.
    fs::write(folder.path().join("b.asm"), "nop ; p5: cold cycles <= 10\n").expect("a file is written");
    let output = finished(folder.path(), "check b.asm");
    assert!(!text(&output.stderr).contains("budget"), "{}", text(&output.stderr));
}

#[test]
fn a_budget_where_the_run_ended_says_so() {
    let folder = folder(
        "        .586\n        .code\nstart:  nop\n        mov eax,ds:[0]     ; p5: cycles <= 1\n        \
         nop             ; p5: cycles <= 1\n        ret\n        end start\n",
    );
    let output = finished(folder.path(), "a.asm");
    let told = text(&output.stderr);
    assert_eq!(told.matches("did not complete").count(), 1, "{told}");
    assert_eq!(told.matches("never got here").count(), 1, "{told}");
    assert!(told.find("did not complete") < told.find("never got here"), "{told}");
}

#[test]
fn a_region_that_was_passed_once_is_cold() {
    let folder = folder(HOLDS);
    let output = finished(folder.path(), "a.asm --runs 1");
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(errors.contains("it was passed only once, cold"), "{errors}");
    let output = finished(folder.path(), "a.asm --limit 50");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("the last run did not complete this region"), "{errors}");
}

#[test]
fn a_budget_that_means_nothing_is_bad_input_and_nothing_runs() {
    let folder = folder(&HOLDS.replace("cycles <= 259", "cycels <= 259"));
    let output = finished(folder.path(), "a.asm --format csv -o out");
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("error: unknown quantity `cycels`\n --> a.asm:8:39\n"),
        "{errors}"
    );
    assert!(errors.contains("help: did you mean `cycles`?"), "{errors}");
    assert!(output.stdout.is_empty() && !folder.path().join("out").exists());
}

#[test]
fn text_of_a_failed_budget_is_escaped() {
    let text_of = "        .code\nstart:  nop\n\u{1b}[2J: ; p5: agi > 1 \u{202e}\n        end start\n";
    let folder = folder(text_of);
    let output = finished(folder.path(), "a.asm --color never");
    let all = [output.stdout, output.stderr].concat();
    let control = |one: char| one.is_control() && one != '\n' || one == '\u{202e}';
    assert!(!text(&all).contains(control), "{}", text(&all));
}

/// Under another answer, its multiplications take so long that it never ends; how long is measured when all is cached.
const ENDLESS: &str = "        .586
        .model flat
        .data
table   dd 64 dup (1)
        .code
start:  mov ebx,2
again:  rdtsc
        mov edi,eax
        mov ecx,1000
many:   imul edx,esi
        dec ecx
        jnz many
        rdtsc
        sub eax,edi
        dec ebx
        jnz again
        cmp eax,10500
forever: ja forever
        mov esi,offset table
        mov ecx,64
        StartTSC sums           ; p5: cycles <= 100
next:   add eax,[esi]
        dec ecx
        lea esi,[esi+4]
        jnz next
        EndTSC
        ret
        end start
";

#[test]
fn what_fails_is_explained_before_trials_take_the_time_that_is_left() {
    let folder = folder(ENDLESS);
    let output = finished(folder.path(), "a.asm --timeout 2 --limit 1000000000000 --runs 2");
    let told = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(1), "{told}");
    // The trial has taken all that was left, and the causes of the region's clocks are there.
    let shown = text(&output.stdout);
    assert!(shown.contains("no time was left of `--timeout`"), "{shown}");
    assert!(told.contains("agi"), "{told}");
}

/// Adds up 5 numbers; each result is required where it is declared, or at the end.
const RESULTS: &str = "        .586
        .model flat
        .data
numbers dd 10, 20, 30, 40, 50
sum     dd 0    ; p5: sum == 150
least   sdword -3 ; p5: least == -3, least < 0, least > -4
bytes   db 0FFh ; p5: bytes == 255, bytes == -1, bytes == 0FFh
        .code
start:  mov ecx,5
        xor eax,eax
next:   add eax,numbers[ecx*4-4]
        dec ecx
        jnz next
        mov SUM,eax
        ret             ; p5: EAX >= 150, ecx == 0, al == 96h, ah == 0
        end start
";

#[test]
fn a_budget_may_require_a_result() {
    let honest = folder(RESULTS);
    let output = finished(honest.path(), "a.asm --long");
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(told.contains("All 11 budgets hold\n"), "{told}");
    assert!(
        told.contains("  holds: at the end: sum is 150; limit: exactly 150\n"),
        "{told}"
    );
    let report = json(&finished(honest.path(), "a.asm --format json"));
    let first = &report["budgets"][0];
    assert_eq!(
        (&first["name"], &first["quantity"], &first["amount"], &first["required"]),
        (&"sum == 150".into(), &"result".into(), &150.into(), &150.into())
    );
    assert_eq!(
        (&first["limit_millionths"], &first["of"]),
        (&Value::Null, &"at the end".into())
    );

    let wrong = folder(&RESULTS.replace("mov ecx,5", "mov ecx,4"));
    let output = finished(wrong.path(), "a.asm");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("  fails: at the end: sum is 100"));
    assert!(text(&output.stdout).contains("sum is 100, but the budget is exactly 150"));
    assert!(text(&output.stderr).contains("error: sum is 100, but the budget is exactly 150"));
    assert!(text(&output.stderr).contains("a.asm:5:"), "{}", text(&output.stderr));

    // A program that is stopped has no result.
    let stopped = folder(&RESULTS.replace("        ret ", "        mov eax,ds:[0]\n        ret "));
    let output = finished(stopped.path(), "a.asm");
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("`sum == 150` is not judged: the program did not end by itself"),
        "{told}"
    );
}

#[test]
fn a_required_result_that_means_nothing_is_an_error_with_help() {
    let error = |budget: &str| {
        let folder = folder(&RESULTS.replace("sum == 150", budget));
        let output = finished(folder.path(), "a.asm");
        assert_eq!(output.status.code(), Some(2), "{budget}");
        text(&output.stderr).to_owned()
    };
    let misspelled = error("summ == 150");
    assert!(
        misspelled.contains("unknown quantity `summ`") && misspelled.contains("did you mean `sum`?"),
        "{misspelled}"
    );
    let array = error("numbers == 10");
    assert!(
        array.contains("`numbers` is not one whole number of at most 8 bytes"),
        "{array}"
    );
    for number in ["1.5", "150%", "ten", ""] {
        let wrong = error(&format!("sum == {number}"));
        assert!(
            wrong.contains("a result is compared with a whole number"),
            "{number}: {wrong}"
        );
    }
}

#[test]
fn a_budget_in_the_line_of_a_loops_label_says_that_it_limits_the_instruction_alone() {
    let alone = "this limits the instruction alone; to limit the loop, put `again:` in a line of its own";
    let program = |head: &str, jump: &str| {
        format!(
            ".586\n.model flat\n.data\nt db 64 dup (1)\n.code\nstart: mov esi,offset t\nmov ecx,64\n{head}\n\
             inc esi\ndec ecx\n{jump}\nret\nend start\n"
        )
    };
    let told = |source: &str| {
        let output = finished(folder(source).path(), "a.asm");
        let words: Vec<String> = text(&output.stdout).split_whitespace().map(str::to_owned).collect();
        words.join(" ")
    };
    for budget in ["cycles < 5", "cycles < 1", "agi < 1"] {
        let report = told(&program(&format!("again: mov al,[esi] ; p5: {budget}"), "jnz again"));
        assert!(report.contains(alone), "{budget}: {report}");
    }
    for (format, budget) in [("junit", 5), ("junit", 1), ("sarif", 1)] {
        let source = program(&format!("again: mov al,[esi] ; p5: cycles < {budget}"), "jnz again");
        let output = finished(folder(&source).path(), &format!("--format {format} a.asm"));
        assert!(
            text(&output.stdout).contains(alone),
            "{format}: {}",
            text(&output.stdout)
        );
    }
    let region = program(
        "StartTSC all\nagain: mov al,[esi] ; p5: cycles < 5",
        "jnz again\nEndTSC",
    );
    assert!(told(&region).contains(alone), "{}", told(&region));
    for (head, jump) in [
        // The label has a line of its own; no jump leads to it; the budget is of another line.
        ("again: ; p5: cycles < 5\nmov al,[esi]", "jnz again"),
        ("again:\nmov al,[esi] ; p5: cycles < 5", "jnz again"),
        ("again: mov al,[esi] ; p5: cycles < 5", "jz start"),
        ("again: mov al,[esi]\nnop ; p5: cycles < 5", "jnz again"),
    ] {
        let report = told(&program(head, jump));
        assert!(report.contains("The budget holds"), "{head}: {report}");
        assert!(!report.contains("instruction alone"), "{head}: {report}");
    }
}

#[test]
fn a_budget_that_holds_under_the_usual_answers_only_says_so_in_every_format() {
    let source = ".586\n.model flat\n.code\nstart: mov ecx,10\nStartTSC r ; p5: cycles <= 105, cold cycles <= 119\n\
                  z: imul eax,ecx ; p5: cycles <= 9.5, instructions == 1\ndec ecx\njnz z\nEndTSC\nret\nend start\n";
    let folder = folder(source);
    let output = finished(folder.path(), "a.asm");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "All 4 budgets hold, but not under every answer to open questions",
        "104 clocks; limit: at most 105; it fails under imul_r32=10: 114 clocks ",
        "limit: at most 9.5; it fails under imul_r32=10: 10.10 clocks",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let under = "it fails under imul_r32=10: 114 clocks";
    let report = json(&finished(folder.path(), "a.asm --format json"));
    assert_eq!(
        (&report["budgets"][0]["ok"], &report["budgets"][0]["fails_under"]),
        (&true.into(), &under.into())
    );
    assert_eq!(report["budgets"][3]["fails_under"], Value::Null);
    let log = json(&finished(folder.path(), "a.asm --format sarif"));
    let first = &log["runs"][0]["results"][0];
    assert_eq!((&first["level"], &first["ruleId"]), (&"note".into(), &"budget".into()));
    let words = format!("the budget `cycles <= 105` holds, but {under}");
    assert_eq!(first["message"]["text"], words);
    let cases = finished(folder.path(), "a.asm --format junit");
    assert!(text(&cases.stdout).contains(under) && text(&cases.stdout).contains("failures=\"0\""));
    let sure = finished(folder.path(), "a.asm --assume imul_r32=9");
    assert!(
        text(&sure.stdout).contains("All 4 budgets hold\n"),
        "{}",
        text(&sure.stdout)
    );
}

#[test]
fn a_comment_without_the_colon_of_a_budget_is_told() {
    let source = "        mov ecx,3 ; p5 and ecx = 3\nnext:   dec ecx ; P5 cycles <= 0\n        jnz next\n";
    for line in ["a.asm", "check a.asm"] {
        let output = finished(folder(source).path(), line);
        assert_eq!(output.status.code(), Some(0));
        let told = text(&output.stderr);
        assert_eq!(told.matches("this comment is no budget").count(), 1, "{told}");
        assert!(told.contains("a.asm:2:19") && told.contains("^^"), "{told}");
    }
}
