//! The tutorials and the README quote p5inst correctly: each command in them is executed, its output is compared with
//! the committed snapshot, and every quoted line of an output or program occurs there.
//!
//! In a `tutorial.md` a block fenced with `sh` holds one command, a block fenced with `text` quotes the output of the
//! command above it, and a block fenced with `asm` quotes a program in the same folder. The `rust` of the README runs
//! as a documentation test. Outputs are 80 columns wide, the default without a terminal.

use instrumenter::source::Sources;
use runtime::machine::{self, Options};
use runtime::model::{self, MEMORY_PRESETS, Model};
use runtime::report::{self, Detail, Format, Style};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    blocks: Vec<Block>,
}

impl Tutorial {
    /// The commands, each with the index of its block.
    fn commands(&self) -> impl Iterator<Item = (usize, &str)> {
        let blocks = self.blocks.iter().enumerate();
        blocks
            .filter(|(_, block)| block.language == "sh")
            .map(|(index, block)| match block.lines.as_slice() {
                [command] => (index, command.as_str()),
                _ => panic!("{}:{}: one command in a block", self.name, block.line),
            })
    }

    /// Every program in the folder: its name and its text.
    fn programs(&self) -> Vec<(String, String)> {
        let mut programs: Vec<(String, String)> = std::fs::read_dir(&self.folder)
            .expect("the folder can be listed")
            .map(|entry| entry.expect("an entry can be read").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "asm"))
            .map(|path| {
                let name = path
                    .file_name()
                    .expect("a file has a name")
                    .to_string_lossy()
                    .into_owned();
                (name, std::fs::read_to_string(&path).expect("a program is text"))
            })
            .collect();
        programs.sort();
        programs
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
    assert!(folders.len() >= 3, "{} tutorials", folders.len());
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
                folder,
                name,
            }
        })
        .collect()
}

/// Whether the tutorial in the folder is about assembly; the one about Rust has a test of its own.
fn holds_a_program(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).expect("a folder can be listed");
    files
        .flatten()
        .any(|entry| entry.path().extension().is_some_and(|extension| extension == "asm"))
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
                    ["sh", "text", "asm", "rust"].contains(&language),
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

/// A command of a tutorial.
struct Request<'a> {
    file: &'a str,
    model: &'static Model,
    options: Options,
    detail: Detail,
}

/// Parses a command; only the options that tutorials use are known, any other is an error.
fn request(command: &str) -> Result<Request<'_>, String> {
    let arguments = command
        .strip_prefix(COMMAND)
        .ok_or_else(|| format!("a command begins with `{COMMAND}`"))?;
    let mut request = Request {
        file: "",
        model: model::MODELS[0],
        options: Options::default(),
        detail: Detail::Short,
    };
    let mut words = arguments.split(' ');
    while let Some(word) = words.next() {
        if word == "-" || !word.starts_with('-') {
            if !request.file.is_empty() {
                return Err("one program at a time".to_owned());
            }
            request.file = word;
            continue;
        }
        match word {
            "--long" => {
                request.detail = Detail::Long;
                continue;
            }
            "--all" => {
                request.detail = Detail::All;
                continue;
            }
            _ => {}
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} takes a number"));
        match word {
            "--cpl" if ["0", "3"].contains(&value) => request.options.cpl = number()? as u8,
            "--runs" if (1..=1000).contains(&number()?) => request.options.runs = number()? as u32,
            "--memory" => {
                let preset = MEMORY_PRESETS.iter().find(|preset| preset.name == value);
                request.options.memory = preset.ok_or_else(|| format!("there is no memory `{value}`"))?;
            }
            "--cpu" => {
                let model = model::MODELS.iter().find(|model| model.name == value);
                request.model = model.ok_or_else(|| format!("there is no chip `{value}`"))?;
            }
            _ => return Err(format!("`{word} {value}` is not understood")),
        }
    }
    if request.file.is_empty() {
        return Err("no program is named".to_owned());
    }
    Ok(request)
}

/// What p5inst prints for the command.
fn output(command: &str) -> String {
    let request = request(command).unwrap_or_else(|why| panic!("{command}: {why}"));
    let text = std::fs::read_to_string(root().join(request.file))
        .unwrap_or_else(|error| panic!("{command}: {}: {error}", request.file));
    report_on(request.file, &text, &request)
}

