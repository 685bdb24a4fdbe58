//! `CIOCAUTHCRYPT`: authenticated encryption as an AEAD, or in the formats of TLS or SRTP.

use super::{
    abi::{
        AALG_MAX_RESULT_LEN, AUTH_OP_LEN, AuthOp, COP_FLAG_AEAD_SRTP_TYPE, COP_FLAG_AEAD_TLS_TYPE, COP_FLAG_WRITE_IV,
        EALG_MAX_BLOCK_LEN,
    },
    algorithms::Mode,
    crypt::{WHOLE, direction},
    session::{Cipher, Digester, Kind, Session},
};
use crate::{Errno, Memory, secret::Secret};
use algkit::{Aead, Direction, Error};
use subtle::{Choice, ConstantTimeEq, ConstantTimeLess};

/// The longest associated data for an AEAD or TLS, in bytes.
const MAX_AUTH: u32 = 4096;

/// The greatest distance in bytes from the start of SRTP's authenticated data to the payload.
const MAX_SRTP_HEADER: u64 = 256;

/// The longest padding of a TLS record in bytes, including the length byte.
const MAX_PADDING: usize = 256;

/// The longest text in bytes.
const MAX_LEN: u32 = WHOLE as u32;

/// Performs the operation in `raw`, writes its results, and finally writes `raw` back to `argument`.
pub(super) fn run<'s>(
    mut raw: [u8; AUTH_OP_LEN],
    argument: u64,
    session: impl FnOnce(u32) -> Option<&'s mut Session>,
    memory: &mut dyn Memory,
) -> Result<(), Errno> {
    let mut request = AuthOp::parse(&raw);
    let session = session(request.ses).ok_or(Errno::INVAL)?;
    let in_place = request.flags & (COP_FLAG_AEAD_TLS_TYPE | COP_FLAG_AEAD_SRTP_TYPE) != 0;
    if in_place && request.src != request.dst {
        return Err(Errno::INVAL);
    }
    if request.tag_len == 0 {
        request.tag_len = default_tag_len(session);
    }
    let mut iv = [0; EALG_MAX_BLOCK_LEN];
    let iv_len = session.cipher.as_ref().filter(|_| request.iv != 0).map_or(0, Cipher::iv_size);
    if iv_len > 0 {
        memory.read(request.iv, &mut iv[..iv_len])?;
    }
    let direction = direction(request.op)?;
    let Session { cipher: Some(cipher), hash, usage } = session else { return Err(Errno::INVAL) };
    if request.len > MAX_LEN || request.auth_len > MAX_LEN {
        return Err(Errno::NOMEM);
    }
    if let Some(hash) = hash {
        hash.reset();
    }
    cipher.iv()[..iv_len].copy_from_slice(&iv[..iv_len]);
    let text_len = request.len;
    request.len = if request.flags & COP_FLAG_AEAD_SRTP_TYPE != 0 {
        srtp(direction, &request, cipher, hash.as_mut(), memory)?
    } else if request.flags & COP_FLAG_AEAD_TLS_TYPE != 0 {
        tls(direction, &request, cipher, hash.as_mut(), memory)?
    } else {
        let len = aead(direction, &request, cipher, memory)?;
        let text = if direction == Direction::Encrypt { request.len } else { len };
        request.tag = request.dst.wrapping_add(text.into());
        len
    };
    if let Some(usage) = usage {
        usage.request();
        usage.bytes(text_len as usize);
    }
    if iv_len > 0 && request.flags & COP_FLAG_WRITE_IV != 0 {
        memory.write(request.iv, cipher.iv())?;
    }
    request.update(&mut raw);
    memory.write(argument, &raw)
}

/// The tag length in bytes if the client gives none.
fn default_tag_len(session: &Session) -> u32 {
    let len = match session {
        Session { hash: Some(hash), .. } => hash.digest_size(),
        Session { cipher: Some(Cipher { kind: Kind::Aead(_, len), .. }), .. } => *len,
        _ => 0,
    };
    len as u32 // at most 64
}

