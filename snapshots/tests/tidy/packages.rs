//! The use of packages by each other: as the map lists it, and of the machine only its instruments.

use super::code::lines;
use super::{root, sources};
use std::fs;

/// The packages of the workspace in the order of the map, which begins with those that use no other: each with the
/// packages that it uses.
fn listed_packages(map: &str) -> Vec<(String, Vec<String>)> {
    let (_, table) = map
        .split_once("| package | holds | uses |")
        .expect("the table of packages");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    let names = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        (names(cells[0]).remove(0), names(cells[2]))
    })
    .collect()
}

#[test]
fn packages_use_what_the_map_says() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let listed = listed_packages(&map);
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let (_, members) = workspace.split_once("\nmembers = [").expect("members");
    let folders: Vec<&str> = members
        .split(']')
        .next()
        .unwrap_or_default()
        .split('"')
        .skip(1)
        .step_by(2)
        .collect();
    let mut found = Vec::new();
    for folder in folders {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
        let value = |line: &str| line.split('"').nth(1).map(str::to_owned);
        let name = manifest
            .lines()
            .find(|line| line.starts_with("name = "))
            .and_then(value)
            .expect("a name");
        let mut uses: Vec<String> = Vec::new();
        let mut counts = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                counts = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
            }
            let used = line.split(['.', ' ']).next().unwrap_or_default();
            if counts && listed.iter().any(|(package, _)| package == used) && !uses.iter().any(|one| one == used) {
                uses.push(used.to_owned());
            }
        }
        assert!(
            !root().join(folder).join("build.rs").exists(),
            "{folder} has a build script"
        );
        found.push((name, uses));
    }
    for (name, uses) in &found {
        let at = listed.iter().position(|(package, _)| package == name);
        let at = at.unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {name}"));
        let mut said = listed[at].1.clone();
        let mut uses = uses.clone();
        said.sort();
        uses.sort();
        assert_eq!(said, uses, "what {name} uses, in ARCHITECTURE.md and in its manifest");
        for used in &uses {
            let below = listed.iter().position(|(package, _)| package == used);
            assert!(
                below.is_some_and(|below| below < at),
                "{name} uses {used}, which stands after it"
            );
        }
    }
    assert_eq!(found.len(), listed.len());
}

#[test]
fn reports_see_of_a_machine_what_its_instruments_found() {
    let mut wrong = Vec::new();
    for (name, text) in sources()
        .iter()
        .filter(|(name, _)| name.starts_with("runtime/report/src/"))
    {
        for (number, line) in lines(text) {
            for (_, path) in line
                .match_indices("p5_machine")
                .map(|(at, word)| line.split_at(at + word.len()))
            {
                if !path.starts_with("::instruments") {
                    wrong.push(format!("{name}:{number}: {}", line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
