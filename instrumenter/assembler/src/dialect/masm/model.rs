//! Memory models: `.model`, and the code of `.startup` and `.exit`.

use super::expression::expression;
use super::generated::number;
use super::generated::{generate_instruction, generate_label};
use super::keyword::{Processor, processor_bits};
use super::procedure::{convention, decoration, interface, is_code_style};
use super::{Modes, Parser, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expression::NodeKind;
use crate::lex::{Cursor, Kind};
use crate::module::Decoration;
use crate::statement::{Convention, MemoryModel, Named, Statement};

/// The memory models with several segments, in the order of their numbers from 1 on.
const SEGMENTED_MODELS: [&str; 6] = ["tiny", "small", "compact", "medium", "large", "huge"];

/// The model of COM files, by its place.
pub(super) const TINY: usize = 0;
/// The address at which COM files are loaded, after the prefix that DOS makes.
pub(super) const COM_ORIGIN: i64 = 0x100;

/// `.model flat, stdcall`.
pub(super) fn model(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Option<Statement<'static>>, Fault> {
    let mut chosen = None;
    let mut narrow = false;
    let mut ignored = false;
    let (mut flat, first) = (false, cursor.peek());
    while let Some(token) = cursor.next() {
        let Kind::Name(word) = token.kind else {
            continue;
        };
        let span = cursor.span(token);
        // IDEAL mode has no dots.
        let [dot, processor] = if parser.modes.ideal {
            ["", "p386"]
        } else {
            [".", ".386"]
        };
        let written = parser.session.names.text(word).to_owned();
        let text = match written.as_str() {
            // Turbo Pascal's segments and calls.
            "tpascal" => {
                parser.modes.convention = Convention::Pascal;
                parser.modes.decoration = Decoration::Capitals;
                parser.modes.interface = interface("pascal").unwrap_or(0);
                "small"
            }
            "tchuge" => "huge",
            text => text,
        };
        if let Some(place) = SEGMENTED_MODELS.iter().position(|model| *model == text) {
            // A COM file and a unit of Turbo Pascal have no 32-bit segments.
            let needs_narrow = parser.session.assume_narrow || place == 0 || written == "tpascal";
            let assumed = parser.modes.wide && !narrow;
            parser.session.size_assumed |= assumed && place != 0 && written != "tpascal";
            if assumed && needs_narrow {
                let message = "memory model taken for 16-bit segments, which this program needs";
                let help = format!(
                    "write `{dot}model {text}` before `{processor}`, which otherwise makes segments of 32 bits"
                );
                parser.session.warn(fault(span, message).with_help(help));
            } else if assumed {
                ignored = true;
                let message = "memory model ignored: the program is assembled and run as flat 32-bit code";
                let help =
                    format!("write `{dot}model flat`, or `{dot}model {text}` before `{processor}` for 16-bit segments");
                parser.session.warn(fault(span, message).with_help(help));
                continue;
            }
            chosen = Some(place);
        } else if text == "flat" {
            (parser.modes.wide, parser.modes.by_processor) = (true, false);
            flat = true;
        } else if text == "use16" {
            narrow = true;
        } else if is_code_style(text) && (chosen.is_some() || !parser.modes.wide) {
            let message = format!("the code that `{text}` adds to procedures is not written: they have plain frames");
            let help = "write their first and last instructions yourself";
            parser.session.warn(fault(span, message).with_help(help));
        } else if keyword(word).is_none()
            && let Some(named) = convention(text)
        {
            parser.modes.convention = named;
            parser.modes.decoration = decoration(text).unwrap_or_default();
            parser.modes.interface = interface(text).unwrap_or(1);
        }
    }
    if let Some(first) = first.filter(|_| parser.modes.has_model && !parser.session.in_library) {
        let message = "another memory model than the one above replaces it";
        parser
            .session
            .warn(fault(cursor.span(first), message).with_help("keep one of the two: MASM passes over the second"));
    }
    if first.is_none() {
        let help = format!("write `flat`, or one of {}", SEGMENTED_MODELS.join(", "));
        return Err(fault(cursor.here(), "expected a memory model").with_help(help));
    }
    let Some(place) = chosen else {
        if let (Some(first), false) = (first, flat || ignored) {
            let message = format!("unknown memory model `{}`", cursor.text(first));
            let help = format!("write `flat`, or one of {}", SEGMENTED_MODELS.join(", "));
            return Err(fault(cursor.span(first), message).with_help(help));
        }
        // Compilers write `offset flat:name`.
        let named = Named {
            name: parser.session.names.intern("flat"),
            spelled: "FLAT",
            span: first.map_or_else(|| cursor.here(), |first| cursor.span(first)),
        };
        let members = Vec::new();
        return Ok(flat.then_some(Statement::Group { named, members }));
    };
    Ok(Some(Statement::Model(selected(parser.modes, place))))
}

/// The memory model with this place in [`SEGMENTED_MODELS`].
pub(super) fn selected(modes: &mut Modes, place: usize) -> MemoryModel {
    modes.has_model = true;
    modes.wide = false;
    modes.far_code = place >= 3;
    modes.far_data = matches!(place, 2 | 4 | 5);
    let (code, data) = (i64::from(modes.far_code), i64::from(modes.far_data));
    MemoryModel {
        tiny: place == TINY,
        texts: [
            ("@data", "DGROUP"),
            ("@code", if place == TINY { "DGROUP" } else { "_TEXT" }),
        ],
        numbers: [
            ("@wordsize", 2),
            ("@model", place as i64 + 1),
            ("@codesize", code),
            ("@datasize", data),
            ("@32bit", 0),
        ],
    }
}

/// `.startup`: the program starts here, with DS and SS set to the group of all data.
pub(super) fn startup(parser: &mut Parser<'_>, spelled: &str, span: Span) -> Result<Option<Statement<'static>>, Fault> {
    if !parser.modes.has_model {
        return Err(fault(
            span,
            format!("`{spelled}` requires a memory model with 16-bit segments"),
        )
        .with_help("write `.model small` before it"));
    }
    generate_label(parser, "@Startup", span);
    if parser.program.layout.com {
        let target = number(parser, COM_ORIGIN, span);
        let begins = parser.program.layout.location_in_segment() == 0;
        return Ok(begins.then_some(Statement::Origin { target, span }));
    }
    // The 8086 shifts by one or by CL.
    let shifts: &[&str] = if parser.modes.processor == Processor::I86 {
        &["shl bx,1"; 4]
    } else {
        &["shl bx,4"]
    };
    let before = ["mov dx,DGROUP", "mov ds,dx", "mov bx,ss", "sub bx,dx"];
    let after = ["cli", "mov ss,dx", "add sp,bx", "sti"];
    for line in before.iter().chain(shifts).chain(&after) {
        generate_instruction(parser, *line, span);
    }
    Ok(None)
}

/// `.exit code`: ends the program through DOS.
pub(super) fn exit(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    if cursor.done() {
        generate_instruction(parser, "mov ah,4Ch", span);
    } else {
        let text = cursor.raw_rest().to_owned();
        let id = expression(parser, cursor)?;
        cursor.expect_end()?;
        match parser.session.expressions.node(id).kind {
            NodeKind::Number(code @ 0..=255) => {
                generate_instruction(parser, format!("mov ax,{}t", 0x4C00 + code), span);
            }
            _ => {
                generate_instruction(parser, format!("mov al,{text}"), span);
                generate_instruction(parser, "mov ah,4Ch", span);
            }
        }
    }
    generate_instruction(parser, "int 21h", span);
    Ok(())
}

/// Sets the processor, which `word` names; 16-bit processors have no 32-bit segments.
pub(super) fn set_processor(parser: &mut Parser<'_>, processor: Processor, word: &str) {
    parser.modes.processor_bits = Some(processor_bits(word));
    // The 80186 has the coprocessor of the 8086.
    (parser.modes.processor, parser.modes.coprocessor) = (processor, processor);
    if !parser.session.in_library {
        parser.session.narrow.by_processor = processor != Processor::Wide;
    }
    parser.modes.named_processor = true;
    if !parser.modes.has_model {
        parser.modes.wide = processor == Processor::Wide;
        parser.modes.by_processor = parser.modes.wide;
    }
}
