//! The certainty of a report's figures: ranges over runs under other answers, and clocks of doubted rows.

use crate::started;
use serde_json::Value;
use started::{finished, p5inst, printed, text};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// A multiplication whose clocks are an open question, and a repeated store with a doubted row.
const PROGRAM: &str = "        .586\n        .model flat\n        .data\nwords   db \"once\",13,10,\"$\"\n\
area    dd 8 dup (?)\n        .code\nstart:  mov ah,9\n        mov edx,offset words\n        int 21h\n\
        StartTSC both\n        mov eax,3\n        mov ecx,5\n        mul ecx\n        not ebx\n\
        mov edi,offset area\n        rep stosd\n        EndTSC\n        StartTSC neither\n        mov eax,1\n\
        EndTSC\n        ret\n        end start\n";

/// The same work so often that the runs exceed the clocks that are repeated by default.
const LONG: &str = "        .586\n        .model flat\n        .code\nstart:  mov ebx,10000\nagain:  mul ecx\n\
        dec ebx\n        jnz again\n        ret\n        end start\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, program) in [("both.asm", PROGRAM), ("long.asm", LONG)] {
        std::fs::write(folder.path().join(name), program).expect("a file is written");
    }
    folder
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(folder, &format!("{line} --format json"))).expect("JSON")
}

/// The figure of a bar under one answer.
fn under(bar: &Value, name: &str, value: &str) -> Option<u64> {
    let all = bar["under"].as_array().expect("an array");
    let found = all
        .iter()
        .find(|one| one["answers"] == serde_json::json!({ name: value }));
    found?["clocks"].as_u64()
}

#[test]
fn counts_of_a_region_have_the_range_of_the_same_runs() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = ".586\n.model flat\n.data\nangle dq 0.5\n.code\nstart:\n\
                   StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,functions\nfld angle\nfsin\nfstp angle\nEndProfile\n\
                   ret\nend start\n";
    std::fs::write(path.join("counts.asm"), program).expect("a file is written");
    let counted = |line: &str| json(path, line)["regions"][0]["warm"]["true"]["median"].clone();
    let usual = json(path, "counts.asm");
    let ranges = &usual["regions"][0]["count_ranges"];
    let answers = json(path, "counts.asm --assume transcendental_flops=1");
    let [own, other] = [&usual, &answers].map(|one| one["regions"][0]["warm"]["true"]["median"][0].as_i64());
    assert_ne!(own, other);
    assert_eq!(ranges[0]["questions"], serde_json::json!(["transcendental_flops"]));
    let range = [&ranges[0]["least"], &ranges[0]["most"]].map(Value::as_i64);
    assert!(range[0] <= own.min(other) && own.max(other) <= range[1], "{ranges}");
    // A count that is equal under all answers is stated once.
    let instructions = counted("counts.asm")[1].as_i64();
    assert_eq!(
        [&ranges[1]["least"], &ranges[1]["most"]].map(Value::as_i64),
        [instructions; 2]
    );
    let words = printed(path, "counts.asm")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(
        words.matches("under open question transcendental_flops").count(),
        1,
        "{words}"
    );
}

