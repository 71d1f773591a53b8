//! Expressions: tokens to nodes, by binding strength as MASM documents it.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{Binary, ExpressionId, NodeKind, Type, Unary};
use crate::diag::Span;
use crate::expand::Line;
use crate::lex::{Kind, Token, string_bytes};
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::symbols::Definition;
use iced_x86::Register;

/// A place among the tokens of a line.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'l> {
    pub(crate) line: &'l Line,
    pub(crate) tokens: &'l [Token],
    pub(crate) at: usize,
}

impl<'l> Cursor<'l> {
    pub(crate) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub(crate) fn peek_second(&self) -> Option<Token> {
        self.tokens.get(self.at + 1).copied()
    }

    pub(crate) fn next(&mut self) -> Option<Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    pub(crate) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether the next token is `mark`.
    pub(crate) fn is(&self, mark: u8) -> bool {
        matches!(self.peek(), Some(Token { kind: Kind::Mark(found), .. }) if found == mark)
    }

    pub(crate) fn eat(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn keyword(&self) -> Option<Keyword> {
        match self.peek()?.kind {
            Kind::Name(name) => keyword(name),
            _ => None,
        }
    }

    pub(crate) fn name(&mut self) -> Option<(NameId, Token)> {
        match self.peek() {
            Some(
                token @ Token {
                    kind: Kind::Name(name), ..
                },
            ) => {
                self.at += 1;
                Some((name, token))
            }
            _ => None,
        }
    }

    pub(crate) fn text(&self, token: Token) -> &'l str {
        self.line
            .text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    pub(crate) fn span(&self, token: Token) -> Span {
        self.line.span(token.start, token.end)
    }

    /// From where the next token begins to the line's end, comment and blanks behind it left out.
    pub(crate) fn rest(&self) -> &'l str {
        let start = self.offset();
        let end = self.tokens.last().map_or(start, |token| token.end as usize).max(start);
        self.line.text.get(start..end).unwrap_or("")
    }

    /// The text from the next token on, to the line's very end.
    pub(crate) fn raw_rest(&self) -> &'l str {
        self.line.text.get(self.offset()..).unwrap_or("")
    }

    /// The byte at which the next token begins.
    pub(crate) fn offset(&self) -> usize {
        match self.peek() {
            Some(token) => token.start as usize,
            None => self
                .tokens
                .last()
                .map_or(self.line.text.len(), |token| token.end as usize),
        }
    }

    /// The next token's place, or the place behind the last one.
    pub(crate) fn here(&self) -> Span {
        match self.peek() {
            Some(token) => self.span(token),
            None => {
                let end = self.offset() as u32;
                self.line.span(end, end)
            }
        }
    }
}

const LOWEST: u8 = 0;
const BOOLEAN_OR: u8 = 1;
const BOOLEAN_AND: u8 = 2;
const BOOLEAN_NOT: u8 = 3;
const RELATION: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const PART: u8 = 8;
const TYPING: u8 = 9;
const OVERRIDE: u8 = 10;

