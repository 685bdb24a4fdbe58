//! Templates: modes that build an algorithm out of others.
//!
//! Each file holds one mode, first its operations, written over the operations of what it is built
//! on, then `build`, which makes a [`Driver`] of it. The driver's name shows what it is made of, in
//! the kernel's spelling.

pub(crate) mod adiantum;
pub(crate) mod authenc;
pub(crate) mod cbc;
pub(crate) mod ccm;
pub(crate) mod cfb;
pub(crate) mod ctr;
pub(crate) mod cts;
pub(crate) mod ecb;
pub(crate) mod essiv;
pub(crate) mod gcm;
#[cfg(feature = "rng")]
pub(crate) mod geniv;
pub(crate) mod hctr2;
pub(crate) mod hmac;
pub(crate) mod kw;
pub(crate) mod lrw;
pub(crate) mod mac;
pub(crate) mod ofb;
pub(crate) mod pcbc;
pub(crate) mod rfc3686;
pub(crate) mod rfc4106;
pub(crate) mod rfc7539;
pub(crate) mod vmac;
pub(crate) mod xctr;
pub(crate) mod xts;

use crate::{
    Error, Name,
    driver::{
        AeadOps, BadKey, CipherOps, Driver, DriverRef, HashOps, Keyed, Shape, SkcipherOps, Timing, Type, WeakKeys,
    },
};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet};

/// Where a template finds what it is built on.
pub(crate) trait Lookup {
    /// The driver to use for `name`, which is an algorithm or a driver.
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error>;
}

/// Makes the driver that `name` asks for.
type Build = fn(&dyn Lookup, &Name) -> Result<Driver, Error>;

/// The templates, by name.
pub(crate) static TEMPLATES: &[(&str, Build)] = &[
    ("adiantum", adiantum::build),
    ("authenc", authenc::build),
    ("authencesn", authenc::build_esn),
    ("cbc", cbc::build),
    ("cbcmac", mac::build_cbcmac),
    ("ccm", ccm::build),
    ("ccm_base", ccm::build_base),
    ("cfb", cfb::build),
    ("cmac", mac::build_cmac),
    ("ctr", ctr::build),
    ("cts", cts::build),
    ("ecb", ecb::build),
    #[cfg(feature = "rng")]
    ("echainiv", geniv::build_echainiv),
    ("essiv", essiv::build),
    ("gcm", gcm::build),
    ("gcm_base", gcm::build_base),
    ("hctr2", hctr2::build),
    ("hctr2_base", hctr2::build_base),
    ("hmac", hmac::build),
    ("kw", kw::build),
    ("lrw", lrw::build),
    ("ofb", ofb::build),
    ("pcbc", pcbc::build),
    ("rfc3686", rfc3686::build),
    ("rfc4106", rfc4106::build_rfc4106),
    ("rfc4309", rfc4106::build_rfc4309),
    ("rfc4543", rfc4106::build_rfc4543),
    ("rfc7539", rfc7539::build),
    ("rfc7539esp", rfc7539::build_esp),
    #[cfg(feature = "rng")]
    ("seqiv", geniv::build_seqiv),
    ("vmac64", vmac::build),
    ("xcbc", mac::build_xcbc),
    ("xctr", xctr::build),
    ("xts", xts::build),
];

/// The largest block of any cipher, in bytes.
const MAX_BLOCK: usize = 16;

/// A driver made of `inner`: usable where all of them are, of the lowest priority among them,
/// constant-time if all of them are.
fn compose(
    name: String,
    driver: String,
    kind: Type,
    shape: Shape,
    inner: &[&DriverRef],
    make: impl Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync + 'static,
) -> Driver {
    let table = inner.iter().any(|d| d.timing == Timing::Table);
    Driver {
        priority: inner.iter().map(|d| d.priority()).min().unwrap_or(100).into(),
        // What the template itself keeps is small beside its parts.
        context_size: inner.iter().map(|d| d.context_size).sum(),
        asynchronous: inner.iter().any(|d| d.asynchronous),
        timing: if table { Timing::Table } else { Timing::Constant },
        preferred: inner.iter().all(|d| d.is_eligible()).into(),
        needs: inner.iter().fold(FeatureSet::NONE, |set, d| set.union(d.needs)),
        composed: true,
        ..Driver::new(name, driver, kind, shape, make)
    }
}

