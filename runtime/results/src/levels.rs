//! The privilege levels at which a counter counts.

use asm_macros::msr::{CESR_SYSTEM, CESR_USER};

/// The privilege levels at which one counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// No level: the counter is off.
    None,
    /// CPL 0, 1 and 2.
    System,
    /// CPL 3 only.
    User,
    /// Every CPL.
    All,
}

impl Levels {
    /// The levels that one half of the control and event select register selects.
    pub fn of(half: u32) -> Levels {
        match (half & CESR_SYSTEM != 0, half & CESR_USER != 0) {
            (false, false) => Levels::None,
            (true, false) => Levels::System,
            (false, true) => Levels::User,
            (true, true) => Levels::All,
        }
    }

    /// The name in JSON: `none`, `0-2`, `3` or `all`.
    pub fn name(self) -> &'static str {
        match self {
            Levels::None => "none",
            Levels::System => "0-2",
            Levels::User => "3",
            Levels::All => "all",
        }
    }
}
