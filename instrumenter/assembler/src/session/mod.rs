//! The state of one assembly: limits, files, diagnostics, the origin of each line, names and expressions.
//!
//! Every layer receives the session; the session depends on none of them.

mod decisions;
mod files;
mod narrow;
mod report;

use crate::Ignored;
use crate::Limits;
use crate::diag::{Diagnostic, Fault, Span, fault};
use crate::expression::{ExpressionId, Expressions, Node};
use crate::names::{Made, NONE, NameId, Names};
use crate::remedy::Remedy;
use crate::source::LineStarts;
use decisions::Decisions;
use narrow::Narrow;
use p5_image::SourceFile;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// The maximum number of different directives without effect that are listed.
const MOST_IGNORED: usize = 200;

/// The maximum number of comparisons of unknown names with known ones.
const MOST_COMPARED: u64 = 400_000;

/// The estimated work, in nanoseconds, of a line, of each byte of it, and of an operation in an expression: measured on
/// sources of NOPs, of instructions with large operands, of long sums and of symbols that double.
const LINE_WORK: u64 = 190;
const BYTE_WORK: u64 = 20;
const NODE_WORK: u64 = 17;

/// The approximate overhead of an allocation in bytes: its header and the padding up to the size of its class.
pub(crate) const ALLOCATION: usize = 24;

pub(crate) struct Session {
    pub(crate) limits: Limits,
    /// Words a remedy in the user's dialect.
    wording: fn(&Remedy) -> String,
    pub(crate) files: Vec<SourceFile>,
    /// The index of the bundled library among the files, once it is read.
    pub(crate) library: Option<u32>,
    source_bytes: u64,
    /// Where the lines of each file start.
    line_starts: HashMap<u32, LineStarts>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of diagnostics of reading, once that has ended.
    read: usize,
    pub(crate) errors: usize,
    /// The number of uses of undefined names after the first use of each.
    again: usize,
    /// The diagnostic of the first include that failed, until an undefined name is attributed to it.
    failed_include: Option<usize>,
    /// The diagnostic of each undefined name's first use, by its message, and the number of its uses.
    undefined: HashMap<String, (usize, u32)>,
    /// The number of undefined names of a place in a repeat, and the message of the last one that was reported.
    made_names: HashMap<(u32, u32, u32), (u32, String)>,
    /// The problems in macros and repeats, by file, line, column and message.
    repeated: HashMap<(u32, u32, u32, String), Repeated>,
    /// Whether a problem was reported that is the reason for all others.
    decided: bool,
    /// Whether a limit was reached, so that reading must stop.
    pub(crate) stopped: bool,
    /// Whether only part of the program was read, so that no image may be built.
    pub(crate) gave_up: bool,
    /// Whether it gave up because of the memory that it takes.
    pub(crate) out_of_memory: bool,
    /// The approximate memory that it took when this was last computed, and its limit, in bytes.
    pub(crate) weight: usize,
    pub(crate) most_weight: usize,
    /// The bytes of the names of all origins.
    origin_names: usize,
    /// The bytes that TASM's objects take.
    objects: usize,

    /// Whether the source uses MMX, so that the names of its registers are reserved.
    pub(crate) mmx: bool,

    pub(crate) names: Names,
    pub(crate) expressions: Expressions,
    /// The values assumed before the layout is known, which are checked afterwards.
    pub(crate) assumptions: Vec<Assumption>,
    /// Whether one of them was wrong, so that another pass over the source may do better.
    pub(crate) assumed_wrong: bool,
    /// The conditions that ask for what the source defines later, in their order.
    pub(crate) forward: Vec<ExpressionId>,
    /// Their values, from the last pass over the source, and as this pass finds them when addresses are known.
    pub(crate) forward_known: Vec<i64>,
    pub(crate) forward_found: Vec<i64>,
    /// Whether segments that do not say their size have 32 bits only because a processor with such segments came first.
    pub(crate) size_assumed: bool,
    /// Whether such segments have 16 bits.
    pub(crate) assume_narrow: bool,
    /// What speaks for 16-bit code in lines without segments.
    pub(crate) narrow: Narrow,
    /// The number of instructions, and of those with a prefix for the size of an operand or address; counted once a
    /// size was assumed.
    pub(crate) sized: [u32; 2],

    pub(crate) origins: Vec<OriginStep>,
    /// The origin of the line being read, or `NONE`.
    pub(crate) origin: u32,
    /// Whether the line being read belongs to the bundled library.
    pub(crate) in_library: bool,
    /// The lines that conditionals leave out, except those in macros and repeats.
    pub(crate) left_out: Vec<(u32, Range<u32>)>,
    /// The libraries that the source names for the linker.
    pub(crate) libraries: Vec<String>,
    /// What is accepted without effect, with the first place and the number of places of each.
    pub(crate) ignored: Vec<Ignored>,
    fresh_labels: u32,
    /// The number of expression nodes evaluated so far.
    evaluated: Cell<u64>,
    /// The estimated work of the lines read so far, in nanoseconds.
    read_work: u64,
    decisions: Decisions,
    /// The number of comparisons of unknown names with known ones so far.
    compared: Cell<u64>,
    /// The number of includes so far.
    pub(crate) includes: usize,
    /// The number of undefined names since the first of them, and the diagnostic that says what they follow from.
    consequences: usize,
    include_told: Option<usize>,
    /// The names of the files that could not be included.
    pub(crate) missing: HashSet<String>,
    /// The first undefined names.
    pub(crate) unknown: Vec<String>,
    /// The number of bytes of text generated so far.
    expanded_text: u64,
}

