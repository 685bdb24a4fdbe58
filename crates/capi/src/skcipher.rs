//! Ciphers in a mode.

use crate::{
    batch::{self, Iv},
    error::{EFAULT, EINVAL, Failure, guard},
    handle::{self, algkit_skcipher},
    info::{Described, algkit_info},
    memory::{self, Buffer, List, Piece, Segments, check_disjoint},
};
use algkit::{
    Direction,
    batch::Request,
    sectors::{SectorIv, Sectors},
};
use libc::iovec;
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_new(
    name: *const c_char,
    key: *const c_void,
    key_len: usize,
    tfm: *mut *mut algkit_skcipher,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { handle::give(tfm, || Described::new(memory::name(name)?, Buffer::read(key, key_len)?.bytes())) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_free(tfm: *mut algkit_skcipher) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(tfm) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_info(tfm: *const algkit_skcipher) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(tfm) }.map_or(ptr::null(), |known| known.info.shown())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_set_key(
    tfm: *mut algkit_skcipher,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { Ok(handle::get_mut(tfm)?.tfm.set_key(Buffer::read(key, key_len)?.bytes())?) })
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_skcipher_encrypt`.
#[inline(always)]
unsafe fn crypt(
    direction: Direction,
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    text: Piece,
) -> Result<(), Failure> {
    let (iv, [src, dst]) = (Buffer::written(iv, iv_len)?, text.buffers());
    check_disjoint(&[iv, src, dst])?;
    // SAFETY: the caller's buffers exist, and are apart.
    let (tfm, iv, text) = unsafe { (&handle::get(tfm)?.tfm, iv.bytes_mut(), text.text()) };
    Ok(match direction {
        Direction::Encrypt => tfm.encrypt(iv, text),
        Direction::Decrypt => tfm.decrypt(iv, text),
    }?)
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_skcipher_encryptv`.
unsafe fn crypt_segments(
    direction: Direction,
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    text: Segments,
) -> Result<(), Failure> {
    let iv = Buffer::written(iv, iv_len)?;
    check_disjoint(&text.buffers().chain([iv]).collect::<List<_>>())?;
    // SAFETY: the caller's buffers exist, and are apart.
    unsafe { Ok(handle::get(tfm)?.tfm.crypt(direction, iv.bytes_mut(), &mut text.text()?)?) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_encrypt(
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt(Direction::Encrypt, tfm, iv, iv_len, Piece::new(src, dst, len)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_decrypt(
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt(Direction::Decrypt, tfm, iv, iv_len, Piece::new(src, dst, len)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_encryptv(
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    src: *const iovec,
    src_count: usize,
    dst: *const iovec,
    dst_count: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        crypt_segments(Direction::Encrypt, tfm, iv, iv_len, Segments::new(src, src_count, dst, dst_count)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_decryptv(
    tfm: *const algkit_skcipher,
    iv: *mut c_void,
    iv_len: usize,
    src: *const iovec,
    src_count: usize,
    dst: *const iovec,
    dst_count: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        crypt_segments(Direction::Decrypt, tfm, iv, iv_len, Segments::new(src, src_count, dst, dst_count)?)
    })
}

#[repr(C)]
pub struct algkit_sectors {
    first: u64,
    step: u64,
    size: usize,
    iv: c_int,
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_skcipher_encrypt_sectors`.
unsafe fn crypt_sectors(
    direction: Direction,
    tfm: *const algkit_skcipher,
    sectors: *const algkit_sectors,
    data: *mut c_void,
    len: usize,
) -> Result<(), Failure> {
    // SAFETY: the caller has such a structure, or NULL.
    let of = unsafe { sectors.as_ref() }.ok_or_else(|| Failure::new(EFAULT, "NULL instead of sectors"))?;
    let iv = match of.iv {
        0 => SectorIv::Null,
        1 => SectorIv::Plain,
        2 => SectorIv::Plain64,
        3 => SectorIv::Plain64be,
        4 => SectorIv::Benbi,
        other => return Err(Failure::new(EINVAL, format!("no enum algkit_sector_iv has the value {other}"))),
    };
    if of.step == 0 {
        return Err(Failure::new(EINVAL, "sectors with a step of 0 would have the same IV"));
    }
    let sectors = Sectors::new(of.first, of.size).step(of.step).iv(iv);
    let data = Buffer::written(data, len)?;
    // SAFETY: the caller's buffer exists.
    unsafe { Ok(sectors.crypt(&handle::get(tfm)?.tfm, direction, data.bytes_mut())?) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_encrypt_sectors(
    tfm: *const algkit_skcipher,
    sectors: *const algkit_sectors,
    data: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt_sectors(Direction::Encrypt, tfm, sectors, data, len) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_decrypt_sectors(
    tfm: *const algkit_skcipher,
    sectors: *const algkit_sectors,
    data: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt_sectors(Direction::Decrypt, tfm, sectors, data, len) })
}

#[repr(C)]
pub struct algkit_skcipher_request {
    tfm: *const algkit_skcipher,
    decrypt: c_int,
    iv: *const c_void,
    iv_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
    result: c_int,
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_skcipher_batch`.
unsafe fn request<'a>(from: &algkit_skcipher_request, room: &'a mut Iv) -> Result<Request<'a>, Failure> {
    let direction = if from.decrypt == 0 { Direction::Encrypt } else { Direction::Decrypt };
    let iv = Buffer::read(from.iv, from.iv_len)?;
    let text = Piece::new(from.src, from.dst, from.len)?;
    let [src, dst] = text.buffers();
    check_disjoint(&[iv, src, dst])?;
    // SAFETY: the caller's buffers exist, and are apart.
    let (tfm, iv, text) = unsafe { (&handle::get(from.tfm)?.tfm, iv.bytes(), text.text()) };
    tfm.check_once(direction)?;
    let room = room.get_mut(..iv.len()).ok_or_else(|| Failure::new(EINVAL, "no driver has so long an IV"))?;
    room.copy_from_slice(iv);
    Ok(Request::crypt(tfm, direction, room, text))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_skcipher_batch(requests: *mut algkit_skcipher_request, count: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { batch::run(requests, count, |from, room| request(from, room), |from| &mut from.result) })
}
