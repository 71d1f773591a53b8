//! Texts that say something else of each kind of chip, from the rules in the chip's table.
//!
//! Modelled: the texts. Not modelled: the rules, which are applied in `pipeline` and `units`.

mod branches;
mod caches;

pub(in super::super) use branches::flushes_of_one_group;

use p5_chips::{Model, Prefixes};

/// What a text is on a chip.
type OfChip = fn(&Model) -> String;

/// The texts, by the names in the pages that contain them.
pub(super) static TEXTS: &[(&str, OfChip)] = &[
    ("prefixes", prefixes),
    ("prefixes_from", prefixes_from),
    ("prefixed", |model| prefixed(model.rules.prefixed_goes_to_u)),
    ("banks_met", banks_met),
    ("unit_waits", unit_waits),
    ("denormal_delays", denormal_delays),
    ("entry_met", branches::entry_met),
    ("entry_shared", branches::entry_shared),
    ("right_after", branches::right_after),
    ("tight_loop", branches::tight_loop),
    ("to_next", branches::to_next),
    ("caches", caches::caches),
    ("write_order", caches::write_order),
    ("which_writes", caches::which_writes),
    ("fewer_writes", caches::fewer_writes),
    ("large_pages", caches::large_pages),
    ("code_tlb_is", caches::code_tlb_is),
];

/// What a prefix costs, what hides that, and where the instruction then pairs.
fn prefixes(model: &Model) -> String {
    let rules = &model.rules;
    let escape = match rules.prefix_decode.escape {
        0 => "the 0Fh of two-byte opcodes takes none",
        _ => "the 0Fh of two-byte opcodes {prefix_escape} (but none in Jcc)",
    };
    let hidden = match (rules.queued_instructions, rules.prefetched_bytes) {
        (0, 0) => {
            "Clocks in which the groups before stay in EX hide them: the assumption `shadow_reach` says for how many \
             groups."
                .to_owned()
        }
        (0, _) => "Clocks in which the instruction before stays in EX after its first hide them.".to_owned(),
        (places, _) => format!(
            "They are decoded before a queue of {places} instructions: as long as instructions wait in it, because \
             those before stay in EX, their clocks are hidden."
        ),
    };
    let pairs = match rules.prefixed_goes_to_u {
        _ if rules.pipes == 1 => "This chip pairs nothing.".to_owned(),
        Prefixes {
            size: true,
            escape: true,
            other: true,
        } => "The instruction may then pair in U.".to_owned(),
        to_u => format!(
            "The instruction may then pair: in either pipe, but only in U with {}.",
            prefixed(to_u)
        ),
    };
    let costs = rules.prefix_decode;
    if costs.size == costs.other && costs.size == costs.escape {
        return format!(
            "Each prefix takes {{prefix_size}} to decode: 66h, 67h, segment, LOCK, REP, and the 0Fh of two-byte opcodes \
             (but none in Jcc). {hidden} {pairs}"
        );
    }
    format!(
        "66h and 67h take {{prefix_size}} to decode, segment, LOCK and REP {{prefix_other}}; {escape}. {hidden} {pairs}"
    )
}

fn prefixes_from(model: &Model) -> String {
    match model.rules.pipes {
        1 => model.rows.first().map_or(String::new(), |row| row.source.to_owned()),
        _ => "Agner Fog, Microarchitecture 2020, 4.4; Intel developer's manual 1997, 2.1.1; Intel optimization manual \
              1997, 3.7; Abrash's checksum"
            .to_owned(),
    }
}

/// The kinds of prefixes with which an instruction issues only in U.
fn prefixed(to_u: Prefixes<bool>) -> String {
    let kinds = [
        (to_u.size, "66h and 67h"),
        (to_u.escape, "0Fh"),
        (to_u.other, "segment, LOCK and REP"),
    ];
    let kinds: Vec<&str> = kinds
        .into_iter()
        .filter_map(|(only, kind)| only.then_some(kind))
        .collect();
    kinds.join(", ")
}

fn banks_met(model: &Model) -> String {
    match model.rules.pipes {
        1 => "This chip has one pipe: it makes one access in a clock, so no two meet in a bank.".to_owned(),
        _ => "The data cache has {banks} banks of {bank_width} bytes. If both accesses of a pair are to one bank, V's \
              waits {bank_conflict}. Only the address bits below a line count, so data far apart conflict too."
            .to_owned(),
    }
}

/// What delays the floating-point unit beside results that are not ready, as sentences after another one.
fn unit_waits(model: &Model) -> String {
    let rules = &model.rules;
    let each = [
        (
            rules.unsafe_operands,
            " After operands that may raise an exception the unit waits {unsafe_operands}.",
        ),
        (
            rules.exchange_before_integer,
            " An integer instruction right after a pair with FXCH waits {exchange}.",
        ),
    ];
    each.into_iter()
        .filter_map(|(clocks, text)| (clocks > 0).then_some(text))
        .collect()
}