#[test]
fn answers_are_given_one_by_one_or_as_a_report_lists_them() {
    let folder = folder();
    let path = folder.path();
    let one_by_one = printed(path, "both.asm --assume imul_r32=10 --assume shadow_reach=2");
    assert_eq!(
        printed(path, "both.asm --assume imul_r32=10,shadow_reach=2"),
        one_by_one
    );
    let listed = ["both.asm", "--assume", "imul_r32=10, shadow_reach=2"];
    let listed = p5inst(path, &listed).output().expect("the command starts");
    assert_eq!(text(&listed.stdout), one_by_one);
    let wrong = finished(path, "both.asm --assume imul_r32=10,shadow_reach");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("shadow_reach is one of 3, 2"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn a_figure_has_the_range_of_runs_under_each_answer() {
    let folder = folder();
    let path = folder.path();
    let usual = json(path, "both.asm");
    let other = json(path, "both.asm --assume imul_r32=10");
    let bar = &usual["regions"][0]["bar"];
    let clocks = [&usual, &other].map(|report| report["regions"][0]["warm"]["cycles"]["median"].as_u64());
    assert_eq!(bar["clocks"].as_u64(), clocks[0]);
    assert_ne!(clocks[0], clocks[1]);
    assert_eq!(under(bar, "imul_r32", "10"), clocks[1]);
    assert_eq!((bar["least"].as_u64(), bar["most"].as_u64()), (clocks[0], clocks[1]));
    assert_eq!(bar["questions"], serde_json::json!(["imul_r32"]));
    // The bar of the program, and that of the line.
    let whole = &usual["sureness"]["bar"];
    assert_eq!(
        under(whole, "imul_r32", "10"),
        other["own"]["totals"]["cycles"].as_u64()
    );
    let line = |report: &Value| {
        let lines = report["lines"].as_array().expect("lines").clone();
        let found = lines.into_iter().find(|line| line["text"] == "        mul ecx");
        found.expect("it was executed")
    };
    assert_eq!(
        under(&line(&usual)["bar"], "imul_r32", "10"),
        line(&other)["cycles"].as_u64()
    );
    // REP STOS with ECX = 5 takes 15 clocks, which are doubted; the answers to the multiplication's question were
    // tried.
    let doubted = bar["doubted"].as_array().expect("doubts");
    assert_eq!(
        (doubted.len(), &doubted[0]["form"], &doubted[0]["clocks"]),
        (1, &"REP STOS".into(), &15.into())
    );
    // The other region depends on no question.
    let sure = &usual["regions"][1]["bar"];
    assert!(sure["under"] == serde_json::json!([]) && sure["doubted_clocks"] == 0 && sure["least"] == sure["most"]);

    let told = printed(path, "both.asm");
    let [least, most] = clocks.map(|clocks| clocks.expect("it was passed"));
    let line = format!("or {least} to {most} under open question imul_r32; 15 clocks rest on doubted REP STOS ");
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&line), "{told}");
    assert_eq!(told.matches("once").count(), 1, "{told}");
    assert_eq!(usual["output"], "once\r\n");
    let page = printed(path, "both.asm --format html");
    assert!(page.contains(&format!("or {least} to {most} under open question imul_r32")));
}

/// A divider that is wrong makes one count of a repeated store 0, and another one larger.
#[test]
fn a_question_that_changes_nothing_alone_is_tried_beside_others() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = ".586\n.model flat\n.data\nx dq 4195835.0\ny dq 3145727.0\nrest dd 0\narea db 16 dup (0)\n.code\n\
                   start: fld x\nfld y\nfdivp st(1),st(0)\nfmul y\nfsubr x\nfistp rest\nmov ecx,256\nsub ecx,rest\n\
                   shr ecx,8\nmov edi,offset area\nrep stosd\nmov ecx,rest\nshr ecx,5\ninc ecx\nmov edi,offset area\n\
                   rep stosb\nret\nend start\n";
    std::fs::write(path.join("beside.asm"), program).expect("a file is written");
    let clocks = |answers: &str| {
        let report = json(path, &format!("beside.asm{answers}"));
        report["own"]["totals"]["cycles"].as_u64().expect("clocks")
    };
    let own = clocks("");
    let both = clocks(" --assume fdiv=flawed,rep_zero=startup");
    assert_eq!(own, clocks(" --assume rep_zero=startup"));
    assert!(own < both && clocks(" --assume fdiv=flawed") < both);
    let told = printed(path, "beside.asm");
    let line = format!("or {own} to {both} under open questions fdiv, rep_zero;");
    assert!(told.contains(&line), "{told}");
    let report = json(path, "beside.asm");
    let bar = &report["sureness"]["bar"];
    assert_eq!(
        (bar["most"].as_u64(), &bar["questions"]),
        (Some(both), &serde_json::json!(["fdiv", "rep_zero"]))
    );
    assert_eq!(report["sureness"]["all_combined"], true);
    // A line on which the other question has no effect names the first alone.
    let line = report["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .rfind(|line| line["text"] == "rep stosb");
    assert_eq!(
        line.expect("it was executed")["bar"]["questions"],
        serde_json::json!(["fdiv"])
    );
}

