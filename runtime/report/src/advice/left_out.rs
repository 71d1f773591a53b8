//! What is not suggested: instructions that no suggestion changes, trials that change the final state, and changes that
//! save too little.

use super::Advice;
use crate::phrases::counted;
use crate::printable::{cut, printable};
use crate::summary::percent;
use crate::wording;
use p5_results::RegisterSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum numbers of kinds of trials, of changes, of blocks that wait for write buffers, and of places that are
/// named one by one.
const REFUSED: usize = 8;
const SLIGHT: usize = 3;
const UNREAD: usize = 3;
const PLACES: usize = 3;
const IN_VAIN: usize = 3;

/// Blocks of which nothing saves a clock are told if they take at least one clock in this many.
const LEAST_IN_VAIN: u64 = 10;
/// The most columns of a line that is quoted.
const QUOTED: usize = 40;

/// A suggestion saves at least one clock in this many, which rounds to 0.1 %.
const LEAST_SHARE: u64 = 2_000;

/// Trials of one block that saved clocks but did not keep the final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The first and the last line of the block in the original text, from 1.
    pub lines: [u32; 2],
    /// The instructions that are replaced, and those that replace them; `None` if only the order is another one.
    pub tried: Option<(String, String)>,
    /// The first difference from the original's final state.
    pub changed: Changed,
    /// Whether that depends only on where the things lie that longer or shorter code moves.
    pub moves: bool,
    /// The number of trials.
    pub trials: u64,
    /// The most clocks that one of them saved.
    pub saved: u64,
}

impl Refused {
    /// Whether both are trials of one kind with one effect.
    pub fn is_like(&self, other: &Refused) -> bool {
        let kind = |one: &Refused| (one.lines, one.tried.clone(), one.changed.clone(), one.moves);
        kind(self) == kind(other)
    }

    fn sentence(&self) -> String {
        let [first, last] = self.lines;
        let saved = counted(self.saved, "clock");
        let (what, saves) = match (&self.tried, self.trials) {
            (Some((before, after)), _) => (
                format!("`{}` to `{}`", printable(before), printable(after)),
                format!("saves {saved}"),
            ),
            (None, 1) => ("another order".to_owned(), format!("saves {saved}")),
            (None, orders) => (format!("{orders} other orders"), format!("save up to {saved}")),
        };
        let several = self.tried.is_none() && self.trials > 1;
        let which = format!("left out: {what} in lines {first} to {last} {saves}, but");
        let changed = self.changed.words();
        match (self.moves, several) {
            _ if matches!(self.changed, Changed::Unknown(_)) => format!("{which} changes {changed}"),
            (true, _) => format!(
                "{which} moves what lies after the code, and {changed} depends on where that lies; `align 16` or `org` \
                 before the data keeps it in place"
            ),
            (false, true) => format!("{which} change the final state, first {changed}"),
            (false, false) => format!("{which} changes the final state, first {changed}"),
        }
    }
}

/// The first difference between two final states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The way the run ended.
    Stop,
    /// A general register, by its number.
    Register(usize),
    /// The flags register.
    Flags,
    /// The state of the floating-point unit.
    FloatingPoint,
    /// A segment, control, debug, test or table register.
    System,
    /// Memory: the name of the data, or its address.
    Memory(String),
    /// Whether the page at a linear address is mapped.
    Page(u32),
    /// The output of the program.
    Output,
    /// Flags or registers that may be read, although nothing is known to read them.
    Unknown(Unknown),
}

/// Why it is not known what reads flags or registers. Instructions are the line in the original text, from 1, and the
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// This instruction may set a handler for exceptions.
    Handler(u32, String),
    /// A linked object may set such a handler.
    LinkedHandler,
    /// It is not known where this instruction leads.
    Way(u32, String),
    /// Execution may leave the code that is known.
    NoCode,
    /// More instructions follow than are followed.
    Long,
}

impl Unknown {
    fn words(&self) -> String {
        match self {
            Unknown::Handler(line, text) => format!(
                "`{}` in line {line} may set a handler for exceptions, which may read anything",
                printable(text)
            ),
            Unknown::LinkedHandler => {
                "a linked object may set a handler for exceptions, which may read anything".to_owned()
            }
            Unknown::Way(line, text) => format!("where `{}` in line {line} leads is not known", printable(text)),
            Unknown::NoCode => "a path leads out of the program's lines".to_owned(),
            Unknown::Long => "more code follows than is examined".to_owned(),
        }
    }
}

