// Samples in random order, drawn section by section, for tables beyond the cache.
#pragma once

#include <optional>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Decomposition of the work.
struct SampleBlocks {
  Index section_rows;
  /// Samples of a block, a multiple of 4, at most 2^31; the last one may have fewer.
  Index samples;
  /// Number of blocks that wait outside of the output. Does not change the samples.
  Index waiting;
};

/// Draws blocks of samples, which are independent of each other, in two steps. First, section by
/// section, as `SectionSamplerBase`: of each section as many samples as rows of it would be among
/// as many rows that are chosen at random from the whole table. Then every block is put in random
/// order, which is that of independent samples, since of the places of a block nothing but the
/// sections differs. So rows are read from shared memory, and what is read at random beyond it is a
/// block, which the L2 holds. Pays where the L2 does not hold the table. For compact rows only.
///
/// Precisely: number k of a draw, counted through all blocks, belongs to the section of the row
/// that word k of `random::SplitWords` chooses under a seed of the draw's own; this gives the
/// counts of the sections in each block. Grouped by section, number k takes word `offset + k`
/// (`random::SplitWords`) for its row. Then place p of a block has number q(p) of it, where q is a
/// permutation (`shuffle::ProductFeistel`) under a seed of the block's own, of 10 rounds for whole
/// blocks of 2^18 samples or more and of 24, those of all shuffles, for smaller ones and for one
/// that is cut off. So the samples depend on `section_rows` and `samples` of `SampleBlocks`, but
/// not on the launch shape. No other sampler gives the same samples.
///
/// Takes memory from the stream's pool: 4 bytes for each section and block, and 268 MB at most for
/// blocks that wait, unless others are set. Histograms have no order and do without the latter.
class DirectSectionedGpuSampler final : public GpuSampler {
 public:
  /// Throws `Error` for incompatible options: generators other than philox and philox7, options of
  /// sections, a number of blocks. `blocks` is what suits the device where it is not set; its
  /// numbers must be positive.
  explicit DirectSectionedGpuSampler(const GpuSamplerOptions& options = {},
                                     const std::optional<SampleBlocks>& blocks = std::nullopt);

  /// Tables with more sections than shared memory has room to count: of more than 1.6·10^9 rows,
  /// on an H200. Sections that are set and do not fit there, either.
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
