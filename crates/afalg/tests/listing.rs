//! `/proc/crypto` of a process in which nothing else uses algorithms.

use algkit_afalg::proc_crypto::text;

#[test]
fn the_first_text_is_as_the_second() {
    let first = text();
    assert!(first.contains("driver       : hmac("));
    assert!(first == text(), "the texts differ");
}
