//! The tests of the simulator through its public parts, in one program: each of these modules is a subject.

mod diagram;
mod extended;
mod native;
mod protected;
mod transcendental;
