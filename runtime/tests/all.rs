//! The tests of the simulator through its public interface, in one program: each of these modules is a subject.

mod diagram;
mod extended;
mod native;
mod protected;
mod transcendental;
