//! The input of a command, by the contents of its files: a source and the objects to link with it, or a program of
//! Linux or DOS and its own arguments. A COM file has only its name to be known by.

use super::args::{Arguments, ProgramArguments, format_of_file, is_com, is_command, no_contradiction};
use super::includes::Includes;
use super::note;
use super::program_sources;
use super::sources::{file, text};
use clap::CommandFactory;
use p5_assembler::source::{Binary, Sources};
use runtime::image::{Image, SourceFile};
use runtime::load::{self, Content, LoadError, content};
use std::path::Path;

pub(crate) enum Input<'a> {
    /// A source, with objects and archives to link.
    Source {
        /// The path of the source; includes are searched for in its directory.
        path: &'a Path,
        main: SourceFile,
        objects: Vec<Binary>,
    },
    Program {
        name: String,
        /// The program, with all source lines that can be found.
        image: Box<Image>,
    },
}

/// Reads the files that `arguments` name. An error is one line: the defect of a file and its remedy.
pub(crate) fn read(arguments: &ProgramArguments) -> Result<Input<'_>, String> {
    arguments.monitors.attached(arguments.assembly.cpu)?;
    no_contradiction(arguments)?;
    let path = arguments.file.as_deref().ok_or("no program is named")?;
    let first = file(path).map_err(|error| match path.to_str().filter(|name| is_command(name)) {
        Some(name) => format!("{error}; as a command, `{name}` stands before its options: `p5inst {name} ...`"),
        None => error,
    })?;
    let kind = content(&first.bytes);
    if !arguments.env.is_empty() && kind != Content::Program {
        return Err(format!("`--env` is for Linux programs, but `{}` is none", first.name));
    }
    match kind {
        Content::Program => program(path, &first, arguments, |bytes, given| {
            let environment: Vec<&str> = arguments.env.iter().map(String::as_str).collect();
            load::program_in(bytes, given, &environment)
        }),
        Content::DosProgram => program(path, &first, arguments, |bytes, given| {
            load::exe_program(bytes, &given[1..])
        }),
        Content::Other if is_com(path) => program(path, &first, arguments, |bytes, given| {
            load::com_program(bytes, &given[1..])
        }),
        Content::Object | Content::Archive => Err(not_linked(&first)),
        Content::Other => {
            let mut objects = Vec::with_capacity(arguments.more.len());
            for path in &arguments.more {
                // Whatever else it may be, it may be meant for the program.
                let object = file(path).map_err(|error| match path.exists() {
                    true => error,
                    false => format!("{error}; the command line of a DOS source is given with `--args`"),
                })?;
                if is_omf(&object.bytes) {
                    return Err(format!(
                        "`{}` is an object or a library in OMF, which a run does not link: name its source",
                        object.name
                    ));
                }
                if content(&object.bytes) == Content::Other && !object.is_named_source() {
                    return Err(format!(
                        "only one program can be run at a time, and `{}` is {}; the name of another module ends in .asm or .s",
                        object.name,
                        LoadError::NotAnObject
                    ));
                }
                objects.push(object);
            }
            Ok(Input::Source {
                path,
                main: text(first),
                objects,
            })
        }
    }
}

/// Whether a file is a program that was built, rather than a source.
pub(super) fn is_built(path: &Path, bytes: &[u8]) -> bool {
    match content(bytes) {
        Content::Program | Content::DosProgram => true,
        Content::Other => is_com(path),
        Content::Object | Content::Archive => false,
    }
}

/// What a file that only a linker reads lacks, and how it becomes a program.
fn not_linked(file: &Binary) -> String {
    let name = &file.name;
    let object = load::object(name, &file.bytes, &mut load::Budget::default());
    let starts = object.is_ok_and(|object| {
        let mut symbols = object.symbols.iter();
        symbols.any(|symbol| symbol.name == "_start" && matches!(symbol.place, load::Place::Section { .. }))
    });
    match starts {
        // A C library has a beginning of its own.
        true => {
            format!("`{name}` is not a program yet: `ld -m elf_i386 -o PROGRAM {name}` links it, then `p5inst PROGRAM`")
        }
        false => format!(
            "`{name}` is not a program: name the assembly source that uses it first, `p5inst DRIVER.asm {name}`, or \
             link one: `gcc -m32 -g -static MAIN.c {name} -o PROGRAM`"
        ),
    }
}

/// Whether a file begins with the header of an object or a library in the format of DOS.
pub(super) fn is_omf(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80 | 0xF0, ..]) && bytes.contains(&0)
}

