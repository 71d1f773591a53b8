//! `.if`, `.while` and `.repeat`: conditions as in a high-level language, made into compares and jumps.

use crate::assembler::{Assembler, Fault, fault};
use crate::diag::Span;
use crate::expand::Line;
use crate::expr::Cursor;
use crate::lex::{Kind, Token, lex};
use crate::names::{Keyword, keyword};
use iced_x86::Register;

/// The most blocks, and the most parts of a condition, within each other.
const MOST_NESTED: usize = 64;

/// The words of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockWord {
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

/// A block that is open.
pub(crate) struct OpenBlock {
    word: BlockWord,
    /// The loop's beginning, or what follows when the condition does not hold.
    next: String,
    /// What follows the block.
    end: String,
    /// Where the loop's condition is tested.
    test: String,
    /// The condition of a `.while`, which is tested behind its body.
    condition: Option<Line>,
    otherwise: bool,
    pub(crate) span: Span,
}

/// A condition.
enum Test {
    Either(Box<Test>, Box<Test>),
    Both(Box<Test>, Box<Test>),
    Not(Box<Test>),
    /// Left, comparison, right.
    Compare(String, Comparison, String),
    /// The jump when it holds, and when not.
    Flag(&'static str, &'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Bits,
    NotZero,
}

impl Assembler<'_> {
    /// One of the words of blocks.
    pub(crate) fn block(&mut self, word: BlockWord, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        match word {
            BlockWord::If | BlockWord::While | BlockWord::Repeat => self.open_block(word, cursor, span),
            BlockWord::Break | BlockWord::Continue => self.leave_block(word, cursor, span),
            _ => self.go_on_block(word, cursor, span),
        }
    }

    fn open_block(&mut self, word: BlockWord, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        if self.blocks.len() >= MOST_NESTED {
            return Err(fault(span, format!("blocks are nested more than {MOST_NESTED} deep")));
        }
        let mut open = OpenBlock {
            word,
            next: self.fresh_label(),
            end: self.fresh_label(),
            test: self.fresh_label(),
            condition: None,
            otherwise: false,
            span,
        };
        let mut result = Ok(());
        match word {
            BlockWord::If => {
                result = self
                    .condition_test(cursor)
                    .and_then(|test| self.jump(&test, &open.next, false, span));
            }
            BlockWord::While => {
                // Read now for its errors, assembled behind the body.
                result = self.condition_test(&mut cursor.clone()).map(|_| ());
                open.condition = Some(self.side_line(cursor.rest(), cursor.here()));
                self.made(&format!("jmp {}", open.test), span)?;
                self.made_label(&open.next, span)?;
            }
            _ => self.made_label(&open.next, span)?,
        }
        self.blocks.push(open);
        result
    }

    fn go_on_block(&mut self, word: BlockWord, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let opener = match word {
            BlockWord::EndWhile => BlockWord::While,
            BlockWord::Until | BlockWord::UntilCountedOut => BlockWord::Repeat,
            _ => BlockWord::If,
        };
        let expected = match opener {
            BlockWord::While => "`.while`",
            BlockWord::Repeat => "`.repeat`",
            _ => "`.if`",
        };
        let Some(mut open) = self.blocks.pop() else {
            return Err(fault(span, format!("there is no {expected} that this could belong to")));
        };
        if open.word != opener {
            let line = open.span.line;
            self.blocks.push(open);
            return Err(fault(span, format!("there is no {expected} that this could belong to"))
                .with_help(format!("close the block of line {line} first")));
        }
        match word {
            BlockWord::ElseIf | BlockWord::Else => {
                if open.otherwise {
                    self.blocks.push(open);
                    return Err(fault(span, "this `.if` already had its `.else`"));
                }
                open.otherwise = word == BlockWord::Else;
                let next = std::mem::replace(&mut open.next, self.fresh_label());
                let (end, label) = (open.end.clone(), open.next.clone());
                self.blocks.push(open);
                self.made(&format!("jmp {end}"), span)?;
                self.made_label(&next, span)?;
                if word == BlockWord::ElseIf {
                    let test = self.condition_test(cursor)?;
                    self.jump(&test, &label, false, span)?;
                }
                self.expect_end(cursor)
            }
            BlockWord::EndIf => {
                self.made_label(&open.next, span)?;
                self.made_label(&open.end, span)?;
                self.expect_end(cursor)
            }
            BlockWord::EndWhile => {
                self.made_label(&open.test, span)?;
                if let Some(line) = open.condition {
                    let mut tokens = Vec::new();
                    lex(&line.text, self.radix, &mut self.names, &mut tokens);
                    let mut condition = Cursor {
                        line: &line,
                        tokens: &tokens,
                        at: 0,
                    };
                    let test = self.condition_test(&mut condition)?;
                    self.jump(&test, &open.next, true, open.span)?;
                }
                self.made_label(&open.end, span)?;
                self.expect_end(cursor)
            }
            BlockWord::Until => {
                self.made_label(&open.test, span)?;
                let test = self.condition_test(cursor)?;
                self.jump(&test, &open.next, false, span)?;
                self.made_label(&open.end, span)
            }
            _ => {
                self.made_label(&open.test, span)?;
                self.expect_end(cursor)?;
                self.made(&format!("loop {}", open.next), span)?;
                self.made_label(&open.end, span)
            }
        }
    }

