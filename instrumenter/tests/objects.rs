//! Objects, archives and Linux programs of other tools. The commands in the sources made the files beside this one, so
//! no test needs a C compiler.

mod callers;
mod coff;
mod command;
mod damage;
mod linking;
mod programs;
mod rounds;
mod rust;

use instrumenter::source::{Binary, Included, Sources, Unavailable};
use instrumenter::{Assembly, Options, assemble};
use runtime::image::SourceFile;
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::run::Run;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/objects")
        .join(name)
}

fn fixture(name: &str) -> Binary {
    Binary {
        name: name.to_owned(),
        bytes: std::fs::read(path(name)).expect("a file beside this one"),
    }
}

/// Assembles `source` and links `objects`; C sources are found beside this file.
fn linked(source: &str, objects: &[Binary]) -> Assembly {
    let sources = Sources {
        main: SourceFile::new("driver.asm", source),
        include: &|name| match std::fs::read(path(name)) {
            Ok(bytes) => Ok(Included::File {
                name: name.to_owned(),
                bytes,
            }),
            Err(_) => Err(Unavailable::because("no such file")),
        },
        objects,
    };
    assemble(&sources, &Options::default())
}

fn run(source: &str, objects: &[Binary]) -> Run {
    let assembly = linked(source, objects);
    assert!(assembly.diagnostics.is_empty(), "{:#?}", assembly.diagnostics);
    let image = assembly.image.expect("a program without errors is an image");
    simulate(
        &image,
        "driver.asm",
        MODELS[0],
        &machine::Options::default(),
        &mut |_| {},
    )
}

fn errors(source: &str, objects: &[Binary]) -> String {
    let assembly = linked(source, objects);
    assert!(assembly.image.is_none(), "it has errors");
    let messages = assembly.diagnostics.iter().map(|problem| {
        let place = problem.span.map_or_else(String::new, |span| format!("{}: ", span.line));
        let help = problem
            .help
            .as_deref()
            .map_or_else(String::new, |help| format!(" | {help}"));
        format!("{place}{}{help}\n", problem.message)
    });
    messages.collect()
}

fn symbol(run: &Run, name: &str) -> u64 {
    let found = run.symbols.iter().find(|symbol| symbol.name == name);
    found
        .and_then(|symbol| symbol.value)
        .unwrap_or_else(|| panic!("no symbol {name}: {:?}", run.symbols))
}

/// The final EAX.
fn eax(run: &Run) -> u32 {
    run.registers[1][0]
}
