//! A Pentium in three parts that do not know each other: *meaning* (`exec`), *time* (`pipeline`, `units`) and *telling*
//! (`report`), joined by `machine`.

pub mod exec;
pub mod facts;
mod flags;
pub mod image;
pub mod memory;
pub mod registers;
pub mod run;