/// The parameters of a template that takes `N`.
fn args<const N: usize>(name: &Name) -> Result<&[Name; N], Error> {
    name.args.as_slice().try_into().map_err(|_| bad(name, &format!("{} takes {N} of them", name.base)))
}

fn bad(name: &Name, reason: &str) -> Error {
    Error::BadParameters { name: name.to_string(), reason: reason.to_owned() }
}

/// The cipher of 16-byte blocks that is the parameter of a mode. Its driver name may show an ECB in
/// between, as the kernel's do: `xts(ecb(aes-generic))`.
fn cipher128(lookup: &dyn Lookup, name: &Name) -> Result<DriverRef, Error> {
    let [arg] = args(name)?;
    let arg = if arg.base == "ecb" { &args::<1>(arg)?[0] } else { arg };
    let inner = lookup.find(Type::Cipher, arg)?;
    if inner.shape.blocksize != 16 {
        return Err(bad(name, "the mode takes a cipher of 16-byte blocks"));
    }
    Ok(inner)
}

/// The cipher that `mode` is built on: the driver that its name shows, or else the best of its algorithm.
fn inner_cipher(lookup: &dyn Lookup, mode: &Driver) -> Result<DriverRef, Error> {
    let find = |name: &str| lookup.find(Type::Cipher, Name::parse(name)?.innermost());
    find(&mode.driver).or_else(|_| find(&mode.name))
}

/// Passes the pieces to `f` as a list. Up to eight need no allocation.
fn with_list<'a, R>(pieces: impl IntoIterator<Item = &'a [u8]>, f: impl FnOnce(&[&[u8]]) -> R) -> R {
    let mut array = [&[][..]; 8];
    let mut list = Vec::new();
    let mut n = 0;
    for piece in pieces {
        if n == array.len() {
            list.extend_from_slice(&array);
        }
        match array.get_mut(n) {
            Some(place) => *place = piece,
            None => list.push(piece),
        }
        n += 1;
    }
    f(if list.is_empty() { &array[..n] } else { &list })
}

/// The same pieces with a shorter lifetime, so that pieces of that lifetime can follow them.
fn shorten<'s, 'a: 's>(pieces: impl IntoIterator<Item = &'a [u8]>) -> impl Iterator<Item = &'s [u8]> {
    pieces.into_iter().map(|piece| -> &'s [u8] { piece })
}

/// `assoc` without its last `cut` bytes.
pub(crate) fn cut<'a>(assoc: &[&'a [u8]], cut: usize) -> impl Iterator<Item = &'a [u8]> {
    let mut keep = assoc.iter().map(|a| a.len()).sum::<usize>() - cut;
    assoc.iter().map(move |part| {
        let n = part.len().min(keep);
        keep -= n;
        &part[..n]
    })
}

/// Zeros up to the next multiple of 16 bytes.
fn pad16(len: usize) -> &'static [u8] {
    &[0; 16][..len.wrapping_neg() % 16]
}

/// A keyed cipher of `driver`.
pub(crate) fn cipher(
    driver: &Driver,
    cpu: CpuFeatures,
    key: &[u8],
    weak: WeakKeys,
) -> Result<Box<dyn CipherOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Cipher(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A keyed skcipher of `driver`.
fn skcipher(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn SkcipherOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Skcipher(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A keyed AEAD of `driver`.
fn aead(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn AeadOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Aead(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A keyed hash of `driver`.
pub(crate) fn hash(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Hash(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A driver that declares one type and makes another; only drivers from outside can.
const WRONG_TYPE: BadKey = BadKey("an inner driver made an instance of another type than it declares");

/// A mode over one block cipher with the cipher's key: `mode(cipher)`.
fn cipher_mode<T: SkcipherOps + 'static>(
    lookup: &dyn Lookup,
    name: &Name,
    shape: impl FnOnce(&Shape) -> Shape,
    mode: fn(Box<dyn CipherOps>) -> T,
) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Cipher, arg)?;
    let (alg, driver) = (format!("{}({})", name.base, inner.name), format!("{}({})", name.base, inner.driver));
    Ok(compose(alg, driver, Type::Skcipher, shape(&inner.shape), &[&inner.clone()], move |cpu, key, weak| {
        Ok(Keyed::Skcipher(Box::new(mode(cipher(&inner, cpu, key, weak)?))))
    }))
}
