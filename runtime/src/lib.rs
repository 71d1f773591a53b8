//! A Pentium in three parts that do not know each other: *meaning* (`exec`), *time* (`pipeline`, `units`) and *telling*
//! (`report`), joined by `machine`.

mod block;
mod counters;
pub mod exec;
pub mod facts;
pub mod image;
pub mod machine;
pub mod memory;
pub mod model;
mod pipeline;
pub mod registers;
pub mod report;
pub mod run;
mod services;
mod units;
