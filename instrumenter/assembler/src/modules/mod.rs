//! Modules as files: [`join`] makes one program of several, [`executable`] writes it; [`omf`], [`library`] and
//! [`native`] write objects.

pub mod executable;
pub mod join;
pub mod library;
pub mod native;
pub mod omf;

pub use crate::module::*;
