#include "draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "numbers.hpp"
#include "progress.hpp"

namespace wrsgpu::cli {

void require_samples(std::uint64_t samples) {
  if (samples == 0) {
    throw Error("argument --samples: 0 samples asked for; at least 1 is needed");
  }
}

void add_random_state(CLI::App& command, RandomState& state) {
  add_number(command, "--seed", state.seed, "Seed of the samples")->capture_default_str();
  add_number(
      command, "--offset", state.offset,
      "Begin at this sample of the seed's stream, to go on where a draw ended (GPU samplers by "
      "sections, and generators other than philox, begin another stream there)")
      ->capture_default_str();
}

void draw(const BuiltMethod& method, std::uint64_t samples, RandomState state,
          const std::function<void(std::span<const Index>)>& use) {
  // Enough at a time to keep every core or a GPU busy: sections pay late. What is not random knows
  // the whole number.
  const std::uint64_t at_a_time = std::uint64_t{1}
                                  << (method.method().device == Device::cuda ? 26 : 22);
  const std::uint64_t piece = method.random() ? at_a_time : samples;
  std::vector<Index> buffer;
  try {
    buffer.resize(std::min(piece, samples));
  } catch (const std::exception&) {  // too long for any vector, or for this machine's memory
    throw Error(fmt::format(
        "argument --samples: {} samples of a sampler that is not random must fit in memory",
        samples));
  }
  Progress progress("sampling", samples);
  for (std::uint64_t done = 0; done < samples; done += buffer.size()) {
    buffer.resize(std::min(piece, samples - done));
    method.sample(buffer, {state.seed, state.offset + done});
    use(buffer);
    progress.update(done + buffer.size());
  }
}

std::vector<std::uint64_t> draw_counts(const BuiltMethod& method, std::uint64_t samples,
                                       RandomState state) {
  std::vector<std::uint64_t> counts(method.algorithm().size());
  draw(method, samples, state, [&](std::span<const Index> piece) {
    for (const Index item : piece) ++counts[item];
  });
  return counts;
}

}  // namespace wrsgpu::cli