/// What the value of an expression depends on besides the source. An expression of several parts has the one that comes
/// last here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Open {
    /// Nothing: every assembly of the source finds the same value.
    #[default]
    No,
    /// A value that an option of the command defines.
    ByOption,
    /// An address or the size of a structure, which the layout decides and an option may change.
    ByAddress,
}

struct Repeated {
    /// The index of its diagnostic.
    first: usize,
    /// The number of other expansions with the same problem.
    others: u32,
    /// Whether the expansions are passes of a repeat rather than calls.
    passes: bool,
}

/// A macro call or a pass of a repeat, as one step in the origin of lines.
#[derive(Clone)]
pub(crate) struct OriginStep {
    pub(crate) name: Rc<str>,
    /// The number of the pass; 0 for macro calls.
    pub(crate) pass: u32,
    pub(crate) span: Span,
    pub(crate) parent: u32,
}

/// A value assumed before the layout is known, which is checked afterwards.
pub(crate) struct Assumption {
    pub(crate) expression: ExpressionId,
    pub(crate) value: i64,
    pub(crate) span: Span,
    pub(crate) origin: u32,
}

impl Session {
    /// Records that a conditional leaves out the current line.
    pub(crate) fn leave_out(&mut self, file: u32, line: u32) {
        if self.origin != NONE || self.in_library {
            return;
        }
        match self.left_out.last_mut() {
            Some((of, lines)) if *of == file && lines.end == line => lines.end += 1,
            _ => self.left_out.push((file, line..line + 1)),
        }
    }

    /// Notes that a directive of a source has no effect here.
    pub(crate) fn note_ignored(&mut self, what: String, span: Span) {
        if self.in_library {
            return;
        }
        if let Some(known) = self.ignored.iter_mut().find(|known| known.what == what) {
            known.places += 1;
        } else if self.ignored.len() < MOST_IGNORED {
            self.ignored.push(Ignored { what, span, places: 1 });
        }
    }

    /// Selects the words for later remedies.
    pub(crate) fn word_remedies(&mut self, wording: fn(&Remedy) -> String) {
        self.wording = wording;
    }

    /// The words for a remedy.
    pub(crate) fn words(&self, remedy: &Remedy) -> String {
        (self.wording)(remedy)
    }

    pub(crate) fn new(limits: Limits, names: Names, wording: fn(&Remedy) -> String) -> Session {
        Session {
            limits,
            wording,
            files: Vec::new(),
            library: None,
            source_bytes: 0,
            line_starts: HashMap::new(),
            diagnostics: Vec::new(),
            read: usize::MAX,
            errors: 0,
            again: 0,
            failed_include: None,
            undefined: HashMap::new(),
            made_names: HashMap::new(),
            repeated: HashMap::new(),
            decided: false,
            stopped: false,
            gave_up: false,
            out_of_memory: false,
            weight: 0,
            most_weight: usize::try_from(limits.memory).unwrap_or(usize::MAX),
            origin_names: 0,
            objects: 0,
            mmx: false,
            names,
            expressions: Expressions::default(),
            assumptions: Vec::new(),
            assumed_wrong: false,
            forward: Vec::new(),
            forward_known: Vec::new(),
            forward_found: Vec::new(),
            size_assumed: false,
            assume_narrow: false,
            narrow: Narrow::default(),
            sized: [0; 2],
            origins: Vec::new(),
            origin: NONE,
            in_library: false,
            left_out: Vec::new(),
            libraries: Vec::new(),
            ignored: Vec::new(),
            fresh_labels: 0,
            evaluated: Cell::new(0),
            read_work: 0,
            decisions: Decisions::default(),
            compared: Cell::new(0),
            includes: 0,
            consequences: 0,
            include_told: None,
            missing: HashSet::new(),
            unknown: Vec::new(),
            expanded_text: 0,
        }
    }

    /// Creates an origin for the lines of a macro call or a pass of a repeat.
    pub(crate) fn new_origin(&mut self, name: Rc<str>, pass: u32, span: Span, parent: u32) -> u32 {
        self.origin_names += name.len();
        self.origins.push(OriginStep {
            name,
            pass,
            span,
            parent,
        });
        self.origins.len() as u32 - 1
    }

