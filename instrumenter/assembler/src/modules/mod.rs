//! Modules as files: [`join`] makes one program of several, [`executable`] writes it; [`omf`], [`library`] and
//! [`native`] write objects.

mod debug;
pub mod executable;
pub mod join;
pub mod library;
mod lines;
pub mod native;
pub mod omf;

pub use crate::module::*;
