//! Sources with endless nesting, repetition, references and definitions, and sources with plain errors.

use super::{source, source_with};

/// `count` copies of `line` with the line number in place of each `#`.
fn lines(count: usize, line: &str) -> String {
    (0..count)
        .map(|number| line.replace('#', &number.to_string()) + "\n")
        .collect()
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str, count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
    source(
        "200,000 parentheses",
        format!("mov eax,{}", deep("(", ")", 200_000)),
        2,
        "longer than 64 KiB",
    );
    source(
        "30,000 parentheses",
        format!("mov eax,{}", deep("(", ")", 30_000)),
        2,
        "nested deeper than",
    );
    source(
        "unclosed parentheses",
        format!("mov eax,{}", "(".repeat(60_000)),
        2,
        "nested deeper than",
    );
    source(
        "brackets",
        format!("mov eax,{}", deep("[", "]", 30_000)),
        2,
        "nested deeper than",
    );
    source(
        "signs",
        format!("mov eax,{}1", "-".repeat(60_000)),
        2,
        "nested deeper than",
    );
    source(
        "words",
        format!("mov eax,{}1", "not ".repeat(15_000)),
        2,
        "nested deeper than",
    );
    source(
        "a long sum",
        format!("mov eax,{}1", "a+".repeat(30_000)),
        2,
        "too complex",
    );
    source("fields", format!("mov eax,a{}", ".b".repeat(30_000)), 2, "too complex");
    source(
        "indices",
        format!("mov eax,a{}", "[1]".repeat(20_000)),
        2,
        "too complex",
    );
    source(
        "angle brackets",
        format!("x textequ {}", deep("<", ">", 30_000)),
        2,
        "no instructions to run",
    );
    source(
        "dup",
        format!("db {}", deep("1 dup(", ")", 8_000)),
        2,
        "nested deeper than",
    );
    source(
        "conditions",
        format!("{}nop", "if 1\n".repeat(100_000)),
        2,
        "nested deeper than",
    );
    source(
        "skipped conditions",
        format!("if 0\n{}nop", "if 1\n".repeat(100_000)),
        2,
        "nested deeper than",
    );
    source("segments", lines(100_000, "s# segment"), 2, "nested deeper than");
    source("procedures", lines(100_000, "p# proc"), 2, "nested deeper than");
    source("structures", lines(10_000, "s# struc"), 2, "nested deeper than");
    source(
        "blocks",
        format!("{}nop", ".if eax\n".repeat(10_000)),
        2,
        "nested deeper than",
    );
    source(
        "a condition",
        format!(".if {}eax\nnop\n.endif", "!".repeat(30_000)),
        2,
        "nested deeper than",
    );
    source(
        "a condition's parts",
        format!(".if {}eax\nnop\n.endif", "eax && ".repeat(5_000)),
        2,
        "nested deeper than",
    );
    source(
        "repeats",
        format!("{}nop\n{}", "rept 1\n".repeat(20_000), "endm\n".repeat(20_000)),
        2,
        "nested deeper than",
    );
    source(
        "definitions",
        format!("{}nop\n", "m macro\n".repeat(50_000)),
        2,
        "nested deeper than",
    );
}

