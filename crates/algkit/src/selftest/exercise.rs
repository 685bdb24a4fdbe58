//! Runs single requests on a keyed instance, in a given memory layout.

use super::layout::Layout;
use crate::{
    driver::{AeadOps, Direction, Failure, HashOps, Keyed, RngOps},
    tfm,
};
use algkit_primitives::{InOut, Packet};

/// Encrypts or decrypts `input` with a cipher or a mode. `iv` becomes the chaining value.
pub(super) fn crypt(
    keyed: &Keyed,
    direction: Direction,
    iv: &mut [u8],
    input: &[u8],
    layout: &Layout,
) -> Result<Vec<u8>, String> {
    match keyed {
        Keyed::Cipher(ops) => layout.pass(input, |text| {
            while let Some(run) = text.next(ops.block_size(), 0) {
                match direction {
                    Direction::Encrypt => ops.encrypt_blocks(run),
                    Direction::Decrypt => ops.decrypt_blocks(run),
                }
            }
        }),
        Keyed::Skcipher(ops) => layout.pass(input, |text| tfm::crypt(&**ops, direction, iv, text)),
        _ => Err(WRONG_TYPE.to_owned()),
    }
}

/// Encrypts or decrypts `input` as a complete message; `None` for a cipher without a mode.
pub(super) fn crypt_once(keyed: &Keyed, direction: Direction, iv: &[u8], input: &[u8]) -> Option<Vec<u8>> {
    let Keyed::Skcipher(ops) = keyed else { return None };
    let mut text = input.to_vec();
    ops.crypt_once(direction, iv, InOut::from(&mut text[..]));
    Some(text)
}

/// The AEAD operations of `keyed`.
pub(super) fn aead(keyed: &Keyed) -> Result<&dyn AeadOps, String> {
    if let Keyed::Aead(ops) = keyed { Ok(&**ops) } else { Err(WRONG_TYPE.to_owned()) }
}

/// The hash operations of `keyed`.
pub(super) fn hash(keyed: &Keyed) -> Result<&dyn HashOps, String> {
    if let Keyed::Hash(ops) = keyed { Ok(&**ops) } else { Err(WRONG_TYPE.to_owned()) }
}

/// The generator operations of `keyed`.
pub(super) fn rng(keyed: &Keyed) -> Result<&dyn RngOps, Failure> {
    if let Keyed::Rng(ops) = keyed { Ok(&**ops) } else { Err(Failure(WRONG_TYPE)) }
}

const WRONG_TYPE: &str = "made an instance of another type than it declares";

/// A message for an AEAD.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) iv: &'a [u8],
    pub(super) assoc: &'a [u8],
    pub(super) plain: &'a [u8],
    pub(super) tag_len: usize,
}

/// Encrypts a message; returns the ciphertext followed by the tag.
pub(super) fn seal(ops: &dyn AeadOps, message: &Message<'_>, layout: &Layout) -> Result<Vec<u8>, String> {
    let mut tag = vec![0; message.tag_len];
    let mut sealed =
        layout.pass(message.plain, |text| ops.seal(message.iv, &layout.cut(message.assoc), text, &mut tag))?;
    sealed.extend_from_slice(&tag);
    Ok(sealed)
}

/// Like [`seal`], with [`AeadOps::seal_packet`].
pub(super) fn seal_packet(ops: &dyn AeadOps, message: &Message<'_>) -> Vec<u8> {
    let mut sealed = [message.plain, &vec![0; message.tag_len]].concat();
    let (text, tag) = sealed.split_at_mut(message.plain.len());
    ops.seal_packet(message.iv, &mut Packet { assoc: message.assoc, text: text.into() }, tag);
    sealed
}

/// Decrypts `sealed` with [`AeadOps::open_packet`]; `None` if it is not authentic.
fn open_packet(ops: &dyn AeadOps, message: &Message<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
    let (ciphertext, tag) = sealed.split_at(message.plain.len());
    let mut text = ciphertext.to_vec();
    let packet = &mut Packet { assoc: message.assoc, text: InOut::from(&mut text[..]) };
    ops.open_packet(message.iv, packet, tag).then_some(text)
}

