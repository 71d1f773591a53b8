//! Definitions of the command line, sources that use or contradict them, and names that may not be defined again.

use super::{bytes, complaints, good};
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Limits, Options, assemble};

/// Assembles with the definitions N as 3 and REG as `ecx`.
fn assembled(text: &str) -> Assembly {
    let options = Options {
        defines: vec![("N".to_owned(), "3".to_owned()), ("REG".to_owned(), "ecx".to_owned())],
        ..Options::default()
    };
    assemble(&Sources::single("t.asm", text), &options)
}

#[test]
fn a_source_sees_the_definitions_and_may_repeat_them() {
    for text in [
        "mov reg,n\n",
        "ifndef N\nN = 5\nendif\nmov reg,N\n",
        "ifdef reg\nmov reg,N\nendif\n",
        "n = 3\nmov ecx,n\n",
        "N equ 1+2\nmov ecx,n\n",
        "REG equ <ecx>\nmov reg,3\n",
        "REG textequ <ecx>\nmov reg,3\n",
        "N = 3\nN = N+1\nmov ecx,N-1\n",
        "REG equ <ecx>\nREG equ <edx>\nREG equ <ecx>\nmov REG,3\n",
    ] {
        assert_eq!(bytes(&good(text, assembled(text)), "_TEXT"), "b903000000", "{text}");
    }
}

#[test]
fn what_values_decide_is_known() {
    for (text, decide) in [
        ("mov reg,n\n", true),
        ("mov ecx,N\nmov al,[ebx+N*2]\ndb N dup(0)\n", false),
        ("ifdef N\nmov ecx,N\nendif\n", false),
        ("if N\nmov ecx,1\nendif\n", true),
        ("rept N\nnop\nendm\n", true),
        ("x = 1\nif x\nmov ecx,N\nendif\n", false),
        ("x = N\nmov ecx,x\n", false),
        ("x equ N+1\nmov ecx,x\n", false),
        ("x = N\ny equ x*4\nx = x+1\nmov ecx,[ebx+y]\ndb x dup(0)\n", false),
        ("x = N\nx = 2\nif x\nmov ecx,N\nendif\n", false),
        ("x = N\nif x\nmov ecx,1\nendif\n", true),
        ("x equ N+1\nrept x\nnop\nendm\n", true),
        ("x = N\ny = x+1\nif y gt 2\nnop\nendif\n", true),
        ("x = N\nt textequ %x\nmov ecx,t\n", true),
        ("x = N\nt equ <x>\nif t\nnop\nendif\n", true),
        ("a: mov eax,N\nb:\nx = b-a\nif x gt 2\nnop\nendif\n", true),
        ("x = N\nm macro a\nmov ecx,a\nendm\nm %x\n", true),
        ("x equ y+1\ny = N\nif x\nnop\nendif\n", true),
        ("a: mov eax,N\nb:\nif b-a gt 2\nnop\nendif\n", true),
        ("s struc\nx db N dup(?)\ns ends\nif size s gt 2\nnop\nendif\n", true),
        ("nop\nalign 4\nN = 3\n", true),
    ] {
        let options = Options {
            defines: vec![("N".to_owned(), "3".to_owned())],
            ..Options::default()
        };
        // A text definition decides wherever it is used.
        let with_text = text.contains("reg");
        let assembly = if with_text {
            assembled(text)
        } else {
            assemble(&Sources::single("t.asm", text), &options)
        };
        assert_eq!(assembly.values_decide, decide, "{text}");
        let by_address = decide && ["b-a", "size s"].iter().any(|size| text.contains(size));
        assert_eq!(assembly.addresses_decide, by_address, "{text}");
        good(text, assembly);
        // What the value of a settled name decides is not noted; what an address decides is.
        let settled = Options {
            settled: vec!["N".to_owned()],
            ..options
        };
        let assembly = assemble(&Sources::single("t.asm", text), &settled);
        assert!(by_address || with_text || !assembly.values_decide, "{text}");
    }
}

