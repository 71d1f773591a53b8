//! The words of MASM and TASM that are not instructions.

use crate::operand::CodeSize;
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
    /// The size of all elements, and that of the first value.
    Size,
    FirstSize,
    /// The number of all elements, and of those that the first value makes.
    Length,
    FirstLength,
    High,
    Low,
    HighWord,
    LowWord,
    /// The 32-bit form of an operand.
    Large,
    /// The 16-bit form of an operand.
    Small,
    Short,
    /// The distance of code, and the size of code that it leads to if the word says that.
    Near(Option<CodeSize>),
    Far(Option<CodeSize>),
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
    Extern(Declares),
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
    /// Far data without values.
    FarUninitialised,
    Stack,
    Startup,
    Exit,
    Org,
    Align,
    Even,
    /// So many bytes that change nothing when they are executed.
    Pad,
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
    /// TASM's transfers between a register and a field of a record; with `true` into the record.
    RecordField(bool),
    /// TASM's multiplication by a constant without a multiplication.
    FastMultiply,
    /// TASM's RETCODE: a near or a far return, as procedures of the memory model need.
    ReturnByModel,
    Enumeration,
    IncludeBinary,
    /// A library that a linker searches.
    IncludeLibrary,
    PushContext,
    PopContext,
    Processor(Processor),
    /// The instructions of the coprocessor that belongs to a processor: `.387`.
    Coprocessor(Processor),
    /// `.msfloat`.
    MicrosoftReals,
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
        self.joins()
            || matches!(
                self,
                Keyword::Ptr
                    | Keyword::Offset
                    | Keyword::Seg
                    | Keyword::Type
                    | Keyword::Short
                    | Keyword::Near(_)
                    | Keyword::Far(_)
                    | Keyword::Not
                    | Keyword::Dup
            )
    }

    /// Whether it is an operator between two operands, so that what precedes it is one.
    pub(super) fn joins(self) -> bool {
        matches!(
            self,
            Keyword::Mod | Keyword::Shl | Keyword::Shr | Keyword::And | Keyword::Or | Keyword::Xor
        )
    }

    /// Whether a statement that it begins, or ends after its name, takes nothing behind it.
    pub(super) fn ends_its_statement(self) -> bool {
        matches!(
            self,
            Keyword::Even
                | Keyword::Ends
                | Keyword::EndProc
                | Keyword::PushSegment
                | Keyword::PopSegment
                | Keyword::PushState
                | Keyword::PopState
                | Keyword::Jumps(_)
                | Keyword::NoLocals
                | Keyword::Ideal
                | Keyword::Masm
                | Keyword::Processor(_)
                | Keyword::Coprocessor(_)
        )
    }

    /// Whether, in IDEAL mode, it defines the name after it.
    pub(super) fn defines_name_after(self) -> bool {
        matches!(
            self,
            Keyword::Macro
                | Keyword::Label
                | Keyword::Proc
                | Keyword::EndProc
                | Keyword::Structure
                | Keyword::Union
                | Keyword::Record
                | Keyword::Enumeration
                | Keyword::Segment
                | Keyword::Ends
                | Keyword::Group
                | Keyword::Prototype
                | Keyword::TypeDefinition
        )
    }

    /// Whether it belongs to the name before it, which it defines or ends.
    pub(super) fn concerns_name_before(self) -> bool {
        self.defines_name_after()
            || matches!(
                self,
                Keyword::Define(_)
                    | Keyword::TypeOfSize(_)
                    | Keyword::Equ
                    | Keyword::TextEqu
                    | Keyword::SubString
                    | Keyword::InString
                    | Keyword::SizeString
            )
    }

    /// Whether a line with this keyword as its second word defines its first one.
    pub(super) fn defines_name_before(self) -> bool {
        self.concerns_name_before() && !matches!(self, Keyword::EndProc | Keyword::Ends | Keyword::Enumeration)
    }

    /// Whether a program may use this keyword as the name of a variable without ambiguity: where an operand begins, it
    /// is no operator and no type.
    pub(super) fn may_be_a_name(self) -> bool {
        !self.is_operator()
            && !matches!(
                self,
                Keyword::Attributes
                    | Keyword::This
                    | Keyword::Size
                    | Keyword::FirstSize
                    | Keyword::Length
                    | Keyword::FirstLength
                    | Keyword::High
                    | Keyword::Low
                    | Keyword::HighWord
                    | Keyword::LowWord
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

/// What a directive declares the names after it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declares {
    /// Names that another module defines.
    Used,
    /// Names that another module defines, or this one for all.
    Shared,
    /// Data that a linker makes once for all modules.
    Common,
}

/// The processors that differ in what the assembler generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Processor {
    I86,
    I186,
    I286,
    /// One with segments of 32 bits.
    Wide,
}

/// The bits of processors in `@Cpu`: one for each processor up to the one that is named, one for privileged
/// instructions, and those of the coprocessors.
pub(super) const I86: u32 = 0x0101;
const I186: u32 = 0x0103;
const I286: u32 = 0x0507;
pub(super) const I586: u32 = 0x0D3F;
const PRIVILEGED: u32 = 0x80;

/// The bits of the processor that a word names, as `.386p` and TASM's `p386n`.
pub(super) fn processor_bits(word: &str) -> u32 {
    let word = word.trim_start_matches('.').to_ascii_lowercase();
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let bits = match digits.as_str() {
        "8086" => I86,
        "186" => I186,
        "286" => I286,
        "386" => 0x0D0F,
        "486" => 0x0D1F,
        "686" => 0x0D7F,
        _ => I586,
    };
    let privileged = match word.starts_with('p') {
        // TASM's words have them unless they say otherwise.
        true => bits >= I286 && !word.ends_with('n'),
        false => word.ends_with('p'),
    };
    if privileged { bits | PRIVILEGED } else { bits }
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

/// A word of a block: `.if`, `.while`, `.repeat` and those that belong to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockWord {
    If,
    ElseIf,
    Else,
    EndIf,
    While,
    EndWhile,
    Repeat,
    Until,
    UntilCountedOut,
    Break,
    Continue,
}
