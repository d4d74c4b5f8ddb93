//! The random numbers of every resampling figure, documented so that any program can draw them again.

/// The increment of the generator's counter, 2⁶⁴ divided by the golden ratio.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64 (Steele, Lea and Flood 2014): a 64-bit counter, advanced by `0x9E3779B97F4A7C15` and mixed.
///
/// Each resample has a generator of its own, [`stream`](Self::stream), so that the same seed gives
/// the same figures whatever the number of threads and the order they run in.
///
/// ```
/// use webeval_stats::rng::SplitMix64;
/// let mut rng = SplitMix64::new(1234567);
/// assert_eq!(rng.next_u64(), 6457827717110365317); // the published first output
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose counter starts at `seed`.
    pub fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// The generator of resample `index`: seeded with output number `index`, counted from 0, of
    /// `SplitMix64::new(seed)`.
    pub fn stream(seed: u64, index: u64) -> Self {
        let before = seed.wrapping_add(GAMMA.wrapping_mul(index));
        SplitMix64::new(SplitMix64::new(before).next_u64())
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound − 1`: the high 64 bits of `next_u64() × bound`; 0 when `bound` is 0.
    ///
    /// The bias, below `bound / 2⁶⁴`, is far under what any resampling could show.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}