#[test]
fn numbers_with_which_conditions_compare_options_are_known() {
    for (text, bounds) in [
        ("if N\nnop\nendif\n", Some(&[None][..])),
        ("if N eq 3\nnop\nelseif 7 lt (N)\nnop\nendif\n", Some(&[Some(3)][..])),
        (
            "if N eq 4\nnop\nelseif 7 lt (N)\nnop\nendif\n",
            Some(&[Some(4), Some(7)]),
        ),
        ("if N ge 3 and N le 9\nmov ecx,N\nendif\n", Some(&[Some(3), Some(9)])),
        ("if not (N ne 3)\nnop\nendif\n", Some(&[Some(3)])),
        ("if N eq N\nnop\nendif\n", Some(&[None, Some(3)])),
        ("if N eq 3 or N\nnop\nendif\n", Some(&[Some(3), None])),
        ("if N+1 eq 3\nnop\nendif\n", Some(&[None])),
        ("if (N eq 3)+N\nnop\nendif\n", Some(&[Some(3), None])),
        ("if -N lt 3\nnop\nendif\n", Some(&[None])),
        ("x = 3\nif N eq x\nnop\nendif\n", Some(&[Some(3)])),
        ("x = N\nif x eq 3\nnop\nendif\n", None),
        ("x = N eq 3\nif x\nnop\nendif\n", None),
        ("if N eq 3\nrept N\nnop\nendm\nendif\n", Some(&[Some(3), None])),
        ("rept (N lt 9) and 2\nnop\nendm\n", Some(&[Some(9)])),
        ("a: nop\nb:\nif N gt b-a\nnop\nendif\n", None),
        ("nop\nN = 3\nif N eq 3\nnop\nendif\n", None),
    ] {
        let options = Options {
            defines: vec![("N".to_owned(), "3".to_owned())],
            ..Options::default()
        };
        let text = format!("{text}nop\n");
        let assembly = assemble(&Sources::single("t.asm", &text), &options);
        let known = assembly.bounds.clone();
        let bounds = bounds.map(|all| {
            all.iter()
                .map(|&bound: &Option<i64>| ("n".to_owned(), bound))
                .collect::<Vec<_>>()
        });
        assert_eq!(known, bounds, "{text}");
        assert!(assembly.values_decide, "{text}");
        good(&text, assembly);
    }
}

#[test]
fn a_definition_that_differs_is_an_error_that_names_both_places() {
    for (text, what) in [
        ("nop\nN = 4\nnop\n", "the command line defines `N` as 3"),
        ("nop\nN = N+1\n", "the command line defines `N` as 3"),
        ("nop\nn equ 4\n", "the command line defines `n` as 3"),
        ("nop\nN dd 3\n", "the command line defines `N` as 3"),
        ("nop\nN:\n", "the command line defines `N` as 3"),
        ("nop\nN proc\nN endp\n", "the command line defines `N` as 3"),
        ("nop\nN equ <eax>\n", "the command line defines `N` as 3"),
        ("nop\nREG equ <edx>\n", "the command line defines `REG` as another text"),
        (
            "nop\nREG textequ <edx>\n",
            "the command line defines `REG` as another text",
        ),
        ("nop\nN macro\nendm\n", "the command line defines `N`"),
    ] {
        let found = assembled(text).diagnostics;
        let first = found.first().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(first.message, what, "{text}");
        assert_eq!(first.span.map(|span| (span.file, span.line)), Some((0, 2)), "{text}");
        assert!(
            first.help.as_ref().is_some_and(|help| help.contains("drop one")),
            "{text}"
        );
    }
}

#[test]
fn what_cannot_be_defined_is_an_error_of_no_line() {
    for (defines, what) in [
        (
            &[("eax", "1")][..],
            "cannot define `eax` as `1` with -D: it is a reserved word",
        ),
        (
            &[("mov", "1")],
            "cannot define `mov` as `1` with -D: it is a reserved word",
        ),
        (
            &[("A", "1"), ("a", "2")],
            "cannot define `a` as `2` with -D: another -D defines it",
        ),
        (
            &[("A", "x"), ("A", "y")],
            "cannot define `A` as `y` with -D: another -D defines it",
        ),
        (
            &[("A", "x"), ("A", "1")],
            "cannot define `A` as `1` with -D: another -D defines it",
        ),
    ] {
        let defines = defines
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        let options = Options {
            defines: defines.collect(),
            ..Options::default()
        };
        let found = assemble(&Sources::single("t.asm", "nop\n"), &options).diagnostics;
        let [only] = &found[..] else {
            panic!("{what}: {found:?}")
        };
        assert!(only.message.starts_with(what) && only.span.is_none(), "{only:?}");
    }
    let options = Options {
        defines: ["1", "1"].map(|value| ("A".to_owned(), value.to_owned())).to_vec(),
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("t.asm", "mov ecx,A+2\n"), &options);
    assert_eq!(bytes(&good("twice the same", assembly), "_TEXT"), "b903000000");
}