/// The report of a program that assembles without diagnostics.
fn report_on(name: &str, text: &str, request: &Request<'_>) -> String {
    let settings = instrumenter::Options {
        cpl: request.options.cpl,
        chip: request.model,
        ..instrumenter::Options::default()
    };
    let assembly = instrumenter::assemble(&Sources::single(name, text), &settings);
    let complaints = instrumenter::command::diagnostics::render(&assembly.diagnostics, &assembly.files, false, 120);
    assert!(complaints.is_empty(), "{name}:\n{complaints}");
    let image = assembly.image.expect("what assembles without a complaint has an image");
    let run = machine::simulate(&image, name, request.model, &request.options, &mut |_| {});
    let style = Style {
        color: false,
        width: 80,
        detail: request.detail,
    };
    let mut report = Vec::new();
    report::write(Format::Text, &run, &style, &mut report).expect("writing to memory does not fail");
    String::from_utf8(report).expect("a report is text")
}

/// Whether `quoted` occurs in `lines` as consecutive lines.
fn occurs(quoted: &[String], lines: &[&str]) -> bool {
    !quoted.is_empty()
        && lines
            .windows(quoted.len())
            .any(|window| window.iter().zip(quoted).all(|(line, quoted)| line == quoted))
}

/// The output of a command in the README, for a file or for a program from `printf`; `None` if it runs no program.
fn readme_output(command: &str) -> Option<String> {
    if let Some((program, command)) = command
        .strip_prefix("printf '")
        .and_then(|rest| rest.split_once("' | "))
    {
        let request = request(command).unwrap_or_else(|why| panic!("{command}: {why}"));
        assert_eq!(
            request.file, "-",
            "{command}: what is piped is read from standard input"
        );
        return Some(report_on("<stdin>", &program.replace("\\n", "\n"), &request));
    }
    // Measurements on the host differ from machine to machine; another test compares them with the README.
    // So does what commands other than a run print.
    let simulated =
        command.starts_with("cargo run") && ![" host ", " stat "].iter().any(|other| command.contains(other));
    simulated.then(|| output(command))
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
    for tutorial in tutorials() {
        for (_, command) in tutorial.commands() {
            if !seen.insert(command.to_owned()) {
                continue;
            }
            let arguments = command.trim_start_matches(COMMAND).trim_start_matches(FOLDER);
            let name = arguments
                .trim_start_matches('/')
                .replace(".asm", "")
                .replace('/', "__")
                .replace(" --", "-")
                .replace(' ', "_");
            insta::with_settings!({
                snapshot_path => "snapshots/tutorials",
                prepend_module_to_snapshot => false,
                omit_expression => true,
                description => command,
            }, { insta::assert_snapshot!(name, output(command)) });
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
                printed = output(command);
                // A program that faults or never ends does so on purpose, because the text says so.
                if let Some(line) = printed.lines().find(|line| line.starts_with("stopped")) {
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
        assert!(quotes >= 5, "{}: {quotes} outputs are quoted", tutorial.name);
    }
}

#[test]
fn what_is_quoted_of_a_program_stands_in_one() {
    for tutorial in tutorials() {
        let programs = tutorial.programs();
        for block in tutorial.blocks.iter().filter(|block| block.language == "asm") {
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
fn every_program_is_run_and_does_what_it_says() {
    for tutorial in tutorials() {
        for (name, text) in tutorial.programs() {
            let path = format!("{FOLDER}/{}/{name}", tutorial.name);
            let run = |(_, command): (usize, &str)| request(command).is_ok_and(|request| request.file == path);
            assert!(tutorial.commands().any(run), "no command runs {path}");
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
    assert!(request("cargo run --release -- a.asm --runs 1 --cpl 3").is_ok());
    assert!(request("cargo run --release -- a.asm --long").is_ok_and(|request| request.detail == Detail::Long));
    assert!(request("cargo run --release -- --all a.asm").is_ok_and(|request| request.detail == Detail::All));
    for wrong in [
        "p5inst a.asm",
        "cargo run --release -- a.asm --cpl 2",
        "cargo run --release -- a.asm --fast 1",
    ] {
        assert!(request(wrong).is_err(), "{wrong}");
    }
}
