//! The words of MASM and TASM that are not instructions.

use super::block::BlockWord;
use super::reserved::SPELLINGS;
use crate::names::NameId;

/// A word that the assembler defines. Several spellings may mean the same keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    // Operators.
    Ptr,
    Offset,
    Seg,
    Type,
    This,
    Size,
    Length,
    High,
    Low,
    HighWord,
    LowWord,
    Short,
    Near,
    Far,
    Mod,
    Shl,
    Shr,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Not,
    And,
    Or,
    Xor,
    Dup,
    TypeOfSize(u8),
    // Data.
    Define(u8),
    // Symbols.
    Equ,
    TextEqu,
    SubString,
    InString,
    SizeString,
    Label,
    Proc,
    EndProc,
    Public,
    Extern,
    Structure,
    Union,
    Record,
    Invoke,
    Prototype,
    Local,
    Arg,
    Uses,
    // Segments.
    Segment,
    Ends,
    Group,
    Assume,
    Model,
    Code,
    Data,
    DataUninitialised,
    Const,
    FarData,
    Stack,
    Startup,
    Exit,
    Org,
    Align,
    Even,
    End,
    // Macros, repeats, conditions.
    Macro,
    EndMacro,
    ExitMacro,
    Purge,
    GoTo,
    Repeat,
    For,
    ForCharacter,
    While,
    If,
    IfNot,
    IfDefined,
    IfNotDefined,
    IfBlank,
    IfNotBlank,
    IfIdentical,
    IfIdenticalAnyCase,
    IfDifferent,
    IfDifferentAnyCase,
    IfFirstPass,
    IfSecondPass,
    Else,
    ElseIf,
    ElseIfNot,
    ElseIfDefined,
    ElseIfNotDefined,
    ElseIfBlank,
    ElseIfNotBlank,
    ElseIfIdentical,
    ElseIfIdenticalAnyCase,
    ElseIfDifferent,
    ElseIfDifferentAnyCase,
    EndIf,
    // Others.
    Include,
    Comment,
    Echo,
    Error,
    ErrorIf(ErrorTest),
    Radix,
    Locals,
    NoLocals,
    Ideal,
    Masm,
    Tolerated,
    /// A 32-bit processor.
    Processor,
    /// A 16-bit processor.
    NarrowProcessor,
    Unsupported,
    TypeDefinition,
    Mask,
    Width,
    Block(BlockWord),
    PushState,
    PopState,
    PushSegment,
    PopSegment,
    Calibration,
    EndCalibration,
    // Prefixes.
    Lock,
    Rep,
    RepEqual,
    RepNotEqual,
}

impl Keyword {
    /// Whether a program may use this keyword as the name of a variable without ambiguity.
    pub(super) fn may_be_a_name(self) -> bool {
        matches!(
            self,
            Keyword::SubString
                | Keyword::InString
                | Keyword::SizeString
                | Keyword::Public
                | Keyword::Arg
                | Keyword::Uses
                | Keyword::Group
                | Keyword::Model
                | Keyword::Const
                | Keyword::Stack
                | Keyword::Purge
                | Keyword::GoTo
                | Keyword::Echo
                | Keyword::Error
                | Keyword::Label
                | Keyword::Record
                | Keyword::Invoke
                | Keyword::Prototype
                | Keyword::Local
                | Keyword::Masm
                | Keyword::Tolerated
                | Keyword::Processor
                | Keyword::NarrowProcessor
                | Keyword::Unsupported
                | Keyword::TypeDefinition
                | Keyword::Mask
                | Keyword::Width
        )
    }
}

/// The condition under which an `.err...` directive is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorTest {
    Zero,
    NonZero,
    Defined,
    NotDefined,
    Blank,
    NotBlank,
    Identical,
    Different,
    IdenticalAnyCase,
    DifferentAnyCase,
}

pub(super) fn keyword(id: NameId) -> Option<Keyword> {
    SPELLINGS.get(id as usize).map(|&(_, keyword)| keyword)
}
