//! Round keys of the inverse cipher, made when a key first decrypts.
//!
//! Many keys never do: CTR, GCM, CCM and the MACs only encrypt, and a connection has a key for each direction. So the
//! first who decrypts makes them. Nobody waits for anybody: who finds another thread at it works with a copy.

use super::RoundKeys;
use core::{
    cell::UnsafeCell,
    sync::atomic::{AtomicU8, Ordering},
};

/// The schedule of the equivalent inverse cipher, or the place for it.
pub(crate) struct Inverse {
    state: AtomicU8,
    keys: UnsafeCell<RoundKeys>,
}

/// Nothing is there but zeros.
const UNMADE: u8 = 0;
/// One thread writes.
const BEING_MADE: u8 = 1;
/// Nobody writes any more.
const MADE: u8 = 2;

// SAFETY: a shared reference gives shared access to the keys when they are MADE, and the state is never left again through a
// shared reference; before, it gives access to the one thread that took the state from UNMADE to BEING_MADE.
unsafe impl Sync for Inverse {}

impl Inverse {
    pub(crate) fn unmade() -> Self {
        Self { state: AtomicU8::new(UNMADE), keys: UnsafeCell::new(RoundKeys::unset()) }
    }

    /// The keys, if they have been made.
    #[inline(always)]
    pub(crate) fn made(&self) -> Option<&RoundKeys> {
        // SAFETY: nobody writes to what is MADE, and Acquire sees all that was written before.
        (self.state.load(Ordering::Acquire) == MADE).then(|| unsafe { &*self.keys.get() })
    }

    /// Has `make` write the keys; whether they are there. They are not if another thread is at it.
    pub(crate) fn make(&self, make: impl FnOnce(&mut RoundKeys)) -> bool {
        match self.state.compare_exchange(UNMADE, BEING_MADE, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                // SAFETY: of all threads, this one took the state from UNMADE.
                make(unsafe { &mut *self.keys.get() });
                self.state.store(MADE, Ordering::Release);
                true
            }
            Err(state) => state == MADE,
        }
    }

    /// Wipes the keys, if there are any.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        if *self.state.get_mut() != UNMADE {
            self.keys.get_mut().wipe();
            *self.state.get_mut() = UNMADE;
        }
    }
}

impl Clone for Inverse {
    fn clone(&self) -> Self {
        match self.made() {
            Some(keys) => Self { state: AtomicU8::new(MADE), keys: UnsafeCell::new(keys.clone()) },
            None => Self::unmade(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Barrier, thread};

    fn schedule(byte: u8) -> RoundKeys {
        RoundKeys::expand(&[byte; 16], |word| word).unwrap()
    }

    #[test]
    fn one_thread_makes_and_the_others_see_all_or_nothing() {
        for _ in 0..200 {
            let (inverse, barrier, want) = (Inverse::unmade(), Barrier::new(4), schedule(7));
            let makers = thread::scope(|scope| {
                let makers = [(); 4].map(|()| {
                    scope.spawn(|| {
                        barrier.wait();
                        let mut made_here = false;
                        let there = inverse.make(|keys| {
                            assert!(inverse.made().is_none(), "seen before it was made");
                            *keys = schedule(7);
                            made_here = true;
                        });
                        assert!(!there || inverse.made().unwrap().keys() == want.keys());
                        made_here
                    })
                });
                makers.into_iter().map(|maker| u8::from(maker.join().unwrap())).sum::<u8>()
            });
            assert_eq!(makers, 1);
            assert_eq!(inverse.clone().made().unwrap().keys(), want.keys());
        }
    }

    #[test]
    fn who_comes_while_another_makes_is_told() {
        let inverse = Inverse::unmade();
        assert!(inverse.make(|keys| {
            assert!(!inverse.make(|_| unreachable!("two makers")));
            assert!(inverse.clone().make(|copy| *copy = schedule(1)), "a copy is nobody's yet");
            *keys = schedule(2);
        }));
        assert!(inverse.make(|_| unreachable!("made already")));
        assert_eq!(inverse.made().unwrap().keys(), schedule(2).keys());
    }

    #[test]
    fn forgotten_keys_are_wiped() {
        let mut inverse = Inverse::unmade();
        inverse.forget();
        assert!(inverse.make(|keys| *keys = schedule(3)));
        inverse.forget();
        assert!(inverse.made().is_none());
        assert!(inverse.keys.get_mut().keys().as_flattened().iter().all(|&byte| byte == 0));
    }
}
