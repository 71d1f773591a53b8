//! The driver: the expander returns a line, the dialect parses it into statements, the program consumes them one by one
//! until the last frame ends; then the program is linked.
//!
//! The driver also reads lines within a line: macro functions, the bundled library and the calibration.

mod consume;
mod finish;
mod main_file;
mod memory;
mod nested;
mod options;
mod part;
mod passes;
mod procedures;
mod several;

use crate::diag::{Fault, Span, fault};
use crate::dialect::{self, Dialect, Modes, Parser, Substitution};
use crate::expand::{Collected, Expander, Reader, Step};
use crate::lex::{Cursor, Line, Token, between_marks};
use crate::measuring::MeasuringMacros;
use crate::names::{Meaning, NONE, Names};
use crate::program::{FLAT_SELECTORS, Program};
use crate::session::Session;
use crate::source::{Binary, Include, Sources};
use crate::statement::{Buffers, Head, Signature};
use crate::{Assembly, Extent, Options, link, select};
use consume::consume;
use finish::{Finished, finish};
use iced_x86::Register;
use main_file::push_main;
use memory::Memory;
use nested::{call_function, load_library};
use options::define_option;
use part::Part;
use passes::{Known, Passed, Sizes};
pub(crate) use several::assemble;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// The most text substitutions within one line.
const MOST_SUBSTITUTIONS: u32 = 64;

/// All layers of an assembly.
struct Driver<'a> {
    include: Include<'a>,
    objects: &'a [Binary],
    /// The folders, in the words of the source, that the names of the included files begin with.
    folders: HashMap<u32, String>,
    session: Session,
    readers: [LineReader; 2],
    expander: Expander,
    program: Program,
    measuring: MeasuringMacros,
    buffers: Buffers,
    /// Depth of nested macro function calls.
    function_depth: u32,
    memory: Memory,
    /// What the main source has of a whole one.
    part: Part,
}

/// The dialect of some files and macro bodies, and the modes that their previous lines have set.
struct LineReader {
    dialect: &'static Dialect,
    modes: Modes,
}

const LIBRARY: usize = 0;
const USER: usize = 1;

impl Driver<'_> {
    /// The reader with this number, for a frame.
    fn reader(&self, number: usize) -> Reader {
        Reader {
            syntax: &self.readers[number].dialect.syntax,
            number,
            library: number == LIBRARY,
        }
    }

    /// The number of the reader of the current line; outside all files the number of the user's reader.
    fn current(&self) -> usize {
        self.expander.reader().map_or(USER, |reader| reader.number)
    }

    fn parser(&mut self, reader: usize) -> (&'static Dialect, Parser<'_>) {
        let LineReader { dialect, modes } = &mut self.readers[reader];
        let parser = Parser {
            session: &mut self.session,
            program: &self.program,
            expander: &self.expander,
            modes,
            buffers: &mut self.buffers,
            equating: false,
        };
        (dialect, parser)
    }

    /// The numeric value of an expression in the text of the line being read.
    fn number(&mut self, text: &str, span: Span) -> Result<i64, Fault> {
        let (dialect, mut parser) = self.parser(self.current());
        (dialect.number)(&mut parser, text, span)
    }

    fn lex(&mut self, reader: usize, text: &str, tokens: &mut Vec<Token>) {
        let LineReader { dialect, modes } = &self.readers[reader];
        (dialect.tokens)(modes, &mut self.session.names, text, tokens);
    }
}

