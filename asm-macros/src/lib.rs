//! The tables every other crate derives from: the Pentium's events, its model specific registers, and the text of the
//! macro library that `p5inst` bundles.
//!
//! ```
//! use asm_macros::events::Event;
//! assert_eq!(Event::from_selector(0x16), Some(Event::INSTRUCTIONS_EXECUTED));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

pub mod cpi;
pub mod events;
#[cfg(feature = "std")]
pub mod library;
pub mod msr;
pub mod profile;
mod reason;

pub use reason::{Reason, Unavailable};
