//! The loops of a program over its whole run, in the JSON report.

use crate::document::document;
use crate::lines::file_name;
use crate::loop_table::Repeated;
use p5_results::Run;

document! {
    /// A loop of a program of Linux over its whole last run.
    pub(crate) struct RepeatedLoop<'a> {
        /// The linear address of its first instruction.
        address: u32 = run.instructions[one.head].address,
        /// The function that it is in; absent if it is in none.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<&'a str> = function,
        /// The file of the line that diagrams name it by; absent without a source line.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str> = place.and_then(|(file, _)| file_name(run, file)),
        /// The line there, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32> = place.map(|(_, line)| line),
        /// The bytes of its instructions that were executed, with those of the loops inside.
        code_bytes: u64 = one.code_bytes(run),
        /// The executions of its first instruction.
        rounds: u64 = one.rounds,
        /// The clocks of its code, with the loops inside and without the functions that it calls.
        cycles: u64 = one.cycles,
    }
    from (run: &'a Run, one: &Repeated) {
        let place = one.site(run).place;
        let number = run.instructions[one.head].function;
        let function = number.and_then(|number| run.functions.get(number as usize));
        let function = function.map(|function| function.name.as_str());
    }
}
