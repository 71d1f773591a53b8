//! The parameter lists of macros: `a, b:REQ, c:=<default>, d:VARARG`.

use super::argument::one_argument;
use crate::diag::{Fault, Span, fault};
use crate::lex::is_word;
use crate::names::Names;
use crate::statement::Parameter;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, space0};
use nom::sequence::preceded;
use nom::{IResult, Parser};

pub(super) fn parameters(names: &mut Names, text: &str, span: Span) -> Result<Vec<Parameter>, Fault> {
    let mut all: Vec<Parameter> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Ok((behind, name)) = word(rest) else {
            return Err(fault(span, "expected a parameter name"));
        };
        let mut parameter = Parameter {
            name: names.intern(name),
            spelled: name.to_owned(),
            ..Parameter::default()
        };
        if all.iter().any(|known| known.name == parameter.name) {
            return Err(fault(span, format!("parameter `{name}` is already defined")));
        }
        rest = attribute(&mut parameter, behind, span)?;
        all.push(parameter);
        rest = rest.trim_start().strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Ok(all)
}

/// Reads the attributes of a parameter; returns the text after them.
fn attribute<'t>(parameter: &mut Parameter, text: &'t str, span: Span) -> Result<&'t str, Fault> {
    let Ok((text, _)) = mark(':', text) else {
        return Ok(text);
    };
    if let Ok((text, _)) = mark('=', text) {
        let (default, behind) = one_argument(text.trim_start());
        parameter.default = Some(default);
        return Ok(behind);
    }
    let Ok((behind, attribute)) = spaced_word(text) else {
        return Ok(text);
    };
    let is = |name: &str| attribute.eq_ignore_ascii_case(name);
    if is("req") {
        parameter.required = true;
    } else if is("vararg") || is("rest") {
        parameter.variable = true;
    } else {
        return Err(fault(span, format!("unknown parameter attribute `{attribute}`"))
            .with_help("use `:REQ`, `:VARARG` or `:=<default>`"));
    }
    Ok(behind)
}

fn word(input: &str) -> IResult<&str, &str> {
    take_while1(is_word_character).parse(input)
}

/// A word, possibly empty, after blanks.
fn spaced_word(input: &str) -> IResult<&str, &str> {
    preceded(space0, take_while(is_word_character)).parse(input)
}

/// One character after blanks.
fn mark(mark: char, input: &str) -> IResult<&str, char> {
    preceded(space0, char(mark)).parse(input)
}

fn is_word_character(character: char) -> bool {
    character.is_ascii() && is_word(character as u8)
}
