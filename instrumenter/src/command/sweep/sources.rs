//! The sources of a sweep: each included file is read once, so that all runs see the same text.

use super::super::includes::Includes;
use p5_assembler::source::{Included, Unavailable};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// The included files read so far, by their names in `include`.
pub(super) struct Cache {
    includes: Includes,
    known: Mutex<BTreeMap<String, Result<Included, Unavailable>>>,
}

impl Cache {
    pub(super) fn new(includes: Includes) -> Cache {
        Cache {
            includes,
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// The file that `include name` names.
    pub(super) fn read(&self, name: &str) -> Result<Included, Unavailable> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(name) {
            return found.clone();
        }
        let found = self.includes.read(name);
        known.insert(name.to_owned(), found.clone());
        found
    }

    /// A fingerprint of the file that `include name` names.
    pub(super) fn fingerprint(&self, name: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.read(name) {
            Ok(Included::File { name, bytes }) => (1, name, bytes).hash(&mut hasher),
            Ok(Included::Library) => 2.hash(&mut hasher),
            Err(_) => 3.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// Whether the text of any of the files read so far is `wanted`.
    pub(super) fn any(&self, wanted: impl Fn(&[u8]) -> bool) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |found: &Result<Included, Unavailable>| match found {
            Ok(Included::File { bytes, .. }) => wanted(bytes),
            _ => false,
        };
        known.values().any(is_wanted)
    }

    /// The names in `include` read so far.
    pub(super) fn names(&self) -> Vec<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.keys().cloned().collect()
    }
}

/// A hash of `value`: another value has the same one with a probability of one in 2^64. The hash function may differ in
/// another build of the program.
pub(super) fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
