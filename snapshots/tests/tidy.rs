//! The structure of the project: the modules that a module may use, the length of files, and the places of chips'
//! names.

mod circles;

mod code;

mod packages;

mod rules;

use code::{lines, used_after, used_modules, words};
use rules::{LAYERS, NOT_NAMED};
use std::fs;
use std::path::{Path, PathBuf};

mod sentences;

mod dialects;

/// Files that are data tables, exempt from the limit on length.
const TABLES: &[(&str, &str)] = &[
    ("runtime/chips/src/p5.rs", "one timing row per instruction form"),
    ("asm-macros/src/events.rs", "one row per event"),
    (
        "instrumenter/assembler/src/select/forms/codes.rs",
        "one row per instruction code",
    ),
    ("snapshots/src/figures/table.rs", "one row per published figure"),
];

/// The maximum number of lines of a file.
const LONGEST: usize = 500;

/// The maximum width of a comment, or of prose in Markdown, in columns.
const WIDEST: usize = 120;

const PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Files in modules of time that model nothing.
const MODEL_NOTHING: &[&str] = &[
    "runtime/timing/src/pipeline/reading.rs",
    "runtime/timing/src/pipeline/counts/stats.rs",
    "runtime/timing/src/units/mod.rs",
];

/// Words that must not occur in the code of a module; comments and strings are exempt.
const NO_SUCH_WORD: &[(&str, &[&str])] = &[
    ("runtime/meaning/src/exec", &["clock", "cycle", "stall", "pairing"]),
    ("runtime/timing/src/pipeline", &["iced_x86", "mnemonic"]),
    ("runtime/timing/src/units", &["iced_x86", "mnemonic"]),
];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the workspace is above").to_owned()
}

/// Every Rust source of the workspace: its path from the root, with slashes, and its text.
fn sources() -> Vec<(String, String)> {
    files(&["rs"])
}

