//! The state of one assembly, and how it reports what is wrong.

use crate::ast::{ExpressionId, Expressions, Instruction, Location};
use crate::diag::{Diagnostic, Severity, Span, Step};
use crate::directive::block::OpenBlock;
use crate::directive::procedure::{Language, Prototype};
use crate::directive::record::BitField;
use crate::expand::{Body, Collecting, Condition, Frame, OriginStep};
use crate::layout::{Deferred, Fixup, SegmentData};
use crate::names::{NONE, NameId, Names};
use crate::probe::Probes;
use crate::source::Include;
use crate::symbols::{Procedure, Structure, StructureInProgress, Symbol, TextMacro};
use crate::{Limits, Options};
use runtime::image::SourceFile;
use std::collections::HashMap;
use std::rc::Rc;

/// One message on its way up to whoever knows the line.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<String>,
}

/// A problem, boxed so that results stay small.
pub(crate) type Fault = Box<Problem>;

/// A problem at `span`.
pub(crate) fn fault(span: Span, message: impl Into<String>) -> Fault {
    Box::new(Problem {
        message: message.into(),
        span,
        label: None,
        help: None,
    })
}

impl Problem {
    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_label(mut self: Box<Self>, label: impl Into<String>) -> Fault {
        self.label = Some(label.into());
        self
    }
}

/// A value that was taken before the layout was known and must still hold afterwards.
pub(crate) struct Assumption {
    pub(crate) expression: ExpressionId,
    pub(crate) value: i64,
    pub(crate) span: Span,
    pub(crate) origin: u32,
}

