//! Dispatches a statement: the program consumes bytes and names, the expander decides which lines follow.

use super::nested::{call_function, call_macro, include_binary, include_file};
use super::{Driver, collected};
use crate::diag::{Fault, fault};
use crate::expand::{Collected, Expander, KeptLine};
use crate::lex::Line;
use crate::program::{self, Program};
use crate::session::Session;
use crate::statement::{Collect, Equated, Head, Repeat, Signature, Statement};

/// Consumes a statement of `line`, whose expressions are the nodes since `mark`.
pub(super) fn consume(
    driver: &mut Driver<'_>,
    statement: Statement<'_>,
    line: &Line,
    mark: usize,
) -> Result<(), Fault> {
    let Driver {
        session,
        program,
        expander,
        buffers,
        part,
        ..
    } = driver;
    if !session.in_library {
        part.note(&statement, program);
    }
    match statement {
        Statement::Instruction => match program::epilogue_call(session, program, &buffers.instruction) {
            Some(call) => {
                let made = call_function(driver, call.name, call.arguments, call.span);
                program::epilogue_made(&mut driver.program);
                made.map(|_| ())
            }
            None => program::instruction(session, program, &buffers.instruction, mark),
        },
        Statement::Label { named, global } => program::label(session, program, named, global),
        Statement::Data(data) => program::data(session, program, &data, &buffers.items, mark),
        Statement::Place { named, kind } => program::place(session, program, named, kind),
        Statement::ProcedureBody => match program::prologue_call(session, program) {
            Some(call) => {
                let made = call_function(driver, call.name, call.arguments, call.span)?;
                program::prologue_made(&mut driver.program, &made);
                Ok(())
            }
            None => program::procedure_body(session, program),
        },
        Statement::Segment(segment) => {
            let taken = program::segment(session, program, &segment);
            name_segment(session, program, expander);
            taken
        }
        Statement::Ends { name, span } => {
            let taken = program::ends(session, program, name, span);
            name_segment(session, program, expander);
            taken
        }
        Statement::Structure {
            name,
            union,
            alignment,
            base,
            span,
        } => program::structure(program, name, union, (alignment, base), span),
        Statement::Record { name, fields } => program::record(session, program, name, fields),
        Statement::Enumeration { named, constants, text } => {
            for (constant, number) in constants {
                program::equate(session, program, constant, &Equated::Number(number))?;
            }
            if program.symbols.text_may_replace(session, named)? {
                expander.set_text(session, named.name, text.to_owned());
            }
            Ok(())
        }
        Statement::Procedure(head) => program::procedure(session, program, *head),
        Statement::Frame(frame) => program::frame(session, program, *frame),
        Statement::Saves { registers, span } => program::saves(program, registers, span),
        Statement::EndProcedure { name, span } => program::end_procedure(session, program, name, span),
        Statement::Assign { named, value, place } => program::assign(session, program, named, value, place, mark),
        Statement::Equate { named, value } => program::equate(session, program, named, &value),
        Statement::Align { alignment, span } => program::align(session, program, alignment, span),
        Statement::Origin { target, span } => program::origin(session, program, target, span),
        Statement::Assume(registers) => program::assume(session, program, &registers),
        Statement::Group { named, members } => program::group(session, program, named, &members),
        Statement::Model(model) => {
            program::model(session, program, model);
            for (name, number) in model.numbers {
                program.symbols.set_number(session, name, number);
            }
            for (name, text) in model.texts {
                let name = session.names.intern(name);
                expander.set_text(session, name, text.to_owned());
            }
            Ok(())
        }
        Statement::Stack { bytes, span } => program::stack(session, program, bytes, span),
        Statement::Public(names) => {
            program::public(session, &names);
            Ok(())
        }
        Statement::Extern(names) => program::external(session, program, &names),
        Statement::BeginRegion(region) => {
            program::begin_region(program, *region);
            Ok(())
        }
        Statement::EndRegion(end) => {
            program::end_region(session, program, &end);
            Ok(())
        }
        Statement::End { start } => {
            program.start = start.or(program.start);
            program.is_closed = true;
            expander.end_program();
            Ok(())
        }
        Statement::Text { named, text } => {
            if !program.symbols.text_may_replace(session, named)? {
                return Ok(());
            }
            if session.names.info(named.name).of_command_line && !session.in_library {
                if expander.text_of(session, named.name) != Some(text.as_str()) {
                    return Err(program.symbols.conflict(session, named));
                }
                session.names.info_mut(named.name).of_command_line = false;
                session.note_value_of(named.name);
            }
            session.count_text(text.len(), named.span)?;
            if expander.later_text_of(session, named.name).is_some() {
                let message = format!("`{}` stands for this text before this line, too", named.spelled);
                let help =
                    "define it before its first use: some assemblers know it there only in another pass, others never";
                session.warn(fault(named.span, message).with_help(help));
            }
            expander.set_text(session, named.name, text);
            Ok(())
        }
        Statement::Rotate { by } => {
            expander.rotate(by);
            Ok(())
        }
        Statement::Lines { lines, times, span } => {
            let Some(reader) = expander.reader() else {
                return Ok(());
            };
            let kept = |text| KeptLine {
                text,
                file: line.file,
                number: line.number,
            };
            let lines = Collected {
                head: Head::Repeat {
                    signature: Signature::default(),
                    repeat: Repeat::Count(times),
                },
                lines: lines.into_iter().map(kept).collect(),
                reader,
                span,
            };
            collected(driver, lines);
            Ok(())
        }
        Statement::Collect(collect) => {
            let Collect { head, first, span } = *collect;
            let first = first.map(|text| KeptLine {
                text,
                file: line.file,
                number: line.number,
            });
            expander.begin_collecting(head, first, span);
            Ok(())
        }
        Statement::Call {
            name,
            arguments,
            places,
            span,
        } => call_macro(driver, name, arguments, &places, span),
        Statement::Condition { word, span } => expander.condition(session, word, span),
        Statement::Include { name, span } => {
            include_file(driver, &name, span);
            Ok(())
        }
        Statement::IncludeBinary {
            name,
            start,
            length,
            span,
        } => include_binary(driver, &name, start, length, span),
        Statement::Assumptions { save, span } => program::keep_assumptions(program, save, span),
        Statement::Comment { delimiter, span } => {
            expander.begin_comment(delimiter, span);
            Ok(())
        }
        Statement::Exit { value, span } => expander.exit(session, value, span),
        Statement::GoTo { label } => expander.go_to(session, label),
        Statement::Purge { macros } => expander.purge(session, &macros),
    }
}

/// Gives the name of the current segment to the text macro that stands for it.
fn name_segment(session: &mut Session, program: &Program, expander: &mut Expander) {
    let Some(name) = program.layout.segment_names().current.filter(|_| !session.in_library) else {
        return;
    };
    let Some(segment) = program.layout.segments.get(program.layout.current as usize) else {
        return;
    };
    let name = session.names.intern(name);
    if expander.text_of(session, name) != Some(segment.name.as_str()) {
        expander.set_text(session, name, segment.name.clone());
    }
}