#[test]
fn expansion_is_bounded() {
    source(
        "a macro that calls itself",
        "m macro\nm\nendm\nm\n",
        2,
        "nested deeper than 256",
    );
    source(
        "two that call each other",
        "a macro\nb\nendm\nb macro\na\nendm\na\n",
        2,
        "nested deeper than 256",
    );
    source(
        "a macro that defines itself",
        "m macro\nm macro\nnop\nendm\nendm\nm\nm\n",
        0,
        "1 instruction",
    );
    source(
        "a macro that doubles its argument",
        "m macro a\nm <a a a a a a a a a>\nendm\nm xxxxxxxxx\n",
        2,
        "longer than 64 KiB",
    );
    source(
        "a text function that calls itself",
        "f macro\nexitm f()\nendm\nmov eax,f()\n",
        2,
        "nested deeper than",
    );
    source(
        "a text that grows",
        "t textequ <x>\nwhile 1\nt catstr t,t\nendm\n",
        2,
        "longer than 64 KiB",
    );
    let laughs = lines(41, "t# textequ <t0 t0>")
        .lines()
        .enumerate()
        .map(|(at, _)| format!("t{} textequ <t{at} t{at}>\n", at + 1))
        .collect::<String>();
    source(
        "texts that double 40 times",
        format!("{laughs}mov eax,t40\n"),
        2,
        "recursive",
    );
    let texts: String = (0..40).map(|at| format!("t{} catstr t{at},t{at}\n", at + 1)).collect();
    source(
        "joined texts that double",
        format!("t0 textequ <x>\n{texts}nop\n"),
        2,
        "longer than 64 KiB",
    );
    let macros: String = (0..60)
        .map(|at| format!("m{} macro\nm{at}\nm{at}\nendm\n", at + 1))
        .collect();
    source(
        "macros that double",
        format!("m0 macro\nendm\n{macros}m60\n"),
        2,
        "more than",
    );
    source(
        "items without end",
        format!("x catstr {}<b>\nnop\n", "<a>,".repeat(16_000)),
        0,
        "1 instruction",
    );
    source(
        "calls without end",
        format!("f macro\nexitm <1>\nendm\nmov eax,{}0\n", "f()+".repeat(10_000)),
        2,
        "recursive",
    );
    source(
        "functions that double",
        "f macro n\nif n\nexitm %f(%n-1)+f(%n-1)\nendif\nexitm <1>\nendm\nmov eax,f(16)\n",
        0,
        "1 instruction",
    );
    source(
        "arguments without end",
        format!(".model flat,c\n.code\ninvoke f{}\n", ",1".repeat(30_000)),
        2,
        "more than 256 arguments",
    );
    source(
        "parameters without end",
        format!(
            ".model flat,c\n.code\nf proc a0:dword{}\nret\nf endp\n",
            (1..5_000).map(|at| format!(",a{at}:dword")).collect::<String>()
        ),
        0,
        "instructions",
    );
    source(
        "lines that go on",
        format!("db 1{}\n", ", \\\n1".repeat(100_000)),
        2,
        "",
    );
    source("a backslash at the end", "nop\n\\", 2, "expected a statement");
    source("rept", "rept 1000000000\nnop\nendm\n", 2, "exceeds the limit");
    source("negative rept", "rept -1\nnop\nendm\n", 2, "invalid repeat count");
    source("rept in rept", "rept 1000000\nrept 1000000\nendm\nendm\n", 2, "");
    source(
        "rept in rept with a body",
        "rept 1000000\nrept 1000000\nx=1\nendm\nendm\n",
        2,
        "more than",
    );
    source("while", "while 1\nendm\nnop\n", 2, "is endless");
    source("while with a body", "while 1\nx = 1\nendm\nnop\n", 2, "more than");
    source("goto", "m macro\n:a\ngoto a\nendm\nm\n", 2, "more than");
    source(
        "irpc over a long text",
        format!("irpc c,<{}>\nnop\nendm", "a".repeat(60_000)),
        0,
        "60000 instructions",
    );
}

