//! QUIC's packets and headers: the examples of RFC 9001, appendix A.

use algkit_rustls::cipher_suite::{TLS13_AES_128_GCM_SHA256, TLS13_CHACHA20_POLY1305_SHA256};
use hex::decode as bytes;
use rustls::{
    Error, Side,
    crypto::cipher::{AeadKey, Iv},
    quic::{Algorithm, Keys, Version},
};

/// The keys of the first packets of both sides, which follow from a connection's number (A.1).
fn initial(side: Side) -> Keys {
    let suite = TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    Keys::initial(Version::V1, suite, suite.quic.unwrap(), &bytes("8394c8f03e515708").unwrap(), side)
}

fn chacha20() -> &'static dyn Algorithm {
    TLS13_CHACHA20_POLY1305_SHA256.tls13().unwrap().quic.unwrap()
}

fn array<const N: usize>(hex: &str) -> [u8; N] {
    bytes(hex).unwrap().try_into().unwrap()
}

#[test]
fn the_first_packet_of_a_client() {
    let mut header = bytes("c300000001088394c8f03e5157080000449e00000002").unwrap();
    let hello = "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007000504616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff";
    let mut payload = bytes(hello).unwrap();
    payload.resize(1162, 0);
    let plain = payload.clone();

    let client = initial(Side::Client).local;
    let tag = client.packet.encrypt_in_place(2, &header, &mut payload).unwrap();
    assert_eq!(hex::encode(&payload[..16]), "d1b1c98dd7689fb8ec11d242b123dc9b");
    assert_eq!(hex::encode(&tag), "e221af44860018ab0856972e194cd934");

    let plain_header = header.clone();
    let (first, rest) = header.split_first_mut().unwrap();
    client.header.encrypt_in_place(&payload[..16], first, &mut rest[17..]).unwrap();
    assert_eq!(hex::encode(&header), "c000000001088394c8f03e5157080000449e7b9aec34");

    let server = initial(Side::Server).remote;
    let (first, rest) = header.split_first_mut().unwrap();
    server.header.decrypt_in_place(&payload[..16], first, &mut rest[17..]).unwrap();
    assert_eq!(header, plain_header);
    payload.extend_from_slice(tag.as_ref());
    assert_eq!(server.packet.decrypt_in_place(2, &header, &mut payload).unwrap(), plain);
}

#[test]
fn the_first_packet_of_a_server() {
    let packet = "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee";
    let mut packet = bytes(packet).unwrap();
    let client = initial(Side::Client).remote;
    let sample = packet[22..38].to_vec();
    let (first, rest) = packet.split_first_mut().unwrap();
    // The packet number has two bytes here, which only the first byte without its mask tells.
    client.header.decrypt_in_place(&sample, first, &mut rest[17..21]).unwrap();
    let (header, payload) = packet.split_at_mut(20);
    assert_eq!(hex::encode(&header), "c1000000010008f067a5502a4262b50040750001");
    let plain = client.packet.decrypt_in_place(1, header, payload).unwrap();
    assert_eq!(
        hex::encode(plain),
        "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304"
    );
    payload[0] ^= 1;
    assert_eq!(client.packet.decrypt_in_place(1, header, payload).unwrap_err(), Error::DecryptError);
}

#[test]
fn a_short_header_with_chacha20() {
    let key = AeadKey::from(array("c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8"));
    let packets = chacha20().packet_key(key, Iv::from(array("e0459b3474bdd0e44a41c144")));
    let key = AeadKey::from(array("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"));
    let headers = chacha20().header_protection_key(key);

    let (mut header, mut payload) = (bytes("4200bff4").unwrap(), vec![1]);
    let tag = packets.encrypt_in_place(654_360_564, &header, &mut payload).unwrap();
    payload.extend_from_slice(tag.as_ref());
    assert_eq!(hex::encode(&payload), "655e5cd55c41f69080575d7999c25a5bfb");
    let (first, number) = header.split_first_mut().unwrap();
    headers.encrypt_in_place(&payload[1..17], first, number).unwrap();
    assert_eq!(hex::encode(&header), "4cfe4189");
}

#[test]
fn wrong_lengths_change_nothing() {
    let headers = initial(Side::Client).local.header;
    let (mut first, mut number) = (0x43, [1, 2, 3, 4, 5]);
    assert!(headers.encrypt_in_place(&[0; 15], &mut first, &mut number[..4]).is_err());
    assert!(headers.encrypt_in_place(&[0; 16], &mut first, &mut number).is_err());
    assert_eq!((first, number), (0x43, [1, 2, 3, 4, 5]));
    let packets = initial(Side::Client).local.packet;
    assert_eq!(packets.decrypt_in_place(0, b"", &mut [0; 15]).unwrap_err(), Error::DecryptError);
}

/// draft-ietf-quic-multipath, section 2.4: the path's number fills the front of the nonce, so path 0 is no path.
#[test]
fn each_path_has_nonces_of_its_own() {
    let packets = initial(Side::Client).local.packet;
    let seal = |path, number| {
        let mut payload = [0; 20];
        packets.encrypt_in_place_for_path(path, number, b"header", &mut payload).unwrap();
        payload
    };
    let mut payload = [0; 20];
    packets.encrypt_in_place(7, b"header", &mut payload).unwrap();
    assert_eq!(seal(0, 7), payload);
    assert_ne!(seal(1, 7), payload);
    assert_ne!(seal(1, 7), seal(7, 1));
}