#[test]
fn an_answer_that_is_chosen_stays() {
    let folder = folder();
    for value in ["9", "10"] {
        let report = json(folder.path(), &format!("both.asm --assume imul_r32={value}"));
        let questions = report["sureness"]["questions"].as_array().expect("questions");
        let chosen = questions
            .iter()
            .find(|one| one["name"] == "imul_r32")
            .expect("it is touched");
        assert_eq!((&chosen["assumed"], &chosen["tried"]), (&value.into(), &false.into()));
        let others = report["sureness"]["variants"].as_array().expect("variants");
        assert!(!others.is_empty() && others.iter().all(|one| one["answers"]["imul_r32"].is_null()));
        // A question that was not varied counts as a doubt, like every other doubted row.
        let bar = &report["regions"][0]["bar"];
        assert_eq!(bar["doubted"].as_array().map(Vec::len), Some(2), "{bar}");
        assert!(bar["least"].is_u64());
    }
}

#[test]
fn a_long_run_is_repeated_only_if_asked() {
    let folder = folder();
    let path = folder.path();
    let told = printed(path, "long.asm");
    let told = told.replace("\n  ", " ");
    let not_tried = "3 open questions may change these clocks; `--sure` tries them\n";
    assert!(told.contains(not_tried), "{told}");
    let report = json(path, "long.asm");
    assert!(report["sureness"]["bar"]["least"].is_null());
    assert_eq!(report["sureness"]["variants"], serde_json::json!([]));
    // Without a range, the doubt counts: 9 clocks of each multiplication.
    assert_eq!(report["sureness"]["bar"]["doubted_clocks"], 90_000);

    let told = printed(path, "long.asm --sure");
    assert!(
        !told.contains("not tried") && told.contains("under open question imul_r32\n"),
        "{told}"
    );
    let report = json(path, "long.asm --sure");
    let bar = &report["sureness"]["bar"];
    let other = json(path, "long.asm --assume imul_r32=10");
    assert_eq!(bar["most"], other["own"]["totals"]["cycles"]);
    assert_eq!(bar["doubted_clocks"], 0);
    // The rules name the bound.
    let rules = printed(path, "explain how sure");
    assert!(rules.contains("200,000 clocks together"), "{rules}");
    assert_eq!(runtime::instruments::TRIED_UNASKED, 200_000);
    for words in ["--help", "explain how sure"] {
        let told = printed(path, words).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("200,000 clocks"), "{told}");
    }

    // The macros run again as well, though the program's own clocks are few.
    let many = ".586\n.model flat\n.code\nstart: mov ebx,400\nagain: StartTSC r\nmul ecx\nEndTSC\ndec ebx\n\
                jnz again\nret\nend start\n";
    std::fs::write(path.join("macros.asm"), many).expect("a file is written");
    let told = printed(path, "macros.asm").replace("\n  ", " ");
    assert!(
        told.contains("4 open questions may change these clocks; `--sure` tries them\n"),
        "{told}"
    );

    let stopped = finished(path, "long.asm --limit 5000");
    let told = text(&stopped.stdout);
    assert!(
        told.contains("not tried, as the run was stopped before its end\n"),
        "{told}"
    );
    let refused = finished(path, "long.asm --sure --what-if");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn each_run_reads_the_same_input() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // The exit code is the byte that was read, times 1.
    let program = "        .586\n        .model flat\n        .data\nbyte_   dd 0\n        .code\nstart:  mov eax,3\n\
        mov ebx,0\n        mov ecx,offset byte_\n        mov edx,1\n        int 80h\n        mov eax,1\n\
        mul byte_\n        mov ebx,eax\n        mov eax,1\n        int 80h\n        end start\n";
    std::fs::write(folder.path().join("reads.asm"), program).expect("a file is written");
    let mut command = p5inst(folder.path(), &["reads.asm"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let input = child.stdin.take().expect("a pipe").write_all(b"A");
    input.expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let told = text(&output.stdout);
    assert!(told.contains("ended by exit with code 65"), "{told}");
    assert!(
        told.contains("under open question") && !told.contains(": ended by"),
        "{told}"
    );
}

#[test]
fn clocks_of_doubted_rows_are_counted_in_a_pass_longer_than_its_trace() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // 4,500 instructions in a loop, and a doubted one after it, on the second half of a pair and on the first.
    for (number, last) in ["mov edx,ebx", "mov edx,ebx\nmov ecx,ecx"].into_iter().enumerate() {
        let program = format!(
            ".586\n.model flat\n.data\nbits dd 8 dup(0)\n.code\nstart:\nmov ebx,1500\nmov edi,offset bits\n\
             StartTSC long\nagain:\nbts bits,ebx\ndec ebx\njnz again\nmov ecx,5\nrep stosd\n{last}\nEndTSC\n\
             rep stosd\nret\nend start\n"
        )
        .replace("bts bits,ebx", "bts bits,eax");
        let name = format!("long{number}.asm");
        std::fs::write(path.join(&name), program).expect("a file is written");
        let report = json(path, &name);
        let bar = &report["regions"][0]["bar"];
        assert_eq!(bar["all_doubted"], true, "{bar}");
        let doubted: Vec<(&str, u64)> = bar["doubted"]
            .as_array()
            .expect("doubts")
            .iter()
            .map(|one| {
                (
                    one["form"].as_str().expect("a form"),
                    one["clocks"].as_u64().expect("clocks"),
                )
            })
            .collect();
        // 13 clocks each, and 10 and one for each of five dwords.
        assert_eq!(doubted, [("BTS BTR BTC m,r", 13 * 1500), ("REP STOS", 15)], "{bar}");
        // By line, the same is summed in another way.
        let lines = report["lines"].as_array().expect("lines");
        let of = |text: &str| {
            let line = lines.iter().find(|line| line["text"] == text).expect("it was executed");
            line["bar"]["doubted_clocks"].as_u64()
        };
        assert_eq!(of("bts bits,eax"), Some(13 * 1500));
        let told = printed(path, &name);
        assert!(
            told.contains("19515 clocks rest on doubted BTS BTR BTC m,r, REP STOS\n") && !told.contains("at least"),
            "{told}"
        );
    }
}