/// A plain AEAD: the text is followed by the tag. Returns the number of bytes written.
fn aead(direction: Direction, request: &AuthOp, cipher: &mut Cipher, memory: &mut dyn Memory) -> Result<u32, Errno> {
    let (len, tag_len) = (request.len as usize, request.tag_len as usize);
    if cipher.mode != Mode::Aead || request.auth_len > MAX_AUTH {
        return Err(Errno::INVAL);
    }
    let iv = cipher.iv().to_vec();
    let Kind::Aead(tfm, current_tag_len) = &mut cipher.kind else { return Err(Errno::INVAL) };
    if tag_len > *current_tag_len || !tfm.driver().shape.tags.allows(tag_len) {
        return Err(Errno::INVAL);
    }
    *current_tag_len = tag_len;
    let written = match direction {
        Direction::Encrypt => len + tag_len,
        Direction::Decrypt => len.checked_sub(tag_len).ok_or(Errno::INVAL)?,
    };
    let mut text = Secret::zeros(len.max(written));
    memory.read(request.src, &mut text[..len]).map_err(|_| Errno::INVAL)?;
    let mut assoc = vec![0; request.auth_len as usize];
    if !assoc.is_empty() {
        memory.read(request.auth_src, &mut assoc)?;
    }
    seal_or_open(tfm, direction, &iv, &assoc, &mut text, tag_len)?;
    memory.write(request.dst, &text[..written]).map_err(|_| Errno::INVAL)?;
    Ok(written as u32) // at most MAX_LEN plus a tag
}

/// Processes text followed by its tag, in place.
fn seal_or_open(
    tfm: &Aead,
    direction: Direction,
    iv: &[u8],
    assoc: &[u8],
    text_and_tag: &mut [u8],
    tag_len: usize,
) -> Result<(), Errno> {
    let (text, tag) = text_and_tag.split_at_mut(text_and_tag.len() - tag_len);
    match direction {
        Direction::Encrypt => tfm.encrypt(iv, &[assoc], text, tag),
        Direction::Decrypt => tfm.decrypt(iv, &[assoc], text, tag),
    }
    .map_err(|error| if error == Error::Authentication { Errno::BADMSG } else { Errno::INVAL })
}

/// TLS before 1.3, in place: a MAC of header and text, then padding; everything but the header is encrypted.
/// Returns the length of the record when encrypting, and of its text when decrypting.
fn tls(
    direction: Direction,
    request: &AuthOp,
    cipher: &mut Cipher,
    hash: Option<&mut Digester>,
    memory: &mut dyn Memory,
) -> Result<u32, Errno> {
    if cipher.mode == Mode::Aead || request.auth_len > MAX_AUTH {
        return Err(Errno::INVAL);
    }
    let mut header = vec![0; request.auth_len as usize];
    if !header.is_empty() {
        memory.read(request.auth_src, &mut header)?;
    }
    let mut record = Secret::zeros(request.len as usize + AALG_MAX_RESULT_LEN + EALG_MAX_BLOCK_LEN);
    record.truncate(request.len as usize); // the capacity stays, for a MAC and padding
    if request.dst == 0 || (direction == Direction::Decrypt && record.is_empty()) {
        return Err(Errno::INVAL);
    }
    memory.read(request.dst, &mut record).map_err(|_| Errno::INVAL)?;
    let tag_len = request.tag_len as usize;
    let text_len = match direction {
        Direction::Encrypt => {
            close_record(&header, &mut record, tag_len, cipher, hash)?;
            record.len()
        }
        Direction::Decrypt => open_record(&header, &mut record, tag_len, cipher, hash)?,
    };
    memory.write(request.dst, &record).map_err(|_| Errno::INVAL)?;
    Ok(text_len as u32) // at most MAX_LEN plus a tag and padding
}

fn close_record(
    header: &[u8],
    record: &mut Vec<u8>,
    tag_len: usize,
    cipher: &mut Cipher,
    hash: Option<&mut Digester>,
) -> Result<(), Errno> {
    if let Some(hash) = hash {
        hash.update(header);
        hash.update(record);
        let digest = hash.finish()?;
        record.extend_from_slice(digest.bytes().get(..tag_len).ok_or(Errno::INVAL)?);
    }
    let block = cipher.block_size();
    if block > 1 {
        let pad = block - record.len() % block;
        record.resize(record.len() + pad, (pad - 1) as u8); // a block has at most 16 bytes
    }
    cipher.crypt(Direction::Encrypt, record)
}

