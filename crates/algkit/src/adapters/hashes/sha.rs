//! SHA-1 and SHA-2.

use super::{Variant, variants};
use algkit_primitives::{
    cpu::Token,
    sha1::{self, Sha1},
    sha2::{Compress256, Compress512, Sha256, Sha512},
};

variants! {
    VSha1<sha1::Compress>: Sha1, |token, _| Sha1::new(token);
    VSha224<Compress256>: Sha256, |token, _| Sha256::new_224(token);
    VSha256<Compress256>: Sha256, |token, _| Sha256::new(token);
    VSha384<Compress512>: Sha512, |token, _| Sha512::new_384(token);
    VSha512Cut224<Compress512>: Sha512, |token, _| Sha512::new_512_224(token);
    VSha512Cut256<Compress512>: Sha512, |token, _| Sha512::new_512_256(token);
    VSha512<Compress512>: Sha512, |token, _| Sha512::new(token);
}