impl Changed {
    pub(super) fn words(&self) -> String {
        match self {
            Changed::Stop => "how the program ends".to_owned(),
            Changed::Register(number) => RegisterSet::GENERAL_NAMES[*number].to_owned(),
            Changed::Flags => "the flags".to_owned(),
            Changed::FloatingPoint => "the floating-point unit".to_owned(),
            Changed::System => "a segment, control or other system register, or the colours of a video card".to_owned(),
            Changed::Memory(place) => format!("memory at {}", printable(place)),
            Changed::Page(address) => format!("whether memory at {address:08X}h is mapped"),
            Changed::Output => "the output".to_owned(),
            Changed::Unknown(why) => format!("flags or registers that may be read: {}", why.words()),
        }
    }
}

/// A change of one block that saves too little to be suggested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slight {
    /// The first and the last line of the block in the original text, from 1.
    pub lines: [u32; 2],
    /// The clocks that it saves.
    pub saved: u64,
}

impl Slight {
    /// The fewest clocks that a suggestion for a program of this many clocks saves.
    pub fn least(clocks: u64) -> u64 {
        clocks.div_ceil(LEAST_SHARE)
    }
}

/// A block with many of the program's clocks of which nothing saves any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InVain {
    /// The first and the last line of the block in the original text, from 1.
    pub lines: [u32; 2],
    /// The clocks charged to its instructions.
    pub clocks: u64,
    /// The number of its executions.
    pub passes: u64,
    /// The other orders that were tried.
    pub orders: u64,
    /// Whether these are all that keep the meaning of the block.
    pub all_orders: bool,
    /// The replacements that were tried.
    pub replacements: u64,
    /// Those that the rules offer for the block.
    pub all_replacements: u64,
    /// The lower bound on the clocks of one pass, over all orders and operands.
    pub least: u64,
}

impl InVain {
    /// Whether a block has so many of the program's clocks that it is told that nothing saves any.
    pub fn is_told(clocks: u64, of: u64) -> bool {
        clocks.saturating_mul(LEAST_IN_VAIN) >= of
    }

    fn sentence(&self) -> String {
        let [first, last] = self.lines;
        let each = super::decimal(self.clocks as f64 / self.passes.max(1) as f64);
        // An instruction that pairs with one before the block adds nothing to the clocks of the block itself.
        let bound = match self.clocks < self.least.saturating_mul(self.passes) {
            true => String::new(),
            false => format!(", and no order of its instructions can take less than {}", self.least),
        };
        let orders = match (self.orders, self.all_orders) {
            (0, _) => None,
            (1, true) => Some("in the only other order".to_owned()),
            (orders, true) => Some(format!("in all {orders} other orders")),
            (orders, false) => Some(format!("in {orders} of many other orders")),
        };
        let rules = "of those that `advise --help` lists";
        let replacements = match (self.replacements, self.all_replacements) {
            (0, _) => None,
            (tried, all) if tried < all => Some(format!("with {tried} of the {all} replacements that fit it")),
            (tried, _) => Some(format!("with {} {rules}", counted(tried, "replacement"))),
        };
        let nothing = match (&orders, &replacements) {
            (Some(_), None) => format!("; no replacement {rules} fits it"),
            (None, Some(_)) => "; no other order keeps its meaning".to_owned(),
            _ => String::new(),
        };
        let tried: Vec<String> = orders.into_iter().chain(replacements).collect();
        let clocks = counted(self.clocks, "clock");
        let which = format!("lines {first} to {last}, which take {clocks}");
        let what = match tried.is_empty() {
            true => format!(
                "nothing to try: {which}; no other order keeps their meaning, and no replacement {rules} fits them"
            ),
            false => format!("tried in vain: {which}, {}{nothing}", tried.join(" and ")),
        };
        format!("{what}. A pass takes {each}{bound}")
    }
}

/// A block that waits for write buffers, because it writes lines that no cache has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The first and the last line of the block in the original text, from 1.
    pub lines: [u32; 2],
    /// The clocks that it waits, with all suggestions.
    pub waits: u64,
    /// Why no line is read before it is written, which would bring it into the data cache.
    pub why: WhyUnread,
}

/// The reason why no line is read before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyUnread {
    /// None of its instructions is a MOV to memory.
    NoStore,
    /// Neither a register nor the flags are free for the read.
    NothingDead,
    /// The program takes this many clocks more with the best of the reads that were tried.
    Costs(u64),
    /// The block writes to video memory, which no cache holds.
    Video {
        /// The width in bytes of its narrowest write.
        bytes: u32,
        /// Its writes, each with its line in the original text, from 1.
        writes: Vec<(u32, String)>,
    },
}

impl WhyUnread {
    /// Its name in JSON.
    pub(super) fn name(&self) -> &'static str {
        match self {
            WhyUnread::NoStore => "no store",
            WhyUnread::NothingDead => "nothing dead",
            WhyUnread::Costs(_) => "costs",
            WhyUnread::Video { .. } => "video",
        }
    }
}

