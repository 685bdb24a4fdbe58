//! A question on the terminal whose answer is not shown.

use nix::sys::{
    signal::{SigSet, SigmaskHow, Signal, raise},
    signalfd::{SfdFlags, SignalFd},
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::retry_on_intr,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};
use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::AsFd,
};

/// Signals that may end or stop the process, or tell it that it goes on. SIGTTIN and SIGTTOU are not among them: a process gets them when it is in the
/// background, where the terminal is another's.
const SIGNALS: [Signal; 12] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
    Signal::SIGTSTP,
    Signal::SIGCONT,
];

/// The terminal, which shows nothing of what is typed until this is dropped. Signals wait while it is so. When one comes, the terminal is put back
/// first, and then the signal does what it would do without this. If the process goes on after it, the question is asked again.
pub struct Hidden<'a> {
    terminal: File,
    question: &'a str,
    shown: Termios,
    hidden: Termios,
    signals: SignalFd,
    /// The signals that waited before.
    waited: SigSet,
}

impl<'a> Hidden<'a> {
    pub fn ask(question: &'a str) -> io::Result<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty");
        // A process without a terminal of its own may have another's as its input.
        let terminal = terminal.or_else(|_| io::stdin().as_fd().try_clone_to_owned().map(File::from))?;
        let shown = tcgetattr(&terminal)?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        let set: SigSet = SIGNALS.into_iter().collect();
        let signals = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let waited = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        // From here on, dropping it puts everything back.
        let mut asked = Self { terminal, question, shown, hidden, signals, waited };
        asked.hide()?;
        Ok(asked)
    }

    fn hide(&mut self) -> io::Result<()> {
        tcsetattr(&self.terminal, OptionalActions::Flush, &self.hidden)?;
        self.terminal.write_all(self.question.as_bytes())
    }

    fn show(&mut self) {
        // Nobody is left to tell if this fails.
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.shown);
        let _ = self.terminal.write_all(b"\n");
    }

    /// Lets a signal do what it does.
    fn answer(&mut self, signal: Signal) -> io::Result<()> {
        self.show();
        raise(signal)?;
        // Now it comes.
        let waiting = self.waited.thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        waiting.thread_set_mask()?;
        self.hide()
    }
}

impl Read for Hidden<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let typed = {
                let mut files = [PollFd::new(&self.terminal, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
                retry_on_intr(|| poll(&mut files, None))?;
                files[1].revents().is_empty()
            };
            if typed {
                return self.terminal.read(buf);
            }
            let signal = self.signals.read_signal()?.and_then(|told| i32::try_from(told.ssi_signo).ok());
            if let Some(signal) = signal.and_then(|number| Signal::try_from(number).ok()) {
                self.answer(signal)?;
            }
        }
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        self.show();
        let _ = self.waited.thread_set_mask();
    }
}
