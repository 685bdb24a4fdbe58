//! Round keys of the inverse cipher, computed when a key first decrypts.
//!
//! Many keys never decrypt: CTR, GCM, CCM and the MACs only encrypt, and a connection has a key for each direction. So
//! the first thread that decrypts computes these keys. No thread waits: one that finds another computing them works
//! with a copy of the key.

use super::RoundKeys;
use core::{
    cell::UnsafeCell,
    sync::atomic::{AtomicU8, Ordering},
};

/// The schedule of the equivalent inverse cipher, or an empty place for it.
pub(crate) struct Inverse {
    state: AtomicU8,
    keys: UnsafeCell<RoundKeys>,
}

/// There are no keys; the place holds zeros.
const UNMADE: u8 = 0;
/// One thread is writing the keys.
const BEING_MADE: u8 = 1;
/// The keys are complete, and nobody writes to them any more.
const MADE: u8 = 2;

// SAFETY: in state MADE, shared references only read the keys, and no shared reference changes that state. In any other
// state, only the thread that changed it from UNMADE to BEING_MADE accesses the keys.
unsafe impl Sync for Inverse {}

impl Inverse {
    pub(crate) fn unmade() -> Self {
        Self { state: AtomicU8::new(UNMADE), keys: UnsafeCell::new(RoundKeys::unset()) }
    }

    /// The keys, if they have been made.
    #[inline(always)]
    pub(crate) fn made(&self) -> Option<&RoundKeys> {
        // SAFETY: nobody writes to the keys in state MADE, and the Acquire load makes all earlier writes visible.
        (self.state.load(Ordering::Acquire) == MADE).then(|| unsafe { &*self.keys.get() })
    }

    /// Has `make` write the keys, unless they exist. Returns whether they exist now; they do not if another thread is
    /// writing them.
    pub(crate) fn make(&self, make: impl FnOnce(&mut RoundKeys)) -> bool {
        match self.state.compare_exchange(UNMADE, BEING_MADE, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                // SAFETY: only one thread can change the state from UNMADE, and this thread has.
                make(unsafe { &mut *self.keys.get() });
                self.state.store(MADE, Ordering::Release);
                true
            }
            Err(state) => state == MADE,
        }
    }

    /// Wipes the keys, if there are any, and makes the place empty.
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
