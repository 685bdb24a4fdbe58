//! Many requests in one call.
//!
//! A single message leaves most of a CPU idle wherever one step waits for the step before: in CBC encryption, CMAC,
//! CCM, hashes, and in every short message. Separate messages do not depend on each other. So [`run`] passes all
//! requests of one driver to it together, and the driver processes them side by side, each with its own key, IV and
//! length. [`each`] takes the requests from an iterator instead of a list.
//!
//! ```
//! use algkit::batch::{self, Request};
//!
//! let aead = algkit::aead("ccm(aes)")?.key(&[1; 16])?;
//! let mac = algkit::hash("cmac(aes)")?.key(&[2; 16])?;
//! let iv = |packet: u8| [1, packet, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
//! let ivs = [iv(0), iv(1)];
//! let (mut packets, mut tags, mut digest) = ([[0x55; 100]; 2], [[0; 16]; 2], [0; 16]);
//!
//! let [a, b] = &mut packets;
//! let [tag_a, tag_b] = &mut tags;
//! let mut requests = [
//!     Request::seal(&aead, &ivs[0], b"header", &mut a[..], tag_a),
//!     Request::digest(&mac, b"message", &mut digest),
//!     Request::seal(&aead, &ivs[1], b"header", &mut b[..], tag_b),
//! ];
//! batch::run(&mut requests).check()?;
//! drop(requests); // they hold mutable borrows of the packets
//!
//! let sealed = aead.seal(&ivs[1], b"header", &[0x55; 100])?;
//! assert_eq!(sealed, [&packets[1][..], &tags[1][..]].concat());
//! assert_eq!(mac.digest(b"message"), digest);
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! A request has the same checks, outputs and errors as the call for one message ([`Skcipher::crypt`],
//! [`Aead::encrypt`], [`Aead::decrypt`], [`Hash::digest_into`]). A failed request does not affect the others. [`run`]
//! returns the [`Results`]. Nothing is allocated. A text in several segments is processed alone.

use crate::{
    Aead, Error, Hash, Skcipher, Text,
    driver::{AeadJob, Direction, Driver, HashJob, Jobs, SkcipherJob, put},
};
use std::{fmt, ptr, slice, thread};

/// One operation on a transform, to be executed by [`run`] or [`each`].
pub struct Request<'a> {
    work: Work<'a>,
    state: State,
    /// Empty for a digest. It is a field here and not in each variant of `Work`, so that dropping a request is a
    /// single test.
    text: Text<'a>,
}

enum Work<'a> {
    Crypt { tfm: &'a Skcipher, direction: Direction, iv: &'a mut [u8] },
    Seal { tfm: &'a Aead, iv: &'a [u8], assoc: Pieces<'a>, tag: &'a mut [u8] },
    Open { tfm: &'a Aead, iv: &'a [u8], assoc: Pieces<'a>, tag: &'a [u8], authentic: bool },
    Digest { tfm: &'a Hash, parts: Pieces<'a>, out: &'a mut [u8] },
}

/// The state of a request. A refusal's reason is not stored: [`Request::result`] repeats the checks to find it. So
/// a request has nothing to drop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Pending,
    /// A driver is processing it.
    Begun,
    /// A driver panicked while it processed the request, and the caller caught the panic.
    Interrupted,
    Done,
    Refused,
}

/// Associated data, or a message to be hashed: one piece, or a list of them.
#[derive(Clone, Copy)]
pub struct Pieces<'a>(Inner<'a>);

impl fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pieces({} bytes)", self.list().iter().map(|piece| piece.len()).sum::<usize>())
    }
}

#[derive(Clone, Copy)]
enum Inner<'a> {
    Piece(&'a [u8]),
    List(&'a [&'a [u8]]),
}

impl<'a> Pieces<'a> {
    #[inline]
    fn list(&self) -> &[&'a [u8]] {
        match &self.0 {
            Inner::Piece(piece) => slice::from_ref(piece),
            Inner::List(pieces) => pieces,
        }
    }
}