impl Unread {
    fn sentence(&self) -> String {
        let [first, last] = self.lines;
        let why = match &self.why {
            WhyUnread::NoStore => {
                "is tried for `mov`, `fst` and `fist` to memory, and none of these writes here".to_owned()
            }
            WhyUnread::NothingDead => "takes a register, or the flags, and all of them may be read later".to_owned(),
            WhyUnread::Costs(0) => "saves nothing".to_owned(),
            WhyUnread::Costs(clocks) => format!("costs {}", counted(*clocks, "clock")),
            WhyUnread::Video { bytes, writes } => {
                let wider = match bytes {
                    ..4 => "write dwords, or draw in memory of the program and copy that by dwords",
                    4..8 => "these are dwords; only writes of 8 bytes, as of FISTP, need fewer of the card's clocks",
                    _ => "no instruction writes more bytes at once, so this is the card's limit",
                };
                let named = writes.iter().take(PLACES);
                let named: Vec<String> = named
                    .map(|(line, text)| format!("`{}` in line {line}", cut(&printable(text), QUOTED)))
                    .collect();
                let others = if writes.len() > PLACES { " and others" } else { "" };
                let holds = if writes.len() == 1 {
                    "the write holds"
                } else {
                    "each write holds"
                };
                return format!(
                    "lines {first} to {last} wait {} for {}{others}: video memory is never cached, and {holds} the bus \
                     until the card has taken it; {wider} (`p5inst explain vga`)",
                    counted(self.waits, "clock"),
                    named.join(", ")
                );
            }
        };
        format!(
            "lines {first} to {last} wait {} for write buffers; to read the lines of the cache before they are \
             written {why}",
            counted(self.waits, "clock")
        )
    }
}

/// The reason why no suggestion changes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftAlone {
    /// A macro or a repeat generates it.
    Generated,
    /// It comes from an included file.
    Included,
    /// It comes from the source of a linked object.
    Linked,
    /// Its line holds several instructions, or continues on the next line.
    SharedLine,
    /// It refers to its own address.
    OwnAddress,
    /// The program has changed its bytes before it was executed.
    Changed,
    /// Its line has a budget.
    Budget,
    /// No source line holds it.
    NoLine,
    /// The run had so many instructions that its clocks are not known apart from those of others.
    Summed,
}

/// The instructions that are left alone for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    /// The number of instructions.
    pub instructions: u64,
    /// The clocks that they take.
    pub clocks: u64,
    /// The clocks of each source of a linked object that has some of them, by its name.
    pub of_objects: BTreeMap<String, u64>,
    /// The clocks of each macro call, repeat and other statement in the program's own file that makes some of them
    /// without spelling them: by its line, from 1, and its name or, of another statement, its text.
    pub made_by: BTreeMap<(u32, String), u64>,
    /// The lines of the program's own file, from 1, whose bytes the program changes.
    pub lines: BTreeSet<u32>,
}

