//! Probes: the regions that StartTSC/EndTSC and StartProfile/EndProfile enclose, and the bundled library behind them.

use crate::assembler::{Assembler, fault};
use crate::ast::{Location, Type};
use crate::diag::Span;
use crate::dialect::masm::{alone, statement_start};
use crate::expand::{Body, Frame, Source};
use crate::layout::SegmentKind;
use crate::lex::{Kind, Token, first_words};
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::symbols::Definition;
use runtime::image::{Image, Log, Region, RegionKind};
use std::rc::Rc;
use std::sync::Arc;

/// What is known of probes during an assembly.
#[derive(Default)]
pub(crate) struct Probes {
    /// The probe macros whose expansion began.
    marks: Vec<Mark>,
    /// Started and not ended: indices of `marks`.
    open: Vec<u32>,
    /// Whether a probe macro is being expanded.
    inside: bool,
    regions: Vec<RegionInProgress>,
    /// How many start macros of the library were expanded.
    sites: u32,
    library: Library,
    /// The library's index among the files, once it was read.
    library_file: Option<u32>,
    pub(crate) calibration: Option<Rc<Body>>,
    /// The segment that `.code` in the library returns to.
    pub(crate) code_segment: u32,
    pub(crate) uses_tsc: bool,
    pub(crate) uses_profile: bool,
}

/// Whether the bundled library was read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Library {
    #[default]
    Undecided,
    Loaded,
    Refused,
}

/// One expansion of a probe macro.
struct Mark {
    kind: RegionKind,
    start: bool,
    name: String,
    span: Span,
    /// Line of the outermost call.
    line: u32,
    begin: Location,
    after: Location,
    /// The library's site number, 0 for the user's own macros.
    site: u32,
    events: Option<[u8; 2]>,
}

/// A region whose addresses the layout will tell.
struct RegionInProgress {
    name: String,
    kind: RegionKind,
    file: u32,
    start_line: u32,
    end_line: u32,
    first: Location,
    after: Location,
    done: Location,
    site: u32,
    events: Option<[u8; 2]>,
}

/// The symbols in which macros of a program's own leave a region's result, by convention. The library's have one set for each
/// site, with `_` and the site's number behind the name.
const fn result_symbols(kind: RegionKind) -> &'static [&'static str] {
    match kind {
        RegionKind::Tsc => &["_TSC"],
        RegionKind::Profile => &["_prof0", "_prof1"],
    }
}

/// The symbol of the log that a library may keep.
const LOG: &str = "HOST_log";
/// The symbol that the library logs the passes of its empty region under.
const EMPTY: &str = "HOST_empty";

