//! Shell completions and manual pages, from the definitions of the command line.

use super::args::{Amount, Arguments, Color, Form, Presentation};
use super::output::print;
use clap::CommandFactory;
use clap_complete::Shell;
use p5_assembler::spelling::nearest;
use std::io::{self, Write};
use std::process::ExitCode;

/// Prints the completions for a shell.
pub(super) fn completions(shell: Shell) -> Result<ExitCode, String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "p5inst", &mut script);
    write(&script)
}

/// Prints the manual page of p5inst or of one of its commands; an error is one line.
pub(super) fn manual(command: Option<&str>) -> Result<ExitCode, String> {
    let mut root = Arguments::command();
    // This gives each command its full name.
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
    render(of, &mut page).map_err(|error| format!("cannot make the page: {error}"))?;
    write(&page)
}

/// Writes a page. Its synopsis, like that of `--help`, has the names of values, and its examples keep their lines;
/// `clap_mangen` does neither.
fn render(mut command: clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    let examples = command.get_after_help().map(ToString::to_string);
    let (commands, version) = (command.has_subcommands(), command.get_version().is_some());
    let man = clap_mangen::Man::new(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    // The lines of the synopsis begin in one column, that of the first line after its title.
    let title = "Usage: ";
    let usage = usage.lines().map(|line| line.get(title.len()..).unwrap_or_default());
    verbatim("SYNOPSIS", &usage.collect::<Vec<_>>().join("\n"), page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if commands {
        man.render_subcommands_section(page)?;
    }
    if let Some(examples) = examples {
        verbatim("EXAMPLES", examples.trim_start_matches("Examples:"), page)?;
    }
    if version {
        man.render_version_section(page)?;
    }
    Ok(())
}

/// Writes a section whose lines are kept unchanged.
fn verbatim(title: &str, text: &str, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH {title}\n.nf")?;
    for line in text.trim_matches('\n').lines() {
        // A line that begins with a point or a quote would be a roff request.
        let line = line.trim_end().replace('\\', "\\e").replace('-', "\\-");
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        writeln!(page, "{guard}{line}")?;
    }
    writeln!(page, ".fi")
}

fn write(text: &[u8]) -> Result<ExitCode, String> {
    let plain = Presentation {
        format: Form::Text,
        color: Color::Never,
    };
    print(plain, Amount::default(), |_, _, out| out.write_all(text))
}
