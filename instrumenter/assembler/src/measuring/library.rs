//! The bundled macro library: its text, its names, and whether a program uses it.

use super::MeasuringMacros;
use crate::dialect::Dialect;
use crate::session::Session;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bundled {
    #[default]
    Undecided,
    Read,
    /// The program defines the macros itself.
    Refused,
}

impl MeasuringMacros {
    /// Marks the names whose use loads the library.
    pub(crate) fn mark_library_names(&self, session: &mut Session, dialect: &Dialect) {
        for line in self.library.lines() {
            if let Some(defined) = (dialect.defined_name)(&mut session.names, line) {
                session.names.info_mut(defined.name).library = true;
            }
        }
        self.mark_constants(session);
    }

    /// Whether a file of the program defines the macro StartTSC itself, which replaces the library.
    pub(crate) fn is_replaced(&self, session: &mut Session, dialect: &Dialect) -> bool {
        let start = session.names.intern("starttsc");
        let names = &mut session.names;
        session.files.iter().any(|file| {
            file.text.lines().any(|line| {
                let defined = (dialect.defined_name)(names, line);
                defined.is_some_and(|defined| defined.is_macro && defined.name == start)
            })
        })
    }
}
