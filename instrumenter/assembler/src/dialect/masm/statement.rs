//! MASM and TASM lines: the kind of statement depends on the meaning of its names.

use super::Parser;
use super::bare_com::{begin_lines, size_alone};
use super::directive::{definition, directive};
use super::equate::assign;
use super::expression::scoped;
use super::generated::later;
use super::heading::{has_text, is_procedure};
use super::instruction::instruction;
use super::invoke::tasm_shorthand;
use super::labels::{label, warn_of_instruction};
use super::lenient::{passes_over_extra, warn_of_extra, warn_of_suffixes};
use super::macros::call;
use super::method::method_call;
use super::next_generated::next_generated;
use super::numbered;
use super::object::{names_object, of_objects};
use super::procedure::{begin_procedure, is_procedure_modifier};
use super::record::record_data;
use super::roles::{is_listing_control, is_of_tasm, prefix, takes_names};
use super::structure::{still_open, structure_data};
use super::{Keyword, condition, keyword};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::elsewhere;
use crate::expression::Type;
use crate::lex::{Cursor, Extra, Kind, Token};
use crate::names::{Made, NONE, NameId};
use crate::select;
use crate::spelling::nearest;
use crate::statement::{Named, Statement};
use std::cell::Cell;
use std::rc::Rc;

/// The next statement of a line.
pub(super) fn statement<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    if !parser.modes.generated.is_empty()
        && let Some(made) = next_generated(parser)
    {
        return made.map(Some);
    }
    if parser.session.narrow.taken
        && let Some(token) = cursor.peek()
        && let Some(model) = begin_lines(parser, cursor.span(token))
    {
        return Ok(Some(model));
    }
    warn_of_suffixes(parser, cursor);
    let extra = cursor.extra;
    if let Some(extra) = extra {
        extra.set(match passes_over_extra(parser) {
            true => Extra::Allowed,
            false => Extra::Refused,
        });
    }
    let parsed = parse(parser, cursor);
    if let (Some(Extra::Found(at)), true) = (extra.map(Cell::get), parsed.is_ok()) {
        warn_of_extra(parser, cursor, at);
    }
    // Only a label or a prefix leaves a part of the line to read.
    if !matches!(parsed, Ok(Some(Statement::Label { .. } | Statement::ProcedureBody))) {
        cursor.at = cursor.tokens.len();
    }
    parsed
}

