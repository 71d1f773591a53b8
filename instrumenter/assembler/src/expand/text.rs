//! Text macros.

use super::Expander;
use crate::names::{NONE, NameId};
use crate::session::{ALLOCATION, Session};

impl Expander {
    pub(crate) fn text_of(&self, session: &Session, name: NameId) -> Option<&str> {
        let index = session.names.info(name).text;
        self.texts.get(index as usize).map(String::as_str)
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
