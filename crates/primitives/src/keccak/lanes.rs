//! Keccak with a lane of the state in each register: that of one state, or those of several states in a vector.

use super::{Permute, ROUND_CONSTANTS};
use crate::cpu::{Portable, Token};

/// A lane of a state; or a vector that holds one lane of one state, or the same lane of several states.
pub(super) trait Lane<T>: Copy {
    /// What θ xors to each lane of a column: two parities, or their sum.
    type Theta: Copy;

    /// The lane, in every state that the vector holds. The token proves that the CPU has the vector.
    fn new(token: T, lane: u64) -> Self;

    fn xor(self, other: Self) -> Self;

    /// `self ^ a ^ b ^ c ^ d`.
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self;

    /// `self ^ (other <<< 1)`, as a sum or as its two parts.
    fn theta(self, other: Self) -> Self::Theta;

    /// `(self ^ theta) >>> RIGHT`.
    fn rotate_xor<const RIGHT: i32>(self, theta: Self::Theta) -> Self;

    /// `self ^ (!a & b)`.
    fn chi(self, a: Self, b: Self) -> Self;
}

/// A [`Lane`] of a single state.
pub(super) trait Single<T>: Lane<T> {
    fn get(self) -> u64;
}

impl<T: Token> Single<T> for u64 {
    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
}

impl<T: Token> Lane<T> for u64 {
    type Theta = Self;

    #[inline(always)]
    fn new(_: T, lane: u64) -> Self {
        lane
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        self ^ a ^ b ^ c ^ d
    }

    #[inline(always)]
    fn theta(self, other: Self) -> Self {
        self ^ other.rotate_left(1)
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, theta: Self) -> Self {
        (self ^ theta).rotate_right(RIGHT.cast_unsigned())
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        self ^ (!a & b)
    }
}

/// One round of Keccak-f: θ, ρ, π, χ and ι.
#[inline(always)]
fn round<T: Token, L: Lane<T>>(token: T, a: &mut [L; 25], constant: u64) {
    let mut parity = [a[0]; 5];
    for x in 0..5 {
        parity[x] = a[x].xor5(a[x + 5], a[x + 10], a[x + 15], a[x + 20]);
    }
    let mut theta = [parity[4].theta(parity[1]); 5];
    for x in 1..5 {
        theta[x] = parity[x - 1].theta(parity[(x + 1) % 5]);
    }

    // A row of the result at a time. Its lane (x, y) was lane (x + 3y, x), and each entry is x with the distance of the rotation to the left.
    // In the order of rows of the source, the next step would have to wait for the last row: on Zen 4, a permutation in vectors took 937
    // cycles in that order. If χ follows all rows, compilers add θ's sums to all lanes first, and those in memory are stored and loaded once more: in
    // general registers a permutation took 1130 cycles, and it takes 1010.
    let before = *a;
    macro_rules! row {
        ($($y:literal: $(($x:literal $left:literal))*;)*) => {$({
            let b = [$({
                let from = ($x + 3 * $y) % 5;
                before[from + 5 * $x].rotate_xor::<{ (64 - $left) % 64 }>(theta[from])
            }),*];
            for x in 0..5 {
                a[5 * $y + x] = b[x].chi(b[(x + 1) % 5], b[(x + 2) % 5]);
            }
        })*};
    }
    row! {
        0: (0 0) (1 44) (2 43) (3 21) (4 14);
        1: (0 28) (1 20) (2 3) (3 45) (4 61);
        2: (0 1) (1 6) (2 25) (3 8) (4 18);
        3: (0 27) (1 36) (2 10) (3 15) (4 56);
        4: (0 62) (1 55) (2 39) (3 41) (4 2);
    }
    a[0] = a[0].xor(L::new(token, constant));
}

/// The 24 rounds.
#[inline(always)]
pub(super) fn rounds<T: Token, L: Lane<T>>(token: T, a: &mut [L; 25]) {
    for constants in ROUND_CONSTANTS.as_chunks::<2>().0 {
        round(token, a, constants[0]);
        round(token, a, constants[1]);
    }
}

#[inline(always)]
fn load<T: Token, L: Lane<T>>(token: T, state: &[u64; 25]) -> [L; 25] {
    let mut a = [L::new(token, 0); 25];
    for (a, state) in a.iter_mut().zip(state) {
        *a = L::new(token, *state);
    }
    a
}

#[inline(always)]
fn store<T: Token, L: Single<T>>(a: [L; 25], state: &mut [u64; 25]) {
    for (state, a) in state.iter_mut().zip(a) {
        *state = a.get();
    }
}

#[inline(always)]
pub(super) fn permute<T: Token, L: Single<T>>(token: T, state: &mut [u64; 25]) {
    let mut a = load::<_, L>(token, state);
    rounds(token, &mut a);
    store(a, state);
}

/// The state stays in its lanes from block to block. In memory, compilers xor a block to it with wide vectors, whose loads have to wait
/// until the narrow stores of the permutation before have reached the cache: 80 cycles a block on Granite Rapids.
#[inline(always)]
pub(super) fn absorb<T: Token, L: Single<T>>(token: T, state: &mut [u64; 25], rate: usize, blocks: &[u8]) {
    let mut a = load::<_, L>(token, state);
    for block in blocks.chunks_exact(rate) {
        let lanes = block.as_chunks::<8>().0;
        for (x, a) in a.iter_mut().enumerate() {
            if let Some(lane) = lanes.get(x) {
                *a = a.xor(L::new(token, u64::from_le_bytes(*lane)));
            }
        }
        rounds(token, &mut a);
    }
    store(a, state);
}

/// Implements [`Permute`] for a token with the code above, and with `lanes` where the CPU has vectors for several
/// states.
macro_rules! driver {
    ($(#[$doc:meta])* $token:ty, $lane:ty $(, lanes: $vector:ty)?) => {
        $(#[$doc])*
        impl Permute for $token {
            #[inline(never)]
            fn absorb(self, state: &mut [u64; 25], rate: usize, blocks: &[u8]) {
                self.vectorize(
                    #[inline(always)]
                    || absorb::<_, $lane>(self, state, rate, blocks),
                );
            }

            #[inline(never)]
            fn permute(self, state: &mut [u64; 25]) {
                self.vectorize(
                    #[inline(always)]
                    || permute::<_, $lane>(self, state),
                );
            }
            $(
                const LANES: usize = <$vector>::COUNT;

                #[inline(never)]
                fn absorb_queue(self, queue: &mut Queue<'_, '_, [u64; 25]>) {
                    self.vectorize(
                        #[inline(always)]
                        || queue.side_by_side(InLanes::<$vector>::new(self), 3),
                    );
                    let rate = queue.block();
                    queue.one_by_one(|state, blocks| self.absorb(state, rate, blocks));
                }
            )?
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use driver;

driver!(Portable, u64);
