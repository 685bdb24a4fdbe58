//! The hashes of transcripts.

use algkit::{Hash, State};
use rustls::crypto::hash::{Context, Hash as RustlsHash, HashAlgorithm, Output};
use std::sync::LazyLock;

pub(crate) static SHA256: Sha2 = Sha2 { algorithm: HashAlgorithm::SHA256, hash: LazyLock::new(algkit::sha256) };
pub(crate) static SHA384: Sha2 = Sha2 { algorithm: HashAlgorithm::SHA384, hash: LazyLock::new(algkit::sha384) };

pub(crate) struct Sha2 {
    algorithm: HashAlgorithm,
    hash: LazyLock<Hash>,
}

impl RustlsHash for Sha2 {
    fn start(&self) -> Box<dyn Context> {
        Box::new(Transcript(self.hash.start()))
    }

    fn hash(&self, data: &[u8]) -> Output {
        Output::new(&self.hash.digest(data))
    }

    fn output_len(&self) -> usize {
        self.hash.digest_size()
    }

    fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }
}

struct Transcript(State);

impl Context for Transcript {
    fn fork_finish(&self) -> Output {
        Output::new(&self.0.clone().finish())
    }

    fn fork(&self) -> Box<dyn Context> {
        Box::new(Self(self.0.clone()))
    }

    fn finish(self: Box<Self>) -> Output {
        Output::new(&self.0.finish())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}
