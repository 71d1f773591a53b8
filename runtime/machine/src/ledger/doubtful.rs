//! The doubts of summed instructions, of which a note names each row once, whatever is summed first.

use p5_chips::Doubt;

/// The doubts of the program's own instructions and of the library's, each once.
#[derive(Default)]
pub(super) struct Doubtful(Vec<(Doubt, bool)>);

impl Doubtful {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the doubt of an instruction, unless it is known.
    pub(super) fn add(&mut self, doubt: Doubt, library: bool) {
        if !self.0.contains(&(doubt, library)) {
            self.0.push((doubt, library));
        }
    }

    /// All of them, each with whether it is the library's, in an order that does not depend on which was added first.
    pub(super) fn listed(&self) -> Vec<(Doubt, bool)> {
        let mut listed = self.0.clone();
        listed.sort_by_key(|(doubt, library)| (doubt.form, doubt.why, *library));
        listed
    }
}
