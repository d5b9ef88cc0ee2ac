#include "sampling/section_sampler_base.cuh"

#include <algorithm>

#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"

namespace wrsgpu {

SectionSamplerBase::SectionSamplerBase(const GpuSamplerOptions& options) : options_(options) {
  check_options(options);
  check_states_of_threads(options);
  if (options.blocks > 0) {
    throw Error("argument 'blocks' is " + std::to_string(options.blocks) +
                "; a sectioned sampler derives the number of blocks from the sections");
  }
}

Index SectionSamplerBase::section_rows(const DeviceTable& table, std::size_t bytes) const {
  if (options_.section_rows > 0) return std::min(options_.section_rows, table.size());
  const std::size_t row_bytes = table.bytes() / table.size();
  return static_cast<Index>(std::min<std::size_t>(bytes / row_bytes, table.size()));
}

SectionTree SectionSamplerBase::tree(const DeviceTable& table, Index section_rows,
                                     std::uint64_t samples, RandomState state) const {
  return {split::Sections{table.size(), section_rows}, samples, state, options_.section_counts};
}

SectionWork SectionSamplerBase::work(const SectionTree& tree, std::uint64_t samples,
                                     unsigned resident_blocks, unsigned threads) const {
  constexpr std::uint64_t rounds = 8;  // waves of blocks, so that a late one costs little
  constexpr std::uint64_t thread_samples = 32;
  const std::uint64_t sections = tree.sections().count();
  const auto multiprocessors =
      static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount));
  const std::uint64_t wanted = multiprocessors * resident_blocks * rounds;
  if (sections > wanted) return {static_cast<Index>(sections / wanted), 1};
  const std::uint64_t busy = samples / (sections * threads * thread_samples);
  const std::uint64_t blocks = std::min((wanted + sections - 1) / sections, busy);
  return {1, static_cast<unsigned>(std::max<std::uint64_t>(blocks, 1))};
}

unsigned SectionSamplerBase::blocks(const SectionTree& tree, const SectionWork& work) {
  return blocks_for(tree.sections().count(), work.sections_of_block) * work.blocks_of_section;
}

}  // namespace wrsgpu
