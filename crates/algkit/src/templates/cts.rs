//! CBC with ciphertext stealing, variant CS3 (SP 800-38A addendum; RFC 3962 section 5): the last two blocks are
//! always swapped, except in a text of a single block.

use super::{Lookup, MAX_BLOCK, args, bad, skcipher, wrap};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{Direction, Driver, Keyed, Shape, SkcipherOps, TextRule, Type},
    wiped::Wiped,
};
use algkit_primitives::InOut;

/// CTS over CBC.
struct Cts(Box<dyn SkcipherOps>);

impl Cts {
    fn cbc(&self, direction: Direction, iv: &mut [u8], data: InOut<'_>) {
        self.0.crypt(direction, iv, &mut Text::from(data));
    }

    /// Processes the end of the text: one whole block and 1 to `bs` further bytes.
    fn steal(&self, direction: Direction, iv: &mut [u8], mut pieces: InOut<'_>) {
        let bs = iv.len();
        let partial = pieces.len() - bs;
        let (mut whole, mut padded) = (Wiped::<MAX_BLOCK>::default(), Wiped::<MAX_BLOCK>::default());
        let (whole, padded) = (&mut whole[..bs], &mut padded[..bs]);
        whole.copy_from_slice(&pieces.src()[..bs]);
        padded[..partial].copy_from_slice(&pieces.src()[bs..]);
        match direction {
            Direction::Encrypt => {
                self.cbc(direction, iv, InOut::from(&mut *whole));
                self.cbc(direction, iv, InOut::from(&mut *padded));
                pieces.put(0, padded);
                pieces.put(bs, &whole[..partial]);
            }
            Direction::Decrypt => {
                let mut chain = [0; MAX_BLOCK];
                chain[..bs].copy_from_slice(whole);
                // The first piece decrypts to (zero-padded last plaintext) ^ (previous ciphertext block). So beyond
                // the last plaintext it holds the stolen end of that block.
                self.cbc(direction, &mut [0; MAX_BLOCK][..bs], InOut::from(&mut *whole));
                xor(&mut whole[..partial], &padded[..partial]);
                padded[partial..].copy_from_slice(&whole[partial..]);
                self.cbc(direction, iv, InOut::from(&mut *padded));
                // The kernel's template returns the last whole ciphertext block as the IV.
                iv.copy_from_slice(&chain[..bs]);
                pieces.put(0, padded);
                pieces.put(bs, &whole[..partial]);
            }
        }
    }
}

impl SkcipherOps for Cts {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let bs = iv.len();
        if text.len() == bs {
            return self.0.crypt(direction, iv, text);
        }
        let mut left = text.len();
        while let Some(run) = text.next(bs, 2 * bs) {
            left -= run.len();
            if left > 0 {
                self.cbc(direction, iv, run);
                continue;
            }
            let partial = (run.len() - 1) % bs + 1;
            let body = run.len() - partial - bs;
            let (body, pieces) = run.split_at(body);
            self.cbc(direction, iv, body);
            self.steal(direction, iv, pieces);
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Skcipher, arg)?;
    if !inner.name.starts_with("cbc(") {
        return Err(bad(name, "cts takes cbc(cipher)"));
    }
    let block = inner.shape.blocksize;
    let shape = Shape::skcipher(block, inner.shape.keys.clone(), block, TextRule::Stealing);
    Ok(wrap(name, Type::Skcipher, shape, [inner], |[inner], cpu, key, weak| {
        Ok(Keyed::Skcipher(Box::new(Cts(skcipher(inner, cpu, key, weak)?))))
    }))
}