#[test]
fn sizes_are_settled_before_memory_is_taken() {
    source("dup", "x db 1000000000 dup(0)\nnop\n", 2, "larger than 64 MiB");
    source(
        "dup of dup",
        "x db 0ffffffffh dup(0ffffffffh dup(0ffffffffh dup(1)))\nnop\n",
        2,
        "larger than 64 MiB",
    );
    source(
        "dup of nothing",
        "x db 0ffffffffffffh dup(0 dup(1))\nnop\n",
        0,
        "1 instruction",
    );
    source(
        "dup of addresses",
        "a dd 1\nx dd 16000000 dup(a)\nnop\n",
        2,
        "too many addresses in data",
    );
    source("negative dup", "x db -1 dup(0)\nnop\n", 2, "negative repeat count");
    source(
        "dup of a structure",
        "s struc\na db 1000 dup(1)\ns ends\nx s 100000000 dup(<>)\nnop\n",
        2,
        "larger than 64 MiB",
    );
    source(
        "a large structure",
        "s struc\na db 100000000 dup(1)\ns ends\nnop\n",
        2,
        "larger than",
    );
    source("align", "align 80000000h\nnop\n", 2, "a power of two");
    source("align 0", "align 0\nnop\n", 2, "a power of two");
    source("org", "org 0ffffffffh\nnop\n", 2, "larger than 64 MiB");
    source("org back", "nop\norg 0\nnop\n", 0, "1 instruction");
    source("negative org", "org -5\nnop\n", 2, "outside the segment");
    source(
        "a frame",
        ".model flat,c\n.code\nf proc\nlocal x[0fffffffh]:dword\nnop\nret\nf endp\n",
        2,
        "stack frame larger than",
    );
    source(
        "a negative count",
        ".model flat,c\n.code\nf proc\nlocal x[-1]:dword\nnop\nret\nf endp\n",
        2,
        "stack frame larger than",
    );
}

#[test]
fn names_without_end() {
    source(
        "1,100,000 symbols",
        lines(1_100_000, "a#=1"),
        2,
        "more than 600000 symbols",
    );
    source(
        "a name of 5,000 characters",
        format!("{}: nop\n", "a".repeat(5_000)),
        2,
        "longer than 4,095 characters",
    );
    source("a equ b, b equ a", "a equ b\nb equ a\nmov eax,a\n", 2, "recursive");
    source(
        "a equ b+1, b equ a+1",
        "a equ b+1\nb equ a+1\nmov eax,a\n",
        2,
        "recursive",
    );
    source("a equ a", "a equ a\nmov eax,a\n", 2, "");
    source("a = a+1 with no a", "a = a+1\nnop\n", 2, "undefined symbol `a`");
    source(
        "sizes that need each other",
        "a equ b-$\nb equ a-$\ndb a dup(1)\nnop\n",
        2,
        "",
    );
    source(
        "a chain of equates",
        lines(2_000, "a#1 equ a#+1").replace("a1 equ", "a01 equ") + "mov eax,a10\n",
        2,
        "",
    );
    let back: String = (0..3_000).map(|at| format!("a{at} equ a{}+1\n", at + 1)).collect();
    source(
        "a chain that leads forward",
        format!("{back}mov eax,a0\na3000 equ 1\n"),
        2,
        "recursive",
    );
    source("twice", "a: nop\na: nop\n", 2, "`a` is already defined");
    source("a register as a label", "eax: nop\n", 2, "is a register");
    source("a register as data", "eax dd 1\nnop\n", 2, "");
    source("a directive as a label", "if: nop\n", 2, "");
    source("an instruction as a label", "mov: nop\njmp mov\n", 0, "stopped");
    source("-D of a register", "nop\n", 0, "1 instruction");
    for (define, code, expected) in [
        ("X", 0, "1 instruction"),
        ("X=", 0, "1 instruction"),
        ("=1", 2, ""),
        ("", 2, ""),
        ("1X=1", 2, ""),
        ("eax=1", 2, "reserved word"),
        ("X=Y", 0, "1 instruction"),
        ("X=1/0", 0, "1 instruction"),
        ("X=((((", 0, "1 instruction"),
        ("nop=1", 2, "reserved word"),
        ("X=a\nb", 2, ""),
    ] {
        source_with(&["-D", define], &format!("-D {define:?}"), "nop\n", code, expected);
    }
    source_with(&["-D", "X=X"], "-D X=X", "mov eax,X\n", 2, "");
}

