//! The HTML page in Chromium: the effects of clicks, keys and filters, light and dark, narrow windows, print, and
//! program text that stays text. Figures are compared with the JSON report of the same run.

use super::chromium::Browser;
use super::page::{Row, json_lines};
use super::{Detail, Options, in_format, run};
use runtime::run::Run;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The shown rows of the listing: line, executions, clocks, U, V and lost clocks of executed lines.
const SHOWN: &str = "[...document.querySelector('table.listing').tBodies[0].rows]
    .filter(row => !row.hidden && row.cells.length === 9 && row.cells[3].dataset.v)
    .map(row => [0, 2, 3, 5, 6, 7].map(at => Number(row.cells[at].dataset.v)))";

/// An open page, and the JSON report of its run.
struct Opened {
    browser: Browser,
    json: Value,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

/// Opens the page of a run; `None` if there is no Chromium.
fn open(run: &Run, width: u32) -> Option<Opened> {
    let mut browser = Browser::start()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("report.html");
    std::fs::write(&file, in_format(run, "html", Detail::Short)).expect("a file is written");
    browser.open(&file, width);
    Some(Opened {
        browser,
        json: serde_json::from_str(&in_format(run, "json", Detail::All)).expect("JSON"),
        file,
        _folder: folder,
    })
}

impl Opened {
    fn shown(&mut self) -> Vec<Row> {
        serde_json::from_value(self.browser.value(SHOWN)).expect("rows")
    }

    /// Panics if the page has loaded anything but itself, or if an error has occurred in it.
    fn nothing_went_wrong(&mut self) {
        for request in self.browser.take_told("Network.requestWillBeSent") {
            let url = request["params"]["request"]["url"].as_str().expect("a URL");
            assert!(url.starts_with("file://") && url.contains("/report.html"), "{url}");
        }
        for method in ["Runtime.exceptionThrown", "Log.entryAdded"] {
            let told = self.browser.take_told(method);
            assert!(told.is_empty(), "{told:#?}");
        }
    }
}

fn tutorial(name: &str) -> Run {
    let path = format!("{}/tutorials/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"));
    run(&format!("snapshots/tutorials/{name}"), &text)
}

#[test]
fn clicks_sort_and_filter_and_what_is_shown_is_in_the_json() {
    let run = tutorial("18_word_count/wc.asm");
    let Some(mut page) = open(&run, 1200) else { return };
    let lines = json_lines(&page.json, false);
    assert_eq!(page.shown(), lines);
    let ready = "performance.getEntriesByType('navigation')[0].domComplete";
    let milliseconds = page.browser.value(ready).as_f64().expect("a time");
    println!("ready after {milliseconds:.0} ms");

    // Two clicks on a heading: the most clocks come first.
    let heading = "table.listing thead th:nth-child(4)";
    let button = format!("{heading} button");
    let sorted = format!("document.querySelector({heading:?}).getAttribute('aria-sort')");
    let mut expected = lines.clone();
    page.browser.click(&button);
    assert_eq!(page.browser.value(&sorted), "ascending");
    expected.sort_by_key(|row| row[2]);
    assert_eq!(page.shown(), expected);
    page.browser.click(&button);
    assert_eq!(page.browser.value(&sorted), "descending");
    expected = lines.clone();
    expected.sort_by_key(|row| std::cmp::Reverse(row[2]));
    assert_eq!(page.shown(), expected);
    page.browser.click("table.listing thead th:nth-child(1) button");
    assert_eq!(page.shown(), lines);

    // The filter shows only lines that wait.
    page.browser.click("#waits");
    let waiting: Vec<Row> = lines.iter().copied().filter(|row| row[5] > 0).collect();
    assert!(!waiting.is_empty() && waiting.len() < lines.len());
    assert_eq!(page.shown(), waiting);
    page.browser.click("#waits");

    // The filter by text, typed into the field; the number of lines is announced.
    page.browser.click("#filter");
    page.browser.insert("AND EAX,");
    let source: Vec<&Value> = page.json["lines"].as_array().expect("lines").iter().collect();
    let fits = |line: &&&Value| {
        line["library"] == false && line["text"].as_str().is_some_and(|text| text.contains("and eax,"))
    };
    let fitting: Vec<Value> = source.iter().filter(fits).map(|line| line["line"].clone()).collect();
    assert!(!fitting.is_empty());
    let numbers: Vec<Value> = page.shown().iter().map(|row| row[0].into()).collect();
    assert_eq!(numbers, fitting);
    let told = page.browser.value("document.getElementById('shown').textContent");
    assert!(
        told.as_str()
            .is_some_and(|told| told.contains(" of ") && told.ends_with(" lines")),
        "{told}"
    );
    page.browser.click(".controls button");
    assert_eq!(page.shown(), lines);

    // The filter by region, with the keyboard.
    page.browser.value("document.getElementById('region').focus()");
    page.browser.press("ArrowDown");
    let region = &page.json["regions"][0];
    let [first, last] = ["start_line", "end_line"].map(|name| region[name].as_i64().expect("a line"));
    let own = page.json["lines"].as_array().expect("lines").iter();
    let own = own.filter(|line| line["library"] == false);
    let inside: Vec<Row> = own
        .zip(&lines)
        .filter(|(line, row)| line["file"] == region["file"] && (first..=last).contains(&row[0]))
        .map(|(_, row)| *row)
        .collect();
    assert!(!inside.is_empty() && inside.len() < lines.len());
    assert_eq!(page.shown(), inside);
    page.nothing_went_wrong();
}

