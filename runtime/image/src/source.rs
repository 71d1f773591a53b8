//! A source file of a program, with its text.

use std::sync::Arc;

/// A source file, kept whole so that reports can quote it.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// The name as given, `<stdin>`, or the name in an include.
    pub name: String,
    /// The whole path of a file outside of the directory of the compilation; its name is then the last part.
    pub elsewhere: Option<String>,
    /// The directory in which a compiler compiled it, to which its name is relative, if that is known.
    pub compiled_in: Option<Arc<str>>,
    /// The path, relative to the current folder, at which the text of a compiled program's source was read.
    pub read_at: Option<String>,
    /// The whole text, decoded from the file's bytes.
    pub text: Arc<str>,
}

impl SourceFile {
    /// A file of the program itself, which no compiler names.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceFile {
        SourceFile {
            name: name.into(),
            elsewhere: None,
            compiled_in: None,
            read_at: None,
            text: text.into(),
        }
    }
}
