//! Names of C++ as demanglers write them, `sum(int const*, int)` and `std::vector<int>::size() const`, and of Rust,
//! `<Fnv as core::hash::Hasher>::write`: where they stand in a line. What is not surely such a name is left to the
//! parser.

use super::table::is_before_operand;
use super::word::{OF_LINKER, character, is_name as of_word};
use crate::lex::marked_length;
use crate::select;
use std::ops::Range;

/// What stands after `operator` in a name, the longest first of those that begin alike.
const SYMBOLS: [&str; 40] = [
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&", "||", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "^=", "&=", "|=", "\"\"", "<", ">", ",", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!",
    "=",
];
/// The beginnings of square brackets that belong to a name.
const IN_BRACKETS: [&str; 7] = [
    "[]",
    "[abi:",
    "[clone ",
    "[base ",
    "[complete ",
    "[deleting ",
    "[unified ",
];
/// What names begin with that are no functions.
const PHRASES: [&str; 9] = [
    "vtable for ",
    "VTT for ",
    "construction vtable for ",
    "typeinfo for ",
    "typeinfo name for ",
    "guard variable for ",
    "reference temporary ",
    "TLS init function for ",
    "TLS wrapper function for ",
];
/// The words with which lines of other languages begin that end with a colon.
const OTHERS: [&str; 13] = [
    "case", "class", "def", "else", "elif", "except", "for", "if", "struct", "switch", "while", "with", "return",
];

/// The most bytes of a name: so that brackets which nothing closes are not followed again and again.
const LONGEST: usize = 1024;

/// Whether a hash at `at` stands before the number of something without a name: `{lambda(int)#1}`, `{unnamed type#1}`,
/// `{closure#0}`.
pub(super) fn is_number(line: &str, at: usize) -> bool {
    let behind = line[at + 1..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = line.len() - at - 1 - behind.len();
    let begun = line[..at]
        .rfind("{lambda(")
        .or_else(|| line[..at].rfind("{unnamed type"))
        .or_else(|| line[..at].rfind("{closure"))
        .or_else(|| line[..at].rfind("{shim:"));
    digits > 0 && behind.starts_with('}') && begun.is_some_and(|begun| !line[begun..at].contains('}'))
}

/// Whether a text is a name that has more than letters, digits and the marks of an assembler's names.
pub(super) fn is_cxx(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || "_~({`?$".contains(first));
    let begins = begins || begins_rust(name);
    let first = name.split([' ', '(', ':']).next().unwrap_or_default();
    let more = name.contains("::")
        || name.contains('(') && !name.starts_with('(')
        || name.starts_with("(anonymous namespace)")
        || name.contains('<') && name.ends_with('>')
        || PHRASES.iter().any(|phrase| name.starts_with(phrase));
    let is_complement = name.starts_with('~') && !name[1..].starts_with(|next: char| next.is_ascii_alphabetic());
    begins && more && !is_complement && !OTHERS.contains(&first) && end(name, 0, &|_, _| false) == Some(name.len())
}

/// Whether a text begins with the type of a method of Rust: `<Fnv as core::hash::Hasher>::write`.
fn begins_rust(text: &str) -> bool {
    text.starts_with('<') && text.contains(">::")
}

/// The same for a name with the type before it, as Microsoft's compilers write the names of functions and of data.
pub(super) fn is_typed(name: &str) -> bool {
    let of_word =
        |word: &str| word.bytes().all(crate::lex::is_word) && word.starts_with(|first: char| !first.is_ascii_digit());
    let is_instruction = |word: &str| word != "int" && select::instruction(word).is_some();
    let mut words = name.split(' ');
    let typed = name.contains(' ')
        && words
            .next()
            .is_some_and(|first| of_word(first) && !is_instruction(first))
        && words.next_back().is_some_and(of_word)
        && words.all(|word| of_word(word) || matches!(word, "*" | "&" | "**"));
    typed || is_cxx(name)
}

/// The length of the symbol of an operator at `at`, with the word before it.
fn operator(text: &str, at: usize) -> Option<usize> {
    const WORD: &str = "operator";
    let behind = text.get(at..)?.strip_prefix(WORD)?;
    let begins = !text[..at].ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
    let symbol = SYMBOLS.iter().find(|symbol| behind.starts_with(**symbol));
    symbol.filter(|_| begins).map(|symbol| WORD.len() + symbol.len())
}

