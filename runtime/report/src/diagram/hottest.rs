//! The loop with the most clocks of a trace, which is the only one that a short report of a long run shows.

use super::{Diagram, Node};
use p5_results::{Issued, Run};

/// A loop is negligible beside one that takes this many times its clocks.
const NEGLIGIBLE: u64 = 20;

/// If source lines are traced, a loop without lines is shown from one in this many clocks of the trace on.
const SHOWN: u64 = 2;

impl Diagram {
    /// The outermost loop with the most clocks, with what is said of it and of the `traced` instructions; `None`
    /// without loops. A loop of the program's own lines is preferred to one without lines, such as those of a C library
    /// before `main`, unless it is negligible beside that. Of a trace with lines, a loop without lines that takes few
    /// clocks is not shown: the trace is, from its beginning.
    pub(crate) fn hottest_loop(&self, run: &Run, traced: &str) -> Option<(Node, String)> {
        let loops = || self.nodes.iter().filter(|node| matches!(node, Node::Loop(_)));
        let has_line = |node: &&Node| has_line(run, node);
        let any = loops().max_by_key(|node| node.whole_cycles())?;
        let own = loops().filter(has_line).max_by_key(|node| node.whole_cycles());
        let hottest = own
            .filter(|own| own.whole_cycles().saturating_mul(NEGLIGIBLE) >= any.whole_cycles())
            .unwrap_or(any);
        let behind = |node: &Node| match node {
            Node::Loop(inner) => inner.cut[1],
            Node::Group(_) | Node::Probe(_) => 0,
        };
        let all: u64 = self.nodes.iter().map(|node| node.cycles() + behind(node)).sum();
        let clocks = hottest.whole_cycles();
        let has_lines = || {
            let row = |one: &Issued| run.instructions.get(one.instruction as usize);
            let mut traced = run.trace.issued.iter().filter_map(row);
            traced.any(|row| row.place.is_some())
        };
        if clocks.saturating_mul(SHOWN) < all && !has_line(&hottest) && has_lines() {
            return None;
        }
        let which = match clocks < any.whole_cycles() {
            true => "The loop with source lines that takes the most clocks",
            false => "The loop with the most clocks",
        };
        let words = format!("{which} of the {traced} traced, {clocks} of {all} clocks:");
        let mut hottest = hottest.clone();
        hottest.stand_alone();
        Some((hottest, words))
    }
}

/// Whether a node is a loop that begins with an instruction of a source line.
pub(crate) fn has_line(run: &Run, node: &Node) -> bool {
    let Node::Loop(inner) = node else { return false };
    let head = run.instructions.get(inner.head);
    head.is_some_and(|head| head.place.is_some())
}

impl Node {
    /// Its clocks, with those of the rounds that the ends of the trace cut.
    pub(super) fn whole_cycles(&self) -> u64 {
        match self {
            Node::Loop(inner) => inner.cycles + inner.cut[0] + inner.cut[1],
            Node::Group(_) | Node::Probe(_) => self.cycles(),
        }
    }
}
