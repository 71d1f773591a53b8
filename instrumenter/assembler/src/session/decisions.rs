//! Which values of options decide which lines are read: by their order with numbers that conditions compare them with,
//! by the value itself, or in other ways.

use super::{Open, Session};
use crate::expression::{Binary, ExpressionId};
use crate::names::NameId;
use std::cell::{Cell, RefCell};

/// The maximum number of different comparisons that are kept.
const MOST_KEPT: usize = 64;

/// The decisions of an assembly so far.
#[derive(Default)]
pub(super) struct Decisions {
    /// What the expressions of this statement depend on.
    open: Cell<Open>,
    /// How often they depend on something.
    uses: Cell<u32>,
    /// The last node that is the value of an option, with the option and the value, until it is compared.
    last: Cell<Option<(ExpressionId, NameId, i64)>>,
    /// The uses of options in this statement.
    used: RefCell<Vec<Bound>>,
    /// Whether the value of an option has decided which lines are read.
    by_value: Cell<bool>,
    /// Whether an address may have decided which lines are read.
    by_address: Cell<bool>,
    /// Whether anything but uses of options has decided it.
    otherwise: Cell<bool>,
    /// The uses of options that have decided which lines are read.
    bounds: RefCell<Vec<Bound>>,
}

/// A use of an option: the number with which its value is compared, or nothing if the value itself counts.
type Bound = (NameId, Option<i64>);

impl Session {
    pub(crate) fn begin_statement(&self) {
        self.decisions.open.set(Open::No);
        if self.decisions.uses.take() > 0 {
            self.decisions.last.set(None);
            self.decisions.used.borrow_mut().clear();
        }
    }

    /// Notes that the value of `name`, which an option defines, decides which lines are read.
    pub(crate) fn note_value_of(&self, name: NameId) {
        if !self.names.info(name).settled {
            self.decisions.by_value.set(true);
            self.decisions.otherwise.set(true);
        }
    }

    /// Notes that the expressions of this statement decide which lines are read.
    pub(crate) fn note_decision(&self) {
        let decisions = &self.decisions;
        let open = decisions.open.get();
        if open > Open::No {
            decisions.by_value.set(true);
            let used = decisions.used.borrow();
            let mut bounds = decisions.bounds.borrow_mut();
            for bound in used.iter() {
                if bounds.len() < MOST_KEPT && !bounds.contains(bound) {
                    bounds.push(*bound);
                }
            }
            let all = open == Open::ByOption && decisions.uses.get() as usize == used.len();
            if !all || bounds.len() == MOST_KEPT {
                decisions.otherwise.set(true);
            }
        }
        if open == Open::ByAddress {
            decisions.by_address.set(true);
        }
        self.begin_statement();
    }

    /// What this statement depends on, if it has decided nothing yet.
    pub(crate) fn open(&self) -> Open {
        self.decisions.open.get()
    }

    /// Notes that an expression of this statement depends on the value of an option or on an address.
    pub(crate) fn note_open(&self, open: Open) {
        let decisions = &self.decisions;
        decisions.open.set(decisions.open.get().max(open));
        if open > Open::No {
            decisions.uses.set(decisions.uses.get() + 1);
        }
    }

    /// Notes that this node is the value of an option, on which the statement depends.
    pub(crate) fn note_option(&self, node: ExpressionId, name: NameId, value: i64) {
        self.note_open(Open::ByOption);
        self.decisions.last.set(Some((node, name, value)));
        self.decisions.used.borrow_mut().push((name, None));
    }

    /// Notes that two nodes, which are these numbers, are the operands of an operator.
    pub(crate) fn note_operands(&self, operator: Binary, nodes: [ExpressionId; 2], numbers: [i64; 2]) {
        let Some((node, name, value)) = self.decisions.last.get() else {
            return;
        };
        // A node that was given up may have the number of another one now.
        let other = match (nodes, numbers) {
            ([left, _], [first, other]) if (left, first) == (node, value) => other,
            ([_, right], [other, second]) if (right, second) == (node, value) => other,
            _ => return,
        };
        self.decisions.last.set(None);
        if let Some(last) = self
            .decisions
            .used
            .borrow_mut()
            .last_mut()
            .filter(|_| operator.compares())
        {
            *last = (name, Some(other));
        }
    }

    /// Whether values, and whether addresses, decide which lines are read.
    pub(crate) fn decided(&self) -> [bool; 2] {
        [self.decisions.by_value.get(), self.decisions.by_address.get()]
    }

    /// The uses of options that decide which lines are read, if no value decides otherwise.
    pub(crate) fn bounds(&self) -> Option<Vec<(String, Option<i64>)>> {
        let bounds = self.decisions.bounds.borrow();
        let named = bounds
            .iter()
            .map(|&(name, number)| (self.names.text(name).to_owned(), number));
        (!self.decisions.otherwise.get()).then(|| named.collect())
    }
}
