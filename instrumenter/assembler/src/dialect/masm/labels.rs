//! Labels whose names depend on their position: `@@:` with `@F` and `@B`, numbers, and `@@name` after `locals`.

use super::expression::scoped;
use super::{Keyword, Parser, keyword};
use crate::diag::fault;
use crate::names::{Made, NameId, Names};
use crate::select;
use crate::statement::{Named, Statement};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Labels {
    /// The previous `@@:`.
    last: Option<NameId>,
    /// The next `@@:`, if something refers to it.
    next: Option<NameId>,
    /// The previous and the next label of each number, like those of `@@:`.
    numbered: HashMap<u32, [Option<NameId>; 2]>,
    /// The number of the label before the current position, the scope of each `@@name`.
    scope: u32,
    /// The name made for each `@@name` in each scope.
    scoped: HashMap<(NameId, u32), NameId>,
    /// The name made for each `@@name` that is a text in a procedure, by the number of that.
    texts: HashMap<(NameId, u32), NameId>,
    /// The numbers of the procedures around the current position, the innermost last; 0 is what lies before all
    /// procedures.
    procedures: Vec<u32>,
    /// The number of the last procedure, and of the last part between procedures.
    parts: u32,
    /// The parts of procedures, which nested procedures interrupt: the first scope of each and the number of its
    /// procedure.
    outer: Vec<(u32, u32)>,
}

impl Labels {
    /// The name for `@F`, the next `@@:`.
    pub(super) fn forward(&mut self, names: &mut Names) -> NameId {
        *self.next.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// The name for `@B`, the previous `@@:`; it is never defined if there is none.
    pub(super) fn backward(&mut self, names: &mut Names) -> NameId {
        *self.last.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// The name for an `@@:` here.
    pub(super) fn place(&mut self, names: &mut Names) -> NameId {
        let name = self.forward(names);
        self.next = None;
        self.last = Some(name);
        name
    }

    /// The name for the previous label with this number, if there is one.
    pub(super) fn number_before(&self, number: u32) -> Option<NameId> {
        self.numbered.get(&number)?[0]
    }

    /// The name for the next label with this number.
    pub(super) fn number_behind(&mut self, names: &mut Names, number: u32) -> NameId {
        let [_, next] = self.numbered.entry(number).or_default();
        *next.get_or_insert_with(|| names.make(&number.to_string(), Made::Anonymous))
    }

    /// The name for a label with this number here.
    pub(super) fn place_number(&mut self, names: &mut Names, number: u32) -> NameId {
        let name = self.number_behind(names, number);
        self.numbered.insert(number, [Some(name), None]);
        name
    }

    /// Begins a scope at a label: after it, each `@@name` is a new name.
    pub(super) fn begin_scope(&mut self) {
        self.scope += 1;
    }

    /// Begins a scope at the start of a procedure.
    pub(super) fn begin_procedure(&mut self) {
        self.parts += 1;
        self.procedures.push(self.parts);
        self.begin_part();
    }

    /// Begins a scope at the end of a procedure: that of the procedure around it, or else one between procedures.
    pub(super) fn end_procedure(&mut self) {
        self.procedures.pop();
        self.parts += 1;
        self.begin_part();
    }

    fn begin_part(&mut self) {
        self.begin_scope();
        self.outer.push((self.scope, self.procedure()));
    }

    /// The number of the current procedure, or of the current part between procedures.
    fn procedure(&self) -> u32 {
        self.procedures.last().copied().unwrap_or(self.parts)
    }

    /// The names of a scope that another scope of the same procedure may define: each with those of the other scopes.
    pub(super) fn shared(&self) -> Vec<(NameId, Vec<NameId>)> {
        let outer = |scope: u32| {
            let next = self.outer.partition_point(|&(first, _)| first <= scope);
            next.checked_sub(1).map_or(0, |last| self.outer[last].1)
        };
        let mut names: HashMap<(NameId, u32), Vec<(u32, NameId)>> = HashMap::new();
        for (&(name, scope), &made) in &self.scoped {
            names.entry((name, outer(scope))).or_default().push((scope, made));
        }
        let mut shared = Vec::new();
        for scopes in names.values_mut().filter(|scopes| scopes.len() > 1) {
            scopes.sort_unstable();
            for &(scope, made) in scopes.iter() {
                let others = scopes.iter().filter(|other| other.0 != scope).map(|other| other.1);
                shared.push((made, others.collect()));
            }
        }
        shared.sort_unstable();
        shared
    }

    /// Makes the text macro that `name` stands for up to the end of the procedure.
    pub(super) fn make_text(&mut self, names: &mut Names, name: NameId) -> NameId {
        let spelled = names.spelling(name).to_owned();
        names.info_mut(name).local_text = true;
        let made = names.make(&spelled, Made::Scoped);
        self.texts.insert((name, self.procedure()), made);
        made
    }

    /// The text macro that `name` stands for in the current procedure.
    pub(super) fn text(&self, name: NameId) -> Option<NameId> {
        self.texts.get(&(name, self.procedure())).copied()
    }

    /// The name of `name` in the current scope.
    pub(super) fn scoped(&mut self, names: &mut Names, name: NameId) -> NameId {
        *self.scoped.entry((name, self.scope)).or_insert_with(|| {
            let spelled = names.spelling(name).to_owned();
            names.make(&spelled, Made::Scoped)
        })
    }
}

/// Parses `name:`, or `name::` if it is `global`.
pub(super) fn label<'l>(parser: &mut Parser<'_>, named: Named<'l>, global: bool) -> Statement<'l> {
    if parser.session.names.text(named.name) == "@@" {
        return Statement::Label {
            named: Named {
                name: parser.modes.labels.place(&mut parser.session.names),
                ..named
            },
            global: true,
        };
    }
    warn_of_instruction(parser, &named, Some(Keyword::Label));
    let name = scoped(parser, named.name);
    let own_scope = name != named.name;
    if !own_scope && parser.modes.scoped_locals && parser.session.names.info(name).made == Made::No {
        parser.modes.labels.begin_scope();
    }
    Statement::Label {
        named: Named { name, ..named },
        // Names with a separate scope need no scope of a procedure.
        global: global || own_scope || parser.modes.unscoped,
    }
}

/// Warns of a label, a procedure or data that has the name of an instruction: MASM 6 refuses it. Instructions that
/// came later than the 8086 may be names in sources for an older processor.
pub(super) fn warn_of_instruction(parser: &mut Parser<'_>, named: &Named<'_>, word: Option<Keyword>) {
    let defines = matches!(word, Some(Keyword::Label | Keyword::Proc | Keyword::Define(_)));
    let text = named.spelled;
    // Fields of structures, and names in IDEAL mode, have their own places; a few lines may be for any assembler.
    let apart = parser.program.structures.open.is_some()
        || parser.modes.ideal
        || parser.session.in_library
        || parser.program.layout.snippet;
    let operator = keyword(named.name).is_some();
    if !defines || operator || apart || !parser.session.names.info(named.name).mnemonic {
        return;
    }
    if select::is_of_8086(text) {
        let message = format!("`{text}` is an instruction, too: MASM 6 refuses it as a name");
        let help = format!("name it `{text}_` where it is defined and used");
        parser.session.warn(fault(named.span, message).with_help(help));
    }
}
