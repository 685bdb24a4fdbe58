//! AES-CBC with HMAC for TLS 1.0 to 1.2 without encrypt-then-MAC: the text is followed by the MAC of header and text,
//! then by padding, and all of it is encrypted. libssl asks for one record, or in long writes for four or eight records
//! at once, whose chains and hashes are computed in parallel.
//!
//! Without a header, the cipher is AES-CBC of whole blocks.

use super::{
    Context, Run,
    record::{self, HEADER},
    shared::{Keyed, Shared, hmac},
};
use crate::{
    abi::*,
    core::{Reason, reason},
    memory,
};
use algkit::{
    Hash, Skcipher, State, Turns,
    batch::{self, Request},
};
use std::{array, mem, ptr, sync::Arc};

const BLOCK: usize = 16;
/// The length of the header that is sent: type, version, length.
const SENT_HEADER: usize = 5;
/// The longest text of a record in bytes.
const MAX_TEXT: usize = 16384;
/// The first version whose records have an explicit IV.
const TLS1_1: u16 = 0x0302;

/// The key of the MAC, and a state that every message uses again, so that no message allocates one.
#[derive(Clone)]
struct Mac {
    key: Arc<Hash>,
    fresh: State,
    state: State,
}

impl Mac {
    /// The state after the header.
    fn begin(&mut self, header: &[u8; HEADER]) -> &mut State {
        self.state.clone_from(&self.fresh);
        self.state.update(header);
        &mut self.state
    }
}

/// The parameters of several records at once.
#[derive(Clone, Copy)]
struct Pipeline {
    /// The longest text of a record.
    max_text: usize,
    header: Option<[u8; HEADER]>,
    /// The length of all texts together.
    len: usize,
    count: usize,
    src: *const u8,
    dst: *mut u8,
    /// The number of bytes that were written.
    written: usize,
}

#[derive(Clone)]
pub struct CbcHmac<const SHA256: bool> {
    shared: Shared,
    keyed: Keyed,
    mac: Option<Mac>,
    /// The header of the next record, and the number of bytes that EVP reports for it.
    header: Option<[u8; HEADER]>,
    added: usize,
    /// The version of TLS that libssl has set. If it is not 0, a call returns the length of the text instead of the
    /// record's.
    version: usize,
    pipeline: Pipeline,
}

fn version(header: &[u8; HEADER]) -> u16 {
    u16::from_be_bytes([header[9], header[10]])
}

fn length(header: &[u8; HEADER]) -> usize {
    usize::from(u16::from_be_bytes([header[11], header[12]]))
}

/// The length of a text with its MAC and padding.
fn padded(text: usize, mac: usize) -> usize {
    (text + mac + BLOCK) / BLOCK * BLOCK
}

impl<const SHA256: bool> CbcHmac<SHA256> {
    const MAC: usize = if SHA256 { 32 } else { 20 };

    /// The key, the chaining value and the MAC.
    fn keys(&mut self) -> Result<(&Skcipher, &mut [u8], &mut Mac), Reason> {
        let (key, iv) = self.keyed.parts(&self.shared)?;
        Ok((key, iv, self.mac.as_mut().ok_or(PROV_R_NO_KEY_SET)?))
    }

    fn set_header(&mut self, header: &[u8]) -> Result<(), Reason> {
        let header: [u8; HEADER] = header.try_into().map_err(|_| PROV_R_INVALID_AAD)?;
        self.added = Self::MAC;
        if self.shared.encrypt {
            let explicit = if version(&header) >= TLS1_1 { BLOCK } else { 0 };
            let text = length(&header).checked_sub(explicit).ok_or(PROV_R_INVALID_AAD)?;
            self.added = padded(text, Self::MAC) - text;
        }
        self.header = Some(header);
        Ok(())
    }

