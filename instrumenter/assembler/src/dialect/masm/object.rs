//! TASM's objects: structures with a table of methods, and tables.
//!
//! They become lines that any TASM source could have instead: a structure with a pointer to the table of virtual
//! methods, and the table as data.

use super::data::count_in_brackets;
use super::expression::{constant, expression};
use super::generated::{generate_instruction, later};
use super::invoke::procedure_type;
use super::keyword::Declares;
use super::named_type::named_type;
use super::next_generated::next_generated;
use super::{Keyword, Parser, keyword};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::expression::Type;
use crate::lex::{Cursor, Kind};
use crate::names::{NONE, NameId};
use crate::session::ALLOCATION;
use crate::statement::{Named, Statement};
use std::rc::Rc;

/// The most methods of an object, with those that it inherits, and the most members of a table.
const MOST_METHODS: usize = 1000;

#[derive(Clone)]
pub(super) struct Method {
    pub(super) name: NameId,
    pub(super) spelled: Rc<str>,
    span: Span,
    /// Whether calls go through the table.
    pub(super) through_table: bool,
    /// The bytes of a pointer to it.
    pub(super) size: u8,
    count: u32,
    /// What it is unless an object says otherwise: a procedure, or another value.
    pub(super) value: Option<Rc<str>>,
}

#[derive(Clone, Default)]
pub(super) struct Object {
    pub(super) spelled: String,
    /// Those of its parent too, which it shares until it changes them.
    pub(super) methods: Rc<Vec<Method>>,
    /// The field that points to the table, and its size; empty without virtual methods.
    pointer: String,
    pub(super) pointer_size: u8,
}

impl Object {
    /// The place of a virtual method in the table.
    pub(super) fn place(&self, name: NameId) -> u32 {
        let before = self.methods.iter().take_while(|method| method.name != name);
        let sizes = before
            .filter(|method| method.through_table)
            .map(|method| u32::from(method.size).saturating_mul(method.count));
        sizes.fold(0, u32::saturating_add)
    }

    /// The approximate memory that it takes in bytes, with its methods unless it shares them.
    fn bytes(&self) -> usize {
        let methods = match Rc::strong_count(&self.methods) {
            1 => self.methods.capacity() * size_of::<Method>() + ALLOCATION,
            _ => 0,
        };
        size_of::<(NameId, Object)>() + self.spelled.len() + self.pointer.len() + 2 * ALLOCATION + methods
    }

    fn has_table(&self) -> bool {
        self.methods.iter().any(|method| method.through_table)
    }
}

impl Method {
    /// The approximate memory of its texts in bytes.
    fn bytes(&self) -> usize {
        let value = self.value.as_ref().map_or(0, |value| value.len() + ALLOCATION);
        self.spelled.len() + ALLOCATION + value
    }

    /// The directive that defines its pointers in a table.
    fn data(&self) -> String {
        let value = self.value.as_deref().unwrap_or("?");
        match self.count {
            1 => format!("{} {value}", defined(self.size)),
            count => format!("{} {count}t DUP ({value})", defined(self.size)),
        }
    }
}

/// Whether an object may follow this word of TASM.
pub(super) fn names_object(text: &str) -> bool {
    matches!(text, "tblinst" | "tblinit")
}

/// TASM's directives for objects, whose words are names elsewhere.
pub(super) fn of_objects<'l>(parser: &mut Parser<'_>, named: Named<'l>, cursor: &mut Cursor<'l>) -> Option<Parsed<'l>> {
    let span = named.span;
    let second = cursor
        .peek()
        .map_or("", |token| cursor.text(token))
        .to_ascii_lowercase();
    match (parser.session.names.text(named.name), second.as_str()) {
        ("tblptr", "") => Some(table_pointer(parser, span).map(|()| None)),
        ("tblinst", _) => Some(table_instance(parser, cursor, span).map(Some)),
        ("tblinit", _) if !cursor.done() => {
            let made = table_initialise(parser, cursor, span);
            later(parser, made);
            Some(next_generated(parser).transpose())
        }
        (_, "table") => {
            cursor.at += 1;
            Some(table(parser, named.spelled, cursor, span).map(Some))
        }
        (_, "proctype") => {
            cursor.at += 1;
            Some(procedure_type(parser, named.name, cursor))
        }
        ("table" | "proctype", _) => {
            let (behind, token) = cursor.name()?;
            if parser.session.names.text(named.name) == "table" {
                return Some(table(parser, cursor.text(token), cursor, span).map(Some));
            }
            Some(procedure_type(parser, behind, cursor))
        }
        _ => None,
    }
}