#[test]
fn a_number_that_may_change_cannot_become_an_address() {
    for label in [".data\na dd 0", ".code\na: nop", ".code\na proc\nret\na endp"] {
        let found = complaints(&format!("a = 1\na = 2\n{label}"));
        let expected = "4: `a` is already defined | rename one of them; the first definition is on line 2";
        assert_eq!(found.first().map(String::as_str), Some(expected), "{label}: {found:#?}");
    }
}

#[test]
fn a_table_has_no_more_members_than_an_object_has_methods() {
    for (members, refused) in [(1000, false), (1001, true)] {
        let members: String = (0..members).map(|number| format!("m{number}\n")).collect();
        let text = format!(".model small\nt table {{\n{members}}}\n.code\nnop\n");
        let told = complaints(&text);
        let found = told.iter().any(|one| one.contains("more than 1000 methods or members"));
        assert_eq!(found, refused, "{told:?}");
    }
}

/// Written out, their expressions double with each symbol.
#[test]
fn symbols_that_each_add_the_one_before_to_itself_take_work_for_each_once() {
    let defined = |count: usize, line: &str| -> String {
        let lines = (0..count).map(|at| {
            line.replace("after", &format!("a{}", at + 1))
                .replace("before", &format!("a{at}"))
        });
        lines.collect()
    };
    let turned = |text: &str| -> String { text.lines().rev().map(|line| format!("{line}\n")).collect() };
    // The nodes of all expressions that the sources may evaluate, a thousandth of those that an assembly may.
    let limits = Limits {
        evaluated: 200_000,
        ..Limits::default()
    };
    let of = |text: &str| {
        let options = Options {
            limits,
            ..Options::default()
        };
        assemble(&Sources::single("t.asm", text), &options)
    };
    // Half of each sum is the one before, so the value stays 1, or the distance of two labels.
    for line in [
        "after equ (before+before)/2\n",
        "after = (before+before)/2\n",
        "after equ before+before-before\n",
        "after equ 2*before-before\n",
        "after = before+(before-before)\n",
    ] {
        let later = turned(&defined(60, line));
        for text in [
            format!("mov ecx,a60\n{later}a0 equ 1\n"),
            format!("mov ecx,a60\n{later}a0 = 1\n"),
            format!("mov ecx,a60\n{later}a0 equ last-next\nnext: nop\nlast: nop\n"),
            format!("next: nop\nlast: mov ecx,a60\na0 equ last-next\n{}", defined(60, line)),
            format!("next: nop\na0 equ last-next\n{}last: mov ecx,a60\n", defined(60, line)),
        ] {
            let code = bytes(&good(&text, of(&text)), "_TEXT");
            assert!(code.contains("b901000000"), "{code}: {text}");
        }
    }
    // What is wrong is found as soon.
    let later = turned(&defined(60, "after equ before+before\n"));
    for (text, wrong) in [
        (format!("mov ecx,a60\n{later}"), "undefined symbol `a0`"),
        (format!("mov ecx,a60\n{later}a0 equ 1\n"), "does not fit in 32 bits"),
        (
            format!("mov ecx,a60\n{later}a0 equ a60\n"),
            "symbol definition is recursive or nested too deeply",
        ),
        (format!("x: db a60 dup(0)\n{later}a0 equ y\ny: nop\n"), "a60"),
    ] {
        let found: Vec<String> = of(&text).diagnostics.into_iter().map(|one| one.message).collect();
        let found = found.join("\n");
        assert!(found.contains(wrong), "{found}: {text}");
    }
}
