//! The macro library as text, for whoever assembles it.

/// `p5.inc`, the library in MASM/TASM syntax.
pub const P5_INC: &str = include_str!("../inc/p5.inc");

#[cfg(test)]
mod tests {
    use super::P5_INC;
    use crate::events::include_constants;

    #[test]
    fn the_event_constants_are_those_of_the_event_list() {
        let block: Vec<&str> = P5_INC.lines().filter(|line| line.starts_with("EV_")).collect();
        let expected = include_constants();
        assert_eq!(block, expected.lines().collect::<Vec<_>>());
    }

    #[test]
    fn the_explanation_for_users_is_short_and_lines_fit() {
        let explained = P5_INC.lines().take_while(|line| line.starts_with(';')).count();
        assert!((10..=30).contains(&explained), "{explained} lines");
        assert!(P5_INC.is_ascii() && P5_INC.lines().all(|line| line.len() <= 120));
    }
}
