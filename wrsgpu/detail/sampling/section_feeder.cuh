// The producer warp of a block: determines the next step of the other warps, and copies its rows to
// shared memory while they draw.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/sampling/output_parts.hpp"
#include "wrsgpu/detail/sampling/section_borders.cuh"
#include "wrsgpu/detail/sampling/shared_rows.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Samples [begin, end) of a section; empty if no work is left.
struct SectionStep {
  Index section;
  std::uint64_t begin;
  std::uint64_t end;
};

/// The section that probably contains the first sample of the block.
[[nodiscard]] __device__ inline Index likely_section(const split::Sections& sections,
                                                     const OutputParts& parts) {
  const double share =
      static_cast<double>(parts.begin(blockIdx.x)) / static_cast<double>(parts.samples());
  return min(static_cast<Index>(share * sections.size) / sections.section_items,
             sections.count() - 1);
}

/// All threads of the warp must call each function.
class SectionFeeder {
 public:
  /// Must be constructed after the borders are known.
  __device__ SectionFeeder(const CompactRow* rows, const SectionBorders& borders,
                           const OutputParts& parts)
      : rows_(rows), borders_(borders), parts_(parts) {
    begin_part(blockIdx.x);
  }

  /// Returns the next step and copies its rows to `memory`, visible after the next barrier. The
  /// rows of section `copied` are assumed to be there already.
  [[nodiscard]] __device__ SectionStep next(std::byte* memory, Index copied = ~Index{0}) {
    if (begin_ == end_) {
      unsigned long long others = 0;
      if (threadIdx.x % 32 == 0) others = atomicAdd(borders_.parts_begun, 1ULL);
      begin_part(gridDim.x + __shfl_sync(~0U, others, 0));
      if (begin_ == end_) return {};
    }
    while (begin_ >= past_) {  // skips empty sections
      ++section_;
      past_ = next_past_;
      next_past_ = borders_.past(section_ + 1);  // loaded now, because waiting for rows comes next
    }
    const SectionStep step{section_, begin_, min(end_, past_)};
    begin_ = step.end;
    if (section_ != copied) {
      SharedRows::copy(rows_, borders_.sections.start(section_),
                       borders_.sections.start(section_ + 1), memory, threadIdx.x % 32, 32);
      __pipeline_wait_prior(0);
    }
    return step;
  }

 private:
  __device__ void begin_part(std::uint64_t part) {
    begin_ = parts_.begin(part);
    end_ = parts_.begin(part + 1);
    section_ = borders_.find(begin_);
    past_ = borders_.past(section_);
    next_past_ = borders_.past(section_ + 1);
  }

  const CompactRow* rows_;
  const SectionBorders& borders_;
  const OutputParts& parts_;
  std::uint64_t begin_;  // of the rest of the part
  std::uint64_t end_;
  Index section_;  // of the last step, or of the next one
  std::uint64_t past_;
  std::uint64_t next_past_;  // end of the section after it
};

}  // namespace wrsgpu
