//! The code that a budget concerns in the source of a program that another tool has built: a line, by the debugging
//! information, or a function in the line that declares it or in which it begins.

mod head;

use super::code::Code;
use super::comments::Notation;
use super::has_budgets;
use head::Head;
use p5_image::{Functions, Image, SymbolKind};
use p5_results::Scope;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most lines from the one that names a function to the one of its first instruction.
const HEAD: u32 = 20;
/// The most copies of a function that count.
const MOST_COPIES: usize = 4096;
/// The macros whose lines begin regions in assembled sources.
const STARTS: [&str; 2] = ["StartTSC", "StartProfile"];

/// Which lines of the files with budgets have code.
pub(crate) struct Built {
    /// The lines with code, each with its file.
    lines: BTreeSet<(u32, u32)>,
    /// The functions whose first instruction is of a line: name and address.
    functions: BTreeMap<(u32, u32), Vec<(String, u32)>>,
    /// The functions that a line declares, with all that a compiler has made of them.
    declared: BTreeMap<(u32, u32), Vec<(String, u32)>>,
    /// The lines that declare the functions, by address, each with its file.
    places: HashMap<u32, (u32, u32)>,
    /// For each name of code with several, another one of them; `None` if it is the name of several such codes.
    same: HashMap<String, Option<String>>,
}

impl Built {
    pub(crate) fn of(image: &Image) -> Built {
        let concerned: Vec<bool> = image.files.iter().map(has_budgets).collect();
        let is_concerned = |file: u32| concerned.get(file as usize) == Some(&true);
        let rows = image.lines.iter().filter(|row| is_concerned(row.file));
        let mut functions: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let places = &image.inlined.declared;
        let places: HashMap<u32, (u32, u32)> = places.iter().map(|one| (one.address, (one.file, one.line))).collect();
        let mut declared: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let all = Functions::of(image, &[]).0;
        let names = same_names(image);
        let mut parts = Vec::new();
        for function in all {
            if let Some(&place) = places.get(&function.address).filter(|(file, _)| is_concerned(*file)) {
                let all = declared.entry(place).or_default();
                all.push((function.name.clone(), function.address));
                let others = names.get(&function.address).into_iter().flatten();
                let others = others.filter(|name| **name != base(&function.name));
                all.extend(others.map(|name| (name.clone(), function.address)));
            } else if function.name.contains('.') {
                parts.push((function.name.clone(), function.address));
            }
            let row = image.line_at(function.address);
            if let Some(row) = row.filter(|row| is_concerned(row.file)) {
                let all = functions.entry((row.file, row.line)).or_default();
                all.push((function.name, function.address));
            }
        }
        add_parts(&mut declared, parts);
        Built {
            lines: rows.map(|row| (row.file, row.line)).collect(),
            functions,
            declared,
            places,
            same: others(&names),
        }
    }

    /// The scope of a budget on line `number` of a file; `None` if no code follows.
    pub(crate) fn scope(&self, code: &Code<'_>, file: u32, number: u32) -> Option<Scope> {
        if code.notation() != Notation::C {
            let starts = |line| {
                let first = code.line(line).split_whitespace().next();
                first.is_some_and(|word| STARTS.iter().any(|start| start.eq_ignore_ascii_case(word)))
            };
            return code.scope(number, starts);
        }
        let (line, _) = code.concerned(number)?;
        Some(self.function(code, file, line).unwrap_or(Scope::Statement(line)))
    }

    /// The function that a line declares, or in whose head it stands, up to the line that opens the body. If no
    /// debugging information tells, the line names the function or opens its body, and the first instruction is of
    /// this line or, if the line has no code, of the next one with code.
    fn function(&self, code: &Code<'_>, file: u32, line: u32) -> Option<Scope> {
        let text = code.line(line);
        let begins = line.saturating_sub(HEAD).max(1);
        for (&(_, declares), all) in self.declared.range((file, begins)..=(file, line)).rev() {
            let goes_on = || head::brace(code, declares).is_some_and(|brace| line <= brace);
            let text = code.line(declares);
            let named = |name: &str| words(text).any(|word| !word.is_empty() && word == base(name));
            let found: Vec<&(String, u32)> = all.iter().filter(|(name, _)| named(name)).collect();
            if (declares == line || goes_on())
                && let Some(scope) = scope_of(&found, line)
            {
                return Some(scope);
            }
        }
        if let Some(head) = Head::around(code, line) {
            let of_name = |(name, _): &&(String, u32)| base(name) == head.name;
            let (first, last) = ((file, head.first), (file, head.brace));
            let behind = (file, head.brace.saturating_add(HEAD));
            let declared = || self.declared.range(first..=last).flat_map(|(_, all)| all);
            // Those that begin here, except if they are known to be declared elsewhere.
            let begun = |last| {
                let all = self.functions.range(first..=last).flat_map(|(_, all)| all);
                all.filter(|(_, address)| !self.places.contains_key(address))
            };
            // A language whose names have other parts may spell the name in another way than the source does.
            let found: [Vec<&(String, u32)>; 4] = [
                declared().filter(of_name).collect(),
                begun(behind).filter(of_name).collect(),
                declared().collect(),
                begun(last).collect(),
            ];
            let scope = found.iter().find_map(|found| scope_of(found, line));
            // All of a function in one line is the code of that line, too.
            let whole = head.brace == line && text.ends_with('}');
            return scope.or_else(|| (!whole).then(|| self.without_code(head.name, line)));
        }
        let first = match self.lines.contains(&(file, line)) {
            true => line,
            false if text.ends_with(';') => return None,
            false => {
                let mut after = self.lines.range((file, line)..=(file, line.saturating_add(HEAD)));
                after.next()?.1
            }
        };
        let begins = self.functions.get(&(file, first))?;
        let head: Vec<&str> = (line..=first).map(|line| code.line(line)).collect();
        let named = |name: &str| {
            let name = base(name);
            let mut words = head.iter().flat_map(|text| words(text));
            words.any(|word| !word.is_empty() && name == word)
        };
        // A compiler may put the first statement of the body before all that the function saves.
        let opens = (text.starts_with('{') || text.ends_with('{')) && !head::is_statement(text);
        let before = |address| {
            self.places.get(address).is_none_or(|&(of, declares)| {
                let in_head = || head::brace(code, declares).is_none_or(|brace| line <= brace);
                of == file && declares <= line && in_head()
            })
        };
        let found: Vec<&(String, u32)> = (begins.iter())
            .filter(|(name, address)| opens && before(address) || named(name))
            .collect();
        scope_of(&found, line)
    }

