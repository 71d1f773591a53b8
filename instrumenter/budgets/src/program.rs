//! The program whose budgets are read: its files, and what is known of its code.

use super::built::Built;
use super::comments::Notation;
use p5_image::Image;

/// What is known of the program whose budgets are read.
pub(crate) struct Program<'a> {
    pub(crate) library: Option<u32>,
    pub(crate) regions: Option<&'a [(u32, u32)]>,
    /// The data that may be a result.
    pub(crate) image: Option<&'a Image>,
    /// The lines of code that is not assembled here.
    pub(crate) built: Option<&'a Built>,
    /// The number of files that are assembled here; those of other code come after them.
    pub(crate) assembled: usize,
    pub(crate) left_out: &'a dyn Fn(u32, u32) -> bool,
    /// Whether the first file is text of another tool, whose comments are those of the GNU assembler.
    pub(crate) pasted: bool,
}

impl Program<'_> {
    /// How file number `index`, of this name, has its comments.
    pub(crate) fn notation(&self, index: u32, name: &str) -> Notation {
        match (self.pasted && index == 0, index as usize >= self.assembled) {
            (true, _) => Notation::Gnu,
            (false, true) => Notation::of(name),
            (false, false) => Notation::Semicolon,
        }
    }
}
