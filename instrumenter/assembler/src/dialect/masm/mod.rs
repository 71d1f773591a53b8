//! MASM, and TASM with its IDEAL mode.

mod argument;
mod bare_com;
mod block;
mod block_condition;
mod condition;
mod data;
mod directive;
mod equate;
mod escape;
mod expression;
mod extended;
mod external;
mod field;
mod function;
mod generated;
mod heading;
mod instruction;
mod invoke;
mod keyword;
mod labels;
mod later;
mod lenient;
mod line;
mod macros;
mod method;
mod model;
mod named_type;
mod next_generated;
mod numbered;
mod object;
mod operator;
mod option;
mod parameter;
mod procedure;
mod pushed;
mod record;
mod reserved;
mod roles;
mod segment;
mod signs;
mod statement;
mod structure;
mod substitute;
pub(super) mod wording;

use super::inline;
use super::nasm;
use super::pasted::pasted;
use super::{Dialect, Parsed, Substitution};
use crate::diag::{Fault, Span, fault};
use crate::expand::{Expander, Syntax};
use crate::expression::{Location, Type};
use crate::lex::{Cursor, Line, Notation, Token, lex};
use crate::module::Decoration;
use crate::names::{NONE, NameId};
use crate::operand::CodeSize;
use crate::program::{Definition, Program};
use crate::session::Session;
use crate::statement::{Convention, FrameCode, Named, RealFormat, SegmentNames};
use block::OpenBlock;
use expression::constant;
use generated::Generated;
use instruction::Prefixes;
use keyword::{Keyword, Processor};
use labels::Labels;
use object::Object;
use procedure::Prototype;
use reserved::keyword;
use std::collections::{HashMap, VecDeque};

/// The most text macros in an expression that becomes part of a text.
const MOST_TEXTS: usize = 32;

/// MASM, which reads TASM's sources as well.
pub(super) static MASM: Dialect = masm();

/// The same for lines that `pasted` has made, in whose names dots are letters.
static OF_COMPILERS: Dialect = Dialect {
    tokens: |modes, names, text, tokens| lex(text, &COMPILERS, modes.of::<Modes>().radix, names, tokens),
    syntax: Syntax {
        continues: |_, _, _| None,
        ..SYNTAX
    },
    pasted: |_, _, _| None,
    ..masm()
};

const SYNTAX: Syntax = Syntax {
    continues: line::continued,
    body_word: line::body_word,
    first_text: line::first_text,
};

const fn masm() -> Dialect {
    Dialect {
        modes: |names| {
            reserved::reserve(names);
            super::Modes::new(Modes::default())
        },
        segments: SegmentNames {
            code: "_TEXT",
            data: "_DATA",
            uninitialised: "_BSS",
            constants: "CONST",
            far: "FAR_DATA",
            stack: "STACK",
            group: "DGROUP",
            current: Some("@curseg"),
        },
        other: |text| nasm::of_text(text, signs::SIGNS),
        perhaps: |text| nasm::perhaps_of_text(text, signs::SIGNS),
        predefine,
        tokens: |modes, names, text, tokens| lex(text, &NOTATION, modes.of::<Modes>().radix, names, tokens),
        syntax: SYNTAX,
        substitute,
        commented: line::commented,
        has_more: |modes| !modes.of::<Modes>().generated.is_empty(),
        abandon_line: |modes| modes.of_mut::<Modes>().generated.clear(),
        skipped: |parser, line, tokens| condition::skipped(&mut parser.typed(), line, tokens),
        signs: signs::SIGNS,
        pasted: |text, among, reach| {
            let mut read = |text: &str| {
                pasted(text, among, signs::SIGNS, reach, |names, word| {
                    keyword(names.intern(word)).is_some()
                })
            };
            let read = match inline::read(text) {
                Some(inline) => inline.lines(&mut read),
                None => read(text).or_else(|| nasm::fragment::read(text, signs::SIGNS))?,
            };
            let dialect = if read.of_compilers { &OF_COMPILERS } else { &MASM };
            Some((read, dialect))
        },
        body: macros::body,
        number: |parser, text, span| number_in(&mut parser.typed(), text, span),
        defined_name: line::defined_name,
        close,
        wording: wording::wording,
        ..Dialect::new("masm", statement)
    }
}

/// The comment mark, and the words that begin with a mark.
const NOTATION: Notation = Notation {
    comment: b';',
    dotted: true,
    words: &["%out"],
    compilers: false,
};

/// The same, with the names of compilers.
static COMPILERS: Notation = Notation {
    compilers: true,
    ..NOTATION
};

/// The parser context with these modes.
type Parser<'p> = super::Parser<'p, Modes>;

fn statement<'l>(parser: &mut super::Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    statement::statement(&mut parser.typed(), cursor)
}

fn substitute(parser: &mut super::Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    substitute::substitute(&mut parser.typed(), line, tokens)
}

