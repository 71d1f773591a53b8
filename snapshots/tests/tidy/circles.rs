//! Circles: modules in one folder that use each other, directly or by way of others in that folder.
//!
//! A module is a file with its folder. A file that uses its own children, and children that use what their parent
//! declares, are no circle. What a parent only imports belongs to the module that it is imported from.

use super::code::without_tests;
use super::{is_test, sources};
use std::collections::{BTreeMap, BTreeSet};

/// The circles that stay: the folder, the modules in it that may use each other in order of the alphabet, and the
/// reason.
const CIRCLES: &[(&str, &[&str], &str)] = &[
    (
        "instrumenter/assembler/src/dialect/masm",
        &["data", "expression", "field", "operator", "record", "structure"],
        "the grammar recurs: expressions have operators, fields and records, and these have expressions and data",
    ),
    (
        "instrumenter/assembler/src/dialect/masm",
        &["function", "macros"],
        "the grammar recurs: arguments of macros call macro functions, which have arguments",
    ),
    (
        "instrumenter/assembler/src/program",
        &["data", "evaluate", "structure"],
        "data may be structures, whose fields are data, and expressions ask for fields",
    ),
];

/// A path to an item, or to a module, in its parts.
type Path = Vec<String>;

/// What a file says of other files of its crate.
#[derive(Default)]
struct File {
    /// Each path that begins with `crate`, `self` or `super`, from the module that it stands in.
    paths: Vec<(Path, Path)>,
    /// What it imports: the path of each name.
    imports: BTreeMap<String, Path>,
}

/// The words, braces and other signs of a file's code, without its tests, comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = without_tests(text).trim_start();
    while let Some(first) = rest.chars().next() {
        let no_word = |character: char| !(character.is_alphanumeric() || character == '_');
        let length = match rest.find(no_word).unwrap_or(rest.len()) {
            0 => None,
            // The `r` of a raw literal is part of it.
            1 if rest.starts_with("r\"") || rest.starts_with("r#\"") => None,
            length => Some(length),
        };
        let length = match (length, first) {
            (Some(length), _) => {
                tokens.push(rest[..length].to_owned());
                length
            }
            (None, '/') if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            (None, 'r') => {
                let hashes = rest[1..].find('"').unwrap_or_default();
                let end = format!("\"{}", "#".repeat(hashes));
                let begun = hashes + 2;
                begun + rest[begun..].find(&end).map_or(rest.len() - begun, |at| at + end.len())
            }
            (None, '"') => 1 + closed(&rest[1..], '"'),
            // A lifetime has no second quote after its first letter.
            (None, '\'') if rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'') => {
                1 + closed(&rest[1..], '\'')
            }
            (None, first) => {
                let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
                tokens.push(rest[..length].to_owned());
                length
            }
        };
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The length of a literal up to and with its closing quote.
fn closed(literal: &str, quote: char) -> usize {
    let mut characters = literal.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => _ = characters.next(),
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    literal.len()
}

/// Reads the tree of paths at `at`, which continues `before`; each of them with the name that an import gives it.
/// Returns where it ends.
fn tree(tokens: &[String], mut at: usize, before: &[String], found: &mut Vec<(String, Path)>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    let end = tree(tokens, at, &path, found);
                    // A comma follows, unless it is the last; anything else is no tree.
                    at = match tokens.get(end).map(String::as_str) {
                        Some(",") => end + 1,
                        Some("}") => end,
                        _ => return end,
                    };
                }
                return at + 1;
            }
            Some("self") if !path.is_empty() && before.len() == path.len() => at += 1,
            Some(word) if word.starts_with(|first: char| first.is_alphanumeric() || first == '_' || first == '*') => {
                path.push(word.to_owned());
                at += 1;
            }
            _ => return at,
        }
        if tokens.get(at).is_some_and(|token| token == "::") {
            at += 1;
            continue;
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if tokens.get(at).is_some_and(|token| token == "as") {
            name = tokens.get(at + 1).cloned().unwrap_or_default();
            at += 2;
        }
        found.push((name, path));
        return at;
    }
}

