#include "cpu_reference/shuffles.hpp"

namespace wrsgpu::shuffle {

const std::vector<CpuShuffleMethod>& cpu_shuffle_methods() {
  static const std::vector<CpuShuffleMethod> list{
      {.name = "gather",
       .source = "section 6",
       .summary = "reads at hashed places, no permutation: the bound that memory sets",
       .permutes = false,
       .parallel = true,
       .run = gather_bound},
      {.name = "cycle_walk",
       .source = "wrsgpu",
       .summary = "the permutation of wrsgpu/detail/shuffle/lazy_permutation.hpp, in one pass",
       .parallel = true,
       .run = cycle_walk_shuffle},
      {.name = "bijective_varphilox",
       .source = "section 4, Algorithm 1",
       .summary = "VariablePhilox of a power of two, then compaction",
       .parallel = true,
       .run = bijective_shuffle},
      {.name = "std_shuffle",
       .source = "section 6",
       .summary = "std::shuffle with std::mt19937_64",
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned /*threads*/) { standard_shuffle(in, out, seed); }},
      {.name = "rao_sandelius",
       .source = "sections 2.1 and 6",
       .summary = "keys to random pieces, Fisher-Yates in those that fit a cache",
       .parallel = true,
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned threads) { rao_sandelius(in, out, seed, threads); }},
      {.name = "merge_shuffle",
       .source = "sections 2.1 and 6",
       .summary = "Fisher-Yates in pieces, which are merged by random bits",
       .parallel = true,
       .run = [](Keys in, ShuffledKeys out, std::uint64_t seed,
                 unsigned threads) { merge_shuffle(in, out, seed, threads); }},
      {.name = "sort",
       .source = "section 6, SortShuffle",
       .summary = "sorts by random 64-bit words",
       .parallel = true,
       .run = sort_shuffle},
      {.name = "dart_throwing",
       .source = "sections 2.1 and 6",
       .summary = "atomic exchanges into 2n slots, then compaction; several threads: any order",
       .parallel = true,
       .reproducible = false,
       .run = dart_throwing}};
  return list;
}

}  // namespace wrsgpu::shuffle
