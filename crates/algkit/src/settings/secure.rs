//! Whether environment variables may be obeyed.

/// Whether the program has rights that its caller may not have: another user or group, file capabilities, or
/// another security domain.
///
/// The kernel reports this in the entry `AT_SECURE` of the auxiliary vector (getauxval(3)). libc reads it from
/// memory, safe code from `/proc`. Where `/proc` cannot be read, as in a set-user-ID program that may not read its
/// own entry, the answer is yes.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn has_more_rights_than_its_caller() -> bool {
    std::fs::read("/proc/self/auxv").ok().and_then(|vector| at_secure(&vector)) != Some(0)
}

/// The entry `AT_SECURE` of an auxiliary vector: pairs of a type and a value, both as wide as an address.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn at_secure(vector: &[u8]) -> Option<usize> {
    const AT_SECURE: usize = 23;
    const WORD: usize = size_of::<usize>();
    let words = vector.as_chunks::<WORD>().0.iter().map(|word| usize::from_ne_bytes(*word));
    let words: Vec<_> = words.collect();
    words.as_chunks().0.iter().find(|[entry, _]| *entry == AT_SECURE).map(|[_, value]| *value)
}

/// Whether the program runs with another user or group than its caller.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
pub(super) fn has_more_rights_than_its_caller() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    getuid() != geteuid() || getgid() != getegid()
}

/// On other systems, starting a program never gives it more rights.
#[cfg(not(unix))]
pub(super) fn has_more_rights_than_its_caller() -> bool {
    false
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;

    #[test]
    fn the_entry_is_found_in_a_vector_and_in_no_other_place() {
        let vector = |words: &[usize]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>();
        assert_eq!(at_secure(&vector(&[6, 4096, 23, 0, 0, 0])), Some(0));
        assert_eq!(at_secure(&vector(&[6, 4096, 23, 1, 0, 0])), Some(1));
        // A value of 23 and an incomplete entry do not match.
        assert_eq!(at_secure(&vector(&[6, 23, 17, 100, 0, 0])), None);
        assert_eq!(at_secure(&vector(&[6, 4096, 23])), None);
        assert_eq!(at_secure(&[]), None);
    }

    #[test]
    fn this_test_runs_with_its_callers_rights() {
        assert!(!has_more_rights_than_its_caller());
    }
}
