//! Settings from environment variables: the CPU's features and the timing policy.

mod secure;

use crate::{Error, Policy};
use algkit_primitives::cpu::{CpuFeatures, Feature};

/// The variable that hides CPU features: `ALGKIT_CPU=-vaes,-avx512`. It can also override whether 512-bit vectors
/// are preferred to 256-bit ones on this CPU model: `ALGKIT_CPU=-fast512`, `ALGKIT_CPU=+fast512`.
pub const CPU_VARIABLE: &str = "ALGKIT_CPU";

/// The variable that allows drivers with timing=table: `ALGKIT_TIMING=table`.
pub const TIMING_VARIABLE: &str = "ALGKIT_TIMING";

/// The CPU features and the policy for this process.
pub(crate) fn of_process() -> Result<(CpuFeatures, Policy), Error> {
    let value = |variable: &str| std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned());
    // Without a variable nothing needs to be checked, and no system call is made that a sandbox might forbid.
    let is_set = [CPU_VARIABLE, TIMING_VARIABLE].iter().any(|variable| value(variable).is_some());
    if is_set && secure::has_more_rights_than_its_caller() { read(|_| None) } else { read(value) }
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<(CpuFeatures, Policy), Error> {
    let policy = match variable(TIMING_VARIABLE).as_deref() {
        None | Some("" | "constant") => Policy::Constant,
        Some("table") => Policy::Table,
        Some(other) => {
            let reason = format!("`{}` is neither `constant` nor `table`", other.escape_debug());
            return Err(Error::Setting { setting: TIMING_VARIABLE, reason });
        }
    };
    Ok((mask_cpu(CpuFeatures::detect(), &variable(CPU_VARIABLE).unwrap_or_default())?, policy))
}

/// `cpu` without the features that `mask` names: `-vaes,-avx512`. `+fast512` prefers 512-bit vectors.
pub fn mask_cpu(cpu: CpuFeatures, mask: &str) -> Result<CpuFeatures, Error> {
    let refuse = |reason| Error::Setting { setting: CPU_VARIABLE, reason };
    mask.split([',', ' ']).filter(|item| !item.is_empty()).try_fold(cpu, |cpu, item| {
        let shown = item.escape_debug();
        if let Some(name) = item.strip_prefix('+') {
            return match name == Feature::Fast512.name() {
                true => Ok(cpu.prefer_512(true)),
                false => Err(refuse(format!("`{shown}`: of all features only `fast512` can be added"))),
            };
        }
        let name = item
            .strip_prefix('-')
            .ok_or_else(|| refuse(format!("`{shown}` does not start with `-`: features can only be hidden")))?;
        let feature = Feature::ALL.iter().find(|f| f.name() == name).ok_or_else(|| {
            let known: Vec<_> = Feature::ALL.iter().map(|f| f.name()).collect();
            refuse(format!("unknown feature `{}`, expected one of {}", name.escape_debug(), known.join(", ")))
        })?;
        Ok(cpu.without(*feature))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<'a>(cpu: &'a str, timing: &'a str) -> impl Fn(&str) -> Option<String> + 'a {
        move |variable| Some(if variable == CPU_VARIABLE { cpu } else { timing }.to_owned())
    }

    #[test]
    fn variables_are_read_or_refused_by_their_value() {
        let all = CpuFeatures::detect();
        assert_eq!(read(|_| None).unwrap(), (all, Policy::Constant));
        assert_eq!(read(set("", "")).unwrap(), (all, Policy::Constant));
        assert_eq!(read(set("", "table")).unwrap(), (all, Policy::Table));
        let hidden = all.without(Feature::Vaes).without(Feature::Aes);
        assert_eq!(read(set("-vaes, -aes", "constant")).unwrap(), (hidden, Policy::Constant));
        for (cpu, timing, named) in [
            ("vaes", "", "`vaes`"),
            ("-nosuch", "", "`nosuch`"),
            ("+vaes", "", "`+vaes`"),
            ("", "Table", "`Table`"),
            ("-\u{1b}[31m", "", "\\u{1b}"),
        ] {
            let message = read(set(cpu, timing)).unwrap_err().to_string();
            assert!(message.contains(named), "{cpu:?} {timing:?}: {message}");
        }
    }

    #[test]
    fn a_mask_only_hides_in_any_order() {
        let all = CpuFeatures::detect();
        let masked = |mask: &str| mask_cpu(all, mask).unwrap();
        for (&f, &g) in Feature::ALL.iter().flat_map(|f| Feature::ALL.iter().map(move |g| (f, g))) {
            let both = masked(&format!("-{},-{}", f.name(), g.name()));
            assert_eq!(both, masked(&format!("-{} -{}", g.name(), f.name())));
            assert_eq!(both, masked(&format!("-{0},-{1},-{0}", f.name(), g.name())));
            let left = both.features();
            assert!(!left.has(f) && !left.has(g) && all.contains(left), "{f:?} and {g:?}");
        }
        assert!(!masked("-avx512,+fast512").features().has(Feature::Fast512), "nothing is added to what is hidden");
    }

    #[test]
    fn wide_vectors_are_preferred_or_not_by_the_last_word() {
        let all = CpuFeatures::detect();
        let masked = |mask| mask_cpu(all, mask).unwrap();
        assert_eq!(masked("-fast512"), all.prefer_512(false));
        assert_eq!(masked("-fast512,+fast512"), all.prefer_512(true));
        assert_eq!(masked("+fast512,-avx512"), all.without(Feature::Avx512));
    }
}
