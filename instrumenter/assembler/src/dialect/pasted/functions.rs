//! The functions of a text that compilers or disassemblers print: a run begins with one of them.

use super::clean::Clean;
use super::data::definition;
use super::detect::is_label;
use super::found::assignment;
use super::intel::behind_prefixes;
use super::labels::{Parts, parts};
use super::section::{Section, Sections};
use super::word::first_word;
use super::{Notation, cxx, listing};
use crate::select;
use std::collections::HashSet;

/// The names of the functions of a listing, as it has them.
pub(super) fn of_listing(text: &str) -> Vec<String> {
    listing::functions(text).map(str::to_owned).collect()
}

/// The names of the functions of a source for GNU's assembler: what it says are functions; where it says of none, names
/// that it makes known, names of C++, and labels that only calls reach.
pub(super) fn of_source(lines: &[Clean], notation: Notation) -> Vec<String> {
    let mut said: HashSet<&str> = HashSet::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut reached: HashSet<&str> = HashSet::new();
    // The labels of code, and whether the code before each goes on.
    let mut labels: Vec<(&str, bool)> = Vec::new();
    let mut goes_on = false;
    // Those of which it is not known yet whether code or data follows.
    let mut begun: Vec<(&str, bool)> = Vec::new();
    let mut sections = Sections::of(notation);
    let statements = lines
        .iter()
        .flat_map(|line| line.statements.iter().map(|statement| (&*line.text, statement)));
    for (line, statement) in statements {
        let Parts { labels: own, rest } = parts(line, statement.clone());
        let (first, operands) = first_word(line, rest.clone());
        let (word, values) = (&line[first], line[operands].trim());
        sections.follow(word, values);
        if sections.here == Section::Code {
            begun.extend(own.into_iter().map(|label| (&line[label], goes_on)));
        }
        match word {
            "" => {}
            ".type" if values.contains("function") => {
                said.insert(values.rsplit_once(',').map_or(values, |(name, _)| name.trim_end()));
            }
            ".globl" | ".global" if cxx::is_cxx(values) => _ = known.insert(values),
            ".globl" | ".global" => known.extend(values.split([',', ' ', '\t'])),
            _ if sections.here != Section::Code || assignment(line, rest.clone()).is_some() => {}
            _ if word.starts_with('.') => {
                if definition(word, values).is_some() {
                    begun.clear();
                }
            }
            _ => {
                labels.append(&mut begun);
                let (mnemonic, operands) = behind_prefixes(line, rest);
                let word = &line[mnemonic];
                let jumps = select::instruction(word).is_some_and(|one| one.takes_target);
                let ends = ["ret", "retl", "jmp", "ud2", "hlt"]
                    .iter()
                    .any(|end| word.eq_ignore_ascii_case(end));
                goes_on = !ends;
                if jumps && !ends && !word.eq_ignore_ascii_case("call") {
                    reached.insert(line[operands].trim());
                }
            }
        }
    }
    let is_function = |(name, goes_on): &&(&str, bool)| match said.is_empty() {
        false => said.contains(name),
        true => {
            let own = is_label(&format!("{}:", name.to_ascii_lowercase())) || name.starts_with(".L");
            let number = name.starts_with(|first: char| first.is_ascii_digit());
            let alone = !goes_on && !reached.contains(name) && !own && !number;
            known.contains(name) || cxx::is_cxx(name) || alone
        }
    };
    let functions = labels.iter().filter(is_function);
    functions.map(|(name, _)| (*name).to_owned()).collect()
}