fn parse<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let Some(mut token) = cursor.peek() else {
        return Ok(None);
    };
    while token.kind == Kind::Mark(b'%') {
        cursor.at += 1;
        // `%nolist` and similar words only control the listing.
        if cursor
            .peek_name()
            .is_some_and(|name| is_listing_control(parser.session.names.text(name)))
        {
            return Ok(None);
        }
        match cursor.peek() {
            Some(next) => token = next,
            None => return Ok(None),
        }
    }
    let span = cursor.span(token);
    let Kind::Name(name) = token.kind else {
        if let Some(named) = numbered::label(parser, cursor, token) {
            return Ok(Some(Statement::Label { named, global: true }));
        }
        return Err(match token.kind {
            Kind::Bad(why) => fault(span, why),
            _ => fault(span, "expected a statement")
                .with_help("write `label: instruction operands`, a directive or a macro call"),
        });
    };
    let word = keyword(name);
    let second = cursor.peek_second();
    let second_kind = second.map(|token| token.kind);
    let info = parser.session.names.info(name);
    let (body, mnemonic, structure) = (info.body, info.mnemonic, info.structure);
    if let Some(word) = word
        && body == NONE
        && has_text(parser, word, parser.session.names.text(name), cursor)
    {
        cursor.at += 1;
        return directive(parser, word, cursor, span, token);
    }
    // Only some lines define a name, so it is made on demand.
    let named = |cursor: &Cursor<'l>| Named {
        name,
        spelled: cursor.text(token),
        span,
    };
    if second_kind == Some(Kind::Mark(b':')) && word.is_none_or(|word| !condition::concerns(word)) {
        if parser.program.procedures.frame_is_pending() {
            return Ok(Some(Statement::ProcedureBody));
        }
        cursor.at += 2;
        let global = cursor.eat(b':');
        return Ok(Some(label(parser, named(cursor), global)));
    }
    if second_kind == Some(Kind::Mark(b'=')) {
        cursor.at += 2;
        let named = named(cursor);
        let name = scoped(parser, named.name);
        return assign(parser, Named { name, ..named }, cursor).map(Some);
    }
    if let (Some(word), Some(Kind::Name(defined))) = (word, second_kind)
        && word.defines_name_after()
        && (parser.modes.ideal || may_come_first(parser, word, defined))
        && let Some(spelled) = second.map(|token| cursor.text(token))
    {
        parser.modes.of_tasm = true;
        if word == Keyword::Proc {
            cursor.at += 1;
            return Ok(Some(procedure_behind(parser, cursor, span)));
        }
        cursor.at += 2;
        let named = Named {
            name: own_name(parser, defined, Some(word)),
            spelled,
            span,
        };
        return definition(parser, named, name, cursor);
    }
    if let Some(Kind::Name(second)) = second_kind
        && defines_before(parser, name, second, cursor)
    {
        cursor.at += 2;
        let named = named(cursor);
        warn_of_instruction(parser, &named, keyword(second));
        let name = own_name(parser, named.name, keyword(second));
        return definition(parser, Named { name, ..named }, second, cursor);
    }
    cursor.at += 1;
    if body != NONE {
        return call(parser, name, cursor, span).map(Some);
    }
    if mnemonic || word.is_some_and(|word| prefix(word).is_some()) {
        cursor.at -= 1;
        if parser.program.procedures.frame_is_pending() {
            return Ok(Some(Statement::ProcedureBody));
        }
        cursor.at += 1;
        if info.branch
            && let Some(word) = ["call", "jmp"]
                .into_iter()
                .find(|word| parser.session.names.text(name) == *word)
            && let Some(made) = method_call(parser, word, cursor, span)
        {
            return made;
        }
        if tasm_shorthand(parser, name, cursor, span) {
            return next_generated(parser).transpose();
        }
        cursor.at -= 1;
        let start = cursor.here().start;
        let complete = instruction(parser, cursor)?;
        parser.buffers.instruction.written = (start, cursor.here().start);
        return Ok(complete.then_some(Statement::Instruction));
    }
    if let Some(word) = word {
        // A macro may make the frame, and its lines come before what the directive generates.
        if matches!(
            word,
            Keyword::Invoke
                | Keyword::Block(_)
                | Keyword::Flags(_)
                | Keyword::RecordField(_)
                | Keyword::FastMultiply
                | Keyword::ReturnByModel
                | Keyword::Escape
                | Keyword::Exit
        ) && parser.program.procedures.frame_is_pending()
        {
            cursor.at -= 1;
            return Ok(Some(Statement::ProcedureBody));
        }
        parser.modes.of_tasm |= is_of_tasm(word);
        return directive(parser, word, cursor, span, token);
    }
    if structure != NONE {
        return structure_data(parser, None, structure, cursor, span).map(Some);
    }
    if let Some(record) = parser.program.structures.records.get(&name).map(Rc::clone) {
        return record_data(parser, None, (name, &record), cursor, span).map(Some);
    }
    if let Some(made) = of_objects(parser, named(cursor), cursor) {
        return made;
    }
    if let Some(statement) = of_unknown_type(parser, named(cursor), cursor) {
        return Ok(Some(statement));
    }
    if size_alone(parser, cursor.text(token), cursor.rest(), span).is_some() {
        return Ok(None);
    }
    if lacks_colon(parser, cursor.text(token), cursor) {
        if parser.program.procedures.frame_is_pending() {
            cursor.at -= 1;
            return Ok(Some(Statement::ProcedureBody));
        }
        return Ok(Some(label_without_colon(parser, named(cursor))));
    }
    Err(no_statement(parser, cursor.text(token), cursor, span))
}

/// The name that a definition by `word` gives. Macros, structures and their fields are known everywhere, whatever
/// their names begin with.
fn own_name(parser: &mut Parser<'_>, name: NameId, word: Option<Keyword>) -> NameId {
    let everywhere = matches!(
        word,
        Some(Keyword::Macro | Keyword::Structure | Keyword::Union | Keyword::Ends)
    );
    match everywhere || parser.program.structures.open.is_some() {
        true => name,
        false => scoped(parser, name),
    }
}

/// Whether outside IDEAL mode a keyword that usually follows a name may precede it: sources that leave IDEAL mode do
/// not change all their lines.
fn may_come_first(parser: &Parser<'_>, word: Keyword, defined: NameId) -> bool {
    let known = keyword(defined);
    match word {
        Keyword::Proc => {
            known.is_none_or(|known| matches!(known, Keyword::Near(_) | Keyword::Far(_)) || known.may_be_a_name())
        }
        Keyword::EndProc | Keyword::Segment | Keyword::Group | Keyword::Macro | Keyword::Label | Keyword::Prototype => {
            known.is_none_or(Keyword::may_be_a_name)
        }
        Keyword::Structure | Keyword::Union => known.is_none() && parser.program.structures.open.is_none(),
        Keyword::Ends => known.is_none_or(Keyword::may_be_a_name) && parser.program.structures.open.is_none(),
        _ => false,
    }
}

