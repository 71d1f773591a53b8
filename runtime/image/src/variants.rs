//! Variants of functions: what a compiler makes of one function of the source, with a mark after its name.

/// What GCC and Clang put after the name of a function for a variant of it, and demanglers before that.
const MARKS: [&str; 6] = [" [clone ", ".constprop.", ".isra.", ".part.", ".cold", ".llvm."];

/// The name of a function without what a compiler adds for a variant of it: `f` of `f.constprop.0`.
pub fn without_variant(name: &str) -> &str {
    let ends = MARKS.iter().filter_map(|mark| name.find(mark));
    &name[..ends.filter(|&end| end > 0).min().unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::without_variant;

    #[test]
    fn a_variant_has_the_name_of_its_function() {
        for (name, own) in [
            ("f", "f"),
            ("f.constprop.0.isra.0", "f"),
            ("f(int) [clone .part.0]", "f(int)"),
            (".part.0", ".part.0"),
            ("f.x", "f.x"),
        ] {
            assert_eq!(without_variant(name), own, "{name}");
        }
    }
}
