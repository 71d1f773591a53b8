//! What is said of programs that leave their source lines: which line did, how, and what was executed from there on.

use runtime::machine::Options;
use runtime::report::wording;
use std::fs;
use std::path::Path;

/// Programs of the folder `asm`, and what is said of their end.
const WORDS: &[(&str, &str)] = &[
    (
        "jump_into_zeros",
        "#GP: the offset is past the segment limit (address 000200FFh); this line jumped out of the program's code and \
         ran through 21845 instructions of empty memory from 00015655h",
    ),
    (
        "jump_to_the_return_address",
        "#PF: instruction fetch from unmapped memory (address FFFFFFF0h); this line jumped out of the program's code",
    ),
    (
        "last_instruction_cut_off",
        "#PF: write to unmapped memory (address 00000000h); execution left the program's code after this line",
    ),
    (
        "slide_to_the_reset_vector",
        "this line jumped out of the program's code and ran through 120 instructions of empty memory from 000FFF00h",
    ),
    (
        "step_out_of_the_program",
        "#DB: single step: the trap flag is set; this line jumped out of the program's code",
    ),
];

#[test]
fn the_end_says_how_the_program_came_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    for (name, words) in WORDS {
        let file = format!("{name}.asm");
        let text = fs::read_to_string(folder.join(&file)).expect("a program");
        for one_op_blocks in [false, true] {
            let options = Options {
                runs: 2,
                one_op_blocks,
                ..Options::default()
            };
            let run = snapshots::run(&file, &text, snapshots::chip(), &options).expect("assembles");
            assert_eq!(wording::stop(&run.stop).as_deref(), Some(*words), "{name}");
            assert!(run.stop.place.is_some() && !run.stop.reason.by_program(), "{name}");
        }
    }
}
