//! Tests of rendered diagnostics.

use super::*;
use p5_assembler::diag::Step;

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile::new(name, text)
}

fn error(message: &str, line: u32, start: u32, end: u32) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        message: message.to_owned(),
        file: None,
        span: Some(Span {
            file: 0,
            line,
            start,
            end,
        }),
        label: None,
        help: None,
        trail: Vec::new(),
    }
}

#[test]
fn errors_without_a_line_that_are_not_shown_are_counted() {
    let nowhere = |number: u32| Diagnostic {
        span: None,
        ..error(&format!("undefined symbol {number}"), 1, 0, 0)
    };
    let all: Vec<Diagnostic> = (0..25).map(nowhere).collect();
    let text = render(&all, &[], false, 80);
    assert_eq!(text.matches("undefined symbol").count(), MOST);
    assert!(text.ends_with("\nand 5 errors more without a line\n"), "{text}");
}

#[test]
fn an_error_shows_its_line_and_how_to_fix_it() {
    let files = [file("loop.asm", "start:\r\n\tmov [eax],[ebx]\r\n\tret\r\n")];
    let diagnostic = Diagnostic {
        label: Some("a second memory operand".to_owned()),
        help: Some("load one of them into a register first".to_owned()),
        ..error("`mov` cannot move from memory to memory", 2, 11, 16)
    };
    let expected = "\
error: `mov` cannot move from memory to memory
 --> loop.asm:2:12
  |
2 |     mov [eax],[ebx]
  |               ^^^^^ a second memory operand
  |
  = help: load one of them into a register first
";
    assert_eq!(render(&[diagnostic], &files, false, 80), expected);
}

#[test]
fn the_macro_trail_is_quoted_call_by_call() {
    let files = [
        file("m.inc", "Inner macro r\n mov r,300\n endm\n"),
        file("main.asm", "\n\n  Outer al\n"),
    ];
    let diagnostic = Diagnostic {
        severity: Severity::Warning,
        trail: vec![
            Step {
                message: "in macro Inner".to_owned(),
                span: Span {
                    file: 0,
                    line: 2,
                    start: 1,
                    end: 4,
                },
            },
            Step {
                message: "in macro Outer".to_owned(),
                span: Span {
                    file: 1,
                    line: 3,
                    start: 2,
                    end: 10,
                },
            },
        ],
        ..error("300 does not fit in 8 bits", 2, 7, 10)
    };
    let expected = "\
warning: 300 does not fit in 8 bits
 --> m.inc:2:8
  |
2 |  mov r,300
  |        ^^^
  |
note: in macro Inner
 --> m.inc:2:2
  |
2 |  mov r,300
  |  ---
note: in macro Outer
 --> main.asm:3:3
  |
3 |   Outer al
  |   --------
";
    assert_eq!(render(&[diagnostic], &files, false, 80), expected);
}

#[test]
fn control_characters_are_escaped() {
    let files = [file("\x1b[2J.asm", "db \x1b[31m\u{202e}x\u{9b}, 5")];
    let text = render(&[error("bad\x07 byte", 1, 3, 4)], &files, false, 80);
    let expected = "\
error: bad\\u{7} byte
 --> \\u{1b}[2J.asm:1:4
  |
1 | db \\u{1b}[31m\\u{202e}x\\u{9b}, 5
  |    ^^^^^^
";
    assert_eq!(text, expected);
}

#[test]
fn a_long_line_is_cut_around_the_caret() {
    let long = format!("{}oops{}", "a,".repeat(5000), ",b".repeat(5000));
    let files = [file("long.asm", &long)];
    let text = render(&[error("what is this", 1, 10_000, 10_004)], &files, false, 400);
    let expected = format!(
        "error: what is this\n --> long.asm:1:10001\n  |\n1 | ...{}oops{}...\n  | {}^^^^\n",
        "a,".repeat(50),
        ",b".repeat(50),
        " ".repeat(103)
    );
    assert_eq!(text, expected);
}

#[test]
fn a_file_with_very_many_shows_the_first_errors_and_counts_the_rest() {
    let files = [file("one.asm", "nop\n"), file("two.asm", "nop\n")];
    let of = |severity, file, count: u32| {
        (0..count).map(move |line| {
            let mut one = error("wrong", line, 0, 1);
            one.severity = severity;
            one.span = one.span.map(|span| Span { file, ..span });
            one
        })
    };
    let warnings = of(Severity::Warning, 0, 5);
    let all: Vec<Diagnostic> = warnings
        .chain(of(Severity::Error, 0, 22))
        .chain(of(Severity::Warning, 1, 21))
        .collect();
    let text = render(&all, &files, false, 80);
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("error: wrong"), count("warning: wrong")), (20, 20), "{text}");
    assert!(
        text.ends_with("\nand 2 errors and 5 warnings more in one.asm\n\nand 1 warning more in two.asm\n"),
        "{text}"
    );
}

#[test]
fn places_that_do_not_exist_lose_only_the_quotation() {
    let files = [file("a.asm", "nop")];
    let cases = [
        (
            Some(Span {
                file: 7,
                line: 1,
                start: 0,
                end: 1,
            }),
            "error: lost\n",
        ),
        (
            Some(Span {
                file: 0,
                line: 9,
                start: 0,
                end: 1,
            }),
            "error: lost\n--> a.asm:9\n",
        ),
        (None, "error: lost\n"),
    ];
    for (span, expected) in cases {
        let diagnostic = Diagnostic {
            span,
            ..error("lost", 0, 0, 0)
        };
        assert_eq!(render(&[diagnostic], &files, false, 80), expected, "{span:?}");
    }
    let past = render(&[error("past the end", 1, 40, 90)], &files, false, 80);
    assert_eq!(past, "error: past the end\n --> a.asm:1:4\n  |\n1 | nop\n  |    ^\n");
    assert_eq!(render(&[], &files, false, 80), "");
}

#[test]
fn spans_inside_a_character_are_widened() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let alphabet = ['a', 'é', '█', '\t', '\x1b', '\u{202e}', ','];
    for _ in 0..500 {
        let line: String = (0..random.usize(..400))
            .filter_map(|_| random.choice(alphabet))
            .collect();
        let files = [file("r.asm", &line)];
        let start = random.u32(..900);
        let text = render(&[error("random", 1, start, start + random.u32(..50))], &files, true, 80);
        let quiet = render(&[error("random", 1, start, start + 3)], &files, false, 80);
        assert!(text.contains("random"), "seed {seed}");
        assert!(
            quiet
                .chars()
                .all(|character| character == '\n' || !character.is_control()),
            "seed {seed}: {quiet:?}"
        );
    }
}
