//! The files that are served: from their numbers in a program to their end.

use super::{Server, lock};
use crate::serve::{
    closed::Closed,
    listings::Listings,
    proc,
    program::Account,
    served::{Served, State},
    target::Target,
};
use algkit_afalg::{Errno, File, cryptodev::Device, proc_crypto};
use rustix::{
    event::{
        Timespec,
        epoll::{self, EventData, EventFlags},
    },
    net::sockopt,
};
use std::{
    collections::HashMap,
    mem::MaybeUninit,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
};

/// The files that are served.
#[derive(Default)]
pub(super) struct Files {
    pub(super) by_cookie: HashMap<u64, Arc<Served>>,
    cookies: HashMap<u64, u64>,
}

impl Files {
    pub(super) fn insert(&mut self, served: Arc<Served>) {
        self.cookies.insert(served.inode, served.cookie);
        self.by_cookie.insert(served.cookie, served);
    }

    pub(super) fn remove(&mut self, cookie: u64) -> Option<Arc<Served>> {
        let served = self.by_cookie.remove(&cookie)?;
        if self.cookies.get(&served.inode) == Some(&cookie) {
            self.cookies.remove(&served.inode);
        }
        Some(served)
    }

    pub(super) fn of_inode(&self, inode: u64) -> Option<&Arc<Served>> {
        self.by_cookie.get(self.cookies.get(&inode)?)
    }
}

/// A file, and the target's end of it, if that could be fetched.
type Found = (Arc<Served>, Option<OwnedFd>);

impl Server {
    /// The file that the target's descriptor refers to. Only numbers in the ranges are looked up. [`Errno::BADF`] if there is no
    /// such descriptor. Such a call is not left to the kernel: by then the number may be a served file's, and the call would wait
    /// at the socket that stands for it.
    pub fn find(&self, target: &Target<'_>, fd: i32) -> Result<Option<Arc<Served>>, Errno> {
        Ok(self.find_with_end(target, fd)?.map(|(served, _)| served))
    }

    /// The same, with the target's end of the file.
    pub fn find_with_end(&self, target: &Target<'_>, fd: i32) -> Result<Option<Found>, Errno> {
        if !self.ranges.contains(fd) {
            return Ok(None);
        }
        let found = match self.handles.fetch(target.request.tid, fd) {
            Ok(theirs) => {
                let cookie = sockopt::socket_cookie(&theirs).ok();
                cookie.and_then(|cookie| lock(&self.files).by_cookie.get(&cookie).cloned()).zip(Some(Some(theirs)))
            }
            // `pidfd_getfd` is forbidden, or finds nothing, so the file is found by its inode.
            Err(_) => match proc::socket(target.request.tid, fd) {
                Ok(inode) => lock(&self.files).of_inode(inode).cloned().zip(Some(None)),
                Err(Errno::NOENT) => return Err(Errno::BADF),
                Err(_) => None,
            },
        };
        Ok(found.filter(|_| target.valid()))
    }

