//! Programs, between which the supervisor divides its resources.
//!
//! A program is a child of the first process under the filter with all its descendants, as far as they belong to one
//! user. In `sh -c 'a & b & wait'`, `a` and `b` are two programs, and the shell is a third. Processes whose ancestors
//! ended before their first call are one program per user, so that no process gains resources by leaving its parent.
//! Between processes of one user, this keeps apart those that disturb each other, not attackers: they can also trace
//! one another.

use crate::serve::proc::fields;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicI32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// A program: processes of one user that descend from the same child of the first process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    user: u32,
    /// The number of the child of the first process from which they descend; 0 for orphans.
    branch: i32,
}

/// The resources that a program uses.
#[derive(Default, Debug)]
pub struct Account {
    /// The number of open files.
    pub files: AtomicUsize,
    /// The bytes that its files keep.
    pub bytes: Bytes,
    /// The number of threads that work for it alone.
    pub threads: AtomicUsize,
    /// The number of calls that wait at its files.
    pub parked: AtomicUsize,
}

/// The number of bytes that files keep: those of one program, and those of all.
#[derive(Default, Debug)]
pub struct Bytes {
    own: AtomicUsize,
    all: Arc<AtomicUsize>,
}

/// The largest numbers of bytes that files may keep.
#[derive(Clone, Copy, Debug)]
pub struct MostBytes {
    /// Those of one program.
    pub of_program: usize,
    /// Those of all programs.
    pub in_all: usize,
}

impl Bytes {
    /// Counts `n` more bytes.
    pub fn add(&self, n: usize) {
        self.own.fetch_add(n, Ordering::Relaxed);
        self.all.fetch_add(n, Ordering::Relaxed);
    }

    /// Counts `n` bytes less.
    pub fn subtract(&self, n: usize) {
        self.own.fetch_sub(n, Ordering::Relaxed);
        self.all.fetch_sub(n, Ordering::Relaxed);
    }

    /// The limit that `more` bytes would exceed, in words.
    pub fn excess(&self, more: usize, most: MostBytes) -> Option<String> {
        let exceeds = |count: &AtomicUsize, most| count.load(Ordering::Relaxed).saturating_add(more) > most;
        if exceeds(&self.own, most.of_program) {
            return Some(format!("the program's files keep {} bytes", most.of_program));
        }
        exceeds(&self.all, most.in_all).then(|| format!("the files of all programs keep {} bytes", most.in_all))
    }
}

impl Account {
    /// Adds one to a count; returns false if the count is `most` already.
    pub fn take(count: &AtomicUsize, most: usize) -> bool {
        let taken = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < most).then_some(n + 1));
        taken.is_ok()
    }
}

/// All programs of a supervisor.
pub struct Programs {
    /// The program's first process; 0 when it has ended, as its number may then be another's.
    first: AtomicI32,
    /// The program of each thread. A thread's number is not reused within [`FRESH`], unless all numbers are used up in
    /// that time. Then a request may be counted for the wrong program.
    known: Mutex<HashMap<i32, (Instant, Program)>>,
    accounts: Mutex<HashMap<Program, Weak<Account>>>,
    /// The number of bytes that the files of all programs keep.
    bytes: Arc<AtomicUsize>,
}

/// How long the program of a thread is remembered.
const FRESH: Duration = Duration::from_secs(1);

/// The number of threads whose program is remembered.
const MAX_KNOWN: usize = 1024;

/// The largest number of ancestors that are examined. A process with more is counted as an orphan.
const MAX_ANCESTORS: usize = 64;

impl Programs {
    /// The programs among the descendants of the process `first`.
    pub fn new(first: i32) -> Self {
        Self {
            first: AtomicI32::new(first),
            known: Mutex::default(),
            accounts: Mutex::default(),
            bytes: Arc::default(),
        }
    }

    /// From now on, nobody descends from the first process, which has ended.
    pub fn first_has_ended(&self) {
        self.first.store(0, Ordering::Relaxed);
    }

    /// The program that a thread belongs to.
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
        // The fields are the real, effective, saved and file system user.
        let user = users.as_deref().and_then(|users| users.split_ascii_whitespace().nth(1)?.parse().ok()).unwrap_or(0);
        let (mut process, mut parent) =
            (number(process.as_deref()).unwrap_or(0), number(parent.as_deref()).unwrap_or(0));
        for _ in 0..MAX_ANCESTORS {
            let first = self.first.load(Ordering::Relaxed);
            if first != 0 && (process == first || parent == first) {
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

    /// The resources that a program uses.
    pub fn account(&self, program: Program) -> Arc<Account> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get(&program).and_then(Weak::upgrade) {
            return account;
        }
        accounts.retain(|_, account| account.strong_count() > 0);
        let bytes = Bytes { all: self.bytes.clone(), ..Bytes::default() };
        let account = Arc::new(Account { bytes, ..Account::default() });
        accounts.insert(program, Arc::downgrade(&account));
        account
    }
}
