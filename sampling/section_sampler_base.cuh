// Base of the samplers that draw section by section (thesis 3.4.2 to 3.4.4).
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// How sections and blocks go together: a block takes some neighbouring sections, or some blocks
/// take a section. One of the two is 1.
struct SectionWork {
  Index sections_of_block;
  unsigned blocks_of_section;
};

/// Groups of blocks take a section each, find out from the section tree how many samples it gives
/// and where in the output they belong, and draw them. The output is grouped by section, in their
/// order: the samples are right as a multiset, and in random order within a section, but not as a
/// sequence. With Philox, sample k of the output takes word `offset + k`, so that the samples
/// depend on the number of samples and on the rows of a section, but not on the launch shape.
class SectionSamplerBase : public GpuSampler {
 public:
  /// Throws `Error` for incompatible options.
  explicit SectionSamplerBase(const GpuSamplerOptions& options);

 protected:
  [[nodiscard]] const GpuSamplerOptions& options() const { return options_; }

  /// Rows of a section: the caller's choice, or the most that fit in `bytes` of fast memory.
  [[nodiscard]] Index section_rows(const DeviceTable& table, std::size_t bytes) const;
  [[nodiscard]] SectionTree tree(const DeviceTable& table, Index section_rows,
                                 std::uint64_t samples, RandomState state) const;
  /// Shares sections and blocks out, so that there are enough blocks to keep `resident_blocks` a
  /// multiprocessor busy, but each with work for its threads.
  [[nodiscard]] SectionWork work(const SectionTree& tree, std::uint64_t samples,
                                 unsigned resident_blocks, unsigned threads) const;
  /// Number of blocks of that work. Throws `Error` if it exceeds the maximum grid size.
  [[nodiscard]] static unsigned blocks(const SectionTree& tree, const SectionWork& work);

 private:
  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
