//! Writing what is assembled: objects, libraries, and programs of DOS.

use super::BAD_INPUT;
use super::args::{BuildArguments, FileFormat};
use super::check::listing;
use super::includes::Includes;
use super::input::is_omf;
use super::output::print_diagnostics;
use super::replace::{Complete, Replacement};
use super::setting::options;
use super::sources::{file as read, text};
use p5_assembler::diag::Severity;
use p5_assembler::modules::{Module, Problem, executable, join, library, native, omf};
use p5_assembler::source::{Binary, Sources};
use p5_assembler::{Extent, Library, Options, assemble};
use runtime::load::{Content, LoadError, content};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file to write: its path and its bytes.
struct Written {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Assembles files and writes one or several others; diagnostics go to standard error. Nothing is written unless all
/// can be. An error is one line.
pub(super) fn build(arguments: &BuildArguments) -> Result<ExitCode, String> {
    let mut written = Vec::new();
    let mut failed = false;
    let groups: Vec<&[PathBuf]> = match arguments.each {
        true => arguments.files.chunks(1).collect(),
        false => vec![&arguments.files],
    };
    if groups.len() > 1 && arguments.output.as_ref().is_some_and(|output| !output.is_dir()) {
        return Err("one output is named for several objects; leave it out, or name a directory".to_owned());
    }
    if groups.len() > 1 && arguments.listing.is_some() {
        return Err("one listing is named for several sources; leave it out, or build one at a time".to_owned());
    }
    for files in groups {
        match one(files, arguments)? {
            Some(all) => written.extend(all),
            None => failed = true,
        }
    }
    if failed {
        return Ok(ExitCode::from(BAD_INPUT));
    }
    write(written)?;
    Ok(ExitCode::SUCCESS)
}

/// Assembles sources that become one file, and its listing; `None` if they cannot.
fn one(paths: &[PathBuf], arguments: &BuildArguments) -> Result<Option<Vec<Written>>, String> {
    let (first, more) = paths.split_first().ok_or("no file is named")?;
    let (path, format) = output(first, arguments)?;
    let main = text(source(first)?);
    let others: Vec<Binary> = more.iter().map(|path| source(path)).collect::<Result<_, _>>()?;
    let includes = Includes::new(first, &arguments.assembly.include)?;
    let sources = Sources {
        main,
        include: &|name| includes.read(name),
        objects: &others,
    };
    let options = Options {
        extent: Extent::Module,
        object: true,
        by_case: arguments.by_case,
        listing: arguments.listing.is_some(),
        ..options(&arguments.assembly, Library::Pentium)
    };
    let mut assembly = assemble(&sources, &options);
    assembly.refuse_part();
    let failed = assembly.diagnostics.iter().any(|one| one.severity == Severity::Error);
    let mut written = Vec::new();
    if let Some(listed) = arguments.listing.as_ref().filter(|listed| **listed == path) {
        return Err(format!(
            "the object and the listing both go to `{}`; name another file for one",
            listed.display()
        ));
    }
    if let Some(listed) = &arguments.listing {
        if assembly.listing.is_none() {
            return Err("a listing is of one source; leave it out, or build one at a time".to_owned());
        }
        let mut bytes = Vec::new();
        listing::write(&sources.main.name, &assembly, false, &mut bytes).map_err(|error| error.to_string())?;
        written.push(Written {
            path: listed.clone(),
            bytes,
        });
    }
    let mut modules = std::mem::take(&mut assembly.modules);
    let made = match failed {
        true => None,
        false => {
            modules
                .iter_mut()
                .for_each(|module| module.with_lines = arguments.lines);
            if arguments.upper {
                let symbols = modules.iter_mut().flat_map(|module| &mut module.symbols);
                symbols.for_each(|symbol| symbol.name.make_ascii_uppercase());
            }
            match file(&modules, format) {
                Ok(bytes) => Some(bytes),
                Err(problems) => {
                    let problems = problems.iter().map(|one| one.diagnostic(&modules));
                    assembly.diagnostics.extend(problems);
                    None
                }
            }
        }
    };
    print_diagnostics(&assembly, arguments.color);
    Ok(made.map(|bytes| {
        written.push(Written { path, bytes });
        written
    }))
}

/// Reads a source; an object is none.
fn source(path: &Path) -> Result<Binary, String> {
    let file = read(path)?;
    match content(&file.bytes) {
        // The assembler says where text has a zero, and reads that of 16-bit characters.
        Content::Other if !is_omf(&file.bytes) => Ok(file),
        Content::Other => Err(format!("`{}` is no source and {}", file.name, LoadError::NotAnObject)),
        _ => Err(format!(
            "`{}` is an object or a program: `build` takes sources; a linker takes objects",
            file.name
        )),
    }
}

/// The file to write for a source, or for all, and its format.
fn output(source: &Path, arguments: &BuildArguments) -> Result<(PathBuf, FileFormat), String> {
    let own = || {
        let ending = if arguments.format == Some(FileFormat::Elf) {
            "o"
        } else {
            "obj"
        };
        PathBuf::from(source.file_name().unwrap_or_default()).with_extension(ending)
    };
    let path = match &arguments.output {
        Some(folder) if arguments.each && folder.is_dir() => folder.join(own()),
        Some(path) => path.clone(),
        None if arguments.each => own(),
        None => return Err("no output is named; add `-o FILE`, as in `-o program.exe`".to_owned()),
    };
    let format = match arguments.format.or_else(|| FileFormat::of(&path)) {
        Some(format) => format,
        None => {
            let known = "`.bin`, `.com`, `.exe`, `.obj`, `.o` or `.lib`";
            let path = path.display();
            return Err(format!(
                "no format is known for `{path}`; end its name with {known}, or add `--format`"
            ));
        }
    };
    Ok((path, format))
}

/// The bytes of a file, or why it cannot be written.
fn file(modules: &[Module], format: FileFormat) -> Result<Vec<u8>, Vec<Problem>> {
    let joined = || join::join(modules, 0, false);
    let bytes = match format {
        FileFormat::Bin => executable::plain(&joined()?),
        FileFormat::Com => executable::com(&joined()?),
        FileFormat::Exe => executable::exe(&joined()?),
        FileFormat::Lib => library::write(modules),
        FileFormat::Obj | FileFormat::Omf | FileFormat::Coff | FileFormat::Elf => object(modules, format),
    };
    bytes.map_err(|problem| vec![problem])
}

fn object(modules: &[Module], format: FileFormat) -> Result<Vec<u8>, Problem> {
    let [module] = modules else {
        return Err(Problem::new(
            format!("an object holds one module, and {} sources are given", modules.len()),
            "build each of them as an object of its own, or all as a .lib, .exe, .com or .bin",
        ));
    };
    match format {
        FileFormat::Coff => native::write(module, native::Format::Coff),
        FileFormat::Elf => native::write(module, native::Format::Elf),
        FileFormat::Obj if !module.segmented => native::write(module, native::Format::Coff),
        _ => omf::write(module),
    }
}

/// Writes all files, and moves none to its place before all are complete.
fn write(files: Vec<Written>) -> Result<(), String> {
    let mut complete: Vec<Complete> = Vec::with_capacity(files.len());
    for one in files {
        let mut file = Replacement::new(&one.path)?;
        file.written(|out| out.write_all(&one.bytes))?;
        complete.push(file.complete()?);
    }
    complete.into_iter().try_for_each(Complete::replace)
}
