//! A program of one or several modules: each source is assembled on its own, and all are joined.

use super::passes::assemble_one;
use super::procedures;
use crate::diag::{Diagnostic, Severity};
use crate::module::not_called;
use crate::modules::join::join;
use crate::modules::{Module, Place, Problem};
use crate::program::FIRST_SEGMENT;
use crate::source::{Binary, Sources, decode};
use crate::{Assembly, Extent, Options};
use p5_image::load::{Content, content};
use p5_image::{Image, SourceFile};
use std::collections::HashSet;

/// Whether a file is the source of another module, rather than an object or what should be one.
fn is_module(file: &Binary, options: &Options) -> bool {
    content(&file.bytes) == Content::Other && (options.object || file.is_named_source())
}

/// Assembles a program of one or several modules; `library` is the text of the bundled macro library.
pub(crate) fn assemble(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    match sources.objects.iter().any(|file| is_module(file, options)) {
        true => joined(sources, options, library),
        false => alone(sources, options, library),
    }
}

/// Assembles one source, with the bundled procedures that it declares, but nothing defines.
fn alone(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    let assembly = assemble_one(sources, options, library);
    if assembly.undefined.is_empty() || options.extent == Extent::Module {
        return assembly;
    }
    let bundled = procedures::defining(&assembly.undefined);
    if bundled.is_empty() || assembly.image.is_some() {
        return assembly;
    }
    let objects: Vec<Binary> = [sources.objects, &procedures::objects(&bundled)].concat();
    let with = Sources {
        main: sources.main.clone(),
        include: sources.include,
        objects: &objects,
    };
    assemble_one(&with, options, library)
}

/// Assembles the main source and those among the objects, and joins them.
fn joined(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    let own = Options {
        extent: Extent::Module,
        object: true,
        ..options.clone()
    };
    let mut all = Assembly::default();
    let mains = std::iter::once(sources.main.clone());
    let more = sources
        .objects
        .iter()
        .filter(|file| is_module(file, options))
        .map(|file| SourceFile::new(file.name.clone(), decode(&file.bytes)));
    for main in mains.chain(more) {
        let one = Sources {
            main,
            include: sources.include,
            objects: &[],
        };
        let assembly = assemble_one(&one, &own, library);
        add(&mut all, assembly);
    }
    if let Some(object) = sources.objects.iter().find(|file| !is_module(file, options)) {
        let message = format!("`{}` is an object, and several sources are given", object.name);
        let help = "link it with one source, or give its source instead";
        all.diagnostics
            .push(Problem::new(message, help).diagnostic(&all.modules));
    }
    if all.diagnostics.iter().any(|one| one.severity == Severity::Error) {
        all.modules.clear();
    }
    if options.object || all.modules.is_empty() {
        return all;
    }
    let mut modules = std::mem::take(&mut all.modules);
    let further = further_files(&modules);
    modules.extend(bundled(&modules));
    for module in &modules {
        let not_called = module.segments.iter().find_map(|segment| not_called(&segment.name));
        if let Some((message, help)) = not_called {
            let problem = Problem::new(format!("`{}`: {message}", module.name), help);
            all.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                ..problem.diagnostic(&modules)
            });
        }
    }
    match join(&modules, FIRST_SEGMENT, true) {
        Ok(joined) => {
            all.image = Some(Image {
                modules: further,
                ..joined.image
            });
        }
        Err(problems) => all
            .diagnostics
            .extend(problems.iter().map(|one| one.diagnostic(&modules))),
    }
    all
}

/// The numbers, among the files of all modules, of the sources of those after the first one.
fn further_files(modules: &[Module]) -> Vec<u32> {
    let counts = modules.iter().map(|module| module.image.files.len() as u32);
    let ends = counts.scan(0, |end, count| {
        *end += count;
        Some(*end)
    });
    ends.take(modules.len().saturating_sub(1)).collect()
}

/// The bundled procedures that flat modules declare, but none of them defines.
fn bundled(modules: &[Module]) -> Vec<Module> {
    if modules.iter().any(|module| module.segmented) {
        return Vec::new();
    }
    let symbols = || modules.iter().flat_map(|module| &module.symbols);
    let defined: HashSet<String> = symbols()
        .filter(|symbol| symbol.place != Place::Elsewhere)
        .map(|symbol| symbol.name.to_ascii_lowercase())
        .collect();
    let elsewhere = symbols().filter(|symbol| symbol.place == Place::Elsewhere && !symbol.weak);
    let missing: Vec<String> = elsewhere
        .filter(|symbol| !defined.contains(&symbol.name.to_ascii_lowercase()))
        .map(|symbol| symbol.name.clone())
        .collect();
    let found = procedures::defining(&missing).into_iter();
    found.map(|one| procedures::spelled(one, &missing)).collect()
}

/// Adds what the assembly of a module says, and the module.
fn add(all: &mut Assembly, one: Assembly) {
    let files = all.files.len() as u32;
    all.diagnostics
        .extend(one.diagnostics.into_iter().map(|diagnostic| moved(diagnostic, files)));
    all.part = all.part.take().or(one.part.map(|part| moved(part, files)));
    all.left_out
        .extend(one.left_out.into_iter().map(|(file, lines)| (file + files, lines)));
    all.ignored.extend(one.ignored.into_iter().map(|mut ignored| {
        ignored.span.file += files;
        ignored
    }));
    all.values_decide |= one.values_decide;
    all.addresses_decide |= one.addresses_decide;
    all.out_of_memory |= one.out_of_memory;
    all.files.extend(one.files);
    all.modules
        .extend(one.modules.into_iter().map(|module| Module { files, ..module }));
}

/// A diagnostic whose files come after others.
fn moved(mut diagnostic: Diagnostic, files: u32) -> Diagnostic {
    let spans = diagnostic
        .span
        .iter_mut()
        .chain(diagnostic.trail.iter_mut().map(|step| &mut step.span));
    for span in spans {
        span.file += files;
    }
    diagnostic
}