    /// The bytes of memory that sources, names, expressions and origins take, with the origins of an image.
    pub(crate) fn bytes(&self) -> usize {
        let origin = size_of::<OriginStep>() + size_of::<u32>() + size_of::<p5_image::Origin>() + ALLOCATION;
        self.source_bytes as usize
            + self.names.bytes()
            + self.expressions.mark() * size_of::<Node>()
            + self.assumptions.len() * size_of::<Assumption>()
            + self.origins.len() * origin
            + self.origin_names
            + self.objects
            + self.left_out.len() * size_of::<(u32, Range<u32>)>()
    }

    /// Makes sure that there is memory for `bytes` more, which are counted until the next weighing.
    pub(crate) fn weigh(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        self.weight = self.weight.saturating_add(bytes);
        if self.weight <= self.most_weight {
            return Ok(());
        }
        self.out_of_memory = true;
        let message = format!("assembling takes more than {} MiB of memory", self.limits.memory >> 20);
        Err(fault(span, message)
            .with_help("repeat less, or make several programs of the source")
            .ending())
    }

    /// Makes sure that there is memory for an object of TASM that takes `bytes`, and keeps count of them.
    pub(crate) fn weigh_object(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        self.objects += bytes;
        self.weigh(bytes, span)
    }

    /// Whether reports have reached their limit.
    pub(crate) fn is_full(&self) -> bool {
        self.gave_up || self.errors >= self.limits.diagnostics
    }

    /// The number of expression nodes evaluated so far.
    pub(crate) fn evaluated(&self) -> u64 {
        self.evaluated.get()
    }

    /// Counts the evaluation of a node, which symbols for expressions may multiply.
    pub(crate) fn count_evaluated(&self, span: Span) -> Result<(), Fault> {
        let count = self.evaluated.get() + 1;
        self.evaluated.set(count);
        match count <= self.limits.evaluated {
            true => self.bound_work(|| span),
            false => Err(fault(span, "symbols that stand for expressions expand to too many operations").ending()),
        }
    }

    /// Counts a line that is about to be read.
    pub(crate) fn count_line(&mut self, bytes: usize, span: impl FnOnce() -> Span) -> Result<(), Fault> {
        self.read_work += LINE_WORK + BYTE_WORK * bytes as u64;
        self.bound_work(span)
    }

    /// Makes sure that all lines and expressions together have not taken too much work.
    fn bound_work(&self, span: impl FnOnce() -> Span) -> Result<(), Fault> {
        match self.read_work + NODE_WORK * self.evaluated.get() <= self.limits.work {
            true => Ok(()),
            false => Err(fault(
                span(),
                "the lines and expressions up to here are too many to assemble together",
            )
            .with_help("repeat less, or make several programs of the source")
            .ending()),
        }
    }

    /// Checks the number of nodes kept for expressions whose values are not known yet.
    pub(crate) fn count_kept(&self, span: Span) -> Result<(), Fault> {
        let most = self.limits.kept;
        match self.expressions.mark() <= most {
            true => Ok(()),
            false => {
                let message = format!("expressions that need addresses have more than {most} operations");
                Err(fault(span, message).ending())
            }
        }
    }

    /// Counts the local names of a macro call before they are made.
    pub(crate) fn count_locals(&self, count: usize, span: Span) -> Result<(), Fault> {
        let most = self.limits.symbols;
        match self.fresh_labels as usize + count <= most {
            true => Ok(()),
            false => Err(fault(span, format!("macros have more than {most} local names")).ending()),
        }
    }

    /// Whether an unknown name may be compared with `names` others for a suggestion. The first one always may.
    pub(crate) fn suggests_among(&self, names: usize) -> bool {
        let compared = self.compared.get();
        self.compared.set(compared + names as u64);
        compared == 0 || compared + names as u64 <= MOST_COMPARED
    }

    /// Counts `bytes` of text that is generated or that a text function reads.
    pub(crate) fn count_text(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        self.expanded_text += bytes as u64;
        let limit = self.limits.expanded_text;
        if self.expanded_text <= limit {
            return Ok(());
        }
        let message = format!(
            "more than {} MiB of text in macros, repeats and text functions",
            limit >> 20
        );
        Err(fault(span, message).ending())
    }

    /// The number of bytes of text generated so far.
    pub(crate) fn expanded_text(&self) -> u64 {
        self.expanded_text
    }

    /// The text of a new local name, in a spelling that sources do not use.
    pub(crate) fn fresh_label(&mut self) -> String {
        self.fresh_labels += 1;
        let label = format!("??{:04X}", self.fresh_labels - 1);
        let name = self.names.intern(&label);
        self.names.info_mut(name).made = Made::Local;
        label
    }

    /// The steps in the origin of lines, from the innermost one out.
    pub(crate) fn steps(&self, origin: u32) -> impl Iterator<Item = (u32, &OriginStep)> {
        let step = |origin: u32| Some((origin, self.origins.get(origin as usize)?));
        std::iter::successors(step(origin), move |(_, inner)| step(inner.parent))
    }

    /// Whether a name is a text macro of the library rather than the user's.
    pub(crate) fn is_library_text(&self, name: NameId) -> bool {
        let info = self.names.info(name);
        info.text != NONE && info.text_of_library
    }
}
