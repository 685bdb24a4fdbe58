//! The search for the name that somebody meant: names of other systems, parts in another order, wrong letters.

use std::collections::BTreeSet;

/// The nearest name of `known`: first by other systems' names, then by parts of names, then by letters.
pub(crate) fn among<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    by_alias(name, known).or_else(|| by_parts(name, known)).or_else(|| by_letters(name, known))
}

/// Names of OpenSSL and others, by their letters and digits, of which the kernel's name has other ones.
const ALIASES: &[(&str, &str)] = &[
    ("blake2", "blake2b-512"),
    ("blake2b", "blake2b-512"),
    ("blake2s", "blake2s-256"),
    ("rc4", "ecb(arc4)"),
    ("sha2", "sha256"),
    ("sha3", "sha3-256"),
    ("whirlpool", "wp512"),
];

fn by_alias<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = letters(name);
    let (_, meant) = ALIASES.iter().find(|(alias, _)| *alias == letters)?;
    known.iter().copied().find(|known| known == meant)
}

/// The maximum number of additional parts in a suggested name. `chacha20-poly1305` suggests
/// `rfc7539(chacha20,poly1305)`.
const MAX_EXCESS: usize = 3;

/// The name with all requested parts, in any order, and the fewest others. `AES-256-XTS`, `aes-xts-plain64` and
/// `AES/XTS/NoPadding` contain the parts of `xts(aes)`.
fn by_parts<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let asked: BTreeSet<String> = parts(name).into_iter().filter(|part| !is_filler(part)).collect();
    let without_size: BTreeSet<String> = asked.iter().filter(|part| !is_key_size(part)).cloned().collect();
    let cost = |known: &str| {
        let has = parts(known).into_iter().collect::<BTreeSet<_>>();
        [(&asked, 0), (&without_size, 1)]
            .into_iter()
            .filter(|(asked, _)| !asked.is_empty() && asked.is_subset(&has))
            .map(|(asked, dropped)| (has.len() - asked.len(), dropped))
            .filter(|(excess, _)| *excess <= MAX_EXCESS)
            .min()
    };
    let costs = known.iter().copied().filter_map(|known| Some((cost(known)?, known)));
    // The catalogue comes first; of several equally good names the first is taken.
    costs.min_by_key(|(cost, _)| *cost).map(|(_, known)| known)
}

/// Parts that dm-crypt, Java and OpenSSL add to names, and that kernel names never contain.
fn is_filler(part: &str) -> bool {
    matches!(part, "plain" | "64" | "be" | "nopadding" | "evp" | "alg" | "mode" | "id")
}

fn is_key_size(part: &str) -> bool {
    matches!(part, "128" | "192" | "256" | "512")
}

/// Splits a name into runs of letters and runs of digits, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before = None;
    for c in name.chars().flat_map(char::to_lowercase) {
        let kind = (c.is_alphabetic(), c.is_ascii_digit());
        if kind != (false, false) {
            match parts.last_mut().filter(|_| before == Some(kind)) {
                Some(part) => part.push(c),
                None => parts.push(c.to_string()),
            }
        }
        before = Some(kind);
    }
    // Synonyms from other systems.
    let known = |part: String| match part.as_str() {
        "rijndael" => "aes".to_owned(),
        "bf" => "blowfish".to_owned(),
        "ripemd" => "rmd".to_owned(),
        "wrap" => "kw".to_owned(),
        _ => part,
    };
    parts.into_iter().map(known).collect()
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "")
}

/// The name with the smallest edit distance, at most one change per three characters.
fn by_letters<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let asked = letters(name);
    let length = asked.chars().count();
    let changes = length / 3;
    // Lengths that differ by more than that need as many changes, and a long name would take a long search.
    let known = known.iter().copied().map(|known| (letters(known), known));
    let similar = known.filter(|(letters, _)| letters.len().abs_diff(length) <= changes);
    let distances = similar.map(|(letters, known)| (strsim::osa_distance(&asked, &letters), known));
    let near = distances.filter(|(distance, _)| *distance <= changes);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CATALOGUE;

    #[test]
    fn names_of_other_places() {
        for (asked, meant) in [
            ("aes-gcm", "gcm(aes)"),
            ("AES-256-GCM", "gcm(aes)"),
            ("aes-256-xts", "xts(aes)"),
            ("aes-xts-plain64", "xts(aes)"),
            ("AES/GCM/NoPadding", "gcm(aes)"),
            ("aes-cbc-essiv:sha256", "essiv(cbc(aes),sha256)"),
            ("aes-256-cbc-hmac-sha256", "authenc(hmac(sha256),cbc(aes))"),
            ("chacha20-poly1305", "rfc7539(chacha20,poly1305)"),
            ("ChaCha20Poly1305", "rfc7539(chacha20,poly1305)"),
            ("SHA256", "sha256"),
            ("sha-256", "sha256"),
            ("SHA3-256", "sha3-256"),
            ("hmac-sha256", "hmac(sha256)"),
            ("HmacSHA512", "hmac(sha512)"),
            ("sha26", "sha256"),
            ("aess", "aes"),
            ("gcm(aes", "gcm(aes)"),
            ("gmc(aes)", "gcm(aes)"),
            ("gcm", "gcm(aes)"),
            ("serpnet", "serpent"),
            ("aes-256-cbc", "cbc(aes)"),
            ("AES-128-CBC-CTS", "cts(cbc(aes))"),
            ("AES-128-CBC-HMAC-SHA1", "authenc(hmac(sha1),cbc(aes))"),
            ("id-aes256-CCM", "ccm(aes)"),
            ("aes-256-wrap", "kw(aes)"),
            ("aes256", "aes"),
            ("des-ede3-cbc", "cbc(des3_ede)"),
            ("3des", "des3_ede"),
            ("bf-cbc", "cbc(blowfish)"),
            ("cast5-cbc", "cbc(cast5)"),
            ("camellia-256-ctr", "ctr(camellia)"),
            ("aria-128-gcm", "gcm(aria)"),
            ("sm4-cbc", "cbc(sm4)"),
            ("rc4", "ecb(arc4)"),
            ("SHA2-256", "sha256"),
            ("SHA2-512/224", "sha512-224"),
            ("SHA512-256", "sha512-256"),
            ("sha3", "sha3-256"),
            ("BLAKE2b512", "blake2b-512"),
            ("blake2b", "blake2b-512"),
            ("BLAKE2s", "blake2s-256"),
            ("ripemd160", "rmd160"),
            ("whirlpool", "wp512"),
            ("md-5", "md5"),
        ] {
            assert_eq!(among(asked, CATALOGUE), Some(meant), "{asked}");
        }
    }

    #[test]
    fn nothing_is_near_to_nonsense() {
        for asked in ["", "-", "nosuch", "SUMS", "\u{1b}[31m", "ééé"] {
            assert_eq!(among(asked, CATALOGUE), None, "{asked:?}");
        }
    }
}