    /// Gives the target a descriptor by `give`, under a number in the ranges that is not below `least`.
    pub fn number<R>(
        &self,
        target: &Target<'_>,
        least: u32,
        give: impl FnOnce(u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        // Two threads must not find the same number, so it is recorded until the descriptor has it. To look for one may take long, and other
        // programs must not wait for that. So whoever comes second looks again, also at whether the first has meanwhile given the number.
        let number = loop {
            let giving = lock(&self.giving).clone();
            let mut number = Err(Errno::MFILE);
            for range in self.ranges.all() {
                let taken = |number| giving.contains(&number);
                number = target.free_number(range.start..range.end, least, taken);
                if number != Err(Errno::MFILE) {
                    break;
                }
            }
            let Ok(found) = number else { break number };
            if !lock(&self.giving).insert(found) {
                continue;
            }
            match target.is_free(found) {
                Ok(true) => break number,
                Ok(false) => _ = lock(&self.giving).remove(&found),
                Err(error) => {
                    lock(&self.giving).remove(&found);
                    break Err(error);
                }
            }
        };
        let number = number.inspect_err(|&error| {
            let reason = match error {
                Errno::MFILE => "no number is free where files are served",
                // The program is not dumpable.
                _ => "the program does not let its descriptors be listed",
            };
            self.tell(target.request, format_args!("refused a file: {reason}"));
        })?;
        let given = give(number);
        lock(&self.giving).remove(&number);
        given
    }

    /// Serves `file`. `give` gives the target the descriptor under a number.
    pub fn serve<R>(
        &self,
        target: &Target<'_>,
        file: File,
        nonblocking: bool,
        give: impl FnOnce(OwnedFd, u32) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let account = self.programs.account(self.programs.of(target.request.tid));
        if !Account::take(&account.files, self.most_files_of_program) {
            // Some files may have been closed whose hangups have not been handled.
            self.take_hangups();
            if !Account::take(&account.files, self.most_files_of_program) {
                let most = self.most_files_of_program;
                self.tell(target.request, format_args!("refused a file: the program has {most} open"));
                return Err(Errno::MFILE);
            }
        }
        let (served, theirs) = match Served::new(file, nonblocking, account.clone()) {
            Ok(made) => made,
            Err(error) => {
                account.files.fetch_sub(1, Ordering::Relaxed);
                return Err(error);
            }
        };
        let (cookie, served) = (served.cookie, Arc::new(served));
        {
            let mut files = lock(&self.files);
            if files.by_cookie.len() >= self.most_files {
                drop(files);
                self.take_hangups();
                files = lock(&self.files);
            }
            if files.by_cookie.len() >= self.most_files {
                drop(files);
                self.tell(target.request, format_args!("refused a file: all programs have {} open", self.most_files));
                return Err(Errno::NFILE);
            }
            // epoll always reports hangups.
            epoll::add(&self.hangups, served.socket(), EventData::new_u64(cookie), EventFlags::empty())?;
            files.insert(served);
        }
        // On failure, `theirs` is closed, and the file is removed after the hangup.
        self.number(target, 0, |number| give(theirs, number))
    }

    /// The text of `/proc/crypto`, counted for the target's program.
    pub fn list(&self, target: &Target<'_>) -> Result<OwnedFd, Errno> {
        // It says how many use each algorithm.
        self.take_hangups();
        let text = proc_crypto::file()?;
        let account = self.programs.account(self.programs.of(target.request.tid));
        self.listings.count(&text, account, self.most_bytes).inspect_err(|&error| match error {
            Errno::NOMEM => self.tell(target.request, format_args!("refused /proc/crypto: files keep too many bytes")),
            _ => self.tell(target.request, format_args!("refused /proc/crypto: inotify: {error}")),
        })?;
        Ok(text)
    }

    /// The texts of `/proc/crypto` that programs have open.
    pub fn listings(&self) -> &Listings {
        &self.listings
    }

    /// Closes the files that the target has closed.
    pub fn take_hangups(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); 64];
        let mut closed = Closed::default();
        // A second thread finds no event here and must wait until the first one has closed these files.
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served, &mut closed));
        while let Ok((events, _)) = epoll::wait(&self.hangups, &mut room, Some(&now)) {
            if events.is_empty() {
                break;
            }
            for event in events.iter() {
                let Some(served) = lock(&self.files).remove(event.data.u64()) else { continue };
                let _ = epoll::delete(&self.hangups, served.socket());
                if !self.close(&served, &mut closed) {
                    closing.push(served);
                    self.ring();
                }
            }
        }
    }

    /// Closes the files on which a thread worked when the target closed them. Returns whether one still does.
    pub fn close_left(&self) -> bool {
        let mut closed = Closed::default();
        let mut closing = lock(&self.closing);
        closing.retain(|served| !self.close(served, &mut closed));
        !closing.is_empty()
    }

    /// Ends the calls that wait at a closed file, whose contents go to `closed`. Returns false if a thread works on the file.
    fn close(&self, served: &Served, closed: &mut Closed) -> bool {
        let Some(mut state) = served.try_lock() else { return false };
        state.closed = true;
        // Another thread may keep the file for a moment, so its contents are taken now.
        closed.push(std::mem::replace(&mut state.file, File::Device(Device::new())));
        let parked = std::mem::take(&mut state.parked);
        self.count_parked(served, &state);
        drop(state);
        for parked in parked {
            self.target(parked.request).answer(parked.transfer.interrupt(Errno::BADF));
        }
        true
    }

    /// Updates the count of calls that wait at a file, and returns the previous count of all files.
    pub(super) fn count_parked(&self, served: &Served, state: &State) -> usize {
        let (now, before) = (state.parked.len(), served.parked.swap(state.parked.len(), Ordering::Relaxed));
        // The difference may be negative, so it wraps around, as the sums do.
        let more = now.wrapping_sub(before);
        served.account.parked.fetch_add(more, Ordering::Relaxed);
        self.parked.fetch_add(more, Ordering::Relaxed)
    }

    /// Adds the statistics of all files to the totals, except for files that a thread works on.
    pub fn settle(&self) {
        let files: Vec<_> = lock(&self.files).by_cookie.values().cloned().collect();
        files.iter().filter_map(|served| served.try_lock()).for_each(|mut state| state.file.settle());
    }

    /// Whether any file is served.
    pub fn has_files(&self) -> bool {
        !lock(&self.files).by_cookie.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_that_is_gone_nothing_is_kept() {
        let (served, _theirs) = Served::new(File::Device(Device::new()), false, Arc::default()).expect("a file");
        let (cookie, inode) = (served.cookie, served.inode);
        let mut files = Files::default();
        files.insert(Arc::new(served));
        assert!(files.of_inode(inode).is_some());
        files.remove(cookie).expect("a file");
        assert!(files.by_cookie.is_empty() && files.cookies.is_empty());
    }
}