/// What the text of the file of `module` says of others.
fn file(module: &[String], text: &str) -> File {
    let tokens = tokens(text);
    let mut file = File::default();
    let mut inside: Vec<(usize, String)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1).map(String::as_str);
        let after_path = at > 0 && tokens[at - 1] == "::";
        let mut found = Vec::new();
        match token.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if inside.last().is_some_and(|&(opened, _)| opened == depth) {
                    inside.pop();
                }
            }
            "mod" if tokens.get(at + 2).is_some_and(|token| token == "{") => {
                inside.push((depth, next.unwrap_or_default().to_owned()));
            }
            "use" => {
                at = tree(&tokens, at + 1, &[], &mut found) - 1;
                if inside.is_empty() {
                    file.imports.extend(found.iter().cloned());
                }
            }
            "crate" | "self" | "super" if next == Some("::") && !after_path => {
                at = tree(&tokens, at, &[], &mut found) - 1;
            }
            _ => {}
        }
        let inner = inside.iter().map(|(_, name)| name.clone());
        let here: Path = module.iter().cloned().chain(inner).collect();
        let of_crate = |path: &Path| matches!(path[0].as_str(), "crate" | "self" | "super");
        let found = found.into_iter().map(|(_, path)| path).filter(of_crate);
        file.paths.extend(found.map(|path| (here.clone(), path)));
        at += 1;
    }
    file
}

/// The most imports of imports that are followed.
const FOLLOWED: usize = 8;

/// The module to which a path from `from` leads. With `imports`, what a module only imports is looked up.
fn target(files: &BTreeMap<Path, File>, from: &[String], path: &[String], imports: usize) -> Path {
    let mut module = match path[0].as_str() {
        "crate" => Path::new(),
        _ => from.to_vec(),
    };
    for (index, part) in path.iter().enumerate() {
        match part.as_str() {
            "crate" | "self" => continue,
            "super" => _ = module.pop(),
            _ => {
                module.push(part.clone());
                if files.contains_key(&module) {
                    continue;
                }
                module.pop();
                let import = files.get(&module).and_then(|file| file.imports.get(part));
                let of_crate = |first: &String| {
                    let child: Path = module.iter().chain([first]).cloned().collect();
                    matches!(first.as_str(), "crate" | "self" | "super") || files.contains_key(&child)
                };
                return match import.filter(|import| imports > 0 && of_crate(&import[0])) {
                    Some(import) => {
                        let whole: Path = import.iter().chain(&path[index + 1..]).cloned().collect();
                        target(files, &module, &whole, imports - 1)
                    }
                    None => module,
                };
            }
        }
    }
    module
}

/// For each folder, the modules in it and those in it that each of them uses.
type Graph = BTreeMap<Path, BTreeMap<String, BTreeSet<String>>>;

fn graph(files: &BTreeMap<Path, File>) -> Graph {
    let mut graph = Graph::new();
    for (module, file) in files {
        for (from, path) in &file.paths {
            let named = target(files, from, path, 0);
            // What an ancestor imports is not the ancestor's.
            let owner = module.starts_with(&named).then(|| target(files, from, path, FOLLOWED));
            for used in [Some(named), owner].into_iter().flatten() {
                let same = module.iter().zip(&used).take_while(|(own, other)| own == other).count();
                if let (Some(own), Some(other)) = (module.get(same), used.get(same)) {
                    let folder = graph.entry(module[..same].to_vec()).or_default();
                    folder.entry(own.clone()).or_default().insert(other.clone());
                }
            }
        }
    }
    graph
}

/// The shortest way from a module to itself, through modules that each use the next one.
fn way_back(uses: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let last = way.last().and_then(|last| uses.get(last));
            for next in last.into_iter().flatten() {
                let whole = way.iter().chain([next]).cloned().collect();
                if next == start {
                    return Some(whole);
                }
                if seen.insert(next.clone()) {
                    longer.push(whole);
                }
            }
        }
        ways = longer;
    }
    None
}

/// The modules that `start` uses, directly or by way of others.
fn reached<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, start: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left = vec![start];
    while let Some(module) = left.pop() {
        for next in uses.get(module).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                left.push(next);
            }
        }
    }
    reached
}

/// Each circle of modules: all that are in it, and one way around.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<(BTreeSet<&str>, String)> {
    let mut circles: Vec<(BTreeSet<&str>, String)> = Vec::new();
    for start in uses.keys() {
        if circles.iter().any(|(known, _)| known.contains(start.as_str())) {
            continue;
        }
        let Some(way) = way_back(uses, start) else { continue };
        let all = reached(uses, start).into_iter();
        let all = all.filter(|other| reached(uses, other).contains(start.as_str()));
        circles.push((all.collect(), way.join(" -> ")));
    }
    circles
}

