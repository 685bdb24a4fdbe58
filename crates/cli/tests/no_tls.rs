//! What `algkit volume serve` says about TLS if it was built without.
#![cfg(not(feature = "tls"))]

mod common;

use common::run;

#[test]
fn the_way_to_get_it_is_told() {
    let ended = run(&["volume", "serve", "--tls-certificates", "pki", "disk.img"]);
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(told.contains("--features tls") && told.lines().count() == 1, "{told}");
}
