//! The memory that an assembly may take.

use crate::source::Sources;
use crate::{Options, assemble};

#[test]
fn what_is_multiplied_is_weighed_together() {
    let assembled = |text: &str, memory: u64| {
        let options = Options {
            limits: crate::Limits {
                memory,
                ..Default::default()
            },
            ..Options::default()
        };
        assemble(&Sources::single("many.asm", text), &options)
    };
    for text in [
        "rept 100000\nnop\nendm\n",
        "rept 300\nrept 300\nadd eax,12345678h\nendm\nendm\n",
        ".data\nrept 100000\ndd offset start\nendm\n.code\nstart: nop\n",
        ".data\ndd 500000 dup(offset start)\n.code\nstart: nop\n",
        "one macro\nlocal here\nhere: nop\nendm\nrept 50000\none\nendm\n",
    ] {
        let refused = assembled(text, 4 << 20);
        assert!(refused.out_of_memory && refused.image.is_none(), "{text}");
        let [found] = &refused.diagnostics[..] else {
            panic!("{text}: {:?}", refused.diagnostics);
        };
        assert_eq!(found.message, "assembling takes more than 4 MiB of memory", "{text}");
        assert!(found.span.is_some());
        let taken = assembled(text, 64 << 20);
        assert!(
            !taken.out_of_memory && taken.image.is_some(),
            "{text}: {:?}",
            taken.diagnostics
        );
    }
}