impl<'a> From<&'a [u8]> for Pieces<'a> {
    #[inline]
    fn from(piece: &'a [u8]) -> Self {
        Self(Inner::Piece(piece))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Pieces<'a> {
    #[inline]
    fn from(piece: &'a [u8; N]) -> Self {
        Self(Inner::Piece(piece))
    }
}

impl<'a> From<&'a Vec<u8>> for Pieces<'a> {
    #[inline]
    fn from(piece: &'a Vec<u8>) -> Self {
        Self(Inner::Piece(piece))
    }
}

impl<'a> From<&'a [&'a [u8]]> for Pieces<'a> {
    #[inline]
    fn from(pieces: &'a [&'a [u8]]) -> Self {
        Self(Inner::List(pieces))
    }
}

impl<'a, const N: usize> From<&'a [&'a [u8]; N]> for Pieces<'a> {
    #[inline]
    fn from(pieces: &'a [&'a [u8]; N]) -> Self {
        Self(Inner::List(pieces))
    }
}

impl<'a> Request<'a> {
    #[inline]
    fn new(work: Work<'a>, text: Text<'a>) -> Self {
        Self { work, state: State::Pending, text }
    }

    /// A request for [`Skcipher::crypt`].
    #[inline]
    pub fn crypt(tfm: &'a Skcipher, direction: Direction, iv: &'a mut [u8], text: impl Into<Text<'a>>) -> Self {
        Self::new(Work::Crypt { tfm, direction, iv }, text.into())
    }

    /// A request for [`Skcipher::encrypt`].
    #[inline]
    pub fn encrypt(tfm: &'a Skcipher, iv: &'a mut [u8], text: impl Into<Text<'a>>) -> Self {
        Self::crypt(tfm, Direction::Encrypt, iv, text)
    }

    /// A request for [`Skcipher::decrypt`].
    #[inline]
    pub fn decrypt(tfm: &'a Skcipher, iv: &'a mut [u8], text: impl Into<Text<'a>>) -> Self {
        Self::crypt(tfm, Direction::Decrypt, iv, text)
    }

    /// A request for [`Aead::encrypt`].
    #[inline]
    pub fn seal(
        tfm: &'a Aead,
        iv: &'a [u8],
        assoc: impl Into<Pieces<'a>>,
        text: impl Into<Text<'a>>,
        tag: &'a mut [u8],
    ) -> Self {
        Self::new(Work::Seal { tfm, iv, assoc: assoc.into(), tag }, text.into())
    }

    /// A request for [`Aead::decrypt`].
    #[inline]
    pub fn open(
        tfm: &'a Aead,
        iv: &'a [u8],
        assoc: impl Into<Pieces<'a>>,
        text: impl Into<Text<'a>>,
        tag: &'a [u8],
    ) -> Self {
        Self::new(Work::Open { tfm, iv, assoc: assoc.into(), tag, authentic: false }, text.into())
    }

    /// A request for [`Hash::digest_into`].
    #[inline]
    pub fn digest(tfm: &'a Hash, parts: impl Into<Pieces<'a>>, out: &'a mut [u8]) -> Self {
        Self::new(Work::Digest { tfm, parts: parts.into(), out }, Text::from(&mut [][..]))
    }

    /// The result that the call for one message would have returned; [`Error::NotRun`] before [`run`], and
    /// [`Error::Unfinished`] if the driver panicked.
    #[inline]
    pub fn result(&self) -> Result<(), Error> {
        match (self.state, &self.work) {
            (State::Done, Work::Open { authentic: false, .. }) => Err(Error::Authentication),
            (State::Done, _) => Ok(()),
            _ => self.objection(),
        }
    }

