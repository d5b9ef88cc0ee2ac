#include "wrsgpu/cpu_reference/shuffles.hpp"

namespace wrsgpu::shuffle {

const std::vector<CpuShuffle>& cpu_shuffles() {
  static const std::vector<CpuShuffle> list{
      {.name = "gather",
       .description = "reads at hashed places, no permutation: the bound that memory sets",
       .random = false,
       .parallel = true,
       .run = gather_bound},
      {.name = "cycle_walk",
       .description = "the permutation of shuffle/lazy_permutation.hpp, in one pass",
       .parallel = true,
       .run = cycle_walk_shuffle},
      {.name = "bijective_varphilox",
       .description = "the paper's: VariablePhilox of a power of two, then compaction",
       .parallel = true,
       .run = bijective_shuffle},
      {.name = "std_shuffle",
       .description = "std::shuffle with std::mt19937_64",
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned /*threads*/) { standard_shuffle(in, out, seed); }},
      {.name = "rao_sandelius",
       .description =
           "Rao-Sandelius: keys to random pieces, Fisher-Yates in those that fit a cache",
       .parallel = true,
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned threads) { rao_sandelius(in, out, seed, threads); }},
      {.name = "merge_shuffle",
       .description = "MergeShuffle: Fisher-Yates in pieces, which are merged by coins",
       .parallel = true,
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned threads) { merge_shuffle(in, out, seed, threads); }},
      {.name = "sort",
       .description = "SortShuffle: sorts by random 64-bit words",
       .parallel = true,
       .run = sort_shuffle},
      {.name = "dart_throwing",
       .description = "atomic exchanges into 2n slots, then compaction; several threads: any order",
       .parallel = true,
       .deterministic = false,
       .run = dart_throwing}};
  return list;
}

}  // namespace wrsgpu::shuffle
