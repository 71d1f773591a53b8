//! The parameters of macros and the arguments of calls.

use super::body::is_of_name;
use std::rc::Rc;

/// How a parameter takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Optional,
    Required,
    /// It takes all that follow.
    Rest,
}

/// A macro's parameters.
pub(super) struct Parameters {
    pub(super) names: Rc<[String]>,
    kinds: Vec<Kind>,
    defaults: Vec<String>,
}

/// Whether a blank counts behind or before a byte: it may end a name or an operand, or begin one.
fn is_of_operand(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.$*%-([\\\"'".contains(&byte)
}

/// A text without the blanks that mean nothing: those beside marks, and all but one of several.
pub(super) fn scrubbed(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut quote = false;
    let mut blank = false;
    for one in text.trim().chars() {
        if !quote && matches!(one, ' ' | '\t') {
            blank = true;
            continue;
        }
        if blank {
            let before = made.bytes().next_back().is_some_and(is_of_operand);
            let mut bytes = [0; 4];
            if before && is_of_operand(one.encode_utf8(&mut bytes).as_bytes()[0]) {
                made.push(' ');
            }
            blank = false;
        }
        quote ^= one == '"' && !made.ends_with('\\');
        made.push(one);
    }
    made
}

/// The text in quotation marks at the start of a text, and its length with them.
fn in_quotes(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let mut made = Vec::new();
    let (mut at, mut escaped) = (1, false);
    while at < bytes.len() {
        escaped = bytes[at - 1] == b'\\' && !escaped && at > 1;
        if bytes[at] == b'"' {
            match (escaped, bytes.get(at + 1)) {
                (true, _) => {}
                (false, Some(b'"')) => at += 1,
                (false, _) => {
                    at += 1;
                    break;
                }
            }
        }
        made.push(bytes[at]);
        at += 1;
    }
    Some((String::from_utf8(made).ok()?, at))
}

/// A whole text in quotation marks without them.
pub(super) fn quoted(text: &str) -> Option<String> {
    let (inside, length) = in_quotes(text)?;
    (length == text.len()).then_some(inside)
}

/// The argument at the start of a text without needless blanks, and its length.
fn argument(text: &str) -> (String, usize) {
    if let Some(found) = in_quotes(text) {
        return found;
    }
    let bytes = text.as_bytes();
    let mut brackets = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b',' => break,
            b' ' | b'\t' if brackets.is_empty() => break,
            b'"' | b'\'' => {
                // One that is not closed reaches up to the end, except for a character: that has no second mark.
                let end = text[at + 1..].find(char::from(byte)).map(|end| at + 1 + end);
                at = match (end, byte) {
                    (Some(end), _) => end,
                    (None, b'\'') => at,
                    (None, _) => bytes.len() - 1,
                };
            }
            b'(' | b'[' => brackets.push(byte),
            b')' if brackets.last() == Some(&b'(') => _ = brackets.pop(),
            b']' if brackets.last() == Some(&b'[') => _ = brackets.pop(),
            _ => {}
        }
        at += 1;
    }
    (text[..at].to_owned(), at)
}

/// A text from behind its first comma, if it begins with one, without blanks.
fn behind_comma(text: &str) -> &str {
    let text = text.trim_start();
    text.strip_prefix(',').unwrap_or(text).trim_start()
}

/// The arguments of a text without needless blanks.
pub(super) fn list(text: &str) -> Vec<String> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (value, length) = argument(rest);
        found.push(value);
        rest = behind_comma(&rest[length..]);
    }
    found
}

/// The name at the start of a text, and what follows it.
pub(super) fn name(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let length = text.bytes().take_while(|byte| is_of_name(*byte)).count();
    text.split_at(length)
}

/// The name that such a text begins with, and the values behind a comma.
pub(super) fn named(text: &str) -> (&str, &str) {
    let (first, rest) = name(text);
    (first, behind_comma(rest))
}

/// The values of `.irpc`: the characters of a text.
pub(super) fn characters(text: &str) -> Vec<String> {
    match in_quotes(text) {
        Some((inside, _)) => inside.chars().map(String::from).collect(),
        None => {
            let visible = text.chars().filter(|one| !matches!(one, ' ' | '\t'));
            visible.map(String::from).collect()
        }
    }
}