/// The modes that previous lines have set.
struct Modes {
    radix: u32,
    /// Whether a number was told of whose last letter is a digit of the radix.
    warned_of_suffix: bool,
    /// Whether TASM's IDEAL mode is on, in which directives precede the names they define.
    ideal: bool,
    /// Whether `@@name` belongs to the label before it.
    scoped_locals: bool,
    /// The two characters with which such a name begins.
    local_prefix: [u8; 2],
    labels: Labels,
    /// States saved by `pushstate`: the radix, whether `@@` labels are local, whether IDEAL mode is on.
    saved: Vec<(u32, bool, bool)>,
    /// Whether branches that are always short become longer if they have to.
    jumps: bool,
    /// The code at the start of procedures, and at their returns.
    frame_code: [FrameCode; 2],
    /// The instructions that a source gives other names, by these names.
    renamed: HashMap<NameId, NameId>,
    /// Whether labels in procedures are known outside them.
    unscoped: bool,
    /// Whether blanks always separate the arguments of macros.
    old_macros: bool,
    /// The segment and the address after a branch that skips a near jump, as `jz $+5` does.
    skips: Option<(u32, u32)>,
    /// The number of brackets around what is being read.
    brackets: u32,
    /// Whether decimal numbers of the data being read are packed, two digits in a byte.
    packed: bool,
    /// Whether the source has what only TASM takes.
    of_tasm: bool,
    /// The format of real numbers: `.msfloat` asks for Microsoft's.
    reals: RealFormat,
    /// The radix and the size of segments that `pushcontext` saved.
    contexts: Vec<(u32, bool)>,
    /// The types of what general registers are assumed to point to, by the number of the register.
    pointed: [Option<Type>; 8],
    /// The structures that types point to, by the names of the types.
    pointers: HashMap<NameId, u32>,
    /// TASM's objects with methods, by their names.
    objects: HashMap<NameId, Object>,
    /// The name of the object that was declared last.
    object: NameId,
    /// TASM's types of procedures, and whether they are far.
    procedure_types: HashMap<NameId, bool>,
    /// Whether segments have 32 bits: a processor with such segments, or the flat model, was named.
    wide: bool,
    /// Whether an origin was examined that may begin a COM program: the first one decides.
    origin_seen: bool,
    /// Whether only a processor made them so.
    by_processor: bool,
    /// Whether `.model` named a model with 16-bit segments: processors named later do not change the size of segments.
    has_model: bool,
    /// The bits of the processor that the source names.
    processor_bits: Option<u32>,
    /// Whether procedures of that model are far by default.
    far_code: bool,
    /// Whether pointers to data of that model include a segment.
    far_data: bool,
    /// The calling convention that `.model` named.
    convention: Convention,
    /// How objects write names of its language.
    decoration: Decoration,
    /// The number of its language, 0 without one.
    interface: usize,
    /// The processor named last, the 8086 at the start.
    processor: Processor,
    /// Whether the source names one.
    named_processor: bool,
    /// The processor whose coprocessor is meant.
    coprocessor: Processor,
    /// Whether a warning has said that an instruction is not one of the 8086.
    told_of_later: bool,
    prototypes: HashMap<NameId, Prototype>,
    blocks: Vec<OpenBlock>,
    /// Prefixes on a separate line.
    prefixes: Option<Prefixes>,
    /// Generated statements, returned before the rest of the line.
    generated: VecDeque<Generated>,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes {
            radix: 10,
            warned_of_suffix: false,
            ideal: false,
            scoped_locals: false,
            local_prefix: *b"@@",
            labels: Labels::default(),
            saved: Vec::new(),
            jumps: false,
            frame_code: [FrameCode::Usual; 2],
            renamed: HashMap::new(),
            unscoped: false,
            old_macros: false,
            skips: None,
            brackets: 0,
            packed: false,
            of_tasm: false,
            reals: RealFormat::Ieee,
            pointed: [None; 8],
            pointers: HashMap::new(),
            contexts: Vec::new(),
            objects: HashMap::new(),
            object: NONE,
            procedure_types: HashMap::new(),
            wide: false,
            origin_seen: false,
            by_processor: false,
            has_model: false,
            processor_bits: None,
            far_code: false,
            far_data: false,
            convention: Convention::None,
            decoration: Decoration::None,
            interface: 0,
            processor: Processor::I86,
            named_processor: false,
            coprocessor: Processor::I86,
            told_of_later: false,
            prototypes: HashMap::new(),
            blocks: Vec::new(),
            prefixes: None,
            generated: VecDeque::new(),
        }
    }
}

/// The date and the time are fixed: a program depends on its source alone.
const DATE: &str = "01/01/96";
const TIME: &str = "00:00:00";

