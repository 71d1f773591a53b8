//! The constructions by which source for MASM and TASM is recognised, even with errors in it.

use crate::dialect::foreign::Construction::{First, Second, Then};
use crate::dialect::foreign::Sign;

#[rustfmt::skip] // One construction per line.
pub(super) static SIGNS: &[Sign] = &[
    (First(".model"), 2),
    (First(".code"), 2),
    (First(".data"), 1),
    (First(".stack"), 2),
    (First(".386"), 2),
    (First(".386p"), 2),
    (First(".486"), 2),
    (First(".586"), 2),
    (First(".586p"), 2),
    (First("ideal"), 2),
    (First("assume"), 2),
    (First("invoke"), 2),
    (First("endm"), 2),
    (First("starttsc"), 2),
    (First("startprofile"), 2),
    (Second("proc"), 2),
    (Second("endp"), 2),
    (Second("segment"), 2),
    (Second("ends"), 2),
    (Second("macro"), 2),
    (Then("ptr", ""), 1),
    (Then("offset", ""), 1),
    (Then("dup", ""), 1),
];
