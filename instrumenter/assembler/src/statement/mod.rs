//! Statements: the dialect-independent result of parsing a line, consumed by the program and the expander.

mod data;
mod segment;

pub(crate) use data::{Item, Items, RealFormat};
pub(crate) use segment::{Alignment, Holds, MemoryModel, Placing, Segment, SegmentHead, SegmentNames, SegmentRole};

use crate::diag::Span;
use crate::expression::{ExpressionId, Type};
use crate::names::{NONE, NameId};
use crate::operand::RepeatPrefix;
use iced_x86::Register;
use p5_image::ElementKind;
use p5_image::RegionKind;

/// One statement. A line may hold several; each is consumed before the next is parsed.
pub(crate) enum Statement<'l> {
    Label {
        named: Named<'l>,
        /// Whether the label is visible outside its procedure.
        global: bool,
    },
    /// A typed name for the current location.
    Place {
        named: Named<'l>,
        kind: Type,
    },
    /// An instruction, which is in the buffers.
    Instruction,
    /// The first instruction or label of a procedure is next: its frame is generated before it is parsed.
    ProcedureBody,
    Data(Data<'l>),
    Segment(Segment<'l>),
    /// The end of the innermost open structure or segment.
    Ends {
        name: Option<NameId>,
        span: Span,
    },
    /// The head of a structure or union; the data statements up to its end are its fields.
    Structure {
        name: Option<NameId>,
        union: bool,
        /// The alignment; `None` for the alignment of the enclosing structure, or 1.
        alignment: Option<u32>,
        /// The structure whose fields come first.
        base: Option<u32>,
        span: Span,
    },
    Record {
        name: NameId,
        fields: Vec<RecordField>,
    },
    /// Names for numbers, and a name for the text of their type.
    Enumeration {
        named: Named<'l>,
        constants: Vec<(Named<'l>, i64)>,
        text: &'static str,
    },
    Procedure(Box<Procedure<'l>>),
    Frame(Box<Frame<'l>>),
    Saves {
        registers: Vec<Register>,
        span: Span,
    },
    EndProcedure {
        name: Option<NameId>,
        span: Span,
    },
    /// A name for a number that may be redefined.
    Assign {
        named: Named<'l>,
        value: ExpressionId,
        place: Span,
    },
    /// A name for a number or an address.
    Equate {
        named: Named<'l>,
        value: Equated,
    },
    Text {
        named: Named<'l>,
        text: String,
    },
    Align {
        alignment: Alignment,
        span: Span,
    },
    Origin {
        target: ExpressionId,
        span: Span,
    },
    Extern(Vec<External<'l>>),
    /// Assumed contents of segment registers from here on; without operands nothing is assumed.
    Assume(Vec<(Register, Holds)>),
    Group {
        named: Named<'l>,
        members: Vec<(NameId, Span)>,
    },
    Model(MemoryModel),
    Stack {
        bytes: u32,
        span: Span,
    },
    /// Names that the source declares public.
    Public(Vec<(NameId, Span)>),
    /// The beginning of a measured region.
    BeginRegion(Box<Region>),
    /// The end of a measured region, after the code that ends it.
    EndRegion(RegionEnd),
    /// The end of the program, and its entry point.
    End {
        start: Option<(ExpressionId, Span)>,
    },

    /// The header of lines that are collected, up to the line that ends them.
    Collect(Box<Collect>),
    Call {
        name: NameId,
        arguments: Vec<String>,
        /// The places of the arguments; empty unless the macro belongs to the bundled library.
        places: Vec<Span>,
        span: Span,
    },
    Condition {
        word: ConditionWord,
        span: Span,
    },
    Include {
        name: String,
        span: Span,
    },
    /// The bytes of a file, from `start` on and `length` at most.
    IncludeBinary {
        name: String,
        start: usize,
        length: usize,
        span: Span,
    },
    /// Saves or restores the assumed contents of segment registers.
    Assumptions {
        save: bool,
        span: Span,
    },
    /// Skips all lines up to the one that contains this character.
    Comment {
        delimiter: char,
        span: Span,
    },
    /// Lines that are read next, so many times, as those of a macro.
    Lines {
        lines: Vec<String>,
        times: u64,
        span: Span,
    },
    /// Leaves the macro or repeat being expanded; the value is the result of a macro function.
    Exit {
        value: Option<String>,
        span: Span,
    },
    /// Continues after a label of a macro.
    GoTo {
        label: Named<'l>,
    },
    /// Moves the arguments of the macro being expanded by so many places.
    Rotate {
        by: i64,
    },
    Purge {
        macros: Vec<Named<'l>>,
    },
}

/// A name that is being defined, with its spelling and position.
#[derive(Clone, Copy)]
pub(crate) struct Named<'l> {
    pub(crate) name: NameId,
    pub(crate) spelled: &'l str,
    pub(crate) span: Span,
}

/// The maximum number of operands of an instruction.
pub(crate) const MOST_OPERANDS: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) mnemonic: NameId,
    pub(crate) lock: bool,
    /// Whether a branch that is always short becomes longer if its target is out of reach.
    pub(crate) lengthen: bool,
    /// Whether the processor has no near form of conditional branches.
    pub(crate) no_near: bool,
    /// Whether WAIT precedes it, as an instruction of the 8087.
    pub(crate) wait: bool,
    pub(crate) repeat: RepeatPrefix,
    /// A segment register written as a prefix, or `Register::None`.
    pub(crate) segment: Register,
    pub(crate) operands: [ExpressionId; MOST_OPERANDS],
    pub(crate) operand_count: u8,
    /// The span of the mnemonic; its line is the instruction's line.
    pub(crate) span: Span,
    /// The range of the line from the first prefix to the last operand; empty if no line of the source contains them.
    pub(crate) written: (u32, u32),
    pub(crate) origin: u32,
}

impl Instruction {
    pub(crate) fn new(mnemonic: NameId, span: Span, origin: u32) -> Instruction {
        Instruction {
            mnemonic,
            lock: false,
            lengthen: false,
            no_near: false,
            wait: false,
            repeat: RepeatPrefix::None,
            segment: Register::None,
            operands: [NONE; MOST_OPERANDS],
            operand_count: 0,
            span,
            written: (0, 0),
            origin,
        }
    }

    /// Adds an operand; returns whether there was room for it.
    pub(crate) fn add(&mut self, operand: ExpressionId) -> bool {
        match self.operands.get_mut(usize::from(self.operand_count)) {
            Some(place) => {
                *place = operand;
                self.operand_count += 1;
                true
            }
            None => false,
        }
    }
}

/// The parts of instructions and data, in buffers reused for all lines, so that a statement stays small to pass on.
pub(crate) struct Buffers {
    pub(crate) instruction: Instruction,
    pub(crate) items: Items,
}

impl Buffers {
    /// Clears the buffers and begins an instruction in them.
    pub(crate) fn begin(&mut self, mnemonic: NameId, span: Span, origin: u32) -> &mut Instruction {
        self.items.clear();
        self.instruction = Instruction::new(mnemonic, span, origin);
        &mut self.instruction
    }
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            instruction: Instruction::new(NONE, Span::default(), NONE),
            items: Items::default(),
        }
    }
}