impl Assembler<'_> {
    /// Reads one expression; it ends before a comma, an unmatched bracket or what cannot continue it.
    pub(crate) fn expression(&mut self, cursor: &mut Cursor) -> Result<ExpressionId, Fault> {
        self.binding(cursor, LOWEST, 0)
    }

    fn binding(&mut self, cursor: &mut Cursor, least: u8, depth: u32) -> Result<ExpressionId, Fault> {
        if depth > self.limits.nesting {
            return Err(fault(
                cursor.here(),
                format!("the expression is nested more than {} deep", self.limits.nesting),
            ));
        }
        let mut left = self.operand_expression(cursor, depth)?;
        while let Some((operator, strength)) = infix(cursor) {
            if strength < least || strength == LOWEST {
                break;
            }
            let span = cursor.here();
            cursor.at += 1;
            // `ds:dword ptr [ebx]`: a type may stand behind the override.
            let least = if operator == Binary::Override {
                TYPING
            } else {
                strength + 1
            };
            let right = self.binding(cursor, least, depth + 1)?;
            left = self.binary(operator, left, right, span)?;
        }
        Ok(left)
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Result<ExpressionId, Fault> {
        if let (NodeKind::Number(first), NodeKind::Number(second)) =
            (self.expressions.node(left).kind, self.expressions.node(right).kind)
            && let Some(number) = crate::evaluate::arithmetic(operator, first, second)
        {
            let whole = self.expressions.node(left).span;
            return Ok(self.expressions.push(NodeKind::Number(number), whole));
        }
        let id = self.expressions.push(NodeKind::Binary(operator, left, right), span);
        self.check_depth(id)?;
        Ok(id)
    }

    fn check_depth(&self, id: ExpressionId) -> Result<(), Fault> {
        let node = self.expressions.node(id);
        if node.depth > 512 {
            return Err(fault(node.span, "the expression has too many parts"));
        }
        Ok(())
    }

    fn unary(&mut self, operator: Unary, operand: ExpressionId, span: Span) -> Result<ExpressionId, Fault> {
        let id = self.expressions.push(NodeKind::Unary(operator, operand), span);
        self.check_depth(id)?;
        Ok(id)
    }

    /// An operand with its prefix operators in front and its brackets and fields behind.
    fn operand_expression(&mut self, cursor: &mut Cursor, depth: u32) -> Result<ExpressionId, Fault> {
        let mut left = self.prefixed(cursor, depth)?;
        loop {
            let span = cursor.here();
            if cursor.is(b'[') {
                let right = self.bracketed(cursor, depth)?;
                left = self.binary(Binary::Add, left, right, span)?;
            } else if cursor.is(b'.') {
                cursor.at += 1;
                if cursor.is(b'[') {
                    continue;
                }
                let Some((field, _)) = cursor.name() else {
                    return Err(fault(cursor.here(), "a field's name is expected after the dot"));
                };
                let structure = self.names.info(field).structure;
                if structure != NONE && cursor.is(b'.') {
                    // `[ebx].POINT.x`: the structure's name says what the address points to.
                    let type_name = self
                        .expressions
                        .push(NodeKind::TypeName(Type::Structure(structure)), span);
                    left = self.binary(Binary::Ptr, type_name, left, span)?;
                    continue;
                }
                left = self.expressions.push(NodeKind::Field(left, field), span);
                self.check_depth(left)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn bracketed(&mut self, cursor: &mut Cursor, depth: u32) -> Result<ExpressionId, Fault> {
        let span = cursor.here();
        cursor.at += 1;
        let inside = self.binding(cursor, LOWEST, depth + 1)?;
        if !cursor.eat(b']') {
            return Err(fault(cursor.here(), "`]` is expected here").with_label("the bracket is not closed"));
        }
        self.unary(Unary::Bracket, inside, span)
    }

    fn prefixed(&mut self, cursor: &mut Cursor, depth: u32) -> Result<ExpressionId, Fault> {
        let span = cursor.here();
        let Some(token) = cursor.peek() else {
            return Err(fault(span, "an operand is missing"));
        };
        match token.kind {
            Kind::Number(value) => {
                cursor.at += 1;
                Ok(self.expressions.push(NodeKind::Number(value as i64), span))
            }
            Kind::Name(name) => self.named(cursor, name, token, depth),
            Kind::Mark(b'(') => {
                cursor.at += 1;
                let inside = self.binding(cursor, LOWEST, depth + 1)?;
                if !cursor.eat(b')') {
                    return Err(
                        fault(cursor.here(), "`)` is expected here").with_label("the parenthesis is not closed")
                    );
                }
                Ok(inside)
            }
            Kind::Mark(b'[') => self.bracketed(cursor, depth),
            Kind::Mark(b'-') => {
                cursor.at += 1;
                let operand = self.binding(cursor, SIGN, depth + 1)?;
                if let NodeKind::Number(number) = self.expressions.node(operand).kind {
                    return Ok(self.expressions.push(NodeKind::Number(number.wrapping_neg()), span));
                }
                self.unary(Unary::Minus, operand, span)
            }
            Kind::Mark(b'+') => {
                cursor.at += 1;
                self.binding(cursor, SIGN, depth + 1)
            }
            Kind::Mark(b'$') => {
                cursor.at += 1;
                let here = self.location();
                Ok(self.expressions.push(NodeKind::Here(here), span))
            }
            Kind::String => {
                cursor.at += 1;
                let mut bytes = Vec::new();
                string_bytes(cursor.text(token), &mut bytes);
                if bytes.is_empty() || bytes.len() > 8 {
                    return Err(fault(span, "only a string of 1 to 8 characters is a number"));
                }
                let number = bytes.iter().fold(0u64, |number, &byte| (number << 8) | u64::from(byte));
                Ok(self.expressions.push(NodeKind::Number(number as i64), span))
            }
            Kind::Real => Err(fault(span, "a real number cannot stand here")
                .with_help("define it with `dd`, `dq` or `dt` and load it from there")),
            Kind::Mark(b'?') => Err(fault(span, "`?` stands only in data definitions")),
            Kind::Mark(mark) => Err(fault(span, format!("an operand is expected, not `{}`", mark as char))),
            Kind::Bad(why) => Err(fault(span, why)),
        }
    }

    fn named(&mut self, cursor: &mut Cursor, name: NameId, token: Token, depth: u32) -> Result<ExpressionId, Fault> {
        let span = cursor.span(token);
        let info = *self.names.info(name);
        let procedure = self.procedure_number();
        let symbol = self.symbol_index(name, procedure);
        if let Some(keyword) = keyword(name)
            && !(symbol != NONE && keyword.may_be_a_name())
        {
            return self.operator(cursor, keyword, token, depth);
        }
        cursor.at += 1;
        if info.register != Register::None {
            let register = if info.register == Register::ST0 && cursor.is(b'(') {
                self.stack_register(cursor)?
            } else {
                info.register
            };
            return Ok(self.expressions.push(NodeKind::Register(register), span));
        }
        if let Some(symbol) = self.symbols.get(symbol as usize) {
            if let Definition::Number(number) = symbol.definition {
                return Ok(self.expressions.push(NodeKind::Number(number), span));
            }
        } else if info.structure != NONE {
            let place = self
                .expressions
                .push(NodeKind::TypeName(Type::Structure(info.structure)), span);
            if self.ideal && begins_operand(cursor) {
                let operand = self.binding(cursor, TYPING, depth + 1)?;
                return self.binary(Binary::Ptr, place, operand, span);
            }
            return Ok(place);
        } else if info.mnemonic || info.body != NONE {
            return Err(self.misplaced_instruction(cursor, token, info.mnemonic));
        }
        let name = if symbol == info.symbol { self.scoped(name) } else { name };
        Ok(self.expressions.push(NodeKind::Symbol(name, procedure), span))
    }

    /// `@F`, `@B` and, where `locals` is on, `@@name` stand for names that depend on their place.
    pub(crate) fn scoped(&mut self, name: NameId) -> NameId {
        let text = self.names.text(name);
        if !text.starts_with('@') {
            return name;
        }
        let scoped = match text {
            "@f" => format!("@@ {}", self.anonymous_labels + 1),
            "@b" => format!("@@ {}", self.anonymous_labels),
            _ if self.scoped_locals && text.starts_with("@@") && text.len() > 2 => {
                format!("{text} {}", self.scope)
            }
            _ => return name,
        };
        self.names.intern(&scoped)
    }

    fn stack_register(&mut self, cursor: &mut Cursor) -> Result<Register, Fault> {
        const STACK: [Register; 8] = [
            Register::ST0,
            Register::ST1,
            Register::ST2,
            Register::ST3,
            Register::ST4,
            Register::ST5,
            Register::ST6,
            Register::ST7,
        ];
        cursor.at += 1;
        let span = cursor.here();
        let number = self.constant(cursor)?;
        if !cursor.eat(b')') {
            return Err(fault(cursor.here(), "`)` is expected here"));
        }
        usize::try_from(number)
            .ok()
            .and_then(|number| STACK.get(number).copied())
            .ok_or_else(|| fault(span, "the stack registers are st(0) to st(7)"))
    }

    /// Typing two instructions in a row is an old slip; say which half could go.
    fn misplaced_instruction(&self, cursor: &Cursor, token: Token, mnemonic: bool) -> Fault {
        if !mnemonic {
            return fault(cursor.span(token), "a macro name where an operand is expected")
                .with_label("this is a macro, not an operand");
        }
        let what = "an instruction name where an operand is expected";
        let rest_end = cursor.tokens.last().map_or(token.end, |last| last.end) as usize;
        let from_here = cursor.line.text.get(token.start as usize..rest_end).unwrap_or("");
        let behind = cursor
            .line
            .text
            .get(token.end as usize..rest_end)
            .unwrap_or("")
            .trim_start();
        let before = cursor.line.text.get(..token.start as usize).unwrap_or("").trim();
        let fault = fault(cursor.span(token), what).with_label("this is an instruction, not an operand");
        if from_here.len() + before.len() < 200 && !behind.is_empty() {
            fault.with_help(format!("write `{from_here}` or `{before} {behind}`"))
        } else {
            fault
        }
    }

    fn operator(
        &mut self,
        cursor: &mut Cursor,
        keyword: Keyword,
        token: Token,
        depth: u32,
    ) -> Result<ExpressionId, Fault> {
        let span = cursor.span(token);
        cursor.at += 1;
        if let Some(type_name) = type_of(keyword) {
            if self.ideal && begins_operand(cursor) {
                let place = self.expressions.push(NodeKind::TypeName(type_name), span);
                let operand = self.binding(cursor, TYPING, depth + 1)?;
                return self.binary(Binary::Ptr, place, operand, span);
            }
            return Ok(self.expressions.push(NodeKind::TypeName(type_name), span));
        }
        if matches!(keyword, Keyword::Mask | Keyword::Width) {
            let number = self.record_operator(keyword, cursor)?;
            return Ok(self.expressions.push(NodeKind::Number(number), span));
        }
        let (operator, strength) = match keyword {
            Keyword::Offset => (Unary::Offset, TYPING),
            Keyword::Seg => (Unary::Segment, TYPING),
            Keyword::Type => (Unary::Type, TYPING),
            Keyword::This => (Unary::This, TYPING),
            Keyword::Size => (Unary::Size, TYPING),
            Keyword::Length => (Unary::Length, TYPING),
            Keyword::High => (Unary::High, PART),
            Keyword::Low => (Unary::Low, PART),
            Keyword::HighWord => (Unary::HighWord, PART),
            Keyword::LowWord => (Unary::LowWord, PART),
            Keyword::Not => (Unary::Not, BOOLEAN_NOT),
            Keyword::Short => (Unary::Short, BOOLEAN_OR),
            Keyword::And | Keyword::Or | Keyword::Xor | Keyword::Shl | Keyword::Shr => {
                let mut place = *cursor;
                place.at -= 1;
                return Err(self.misplaced_instruction(&place, token, true));
            }
            _ => {
                return Err(fault(
                    span,
                    format!("`{}` is a directive and cannot be an operand", cursor.text(token)),
                ));
            }
        };
        let operand = self.binding(cursor, strength, depth + 1)?;
        if operator == Unary::This {
            let here = self.location();
            let place = self.expressions.push(NodeKind::Here(here), span);
            return self.binary(Binary::Ptr, operand, place, span);
        }
        self.unary(operator, operand, span)
    }
}

/// Whether an operand begins at the cursor, so that, in IDEAL mode, a type before it says what it is.
fn begins_operand(cursor: &Cursor) -> bool {
    match cursor.peek().map(|token| token.kind) {
        Some(Kind::Name(name)) => keyword(name).is_none(),
        Some(Kind::Mark(b'[') | Kind::Number(_)) => true,
        _ => false,
    }
}

/// The type a keyword names.
pub(crate) fn type_of(keyword: Keyword) -> Option<Type> {
    match keyword {
        Keyword::TypeOfSize(size) => Some(Type::Bytes(size)),
        Keyword::Near | Keyword::Proc => Some(Type::Near),
        Keyword::Far => Some(Type::Far),
        _ => None,
    }
}

/// The operator at the cursor and how strongly it binds; `LOWEST` if there is none.
fn infix(cursor: &Cursor) -> Option<(Binary, u8)> {
    let token = cursor.peek()?;
    let found = match token.kind {
        Kind::Mark(b'+') => (Binary::Add, SUM),
        Kind::Mark(b'-') => (Binary::Subtract, SUM),
        Kind::Mark(b'*') => (Binary::Multiply, PRODUCT),
        Kind::Mark(b'/') => (Binary::Divide, PRODUCT),
        Kind::Mark(b':') => (Binary::Override, OVERRIDE),
        Kind::Name(name) => match keyword(name)? {
            Keyword::Mod => (Binary::Modulo, PRODUCT),
            Keyword::Shl => (Binary::ShiftLeft, PRODUCT),
            Keyword::Shr => (Binary::ShiftRight, PRODUCT),
            Keyword::Equal => (Binary::Equal, RELATION),
            Keyword::NotEqual => (Binary::NotEqual, RELATION),
            Keyword::Less => (Binary::Less, RELATION),
            Keyword::LessOrEqual => (Binary::LessOrEqual, RELATION),
            Keyword::Greater => (Binary::Greater, RELATION),
            Keyword::GreaterOrEqual => (Binary::GreaterOrEqual, RELATION),
            Keyword::And => (Binary::And, BOOLEAN_AND),
            Keyword::Or => (Binary::Or, BOOLEAN_OR),
            Keyword::Xor => (Binary::Xor, BOOLEAN_OR),
            Keyword::Ptr => (Binary::Ptr, TYPING),
            _ => return None,
        },
        _ => return None,
    };
    Some(found)
}
