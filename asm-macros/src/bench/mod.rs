//! Our clocks in the places where Rust programs are measured.

#[cfg(feature = "criterion")]
mod criterion;
#[cfg(feature = "divan")]
mod divan;

#[cfg(feature = "criterion")]
pub use criterion::{CoreClocks, Ticks};
#[cfg(feature = "divan")]
pub use divan::time;
