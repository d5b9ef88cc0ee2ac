// What a caller can choose of a sampler.
#pragma once

namespace wrsgpu {

/// The order in which a draw gives its samples.
enum class SampleOrder {
  /// Random. Sample k is the one that word `offset + k` of the stream `seed` chooses: the same on
  /// the host and on every GPU.
  random,
  /// Whatever is fastest. On a GPU, many samples of a large table come grouped by item numbers:
  /// they are right as a multiset, but not as a sequence, and differ from the host's. The host
  /// draws in random order.
  any,
};

/// The words that samples are drawn with.
enum class SampleWords {
  /// Philox4x32-10, which its authors recommend; in random order `random::philox_word`.
  philox,
  /// Philox4x32-7, the least that they report to pass BigCrush, and half a word for nearly every
  /// sample (`random::LazyWords<7>`): other samples, sooner where they come faster than memory
  /// takes them.
  philox7,
};

struct WeightedSamplerOptions {
  SampleOrder order = SampleOrder::random;
  SampleWords words = SampleWords::philox;
  /// Keep the probability of each item, 4 bytes, for `view_with_probabilities()`.
  bool with_probabilities = false;
  /// Threads of the host sampler, 0 for all; the results do not depend on it.
  unsigned threads = 0;
};

}  // namespace wrsgpu