fn predefine(session: &mut Session, program: &mut Program, expander: &mut Expander, file: &str) {
    for (name, number) in [
        ("@version", 613),
        ("??version", 0x500),
        ("@wordsize", 4),
        ("@model", 7),
        ("??version", 0x500),
        ("@codesize", 0),
        ("@datasize", 0),
        ("@32bit", 1),
    ] {
        program.symbols.set_number(session, name, number);
    }
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let file = file
        .split_once('.')
        .map_or(file, |(stem, _)| stem)
        .replace(['\'', '<', '>'], "_");
    for (name, text) in [
        ("@code", "_TEXT".to_owned()),
        ("@data", "_DATA".to_owned()),
        ("@curseg", "_TEXT".to_owned()),
        ("@stack", "DGROUP".to_owned()),
        ("@fardata", "FAR_DATA".to_owned()),
        ("@fardata?", "FAR_BSS".to_owned()),
        ("@date", DATE.to_owned()),
        ("@time", TIME.to_owned()),
        ("??date", format!("'{DATE}'")),
        ("??time", format!("'{TIME}'")),
        // TASM fills the name up, as DOS does in its directories.
        ("??filename", format!("'{file:8.8}'")),
        ("@filename", file),
    ] {
        let id = session.names.intern(name);
        expander.set_text(session, id, text);
    }
    for name in function::BUILT_IN.into_iter().chain(substitute::PLACES) {
        let id = session.names.intern(name);
        session.names.info_mut(id).function = true;
    }
}

/// Reports constructs that are still open after the last line.
fn close(session: &mut Session, program: &mut Program, modes: &mut super::Modes) {
    let modes = modes.of_mut::<Modes>();
    while let Some(open) = modes.blocks.pop() {
        session.report(open.never_closed());
        let here = program.layout.location();
        for label in open.missing_labels() {
            let name = session.names.intern(label);
            if let Err(problem) = program.symbols.define_label(session, open.named(name), here, 0) {
                session.report(problem);
            }
        }
    }
    // A label that no scope of its own defines may be one of its procedure, if only one is.
    for (name, others) in modes.labels.shared() {
        if location_of(session, program, name).is_some() {
            continue;
        }
        let mut defined = others.iter().filter_map(|&other| location_of(session, program, other));
        if let (Some(location), None) = (defined.next(), defined.next()) {
            let spelled = session.names.spelling(name).to_owned();
            let named = Named {
                name,
                spelled: &spelled,
                span: Span::default(),
            };
            if let Err(problem) = program.symbols.define_label(session, named, location, 0) {
                session.report(problem);
            }
        }
    }
    if let Some(prefixes) = modes.prefixes.take() {
        session.report(fault(prefixes.span, "expected an instruction after the prefix"));
    }
}

/// The location of a label.
fn location_of(session: &Session, program: &Program, name: NameId) -> Option<Location> {
    match program.symbols.get(session.names.info(name).symbol)?.definition {
        Definition::Address(location) => Some(location),
        _ => None,
    }
}

/// The numeric value of an expression in separate text.
fn number_in(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<i64, Fault> {
    let mut line = Line::within(span, text);
    let mut tokens = Vec::new();
    parser.lex(&line.text, &mut tokens);
    for _ in 0..MOST_TEXTS {
        let Some(pasted) = substitute::in_expression(parser, &line, &tokens) else {
            break;
        };
        parser.session.count_text(pasted.text.len(), span)?;
        line = pasted;
        parser.lex(&line.text, &mut tokens);
    }
    let mut cursor = Cursor::new(&line, &tokens);
    let number = constant(parser, &mut cursor)?;
    if !cursor.done() {
        return Err(fault(span, format!("`{text}` is not a number")));
    }
    Ok(number)
}

impl Parser<'_> {
    fn is_narrow(&self) -> bool {
        self.program.layout.current_size() == CodeSize::Bits16
    }

    /// The size of a word on the stack, in bytes.
    fn word(&self) -> u8 {
        if self.is_narrow() { 2 } else { 4 }
    }

    /// The size of a pointer in bytes; in 16-bit code it includes a segment if it is `far`.
    fn pointer(&self, far: bool) -> u8 {
        if self.is_narrow() && !far { 2 } else { 4 }
    }

    /// The type of a procedure in the current memory model.
    fn code(&self) -> Type {
        if self.modes.far_code { Type::Far } else { Type::Near }
    }

    /// The type that a keyword names.
    fn type_of(&self, word: Keyword) -> Option<Type> {
        match word {
            Keyword::PointerType(data) => {
                let far = if data { self.modes.far_data } else { self.modes.far_code };
                Some(Type::Bytes(self.pointer(far)))
            }
            Keyword::Proc => Some(self.code()),
            _ => operator::type_of(word),
        }
    }

    /// The type of a record's values: an integer as wide as the record.
    fn record_type(&self, name: NameId) -> Option<Type> {
        let record = self.program.structures.records.get(&name)?;
        Some(Type::Bytes(record.bytes()))
    }

    /// The type of the procedures that a name stands for.
    fn procedure_type(&self, name: NameId) -> Option<Type> {
        let far = self.modes.procedure_types.get(&name)?;
        Some(if *far { Type::Far } else { Type::Near })
    }

    fn lex(&mut self, text: &str, tokens: &mut Vec<Token>) {
        lex(text, &NOTATION, self.modes.radix, &mut self.session.names, tokens);
    }
}

fn keyword_at(cursor: &Cursor<'_>) -> Option<Keyword> {
    cursor.peek_name().and_then(keyword)
}