/// Decrypts and checks a record; returns the length of its text.
///
/// Neither the time nor the error tells wrong padding from a wrong MAC (AlFardan, Paterson 2013, "Lucky Thirteen"):
/// for each possible length of padding, the MAC of the text that it would leave is computed and compared. Without a
/// hash, the length that is returned tells it in any case.
fn open_record(
    header: &[u8],
    record: &mut [u8],
    tag_len: usize,
    cipher: &mut Cipher,
    hash: Option<&mut Digester>,
) -> Result<usize, Errno> {
    cipher.crypt(Direction::Decrypt, record)?;
    let is_padded = cipher.block_size() > 1;
    let (padding, is_padding) = if is_padded { padding(record) } else { (0, Choice::from(1)) };
    let Some(hash) = hash else {
        return Ok(record.len() - if is_padding.into() { padding } else { 0 });
    };
    if tag_len > AALG_MAX_RESULT_LEN {
        return Err(Errno::INVAL);
    }
    let without_tag = record.len().checked_sub(tag_len).ok_or(Errno::INVAL)?;
    let paddings = if is_padded { 1..=MAX_PADDING.min(without_tag) } else { 0..=0 };
    hash.update(header);
    let (mut hashed, mut is_authentic) = (0, Choice::from(0));
    for candidate in paddings.rev() {
        let text_len = without_tag - candidate;
        hash.update(&record[hashed..text_len]);
        hashed = text_len;
        let matches = is_tag(hash.so_far()?.bytes(), &record[text_len..text_len + tag_len]);
        is_authentic |= matches & (candidate as u64).ct_eq(&(padding as u64));
    }
    hash.reset();
    if (is_authentic & is_padding).into() { Ok(without_tag - padding) } else { Err(Errno::BADMSG) }
}

/// The length of the padding at the end of a record in bytes, including the length byte, and whether the padding is
/// valid. The time depends on the length of the record only.
fn padding(record: &[u8]) -> (usize, Choice) {
    let Some((last, before)) = record.split_last() else { return (0, Choice::from(0)) };
    let mut is_valid = !(before.len() as u64).ct_lt(&u64::from(*last));
    for (distance, byte) in (0..u8::MAX).zip(before.iter().rev()) {
        is_valid &= byte.ct_eq(last) | !distance.ct_lt(last);
    }
    (usize::from(*last) + 1, is_valid)
}

/// SRTP, in place: encrypts the payload, then computes a MAC of the header, the ciphertext and what follows.
/// Returns the length of the payload.
fn srtp(
    direction: Direction,
    request: &AuthOp,
    cipher: &mut Cipher,
    mut hash: Option<&mut Digester>,
    memory: &mut dyn Memory,
) -> Result<u32, Errno> {
    if cipher.mode != Mode::Stream || request.auth_len == 0 {
        return Err(Errno::INVAL);
    }
    let header = request.src.checked_sub(request.auth_src).filter(|&n| n <= MAX_SRTP_HEADER).ok_or(Errno::INVAL)?;
    let (start, len, tag_len) = (header as usize, request.len as usize, request.tag_len as usize);
    let mut packet = Secret::zeros(request.auth_len as usize);
    // The length to check is that of the payload plus, when encrypting, the tag.
    let nothing = len == 0 && (direction == Direction::Decrypt || tag_len == 0);
    if nothing || start >= packet.len() || len > packet.len() - start {
        return Err(Errno::INVAL);
    }
    memory.read(request.auth_src, &mut packet).map_err(|_| Errno::INVAL)?;
    if direction == Direction::Decrypt
        && let Some(hash) = &mut hash
    {
        if tag_len > AALG_MAX_RESULT_LEN || tag_len > len {
            return Err(Errno::INVAL);
        }
        let mut tag = [0; AALG_MAX_RESULT_LEN];
        memory.read(request.tag, &mut tag[..tag_len])?;
        hash.update(&packet);
        if !bool::from(is_tag(hash.finish()?.bytes(), &tag[..tag_len])) {
            return Err(Errno::BADMSG);
        }
    }
    let payload = &mut packet[start..start + len];
    if !payload.is_empty() {
        cipher.crypt(direction, payload)?;
    }
    memory.write(request.src, payload).map_err(|_| Errno::INVAL)?;
    if direction == Direction::Encrypt
        && let Some(hash) = hash
    {
        hash.update(&packet);
        let digest = hash.finish()?;
        memory.write(request.tag, digest.bytes().get(..tag_len).ok_or(Errno::INVAL)?)?;
    }
    Ok(request.len)
}

/// Whether `tag` is a prefix of `digest`. The time does not depend on where they differ.
fn is_tag(digest: &[u8], tag: &[u8]) -> Choice {
    digest.get(..tag.len()).map_or(Choice::from(0), |digest| digest.ct_eq(tag))
}
