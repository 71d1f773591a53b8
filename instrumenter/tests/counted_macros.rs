//! A program that needs the library's measuring macros to assemble is counted with them, and this is said.

use crate::started;
use serde_json::Value;
use started::printed;

#[test]
fn macros_that_cannot_be_left_out_are_said_to_be_counted() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // It uses a variable of the macros.
    for (name, line) in [("private.asm", "mov edx,P5_eax"), ("plain.asm", "")] {
        let text = format!("StartTSC cells\n{line}\nmov eax,cell\nEndTSC\nret\n.data\ncell dd 0\n");
        std::fs::write(folder.path().join(name), text).expect("a file is written");
    }
    for command in [
        "stat",
        "stat --event data_read",
        "stat --event data_read --every 100000",
    ] {
        let told = printed(folder.path(), &format!("{command} private.asm"));
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("macros of the library are counted, too, because the program does not assemble without them")
                && told.contains("undefined symbol `P5_eax` (private.asm:2)"),
            "{told}"
        );
    }
    let report = |name: &str| -> Value {
        let text = printed(folder.path(), &format!("stat --format json {name}"));
        serde_json::from_str(&text).expect("JSON")
    };
    let of = |name: &str| report(name)["programs"][0].clone();
    let (private, plain) = (of("private.asm"), of("plain.asm"));
    let note = private["notes"][0].as_str().expect("a note");
    assert!(note.contains("are counted, too"), "{note}");
    // The macros take thousands of clocks.
    let clocks = |of: &Value| of["clocks"][2].as_u64().expect("clocks");
    assert!(clocks(&private) > 1000 && clocks(&plain) < 100, "{private}, {plain}");
}
