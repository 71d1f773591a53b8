//! Text macros.

use super::Expander;
use crate::names::{NONE, NameId};
use crate::session::{ALLOCATION, Session};

impl Expander {
    pub(crate) fn text_of(&self, session: &Session, name: NameId) -> Option<&str> {
        let index = session.names.info(name).text;
        self.texts.get(index as usize).map(String::as_str)
    }

    /// The text that a later line gives to a name, if it has none yet.
    pub(crate) fn later_text_of(&self, session: &Session, name: NameId) -> Option<&str> {
        let info = session.names.info(name);
        let index = if info.text == NONE { info.later_text } else { NONE };
        self.texts.get(index as usize).map(String::as_str)
    }

    /// Makes known that a later line gives this text to a name.
    pub(crate) fn set_later_text(&mut self, session: &mut Session, name: NameId, text: String) {
        self.kept += size_of::<String>() + ALLOCATION + text.len();
        session.names.info_mut(name).later_text = self.texts.len() as u32;
        self.texts.push(text);
    }

    /// Defines a text macro; the user's definition takes precedence over the library's in either order.
    pub(crate) fn set_text(&mut self, session: &mut Session, name: NameId, text: String) {
        let library = session.in_library;
        let info = session.names.info_mut(name);
        if info.body != NONE {
            if library && !info.body_of_library {
                return;
            }
            if info.body_of_library && !library {
                info.body = NONE;
            }
        }
        match self.texts.get_mut(info.text as usize) {
            Some(_) if library && !info.text_of_library => return,
            Some(known) => {
                self.kept = self.kept + text.len() - known.len();
                *known = text;
            }
            None => {
                self.kept += size_of::<String>() + ALLOCATION + text.len();
                info.text = self.texts.len() as u32;
                self.texts.push(text);
            }
        }
        info.text_of_library = library;
    }
}