    /// The scope of a budget on a function of which the program has no code, or only that of another one.
    fn without_code(&self, name: String, line: u32) -> Scope {
        Scope::Function {
            same: self.same.get(&name).cloned().flatten(),
            name,
            line,
            addresses: Vec::new(),
        }
    }
}

/// The names of each function with several: a compiler or linker gave the code of one to others that are equal.
fn same_names(image: &Image) -> HashMap<u32, BTreeSet<String>> {
    let code = (image.symbols.iter()).filter(|one| one.kind == SymbolKind::Code && !one.library && one.size > 0);
    let mut names: HashMap<u32, BTreeSet<String>> = HashMap::new();
    for symbol in code {
        names.entry(symbol.value).or_default().insert(base(&symbol.name));
    }
    names.retain(|_, names| names.len() > 1);
    names
}

/// For each of the names another one of the same code.
fn others(names: &HashMap<u32, BTreeSet<String>>) -> HashMap<String, Option<String>> {
    let mut others: HashMap<String, Option<String>> = HashMap::new();
    for all in names.values() {
        for name in all {
            let other = all.iter().find(|other| *other != name).cloned();
            let known = others.entry(name.clone()).or_insert_with(|| other.clone());
            *known = known.take().filter(|known| Some(known) == other.as_ref());
        }
    }
    others
}

/// Adds the parts of functions that a compiler put elsewhere, such as `name.cold`, to the function if there is one of
/// the name.
fn add_parts(declared: &mut BTreeMap<(u32, u32), Vec<(String, u32)>>, parts: Vec<(String, u32)>) {
    let mut places: HashMap<String, Option<(u32, u32)>> = HashMap::new();
    for (&place, all) in &*declared {
        for name in all.iter().map(|(name, _)| base(name)).collect::<BTreeSet<_>>() {
            let only = places.entry(name).or_insert(Some(place));
            *only = only.filter(|only| *only == place);
        }
    }
    for (name, address) in parts {
        let place = places.get(&base(&name)).copied().flatten();
        if let Some(all) = place.and_then(|place| declared.get_mut(&place)) {
            all.push((name, address));
        }
    }
}

/// The scope of a budget in `line` on functions, which are copies of one.
fn scope_of(found: &[&(String, u32)], line: u32) -> Option<Scope> {
    let (name, _) = found.first()?;
    Some(Scope::Function {
        name: base(name),
        line,
        addresses: found.iter().take(MOST_COPIES).map(|(_, address)| *address).collect(),
        same: None,
    })
}

/// The words of a line, between which some may be empty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_alphanumeric() && one != '_')
}

/// The last part of the name of a function, without its parameters and those of its templates, and without what a
/// compiler adds: `ns::List<int>::push(int)` is `push`, `name.part.0` is `name`.
fn base(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => break,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    // The hash at the end of the older names of Rust.
    let is_hash = |part: &str| {
        part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let mut parts = plain
        .rsplit([':', ' ', '*', '&'])
        .filter(|part| !part.is_empty() && !is_hash(part));
    parts.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{base, others};
    use std::collections::HashMap;

    #[test]
    fn a_name_of_two_folded_functions_has_no_other_name() {
        let set = |names: [&str; 2]| names.map(str::to_owned).into();
        let found = others(&HashMap::from([(1, set(["get", "first"])), (2, set(["get", "last"]))]));
        assert_eq!(found["first"].as_deref(), Some("get"));
        assert_eq!(found["last"].as_deref(), Some("get"));
        assert_eq!(found["get"], None);
    }

    #[test]
    fn the_name_of_a_function_is_the_word_that_its_line_has() {
        for (name, word) in [
            ("mean", "mean"),
            ("mean.part.0", "mean"),
            ("mean.constprop.0.isra.0", "mean"),
            ("ns::List<int>::push(int)", "push"),
            ("(anonymous namespace)::mean(int const*, int)", "mean"),
            ("int twice<int>(int)", "twice"),
            ("char* ns::name<char>(char*)", "name"),
            ("kernels::mean::h0123456789abcdef", "mean"),
        ] {
            assert_eq!(base(name), word, "{name}");
        }
    }
}
