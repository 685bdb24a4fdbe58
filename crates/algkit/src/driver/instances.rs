//! Recognizes, in a list of jobs, the instances of one driver.

use super::MAX_JOBS;
use algkit_primitives::hash::Job;
use arrayvec::ArrayVec;
use std::{any::Any, ptr};

/// A list of jobs on the stack, as long as a driver accepts at once.
///
/// A list is filled where it stays, by [`put`] or `extend`. `collect` makes it elsewhere and moves all of it, which takes
/// as long as hashing a short message.
pub(crate) type Jobs<J> = ArrayVec<J, MAX_JOBS>;

/// Adds a job to a list that has room for it. `push` would also compile formatting code for each job type.
#[inline]
pub(crate) fn put<J>(jobs: &mut Jobs<J>, job: J) {
    assert!(jobs.try_push(job).is_ok(), "more jobs than a driver gets at once");
}

/// Recognizes the instances of one driver. It remembers the last one, because jobs under one key follow each other
/// and a type check costs as much as a block.
pub(crate) struct Instances<'a, T>(Option<&'a T>);

impl<'a, T: 'static> Instances<'a, T> {
    /// Starts without a remembered instance.
    pub(crate) fn new() -> Self {
        Self(None)
    }

    /// `instance` as a `T`, if it is one.
    #[inline]
    pub(crate) fn find(&mut self, instance: &'a dyn Any) -> Option<&'a T> {
        if !self.0.is_some_and(|last| ptr::addr_eq(last, instance)) {
            self.0 = instance.downcast_ref();
        }
        self.0
    }
}

/// Calls `together` with the jobs whose instance `get` recognizes, and `single` with each of the others.
pub(crate) fn each_of<'a, O: ?Sized, S: 'static>(
    jobs: &mut [Job<'a, O>],
    mut get: impl FnMut(&'a O) -> Option<&'a S>,
    single: impl Fn(&O, &[&[u8]], &mut [u8]),
    together: impl Fn(&mut [Job<'_, S>]),
) {
    for jobs in jobs.chunks_mut(MAX_JOBS) {
        let mut found = Jobs::new();
        for Job { state, parts, out } in jobs {
            match get(state) {
                Some(state) => put(&mut found, Job { state, parts, out }),
                None => single(state, parts, out),
            }
        }
        together(&mut found);
    }
}