    /// The reason why the request is not done.
    #[cold]
    #[inline(never)]
    fn objection(&self) -> Result<(), Error> {
        match &self.work {
            _ if self.state == State::Pending => Err(Error::NotRun),
            _ if matches!(self.state, State::Begun | State::Interrupted) => Err(Error::Unfinished),
            // The length is right, so the driver refused it because its integrity check failed (key wrap).
            Work::Crypt { tfm, iv, .. } => tfm.check(iv, self.text.len()).and(Err(Error::Authentication)),
            Work::Seal { tfm, iv, assoc, tag } => tfm.check(iv, assoc.list(), &self.text, tag.len()),
            Work::Open { tfm, iv, assoc, tag, .. } => tfm.check(iv, assoc.list(), &self.text, tag.len()),
            Work::Digest { tfm, out, .. } => tfm.check(out),
        }
    }

    #[inline(always)]
    fn driver(&self) -> &Driver {
        match &self.work {
            Work::Crypt { tfm, .. } => tfm.driver(),
            Work::Seal { tfm, .. } | Work::Open { tfm, .. } => tfm.driver(),
            Work::Digest { tfm, .. } => tfm.driver(),
        }
    }

    /// Whether the driver processes its messages one at a time, so that a list of them gains nothing.
    #[inline(always)]
    fn is_alone(&self) -> bool {
        match &self.work {
            Work::Crypt { tfm, .. } => tfm.ops.lanes() == 1,
            Work::Seal { tfm, .. } | Work::Open { tfm, .. } => tfm.ops.lanes() == 1,
            Work::Digest { .. } => false,
        }
    }

    /// The call for one message. Like the other functions that [`each`] calls for such a request, it is inlined, so that the
    /// request is never in memory.
    #[inline(always)]
    fn run_alone(self) -> Result<(), Error> {
        match self.work {
            Work::Crypt { tfm, direction, iv } => tfm.crypt_text(direction, iv, self.text),
            Work::Seal { tfm, iv, assoc, tag } => tfm.encrypt(iv, assoc.list(), self.text, tag),
            Work::Open { tfm, iv, assoc, tag, .. } => tfm.decrypt(iv, assoc.list(), self.text, tag),
            Work::Digest { tfm, parts, out } => tfm.digest_into(parts.list(), out),
        }
    }

    /// Records the outcome of the checks; returns whether they passed.
    #[inline]
    fn admit(state: &mut State, checked: Result<(), Error>) -> bool {
        *state = if checked.is_ok() { State::Begun } else { State::Refused };
        checked.is_ok()
    }

    /// Marks the request as done, and wipes the text if it is not authentic. It wipes the request's own text, so it
    /// does not matter what a driver did to its view. It is not inlined, for the same reason as [`by_themselves`].
    #[inline(never)]
    fn finish(&mut self) {
        self.state = State::Done;
        if let Work::Open { authentic: false, .. } = self.work {
            self.text.wipe();
        }
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = match &self.work {
            Work::Crypt { direction: Direction::Encrypt, .. } => "encrypt",
            Work::Crypt { direction: Direction::Decrypt, .. } => "decrypt",
            Work::Seal { .. } => "seal",
            Work::Open { .. } => "open",
            Work::Digest { .. } => "digest",
        };
        write!(f, "Request({work}, {}, {:?})", self.driver().driver, self.result())
    }
}

/// The results of a batch, in the order of its requests: each is what [`Request::result`] returns. To go through them executes
/// nothing.
///
/// The text of a request that was refused is unchanged, so it would be sent in the clear if nobody looked at the result:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// let mut requests: Vec<algkit::batch::Request> = Vec::new();
/// algkit::batch::run(&mut requests);
/// ```
#[must_use = "a request that was refused has not encrypted its text; `check` returns the first error"]
#[derive(Clone, Debug)]
pub struct Results<'r, 'a>(slice::Iter<'r, Request<'a>>);

impl Results<'_, '_> {
    /// The first error among the results that are left, or `Ok`.
    #[inline]
    pub fn check(mut self) -> Result<(), Error> {
        self.0.try_for_each(Request::result)
    }
}

impl Iterator for Results<'_, '_> {
    type Item = Result<(), Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Request::result)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Results<'_, '_> {}

