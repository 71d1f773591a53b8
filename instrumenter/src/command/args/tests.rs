//! Valid command lines, and invalid ones.

use super::*;
use clap::error::ErrorKind;
use std::time::Duration;

fn parse(line: &str) -> Result<Arguments, ErrorKind> {
    Arguments::try_parse_from(std::iter::once("p5inst").chain(line.split_whitespace())).map_err(|error| error.kind())
}

#[test]
fn the_definition_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn a_program_with_every_option_is_understood() {
    let line = "--cpl 3 a.asm --runs 7 --limit 1_000 --timeout 2.5 -I inc -Imore -D A -DB=2=3 --format json \
                --color never";
    let Arguments {
        run, outputs, color, ..
    } = parse(line).expect("a good line");
    assert_eq!(run.program.file, Some(PathBuf::from("a.asm")));
    assert_eq!(
        (run.program.assembly.level(), run.runs, run.program.limit),
        (3, Some(7), Some(1000))
    );
    assert_eq!(run.program.timeout, Timeout(Some(Duration::from_millis(2500))));
    assert_eq!(
        run.program.assembly.include,
        [PathBuf::from("inc"), PathBuf::from("more")]
    );
    assert_eq!(
        run.program.assembly.define,
        [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2=3".to_owned())]
    );
    assert_eq!((outputs.0[0].format.name, color), ("json", Color::Never));
    assert_eq!(
        (run.program.assembly.cpu.name, run.program.memory.name),
        (MODELS[0].name, MEMORY_PRESETS[0].name)
    );
    let other = format!("- --cpu {} --memory {}", MODELS[1].name, MEMORY_PRESETS[2].name);
    let run = parse(&other).expect("names of the lists").run;
    assert_eq!(
        (run.program.assembly.cpu.name, run.program.memory.name),
        (MODELS[1].name, MEMORY_PRESETS[2].name)
    );
    assert_eq!((run.runs, run.program.limit), (None, None));
    let upper = format!("- --cpu {}", MODELS[1].name.to_ascii_uppercase());
    assert_eq!(
        parse(&upper).expect("any case").run.program.assembly.cpu.name,
        MODELS[1].name
    );
    assert_eq!(Ok(run.program.timeout), seconds(usual_timeout()));
    let endless = parse("- --timeout 0").expect("no bound").run;
    assert_eq!(endless.program.timeout, Timeout(None));
}

#[test]
fn commands_need_no_file_and_a_path_makes_a_file_of_their_name() {
    assert!(matches!(
        parse("events --format json").expect("good").command,
        Some(Command::Events { .. })
    ));
    let timings = parse("timings adc").expect("good").command;
    assert!(matches!(timings, Some(Command::Timings(arguments)) if arguments.mnemonics == ["adc"]));
    let schema = |line| match parse(line).expect("good").command {
        Some(Command::Schema { report }) => report.name,
        other => panic!("{other:?}"),
    };
    assert_eq!((schema("schema"), schema("schema host-run")), ("report", "host-run"));
    let host = parse("host run a.asm --host-runs 7 --cpl 3 -D A")
        .expect("good")
        .command;
    let Some(Command::Host {
        what: HostCommand::Run(arguments),
    }) = host
    else {
        panic!("{host:?}");
    };
    assert_eq!((arguments.host_runs, arguments.run.program.assembly.level()), (7, 3));
    assert_eq!(arguments.run.program.file, Some(PathBuf::from("a.asm")));
    let arguments = parse("./events").expect("good");
    assert!(arguments.command.is_none());
    assert_eq!(arguments.run.program.file, Some(PathBuf::from("./events")));
}

#[test]
fn a_definition_is_a_name_and_one_line_of_text() {
    for refused in [
        "", "=1", "$=1", "1A=2", "a b=1", "A\n=1", "A=1\nnop", "A=1\rnop", "A=\0", "\u{e4}=1",
    ] {
        assert!(
            definition(refused).is_err_and(|why| !why.contains(char::is_control)),
            "{refused:?}"
        );
    }
    assert_eq!(definition("@A?_$=x=\t1"), Ok(("@A?_$".to_owned(), "x=\t1".to_owned())));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (line, kind) in [
        ("a.asm --runs 0", ErrorKind::ValueValidation),
        ("a.asm --runs 1001", ErrorKind::ValueValidation),
        ("a.asm --cpl 1", ErrorKind::ValueValidation),
        ("a.asm --limit 0", ErrorKind::ValueValidation),
        ("a.asm --limit +5", ErrorKind::ValueValidation),
        ("a.asm --limit 99999999999999999999", ErrorKind::ValueValidation),
        ("a.asm --timeout soon", ErrorKind::ValueValidation),
        ("a.asm --timeout inf", ErrorKind::ValueValidation),
        ("a.asm --timeout 1e9", ErrorKind::ValueValidation),
        ("a.asm -D 1A=2", ErrorKind::ValueValidation),
        ("a.asm --format xml", ErrorKind::InvalidValue),
        ("a.asm --cpu z80", ErrorKind::InvalidValue),
        ("a.asm --memory tape", ErrorKind::InvalidValue),
        ("events data reads", ErrorKind::UnknownArgument),
        ("host", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ("host run", ErrorKind::MissingRequiredArgument),
        ("host cpi a.asm --host-runs 0", ErrorKind::ValueValidation),
        ("host tsc a.asm", ErrorKind::UnknownArgument),
        ("schema nothing", ErrorKind::InvalidValue),
        ("--runs 3", ErrorKind::MissingRequiredArgument),
        ("", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
    ] {
        assert_eq!(parse(line).expect_err(line), kind, "{line}");
    }
}
