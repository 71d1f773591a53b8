//! Names that the command line defines.

use super::Driver;
use crate::diag::Span;
use crate::program::Definition;
use crate::statement::Named;
use iced_x86::Register;

/// Defines a name from the command line: as a number if its text is one, otherwise as text. What it decides is not
/// noted if it is `settled`.
pub(super) fn define_option(driver: &mut Driver<'_>, name: &str, value: &str, settled: bool) {
    let value = if value.is_empty() { "1" } else { value };
    let named = Named {
        name: driver.session.names.intern(name),
        spelled: name,
        span: Span::default(),
    };
    let number = driver.number(value, named.span);
    let (session, expander, program) = (&mut driver.session, &mut driver.expander, &mut driver.program);
    session.names.info_mut(named.name).settled = settled;
    let info = *session.names.info(named.name);
    let refused = if info.mnemonic || info.register != Register::None {
        Some("it is a reserved word".to_owned())
    } else if info.of_command_line {
        let same = match number {
            Ok(number) => {
                program.symbols.get(info.symbol).map(|symbol| symbol.definition) == Some(Definition::Number(number))
            }
            Err(_) => expander.text_of(session, named.name) == Some(value),
        };
        (!same).then(|| "another -D defines it, too".to_owned())
    } else {
        match number {
            Ok(number) => program
                .symbols
                .assign(session, named, number)
                .err()
                .map(|problem| problem.message),
            Err(_) => {
                session.note_value_of(named.name);
                expander.set_text(session, named.name, value.to_owned());
                None
            }
        }
    };
    session.names.info_mut(named.name).of_command_line = true;
    if let Some(message) = refused {
        session.report_without_place(format!("cannot define `{name}` as `{value}` with -D: {message}"), None);
    }
}