/// Whether the rest of a line has methods, and the words before them.
pub(super) fn has_methods(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    rest.iter()
        .take(6)
        .any(|&token| matches!(token.kind, Kind::Name(_)) && cursor.text(token).eq_ignore_ascii_case("method"))
}

/// Parses `name struc near parent method { methods }` from the word after the name. `shared` is whether `global`
/// declares the object.
pub(super) fn object<'l>(
    parser: &mut Parser<'_>,
    (name, spelled): (NameId, &str),
    cursor: &mut Cursor<'l>,
    mut shared: bool,
    span: Span,
) -> Result<Statement<'l>, Fault> {
    let mut object = Object {
        spelled: spelled.to_owned(),
        ..Object::default()
    };
    let mut parent = String::new();
    let mut far = parser.modes.far_data;
    while let Some((word, token)) = cursor.name() {
        if cursor.text(token).eq_ignore_ascii_case("method") {
            break;
        }
        match keyword(word) {
            Some(Keyword::Near(_)) => far = false,
            Some(Keyword::Far(_)) => far = true,
            Some(Keyword::Extern(Declares::Shared)) => shared = true,
            _ => {
                let Some(base) = parser.modes.objects.get(&word).cloned() else {
                    let text = cursor.text(token);
                    let problem = fault(cursor.span(token), format!("`{text}` is no object with methods"));
                    return Err(problem.undefined(text));
                };
                parent.clone_from(&base.spelled);
                object = Object {
                    spelled: spelled.to_owned(),
                    ..base
                };
            }
        }
    }
    let new = methods(parser, cursor)?;
    let texts: usize = new.iter().map(Method::bytes).sum();
    if !new.is_empty() {
        Rc::make_mut(&mut object.methods).reserve_exact(new.len());
    }
    for method in new {
        if method.through_table && !matches!(method.size, 2 | 4 | 6) {
            let message = format!(
                "the type of method `{}` is no pointer that a call takes",
                method.spelled
            );
            let problem = fault(method.span, message);
            let problem = problem.with_help("write `word` or `dword` as its type, or leave the type out");
            later(parser, Err(problem));
        }
        let methods = Rc::make_mut(&mut object.methods);
        // A method of the parent keeps its place.
        if let Some(known) = methods.iter_mut().find(|known| known.name == method.name) {
            let through_table = known.through_table || method.through_table;
            *known = Method {
                through_table,
                ..method
            };
            continue;
        }
        if methods.len() >= MOST_METHODS {
            return Err(fault(span, format!("more than {MOST_METHODS} methods")));
        }
        methods.push(method);
    }
    let mut lines = Vec::new();
    if shared && object.has_table() {
        let size = if parser.is_narrow() { "word" } else { "dword" };
        lines.push(format!("GLOBAL @TableAddr_{spelled}:{size}"));
    }
    for method in object.methods.iter().filter(|_| shared) {
        let Some(procedure) = method.value.as_deref().filter(|value| is_name(value)) else {
            continue;
        };
        let id = parser.session.names.intern(procedure);
        if !parser.program.is_defined(&parser.session.names, id) {
            lines.push(format!("GLOBAL {procedure}:{}", distance(parser, method.size)));
        }
    }
    lines.push(format!("STRUC {spelled} {parent}"));
    if object.has_table() && object.pointer.is_empty() {
        object.pointer = format!("@Mptr_{spelled}");
        object.pointer_size = if far || !parser.is_narrow() { 4 } else { 2 };
        lines.push(format!("{} {} ?", object.pointer, defined(object.pointer_size)));
    }
    parser.session.weigh_object(object.bytes() + texts, span)?;
    parser.modes.objects.insert(name, object);
    parser.modes.object = name;
    Ok(Statement::Lines { lines, times: 1, span })
}