/// A definition of data; its values are the items in the buffers.
pub(crate) struct Data<'l> {
    pub(crate) named: Option<Named<'l>>,
    /// The type of one element.
    pub(crate) kind: Type,
    pub(crate) elements: ElementKind,
    /// The record whose values they are, if they are such.
    pub(crate) record: Option<NameId>,
    pub(crate) span: Span,
}

impl<'l> Data<'l> {
    /// Data with unsigned elements.
    pub(crate) fn new(named: Option<Named<'l>>, kind: Type, span: Span) -> Data<'l> {
        Data {
            named,
            kind,
            elements: ElementKind::Unsigned,
            record: None,
            span,
        }
    }
}

/// The definition of an `equ`.
pub(crate) enum Equated {
    Number(i64),
    /// A value that depends on addresses or forward references.
    Expression(ExpressionId),
}

/// The order in which arguments are pushed, and which side removes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Convention {
    /// No convention: the program creates its own frames.
    #[default]
    None,
    /// The last argument is pushed first; the caller removes the arguments.
    C,
    /// The last argument is pushed first; the procedure removes the arguments.
    Standard,
    /// The first argument is pushed first; the procedure removes the arguments.
    Pascal,
}

/// The `proc` line of a procedure.
pub(crate) struct Procedure<'l> {
    pub(crate) named: Named<'l>,
    pub(crate) convention: Convention,
    /// The registers that the procedure saves.
    pub(crate) saves: Vec<Register>,
    pub(crate) parameters: Vec<Declared>,
    /// The parameters after them that stay on the stack when the procedure returns.
    pub(crate) returned: Vec<Declared>,
    /// Whether the procedure returns to another segment.
    pub(crate) far: bool,
    /// The code at its start, and that at its returns.
    pub(crate) code: [FrameCode; 2],
    /// Whether the processor has an instruction that removes a frame.
    pub(crate) leaves: bool,
    /// The text in angle brackets after its head, for the macros that make its code.
    pub(crate) given: String,
}

