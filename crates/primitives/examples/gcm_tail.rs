//! Seals a message of as many bytes as the first argument says, if there is a second one. `lab/aarch64` counts the
//! branches that the call takes.

#[cfg(not(target_arch = "aarch64"))]
fn main() {}

#[cfg(target_arch = "aarch64")]
fn main() {
    use algkit_primitives::{
        InOut, Packet,
        cpu::{ArmCe, CpuFeatures, Token},
        gcm::GcmKey,
    };

    let mut args = std::env::args().skip(1);
    let len = args.next().and_then(|len| len.parse().ok()).expect("a number of bytes");
    let mut text = vec![0; len];
    let mut tag = [0; 16];
    let token = ArmCe::detect(CpuFeatures::detect()).expect("a CPU with AES and PMULL");
    let key = GcmKey::new(token, &[1; 16]).expect("a key of 16 bytes");
    if args.next().is_some() {
        key.seal(&[2; 12], &mut Packet { assoc: &[], text: InOut::from(&mut text[..]) }, &mut tag);
        assert_ne!(tag, [0; 16]);
    }
}
