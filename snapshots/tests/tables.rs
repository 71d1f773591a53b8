//! The timing table is complete: every integer instruction form of the chip runs, and each row has its source. A
//! snapshot of the table as resolved for each chip shows every change of a figure in review.

use iced_x86::{Code, Encoder, Instruction, Mnemonic, OpCodeOperandKind, OpKind, Register};
use runtime::image::{Image, Segment};
use runtime::machine::{self, Options};
use runtime::model::{Clocks, MODELS, Model, RouteClocks, Row};
use runtime::report::topics;
use runtime::run::StopReason;
use std::path::Path;

/// The addresses of the tested instruction and of its data.
const CODE: u32 = 0x0040_1000;
const DATA: u32 = 0x0050_0000;

/// Whether the chip has the form and this machine executes it.
fn is_executed(code: Code, model: &Model) -> bool {
    let op_code = code.op_code();
    // The forms that begin with WAIT are two instructions.
    op_code.is_instruction() && op_code.mode32() && model.isa.has(code) && !op_code.fwait()
}

/// An instruction of the form with registers, or with memory if it accepts both.
fn instance(code: Code, in_memory: bool) -> Option<Instruction> {
    use OpCodeOperandKind as Kind;
    let op_code = code.op_code();
    let mut instruction = Instruction::new();
    instruction.set_code(code);
    for operand in 0..op_code.op_count() {
        let kind = op_code.op_kind(operand);
        let register = match kind {
            Kind::r8_reg | Kind::r8_opcode => Register::DL,
            Kind::r16_reg | Kind::r16_opcode | Kind::r16_rm | Kind::r16_reg_mem => Register::DX,
            Kind::r32_reg | Kind::r32_opcode | Kind::r32_rm | Kind::r32_reg_mem => Register::EDX,
            Kind::seg_reg => Register::ES,
            Kind::cr_reg => Register::CR3,
            Kind::dr_reg => Register::DR0,
            Kind::tr_reg => Register::TR6,
            Kind::al => Register::AL,
            Kind::ax => Register::AX,
            Kind::eax => Register::EAX,
            Kind::cl => Register::CL,
            Kind::dx => Register::DX,
            Kind::es => Register::ES,
            Kind::cs => Register::CS,
            Kind::ss => Register::SS,
            Kind::ds => Register::DS,
            Kind::fs => Register::FS,
            Kind::gs => Register::GS,
            Kind::st0 => Register::ST0,
            Kind::sti_opcode => Register::ST1,
            Kind::r8_or_mem if !in_memory => Register::DL,
            Kind::r16_or_mem if !in_memory => Register::DX,
            Kind::r32_or_mem if !in_memory => Register::EDX,
            Kind::mm_reg | Kind::mm_rm => Register::MM1,
            Kind::mm_or_mem if !in_memory => Register::MM2,
            _ => Register::None,
        };
        if register != Register::None {
            instruction.set_op_register(operand, register);
            instruction.set_op_kind(operand, OpKind::Register);
            continue;
        }
        match kind {
            Kind::mem | Kind::mem_offs | Kind::r8_or_mem | Kind::r16_or_mem | Kind::r32_or_mem | Kind::mm_or_mem => {
                instruction.set_op_kind(operand, OpKind::Memory);
                if kind == Kind::mem_offs {
                    instruction.set_memory_displ_size(4);
                    instruction.set_memory_displacement64(u64::from(DATA));
                } else {
                    instruction.set_memory_base(Register::EBX);
                    instruction.set_memory_index_scale(1);
                }
            }
            Kind::imm8 if operand == 1 && code.mnemonic() == Mnemonic::Enter => {
                instruction.set_op_kind(operand, OpKind::Immediate8_2nd);
            }
            Kind::imm8 => instruction.set_op_kind(operand, OpKind::Immediate8),
            Kind::imm8_const_1 => {
                instruction.set_op_kind(operand, OpKind::Immediate8);
                instruction.set_immediate8(1);
            }
            Kind::imm8sex16 => instruction.set_op_kind(operand, OpKind::Immediate8to16),
            Kind::imm8sex32 => instruction.set_op_kind(operand, OpKind::Immediate8to32),
            Kind::imm16 => instruction.set_op_kind(operand, OpKind::Immediate16),
            Kind::imm32 => instruction.set_op_kind(operand, OpKind::Immediate32),
            Kind::br16_1 | Kind::br16_2 => {
                instruction.set_op_kind(operand, OpKind::NearBranch16);
                instruction.set_near_branch16(0x1010);
            }
            Kind::br32_1 | Kind::br32_4 => {
                instruction.set_op_kind(operand, OpKind::NearBranch32);
                instruction.set_near_branch32(CODE + 0x20);
            }
            Kind::farbr2_2 => instruction.set_op_kind(operand, OpKind::FarBranch16),
            Kind::farbr4_2 => instruction.set_op_kind(operand, OpKind::FarBranch32),
            // String operands are determined only by the bytes of the whole instruction.
            _ => return None,
        }
    }
    Some(instruction)
}

