//! Encrypted volumes in user space: LUKS1, LUKS2 and plain dm-crypt, without root and without device-mapper.
//!
//! A volume lies on a [storage], which is a file, a block device, memory, or anything else that implements
//! [`ReadAt`]. Its header says what ciphers and keys it has; a passphrase opens one of its key slots; and the opened
//! [`Volume`] is a storage again, of plaintext.
//!
//! ```no_run
//! use algkit_volume::{Header, Limits, ReadAt};
//!
//! let image = std::fs::File::open("disk.img")?;
//! let header = Header::read(&image)?;
//! let unlocked = header.unlock(&image, b"passphrase", None, &Limits::default())?;
//! let volume = header.open(image, &unlocked.key)?;
//! let mut first = vec![0; 4096];
//! volume.read_at(0, &mut first)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A plain volume has no header: its cipher and its key come from the caller.
//!
//! ```
//! use algkit_volume::{CipherSpec, Key, ReadAt, Volume, WriteAt, storage::Memory};
//!
//! let spec = CipherSpec::parse("aes-xts-plain64")?;
//! let key = Key::new((0..64).collect());
//! let volume = Volume::plain(Memory::new(vec![0; 1 << 20]), &spec, &key, 512)?;
//! volume.write_at(1000, b"some bytes, not aligned to sectors")?;
//! let mut back = [0; 10];
//! volume.read_at(1000, &mut back)?;
//! assert_eq!(&back, b"some bytes");
//! # Ok::<(), algkit_volume::Error>(())
//! ```
//!
//! # Formats
//!
//! The layout of LUKS1 is that of the "LUKS On-Disk Format Specification", version 1.2.3; the layout of LUKS2 that of the "LUKS2
//! On-Disk Format Specification", version 1.1.x; the meaning of cipher strings and IVs that of the kernel's dm-crypt
//! (`Documentation/admin-guide/device-mapper/dm-crypt.rst`). TrueCrypt, VeraCrypt and loop-AES: see [`tcrypt`] and [`LoopAes`].
//!
//! # Trust
//!
//! A header may come from anybody. Every offset in it is checked against the storage before it is used, memory and time that it asks
//! for are bounded by [`Limits`], and no header makes a function panic.
#![forbid(unsafe_code)]

mod af;
mod convert;
mod crypt;
mod error;
pub mod format;
#[cfg(feature = "fuse")]
pub mod fuse;
mod header;
mod integrity;
mod kdf;
mod key;
mod keyslots;
mod lookup;
mod loopaes;
pub mod luks1;
pub mod luks2;
pub mod nbd;
mod plain;
pub mod reencrypt;
mod resize;
pub mod signature;
mod slot;
mod spec;
pub mod storage;
pub mod tcrypt;
mod volume;

pub use crypt::SectorCipher;
pub use error::Error;
pub use header::{Header, Version};
pub use kdf::{Argon2, Kdf, Limits};
pub use key::{Key, Unlocked, VolumeKey};
pub use keyslots::NewKey;
pub use loopaes::LoopAes;
pub use plain::Plain;
pub use spec::{CipherSpec, Iv};
pub use storage::{ReadAt, WriteAt};
pub use volume::Volume;
