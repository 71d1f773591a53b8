//! A minimal dialect: labels, bytes and instructions, with blanks between operands.

use super::{bytes, good};
use crate::Options;
use crate::assemble::assemble;
use crate::diag::{Fault, fault};
use crate::dialect::{Dialect, Parser, Substitution};
use crate::expand::{Body, BodyWord, Syntax};
use crate::expression::{NodeKind, Type};
use crate::lex::{Cursor, Kind, lex};
use crate::source::Sources;
use crate::statement::{Data, Instruction, Item, Named, Statement};
use iced_x86::Register;

static TOY: Dialect = Dialect {
    reserve_words: |_| {},
    predefine: |_, _, _| {},
    tokens: |_, names, text, tokens| lex(text, 16, names, tokens),
    syntax: Syntax {
        continues: |_, _, _| None,
        body_word: |_, _| BodyWord::Other,
    },
    substitute: |_, _, _| Ok(Substitution::None),
    statement,
    skipped: |_, _, _| Ok(None),
    body: |_, signature, kept, _| Body::new(signature, kept.library, kept.span),
    number: |_, _, span| Err(fault(span, "text is not a number")),
    defined_name: |_, _| None,
    close: |_, _| {},
};

fn statement<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Result<Option<Statement<'l>>, Fault> {
    let Some((name, token)) = cursor.name() else {
        return Ok(None);
    };
    let (span, spelled) = (cursor.span(token), cursor.text(token));
    if cursor.eat(b'>') {
        let named = Named { name, spelled, span };
        return Ok(Some(Statement::Label { named, global: true }));
    }
    let (session, buffers) = (&mut *parser.session, &mut *parser.buffers);
    buffers.items.clear();
    buffers.instruction = Instruction::new(name, span, session.origin);
    while let Some(token) = cursor.next() {
        let span = cursor.span(token);
        let node = match token.kind {
            Kind::Number(number) => NodeKind::Number(number as i64),
            Kind::Name(name) => match session.names.info(name).register {
                Register::None => NodeKind::Symbol(name, 0),
                register => NodeKind::Register(register),
            },
            _ => return Err(fault(span, "expected a number or a name")),
        };
        let id = session.expressions.push(node, span);
        buffers.items.list.push(Item::Expression { id, span });
        buffers.instruction.add(id);
    }
    Ok(Some(match spelled {
        "bytes" => Statement::Data(Data {
            named: None,
            kind: Type::Bytes(1),
            signed: false,
            span,
        }),
        _ => Statement::Instruction,
    }))
}

#[test]
fn a_dialect_is_one_table() {
    let text = "mov ecx 10\nagain> dec ecx\njnz again\nret\nbytes 1 2 0ff\n";
    let assembly = assemble(&Sources::single("toy", text), &Options::default(), "", &TOY);
    assert_eq!(bytes(&good(text, assembly), "_TEXT"), "b9100000004975fdc30102ff");
}

#[test]
fn its_errors_have_their_places() {
    let sources = Sources::single("toy", "mov eax\njnz nowhere\n");
    let assembly = assemble(&sources, &Options::default(), "", &TOY);
    let places: Vec<u32> = assembly
        .diagnostics
        .iter()
        .filter_map(|diagnostic| Some(diagnostic.span?.line))
        .collect();
    assert_eq!(places, [1, 2], "{:?}", assembly.diagnostics);
}
