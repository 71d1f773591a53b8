//! The HTML page against the JSON report: every figure that both have. The page's body is well-formed XML except for
//! its inputs, so an XML reader detects program text that has become markup.

use roxmltree::{Document, Node};
use serde_json::Value;

/// The body of a page as XML.
pub(crate) fn body(page: &str) -> String {
    let (begin, end) = (
        page.find("<body>").expect("a body"),
        page.rfind("</body>").expect("its end"),
    );
    let mut body = String::new();
    for part in page[begin..end].split_inclusive('>') {
        match part.rsplit_once('<') {
            Some((_, tag)) if tag.starts_with("input ") => body.push_str(&part.replace('>', "/>")),
            _ => body.push_str(part),
        }
    }
    body + "</body>"
}

fn classed<'a>(node: Node<'a, 'a>, tag: &str, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node| {
        let classes = node.attribute("class").unwrap_or_default();
        node.has_tag_name(tag) && (class.is_empty() || classes.split(' ').any(|one| one == class))
    };
    node.descendants().filter(has).collect()
}

fn section<'a>(document: &'a Document, id: &str) -> Node<'a, 'a> {
    let found = document.descendants().find(|node| node.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("no section {id}"))
}

fn text(node: Node) -> String {
    let parts = node
        .descendants()
        .filter_map(|node| node.text().filter(|_| node.is_text()));
    parts.collect::<String>().trim().to_owned()
}

fn cells<'a>(row: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
    row.children()
        .filter(|node| node.has_tag_name("th") || node.has_tag_name("td"))
        .collect()
}

