//! The tokens of x86, and the traits that say which features each of them proves.

use super::{
    CpuFeatures, Feature, FeatureSet, Token,
    token::{proof, proves, token},
};

proof!(/// 128-bit vectors: every token of x86.
HasSse2: Token, "sse2" {
    /// The token of AVX-512, if this token proves AVX-512 too.
    #[inline(always)]
    #[doc(hidden)]
    fn avx512(self) -> Option<Avx512> {
        Self::NEEDS.contains(Avx512::NEEDS).then_some(Avx512(()))
    }
});
proof!(/// Byte shuffles.
    HasSsse3: HasSse2, "ssse3");
proof!(/// Wider integer operations on 128-bit vectors.
    HasSse41: HasSsse3, "sse4.1");
proof!(/// The `crc32` instruction.
    HasSse42: HasSse41, "sse4.2");
proof!(/// AES on 128-bit vectors.
    HasAes: HasSse41, "aes");
proof!(/// Carry-less multiplication on 128-bit vectors.
    HasClmul: HasSse41, "pclmulqdq");
proof!(/// SHA-1 and SHA-256 instructions.
    HasSha: HasSse41, "sha");
proof!(/// 256-bit vectors.
    HasAvx2: HasSse42, "avx2");
proof!(/// AES on 256-bit vectors, and with AVX-512 on 512-bit vectors.
    HasVaes: HasAvx2 + HasAes, "vaes");
proof!(/// Carry-less multiplication on 256-bit vectors, and with AVX-512 on 512-bit vectors.
    HasVpclmul: HasAvx2 + HasClmul, "vpclmulqdq");
proof!(/// 512-bit vectors.
    HasAvx512: HasAvx2, "avx512f,avx512bw,avx512vl,avx512dq");
proof!(/// Multiplication of 52-bit numbers.
    HasIfma: HasAvx512, "avx512ifma");

token!(/// 128-bit vectors, in every x86-64 CPU.
    Sse2, [Sse2], "sse2",
    [HasSse2]);
token!(/// 128-bit vectors with byte shuffles.
    Ssse3, [Ssse3], "ssse3",
    [HasSse2, HasSsse3]);
token!(/// 256-bit vectors.
    Avx2, [Avx2], "avx2,bmi1,bmi2",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2]);
token!(/// 512-bit vectors with byte operations and ternary logic.
    Avx512, [Avx512], "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2, HasAvx512]);
token!(/// 512-bit vectors with multiplication of 52-bit numbers.
    Ifma512, [Avx512, Ifma], "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma,bmi1,bmi2",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasAvx2, HasAvx512, HasIfma]);
token!(/// AES-NI and PCLMULQDQ.
    AesNi, [Sse41, Aes, Pclmul], "sse4.1,ssse3,aes,pclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasAes, HasClmul]);
token!(/// AES and carry-less multiplication on 256-bit vectors.
    Vaes256, [Avx2, Aes, Pclmul, Vaes, Vpclmul], "avx2,bmi1,bmi2,aes,pclmulqdq,vaes,vpclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasAes, HasClmul, HasAvx2, HasVaes, HasVpclmul]);
token!(/// AES and carry-less multiplication on 512-bit vectors.
    Vaes512, [Avx512, Aes, Pclmul, Vaes, Vpclmul],
    "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,aes,pclmulqdq,vaes,vpclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasAes, HasClmul, HasAvx2, HasVaes, HasVpclmul, HasAvx512]);
token!(/// SHA-1 and SHA-256 instructions.
    ShaNi, [Ssse3, Sse41, Sha], "sha,sse4.1,ssse3",
    [HasSse2, HasSsse3, HasSse41, HasSha]);
token!(/// SHA-1 and SHA-256 instructions, and 256-bit vectors.
    ShaNiAvx2, [Ssse3, Sse41, Sha, Avx2], "sha,sse4.1,ssse3,avx2,bmi1,bmi2",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasSha, HasAvx2]);
token!(/// SHA-1 and SHA-256 instructions, and 512-bit vectors.
    ShaNiAvx512, [Ssse3, Sse41, Sha, Avx512], "sha,sse4.1,ssse3,avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasSha, HasAvx2, HasAvx512]);
token!(/// AES-NI, and SHA-1 and SHA-256 instructions.
    AesSha, [Ssse3, Sse41, Aes, Pclmul, Sha], "sse4.1,ssse3,aes,pclmulqdq,sha",
    [HasSse2, HasSsse3, HasSse41, HasAes, HasClmul, HasSha]);
token!(/// The `crc32` instruction.
    Sse42, [Sse42], "sse4.2",
    [HasSse2, HasSsse3, HasSse41, HasSse42]);
token!(/// 128-bit carry-less multiplication.
    Pclmul, [Sse41, Pclmul], "sse4.1,ssse3,pclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasClmul]);
token!(/// Carry-less multiplication on 256-bit vectors, and the `crc32` instruction.
    Vpclmul256, [Sse42, Avx2, Pclmul, Vpclmul], "sse4.2,avx2,pclmulqdq,vpclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasClmul, HasAvx2, HasVpclmul]);
token!(/// Carry-less multiplication on 512-bit vectors, and the `crc32` instruction.
    Vpclmul512, [Sse42, Avx512, Pclmul, Vpclmul], "sse4.2,avx512f,avx512bw,avx512vl,avx512dq,avx2,pclmulqdq,vpclmulqdq",
    [HasSse2, HasSsse3, HasSse41, HasSse42, HasClmul, HasAvx2, HasVpclmul, HasAvx512]);

proves! {
    AesSha => AesNi;
    AesSha => ShaNi;
    Avx512 => Avx2;
    Ifma512 => Avx512;
    ShaNiAvx2 => Avx2;
    ShaNiAvx2 => ShaNi;
    ShaNiAvx512 => Avx512;
    ShaNiAvx512 => ShaNi;
    Vaes256 => AesNi;
    Vaes512 => AesNi;
    Vaes512 => Vaes256;
}