    /// Encrypts a record that begins with the explicit IV, if the version has one, and the text. Each block of the
    /// cipher waits for the one before it; meanwhile the CPU computes the hash.
    fn seal(&mut self, mut header: [u8; HEADER], record: &mut [u8]) -> Result<usize, Reason> {
        let (len, explicit) = (length(&header), if version(&header) >= TLS1_1 { BLOCK } else { 0 });
        if record.len() != padded(len, Self::MAC) {
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        header[11..].copy_from_slice(&((len - explicit) as u16).to_be_bytes());
        let (key, iv, mac) = self.keys()?;
        let state = mac.begin(&header);
        let (mut hashed, mut encrypted) = (explicit, 0);
        // The header and the first part of the text together are a block of the hash.
        let first = Turns::BYTES - HEADER;
        if explicit + first <= len {
            state.update(&record[explicit..explicit + first]);
            hashed += first;
            let count = (len - hashed) / Turns::BYTES;
            let mut turns = Turns::new(record, 0, hashed, count).ok_or(PROV_R_INVALID_INPUT_LENGTH)?;
            key.encrypt_hashing(iv, &mut turns, state).map_err(reason)?;
            encrypted = count * Turns::BYTES;
            hashed += encrypted;
        }
        let (text, end) = record.split_at_mut(len);
        let (tag, padding) = end.split_at_mut(Self::MAC);
        state.digest_into(&[&text[hashed..]], tag).map_err(reason)?;
        padding.fill(padding.len() as u8 - 1);
        key.encrypt(iv, &mut record[encrypted..]).map_err(reason)?;
        Ok(record.len())
    }

    /// Decrypts a record and returns the length of its text. A record that is not authentic is wiped.
    fn open(&mut self, mut header: [u8; HEADER], record: &mut [u8]) -> Result<usize, Reason> {
        let (key, iv, mac) = self.keys()?;
        let mut opened = record::Cbc::default();
        opened.set_version(version(&header).into())?;
        opened.set_mac_size(Self::MAC)?;
        key.decrypt(iv, &mut *record).map_err(reason)?;
        let done = opened.verify(record, BLOCK, |text, least, len, tag| {
            header[11..].copy_from_slice(&(len as u16).to_be_bytes());
            mac.begin(&header).digest_within(text, least, len, tag).map_err(reason)
        });
        if done.is_err() {
            record.fill(0);
        }
        done
    }

    /// The length of record number `i` of several at once, and the length of its text.
    fn lens(&self, i: usize) -> (usize, usize) {
        let Pipeline { len, count, .. } = self.pipeline;
        let text = len / count + if i + 1 == count { len % count } else { 0 };
        (SENT_HEADER + BLOCK + padded(text, Self::MAC), text)
    }

    fn set_many(&mut self) -> Result<(), Reason> {
        let Pipeline { header: Some(header), ref mut len, ref mut count, .. } = self.pipeline else { return Ok(()) };
        if length(&header) > 0 {
            *len = length(&header);
            *count = if *len < 8192 { 4 } else { 8 };
        }
        let fits = matches!(*count, 4 | 8) && *len >= *count && *len / *count + *len % *count <= MAX_TEXT;
        if !self.shared.encrypt || version(&header) < TLS1_1 || !fits {
            self.pipeline.header = None;
            return Err(PROV_R_INVALID_INPUT_LENGTH);
        }
        Ok(())
    }

    /// The length of all records.
    fn many_len(&self) -> usize {
        if self.pipeline.header.is_none() { 0 } else { (0..self.pipeline.count).map(|i| self.lens(i).0).sum() }
    }

    /// Encrypts a text as `N` records.
    fn seal_many<const N: usize>(&self, mut src: &[u8], mut dst: &mut [u8]) -> Result<(), Reason> {
        let key = self.keyed.key()?;
        let mac_key = self.mac.as_ref().map(|mac| &*mac.key).ok_or(PROV_R_NO_KEY_SET)?;
        let header = self.pipeline.header.ok_or(PROV_R_INVALID_STATE)?;
        let number = u64::from_be_bytes(header[..8].try_into().expect("8 bytes"));
        let mut records: [&mut [u8]; N] = array::from_fn(|i| {
            let (record, rest) = mem::take(&mut dst).split_at_mut(self.lens(i).0);
            dst = rest;
            record
        });
        let before_text = SENT_HEADER + BLOCK;
        for (i, record) in records.iter_mut().enumerate() {
            let (text, rest) = src.split_at(self.lens(i).1);
            src = rest;
            // The authenticated header is written before the text for now, so that the hash has one contiguous
            // message.
            let place = &mut record[before_text - HEADER..][..HEADER + text.len()];
            place[..8].copy_from_slice(&number.wrapping_add(i as u64).to_be_bytes());
            place[8..11].copy_from_slice(&header[8..11]);
            place[11..HEADER].copy_from_slice(&(text.len() as u16).to_be_bytes());
            place[HEADER..].copy_from_slice(text);
        }
        let (mut macs, mut ivs) = ([[0; 32]; N], [[0; BLOCK]; N]);
        getrandom::fill(ivs.as_flattened_mut()).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)?;
        let mut outs = macs.iter_mut();
        let mut requests: [Request<'_>; N] = array::from_fn(|i| {
            let message = &records[i][before_text - HEADER..before_text + self.lens(i).1];
            Request::digest(mac_key, message, &mut outs.next().expect("as many")[..Self::MAC])
        });
        let hashed = batch::run(&mut requests).check();
        drop(requests);
        for (i, record) in records.iter_mut().enumerate() {
            let (len, text) = self.lens(i);
            record[..3].copy_from_slice(&header[8..11]);
            record[3..SENT_HEADER].copy_from_slice(&((len - SENT_HEADER) as u16).to_be_bytes());
            record[SENT_HEADER..before_text].copy_from_slice(&ivs[i]);
            let (mac, padding) = record[before_text + text..].split_at_mut(Self::MAC);
            mac.copy_from_slice(&macs[i][..Self::MAC]);
            padding.fill(padding.len() as u8 - 1);
        }
        let mut parts = records.iter_mut().zip(&mut ivs);
        let mut requests: [Request<'_>; N] = array::from_fn(|_| {
            let (record, iv) = parts.next().expect("as many");
            Request::encrypt(key, iv, &mut record[before_text..])
        });
        batch::run(&mut requests).check().and(hashed).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)
    }
}

