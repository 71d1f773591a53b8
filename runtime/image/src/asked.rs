//! The functions that people mean by a name: it may be whole, lack the parts that C++ and Rust add to it, or be the one
//! that linkers see.

use crate::load::demangled_name;
use std::collections::BTreeSet;

/// How well a known name is the one that is asked for, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    /// As linkers see it, or in another case.
    Other,
    /// Without its parameters and the type that it returns.
    Plain,
    /// Without arguments of templates, too.
    Bare,
    /// Without the path before it, or only the end of it.
    End,
}

/// The forms of a name.
struct Forms {
    whole: String,
    /// Without parameters, and without the type that it returns.
    plain: String,
    /// Without arguments of templates, too.
    bare: String,
}

impl Forms {
    fn of(name: &str) -> Forms {
        let listed = name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
        let name = listed.filter(|name| !name.contains(" as ")).unwrap_or(name);
        let whole = demangled_name(name).unwrap_or_else(|| name.to_owned());
        // Of a name that Microsoft's compilers make, the part that the source has.
        let own = whole.strip_prefix('?').and_then(|rest| rest.split('@').next());
        let own = own.filter(|own| !own.is_empty() && !own.starts_with('?'));
        let (plain, bare) = match own {
            Some(own) => (own.to_owned(), own.to_owned()),
            None => (without(&whole, false), without(&whole, true)),
        };
        Forms { whole, plain, bare }
    }
}

/// A name without its parameters and the type before it, and perhaps without the arguments of templates.
fn without(name: &str, templates: bool) -> String {
    const OPERATOR: &str = "operator";
    let mut kept = String::new();
    let mut open: Vec<char> = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while let Some(one) = name[at..].chars().next() {
        let rest = &name[at..];
        let begins = !name[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_');
        if open.is_empty() && rest.starts_with(OPERATOR) && begins {
            // What stands up to its parameters is a part of its name.
            let symbol = &rest[OPERATOR.len()..];
            let parameters = symbol
                .get(2..)
                .filter(|_| symbol.starts_with("()"))
                .map_or(symbol, |rest| rest);
            let end = rest.len() - parameters.len() + parameters.find('(').unwrap_or(parameters.len());
            kept += rest[..end].trim_end();
            break;
        }
        let anonymous = "(anonymous namespace)";
        if open.is_empty() && rest.starts_with(anonymous) {
            kept += anonymous;
            at += anonymous.len();
            continue;
        }
        at += one.len_utf8();
        // What parameters have in these brackets goes with them.
        let in_parameters = open.first() == Some(&')');
        let is_template =
            !in_parameters && (matches!(one, '<' | '{') || open.iter().any(|open| matches!(open, '>' | '}')));
        match one {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '<' => open.push('>'),
            ')' | ']' | '}' | '>' if open.last() == Some(&one) => {
                open.pop();
                if is_template && !templates {
                    kept.push(one);
                }
                continue;
            }
            ' ' if open.is_empty() => {
                // A type stands before a name, and what is said of a function after its parameters.
                let more = rest.trim_start();
                if ["const", "volatile", "[", "&"]
                    .iter()
                    .any(|said| more.starts_with(said))
                    && name[..at].contains('(')
                {
                    break;
                }
                begin = kept.len();
                continue;
            }
            _ => {}
        }
        if open.is_empty() || is_template && !templates {
            kept.push(one);
        }
    }
    let own = kept.get(begin..).unwrap_or_default().trim_start_matches(['*', '&']);
    own.to_owned()
}

/// Whether `name` is the last part, or the last parts, of `path`.
fn ends(path: &str, name: &str) -> bool {
    !name.is_empty() && path.strip_suffix(name).is_some_and(|before| before.ends_with("::"))
}

/// How well `known` is what `asked` asks for.
fn fit(known: &str, asked: &Forms, given: &str) -> Option<Fit> {
    if known == given {
        return Some(Fit::Whole);
    }
    let forms = Forms::of(known);
    let is_mangled = asked.whole != given;
    // C compilers of other systems write a mark before the names of their sources.
    let marked = known.strip_prefix('_').is_some_and(|known| known == given);
    if forms.whole == asked.whole || known.eq_ignore_ascii_case(given) || marked {
        return Some(Fit::Other);
    }
    if is_mangled {
        return (forms.plain == asked.plain && forms.whole == forms.plain).then_some(Fit::Plain);
    }
    match given {
        _ if forms.plain == given => Some(Fit::Plain),
        _ if forms.bare == given => Some(Fit::Bare),
        _ if [&forms.whole, &forms.plain, &forms.bare]
            .iter()
            .any(|form| ends(form, given)) =>
        {
            Some(Fit::End)
        }
        _ => None,
    }
}

/// The names among those that are known which `asked` means: those that it fits best.
pub fn meant<'n>(known: impl Iterator<Item = &'n str>, asked: &str) -> BTreeSet<&'n str> {
    let forms = Forms::of(asked);
    let mut best: Option<Fit> = None;
    let mut names = BTreeSet::new();
    for name in known {
        let Some(fit) = fit(name, &forms, asked) else { continue };
        if best.is_none_or(|best| fit < best) {
            best = Some(fit);
            names.clear();
        }
        if best == Some(fit) {
            names.insert(name);
        }
    }
    names
}

