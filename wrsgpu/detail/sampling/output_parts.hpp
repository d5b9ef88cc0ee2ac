// Partition of the samples among the blocks of a sampling kernel.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

/// Consecutive parts of the samples: one per block, whose sizes differ by at most one. If there are
/// many samples, the last sixteenth is cut into shorter parts for blocks that finish early.
class OutputParts {
 public:
  /// Minimum samples per block for which shorter parts pay.
  static constexpr std::uint64_t many = 1U << 18;

  [[nodiscard]] static OutputParts of(std::uint64_t samples, unsigned blocks) {
    const bool is_cut = samples / blocks >= many;
    const std::uint64_t equal = is_cut ? samples - samples / 16 : samples;
    OutputParts parts;
    parts.samples_ = samples;
    parts.blocks_ = blocks;
    parts.each_ = equal / blocks;
    parts.longer_ = equal % blocks;
    if (is_cut) {
      parts.shorter_ = samples / blocks / 64;
      parts.last_ = blocks + (samples - equal - 1) / parts.shorter_;
    } else {
      parts.last_ = blocks - 1;
    }
    return parts;
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t samples() const { return samples_; }

  /// The first sample of a part. The first parts are those of the blocks; parts beyond the last one
  /// begin at samples(). Apart from these, no part after those of the blocks is empty.
  [[nodiscard]] WRSGPU_HD std::uint64_t begin(std::uint64_t part) const {
    if (part > last_) return samples_;
    const std::uint64_t own = part < blocks_ ? part : blocks_;
    return each_ * own + (own < longer_ ? own : longer_) + shorter_ * (part - own);
  }

 private:
  std::uint64_t samples_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t each_ = 0;     // samples in the part of a block
  std::uint64_t longer_ = 0;   // number of these parts with one more
  std::uint64_t shorter_ = 0;  // samples in a later part
  std::uint64_t last_ = 0;     // index of the last part
};

}  // namespace wrsgpu
