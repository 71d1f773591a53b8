//! What one evaluation has found of symbols that stand for expressions. Such symbols may be made of others, each of
//! them several times, so that their expressions, written out, double with every symbol.

use crate::expression::ExpressionId;
use crate::session::Session;
use std::cell::RefCell;
use std::collections::HashMap;

/// The number of nodes up to which the expression of a symbol is evaluated anew each time.
const FEW: u64 = 16;
/// The depth that a symbol counts for: it takes more of the host's stack than a node.
const SYMBOL: u32 = 8;

/// The results for symbols, by their expressions, as far as they took many nodes.
pub(super) type Known<T> = RefCell<HashMap<ExpressionId, T>>;

/// The way from the whole expression to a part of it.
pub(super) struct Way<'k, T> {
    /// The number of nodes on it, and more for symbols.
    pub(super) depth: u32,
    known: &'k Known<T>,
}

impl<T> Clone for Way<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Way<'_, T> {}

impl<'k, T: Copy> Way<'k, T> {
    pub(super) fn new(known: &'k Known<T>) -> Self {
        Way { depth: 0, known }
    }

    /// The way to an operand.
    pub(super) fn below(self) -> Self {
        Way {
            depth: self.depth + 1,
            ..self
        }
    }

    /// The result for a symbol that stands for the expression `id`: what is known of it, or what `find` finds.
    pub(super) fn symbol<E>(
        self,
        session: &Session,
        id: ExpressionId,
        find: impl FnOnce(Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(known) = self.known.borrow().get(&id) {
            return Ok(*known);
        }
        let before = session.evaluated();
        let depth = self.depth + SYMBOL;
        let found = find(Way { depth, ..self })?;
        if session.evaluated() - before > FEW {
            self.known.borrow_mut().insert(id, found);
        }
        Ok(found)
    }
}