/// Those of several names that are not another one without its parameters: what a compiler copied into other functions
/// is called so.
pub fn apart<'n>(names: &BTreeSet<&'n str>) -> Vec<&'n str> {
    let plain = |name: &&str| Some(Forms::of(name).plain).filter(|plain| plain != name);
    let plain: BTreeSet<String> = names.iter().filter_map(plain).collect();
    names.iter().filter(|name| !plain.contains(**name)).copied().collect()
}

/// What a name is without its path, its parameters and the arguments of templates.
pub fn simple(name: &str) -> String {
    let bare = Forms::of(name).bare;
    match bare.rsplit_once("::").filter(|(_, last)| !last.is_empty()) {
        Some((_, last)) => last.to_owned(),
        None => bare,
    }
}

/// What a name is in a table: with its path, but without parameters, and with `<...>` in the place of arguments of
/// templates.
pub fn brief(name: &str) -> String {
    let plain = Forms::of(name).plain;
    let (mut kept, mut open) = (String::new(), 0_u32);
    for (at, one) in plain.char_indices() {
        let operator = plain[..at].trim_end().ends_with("operator") || plain[..at].ends_with("operator<");
        // Types of Rust begin so, and a name in brackets is no argument.
        let begins = one == '<' && at > 0 && !operator;
        match one {
            '<' if open > 0 => open += 1,
            '<' if begins => {
                open = 1;
                kept += "<...>";
            }
            '>' if open > 0 => open -= 1,
            _ if open == 0 => kept.push(one),
            _ => {}
        }
    }
    kept
}

/// The names that contain a word, in any case.
pub fn containing<'n>(known: impl Iterator<Item = &'n str>, word: &str) -> BTreeSet<&'n str> {
    let word = word.to_ascii_lowercase();
    let mut known: BTreeSet<&str> = known.collect();
    known.retain(|name| !word.is_empty() && name.to_ascii_lowercase().contains(&word));
    known
}

#[cfg(test)]
mod tests {
    use super::{Forms, apart, brief, containing, meant};
    use std::collections::BTreeSet;