    /// `.break` and `.continue`, with an `.if` behind or alone.
    fn leave_block(&mut self, word: BlockWord, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let innermost = self.blocks.iter().rev().find(|open| open.word != BlockWord::If);
        let Some(open) = innermost else {
            return Err(fault(span, "there is no `.while` or `.repeat` around this"));
        };
        let target = if word == BlockWord::Break {
            open.end.clone()
        } else {
            open.test.clone()
        };
        if cursor.done() {
            return self.made(&format!("jmp {target}"), span);
        }
        if !(cursor.eat(b'.') && cursor.keyword() == Some(Keyword::If)) {
            return Err(fault(cursor.here(), "only `.if` and a condition may follow here"));
        }
        cursor.at += 1;
        let test = self.condition_test(cursor)?;
        self.jump(&test, &target, true, span)
    }

    fn fresh_label(&mut self) -> String {
        self.local_labels += 1;
        format!("??{:04X}", self.local_labels - 1)
    }

    fn made_label(&mut self, label: &str, span: Span) -> Result<(), Fault> {
        let name = self.names.intern(label);
        self.label(name, label, span, true)
    }

    fn condition_test(&mut self, cursor: &mut Cursor) -> Result<Test, Fault> {
        let tokens = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
        let line = cursor.line;
        let place = cursor.here();
        cursor.at = cursor.tokens.len();
        self.either(line, tokens, place, 0)
    }