/// The end of the name that begins at `start`: the first place outside its brackets where `ends` says so, or the end of
/// the text. `None` if its brackets do not match, or if it has what no name has.
fn end(text: &str, start: usize, ends: &dyn Fn(&str, usize) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if at - start > LONGEST {
            return None;
        }
        if let Some(length) = operator(text, at) {
            at += length;
            continue;
        }
        if open.is_empty() && at > start && is_operator(text, at) {
            return Some(at);
        }
        let own = || IN_BRACKETS.iter().any(|begin| text[at..].starts_with(begin));
        if open.is_empty() && !(byte == b'[' && own()) && ends(text, at) {
            return Some(at);
        }
        match byte {
            // What a function of Rust returns.
            b'-' if !open.is_empty() && bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'(' => open.push(b')'),
            b'{' => open.push(b'}'),
            b'<' => open.push(b'>'),
            b'[' => open.push(b']'),
            b')' | b'}' | b'>' | b']' if open.pop() != Some(byte) => return None,
            b':' if open.is_empty() && bytes.get(at + 1) != Some(&b':') => return None,
            b':' if bytes.get(at + 1) == Some(&b':') => at += 1,
            b';' | b'"' | b'%' | b'|' | b'^' | b'!' => return None,
            _ if !byte.is_ascii() || byte.is_ascii_control() => return None,
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some(at)
}

/// Whether an operator of an expression stands at `at`, which is outside the brackets of a name and after its start:
/// `k-~(b-a)`, `k*(b-a)`. What a name has of these characters there is a destructor, a type's mark or a thunk.
fn is_operator(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    match rest[0] {
        b'~' => !text[..at].ends_with("::"),
        b'-' => !(text[..at].ends_with("non") && rest.starts_with(b"-virtual ")),
        b'+' | b'/' | b'=' => true,
        b'<' => matches!(rest.get(1), Some(b'<' | b'>')),
        b'*' | b'&' if text[..at].ends_with(' ') => true,
        b'*' | b'&' => (rest.get(1)).is_some_and(|next| b"(~-+_.'".contains(next) || next.is_ascii_alphanumeric()),
        _ => false,
    }
}

/// The name in a line, without its comment, that is a label of C++ and nothing more.
pub(super) fn label(code: &str) -> Option<Range<usize>> {
    let text = code.trim();
    let name = text.strip_suffix(':').filter(|name| !name.ends_with(':'))?.trim_end();
    let start = code.len() - code.trim_start().len();
    let first = name.split([' ', '\t']).next().unwrap_or_default();
    // `int` is a type, too.
    let instructs = first != "int" && first.len() < name.len() && select::instruction(first).is_some();
    (!instructs && !name.contains('\t') && is_cxx(name)).then(|| start..start + name.len())
}

/// The names of C++ among the operands of an instruction, which `part` of the line is. The operand of a branch is one
/// name, unless it is memory or a register.
pub(super) fn operands(line: &str, part: Range<usize>, branches: bool) -> Vec<Range<usize>> {
    names(line, part, branches, is_cxx)
}

/// The same with the types before names.
pub(super) fn typed_operands(line: &str, part: Range<usize>, branches: bool) -> Vec<Range<usize>> {
    names(line, part, branches, is_typed)
}

fn names(line: &str, part: Range<usize>, branches: bool, is_name: fn(&str) -> bool) -> Vec<Range<usize>> {
    let text = &line[..part.end];
    // Most operands have nothing of it.
    if !line[part.clone()].contains(['(', '<', ':', ' ']) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = part.start;
    let mut in_memory = false;
    while at < part.end {
        let rest = &text[at..];
        let byte = rest.as_bytes()[0];
        if let Some(length) = before(rest) {
            in_memory |= rest[..length].trim_end().eq_ignore_ascii_case("ptr");
            at += length;
            continue;
        }
        if byte == b'\'' {
            at += character(rest).1;
            continue;
        }
        if !begins_name(byte) && !begins_rust(rest) {
            in_memory = byte != b',' && (in_memory || byte == b'[');
            // The digits of a number are no name.
            let word = rest.bytes().take_while(|byte| of_word(*byte)).count();
            let word = word.max(marked_length(rest));
            at += word.max(rest.chars().next().map_or(1, char::len_utf8));
            continue;
        }
        let whole = branches && !in_memory;
        let ends = |text: &str, at: usize| ends(text, at, whole);
        let Some(stop) = end(text, at, &ends) else {
            return found;
        };
        let name = text[at..stop].trim_end();
        // `a<b>=c` compares.
        if is_name(name) && !is_floating(name) && !text[stop..].starts_with('=') {
            found.push(at..at + name.len());
        }
        at = stop.max(at + 1);
    }
    found
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || b"_~({`?$".contains(&byte)
}

/// The error for a text that is no name: it has a bracket that nothing closes, or a character that no name has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoName;

/// The name of C++ with which an operand in AT&T syntax begins, after its marks.
pub(super) fn of_att(line: &str, part: Range<usize>) -> Result<Option<Range<usize>>, NoName> {
    let text = &line[..part.end];
    let operand = &line[part.clone()];
    if !operand.bytes().next().is_some_and(begins_name) && !begins_rust(operand) {
        return Ok(None);
    }
    // A parenthesis with registers belongs to the address.
    let ends = |text: &str, at: usize| match &text[at..] {
        rest if rest.starts_with('(') => rest[1..].trim_start().starts_with(['%', ',']),
        _ => ends(text, at, true),
    };
    let stop = end(text, part.start, &ends).ok_or(NoName)?;
    let name = text[part.start..stop].trim_end();
    let compares = text[stop..].starts_with('=');
    Ok((is_cxx(name) && !compares).then(|| part.start..part.start + name.len()))
}

/// Whether a place is within one of these parts of a line, which are in order.
pub(super) fn is_within(names: &[Range<usize>], at: usize) -> bool {
    let next = names.partition_point(|name| name.end <= at);
    names.get(next).is_some_and(|name| name.contains(&at))
}

/// Whether it is a register of the floating-point stack.
fn is_floating(name: &str) -> bool {
    let inside = name.get(..3).filter(|word| word.eq_ignore_ascii_case("st("));
    inside.is_some_and(|_| name.len() == 5 && name.ends_with(')'))
}

/// The length of a word or of a segment before an operand's name, with the blanks after it.
fn before(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if length == 0 {
        return None;
    }
    let (word, behind) = text.split_at(length);
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    let is_segment = behind.starts_with(':') && !behind.starts_with("::");
    if is_segment && (word.eq_ignore_ascii_case("flat") || select::register(word).is_some()) {
        return Some(length + 1);
    }
    (is_before_operand(word) && blanks > 0).then_some(length + blanks)
}

/// Whether an operand's name ends before this place, which is outside its brackets.
fn ends(text: &str, at: usize, whole: bool) -> bool {
    let rest = &text[at..];
    let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    match rest.as_bytes()[0] {
        b',' | b']' | b'[' => true,
        b'+' | b'-' | b'*' | b'/' | b'&' if !whole && rest[1..].starts_with(['(', '.']) => true,
        b'@' => OF_LINKER.iter().any(|table| rest.starts_with(*table)),
        b'+' | b'-' => {
            let behind = rest[1..].trim_start();
            is_number(behind) || !whole && (rest.starts_with('+') || rest[1..].starts_with(' ') || is_register(behind))
        }
        b'*' => !whole && (is_register(rest[1..].trim_start()) || is_number(&rest[1..])),
        _ => false,
    }
}

fn is_register(text: &str) -> bool {
    let word = text.split(|byte: char| !byte.is_ascii_alphanumeric()).next();
    word.is_some_and(|word| select::register(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::{label, of_att, operands};

    fn names(line: &str, branches: bool) -> Vec<&str> {
        operands(line, 0..line.len(), branches)
            .into_iter()
            .map(|name| &line[name])
            .collect()
    }

    #[test]
    fn labels_are_names_of_functions_and_data() {
        for name in [
            "sum(int const*, int)",
            "std::vector<int, std::allocator<int> >::size() const",
            "operator+(A const&, A const&)",
            "bool operator< <int>(A<int> const&, A<int> const&)",
            "A::operator->()",
            "operator new[](unsigned int)",
            "unsigned int foo<unsigned int>(unsigned int)",
            "int* std::copy<int*, int*>(int*, int*, int*)",
            "(anonymous namespace)::f(int)",
            "main::{lambda(int)#1}::operator()(int) const",
            "A::A() [base object constructor]",
            "f(int) [clone .part.0]",
            "A::~A()",
            "A::count",
            "vtable for A",
            "guard variable for f()::x",
            "non-virtual thunk to A::f()",
            "std::__cxx11::basic_string<char>::size[abi:cxx11]() const",
        ] {
            let line = format!("  {name}:");
            assert_eq!(label(&line), Some(2..2 + name.len()), "{name}");
        }
        for line in [
            "main:",
            ".L3:",
            "mov eax, f(1):",
            "case f(1):",
            "def f(a, b):",
            "f(int)",
            "f(int:",
            "f)int(:",
            "a b:",
            "\"f(int)\":",
            "public: f::",
            "x: mov eax, A::b:",
        ] {
            assert_eq!(label(line), None, "{line}");
        }
    }

    #[test]
    fn operands_have_names_in_them() {
        for (line, branches, expected) in [
            ("sum(int const*, int)", true, &["sum(int const*, int)"][..]),
            ("fact(int)@PLT", true, &["fact(int)"]),
            ("A::f() const", true, &["A::f() const"]),
            ("int* copy<int*>(int*)", true, &["int* copy<int*>(int*)"]),
            ("SHORT A::f()", true, &["A::f()"]),
            ("eax, OFFSET FLAT:f(int)", false, &["f(int)"]),
            ("eax, OFFSET FLAT:vtable for A+8", false, &["vtable for A"]),
            ("eax, DWORD PTR A::table[0+eax*4]", false, &["A::table"]),
            ("DWORD PTR A::count, 1", false, &["A::count"]),
            ("eax, dword ptr [4*eax + A::table]", false, &["A::table"]),
            ("DWORD PTR [eax+A::table+4]", true, &["A::table"]),
            ("DWORD PTR A::table[0+eax*4]", true, &["A::table"]),
            ("eax, DWORD PTR fs:A::x", false, &["A::x"]),
            (
                "std::ostream::operator<<(int)",
                true,
                &["std::ostream::operator<<(int)"],
            ),
            ("eax, DWORD PTR [esp+4]", false, &[]),
            ("st(1), st", false, &[]),
            ("st, st(1)", false, &[]),
            ("eax, DWORD PTR gs:20", false, &[]),
            (".L3", true, &[]),
            ("eax, a*(b+1)", false, &[]),
            ("eax, a-(b)", false, &[]),
            ("k-~(b-a)", false, &[]),
            ("k- -(b-a)", true, &[]),
            ("k*~(b-a)", false, &[]),
            ("k<<-2&-(b-a)>>3", false, &[]),
            ("k<>-(b-a)", false, &[]),
            ("k && (b-a)", false, &[]),
            ("k&c==(b-a)", false, &[]),
            ("k<c>=b", false, &[]),
            ("A::operator=(A const&)", true, &["A::operator=(A const&)"]),
            ("k&~(b-a), A::x", false, &["A::x"]),
            ("A::~A()-4", false, &["A::~A()"]),
            ("non-virtual thunk to A::~A()", true, &["non-virtual thunk to A::~A()"]),
            (".L4-f(int)", false, &["f(int)"]),
            ("f(int)-.L4", false, &["f(int)"]),
            ("f(int)@GOTOFF", false, &["f(int)"]),
        ] {
            assert_eq!(names(line, branches), expected, "{line}");
        }
    }
    #[test]
    fn operands_in_att_syntax_begin_with_names() {
        for (operand, expected) in [
            ("f(int)", Some("f(int)")),
            ("int pick<int, char>(int, char)", Some("int pick<int, char>(int, char)")),
            ("A::table(,%ebx,4), %edx", Some("A::table")),
            ("A::table+4(%eax)", Some("A::table")),
            ("operator-(A const&, A const&)", Some("operator-(A const&, A const&)")),
            ("vtable for A+8, (%eax)", Some("vtable for A")),
            ("f(int)@PLT", Some("f(int)")),
            ("table(%eax)", None),
            ("%gs:20", None),
            ("-4(%ebp)", None),
            ("k-~(b-a)", None),
            ("k<c>=b", None),
            ("k- -(b-a)(%eax)", None),
            ("A::table-4(%eax)", Some("A::table")),
            ("a<b,a<b", None),
        ] {
            let name = of_att(operand, 0..operand.len()).ok().flatten();
            assert_eq!(name.map(|name| &operand[name]), expected, "{operand}");
        }
    }
}
