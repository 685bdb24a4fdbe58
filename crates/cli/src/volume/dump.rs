//! `algkit volume dump`: prints a header in the format of cryptsetup luksDump, or as JSON.

use super::{
    Access, Named,
    args::{DumpArgs, kind::Format},
    tcrypt,
};
use crate::{answer::Answer, error::Error, out::print_all, words::visible};
use algkit_volume::{
    Header, Kdf, luks1,
    luks2::{self, Digest, Keyslot, Segment, SegmentSize},
};
use serde_json::json;
use std::fmt::Write as _;

pub fn run(args: &DumpArgs, format: Format) -> Result<Answer, Error> {
    let image = Named::open(&args.image, Access::Inspect)?;
    if format == Format::Tcrypt {
        return tcrypt::dump(args, &image);
    }
    tcrypt::refuse_options(&args.kind)?;
    if matches!(format, Format::Loopaes | Format::Plain) {
        return Err(Error::option("--type", "this format has no header to print"));
    }
    let header = image.header()?;
    let text = match (&header, args.json) {
        (Header::Luks1(header), false) => luks1_text(header, &args.image.display().to_string()),
        (Header::Luks2(header), false) => luks2_text(header),
        (header, true) => json_text(&to_json(header)),
    };
    print_all(text.as_bytes())?;
    Ok(Answer::Yes)
}

