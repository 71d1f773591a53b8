//! The labels of a statement for GNU's assembler, and the rest of it.

use super::cxx;
use super::word::is_name;
use std::ops::Range;

/// The parts of a line: labels, by the places of their names, and the rest, without blanks around it.
pub(super) struct Parts {
    pub(super) labels: Vec<Range<usize>>,
    pub(super) rest: Range<usize>,
}

pub(super) fn parts(line: &str, statement: Range<usize>) -> Parts {
    let code = &line[..statement.end];
    if let Some(name) = cxx::label(&line[statement.clone()]) {
        let name = statement.start + name.start..statement.start + name.end;
        return Parts {
            rest: statement.end..statement.end,
            labels: vec![name],
        };
    }
    let mut at = statement.start;
    let mut labels = Vec::new();
    loop {
        let rest = &code[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let length = code[start..].bytes().take_while(|byte| is_name(*byte)).count();
        let behind = code[start + length..].trim_start();
        if length == 0 || !behind.starts_with(':') {
            let end = start + code[start..].trim_end().len();
            return Parts {
                labels,
                rest: start..end,
            };
        }
        labels.push(start..start + length);
        at = code.len() - behind.len() + 1;
    }
}
