//! A Pentium in three parts that do not know each other: *meaning* (`exec`), *time* (`pipeline`, `units`) and *telling*
//! (`report`), joined by `machine`.

mod block;
mod counters;
pub mod facts;
pub mod image;
pub mod model;
mod pipeline;
pub mod report;
pub mod run;
mod units;