/// `name table members`: a structure of pointers.
fn table<'l>(
    parser: &mut Parser<'_>,
    spelled: &str,
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Result<Statement<'l>, Fault> {
    let mut parent = String::new();
    if let Some(word) = cursor.peek_name()
        && parser.session.names.info(word).structure != NONE
    {
        parser.session.names.spelling(word).clone_into(&mut parent);
        cursor.at += 1;
        cursor.eat(b',');
    }
    let mut lines = vec![format!("STRUC {spelled} {parent}")];
    for method in methods(parser, cursor)? {
        lines.push(format!("{} {}", method.spelled, method.data()));
    }
    lines.push(format!("ENDS {spelled}"));
    Ok(Statement::Lines { lines, times: 1, span })
}

/// The methods of an object or the members of a table: `virtual name[count]:type = value`, apart by commas or not.
fn methods(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Vec<Method>, Fault> {
    let mut all = Vec::new();
    let braces = cursor.eat(b'{');
    while !cursor.done() && !cursor.is(b'}') {
        let mut through_table = false;
        let place = cursor.here();
        if all.len() >= MOST_METHODS {
            return Err(fault(place, format!("more than {MOST_METHODS} methods or members")));
        }
        let Some((mut name, mut token)) = cursor.name() else {
            return Err(fault(place, "expected the name of a method").with_help("write `virtual name:word=procedure`"));
        };
        if cursor.text(token).eq_ignore_ascii_case("virtual")
            && let Some((behind, behind_token)) = cursor.name()
        {
            through_table = true;
            (name, token) = (behind, behind_token);
        }
        let mut count = count_in_brackets(parser, cursor)?;
        let mut size = parser.pointer(parser.modes.far_code);
        if cursor.eat(b':') {
            let place = cursor.here();
            let kind = named_type(parser, cursor);
            size = match kind {
                Some(Type::Bytes(size)) => size,
                Some(Type::Near) => parser.word(),
                Some(Type::Far) => 4,
                _ => return Err(fault(place, "expected the type of a pointer").with_help("write `word` or `dword`")),
            };
            if cursor.eat(b':') {
                count = constant(parser, cursor)?;
            }
        }
        let Some(count) = u32::try_from(count).ok().filter(|count| (1..=0xFFFF).contains(count)) else {
            return Err(fault(place, "a member of a table has 1 to 65535 elements"));
        };
        let mut value = None;
        if cursor.eat(b'=') {
            let start = cursor.offset();
            let first = cursor.at;
            let mark = parser.session.expressions.mark();
            expression(parser, cursor)?;
            parser.session.expressions.forget(mark);
            let last = cursor.tokens.get(cursor.at.max(first + 1) - 1);
            let end = last.map_or(start, |last| last.end as usize);
            value = cursor.line.text.get(start..end).map(Rc::from);
        }
        all.push(Method {
            name,
            spelled: Rc::from(cursor.text(token)),
            span: cursor.span(token),
            through_table,
            size,
            count,
            value,
        });
        // Each line in braces is a member, and needs no comma.
        if !cursor.eat(b',') && !braces {
            break;
        }
    }
    if braces && !cursor.eat(b'}') {
        return Err(fault(cursor.here(), "expected `}` after the methods"));
    }
    cursor.expect_end()?;
    Ok(all)
}

/// `tblptr`: the place of the pointer to the table, which is the first field of its object here.
fn table_pointer(parser: &Parser<'_>, span: Span) -> Result<(), Fault> {
    let object = parser.modes.objects.get(&parser.modes.object);
    let pointer = object.filter(|object| !object.pointer.is_empty());
    match (pointer, &parser.program.structures.open) {
        (Some(object), Some(open)) if open.structure.size <= u32::from(object.pointer_size) => Ok(()),
        (Some(_), Some(_)) => Err(fault(
            span,
            "the pointer to the table of methods is the first field of an object here",
        )
        .with_help("write `tblptr` before the other fields, or leave it out")),
        _ => Err(fault(span, "no object with virtual methods is open")
            .with_help("write it behind `struc name method { ... }`")),
    }
}

/// `tblinst`: the table of the object that was declared last, or of the one that is named.
fn table_instance<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Result<Statement<'l>, Fault> {
    let name = cursor.name().map_or(parser.modes.object, |(name, _)| name);
    cursor.expect_end()?;
    let object = object_named(parser, name, span)?;
    let kind = if parser.is_narrow() { "word" } else { "dword" };
    let mut lines = vec![format!("LABEL @TableAddr_{} {kind}", object.spelled)];
    let through_table = object.methods.iter().filter(|method| method.through_table);
    lines.extend(through_table.map(Method::data));
    Ok(Statement::Lines { lines, times: 1, span })
}

