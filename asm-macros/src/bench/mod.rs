//! The clocks of this crate for benchmark frameworks.

#[cfg(feature = "criterion")]
mod criterion;
#[cfg(feature = "divan")]
mod divan;

#[cfg(feature = "criterion")]
pub use criterion::{CoreClocks, Ticks};
#[cfg(feature = "divan")]
pub use divan::time;
