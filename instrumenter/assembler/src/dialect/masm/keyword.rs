//! The words of MASM and TASM that are not instructions.

use super::block::BlockWord;
use super::reserved::SPELLINGS;
use crate::names::NameId;
use iced_x86::Register;

/// A word that the assembler defines. Several spellings may mean the same keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    // Operators.
    Ptr,
    Offset,
    Seg,
    Type,
    /// What kind of operand an expression is, as bits.
    Attributes,
    This,
    Size,
    Length,
    High,
    Low,
    HighWord,
    LowWord,
    /// The 32-bit form of an operand.
    Large,
    /// The 16-bit form of an operand.
    Small,
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
    /// A pointer to code or, if `true`, to data, whose size depends on the memory model.
    PointerType(bool),
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
    Option,
    /// Whether branches out of reach become longer.
    Jumps(bool),
    /// An instruction of the coprocessor by its number.
    Escape,
    /// TASM's shortest operations on flags: `or`, `and`, `test`, `xor`.
    Flags(FlagOperation),
    Enumeration,
    Common,
    IncludeBinary,
    PushContext,
    PopContext,
    /// A 32-bit processor.
    Processor,
    /// A 16-bit processor.
    NarrowProcessor,
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
    /// A segment register as an instruction before the one that it concerns.
    Override(Register),
}

impl Keyword {
    /// Whether this keyword is an operator wherever an operand begins or goes on, so that no operand can be a variable
    /// of that name.
    pub(super) fn is_operator(self) -> bool {
        matches!(
            self,
            Keyword::Ptr
                | Keyword::Offset
                | Keyword::Seg
                | Keyword::Type
                | Keyword::Short
                | Keyword::Near
                | Keyword::Far
                | Keyword::Mod
                | Keyword::Shl
                | Keyword::Shr
                | Keyword::Not
                | Keyword::And
                | Keyword::Or
                | Keyword::Xor
                | Keyword::Dup
        )
    }

    /// Whether a program may use this keyword as the name of a variable without ambiguity: where an operand begins, it
    /// is no operator and no type.
    pub(super) fn may_be_a_name(self) -> bool {
        !matches!(
            self,
            Keyword::Ptr
                | Keyword::Offset
                | Keyword::Seg
                | Keyword::Type
                | Keyword::Attributes
                | Keyword::This
                | Keyword::Size
                | Keyword::Length
                | Keyword::High
                | Keyword::Low
                | Keyword::HighWord
                | Keyword::LowWord
                | Keyword::Short
                | Keyword::Near
                | Keyword::Far
                | Keyword::Mod
                | Keyword::Shl
                | Keyword::Shr
                | Keyword::Not
                | Keyword::And
                | Keyword::Or
                | Keyword::Xor
                | Keyword::Dup
                | Keyword::Large
                | Keyword::Small
                | Keyword::TypeOfSize(_)
                | Keyword::PointerType(_)
                | Keyword::Define(_)
                | Keyword::Proc
                | Keyword::EndProc
                | Keyword::Segment
                | Keyword::Ends
                | Keyword::EndMacro
                | Keyword::Macro
                | Keyword::Mask
                | Keyword::Width
        )
    }
}

/// What `setflag` and similar directives do with the flags of their second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagOperation {
    Set,
    Mask,
    Test,
    Flip,
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
