//! Names: each identifier, whatever its case, becomes a small number once; what it means is then an array access.

use crate::select;
use iced_x86::Register;

/// A name's number.
pub(crate) type NameId = u32;

/// Stands for "none" wherever an index is kept in 32 bits.
pub(crate) const NONE: u32 = u32::MAX;

/// What is known of a name, whoever defined it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameInfo {
    /// The register of this name, or `Register::None`.
    pub(crate) register: Register,
    /// Whether the processor has an instruction of this name.
    pub(crate) mnemonic: bool,
    /// Whether that instruction takes a code address.
    pub(crate) branch: bool,
    /// Whether the bundled macro library defines it, so that its use calls the library in.
    pub(crate) library: bool,
    /// The macro of this name, or `NONE`.
    pub(crate) body: u32,
    /// The text this name stands for, or `NONE`.
    pub(crate) text: u32,
    /// The symbol of this name, or `NONE`.
    pub(crate) symbol: u32,
    /// The structure of this name, or `NONE`.
    pub(crate) structure: u32,
}

struct Entry {
    start: u32,
    length: u32,
    hash: u32,
}

/// The table of all names; the keywords come first, so that a small number is a keyword.
pub(crate) struct Names {
    text: String,
    entries: Vec<Entry>,
    infos: Vec<NameInfo>,
    slots: Vec<u32>,
}

impl Names {
    pub(crate) fn new() -> Names {
        let mut names = Names {
            text: String::with_capacity(1 << 13),
            entries: Vec::with_capacity(1 << 10),
            infos: Vec::with_capacity(1 << 10),
            slots: vec![NONE; 1 << 11],
        };
        for (text, _) in KEYWORDS {
            names.intern(text);
        }
        names
    }

    /// The number of `name`, which it gets now if it is new.
    pub(crate) fn intern(&mut self, name: &str) -> NameId {
        let hash = hash(name);
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            let id = self.slots[slot];
            if id == NONE {
                break;
            }
            let entry = &self.entries[id as usize];
            if entry.hash == hash && self.text_of(entry).eq_ignore_ascii_case(name) {
                return id;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.add(name, hash, slot)
    }

    /// The name in lower case.
    pub(crate) fn text(&self, id: NameId) -> &str {
        self.text_of(&self.entries[id as usize])
    }

    pub(crate) fn info(&self, id: NameId) -> &NameInfo {
        &self.infos[id as usize]
    }

    pub(crate) fn info_mut(&mut self, id: NameId) -> &mut NameInfo {
        &mut self.infos[id as usize]
    }

    fn text_of(&self, entry: &Entry) -> &str {
        &self.text[entry.start as usize..(entry.start + entry.length) as usize]
    }

    fn add(&mut self, name: &str, hash: u32, slot: usize) -> NameId {
        let id = self.entries.len() as u32;
        let start = self.text.len();
        self.text.push_str(name);
        self.text[start..].make_ascii_lowercase();
        let lower = &self.text[start..];
        let mnemonic = select::is_mnemonic(lower);
        self.infos.push(NameInfo {
            register: select::register(lower).unwrap_or(Register::None),
            mnemonic,
            branch: mnemonic && (lower.starts_with('j') || lower.starts_with("loop") || lower == "call"),
            library: false,
            body: NONE,
            text: NONE,
            symbol: NONE,
            structure: NONE,
        });
        self.entries.push(Entry {
            start: start as u32,
            length: name.len() as u32,
            hash,
        });
        self.slots[slot] = id;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, NONE);
        for (id, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id as u32;
        }
    }
}

/// The closest of `candidates` to `name`, if one is close enough to be what was meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > allowed || candidate.len() > 64 {
            continue;
        }
        let distance = distance(name.as_bytes(), candidate.as_bytes());
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one name to the other.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let width = to.len() + 1;
    let mut rows = vec![0usize; width * (from.len() + 1)];
    for (column, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = column;
    }
    for (row, &left) in from.iter().enumerate() {
        rows[(row + 1) * width] = row + 1;
        for (column, &right) in to.iter().enumerate() {
            let differs = usize::from(!left.eq_ignore_ascii_case(&right));
            let mut least = (rows[row * width + column] + differs)
                .min(rows[row * width + column + 1] + 1)
                .min(rows[(row + 1) * width + column] + 1);
            if row > 0
                && column > 0
                && left.eq_ignore_ascii_case(&to[column - 1])
                && from[row - 1].eq_ignore_ascii_case(&right)
            {
                least = least.min(rows[(row - 1) * width + column - 1] + 1);
            }
            rows[(row + 1) * width + column + 1] = least;
        }
    }
    rows[rows.len() - 1]
}