fn program<'a>(
    path: &Path,
    program: &Binary,
    arguments: &ProgramArguments,
    load: impl FnOnce(&[u8], &[&str]) -> Result<Image, LoadError>,
) -> Result<Input<'a>, String> {
    let own: Option<Vec<&str>> = arguments.more.iter().map(|argument| argument.to_str()).collect();
    let own = own.ok_or("the arguments of the program are not text")?;
    let name = &program.name;
    if arguments.args.is_some() {
        let what = "`--args` is for sources";
        return Err(format!(
            "{what}; what `{name}` is given follows its name: `p5inst {name} ARGUMENT`"
        ));
    }
    if let Some(option) = option_among(&own) {
        let words = std::env::args_os().skip(1).take(2);
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        note(&format!(
            "`{option}` stands after `{name}`, so that the program gets it; {}",
            place_of(option, &words)
        ));
    }
    // Without its folders: a C library reads the name, and clocks must not depend on where the file lies.
    let called = name.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(name);
    let given: Vec<&str> = std::iter::once(called).chain(own).collect();
    let mut image = load(&program.bytes, &given).map_err(|error| format!("cannot run `{name}`: {error}"))?;
    arguments.monitors.placed(arguments.assembly.cpu, &image)?;
    program_sources::read(&mut image, path, &arguments.assembly.include)?;
    Ok(Input::Program {
        name: program.name.clone(),
        image: Box::new(image),
    })
}

/// The first argument of a program that is spelled like an option of p5inst. `-o` is one of many programs, and is told
/// only before the name of a report.
fn option_among<'a>(own: &[&'a str]) -> Option<&'a str> {
    let names_report = |pair: &&[&str]| pair[0] == "-o" && format_of_file(Path::new(pair[1])).is_some();
    let report = own.windows(2).find(names_report).map(|pair| pair[0]);
    let mut options = own.iter().copied().filter(|argument| argument.starts_with("--"));
    let Some(first) = options.next() else {
        return report;
    };
    let whole = Arguments::command();
    let known = |argument: &&str| !commands_with(&whole, argument).is_empty();
    std::iter::once(first).chain(options).find(known).or(report)
}

/// Where an option stands on a command line of these words: before the program, or there after another command.
fn place_of(option: &str, words: &[String]) -> String {
    let whole = Arguments::command();
    let given = words.first().and_then(|word| whole.find_subcommand(word));
    let inner = given.and_then(|command| command.find_subcommand(words.get(1)?));
    let given = [given, inner].into_iter().flatten().map(clap::Command::get_name);
    let given = given.collect::<Vec<_>>().join(" ");
    let commands = commands_with(&whole, option);
    match commands.first() {
        Some(first) if !commands.contains(&given) => {
            let command = format!("p5inst {first}");
            let command = command.trim_end();
            let name = option.split('=').next().unwrap_or_default();
            format!("it is an option of `{command}`, and stands before: `{command} {name} ... PROGRAM`")
        }
        _ => "options of p5inst stand before".to_owned(),
    }
}

/// The commands for programs that have an option, those that help shows first; the name of p5inst itself is empty.
fn commands_with(whole: &clap::Command, option: &str) -> Vec<String> {
    let Some(name) = option.strip_prefix("--").and_then(|rest| rest.split('=').next()) else {
        return Vec::new();
    };
    let has = |command: &clap::Command| {
        let takes_program = command.get_positionals().any(|one| one.get_id() == "file");
        takes_program && command.get_arguments().any(|one| one.get_long() == Some(name))
    };
    let mut found = Vec::from_iter(has(whole).then(|| (false, String::new())));
    for command in whole.get_subcommands() {
        let hidden = command.is_hide_set();
        found.extend(has(command).then(|| (hidden, command.get_name().to_owned())));
        let inner = command.get_subcommands().filter(|inner| has(inner));
        found.extend(inner.map(|inner| {
            let hidden = hidden || inner.is_hide_set();
            (hidden, format!("{} {}", command.get_name(), inner.get_name()))
        }));
    }
    found.sort_by_key(|&(hidden, _)| hidden);
    found.into_iter().map(|(_, name)| name).collect()
}

impl Input<'_> {
    /// Passes a source to `perform`, with the includes of its directory and of `arguments`. An error is one line: the
    /// input is a program, or a directory of includes does not exist.
    pub(crate) fn source<R>(
        self,
        arguments: &ProgramArguments,
        perform: impl FnOnce(&Sources) -> Result<R, String>,
    ) -> Result<R, String> {
        match self {
            Input::Program { name, .. } => Err(format!(
                "`{name}` is a program; this command takes assembly source: that from which it was built, or what the \
                 compiler writes with `-S` of a file whose functions call no library; `p5inst --timeline {name}` shows \
                 where the clocks of the program go"
            )),
            Input::Source { path, main, objects } => {
                let includes = Includes::new(path, &arguments.assembly.include)?;
                perform(&Sources {
                    main,
                    include: &|name| includes.read(name),
                    objects: &objects,
                })
            }
        }
    }
}
