//! The role of a keyword in a statement: whether it defines a name, takes names, or prefixes an instruction.

use super::{Keyword, condition};
use crate::operand::RepeatPrefix;
use iced_x86::Register;

/// Whether a word after `%` only controls the listing.
pub(super) fn is_listing_control(word: &str) -> bool {
    let word = word.strip_prefix("no").unwrap_or(word);
    matches!(
        word,
        "list"
            | "pagesize"
            | "syms"
            | "incl"
            | "ctls"
            | "tabsize"
            | "trunc"
            | "macs"
            | "conds"
            | "cref"
            | "crefall"
            | "crefref"
            | "crefuref"
            | "newpage"
            | "subttl"
            | "title"
            | "text"
            | "bin"
            | "depth"
            | "linum"
            | "pcnt"
            | "poplctl"
            | "pushlctl"
    )
}

/// Whether a directive takes names or text as operands, which are then not definitions.
pub(super) fn takes_names(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::Public
            | Keyword::Extern(_)
            | Keyword::End
            | Keyword::Purge
            | Keyword::GoTo
            | Keyword::Invoke
            | Keyword::Local
            | Keyword::Echo
            | Keyword::Error
            | Keyword::ErrorIf(_)
            | Keyword::Comment
            | Keyword::Include
            | Keyword::Assume
            | Keyword::For
            | Keyword::ForCharacter
            | Keyword::While
            | Keyword::Define(_)
            | Keyword::TypeOfSize(_)
            | Keyword::Ideal
            | Keyword::Model
            | Keyword::IncludeBinary
            | Keyword::Option
            | Keyword::Align
            | Keyword::Org
            | Keyword::Flags(_)
            | Keyword::RecordField(_)
            | Keyword::FastMultiply
            | Keyword::ReturnByModel
            | Keyword::PushContext
            | Keyword::PopContext
            | Keyword::Block(_)
            | Keyword::Arg
            | Keyword::Uses
    ) || condition::concerns(word)
}

/// Whether only TASM has this directive.
pub(super) fn is_of_tasm(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::Ideal | Keyword::Masm | Keyword::Locals | Keyword::NoLocals | Keyword::Jumps(_)
    )
}

#[derive(Clone, Copy)]
pub(super) enum Prefix {
    Lock,
    Repeat(RepeatPrefix),
    Segment(Register),
}

pub(super) fn prefix(word: Keyword) -> Option<Prefix> {
    match word {
        Keyword::Lock => Some(Prefix::Lock),
        Keyword::Override(register) => Some(Prefix::Segment(register)),
        Keyword::Rep => Some(Prefix::Repeat(RepeatPrefix::Rep)),
        Keyword::RepEqual => Some(Prefix::Repeat(RepeatPrefix::Repe)),
        Keyword::RepNotEqual => Some(Prefix::Repeat(RepeatPrefix::Repne)),
        _ => None,
    }
}