/// Reads the source once, with what earlier passes know.
fn pass(sources: &Sources<'_>, options: &Options, library: &str, known: Known) -> Passed {
    let dialect = options.dialect.of_text(&sources.main.text);
    let mut names = Names::new(meaning);
    let readers = [dialect::of_library(), dialect].map(|dialect| LineReader {
        dialect,
        modes: (dialect.modes)(&mut names),
    });
    let mut program = Program::new(&options.limits, dialect.segments, options.padding, &mut names);
    program.lengths = known.lengths;
    program.is_module = options.extent == Extent::Module;
    program.selectors = FLAT_SELECTORS[usize::from(options.cpl == 3)];
    program.may_be_fragment = options.extent == Extent::Fragment;
    program.begins = options.entry.clone().filter(|_| !program.is_module);
    let mut session = Session::new(options.limits, names, dialect.wording);
    session.assume_narrow = known.sizes.narrow;
    session.narrow.taken = known.sizes.tiny;
    session.forward_known = known.forward;
    (dialect.prepare)(&mut program);
    program.fields = options.object.then(Vec::new);
    program.layout.record = options.listing.then(|| memory::record(&mut session));
    let mut driver = Driver {
        include: sources.include,
        objects: sources.objects,
        folders: HashMap::new(),
        session,
        readers,
        expander: Expander::default(),
        program,
        measuring: MeasuringMacros::new(options, library),
        buffers: Buffers::default(),
        function_depth: 0,
        memory: Memory::default(),
        part: Part::default(),
    };
    let Driver {
        session,
        program,
        expander,
        measuring,
        ..
    } = &mut driver;
    (dialect.predefine)(session, program, expander, &sources.main.name);
    measuring.predefine(session, program, options.cpl);
    measuring.mark_library_names(session, dialect::of_library());
    session.names.begin_sources();
    if options.by_case || dialect.by_case {
        session.names.distinguish_case(true);
    }
    for (name, value) in &options.defines {
        define_option(&mut driver, name, value, options.settled.contains(name));
    }
    let place = Span {
        line: 1,
        ..Span::default()
    };
    for (name, text) in &known.texts {
        let name = driver.session.names.intern(name);
        driver.expander.set_later_text(&mut driver.session, name, text.clone());
    }
    let main = &sources.main;
    if let Some(index) = driver.session.add_file(&main.name, Arc::clone(&main.text), place) {
        push_main(&mut driver, index, &main.text);
        read_above(&mut driver, 0);
    }
    let limit = options.limits.diagnostics;
    let Finished { image, module, encoded } = if driver.session.errors < limit && !driver.session.gave_up {
        finish(&mut driver)
    } else {
        Finished::default()
    };
    let texts_before = known.texts.len();
    let texts = later_texts(&mut driver, known.texts);
    let part = driver.part.problem(&driver.session, &driver.program, &main.text);
    let (mut session, mut program) = (driver.session, driver.program);
    if session.errors > 0
        && !program.layout.sections
        && let Some(problem) = dialect.foreign(&main.text)
    {
        session.report_at(problem.deciding(), NONE);
    }
    let found = &session.forward_found;
    let lacked = found.len() > session.forward_known.len() && found.len() == session.forward.len();
    let again = if texts.len() > texts_before {
        // The next pass reads other instructions.
        Some(Known {
            texts,
            ..Known::default()
        })
    } else {
        (session.assumed_wrong || lacked).then(|| Known {
            lengths: program.deferred.iter().map(|one| one.length as u8).collect(),
            forward: session.forward_found.clone(),
            texts,
            sizes: Sizes::default(),
        })
    };
    let assumed_size = session.size_assumed.then_some(session.sized);
    let layout = &program.layout;
    let without_segments = program.may_be_fragment && layout.snippet && !layout.segmented && !program.is_closed;
    let is_narrow = without_segments && !layout.sections && session.narrow.is_wanted();
    let [values_decide, addresses_decide] = session.decided();
    let bounds = session.bounds();
    let assembly = Assembly {
        image: image.filter(|_| session.errors == 0),
        modules: module.into_iter().filter(|_| session.errors == 0).collect(),
        listing: link::listing(&session, &mut program, &encoded),
        diagnostics: session.take_diagnostics(),
        left_out: session.left_out,
        files: session.files,
        values_decide,
        addresses_decide,
        bounds,
        ignored: std::mem::take(&mut session.ignored),
        undefined: program.symbols.elsewhere(),
        out_of_memory: session.out_of_memory,
        pasted: program.layout.compiled,
        part,
    };
    Passed {
        assembly,
        again,
        assumed_size,
        is_narrow,
    }
}

