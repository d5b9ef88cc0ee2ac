#include "draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "cli/progress.hpp"

namespace wrsgpu::method_driver {

void draw(const BuiltMethod& method, std::uint64_t samples, RandomState state,
          const std::function<void(std::span<const Index>)>& use) {
  // A chunk that keeps all cores or a GPU busy: sections pay off late. Samplers that are not random
  // need the whole number at once.
  const std::uint64_t at_a_time = std::uint64_t{1}
                                  << (method.method().device == Device::cuda ? 26 : 22);
  const std::uint64_t piece = method.random() ? at_a_time : samples;
  std::vector<Index> buffer;
  try {
    buffer.resize(std::min(piece, samples));
  } catch (const std::exception&) {  // too large for a vector or for memory
    throw Error(fmt::format(
        "argument --samples: {} samples of a sampler that is not random must fit in memory",
        samples));
  }
  cli::Progress progress("sampling", samples, false);
  for (std::uint64_t done = 0; done < samples; done += buffer.size()) {
    buffer.resize(std::min(piece, samples - done));
    method.sample(buffer, {state.seed, state.offset + done});
    use(buffer);
    progress.update(done + buffer.size());
  }
}

verification::Counts draw_counts(const BuiltMethod& method, std::uint64_t samples,
                                 RandomState state) {
  verification::Counts counts(method.algorithm().size());
  draw(method, samples, state,
       [&](std::span<const Index> piece) { verification::add_samples(piece, counts); });
  return counts;
}

}  // namespace wrsgpu::method_driver
