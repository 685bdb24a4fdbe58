//! Whose request it is, as far as it decides how much of the supervisor a program may use.
//!
//! A program is what the first one under the filter has started, with all its descendants, as far as they belong to one user:
//! of `sh -c 'a & b & wait'`, `a` and `b` are two, and the shell is a third. Processes whose ancestors have ended before they asked
//! for anything are one program for each user, so that nobody gets more by leaving its parent. Among processes of one user
//! this keeps apart what gets in each other's way, not what attacks: they can also trace one another.

use crate::serve::proc::fields;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// A program, with its children.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    user: u32,
    /// The descendant of the first program that its processes descend from; 0 for orphans.
    branch: i32,
}

/// What a program has.
#[derive(Default, Debug)]
pub struct Account {
    /// Files.
    pub files: AtomicUsize,
    /// Bytes that its files keep.
    pub bytes: AtomicUsize,
    /// Threads that it has to itself.
    pub threads: AtomicUsize,
    /// Calls that wait at its files.
    pub parked: AtomicUsize,
}

impl Account {
    /// Counts one more of something, unless there are `most` already.
    pub fn take(count: &AtomicUsize, most: usize) -> bool {
        let taken = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < most).then_some(n + 1));
        taken.is_ok()
    }
}

/// All programs.
pub struct Programs {
    first: i32,
    /// By thread. Threads and their numbers do not change hands within [`FRESH`] unless all numbers are used up in it, and then a
    /// request may be counted for the wrong program.
    known: Mutex<HashMap<i32, (Instant, Program)>>,
    accounts: Mutex<HashMap<Program, Weak<Account>>>,
}

/// How long it is remembered what program a thread is part of.
const FRESH: Duration = Duration::from_secs(1);

/// Threads that are remembered.
const MAX_KNOWN: usize = 1024;

/// Ancestors that are looked at. Who has more is counted with the orphans.
const MAX_ANCESTORS: usize = 64;

impl Programs {
    /// Those under the filter of the process `first`.
    pub fn new(first: i32) -> Self {
        Self { first, known: Mutex::default(), accounts: Mutex::default() }
    }

    /// The program that a thread is part of.
    pub fn of(&self, tid: i32) -> Program {
        let now = Instant::now();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&tid) {
            Some((since, program)) if now.duration_since(*since) < FRESH => return *program,
            _ => {}
        }
        drop(known);
        let program = self.find(tid);
        known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(tid, (now, program));
        program
    }

    fn find(&self, tid: i32) -> Program {
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<i32>().ok());
        let [process, parent, users] = fields(tid, ["Tgid", "PPid", "Uid"]);
        // Real, effective, saved, and that of the file system.
        let user = users.as_deref().and_then(|users| users.split_ascii_whitespace().nth(1)?.parse().ok()).unwrap_or(0);
        let (mut process, mut parent) =
            (number(process.as_deref()).unwrap_or(0), number(parent.as_deref()).unwrap_or(0));
        for _ in 0..MAX_ANCESTORS {
            if process == self.first || parent == self.first {
                return Program { user, branch: process };
            }
            if parent <= 1 || parent as u32 == std::process::id() {
                break;
            }
            process = parent;
            let [next] = fields(parent, ["PPid"]);
            parent = number(next.as_deref()).unwrap_or(0);
        }
        Program { user, branch: 0 }
    }

    /// What a program has.
    pub fn account(&self, program: Program) -> Arc<Account> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get(&program).and_then(Weak::upgrade) {
            return account;
        }
        accounts.retain(|_, account| account.strong_count() > 0);
        let account = Arc::default();
        accounts.insert(program, Arc::downgrade(&account));
        account
    }
}
