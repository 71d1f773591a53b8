//! The sections of a source for GNU's assembler: which one its lines are in, with both ways back to an earlier one.

/// The sections that only other tools read, by the beginnings of their names.
const UNREAD: [&str; 11] = [
    ".note",
    ".comment",
    ".debug",
    ".eh_frame",
    ".gcc_except",
    ".llvm",
    ".stab",
    ".gnu",
    ".init_array",
    ".fini_array",
    ".preinit_array",
];
/// The sections of code, by the beginnings of their names. Early compilers of C++ put inline functions into the last of
/// them, of which a linker keeps one.
const CODE: [&str; 2] = [".text", ".gnu.linkonce.t."];
/// Sections of data of the same kind.
const OF_ONE: [&str; 5] = [
    ".gnu.linkonce.d.",
    ".gnu.linkonce.r.",
    ".gnu.linkonce.b.",
    ".gnu.linkonce.s.",
    ".gnu.linkonce.sb.",
];

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Code,
    Data,
    Unread,
}

impl Section {
    fn named(name: &str) -> Section {
        let begins = |with: &[&str]| with.iter().any(|begin| name.starts_with(begin));
        match name {
            ".init" | ".fini" => Section::Code,
            _ if begins(&CODE) => Section::Code,
            _ if begins(&OF_ONE) => Section::Data,
            _ if begins(&UNREAD) => Section::Unread,
            _ => Section::Data,
        }
    }
}

/// The section that lines are in, the one before it, to which `.previous` leads, and those that `.popsection` leads to.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    pub(super) here: Section,
    previous: Section,
    pushed: Vec<(Section, Section)>,
}

impl Sections {
    pub(super) fn new() -> Sections {
        Sections {
            here: Section::Code,
            previous: Section::Code,
            pushed: Vec::new(),
        }
    }

    /// Follows a directive that begins or leaves a section; whether it is one.
    pub(super) fn follow(&mut self, directive: &str, operands: &str) -> bool {
        let begun = match directive {
            ".previous" => self.previous,
            ".popsection" => {
                if let Some((here, previous)) = self.pushed.pop() {
                    (self.here, self.previous) = (here, previous);
                }
                return true;
            }
            _ => match begun(directive, operands) {
                Some(begun) => begun,
                None => return false,
            },
        };
        if directive == ".pushsection" {
            self.pushed.push((self.here, self.previous));
        }
        self.previous = std::mem::replace(&mut self.here, begun);
        true
    }
}

/// The section that a directive begins; `None` if it begins none.
fn begun(directive: &str, operands: &str) -> Option<Section> {
    match directive {
        ".text" => Some(Section::Code),
        ".data" | ".bss" | ".rodata" => Some(Section::Data),
        ".section" | ".pushsection" => {
            let name = operands.split([',', ' ', '\t']).next()?;
            Some(Section::named(name.trim_matches('"')))
        }
        _ => None,
    }
}

/// Whether a directive begins a section, or leads back to one.
pub(super) fn is_of_sections(directive: &str, operands: &str) -> bool {
    begun(directive, operands).is_some() || matches!(directive, ".popsection" | ".previous")
}

#[cfg(test)]
mod tests {
    use super::{Section, Sections};

    #[test]
    fn both_ways_lead_back_as_in_gnus_assembler() {
        let mut sections = Sections::new();
        for (line, here) in [
            ("nop", Section::Code),
            (".pushsection .debug_str,\"MS\"", Section::Unread),
            (".section .rodata", Section::Data),
            (".previous", Section::Unread),
            (".popsection", Section::Code),
            (".section .note.x", Section::Unread),
            (".previous", Section::Code),
            (".previous", Section::Unread),
            (".section .gnu.linkonce.t._ZN1A1fEv,\"ax\"", Section::Code),
            (".section .gnu.linkonce.r.x", Section::Data),
            (".section .gnu.linkonce.wi.x", Section::Unread),
            (".section .init_array", Section::Unread),
            (".section .init", Section::Code),
            (".section \".text.f\"", Section::Code),
            (".popsection", Section::Code),
        ] {
            let (directive, operands) = line.split_once(' ').unwrap_or((line, ""));
            sections.follow(directive, operands);
            assert_eq!(sections.here, here, "{line}");
        }
    }
}
