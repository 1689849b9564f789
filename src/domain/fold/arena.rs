//! A list whose places are only ever named by numbers that it gave out.
use std::ops::{Index, IndexMut};

/// Holds what one fold works on; its indexes never leave that fold.
#[derive(Debug, Default)]
pub(super) struct Arena<T>(Vec<T>);

impl<T> Arena<T> {
    /// Adds one and gives out its number.
    pub(super) fn add(&mut self, item: T) -> usize {
        self.0.push(item);
        self.0.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_vec(self) -> Vec<T> {
        self.0
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Every number given out, in order.
    pub(super) fn ids(&self) -> std::ops::Range<usize> {
        0..self.0.len()
    }
}

impl<T: Clone> Arena<T> {
    /// As many places as another arena has.
    pub(super) fn beside<O>(other: &Arena<O>, item: T) -> Self {
        Self(vec![item; other.len()])
    }
}

impl<T> From<Vec<T>> for Arena<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

#[expect(clippy::indexing_slicing, reason = "numbers come from this arena or from one made beside it")]
impl<T> Index<usize> for Arena<T> {
    type Output = T;

    fn index(&self, id: usize) -> &T {
        &self.0[id]
    }
}

#[expect(clippy::indexing_slicing, reason = "numbers come from this arena or from one made beside it")]
impl<T> IndexMut<usize> for Arena<T> {
    fn index_mut(&mut self, id: usize) -> &mut T {
        &mut self.0[id]
    }
}
