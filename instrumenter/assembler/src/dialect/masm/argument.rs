//! Macro arguments as text: commas separate them, angle brackets and quotes protect commas.

/// Text in angle brackets without the brackets and `!`, and its length in the source.
pub(super) fn angle_literal(text: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut depth = 0u32;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '!' if depth > 0 => {
                if let Some((_, escaped)) = characters.next() {
                    inside.push(escaped);
                }
            }
            '<' => {
                if depth > 0 {
                    inside.push('<');
                }
                depth += 1;
            }
            '>' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((inside, at + 1));
                }
                inside.push('>');
            }
            _ if depth == 0 => return None,
            _ => inside.push(character),
        }
    }
    None
}

/// The text with a blank for each quote in angle brackets that open at `from` or later.
pub(super) fn without_quotes(text: &str, from: usize) -> String {
    let (mut depth, mut escaped) = (0u32, false);
    let hidden = text.char_indices().map(|(at, character)| {
        let before = std::mem::take(&mut escaped);
        match character {
            _ if at < from || before => character,
            '!' => {
                escaped = true;
                character
            }
            '<' | '>' => {
                depth = if character == '<' {
                    depth + 1
                } else {
                    depth.saturating_sub(1)
                };
                character
            }
            '\'' | '"' if depth > 0 => ' ',
            _ => character,
        }
    });
    hidden.collect()
}

/// The arguments in `text`: commas separate them, angle brackets and quotes protect commas.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = text.trim_start();
    if rest.is_empty() {
        return arguments;
    }
    loop {
        let (argument, after) = one_argument(rest);
        arguments.push(argument);
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return arguments,
        }
    }
}

/// The arguments in `text` if blanks separate them as commas do; `None` if one of them may consist of several words,
/// as one with `%` may unless blanks are `asked` for.
pub(super) fn split_at_blanks(text: &str, asked: bool) -> Option<Vec<String>> {
    let blank = |character: char| matches!(character, ' ' | '\t');
    let operator = |character: char| "+-*/:=.&%[(!".contains(character);
    let mut arguments = Vec::new();
    let mut rest = text.trim_start_matches(blank);
    loop {
        let (argument, after) = match angle_literal(rest).filter(|_| rest.starts_with('<')) {
            Some((literal, length)) => (literal, &rest[length..]),
            None => {
                let length = word_length(rest)?;
                let (word, after) = rest.split_at(length);
                let joins = word.len() < rest.trim_end_matches(blank).len();
                let first = |first| "+*/=".contains(first) || first == '%' && !asked;
                if joins && (word.ends_with(operator) || word.starts_with(first)) {
                    return None;
                }
                (word.to_owned(), after)
            }
        };
        arguments.push(argument);
        let after = after.trim_start_matches(blank);
        let next = after.strip_prefix(',').unwrap_or(after).trim_start_matches(blank);
        let continues = after.starts_with(operator) && !(asked && after.starts_with('%'));
        if next.len() == rest.len() || continues {
            return None;
        }
        if after.is_empty() {
            return Some(arguments);
        }
        rest = next;
    }
}

/// Whether a name and, after a blank, something that no comma separates from it begin the text.
pub(super) fn begins_with_name(text: &str) -> bool {
    let text = text.trim_start();
    let name =
        text.trim_start_matches(|character: char| character.is_ascii_alphanumeric() || "_@$?".contains(character));
    let behind = name.trim_start();
    name.len() < text.len()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && behind.len() < name.len()
        && !behind.is_empty()
        && !behind.starts_with(',')
}

/// The words of `text`: blanks and commas separate them, angle brackets and closed quotes protect both.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let after = match angle_literal(rest).filter(|_| rest.starts_with('<')) {
            Some((literal, length)) => {
                words.push(literal);
                &rest[length..]
            }
            None => {
                let quoted = rest
                    .starts_with(['\'', '"'])
                    .then(|| rest[1..].find(&rest[..1]))
                    .flatten();
                let from = quoted.map_or(0, |end| end + 2);
                let length = rest[from..].find([' ', '\t', ',']).map_or(rest.len(), |end| from + end);
                words.push(rest[..length].to_owned());
                &rest[length..]
            }
        };
        let behind = after.trim_start();
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
    }
    words
}

/// The length of the word with which `text` begins, up to a blank or a comma outside of quotes and brackets.
fn word_length(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0u32);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|&open| open != character),
            (None, '\'' | '"') => quote = Some(character),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.checked_sub(1)?,
            (None, ' ' | '\t' | ',') if depth == 0 => return Some(at),
            // A literal ends the word.
            (None, '<') if depth == 0 && at > 0 => return Some(at),
            _ => {}
        }
    }
    (quote.is_none() && depth == 0).then_some(text.len())
}

/// One argument and the text after it, from the comma on.
pub(super) fn one_argument(text: &str) -> (String, &str) {
    if text.starts_with('<')
        && let Some((literal, length)) = angle_literal(text)
    {
        let after = &text[length..];
        if after.trim_start().is_empty() || after.trim_start().starts_with(',') {
            return (literal, after);
        }
    }
    let mut quote = '\0';
    let mut depth = 0u32;
    let mut end = text.len();
    // The marks after `!` that lose their meaning, and the `!` with them.
    let mut escapes = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '!' if quote == '\0'
                && depth == 0
                && characters.peek().is_some_and(|&(_, next)| "<>\"',;%!".contains(next)) =>
            {
                escapes.push(at);
                characters.next();
            }
            _ if quote != '\0' && character == quote => {
                quote = '\0';
            }
            _ if quote != '\0' => {}
            // An apostrophe alone is no quote.
            '\'' | '"' if text[at + 1..].contains(character) => quote = character,
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let mut argument = text[..end].trim_end().to_owned();
    let length = argument.len();
    for at in escapes.into_iter().rev().filter(|&at| at < length) {
        argument.remove(at);
    }
    (argument, &text[end..])
}