impl<const SHA256: bool> Context for CbcHmac<SHA256> {
    const AEAD: bool = true;
    const MULTIBLOCK: bool = true;
    const GETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::size(OSSL_CIPHER_PARAM_IVLEN),
        Param::octets(OSSL_CIPHER_PARAM_IV),
        Param::octets(OSSL_CIPHER_PARAM_UPDATED_IV),
        Param::size(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
        Param::size(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_BUFSIZE),
        Param::uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE),
        Param::uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN),
        Param::size(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN),
        Param::END,
    ];
    const SETTABLE: &'static [Param] = &[
        Param::size(OSSL_CIPHER_PARAM_KEYLEN),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_MAC_KEY),
        Param::octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
        Param::uint(OSSL_CIPHER_PARAM_TLS_VERSION),
        Param::size(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_SEND_FRAGMENT),
        Param::octets(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD),
        Param::uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE),
        Param::octets(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC),
        Param::octets(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN),
        Param::END,
    ];

    fn new(shared: Shared) -> Self {
        Self {
            shared,
            keyed: Keyed::default(),
            mac: None,
            header: None,
            added: 0,
            version: 0,
            pipeline: Pipeline {
                max_text: 0,
                header: None,
                len: 0,
                count: 0,
                src: ptr::null(),
                dst: ptr::null_mut(),
                written: 0,
            },
        }
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.shared
    }

    fn init(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Reason> {
        (self.header, self.pipeline.header) = (None, None);
        self.keyed.init(&self.shared, key, iv)
    }

    unsafe fn update(&mut self, run: Run) -> Result<usize, Reason> {
        let header = self.header.take();
        if run.len > run.room {
            return Err(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        }
        // SAFETY: the buffers have this many bytes.
        let mut text = unsafe { memory::in_out(run.src, run.dst, run.len)? };
        let Some(header) = header else {
            return self.keyed.crypt(&self.shared, text).map(|()| run.len);
        };
        text.copy();
        let record = text.dst();
        if self.shared.encrypt {
            self.seal(header, record)
        } else {
            let len = self.open(header, record)?;
            Ok(if self.version == 0 { run.len } else { len })
        }
    }

    fn get(&mut self, key: &[u8], param: &mut Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD => param.put(self.added),
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_BUFSIZE => {
                param.put(SENT_HEADER + BLOCK + padded(self.pipeline.max_text, Self::MAC))
            }
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE => param.put(self.pipeline.count),
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN => param.put(self.many_len()),
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN => param.put(self.pipeline.written),
            _ => self.keyed.get(&self.shared, key, param),
        }
    }

    fn set(&mut self, key: &[u8], param: &Param) -> Result<(), Reason> {
        match key {
            OSSL_CIPHER_PARAM_AEAD_MAC_KEY => {
                self.mac = None;
                let key = hmac(if SHA256 { "SHA256" } else { "SHA1" }, param.required()?)?;
                let fresh = key.start();
                self.mac = Some(Mac { key, state: fresh.clone(), fresh });
            }
            OSSL_CIPHER_PARAM_AEAD_TLS1_AAD => self.set_header(param.required()?)?,
            OSSL_CIPHER_PARAM_TLS_VERSION => self.version = param.get()?,
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_SEND_FRAGMENT => {
                self.pipeline.max_text = param.get()?.min(MAX_TEXT);
            }
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD => {
                // The parameter has the header; its length is that of all texts together.
                let header = param.bytes_of(HEADER)?.ok_or(PROV_R_INVALID_AAD)?;
                self.pipeline.header = Some(header.try_into().map_err(|_| PROV_R_INVALID_AAD)?);
                self.pipeline.len = param.data_size;
            }
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE => self.pipeline.count = param.get()?,
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC => self.pipeline.dst = param.data.cast(),
            OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN => {
                let src =
                    param.bytes()?.filter(|src| src.len() == self.pipeline.len).ok_or(PROV_R_INVALID_INPUT_LENGTH)?;
                self.pipeline.src = src.as_ptr();
            }
            _ => (),
        }
        Ok(())
    }

    unsafe fn after_set(&mut self, set: Result<(), Reason>) -> Result<(), Reason> {
        let (src, dst) =
            (mem::replace(&mut self.pipeline.src, ptr::null()), mem::replace(&mut self.pipeline.dst, ptr::null_mut()));
        set?;
        self.set_many()?;
        if src.is_null() || dst.is_null() {
            return Ok(());
        }
        let (len, room) = (self.pipeline.len, self.many_len());
        let distance = (src as usize).abs_diff(dst as usize);
        if room == 0 || distance < room {
            return Err(PROV_R_CIPHER_OPERATION_FAILED);
        }
        self.pipeline.written = 0;
        // SAFETY: the source has `len` bytes, the destination as many as were answered for that, and they are apart.
        let (src, dst) = unsafe { (memory::bytes(src, len), memory::room(dst, room)) };
        let done = if self.pipeline.count == 4 { self.seal_many::<4>(src, dst) } else { self.seal_many::<8>(src, dst) };
        self.pipeline.header = None;
        done?;
        self.pipeline.written = room;
        Ok(())
    }
}