/// The names that were undefined where the source uses them, and that it makes text macros later, with those `known`.
fn later_texts(driver: &mut Driver<'_>, known: Vec<(String, String)>) -> Vec<(String, String)> {
    let Driver { session, expander, .. } = driver;
    let mut texts = known;
    for name in std::mem::take(&mut session.unknown) {
        let id = session.names.intern(&name);
        let is_new = texts.iter().all(|(known, _)| *known != name);
        if let Some(text) = expander.text_of(session, id).filter(|_| is_new)
            && !session.names.info(id).text_of_library
        {
            texts.push((name, text.to_owned()));
        }
    }
    texts
}

/// The meaning of a name to the processor.
fn meaning(name: &str) -> Meaning {
    let instruction = select::instruction(name);
    Meaning {
        register: select::register(name).unwrap_or(Register::None),
        mnemonic: instruction.is_some(),
        branch: instruction.is_some_and(|instruction| instruction.takes_target),
        jump: instruction.is_some_and(|instruction| instruction.takes_target) && !name.eq_ignore_ascii_case("call"),
        address_only: name.eq_ignore_ascii_case("lea"),
    }
}

/// Reads every line of the frames above the first `floor` ones.
fn read_above(driver: &mut Driver<'_>, floor: usize) {
    let mut line = Line::default();
    let mut tokens = Vec::new();
    loop {
        let step = driver.expander.next_line(&mut driver.session, &mut line, floor);
        if let Some(origin) = driver.expander.take_ended() {
            end_measuring_call(driver, origin);
        }
        match step {
            Step::Line => read_line(driver, &mut line, &mut tokens),
            Step::Test { expression, span } => {
                let goes_on = match driver.number(&expression, span) {
                    Ok(number) => number != 0,
                    Err(problem) => {
                        driver.session.report(problem);
                        false
                    }
                };
                driver.expander.answer(&mut driver.session, goes_on);
            }
            Step::End => return,
        }
    }
}

fn read_line(driver: &mut Driver<'_>, line: &mut Line, tokens: &mut Vec<Token>) {
    if let Err(problem) = weigh(driver, line) {
        return driver.session.report(problem);
    }
    let recorded = record_line(driver, line);
    let Driver { session, expander, .. } = driver;
    if expander.comments_out(&line.text) {
        return;
    }
    if expander.is_collecting() {
        if let Some(kept) = expander.collect(session, line) {
            collected(driver, kept);
        }
        return;
    }
    let reader = driver.current();
    if driver.expander.is_skipping() {
        driver.session.leave_out(line.file, line.number);
        read_skipped(driver, reader, line, tokens);
        return;
    }
    driver.lex(reader, &line.text, tokens);
    if tokens.is_empty() {
        return;
    }
    let substituted = substitute(driver, reader, line, tokens);
    if let (Some(record), Some(recorded)) = (&mut driver.program.layout.record, recorded) {
        record.continue_with(recorded);
    }
    match substituted {
        Ok(()) if driver.session.stopped => {}
        Ok(()) => read_statements(driver, reader, line, tokens),
        Err(problem) => driver.session.report(problem),
    }
}

fn weigh(driver: &mut Driver<'_>, line: &Line) -> Result<(), Fault> {
    let Driver {
        session,
        program,
        expander,
        memory,
        ..
    } = driver;
    memory.count(session, program, expander, line)
}

/// Records a line for the listing, if there will be one. Macros and repeats contribute only assembled lines, the
/// library only its macros.
fn record_line(driver: &mut Driver<'_>, line: &Line) -> Option<usize> {
    let Driver {
        session,
        expander,
        program,
        ..
    } = driver;
    let record = program.layout.record.as_mut()?;
    let depth = session.steps(session.origin).count() as u32;
    let passed_over = depth > 0 && (expander.is_collecting() || expander.is_skipping());
    if passed_over || (depth == 0 && session.in_library) {
        return Some(record.leave_out());
    }
    // Names of compilers stand between marks in lines that are made.
    let text = (!line.columns.is_empty()).then(|| between_marks(&line.text).collect::<String>());
    Some(record.begin(line.file, line.number, depth, text.as_deref()))
}

