//! Links libgcrypt.

fn main() {
    pkg_config::Config::new()
        .atleast_version("1.10")
        .probe("libgcrypt")
        .expect("libgcrypt 1.10: install Debian's libgcrypt20-dev and pkg-config");
}