pub(super) fn object_named(parser: &Parser<'_>, name: NameId, span: Span) -> Result<Object, Fault> {
    let known = parser.modes.objects.get(&name).cloned();
    known.ok_or_else(|| {
        let text = if name == NONE {
            ""
        } else {
            parser.session.names.spelling(name)
        };
        fault(span, format!("no object `{text}` was declared")).with_help("write `struc name method { ... }` before it")
    })
}

/// `tblinit object ptr ds:si`: stores the address of the object's table in an object.
fn table_initialise(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    let mut name = parser.modes.object;
    if cursor
        .peek_second()
        .map(|second| second.kind)
        .is_some_and(|second| match second {
            Kind::Name(second) => keyword(second) == Some(Keyword::Ptr),
            _ => false,
        })
        && let Some((object, _)) = cursor.name()
    {
        name = object;
        cursor.at += 1;
    }
    let object = object_named(parser, name, span)?;
    if object.pointer.is_empty() {
        let message = format!("`{}` has no virtual methods and no table", object.spelled);
        return Err(fault(span, message));
    }
    let instance = cursor.take_rest().trim();
    let Object {
        spelled, pointer_size, ..
    } = &object;
    let place = pointer_place(parser, name, &object);
    let size = if parser.is_narrow() { "word" } else { "dword" };
    generate_instruction(
        parser,
        format!("mov [{size} ptr {instance}+{place}t],offset @TableAddr_{spelled}"),
        span,
    );
    if parser.is_narrow() && *pointer_size == 4 {
        let text = format!("mov [word ptr {instance}+{}t],seg @TableAddr_{spelled}", place + 2);
        generate_instruction(parser, text, span);
    }
    Ok(())
}

/// The offset of the pointer to the table in an object.
pub(super) fn pointer_place(parser: &mut Parser<'_>, name: NameId, object: &Object) -> u32 {
    let structure = parser.session.names.info(name).structure;
    let field = parser.session.names.intern(&object.pointer);
    let found = parser
        .program
        .structures
        .get(structure)
        .and_then(|found| found.field(field));
    found.map_or(0, |field| field.offset)
}

fn is_name(text: &str) -> bool {
    text.bytes().all(crate::lex::is_word)
}

fn distance(parser: &Parser<'_>, size: u8) -> &'static str {
    if parser.is_narrow() && size == 4 { "far" } else { "near" }
}

/// The directive that defines a pointer.
fn defined(size: u8) -> &'static str {
    match size {
        1 => "DB",
        2 => "DW",
        6 => "DF",
        8 => "DQ",
        10 => "DT",
        _ => "DD",
    }
}
