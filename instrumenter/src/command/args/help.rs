//! Short help: `p5inst -h` has the commands by purpose and few options on one screen, `-h` of a command its usual
//! options and its examples. `--help` has all.

use super::{Arguments, MACHINE};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

/// The commands by purpose. Others are hidden: former names, and what packages and scripts need.
const GROUPS: &[(&str, &[&str])] = &[
    ("Programs", &["advise", "compare", "sweep", "check", "build"]),
    ("Look up", &["explain", "events", "timings"]),
    ("Counters and samples", &["stat", "audit", "msr", "sample", "query"]),
    ("This machine", &["host"]),
];

/// The options of a run that `p5inst -h` shows.
const USUAL: &[&str] = &[
    "long", "timeline", "show", "format", "output", "what_if", "cpu", "memory", "rerun",
];

/// The options of the program and its machine that `-h` of a command shows.
const OF_MACHINE: &[&str] = &["cpu", "runs", "define"];

/// The options of commands with many that `-h` shows; other commands show all that are their own.
const OWN: &[(&str, &[&str])] = &[
    (
        "stat",
        &["event", "every", "all", "compare", "against", "bytes", "format"],
    ),
    ("sample", &["output", "op", "fetch", "mode", "truth", "study"]),
    ("sweep", &["event", "region", "format", "output", "jobs"]),
    ("query", &["query_format", "query_truth"]),
];

/// The longest line of `p5inst -h`.
const WIDTH: usize = 80;

/// The command line, with short help for each command.
pub(crate) fn command() -> Command {
    let whole = Arguments::command();
    let names: Vec<String> = whole.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let whole = names
        .into_iter()
        .fold(whole, |whole, name| whole.mut_subcommand(name, shortened));
    whole.override_usage(
        "p5inst [OPTIONS] <FILE.asm> [OBJECT]...\n       p5inst [OPTIONS] <PROGRAM> [ARG]...\n       p5inst <COMMAND>",
    )
}

/// A command whose `-h` fits a screen.
fn shortened(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let inner: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let command = inner
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, shortened));
    let own = OWN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, options)| *options);
    let is_shown = |option: &Arg| {
        let id = option.get_id().as_str();
        match own {
            _ if option.is_positional() => true,
            _ if option.get_help_heading() == Some(MACHINE) => OF_MACHINE.contains(&id),
            Some(own) => own.contains(&id),
            None => id != "color",
        }
    };
    let command = command.mut_args(|option| {
        let shown = is_shown(&option);
        option.hide_short_help(!shown)
    });
    let Some(whole) = command.get_after_help().map(ToString::to_string) else {
        return command;
    };
    let examples = whole.split("\n\n").next().unwrap_or_default().to_owned();
    command.after_help(examples).after_long_help(whole)
}

/// What `p5inst -h` prints.
pub(crate) fn overview() -> String {
    let whole = command();
    let mut text = format!(
        "{}\n\n{}\n",
        whole.get_about().map(ToString::to_string).unwrap_or_default(),
        whole.clone().render_usage()
    );
    let row = |text: &mut String, name: &str, words: &str| {
        let room = WIDTH.saturating_sub(24);
        let words: String = words.chars().take(room).collect();
        // A string takes whatever is written.
        let _ = writeln!(text, "  {name:<20}  {words}");
    };
    for (group, names) in GROUPS {
        let _ = writeln!(text, "\n{group}:");
        for command in names.iter().filter_map(|name| whole.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            row(&mut text, command.get_name(), &about);
        }
    }
    text.push_str("\nOptions:\n");
    for option in USUAL
        .iter()
        .filter_map(|id| whole.get_arguments().find(|option| option.get_id() == *id))
    {
        let short = option
            .get_short()
            .map_or_else(String::new, |letter| format!("-{letter}, "));
        let long = option.get_long().unwrap_or_default();
        let value = match option.get_value_names() {
            Some([name, ..]) if option.get_action().takes_values() => format!(" <{name}>"),
            _ => String::new(),
        };
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        row(&mut text, &format!("{short}--{long}{value}"), &help);
    }
    text.push_str("\n`p5inst --help` has all options, `p5inst COMMAND -h` those of a command.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most lines of short help.
    const SCREEN: usize = 40;

    #[test]
    fn every_short_help_fits_a_screen() {
        let text = overview();
        assert!(text.lines().count() <= SCREEN, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let mut wrong = Vec::new();
        let mut whole = command().term_width(WIDTH);
        whole.build();
        for one in whole.get_subcommands_mut() {
            let help = one.render_help().to_string();
            if help.lines().count() > SCREEN {
                wrong.push(format!("{}: {} lines\n{help}", one.get_name(), help.lines().count()));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_command_that_is_shown_has_a_group_and_one_line() {
        let whole = command();
        let shown = whole.get_subcommands().filter(|one| !one.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
        let text = overview();
        for name in grouped {
            let about = whole.find_subcommand(name).and_then(Command::get_about).expect("words");
            assert!(text.contains(&about.to_string()), "{name}: {about}");
        }
        for id in USUAL {
            let option = whole.get_arguments().find(|option| option.get_id() == *id);
            let help = option.and_then(Arg::get_help).expect("an option with words");
            assert!(text.contains(&help.to_string()), "{id}: {help}");
        }
        for (name, options) in OWN {
            let known = whole.find_subcommand(name).expect("a command");
            for id in *options {
                assert!(
                    known.get_arguments().any(|option| option.get_id() == *id),
                    "{name} {id}"
                );
            }
        }
    }
}
