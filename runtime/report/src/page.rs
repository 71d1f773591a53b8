//! The frame of an HTML page: its head, and the policy that forbids loading anything and running foreign scripts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The maximum size of a page in bytes, for every program.
pub(super) const LARGEST: usize = 8 << 20;

/// A page with `body`, which must not have style attributes or event handlers: the policy forbids them. `title` is
/// escaped as HTML text, but must not contain control or reordering characters.
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

/// The policy's name for a text: its SHA-256 digest in base 64.
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
pub(super) mod tests {
    /// Asserts that a text stays inside its element and loads nothing.
    pub(crate) fn assert_contained(text: &str) {
        for forbidden in ["</", "url(", "@import", "http"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
    }

    /// The standard publishes the digest of the empty text.
    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(
            super::source(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
    }
}
