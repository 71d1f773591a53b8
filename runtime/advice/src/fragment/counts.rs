//! The counts of loops: registers, and arguments on the stack, that say how often a loop goes round.

use super::loops::{Control, Last, Loop};
use super::value::{ESP, Origin, Value};
use super::{COMPUTED, Choice, DIVISOR, OUTER_ROUNDS, ROUNDS, Told};
use p5_image::{Assumed, Rounds};

impl Choice<'_> {
    /// Chooses the counts, and the rounds of loops that count nothing.
    pub(super) fn count(&mut self) {
        for number in 0..self.loops.len() {
            let rounds = self.rounds(&self.loops[number]);
            let Loop { control, .. } = self.loops[number];
            let open = match control {
                Control::Known(_) => false,
                Control::Open => true,
                Control::Count {
                    first,
                    step,
                    last: Last::Number(last),
                } => {
                    let natural = last.checked_div(step).unwrap_or(0);
                    // A register that begins with 0 counts up to a small number by itself.
                    let itself =
                        last != 0 && last.checked_rem(step) == Some(0) && (1..=4 * rounds as i32).contains(&natural);
                    match itself {
                        true => false,
                        false => !self.set_first(first, last.wrapping_sub(step.wrapping_mul(rounds as i32)), step),
                    }
                }
                Control::Count {
                    first,
                    step,
                    last: Last::Past,
                } => !self.set_first(first, step.wrapping_mul(1 - rounds as i32), step),
                // After the pointers, unless the distance from one of them counts.
                Control::Count {
                    first,
                    step,
                    last: Last::Value(last),
                } => {
                    if let Some((origin, count)) = self.elements(first, step, last, rounds) {
                        self.set(origin, count, Told::Number);
                    }
                    false
                }
                Control::Count { last: Last::Moved, .. } => false,
            };
            if open {
                let decided = self.decide(number);
                // A count that is given ends the loop, and what comes after it is executed: the end has to be later.
                self.end_after(
                    number,
                    if decided && rounds >= ROUNDS[0] {
                        2 * rounds
                    } else {
                        rounds
                    },
                );
            }
        }
        for origin in 0..self.flow.origins.len() as u8 {
            // What addresses memory is an address, even if a part of it divides.
            if self.role(origin).divisor && !self.role(origin).pointer {
                self.set(origin, DIVISOR, Told::Number);
            }
        }
        for (origin, bytes) in self.uses.repeats.clone() {
            let count = ROUNDS.iter().find(|&&count| count * bytes <= self.share());
            self.set(origin, *count.unwrap_or(&OUTER_ROUNDS) as i32, Told::Number);
        }
    }

    /// The number of elements from a pointer, or from a number, to the end that is computed from it, and the origin of
    /// that number, for so many rounds.
    pub(super) fn elements(&self, first: Value, step: i32, last: Value, rounds: u32) -> Option<(u8, i32)> {
        let (pointer, before) = first.exact?;
        let product = last.product?;
        let of = match (pointer, product.base) {
            // An index from a number on, up to a multiple of the count.
            (None, None) => product.of,
            (Some(pointer), Some(base)) if base == pointer => product.of,
            (Some(pointer), base) => base.filter(|_| product.factor == 1 && product.of == pointer)?,
            (None, Some(_)) => return None,
        };
        let way = step
            .wrapping_mul(rounds as i32)
            .wrapping_add(before)
            .wrapping_sub(product.distance);
        let count = way.checked_div(product.factor)?;
        let whole = count.wrapping_mul(product.factor) == way && Some(of) != pointer;
        (whole && !self.role(of).pointer).then_some((of, count))
    }

    /// Sets the arguments on the stack that decide the end of a loop in a way that is not known here; whether there are
    /// any.
    fn decide(&mut self, number: usize) -> bool {
        let mut any = false;
        let decided_by = self.loops[number].decided_by;
        for origin in 0..self.flow.origins.len() as u8 {
            if decided_by & 1 << origin != 0 && self.is_argument(origin) && !self.role(origin).pointer {
                self.set(origin, ROUNDS[0] as i32, Told::Number);
                any = true;
            }
        }
        any
    }

    /// Whether an origin is an argument on the stack.
    pub(super) fn is_argument(&self, origin: u8) -> bool {
        match self.flow.origins[usize::from(origin)] {
            Origin::Memory {
                base: Some(base),
                displacement,
            } => self.flow.origins[usize::from(base)] == Origin::Register(ESP) && displacement > 0,
            _ => false,
        }
    }

    /// Ends the run when the branch of a loop has been taken so often, unless the arguments decide it with which a
    /// function that calls itself ends.
    pub(super) fn end_after(&mut self, number: usize, most: u32) {
        let Loop { branch, decided_by, .. } = self.loops[number];
        if decided_by & self.recursion != 0 {
            return;
        }
        let branch = self.flow.code[branch].ip32();
        self.preset.rounds.push(Rounds { branch, most });
        let assumed = Assumed::Rounds { rounds: most };
        if !self.preset.assumed.contains(&assumed) {
            self.preset.assumed.push(assumed);
        }
    }

    /// Sets all of these origins that address no memory to a number.
    pub(super) fn set_each(&mut self, origins: u64, value: i32) {
        for origin in 0..self.flow.origins.len() as u8 {
            if origins >> origin & 1 != 0 && !self.role(origin).pointer {
                self.set(origin, value, Told::Number);
            }
        }
    }

    /// Sets the origin of a counter so that it is `wanted` at the beginning of its loop; whether it could.
    fn set_first(&mut self, first: Value, wanted: i32, step: i32) -> bool {
        if let Some((Some(origin), distance)) = first.exact {
            if self.role(origin).pointer {
                return false;
            }
            self.set(origin, wanted.wrapping_sub(distance), Told::Number);
            return true;
        }
        // The least of several counts, or of one and a number, is that which all of them have.
        let one_of = first.one_of();
        if one_of != 0 {
            self.set_each(one_of, wanted);
            return false;
        }
        // It is computed, most often divided, from a number.
        let from = first.sum | first.other;
        if from != 0 && !self.role(from.trailing_zeros() as u8).pointer {
            let enough = wanted.unsigned_abs().min(1 << 16) as i32 * COMPUTED * step.signum().abs().max(1);
            self.set(from.trailing_zeros() as u8, enough, Told::Number);
        }
        false
    }
}
