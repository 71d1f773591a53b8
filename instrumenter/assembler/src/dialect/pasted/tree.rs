//! Expressions in the order in which GNU's assembler computes them, written so that MASM computes them in the same one.
//!
//! In that assembler unary operators bind most, then `*`, `/`, `%`, `<<` and `>>`, then `|`, `&`, `^` and `!`, then `+`
//! and `-`, then comparisons, `&&`, and `||`. Numbers have 64 bits there, as they have here.

/// The most operators of an expression that is written anew, and the most levels of its parentheses.
const MOST_OPERATORS: usize = 1024;
const DEEPEST: u32 = 64;

/// An operand.
pub(super) enum Atom {
    Number(i64),
    /// What MASM reads in its place.
    Text(String),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    Or,
    And,
    Xor,
    OrNot,
    Add,
    Subtract,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Both,
    Either,
}

use Operator::*;

/// The operators with how much they bind, and the words of those that MASM has; the longest first of those that begin
/// alike.
const OPERATORS: [(&str, Operator, u8, &str); 20] = [
    ("<<", ShiftLeft, 6, "shl"),
    (">>", ShiftRight, 6, "shr"),
    ("<=", LessOrEqual, 3, "le"),
    (">=", GreaterOrEqual, 3, "ge"),
    ("<>", NotEqual, 3, "ne"),
    ("!=", NotEqual, 3, "ne"),
    ("==", Equal, 3, "eq"),
    ("&&", Both, 2, ""),
    ("||", Either, 1, ""),
    ("*", Multiply, 6, "*"),
    ("/", Divide, 6, "/"),
    ("%", Modulo, 6, "mod"),
    ("|", Or, 5, "or"),
    ("&", And, 5, "and"),
    ("^", Xor, 5, "xor"),
    ("!", OrNot, 5, ""),
    ("+", Add, 4, "+"),
    ("-", Subtract, 4, "-"),
    ("<", Less, 3, "lt"),
    (">", Greater, 3, "gt"),
];

/// How a text binds in MASM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Loosely,
    AsSum,
    AsProduct,
    Whole,
}

enum Value {
    Number(i64),
    Text(String, Binds),
}

impl Value {
    /// The text of it where it must bind so.
    fn text(self, least: Binds) -> String {
        let (text, binds) = match self {
            Value::Number(number) if number < 0 => (number.to_string(), Binds::Loosely),
            Value::Number(number) => (number.to_string(), Binds::Whole),
            Value::Text(text, binds) => (text, binds),
        };
        match binds >= least {
            true => text,
            false => format!("({text})"),
        }
    }
}

/// The result of an operator on two numbers; `None` if it has none.
fn folded(operator: Operator, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| -i64::from(holds);
    let count = u32::try_from(right).ok().filter(|count| *count < 64);
    Some(match operator {
        Multiply => left.wrapping_mul(right),
        Divide | Modulo if right == 0 => return None,
        Divide => left.wrapping_div(right),
        Modulo => left.wrapping_rem(right),
        ShiftLeft => count.map_or(0, |count| left << count),
        ShiftRight => count.map_or(0, |count| (left as u64 >> count) as i64),
        Or => left | right,
        And => left & right,
        Xor => left ^ right,
        OrNot => left | !right,
        Add => left.wrapping_add(right),
        Subtract => left.wrapping_sub(right),
        Equal => truth(left == right),
        NotEqual => truth(left != right),
        Less => truth(left < right),
        LessOrEqual => truth(left <= right),
        Greater => truth(left > right),
        GreaterOrEqual => truth(left >= right),
        Both => i64::from(left != 0 && right != 0),
        Either => i64::from(left != 0 || right != 0),
    })
}

