//! What programs with reals are told: results that masked exceptions have spoiled, and variables that hold reals though
//! their declarations do not say so.

use crate::started::{finished, text};

/// What the command prints on a source in the file `a.asm`, on one line.
fn told(source: &str, options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), &format!("a.asm {options}"));
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The report of a program with these lines of code, which begin at line 9.
fn program(code: &str, options: &str) -> String {
    let data = ".586\n.mmx\n.model flat\n.data\nr dq ?\nz dd 0.0\nn dd 7\n";
    told(&format!("{data}.code\nstart: {code}\nret\nend start\n"), options)
}

#[test]
fn the_first_result_that_an_exception_spoils_is_told_by_line() {
    let nine = "fld1\n".repeat(9);
    let cases = [
        (
            nine.as_str(),
            "line 17: `fld1` finds all eight registers of the floating-point unit in use, and gives a NaN; pop values \
             that are not needed any more",
        ),
        (
            "fld1\nfstp st\nfstp r",
            "line 11: `fstp r` reads a register of the floating-point unit that is empty, and takes a NaN for it; the \
             value was never loaded, or popped before",
        ),
        ("fld1\nfdiv z", "line 10: `fdiv z` divides by 0, and gives an infinity"),
        (
            "fld1\nfchs\nfsqrt",
            "line 11: `fsqrt` has no result for its operands, and gives a NaN",
        ),
        (
            "fldz\nfldz\nfdiv\nfcom z",
            "line 11: `fdiv` has no result for its operands, and gives a NaN",
        ),
        (
            "fild n\nfld1\nfscale\nfscale\nfscale\nfscale\nfscale\nfscale\nfmul st,st\nfistp n",
            "line 18: `fistp n` stores the least integer of its size, because the number does not fit, or is a NaN",
        ),
        (
            "fld1\nfldz\nfyl2x",
            "line 11: `fyl2x` has an operand of 0, and gives an infinity",
        ),
    ];
    for (code, words) in cases {
        for engine in ["interpreter", "both"] {
            let report = program(code, &format!("--engine {engine}"));
            assert!(report.contains(words), "{code}: {report}");
        }
    }
    let report = program("movq mm0,mm1\nfild n\nfistp r", "--cpu p55c");
    assert!(
        report.contains(
            "line 10: `fild n` finds the registers of the floating-point unit in use, as MMX instructions leave them, \
             and gives a NaN; write `emms` before it"
        ),
        "{report}"
    );
    let report = program("movq mm0,mm1\nemms\nfild n\nfistp r\nfldz\nfstp r", "--cpu p55c");
    assert!(!report.contains("NaN") && !report.contains("infinity"), "{report}");
}

/// The loop is compiled long before the exception, and executes it as the interpreter does.
#[test]
fn an_exception_in_a_loop_is_told_once() {
    let report = program(
        "mov ecx,5000\nl: fld1\nfidiv n\nfstp r\ndec n\njns m\nmov n,7\nm: dec ecx\njnz l",
        "",
    );
    let words = "line 11: `fidiv n` divides by 0, and gives an infinity";
    assert_eq!(report.matches(words).count(), 1, "{report}");
    assert_eq!(report.matches("infinity").count(), 1, "{report}");
}

#[test]
fn code_of_16_bits_is_told_as_well() {
    let report = told(
        ".model small\n.386\n.stack 64\n.data\nr dd ?\nz dd 0.0\n.code\nmain: mov ax,@data\nmov ds,ax\nfld1\nfdiv z\n\
         fstp r\nmov ax,4c00h\nint 21h\nend main\n",
        "",
    );
    assert!(report.contains("line 11: `fdiv z` divides by 0"), "{report}");
    assert!(report.contains("r = inf, was 0.0"), "{report}");
}

#[test]
fn variables_that_only_floating_point_code_uses_are_shown_as_reals() {
    let shown = |code: &str| {
        told(
            &format!(
                ".586\n.model flat\n.data\nr dq ?\nx dd 1.5\ny dd ?\nt dd 4 dup (?)\n.code\nstart: {code}\nret\nend start\n"
            ),
            "",
        )
    };
    let report = shown("mov esi,1\nfld x\nfadd x\nfst y\nfst t[esi*4]\nfstp r");
    for words in ["r = 3.0, was 0.0", "y = 3.0, was 0.0", "t[1] = 3.0, was 0.0"] {
        assert!(report.contains(words), "{words}: {report}");
    }
    // Copies say nothing of what they copy.
    let report = shown("fld x\nfstp y\nmov eax,y\nmov t,eax");
    assert!(
        report.contains("y = 1.5, was 0.0") && report.contains("t[0] = 1069547520"),
        "{report}"
    );
    // Integers of the unit, and bits that code computes with, are no reals.
    let report = shown("fld x\nfist t\nfstp y\nand y,7fffffffh");
    assert!(
        report.contains("y = 1069547520") && report.contains("t[0] = 2"),
        "{report}"
    );
}