impl Assembler<'_> {
    /// Marks the names that call the library in.
    pub(crate) fn mark_library_names(&mut self) {
        let text = library_text(self.library);
        for line in text.lines() {
            let (first, second) = first_words(line);
            let begins = first.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
            let second_word = (!second.is_empty())
                .then(|| self.names.intern(second))
                .and_then(keyword);
            let defines = matches!(second_word, Some(Keyword::Macro | Keyword::Equ | Keyword::TextEqu))
                || line[line.len() - line.trim_start().len() + first.len()..]
                    .trim_start()
                    .starts_with('=');
            if begins && defines {
                let name = self.names.intern(first);
                if keyword(name).is_none() {
                    self.names.info_mut(name).library = true;
                }
            }
        }
    }

    /// The user's text names something of the library: read the library, unless the name is the user's own.
    pub(crate) fn meet_library_name(&mut self, name: NameId, tokens: &[Token]) {
        if self.probes.library != Library::Undecided || self.is_defined(name) {
            return;
        }
        let defines = match tokens.get(1).map(|token| token.kind) {
            Some(Kind::Name(second)) => {
                matches!(
                    keyword(second),
                    Some(Keyword::Macro | Keyword::Equ | Keyword::TextEqu | Keyword::Define(_) | Keyword::Proc)
                        | Some(Keyword::TypeOfSize(_) | Keyword::Label)
                )
            }
            Some(Kind::Mark(b'=')) => true,
            // A label of this name, or the label before its use.
            Some(Kind::Mark(b':')) => {
                matches!(tokens.first(), Some(Token { kind: Kind::Name(first), .. }) if *first == name)
            }
            _ => false,
        };
        if defines {
            return;
        }
        let start = statement_start(tokens);
        let statement = matches!(tokens.get(start), Some(Token { kind: Kind::Name(first), .. }) if *first == name);
        if self.names.text(name).len() == 1 && !(statement && alone(tokens)) {
            return;
        }
        let own = self.files.iter().any(|file| defines_start(&file.text));
        if own {
            self.probes.library = Library::Refused;
            return;
        }
        self.load_library();
    }

    /// Reads the bundled library now; what the user defines of the same name wins.
    pub(crate) fn load_library(&mut self) {
        if self.probes.library == Library::Loaded {
            return;
        }
        self.probes.library = Library::Loaded;
        let text: Arc<str> = Arc::from(library_text(self.library));
        let Some(index) = self.add_file(self.library_file, text, Span::default()) else {
            return;
        };
        self.probes.library_file = Some(index);
        let (origin, in_library) = (self.origin, self.in_library);
        let (radix, structure, snippet) = (self.radix, self.structure.take(), self.snippet);
        let open_conditions = std::mem::take(&mut self.conditions);
        self.radix = 10;
        self.origin = NONE;
        let floor = self.frames.len();
        self.push_file(index, true);
        self.read_above(floor);
        self.radix = radix;
        self.structure = structure;
        self.snippet = snippet;
        self.conditions = open_conditions;
        self.origin = origin;
        self.in_library = in_library;
    }

    /// A macro is about to be expanded; if it is a probe, returns its mark's index, else `NONE`.
    pub(crate) fn probe_begins(&mut self, body: &Body, arguments: &[String], span: Span) -> u32 {
        let (kind, start) = match self.names.text(body.name) {
            "starttsc" => (RegionKind::Tsc, true),
            "endtsc" => (RegionKind::Tsc, false),
            "startprofile" => (RegionKind::Profile, true),
            "endprofile" => (RegionKind::Profile, false),
            _ => return NONE,
        };
        if self.probes.inside || self.structure.is_some() {
            return NONE;
        }
        self.probes.inside = true;
        let mut outermost = span;
        let mut origin = self.origin;
        while let Some(step) = self.origins.get(origin as usize) {
            outermost = step.span;
            origin = step.parent;
        }
        let argument = |place: usize| {
            arguments
                .get(place)
                .map_or("", |text| text.trim().trim_matches(['"', '\'']))
        };
        let (name, events) = match (kind, start) {
            (RegionKind::Tsc, true) => (argument(0), None),
            (RegionKind::Profile, true) => (argument(2), Some([argument(0).to_owned(), argument(1).to_owned()])),
            _ => ("", None),
        };
        let name = if name.is_empty() {
            format!("line {}", outermost.line)
        } else {
            name.to_owned()
        };
        let events = events.and_then(|[first, second]| {
            let selector = |assembler: &mut Self, text: &str| {
                let number = assembler.number_in(text, span).ok()?;
                // Above the selector stand what levels to count and whether to count clocks.
                (0..0x400).contains(&number).then_some((number & 0x3F) as u8)
            };
            Some([selector(self, &first)?, selector(self, &second)?])
        });
        let mut site = 0;
        if body.library {
            site = match (start, self.innermost(kind)) {
                (true, _) => {
                    self.probes.sites += 1;
                    self.probes.sites
                }
                (false, Some(place)) => {
                    let index = self.probes.open.get(place).copied().unwrap_or(NONE);
                    self.probes.marks.get(index as usize).map_or(0, |mark| mark.site)
                }
                (false, None) => 0,
            };
            // Within an end macro the number is that of the region it ends.
            self.set_number("@p5_site", i64::from(site));
            match kind {
                RegionKind::Tsc => self.probes.uses_tsc = true,
                RegionKind::Profile => self.probes.uses_profile = true,
            }
            let (tsc, profile) = (self.probes.uses_tsc, self.probes.uses_profile);
            self.set_number("@p5_uses_tsc", i64::from(tsc));
            self.set_number("@p5_uses_profile", i64::from(profile));
        }
        let begin = self.location();
        self.probes.marks.push(Mark {
            kind,
            start,
            name,
            span: outermost,
            line: outermost.line,
            begin,
            after: begin,
            site,
            events,
        });
        self.probes.marks.len() as u32 - 1
    }

    /// The expansion of a probe has ended.
    pub(crate) fn probe_ended(&mut self, index: u32) {
        self.probes.inside = false;
        let here = self.location();
        let Some(mark) = self.probes.marks.get_mut(index as usize) else {
            return;
        };
        mark.after = here;
        if mark.start {
            self.probes.open.push(index);
            return;
        }
        let (kind, span, begin, end_line) = (mark.kind, mark.span, mark.begin, mark.line);
        let Some(place) = self.innermost(kind) else {
            let (start, end) = names_of(kind);
            self.warn(fault(span, format!("this `{end}` has no `{start}` before it")));
            return;
        };
        let started = self.probes.open.remove(place);
        if let Some(start) = self.probes.marks.get(started as usize) {
            self.probes.regions.push(RegionInProgress {
                name: start.name.clone(),
                kind,
                file: start.span.file,
                start_line: start.line,
                end_line,
                first: start.after,
                after: begin,
                done: here,
                site: start.site,
                events: start.events,
            });
        }
    }

    fn innermost(&self, kind: RegionKind) -> Option<usize> {
        self.probes.open.iter().rposition(|&index| {
            self.probes
                .marks
                .get(index as usize)
                .is_some_and(|mark| mark.kind == kind)
        })
    }

    /// After the last line: complains about regions that are still open.
    pub(crate) fn close_probes(&mut self) {
        for index in std::mem::take(&mut self.probes.open) {
            if let Some(mark) = self.probes.marks.get(index as usize) {
                let (start, end) = names_of(mark.kind);
                let problem = fault(mark.span, format!("this `{start}` has no `{end}` after it"));
                self.warn(problem);
            }
        }
        self.probes
            .regions
            .sort_by_key(|region| (region.file, region.start_line, region.site));
    }

    /// Assembles the library's calibration if the program uses what it calibrates; returns where it begins.
    pub(crate) fn calibrate(&mut self, user_entry: Location) -> Option<Location> {
        if !(self.probes.uses_tsc || self.probes.uses_profile) {
            return None;
        }
        let body = self.probes.calibration.take()?;
        self.in_library = true;
        self.current = self.segment("P5_CALIBRATION", SegmentKind::Code);
        self.probes.code_segment = self.current;
        let name = self.names.intern("@p5_entry");
        let span = body.span;
        let defined = self.define(name, "@P5_ENTRY", Definition::Address(user_entry), Type::Near, span);
        match defined {
            Ok(Some(index)) => self.symbols[index as usize].hidden = true,
            Ok(None) => {}
            Err(problem) => self.report(problem),
        }
        let entry = self.location();
        self.frames.push(Frame {
            source: Source::Body {
                body,
                next: 0,
                arguments: Vec::new(),
                repeat: None,
            },
            file: span.file,
            line: span.line,
            origin: NONE,
            conditions: self.conditions.len(),
            library: true,
            probe: NONE,
            restore: NONE,
        });
        self.probes.inside = true;
        self.read_above(0);
        self.in_library = false;
        Some(entry)
    }

    /// Tells the image of the regions, the library and its log.
    pub(crate) fn link_probes(&mut self, image: &mut Image) {
        image.library = self.probes.library_file;
        image.log = self.log();
        for region in std::mem::take(&mut self.probes.regions) {
            let measured = result_symbols(region.kind)
                .iter()
                .filter_map(|name| {
                    let own = format!("{name}_{}", region.site);
                    let site = (region.site > 0).then(|| self.address_of(&own)).flatten();
                    site.or_else(|| self.address_of(name))
                })
                .collect();
            image.regions.push(Region {
                name: region.name,
                kind: region.kind,
                file: region.file,
                start_line: region.start_line,
                end_line: region.end_line,
                first: self.address(region.first),
                after: self.address(region.after),
                done: self.address(region.done),
                measured,
                library: region.site > 0,
                events: region.events,
            });
        }
    }

    /// The log, if the library that was read defines one. A symbol of the user's that has its name is something else.
    fn log(&mut self) -> Option<Log> {
        let [address, empty] = [LOG, EMPTY].map(|name| {
            let name = self.names.intern(name);
            let symbol = self.symbols.get(self.names.info(name).symbol as usize)?;
            match symbol.definition {
                Definition::Address(location) if symbol.library => Some(self.address(location)),
                _ => None,
            }
        });
        Some(Log {
            address: address?,
            empty: empty?,
        })
    }

    /// Where the data called `name` lies.
    fn address_of(&mut self, name: &str) -> Option<u32> {
        let name = self.names.intern(name);
        let symbol = self.symbols.get(self.names.info(name).symbol as usize)?;
        match symbol.definition {
            Definition::Address(location) => Some(self.address(location)),
            Definition::Expression(id) => self.evaluate(id).ok().map(|value| value.number as u32),
            _ => None,
        }
    }
}

/// The library's text with the event constants behind it.
fn library_text(library: &str) -> String {
    let mut text = library.to_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.to_ascii_lowercase().contains("ev_data_read ") {
        text.push_str(&asm_macros::events::include_constants());
    }
    text
}

fn names_of(kind: RegionKind) -> (&'static str, &'static str) {
    match kind {
        RegionKind::Tsc => ("StartTSC", "EndTSC"),
        RegionKind::Profile => ("StartProfile", "EndProfile"),
    }
}

/// Whether a text defines the macro StartTSC itself.
fn defines_start(text: &str) -> bool {
    text.lines().any(|line| {
        let (first, second) = first_words(line);
        first.eq_ignore_ascii_case("starttsc") && second.eq_ignore_ascii_case("macro")
    })
}