fn denormal_delays(model: &Model) -> String {
    match model.rules.unsafe_operands {
        0 => "no operand delays the unit of this chip",
        _ => "only operands near the ends of the range of 80-bit reals delay the unit, by {unsafe_operands}",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use crate::explain::explained;
    use p5_chips::{MODELS, by_name};

    /// What the topic `wanted` says on a chip, and its source.
    fn page(chip: &str, wanted: &str) -> String {
        let model = by_name(chip).expect("a chip");
        let found = explained(model, wanted);
        let pages = found.iter().map(|topic| format!("{} {}", topic.rule, topic.source));
        // An event may have the name of a cause.
        let page = pages.collect::<Vec<_>>().join(" ");
        assert!(!page.is_empty() && !page.contains('{'), "{wanted} on {chip}: {page}");
        page
    }

    /// Asserts that the page says these things of a chip, and not those.
    fn says(chip: &str, wanted: &str, said: &[&str], unsaid: &[&str]) {
        let page = page(chip, wanted);
        for words in said {
            assert!(page.contains(words), "{chip}, `{words}`: {page}");
        }
        for words in unsaid {
            assert!(!page.contains(words), "{chip}, `{words}`: {page}");
        }
    }

    #[test]
    fn banks_are_met_by_two_accesses_of_one_clock_only() {
        for chip in ["p54c", "p55c"] {
            says(chip, "bank", &["8 banks of 4 bytes", "waits 1 clock"], &["one pipe"]);
        }
        says("i486", "bank", &["one pipe", "no two meet"], &["V's", "waits"]);
    }

    #[test]
    fn an_entry_is_met_by_another_only_where_the_group_before_finds_it() {
        let wanted = "entry met by another";
        says("p54c", wanted, &["group before its branch", "refill of 3 clocks"], &[]);
        says("p55c", wanted, &["by the branch itself", "none pays"], &["refill of"]);
        says("i486", wanted, &["predicts no branches"], &["refill", "buffer"]);
    }

    #[test]
    fn no_page_has_figures_of_what_the_chip_lacks() {
        for model in MODELS {
            let rules = crate::explain::topics(model).into_iter().filter(|topic| {
                matches!(
                    topic.kind,
                    crate::explain::Kind::Rule | crate::explain::Kind::Cause | crate::explain::Kind::Refusal
                )
            });
            for topic in rules {
                let words = [" 0 clocks", " 0 of", "no entries", "{"];
                let nothing = words.into_iter().find(|words| topic.rule.contains(words));
                assert_eq!(nothing, None, "{} on {}: {}", topic.name, model.name, topic.rule);
            }
        }
        says(
            "p54c",
            "mmx",
            &["has no MMX. On the p55c: ", "MMX instruction after one"],
            &[],
        );
        says("p55c", "mmx", &["MMX instruction after one"], &["no MMX"]);
        for wanted in ["pairing", "lockstep", "pipes", "read after write", "too long"] {
            says("i486", wanted, &["has one pipe", "On the p54c: "], &[]);
        }
        says(
            "i486",
            "measured",
            &["no time stamp counter", "nothing is measured"],
            &[],
        );
    }

    #[test]
    fn branches_are_told_of_as_the_chip_predicts_them() {
        let loops = "dec ecx` with `jnz`";
        says("p54c", "15h", &[loops, "nearly a thousand"], &[]);
        says(
            "p55c",
            "15h",
            &[loops, "predicted as any other"],
            &["thousand", "met the entry"],
        );
        let after = "misprediction right after another";
        says("p54c", after, &["cannot use a prediction"], &[]);
        says("p55c", after, &["no such rule"], &["cannot use"]);
        for wanted in [
            after,
            "btb",
            "misprediction",
            "branch to the next address",
            "entry of two branches",
        ] {
            says("i486", wanted, &["no branch target buffer", "predicts nothing"], &[]);
        }
        let next = "branch to the next address";
        says(
            "p54c",
            next,
            &["refill of 3 clocks is paid each time. If another branch that follows the same group"],
            &[],
        );
        says(
            "p55c",
            next,
            &["If another branch that ends in the same aligned dword"],
            &[],
        );
    }

    #[test]
    fn a_cache_is_one_and_writes_through_where_the_table_has_it() {
        says("p54c", "cache", &["Code has 8 KB", "written back"], &["through"]);
        says(
            "i486",
            "cache",
            &["share one cache: 8 KB", "written through"],
            &["written back", "Both"],
        );
        says("p54c", "write order", &["M or E state"], &[]);
        says("i486", "write order", &["writes through"], &["M or E"]);
        says(
            "i486",
            "write buffer full",
            &["though the cache has its line"],
            &["misses the data cache"],
        );
        says("p54c", "code tlb miss", &["page of 4 MiB by 4 KiB"], &[]);
        says("i486", "code tlb miss", &["the one TLB"], &["4 MiB"]);
        says("p54c", "data tlb miss", &["a TLB of 8"], &[]);
        says("p55c", "data tlb miss", &["no TLB of its own"], &[]);
        says("i486", "data tlb miss", &["two entries"], &["4 MiB"]);
    }

    #[test]
    fn prefixes_cost_and_pair_as_the_table_has_it() {
        let wanted = "prefix byte";
        says(
            "p54c",
            wanted,
            &[
                "Each prefix takes 1 clock to decode: 66h, 67h,",
                "the 0Fh of two-byte opcodes",
                "`shadow_reach`",
                "may then pair in U.",
                "Agner Fog",
            ],
            &["queue"],
        );
        says(
            "p55c",
            wanted,
            &[
                "66h and 67h take 2 clocks",
                "two-byte opcodes takes none",
                "a queue of 4 instructions",
                "in either pipe, but only in U with segment, LOCK and REP",
            ],
            &["`shadow_reach`"],
        );
        says(
            "i486",
            wanted,
            &[
                "two-byte opcodes takes none",
                "the instruction before stays in EX",
                "pairs nothing",
                "i486",
            ],
            &["`shadow_reach`", "Agner Fog", "pair in U"],
        );
    }
}