/// The bytes of a form; those of string instructions come from their opcode.
fn encoded(code: Code, in_memory: bool, model: &Model) -> Option<Vec<u8>> {
    if let Some(instruction) = instance(code, in_memory) {
        let mut encoder = Encoder::new(32);
        let encoded = encoder.encode(&instruction, u64::from(CODE));
        return encoded.ok().map(|_| encoder.take_buffer());
    }
    let op_code = code.op_code();
    let mut bytes = Vec::new();
    if op_code.operand_size() == 16 {
        bytes.push(0x66);
    }
    if op_code.address_size() == 16 {
        bytes.push(0x67);
    }
    bytes.push(op_code.op_code() as u8);
    let decoded = model.isa.decoder(32, &bytes, CODE).decode();
    (decoded.code() == code).then_some(bytes)
}

/// A program of one instruction, with ESI, EDI and EBX pointing to data.
fn program(bytes: &[u8]) -> Image {
    let mut code = vec![0xBB];
    code.extend(DATA.to_le_bytes());
    code.push(0xBE);
    code.extend(DATA.to_le_bytes());
    code.push(0xBF);
    code.extend((DATA + 64).to_le_bytes());
    code.extend(bytes);
    let end = CODE + code.len() as u32;
    code.resize(4096, 0x90);
    Image {
        segments: vec![
            Segment {
                name: "_TEXT".to_owned(),
                address: CODE,
                bytes: code,
                zeroes: 0,
                writable: true,
            },
            Segment {
                name: "_DATA".to_owned(),
                address: DATA,
                bytes: vec![1; 4096],
                zeroes: 0,
                writable: true,
            },
        ],
        entry: CODE,
        end: Some(end),
        ..Image::default()
    }
}

#[test]
fn every_form_a_chip_has_is_timed() {
    for model in MODELS {
        let mut ran = 0;
        let mut missing = Vec::new();
        for code in Code::values().filter(|&code| is_executed(code, model)) {
            let (mut found, mut is_timed) = (false, false);
            for in_memory in [false, true] {
                let Some(bytes) = encoded(code, in_memory, model) else {
                    continue;
                };
                let decoded = model.isa.decoder(32, &bytes, CODE).decode();
                if decoded.is_invalid() {
                    continue;
                }
                found = true;
                let options = Options {
                    runs: 1,
                    limit: 20_000,
                    ..Options::default()
                };
                let run = machine::simulate(&program(&bytes), "form", model, &options, &mut |_| {});
                let timed = run.instructions.iter().any(|one| one.address == CODE + 15);
                // Without a row there is no timing, which is correct only for an instruction that faults.
                if run.stop.reason == StopReason::Unsupported || !timed && run.stop.reason != StopReason::Fault {
                    missing.push(format!("{}: {code:?} {bytes:02x?}: {:?}", model.name, run.stop));
                }
                is_timed |= timed;
            }
            ran += usize::from(is_timed);
            assert!(found, "{}: {code:?} was not encoded", model.name);
        }
        assert!(missing.is_empty(), "{missing:#?}");
        assert!(ran > 500, "{}: only {ran} forms ran and were timed", model.name);
    }
}

#[test]
fn every_row_has_a_source_and_is_reached() {
    for model in MODELS {
        for row in model.all_rows() {
            assert!(!row.form.is_empty() && !row.source.is_empty(), "{row:?}");
            assert!(!row.mnemonics.is_empty(), "{} covers nothing", row.form);
            assert!(row.doubt.is_none_or(|doubt| !doubt.is_empty()), "{}", row.form);
        }
        // A row is dead if an earlier one for the same mnemonics has no stricter conditions.
        let rows: Vec<&Row> = model.all_rows().collect();
        for (index, row) in rows.iter().enumerate() {
            // A row of the chip may replace the same form of its base.
            let replaced = rows[..index].iter().any(|earlier| earlier.form == row.form);
            let dead = !replaced
                && row.mnemonics.iter().all(|mnemonic| {
                    rows[..index].iter().any(|earlier| {
                        earlier.mnemonics.contains(mnemonic) && earlier.when.iter().all(|when| row.when.contains(when))
                    })
                });
            assert!(
                !dead,
                "{}: an earlier row takes all that `{}` covers",
                model.name, row.form
            );
        }
    }
}

