//! The tables every other crate derives from: the Pentium's events, its model specific registers, and the text of the
//! macro library that `p5inst` bundles.
//!
//! ```
//! use asm_macros::events::Event;
//! assert_eq!(Event::from_selector(0x16), Some(Event::INSTRUCTIONS_EXECUTED));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

pub mod events;
#[cfg(feature = "std")]
pub mod library;
#[cfg(target_arch = "x86_64")]
pub mod measure;
pub mod msr;
mod reason;
pub mod statistics;
#[cfg(target_arch = "x86_64")]
pub mod tsc;

pub use reason::{Reason, Unavailable};