/// Decrypts `sealed`; `None` if it is not authentic.
pub(super) fn open(
    ops: &dyn AeadOps,
    message: &Message<'_>,
    sealed: &[u8],
    layout: &Layout,
) -> Result<Option<Vec<u8>>, String> {
    let (ciphertext, tag) = sealed.split_at(message.plain.len());
    let mut authentic = false;
    let plain =
        layout.pass(ciphertext, |text| authentic = ops.open(message.iv, &layout.cut(message.assoc), text, tag))?;
    Ok(authentic.then_some(plain))
}

/// Seals and opens `message`, and checks that it is refused with each of the bits in `flips` of `sealed` flipped.
/// If the instance generates IVs, ciphertexts differ from call to call; then `other` must open what `ops` has
/// sealed.
pub(super) fn both_ways(
    ops: &dyn AeadOps,
    other: &dyn AeadOps,
    message: &Message<'_>,
    sealed: &[u8],
    flips: &[usize],
    layout: &Layout,
) -> Result<(), String> {
    let own = seal(ops, message, layout)?;
    let room = if ops.makes_iv() { message.iv.len() } else { 0 };
    if ops.makes_iv() {
        let plain = open(other, message, &own, layout)?.ok_or("the other side refuses what was sealed")?;
        expect("plaintext at the other side", &plain[room..], &message.plain[room..])?;
    } else {
        expect("ciphertext or tag", &own, sealed)?;
        expect("ciphertext or tag of a packet", &seal_packet(ops, message), sealed)?;
    }
    let packet = open_packet(ops, message, sealed).ok_or("an authentic packet was refused")?;
    expect("plaintext of a packet", &packet[room..], &message.plain[room..])?;
    let plain = open(ops, message, sealed, layout)?.ok_or("an authentic message was refused")?;
    expect("plaintext", &plain[room..], &message.plain[room..])?;
    for &bit in flips {
        let mut forged = sealed.to_vec();
        forged[bit / 8] ^= 1 << (bit % 8);
        if open(ops, message, &forged, layout)?.is_some() || open_packet(ops, message, &forged).is_some() {
            return Err(format!("accepted with bit {} of byte {} flipped", bit % 8, bit / 8));
        }
    }
    Ok(())
}

/// Checks every way to compute the digest of `message`: at once, piece by piece, and from a copy of a state.
pub(super) fn digest_all_ways(ops: &dyn HashOps, message: &[u8], digest: &[u8], layout: &Layout) -> Result<(), String> {
    let mut out = vec![0; digest.len()];
    let pieces = layout.cut(message);
    ops.digest(&pieces, &mut out);
    expect("digest", &out, digest)?;
    let mut whole = vec![0; digest.len()];
    ops.digest_whole(message, &mut whole);
    expect("digest of a message in one piece", &whole, digest)?;

    let mut state = ops.start();
    let untouched = ops.start();
    let (before, after) = pieces.split_at(pieces.len() / 2);
    before.iter().for_each(|piece| state.update(piece));
    let mut copy = state.boxed_clone();
    state.digest_after(after, &mut out);
    expect("digest of a state's copy", &out, digest)?;
    after.iter().for_each(|piece| state.update(piece));
    state.finish(&mut out);
    expect("digest piece by piece", &out, digest)?;
    after.iter().for_each(|piece| copy.update(piece));
    copy.finish(&mut out);
    expect("digest of a cloned state", &out, digest)?;
    untouched.digest_after(&[message], &mut out);
    expect("digest of a fresh state", &out, digest)
}

/// Checks that `got` equals `want`; the error names the first difference.
pub(super) fn expect(what: &str, got: &[u8], want: &[u8]) -> Result<(), String> {
    if got == want {
        return Ok(());
    }
    match got.iter().zip(want).position(|(g, w)| g != w) {
        Some(at) => Err(format!("wrong {what}, from byte {at} of {}", want.len())),
        None => Err(format!("{what} of {} bytes instead of {}", got.len(), want.len())),
    }
}
