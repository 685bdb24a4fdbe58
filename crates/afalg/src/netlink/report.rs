//! The report of a driver (`CRYPTO_MSG_GETALG`) as a netlink message.

use super::{abi, abi::Header, builder::Builder};
use crate::catalogue::{Entry, MODULE};
use algkit::Type;

/// The length of the longest report in bytes, that of an skcipher.
pub(super) const MAX_LEN: usize = 380;

/// Appends the report of `entry` to a datagram.
pub(super) fn append(out: &mut Vec<u8>, entry: &Entry, port: u32, seq: u32, flags: u16, refcnt: u32) {
    let header = Header { len: 0, kind: abi::CRYPTO_MSG_GETALG, flags, seq, port };
    let mut message = Builder::new(out, header);
    message.name(&entry.0.name).name(&entry.0.driver).name(MODULE);
    message.number(0).number(0).number(refcnt).number(entry.flags());
    message.attribute(abi::CRYPTOCFGA_PRIORITY_VAL, |m| {
        m.number(entry.priority());
    });
    details(&mut message, entry);
    message.finish();
}

fn details(message: &mut Builder<'_>, entry: &Entry) {
    const NO_GENERATOR: &str = "<none>";
    match entry.0.kind {
        Type::Cipher => message.attribute(abi::CRYPTOCFGA_REPORT_CIPHER, |m| {
            m.name("cipher").number(entry.block_size()).number(entry.min_key_size()).number(entry.max_key_size());
        }),
        Type::Skcipher => message.attribute(abi::CRYPTOCFGA_REPORT_BLKCIPHER, |m| {
            m.name("skcipher").name(NO_GENERATOR).number(entry.block_size());
            m.number(entry.min_key_size()).number(entry.max_key_size()).number(entry.iv_size());
        }),
        Type::Aead => message.attribute(abi::CRYPTOCFGA_REPORT_AEAD, |m| {
            m.name("aead").name(NO_GENERATOR).number(entry.block_size());
            m.number(entry.max_auth_size()).number(entry.iv_size());
        }),
        Type::Hash => message.attribute(abi::CRYPTOCFGA_REPORT_HASH, |m| {
            m.name("shash").number(entry.block_size()).number(entry.digest_size());
        }),
        Type::Rng => message.attribute(abi::CRYPTOCFGA_REPORT_RNG, |m| {
            m.name("rng").number(0);
        }),
        _ => message,
    };
}