/// The files of each crate, by the folder of its sources and their modules.
fn crates(sources: &[(String, String)]) -> BTreeMap<String, BTreeMap<Path, File>> {
    let mut crates: BTreeMap<String, BTreeMap<Path, File>> = BTreeMap::new();
    for (name, text) in sources.iter().filter(|(name, _)| !is_test(name)) {
        let Some((package, inside)) = name.split_once("/src/") else {
            continue;
        };
        let inside = inside.trim_end_matches(".rs");
        let module: Path = match inside {
            "lib" | "main" => Path::new(),
            _ => inside.trim_end_matches("/mod").split('/').map(str::to_owned).collect(),
        };
        let of_package = crates.entry(format!("{package}/src")).or_default();
        of_package.insert(module.clone(), file(&module, text));
    }
    crates
}

/// The circles of all crates: the folder, the modules, and one way around.
fn all_circles(sources: &[(String, String)]) -> Vec<(String, BTreeSet<String>, String)> {
    let mut all = Vec::new();
    for (package, files) in crates(sources) {
        for (folder, uses) in graph(&files) {
            let place = format!("{package}/{}", folder.join("/"));
            let place = place.trim_end_matches('/').to_owned();
            for (modules, way) in circles(&uses) {
                let modules = modules.into_iter().map(str::to_owned).collect();
                all.push((place.clone(), modules, way));
            }
        }
    }
    all
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let found = all_circles(&sources());
    let mut wrong = Vec::new();
    for (folder, modules, way) in &found {
        let may = |(place, named, _): &&(&str, &[&str], &str)| {
            place == folder && modules.iter().all(|module| named.contains(&module.as_str()))
        };
        if !CIRCLES.iter().any(|circle| may(&circle)) {
            wrong.push(format!("{folder}: {way}"));
        }
    }
    for (folder, named, _) in CIRCLES {
        let is = |modules: &BTreeSet<String>| modules.iter().map(String::as_str).eq(named.iter().copied());
        if !found.iter().any(|(place, modules, _)| place == folder && is(modules)) {
            wrong.push(format!(
                "{folder}: {named:?} may use each other, but this is no circle of its own"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "modules use each other in a circle:\n{}",
        wrong.join("\n")
    );
}

/// The circles of a crate with these files.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, String)> = files
        .iter()
        .map(|(name, text)| (format!("p/src/{name}"), (*text).to_owned()))
        .collect();
    let circles = all_circles(&files).into_iter();
    circles.map(|(folder, _, way)| format!("{folder}: {way}")).collect()
}

#[test]
fn a_circle_is_found_whatever_its_paths_look_like() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;\npub use a::A;\n"),
        ("a.rs", "use super::b::{self, B};\n"),
        ("b/mod.rs", "mod inner;\n"),
        ("b/inner.rs", "fn f() -> crate::c::C { C }\n"),
        (
            "c.rs",
            "mod inside {\n    use super::super::{\n        a::A,\n    };\n}\n",
        ),
    ];
    assert_eq!(found(&files), ["p/src: a -> b -> c -> a"]);
    let mut imported = files;
    imported[4].1 = "use crate::A;\n";
    assert_eq!(found(&imported), ["p/src: a -> b -> c -> a"]);
}

#[test]
fn parents_and_their_children_are_no_circle() {
    let files = [
        ("lib.rs", "mod a; mod b;\nconst ONE: u32 = 1;\n"),
        ("a.rs", "mod x; mod y;\nuse x::X;\npub(crate) struct A;\n"),
        ("a/x.rs", "use super::A;\nuse super::y::Y;\n"),
        (
            "a/y.rs",
            "// use super::x::X;\nuse crate::ONE;\n#[cfg(test)]\nmod tests {\n    use super::super::x::X;\n}\n",
        ),
        ("b.rs", "use crate::a::{A, x::X};\n"),
    ];
    assert_eq!(found(&files), [""; 0]);
    let mut back = files;
    back[3].1 = "use super::X;\n";
    assert_eq!(found(&back), ["p/src/a: x -> y -> x"]);
}
