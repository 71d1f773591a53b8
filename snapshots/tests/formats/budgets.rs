//! Readers of the formats for CI systems, each written from the format's documentation alone.

use serde_json::Value;

/// A budget, or the end of the program, which has no line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) line: Option<u64>,
    /// The message, unless the budget holds.
    pub(crate) message: Option<String>,
}

/// The message of a stopped program without its introduction, as in the JSON.
fn cause(message: &str) -> String {
    let message = message.rsplit_once(" (").map_or(message, |(message, _)| message);
    let cause = message.split_once(": ").or_else(|| message.split_once("fault "));
    cause.map_or("", |(_, cause)| cause).to_owned()
}

/// Reads a JUnit report, which has a test case for each budget.
pub(crate) fn junit(text: &str) -> Vec<Budget> {
    let document = roxmltree::Document::parse(text).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let cases: Vec<_> = root
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .collect();
    let problems = |name: &str| {
        root.descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
            .to_string()
    };
    let suite = root.first_element_child().expect("a suite");
    for node in [root, suite] {
        assert_eq!(node.attribute("tests"), Some(&*cases.len().to_string()));
        assert_eq!(node.attribute("failures"), Some(&*problems("failure")));
        assert_eq!(node.attribute("errors"), Some(&*problems("error")));
        assert!(node.attribute("name").is_some());
    }
    let read = cases.into_iter().map(|case| {
        assert!(case.attribute("name").is_some() && case.attribute("classname").is_some());
        let problem = case.first_element_child();
        let message = problem.map(|problem| problem.attribute("message").expect("a message"));
        let line = case.attribute("line").map(|line| line.parse().expect("a number"));
        Budget {
            line,
            message: message.map(|message| {
                if line.is_none() {
                    cause(message)
                } else {
                    message.to_owned()
                }
            }),
        }
    });
    read.collect()
}

/// Reads a log of SARIF 2.1.0, which has a result for each budget.
pub(crate) fn sarif(text: &str) -> Vec<Budget> {
    let log: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let [run] = &log["runs"].as_array().expect("runs")[..] else {
        panic!("{log}");
    };
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results").iter().map(|result| {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(result["level"], "error");
        let message = result["message"]["text"].as_str().expect("a message");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if rule["id"] == "stopped" {
            return Budget {
                line: None,
                message: Some(cause(message)),
            };
        }
        let column = |name: &str| region[name].as_u64().expect("a column");
        assert!((1..column("endColumn")).contains(&column("startColumn")));
        Budget {
            line: region["startLine"].as_u64(),
            // The parts of the figure follow it.
            message: message.split(": ").next().map(str::to_owned),
        }
    });
    results.collect()
}
