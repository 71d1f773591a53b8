//! The input of a command, by the contents of its files: a source and the objects to link with it, or a program of
//! Linux or DOS and its own arguments. A COM file has only its name to be known by.

use super::args::{Arguments, ProgramArguments, is_command, no_contradiction};
use super::note;
use super::program_sources;
use super::sources::{Includes, file, text};
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
    match content(&first.bytes) {
        Content::Program => program(path, &first, arguments, load::program),
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
                    false => format!("{error}; arguments are for programs, as `p5inst build` makes one"),
                })?;
                if is_omf(&object.bytes) {
                    return Err(format!(
                        "`{}` is an object or a library in OMF, which a run does not link: name its source",
                        object.name
                    ));
                }
                if content(&object.bytes) == Content::Other && !object.is_named_source() {
                    return Err(format!(
                        "only one program can be run at a time, and `{}` is {}; the name of another module ends in .asm",
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

fn is_com(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("com"))
}

fn program<'a>(
    path: &Path,
    program: &Binary,
    arguments: &ProgramArguments,
    load: fn(&[u8], &[&str]) -> Result<Image, LoadError>,
) -> Result<Input<'a>, String> {
    let own: Option<Vec<&str>> = arguments.more.iter().map(|argument| argument.to_str()).collect();
    let own = own.ok_or("the arguments of the program are not text")?;
    let name = &program.name;
    if let Some(option) = option_among(&own) {
        note(&format!(
            "`{option}` stands after `{name}`, so that the program gets it; options of p5inst stand before"
        ));
    }
    let given: Vec<&str> = std::iter::once(name.as_str()).chain(own).collect();
    let mut image = load(&program.bytes, &given).map_err(|error| format!("cannot run `{name}`: {error}"))?;
    arguments.monitors.placed(arguments.assembly.cpu, &image)?;
    program_sources::read(&mut image, path, &arguments.assembly.include)?;
    Ok(Input::Program {
        name: program.name.clone(),
        image: Box::new(image),
    })
}

/// The first argument of a program that is spelled like an option of p5inst.
fn option_among<'a>(own: &[&'a str]) -> Option<&'a str> {
    let named = |argument: &'a str| Some((argument, argument.strip_prefix("--")?.split('=').next()?));
    let mut options = own.iter().filter_map(|argument| named(argument)).peekable();
    options.peek()?;
    let command = Arguments::command();
    let all = std::iter::once(&command).chain(command.get_subcommands());
    let known: Vec<&str> = all
        .flat_map(|one| one.get_arguments())
        .filter_map(|option| option.get_long())
        .collect();
    options
        .find(|(_, name)| known.contains(name))
        .map(|(argument, _)| argument)
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
                "`{name}` is a program; this command takes assembly source, such as that from which it was built"
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
