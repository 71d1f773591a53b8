//! Chromium without a window, driven through its DevTools protocol over two pipes.

use crate::consumers;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The time that an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
];

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// The notifications that have not been taken yet.
    told: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser with an empty page; `None` if there is no Chromium.
    pub(crate) fn start() -> Option<Browser> {
        if !consumers::available("chromium", "chromium", &["--version"]) {
            return None;
        }
        let profile = tempfile::tempdir().expect("a temporary folder");
        // Chromium reads commands from descriptor 3 and answers on descriptor 4.
        let mut process = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "sh",
                "chromium",
            ])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            process,
            input,
            answers,
            session: None,
            last: 0,
            told: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("Chromium reads");
        loop {
            let answer = self.hear(method);
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.told.push(answer);
        }
    }

    fn hear(&mut self, what: &str) -> Value {
        let answer = self.answers.recv_timeout(PATIENCE);
        answer.unwrap_or_else(|why| panic!("{what}: Chromium does not answer: {why}"))
    }

    /// The notifications of a method since the last such call.
    pub(crate) fn take_told(&mut self, method: &str) -> Vec<Value> {
        let (taken, kept) = std::mem::take(&mut self.told)
            .into_iter()
            .partition(|one| one["method"] == method);
        self.told = kept;
        taken
    }

    /// Opens a file in a window `width` pixels wide, and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path, width: u32) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.take_told("Page.loadEventFired");
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while self.take_told("Page.loadEventFired").is_empty() {
            let notification = self.hear("Page.navigate");
            self.told.push(notification);
        }
    }

    /// Waits until the page has been rendered twice and its deferred work is done. Listeners are notified of an input
    /// or another medium before a frame is rendered, which is after the call that caused it.
    fn settle(&mut self) {
        let frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))";
        self.value(frames);
    }

    /// Shows the page in another medium, or with other user preferences.
    pub(crate) fn emulate_media(&mut self, media: Value) {
        self.call("Emulation.setEmulatedMedia", media);
        self.settle();
    }

    /// Types a text at the focus.
    pub(crate) fn insert(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
        self.settle();
    }

    /// The value of a JavaScript expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Moves the mouse to the middle of the first element that matches a selector.
    pub(crate) fn point_at(&mut self, selector: &str) -> (f64, f64) {
        let element = format!("document.querySelector({selector:?})");
        self.value(&format!(
            "{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})"
        ));
        // An element hidden by the last input disappears with the next frame, which moves the elements after it.
        self.settle();
        let found = self.value(&format!(
            "(at => [at.x + at.width / 2, at.y + at.height / 2])({element}.getBoundingClientRect())"
        ));
        let at = |index: usize| found[index].as_f64().unwrap_or_else(|| panic!("{selector} is nowhere"));
        let (x, y) = (at(0), at(1));
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": "mouseMoved", "x": x, "y": y}),
        );
        self.settle();
        (x, y)
    }

    /// Clicks on the first element that matches a selector.
    pub(crate) fn click(&mut self, selector: &str) {
        let (x, y) = self.point_at(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowDown" => (40, ""),
            "ArrowRight" => (39, ""),
            other => panic!("no key {other}"),
        };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The other processes of Chromium end with this one.
        self.session = None;
        let message = b"{\"id\":0,\"method\":\"Browser.close\"}\0";
        if self.input.write_all(message).is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}