/// Everything one assembly knows.
pub(crate) struct Assembler<'a> {
    pub(crate) limits: Limits,
    pub(crate) cpl: u8,
    pub(crate) include: Include<'a>,
    /// The text of the bundled macro library.
    pub(crate) library: &'a str,
    /// The name it is shown under.
    pub(crate) library_file: &'static str,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) source_bytes: u64,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) errors: usize,
    /// Set when going on makes no sense: a limit was reached or `end` was read.
    pub(crate) stopped: bool,
    /// Whether a limit was reached, so that what was read is not the whole program.
    pub(crate) gave_up: bool,

    pub(crate) names: Names,
    pub(crate) expressions: Expressions,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) structures: Vec<Rc<Structure>>,
    /// Where a bare field name belongs: the structure that defined it last.
    pub(crate) fields: HashMap<NameId, u32>,
    pub(crate) bodies: Vec<Rc<Body>>,
    pub(crate) texts: Vec<TextMacro>,

    pub(crate) frames: Vec<Frame>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) collecting: Option<Collecting>,
    pub(crate) comment: Option<char>,
    /// Macro functions being called within each other.
    pub(crate) function_depth: u32,
    /// What the macro function that ended last returned.
    pub(crate) function_result: Option<String>,
    pub(crate) origins: Vec<OriginStep>,
    /// The origin of the line being read, or `NONE`.
    pub(crate) origin: u32,
    pub(crate) expanded_lines: u64,
    pub(crate) repeat_passes: u64,
    pub(crate) local_labels: u32,
    pub(crate) anonymous_labels: u32,
    pub(crate) scoped_locals: bool,
    /// Whether TASM's IDEAL mode is on: directives stand before the names they define.
    pub(crate) ideal: bool,
    pub(crate) scope: u32,
    pub(crate) radix: u32,
    /// Whether the line being read belongs to the bundled library.
    pub(crate) in_library: bool,

    pub(crate) segments: Vec<SegmentData>,
    pub(crate) current: u32,
    pub(crate) segment_stack: Vec<u32>,
    pub(crate) open_segments: Vec<(u32, u32)>,
    /// Whether no segment directive was met: code runs from its first instruction to its end.
    pub(crate) snippet: bool,
    /// Whether, in a snippet, the last thing placed was named data, which lies in the data segment.
    pub(crate) after_data: bool,
    pub(crate) image_bytes: u64,
    pub(crate) deferred: Vec<Deferred>,
    pub(crate) fixups: Vec<Fixup>,
    pub(crate) assumptions: Vec<Assumption>,
    /// Whether addresses are final and every name must be known.
    pub(crate) resolved: bool,

    pub(crate) structure: Option<StructureInProgress>,
    /// Records and their fields.
    pub(crate) bit_fields: HashMap<NameId, BitField>,
    /// The structures around `structure`, outermost first.
    pub(crate) outer_structures: Vec<StructureInProgress>,
    pub(crate) procedures: Vec<Procedure>,
    pub(crate) procedure_count: u32,
    /// Labels, parameters and locals of procedures: name and procedure to symbol.
    pub(crate) local_symbols: HashMap<(NameId, u32), u32>,
    /// How procedures are called, by name.
    pub(crate) prototypes: HashMap<NameId, Prototype>,
    /// The calling convention that `.model` named.
    pub(crate) language: Language,
    /// The `.if`, `.while` and `.repeat` that are open.
    pub(crate) blocks: Vec<OpenBlock>,
    /// What `pushstate` saved: the radix, whether `@@` labels are local, whether IDEAL mode is on.
    pub(crate) saved_states: Vec<(u32, bool, bool)>,
    pub(crate) end_label: Option<(ExpressionId, Span)>,
    pub(crate) first_code: Option<Location>,
    pub(crate) pending_prefix: Option<Instruction>,
    pub(crate) probes: Probes,
    pub(crate) line_starts: HashMap<u32, Vec<u32>>,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(options: &Options, include: Include<'a>, library: &'a str) -> Assembler<'a> {
        let mut assembler = Assembler {
            limits: options.limits,
            cpl: options.cpl,
            include,
            library,
            library_file: options.library.file(),
            files: Vec::new(),
            source_bytes: 0,
            diagnostics: Vec::new(),
            errors: 0,
            stopped: false,
            gave_up: false,
            names: Names::new(),
            expressions: Expressions::default(),
            symbols: Vec::new(),
            structures: Vec::new(),
            fields: HashMap::new(),
            bodies: Vec::new(),
            texts: Vec::new(),
            frames: Vec::new(),
            conditions: Vec::new(),
            collecting: None,
            comment: None,
            function_depth: 0,
            function_result: None,
            origins: Vec::new(),
            origin: NONE,
            expanded_lines: 0,
            repeat_passes: 0,
            local_labels: 0,
            anonymous_labels: 0,
            scoped_locals: false,
            ideal: false,
            scope: 0,
            radix: 10,
            in_library: false,
            segments: Vec::new(),
            current: 0,
            segment_stack: Vec::new(),
            open_segments: Vec::new(),
            snippet: true,
            after_data: false,
            image_bytes: 0,
            deferred: Vec::new(),
            fixups: Vec::new(),
            assumptions: Vec::new(),
            resolved: false,
            structure: None,
            bit_fields: HashMap::new(),
            outer_structures: Vec::new(),
            procedures: Vec::new(),
            procedure_count: 0,
            local_symbols: HashMap::new(),
            prototypes: HashMap::new(),
            language: Language::None,
            blocks: Vec::new(),
            saved_states: Vec::new(),
            end_label: None,
            first_code: None,
            pending_prefix: None,
            probes: Probes::default(),
            line_starts: HashMap::new(),
        };
        assembler.predefine();
        assembler.predefine_functions();
        assembler
    }

    /// Reports `fault` as an error of the line being read.
    pub(crate) fn report(&mut self, fault: Fault) {
        let origin = self.origin;
        self.report_at(fault, origin);
    }

    /// Reports `fault` as an error of a line that came about by `origin`.
    #[allow(clippy::boxed_local)] // Faults are boxed wherever they travel.
    pub(crate) fn report_at(&mut self, fault: Fault, origin: u32) {
        if self.errors >= self.limits.diagnostics {
            return;
        }
        self.errors += 1;
        self.push(Severity::Error, *fault, origin);
        if self.errors >= self.limits.diagnostics {
            self.stopped = true;
            self.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                message: format!("too many errors: stopped after {}", self.errors),
                span: None,
                label: None,
                help: None,
                trail: Vec::new(),
            });
        }
    }

    /// Reports `fault` as a warning of the line being read.
    #[allow(clippy::boxed_local)] // Faults are boxed wherever they travel.
    pub(crate) fn warn(&mut self, fault: Fault) {
        if self.diagnostics.len() < self.limits.diagnostics * 2 {
            self.push(Severity::Warning, *fault, self.origin);
        }
    }

    /// An error after which nothing more is read.
    pub(crate) fn give_up(&mut self, fault: Fault) {
        self.report(fault);
        self.gave_up = true;
        self.stopped = true;
        self.frames.clear();
    }

    fn push(&mut self, severity: Severity, problem: Problem, origin: u32) {
        let span = self.clamp(problem.span);
        let trail = self.trail(origin);
        self.diagnostics.push(Diagnostic {
            severity,
            message: problem.message,
            span: Some(span),
            label: problem.label,
            help: problem.help,
            trail,
        });
    }

    fn trail(&mut self, origin: u32) -> Vec<Step> {
        let mut trail = Vec::new();
        let mut next = origin;
        // A macro that calls itself fills the trail with itself: the innermost calls and the outermost one tell enough.
        while let Some(&step) = self.origins.get(next as usize) {
            next = step.parent;
            if trail.len() >= 16 && next != NONE {
                continue;
            }
            let name = self.origin_name(&step);
            let message = match step.pass {
                0 => format!("in macro {name}"),
                pass => format!("in pass {pass} of {name}"),
            };
            let span = self.clamp(step.span);
            trail.push(Step { message, span });
        }
        trail
    }

    /// Keeps a span within the line it names: text that a macro pasted together may be longer than its body's line.
    fn clamp(&mut self, span: Span) -> Span {
        let Some(file) = self.files.get(span.file as usize) else {
            return span;
        };
        let text = &file.text;
        let starts = self.line_starts.entry(span.file).or_insert_with(|| {
            let after = text
                .bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(after).collect()
        });
        let line = span.line.saturating_sub(1) as usize;
        let Some(&start) = starts.get(line) else {
            return span;
        };
        let end = starts.get(line + 1).map_or(text.len() as u32, |&next| next - 1);
        let width = end.saturating_sub(start);
        let mut first = span.start.min(width);
        let mut last = span.end.clamp(first, width);
        let boundary = |column: u32| text.is_char_boundary((start + column) as usize);
        while first > 0 && !boundary(first) {
            first -= 1;
        }
        while last < width && !boundary(last) {
            last += 1;
        }
        Span {
            start: first,
            end: last,
            ..span
        }
    }
}
