// Sampling section by section in random order, for tables beyond the cache.
#pragma once

#include <optional>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Decomposition of the work.
struct SampleBlocks {
  Index section_rows;
  /// Number of samples in a block: a multiple of 4, at most 2^31. The last block may be smaller.
  Index samples;
  /// Number of blocks that are buffered outside the output. Does not change the samples.
  Index buffered_blocks;
};

/// Draws independent blocks of samples in two steps. First, it draws the samples of each section in
/// turn, like `SectionSamplerBase`; the number of samples from a section has the distribution that
/// it would have if every sample selected its row from the whole table. Then every block is
/// permuted at random, which gives the order of independent samples, because the samples of a block
/// differ only in their section. Rows are thus read from shared memory, and the only random
/// accesses to global memory are within a block of samples, which fits in the L2. Pays off if the
/// table does not fit in the L2. Supports compact rows only.
///
/// Definition: let number k count the samples of a draw through all blocks. Its section is that of
/// the row that word k of `random::SplitWords` selects under a seed derived for the draw; this
/// gives the counts of the sections in each block. Grouped by section, number k takes word `offset
/// + k` (`random::SplitWords`) to select its row within the section. Finally, place p of a block
/// gets its number q(p), where q is a permutation (`shuffle::ProductFeistel`) under a seed derived
/// for the block, of 10 rounds for whole blocks of at least 2^18 samples, and of 24 rounds, as for
/// all shuffles, for smaller or incomplete blocks. So the samples depend on `section_rows` and
/// `samples` of `SampleBlocks`, but not on the launch shape. No other sampler draws the same
/// samples.
///
/// Allocates from the stream's pool: 4 bytes per section and block, and at most 268 MB for buffered
/// blocks unless `SampleBlocks` says otherwise. Histograms have no order and need no buffered
/// blocks.
class DirectSectionedGpuSampler final : public GpuSampler {
 public:
  /// @param blocks positive numbers; chosen for the current device by default
  /// @throws Error for unsupported options: generators other than philox and philox7, options of
  ///   sections, a number of blocks; and for invalid `blocks`
  explicit DirectSectionedGpuSampler(const GpuSamplerOptions& options = {},
                                     const std::optional<SampleBlocks>& blocks = std::nullopt);

  /// Rejects tables with too many sections to count in shared memory (more than 1.6·10^9 rows on an
  /// H200), and requested sections that do not fit there.
  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

  /// The decomposition: as set, or chosen for the current device.
  [[nodiscard]] SampleBlocks sample_blocks() const;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
  std::optional<SampleBlocks> blocks_;
};

}  // namespace wrsgpu
