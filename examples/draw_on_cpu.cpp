// Sampling on the host: draws samples and a histogram, saves the table and loads it again.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "wrsgpu/weighted_sampler.hpp"

int main() try {
  const std::vector<double> weights{1, 2, 3, 4};
  const wrsgpu::WeightedSampler sampler(weights);

  std::vector<wrsgpu::Index> samples(8);
  sampler.draw(samples, {.seed = 7, .offset = 0});
  for (const wrsgpu::Index item : samples) std::printf("%u ", item);

  // The first draw consumed 8 words of the stream; this one continues after them.
  std::vector<std::uint64_t> counts(sampler.size());
  sampler.histogram(counts, 1'000'000, {.seed = 7, .offset = 8});
  for (const std::uint64_t count : counts) {
    std::printf("\n%.4f", static_cast<double>(count) / 1e6);
  }
  std::printf("\n");

  const std::filesystem::path file = "wrsgpu_draw_on_cpu.table";
  sampler.save(file);
  const auto loaded = wrsgpu::WeightedSampler::load(file);
  std::filesystem::remove(file);
  std::vector<wrsgpu::Index> again(8);
  loaded.draw(again, {.seed = 7, .offset = 0});
  return again == samples ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
