//! What the README quotes of `p5inst host run`: the words and the simulated figures are those that the command prints; the host's
//! figures are this machine's, so only their place is looked at.

use std::path::Path;
use std::process::Command;

/// How many words of a region's row are the simulated Pentium's: name, lines, passes, and three figures.
const SIMULATED: usize = 6;

#[test]
fn the_quoted_regions_are_those_that_the_command_above_them_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let (before, quoted) = readme
        .lines()
        .skip_while(|line| !line.starts_with("cargo run --release -- host run "))
        .fold((String::new(), Vec::new()), |(command, mut quoted), line| {
            if command.is_empty() {
                return (line.to_owned(), quoted);
            }
            quoted.push(line);
            (command, quoted)
        });
    let arguments = before.strip_prefix("cargo run --release -- ").expect("the command");
    let output = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(arguments.split(' '))
        .current_dir(&root)
        .output()
        .expect("the command starts");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let quote: Vec<&str> = quoted
        .into_iter()
        .skip_while(|line| *line != "```text")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert!(quote.len() >= 4, "{quote:?}");
    let mut regions = 0;
    for line in quote {
        let expected = words(line);
        let is_row = expected
            .get(1)
            .is_some_and(|lines| lines.starts_with(|first: char| first.is_ascii_digit()));
        let same = |printed: &&str| {
            let printed = words(printed);
            let length = if is_row { SIMULATED } else { expected.len() };
            printed.len() >= length && printed[..length] == expected[..length]
        };
        let found = printed.lines().find(same);
        let found = found.unwrap_or_else(|| panic!("the README quotes:\n{line}\nit prints:\n{printed}"));
        if is_row {
            regions += 1;
            // Figures, or a note with the reason.
            let there = words(found);
            assert!(there.len() >= SIMULATED + 5, "{found}");
            if !there.iter().any(|word| word == "±") {
                eprintln!("skipped: this host measured nothing: {found}");
                assert!(found.contains('['), "a missing figure has its reason: {found}");
            }
        }
    }
    assert_eq!(regions, 2);
}