/// The number of a cell, which must equal the number that it shows; `None` for a `-`.
fn figure(cell: Node) -> Option<i64> {
    let shown = text(cell).replace(',', "");
    let Some(value) = cell.attribute("data-v") else {
        assert_eq!(shown, "-", "a figure without a value");
        return None;
    };
    assert_eq!(shown, value);
    Some(value.parse().expect("a number"))
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Panics if a figure of the page differs from the JSON report.
pub(crate) fn agrees(page: &str, json: &Value, what: &str) {
    let body = body(page);
    let document = Document::parse(&body).unwrap_or_else(|why| panic!("{what}: {why}"));
    lines(&document, json, what);
    events(&document, json, what);
    stacks(&document, json, what);
    lanes(&document, json, what);
    regions(&document, json, what);
    caches(&document, json, what);
    structure(&document, what);
}

/// An executed line: number, times, clocks, U, V and lost clocks.
pub(crate) type Row = [i64; 6];

/// The executed lines of the JSON report.
pub(crate) fn json_lines(json: &Value, library: bool) -> Vec<Row> {
    let lines = json["lines"].as_array().expect("lines").iter();
    let lines = lines.filter(|line| line["library"] == library).map(|line| {
        let used = ["issue", "execution"].map(|cause| line["reasons"][cause].as_i64().unwrap_or(0));
        let of = |name: &str| number(&line[name]);
        let lost = of("cycles") - used[0] - used[1];
        [of("line"), of("times"), of("cycles"), of("u"), of("v"), lost]
    });
    lines.collect()
}

fn lines(document: &Document, json: &Value, what: &str) {
    let rows = |table: Node| -> Vec<Row> {
        let rows = classed(table, "tr", "").into_iter().map(cells);
        let executed = rows.filter(|cells| cells.len() == 9 && cells[2].attribute("data-v").is_some());
        let row = |cells: Vec<Node>| {
            let line = cells[0].attribute("data-v").expect("a line").parse().expect("a number");
            let [executions, clocks, u, v, lost] = [2, 3, 5, 6, 7].map(|at| figure(cells[at]).expect("a figure"));
            [line, executions, clocks, u, v, lost]
        };
        executed.map(row).collect()
    };
    let tables = classed(section(document, "listing"), "table", "listing");
    let mut expected = vec![json_lines(json, false)];
    expected.extend(Some(json_lines(json, true)).filter(|lines| !lines.is_empty()));
    let found: Vec<Vec<Row>> = tables.into_iter().map(rows).collect();
    assert_eq!(found, expected, "{what}");
}

fn events(document: &Document, json: &Value, what: &str) {
    let rows = classed(section(document, "events"), "tr", "").into_iter().skip(1);
    let expected = json["own"]["events"].as_array().expect("events");
    let mut compared = 0;
    for (row, event) in rows.zip(expected) {
        let cells = cells(row);
        assert_eq!(
            cells[0].attribute("data-v"),
            Some(&*event["selector"].to_string()),
            "{what}"
        );
        assert!(
            text(cells[1]).starts_with(event["name"].as_str().expect("a name")),
            "{what}"
        );
        match event["reason"].as_str() {
            Some(why) => assert_eq!(text(cells[2]), format!("not available: {why}"), "{what}"),
            None => {
                let found = [2, 3].map(|at| figure(cells[at]));
                assert_eq!(
                    found,
                    ["occurrences", "clocks"].map(|name| event[name].as_i64()),
                    "{what}"
                );
            }
        }
        compared += 1;
    }
    assert_eq!(compared, expected.len(), "{what}");
}

fn stack(figure: Node) -> (Vec<(String, i64)>, i64) {
    let rows = classed(figure, "tr", "").into_iter();
    let value = |row: Node| self::figure(cells(row)[1]).expect("clocks");
    let parts: Vec<(String, i64)> = rows
        .filter_map(|row| Some((row.attribute("data-cause")?.to_owned(), value(row))))
        .collect();
    let total = classed(figure, "tfoot", "")
        .into_iter()
        .flat_map(|foot| classed(foot, "tr", ""))
        .map(value);
    (parts, total.sum())
}

fn stacks(document: &Document, json: &Value, what: &str) {
    for figure in classed(document.root_element(), "figure", "stack") {
        let (parts, total) = stack(figure);
        assert_eq!(parts.iter().map(|part| part.1).sum::<i64>(), total, "{what}");
    }
    let of_json = |part: &Value| -> (Vec<(String, i64)>, i64) {
        let causes = part["cycle_stack"].as_array().expect("causes").iter();
        let causes = causes.map(|one| {
            (
                one["cause"].as_str().expect("a name").to_owned(),
                number(&one["cycles"]),
            )
        });
        let causes = causes.filter(|cause| cause.1 > 0).collect();
        (causes, number(&part["totals"]["cycles"]))
    };
    let found: Vec<_> = classed(section(document, "clocks"), "figure", "stack")
        .into_iter()
        .map(stack)
        .collect();
    let parts = [&json["own"], &json["probes"]].into_iter();
    let parts = parts.filter(|part| part["totals"]["cycles"].as_i64().is_some_and(|clocks| clocks > 0));
    let expected: Vec<_> = parts.map(of_json).collect();
    assert_eq!(found, expected, "{what}");
}

/// A group: the clock of its issue, its clocks, and the instructions in U and in V.
type Group = [Option<i64>; 4];

/// Collects the groups of a diagram, with clocks counted from `start`.
fn groups(rows: &Value, start: i64, found: &mut Vec<Group>) {
    for row in rows.as_array().expect("rows") {
        let group = &row["group"];
        if group.is_object() {
            let clock = number(&group["clock"]) - start;
            let [cycles, u, v] = ["cycles", "u", "v"].map(|name| group[name].as_i64());
            found.push([Some(clock), cycles, u, v]);
        }
        for path in row["loop"]["paths"].as_array().into_iter().flatten().take(4) {
            let first = path["round"][0].as_object().and_then(|first| first.values().next());
            groups(&path["round"], first.map_or(0, |first| number(&first["clock"])), found);
        }
    }
}

fn lanes(document: &Document, json: &Value, what: &str) {
    let traced = json["regions"].as_array().expect("regions").iter().chain([json]);
    let traced: Vec<&Value> = traced.filter(|one| !one["diagram"].is_null()).collect();
    let passes = classed(document.root_element(), "article", "pass");
    assert_eq!(passes.len(), traced.len(), "{what}");
    for (pass, traced) in passes.into_iter().zip(traced) {
        // The rows of a group add up to its clocks.
        let mut found: Vec<Group> = Vec::new();
        let mut left = 0;
        let table = classed(pass, "table", "lanes");
        for row in classed(table[0], "tr", "") {
            let of = |name: &str| row.attribute(name).map(|value| value.parse::<i64>().expect("a number"));
            if row.attribute("class") == Some("issue") {
                assert_eq!(left, 0, "{what}");
                left = of("data-cycles").expect("clocks");
                let clock = text(cells(row)[0]);
                let clock = clock.trim_start_matches('+').parse().expect("a clock");
                let [cycles, u, v] = ["data-cycles", "data-u", "data-v"].map(of);
                found.push([Some(clock), cycles, u, v]);
            }
            if row.attribute("class") != Some("probe") {
                left -= of("data-clocks").unwrap_or(0);
            }
        }
        let mut expected = Vec::new();
        groups(&traced["diagram"]["rows"], 0, &mut expected);
        if classed(pass, "p", "note")
            .into_iter()
            .any(|note| text(note).contains("has no room"))
        {
            expected.truncate(found.len());
            assert!(found.len() > 100, "{what}");
        } else {
            assert_eq!(left, 0, "{what}");
        }
        assert_eq!(found, expected, "{what}");
        let clocks = traced["trace"].as_array().expect("a trace").iter();
        let clocks: i64 = clocks.map(|one| number(&one["cycles"])).sum();
        assert_eq!(stack(classed(pass, "figure", "stack")[0]).1, clocks, "{what}");
    }
}

fn regions(document: &Document, json: &Value, what: &str) {
    let rows = classed(section(document, "regions"), "tr", "").into_iter();
    let mut rows = rows.filter(|row| row.attribute("data-figure").is_some());
    for region in json["regions"].as_array().expect("regions") {
        let kinds = if region["kind"] == "profile" { 2 } else { 1 };
        for at in 0..kinds {
            let of = |value: &Value| if kinds == 2 { value[at].as_i64() } else { value.as_i64() };
            let cells = cells(rows.next().unwrap_or_else(|| panic!("{what}: a row is missing")));
            let shown = [3, 4, 5, 6, 7, 8, 9, 10].map(|cell| figure(cells[cell]));
            let (cold, warm) = (&region["cold"], &region["warm"]);
            let measured = ["min", "median", "max"].map(|which| of(&warm["measured"][which]));
            let [truth, off, overhead] = if warm.is_null() {
                let [measured, truth] = ["measured", "true"].map(|name| of(&cold[name]));
                [
                    truth,
                    measured.zip(truth).map(|(one, other)| one - other),
                    of(&cold["overhead"]),
                ]
            } else {
                [
                    of(&warm["true"]["median"]),
                    of(&warm["difference"]),
                    of(&warm["overhead"]["median"]),
                ]
            };
            let [min, median, max] = measured;
            let passes = region["pass_count"].as_i64();
            let expected = [passes, of(&cold["measured"]), min, median, max, truth, off, overhead];
            assert_eq!(shown, expected, "{what}");
        }
    }
    assert!(rows.next().is_none(), "{what}");
}

fn caches(document: &Document, json: &Value, what: &str) {
    let maps = classed(document.root_element(), "table", "map");
    let caches = json["caches"].as_array().expect("caches");
    assert_eq!(maps.len(), caches.len(), "{what}");
    for (map, cache) in maps.into_iter().zip(caches) {
        assert_eq!(map.attribute("data-cache"), cache["kind"].as_str(), "{what}");
        let of = |cell: Node, name: &str| {
            cell.attribute(name)
                .expect("a figure")
                .parse::<i64>()
                .expect("a number")
        };
        let cells = classed(map, "td", "").into_iter();
        let found: Vec<[i64; 2]> = cells
            .map(|cell| ["data-v", "data-lines"].map(|name| of(cell, name)))
            .collect();
        let sets = cache["sets"].as_array().expect("sets").iter();
        let lines = |set: &Value| set["lines"].as_array().map_or(0, Vec::len) as i64;
        let expected: Vec<[i64; 2]> = sets.map(|set| [number(&set["fills"]), lines(set)]).collect();
        assert_eq!(found, expected, "{what}");
    }
}

/// Checks the needs of a screen reader: tables with captions and scopes, sections with names, links with targets.
fn structure(document: &Document, what: &str) {
    let root = document.root_element();
    for table in classed(root, "table", "") {
        let caption = table.children().find(|node| node.is_element()).expect("a caption");
        assert!(caption.has_tag_name("caption") && !text(caption).is_empty(), "{what}");
        let headings = classed(table, "th", "");
        assert!(
            headings.iter().all(|heading| heading.attribute("scope").is_some()),
            "{what}"
        );
    }
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "{what}: an id occurs twice");
    for link in classed(root, "a", "") {
        let target = link.attribute("href").and_then(|target| target.strip_prefix('#'));
        assert!(target.is_some_and(|target| unique.contains(target)), "{what}: {link:?}");
    }
    for node in document.descendants() {
        let rules = node.attribute("data-rules").unwrap_or_default().split_whitespace();
        assert!(rules.into_iter().all(|rule| unique.contains(rule)), "{what}");
        let handlers = node.attributes().any(|one| one.name().starts_with("on"));
        let foreign = ["script", "img", "iframe", "object", "link", "style"].contains(&node.tag_name().name());
        assert!(!handlers && !foreign, "{what}: {node:?}");
    }
    for tag in ["header", "nav", "main", "footer", "h1"] {
        assert_eq!(classed(root, tag, "").len(), 1, "{what}: {tag}");
    }
}
