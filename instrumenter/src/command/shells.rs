//! Shell completions and manual pages, from the definitions of the command line.

use super::args::{Amount, Arguments, Color, Form, Presentation};
use super::output::print;
use crate::spelling::nearest;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints the completions for a shell.
///
/// # Errors
/// One line if they cannot be written.
pub(super) fn completions(shell: Shell) -> Result<ExitCode, String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "p5inst", &mut script);
    write(&script)
}

/// Prints the manual page of p5inst, or of one of its commands.
///
/// # Errors
/// One line if there is no such command, or if the page cannot be written.
pub(super) fn manual(command: Option<&str>) -> Result<ExitCode, String> {
    let mut root = Arguments::command();
    // Gives each command its full name.
    root.build();
    let of = match command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let names = root.get_subcommands().map(clap::Command::get_name);
                let help = match nearest(name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`p5inst --help` lists all".to_owned(),
                };
                return Err(format!("there is no command `{name}`; {help}"));
            }
        },
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(of).render(&mut page);
    rendered.map_err(|error| format!("cannot make the page: {error}"))?;
    write(&page)
}

fn write(text: &[u8]) -> Result<ExitCode, String> {
    let plain = Presentation {
        format: Form::Text,
        color: Color::Never,
    };
    print(plain, Amount::default(), |_, _, out| out.write_all(text))
}