fn hash(name: &str) -> u32 {
    let mut hash: u32 = 0;
    for byte in name.bytes() {
        hash = (hash.rotate_left(5) ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x9E37_79B1);
    }
    hash ^ (hash >> 15)
}

/// A word the assembler itself gives a meaning to. Several spellings may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
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
    Label,
    Proc,
    EndProc,
    Public,
    Extern,
    Structure,
    Union,
    Record,
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
    Stack,
    Org,
    Align,
    Even,
    End,
    // Macros, repeats, conditions.
    Macro,
    EndMacro,
    ExitMacro,
    Purge,
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
    Tolerated,
    Unsupported,
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

/// When an `.err...` directive is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorTest {
    Zero,
    NonZero,
    Defined,
    NotDefined,
    Blank,
    NotBlank,
    Identical,
    Different,
}

/// The keyword a name is, if it is one.
pub(crate) fn keyword(id: NameId) -> Option<Keyword> {
    KEYWORDS.get(id as usize).map(|&(_, keyword)| keyword)
}

/// Every keyword with its spelling; a name's number is its place here.
static KEYWORDS: &[(&str, Keyword)] = &[
    ("ptr", Keyword::Ptr),
    ("offset", Keyword::Offset),
    ("seg", Keyword::Seg),
    ("type", Keyword::Type),
    ("this", Keyword::This),
    ("size", Keyword::Size),
    ("sizeof", Keyword::Size),
    ("length", Keyword::Length),
    ("lengthof", Keyword::Length),
    ("high", Keyword::High),
    ("low", Keyword::Low),
    ("highword", Keyword::HighWord),
    ("lowword", Keyword::LowWord),
    ("short", Keyword::Short),
    ("near", Keyword::Near),
    ("near32", Keyword::Near),
    ("far", Keyword::Far),
    ("far32", Keyword::Far),
    ("mod", Keyword::Mod),
    ("shl", Keyword::Shl),
    ("shr", Keyword::Shr),
    ("eq", Keyword::Equal),
    ("ne", Keyword::NotEqual),
    ("lt", Keyword::Less),
    ("le", Keyword::LessOrEqual),
    ("gt", Keyword::Greater),
    ("ge", Keyword::GreaterOrEqual),
    ("not", Keyword::Not),
    ("and", Keyword::And),
    ("or", Keyword::Or),
    ("xor", Keyword::Xor),
    ("dup", Keyword::Dup),
    ("byte", Keyword::TypeOfSize(1)),
    ("sbyte", Keyword::TypeOfSize(1)),
    ("word", Keyword::TypeOfSize(2)),
    ("sword", Keyword::TypeOfSize(2)),
    ("dword", Keyword::TypeOfSize(4)),
    ("sdword", Keyword::TypeOfSize(4)),
    ("real4", Keyword::TypeOfSize(4)),
    ("fword", Keyword::TypeOfSize(6)),
    ("pword", Keyword::TypeOfSize(6)),
    ("qword", Keyword::TypeOfSize(8)),
    ("real8", Keyword::TypeOfSize(8)),
    ("tbyte", Keyword::TypeOfSize(10)),
    ("real10", Keyword::TypeOfSize(10)),
    ("db", Keyword::Define(1)),
    ("dw", Keyword::Define(2)),
    ("dd", Keyword::Define(4)),
    ("df", Keyword::Define(6)),
    ("dp", Keyword::Define(6)),
    ("dq", Keyword::Define(8)),
    ("dt", Keyword::Define(10)),
    ("equ", Keyword::Equ),
    ("textequ", Keyword::TextEqu),
    ("catstr", Keyword::TextEqu),
    ("label", Keyword::Label),
    ("proc", Keyword::Proc),
    ("endp", Keyword::EndProc),
    ("public", Keyword::Public),
    ("publicdll", Keyword::Public),
    ("extrn", Keyword::Extern),
    ("extern", Keyword::Extern),
    ("externdef", Keyword::Extern),
    ("global", Keyword::Extern),
    ("struc", Keyword::Structure),
    ("struct", Keyword::Structure),
    ("union", Keyword::Union),
    ("record", Keyword::Record),
    ("local", Keyword::Local),
    ("arg", Keyword::Arg),
    ("uses", Keyword::Uses),
    ("segment", Keyword::Segment),
    ("ends", Keyword::Ends),
    ("group", Keyword::Group),
    ("assume", Keyword::Assume),
    (".model", Keyword::Model),
    ("model", Keyword::Model),
    (".code", Keyword::Code),
    ("codeseg", Keyword::Code),
    (".data", Keyword::Data),
    ("dataseg", Keyword::Data),
    (".fardata", Keyword::Data),
    (".data?", Keyword::DataUninitialised),
    ("udataseg", Keyword::DataUninitialised),
    (".const", Keyword::Const),
    ("const", Keyword::Const),
    (".stack", Keyword::Stack),
    ("stack", Keyword::Stack),
    ("org", Keyword::Org),
    ("align", Keyword::Align),
    ("even", Keyword::Even),
    ("evendata", Keyword::Even),
    ("end", Keyword::End),
    ("macro", Keyword::Macro),
    ("endm", Keyword::EndMacro),
    ("exitm", Keyword::ExitMacro),
    ("purge", Keyword::Purge),
    ("rept", Keyword::Repeat),
    ("repeat", Keyword::Repeat),
    ("irp", Keyword::For),
    ("for", Keyword::For),
    ("irpc", Keyword::ForCharacter),
    ("forc", Keyword::ForCharacter),
    ("while", Keyword::While),
    ("if", Keyword::If),
    ("ife", Keyword::IfNot),
    ("ifdef", Keyword::IfDefined),
    ("ifndef", Keyword::IfNotDefined),
    ("ifb", Keyword::IfBlank),
    ("ifnb", Keyword::IfNotBlank),
    ("ifidn", Keyword::IfIdentical),
    ("ifidni", Keyword::IfIdenticalAnyCase),
    ("ifdif", Keyword::IfDifferent),
    ("ifdifi", Keyword::IfDifferentAnyCase),
    ("if1", Keyword::IfFirstPass),
    ("if2", Keyword::IfSecondPass),
    ("else", Keyword::Else),
    ("elseif", Keyword::ElseIf),
    ("elseife", Keyword::ElseIfNot),
    ("elseifdef", Keyword::ElseIfDefined),
    ("elseifndef", Keyword::ElseIfNotDefined),
    ("elseifb", Keyword::ElseIfBlank),
    ("elseifnb", Keyword::ElseIfNotBlank),
    ("elseifidn", Keyword::ElseIfIdentical),
    ("elseifidni", Keyword::ElseIfIdenticalAnyCase),
    ("elseifdif", Keyword::ElseIfDifferent),
    ("elseifdifi", Keyword::ElseIfDifferentAnyCase),
    ("endif", Keyword::EndIf),
    ("include", Keyword::Include),
    ("comment", Keyword::Comment),
    ("echo", Keyword::Echo),
    ("%out", Keyword::Echo),
    ("display", Keyword::Echo),
    (".err", Keyword::Error),
    ("err", Keyword::Error),
    (".erre", Keyword::ErrorIf(ErrorTest::Zero)),
    (".errnz", Keyword::ErrorIf(ErrorTest::NonZero)),
    (".errdef", Keyword::ErrorIf(ErrorTest::Defined)),
    (".errndef", Keyword::ErrorIf(ErrorTest::NotDefined)),
    (".errb", Keyword::ErrorIf(ErrorTest::Blank)),
    (".errnb", Keyword::ErrorIf(ErrorTest::NotBlank)),
    (".erridn", Keyword::ErrorIf(ErrorTest::Identical)),
    (".errdif", Keyword::ErrorIf(ErrorTest::Different)),
    (".radix", Keyword::Radix),
    ("locals", Keyword::Locals),
    ("nolocals", Keyword::NoLocals),
    ("ideal", Keyword::Ideal),
    ("masm", Keyword::Tolerated),
    ("quirks", Keyword::Tolerated),
    ("smart", Keyword::Tolerated),
    ("nosmart", Keyword::Tolerated),
    ("jumps", Keyword::Tolerated),
    ("nojumps", Keyword::Tolerated),
    ("warn", Keyword::Tolerated),
    ("nowarn", Keyword::Tolerated),
    ("multerrs", Keyword::Tolerated),
    ("nomulterrs", Keyword::Tolerated),
    ("option", Keyword::Tolerated),
    ("title", Keyword::Tolerated),
    ("subttl", Keyword::Tolerated),
    ("subtitle", Keyword::Tolerated),
    ("page", Keyword::Tolerated),
    ("name", Keyword::Tolerated),
    ("includelib", Keyword::Tolerated),
    (".list", Keyword::Tolerated),
    (".nolist", Keyword::Tolerated),
    (".xlist", Keyword::Tolerated),
    (".listall", Keyword::Tolerated),
    (".listif", Keyword::Tolerated),
    (".listmacro", Keyword::Tolerated),
    (".listmacroall", Keyword::Tolerated),
    (".nolistif", Keyword::Tolerated),
    (".nolistmacro", Keyword::Tolerated),
    (".lall", Keyword::Tolerated),
    (".sall", Keyword::Tolerated),
    (".xall", Keyword::Tolerated),
    (".lfcond", Keyword::Tolerated),
    (".sfcond", Keyword::Tolerated),
    (".tfcond", Keyword::Tolerated),
    (".cref", Keyword::Tolerated),
    (".xcref", Keyword::Tolerated),
    (".nocref", Keyword::Tolerated),
    (".seq", Keyword::Tolerated),
    (".alpha", Keyword::Tolerated),
    (".dosseg", Keyword::Tolerated),
    ("dosseg", Keyword::Tolerated),
    (".386", Keyword::Tolerated),
    (".386p", Keyword::Tolerated),
    (".386c", Keyword::Tolerated),
    (".387", Keyword::Tolerated),
    (".486", Keyword::Tolerated),
    (".486p", Keyword::Tolerated),
    (".486c", Keyword::Tolerated),
    (".487", Keyword::Tolerated),
    (".586", Keyword::Tolerated),
    (".586p", Keyword::Tolerated),
    (".587", Keyword::Tolerated),
    (".686", Keyword::Tolerated),
    (".686p", Keyword::Tolerated),
    (".mmx", Keyword::Tolerated),
    (".8086", Keyword::Tolerated),
    (".8087", Keyword::Tolerated),
    (".186", Keyword::Tolerated),
    (".286", Keyword::Tolerated),
    (".286p", Keyword::Tolerated),
    (".286c", Keyword::Tolerated),
    (".287", Keyword::Tolerated),
    (".p386", Keyword::Tolerated),
    (".p486", Keyword::Tolerated),
    (".p586", Keyword::Tolerated),
    ("p386", Keyword::Tolerated),
    ("p386n", Keyword::Tolerated),
    ("p387", Keyword::Tolerated),
    ("p486", Keyword::Tolerated),
    ("p486n", Keyword::Tolerated),
    ("p487", Keyword::Tolerated),
    ("p586", Keyword::Tolerated),
    ("p586n", Keyword::Tolerated),
    ("p587", Keyword::Tolerated),
    ("invoke", Keyword::Unsupported),
    ("proto", Keyword::Unsupported),
    (".if", Keyword::Unsupported),
    (".elseif", Keyword::Unsupported),
    (".else", Keyword::Unsupported),
    (".endif", Keyword::Unsupported),
    (".while", Keyword::Unsupported),
    (".endw", Keyword::Unsupported),
    (".repeat", Keyword::Unsupported),
    (".until", Keyword::Unsupported),
    (".untilcxz", Keyword::Unsupported),
    (".break", Keyword::Unsupported),
    (".continue", Keyword::Unsupported),
    (".startup", Keyword::Unsupported),
    (".exit", Keyword::Unsupported),
    ("typedef", Keyword::Unsupported),
    ("incbin", Keyword::Unsupported),
    ("goto", Keyword::Unsupported),
    ("pushstate", Keyword::Unsupported),
    ("popstate", Keyword::Unsupported),
    (".pushsegment", Keyword::PushSegment),
    (".popsegment", Keyword::PopSegment),
    (".calibration", Keyword::Calibration),
    (".endcalibration", Keyword::EndCalibration),
    ("lock", Keyword::Lock),
    ("rep", Keyword::Rep),
    ("repe", Keyword::RepEqual),
    ("repz", Keyword::RepEqual),
    ("repne", Keyword::RepNotEqual),
    ("repnz", Keyword::RepNotEqual),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_by_letters_not_by_case() {
        let mut names = Names::new();
        let first = names.intern("StartTSC");
        assert_eq!(names.intern("STARTTSC"), first);
        assert_ne!(names.intern("StartTSD"), first);
        assert_eq!(names.text(first), "starttsc");
        let many: Vec<NameId> = (0..5000).map(|n| names.intern(&format!("n{n}"))).collect();
        assert_eq!(names.intern("N4711"), many[4711]);
    }

    #[test]
    fn each_keyword_has_its_own_number() {
        let mut names = Names::new();
        for (place, (text, _)) in KEYWORDS.iter().enumerate() {
            assert_eq!(names.intern(text) as usize, place, "{text} stands twice in the table");
        }
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("conter", ["counter", "other"].into_iter()), Some("counter"));
        assert_eq!(nearest("mvo", ["mov", "movsx"].into_iter()), Some("mov"));
        assert_eq!(nearest("q", ["s", "e"].into_iter()), None);
    }
}
