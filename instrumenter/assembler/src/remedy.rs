//! Remedies: how to fix a problem, as a sentence or as data for which each dialect has its own words.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// A sentence that is true in every dialect.
    Sentence(String),
    /// Give the memory operand one of these sizes, in bytes.
    Size(Vec<u8>),
    /// Give the memory operand one of these sizes, in bytes, instead of its present one, if that is intended.
    OtherSize(Vec<u8>),
    /// Define the data with elements of this size, in bytes.
    DataSize(u8),
    /// Give the memory operand one of these sizes, in bytes, or widen it.
    Widen(Vec<u8>),
    /// Widen the memory operand into another register, or give it one of these sizes, in bytes. The instruction with
    /// this name then takes the register.
    WidenFirst(Vec<u8>, String),
    /// Give the register the address of the variable, before or after the remedy for its contents.
    AddressOf {
        variable: String,
        register: String,
        first: bool,
        rest: Box<Remedy>,
    },
    /// Make the first operand the destination, or make the number the address of a memory operand.
    Destination,
    /// Do not force the short form of a branch.
    NotShort,
    /// Do not force the near form of a branch.
    NotNear,
    /// Make the register with this name a memory operand, or copy it.
    AddressInRegister(String),
    /// Make the register and its field a memory operand.
    FieldOfRegister,
    /// Make this a number by a digit before it.
    LeadingDigit(String),
    /// Write these digits as a hexadecimal number.
    Hexadecimal(String),
    /// Define this label in the macro.
    MacroLabel(String),
    /// Tell the assembler that a segment register holds this segment, or name one in the operand.
    Assume(String),
    /// Make the branch a far branch to another segment.
    FarBranch,
    /// Write the last line of a program that starts at this label.
    EndOfProgram(String),
    /// Choose the size of code by its segment.
    SizeOfCode,
    /// Have this line of text, with the name of a text in it, replaced before it is read.
    Expand(String),
    /// Add the end of this construct.
    Close(Construct),
    /// Let this module define the name, too, which it declares as one of another module.
    DeclaredElsewhere(String),
    /// Link the C library, which defines the name; the sentence is for sources of its compilers.
    OfLibrary(&'static str),
    /// Put what a run takes without a segment into one.
    Surround,
}

/// A construct that a source begins and must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Construct {
    Conditional,
    Body,
    Calibration,
    Procedure(String),
    /// A structure with this name, which is empty if it has none.
    Structure(String),
    Segment(String),
    /// A comment that ends at this character.
    Comment(char),
    Source,
}

impl Remedy {
    /// The fix in words that depend on no dialect.
    pub(crate) fn plain(&self) -> String {
        let sizes = |bytes: &[u8]| list(&bytes.iter().map(u8::to_string).collect::<Vec<_>>(), "or");
        match self {
            Remedy::Sentence(text) => text.clone(),
            Remedy::OfLibrary(text) => (*text).to_owned(),
            Remedy::Size(bytes) => format!("give the operand a size of {} bytes", sizes(bytes)),
            Remedy::OtherSize(bytes) => {
                format!("give the operand a size of {} bytes if that is intended", sizes(bytes))
            }
            Remedy::DataSize(bytes) => format!("define it with {bytes} bytes"),
            Remedy::Widen(bytes) => format!(
                "use `movzx` or `movsx` to widen it, or give the operand a size of {} bytes",
                sizes(bytes)
            ),
            Remedy::WidenFirst(bytes, name) => format!(
                "widen it into a free register first, and `{name}` that; or give the operand a size of {} bytes",
                sizes(bytes)
            ),
            Remedy::AddressOf { variable, rest, .. } => {
                format!(
                    "load the address of `{variable}`, or, for its contents, {}",
                    rest.plain()
                )
            }
            Remedy::EndOfProgram(label) => {
                format!("for the last line of a program that starts at `{label}`, name it there")
            }
            Remedy::SizeOfCode => "choose the size of code by its segment".to_owned(),
            Remedy::Destination => "for memory at a fixed address, write a memory operand".to_owned(),
            Remedy::NotShort => "do not force the short form".to_owned(),
            Remedy::NotNear => {
                "do not force the near form: the branch reaches 127 bytes forward and 128 back".to_owned()
            }
            Remedy::AddressInRegister(register) => {
                format!("use the memory operand whose address is in `{register}`, or copy the register with `mov`")
            }
            Remedy::FieldOfRegister => "write a memory operand".to_owned(),
            Remedy::LeadingDigit(text) => format!("a number begins with a digit: write `0{text}`"),
            Remedy::Hexadecimal(digits) => format!("write the digits `{digits}` as a hexadecimal number"),
            Remedy::MacroLabel(label) => format!("define the label `{label}` in the macro"),
            Remedy::Assume(segment) => format!("name the segment register that holds `{segment}`"),
            Remedy::Expand(line) => format!("have the text replaced in `{line}`"),
            Remedy::FarBranch => "make it a branch to another segment".to_owned(),
            Remedy::DeclaredElsewhere(name) => format!("drop one of the two, or declare `{name}` for both modules"),
            Remedy::Surround => "put it into a segment; a run takes lines without one".to_owned(),
            Remedy::Close(construct) => match construct {
                Construct::Conditional => "end the conditional".to_owned(),
                Construct::Body => "end the body".to_owned(),
                Construct::Source => "end the source".to_owned(),
                Construct::Calibration => "end the calibration".to_owned(),
                Construct::Structure(name) if name.is_empty() => "end the structure".to_owned(),
                Construct::Procedure(name) | Construct::Structure(name) | Construct::Segment(name) => {
                    format!("end `{name}`")
                }
                Construct::Comment(delimiter) => format!("end the comment with `{delimiter}`"),
            },
        }
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Remedy {
        Remedy::Sentence(text)
    }
}

impl From<&str> for Remedy {
    fn from(text: &str) -> Remedy {
        Remedy::Sentence(text.to_owned())
    }
}

/// Lists items in a sentence: `a, b or c`, with `word` before the last one.
pub(crate) fn list(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}