/// Processes a skipped line, in which only conditionals matter.
fn read_skipped(driver: &mut Driver<'_>, reader: usize, line: &Line, tokens: &mut Vec<Token>) {
    let (dialect, mut parser) = driver.parser(reader);
    let taken = match (dialect.skipped)(&mut parser, line, tokens) {
        Ok(Some(statement)) => consume(driver, statement, line, 0),
        Ok(None) => return,
        Err(problem) => Err(problem),
    };
    match taken {
        Ok(()) => read_statements(driver, reader, line, &[]),
        Err(problem) => driver.session.report(problem),
    }
}

fn substitute(driver: &mut Driver<'_>, reader: usize, line: &mut Line, tokens: &mut Vec<Token>) -> Result<(), Fault> {
    let mut rounds = 0;
    loop {
        let (dialect, mut parser) = driver.parser(reader);
        let pasted = match (dialect.substitute)(&mut parser, line, tokens)? {
            Substitution::None => return Ok(()),
            Substitution::Pasted(pasted) => pasted,
            Substitution::Library => {
                load_library(driver, true);
                continue;
            }
            Substitution::Call {
                name,
                arguments,
                span,
                start,
                end,
            } => {
                let result = call_function(driver, name, arguments, span)?;
                match line.pasted(start, end, &result) {
                    Some(pasted) => pasted,
                    None => return Ok(()),
                }
            }
        };
        if driver.session.stopped {
            return Ok(());
        }
        rounds += 1;
        if rounds > MOST_SUBSTITUTIONS || pasted.text.len() > driver.session.limits.line {
            let span = line.span(0, line.text.len() as u32);
            return Err(fault(
                span,
                "recursive text macro, or too many substitutions in one line",
            ));
        }
        driver.session.count_text(pasted.text.len(), line.span(0, 0))?;
        *line = pasted;
        driver.lex(reader, &line.text, tokens);
    }
}

/// Parses and consumes the statements of a line; each is consumed before the next is parsed.
fn read_statements(driver: &mut Driver<'_>, reader: usize, line: &Line, tokens: &[Token]) {
    let extra = Cell::default();
    let mut cursor = Cursor {
        line,
        tokens,
        at: 0,
        extra: Some(&extra),
    };
    loop {
        let mark = driver.session.expressions.mark();
        driver.session.begin_statement();
        let (dialect, mut parser) = driver.parser(reader);
        let taken = match (dialect.statement)(&mut parser, &mut cursor) {
            Ok(None) => return,
            Ok(Some(statement)) => consume(driver, statement, line, mark),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = taken.and_then(|()| driver.session.count_kept(line.span(0, 0))) {
            driver.session.report(problem);
            (dialect.abandon_line)(&mut driver.readers[reader].modes);
            return;
        }
        if !(dialect.has_more)(&driver.readers[reader].modes) {
            if cursor.done() {
                return;
            }
            continue;
        }
        let span = line.span(0, line.text.len() as u32);
        if let Err(problem) = driver.expander.count_line(&driver.session, span) {
            driver.session.report(problem);
            return;
        }
    }
}

/// Handles collected lines: defines a macro or begins a repeat.
fn collected(driver: &mut Driver<'_>, mut kept: Collected) {
    let body = driver.readers[kept.reader.number].dialect.body;
    let Driver {
        session,
        expander,
        measuring,
        ..
    } = driver;
    match std::mem::replace(&mut kept.head, Head::Dropped) {
        Head::Macro(signature) => {
            let body = body(&mut session.names, signature, &kept, true);
            expander.define_macro(session, body);
        }
        Head::Repeat { signature, repeat } => {
            let body = body(&mut session.names, signature, &kept, false);
            expander.begin_repeat(session, body, repeat);
        }
        Head::Calibration => {
            let body = body(&mut session.names, Signature::default(), &kept, false);
            measuring.set_calibration(body);
        }
        Head::Dropped => {}
    }
}

/// Handles the end of a measuring macro's expansion, whose last line had this origin.
fn end_measuring_call(driver: &mut Driver<'_>, origin: u32) {
    let Some(statement) = driver.measuring.ended() else {
        return;
    };
    let back = std::mem::replace(&mut driver.session.origin, origin);
    let taken = consume(driver, statement, &Line::default(), 0);
    if let Err(problem) = taken {
        driver.session.report(problem);
    }
    driver.session.origin = back;
}