    fn either(&mut self, line: &Line, tokens: &[Token], place: Span, depth: usize) -> Result<Test, Fault> {
        if depth > MOST_NESTED {
            return Err(fault(
                place,
                format!("the condition is nested more than {MOST_NESTED} deep"),
            ));
        }
        for (mark, either) in [(b'|', true), (b'&', false)] {
            let Some(at) = outside(tokens, |here| is_pair(here, mark, mark)) else {
                continue;
            };
            let left = self.either(line, tokens.get(..at).unwrap_or(&[]), place, depth + 1)?;
            let right = self.either(line, tokens.get(at + 2..).unwrap_or(&[]), place, depth + 1)?;
            let (left, right) = (Box::new(left), Box::new(right));
            return Ok(if either {
                Test::Either(left, right)
            } else {
                Test::Both(left, right)
            });
        }
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => line.span(first.start, last.end),
            _ => return Err(fault(place, "a condition is expected here").with_help("for example `.if eax == 1`")),
        };
        if matches!(
            tokens,
            [
                Token {
                    kind: Kind::Mark(b'!'),
                    ..
                },
                ..
            ]
        ) {
            let inner = self.either(line, tokens.get(1..).unwrap_or(&[]), span, depth + 1)?;
            return Ok(Test::Not(Box::new(inner)));
        }
        if let [
            Token {
                kind: Kind::Mark(b'('), ..
            },
            inside @ ..,
            Token {
                kind: Kind::Mark(b')'), ..
            },
        ] = tokens
            && encloses(tokens)
        {
            return self.either(line, inside, span, depth + 1);
        }
        if let [
            Token {
                kind: Kind::Name(name), ..
            },
        ] = tokens
        {
            let flag = match self.names.text(*name) {
                "carry?" => Some(("jc", "jnc")),
                "zero?" => Some(("jz", "jnz")),
                "sign?" => Some(("js", "jns")),
                "overflow?" => Some(("jo", "jno")),
                "parity?" => Some(("jp", "jnp")),
                _ => None,
            };
            if let Some((holds, fails)) = flag {
                return Ok(Test::Flag(holds, fails));
            }
        }
        let text = |part: &[Token]| match (part.first(), part.last()) {
            (Some(first), Some(last)) => line
                .text
                .get(first.start as usize..last.end as usize)
                .unwrap_or("")
                .to_owned(),
            _ => String::new(),
        };
        let Some(at) = outside(tokens, |here| comparison(here).is_some()) else {
            return Ok(Test::Compare(text(tokens), Comparison::NotZero, String::new()));
        };
        let Some((operator, width)) = comparison(tokens.get(at..).unwrap_or(&[])) else {
            return Err(fault(span, "a comparison is expected here"));
        };
        let left = text(tokens.get(..at).unwrap_or(&[]));
        let right = text(tokens.get(at + width..).unwrap_or(&[]));
        if left.is_empty() || right.is_empty() {
            return Err(fault(span, "a comparison needs two operands"));
        }
        Ok(Test::Compare(left, operator, right))
    }

    /// Jumps to `target` if `test` comes to `when`.
    fn jump(&mut self, test: &Test, target: &str, when: bool, span: Span) -> Result<(), Fault> {
        match test {
            Test::Not(inner) => self.jump(inner, target, !when, span),
            Test::Either(left, right) | Test::Both(left, right) => {
                let decides = matches!(test, Test::Either(..));
                if decides == when {
                    self.jump(left, target, when, span)?;
                    return self.jump(right, target, when, span);
                }
                let past = self.fresh_label();
                self.jump(left, &past, !when, span)?;
                self.jump(right, target, when, span)?;
                self.made_label(&past, span)
            }
            Test::Flag(holds, fails) => self.made(&format!("{} {target}", if when { holds } else { fails }), span),
            Test::Compare(left, operator, right) => {
                let signed = self.is_signed_operand(left) || self.is_signed_operand(right);
                let zero = right.trim() == "0" && matches!(operator, Comparison::Equal | Comparison::NotEqual);
                if *operator == Comparison::Bits {
                    self.made(&format!("test {left},{right}"), span)?;
                } else if (zero || *operator == Comparison::NotZero) && self.is_general_register(left) {
                    self.made(&format!("or {left},{left}"), span)?;
                } else if *operator == Comparison::NotZero {
                    self.made(&format!("cmp {left},0"), span)?;
                } else {
                    self.made(&format!("cmp {left},{right}"), span)?;
                }
                let jump = match (operator, signed, when) {
                    (Comparison::Equal, _, true) => "je",
                    (Comparison::Equal, _, false) => "jne",
                    (Comparison::NotEqual | Comparison::Bits | Comparison::NotZero, _, true) => "jne",
                    (Comparison::NotEqual | Comparison::Bits | Comparison::NotZero, _, false) => "je",
                    (Comparison::Greater, false, true) | (Comparison::LessOrEqual, false, false) => "ja",
                    (Comparison::GreaterOrEqual, false, true) | (Comparison::Less, false, false) => "jae",
                    (Comparison::Less, false, true) | (Comparison::GreaterOrEqual, false, false) => "jb",
                    (Comparison::LessOrEqual, false, true) | (Comparison::Greater, false, false) => "jbe",
                    (Comparison::Greater, true, true) | (Comparison::LessOrEqual, true, false) => "jg",
                    (Comparison::GreaterOrEqual, true, true) | (Comparison::Less, true, false) => "jge",
                    (Comparison::Less, true, true) | (Comparison::GreaterOrEqual, true, false) => "jl",
                    (Comparison::LessOrEqual, true, true) | (Comparison::Greater, true, false) => "jle",
                };
                self.made(&format!("{jump} {target}"), span)
            }
        }
    }

    fn is_general_register(&mut self, text: &str) -> bool {
        let name = self.names.intern(text.trim());
        let register = self.names.info(name).register;
        register != Register::None && register.is_gpr()
    }

    /// Whether an operand's type has a sign: by its declaration, or by `sdword ptr` and its like.
    fn is_signed_operand(&mut self, text: &str) -> bool {
        let mut tokens = Vec::new();
        lex(text, self.radix, &mut self.names, &mut tokens);
        let procedure = self.procedure_number();
        tokens.iter().any(|token| {
            let Kind::Name(name) = token.kind else { return false };
            let symbol = self.symbols.get(self.symbol_index(name, procedure) as usize);
            symbol.is_some_and(|symbol| symbol.signed)
                || (keyword(name).is_some() && super::procedure::is_signed(self.names.text(name)))
        })
    }
}

fn is_pair(tokens: &[Token], first: u8, second: u8) -> bool {
    matches!(tokens, [one, two, ..] if one.kind == Kind::Mark(first) && two.kind == Kind::Mark(second)
        && one.end == two.start)
}

/// The comparison that begins here, and how many tokens it takes.
fn comparison(tokens: &[Token]) -> Option<(Comparison, usize)> {
    for (first, found) in [
        (b'=', Comparison::Equal),
        (b'!', Comparison::NotEqual),
        (b'>', Comparison::GreaterOrEqual),
        (b'<', Comparison::LessOrEqual),
    ] {
        if is_pair(tokens, first, b'=') {
            return Some((found, 2));
        }
    }
    match tokens.first()?.kind {
        Kind::Mark(b'>') => Some((Comparison::Greater, 1)),
        Kind::Mark(b'<') => Some((Comparison::Less, 1)),
        Kind::Mark(b'&') => Some((Comparison::Bits, 1)),
        _ => None,
    }
}

/// The first place outside parentheses and brackets where `wanted` is found.
fn outside(tokens: &[Token], wanted: impl Fn(&[Token]) -> bool) -> Option<usize> {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(' | b'[') => depth += 1,
            Kind::Mark(b')' | b']') => depth -= 1,
            _ if depth == 0 && wanted(tokens.get(at..).unwrap_or(&[])) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether the first parenthesis is closed by the last token.
fn encloses(tokens: &[Token]) -> bool {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(') => depth += 1,
            Kind::Mark(b')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == tokens.len();
        }
    }
    false
}