fn joined(operator: Operator, word: &str, left: Value, right: Value) -> Option<Value> {
    use Binds::{AsProduct, AsSum, Loosely, Whole};
    if let (Value::Number(left), Value::Number(right)) = (&left, &right) {
        return folded(operator, *left, *right).map(Value::Number);
    }
    // The difference of a name from itself is known before the name is.
    if let (Subtract, Value::Text(left, Whole), Value::Text(right, Whole)) = (operator, &left, &right)
        && left == right
        && left.chars().all(|one| one.is_alphanumeric() || "_.$@?".contains(one))
    {
        return Some(Value::Number(0));
    }
    let between = |left: String, word: &str, right: &str, binds| {
        let mut text = left;
        for part in [word, right] {
            text += part;
        }
        Value::Text(text, binds)
    };
    // A number first may have its sign.
    let first = |left: Value, least| match left {
        Value::Number(number) => number.to_string(),
        left => left.text(least),
    };
    Some(match (operator, right) {
        (Add, Value::Number(number)) if number < 0 => {
            between(first(left, AsSum), "-", &number.unsigned_abs().to_string(), AsSum)
        }
        (Subtract, Value::Number(number)) if number < 0 => {
            between(first(left, AsSum), "+", &number.unsigned_abs().to_string(), AsSum)
        }
        (Add | Subtract, right) => between(first(left, AsSum), word, &right.text(AsProduct), AsSum),
        (Multiply, right) => between(left.text(AsProduct), word, &right.text(Whole), AsProduct),
        (Both | Either, right) => {
            let [left, right] = [left, right].map(|one| format!("({} ne 0)", one.text(Whole)));
            let word = if operator == Both { "and" } else { "or" };
            Value::Text(format!("({left} {word} {right}) and 1"), Loosely)
        }
        (OrNot, right) => between(
            left.text(Whole),
            " or ",
            &format!("(not {})", right.text(Whole)),
            Loosely,
        ),
        (_, right) => between(left.text(Whole), &format!(" {word} "), &right.text(Whole), Loosely),
    })
}

struct Reading<'t, 'a> {
    text: &'t str,
    at: usize,
    depth: u32,
    operators: usize,
    atom: &'a dyn Fn(usize) -> Option<(usize, Atom)>,
}

impl Reading<'_, '_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    /// The operands joined by operators that bind at least so.
    fn joined(&mut self, least: u8) -> Option<Value> {
        let mut left = self.single()?;
        loop {
            let rest = self.rest();
            let found = OPERATORS.iter().find(|(mark, ..)| rest.starts_with(mark));
            let Some((mark, operator, binds, word)) = found.filter(|(_, _, binds, _)| *binds >= least) else {
                return Some(left);
            };
            self.at += mark.len();
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                return None;
            }
            let right = self.joined(binds + 1)?;
            left = joined(*operator, word, left, right)?;
        }
    }

    /// An operand with the operators before it.
    fn single(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let first = self.rest().bytes().next()?;
        let value = match first {
            b'-' | b'~' | b'!' | b'+' => {
                self.at += 1;
                let value = self.single()?;
                match (first, value) {
                    (b'-', Value::Number(number)) => Value::Number(number.wrapping_neg()),
                    (b'~', Value::Number(number)) => Value::Number(!number),
                    (b'!', Value::Number(number)) => Value::Number(i64::from(number == 0)),
                    (b'+', value) => value,
                    (b'-', value) => Value::Text(format!("-{}", value.text(Binds::Whole)), Binds::Loosely),
                    (b'~', value) => Value::Text(format!("not {}", value.text(Binds::Whole)), Binds::Loosely),
                    (_, value) => Value::Text(format!("({} eq 0) and 1", value.text(Binds::Whole)), Binds::Loosely),
                }
            }
            b'(' => {
                self.at += 1;
                let value = self.joined(0)?;
                let closed = self.rest().starts_with(')');
                self.at += usize::from(closed);
                closed.then_some(value)?
            }
            _ => {
                let (end, atom) = (self.atom)(self.at)?;
                self.at = end;
                match atom {
                    Atom::Number(number) => Value::Number(number),
                    Atom::Text(text) => Value::Text(text, Binds::Whole),
                }
            }
        };
        self.depth -= 1;
        Some(value)
    }
}

