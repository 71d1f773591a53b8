//! Which functions of Rust's library end a program by a panic, by their names.

use crate::load::readable_name;

/// The crates of Rust's library, as names begin with them.
pub const CRATES_OF_RUST: [&str; 5] = ["core", "alloc", "std", "compiler_builtins", "__rustc"];

/// Whether a function handles panics, or begins one: `core::panicking::panic_bounds_check`.
pub fn is_of_panic(name: &str) -> bool {
    name == "rust_begin_unwind" || name == "__rustc::rust_begin_unwind" || name.starts_with("core::panicking::")
}

/// Whether a function of Rust's library, as linkers or sources name it, never returns: it panics, as does
/// `core::option::unwrap_failed`.
pub fn never_returns(name: &str) -> bool {
    let readable = readable_name(name);
    let name = readable.as_deref().unwrap_or(name);
    let of_library = name
        .split_once("::")
        .is_some_and(|(root, _)| CRATES_OF_RUST.contains(&root));
    let last = name.rsplit("::").next().unwrap_or(name);
    let fails = || {
        let ends = ["_fail", "_failed", "capacity_overflow"];
        ends.iter().any(|end| last.ends_with(end)) || last.starts_with("handle_") && last.ends_with("_error")
    };
    is_of_panic(name) || (of_library && (fails() || last.starts_with("panic_")))
}

#[cfg(test)]
mod tests {
    use super::never_returns;

    #[test]
    fn functions_that_panic_are_known_by_their_names() {
        for (name, panics) in [
            ("_RNvNtCscPEpqFsAZTC_4core9panicking18panic_bounds_check", true),
            ("core::slice::index::slice_index_fail", true),
            ("core::option::unwrap_failed", true),
            ("alloc::raw_vec::capacity_overflow", true),
            ("alloc::alloc::handle_alloc_error", true),
            ("core::slice::memchr::memchr", false),
            ("mine::unwrap_failed", false),
            ("memcpy", false),
        ] {
            assert_eq!(never_returns(name), panics, "{name}");
        }
    }
}
