//! Every program in the folder `asm` meets its own expectations, in normal blocks and in blocks of one operation.

use std::fs;
use std::path::Path;

#[test]
fn programs_come_out_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    let mut programs: Vec<_> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "asm"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 18, "only {} programs", programs.len());
    let mut wrong = Vec::new();
    for path in &programs {
        let name = path.file_name().expect("a file").to_string_lossy();
        let text = fs::read_to_string(path).expect("UTF-8");
        if let Err(why) = snapshots::check(&name, &text) {
            wrong.push(why);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
