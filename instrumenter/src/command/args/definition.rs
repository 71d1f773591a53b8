//! What the command line defines: a symbol, `-D NAME=VALUE`, and a variable of the environment, `--env NAME=VALUE`.

/// Parses a definition; VALUE defaults to 1.
pub(super) fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let in_name = |character: char| character.is_ascii_alphanumeric() || "_@$?".contains(character);
    if matches!(name, "" | "$" | "?" | "@")
        || !name.chars().all(in_name)
        || name.starts_with(|first: char| first.is_ascii_digit())
    {
        let name = runtime::report::escaped(name);
        return Err(format!("`{name}` is not a name; write NAME=VALUE"));
    }
    if value.contains(|character: char| character.is_control() && character != '\t') {
        return Err(format!("the value of `{name}` is not one line of text"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses a variable of the environment.
pub(super) fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() && !text.contains('\0') => Ok(text.to_owned()),
        _ => Err("no variable; write NAME=VALUE, for example HOME=/".to_owned()),
    }
}
