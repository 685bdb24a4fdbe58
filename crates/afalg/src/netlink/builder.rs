//! Builds netlink messages for the client.

use super::abi::{self, CRYPTO_MAX_NAME, HEADER_LEN, Header};

/// Appends a message to a datagram.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> Builder<'a> {
    /// Starts a message at the end of `out`. Its length is filled in by [`Builder::finish`].
    pub(super) fn new(out: &'a mut Vec<u8>, header: Header) -> Self {
        let start = out.len();
        out.extend_from_slice(&header.bytes());
        Self { out, start }
    }

    /// Appends raw bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }

    /// Appends a `u32`.
    pub(super) fn number(&mut self, n: u32) -> &mut Self {
        self.bytes(&n.to_ne_bytes())
    }

    /// Appends a name, cut to 63 bytes and padded with zeros to 64.
    pub(super) fn name(&mut self, name: &str) -> &mut Self {
        let mut field = [0; CRYPTO_MAX_NAME];
        let len = name.len().min(CRYPTO_MAX_NAME - 1);
        field[..len].copy_from_slice(&name.as_bytes()[..len]);
        self.bytes(&field)
    }

    /// Appends an attribute; `value` appends its value.
    pub(super) fn attribute(&mut self, kind: u16, value: impl FnOnce(&mut Self)) -> &mut Self {
        let at = self.out.len();
        self.bytes(&[0; 4]);
        value(self);
        let len = (self.out.len() - at) as u16; // at most a few hundred bytes
        self.out[at..at + 2].copy_from_slice(&len.to_ne_bytes());
        self.out[at + 2..at + 4].copy_from_slice(&kind.to_ne_bytes());
        self.pad();
        self
    }

    /// Ends the message. Its length includes the padding.
    pub(super) fn finish(&mut self) {
        self.pad();
        let len = (self.out.len() - self.start) as u32; // shorter than a datagram
        self.out[self.start..self.start + 4].copy_from_slice(&len.to_ne_bytes());
    }

    fn pad(&mut self) {
        let len = self.out.len() - self.start;
        self.out.resize(self.start + abi::align(len), 0);
    }
}

/// An `NLMSG_ERROR` message in reply to `request`, with `error` being 0 or a negative errno. A refusal contains the
/// whole request, unless the client asked for capped acknowledgements.
pub(super) fn acknowledge(request: &[u8], header: Header, port: u32, error: i32, capped: bool) -> Vec<u8> {
    let whole = error != 0 && !capped;
    let flags = if whole { 0 } else { abi::NLM_F_CAPPED };
    let mut out = Vec::with_capacity(HEADER_LEN + 4 + if whole { abi::align(request.len()) } else { HEADER_LEN });
    Builder::new(&mut out, Header { len: 0, kind: abi::NLMSG_ERROR, flags, seq: header.seq, port })
        .bytes(&error.to_ne_bytes())
        .bytes(if whole { request } else { &request[..HEADER_LEN] })
        .finish();
    out
}

/// The `NLMSG_DONE` message that ends a dump.
pub(super) fn done(port: u32, seq: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_LEN + 4);
    let header = Header { len: 0, kind: abi::NLMSG_DONE, flags: abi::NLM_F_MULTI, seq, port };
    Builder::new(&mut out, header).bytes(&[0; 4]).finish();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        let mut out = Vec::new();
        Builder::new(&mut out, Header { len: 0, kind: 0, flags: 0, seq: 0, port: 0 }).name(&"x".repeat(70)).finish();
        assert_eq!(out.len(), 80);
        assert!(out[16..79].iter().all(|&b| b == b'x') && out[79] == 0);
    }
}
