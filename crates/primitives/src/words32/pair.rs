//! Two vectors that are used as one.

use super::Words32;
use crate::InOut;

/// Two vectors, possibly of different widths, that go through the same operations, interleaved instruction by
/// instruction. Where one alone is a chain of dependent instructions, the other fills the gaps.
#[derive(Clone, Copy)]
pub struct Pair<V, W = V>(pub(crate) V, pub(crate) W);

impl<V: Words32, W: Words32<Token = V::Token>> Words32 for Pair<V, W> {
    type Token = V::Token;
    const LANES: usize = V::LANES + W::LANES;

    #[inline(always)]
    fn splat(token: V::Token, word: u32) -> Self {
        Self(V::splat(token, word), W::splat(token, word))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0), self.1.add(other.1))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1.xor(other.1))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), self.1.and(other.1))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0), self.1.or(other.1))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.not(), self.1.not())
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        Self(self.0.shl::<N>(), self.1.shl::<N>())
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Self(self.0.shr::<N>(), self.1.shr::<N>())
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        Self(self.0.rotl::<L, R>(), self.1.rotl::<L, R>())
    }

    /// Pins nothing: whatever the order, an instruction has its twin to run beside it, and the compiler finds an order
    /// that saves registers.
    #[inline(always)]
    fn pin(self) -> Self {
        self
    }

    #[inline(always)]
    fn load_blocks(token: V::Token, src: &[u8]) -> [Self; 4] {
        let (a, b) = src.split_at(16 * V::LANES);
        let (a, b) = (V::load_blocks(token, a), W::load_blocks(token, b));
        [Self(a[0], b[0]), Self(a[1], b[1]), Self(a[2], b[2]), Self(a[3], b[3])]
    }

    #[inline(always)]
    fn store_blocks([a, b, c, d]: [Self; 4], dst: &mut [u8]) {
        let (front, back) = dst.split_at_mut(16 * V::LANES);
        V::store_blocks([a.0, b.0, c.0, d.0], front);
        W::store_blocks([a.1, b.1, c.1, d.1], back);
    }

    #[inline(always)]
    fn xor_blocks([a, b, c, d]: [Self; 4], data: InOut<'_>) {
        let (front, back) = data.split_at(16 * V::LANES);
        V::xor_blocks([a.0, b.0, c.0, d.0], front);
        W::xor_blocks([a.1, b.1, c.1, d.1], back);
    }

    #[inline(always)]
    fn load_partial(token: V::Token, src: &[u8]) -> [Self; 4] {
        let (front, back) = src.split_at(src.len().min(16 * V::LANES));
        let front = V::load_partial(token, front);
        let back = if back.is_empty() { [W::splat(token, 0); 4] } else { W::load_partial(token, back) };
        [Self(front[0], back[0]), Self(front[1], back[1]), Self(front[2], back[2]), Self(front[3], back[3])]
    }

    #[inline(always)]
    fn store_partial([a, b, c, d]: [Self; 4], dst: &mut [u8]) {
        let (front, back) = dst.split_at_mut(dst.len().min(16 * V::LANES));
        V::store_partial([a.0, b.0, c.0, d.0], front);
        if !back.is_empty() {
            W::store_partial([a.1, b.1, c.1, d.1], back);
        }
    }
}