/// The code that sets up the frame of a procedure, or that removes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FrameCode {
    #[default]
    Usual,
    None,
    /// A macro of the source makes it.
    Macro(NameId),
}

/// Parameters or local variables of the innermost procedure.
pub(crate) struct Frame<'l> {
    pub(crate) parameters: bool,
    pub(crate) declared: Vec<Declared>,
    /// The parameters after them that stay on the stack when the procedure returns.
    pub(crate) returned: Vec<Declared>,
    /// The name for the total size in bytes of the parameters that do not stay.
    pub(crate) size: Option<Named<'l>>,
}

/// A parameter or local variable as declared.
pub(crate) struct Declared {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) kind: Type,
    pub(crate) elements: ElementKind,
    pub(crate) count: u32,
    /// The size in bytes, before any rounding.
    pub(crate) size: u32,
    /// Whether it accepts any number of arguments.
    pub(crate) variable: bool,
    pub(crate) span: Span,
}

pub(crate) struct RecordField {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) span: Span,
    /// The width in bits.
    pub(crate) width: u32,
    /// The value that it has by default.
    pub(crate) value: i64,
}

pub(crate) struct External<'l> {
    pub(crate) named: Named<'l>,
    pub(crate) kind: Type,
    /// The number of its elements.
    pub(crate) count: u32,
    pub(crate) common: Common,
    /// The multiple at which common data begins, if the source says so; otherwise 0.
    pub(crate) aligned: u32,
    /// Whether only another module may define it.
    pub(crate) elsewhere: bool,
}

/// Whether a name is that of common data, which a linker makes once for all modules, and where that lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Common {
    #[default]
    No,
    /// In the group of the other data.
    Near,
    /// In a segment of its own.
    Far,
}

impl<'l> External<'l> {
    /// A single element that another module defines.
    pub(crate) fn one(named: Named<'l>, kind: Type) -> External<'l> {
        External {
            named,
            kind,
            count: 1,
            common: Common::No,
            aligned: 0,
            elsewhere: false,
        }
    }
}

/// The beginning of a region.
pub(crate) struct Region {
    pub(crate) name: String,
    pub(crate) kind: RegionKind,
    /// The span of the outermost call that began it.
    pub(crate) span: Span,
    /// The library's number for it, or 0 if a user's macro began it.
    pub(crate) site: u32,
    /// The selectors of the events to count.
    pub(crate) events: Option<[u8; 2]>,
}

/// The end of a region.
pub(crate) struct RegionEnd {
    pub(crate) kind: RegionKind,
    /// The span of the outermost call that ended it.
    pub(crate) span: Span,
    /// The start of the code that ends it.
    pub(crate) after: crate::expression::Location,
}

pub(crate) struct Collect {
    pub(crate) head: Head,
    /// The first line, if it is on the header line.
    pub(crate) first: Option<String>,
    pub(crate) span: Span,
}

/// The kind of collected lines.
pub(crate) enum Head {
    Macro(Signature),
    Repeat {
        signature: Signature,
        repeat: Repeat,
    },
    /// The library's calibration, expanded after everything else.
    Calibration,
    /// Lines after an erroneous header, which are dropped.
    Dropped,
}

/// The name and parameters of a macro or repeat.
#[derive(Default)]
pub(crate) struct Signature {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Default)]
pub(crate) struct Parameter {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) required: bool,
    pub(crate) default: Option<String>,
    /// Whether it takes all remaining arguments.
    pub(crate) variable: bool,
}

/// The condition for the next pass of a repeat.
pub(crate) enum Repeat {
    /// The number of passes left.
    Count(u64),
    /// The values of the parameter, from `next` on.
    Values { values: Vec<String>, next: usize },
    /// Repeats while the expression is not zero.
    While { expression: std::rc::Rc<str>, passes: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConditionWord {
    If(Answer),
    ElseIf(Answer),
    Else,
    EndIf,
}

/// The result of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Holds,
    Fails,
    /// The condition was not evaluated or is unknown. No branch is assembled, because its errors would only be
    /// consequential.
    Unknown,
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Answer {
        if holds { Answer::Holds } else { Answer::Fails }
    }
}
