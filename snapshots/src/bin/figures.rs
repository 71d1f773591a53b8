//! Prints every published figure beside ours: `cargo run --release -p snapshots --bin figures`.

use snapshots::figures;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: figures [--fetch] [--objects DIR] [ROW]
  --fetch        get the Debian source packages gmp and openssl first and
                 assemble the routines; needs apt-get, m4, perl and as
  --objects DIR  where the objects are [default: target/figures]
  ROW            only rows whose names begin like this";

fn main() -> ExitCode {
    match compare() {
        Ok(code) => code,
        Err(message) => {
            // If standard error is closed, there is no place to report it.
            let _ = writeln!(std::io::stderr(), "figures: {message}");
            ExitCode::from(2)
        }
    }
}

fn compare() -> Result<ExitCode, String> {
    let mut folder = figures::folder();
    let mut fetch = false;
    let mut wanted = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--fetch" => fetch = true,
            "--objects" => folder = arguments.next().map(PathBuf::from).ok_or(USAGE)?,
            _ if argument.starts_with('-') => return Err(USAGE.to_owned()),
            _ => wanted = argument,
        }
    }
    if fetch {
        figures::fetch(&folder)?;
    }
    let summary = figures::print(&folder, &wanted, &mut std::io::stdout().lock()).map_err(|why| why.to_string())?;
    for wrong in &summary.wrong {
        println!("WRONG: {wrong}");
    }
    Ok(if summary.wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
