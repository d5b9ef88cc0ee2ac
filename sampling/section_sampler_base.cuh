// Base of the samplers that draw section by section (thesis 3.4.2 to 3.4.4).
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Mapping of sections to blocks: a block processes several neighbouring sections, or several
/// blocks process one section. One of the two numbers is 1.
struct SectionWork {
  Index sections_of_block;
  unsigned blocks_of_section;
};

/// Groups of blocks process one section each: they determine its number of samples and its offset
/// in the output from the section tree, and draw the samples. The output is grouped by section, in
/// the order of the sections: the samples are correct as a multiset, and in random order within a
/// section, but not as a sequence. With Philox, sample k of the output takes word `offset + k`, so
/// that the samples depend on the number of samples and on the number of rows per section, but not
/// on the launch shape.
class SectionSamplerBase : public GpuSampler {
 public:
  /// Throws `Error` for incompatible options.
  explicit SectionSamplerBase(const GpuSamplerOptions& options);

 protected:
  [[nodiscard]] const GpuSamplerOptions& options() const { return options_; }

  /// Rows per section: the caller's choice, or the maximum that fits in `bytes` of fast memory.
  [[nodiscard]] Index section_rows(const DeviceTable& table, std::size_t bytes) const;
  [[nodiscard]] SectionTree tree(const DeviceTable& table, Index section_rows,
                                 std::uint64_t samples, RandomState state) const;
  /// Distributes sections over blocks, so that there are enough blocks to keep `resident_blocks`
  /// per multiprocessor busy, but each has work for its threads.
  [[nodiscard]] SectionWork work(const SectionTree& tree, std::uint64_t samples,
                                 unsigned resident_blocks, unsigned threads) const;
  /// Number of blocks for that work. Throws `Error` if it exceeds the maximum grid size.
  [[nodiscard]] static unsigned blocks(const SectionTree& tree, const SectionWork& work);

 private:
  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
