//! Texts about caches and TLBs, which chips have in different numbers, and about how they write.
//!
//! Modelled: the texts. Not modelled: the rules, which are applied in `pipeline/stages/access.rs` and `units`.

use p5_chips::Model;

/// The caches of the chip, what leaves them, and when memory gets what is written.
pub(super) fn caches(model: &Model) -> String {
    let has = match model.geometry.unified {
        true => "Code and data share one cache: {data_cache}. It fills a line on a read miss and replaces",
        false => "Code has {code_cache}, data {data_cache}. Both fill a line on a read miss and replace",
    };
    let written = match model.geometry.write_through {
        true => {
            "Data is written through: each write goes to memory, and to the cache, too, if that has its line. A write \
             that misses fills no line."
        }
        false => {
            "Data is written back, when its line leaves the cache. A write that misses goes to memory and fills no line, \
             so that the next one misses, too."
        }
    };
    format!(
        "{has}, of two ways, the least recently used one; of four, the older one of the older pair (pseudo-LRU). \
         {written} `--memory` names the memory behind."
    )
}

/// What a write waits for, so that writes keep their order.
pub(super) fn write_order(model: &Model) -> String {
    let order = "Writes reach memory in the order of the program.";
    match model.geometry.write_through {
        true => format!(
            "{order} This chip writes through, so each write goes to a write buffer, which keep the order: one that \
             finds none free waits for the cause `write buffer full`."
        ),
        false => format!(
            "{order} A write that hits a line in M or E state waits until the write buffers are empty, and a write to \
             a line that is still filling until it is there."
        ),
    }
}

/// The writes that go to a write buffer.
pub(super) fn which_writes(model: &Model) -> String {
    match model.geometry.write_through {
        true => "This chip writes through: each write, though the cache has its line,",
        false => "A write that misses the data cache, or one to a page that is marked as written through (PWT),",
    }
    .to_owned()
}

/// How code can make fewer of them.
pub(super) fn fewer_writes(model: &Model) -> String {
    match model.geometry.write_through {
        true => "Dwords in place of bytes make a quarter of the writes.",
        false => {
            "A line that was read before is written in the cache; where lines are not read, dwords in place of bytes \
             make a quarter of the writes."
        }
    }
    .to_owned()
}

/// The entries that a walk to a large page reads, as the end of a sentence.
pub(super) fn large_pages(model: &Model) -> String {
    match (model.geometry.large_tlb, has_large_pages(model)) {
        (Some(_), _) => ", or one for a page of 4 MiB, of which the chip has a TLB of {large_tlb}",
        (None, true) => ", or one for a page of 4 MiB, of which the chip has no TLB of its own",
        (None, false) => "",
    }
    .to_owned()
}

/// The TLB that code uses, and how it has a large page.
pub(super) fn code_tlb_is(model: &Model) -> String {
    match (model.geometry.unified, has_large_pages(model)) {
        (true, _) => "the one TLB that code and data share",
        (false, false) => "the code TLB",
        (false, true) => "the code TLB, which keeps a page of 4 MiB by 4 KiB",
    }
    .to_owned()
}

/// Whether CPUID tells of pages of 4 MiB.
fn has_large_pages(model: &Model) -> bool {
    const PAGE_SIZE_EXTENSIONS: u32 = 1 << 3;
    let [.., features] = model.cpuid.get(1).copied().unwrap_or_default();
    features & PAGE_SIZE_EXTENSIONS != 0
}
