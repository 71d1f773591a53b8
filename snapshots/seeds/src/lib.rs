//! The seeds of random tests, and the numbers of their rounds, which the environment can set; random damage to files;
//! bounds of time and memory.

pub mod bounds;
pub mod damage;

use std::env;
use std::str::FromStr;

/// The seed of a random test: the number in the variable `P5INST_SEED`, or another one each time. It is printed, and so
/// shown if the test fails.
///
/// # Panics
///
/// If the variable is not a decimal number.
pub fn seed() -> u64 {
    let seed = number("P5INST_SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    println!("P5INST_SEED={seed}");
    seed
}

/// The decimal number in a variable of the environment; `None` if it is not set.
///
/// # Panics
///
/// If the variable is no number of this type: a test that ignored it would pass without what was asked for.
pub fn number<T: FromStr>(variable: &str) -> Option<T> {
    let text = env::var(variable).ok()?;
    let number = text.parse().ok();
    Some(number.unwrap_or_else(|| panic!("the variable {variable} is not a number: `{text}`")))
}