/// `proc c far name ...`: a calling convention and a distance may precede the name.
fn procedure_behind<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Statement<'l> {
    let rest = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    let is_modifier = |token: &Token| match token.kind {
        Kind::Name(word) => is_procedure_modifier(&parser.session.names, word),
        _ => false,
    };
    let before = rest.iter().take_while(|token| is_modifier(token)).count();
    let before = match rest.get(before).map(|token| token.kind) {
        Some(Kind::Name(_)) => before,
        _ => 0,
    };
    let modifiers: Vec<NameId> = rest
        .iter()
        .take(before)
        .filter_map(|token| match token.kind {
            Kind::Name(word) => Some(word),
            _ => None,
        })
        .collect();
    cursor.at += before;
    let named = match cursor.name() {
        Some((name, token)) => Named {
            name,
            spelled: cursor.text(token),
            span,
        },
        None => Named {
            name: parser.session.names.make("proc", Made::Anonymous),
            spelled: "proc",
            span,
        },
    };
    begin_procedure(parser, named, &modifiers, cursor)
}

/// Whether the word after `name` defines that name.
fn defines_before(parser: &Parser<'_>, name: NameId, second: NameId, cursor: &Cursor<'_>) -> bool {
    let info = parser.session.names.info(name);
    let second_word = keyword(second);
    let plain = !parser.session.names.text(name).starts_with(['.', '%']);
    let defines = match (keyword(name), second_word) {
        (_, Some(Keyword::Macro)) => return true,
        (
            Some(Keyword::Error | Keyword::Model | Keyword::NotEqual | Keyword::End | Keyword::Ideal),
            Some(Keyword::Define(_) | Keyword::Equ | Keyword::TextEqu | Keyword::Label | Keyword::Proc),
        ) if plain => true,
        (Some(Keyword::Error), Some(Keyword::EndProc)) if plain => true,
        // A name that MASM leaves free.
        (Some(word), Some(second))
            if plain && is_free(parser, (word, name), second, cursor) && gives_meaning(second, cursor) =>
        {
            return info.body == NONE;
        }
        (Some(word), _) if takes_names(word) => false,
        (Some(word), _) if prefix(word).is_some() => false,
        // `inc byte ptr ...`, `call proc`: an instruction with an operand, not a name being defined.
        (_, Some(Keyword::TypeOfSize(_))) if info.mnemonic => false,
        (_, Some(Keyword::Proc)) if info.branch => false,
        (None, Some(Keyword::Ptr)) => !info.mnemonic,
        (None, Some(Keyword::Near(_) | Keyword::Far(_))) => {
            let third = cursor.tokens.get(cursor.at + 2).map(|token| token.kind);
            !info.mnemonic && matches!(third, Some(Kind::Name(third)) if keyword(third) == Some(Keyword::Ptr))
        }
        (_, Some(second)) => second.concerns_name_before(),
        // A field or variable called `low` or `size`.
        (Some(word), None) => !word.may_be_a_name() && parser.session.names.info(second).structure != NONE,
        (None, None) => {
            let records = &parser.program.structures.records;
            let value = parser.session.names.info(second).structure != NONE || records.contains_key(&second);
            value && !info.mnemonic && !names_object(parser.session.names.text(name))
        }
    };
    defines && info.body == NONE
}

/// Whether a keyword before a directive that gives a name its meaning is that name: only one assembler has it, and its
/// operands do not begin with a directive.
fn is_free(parser: &Parser<'_>, (word, name): (Keyword, NameId), second: Keyword, cursor: &Cursor<'_>) -> bool {
    match word {
        Keyword::Echo => parser.session.names.text(name) == "display" || is_procedure(second, cursor),
        Keyword::Arg
        | Keyword::Extern(_)
        | Keyword::Flags(_)
        | Keyword::RecordField(_)
        | Keyword::FastMultiply
        | Keyword::ReturnByModel
        | Keyword::Public
        | Keyword::For
        | Keyword::ForCharacter
        | Keyword::While
        | Keyword::GoTo
        | Keyword::Option
        | Keyword::Invoke
        | Keyword::Local
        | Keyword::Uses
        | Keyword::PushContext
        | Keyword::PopContext => !parser.modes.ideal,
        _ => false,
    }
}

/// Whether the directive that stands second gives the name before it a meaning. `option proc:private` has a word of
/// that spelling.
fn gives_meaning(word: Keyword, cursor: &Cursor<'_>) -> bool {
    let third = cursor.tokens.get(cursor.at + 2).map(|token| token.kind);
    let is_value = matches!(third, Some(Kind::Mark(b':' | b',')));
    !is_value
        && matches!(
            word,
            Keyword::Define(_)
                | Keyword::Equ
                | Keyword::TextEqu
                | Keyword::SubString
                | Keyword::InString
                | Keyword::SizeString
                | Keyword::Proc
                | Keyword::EndProc
                | Keyword::Label
        )
}

