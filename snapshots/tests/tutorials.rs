//! The tutorials and the README quote p5inst correctly: each of their commands is executed, its output is compared with
//! the committed snapshot, and every quoted line of an output or program must occur there.
//!
//! In a `tutorial.md`, a block fenced with `sh` holds one command, a block fenced with `text` quotes the output of the
//! command above it, and a block fenced with `asm` or `c` quotes a program in the same folder. A command that compiles
//! such a program is not executed: what it made is in the folder. Numbers in sentences occur in
//! one of these or are calculated from them. The `rust` of the README runs as a documentation test. Outputs are 80
//! columns wide, the default without a terminal.

mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

/// The start of every command.
const COMMAND: &str = "cargo run --release -- ";
/// The folder of the tutorials in commands.
const FOLDER: &str = "snapshots/tutorials";

struct Block {
    line: usize,
    language: String,
    lines: Vec<String>,
}

struct Tutorial {
    name: String,
    folder: PathBuf,
    text: String,
    blocks: Vec<Block>,
}

impl Tutorial {
    /// The commands, each with the index of its block.
    fn commands(&self) -> impl Iterator<Item = (usize, &str)> {
        let blocks = self.blocks.iter().enumerate();
        blocks
            .filter(|(_, block)| block.language == "sh" && !block.lines.iter().any(|line| line.starts_with("gcc ")))
            .map(|(index, block)| match block.lines.as_slice() {
                [command] => (index, command.as_str()),
                _ => panic!("{}:{}: one command in a block", self.name, block.line),
            })
    }

    /// Every program in the folder: name and text.
    fn programs(&self) -> Vec<(String, String)> {
        self.files(&["asm"])
    }

    /// Every file in the folder with one of these extensions: name and text.
    fn files(&self, extensions: &[&str]) -> Vec<(String, String)> {
        let names = extensions.iter().flat_map(|extension| names(&self.folder, extension));
        let read = |name: String| {
            let text = std::fs::read_to_string(self.folder.join(&name)).expect("a program is text");
            (name, text)
        };
        names.map(read).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn tutorials() -> Vec<Tutorial> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join(FOLDER))
        .expect("the tutorials can be listed")
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.is_dir() && holds_a_program(path))
        .collect();
    folders.sort();
    assert!(folders.len() >= 12, "{} tutorials", folders.len());
    folders
        .into_iter()
        .map(|folder| {
            let text = std::fs::read_to_string(folder.join("tutorial.md")).expect("every folder has a tutorial.md");
            let name = folder
                .file_name()
                .expect("a folder has a name")
                .to_string_lossy()
                .into_owned();
            Tutorial {
                blocks: blocks(&name, &text),
                text,
                folder,
                name,
            }
        })
        .collect()
}

/// Whether the tutorial in the folder is about programs for the simulated chip; the one about Rust has a separate test.
fn holds_a_program(folder: &Path) -> bool {
    ["asm", "elf"]
        .iter()
        .any(|extension| !names(folder, extension).is_empty())
}

