//! The tutorials and the reference as a book: its table of contents names all of them, every link has a target, and
//! mdBook, where it is installed, makes complete pages of them.

use crate::consumers;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The extensions of program files.
const SOURCES: &[&str] = &["asm", "inc", "rs"];

/// The folder of the pages that are no tutorials.
const REFERENCE: &str = "reference";

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tutorials")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect()
}

/// The lines of a page outside of its fenced blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines().filter(move |line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// The links of a page: text and target.
fn links(page: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    for line in prose(page) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            let text = before.rsplit('[').next().expect("what is split has a part");
            let (target, behind) = after.split_once(')').expect("a link is closed in its line");
            links.push((text, target));
            rest = behind;
        }
    }
    links
}

/// The anchor of a heading, by the rule of mdBook and GitHub.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|character| match character {
        ' ' | '-' => Some('-'),
        '_' => Some('_'),
        other if other.is_alphanumeric() => Some(other.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// The pages of the book in order, from its table of contents: title and path.
fn chapters(contents: &str) -> Vec<(&str, &str)> {
    links(contents)
}

#[test]
fn the_table_of_contents_names_every_tutorial_in_order() {
    let contents = read(&book().join("SUMMARY.md"));
    let folders = names(&book()).into_iter().filter(|name| book().join(name).is_dir());
    let mut expected = vec!["README.md".to_owned()];
    let tutorials = folders.filter(|folder| folder != REFERENCE);
    expected.extend(tutorials.map(|folder| format!("{folder}/tutorial.md")));
    let listed: Vec<&str> = chapters(&contents).iter().map(|(_, path)| *path).collect();
    let (tutorials, reference) = listed.split_at(expected.len().min(listed.len()));
    assert_eq!(tutorials, expected);
    let reference: BTreeSet<String> = reference.iter().map(|path| (*path).to_owned()).collect();
    let pages = names(&book().join(REFERENCE)).into_iter();
    assert_eq!(reference, pages.map(|page| format!("{REFERENCE}/{page}")).collect());
    assert!(listed.len() > 12, "{} pages", listed.len());
    for (number, (title, path)) in chapters(&contents).into_iter().enumerate() {
        let page = read(&book().join(path));
        let heading = page.lines().next().and_then(|line| line.strip_prefix("# "));
        let heading = heading.unwrap_or_else(|| panic!("{path}: begins with no heading"));
        assert!(
            heading.starts_with(title),
            "{path}: `{heading}`, but `{title}` in the contents"
        );
        assert!(
            number == 0 || path.starts_with(REFERENCE) || path.starts_with(&format!("{number:02}_")),
            "{path} is number {number}"
        );
    }
    let about = read(&book().join("README.md"));
    let named: BTreeSet<&str> = links(&about).iter().map(|(_, path)| *path).collect();
    for path in &listed[1..] {
        assert!(named.contains(path), "README.md does not mention {path}");
    }
}

#[test]
fn every_link_leads_to_a_file_of_the_book_and_every_program_is_linked() {
    let contents = read(&book().join("SUMMARY.md"));
    let root = fs::canonicalize(book()).expect("the folder");
    for (_, path) in chapters(&contents) {
        let file = book().join(path);
        let folder = file.parent().expect("a file is in a folder");
        let page = read(&file);
        let mut linked = BTreeSet::new();
        for (text, target) in links(&page) {
            let (target, place) = target
                .split_once('#')
                .map_or((target, None), |(file, place)| (file, Some(place)));
            let to = if target.is_empty() {
                file.clone()
            } else {
                folder.join(target)
            };
            let to = fs::canonicalize(&to).unwrap_or_else(|error| panic!("{path}: [{text}]({target}): {error}"));
            assert!(to.starts_with(&root), "{path}: {target} is not part of the book");
            linked.insert(target.to_owned());
            if let Some(place) = place {
                let page = read(&to);
                let mut headings = prose(&page).filter_map(|line| line.strip_prefix('#'));
                assert!(
                    headings.any(|heading| anchor(heading.trim_start_matches('#')) == place),
                    "{path}: {target} has no heading `{place}`"
                );
            }
        }
        let is_source = |name: &&String| SOURCES.iter().any(|extension| name.ends_with(&format!(".{extension}")));
        for program in names(folder).iter().filter(is_source) {
            assert!(linked.contains(program), "{path}: no link to {program}");
        }
    }
}

/// The text of a page without tags, with HTML's escapes decoded.
fn text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        rest = after.split_once('>').map_or("", |(_, behind)| behind);
    }
    text.push_str(rest);
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    named
        .iter()
        .fold(text, |text, (name, character)| text.replace(name, character))
}

#[test]
fn mdbook_makes_a_page_of_each_tutorial_with_all_that_it_quotes() {
    if !consumers::available("mdbook", "mdbook", &["--version"]) {
        return;
    }
    let output = tempfile::tempdir().expect("a folder");
    let built = Command::new("mdbook")
        .arg("build")
        .arg(book())
        .arg("--dest-dir")
        .arg(output.path())
        .output()
        .expect("mdbook starts");
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{said}");
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "{said}");
    let contents = read(&book().join("SUMMARY.md"));
    for (_, path) in chapters(&contents) {
        let page = read(&book().join(path));
        let html = match path {
            "README.md" => output.path().join("index.html"),
            path => output.path().join(path).with_extension("html"),
        };
        let made = read(&html);
        let shown = text(&made);
        let quoted = page.split("```").skip(1).step_by(2);
        for line in quoted
            .flat_map(|block| block.lines().skip(1))
            .filter(|line| !line.is_empty())
        {
            assert!(shown.contains(line), "{}: without `{line}`", html.display());
        }
        for (_, target) in links(&page) {
            let (file, place) = target
                .split_once('#')
                .map_or((target, ""), |(file, place)| (file, place));
            let file = match file.strip_suffix(".md") {
                Some(chapter) => format!("{chapter}.html"),
                None => file.to_owned(),
            };
            let place = if place.is_empty() {
                String::new()
            } else {
                format!("#{place}")
            };
            assert!(
                made.contains(&format!("href=\"{file}{place}\"")),
                "{}: no link to {file}",
                html.display()
            );
            let to = html.parent().expect("a page is in a folder").join(&file);
            assert!(file.is_empty() || to.is_file(), "{}: {file} is missing", html.display());
        }
    }
}

#[test]
fn links_and_anchors_are_read_as_they_are_written() {
    let page = "# A\nsee [b](b.md#c-d) and [e](e.asm).\n```text\n[not](one)\n```\n";
    assert_eq!(links(page), [("b", "b.md#c-d"), ("e", "e.asm")]);
    assert_eq!(anchor(" By hand, and at level 3"), "by-hand-and-at-level-3");
    assert_eq!(text("<b>a &lt; b</b> &amp;lt;"), "a < b &lt;");
}