impl Parameters {
    /// Those of a definition; why they are none.
    pub(super) fn of(text: &str) -> Result<Parameters, String> {
        let text = scrubbed(text);
        let mut rest = behind_comma(&text);
        let (mut names, mut kinds, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
        while !rest.is_empty() {
            let (name, behind) = name(rest);
            if name.is_empty() {
                return Err(format!("expected the name of a parameter, found `{rest}`"));
            }
            if names.iter().any(|known| known == name) {
                return Err(format!("two parameters are called `{name}`"));
            }
            rest = behind;
            let mut kind = Kind::Optional;
            if let Some(qualified) = rest.strip_prefix(':') {
                let (word, behind) = self::name(qualified);
                kind = match word {
                    "req" => Kind::Required,
                    "vararg" => Kind::Rest,
                    _ => return Err(format!("`:{word}` is neither `:req` nor `:vararg`")),
                };
                rest = behind;
            }
            let mut default = String::new();
            if let Some(value) = rest.strip_prefix('=') {
                let (value, length) = argument(value);
                rest = &rest[1 + length..];
                default = value;
            }
            names.push(name.to_owned());
            kinds.push(kind);
            defaults.push(default);
            rest = behind_comma(rest);
            if kind == Kind::Rest && !rest.is_empty() {
                return Err(format!("no parameter may follow `{}:vararg`", names[names.len() - 1]));
            }
        }
        Ok(Parameters {
            names: names.into(),
            kinds,
            defaults,
        })
    }

    /// The texts of the parameters in a call; why it has none.
    pub(super) fn bind(&self, text: &str) -> Result<Vec<String>, String> {
        let mut values = vec![String::new(); self.names.len()];
        let mut rest = text;
        let (mut next, mut by_name) = (0, false);
        while !rest.is_empty() {
            let (name, behind) = name(rest);
            let place = match behind.strip_prefix('=').filter(|_| !name.is_empty()) {
                Some(value) => {
                    rest = value;
                    by_name = true;
                    let known = self.names.iter().position(|known| known == name);
                    known.ok_or_else(|| format!("it has no parameter `{name}`"))?
                }
                None if by_name => return Err("an argument without a name follows one with a name".to_owned()),
                None => {
                    next += 1;
                    next - 1
                }
            };
            let Some(kind) = self.kinds.get(place) else {
                return Err(match self.names.len() {
                    0 => "it has no parameters".to_owned(),
                    1 => "it has one parameter".to_owned(),
                    count => format!("it has {count} parameters"),
                });
            };
            let (value, length) = match kind {
                Kind::Rest if !by_name => (rest.to_owned(), rest.len()),
                _ => argument(rest),
            };
            values[place] = value;
            rest = behind_comma(&rest[length..]);
        }
        for (place, value) in values.iter_mut().enumerate().filter(|(_, value)| value.is_empty()) {
            if self.kinds[place] == Kind::Required {
                return Err(format!("`{}` has no value, but must have one", self.names[place]));
            }
            value.clone_from(&self.defaults[place]);
        }
        Ok(values)
    }

    /// The bytes of memory that they take.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.names.iter().chain(&self.defaults);
        texts.map(|text| text.len() + 2 * size_of::<String>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameters, list, scrubbed};

    #[test]
    fn blanks_and_commas_part_arguments() {
        for (text, parts) in [
            ("1 2 3", &["1", "2", "3"][..]),
            ("1 + 2, 3", &["1+2", "3"]),
            ("(%eax,%ebx), 4", &["(%eax", "%ebx)", "4"]),
            ("\"x y\", z", &["x y", "z"]),
            ("\"4(%eax,%ebx)\" 5", &["4(%eax,%ebx)", "5"]),
            ("[eax + 4], q", &["[eax+4]", "q"]),
            ("-1, +2", &["-1", "+2"]),
            ("1 -2", &["1", "-2"]),
            ("x(y) z", &["x(y)z"]),
            ("~3 & 7 | 4", &["~3&7|4"]),
            (", 2", &["", "2"]),
        ] {
            assert_eq!(list(&scrubbed(text)), parts, "{text}");
        }
    }

    #[test]
    fn parameters_have_defaults_and_names() {
        let all = Parameters::of("a, b = 7 c:req, d:vararg").expect("parameters");
        assert_eq!(
            all.bind("1,,3,4,5"),
            Ok(["1", "7", "3", "4,5"].map(str::to_owned).to_vec())
        );
        assert_eq!(all.bind("c=2,a=9"), Ok(["9", "7", "2", ""].map(str::to_owned).to_vec()));
        assert!(all.bind("1,2").is_err());
        assert!(Parameters::of("a, a").is_err());
    }
}
