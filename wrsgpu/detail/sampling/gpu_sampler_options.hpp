// Options of the GPU samplers.
#pragma once

#include <string_view>
#include <vector>

#include "wrsgpu/detail/sampling/section_tree.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

enum class GpuGenerator {
  philox,   ///< Philox4x32-10
  philox7,  ///< Philox4x32-7, for the samplers with split words
  xorwow,
  mrg32k3a,
  mtgp32,
};

/// Generators of samplers that draw from the whole table.
[[nodiscard]] inline std::vector<GpuGenerator> generators_of_whole_tables() {
  return {GpuGenerator::philox, GpuGenerator::xorwow, GpuGenerator::mrg32k3a, GpuGenerator::mtgp32};
}
/// Generators of samplers that draw section by section. MTGP32 has one state per block, which
/// sections cannot share.
[[nodiscard]] inline std::vector<GpuGenerator> generators_of_sections() {
  return {GpuGenerator::philox, GpuGenerator::xorwow, GpuGenerator::mrg32k3a};
}
[[nodiscard]] inline std::vector<GpuGenerator> philox_generators() {
  return {GpuGenerator::philox, GpuGenerator::philox7};
}

/// Seeding of each thread's generator. Philox is counter-based and needs none.
enum class Seeding {
  subsequence,  ///< cuRAND's: subsequence number `thread` of the seed
  pkpt_md5,     ///< one seed per thread and call, by a hash (thesis 1.1.2, 4.7.2)
  pkpt_sha1,
};

struct GpuSamplerOptions {
  GpuGenerator generator = GpuGenerator::philox;
  Seeding seeding = Seeding::subsequence;
  /// Rows per section; 0: chosen for the sampler, the table and the number of samples on this
  /// device. Changes the samples.
  Index section_rows = 0;
  SectionCounts section_counts = SectionCounts::exact;
  /// Launch shape, 0: chosen for the device. Counts only threads that draw. Changes the samples of
  /// generators other than Philox.
  unsigned blocks = 0;
  unsigned block_threads = 0;
};

[[nodiscard]] std::string_view to_string(GpuGenerator generator);
[[nodiscard]] std::string_view to_string(Seeding seeding);
/// Parse a name. Throw `Error` that lists the known names.
[[nodiscard]] GpuGenerator parse_gpu_generator(std::string_view name);
[[nodiscard]] Seeding parse_seeding(std::string_view name);

}  // namespace wrsgpu