fn by_route(routes: &RouteClocks) -> String {
    let ways = [
        ("descriptor", routes.descriptor),
        ("gate", routes.gate),
        ("inner", routes.inner_gate),
        ("outer", routes.outer),
        ("out of V86", routes.leaves_virtual),
        ("to V86", routes.enters_virtual),
        ("task", routes.task[0]),
        ("16-bit task", routes.task[1]),
        ("V86 task", routes.task[2]),
        ("with parameters", routes.inner_gate_with_parameters),
    ];
    let others = ways.iter().filter(|(_, clocks)| *clocks != routes.usual);
    let others = others.map(|(way, clocks)| format!(", {way} {clocks}"));
    let each = Some(routes.parameter).filter(|&each| each > 0);
    let each = each.map_or(String::new(), |each| format!(" + {each} each"));
    format!("{}{}{each}", routes.usual, others.collect::<String>())
}

fn clocks(clocks: Clocks) -> String {
    match clocks {
        Clocks::Fixed(clocks) | Clocks::Least(clocks) => clocks.to_string(),
        Clocks::ByPrivilege(system, user) => format!("{system} at CPL 0, {user} at CPL 3"),
        Clocks::ByOutcome(not_taken, taken) => format!("{not_taken} not taken, {taken} taken"),
        Clocks::PerCount(base, step) => format!("{base} + {step} a step"),
        Clocks::PerCountMilli(base, step) => format!("{base} + {step}/1000 a step"),
        Clocks::PerIteration(start, step) => format!("{start} + {step} an iteration"),
        Clocks::ByLevel(zero, one, step) => format!("{zero} at level 0, {one} at 1, {step} more a level"),
        Clocks::ByStackAlignment(usual, aligned) => format!("{usual}, {aligned} with ESP aligned"),
        Clocks::ByRoute(routes) => by_route(routes),
    }
}

/// The tests that `p5inst explain` names exist in their files.
#[test]
fn tests_that_explanations_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for topic in MODELS.iter().flat_map(|model| topics(model)) {
        for test in &topic.tests {
            let (file, name) = test.split_once(": ").expect("a file and a name");
            let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            // A test is a function, a row of a table by its name or event, or an expectation.
            let shapes = [format!("fn {name}("), format!("\"{name}\""), format!("Event::{name},")];
            let there =
                shapes.iter().any(|shape| text.contains(shape)) || file.ends_with(".asm") && text.contains(name);
            if !there {
                wrong.push(format!("{}: {test}", topic.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_as_it_is() {
    for model in MODELS {
        let mut text = String::new();
        for row in model.all_rows() {
            let fpu = row.fpu.map_or(String::new(), |fpu| {
                let mut text = format!(" floating point {}/{}", fpu.latency, fpu.throughput);
                for (name, clocks) in [
                    ("multiplier", fpu.multiplier),
                    ("less at 24 bits", fpu.less_by_precision[0]),
                    ("less at 53 bits", fpu.less_by_precision[1]),
                    ("operands ahead", fpu.operands_ahead),
                    ("status behind", fpu.status_behind),
                ] {
                    if clocks > 0 {
                        text += &format!(", {name} {clocks}");
                    }
                }
                text + &match fpu.operations {
                    0 => String::new(),
                    1 => ", counted".to_owned(),
                    times => format!(", counted {times} times"),
                }
            });
            let early = row.early.map_or(String::new(), |early| {
                let sure = if early.measured { "early" } else { "probably early" };
                format!(" {sure} {:?}", early.registers).replace(['[', ']'], "")
            });
            let line = format!(
                "{:<26} {:<3} {:<34} {}{}{early}{}{fpu}",
                row.form,
                row.class.name(),
                clocks(row.clocks),
                format!("{:?}", row.when).replace(['[', ']'], ""),
                if row.serializing { " serialising" } else { "" },
                row.doubts().map_or(String::new(), |doubt| format!(" ({doubt})"))
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        insta::assert_snapshot!(format!("timings_{}", model.name), text);
    }
}
