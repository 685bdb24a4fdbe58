//! The name that somebody meant, for messages.

use super::Registry;
use crate::{CATALOGUE, Error, Name, name::MAX_LEN, nearest};
use std::collections::HashSet;

impl Registry {
    /// The name of an algorithm or driver that is nearest to `name`, if one is near: another system's name
    /// (`AES-256-GCM`) has the same parts, and a misspelt one nearly the same letters. It is for messages. A program must not use it
    /// instead of the name that it was given, because the user may have meant something else.
    ///
    /// ```
    /// let registry = algkit::Registry::global()?;
    /// assert_eq!(registry.nearest("AES-256-GCM").as_deref(), Some("gcm(aes)"));
    /// assert_eq!(registry.nearest("sha26").as_deref(), Some("sha256"));
    /// assert_eq!(registry.nearest("nothing like it"), None);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn nearest(&self, name: &str) -> Option<String> {
        // The search takes time for every letter, and no known name is as long.
        if name.len() > MAX_LEN {
            return None;
        }
        let drivers = self.drivers();
        let algorithms: HashSet<&str> = drivers.iter().map(|d| &*d.name).collect();
        let built = |text: &str| Name::parse(text).is_ok_and(|name| is_built(&name, &algorithms));
        let mut known: Vec<&str> = CATALOGUE.iter().copied().filter(|text| built(text)).collect();
        known.extend(drivers.iter().flat_map(|d| [&*d.name, &*d.driver]));
        nearest::among(name, &known).map(str::to_owned)
    }
}

/// Whether this build has the algorithm, or all that a template makes it of: the catalogue also has the names of families that
/// are left out.
fn is_built(name: &Name, algorithms: &HashSet<&str>) -> bool {
    // The hash that a template takes besides its arguments.
    let besides = match &*name.base {
        "gcm" => "ghash",
        "hctr2" => "polyval",
        "adiantum" => "nhpoly1305",
        _ => "",
    };
    algorithms.contains(&*name.to_string())
        || !name.args.is_empty()
            && (besides.is_empty() || algorithms.contains(besides))
            && name.args.iter().all(|part| is_built(part, algorithms))
}

impl Error {
    /// The message. If it says that a name is unknown or malformed, it also says to which name of the
    /// [global registry](Registry::global) that one is nearest: ``unknown algorithm `aes-gcm`; did you mean `gcm(aes)`?``
    ///
    /// The search takes up to a millisecond, so it is not done for `to_string`, with which a program may log the
    /// names that strangers ask it for.
    pub fn with_suggestion(&self) -> String {
        let nearest = match self {
            Self::Unknown(name) | Self::BadName { name, .. } => {
                let nearest = Registry::global().ok().and_then(|registry| registry.nearest(name));
                // Another registry may lack a driver that the global one has.
                nearest.filter(|nearest| nearest != name)
            }
            _ => None,
        };
        match nearest {
            Some(nearest) => format!("{self}; did you mean `{nearest}`?"),
            None => self.to_string(),
        }
    }
}