/// `name type <values>` with an unknown type: the name is defined, so that its uses are not reported too.
fn of_unknown_type<'l>(parser: &mut Parser<'_>, named: Named<'l>, cursor: &mut Cursor<'l>) -> Option<Statement<'l>> {
    let token = cursor.peek()?;
    let Kind::Name(word) = token.kind else {
        return None;
    };
    let behind = cursor.peek_second()?.kind;
    let info = parser.session.names.info(word);
    if keyword(word).is_some()
        || info.mnemonic
        || info.body != NONE
        || !matches!(behind, Kind::Mark(b'<' | b'{' | b'?'))
    {
        return None;
    }
    let text = cursor.text(token);
    let place = cursor.span(token);
    let unknown = || match parser.procedure_type(word) {
        Some(_) => fault(place, format!("`{text}` is a type of procedures, and no data has it"))
            .with_help("declare a pointer to it: `typedef ptr` and its name"),
        None => fault(place, format!("undefined structure `{text}`")).undefined(text),
    };
    let problem = still_open(parser, word, place).unwrap_or_else(unknown);
    later(parser, Err(problem));
    cursor.at = cursor.tokens.len();
    Some(Statement::Place {
        named,
        kind: Type::None,
    })
}

fn no_statement(parser: &Parser<'_>, text: &str, cursor: &Cursor<'_>, span: Span) -> Fault {
    if select::is_foreign(text) {
        let also = ["cmov", "fcmov", "endbr"]
            .iter()
            .any(|name| text.to_ascii_lowercase().starts_with(name));
        let help = match also {
            true => {
                "the assembler has the instructions of the Pentium; `--also` is for programs that other \
                 tools built"
            }
            false => "the assembler has the instructions of the Pentium",
        };
        return fault(span, format!("`{text}` is an instruction of other processors")).with_help(help);
    }
    // `movl` and similar names belong to another notation.
    let bare = text.strip_suffix(['b', 'w', 'l', 'B', 'W', 'L']);
    if let Some(bare) = bare.filter(|bare| select::instruction(bare).is_some() && !cursor.done()) {
        return fault(span, format!("unknown instruction, directive or macro `{text}`"))
            .with_help(format!("write `{bare}`: the operands give the size"))
            .undefined(text);
    }
    let message = format!("unknown instruction, directive or macro `{text}`");
    if parser.session.is_reported(&message) {
        return fault(span, message).undefined(text);
    }
    if let Some(help) = elsewhere::remedy(text) {
        return fault(span, message).with_help(help).undefined(text);
    }
    let joined = (1..text.len()).find_map(|at| {
        let (first, rest) = text.split_at_checked(at)?;
        let both = select::instruction(first).is_some() && select::register(rest).is_some();
        both.then(|| format!("{first} {rest}"))
    });
    if let Some(joined) = joined {
        return fault(span, message)
            .with_help(format!("did you mean `{joined}`?"))
            .undefined(text);
    }
    let near = parser
        .expander
        .nearest_macro(parser.session, text)
        .or_else(|| select::nearest_mnemonic(text))
        .map(str::to_owned);
    let fault = fault(span, message).undefined(text);
    if let Some(near) = near {
        return fault.with_help(format!("did you mean `{near}`?"));
    }
    if cursor.done() && !text.starts_with('.') {
        return fault.with_help(format!("write `{text}:` to define a label"));
    }
    fault
}

/// Whether an unknown name stands before an instruction, and is not nearly a prefix of one.
fn lacks_colon(parser: &Parser<'_>, text: &str, cursor: &Cursor<'_>) -> bool {
    const PREFIXES: [&str; 6] = ["rep", "repe", "repz", "repne", "repnz", "lock"];
    let Some(Kind::Name(word)) = cursor.peek().map(|token| token.kind) else {
        return false;
    };
    let near_prefix = nearest(text, PREFIXES.into_iter()).is_some();
    parser.session.names.info(word).mnemonic && !near_prefix && !text.starts_with('.') && !select::is_foreign(text)
}

/// Reports `name` before an instruction, and takes it for a label, so that its uses are not reported too.
fn label_without_colon<'l>(parser: &mut Parser<'_>, named: Named<'l>) -> Statement<'l> {
    let text = named.spelled;
    let problem = fault(named.span, format!("unknown instruction, directive or macro `{text}`"));
    let help = format!("write `{text}:` if it is a label: a label before an instruction needs a colon");
    later(parser, Err(problem.with_help(help)));
    label(parser, named, false)
}
