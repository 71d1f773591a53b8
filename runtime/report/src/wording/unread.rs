//! The sentence about sources of a program that were not read.

use crate::printable::printable;
use p5_results::{SourceFound, UnreadSource};

/// The most sources, and the most folders of them, that a sentence names.
const NAMED: usize = 3;

/// That sources were not read, what the reader lacks, and how those are read that are there.
pub(super) fn unread(sources: &[UnreadSource], more: usize) -> String {
    let all = sources.len() + more;
    let (was, them) = match all {
        1 => ("was", "it"),
        _ => ("were", "them"),
    };
    let mut how = Vec::new();
    how.extend(by_options(sources, all));
    how.extend(too_large(sources));
    if how.is_empty() {
        let within = match sources {
            [one] if more == 0 => one.name.rsplit_once('/').map(|(folders, _)| format!("{folders}/")),
            _ => None,
        };
        how.push(match within {
            Some(folders) => format!(
                "`-I DIR`, the folder with `{0}` or such a `{0}` itself, has it read",
                printable(&folders)
            ),
            None => format!("`-I DIR`, the folder with {them}, has {them} read"),
        });
    }
    format!(
        "{} {was} not read: reports lack the lines of {them}, and budgets there are not judged; {}, as `p5inst explain \
         sources` says",
        names(sources.iter(), all),
        how.join("; ")
    )
}

/// The first of this many names.
fn names<'a>(sources: impl Iterator<Item = &'a UnreadSource>, all: usize) -> String {
    let mut names: Vec<String> = sources
        .take(NAMED)
        .map(|one| format!("`{}`", printable(&one.name)))
        .collect();
    if all > names.len() {
        names.push(format!("{} more", all - names.len()));
    }
    names.join(", ")
}

/// The options that have sources read, and which ones.
fn by_options(sources: &[UnreadSource], all: usize) -> Option<String> {
    let folder = |one: &'_ UnreadSource| match &one.found {
        SourceFound::InFolder(folder) => Some(folder.clone()),
        _ => None,
    };
    let there = sources.iter().filter(|one| folder(one).is_some());
    let mut folders: Vec<String> = there.clone().filter_map(folder).collect();
    let them = match (folders.len(), all) {
        (0, _) => return None,
        (1, 1) => "it".to_owned(),
        (some, all) if some == all => "them".to_owned(),
        (some, _) => names(there, some),
    };
    folders.sort_unstable();
    folders.dedup();
    let options = folders
        .iter()
        .take(NAMED)
        .map(|folder| format!("`-I {}`", quoted(folder)));
    let options = options.collect::<Vec<_>>().join(" ");
    Some(match folders.len() > NAMED {
        true => format!(
            "{options} and so on, one for each of {} folders, has {them} read",
            folders.len()
        ),
        false => format!("{options} has {them} read"),
    })
}

/// The sources that no option has read.
fn too_large(sources: &[UnreadSource]) -> Option<String> {
    let limit = |one: &UnreadSource| match one.found {
        SourceFound::TooLarge(limit) => Some(limit),
        _ => None,
    };
    let large = sources.iter().filter(|one| limit(one).is_some());
    let most = large.clone().filter_map(limit).max()? >> 20;
    let (number, verb) = match large.clone().count() {
        1 => (1, "is"),
        number => (number, "are"),
    };
    Some(format!(
        "{} {verb} larger than {most} MiB, the limit for a source",
        names(large, number)
    ))
}

/// A path as a shell reads it as one word.
fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_@%+=:,./-".contains(letter);
    let path = printable(path);
    match !path.is_empty() && path.chars().all(plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sources: &[(&str, SourceFound)]) -> String {
        let source = |(name, found): &(&str, SourceFound)| UnreadSource {
            name: (*name).to_owned(),
            found: found.clone(),
        };
        let sources: Vec<UnreadSource> = sources.iter().map(source).collect();
        let told = unread(&sources, 0);
        let (_, how) = told.split_once("judged; ").expect("how they are read");
        how.replace(", as `p5inst explain sources` says", "")
    }

    #[test]
    fn each_way_to_have_sources_read_has_those_that_it_serves() {
        use SourceFound::{Nothing, TooLarge};
        let within = |folder: &str| SourceFound::InFolder(folder.to_owned());
        assert_eq!(told(&[("a.c", Nothing)]), "`-I DIR`, the folder with it, has it read");
        assert_eq!(
            told(&[("x/y/a.c", Nothing)]),
            "`-I DIR`, the folder with `x/y/` or such a `x/y/` itself, has it read"
        );
        assert_eq!(told(&[("a.c", within("/x"))]), "`-I /x` has it read");
        assert_eq!(
            told(&[("a.c", within("/x")), ("b.c", within("/it's here"))]),
            r"`-I '/it'\''s here'` `-I /x` has them read"
        );
        assert_eq!(
            told(&[("gone.c", Nothing), ("b.c", within("/x"))]),
            "`-I /x` has `b.c` read"
        );
        assert_eq!(
            told(&[
                ("a.c", TooLarge(16 << 20)),
                ("b.c", within("/x")),
                ("c.c", within("/x"))
            ]),
            "`-I /x` has `b.c`, `c.c` read; `a.c` is larger than 16 MiB, the limit for a source"
        );
        let many: Vec<(&str, SourceFound)> = (0..9).map(|at| ("a.c", within(&format!("/{at}")))).collect();
        assert_eq!(
            told(&many),
            "`-I /0` `-I /1` `-I /2` and so on, one for each of 9 folders, has them read"
        );
    }
}
