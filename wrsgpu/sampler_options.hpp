// Options of the samplers.
#pragma once

namespace wrsgpu {

/// The order of the samples of a draw.
enum class SampleOrder {
  /// Random order. Word `offset + k` of the stream `seed` determines sample k, on the host and on
  /// every GPU.
  random,
  /// Any order, for speed. On a GPU, many samples of a large table are grouped by item index: they
  /// are correct as a multiset, not as a sequence, and differ from the host's. The host draws in
  /// random order.
  any,
};

/// The generator of the random words (`RandomState`).
enum class Generator {
  /// Philox4x32-10, as recommended by its authors.
  philox,
  /// Philox4x32-7, the fewest rounds that its authors report to pass BigCrush. Gives different
  /// samples, and is faster where memory bandwidth is not the bottleneck.
  philox7,
};

/// The sampling algorithm on a GPU. All of them draw from the same distribution. `direct`,
/// `small_table`, `direct_packed` and `direct_short` give the same samples and differ in speed; the
/// samples of the others depend on how many are drawn.
enum class SamplerChoice {
  /// In random order the samples of `direct`, so that sample k depends on the seed and k alone; as
  /// `direct_short` draws them where that is faster and no CUDA graph is captured. In any order
  /// `sectioned` where it is faster.
  automatic,
  /// Reads rows of the table at random. Gives the samples of the host, in the same order.
  direct,
  /// Gives the samples of `direct`; each block copies the table to its shared memory. Rejects
  /// tables that do not fit there (about 28,900 rows on an H100 or H200).
  small_table,
  /// Gives the samples of `direct` from 4-byte rows, which each draw packs into memory from the
  /// stream-ordered pool.
  direct_packed,
  /// Gives the samples of `direct` from 2-byte rows, which each draw packs into memory from the
  /// stream-ordered pool; falls back to the full row where the 2 bytes are insufficient.
  direct_short,
  /// Draws section by section, in random order: for tables larger than the L2 cache and at least
  /// 10^7 samples. The samples depend on the number of samples drawn.
  direct_sectioned,
  /// Draws section by section from shared memory: the fastest for many samples, which are grouped.
  /// Requires `SampleOrder::any`. The samples depend on the number of samples drawn.
  sectioned,
};

/// Options of `WeightedSampler` and `GpuWeightedSampler`. They can change the samples of a given
/// seed, but not the probabilities.
struct WeightedSamplerOptions {
  /// The order of the samples; `any` permits grouped samples.
  SampleOrder order = SampleOrder::random;
  /// The generator of the random words.
  Generator generator = Generator::philox;
  /// The sampling algorithm on a GPU; ignored on the host.
  SamplerChoice sampler = SamplerChoice::automatic;
  /// Stores the probability of each item (4 bytes) for `view_with_probabilities()`.
  bool with_probabilities = false;
  /// Keeps a copy of the weights, in the memory of the table, for `weights()` and `update`.
  bool keep_weights = false;
  /// Number of host threads, 0 for all hardware threads; the results do not depend on it.
  unsigned threads = 0;
};

}  // namespace wrsgpu