    #[test]
    fn forms_of_names_lack_what_languages_add() {
        for (name, plain, bare) in [
            ("sum(int const*, int)", "sum", "sum"),
            (
                "std::vector<int, std::allocator<int> >::size() const",
                "std::vector<int, std::allocator<int> >::size",
                "std::vector::size",
            ),
            (
                "unsigned int foo<unsigned int>(unsigned int)",
                "foo<unsigned int>",
                "foo",
            ),
            ("int* std::copy<int*>(int*)", "std::copy<int*>", "std::copy"),
            ("A::operator()(int) const", "A::operator()", "A::operator()"),
            (
                "bool operator< <int>(A<int> const&)",
                "operator< <int>",
                "operator< <int>",
            ),
            (
                "(anonymous namespace)::f(int)",
                "(anonymous namespace)::f",
                "(anonymous namespace)::f",
            ),
            ("f(int) [clone .part.0]", "f", "f"),
            ("int fact(int)", "fact", "fact"),
            ("?fact@@YAHH@Z", "fact", "fact"),
            ("_Z3gcdii", "gcd", "gcd"),
            ("<gcd(int, int)>", "gcd", "gcd"),
            (
                "trait::feed::<trait::Ring>",
                "trait::feed::<trait::Ring>",
                "trait::feed::",
            ),
            (".L3", ".L3", ".L3"),
        ] {
            let forms = Forms::of(name);
            assert_eq!((&*forms.plain, &*forms.bare), (plain, bare), "{name}");
        }
    }

    #[test]
    fn brief_names_lack_what_fills_a_line() {
        for (name, told) in [
            ("main", "main"),
            ("sum(int const*, int)", "sum"),
            (
                "void std::__introsort_loop<int*, long, std::less<int> >(int*, int*, long, std::less<int>)",
                "std::__introsort_loop<...>",
            ),
            (
                "std::vector<int, std::allocator<int> >::size() const",
                "std::vector<...>::size",
            ),
            ("<t::Ring as t::Sink>::put", "<t::Ring as t::Sink>::put"),
            ("bool operator< <int>(A<int> const&)", "operator< <...>"),
            ("A::operator()(int) const", "A::operator()"),
        ] {
            assert_eq!(brief(name), told, "{name}");
        }
    }

    #[test]
    fn names_are_meant_by_their_parts() {
        let known = [
            "calc::eval(char const*)",
            "Stack::push(int)",
            "Stack::push",
            "min(int)",
            "min(double)",
            "main",
            "_sum",
            "total<unsigned int>",
            "<t::Ring as t::Sink>::put",
        ];
        let find = |asked: &str| meant(known.into_iter(), asked).into_iter().collect::<Vec<_>>();
        assert_eq!(find("eval"), ["calc::eval(char const*)"]);
        assert_eq!(find("calc::eval"), ["calc::eval(char const*)"]);
        assert_eq!(find("_ZN4calc4evalEPKc"), ["calc::eval(char const*)"]);
        assert_eq!(find("eval(char const*)"), ["calc::eval(char const*)"]);
        assert_eq!(find("Main"), ["main"]);
        assert_eq!(find("sum"), ["_sum"]);
        assert_eq!(find("total"), ["total<unsigned int>"]);
        assert_eq!(find("put"), ["<t::Ring as t::Sink>::put"]);
        assert_eq!(find("min"), ["min(double)", "min(int)"]);
        assert_eq!(find("min(int)"), ["min(int)"]);
        assert_eq!(find("_Z3mini"), ["min(int)"]);
        assert_eq!(find("push"), ["Stack::push", "Stack::push(int)"]);
        assert_eq!(find("pus"), [""; 0]);
        assert_eq!(apart(&meant(known.into_iter(), "push")), ["Stack::push(int)"]);
        assert_eq!(containing(known.into_iter(), "Pus").len(), 2);
    }

    #[test]
    fn thousands_of_methods_of_one_name_are_told_apart_in_one_pass() {
        let names: Vec<String> = (0..20_000).map(|number| format!("C{number}::f(int)")).collect();
        let names: BTreeSet<&str> = names.iter().map(String::as_str).chain(["C7::f"]).collect();
        let found = apart(&names);
        assert_eq!(found.len(), 20_000);
        assert!(!found.contains(&"C7::f"));
    }
}
