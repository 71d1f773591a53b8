//! The function with which a run begins of a source that has several and does not say where, in words and in JSON.

use super::document::document;
use super::fragment::readable;
use p5_results::{Entered as Data, Run};

/// The most functions that are named in words.
const NAMED: usize = 8;

document! {
    /// The function with which a run begins of a source that has several and does not say where.
    pub(crate) struct Entered {
        /// Its name.
        function: String = readable(&entered.function),
        /// The names of the functions that were not executed, by address.
        not_run: Vec<String> = entered.not_run.iter().map(|name| readable(name)).collect(),
    }
    from (entered: &Data)
}

/// The words for it; `None` if all functions were executed.
pub(super) fn words(run: &Run) -> Option<String> {
    let entered = run.entered.as_ref().filter(|entered| !entered.not_run.is_empty())?;
    let mut names: Vec<String> = entered.not_run.iter().take(NAMED).map(|name| readable(name)).collect();
    let more = entered.not_run.len() - names.len();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let begins = "`--entry NAME` begins elsewhere";
    Some(format!(
        "function {}; not run: {}; {begins}",
        readable(&entered.function),
        names.join(", ")
    ))
}
