use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A map from Istanbul's ids, small integers, to values, kept in ascending order of the ids.
///
/// In JSON it is an object whose keys are the ids as strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdMap<T> {
    entries: Vec<(u32, T)>,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> IdMap<T> {
    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of an id.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<&T> {
        self.place(id).ok().map(|at| &self.entries[at].1)
    }

    /// The value of an id, to change it.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.place(id).ok().map(|at| &mut self.entries[at].1)
    }

    /// Sets the value of an id and returns the one it had.
    pub fn insert(&mut self, id: u32, value: T) -> Option<T> {
        match self.place(id) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (id, value));
                None
            }
        }
    }

    /// Ids and values in ascending order of the ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &T)> + DoubleEndedIterator {
        self.entries.iter().map(|(id, value)| (*id, value))
    }

    /// Values in ascending order of the ids.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Values in ascending order of the ids, to change them.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The nth value in ascending order of the ids.
    pub(crate) fn nth_mut(&mut self, index: usize) -> Option<&mut T> {
        self.entries.get_mut(index).map(|(_, value)| value)
    }

    /// Usually `id == index`, so that looks first.
    fn place(&self, id: u32) -> Result<usize, usize> {
        let guess = id as usize;
        if self.entries.get(guess).is_some_and(|entry| entry.0 == id) {
            return Ok(guess);
        }
        self.entries.binary_search_by_key(&id, |entry| entry.0)
    }
}

impl<T> FromIterator<(u32, T)> for IdMap<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(iter: I) -> Self {
        let mut entries: Vec<(u32, T)> = iter.into_iter().collect();
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_by_key(|entry| entry.0);
            entries.dedup_by_key(|entry| entry.0);
        }
        Self { entries }
    }
}

impl<T: Serialize> Serialize for IdMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (id, value) in &self.entries {
            map.serialize_entry(id, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for IdMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = IdMap<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object whose keys are ids")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<IdMap<T>, A::Error> {
                let mut entries = Vec::with_capacity(access.size_hint().unwrap_or(0).min(1 << 16));
                while let Some(entry) = access.next_entry::<u32, T>()? {
                    entries.push(entry);
                }
                Ok(entries.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}
