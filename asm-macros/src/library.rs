//! The macro libraries as source text.

/// `p5.inc`, the library for the Pentium, in MASM/TASM syntax.
pub const P5_INC: &str = include_str!("../inc/p5.inc");
/// `host.inc`, the same macros for the current processor that runs the program natively.
pub const HOST_INC: &str = include_str!("../inc/host.inc");
/// The macros without measurement: they mark their regions but expand to no instruction.
pub const UNMEASURED_INC: &str = concat!("P5_UNMEASURED = 1\n", include_str!("../inc/host.inc"));
/// `perfmon.inc`, macros for architectural performance monitoring, in the same syntax.
pub const PERFMON_INC: &str = include_str!("../inc/perfmon.inc");

/// `irvine32.inc`, the declarations of a library that courses use, in the same syntax.
pub const IRVINE32_INC: &str = include_str!("../inc/irvine32.inc");
/// `macros.inc`, which such a course has in a file of its own.
const MACROS_INC: &str = include_str!("../inc/macros.inc");

/// A source of such procedures, by the name of its file.
macro_rules! course {
    ($name:literal) => {
        (
            $name,
            concat!(include_str!("../inc/head.inc"), include_str!(concat!("../inc/", $name))),
        )
    };
}

/// Sources of procedures that a program may declare and call without defining them: a name, as reports show it, and
/// the text.
pub const PROCEDURES: [(&str, &str); 2] = [course!("irvine32.asm"), course!("kernel32.asm")];

/// The text of a library that is an ordinary file to an assembler, by its name.
pub fn file(name: &str) -> Option<&'static str> {
    let files = [
        ("perfmon.inc", PERFMON_INC),
        ("irvine32.inc", IRVINE32_INC),
        ("macros.inc", MACROS_INC),
    ];
    let named = |(known, text): (&str, &'static str)| name.eq_ignore_ascii_case(known).then_some(text);
    files.into_iter().find_map(named)
}

#[cfg(test)]
mod tests {
    use super::{HOST_INC, P5_INC, PERFMON_INC};

    #[test]
    fn the_explanation_for_users_is_short_and_lines_fit() {
        for library in [P5_INC, HOST_INC, PERFMON_INC] {
            let explained = library.lines().take_while(|line| line.starts_with(';')).count();
            assert!((10..=30).contains(&explained), "{explained} lines");
            assert!(library.is_ascii() && library.lines().all(|line| line.len() <= 120));
        }
    }

    #[test]
    fn both_libraries_have_the_same_names_for_the_user() {
        let names = |library: &'static str| {
            let defined = library.lines().filter_map(|line| {
                let mut words = line.split_whitespace();
                let (name, how) = (words.next()?, words.next()?);
                let user = !name.starts_with("P5_") && !name.starts_with("HOST_");
                (user && ["MACRO", "equ", "dd"].contains(&how)).then_some((name, how))
            });
            let mut names: Vec<_> = defined.collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(P5_INC), names(HOST_INC));
        assert!(names(HOST_INC).len() >= 16, "{:?}", names(HOST_INC));
    }

    #[test]
    fn what_both_libraries_say_of_the_counters_is_the_same_text() {
        let body = |library: &'static str, name: &str| {
            let start = library
                .find(&format!("\n{name} MACRO "))
                .or_else(|| library.find(&format!("\n{name} MACRO\n")));
            let rest = &library[start.expect("the macro is there")..];
            &rest[..rest.find("\nENDM").expect("and ends")]
        };
        for name in ["P5_Half", "SetMSRTimers", "ReadMSRTimer0", "ReadMSRTimer1"] {
            assert_eq!(body(P5_INC, name), body(HOST_INC, name));
        }
        let constants = |library: &'static str| -> Vec<&str> {
            let bits = |line: &&str| line.contains(" equ 0");
            library.lines().filter(bits).collect()
        };
        assert_eq!(constants(P5_INC), constants(HOST_INC));
        assert_eq!(constants(P5_INC).len(), 6);
    }
}