/// JSON in lines. Characters of the header that would change what a terminal shows are escaped: a control character has no place but in a string.
fn json_text(json: &serde_json::Value) -> String {
    let mut text = String::new();
    for character in format!("{json:#}\n").chars() {
        if character == '\n' || visible(character.encode_utf8(&mut [0; 4])).starts_with(character) {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// Bytes as luksDump prints them: 16 per line, each followed by a space.
fn hex(bytes: &[u8], indent: &str) -> String {
    let lines = bytes.chunks(16).map(|line| line.iter().map(|byte| format!("{byte:02x} ")).collect::<String>());
    lines.collect::<Vec<_>>().join(&format!("\n{indent}"))
}

fn luks1_text(header: &luks1::Header, path: &str) -> String {
    let mut text = format!("LUKS header information for {}\n\n", visible(path));
    for (name, value) in [
        ("Version:       ", "1".to_owned()),
        ("Cipher name:   ", visible(&header.cipher)),
        ("Cipher mode:   ", visible(&header.mode)),
        ("Hash spec:     ", visible(&header.hash)),
        ("Payload offset:", header.payload_offset.to_string()),
        ("MK bits:       ", (8 * header.key_size).to_string()),
        ("MK digest:     ", header.digest.iter().map(|byte| format!("{byte:02x} ")).collect()),
        ("MK salt:       ", hex(&header.salt, "               \t")),
        ("MK iterations: ", header.iterations.to_string()),
        ("UUID:          ", visible(&header.uuid)),
    ] {
        let _ = writeln!(text, "{name}\t{value}");
    }
    text.push('\n');
    for (number, slot) in header.slots.iter().enumerate() {
        if !slot.is_enabled() {
            let _ = writeln!(text, "Key Slot {number}: DISABLED");
            continue;
        }
        let _ = writeln!(text, "Key Slot {number}: ENABLED");
        for (name, value) in [
            ("Iterations:         ", slot.iterations.to_string()),
            ("Salt:               ", hex(&slot.salt, "\t                      \t")),
            ("Key material offset:", slot.offset.to_string()),
            ("AF stripes:            ", slot.stripes.to_string()),
        ] {
            let _ = writeln!(text, "\t{name}\t{value}");
        }
    }
    text
}

/// The text of an optional field, or `none`.
fn or<'a>(text: &'a str, none: &'a str) -> String {
    if text.is_empty() { none.to_owned() } else { visible(text) }
}

fn luks2_text(header: &luks2::Header) -> String {
    let (binary, metadata) = (&header.binary, &header.metadata);
    let mut text = "LUKS header information\n".to_owned();
    let flags: String = metadata.config.flags.iter().map(|flag| format!("{} ", visible(flag))).collect();
    for (name, value) in [
        ("Version:       ", "2".to_owned()),
        ("Epoch:         ", binary.sequence.to_string()),
        ("Metadata area: ", format!("{} [bytes]", binary.header_size)),
        ("Keyslots area: ", format!("{} [bytes]", metadata.config.keyslots_size)),
        ("UUID:          ", or(&binary.uuid, "(no UUID)")),
        ("Label:         ", or(&String::from_utf8_lossy(&binary.label), "(no label)")),
        ("Subsystem:     ", or(&String::from_utf8_lossy(&binary.subsystem), "(no subsystem)")),
        ("Flags:       ", if flags.is_empty() { "(no flags)".to_owned() } else { flags }),
    ] {
        let _ = writeln!(text, "{name}\t{value}");
    }
    let required = &metadata.config.requirements.mandatory;
    if !required.is_empty() {
        let required: String = required.iter().map(|name| format!("{} ", visible(name))).collect();
        let _ = writeln!(text, "Requirements:\t{required}");
    }
    text += "\nData segments:\n";
    metadata.segments.iter().for_each(|(id, segment)| segment_text(&mut text, *id, segment));
    text += "Keyslots:\n";
    metadata.keyslots.iter().for_each(|(id, slot)| keyslot_text(&mut text, *id, slot, header));
    text += "Tokens:\n";
    for (id, token) in &metadata.tokens {
        let kind = token.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        let _ = writeln!(text, "  {id}: {}", visible(kind));
        let slots = token.get("keyslots").and_then(|slots| slots.as_array());
        for slot in slots.into_iter().flatten().filter_map(|slot| slot.as_str()) {
            let _ = writeln!(text, "\tKeyslot:    {}", visible(slot));
        }
    }
    text += "Digests:\n";
    metadata.digests.iter().for_each(|(id, digest)| digest_text(&mut text, *id, digest));
    text
}

fn segment_text(text: &mut String, id: u32, segment: &Segment) {
    let _ = writeln!(text, "  {id}: {}\n\toffset: {} [bytes]", visible(&segment.kind), segment.offset);
    let _ = match segment.size {
        SegmentSize::Dynamic => writeln!(text, "\tlength: (whole device)"),
        SegmentSize::Bytes(size) => writeln!(text, "\tlength: {size} [bytes]"),
    };
    if let Some(cipher) = &segment.encryption {
        let _ = writeln!(text, "\tcipher: {}\n\tsector: {} [bytes]", visible(cipher), segment.sector_size());
    }
    if let Some(kind) = segment.integrity.as_ref().and_then(|integrity| integrity.get("type")?.as_str()) {
        let _ = writeln!(text, "\tintegrity: {}", visible(kind));
    }
    if !segment.flags.is_empty() {
        let _ = writeln!(text, "\tflags : {}", visible(&segment.flags.join(", ")));
    }
    text.push('\n');
}

/// Prints a field of an object; names are padded to the longest one.
fn field(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "\t{name:12}{}", visible(&value.to_string()));
}

fn bytes_field(text: &mut String, name: &str, bytes: &[u8]) {
    let _ = writeln!(text, "\t{name:12}{}", hex(bytes, "\t            "));
}

fn keyslot_text(text: &mut String, id: u32, slot: &Keyslot, header: &luks2::Header) {
    let digest = header.metadata.digests.iter().find(|(_, digest)| digest.keyslots.contains(&id));
    // A slot counts as bound if its key is that of the first segment, as in cryptsetup.
    let unbound = digest.is_none_or(|(_, digest)| !digest.segments.contains(&0));
    let _ = writeln!(text, "  {id}: {}{}", visible(&slot.kind), if unbound { " (unbound)" } else { "" });
    field(text, "Key:", format_args!("{} bits", 8 * slot.key_size));
    field(text, "Priority:", ["ignored", "normal", "preferred"][usize::from(slot.priority.unwrap_or(1).min(2))]);
    if let Some(cipher) = &slot.area.encryption {
        field(text, "Cipher:", cipher);
    }
    if let Some(size) = slot.area.key_size {
        field(text, "Cipher key:", format_args!("{} bits", 8 * size));
    }
    if let Some(name) = slot.kdf_name() {
        field(text, "PBKDF:", name);
    }
    match &slot.kdf {
        None | Some(Err(_)) => {}
        Some(Ok(Kdf::Pbkdf2 { hash, iterations, salt })) => {
            field(text, "Hash:", hash);
            field(text, "Iterations:", iterations);
            bytes_field(text, "Salt:", salt);
        }
        Some(Ok(Kdf::Argon2 { time, memory_kib, cpus, salt, .. })) => {
            field(text, "Time cost:", time);
            field(text, "Memory:", memory_kib);
            field(text, "Threads:", cpus);
            bytes_field(text, "Salt:", salt);
        }
    }
    if let Some(af) = &slot.af {
        field(text, "AF stripes:", af.stripes);
        field(text, "AF hash:", &af.hash);
    }
    if let (Some(mode), Some(direction)) = (&slot.mode, &slot.direction) {
        field(text, "Mode:", mode);
        field(text, "Direction:", direction);
        field(text, "Resilience:", &slot.area.kind);
        if let (Some(hash), Some(size)) = (&slot.area.hash, slot.area.sector_size) {
            field(text, "Hash:", hash);
            field(text, "Hash data:", format_args!("{size} [bytes]"));
        }
        if let Some(size) = slot.area.shift_size {
            field(text, "Shift size:", format_args!("{size}[bytes]"));
        }
    }
    field(text, "Area offset:", format_args!("{} [bytes]", slot.area.offset));
    field(text, "Area length:", format_args!("{} [bytes]", slot.area.size));
    if let Some((id, _)) = digest {
        field(text, "Digest ID:", id);
    }
}

fn digest_text(text: &mut String, id: u32, digest: &Digest) {
    let _ = writeln!(text, "  {id}: {}", visible(&digest.kind));
    if let (Some(hash), Some(iterations)) = (&digest.hash, digest.iterations) {
        field(text, "Hash:", hash);
        field(text, "Iterations:", iterations);
    }
    bytes_field(text, "Salt:", &digest.salt);
    bytes_field(text, "Digest:", &digest.digest);
}

fn to_json(header: &Header) -> serde_json::Value {
    match header {
        Header::Luks1(header) => json!({
            "version": 1,
            "uuid": header.uuid,
            "cipher": format!("{}-{}", header.cipher, header.mode),
            "hash": header.hash,
            "payload_offset": header.payload_offset,
            "key_bits": 8 * header.key_size,
            "iterations": header.iterations,
            "keyslots": header.slots.iter().enumerate().filter(|(_, slot)| slot.is_enabled()).map(|(number, slot)| json!({
                "slot": number,
                "iterations": slot.iterations,
                "offset": slot.offset,
                "stripes": slot.stripes,
            })).collect::<Vec<_>>(),
        }),
        Header::Luks2(header) => json!({
            "version": 2,
            "uuid": header.binary.uuid,
            "label": String::from_utf8_lossy(&header.binary.label),
            "subsystem": String::from_utf8_lossy(&header.binary.subsystem),
            "epoch": header.binary.sequence,
            "header_size": header.binary.header_size,
            "metadata": header.json,
        }),
    }
}
