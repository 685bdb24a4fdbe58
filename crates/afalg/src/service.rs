//! Settings of the service: which names are served, what is logged, and what is counted. A process has one set of
//! settings, which a front end makes before the first request.

use std::{fmt, sync::OnceLock};

/// The settings of a process.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The names that may be used.
    pub policy: Policy,
    /// The log level: 0 nothing, 1 refusals by the policy or a limit, 2 all refusals, 3 also sockets and sessions
    /// that are opened and closed.
    pub level: u8,
    /// Whether usage is counted.
    pub counts: bool,
    /// Writes a log line, which is passed without its line end.
    pub tell: Option<fn(&str)>,
    /// Returns the client that this thread currently serves, as `name[number]`. For front ends that serve several
    /// processes.
    pub client: Option<fn() -> String>,
}

/// The names that are served. In a pattern, `*` stands for any characters.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// If not empty, only names that match one of these patterns are served.
    pub allow: Vec<String>,
    /// Names that match one of these patterns are not served, even if allowed.
    pub deny: Vec<String>,
}

/// The names that Linux 7.3 leaves to unprivileged programs (`crypto.af_alg_restrict`, which is 1 by default).
pub const LINUX_7_3: [&str; 8] =
    ["adiantum", "adiantum(*)", "hctr2(*)", "sha1", "xts(aes)", "xts(camellia)", "xts(serpent)", "xts(twofish)"];

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Sets the settings of the process. Only the first call before the first request has an effect.
pub fn configure(settings: Settings) {
    let _ = SETTINGS.set(settings);
}

pub(crate) fn settings() -> &'static Settings {
    SETTINGS.get_or_init(Settings::default)
}

impl Settings {
    /// Reads the settings from environment variables. `ALGKIT_ALLOW` and `ALGKIT_DENY` are lists of patterns,
    /// separated by spaces. `ALGKIT_AS_LINUX` may be `7.3`. `ALGKIT_LOG` is a log level. `ALGKIT_STATS` enables
    /// counting by its presence. The error is the name of a variable with an invalid value.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, &'static str> {
        let patterns = |name| variable(name).map(|list| list.split_ascii_whitespace().map(str::to_owned).collect());
        let mut policy = Policy {
            allow: patterns("ALGKIT_ALLOW").unwrap_or_default(),
            deny: patterns("ALGKIT_DENY").unwrap_or_default(),
        };
        match variable("ALGKIT_AS_LINUX").as_deref() {
            None => {}
            Some("7.3") => policy.allow.extend(LINUX_7_3.map(str::to_owned)),
            Some(_) => return Err("ALGKIT_AS_LINUX"),
        }
        let level = match variable("ALGKIT_LOG").as_deref() {
            None => 0,
            Some(level) => level.parse().ok().filter(|level| *level <= 3).ok_or("ALGKIT_LOG")?,
        };
        Ok(Self { policy, level, counts: variable("ALGKIT_STATS").is_some(), ..Self::default() })
    }
}

impl Policy {
    /// Whether `algorithm` may be used, which the client requested as `asked`: by its own name or a driver's.
    pub fn permits(&self, asked: &str, algorithm: &str) -> bool {
        let is_in = |patterns: &[String]| patterns.iter().any(|p| matches(p, asked) || matches(p, algorithm));
        (self.allow.is_empty() || is_in(&self.allow)) && !is_in(&self.deny)
    }
}

/// Whether a pattern matches the whole name.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    (0..=name.len()).any(|at| name.is_char_boundary(at) && matches(rest, &name[at..]))
}

/// The client that this thread currently serves; empty if the front end serves one process only.
pub(crate) fn client() -> String {
    settings().client.map_or_else(String::new, |client| client())
}

/// Logs a line about the client that this thread serves, if the level is enabled.
pub(crate) fn tell(level: u8, line: fmt::Arguments<'_>) {
    log_of(client, level, line);
}

/// Logs a line about `client`, if the level is enabled. Names in it may come from anybody: they are made [`visible`].
pub fn log_of(client: impl FnOnce() -> String, level: u8, line: fmt::Arguments<'_>) {
    let settings = settings();
    if let Some(tell) = settings.tell.filter(|_| level <= settings.level) {
        tell(&visible(&match client().as_str() {
            "" => line.to_string(),
            client => format!("{client}: {line}"),
        }));
    }
}

/// The text with control characters written out, and those that turn the direction of what follows.
pub fn visible(text: &str) -> String {
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = text.chars().map(|c| match c.is_control() || turns(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("xts(aes)", "xts(aes)", true),
            ("xts(aes)", "xts(aes", false),
            ("xts(*)", "xts(aes)", true),
            ("xts(*)", "xts(aes", false),
            ("*aes*", "cbc(aes)", true),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("a*b*c", "abbbc", true),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_linux_7_3_leaves() {
        let settings = Settings::of_variables(|name| (name == "ALGKIT_AS_LINUX").then(|| "7.3".into())).unwrap();
        for name in ["adiantum(xchacha12,aes)", "hctr2(aes)", "xts(serpent)", "sha1"] {
            assert!(settings.policy.permits(name, name), "{name}");
        }
        for name in ["cbc(aes)", "gcm(aes)", "hmac(sha1)", "sha256", "stdrng", "xts(cast6)"] {
            assert!(!settings.policy.permits(name, name), "{name}");
        }
        assert!(settings.policy.permits("xts-aes-vaes-avx512", "xts(aes)"), "a driver's name");
    }

    #[test]
    fn denied_names() {
        let variable = |name: &str| (name == "ALGKIT_DENY").then(|| "*(des*) ecb(*)".to_owned());
        let policy = Settings::of_variables(variable).unwrap().policy;
        assert!(policy.permits("cbc(aes)", "cbc(aes)"));
        assert!(!policy.permits("cbc(des3_ede)", "cbc(des3_ede)"));
        assert!(!policy.permits("ecb-aes-aesni", "ecb(aes)"), "a driver's name is no way around it");
    }

    #[test]
    fn variables_that_say_nothing() {
        for (wrong, value) in [("ALGKIT_LOG", "4"), ("ALGKIT_LOG", "x"), ("ALGKIT_AS_LINUX", "6.1")] {
            let of = Settings::of_variables(|name| (name == wrong).then(|| value.to_owned()));
            assert_eq!(of.err(), Some(wrong));
        }
    }
}