#[test]
fn branches_settle() {
    // Each jump just reaches its target, so that each jump that grows pushes the next one out of range.
    let jumps: String = (0..3_000).map(|at| format!("l{at}: jmp l{}\n", at + 62)).collect();
    let text = format!(
        "{jumps}{}",
        (3_000..3_062).map(|at| format!("l{at}: nop\n")).collect::<String>()
    );
    source("jumps that push each other", text, 0, "instructions");
    source(
        "sizes that depend on jumps",
        "a: jmp b\ndb (b-a) dup(90h)\nb: nop\n",
        2,
        "",
    );
    source(
        "align among jumps",
        "a: jmp b\nalign 16\ndb 110 dup(90h)\njmp a\nalign 16\nb: nop\n",
        0,
        "instructions",
    );
    source("a loop out of reach", "a: db 200 dup(90h)\nloop a\n", 2, "");
    source("short out of reach", "jmp short a\ndb 200 dup(90h)\na: nop\n", 2, "");
}

#[test]
fn numbers_and_expressions_that_are_wrong() {
    for (text, expected) in [
        ("x = 1/0", "division by zero"),
        ("x = 1 mod 0", "division by zero"),
        ("x = 8000000000000000h/-1\nmov eax,x", ""),
        ("mov eax,1/(2-2)", "division by zero"),
        ("mov eax,99999999999999999999", "does not fit in 64 bits"),
        ("mov eax,123456789abh", ""),
        ("mov al,1000", ""),
        ("db 256", "does not fit"),
        ("dd 1.0e999", "out of range"),
        ("dq 1.0e99999999999", ""),
        ("dt 1.0e99999", "out of range"),
        ("mov eax,'unterminated", "unterminated string"),
        ("mov eax,''", ""),
        ("mov eax,1.5", "real number not allowed here"),
        (".radix 99\nnop", "from 2 to 16"),
        ("mov eax,[ebx*3]", "1, 2, 4 or 8"),
        ("mov eax,[esp*2]", ""),
        ("mov eax,[eax+ebx+ecx]", "at most a base and an index"),
        ("mov eax,[cs]", ""),
        ("mov cs,ax", ""),
        ("lock nop", ""),
        ("rep", "expected an instruction"),
        ("st(9)", ""),
        ("fld st(-1)", ""),
        ("mov eax,$-", ""),
        ("%", ""),
        (":", ""),
        ("=", ""),
        (",", ""),
        ("'", ""),
        ("x equ", ""),
        ("x macro a,a\nendm", "already defined"),
        ("m macro a\n", "macro `m` is never closed"),
        ("rept 3\nnop", "repeat `REPT` is never closed"),
        ("if 1\nnop", "conditional is never closed"),
        ("else\nnop", "alternative without a conditional"),
        ("s struc\na db 1\nnop", ""),
        ("comment ~\nnop", "block comment is never closed"),
        ("nop\nend nowhere", "undefined symbol"),
        (
            ".data\nx dd 1\n.code\nnop\nend x+1",
            "expected the label where the program starts",
        ),
        ("p proc\nret\nq endp", "the open procedure is `p`"),
        ("s segment\nnop\nt ends", "the open segment is"),
        ("ends", "no structure or segment is open"),
        ("endp", "no procedure is open"),
        ("endm", "unmatched `endm`"),
        ("exitm", "no macro or repeat to leave"),
        ("purge nothing\nnop", "undefined macro `nothing`"),
        ("StartProfile\nnop\nEndProfile\n", ""),
    ] {
        source(text, text, 2, expected);
    }
    for text in [
        "mov eax,1 shl 200",
        "mov eax,1 shr 200",
        "mov eax,1 shl -1",
        "x = 0ffffffffffffffffh * 0ffffffffffffffffh\nnop",
        "x = 7fffffffffffffffh + 1\nnop",
        "mov eax,-(-80000000h)",
        "p proc\nret\n",
        "nop\nend",
        "nop",
        ".data\nx db 0c3h\n.code\nnop\nend x",
    ] {
        let expected = "instruction";
        source(text, text, 0, expected);
    }
}
