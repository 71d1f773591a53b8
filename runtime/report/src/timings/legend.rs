//! What the columns of listed timing rows mean, as far as the rows use it.

use super::Listed;
use p5_chips::{Class, Row};

/// The pairing classes with their meanings.
const CLASSES: [(&str, &str); 5] = [
    ("UV", "either pipe"),
    ("PU", "pairs in the U pipe only"),
    ("PV", "pairs in the V pipe only"),
    ("FX", "pairs with FXCH only"),
    ("NP", "never pairs"),
];

/// The legend of these rows.
pub(super) fn legend(rows: &[&Row], listed: &[Listed]) -> String {
    let mut legend = "Clocks with cache hits, aligned operands and correct prediction, without those of prefixes \
                      (`p5inst explain prefix`)"
        .to_owned();
    if rows.len() > 1 {
        legend.push_str("; the first matching row applies");
    }
    legend.push('.');
    let mut parts: Vec<String> = Vec::new();
    for (name, meaning) in CLASSES {
        let of_fxch = |row: &&Row| row.class == Class::Pv && row.form.starts_with("FXCH");
        if listed.iter().any(|row| row.class == name) {
            let fxch = match name == "PV" && rows.iter().any(of_fxch) {
                true => " (FXCH: after FX only)",
                false => "",
            };
            parts.push(format!("{name}: {meaning}{fxch}"));
        }
    }
    // A count stands behind a figure, as in `4 + 3n`, or before an index.
    let counts = |clocks: &str| {
        let before = |at: usize| clocks[..at].chars().next_back();
        let counts = |(at, _)| before(at).is_some_and(|one| one.is_ascii_digit() || one == '(');
        clocks.match_indices('n').any(counts)
    };
    if listed.iter().any(|row| counts(&row.clocks)) {
        parts.push("n: the count or the iterations".to_owned());
    }
    if !parts.is_empty() {
        legend.push_str(&format!(" {}.", parts.join("; ")));
    }
    if rows.iter().any(|row| row.early.is_some()) {
        legend.push_str(
            " Early: written before the last clock, so that no address waits for it; `p5inst explain early_writes` \
             says where that is only probable.",
        );
    }
    legend
}