fn files(extensions: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut folders: Vec<PathBuf> = ["asm-macros", "runtime", "instrumenter", "snapshots"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "target" {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|found| extensions.iter().any(|extension| found == *extension))
            {
                let name = path
                    .strip_prefix(&root)
                    .expect("below the root")
                    .to_string_lossy()
                    .replace('\\', "/");
                found.push((name, fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    assert!(found.len() > 100, "only {} files were found", found.len());
    found.sort();
    found
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs") || name.contains("/benches/") || name.contains("/fuzz/")
}

#[test]
fn modules_use_only_what_they_may() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        for (_, not_named, why) in NOT_NAMED
            .iter()
            .filter(|(module, ..)| name == module || name.starts_with(&format!("{module}/")))
        {
            for (number, first) in used_modules(text).into_iter().chain(used_after("super::", text)) {
                if not_named.iter().any(|module| module.trim_end_matches("::") == first) {
                    wrong.push(format!("{name}:{number}: names `{first}`, but {why}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The layer of the assembler to which a file belongs.
fn layer(name: &str) -> Option<usize> {
    let inside = name
        .strip_prefix("instrumenter/assembler/src/")
        .or(name.strip_prefix("instrumenter/src/"))?;
    let module = inside.split(['/', '.']).next()?;
    LAYERS.iter().position(|layer| *layer == module)
}

#[test]
fn layers_of_the_assembler_use_only_those_below_them() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let Some(own) = layer(name) else { continue };
        for (number, used) in used_modules(text) {
            if LAYERS[..own].contains(&used.as_str()) {
                wrong.push(format!("{name}:{number}: names `{used}`, which is a layer above"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_layers_of_the_map_are_those_of_the_source() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let (_, table) = map
        .split_once("each layer uses only those below it")
        .expect("the table");
    let rows = table.lines().skip_while(|line| !line.starts_with("| `"));
    let cells = rows.map_while(|line| line.strip_prefix("| ")?.split(" | ").next());
    let listed: Vec<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(|name| name.trim_end_matches(".rs"))
        .collect();
    assert_eq!(listed, LAYERS);
    let present = |layer: &str| {
        sources()
            .iter()
            .any(|(name, _)| self::layer(name).is_some_and(|at| LAYERS[at] == layer))
    };
    assert!(LAYERS.iter().all(|layer| present(layer)));
}

#[test]
fn every_rule_concerns_something() {
    let sources = sources();
    for (module, ..) in NOT_NAMED {
        assert!(
            sources
                .iter()
                .any(|(name, _)| name == module || name.starts_with(&format!("{module}/"))),
            "{module} has a rule, but there is no such file or folder"
        );
    }
    for (module, not_named, _) in NOT_NAMED {
        let (package, inside) = module.split_once("/src/").expect("a module of a package");
        let folders = inside.match_indices('/').map(|(at, _)| &inside[..=at]);
        let folders: Vec<&str> = std::iter::once("").chain(folders).collect();
        // Types begin with a capital.
        let modules = not_named.iter().filter(|name| name.starts_with(char::is_lowercase));
        for name in modules {
            let is_there = |folder: &&str| {
                let place = root().join(format!("{package}/src/{folder}{name}"));
                place.is_dir() || place.with_extension("rs").is_file()
            };
            assert!(
                folders.iter().any(is_there),
                "{module} must not name {name}, but there is no such module"
            );
        }
    }
}

#[test]
fn meaning_has_no_word_of_time_and_time_none_of_instructions() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        for (_, forbidden) in NO_SUCH_WORD
            .iter()
            .filter(|(room, _)| name.starts_with(&format!("{room}/")))
        {
            for (number, line) in lines(text) {
                for word in words(&line) {
                    let lower = word.to_ascii_lowercase();
                    if forbidden.iter().any(|stem| lower.contains(stem)) {
                        wrong.push(format!("{name}:{number}: `{word}`"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for (name, text) in &sources() {
        let length = text.lines().count();
        let exempt = TABLES.iter().any(|(table, _)| table == name);
        if length > LONGEST && !exempt {
            wrong.push(format!("{name}: {length} lines"));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: has no `//!` comment at its top"));
        }
    }
    for (table, _) in TABLES {
        assert!(
            root().join(table).exists(),
            "{table} is listed, but there is no such file"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of a file that hold only a comment, or for Markdown prose outside of tables and code, with their numbers.
fn prose<'a>(name: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let is_prose = if name.ends_with(".rs") {
            start.starts_with("//")
        } else if name.ends_with(".md") {
            let fence = start.starts_with("```");
            in_code ^= fence;
            !in_code && !fence && !start.starts_with('|')
        } else {
            start.starts_with(';')
        };
        if is_prose {
            found.push((index + 1, line));
        }
    }
    found
}

#[test]
fn comments_and_prose_fit_the_page() {
    let mut wrong = Vec::new();
    let mut pages = files(&["rs", "inc", "asm", "md"]);
    for page in PAGES {
        pages.push((
            (*page).to_owned(),
            fs::read_to_string(root().join(page)).expect("a page"),
        ));
    }
    for (name, text) in &pages {
        if TABLES.iter().any(|(table, _)| table == name) {
            continue;
        }
        for (number, line) in prose(name, text) {
            let width = line.chars().count();
            // A link cannot be broken into lines.
            if width > WIDEST && line.split_whitespace().all(|word| word.len() < WIDEST) {
                wrong.push(format!("{name}:{number}: {width} columns"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_of_tests_is_in_a_test_program() {
    let mut left_out = Vec::new();
    for package in [
        "asm-macros",
        "runtime",
        "instrumenter",
        "instrumenter/assembler",
        "snapshots",
    ] {
        let folder = root().join(package).join("tests");
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).expect("a manifest");
        let all = fs::read_to_string(folder.join("all.rs")).expect("the list of modules");
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".rs") else { continue };
            let listed = all.contains(&format!("\nmod {stem};")) || manifest.contains(&format!("\"tests/{name}\""));
            if !listed {
                left_out.push(format!("{package}/tests/{name}"));
            }
        }
    }
    assert!(left_out.is_empty(), "in no test program: {left_out:?}");
}

#[test]
fn nothing_is_left_for_later() {
    // The words are written in two parts, so that this file passes.
    let forbidden = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("dbg", "!"),
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        concat!("#[ig", "nore"),
    ];
    let mut wrong = Vec::new();
    for (name, text) in &sources() {
        for (index, line) in text.lines().enumerate() {
            for word in forbidden.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!("{name}:{}: {word}", index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chips_are_named_in_the_model_only() {
    let mut wrong = Vec::new();
    for (name, text) in &sources() {
        // The command line accepts the names of chips, and tests and texts quote them.
        let elsewhere =
            name.starts_with("runtime/chips/src/") || name == "instrumenter/src/command/args.rs" || is_test(name);
        if elsewhere {
            continue;
        }
        for (number, line) in lines(text) {
            let named =
                words(&line).any(|word| matches!(word, "P5" | "p54c" | "P54C" | "p55c" | "P55C" | "PENTIUM" | "i486"));
            if named || line.contains("p5::") {
                wrong.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dialects_are_distinguished_in_one_module() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let may = name.starts_with("instrumenter/assembler/src/dialect/");
        if may || !name.starts_with("instrumenter/") {
            continue;
        }
        for (number, line) in lines(text) {
            if words(&line).any(|word| matches!(word.to_ascii_lowercase().as_str(), "masm" | "tasm" | "keyword")) {
                wrong.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_of_time_and_chips_say_what_they_leave_out() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let asked = [
            "runtime/timing/src/pipeline/",
            "runtime/timing/src/units/",
            "runtime/chips/src/",
        ];
        if !asked.iter().any(|room| name.starts_with(room)) || MODEL_NOTHING.contains(&name.as_str()) {
            continue;
        }
        let opening: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        if !opening.contains("Modelled:") || !opening.contains("Not modelled") {
            wrong.push(name.clone());
        }
    }
    assert!(wrong.is_empty(), "Modelled and Not modelled are missing in {wrong:?}");
}

/// The paths that a page of documentation names: words in backquotes that begin with a crate's folder.
fn paths(page: &str) -> impl Iterator<Item = &str> {
    let crates = ["asm-macros/", "runtime/", "instrumenter/", "snapshots/"];
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter(move |word| crates.iter().any(|name| word.starts_with(name)) && !word.contains(' '))
}

#[test]
fn documentation_names_what_exists() {
    let mut wrong = Vec::new();
    // The book's tests follow the links of its pages.
    let reference = fs::read_dir(root().join("snapshots/tutorials/reference")).expect("a folder");
    for page in reference.flatten().map(|entry| entry.path()) {
        let text = fs::read_to_string(&page).expect("a page");
        for path in paths(&text).filter(|path| !root().join(path).exists()) {
            wrong.push(format!("{}: {path}", page.display()));
        }
    }
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        for path in paths(&text).filter(|path| !root().join(path).exists()) {
            wrong.push(format!("{page}: {path}"));
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.contains("://") && !root().join(link).exists() {
                wrong.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "no such file or folder:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let mut missing = Vec::new();
    let mut folders = vec!["instrumenter/src".to_owned(), "instrumenter/assembler/src".to_owned()];
    // The contents of crates with one subject are described with the subject; crates with several have a row for each.
    folders.extend(["words", "meaning", "timing", "host"].map(|name| format!("runtime/{name}/src")));
    for folder in folders {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let stem = name.strip_suffix(".rs").unwrap_or(&name);
            let known = [
                format!("`{stem}`"),
                format!("`{stem}.rs`"),
                format!("{folder}/{stem}"),
                format!("/{stem}`"),
                format!("/{stem}.rs`"),
                format!("`{stem}/"),
            ];
            if !matches!(stem, "lib" | "main" | "tests") && !known.iter().any(|known| map.contains(known.as_str())) {
                missing.push(format!("{folder}/{name}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "ARCHITECTURE.md does not say what these are: {missing:?}"
    );
}