#[test]
fn a_cold_figure_has_the_range_of_the_same_runs() {
    let folder = folder();
    let path = folder.path();
    let usual = json(path, "both.asm");
    let other = json(path, "both.asm --assume imul_r32=10");
    let of = |one: &Value| one.as_i64().expect("a number");
    for (range, cold) in [
        (&usual["regions"][0]["cold_range"], "/regions/0/cold/cycles"),
        (&usual["sureness"]["cold"], "/runs/0/own/cycles"),
    ] {
        let [own, under] = [&usual, &other].map(|report| of(report.pointer(cold).expect("a cold figure")));
        assert_ne!(own, under, "{cold}");
        let questions = range["questions"].as_array().expect("questions");
        assert!(questions.contains(&"imul_r32".into()), "{cold}: {range}");
        let (least, most) = (of(&range["least"]), of(&range["most"]));
        assert!(
            least <= own.min(under) && own.max(under) <= most,
            "{cold}: {range}, {own} and {under}"
        );
    }
    let long = printed(path, "both.asm --long");
    // Of the program, and of the region with the multiplication.
    assert_eq!(long.matches("\n  cold or ").count(), 2, "{long}");
    assert!(!printed(path, "both.asm").contains("  cold or "), "only --long says it");
    // A cold figure alone has a bar of its own.
    let only = json(path, "both.asm --runs 1");
    assert_eq!(only["sureness"].get("cold"), None);
    assert_eq!(only["regions"][0].get("cold_range"), None);
}

