//! Sources of a few lines with large effects: each is stopped by a limit that the message names, or is small after all.

use super::within;
use std::path::Path;

/// The limits of processor time in seconds and of the address space in KiB.
const SECONDS: u32 = 10;
const KIBIBYTES: u32 = 1 << 20;

/// Asserts that `text` ends within the limits with the exit code `code`, and that the output contains `expected`.
fn ends(name: &str, text: &str, code: i32, expected: &str) {
    let output = within(SECONDS, KIBIBYTES, &["check", "-"], text.as_bytes(), Path::new("."));
    let said = String::from_utf8_lossy(&output.stderr);
    let head: String = said.chars().take(1000).collect();
    assert_eq!(output.status.code(), Some(code), "{name}: {head}");
    assert!(said.contains(expected), "{name}: {head}");
}

fn rept(times: u32, body: &str) -> String {
    format!("rept {times}\n{body}\nendm\n")
}

#[test]
fn expressions_that_wait_for_addresses_are_bounded() {
    let sum = "+(b-a)".repeat(20);
    for operand in [format!("mov eax,0{sum}"), format!("dd 0{sum}")] {
        let source = format!("{}a: nop\nb: nop\n", rept(900_000, &operand));
        ends(&operand, &source, 2, "expressions that need addresses");
    }
}

#[test]
fn an_unknown_word_in_every_pass_stops_reading() {
    let many_errors = "too many errors: stopped after";
    for (word, expected) in [
        ("foo", many_errors),
        ("x = foo", many_errors),
        ("mov eax,foo", "more than 1000000 instructions with addresses"),
        ("dd foo", ""),
    ] {
        let words = format!("{word}\n").repeat(5);
        ends(word, &rept(1_000_000, words.trim_end()), 2, expected);
    }
}

#[test]
fn few_names_are_compared_for_a_suggestion() {
    let name = "a".repeat(40);
    let labels = format!(
        "n = 0\nl macro n\n{name}&n: nop\nendm\n{}",
        rept(9_900, "n = n+1\nl %n")
    );
    let jumps = format!("j macro n\njmp {name}x&n\nendm\nn = 0\n{}", rept(900, "n = n+1\nj %n"));
    ends("names", &format!("{labels}{jumps}"), 2, "undefined symbol");
}

#[test]
fn a_structure_finds_any_of_its_fields_at_once() {
    let fields = format!(
        ".model small\ns struc\nn = 0\nf macro n\nf&n db ?\nendm\n{}s ends\n.data\nx s <>\n",
        rept(50_000, "n = n+1\nf %n")
    );
    let source = format!("{fields}{}end\n", rept(50_000, "y = s.f50000"));
    ends("fields", &source, 0, "");
}

#[test]
fn a_procedure_saves_a_register_once() {
    let saves = "eax ".repeat(5_000);
    let source = format!("f proc uses {saves}\n{}f endp\n", rept(10_000, "ret"));
    ends("uses", &source, 2, "register listed twice in `uses`");
}

#[test]
fn text_functions_count_what_they_read() {
    let text = "a".repeat(30_000);
    for function in ["u instr 1,t,v", "u sizestr t", "u substr t,1,1"] {
        let source = format!("t textequ <{text}>\nv textequ <b>\n{}nop\n", rept(1_000_000, function));
        ends(function, &source, 2, "more than 128 MiB of text");
    }
    let lists = rept(1_000_000, &format!("irpc c,<{text}>\nexitm\nendm"));
    ends("lists", &lists, 2, "more than 128 MiB of text");
}

#[test]
fn includes_are_counted() {
    ends(
        "includes",
        &rept(1_000_000, "include p5.inc"),
        2,
        "more than 10000 includes",
    );
}

#[test]
fn arguments_and_guests_do_not_reach_the_terminal_raw() {
    let evil = "zz\u{1b}]0;evil\u{7}x\u{9b}31m";
    for arguments in [
        &[evil][..],
        &["timings", evil],
        &["events", evil],
        &["--limit", evil],
        &["--cpu", evil],
        &["check", "-", "--listing", evil, "--format", evil],
        &[&format!("--{evil}")],
    ] {
        let output = within(SECONDS, KIBIBYTES, arguments, b"nop\n", Path::new("."));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        for said in [&output.stdout, &output.stderr] {
            let said = String::from_utf8_lossy(said);
            let raw = |one: char| one.is_control() && one != '\n';
            assert!(!said.contains(raw), "{arguments:?}: {said:?}");
        }
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("\\u{1b}"),
            "{arguments:?}"
        );
    }
}

#[test]
fn texts_of_compilers_with_what_nothing_ends() {
    let att = |line: &str| format!(".text\nf:\n movl $1, %eax\n {line}\n ret\n");
    let many = |mark: &str| mark.repeat(40_000);
    ends("asterisks", &att(&format!("jmp {}%eax", many("*"))), 2, "error");
    for mark in [
        "<", "<a", "(", "~", "-", "!", "1|", "a|", "1+", "'", "%", "[", "$", "<a>",
    ] {
        for line in [format!("movl ${}1, %eax", many(mark)), format!(".long {}1", many(mark))] {
            let line = att(&line[..line.len().min(60_000)]);
            let output = within(
                SECONDS,
                KIBIBYTES,
                &["-", "--limit", "9999"],
                line.as_bytes(),
                Path::new("."),
            );
            assert!(matches!(output.status.code(), Some(0..=2)), "{mark}: {}", output.status);
        }
    }
    // The limit holds before a text is read.
    for mark in ["<", "<a", "a<", "jmp *"] {
        ends("a long line", &att(&mark.repeat(400_000)), 2, "line longer than 64 KiB");
    }
}
