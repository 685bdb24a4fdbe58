//! Random number generator sockets.

mod common;

use algkit_afalg::{Errno, Readiness, abi};
use common::*;
use hex_literal::hex;

#[test]
fn seeds() {
    for name in ["stdrng", "drbg_nopr_hmac_sha256", "drbg_pr_ctr_aes256"] {
        let mut parent = bound("rng", name);
        let mut unseeded = parent.accept().unwrap();
        assert_eq!(recv(&mut unseeded, 16), Err(Errno::INVAL), "{name}");
        assert_eq!(set_key(&mut parent, b"seed"), Err(Errno::BUSY));
        drop(unseeded);
        for seed in [&b""[..], b"seed"] {
            set_key(&mut parent, seed).unwrap();
        }
        let (mut one, mut two) = (parent.accept().unwrap(), parent.accept().unwrap());
        let got = [recv(&mut one, 16).unwrap(), recv(&mut two, 16).unwrap(), recv(&mut one, 16).unwrap()];
        assert!(got[0] != got[1] && got[1] != got[2] && got[0] != got[2]);
    }
    let mut socket = bound("rng", "jitterentropy_rng").accept().unwrap();
    assert_ne!(recv(&mut socket, 32).unwrap(), [0; 32]);
    keyed("rng", "jitterentropy_rng", b"which it does not need");
}

#[test]
fn sizes() {
    let mut socket = operation("rng", "stdrng", b"");
    assert_eq!(recv(&mut socket, 0).unwrap(), []);
    assert_eq!(recv(&mut socket, 127).unwrap().len(), 127);
    assert_eq!(recv(&mut socket, 1000).unwrap().len(), 128);
    assert_eq!(recv_pieces(&mut socket, &[100, 0, 100]).unwrap().len(), 128);
    assert_eq!(send(&mut socket, b"additional", 0), Err(Errno::OPNOTSUPP));
    assert_eq!(socket.accept().map(|_| ()), Err(Errno::OPNOTSUPP));
    assert_eq!(socket.readiness(), Readiness::default());
}

/// The first vector of CAVP's HMAC_DRBG (SHA-256, without prediction resistance and reseeding).
#[test]
fn known_answers() {
    let mut parent = bound("rng", "drbg_nopr_hmac_sha256");
    let entropy = hex!(
        "ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488"
        "659ba96c601dc69fc902940805ec0ca8"
    );
    let set_entropy = |parent: &mut algkit_afalg::alg::Socket, entropy: &[u8]| {
        set_option(parent, abi::SOL_ALG, abi::ALG_SET_DRBG_ENTROPY, entropy)
    };
    assert_eq!(set_entropy(&mut parent, &[0; 129]), Err(Errno::MSGSIZE));
    assert_eq!(set_entropy(&mut parent, &entropy), Ok(()));
    assert_eq!(set_entropy(&mut parent, &entropy), Err(Errno::INVAL), "once");
    set_key(&mut parent, b"").unwrap();
    let mut socket = parent.accept().unwrap();
    assert_eq!(send(&mut socket, b"", 0), Ok(0));
    assert_eq!(send(&mut socket, &[0; 129], 0), Err(Errno::MSGSIZE));
    recv(&mut socket, 128).unwrap();
    let want = hex!(
        "e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89"
        "d54fbb978a15b5c443c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc1"
        "07694bb7547bb0995f70de25d6b29e2d3011bb19d27676c07162c8b5ccde0668"
        "961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bdaba806f48be9dcb8"
    );
    assert_eq!(recv(&mut socket, 128).unwrap(), want);

    assert_eq!(set_entropy(&mut bound("hash", "sha256"), &entropy), Err(Errno::NOPROTOOPT));
}

/// Additional input affects one request only.
#[test]
fn additional_input() {
    let socket = || {
        let mut parent = bound("rng", "drbg_nopr_sha256");
        set_option(&mut parent, abi::SOL_ALG, abi::ALG_SET_DRBG_ENTROPY, &[5; 48]).unwrap();
        set_key(&mut parent, b"person").unwrap();
        parent.accept().unwrap()
    };
    let (mut one, mut two) = (socket(), socket());
    assert_eq!(recv(&mut one, 32).unwrap(), recv(&mut two, 32).unwrap());
    send_with(&mut one, &Control::default(), &[b"addi", b"tional"], 0).unwrap();
    send(&mut two, b"additional", 0).unwrap();
    assert_eq!(recv(&mut one, 32).unwrap(), recv(&mut two, 32).unwrap());
    send(&mut one, b"another", 0).unwrap();
    send(&mut one, b"replaced", 0).unwrap();
    send(&mut two, b"replaced", 0).unwrap();
    assert_eq!(recv(&mut one, 32).unwrap(), recv(&mut two, 32).unwrap());
    send(&mut one, b"only here", 0).unwrap();
    assert_ne!(recv(&mut one, 32).unwrap(), recv(&mut two, 32).unwrap());
}
