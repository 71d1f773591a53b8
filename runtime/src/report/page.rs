//! The frame of a page of HTML: its head, and the policy by which it loads nothing and runs no script but its own.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The most bytes of a page, whatever the program is.
pub(super) const LARGEST: usize = 8 << 20;

/// A text that stands in the page itself, and its SHA-256 sum in base 64, by which the policy names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) text: &'static str,
    pub(super) sum: &'static str,
}

/// A page with a `body` that has no style attributes and no handlers of events, which the policy forbids. `title` is
/// escaped as text of HTML, but may not have characters that steer or reorder.
pub(super) fn page(title: &str, style: Own, script: Option<Own>, body: &Markup) -> Markup {
    let scripts = script.map_or_else(String::new, |own| format!("script-src 'sha256-{}'; ", own.sum));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; {scripts}base-uri 'none'; form-action 'none'",
        style.sum
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(style.text)) }
                @if let Some(script) = script { script { (PreEscaped(script.text)) } }
            }
            body { (body) }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Own;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// The sum of `text` in base 64; none without `sha256sum`.
    fn sum(text: &str) -> Option<String> {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut command = Command::new("sha256sum");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        process.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = process.wait_with_output().ok()?;
        let hexadecimal = String::from_utf8(output.stdout).ok()?;
        let bits: String = hexadecimal[..64]
            .chars()
            .map(|digit| format!("{:04b}", digit.to_digit(16).unwrap_or(0)))
            .collect();
        // 256 bits and two of padding are 43 digits of six bits.
        let digits = format!("{bits}00");
        let digits = digits.as_bytes().chunks(6).map(|bits| {
            let value = bits.iter().fold(0, |value, bit| 2 * value + usize::from(bit - b'0'));
            char::from(DIGITS[value])
        });
        Some(digits.chain(['=']).collect())
    }

    /// Makes sure that the policy names this text, and that the text stays inside of its element and loads nothing.
    pub(in crate::report) fn assert_named(own: Own) {
        match sum(own.text) {
            Some(sum) => assert_eq!(sum, own.sum),
            None => eprintln!("not covered: `sha256sum` is missing"),
        }
        for forbidden in ["</", "url(", "@import", "http"] {
            assert!(!own.text.contains(forbidden), "{forbidden}");
        }
    }
}
