// Sectioned sampling with one random word of 32 bits for nearly every sample.
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// A block draws from sections in shared memory, as `SharedMemoryGpuSampler`; for compact rows
/// only. Of the word of a sample (`random::SplitWords`: sample k of the output takes word `offset +
/// k`) the low half is drawn only where the high half leaves the choice open. While a section is
/// drawn from, one warp of the block, beside `block_threads` (992 where more are asked for) that
/// draw, copies the next one, so that shared memory must hold two sections: 14,462 rows each on an
/// H100 or H200. Blocks have equal parts of the output, independent of sections, so that the device
/// is busy with few sections and with many; the rest of many samples goes to the blocks that finish
/// first. A table of one section is copied once by each block, and the whole grid draws together. A
/// preceding kernel computes the sections' offsets in the output, in 8 bytes per section of the
/// stream's pool, freed after the draw.
///
/// The output is grouped by section, in their order: the samples are right as a multiset, and in
/// random order within a section, but not as a sequence. They depend on the number of samples and
/// on the rows of a section, but not on the launch shape. They are stored as vectors where quads of
/// them, counted from word 0, are aligned to 16 bytes in memory.
class SectionedGpuSampler : public GpuSampler {
 public:
  /// Throws `Error` for incompatible options: generators other than philox and philox7, a seeding
  /// of others, and `block_threads` that are no multiple of 32 or more than 1024.
  explicit SectionedGpuSampler(const GpuSamplerOptions& options = {})
      : SectionedGpuSampler(options, false) {}

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 protected:
  SectionedGpuSampler(const GpuSamplerOptions& options, bool has_one_section);

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;
  [[nodiscard]] Index section_rows(Index table_rows, std::uint64_t samples) const;

  GpuSamplerOptions options_;
  bool has_one_section_;
};

/// `SectionedGpuSampler` with the whole table as its one section: gives the samples of
/// `DirectGpuSampler`, in random order. Rejects tables that do not fit in shared memory.
class SmallTableGpuSampler final : public SectionedGpuSampler {
 public:
  explicit SmallTableGpuSampler(const GpuSamplerOptions& options = {})
      : SectionedGpuSampler(options, true) {}
};

}  // namespace wrsgpu
