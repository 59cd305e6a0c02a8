//! The path from the root of a session to its active leaf.

use std::collections::HashMap;

use super::{Code, Symbol};

/// Where an entry hangs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Parent {
    Root,
    Entry(u32),
    /// Something that can name no entry.
    Malformed,
}

/// One entry of a session, in the order in which the session gave it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntryFact {
    pub id: Symbol,
    pub parent: Parent,
}

/// The places of the entries on the path, from the root to `leaf`.
///
/// # Errors
/// [`Code::InvalidActivePath`] for an unknown leaf or parent, a cycle, and for an id that two entries claim: then no
/// path through the session is certain. Entries beside the path may be malformed in any other way.
pub fn active_path(entries: &[EntryFact], leaf: Symbol) -> Result<Vec<u32>, Code> {
    let mut places = HashMap::with_capacity(entries.len());
    for (place, entry) in (0..).zip(entries) {
        if let Some(id) = entry.id
            && places.insert(id, (place, entry.parent)).is_some()
        {
            return Err(Code::InvalidActivePath);
        }
    }
    let mut path = Vec::new();
    let mut next = leaf.ok_or(Code::InvalidActivePath)?;
    loop {
        let &(place, parent) = places.get(&next).ok_or(Code::InvalidActivePath)?;
        path.push(place);
        // Every entry is on the path once: one more step than there are entries is a cycle.
        if path.len() > entries.len() {
            return Err(Code::InvalidActivePath);
        }
        match parent {
            Parent::Root => break,
            Parent::Entry(parent) => next = parent,
            Parent::Malformed => return Err(Code::InvalidActivePath),
        }
    }
    path.reverse();
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u32, parent: Option<u32>) -> EntryFact {
        EntryFact { id: Some(id), parent: parent.map_or(Parent::Root, Parent::Entry) }
    }

    #[test]
    fn only_ancestors_of_the_leaf_are_on_the_path_whatever_their_order() {
        let entries = [entry(3, Some(2)), entry(1, None), entry(4, Some(1)), entry(2, Some(1))];
        assert_eq!(active_path(&entries, Some(3)), Ok(vec![1, 3, 0]));
        assert_eq!(active_path(&entries, Some(4)), Ok(vec![1, 2]));
        assert_eq!(active_path(&entries, Some(1)), Ok(vec![1]));
    }

    #[test]
    fn broken_ancestry_is_an_invalid_active_path() {
        let broken = Err(Code::InvalidActivePath);
        assert_eq!(active_path(&[], Some(1)), broken, "no entries");
        assert_eq!(active_path(&[entry(1, None)], Some(2)), broken, "unknown leaf");
        assert_eq!(active_path(&[entry(1, None)], None), broken, "leaf that is no string");
        assert_eq!(active_path(&[entry(1, Some(9))], Some(1)), broken, "unknown parent");
        assert_eq!(active_path(&[entry(1, Some(1))], Some(1)), broken, "own parent");
        assert_eq!(active_path(&[entry(1, Some(2)), entry(2, Some(1))], Some(1)), broken, "cycle");
        assert_eq!(active_path(&[entry(1, None), entry(1, None)], Some(1)), broken, "duplicate on the path");
        assert_eq!(
            active_path(&[entry(1, None), entry(2, Some(1)), entry(2, None)], Some(1)),
            broken,
            "duplicate beside the path"
        );
        let malformed = EntryFact { id: Some(1), parent: Parent::Malformed };
        assert_eq!(active_path(&[malformed], Some(1)), broken, "parent that is no string");
    }

    #[test]
    fn siblings_may_be_malformed_or_lost() {
        let junk = EntryFact { id: None, parent: Parent::Malformed };
        assert_eq!(active_path(&[junk, junk, entry(5, Some(6)), entry(1, None)], Some(1)), Ok(vec![3]));
    }
}
