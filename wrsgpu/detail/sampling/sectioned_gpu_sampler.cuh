// Sectioned sampling that draws a single 32-bit random word for nearly every sample.
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Blocks draw from sections of the table in shared memory, as in `SharedMemoryGpuSampler`.
/// Supports compact rows only. Sample k of the output takes word `offset + k` of
/// `random::SplitWords`, whose low half is computed only if the high half does not determine the
/// item. While `block_threads` threads (at most 992) draw from a section, an additional warp of the
/// block copies the next one, so that shared memory must hold two sections: 14,462 rows each on an
/// H100 or H200. Blocks have equal parts of the output, independent of sections, so that the device
/// is busy with few sections and with many; if there are many samples, the rest goes to the blocks
/// that finish first. A table of one section is copied once by each block, and the whole grid draws
/// together. A preceding kernel computes the offsets of the sections in the output, in 8 bytes per
/// section of the stream's pool, freed after the draw.
///
/// The output is grouped by section, in the order of the sections: the samples are correct as a
/// multiset, and in random order within a section, but not as a sequence. They depend on the number
/// of samples and on the number of rows per section, but not on the launch shape. They are stored
/// as vectors if quads of them, counted from word 0, are aligned to 16 bytes in memory.
class SectionedGpuSampler : public GpuSampler {
 public:
  /// @throws Error for unsupported options: generators other than philox and philox7, a seeding for
  ///   other generators, and `block_threads` that is not a multiple of 32 or exceeds 1024
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

/// `SectionedGpuSampler` with the whole table as a single section: draws the samples of
/// `DirectGpuSampler`, in random order. Rejects tables that do not fit in shared memory.
class SmallTableGpuSampler final : public SectionedGpuSampler {
 public:
  explicit SmallTableGpuSampler(const GpuSamplerOptions& options = {})
      : SectionedGpuSampler(options, true) {}
};

}  // namespace wrsgpu
