//! The frame of a page of HTML: its head, and the policy by which it loads nothing and runs no script but its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The most bytes of a page, whatever the program is.
pub(super) const LARGEST: usize = 8 << 20;

/// A page with a `body` that has no style attributes and no handlers of events, which the policy forbids. `title` is
/// escaped as text of HTML, but may not have characters that steer or reorder.
pub(super) fn page(title: &str, style: &str, script: Option<&str>, body: &Markup) -> Markup {
    let scripts = script.map_or_else(String::new, |script| format!("script-src {}; ", source(script)));
    let style_source = source(style);
    let policy = format!("default-src 'none'; style-src {style_source}; {scripts}base-uri 'none'; form-action 'none'");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(style)) }
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
            body { (body) }
        }
    }
}

/// How the policy names a text: its SHA-256 digest in base 64.
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
pub(super) mod tests {
    /// Makes sure that a text stays inside of its element and loads nothing.
    pub(crate) fn assert_contained(text: &str) {
        for forbidden in ["</", "url(", "@import", "http"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
    }

    /// The digest of no bytes, which the standard publishes.
    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(
            super::source(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
    }
}
