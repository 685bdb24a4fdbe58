//! Requests that run on other threads.

use super::{STACK, Server};
use crate::serve::{client, pool::Job, program::Account, request::Request};
use algkit_afalg::Errno;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::Ordering,
};

/// The largest numbers of threads for requests that may take as long as a client likes: in all, and for one program.
const MAX_OWN_THREADS: usize = 32;
const MAX_OWN_THREADS_OF_PROGRAM: usize = 8;

impl Server {
    /// Lets `job` run for `request` without delaying other requests, on this thread or on another.
    pub fn employ(&self, request: Request, job: impl FnOnce(&Self) + Send + 'static) {
        let job: Job<Self> = Box::new(job);
        if let Some(job) = self.pool.go_away(request, self.programs.of(request.tid), job) {
            job(self);
        }
    }

    /// Runs `job` on a thread of its own, because it may take as long as a client likes. Its result is that of the request.
    pub fn on_own_thread(
        &self,
        request: Request,
        job: impl FnOnce(&Self) -> Result<i64, Errno> + Send + 'static,
    ) -> Result<(), Errno> {
        let server = self.own.upgrade().ok_or(Errno::AGAIN)?;
        let account = self.programs.account(self.programs.of(request.tid));
        let refused = |whose: &str| {
            self.tell(request, format_args!("refused to wait for a pipe: {whose} threads for that wait"));
            Errno::AGAIN
        };
        if !Account::take(&self.own_threads, MAX_OWN_THREADS) {
            return Err(refused("all"));
        }
        if !Account::take(&account.threads, MAX_OWN_THREADS_OF_PROGRAM) {
            self.own_threads.fetch_sub(1, Ordering::Relaxed);
            return Err(refused("all of the program's"));
        }
        let count = account.clone();
        let work = move || {
            client::set(request.tid);
            let result = catch_unwind(AssertUnwindSafe(|| job(&server))).unwrap_or(Err(Errno::IO));
            // The client may ask for the next thread as soon as it has its answer.
            count.threads.fetch_sub(1, Ordering::Relaxed);
            server.own_threads.fetch_sub(1, Ordering::Relaxed);
            server.target(request).answer(result);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(work).map(drop).map_err(|_| {
            account.threads.fetch_sub(1, Ordering::Relaxed);
            self.own_threads.fetch_sub(1, Ordering::Relaxed);
            Errno::AGAIN
        })
    }
}