/// Some questions change only cold clocks, and change more of them together than each alone.
#[test]
fn the_range_of_a_cold_figure_is_that_of_every_combination_of_answers() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let jumps: String = (0..20)
        .map(|number| format!("jmp j{number}\nnop\nj{number}: nop\n"))
        .collect();
    let program = format!(
        ".586\n.model flat\n.data\nt db 1,0,0,1,0,1,1,0,1,0,1,0,0,1,1,1,0,0,1,0\n.code\nstart: mov ecx,20\n\
         mov esi,offset t\nStartTSC r\n{jumps}a: cmp byte ptr [esi],0\nje b\nnop\nb: jnc c\nnop\nc: inc esi\n\
         dec ecx\njnz a\nEndTSC\nret\nend start\n"
    );
    std::fs::write(path.join("jumps.asm"), program).expect("a file is written");
    let figures = |run: &Value| -> [u64; 2] {
        [&run["runs"][0]["own"], &run["regions"][0]["cold"]].map(|part| part["cycles"].as_u64().expect("clocks"))
    };
    let usual = json(path, "jumps.asm");
    assert_eq!(usual["sureness"]["all_combined"], true);
    let variants = usual["sureness"]["variants"].as_array().expect("variants");
    let alone = variants.iter().map(|one| one["answers"].as_object().expect("answers"));
    let alone = alone.filter(|answers| answers.len() == 1).flatten();
    let mut combined = vec![(String::new(), String::new())];
    for (name, value) in alone {
        let value = value.as_str().expect("a value");
        for (line, names) in combined.clone() {
            if !names.contains(&format!("{name} ")) {
                combined.push((format!("{line} --assume {name}={value}"), format!("{names}{name} ")));
            }
        }
    }
    assert!((4..=16).contains(&combined.len()), "{combined:?}");
    let all: Vec<[u64; 2]> = (combined.iter())
        .map(|(assumed, _)| figures(&json(path, &format!("jumps.asm{assumed}"))))
        .collect();
    let ranges = [&usual["sureness"]["cold"], &usual["regions"][0]["cold_range"]];
    for (part, range) in ranges.iter().enumerate() {
        let all = || all.iter().map(|figures| figures[part]);
        let told = [&range["least"], &range["most"]].map(Value::as_u64);
        assert_eq!(told, [all().min(), all().max()], "{range}");
    }
}

#[test]
fn the_clocks_of_an_i486_rest_on_rows_that_nobody_has_read() {
    let folder = folder();
    let program =
        ".486\n.model flat\n.code\nstart: mov ecx,5\nagain: add eax,ebx\ndec ecx\njnz again\nret\nend start\n";
    std::fs::write(folder.path().join("old.asm"), program).expect("a file is written");
    let report = json(folder.path(), "old.asm --cpu i486");
    let bar = &report["sureness"]["bar"];
    let doubted = bar["doubted"].as_array().expect("doubts");
    let forms: Vec<&str> = doubted.iter().filter_map(|one| one["form"].as_str()).collect();
    for form in ["MOV r/m,r/m/i", "ALU r,r/i", "INC DEC NEG NOT r", "Jcc near/short"] {
        assert!(forms.contains(&form), "{form}: {forms:?}");
    }
    let remembered = |one: &Value| {
        one["doubt"]
            .as_str()
            .is_some_and(|words| words.starts_with("remembered, not read"))
    };
    assert!(doubted.iter().all(remembered), "{bar}");
    // In the last run everything is cached, and each clock is that of an instruction.
    assert_eq!(bar["doubted_clocks"], bar["clocks"], "{bar}");
    let words = printed(folder.path(), "old.asm --cpu i486");
    assert!(words.contains(" come from 5 instruction timings in doubt\n"), "{words}");
}

#[test]
fn a_load_of_a_segment_is_doubted_where_a_descriptor_may_be_read() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let write = |name: &str, text: &str| std::fs::write(path.join(name), text).expect("a file is written");
    write(
        "flat.asm",
        ".586\n.model flat\n.code\ns: mov ax,ds\nmov es,ax\nmov es,ax\nret\nend s\n",
    );
    write(
        "real.asm",
        ".model tiny\n.code\norg 100h\ns: mov ax,ds\nmov es,ax\nmov es,ax\nret\nend s\n",
    );
    let table = |selector: &str| {
        format!(
            ".586p\n.model flat\n.data\ntable dq 0,00CF92000000FFFFh\npointer dw 15\ndd table\n.code\ns: lgdt fword ptr \
             pointer\nmov ax,{selector}\nmov es,ax\nmov es,ax\nret\nend s\n"
        )
    };
    write("table.asm", &table("8"));
    // A null selector has no descriptor.
    write("null.asm", &table("0"));
    for (name, doubted) in [
        ("flat.asm", false),
        ("real.asm", false),
        ("table.asm", true),
        ("null.asm", false),
    ] {
        let words = printed(path, name).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("under open question mov_sreg"), "{words}");
        assert_eq!(words.contains("rest on doubted MOV sreg,r"), doubted, "{words}");
    }
}
