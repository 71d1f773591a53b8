//! Which lines of a source for GNU's assembler are data where no directive says so: Compiler Explorer leaves out the
//! directives that begin sections.

use super::clean::Clean;
use super::data::definition;
use super::found::assignment;
use super::labels::parts;
use super::section::is_of_sections;
use super::word::first_word;

/// For each statement of a text, whether it is data after a label, or the label of data; `None` if the text says which
/// statements are in which section.
pub(super) fn data_statements(lines: &[Clean]) -> Option<Vec<bool>> {
    /// What a statement does to what follows.
    enum Kind {
        Label,
        Data { labelled: bool },
        Code,
        Nothing,
    }
    let mut kinds = Vec::new();
    let statements = lines
        .iter()
        .flat_map(|line| line.statements.iter().map(|statement| (&*line.text, statement)));
    for (line, statement) in statements {
        let parts = parts(line, statement.clone());
        let labelled = !parts.labels.is_empty();
        let (first, operands) = first_word(line, parts.rest.clone());
        let (word, operands) = (&line[first], &line[operands]);
        if is_of_sections(word, operands) {
            return None;
        }
        kinds.push(match word {
            "" if labelled => Kind::Label,
            "" => Kind::Nothing,
            _ if assignment(line, parts.rest).is_some() => Kind::Nothing,
            _ if definition(word, operands).is_some() => Kind::Data { labelled },
            _ if word.starts_with('.') && !labelled => Kind::Nothing,
            _ => Kind::Code,
        });
    }
    // A label belongs to what follows it.
    let mut data = vec![false; kinds.len()];
    let mut follows = false;
    for (at, kind) in kinds.iter().enumerate().rev() {
        match kind {
            Kind::Data { .. } => follows = true,
            Kind::Code => follows = false,
            Kind::Label => data[at] = follows,
            Kind::Nothing => {}
        }
    }
    let mut within = false;
    for (at, kind) in kinds.iter().enumerate() {
        match kind {
            Kind::Label => within = data[at],
            Kind::Data { labelled } => {
                within |= labelled;
                data[at] = within;
            }
            Kind::Code => within = false,
            Kind::Nothing => {}
        }
    }
    // An alignment is that of what follows it.
    for (at, kind) in kinds.iter().enumerate().rev() {
        if matches!(kind, Kind::Nothing) {
            data[at] = data.get(at + 1) == Some(&true);
        }
    }
    Some(data)
}

/// What compilers align data to that is defined so, if that is more than one byte.
pub(super) fn natural(definition: &str) -> Option<u32> {
    let (word, values) = definition.split_once(' ')?;
    match word {
        "dw" => Some(2),
        "dd" | "real4" => Some(4),
        "dq" | "real8" => Some(8),
        // Zeros stand for data of any kind.
        "db" if values.contains(" dup (") => Some(4),
        _ => None,
    }
}
