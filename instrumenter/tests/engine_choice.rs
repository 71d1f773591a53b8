//! What is said of the engine that runs a program.

use crate::started;
use started::text;
use std::path::Path;

#[test]
fn what_compiles_nothing_says_why_to_whoever_asks() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("loop.asm");
    std::fs::write(
        &path,
        ".586\n.model flat\n.data\nn dd 0\n.code\nstart: inc n\nret\nend start\n",
    )
    .expect("written");
    let file = path.to_str().expect("a printable path");
    let snooper = "each access may meet the other master of the bus";
    for (arguments, why) in [
        (&["-v"][..], None),
        (&["--monitor", "perfmon"], None),
        (
            &["-v", "--monitor", "perfmon"],
            Some("each access may be to the local APIC of a monitor"),
        ),
        (&["--engine", "jit", "--monitor", "snooper"], Some(snooper)),
        (&["--engine", "both", "--monitor", "dual"], Some(snooper)),
        (&["-v", "--engine", "interpreter", "--monitor", "dual"], None),
        (&["audit"], None),
        (&["audit", "-v"], Some("each group of instructions is audited")),
        (&["audit", "--engine", "jit", "--monitor", "snooper"], Some(snooper)),
        (&["audit", "-v", "--engine", "interpreter"], None),
        (&["-v", "--format", "callgrind"], Some("the report needs each call")),
        (
            &["-v", "--cpu", "i486"],
            Some("the pipeline of this chip is not known to the compiler yet"),
        ),
    ] {
        let output = started::p5inst(Path::new("."), &[arguments, &[file]].concat()).output();
        let output = output.expect("the command starts");
        let error = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        let said = error.lines().find(|line| line.contains("no code is compiled"));
        // Where nothing can be compiled, that is the reason of all.
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            match why {
                Some(why) => assert!(said.is_some_and(|said| said.contains(why)), "{arguments:?}: {error}"),
                None => assert_eq!(said, None, "{arguments:?}"),
            }
        }
    }
}

#[test]
fn alignment_is_checked_by_the_flag_alone_whatever_was_checked_before() {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    for engine in ["interpreter", "auto", "jit", "both"] {
        let output = started::finished(&objects, &format!("--engine {engine} --format json aligned.elf"));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (&report["stop"]["reason"], &report["stop"]["code"]),
            (&"exit".into(), &0.into()),
            "{engine}"
        );
    }
}
