//! What listeners want and have noted: `attention` says from when on groups are wanted, and `audit`, `borders`,
//! `records` and `traces` what each listener keeps of them; `kept` has traces of the past, and `traced` what
//! each of their issues has.
//!
//! Modelled: what is kept, and for how long. Not modelled: the groups, which `listeners` passes on.

pub(super) mod attention;
pub(super) mod audit;
pub(super) mod borders;
pub(super) mod kept;
pub(super) mod records;
pub(super) mod traced;
pub(super) mod traces;
