//! Modules below the dialects use no word of a dialect: their messages name things, not keywords.

use super::code::without_tests;
use super::rules::{ALSO_ENGLISH, NO_KEYWORDS, OF_NO_DIALECT, OF_THE_PROCESSOR};
use super::sentences::literals;
use super::{is_test, sources};
use std::collections::HashSet;

/// The keywords of all dialects, from their tables.
fn keywords(sources: &[(String, String)]) -> HashSet<String> {
    let tables = sources
        .iter()
        .filter(|(name, _)| name.starts_with("instrumenter/assembler/src/dialect/") && name.ends_with("/reserved.rs"));
    let words: HashSet<String> = tables
        .flat_map(|(_, text)| text.lines())
        .filter_map(|line| line.trim().strip_prefix("(\"")?.split('"').next().map(str::to_owned))
        .chain(NO_KEYWORDS.iter().map(|word| (*word).to_owned()))
        .collect();
    assert!(words.len() > 100 && words.contains("endp"), "the tables were not found");
    words
}

/// The keywords that a text contains, except those of the processor: any keyword between backquotes, and elsewhere
/// those that are not English words. Placeholders stand for the user's text.
fn spoken<'l>(literal: &'l str, keywords: &HashSet<String>) -> Vec<&'l str> {
    let mut found = Vec::new();
    for (part, text) in literal.split('`').enumerate() {
        let quoted = part % 2 == 1;
        for text in text
            .split('{')
            .map(|text| text.split_once('}').map_or(text, |(_, rest)| rest))
        {
            let words = text.split(|next: char| !(next.is_ascii_alphanumeric() || "._%@?".contains(next)));
            found.extend(words.filter(|word| {
                let word = word.trim_end_matches('.').to_ascii_lowercase();
                let of_the_dialect = keywords.contains(&word) && !OF_THE_PROCESSOR.contains(&word.as_str());
                of_the_dialect && (quoted || !ALSO_ENGLISH.contains(&word.as_str()))
            }));
        }
    }
    found
}

#[test]
fn only_dialects_speak_a_dialect() {
    let sources = sources();
    let keywords = keywords(&sources);
    let mut wrong = Vec::new();
    let concerned = |name: &str| OF_NO_DIALECT.iter().any(|module| name.starts_with(module));
    for (name, text) in sources.iter().filter(|(name, _)| concerned(name) && !is_test(name)) {
        for (line, literal, _) in literals(without_tests(text)) {
            for word in spoken(&literal, &keywords) {
                wrong.push(format!("{name}:{line}: `{word}` in {literal:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for module in OF_NO_DIALECT {
        assert!(
            sources.iter().any(|(name, _)| name.starts_with(module)),
            "{module} is gone"
        );
    }
    for word in ALSO_ENGLISH.iter().chain(OF_THE_PROCESSOR) {
        assert!(keywords.contains(*word), "{word} is no keyword");
    }
}

#[test]
fn keywords_are_told_from_words() {
    let keywords = keywords(&sources());
    let spoken = |literal| spoken(literal, &keywords);
    assert_eq!(spoken("missing endp, or `end`"), ["endp", "end"]);
    assert_eq!(
        spoken("the macro `{endm}` is in a segment; see .data and %out."),
        [".data", "%out."]
    );
    assert!(spoken("end `{}` first").is_empty());
    assert_eq!(spoken("`lock` and a dword, but `dword ptr`"), ["dword", "ptr"]);
}