#[test]
fn the_keyboard_reaches_everything_and_rules_are_shown_where_the_focus_is() {
    let run = tutorial("02_agi/agi.asm");
    let Some(mut page) = open(&run, 1200) else { return };
    let browser = &mut page.browser;
    let focused = "(document.activeElement.id || document.activeElement.className || document.activeElement.tagName)";
    // The first Tab stop skips to the figures.
    browser.press("Tab");
    assert_eq!(browser.value(focused), "skip");
    browser.press("Tab");
    assert_eq!(browser.value(focused), "theme");
    let outlined = browser.value("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outlined, "solid");
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    browser.press("Enter");
    assert_eq!(
        browser.value("document.getElementById('theme').getAttribute('aria-pressed')"),
        "true"
    );
    let dark = browser.value(ground);
    assert_ne!(light, dark);
    browser.press("Enter");
    assert_eq!(browser.value(ground), light);

    // Tab goes from the table of clocks to its first reason, and arrow keys to the others.
    let mut stops = 0;
    while browser.value("document.activeElement.matches('.lanes .why')") != true {
        browser.press("Tab");
        stops += 1;
        assert!(stops < 60, "no reason is reached");
    }
    let reasons = browser.value("document.querySelector('.lanes').querySelectorAll('.why').length");
    assert!(reasons.as_u64().is_some_and(|reasons| reasons > 1));
    for step in 0..2 {
        let told =
            browser.value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent");
        assert!(
            told.as_str().is_some_and(|told| told.contains("Source ")),
            "step {step}: {told}"
        );
        assert_eq!(
            browser.value("document.activeElement.getAttribute('aria-describedby')"),
            "tip"
        );
        let before =
            browser.value("document.activeElement.textContent + document.activeElement.closest('tr').rowIndex");
        browser.press("ArrowDown");
        let after = browser.value("document.activeElement.textContent + document.activeElement.closest('tr').rowIndex");
        assert_ne!(before, after);
    }
    browser.press("Escape");
    assert_eq!(browser.value("document.getElementById('tip').hidden"), true);
    // The next Tab stop is outside of the table.
    browser.press("Tab");
    assert_eq!(browser.value("document.activeElement.matches('.lanes .why')"), false);
    // The mouse has the same effect.
    browser.value("document.activeElement.blur()");
    browser.point_at(".lanes .lost .why");
    let rule = "document.getElementById('tip').querySelector('h3').firstChild.textContent.trim()";
    let expected = browser.value("document.querySelector('.lanes .lost .why').dataset.rules");
    let name = browser.value(rule);
    assert_eq!(
        Some(format!("cause-{}", name.as_str().expect("a name"))).as_deref(),
        expected.as_str()
    );
    // A reason leads to its rule without the script, too.
    browser.click(".lanes .lost .why");
    let target = browser.value("location.hash.slice(1) === document.querySelector('.rule:target').id");
    assert_eq!(target, true);

    // The sets of a cache.
    browser.value("document.querySelector('.map td').focus()");
    browser.press("ArrowRight");
    browser.press("ArrowDown");
    let told = browser.value("document.getElementById('tip').textContent");
    assert!(told.as_str().is_some_and(|told| told.starts_with("Set 17: ")), "{told}");

    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let named = |role: &str| {
        let nodes = nodes.iter().filter(|node| node["role"]["value"] == role);
        nodes
            .map(|node| node["name"]["value"].as_str().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    for role in ["banner", "navigation", "main", "contentinfo", "search", "status"] {
        assert_eq!(named(role).len(), 1, "{role}");
    }
    for role in [
        "table",
        "heading",
        "button",
        "link",
        "checkbox",
        "searchbox",
        "combobox",
        "region",
    ] {
        let names = named(role);
        assert!(
            !names.is_empty() && names.iter().all(|name| !name.is_empty()),
            "{role}: {names:?}"
        );
    }
    page.nothing_went_wrong();
}

#[test]
fn dark_narrow_and_printed_pages_fit() {
    let run = tutorial("02_agi/agi.asm");
    let Some(mut page) = open(&run, 1200) else { return };
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = page.browser.value(ground);
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    page.browser.emulate_media(dark);
    assert_ne!(page.browser.value(ground), light);
    let pressed = "document.getElementById('theme').getAttribute('aria-pressed')";
    assert_eq!(page.browser.value(pressed), "true");
    // The choice of light persists.
    page.browser.click("#theme");
    assert_eq!(page.browser.value(ground), light);
    for width in [400, 320] {
        let file = page.file.clone();
        page.browser.open(&file, width);
        let wide = page.browser.value("document.documentElement.scrollWidth");
        let over = "[...document.querySelectorAll('body *')]
            .filter(one => !one.closest('.scroll, nav') && one.getBoundingClientRect().right > innerWidth)
            .map(one => one.outerHTML.slice(0, 200))";
        assert!(
            wide.as_u64().is_some_and(|wide| wide <= u64::from(width)),
            "{wide} of {width}: {:#}",
            page.browser.value(over)
        );
    }
    page.browser.emulate_media(json!({"media": "print"}));
    for hidden in ["nav", ".controls", "#theme"] {
        let display = page
            .browser
            .value(&format!("getComputedStyle(document.querySelector({hidden:?})).display"));
        assert_eq!(display, "none", "{hidden}");
    }
    let printed = page.browser.call("Page.printToPDF", json!({}));
    // `%PDF-` in base 64.
    assert!(printed["data"].as_str().is_some_and(|data| data.starts_with("JVBERi0")));
    page.nothing_went_wrong();
}

/// Text that would be markup, end a script or a style, or reorder the page.
const HOSTILE: &str = "</script></style><script>broken=1</script><img src=x onerror=broken=1>\" onload=\"broken=1' \
                       &lt;b&gt; &#60; ]]> <!-- \u{202e}\u{2066}\u{7}\u{1b}[2J \u{5d0}\u{5d1} = 1";

#[test]
fn text_of_the_program_stays_text() {
    let text = format!(
        "        .586\n        .model flat\n        .data\nbytes   db '</pre><img src=x onerror=broken=1>',0FFh,0FEh,7\n\
         .code\nstart:  StartTSC <a></a><b>  ; {HOSTILE}\n        mov eax,4 ; {HOSTILE}\n        mov ebx,1\n\
         \x20       mov ecx,offset bytes\n        mov edx,37\n        int 80h\n        EndTSC\n        ret\n\
         end start\n"
    );
    let run = run(&format!("a{HOSTILE}.asm"), &text);
    assert!(run.output.starts_with(b"</pre><img") && run.output.contains(&0xFF));
    let html = in_format(&run, "html", Detail::Short);
    super::page::body(&html);
    let control = html.contains(|character: char| character.is_control() && character != '\n');
    assert!(!control && !html.contains(['\u{202e}', '\u{2066}']));
    let Some(mut page) = open(&run, 800) else { return };
    let broken = "[typeof broken, document.images.length, document.scripts.length, document.styleSheets.length]";
    assert_eq!(page.browser.value(broken), json!(["undefined", 0, 1, 1]));
    let shown = page.browser.value("document.querySelector('h1').textContent");
    assert!(
        shown
            .as_str()
            .is_some_and(|shown| shown.contains("</script></style><script>")),
        "{shown}"
    );
    let source = "[...document.querySelectorAll('.source')].filter(one => one.textContent.includes('onerror')).length";
    assert!(page.browser.value(source).as_u64().is_some_and(|lines| lines >= 3));
    // Even if markup got through, the policy would not let it run or load anything.
    let tried = "new Promise(done => {
        const image = new Image();
        image.onerror = image.onload = () => done(document.body.lastChild.textContent + typeof broken);
        document.body.insertAdjacentHTML('beforeend', '<b onclick=\"broken=1\">still </b>');
        document.body.lastChild.click();
        image.src = 'https://example.invalid/';
    })";
    assert_eq!(page.browser.value(tried), "still undefined");
    assert!(
        !page.browser.take_told("Log.entryAdded").is_empty(),
        "the policy refused both"
    );
}

/// The page of 100 million instructions is as small as any other, and has their figures.
#[test]
fn a_long_run_has_a_small_page() {
    let text = "        .586\n        .model flat\n        .code\nstart:  mov ecx,33333333\nnext:   add eax,ecx\n\
        \x20       dec ecx\n        jnz next\n        ret\n        end start\n";
    let options = Options {
        runs: 1,
        cache_sets: true,
        ..Options::default()
    };
    let run = snapshots::run("long.asm", text, snapshots::chip(), &options).unwrap_or_else(|why| panic!("{why}"));
    assert!(run.whole.totals.instructions >= 100_000_000);
    let html = in_format(&run, "html", Detail::Short);
    assert!(html.len() < 1 << 18, "{} bytes", html.len());
    let Some(mut page) = open(&run, 1200) else { return };
    let lines = json_lines(&page.json, false);
    assert_eq!(page.shown(), lines);
    assert_eq!(
        lines.iter().map(|row| row[1]).sum::<i64>(),
        run.whole.totals.instructions as i64
    );
    page.nothing_went_wrong();
}
