//! The values of names, and faults for undefined ones.

use super::known::Way;
use super::{Value, expression_value, paragraph};
use crate::diag::{Fault, Span, fault};
use crate::elsewhere;
use crate::expression::{ExpressionId, NodeKind, Type};
use crate::names::{Made, NONE, NameId};
use crate::program::{Definition, Program, Symbol, refused};
use crate::remedy::Remedy;
use crate::select;
use crate::session::{Open, Session};
use crate::spelling::nearest;
use std::collections::HashSet;

pub(super) fn symbol_value(
    session: &Session,
    program: &Program,
    name: NameId,
    procedure: u32,
    span: Span,
    way: Way<'_, Value>,
) -> Result<Value, Fault> {
    let index = program.symbols.index(&session.names, name, procedure);
    let unresolved = Value {
        volatile: true,
        unresolved: true,
        ..Value::number(0)
    };
    let symbol = program.symbols.get(index);
    if symbol.is_none_or(|symbol| symbol.definition == Definition::Undefined)
        && let Some(frame) = program.layout.frame_named(name)
    {
        return Ok(match program.layout.segmented {
            true => paragraph(program, frame),
            false => program.selector_of(frame.segment()),
        });
    }
    if symbol.is_none_or(|symbol| symbol.definition == Definition::Undefined)
        && let structure = session.names.info(name).structure
        && structure != NONE
    {
        // A structure whose definition had not ended where its name was read.
        let kind = Type::Structure(structure);
        return Ok(Value {
            kind,
            ..Value::number(i64::from(program.structures.size_of(kind)))
        });
    }
    let Some(symbol) = symbol else {
        if program.layout.resolved {
            return Err(unknown(session, program, name, span));
        }
        return Ok(unresolved);
    };
    let info = session.names.info(name);
    let given = info.of_command_line && !info.settled;
    session.note_open(symbol.open);
    if !matches!(symbol.definition, Definition::Number(_) | Definition::Expression(_)) {
        session.note_open(Open::ByAddress);
    } else if given {
        session.note_open(Open::ByOption);
    }
    if symbol.redefinable && matches!(symbol.definition, Definition::Address(_)) {
        return defined_value(session, program, index, span, way);
    }
    match symbol.definition {
        Definition::Number(number) => Ok(Value {
            kind: symbol.kind,
            ..Value::number(number)
        }),
        Definition::Frame(offset, base) => Ok(Value {
            kind: symbol.kind,
            memory: true,
            base,
            symbol: index,
            ..Value::number(offset)
        }),
        Definition::Address(_) if program.layout.resolved && symbol.ambiguous && symbol.owner != procedure => {
            let text = session.names.spelling(name);
            Err(fault(
                span,
                format!("`{text}` is ambiguous: several other procedures define this label"),
            )
            .with_help("make the intended label global"))
        }
        Definition::Address(location) => Ok(Value {
            relocatable: true,
            volatile: true,
            // The name is another procedure's label, which this procedure may still define.
            unresolved: !program.layout.resolved
                && symbol.owner != 0
                && symbol.owner != procedure
                && (procedure != 0 || symbol.ambiguous),
            anchor: (location.segment, location.fragment),
            kind: symbol.kind,
            memory: matches!(symbol.kind, Type::Bytes(_) | Type::Structure(_)),
            symbol: index,
            ..Value::number(i64::from(program.layout.address(location)))
        }),
        Definition::Expression(id) => way.symbol(session, id, |way| expression_value(session, program, id, way)),
        // The linker of the modules adds the symbol's address.
        Definition::External if program.layout.resolved && program.is_module => Ok(elsewhere(symbol, index, 0)),
        Definition::Linked(address) => Ok(elsewhere(symbol, index, address)),
        Definition::Undefined | Definition::External if program.layout.resolved => {
            Err(unknown(session, program, name, span))
        }
        Definition::Undefined | Definition::External => Ok(Value {
            kind: symbol.kind,
            memory: matches!(symbol.kind, Type::Bytes(_)),
            ..unresolved
        }),
    }
}

/// The value of a symbol that the source may define several times.
pub(super) fn defined_value(
    session: &Session,
    program: &Program,
    index: u32,
    span: Span,
    way: Way<'_, Value>,
) -> Result<Value, Fault> {
    let Some(symbol) = program.symbols.get(index) else {
        return Err(refused::forward_reference(span));
    };
    match symbol.definition {
        Definition::Expression(id) => way.symbol(session, id, |way| expression_value(session, program, id, way)),
        Definition::Number(number) => Ok(Value {
            kind: symbol.kind,
            ..Value::number(number)
        }),
        Definition::Address(location) => Ok(Value {
            relocatable: true,
            volatile: true,
            anchor: (location.segment, location.fragment),
            kind: symbol.kind,
            memory: matches!(symbol.kind, Type::Bytes(_) | Type::Structure(_)),
            ..Value::number(i64::from(program.layout.address(location)))
        }),
        _ => Err(refused::forward_reference(span)),
    }
}

