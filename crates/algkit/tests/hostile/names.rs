//! Names that somebody makes up.

use super::super::common::{Random, catalogue};
use algkit::{
    Registry,
    Type::{self, Aead, Cipher, Hash, Skcipher},
};

/// The number of names to look up.
pub const COUNT: usize = 3000;

/// The templates, the type of what each makes, and the types of its parameters.
const TEMPLATES: &[(&str, Type, &[Type])] = &[
    ("adiantum", Skcipher, &[Skcipher, Cipher]),
    ("authenc", Aead, &[Hash, Skcipher]),
    ("authencesn", Aead, &[Hash, Skcipher]),
    ("cbc", Skcipher, &[Cipher]),
    ("cbcmac", Hash, &[Cipher]),
    ("ccm", Aead, &[Cipher]),
    ("ccm_base", Aead, &[Skcipher, Hash]),
    ("cfb", Skcipher, &[Cipher]),
    ("cmac", Hash, &[Cipher]),
    ("ctr", Skcipher, &[Cipher]),
    ("cts", Skcipher, &[Skcipher]),
    ("ecb", Skcipher, &[Cipher]),
    ("echainiv", Aead, &[Aead]),
    ("essiv", Aead, &[Aead, Hash]),
    ("essiv", Skcipher, &[Skcipher, Hash]),
    ("gcm", Aead, &[Cipher]),
    ("gcm_base", Aead, &[Skcipher, Hash]),
    ("hctr2", Skcipher, &[Cipher]),
    ("hctr2_base", Skcipher, &[Skcipher, Hash]),
    ("hmac", Hash, &[Hash]),
    ("kw", Skcipher, &[Cipher]),
    ("lrw", Skcipher, &[Cipher]),
    ("ofb", Skcipher, &[Cipher]),
    ("pcbc", Skcipher, &[Cipher]),
    ("rfc3686", Skcipher, &[Skcipher]),
    ("rfc4106", Aead, &[Aead]),
    ("rfc4309", Aead, &[Aead]),
    ("rfc4543", Aead, &[Aead]),
    ("rfc7539", Aead, &[Skcipher, Hash]),
    ("rfc7539esp", Aead, &[Skcipher, Hash]),
    ("seqiv", Aead, &[Aead]),
    ("vmac64", Hash, &[Cipher]),
    ("xcbc", Hash, &[Cipher]),
    ("xctr", Skcipher, &[Cipher]),
    ("xts", Skcipher, &[Cipher]),
];

/// The names in the catalogue, with their types.
pub struct Known(Vec<(Type, &'static str)>);

impl Known {
    pub fn new(registry: &Registry) -> Self {
        Self(catalogue().map(|name| (registry.find_any(name).unwrap().kind, name)).collect())
    }

    /// A name: of templates over each other and over known names, and sometimes with a byte too many.
    pub fn name(&self, random: &mut Random) -> String {
        let mut name = self.nested(random, None, 0);
        if random.below(12) == 0 {
            let odd = ['\0', '\u{1b}', '(', ')', ',', ':', ' ', 'é', '\u{202e}', '/', '%', 'A'];
            name.insert(random.below(name.len() + 1), odd[random.below(odd.len())]);
        }
        if random.below(200) == 0 {
            name = "xts(".repeat(random.below(40)) + &name;
        }
        name
    }

    /// A name of type `wanted`, or of any.
    fn nested(&self, random: &mut Random, wanted: Option<Type>, depth: usize) -> String {
        let wanted = wanted.filter(|_| random.below(20) > 0);
        let fits = |kind| wanted.is_none_or(|wanted| wanted == kind);
        let templates: Vec<_> = TEMPLATES.iter().filter(|(_, kind, _)| fits(*kind)).collect();
        if templates.is_empty() || depth > 0 && random.below(3) > 0 || depth > 4 {
            let names: Vec<_> = self.0.iter().filter(|(kind, _)| fits(*kind)).collect();
            return names[random.below(names.len())].1.to_owned();
        }
        let (base, _, parameters) = templates[random.below(templates.len())];
        let mut parts: Vec<String> =
            parameters.iter().map(|&kind| self.nested(random, Some(kind), depth + 1)).collect();
        match random.below(40) {
            0 => parts.push("aes".to_owned()),
            1 => drop(parts.pop()),
            _ => {}
        }
        format!("{base}({})", parts.join(","))
    }
}
