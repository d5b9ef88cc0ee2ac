#include "wrsgpu/sampler_view.hpp"

#include <string>

#include "wrsgpu/detail/sampling/batched_sampler.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

void SamplerView::draw(std::span<const std::uint64_t> words, std::span<Index> out) const {
  if (words.size() != out.size()) {
    throw Error("draw: argument 'words' has " + std::to_string(words.size()) +
                " elements, argument 'out' " + std::to_string(out.size()));
  }
  draw_from_words(rows_, words, out.data());
}

}  // namespace wrsgpu
