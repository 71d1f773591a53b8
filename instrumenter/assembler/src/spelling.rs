//! "Did you mean" suggestions: the known name closest in spelling to an unknown one.

/// The maximum length of a name that is compared.
const LONGEST: usize = 64;

/// The closest of `candidates` to `name`, ignoring case, if any is close enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=LONGEST => 2,
        _ => return None,
    };
    let name = name.to_ascii_lowercase();
    let mut lower = String::new();
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed)
        .filter_map(|candidate| {
            lower.clear();
            lower.push_str(candidate);
            lower.make_ascii_lowercase();
            // A transposition counts as one edit.
            let changes = strsim::osa_distance(&name, &lower);
            (changes <= allowed).then_some((changes, candidate))
        })
        .min_by_key(|&(changes, candidate)| (changes, candidate.len().abs_diff(name.len())))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_near() {
        let cases: &[(&str, &[&str], Option<&str>)] = &[
            ("conter", &["counter", "other"], Some("counter")),
            ("CONTER", &["Counter"], Some("Counter")),
            ("mvo", &["move", "mov", "movsx"], Some("mov")),
            ("decs", &["dec", "decr"], Some("decr")),
            ("q", &["s", "e"], None),
            ("loop", &["pool"], None),
            ("cout", &["cnt", "count", "clout"], Some("count")),
            ("cuont", &["cnt", "count"], Some("count")),
            ("cn", &["cnt"], None),
            ("ct", &["tc", "at"], None),
            ("sum", &["mus", "max"], None),
        ];
        for &(name, candidates, expected) in cases {
            assert_eq!(nearest(name, candidates.iter().copied()), expected, "{name}");
        }
        let long = "a".repeat(65);
        assert_eq!(nearest(&long, [long.as_str()].into_iter()), None);
    }
}