/// An expression, the whole of `text` from `at` on, as MASM computes the same, and whether it is a number; `None` if it
/// is no expression. `atom` has what begins at a place that is no operator, and its end.
pub(super) fn written(text: &str, at: usize, atom: &dyn Fn(usize) -> Option<(usize, Atom)>) -> Option<(String, bool)> {
    Some(match value(text, at, atom)? {
        Value::Number(number) => (number.to_string(), true),
        value => (value.text(Binds::AsSum), false),
    })
}

/// The value of such an expression if it is a number.
pub(super) fn number(text: &str, at: usize, atom: &dyn Fn(usize) -> Option<(usize, Atom)>) -> Option<i64> {
    match value(text, at, atom)? {
        Value::Number(number) => Some(number),
        Value::Text(..) => None,
    }
}

fn value(text: &str, at: usize, atom: &dyn Fn(usize) -> Option<(usize, Atom)>) -> Option<Value> {
    let mut reading = Reading {
        text,
        at,
        depth: 0,
        operators: 0,
        atom,
    };
    let value = reading.joined(0)?;
    reading.rest().is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{Atom, written};

    fn as_masm(text: &str) -> Option<String> {
        let atom = |at: usize| {
            let length = text[at..].bytes().take_while(u8::is_ascii_alphanumeric).count();
            let word = &text[at..at + length];
            let atom = match word.parse() {
                Ok(number) => Atom::Number(number),
                Err(_) => Atom::Text(word.to_owned()),
            };
            (length > 0).then_some((at + length, atom))
        };
        written(text, 0, &atom).map(|(made, _)| made)
    }

    #[test]
    fn numbers_are_computed_in_the_order_of_gnus_assembler() {
        for (text, value) in [
            ("~1+2", "0"),
            ("1|2&4", "0"),
            ("1|2^3&1", "0"),
            ("~0<<4", "-16"),
            ("~3*2", "-8"),
            ("-1>>4", "1152921504606846975"),
            ("1-2>>1", "0"),
            ("-8%3", "-2"),
            ("1==1", "-1"),
            ("1&&2", "1"),
            ("3!1", "-1"),
            ("!0+5", "6"),
            ("5-+3", "2"),
            ("- -3", "3"),
            ("(1|2)*3", "9"),
            ("1<<40>>8", "4294967296"),
        ] {
            assert_eq!(as_masm(text).as_deref(), Some(value), "{text}");
        }
        for none in ["1/0", "(1", "1 2", "1+", ""] {
            assert_eq!(as_masm(none), None, "{none}");
        }
        let deep = "(".repeat(40_000) + "1" + &")".repeat(40_000);
        assert_eq!(as_masm(&deep), None);
        assert_eq!(as_masm(&("~".repeat(40_000) + "1")), None);
        assert_eq!(as_masm(&("a|".repeat(40_000) + "1")), None);
    }

    #[test]
    fn names_stay_in_an_expression_that_masm_computes_alike() {
        for (text, made) in [
            ("a+4-1", "a+4-1"),
            ("a+2|1", "a+3"),
            ("a|b&c", "((a or b) and c)"),
            ("a|b+c", "(a or b)+c"),
            ("~a*2", "(not a)*2"),
            ("a*4+b", "a*4+b"),
            ("a-(b-c)", "a-(b-c)"),
            ("a+-3", "a-3"),
            ("a--3", "a+3"),
            ("a*-3", "a*(-3)"),
            ("!a", "((a eq 0) and 1)"),
            ("a&&b", "(((a ne 0) and (b ne 0)) and 1)"),
            ("-1+a", "-1+a"),
            ("a+(1<<33)+1", "a+8589934592+1"),
        ] {
            assert_eq!(as_masm(text).as_deref(), Some(made), "{text}");
        }
    }
}