/// Executes all requests that are still pending, and returns the results of all requests.
///
/// Requests of one driver and operation are executed together, up to [`MAX_JOBS`](crate::driver::MAX_JOBS) at a
/// time, in no particular order. So no request may read what another writes; the borrow checker ensures that.
///
/// ```
/// use algkit::{Error, batch::{self, Request}};
///
/// let gcm = algkit::aead("gcm(aes)")?.key(&[1; 16])?;
/// let (mut text, mut other, mut tags) = ([5; 4], [6; 4], [[0; 16]; 2]);
/// let [tag, other_tag] = &mut tags;
/// let mut requests = [
///     Request::seal(&gcm, &[0; 12], b"", &mut text, tag),
///     Request::seal(&gcm, &[0; 0], b"", &mut other, other_tag),
/// ];
/// for (result, expected) in batch::run(&mut requests).zip([true, false]) {
///     assert_eq!(result.is_ok(), expected);
/// }
/// assert!(matches!(requests[1].result(), Err(Error::IvLength { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn run<'r, 'a>(requests: &'r mut [Request<'a>]) -> Results<'r, 'a> {
    execute(requests);
    Results(requests.iter())
}

/// Executes requests as an iterator makes them, and passes the result of each to `done`, in their order. There is no
/// list of all requests. So where a driver processes messages one at a time, as that of GCM does, a request costs no more than
/// the call for one message.
///
/// A request that was refused has left its text as it was, so `done` has to look at each result.
///
/// It stops when `done` returns an error. By then, fewer than [`MAX_JOBS`](crate::driver::MAX_JOBS) requests behind that one may
/// have been executed. If the iterator panics, as many of the requests that it has made may not have been executed.
///
/// ```
/// use algkit::{Error, batch::{self, Request}};
///
/// let gcm = algkit::aead("gcm(aes)")?.key(&[1; 16])?;
/// let (mut packets, mut tags) = ([[5; 100]; 3], [[0; 16]; 3]);
/// let nonces = [[1; 12], [2; 12], [3; 12]];
///
/// let packet = packets.iter_mut().zip(&mut tags).zip(&nonces);
/// batch::each(packet.map(|((text, tag), nonce)| Request::seal(&gcm, nonce, b"header", text, tag)), |result| result)?;
///
/// tags[1][0] ^= 1;
/// let packet = packets.iter_mut().zip(&tags).zip(&nonces);
/// let mut authentic = Vec::new();
/// batch::each(packet.map(|((text, tag), nonce)| Request::open(&gcm, nonce, b"header", text, tag)), |result| {
///     authentic.push(result.is_ok());
///     Ok::<(), Error>(())
/// })?;
/// assert_eq!(authentic, [true, false, true]);
/// assert_eq!(packets, [[5; 100], [0; 100], [5; 100]]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn each<'a, E>(
    requests: impl IntoIterator<Item = Request<'a>>,
    mut done: impl FnMut(Result<(), Error>) -> Result<(), E>,
) -> Result<(), E> {
    // The last driver that was asked whether its messages are processed one at a time, if they are.
    let mut alone = ptr::null::<Driver>();
    let mut together = Jobs::new();
    for request in requests {
        let driver: *const Driver = request.driver();
        let is_alone = || ptr::eq(driver, alone) || request.is_alone();
        if together.is_empty() && request.state == State::Pending && is_alone() {
            alone = driver;
            done(request.run_alone())?;
            continue;
        }
        put(&mut together, request);
        if together.is_full() {
            run(&mut together).try_for_each(&mut done)?;
            together.clear();
        }
    }
    run(&mut together).try_for_each(done)
}

