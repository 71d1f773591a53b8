//! Measuring macros: calls of StartTSC, EndTSC, StartProfile and EndProfile become statements that begin and end
//! regions.

mod calibration;
mod events;
mod library;

pub(crate) use calibration::calibration;
pub(crate) use events::event_arguments;
pub(crate) use library::Bundled;

use crate::Options;
use crate::diag::{Fault, Span, fault};
use crate::expand::Body;
use crate::expression::Location;
use crate::names::Names;
use crate::operand::CodeSize;
use crate::program::{Program, begin_region};
use crate::session::Session;
use crate::statement::{Region, RegionEnd, Statement};
use events::START_PROFILE;
use p5_chips::Model;
use p5_image::RegionKind;
use std::rc::Rc;

/// The state of the measuring macros during an assembly.
pub(crate) struct MeasuringMacros {
    /// The text of the bundled macro library and its displayed name.
    pub(crate) library: String,
    pub(crate) library_file: &'static str,
    chip: &'static Model,
    pub(crate) bundled: Bundled,
    /// The statement to issue when the current macro's expansion ends.
    expanding: Option<Statement<'static>>,
    /// Whether a measuring macro or the calibration is being expanded, in which calls measure nothing by themselves.
    inside: bool,
    /// The number of library start macros expanded.
    sites: u32,
    calibration: Option<Rc<Body>>,
    uses_tsc: bool,
    uses_profile: bool,
}

/// A measuring macro: the kind of its region, and whether it begins one.
#[derive(Clone, Copy)]
pub(crate) struct MeasuringMacro {
    kind: RegionKind,
    start: bool,
}

impl MeasuringMacro {
    /// The arguments that select the events to count.
    pub(crate) fn selectors<'a>(&self, arguments: &'a [String]) -> Option<[&'a str; 2]> {
        if (self.kind, self.start) != (RegionKind::Profile, true) {
            return None;
        }
        let [first, second] = event_arguments(START_PROFILE)?;
        Some([argument(arguments.get(first)?), argument(arguments.get(second)?)])
    }

    /// The argument that names the region; empty if there is none.
    fn name<'a>(&self, arguments: &'a [String]) -> &'a str {
        let place = match (self.kind, self.start) {
            (RegionKind::Tsc, true) => 0,
            (RegionKind::Profile, true) => 2,
            _ => return "",
        };
        arguments.get(place).map_or("", |text| argument(text))
    }
}

fn argument(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

impl MeasuringMacros {
    pub(crate) fn new(options: &Options, library: &str) -> MeasuringMacros {
        MeasuringMacros {
            library: library.to_owned(),
            chip: options.chip,
            library_file: options.library.file(),
            bundled: Bundled::default(),
            expanding: None,
            inside: false,
            sites: 0,
            calibration: None,
            uses_tsc: false,
            uses_profile: false,
        }
    }

    pub(crate) fn set_calibration(&mut self, body: Body) {
        self.calibration = Some(Rc::new(body));
    }

    /// The measuring macro that `body` is, unless the call is inside another one or a structure.
    pub(crate) fn recognise(&self, names: &Names, program: &Program, body: &Body) -> Option<MeasuringMacro> {
        let (kind, start) = match names.text(body.name) {
            "starttsc" => (RegionKind::Tsc, true),
            "endtsc" => (RegionKind::Tsc, false),
            START_PROFILE => (RegionKind::Profile, true),
            "endprofile" => (RegionKind::Profile, false),
            _ => return None,
        };
        let measures = !self.inside && program.structures.open.is_none();
        measures.then_some(MeasuringMacro { kind, start })
    }

    /// Begins a call before its macro is expanded.
    pub(crate) fn begin(&mut self, session: &mut Session, program: &mut Program, call: &MeasuringCall<'_>) {
        let MeasuringMacro { kind, start } = call.called;
        self.inside = true;
        let outermost = session
            .steps(session.origin)
            .last()
            .map_or(call.span, |(_, step)| step.span);
        let mut site = 0;
        if call.library {
            site = if start {
                self.sites += 1;
                self.sites
            } else {
                // An end macro has the number of the region that it ends.
                program.regions.innermost_site(kind)
            };
            program.symbols.set_number(session, "@p5_site", i64::from(site));
            match kind {
                RegionKind::Tsc => self.uses_tsc = true,
                RegionKind::Profile => self.uses_profile = true,
            }
            set_code_size(session, program);
            let uses = |used: bool| i64::from(used);
            program.symbols.set_number(session, "@p5_uses_tsc", uses(self.uses_tsc));
            program
                .symbols
                .set_number(session, "@p5_uses_profile", uses(self.uses_profile));
        }
        let name = call.called.name(call.arguments);
        self.expanding = Some(if start {
            Statement::BeginRegion(Box::new(Region {
                name: if name.is_empty() {
                    format!("line {}", outermost.line)
                } else {
                    name.to_owned()
                },
                kind,
                span: outermost,
                site,
                events: call.events,
            }))
        } else {
            Statement::EndRegion(RegionEnd {
                kind,
                span: outermost,
                after: program.layout.location(),
            })
        });
    }

    /// The statement for a call whose expansion has ended.
    pub(crate) fn ended(&mut self) -> Option<Statement<'static>> {
        self.inside = false;
        self.expanding.take()
    }

    /// Defines the numbers that describe the program to the library.
    pub(crate) fn predefine(&self, session: &mut Session, program: &mut Program, privilege_level: u8) {
        for (name, number) in [
            ("@p5_cpl", i64::from(privilege_level)),
            ("@p5_bits", 32),
            ("@p5_site", 0),
            ("@p5_uses_tsc", 0),
            ("@p5_uses_profile", 0),
        ] {
            program.symbols.set_number(session, name, number);
        }
    }
}

/// Defines the size of the code in which the library's macros are expanded.
fn set_code_size(session: &mut Session, program: &mut Program) {
    let bits = match program.layout.current_size() {
        CodeSize::Bits16 => 16,
        CodeSize::Bits32 => 32,
    };
    program.symbols.set_number(session, "@p5_bits", bits);
}

/// The fault for a region of the library in code that cannot reach its data: 32-bit code of a program in real mode has
/// entered protected mode, in which CS cannot be written and no other register is known.
pub(crate) fn unreachable(program: &Program, span: Span) -> Option<Fault> {
    let layout = &program.layout;
    let unreachable = layout.segmented && layout.current_size() == CodeSize::Bits32;
    unreachable.then(|| {
        fault(
            span,
            "regions cannot be measured in 32-bit segments of a program that starts in real mode",
        )
        .with_help("measure in a 16-bit segment, or make the program flat")
    })
}

/// Replaces [`MeasuringMacros::begin`] for a call with an error. A region still begins, so that its end is no error.
pub(crate) fn refuse(program: &mut Program, called: MeasuringMacro, span: Span) {
    if called.start {
        let region = Region {
            name: String::new(),
            kind: called.kind,
            span,
            site: 0,
            events: None,
        };
        begin_region(program, region);
    }
}

/// A call of a measuring macro.
pub(crate) struct MeasuringCall<'c> {
    pub(crate) called: MeasuringMacro,
    pub(crate) arguments: &'c [String],
    /// The selectors of the events to count.
    pub(crate) events: Option<[u8; 2]>,
    /// Whether the macro belongs to the bundled library.
    pub(crate) library: bool,
    pub(crate) span: Span,
}

/// The calibration of a program and its entry point.
pub(crate) struct Calibration {
    pub(crate) body: Rc<Body>,
    pub(crate) entry: Location,
}
