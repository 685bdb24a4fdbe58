//! Whose turn it is to test a driver: one thread does, and the others wait for the outcome.
//!
//! A driver's code may look up other drivers, which are tested then. So a thread that tests one driver can wait for a thread
//! that tests a second, and that one for a third. The wait that would close such a circle would never end, so it is refused.

use crate::driver::Driver;
use std::{
    ptr,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// The tests that are running, and the threads that wait for one.
struct Tests {
    running: Vec<Running>,
    /// Each thread that waits, and the driver whose test it waits for.
    waiting: Vec<(ThreadId, DriverId)>,
}

struct Running {
    driver: DriverId,
    thread: ThreadId,
    /// Whether the test has come back to the driver under test, which only its own code can have done.
    looked_up: bool,
}

/// The address of a driver.
type DriverId = usize;

/// The address of a variable of the thread. The standard library's name for a thread has a destructor, which would tie the
/// thread to the library.
type ThreadId = usize;

static TESTS: Mutex<Tests> = Mutex::new(Tests { running: Vec::new(), waiting: Vec::new() });

/// Is signalled when a test ends.
static ENDED: Condvar = Condvar::new();

/// The answer to a thread that needs a driver's outcome.
pub(crate) enum Turn {
    /// The outcome is known.
    Over,
    /// The thread runs the test, and keeps this value until it has stored the outcome.
    Own(Own),
    /// The driver is being tested, by this thread or by one that waits for it, through others perhaps.
    Circle,
}

/// The right to test a driver. Without an outcome, another thread gets it after this one.
pub(crate) struct Own(DriverId);

/// Waits for the outcome of the driver's test, unless that is the caller's own business.
pub(crate) fn take(driver: &Driver) -> Turn {
    let (driver_id, thread) = (ptr::from_ref(driver).addr(), this_thread());
    let mut tests = lock();
    loop {
        if driver.selftest.get().is_some() {
            return Turn::Over;
        }
        if tests.leads_to(driver_id, thread) {
            tests.running_of(driver_id).expect("it is what leads there").looked_up = true;
            return Turn::Circle;
        }
        if tests.running_of(driver_id).is_none() {
            tests.running.push(Running { driver: driver_id, thread, looked_up: false });
            return Turn::Own(Own(driver_id));
        }
        tests.waiting.push((thread, driver_id));
        tests = ENDED.wait(tests).unwrap_or_else(PoisonError::into_inner);
        tests.waiting.retain(|(waiting, _)| *waiting != thread);
    }
}

impl Own {
    /// Whether the driver's code has looked the driver up.
    pub(crate) fn looked_up(&self) -> bool {
        lock().running_of(self.0).is_some_and(|test| test.looked_up)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut tests = lock();
        tests.running.retain(|test| test.driver != self.0);
        if tests.running.is_empty() {
            tests.running = Vec::new(); // nothing is left behind when the library is unloaded
        }
        ENDED.notify_all();
    }
}

impl Tests {
    fn running_of(&mut self, driver: DriverId) -> Option<&mut Running> {
        self.running.iter_mut().find(|test| test.driver == driver)
    }

    /// Whether the outcome of `driver` has to wait for `thread`. There is no circle yet, so the way ends.
    fn leads_to(&mut self, mut driver: DriverId, thread: ThreadId) -> bool {
        while let Some(test) = self.running.iter().find(|test| test.driver == driver) {
            if test.thread == thread {
                return true;
            }
            let Some((_, next)) = self.waiting.iter().find(|(waiting, _)| *waiting == test.thread) else {
                return false;
            };
            driver = *next;
        }
        false
    }
}

fn lock() -> MutexGuard<'static, Tests> {
    TESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn this_thread() -> ThreadId {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}
