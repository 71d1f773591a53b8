//! End to end: source to bytes, to regions, to errors.
