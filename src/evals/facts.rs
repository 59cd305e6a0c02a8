//! What crosses the border as numbers, read without trust: a list that ends too early is read as far as it goes.

use super::Symbol;
use super::path::{EntryFact, Parent};
use super::protocol::{CallFact, MessageFact};
use super::run::Leaf;

/// A symbol that stands for nothing usable.
const MALFORMED: i32 = -1;
/// The parent of a root; a leaf that is not there.
const ROOT: i32 = -2;

pub fn symbol(number: i32) -> Symbol {
    u32::try_from(number).ok()
}

/// The active leaf: −2 when there is none.
pub fn leaf(number: i32) -> Leaf {
    if number == ROOT { Leaf::Missing } else { Leaf::Named(symbol(number)) }
}

/// 0 is false, 1 is true, anything else is no boolean.
pub fn boolean(number: u32) -> Option<bool> {
    match number {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// `[id, parent]` for each entry; a parent is −2 at the root.
pub fn entries(numbers: &[i32]) -> Vec<EntryFact> {
    let pairs = numbers.chunks_exact(2);
    pairs
        .map(|pair| EntryFact {
            id: symbol(pair[0]),
            parent: match pair[1] {
                ROOT => Parent::Root,
                number => symbol(number).map_or(Parent::Malformed, Parent::Entry),
            },
        })
        .collect()
}

/// For each message its kind, then what the kind needs: 0 system, 1 user, 2 assistant (number of calls, `[id, name]` of
/// each), 3 tool result (call, name, 1 for an error), anything else: another role.
pub fn messages(numbers: &[i32]) -> Vec<MessageFact> {
    let mut numbers = numbers.iter().copied();
    let mut messages = Vec::new();
    while let Some(kind) = numbers.next() {
        let mut next = || numbers.next().unwrap_or(MALFORMED);
        messages.push(match kind {
            0 => MessageFact::System,
            1 => MessageFact::User,
            2 => {
                let count = usize::try_from(next()).unwrap_or(0).min(numbers.len() / 2);
                let mut next = || symbol(numbers.next().unwrap_or(MALFORMED));
                MessageFact::Assistant { calls: (0..count).map(|_| CallFact { id: next(), name: next() }).collect() }
            }
            3 => MessageFact::ToolResult { call: symbol(next()), name: symbol(next()), is_error: next() == 1 },
            _ => MessageFact::Other,
        });
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_pairs_and_minus_two_is_the_root() {
        let read = entries(&[0, -2, 1, 0, -1, -1, 5]);
        let expected = [
            EntryFact { id: Some(0), parent: Parent::Root },
            EntryFact { id: Some(1), parent: Parent::Entry(0) },
            EntryFact { id: None, parent: Parent::Malformed },
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn leaves_and_booleans_have_a_number_for_what_they_are_not() {
        assert_eq!([leaf(-2), leaf(-1), leaf(3)], [Leaf::Missing, Leaf::Named(None), Leaf::Named(Some(3))]);
        assert_eq!([boolean(0), boolean(1), boolean(2)], [Some(false), Some(true), None]);
    }

    #[test]
    fn messages_are_read_by_kind() {
        let read = messages(&[0, 1, 2, 2, 7, 8, 9, -1, 3, 7, 8, 1, 4]);
        let calls = vec![CallFact { id: Some(7), name: Some(8) }, CallFact { id: Some(9), name: None }];
        let expected = [
            MessageFact::System,
            MessageFact::User,
            MessageFact::Assistant { calls },
            MessageFact::ToolResult { call: Some(7), name: Some(8), is_error: true },
            MessageFact::Other,
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_list_that_ends_too_early_is_read_as_far_as_it_goes() {
        assert_eq!(messages(&[2, i32::MAX, 1]), [MessageFact::Assistant { calls: vec![] }, MessageFact::User]);
        assert_eq!(messages(&[3]), [MessageFact::ToolResult { call: None, name: None, is_error: false }]);
    }
}
