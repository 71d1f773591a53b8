//! What one group leaves to the next: bytes under way (`queue`, `prefetched`), the clocks from which registers and
//! units are ready (`readiness`), the way through the code (`trail`), and what groups waited for (`waits`).
//!
//! Modelled: this state and what changes it alone. Not modelled: the stages that groups pass, which are in `stages`.

pub(super) mod prefetched;
pub(super) mod queue;
pub(super) mod readiness;
pub(super) mod trail;
pub(super) mod waits;