impl LeftAlone {
    /// The reason in words, for one instruction or for several.
    pub(super) fn words(self, instructions: u64) -> &'static str {
        match self {
            LeftAlone::OwnAddress if instructions == 1 => "because it refers to its own address",
            LeftAlone::OwnAddress => "because each refers to its own address",
            LeftAlone::Changed => "whose bytes the program changes",
            LeftAlone::Budget if instructions == 1 => "because its line has a budget",
            LeftAlone::Budget => "because their lines have budgets",
            LeftAlone::Generated => "made by a macro or a repeat",
            LeftAlone::Included => "in another file",
            LeftAlone::Linked => "in a linked object",
            LeftAlone::SharedLine => "on a line with others, or on several lines",
            LeftAlone::NoLine => "not spelled by a line of the source",
            LeftAlone::Summed => "executed least often of more than a run lists",
        }
    }

    /// What makes suggestions for these instructions possible.
    fn remedy(self, alone: &Alone, program: &str) -> Option<String> {
        Some(match self {
            LeftAlone::Generated => {
                let mut makers: Vec<(&(u32, String), &u64)> = alone.made_by.iter().collect();
                makers.sort_by_key(|(_, clocks)| Reverse(**clocks));
                let named = makers.iter().take(PLACES);
                let named: Vec<String> = named
                    .map(|((line, name), _)| format!("`{}` in line {line}", printable(name)))
                    .collect();
                let in_place = match named.is_empty() {
                    true => String::new(),
                    false => format!(" in place of {}", named.join(", ")),
                };
                format!(
                    "write them{in_place}; `p5inst check {} --listing -` shows them, each with its depth",
                    printable(program)
                )
            }
            LeftAlone::Included => format!(
                "to have them tried, copy lines of an include into the program, and name a source of its own first, as \
                 in `p5inst advise OTHER.asm {}`",
                printable(program)
            ),
            LeftAlone::SharedLine => "give each a line of its own".to_owned(),
            LeftAlone::OwnAddress => "use a label instead of `$`".to_owned(),
            LeftAlone::Budget => "remove the budget to have it tried".to_owned(),
            LeftAlone::Changed => "what is suggested elsewhere holds for the changes that these runs made".to_owned(),
            LeftAlone::Linked | LeftAlone::NoLine | LeftAlone::Summed => return None,
        })
    }

    fn sentence(self, alone: &Alone, program: &str) -> String {
        let instructions = counted(alone.instructions, "instruction");
        let takes = if alone.instructions == 1 { "takes" } else { "take" };
        let clocks = counted(alone.clocks, "clock");
        let mut sources: Vec<(&String, &u64)> = alone.of_objects.iter().collect();
        sources.sort_by_key(|(_, clocks)| Reverse(**clocks));
        let named: Vec<String> = sources.iter().take(PLACES).map(|(name, _)| printable(name)).collect();
        let words = match self {
            LeftAlone::Linked if !named.is_empty() => format!("in {}, of a linked object", named.join(", ")),
            LeftAlone::NoLine if !alone.made_by.is_empty() => {
                let mut makers: Vec<(&(u32, String), &u64)> = alone.made_by.iter().collect();
                makers.sort_by_key(|(_, clocks)| Reverse(**clocks));
                let named = makers.iter().take(PLACES);
                let named: Vec<String> = named
                    .map(|((line, text), _)| format!("`{}` in line {line}", cut(&printable(text), QUOTED)))
                    .collect();
                let more = if makers.len() > PLACES { " and others" } else { "" };
                let verb = if makers.len() == 1 { "makes" } else { "make" };
                format!("which {}{more} {verb}", named.join(", "))
            }
            LeftAlone::Changed if !alone.lines.is_empty() => {
                let lines: Vec<String> = alone.lines.iter().take(PLACES).map(u32::to_string).collect();
                let more = if alone.lines.len() > PLACES { " and others" } else { "" };
                let noun = if alone.lines.len() == 1 { "line" } else { "lines" };
                format!(
                    "{}, in {noun} {}{more}",
                    self.words(alone.instructions),
                    lines.join(", ")
                )
            }
            _ => self.words(alone.instructions).to_owned(),
        };
        let remedy = self.remedy(alone, program);
        let remedy = remedy.map_or_else(String::new, |remedy| format!("; {remedy}"));
        format!("left alone: {instructions} that {takes} {clocks}, {words}{remedy}")
    }
}

/// All that was not suggested, a sentence each; what saves too little comes last.
pub(super) fn sentences(advice: &Advice) -> Vec<String> {
    let program = &advice.subject.program;
    let mut alone: Vec<&(LeftAlone, Alone)> = advice.left_alone.iter().collect();
    alone.sort_by_key(|(_, alone)| Reverse(alone.clocks));
    let alone = alone.into_iter();
    let mut sentences: Vec<String> = alone.map(|(why, alone)| why.sentence(alone, program)).collect();
    let mut refused: Vec<&Refused> = advice.refused.iter().collect();
    refused.sort_by_key(|one| Reverse(one.saved));
    sentences.extend(refused.iter().take(REFUSED).map(|one| one.sentence()));
    if let Some(more) = refused.get(REFUSED..).filter(|more| !more.is_empty()) {
        let trials = more.iter().map(|one| one.trials).sum();
        let most = more.iter().map(|one| one.saved).max().unwrap_or(0);
        sentences.push(format!(
            "left out: {} more that would save up to {}; `--format json` lists all",
            counted(trials, "trial"),
            counted(most, "clock")
        ));
    }
    sentences.extend(advice.unread.iter().take(UNREAD).map(Unread::sentence));
    let mut in_vain: Vec<&InVain> = advice.in_vain.iter().collect();
    in_vain.sort_by_key(|one| Reverse(one.clocks));
    sentences.extend(in_vain.into_iter().take(IN_VAIN).map(InVain::sentence));
    let clocks = advice.clocks[0];
    for one in advice.slight.iter().take(SLIGHT) {
        let [first, last] = one.lines;
        sentences.push(format!(
            "left out: a change in lines {first} to {last} that saves {} ({}): too little",
            counted(one.saved, "clock"),
            percent(one.saved, clocks)
        ));
    }
    if let Some(more) = advice.slight.get(SLIGHT..).filter(|more| !more.is_empty()) {
        let saved = more.iter().map(|one| one.saved).sum();
        sentences.push(format!(
            "left out: {} more that save {} together: too little each",
            counted(more.len() as u64, "change"),
            counted(saved, "clock")
        ));
    }
    let beyond = advice
        .notes
        .iter()
        .map(|note| format!("not tried here: {}", wording::note(note)));
    sentences.extend(beyond);
    sentences
}