fn execute(requests: &mut [Request<'_>]) {
    // An earlier call panicked in these. They may be half done, so they are not executed again.
    for request in requests.iter_mut().filter(|request| request.state == State::Begun) {
        request.state = State::Interrupted;
    }
    let guard = Unwound(requests);
    let mut rest = &mut *guard.0;
    while let Some(first) = rest.iter().position(|request| matches!(request.state, State::Pending)) {
        rest = &mut rest[first..];
        let alone = rest[0].is_alone();
        match &rest[0].work {
            Work::Crypt { tfm, .. } if alone => {
                let done = ciphers_by_themselves(tfm.driver(), rest);
                rest = &mut rest[done..];
            }
            Work::Crypt { tfm, direction, .. } => crypt(tfm.driver(), *direction, rest),
            Work::Seal { tfm, .. } | Work::Open { tfm, .. } if alone => {
                let done = by_themselves(tfm.driver(), rest);
                rest = &mut rest[done..];
            }
            Work::Seal { tfm, .. } => seal(tfm.driver(), rest),
            Work::Open { tfm, .. } => open(tfm.driver(), rest),
            Work::Digest { tfm, .. } => digest(tfm.driver(), rest),
        }
    }
}

/// Wipes texts that a driver was decrypting when it panicked: nobody knows whether they are authentic.
struct Unwound<'r, 'a>(&'r mut [Request<'a>]);

impl Drop for Unwound<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let begun = self.0.iter_mut().filter(|request| request.state == State::Begun);
            begun.filter(|request| matches!(request.work, Work::Open { .. })).for_each(|request| request.text.wipe());
        }
    }
}

