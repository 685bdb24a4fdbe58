//! Templates: modes that compose an algorithm from others.
//!
//! Each file holds one mode: first its operations, written over the operations of the inner algorithms, then
//! `build`, which makes a [`Driver`]. The driver's name shows the inner drivers, in the kernel's spelling.

mod adiantum;
pub(crate) mod authenc;
mod cbc;
pub(crate) mod ccm;
mod cfb;
mod ctr;
mod cts;
pub(crate) mod ecb;
mod essiv;
pub(crate) mod gcm;
#[cfg(feature = "rng")]
mod geniv;
mod hctr2;
mod hmac;
mod kw;
mod lrw;
pub(crate) mod mac;
mod ofb;
mod parts;
mod pcbc;
mod rfc3686;
mod rfc4106;
pub(crate) mod rfc7539;
mod vmac;
pub(crate) mod xctr;
pub(crate) mod xts;

use crate::{
    Error, Name,
    driver::{
        AeadOps, BadKey, CipherOps, Driver, DriverRef, HashOps, Keyed, Shape, SkcipherOps, Timing, Type, WeakKeys,
    },
};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet};

/// Finds the inner drivers of a template.
pub(crate) trait Lookup {
    /// The driver to use for `name`, an algorithm or a driver of type `kind`.
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error>;
}

/// Makes the driver for the whole `name`, template included.
pub(crate) type Build = fn(&dyn Lookup, &Name) -> Result<Driver, Error>;

/// The template that `name` begins with. A name without parameters is that of an algorithm or a driver.
pub(crate) fn template(name: &Name) -> Option<Build> {
    let found = TEMPLATES.iter().find(|(base, _)| *base == name.base && !name.args.is_empty());
    found.map(|(_, build)| *build)
}

/// The templates, by name.
static TEMPLATES: &[(&str, Build)] = &[
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

/// A driver composed of `inner`, from which `make` makes keyed instances. It is usable where all of them are, has the
/// lowest priority among them, and is constant-time if all of them are.
fn compose<const N: usize>(
    name: String,
    driver: String,
    kind: Type,
    shape: Shape,
    inner: [DriverRef; N],
    make: impl Fn(&[DriverRef; N], CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync + 'static,
) -> Driver {
    let parts = inner.clone();
    let driver = Driver::new(name, driver, kind, shape, move |cpu, key, weak| make(&parts, cpu, key, weak));
    with_parts(driver, &inner)
}

/// `driver` with what it has from its parts. This is not a part of [`compose`], which is compiled for each template.
fn with_parts(driver: Driver, inner: &[DriverRef]) -> Driver {
    let table = inner.iter().any(|d| d.timing == Timing::Table);
    Driver {
        priority: inner.iter().map(|d| d.priority()).min().unwrap_or(100).into(),
        // The template's own state is small beside that of its parts.
        context_size: inner.iter().map(|d| d.context_size).sum(),
        asynchronous: inner.iter().any(|d| d.asynchronous),
        timing: if table { Timing::Table } else { Timing::Constant },
        preferred: inner.iter().all(|d| d.is_eligible()).into(),
        needs: inner.iter().fold(FeatureSet::NONE, |set, d| set.union(d.needs)),
        parts: inner.iter().flat_map(|d| d.parts.iter().chain([&d.driver]).cloned()).collect(),
        ..driver
    }
}

/// [`compose`] for a driver that is named after `inner`, in the parentheses of the template that `name` begins with.
fn wrap<const N: usize>(
    name: &Name,
    kind: Type,
    shape: Shape,
    inner: [DriverRef; N],
    make: impl Fn(&[DriverRef; N], CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync + 'static,
) -> Driver {
    let alg = enclosed(&name.base, inner.iter().map(|d| &*d.name));
    let driver = enclosed(&name.base, inner.iter().map(|d| &*d.driver));
    compose(alg, driver, kind, shape, inner, make)
}

/// `base(name,name)`.
fn enclosed<'a>(base: &str, names: impl Iterator<Item = &'a str>) -> String {
    format!("{base}({})", names.collect::<Vec<_>>().join(","))
}

/// The parameters of a template that takes exactly `N`.
fn args<const N: usize>(name: &Name) -> Result<&[Name; N], Error> {
    name.args.as_slice().try_into().map_err(|_| bad(name, &format!("{} takes {N}, not {}", name.base, name.args.len())))
}

fn bad(name: &Name, reason: &str) -> Error {
    Error::BadParameters { name: name.to_string(), reason: reason.to_owned() }
}

/// The cipher of 16-byte blocks that is the parameter of a mode. The name of a driver may have an `ecb` around the
/// cipher, as in the kernel: `xts(ecb(aes-generic))`.
fn cipher128(lookup: &dyn Lookup, name: &Name) -> Result<DriverRef, Error> {
    let [arg] = args(name)?;
    let arg = if arg.base == "ecb" { &args::<1>(arg)?[0] } else { arg };
    let inner = lookup.find(Type::Cipher, arg)?;
    if inner.shape.blocksize != 16 {
        return Err(bad(name, "the mode takes a cipher of 16-byte blocks"));
    }
    Ok(inner)
}

/// The block cipher that `mode` is built on: the one that its driver name shows, or else the best driver of its
/// algorithm.
fn inner_cipher(lookup: &dyn Lookup, mode: &Driver) -> Result<DriverRef, Error> {
    let find = |name: &str| lookup.find(Type::Cipher, Name::parse(name)?.innermost());
    find(&mode.driver).or_else(|_| find(&mode.name))
}

/// Calls `f` with the pieces as a list. Up to eight pieces need no allocation.
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

/// The same pieces with a shorter lifetime, so that pieces with that lifetime can be chained after them.
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

/// The zeros that pad `len` bytes to a multiple of 16.
fn pad16(len: usize) -> &'static [u8] {
    &[0; 16][..len.wrapping_neg() % 16]
}

/// A keyed block cipher instance of `driver`.
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

/// A keyed skcipher instance of `driver`.
fn skcipher(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn SkcipherOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Skcipher(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A keyed AEAD instance of `driver`.
fn aead(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn AeadOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Aead(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// A keyed hash instance of `driver`.
pub(crate) fn hash(driver: &Driver, cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
    match driver.instance(cpu, key, weak)? {
        Keyed::Hash(ops) => Ok(ops),
        _ => Err(WRONG_TYPE),
    }
}

/// For a driver that makes an instance of another type than it declares. Only drivers from other crates can do
/// that.
const WRONG_TYPE: BadKey = BadKey("an inner driver made an instance of another type than it declares");

/// A mode over one block cipher, with the cipher's key: `mode(cipher)`. The modes have room for blocks of up to 16 bytes,
/// as the kernel's have, and a batch is a whole number of blocks.
fn cipher_mode<T: SkcipherOps + 'static>(
    lookup: &dyn Lookup,
    name: &Name,
    shape: impl FnOnce(&Shape) -> Shape,
    mode: fn(Box<dyn CipherOps>) -> T,
) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Cipher, arg)?;
    let block = inner.shape.blocksize;
    if !block.is_power_of_two() || block > MAX_BLOCK {
        return Err(bad(name, "the mode takes a cipher whose blocks have 1, 2, 4, 8 or 16 bytes"));
    }
    Ok(wrap(name, Type::Skcipher, shape(&inner.shape), [inner], move |[inner], cpu, key, weak| {
        Ok(Keyed::Skcipher(Box::new(mode(cipher(inner, cpu, key, weak)?))))
    }))
}
