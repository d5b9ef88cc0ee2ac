// Options of the samplers.
#pragma once

namespace wrsgpu {

/// The order in which a draw gives its samples.
enum class SampleOrder {
  /// Random order. Word `offset + k` of the stream `seed` chooses sample k, on the host and on
  /// every GPU.
  random,
  /// The fastest order. On a GPU, many samples of a large table come grouped by item index: they
  /// are correct as a multiset, not as a sequence, and differ from the host's. The host draws in
  /// random order.
  any,
};

/// The random words that samples are drawn with (`random::SplitWords`).
enum class SampleWords {
  /// Philox4x32-10, which its authors recommend.
  philox,
  /// Philox4x32-7, the fewest rounds that they report to pass BigCrush. Gives other samples, and is
  /// faster where memory bandwidth is not the bottleneck.
  philox7,
};

/// The GPU's sampler. All samplers sample from the same probabilities; they differ in speed, in the
/// order of the samples, and in which samples a seed gives.
enum class SamplerChoice {
  /// Selects the fastest sampler whose samples come as the option `order` promises.
  automatic,
  /// Reads rows of the table at random. Gives the host's samples, in the host's order.
  direct,
  /// Gives the samples of `direct`; each block copies the table to its shared memory. Rejects
  /// tables that do not fit there (some 28,900 rows on an H100 or H200).
  small_table,
  /// Gives the samples of `direct` from 4-byte rows, which each draw packs into pool memory.
  direct_packed,
  /// Gives the samples of `direct` from 2-byte rows, which each draw packs into pool memory; falls
  /// back to the table where these do not decide.
  direct_short,
  /// Draws section by section, in random order: for tables that outgrow the L2 and 10^7 samples or
  /// more. The samples depend on their number.
  direct_sectioned,
  /// Draws section by section from shared memory: the fastest for many samples, which come grouped.
  /// Needs `SampleOrder::any`. The samples depend on their number.
  sectioned,
};

/// Options of `WeightedSampler` and `GpuWeightedSampler`. They change which samples a seed gives,
/// not the probabilities.
struct WeightedSamplerOptions {
  /// The order of the samples; `any` allows grouped samples.
  SampleOrder order = SampleOrder::random;
  /// The random words that samples are drawn with.
  SampleWords words = SampleWords::philox;
  /// The GPU's sampler; the host ignores it.
  SamplerChoice sampler = SamplerChoice::automatic;
  /// Keeps each item's probability, 4 bytes, for `view_with_probabilities()`.
  bool with_probabilities = false;
  /// Threads of the host sampler, 0 for all hardware threads; the results do not depend on it.
  unsigned threads = 0;
};

}  // namespace wrsgpu