/// Executes the leading requests of one cipher without lanes, as [`by_themselves`] does, and returns their number.
fn ciphers_by_themselves(of: *const Driver, requests: &mut [Request<'_>]) -> usize {
    for (i, Request { work, state, text }) in requests.iter_mut().enumerate() {
        let (State::Pending, Work::Crypt { tfm, direction, iv }) = (*state, work) else { return i };
        if !ptr::eq(tfm.driver(), of) {
            return i;
        }
        *state = State::Begun;
        *state = if tfm.crypt(*direction, iv, text).is_ok() { State::Done } else { State::Refused };
    }
    requests.len()
}

/// Executes the leading requests of one driver that gains nothing from lists, and returns their number. It is not
/// inlined, because the valgrind test allows this function by name to branch on whether a tag matched.
#[inline(never)]
fn by_themselves(of: *const Driver, requests: &mut [Request<'_>]) -> usize {
    for (i, request) in requests.iter_mut().enumerate() {
        let Request { work, state, text } = request;
        if !matches!(state, State::Pending) {
            return i;
        }
        let done = match work {
            Work::Seal { tfm, iv, assoc, tag } if ptr::eq(tfm.driver(), of) => {
                *state = State::Begun;
                if let Some(mut packet) = tfm.packet(iv, assoc.list(), text, tag.len()) {
                    tfm.ops.seal_packet(iv, &mut packet, tag);
                    Ok(())
                } else {
                    tfm.seal_pieces(iv, assoc.list(), text, tag)
                }
            }
            Work::Open { tfm, iv, assoc, tag, authentic } if ptr::eq(tfm.driver(), of) => {
                *state = State::Begun;
                let done = if let Some(mut packet) = tfm.packet(iv, assoc.list(), text, tag.len()) {
                    *authentic = tfm.ops.open_packet(iv, &mut packet, tag);
                    Ok(())
                } else {
                    let done = tfm.open_pieces(iv, assoc.list(), text, tag);
                    *authentic = done.is_ok();
                    done
                };
                // A failed tag check is a completed request; `result` reports it.
                if done == Err(Error::Authentication) { Ok(()) } else { done }
            }
            _ => return i,
        };
        match done {
            Ok(()) => request.finish(),
            Err(_) => *state = State::Refused,
        }
    }
    requests.len()
}

/// Marks the first `count` begun requests as done.
fn finish(requests: &mut [Request<'_>], count: usize) {
    requests.iter_mut().filter(|request| matches!(request.state, State::Begun)).take(count).for_each(Request::finish);
}

/// The requests that are still pending.
fn pending<'r, 'a>(requests: &'r mut [Request<'a>]) -> impl Iterator<Item = &'r mut Request<'a>> {
    requests.iter_mut().filter(|request| matches!(request.state, State::Pending))
}

fn crypt(of: *const Driver, direction: Direction, requests: &mut [Request<'_>]) {
    let (mut jobs, mut begun) = (Jobs::new(), 0);
    for Request { work, state, text } in pending(&mut *requests) {
        let Work::Crypt { tfm, direction: its, iv } = work else { continue };
        if *its != direction || !ptr::eq(tfm.driver(), of) || !Request::admit(state, tfm.check(iv, text.len())) {
            continue;
        }
        if tfm.checks_integrity() {
            *state = if tfm.crypt(direction, iv, text).is_ok() { State::Done } else { State::Refused };
            continue;
        }
        begun += 1;
        let ops = &*tfm.ops;
        if !text.is_whole() {
            text.rewind();
            ops.crypt(direction, iv, text);
            continue;
        }
        let Some(text) = text.whole() else { continue };
        put(&mut jobs, SkcipherJob { ops, iv, text });
        if jobs.is_full() {
            break;
        }
    }
    match &mut jobs[..] {
        [] => {}
        [job] => job.run(direction),
        jobs => jobs[0].ops.crypt_batch(direction, jobs),
    }
    drop(jobs);
    finish(requests, begun);
}

fn seal(of: *const Driver, requests: &mut [Request<'_>]) {
    let (mut jobs, mut begun) = (Jobs::new(), 0);
    for Request { work, state, text } in pending(&mut *requests) {
        let Work::Seal { tfm, iv, assoc, tag } = work else { continue };
        if !ptr::eq(tfm.driver(), of) || !Request::admit(state, tfm.check(iv, assoc.list(), text, tag.len())) {
            continue;
        }
        begun += 1;
        let ops = &*tfm.ops;
        if !text.is_whole() {
            text.rewind();
            ops.seal(iv, assoc.list(), text, tag);
            continue;
        }
        let Some(text) = text.whole() else { continue };
        put(&mut jobs, AeadJob::seal(ops, iv, assoc.list(), text, tag));
        if jobs.is_full() {
            break;
        }
    }
    aead(Direction::Encrypt, &mut jobs);
    drop(jobs);
    finish(requests, begun);
}

fn open(of: *const Driver, requests: &mut [Request<'_>]) {
    let (mut jobs, mut begun) = (Jobs::new(), 0);
    for Request { work, state, text } in pending(&mut *requests) {
        let Work::Open { tfm, iv, assoc, tag, authentic } = work else { continue };
        if !ptr::eq(tfm.driver(), of) || !Request::admit(state, tfm.check(iv, assoc.list(), text, tag.len())) {
            continue;
        }
        begun += 1;
        let ops = &*tfm.ops;
        if !text.is_whole() {
            *authentic = ops.open(iv, assoc.list(), &mut text.reborrow(), tag);
            continue;
        }
        let Some(text) = text.whole() else { continue };
        put(&mut jobs, AeadJob::open(ops, iv, assoc.list(), text, tag, authentic));
        if jobs.is_full() {
            break;
        }
    }
    aead(Direction::Decrypt, &mut jobs);
    drop(jobs);
    finish(requests, begun);
}

fn aead(direction: Direction, jobs: &mut [AeadJob<'_>]) {
    match jobs {
        [] => {}
        [job] => job.run(),
        jobs => jobs[0].ops.crypt_batch(direction, jobs),
    }
}

fn digest(of: *const Driver, requests: &mut [Request<'_>]) {
    let (mut jobs, mut begun) = (Jobs::new(), 0);
    for Request { work, state, .. } in pending(&mut *requests) {
        let Work::Digest { tfm, parts, out } = work else { continue };
        if !ptr::eq(tfm.driver(), of) || !Request::admit(state, tfm.check(out)) {
            continue;
        }
        begun += 1;
        put(&mut jobs, HashJob { state: &*tfm.ops, parts: parts.list(), out });
        if jobs.is_full() {
            break;
        }
    }
    match &mut jobs[..] {
        [] => {}
        [job] => job.state.digest(job.parts, job.out),
        jobs => jobs[0].state.digest_batch(jobs),
    }
    drop(jobs);
    finish(requests, begun);
}