/// The names of the files in the folder with this extension.
fn names(folder: &Path, extension: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder can be listed");
    let names = files.map(|entry| entry.expect("an entry can be read").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .filter(|name| Path::new(name).extension().is_some_and(|other| other == extension))
        .collect();
    names.sort();
    names
}

/// The fenced blocks of a Markdown text.
fn blocks(name: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        let fence = line.strip_prefix("```");
        match (open.take(), fence) {
            (None, Some(language)) => {
                assert!(
                    ["sh", "text", "asm", "c", "rust", "python", "sql"].contains(&language),
                    "{name}:{}: `{language}` is no kind of block",
                    number + 1
                );
                open = Some(Block {
                    line: number + 1,
                    language: language.to_owned(),
                    lines: Vec::new(),
                });
            }
            (Some(block), Some("")) => blocks.push(block),
            (Some(mut block), _) => {
                block.lines.push(line.to_owned());
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{name}: a block is not closed");
    blocks
}

struct Printed {
    /// The report, and after it what was said of budgets that fail.
    text: String,
    /// Whether the program ended by itself and kept its budgets.
    ended: bool,
}

/// The words of a command, split as by a shell: spaces within double quotes belong to the word.
fn words(arguments: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in arguments.split('"').enumerate() {
        let quoted = index % 2 == 1;
        for (index, piece) in part.split(|character| character == ' ' && !quoted).enumerate() {
            if index > 0 {
                words.push(String::new());
            }
            words.last_mut().expect("there is a first word").push_str(piece);
        }
    }
    words
}

/// The name of a command's snapshot, shortened and without characters that are invalid in file names.
fn snapshot_name(command: &str) -> String {
    let arguments = command.trim_start_matches(COMMAND);
    let name = arguments
        .replace(&format!("{FOLDER}/"), "")
        .replace(".asm", "")
        .replace('/', "__")
        .replace(" --", "-")
        .replace(' ', "_");
    let name = name.trim_start_matches('-').to_owned();
    if !name.contains('"') {
        return name;
    }
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    name.chars().filter(|&character| plain(character)).take(120).collect()
}

/// Runs a command: `p5inst` with `arguments`, and with `input` as its standard input.
fn run(arguments: &str, input: &str) -> Printed {
    // A tutorial writes its files there.
    std::fs::create_dir_all(root().join("target")).expect("the folder of what is built can be made");
    let mut p5inst = Command::new(env!("CARGO_BIN_EXE_p5inst_here"))
        .args(words(arguments))
        .current_dir(root())
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A program that does not come from standard input may end before its input is written.
    let mut to = p5inst.stdin.take().expect("it is a pipe");
    let _ = to.write_all(input.as_bytes());
    drop(to);
    let output = p5inst.wait_with_output().expect("the command ends");
    let complaints = String::from_utf8_lossy(&output.stderr);
    let mut text = String::from_utf8(output.stdout).expect("a report is text");
    match text.lines().any(fails) {
        true => text += &complaints,
        false => assert!(complaints.is_empty(), "{arguments}:\n{complaints}"),
    }
    Printed {
        text,
        ended: output.status.success(),
    }
}

/// Whether a line of a report says that budgets fail.
fn fails(line: &str) -> bool {
    line.contains("budget") && (line.ends_with(" fail") || line.ends_with(" fails"))
}

/// The arguments of a command, if it runs `p5inst`.
fn arguments(command: &str) -> Option<&str> {
    command.strip_prefix(COMMAND)
}

/// The output of a tutorial's command, which is executed once, whichever test is the first to ask. Tests that ask at
/// the same time wait for one command only: they take the tutorials in different orders, each from its first command
/// on, since a command may read what an earlier one of its tutorial wrote.
fn output(command: &str) -> Arc<Printed> {
    static PRINTED: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Printed>>>>> = Mutex::new(BTreeMap::new());
    let arguments = arguments(command).unwrap_or_else(|| panic!("`{command}` does not begin with `{COMMAND}`"));
    let mut all = PRINTED.lock().expect("nothing panics while it is held");
    let printed = Arc::clone(all.entry(command.to_owned()).or_default());
    drop(all);
    Arc::clone(printed.get_or_init(|| Arc::new(run(arguments, ""))))
}

/// Whether `quoted` occurs in `lines` as consecutive lines.
fn occurs(quoted: &[String], lines: &[&str]) -> bool {
    !quoted.is_empty()
        && lines
            .windows(quoted.len())
            .any(|window| window.iter().zip(quoted).all(|(line, quoted)| line == quoted))
}

/// The output of a command in the README that runs a file or a program from `printf`; `None` for other commands.
fn readme_output(command: &str) -> Option<String> {
    if let Some((program, command)) = command
        .strip_prefix("printf '")
        .and_then(|rest| rest.split_once("' | "))
    {
        let arguments = arguments(command)?;
        assert_eq!(arguments, "-", "{command}: what is piped is read from standard input");
        return Some(run(arguments, &program.replace("\\n", "\n")).text);
    }
    // Another test covers the other commands.
    let file = arguments(command)?.split(' ').next()?;
    file.ends_with(".asm").then(|| output(command).text.clone())
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let blocks = blocks("README.md", &text);
    let commands = blocks.iter().filter(|block| block.language == "sh");
    let outputs: Vec<String> = commands
        .flat_map(|block| &block.lines)
        .filter_map(|command| readme_output(command))
        .collect();
    assert_eq!(outputs.len(), 2, "a program in a file, and one from a pipe");
    for output in &outputs {
        let ended = output.lines().any(|line| line.starts_with("ended "));
        assert!(ended, "{output}");
    }
    let is_quote = |block: &&Block| block.lines.iter().any(|line| line.starts_with(" clock "));
    let quote = blocks.iter().find(is_quote).expect("a diagram is quoted");
    assert!(
        occurs(&quote.lines, &outputs[0].lines().collect::<Vec<_>>()),
        "README.md:{}: it prints:\n{}",
        quote.line,
        outputs[0]
    );
}

#[test]
fn every_command_prints_what_is_committed() {
    let mut seen = BTreeSet::new();
    for tutorial in tutorials().into_iter().rev() {
        for (_, command) in tutorial.commands() {
            if !seen.insert(command.to_owned()) {
                continue;
            }
            let name = snapshot_name(command);
            insta::with_settings!({
                snapshot_path => "snapshots/tutorials",
                prepend_module_to_snapshot => false,
                omit_expression => true,
                description => command,
            }, { insta::assert_snapshot!(name, output(command).text) });
        }
    }
}

#[test]
fn what_is_quoted_of_an_output_is_what_the_command_above_prints() {
    for tutorial in tutorials() {
        let quoted = |line: &str| {
            let texts = tutorial.blocks.iter().filter(|block| block.language == "text");
            texts.flat_map(|block| &block.lines).any(|quoted| quoted == line)
        };
        let mut quotes = 0;
        let mut printed = String::new();
        let mut commands = tutorial.commands().peekable();
        for (index, block) in tutorial.blocks.iter().enumerate() {
            if let Some((_, command)) = commands.next_if(|(place, _)| *place == index) {
                let output = output(command);
                printed = output.text.clone();
                // A program that faults, never ends or breaks its budgets does so on purpose if the text says so.
                let stopped = printed.lines().find(|line| line.starts_with("stopped") || fails(line));
                assert_eq!(
                    output.ended,
                    stopped.is_none(),
                    "{}: `{command}` prints:\n{printed}",
                    tutorial.name
                );
                if let Some(line) = stopped {
                    assert!(quoted(line), "{}: `{command}` prints `{line}`", tutorial.name);
                }
            }
            if block.language == "text" {
                quotes += 1;
                assert!(
                    occurs(&block.lines, &printed.lines().collect::<Vec<_>>()),
                    "{}/tutorial.md:{}: this is not what the command above prints:\n{}\n-- it prints:\n{printed}",
                    tutorial.name,
                    block.line,
                    block.lines.join("\n")
                );
            }
        }
        assert!(quotes >= 3, "{}: {quotes} outputs are quoted", tutorial.name);
    }
}

#[test]
fn what_is_quoted_of_a_program_stands_in_one() {
    for tutorial in tutorials() {
        let programs = tutorial.files(&["asm", "inc", "c"]);
        let quotes = tutorial.blocks.iter();
        for block in quotes.filter(|block| ["asm", "c"].contains(&&*block.language)) {
            let stands = |(_, text): &(String, String)| occurs(&block.lines, &text.lines().collect::<Vec<_>>());
            assert!(
                programs.iter().any(stands),
                "{}/tutorial.md:{}: no program has these lines:\n{}",
                tutorial.name,
                block.line,
                block.lines.join("\n")
            );
        }
    }
}

#[test]
fn a_number_in_a_sentence_stands_in_an_output_or_a_program_or_is_calculated() {
    for tutorial in tutorials() {
        let files = tutorial.files(&["asm", "inc", "c"]);
        let outputs: Vec<_> = tutorial.commands().map(|(_, command)| output(command)).collect();
        let shown = outputs.iter().map(|output| output.text.as_str());
        let shown = shown.chain(files.iter().map(|(_, text)| text.as_str()));
        let shown = shown.chain(tutorial.commands().map(|(_, command)| command));
        let wrong = numbers::unknown(&tutorial.name, &tutorial.text, shown);
        assert!(wrong.is_empty(), "{}: {wrong:?}", tutorial.name);
    }
}

#[test]
fn every_program_is_run_and_does_what_it_says() {
    for tutorial in tutorials() {
        let path = |name: &str| format!("{FOLDER}/{}/{name}", tutorial.name);
        let is_run = |path: &str| {
            let run = |(_, command): (usize, &str)| command.split(' ').any(|word| word == path);
            assert!(tutorial.commands().any(run), "no command runs {path}");
        };
        names(&tutorial.folder, "elf")
            .iter()
            .for_each(|name| is_run(&path(name)));
        for (name, text) in tutorial.programs() {
            let path = path(&name);
            is_run(&path);
            if text.contains("\n; expect ") {
                snapshots::check(&path, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            }
        }
    }
}

#[test]
fn a_quote_with_a_gap_or_another_command_is_noticed() {
    let lines = ["one", "two", "three"];
    let quoted = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert!(occurs(&quoted(&["one", "two"]), &lines));
    assert!(!occurs(&quoted(&["one", "three"]), &lines));
    assert!(!occurs(&quoted(&["two", "thre"]), &lines));
    assert!(!occurs(&[], &lines));
    assert_eq!(
        arguments("cargo run --release -- a.asm --runs 1"),
        Some("a.asm --runs 1")
    );
    assert_eq!(arguments("p5inst a.asm"), None);
    assert_eq!(
        words("query a \"select 1\" --rows 2"),
        ["query", "a", "select 1", "--rows", "2"]
    );
}
