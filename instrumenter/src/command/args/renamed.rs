//! Former names of commands and options: they work, and the line on standard error says the present ones.

use std::ffi::OsString;

/// Former commands, each with what is written now.
const COMMANDS: &[(&str, &str)] = &[
    ("fix", "advise --write"),
    ("ratio", "stat --event EVENT"),
    ("watch", "stat --event EVENT --every CLOCKS"),
];

/// The line with `help` as the option that it stands for. `say` is told of a former name in it.
pub(crate) fn in_present_names(mut line: Vec<OsString>, say: &mut dyn FnMut(&str)) -> Vec<OsString> {
    let first = line.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    if let Some((former, present)) = COMMANDS.iter().find(|(former, _)| *former == first) {
        say(&format!("`p5inst {former}` is now `p5inst {present}`"));
    }
    let options = line.iter().skip(1).take_while(|word| *word != "--");
    if options.clone().any(|word| word == "--watch") {
        say("`--watch` is now `--rerun`");
    }
    if first == "help" && line.len() > 2 {
        line.remove(1);
        line.push(OsString::from("--help"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_said_to_be_former() {
        let of = |words: &str| {
            let mut said = Vec::new();
            let line = words.split(' ').map(OsString::from).collect();
            let line = in_present_names(line, &mut |words| said.push(words.to_owned()));
            let line: Vec<&str> = line.iter().filter_map(|word| word.to_str()).collect();
            (line.join(" "), said)
        };
        let (line, said) = of("p5inst ratio 1Ah a.asm");
        assert_eq!(line, "p5inst ratio 1Ah a.asm");
        assert_eq!(said, ["`p5inst ratio` is now `p5inst stat --event EVENT`"]);
        assert_eq!(of("p5inst a.asm --watch").1, ["`--watch` is now `--rerun`"]);
        assert_eq!(of("p5inst ./ls -- --watch").1.len(), 0);
        assert_eq!(
            of("p5inst help host run"),
            ("p5inst host run --help".to_owned(), Vec::new())
        );
    }
}
