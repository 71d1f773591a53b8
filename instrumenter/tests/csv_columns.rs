//! The lines of a run as CSV have the figures that the JSON has of them.

use crate::started;
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn each_line_has_its_region_its_clock_and_its_mispredictions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let source = ".586\n.model flat\n.data\nt db 60 dup (1,0,0)\n.code\nstart: mov esi,offset t\nmov ecx,180\n\
                  StartTSC walk\nnext: mov al,[esi]\ninc esi\ntest al,al\njz over\ninc edx\nover: dec ecx\njnz next\n\
                  EndTSC\nStartTSC\nadd eax,ebx\nEndTSC\nret\nend start\n";
    fs::write(path.join("walk.asm"), source).expect("a file is written");
    started::printed(path, "walk.asm -o walk.csv -o walk.json");
    let tutorials = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials");
    let c_program = fs::copy(tutorials.join("10_c_program/tally.elf"), path.join("tally.elf"));
    c_program.expect("a program is copied");
    started::finished(path, "-o tally.csv -o tally.json tally.elf");
    for name in ["walk", "tally"] {
        let json = fs::read_to_string(path.join(format!("{name}.json"))).expect("a report");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let table = fs::read_to_string(path.join(format!("{name}.csv"))).expect("a report");
        let mut table = csv::Reader::from_reader(table.as_bytes());
        let headings = table.headers().expect("headings").clone();
        let lines = json["lines"].as_array().expect("lines").iter();
        let mut met = [0; 4];
        for (line, record) in lines.filter(|line| line["library"] == false).zip(table.records()) {
            let record = record.expect("a record");
            let cell = |name: &str| {
                let at = headings.iter().position(|heading| heading == name);
                record.get(at.expect("a column")).expect("a cell").to_owned()
            };
            let told = |value: &Value| match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(cell("line"), told(&line["line"]));
            let region = line["region"].as_u64().map(|at| &json["regions"][at as usize]["name"]);
            let expected = [
                ("region", told(region.unwrap_or(&Value::Null))),
                ("clock", told(&line["clock"])),
                ("mispredictions", told(&line["mispredictions"])),
                ("function", told(&line["function"])),
            ];
            for (place, (name, expected)) in expected.into_iter().enumerate() {
                met[place] += usize::from(!expected.is_empty());
                assert_eq!(cell(name), expected, "{name}: {line}");
            }
        }
        // Each of them is there.
        match name {
            "walk" => assert!(met[..3].iter().all(|&met| met > 0), "{met:?}"),
            _ => assert!(met[2] > 0, "{met:?}"),
        }
    }
}