/// A symbol that another module defines at `address`.
fn elsewhere(symbol: &Symbol, index: u32, address: u32) -> Value {
    Value {
        relocatable: true,
        volatile: true,
        anchor: (NONE, index),
        kind: symbol.kind,
        memory: matches!(symbol.kind, Type::Bytes(_) | Type::Structure(_)),
        symbol: index,
        ..Value::number(i64::from(address))
    }
}

/// The fault for the first undefined name in an expression.
pub(crate) fn first_unknown(session: &Session, program: &Program, expression: ExpressionId) -> Option<Fault> {
    unknown_below(session, program, expression, &mut HashSet::new())
}

/// The fault for the first undefined name in an expression. `seen` has the expressions of symbols that have none.
fn unknown_below(
    session: &Session,
    program: &Program,
    expression: ExpressionId,
    seen: &mut HashSet<ExpressionId>,
) -> Option<Fault> {
    let node = session.expressions.node(expression);
    match node.kind {
        NodeKind::Symbol(name, procedure) => {
            let symbol = program
                .symbols
                .get(program.symbols.index(&session.names, name, procedure));
            let known = symbol.is_some_and(|symbol| match symbol.definition {
                Definition::Undefined => false,
                Definition::External => program.is_module,
                _ => true,
            });
            match symbol.map(|symbol| symbol.definition) {
                Some(Definition::Expression(id)) => unknown_once(session, program, id, seen),
                _ => (!known).then(|| unknown(session, program, name, node.span)),
            }
        }
        NodeKind::Variable(index) => match program.symbols.get(index)?.definition {
            Definition::Expression(id) => unknown_once(session, program, id, seen),
            _ => None,
        },
        NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => unknown_below(session, program, operand, seen),
        NodeKind::Binary(_, left, right) => {
            unknown_below(session, program, left, seen).or_else(|| unknown_below(session, program, right, seen))
        }
        _ => None,
    }
}

/// The same for the expression of a symbol, which many others may contain.
fn unknown_once(
    session: &Session,
    program: &Program,
    expression: ExpressionId,
    seen: &mut HashSet<ExpressionId>,
) -> Option<Fault> {
    match seen.insert(expression) {
        true => unknown_below(session, program, expression, seen),
        false => None,
    }
}

pub(crate) fn unknown(session: &Session, program: &Program, name: NameId, span: Span) -> Fault {
    let spelled = session.names.spelling(name);
    if session.names.info(name).made == Made::Anonymous {
        return match spelled.starts_with(|first: char| first.is_ascii_digit()) {
            true => fault(span, format!("no label `{spelled}:` in this direction")),
            false => fault(span, "no anonymous label in this direction"),
        };
    }
    if session.names.info(name).made == Made::Local {
        return fault(span, "local name is not defined in this expansion of the macro");
    }
    if program.layout.sections
        && let Some(help) = elsewhere::of_compilers(spelled)
    {
        return fault(span, format!("undefined symbol `{spelled}`"))
            .with_help(Remedy::OfLibrary(help))
            .undefined(spelled);
    }
    let symbol = program.symbols.get(session.names.info(name).symbol);
    if symbol.is_some_and(|symbol| symbol.definition == Definition::External) {
        let usual = "include the file that defines it, or name its object or library after the source";
        return fault(
            span,
            format!("external symbol `{spelled}` is not defined in this program"),
        )
        .with_help(elsewhere::remedy(spelled).unwrap_or(usual))
        .undefined(spelled);
    }
    let message = format!("undefined symbol `{spelled}`");
    if let Some(help) = elsewhere::remedy(spelled) {
        return fault(span, message).with_help(help).undefined(spelled);
    }
    if select::is_foreign_register(spelled) {
        return fault(span, message)
            .with_help("the Pentium has no register of this name")
            .undefined(spelled);
    }
    // The names of other assemblers for a size, and their mark of hexadecimal numbers.
    if spelled.eq_ignore_ascii_case("tword") {
        return fault(span, message)
            .with_help(Remedy::Size(vec![10]))
            .undefined(spelled);
    }
    let marked = spelled.strip_prefix('$').filter(|digits| !digits.is_empty());
    if let Some(digits) = marked.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return fault(span, message)
            .with_help(Remedy::Hexadecimal(digits.to_owned()))
            .undefined(spelled);
    }
    let digits = spelled.strip_suffix(['h', 'H']);
    if digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return fault(span, message)
            .with_help(Remedy::LeadingDigit(spelled.to_owned()))
            .undefined(spelled);
    }
    if session.is_reported(&message) {
        return fault(span, message).undefined(spelled);
    }
    let known =
        program.symbols.table.iter().filter(|symbol| {
            !symbol.hidden && !matches!(symbol.definition, Definition::Undefined | Definition::External)
        });
    let fault = fault(span, message).undefined(spelled);
    // A name with its parameters is one that a compiler wrote.
    if spelled.contains('(') || !session.suggests_among(program.symbols.table.len()) {
        return fault;
    }
    match nearest(spelled, known.map(|symbol| &*symbol.spelled)) {
        Some(near) => fault.with_help(format!("did you mean `{near}`?")),
        None => fault,
    }
}
