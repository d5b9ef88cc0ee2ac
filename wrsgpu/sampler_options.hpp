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

/// The words that samples are drawn with (`random::SplitWords`).
enum class SampleWords {
  /// Philox4x32-10, which its authors recommend.
  philox,
  /// Philox4x32-7, the least that they report to pass BigCrush: other samples, sooner where they
  /// come faster than memory takes them.
  philox7,
};

/// What a GPU draws with. All samplers give samples of the same probabilities; they differ in
/// speed, in the order of the samples, and in which samples a seed gives.
enum class SamplerChoice {
  /// The fastest one whose samples are what the option `order` promises.
  automatic,
  /// Reads rows at random. Samples are the host's, in their order.
  direct,
  /// The same samples from a table that each block copies to its shared memory. Tables that do not
  /// fit there (some 28,900 rows on an H100 or H200) are refused.
  small_table,
  /// The same samples, from rows of 4 bytes that each draw packs into pool memory.
  direct_packed,
  /// The same samples, from rows of 2 bytes that each draw packs into pool memory; where these do
  /// not decide, from the table.
  direct_short,
  /// Random order by sections: for tables that outgrow the L2 and 10^7 samples or more. Samples
  /// depend on their number.
  direct_sectioned,
  /// Section by section from shared memory: the fastest for many samples, which come grouped. Needs
  /// `SampleOrder::any`. Samples depend on their number.
  sectioned,
};

/// Of both samplers. They change which samples a seed gives, not with which probabilities.
struct WeightedSamplerOptions {
  /// Whether samples may come grouped.
  SampleOrder order = SampleOrder::random;
  /// The random words that samples are drawn with.
  SampleWords words = SampleWords::philox;
  /// Of the GPU only.
  SamplerChoice sampler = SamplerChoice::automatic;
  /// Keep the probability of each item, 4 bytes, for `view_with_probabilities()`.
  bool with_probabilities = false;
  /// Threads of the host sampler, 0 for all; the results do not depend on it.
  unsigned threads = 0;
};

}  // namespace wrsgpu
